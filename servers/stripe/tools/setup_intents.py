"""Setup intents: saving a payment method without charging it. https://docs.stripe.com/api/setup_intents"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Reply

from .. import charging
from ..app import app
from ..cards import AUTHENTICATES, AUTHENTICATES_LATER, DECLINES, method_of
from ..errors import refuse
from ..events import emit
from ..ids import new, secret
from ..lists import listing
from ..lookups import living
from ..models import PaymentMethod, SetupIntent
from ..params import After, Before, Created, Expand, ExpandBody, Limit, MetadataParam, Text, asked, given, merged, times
from ..resources import show

CANCELABLE = ("requires_payment_method", "requires_confirmation", "requires_action")


def _unexpected(ctx: Ctx, row: SetupIntent, message: str) -> ApiError:
    return refuse(message, code="setup_intent_unexpected_state", setup_intent=show(ctx, row))


def _confirm(ctx: Ctx, row: SetupIntent, method: PaymentMethod | None) -> ApiError | None:
    """Tries the payment method; a refusal by the card is returned, for its record is to stay."""
    if method is None:
        raise _unexpected(
            ctx, row, "You cannot confirm this SetupIntent because it's missing a payment method. You can either update the SetupIntent "
            "with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
        )  # fmt: skip
    if row.status == "succeeded":
        raise _unexpected(ctx, row, "You cannot confirm this SetupIntent because it has already succeeded.")
    if row.status == "canceled":
        raise _unexpected(ctx, row, "You cannot confirm this SetupIntent because it has a status of canceled.")
    charging.check_owner(method, row.customer, "SetupIntent")
    attempt = new(ctx, "setatt")
    decline = None if method.behavior == "chargeCustomerFail" else DECLINES.get(method.behavior)
    if decline:
        error = {
            "code": decline.code, "decline_code": decline.decline_code, "message": decline.message, "payment_method": show(ctx, method),
            "type": "card_error",
        }  # fmt: skip
        ctx.db.update(
            row, status="requires_payment_method", payment_method=None, last_setup_error=error, latest_attempt=attempt
        )
        emit(ctx, "setup_intent.setup_failed", row)
        return refuse(
            decline.message, code=decline.code, decline_code=decline.decline_code, status=402, type="card_error", param=decline.param,
            payment_method=show(ctx, method), setup_intent=show(ctx, row),
        )  # fmt: skip
    if method.behavior in AUTHENTICATES | AUTHENTICATES_LATER:
        action = {
            "type": "use_stripe_sdk",
            "use_stripe_sdk": {"type": "three_d_secure_redirect", "source": f"src_{row.id}"},
        }
        ctx.db.update(
            row, status="requires_action", payment_method=method.id, next_action=action, latest_attempt=attempt
        )
        emit(ctx, "setup_intent.requires_action", row)
        return None
    if row.customer and not method.customer:
        ctx.db.update(method, customer=row.customer)
        emit(ctx, "payment_method.attached", method)
    ctx.db.update(
        row, status="succeeded", payment_method=method.id, next_action=None, last_setup_error=None, latest_attempt=attempt
    )  # fmt: skip
    emit(ctx, "setup_intent.succeeded", row)
    return None


@app.post("/v1/setup_intents", tool="create_setup_intent", mcp=False)
def create_setup_intent(
    ctx: Ctx, customer: str | MISSING = MISSING, payment_method: str | MISSING = MISSING, confirm: bool = False,
    description: Text | MISSING = MISSING, payment_method_types: list[str] | MISSING = MISSING,
    automatic_payment_methods: dict[str, Any] | MISSING = MISSING, usage: Literal["off_session", "on_session"] | MISSING = MISSING,
    return_url: str | MISSING = MISSING, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any] | Reply:  # fmt: skip
    """Creates a setup intent, which saves a payment method for later payments.

    customer: Whose payment method it is.
    payment_method: The payment method, or a test ID such as `pm_card_visa`.
    confirm: Whether to save it now.
    description: What it is for.
    payment_method_types: Types of payment methods to allow.
    automatic_payment_methods: Whether Stripe picks the types.
    usage: How it will be used.
    return_url: Where to send the customer after authentication.
    """
    payer = living(ctx, customer) if customer is not MISSING else None
    method = method_of(ctx, payment_method) if payment_method is not MISSING else None
    if method:
        charging.check_owner(method, payer and payer.id, "SetupIntent")
    key = new(ctx, "seti")
    values = given(ctx.sent(), "confirm", "return_url", "metadata", "payment_method", "customer")
    row = ctx.db.add(
        SetupIntent(
            id=key, created=ctx.epoch(), client_secret=secret(ctx, key), customer=payer and payer.id,
            payment_method=method and method.id, status="requires_confirmation" if method else "requires_payment_method",
            metadata_=merged({}, metadata), **values,
        )
    )  # fmt: skip
    emit(ctx, "setup_intent.created", row)
    error = _confirm(ctx, row, method) if confirm else None
    return ctx.refusal(error) if error else show(ctx, row)


@app.get("/v1/setup_intents/{intent}", tool="retrieve_setup_intent", mcp=False)
def retrieve_setup_intent(
    ctx: Ctx, intent: str, client_secret: str | MISSING = MISSING, expand: Expand = MISSING
) -> dict[str, Any]:
    """Retrieves a setup intent.

    intent: The setup intent's ID.
    client_secret: Its client secret; needed only with a publishable key.
    """
    return show(ctx, ctx.require(SetupIntent, intent))


@app.get("/v1/setup_intents", tool="list_setup_intents", mcp=False)
def list_setup_intents(
    ctx: Ctx, customer: str | MISSING = MISSING, payment_method: str | MISSING = MISSING, created: Created = MISSING, limit: Limit = 10,
    starting_after: After = MISSING, ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists setup intents, newest first.

    customer: Only those of this customer.
    payment_method: Only those of this payment method.
    """
    filters = {"customer": asked(customer), "payment_method": asked(payment_method), **times("created", created)}
    return listing(ctx, SetupIntent, "/v1/setup_intents", limit, starting_after, ending_before, **filters)


