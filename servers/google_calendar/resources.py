"""Entries and rows as the API's JSON, in full and in the short form of lists for agents."""

import base64
import hashlib
from datetime import datetime
from typing import Any

from legoenv_mcp.app import Ctx

from . import when
from .access import RANKS, me, names
from .entries import Entry
from .models import AclRule, Calendar, CalendarListEntry

Json = dict[str, Any]
_TYPED = {
    "birthday": "birthdayProperties", "focusTime": "focusTimeProperties", "outOfOffice": "outOfOfficeProperties",
    "workingLocation": "workingLocationProperties",
}  # fmt: skip
TYPED = _TYPED


def etag(updated: str, changed: int) -> str:
    """An entity tag, from the moment and the number of the last change."""
    moment = int(datetime.fromisoformat(updated).timestamp() * 1000) if updated else 0
    return f'"{moment * 2 + changed % 2}{changed:04d}"'


def list_etag(*parts: object) -> str:
    return f'"p{hashlib.blake2b(repr(parts).encode(), digest_size=10).hexdigest()}o"'


def event_etag(entry: Entry) -> str:
    return etag(entry.values["updated"], entry.values["changed"])


def _link(entry: Entry) -> str:
    text = base64.urlsafe_b64encode(f"{entry.id} {entry.calendar.id}".encode()).decode().rstrip("=")
    return f"https://www.google.com/calendar/event?eid={text}"


class Shower:
    """Turns entries into JSON for one call: in whose eyes, in which time zone."""

    def __init__(self, ctx: Ctx, role: str, time_zone: str, most_guests: int | None = None) -> None:
        self.role = role
        self.time_zone = time_zone
        self.most_guests = most_guests
        self.names = names(ctx)
        self.me = me(ctx).email

    def hidden(self, entry: Entry) -> bool:
        """Whether the caller sees that there is something, and not what."""
        private = entry.values["visibility"] in ("private", "confidential")
        return RANKS[self.role] < RANKS["reader"] or (private and RANKS[self.role] < RANKS["writer"])

    def full(self, entry: Entry) -> Json:
        """The whole event."""
        v = entry.values
        head: Json = {"kind": "calendar#event", "etag": event_etag(entry), "id": v["id"], "status": v["status"]}
        times: Json = {"start": when.shown(v["start"], self.time_zone), "end": when.shown(v["end"], self.time_zone)}
        series: Json = {"recurrence": v["recurrence"]} if v["recurrence"] else {}
        if v["recurringEventId"]:
            series |= {
                "recurringEventId": v["recurringEventId"],
                "originalStartTime": when.shown(v["originalStartTime"], self.time_zone),
            }
        if v["status"] == "cancelled" and v["recurringEventId"]:
            return {**head, **series}  # all that is guaranteed of a cancelled occurrence
        stamps = {"created": v["created"], "updated": v["updated"]}
        if self.hidden(entry):
            rest = {"iCalUID": v["iCalUID"], "sequence": v["sequence"], "eventType": v["eventType"]}
            return {**head, **stamps, **times, **series, "visibility": "private", **rest}
        out: Json = {**head, "htmlLink": _link(entry), **stamps}
        out |= {name: v[name] for name in ("summary", "description", "location", "colorId", "eventLabelId") if v[name]}
        out |= {"creator": self._party(v["creator"], entry), "organizer": self._party(v["organizer"], entry)}
        out |= times
        if v["endTimeUnspecified"]:
            out["endTimeUnspecified"] = True
        out |= series
        out |= {name: v[name] for name in ("transparency", "visibility") if v[name] not in ("opaque", "default")}
        out |= {"iCalUID": v["iCalUID"], "sequence": v["sequence"]}
        out |= self._guests(entry)
        properties = {k: v[f"{k}Properties"] for k in ("private", "shared") if v[f"{k}Properties"]}
        if properties:
            out["extendedProperties"] = properties
        if v["conferenceData"]:
            out |= _conference(v["conferenceData"])
        out |= {name: True for name in ("anyoneCanAddSelf", "guestsCanModify", "privateCopy") if v[name]}
        out |= {name: False for name in ("guestsCanInviteOthers", "guestsCanSeeOtherGuests") if not v[name]}
        out["reminders"] = v["reminders"]
        if v["source"] and v["creator"].get("email") == self.me:
            out["source"] = v["source"]
        if v["attachments"]:
            out["attachments"] = v["attachments"]
        out["eventType"] = v["eventType"]
        if v["typeProperties"] and v["eventType"] in _TYPED:
            out[_TYPED[v["eventType"]]] = v["typeProperties"]
        return out

    def short(self, entry: Entry) -> Json:
        """An event in a list for agents: what it is, when, who; the rest is there to be got."""
        whole = self.full(entry)
        keep = (
            "id", "summary", "location", "start", "end", "recurrence", "recurringEventId", "transparency", "visibility", "hangoutLink",
            "attendeesOmitted",
        )  # fmt: skip
        out = {name: whole[name] for name in keep if name in whole}
        if text := whole.get("description"):
            out["description"] = text if len(text) <= 200 else text[:199] + "…"
        if whole["status"] != "confirmed":
            out["status"] = whole["status"]
            out |= {"originalStartTime": whole["originalStartTime"]} if "start" not in whole else {}
        if organizer := whole.get("organizer"):
            out["organizer"] = organizer.get("email")
        if whole["eventType" if "eventType" in whole else "kind"] not in ("default", "calendar#event"):
            out["eventType"] = whole["eventType"]
        if "attendees" in whole:
            out["attendees"] = [_short_guest(a) for a in whole["attendees"]]
        return out

    def _party(self, party: Json, entry: Entry) -> Json:
        email = party.get("email", "")
        name = party.get("displayName") or self.names.get(email)
        own = {"self": True} if email == entry.calendar.id else {}
        return {"email": email, **({"displayName": name} if name else {}), **own}

    def _guests(self, entry: Entry) -> Json:
        everyone = entry.values["attendees"]
        if not everyone:
            return {}
        own = entry.answer
        omitted = (not entry.values["guestsCanSeeOtherGuests"] and not entry.organizes) or (
            self.most_guests is not None and len(everyone) > self.most_guests
        )
        shown = ([own] if own else []) if omitted else everyone
        out: Json = {"attendees": [self._guest(a, entry) for a in shown]} if shown else {}
        return {**out, "attendeesOmitted": True} if omitted else out

    def _guest(self, attendee: Json, entry: Entry) -> Json:
        email = attendee["email"]
        out: Json = {"email": email}
        if name := attendee.get("displayName") or self.names.get(email):
            out["displayName"] = name
        if email == entry.values["organizer"].get("email"):
            out["organizer"] = True
        if email.lower() == entry.calendar.id.lower():
            out["self"] = True
        for flag in ("resource", "optional"):
            if attendee.get(flag):
                out[flag] = True
        out["responseStatus"] = attendee.get("responseStatus", "needsAction")
        return out | {name: attendee[name] for name in ("comment", "additionalGuests") if attendee.get(name)}


