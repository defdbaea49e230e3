"""RFC 5545 recurrence: RRULE, EXRULE, RDATE and EXDATE lines, read and expanded on the wall clock of the event's time zone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from heapq import merge
from itertools import islice, takewhile
from typing import Any

from dateutil import rrule

from . import when
from .when import Json

MOST = 730
"""Occurrences of a series that has no end and is asked for without one."""

_HORIZON = timedelta(days=366 * 100)
_DAYS = {"MO": rrule.MO, "TU": rrule.TU, "WE": rrule.WE, "TH": rrule.TH, "FR": rrule.FR, "SA": rrule.SA, "SU": rrule.SU}
_FREQUENCIES = {"DAILY": rrule.DAILY, "WEEKLY": rrule.WEEKLY, "MONTHLY": rrule.MONTHLY, "YEARLY": rrule.YEARLY}
_LINE = re.compile(r"(RRULE|EXRULE|RDATE|EXDATE)((?:;[A-Z-]+=[^;:]+)*):(.+)", re.IGNORECASE)
_STAMP = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?")
_PARTS = {
    "FREQ": re.compile("|".join(_FREQUENCIES)), "INTERVAL": re.compile(r"[1-9]\d{0,3}"), "COUNT": re.compile(r"[1-9]\d{0,4}"),
    "UNTIL": _STAMP, "BYDAY": re.compile(r"(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)"), "BYMONTHDAY": re.compile(r"[+-]?\d{1,2}"),
    "BYYEARDAY": re.compile(r"[+-]?\d{1,3}"), "BYWEEKNO": re.compile(r"[+-]?\d{1,2}"), "BYMONTH": re.compile(r"\d{1,2}"),
    "BYSETPOS": re.compile(r"[+-]?\d{1,3}"), "WKST": re.compile("|".join(_DAYS)),
}  # fmt: skip
_LIMITS = {"BYMONTHDAY": 31, "BYYEARDAY": 366, "BYWEEKNO": 53, "BYMONTH": 12, "BYSETPOS": 366}


class BadRecurrence(ValueError):
    """A line that is none, or that the product does not take."""


@dataclass(frozen=True)
class Rule:
    """A recurrence, read. `until` is in wall clock time."""

    rules: tuple[tuple[tuple[str, Any], ...], ...] = ()
    excluded_rules: tuple[tuple[tuple[str, Any], ...], ...] = ()
    dates: tuple[datetime, ...] = ()
    excluded: frozenset[datetime] = field(default_factory=frozenset[datetime])


def read(lines: tuple[str, ...], zone_name: str, whole_days: bool) -> Rule:
    """The lines of an event whose start is in this time zone. BadRecurrence where one cannot be."""
    return _read(lines, zone_name, whole_days)


@lru_cache(maxsize=512)
def _read(lines: tuple[str, ...], zone_name: str, whole_days: bool) -> Rule:
    rules, excluded_rules, dates, excluded = [], [], [], []
    for line in lines:
        found = _LINE.fullmatch(line.strip())
        if not found:
            raise BadRecurrence(line)
        name, options, value = found[1].upper(), found[2].upper(), found[3]
        if name in ("RRULE", "EXRULE"):
            if options:
                raise BadRecurrence(line)
            (rules if name == "RRULE" else excluded_rules).append(_rule(value.upper(), line, zone_name))
        else:
            own = zone_name
            for option in filter(None, found[2].split(";")):
                key, _, said = option.partition("=")
                if key.upper() == "TZID":
                    own = said
                elif (key.upper(), said.upper()) not in (("VALUE", "DATE"), ("VALUE", "DATE-TIME")):
                    raise BadRecurrence(line)
            if when.zone(own) is None:
                raise BadRecurrence(line)
            into = dates if name == "RDATE" else excluded
            into += [_moment(part, line, own, zone_name, whole_days) for part in value.split(",")]
    if not rules and not dates:
        raise BadRecurrence("no RRULE and no RDATE")
    return Rule(tuple(rules), tuple(excluded_rules), tuple(sorted(dates)), frozenset(excluded))


def _rule(text: str, line: str, zone_name: str) -> tuple[tuple[str, Any], ...]:
    """The parts of a rule as dateutil's keywords."""
    parts = dict[str, str]()
    for part in text.rstrip(";").split(";"):
        name, _, value = part.partition("=")
        if name not in _PARTS or name in parts:
            raise BadRecurrence(line)
        single = name in ("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST")
        if not all(_PARTS[name].fullmatch(v) for v in ([value] if single else value.split(","))):
            raise BadRecurrence(line)
        parts[name] = value
    if "FREQ" not in parts or ("COUNT" in parts and "UNTIL" in parts):
        raise BadRecurrence(line)
    made: dict[str, Any] = {"freq": _FREQUENCIES[parts.pop("FREQ")]}
    for name, value in parts.items():
        if name == "UNTIL":
            made["until"] = _until(value, line, zone_name)
        elif name == "WKST":
            made["wkst"] = _DAYS[value]
        elif name == "BYDAY":
            made["byweekday"] = tuple(_weekday(v, made["freq"], line) for v in value.split(","))
        elif name in ("INTERVAL", "COUNT"):
            made[name.lower()] = int(value)
        else:
            numbers = tuple(int(v) for v in value.split(","))
            if any(n == 0 or abs(n) > _LIMITS[name] for n in numbers):
                raise BadRecurrence(line)
            made[name.lower()] = numbers
    if "bysetpos" in made and not any(k.startswith("by") and k != "bysetpos" for k in made):
        raise BadRecurrence(line)
    return tuple(made.items())


