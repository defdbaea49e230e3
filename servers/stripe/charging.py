"""What becomes of a payment intent: attempts, captures, cancellations, refunds, disputes.

The states and the moves between them: https://docs.stripe.com/payments/paymentintents/lifecycle
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from legoenv_mcp.app import ApiError, Ctx

from . import ledger
from .cards import AUTHENTICATES, AUTHENTICATES_LATER, AUTHENTICATION, BYPASS, DECLINES, DISPUTES, Decline
from .errors import refuse
from .events import emit
from .ids import new
from .models import Charge, Dispute, PaymentIntent, PaymentMethod, Refund
from .money import display, processing_fee
from .resources import show

CONFIRMABLE = ("requires_payment_method", "requires_confirmation", "requires_action")
CANCELABLE = ("requires_payment_method", "requires_capture", "requires_confirmation", "requires_action", "processing")
EVIDENCE_DAYS = 8


def unexpected_state(ctx: Ctx, intent: PaymentIntent, message: str, param: str | None = None) -> ApiError:
    """A move that the intent's state does not allow; the error carries the intent."""
    return refuse(message, code="payment_intent_unexpected_state", param=param, payment_intent=show(ctx, intent))


def statuses(allowed: Iterable[str]) -> str:
    return ", ".join(allowed)


def check_confirmable(ctx: Ctx, intent: PaymentIntent) -> None:
    if intent.status == "succeeded":
        raise unexpected_state(
            ctx,
            intent,
            "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.",
        )
    if intent.status not in CONFIRMABLE:
        raise unexpected_state(
            ctx, intent, f"You cannot confirm this PaymentIntent because it has a status of {intent.status}. Only a PaymentIntent with "
            f"one of the following statuses may be confirmed: {statuses(CONFIRMABLE)}.",
        )  # fmt: skip


def missing_method(ctx: Ctx, intent: PaymentIntent) -> ApiError:
    words = "You cannot confirm this PaymentIntent because it's missing a payment method. "
    if intent.customer:
        words += (
            f"To confirm the PaymentIntent with {intent.customer}, specify a payment method attached to this customer along with the "
            "customer ID."
        )
    else:
        words += (
            "You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with "
            "a payment method or ConfirmationToken."
        )
    return unexpected_state(ctx, intent, words)


def check_owner(method: PaymentMethod, customer: str | None, noun: str = "PaymentIntent") -> None:
    """A payment method works for its own customer only, and without one only once."""
    if method.customer and customer is None:
        raise refuse(
            f"The payment method supplied ({method.id}) belongs to the Customer {method.customer}. Please include the Customer in the "
            f"`customer` parameter on the {noun}.",
            param="payment_method",
        )
    if method.customer and method.customer != customer:
        raise refuse(
            f"The PaymentMethod {method.id} does not belong to the Customer you supplied {customer}. Please use this PaymentMethod with "
            "the Customer that it belongs to instead.",
            param="payment_method",
        )
    if method.spent and not method.customer:
        raise refuse(
            "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected "
            "account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod "
            "multiple times, you must attach it to a Customer first.",
            param="payment_method",
        )


def attempt(
    ctx: Ctx, intent: PaymentIntent, method: PaymentMethod, *, off_session: bool = False, return_url: str | None = None
) -> ApiError | None:
    """Charges the intent's amount to a payment method. What a refusal left behind is kept: the caller answers it, not raises it."""
    check_owner(method, intent.customer)
    decline = DECLINES.get(method.behavior)
    authenticates = method.behavior in AUTHENTICATES or (method.behavior in AUTHENTICATES_LATER and off_session)
    if decline is None and authenticates and off_session:
        decline = AUTHENTICATION
    if decline is not None:
        return _declined(ctx, intent, method, decline)
    if authenticates:
        action: dict[str, Any] = {
            "type": "use_stripe_sdk",
            "use_stripe_sdk": {"type": "three_d_secure_redirect", "source": f"src_{intent.id}"},
        }
        if return_url:
            where = {"return_url": return_url, "url": f"https://hooks.stripe.com/3d_secure_2/hosted?intent={intent.id}"}
            action = {"redirect_to_url": where, "type": "redirect_to_url"}
        ctx.db.update(
            intent, status="requires_action", payment_method=method.id, next_action=action, last_payment_error=None
        )
        emit(ctx, "payment_intent.requires_action", intent)
        return None
    _succeeded(ctx, intent, method)
    return None


