"""How tools call the endpoints: each does one thing that its endpoint can do."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import endpoints, records
from .models import Record
from .shapes import plain


def body(ctx: Ctx) -> dict[str, Any]:
    """The arguments as a request's body."""
    return {name.rstrip("_"): plain(value) for name, value in ctx.sent().items()}


def create(ctx: Ctx, cls: type[Record]) -> dict[str, Any]:
    return endpoints.shown(
        ctx, records.create(ctx, cls, {k: v for k, v in body(ctx).items() if k not in ("Id", "SyncToken")})
    )


def update(ctx: Ctx, cls: type[Record]) -> dict[str, Any]:
    """A sparse update: what is not given stays."""
    return endpoints.shown(ctx, records.update(ctx, cls, {**body(ctx), "sparse": True}))


def void(ctx: Ctx, cls: type[Record]) -> dict[str, Any]:
    return endpoints.shown(ctx, records.void(ctx, cls, body(ctx)))


def delete(ctx: Ctx, cls: type[Record]) -> dict[str, Any]:
    return endpoints.gone(ctx, cls, body(ctx))


def read(ctx: Ctx, cls: type[Record], key: str) -> dict[str, Any]:
    return endpoints.shown(ctx, records.find(ctx, cls, key))
