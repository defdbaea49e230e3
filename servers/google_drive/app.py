"""Drive's answers and refusals. https://developers.google.com/workspace/drive/api/guides/handle-errors"""

from collections.abc import Callable
from typing import Annotated, Any

from legoenv_mcp.app import ApiError, App, Ctx, Payload, Problem, Query, Reply
from legoenv_mcp.styles import google

from .fields import DEFAULTS, RESPONSES, SHOWN
from .models import Table

Content = Annotated[bytes, Payload(mcp=False, raw=True)]
Flag = Annotated[bool | None, Query(mcp=False)]
Text = Annotated[str | None, Query(mcp=False)]

_KINDS = {
    400: ("badRequest", ""), 401: ("authError", ""), 403: ("forbidden", ""), 404: ("notFound", ""), 409: ("conflict", ""),
    412: ("conditionNotMet", ""), 413: ("uploadTooLarge", ""), 416: ("requestedRangeNotSatisfiable", ""), 500: ("internalError", ""),
}  # fmt: skip
_PAYLOAD = "resource"
_NEEDS_FIELDS = frozenset({
    "get_about", "create_comment", "get_comment", "list_comments", "update_comment", "create_reply", "get_reply", "list_replies",
    "update_reply",
})  # fmt: skip
_HINTS = {
    "fileNotDownloadable": "export_file has these, and read_file_content their text.",
    "fileNotExportable": "download_file has the content of other files.",
    "cannotAddParent": "a file has one parent: send removeParents with addParents, or use move_file.",
    "fieldNotWritable": "move_file changes the parent; what is read only cannot be set.",
    "insufficientFilePermissions": "get_file tells in `capabilities` (by its fields) what may be done, list_permissions who may.",
}
"""What agents are told beside the product's own words, by reason."""


def envelope(error: ApiError) -> dict[str, Any]:
    """Google's error object, in the form of the older APIs: a reason, no canonical code."""
    return google.envelope(error, _KINDS, canonical=False)


def _told(problem: Problem) -> tuple[str, str, str]:
    """Reason, message and place of a bad argument."""
    name = ".".join(str(p) for p in problem.path if p != _PAYLOAD) or "body"
    value, context = problem.value, problem.context or {}
    if problem.kind == "missing":
        return "required", f"Required parameter: {name}", name
    if problem.kind == "enum":
        allowed = str(context.get("expected", "")).replace(" or ", ", ").replace("'", "")
        return "invalidParameter", f"Invalid string value: '{value}'. Allowed values: [{allowed}]", name
    if problem.kind == "range":
        low, high = context.get("ge", -(2**31)), context.get("le", 2**31 - 1)
        return "invalidParameter", f"Invalid value '{value}'. Values must be within the range: [{low}, {high}]", name
    if problem.kind == "unknown":
        return "invalidParameter", f'Unknown name "{name}": Cannot find field.', name
    return "invalid", f"Invalid value for: {name}: {problem.message}", name


def invalid(problems: list[Problem]) -> ApiError:
    if any(p.path[:1] in (("pageToken",), ("startPageToken",)) for p in problems):
        return invalid_value("pageToken")
    reason, message, name = _told(problems[0])
    return ApiError(400, message, reason=reason, location=name)


def not_found(kind: str = "File", key: Any = "") -> ApiError:
    """Whatever is not there, or not for the caller's eyes."""
    place = {
        "Permission": "permissionId",
        "Comment": "commentId",
        "Reply": "replyId",
        "Revision": "revisionId",
        "Drive": "driveId",
    }
    word = {"Drive": "Shared drive"}.get(kind, kind)
    return ApiError(404, f"{word} not found: {key}", location=place.get(kind, "fileId")) if kind != "File" else ApiError(
        404, f"File not found: {key}.", location="fileId"
    )  # fmt: skip


def invalid_value(name: str, hint: str = "") -> ApiError:
    """The product's words for a parameter that it cannot read."""
    return ApiError(400, "Invalid Value", reason="invalid", location=name, hint=hint)


def refuse(message: str, reason: str = "badRequest", status: int = 400, **info: Any) -> ApiError:
    return ApiError(status, message, reason=reason, **info)


def forbidden(message: str, reason: str = "forbidden", **info: Any) -> ApiError:
    return ApiError(403, message, reason=reason, **info)


def insufficient(file_id: str) -> ApiError:
    """The caller may see the file, but not do this to it."""
    return forbidden(
        f"The user does not have sufficient permissions for file {file_id}.", "insufficientFilePermissions"
    )


def _unauthorized() -> ApiError:
    return ApiError(
        401, "Invalid Credentials", location="Authorization", location_type="header",
        headers={"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"'},
    )  # fmt: skip


def over_rest(ctx: Ctx) -> bool:
    """Whether the call came over HTTP and not from an agent's tool."""
    return bool(ctx.request.method)


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """What holds for every method: the form of answers, and which fields they have."""
    query, tool = ctx.request.query, ctx.operation.tool if ctx.operation else ""
    if query.get("alt", "json") not in ("json", "media"):
        raise ApiError(
            400, f"Invalid value '{query['alt']}'. Only json and media are served.", reason="invalidParameter", location="alt"
        )  # fmt: skip
    wanted = getattr(ctx.args, "fields", None) or query.get("fields") or ""
    if over_rest(ctx) and tool in _NEEDS_FIELDS and not wanted:
        raise refuse("The 'fields' parameter is required for this method.", "required", location="fields")
    try:
        result = call()
    except ApiError as error:
        hint = "" if over_rest(ctx) else error.hint or _HINTS.get(error.reason or "", "")
        if hint:
            error.message = f"{error.message.rstrip('.')}: {hint}"
        raise
    if isinstance(result, Reply) or tool not in RESPONSES:
        return result
    default = DEFAULTS.get(tool, "*") if over_rest(ctx) else SHOWN.get(tool, "*")
    try:
        return google.select(result, wanted or default, RESPONSES[tool])
    except google.BadSelection as bad:
        path = bad.path if bad.unread else bad.path.rpartition("/")[2]
        raise refuse(f"Invalid field selection {path}", "invalidParameter", location="fields") from None


app = App(
    "google_drive", Table, envelope=envelope, invalid=invalid, not_found=not_found, unauthorized=_unauthorized,
    malformed=lambda reason: ApiError(400, "Parse Error", reason="parseError"),
    no_route=lambda method, path: ApiError(404, "Not Found"),
    too_large=lambda limit: ApiError(413, f"Request payload size exceeds the limit: {limit} bytes."),
    around=around, unknown="ignore", prefix="/download",
)  # fmt: skip
