"""Payment methods. https://docs.stripe.com/api/payment_methods"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field

from ..app import app
from ..cards import behavior_of, from_number, make_card
from ..errors import no_such, refuse
from ..events import emit
from ..ids import new
from ..lists import listing
from ..lookups import attach, billing, living
from ..models import Customer, PaymentMethod
from ..params import (
    After,
    Before,
    BillingDetails,
    Expand,
    ExpandBody,
    Limit,
    MetadataParam,
    Pairs,
    Params,
    asked,
    merged,
    plain,
)
from ..resources import listed, show


class CardParam(Params):
    """A card: a test token, or a test number with its expiry."""

    token: str | None = Field(default=None, description="A test token, such as `tok_visa`.")
    number: str | None = Field(default=None, description="A test card number.")
    exp_month: int | None = Field(default=None, ge=1, le=12, description="Month of expiry.")
    exp_year: int | None = Field(default=None, ge=1970, le=2100, description="Year of expiry, four digits.")
    cvc: str | None = Field(default=None, description="The card's security code.")


class ExpiryParam(Params):
    """When a card expires."""

    exp_month: int | None = Field(default=None, ge=1, le=12, description="Month of expiry.")
    exp_year: int | None = Field(default=None, ge=1970, le=2100, description="Year of expiry, four digits.")


class BankAccountParam(Params):
    """A US bank account."""

    account_number: str = Field(description="Account number.")
    routing_number: str = Field(description="Routing number.")
    account_holder_type: Literal["company", "individual"] = Field(
        default="individual", description="Whose account it is."
    )
    account_type: Literal["checking", "savings"] = Field(default="checking", description="Kind of account.")


class MethodData(Params):
    """A payment method made along with a payment."""

    type: Literal["card", "us_bank_account"] = Field(description="What kind of payment method.")
    card: CardParam | None = Field(default=None, description="The card, where it is one.")
    us_bank_account: BankAccountParam | None = Field(default=None, description="The bank account, where it is one.")
    billing_details: BillingDetails | None = Field(default=None, description="Who it belongs to.")
    metadata: Pairs | None = Field(default=None, description="Key-value pairs.")


@app.post("/v1/payment_methods", tool="create_payment_method", mcp=False)
def create_payment_method(
    ctx: Ctx, type: Literal["card", "us_bank_account"] | MISSING = MISSING, card: CardParam | MISSING = MISSING,
    us_bank_account: BankAccountParam | MISSING = MISSING, billing_details: BillingDetails | MISSING = MISSING,
    allow_redisplay: Literal["always", "limited", "unspecified"] | MISSING = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a payment method. Attach it to a customer to use it more than once.

    type: What kind of payment method.
    card: The card, where it is one.
    us_bank_account: The bank account, where it is one.
    billing_details: Who it belongs to.
    allow_redisplay: Whether it may be shown again in a checkout.
    """
    if type is MISSING:
        raise refuse("Missing required param: type.", code="parameter_missing", param="type")
    row = _made(ctx, type, card, us_bank_account, billing_details, metadata)
    if allow_redisplay is not MISSING:
        ctx.db.update(row, allow_redisplay=allow_redisplay)
    return show(ctx, row)


def _made(ctx: Ctx, kind: str, card: Any, bank: Any, details: Any, metadata: Any) -> PaymentMethod:
    if kind == "us_bank_account":
        return _bank_account(ctx, bank, billing(details), merged({}, metadata))
    return _card(ctx, card, billing(details), merged({}, metadata))


def made_method(ctx: Ctx, data: MethodData) -> PaymentMethod:
    """The payment method that a payment describes."""
    card, bank = (MISSING if part is None else part for part in (data.card, data.us_bank_account))
    return _made(ctx, data.type, card, bank, data.billing_details, data.metadata)


def _bank_account(ctx: Ctx, given: Any, details: dict[str, Any], metadata: dict[str, str]) -> PaymentMethod:
    if given is MISSING:
        raise refuse("Missing required param: us_bank_account.", code="parameter_missing", param="us_bank_account")
    shown = {
        "account_holder_type": given.account_holder_type, "account_type": given.account_type, "bank_name": "STRIPE TEST BANK",
        "financial_connections_account": None, "fingerprint": None, "last4": given.account_number[-4:],
        "networks": {"preferred": "ach", "supported": ["ach"]}, "routing_number": given.routing_number, "status_details": {},
    }  # fmt: skip
    return ctx.db.add(
        PaymentMethod(
            id=new(ctx, "pm"),
            created=ctx.epoch(),
            type="us_bank_account",
            us_bank_account=shown,
            billing_details=details,
            metadata_=metadata,
        )
    )


