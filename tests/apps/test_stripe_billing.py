"""Stripe's billing through its public faces: invoices, subscriptions, discounts, taxes, credit notes, checkout."""

from typing import Any

import pytest

from tests.apps.test_stripe import Stripe

DAY = 86400


@pytest.fixture
def api() -> Stripe:
    return Stripe()


@pytest.fixture
def harbor(api: Stripe) -> str:
    return api.ref("Customer", "harbor")


def adds_up(invoice: dict[str, Any]) -> None:
    """What an invoice says of itself follows from its lines."""
    lines = invoice["lines"]["data"]
    off = sum(d["amount"] for d in invoice["total_discount_amounts"])
    exclusive = sum(t["amount"] for t in invoice["total_taxes"] if t["tax_behavior"] == "exclusive")
    assert invoice["subtotal"] == sum(line["amount"] for line in lines)
    assert invoice["total"] == invoice["subtotal"] - off + exclusive
    assert off == sum(d["amount"] for line in lines for d in line["discount_amounts"])
    assert sum(t["amount"] for t in invoice["total_taxes"]) == sum(t["amount"] for line in lines for t in line["taxes"])
    assert invoice["amount_remaining"] == invoice["amount_due"] - invoice["amount_paid"] or invoice["status"] in (
        "paid",
        "void",
    )


def billed(api: Stripe, customer: str, *amounts: int, **more: Any) -> dict[str, Any]:
    draft = api.post("/v1/invoices", customer=customer, **more)
    for amount in amounts:
        api.post("/v1/invoiceitems", customer=customer, invoice=draft["id"], amount=amount, currency=draft["currency"])
    shown = api.get(f"/v1/invoices/{draft['id']}")
    adds_up(shown)
    return shown


def test_a_draft_takes_items_until_it_is_final(api: Stripe, harbor: str) -> None:
    waiting = api.post("/v1/invoiceitems", customer=harbor, amount=400, currency="usd", description="Waits")
    draft = api.post("/v1/invoices", customer=harbor)
    assert (draft["status"], draft["total"], draft["number"], draft["auto_advance"]) == ("draft", 0, None, False)
    taken = api.post("/v1/invoices", customer=harbor, pending_invoice_items_behavior="include")
    assert (taken["total"], taken["lines"]["data"][0]["description"]) == (400, "Waits")
    assert api.get("/v1/invoiceitems", customer=harbor, pending=True)["data"] == []
    assert api.post(f"/v1/invoiceitems/{waiting['id']}", amount=600)["amount"] == 600
    assert api.get(f"/v1/invoices/{taken['id']}")["total"] == 600
    final = api.post(f"/v1/invoices/{taken['id']}/finalize")
    adds_up(final)
    assert (final["status"], final["amount_due"], final["attempted"]) == ("open", 600, False)
    assert final["number"].endswith("-0001")
    path = f"/v1/invoices/{taken['id']}"
    for method, where, params in (
        ("POST", "/v1/invoiceitems", {"customer": harbor, "invoice": taken["id"], "amount": 1, "currency": "usd"}),
        ("POST", f"/v1/invoiceitems/{waiting['id']}", {"amount": 1}),
        ("DELETE", f"/v1/invoiceitems/{waiting['id']}", {}),
        ("POST", path, {"description": "late"}),
    ):
        assert api.refused(method, where, **params)["code"] == "invoice_not_editable"
    assert "can't re-finalize" in api.refused("POST", path + "/finalize")["message"]
    assert api.refused("DELETE", path)["message"] == "You can only delete draft invoices."
    assert api.post(path, metadata={"late": "yes"})["metadata"] == {"late": "yes"}
    assert api("DELETE", f"/v1/invoices/{draft['id']}") == {"id": draft["id"], "object": "invoice", "deleted": True}
    assert api.refused("GET", f"/v1/invoices/{draft['id']}")["status"] == 404


