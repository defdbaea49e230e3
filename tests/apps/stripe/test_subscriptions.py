"""Stripe: subscriptions."""

from typing import Any

import pytest

from tests.apps.stripe.support import DAY, Stripe, adds_up


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
