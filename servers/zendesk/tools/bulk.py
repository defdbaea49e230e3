"""Many tickets at once, deletion, merging. https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/"""

from typing import Annotated, Any

from legoenv_mcp.app import Body, Ctx, Field, Query, Reply

from .. import errors, ids, jobs, people, resources, ticketing
from ..app import app, done
from ..inputs import NewTicketInput, OneOfManyInput, TicketChangeInput, plain, sent
from ..models import Attachment, Audit, Comment, Job, SatisfactionRating, Ticket
from ..paging import IdList, Page, PerPage, SortOrder, by, listing, ordered
from ..tagging import changed
from ..talk import Draft, copy_attachments
from .tickets import TicketId

ManyIds = Annotated[IdList, Query(), Field(description="The tickets' ids, at most 100.")]


@app.post("/api/v2/tickets/create_many", tool="create_many_tickets", mcp=False)
def create_many_tickets(ctx: Ctx, tickets: list[NewTicketInput]) -> dict[str, Any]:
    """Creates up to 100 tickets. Answers a job; `show_job_status` tells what became of each.

    tickets: The tickets' properties.
    """
    jobs.too_many(tickets)
    for one in tickets:
        sent(ctx, one)

    def made(reply: Reply) -> dict[str, Any]:
        return {"id": reply.body["ticket"]["id"], "account_id": ids.account(ctx).id}

    items = [(None, "create_ticket", {"ticket": plain(one)}) for one in tickets]
    return jobs.each(ctx, "Bulk Create Ticket", "create", items, made)