def test_numbers_follow_each_other_and_the_prefix(api: Stripe) -> None:
    customer = api.post("/v1/customers", invoice_prefix="ACME", next_invoice_sequence=7)["id"]
    numbers = [api.post(f"/v1/invoices/{billed(api, customer, 900)['id']}/finalize")["number"] for _ in range(2)]
    assert numbers == ["ACME-0007", "ACME-0008"]


def test_an_invoice_ends_paid_void_or_written_off(api: Stripe, harbor: str) -> None:
    one = billed(api, harbor, 900)
    path = f"/v1/invoices/{one['id']}"
    assert "isn't open" in api.refused("POST", path + "/void")["message"]
    assert "isn't open" in api.refused("POST", path + "/mark_uncollectible")["message"]
    api.post(path + "/finalize")
    assert api.post(path + "/mark_uncollectible")["status"] == "uncollectible"
    assert "already been marked" in api.refused("POST", path + "/mark_uncollectible")["message"]
    gone = api.post(path + "/void")
    assert (gone["status"], gone["status_transitions"]["voided_at"] is not None) == ("void", True)
    assert api.refused("POST", path + "/pay", paid_out_of_band=True)["status"] == 400
    other = billed(api, harbor, 900)
    paid = api.post(f"/v1/invoices/{other['id']}/pay", paid_out_of_band=True)
    assert (paid["status"], paid["amount_paid"], paid["attempted"]) == ("paid", 900, False)
    assert "cannot be voided" in api.refused("POST", f"/v1/invoices/{other['id']}/void")["message"]
    assert api.refused("POST", f"/v1/invoices/{other['id']}/pay")["message"] == "Invoice is already paid"


def test_paying_charges_the_default_card_and_a_decline_leaves_it_open(api: Stripe, harbor: str) -> None:
    customer = api.post("/v1/customers", email="x@x.example")["id"]
    one = api.post(f"/v1/invoices/{billed(api, customer, 5000)['id']}/finalize")
    path = f"/v1/invoices/{one['id']}"
    assert api.refused("POST", path + "/pay")["code"] == "resource_missing"
    api.card(customer, "pm_card_chargeCustomerFail")
    before = api.balance()["usd"]
    reply = api.reply("POST", path + "/pay")
    assert (reply.status, reply.body["error"]["type"]) == (402, "card_error")
    shown = api.get(path)
    assert (shown["status"], shown["attempt_count"], shown["attempted"]) == ("open", 1, True)
    paid = api.post(path + "/pay", payment_method=api.card(customer))
    assert (paid["status"], paid["amount_paid"], paid["attempt_count"]) == ("paid", 5000, 2)
    assert api.balance()["usd"] == before + 5000 - 175
    charges = api.get("/v1/charges", customer=customer)["data"]
    assert [c["status"] for c in charges] == ["succeeded", "failed"]
    linked = api.get("/v1/invoice_payments", invoice=one["id"])["data"][0]
    assert (linked["status"], linked["payment"]["payment_intent"]) == ("paid", charges[0]["payment_intent"])


def test_an_invoices_own_payment_intent_pays_it_and_is_not_canceled(api: Stripe, harbor: str) -> None:
    api.post(f"/v1/invoices/{billed(api, harbor, 900)['id']}/finalize")
    linked = api.get("/v1/invoice_payments", status="open")["data"][0]
    where = f"/v1/payment_intents/{linked['payment']['payment_intent']}"
    assert "void the Invoice" in api.refused("POST", where + "/cancel")["message"]
    assert api.post(where + "/confirm", payment_method="pm_card_visa")["status"] == "succeeded"
    assert api.get(f"/v1/invoices/{linked['invoice']}")["status"] == "paid"


