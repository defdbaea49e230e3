"""Stripe's finer points: what cannot be unset, what invoices do to subscriptions, tax and discounts of credit notes, what events say."""

from typing import Any

import pytest

from tests.apps.stripe.support import Stripe


@pytest.fixture
def api() -> Stripe:
    return Stripe()


@pytest.fixture
def harbor(api: Stripe) -> str:
    return api.ref("Customer", "harbor")


@pytest.mark.parametrize(
    ("method", "path", "params", "name"),
    [
        ("GET", "/v1/customers", {"email": ""}, "email"),
        ("GET", "/v1/charges", {"customer": ""}, "customer"),
        ("POST", "/v1/payment_intents", {"amount": 500, "currency": "usd", "customer": ""}, "customer"),
        ("POST", "/v1/payment_intents", {"amount": 500, "currency": "usd", "payment_method": ""}, "payment_method"),
        ("POST", "/v1/refunds", {"charge": ""}, "charge"),
        ("POST", "/v1/invoiceitems", {"customer": "c", "price": ""}, "price"),
    ],
)
def test_an_empty_string_cannot_unset_what_names_something(
    api: Stripe, method: str, path: str, params: dict[str, Any], name: str
) -> None:
    error = api.refused(method, path, **params)
    assert (error["code"], error["param"]) == ("parameter_invalid_empty", name)


def test_a_payment_intent_keeps_its_method_when_none_is_given(api: Stripe) -> None:
    made = api.post("/v1/payment_intents", amount=500, currency="usd", payment_method="pm_card_visa")
    api.refused("POST", f"/v1/payment_intents/{made['id']}", payment_method="")
    assert api.get(f"/v1/payment_intents/{made['id']}")["payment_method"] == made["payment_method"]


@pytest.mark.parametrize(
    ("path", "params", "name"),
    [
        ("/v1/customers", {"email": "harbor"}, "email"),
        ("/v1/customers", {"email": "a b@c.example"}, "email"),
        ("/v1/payment_intents", {"amount": 500, "currency": "usd", "receipt_email": "@x"}, "receipt_email"),
    ],
)
def test_email_addresses_are_checked(api: Stripe, path: str, params: dict[str, Any], name: str) -> None:
    error = api.refused("POST", path, **params)
    assert (error["code"], error["param"]) == ("email_invalid", name)


@pytest.mark.parametrize(
    ("params", "param", "message"),
    [
        ({"address": {"line9": "x"}}, "address[line9]", "Received unknown parameter: address[line9]"),
        ({"metadata": {"a": {"b": "x"}}}, "metadata[a]", "Invalid string: {'b': 'x'}"),
    ],
)
def test_nested_problems_are_named_as_forms_spell_them(
    api: Stripe, params: dict[str, Any], param: str, message: str
) -> None:
    error = api.refused("POST", "/v1/customers", **params)
    assert (error["param"], error["message"]) == (param, message)


def test_metadata_keys_may_be_numbers(api: Stripe, harbor: str) -> None:
    made = api.post(f"/v1/customers/{harbor}", metadata={"6735": "x", "company": ""})
    assert made["metadata"] == {"6735": "x"}
    assert api.post("/v1/customers", metadata={"0": "a", "1": "b"})["metadata"] == {"0": "a", "1": "b"}


def test_a_key_belongs_to_one_endpoint(api: Stripe) -> None:
    key = {"idempotency-key": "k"}
    api.reply("POST", "/v1/customers", key, name="A")
    error = api.reply("POST", "/v1/products", key, name="A").body["error"]
    assert error["type"] == "idempotency_error"
    assert "same endpoint they were first used for ('/v1/products' vs '/v1/customers')" in error["message"]


def test_amounts_with_three_decimals_end_in_zero(api: Stripe) -> None:
    assert api.refused("POST", "/v1/payment_intents", amount=5125, currency="kwd")["param"] == "amount"
    paid = api.post("/v1/payment_intents", amount=5120, currency="kwd", payment_method="pm_card_visa", confirm=True)
    error = api.refused("POST", "/v1/refunds", payment_intent=paid["id"], amount=6000)
    assert error["message"] == "Refund amount (6.000 KWD) is greater than unrefunded amount on charge (5.120 KWD)"


