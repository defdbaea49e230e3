"""Who is in a conversation. https://www.twilio.com/docs/conversations/api/conversation-participant-resource"""

from typing import Annotated, Any

from legoenv_mcp.app import HEX, MISSING, Body, Ctx, Field, Reply

from ..app import app
from ..errors import not_found, path_of, refuse
from ..lists import PageNumber, PageSize, PageToken, link, meta_listing
from ..models import Conversation, ConversationParticipant
from ..params import Attributes, Hidden, only
from ..phones import read
from ..resources import account_sid
from ..sending import owned
from ..threads import CONVERSATIONS, check_attributes, conversation, open_conversation, role

Identity = Annotated[str, Field(min_length=1, max_length=256)]
PATH = f"{CONVERSATIONS}/{{ConversationSid}}/Participants"


def _show(ctx: Ctx, row: ConversationParticipant) -> dict[str, Any]:
    hidden = ("address", "proxy_address")
    shown = {name: getattr(row, name) for name in type(row).model_fields if name not in hidden}
    binding = {"type": "sms", "address": row.address, "proxy_address": row.proxy_address} if row.address else None
    return {
        "account_sid": account_sid(ctx), **shown, "messaging_binding": binding,
        "url": link(ctx, f"{CONVERSATIONS}/{row.conversation_sid}/Participants/{row.sid}"),
    }  # fmt: skip


