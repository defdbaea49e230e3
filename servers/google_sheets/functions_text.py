"""Functions of text."""

import re
from typing import TYPE_CHECKING, Any

from . import entry, formats
from .functions import function
from .values import LONGEST, Matrix, Scalar, fail, flat, number, place_of, sound, text, truth, whole

if TYPE_CHECKING:
    from .engine import Engine


def _short(made: str) -> str:
    if len(made) > LONGEST:
        raise fail("VALUE", f"Text result is longer than the limit of {LONGEST} characters.")
    return made


def _size(value: Scalar, name: str, locale: str) -> int:
    made = whole(value, locale)
    if made < 0:
        raise fail("VALUE", f"Function {name} parameter 2 value is {made}. It should be greater than or equal to 0.")
    return made


@function("CONCATENATE", 1, -1)
def _concatenate(engine: "Engine", *arguments: Any) -> str:
    return _short("".join(text(v) for a in arguments for v in flat(a)))


@function("CONCAT", 2, single=True)
def _concat(engine: "Engine", left: Scalar, right: Scalar) -> str:
    return _short(text(left) + text(right))


@function("JOIN", 2, -1)
def _join(engine: "Engine", mark: Any, *arguments: Any) -> str:
    return _short(text(mark).join(text(v) for a in arguments for v in flat(a)))


@function("TEXTJOIN", 3, -1, arrays=True)
def _textjoin(engine: "Engine", mark: Any, skip: Any, *arguments: Any) -> str:
    words = [text(v) for a in arguments for v in flat(a)]
    return _short(text(mark).join(w for w in words if w or not truth(skip)))


@function("TEXT", 2, single=True)
def _text(engine: "Engine", value: Scalar, pattern: Scalar) -> str:
    if isinstance(value, str):
        read = entry.number(value, engine.locale)
        if read is None:
            return value
        value = read
    if isinstance(value, bool):
        return text(value)
    return formats.by_pattern(number(value, engine.locale), text(pattern))


@function("LEFT", 1, 2, single=True)
def _left(engine: "Engine", value: Scalar, size: Scalar = 1) -> str:
    return text(value)[: _size(size, "LEFT", engine.locale)]


@function("RIGHT", 1, 2, single=True)
def _right(engine: "Engine", value: Scalar, size: Scalar = 1) -> str:
    count = _size(size, "RIGHT", engine.locale)
    return text(value)[-count:] if count else ""


@function("MID", 3, single=True)
def _mid(engine: "Engine", value: Scalar, start: Scalar, size: Scalar) -> str:
    first, count = whole(start, engine.locale), _size(size, "MID", engine.locale)
    if first < 1:
        raise fail("NUM", f"Function MID parameter 2 value is {first}. It should be greater than or equal to 1.")
    return text(value)[first - 1 : first - 1 + count]


@function("LEN", 1, single=True)
def _len(engine: "Engine", value: Scalar) -> int:
    return len(text(value))


@function("TRIM", 1, single=True)
def _trim(engine: "Engine", value: Scalar) -> str:
    return re.sub(r" +", " ", text(value).strip(" "))


@function("CLEAN", 1, single=True)
def _clean(engine: "Engine", value: Scalar) -> str:
    return "".join(c for c in text(value) if ord(c) >= 32)


@function("UPPER", 1, single=True)
def _upper(engine: "Engine", value: Scalar) -> str:
    return text(value).upper()


@function("LOWER", 1, single=True)
def _lower(engine: "Engine", value: Scalar) -> str:
    return text(value).lower()


@function("PROPER", 1, single=True)
def _proper(engine: "Engine", value: Scalar) -> str:
    return re.sub(r"[^\W\d_]+", lambda found: found[0][0].upper() + found[0][1:].lower(), text(value))


@function("REPT", 2, single=True)
def _rept(engine: "Engine", value: Scalar, times: Scalar) -> str:
    word, count = text(value), _size(times, "REPT", engine.locale)
    if len(word) * count > LONGEST:
        raise fail("VALUE", f"Text result of REPT is longer than the limit of {LONGEST} characters.")
    return word * count