def test_searches_count_when_asked(api: Stripe) -> None:
    found = api.get("/v1/customers/search", query="created>0", limit=1, expand=["total_count"])
    assert (len(found["data"]), found["total_count"]) == (1, 2)
    assert "total_count" not in api.get("/v1/customers/search", query="created>0")


@pytest.mark.parametrize("path", ["data.default_source", "data.test_clock"])
def test_what_holds_nothing_may_be_expanded(api: Stripe, path: str) -> None:
    assert api.get("/v1/customers", expand=[path])["data"]


def test_a_products_default_price_is_not_archived(api: Stripe) -> None:
    product = api.post("/v1/products", name="Desk", default_price_data={"currency": "usd", "unit_amount": 900})
    error = api.refused("POST", f"/v1/prices/{product['default_price']}", active=False)
    assert error["message"] == "This price cannot be archived because it is the default price of its product."
    api.post(f"/v1/products/{product['id']}", default_price="")
    assert api.post(f"/v1/prices/{product['default_price']}", active=False)["active"] is False


# Invoices and subscriptions


def test_what_costs_nothing_needs_no_card(api: Stripe) -> None:
    payer = api.post("/v1/customers", email="free@x.example")["id"]
    free = api.post(
        "/v1/prices",
        product=api.ref("Product", "seats"),
        currency="usd",
        unit_amount=0,
        recurring={"interval": "month"},
    )
    assert api.post("/v1/subscriptions", customer=payer, items=[{"price": free["id"]}])["status"] == "active"
    coupon = api.post("/v1/coupons", percent_off=100)["id"]
    items = [{"price": api.ref("Price", "monthly")}]
    made = api.post("/v1/subscriptions", customer=payer, items=items, discounts=[{"coupon": coupon}])
    assert made["status"] == "active"
    assert api.refused("POST", "/v1/subscriptions", customer=payer, items=items)["code"] == "resource_missing"


def test_an_invoice_that_fails_or_is_dropped_moves_its_subscription(api: Stripe, harbor: str) -> None:
    api.card(harbor)
    items = [{"price": api.ref("Price", "monthly"), "quantity": 2}]
    made = api.post("/v1/subscriptions", customer=harbor, items=items)
    bad = api.post("/v1/payment_methods/pm_card_chargeCustomerFail/attach", customer=harbor)["id"]
    change = {"items": [{"id": made["items"]["data"][0]["id"], "quantity": 9}], "proration_behavior": "always_invoice"}
    behind = api.post(f"/v1/subscriptions/{made['id']}", default_payment_method=bad, **change)
    assert behind["status"] == "past_due"
    told = api.get("/v1/events", type="customer.subscription.updated")["data"]
    assert {"status": "active"} in [e["data"]["previous_attributes"] for e in told]
    api.post(f"/v1/invoices/{behind['latest_invoice']}/mark_uncollectible")
    assert api.get(f"/v1/subscriptions/{made['id']}")["status"] == "active"
    waits = api.post("/v1/subscriptions", customer=harbor, items=items, payment_behavior="default_incomplete")
    assert waits["status"] == "incomplete"
    api.post(f"/v1/invoices/{waits['latest_invoice']}/void")
    assert api.get(f"/v1/subscriptions/{waits['id']}")["status"] == "incomplete_expired"


def test_a_subscriptions_draft_is_not_deleted(api: Stripe, harbor: str) -> None:
    sub = api.ref("Subscription", "sub")
    api.post("/v1/invoiceitems", customer=harbor, subscription=sub, amount=700, currency="usd")
    draft = api.post("/v1/invoices", customer=harbor, subscription=sub)
    error = api.refused("DELETE", f"/v1/invoices/{draft['id']}")
    assert error["message"] == "You can't delete invoices created by subscriptions."


