"""Matchers: when a found value is as good as the expected one.

A plain value means equality, free of spelling (25 and 25.0, case of e-mail addresses, Unicode forms, line ends); a list, one of as
many values of which each matches. A table with one
key is a matcher: `{one_of = [...]}`, `{facts = [...], forbid = [...]}` (text), `{set = [...]}`, `{holds = ..., only = [...]}` (a
list has a member that matches, and none that matches none of these), `{fields = {...}}` (a table whose fields match; others are
free), `{number = 1.5, tolerance = 0.1}`, `{instant = "...", tolerance = 60}`, `{email = "a@b.c"}`, `{prefix = "..."}`,
`{any = true}`, `{not = ...}`, `{empty = true}`.
A fact is text (found whole, at word bounds), a number (found as a number, thousands separators or not; up to twelve also in words),
`{money = 1250.5, currency = "USD"}`, `{date = "2026-03-12"}` (however a day is written), `{time = "14:30"}` or
`{phone = "+14025550120"}` (likewise).
"""

import html
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

_CODES = ("USD", "EUR", "GBP", "JPY", "INR", "CHF", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "CNY", "SGD")
_CODE = "|".join(_CODES)
_NUMBER = re.compile(  # a currency's code may stand right beside it: USD560.00, 560EUR
    rf"(?:(?<![\w.,])|(?<=\b(?:{_CODE})))[-+]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?=(?:{_CODE})?(?!\w))"
    rf"|(?:(?<![\w.])|(?<=\b(?:{_CODE})))[-+]?\d+(?:\.\d+)?(?=(?:{_CODE})?(?!\w))"
)
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " ", "\u202f": " "})
_SLANT = re.compile(r"(?<!\w)_+|_+(?!\w)")  # _italics_, as chats and wikis take them; a_name keeps its own
_TAG = re.compile(r"<(?!(?:[^<>@\s]+@[^<>@\s\"]+|https?://[^<>]+)>)[^<>]{1,400}>")  # <ann@example.com> is no tag
KEYS = frozenset(
    {
        "one_of",
        "facts",
        "set",
        "holds",
        "only",
        "fields",
        "number",
        "instant",
        "email",
        "prefix",
        "any",
        "not",
        "empty",
        "forbid",
    }
)


class BadMatcher(ValueError):
    """The verifier is wrong, not the state: the verdict is invalid."""


def matches(expected: Any, found: Any) -> bool:
    """Whether the found value satisfies a matcher or equals a plain value."""
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(expected) == len(found) and all(map(matches, expected, found))
    if not isinstance(expected, Mapping) or not (expected.keys() & KEYS):
        return equal(expected, found)
    for key, value in expected.items():
        if key == "one_of":
            good = any(matches(v, found) for v in value)
        elif key == "facts":
            good = all(has_fact(fact, str(found or "")) for fact in value)
        elif key == "forbid":
            good = not any(has_fact(fact, str(found or "")) for fact in value)
        elif key == "set":
            good = isinstance(found, Sequence) and not isinstance(found, str) and same_members(value, found)
        elif key == "holds":
            good = isinstance(found, Sequence) and not isinstance(found, str) and any(matches(value, v) for v in found)
        elif key == "only":
            good = isinstance(found, Sequence) and all(any(matches(v, member) for v in value) for member in found)
        elif key == "fields":
            good = isinstance(found, Mapping) and all(k in found and matches(v, found[k]) for k, v in value.items())
        elif key == "number":
            good = _near(value, found, expected.get("tolerance", 0))
        elif key == "instant":
            good = _same_instant(value, found, float(expected.get("tolerance", 0)))
        elif key == "email":
            good = _address(str(found or "")) == str(value).casefold()
        elif key == "prefix":
            good = str(found or "").startswith(value)
        elif key == "any":
            good = True
        elif key == "not":
            good = not matches(value, found)
        elif key == "empty":
            good = (found in (None, "", [], {})) == bool(value)
        elif key == "tolerance":
            good = True
        else:
            raise BadMatcher(f"unknown matcher {key!r}")
        if not good:
            return False
    return True


