"""Sequences and indexes."""

from typing import Any

from . import deparse, types
from . import nodes as n
from .constraints import Keeper
from .errors import SqlError
from .expressions import Compiler
from .models import Index, Sequence
from .naming import (
    _no_subquery,
    _printable,
    free_name,
    taken,
)
from .rowscope import row_scope
from .session import Connection

_BOUNDS = {"int2": 2**15 - 1, "int4": 2**31 - 1, "int8": 2**63 - 1}


def make_sequence(env: Connection, schema: str, name: str, options: dict[str, Any]) -> Sequence:
    kind = {"integer": "int4", "bigint": "int8", "smallint": "int2"}.get(
        options.get("type", "int8"), options.get("type", "int8")
    )
    if kind not in _BOUNDS:
        raise SqlError("22023", "sequence type must be smallint, integer, or bigint")
    step = options.get("increment", 1)
    if not step:
        raise SqlError("22023", "INCREMENT must not be zero")
    low = options.get("minimum", 1 if step > 0 else -_BOUNDS[kind] - 1)
    high = options.get("maximum", _BOUNDS[kind] if step > 0 else -1)
    start = options.get("start", low if step > 0 else high)
    if low >= high:
        raise SqlError("22023", f"MINVALUE ({low}) must be less than MAXVALUE ({high})")
    if not low <= start <= high:
        raise SqlError(
            "22023",
            f"START value ({start}) cannot be"
            f" {'less than MINVALUE (' + str(low) if start < low else 'greater than MAXVALUE (' + str(high)})",
        )
    return env.catalog.put(Sequence(
        oid=env.catalog.new_oid(), database=env.catalog.database, schema_=schema, name=name, type=kind, start=start, increment=step,
            minimum=low, maximum=high,
        cycle=options.get("cycle", False), owner=env.user, last_value=start,
    ))  # fmt: skip


def add_index(env: Connection, index: Index) -> None:
    """Writes an index; a unique one is checked against the rows that are there."""
    env.catalog.put(index)
    if not index.unique:
        return
    relation = env.catalog.by_oid(index.relation)
    keeper = Keeper(env, relation)
    unique = next(u for u in keeper.uniques if u.index.oid == index.oid)
    seen: dict[Any, tuple[Any, ...]] = {}
    for row in env.catalog.rows(relation).values():
        key = unique.key(row)
        if key is not None and key in seen:
            error = unique.violation(row)
            error.message = f'could not create unique index "{index.name}"'
            error.detail = error.detail.replace("already exists.", "is duplicated.")
            raise error
        if key is not None:
            seen[key] = row


_CLASSES = {
    "gin": ("array_ops", "jsonb_ops", "jsonb_path_ops"), "gist": ("inet_ops",), "spgist": ("text_ops", "inet_ops"),
}  # fmt: skip
"""The operator classes of methods that have few."""
_PLAIN = ("text_ops", "varchar_ops", "bpchar_ops", "int2_ops", "int4_ops", "int8_ops", "numeric_ops", "date_ops", "timestamp_ops",
          "timestamptz_ops", "uuid_ops", "bool_ops", "float4_ops", "float8_ops", "array_ops", "jsonb_ops")  # fmt: skip
"""Classes that are some type's own and are not shown."""


def _operator_class(kind: str, method: str, named: str) -> str:
    """How a key's operator class is shown. Refuses a type that the method has none for."""
    if named:
        if named not in _CLASSES.get(method, (named,)) or not named.endswith("_ops"):
            raise SqlError("42704", f'operator class "{named}" does not exist for access method "{method}"')
        return "" if named in _PLAIN else f" {named}"
    fits = {"gin": types.is_array(kind) or kind == "jsonb", "gist": False, "spgist": types.is_string(kind)}
    if kind == "json" or not fits.get(method, True):
        told = f'data type {types.shown(kind)} has no default operator class for access method "{method}"'
        hint = "You must specify an operator class for the index or define a default operator class for the data type."
        raise SqlError("42704", told, hint=hint)
    return ""


def create_index(env: Connection, stmt: n.Stmt) -> None:
    relation = env.need_relation(stmt.table, None)
    if relation.kind == "view":
        raise SqlError(
            "42809",
            f'cannot create index on relation "{relation.name}"',
            detail="This operation is not supported for views.",
        )
    env.must_own(relation)
    if stmt.method not in ("btree", "hash", "gin", "gist", "brin", "spgist"):
        raise SqlError("42704", f'access method "{stmt.method}" does not exist')
    if stmt.unique and stmt.method != "btree":
        raise SqlError("0A000", f'access method "{stmt.method}" does not support unique indexes')
    compiler = Compiler(row_scope(env, relation))
    keys, names = list[str](), list[str]()
    suffixes = list[str]()
    for (expr, text, suffix), named in zip(stmt.keys, stmt.classes, strict=True):
        if isinstance(expr, n.Col) and len(expr.parts) == 1:
            if not any(c.name == expr.parts[0] for c in env.catalog.columns(relation)):
                raise SqlError("42703", f'column "{expr.parts[0]}" does not exist')
            keys.append(expr.parts[0])
            names.append(expr.parts[0])
        else:
            _no_subquery(expr, "index expression")
            compiler.value(expr)
            keys.append(deparse.show(expr, compiler) if _printable(expr) else text)
            called = expr.name[-1] if isinstance(expr, n.Func) else "expr"
            names.append(next(x for k in range(len(names) + 1) if (x := f"{called}{k or ''}") not in names))
        suffixes.append(_operator_class(compiler.value(expr).kind, stmt.method, named) + suffix)
    predicate = ""
    if stmt.where is not None:
        compiler.boolean(stmt.where, "WHERE")
        predicate = deparse.show(stmt.where, compiler) if _printable(stmt.where) else stmt.text
    name = stmt.name or free_name(env, relation.schema_, relation.name, *names, *stmt.include, "idx")
    if taken(env, relation.schema_, name):
        if stmt.exists:
            env.notices.append(f'relation "{name}" already exists, skipping')
            return
        raise SqlError("42P07", f'relation "{name}" already exists')
    add_index(env, Index(
        oid=env.catalog.new_oid(), database=env.catalog.database, relation=relation.oid, name=name, unique=stmt.unique,
            method=stmt.method, keys=keys,
        suffixes=suffixes, include=stmt.include, predicate=predicate, nulls_distinct=stmt.distinct,
    ))  # fmt: skip
