"""Who may text whom: senders, opt-outs, and what becomes of a text.

https://help.twilio.com/articles/223134027-Twilio-support-for-opt-out-keywords-SMS-STOP-filtering-
"""

import re

from legoenv_mcp.app import HEX, ApiError, Ctx

from . import prices, segments
from .errors import refuse
from .models import IncomingPhoneNumber, Media, Message, MessagingService, OptOut, ServiceNumber
from .phones import Number, read

STOP = frozenset({"STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"})
START = frozenset({"START", "YES", "UNSTOP"})
_ALPHA = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9 +\-_&]{1,11}")
_NO_ALPHA = ("US", "CA", "CN", "KR", "MX")

# https://www.twilio.com/docs/iam/test-credentials#test-sms-messages
MAGIC_TO = {
    "+15005550001": (21211, "Invalid 'To' Phone Number: {to}"),
    "+15005550002": (21612, "The 'To' phone number: {to}, is not currently reachable using the 'From' phone number: {sender} via SMS."),
    "+15005550003": (21408, "Permission to send an SMS has not been enabled for the region indicated by the 'To' number: {to}."),
    "+15005550004": (21610, "Attempt to send to unsubscribed recipient"),
    "+15005550009": (21614, "To number: {to}, is not a mobile number"),
}  # fmt: skip
MAGIC_FROM = {
    "+15005550001": (21212, "The 'From' number {sender} is not a valid phone number, shortcode, or alphanumeric sender ID."),
    "+15005550008": (21611, "The 'From' number {sender} has exceeded the maximum number of queued messages."),
}  # fmt: skip


def recipient(text: str) -> Number:
    found = read(text)
    if found is None:
        raise refuse(400, 21211, f"Invalid 'To' Phone Number: {text[:60]}")
    return found


def owned(ctx: Ctx, number: str) -> IncomingPhoneNumber | None:
    return ctx.db.first(IncomingPhoneNumber, phone_number=number)


def own_sender(ctx: Ctx, text: str) -> IncomingPhoneNumber:
    """One of the account's numbers that can text; 21659 where it is not the account's, 21606 where it cannot."""
    number = read(text)
    if number and number.e164 in MAGIC_FROM:
        code, words = MAGIC_FROM[number.e164]
        raise refuse(400, code, words.format(sender=number.e164))
    if number is None and not re.fullmatch(r"\d{3,8}", text):
        raise refuse(
            400,
            21212,
            f"The 'From' number {text[:60]} is not a valid phone number, shortcode, or alphanumeric sender ID.",
        )
    row = owned(ctx, number.e164) if number else None
    shown = number.e164 if number else text
    if row is None:
        raise refuse(
            400, 21659, f"'From' {shown} is not a Twilio phone number or Short Code country mismatch"
        )  # fmt: skip
    if not row.sms:
        raise refuse(
            400, 21606,
            f"The From phone number {shown} is not a valid, SMS-capable inbound phone number or short code for your account.",
        )  # fmt: skip
    return row


def is_alpha(text: str) -> bool:
    return read(text) is None and _ALPHA.fullmatch(text) is not None


def check_alpha(sender: str, to: Number) -> None:
    """Alphanumeric senders reach only countries that allow them."""
    if to.country in _NO_ALPHA:
        raise unreachable(to.e164, sender)


def unreachable(to: str, sender: str) -> ApiError:
    return refuse(
        400,
        21612,
        f"The 'To' phone number: {to}, is not currently reachable using the 'From' phone number: {sender} via SMS.",
    )


def pool(ctx: Ctx, service: str) -> list[IncomingPhoneNumber]:
    """A messaging service's numbers in the order in which they joined it."""
    joined = ctx.db.find(ServiceNumber, service_sid=service, order="date_created")
    found = [ctx.db.get(IncomingPhoneNumber, j.phone_number_sid) for j in joined]
    return [number for number in found if number is not None]


def from_pool(ctx: Ctx, service: MessagingService, to: Number) -> IncomingPhoneNumber:
    """The pool's sender for a recipient: the one that they know, else one of their country and area code."""
    numbers = pool(ctx, service.sid)
    if not numbers:
        raise refuse(400, 21704, "The Messaging Service contains no phone numbers.")
    able = [n for n in numbers if n.sms]
    if not able:
        raise refuse(400, 21703, "The Messaging Service does not have a phone number available to send a message")
    if service.sticky_sender:
        last = ctx.db.first(Message, to=to.e164, messaging_service_sid=service.sid, order="-date_created,-sid")
        if last and (known := next((n for n in able if n.phone_number == last.sender), None)):
            return known

    def nearness(number: IncomingPhoneNumber) -> tuple[bool, bool]:
        area = service.area_code_geomatch and number.phone_number[:5] == to.e164[:5]
        return number.iso_country != to.country, not area

    return min(able, key=nearness)