def test_a_deleted_draft_takes_its_items_along(api: Stripe, harbor: str) -> None:
    draft = api.post("/v1/invoices", customer=harbor)["id"]
    item = api.post("/v1/invoiceitems", customer=harbor, invoice=draft, amount=700, currency="usd")["id"]
    api("DELETE", f"/v1/invoices/{draft}")
    assert api.refused("GET", f"/v1/invoiceitems/{item}")["code"] == "resource_missing"


@pytest.mark.parametrize(
    ("status", "reason", "total"),
    [("none", "standard_rated", 1200), ("exempt", "customer_exempt", 1000), ("reverse", "reverse_charge", 1000)],
)
def test_exempt_customers_pay_no_tax(api: Stripe, harbor: str, status: str, reason: str, total: int) -> None:
    rate = api.post("/v1/tax_rates", display_name="VAT", percentage=20, inclusive=False)["id"]
    api.post(f"/v1/customers/{harbor}", tax_exempt=status)
    draft = api.post("/v1/invoices", customer=harbor, default_tax_rates=[rate])["id"]
    api.post("/v1/invoiceitems", customer=harbor, invoice=draft, amount=1000, currency="usd")
    shown = api.get(f"/v1/invoices/{draft}")
    assert (shown["total"], shown["total_taxes"][0]["taxability_reason"]) == (total, reason)


def test_a_credited_line_brings_its_discount_and_tax(api: Stripe, harbor: str) -> None:
    rate = api.post("/v1/tax_rates", display_name="VAT", percentage=20, inclusive=False)["id"]
    coupon = api.post("/v1/coupons", percent_off=10)["id"]
    draft = api.post("/v1/invoices", customer=harbor, default_tax_rates=[rate], discounts=[{"coupon": coupon}])["id"]
    for amount in (1000, 500):
        api.post("/v1/invoiceitems", customer=harbor, invoice=draft, amount=amount, currency="usd")
    final = api.post(f"/v1/invoices/{draft}/finalize")
    lines = [
        {"type": "invoice_line_item", "invoice_line_item": line["id"], "quantity": 1} for line in final["lines"]["data"]
    ]
    note = api.post("/v1/credit_notes", invoice=draft, lines=lines[:1])
    assert (note["subtotal"], note["discount_amount"], note["total"]) == (1000, 100, 1080)
    assert (note["total_taxes"][0]["amount"], note["total_excluding_tax"]) == (180, 900)
    assert api.get(f"/v1/invoices/{draft}")["amount_remaining"] == 540
    assert api.refused("POST", "/v1/credit_notes", invoice=draft, lines=lines[:1])["param"] == "lines[0]"
    api.post(f"/v1/credit_notes/{note['id']}/void")
    assert api.get("/v1/invoice_payments", invoice=draft)["data"][0]["amount_requested"] == 1620
    api.post("/v1/credit_notes", invoice=draft, lines=lines)
    assert api.get(f"/v1/invoices/{draft}")["status"] == "paid"


# Events and state diffs


def test_an_update_event_says_what_was_before(api: Stripe, harbor: str) -> None:
    api.post(f"/v1/customers/{harbor}", metadata={"tier": "gold"}, phone="+1 312 555 0100")
    product = api.ref("Product", "seats")
    api.post(f"/v1/products/{product}", name="Chairs")
    sub = api.ref("Subscription", "sub")
    api.post(f"/v1/subscriptions/{sub}", cancel_at_period_end=True, description="")
    told = {e["type"]: e for e in api.get("/v1/events")["data"]}
    assert told["customer.updated"]["data"]["previous_attributes"] == {"metadata": {"tier": None}}
    assert told["product.updated"]["data"]["previous_attributes"].items() >= {"name": "Seats"}.items()
    assert set(told["customer.subscription.updated"]["data"]["previous_attributes"]) == {
        "cancel_at", "cancel_at_period_end", "canceled_at", "cancellation_details",
    }  # fmt: skip
    assert all(e["request"]["id"].startswith("req_") for e in told.values())


def test_an_update_that_changes_nothing_is_no_event(api: Stripe, harbor: str) -> None:
    api.post(f"/v1/customers/{harbor}", name="Harbor")
    assert api.get("/v1/events")["data"] == []


