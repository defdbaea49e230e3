"""Notion's answers and refusals. https://developers.notion.com/reference/status-codes"""

import re
from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Problem

from .blocktypes import updatable
from .check import shown, uuid_of, validation
from .models import Table, User

VERSIONS = ("2021-05-11", "2021-05-13", "2021-08-16", "2022-02-22", "2022-06-28", "2025-09-03", "2026-03-11")
DEFAULT_VERSION = "2025-09-03"
"""What callers get who name no version: the MCP face, and REST calls without the header."""

_CODES = {
    401: "unauthorized",
    403: "restricted_resource",
    404: "object_not_found",
    409: "conflict_error",
    413: "validation_error",
    429: "rate_limited",
}
_KINDS = {
    "string": "a string",
    "dictionary": "an object",
    "list": "an array",
    "integer": "a number",
    "number": "a number",
    "boolean": "a boolean",
}


def version(ctx: Ctx) -> str:
    return ctx.request.headers.get("notion-version") or DEFAULT_VERSION


def classic(ctx: Ctx) -> bool:
    """Whether the caller knows databases as they were before they held data sources."""
    return version(ctx) < "2025-09-03"


def envelope(error: ApiError) -> dict[str, Any]:
    code = error.code or ("internal_server_error" if error.status >= 500 else _CODES.get(error.status))
    return {
        "object": "error",
        "status": error.status,
        "code": code or "validation_error",
        "message": error.message,
        **({"additional_data": error.additional_data} if error.additional_data else {}),
        "request_id": uuid_of("request", code, error.message),
    }


def _expected(problem: Problem) -> str:
    context = problem.context or {}
    match problem.kind:
        case "missing":
            return "defined"
        case "unknown":
            return "not present"
        case "enum":
            names = re.findall(r"'([^']*)'", str(context.get("expected", "")))
            quoted = [f'`"{name}"`' for name in names]
            return " or ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else "".join(quoted)
        case "range" if "le" in context or "ge" in context:
            return f"≤ `{context['le']}`" if "le" in context else f"≥ `{context['ge']}`"
        case "length":
            most = context.get("max_length")
            return f"≤ `{most}`" if most is not None else f"≥ `{context.get('min_length', 1)}`"
        case _:
            found = re.search(r"valid (\w+)", problem.message)
            return _KINDS.get(found[1], f"a valid {found[1]}") if found else "valid"


def _place(problem: Problem) -> str:
    """Where the parameter travels: `path`, `query` or `body`."""
    operation = app.operations.get(problem.tool)
    if operation is None:
        return "body"
    found = next((p for p in operation.params.values() if problem.path[0] in (p.wire, p.tool_name)), None)
    if found is not None:
        return found.where if found.where in ("path", "query") else "body"
    return "query" if operation.method in ("GET", "DELETE") else "body"


def _told(problem: Problem) -> str:
    place = _place(problem) + "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in problem.path)
    if problem.kind == "missing":
        return f"{place} should be defined, instead was `undefined`."
    value: Any = problem.value
    if problem.kind == "length" and isinstance(value, (str, list)):
        return f"{place}.length should be {_expected(problem)}, instead was `{len(value)}`."
    told = f"{place} should be {_expected(problem)}, instead was `{shown(value)}`."
    if problem.tool == "API-update-a-block" and problem.kind == "unknown" and problem.path[0] in updatable():
        return f'{told} Here it stands under `type`: {{"type": {{"{problem.path[0]}": ...}}}}.'
    return told


def _invalid(problems: list[Problem]) -> ApiError:
    messages = list(dict.fromkeys(map(_told, problems)))
    place = _place(problems[0])
    if len(messages) == 1:
        return validation(f"{place} failed validation: {messages[0]}")
    return validation(f"{place} failed validation. Fix one:\n" + "\n".join(messages))


def _around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    named = ctx.request.headers.get("notion-version")
    if named is not None and named not in VERSIONS:
        known = ", ".join(f'`"{one}"`' for one in VERSIONS[:-1]) + f', or `"{VERSIONS[-1]}"`'
        raise validation(
            f"Notion-Version header failed validation: Notion-Version header should be {known}, instead was `{shown(named)}`."
        )
    if classic(ctx) and ctx.request.path.startswith("/v1/data_sources"):
        raise ApiError(400, "Invalid request URL.", code="invalid_request_url")
    try:
        return call()
    except ApiError as error:
        raise _signed(ctx, error) from error


def _signed(ctx: Ctx, error: ApiError) -> ApiError:
    """The refusal of what is not there, with the name of the integration that it would have to be shared with."""
    me = ctx.db.first(User, type="bot")
    if me is None or not error.message.endswith(_HINT):
        return error
    message = f'{error.message.removesuffix(".")} "{me.name}".'
    return ApiError(error.status, message, code=error.code, additional_data={"integration_id": me.id})


app = App(
    "notion",
    Table,
    envelope=envelope,
    invalid=_invalid,
    not_found=lambda kind, key: missing(kind.lower(), key),
    no_route=lambda method, path: ApiError(400, "Invalid request URL.", code="invalid_request_url"),
    malformed=lambda reason: ApiError(400, "Error parsing JSON body.", code="invalid_json"),
    unauthorized=lambda: ApiError(401, "API token is invalid.", code="unauthorized"),
    too_large=lambda limit: ApiError(413, "Request body too large.", code="validation_error"),
    around=_around,
    unknown_query="refuse",
)

_NAMES = {"datasource": "data_source", "fileupload": "file upload"}
_HINT = " Make sure the relevant pages and databases are shared with your integration."


def missing(kind: str, key: Any) -> ApiError:
    """The refusal of an object that is not there, or that is not shared with the integration."""
    name = _NAMES.get(kind, kind)
    hint = "" if name in ("user", "file upload") else _HINT
    return ApiError(404, f"Could not find {name} with ID: {key}.{hint}", code="object_not_found")
