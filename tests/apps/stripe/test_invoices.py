"""Stripe: invoices and coupons."""

from typing import Any

import pytest

from tests.apps.stripe.support import DAY, Stripe, adds_up, billed


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
