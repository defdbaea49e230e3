"""Between an object's JSON and its columns: what each field takes, and how it is refused."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Literal, get_args, get_origin

from pydantic_core import PydanticUndefined

from legoenv_mcp.app import Ctx

from . import faults
from .models import KINDS, NameRecord, Record, TaxCode

Form = Literal[
    "text", "number", "integer", "flag", "date", "choice", "reference", "wrapped", "address", "object", "list"
]

BASE = frozenset({"Id", "SyncToken", "CreateTime", "LastUpdatedTime", "more"})
ENVELOPE = frozenset({"Id", "SyncToken", "sparse", "domain", "MetaData", "status"})
MOST_MONEY = Decimal("99999999999.99")

WRAPPED = {
    **dict.fromkeys(("PrimaryEmailAddr", "BillEmail", "BillEmailCc", "BillEmailBcc", "POEmail", "Email"), "Address"),
    "PrimaryPhone": "FreeFormNumber", "WebAddr": "URI", "CustomerMemo": "value",
}  # fmt: skip
"""Fields that are a text within an object, and the text's name there."""

ADDRESSES = frozenset({"BillAddr", "ShipAddr", "PrimaryAddr", "VendorAddr", "CompanyAddr", "LegalAddr"})
ADDRESS_PARTS = frozenset(
    {"Id", "Line1", "Line2", "Line3", "Line4", "Line5", "City", "Country", "CountryCode", "CountrySubDivisionCode", "PostalCode", "Lat",
    "Long",
     "Note", "County", "PostalCodeSuffix", "Tag"}
)  # fmt: skip
DATES = frozenset(
    {
        "TxnDate",
        "DueDate",
        "ShipDate",
        "ExpirationDate",
        "AcceptedDate",
        "HiredDate",
        "ReleasedDate",
        "BirthDate",
        "InvStartDate",
        "AsOfDate",
    }
)
TARGETS = {
    **{f"{kind}Ref": kind for kind in ("Customer", "Vendor", "Employee", "Item", "Class", "Department", "PaymentMethod", "TaxCode",
    "TaxRate")},
    **{
        f"{use}Ref": "Account"
        for use in ("Account", "IncomeAccount", "ExpenseAccount", "AssetAccount", "DepositToAccount", "APAccount", "ARAccount",
        "FromAccount",
                    "ToAccount", "BankAccount", "CCAccount", "DiscountAccount", "ItemAccount")
    },
    "SalesTermRef": "Term", "TermRef": "Term", "TxnTaxCodeRef": "TaxCode", "AgencyRef": "TaxAgency",
}  # fmt: skip
"""What each reference refers to."""

MASKED: dict[str, str | int] = {"SSN": "XXX-XX-XXXX", "TaxIdentifier": 4}
"""What answers show of these: a mask, or so many last characters."""

_EMAIL = re.compile(r"[^@\s,]+@[^@\s,]+\.[^@\s,]+")


@dataclass(frozen=True, slots=True)
class FieldOf:
    """A column as a field of the API."""

    name: str
    form: Form
    nullable: bool
    default: Any
    most: int | None = None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def bare(self) -> bool:
        """Whether the column has no default: an update that leaves it out keeps it."""
        return self.default is PydanticUndefined


_FIELDS = dict[str, dict[str, FieldOf]]()


def fields(cls: type[Record]) -> dict[str, FieldOf]:
    """A type's columns, without those that every object has."""
    if cls.__name__ not in _FIELDS:
        _FIELDS[cls.__name__] = {
            name: _field(name, info) for name, info in cls.model_fields.items() if name not in BASE
        }
    return _FIELDS[cls.__name__]


def _field(name: str, info: Any) -> FieldOf:
    arms = get_args(info.annotation) if get_origin(info.annotation) not in (Literal, list, dict, None) else ()
    nullable = type(None) in arms
    kind = next((arm for arm in arms if arm is not type(None)), info.annotation)
    limits = {
        k: v for mark in info.metadata for k in ("max_length", "ge", "le") if (v := getattr(mark, k, None)) is not None
    }
    default = (
        info.get_default(call_default_factory=True)
        if info.default_factory or info.default is not PydanticUndefined
        else PydanticUndefined
    )
    base, choices = get_origin(kind) or kind, ()
    form: Form = "text"
    if base is Literal:
        form, choices = "choice", get_args(kind)
    elif name in WRAPPED:
        form = "wrapped"
    elif name in ADDRESSES:
        form = "address"
    elif base is dict:
        form = "object"
    elif base is list:
        form = "list"
    elif name.endswith("Ref"):
        form = "reference"
    elif name in DATES:
        form = "date"
    elif base is bool:
        form = "flag"
    elif base is int:
        form = "integer"
    elif base is float:
        form = "number"
    return FieldOf(name, form, nullable, default, limits.get("max_length"), limits.get("ge"), limits.get("le"), choices)


def read(ctx: Ctx, cls: type[Record], body: Mapping[str, Any], old: Record | None, sparse: bool) -> dict[str, Any]:
    """The object's new state by column: what the body says, on what was there (sparse) or on the defaults (full)."""
    known = fields(cls)
    state: dict[str, Any] = {}
    for name, field in known.items():
        kept = old is not None and (sparse or field.bare or name in cls.read_only)
        if kept:
            state[name] = getattr(old, name)
        elif not field.bare:
            state[name] = field.default
    more = dict(old.more) if old is not None and sparse else {}
    for name, value in body.items():
        if name in ENVELOPE or name in cls.computed or name in cls.read_only:
            continue
        if name in known and known[name].bare and (value is None or value == ""):
            if name in cls.required:
                raise faults.missing(name)
        elif name in known:
            was = getattr(old, name) if old is not None else None
            hidden = name in MASKED and isinstance(was, str) and value == masked(name, was)
            state[name] = was if hidden else _value(ctx, cls, known[name], value, was)
        elif name in cls.others:
            more[name] = value
            if value is None or value == "":
                more.pop(name)
        else:
            raise faults.unsupported_property(name)
    return {**state, "more": more}


