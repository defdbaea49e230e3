"""Running SQL, transactions, plans."""

from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field

from .. import nodes as n
from ..app import app
from ..connect import engine, table
from ..engine import Result
from ..errors import SqlError, refusal
from ..models import Index

Base = Annotated[str | MISSING, Field(max_length=63)]


def _shown(made: Any, result: Result, most: int) -> dict[str, Any]:
    found: dict[str, Any] = {"command": result.tag}
    if result.returns:
        kept, result.rows = len(result.rows), result.rows[:most]
        found |= {"row_count": kept, "rows": table(made, result)}
        if kept > most:
            found["truncated"] = True
    if result.notices:
        found["notices"] = result.notices
    return found


@app.post("/mcp/execute_sql", tool="execute_sql", effect="update", destructive=True)
def execute_sql(
    ctx: Ctx, sql: Annotated[str, Field(min_length=1, max_length=200_000)], database: Base = MISSING, max_rows: Annotated[int, Field(ge=1,
        le=2000)] = 100,
) -> dict[str, Any]:  # fmt: skip
    """Executes any SQL: queries, INSERT, UPDATE, DELETE, DDL, BEGIN, COMMIT, ROLLBACK.

    Several statements separated by semicolons run as one transaction unless they begin one themselves; the answer is that of the last,
    with the tags of all. Outside a transaction every call commits by itself.

    sql: SQL to run.
    database: The database to run in; without it the one the server is connected to.
    max_rows: How many rows to show at most; row_count says how many there were.
    """
    made = engine(ctx, database)
    results = made.run(sql)
    if not results:
        return {"command": "", "row_count": 0, "rows": []}
    shown = _shown(made, results[-1], max_rows)
    if len(results) > 1:
        shown["commands"] = [r.tag for r in results]
    return shown


def _transaction(ctx: Ctx, database: Any, sql: str) -> dict[str, Any]:
    made = engine(ctx, database)
    result = made.run(sql)[-1]
    return {
        **_shown(made, result, 0),
        "status": {"idle": "idle", "open": "in transaction"}.get(made.state.state, "in failed transaction"),
    }


