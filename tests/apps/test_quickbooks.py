"""QuickBooks Online: versions, names, balances, voids, queries, reports; and that the books balance whatever is done."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legoenv_mcp import templates
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import Episode

SLUG, BASE = "quickbooks", "/v3/company/9341453172468000"


class Books:
    """An episode's company, over both faces."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.live = episode.app(SLUG)

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        reply = self.live.call(tool, arguments)
        assert not reply.error, reply.body
        return next((v for k, v in reply.body.items() if k != "time"), {})

    def refused(self, tool: str, code: str, **arguments: Any) -> dict[str, Any]:
        """A refused call: its code, and that it changed nothing."""
        before = self.live.store.connection.serialize()
        reply = self.live.call(tool, arguments)
        assert reply.error, reply.body
        error = reply.body["Fault"]["Error"][0]
        assert (reply.status, error["code"]) == (400, code), error
        assert self.live.store.connection.serialize() == before
        return error

    def http(self, method: str, path: str, body: Any = None, kind: str = "application/json", **query: Any) -> Any:
        target = BASE + path
        url = f"http://x{target}" + (f"?{urlencode(query)}" if query else "")
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        request = Request(
            method, target, url, {k: str(v) for k, v in query.items()}, {"content-type": kind}, "http://x"
        )
        return rest.handle(self.live, request, content)

    def find(self, entity: str, where: str = "") -> list[dict[str, Any]]:
        text = f"SELECT * FROM {entity}{f' WHERE {where}' if where else ''} MAXRESULTS 1000"
        return self("query", query=text).get(entity, [])

    def account(self, name: str) -> dict[str, Any]:
        return self.find("Account", f"FullyQualifiedName = '{name}'")[0]

    def balance(self, name: str) -> float:
        return self.account(name)["CurrentBalance"]

    def again(self, entity: str, row: dict[str, Any]) -> dict[str, Any]:
        return self("get_record", entity=entity, id=row["Id"])

    def sums(self) -> int:
        return self.live.store.query("SELECT coalesce(sum(amount), 0) AS n FROM posting")[0]["n"]


@pytest.fixture
def books() -> Iterator[Books]:
    episode = templates.episode([SLUG], world="quaymark")
    yield Books(episode)
    episode.close()


def ref(row: dict[str, Any]) -> dict[str, str]:
    return {"value": row["Id"]}


def sold(amount: float, item: str = "1", **detail: Any) -> dict[str, Any]:
    return {
        "DetailType": "SalesItemLineDetail",
        "Amount": amount,
        "SalesItemLineDetail": {"ItemRef": {"value": item}, **detail},
    }


def spent(amount: float, account: dict[str, Any]) -> dict[str, Any]:
    detail = {"AccountRef": ref(account)}
    return {"DetailType": "AccountBasedExpenseLineDetail", "Amount": amount, "AccountBasedExpenseLineDetail": detail}


def entry(side: str, account: dict[str, Any], amount: float, **detail: Any) -> dict[str, Any]:
    inner = {"PostingType": side, "AccountRef": ref(account), **detail}
    return {"DetailType": "JournalEntryLineDetail", "Amount": amount, "JournalEntryLineDetail": inner}


def pays(row: dict[str, Any], amount: float, kind: str = "Invoice") -> dict[str, Any]:
    return {"Amount": amount, "LinkedTxn": [{"TxnId": row["Id"], "TxnType": kind}]}


def version(row: dict[str, Any]) -> dict[str, str]:
    return {"Id": row["Id"], "SyncToken": row["SyncToken"]}


def a_customer(books: Books, name: str = "Sorrel & Sons", **more: Any) -> dict[str, Any]:
    return books("create_customer", DisplayName=name, **more)


# Versions and names


def test_an_update_needs_the_current_version(books: Books) -> None:
    customer = a_customer(books)
    changed = books("update_customer", **version(customer), Notes="Prefers mornings")
    assert (changed["SyncToken"], changed["Notes"], changed["DisplayName"]) == (
        "1",
        "Prefers mornings",
        "Sorrel & Sons",
    )
    error = books.refused("update_customer", "5010", **version(customer), Notes="Prefers evenings")
    assert error["Message"] == "Stale Object Error"
    books.refused("void_invoice", "610", Id="99999", SyncToken="0")
    books.refused("delete_record", "500", entity="customer", **version(changed))


def test_names_are_unique_among_customers_vendors_and_employees(books: Books) -> None:
    a_customer(books)
    books.refused("create_vendor", "6240", DisplayName="sorrel & sons")
    books.refused("create_employee", "6240", GivenName="Maya", FamilyName="Chen")
    books.refused("create_customer", "6080", Notes="nobody")
    books.refused("create_customer", "2040", DisplayName="a:b")
    error = books.refused("create_customer", "2210", DisplayName="Mail", PrimaryEmailAddr={"Address": "no address"})
    assert "RFC 822" in error["Detail"]
    vendor = books("create_vendor", DisplayName="Quill")
    assert books("update_vendor", **version(vendor), AcctNum="A-1")["AcctNum"] == "A-1"
    assert books("create_employee", FamilyName="Okoro")["DisplayName"] == "Okoro"


def test_a_currency_is_for_good(books: Books) -> None:
    for kind, row in (("customer", a_customer(books)), ("vendor", books("create_vendor", DisplayName="Quill"))):
        body = {**version(row), "sparse": True, "CurrencyRef": {"value": "EUR"}}
        error = books.http("POST", f"/{kind}", body).body["Fault"]["Error"][0]
        assert (error["code"], error["element"]) == ("6000", "CurrencyRef")
        same = books.http("POST", f"/{kind}", {**body, "CurrencyRef": {"value": "USD"}})
        assert same.status == 200


