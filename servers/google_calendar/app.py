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


def refuse(message: str, reason: str = "invalid", status: int = 400, **info: Any) -> ApiError:
    """A refusal in Calendar's own words. `domain` is "calendar" for what only this product knows."""
    return ApiError(status, message, reason=reason, **info)


def forbidden(message: str, reason: str) -> ApiError:
    return ApiError(403, message, reason=reason, domain="calendar")


def bad_parameter(name: str, message: str = "Bad Request", reason: str = "badRequest") -> ApiError:
    return ApiError(400, message, reason=reason, location=name)


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
    result = call()
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
