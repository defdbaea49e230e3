"""Expressions as the server prints them back: fully parenthesised, literals with their types."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from . import compare, types, values
from . import nodes as n
from .errors import SqlError
from .functions_text import quote_ident, quote_literal
from .signatures import OPERATORS, Ambiguous, resolve

if TYPE_CHECKING:
    from .expressions import Compiler

_NO_PARENS = {"current_date": "CURRENT_DATE", "current_timestamp": "CURRENT_TIMESTAMP", "localtime": "LOCALTIME",
    "localtimestamp": "LOCALTIMESTAMP", "current_user": "CURRENT_USER",
              "current_time": "CURRENT_TIME", "session_user": "SESSION_USER"}  # fmt: skip
_SPECIAL = {"coalesce": "COALESCE", "nullif": "NULLIF", "greatest": "GREATEST", "least": "LEAST"}


def typed(text: str, kind: str, mods: tuple[int, ...] = ()) -> str:
    return f"{text}::{types.spelt(kind, mods)}"


def default_text(node: Any, c: "Compiler", kind: str) -> str:
    """A column's default."""
    if isinstance(node, n.Const):
        if node.value is None:
            return typed("NULL", kind)
        return literal(node, kind, c)
    return show(node, c)


def _settled(text: str, kind: str, c: "Compiler") -> str:
    """A literal's text as its type prints it: the server reads it once and for all."""
    if types.is_string(kind) or types.is_enum(kind.lstrip("_")) or kind in (*types.NUMBERS, "regclass", "oid", "json"):
        return text
    try:
        return values.text(kind, values.read(kind, text, c.env), c.env)
    except SqlError:
        return text


def literal(node: n.Const, kind: str = "", c: "Compiler | None" = None) -> str:
    match node.value:
        case None:
            return "NULL" + (f"::{types.spelt(kind)}" if kind else "")
        case bool():
            return "true" if node.value else "false"
        case int() | Decimal():
            text = format(node.value, "f") if isinstance(node.value, Decimal) else str(node.value)
            if text.startswith("-"):
                text = typed(f"'{text}'", node.type)
                return typed(f"'{node.value}'", node.type)
            return text
        case _:
            text = str(node.value)
            if kind in types.INTEGERS and text.strip().isdigit():
                return str(int(text))
            if kind == "bool" and c is not None:
                return {"t": "true", "f": "false"}.get(_settled(text, kind, c), typed(quote_literal(text), kind))
            return typed(quote_literal(_settled(text, kind, c) if kind and c is not None else text), kind or "text")


