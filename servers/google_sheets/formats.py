"""Number formats. https://developers.google.com/workspace/sheets/api/guides/formats"""

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from . import dates

Json = dict[str, Any]
_TOKEN = re.compile(
    r'"[^"]*"|\\.|_.|\*.|\[\$[^\]]*\]|\[(?:h+|m+|s+)\]|\[[^\]]*\]|yyyy|yy|y|mmmmm|mmmm|mmm|mm|m|dddd|ddd|dd|d|hh|h|ss|s|0{1,3}(?=$)|am/pm|a/p'
    r"|General|E[+-]0+|[0#?][0#?,]*(?:\.[0#?]*)?|\.[0#?]+|@|%|.",
    re.IGNORECASE | re.DOTALL,
)
_DATE_PART = re.compile(r"y+|m+|d+|h+|s+|\[(?:h+|m+|s+)\]|am/pm|a/p", re.IGNORECASE)
_DIGITS = re.compile(r"[0#?][0#?,]*(?:\.[0#?]*)?|\.[0#?]+")
DEFAULTS = {
    "DATE": {"en_GB": "dd/mm/yyyy", "": "m/d/yyyy"}, "TIME": {"en_GB": "hh:mm:ss", "": "h:mm:ss am/pm"},
    "DATE_TIME": {"en_GB": "dd/mm/yyyy hh:mm:ss", "": "m/d/yyyy h:mm:ss"}, "CURRENCY": {"en_GB": "[$£]#,##0.00", "": "\"$\"#,##0.00"},
    "PERCENT": {"": "0.00%"}, "SCIENTIFIC": {"": "0.00E+00"}, "NUMBER": {"": "#,##0.00"},
}  # fmt: skip
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def pattern_of(number_format: Json | None, locale: str) -> str:
    """The pattern of a number format; a type without one has the locale's."""
    if not number_format:
        return ""
    if number_format.get("pattern"):
        return str(number_format["pattern"])
    known = DEFAULTS.get(str(number_format.get("type")), {})
    return known.get(locale) or known.get("", "")


def is_date(number_format: Json | None) -> bool:
    return bool(number_format) and number_format.get("type") in ("DATE", "TIME", "DATE_TIME")


def general(number: float) -> str:
    """A number without a format."""
    if isinstance(number, int) or (float(number).is_integer() and abs(number) < 1e15):
        whole = int(number)
        return str(whole) if abs(whole) < 10**15 else _scientific(number)
    if number != 0 and not 1e-9 < abs(number) < 1e15:
        return _scientific(number)
    small = abs(number) < 1
    text = format(Decimal(f"{number:.10g}"), "f") if small else f"{number:.{max(0, 11 - len(str(int(abs(number)))))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scientific(number: float) -> str:
    mantissa, _, exponent = f"{number:.8E}".partition("E")
    return f"{mantissa.rstrip('0').rstrip('.')}E{exponent[0]}{exponent[1:].zfill(2)}"


