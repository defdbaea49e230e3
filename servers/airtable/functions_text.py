"""Text, list and regular expression functions."""

import re
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from .functions import MANY, Function
from .values import Failed, Moment, bounded, flat, number, scalar, text, tidy, whole

_LONGEST_SEARCHED = 20_000


def _find(wanted: Any, where: Any, start: Any = 1) -> int:
    at = text(scalar(where)).find(text(scalar(wanted)), max(whole(start) - 1, 0))
    return at + 1


def _search(wanted: Any, where: Any, start: Any = 1) -> int | None:
    found = text(scalar(where)).casefold().find(text(scalar(wanted)).casefold(), max(whole(start) - 1, 0))
    return found + 1 if found >= 0 else None


def _count(value: Any) -> int:
    found = whole(value)
    if found < 0:
        raise Failed
    return found


def _left(value: Any, many: Any = 1) -> str:
    return text(scalar(value))[: _count(many)]


def _right(value: Any, many: Any = 1) -> str:
    many = _count(many)
    return text(scalar(value))[-many:] if many else ""


def _mid(value: Any, start: Any, many: Any) -> str:
    at = whole(start) - 1
    if at < 0:
        raise Failed
    return text(scalar(value))[at : at + _count(many)]


def _replace(value: Any, start: Any, many: Any, new: Any) -> str:
    whole_text, at = text(scalar(value)), whole(start) - 1
    if at < 0:
        raise Failed
    return bounded(whole_text[:at] + text(scalar(new)) + whole_text[at + _count(many) :])


def _substitute(value: Any, old: Any, new: Any, index: Any = None) -> str:
    whole_text, old, new = text(scalar(value)), text(scalar(old)), text(scalar(new))
    if not old:
        return whole_text
    if index is None:
        if len(whole_text) + whole_text.count(old) * len(new) > 1_000_000:
            raise Failed
        return bounded(whole_text.replace(old, new))
    pieces, nth = whole_text.split(old), whole(index)
    if not 1 <= nth < len(pieces):
        return whole_text
    return bounded(old.join(pieces[:nth]) + new + old.join(pieces[nth:]))


def _repeat(value: Any, many: Any) -> str:
    found, times = text(scalar(value)), _count(many)
    if len(found) * times > 100_000:
        raise Failed
    return found * times


def _joined(values: Any, separator: Any = ", ") -> str:
    found = values if isinstance(values, list) else [values]
    return bounded(text(separator).join(text(v) for v in flat(found) if v is not None))


def _as_list(values: tuple[Any, ...]) -> list[Any]:
    return flat(values)


def _compact(*values: Any) -> list[Any]:
    return [v for v in _as_list(values) if v is not None and v != ""]


def _unique(*values: Any) -> list[Any]:
    found = dict[tuple[str, Any], Any]()
    for value in _as_list(values):
        found.setdefault((type(value).__name__, value), value)
    return list(found.values())


def _slice(values: Any, start: Any, end: Any = None) -> list[Any]:
    found = flat([values])
    first = whole(start)
    last = len(found) if end is None else whole(end)
    first = first - 1 if first > 0 else max(len(found) + first, 0)
    last = last if last > 0 else len(found) + last if end is not None else last
    return found[first:last]


@lru_cache(maxsize=200)
def _compiled(pattern: str) -> tuple[re.Pattern[str], int]:
    """A pattern, and the longest text that it may search. Airtable's are RE2's, which never take long; what could here is refused."""
    if re.search(r"\(\?(?:[=!]|<[=!]|P=|>)|\\[1-9]|\(\?\(", pattern) or len(pattern) > 500:
        raise Failed
    repeats, optional = _repeats(pattern)
    if optional > 8 or repeats > 4:
        raise Failed
    try:
        found = re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        raise Failed from None
    tries = repeats + (not pattern.startswith("^"))
    return found, _LONGEST_SEARCHED if tries < 2 else int(3e7 ** (1 / tries))


