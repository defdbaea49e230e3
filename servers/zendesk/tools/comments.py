"""Comments, audits and metrics of tickets. https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_comments/"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Payload, Query, Reply

from .. import errors, ids, includes, resources, ticketing
from ..app import app
from ..includes import Include
from ..metrics import metric_of, ticket_of
from ..models import Attachment, Audit, Comment, Ticket
from ..paging import Page, PerPage, SortOrder, by, listing, ordered
from .tickets import TicketId

CommentId = Annotated[int, Field(description="The comment's id.")]


@app.get("/api/v2/tickets/{ticket_id}/comments", tool="list_ticket_comments")
def list_ticket_comments(
    ctx: Ctx,
    ticket_id: TicketId,
    sort_order: SortOrder = None,
    include: Include = None,
    page: Page = 1,
    per_page: PerPage = None,
) -> dict[str, Any]:
    """Lists a ticket's messages, oldest first: replies (`public` true) and internal notes (`public` false)."""
    row = ticketing.find(ctx, ticket_id)
    rows = ordered(ticketing.comments(ctx, row), {}, None, sort_order)
    out = listing(
        ctx, "comments", rows, lambda c: resources.comment(ctx, c), page=page, per_page=per_page,
        cursor_sorts={"created_at": lambda c: c.created_at, "id": lambda c: c.id},
    )  # fmt: skip
    return {**out, **includes.of_memberships(ctx, [c["author_id"] for c in out["comments"]], include)}


