"""What callers write of an event, checked, as the columns of a row."""

import re
from typing import Any

from legoenv_mcp.app import ApiError

from . import recurrence, when
from .app import refuse
from .colors import EVENT
from .models import Calendar
from .resources import TYPED

Json = dict[str, Any]
EMAIL = re.compile(r"[^@\s<>(),;:\\\"\[\]]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
ID = re.compile(r"[a-v0-9]{5,1024}")
RESPONSES = ("needsAction", "declined", "tentative", "accepted")
_CHOICES = {
    "status": ("confirmed", "tentative", "cancelled"), "transparency": ("opaque", "transparent"),
    "visibility": ("default", "public", "private", "confidential"),
}  # fmt: skip
_FLAGS = {
    "anyoneCanAddSelf": False, "guestsCanInviteOthers": True, "guestsCanModify": False, "guestsCanSeeOtherGuests": True,
    "endTimeUnspecified": False,
}  # fmt: skip
_DEFAULTS: Json = {
    "summary": None, "description": None, "location": None, "colorId": None, "status": "confirmed", "transparency": "opaque",
    "visibility": "default", "attendees": [], "recurrence": [], "reminders": {"useDefault": True}, "source": None, **_FLAGS,
}  # fmt: skip
"""What a field is once it is null, or left out of a PUT."""


def columns(
    body: Json,
    calendar: Calendar,
    current: Json | None,
    *,
    whole: bool,
    conferences: bool,
    attachments: bool,
    labels: bool,
) -> Json:
    """The columns that a body sets. current: the event's columns as they are, None for a new one. whole: left out means default."""
    made: Json = {}
    for name, default in _DEFAULTS.items():
        if name in body or whole:
            value = body.get(name)
            made[name] = default if value is None else _read(name, value, (current or {}).get(name))
    if labels and ("eventLabelId" in body or whole):
        made["eventLabelId"] = _label(body.get("eventLabelId"), calendar)
        made.pop("colorId", None)
    made |= _times(body, calendar, current, made.get("recurrence", (current or {}).get("recurrence", [])))
    made |= _properties(body, current, whole)
    if attachments and ("attachments" in body or whole):
        made["attachments"] = _attachments(body.get("attachments") or [])
    if conferences and ("conferenceData" in body or whole):
        made["conferenceData"] = body.get("conferenceData")
    made |= _sequence(body, current)
    return made


def _read(name: str, value: Any, current: Any) -> Any:
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise refuse(f"Invalid {name} value.")
        return value
    if name == "colorId":
        if value not in EVENT:
            raise refuse("Invalid color id value.")
        return value
    if name == "attendees":
        return attendees(value, current or [])
    if name == "reminders":
        return reminders(value)
    if name == "source":
        if not re.match(r"https?://\S", value.get("url") or "", re.IGNORECASE):
            raise refuse("Invalid source url.")
        return {k: v for k, v in value.items() if v is not None}
    return value


def attendees(value: list[Json], current: list[Json]) -> list[Json]:
    """The guests. Those who stay keep their answer where the caller names none."""
    before = {a["email"].lower(): a for a in current}
    made = dict[str, Json]()
    for said in value:
        email = (said.get("email") or "").strip()
        if not email:
            raise refuse("Missing attendee email.", "required")
        if not EMAIL.fullmatch(email):
            raise refuse("Invalid attendee email.")
        response = said.get("responseStatus") or before.get(email.lower(), {}).get("responseStatus") or "needsAction"
        if response not in RESPONSES:
            raise refuse("Invalid attendee response status.")
        if not 0 <= (said.get("additionalGuests") or 0) <= 1000:
            raise refuse("Invalid number of additional guests.")
        one: Json = {"email": email, "responseStatus": response}
        one |= {k: said[k] for k in ("displayName", "comment", "additionalGuests") if said.get(k)}
        if email.lower() in before and not before[email.lower()].get("displayName"):
            one.pop("displayName", None)  # the directory's name, which callers send back as they got it
        one |= {k: True for k in ("optional", "resource") if said.get(k)}
        made[email.lower()] = one
    return list(made.values())


def reminder(said: Json) -> Json:
    """One reminder."""
    method, minutes = said.get("method"), said.get("minutes")
    if method is None or minutes is None:
        raise refuse(f"Missing reminder {'method' if method is None else 'minutes'}.", "required")
    if method not in ("email", "popup", "sms"):
        raise refuse("Invalid reminder method.")
    if not 0 <= minutes <= 40320:
        raise refuse("Invalid reminder minutes.")
    return {"method": method, "minutes": minutes}


def reminders(value: Json) -> Json:
    overrides = [reminder(r) for r in value.get("overrides") or []]
    if len(overrides) > 5:
        raise refuse("Too many override reminders: an event has at most 5.")
    if value.get("useDefault") and overrides:
        raise refuse(
            "Cannot use default reminders and specify overrides at the same time.",
            "cannotUseDefaultRemindersAndSpecifyOverride", domain="calendar",
        )  # fmt: skip
    default = bool(value.get("useDefault"))
    return {"useDefault": default, **({"overrides": overrides} if overrides else {})}


def _label(value: str | None, calendar: Calendar) -> str | None:
    if value is not None and value not in [label.get("id") for label in calendar.eventLabels]:
        raise refuse("Invalid event label id.")
    return value


def _attachments(value: list[Json]) -> list[Json]:
    if len(value) > 25:
        raise refuse("An event has at most 25 attachments.")
    if any(not a.get("fileUrl") for a in value):
        raise refuse("Missing attachment file url.", "required")
    return [{k: v for k, v in a.items() if v is not None and k != "fileId"} for a in value]


def _properties(body: Json, current: Json | None, whole: bool) -> Json:
    """Extended properties: a PATCH adds and (with null) removes single ones."""
    if "extendedProperties" not in body and not whole:
        return {}
    said = body.get("extendedProperties") or {}
    made: Json = {}
    for kind in ("private", "shared"):
        if kind in said or whole or body.get("extendedProperties") is None:
            before = {} if whole or said.get(kind) is None else (current or {}).get(f"{kind}Properties", {})
            kept = {**before, **(said.get(kind) or {})}
            made[f"{kind}Properties"] = {k: v for k, v in kept.items() if v is not None}
            for key, value in made[f"{kind}Properties"].items():
                if len(key) > 44 or len(value) > 1024:
                    raise refuse("Extended property names have at most 44 characters, their values 1024.")
    return made


def _sequence(body: Json, current: Json | None) -> Json:
    said, now = body.get("sequence"), (current or {}).get("sequence", 0)
    if said is None:
        return {}
    if said < now:
        raise refuse(
            "Invalid sequence value. The specified sequence number is below the current sequence number of the resource. Re-fetch the "
            "resource and use its sequence number on the following request."
        )
    return {"sequence": said}


# Times


def _times(body: Json, calendar: Calendar, current: Json | None, rules: list[str]) -> Json:
    made: Json = {}
    for which in ("start", "end"):
        if which in body or current is None:
            before = (current or {}).get(which)
            made[which] = read_when(body.get(which), which, calendar, before, bool(rules))
            zone = (body.get(which) or {}).get("timeZone")
            if before and _same(made[which], before, calendar) and zone in (None, before.get("timeZone")):
                made[which] = before
    start = made.get("start") or (current or {})["start"]
    end = made.get("end") or (current or {})["end"]
    if made:
        if when.whole(start) != when.whole(end):
            raise refuse("Start and end times must either both be date or both be dateTime.")
        begins, ends = (when.instant(t, calendar.timeZone) for t in (start, end))
        if ends < begins or (when.whole(start) and ends == begins):
            raise empty_range()
    if rules and (made or "recurrence" in body):
        check_rules(rules, start, calendar)
    return made


def _same(one: Json, other: Json, calendar: Calendar) -> bool:
    return when.whole(one) == when.whole(other) and when.instant(one, calendar.timeZone) == when.instant(
        other, calendar.timeZone
    )


def empty_range(place: str = "") -> ApiError:
    return refuse("The specified time range is empty.", "timeRangeEmpty", domain="calendar", location=place)


def check_rules(rules: list[str], start: Json, calendar: Calendar) -> None:
    try:
        recurrence.read(tuple(rules), start.get("timeZone") or calendar.timeZone, when.whole(start))
        if next(recurrence.starts(start, rules, calendar.timeZone), None) is None:
            raise recurrence.BadRecurrence("no occurrence")
    except recurrence.BadRecurrence:
        raise refuse("Invalid recurrence rule.") from None


def read_when(said: Json | None, which: str, calendar: Calendar, current: Json | None, repeats: bool) -> Json:
    """A start or an end as it is kept: on the clock of its time zone."""
    said = said or {}
    text, day, name = said.get("dateTime"), said.get("date"), said.get("timeZone")
    if name is None and current is not None and "dateTime" in current and "timeZone" not in said:
        name = current.get("timeZone")
    if name is not None and when.zone(name) is None:
        raise refuse(f"Invalid time zone definition for {which} time.")
    if text is not None and day is not None:
        raise refuse(f"Invalid {which} time.")
    if day is not None:
        if when.read_date(day) is None:
            raise refuse(f"Invalid {which} time.")
        return {"date": day}
    if text is None and current is not None and "dateTime" in current and "timeZone" in said:
        text = current["dateTime"]
    if text is None:
        raise refuse(f"Missing {which} time.", "required")
    moment = when.read_time(text)
    if moment is None:
        raise refuse(f"Invalid {which} time.")
    if name is None and (moment.tzinfo is None or repeats):
        raise refuse(f"Missing time zone definition for {which} time.", "required")
    own = when.zone(name or calendar.timeZone)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=own)
    return {"dateTime": moment.astimezone(own).isoformat(), "timeZone": name or calendar.timeZone}