@app.post("/mcp/begin_transaction", tool="begin_transaction", effect="transition")
def begin_transaction(
    ctx: Ctx, read_only: bool = False, isolation_level: Literal["read committed", "repeatable read", "serializable"] = "read committed",
        database: Base = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Begins a transaction on the server's connection. What later calls write is seen by others only after commit_transaction.

    read_only: Whether the transaction may write nothing.
    isolation_level: Its isolation level.
    database: The database; without it the one the server is connected to.
    """
    return _transaction(
        ctx, database, f"BEGIN ISOLATION LEVEL {isolation_level.upper()} {'READ ONLY' if read_only else 'READ WRITE'}"
    )


@app.post("/mcp/commit_transaction", tool="commit_transaction", effect="transition")
def commit_transaction(ctx: Ctx, database: Base = MISSING) -> dict[str, Any]:
    """Commits the open transaction. One that a failed statement has aborted is rolled back instead.

    database: The database; without it the one the server is connected to.
    """
    return _transaction(ctx, database, "COMMIT")


@app.post("/mcp/rollback_transaction", tool="rollback_transaction", effect="transition")
def rollback_transaction(
    ctx: Ctx,
    to_savepoint: Annotated[str, Field(max_length=63, min_length=1)] | MISSING = MISSING,
    database: Base = MISSING,
) -> dict[str, Any]:
    """Rolls the open transaction back, wholly or to a savepoint.

    to_savepoint: Undo only what came after this savepoint.
    database: The database; without it the one the server is connected to.
    """
    return _transaction(
        ctx,
        database,
        "ROLLBACK" if not isinstance(to_savepoint, str) else f"ROLLBACK TO SAVEPOINT {_quoted(to_savepoint)}",
    )


@app.post("/mcp/create_savepoint", tool="create_savepoint", effect="transition")
def create_savepoint(
    ctx: Ctx, name: Annotated[str, Field(min_length=1, max_length=63)], database: Base = MISSING
) -> dict[str, Any]:
    """Sets a savepoint in the open transaction, to which rollback_transaction can return.

    name: The savepoint's name.
    database: The database; without it the one the server is connected to.
    """
    return _transaction(ctx, database, f"SAVEPOINT {_quoted(name)}")


def _quoted(name: str) -> str:
    from ..functions_text import quote_ident  # noqa: PLC0415

    return quote_ident(name)


@app.get("/mcp/transaction_status", tool="get_transaction_status")
def get_transaction_status(ctx: Ctx, database: Base = MISSING) -> dict[str, Any]:
    """Shows whether the server's connection is in a transaction, its savepoints and session settings.

    database: The database; without it the one the server is connected to.
    """
    made = engine(ctx, database, reading=True)
    state = made.state
    return {
        "database": made.database, "status": {"idle": "idle", "open": "in transaction"}.get(state.state, "in failed transaction"),
        "read_only": state.read_only,
        "savepoints": [s["name"] for s in state.savepoints], "settings": {k: v for k,
        v in state.settings.items() if not k.startswith("_")}, "user": made.env.user,
    }  # fmt: skip


class Hypothetical(TypedDict):
    """An index to imagine."""

    table: Annotated[str, Field(description="The table, with its schema where that is not public.")]
    columns: Annotated[list[str], Field(description="The columns in order.")]
    using: NotRequired[Annotated[str, Field(description="The index method; btree by default.")]]


@app.post("/mcp/explain_query", tool="explain_query", effect="read")
def explain_query(
    ctx: Ctx, sql: Annotated[str, Field(min_length=1, max_length=100_000)], analyze: bool = False, format: Literal["text", "json"] = "text",
    hypothetical_indexes: Annotated[list[Hypothetical], Field(max_length=20)] | MISSING = MISSING, database: Base = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Explains the execution plan for a SQL query, with cost estimates. Writes nothing: with analyze, only a SELECT is run.

    sql: SQL query to explain.
    analyze: Run the query, and show how many rows it really gave.
    format: The plan as text lines or as JSON.
    hypothetical_indexes: Indexes to imagine, each with `table` and `columns`. Not together with analyze.
    database: The database; without it the one the server is connected to.
    """
    made = engine(ctx, database, reading=True)
    if isinstance(hypothetical_indexes, list) and hypothetical_indexes:
        if analyze:
            raise ApiError(
                400,
                "Cannot use analyze and hypothetical indexes together",
                shown="Error: Cannot use analyze and hypothetical indexes together",
            )
        _imagine(made, hypothetical_indexes)
    options = f"({'ANALYZE, ' if analyze else ''}FORMAT {format.upper()})"
    result = made.run(f"EXPLAIN {options} {sql.strip().rstrip(';')}")[-1]
    if format == "json":
        from ..values import plain_json  # noqa: PLC0415

        return {"plan": plain_json(result.rows[0][0].v)}
    return {"plan": "\n".join(row[0] for row in result.rows)}


def _imagine(made: Any, wanted: list[Hypothetical]) -> None:
    env = made.env
    for i, index in enumerate(wanted):
        name, columns = index["table"], index["columns"]
        if not columns:
            text = "a hypothetical index has a table and a list of columns"
            raise ApiError(400, text, shown=f"Error: {text}")
        relation = env.find_relation(tuple(name.split(".")[-2:]))
        if relation is None:
            raise refusal(SqlError("42P01", f'relation "{name}" does not exist'), "")
        known = {c.name for c in env.catalog.columns(relation)}
        if missing := [c for c in columns if c not in known]:
            raise refusal(SqlError("42703", f'column "{missing[0]}" does not exist'), "")
        made_index = Index(
            oid=-1 - i,
            database=made.database,
            relation=relation.oid,
            name=f"<{13000 + i}>btree_{relation.name}_{'_'.join(columns)}",
            keys=columns,
        )
        env.catalog.put(made_index)


__all__ = ["Result", "n"]