def test_tax_numbers_are_hidden_and_survive_being_sent_back(books: Books) -> None:
    for kind, body, shown in (
        ("employee", {"FamilyName": "Okoro", "SSN": "111-22-3333"}, "XXX-XX-XXXX"),
        ("vendor", {"DisplayName": "Quill", "TaxIdentifier": "99-5688293"}, "XXXXXX8293"),
    ):
        name = "SSN" if kind == "employee" else "TaxIdentifier"
        made = next(iter(books.http("POST", f"/{kind}", body).body.values()))
        assert made[name] == shown
        assert next(iter(books.http("POST", f"/{kind}", made).body.values()))[name] == shown
        (held,) = books.live.store.query(f'SELECT "{name}" AS n FROM {kind} WHERE "Id" = ?', (int(made["Id"]),))
        assert held["n"] == body[name]


def test_list_objects_are_made_inactive_not_deleted(books: Books) -> None:
    customer = a_customer(books)
    gone = books("update_customer", **version(customer), Active=False)
    assert (gone["Active"], gone["DisplayName"]) == (False, "Sorrel & Sons (deleted)")
    assert books.find("Customer", "DisplayName LIKE 'Sorrel%'") == []
    assert len(books.find("Customer", "Active IN (true, false) AND DisplayName LIKE 'Sorrel%'")) == 1
    error = books.refused("create_invoice", "2500", CustomerRef=ref(customer), Line=[sold(10)])
    assert "made inactive" in error["Detail"]
    back = books("update_customer", **version(gone), Active=True)
    assert back["DisplayName"] == "Sorrel & Sons"


def test_accounts_and_items(books: Books) -> None:
    account = books("create_account", Name="Tool Sales", AccountType="Income")
    assert (account["AccountSubType"], account["Classification"]) == ("SalesOfProductIncome", "Revenue")
    books.refused("create_account", "6240", Name="Tool Sales", AccountType="Income")
    books.refused("create_account", "6010", Name="Nothing")
    child = books("create_account", Name="Saws", AccountType="Income", ParentRef=ref(account))
    assert child["FullyQualifiedName"] == "Tool Sales:Saws"
    assert books("update_account", **version(account), Description="All tools")["Description"] == "All tools"
    books.refused("update_account", "6000", **version(books.account("Checking")), Active=False)
    for name in ("Undeposited Funds", "Retained Earnings", "Exchange Gain or Loss", "Sales Tax Payable"):
        error = books.refused("update_account", "6000", **version(books.account(name)), Active=False)
        assert "posts to it by itself" in error["Detail"]
    books.refused("create_account", "2040", Name='Saws "old"', AccountType="Income")
    books.refused("create_item", "2020", Name="Saw")
    books.refused("create_item", "6000", Name="Saw", IncomeAccountRef=ref(books.account("Checking")))
    item = books("create_item", Name="Saw", IncomeAccountRef=ref(child), UnitPrice=20)
    assert books("update_item", **version(item), UnitPrice=25)["UnitPrice"] == 25
    top = books("create_class", Name="North")
    assert books("create_class", Name="Coast", ParentRef=ref(top))["FullyQualifiedName"] == "North:Coast"
    assert books("create_department", Name="Harbour")["Name"] == "Harbour"


# Sales


def test_an_invoice_adds_to_what_is_owed(books: Books) -> None:
    owed, customer = books.balance("Accounts Receivable (A/R)"), a_customer(books)
    invoice = books("create_invoice", CustomerRef=ref(customer), Line=[sold(150, Qty=3, UnitPrice=50)])
    assert (invoice["TotalAmt"], invoice["Balance"], invoice["DocNumber"]) == (150, 150, "QM-2026-0132")
    assert books.balance("Accounts Receivable (A/R)") == owed + 150
    assert books("get_customer", id=customer["Id"])["Balance"] == 150
    error = books.refused("create_invoice", "6070", CustomerRef=ref(customer), Line=[sold(140, Qty=3, UnitPrice=50)])
    assert "Supplied value:140" in error["Detail"]
    error = books.refused("create_invoice", "6140", CustomerRef=ref(customer), Line=[sold(1)], DocNumber="QM-2026-0132")
    assert f"TxnId={invoice['Id']}" in error["Detail"]
    books.refused("create_invoice", "2020", CustomerRef=ref(customer), Line=[])
    books.refused("create_invoice", "2500", CustomerRef={"value": "99999"}, Line=[sold(1)])
    books.refused("create_invoice", "6000", CustomerRef=ref(customer), Line=[sold(-1)])
    changed = books("update_invoice", **version(invoice), Line=[sold(80), sold(20)], DueDate="2026-05-01")
    assert (changed["TotalAmt"], changed["Balance"], changed["DueDate"]) == (100, 100, "2026-05-01")
    assert books("send_invoice", id=invoice["Id"], sendTo="till@sorrel.example")["EmailStatus"] == "EmailSent"
    assert books.live.call("get_invoice_pdf", {"id": invoice["Id"]}).body[:5] == b"%PDF-"


def test_terms_discounts_and_tax(books: Books) -> None:
    net30 = books.find("Term", "Name = 'Net 30'")[0]
    customer = a_customer(books, SalesTermRef=ref(net30))
    discount = {"DetailType": "DiscountLineDetail", "DiscountLineDetail": {"PercentBased": True, "DiscountPercent": 10}}
    taxed = sold(100, TaxCodeRef={"value": "TAX"})
    invoice = books(
        "create_invoice",
        CustomerRef=ref(customer),
        Line=[taxed, sold(50), discount],
        TxnTaxDetail={"TxnTaxCodeRef": {"value": "3"}},
    )
    assert (invoice["DueDate"], invoice["TxnTaxDetail"]["TotalTax"], invoice["TotalAmt"]) == ("2026-04-01", 9.5, 144.5)
    assert books.balance("Sales Tax Payable") == 9.5
    assert books.sums() == 0


