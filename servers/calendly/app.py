"""Calendly's answers. https://developer.calendly.com/api-docs

Tools have the names of Calendly's own MCP server without their group (`meetings-list_events` is `list_events`): with it a third of
them is longer than what MCP clients take. Path parameters take the UUID, as over REST, or the whole URI.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from legoenv_mcp.app import ApiError, App, Ctx, Reply

from . import errors
from .models import Table

# What programs are told and agents are not.
_NOISE = frozenset({
    "avatar_url", "description_html", "meeting_notes_html", "calendar_event", "booking_method", "color", "position", "locale",
    "next_page", "previous_page", "previous_page_token", "time_notation", "resource_type", "secret", "deleted_at",
    "retry_started_at", "buffered_start_time", "buffered_end_time", "include_other", "internal_note", "is_paid",
})  # fmt: skip
_LISTED = frozenset({"custom_questions", "updated_at", "event_guests", "user_email"})
"""What lists leave to the single object's tool."""


def over_mcp(ctx: Ctx) -> bool:
    return not ctx.request.method


def plain(value: Any, listed: bool = False) -> Any:
    """An answer without nulls, empty things and what only programs use."""
    if isinstance(value, list):
        return [plain(item, listed) for item in cast(list[Any], value)]
    if not isinstance(value, Mapping):
        return value
    out = dict[str, Any]()
    for name, inner in cast(Mapping[str, Any], value).items():
        if inner is None or name in _NOISE or (listed and name in _LISTED):
            continue
        made = plain(inner, listed or name == "collection")
        if made not in ({}, []) or name in ("collection", "rules", "intervals"):
            out[name] = made
    return out


_LIMITS = {"X-RateLimit-Limit": "500", "X-RateLimit-Remaining": "499", "X-RateLimit-Reset": "60"}
"""What every answer tells of the limit per minute, which is never reached here."""


def _around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """Agents are told what people look at; programs also how many calls they have left."""
    try:
        result = call()
    except ApiError as error:
        error.headers = {**_LIMITS, **error.headers}
        raise
    if over_mcp(ctx):
        return result if isinstance(result, Reply) else plain(result)
    reply = result if isinstance(result, Reply) else Reply(result, ctx.operation.status if ctx.operation else 200)
    reply.headers = {**_LIMITS, **reply.headers}
    return reply


def gone(ctx: Ctx, uri: str) -> Any:
    """204 and nothing over REST; agents are told what was done."""
    return Reply({"deleted": uri}) if over_mcp(ctx) else Reply("", 204, media_type="text/plain")


app = App(
    "calendly", Table, envelope=errors.envelope, invalid=errors.from_problems, not_found=errors.not_found,
    no_route=lambda method, path: errors.not_found(),
    malformed=lambda reason: ApiError(400, "The request body could not be parsed."),
    unauthorized=lambda: ApiError(401, "The access token is invalid", headers={"WWW-Authenticate": "Bearer"}),
    too_large=lambda limit: ApiError(413, f"The request body is larger than {limit} bytes"),
    around=_around, unknown="ignore", trailing_slash=True,
)  # fmt: skip
