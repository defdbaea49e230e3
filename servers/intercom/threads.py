"""What happens to a thread: replies, notes, closing, opening, snoozing, assigning. Each leaves a part in the log.

A comment by either side opens a thread that is closed or snoozed; a note does not. A contact who writes waits from then on, until a
teammate answers. Assigning opens too.
"""

from typing import Any, Literal

from legoenv_mcp.app import Ctx

from . import errors, ids, wire
from .models import Admin, Contact, Conversation, ConversationContact, Link, Part, Tagging, Team, Ticket
from .text import html

_MOST_FILES = 10


def find(ctx: Ctx, key: str, message: str = "Resource Not Found") -> Conversation:
    """A conversation by its id. The threads of back-office and tracker tickets are not conversations."""
    row = ctx.db.get(Conversation, key)
    if row is None or row.hidden:
        raise errors.refuse(404, "not_found", message)
    return row


def log(
    ctx: Ctx, row: Conversation, part_type: str, author: Admin | Contact | None, body: str | None = None, **more: Any
) -> Part:
    kind = "bot" if author is None else author.role if isinstance(author, Contact) else "admin"
    when = more.pop("created_at", None) or ctx.epoch()
    ctx.db.update(row, updated_at=max(row.updated_at, when))
    return ctx.db.add(Part(
        id=ids.number(ctx, "part"), conversation_id=row.id, part_type=part_type, body=html(body) if body else None, author_type=kind,
        author_id=author.id if author else "0", created_at=when, updated_at=when, **more,
    ))  # fmt: skip


def files(urls: list[str] | None, sent: list[Any] | None) -> list[dict[str, Any]]:
    """Attachments by address, or as sent. Only their names are kept."""
    made = list[dict[str, Any]]()
    if len(urls or []) + len(sent or []) > _MOST_FILES:
        raise errors.invalid_parameter(f"A reply can have at most {_MOST_FILES} attachments")
    for url in urls or []:
        name = url.rpartition("/")[2] or url
        made.append(
            {"type": "upload", "name": name, "url": url, "content_type": "application/octet-stream", "filesize": 0}
        )
    for file in sent or []:
        made.append({
            "type": "upload", "name": file["name"], "url": f"https://downloads.intercomcdn.com/{file['name']}",
            "content_type": file["content_type"], "filesize": len(file["data"]) * 3 // 4,
        })  # fmt: skip
    return made


def contact_of(ctx: Ctx, intercom_user_id: str | None, user_id: str | None, email: str | None) -> Contact:
    """The contact that a request names in one of three ways."""
    found: Contact | None = None
    if intercom_user_id is not None:
        found = ctx.db.get(Contact, intercom_user_id)
    elif user_id is not None:
        found = ctx.db.first(Contact, external_id=user_id)
    elif email is not None:
        found = ctx.db.first(Contact, email=email.lower(), archived=False)
    else:
        raise errors.missing_parameter("One of intercom_user_id, user_id or email is a required parameter.")
    if found is None or found.archived:
        raise errors.not_found("Contact")
    return found


def reply_as_contact(
    ctx: Ctx,
    row: Conversation,
    who: Contact,
    body: str,
    *,
    attachments: list[dict[str, Any]],
    created_at: int | None = None,
) -> Part:
    if ctx.db.get(ConversationContact, (row.id, who.id)) is None:
        raise errors.invalid_parameter("The contact is not a participant of the conversation")
    reopens = wire.state_of(ctx, row) != "open"
    made = log(ctx, row, "open" if reopens else "comment", who, body, attachments=attachments, created_at=created_at)
    ctx.db.update(
        row, state="open", snoozed_until=None, read=False, waiting_since=row.waiting_since or made.created_at,
        first_contact_reply_at=row.first_contact_reply_at or made.created_at,
    )  # fmt: skip
    ctx.db.update(who, last_replied_at=made.created_at)
    return made