@app.post("/v1/setup_intents/{intent}", tool="update_setup_intent", effect="update", mcp=False)
def update_setup_intent(
    ctx: Ctx, intent: str, customer: str | MISSING = MISSING, payment_method: str | MISSING = MISSING,
    description: Text | MISSING = MISSING, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a setup intent.

    intent: The setup intent's ID.
    customer: Whose payment method it is.
    payment_method: The payment method.
    description: What it is for.
    """
    row = ctx.require(SetupIntent, intent)
    changes = given(ctx.sent(), "metadata")
    if changes.get("customer"):
        living(ctx, changes["customer"])
    if changes.get("payment_method"):
        if row.status == "succeeded":
            raise _unexpected(ctx, row, "You cannot update this SetupIntent because it has already succeeded.")
        method = method_of(ctx, changes["payment_method"])
        charging.check_owner(method, changes.get("customer") or row.customer, "SetupIntent")
        changes |= {"payment_method": method.id, "status": "requires_confirmation"}
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    return show(ctx, row)


@app.post("/v1/setup_intents/{intent}/confirm", tool="confirm_setup_intent", effect="transition", mcp=False)
def confirm_setup_intent(
    ctx: Ctx,
    intent: str,
    payment_method: str | MISSING = MISSING,
    return_url: str | MISSING = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any] | Reply:
    """Saves the payment method of a setup intent.

    intent: The setup intent's ID.
    payment_method: The payment method, where the intent has none yet.
    return_url: Where to send the customer after authentication.
    """
    row = ctx.require(SetupIntent, intent)
    key = row.payment_method if payment_method is MISSING else payment_method
    error = _confirm(ctx, row, method_of(ctx, key) if key else None)
    return ctx.refusal(error) if error else show(ctx, row)


@app.post("/v1/setup_intents/{intent}/cancel", tool="cancel_setup_intent", effect="transition", mcp=False)
def cancel_setup_intent(
    ctx: Ctx, intent: str, cancellation_reason: Literal["abandoned", "duplicate", "requested_by_customer"] | MISSING = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Cancels a setup intent that has not succeeded.

    intent: The setup intent's ID.
    cancellation_reason: Why.
    """
    row = ctx.require(SetupIntent, intent)
    if row.status == "canceled":
        raise _unexpected(ctx, row, "You cannot cancel this SetupIntent because it is already canceled.")
    if row.status not in CANCELABLE:
        raise _unexpected(
            ctx, row, f"You cannot cancel this SetupIntent because it has a status of {row.status}. Only a SetupIntent with one of the "
            "following statuses may be canceled: `requires_payment_method`, `requires_confirmation`, or `requires_action`.",
        )  # fmt: skip
    ctx.db.update(row, status="canceled", cancellation_reason=asked(cancellation_reason), next_action=None)
    emit(ctx, "setup_intent.canceled", row)
    return show(ctx, row)
