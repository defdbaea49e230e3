"""Stripe: credit notes, checkout, setup, events."""

from typing import Any

from tests.apps.stripe.support import DAY, Stripe, billed


def test_credit_notes_lower_what_is_due_or_give_back(api: Stripe, harbor: str) -> None:
    opened = api.ref("Invoice", "open")
    note = api.post("/v1/credit_notes", invoice=opened, amount=3000)
    assert (note["number"], note["type"], note["pre_payment_amount"]) == ("N-1-CN-01", "pre_payment", 3000)
    assert api.get(f"/v1/invoices/{opened}")["amount_remaining"] == 5000
    api.post(f"/v1/credit_notes/{note['id']}/void")
    assert api.get(f"/v1/invoices/{opened}")["amount_remaining"] == 8000
    api.post("/v1/credit_notes", invoice=opened, amount=8000)
    assert api.get(f"/v1/invoices/{opened}")["status"] == "paid"
    paid = api.ref("Invoice", "paid")
    assert "must equal" in api.refused("POST", "/v1/credit_notes", invoice=paid, amount=1000)["message"]
    assert api.refused("POST", "/v1/credit_notes", invoice=paid, amount=3001, credit_amount=3001)["param"] == "amount"
    back = api.post("/v1/credit_notes", invoice=paid, amount=1000, refund_amount=600, credit_amount=400)
    assert api.get(f"/v1/refunds/{back['refunds'][0]['refund']}")["amount"] == 600
    assert api.get(f"/v1/customers/{harbor}")["balance"] == -400
    assert (
        "open or paid"
        in api.refused("POST", "/v1/credit_notes", invoice=api.ref("Invoice", "draft"), amount=1)["message"]
    )


def test_checkout_sessions_and_payment_links(api: Stripe, harbor: str) -> None:
    monthly, product = api.ref("Price", "monthly"), api.ref("Product", "seats")
    once = api.post("/v1/prices", product=product, currency="usd", unit_amount=2500)["id"]
    ask: dict[str, Any] = {"success_url": "https://x.example", "line_items": [{"price": once, "quantity": 2}]}
    api.post("/v1/coupons", id="TEN", percent_off=10)
    made = api.post("/v1/checkout/sessions", **ask, customer=harbor, discounts=[{"coupon": "TEN"}])
    assert (made["amount_subtotal"], made["amount_total"], made["status"]) == (5000, 4500, "open")
    assert api.get(f"/v1/checkout/sessions/{made['id']}/line_items")["data"][0]["amount_total"] == 4500
    assert api.post(f"/v1/checkout/sessions/{made['id']}/expire")["url"] is None
    assert api.refused("POST", f"/v1/checkout/sessions/{made['id']}/expire")["param"] == "session"
    assert (
        "recurring price"
        in api.refused("POST", "/v1/checkout/sessions", **{**ask, "line_items": [{"price": monthly}]})["message"]
    )
    assert api.refused("POST", "/v1/checkout/sessions", **ask, mode="subscription")["param"] == "mode"
    link = api.post(
        "/v1/payment_links",
        line_items=[{"price": monthly, "quantity": 3}],
        after_completion={"type": "redirect", "redirect": {"url": "https://y.example"}},
    )
    assert (link["active"], link["after_completion"]["redirect"]["url"]) == (True, "https://y.example")
    assert api.post(f"/v1/payment_links/{link['id']}", active=False)["active"] is False
    assert (
        api.refused("POST", "/v1/payment_links", line_items=[{"price": api.ref("Price", "setup")}])["param"]
        == "line_items[0][price]"
    )


def test_setup_intents_save_cards(api: Stripe, harbor: str) -> None:
    made = api.post("/v1/setup_intents", customer=harbor)
    path = f"/v1/setup_intents/{made['id']}"
    assert "missing a payment method" in api.refused("POST", path + "/confirm")["message"]
    assert api.reply("POST", path + "/confirm", payment_method="pm_card_chargeDeclined").status == 402
    assert api.get(path)["last_setup_error"]["decline_code"] == "generic_decline"
    done = api.post(path + "/confirm", payment_method="pm_card_visa", expand=["payment_method"])
    assert (done["status"], done["payment_method"]["customer"]) == ("succeeded", harbor)
    assert "already succeeded" in api.refused("POST", path + "/confirm", payment_method="pm_card_visa")["message"]
    assert api.refused("POST", path + "/cancel")["code"] == "setup_intent_unexpected_state"
    other = api.post("/v1/setup_intents")
    assert api.post(f"/v1/setup_intents/{other['id']}/cancel")["status"] == "canceled"


