"""The verbs of payments."""

from legoenv_mcp.capabilities import payments
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    paid = s.first(payments.Payment, lambda x: x.status == "succeeded" and not x.refunded and not x.disputed)
    customer = next(c for c in s.world.entities(payments.Customer) if c.key == paid.customer)
    key, payer = s.ref(paid), s.ref(customer)
    s.reads(p.find_payer(customer.email), payer)
    s.reads(p.list_payments(payer), key)
    s.reads(p.check_payment(key), key)
    s.run(p.refund_payment(key, 100))
    assert s.one(payments.Payment, lambda x: x.id == key).refunded == 100
    s.run(p.request_payment(s.ref(s.first(payments.Price, lambda x: x.active)), 2))
    before = {x.id for x in s.all(payments.Payment)}
    s.run(p.collect_payment(payer, 4200, customer.currency))
    new = [x for x in s.all(payments.Payment) if x.id not in before]
    assert [(x.customer, x.amount, x.status) for x in new] == [(payer, 4200, "succeeded")]
    if p.offers("list_invoices"):
        billed = s.first(payments.Invoice, lambda x: x.customer == customer.key)
        s.reads(p.list_invoices(payer), billed.number)
        s.reads(p.list_invoices(status="open"), s.first(payments.Invoice, lambda x: x.status == "open").number)
    if p.offers("list_payments_between"):
        s.reads(p.list_payments_between(paid.created[:10], paid.created[:10]), key)
    if p.offers("list_customers"):
        s.reads(p.list_customers(), customer.email)
    if p.offers("list_subscriptions"):
        s.reads(p.list_subscriptions(), s.ref(s.first(payments.Subscription, lambda x: x.status == "active")))
    if p.offers("settle_invoice"):
        open_one = s.ref(s.first(payments.Invoice, lambda x: x.status == "open"))
        s.run(p.settle_invoice(open_one))
        assert s.one(payments.Invoice, lambda x: x.id == open_one).status == "paid"
    if p.offers("void_invoice"):
        unpaid = s.ref([x for x in s.world.entities(payments.Invoice) if x.status == "open"][-1])
        s.run(p.void_invoice(unpaid))
        assert s.one(payments.Invoice, lambda x: x.id == unpaid).status == "void"