def test_invoices_that_are_sent_need_a_due_date_and_an_address(api: Stripe, harbor: str) -> None:
    error = api.refused("POST", "/v1/invoices", customer=harbor, collection_method="send_invoice")
    assert "you must specify 'due_date' or 'days_until_due'" in error["message"]
    assert "You can only specify" in api.refused("POST", "/v1/invoices", customer=harbor, days_until_due=3)["message"]
    sent = billed(api, harbor, 900, collection_method="send_invoice", days_until_due=30)
    assert sent["due_date"] == sent["created"] + 30 * DAY
    assert api.post(f"/v1/invoices/{sent['id']}/send")["status"] == "open"
    nameless = api.post("/v1/customers", name="No mail")["id"]
    unsendable = billed(api, nameless, 900, collection_method="send_invoice", days_until_due=1)
    assert "Missing email" in api.refused("POST", f"/v1/invoices/{unsendable['id']}/send")["message"]


def test_the_customers_balance_is_used_up_and_restored(api: Stripe) -> None:
    customer = api.post("/v1/customers", email="x@x.example", balance=-3000)["id"]
    one = api.post(f"/v1/invoices/{billed(api, customer, 5000)['id']}/finalize")
    assert (one["starting_balance"], one["amount_due"], one["ending_balance"]) == (-3000, 2000, 0)
    assert api.get(f"/v1/customers/{customer}")["balance"] == 0
    api.post(f"/v1/invoices/{one['id']}/void")
    assert api.get(f"/v1/customers/{customer}")["balance"] == -3000
    free = api.post(f"/v1/invoices/{billed(api, customer, 1000)['id']}/finalize")
    assert (free["status"], free["amount_due"], free["ending_balance"]) == ("paid", 0, -2000)
    api.post(f"/v1/customers/{customer}/balance_transactions", amount=2000, currency="usd")
    tiny = api.post(f"/v1/invoices/{billed(api, customer, 30)['id']}/finalize")
    assert (tiny["status"], tiny["amount_due"], api.get(f"/v1/customers/{customer}")["balance"]) == ("paid", 0, 30)
    moves = api.get(f"/v1/customers/{customer}/balance_transactions")["data"]
    assert sum(m["amount"] for m in moves) == moves[0]["ending_balance"] == 30


def test_discounts_and_taxes_are_counted_line_by_line(api: Stripe, harbor: str) -> None:
    api.post("/v1/coupons", id="TEN", percent_off=10, duration="once")
    api.post("/v1/coupons", id="FIVE", amount_off=500, currency="usd", duration="once")
    vat = api.post("/v1/tax_rates", display_name="VAT", percentage=20, inclusive=False)["id"]
    inside = api.post("/v1/tax_rates", display_name="GST", percentage=10, inclusive=True)["id"]
    one = billed(
        api, harbor, 3333, 1667, -400, discounts=[{"coupon": "TEN"}, {"coupon": "FIVE"}], default_tax_rates=[vat]
    )
    assert [d["amount"] for d in one["total_discount_amounts"]] == [500, 500]
    taxed = 3333 + 1667 - 400 - 1000
    assert one["total_taxes"][0]["taxable_amount"] == taxed
    assert one["total"] == taxed + one["total_taxes"][0]["amount"]
    assert api.get("/v1/coupons/TEN")["times_redeemed"] == 1
    two = billed(api, harbor, 1100, default_tax_rates=[inside])
    assert (two["total"], two["total_taxes"][0]["amount"], two["total_excluding_tax"]) == (1100, 100, 1000)
    api.post("/v1/coupons", id="ONCE", percent_off=50, max_redemptions=1)
    billed(api, harbor, 100, discounts=[{"coupon": "ONCE"}])
    assert (
        api.refused("POST", "/v1/invoices", customer=harbor, discounts=[{"coupon": "ONCE"}])["code"] == "coupon_expired"
    )
    assert api.get("/v1/coupons/ONCE")["valid"] is False


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({"duration": "once"}, None),
        ({"percent_off": 10, "amount_off": 5, "currency": "usd"}, None),
        ({"amount_off": 5}, "currency"),
        ({"percent_off": 10, "duration": "repeating"}, "duration_in_months"),
        ({"percent_off": 10, "duration_in_months": 3}, "duration_in_months"),
        ({"percent_off": 101}, "percent_off"),
        ({"percent_off": 10, "id": "two words"}, "id"),
        ({"percent_off": 10, "redeem_by": 5}, "redeem_by"),
        ({"percent_off": 10, "applies_to": {"products": ["prod_no"]}}, "applies_to[products][0]"),
    ],
)
def test_coupons_say_one_thing(api: Stripe, params: dict[str, Any], param: str | None) -> None:
    assert api.refused("POST", "/v1/coupons", **params).get("param") == param


