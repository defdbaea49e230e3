"""Recordings of calls and conferences. https://www.twilio.com/docs/voice/api/recording"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Query, Reply

from ..app import ACCOUNT, AccountSid, app
from ..calling import record, require_on
from ..errors import refuse, require
from ..lists import PageNumber, PageSize, PageToken, listing
from ..models import Call, Recording
from ..params import Hidden, check_urls, only
from ..resources import root, show_recording
from ..states import recording_state
from ..times import seconds_between, span
from ..usage import still_charged


@app.get(f"{ACCOUNT}/Recordings", tool="list_recordings")
def list_recordings(
    ctx: Ctx, AccountSid: AccountSid = "", CallSid: str | MISSING = MISSING, ConferenceSid: str | MISSING = MISSING,
    DateCreated: str | MISSING = MISSING,
    DateCreatedBefore: Annotated[str | MISSING, Query("DateCreated<")] = MISSING,
    DateCreatedAfter: Annotated[str | MISSING, Query("DateCreated>")] = MISSING,
    PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists recordings, newest first.

    CallSid: Only recordings of this call.
    ConferenceSid: Only recordings of this conference.
    DateCreated: Only recordings of this day (YYYY-MM-DD, UTC).
    DateCreatedBefore: Only recordings made on or before this date or time.
    DateCreatedAfter: Only recordings made on or after this date or time.
    """
    low, high = span("DateCreated", only(DateCreated), only(DateCreatedBefore), only(DateCreatedAfter))
    rows = ctx.db.find(
        Recording, order="-date_created,-sid", call_sid=only(CallSid), conference_sid=only(ConferenceSid), date_created__ge=low,
        date_created__le=high,
    )  # fmt: skip
    return listing(ctx, f"{root(ctx)}/Recordings.json", "recordings", rows, show_recording, PageSize, Page, PageToken)


@app.get(f"{ACCOUNT}/Recordings/{{Sid}}", tool="fetch_recording")
def fetch_recording(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Fetches a recording: of which call, how long, whether it is complete.

    Sid: The recording's SID.
    """
    return show_recording(ctx, require(ctx, Recording, Sid))


def _delete(ctx: Ctx, row: Recording) -> Reply:
    if recording_state(ctx, row)[0] in ("in-progress", "paused"):
        raise refuse(409, 20009, "Cannot delete recording because it has not been completed.")
    with still_charged(ctx):
        ctx.db.delete(row)
    return Reply({}, 204)


@app.delete(f"{ACCOUNT}/Recordings/{{Sid}}", tool="delete_recording", status=204)
def delete_recording(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> Reply:
    """Deletes a recording that is complete.

    Sid: The recording's SID.
    """
    return _delete(ctx, require(ctx, Recording, Sid))


@app.post(f"{ACCOUNT}/Calls/{{CallSid}}/Recordings", tool="create_call_recording", status=201)
def create_call_recording(
    ctx: Ctx, CallSid: str, AccountSid: AccountSid = "", RecordingChannels: Literal["mono", "dual"] | MISSING = MISSING,
    RecordingTrack: Annotated[Literal["inbound", "outbound", "both"] | MISSING, Body(mcp=False)] = MISSING,
    RecordingStatusCallback: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Starts to record a call that is going on.

    CallSid: The call's SID.
    RecordingChannels: Whether both parties share a channel (mono) or have one each (dual).
    """
    call = require(ctx, Call, CallSid)
    check_urls(ctx)
    require_on(ctx, call)
    track = "both" if RecordingTrack is MISSING else RecordingTrack
    row = record(ctx, call, "StartCallRecordingAPI", 2 if RecordingChannels == "dual" else 1, track)
    return show_recording(ctx, row)


@app.get(f"{ACCOUNT}/Calls/{{CallSid}}/Recordings", tool="list_call_recordings", mcp=False)
def list_call_recordings(
    ctx: Ctx, CallSid: str, AccountSid: AccountSid = "", DateCreated: str | MISSING = MISSING,
    DateCreatedBefore: Annotated[str | MISSING, Query("DateCreated<")] = MISSING,
    DateCreatedAfter: Annotated[str | MISSING, Query("DateCreated>")] = MISSING,
    PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists a call's recordings, newest first.

    CallSid: The call's SID.
    DateCreated: Only recordings of this day (YYYY-MM-DD, UTC).
    DateCreatedBefore: Only recordings made on or before this date or time.
    DateCreatedAfter: Only recordings made on or after this date or time.
    """
    require(ctx, Call, CallSid)
    low, high = span("DateCreated", only(DateCreated), only(DateCreatedBefore), only(DateCreatedAfter))
    rows = ctx.db.find(
        Recording, order="-date_created,-sid", call_sid=CallSid, date_created__ge=low, date_created__le=high
    )
    path = f"{root(ctx)}/Calls/{CallSid}/Recordings.json"
    return listing(ctx, path, "recordings", rows, show_recording, PageSize, Page, PageToken)


@app.get(f"{ACCOUNT}/Calls/{{CallSid}}/Recordings/{{Sid}}", tool="fetch_call_recording", mcp=False)
def fetch_call_recording(ctx: Ctx, CallSid: str, Sid: str, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Fetches one of a call's recordings.

    CallSid: The call's SID.
    Sid: The recording's SID.
    """
    return show_recording(ctx, require(ctx, Recording, Sid, call_sid=CallSid))


@app.post(f"{ACCOUNT}/Calls/{{CallSid}}/Recordings/{{Sid}}", tool="update_call_recording", effect="transition")
def update_call_recording(
    ctx: Ctx, CallSid: str, Sid: str, Status: Literal["in-progress", "paused", "stopped"], AccountSid: AccountSid = "",
    PauseBehavior: Annotated[Literal["skip", "silence"] | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Pauses, resumes or stops a call's recording. One that was stopped does not start again.

    CallSid: The call's SID.
    Sid: The recording's SID, or `Twilio.CURRENT` for the one that is being made.
    Status: `paused`, `in-progress` to resume, or `stopped`.
    """
    if Sid == "Twilio.CURRENT":
        now = ctx.db.first(Recording, call_sid=CallSid, status__in=["in-progress", "paused"], order="-date_created")
        Sid = now.sid if now else Sid
    row = require(ctx, Recording, Sid, call_sid=CallSid)
    if recording_state(ctx, row)[0] not in ("in-progress", "paused"):
        raise refuse(400, 21220, f"Recording {Sid} is not in progress; its status cannot be changed.")
    at = ctx.timestamp()
    lasted = seconds_between(row.start_time, at) if Status == "stopped" else None
    ctx.db.update(row, status=Status, duration=lasted, date_updated=at)
    return show_recording(ctx, row)


@app.delete(f"{ACCOUNT}/Calls/{{CallSid}}/Recordings/{{Sid}}", tool="delete_call_recording", status=204, mcp=False)
def delete_call_recording(ctx: Ctx, CallSid: str, Sid: str, AccountSid: AccountSid = "") -> Reply:
    """Deletes one of a call's recordings that is complete.

    CallSid: The call's SID.
    Sid: The recording's SID.
    """
    return _delete(ctx, require(ctx, Recording, Sid, call_sid=CallSid))
