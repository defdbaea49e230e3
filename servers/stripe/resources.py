"""Rows as Stripe's objects: one renderer a table, registered here; `show` picks it."""

from collections.abc import Callable
from typing import Any, TypeVar

from legoenv_mcp.app import Ctx, Row

R = TypeVar("R", bound=Row)
Object = dict[str, Any]

_RENDERERS: dict[type[Row], Callable[[Ctx, Any], Object]] = {}


def renders(model: type[R]) -> Callable[[Callable[[Ctx, R], Object]], Callable[[Ctx, R], Object]]:
    """Registers how rows of a table are shown."""

    def register(render: Callable[[Ctx, R], Object]) -> Callable[[Ctx, R], Object]:
        _RENDERERS[model] = render
        return render

    return register


def show(ctx: Ctx, row: Row) -> Object:
    """A row as the object that the API answers."""
    return _RENDERERS[type(row)](ctx, row)


def listed(data: list[Any], url: str, *, has_more: bool = False, **more: Any) -> Object:
    """A list that lies inside an object."""
    return {"object": "list", "data": data, "has_more": has_more, "url": url, **more}


def deleted(kind: str, key: str) -> Object:
    """What a deletion answers, and what is left of a deleted customer."""
    return {"id": key, "object": kind, "deleted": True}
