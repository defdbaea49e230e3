"""What formulas reckon with: blank (None), text, numbers, true and false, moments, lists of these, and faults."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

LONGEST_TEXT = 100_000
"""Characters in a cell; a longer result is an error."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An error as a value."""

    shown: str = "#ERROR!"


@dataclass(frozen=True, slots=True)
class Moment:
    """A time. `day` marks a date without a time of day; `zone` and `locale` are what SET_TIMEZONE and SET_LOCALE chose."""

    at: datetime
    day: bool = False
    zone: tzinfo = UTC
    locale: str = "en"

    @property
    def local(self) -> datetime:
        return self.at.astimezone(self.zone)


class Failed(Exception):
    """An operation that has no result but an error."""

    def __init__(self, shown: str = "#ERROR!") -> None:
        super().__init__(shown)
        self.shown = shown


def iso(at: datetime) -> str:
    """A time as the API spells it."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def parsed(text: str) -> Moment | None:
    """An ISO day or time as a moment; None where the text is neither."""
    try:
        made = datetime.fromisoformat(text.strip())
        made = made if made.tzinfo else made.replace(tzinfo=UTC)
        return Moment(made.astimezone(UTC), day=len(text.strip()) == 10)
    except (ValueError, OverflowError):
        return None


def scalar(value: Any) -> Any:
    """A list as the one value that it stands for in a text or a comparison."""
    if isinstance(value, list):
        left = [v for v in value if v is not None]
        return None if not left else left[0] if len(left) == 1 and not isinstance(left[0], list) else text(left)
    return value


def number_text(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(float(f"{value:.15g}"))


def text(value: Any) -> str:
    """A value as text, as `&` joins it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, Moment):
        return value.at.date().isoformat() if value.day else iso(value.at)
    if isinstance(value, list):
        return ", ".join(text(v) for v in value if v is not None)
    if isinstance(value, Fault):
        raise Failed(value.shown)
    return str(value)


def number(value: Any) -> float | int:
    """A value as a number: blank is 0; text is none, as Airtable does not read numbers out of it unasked."""
    value = scalar(value)
    if value is None or value == "":
        return 0
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    raise Failed(value.shown if isinstance(value, Fault) else "#ERROR!")


def whole(value: Any) -> int:
    """A value as a count or a place."""
    found = number(value)
    if not math.isfinite(found) or abs(found) > 1e12:
        raise Failed
    return int(found)


def truth(value: Any) -> bool:
    """Whether a value counts as true: not 0, blank, empty text, NaN, an empty list or an error."""
    if isinstance(value, float) and math.isnan(value):
        return False
    if isinstance(value, Fault):
        return False
    return bool(value) if not isinstance(value, Moment) else True


def flat(values: Iterable[Any]) -> list[Any]:
    """The values with lists among them opened."""
    found, waiting = list[Any](), list(values)[::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value[::-1]
        else:
            found.append(value)
    return found


def tidy(value: float | int) -> float | int:
    """A number without the noise of binary fractions, whole where it is whole. Overflow is Infinity."""
    if isinstance(value, int):
        return value if abs(value) < 2**63 else float("inf") if value > 0 else float("-inf")
    if not math.isfinite(value):
        return value
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def bounded(made: str) -> str:
    if len(made) > LONGEST_TEXT:
        raise Failed
    return made


def compared(sign: str, left: Any, right: Any) -> bool:
    """A comparison. Blank is "" beside text and 0 beside numbers; a date is compared with the text of a date."""
    left, right = scalar(left), scalar(right)
    for value in (left, right):
        if isinstance(value, Fault):
            raise Failed(value.shown)
    if sign in ("=", "!="):
        return _same(left, right) == (sign == "=")
    pair = _pair(left, right)
    if pair is None:
        return False
    tests: dict[str, Callable[[Any, Any], bool]] = {
        "<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
    }  # fmt: skip
    return tests[sign](*pair)


def _same(left: Any, right: Any) -> bool:
    if left in (None, "") and right in (None, ""):
        return True
    if isinstance(left, Moment) or isinstance(right, Moment):
        pair = _pair(left, right)
        return pair is not None and pair[0] == pair[1]
    if isinstance(left, str) or isinstance(right, str):
        return text(left) == text(right)
    return number(left) == number(right)


def _pair(left: Any, right: Any) -> tuple[Any, Any] | None:
    """Two values of one kind that have an order; None where they have none."""
    if isinstance(left, Moment) or isinstance(right, Moment):
        times = [v if isinstance(v, Moment) else parsed(v) if isinstance(v, str) else None for v in (left, right)]
        return None if times[0] is None or times[1] is None else (times[0].at, times[1].at)
    if isinstance(left, str) and isinstance(right, str):
        return left, right
    if isinstance(left, str) or isinstance(right, str):
        read = [_read(v) for v in (left, right)]
        return None if read[0] is None or read[1] is None else (read[0], read[1])
    return number(left), number(right)


def _read(value: Any) -> float | int | None:
    if isinstance(value, str):
        try:
            return float(value) if value.strip() else 0
        except ValueError:
            return None
    return number(value)
