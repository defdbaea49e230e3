"""Readers of the office's files: calendars, tickets, tasks, pages, the books, the shop, mailings, telephony, staff."""

import re
from datetime import datetime
from typing import Any

from legoenv_mcp.capabilities import (
    Entity,
    accounting,
    calendar,
    docs_notes,
    ecommerce,
    helpdesk,
    hr,
    marketing_email,
    project_tracking,
    scheduling,
    sms_voice,
)
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.worlds.parse import Place, build, check_time, options, read_text
from legoenv_mcp.worlds.reading import Reading

_TABLES: dict[str, type[Entity]] = {
    "calendar/calendars": calendar.Calendar, "helpdesk/requesters": helpdesk.Requester,
    "helpdesk/queues": helpdesk.Queue, "projects/projects": project_tracking.Project,
    "accounting/customers": accounting.Customer, "accounting/vendors": accounting.Vendor,
    "accounting/items": accounting.Item, "shop/shoppers": ecommerce.Shopper,
    "marketing/audiences": marketing_email.Audience, "marketing/subscribers": marketing_email.Subscriber,
    "phone/numbers": sms_voice.PhoneNumber, "hr/employments": hr.Employment, "hr/time_off": hr.TimeOff,
    "scheduling/meeting_types": scheduling.MeetingType, "scheduling/bookings": scheduling.Booking,
}  # fmt: skip
_OFFSET_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)")
_RECURRENCE = re.compile(
    r"RRULE:FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)(?:;[A-Z]+=[A-Z0-9,+-]+)*"
    r"|(?:EXDATE|RDATE)(?:;[A-Z]+=[\w/]+)?:[\dTZ,]+"
)
_E164 = re.compile(r"\+[1-9]\d{6,14}")
_RESPONSES = frozenset({"accepted", "declined", "tentative", "needs_action"})


def everything(reading: Reading) -> None:
    for name, kind in _TABLES.items():
        reading.table(f"{name}.csv", kind)
    _calendar(reading)
    for file in reading.under("helpdesk/tickets/", ".md"):
        _ticket(reading, file)
    _tasks(reading)
    for file in reading.under("docs/", ".md"):
        _page(reading, file)
    _books(reading)
    _shop(reading)
    for file in reading.under("marketing/campaigns/", ".md"):
        front, body, _ = read_text(file, reading.use(file), frozenset(marketing_email.Campaign.model_fields) - {"key"})
        reading.add(marketing_email.Campaign, Place(file, 1), {**front, "key": _stem(file), "body": body})
    _phone(reading)


def _stem(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".md")


def _calendar(reading: Reading) -> None:
    owners: dict[str, str] = {
        entity.key: entity.owner
        for _, entity in reading.entities[calendar.Calendar]
        if isinstance(entity, calendar.Calendar)
    }

    def complete(place: Place, row: dict[str, Any]) -> None:
        organizer = row.get("organizer") or owners.get(row.get("calendar", ""), "")
        row["organizer"] = _who(reading, place, "organizer", organizer) if organizer else ""
        row["attendees"] = tuple(
            _attendee(reading, place, one.split()) for one in row.get("attendees", "").split(";") if one.strip()
        )
        row["recurrence"] = tuple(line for line in row.get("recurrence", "").split(" | ") if line)
        for line in row["recurrence"]:
            if not _RECURRENCE.fullmatch(line):
                raise place.error("recurrence", f'"{line}" is no RRULE, EXDATE or RDATE line')
        if row["recurrence"] and not row.get("time_zone"):
            raise place.error("time_zone", "missing where there is a recurrence")
        start, end = (_moment(place, name, row.get(name, "")) for name in ("start", "end"))
        if (start.tzinfo is None) != (end.tzinfo is None) or start >= end:
            raise place.error("end", "is not after start, or of another form")

    reading.table("calendar/events.csv", calendar.Event, complete)


def _moment(place: Place, name: str, value: str) -> datetime:
    """A day, or a time with its offset."""
    if "T" not in value:
        check_time(place, name, value, "", day=True)
    elif not _OFFSET_TIME.fullmatch(value):
        raise place.error(name, f'"{value}" is not of the form 2026-03-03T14:00:00+01:00')
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise place.error(name, f'"{value}" is no time') from None


def _who(reading: Reading, place: Place, name: str, who: str) -> str:
    """The address of a person's key, or of an address."""
    if "@" not in who:
        if who not in reading.people:
            raise place.error(name, f'no person "{who}"')
        return reading.people[who].email
    if who.endswith(f"@{reading.domain}") and who not in reading.own:
        raise place.error(name, f'no person "{who}"')
    return who


