"""A table's row as the scope of its checks, defaults, policies and index expressions."""

from typing import TYPE_CHECKING, Any

from .models import Relation
from .scope import Out, Scope, Source

if TYPE_CHECKING:
    from .session import Connection


def row_scope(env: "Connection", relation: Relation, alias: str = "", extra: list[Out] | None = None) -> Scope:
    scope = Scope(env)
    columns = [Out(c.name, c.kind, c.mods) for c in env.catalog.columns(relation)]
    source = Source(alias or relation.name, [*columns, *(extra or [])], 0, relation)
    source.hidden = set(range(len(columns), len(source.columns)))
    scope.add(source)
    return scope


def compiled(env: "Connection", relation: Relation, text: str, clause: str = "CHECK") -> Any:
    """An expression kept as text, over the table's row."""
    from .expressions import Compiler  # noqa: PLC0415
    from .parser import parse_expression  # noqa: PLC0415

    scope = row_scope(env, relation)
    scope.clause = clause
    return Compiler(scope).value(parse_expression(text))
