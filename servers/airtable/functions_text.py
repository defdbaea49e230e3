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
    return list({_mark(v): v for v in reversed(_as_list(values))}.values())[::-1]


def _mark(value: Any) -> tuple[str, Any]:
    return type(value).__name__, value


def _slice(values: Any, start: Any, end: Any = None) -> list[Any]:
    found = flat([values])
    first = whole(start)
    last = len(found) if end is None else whole(end)
    first = first - 1 if first > 0 else max(len(found) + first, 0)
    last = last if last > 0 else len(found) + last if end is not None else last
    return found[first:last]


@lru_cache(maxsize=200)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Airtable's patterns are RE2's, which has neither look-around nor back references: what could take forever is refused."""
    if re.search(r"\(\?(?:[=!]|<[=!]|P=|>)|\\[1-9]|\(\?\(", pattern) or len(pattern) > 500 or _nested_repeat(pattern):
        raise Failed
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        raise Failed from None


def _nested_repeat(pattern: str) -> bool:
    """Whether a group that repeats, or has alternatives, is itself repeated: what makes backtracking take forever."""
    stack, escaped, in_class = list[bool](), False, False
    for at, char in enumerate(pattern):
        if escaped or in_class:
            in_class = in_class and (escaped or char != "]")
            escaped = char == "\\" and not escaped
            continue
        if char == "\\":
            escaped = True
        elif char == "[":
            in_class = True
        elif char == "(":
            stack.append(False)
        elif char == ")" and stack:
            inner = stack.pop()
            repeated = pattern[at + 1 : at + 2] in ("*", "+", "{")
            if inner and repeated:
                return True
            if stack and (inner or repeated):
                stack[-1] = True
        elif char in "*+{|" and stack:
            stack[-1] = True
    return len(re.findall(r"(?<!\\)[*+]", pattern)) > 6


def _searched(value: Any) -> str:
    found = text(scalar(value))
    if len(found) > _LONGEST_SEARCHED:
        raise Failed
    return found


def _regex_match(value: Any, pattern: Any) -> bool:
    return _compiled(text(scalar(pattern))).search(_searched(value)) is not None


def _regex_extract(value: Any, pattern: Any) -> str:
    found = _compiled(text(scalar(pattern))).search(_searched(value))
    if found is None:
        raise Failed
    return (found[1] or "") if found.re.groups else found[0]


def _regex_replace(value: Any, pattern: Any, new: Any) -> str:
    made = re.sub(r"\\", r"\\\\", text(scalar(new)))
    made = re.sub(r"\$(\d)", r"\\\1", made)
    try:
        return bounded(_compiled(text(scalar(pattern))).sub(made, _searched(value)))
    except re.error:
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
