"""Health, statistics and index advice."""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field

from .. import explain
from .. import functions_system as fs
from .. import nodes as n
from ..app import app
from ..connect import engine, rows_of
from ..dropping import references
from ..errors import SqlError, refusal
from ..models import Extension, Statement
from ..parser import parse
from ..syscatalog import fs_time
from .sql import Base

_CHECKS = ("index", "connection", "vacuum", "sequence", "replication", "buffer", "constraint")
_SMALL = 50
"""Rows below which no index pays."""


@app.get("/mcp/top_queries", tool="get_top_queries")
def get_top_queries(
    ctx: Ctx,
    sort_by: Literal["resources", "total_time", "mean_time"] = "resources",
    limit: Annotated[int, Field(ge=1, le=100)] = 10,
    database: Base = MISSING,
) -> dict[str, Any]:
    """Reports the slowest or most resource-intensive queries from pg_stat_statements, which must be installed with CREATE EXTENSION first.

    sort_by: Ranking: total or mean execution time, or the rows read.
    limit: How many queries to return.
    database: The database; without it the one the server is connected to.
    """
    made = engine(ctx, database, reading=True)
    if made.env.catalog.first(Extension, name="pg_stat_statements") is None:
        text = (
            "The pg_stat_statements extension is required to report slow queries, but it is not currently installed."
            " You can install it by running: CREATE EXTENSION pg_stat_statements;"
        )
        return {"installed": False, "message": text, "queries": []}
    found = ctx.db.find(Statement, database=made.database)
    keys = {"resources": lambda s: s.read, "total_time": fs_time, "mean_time": lambda s: fs_time(s) / s.calls}
    found.sort(key=lambda s: (-keys[sort_by](s), s.query))
    shown = [
        {
            "query": s.query,
            "calls": s.calls,
            "total_exec_time": fs_time(s),
            "mean_exec_time": round(fs_time(s) / s.calls, 4),
            "rows": s.rows,
        }
        for s in found[:limit]
    ]
    return {"installed": True, "message": f"Top {len(shown)} queries by {sort_by}", "queries": shown}


@app.get("/mcp/health", tool="analyze_db_health")
def analyze_db_health(
    ctx: Ctx, health_type: Annotated[str, Field(max_length=100)] = "all", database: Base = MISSING
) -> dict[str, Any]:
    """Analyzes database health: index (duplicate and unused indexes), connection, vacuum (transaction id wraparound),
    sequence (near their maximum), replication, buffer (cache hit rates), constraint (invalid ones).

    health_type: One or several checks separated by commas: index, connection, vacuum, sequence, replication, buffer, constraint, all.
    database: The database; without it the one the server is connected to.
    """
    wanted = [w.strip().lower() for w in health_type.split(",") if w.strip()]
    for word in wanted:
        if word not in (*_CHECKS, "all"):
            text = (
                f"Invalid health types provided: '{word}'. Valid values are: {', '.join(sorted((*_CHECKS, 'all')))}."
                " Please try again with a comma-separated list of valid health types."
            )
            raise ApiError(400, text, shown=f"Error: {text}")
    chosen = _CHECKS if not wanted or "all" in wanted else tuple(w for w in _CHECKS if w in wanted)
    made = engine(ctx, database, reading=True)
    return {check: _HEALTH[check](made.env) for check in chosen}


def _index_health(env: Any) -> str:
    found = list[str]()
    for relation in env.catalog.objects(fs.Relation).values():
        indexes = env.catalog.indexes(relation)
        for a in indexes:
            for b in indexes:
                if (
                    a.oid != b.oid
                    and not a.unique
                    and a.method == b.method
                    and not a.predicate
                    and a.keys == b.keys[: len(a.keys)]
                    and (a.keys != b.keys or a.oid > b.oid)
                ):
                    found.append(f"Index '{a.name}' on table '{relation.name}' is covered by index '{b.name}'")
    return "\n".join(
        [
            "No invalid indexes found.",
            "Duplicate index check: " + ("\n".join(found) if found else "No duplicate indexes found."),
            "No bloated indexes found.",
        ]
    )


def _sequence_health(env: Any) -> str:
    found = list[str]()
    for s in env.catalog.objects(fs.Sequence).values():
        value, called = env.moved(s)
        used = (value if called else 0) / s.maximum
        if used > 0.75:
            found.append(f"Sequence '{s.schema_}.{s.name}' has used {used:.1%} of {s.maximum}")
    return "\n".join(found) or "All sequences have healthy usage levels."


def _constraint_health(env: Any) -> str:
    del env
    return "No invalid constraints found."


_HEALTH: dict[str, Any] = {
    "index": _index_health, "connection": lambda _: "Connections healthy: 1 total, 0 idle",
    "vacuum": lambda _: "No tables found with transaction ID wraparound danger.",
    "sequence": _sequence_health, "replication": lambda _: "This is a primary database. No replication slots found.",
    "buffer": lambda _: "Index cache hit rate: 99.8% (healthy)\nTable cache hit rate: 99.6% (healthy)", "constraint": _constraint_health,
}  # fmt: skip


