"""Satisfaction ratings. https://developer.zendesk.com/api-reference/ticketing/ticket-management/satisfaction_ratings/"""

from typing import Any, Literal

from legoenv_mcp.app import Ctx, Field, Reply

from .. import errors, ids, resources, ticketing
from ..app import app, created
from ..inputs import Input, sent
from ..models import SatisfactionRating
from ..paging import Page, PerPage, SortOrder, listing
from .tickets import TicketId

Score = Literal[
    "offered", "unoffered", "received", "received_with_comment", "received_without_comment", "good", "good_with_comment",
    "good_without_comment", "bad", "bad_with_comment", "bad_without_comment",
]  # fmt: skip


class RatingInput(Input):
    """How content the requester is."""

    score: Literal["good", "bad"] = Field(description="`good` or `bad`.")
    comment: str | None = Field(default=None, description="What the requester says about it.")


def _fits(row: SatisfactionRating, score: str | None) -> bool:
    if score is None:
        return True
    base, _, how = score.partition("_")
    good = row.score in ("good", "bad") if base == "received" else row.score == base
    return good and (not how or bool(row.comment) == (how == "with_comment"))


@app.get("/api/v2/satisfaction_ratings", tool="list_satisfaction_ratings")
def list_satisfaction_ratings(
    ctx: Ctx, score: Score | None = None, start_time: int | None = None, end_time: int | None = None, sort_order: SortOrder = None,
    page: Page = 1, per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists how requesters rated the help they got.

    score: Only ratings with this score.
    start_time: Only ratings from this moment on, in Unix seconds.
    end_time: Only ratings before this moment, in Unix seconds.
    """
    low, high = start_time or 0, end_time if end_time is not None else 2**62
    rows = [
        r
        for r in ctx.db.find(SatisfactionRating)
        if _fits(r, score) and low <= ctx.parse_time(r.created_at).timestamp() < high
    ]
    if (sort_order or "asc").lower() == "desc":
        rows.reverse()
    return listing(ctx, "satisfaction_ratings", rows, lambda r: resources.rating(ctx, r), page=page, per_page=per_page)


@app.get("/api/v2/satisfaction_ratings/{satisfaction_rating_id}", tool="show_satisfaction_rating", mcp=False)
def show_satisfaction_rating(ctx: Ctx, satisfaction_rating_id: int) -> dict[str, Any]:
    """Shows a satisfaction rating.

    satisfaction_rating_id: The rating's id.
    """
    return {"satisfaction_rating": resources.rating(ctx, ctx.require(SatisfactionRating, satisfaction_rating_id))}


@app.post("/api/v2/tickets/{ticket_id}/satisfaction_rating", tool="create_satisfaction_rating", mcp=False, status=201)
def create_satisfaction_rating(ctx: Ctx, ticket_id: TicketId, satisfaction_rating: RatingInput) -> Reply:
    """Rates a solved ticket that you requested yourself.

    satisfaction_rating: The score, and what you say about it.
    """
    row, given, now = ticketing.find(ctx, ticket_id), sent(ctx, satisfaction_rating), ctx.timestamp()
    if row.requester_id != ids.me(ctx):
        raise errors.forbidden("Only the requester of a ticket can rate it.")
    if row.status not in ("solved", "closed"):
        raise errors.refuse("base", "Satisfaction: only solved tickets can be rated", "InvalidValue")
    made = ctx.db.add(SatisfactionRating(
        id=ids.new(ctx, "satisfaction_rating"), ticket_id=row.id, requester_id=row.requester_id, assignee_id=row.assignee_id,
        group_id=row.group_id, score=given["score"], comment=given.get("comment"), created_at=now, updated_at=now,
    ))  # fmt: skip
    return created(ctx, {"satisfaction_rating": resources.rating(ctx, made)})
