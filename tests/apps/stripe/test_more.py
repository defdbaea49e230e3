"""Stripe's smaller changes: names, metadata and switches of what exists already, and discounts and items that are taken away."""

from typing import Any

import pytest

from tests.apps.stripe.support import Stripe


@pytest.fixture
def api() -> Stripe:
    return Stripe()


@pytest.fixture
def harbor(api: Stripe) -> str:
    return api.ref("Customer", "harbor")


def told(api: Stripe, kind: str) -> list[dict[str, Any]]:
    """What the events of a kind hold, newest first."""
    return [event["data"] for event in api.get("/v1/events", type=kind)["data"]]


def changed(api: Stripe) -> dict[str, set[str]]:
    """Table -> the columns that were changed there."""
    out = dict[str, set[str]]()
    for change in api.episode.changes():
        if change.kind == "update":
            out.setdefault(change.table, set()).update(change.columns)
    return out


def missing(api: Stripe, method: str, path: str, **params: Any) -> None:
    error = api.refused(method, path, **params)
    assert (error["status"], error["code"]) == (404, "resource_missing")


def test_metadata_of_money_that_moved_is_joined_and_taken_away(api: Stripe) -> None:
    payout = api.post("/v1/payouts", amount=1000, currency="usd", metadata={"batch": "7", "by": "ops"})["id"]
    refund = api.post("/v1/refunds", charge=api.ref("Payment", "p3"), amount=500, metadata={"batch": "7", "by": "ops"})[
        "id"
    ]
    for path, kind in ((f"/v1/payouts/{payout}", "payout"), (f"/v1/refunds/{refund}", "refund")):
        before, money = api.get(path), api.balance()
        shown = api.post(path, metadata={"batch": "8", "by": "", "note": "checked"})
        assert shown == {**before, "metadata": {"batch": "8", "note": "checked"}} == api.get(path)
        assert api.balance() == money
        event = told(api, f"{kind}.updated")[0]
        assert event["previous_attributes"] == {"metadata": {"batch": "7", "by": "ops", "note": None}}
        assert event["object"]["metadata"] == {"batch": "8", "note": "checked"}
        assert api.refused("POST", path, amount=5)["param"] == "amount"
        missing(api, "POST", f"{path}x", metadata={"a": "b"})


def test_charges_change_all_but_their_money(api: Stripe, harbor: str) -> None:
    path = f"/v1/charges/{api.ref('Payment', 'p3')}"
    before = api.get(path)
    address = {"line1": "1 Quay", "city": "Chicago", "country": "US"}
    shown = api.post(
        path, description="Consulting, May", receipt_email="ap@harbor.example", fraud_details={"user_report": "safe"},
        shipping={"name": "Harbor", "address": address}, metadata={"po": "12"},
    )  # fmt: skip
    assert shown == api.get(path)
    assert (shown["description"], shown["receipt_email"]) == ("Consulting, May", "ap@harbor.example")
    assert (shown["fraud_details"], shown["metadata"]) == ({"user_report": "safe"}, {"po": "12"})
    assert (shown["shipping"]["name"], shown["shipping"]["address"]["city"]) == ("Harbor", "Chicago")
    assert (shown["amount"], shown["amount_refunded"]) == (before["amount"], before["amount_refunded"])
    assert changed(api) == {"charge": {"description", "receipt_email", "fraud_details", "shipping", "metadata_"}}
    assert told(api, "charge.updated")[0]["previous_attributes"]["description"] == "Consulting"
    assert api.refused("POST", path, customer=harbor)["param"] == "customer"
    assert api.refused("POST", path, fraud_details={"user_report": "odd"})["param"] == "fraud_details[user_report]"
    missing(api, "POST", "/v1/charges/ch_no", description="x")


def test_a_charge_without_a_customer_may_get_one(api: Stripe, harbor: str) -> None:
    paid = api.post("/v1/payment_intents", amount=500, currency="usd", payment_method="pm_card_visa", confirm=True)
    path = f"/v1/charges/{paid['latest_charge']}"
    assert api.refused("POST", path, customer="cus_no")["param"] == "customer"
    assert api.post(path, customer=harbor)["customer"] == harbor
    assert paid["latest_charge"] in {c["id"] for c in api.get("/v1/charges", customer=harbor)["data"]}


