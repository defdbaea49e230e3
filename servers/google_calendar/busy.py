"""When calendars are busy, and when they are all free."""

from datetime import UTC, datetime, time, timedelta

from legoenv_mcp.app import Ctx

from . import when
from .entries import Book, Entry
from .models import Calendar

Span = tuple[datetime, datetime]


def blocks(entry: Entry) -> bool:
    """Whether an event blocks its calendar's time: not cancelled, not shown as free, not declined."""
    v = entry.values
    answer = entry.answer
    return (
        not entry.cancelled
        and v["transparency"] == "opaque"
        and not (answer and answer.get("responseStatus") == "declined")
    )


def spans(ctx: Ctx, calendar: Calendar, begin: datetime, end: datetime) -> list[Span]:
    """The times at which a calendar is busy, joined where they touch, cut to the bounds."""
    book = Book(ctx, calendar)
    found = list[Span]()
    for head in book.heads_of():
        entries = book.occurrences(head, begin, end) if head.values["recurrence"] else [head]
        found += [(e.begins, e.ends) for e in entries if blocks(e)]
    found += [(e.begins, e.ends) for e in map(book.series, book.orphans) if blocks(e)]
    return joined([(max(a, begin), min(b, end)) for a, b in found if a < end and b > begin])


def joined(found: list[Span]) -> list[Span]:
    out = list[Span]()
    for begin, end in sorted(found):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((begin, end))
    return out


def gaps(
    taken: list[Span],
    begin: datetime,
    end: datetime,
    length: timedelta,
    zone: str,
    day: tuple[int, int],
    weekends: bool,
    most: int,
) -> list[Span]:
    """Free times of at least this length within the hours of the day, in a time zone; the first ones."""
    own = when.zone(zone) or UTC
    out = list[Span]()
    at = begin
    first = begin.astimezone(own).date()
    for number in range((end - begin).days + 2):
        date = first + timedelta(days=number)
        if date.weekday() > 4 and not weekends:
            continue
        midnight = datetime.combine(date, time())
        opens, closes = ((midnight + timedelta(hours=hour)).replace(tzinfo=own).astimezone(UTC) for hour in day)
        at, last = max(opens, begin), min(closes, end)
        for busy_from, busy_to in [*[s for s in taken if s[1] > at and s[0] < last], (last, last)]:
            if busy_from - at >= length:
                out.append((at, busy_from))
                if len(out) == most:
                    return out
            at = max(at, busy_to)
    return out
