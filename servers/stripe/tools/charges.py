"""Charges: single attempts to move money. Payment intents make them. https://docs.stripe.com/api/charges"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field
from legoenv_mcp.app import Query as InQuery

from ..app import app
from ..errors import no_such, refuse
from ..events import emit
from ..lists import listing, searching
from ..lookups import email_address, living
from ..models import Charge, Refund
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
    Text,
    Token,
    asked,
    given,
    merged,
    times,
)
from ..resources import show


class FraudDetails(Params):
    """What you think of the charge."""

    user_report: Literal["fraudulent", "safe"] = Field(description="Whether it was fraud.")


@app.get("/v1/charges/search", tool="search_charges", mcp=False)
def search_charges(
    ctx: Ctx, query: Query, limit: Limit = 10, page: Token = MISSING, expand: Expand = MISSING
) -> dict[str, Any]:
    """Searches charges by amount, card, created, currency, customer, disputed, metadata, refunded and status."""
    return searching(ctx, Charge, query, limit, page)


@app.get("/v1/charges/{charge}", tool="retrieve_charge")
def retrieve_charge(ctx: Ctx, charge: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a charge: the outcome of one attempt to pay, its card, how much of it was refunded and whether it is disputed.

    charge: The charge's ID.
    """
    return show(ctx, ctx.require(Charge, charge))


@app.get("/v1/charges", tool="list_charges")
def list_charges(
    ctx: Ctx, customer: str | MISSING = MISSING, payment_intent: str | MISSING = MISSING,
    transfer_group: Annotated[str | MISSING, InQuery(mcp=False)] = MISSING, created: Created = MISSING, limit: Limit = 10,
    starting_after: After = MISSING, ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists charges, failed ones too, newest first. Amounts are in the currency's smallest unit, such as cents.

    customer: Only those of this customer.
    payment_intent: Only the attempts of this payment intent.
    transfer_group: Only those of this group.
    """
    filters = {
        "customer": asked(customer), "payment_intent": asked(payment_intent), "transfer_group": asked(transfer_group),
        **times("created", created),
    }  # fmt: skip
    return listing(ctx, Charge, "/v1/charges", limit, starting_after, ending_before, **filters)


@app.post("/v1/charges/{charge}", tool="update_charge", effect="update", mcp=False)
def update_charge(
    ctx: Ctx, charge: str, customer: str | MISSING = MISSING, description: Text | MISSING = MISSING,
    fraud_details: FraudDetails | MISSING = MISSING, receipt_email: str | MISSING = MISSING,
    shipping: Shipping | MISSING = MISSING, transfer_group: str | MISSING = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a charge's description, receipt address, shipping, fraud report or metadata.

    charge: The charge's ID.
    customer: The customer, where the charge has none yet.
    description: What it was for.
    fraud_details: Your report of whether it was fraud.
    receipt_email: Where to send the receipt.
    shipping: Where goods went.
    transfer_group: A name that groups payments.
    """
    row = ctx.require(Charge, charge)
    was = show(ctx, row)
    email_address(receipt_email, "receipt_email")
    changes = given(ctx.sent(), "metadata")
    if customer is not MISSING:
        if row.customer:
            raise refuse("This charge already has a customer.", param="customer")
        changes["customer"] = living(ctx, customer).id
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    emit(ctx, "charge.updated", row, was=was)
    return show(ctx, row)


@app.post("/v1/charges/{charge}/capture", tool="capture_charge", effect="read", mcp=False)
def capture_charge(
    ctx: Ctx, charge: str, amount: Annotated[int, Field(ge=1)] | MISSING = MISSING, receipt_email: str | MISSING = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Refuses to capture a charge: every charge here is of a payment intent, and captured through that.

    charge: The charge's ID.
    amount: How much to take, in the smallest unit.
    receipt_email: Where to send the receipt.
    """
    row = ctx.require(Charge, charge)
    if row.captured:
        raise refuse(f"Charge {row.id} has already been captured.", code="charge_already_captured")
    raise refuse(
        f"This uncaptured Charge was created by a PaymentIntent ({row.payment_intent}). You must capture the PaymentIntent instead of "
        "capturing the Charge directly."
    )


@app.get("/v1/charges/{charge}/refunds", tool="list_charge_refunds", mcp=False)
def list_charge_refunds(
    ctx: Ctx,
    charge: str,
    limit: Limit = 10,
    starting_after: After = MISSING,
    ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:
    """Lists the refunds of a charge.

    charge: The charge's ID.
    """
    if ctx.db.get(Charge, charge) is None:
        raise no_such("Charge", charge, param="charge")
    return listing(ctx, Refund, f"/v1/charges/{charge}/refunds", limit, starting_after, ending_before, charge=charge)
