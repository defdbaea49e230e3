"""Salesforce's answers. https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm"""

import re
from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Problem, Reply

from . import errors
from .models import Table

VERSION = "60.0"
_VERSIONED = re.compile(r"/services/data/v([^/]+)(?:/.*)?")


def fold(value: Any) -> Any:
    """How text is compared: without case."""
    return value.casefold() if isinstance(value, str) else value


def invalid(problems: list[Problem]) -> ApiError:
    """Bad arguments. Over REST bodies are free-form, so this is mostly about missing or malformed parameters."""
    first = problems[0]
    if first.kind == "missing":
        names = [p.name for p in problems if p.kind == "missing"]
        return errors.refusal("REQUIRED_FIELD_MISSING", f"Required fields are missing: [{', '.join(names)}]", *names)
    if first.kind == "unknown":
        return errors.refusal("INVALID_FIELD", f"No such parameter '{first.name}'", first.name)
    codes = {"type": "JSON_PARSER_ERROR", "null": "JSON_PARSER_ERROR", "range": "NUMBER_OUTSIDE_VALID_RANGE"}
    code = codes.get(first.kind, "INVALID_ARGUMENT")
    return errors.refusal(code, f"{first.name}: {first.message}", first.name)


def base_path(ctx: Ctx) -> str:
    """The path of the API version that the caller uses: links in answers start with it."""
    found = _VERSIONED.fullmatch(ctx.request.path)
    return f"/services/data/v{found[1] if found else VERSION}"


def around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """Any version that Salesforce ever numbered is served, with today's behaviour."""
    found = _VERSIONED.fullmatch(ctx.request.path)
    if found and not (re.fullmatch(r"\d{2}\.0", found[1]) and 31 <= int(found[1][:2]) <= 65):
        raise errors.not_found()
    try:
        return call()
    except ApiError as error:
        if ctx.request.method:  # programs get the documented body, agents a word on what to do as well
            error.info.pop("hint", None)
        raise


def no_route(method: str, path: str) -> ApiError:
    allowed = set(app.router.match("", path)[2])
    if not allowed:
        return errors.not_found()
    return errors.method_not_allowed(method, allowed | {"HEAD"} if "GET" in allowed else allowed)


def done(ctx: Ctx, body: Any, status: int = 204) -> Any:
    """Nothing over REST, as documented for 204; agents on the MCP face are told what was done."""
    return Reply(None, status) if ctx.request.method else body


app = App(
    "salesforce",
    Table,
    envelope=errors.body,
    invalid=invalid,
    not_found=lambda kind, key: errors.not_found(),
    no_route=no_route,
    malformed=lambda reason: errors.json_error(f"Unexpected input: {reason}"),
    unauthorized=lambda: errors.refusal("INVALID_SESSION_ID", "Session expired or invalid", status=401, listed=False),
    too_large=lambda limit: errors.refusal(
        "REQUEST_TOO_LARGE", f"The request body is larger than {limit} bytes", status=413, listed=False
    ),
    around=around,
    unknown="ignore",
    trailing_slash=True,
    functions={"fold": (1, fold)},
)