def test_promotion_codes_have_their_conditions(api: Stripe, harbor: str) -> None:
    api.post("/v1/coupons", id="TEN", percent_off=10)
    first = api.post(
        "/v1/promotion_codes",
        promotion={"type": "coupon", "coupon": "TEN"},
        code="hello",
        restrictions={"first_time_transaction": True},
    )
    assert api.get("/v1/promotion_codes", code="HELLO")["data"][0]["id"] == first["id"]
    again = {"promotion": {"type": "coupon", "coupon": "TEN"}, "code": "Hello"}
    assert api.refused("POST", "/v1/promotion_codes", **again)["code"] == "resource_already_exists"
    late = api.refused("POST", "/v1/invoices", customer=harbor, discounts=[{"promotion_code": first["id"]}])
    assert late["code"] == "promotion_code_customer_not_first_time"
    fresh = api.post("/v1/customers", email="new@x.example")["id"]
    made = api.post("/v1/invoices", customer=fresh, discounts=[{"promotion_code": first["id"]}], expand=["discounts"])
    assert made["discounts"][0]["promotion_code"] == first["id"]
    assert api("DELETE", "/v1/coupons/TEN")["deleted"] is True
    assert api.get(f"/v1/promotion_codes/{first['id']}")["active"] is False


# Subscriptions


def test_a_subscription_bills_its_first_period(api: Stripe, harbor: str) -> None:
    api.card(harbor)
    made = api.post(
        "/v1/subscriptions",
        customer=harbor,
        items=[{"price": api.ref("Price", "monthly"), "quantity": 2}],
        expand=["latest_invoice"],
    )
    item, invoice = made["items"]["data"][0], made["latest_invoice"]
    assert (made["status"], invoice["status"], invoice["total"], invoice["billing_reason"]) == (
        "active",
        "paid",
        2000,
        "subscription_create",
    )
    assert invoice["lines"]["data"][0]["description"] == "2 × Seats (at $10.00 / month)"
    assert (item["quantity"], item["price"]["id"], item["current_period_end"] - item["current_period_start"]) == (
        2,
        api.ref("Price", "monthly"),
        31 * DAY,
    )
    adds_up(invoice)


@pytest.mark.parametrize(
    ("items", "more", "words"),
    [
        ([{"price": "price_no"}], {}, "No such price: 'price_no'"),
        ([{"price": "setup"}], {}, "only accepts prices with `type=recurring`"),
        ([{"price": "monthly"}, {"price": "monthly"}], {}, "multiple Subscription Items with the same Price"),
        ([{"price": "monthly"}, {"price": "yearly"}], {}, "same recurring interval"),
        ([{"price": "monthly"}], {"collection_method": "send_invoice"}, "days_until_due"),
        ([{"price": "monthly"}], {"days_until_due": 3}, "days_until_due"),
        ([{"price": "monthly"}], {"payment_behavior": "pending_if_incomplete"}, "has no effect when creating"),
        ([{"price": "monthly"}], {"trial_end": 5}, "in the future"),
        ([{"price": "monthly"}], {"trial_end": 1900000000, "trial_period_days": 3}, "only specify one"),
        ([{"price": "monthly"}], {"billing_cycle_anchor": 1900000000}, "later than next natural billing date"),
        ([{"price": "monthly"}], {"default_payment_method": "pm_no"}, "No such PaymentMethod"),
    ],
)
def test_what_no_subscription_can_be(
    api: Stripe, harbor: str, items: list[dict[str, Any]], more: dict[str, Any], words: str
) -> None:
    named = [
        {**i, "price": api.ref("Price", i["price"]) if not i["price"].startswith("price_") else i["price"]}
        for i in items
    ]
    assert words in api.refused("POST", "/v1/subscriptions", customer=harbor, items=named, **more)["message"]


