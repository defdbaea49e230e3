"""Stripe: payment intents; refunds, disputes, the balance."""

from typing import Any

import pytest

from tests.apps.stripe.support import Stripe


def intent(api: Stripe, **more: Any) -> dict[str, Any]:
    return api.post("/v1/payment_intents", **{"amount": 2000, "currency": "usd", **more})


def test_a_payment_intent_runs_through_its_states(api: Stripe) -> None:
    made = intent(api)
    assert (made["status"], made["capture_method"]) == ("requires_payment_method", "automatic_async")
    assert made["client_secret"].startswith(made["id"] + "_secret_")
    path = f"/v1/payment_intents/{made['id']}"
    error = api.refused("POST", path + "/confirm")
    assert (error["code"], error["payment_intent"]["id"]) == ("payment_intent_unexpected_state", made["id"])
    assert api.post(path, payment_method="pm_card_visa")["status"] == "requires_confirmation"
    done = api.post(path + "/confirm")
    assert (done["status"], done["amount_received"]) == ("succeeded", 2000)
    for leaf, words in (
        ("/confirm", "already succeeded"),
        ("/capture", "already been captured"),
        ("/cancel", "has a status of succeeded"),
    ):
        error = api.refused("POST", path + leaf)
        assert error["code"] == "payment_intent_unexpected_state"
        assert words in error["message"]
    error = api.refused("POST", path, amount=900)
    assert "amount could not be updated" in error["message"]
    assert api.post(path, description="still fine")["description"] == "still fine"


def test_a_manual_capture_holds_then_takes_a_part(api: Stripe) -> None:
    before = api.balance()
    made = intent(api, capture_method="manual", payment_method="pm_card_visa", confirm=True)
    path = f"/v1/payment_intents/{made['id']}"
    assert (made["status"], made["amount_capturable"], api.balance()) == ("requires_capture", 2000, before)
    charge = api.get(f"/v1/charges/{made['latest_charge']}")
    assert (charge["captured"], charge["paid"], charge["balance_transaction"]) == (False, True, None)
    assert "must cancel the PaymentIntent" in api.refused("POST", "/v1/refunds", charge=charge["id"])["message"]
    assert api.refused("POST", path + "/capture", amount_to_capture=2001)["code"] == "amount_too_large"
    taken = api.post(path + "/capture", amount_to_capture=1500)
    assert (taken["status"], taken["amount_received"], taken["amount_capturable"]) == ("succeeded", 1500, 0)
    assert api.balance()["usd"] - before["usd"] == 1500 - 74
    assert api.refused("POST", "/v1/refunds", charge=charge["id"], amount=1501)["param"] == "amount"


def test_canceling_releases_what_was_held(api: Stripe) -> None:
    made = intent(api, capture_method="manual", payment_method="pm_card_visa", confirm=True)
    before = api.balance()
    gone = api.post(f"/v1/payment_intents/{made['id']}/cancel", cancellation_reason="abandoned")
    assert (gone["status"], gone["cancellation_reason"], gone["canceled_at"] is not None) == (
        "canceled",
        "abandoned",
        True,
    )
    charge = api.get(f"/v1/charges/{made['latest_charge']}")
    assert (charge["refunded"], charge["captured"], api.balance()) == (True, False, before)
    assert "status of canceled" in api.refused("POST", f"/v1/payment_intents/{made['id']}/cancel")["message"]
    assert (
        api.refused("POST", f"/v1/payment_intents/{made['id']}/confirm", payment_method="pm_card_visa")["code"]
        == "payment_intent_unexpected_state"
    )