def test_charges_are_captured_and_refunds_canceled_elsewhere_or_never(api: Stripe) -> None:
    held = api.post(
        "/v1/payment_intents", amount=500, currency="usd", payment_method="pm_card_visa", confirm=True, capture_method="manual"
    )  # fmt: skip
    path = f"/v1/charges/{held['latest_charge']}/capture"
    assert f"PaymentIntent ({held['id']})" in api.refused("POST", path)["message"]
    api.post(f"/v1/payment_intents/{held['id']}/capture")
    assert api.refused("POST", path)["code"] == "charge_already_captured"
    missing(api, "POST", "/v1/charges/ch_no/capture")
    refund = api.post("/v1/refunds", charge=held["latest_charge"])["id"]
    assert "unsupported" in api.refused("POST", f"/v1/refunds/{refund}/cancel")["message"]
    assert api.get(f"/v1/refunds/{refund}")["status"] == "succeeded"
    missing(api, "POST", "/v1/refunds/re_no/cancel")


def test_coupons_and_their_codes_change_little(api: Stripe, harbor: str) -> None:
    api.post("/v1/coupons", id="TEN", percent_off=10, name="Ten")
    shown = api.post("/v1/coupons/TEN", name="Spring", metadata={"by": "ops"})
    assert (shown["name"], shown["metadata"], shown["percent_off"]) == ("Spring", {"by": "ops"}, 10)
    assert api.get("/v1/coupons/TEN") == shown
    assert told(api, "coupon.updated")[0]["previous_attributes"] == {"name": "Ten", "metadata": {"by": None}}
    assert api.refused("POST", "/v1/coupons/TEN", percent_off=50)["param"] == "percent_off"
    missing(api, "POST", "/v1/coupons/NO", name="x")

    gift = {"promotion": {"type": "coupon", "coupon": "TEN"}, "code": "HELLO"}
    code = api.post("/v1/promotion_codes", **gift)["id"]
    off = api.post(f"/v1/promotion_codes/{code}", active=False, metadata={"why": "leaked"})
    assert (off["active"], off["metadata"]) == (False, {"why": "leaked"})
    assert api.get("/v1/promotion_codes", active=False)["data"] == [off]
    late = api.refused("POST", "/v1/invoices", customer=harbor, discounts=[{"promotion_code": code}])
    assert late["code"] == "promotion_code_expired"
    other = api.post("/v1/promotion_codes", **gift)["id"]
    assert api.refused("POST", f"/v1/promotion_codes/{code}", active=True)["code"] == "resource_already_exists"
    api.post(f"/v1/promotion_codes/{other}", active=False)
    assert api.post(f"/v1/promotion_codes/{code}", active=True)["active"] is True
    api.post("/v1/invoices", customer=harbor, discounts=[{"promotion_code": code}])
    assert api.get(f"/v1/promotion_codes/{code}")["times_redeemed"] == 1
    missing(api, "POST", "/v1/promotion_codes/promo_no", active=False)


def test_a_subscription_loses_its_discount(api: Stripe) -> None:
    sub = api.ref("Subscription", "sub")
    path = f"/v1/subscriptions/{sub}"
    missing(api, "DELETE", f"{path}/discount")
    api.post("/v1/coupons", id="TEN", percent_off=10, duration="forever")
    given = api.post(path, discounts=[{"coupon": "TEN"}])["discounts"]
    gone = api("DELETE", f"{path}/discount")
    assert (gone["id"], gone["object"], gone["deleted"], gone["subscription"]) == (given[0], "discount", True, sub)
    assert api.get(path)["discounts"] == []
    assert api.get("/v1/coupons/TEN")["id"] == "TEN"
    assert told(api, "customer.discount.deleted")[0]["object"]["id"] == given[0]
    missing(api, "DELETE", f"{path}/discount")
    missing(api, "DELETE", "/v1/subscriptions/sub_no/discount")


