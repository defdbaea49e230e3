"""Tickets. https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Reply

from .. import errors, ids, includes, resources, ticketing
from ..app import app, created
from ..includes import Include
from ..inputs import NewTicketInput, TicketChangeInput, sent
from ..models import PRIORITIES, STATUSES, Comment, Group, Organization, Ticket, User
from ..paging import IdList, Key, Page, PerPage, SortOrder, by, listing, ordered, rank, wants_cursor

TicketId = Annotated[int, Field(description="The ticket's id.")]
SORTS: dict[str, Key] = {
    **{
        name: by(name)
        for name in ("created_at", "updated_at", "subject", "id", "requester_id", "assignee_id", "group_id")
    },
    "status": lambda t: (STATUSES.index(t.status), t.id),
    "priority": lambda t: (rank(PRIORITIES.index(t.priority) if t.priority else None), t.id),
}
CURSOR_SORTS: dict[str, Key] = {
    "id": lambda t: t.id, "updated_at": lambda t: t.updated_at, "status": lambda t: STATUSES.index(t.status),
}  # fmt: skip
# Sorted by the name of whom or what a ticket names.
_NAMED: dict[str, tuple[str, type[User] | type[Group]]] = {
    "assignee": ("assignee_id", User), "assignee.name": ("assignee_id", User), "requester": ("requester_id", User),
    "requester.name": ("requester_id", User), "group": ("group_id", Group),
}  # fmt: skip
TicketSort = Annotated[
    Literal[
        "created_at", "updated_at", "status", "priority", "subject", "id", "requester_id", "assignee_id", "group_id",
        "assignee", "assignee.name", "requester", "requester.name", "group",
    ]
    | None,
    Field(description="What to sort by."),
]  # fmt: skip


def _orders(ctx: Ctx, sort_by: str | None) -> dict[str, Key]:
    if sort_by not in _NAMED:
        return SORTS
    column, kind = _NAMED[sort_by]
    names = {row.id: row.name for row in ctx.db.find(kind)}
    return {sort_by: lambda t: (rank(names.get(getattr(t, column))), t.id)}


def answer(
    ctx: Ctx, rows: list[Ticket], page: int, per_page: int | None, include: str | None = None, sort_by: str | None = None,
    sort_order: str | None = None, sorts: dict[str, Key] = CURSOR_SORTS,
) -> dict[str, Any]:  # fmt: skip
    """A page of tickets, with what is to be side-loaded. Under cursors `sort_by` means nothing, as with Zendesk."""
    chosen = rows if wants_cursor(ctx) else ordered(rows, _orders(ctx, sort_by), sort_by, sort_order)
    out = listing(
        ctx,
        "tickets",
        chosen,
        lambda t: resources.ticket(ctx, t),
        page=page,
        per_page=per_page,
        cursor_sorts=sorts,
    )
    shown = [t["id"] for t in out["tickets"]]
    includes.in_tickets(ctx, out["tickets"], include)
    return {**out, **includes.of_tickets(ctx, ctx.db.find(Ticket, id__in=shown), include)}


@app.get("/api/v2/tickets", tool="list_tickets")
def list_tickets(
    ctx: Ctx, external_id: str | None = None, sort_by: TicketSort = None, sort_order: SortOrder = None, include: Include = None,
    page: Page = 1, per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists all tickets, oldest first unless sorted. To find tickets by status, requester or words, use `search`.

    external_id: Only tickets with this id of your own.
    """
    return answer(
        ctx, ctx.db.find(Ticket, deleted=False, external_id=external_id), page, per_page, include, sort_by, sort_order
    )


@app.get("/api/v2/tickets/{ticket_id}", tool="show_ticket")
def show_ticket(ctx: Ctx, ticket_id: TicketId, include: Include = None) -> dict[str, Any]:
    """Shows a ticket. Its conversation is listed by `list_ticket_comments`."""
    row = ticketing.find(ctx, ticket_id)
    shown = resources.ticket(ctx, row)
    includes.in_tickets(ctx, [shown], include)
    return {"ticket": shown, **includes.of_tickets(ctx, [row], include)}