def _succeeded(ctx: Ctx, intent: PaymentIntent, method: PaymentMethod) -> Charge:
    manual = intent.capture_method == "manual"
    charge = add_charge(ctx, intent, method, status="succeeded", paid=True, outcome=approved())
    # A card that is saved for later is attached to the customer who pays with it.
    if intent.setup_future_usage and intent.customer and not method.customer:
        ctx.db.update(method, customer=intent.customer)
        emit(ctx, "payment_method.attached", method)
    elif not method.customer:
        ctx.db.update(method, spent=True)
    ctx.db.update(
        intent, status="requires_capture" if manual else "succeeded", payment_method=method.id, latest_charge=charge.id,
        amount_capturable=intent.amount if manual else 0, last_payment_error=None, next_action=None,
    )  # fmt: skip
    if manual:
        emit(ctx, "charge.succeeded", charge)
        emit(ctx, "payment_intent.amount_capturable_updated", intent)
        return charge
    capture(ctx, intent, charge, intent.amount, event="charge.succeeded", immediate=method.behavior == BYPASS)
    if method.behavior in DISPUTES:
        reason, case, network_code = DISPUTES[method.behavior]
        open_dispute(ctx, charge, reason, case, network_code)
    emit(ctx, "payment_intent.succeeded", intent)
    return charge


def approved() -> dict[str, Any]:
    return {
        "advice_code": None, "network_advice_code": None, "network_decline_code": None, "network_status": "approved_by_network",
        "reason": None, "risk_level": "normal", "risk_score": 20, "seller_message": "Payment complete.", "type": "authorized",
    }  # fmt: skip


def refused(decline: Decline) -> dict[str, Any]:
    return {
        "advice_code": None, "network_advice_code": None, "network_decline_code": None, "network_status": "declined_by_network",
        "reason": decline.decline_code, "risk_level": "normal", "risk_score": 20,
        "seller_message": f"The bank returned the decline code `{decline.decline_code}`.", "type": "issuer_declined",
    }  # fmt: skip


def add_charge(
    ctx: Ctx, intent: PaymentIntent, method: PaymentMethod, *, at: int | None = None, **fields: Any
) -> Charge:
    """A charge of the intent's amount, not captured yet."""
    if method.card is not None:
        keep = ("brand", "country", "exp_month", "exp_year", "fingerprint", "funding", "last4")
        card = {
            "amount_authorized": intent.amount if fields.get("paid") else None,
            "checks": {"address_line1_check": None, "address_postal_code_check": None, "cvc_check": "pass"},
            **{name: method.card[name] for name in keep}, "network": method.card["brand"], "three_d_secure": None, "wallet": None,
        }  # fmt: skip
        details: dict[str, Any] = {"card": card, "type": "card"}
    else:
        details = {"type": method.type, method.type: method.us_bank_account}
    return ctx.db.add(
        Charge(
            id=new(ctx, "ch"), created=at or ctx.epoch(), amount=intent.amount, billing_details=method.billing_details,
            currency=intent.currency, customer=intent.customer, description=intent.description, metadata_=intent.metadata_,
            payment_intent=intent.id, payment_method=method.id, payment_method_details=details, receipt_email=intent.receipt_email,
            shipping=intent.shipping, statement_descriptor=intent.statement_descriptor,
            statement_descriptor_suffix=intent.statement_descriptor_suffix, transfer_group=intent.transfer_group, **fields,
        )
    )  # fmt: skip


def _declined(ctx: Ctx, intent: PaymentIntent, method: PaymentMethod, decline: Decline) -> ApiError:
    charge = add_charge(ctx, intent, method, **failure(decline))
    error: dict[str, Any] = {
        "advice_code": None, "charge": charge.id, "code": decline.code, "decline_code": decline.decline_code,
        "doc_url": f"https://stripe.com/docs/error-codes/{decline.code.replace('_', '-')}", "message": decline.message,
        "network_advice_code": None, "network_decline_code": None, "payment_method": show(ctx, method), "type": "card_error",
    }  # fmt: skip
    if not method.customer:
        ctx.db.update(method, spent=True)
    ctx.db.update(
        intent,
        status="requires_payment_method",
        payment_method=None,
        latest_charge=charge.id,
        last_payment_error=error,
        next_action=None,
    )
    emit(ctx, "charge.failed", charge)
    emit(ctx, "payment_intent.payment_failed", intent)
    return refuse(
        decline.message, code=decline.code, status=402, type="card_error", decline_code=decline.decline_code, charge=charge.id,
        param=decline.param, payment_intent=show(ctx, intent), payment_method=show(ctx, method),
    )  # fmt: skip


def failure(decline: Decline) -> dict[str, Any]:
    """A failed charge's own columns."""
    return {
        "status": "failed", "paid": False, "failure_code": decline.code, "failure_message": decline.message, "outcome": refused(decline),
    }  # fmt: skip


def capture(
    ctx: Ctx,
    intent: PaymentIntent,
    charge: Charge,
    amount: int,
    *,
    event: str = "charge.captured",
    at: int | None = None,
    immediate: bool = False,
) -> None:
    """Takes the money of an authorised charge. What is not captured is released."""
    movement = ledger.record(
        ctx, "charge", charge.id, amount, charge.currency, fee=processing_fee(amount), description=charge.description, at=at,
        immediate=immediate,
    )  # fmt: skip
    ctx.db.update(charge, captured=True, amount_captured=amount, balance_transaction=movement.id)
    ctx.db.update(intent, status="succeeded", amount_received=amount, amount_capturable=0)
    emit(ctx, event, charge)


