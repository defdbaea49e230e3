"""QuickBooks Online: versions and names; sales."""

import pytest

from tests.apps.quickbooks.support import Books, a_customer, pays, ref, sold, spent, version


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
