"""Writing events: who may change what, where it is kept, who hears of it."""

from datetime import timedelta
from typing import Any, Literal

from legoenv_mcp.app import ApiError, Ctx

from . import when
from .access import RANKS, changed, me
from .app import forbidden, not_found, refuse
from .bodies import ID, columns, conference, typed
from .entries import SHARED, Book, Entry, within
from .models import Calendar, Event, Notification
from .resources import TYPED

Json = dict[str, Any]
SendUpdates = Literal["all", "externalOnly", "none"] | None
_BASE32HEX = "0123456789abcdefghijklmnopqrstuv"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DAY = timedelta(days=1)


def new_id(ctx: Ctx) -> str:
    return ctx.id("", 26, _BASE32HEX, kind="event")


def meeting_code(ctx: Ctx) -> str:
    text = ctx.id("", 10, _LETTERS, kind="meet")
    return f"{text[:3]}-{text[3:7]}-{text[7:]}"


def stamps(ctx: Ctx) -> Json:
    return {"updated": ctx.timestamp("milliseconds"), **changed(ctx)}


def require_event(ctx: Ctx, calendar: Calendar, event_id: str) -> Entry:
    """The event, series or occurrence of this id on the calendar; 404 where there is none."""
    found = Book(ctx, calendar, event_id).find(event_id)
    if found is None:
        raise not_found()
    return found


def deleted() -> ApiError:
    return ApiError(410, "Resource has been deleted")


def check_private(entry: Entry, role: str) -> None:
    """Who may write, but sees private events as busy only, may not change those."""
    if entry.values["visibility"] in ("private", "confidential") and RANKS[role] < RANKS["writer"]:
        raise forbidden("You need to have writer access to this calendar.", "requiredAccessLevel")


# Telling guests


def notify(ctx: Ctx, entry: Entry, kind: Any, send: SendUpdates, legacy: bool | None) -> None:
    """Notes the mail to the guests that the caller asked for."""
    mode = send or ("all" if legacy else "none")
    if mode == "none":
        return
    account = me(ctx)
    everyone = (
        [a["email"] for a in entry.values["attendees"]]
        if entry.organizes
        else [entry.values["organizer"].get("email", "")]
    )
    told = [e for e in everyone if e and e.lower() not in (account.email.lower(), entry.calendar.id.lower())]
    if mode == "externalOnly":
        told = [e for e in told if not e.lower().endswith(f"@{account.domain.lower()}")]
    if told:
        ctx.db.add(Notification(
            calendar_id=entry.calendar.id, event_id=entry.id, kind=kind, recipients=told, at=ctx.timestamp(),
        ))  # fmt: skip


def read_back(ctx: Ctx, calendar: Calendar, event_id: str) -> Entry:
    return require_event(ctx, calendar, event_id)


# New events


def create(
    ctx: Ctx, calendar: Calendar, body: Json, *, conferences: bool = False, attachments: bool = False, labels: bool = False,
    extra: Json | None = None,
) -> Entry:  # fmt: skip
    """Adds an event that the calendar organizes."""
    event_id = body.get("id")
    if event_id is not None and not ID.fullmatch(event_id):
        raise refuse("Invalid resource id value.")
    if event_id is not None and ctx.db.get(Event, (calendar.id, event_id)):
        raise ApiError(409, "The requested identifier already exists.")
    made = columns(body, calendar, None, whole=True, conferences=conferences, attachments=attachments, labels=labels)
    made |= typed(body, calendar, made)
    if conferences:
        made["conferenceData"] = conference(made["conferenceData"], lambda: meeting_code(ctx))
    event_id = event_id or new_id(ctx)
    named = {} if calendar.primary else {"displayName": calendar.summary}
    at = stamps(ctx)
    row = Event(
        **{
            "calendar_id": calendar.id, "id": event_id, "iCalUID": body.get("iCalUID") or f"{event_id}@google.com",
            "creator": {"email": me(ctx).email}, "organizer": {"email": calendar.id, **named}, "created": at["updated"],
            "privateCopy": bool(body.get("privateCopy")), **made, **at, **(extra or {}),
        }
    )  # fmt: skip
    if row.status == "cancelled":
        row.deleted = True
    ctx.db.add(row)
    entry = read_back(ctx, calendar, event_id)
    if (row.typeProperties or {}).get("autoDeclineMode") == "declineAllConflictingInvitations":
        _decline_conflicts(ctx, entry)
    return entry


