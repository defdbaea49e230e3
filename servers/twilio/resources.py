"""Rows as the 2010 API answers them."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import prices
from .models import (
    Account,
    Address,
    Call,
    Conference,
    ConferenceParticipant,
    IncomingPhoneNumber,
    Media,
    Message,
    OutgoingCallerId,
    Recording,
)
from .phones import formatted
from .states import ERRORS, call_state, message_status, recording_state
from .times import rfc2822

VERSION = "2010-04-01"


def account_sid(ctx: Ctx) -> str:
    account = ctx.db.first(Account)
    assert account is not None
    return account.sid


def root(ctx: Ctx) -> str:
    return f"/{VERSION}/Accounts/{account_sid(ctx)}"


def _dates(row: Any) -> dict[str, Any]:
    return {"date_created": rfc2822(row.date_created), "date_updated": rfc2822(row.date_updated)}


def show_account(ctx: Ctx, row: Account) -> dict[str, Any]:
    uri = f"/{VERSION}/Accounts/{row.sid}"
    parts = {
        "addresses": "Addresses", "available_phone_numbers": "AvailablePhoneNumbers", "balance": "Balance", "calls": "Calls",
        "conferences": "Conferences", "incoming_phone_numbers": "IncomingPhoneNumbers", "messages": "Messages",
        "outgoing_caller_ids": "OutgoingCallerIds", "recordings": "Recordings", "usage": "Usage",
    }  # fmt: skip
    return {
        "sid": row.sid, "owner_account_sid": row.sid, "friendly_name": row.friendly_name, "status": row.status, "type": row.type,
        **_dates(row), "auth_token": None, "uri": f"{uri}.json",
        "subresource_uris": {name: f"{uri}/{part}.json" for name, part in parts.items()},
    }  # fmt: skip


def show_message(ctx: Ctx, row: Message, status: str = "") -> dict[str, Any]:
    """`status` is what the answer to its creation says, before anything came of it."""
    now = status or message_status(ctx, row)
    going = now in ("queued", "accepted", "scheduled", "sending", "canceled")
    unsent = going and row.messaging_service_sid is not None and now != "queued"  # its sender is not chosen yet
    uri = f"{root(ctx)}/Messages/{row.sid}"
    code = None if going else row.error_code
    return {
        "sid": row.sid, "account_sid": account_sid(ctx), "messaging_service_sid": row.messaging_service_sid,
        "from": None if unsent else row.sender, "to": row.to, "body": row.body,
        "status": now, "direction": row.direction, "num_segments": "0" if unsent else str(row.num_segments),
        "num_media": str(row.num_media),
        "price": None if going else prices.shown(row.price), "price_unit": prices.PRICE_UNIT, "error_code": code,
        "error_message": ERRORS.get(code) if code else None, "date_sent": None if going else rfc2822(row.date_sent), **_dates(row),
        "api_version": VERSION, "uri": f"{uri}.json",
        "subresource_uris": {"media": f"{uri}/Media.json", "feedback": f"{uri}/Feedback.json"},
    }  # fmt: skip


def show_media(ctx: Ctx, row: Media) -> dict[str, Any]:
    return {
        "sid": row.sid, "account_sid": account_sid(ctx), "parent_sid": row.message_sid, "content_type": row.content_type,
        **_dates(row), "uri": f"{root(ctx)}/Messages/{row.message_sid}/Media/{row.sid}.json",
    }  # fmt: skip


def show_call(ctx: Ctx, row: Call, status: str = "") -> dict[str, Any]:
    """`status` is what the answer to its creation says."""
    state, uri = call_state(ctx, row), f"{root(ctx)}/Calls/{row.sid}"
    parts = {"notifications": "Notifications", "recordings": "Recordings", "events": "Events"}
    return {
        "sid": row.sid, "account_sid": account_sid(ctx), "parent_call_sid": row.parent_call_sid, "from": row.sender,
        "from_formatted": formatted(row.sender), "to": row.to, "to_formatted": formatted(row.to),
        "phone_number_sid": row.phone_number_sid, "status": status or state.status, "direction": row.direction,
        "start_time": None if status else rfc2822(row.start_time), "end_time": None if status else rfc2822(state.end_time),
        "duration": None if status or state.duration is None else str(state.duration),
        "price": None if status else prices.shown(state.price), "price_unit": prices.PRICE_UNIT, "answered_by": row.answered_by,
        "caller_name": row.caller_name, "forwarded_from": None, "group_sid": None, "queue_time": "0", "trunk_sid": None,
        "annotation": None, **_dates(row), "api_version": VERSION, "uri": f"{uri}.json",
        "subresource_uris": {name: f"{uri}/{part}.json" for name, part in parts.items()},
    }  # fmt: skip


def show_number(ctx: Ctx, row: IncomingPhoneNumber) -> dict[str, Any]:
    hidden = {"iso_country", "sms", "mms", "voice", "date_created", "date_updated"}
    return {
        "sid": row.sid, "account_sid": account_sid(ctx), "phone_number": row.phone_number, "friendly_name": row.friendly_name,
        "capabilities": {"voice": row.voice, "sms": row.sms, "mms": row.mms, "fax": False},
        **{name: getattr(row, name) for name in type(row).model_fields if name not in hidden},
        "voice_url": row.voice_url or "", "sms_url": row.sms_url or "", "status": "in-use", "origin": "twilio", "beta": False,
        "emergency_address_status": "registered" if row.emergency_address_sid else "unregistered", **_dates(row),
        "api_version": VERSION, "uri": f"{root(ctx)}/IncomingPhoneNumbers/{row.sid}.json", "subresource_uris": {},
    }  # fmt: skip


def show_caller_id(ctx: Ctx, row: OutgoingCallerId) -> dict[str, Any]:
    return {
        "sid": row.sid, "account_sid": account_sid(ctx), "friendly_name": row.friendly_name, "phone_number": row.phone_number,
        **_dates(row), "uri": f"{root(ctx)}/OutgoingCallerIds/{row.sid}.json",
    }  # fmt: skip


def show_address(ctx: Ctx, row: Address) -> dict[str, Any]:
    shown = {name: getattr(row, name) for name in type(row).model_fields}
    return {
        **shown, "account_sid": account_sid(ctx), "validated": True, "verified": False, **_dates(row),
        "uri": f"{root(ctx)}/Addresses/{row.sid}.json",
    }  # fmt: skip


def show_recording(ctx: Ctx, row: Recording) -> dict[str, Any]:
    status, duration = recording_state(ctx, row)
    uri = f"{root(ctx)}/Recordings/{row.sid}"
    done = status in ("completed", "stopped")
    minutes = -(-(duration or 0) // 60)
    return {
        "sid": row.sid, "account_sid": account_sid(ctx), "call_sid": row.call_sid, "conference_sid": row.conference_sid,
        "status": status, "duration": str(duration) if done and duration is not None else "-1", "channels": row.channels,
        "source": row.source, "track": row.track, "error_code": None, "start_time": rfc2822(row.start_time),
        "price": prices.shown(-prices.RECORDING_MINUTE * minutes) if done else None, "price_unit": prices.PRICE_UNIT, **_dates(row),
        "api_version": VERSION, "encryption_details": None, "media_url": f"https://api.twilio.com{uri}" if done else None,
        "uri": f"{uri}.json", "subresource_uris": {"transcriptions": f"{uri}/Transcriptions.json"},
    }  # fmt: skip


def show_conference(ctx: Ctx, row: Conference) -> dict[str, Any]:
    uri = f"{root(ctx)}/Conferences/{row.sid}"
    return {
        "sid": row.sid, "account_sid": account_sid(ctx), "friendly_name": row.friendly_name, "status": row.status,
        "region": row.region, "reason_conference_ended": row.reason_conference_ended,
        "call_sid_ending_conference": row.call_sid_ending_conference, **_dates(row), "api_version": VERSION, "uri": f"{uri}.json",
        "subresource_uris": {"participants": f"{uri}/Participants.json", "recordings": f"{uri}/Recordings.json"},
    }  # fmt: skip


def show_participant(ctx: Ctx, row: ConferenceParticipant, status: str = "") -> dict[str, Any]:
    shown = {name: getattr(row, name) for name in type(row).model_fields}
    return {
        **shown, "account_sid": account_sid(ctx), "status": status or row.status, "queue_time": None, **_dates(row),
        "api_version": VERSION,
        "uri": f"{root(ctx)}/Conferences/{row.conference_sid}/Participants/{row.call_sid}.json",
    }  # fmt: skip
