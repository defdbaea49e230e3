"""Values of fields: as callers send them, as rows hold them. Whoever calls says what status a bad value is refused with."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from legoenv_mcp.app import Ctx

from .countries import country_name, state_code
from .dates import account, day, stamp
from .errors import refuse
from .fields import GENDERS, LISTS, PAID_PER, PAY_TYPES
from .models import Employee, ListOption

_CHOICES = {"pay_type": PAY_TYPES, "paid_per": PAID_PER, "gender": GENDERS, "status": ("Active", "Inactive")}
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_MONEY = re.compile(r"[^\d\s,.-]?\s*(-?[\d,]+(?:\.\d+)?|-?\.\d+)\s*([A-Za-z]{3})?")
_LONGEST = 4000
_MOST = 1e12


@dataclass(frozen=True, slots=True)
class Money:
    """An amount and its currency."""

    value: float
    currency: str


def text_of(value: Any, name: str, status: int) -> str:
    """A value as text, empty where there is none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, (str, int, float)):
        raise refuse(status, f"The value of {name} is invalid")
    said = str(value).strip()
    try:
        said.encode()
    except UnicodeEncodeError:
        raise refuse(status, f"The value of {name} is not valid Unicode text") from None
    if len(said) > _LONGEST:
        raise refuse(status, f"The value of {name} is longer than {_LONGEST} characters")
    return said


def read(ctx: Ctx, kind: str, list_id: int, value: Any, name: str, status: int) -> Any:
    """A field's value as its row holds it: None for nothing. Refuses with `status` what the field's type does not take."""
    if kind == "currency":
        return money(ctx, value, name, status)
    said = text_of(value, name, status)
    if kind in ("checkbox", "bool"):
        if said.lower() not in ("", "0", "1", "true", "false", "yes", "no"):
            raise refuse(status, f"The value of {name} is invalid")
        return said.lower() in ("1", "true", "yes")
    if not said:
        return None
    if kind == "date":
        if said == "0000-00-00":
            return None
        if day(said) is None:
            raise refuse(status, f"The value of {name} is not a valid date in YYYY-MM-DD format")
    elif kind == "list":
        return option(ctx, list_id, said, name, status)
    elif kind in _CHOICES:
        found = next((c for c in _CHOICES[kind] if c.lower() == said.lower()), None)
        if found is None:
            raise refuse(status, f"The value of {name} is invalid. It must be one of: {', '.join(_CHOICES[kind])}")
        return found
    elif kind == "email" and not _EMAIL.fullmatch(said):
        raise refuse(status, f"The value of {name} is not a valid email address")
    elif kind == "employee":
        return employee_id(ctx, said, name, status)
    elif kind == "country":
        if (country := country_name(said)) is None:
            raise refuse(status, f"The value of {name} is not a valid country")
        return country
    elif kind == "state":
        return state_code(said)
    return said


def money(ctx: Ctx, value: Any, name: str, status: int) -> Money | None:
    """`{"value", "currency"}`, a number, or text such as `53600.00 USD`; without a currency it is the company's."""
    currency = account(ctx).currency
    if isinstance(value, Mapping):
        currency = text_of(value.get("currency"), name, status).upper() or currency
        value = value.get("value")
    said = text_of(value, name, status)
    if not said:
        return None
    found = _MONEY.fullmatch(said)
    amount = float(found[1].replace(",", "") or "nan") if found and re.search(r"\d", found[1]) else math.nan
    if found and found[2]:
        currency = found[2].upper()
    if not 0 <= amount < _MOST or not re.fullmatch(r"[A-Z]{3}", currency):
        raise refuse(status, f"The value of {name} is not a valid amount")
    return Money(round(amount, 4), currency)


def option(ctx: Ctx, list_id: int, said: str, name: str, status: int) -> str:
    """A list's option by name or id; an unknown one is added to a list that is manageable."""
    options = ctx.db.find(ListOption, fieldId=list_id)
    found = next((o for o in options if o.name.lower() == said.lower()), None)
    if found is None and said.isascii() and said.isdigit():
        found = next((o for o in options if str(o.id) == said), None)
    if found is not None:
        if found.archived:
            raise refuse(status, f"The value of {name} is an archived option: {found.name}")
        return found.name
    spec = LISTS[list_id]
    if not spec.manageable:
        raise refuse(status, f"The value of {name} is not an option of the list {spec.name}: {said}")
    return add_option(ctx, list_id, said).name


def add_option(ctx: Ctx, list_id: int, name: str, created: str = "") -> ListOption:
    number = ctx.sequence("list_option", start=18201)
    return ctx.db.add(ListOption(id=number, fieldId=list_id, name=name, createdDate=created or stamp(ctx)))


def employee_id(ctx: Ctx, said: str, name: str, status: int) -> int:
    """An employee by id or by name, as `First Last` or `Last, First`."""
    if said.isascii() and said.isdigit() and len(said) < 19:
        found = ctx.db.get(Employee, int(said))
        if found is not None:
            return found.id
    elif not said.isdigit():
        last, comma, first = said.partition(",")
        wanted = f"{first} {last}".split() if comma else said.split()
        named = [
            e
            for e in ctx.db.find(Employee)
            if f"{e.firstName} {e.lastName}".lower().split() == [w.lower() for w in wanted]
        ]
        if len(named) == 1:
            return named[0].id
        if named:
            raise refuse(status, f"The value of {name} fits {len(named)} employees; send the employee's id")
    raise refuse(status, f"The value of {name} is not an employee")