@function("EXACT", 2, single=True)
def _exact(engine: "Engine", left: Scalar, right: Scalar) -> bool:
    return text(left) == text(right)


@function("SUBSTITUTE", 3, 4, single=True)
def _substitute(engine: "Engine", value: Scalar, old: Scalar, new: Scalar, which: Scalar = None) -> str:
    whole_text, wanted, other = text(value), text(old), text(new)
    if not wanted:
        return whole_text
    if which is None:
        return _short(whole_text.replace(wanted, other))
    nth = whole(which, engine.locale)
    if nth < 1:
        raise fail("NUM", f"Function SUBSTITUTE parameter 4 value is {nth}. It should be greater than or equal to 1.")
    parts = whole_text.split(wanted)
    if nth >= len(parts):
        return whole_text
    return _short(wanted.join(parts[:nth]) + other + wanted.join(parts[nth:]))


@function("REPLACE", 4, single=True)
def _replace(engine: "Engine", value: Scalar, start: Scalar, size: Scalar, new: Scalar) -> str:
    word, first, count = text(value), max(whole(start, engine.locale), 1), _size(size, "REPLACE", engine.locale)
    return _short(word[: first - 1] + text(new) + word[first - 1 + count :])


def _found(engine: "Engine", at: int, wanted: str, word: str, name: str) -> int:
    if at < 0:
        raise fail("VALUE", f"In {name} evaluation, cannot find '{wanted[:60]}' within '{word[:60]}'.")
    return at + 1


@function("FIND", 2, 3, single=True)
def _find(engine: "Engine", wanted: Scalar, value: Scalar, start: Scalar = 1) -> int:
    first = max(whole(start, engine.locale), 1) - 1
    return _found(engine, text(value).find(text(wanted), first), text(wanted), text(value), "FIND")


@function("SEARCH", 2, 3, single=True)
def _search(engine: "Engine", wanted: Scalar, value: Scalar, start: Scalar = 1) -> int:
    first, word, sought = max(whole(start, engine.locale), 1) - 1, text(value), text(wanted)
    at = place_of(sought, word, first) if any(c in sought for c in "*?") else word.lower().find(sought.lower(), first)
    return _found(engine, at, sought, word, "SEARCH")


@function("VALUE", 1, single=True)
def _value(engine: "Engine", value: Scalar) -> float:
    return number(value, engine.locale)


@function("T", 1, single=True)
def _t(engine: "Engine", value: Scalar) -> str:
    return value if isinstance(value, str) else ""


@function("CHAR", 1, single=True)
def _char(engine: "Engine", value: Scalar) -> str:
    code = whole(value, engine.locale)
    if not 1 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise fail("NUM", f"Function CHAR parameter 1 value {code} is out of range.")
    return chr(code)


@function("CODE", 1, single=True)
def _code(engine: "Engine", value: Scalar) -> int:
    word = text(value)
    if not word:
        raise fail("VALUE", "Function CODE parameter 1 value should be non-empty.")
    return ord(word[0])


@function("SPLIT", 2, 4)
def _split(engine: "Engine", value: Any, marks: Any, each: Any = True, skip: Any = True) -> Matrix:
    word, mark = text(value), text(marks)
    if not mark:
        raise fail("VALUE", "Function SPLIT parameter 2 value should be non-empty.")
    pattern = "[" + re.escape(mark) + "]" if truth(each) else re.escape(mark)
    parts = [p for p in re.split(pattern, word) if p or not truth(skip)]
    read = [entry.read(p.strip(), engine.locale) for p in parts]
    return Matrix([[p if r is None else r.value for p, r in zip(parts, read, strict=True)] or [""]])


@function("HYPERLINK", 1, 2, single=True)
def _hyperlink(engine: "Engine", url: Scalar, label: Scalar = None) -> Scalar:
    return text(url) if label is None else sound(label)
