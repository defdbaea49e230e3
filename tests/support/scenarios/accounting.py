"""The verbs of accounting."""

from legoenv_mcp.capabilities import accounting
from tests.support.scenarios.stage import Stage


def plays(s: Stage) -> None:
    p = s.provider
    customer = s.first(accounting.Customer, lambda c: c.currency == s.world.currency)
    s.reads(p.find_customer(customer.name), s.ref(customer))
    s.run(p.create_customer("Harrow Lane Bakery", "till@harrowlane.example"))
    made = s.one(accounting.Customer, lambda c: c.name == "Harrow Lane Bakery")
    assert made.email == "till@harrowlane.example"
    s.run(p.create_item("Route Audit", 45.5))
    item = s.one(accounting.Item, lambda i: i.name == "Route Audit")
    assert item.price == 45.5
    before = {i.id for i in s.all(accounting.Invoice)}
    s.run(p.create_invoice(made.id, item.id, 4, 45.5))
    invoice = s.one(accounting.Invoice, lambda i: i.id not in before)
    assert (invoice.customer, invoice.paid, invoice.void) == (made.id, 0, False)
    assert [(line.item, line.quantity, line.amount) for line in invoice.lines] == [(item.id, 4, 182)]
    s.reads(p.list_invoices(made.id), invoice.number)
    mine = {i.id for i in s.all(accounting.Invoice) if i.customer == s.ref(customer)}
    s.reads(p.list_invoices(s.ref(customer)), *mine)
    s.run(p.record_payment(invoice.id, made.id, 100))
    assert s.one(accounting.Invoice, lambda i: i.id == invoice.id).paid == 100
    (first,) = (x for x in s.all(accounting.Payment) if invoice.id in x.invoices)
    assert (first.customer, first.amount, first.unapplied) == (made.id, 100, 0)
    s.run(p.record_payment(invoice.id, made.id, 82))
    assert s.one(accounting.Invoice, lambda i: i.id == invoice.id).paid == 182
    _extended(s, made.id, item.id)


def _extended(s: Stage, customer_id: str, item_id: str) -> None:
    """The verbs that not every product has."""
    p = s.provider
    if p.offers("send_invoice") or p.offers("void_invoice"):
        before = {i.id for i in s.all(accounting.Invoice)}
        s.run(p.create_invoice(customer_id, item_id, 2, 10))
        invoice = s.one(accounting.Invoice, lambda i: i.id not in before)
        if p.offers("send_invoice"):
            s.run(p.send_invoice(invoice.id))
        if p.offers("void_invoice"):
            s.run(p.void_invoice(invoice.id))
            assert s.one(accounting.Invoice, lambda i: i.id == invoice.id).void
    if p.offers("create_bill"):
        vendor = s.first(accounting.Vendor, lambda v: v.currency == s.world.currency)
        before = {b.id for b in s.all(accounting.Bill)}
        s.run(p.create_bill(s.ref(vendor), "Two desks", 640))
        bill = s.one(accounting.Bill, lambda b: b.id not in before)
        assert (bill.vendor, bill.paid, [line.amount for line in bill.lines]) == (s.ref(vendor), 0, [640])
    if p.offers("invoice"):
        before = {i.id for i in s.all(accounting.Invoice)}
        s.run(p.invoice(customer_id, item_id, 320.5, description="Survey", due="2027-01-31", memo="Thank you"))
        invoice = s.one(accounting.Invoice, lambda i: i.id not in before)
        assert (invoice.customer, invoice.due, invoice.memo) == (customer_id, "2027-01-31", "Thank you")
        assert [(line.item, line.amount, line.description) for line in invoice.lines] == [(item_id, 320.5, "Survey")]
    if p.offers("book_bill"):
        known = s.first(accounting.Bill, lambda b: b.account)
        vendor = s.first(accounting.Vendor, lambda v: v.currency == s.world.currency)
        s.reads(p.find_vendor(vendor.name), s.ref(vendor))
        days = {"issued": "2026-01-10", "due": "2026-02-09"}
        s.run(p.book_bill(s.ref(vendor), "Lamps", 88.4, account=known.account, number="LP-1", **days))
        bill = s.one(accounting.Bill, lambda b: b.number == "LP-1")
        assert (bill.vendor, bill.account, bill.issued, bill.due) == (s.ref(vendor), known.account, *days.values())
        s.reads(p.list_bills(s.ref(vendor)), "LP-1")
        s.reads(p.get_bill(bill.id), known.account)
        s.run(p.pay_bill(bill.id, bill.vendor, 88.4))
        assert s.one(accounting.Bill, lambda b: b.id == bill.id).paid == 88.4
    if p.offers("list_customers"):
        s.reads(p.list_customers(), "Harrow Lane Bakery")
    if p.offers("list_items"):
        s.reads(p.list_items(), "Route Audit")
    if p.offers("create_journal_entry"):
        accounts = sorted({b.account for b in s.world.entities(accounting.Bill) if b.account})[:2]
        s.run(p.create_journal_entry(*accounts, 75))
    if p.offers("run_report"):
        for report in ("profit_and_loss", "balance_sheet", "aged_receivables"):
            s.reads(p.run_report(report))