@app.get("/api/v2/tickets/show_many", tool="show_many_tickets")
def show_many_tickets(ctx: Ctx, ids: IdList, include: Include = None) -> dict[str, Any]:
    """Shows several tickets by their ids, at most 100. Those that are not there are left out.

    ids: The tickets' ids.
    """
    if len(ids) > 100:
        raise errors.too_many("ids")
    rows = ctx.db.find(Ticket, id__in=ids, deleted=False)
    out = {
        "tickets": [resources.ticket(ctx, t) for t in rows],
        "next_page": None,
        "previous_page": None,
        "count": len(rows),
    }
    includes.in_tickets(ctx, out["tickets"], include)
    return {**out, **includes.of_tickets(ctx, rows, include)}


@app.get("/api/v2/tickets/count", tool="count_tickets", mcp=False)
def count_tickets(ctx: Ctx) -> dict[str, Any]:
    """Counts all tickets."""
    return {"count": {"value": ctx.db.count(Ticket, deleted=False), "refreshed_at": ctx.timestamp()}}


@app.get("/api/v2/tickets/recent", tool="list_recent_tickets", mcp=False)
def list_recent_tickets(ctx: Ctx, page: Page = 1, per_page: PerPage = None, include: Include = None) -> dict[str, Any]:
    """Lists the tickets that you changed or wrote on most recently, at most five."""
    mine = {c.ticket_id for c in ctx.db.find(Comment, author_id=ids.me(ctx))}
    rows = ctx.db.find(Ticket, id__in=sorted(mine), deleted=False, order="-updated_at,-id", limit=5)
    return answer(ctx, rows, page, per_page, include)


@app.post("/api/v2/tickets", tool="create_ticket", status=201)
def create_ticket(ctx: Ctx, ticket: NewTicketInput) -> Reply:
    """Creates a ticket. It needs a first message (`comment`); the requester is you unless given by id or e-mail address, and the
    message is the requester's unless `submitter_id` says whose.

    ticket: The ticket's properties.
    """
    row, audit = ticketing.create(ctx, sent(ctx, ticket))
    return created(ctx, {"ticket": resources.ticket(ctx, row), "audit": resources.audit(ctx, audit)})


@app.put("/api/v2/tickets/{ticket_id}", tool="update_ticket", idempotent=False)
def update_ticket(ctx: Ctx, ticket_id: TicketId, ticket: TicketChangeInput) -> dict[str, Any]:
    """Changes a ticket's properties, and adds a reply or an internal note (`comment`), in one update. Closed tickets cannot be changed;
    solving needs an assignee. `tags` replaces all tags; to add some, use `add_tags`.

    ticket: What to change.
    """
    row = ticketing.find(ctx, ticket_id)
    audit = ticketing.change(ctx, row, sent(ctx, ticket))
    shown: dict[str, Any] = {"ticket": resources.ticket(ctx, row)}
    return {**shown, "audit": resources.audit(ctx, audit)} if audit else shown


