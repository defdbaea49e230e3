"""A thousand items."""

from typing import Any

from legoenv_mcp.app import Ctx

from .models import Item


def seed(ctx: Ctx, organisation: Any, agent: Any) -> None:
    for n in range(1000):
        now = ctx.timestamp()
        ctx.db.add(
            Item(id=f"it_{n:04}", name=f"Item {n}", kind="abcd"[n % 4], amount=n, created=now, updated=now, tags=["x"])
        )
