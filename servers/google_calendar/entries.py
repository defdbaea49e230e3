"""Events as a calendar has them: its own rows, what the organizer's row says of them, what other guests answered, occurrences."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from heapq import merge
from typing import Any

from legoenv_mcp.app import Ctx

from . import recurrence, when
from .models import Calendar, Event

SHARED = (
    "summary", "description", "location", "start", "end", "endTimeUnspecified", "recurrence", "creator", "organizer", "attendees",
    "sharedProperties", "conferenceData", "attachments", "source", "anyoneCanAddSelf", "guestsCanInviteOthers", "guestsCanModify",
    "guestsCanSeeOtherGuests", "eventType", "typeProperties", "iCalUID", "created", "sequence",
)  # fmt: skip
"""What all calendars with the event agree on; the rest is each calendar's own."""

_MARK = re.compile(r"\d{8}T\d{6}Z")
_RESPONSE = ("responseStatus", "comment", "additionalGuests")
_AROUND = timedelta(days=2)
"""How near an occurrence is to where it is looked for, in any time zone."""


@dataclass(slots=True)
class Entry:
    """An event, a series or an occurrence as one calendar has it. `values` are the columns of a row, wherever they come from.

    own: this calendar's row, if there is one. source: the row (own or the organizer's) that a new row of its own would copy.
    occurrence: whether it is made from its series, with no row at all.
    """

    calendar: Calendar
    values: dict[str, Any]
    own: Event | None
    source: Event
    occurrence: bool = False

    @property
    def id(self) -> str:
        return self.values["id"]

    @property
    def cancelled(self) -> bool:
        return self.values["status"] == "cancelled"

    @property
    def begins(self) -> datetime:
        return when.instant(self.values["start"], self.calendar.timeZone)

    @property
    def ends(self) -> datetime:
        return max(when.instant(self.values["end"], self.calendar.timeZone), self.begins)

    @property
    def organizes(self) -> bool:
        """Whether this is the organizer's calendar."""
        return self.values["organizer"].get("email") == self.calendar.id

    @property
    def answer(self) -> dict[str, Any] | None:
        """The calendar's own place among the guests."""
        return next((a for a in self.values["attendees"] if a["email"].lower() == self.calendar.id.lower()), None)