def _weekday(text: str, freq: int, line: str) -> Any:
    day, number = _DAYS[text[-2:]], text[:-2]
    if not number:
        return day
    if int(number) == 0 or abs(int(number)) > 53 or freq not in (rrule.MONTHLY, rrule.YEARLY):
        raise BadRecurrence(line)
    return day(int(number))


def _until(text: str, line: str, zone_name: str) -> datetime:
    day, clock, utc = _split(text, line)
    if clock is None:
        return datetime.combine(day, time(23, 59, 59))
    moment = datetime.combine(day, clock)
    return moment.replace(tzinfo=UTC).astimezone(when.zone(zone_name) or UTC).replace(tzinfo=None) if utc else moment


def _moment(text: str, line: str, own: str, zone_name: str, whole_days: bool) -> datetime:
    """A date of RDATE or EXDATE on the event's wall clock."""
    day, clock, utc = _split(text.strip().upper(), line)
    if whole_days or clock is None:
        return datetime.combine(day, time())
    moment = datetime.combine(day, clock, UTC if utc else when.zone(own) or UTC)
    return moment.astimezone(when.zone(zone_name) or UTC).replace(tzinfo=None)


def _split(text: str, line: str) -> tuple[date, time | None, bool]:
    found = _STAMP.fullmatch(text)
    try:
        if not found:
            raise ValueError
        day = date.fromisoformat(found[1])
        clock = time.fromisoformat(found[2]) if found[2] else None
    except ValueError:
        raise BadRecurrence(line) from None
    if not 1900 <= day.year <= 2200:
        raise BadRecurrence(line)
    return day, clock, found[3] == "Z"


def starts(start: Json, lines: list[str], fallback: str, until: datetime | None = None) -> Iterator[datetime]:
    """The starts of a series' occurrences in order, on the wall clock. `until` (UTC) bounds them; else there are at most MOST."""
    first = when.local(start, fallback)
    name = start.get("timeZone") or fallback
    rule = read(tuple(lines), name, when.whole(start))
    last = first + _HORIZON
    if until is not None:
        last = min(last, until.astimezone(when.zone(name) or UTC).replace(tzinfo=None) + timedelta(days=1))
    runs: list[Iterator[datetime]] = [_run(r, first, last) for r in rule.rules]
    runs.append(iter([d for d in ([] if rule.rules else [first]) + list(rule.dates) if d <= last]))
    skipped = {d for r in rule.excluded_rules for d in _run(r, first, last)}
    count, before = 0, None
    for moment in merge(*runs):
        if moment == before or moment in rule.excluded or moment in skipped:
            continue
        # A day without a time in EXDATE leaves out that day of a series with times.
        if datetime.combine(moment.date(), time()) in rule.excluded:
            continue
        before = moment
        yield moment
        count += 1
        if until is None and count >= MOST:
            return


def _run(parts: tuple[tuple[str, Any], ...], first: datetime, last: datetime) -> Iterator[datetime]:
    count = dict(parts).get("count")
    return takewhile(lambda moment: moment <= last, islice(_expanded(parts, first), count))


@lru_cache(maxsize=512)
def _expanded(parts: tuple[tuple[str, Any], ...], first: datetime) -> rrule.rrule:
    """A rule from its start on. dateutil keeps what it has expanded: the same series is read over and over."""
    keywords = dict(parts)
    keywords.pop("count", None)  # dateutil takes no count beside a bound
    bound = min(keywords.pop("until", first + _HORIZON), first + _HORIZON)
    return rrule.rrule(dtstart=first, until=bound, cache=True, **keywords)