def _decline_conflicts(ctx: Ctx, away: Entry) -> None:
    """Who is out of office, or focused, declines what there is at that time."""
    book, calendar = Book(ctx, away.calendar), away.calendar
    times = list(book.occurrences(away)) if away.values["recurrence"] else [away]
    for head in [*book.heads_of(), *map(book.series, book.orphans)]:
        answer = head.answer
        if answer is None or head.organizes or head.cancelled:
            continue
        begin, end = times[0].begins, times[-1].ends
        held = list(book.occurrences(head, begin, end)) if head.values["recurrence"] else [head]
        for entry in held:
            answer = entry.answer
            if answer is None or answer.get("responseStatus") == "declined" or entry.values["transparency"] != "opaque":
                continue
            if any(within(entry, t.begins, t.ends) for t in times):
                message = (away.values["typeProperties"] or {}).get("declineMessage")
                respond(ctx, require_event(ctx, calendar, entry.id), "declined", message)


# Changes


def change(
    ctx: Ctx, entry: Entry, body: Json, *, whole: bool, conferences: bool = False, attachments: bool = False, labels: bool = False
) -> Entry:  # fmt: skip
    """Writes what a body changes, where it belongs; refuses guests what is the organizer's."""
    calendar, values = entry.calendar, entry.values
    if body.get("eventType") not in (None, values["eventType"]):
        raise refuse("Event type cannot be changed.", "eventTypeRestriction", domain="calendar")
    single = bool(values["recurringEventId"])
    if single:
        # What a PUT of an occurrence says of the series is not for the occurrence to change.
        body = {k: v for k, v in body.items() if k not in ("recurrence", "recurringEventId", "originalStartTime")}
    if body.get("attendeesOmitted") and body.get("attendees"):
        said = {(a.get("email") or "").lower(): a for a in body["attendees"]}
        body["attendees"] = [said.pop(a["email"].lower(), a) for a in values["attendees"]] + list(said.values())
    if whole:
        for which in ("start", "end"):
            body.setdefault(which, None)
    new = columns(body, calendar, values, whole=whole, conferences=conferences, attachments=attachments, labels=labels)
    if single:
        new.pop("recurrence", None)
    if "conferenceData" in new:
        new["conferenceData"] = _conference(ctx, new["conferenceData"], values["conferenceData"])
    if values["eventType"] != "default":
        typed({**_typed_body(body, entry), "eventType": values["eventType"]}, calendar, {**values, **new})
    new = {name: value for name, value in new.items() if value != values[name]}
    if not new:
        return entry
    if entry.organizes:
        return _keep_organizer(ctx, entry, new)
    return _keep_guest(ctx, entry, new)


def _typed_body(body: Json, entry: Entry) -> Json:
    """The body of a special event, with its properties as they are where it names none."""
    field = TYPED[entry.values["eventType"]]
    return {
        **{k: v for k, v in body.items() if k in TYPED.values()},
        field: body.get(field) or entry.values["typeProperties"] or {},
    }


def _conference(ctx: Ctx, said: Json | None, current: Json | None) -> Json | None:
    """A request that was granted before, or data that is as it was, changes nothing."""
    request = (said or {}).get("createRequest") or {}
    if (
        current
        and request.get("requestId")
        and request["requestId"] == current.get("createRequest", {}).get("requestId")
    ):
        return current
    return conference(said, lambda: meeting_code(ctx))


def _keep_organizer(ctx: Ctx, entry: Entry, new: Json) -> Entry:
    if {"start", "end", "recurrence"} & set(new):
        new["sequence"] = max(new.get("sequence", 0), entry.values["sequence"] + 1)
    if "status" in new:
        new["deleted"] = new["status"] == "cancelled"
    _keep(ctx, entry, new)
    if "attendees" in new:
        _invite_again(ctx, entry, new["attendees"])
    if new.get("deleted"):
        _cancel_changed(ctx, entry)
    if {"start", "recurrence"} & set(new) and not entry.values["recurringEventId"]:
        _drop_strays(ctx, entry.calendar, entry.id)
    return read_back(ctx, entry.calendar, entry.id)