def test_a_payment_is_applied_and_taken_back(books: Books) -> None:
    customer, other = a_customer(books), a_customer(books, "Harrow Lane")
    invoice = books("create_invoice", CustomerRef=ref(customer), Line=[sold(100)])
    books.refused("create_payment", "6000", CustomerRef=ref(customer), TotalAmt=150, Line=[pays(invoice, 150)])
    books.refused("create_payment", "6000", CustomerRef=ref(customer), TotalAmt=50, Line=[pays(invoice, 60)])
    books.refused("create_payment", "620", CustomerRef=ref(other), TotalAmt=50, Line=[pays(invoice, 50)])
    books.refused("create_payment", "620", CustomerRef=ref(customer), TotalAmt=50, Line=[pays({"Id": "99999"}, 50)])
    books.refused("create_payment", "6000", CustomerRef=ref(customer), TotalAmt=-5)
    payment = books("create_payment", CustomerRef=ref(customer), TotalAmt=70, Line=[pays(invoice, 60)])
    assert (payment["UnappliedAmt"], books("get_invoice", id=invoice["Id"])["Balance"]) == (10, 40)
    assert books("get_invoice", id=invoice["Id"])["LinkedTxn"] == [{"TxnId": payment["Id"], "TxnType": "Payment"}]
    books.refused("delete_invoice", "6000", **version(invoice))
    moved = books("update_payment", **version(payment), Line=[pays(invoice, 70)])
    assert (moved["UnappliedAmt"], books("get_invoice", id=invoice["Id"])["Balance"]) == (0, 30)
    books.refused("update_invoice", "6000", **version(invoice), Line=[sold(60)])
    voided = books("void_payment", **version(moved))
    assert (voided["TotalAmt"], voided["PrivateNote"]) == (0, "Voided")
    assert books("get_invoice", id=invoice["Id"])["Balance"] == 100
    books.refused("update_payment", "6000", **version(voided), TotalAmt=5)
    books.refused("void_payment", "6000", **version(voided))
    last = books("create_payment", CustomerRef=ref(customer), TotalAmt=100, Line=[pays(invoice, 100)])
    assert books("delete_payment", **version(last)) == {"domain": "QBO", "status": "Deleted", "Id": last["Id"]}
    assert books("get_invoice", id=invoice["Id"])["Balance"] == 100
    assert books("get_customer", id=customer["Id"])["Balance"] == 100


def test_a_void_zeroes_and_keeps_the_record(books: Books) -> None:
    customer = a_customer(books)
    invoice = books("create_invoice", CustomerRef=ref(customer), Line=[sold(100)], PrivateNote="ours")
    payment = books("create_payment", CustomerRef=ref(customer), TotalAmt=100, Line=[pays(invoice, 100)])
    voided = books("void_invoice", **version(invoice))
    assert (voided["TotalAmt"], voided["Balance"], voided["PrivateNote"]) == (0, 0, "Voided - ours")
    assert {line["Amount"] for line in voided["Line"]} == {0}
    assert books.again("payment", payment)["UnappliedAmt"] == 100
    assert books("get_customer", id=customer["Id"])["Balance"] == -100
    books.refused("void_invoice", "6000", **version(voided))
    assert books("delete_invoice", **version(voided))["status"] == "Deleted"
    books.refused("get_invoice", "610", id=invoice["Id"])


def test_credits_receipts_and_refunds(books: Books) -> None:
    customer, checking = a_customer(books), books.account("Checking")
    invoice = books("create_invoice", CustomerRef=ref(customer), Line=[sold(100)])
    memo = books("create_credit_memo", CustomerRef=ref(customer), Line=[sold(30)])
    assert books("get_customer", id=customer["Id"])["Balance"] == 70
    books(
        "create_payment", CustomerRef=ref(customer), TotalAmt=0, Line=[pays(invoice, 30), pays(memo, 30, "CreditMemo")]
    )
    assert books("get_invoice", id=invoice["Id"])["Balance"] == 70
    assert books.again("creditmemo", memo)["RemainingCredit"] == 0
    before = books.balance("Checking")
    books("create_refund_receipt", CustomerRef=ref(customer), Line=[sold(12)], DepositToAccountRef=ref(checking))
    assert books.balance("Checking") == pytest.approx(before - 12)
    receipt = books("create_sales_receipt", CustomerRef=ref(customer), Line=[sold(45)])
    assert books.balance("Undeposited Funds") == 45
    deposit = books("create_deposit", DepositToAccountRef=ref(checking), Line=[pays(receipt, 45, "SalesReceipt")])
    assert books.balance("Undeposited Funds") == 0
    books.refused("void_sales_receipt", "6540", **version(receipt))
    books("delete_record", entity="deposit", **version(deposit))
    assert books("void_sales_receipt", **version(receipt))["TotalAmt"] == 0


def test_an_estimate_becomes_an_invoice_once(books: Books) -> None:
    customer = a_customer(books, PrimaryEmailAddr={"Address": "till@sorrel.example"})
    estimate = books("create_estimate", CustomerRef=ref(customer), Line=[sold(100)])
    assert books.sums() == 0
    accepted = books("update_estimate", **version(estimate), TxnStatus="Accepted", AcceptedBy="Ida")
    books.refused("send_estimate", "2020", id=estimate["Id"])
    assert books("send_estimate", id=estimate["Id"], sendTo="till@sorrel.example")["EmailStatus"] == "EmailSent"
    link = [{"TxnId": estimate["Id"], "TxnType": "Estimate"}]
    invoice = books("create_invoice", CustomerRef=ref(customer), Line=[sold(100)], LinkedTxn=link)
    assert accepted["TxnStatus"] == "Accepted"
    assert books.again("estimate", estimate)["TxnStatus"] == "Closed"
    assert invoice["LinkedTxn"] == link
    books.refused("create_invoice", "620", CustomerRef=ref(customer), Line=[sold(100)], LinkedTxn=link)
    books("delete_invoice", **version(invoice))
    assert books.again("estimate", estimate)["TxnStatus"] == "Accepted"
    pending = books("create_estimate", CustomerRef=ref(customer), Line=[sold(100)])
    link = [{"TxnId": pending["Id"], "TxnType": "Estimate"}]
    invoice = books("create_invoice", CustomerRef=ref(customer), Line=[sold(100)], LinkedTxn=link)
    books("void_invoice", **version(invoice))
    assert books.again("estimate", pending)["TxnStatus"] == "Pending"


