"""QuickBooks Online: the books always balance."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legoenv_mcp import templates
from tests.apps.quickbooks.support import SLUG, Books, entry, pays, ref, report, sold, spent, totals, version

AMOUNT = st.integers(1, 500_000).map(lambda n: n / 100)


STEP = st.tuples(
    st.sampled_from(
        ["invoice", "pay", "void", "delete", "bill", "expense", "entry", "credit", "receipt", "update", "transfer"]
    ),
    AMOUNT,
    st.integers(0, 60),
)


@settings(max_examples=25, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, min_size=1, max_size=12))
def test_the_books_balance_whatever_is_done(steps: list[tuple[str, float, int]]) -> None:
    episode = templates.episode([SLUG], world="quaymark")
    books = Books(episode)
    customers, vendors, rent = books.find("Customer"), books.find("Vendor"), books.account("Rent")
    checking, savings = books.account("Checking"), books.account("Savings")
    for what, amount, pick in steps:
        customer, vendor = customers[pick % len(customers)], vendors[pick % len(vendors)]
        invoices = books.find("Invoice")
        invoice = invoices[-1 - pick % len(invoices)]
        calls: dict[str, tuple[str, dict[str, Any]]] = {
            "invoice": ("create_invoice", {"CustomerRef": ref(customer), "Line": [sold(amount), sold(1)]}),
            "pay": (
                "create_payment",
                {"CustomerRef": invoice["CustomerRef"], "TotalAmt": amount, "Line": [pays(invoice, amount)]},
            ),
            "void": ("void_invoice", version(invoice)),
            "delete": ("delete_invoice", version(invoice)),
            "update": ("update_invoice", {**version(invoice), "Line": [sold(amount)]}),
            "bill": ("create_bill", {"VendorRef": ref(vendor), "Line": [spent(amount, rent)]}),
            "expense": (
                "create_purchase",
                {"PaymentType": "Cash", "AccountRef": ref(checking), "Line": [spent(amount, rent)]},
            ),
            "entry": (
                "create_journal_entry",
                {"Line": [entry("Debit", rent, amount), entry("Credit", savings, amount)]},
            ),
            "credit": ("create_credit_memo", {"CustomerRef": ref(customer), "Line": [sold(amount)]}),
            "receipt": ("create_sales_receipt", {"CustomerRef": ref(customer), "Line": [sold(amount)]}),
            "transfer": (
                "create_transfer",
                {"FromAccountRef": ref(checking), "ToAccountRef": ref(savings), "Amount": amount},
            ),
        }
        tool, arguments = calls[what]
        assert books.live.call(tool, arguments).status in (200, 400)
        assert books.sums() == 0
    unequal = books.live.store.query(
        "SELECT TxnType, TxnId FROM posting GROUP BY TxnType, TxnId HAVING sum(amount) <> 0"
    )
    assert unequal == []
    for method in ("Accrual", "Cash"):
        sheet = totals(report(books, "get_balance_sheet", accounting_method=method, date_macro="all"))
        assert sheet["TotalAssets"] == sheet["TotalLiabilitiesAndEquity"]
    open_ = sum(i["Balance"] for i in books.find("Invoice")) - sum(m["Balance"] for m in books.find("CreditMemo"))
    unapplied = sum(p["UnappliedAmt"] for p in books.find("Payment"))
    assert sum(c["Balance"] for c in books.find("Customer")) == pytest.approx(open_ - unapplied)
    episode.close()
