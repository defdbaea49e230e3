"""Conferences and who is in them. https://www.twilio.com/docs/voice/api/conference-resource"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Query, Reply

from ..app import ACCOUNT, AccountSid, app
from ..calling import Script, callee, caller, close, end, join, place, record, room
from ..errors import not_found, path_of, refuse, require
from ..lists import PageNumber, PageSize, PageToken, listing
from ..models import Call, Conference, ConferenceParticipant, Recording
from ..params import Hidden, HiddenFlag, Method, check_urls, columns, only
from ..resources import root, show_conference, show_participant, show_recording
from ..states import is_on
from ..times import span


@app.get(f"{ACCOUNT}/Conferences", tool="list_conferences")
def list_conferences(
    ctx: Ctx, AccountSid: AccountSid = "", FriendlyName: str | MISSING = MISSING,
    Status: Literal["init", "in-progress", "completed"] | MISSING = MISSING, DateCreated: str | MISSING = MISSING,
    DateCreatedBefore: Annotated[str | MISSING, Query("DateCreated<", mcp=False)] = MISSING,
    DateCreatedAfter: Annotated[str | MISSING, Query("DateCreated>", mcp=False)] = MISSING,
    DateUpdated: Annotated[str | MISSING, Query("DateUpdated", mcp=False)] = MISSING,
    PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists conferences, newest first.

    FriendlyName: Only conferences of exactly this name.
    Status: Only conferences with this status.
    DateCreated: Only conferences of this day (YYYY-MM-DD, UTC).
    """
    low, high = span("DateCreated", only(DateCreated), only(DateCreatedBefore), only(DateCreatedAfter))
    first, last = span("DateUpdated", only(DateUpdated), None, None)
    rows = ctx.db.find(
        Conference, order="-date_created,-sid", friendly_name=only(FriendlyName), status=only(Status), date_created__ge=low,
        date_created__le=high, date_updated__ge=first, date_updated__le=last,
    )  # fmt: skip
    path = f"{root(ctx)}/Conferences.json"
    return listing(ctx, path, "conferences", rows, show_conference, PageSize, Page, PageToken)


