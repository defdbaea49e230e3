"""QuickBooks Online's rarer writes: the company, currencies, payment methods, tax agencies, forms sent by email, items of a batch."""

from collections.abc import Iterator
from typing import Any

import pytest

from legoenv_mcp import templates
from tests.apps.quickbooks.support import SLUG, Books, a_customer, entry, ref, sold, spent, version


@pytest.fixture
def books() -> Iterator[Books]:
    episode = templates.episode([SLUG], world="quaymark")
    yield Books(episode)
    episode.close()


def post(books: Books, path: str, body: Any = None, **query: Any) -> dict[str, Any]:
    """A POST that succeeds: the object of its answer."""
    reply = books.http("POST", path, body, **query)
    assert reply.status == 200, reply.body
    return next(value for key, value in reply.body.items() if key != "time")


def refused(books: Books, path: str, body: Any = None, **query: Any) -> str:
    """A refused POST: its code, and that it changed nothing."""
    before = books.live.store.connection.serialize()
    reply = books.http("POST", path, body, **query)
    assert reply.status == 400, reply.body
    assert books.live.store.connection.serialize() == before
    return reply.body["Fault"]["Error"][0]["code"]


def test_the_company_changes_but_there_is_only_one(books: Books) -> None:
    company = books("get_company_info")
    made = post(books, "/companyinfo", {**version(company), "sparse": True, "LegalName": "Quaymark Holdings Inc"})
    assert (made["LegalName"], made["CompanyName"], made["SyncToken"]) == ("Quaymark Holdings Inc", "Quaymark", "1")
    assert books("get_company_info") == made
    assert [(c.table, c.key) for c in books.episode.changes()] == [("companyinfo", (1,))]
    assert refused(books, "/companyinfo", {**version(company), "sparse": True, "LegalName": "X"}) == "5010"
    assert refused(books, "/companyinfo", {"CompanyName": "Second"}) == "500"
    assert refused(books, "/companyinfo", {"Id": "9", "SyncToken": "0", "CompanyName": "Second"}) == "610"


def test_currencies_and_payment_methods_are_made_inactive(books: Books) -> None:
    euro = books.find("CompanyCurrency", "Code = 'EUR'")[0]
    gone = post(books, "/companycurrency", {**version(euro), "sparse": True, "Active": False})
    assert (gone["Code"], gone["Active"]) == ("EUR", False)
    assert books.find("CompanyCurrency", "Code = 'EUR'") == []
    assert refused(books, "/companycurrency", {"Code": "ZZZ"}) == "2170"
    assert refused(books, "/companycurrency", {"Id": "99", "SyncToken": "0", "Code": "EUR"}) == "610"

    made = post(books, "/paymentmethod", {"Name": "Voucher"})
    assert (made["Type"], made["Active"]) == ("NON_CREDIT_CARD", True)
    made = post(books, "/paymentmethod", {**version(made), "sparse": True, "Type": "CREDIT_CARD"})
    receipt = books(
        "create_sales_receipt", CustomerRef=ref(a_customer(books)), Line=[sold(5)], PaymentMethodRef=ref(made)
    )
    assert receipt["PaymentMethodRef"]["value"] == made["Id"]
    assert refused(books, "/paymentmethod", {"Name": "voucher"}) == "6240"
    assert refused(books, "/paymentmethod", {"Type": "CREDIT_CARD"}) == "2020"
    post(books, "/paymentmethod", {**version(made), "sparse": True, "Active": False})
    assert books.find("PaymentMethod", "Name = 'Voucher'") == []
    assert refused(books, "/paymentmethod", {"Id": "99", "SyncToken": "0", "Name": "Barter"}) == "610"


def test_tax_agencies_are_made_but_codes_and_rates_are_not(books: Books) -> None:
    made = post(books, "/taxagency", {"DisplayName": "Harbour Board"})
    assert (made["TaxTrackedOnSales"], made["TaxTrackedOnPurchases"]) == (True, False)
    assert books.again("TaxAgency", made) == made
    assert refused(books, "/taxagency", {"DisplayName": "Harbour Board"}) == "6240"
    assert refused(books, "/taxagency", {}) == "2020"
    assert refused(books, "/taxagency", {"Id": "99", "SyncToken": "0", "DisplayName": "X"}) == "610"
    assert refused(books, "/taxcode", {"Name": "Harbour"}) == "500"
    assert refused(books, "/taxrate", {"Name": "Harbour", "RateValue": 2, "AgencyRef": ref(made)}) == "500"


