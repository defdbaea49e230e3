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