@app.get(f"{ACCOUNT}/Conferences/{{Sid}}", tool="fetch_conference")
def fetch_conference(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Fetches a conference: its name, whether it is going on, why it ended.

    Sid: The conference's SID.
    """
    return show_conference(ctx, require(ctx, Conference, Sid))


@app.post(f"{ACCOUNT}/Conferences/{{Sid}}", tool="update_conference", effect="transition")
def update_conference(
    ctx: Ctx, Sid: str, AccountSid: AccountSid = "", Status: Literal["completed"] | MISSING = MISSING,
    AnnounceUrl: str | MISSING = MISSING, AnnounceMethod: Method = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Ends a conference for everybody in it, or plays an announcement to them.

    Sid: The conference's SID.
    Status: `completed` ends the conference.
    AnnounceUrl: Where the announcement's TwiML or audio is.
    """
    row = require(ctx, Conference, Sid)
    check_urls(ctx, 21205)
    if ctx.sent() and row.status == "completed":
        raise refuse(400, 20001, f"Conference {Sid} has already completed")
    if Status is not MISSING:
        close(ctx, row, "conference-ended-via-api")
    return show_conference(ctx, row)


@app.get(f"{ACCOUNT}/Conferences/{{ConferenceSid}}/Recordings", tool="list_conference_recordings", mcp=False)
def list_conference_recordings(
    ctx: Ctx, ConferenceSid: str, AccountSid: AccountSid = "", PageSize: PageSize = MISSING, Page: PageNumber = MISSING,
    PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists a conference's recordings, newest first.

    ConferenceSid: The conference's SID.
    """
    require(ctx, Conference, ConferenceSid)
    rows = ctx.db.find(Recording, order="-date_created,-sid", conference_sid=ConferenceSid)
    path = f"{root(ctx)}/Conferences/{ConferenceSid}/Recordings.json"
    return listing(ctx, path, "recordings", rows, show_recording, PageSize, Page, PageToken)


@app.post(
    f"{ACCOUNT}/Conferences/{{ConferenceSid}}/Participants",
    tool="create_conference_participant",
    effect="send",
    status=201,
)
def create_conference_participant(
    ctx: Ctx, ConferenceSid: Annotated[str, Field(min_length=1, max_length=128)], From: str, To: str, AccountSid: AccountSid = "",
    Label: Annotated[str, Field(min_length=1, max_length=128)] | MISSING = MISSING, Muted: bool | MISSING = MISSING,
    StartConferenceOnEnter: bool | MISSING = MISSING, EndConferenceOnExit: bool | MISSING = MISSING,
    Coaching: HiddenFlag = MISSING, CallSidToCoach: Hidden = MISSING, Record: HiddenFlag = MISSING, StatusCallback: Hidden = MISSING,
    TimeLimit: Annotated[Annotated[int, Field(ge=1, le=86400)] | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Calls somebody and puts them into a conference. A conference of a new name is begun.

    ConferenceSid: The SID of a conference that is going on, or the name of one to go on with or to begin.
    From: The number to call from: one of the account's with voice, or a verified caller ID.
    To: The phone number to call, in E.164 format.
    Label: A name for the participant that is nobody else's in the conference.
    Muted: Whether the others cannot hear the participant.
    StartConferenceOnEnter: Whether the conference starts when the participant enters.
    EndConferenceOnExit: Whether the conference ends when the participant leaves.
    """
    check_urls(ctx)
    to = callee(To)
    sender, sid = caller(ctx, From)
    conference = ctx.db.get(Conference, ConferenceSid)
    if conference is not None and conference.status == "completed":
        raise refuse(400, 20001, f"Conference {ConferenceSid} has already completed")
    if conference is None:
        if ConferenceSid.startswith("CF") and len(ConferenceSid) == 34:
            raise not_found(path_of(ctx))
        conference = room(ctx, ConferenceSid)
    call = place(ctx, sender, sid, to.e164, Script(None), 14400 if TimeLimit is MISSING else TimeLimit)
    if Record is True:
        record(ctx, call, "OutboundAPI")
    _check_coached(ctx, conference, only(CallSidToCoach))
    flags = columns(ctx, "From", "To", "Record", "StatusCallback", "TimeLimit")
    return show_participant(ctx, join(ctx, conference, call, **flags), "queued")


def _check_coached(ctx: Ctx, conference: Conference, sid: str | None) -> None:
    seat = ctx.db.get(ConferenceParticipant, (conference.sid, sid)) if sid else None
    if sid and (seat is None or seat.status != "connected"):
        raise refuse(400, 20001, f"CallSidToCoach {sid[:40]} is not in the conference")


def _seat(ctx: Ctx, conference: str, who: str) -> ConferenceParticipant:
    """A participant by its call's SID or its label, if it is still there."""
    require(ctx, Conference, conference)
    seat = ctx.db.get(ConferenceParticipant, (conference, who)) or ctx.db.first(
        ConferenceParticipant, conference_sid=conference, label=who, status="connected"
    )
    if seat is None or not _present(ctx, seat):
        raise not_found(path_of(ctx))
    return seat


def _present(ctx: Ctx, seat: ConferenceParticipant) -> bool:
    call = ctx.db.get(Call, seat.call_sid)
    return seat.status == "connected" and call is not None and is_on(ctx, call)


@app.get(f"{ACCOUNT}/Conferences/{{ConferenceSid}}/Participants", tool="list_conference_participants")
def list_conference_participants(
    ctx: Ctx, ConferenceSid: str, AccountSid: AccountSid = "", Muted: bool | MISSING = MISSING, Hold: bool | MISSING = MISSING,
    Coaching: Annotated[bool | MISSING, Query(mcp=False)] = MISSING, PageSize: PageSize = MISSING, Page: PageNumber = MISSING,
    PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists who is in a conference now; who has left is not listed.

    ConferenceSid: The conference's SID.
    Muted: Only participants who are (or are not) muted.
    Hold: Only participants who are (or are not) on hold.
    """
    require(ctx, Conference, ConferenceSid)
    seats = ctx.db.find(
        ConferenceParticipant, order="date_created,call_sid", conference_sid=ConferenceSid, muted=only(Muted), hold=only(Hold),
        coaching=only(Coaching),
    )  # fmt: skip
    rows = [seat for seat in seats if _present(ctx, seat)]
    path = f"{root(ctx)}/Conferences/{ConferenceSid}/Participants.json"
    return listing(
        ctx, path, "participants", rows, show_participant, PageSize, Page, PageToken, key=lambda seat: seat.call_sid
    )


@app.get(
    f"{ACCOUNT}/Conferences/{{ConferenceSid}}/Participants/{{CallSid}}", tool="fetch_conference_participant", mcp=False
)
def fetch_conference_participant(
    ctx: Ctx, ConferenceSid: str, CallSid: str, AccountSid: AccountSid = ""
) -> dict[str, Any]:
    """Fetches somebody in a conference.

    ConferenceSid: The conference's SID.
    CallSid: The SID of the participant's call, or their label.
    """
    return show_participant(ctx, _seat(ctx, ConferenceSid, CallSid))


@app.post(
    f"{ACCOUNT}/Conferences/{{ConferenceSid}}/Participants/{{CallSid}}",
    tool="update_conference_participant",
    effect="update",
)
def update_conference_participant(
    ctx: Ctx, ConferenceSid: str, CallSid: str, AccountSid: AccountSid = "", Muted: bool | MISSING = MISSING,
    Hold: bool | MISSING = MISSING, EndConferenceOnExit: bool | MISSING = MISSING, HoldUrl: Hidden = MISSING,
    AnnounceUrl: Hidden = MISSING, Coaching: HiddenFlag = MISSING, CallSidToCoach: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Mutes, holds or coaches somebody in a conference.

    ConferenceSid: The conference's SID.
    CallSid: The SID of the participant's call, or their label.
    Muted: Whether the others cannot hear the participant.
    Hold: Whether the participant is on hold.
    EndConferenceOnExit: Whether the conference ends when the participant leaves.
    """
    seat = _seat(ctx, ConferenceSid, CallSid)
    check_urls(ctx, 21205)
    conference = require(ctx, Conference, ConferenceSid)
    _check_coached(ctx, conference, only(CallSidToCoach))
    if given := columns(ctx, "HoldUrl", "AnnounceUrl"):
        ctx.db.update(seat, **given, date_updated=ctx.timestamp())
    return show_participant(ctx, seat)


@app.delete(
    f"{ACCOUNT}/Conferences/{{ConferenceSid}}/Participants/{{CallSid}}",
    tool="delete_conference_participant",
    status=204,
)
def delete_conference_participant(ctx: Ctx, ConferenceSid: str, CallSid: str, AccountSid: AccountSid = "") -> Reply:
    """Puts somebody out of a conference and hangs up on them.

    ConferenceSid: The conference's SID.
    CallSid: The SID of the participant's call, or their label.
    """
    seat = _seat(ctx, ConferenceSid, CallSid)
    call = require(ctx, Call, seat.call_sid)
    end(ctx, call, why="last-participant-kicked")
    return Reply({}, 204)
