"""Events as agents say them, in plain parameters, as the bodies of the API."""

from datetime import datetime
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Ctx, Field, ToolOnly

from . import when
from .app import refuse
from .entries import Entry

Json = dict[str, Any]


class Reminder(TypedDict):
    method: Annotated[Literal["email", "popup"], Field(description="How it comes.")]
    minutes: Annotated[int, Field(ge=0, le=40320, description="How many minutes before the start.")]


Guests = Annotated[list[str] | MISSING, ToolOnly()]
_PLAIN = (
    "summary", "description", "location", "recurrence", "visibility", "transparency", "colorId", "guestsCanModify", "guestsCanInviteOthers",
    "guestsCanSeeOtherGuests", "status",
)  # fmt: skip


def body_of(ctx: Ctx, home: str, entry: Entry | None) -> Json:
    """The parameters that a tool was called with, as an event's body. entry: the event that they change."""
    said = {k: v for k, v in ctx.sent().items() if v is not MISSING}
    body: Json = {name: said[name] for name in _PLAIN if name in said}
    zone = said.get("timeZone")
    for which in ("start", "end"):
        if which in said:
            body[which] = _moment(said[which], zone or _own(entry, which) or home)
    if entry is not None and "start" in body and "end" not in body:
        body["end"] = _kept_length(entry, body["start"], home)
    if (
        entry is not None
        and zone
        and "start" not in body
        and "end" not in body
        and not when.whole(entry.values["start"])
    ):
        body |= {which: {"timeZone": zone} for which in ("start", "end")}
    if guests := _guests(said, entry):
        body["attendees"] = guests["attendees"]
    if "reminders" in said:
        body["reminders"] = {"useDefault": False, "overrides": said["reminders"]}
    if said.get("addGoogleMeet"):
        if entry is None or not entry.values["conferenceData"]:
            body["conferenceData"] = {"createRequest": {"requestId": f"request-{ctx.epoch()}"}}
    elif "addGoogleMeet" in said and entry is not None:
        body["conferenceData"] = None
    return body


def _own(entry: Entry | None, which: str) -> str | None:
    return None if entry is None else entry.values[which].get("timeZone")


def _moment(text: str, zone: str) -> Json:
    return (
        {"date": text, "dateTime": None} if when.read_date(text) else {"dateTime": text, "timeZone": zone, "date": None}
    )


def _kept_length(entry: Entry, start: Json, home: str) -> Json:
    """The end that keeps an event as long as it was."""
    values = entry.values
    if values["start"].get("timeZone") == values["end"].get("timeZone"):
        length = when.local(values["end"], home) - when.local(values["start"], home)
    else:  # a flight ends on another clock
        length = when.instant(values["end"], home) - when.instant(values["start"], home)
    if start.get("date"):
        if not when.whole(values["start"]):
            raise refuse("Start and end times must either both be date or both be dateTime.")
        return {"date": when.later({"date": start["date"]}, length)["date"], "dateTime": None}
    moment = when.read_time(start["dateTime"])
    if moment is None or when.zone(start["timeZone"]) is None:
        return {"dateTime": start["dateTime"], "timeZone": start["timeZone"]}  # refused for what it is
    if when.whole(values["start"]):
        raise refuse("Start and end times must either both be date or both be dateTime.")
    return {"dateTime": _text(moment + length), "timeZone": start["timeZone"], "date": None}


def _text(moment: datetime) -> str:
    return moment.isoformat()


def _guests(said: Json, entry: Entry | None) -> Json:
    before = [] if entry is None else entry.values["attendees"]
    if not {"attendees", "addAttendees", "removeAttendees"} & set(said):
        return {}
    known = {a["email"].lower(): a for a in before}
    emails = list(said["attendees"]) if "attendees" in said else [a["email"] for a in before]
    emails += said.get("addAttendees") or []
    gone = {e.lower() for e in said.get("removeAttendees") or []}
    kept = dict.fromkeys(e for e in emails if e.lower() not in gone)
    return {"attendees": [known.get(e.lower(), {"email": e}) for e in kept]}
