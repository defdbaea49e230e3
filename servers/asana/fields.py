"""Which fields of an object are answered: opt_fields, and how compact and full records are shown."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from lark import Lark, Tree
from lark.exceptions import LarkError

from legoenv_mcp.app import Ctx, Row

from .app import Shown, bad, over_mcp

Chosen = dict[str, "Chosen"]
"""Names to what is chosen inside of them."""

_MOST_GROUPS, _MOST_PATHS = 20, 500
_parser = Lark((Path(__file__).with_name("opt_fields.lark")).read_text(encoding="utf-8"), parser="lalr")


@lru_cache(maxsize=256)
def _paths(text: str) -> tuple[tuple[str, ...], ...]:
    if text.count("(") > _MOST_GROUPS:
        raise bad("opt_fields: Too many groups")
    try:
        tree = _parser.parse(text)
    except LarkError as error:
        raise bad(f"opt_fields: Could not parse field list at: {_where(text, error)}") from None
    return tuple(found for path in tree.children for found in _spread(path))


def _where(text: str, error: LarkError) -> str:
    place = getattr(error, "pos_in_stream", None)
    return repr(text[place : place + 20] if isinstance(place, int) else text[-20:])


def _spread(node: Any) -> list[tuple[str, ...]]:
    """The plain paths that a path with groups means."""
    assert isinstance(node, Tree)
    if node.data == "name":
        return [() if str(node.children[0]) == "this" else (str(node.children[0]),)]
    if node.data == "either":
        return [found for path in node.children for found in _spread(path)]
    parts, count = [_spread(term) for term in node.children], 1
    for part in parts:
        count *= len(part)
    if count > _MOST_PATHS:
        raise bad("opt_fields: Too many fields")
    return [tuple(name for part in chosen for name in part) for chosen in product(*parts)]


def chosen(text: str | None) -> Chosen | None:
    """What opt_fields asks for; None where it was not sent."""
    if text is None or not text.strip(", \t"):
        return None
    tree: Chosen = {}
    for path in _paths(text.strip(", \t")):
        place = tree
        for name in path:
            place = place.setdefault(name, {})
    return tree


Getter = Callable[[Ctx, Any], Any]


class Kind:
    """A resource: how each of its fields is got from its row, which of them a compact record has, and which are opt-in only.

    A field that is None is the row's own column of that name. Getters may answer rows, lists of rows and objects with rows in them.
    Fields in `entire` hold whole records, where others hold compact ones; agents get compact ones there too.
    """

    def __init__(
        self, name: str, compact: Sequence[str], fields: Mapping[str, Getter | None], *, opt_in: Sequence[str] = (), path: str = "",
        whole: bool = False, entire: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.name = name
        self.compact = tuple(compact)
        self.fields = dict(fields)
        self.full = tuple(n for n in fields if n not in opt_in)
        self.path = path or f"{name}s"
        self.whole = whole
        self.entire = tuple(entire)

    def get(self, ctx: Ctx, row: Any, name: str) -> Any:
        if name == "resource_type":
            return self.name
        getter = self.fields.get(name)
        return getattr(row, name) if getter is None else getter(ctx, row)


KINDS: dict[type[Any], Kind] = {}
"""The resources by the class of their rows, filled by resources.py."""


def shown(ctx: Ctx, row: Any, opt: Chosen | None = None, *, full: bool = False) -> dict[str, Any]:
    """An object's record: the fields that were asked for, else all or the compact ones."""
    kind = KINDS[type(row)]
    made = Shown({"gid": row.gid})
    made.location = f"/{kind.path}/{row.gid}"
    if opt is None:
        names = kind.full if full else kind.compact
        for name in ("resource_type", *names):
            value = kind.get(ctx, row, name)
            if name in kind.entire and type(value) in KINDS and not over_mcp(ctx):
                made[name] = shown(ctx, value, full=True)
            elif value is not ABSENT:
                made[name] = _inner(ctx, value, None)
        return made
    if not opt:  # named, but nothing in it: what it is, and for values what they say
        names = kind.compact if kind.whole else ()
        opt = {name: {} for name in ("resource_type", *names)}
    for name, inside in opt.items():
        if name == "resource_type" or name in kind.fields:
            value = kind.get(ctx, row, name)
            if value is not ABSENT:
                made[name] = _inner(ctx, value, inside)
    return made


ABSENT = object()
"""A field that this object does not have at all: a number's precision on a text field."""


def _inner(ctx: Ctx, value: Any, opt: Chosen | None) -> Any:
    if type(value) in KINDS:
        return shown(ctx, value, opt)
    if isinstance(value, list):
        return [_inner(ctx, one, opt) for one in value]
    if isinstance(value, dict):
        return {
            k: _inner(ctx, v, opt.get(k) if opt else opt) for k, v in value.items() if not opt or k in opt or k == "gid"
        }
    assert not isinstance(value, Row), f"{type(value).__name__} has no record"
    return value