def test_only_the_due_day_comes_from_the_customers_terms(books: Books) -> None:
    """The API copies addresses from the customer, but neither terms nor email."""
    net30 = books.find("Term", "Name = 'Net 30'")[0]
    mail, street = {"Address": "till@sorrel.example"}, {"Line1": "1 Quay"}
    customer = a_customer(books, SalesTermRef=ref(net30), PrimaryEmailAddr=mail, BillAddr=street)
    invoice = books("create_invoice", CustomerRef=ref(customer), Line=[sold(10)])
    assert (invoice["DueDate"], invoice["BillAddr"]) == ("2026-04-01", street)
    assert not {"SalesTermRef", "BillEmail"} & set(invoice)
    books.refused("send_invoice", "2020", id=invoice["Id"])
    books.refused("update_invoice", "2020", **version(invoice), EmailStatus="NeedToSend")
    assert books("send_invoice", id=invoice["Id"], sendTo=mail["Address"])["BillEmail"] == mail
    moved = books("update_invoice", **version(books.again("invoice", invoice)), TxnDate="2026-03-10")
    assert moved["DueDate"] == "2026-04-09"


def test_a_due_day_that_was_set_stays(books: Books) -> None:
    customer = a_customer(books)
    invoice = books("create_invoice", CustomerRef=ref(customer), Line=[sold(10)], DueDate="2026-05-01")
    moved = books("update_invoice", **version(invoice), TxnDate="2026-03-10")
    assert moved["DueDate"] == "2026-05-01"
    books.refused("update_invoice", "6000", **version(moved), TxnDate="2026-05-02")
    net10 = books.find("Term", "Name = 'Net 10'")[0]
    assert books("update_invoice", **version(moved), SalesTermRef=ref(net10))["DueDate"] == "2026-03-20"


def test_what_is_linked_stays_whose_it_is(books: Books) -> None:
    customer, other = a_customer(books), a_customer(books, "Harrow Lane")
    invoice = books("create_invoice", CustomerRef=ref(customer), Line=[sold(100)])
    payment = books("create_payment", CustomerRef=ref(customer), TotalAmt=30, Line=[pays(invoice, 30)])
    error = books.refused("update_invoice", "6000", **version(invoice), CustomerRef=ref(other))
    assert (error["element"], "unlink" in error["Detail"]) == ("CustomerRef", True)
    books("delete_payment", **version(payment))
    assert books("update_invoice", **version(invoice), CustomerRef=ref(other))["CustomerRef"]["name"] == "Harrow Lane"
    assert [books("get_customer", id=c["Id"])["Balance"] for c in (customer, other)] == [0, 100]
    bill = books("create_bill", VendorRef={"value": "106"}, Line=[spent(9, books.account("Rent"))])
    money = {"PayType": "Check", "CheckPayment": {"BankAccountRef": ref(books.account("Checking"))}}
    books("create_bill_payment", VendorRef={"value": "106"}, TotalAmt=9, Line=[pays(bill, 9, "Bill")], **money)
    vendor = books("create_vendor", DisplayName="Quill")
    moved = books.http("POST", "/bill", {**version(bill), "sparse": True, "VendorRef": ref(vendor)})
    assert moved.body["Fault"]["Error"][0]["element"] == "VendorRef"


def test_only_known_origins_are_linked(books: Books) -> None:
    customer, rent = a_customer(books), books.account("Rent")
    estimate = books("create_estimate", CustomerRef=ref(customer), Line=[sold(100)])
    for kind in ("estimate", "Spaceship", "Payment"):
        link = [{"TxnId": estimate["Id"], "TxnType": kind}]
        books.refused("create_invoice", "620", CustomerRef=ref(customer), Line=[sold(100)], LinkedTxn=link)
    link = [{"TxnId": estimate["Id"], "TxnType": "Estimate"}]
    books.refused("create_bill", "620", VendorRef={"value": "106"}, Line=[spent(1, rent)], LinkedTxn=link)


def test_sub_customers_at_any_level(books: Books) -> None:
    top = a_customer(books)
    middle = a_customer(books, "Harbour", ParentRef=ref(top))
    low = a_customer(books, "Pier", ParentRef=ref(middle))
    assert (low["Level"], low["FullyQualifiedName"], "Level" in top) == (2, "Sorrel & Sons:Harbour:Pier", False)
    invoice = books("create_invoice", CustomerRef=ref(low), Line=[sold(50)])
    assert books("get_customer", id=top["Id"])["BalanceWithJobs"] == 50
    books("create_payment", CustomerRef=ref(top), TotalAmt=50, Line=[pays(invoice, 50)])
    assert books("get_invoice", id=invoice["Id"])["Balance"] == 0
    account = books("create_account", Name="Bank", AccountType="Bank")
    below = books("create_account", Name="Till", AccountType="Bank", ParentRef=ref(account))
    lowest = books("create_account", Name="Box", AccountType="Bank", ParentRef=ref(below))
    books("create_transfer", FromAccountRef=ref(books.account("Checking")), ToAccountRef=ref(lowest), Amount=7)
    assert books.again("account", account)["CurrentBalanceWithSubAccounts"] == 7


def test_sending_leaves_a_trace(books: Books) -> None:
    invoice = next(i for i in books.find("Invoice") if i["EmailStatus"] == "EmailSent")
    sent = books("send_invoice", id=invoice["Id"])["DeliveryInfo"]
    assert (sent["DeliveryType"], sent["DeliveryTime"][:10]) == ("Email", "2026-03-02")
    (change,) = books.episode.changes()
    assert (change.table, change.key) == ("invoice", (int(invoice["Id"]),))
    receipt = books("create_sales_receipt", CustomerRef=invoice["CustomerRef"], Line=[sold(5)])
    assert books.http("POST", f"/salesreceipt/{receipt['Id']}/send", sendTo="a@b.example").status == 200


