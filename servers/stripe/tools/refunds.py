"""Refunds. https://docs.stripe.com/api/refunds"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import charging
from ..app import app
from ..errors import no_such, refuse
from ..events import emit
from ..lists import listing
from ..models import Charge, Dispute, PaymentIntent, Refund
from ..params import After, Before, Created, Expand, ExpandBody, Limit, MetadataParam, asked, merged, times
from ..resources import show


def _charge_of(ctx: Ctx, charge: Any, payment_intent: Any) -> Charge:
    """The charge that a refund names, itself or by its payment intent."""
    if charge is not MISSING:
        row = ctx.db.get(Charge, charge)
        if row is None:
            raise no_such("Charge", charge)
        return row
    if payment_intent is MISSING:
        raise refuse("One of the following params should be provided for this request: payment_intent or charge.")
    intent = ctx.db.get(PaymentIntent, payment_intent)
    if intent is None:
        raise no_such("PaymentIntent", payment_intent, param="payment_intent")
    paid = ctx.db.first(Charge, payment_intent=intent.id, paid=True, order="-created")
    if paid is None:
        raise refuse(f"This PaymentIntent ({intent.id}) does not have a successful charge to refund.")
    return paid


@app.post("/v1/refunds", tool="create_refund")
def create_refund(
    ctx: Ctx, payment_intent: str | MISSING = MISSING, charge: str | MISSING = MISSING,
    amount: Annotated[int, Field(ge=1)] | MISSING = MISSING,
    reason: Literal["duplicate", "fraudulent", "requested_by_customer"] | MISSING = MISSING, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Gives a payment back, wholly or in part, to the card it came from. Several partial refunds may follow each other until all is
    refunded. It cannot be undone.

    payment_intent: ID of the payment to refund.
    charge: ID of the charge to refund, instead of the payment intent.
    amount: How much, in the smallest unit; all that is left by default.
    reason: Why. `fraudulent` also blocks the card.
    """
    paid = _charge_of(ctx, charge, payment_intent)
    taken = ctx.db.first(Dispute, charge=paid.id, is_charge_refundable=False)
    if taken:
        raise refuse(f"Charge {paid.id} has been charged back; cannot issue a refund.", code="charge_disputed")
    much = charging.check_refundable(paid, None if amount is MISSING else amount)
    row = charging.add_refund(ctx, paid, much, None if reason is MISSING else reason, metadata=merged({}, metadata))
    if reason == "fraudulent":
        ctx.db.update(paid, fraud_details={"user_report": "fraudulent"})
    return show(ctx, row)


@app.get("/v1/refunds/{refund}", tool="retrieve_refund", mcp=False)
def retrieve_refund(ctx: Ctx, refund: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a refund.

    refund: The refund's ID.
    """
    return show(ctx, ctx.require(Refund, refund))


@app.get("/v1/refunds", tool="list_refunds")
def list_refunds(
    ctx: Ctx, charge: str | MISSING = MISSING, payment_intent: str | MISSING = MISSING, created: Created = MISSING, limit: Limit = 10,
    starting_after: After = MISSING, ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists refunds, newest first. Amounts are in the currency's smallest unit, such as cents.

    charge: Only those of this charge.
    payment_intent: Only those of this payment intent.
    """
    filters = {"charge": asked(charge), "payment_intent": asked(payment_intent), **times("created", created)}
    return listing(ctx, Refund, "/v1/refunds", limit, starting_after, ending_before, **filters)


@app.post("/v1/refunds/{refund}", tool="update_refund", effect="update", mcp=False)
def update_refund(
    ctx: Ctx, refund: str, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING
) -> dict[str, Any]:
    """Changes a refund's metadata; nothing else of it can be changed.

    refund: The refund's ID.
    """
    row = ctx.require(Refund, refund)
    was = show(ctx, row)
    if metadata is not MISSING:
        ctx.db.update(row, metadata_=merged(row.metadata_, metadata))
    emit(ctx, "refund.updated", row, was=was)
    return show(ctx, row)


@app.post("/v1/refunds/{refund}/cancel", tool="cancel_refund", effect="read", mcp=False)
def cancel_refund(ctx: Ctx, refund: str, expand: ExpandBody = MISSING) -> dict[str, Any]:
    """Refuses to cancel a refund: only one that waits for the customer to act can be, and refunds to cards and US banks never do.

    refund: The refund's ID.
    """
    ctx.require(Refund, refund)
    raise refuse("Canceling this refund is unsupported.")