def test_every_form_is_sent_to_the_address_on_it_or_given(books: Books) -> None:
    customer = ref(a_customer(books))
    vendor = books("create_vendor", DisplayName="Quill")
    account, expense = (books.find("Account", f"AccountType = '{kind}'")[0] for kind in ("Bank", "Expense"))
    forms: dict[str, dict[str, Any]] = {
        "creditmemo": {"CustomerRef": customer, "Line": [sold(5)]},
        "estimate": {"CustomerRef": customer, "Line": [sold(5)]},
        "refundreceipt": {"CustomerRef": customer, "Line": [sold(5)], "DepositToAccountRef": ref(account)},
        "purchaseorder": {"VendorRef": ref(vendor), "Line": [spent(9, expense)]},
    }
    for kind, body in forms.items():
        made = post(books, f"/{kind}", body)
        field = "POEmail" if kind == "purchaseorder" else "BillEmail"
        assert made["EmailStatus"] != "EmailSent"
        assert refused(books, f"/{kind}/{made['Id']}/send") == "2020"  # nobody to send it to
        sent = post(books, f"/{kind}/{made['Id']}/send", sendTo="desk@sorrel.example")
        assert (sent["EmailStatus"], sent[field]) == ("EmailSent", {"Address": "desk@sorrel.example"})
        assert ("DeliveryInfo" in sent) == (kind != "purchaseorder")
        assert post(books, f"/{kind}/{made['Id']}/send")[field] == sent[field]
        assert refused(books, f"/{kind}/99999/send", sendTo="desk@sorrel.example") == "610"
        assert refused(books, f"/{kind}/{made['Id']}/send", sendTo="nowhere") == "2210"


def test_an_item_of_a_batch_stands_for_itself(books: Books) -> None:
    def batch(*items: dict[str, Any]) -> list[dict[str, Any]]:
        given = [{"bId": str(n), **one} for n, one in enumerate(items)]
        answers = books.http("POST", "/batch", {"BatchItemRequest": given}).body["BatchItemResponse"]
        assert [a["bId"] for a in answers] == [one["bId"] for one in given]
        return answers

    [made] = batch({"operation": "create", "Customer": {"DisplayName": "Sorrel"}})
    customer = made["Customer"]
    line = {"CustomerRef": ref(customer), "Line": [sold(5)]}
    changed, one, two = batch(
        {"operation": "update", "Customer": {**version(customer), "sparse": True, "Notes": "Prefers mornings"}},
        {"operation": "create", "SalesReceipt": line}, {"operation": "create", "SalesReceipt": line},
    )  # fmt: skip
    assert changed["Customer"] == books.again("Customer", customer)
    assert changed["Customer"]["Notes"] == "Prefers mornings"
    voided, gone = batch(
        {"operation": "update", "optionsData": "void", "SalesReceipt": version(one["SalesReceipt"])},
        {"operation": "delete", "SalesReceipt": version(two["SalesReceipt"])},
    )
    assert (voided["SalesReceipt"]["TotalAmt"], gone["SalesReceipt"]["status"]) == (0, "Deleted")
    before = books.live.store.connection.serialize()
    nothing = {"Id": "99999", "SyncToken": "0"}
    refusals = batch(
        {"operation": "delete", "SalesReceipt": nothing}, {"operation": "explode", "SalesReceipt": nothing},
        {"operation": "create", "TaxCode": {"Name": "Harbour"}}, {"operation": "delete", "Preferences": nothing},
        {"operation": "create", "Customer": ["Sorrel"]}, {"operation": "create", "Customer": {"DisplayName": "Sorrel"}},
    )  # fmt: skip
    assert [a["Fault"]["Error"][0]["code"] for a in refusals] == ["610", "2170", "500", "500", "2010", "6240"]
    assert books.live.store.connection.serialize() == before


def test_each_kind_is_read_by_its_id(books: Books) -> None:
    checking, savings = (
        books.find("Account", "AccountType = 'Bank'")[0],
        books("create_account", Name="Reserve", AccountType="Bank"),
    )
    expense = books.find("Account", "AccountType = 'Expense'")[0]
    customer, employee = ref(a_customer(books)), books.find("Employee")[0]
    made = {
        "Class": books("create_class", Name="North"),
        "CompanyCurrency": books.find("CompanyCurrency", "Code = 'EUR'")[0],
        "BillPayment": books.find("BillPayment")[0],
        "Deposit": books(
            "create_deposit", DepositToAccountRef=ref(checking),
            Line=[{"DetailType": "DepositLineDetail", "Amount": 12, "DepositLineDetail": {"AccountRef": ref(savings)}}],
        ),
        "JournalEntry": books("create_journal_entry", Line=[entry("Debit", checking, 10), entry("Credit", savings, 10)]),
        "Purchase": books("create_purchase", PaymentType="Check", AccountRef=ref(checking), Line=[spent(5, expense)]),
        "RefundReceipt": books("create_refund_receipt", CustomerRef=customer, Line=[sold(12)], DepositToAccountRef=ref(checking)),
        "TimeActivity": post(
            books, "/timeactivity",
            {"NameOf": "Employee", "EmployeeRef": ref(employee), "Hours": 2, "Minutes": 30, "TxnDate": "2026-01-05"},
        ),
        "Transfer": books("create_transfer", FromAccountRef=ref(checking), ToAccountRef=ref(savings), Amount=7),
    }  # fmt: skip
    for kind, row in made.items():
        read = books.http("GET", f"/{kind.lower()}/{row['Id']}")
        assert (read.status, read.body[kind]) == (200, row), kind