def test_money_received_lies_in_undeposited_funds(books: Books) -> None:
    customer, held = a_customer(books), ref(books.account("Undeposited Funds"))
    payment = books("create_payment", CustomerRef=ref(customer), TotalAmt=20)
    receipt = books("create_sales_receipt", CustomerRef=ref(customer), Line=[sold(5)])
    assert payment["DepositToAccountRef"]["value"] == receipt["DepositToAccountRef"]["value"] == held["value"]
    assert payment["LinkedTxn"] == []
    deposit = books(
        "create_deposit", DepositToAccountRef=ref(books.account("Checking")), Line=[pays(payment, 20, "Payment")]
    )
    assert books.again("payment", payment)["LinkedTxn"] == [{"TxnId": deposit["Id"], "TxnType": "Deposit"}]


def test_sales_forms_are_numbered_as_the_preferences_say(books: Books) -> None:
    prefs, customer = books("get_preferences"), a_customer(books)
    assert prefs["SalesFormsPrefs"]["CustomTxnNumbers"] is False
    books.http("POST", "/preferences", {**version(prefs), "SalesFormsPrefs": {"CustomTxnNumbers": True}})
    assert "DocNumber" not in books("create_invoice", CustomerRef=ref(customer), Line=[sold(1)])


# Purchases


def test_receivables_and_payables_are_somebodys(books: Books) -> None:
    """Entries that no party owns would set the accounts apart from the customers' and vendors' balances."""
    checking, rent = books.account("Checking"), books.account("Rent")
    receivable, payable = books.account("Accounts Receivable (A/R)"), books.account("Accounts Payable (A/P)")
    for account in (receivable, payable):
        books.refused("create_bill", "6000", VendorRef={"value": "106"}, Line=[spent(5, account)])
        line = [spent(5, account)]
        books.refused("create_purchase", "6000", PaymentType="Cash", AccountRef=ref(checking), Line=line)
        books.refused("create_transfer", "6000", FromAccountRef=ref(checking), ToAccountRef=ref(account), Amount=5)
    books.refused("create_transfer", "6000", FromAccountRef=ref(checking), ToAccountRef=ref(rent), Amount=5)
    paid = {"PaymentType": "Cash", "AccountRef": ref(checking), "EntityRef": {"value": "106", "type": "Vendor"}}
    assert books("create_purchase", **paid, Line=[spent(5, payable)])["TotalAmt"] == 5


def test_bills_credits_and_their_payment(books: Books) -> None:
    vendor, rent, checking = (
        books("create_vendor", DisplayName="Quill"),
        books.account("Rent"),
        books.account("Checking"),
    )
    order = books("create_purchase_order", VendorRef=ref(vendor), Line=[spent(250, rent)])
    link = [{"TxnId": order["Id"], "TxnType": "PurchaseOrder"}]
    bill = books("create_bill", VendorRef=ref(vendor), Line=[spent(250, rent)], DocNumber="77", LinkedTxn=link)
    assert books.again("purchaseorder", order)["POStatus"] == "Closed"
    books.refused("create_bill", "6140", VendorRef=ref(vendor), Line=[spent(1, rent)], DocNumber="77")
    books.refused("create_bill", "2020", VendorRef=ref(vendor), Line=[])
    assert bill["APAccountRef"]["name"] == "Accounts Payable (A/P)"
    bill = books("update_bill", **version(bill), PrivateNote="March")
    credit = books("create_vendor_credit", VendorRef=ref(vendor), Line=[spent(50, rent)])
    money: dict[str, Any] = {"VendorRef": ref(vendor), "PayType": "Check"}
    lines = [pays(bill, 250, "Bill"), pays(credit, 50, "VendorCredit")]
    books.refused("create_bill_payment", "2020", **money, TotalAmt=200, Line=lines)
    wrong = {"BankAccountRef": ref(rent)}
    books.refused("create_bill_payment", "6000", **money, TotalAmt=200, Line=lines, CheckPayment=wrong)
    paid = books(
        "create_bill_payment", **money, TotalAmt=200, Line=lines, CheckPayment={"BankAccountRef": ref(checking)}
    )
    assert (books("get_bill", id=bill["Id"])["Balance"], books.again("vendorcredit", credit)["Balance"]) == (0, 0)
    books.refused("delete_bill", "6000", **version(bill))
    assert books("void_bill_payment", **version(paid))["TotalAmt"] == 0
    assert books("delete_bill", **version(bill))["status"] == "Deleted"
    assert books.again("purchaseorder", order)["POStatus"] == "Open"


def test_expenses_entries_transfers(books: Books) -> None:
    rent, checking, savings = (books.account(name) for name in ("Rent", "Checking", "Savings"))
    receivable, payable = books.account("Accounts Receivable (A/R)"), books.account("Accounts Payable (A/P)")
    books.refused("create_purchase", "6000", PaymentType="Cash", AccountRef=ref(rent), Line=[spent(5, rent)])
    purchase = books("create_purchase", PaymentType="Check", AccountRef=ref(checking), Line=[spent(5, rent)])
    assert books("update_purchase", **version(purchase), Line=[spent(6, rent)])["TotalAmt"] == 6
    error = books.refused("create_journal_entry", "6000", Line=[entry("Debit", rent, 10), entry("Credit", savings, 9)])
    assert "debits are 10.00, the credits 9.00" in error["Detail"]
    books.refused("create_journal_entry", "6000", Line=[entry("Debit", receivable, 10), entry("Credit", savings, 10)])
    books.refused("create_journal_entry", "6000", Line=[entry("Credit", payable, 10), entry("Debit", savings, 10)])
    lines = [entry("Debit", rent, 10), entry("Credit", savings, 10)]
    first, second = (
        books("create_journal_entry", Line=lines, DocNumber="7") for _ in range(2)
    )  # they may share a number
    assert first["DocNumber"] == second["DocNumber"]
    books("delete_record", entity="journalentry", **version(second))
    made = books("create_journal_entry", Line=[entry("Debit", rent, 10), entry("Credit", savings, 10)])
    books.refused("update_journal_entry", "6000", **version(made), Line=[entry("Debit", rent, 10)])
    assert books("update_journal_entry", **version(made), PrivateNote="Rent")["PrivateNote"] == "Rent"
    assert books.balance("Savings") == -20
    books.refused("create_transfer", "6000", FromAccountRef=ref(savings), ToAccountRef=ref(savings), Amount=1)
    books("create_transfer", FromAccountRef=ref(checking), ToAccountRef=ref(savings), Amount=30)
    assert books.balance("Savings") == 10
    note = books(
        "create_attachable", Note="Scan", AttachableRef=[{"EntityRef": {"value": made["Id"], "type": "JournalEntry"}}]
    )
    assert books("delete_record", entity="attachable", **version(note))["status"] == "Deleted"