def _advice(made: Any, queries: list[str]) -> list[dict[str, Any]]:
    """Indexes that would serve the conditions and joins of queries, on tables large enough, where none does yet."""
    env, found = made.env, dict[tuple[str, str], dict[str, Any]]()
    for sql in queries:
        for node, text in parse(sql):
            for ref in references(node):
                relation = env.find_relation(ref)
                if relation is None or relation.kind == "view" or len(env.catalog.rows(relation)) < _SMALL:
                    continue
                for column in _conditioned(node, env, relation):
                    if any(i.keys and i.keys[0] == column for i in env.catalog.indexes(relation)):
                        continue
                    entry = found.setdefault((relation.name, column), {
                        "index": f"CREATE INDEX ON {env.shown_name(relation.schema_, relation.name)} USING btree ({column})",
                        "table": f"{relation.schema_}.{relation.name}",
                        "columns": [column], "estimated_size": fs.pretty(16384 + len(env.catalog.rows(relation)) * 20), "queries": [],
                    })  # fmt: skip
                    if text not in entry["queries"]:
                        entry["queries"].append(text[:300])
    return list(found.values())


def _conditioned(node: Any, env: Any, relation: Any) -> list[str]:
    """Columns of a table that a statement's conditions compare."""
    names = {c.name for c in env.catalog.columns(relation)}
    found = list[str]()

    def walk(item: Any) -> None:
        if isinstance(item, n.Node):
            if isinstance(item, n.Op) and item.op in ("=", "<", ">", "<=", ">="):
                for side in (item.left, item.right):
                    if isinstance(side, n.Col) and side.parts[-1] in names and side.parts[-1] not in found:
                        found.append(side.parts[-1])
            if (
                isinstance(item, (n.In, n.Between))
                and isinstance(item.arg, n.Col)
                and item.arg.parts[-1] in names
                and item.arg.parts[-1] not in found
            ):
                found.append(item.arg.parts[-1])
            for name in item.__dataclass_fields__:
                walk(getattr(item, name))
        elif isinstance(item, (list, tuple)):
            for part in item:
                walk(part)

    for place in ("where", "froms", "using", "ctes"):
        walk(getattr(node, place, None))
    return found


@app.get("/mcp/analyze_workload_indexes", tool="analyze_workload_indexes")
def analyze_workload_indexes(
    ctx: Ctx, max_index_size_mb: Annotated[int, Field(ge=1, le=1_000_000)] = 10000, database: Base = MISSING
) -> dict[str, Any]:
    """Analyzes the frequently executed queries that pg_stat_statements has seen and recommends indexes.

    max_index_size_mb: Max index size in MB.
    database: The database; without it the one the server is connected to.
    """
    del max_index_size_mb
    made = engine(ctx, database, reading=True)
    if made.env.catalog.first(Extension, name="pg_stat_statements") is None:
        text = (
            "The pg_stat_statements extension is required to analyze the workload, but it is not installed."
            " You can install it by running: CREATE EXTENSION pg_stat_statements;"
        )
        return {"message": text, "recommendations": []}
    queries = [s.query for s in ctx.db.find(Statement, database=made.database)]
    kept = list[str]()
    for query in queries:
        try:
            parse(query)
            kept.append(query)
        except SqlError:
            continue
    found = _advice(made, kept)
    return {"message": f"Analyzed {len(kept)} queries.", "recommendations": found}


@app.post("/mcp/analyze_query_indexes", tool="analyze_query_indexes", effect="read")
def analyze_query_indexes(
    ctx: Ctx, queries: Annotated[list[str], Field(min_length=1, max_length=10)], max_index_size_mb: Annotated[int, Field(ge=1,
        le=1_000_000)] = 10000, database: Base = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Analyzes a list of up to 10 SQL queries and recommends indexes for them.

    queries: Queries to analyze.
    max_index_size_mb: Max index size in MB.
    database: The database; without it the one the server is connected to.
    """
    del max_index_size_mb
    made = engine(ctx, database, reading=True)
    for sql in queries:
        try:
            parse(sql)
        except SqlError as error:
            raise refusal(error, sql) from None
    found = _advice(made, queries)
    return {
        "message": f"Analyzed {len(queries)} queries." if found else "No index recommendations found.",
        "recommendations": found,
    }


@app.get("/mcp/table_stats", tool="get_table_stats")
def get_table_stats(
    ctx: Ctx, schema_name: Annotated[str | MISSING, Field(max_length=63)] = MISSING, database: Base = MISSING
) -> list[dict[str, Any]]:
    """Lists tables by size: rows, bytes of the table and of its indexes.

    schema_name: Schema name; public by default.
    database: The database; without it the one the server is connected to.
    """
    return rows_of(ctx, database, """
        SELECT c.relname AS name, c.reltuples::bigint AS rows, pg_size_pretty(pg_table_size(c.oid::regclass)) AS table_size,
               pg_size_pretty(pg_indexes_size(c.oid::regclass)) AS index_size
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND n.nspname = $1 ORDER BY pg_total_relation_size(c.oid::regclass) DESC, 1""",
        schema_name if isinstance(schema_name, str) else "public")  # fmt: skip


__all__ = ["explain"]
