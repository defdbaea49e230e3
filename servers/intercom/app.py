"""Intercom's answers. https://developers.intercom.com/docs/build-an-integration/learn-more/rest-apis"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from legoenv_mcp.app import ApiError, App, Ctx, Reply

from . import errors
from .models import Table

VERSION = "2.14"
VERSIONS = frozenset({*(f"2.{minor}" for minor in range(17)), "Unstable", "Preview"})


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """Every answer tells its request's id and version. On the MCP face it is trimmed to what an agent reads."""
    tool = ctx.operation.tool if ctx.operation else ""
    wanted = ctx.request.headers.get("intercom-version", VERSION)
    shown = errors.request_id(tool, ctx.request.url, ctx.timestamp())
    headers = {
        "Intercom-Version": wanted, "X-Request-Id": shown, "X-RateLimit-Limit": "10000", "X-RateLimit-Remaining": "9999",
        "X-RateLimit-Reset": str(ctx.epoch() // 10 * 10 + 10),
    }  # fmt: skip
    try:
        if wanted not in VERSIONS:
            headers["Intercom-Version"] = VERSION
            raise errors.refuse(400, "intercom_version_invalid", "The requested version could not be found")
        result = call()
    except ApiError as error:
        error.headers = {**headers, **error.headers}
        error.info.setdefault("request_id", shown)
        raise
    reply = result if isinstance(result, Reply) else Reply(result, ctx.operation.status if ctx.operation else 200)
    reply.headers = {**headers, **reply.headers}
    if not ctx.request.method and not reply.error and isinstance(reply.body, dict):
        reply.body = compact(cast(Any, reply.body), listed=tool.startswith(("search_", "list_")))
    return reply


# Settings that every object has alike, and what repeats others. REST has them all.
_NOISE = frozenset({
    "workspace_id", "app_id", "avatar", "social_profiles", "location", "notified_at", "has_hard_bounced", "marked_email_as_spam",
    "session_count", "topics", "sla_applied", "ai_agent_participated", "redacted", "icon", "email_domain", "has_more",
    "translations", "ticket_type_id", "admin_priority_level", "messenger_writable", "ui_writable", "full_name",
    "email_message_metadata", "unsubscribed_from_emails", "team_priority_level", "from_ai_agent", "is_ai_answer",
})  # fmt: skip
_LISTED = frozenset({"ticket_parts", "statistics", "teammates", "attachments"})
_KEPT = frozenset(
    {"data", "articles", "highlights", "tickets", "conversations", "contacts", "events", "admins", "teams", "segments"}
)


def compact(body: Any, *, listed: bool = False, top: bool = True) -> Any:
    """Without what is null or empty, and without noise; a ticket's type by name, its fields being its type's to tell."""
    if isinstance(body, list):
        return [compact(value, listed=listed, top=False) for value in cast(list[Any], body)]
    if not isinstance(body, Mapping):
        return body
    shown = dict(cast(Mapping[str, Any], body))
    out = dict[str, Any]()
    for name, value in shown.items():
        if isinstance(value, dict) and cast(dict[str, Any], value).get("total_count") == 0:
            continue
        if name == "url" and str(value).startswith("/"):  # where more of the same is, which other tools list
            continue
        if value is None or (name in _NOISE and value is not True) or (listed and not top and name in _LISTED):
            continue
        if name == "ticket_type" and isinstance(value, dict):
            kind = cast(dict[str, Any], value)
            value = {n: kind[n] for n in ("id", "name", "category") if n in kind}
        made = compact(value, listed=listed, top=False)
        if (made in ({}, []) or (isinstance(made, dict) and made.keys() == {"type"})) and not (top and name in _KEPT):
            continue
        out[name] = made
    return out


def done(ctx: Ctx, body: Mapping[str, Any], status: int) -> Any:
    """Nothing over REST, as documented; agents on the MCP face are told what was done."""
    return Reply("", status, media_type="text/plain") if ctx.request.method else Reply(dict(body), status)


app = App(
    "intercom", Table, envelope=errors.envelope, invalid=errors.invalid, not_found=errors.not_found,
    no_route=lambda method, path: errors.refuse(404, "not_found", "Resource Not Found"),
    malformed=lambda reason: errors.refuse(400, "bad_request", f"The request body could not be read: {reason}"),
    unauthorized=errors.unauthorized,
    too_large=lambda limit: errors.refuse(413, "client_error", f"The request body is larger than {limit} bytes"),
    around=around, unknown="refuse", unknown_query="ignore",
)  # fmt: skip
