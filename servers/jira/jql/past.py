"""WAS and CHANGED: clauses about an issue's history."""

from typing import TYPE_CHECKING, Any

from .. import times
from . import dates, operands
from .schema import Searchable
from .syntax import Clause, JqlError, Many, Value

if TYPE_CHECKING:
    from .compile import Compiler

_ENTRY = (
    "EXISTS (SELECT 1 FROM changelog h, json_each(h.items) j WHERE h.issue_id = issue.id"
    " AND json_extract(j.value, '$.field') = {field}{more})"
)


def compile(made: "Compiler", spec: Searchable, clause: Clause) -> str:
    if clause.operator == "changed":
        more = "".join(_predicate(made, spec, clause, word, operand) for word, operand in clause.predicates)
        return _ENTRY.format(field=f"'{spec.history}'", more=more)
    if clause.predicates:
        word = clause.predicates[0][0].upper()
        raise JqlError(
            f"The predicate '{word}' is not supported with the operator '{clause.operator}' here; use it with CHANGED."
        )
    many, listed = isinstance(clause.operand, Many), clause.operator.endswith("in")
    if many != listed and not (listed and isinstance(clause.operand, Value) and clause.operand.function):
        which = "list" if many else "non-list"
        raise JqlError(
            f"Operator '{clause.operator}' does not support the {which} value '{clause.operand.shown}' for field '{clause.field}'."
        )
    found = operands.resolve(made.ctx, spec, clause.field, operands.flattened(clause.operand))
    ids = [*map(str, found.ids)]
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


def _any(made: "Compiler", side: str, ids: list[str]) -> str:
    return f"json_extract(j.value, '$.{side}') IN ({made.bind_all(ids)})"


def _predicate(made: "Compiler", spec: Searchable, clause: Clause, word: str, operand: Any) -> str:
    values = operands.flattened(operand)
    if word in ("from", "to"):
        found = operands.resolve(made.ctx, spec, clause.field, values)
        test = _any(made, word, [*map(str, found.ids)])
        return f" AND ({test} OR json_extract(j.value, '$.{word}') IS NULL)" if found.empty else f" AND {test}"
    if word == "by":
        authors = list[str]()
        for value in values:
            by = Searchable("by", "user", "author", ())
            authors += operands.resolve(made.ctx, by, "by", [value]).ids
        return f" AND h.author IN ({made.bind_all(authors)})"
    moments = [dates.moment(_dated(value), word, made.ctx.now) for value in values]
    stamps = [times.moment(m) for m in moments]
    if word == "during":
        if len(stamps) != 2:
            raise JqlError("The predicate 'DURING' needs a list of two dates.")
        return f" AND h.created >= {made.bind(stamps[0])} AND h.created <= {made.bind(stamps[1])}"
    if len(stamps) != 1 or isinstance(operand, Many):
        raise JqlError(f"The predicate '{word.upper()}' needs one date.")
    if word == "on":
        day = stamps[0][:10]
        return f" AND substr(h.created, 1, 10) = {made.bind(day)}"
    return f" AND h.created {'>' if word == 'after' else '<'} {made.bind(stamps[0])}"


def _dated(value: Value) -> Value:
    if value.function and value.function.lower() not in dates.NAMES:
        raise operands.bad_function(value, "date")
    if not value.function and value.text is None:
        raise dates.invalid("EMPTY", "date")
    return value
