"""Mailchimp's answers. https://mailchimp.com/developer/marketing/docs/fundamentals/"""

from collections.abc import Callable, Mapping
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Reply

from . import errors
from .errors import refuse
from .models import Table

_NOISE = frozenset({
    "_links", "unique_email_id", "web_id", "sms_phone_number", "beamer_address", "subscribe_url_short", "subscribe_url_long",
    "ip_signup", "ip_opt", "location", "archive_url", "long_archive_url", "resendable", "needs_block_refresh", "modules",
    "avatar_url", "thumbnail", "share_url", "list_is_active", "delivery_status", "social_card", "consents_to_one_to_one_messaging",
    "industry_stats", "timeseries", "use_archive_bar", "use_conversation", "authenticate", "auto_footer", "inline_css", "auto_tweet",
    "fb_comments", "drag_and_drop", "goal_tracking", "ecomm360", "ecommerce", "facebook_likes", "forwards", "has_welcome", "email_client",
})  # fmt: skip


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """`fields` and `exclude_fields` choose what is told. On the MCP face an answer is trimmed to what an agent reads."""
    result = call()
    reply = result if isinstance(result, Reply) else None
    body = reply.body if reply else result
    if not isinstance(body, dict) or (reply and reply.error):
        return result
    args = ctx.args.__dict__ if ctx.args else {}
    if wanted := args.get("fields"):
        body = select(body, tree(wanted))
    elif not ctx.request.method:
        body = compact(body)
    if unwanted := args.get("exclude_fields"):
        body = leave_out(body, tree(unwanted))
    if reply is None:
        return body
    reply.body = body
    return reply


def tree(paths: list[str]) -> dict[str, Any]:
    """Dotted paths as nested names; a name without names below it stands for all that is there."""
    root = dict[str, Any]()
    for path in paths:
        place = root
        parts = [part.strip() for part in path.split(".")][:20]
        for part in parts[:-1]:
            below = place.setdefault(part, {})
            if below is None:  # the whole of it is wanted already
                break
            place = below
        else:
            place[parts[-1]] = None
    return root


def select(body: Any, wanted: Mapping[str, Any]) -> Any:
    if isinstance(body, list):
        return [select(item, wanted) for item in body]
    if not isinstance(body, dict):
        return body
    return {k: v if wanted[k] is None else select(v, wanted[k]) for k, v in body.items() if k in wanted}


def leave_out(body: Any, unwanted: Mapping[str, Any]) -> Any:
    if isinstance(body, list):
        return [leave_out(item, unwanted) for item in body]
    if not isinstance(body, dict):
        return body
    return {
        k: v if k not in unwanted else leave_out(v, unwanted[k])
        for k, v in body.items()
        if k not in unwanted or unwanted[k] is not None
    }


def compact(body: Any) -> Any:
    """Without links, without what is empty, and without settings that all objects have alike. `fields` brings any of them back."""
    if isinstance(body, list):
        return [compact(item) for item in body]
    if not isinstance(body, dict):
        return body
    shown = {k: compact(v) for k, v in body.items() if k not in _NOISE}
    return {k: v for k, v in shown.items() if v not in (None, "", {})}


def done(ctx: Ctx, **what: Any) -> Any:
    """Nothing over REST, as documented; agents on the MCP face are told what was done."""
    return Reply(None, 204) if ctx.request.method else what


def _no_route(method: str, path: str) -> ApiError:
    allowed = app.router.match("", path)[2]
    return errors.not_allowed(allow=sorted(set(allowed))) if allowed else errors.not_found()


app = App(
    "mailchimp", Table, envelope=errors.envelope, invalid=errors.invalid, not_found=lambda kind, key: errors.not_found(),
    no_route=_no_route,
    malformed=lambda reason: refuse(
        400, f"We encountered an unspecified JSON parsing error. ({reason})", "JSON Parse Error"
    ),
    unauthorized=lambda: refuse(
        401, "Your API key may be invalid, or you've attempted to access the wrong datacenter.",
        headers={"WWW-Authenticate": 'Basic realm="Mailchimp API v3"'},
    ),
    too_large=lambda limit: refuse(413, f"The request body is larger than {limit} bytes."),
    around=around, unknown="ignore", arrays="comma", trailing_slash=True, prefix="/3.0",
)  # fmt: skip