def cancel(ctx: Ctx, intent: PaymentIntent, reason: str | None) -> None:
    """Ends an intent for good; money that was only held goes back."""
    held = ctx.db.get(Charge, intent.latest_charge) if intent.latest_charge else None
    if held and intent.status == "requires_capture":
        add_refund(ctx, held, held.amount, "expired_uncaptured_charge" if reason == "automatic" else None, moves=False)
    elif held and held.status == "pending":
        ctx.db.update(
            held, status="failed", failure_code="payment_intent_canceled", failure_message="The payment was canceled."
        )
    ctx.db.update(
        intent, status="canceled", canceled_at=ctx.epoch(), cancellation_reason=reason, amount_capturable=0, next_action=None,
    )  # fmt: skip
    emit(ctx, "payment_intent.canceled", intent)


def add_refund(
    ctx: Ctx,
    charge: Charge,
    amount: int,
    reason: str | None,
    *,
    metadata: Any = None,
    at: int | None = None,
    moves: bool = True,
) -> Refund:
    """Gives money back. Releasing a hold moves none of ours."""
    row = Refund(
        id=new(ctx, "re"), created=at or ctx.epoch(), amount=amount, charge=charge.id, currency=charge.currency,
        payment_intent=charge.payment_intent, reason=reason, metadata_=metadata or {},
    )  # fmt: skip
    if moves:
        words = f"REFUND FOR CHARGE ({charge.description})" if charge.description else "REFUND FOR CHARGE"
        row.balance_transaction = ledger.record(
            ctx, "refund", row.id, -amount, charge.currency, description=words, at=at
        ).id
    ctx.db.add(row)
    back = charge.amount_refunded + amount
    ctx.db.update(charge, amount_refunded=back, refunded=back >= (charge.amount_captured or charge.amount))
    emit(ctx, "refund.created", row)
    emit(ctx, "charge.refunded", charge)
    return row


def check_refundable(charge: Charge, amount: int | None) -> int:
    """How much a refund gives back; refused where the charge has not that much left."""
    if charge.status == "failed" or not charge.paid:
        where = f"PaymentIntent ({charge.payment_intent})"
        raise refuse(f"This {where} does not have a successful charge to refund.")
    if charge.refunded:
        raise refuse(f"Charge {charge.id} has already been refunded.", code="charge_already_refunded")
    if not charge.captured:
        raise refuse(
            f"This uncaptured Charge was created by a PaymentIntent ({charge.payment_intent}). You must cancel the PaymentIntent instead "
            "of refunding the Charge directly."
        )
    left = charge.amount_captured - charge.amount_refunded
    wanted = left if amount is None else amount
    if wanted > left:
        shown, rest = display(wanted, charge.currency), display(left, charge.currency)
        raise refuse(f"Refund amount ({shown}) is greater than unrefunded amount on charge ({rest})", param="amount")
    return wanted


def open_dispute(
    ctx: Ctx, charge: Charge, reason: str, case: str = "chargeback", network_code: str = "10.4", at: int | None = None
) -> Dispute:
    """A customer's bank questions a charge. A chargeback takes the money and a fee at once, an inquiry takes nothing."""
    moment = at or ctx.epoch()
    end = datetime.fromtimestamp(moment, UTC).replace(hour=23, minute=59, second=59, microsecond=0) + timedelta(
        days=EVIDENCE_DAYS
    )
    row = ctx.db.add(
        Dispute(
            id=new(ctx, "du"), created=moment, amount=charge.amount_captured - charge.amount_refunded, charge=charge.id,
            currency=charge.currency, payment_intent=charge.payment_intent, reason=reason, due_by=int(end.timestamp()),
            status="warning_needs_response" if case == "inquiry" else "needs_response", network_reason_code=network_code,
            case_type="inquiry" if case == "inquiry" else "chargeback", is_charge_refundable=case == "inquiry",
        )
    )  # fmt: skip
    ctx.db.update(charge, disputed=True)
    emit(ctx, "charge.dispute.created", row)
    if case == "chargeback":
        withdraw(ctx, row, at=at)
    return row


def withdraw(ctx: Ctx, dispute: Dispute, at: int | None = None) -> None:
    """The bank takes a disputed amount, and Stripe its fee."""
    words = f"Chargeback withdrawal for {dispute.charge}"
    ledger.record(
        ctx, "adjustment", dispute.id, -dispute.amount, dispute.currency, fee=ledger.DISPUTE_FEE, category="dispute", description=words,
        at=at, immediate=True,
    )  # fmt: skip
    emit(ctx, "charge.dispute.funds_withdrawn", dispute)


def reinstate(ctx: Ctx, dispute: Dispute) -> None:
    """A dispute is won: the amount comes back, the fee does not."""
    words = f"Chargeback reversal for {dispute.charge}"
    ledger.record(
        ctx,
        "adjustment",
        dispute.id,
        dispute.amount,
        dispute.currency,
        category="dispute_reversal",
        description=words,
        immediate=True,
    )
    emit(ctx, "charge.dispute.funds_reinstated", dispute)
