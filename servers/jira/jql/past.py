"""WAS and CHANGED: clauses about an issue's history."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import times
from . import dates, operands
from .schema import Searchable
from .syntax import Clause, JqlError, Many, Value

if TYPE_CHECKING:
    from .compile import Compiler

_STILL = "9999-12-31T23:59:59Z"
_ENTRY = (
    "EXISTS (SELECT 1 FROM changelog h, json_each(h.items) j WHERE h.issue_id = issue.id"
    " AND json_extract(j.value, '$.field') = {field}{more})"
)


def compile(made: "Compiler", spec: Searchable, clause: Clause) -> str:
    if clause.operator.endswith("changed"):
        more = "".join(_predicate(made, spec, clause, word, operand) for word, operand in clause.predicates)
        test = _ENTRY.format(field=f"'{spec.history}'", more=more)
        return f"(NOT {test})" if clause.operator.startswith("not") else test
    many, listed = isinstance(clause.operand, Many), clause.operator.endswith("in")
    if many != listed and not (listed and isinstance(clause.operand, Value) and clause.operand.function):
        which = "list" if many else "non-list"
        raise JqlError(
            f"Operator '{clause.operator}' does not support the {which} value '{clause.operand.shown}' for field '{clause.field}'."
        )
    found = operands.resolve(made.ctx, spec, clause.field, operands.flattened(clause.operand))
    ids = [*map(str, found.ids)]
    if clause.predicates:
        test = _then(made, spec, clause, {*ids, *([None] if found.empty else [])})
        return f"(NOT {test})" if "not" in clause.operator else test
    if spec.how == "parts":
        now = f'EXISTS (SELECT 1 FROM json_each(issue."{spec.column}") v WHERE v.value IN ({made.bind_all(found.ids)}))'
    else:
        now = f"{spec.column} IN ({made.bind_all(found.ids)})"
    then = _ENTRY.format(field=f"'{spec.history}'", more=f" AND ({_any(made, 'from', ids)} OR {_any(made, 'to', ids)})")
    tests = [f"coalesce({now}, 0)", then]
    if found.empty:
        tests += [f"{spec.column} IS NULL", _ENTRY.format(
            field=f"'{spec.history}'", more=" AND json_extract(j.value, '$.from') IS NULL")]  # fmt: skip
    test = "(" + " OR ".join(tests) + ")"
    return f"(NOT {test})" if "not" in clause.operator else test


@dataclass(frozen=True, slots=True)
class _Span:
    """How long a field had a value: from a moment on, set by somebody, until another moment or still."""

    value: str | None
    start: str
    by: str | None
    end: str


def _spans(made: "Compiler", spec: Searchable) -> dict[int, list[_Span]]:
    """The values that a field has had, by issue."""
    changes = dict[int, list[tuple[str, str | None, Any]]]()
    sql = (
        "SELECT h.issue_id, h.created, h.author, j.value AS item FROM changelog h, json_each(h.items) j"
        " WHERE json_extract(j.value, '$.field') = ? ORDER BY h.created, h.id"
    )
    for row in made.ctx.db.query(sql, [spec.history]):
        changes.setdefault(row["issue_id"], []).append((row["created"], row["author"], json.loads(row["item"])))
    out = dict[int, list[_Span]]()
    for row in made.ctx.db.query(f"SELECT id, created, creator, {spec.column} AS value FROM issue"):
        value, start, by = None if row["value"] is None else str(row["value"]), row["created"], row["creator"]
        told = changes.get(row["id"], [])
        if told:
            value = told[0][2]["from"]
        spans = list[_Span]()
        for at, author, item in told:
            spans.append(_Span(value, start, by, at))
            value, start, by = item["to"], at, author
        out[row["id"]] = [*spans, _Span(value, start, by, _STILL)]
    return out


def _then(made: "Compiler", spec: Searchable, clause: Clause, wanted: set[str | None]) -> str:
    """The issues whose field had one of these values at the time, or by the hand, that the predicates say."""
    if spec.how == "parts":
        word = clause.predicates[0][0].upper()
        raise JqlError(f"The predicate '{word}' is not supported for the field '{clause.field}'.")
    tests = [_during(made, clause, word, operand) for word, operand in clause.predicates]
    found = [
        id
        for id, spans in _spans(made, spec).items()
        if any(span.value in wanted and all(test(span) for test in tests) for span in spans)
    ]
    return f"issue.id IN (SELECT value FROM json_each({made.bind(json.dumps(found))}))"


def _during(made: "Compiler", clause: Clause, word: str, operand: Any) -> Callable[[_Span], bool]:
    values = operands.flattened(operand)
    if word in ("from", "to"):
        raise JqlError(f"The predicate '{word.upper()}' is not supported with the operator '{clause.operator}'.")
    if word == "by":
        authors = _authors(made, values)
        return lambda span: span.by in authors
    start, end = _bounds(made, word, operand, values)
    return lambda span: span.start <= end and span.end > start


def _authors(made: "Compiler", values: list[Value]) -> list[Any]:
    by = Searchable("by", "user", "author", ())
    return [*operands.resolve(made.ctx, by, "by", values).ids]


def _bounds(made: "Compiler", word: str, operand: Any, values: list[Value]) -> tuple[str, str]:
    """The first and last moment that a predicate of time means."""
    stamps = [times.moment(dates.moment(_dated(value), word, made.ctx.now)) for value in values]
    if word == "during":
        if len(stamps) != 2:
            raise JqlError("The predicate 'DURING' needs a list of two dates.")
        return stamps[0], stamps[1]
    if len(stamps) != 1 or isinstance(operand, Many):
        raise JqlError(f"The predicate '{word.upper()}' needs one date.")
    if word == "on":
        return f"{stamps[0][:10]}T00:00:00Z", f"{stamps[0][:10]}T23:59:59Z"
    return (stamps[0], _STILL) if word == "after" else ("", stamps[0])


def _any(made: "Compiler", side: str, ids: list[str]) -> str:
    return f"json_extract(j.value, '$.{side}') IN ({made.bind_all(ids)})"


def _predicate(made: "Compiler", spec: Searchable, clause: Clause, word: str, operand: Any) -> str:
    values = operands.flattened(operand)
    if word in ("from", "to"):
        found = operands.resolve(made.ctx, spec, clause.field, values)
        test = _any(made, word, [*map(str, found.ids)])
        return f" AND ({test} OR json_extract(j.value, '$.{word}') IS NULL)" if found.empty else f" AND {test}"
    if word == "by":
        return f" AND h.author IN ({made.bind_all(_authors(made, values))})"
    start, end = _bounds(made, word, operand, values)
    if word in ("after", "before"):
        return f" AND h.created {'>' if word == 'after' else '<'} {made.bind(start if word == 'after' else end)}"
    return f" AND h.created >= {made.bind(start)} AND h.created <= {made.bind(end)}"


def _dated(value: Value) -> Value:
    if value.function and value.function.lower() not in dates.NAMES:
        raise operands.bad_function(value, "date")
    if not value.function and value.text is None:
        raise dates.invalid("EMPTY", "date")
    return value
