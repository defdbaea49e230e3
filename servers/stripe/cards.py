"""Stripe's test cards: how each looks and what becomes of it. https://docs.stripe.com/testing

A payment method `pm_card_NAME`, a token `tok_NAME` and a test number stand for the same card. A name ends with what the card
does when it is charged: `visa_chargeDeclinedInsufficientFunds`.
"""

from dataclasses import dataclass
from typing import Any

from legoenv_mcp.app import Ctx

from .errors import no_such, refuse
from .ids import new, token
from .models import PaymentMethod


@dataclass(frozen=True, slots=True)
class Decline:
    """Why a charge fails, as the error and the charge's outcome say it."""

    code: str
    decline_code: str
    message: str
    param: str | None = None


GENERIC = Decline("card_declined", "generic_decline", "Your card was declined.")
AUTHENTICATION = Decline(
    "authentication_required",
    "authentication_required",
    "Your card was declined. This transaction requires authentication.",
)
DECLINES = {
    "chargeDeclined": GENERIC,
    "chargeCustomerFail": GENERIC,
    "chargeDeclinedInsufficientFunds": Decline("card_declined", "insufficient_funds", "Your card has insufficient funds."),
    "chargeDeclinedDoNotHonor": Decline("card_declined", "do_not_honor", "Your card was declined."),
    "chargeDeclinedLostCard": Decline("card_declined", "lost_card", "Your card was declined."),
    "chargeDeclinedStolenCard": Decline("card_declined", "stolen_card", "Your card was declined."),
    "chargeDeclinedFraudulent": Decline("card_declined", "fraudulent", "Your card was declined."),
    "radarBlock": Decline("card_declined", "fraudulent", "Your card was declined."),
    "chargeDeclinedExpiredCard": Decline("expired_card", "expired_card", "Your card has expired.", "exp_month"),
    "chargeDeclinedIncorrectCvc": Decline("incorrect_cvc", "incorrect_cvc", "Your card's security code is incorrect.", "cvc"),
    "chargeDeclinedProcessingError": Decline(
        "processing_error", "processing_error", "An error occurred while processing your card. Try again in a little bit."
    ),
    "chargeDeclinedVelocityLimitExceeded": Decline(
        "card_declined", "card_velocity_exceeded", "Your card was declined for making repeated attempts too frequently or exceeding its "
        "amount limit.",
    ),
}  # fmt: skip
AUTHENTICATES = {
    "authenticationRequired",
    "authenticationRequiredOnSetup",
    "threeDSecure2Required",
    "threeDSecureRequired",
}
AUTHENTICATES_LATER = {"authenticationRequiredSetupForOffSession"}
DISPUTES = {
    "createDispute": ("fraudulent", "chargeback", "10.4"),
    "createDisputeProductNotReceived": ("product_not_received", "chargeback", "13.1"),
    "createDisputeInquiry": ("fraudulent", "inquiry", "10"),
}
BYPASS = "bypassPending"

# name -> brand, last four digits, funding, country.
LOOKS = {
    "visa": ("visa", "4242", "credit", "US"), "visa_debit": ("visa", "5556", "debit", "US"),
    "mastercard": ("mastercard", "4444", "credit", "US"), "mastercard_debit": ("mastercard", "8210", "debit", "US"),
    "mastercard_prepaid": ("mastercard", "5100", "prepaid", "US"), "amex": ("amex", "8431", "credit", "US"),
    "discover": ("discover", "1117", "credit", "US"), "diners": ("diners", "0004", "credit", "US"),
    "jcb": ("jcb", "0505", "credit", "JP"), "unionpay": ("unionpay", "0005", "credit", "CN"), "us": ("visa", "4242", "credit", "US"),
    "gb": ("visa", "0018", "credit", "GB"), "de": ("visa", "0024", "credit", "DE"), "fr": ("visa", "0003", "credit", "FR"),
    "ie": ("visa", "0000", "credit", "IE"), "jp": ("visa", "0003", "credit", "JP"), "ca": ("visa", "0000", "credit", "CA"),
    "au": ("visa", "0006", "credit", "AU"),
}  # fmt: skip
LAST4 = {
    "chargeDeclined": "0002", "chargeCustomerFail": "0341", "chargeDeclinedInsufficientFunds": "9995", "chargeDeclinedLostCard": "9987",
    "chargeDeclinedStolenCard": "9979", "chargeDeclinedExpiredCard": "0069", "chargeDeclinedIncorrectCvc": "0127",
    "chargeDeclinedProcessingError": "0119", "chargeDeclinedVelocityLimitExceeded": "6975", "chargeDeclinedFraudulent": "0019",
    "radarBlock": "0019", "authenticationRequired": "3184", "authenticationRequiredOnSetup": "3155",
    "authenticationRequiredSetupForOffSession": "3155", "threeDSecure2Required": "3220", "threeDSecureRequired": "3063",
    "createDispute": "0259", "createDisputeProductNotReceived": "2685", "createDisputeInquiry": "1976", BYPASS: "0077",
}  # fmt: skip
NUMBERS = {
    "4242424242424242": "visa", "4000056655665556": "visa_debit", "5555555555554444": "mastercard", "5200828282828210": "mastercard_debit",
    "5105105105105100": "mastercard_prepaid", "378282246310005": "amex", "6011111111111117": "discover", "3056930009020004": "diners",
    "3566002020360505": "jcb", "6200000000000005": "unionpay", "4000000000000002": "chargeDeclined",
    "4000000000009995": "chargeDeclinedInsufficientFunds", "4000000000009987": "chargeDeclinedLostCard",
    "4000000000009979": "chargeDeclinedStolenCard", "4000000000000069": "chargeDeclinedExpiredCard",
    "4000000000000127": "chargeDeclinedIncorrectCvc", "4000000000000119": "chargeDeclinedProcessingError",
    "4000000000000341": "chargeCustomerFail", "4000002760003184": "authenticationRequired", "4000000000003220": "threeDSecure2Required",
    "4000000000000259": "createDispute", "4000000000000077": BYPASS,
}  # fmt: skip


