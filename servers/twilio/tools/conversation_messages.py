"""A conversation's messages. https://www.twilio.com/docs/conversations/api/conversation-message-resource"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import HEX, MISSING, Ctx, Field, Reply

from ..app import app
from ..errors import not_found, path_of, refuse
from ..lists import PageNumber, PageSize, PageToken, link, meta_listing
from ..models import Conversation, ConversationMessage, ConversationParticipant, Message
from ..params import Attributes, Hidden, columns, only
from ..phones import read
from ..resources import account_sid
from ..segments import LONGEST
from ..sending import deliver, is_opted_out, owned
from ..threads import CONVERSATIONS, check_attributes, conversation, open_conversation

PATH = f"{CONVERSATIONS}/{{ConversationSid}}/Messages"
Author = Annotated[str, Field(min_length=1, max_length=256)]


def _show(ctx: Ctx, row: ConversationMessage) -> dict[str, Any]:
    url = link(ctx, f"{CONVERSATIONS}/{row.conversation_sid}/Messages/{row.sid}")
    hidden = ("texts", "subject")
    shown = {name: getattr(row, name) for name in type(row).model_fields if name not in hidden}
    return {
        "account_sid": account_sid(ctx), **shown, "media": None, "delivery": _delivery(ctx, row), "content_sid": None, "url": url,
        "links": {"delivery_receipts": f"{url}/Receipts", "channel_metadata": f"{url}/ChannelMetadata"},
    }  # fmt: skip


def _delivery(ctx: Ctx, row: ConversationMessage) -> dict[str, Any] | None:
    """How the message fared on phones, all of them together."""
    if not row.texts:
        return None
    texts = ctx.db.find(Message, sid__in=row.texts)

    def share(*statuses: str) -> str:
        count = sum(text.status in statuses for text in texts)
        return "none" if not count else "all" if count == len(row.texts) else "some"

    return {
        "total": len(row.texts), "sent": share("sent", "delivered"), "delivered": share("delivered"), "read": "none",
        "failed": share("failed"), "undelivered": share("undelivered"),
    }  # fmt: skip


@app.post(PATH, tool="send_conversation_message", effect="send", status=201)
def send_conversation_message(
    ctx: Ctx, ConversationSid: str, Body: Annotated[str, Field(max_length=LONGEST)] | MISSING = MISSING,
    Author: Author | MISSING = MISSING, Attributes: Attributes | MISSING = MISSING, MediaSid: Hidden = MISSING,
    ContentSid: Hidden = MISSING, Subject: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Writes a message into a conversation. Everybody in it gets it, phones as a text; its author does not.

    ConversationSid: The conversation's SID or unique name.
    Body: The text, at most 1,600 characters.
    Author: Who writes: a participant's identity or phone number; `system` unless given.
    Attributes: Data of your own, as JSON text.
    """
    room = open_conversation(ctx, ConversationSid)
    check_attributes(only(Attributes))
    if only(ContentSid):
        raise refuse(400, 21655, f"The ContentSid {str(ContentSid)[:40]} is Invalid")
    body = only(Body)
    if not body:
        raise refuse(400, 50503, "Message body not provided")
    author = only(Author) or "system"
    members = ctx.db.find(ConversationParticipant, conversation_sid=room.sid, order="date_created,sid")
    number = read(author)
    me = next((m for m in members if m.identity == author or (number and m.address == number.e164)), None)
    texts = [text for m in members if m is not me and (text := _text(ctx, room, m, body))]
    at = ctx.timestamp()
    row = ctx.db.add(
        ConversationMessage(
            sid=ctx.id("IM", 32, HEX), conversation_sid=room.sid, index=room.next_index, author=author, body=body, texts=texts,
            participant_sid=me.sid if me else None, attributes="{}" if Attributes is MISSING else Attributes, subject=only(Subject),
            date_created=at, date_updated=at,
        )
    )  # fmt: skip
    ctx.db.update(room, next_index=room.next_index + 1, date_updated=at)
    return _show(ctx, row)


def _text(ctx: Ctx, room: Conversation, member: ConversationParticipant, body: str) -> str | None:
    """The text that carries a message to a phone, unless its number is gone or the phone opted out."""
    if not member.address or not member.proxy_address:
        return None
    number = owned(ctx, member.proxy_address)
    if number is None or not number.sms or is_opted_out(ctx, number, member.address):
        return None
    made = deliver(
        ctx, number.phone_number, member.address, body, service=room.messaging_service_sid, conversation=room.sid
    )
    return made.sid


@app.get(PATH, tool="list_conversation_messages")
def list_conversation_messages(
    ctx: Ctx, ConversationSid: str, Order: Literal["asc", "desc"] | MISSING = MISSING, PageSize: PageSize = MISSING,
    Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists a conversation's messages, oldest first.

    ConversationSid: The conversation's SID or unique name.
    Order: `desc` lists the newest first.
    """
    room = conversation(ctx, ConversationSid)
    order = "-index" if Order == "desc" else "index"
    rows = ctx.db.find(ConversationMessage, conversation_sid=room.sid, order=order)
    path = f"{CONVERSATIONS}/{room.sid}/Messages"
    return meta_listing(ctx, path, "messages", rows, _show, PageSize, Page, PageToken)


def _message(ctx: Ctx, conversation_key: str, sid: str) -> ConversationMessage:
    room, row = conversation(ctx, conversation_key), ctx.db.get(ConversationMessage, sid)
    if row is None or row.conversation_sid != room.sid:
        raise not_found(path_of(ctx))
    return row


@app.get(f"{PATH}/{{Sid}}", tool="fetch_conversation_message", mcp=False)
def fetch_conversation_message(ctx: Ctx, ConversationSid: str, Sid: str) -> dict[str, Any]:
    """Fetches a message of a conversation.

    ConversationSid: The conversation's SID or unique name.
    Sid: The message's SID.
    """
    return _show(ctx, _message(ctx, ConversationSid, Sid))


@app.post(f"{PATH}/{{Sid}}", tool="update_conversation_message", effect="update", mcp=False)
def update_conversation_message(
    ctx: Ctx, ConversationSid: str, Sid: str, Body: Annotated[str, Field(min_length=1, max_length=LONGEST)] | MISSING = MISSING,
    Author: Author | MISSING = MISSING, Attributes: Attributes | MISSING = MISSING, Subject: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a message as chats show it; texts that were sent stay as they were.

    ConversationSid: The conversation's SID or unique name.
    Sid: The message's SID.
    Body: The text.
    Author: Who wrote it.
    Attributes: Data of your own, as JSON text.
    """
    open_conversation(ctx, ConversationSid)
    row = _message(ctx, ConversationSid, Sid)
    check_attributes(only(Attributes))
    if given := columns(ctx):
        ctx.db.update(row, **given, date_updated=ctx.timestamp())
    return _show(ctx, row)


@app.delete(f"{PATH}/{{Sid}}", tool="delete_conversation_message", status=204, mcp=False)
def delete_conversation_message(ctx: Ctx, ConversationSid: str, Sid: str) -> Reply:
    """Deletes a message from a conversation; texts that were sent stay in the account's log.

    ConversationSid: The conversation's SID or unique name.
    Sid: The message's SID.
    """
    ctx.db.delete(_message(ctx, ConversationSid, Sid))
    return Reply({}, 204)
