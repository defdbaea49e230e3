"""`fields=`: partial responses. https://developers.google.com/workspace/gmail/api/guides/performance#partial-response"""

from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

Names = dict[str, Any]
"""A selection, or a schema: field name -> what lies below it; an empty dict is everything."""


class BadSelection(ValueError):
    """The selection cannot be read (`path` is all of it), or names a path that the response does not have."""

    def __init__(self, path: str, *, unread: bool) -> None:
        super().__init__(path)
        self.path = path
        self.unread = unread


@cache
def _parser() -> Lark:
    return Lark((Path(__file__).parent / "fields.lark").read_text(encoding="utf-8"), start="selection", parser="lalr")


def select(result: Any, fields: str, schema: Names | None) -> Any:
    """The result with the selected fields alone. BadSelection where the schema, if there is one, does not have them."""
    wanted = read_selection(fields)
    if schema is not None:
        _check(wanted, schema, "")
    return _pick(result, wanted)


def read_selection(fields: str) -> Names:
    """A selection, or a field mask, as nested names. BadSelection where it cannot be read."""
    try:
        return _read(_parser().parse(fields))
    except LarkError:
        raise BadSelection(fields, unread=True) from None


def _read(tree: Tree[Any]) -> Names:
    """A parsed selection as nested names; a name given twice selects both."""
    out: Names = {}
    for path in tree.children:
        names = [str(t) for t in path.children if isinstance(t, Token)]
        groups = [t for t in path.children if isinstance(t, Tree)]
        below = _read(groups[0].children[0]) if groups else {}
        for name in reversed(names):
            below = {name: below}
        _merge(out, below)
    return out


def _merge(into: Names, other: Names) -> None:
    for name, below in other.items():
        if name not in into:
            into[name] = below
        elif into[name] and below:
            _merge(into[name], below)
        else:
            into[name] = {}


def _check(wanted: Names, schema: Names, path: str) -> None:
    for name, below in wanted.items():
        here = f"{path}/{name}" if path else name
        if name == "*":
            for inner in schema.values():
                if inner and below:
                    _check(below, inner, here)
        elif name not in schema and "*" not in schema:
            raise BadSelection(here, unread=False)
        elif below:
            _check(below, schema.get(name, schema.get("*", {})), here)


def _pick(value: Any, wanted: Names) -> Any:
    if isinstance(value, list):
        return [_pick(v, wanted) for v in value]
    if not isinstance(value, dict) or not wanted:
        return value
    every = wanted.get("*")
    out: dict[str, Any] = {}
    for name, inner in value.items():
        if name in wanted:
            out[name] = _pick(inner, wanted[name])
        elif every is not None and (not every or isinstance(inner, dict | list)):
            out[name] = _pick(inner, every)
    return out
