"""QuickBooks Online: purchases; queries; reports; over HTTP."""

import json
from typing import Any

import pytest

from tests.apps.quickbooks.support import Books, a_customer, entry, pays, ref, report, sold, spent, totals, version


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
