"""What a user types, read as the product reads it. https://developers.google.com/workspace/sheets/api/reference/rest/v4/ValueInputOption"""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from . import dates

Json = dict[str, Any]
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?"
_PLAIN = re.compile(rf"([+-]?)({_NUMBER})(?:[eE]([+-]?\d{{1,3}}))?(\s?%)?")
_MONEY = re.compile(rf"([+-]?)\s?([$£€¥])\s?([+-]?)({_NUMBER})|([+-]?)({_NUMBER})\s?(€)")
_PARENTHESES = re.compile(rf"\(([$£€¥]?)({_NUMBER})\)")
_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_SHORT = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})")
_NAMED = re.compile(r"(?:(\d{1,2})[ -]([A-Za-z]{3,9})|([A-Za-z]{3,9})\.? (\d{1,2})),?[ -](\d{4})")
_PART = re.compile(
    r"(?P<first>\d{1,2})(?P<mark>[-/])(?P<second>\d{1,2})|(?P<day>\d{1,2})[ -](?P<of>[A-Za-z]{3,9})"
    r"|(?P<month>[A-Za-z]{3,9})\.? (?P<number>\d{4}|\d{1,2})"
)
_TIME = re.compile(r"(\d{1,2})(?::(\d{2})(?::(\d{2}))?(?:\s?([AaPp])[Mm])?|\s?([AaPp])[Mm])")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONG = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)


@dataclass(frozen=True, slots=True)
class Entered:
    """A value or a formula, and the number format that its spelling asks for."""

    value: str | int | float | bool | None = None
    formula: str | None = None
    number_format: Json | None = None


def typed(value: Any, locale: str, today: date | None = None) -> Entered:
    """A value as if typed into a cell; days without a year are this year's."""
    if not isinstance(value, str):
        return Entered(clean(value))
    if value == "":
        return Entered(None)
    if value[0] == "'":
        return Entered(value[1:])
    if value[0] == "=" and len(value) > 1:
        return Entered(None, value)
    return read(value.strip(), locale, today) or Entered(value)


def raw(value: Any) -> Entered:
    """A value taken as it is."""
    return Entered(None) if value == "" else Entered(clean(value))