def test_tax_rates_are_renamed_and_archived(api: Stripe, harbor: str) -> None:
    rate = api.post("/v1/tax_rates", display_name="VAT", percentage=20, inclusive=False)["id"]
    shown = api.post(f"/v1/tax_rates/{rate}", display_name="Sales tax", jurisdiction="US", metadata={"a": "b"})
    assert (shown["display_name"], shown["jurisdiction"], shown["percentage"]) == ("Sales tax", "US", 20)
    item = {"customer": harbor, "amount": 100, "currency": "usd", "tax_rates": [rate]}
    assert api.post("/v1/invoiceitems", **item)["tax_rates"][0]["display_name"] == "Sales tax"
    assert api.post(f"/v1/tax_rates/{rate}", active=False)["active"] is False
    assert told(api, "tax_rate.updated")[0]["previous_attributes"] == {"active": True}
    assert rate in {r["id"] for r in api.get("/v1/tax_rates", active=False)["data"]}
    assert "archived" in api.refused("POST", "/v1/invoiceitems", **item)["message"]
    assert api.refused("POST", f"/v1/tax_rates/{rate}", percentage=5)["param"] == "percentage"
    missing(api, "POST", "/v1/tax_rates/txr_no", active=False)


def test_credit_notes_change_their_memo(api: Stripe) -> None:
    note = api.post("/v1/credit_notes", invoice=api.ref("Invoice", "open"), amount=500, memo="Late")
    path = f"/v1/credit_notes/{note['id']}"
    shown = api.post(path, memo="Came late", metadata={"case": "4"})
    assert shown == {**note, "memo": "Came late", "metadata": {"case": "4"}} == api.get(path)
    assert told(api, "credit_note.updated")[0]["previous_attributes"] == {"memo": "Late", "metadata": {"case": None}}
    assert api.refused("POST", path, amount=900)["param"] == "amount"
    missing(api, "POST", "/v1/credit_notes/cn_no", memo="x")


def test_items_are_deleted_until_their_invoice_is_final(api: Stripe, harbor: str) -> None:
    item = {"customer": harbor, "currency": "usd"}
    waits = api.post("/v1/invoiceitems", **item, amount=300)["id"]
    assert api("DELETE", f"/v1/invoiceitems/{waits}") == {"id": waits, "object": "invoiceitem", "deleted": True}
    missing(api, "GET", f"/v1/invoiceitems/{waits}")
    draft = api.post("/v1/invoices", customer=harbor)["id"]
    one, two = (api.post("/v1/invoiceitems", **item, amount=n, invoice=draft)["id"] for n in (400, 900))
    api("DELETE", f"/v1/invoiceitems/{one}")
    shown = api.get(f"/v1/invoices/{draft}")
    assert (shown["total"], [line["amount"] for line in shown["lines"]["data"]]) == (900, [900])
    assert [event["object"]["id"] for event in told(api, "invoiceitem.deleted")] == [one, waits]
    api.post(f"/v1/invoices/{draft}/finalize")
    assert api.refused("DELETE", f"/v1/invoiceitems/{two}")["code"] == "invoice_not_editable"
    missing(api, "DELETE", "/v1/invoiceitems/ii_no")