class Book:
    """The entries of a calendar; of one event and its occurrences where `only` is its id."""

    def __init__(self, ctx: Ctx, calendar: Calendar, only: str | None = None) -> None:
        self.ctx = ctx
        self.calendar = calendar
        base = only.partition("_")[0] if only is not None else None
        if base is None:
            mine = ctx.db.find(Event, order="changed,id", calendar_id=calendar.id)
        else:
            mine = ctx.db.where(
                Event, "calendar_id = ? AND (id IN (?, ?) OR recurringEventId IN (?, ?))", (calendar.id, base, only, base, only)
            )  # fmt: skip
        self.mine = {row.id: row for row in mine}
        invited = self._invitations(base, only)
        ids = {*self.mine, *(row.id for row in invited)}
        ids |= {row.recurringEventId for row in self.mine.values() if row.recurringEventId}
        self.elsewhere = dict[str, dict[str, Event]]()
        found = ctx.db.where(
            Event,
            "calendar_id != ? AND (id IN (SELECT value FROM json_each(?)) OR recurringEventId IN (SELECT value FROM json_each(?)))",
            (calendar.id, *[json.dumps(sorted(ids))] * 2),
        )
        for row in found:
            self.elsewhere.setdefault(row.id, {})[row.calendar_id] = row
        self.heads = [row for row in self.mine.values() if not row.recurringEventId]
        self.heads += [row for row in invited if row.id not in self.mine and not row.recurringEventId]
        series = {row.id for row in self.heads}
        self.orphans = [
            row
            for row in [*self.mine.values(), *(r for r in invited if r.id not in self.mine)]
            if row.recurringEventId and row.recurringEventId not in series
        ]
        """Occurrences that the calendar has without their series: it was invited to them alone."""

    def _invitations(self, base: str | None, only: str | None) -> list[Event]:
        """Events of other calendars that this one's owner is invited to, and that it has no row for, not even of another id."""
        rows = self.ctx.db.where(
            Event,
            "calendar_id != :c AND json_extract(organizer, '$.email') = calendar_id "
            "AND instr(lower(attendees), lower(:c)) > 0 AND (:base IS NULL OR id IN (:base, :only))",
            {"c": self.calendar.id, "base": base, "only": only},
            order="changed,id",
        )
        held = {(row.summary, *row.start.values(), *row.end.values()) for row in self.mine.values()}
        if base is not None and rows:
            every = self.ctx.db.find(Event, calendar_id=self.calendar.id, summary=rows[0].summary)
            held = {(row.summary, *row.start.values(), *row.end.values()) for row in every}
        return [
            row
            for row in rows
            if any(a["email"].lower() == self.calendar.id.lower() for a in row.attendees)
            and (row.summary, *row.start.values(), *row.end.values()) not in held
        ]

    # Entries

    def series(self, row: Event) -> Entry:
        """A row of this calendar, or an invitation to it, as the calendar has it."""
        own = row if row.calendar_id == self.calendar.id else None
        others = self.elsewhere.get(row.id, {})
        head = _organizers(row, others)
        values = dict(row.__dict__)
        values.pop("_sa_instance_state", None)
        if own is None:
            values |= {
                "calendar_id": self.calendar.id, "colorId": None, "eventLabelId": None, "transparency": "opaque",
                "reminders": {"useDefault": True}, "privateProperties": {}, "deleted": False,
            }  # fmt: skip
        elif head is not row:
            values |= {name: getattr(head, name) for name in SHARED}
            values["updated"], values["changed"] = max(row.updated, head.updated), max(row.changed, head.changed)
            if row.status != "cancelled":
                values["status"] = head.status
        if head.calendar_id != self.calendar.id and self.calendar.id.lower() not in {
            a["email"].lower() for a in head.attendees
        }:
            if self._grouped(head):
                # Who was invited as one of a group is on the list once there is an answer.
                values["attendees"] = [
                    *values["attendees"],
                    *(a for a in row.attendees if own is not None and a["email"] == self.calendar.id),
                ]
            else:  # no guest any more
                values["status"] = "cancelled"
        self._answer(values, {**others, row.calendar_id: row})
        return Entry(self.calendar, values, own, row)

    def entry(self, row: Event) -> Entry | None:
        """Any row of this calendar as the calendar has it; None for what a guest said of an occurrence that the series no longer has."""
        head = next((r for r in self.heads if r.id == row.recurringEventId), None)
        return self.series(row) if head is None else self.exceptions(self.series(head)).get(row.id)

    def _answer(self, values: dict[str, Any], rows: dict[str, Event]) -> None:
        """Puts the guests' answers into an event's columns. A new answer is a change of the event."""
        before, values["attendees"] = values["attendees"], [self._answered(a, rows) for a in values["attendees"]]
        for old, new in zip(before, values["attendees"], strict=True):
            if old != new:
                row = rows[new["email"]]
                values["updated"], values["changed"] = (
                    max(values["updated"], row.updated),
                    max(values["changed"], row.changed),
                )

    def _grouped(self, head: Event) -> bool:
        """Whether a group may be among the guests: an address of the calendar's own domain that is nobody's."""
        domain = f"@{self.calendar.owner.lower().rpartition('@')[2]}"
        return any(
            a["email"].lower().endswith(domain) and self.ctx.db.get(Calendar, a["email"]) is None
            for a in head.attendees
        )

    @staticmethod
    def _answered(attendee: dict[str, Any], rows: dict[str, Event]) -> dict[str, Any]:
        """A guest, with the answer that the guest's own calendar holds."""
        row = rows.get(attendee["email"])
        if row is None or row.organizer.get("email") == row.calendar_id:
            return attendee
        own = next((a for a in row.attendees if a["email"] == attendee["email"]), None)
        if own is None:
            return attendee
        kept = {k: v for k, v in attendee.items() if k not in _RESPONSE}
        return {**kept, **{k: own[k] for k in _RESPONSE if k in own}}

    def exceptions(self, head: Entry) -> dict[str, Entry]:
        """The changed and cancelled occurrences of a series, by id: this calendar's and the organizer's."""
        organizer = head.values["organizer"].get("email", "")
        found = {
            row.id: row
            for rows in self.elsewhere.values()
            if (row := rows.get(organizer)) is not None and row.recurringEventId == head.id
        }
        found |= {row.id: row for row in self.mine.values() if row.recurringEventId == head.id}
        made = {row.id: self._exception(head, row, organizer) for row in found.values()}
        return {key: entry for key, entry in made.items() if entry is not None}

    def _exception(self, head: Entry, row: Event, organizer: str) -> Entry | None:
        """A changed occurrence. What a guest alone has a row for is still as the series has it, but for what is the guest's own."""
        if (
            row.calendar_id == organizer
            or organizer in self.elsewhere.get(row.id, {})
            or organizer not in self.elsewhere.get(head.id, {})
        ):
            return self.series(row)
        moment = when.instant(row.originalStartTime or row.start, self.calendar.timeZone)
        made = next((e for e in self.made(head, moment - _AROUND, moment + _AROUND) if e.id == row.id), None)
        if made is None:
            return None
        values = {**row.__dict__, **{name: made.values[name] for name in SHARED}, "recurrence": []}
        values.pop("_sa_instance_state", None)
        if row.status != "cancelled":
            values["status"] = made.values["status"]
        values["updated"] = max(row.updated, made.values["updated"])
        values["changed"] = max(row.changed, made.values["changed"])
        self._answer(values, {row.calendar_id: row})
        return Entry(self.calendar, values, row, row)

    def heads_of(self) -> list[Entry]:
        """Every event and series, without occurrences."""
        return [self.series(row) for row in self.heads]

    def occurrences(
        self, head: Entry, begin: datetime | None = None, end: datetime | None = None, *, cancelled: bool = False
    ) -> Iterator[Entry]:
        """The occurrences of a series that end after `begin` and begin before `end`; of a cancelled one only where asked for."""
        changed = self.exceptions(head)
        moved = [e for e in changed.values() if (cancelled or not e.cancelled) and within(e, begin, end)]
        moved.sort(key=lambda e: (e.begins, e.ends, e.id))
        if head.cancelled and not cancelled:
            yield from moved
            return
        made = (e for e in self.made(head, begin, end) if e.id not in changed)
        yield from merge(moved, made, key=lambda e: (e.begins, e.ends, e.id))

    def made(self, head: Entry, begin: datetime | None, end: datetime | None) -> Iterator[Entry]:
        """Occurrences as the rule has them, whatever became of them."""
        values, home = head.values, self.calendar.timeZone
        start, finish = values["start"], values["end"]
        length = when.local(finish, home) - when.local(start, home)
        name = start.get("timeZone") or home
        # On the wall clock a day of leeway covers every time zone and daylight saving.
        earliest = None
        if begin is not None:
            earliest = begin.astimezone(when.zone(name) or UTC).replace(tzinfo=None) - length - timedelta(days=2)
        for moment in recurrence.starts(start, values["recurrence"], home, end):
            if earliest is not None and moment < earliest:
                continue
            entry = self._occurrence(head, moment, length)
            if end is not None and entry.begins >= end:
                return
            if within(entry, begin, end):
                yield entry

    def _occurrence(self, head: Entry, moment: datetime, length: timedelta) -> Entry:
        values, home = head.values, self.calendar.timeZone
        start = when.placed(moment, values["start"], home)
        if when.local(start, home) != moment:  # a time that daylight saving skips: as long as ever, but later
            moment = when.local(start, home)
        finish = when.placed(moment + length, values["start"] if when.whole(values["start"]) else values["end"], home)
        own = {
            **values, "id": f"{values['id']}_{when.mark(start, home)}", "start": start, "end": finish, "recurrence": [],
            "recurringEventId": values["id"], "originalStartTime": start,
        }  # fmt: skip
        if answers := self.elsewhere.get(own["id"]):
            self._answer(own, answers)
        return Entry(self.calendar, own, None, head.source, occurrence=True)

    def find(self, event_id: str) -> Entry | None:
        """The event, series or occurrence of this id."""
        row = self.mine.get(event_id) or next((r for r in [*self.heads, *self.orphans] if r.id == event_id), None)
        if row is not None:
            return self.entry(row)
        base, _, suffix = event_id.partition("_")
        head = next((self.series(r) for r in self.heads if r.id == base and r.recurrence), None)
        if head is None or not suffix:
            return None
        if found := self.exceptions(head).get(event_id):
            return found
        moment = _unmark(suffix, head, self.calendar.timeZone)
        if moment is None:
            return None
        return next((e for e in self.made(head, moment - _AROUND, moment + _AROUND) if e.id == event_id), None)


