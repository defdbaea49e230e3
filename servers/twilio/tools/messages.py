"""Messages. https://www.twilio.com/docs/messaging/api/message-resource"""

from datetime import timedelta
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Query, Reply

from .. import segments
from ..app import ACCOUNT, AccountSid, app
from ..errors import refuse, require
from ..lists import PageNumber, PageSize, PageToken, listing
from ..models import Media, Message, MessagingService, ServiceNumber
from ..params import Hidden, HiddenFlag, Texts, check_urls, is_url, only
from ..phones import Number, read
from ..resources import root, show_media, show_message
from ..sending import check_alpha, check_recipient, deliver, from_pool, is_alpha, own_sender, recipient
from ..states import message_status
from ..times import iso, span, when
from ..usage import still_charged

SOONEST, LATEST = 900, 35 * 86400
MOST_MEDIA = 10


@app.post(f"{ACCOUNT}/Messages", tool="create_message", effect="send", status=201)
def create_message(
    ctx: Ctx, AccountSid: AccountSid = "", To: str | MISSING = MISSING, From: str | MISSING = MISSING, Body: str | MISSING = MISSING,
    MessagingServiceSid: str | MISSING = MISSING, MediaUrl: Texts | MISSING = MISSING,
    ScheduleType: Literal["fixed"] | MISSING = MISSING, SendAt: str | MISSING = MISSING, StatusCallback: Hidden = MISSING,
    ContentSid: Hidden = MISSING, ProvideFeedback: HiddenFlag = MISSING, SmartEncoded: HiddenFlag = MISSING,
    ValidityPeriod: Annotated[Annotated[int, Field(ge=1, le=36000)] | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Sends a text message, or schedules one for later.

    The sender is `From` (a number of the account that can text) or a messaging service, which chooses a number of its pool.
    Recipients who texted STOP to the sender cannot be texted until they text START. The answer says `queued` or `accepted`; fetch
    the message for what became of it.

    To: The recipient's phone number, in E.164 format.
    From: The sender: a phone number of the account, in E.164 format.
    Body: The text, at most 1,600 characters. May be left out when there is media.
    MessagingServiceSid: The messaging service to send through; needed for scheduling.
    MediaUrl: Addresses of up to 10 images or other files to send along.
    ScheduleType: `fixed` to send at the time in SendAt.
    SendAt: When to send, in ISO 8601 and UTC: 15 minutes to 35 days from now.
    """
    if not only(To):
        raise refuse(400, 21604, "A 'To' phone number is required.")
    if not only(From) and not only(MessagingServiceSid):
        raise refuse(400, 21603, "A 'From' or 'MessagingServiceSid' parameter is required to send a message")
    media = tuple(only(MediaUrl) or ())
    text = only(Body) or ""
    if only(ContentSid):
        raise refuse(400, 21655, f"The ContentSid {str(ContentSid)[:40]} is Invalid")
    if not text.strip() and not media:
        raise refuse(400, 21602, "Message body is required.")
    _check_content(ctx, text, media)
    service = _service(ctx, only(MessagingServiceSid))
    number = _reached(str(To), only(From))
    sender = _sender(ctx, only(From), service, number)
    due = _due(ctx, only(ScheduleType), only(SendAt), service)
    if (service and service.smart_encoding) if SmartEncoded is MISSING else SmartEncoded:
        text = segments.smart(text)
    row = deliver(
        ctx, sender, number.e164, text, service=service.sid if service else None, media=media, due=due,
        feedback=ProvideFeedback is True,
    )  # fmt: skip
    return show_message(ctx, row, "scheduled" if due else "accepted" if service else "queued")


def _check_content(ctx: Ctx, text: str, media: tuple[str, ...]) -> None:
    if len(text) > segments.LONGEST:
        raise refuse(400, 21617, "The concatenated message body exceeds the 1600 character limit")
    if len(media) > MOST_MEDIA:
        raise refuse(400, 21623, "Number of media files exceeds allowed limit")
    for url in media:
        if not is_url(url):
            raise refuse(400, 21620, f"Invalid media URL(s): {url[:100]}")
    check_urls(ctx)


def _service(ctx: Ctx, sid: str | None) -> MessagingService | None:
    if not sid:
        return None
    if (found := ctx.db.get(MessagingService, sid)) is None:
        raise refuse(404, 21701, f"The Messaging Service {sid[:40]} does not exist")
    return found


def _reached(to: str, sender: str | None) -> Number:
    """The recipient's number; channels other than texts have no sender here."""
    channel, _, address = to.rpartition(":")
    if channel not in ("", "whatsapp", "messenger"):
        raise refuse(400, 21211, f"Invalid 'To' Phone Number: {to[:60]}")
    if sender and (sender.rpartition(":")[0] != channel):
        raise refuse(400, 21910, "Invalid 'From' and 'To' pair. 'From' and 'To' should be of the same channel")
    if channel:
        raise refuse(400, 63007, "Twilio could not find a Channel with the specified From address")
    return recipient(address)


def _sender(ctx: Ctx, given: str | None, service: MessagingService | None, to: Number) -> str:
    if given and is_alpha(given):
        check_alpha(given, to)
        return given
    if given:
        row = own_sender(ctx, given)
        joined = ctx.db.get(ServiceNumber, row.sid)
        if service and (joined is None or joined.service_sid != service.sid):
            raise refuse(
                400, 21711, "The 'From' number is not associated to the specified Messaging Service."
            )  # fmt: skip
    else:
        assert service is not None
        row = from_pool(ctx, service, to)
    check_recipient(ctx, row, to)
    if ctx.args is not None and ctx.sent().get("MediaUrl") and not row.mms:
        raise refuse(400, 21621, f"The 'From' number {row.phone_number} has not been enabled for MMS")
    return row.phone_number


def _due(ctx: Ctx, kind: str | None, at: str | None, service: MessagingService | None) -> str | None:
    if kind is None and at is None:
        return None
    if service is None:
        raise refuse(400, 35118, "MessagingServiceSid is required to schedule a message")
    if kind is None:
        raise refuse(400, 20001, "Missing required parameter ScheduleType in the post body")
    if not at:
        raise refuse(400, 35111, "SendAt cannot be empty for ScheduleType 'fixed'")
    try:
        time = when(at)
        ahead = time - ctx.now
        fits = timedelta(seconds=SOONEST) <= ahead <= timedelta(seconds=LATEST)
    except (ValueError, OverflowError):
        fits, time = False, ctx.now
    if not fits:
        raise refuse(
            400, 35114, f"SendAt time must be between {SOONEST} seconds and 35 days ({LATEST} seconds) in the future"
        )
    return iso(time)


@app.get(f"{ACCOUNT}/Messages", tool="list_messages")
def list_messages(
    ctx: Ctx, AccountSid: AccountSid = "", To: str | MISSING = MISSING, From: str | MISSING = MISSING,
    DateSent: str | MISSING = MISSING,
    DateSentBefore: Annotated[str | MISSING, Query("DateSent<")] = MISSING,
    DateSentAfter: Annotated[str | MISSING, Query("DateSent>")] = MISSING,
    PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists messages sent and received, newest first.

    To: Only messages to this number.
    From: Only messages from this number.
    DateSent: Only messages of this day (YYYY-MM-DD, UTC).
    DateSentBefore: Only messages sent on or before this date or time.
    DateSentAfter: Only messages sent on or after this date or time.
    """
    low, high = span("DateSent", only(DateSent), only(DateSentBefore), only(DateSentAfter))
    rows = ctx.db.find(
        Message, order="-date_created,-sid", to=_filter(only(To)), sender=_filter(only(From)), date_sent__ge=low, date_sent__le=high
    )  # fmt: skip
    if low or high:  # what is scheduled has no sending date yet
        rows = [row for row in rows if message_status(ctx, row) not in ("scheduled", "canceled")]
    return listing(ctx, f"{root(ctx)}/Messages.json", "messages", rows, show_message, PageSize, Page, PageToken)


def _filter(text: str | None) -> str | None:
    """A filter's number in E.164, where it is one."""
    found = read(text) if text else None
    return found.e164 if found else text or None


@app.get(f"{ACCOUNT}/Messages/{{Sid}}", tool="fetch_message")
def fetch_message(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Fetches a message: its text, where it stands, what it cost and why it failed.

    Sid: The message's SID.
    """
    return show_message(ctx, require(ctx, Message, Sid))


@app.post(f"{ACCOUNT}/Messages/{{Sid}}", tool="update_message", effect="update")
def update_message(
    ctx: Ctx, Sid: str, AccountSid: AccountSid = "", Body: Literal[""] | MISSING = MISSING,
    Status: Literal["canceled"] | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Cancels a scheduled message, or redacts the text of one that was sent.

    Sid: The message's SID.
    Body: An empty text redacts the message; nothing else is accepted.
    Status: `canceled` cancels a message that is still scheduled.
    """
    row = require(ctx, Message, Sid)
    status = message_status(ctx, row)
    at = ctx.timestamp()
    if Status is not MISSING:
        if status != "scheduled":
            raise refuse(409, 30409, "This message cannot be canceled")
        ctx.db.update(row, status="canceled", price=None, date_updated=at)
        status = "canceled"
    if Body is not MISSING:
        if status == "scheduled":
            raise refuse(409, 20009, "Cannot redact this message because its delivery has not been completed.")
        ctx.db.update(row, body="", date_updated=at)
    return show_message(ctx, row)


@app.delete(f"{ACCOUNT}/Messages/{{Sid}}", tool="delete_message", status=204)
def delete_message(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> Reply:
    """Deletes a message and its media for good. A scheduled message has to be canceled first.

    Sid: The message's SID.
    """
    row = require(ctx, Message, Sid)
    if message_status(ctx, row) == "scheduled":
        raise refuse(409, 20009, "Cannot delete message because delivery has not been completed.")
    with still_charged(ctx):
        ctx.db.delete_where(Media, message_sid=Sid)
        ctx.db.delete(row)
    return Reply({}, 204)


@app.post(f"{ACCOUNT}/Messages/{{MessageSid}}/Feedback", tool="create_message_feedback", status=201, mcp=False)
def create_message_feedback(
    ctx: Ctx, MessageSid: str, AccountSid: AccountSid = "", Outcome: Literal["confirmed", "unconfirmed"] = "confirmed"
) -> dict[str, Any]:
    """Says whether a message reached its goal, for messages sent with ProvideFeedback.

    MessageSid: The message's SID.
    Outcome: Whether the recipient did what the message was for.
    """
    row = require(ctx, Message, MessageSid)
    if not row.provide_feedback:
        raise refuse(400, 20001, "Feedback was not requested for this message")
    shown = show_message(ctx, ctx.db.update(row, feedback=Outcome, date_updated=ctx.timestamp()))
    return {
        "account_sid": shown["account_sid"], "message_sid": MessageSid, "outcome": Outcome, "date_created": shown["date_created"],
        "date_updated": shown["date_updated"], "uri": shown["subresource_uris"]["feedback"],
    }  # fmt: skip


@app.get(f"{ACCOUNT}/Messages/{{MessageSid}}/Media", tool="list_message_media")
def list_message_media(
    ctx: Ctx, MessageSid: str, AccountSid: AccountSid = "", PageSize: PageSize = MISSING, Page: PageNumber = MISSING,
    PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists the files that were sent with a message.

    MessageSid: The message's SID.
    """
    require(ctx, Message, MessageSid)
    rows = ctx.db.find(Media, message_sid=MessageSid, order="date_created,sid")
    path = f"{root(ctx)}/Messages/{MessageSid}/Media.json"
    return listing(ctx, path, "media_list", rows, show_media, PageSize, Page, PageToken)


@app.get(f"{ACCOUNT}/Messages/{{MessageSid}}/Media/{{Sid}}", tool="fetch_message_media", mcp=False)
def fetch_message_media(ctx: Ctx, MessageSid: str, Sid: str, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Fetches what is known of a message's file.

    MessageSid: The message's SID.
    Sid: The file's SID.
    """
    return show_media(ctx, require(ctx, Media, Sid, message_sid=MessageSid))


@app.delete(f"{ACCOUNT}/Messages/{{MessageSid}}/Media/{{Sid}}", tool="delete_message_media", status=204, mcp=False)
def delete_message_media(ctx: Ctx, MessageSid: str, Sid: str, AccountSid: AccountSid = "") -> Reply:
    """Deletes a message's file for good; the message stays.

    MessageSid: The message's SID.
    Sid: The file's SID.
    """
    ctx.db.delete(require(ctx, Media, Sid, message_sid=MessageSid))
    return Reply({}, 204)
