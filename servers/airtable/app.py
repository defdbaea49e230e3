"""Airtable's refusals. https://airtable.com/developers/web/api/errors"""

import json
import re
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Problem

from .models import Kept

_ID = re.compile(r"[0-9A-Za-z]{14}")
_INVALID = "Invalid request: parameter validation failed. Check your request data."
_HIDDEN = (
    "Invalid permissions, or the requested model was not found. Check that both your user and your token have the required "
    "permissions, and that the model names and/or ids are correct."
)
_BATCHES = {
    "create_records": 'You must provide an array of up to 10 record objects, each with a "fields" object for cell values.',
    "update_records": 'You must provide an array of up to 10 record objects, each with an "id" ID field and a "fields" object for '
    "cell values.",
    "replace_records": 'You must provide an array of up to 10 record objects, each with an "id" ID field and a "fields" object for '
    "cell values.",
    "delete_records": "You must provide an array of up to 10 record IDs.",
}


def is_id(prefix: str, text: str) -> bool:
    """Whether a text has the form of an id of this kind."""
    return text.startswith(prefix) and _ID.fullmatch(text, len(prefix)) is not None


def refuse(code: str, message: str = "", status: int = 422, hint: str = "") -> ApiError:
    """A refusal. Agents are given the hint besides, where the API's own message tells programs alone enough."""
    error = ApiError(status, message, code=code)
    if not hint:
        return error
    joint = " " if message.endswith(".") else ". "
    shown = {"error": {"type": code, "message": f"{message}{joint}{hint}" if message else hint}}
    return ApiError(status, message, code=code, shown=json.dumps(shown, ensure_ascii=False))


def invalid(hint: str = "") -> ApiError:
    return refuse("INVALID_REQUEST_UNKNOWN", _INVALID, hint=hint)


def hidden(hint: str = "") -> ApiError:
    """What is not there and what the token may not see are one answer."""
    return refuse("INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND", _HIDDEN, 403, hint)


def forbidden() -> ApiError:
    return refuse("INVALID_PERMISSIONS", "You are not permitted to perform this operation", 403)


def absent(kind: str) -> ApiError:
    return refuse("MODEL_ID_NOT_FOUND", f"{kind} not found", 404)


def no_such_path(hint: str = "") -> ApiError:
    """The one error that is a bare string: no such path, or an id in it that has not the form of one."""
    shown = json.dumps({"error": "NOT_FOUND", "message": hint}) if hint else None
    return ApiError(404, "NOT_FOUND", bare=True, shown=shown)


def bad_batch(tool: str) -> ApiError:
    return refuse("INVALID_RECORDS", _BATCHES[tool])


def envelope(error: ApiError) -> dict[str, Any]:
    if error.bare:
        return {"error": error.message}
    code = error.code or ("SERVER_ERROR" if error.status >= 500 else "INVALID_REQUEST_UNKNOWN")
    return {"error": {"type": code, **({"message": error.message} if error.message else {})}}


def _invalid(problems: list[Problem]) -> ApiError:
    first = problems[0]
    if first.tool in _BATCHES and first.path[0] in ("records", "recordIds"):
        return refuse("INVALID_RECORDS", _BATCHES[first.tool], hint=_told(first))
    if first.kind == "missing" and first.path == ("fields",):
        return refuse("INVALID_REQUEST_MISSING_FIELDS", 'Could not find field "fields" in the request body')
    return invalid("; ".join(map(_told, problems[:3])))


def _told(problem: Problem) -> str:
    return f"{problem.name[:100]}: {problem.message[:200]}"


def over_mcp(ctx: Ctx) -> bool:
    return not ctx.request.method


app = App(
    "airtable",
    Kept,
    envelope=envelope,
    invalid=_invalid,
    not_found=lambda kind, key: absent(kind),
    no_route=lambda method, path: no_such_path(),
    malformed=lambda reason: refuse("INVALID_REQUEST_BODY", "Could not parse request body"),
    unauthorized=lambda: refuse("AUTHENTICATION_REQUIRED", "Authentication required", 401),
    too_large=lambda limit: refuse("REQUEST_TOO_LARGE", "Request body is too large", 413),
    unknown_query="ignore",
    arrays="bracket",
    trailing_slash=True,
)