def opt_out_key(ctx: Ctx, number: IncomingPhoneNumber) -> str:
    """Whom a STOP to this number is against: the whole messaging service where the number is in one."""
    joined = ctx.db.get(ServiceNumber, number.sid)
    return joined.service_sid if joined else number.phone_number


def is_opted_out(ctx: Ctx, number: IncomingPhoneNumber, contact: str) -> bool:
    senders = {number.phone_number, opt_out_key(ctx, number)}
    return any(ctx.db.get(OptOut, (sender, contact)) for sender in sorted(senders))


def set_opt_out(ctx: Ctx, sender: str, contact: str, out: bool, at: str) -> None:
    row = ctx.db.get(OptOut, (sender, contact))
    if out and row is None:
        ctx.db.add(OptOut(sender=sender, contact=contact, since=at))
    elif not out and row is not None:
        ctx.db.delete(row)


def hear(ctx: Ctx, number: IncomingPhoneNumber, contact: str, body: str, at: str) -> None:
    """What an inbound text means beside its words: STOP and START."""
    word = body.strip().upper()
    if word in STOP:
        set_opt_out(ctx, opt_out_key(ctx, number), contact, True, at)
    elif word in START:
        for sender in sorted({opt_out_key(ctx, number), number.phone_number}):
            set_opt_out(ctx, sender, contact, False, at)


def check_recipient(ctx: Ctx, number: IncomingPhoneNumber, to: Number) -> None:
    if to.e164 in MAGIC_TO:
        code, words = MAGIC_TO[to.e164]
        raise refuse(400, code, words.format(to=to.e164, sender=number.phone_number))
    if to.e164 == number.phone_number:
        raise refuse(400, 21266, f"'To' and 'From' number cannot be the same: {to.e164}")
    if is_opted_out(ctx, number, to.e164):
        raise refuse(400, 21610, "Attempt to send to unsubscribed recipient")


def deliver(
    ctx: Ctx, sender: str, to: str, body: str, *, service: str | None = None, media: tuple[str, ...] = (), conversation: str | None = None,
    due: str | None = None, feedback: bool = False,
) -> Message:  # fmt: skip
    """Writes the text, settled, and what it brings about at one of the account's own numbers."""
    own = owned(ctx, to)
    landline = own is not None and not own.sms
    at, count = ctx.timestamp(), segments.count(body)
    row = ctx.db.add(
        Message(
            sid=ctx.id("MM" if media else "SM", 32, HEX), sender=sender, to=to, body=body,
            status="scheduled" if due else "undelivered" if landline else "delivered", error_code=30006 if landline else None,
            num_segments=count, num_media=len(media), price=prices.message("outbound-api", to, count, len(media)),
            messaging_service_sid=service, conversation_sid=conversation, provide_feedback=feedback, date_created=at,
            date_sent=due or at, date_updated=at,
        )
    )  # fmt: skip
    for url in media:
        ctx.db.add(
            Media(
                sid=ctx.id("ME", 32, HEX), message_sid=row.sid, content_type=content_type(url), source_url=url, date_created=at,
                date_updated=at,
            )
        )  # fmt: skip
    if own is not None and own.sms and not due:
        receive(ctx, own, sender, body, at)
    return row


def receive(ctx: Ctx, number: IncomingPhoneNumber, sender: str, body: str, at: str) -> Message:
    """A text that reaches one of the account's numbers."""
    count = segments.count(body)
    row = ctx.db.add(
        Message(
            sid=ctx.id("SM", 32, HEX), sender=sender, to=number.phone_number, body=body, direction="inbound", status="received",
            num_segments=count, price=prices.message("inbound", sender, count), date_created=at, date_sent=at, date_updated=at,
        )
    )  # fmt: skip
    hear(ctx, number, sender, body, at)
    return row


_TYPES = {
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "mp3": "audio/mpeg",
    "wav": "audio/wav", "mp4": "video/mp4", "pdf": "application/pdf", "vcf": "text/vcard", "csv": "text/csv", "txt": "text/plain",
}  # fmt: skip


def content_type(url: str) -> str:
    ending = url.partition("?")[0].rpartition("/")[2].rpartition(".")[2].lower()
    return _TYPES.get(ending, "image/jpeg")
