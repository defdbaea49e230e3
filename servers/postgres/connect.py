"""Which database a call means, and results as tools show them."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import values
from .databases import connected as default_database
from .engine import Engine, Result
from .models import Relation


def engine(ctx: Ctx, database: Any, *, reading: bool = False) -> Engine:
    name = database if isinstance(database, str) and database else default_database(ctx)
    return Engine(ctx, name, reading=reading)


def rows_of(ctx: Ctx, database: Any, sql: str, *params: str | None) -> list[dict[str, Any]]:
    """What a query of our own answers, for the tools that look at the catalog. It sees what the open transaction sees."""
    made = engine(ctx, database, reading=True)
    made.state.state = "idle" if made.state.state == "failed" else made.state.state
    return table(made, made.run(sql, list(params))[-1])


def table(made: Engine, result: Result) -> list[dict[str, Any]]:
    names = [c.name for c in result.columns]
    kinds = [c.kind for c in result.columns]
    return [
        {n: values.as_json(k, v, made.env) for n, k, v in zip(names, kinds, row, strict=True)} for row in result.rows
    ]


__all__ = ["Relation", "default_database", "engine", "rows_of", "table"]
