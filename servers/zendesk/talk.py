"""Messages of tickets. https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_comments/"""

from dataclasses import dataclass
from typing import Any

from legoenv_mcp.app import Ctx

from . import ids, text
from .errors import Problems
from .models import Attachment, Comment, Ticket, User


@dataclass(frozen=True, slots=True)
class Draft:
    """A message that is checked and not yet written."""

    author: int
    body: str
    public: bool
    by_end_user: bool
    uploads: tuple[str, ...] = ()


def draft(
    ctx: Ctx, problems: Problems, comment: Any, description: str | None, *, author: int, public: bool
) -> Draft | None:
    """The message that was sent, as a comment or as a new ticket's description; None where there is none or it is blank."""
    body = getattr(comment, "body", None) or text.plain(getattr(comment, "html_body", None) or "") or description or ""
    uploads = tuple(getattr(comment, "uploads", None) or ())
    for token in uploads:
        if not _waiting(ctx, token):
            problems.add("comment", f"Uploads: {token} is not an upload", "RecordNotFound")
    if not body.strip():
        return None
    said = getattr(comment, "author_id", None)
    writer = ctx.db.get(User, said or author)
    if writer is None or not writer.active:
        problems.add("comment", "Author: is invalid")
        return Draft(author, body, public, False)
    wanted = getattr(comment, "public", None)
    return Draft(writer.id, body, public if wanted is None else wanted, writer.role == "end-user", uploads)


def _waiting(ctx: Ctx, token: str) -> list[Attachment]:
    """The uploads under a token that are in no comment yet: a token serves once."""
    return [a for a in ctx.db.find(Attachment, token=token) if a.comment_id is None]


def copy_attachments(ctx: Ctx, ticket: Ticket, comment_id: int) -> None:
    """Gives a comment copies of what is attached to a ticket."""
    said = [c.id for c in ctx.db.find(Comment, ticket_id=ticket.id)]
    for file in ctx.db.find(Attachment, comment_id__in=said):
        copied = {
            **file.model_dump(),
            "id": ids.new(ctx, "attachment"),
            "token": ctx.id("", 24),
            "comment_id": comment_id,
        }
        ctx.db.add(Attachment(**copied))


def add_comment(ctx: Ctx, ticket: Ticket, message: Draft, audit_id: int, via: str) -> dict[str, Any]:
    """Writes a message; its event in the audit. A first public message makes a private ticket public."""
    now = ctx.timestamp()
    row = ctx.db.add(
        Comment(
            id=ids.new(ctx, "event"), ticket_id=ticket.id, author_id=message.author, body=message.body, public=message.public,
            via=via, created_at=now, audit_id=audit_id,
        )
    )  # fmt: skip
    for token in message.uploads:
        for upload in _waiting(ctx, token):
            ctx.db.update(upload, comment_id=row.id)
    changes: dict[str, Any] = {"latest_comment_added_at": now}
    if message.public and not ticket.is_public:
        changes["is_public"] = True
    # What an agent writes for somebody when making the ticket is the request, no reply to it.
    first = ticket.latest_comment_added_at is None
    if message.public and not first and not message.by_end_user and message.author != ticket.requester_id:
        changes |= {"replies": ticket.replies + 1, "first_reply_at": ticket.first_reply_at or now}
    ctx.db.update(ticket, **changes)
    return event_of(row)


def event_of(row: Comment) -> dict[str, Any]:
    return {
        "id": row.id, "type": "Comment", "author_id": row.author_id, "body": row.body, "html_body": text.html(row.body),
        "plain_body": row.body, "public": row.public, "attachments": [], "audit_id": row.audit_id,
    }  # fmt: skip
