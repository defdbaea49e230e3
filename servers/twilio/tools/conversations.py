"""Conversations. https://www.twilio.com/docs/conversations/api/conversation-resource"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import HEX, MISSING, Ctx, Field, Query, Reply

from ..app import app
from ..errors import refuse
from ..lists import PageNumber, PageSize, PageToken, link, meta_listing
from ..models import Conversation, ConversationMessage, ConversationParticipant, MessagingService
from ..params import Attributes, columns, only
from ..resources import account_sid
from ..threads import CONVERSATIONS, chat_service, check_attributes, conversation
from ..times import span

FriendlyName = Annotated[str, Field(max_length=256)]
UniqueName = Annotated[str, Field(min_length=1, max_length=256)]
State = Literal["active", "inactive", "closed"]


def _show(ctx: Ctx, row: Conversation) -> dict[str, Any]:
    url = link(ctx, f"{CONVERSATIONS}/{row.sid}")
    shown = {name: getattr(row, name) for name in type(row).model_fields if name != "next_index"}
    return {
        "account_sid": account_sid(ctx), "chat_service_sid": chat_service(ctx), **shown, "timers": {}, "bindings": {}, "url": url,
        "links": {name.lower(): f"{url}/{name}" for name in ("Participants", "Messages", "Webhooks")},
    }  # fmt: skip


def _check(ctx: Ctx, row: Conversation | None) -> None:
    given = ctx.sent()
    check_attributes(given.get("Attributes"))
    if name := given.get("UniqueName"):
        if name.startswith("CH") and len(name) == 34:
            raise refuse(400, 50390, "Unique name should not match conversation sid pattern")
        same = ctx.db.first(Conversation, unique_name=name)
        if same is not None and same is not row and (row is None or same.sid != row.sid):
            raise refuse(409, 50353, "Conversation with provided unique name already exists")
    if (service := given.get("MessagingServiceSid")) and ctx.db.get(MessagingService, service) is None:
        raise refuse(404, 21701, f"The Messaging Service {service[:40]} does not exist")


@app.post(CONVERSATIONS, tool="create_conversation", status=201)
def create_conversation(
    ctx: Ctx, FriendlyName: FriendlyName | MISSING = MISSING, UniqueName: UniqueName | MISSING = MISSING,
    Attributes: Attributes | MISSING = MISSING, MessagingServiceSid: str | MISSING = MISSING, State: State | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a conversation, to which people in chats and on phones can be added.

    FriendlyName: A name for people.
    UniqueName: A name for programs, which may be used instead of the SID.
    Attributes: Data of your own, as JSON text.
    MessagingServiceSid: The messaging service that the conversation's texts go through.
    State: Whether the conversation is active, or inactive from the start.
    """
    _check(ctx, None)
    if State == "closed":
        raise refuse(400, 50384, "Initial state can't be 'closed'")
    at = ctx.timestamp()
    row = Conversation(sid=ctx.id("CH", 32, HEX), date_created=at, date_updated=at, **columns(ctx))
    return _show(ctx, ctx.db.add(row))


@app.get(CONVERSATIONS, tool="list_conversations")
def list_conversations(
    ctx: Ctx, State: State | MISSING = MISSING, StartDate: Annotated[str | MISSING, Query(mcp=False)] = MISSING,
    EndDate: Annotated[str | MISSING, Query(mcp=False)] = MISSING, PageSize: PageSize = MISSING, Page: PageNumber = MISSING,
    PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists conversations, newest first.

    State: Only conversations in this state.
    """
    low, high = span("StartDate", None, only(EndDate), only(StartDate))
    rows = ctx.db.find(
        Conversation, order="-date_created,-sid", state=only(State), date_created__ge=low, date_created__le=high
    )
    return meta_listing(ctx, CONVERSATIONS, "conversations", rows, _show, PageSize, Page, PageToken)


@app.get(f"{CONVERSATIONS}/{{Sid}}", tool="fetch_conversation")
def fetch_conversation(ctx: Ctx, Sid: str) -> dict[str, Any]:
    """Fetches a conversation.

    Sid: The conversation's SID or unique name.
    """
    return _show(ctx, conversation(ctx, Sid))


@app.post(f"{CONVERSATIONS}/{{Sid}}", tool="update_conversation", effect="update")
def update_conversation(
    ctx: Ctx, Sid: str, FriendlyName: FriendlyName | MISSING = MISSING, UniqueName: UniqueName | MISSING = MISSING,
    Attributes: Attributes | MISSING = MISSING, MessagingServiceSid: str | MISSING = MISSING, State: State | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of a conversation that are sent. One that was closed stays as it is.

    Sid: The conversation's SID or unique name.
    FriendlyName: A name for people.
    UniqueName: A name for programs, which may be used instead of the SID.
    Attributes: Data of your own, as JSON text.
    MessagingServiceSid: The messaging service that the conversation's texts go through.
    State: `closed` ends the conversation for good.
    """
    row = conversation(ctx, Sid)
    if row.state == "closed" and ctx.sent():
        raise refuse(400, 50377, "Can't update conversation as it's in final closed state")
    _check(ctx, row)
    if given := columns(ctx):
        ctx.db.update(row, **given, date_updated=ctx.timestamp())
    return _show(ctx, row)


@app.delete(f"{CONVERSATIONS}/{{Sid}}", tool="delete_conversation", status=204)
def delete_conversation(ctx: Ctx, Sid: str) -> Reply:
    """Deletes a conversation with its participants and messages. Texts that were sent stay in the account's log.

    Sid: The conversation's SID or unique name.
    """
    row = conversation(ctx, Sid)
    ctx.db.delete_where(ConversationMessage, conversation_sid=row.sid)
    ctx.db.delete_where(ConversationParticipant, conversation_sid=row.sid)
    ctx.db.delete(row)
    return Reply({}, 204)