def equal(expected: Any, found: Any) -> bool:
    """Equality free of spelling: of numbers, texts, and structures of them."""
    if isinstance(expected, bool) or isinstance(found, bool):
        return isinstance(found, (bool, int)) and isinstance(expected, (bool, int)) and bool(expected) == bool(found)
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        return Decimal(str(expected)) == Decimal(str(found))
    if isinstance(expected, str) and isinstance(found, str):
        return plain(expected) == plain(found)
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return expected.keys() == found.keys() and all(equal(expected[k], found[k]) for k in expected)
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(expected) == len(found) and all(map(equal, expected, found))
    return expected == found


def same_members(expected: Sequence[Any], found: Sequence[Any]) -> bool:
    """Whether two lists hold the same values, in any order."""
    left = list(found)
    for value in expected:
        at = next((i for i, other in enumerate(left) if matches(value, other)), None)
        if at is None:
            return False
        left.pop(at)
    return not left


def plain(text: str) -> str:
    """Text without differences of form: NFKC, plain quotes and dashes, single spaces, no line-end spaces."""
    text = unicodedata.normalize("NFKC", text.translate(_QUOTES)).replace("\r\n", "\n")
    return re.sub(r"[ \t]+", " ", text).strip()


def words(text: str) -> str:
    """Text as facts are looked for in it: also without HTML, in lower case, on one line."""
    return re.sub(r"\s+", " ", prose(text).casefold()).strip()


def prose(text: str) -> str:
    """Text without HTML and without the marks of italics."""
    return _SLANT.sub("", plain(html.unescape(_TAG.sub(" ", text))))


def has_fact(fact: Any, text: str) -> bool:
    """Whether the text states the fact."""
    if isinstance(fact, Mapping):
        if "money" in fact:
            return _has_money(Decimal(str(fact["money"])), str(fact.get("currency", "")), prose(text))
        if "one_of" in fact:
            return any(has_fact(f, text) for f in fact["one_of"])
        if "date" in fact:
            return _has_date(str(fact["date"]), words(text))
        if "time" in fact:
            return _has_time(str(fact["time"]), words(text))
        if "phone" in fact:
            return _has_phone(str(fact["phone"]), words(text))
        raise BadMatcher(f"unknown fact {dict(fact)!r}")
    if isinstance(fact, (int, float)) and not isinstance(fact, bool):
        return any(number == Decimal(str(fact)) for number, _ in numbers(prose(text))) or _in_words(fact, text)
    wanted = words(str(fact))
    if not wanted:
        raise BadMatcher("an empty fact")
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", words(text)) is not None


_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def _in_words(number: float, text: str) -> bool:
    """Whether a small number stands there as a word; `no one`, `one of them` and `twenty-two` do not say 1 and 2."""
    word = _WORDS[int(number)] if number == int(number) and 0 <= number < len(_WORDS) else None
    return word is not None and re.search(rf"(?<![\w-])(?<!no ){word}(?!-?\w| of\b| another)", words(text)) is not None


def numbers(text: str) -> list[tuple[Decimal, re.Match[str]]]:
    """The numbers that a text states, with where."""
    found = list[tuple[Decimal, re.Match[str]]]()
    for match in _NUMBER.finditer(text):
        try:
            found.append((Decimal(match[0].replace(",", "")), match))
        except InvalidOperation:
            continue
    return found


def _has_money(amount: Decimal, currency: str, text: str) -> bool:
    """The amount, and next to it no sign or code of another currency."""
    for number, match in numbers(text):
        if number != amount:
            continue
        around = text[max(0, match.start() - 4) : match.start()] + text[match.end() : match.end() + 5]
        named = {_SIGNS[sign] for sign in _SIGNS if sign in around} | set(
            re.findall(rf"(?<![^\W\d])(?:{_CODE})(?![^\W\d])", around)
        )
        if not currency or not named or currency.upper() in named:
            return True
    return False