def _invite_again(ctx: Ctx, entry: Entry, guests: list[Json]) -> None:
    """Who comes back on the list is asked anew, whatever became of the first invitation."""
    before = {a["email"].lower() for a in entry.values["attendees"]}
    added = {a["email"].lower() for a in guests} - before
    for row in ctx.db.find(Event, id=entry.id) if added else []:
        if row.calendar_id.lower() in added and row.calendar_id != entry.calendar.id:
            ctx.db.update(row, status="confirmed", deleted=False, attendees=guests, **stamps(ctx))


def _drop_strays(ctx: Ctx, calendar: Calendar, series_id: str) -> None:
    """Changed occurrences that the series, now another one, no longer has."""
    book = Book(ctx, calendar, series_id)
    head = book.find(series_id)
    for row in ctx.db.find(Event, calendar_id=calendar.id, recurringEventId=series_id):
        moment = when.instant(row.originalStartTime or row.start, calendar.timeZone)
        if head is None or not head.values["recurrence"] or all(
            e.id != row.id for e in book.made(head, moment - _DAY, moment + _DAY)
        ):  # fmt: skip
            ctx.db.delete(row)


def _keep(ctx: Ctx, entry: Entry, new: Json) -> Event:
    """Writes columns into the calendar's own row, made first where there is none yet."""
    # Reminders are nobody else's matter, and do not count as a modification.
    at = stamps(ctx) if set(new) - {"reminders"} else changed(ctx)
    if entry.own is not None:
        return ctx.db.update(entry.own, **new, **at)
    return ctx.db.add(Event(**{**entry.values, **new, **at}))


def _keep_guest(ctx: Ctx, entry: Entry, new: Json) -> Entry:
    """A guest's own things go into the guest's row; what all share, where guests may change it, into the organizer's."""
    values = entry.values
    mine = entry.calendar.id.lower()
    shared = {name: value for name, value in new.items() if name in SHARED and name != "attendees"}
    own = {name: value for name, value in new.items() if name not in SHARED}
    if own.get("status") == "cancelled":
        raise refuse("Guests leave an event by deleting it from their calendar or by declining it.", "invalid")
    if "status" in own:
        shared["status"] = own.pop("status")
        if values["status"] == "cancelled" and values["deleted"]:
            own |= {"status": shared.pop("status"), "deleted": False}
    if "attendees" in new:
        before = {a["email"].lower(): a for a in values["attendees"]}
        after = {a["email"].lower(): a for a in new["attendees"]}
        answer = after.get(mine)
        others = [a for e, a in after.items() if e != mine]
        if [a for e, a in before.items() if e != mine] != others:
            added_only = all(after.get(e) == a for e, a in before.items() if e != mine)
            if not (added_only and values["guestsCanInviteOthers"]) and not values["guestsCanModify"]:
                raise _not_organizer()
            shared["attendees"] = [before[mine], *others] if mine in before else others
        if answer is None and mine in before:
            raise _not_organizer()
        if answer != before.get(mine):
            own["attendees"] = [*(a for e, a in before.items() if e != mine), *([answer] if answer else [])]
    if set(shared) - {"attendees", "sequence"} and not values["guestsCanModify"]:
        raise _not_organizer()
    shared.pop("sequence", None)
    home = ctx.db.get(Calendar, values["organizer"].get("email", "")) if shared else None
    head = Book(ctx, home, entry.id).find(entry.id) if home is not None else None
    if head is not None and head.organizes:
        if {"start", "end", "recurrence"} & set(shared):
            shared["sequence"] = values["sequence"] + 1
        _keep(ctx, head, shared)
        shared = {}
    if own or shared:
        _keep(ctx, entry, {**shared, **own})
    return read_back(ctx, entry.calendar, entry.id)


def _not_organizer() -> ApiError:
    return forbidden("Shared properties can only be changed by the organizer of the event.", "forbiddenForNonOrganizer")


