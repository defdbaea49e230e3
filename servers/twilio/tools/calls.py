"""Calls. https://www.twilio.com/docs/voice/api/call-resource"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Query, Reply

from ..app import ACCOUNT, AccountSid, app
from ..calling import LONGEST, Script, callee, caller, end, perform, place, record, require_on, script
from ..errors import refuse, require
from ..lists import PageNumber, PageSize, PageToken, listing
from ..models import Call, Recording
from ..params import Hidden, Method, check_urls, only
from ..phones import read
from ..resources import root, show_call
from ..states import OVER, call_state, is_on
from ..times import later, seconds_between, span
from ..usage import still_charged

TimeLimit = Annotated[int, Field(ge=1, le=86400)]


@app.post(f"{ACCOUNT}/Calls", tool="create_call", effect="send", status=201)
def create_call(
    ctx: Ctx, AccountSid: AccountSid = "", To: str | MISSING = MISSING, From: str | MISSING = MISSING, Url: str | MISSING = MISSING,
    Twiml: str | MISSING = MISSING, Record: bool | MISSING = MISSING, TimeLimit: TimeLimit | MISSING = MISSING,
    ApplicationSid: Hidden = MISSING, Method: Method = MISSING, StatusCallback: Hidden = MISSING,
    Timeout: Annotated[Annotated[int, Field(ge=1, le=600)] | MISSING, Body(mcp=False)] = MISSING,
    RecordingChannels: Annotated[Literal["mono", "dual"] | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Places a call. What is said in it comes from TwiML: given as such, or at a URL.

    The call is answered and goes on until its TwiML ends it, its time limit is reached, or it is updated to `completed`.

    To: The phone number to call, in E.164 format.
    From: The number to call from: one of the account's with voice, or a verified caller ID.
    Url: Where the TwiML is.
    Twiml: The TwiML itself, at most 4,000 characters.
    Record: Whether to record the call.
    TimeLimit: Seconds after which the call is ended, 4 hours unless said.
    """
    if not only(To):
        raise refuse(400, 21201, "No 'To' number is specified")
    if not only(From):
        raise refuse(400, 21213, "No 'From' number is specified")
    acts = _script(ctx, only(Url), only(Twiml), only(ApplicationSid))
    to = callee(str(To))
    sender, sid = caller(ctx, str(From))
    row = place(
        ctx,
        sender,
        sid,
        to.e164,
        acts,
        LONGEST if TimeLimit is MISSING else TimeLimit,
        url=only(Url),
        twiml=only(Twiml),
    )
    if Record is True:
        record(ctx, row, "OutboundAPI", 2 if RecordingChannels == "dual" else 1)
    return show_call(ctx, row, "queued")


def _script(ctx: Ctx, url: str | None, twiml: str | None, application: str | None) -> Script:
    if application:
        raise refuse(400, 21218, f"ApplicationSid {application[:40]} is not valid")
    if url is None and twiml is None:
        raise refuse(400, 21205, "Url parameter is required.")
    check_urls(ctx, 21205)
    if url == "":
        raise refuse(400, 21205, "Url parameter is required.")
    return script(twiml) if twiml is not None else Script(None)