def _attendee(reading: Reading, place: Place, words: list[str]) -> calendar.Attendee:
    response = next((word for word in words[1:] if word in _RESPONSES), "needs_action")
    values = {"email": _who(reading, place, "attendees", words[0]), "response": response}
    if extra := set(words[1:]) - {response, "optional"}:
        raise place.error("attendees", f'no such answer "{min(extra)}"')
    return build(calendar.Attendee, place, {**values, "optional": "optional" in words[1:]}, reading.clock)


def _ticket(reading: Reading, file: str) -> None:
    known = frozenset(helpdesk.Ticket.model_fields) - {"key", "id", "messages", "created", "updated"}
    front, before, blocks = read_text(file, reading.use(file), known)
    if before.strip() or not blocks:
        raise Place(file, 1).error("", "a ticket is front matter and messages")
    messages: list[helpdesk.TicketMessage] = []
    for block in blocks:
        note = options(block, 2, frozenset(), frozenset({"note"}))
        author, at = block.head[:2]
        reading.mention(block.place, "author", author, Person, helpdesk.Requester)
        values = {"author": author, "at": at, "body": block.text, "note": bool(note)}
        messages.append(build(helpdesk.TicketMessage, block.place, values, reading.clock))
        if len(messages) > 1 and messages[-2].at > at:
            raise block.place.error("at", "is before the message above it")
    reading.add(helpdesk.Ticket, Place(file, 1), {
        **front, "key": _stem(file), "messages": tuple(messages), "created": messages[0].at, "updated": messages[-1].at,
    })  # fmt: skip


def _tasks(reading: Reading) -> None:
    codes: dict[str, str] = {
        entity.key: entity.code
        for _, entity in reading.entities[project_tracking.Project]
        if isinstance(entity, project_tracking.Project)
    }
    task, comment = project_tracking.Task, project_tracking.TaskComment
    comments = reading.lines("projects/comments.csv", comment, "task", task, author=Person)

    def complete(place: Place, row: dict[str, Any]) -> None:
        key = row.get("key", "")
        if key != f"{codes.get(row.get('project', ''), '')}-{row.get('number', '')}":
            raise place.error("key", f'"{key}" is not its project\'s code and its number')
        if ("done" in row) != (row.get("status") == "done"):
            raise place.error("done", "is set where the status is done, and only there")
        row["comments"] = tuple(comments[key])

    reading.table("projects/tasks.csv", task, complete)


def _page(reading: Reading, file: str) -> None:
    front, body, blocks = read_text(file, reading.use(file), frozenset({"title", "author", "created", "updated"}))
    if blocks:
        raise blocks[0].place.error("", "a page has no blocks")
    key = file.removeprefix("docs/").removesuffix(".md")
    values = {**front, "key": key, "parent": key.rpartition("/")[0], "body": body}
    reading.add(docs_notes.Document, Place(file, 1), values)


def _books(reading: Reading) -> None:
    line = accounting.DocumentLine
    for kind, name in ((accounting.Invoice, "invoice"), (accounting.Bill, "bill")):
        file, lines = f"accounting/{name}s.csv", f"accounting/{name}_lines.csv"
        reading.with_lines(kind, file, "lines", lines, line, name, item=accounting.Item)


def _shop(reading: Reading) -> None:
    reading.with_lines(
        ecommerce.Product, "shop/products.csv", "variants", "shop/variants.csv", ecommerce.Variant, "product"
    )
    skus: set[str] = set()
    for place, entity in reading.entities[ecommerce.Product]:
        for variant in entity.variants if isinstance(entity, ecommerce.Product) else ():
            if variant.sku in skus:
                raise place.error("sku", f'"{variant.sku}" is taken already')
            skus.add(variant.sku)
    reading.with_lines(
        ecommerce.Order, "shop/orders.csv", "lines", "shop/order_lines.csv", ecommerce.OrderLine, "order"
    )
    for place, entity in reading.entities[ecommerce.Order]:
        for line in entity.lines if isinstance(entity, ecommerce.Order) else ():
            if line.sku not in skus:
                raise place.error("lines", f'no variant "{line.sku}"')


def _phone(reading: Reading) -> None:
    owned = {e.number for _, e in reading.entities[sms_voice.PhoneNumber] if isinstance(e, sms_voice.PhoneNumber)}
    for file, kind, sender in (("texts", sms_voice.TextMessage, "sender"), ("calls", sms_voice.Call, "caller")):

        def complete(place: Place, row: dict[str, Any], sender: str = sender) -> None:
            for name in (sender, "to"):
                if not _E164.fullmatch(row.get(name, "")):
                    raise place.error(name, f'"{row.get(name, "")}" is no E.164 number')
            ours = "to" if row.get("inbound") == "true" else sender
            if row[ours] not in owned:
                raise place.error(ours, f'no number of ours "{row[ours]}"')

        reading.table(f"phone/{file}.csv", kind, complete)


__all__ = ["everything"]
