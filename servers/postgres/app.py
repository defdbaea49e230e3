"""How the server answers: errors as psycopg prints them over MCP, as Neon's SQL endpoint words them over HTTP."""

from collections.abc import Callable, Mapping
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Problem, Reply

from .engine import Refused
from .errors import SqlError, refusal
from .models import Table

_FIELDS = (
    "severity",
    "code",
    "detail",
    "hint",
    "position",
    "internalPosition",
    "internalQuery",
    "where",
    "schema",
    "table",
    "column",
    "dataType",
    "constraint",
    "file",
    "line",
    "routine",
)


def _envelope(error: ApiError) -> dict[str, Any]:
    """Every field of the protocol's error message, null where there is none."""
    given: Mapping[str, Any] = error.fields or {}
    return {"message": error.message, **{name: given.get(name) or None for name in _FIELDS}}


def _invalid(problems: list[Problem]) -> ApiError:
    text = "; ".join(f"{p.name}: {p.message}" for p in problems)
    return ApiError(
        400,
        text,
        shown=f"Error: {len(problems)} validation error{'s' * (len(problems) > 1)} for {problems[0].tool}Arguments: {text}",
    )


def _around(ctx: Ctx, call: Callable[[], Any]) -> Any:
    """A call that failed but left something behind (an aborted transaction, a sequence that moved) answers what it says."""
    del ctx
    try:
        return call()
    except Refused as refused:
        return refused.reply


def _plain(status: int, text: str) -> ApiError:
    return ApiError(status, text, shown=f"Error: {text}")


app = App(
    "postgres", Table, envelope=_envelope, invalid=_invalid, around=_around, unknown="ignore",
    not_found=lambda kind, key: _plain(404, f'{kind.lower()} "{key}" does not exist'),
    no_route=lambda method, path: _plain(404, f"no such endpoint: {method} {path}"),
    malformed=lambda reason: _plain(400, f"could not parse the HTTP request body: {reason}"),
    unauthorized=lambda: _plain(401, "authentication required"),
    too_slow=lambda: refusal(SqlError("57014", "canceling statement due to statement timeout"), ""),
    too_large=lambda limit: _plain(413, f"request is too large (max is {limit} bytes)"),
)  # fmt: skip

__all__ = ["Reply", "app"]