def test_notes_are_found_by_what_they_are_on(books: Books) -> None:
    invoice, other = books.find("Invoice")[:2]
    ends = [{"EntityRef": {"value": row["Id"], "type": "invoice"}} for row in (invoice, other)]
    note = books("create_attachable", Note="Scan", AttachableRef=ends)
    books("create_attachable", Note="Alone", Category="Receipt")
    assert note["AttachableRef"][1]["EntityRef"]["type"] == "Invoice"
    where = "AttachableRef.EntityRef.Type = 'invoice' AND AttachableRef.EntityRef.value = '{}'"
    assert [a["Id"] for a in books.find("Attachable", where.format(other["Id"]))] == [note["Id"]]
    assert books.find("Attachable", where.format("99999")) == []
    books.refused("create_attachable", "2170", Note="Scan", Category="Picture")


def test_payments_of_bills_name_them(books: Books) -> None:
    money = {"PayType": "Check", "CheckPayment": {"BankAccountRef": ref(books.account("Checking"))}}
    books.refused("create_bill_payment", "2020", VendorRef={"value": "106"}, TotalAmt=10, Line=[], **money)


def test_currencies_are_added_once(books: Books) -> None:
    for code in ("EUR", "USD"):
        assert books.http("POST", "/companycurrency", {"Code": code}).body["Fault"]["Error"][0]["code"] == "6240"


def test_stock_is_counted_and_costed(books: Books) -> None:
    accounts = {
        "IncomeAccountRef": "Services",
        "ExpenseAccountRef": "Cost of Goods Sold",
        "AssetAccountRef": "Inventory Asset",
    }
    named = {name: ref(books.account(account)) for name, account in accounts.items()}
    item = books(
        "create_item", Name="Crate", Type="Inventory", QtyOnHand=10, PurchaseCost=4, InvStartDate="2026-01-01", **named
    )
    assert books.balance("Inventory Asset") == 40
    early = [sold(9, item["Id"], Qty=1, UnitPrice=9)]
    books.refused("create_invoice", "6270", CustomerRef={"value": "73"}, Line=early, TxnDate="2025-12-31")
    invoice = books(
        "create_invoice", CustomerRef=ref(a_customer(books)), Line=[sold(27, item["Id"], Qty=3, UnitPrice=9)]
    )
    item = books.again("item", item)
    assert (item["QtyOnHand"], books.balance("Inventory Asset")) == (7, 28)
    books("update_item", **version(item), PurchaseCost=6)
    invoice = books("update_invoice", **version(invoice), CustomerMemo={"value": "Thanks"}, DueDate="2026-04-01")
    assert books.balance("Inventory Asset") == 28
    books("void_invoice", **version(invoice))
    assert (books.again("item", item)["QtyOnHand"], books.balance("Inventory Asset")) == (10, 40)


# Queries


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("SELECT * FROM Invoice WHERE Balance > '0' OR Balance < '0'", "4000", "OR"),
        ("SELECT * FROM Invoice WHERE NOT Balance = '0'", "4000", "Encountered"),
        (
            "SELECT * FROM Invoice WHERE Balance != '0'",
            "4000",
            'Lexical error at line 1, column 37.  Encountered: "!" (33)',
        ),
        ("SELECT Id, FROM Invoice", "4000", "Encountered"),
        ("DELETE FROM Invoice", "4000", "DELETE"),
        ("SELECT * FROM Invoice i JOIN Customer c", "4000", "Encountered"),
        ("SELECT SUM(Balance) FROM Invoice", "4000", "Encountered"),
        ("", "4000", "null"),
        ("SELECT * FROM Spaceship", "4001", "Entity Spaceship not found"),
        ("SELECT * FROM Invoice WHERE Colour = 'red'", "4001", "Property Colour not found for Entity Invoice"),
        ("SELECT * FROM Invoice WHERE DepartmentRef = '1'", "4001", "property 'DepartmentRef' is not queryable"),
        ("SELECT Colour FROM Invoice", "4001", "Property Colour not found"),
        ("SELECT * FROM Invoice WHERE Balance LIKE '1%'", "4001", "LIKE is not supported"),
        ("SELECT * FROM Invoice WHERE TxnDate > 'soon'", "4001", "Invalid value 'soon'"),
        ("SELECT * FROM Invoice STARTPOSITION 0", "4001", "STARTPOSITION"),
        ("SELECT * FROM Invoice MAXRESULTS 1001", "4003", "MAXRESULTS"),
    ],
)
def test_queries_that_are_none(books: Books, text: str, code: str, words: str) -> None:
    assert words in books.refused("query", code, query=text)["Detail"]


