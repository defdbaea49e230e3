"""Customers: what the API takes of them, and how they are written."""

import re
from typing import Any

from legoenv_mcp.app import Ctx, Field

from .errors import not_found, refused
from .inputs import AddressInput, Input, MetafieldInput, TagText, tags_of
from .metadata import attach
from .models import Customer, CustomerAddress, Object, new
from .paging import moment
from .resources import the_shop

_EMAIL = re.compile(r"[^@\s,;<>]+@[^@\s,;<>.]+(\.[^@\s,;<>.]+)+")
STATES = ("not_subscribed", "pending", "subscribed", "unsubscribed")


class ConsentInput(Input):
    """Whether a customer takes marketing mail."""

    state: str = Field(description="`subscribed`, `not_subscribed`, `unsubscribed` or `pending`.")
    opt_in_level: str | None = Field(default=None, description="`single_opt_in`, `confirmed_opt_in` or `unknown`.")
    consent_updated_at: str | None = Field(default=None, description="When the customer decided.")


class CustomerAddressInput(AddressInput):
    """A customer's address."""

    id: int | None = Field(default=None, description="The address's id, where it exists.")
    default: bool | None = Field(default=None, description="Whether it is the customer's default address.")


class CustomerInput(Input):
    """A customer."""

    email: str | None = Field(default=None, max_length=255, description="Email address; no two customers share one.")
    first_name: str | None = Field(default=None, max_length=255, description="First name.")
    last_name: str | None = Field(default=None, max_length=255, description="Last name.")
    phone: str | None = Field(default=None, max_length=64, description="Phone number; no two customers share one.")
    note: str | None = Field(default=None, max_length=5000, description="A note about the customer.")
    tags: TagText | None = Field(default=None, description="Comma-separated tags; replaces those they have.")
    tax_exempt: bool | None = Field(default=None, description="Whether they pay no tax.")
    verified_email: bool | None = Field(default=None, description="Whether the email address is verified.")
    email_marketing_consent: ConsentInput | None = Field(default=None, description="Whether they take marketing mail.")
    addresses: list[CustomerAddressInput] | None = Field(
        default=None, description="Addresses to add; the first is the default."
    )
    send_email_invite: bool | None = Field(default=None, description="Whether to invite them to activate an account.")
    metafields: list[MetafieldInput] | None = Field(default=None, description="Metafields to attach.")


def the_customer(ctx: Ctx, key: int) -> Customer:
    row = ctx.db.get(Customer, key)
    if row is None:
        raise not_found()
    return row


def valid_email(text: str | None, field: str = "email") -> str | None:
    if not text:
        return None
    if not _EMAIL.fullmatch(text):
        raise refused(field, "is invalid")
    return text


def valid_phone(text: str | None) -> str | None:
    if not text:
        return None
    digits = re.sub(r"\D", "", text)
    if not re.fullmatch(r"\+?[\d\s().-]+", text) or not 7 <= len(digits) <= 15:
        raise refused("phone", "is invalid")
    return text


def _digits(text: str | None) -> str:
    return re.sub(r"\D", "", text or "")


def columns(ctx: Ctx, data: CustomerInput, row: Customer | None) -> dict[str, Any]:
    """A customer's columns as they are asked for, checked."""
    out = data.given("first_name", "last_name", "note")
    if data.has("email"):
        out["email"] = valid_email(data.email)
        for other in ctx.db.where(Customer, "lower(email) = lower(?)", [data.email or ""]):
            if row is None or other.id != row.id:
                raise refused("email", "has already been taken")
    if data.has("phone"):
        out["phone"] = valid_phone(data.phone)
        if out["phone"] and (row is None or _digits(row.phone) != _digits(data.phone)):
            for other in ctx.db.find(Customer, phone__null=False):
                if (row is None or other.id != row.id) and _digits(other.phone) == _digits(data.phone):
                    raise refused("phone", "has already been taken")
    for name in ("tax_exempt", "verified_email"):
        if data.__dict__[name] is not None:
            out[name] = data.__dict__[name]
    if data.has("tags"):
        out["tags"] = tags_of(data.tags)
    consent = data.email_marketing_consent
    if consent is not None:
        if consent.state not in STATES:
            raise refused("email_marketing_consent", "state is not included in the list")
        level = consent.opt_in_level or "single_opt_in"
        if level not in ("single_opt_in", "confirmed_opt_in", "unknown"):
            raise refused("email_marketing_consent", "opt_in_level is not included in the list")
        at = moment(ctx, "consent_updated_at", consent.consent_updated_at)
        if row is None or (row.marketing_state, row.opt_in_level) != (consent.state, level):
            out |= {
                "marketing_state": consent.state,
                "opt_in_level": level,
                "consent_updated_at": at or ctx.timestamp(),
            }
    after = {n: out.get(n, row.__dict__[n] if row else None) for n in ("email", "phone", "first_name", "last_name")}
    if not any(after.values()):
        raise refused("customer", "must have a name, phone number or email address")
    return out


def add_customer(ctx: Ctx, data: CustomerInput) -> Customer:
    at = ctx.timestamp()
    values = columns(ctx, data, None)
    state = "invited" if data.send_email_invite and values.get("email") else "disabled"
    key = new(ctx, "Customer")
    row = ctx.db.add(
        Customer(id=key, state=state, currency=the_shop(ctx).currency, created_at=at, updated_at=at, **values)
    )
    for address in data.addresses or []:
        add_address(ctx, row, address)
    if data.metafields:
        attach(ctx, "customer", row.id, data.metafields)
    return row


def addresses_of(ctx: Ctx, row: Customer) -> list[CustomerAddress]:
    return ctx.db.find(CustomerAddress, customer_id=row.id)


def default_address(ctx: Ctx, row: Customer) -> CustomerAddress | None:
    return ctx.db.first(CustomerAddress, customer_id=row.id, default=True)


def _signature(a: Object) -> list[Any]:
    """What makes an address the same as another of the customer's."""
    return [a.get(n) for n in ("first_name", "last_name", "company", "address1", "address2", "city", "zip", "country")]


def add_address(ctx: Ctx, row: Customer, data: CustomerAddressInput) -> CustomerAddress:
    """A new address; a customer's first is the default."""
    address = data.data({"first_name": row.first_name, "last_name": row.last_name})
    address = {name: value for name, value in address.items() if name not in ("id", "default")}
    have = addresses_of(ctx, row)
    if any(_signature(other.address) == _signature(address) for other in have):
        raise refused("signature", "has already been taken")
    made = ctx.db.add(CustomerAddress(id=new(ctx, "Address"), customer_id=row.id, default=not have, address=address))
    if data.default:
        make_default(ctx, row, made)
    return made


def make_default(ctx: Ctx, row: Customer, address: CustomerAddress) -> None:
    for other in addresses_of(ctx, row):
        if other.default and other.id != address.id:
            ctx.db.update(other, default=False)
    if not address.default:
        ctx.db.update(address, default=True)


def touch(ctx: Ctx, row: Customer) -> None:
    ctx.db.update(row, updated_at=ctx.timestamp())