@app.get("/api/v2/tickets/{ticket_id}/comments/count", tool="count_ticket_comments", mcp=False)
def count_ticket_comments(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Counts a ticket's messages."""
    ticketing.find(ctx, ticket_id)
    return {"count": {"value": ctx.db.count(Comment, ticket_id=ticket_id), "refreshed_at": ctx.timestamp()}}


def _comment(ctx: Ctx, ticket_id: int, comment_id: int) -> tuple[Ticket, Comment]:
    ticket = ticketing.find(ctx, ticket_id)
    found = ctx.db.first(Comment, id=comment_id, ticket_id=ticket_id)
    if found is None:
        raise errors.not_found()
    ticketing.must_be_open(ticket)
    return ticket, found


@app.put("/api/v2/tickets/{ticket_id}/comments/{comment_id}/make_private", tool="make_ticket_comment_private")
def make_ticket_comment_private(ctx: Ctx, ticket_id: TicketId, comment_id: CommentId) -> dict[str, Any]:
    """Makes a public message an internal note. A ticket without a public message is private as a whole."""
    ticket, found = _comment(ctx, ticket_id, comment_id)
    ctx.db.update(found, public=False)
    left = ctx.db.count(Comment, ticket_id=ticket_id, public=True) > 0
    ctx.db.update(ticket, is_public=left, updated_at=ctx.timestamp())
    return {"comment": resources.comment(ctx, found)} if not ctx.request.method else {}


@app.put("/api/v2/tickets/{ticket_id}/comments/{comment_id}/redact", tool="redact_ticket_comment", mcp=False)
def redact_ticket_comment(
    ctx: Ctx, ticket_id: TicketId, comment_id: CommentId, text: Annotated[str, Field(min_length=1)]
) -> dict[str, Any]:
    """Removes words from a message for good, such as a card number. They are replaced by black blocks.

    text: The exact text to remove.
    """
    ticket, found = _comment(ctx, ticket_id, comment_id)
    if text not in found.body:
        raise errors.refuse("text", "Text: was not found in the comment", "InvalidValue")
    ctx.db.update(found, body=found.body.replace(text, "▇" * len(text)))
    first = ticketing.comments(ctx, ticket)[0]
    more = {"description": first.body} if first.id == found.id else {}
    ctx.db.update(ticket, updated_at=ctx.timestamp(), **more)
    return {"comment": resources.comment(ctx, found)}


@app.get("/api/v2/tickets/{ticket_id}/audits", tool="list_ticket_audits")
def list_ticket_audits(
    ctx: Ctx, ticket_id: TicketId, include: Include = None, page: Page = 1, per_page: PerPage = None
) -> dict[str, Any]:
    """Lists a ticket's updates: who changed what and when."""
    ticketing.find(ctx, ticket_id)
    rows = ctx.db.find(Audit, ticket_id=ticket_id, order="created_at,id")
    out = listing(ctx, "audits", rows, lambda a: resources.audit(ctx, a), page=page, per_page=per_page)
    return {**out, **includes.of_memberships(ctx, [a["author_id"] for a in out["audits"]], include)}


@app.get("/api/v2/tickets/{ticket_id}/audits/{audit_id}", tool="show_ticket_audit", mcp=False)
def show_ticket_audit(ctx: Ctx, ticket_id: TicketId, audit_id: int) -> dict[str, Any]:
    """Shows an update of a ticket.

    audit_id: The audit's id.
    """
    ticketing.find(ctx, ticket_id)
    found = ctx.db.first(Audit, id=audit_id, ticket_id=ticket_id)
    if found is None:
        raise errors.not_found()
    return {"audit": resources.audit(ctx, found)}


@app.get("/api/v2/ticket_audits", tool="list_audits", mcp=False)
def list_audits(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the updates of all tickets."""
    rows = ctx.db.find(Audit, order="created_at,id")
    sorts = {"created_at": lambda a: a.created_at, "id": lambda a: a.id}
    return listing(
        ctx, "audits", rows, lambda a: resources.audit(ctx, a), page=page, per_page=per_page, cursor_sorts=sorts
    )


@app.get("/api/v2/ticket_metrics", tool="list_ticket_metrics", mcp=False)
def list_ticket_metrics(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the metrics of all tickets."""
    rows = sorted(ctx.db.find(Ticket, deleted=False), key=by("created_at"), reverse=True)
    return listing(ctx, "ticket_metrics", rows, lambda t: metric_of(ctx, t), page=page, per_page=per_page)


@app.get("/api/v2/ticket_metrics/{ticket_metric_id}", tool="show_ticket_metric", mcp=False)
def show_ticket_metric(ctx: Ctx, ticket_metric_id: int) -> dict[str, Any]:
    """Shows a ticket's metrics by their own id.

    ticket_metric_id: The metrics' id.
    """
    return {"ticket_metric": metric_of(ctx, ticketing.find(ctx, ticket_of(ticket_metric_id)))}


@app.get("/api/v2/tickets/{ticket_id}/metrics", tool="show_ticket_metrics")
def show_ticket_metrics(ctx: Ctx, ticket_id: TicketId) -> dict[str, Any]:
    """Shows a ticket's metrics: times to the first reply and to the solution, in minutes, replies, reopens, handovers."""
    return {"ticket_metric": metric_of(ctx, ticketing.find(ctx, ticket_id))}


@app.post("/api/v2/uploads", tool="upload_file", status=201, mcp=False)
def upload_file(
    ctx: Ctx, content: Annotated[bytes, Payload(raw=True)], filename: Annotated[str, Query(), Field(min_length=1)] = "file",
    token: Annotated[str | None, Query()] = None,
) -> dict[str, Any]:  # fmt: skip
    """Uploads a file; its token is given in a comment's `uploads`.

    content: The file's bytes.
    filename: The file's name.
    token: The token of an earlier upload to add this file to.
    """
    kind = ctx.request.headers.get("content-type", "").partition(";")[0].strip() or "application/octet-stream"
    row = ctx.db.add(Attachment(
        id=ids.new(ctx, "attachment"), token=token or ctx.id("", 24), file_name=filename, content_type=kind, size=len(content),
        content=content.decode("latin-1"),
    ))  # fmt: skip
    shown = resources.attachment(ctx, row)
    return {"upload": {"token": row.token, "expires_at": ctx.timestamp(), "attachment": shown, "attachments": [shown]}}


@app.delete("/api/v2/uploads/{token}", tool="delete_upload", mcp=False)
def delete_upload(ctx: Ctx, token: str) -> Any:
    """Deletes an uploaded file that is in no comment yet.

    token: The upload's token.
    """
    rows = [a for a in ctx.db.find(Attachment, token=token) if a.comment_id is None]
    if not rows:
        raise errors.not_found()
    for row in rows:
        ctx.db.delete(row)
    return Reply(None, 204)


@app.get("/api/v2/attachments/{attachment_id}", tool="show_attachment", mcp=False)
def show_attachment(ctx: Ctx, attachment_id: int) -> dict[str, Any]:
    """Shows what is known of an attachment.

    attachment_id: The attachment's id.
    """
    return {"attachment": resources.attachment(ctx, ctx.require(Attachment, attachment_id))}