def respond(ctx: Ctx, entry: Entry, response: str, comment: str | None) -> Entry:
    """The calendar's own answer to an invitation."""
    answer = entry.answer
    if answer is None and entry.organizes:
        raise refuse("The calendar is no guest of this event: it organizes it.", "badRequest")
    said: Json = {**(answer or {"email": entry.calendar.id}), "responseStatus": response}
    if comment is not None:
        said["comment"] = comment
    if said == answer:
        return entry
    everyone = [said if a is answer else a for a in entry.values["attendees"]] + ([said] if answer is None else [])
    _keep(ctx, entry, {"attendees": everyone})
    return read_back(ctx, entry.calendar, entry.id)


# Deletions and moves


def remove(ctx: Ctx, entry: Entry) -> None:
    """Cancels an event. A guest's calendar loses its entry, which counts as a refusal."""
    if entry.cancelled:
        raise deleted()
    gone: Json = {"status": "cancelled", "deleted": True}
    answer = entry.answer
    if answer is not None and not entry.organizes:
        gone["attendees"] = [
            {**a, "responseStatus": "declined"} if a is answer else a for a in entry.values["attendees"]
        ]
    _keep(ctx, entry, gone)
    _cancel_changed(ctx, entry)


def _cancel_changed(ctx: Ctx, entry: Entry) -> None:
    """The changed occurrences of a series go with it."""
    if entry.values["recurrence"]:
        for row in ctx.db.find(Event, calendar_id=entry.calendar.id, recurringEventId=entry.id, deleted=False):
            ctx.db.update(row, status="cancelled", deleted=True, **stamps(ctx))


def move(ctx: Ctx, entry: Entry, to: Calendar) -> Entry:
    """Another calendar becomes the organizer. The old one keeps a cancelled entry, for those who sync it; or, where it is a guest,
    an invitation."""
    calendar, values = entry.calendar, entry.values
    if values["recurringEventId"]:
        raise refuse(
            "Cannot change the organizer of an instance.", "cannotChangeOrganizerOfInstance", domain="calendar"
        )
    if values["eventType"] != "default":
        raise refuse("Only events of the default type can be moved.", "eventTypeRestriction", domain="calendar")
    if not entry.organizes or entry.own is None:
        raise refuse("Cannot change the organizer of this event: the calendar does not organize it.", "cannotChangeOrganizer",
                     domain="calendar")  # fmt: skip
    if entry.cancelled:
        raise deleted()
    if to.id == calendar.id:
        return entry
    there = ctx.db.get(Event, (to.id, entry.id))
    if there is not None and not there.deleted and there.organizer.get("email") == to.id:
        raise ApiError(409, "The requested identifier already exists.")
    invited = entry.answer is not None
    named = {} if to.primary else {"displayName": to.summary}
    rows = [entry.own, *ctx.db.find(Event, calendar_id=calendar.id, recurringEventId=entry.id)]
    for row in rows:
        fields = {k: v for k, v in row.__dict__.items() if k != "_sa_instance_state"}
        fields |= {"calendar_id": to.id, "organizer": {"email": to.id, **named}, **stamps(ctx)}
        if row is entry.own:
            fields["attendees"] = values["attendees"]  # with the answers, which guests' rows hold
        if old := ctx.db.get(Event, (to.id, row.id)):
            ctx.db.update(old, **{k: v for k, v in fields.items() if k not in ("calendar_id", "id")})
        else:
            ctx.db.add(Event(**fields))
        left: Json = {"organizer": fields["organizer"]} if invited else {"status": "cancelled", "deleted": True}
        ctx.db.update(row, **left, **stamps(ctx))
    return read_back(ctx, to, entry.id)


def renew(ctx: Ctx, entry: Entry, body: Json, *, conferences: bool, attachments: bool, labels: bool) -> Entry:
    """Writes an imported event over the one with its iCalendar id; the calendar's own copy, whoever organizes it."""
    new = columns(
        {"start": None, "end": None, **body}, entry.calendar, entry.values, whole=True, conferences=conferences,
        attachments=attachments, labels=labels,
    )  # fmt: skip
    if conferences:
        new["conferenceData"] = _conference(ctx, new["conferenceData"], entry.values["conferenceData"])
    new = {name: value for name, value in new.items() if value != entry.values[name]}
    if new:
        _keep(ctx, entry, {**new, "deleted": False})
    return read_back(ctx, entry.calendar, entry.id)