def _organizers(row: Event, others: dict[str, Event]) -> Event:
    """The row of the calendar that organizes an event, by its row on some calendar; an event that was moved has another organizer."""
    if row.organizer.get("email") == row.calendar_id:
        return row
    named = others.get(row.organizer.get("email", ""), row)
    if named is row or named.deleted:
        organizing = [r for r in others.values() if r.organizer.get("email") == r.calendar_id and not r.deleted]
        return organizing[0] if organizing else named
    return named


def _unmark(suffix: str, head: Entry, home: str) -> datetime | None:
    """When the occurrence begins by its id."""
    try:
        if when.whole(head.values["start"]):
            day = date.fromisoformat(suffix) if len(suffix) == 8 and suffix.isdigit() else None
            return when.instant({"date": day.isoformat()}, home) if day and when.read_date(day.isoformat()) else None
        moment = datetime.fromisoformat(suffix) if _MARK.fullmatch(suffix) else None
        return moment if moment and 1900 < moment.year < 2200 else None
    except ValueError:
        return None


def within(entry: Entry, begin: datetime | None, end: datetime | None) -> bool:
    """Whether it ends after `begin` and begins before `end`. One without a length counts at its moment."""
    if end is not None and entry.begins >= end:
        return False
    return begin is None or entry.ends > begin or (entry.ends == entry.begins == begin)