@pytest.mark.parametrize(
    ("card", "code", "decline"),
    [
        ("pm_card_visa_chargeDeclined", "card_declined", "generic_decline"),
        ("pm_card_chargeCustomerFail", "card_declined", "generic_decline"),
        ("pm_card_visa_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
        ("pm_card_visa_chargeDeclinedLostCard", "card_declined", "lost_card"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card", "expired_card"),
        ("pm_card_chargeDeclinedIncorrectCvc", "incorrect_cvc", "incorrect_cvc"),
        ("pm_card_chargeDeclinedProcessingError", "processing_error", "processing_error"),
    ],
)
def test_a_decline_is_a_402_that_leaves_the_failed_charge(api: Stripe, card: str, code: str, decline: str) -> None:
    before = api.balance()
    made = intent(api, payment_method=card)
    reply = api.reply("POST", f"/v1/payment_intents/{made['id']}/confirm")
    error = reply.body["error"]
    assert (reply.status, error["type"], error["code"], error["decline_code"]) == (402, "card_error", code, decline)
    assert error["payment_intent"]["status"] == "requires_payment_method"
    charge = api.get(f"/v1/charges/{error['charge']}")
    assert (charge["status"], charge["failure_code"], charge["outcome"]["reason"]) == ("failed", code, decline)
    assert api.balance() == before
    assert (
        "does not have a successful charge" in api.refused("POST", "/v1/refunds", payment_intent=made["id"])["message"]
    )
    assert api.post(f"/v1/payment_intents/{made['id']}/confirm", payment_method="pm_card_visa")["status"] == "succeeded"


def test_three_d_secure_waits_for_the_customer(api: Stripe, harbor: str) -> None:
    made = intent(api, payment_method="pm_card_threeDSecure2Required", confirm=True, return_url="https://example.com")
    assert (made["status"], made["next_action"]["type"]) == ("requires_action", "redirect_to_url")
    away = api.reply(
        "POST",
        "/v1/payment_intents",
        amount=500,
        currency="usd",
        confirm=True,
        off_session=True,
        payment_method="pm_card_authenticationRequired",
    )
    assert away.body["error"]["code"] == "authentication_required"
    assert api.post(f"/v1/payment_intents/{made['id']}/cancel")["status"] == "canceled"


def test_payment_methods_belong_to_their_customer(api: Stripe, harbor: str) -> None:
    nord, card = api.ref("Customer", "nord"), api.card(harbor)
    wrong = api.refused("POST", "/v1/payment_intents", amount=500, currency="usd", customer=nord, payment_method=card)
    assert "does not belong to the Customer you supplied" in wrong["message"]
    assert (
        "Please include the Customer"
        in api.refused("POST", "/v1/payment_intents", amount=500, currency="usd", payment_method=card)["message"]
    )
    once = intent(api, payment_method="pm_card_visa", confirm=True)["payment_method"]
    assert (
        "may not be used again"
        in api.refused("POST", "/v1/payment_intents", amount=500, currency="usd", payment_method=once, confirm=True)[
            "message"
        ]
    )
    api.post(f"/v1/payment_methods/{card}/detach")
    assert api.get(f"/v1/customers/{harbor}")["invoice_settings"]["default_payment_method"] is None
    assert "not attached to a customer" in api.refused("POST", f"/v1/payment_methods/{card}/detach")["message"]
    assert (
        "may not be used again" in api.refused("POST", f"/v1/payment_methods/{card}/attach", customer=harbor)["message"]
    )
    assert api.refused("POST", "/v1/payment_methods/pm_card_chargeDeclined/attach", customer=harbor)["status"] == 402
    assert api.refused("POST", "/v1/payment_methods/pm_card_nonsense/attach", customer=harbor)["status"] == 404


def test_zero_decimal_amounts_have_no_cents(api: Stripe) -> None:
    made = intent(api, amount=5000, currency="JPY", payment_method="pm_card_visa", confirm=True)
    assert made["currency"] == "jpy"
    error = api.refused("POST", "/v1/refunds", payment_intent=made["id"], amount=5001)
    assert error["message"] == "Refund amount (¥5,001) is greater than unrefunded amount on charge (¥5,000)"
    assert "Invalid currency: xyz" in api.refused("POST", "/v1/payment_intents", amount=500, currency="xyz")["message"]


def test_refunds_never_exceed_the_charge(api: Stripe) -> None:
    charge = api.ref("Payment", "p3")
    error = api.refused("POST", "/v1/refunds", charge=charge, amount=16001)
    assert error["message"] == "Refund amount ($160.01) is greater than unrefunded amount on charge ($160.00)"
    rest = api.post("/v1/refunds", charge=charge, metadata={"ticket": "7"})
    assert (rest["amount"], rest["metadata"]) == (16000, {"ticket": "7"})
    assert api.get(f"/v1/charges/{charge}")["refunded"] is True
    error = api.refused("POST", "/v1/refunds", charge=charge)
    assert (error["code"], error["message"]) == (
        "charge_already_refunded",
        f"Charge {charge} has already been refunded.",
    )
    assert api.refused("POST", f"/v1/refunds/{rest['id']}/cancel")["message"] == "Canceling this refund is unsupported."
    assert api.get("/v1/refunds", charge=charge)["data"][0]["id"] == rest["id"]
    moved = api.get("/v1/balance_transactions", source=rest["id"])["data"][0]
    assert (moved["amount"], moved["fee"], moved["type"]) == (-16000, 0, "refund")


def test_a_disputed_charge_is_not_refunded_until_the_dispute_is_won(api: Stripe) -> None:
    charge = api.ref("Payment", "p4")
    assert api.refused("POST", "/v1/refunds", charge=charge)["code"] == "charge_disputed"
    found = api.get("/v1/disputes", charge=charge)["data"][0]
    assert (found["status"], found["amount"], found["balance_transactions"][0]["net"]) == ("needs_response", 900, -2400)
    path = f"/v1/disputes/{found['id']}"
    staged = api.post(path, evidence={"product_description": "Seats"}, submit=False)
    assert (staged["status"], staged["evidence"]["product_description"]) == ("needs_response", "Seats")
    before = api.balance()["usd"]
    won = api.post(path, evidence={"uncategorized_text": "winning_evidence"})
    assert (won["status"], won["evidence_details"]["submission_count"]) == ("won", 1)
    assert won["evidence"]["product_description"] == "Seats"
    assert api.balance()["usd"] == before + 900
    assert (
        api.refused("POST", path, evidence={"uncategorized_text": "more"})["message"]
        == "This dispute is already closed"
    )
    assert api.refused("POST", path + "/close")["message"] == "This dispute is already closed"
    assert api.post("/v1/refunds", charge=charge)["amount"] == 900


def test_disputes_move_through_their_states(api: Stripe) -> None:
    def disputed(card: str) -> dict[str, Any]:
        made = intent(api, payment_method=card, confirm=True)
        return api.get("/v1/disputes", payment_intent=made["id"])["data"][0]

    plain = disputed("pm_card_createDispute")
    assert api.post(f"/v1/disputes/{plain['id']}", evidence={"receipt": "r"})["status"] == "under_review"
    assert api.post(f"/v1/disputes/{plain['id']}/close")["status"] == "lost"
    lost = disputed("pm_card_createDispute")
    assert (
        api.post(f"/v1/disputes/{lost['id']}", evidence={"uncategorized_text": "losing_evidence"})["status"] == "lost"
    )
    before = api.balance()["usd"]
    asked = disputed("pm_card_createDisputeInquiry")
    assert (asked["status"], asked["is_charge_refundable"], asked["balance_transactions"]) == (
        "warning_needs_response",
        True,
        [],
    )
    escalated = api.post(f"/v1/disputes/{asked['id']}", evidence={"uncategorized_text": "escalate_inquiry_evidence"})
    assert (escalated["status"], escalated["is_charge_refundable"]) == ("needs_response", False)
    assert api.balance()["usd"] == before + 2000 - 88 - 2000 - 1500


def test_payouts_take_what_is_available_only(api: Stripe) -> None:
    shown = {e["currency"]: e["amount"] for e in api.get("/v1/balance")["available"]}
    intent(api, amount=90000, payment_method="pm_card_visa", confirm=True)
    assert {e["currency"]: e["amount"] for e in api.get("/v1/balance")["available"]} == shown
    error = api.refused("POST", "/v1/payouts", amount=shown["usd"] + 1, currency="usd")
    assert error["code"] == "balance_insufficient"
    paid = api.post("/v1/payouts", amount=shown["usd"], currency="usd")
    assert (paid["status"], paid["arrival_date"] > paid["created"]) == ("pending", True)
    assert {e["currency"]: e["amount"] for e in api.get("/v1/balance")["available"]}["usd"] == 0
    assert api.post(f"/v1/payouts/{paid['id']}/cancel")["status"] == "canceled"
    assert {e["currency"]: e["amount"] for e in api.get("/v1/balance")["available"]} == shown
    assert api.refused("POST", f"/v1/payouts/{paid['id']}/cancel")["code"] == "payout_not_cancelable"