def show(node: Any, c: "Compiler", want: str = "") -> str:
    match node:
        case n.Const():
            text = literal(node, want, c)
            if want and node.type in types.NUMBERS and want != node.type and want in types.NUMBERS:
                return f"'{text}'::{types.spelt(want)}" if c.planned else f"({text})::{types.spelt(want)}"
            return text
        case n.Col():
            made = quote_ident(node.parts[-1])
            if c.qualified and isinstance(found := c.scope._own(node), tuple):
                made = f"{quote_ident(found[0].alias)}.{made}"
            kind = c.value(node).kind
            return (
                f"({made})::{types.spelt(want)}"
                if want and want != kind and {want, kind} <= {"text", "varchar", "numeric", "int4", "int8", "float8"}
                else made
            )
        case n.Logic():
            if node.op == "not":
                return f"(NOT {show(node.args[0], c)})"
            return "(" + f" {node.op.upper()} ".join(show(a, c) for a in node.args) + ")"
        case n.Is():
            word = node.what.upper()
            return f"({show(node.arg, c)} IS {'NOT ' if node.negated else ''}{word})"
        case n.Op() if node.left is None:
            return f"({node.op} {show(node.right, c)})"
        case n.Op():
            left, right = (_common if node.op in compare.OPERATORS else _taken)(node.left, node.right, c, node.op)
            return f"({show(node.left, c, left)} {node.op} {show(node.right, c, right)})"
        case n.Between():
            low, high = n.Op(">=", node.arg, node.low), n.Op("<=", node.arg, node.high)
            return (
                show(n.Logic("and", [low, high]), c)
                if not node.negated
                else show(n.Logic("or", [n.Op("<", node.arg, node.low), n.Op(">", node.arg, node.high)]), c)
            )
        case n.In() if isinstance(node.items, list):
            kind = c.value(node.arg).kind
            kind = "text" if kind == "varchar" else kind
            items = ", ".join(show(i, c, kind) for i in node.items)
            arg = show(node.arg, c, kind)
            if c.planned and kind in types.INTEGERS and all(isinstance(i, n.Const) for i in node.items):
                listed = f"'{{{','.join(str(i.value) for i in node.items)}}}'::{types.spelt(kind)}[]"
                return f"({arg} <> ALL ({listed}))" if node.negated else f"({arg} = ANY ({listed}))"
            return f"({arg} <> ALL (ARRAY[{items}]))" if node.negated else f"({arg} = ANY (ARRAY[{items}]))"
        case n.Like():
            op = {"like": "~~", "ilike": "~~*", "similar": "~"}[node.kind]
            return f"({show(node.arg, c, 'text')} {'!' if node.negated else ''}{op} {show(node.pattern, c, 'text')})"
        case n.Cast():
            kind, mods = c.type_of(node.type)
            if isinstance(node.arg, n.Const) and node.arg.type == "unknown":
                if not mods or node.arg.value is None:
                    return literal(node.arg, kind, c)
                return typed(quote_literal(_settled(str(node.arg.value), kind, c)), kind, mods)
            return f"({show(node.arg, c)})::{types.spelt(kind, mods)}"
        case n.Func():
            return _function(node, c)
        case n.Case():
            parts = [f" WHEN {show(w, c)} THEN {show(t, c)}" for w, t in node.whens]
            arg = f" {show(node.arg, c)}" if node.arg is not None else ""
            return f"CASE{arg}{''.join(parts)} ELSE {show(node.other, c) if node.other is not None else 'NULL'} END"
        case n.ArrayLit():
            return f"ARRAY[{', '.join(show(i, c) for i in node.items)}]"
        case n.Distinct():
            return f"({show(node.left, c)} IS {'NOT ' if node.negated else ''}DISTINCT FROM {show(node.right, c)})"
        case n.Collate():
            return f"({show(node.arg, c)} COLLATE {quote_ident(node.name)})"
        case n.RowLit():
            return f"ROW({', '.join(show(i, c) for i in node.items)})"
        case _:
            return "(...)"


def _function(node: n.Func, c: "Compiler") -> str:
    name = node.name[-1]
    if name in _NO_PARENS and not node.args:
        return _NO_PARENS[name]
    if name == "nextval" and isinstance(node.args[0], (n.Const, n.Cast)):
        inner = node.args[0].arg if isinstance(node.args[0], n.Cast) else node.args[0]
        return f"nextval({quote_literal(str(inner.value))}::regclass)"
    if name == "timezone":
        return f"({show(node.args[1], c)} AT TIME ZONE {show(node.args[0], c)})"
    if name == "extract":
        return f"EXTRACT({node.args[0].value!s} FROM {show(node.args[1], c)})"
    shown = ".".join(quote_ident(p) for p in node.name)
    return f"{_SPECIAL.get(name, shown)}({', '.join(show(a, c) for a in node.args)})"


def _taken(left: Any, right: Any, c: "Compiler", op: str) -> tuple[str, str]:
    """The types that the operator takes, empty for a side that is of its."""
    kinds = [c.value(left).kind, c.value(right).kind]
    if op == "||" and all(map(types.is_string, kinds)):
        a, b = ("" if kind == "text" else "text" for kind in kinds)
        return a, b
    try:
        found = resolve((o for o in OPERATORS.get(op, []) if len(o.args) == 2), kinds, binary=True)
    except Ambiguous:
        found = None
    if found is None or set(kinds) <= set(types.INTEGERS):
        return "", ""
    a, b = ("" if want == has else want for want, has in zip(found.args, kinds, strict=True))
    return a, b


def _common(left: Any, right: Any, c: "Compiler", _: str) -> tuple[str, str]:
    """The types both sides are cast to, empty where a side stays as it is."""
    a, b = c.value(left).kind, c.value(right).kind
    kind = (
        a
        if b == "unknown"
        else b
        if a == "unknown"
        else types.common([a, b])
        if types.category(a) == types.category(b)
        else ""
    )
    if kind == "varchar":
        kind = "text"
    if not kind or kind == "unknown" or {a, b} <= set(types.INTEGERS):
        return "", ""
    return ("" if a == kind else kind), ("" if b == kind else kind)