# Events that are more than a meeting


def typed(body: Json, calendar: Calendar, made: Json) -> Json:
    """The type of a new event and what belongs to it, checked; further columns."""
    kind = body.get("eventType") or "default"
    strangers = [field for name, field in TYPED.items() if body.get(field) and name != kind]
    if kind != "default" and kind not in TYPED:
        raise refuse("Invalid event type value.")
    if strangers:
        name = next(n for n, field in TYPED.items() if field == strangers[0])
        raise refuse(f"{strangers[0]} requires an event type of {name}, and vice versa.", "badRequest")
    if kind == "default":
        return {"eventType": kind}
    field = TYPED[kind]
    reason = f"malformed{kind[0].upper()}{kind[1:]}Event"

    def bad(text: str) -> ApiError:
        return refuse(text, reason, domain="calendar")

    said = _clean(body.get(field) or {})
    words = {
        "outOfOffice": "out of office",
        "focusTime": "focus time",
        "workingLocation": "working location",
        "birthday": "birthday",
    }
    article = "An" if kind == "outOfOffice" else "A"
    if not calendar.primary:
        raise bad(f"{article} {words[kind]} event can only be on a primary calendar.")
    if made.get("attendees"):
        raise bad(f"{article} {words[kind]} event cannot have guests.")
    all_day = when.whole(made["start"])
    if kind in ("outOfOffice", "focusTime"):
        if all_day:
            raise bad(f"{article} {words[kind]} event cannot be an all day event.")
        if made["transparency"] == "transparent":
            raise bad(f"{article} {words[kind]} event must be opaque.")
        modes = (None, "declineNone", "declineAllConflictingInvitations", "declineOnlyNewConflictingInvitations")
        if said.get("autoDeclineMode") not in modes:
            raise bad("Invalid auto decline mode.")
        if said.get("chatStatus") not in (None, "available", "doNotDisturb"):
            raise bad("Invalid chat status.")
    elif kind == "workingLocation":
        if body.get(field) is None:
            raise refuse(f"{field} requires an event type of {kind}, and vice versa.", "badRequest")
        if said.get("type") not in ("homeOffice", "officeLocation", "customLocation"):
            raise bad("Invalid working location type.")
        if (made["visibility"], made["transparency"]) != ("public", "transparent"):
            raise bad("A working location event must be public and transparent.")
    else:
        yearly = len(made["recurrence"]) == 1 and "FREQ=YEARLY" in made["recurrence"][0].upper()
        if not all_day or not yearly:
            raise bad("A birthday event must be an all day event that repeats every year.")
        made |= {"visibility": "private", "transparency": "transparent"}
        said = {"type": "birthday", **said}
        if said["type"] != "birthday":
            raise bad("Only birthdays can be created.")
    return {"eventType": kind, "typeProperties": said}


