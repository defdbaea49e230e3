"""Google Sheets' answers and refusals. https://developers.google.com/workspace/sheets/api/troubleshoot-api-errors"""

import re
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


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _where(path: tuple[str | int, ...]) -> str:
    """A path as Google's JSON reader writes it: `requests[0].add_sheet.properties`."""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{_snake(part)}" if out else _snake(part)
    return out


def _told(problem: Problem) -> tuple[str, str]:
    *outer, name = problem.path
    if problem.kind == "unknown":
        place = f" at '{_where(tuple(outer))}'" if outer else ""
        return _where(tuple(outer)), f'Invalid JSON payload received. Unknown name "{name}"{place}: Cannot find field.'
    field = _where(problem.path)
    if problem.kind == "missing":
        return field, f"Missing required field: {problem.name}"
    shown = f'"{problem.value}"' if isinstance(problem.value, str) else str(problem.value)
    return field, f"Invalid value at '{field}' ({problem.message}), {shown[:200]}"


def invalid(problems: list[Problem]) -> ApiError:
    told = [_told(p) for p in problems]
    return ApiError(400, "\n".join(text for _, text in told), violations=told)


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
        raise invalid(problems) from None


def not_found(kind: str = "", key: Any = "") -> ApiError:
    """The same words for every kind of thing, as the product has it."""
    del kind, key
    return ApiError(404, "Requested entity was not found.")


def refuse(message: str, **info: Any) -> ApiError:
    """A 400 in the product's own words."""
    return ApiError(400, message, **info)


def malformed(reason: str) -> ApiError:
    return ApiError(400, f"Invalid JSON payload received. {reason[:1].upper()}{reason[1:]}")


def _unauthorized() -> ApiError:
    message = (
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication "
        "credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
    )
    return ApiError(401, message, headers={"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/"'})


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
    "google_sheets", Table, envelope=envelope, invalid=invalid, not_found=not_found, malformed=malformed, unauthorized=_unauthorized,
    no_route=lambda method, path: ApiError(404, "Not Found"),
    too_large=lambda limit: ApiError(413, f"Request payload size exceeds the limit: {limit} bytes."),
    around=around, unknown="refuse", unknown_query="ignore",
)  # fmt: skip