def _repeats(pattern: str) -> tuple[int, int]:
    """How many parts repeat and how many are optional. A group that repeats with such a part in it is refused."""
    stack, repeats, optional, at = [False], 0, 0, 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 2
            continue
        if char == "[":
            at = max(pattern.find("]", at + 2), at)
        elif char == "(":
            stack.append(False)
            at += pattern[at + 1 : at + 2] == "?"
        elif char == ")" and len(stack) > 1:
            inner, after = stack.pop(), pattern[at + 1 : at + 2]
            if inner and after in ("*", "+", "{"):
                raise Failed
            stack[-1] |= inner
        elif char in "*+" or re.match(r"\{\d*,\d*\}", pattern[at:]):
            repeats += 1
            stack[-1] = True
            at += pattern[at + 1 : at + 2] == "?"
        elif char in "?|":
            optional += 1
            stack[-1] = True
        at += 1
    return repeats, optional


def _searching(value: Any, pattern: Any) -> tuple[re.Pattern[str], str]:
    found, most = _compiled(text(scalar(pattern)))
    searched = text(scalar(value))
    if len(searched) > most:
        raise Failed
    return found, searched


def _regex_match(value: Any, pattern: Any) -> bool:
    found, searched = _searching(value, pattern)
    return found.search(searched) is not None


def _regex_extract(value: Any, pattern: Any) -> str:
    wanted, searched = _searching(value, pattern)
    found = wanted.search(searched)
    if found is None:
        raise Failed
    return (found[1] or "") if wanted.groups else found[0]


def _regex_replace(value: Any, pattern: Any, new: Any) -> str:
    wanted, searched = _searching(value, pattern)
    made = re.sub(r"\$(\d)", r"\\\1", re.sub(r"\\", r"\\\\", text(scalar(new))))
    try:
        return bounded(wanted.sub(made, searched))
    except (re.error, IndexError):
        raise Failed from None


def _value_of(value: Any) -> float | int:
    """The number that a text spells, whatever else stands around it: "$1,200 a month" is 1200."""
    value = scalar(value)
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, Moment):
        raise Failed
    found = re.search(r"-?\d+(\.\d+)?|-?\.\d+", re.sub(r"(?<=\d),(?=\d{3})", "", text(value)))
    if found is None:
        raise Failed
    return tidy(float(found[0]) / (100 if text(value)[found.end() :].lstrip().startswith("%") else 1))


FUNCTIONS = {
    "ARRAYJOIN": Function(_joined, 1, 2),
    "ARRAYCOMPACT": Function(_compact, 1, MANY, "list"),
    "ARRAYFLATTEN": Function(lambda *values: _as_list(values), 1, MANY, "list"),
    "ARRAYUNIQUE": Function(_unique, 1, MANY, "list"),
    "ARRAYSLICE": Function(_slice, 2, 3, "list"),
    "BLANK": Function(lambda: None, 0, 0, "blank"),
    "CONCATENATE": Function(lambda *values: bounded("".join(map(text, values))), 1, MANY),
    "ENCODE_URL_COMPONENT": Function(lambda value: bounded(quote(text(scalar(value)), safe="!'()*~")), 1, 1),
    "FALSE": Function(lambda: False, 0, 0, "truth"),
    "FIND": Function(_find, 2, 3, "number"),
    "LEFT": Function(_left, 1, 2),
    "LEN": Function(lambda value: len(text(scalar(value))), 1, 1, "number"),
    "LOWER": Function(lambda value: text(scalar(value)).lower(), 1, 1),
    "MID": Function(_mid, 3, 3),
    "REGEX_EXTRACT": Function(_regex_extract, 2, 2),
    "REGEX_MATCH": Function(_regex_match, 2, 2, "truth"),
    "REGEX_REPLACE": Function(_regex_replace, 3, 3),
    "REPLACE": Function(_replace, 4, 4),
    "REPT": Function(_repeat, 2, 2),
    "RIGHT": Function(_right, 1, 2),
    "SEARCH": Function(_search, 2, 3, "number"),
    "SUBSTITUTE": Function(_substitute, 3, 4),
    "T": Function(lambda value: scalar(value) if isinstance(scalar(value), str) else None, 1, 1),
    "TRIM": Function(lambda value: text(scalar(value)).strip(), 1, 1),
    "TRUE": Function(lambda: True, 0, 0, "truth"),
    "UPPER": Function(lambda value: text(scalar(value)).upper(), 1, 1),
    "VALUE": Function(_value_of, 1, 1, "number"),
}
