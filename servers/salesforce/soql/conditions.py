"""Comparisons: a field, an operator and literals of the field's type -> SQL and bound values."""

import json
from typing import TYPE_CHECKING, Any

from .. import ids, metadata, times
from ..metadata import FieldInfo
from .periods import period
from .syntax import Call, Compare, Literal, Query, unquote

if TYPE_CHECKING:
    from .compile import Compiler
    from .scope import Column

_EXPECTED = {
    "boolean": "boolean", "int": "int", "double": "double", "currency": "currency", "percent": "double", "date": "date",
    "datetime": "dateTime",
}  # fmt: skip


def _prices(value: Any) -> list[Literal]:
    """The literals that are amounts with their currency."""
    return [
        v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, Literal) and v.kind == "currency"
    ]


def compare(compiler: "Compiler", node: Compare, column: "Column", outer: str) -> tuple[str, list[Any]]:
    """The comparison as SQL that is 0 or 1, never NULL. `outer` is the type that is queried."""
    sql, info = column.sql, column.info
    if priced := _prices(node.value):  # USD5000 is compared by worth, a mere number with the number
        if isinstance(node.expr, Call):
            raise compiler.fail(priced[0].at, "Currency literals are not supported with functions")
        sql = column.corporate or sql
    if node.op in ("includes", "excludes"):
        return _includes(compiler, node, sql, info)
    if info.type == "multipicklist" and node.op not in ("=", "!="):
        raise compiler.fail(
            node.expr.at, f"invalid operator on multipicklist field '{info.name}'", "INVALID_QUERY_FILTER_OPERATOR"
        )
    if node.op in ("in", "not_in"):
        if isinstance(node.value, Query):
            return _semi_join(compiler, node, sql, info, outer)
        return _listed(compiler, node, sql, info)
    return _single(compiler, node.op, node.value, sql, info)


def _listed(compiler: "Compiler", node: Compare, sql: str, info: FieldInfo) -> tuple[str, list[Any]]:
    """IN a list: its plain values as one bound array, however many; nulls and date literals one by one."""
    plain = [v for v in node.value if v.kind not in ("null", "period", "bind", "currency") and v.value != "''"]
    made = [_single(compiler, "=", v, sql, info) for v in node.value if v not in plain]
    if plain:
        text = info.type in metadata.TEXTUAL
        values = [_value(compiler, v, info) for v in plain]
        bound = json.dumps([v.casefold() if text else v for v in values])
        left = f"fold({sql})" if text else f"ifnull({sql}, 0)" if info.type == "boolean" else sql
        made.append((f"ifnull({left} IN (SELECT value FROM json_each(?)), 0)", [bound]))
    joined = " OR ".join(text for text, _ in made)
    bindings = [v for _, values in made for v in values]
    return (f"NOT ({joined})" if node.op == "not_in" else f"({joined})"), bindings


def _single(compiler: "Compiler", op: str, literal: Literal, sql: str, info: FieldInfo) -> tuple[str, list[Any]]:
    if literal.kind == "bind":
        raise compiler.fail(literal.at, "Only variable references are allowed in dynamic SOQL/SOSL.")
    if literal.kind == "null":
        if op not in ("=", "!="):
            raise compiler.fail(
                literal.at, f"invalid operator on null value for field '{info.name}'", "INVALID_QUERY_FILTER_OPERATOR"
            )
        return f"{sql} IS {'NOT ' if op == '!=' else ''}NULL", []
    if op == "like":
        return _like(compiler, literal, sql, info)
    if literal.kind == "period":
        return _period(compiler, op, literal, sql, info)
    value = _value(compiler, literal, info)
    text = info.type in metadata.TEXTUAL
    if info.type in ("boolean", "id", "reference") and op not in ("=", "!="):
        raise compiler.fail(literal.at, f"invalid operator on {info.type} field", "INVALID_QUERY_FILTER_OPERATOR")
    if value == "" and (text or op in ("=", "!=")):
        return f"{sql} IS {'NOT ' if op == '!=' else ''}NULL", []
    if info.type == "boolean":  # of a parent that is not there it is false
        return f"ifnull({sql}, 0) {op} ?", [value]
    left = f"fold({sql})" if text else sql
    return f"ifnull({left} {op} ?, {1 if op == '!=' else 0})", [value.casefold() if text else value]


def _value(compiler: "Compiler", literal: Literal, info: FieldInfo) -> Any:
    """The literal in the stored form of the field's type."""
    kind, shown = info.type, literal.kind
    if kind in metadata.NUMERIC:
        if shown == "number":
            return literal.value
        if shown == "currency" and kind == "currency":
            return float(literal.value[3:]) / compiler.rate(literal)
        raise _wrong(compiler, literal, info)
    if kind == "boolean":
        if shown != "boolean":
            raise _wrong(compiler, literal, info)
        return int(literal.value)
    if kind in ("date", "datetime"):
        if shown != kind:
            raise _wrong(compiler, literal, info)
        made = times.read_date(literal.value) if kind == "date" else times.read_datetime(literal.value)
        if made is None:
            raise compiler.fail(literal.at, f"Invalid {kind}: {literal.value}")
        return made
    if shown != "string":
        raise _wrong(compiler, literal, info)
    value = unquote(literal.value)
    if kind in ("id", "reference"):
        full = ids.full(value)
        if full is None and value != "":
            raise compiler.fail(literal.at, f"invalid ID field: {value}", "INVALID_QUERY_FILTER_OPERATOR")
        return full or ""
    return value


