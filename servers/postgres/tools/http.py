"""The HTTP face: Neon's SQL endpoint, which its serverless driver speaks. One request is one transaction."""

import json
import re
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from pydantic_core import from_json

from legoenv_mcp.app import ApiError, Ctx, Header, Payload

from .. import types, values
from ..app import app
from ..connect import default_database
from ..engine import Engine, Refused, Result
from ..errors import SqlError, refusal
from ..models import Database, Role

_MAX_QUERIES = 100


@app.post("/sql", tool="sql_over_http", mcp=False, effect="update", destructive=True)
def sql_over_http(
    ctx: Ctx,
    body: Annotated[dict[str, Any] | list[Any] | str | bytes, Payload()],
    connection: Annotated[str | None, Header("Neon-Connection-String")] = None,
    raw_text: Annotated[str | None, Header("Neon-Raw-Text-Output")] = None,
    array_mode: Annotated[str | None, Header("Neon-Array-Mode")] = None,
    read_only: Annotated[str | None, Header("Neon-Batch-Read-Only")] = None,
    isolation: Annotated[str | None, Header("Neon-Batch-Isolation-Level")] = None,
    deferrable: Annotated[str | None, Header("Neon-Batch-Deferrable")] = None,
) -> dict[str, Any]:
    """Runs one query, or several in one transaction, and answers rows with the types of their columns.

    body: `query` and `params`, with $1, $2 ... in the SQL for the parameters; or `queries`, a list of those.
    connection: The connection string: role and database.
    raw_text: Whether values stay text as the server sends it.
    array_mode: Whether rows are lists.
    read_only: Whether the batch may write nothing.
    isolation: The batch's isolation level.
    deferrable: Whether the batch is deferrable.
    """
    del isolation, deferrable
    database, role = _login(ctx, connection)
    made = Engine(ctx, database, lasting=False)
    if role != "postgres":
        made.state.settings = {**made.state.settings, "role": role}
    as_text, as_list = (raw_text or "").lower() == "true", (array_mode or "").lower() == "true"
    given = _given(body)
    if "queries" in given:
        return _batch(made, given["queries"], as_text, as_list, (read_only or "").lower() == "true")
    query, params = _query(given)
    results = made.run(query, _texts(params))
    if made.state.state != "idle":
        made.env.catalog.log.clear()  # a connection that is closed in a transaction rolls it back
    if len(results) > 1:
        raise refusal(SqlError("42601", "cannot insert multiple commands into a prepared statement"), query)
    return _answer(made, results[0] if results else Result(""), as_text, as_list)


def _given(body: Any) -> dict[str, Any]:
    """The body as JSON, whatever type it is sent as: the driver's own requests say text/plain."""
    if isinstance(body, (str, bytes)):
        try:
            body = from_json(body)
        except ValueError:
            raise _malformed("expected value at line 1 column 1") from None
    if not isinstance(body, dict):
        raise _malformed("expected an object")
    return body


def _query(given: Any) -> tuple[str, list[Any]]:
    if not isinstance(given, dict) or not isinstance(given.get("query"), str):
        raise _malformed("missing field `query`")
    params = given.get("params") or []
    if not isinstance(params, list):
        raise _malformed("invalid type: expected a sequence for `params`")
    return given["query"], params


def _malformed(reason: str) -> ApiError:
    return ApiError(400, f"could not parse the HTTP request body: {reason}")


def _batch(made: Engine, queries: Any, as_text: bool, as_list: bool, read_only: bool) -> dict[str, Any]:
    if not isinstance(queries, list):
        raise _malformed("invalid type: expected a sequence for `queries`")
    if len(queries) > _MAX_QUERIES:
        raise ApiError(400, f"more than {_MAX_QUERIES} queries in one batch")
    made.run("BEGIN READ ONLY" if read_only else "BEGIN")
    answers = list[dict[str, Any]]()
    for one in queries:
        text, params = _query(one)
        try:
            found = made.run(text, _texts(params))
        except Refused as refused:
            # The batch is one transaction: nothing of it stays.
            body = refused.reply.body
            raise ApiError(400, body["message"], fields=body) from None
        answers.append(
            _answer(
                made,
                found[0] if found else Result(""),
                one.get("rawTextOutput", as_text),
                one.get("arrayMode", as_list),
            )
        )
    made.run("COMMIT")
    return {"results": answers}


def _login(ctx: Ctx, connection: str | None) -> tuple[str, str]:
    """The database and role of a connection string."""
    if not connection:
        return default_database(ctx), "postgres"
    try:
        parts = urlsplit(connection)
        user, path = unquote(parts.username or ""), unquote(parts.path.lstrip("/"))
    except ValueError:
        raise ApiError(400, "invalid connection string") from None
    if parts.scheme not in ("postgres", "postgresql") or not user:
        raise ApiError(400, "connection string: invalid URL")
    held = ctx.db.get(Role, user)
    if held is None or not held.login:
        raise refusal(SqlError("28P01", f"password authentication failed for user '{user}'"), "")
    database = path or default_database(ctx)
    if ctx.db.get(Database, database) is None:
        raise refusal(SqlError("3D000", f'database "{database}" does not exist'), "")
    return database, user


def _texts(params: list[Any]) -> list[str | None]:
    """Parameters in the text format."""
    made = list[str | None]()
    for value in params:
        if value is None or isinstance(value, str):
            made.append(value)
        elif isinstance(value, bool):
            made.append("true" if value else "false")
        elif isinstance(value, (int, float)):
            made.append(re.sub(r"\.0$", "", str(value)))
        elif isinstance(value, list):
            made.append(
                "{"
                + ",".join(
                    "NULL" if v is None else json.dumps(v if isinstance(v, str) else json.dumps(v)) for v in value
                )
                + "}"
            )
        else:
            made.append(json.dumps(value))
    return made


def _answer(made: Engine, result: Result, as_text: bool, as_list: bool) -> dict[str, Any]:
    env = made.env
    fields = [
        {"name": c.name, "dataTypeID": types.oid(c.kind), "tableID": c.source[0], "columnID": c.source[1],
            "dataTypeSize": types.SIZES.get(c.kind, -1),
         "dataTypeModifier": types.modifier(c.kind, c.mods), "format": "text"}
        for c in result.columns
    ]  # fmt: skip
    rows = list[Any]()
    for row in result.rows:
        cells = [
            None if v is None else values.text(c.kind, v, env) if as_text else _typed(c.kind, v, env)
            for c, v in zip(result.columns, row, strict=True)
        ]
        rows.append(cells if as_list else dict(zip([c.name for c in result.columns], cells, strict=True)))
    return {"command": result.command, "fields": fields, "rowAsArray": as_list, "rowCount": result.count, "rows": rows}


def _typed(kind: str, value: Any, env: Any) -> Any:
    """Without raw text the proxy itself makes JSON of booleans, numbers that fit and JSON; the rest is text."""
    if kind in ("bool", "int2", "int4", "float4", "float8", "json", "jsonb") or (
        types.is_array(kind) and types.element(kind) in ("bool", "int2", "int4", "float8", "text", "varchar")
    ):
        return values.as_json(kind, value, env)
    return values.text(kind, value, env)