def test_queries(books: Books) -> None:
    invoices = books.find("Invoice")
    unpaid = [i["Id"] for i in invoices if i["Balance"] > 0]
    assert [i["Id"] for i in books.find("Invoice", "Balance > '0'")] == unpaid
    assert books("query", query="select count(*) from Invoice where Balance > 0")["totalCount"] == len(unpaid)
    ordered = books("query", query="SELECT Id, TotalAmt FROM Invoice ORDERBY TotalAmt DESC, Id MAXRESULTS 5")
    assert [i["TotalAmt"] for i in ordered["Invoice"]] == sorted((i["TotalAmt"] for i in invoices), reverse=True)[:5]
    assert set(ordered["Invoice"][0]) == {"domain", "sparse", "Id", "TotalAmt"}
    some = [i["Id"] for i in invoices[3:6]]
    assert [i["Id"] for i in books.find("Invoice", f"Id IN ('{some[0]}', '{some[2]}')")] == [some[0], some[2]]
    customer = invoices[0]["CustomerRef"]["value"]
    assert {i["CustomerRef"]["value"] for i in books.find("Invoice", f"CustomerRef = '{customer}'")} == {customer}
    quarter = books.find("Invoice", "TxnDate >= '2026-01-01' AND TxnDate < '2026-02-01'")
    assert quarter
    assert all(i["TxnDate"].startswith("2026-01") for i in quarter)
    a_customer(books, "O'Neil \\ Boats")
    assert len(books.find("Customer", "DisplayName = 'O\\'Neil \\\\ Boats'")) == 1
    assert (
        len(books.find("Customer", "DisplayName LIKE '%neil%' AND MetaData.CreateTime > '2026-03-02T00:00:00Z'")) == 1
    )
    assert books("query", query="SELECT * FROM Invoice WHERE Id = '1'") == {}


def test_pages_lead_through_everything_once(books: Books) -> None:
    seen, at = list[str](), 1
    while page := books("query", query=f"SELECT Id FROM Invoice ORDERBY Id STARTPOSITION {at} MAXRESULTS 30").get(
        "Invoice"
    ):
        seen += [i["Id"] for i in page]
        at += len(page)
    assert len(seen) == len(set(seen)) == 87
    assert len(json.dumps(books("query", query="SELECT * FROM Invoice"))) < 30_000


# Reports


def totals(report: dict[str, Any]) -> dict[str, float]:
    return {
        row.get("group", ""): float(row["Summary"]["ColData"][-1]["value"])
        for row in report["Rows"]["Row"]
        if "Summary" in row
    }


def report(books: Books, tool: str, **arguments: Any) -> dict[str, Any]:
    reply = books.live.call(tool, arguments)
    assert not reply.error, reply.body
    return reply.body


@pytest.mark.parametrize("method", ["Accrual", "Cash"])
def test_the_statements_agree(books: Books, method: str) -> None:
    for end in ("2025-06-30", "2025-12-31", "2026-03-02"):
        sheet = totals(report(books, "get_balance_sheet", end_date=end, accounting_method=method))
        assert sheet["TotalAssets"] == sheet["TotalLiabilitiesAndEquity"]
        trial = report(books, "get_trial_balance", end_date=end, accounting_method=method)["Rows"]["Row"][-1]
        debit, credit = (cell["value"] for cell in trial["Summary"]["ColData"][1:])
        assert debit == credit
    whole = totals(
        report(books, "get_profit_and_loss", start_date="2026-01-01", end_date="2026-02-28", accounting_method=method)
    )
    monthly = report(
        books,
        "get_profit_and_loss",
        start_date="2026-01-01",
        end_date="2026-02-28",
        accounting_method=method,
        summarize_column_by="Month",
    )
    assert [c["ColTitle"] for c in monthly["Columns"]["Column"]] == ["", "Jan 2026", "Feb 2026", "Total"]
    assert totals(monthly) == whole


def test_reports_follow_the_books(books: Books) -> None:
    customer = a_customer(books)
    before = totals(report(books, "get_profit_and_loss"))["NetIncome"]
    invoice = books(
        "create_invoice", CustomerRef=ref(customer), Line=[sold(100)], TxnDate="2026-01-10", DueDate="2026-01-15"
    )
    assert totals(report(books, "get_profit_and_loss"))["NetIncome"] == before + 100
    aged = report(books, "get_aged_receivables", customer=customer["Id"])["Rows"]["Row"]
    assert [cell["value"] for cell in aged[0]["ColData"]] == ["Sorrel & Sons", "", "", "100.00", "", "", "100.00"]
    early = report(books, "get_aged_receivables", customer=customer["Id"], report_date="2026-01-12")["Rows"]["Row"]
    assert early[0]["ColData"][1]["value"] == "100.00"
    books("create_payment", CustomerRef=ref(customer), TotalAmt=100, Line=[pays(invoice, 100)])
    assert report(books, "get_aged_receivables", customer=customer["Id"])["Rows"] == {}
    owed = float(report(books, "get_aged_receivables")["Rows"]["Row"][-1]["Summary"]["ColData"][-1]["value"])
    sheet = json.dumps(report(books, "get_balance_sheet"))
    assert f'{{"value": "Total Accounts Receivable"}}, {{"value": "{owed:.2f}"}}' in sheet
    due = float(report(books, "get_aged_payables")["Rows"]["Row"][-1]["Summary"]["ColData"][-1]["value"])
    assert f'{{"value": "Total Accounts Payable"}}, {{"value": "{due:.2f}"}}' in sheet
    ledger = report(books, "get_general_ledger", account=books.account("Undeposited Funds")["Id"])["Rows"]["Row"]
    assert ledger[0]["Rows"]["Row"][0]["ColData"][1]["value"] == "Payment"
    books.refused("get_profit_and_loss", "2170", date_macro="Next Century")
    books.refused("get_profit_and_loss", "2190", start_date="2026-02-01", end_date="2026-01-01")
    books.refused("get_general_ledger", "2170", columns="colour")


# Over HTTP