def _clean(value: Json) -> Json:
    return {k: _clean(v) if isinstance(v, dict) else v for k, v in value.items() if v is not None}


def conference(said: Json | None, draw: Any) -> Json | None:
    """Conference data as it is kept: given whole, or made on request. draw() answers a new meeting code."""
    if said is None:
        return None
    said = _clean(said)
    request = said.get("createRequest")
    if request and not said.get("entryPoints"):
        kind = request.get("conferenceSolutionKey", {}).get("type", "hangoutsMeet")
        if kind != "hangoutsMeet":
            raise refuse("Invalid conference type value.")
        if not request.get("requestId"):
            raise refuse("Missing conference request id.", "required")
        code = draw()
        uri = f"https://meet.google.com/{code}"
        return {
            "createRequest": {
                "requestId": request["requestId"], "conferenceSolutionKey": {"type": kind}, "status": {"statusCode": "success"},
            },
            "entryPoints": [{"entryPointType": "video", "uri": uri, "label": uri.removeprefix("https://")}],
            "conferenceSolution": {
                "key": {"type": kind}, "name": "Google Meet",
                "iconUri": "https://fonts.gstatic.com/s/i/productlogos/meet_2020q4/v6/web-512dp/logo_meet_2020q4_color_2x_web_512dp.png",
            },
            "conferenceId": code,
        }  # fmt: skip
    if not said.get("conferenceSolution") or not said.get("entryPoints"):
        raise refuse(
            "Invalid conference data: a solution and an entry point, or a request for a conference, are needed."
        )
    for point in said["entryPoints"]:
        if point.get("entryPointType") not in ("video", "phone", "sip", "more") or not point.get("uri"):
            raise refuse("Invalid conference entry point.")
    return said