def _has_date(wanted: str, text: str) -> bool:
    """The day as people write it: 2026-03-12, 12/03/2026, 12 March, March 12th, 12 to 14 Mar 2026; no other year beside it."""
    try:
        at = date.fromisoformat(wanted)
    except ValueError:
        raise BadMatcher(f"{wanted!r} is not an ISO day") from None
    day = rf"0?{at.day}(?:st|nd|rd|th)?\.?"
    month = rf"(?:{at:%B}|{at:%b}t?)\.?".lower()
    no_other_year = rf"(?!\w)(?!,? (?!{at.year})\d{{4}}(?!\w))"
    to, other = r" ?(?:-|to|until|till|through|and) ?", r"\d{1,2}(?:st|nd|rd|th)?\.?"
    of_month = rf"{day}(?:{to}{other})? (?:of )?{month}"
    no_time = r"(?! ?[ap]\.?m|:)"
    month_of = rf"{month} (?:{day}(?:{to}{other}{no_time})?|{other}{to}{day}{no_time})"
    named = rf"(?:{of_month}|{month_of}){no_other_year}"
    numbered = (
        rf"{at.year}[-/]{at:%m}[-/]{at:%d}|0?{at.day}[/.]0?{at.month}[/.]{at.year}|0?{at.month}/0?{at.day}/{at.year}"
    )
    return re.search(rf"(?<![\w.])(?:{named}|(?:{numbered})(?!\d))", text) is not None


def _has_time(wanted: str, text: str) -> bool:
    """The time of day as people write it: 14:30, 14.30, 2:30 pm, 2.30pm; of a full hour also 2 pm."""
    if (said := re.fullmatch(r"(\d\d):(\d\d)", wanted)) is None:
        raise BadMatcher(f"{wanted!r} is not a time like 14:30")
    hour, minute = int(said[1]), said[2]
    half, twelve = ("am", "pm")[hour >= 12], (hour - 1) % 12 + 1
    minutes = rf"[:.]{minute}" if minute != "00" else "(?:[:.]00)?"
    spelt = rf"0?{hour}[:.h]{minute}(?::00)?(?! ?[ap]\.?m)|0?{twelve}{minutes} ?{half[0]}\.?m(?!\w)"
    return re.search(rf"(?<![\d:.])(?<!:\d\d:\d\d[-+])(?:\d{{4}}-\d\d-\d\dt)?(?:{spelt})(?!\d)", text) is not None


def _has_phone(wanted: str, text: str) -> bool:
    """The number as people write it: +14025550120, +1 402 555 0120, +1 (402) 555-0120."""
    digits = re.sub(r"\D", "", wanted)
    if len(digits) < 7:
        raise BadMatcher(f"{wanted!r} is no phone number")
    return re.search(r"(?<![\w])(?:\+|00)?" + r"[ ().-]{0,2}".join(digits) + r"(?![ .-]?\d)(?!\w)", text) is not None


def _near(expected: Any, found: Any, tolerance: Any) -> bool:
    try:
        return abs(Decimal(str(expected)) - Decimal(str(found))) <= Decimal(str(tolerance))
    except InvalidOperation:
        return False


def _same_instant(expected: Any, found: Any, tolerance: float) -> bool:
    wanted, got = _instant(expected), _instant(found)
    return wanted is not None and got is not None and abs((wanted - got).total_seconds()) <= tolerance


def _instant(value: Any) -> datetime | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return datetime.fromtimestamp(value / 1000 if value > 10_000_000_000 else value, UTC)
    try:
        made = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return made if made.tzinfo else made.replace(tzinfo=UTC)


def _address(text: str) -> str:
    found = re.search(r"<([^<>]+)>\s*$", text)
    return (found[1] if found else text).strip().casefold()
