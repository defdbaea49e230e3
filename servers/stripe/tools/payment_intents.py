"""Payment intents. https://docs.stripe.com/api/payment_intents"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Field, Reply
from legoenv_mcp.app import Query as InQuery

from .. import charging, invoicing
from ..app import app
from ..cards import AUTHENTICATION, method_of
from ..errors import refuse
from ..events import emit
from ..ids import new, secret
from ..lists import listing, searching
from ..lookups import email_address, living
from ..models import Charge, PaymentIntent, PaymentMethod
from ..money import check_charge_amount, display, known_currency
from ..params import (
    After,
    Before,
    Created,
    Expand,
    ExpandBody,
    Limit,
    MetadataParam,
    Params,
    Query,
    Shipping,
    Token,
    asked,
    given,
    merged,
    times,
)
from ..resources import show
from .payment_methods import MethodData, made_method

Amount = Annotated[int, Field(ge=1)]
UPDATABLE = ("requires_payment_method", "requires_confirmation", "requires_action")


class AutomaticPaymentMethods(Params):
    """Whether Stripe picks the payment method types."""

    enabled: bool = Field(description="Whether it does.")
    allow_redirects: Literal["always", "never"] | None = Field(
        default=None, description="Whether methods that redirect are allowed."
    )


def _confirm(
    ctx: Ctx,
    intent: PaymentIntent,
    method: PaymentMethod | None,
    *,
    off_session: bool = False,
    return_url: str | None = None,
) -> ApiError | None:
    if method is None:
        raise charging.missing_method(ctx, intent)
    check_charge_amount(intent.amount, intent.currency)
    error = charging.attempt(ctx, intent, method, off_session=off_session, return_url=return_url)
    invoicing.collected(ctx, intent)
    return error


def _answer(ctx: Ctx, intent: PaymentIntent, error: ApiError | None) -> dict[str, Any] | Reply:
    """A decline is answered as an error, but what it left behind stays."""
    return ctx.refusal(error) if error is not None else show(ctx, intent)


@app.post("/v1/payment_intents", tool="create_payment_intent")
def create_payment_intent(
    ctx: Ctx, amount: Amount, currency: str, customer: str | MISSING = MISSING, payment_method: str | MISSING = MISSING,
    confirm: bool = False, description: Annotated[str, Field(max_length=1000)] | MISSING = MISSING,
    capture_method: Literal["automatic", "automatic_async", "manual"] | MISSING = MISSING,
    confirmation_method: Annotated[Literal["automatic", "manual"] | MISSING, Body(mcp=False)] = MISSING, off_session: bool = False,
    automatic_payment_methods: Annotated[AutomaticPaymentMethods | MISSING, Body(mcp=False)] = MISSING,
    payment_method_types: Annotated[list[str] | MISSING, Body(mcp=False)] = MISSING,
    payment_method_data: Annotated[MethodData | MISSING, Body(mcp=False)] = MISSING,
    error_on_requires_action: Annotated[bool, Body(mcp=False)] = False,
    setup_future_usage: Literal["off_session", "on_session"] | MISSING = MISSING, receipt_email: str | MISSING = MISSING,
    return_url: Annotated[str | MISSING, Body(mcp=False)] = MISSING,
    shipping: Annotated[Shipping | MISSING, Body(mcp=False)] = MISSING,
    statement_descriptor: Annotated[str, Field(max_length=22)] | MISSING = MISSING,
    statement_descriptor_suffix: Annotated[Annotated[str, Field(max_length=22)] | MISSING, Body(mcp=False)] = MISSING,
    transfer_group: Annotated[str | MISSING, Body(mcp=False)] = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any] | Reply:  # fmt: skip
    """Creates a payment intent, and with `confirm` charges the payment method at once. A declined card answers an error, but the intent
    and the failed charge are kept.

    amount: How much to collect, in the currency's smallest unit (1099 is $10.99).
    currency: Three-letter currency code.
    customer: Who pays. Needed for payment methods that are attached to a customer.
    payment_method: What to charge: a payment method's ID, or a test ID such as `pm_card_visa`.
    confirm: Whether to charge now.
    description: What the payment is for.
    capture_method: `manual` only holds the money until it is captured.
    confirmation_method: Who may confirm.
    off_session: Whether the customer is away, so that they cannot authenticate.
    automatic_payment_methods: Whether Stripe picks the payment method types.
    payment_method_types: Types of payment methods to allow.
    payment_method_data: A payment method to make and charge.
    error_on_requires_action: Whether to decline a payment that needs authentication.
    setup_future_usage: Saves the payment method with the customer.
    receipt_email: Where to send the receipt.
    return_url: Where to send the customer after authentication.
    shipping: Where goods go.
    statement_descriptor: Text on the customer's statement.
    statement_descriptor_suffix: The end of the text on the customer's statement.
    transfer_group: A name that groups payments.
    """
    email_address(receipt_email, "receipt_email")
    unit = known_currency(currency)
    check_charge_amount(amount, unit)
    if off_session and not confirm:
        raise refuse("You must pass `confirm=true` to use `off_session`.", param="off_session")
    payer = living(ctx, customer) if customer is not MISSING else None
    method = method_of(ctx, payment_method) if payment_method is not MISSING else None
    if payment_method_data is not MISSING:
        if method:
            raise refuse(
                "You may only specify one of these parameters: payment_method, payment_method_data.",
                param="payment_method_data",
            )
        method = made_method(ctx, payment_method_data)
    if method:
        charging.check_owner(method, payer and payer.id)
    values = given(
        ctx.sent(), "confirm", "off_session", "return_url", "metadata", "currency", "payment_method", "payment_method_data",
        "error_on_requires_action",
    )  # fmt: skip
    if "payment_method_types" not in values:
        values["automatic_payment_methods"] = values.get("automatic_payment_methods") or {
            "allow_redirects": "always",
            "enabled": True,
        }
    key = new(ctx, "pi")
    intent = ctx.db.add(
        PaymentIntent(
            id=key, created=ctx.epoch(), client_secret=secret(ctx, key), currency=unit, payment_method=method and method.id,
            status="requires_confirmation" if method else "requires_payment_method", metadata_=merged({}, metadata), **values,
        )
    )  # fmt: skip
    emit(ctx, "payment_intent.created", intent)
    where = None if return_url is MISSING else return_url
    error = _confirm(ctx, intent, method, off_session=off_session, return_url=where) if confirm else None
    if error_on_requires_action and intent.status == "requires_action":
        raise refuse(
            AUTHENTICATION.message, code=AUTHENTICATION.code, decline_code=AUTHENTICATION.decline_code, status=402, type="card_error"
        )  # fmt: skip
    return _answer(ctx, intent, error)


@app.get("/v1/payment_intents/search", tool="search_payment_intents", mcp=False)
def search_payment_intents(
    ctx: Ctx, query: Query, limit: Limit = 10, page: Token = MISSING, expand: Expand = MISSING
) -> dict[str, Any]:
    """Searches payment intents by `amount`, `created`, `currency`, `customer`, `metadata` and `status`."""
    return searching(ctx, PaymentIntent, query, limit, page)


@app.get("/v1/payment_intents/{intent}", tool="retrieve_payment_intent")
def retrieve_payment_intent(
    ctx: Ctx,
    intent: str,
    client_secret: Annotated[str | MISSING, InQuery(mcp=False)] = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:
    """Retrieves a payment intent.

    intent: The payment intent's ID.
    client_secret: The intent's client secret; needed only with a publishable key.
    """
    return show(ctx, ctx.require(PaymentIntent, intent))


@app.get("/v1/payment_intents", tool="list_payment_intents")
def list_payment_intents(
    ctx: Ctx, customer: str | MISSING = MISSING, created: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING,
    ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists payment intents, newest first. Amounts are in the currency's smallest unit, such as cents.

    customer: Only those of this customer.
    """
    filters = {"customer": asked(customer), **times("created", created)}
    return listing(ctx, PaymentIntent, "/v1/payment_intents", limit, starting_after, ending_before, **filters)


