"""Filters. https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.settings.filters"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel

from legoenv_mcp.app import URLSAFE, Ctx, Field

from .. import mailbox
from ..app import UserId, app, refuse
from ..compose import Ignored
from ..fields import answers
from ..models import Filter, ForwardingAddress


class Criteria(BaseModel, extra="forbid", populate_by_name=True):
    """What a message must be like."""

    from_: str | None = Field(None, alias="from", description="The sender's name or address.")
    to: str | None = Field(None, description="A recipient's name or address, in To, Cc or Bcc.")
    subject: str | None = Field(None, description="A phrase of the subject.")
    query: str | None = Field(None, description="A query in Gmail's search language.")
    negatedQuery: str | None = Field(None, description="A query that the message must not match.")
    hasAttachment: bool | None = Field(None, description="Whether the message must have an attachment.")
    excludeChats: bool | None = Field(None, description="Whether chats are left out.")
    size: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = Field(None, description="A size in bytes.")
    sizeComparison: Literal["unspecified", "smaller", "larger"] | None = Field(
        None, description="How the message compares to the size."
    )


class Action(BaseModel, extra="forbid"):
    """What is done with it."""

    addLabelIds: list[str] | None = Field(
        None, description="Label ids to add, at most one of the mailbox's own labels; TRASH deletes."
    )
    removeLabelIds: list[str] | None = Field(
        None, description="Label ids to remove; INBOX archives, UNREAD marks as read."
    )
    forward: str | None = Field(None, description="A verified forwarding address to forward to.")


def _show(rule: Filter) -> dict[str, Any]:
    return {"id": rule.id, "criteria": rule.criteria, "action": rule.action}


@app.get("/gmail/v1/users/{userId}/settings/filters", tool="list_filters")
@answers("ListFiltersResponse")
def list_filters(ctx: Ctx, userId: UserId = "me") -> dict[str, Any]:
    """Lists the mailbox's filters."""
    found = ctx.db.find(Filter, order="number")
    return {"filter": [_show(rule) for rule in found]} if found else {}


@app.get("/gmail/v1/users/{userId}/settings/filters/{id}", tool="get_filter")
@answers("Filter")
def get_filter(ctx: Ctx, id: str, userId: UserId = "me") -> dict[str, Any]:
    """Gets one filter: its criteria and what it does.

    id: The filter's id.
    """
    return _show(ctx.require(Filter, id))


@app.post("/gmail/v1/users/{userId}/settings/filters", tool="create_filter")
@answers("Filter")
def create_filter(
    ctx: Ctx, userId: UserId = "me", criteria: Criteria | None = None, action: Action | None = None, id: Ignored = None
) -> dict[str, Any]:
    """Creates a filter: what is done with messages that come in from now on and match. Messages that are there already stay as they are.

    criteria: What a message must be like; all that is given must hold.
    action: What is done with it.
    """
    wanted = criteria.model_dump(by_alias=True, exclude_none=True) if criteria else {}
    done = {n: v for n, v in (action.model_dump(exclude_none=True) if action else {}).items() if v}
    if not {n for n, v in wanted.items() if v not in ("", False)} - {"excludeChats", "sizeComparison"}:
        raise refuse("Filter doesn't contain any criteria")
    if not done:
        raise refuse("Filter doesn't contain any actions")
    if bool(wanted.get("size")) != (wanted.get("sizeComparison", "unspecified") != "unspecified"):
        raise refuse("Filter size and sizeComparison must be given together")
    mailbox.check_labels(ctx, [*done.get("addLabelIds", []), *done.get("removeLabelIds", [])])
    if len({i for i in done.get("addLabelIds", []) if i.startswith("Label_")}) > 1:
        raise refuse("A filter can add only one user-defined label")
    if "forward" in done:
        address = ctx.db.get(ForwardingAddress, done["forward"])
        if address is None or address.verificationStatus != "accepted":
            raise refuse("Unrecognized forwarding address", reason="failedPrecondition", code="FAILED_PRECONDITION")
    mailbox.filter_condition(ctx, wanted)
    if any(rule.criteria == wanted and rule.action == done for rule in ctx.db.find(Filter)):
        raise refuse("Filter already exists", reason="failedPrecondition", code="FAILED_PRECONDITION")
    rule = ctx.db.add(
        Filter(
            id=ctx.id("ANe1Bm", 30, URLSAFE, kind="filter"), criteria=wanted, action=done, number=ctx.sequence("filter")
        )
    )
    return _show(rule)


@app.delete("/gmail/v1/users/{userId}/settings/filters/{id}", tool="delete_filter", status=204)
def delete_filter(ctx: Ctx, id: str, userId: UserId = "me") -> None:
    """Deletes a filter.

    id: The filter's id.
    """
    ctx.db.delete(ctx.require(Filter, id))