def test_one_path_creates_updates_deletes(books: Books) -> None:
    made = books.http("POST", "/customer", {"DisplayName": "Sorrel", "Notes": "old"}).body["Customer"]
    full = books.http("POST", "/customer", {"Id": made["Id"], "SyncToken": "0", "DisplayName": "Sorrel"}).body[
        "Customer"
    ]
    assert "Notes" not in full
    error = books.http("POST", "/customer", {"DisplayName": "Other", "Colour": "red"})
    assert (error.status, error.body["Fault"]["Error"][0]["code"]) == (400, "2010")
    assert books.http("POST", "/customer", {"Id": made["Id"]}).body["Fault"]["Error"][0]["element"] == "SyncToken"
    assert books.http("POST", "/customer", version(full), operation="delete").body["Fault"]["Error"][0]["code"] == "500"
    assert books.http("GET", "/spaceship/1").body["Fault"]["Error"][0]["code"] == "500"
    term = books.http("POST", "/term", {"Name": "Net 45", "DueDays": 45}).body["Term"]
    assert books.http("GET", f"/term/{term['Id']}").body["Term"]["Type"] == "STANDARD"
    worker = books.find("Employee")[0]
    time = {"NameOf": "Employee", "EmployeeRef": ref(worker), "Hours": 3}
    assert books.http("POST", "/timeactivity", time).body["TimeActivity"]["Hours"] == 3
    assert books.http("POST", "/timeactivity", {**time, "Hours": 0}).status == 400
    assert (
        books.http("POST", "/query", b"select count(*) from Term", "application/text").body["QueryResponse"][
            "totalCount"
        ]
        == 6
    )
    assert books.http("GET", "/query", query="select * from Term maxresults 1").body["QueryResponse"]["maxResults"] == 1


def test_closed_books_stay_closed(books: Books) -> None:
    prefs = books("get_preferences")
    body = {**version(prefs), "AccountingInfoPrefs": {"BookCloseDate": "2026-01-31"}}
    assert (
        books.http("POST", "/preferences", body).body["Preferences"]["AccountingInfoPrefs"]["BookCloseDate"]
        == "2026-01-31"
    )
    customer = a_customer(books)
    books.refused("create_invoice", "6210", CustomerRef=ref(customer), Line=[sold(1)], TxnDate="2026-01-31")
    old = books.find("Invoice", "TxnDate < '2026-01-31' AND Balance > '0'")[0]
    books.refused("update_invoice", "6210", **version(old), PrivateNote="late")
    books.refused("void_invoice", "6210", **version(old))
    assert books("create_invoice", CustomerRef=ref(customer), Line=[sold(1)], TxnDate="2026-02-01")["TotalAmt"] == 1


def test_currencies_gain_and_lose(books: Books) -> None:
    rate = books.http("GET", "/exchangerate", sourcecurrencycode="EUR").body["ExchangeRate"]["Rate"]
    customer = a_customer(books, CurrencyRef={"value": "EUR"})
    invoice = books("create_invoice", CustomerRef=ref(customer), Line=[sold(1000)])
    assert (invoice["CurrencyRef"]["value"], invoice["HomeTotalAmt"]) == ("EUR", round(1000 * rate, 2))
    new = {"SourceCurrencyCode": "EUR", "Rate": rate + 0.1, "AsOfDate": "2026-03-01"}
    assert books.http("POST", "/exchangerate", new).status == 200
    books("create_payment", CustomerRef=ref(customer), TotalAmt=1000, Line=[pays(invoice, 1000)])
    assert books("get_customer", id=customer["Id"])["Balance"] == 0
    lines = books.live.store.query(
        "SELECT amount FROM posting p JOIN account a ON a.Id = p.account WHERE a.AccountSubType = 'ExchangeGainOrLoss'"
    )
    assert [line["amount"] for line in lines] == [-10000]
    assert books.sums() == 0
    now = books("get_invoice", id=invoice["Id"])
    assert (now["HomeTotalAmt"], now["HomeBalance"]) == (invoice["HomeTotalAmt"], 0)
    books("void_invoice", **version(invoice))
    assert books.account("Exchange Gain or Loss")["Active"]
    left = books.live.store.query(
        "SELECT amount FROM posting p JOIN account a ON a.Id = p.account WHERE a.AccountSubType = 'ExchangeGainOrLoss'"
    )
    assert left == []
    assert books.sums() == 0
    books.refused("create_customer", "2500", DisplayName="Far", CurrencyRef={"value": "XYZ"})


def test_batches_captures_and_uploads(books: Books) -> None:
    items = [
        {"bId": "a", "operation": "create", "Customer": {"DisplayName": "Batch One"}},
        {"bId": "b", "operation": "create", "Customer": {"DisplayName": "Meridian Freight"}},
        {"bId": "c", "Query": "select count(*) from Customer"},
        {"bId": "d", "operation": "explode", "Customer": {}},
    ]
    answers = books.http("POST", "/batch", {"BatchItemRequest": items}).body["BatchItemResponse"]
    assert [a["bId"] for a in answers] == ["a", "b", "c", "d"]
    assert answers[0]["Customer"]["DisplayName"] == "Batch One"
    assert answers[1]["Fault"]["Error"][0]["code"] == "6240"
    assert answers[2]["QueryResponse"]["totalCount"] == 34
    assert "Fault" in answers[3]
    assert books.http("POST", "/batch", {"BatchItemRequest": items * 8}).body["Fault"]["Error"][0]["code"] == "1040"
    captured: Any = books("change_data_capture", entities="Customer,Vendor", changedSince="2026-03-02T08:59:59Z")
    assert [c["DisplayName"] for c in captured[0]["QueryResponse"][0]["Customer"]] == ["Batch One"]
    assert captured[0]["QueryResponse"][1] == {}
    books.refused("change_data_capture", "4000", entities="Customer", changedSince="2025-01-01")
    assert books("get_company_info")["CompanyName"] == "Quaymark"
    head = b'Content-Disposition: form-data; name="file_content_01"; filename="a.txt"'
    part = b"--x\r\n" + head + b"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--x--\r\n"
    stored = books.http("POST", "/upload", part, "multipart/form-data; boundary=x").body["AttachableResponse"][0][
        "Attachable"
    ]
    assert (stored["FileName"], stored["Size"]) == ("a.txt", 5)


# The books always balance


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