def test_without_anything_to_charge_nothing_is_made(api: Stripe) -> None:
    customer, price = api.post("/v1/customers", email="x@x.example")["id"], api.ref("Price", "monthly")
    error = api.refused("POST", "/v1/subscriptions", customer=customer, items=[{"price": price}])
    assert (error["code"], "no attached payment source" in error["message"]) == ("resource_missing", True)
    waits = api.post(
        "/v1/subscriptions",
        customer=customer,
        items=[{"price": price}],
        payment_behavior="default_incomplete",
        expand=["latest_invoice.confirmation_secret"],
    )
    assert (waits["status"], waits["latest_invoice"]["status"]) == ("incomplete", "open")
    assert waits["latest_invoice"]["confirmation_secret"]["client_secret"].startswith("pi_")
    api.post(f"/v1/invoices/{waits['latest_invoice']['id']}/pay", payment_method="pm_card_visa")
    assert api.get(f"/v1/subscriptions/{waits['id']}")["status"] == "active"


def test_a_declined_first_payment_leaves_it_incomplete_or_refuses_it(api: Stripe) -> None:
    customer, price = api.post("/v1/customers", email="x@x.example")["id"], api.ref("Price", "monthly")
    api.card(customer, "pm_card_chargeCustomerFail")
    made = api.post("/v1/subscriptions", customer=customer, items=[{"price": price}])
    assert made["status"] == "incomplete"
    assert api.get(f"/v1/invoices/{made['latest_invoice']}")["attempt_count"] == 1
    error = api.refused(
        "POST", "/v1/subscriptions", customer=customer, items=[{"price": price}], payment_behavior="error_if_incomplete"
    )
    assert (error["status"], error["code"]) == (402, "card_declined")


def test_mailed_and_trial_subscriptions(api: Stripe, harbor: str) -> None:
    price = api.ref("Price", "monthly")
    mailed = api.post(
        "/v1/subscriptions",
        customer=harbor,
        items=[{"price": price}],
        collection_method="send_invoice",
        days_until_due=14,
        expand=["latest_invoice"],
    )
    assert (mailed["status"], mailed["latest_invoice"]["status"], mailed["latest_invoice"]["total"]) == (
        "active",
        "draft",
        1000,
    )
    customer = api.post("/v1/customers", email="t@x.example")["id"]
    trial = api.post(
        "/v1/subscriptions", customer=customer, items=[{"price": price}], trial_period_days=7, expand=["latest_invoice"]
    )
    assert (trial["status"], trial["latest_invoice"]["total"], trial["trial_end"] - trial["trial_start"]) == (
        "trialing",
        0,
        7 * DAY,
    )
    assert api.refused("POST", f"/v1/subscriptions/{trial['id']}", trial_end="now")["code"] == "resource_missing"
    api.card(customer)
    started = api.post(f"/v1/subscriptions/{trial['id']}", trial_end="now", expand=["latest_invoice"])
    assert (started["status"], started["latest_invoice"]["amount_paid"]) == ("active", 1000)


