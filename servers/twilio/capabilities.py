"""Texts and calls on Twilio: what fills it, what is seen of it, and how each verb is done with its tools."""

from typing import Any, Literal

from legoenv_mcp.app import HEX, Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, sms_voice

from . import prices, segments
from .calling import LONGEST
from .models import Call, IncomingPhoneNumber, Message
from .phones import read
from .sending import hear
from .states import call_state, message_status
from .times import iso, later, when

TextStatus = Literal["delivered", "undelivered", "failed", "received", "sent", "queued"]
CallStatus = Literal["completed", "busy", "no_answer", "failed", "in_progress"]
_TEXTS: dict[str, TextStatus] = {
    "queued": "queued", "accepted": "queued", "scheduled": "queued", "sending": "queued", "sent": "sent", "delivered": "delivered",
    "read": "delivered", "undelivered": "undelivered", "failed": "failed", "received": "received", "canceled": "failed",
}  # fmt: skip
_CALLS: dict[str, CallStatus] = {
    "queued": "in_progress", "ringing": "in_progress", "in-progress": "in_progress", "completed": "completed", "busy": "busy",
    "no-answer": "no_answer", "failed": "failed", "canceled": "failed",
}  # fmt: skip
VOICE_URL = "https://demo.twilio.com/docs/voice.xml"


class TwilioSmsVoice(sms_voice.SmsVoice):
    """Fills, views and verbs."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, sms_voice.PhoneNumber):
            return _fill_number(ctx, entity)
        if isinstance(entity, sms_voice.TextMessage):
            return _fill_text(ctx, entity)
        assert isinstance(entity, sms_voice.Call)
        return _fill_call(ctx, entity)

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "incomingphonenumber":
            return sms_voice.PhoneNumber(
                id=row["sid"], number=row["phone_number"], label=row["friendly_name"], sms=row["sms"], voice=row["voice"],
                created=row["date_created"],
            )  # fmt: skip
        if table == "message":
            return sms_voice.TextMessage(
                id=row["sid"], sender=row["sender"] or "", to=row["to"], body=row["body"], inbound=row["direction"] == "inbound",
                status=_TEXTS[message_status(ctx, Message.of(dict(row)))], at=row["date_sent"] or row["date_created"],
            )  # fmt: skip
        if table == "call":
            state = call_state(ctx, Call.of(dict(row)))
            seconds = row["duration"] if state.duration is None else state.duration
            return sms_voice.Call(
                id=row["sid"], caller=row["sender"], to=row["to"], inbound=row["direction"] == "inbound", seconds=seconds or 0,
                status=_CALLS[state.status], at=row["start_time"] or row["date_created"],
            )  # fmt: skip
        return None

    def send_message(self, sender: str, to: str, body: str) -> Plan:
        yield call("create_message", From=sender, To=to, Body=body)

    def get_message(self, message_id: str) -> Plan:
        yield call("fetch_message", Sid=message_id)

    def list_numbers(self) -> Plan:
        yield call("list_phone_numbers")

    def place_call(self, caller: str, to: str) -> Plan:
        yield call("create_call", From=caller, To=to, Url=VOICE_URL)

    def end_call(self, call_id: str) -> Plan:
        yield call("update_call", Sid=call_id, Status="completed")

    def list_call_records(self) -> Plan:
        yield call("list_calls", PageSize=1000)

    def list_messages(self, other: str) -> Plan:
        yield call("list_messages", To=other)
        yield call("list_messages", From=other)


def _at(ctx: Ctx, text: str) -> str:
    return iso(when(text)) if text else ctx.timestamp()


def _number(ctx: Ctx, number: str) -> IncomingPhoneNumber | None:
    return ctx.db.first(IncomingPhoneNumber, phone_number=number)


def _fill_number(ctx: Ctx, entity: sms_voice.PhoneNumber) -> str:
    found, at = read(entity.number), _at(ctx, entity.created)
    country = found.country if found else "US"
    row = IncomingPhoneNumber(
        sid=ctx.id("PN", 32, HEX), phone_number=entity.number, friendly_name=entity.label or entity.number, iso_country=country,
        type="mobile" if found and found.kind == "mobile" else "toll-free" if found and found.kind == "toll-free" else "local",
        sms=entity.sms, mms=entity.sms and country in ("US", "CA"), voice=entity.voice, date_created=at, date_updated=at,
    )  # fmt: skip
    return ctx.db.add(row).sid


def _fill_text(ctx: Ctx, entity: sms_voice.TextMessage) -> str:
    at, count = _at(ctx, entity.at), segments.count(entity.body)
    direction = "inbound" if entity.inbound else "outbound-api"
    code = {"undelivered": 30003, "failed": 30008}.get(entity.status)
    price = prices.message(direction, entity.sender if entity.inbound else entity.to, count)
    row = Message(
        sid=ctx.id("SM", 32, HEX), sender=entity.sender, to=entity.to, body=entity.body, direction=direction, status=entity.status,
        error_code=code, num_segments=count, price=None if entity.status in ("failed", "queued") else price, date_created=at,
        date_sent=at, date_updated=at,
    )  # fmt: skip
    ctx.db.add(row)
    number = _number(ctx, entity.to) if entity.inbound else None
    if number is not None:
        hear(ctx, number, entity.sender, entity.body, at)
    return row.sid


def _fill_call(ctx: Ctx, entity: sms_voice.Call) -> str:
    at = _at(ctx, entity.at)
    going = entity.status == "in_progress"
    answered = entity.status == "completed"
    number = _number(ctx, entity.to if entity.inbound else entity.caller)
    direction = "inbound" if entity.inbound else "outbound-api"
    other = entity.caller if entity.inbound else entity.to
    status: dict[CallStatus, Any] = {"in_progress": "in-progress", "no_answer": "no-answer"}
    row = Call(
        sid=ctx.id("CA", 32, HEX), sender=entity.caller, to=entity.to, direction=direction, status=status.get(entity.status, entity.status),
        phone_number_sid=number.sid if number else None, duration=entity.seconds,
        price=prices.call(direction, other, entity.seconds) if answered else None, ends_at=later(at, LONGEST) if going else None,
        date_created=at, start_time=at, end_time=None if going else later(at, entity.seconds), date_updated=at,
    )  # fmt: skip
    return ctx.db.add(row).sid


provides = {"sms_voice": TwilioSmsVoice()}
