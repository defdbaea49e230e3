"""to_char, to_date, to_timestamp and to_number: template patterns."""

import math
import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from .datetimes import Interval
from .errors import SqlError
from .jsontext import CONTEXT

_MONTHS = [
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
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
_FIELDS = re.compile(
    r'"((?:[^"\\]|\\.)*)"|(FM|fm|TM|tm)?(HH24|HH12|HH|MI|SSSSS|SSSS|SS|MS|US|FF[1-6]|AM|PM|am|pm|A\.M\.|P\.M\.|a\.m\.|p\.m\.|Y,YYY|YYYY|IYYY|YYY|YY|Y|IYY|IY'
    r"|BC|AD|MONTH|Month|month|MON|Mon|mon|MM|DAY|Day|day|DY|Dy|dy|DDD|DD|ID|D|WW|IW|W|CC|J|Q|RM|rm|TZH|TZM|TZ|tz|OF)(TH|th)?"
)


def moment(value: datetime, pattern: str) -> str:
    return _FIELDS.sub(lambda m: re.sub(r"\\(.)", r"\1", m[1]) if m[1] is not None else _field(value, m), pattern)


def _field(v: datetime, found: re.Match[str]) -> str:
    name, fill = found[3], (found[2] or "").upper() != "FM"
    iso = v.isocalendar()
    hour = v.hour % 12 or 12
    offset = int(v.utcoffset().total_seconds() if v.tzinfo and v.utcoffset() else 0)  # pyright: ignore[reportOptionalMemberAccess]
    zone_hours = f"{'-' if offset < 0 else '+'}{abs(offset) // 3600:02}"
    zone_minutes = f"{abs(offset) // 60 % 60:02}"
    numbers: dict[str, tuple[int, int]] = {
        "HH24": (v.hour, 2), "HH12": (hour, 2), "HH": (hour, 2), "MI": (v.minute, 2), "SS": (v.second, 2), "MS": (v.microsecond // 1000, 3),
        "US": (v.microsecond, 6), "SSSS": (v.hour * 3600 + v.minute * 60 + v.second, 1),
        "SSSSS": (v.hour * 3600 + v.minute * 60 + v.second, 1),
        "YYYY": (v.year, 4), "YYY": (v.year % 1000, 3), "YY": (v.year % 100, 2), "Y": (v.year % 10, 1), "IYYY": (iso.year, 4),
        "IYY": (iso.year % 1000, 3),
        "IY": (iso.year % 100, 2), "MM": (v.month, 2), "DDD": (v.timetuple().tm_yday, 3), "DD": (v.day, 2), "D": (v.isoweekday() % 7 + 1,
        1),
        "ID": (v.isoweekday(), 1), "WW": ((v.timetuple().tm_yday - 1) // 7 + 1, 2), "IW": (iso.week, 2), "W": ((v.day - 1) // 7 + 1, 1),
        "CC": ((v.year + 99) // 100, 2), "J": (v.toordinal() + 1721425, 1), "Q": ((v.month + 2) // 3, 1),
    }  # fmt: skip
    if name in numbers:
        number, width = numbers[name]
        made = f"{number:0{width}}" if fill else str(number)
        return made + (_ordinal(number, found[4]) if found[4] else "")
    if name.startswith("FF"):
        return f"{v.microsecond:06}"[: int(name[2])]
    if name == "Y,YYY":
        return f"{v.year // 1000},{v.year % 1000:03}"
    low = name.lower()
    if low in ("am", "pm"):
        return ("am" if v.hour < 12 else "pm") if name.islower() else ("AM" if v.hour < 12 else "PM")
    if low in ("a.m.", "p.m."):
        made = "a.m." if v.hour < 12 else "p.m."
        return made if name.islower() else made.upper()
    words = {
        "month": _MONTHS[v.month - 1],
        "day": _DAYS[v.weekday()],
        "mon": _MONTHS[v.month - 1][:3],
        "dy": _DAYS[v.weekday()][:3],
        "rm": _ROMAN[v.month - 1],
    }
    if low in words:
        made = words[low]
        made = made.upper() if name.isupper() else made.lower() if name.islower() else made
        width = {"month": 9, "day": 9, "rm": 4}.get(low, 0)
        return made.ljust(width) if fill else made
    if low == "tz":
        made = (v.tzname() or "") if v.tzinfo else ""
        return made.lower() if name.islower() else made
    return {
        "TZH": zone_hours,
        "TZM": zone_minutes,
        "OF": zone_hours + (f":{zone_minutes}" if zone_minutes != "00" else ""),
    }.get(name, "AD")


def _ordinal(number: int, style: str) -> str:
    made = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return made.upper() if style.isupper() else made


def interval(value: Interval, pattern: str) -> str:
    seconds = abs(value.micros) // 1_000_000
    parts: dict[str, str] = {
        "HH24": f"{seconds // 3600:02}", "HH12": f"{seconds // 3600 % 12 or 12:02}", "HH": f"{seconds // 3600 % 12 or 12:02}",
        "MI": f"{seconds // 60 % 60:02}",
        "SS": f"{seconds % 60:02}", "MS": f"{abs(value.micros) // 1000 % 1000:03}", "US": f"{abs(value.micros) % 1_000_000:06}",
        "DDD": f"{value.days:03}", "DD": f"{value.days:02}",
        "MM": f"{value.months % 12:02}", "YYYY": f"{value.months // 12:04}", "YY": f"{value.months // 12 % 100:02}",
    }  # fmt: skip
    return _FIELDS.sub(lambda m: m[1] if m[1] is not None else parts.get(m[3], m[0]), pattern)


# Numbers

_NUMBER = re.compile(r'"([^"]*)"|(FM|TH|th|MI|PL|SG|PR|EEEE|RN|[90.,DGSLV])|(.)', re.IGNORECASE | re.DOTALL)


def number(value: Any, pattern: str) -> str:
    if isinstance(value, float):
        if not math.isfinite(value):
            return "NaN"
        value = Decimal(repr(value))
    value = Decimal(value)
    tokens = [(m[1], (m[2] or "").upper() if (m[2] or "") != "th" else "th", m[3]) for m in _NUMBER.finditer(pattern)]
    words = [t[1] for t in tokens]
    if "EEEE" in words:
        places = (
            len([w for w in words[words.index(".") :] if w in "90"])
            if "." in words
            else len([w for w in words[words.index("D") :] if w in "90"])
            if "D" in words
            else 0
        )
        made = f"{value:.{places}e}"
        head, _, power = made.partition("e")
        return ("" if value < 0 else " ") + f"{head}e{power[0]}{int(power[1:]):02}"
    fill = "FM" not in words
    point = next((n for n, w in enumerate(words) if w in (".", "D")), len(words))
    whole = [w for w in words[:point] if w in ("9", "0")]
    decimals = [w for w in words[point:] if w in ("9", "0")]
    exact = abs(value).quantize(Decimal(1).scaleb(-len(decimals)), rounding=ROUND_HALF_UP, context=CONTEXT)
    negative = value < 0 and exact != 0
    digits, _, fraction = format(exact, "f").partition(".")
    digits = "" if digits == "0" and (decimals or "0" not in whole) and not (whole and not decimals) else digits
    if len(digits.lstrip("0")) > len(whole):
        digits, fraction = "#" * len(whole), "#" * len(decimals)
    zero_from = whole.index("0") if "0" in whole else len(whole)
    padded = digits.rjust(len(whole))
    shown = [c if c != " " else ("0" if n >= zero_from else " ") for n, c in enumerate(padded)]
    if fill is False and fraction:
        keep = max((n + 1 for n, w in enumerate(decimals) if w == "0"), default=0)
        fraction = fraction[:keep] + fraction[keep:].rstrip("0")
    explicit = any(w in ("S", "MI", "SG", "PR", "PL") for w in words)
    out, at, inside, sign_done = list[str](), 0, False, explicit
    for n, (literal, word, other) in enumerate(tokens):
        if literal is not None or other is not None:
            out.append(literal if literal is not None else other)
        elif word in ("9", "0") and n < point:
            char = shown[at]
            at += 1
            if char != " " and not inside:
                inside = True
                if not sign_done:
                    out.append("-" if negative else " ")
                    sign_done = True
            out.append(char)
        elif word in ("9", "0"):
            pass
        elif word in (".", "D"):
            if not sign_done:
                out.append("-" if negative else " ")
                sign_done = True
            out.append("." + fraction if fraction or fill or "0" in decimals else ".")
        elif word in (",", "G"):
            out.append("," if inside else " ")
        elif word == "S":
            out.append("-" if negative else "+")
        elif word in ("MI", "SG", "PL"):
            out.append(
                {"MI": "-" if negative else " ", "SG": "-" if negative else "+", "PL": " " if negative else "+"}[word]
            )
        elif word in ("TH", "th") and not fraction:
            out.append(_ordinal(int(exact), word))
        elif word == "L":
            out.append("$")
    made = "".join(out)
    if not sign_done:
        made = ("-" if negative else " ") + made
    if "S" in words and words.index("S") < point and made[:1] in "+-":
        made = _floated(made)
    if "PR" in words:
        made = f"<{made.strip()}>" if negative else f" {made} "
    return made.replace(" ", "") if not fill else made


def _floated(made: str) -> str:
    body = made[1:].lstrip(" ")
    return " " * (len(made) - 1 - len(body)) + made[0] + body


def read_number(value: str, pattern: str) -> Decimal:
    kept = re.sub(r"[^\d.+-]", "", value)
    del pattern
    try:
        return Decimal(kept)
    except InvalidOperation:
        raise SqlError("22P02", f'invalid input syntax for type numeric: "{value}"') from None


def read(value: str, pattern: str) -> datetime:
    """to_timestamp and to_date."""
    parts = {"year": 1, "month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0, "micro": 0}
    at, afternoon, doy = 0, None, 0
    place = 0
    while place < len(pattern):
        found = _FIELDS.match(pattern, place)
        if found is None or found[1] is not None:
            at += 1 if found is None else len(found[1])
            place = place + 1 if found is None else found.end()
            continue
        place = found.end()
        while at < len(value) and value[at] == " ":
            at += 1
        name = found[3].upper()
        if name in ("MONTH", "MON"):
            month = next((n for n, m in enumerate(_MONTHS, 1) if value[at : at + 3].lower() == m[:3].lower()), 0)
            if not month:
                raise SqlError(
                    "22007",
                    f'invalid value "{value[at : at + 3]}" for "{found[3]}"',
                    detail="The given value did not match any of the allowed values for this field.",
                )
            full = _MONTHS[month - 1]
            at += len(full) if value[at:].lower().startswith(full.lower()) else 3
            parts["month"] = month
            continue
        if name in ("AM", "PM", "A.M.", "P.M."):
            afternoon = value[at : at + 1].lower() == "p"
            at += len(name)
            continue
        if name in ("DAY", "DY"):
            at += len(re.match(r"[A-Za-z]*", value[at:])[0])  # pyright: ignore[reportOptionalSubscript]
            continue
        follows = _FIELDS.match(pattern, place)
        width = {"YYYY": 4, "IYYY": 4, "YYY": 3, "DDD": 3, "MS": 3, "US": 6}.get(name, 2)
        most = width if follows and follows[1] is None else max(width, 4) if name == "YYYY" else width
        digits = re.match(rf"\d{{1,{most}}}", value[at:])
        if digits is None:
            if at >= len(value):
                break
            raise SqlError(
                "22007",
                f'invalid value "{value[at : at + width]}" for "{found[3]}"',
                detail="Value must be an integer.",
            )
        at += digits.end()
        number_ = int(digits[0])
        match name:
            case "YYYY" | "IYYY":
                parts["year"] = number_
            case "YY":
                parts["year"] = number_ + (2000 if number_ < 70 else 1900)
            case "MM":
                parts["month"] = number_
            case "DD":
                parts["day"] = number_
            case "DDD":
                doy = number_
            case "HH24" | "HH12" | "HH":
                parts["hour"] = number_
            case "MI":
                parts["minute"] = number_
            case "SS":
                parts["second"] = number_
            case "MS":
                parts["micro"] = int(digits[0].ljust(3, "0")) * 1000
            case "US":
                parts["micro"] = int(digits[0].ljust(6, "0"))
            case _:
                pass
    if afternoon is not None:
        parts["hour"] = parts["hour"] % 12 + 12 * afternoon
    try:
        clock = time(parts["hour"], parts["minute"], parts["second"], parts["micro"])
        made = datetime.combine(date(parts["year"], parts["month"], parts["day"]), clock)
        return made.replace(month=1, day=1) + timedelta(days=doy - 1) if doy else made
    except ValueError:
        raise SqlError("22008", f'date/time field value out of range: "{value}"') from None