def test_taking_a_card_off_changes_whose_it_is_and_no_more(api: Stripe, harbor: str) -> None:
    method = api.get("/v1/payment_methods", customer=harbor)["data"][0]["id"]
    api.post(f"/v1/payment_methods/{method}/detach")
    changed = {c.table: set(c.as_json()["columns"]) for c in api.episode.changes()}
    assert changed == {"customer": {"default_payment_method"}, "payment_method": {"customer"}}


# Prices and payment methods made on the way


def test_a_price_is_made_for_one_purchase(api: Stripe, harbor: str) -> None:
    data = {"currency": "usd", "unit_amount": 1500, "product_data": {"name": "Poster"}}
    session = api.post(
        "/v1/checkout/sessions",
        mode="payment",
        success_url="https://x.example",
        line_items=[{"price_data": data, "quantity": 2}],
        expand=["line_items"],
    )
    assert session["amount_total"] == 3000
    line = session["line_items"]["data"][0]
    assert (line["description"], line["price"]["active"]) == ("Poster", False)
    data = {"currency": "usd", "unit_amount": 250, "product": api.ref("Product", "seats")}
    item = api.post("/v1/invoiceitems", customer=harbor, price_data=data, quantity=4)
    assert (item["amount"], item["quantity"]) == (1000, 4)
    api.card(harbor)
    items = [{"price_data": {**data, "recurring": {"interval": "month"}}, "quantity": 3}]
    made = api.post("/v1/subscriptions", customer=harbor, items=items, expand=["latest_invoice"])
    assert [line["amount"] for line in made["latest_invoice"]["lines"]["data"]] == [750, 1000]


@pytest.mark.parametrize(
    ("path", "params", "param"),
    [
        ("/v1/subscriptions", {"items": [{"quantity": 1}]}, "items[0][price]"),
        (
            "/v1/subscriptions", {"items": [{"price_data": {"currency": "usd", "unit_amount": 1, "product": "p"}}]},
            "items[0][price_data][recurring]",
        ),
        ("/v1/invoiceitems", {"price_data": {"currency": "usd", "unit_amount": 1}}, "price_data[product]"),
        ("/v1/invoiceitems", {"price_data": {"currency": "usd", "unit_amount": 1, "product": "no"}}, "price_data[product]"),
        ("/v1/invoiceitems", {"price_data": {"currency": "usd", "unit_amount": 1, "product": "p"}, "amount": 5}, "amount"),
        ("/v1/invoices", {"automatic_tax": {"enabled": True}}, "automatic_tax[enabled]"),
    ],
)  # fmt: skip
def test_what_a_described_price_needs(api: Stripe, harbor: str, path: str, params: dict[str, Any], param: str) -> None:
    assert api.refused("POST", path, customer=harbor, **params)["param"] == param


def test_a_payment_method_is_made_along_with_its_payment(api: Stripe) -> None:
    params: dict[str, Any] = {"amount": 900, "currency": "usd", "confirm": True}
    card = {"type": "card", "card": {"token": "tok_mastercard"}, "billing_details": {"name": "Ada"}}
    paid = api.post("/v1/payment_intents", payment_method_data=card, **params, expand=["latest_charge"])
    charge = paid["latest_charge"]
    assert (charge["billing_details"]["name"], charge["payment_method_details"]["card"]["brand"]) == (
        "Ada",
        "mastercard",
    )
    error = api.refused(
        "POST",
        "/v1/payment_intents",
        payment_method="pm_card_threeDSecure2Required",
        error_on_requires_action=True,
        **params,
    )
    assert (error["status"], error["code"]) == (402, "authentication_required")