@app.get("/api/v2/problems", tool="list_ticket_problems", mcp=False)
def list_ticket_problems(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the tickets that are problems."""
    return answer(ctx, ctx.db.find(Ticket, type="problem", deleted=False), page, per_page)


@app.post("/api/v2/problems/autocomplete", tool="autocomplete_problems", effect="read", mcp=False)
def autocomplete_problems(ctx: Ctx, text: str = "") -> dict[str, Any]:
    """Lists problems that are not solved and whose subject contains a text.

    text: The text.
    """
    rows = ctx.db.find(Ticket, type="problem", status__in=STATUSES[:4], deleted=False, subject__contains=text)
    return answer(ctx, rows, 1, 100)


@app.get("/api/v2/tickets/{ticket_id}/incidents", tool="list_ticket_incidents")
def list_ticket_incidents(ctx: Ctx, ticket_id: TicketId, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the incidents that are linked to a problem ticket."""
    ticketing.find(ctx, ticket_id)
    return answer(ctx, ctx.db.find(Ticket, problem_id=ticket_id, deleted=False), page, per_page)


@app.get("/api/v2/tickets/{ticket_id}/related", tool="show_ticket_related", mcp=False)
def show_ticket_related(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Shows what is linked to a ticket: follow-ups, and whether it has incidents."""
    row = ticketing.find(ctx, ticket_id)
    followups = ctx.db.find(Ticket, followup_source_id=row.id, deleted=False)
    return {
        "ticket_related": {
            "topic_id": None, "jira_issue_ids": [], "followup_source_ids": [str(t.id) for t in followups], "from_archive": False,
            "incidents": ctx.db.count(Ticket, problem_id=row.id, deleted=False), "url": None, "twitter": {},
        }
    }  # fmt: skip


def _people(ctx: Ctx, user_ids: list[int]) -> dict[str, Any]:
    return listing(ctx, "users", ctx.db.find(User, id__in=user_ids), lambda u: resources.user(ctx, u), per_page=100)


@app.get("/api/v2/tickets/{ticket_id}/collaborators", tool="list_ticket_collaborators", mcp=False)
def list_ticket_collaborators(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Lists the users who follow a ticket or get copies of it."""
    row = ticketing.find(ctx, ticket_id)
    return _people(ctx, [*row.follower_ids, *row.email_cc_ids])


@app.get("/api/v2/tickets/{ticket_id}/followers", tool="list_ticket_followers", mcp=False)
def list_ticket_followers(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Lists the agents who follow a ticket."""
    return _people(ctx, ticketing.find(ctx, ticket_id).follower_ids)


@app.get("/api/v2/tickets/{ticket_id}/email_ccs", tool="list_ticket_email_ccs", mcp=False)
def list_ticket_email_ccs(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Lists the users who get copies of a ticket."""
    return _people(ctx, ticketing.find(ctx, ticket_id).email_cc_ids)


@app.get("/api/v2/organizations/{organization_id}/tickets", tool="list_organization_tickets", mcp=False)
def list_organization_tickets(
    ctx: Ctx, organization_id: int, sort_by: TicketSort = None, sort_order: SortOrder = None, include: Include = None,
    page: Page = 1, per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the tickets of an organization.

    organization_id: The organization's id.
    """
    ctx.require(Organization, organization_id)
    rows = ctx.db.find(Ticket, organization_id=organization_id, deleted=False)
    return answer(ctx, rows, page, per_page, include, sort_by, sort_order)


@app.get("/api/v2/organizations/{organization_id}/tickets/count", tool="count_organization_tickets", mcp=False)
def count_organization_tickets(ctx: Ctx, organization_id: int) -> dict[str, Any]:
    """Counts the tickets of an organization.

    organization_id: The organization's id.
    """
    ctx.require(Organization, organization_id)
    total = ctx.db.count(Ticket, organization_id=organization_id, deleted=False)
    return {"count": {"value": total, "refreshed_at": ctx.timestamp()}}


@app.get("/api/v2/groups/{group_id}/tickets", tool="list_group_tickets", mcp=False)
def list_group_tickets(ctx: Ctx, group_id: int, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the tickets of a group.

    group_id: The group's id.
    """
    ctx.require(Group, group_id)
    return answer(ctx, ctx.db.find(Ticket, group_id=group_id, deleted=False), page, per_page)


@app.get("/api/v2/users/{user_id}/tickets/{relation}", tool="list_user_tickets")
def list_user_tickets(
    ctx: Ctx, user_id: int, relation: Literal["requested", "assigned", "ccd", "followed"], sort_by: TicketSort = None,
    sort_order: SortOrder = None, include: Include = None, page: Page = 1, per_page: PerPage = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the tickets that a user requested, is assigned to, gets copies of or follows.

    user_id: The user's id.
    relation: What the user has to do with the tickets.
    """
    return answer(ctx, _of_user(ctx, user_id, relation), page, per_page, include, sort_by, sort_order)


def _of_user(ctx: Ctx, user_id: int, relation: str) -> list[Ticket]:
    ctx.require(User, user_id)
    tests = {
        "requested": lambda t: t.requester_id == user_id, "assigned": lambda t: t.assignee_id == user_id,
        "ccd": lambda t: user_id in t.email_cc_ids, "followed": lambda t: user_id in t.follower_ids,
    }  # fmt: skip
    return [t for t in ctx.db.find(Ticket, deleted=False) if tests[relation](t)]


@app.get("/api/v2/users/{user_id}/tickets/{relation}/count", tool="count_user_tickets", mcp=False)
def count_user_tickets(ctx: Ctx, user_id: int, relation: Literal["assigned", "ccd"]) -> dict[str, Any]:
    """Counts the tickets that a user is assigned to or gets copies of.

    user_id: The user's id.
    relation: What the user has to do with the tickets.
    """
    return {"count": {"value": len(_of_user(ctx, user_id, relation)), "refreshed_at": ctx.timestamp()}}
