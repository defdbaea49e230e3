"""Property values: from what callers send to what is stored, and from there to the strings of the wire."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from legoenv_mcp.app import Ctx

from . import errors, times
from .fields import Definition
from .kinds import Kind, portal
from .models import Owner
from .properties import STAGED

MAX_TEXT = 65_536
_EMAIL = re.compile(r"[^\s@<>()\[\],;:\\\"]+@([\w-]+\.)+[\w-]{2,}")
_NUMBER = re.compile(r"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")


class Refused(Exception):
    """A value that does not pass: HubSpot's message and code."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.message, self.code = message, code


def as_text(value: Any) -> str | None:
    """What a caller sent as the string HubSpot reads; None clears the property."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, str):
        return value
    token = "START_ARRAY" if isinstance(value, list) else "START_OBJECT"
    raise errors.bad_json(f"Cannot deserialize value of type `java.lang.String` from {token}")


def number_text(value: float) -> str:
    """A number as text: whole ones without a fraction, never with an exponent."""
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e15):
        return str(int(value))
    return format(Decimal(repr(value)), "f")


def read(ctx: Ctx, kind: Kind, d: Definition, sent: Any, current: Any = None) -> Any:
    """A value as it is stored, None where it clears the property. Refused where it does not fit the definition."""
    value = as_text(sent)
    if value is None or not value.strip():
        return None
    if d.name in STAGED.get(kind.name, ()):
        return value.strip()  # whether there is such a stage is a matter of both properties: see rules.py
    if d.owner:
        return _owner(ctx, value.strip())
    if d.type == "number":
        return _number(value.strip())
    if d.type == "bool":
        return _boolean(value.strip())
    if d.type == "date":
        return _day(value.strip())
    if d.type == "datetime":
        moment = times.read_moment(value.strip())
        if moment is None:
            raise Refused(f"{value} was not a valid long.", "INVALID_LONG")
        return moment
    if d.type == "enumeration" and d.options:
        return _option(d, value, current)
    if len(value) > MAX_TEXT:
        raise Refused(f"The value is longer than the {MAX_TEXT} characters allowed", "INVALID_STRING_LENGTH")
    return _text(ctx, kind, d, value)


def _owner(ctx: Ctx, value: str) -> str:
    if not value.isdecimal() or len(value) > 18:
        raise Refused(f"{value} was not a valid integer (for owner ID).", "INVALID_INTEGER")
    owner = ctx.db.get(Owner, value)
    if owner is None or owner.archived:
        raise Refused(f"{value} was not a valid owner ID.", "INVALID_OWNER_ID")
    return value


def _number(value: str) -> float:
    if not _NUMBER.fullmatch(value):
        raise Refused(f"{value} was not a valid number.", "INVALID_NUMBER")
    try:
        number = float(Decimal(value))
    except (InvalidOperation, OverflowError):
        raise Refused(f"{value} was not a valid number.", "INVALID_NUMBER") from None
    if abs(number) > 1e100:
        raise Refused(f"{value} was not a valid number.", "INVALID_NUMBER")
    return number


def _boolean(value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise Refused(f"{value} was not one of the allowed options: [true, false]", "INVALID_OPTION")
    return value.lower() == "true"


def _day(value: str) -> str:
    if off := times.off_midnight(value):
        raise Refused(f"{value} is at {off} UTC, not midnight!", "INVALID_DATE")
    day = times.read_day(value)
    if day is None:
        raise Refused(f"{value} was not a valid date.", "INVALID_DATE")
    return day


def _option(d: Definition, value: str, current: Any) -> str:
    """Options by their exact values. A leading semicolon adds to what a multiple choice holds already."""
    given = [v.strip() for v in value.split(";") if v.strip()] if d.multiple else [value.strip()]
    for one in given:
        if one not in d.values:
            raise Refused(f"{one} was not one of the allowed options: [{', '.join(d.values)}]", "INVALID_OPTION")
    if d.multiple and value.startswith(";") and current:
        given = [*str(current).split(";"), *given]
    return ";".join(dict.fromkeys(given))


def _text(ctx: Ctx, kind: Kind, d: Definition, value: str) -> str:
    if kind.name == "contacts" and d.name == "email":
        address = value.strip().lower()
        if not _EMAIL.fullmatch(address) or len(address) > 254:
            raise Refused(f"Email address {value} is invalid", "INVALID_EMAIL")
        return address
    if kind.name == "companies" and d.name == "domain":
        return domain_of(value)
    if d.name in ("deal_currency_code", "hs_line_item_currency_code"):
        code, allowed = value.strip().upper(), portal(ctx).currencies
        if code not in allowed:
            raise Refused(f"{value} was not one of the allowed options: [{', '.join(allowed)}]", "INVALID_OPTION")
        return code
    return value


def domain_of(value: str) -> str:
    """A web address's domain, as HubSpot keeps it."""
    bare = re.sub(r"^[a-z][a-z0-9+.-]*://", "", value.strip().lower())
    return re.split(r"[/?#]", bare, maxsplit=1)[0].removeprefix("www.")


def wire(d: Definition | None, value: Any) -> str | None:
    """A stored value as the string of the wire."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if d is not None and d.type == "datetime":
        return times.shown(str(value))
    return str(value)