def test_a_change_is_prorated_as_told(api: Stripe, harbor: str) -> None:
    sub, item = _subscribed(api, harbor)
    change = {"items": [{"id": item["id"], "quantity": 5}], "proration_date": _middle(item)}
    preview = api.post(
        "/v1/invoices/create_preview",
        subscription=sub["id"],
        subscription_details={**change, "proration_behavior": "create_prorations"},
    )
    adds_up(preview)
    assert [line["amount"] for line in preview["lines"]["data"]] == [-1000, 2500, 5000]
    changed = api.post(f"/v1/subscriptions/{sub['id']}", **change)
    assert changed["items"]["data"][0]["quantity"] == 5
    waiting = api.get("/v1/invoiceitems", customer=harbor, pending=True)["data"]
    assert sorted(i["amount"] for i in waiting) == [-1000, 2500]
    assert {i["proration"] for i in waiting} == {True}
    assert any(i["description"].startswith("Unused time on 2 × Seats after") for i in waiting)
    none = {"items": [{"id": item["id"], "quantity": 6}], "proration_behavior": "none"}
    api.post(f"/v1/subscriptions/{sub['id']}", **none)
    assert len(api.get("/v1/invoiceitems", customer=harbor, pending=True)["data"]) == 2
    now = {
        "items": [{"id": item["id"], "quantity": 8}],
        "proration_behavior": "always_invoice",
        "proration_date": _middle(item),
    }
    billed_now = api.post(f"/v1/subscriptions/{sub['id']}", **now, expand=["latest_invoice"])["latest_invoice"]
    adds_up(billed_now)
    assert (billed_now["status"], billed_now["total"]) == ("paid", 1500 - 3000 + 4000)
    assert api.get("/v1/invoiceitems", customer=harbor, pending=True)["data"] == []


def _subscribed(api: Stripe, customer: str) -> tuple[dict[str, Any], dict[str, Any]]:
    api.card(customer)
    sub = api.post(
        "/v1/subscriptions", customer=customer, items=[{"price": api.ref("Price", "monthly"), "quantity": 2}]
    )
    return sub, sub["items"]["data"][0]


def _middle(item: dict[str, Any]) -> int:
    return (item["current_period_start"] + item["current_period_end"]) // 2


def test_another_interval_starts_a_new_period(api: Stripe, harbor: str) -> None:
    sub, item = _subscribed(api, harbor)
    yearly = api.post(
        f"/v1/subscriptions/{sub['id']}",
        items=[{"id": item["id"], "price": api.ref("Price", "yearly")}],
        expand=["latest_invoice"],
    )
    now = yearly["items"]["data"][0]
    assert now["current_period_end"] - now["current_period_start"] == 365 * DAY
    assert yearly["billing_cycle_anchor"] == now["current_period_start"] > item["current_period_start"]
    amounts = sorted(line["amount"] for line in yearly["latest_invoice"]["lines"]["data"])
    assert amounts[1:] == [20000]
    assert -2000 <= amounts[0] < -1990
    assert yearly["latest_invoice"]["status"] == "paid"


def test_items_are_added_and_taken_off(api: Stripe, harbor: str) -> None:
    sub, item = _subscribed(api, harbor)
    extra = api.post(
        "/v1/prices",
        product=api.ref("Product", "seats"),
        currency="usd",
        unit_amount=700,
        recurring={"interval": "month"},
    )["id"]
    added = api.post("/v1/subscription_items", subscription=sub["id"], price=extra, quantity=2)
    assert len(api.get("/v1/subscription_items", subscription=sub["id"])["data"]) == 2
    assert api.post(f"/v1/subscription_items/{added['id']}", quantity=4)["quantity"] == 4
    assert api("DELETE", f"/v1/subscription_items/{added['id']}")["deleted"] is True
    error = api.refused("DELETE", f"/v1/subscription_items/{item['id']}")
    assert "at least one active plan" in error["message"]
    assert (
        "same Price"
        in api.refused("POST", f"/v1/subscriptions/{sub['id']}", items=[{"price": api.ref("Price", "monthly")}])[
            "message"
        ]
    )
    assert api.refused("GET", "/v1/subscription_items")["param"] == "subscription"