def reply_as_admin(
    ctx: Ctx, row: Conversation, who: Admin, kind: Literal["comment", "note", "quick_reply"], body: str | None, *,
    attachments: list[dict[str, Any]], options: list[dict[str, Any]], created_at: int | None = None,
) -> Part:  # fmt: skip
    if kind == "note":
        return log(ctx, row, "note", who, body, attachments=attachments, created_at=created_at)
    reopens = kind == "comment" and wire.state_of(ctx, row) != "open"
    made = log(
        ctx,
        row,
        "open" if reopens else kind,
        who,
        body,
        attachments=attachments,
        reply_options=options,
        created_at=created_at,
    )
    ctx.db.update(row, waiting_since=None, read=True)
    if kind == "comment":
        ctx.db.update(row, state="open", snoozed_until=None)
    for joined in ctx.db.find(ConversationContact, conversation_id=row.id):
        ctx.db.update(ctx.require(Contact, joined.contact_id), last_contacted_at=made.created_at)
    return made


def close(ctx: Ctx, row: Conversation, who: Admin | None, body: str | None = None) -> None:
    log(ctx, row, "close", who, body)
    ctx.db.update(row, state="closed", snoozed_until=None, waiting_since=None)


def reopen(ctx: Ctx, row: Conversation, who: Admin | None) -> None:
    log(ctx, row, "open", who)
    ctx.db.update(row, state="open", snoozed_until=None)


def snooze(ctx: Ctx, row: Conversation, who: Admin | None, until: int | None) -> None:
    """Until a time to come; then it is open again of itself."""
    if until is None:
        raise errors.missing_parameter("Snoozed until is a required parameter.")
    if until <= ctx.epoch():
        raise errors.invalid_parameter("snoozed_until must be in the future")
    log(ctx, row, "snoozed", who)
    ctx.db.update(row, state="snoozed", snoozed_until=until)


def assign(
    ctx: Ctx, row: Conversation, who: Admin | None, assignee: str, kind: Literal["admin", "team"] | None = None, body: str | None = None, *,
    opening: bool = True,
) -> None:  # fmt: skip
    """To a teammate or a team, or with id 0 to nobody. Without a kind, the id tells."""
    if assignee == "0":
        sides = [kind] if kind else ["admin", "team"]
        log(ctx, row, "assignment", who, body, assigned_type=f"nobody_{sides[0]}")
        for side in sides:
            ctx.db.update(row, **{f"{side}_assignee_id": None})
        return
    found = ctx.db.get(Team, assignee) if kind == "team" else ctx.db.get(Admin, assignee)
    if found is None and kind is None:
        found = ctx.db.get(Team, assignee)
    if found is None or (isinstance(found, Admin) and not found.has_inbox_seat):
        raise errors.refuse(404, "assignee_not_found", "Assignee not found")
    side = "team" if isinstance(found, Team) else "admin"
    opens = opening and wire.state_of(ctx, row) != "open"
    log(ctx, row, "assign_and_reopen" if opens else "assignment", who, body, assigned_type=side, assigned_id=found.id)
    ctx.db.update(row, **{f"{side}_assignee_id": found.id})
    if opens:
        ctx.db.update(row, state="open", snoozed_until=None)


def begin(
    ctx: Ctx, people: list[Contact], author: Contact | Admin, body: str, *, subject: str = "", created_at: int | None = None,
    hidden: bool = False, attachments: list[dict[str, Any]] | None = None, kind: str = "conversation",
) -> Conversation:  # fmt: skip
    """A new thread with its first message."""
    when = created_at or ctx.epoch()
    by_contact = isinstance(author, Contact)
    row = ctx.db.add(Conversation(
        id=ids.number(ctx, "conversation"), hidden=hidden, created_at=when, updated_at=when, source_id=ids.number(ctx, "message"),
        delivered_as="customer_initiated" if by_contact else "admin_initiated", subject=subject, body=html(body), source_type=kind,
        author_type=author.role if isinstance(author, Contact) else "admin", author_id=author.id,
        waiting_since=when if by_contact else None, source_attachments=attachments or [],
    ))  # fmt: skip
    for position, who in enumerate(people):
        ctx.db.add(ConversationContact(conversation_id=row.id, contact_id=who.id, position=position))
    return row


def erase(ctx: Ctx, row: Conversation) -> None:
    """A thread and all that hangs on it."""
    ctx.db.delete_where(Tagging, kind="conversation", object_id=row.id)
    ctx.db.delete_where(Link, ticket_id=row.id)
    ctx.db.delete_where(Link, conversation_id=row.id)
    ctx.db.delete_where(Part, conversation_id=row.id)
    ctx.db.delete_where(ConversationContact, conversation_id=row.id)
    ctx.db.delete_where(Ticket, id=row.id)
    ctx.db.delete(row)
