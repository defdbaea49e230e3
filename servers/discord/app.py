"""Discord's answers and refusals. https://discord.com/developers/docs/reference#error-messages"""

from collections.abc import Callable
from typing import Any, get_args

from legoenv_mcp.app import ApiError, App, Ctx, Problem, Reply

from .models import Table

_CODES: dict[int, tuple[int, str]] = {
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10006: (404, "Unknown Invite"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10009: (404, "Unknown Overwrite"),
    10011: (404, "Unknown Role"),
    10013: (404, "Unknown User"),
    10014: (400, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10026: (404, "Unknown Ban"),
    10070: (404, "Unknown Guild Scheduled Event"),
    30003: (400, "Maximum number of pins reached for the channel (50)"),
    30007: (400, "Maximum number of webhooks reached (15)"),
    30010: (400, "Maximum number of reactions reached (20)"),
    40033: (400, "This message has already been crossposted."),
    50001: (403, "Missing Access"),
    50003: (403, "Cannot execute action on a DM channel"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50008: (400, "Cannot send messages in a non-text channel"),
    50013: (403, "Missing Permissions"),
    50016: (
        400,
        "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete.",
    ),
    50021: (403, "Cannot execute action on a system message"),
    50024: (400, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50028: (400, "Invalid Role"),
    50033: (400, "Invalid Recipient(s)"),
    50034: (400, "You can only bulk delete messages that are under 14 days old."),
    50055: (404, "Invalid Guild"),
    50083: (400, "Thread is archived"),
    160002: (403, "Cannot reply without permission to read message history"),
    160004: (400, "A thread has already been created for this message"),
    160005: (403, "Thread is locked"),
    160009: (403, "Cannot reference a message without permission to read message history"),
    180000: (400, "Cannot update a finished event"),
}


def err(code: int) -> ApiError:
    """A refusal by Discord's JSON error code."""
    status, message = _CODES[code]
    return ApiError(status, message, code=code)


def _absent(kind: str) -> ApiError:
    """404, also of an emoji by its id: only in reactions is an unknown one a bad request."""
    code = _KINDS.get(kind, 10003)
    return ApiError(404, _CODES[code][1], code=code)


def form(path: str, code: str, message: str) -> ApiError:
    """50035: one field of the request is wrong. `path` is dotted."""
    return _form([(tuple(path.split(".")), code, message)])


def _form(wrong: list[tuple[tuple[str | int, ...], str, str]]) -> ApiError:
    errors = dict[str, Any]()
    for path, code, message in wrong:
        place = errors
        for part in path:
            place = place.setdefault(str(part), {})
        told = place.setdefault("_errors", [])
        if not any(one["code"] == code for one in told):
            told.append({"code": code, "message": message})
    return ApiError(400, "Invalid Form Body", code=50035, errors=errors)


def envelope(error: ApiError) -> dict[str, Any]:
    if error.status >= 500:
        return {"message": "500: Internal Server Error", "code": 0}
    body: dict[str, Any] = {"message": error.message, "code": error.code or 0}
    if error.retry_after is not None:
        body |= {"retry_after": error.retry_after, "global": False}
    return {**body, "errors": error.errors} if error.errors else body


def _said(problem: Problem) -> tuple[str, str]:
    """A problem as Discord's field error: code and message."""
    context, message = problem.context or {}, problem.message
    if problem.kind in ("missing", "null") or (problem.kind == "type" and problem.value is None):
        return "BASE_TYPE_REQUIRED", "This field is required"
    if problem.kind == "length":
        if (bounds := _both_bounds(problem)) is not None:
            return "BASE_TYPE_BAD_LENGTH", f"Must be between {bounds[0]} and {bounds[1]} in length."
        if "max_length" in context:
            return "BASE_TYPE_MAX_LENGTH", f"Must be {context['max_length']} or fewer in length."
        return "BASE_TYPE_MIN_LENGTH", f"Must be {context.get('min_length', 1)} or more in length."
    if problem.kind == "range":
        if "le" in context:
            return "NUMBER_TYPE_MAX", f"int value should be less than or equal to {context['le']}."
        if "ge" in context:
            return "NUMBER_TYPE_MIN", f"int value should be greater than or equal to {context['ge']}."
        return "NUMBER_TYPE_COERCE", message
    if problem.kind == "enum":
        return (
            "BASE_TYPE_CHOICES",
            f"Value {_quoted(problem.value)} must be one of ({str(context.get('expected', '')).replace(' or ', ', ')}).",
        )
    if problem.kind == "format" and "[0-9]" in str(context.get("pattern", "")):
        return "NUMBER_TYPE_COERCE", f"Value {_quoted(problem.value)} is not snowflake."
    if problem.kind in ("type", "null"):
        kind = next((name for name in ("integer", "boolean", "string", "list", "dictionary") if name in message), "")
        if kind in ("list", "dictionary"):
            return f"{kind[:4].upper()}_TYPE_CONVERT", f"Only {kind[:4]} types may be converted to a {kind}."
        code = {"integer": "NUMBER_TYPE_COERCE", "boolean": "BOOLEAN_TYPE_CONVERT", "string": "STRING_TYPE_CONVERT"}
        if kind == "integer":
            return code[kind], f"Value {_quoted(problem.value)} is not int."
        return code.get(kind, "BASE_TYPE_INVALID"), "Could not interpret value as " + (
            kind or "the expected type"
        ) + "."
    return ("FIELD_TYPE_INVALID" if problem.kind != "unknown" else "UNKNOWN_FIELD"), message


def _both_bounds(problem: Problem) -> tuple[int, int] | None:
    """The lengths between which a parameter lies, where it has both."""
    known = app.operations[problem.tool].params.values() if problem.tool in app.operations else ()
    waiting, bounds = [p.annotation for p in known if problem.path == (p.wire,)], dict[str, int]()
    while waiting:
        one = waiting.pop()
        waiting += [*get_args(one), *getattr(one, "metadata", ())]
        bounds |= {
            name: value for name in ("min_length", "max_length") if isinstance(value := getattr(one, name, None), int)
        }
    return (bounds["min_length"], bounds["max_length"]) if len(bounds) == 2 else None


def _quoted(value: Any) -> str:
    return f'"{str(value)[:100]}"'


def _invalid(problems: list[Problem]) -> ApiError:
    return _form([(problem.path, *_said(problem)) for problem in problems])


_KINDS = {
    "Channel": 10003,
    "Guild": 10004,
    "Invite": 10006,
    "Member": 10007,
    "Message": 10008,
    "Role": 10011,
    "User": 10013,
    "Emoji": 10014,
    "Webhook": 10015,
    "Ban": 10026,
    "Event": 10070,
}

_DULL = {
    "discriminator", "colors", "region", "system_channel_flags", "max_members", "max_stage_video_channel_users", "locale",
    "max_video_channel_users", "premium_type", "nsfw_level", "mfa_level", "premium_tier", "premium_subscription_count",
    "require_colons", "available", "privacy_level", "rtc_region",
}  # fmt: skip
_ZEROS = {"flags", "public_flags", "rate_limit_per_user", "user_limit", "color"}


def lean(value: Any) -> Any:
    """An answer as an agent gets it: without what is empty, false or of no use to one."""
    if isinstance(value, list):
        return [lean(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = dict[str, Any]()
    for name, inner in value.items():
        small = lean(inner)
        if name in _DULL or small is None or small is False or small in ("", [], {}):
            continue
        if not (name in _ZEROS and small == 0):
            made[name] = small
    return made


def _limits(ctx: Ctx) -> dict[str, str]:
    """The rate limit headers of a bucket that is never used up."""
    tool = ctx.operation.tool if ctx.operation else ""
    bucket = f"{sum((i + 1) * ord(c) for i, c in enumerate(tool)):08x}"
    reset = f"{ctx.now.timestamp() + 1:.3f}"
    return {
        "X-RateLimit-Limit": "50",
        "X-RateLimit-Remaining": "49",
        "X-RateLimit-Reset": reset,
        "X-RateLimit-Reset-After": "1.000",
        "X-RateLimit-Bucket": bucket,
    }


def _around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    over_http = bool(ctx.request.method)
    try:
        result = call()
    except ApiError as error:
        if over_http:
            error.headers.update(_limits(ctx))
        raise
    if isinstance(result, Reply):
        return result
    if not over_http:
        # A page with nothing on it says so.
        return lean(result) or ({name: [] for name, value in result.items() if value == []} if result else result)
    return Reply(result, ctx.operation.status if ctx.operation else 200, _limits(ctx))


app = App(
    "discord",
    Table,
    envelope=envelope,
    invalid=_invalid,
    not_found=lambda kind, key: _absent(kind),
    no_route=lambda method, path: ApiError(404, "404: Not Found", code=0),
    malformed=lambda reason: ApiError(400, "The request body contains invalid JSON.", code=50109),
    unauthorized=lambda: ApiError(401, "401: Unauthorized", code=0),
    too_large=lambda limit: ApiError(413, "Request entity too large", code=40005),
    around=_around,
    unknown="ignore",
    prefix=("/api/v10", "/api/v9", "/api"),
)