def _card(ctx: Ctx, given: Any, details: dict[str, Any], metadata: dict[str, str]) -> PaymentMethod:
    if given is MISSING:
        raise refuse("Missing required param: card.", code="parameter_missing", param="card")
    if given.token:
        made = make_card(ctx, given.token.removeprefix("tok_"), billing=details, metadata=metadata)
        if made is None or not given.token.startswith("tok_"):
            raise refuse(f"No such token: '{given.token}'", code="resource_missing", param="card[token]")
        return made
    for name in ("number", "exp_month", "exp_year"):
        if getattr(given, name) is None:
            raise refuse(f"Missing required param: card[{name}].", code="parameter_missing", param=f"card[{name}]")
    if (given.exp_year, given.exp_month) < (ctx.now.year, ctx.now.month):
        raise refuse(
            "Your card's expiration year is invalid.",
            code="invalid_expiry_year",
            param="exp_year",
            status=402,
            type="card_error",
        )
    look = make_card(ctx, from_number(given.number), billing=details, metadata=metadata)
    assert look is not None
    assert look.card is not None
    number = given.number.replace(" ", "").replace("-", "")
    return ctx.db.update(
        look, card={**look.card, "exp_month": given.exp_month, "exp_year": given.exp_year, "last4": number[-4:]}
    )


@app.get("/v1/payment_methods/{payment_method}", tool="retrieve_payment_method", mcp=False)
def retrieve_payment_method(ctx: Ctx, payment_method: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a payment method.

    payment_method: The payment method's ID.
    """
    return show(ctx, ctx.require(PaymentMethod, payment_method))


@app.post("/v1/payment_methods/{payment_method}", tool="update_payment_method", effect="update", mcp=False)
def update_payment_method(
    ctx: Ctx, payment_method: str, billing_details: BillingDetails | MISSING = MISSING, card: ExpiryParam | MISSING = MISSING,
    allow_redisplay: Literal["always", "limited", "unspecified"] | MISSING = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes an attached payment method's billing details, expiry or metadata.

    payment_method: The payment method's ID.
    billing_details: Who it belongs to.
    card: The card's new expiry.
    allow_redisplay: Whether it may be shown again in a checkout.
    """
    row = ctx.require(PaymentMethod, payment_method)
    if row.customer is None:
        raise refuse("You must save this PaymentMethod to a customer before you can update it.", param="payment_method")
    was = show(ctx, row)
    changes = dict[str, Any]()
    if billing_details is not MISSING:
        sent = {name: plain(getattr(billing_details, name)) for name in billing_details.model_fields_set}
        changes["billing_details"] = {**row.billing_details, **sent}
    if card is not MISSING and row.card is not None:
        sent = {name: value for name, value in plain(card).items() if value is not None}
        changes["card"] = {**row.card, **sent}
        if row.behavior == "chargeDeclinedExpiredCard" and (
            changes["card"]["exp_year"],
            changes["card"]["exp_month"],
        ) >= (ctx.now.year, ctx.now.month):
            changes["behavior"] = ""  # a new expiry is what such a card lacked
    if allow_redisplay is not MISSING:
        changes["allow_redisplay"] = allow_redisplay
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    emit(ctx, "payment_method.updated", row, was=was)
    return show(ctx, row)


@app.get("/v1/payment_methods", tool="list_payment_methods")
def list_payment_methods(
    ctx: Ctx, customer: str | MISSING = MISSING, type: str | MISSING = MISSING, limit: Limit = 10, starting_after: After = MISSING,
    ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists the payment methods attached to a customer.

    customer: The customer's ID; without one the list is empty.
    type: Only methods of this type, such as `card`.
    """
    if customer is MISSING:
        return listed([], "/v1/payment_methods")
    living(ctx, customer)
    filters = {"customer": customer, "type": asked(type)}
    return listing(ctx, PaymentMethod, "/v1/payment_methods", limit, starting_after, ending_before, **filters)


@app.post("/v1/payment_methods/{payment_method}/attach", tool="attach_payment_method", effect="update")
def attach_payment_method(
    ctx: Ctx, payment_method: str, customer: str | MISSING = MISSING, expand: ExpandBody = MISSING
) -> dict[str, Any]:
    """Attaches a payment method to a customer, so that it can be charged again. It does not become the default for invoices by that.

    payment_method: The payment method's ID; a test ID such as `pm_card_visa` makes a new card.
    customer: The customer's ID.
    """
    if customer is MISSING:
        raise refuse("Must provide customer or customer_account.", code="parameter_missing")
    known = payment_method.startswith("pm_card_") and behavior_of(payment_method.removeprefix("pm_card_"))
    if not known and ctx.db.get(PaymentMethod, payment_method) is None:
        raise no_such("PaymentMethod", payment_method)
    return show(ctx, attach(ctx, payment_method, living(ctx, customer)))


@app.post("/v1/payment_methods/{payment_method}/detach", tool="detach_payment_method", effect="update")
def detach_payment_method(ctx: Ctx, payment_method: str, expand: ExpandBody = MISSING) -> dict[str, Any]:
    """Takes a payment method off its customer. It can not be used or attached again.

    payment_method: The payment method's ID.
    """
    row = ctx.require(PaymentMethod, payment_method)
    if row.customer is None:
        raise refuse(
            "The payment method you provided is not attached to a customer so detachment is impossible.",
            param="payment_method",
        )
    before = row.customer
    owner = ctx.require(Customer, before)
    if owner.default_payment_method == row.id:
        ctx.db.update(owner, default_payment_method=None)
    ctx.db.update(row, customer=None, spent=True)
    emit(ctx, "payment_method.detached", row, {"customer": before})
    return show(ctx, row)
