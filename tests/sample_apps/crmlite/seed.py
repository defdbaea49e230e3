"""What a fresh account has."""

from typing import Any

from legoenv_mcp.app import Ctx

from .models import Deal, File, Stage


def seed(ctx: Ctx, organisation: Any, agent: Any) -> None:
    stages = [ctx.db.add(Stage(name=name, order_nr=n)) for n, name in enumerate(("Lead", "Offer", "Contract"), start=1)]
    moment = "2026-02-01T09:00:00Z"
    for n in range(1, 8):
        stage = stages[n % 3].id or 0
        ctx.db.add(Deal(title=f"Deal {n}", value=1000 * n, stage_id=stage, add_time=moment, update_time=moment))
    ctx.db.add(File(path="readme.md", content="top"))
    ctx.db.add(File(path="docs/a b.md", content="nested"))