def behavior_of(name: str) -> tuple[str, str] | None:
    """A test card's looks and behaviour by its name; None where Stripe has no such card."""
    if name in LOOKS:
        return name, ""
    brand, _, behavior = name.rpartition("_")
    if behavior in LAST4 and brand in ("", *LOOKS):
        return brand or "visa", behavior
    return None


def make_card(ctx: Ctx, name: str, **more: Any) -> PaymentMethod | None:
    """A new payment method of a test card, unattached; None where there is no such card."""
    found = behavior_of(name)
    if found is None:
        return None
    brand, last4, funding, country = LOOKS[found[0]]
    last4 = LAST4.get(found[1], last4)
    return add_card(ctx, brand, last4, funding=funding, country=country, behavior=found[1], **more)


def add_card(
    ctx: Ctx, brand: str, last4: str, *, funding: str = "credit", country: str = "US", behavior: str = "", exp_month: int | None = None,
    exp_year: int | None = None, created: int | None = None, customer: str | None = None, billing: Any = None, metadata: Any = None,
) -> PaymentMethod:  # fmt: skip
    """A card as a payment method. Its fingerprint depends on the card alone, as Stripe's does."""
    card = {
        "brand": brand, "country": country, "exp_month": exp_month or ctx.now.month, "exp_year": exp_year or ctx.now.year + 1,
        "fingerprint": token("card", brand, last4, funding).replace("-", "x").replace("_", "y")[:16], "funding": funding,
        "last4": last4, "regulated_status": "unregulated",
    }  # fmt: skip
    return ctx.db.add(
        PaymentMethod(
            id=new(ctx, "pm"), created=created or ctx.epoch(), customer=customer, card=card, behavior=behavior,
            billing_details=billing or dict(EMPTY_BILLING), metadata_=metadata or {},
        )
    )  # fmt: skip


EMPTY_BILLING = {"address": dict.fromkeys(("city", "country", "line1", "line2", "postal_code", "state")), "email": None, "name": None,
                 "phone": None, "tax_id": None}  # fmt: skip


def method_of(ctx: Ctx, key: str, param: str = "payment_method") -> PaymentMethod:
    """The payment method with this id; a test id like `pm_card_visa` makes a new one."""
    if key.startswith("pm_card_") and (made := make_card(ctx, key.removeprefix("pm_card_"))):
        return made
    found = ctx.db.get(PaymentMethod, key)
    if found is None:
        raise no_such("PaymentMethod", key, param=param, status=400)
    return found


def from_number(number: str, name: str = "card[number]") -> str:
    """The test card with this number. Numbers of real cards are refused, as Stripe's test mode refuses them."""
    digits = number.replace(" ", "").replace("-", "")
    if digits in NUMBERS:
        return NUMBERS[digits]
    if not digits.isdecimal() or not 12 <= len(digits) <= 19 or not _luhn(digits):
        raise refuse(
            "Your card number is incorrect.", code="incorrect_number", param="number", status=402, type="card_error"
        )
    raise refuse(
        "Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test cards, visit: "
        "https://stripe.com/docs/testing.",
        code="card_declined", decline_code="test_mode_live_card", status=402, type="card_error",
    )  # fmt: skip


def _luhn(digits: str) -> bool:
    doubled = [int(d) * (2 if i % 2 else 1) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0
