"""Stripe with its own Python library, unmodified but for the base URL."""

import pytest
import stripe
from stripe import StripeClient

from tests.conftest import Gateway

pytestmark = pytest.mark.sdk


@pytest.fixture
def client(gateway: Gateway) -> StripeClient:
    base = gateway.episode(["stripe"], world="quaymark").rest("stripe")
    return StripeClient("sk_test_123", base_addresses={"api": base}, max_network_retries=0)


def test_a_customer_pays_by_card_and_is_refunded(client: StripeClient) -> None:
    customer = client.v1.customers.create(
        {"email": "ops@northwind.example", "name": "Northwind", "metadata": {"tier": "gold", "1": "x"}}
    )
    assert customer.id.startswith("cus_")
    assert len(customer.id) == 18
    assert customer.metadata is not None
    assert customer.metadata.to_dict() == {"tier": "gold", "1": "x"}
    method = client.v1.payment_methods.attach("pm_card_visa", {"customer": customer.id})
    intent = client.v1.payment_intents.create(
        {
            "amount": 2599,
            "currency": "usd",
            "customer": customer.id,
            "payment_method": method.id,
            "confirm": True,
            "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
            "expand": ["latest_charge.balance_transaction"],
        }
    )
    assert intent.status == "succeeded"
    charge = intent.latest_charge
    assert isinstance(charge, stripe.Charge)
    assert isinstance(charge.balance_transaction, stripe.BalanceTransaction)
    assert (charge.balance_transaction.fee, charge.balance_transaction.net) == (105, 2494)
    refund = client.v1.refunds.create({"payment_intent": intent.id, "amount": 1000, "reason": "requested_by_customer"})
    assert (refund.status, refund.amount) == ("succeeded", 1000)
    after = client.v1.charges.retrieve(charge.id, {"expand": ["refunds"]})
    assert (after.amount_refunded, after.refunded) == (1000, False)
    assert after.refunds is not None
    assert [r.id for r in after.refunds.data] == [refund.id]
    with pytest.raises(stripe.InvalidRequestError) as too_much:
        client.v1.refunds.create({"charge": charge.id, "amount": 1600})
    assert too_much.value.user_message == "Refund amount ($16.00) is greater than unrefunded amount on charge ($15.99)"
    assert too_much.value.param == "amount"


def test_a_declined_card_is_a_card_error_and_leaves_a_failed_charge(client: StripeClient) -> None:
    with pytest.raises(stripe.CardError) as declined:
        client.v1.payment_intents.create(
            {
                "amount": 500,
                "currency": "usd",
                "payment_method": "pm_card_visa_chargeDeclinedInsufficientFunds",
                "confirm": True,
            }
        )
    error = declined.value
    assert (error.http_status, error.code) == (402, "card_declined")
    assert error.error is not None
    assert error.error.decline_code == "insufficient_funds"
    assert error.request_id
    assert error.request_id.startswith("req_")
    failed = client.v1.charges.retrieve(str(error.error.charge))
    assert (failed.status, failed.failure_code) == ("failed", "card_declined")
    intent = client.v1.payment_intents.retrieve(str(failed.payment_intent))
    assert intent.status == "requires_payment_method"
    assert intent.last_payment_error is not None
    paid = client.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_mastercard"})
    assert paid.status == "succeeded"


def test_lists_are_walked_page_by_page_in_both_directions(client: StripeClient) -> None:
    first = client.v1.charges.list({"limit": 7})
    assert len(first.data) == 7
    assert first.has_more
    walked = [charge.id for charge in first.auto_paging_iter()]
    assert len(walked) == len(set(walked)) == 89
    backwards = client.v1.charges.list({"limit": 7, "ending_before": walked[10]})
    assert [c.id for c in backwards.data] == walked[3:10]
    created = [c.created for c in client.v1.charges.list({"limit": 100}).data]
    assert created == sorted(created, reverse=True)
    since = client.v1.charges.list({"created": {"gte": created[4]}, "limit": 100})
    assert len(since.data) == 5
    with pytest.raises(stripe.InvalidRequestError, match="No such charge: 'ch_nope'"):
        client.v1.charges.list({"starting_after": "ch_nope"})


def test_searches_are_paged_by_token(client: StripeClient) -> None:
    found = client.v1.charges.search({"query": 'status:"failed" AND amount>50000', "limit": 2})
    assert found.has_more
    everything = list(found.auto_paging_iter())
    assert len(everything) > 2
    assert all(c.status == "failed" and c.amount > 50000 for c in everything)
    assert [c.name for c in client.v1.customers.search({"query": 'name~"meridian"'}).data] == [
        "Meridian Foods",
        "Meridian Freight",
    ]
    with pytest.raises(stripe.InvalidRequestError, match="unsupported search field"):
        client.v1.customers.search({"query": 'shoe_size:"44"'})