def test_payment_methods_are_made_saved_and_changed(api: Stripe, harbor: str) -> None:
    card = {"number": "4242 4242 4242 4242", "exp_month": 5, "exp_year": 2027, "cvc": "123"}
    made = api.post(
        "/v1/payment_methods", type="card", card=card, billing_details={"name": "Harbor", "email": "ap@harbor.example"},
        metadata={"desk": "2"},
    )  # fmt: skip
    path = f"/v1/payment_methods/{made['id']}"
    assert (made["customer"], made["card"]["last4"], made["card"]["brand"]) == (None, "4242", "visa")
    assert (made["card"]["exp_month"], made["card"]["exp_year"]) == (5, 2027)
    assert "number" not in made["card"]
    assert (made["billing_details"]["name"], made["metadata"]) == ("Harbor", {"desk": "2"})
    assert api.get(path) == made
    assert "before you can update" in api.refused("POST", path, metadata={"desk": "3"})["message"]
    api.post(f"{path}/attach", customer=harbor)
    shown = api.post(
        path, billing_details={"phone": "+1 312 555 0100"}, card={"exp_year": 2029}, allow_redisplay="always", metadata={"desk": ""}
    )  # fmt: skip
    assert (shown["card"]["exp_month"], shown["card"]["exp_year"], shown["allow_redisplay"]) == (5, 2029, "always")
    details = shown["billing_details"]
    assert (details["name"], details["phone"], shown["metadata"]) == ("Harbor", "+1 312 555 0100", {})
    assert api.get("/v1/payment_methods", customer=harbor)["data"][0] == shown
    previous = told(api, "payment_method.updated")[0]["previous_attributes"]
    assert (previous["card"], previous["metadata"]) == ({"exp_year": 2027}, {"desk": "2"})
    missing(api, "POST", "/v1/payment_methods/pm_no", metadata={"a": "b"})


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "parameter_missing"),
        ({"type": "card"}, "parameter_missing"),
        ({"type": "us_bank_account"}, "parameter_missing"),
        ({"type": "card", "card": {"token": "tok_no"}}, "resource_missing"),
        ({"type": "card", "card": {"number": "4242424242424242", "exp_month": 5}}, "parameter_missing"),
        ({"type": "card", "card": {"number": "4242424242424241", "exp_month": 5, "exp_year": 2027}}, "incorrect_number"),
        ({"type": "card", "card": {"number": "4242424242424242", "exp_month": 1, "exp_year": 2026}}, "invalid_expiry_year"),
    ],
)  # fmt: skip
def test_what_describes_no_payment_method_is_refused(api: Stripe, params: dict[str, Any], code: str) -> None:
    assert api.refused("POST", "/v1/payment_methods", **params)["code"] == code


def test_bank_accounts_show_their_last_digits(api: Stripe) -> None:
    account = {"account_number": "000123456789", "routing_number": "110000000", "account_holder_type": "company"}
    made = api.post("/v1/payment_methods", type="us_bank_account", us_bank_account=account)["us_bank_account"]
    assert (made["last4"], made["routing_number"], made["account_holder_type"]) == ("6789", "110000000", "company")
    assert "account_number" not in made


def test_setup_intents_change_until_they_succeed(api: Stripe, harbor: str) -> None:
    path = f"/v1/setup_intents/{api.post('/v1/setup_intents', description='Card')['id']}"
    shown = api.post(path, customer=harbor, description="Card on file", metadata={"desk": "2"})
    assert (shown["customer"], shown["description"], shown["metadata"]) == (harbor, "Card on file", {"desk": "2"})
    assert shown["status"] == "requires_payment_method"
    ready = api.post(path, payment_method="pm_card_visa")
    assert (ready["status"], ready["customer"]) == ("requires_confirmation", harbor)
    assert api.get(path) == ready
    nord = api.card(api.ref("Customer", "nord"))
    assert api.refused("POST", path, payment_method=nord)["status"] == 400
    assert api.refused("POST", path, customer="cus_no")["param"] == "customer"
    done = api.post(f"{path}/confirm")
    assert (done["status"], done["payment_method"]) == ("succeeded", ready["payment_method"])
    late = api.refused("POST", path, payment_method="pm_card_visa")
    assert late["code"] == "setup_intent_unexpected_state"
    missing(api, "POST", "/v1/setup_intents/seti_no", description="x")


def test_a_tax_rate_is_retrieved(api: Stripe) -> None:
    made = api.post("/v1/tax_rates", display_name="VAT", percentage=19.5, inclusive=True, country="DE", tax_type="vat")
    assert (made["object"], made["percentage"], made["active"]) == ("tax_rate", 19.5, True)
    assert api.get(f"/v1/tax_rates/{made['id']}") == made
    missing(api, "GET", "/v1/tax_rates/txr_no")