@app.post("/v1/payment_intents/{intent}", tool="update_payment_intent", effect="update", mcp=False)
def update_payment_intent(
    ctx: Ctx, intent: str, amount: Amount | MISSING = MISSING, currency: str | MISSING = MISSING, customer: str | MISSING = MISSING,
    payment_method: str | MISSING = MISSING, description: Annotated[str, Field(max_length=1000)] | MISSING = MISSING,
    capture_method: Literal["automatic", "automatic_async", "manual"] | MISSING = MISSING,
    payment_method_types: list[str] | MISSING = MISSING,
    setup_future_usage: Literal["off_session", "on_session", ""] | MISSING = MISSING, receipt_email: str | MISSING = MISSING,
    shipping: Shipping | Literal[""] | MISSING = MISSING, statement_descriptor: Annotated[str, Field(max_length=22)] | MISSING = MISSING,
    statement_descriptor_suffix: Annotated[str, Field(max_length=22)] | MISSING = MISSING, transfer_group: str | MISSING = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a payment intent without charging it. Amount, currency, customer and payment method only until it is confirmed.

    intent: The payment intent's ID.
    amount: How much to collect, in the smallest unit.
    currency: Three-letter currency code.
    customer: Who pays.
    payment_method: What to charge.
    description: What the payment is for.
    capture_method: `manual` only holds the money until it is captured.
    payment_method_types: Types of payment methods to allow.
    setup_future_usage: Saves the payment method with the customer.
    receipt_email: Where to send the receipt.
    shipping: Where goods go.
    statement_descriptor: Text on the customer's statement.
    statement_descriptor_suffix: The end of the text on the customer's statement.
    transfer_group: A name that groups payments.
    """
    row = ctx.require(PaymentIntent, intent)
    email_address(receipt_email, "receipt_email")
    changes = given(ctx.sent(), "metadata")
    for name in ("amount", "currency", "customer", "payment_method", "capture_method", "payment_method_types"):
        if name in changes and row.status not in UPDATABLE:
            raise charging.unexpected_state(
                ctx, row, f"This PaymentIntent's {name} could not be updated because it has a status of {row.status}. You may only update "
                f"the {name} of a PaymentIntent with one of the following statuses: {', '.join(UPDATABLE)}.", param=name,
            )  # fmt: skip
    if "currency" in changes:
        changes["currency"] = known_currency(changes["currency"])
    if {"amount", "currency"} & set(changes):
        check_charge_amount(changes.get("amount", row.amount), changes.get("currency", row.currency))
    owner = living(ctx, changes["customer"]).id if changes.get("customer") else row.customer
    if changes.get("payment_method"):
        method = method_of(ctx, changes["payment_method"])
        charging.check_owner(method, owner)
        changes |= {"payment_method": method.id, "status": "requires_confirmation", "next_action": None}
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    return show(ctx, row)


@app.post("/v1/payment_intents/{intent}/confirm", tool="confirm_payment_intent", effect="transition")
def confirm_payment_intent(
    ctx: Ctx, intent: str, payment_method: str | MISSING = MISSING, off_session: bool = False,
    return_url: Annotated[str | MISSING, Body(mcp=False)] = MISSING,
    capture_method: Annotated[Literal["automatic", "automatic_async", "manual"] | MISSING, Body(mcp=False)] = MISSING,
    receipt_email: Annotated[str | MISSING, Body(mcp=False)] = MISSING,
    setup_future_usage: Annotated[Literal["off_session", "on_session"] | MISSING, Body(mcp=False)] = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any] | Reply:  # fmt: skip
    """Charges the payment intent's payment method. A declined card answers an error and leaves a failed charge.

    intent: The payment intent's ID.
    payment_method: What to charge, where the intent has none yet or another one is wanted.
    off_session: Whether the customer is away, so that they cannot authenticate.
    return_url: Where to send the customer after authentication.
    capture_method: `manual` only holds the money until it is captured.
    receipt_email: Where to send the receipt.
    setup_future_usage: Saves the payment method with the customer.
    """
    row = ctx.require(PaymentIntent, intent)
    charging.check_confirmable(ctx, row)
    key = row.payment_method if payment_method is MISSING else payment_method
    method = method_of(ctx, key) if key else None
    ctx.db.update(row, **given(ctx.sent(), "payment_method", "off_session", "return_url"))
    where = None if return_url is MISSING else return_url
    return _answer(ctx, row, _confirm(ctx, row, method, off_session=off_session, return_url=where))


@app.post("/v1/payment_intents/{intent}/capture", tool="capture_payment_intent", effect="transition")
def capture_payment_intent(
    ctx: Ctx, intent: str, amount_to_capture: Amount | MISSING = MISSING,
    statement_descriptor: Annotated[Annotated[str, Field(max_length=22)] | MISSING, Body(mcp=False)] = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Takes money that was only held. What is not captured is released; it can be done once.

    intent: The payment intent's ID; its status must be `requires_capture`.
    amount_to_capture: How much to take, in the smallest unit; all of it by default.
    statement_descriptor: Text on the customer's statement.
    """
    row = ctx.require(PaymentIntent, intent)
    if row.status == "succeeded":
        raise charging.unexpected_state(
            ctx, row, "This PaymentIntent could not be captured because it has already been captured."
        )
    if row.status != "requires_capture":
        raise charging.unexpected_state(
            ctx, row, f"This PaymentIntent could not be captured because it has a status of {row.status}. Only a PaymentIntent with one of "
            "the following statuses may be captured: requires_capture.",
        )  # fmt: skip
    amount = row.amount if amount_to_capture is MISSING else amount_to_capture
    if amount > row.amount_capturable:
        most = display(row.amount_capturable, row.currency)
        raise refuse(
            f"The payment could not be captured because the requested capture amount is greater than the amount you can capture for this "
            f"charge ({most}).", code="amount_too_large", param="amount_to_capture",
        )  # fmt: skip
    changes = given(ctx.sent(), "amount_to_capture", "metadata")
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    charging.capture(ctx, row, ctx.require(Charge, row.latest_charge), amount)
    emit(ctx, "payment_intent.succeeded", row)
    invoicing.collected(ctx, row)
    return show(ctx, row)


@app.post("/v1/payment_intents/{intent}/cancel", tool="cancel_payment_intent", effect="transition")
def cancel_payment_intent(
    ctx: Ctx, intent: str,
    cancellation_reason: Literal["duplicate", "fraudulent", "requested_by_customer", "abandoned"] | MISSING = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Cancels a payment intent that has not succeeded; held money is released. A payment that succeeded is refunded instead.

    intent: The payment intent's ID.
    cancellation_reason: Why.
    """
    row = ctx.require(PaymentIntent, intent)
    if row.status not in charging.CANCELABLE:
        raise charging.unexpected_state(
            ctx, row, f"You cannot cancel this PaymentIntent because it has a status of {row.status}. Only a PaymentIntent with one of the "
            f"following statuses may be canceled: {charging.statuses(charging.CANCELABLE)}.",
        )  # fmt: skip
    if invoicing.is_invoice_payment(ctx, row):
        raise refuse(
            "You cannot cancel a PaymentIntent created by an Invoice. Instead, void the Invoice.", param="intent"
        )
    charging.cancel(ctx, row, None if cancellation_reason is MISSING else cancellation_reason)
    return show(ctx, row)