def clean(value: Any) -> Any:
    """Whole numbers are whole."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def read(text: str, locale: str, today: date | None = None) -> Entered | None:
    """A number, an amount, a share, a date, a time or a truth value; None where the text is none of them."""
    if len(text) > 60 or not text:
        return None
    if text.upper() in ("TRUE", "FALSE"):
        return Entered(text.upper() == "TRUE")
    return (
        _number(text) or _money(text) or _date_time(text, locale) or (_partial(text, locale, today) if today else None)
    )


def number(text: str, locale: str) -> float | None:
    """The number that a text is taken for where a number is wanted."""
    found = read(text.strip(), locale)
    return None if found is None or isinstance(found.value, bool | str) else found.value


def _amount(text: str) -> float | None:
    digits = text.replace(",", "")
    if not any(c.isdigit() for c in digits):
        return None
    return int(digits) if digits.isdigit() and len(digits) < 16 else float(digits)


def _decimals(text: str) -> bool:
    return "." in text


def _number(text: str) -> Entered | None:
    found = _PLAIN.fullmatch(text)
    if found is None or (amount := _amount(found[2])) is None:
        return None
    if found[3]:
        amount = float(f"{found[2].replace(',', '')}e{found[3]}")
        if amount == float("inf"):
            return None
    signed = -amount if found[1] == "-" else amount
    if found[4]:
        shown = "0.00%" if _decimals(found[2]) else "0%"
        return Entered(clean(float(f"{signed / 100:.15g}")), None, {"type": "PERCENT", "pattern": shown})
    if found[3]:
        return Entered(clean(signed), None, {"type": "SCIENTIFIC", "pattern": "0.00E+00"})
    if "," in found[2]:
        return Entered(
            clean(signed), None, {"type": "NUMBER", "pattern": "#,##0.00" if _decimals(found[2]) else "#,##0"}
        )
    return Entered(clean(signed))


def _money(text: str) -> Entered | None:
    if found := _MONEY.fullmatch(text):
        minus = "-" in (found[1] or "", found[3] or "", found[5] or "")
        sign, digits = found[2] or found[7], found[4] or found[6] or ""
    elif found := _PARENTHESES.fullmatch(text):
        minus, sign, digits = True, found[1], found[2]
    else:
        return None
    amount = _amount(digits)
    if amount is None:
        return None
    value = clean(-amount if minus else amount)
    if not sign:
        return Entered(value)
    mark = '"$"' if sign == "$" else f"[${sign}]"
    return Entered(value, None, {"type": "CURRENCY", "pattern": f"{mark}#,##0" + (".00" if _decimals(digits) else "")})


def _date_time(text: str, locale: str) -> Entered | None:
    if whole := _date(text, locale):
        return Entered(int(dates.serial(whole[0])), None, {"type": "DATE", "pattern": whole[1]})
    if (time := _time(text)) is not None:
        return Entered(time[0], None, {"type": "TIME", "pattern": time[1]})
    head, gap, tail = text.replace("T", " ", 1).partition(" ") if _ISO.match(text) else text.rpartition(" ")
    if not gap or (day := _date(head.rstrip(","), locale)) is None or (time := _time(tail)) is None:
        return None
    return Entered(dates.serial(day[0]) + time[0], None, {"type": "DATE_TIME", "pattern": f"{day[1]} {time[1]}"})


def _date(text: str, locale: str) -> tuple[date, str] | None:
    """A day, and how to show it."""
    if found := _ISO.fullmatch(text):
        year, month, day = int(found[1]), int(found[3]), int(found[4])
        shown = f"yyyy{found[2]}{'m' * len(found[3])}{found[2]}{'d' * len(found[4])}"
    elif found := _SHORT.fullmatch(text):
        first, second, mark = int(found[1]), int(found[3]), found[2]
        month, day = (first, second) if locale == "en_US" else (second, first)
        year = int(found[4]) + (0 if len(found[4]) == 4 else 2000 if int(found[4]) < 50 else 1900)
        one, two = ("m", "d") if locale == "en_US" else ("d", "m")
        shown = f"{one * len(found[1])}{mark}{two * len(found[3])}{mark}{'y' * len(found[4])}"
    elif found := _NAMED.fullmatch(text):
        year, named = int(found[5]), _month(found[2] or found[3])
        if named is None:
            return None
        (month, word), day = named, int(found[1] or found[4])
        shown = f"d {word} yyyy" if found[1] else f"{word} d, yyyy"
        if found[1] and "-" in text:
            shown = shown.replace(" ", "-")
    else:
        return None
    try:
        return date(year, month, day), shown
    except ValueError:
        return None


def _month(name: str) -> tuple[int, str] | None:
    """A month by its name, and how to show it."""
    low = name.lower()
    if low[:3] not in _MONTHS or (len(low) > 3 and low not in _LONG and low != "sept"):
        return None
    return _MONTHS.index(low[:3]) + 1, "mmm" if len(low) < 5 and low not in ("june", "july") else "mmmm"


def _partial(text: str, locale: str, today: date) -> Entered | None:
    """A day without its year, which is this one, or a month with its year."""
    found = _PART.fullmatch(text)
    if found is None:
        return None
    year, day, mark = today.year, 1, found["mark"]
    if mark:
        one, two = int(found["first"]), int(found["second"])
        month, day = (one, two) if locale == "en_US" else (two, one)
        marks = ("m", "d") if locale == "en_US" else ("d", "m")
        shown = f"{marks[0] * len(found['first'])}{mark}{marks[1] * len(found['second'])}"
    else:
        named = _month(found["of"] or found["month"])
        if named is None:
            return None
        month, word = named
        if found["of"]:
            day, shown = int(found["day"]), f"d{'-' if '-' in text else ' '}{word}"
        elif len(found["number"]) == 4:
            year, shown = int(found["number"]), f"{word} yyyy"
        else:
            day, shown = int(found["number"]), f"{word} d"
    try:
        return Entered(int(dates.serial(date(year, month, day))), None, {"type": "DATE", "pattern": shown})
    except ValueError:
        return None


def _time(text: str) -> tuple[float, str] | None:
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    hour, minute, second = int(found[1]), int(found[2] or 0), int(found[3] or 0)
    half = (found[4] or found[5] or "").lower()
    if minute > 59 or second > 59 or hour > 23 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    shown = (
        ("h:mm" if half else "hh:mm" if len(found[1]) == 2 else "h:mm")
        + (":ss" if found[3] else "")
        + (" am/pm" if half else "")
    )
    return (hour * 3600 + minute * 60 + second) / 86400, shown
