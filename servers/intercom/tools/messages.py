"""Messages that teammates send of their own accord. https://developers.intercom.com/docs/references/rest-api/api.intercom.io/messages"""

from typing import Annotated, Any, Literal, cast

from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Field

from .. import errors, ids, people, threads
from ..app import app
from ..inputs import Seconds, Text
from ..models import Contact, Message
from ..text import html


class Sender(TypedDict, total=False):
    """Who sends."""

    type: Annotated[Literal["admin", "user", "lead", "contact"], Field(description="What they are.")]
    id: Annotated[Text, Field(description="Their id.")]


class Receiver(TypedDict, total=False):
    """To whom."""

    type: Annotated[Literal["user", "lead", "contact"], Field(description="What they are.")]
    id: Annotated[Text | list[Text], Field(description="The contact's id.")]
    user_id: Annotated[Text, Field(description="The contact's external_id.")]
    email: Annotated[str, Field(description="The contact's e-mail address.")]


def _receivers(ctx: Ctx, named: Any) -> list[Contact]:
    """One receiver, several, or one object with a list of ids."""
    out = list[Contact]()
    for one in cast(list[Any], named) if isinstance(named, list) else [named]:
        if not isinstance(one, dict):
            raise errors.invalid_parameter("to must be a contact")
        given = cast(dict[str, Any], one)
        keys = given.get("id")
        if isinstance(keys, list):
            found = [people.find(ctx, str(key)) for key in cast(list[Any], keys)]
        else:
            text = [None if (v := given.get(n)) is None else str(v) for n in ("id", "user_id", "email")]
            found = [threads.contact_of(ctx, *text)]
        out += [c for c in found if c.id not in {o.id for o in out}]
    return out


@app.post("/messages", tool="create_message", effect="send")
def create_message(
    ctx: Ctx,
    message_type: Literal["in_app", "inapp", "email"],
    to: Receiver | list[Receiver],
    body: str | None = None,
    from_: Sender | None = None,
    subject: str | None = None,
    template: Literal["plain", "personal"] | None = None,
    cc: Receiver | list[Receiver] | None = None,
    bcc: Receiver | list[Receiver] | None = None,
    created_at: Seconds | None = None,
    create_conversation_without_contact_reply: bool | None = None,
) -> dict[str, Any]:
    """Sends a message to a contact, in the app or by e-mail. There is no conversation of it until they answer, unless asked for.

    message_type: in_app or email.
    to: The contact: {"type": "user" or "lead", "id": the contact's id}, or with "email" in place of the id.
    body: The message, as text or HTML.
    from_: {"type": "admin", "id": a teammate's id}; you where left out.
    subject: An e-mail's subject, which it must have.
    template: plain or personal, an e-mail's looks.
    cc: Further contacts who get a copy.
    bcc: Further contacts who get a copy unseen.
    created_at: When it was, in seconds since 1970; now where left out.
    create_conversation_without_contact_reply: Whether a conversation is opened at once.
    """
    if not (body or "").strip():
        raise errors.invalid_parameter("Body is required")
    if message_type == "email" and not subject:
        raise errors.missing_parameter("No subject supplied for email message", 422)
    given = from_ or {}
    text, whom = body or "", _receivers(ctx, to)
    copies, hidden = (_receivers(ctx, part) if part else [] for part in (cc, bcc))
    when = created_at or ctx.epoch()
    if given.get("type", "admin") != "admin":
        who = people.find(ctx, given.get("id", ""))
        row = threads.begin(ctx, [who], who, text, subject=subject or "", created_at=created_at)
        return {
            "type": "user_message", "id": row.source_id, "created_at": row.created_at, "body": text, "message_type": "inapp",
            "conversation_id": row.id,
        }  # fmt: skip
    by = ids.admin(ctx, given.get("id"))
    kind = "email" if message_type == "email" else "inapp"
    row = ctx.db.add(Message(
        id=ids.number(ctx, "message"), message_type=kind, template=template, subject=subject or "", body=html(text), admin_id=by.id,
        contact_ids=[c.id for c in whom], cc=[c.id for c in copies], bcc=[c.id for c in hidden], created_at=when,
    ))  # fmt: skip
    if create_conversation_without_contact_reply:
        thread = threads.begin(
            ctx,
            whom,
            by,
            text,
            subject=subject or "",
            created_at=created_at,
            kind="email" if kind == "email" else "conversation",
        )
        ctx.db.update(thread, admin_assignee_id=by.id)
        ctx.db.update(row, conversation_id=thread.id)
    for who in whom:
        ctx.db.update(who, last_contacted_at=when)
    return {
        "type": "admin_message", "id": row.id, "created_at": row.created_at, "subject": row.subject, "body": text, "message_type": kind,
        "conversation_id": row.conversation_id,
        "owner": {
            "type": "admin", "id": by.id, "name": by.name, "email": by.email, "away_mode_enabled": by.away_mode_enabled,
            "away_mode_reassign": by.away_mode_reassign,
        },
    }  # fmt: skip