def _wrong(compiler: "Compiler", literal: Literal, info: FieldInfo) -> Exception:
    expected = _EXPECTED.get(info.type, "string")
    quotes = "should not be enclosed in quotes" if expected != "string" else "should be enclosed in quotes"
    message = f"value of filter criterion for field '{info.name}' must be of type {expected} and {quotes}"
    return compiler.fail(literal.at, message, "INVALID_FIELD")


def _like(compiler: "Compiler", literal: Literal, sql: str, info: FieldInfo) -> tuple[str, list[Any]]:
    if info.type not in metadata.TEXTUAL:
        raise compiler.fail(literal.at, f"invalid operator on {info.type} field", "INVALID_QUERY_FILTER_OPERATOR")
    if literal.kind != "string":
        raise _wrong(compiler, literal, info)
    raw = literal.value[1:-1]
    # In LIKE, \% and \_ stand for themselves, every other escape for its character.
    pattern, at = list[str](), 0
    while at < len(raw):
        if raw[at] == "\\" and at + 1 < len(raw):
            inner = unquote(f"'{raw[at : at + 2]}'")
            pattern.append("\\" + inner if inner in "%_\\" else inner)
            at += 2
        else:
            pattern.append(raw[at])
            at += 1
    return f"ifnull(fold({sql}) LIKE ? ESCAPE '\\', 0)", ["".join(pattern).casefold()]


def _period(compiler: "Compiler", op: str, literal: Literal, sql: str, info: FieldInfo) -> tuple[str, list[Any]]:
    found = period(literal.value, literal.n, compiler.today)
    if found is None and literal.n is None and info.type not in ("date", "datetime"):
        raise compiler.fail(literal.at, f"unexpected token: '{literal.value}'")
    if found is None:
        raise compiler.fail(
            literal.at, f"Invalid date literal: {literal.value}" + ("" if literal.n is None else f":{literal.n}")
        )
    if info.type not in ("date", "datetime"):
        raise _wrong(compiler, literal, info)
    tail = "T00:00:00.000+0000" if info.type == "datetime" else ""
    start, end = (f"{day.isoformat()}{tail}" for day in found)
    if op == "=":
        return f"ifnull({sql} >= ? AND {sql} < ?, 0)", [start, end]
    if op == "!=":
        return f"ifnull({sql} < ? OR {sql} >= ?, 1)", [start, end]
    bound = {"<": ("<", start), ">=": (">=", start), ">": (">=", end), "<=": ("<", end)}[op]
    return f"ifnull({sql} {bound[0]} ?, 0)", [bound[1]]


def _includes(compiler: "Compiler", node: Compare, sql: str, info: FieldInfo) -> tuple[str, list[Any]]:
    """Each literal is a choice, or several that must all be there: 'A;B'."""
    if info.type != "multipicklist":
        message = "includes/excludes operators only valid on multipicklist fields"
        raise compiler.fail(node.expr.at, message, "INVALID_QUERY_FILTER_OPERATOR")
    if isinstance(node.value, Query):
        raise compiler.fail(node.value.at, "Semi joins are not supported with INCLUDES and EXCLUDES")
    groups, values = list[str](), list[Any]()
    for literal in node.value:
        wanted = [w for w in str(_value(compiler, literal, info)).split(";") if w]
        groups.append(" AND ".join(f"instr(';' || fold({sql}) || ';', ?) > 0" for _ in wanted) or "0")
        values += [f";{w.casefold()};" for w in wanted]
    joined = "ifnull(" + " OR ".join(f"({g})" for g in groups) + ", 0)"
    return (joined if node.op == "includes" else f"NOT {joined}"), values


def _semi_join(compiler: "Compiler", node: Compare, sql: str, info: FieldInfo, outer: str) -> tuple[str, list[Any]]:
    from .scope import Scope  # noqa: PLC0415 - the compiler calls conditions
    from .syntax import Path, Selected  # noqa: PLC0415

    query = node.value
    item = query.items[0] if len(query.items) == 1 else None
    if not isinstance(item, Selected) or not isinstance(item.expr, Path) or query.group:
        raise compiler.fail(query.at, "Semi join sub-selects must select one field")
    if info.type not in ("id", "reference"):
        message = f"The left operand cannot have more than one level of relationships or be of type {info.type}"
        raise compiler.fail(node.expr.at, message)
    if query.order or query.limit is not None:
        raise compiler.fail(query.at, "ORDER BY and LIMIT are not allowed in semi join sub-selects")
    kind = compiler.kind(query.source, query.at)
    if kind.name == outer:
        raise compiler.fail(query.at, "The inner and outer selects should not be on the same object type")
    scope = Scope(compiler, kind, query)
    column = scope.column(item.expr)
    if column.info.type not in ("id", "reference"):
        raise compiler.fail(
            item.expr.at, "Semi join sub-selects can only query id fields, cannot use: " + f"'{column.info.name}'"
        )
    where, values = compiler.where(query, scope)
    inner = (
        f"SELECT {column.sql} FROM {' '.join(scope.sql)}{where}{' AND' if where else ' WHERE'} {column.sql} IS NOT NULL"
    )
    word = "NOT IN" if node.op == "not_in" else "IN"
    return f"ifnull({sql} {word} ({inner}), {1 if node.op == 'not_in' else 0})", values
