"""Objects that are named in paths and bodies, and what ties a payment method to a customer."""

import re
from typing import Any

from legoenv_mcp.app import MISSING, Ctx

from .cards import EMPTY_BILLING, GENERIC, method_of
from .errors import no_such, refuse
from .events import emit
from .models import Account, Customer, PaymentMethod
from .params import plain

_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)*")


def living(ctx: Ctx, key: str, param: str = "customer") -> Customer:
    """A customer named in a body; a deleted one is none."""
    row = ctx.db.get(Customer, key)
    if row is None or row.deleted:
        raise no_such("Customer", key, param=param, status=400)
    return row


def at(ctx: Ctx, key: str, param: str = "id") -> Customer:
    """A customer named in the path."""
    row = ctx.db.get(Customer, key)
    if row is None or row.deleted:
        raise no_such("Customer", key, param=param)
    return row


def home_currency(ctx: Ctx) -> str:
    """The account's own currency, for customers who have none yet."""
    account = ctx.db.first(Account)
    return account.default_currency if account else "usd"


def email_address(text: Any, param: str = "email") -> None:
    """Refuses what is no email address; an empty string unsets one."""
    if isinstance(text, str) and text and not _EMAIL.fullmatch(text.strip()):
        raise refuse(f"Invalid email address: {text}", code="email_invalid", param=param)


def billing(details: Any) -> dict[str, Any]:
    """Billing details with every key present."""
    if details is MISSING or details is None:
        return {**EMPTY_BILLING, "address": dict(EMPTY_BILLING["address"])}
    filled = plain(details)
    return {**EMPTY_BILLING, **filled, "address": {**EMPTY_BILLING["address"], **(filled["address"] or {})}}


def attach(ctx: Ctx, key: str, customer: Customer) -> PaymentMethod:
    """Ties a payment method to a customer. A card that declines everything is refused already here."""
    row = method_of(ctx, key)
    if row.customer == customer.id:
        return row
    if row.customer:
        raise refuse("The payment method you provided has already been attached to a customer.", param="payment_method")
    if row.spent:
        raise refuse(
            "This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be "
            "used again.",
            param="payment_method",
        )
    if row.behavior == "chargeDeclined":
        raise refuse(
            GENERIC.message, code=GENERIC.code, decline_code=GENERIC.decline_code, status=402, type="card_error"
        )
    ctx.db.update(row, customer=customer.id)
    emit(ctx, "payment_method.attached", row)
    return row