def masked(name: str, value: str) -> str:
    """A number that answers hide but for its last digits; sent back like that it stays what it is."""
    shown = MASKED[name]
    return shown if isinstance(shown, str) else "X" * (len(value) - shown) + value[-shown:]


def require(cls: type[Record], state: Mapping[str, Any]) -> None:
    """2020 for a field that the type cannot do without."""
    for name in cls.required:
        if state.get(name) in (None, "", []):
            raise faults.missing(name)


def _value(ctx: Ctx, cls: type[Record], field: FieldOf, value: Any, was: Any) -> Any:
    if value is None or (value == "" and field.form != "text"):
        return field.default
    name = field.name
    match field.form:
        case "reference":
            target = cls.__name__ if name == "ParentRef" else TARGETS.get(name, "")
            return reference(ctx, value, name, target, was)
        case "wrapped":
            return wrapped(value, name, field.most)
        case "address":
            return address(value, name)
        case "date":
            return day(value, name)
        case "flag":
            return flag(value, name)
        case "number":
            return float(
                money(
                    value, name, 7 if name in ("UnitPrice", "PurchaseCost", "ExchangeRate", "Rate", "QtyOnHand") else 2
                )
            )
        case "integer":
            made = number(value, name)
            if made != int(made) or made < (field.low or 0) or (field.high is not None and made > field.high):
                raise faults.number(name, value)
            return int(made)
        case "choice":
            if value not in field.choices:
                raise faults.enumeration(value, name)
            return value
        case "object" | "list":
            if not isinstance(value, dict if field.form == "object" else list):
                raise faults.unsupported_property(name)
            return value
        case "text":
            return text(value, name, field.most)


def text(value: Any, name: str, most: int | None) -> str | None:
    if isinstance(value, (dict, list, bool)):
        raise faults.unsupported_property(name)
    made = str(value)
    if "\0" in made:
        raise faults.fault("2040", "Invalid String", "An element contains invalid characters", name)
    if most is not None and len(made) > most:
        raise faults.length(name, most, len(made))
    return made or None


def wrapped(value: Any, name: str, most: int | None = None) -> str | None:
    inner = value.get(WRAPPED[name]) if isinstance(value, dict) else value
    made = text("" if inner is None else inner, name, most or (100 if WRAPPED[name] == "Address" else 1000))
    if made and WRAPPED[name] == "Address":
        # A form may go to several people; a person has one address.
        for part in made.split(",") if name != "PrimaryEmailAddr" else [made]:
            if not _EMAIL.fullmatch(part.strip()):
                raise faults.fault(
                    "2210",
                    "Invalid Email Address format",
                    "Email Address does not conform to the syntax rules of RFC 822.",
                    name,
                )
    return made


def address(value: Any, name: str) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        raise faults.unsupported_property(name)
    for part in value:
        if part not in ADDRESS_PARTS:
            raise faults.unsupported_property(str(part))
    made = {part: text(inner, part, 500) for part, inner in value.items() if inner is not None}
    return {part: inner for part, inner in made.items() if inner} or None


def day(value: Any, name: str) -> str:
    """A date; a time or zone after it is dropped, as the service does."""
    if isinstance(value, str) and (found := re.fullmatch(r"(\d{4}-\d\d-\d\d)([T+\-Z].*)?", value)):
        try:
            return date.fromisoformat(found[1]).isoformat()
        except ValueError:
            pass
    raise faults.fault("2190", "Invalid Date", f"Invalid Date : {str(value)[:40]}. Dates are YYYY-MM-DD.", name)


def flag(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise faults.unsupported_property(name)


def number(value: Any, name: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise faults.number(name, value)
    try:
        made = Decimal(str(value))
    except ArithmeticError:
        raise faults.number(name, value) from None
    if not made.is_finite() or abs(made) > MOST_MONEY:
        raise faults.number(name, value)
    return made


def money(value: Any, name: str, places: int = 2) -> Decimal:
    """An amount, rounded half up as the service rounds."""
    return number(value, name).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def cents(value: Any) -> int:
    return int((Decimal(str(value)) * 100).quantize(Decimal(1), ROUND_HALF_UP))


def units(amount: int) -> float:
    return amount / 100


def key_of(value: Any, name: str) -> str:
    """What a reference object refers to."""
    key = value.get("value") if isinstance(value, dict) else value
    if key is None or key == "":
        raise faults.missing(name)
    if isinstance(key, bool) or not isinstance(key, (str, int)):
        raise faults.unsupported_property(name)
    return str(key)


def reference(ctx: Ctx, value: Any, name: str, target: str, was: str | None = None) -> str:
    """The id that a reference holds, of an object that is there and active (or was referred to before)."""
    key = key_of(value, name)
    if name in ("CurrencyRef", "EntityRef"):  # checked where it is known what they name
        return key
    row = lookup(ctx, target, key)
    if row is None:
        raise faults.bad_reference(target, key[:40])
    if isinstance(row, NameRecord) and not row.Active and key != was:
        raise faults.inactive_reference()
    return key


def lookup(ctx: Ctx, kind: str, key: str) -> Record | None:
    """The object of a kind with this id."""
    if kind == "TaxCode":
        return ctx.db.first(TaxCode, Code=key)
    if kind not in KINDS or not re.fullmatch(r"[1-9][0-9]{0,18}", key) or int(key) >= 2**63:
        return None
    return ctx.db.get(KINDS[kind], int(key))