def test_an_invoice_is_drafted_finalized_and_paid(client: StripeClient) -> None:
    customer = client.v1.customers.create({"email": "ap@harbor.example", "name": "Harbor"})
    client.v1.payment_methods.attach("pm_card_visa", {"customer": customer.id})
    draft = client.v1.invoices.create(
        {"customer": customer.id, "collection_method": "send_invoice", "days_until_due": 30}
    )
    client.v1.invoice_items.create(
        {"customer": customer.id, "invoice": draft.id, "amount": 12000, "currency": "usd", "description": "Setup"}
    )
    client.v1.invoice_items.create({"customer": customer.id, "invoice": draft.id, "amount": -2000, "currency": "usd"})
    assert client.v1.invoices.retrieve(draft.id).total == 10000
    final = client.v1.invoices.finalize_invoice(draft.id)
    assert final.status == "open"
    assert final.number is not None
    assert final.number.endswith("-0001")
    assert final.hosted_invoice_url is not None
    with pytest.raises(stripe.InvalidRequestError, match="already finalized"):
        client.v1.invoices.finalize_invoice(draft.id)
    with pytest.raises(stripe.InvalidRequestError) as fixed:
        client.v1.invoice_items.create({"customer": customer.id, "invoice": draft.id, "amount": 1, "currency": "usd"})
    assert fixed.value.code == "invoice_not_editable"
    assert client.v1.invoices.send_invoice(draft.id).status == "open"
    card = client.v1.customers.payment_methods.list(customer.id).data[0]
    paid = client.v1.invoices.pay(
        draft.id, {"payment_method": card.id, "expand": ["payments.data.payment.payment_intent"]}
    )
    assert (paid.status, paid.amount_paid, paid.amount_remaining) == ("paid", 10000, 0)
    assert paid.payments is not None
    assert getattr(paid.payments.data[0].payment.payment_intent, "status", None) == "succeeded"


def test_a_subscription_changes_plan_with_prorations_and_is_canceled(client: StripeClient) -> None:
    customer = client.v1.customers.create({"email": "it@harbor.example"})
    method = client.v1.payment_methods.attach("pm_card_visa", {"customer": customer.id})
    client.v1.customers.update(customer.id, {"invoice_settings": {"default_payment_method": method.id}})
    product = client.v1.products.create({"name": "Seats"})
    small, large = (
        client.v1.prices.create(
            {"product": product.id, "currency": "usd", "unit_amount": amount, "recurring": {"interval": "month"}}
        )
        for amount in (1000, 3000)
    )
    sub = client.v1.subscriptions.create(
        {"customer": customer.id, "items": [{"price": small.id, "quantity": 2}], "expand": ["latest_invoice"]}
    )
    assert sub.status == "active"
    assert isinstance(sub.latest_invoice, stripe.Invoice)
    assert (sub.latest_invoice.status, sub.latest_invoice.total) == ("paid", 2000)
    item = sub["items"].data[0]
    preview = client.v1.invoices.create_preview(
        {"subscription": sub.id, "subscription_details": {"items": [{"id": item.id, "price": large.id}]}}
    )
    changed = client.v1.subscriptions.update(sub.id, {"items": [{"id": item.id, "price": large.id}]})
    assert changed["items"].data[0].price.id == large.id
    pending = client.v1.invoice_items.list({"customer": customer.id, "pending": True})
    assert sorted(i.amount for i in pending.data) == [-2000, 6000] or sum(i.amount for i in pending.data) > 0
    assert preview.total > 6000
    ending = client.v1.subscriptions.update(sub.id, {"cancel_at_period_end": True})
    assert ending.cancel_at == item.current_period_end
    canceled = client.v1.subscriptions.cancel(sub.id)
    assert canceled.status == "canceled"
    with pytest.raises(stripe.InvalidRequestError) as gone:
        client.v1.subscriptions.cancel(sub.id)
    assert (gone.value.http_status, gone.value.code) == (404, "resource_missing")


def test_an_idempotency_key_replays_its_answer(client: StripeClient) -> None:
    params: stripe.params.CustomerCreateParams = {"email": "twice@harbor.example"}
    first = client.v1.customers.create(params, {"idempotency_key": "key-1"})
    again = client.v1.customers.create(params, {"idempotency_key": "key-1"})
    assert first.id == again.id
    assert again.last_response is not None
    assert again.last_response.headers["Idempotent-Replayed"] == "true"
    assert len(client.v1.customers.list({"email": "twice@harbor.example"}).data) == 1
    with pytest.raises(stripe.IdempotencyError, match="Keys for idempotent requests"):
        client.v1.customers.create({"email": "other@harbor.example"}, {"idempotency_key": "key-1"})


def test_the_module_level_interface_works_too(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stripe, "api_base", gateway.episode(["stripe"], world="quaymark").rest("stripe"))
    monkeypatch.setattr(stripe, "api_key", "sk_test_123")
    balance = stripe.Balance.retrieve()
    assert {entry.currency for entry in balance.available} == {"eur", "gbp", "usd"}
    link = stripe.PaymentLink.create(line_items=[{"price": stripe.Price.list(limit=1).data[0].id, "quantity": 3}])
    assert link.url.startswith("https://buy.stripe.com/test_")
    coupon = stripe.Coupon.create(percent_off=25, duration="once", id="SPRING")
    code = stripe.PromotionCode.create(promotion={"type": "coupon", "coupon": coupon.id}, code="spring25")
    assert code.code == "SPRING25"
    dispute = stripe.Dispute.list(limit=1).data[0]
    answered = stripe.Dispute.modify(dispute.id, evidence={"uncategorized_text": "winning_evidence"})
    assert answered.status == "won"
    assert stripe.Event.list(type="charge.dispute.closed").data[0].data.object["id"] == dispute.id
    session = stripe.checkout.Session.create(
        mode="payment",
        success_url="https://example.com/ok",
        expand=["line_items"],
        line_items=[{"price": stripe.Price.list(type="one_time", limit=1).data[0].id, "quantity": 1}],
    )
    assert session.line_items is not None
    assert session.amount_total == session.line_items.data[0].amount_total
    assert stripe.Customer.delete(stripe.Customer.create(email="gone@harbor.example").id).deleted
    with pytest.raises(stripe.InvalidRequestError) as bad:
        stripe.Customer.create(shoe_size="44")  # pyright: ignore[reportCallIssue]
    assert (bad.value.code, bad.value.param) == ("parameter_unknown", "shoe_size")
