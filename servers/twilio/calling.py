"""What happens in calls: TwiML, conferences, recordings, hanging up. https://www.twilio.com/docs/voice/twiml"""

from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from legoenv_mcp.app import HEX, Ctx

from . import prices
from .errors import refuse
from .models import Call, Conference, ConferenceParticipant, IncomingPhoneNumber, OutgoingCallerId, Recording
from .phones import Number, read
from .states import OVER, call_state, is_on, other_end
from .times import later, seconds_between

LONGEST = 14400
MOST_TWIML = 4000
_WORDS_A_SECOND = 2.5
_ENDLESS = frozenset({"Dial", "Enqueue", "Connect", "Redirect", "Refer", "Pay", "Leave", "Record"})

# https://www.twilio.com/docs/iam/test-credentials#test-calls
MAGIC_TO = {
    "+15005550001": (21217, "The phone number you are attempting to call, {to}, is not valid."),
    "+15005550002": (21214, "The phone number you are attempting to call, {to}, cannot be reached."),
    "+15005550003": (21215, "Account not authorized to call {to}. Perhaps you need to enable some international permissions."),
    "+15005550004": (21216, "Account not allowed to call {to}"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Script:
    """What a TwiML document makes a call do. `seconds` is None where that is not in the document."""

    seconds: float | None
    conference: str | None = None
    options: dict[str, Any] | None = None
    records: bool = False


def script(twiml: str) -> Script:
    """Reads TwiML; 12100 where it is not well-formed. Documents with a DOCTYPE are refused: entities are none of TwiML's."""
    if len(twiml) > MOST_TWIML:
        raise refuse(400, 21658, f"Twiml exceeds the limit of {MOST_TWIML} characters")
    guard = expat.ParserCreate()

    def doctype(*_: Any) -> None:
        raise refuse(400, 12100, "Document parse failure: DOCTYPE is not allowed")

    guard.StartDoctypeDeclHandler = doctype
    try:
        guard.Parse(twiml.encode(), True)
        root = ElementTree.fromstring(twiml.encode())
    except (expat.ExpatError, ElementTree.ParseError, ValueError, LookupError) as error:
        raise refuse(400, 12100, f"Document parse failure: {error}") from None
    if root.tag != "Response":
        raise refuse(400, 12100, f"Document parse failure: the root element is {root.tag[:50]}, not Response")
    return _acts(list(root))


def _acts(verbs: list[ElementTree.Element]) -> Script:
    seconds, records = 0.0, False
    for verb in verbs:
        if verb.tag in ("Hangup", "Reject"):
            break
        records = records or verb.tag == "Record"
        if verb.tag in _ENDLESS:
            room = verb.find("Conference")
            name = (room.text or "").strip()[:128] if room is not None else ""
            return Script(None, name or None, dict(room.attrib) if room is not None else None, records)
        seconds += _lasts(verb)
    return Script(max(1.0, seconds), records=records)


def _lasts(verb: ElementTree.Element) -> float:
    def whole(name: str, default: int) -> int:
        text = verb.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else default

    if verb.tag == "Pause":
        return whole("length", 1)
    if verb.tag == "Say":
        return (whole("loop", 1) or 1) * len("".join(verb.itertext()).split()) / _WORDS_A_SECOND
    if verb.tag == "Play":
        return (whole("loop", 1) or 1) * 10
    if verb.tag == "Gather":
        return whole("timeout", 5) + sum(map(_lasts, verb))
    return 0


def caller(ctx: Ctx, text: str) -> tuple[str, str | None]:
    """The number that a call shows, and its SID: one of the account's with voice, or a verified caller ID."""
    number = read(text)
    if number is None or number.e164 == "+15005550001":
        raise refuse(400, 21212, f"Invalid From Number (caller ID): {text[:60]}")
    own = ctx.db.first(IncomingPhoneNumber, phone_number=number.e164)
    if own is not None and own.voice:
        return number.e164, own.sid
    verified = ctx.db.first(OutgoingCallerId, phone_number=number.e164)
    if verified is not None:
        return number.e164, verified.sid
    raise refuse(
        400, 21210,
        f"The source phone number provided, {number.e164}, is not yet verified for your account. You may only make calls from phone "
        "numbers that you've verified or purchased from Twilio.",
    )  # fmt: skip


def callee(text: str) -> Number:
    number = read(text)
    if number is None:
        raise refuse(400, 21211, f"The phone number you are attempting to call, {text[:60]}, is not valid.")
    if number.e164 in MAGIC_TO:
        code, words = MAGIC_TO[number.e164]
        raise refuse(400, code, words.format(to=number.e164))
    return number


def place(ctx: Ctx, sender: str, sid: str | None, to: str, acts: Script, limit: int = LONGEST, **columns: Any) -> Call:
    """A call that was answered, and goes on until its script, its limit or somebody ends it."""
    at = ctx.timestamp()
    lasts = limit if acts.seconds is None else min(limit, acts.seconds)
    row = ctx.db.add(
        Call(
            sid=ctx.id("CA", 32, HEX), sender=sender, to=to, status="in-progress", phone_number_sid=sid, start_time=at, date_created=at,
            date_updated=at, ends_at=later(at, -(-lasts // 1)), **columns,
        )
    )  # fmt: skip
    perform(ctx, row, acts)
    return row


def perform(ctx: Ctx, call: Call, acts: Script) -> None:
    """What a script does beside taking time: recording, and joining a conference (which leaves any other)."""
    for seat in ctx.db.find(ConferenceParticipant, call_sid=call.sid, status="connected"):
        leave(ctx, seat, "last-participant-left")
    if acts.records:
        record(ctx, call, "RecordVerb")
    if acts.conference:
        flags = acts.options or {}
        join(
            ctx, room(ctx, acts.conference), call, muted=flags.get("muted") == "true", label=flags.get("participantLabel"),
            start_conference_on_enter=flags.get("startConferenceOnEnter") != "false",
            end_conference_on_exit=flags.get("endConferenceOnExit") == "true",
        )  # fmt: skip


def record(ctx: Ctx, call: Call, source: str, channels: int = 1, track: str = "both") -> Recording:
    at = ctx.timestamp()
    return ctx.db.add(
        Recording(
            sid=ctx.id("RE", 32, HEX), call_sid=call.sid, channels=channels, source=source, track=track, date_created=at, start_time=at,
            date_updated=at,
        )
    )  # fmt: skip


def end(ctx: Ctx, call: Call, status: str = "completed", why: str = "last-participant-left") -> None:
    """Hangs up: its recordings are complete, its place in conferences is empty."""
    at = ctx.timestamp()
    lasted = seconds_between(call.start_time or at, at)
    for recording in ctx.db.find(Recording, call_sid=call.sid, status__in=["in-progress", "paused"]):
        length = seconds_between(recording.start_time, at)
        ctx.db.update(recording, status="completed", duration=length, date_updated=at)
    ctx.db.update(
        call, status=status, duration=lasted, end_time=at, ends_at=None, date_updated=at,
        price=prices.call(call.direction, other_end(call), lasted),
    )  # fmt: skip
    for seat in ctx.db.find(ConferenceParticipant, call_sid=call.sid, status="connected"):
        leave(ctx, seat, why)


def hang_up(ctx: Ctx, call: Call) -> None:
    if is_on(ctx, call):
        end(ctx, call)


def require_on(ctx: Ctx, call: Call) -> None:
    if call_state(ctx, call).status in OVER:
        raise refuse(400, 21220, "Call is not in-progress. Cannot redirect.")


# Conferences


def room(ctx: Ctx, name: str) -> Conference:
    """The conference of this name that is going on, or a new one."""
    open_one = ctx.db.first(Conference, friendly_name=name, status__in=["init", "in-progress"])
    at = ctx.timestamp()
    return open_one or ctx.db.add(
        Conference(sid=ctx.id("CF", 32, HEX), friendly_name=name, date_created=at, date_updated=at)
    )


def join(ctx: Ctx, conference: Conference, call: Call, **columns: Any) -> ConferenceParticipant:
    label = columns.get("label")
    if label and ctx.db.first(ConferenceParticipant, conference_sid=conference.sid, label=label, status="connected"):
        raise refuse(400, 16025, "Dial->Conference: Participant label is in use by another participant")
    at = ctx.timestamp()
    if (before := ctx.db.get(ConferenceParticipant, (conference.sid, call.sid))) is not None:
        ctx.db.delete(before)  # it was here, left, and comes back
    seat = ctx.db.add(
        ConferenceParticipant(
            conference_sid=conference.sid, call_sid=call.sid, date_created=at, date_updated=at, **columns
        )
    )
    if conference.status == "init" and seat.start_conference_on_enter:
        ctx.db.update(conference, status="in-progress", date_updated=at)
    return seat


def leave(ctx: Ctx, seat: ConferenceParticipant, why: str) -> None:
    """A conference ends with its last participant, or with one who was to end it."""
    at = ctx.timestamp()
    ctx.db.update(seat, status="complete", date_updated=at)
    conference = ctx.db.get(Conference, seat.conference_sid)
    assert conference is not None
    if conference.status == "completed":
        return
    others = ctx.db.find(ConferenceParticipant, conference_sid=conference.sid, status="connected")
    if seat.end_conference_on_exit and others:
        why = "participant-with-end-conference-on-exit-left"
    elif others:
        return
    close(ctx, conference, why, seat.call_sid)


def close(ctx: Ctx, conference: Conference, why: str, by: str | None = None) -> None:
    at = ctx.timestamp()
    ctx.db.update(
        conference, status="completed", reason_conference_ended=why, call_sid_ending_conference=by, date_updated=at
    )
    for seat in ctx.db.find(ConferenceParticipant, conference_sid=conference.sid, status="connected"):
        ctx.db.update(seat, status="complete", date_updated=at)
        if (call := ctx.db.get(Call, seat.call_sid)) is not None:
            hang_up(ctx, call)