def test_subscriptions_end_now_or_with_their_period(api: Stripe, harbor: str) -> None:
    sub, item = _subscribed(api, harbor)
    path = f"/v1/subscriptions/{sub['id']}"
    ending = api.post(path, cancel_at_period_end=True, cancellation_details={"feedback": "too_expensive"})
    assert (ending["status"], ending["cancel_at"], ending["cancellation_details"]["feedback"]) == (
        "active",
        item["current_period_end"],
        "too_expensive",
    )
    stays = api.post(path, cancel_at_period_end=False)
    assert (stays["cancel_at"], stays["canceled_at"]) == (None, None)
    gone = api("DELETE", path, prorate=True, invoice_now=True)
    assert (gone["status"], gone["cancellation_details"]["reason"], gone["ended_at"] is not None) == (
        "canceled",
        "cancellation_requested",
        True,
    )
    credit = api.get(f"/v1/invoices/{gone['latest_invoice']}")
    assert credit["total"] < -1990
    assert api.get(f"/v1/customers/{harbor}")["balance"] == credit["total"]
    assert api.refused("DELETE", path)["code"] == "resource_missing"
    assert api.refused("POST", path, cancel_at_period_end=True)["code"] == "invalid_canceled_subscription_fields"
    assert api.post(path, metadata={"why": "price"})["metadata"] == {"why": "price"}
    assert "`paused`" in api.refused("POST", path + "/resume")["message"]


def test_collection_pauses_and_goes_on(api: Stripe, harbor: str) -> None:
    sub, _ = _subscribed(api, harbor)
    path = f"/v1/subscriptions/{sub['id']}"
    paused = api.post(path, pause_collection={"behavior": "void"})
    assert (paused["status"], paused["pause_collection"]["behavior"]) == ("active", "void")
    assert api.post(path, pause_collection="")["pause_collection"] is None


def test_a_trial_without_a_card_pauses_and_resumes(api: Stripe) -> None:
    customer, price = api.post("/v1/customers", email="x@x.example")["id"], api.ref("Price", "monthly")
    settings = {"end_behavior": {"missing_payment_method": "pause"}}
    sub = api.post(
        "/v1/subscriptions", customer=customer, items=[{"price": price}], trial_period_days=7, trial_settings=settings
    )
    path = f"/v1/subscriptions/{sub['id']}"
    assert api.post(path, trial_end="now")["status"] == "paused"
    assert api.refused("POST", path + "/resume")["code"] == "resource_missing"
    api.card(customer)
    assert api.post(path + "/resume")["status"] == "active"


def test_a_subscriptions_discount_lasts_as_long_as_its_coupon(api: Stripe, harbor: str) -> None:
    api.card(harbor)
    api.post("/v1/coupons", id="ONCE", percent_off=50, duration="once")
    api.post("/v1/coupons", id="EVER", percent_off=10, duration="forever")
    price = api.ref("Price", "monthly")
    sub = api.post(
        "/v1/subscriptions",
        customer=harbor,
        items=[{"price": price}],
        discounts=[{"coupon": "ONCE"}, {"coupon": "EVER"}],
        expand=["latest_invoice"],
    )
    assert sub["latest_invoice"]["total"] == 450
    preview = api.post("/v1/invoices/create_preview", subscription=sub["id"])
    assert preview["total"] == 900
    assert api.post(f"/v1/subscriptions/{sub['id']}", discounts="")["discounts"] == []


def test_deleting_a_customer_ends_what_they_have(api: Stripe, harbor: str) -> None:
    sub, _ = _subscribed(api, harbor)
    assert api("DELETE", f"/v1/customers/{harbor}") == {"id": harbor, "object": "customer", "deleted": True}
    assert api.get(f"/v1/subscriptions/{sub['id']}")["status"] == "canceled"
    assert api.get(f"/v1/customers/{harbor}")["deleted"] is True
    assert harbor not in [c["id"] for c in api.get("/v1/customers")["data"]]
    assert api.refused("POST", f"/v1/customers/{harbor}", name="x")["status"] == 404
    assert api.refused("POST", "/v1/invoices", customer=harbor)["code"] == "resource_missing"


# Credit notes, checkout, setup


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