def test_the_method_that_pays_becomes_the_subscriptions_own(api: Stripe) -> None:
    payer = api.post("/v1/customers", email="new@x.example")["id"]
    made = api.post(
        "/v1/subscriptions",
        customer=payer,
        items=[{"price": api.ref("Price", "monthly")}],
        payment_behavior="default_incomplete",
        payment_settings={"save_default_payment_method": "on_subscription"},
        expand=["latest_invoice.payments.data.payment.payment_intent"],
    )
    intent = made["latest_invoice"]["payments"]["data"][0]["payment"]["payment_intent"]["id"]
    paid = api.post(f"/v1/payment_intents/{intent}/confirm", payment_method="pm_card_visa")
    shown = api.get(f"/v1/subscriptions/{made['id']}")
    assert (shown["status"], shown["default_payment_method"]) == ("active", paid["payment_method"])


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/charges", "customer"), ("/v1/invoices", "subscription"), ("/v1/refunds", "charge"), ("/v1/prices", "product"),
        ("/v1/subscriptions", "price"), ("/v1/disputes", "payment_intent"),
    ],
)  # fmt: skip
def test_a_list_of_what_does_not_exist_is_refused(api: Stripe, path: str, name: str) -> None:
    error = api.refused("GET", path, **{name: "nope"})
    assert (error["status"], error["code"], error["param"]) == (400, "resource_missing", name)


def test_a_filled_subscription_is_collected_as_its_invoices_are(api: Stripe) -> None:
    sub = api.get(f"/v1/subscriptions/{api.ref('Subscription', 'sub')}")
    last = api.get(f"/v1/invoices/{sub['latest_invoice']}")
    assert (sub["collection_method"], sub["days_until_due"]) == (last["collection_method"], 30)


@pytest.mark.parametrize(
    "change",
    [
        {"items": [{"quantity": 5}], "proration_behavior": "always_invoice"},
        {"items": [{"price": "yearly"}]},
        {"items": [{"price": "yearly", "quantity": 1}], "proration_behavior": "none"},
        {"billing_cycle_anchor": "now"},
    ],
)
def test_a_preview_is_what_the_change_then_bills(api: Stripe, harbor: str, change: dict[str, Any]) -> None:
    api.card(harbor)
    items = [{"price": api.ref("Price", "monthly"), "quantity": 2}]
    made = api.post("/v1/subscriptions", customer=harbor, items=items)
    named = [
        {"id": made["items"]["data"][0]["id"], **item, **({"price": api.ref("Price", item["price"])} if "price" in item else {})}
        for item in change.get("items", [])
    ]  # fmt: skip
    change = {**change, **({"items": named} if named else {})}
    seen = api.post("/v1/invoices/create_preview", subscription=made["id"], subscription_details=change)
    done = api.post(f"/v1/subscriptions/{made['id']}", expand=["latest_invoice"], **change)["latest_invoice"]
    assert (seen["total"], seen["amount_due"]) == (done["total"], done["amount_due"])
    words = [sorted((line["amount"], line["description"]) for line in i["lines"]["data"]) for i in (seen, done)]
    assert words[0] == words[1]


def test_a_promotion_code_may_need_a_larger_purchase(api: Stripe, harbor: str) -> None:
    api.card(harbor)
    coupon = api.post("/v1/coupons", percent_off=10)["id"]
    least = {"minimum_amount": 2500, "minimum_amount_currency": "usd"}
    code = api.post("/v1/promotion_codes", promotion={"type": "coupon", "coupon": coupon}, restrictions=least)["id"]
    price, discounts = api.ref("Price", "monthly"), [{"promotion_code": code}]
    small = {"customer": harbor, "items": [{"price": price, "quantity": 2}], "discounts": discounts}
    assert api.refused("POST", "/v1/subscriptions", **small)["param"] == "discounts[0][promotion_code]"
    api.post("/v1/subscriptions", **{**small, "items": [{"price": price, "quantity": 3}]})
    buys = {"mode": "subscription", "success_url": "https://x.example", "line_items": [{"price": price, "quantity": 2}]}
    assert "minimum of $25.00" in api.refused("POST", "/v1/checkout/sessions", discounts=discounts, **buys)["message"]


def test_a_bound_is_said_as_it_is_written(api: Stripe) -> None:
    error = api.refused("POST", "/v1/coupons", percent_off=150)
    assert error["message"] == "This value must be less than or equal to 100."
