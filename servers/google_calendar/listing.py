"""What lists have in common: pages, sync tokens; and which events a list of events holds."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice
from typing import Any, TypeVar

from legoenv_mcp.app import ApiError, BadCursor, Ctx, cursor_page, decode_cursor, encode_cursor

from . import when
from .app import bad_parameter
from .bodies import empty_range
from .entries import Book, Entry, within

T = TypeVar("T")
Json = dict[str, Any]
_OLDEST = timedelta(days=28)
"""How far back `updatedMin` may lie: what was deleted before is not known any more."""
_WORD = re.compile(r"[^\W_]+")


def bound(name: str, text: str | None) -> datetime | None:
    """A bound of a query; Calendar's refusal where it is no RFC 3339 time with its offset."""
    if text is None:
        return None
    found = when.read_bound(text)
    if found is None:
        raise bad_parameter(name, hint=f"{name} must be an RFC 3339 time with its offset, as 2026-03-02T00:00:00Z.")
    return found


def zone_name(name: str, text: str | None, default: str) -> str:
    if text is None:
        return default
    if when.zone(text) is None:
        raise bad_parameter(name, "Invalid time zone value.", "invalid")
    return text


def last_change(ctx: Ctx) -> int:
    """The number of the last change of anything."""
    tables = ("calendar", "calendar_list_entry", "acl_rule", "event")
    union = " UNION ALL ".join(f"SELECT max(changed) AS n FROM {name}" for name in tables)
    return ctx.db.query(f"SELECT coalesce(max(n), 0) AS n FROM ({union})")[0]["n"]


def since(ctx: Ctx, token: str | None, scope: str) -> int | None:
    """The change up to which a sync token's bearer knows. 410 for a token of another list, or of a time that never was."""
    if token is None:
        return None
    try:
        known = decode_cursor(token, f"sync/{scope}")
    except BadCursor:
        known = -1
    if not 0 <= known <= last_change(ctx):
        raise ApiError(
            410, "Sync token is no longer valid, a full sync is required.", reason="fullSyncRequired", domain="calendar",
            location="syncToken",
        )  # fmt: skip
    return known


def sync_token(ctx: Ctx, scope: str) -> str:
    return encode_cursor(last_change(ctx), f"sync/{scope}")


def page(
    ctx: Ctx, items: list[T], limit: int, token: str | None, scope: str, show: Callable[[T], Json], *, syncs: bool = True
) -> Json:  # fmt: skip
    """The items of one page and the token that leads on: to the next page, or after the last one to later changes."""
    try:
        made = cursor_page(items, limit, token, f"page/{scope}")
    except BadCursor:
        raise bad_parameter("pageToken", "Invalid page token value.", "invalid") from None
    out: Json = {"items": [show(i) for i in made.items]}
    if made.cursor:
        return {"nextPageToken": made.cursor, **out}
    return {"nextSyncToken": sync_token(ctx, scope), **out} if syncs else out


def reach(limit: int, token: str | None, scope: str) -> int:
    """How many items of a list a page of it looks at: those before it, its own, and whether there is one more."""
    try:
        return (decode_cursor(token, f"page/{scope}") if token else 0) + limit + 1
    except BadCursor:
        return 0  # refused by `page`