@app.put("/api/v2/tickets/update_many", tool="update_many_tickets", idempotent=False)
def update_many_tickets(
    ctx: Ctx, ids: Annotated[IdList | None, Query()] = None, ticket: TicketChangeInput | None = None,
    tickets: Annotated[list[OneOfManyInput] | None, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes up to 100 tickets alike. Answers a job; `show_job_status` tells what became of each ticket: those that are refused,
    such as closed ones, stay as they are while the others change.

    ids: The tickets' ids, with `ticket`.
    ticket: What to change of every one of `ids`.
    tickets: What to change of each, with its id, instead.
    """
    if tickets is not None:
        jobs.too_many(tickets)
        for one in tickets:
            sent(ctx, one)
        bodies = [plain(one) for one in tickets]
        items = [(b["id"], "update_ticket", {"ticket_id": b.pop("id"), "ticket": b}) for b in bodies]
    elif ids and ticket is not None:
        jobs.too_many(ids, "ids")
        sent(ctx, ticket)
        items = [(i, "update_ticket", {"ticket_id": i, "ticket": plain(ticket)}) for i in ids]
    else:
        raise errors.titled(400, "Missing parameter", "Required parameter missing: tickets, or ids with ticket")
    return jobs.each(ctx, "Bulk Update Ticket", "update", items)


@app.delete("/api/v2/tickets/destroy_many", tool="delete_many_tickets")
def delete_many_tickets(ctx: Ctx, ids: ManyIds) -> dict[str, Any]:
    """Deletes up to 100 tickets. They can be restored for 30 days. Answers a job."""
    jobs.too_many(ids, "ids")
    return jobs.each(ctx, "Bulk Update Ticket", "delete", [(i, "delete_ticket", {"ticket_id": i}) for i in ids])


def _delete(ctx: Ctx, row: Ticket) -> None:
    ctx.db.update(row, deleted=True, deleted_by_id=ids.me(ctx), deleted_at=ctx.timestamp(), updated_at=ctx.timestamp())


@app.delete("/api/v2/tickets/{ticket_id}", tool="delete_ticket")
def delete_ticket(ctx: Ctx, ticket_id: TicketId) -> Any:
    """Deletes a ticket. It can be restored for 30 days, see `list_deleted_tickets`."""
    _delete(ctx, ticketing.find(ctx, ticket_id))
    return done(ctx, {"deleted": True, "id": ticket_id})


@app.put("/api/v2/tickets/{ticket_id}/mark_as_spam", tool="mark_ticket_as_spam")
def mark_ticket_as_spam(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Deletes a ticket as spam and suspends its requester, an end user."""
    row = ticketing.find(ctx, ticket_id)
    requester = people.find(ctx, row.requester_id)
    if requester.role != "end-user":
        raise errors.refuse("base", "Requester: agents cannot be suspended for spam")
    ctx.db.update(requester, suspended=True, updated_at=ctx.timestamp())
    _delete(ctx, row)
    return {"deleted": True, "id": ticket_id, "suspended_user_id": requester.id} if not ctx.request.method else {}


@app.put("/api/v2/tickets/mark_many_as_spam", tool="mark_many_tickets_as_spam", mcp=False)
def mark_many_tickets_as_spam(ctx: Ctx, ids: ManyIds) -> dict[str, Any]:
    """Deletes up to 100 tickets as spam and suspends their requesters. Answers a job."""
    jobs.too_many(ids, "ids")
    items = [(i, "mark_ticket_as_spam", {"ticket_id": i}) for i in ids]
    return jobs.each(ctx, "Bulk Mark As Spam", "update", items)


@app.get("/api/v2/deleted_tickets", tool="list_deleted_tickets")
def list_deleted_tickets(
    ctx: Ctx, sort_by: str | None = None, sort_order: SortOrder = None, page: Page = 1, per_page: PerPage = None
) -> dict[str, Any]:
    """Lists deleted tickets that can be restored.

    sort_by: `id`, `subject` or `deleted_at`.
    """
    rows = ordered(
        ctx.db.find(Ticket, deleted=True), {n: by(n) for n in ("id", "subject", "deleted_at")}, sort_by, sort_order
    )
    return listing(
        ctx, "deleted_tickets", rows, lambda t: resources.deleted_ticket(ctx, t), page=page, per_page=per_page
    )


def _deleted(ctx: Ctx, ticket_id: int) -> Ticket:
    row = ctx.require(Ticket, ticket_id)
    if not row.deleted:
        raise errors.not_found()
    return row


@app.put("/api/v2/deleted_tickets/{ticket_id}/restore", tool="restore_deleted_ticket")
def restore_deleted_ticket(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Restores a deleted ticket as it was."""
    row = _deleted(ctx, ticket_id)
    ctx.db.update(row, deleted=False, deleted_by_id=None, deleted_at=None, updated_at=ctx.timestamp())
    return {"restored": True, "id": ticket_id} if not ctx.request.method else {}


@app.put("/api/v2/deleted_tickets/restore_many", tool="restore_many_tickets", mcp=False)
def restore_many_tickets(ctx: Ctx, ids: ManyIds) -> dict[str, Any]:
    """Restores up to 100 deleted tickets; all of them, or none where one is not there."""
    jobs.too_many(ids, "ids")
    for ticket_id in dict.fromkeys(ids):
        restore_deleted_ticket(ctx, ticket_id)
    return {}


def _destroy(ctx: Ctx, row: Ticket) -> None:
    for comment in ctx.db.find(Comment, ticket_id=row.id):
        ctx.db.delete_where(Attachment, comment_id=comment.id)
        ctx.db.delete(comment)
    ctx.db.delete_where(SatisfactionRating, ticket_id=row.id)
    ctx.db.delete_where(Audit, ticket_id=row.id)
    for incident in ctx.db.find(Ticket, problem_id=row.id):
        ctx.db.update(incident, problem_id=None)
    ctx.db.delete(row)


@app.delete("/api/v2/deleted_tickets/{ticket_id}", tool="delete_ticket_permanently", mcp=False)
def delete_ticket_permanently(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Destroys a deleted ticket for good. Answers a job."""
    _destroy(ctx, _deleted(ctx, ticket_id))
    results = [{"id": ticket_id, "action": "delete", "status": "Deleted", "success": True}]
    return jobs.finish(ctx, "Permanently Delete Tickets", results)


@app.delete("/api/v2/deleted_tickets/destroy_many", tool="delete_many_tickets_permanently", mcp=False)
def delete_many_tickets_permanently(ctx: Ctx, ids: ManyIds) -> dict[str, Any]:
    """Destroys up to 100 deleted tickets for good. Answers a job."""
    jobs.too_many(ids, "ids")
    results = list[dict[str, Any]]()
    for ticket_id in dict.fromkeys(ids):
        _destroy(ctx, _deleted(ctx, ticket_id))
        results.append({"id": ticket_id, "action": "delete", "status": "Deleted", "success": True})
    return jobs.finish(ctx, "Permanently Delete Tickets", results)


@app.post("/api/v2/tickets/{ticket_id}/merge", tool="merge_tickets", effect="update", idempotent=False)
def merge_tickets(
    ctx: Ctx, ticket_id: TicketId, ids: IdList, target_comment: str | None = None, source_comment: str | None = None,
    target_comment_is_public: bool = False, source_comment_is_public: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Merges other tickets into this one: they are closed, with a note in each that names the other. It cannot be undone. None of
    them may be closed. Answers a job.

    ticket_id: Id of the ticket that remains.
    ids: Ids of the tickets to merge into it.
    target_comment: Note to add to the ticket that remains, instead of the usual one.
    source_comment: Note to add to the merged tickets, instead of the usual one.
    target_comment_is_public: Whether the requester gets that note of the ticket that remains.
    source_comment_is_public: Whether the requesters get that note of the merged tickets.
    """
    target = ticketing.find(ctx, ticket_id)
    sources = [ticketing.find(ctx, i) for i in dict.fromkeys(ids)]
    if not sources:
        raise errors.titled(400, "Missing parameter", "Required parameter missing: ids")
    jobs.too_many(sources, "ids")
    for row in (target, *sources):
        if row.status == "closed":
            raise errors.refuse("base", f"Ticket {row.id} is closed and cannot be merged")
    if any(row.id == target.id for row in sources):
        raise errors.refuse("base", "A ticket cannot be merged into itself")
    for row in sources:
        _merge(ctx, row, target, source_comment, target_comment, source_comment_is_public, target_comment_is_public)
    results = [{"id": t.id, "action": "update", "status": "Updated", "success": True} for t in (*sources, target)]
    return jobs.finish(ctx, "Bulk Merge Ticket", results)


def _merge(
    ctx: Ctx,
    source: Ticket,
    target: Ticket,
    said_there: str | None,
    said_here: str | None,
    public_there: bool,
    public_here: bool,
) -> None:
    me = ids.me(ctx)
    there = said_there or f'This request was closed and merged into request #{target.id} "{target.subject}".'
    last = ticketing.comments(ctx, source)
    quoted = f"\n\nLast comment in request #{source.id}:\n\n{last[-1].body}" if last else ""
    here = said_here or f'Request #{source.id} "{source.subject}" was closed and merged into this request.{quoted}'
    private = not (source.is_public and target.is_public)
    ccs = list(target.email_cc_ids)
    if source.requester_id != target.requester_id and source.requester_id not in ccs:
        ccs.append(source.requester_id)
    tags = changed(source.tags, ["closed_by_merge"])
    ticketing.apply(
        ctx, source, {"status": "closed", "tags": tags}, Draft(me, there, public_there and not private, False), "merge"
    )
    note = Draft(me, here, public_here and not private, False)
    audit = ticketing.apply(ctx, target, {"email_cc_ids": ccs}, note, "merge")
    assert audit is not None
    copy_attachments(ctx, source, audit.events[0]["id"])


@app.get("/api/v2/job_statuses", tool="list_job_statuses", mcp=False)
def list_job_statuses(ctx: Ctx) -> dict[str, Any]:
    """Lists the jobs that bulk requests started."""
    rows = ctx.db.find(Job, order="-number")
    return listing(ctx, "job_statuses", rows, lambda j: resources.job(ctx, j), per_page=100)


@app.get("/api/v2/job_statuses/{job_status_id}", tool="show_job_status")
def show_job_status(ctx: Ctx, job_status_id: str) -> dict[str, Any]:
    """Shows a job that a bulk request started, with what became of each record.

    job_status_id: The job's id, as the bulk request answered it.
    """
    return {"job_status": resources.job(ctx, ctx.require(Job, job_status_id))}


@app.get("/api/v2/job_statuses/show_many", tool="show_many_job_statuses", mcp=False)
def show_many_job_statuses(ctx: Ctx, ids: str) -> dict[str, Any]:
    """Shows several jobs.

    ids: The jobs' ids, with commas between.
    """
    found = [j for key in ids.split(",") if (j := ctx.db.get(Job, key.strip()))]
    return {"job_statuses": [resources.job(ctx, j) for j in found]}
