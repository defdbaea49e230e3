"""Google Sheets' answers and refusals. https://developers.google.com/workspace/sheets/api/troubleshoot-api-errors"""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from legoenv_mcp.app import ApiError, App, Ctx, Problem, Reply
from legoenv_mcp.styles import google

from .models import Table

M = TypeVar("M", bound=BaseModel)
_KINDS = {
    400: ("badRequest", "INVALID_ARGUMENT"), 401: ("authError", "UNAUTHENTICATED"), 403: ("forbidden", "PERMISSION_DENIED"),
    404: ("notFound", "NOT_FOUND"), 409: ("aborted", "ABORTED"), 413: ("uploadTooLarge", "INVALID_ARGUMENT"),
    500: ("backendError", "INTERNAL"),
}  # fmt: skip


def envelope(error: ApiError) -> dict[str, Any]:
    """Google's error object, without the legacy list of errors."""
    error.info["bare"] = True
    return google.envelope(error, _KINDS)


def read_as(model: type[M], data: Any, path: tuple[str | int, ...]) -> M:
    """A part of a body as a model; refused as the JSON reader refuses it."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems = list[Problem]()
        for found in error.errors(include_url=False):
            kind = "unknown" if found["type"] == "extra_forbidden" else "invalid"
            kind = "missing" if found["type"] == "missing" else kind
            inner = tuple(p for p in found["loc"] if isinstance(p, int) or (p[:1].islower() and "-" not in p))
            problems.append(Problem((*path, *inner), kind, found["msg"], found.get("input")))
        raise google.invalid(problems) from None


def refuse(message: str, **info: Any) -> ApiError:
    """A 400 in the product's own words."""
    return ApiError(400, message, **info)


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """What holds for every method: the common query parameters, and `fields`."""
    query = ctx.request.query
    for name in google.unknown_parameters(ctx):
        text = (
            f'Invalid JSON payload received. Unknown name "{name}": Cannot bind query parameter. '
            f"Field '{name}' could not be found in request message."
        )
        raise refuse(text, violations=[("", text)])
    if query.get("alt", "json") != "json":
        raise refuse(f"Invalid value at 'alt': only json is served, not \"{query['alt']}\"")
    result = call()
    if isinstance(result, Reply) or not query.get("fields"):
        return result
    return selected(result, query["fields"])


def selected(result: Any, fields: str) -> Any:
    try:
        return google.select(result, fields, None)
    except google.BadSelection as bad:
        text = f"Error expanding 'fields' parameter. Cannot find matching fields for path '{bad.path}'."
        raise refuse("Request contains an invalid argument.", violations=[(bad.path, text)]) from None


app = App(
    "google_sheets", Table, envelope=envelope, invalid=google.invalid, not_found=google.not_found,
    malformed=google.malformed, unauthorized=google.unauthorized,
    no_route=lambda method, path: ApiError(404, "Not Found"),
    too_large=lambda limit: ApiError(413, f"Request payload size exceeds the limit: {limit} bytes."),
    around=around, unknown="refuse", unknown_query="ignore",
)  # fmt: skip