def words(text: str) -> list[str]:
    """The words of a text, without case and accents."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return _WORD.findall(plain)


class Filter:
    """The conditions of events.list on one entry."""

    def __init__(
        self, ctx: Ctx, names: dict[str, str], *, q: str | None, ical: str | None, types: list[str] | None, private: list[str] | None,
        shared: list[str] | None, updated: datetime | None, known: int | None,
    ) -> None:  # fmt: skip
        self.names = names
        self.terms = words(q or "")
        self.nothing = bool(q and q.strip()) and not self.terms
        self.ical = ical
        self.types = types
        self.properties = [("private", *_pair("privateExtendedProperty", p)) for p in private or []]
        self.properties += [("shared", *_pair("sharedExtendedProperty", p)) for p in shared or []]
        self.updated = None if updated is None else when.millis(updated)
        self.known = known
        if updated is not None and updated < ctx.now - _OLDEST:
            raise ApiError(
                410, "The requested minimum modification time lies too far in the past.", reason="updatedMinTooLongAgo",
                domain="calendar", location="updatedMin",
            )  # fmt: skip

    def passes(self, entry: Entry, visible: bool) -> bool:
        v = entry.values
        if self.known is not None and v["changed"] <= self.known:
            return False
        if self.updated is not None and v["updated"] < self.updated:
            return False
        if self.ical is not None and v["iCalUID"] != self.ical:
            return False
        if self.types and v["eventType"] not in self.types:
            return False
        if any(v[f"{kind}Properties"].get(key) != value for kind, key, value in self.properties):
            return False
        if self.nothing:
            return False
        return not self.terms or (visible and self._mentions(entry))

    def _mentions(self, entry: Entry) -> bool:
        v = entry.values
        people = [a["email"] for a in v["attendees"]] + [v["organizer"].get("email", "")]
        given = [a.get("displayName", "") for a in [*v["attendees"], v["organizer"]]]
        where = [str(x) for x in (v["typeProperties"] or {}).values()]
        texts = [
            v["summary"],
            v["description"],
            v["location"],
            *people,
            *given,
            *(self.names.get(p, "") for p in people),
            *where,
        ]
        held = words(" ".join(t for t in texts if t))
        return all(any(w == t if t.isdigit() else w.startswith(t) for w in held) for t in self.terms)


def _pair(name: str, text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise bad_parameter(name)
    return key, value


def events(
    book: Book, filter_: Filter, sees: Callable[[Entry], bool], begin: datetime | None, end: datetime | None, *, single: bool,
    show_deleted: bool, order: str | None, most: int,
) -> list[Entry]:  # fmt: skip
    """The entries of a list, in its order; of a list by start no more than `most`."""
    if begin is not None and end is not None and end <= begin:
        raise empty_range("timeMax")
    every = show_deleted or filter_.known is not None or filter_.updated is not None
    found, runs = list[Entry](), list[Iterator[Entry]]()
    for head in book.heads_of():
        series = bool(head.values["recurrence"])
        if single and series and not filter_.passes(head, sees(head)):
            # Its occurrences are like the series, but for those that were changed.
            changed = book.exceptions(head).values()
            found += [
                e
                for e in changed
                if (every or not e.cancelled) and filter_.passes(e, sees(e)) and within(e, begin, end)
            ]
            continue
        if single and series:
            runs.append(
                e
                for e in book.occurrences(head, begin, end, cancelled=every)
                if (every or not e.cancelled) and filter_.passes(e, sees(e))
            )
            continue
        if (every or not head.cancelled) and filter_.passes(head, sees(head)) and _in_range(book, head, begin, end):
            found.append(head)
        if series:
            # Cancelled occurrences of a series that itself is not are needed to know the series.
            for e in book.exceptions(head).values():
                if (
                    (every or not e.cancelled or not head.cancelled)
                    and filter_.passes(e, sees(e))
                    and within(e, begin, end)
                ):
                    found.append(e)
    found += [
        e
        for e in map(book.series, book.orphans)
        if (every or not e.cancelled) and filter_.passes(e, sees(e)) and within(e, begin, end)
    ]
    if order == "startTime":
        found.sort(key=_by_start)
        # Series are endless, and a page needs the first ones alone.
        return list(islice(merge(found, *runs, key=_by_start), most))
    found += [e for run in runs for e in run]
    if order == "updated":
        found.sort(key=lambda e: (e.values["updated"], e.values["changed"], e.id))
    elif single:
        found.sort(key=lambda e: (e.values["recurringEventId"] or e.id, e.begins, e.id))
    return found


def _by_start(entry: Entry) -> tuple[datetime, datetime, str]:
    return entry.begins, entry.ends, entry.id


def _in_range(book: Book, head: Entry, begin: datetime | None, end: datetime | None) -> bool:
    if not head.values["recurrence"]:
        return within(head, begin, end)
    if begin is None and end is None:
        return True
    return next(iter(book.made(head, begin, end)), None) is not None


def scope_of(*parts: object) -> str:
    """What a token is tied to: the list and the parameters that may not change between its pages."""
    return "/".join(str(p) for p in parts)