def test_products_and_prices(api: Stripe) -> None:
    made = api.post(
        "/v1/products",
        name="Widget",
        default_price_data={"currency": "usd", "unit_amount": 500},
        expand=["default_price"],
    )
    assert made["default_price"]["unit_amount"] == 500
    assert "user-created prices" in api.refused("DELETE", f"/v1/products/{made['id']}")["message"]
    bare = api.post("/v1/products", name="Bare", id="bare")
    assert api.refused("POST", "/v1/products", name="Bare", id="bare")["code"] == "resource_already_exists"
    assert api("DELETE", "/v1/products/bare")["deleted"] is True
    assert bare["id"] == "bare"
    ask = {"product": made["id"], "currency": "usd", "unit_amount": 1, "lookup_key": "std"}
    first = api.post("/v1/prices", **ask)
    assert "already uses that lookup key" in api.refused("POST", "/v1/prices", **ask)["message"]
    second = api.post("/v1/prices", **ask, transfer_lookup_key=True)
    assert [p["id"] for p in api.get("/v1/prices", lookup_keys=["std"])["data"]] == [second["id"]]
    assert api.post(f"/v1/prices/{first['id']}", active=False)["active"] is False
    assert api.refused("POST", f"/v1/prices/{first['id']}", unit_amount=7)["code"] == "parameter_unknown"
    assert (
        api.refused(
            "POST",
            "/v1/prices",
            product=made["id"],
            currency="usd",
            unit_amount=1,
            recurring={"interval": "year", "interval_count": 4},
        )["param"]
        == "recurring[interval_count]"
    )
    assert api.post("/v1/prices", product_data={"name": "New"}, currency="eur", unit_amount=10)["product"].startswith(
        "prod_"
    )


def test_events_tell_what_happened(api: Stripe, harbor: str) -> None:
    api.post(f"/v1/customers/{harbor}", name="Harbour")
    made = api.post("/v1/payment_intents", amount=500, currency="usd", payment_method="pm_card_visa", confirm=True)
    kinds = [e["type"] for e in api.get("/v1/events")["data"]]
    assert kinds == ["payment_intent.succeeded", "charge.succeeded", "payment_intent.created", "customer.updated"]
    told = api.get("/v1/events", type="customer.*")["data"][0]
    assert (told["data"]["object"]["name"], told["data"]["previous_attributes"]) == ("Harbour", {"name": "Harbor"})
    assert (
        api.get("/v1/events", limit=1, starting_after=api.get("/v1/events", limit=1)["data"][0]["id"])["data"][0][
            "type"
        ]
        == "charge.succeeded"
    )
    assert all(c.table != "event" for c in api.episode.changes())
    assert api.get(f"/v1/events/{told['id']}")["id"] == told["id"]
    assert made["id"] == api.get("/v1/events", types=["payment_intent.created"])["data"][0]["data"]["object"]["id"]


def test_an_invoice_in_another_currency_leaves_the_balance_alone(api: Stripe) -> None:
    customer = api.post("/v1/customers", email="x@x.example", balance=-3000)["id"]
    one = api.post(f"/v1/invoices/{billed(api, customer, 5000, currency='eur')['id']}/finalize")
    assert (one["amount_due"], one["starting_balance"], one["ending_balance"]) == (5000, 0, 0)
    api.post(f"/v1/invoices/{one['id']}/void")
    assert api.get(f"/v1/customers/{customer}")["balance"] == -3000


def test_one_offs_join_the_first_invoice_and_a_stub_is_billed_in_part(api: Stripe, harbor: str) -> None:
    api.card(harbor)
    product = api.ref("Product", "seats")
    setup = api.post("/v1/prices", product=product, currency="usd", unit_amount=2500)["id"]
    monthly = api.ref("Price", "monthly")
    sub = api.post(
        "/v1/subscriptions",
        customer=harbor,
        items=[{"price": monthly}],
        add_invoice_items=[{"price": setup, "quantity": 2}],
        expand=["latest_invoice"],
    )
    assert sub["latest_invoice"]["amount_paid"] == 6000
    now = api.get("/v1/events", limit=1)["data"][0]["created"]
    stub = api.post(
        "/v1/subscriptions",
        customer=harbor,
        items=[{"price": monthly}],
        billing_cycle_anchor=now + 14 * DAY,
        expand=["latest_invoice"],
    )
    assert stub["items"]["data"][0]["current_period_end"] == now + 14 * DAY
    assert 490 < stub["latest_invoice"]["total"] < 510