@app.get(f"{ACCOUNT}/Calls", tool="list_calls")
def list_calls(
    ctx: Ctx, AccountSid: AccountSid = "", To: str | MISSING = MISSING, From: str | MISSING = MISSING,
    Status: Literal["queued", "ringing", "in-progress", "canceled", "completed", "failed", "busy", "no-answer"] | MISSING = MISSING,
    ParentCallSid: Annotated[str | MISSING, Query(mcp=False)] = MISSING, StartTime: str | MISSING = MISSING,
    StartTimeBefore: Annotated[str | MISSING, Query("StartTime<")] = MISSING,
    StartTimeAfter: Annotated[str | MISSING, Query("StartTime>")] = MISSING,
    EndTime: Annotated[str | MISSING, Query(mcp=False)] = MISSING,
    EndTimeBefore: Annotated[str | MISSING, Query("EndTime<", mcp=False)] = MISSING,
    EndTimeAfter: Annotated[str | MISSING, Query("EndTime>", mcp=False)] = MISSING,
    PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists calls made and received, newest first.

    To: Only calls to this number.
    From: Only calls from this number.
    Status: Only calls with this status.
    StartTime: Only calls that began on this day (YYYY-MM-DD, UTC).
    StartTimeBefore: Only calls that began on or before this date or time.
    StartTimeAfter: Only calls that began on or after this date or time.
    """
    low, high = span("StartTime", only(StartTime), only(StartTimeBefore), only(StartTimeAfter))
    first, last = span("EndTime", only(EndTime), only(EndTimeBefore), only(EndTimeAfter))
    rows = ctx.db.find(
        Call, order="-date_created,-sid", to=_filter(only(To)), sender=_filter(only(From)), parent_call_sid=only(ParentCallSid),
        start_time__ge=low, start_time__le=high,
    )  # fmt: skip
    if Status is not MISSING:
        rows = [row for row in rows if call_state(ctx, row).status == Status]
    if first or last:
        rows = [
            row for row in rows if (over := call_state(ctx, row).end_time) and (first or "") <= over <= (last or "~")
        ]
    return listing(ctx, f"{root(ctx)}/Calls.json", "calls", rows, show_call, PageSize, Page, PageToken)


def _filter(text: str | None) -> str | None:
    found = read(text) if text else None
    return found.e164 if found else text or None


@app.get(f"{ACCOUNT}/Calls/{{Sid}}", tool="fetch_call")
def fetch_call(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> dict[str, Any]:
    """Fetches a call: who called whom, where it stands, how long it lasted and what it cost.

    Sid: The call's SID.
    """
    return show_call(ctx, require(ctx, Call, Sid))


@app.post(f"{ACCOUNT}/Calls/{{Sid}}", tool="update_call", effect="transition")
def update_call(
    ctx: Ctx, Sid: str, AccountSid: AccountSid = "", Status: Literal["canceled", "completed"] | MISSING = MISSING,
    Url: str | MISSING = MISSING, Twiml: str | MISSING = MISSING, TimeLimit: TimeLimit | MISSING = MISSING, Method: Method = MISSING,
    StatusCallback: Hidden = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a call that is going on: ends it, or makes it go on with other TwiML.

    Sid: The call's SID.
    Status: `completed` hangs up; `canceled` does so only before the call is answered.
    Url: Where the TwiML is that the call goes on with.
    Twiml: The TwiML that the call goes on with.
    TimeLimit: Seconds from the start after which the call is ended.
    """
    row = require(ctx, Call, Sid)
    check_urls(ctx, 21205)
    if not ctx.sent():
        return show_call(ctx, row)
    require_on(ctx, row)
    if Status is not MISSING and (Url is not MISSING or Twiml is not MISSING):
        raise refuse(400, 20001, "Status cannot be sent together with Url or Twiml")
    if Status == "completed":
        end(ctx, row)
    elif Status == "canceled" and row.status in ("queued", "ringing"):
        end(ctx, row, "canceled")
    elif Twiml is not MISSING or Url is not MISSING:
        acts = _script(ctx, only(Url), only(Twiml), None)
        at = ctx.timestamp()
        lasts = LONGEST if acts.seconds is None else -(-acts.seconds // 1)
        ctx.db.update(row, url=only(Url), twiml=only(Twiml), ends_at=later(at, lasts), date_updated=at)
        perform(ctx, row, acts)
    if TimeLimit is not MISSING and row.status not in OVER:
        limit = later(row.start_time or row.date_created, TimeLimit)
        ctx.db.update(row, ends_at=min(limit, row.ends_at or limit), date_updated=ctx.timestamp())
    return show_call(ctx, row)


@app.delete(f"{ACCOUNT}/Calls/{{Sid}}", tool="delete_call", status=204, mcp=False)
def delete_call(ctx: Ctx, Sid: str, AccountSid: AccountSid = "") -> Reply:
    """Deletes the record of a call that is over; its recordings stay.

    Sid: The call's SID.
    """
    row = require(ctx, Call, Sid)
    if is_on(ctx, row):
        raise refuse(409, 20009, "Cannot delete call because it has not been completed.")
    for recording in ctx.db.find(Recording, call_sid=Sid, status__in=["in-progress", "paused"]):
        state = call_state(ctx, row)
        length = seconds_between(recording.start_time, state.end_time or recording.start_time)
        ctx.db.update(recording, status="completed", duration=length)
    with still_charged(ctx):
        ctx.db.delete(row)
    return Reply({}, 204)
