"""Deals and stages."""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field, Page

from ..app import app
from ..models import Deal, Stage


@app.get("/v2/stages", tool="get_stages")
def get_stages(ctx: Ctx) -> list[Stage]:
    """Lists the pipeline's stages in their order."""
    return ctx.db.find(Stage, order="order_nr")


@app.get("/v2/deals", tool="get_deals")
def get_deals(
    ctx: Ctx, stage_id: int | None = None, status: Literal["open", "won", "lost", "deleted"] | None = None,
    limit: Annotated[int, Field(ge=1, le=500)] = 100, cursor: str | None = None,
) -> Page[Deal]:  # fmt: skip
    """Lists deals, oldest first.

    stage_id: Only deals in this stage.
    status: Only deals of this status.
    limit: How many at a time.
    cursor: Where to go on, from the answer before.
    """
    return ctx.page(Deal, limit=limit, cursor=cursor, stage_id=stage_id, status=status)


@app.get("/v2/deals/{id}", tool="get_deal")
def get_deal(ctx: Ctx, id: int) -> Deal:
    """Gets one deal.

    id: The deal's id.
    """
    return ctx.require(Deal, id)


@app.post("/v2/deals", tool="add_deal", status=201)
def add_deal(
    ctx: Ctx, title: Annotated[str, Field(min_length=1)], stage_id: int, value: float = 0, currency: str = "USD"
) -> Deal:
    """Adds a deal to a stage.

    title: The deal's name.
    stage_id: The stage it starts in.
    value: What it is worth.
    currency: In which currency.
    """
    ctx.require(Stage, stage_id)
    now = ctx.timestamp()
    return ctx.db.add(
        Deal(title=title, stage_id=stage_id, value=value, currency=currency, add_time=now, update_time=now)
    )


@app.patch("/v2/deals/{id}", tool="update_deal")
def update_deal(
    ctx: Ctx, id: int, title: str | MISSING = MISSING, value: float | MISSING = MISSING, stage_id: int | MISSING = MISSING,
    status: Literal["open", "won", "lost"] | MISSING = MISSING, lost_reason: str | MISSING | None = MISSING,
) -> Deal:  # fmt: skip
    """Changes the fields that are sent. Winning or losing a deal closes it; `open` reopens it.

    id: The deal's id.
    title: The deal's name.
    value: What it is worth.
    stage_id: The stage it stands in.
    status: How it ended, or `open`.
    lost_reason: Why it was lost.
    """
    deal = ctx.require(Deal, id)
    if deal.status == "deleted":
        raise ApiError(410, "Deal has been deleted")
    changes: dict[str, Any] = ctx.sent()
    if "stage_id" in changes:
        ctx.require(Stage, changes["stage_id"])
    after = changes.get("status", deal.status)
    if changes.get("lost_reason") and after != "lost":
        raise ApiError(400, "lost_reason can only be set when status is lost")
    if after != deal.status:
        changes["close_time"] = None if after == "open" else ctx.timestamp()
    return ctx.db.update(deal, **changes, update_time=ctx.timestamp())


@app.delete("/v2/deals/{id}", tool="delete_deal")
def delete_deal(ctx: Ctx, id: int) -> dict[str, int]:
    """Marks a deal as deleted.

    id: The deal's id.
    """
    ctx.db.update(ctx.require(Deal, id), status="deleted")
    return {"id": id}
