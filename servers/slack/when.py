"""Slack's phrasings of time for reminders, as a moment and, for `every ...`, a recurrence."""

from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3}
_UNITS = {"sec": 1, "min": 60, "hou": 3600, "hr": 3600, "hrs": 3600, "day": 86_400, "wee": 604_800}
_MORNING = (9, 0)


class Unclear(Exception):
    """The phrase says no time that can be understood."""


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    return Lark(
        Path(__file__).with_name("when.lark").read_text(encoding="utf-8"),
        parser="earley",
        lexer="dynamic",
        ambiguity="resolve",
    )


def understand(phrase: str, now: datetime) -> tuple[datetime, dict[str, Any] | None]:
    """The moment a phrase means, in the time zone of `now`, and how it recurs. Unclear where it means none ahead of now."""
    if len(phrase) > 80:
        raise Unclear(phrase)
    try:
        tree = _grammar().parse(phrase.strip())
        at, recurrence = _moment(tree, now)
    except (LarkError, ValueError, OverflowError):
        raise Unclear(phrase) from None
    if at <= now:
        raise Unclear(phrase)
    return at, recurrence


def _moment(tree: "Tree[Token]", now: datetime) -> tuple[datetime, dict[str, Any] | None]:
    parts = {str(node.data): node for node in tree.children if isinstance(node, Tree)}
    if "delay" in parts:
        return now + timedelta(seconds=_delay(parts["delay"])), None
    if "every" in parts:
        return _every(parts["every"], now)
    clock = _clock(parts.get("clock"))
    if "clock" in parts and len(parts) == 1:
        at = _set(now, clock)
        return (at if at > now else at + timedelta(1)), None
    name, node = next((n, d) for n, d in parts.items() if n != "clock")
    return _set(_day(name, node, now), clock), None


def _delay(node: "Tree[Token]") -> float:
    total, amount = 0.0, 1.0
    for child in node.children:
        if isinstance(child, Token):
            word = child.lower()
            amount = float(_NUMBERS[word]) if word in _NUMBERS else 0.5 if word.startswith("half") else float(word)
        else:
            total += amount * _unit(child)
    return total


def _unit(node: "Tree[Token]") -> int:
    word = str(node.children[0]).lower()
    if word[:3] not in _UNITS and word not in _UNITS:
        raise ValueError(word)
    return _UNITS.get(word[:3]) or _UNITS[word]


def _clock(node: "Tree[Token] | None") -> tuple[int, int]:
    if node is None:
        return _MORNING
    word = str(node.children[0]).lower().replace(".", "").replace(" ", "")
    if word in ("noon", "midday"):
        return 12, 0
    if word == "midnight":
        return 0, 0
    half = word[-2:] if word.endswith(("am", "pm")) else ""
    hour, _, minute = word.removesuffix(half).partition(":")
    hours = int(hour)
    if half and not 1 <= hours <= 12:
        raise ValueError(word)
    if half:
        hours = hours % 12 + (12 if half == "pm" else 0)
    return hours, int(minute or 0)


def _set(day: datetime, clock: tuple[int, int]) -> datetime:
    return day.replace(hour=clock[0], minute=clock[1], second=0, microsecond=0)


def _weekday(node: "Tree[Token]") -> int:
    return _DAYS.index(str(node.children[0]).lower()[:3])


def _day(kind: str, node: "Tree[Token]", now: datetime) -> datetime:
    tokens = {t.type: str(t).lower() for t in node.children if isinstance(t, Token)}
    if kind == "relative":
        return now + timedelta("TOMORROW" in tokens)
    if kind == "weekday_day":
        ahead = (_weekday(next(n for n in node.children if isinstance(n, Tree))) - now.weekday()) % 7
        return now + timedelta(ahead or 7)
    if kind == "numeric":
        day = datetime.fromisoformat(tokens["ISO"])
        return now.replace(year=day.year, month=day.month, day=day.day)
    month, number = _MONTHS.index(tokens["MONTH"][:3]) + 1, int("".join(c for c in tokens["DAY"] if c.isdigit()))
    if "YEAR" in tokens:
        return now.replace(year=int(tokens["YEAR"]), month=month, day=number)
    made = now.replace(month=month, day=number)
    return made if made > now else made.replace(year=now.year + 1)


def _every(node: "Tree[Token]", now: datetime) -> tuple[datetime, dict[str, Any]]:
    trees = {str(n.data): n for n in node.children if isinstance(n, Tree)}
    clock = _clock(trees.get("clock"))
    today = _set(now, clock)
    at = today if today > now else today + timedelta(1)
    if "weekday" in trees:
        day = _weekday(trees["weekday"])
        while at.weekday() != day:
            at += timedelta(1)
        return at, {"frequency": "weekly", "weekdays": [at.strftime("%A").lower()]}
    if "unit" not in trees:
        while at.weekday() > 4:
            at += timedelta(1)
        return at, {"frequency": "weekly", "weekdays": ["monday", "tuesday", "wednesday", "thursday", "friday"]}
    word = str(trees["unit"].children[0]).lower().removesuffix("s")
    names = {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}
    if word not in names:
        raise ValueError(word)
    return at, {"frequency": names[word]}