@app.post(PATH, tool="create_conversation_participant", status=201)
def create_conversation_participant(
    ctx: Ctx, ConversationSid: str, Identity: Identity | MISSING = MISSING,
    MessagingBindingAddress: Annotated[str | MISSING, Body("MessagingBinding.Address")] = MISSING,
    MessagingBindingProxyAddress: Annotated[str | MISSING, Body("MessagingBinding.ProxyAddress")] = MISSING,
    Attributes: Attributes | MISSING = MISSING, RoleSid: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Adds somebody to a conversation: a chat user by identity, or a phone that is texted from one of the account's numbers.

    ConversationSid: The conversation's SID or unique name.
    Identity: The chat user's identity.
    MessagingBindingAddress: The participant's phone number, in E.164 format.
    MessagingBindingProxyAddress: The number of the account that the phone is texted from.
    Attributes: Data of your own, as JSON text.
    """
    room = open_conversation(ctx, ConversationSid)
    check_attributes(only(Attributes))
    identity, address, proxy = only(Identity), only(MessagingBindingAddress), only(MessagingBindingProxyAddress)
    if (identity and address) or not (identity or address or proxy):
        raise refuse(400, 50407, "Exactly one of Identity and MessagingBinding.Address is required")
    if address or proxy:
        address, proxy = _binding(ctx, address, proxy)
    if identity and ctx.db.first(ConversationParticipant, conversation_sid=room.sid, identity=identity):
        raise refuse(409, 50433, "Participant already exists")
    at = ctx.timestamp()
    row = ConversationParticipant(
        sid=ctx.id("MB", 32, HEX), conversation_sid=room.sid, identity=identity, address=address, proxy_address=proxy, date_created=at,
        date_updated=at, attributes="{}" if Attributes is MISSING else Attributes,
        role_sid=only(RoleSid) or role(ctx),
    )  # fmt: skip
    return _show(ctx, ctx.db.add(row))


def _binding(ctx: Ctx, address: str | None, proxy: str | None) -> tuple[str, str]:
    """A phone and the number it is texted from. The pair stands for one conversation: texts find theirs by it."""
    if not address:
        raise refuse(400, 50411, "Participant address is empty")
    if not proxy:
        raise refuse(400, 50412, "Participant proxy address is empty")
    phone, number = read(address), read(proxy)
    if phone is None:
        raise refuse(400, 50407, f"Invalid messaging binding address: {address[:60]}")
    own = owned(ctx, number.e164) if number else None
    if own is None or not own.sms:
        raise refuse(400, 50408, f"Invalid participant proxy address: {proxy[:60]}")
    if phone.e164 == own.phone_number:
        raise refuse(400, 50409, "Participant address equals proxy address")
    for taken in ctx.db.find(ConversationParticipant, address=phone.e164, proxy_address=own.phone_number):
        where = ctx.db.get(Conversation, taken.conversation_sid)
        if where is not None and where.state != "closed":
            raise refuse(
                409, 50416,
                f"A binding for this participant and proxy address already exists in Conversation {taken.conversation_sid}",
            )  # fmt: skip
    return phone.e164, own.phone_number


@app.get(PATH, tool="list_conversation_participants")
def list_conversation_participants(
    ctx: Ctx,
    ConversationSid: str,
    PageSize: PageSize = MISSING,
    Page: PageNumber = MISSING,
    PageToken: PageToken = MISSING,
) -> dict[str, Any]:
    """Lists who is in a conversation.

    ConversationSid: The conversation's SID or unique name.
    """
    room = conversation(ctx, ConversationSid)
    rows = ctx.db.find(ConversationParticipant, conversation_sid=room.sid, order="date_created,sid")
    path = f"{CONVERSATIONS}/{room.sid}/Participants"
    return meta_listing(ctx, path, "participants", rows, _show, PageSize, Page, PageToken)


def _member(ctx: Ctx, conversation_key: str, key: str) -> ConversationParticipant:
    """By SID, or by identity."""
    room = conversation(ctx, conversation_key)
    row = ctx.db.get(ConversationParticipant, key)
    row = row or ctx.db.first(ConversationParticipant, conversation_sid=room.sid, identity=key)
    if row is None or row.conversation_sid != room.sid:
        raise not_found(path_of(ctx))
    return row


@app.get(f"{PATH}/{{Sid}}", tool="fetch_conversation_participant", mcp=False)
def fetch_conversation_participant(ctx: Ctx, ConversationSid: str, Sid: str) -> dict[str, Any]:
    """Fetches a participant of a conversation.

    ConversationSid: The conversation's SID or unique name.
    Sid: The participant's SID or identity.
    """
    return _show(ctx, _member(ctx, ConversationSid, Sid))


@app.post(f"{PATH}/{{Sid}}", tool="update_conversation_participant", effect="update", mcp=False)
def update_conversation_participant(
    ctx: Ctx, ConversationSid: str, Sid: str, Attributes: Attributes | MISSING = MISSING, RoleSid: str | MISSING = MISSING,
    LastReadMessageIndex: Annotated[int, Field(ge=0)] | MISSING = MISSING, LastReadTimestamp: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes what is kept of a participant.

    ConversationSid: The conversation's SID or unique name.
    Sid: The participant's SID or identity.
    Attributes: Data of your own, as JSON text.
    RoleSid: The SID of the participant's role.
    LastReadMessageIndex: The index of the last message that the participant has read.
    LastReadTimestamp: When the participant read it.
    """
    open_conversation(ctx, ConversationSid)
    row = _member(ctx, ConversationSid, Sid)
    check_attributes(only(Attributes))
    given = {
        "attributes": only(Attributes), "role_sid": only(RoleSid), "last_read_message_index": only(LastReadMessageIndex),
        "last_read_timestamp": only(LastReadTimestamp),
    }  # fmt: skip
    if changes := {name: value for name, value in given.items() if value is not None}:
        ctx.db.update(row, **changes, date_updated=ctx.timestamp())
    return _show(ctx, row)


@app.delete(f"{PATH}/{{Sid}}", tool="delete_conversation_participant", status=204)
def delete_conversation_participant(ctx: Ctx, ConversationSid: str, Sid: str) -> Reply:
    """Takes somebody out of a conversation; what they wrote stays.

    ConversationSid: The conversation's SID or unique name.
    Sid: The participant's SID or identity.
    """
    ctx.db.delete(_member(ctx, ConversationSid, Sid))
    return Reply({}, 204)
