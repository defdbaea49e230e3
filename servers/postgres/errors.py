"""An SQL error as the server reports it, and as libpq's clients print it."""

from typing import Any

from legoenv_mcp.app import ApiError

_SHOWN, _RIGHT = 60, 10
"""How much of a line libpq shows under an error, and how much of that stays right of the marked place."""


class SqlError(Exception):
    """ERROR with its SQLSTATE and the fields of the protocol's error message. `position` counts characters from 0."""

    def __init__(
        self, code: str, message: str, position: int | None = None, *, detail: str = "", hint: str = "", schema: str = "", table: str = "",
        column: str = "", constraint: str = "", datatype: str = "", where: str = "",
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.code, self.message, self.position = code, message, position
        self.detail, self.hint, self.where = detail, hint, where
        self.schema, self.table, self.column = schema, table, column
        self.constraint, self.datatype = constraint, datatype


def unsupported(what: str, position: int | None = None) -> SqlError:
    return SqlError("0A000", f"{what} is not supported", position)


def refusal(error: SqlError, sql: str) -> ApiError:
    """The error as an HTTP answer and, for MCP, as the text psycopg prints with the fields psql shows when verbose."""
    status = 403 if error.code == "42501" else 404 if error.code == "3D000" else 409 if error.code[:2] == "23" else 400
    fields = {
        "severity": "ERROR", "code": error.code, "detail": error.detail, "hint": error.hint, "where": error.where,
        "position": "" if error.position is None else str(error.position + 1), "schema": error.schema, "table": error.table,
        "column": error.column, "dataType": error.datatype, "constraint": error.constraint,
    }  # fmt: skip
    return ApiError(status, error.message, wire_status=400, shown=printed(error, sql), fields=fields)


def printed(error: SqlError, sql: str) -> str:
    parts = [f"Error: {error.message}"]
    if error.position is not None:
        parts += place(sql, error.position)
    named: list[tuple[str, Any]] = [
        ("DETAIL", error.detail), ("HINT", error.hint), ("CONTEXT", error.where), ("SCHEMA NAME", error.schema),
        ("TABLE NAME", error.table), ("COLUMN NAME", error.column), ("DATATYPE NAME", error.datatype),
        ("CONSTRAINT NAME", error.constraint), ("SQLSTATE", error.code),
    ]  # fmt: skip
    return "\n".join([*parts, *(f"{name}:  {value}" for name, value in named if value)])


def place(sql: str, position: int) -> list[str]:
    """The line an error points at with a caret below, cut as libpq cuts it."""
    position = min(position, len(sql))
    first = sql.rfind("\n", 0, position) + 1
    last = sql.find("\n", position)
    last = len(sql) if last < 0 else last
    left = right = ""
    number = sql.count("\n", 0, position) + 1
    if last - first > _SHOWN:
        if first + _SHOWN >= position + _RIGHT:
            last, right = first + _SHOWN, "..."
        else:
            if position + _RIGHT < last:
                last, right = position + _RIGHT, "..."
            if last - first > _SHOWN:
                first, left = last - _SHOWN, "..."
    head = f"LINE {number}: {left}"
    return [head + sql[first:last].replace("\t", " ") + right, " " * (len(head) + position - first) + "^"]
