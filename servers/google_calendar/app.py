"""Google Calendar's answers and refusals. https://developers.google.com/workspace/calendar/api/guides/errors"""

from collections.abc import Callable
from typing import Annotated, Any

from legoenv_mcp.app import ApiError, App, Ctx, Payload, Problem, Reply
from legoenv_mcp.styles import google

from .models import Table
from .schemas import RESPONSES

CalendarId = str
"""`primary`, or a calendar's address."""

Content = Annotated[bytes, Payload(mcp=False, raw=True)]

_KINDS = {
    400: ("badRequest", ""), 401: ("authError", ""), 403: ("forbidden", ""), 404: ("notFound", ""), 409: ("duplicate", ""),
    410: ("deleted", ""), 412: ("conditionNotMet", ""), 413: ("uploadTooLarge", ""), 500: ("backendError", ""),
}  # fmt: skip
_TIME = "a local time as 2026-03-03T14:00:00, an RFC 3339 time with its offset, or for whole days a day as 2026-03-03 is needed."
_HINTS = {
    "Not Found": "no calendar or event of this id that the caller may see. list_calendars has calendars' ids, list_events events'.",
    "Invalid start time.": _TIME, "Invalid end time.": _TIME, "Missing start time.": _TIME, "Missing end time.": _TIME,
    "Start and end times must either both be date or both be dateTime.": "send start and end together, both days or both times.",
    "The specified time range is empty.": "the end must be after the start; that of whole days is the day after the last.",
    "Invalid attendee email.": "guests are given by address, as name@domain.",
    "Invalid recurrence rule.": "RFC 5545 lines are needed, as RRULE:FREQ=WEEKLY;BYDAY=MO, with COUNT or UNTIL (20260401T120000Z) but not "
    "both, daily at most, and with at least one occurrence.",
    "Invalid time zone value.": "an IANA name is needed, as Europe/London.",
    "Invalid time zone definition for start time.": "an IANA name is needed, as Europe/London.",
    "Invalid time zone definition for end time.": "an IANA name is needed, as Europe/London.",
    "Invalid color id value.": "get_colors lists the palettes.",
    "Resource has been deleted": "it is gone already. update_event with the status confirmed takes a deletion back.",
    "Shared properties can only be changed by the organizer of the event.": "a guest may answer (respond_to_event), add guests "
    "where that is allowed, or change what is the guest's own: reminders, colorId, transparency, visibility.",
    "The requested ordering is not available for the particular query.": "startTime needs singleEvents.",
}  # fmt: skip
"""What agents are told beside the product's own words."""

_ABSENT = {
    "setting": "list_settings has the names of settings.",
    "acl_rule": "no such calendar or rule. list_calendars has calendars' ids, list_acl_rules rules'.",
    "calendar": "no calendar of this id that the caller may see, or not on the caller's list. list_calendars has the ids.",
}
"""What agents are told of things that are not there, by a word of the tool's name."""

_PAYLOAD = "resource"
"""The parameter that is a method's whole body; callers do not see it in places."""


def envelope(error: ApiError) -> dict[str, Any]:
    """Google's error object, in the form of the older APIs: a reason, no canonical code."""
    return google.envelope(error, _KINDS, canonical=False)


def _told(problem: Problem) -> tuple[str, str, str]:
    """Reason, message and place of a bad argument."""
    path = [str(p) for p in problem.path if p != _PAYLOAD]
    name, value = ".".join(path), problem.value
    context = problem.context or {}
    if problem.kind == "missing":
        return "required", f"Required parameter: {name}", name
    if problem.kind == "enum":
        allowed = str(context.get("expected", "")).replace(" or ", ", ").replace("'", "")
        return "invalidParameter", f"Invalid string value: '{value}'. Allowed values: [{allowed}]", name
    if problem.kind == "range":
        low, high = context.get("ge", context.get("gt", -(2**31))), context.get("le", context.get("lt", 2**31 - 1))
        return "invalidParameter", f"Invalid value '{value}'. Values must be within the range: [{low}, {high}]", name
    if problem.kind == "unknown":
        return "invalidParameter", f'Unknown name "{name}": Cannot find field.', name
    return "invalid", f"Invalid value for: {name}: {problem.message}", name


def invalid(problems: list[Problem]) -> ApiError:
    reason, message, name = _told(problems[0])
    return ApiError(400, message, reason=reason, location=name)


def not_found(kind: str = "", key: Any = "") -> ApiError:
    """The same words for every kind of thing, as the product has it."""
    del kind, key
    return ApiError(404, "Not Found")


def hinted(ctx: Ctx, error: ApiError) -> ApiError:
    """A refusal in the product's words and, for agents, what to do about it."""
    tool = ctx.operation.tool if ctx.operation else ""
    hint = next((text for word, text in _ABSENT.items() if word in tool), "") if error.status == 404 else ""
    if not ctx.request.method and (hint := error.hint or hint or _HINTS.get(error.message)):
        error.message = f"{error.message.rstrip('.')}: {hint}"
    return error


def refuse(message: str, reason: str = "invalid", status: int = 400, **info: Any) -> ApiError:
    """A refusal in Calendar's own words. `domain` is "calendar" for what only this product knows."""
    return ApiError(status, message, reason=reason, **info)


def forbidden(message: str, reason: str) -> ApiError:
    return ApiError(403, message, reason=reason, domain="calendar")


def bad_parameter(name: str, message: str = "Bad Request", reason: str = "badRequest", hint: str = "") -> ApiError:
    return ApiError(400, message, reason=reason, location=name, hint=hint)


def _unauthorized() -> ApiError:
    return ApiError(
        401, "Invalid Credentials", location="Authorization", location_type="header",
        headers={"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"'},
    )  # fmt: skip


def check_match(ctx: Ctx, etag: str) -> None:
    """A change of what the caller has not seen the last of is refused, if the caller asks for that."""
    wanted = ctx.request.headers.get("if-match", "")
    if wanted and wanted != "*" and etag not in [tag.strip().removeprefix("W/") for tag in wanted.split(",")]:
        raise ApiError(412, "Precondition Failed", location="If-Match", location_type="header")


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """What holds for every method: the form of answers, `fields`, and conditional reads."""
    query = ctx.request.query
    if query.get("alt", "json") != "json":
        raise bad_parameter("alt", f"Invalid value '{query['alt']}'. Only json is served.", "invalidParameter")
    try:
        result = call()
    except ApiError as error:
        raise hinted(ctx, error) from None
    tag = result.get("etag") if isinstance(result, dict) and ctx.operation is not None and ctx.operation.reads else None
    if tag and ctx.request.headers.get("if-none-match") == tag:
        return Reply(None, 304, {"ETag": tag})
    if isinstance(result, Reply) or not query.get("fields"):
        return result
    try:
        return google.select(result, query["fields"], RESPONSES.get(ctx.operation.tool if ctx.operation else ""))
    except google.BadSelection as bad:
        raise bad_parameter("fields", f"Invalid field selection {bad.path}", "invalidParameter") from None


app = App(
    "google_calendar", Table, envelope=envelope, invalid=invalid, not_found=not_found, unauthorized=_unauthorized,
    malformed=lambda reason: ApiError(400, "Parse Error", reason="parseError"),
    no_route=lambda method, path: ApiError(404, "Not Found"),
    too_large=lambda limit: ApiError(413, f"Request payload size exceeds the limit: {limit} bytes."),
    around=around, unknown="ignore",
)  # fmt: skip