def text_of(value: Any, number_format: Json | None, locale: str) -> str:
    """What a cell shows."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return value
    pattern = pattern_of(number_format, locale)
    return by_pattern(value, pattern) if pattern else general(value)


def by_pattern(number: float, pattern: str) -> str:
    """A number by a pattern: TEXT(number, pattern) and what formatted cells show."""
    sections = _sections(pattern)
    section, shown = sections[0], number
    if len(sections) > 1 and number < 0:
        section, shown = sections[1], -number
    elif len(sections) > 2 and number == 0:
        section = sections[2]
    tokens = _tokens(section)
    if any(_DATE_PART.fullmatch(t) for t in tokens):
        return _date(number, tokens)
    return _number(shown, tokens)


@lru_cache(512)
def _sections(pattern: str) -> tuple[str, ...]:
    out, current = list[str](), ""
    for token in _TOKEN.findall(pattern):
        if token == ";":
            out.append(current)
            current = ""
        else:
            current += token
    return (*out, current)


@lru_cache(512)
def _tokens(section: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(section))


def _literal(token: str) -> str:
    if token.startswith("[$"):
        return token[2:-1].partition("-")[0]
    if token.startswith("["):
        return ""
    if token.startswith('"'):
        return token[1:-1]
    if token[0] == "\\":
        return token[1:]
    return " " if token[0] == "_" else "" if token[0] == "*" else token


def _number(number: float, tokens: tuple[str, ...]) -> str:
    percent = 100 ** sum(t == "%" for t in tokens)
    exponent = next((t for t in tokens if re.fullmatch(r"E[+-]0+", t, re.IGNORECASE)), "")
    mask = next((t for t in tokens if _DIGITS.fullmatch(t)), "")
    made, out = False, ""
    for token in tokens:
        if token == exponent and exponent:
            continue
        if token == "@" or token.lower() == "general":
            out += general(number)
        elif _DIGITS.fullmatch(token):
            out += "" if made else _digits(number * percent, mask, exponent)
            made = True
        else:
            out += _literal(token)
    return f"-{out}" if number < 0 and made and re.search(r"[1-9]", out) else out


def _digits(number: float, mask: str, exponent: str) -> str:
    whole, _, fraction = mask.partition(".")
    scale = len(whole) - len(whole.rstrip(","))
    places, least = len(fraction), len(fraction.rstrip("#?"))
    if exponent:
        text = f"{abs(number):.{places}E}"
        mantissa, _, power = text.partition("E")
        return f"{mantissa}E{power[0]}{power[1:].zfill(len(exponent) - 2)}"
    try:
        exact = abs(Decimal(repr(number))) / (1000**scale)
        rounded = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    except InvalidOperation:
        return general(abs(number))
    left, _, right = f"{rounded:f}".partition(".")
    while len(right) > least and right.endswith("0"):
        right = right[:-1]
    left = left.lstrip("0").zfill(whole.count("0"))
    if "," in whole.rstrip(","):
        left = f"{int(left):,}".zfill(len(left)) if left else ""
    return left + (f".{right}" if "." in mask else "")


def _date(number: float, tokens: tuple[str, ...]) -> str:
    when = dates.moment(number)
    if when is None:
        return general(number)
    halves = any(t.lower() in ("am/pm", "a/p") for t in tokens)
    out = list[str]()
    for at, token in enumerate(tokens):
        low = token.lower()
        if not _DATE_PART.fullmatch(token):
            out.append(_literal(token) if not _DIGITS.fullmatch(token) else token.replace("0", "0"))
        elif low.startswith("[h"):
            out.append(str(int(number * 24 + 1e-9)))
        elif low.startswith("[m"):
            out.append(str(int(number * 1440 + 1e-9)))
        elif low.startswith("[s"):
            out.append(str(round(number * 86400)))
        elif low[0] == "y":
            out.append(f"{when.year:04d}" if len(low) > 2 else f"{when.year % 100:02d}")
        elif low[0] == "d":
            name = _DAYS[when.weekday()]
            out.append((str(when.day), f"{when.day:02d}", name[:3], name)[min(len(low), 4) - 1])
        elif low[0] == "h":
            hour = (when.hour % 12 or 12) if halves else when.hour
            out.append(f"{hour:02d}" if len(low) > 1 else str(hour))
        elif low[0] == "s":
            out.append(f"{when.second:02d}" if len(low) > 1 else str(when.second))
        elif low[0] == "a":
            out.append(("AM" if when.hour < 12 else "PM")[: 2 if low == "am/pm" else 1])
        elif _is_minute(tokens, at):
            out.append(f"{when.minute:02d}" if len(low) > 1 else str(when.minute))
        else:
            month = _MONTHS[when.month - 1]
            out.append((str(when.month), f"{when.month:02d}", month[:3], month, month[0])[len(low) - 1])
    return "".join(out)


def _is_minute(tokens: tuple[str, ...], at: int) -> bool:
    """An m beside hours or seconds is minutes; else it is the month."""
    before = next((t.lower() for t in reversed(tokens[:at]) if _DATE_PART.fullmatch(t)), "")
    after = next((t.lower() for t in tokens[at + 1 :] if _DATE_PART.fullmatch(t)), "")
    return len(tokens[at]) < 3 and (before.lstrip("[").startswith("h") or after.startswith("s"))
