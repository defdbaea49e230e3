"""Names of new objects, who may make them, and what their expressions may hold."""

from typing import Any

from . import deparse, types
from . import nodes as n
from .catalog import Column
from .errors import SqlError
from .expressions import Compiler
from .models import Constraint, Index, Sequence
from .scope import Scope
from .session import Connection


def taken(env: Connection, schema: str, name: str) -> bool:
    return (
        env.catalog.relation(schema, name) is not None
        or any((s.schema_, s.name) == (schema, name) for s in env.catalog.objects(Sequence).values())
        or any(
            i.name == name and env.catalog.by_oid(i.relation).schema_ == schema
            for i in env.catalog.objects(Index).values()
        )
    )


def free_name(env: Connection, schema: str, *parts: str) -> str:
    """`table_column_key`, cut to 63 characters, numbered where it is taken."""
    *head, label = parts
    while len("_".join([*head, label])) > 63:
        longest = max(range(len(head)), key=lambda i: len(head[i]))
        head[longest] = head[longest][:-1]
    base = "_".join([*head, label])
    name, k = base, 0
    constraints = {
        c.name for c in env.catalog.objects(Constraint).values() if env.catalog.by_oid(c.relation).schema_ == schema
    }
    while taken(env, schema, name) or name in constraints:
        k += 1
        name = f"{base}{k}"
    return name


def may_create(env: Connection, schema: str) -> None:
    found = env.catalog.namespace(schema)
    if (
        found is not None
        and not env.owns(found.owner)
        and not any("create" in p for r, p in found.acl.items() if r in env.member_roles())
    ):
        raise SqlError("42501", f"permission denied for schema {schema}")


def _parsed(text: str) -> Any:
    from .parser import parse_expression  # noqa: PLC0415

    return parse_expression(text)


def _no_subquery(node: Any, what: str) -> None:
    if isinstance(node, (n.Sub, n.Query)):
        raise SqlError("0A000", f"cannot use subquery in {what}", node.at)
    if isinstance(node, (list, tuple)):
        for v in node:
            _no_subquery(v, what)
    elif isinstance(node, n.Node):
        for f in node.__dataclass_fields__:
            _no_subquery(getattr(node, f), what)


no_subquery = _no_subquery


def _printable(node: Any) -> bool:
    """Whether the printed form says all that the node does."""
    if isinstance(node, (list, tuple)):
        return all(_printable(v) for v in node)
    if isinstance(node, (n.AnyAll, n.Index, n.Attr, n.Sub, n.Star)):
        return False
    if isinstance(node, n.Like) and (node.escape is not None or node.kind == "similar"):
        return False
    if isinstance(node, n.Between) and node.symmetric:
        return False
    if isinstance(node, n.Node):
        return all(_printable(getattr(node, f)) for f in node.__dataclass_fields__)
    return True


def default_of(env: Connection, column: Column, expr: Any, text: str) -> str:
    """A default, checked against the column's type, as the server keeps it."""
    _no_subquery(expr, "DEFAULT expression")
    plain = expr.arg if isinstance(expr, n.Cast) else expr
    if isinstance(plain, n.Const) and plain.value is None:
        return ""
    scope = Scope(env)
    scope.clause = "DEFAULT"
    compiler = Compiler(scope)
    if _has_column(expr):
        raise SqlError("0A000", "cannot use column reference in DEFAULT expression", _has_column(expr))
    made = compiler.value(expr)
    if not types.assignable(made.kind, column.kind):
        raise SqlError(
            "42804",
            f'column "{column.name}" is of type {types.shown(column.kind)} but default expression is of type {types.shown(made.kind)}',
            hint="You will need to rewrite or cast the expression.",
        )
    if made.constant:
        compiler.coerce(made, column.kind, at=expr.at, mods=column.mods)
    return deparse.default_text(expr, compiler, column.kind) if _printable(expr) else text


def _has_column(node: Any) -> int | None:
    if isinstance(node, n.Col):
        return node.at
    if isinstance(node, (list, tuple)):
        return next((a for v in node if (a := _has_column(v)) is not None), None)
    if isinstance(node, n.Node):
        return next((a for f in node.__dataclass_fields__ if (a := _has_column(getattr(node, f))) is not None), None)
    return None