def _short_guest(attendee: Json) -> Json:
    keep = ("email", "responseStatus", "self", "organizer", "optional", "resource", "comment")
    return {name: attendee[name] for name in keep if name in attendee}


def _conference(data: Json) -> Json:
    video = next((p["uri"] for p in data.get("entryPoints", []) if p.get("entryPointType") == "video"), None)
    meet = data.get("conferenceSolution", {}).get("key", {}).get("type") == "hangoutsMeet"
    return {**({"hangoutLink": video} if video and meet else {}), "conferenceData": data}


def calendar_json(calendar: Calendar) -> Json:
    out: Json = {
        "kind": "calendar#calendar", "etag": etag(calendar.updated, calendar.changed), "id": calendar.id, "summary": calendar.summary,
    }  # fmt: skip
    out |= {name: getattr(calendar, name) for name in ("description", "location") if getattr(calendar, name)}
    out |= {"timeZone": calendar.timeZone, "conferenceProperties": {"allowedConferenceSolutionTypes": ["hangoutsMeet"]}}
    if calendar.eventLabels:
        out["labelProperties"] = {"eventLabels": calendar.eventLabels}
    if calendar.workingHours and calendar.primary:
        out["workingHours"] = calendar.workingHours
    if calendar.autoAcceptInvitations:
        out["autoAcceptInvitations"] = True
    return out if calendar.primary else {**out, "dataOwner": calendar.owner}


def list_entry_json(entry: CalendarListEntry, calendar: Calendar | None, role: str, own: bool) -> Json:
    """A calendar on the caller's list. One that is gone from it has nothing but its id."""
    tag = etag(
        max(entry.updated, calendar.updated if calendar else ""),
        max(entry.changed, calendar.changed if calendar else 0),
    )
    head: Json = {"kind": "calendar#calendarListEntry", "etag": tag, "id": entry.id}
    if entry.deleted or calendar is None:
        return {**head, "deleted": True}
    out: Json = {**head, "summary": calendar.summary}
    out |= {name: getattr(calendar, name) for name in ("description", "location") if getattr(calendar, name)}
    out["timeZone"] = calendar.timeZone
    if entry.summaryOverride:
        out["summaryOverride"] = entry.summaryOverride
    out |= {name: getattr(entry, name) for name in ("colorId", "backgroundColor", "foregroundColor")}
    out |= {name: True for name in ("hidden", "selected") if getattr(entry, name)}
    out |= {"accessRole": role, "defaultReminders": entry.defaultReminders}
    if entry.notifications:
        out["notificationSettings"] = {"notifications": entry.notifications}
    if own:
        out["primary"] = True
    out["conferenceProperties"] = {"allowedConferenceSolutionTypes": ["hangoutsMeet"]}
    return out if calendar.primary else {**out, "dataOwner": calendar.owner}


def acl_json(rule: AclRule) -> Json:
    scope = {"type": rule.scope_type, **({"value": rule.scope_value} if rule.scope_value else {})}
    return {
        "kind": "calendar#aclRule", "etag": etag(rule.updated, rule.changed), "id": rule.id, "scope": scope, "role": rule.role,
    }  # fmt: skip
