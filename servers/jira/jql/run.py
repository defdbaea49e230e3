"""Runs JQL: which issues a query finds, and how many."""

from dataclasses import dataclass

from legoenv_mcp.app import Ctx

from ..app import refuse
from ..models import Issue
from . import syntax
from .compile import Compiler
from .syntax import JqlError, Query

UNBOUNDED = "Unbounded JQL queries are not allowed here. Please add a search restriction to your query."


@dataclass
class Results:
    """A slice of what a query finds, of `total` in all."""

    issues: list[Issue]
    total: int
    warnings: list[str]


def parse(jql: str) -> Query:
    """A query; 400 where it cannot be read."""
    try:
        return syntax.parse(jql)
    except JqlError as error:
        raise refuse(400, str(error)) from None


def check(ctx: Ctx, jql: str) -> None:
    """Whether a query to be saved is one."""
    query = parse(jql)
    try:
        made = Compiler(ctx)
        made.condition(query)
        made.order(query)
    except JqlError as error:
        raise refuse(400, str(error)) from None


def search(
    ctx: Ctx, jql: str, limit: int, offset: int = 0, *, within: str = "", values: tuple[object, ...] = (), order: str = "",
    lenient: bool = False, bounded: bool = False,
) -> Results:  # fmt: skip
    """What a query finds. `within` is a further SQL condition of the app's own, `order` what it is ordered by unless it says."""
    query = parse(jql)
    if bounded and query.where is None:
        raise refuse(400, UNBOUNDED)
    compiler = Compiler(ctx, lenient)
    try:
        condition = compiler.condition(query)
        ordered = compiler.order(query) if query.order else order or "id DESC"
    except JqlError as error:
        raise refuse(400, str(error)) from None
    where = f"({condition})" + (f" AND ({within})" if within else "")
    bound = [*compiler.values, *values]
    total = ctx.db.query(f"SELECT count(*) AS n FROM issue WHERE {where}", bound)[0]["n"]
    ids = [
        r["id"]
        for r in ctx.db.query(
            f"SELECT id FROM issue WHERE {where} ORDER BY {ordered} LIMIT ? OFFSET ?", [*bound, limit, offset]
        )
    ]
    rows = {row.id: row for row in ctx.db.find(Issue, id__in=ids)}
    return Results([rows[id] for id in ids], total, compiler.warnings)


def condition(ctx: Ctx, query: Query) -> tuple[str, list[object]]:
    """A query as an SQL condition and its values, to be put into another one."""
    compiler = Compiler(ctx)
    try:
        return compiler.condition(query), compiler.values
    except JqlError as error:
        raise refuse(400, str(error)) from None
