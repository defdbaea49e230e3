"""python-quickbooks, unmodified but for its base URL, against the QuickBooks app over real HTTP. Its OAuth client as well."""

# The SDK sets its attributes to None and fills them at run time: their types say nothing.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false
# pyright: reportOptionalOperand=false, reportArgumentType=false

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from intuitlib.client import AuthClient
from quickbooks import QuickBooks
from quickbooks.batch import batch_create, batch_delete, batch_update
from quickbooks.cdc import change_data_capture
from quickbooks.exceptions import ObjectNotFoundException, QuickbooksException, ValidationException
from quickbooks.objects.account import Account
from quickbooks.objects.attachable import Attachable
from quickbooks.objects.base import EmailAddress, PhoneNumber, Ref
from quickbooks.objects.bill import Bill
from quickbooks.objects.billpayment import BillPayment, BillPaymentLine, CheckPayment
from quickbooks.objects.company_info import CompanyInfo
from quickbooks.objects.creditmemo import CreditMemo
from quickbooks.objects.customer import Customer
from quickbooks.objects.department import Department
from quickbooks.objects.deposit import Deposit, DepositLine
from quickbooks.objects.detailline import (
    AccountBasedExpenseLine,
    AccountBasedExpenseLineDetail,
    SalesItemLine,
    SalesItemLineDetail,
)
from quickbooks.objects.employee import Employee
from quickbooks.objects.estimate import Estimate
from quickbooks.objects.invoice import Invoice
from quickbooks.objects.item import Item
from quickbooks.objects.journalentry import JournalEntry, JournalEntryLine, JournalEntryLineDetail
from quickbooks.objects.payment import Payment, PaymentLine
from quickbooks.objects.paymentmethod import PaymentMethod
from quickbooks.objects.preferences import Preferences
from quickbooks.objects.purchase import Purchase
from quickbooks.objects.purchaseorder import PurchaseOrder
from quickbooks.objects.refundreceipt import RefundReceipt
from quickbooks.objects.salesreceipt import SalesReceipt
from quickbooks.objects.taxcode import TaxCode
from quickbooks.objects.taxrate import TaxRate
from quickbooks.objects.term import Term
from quickbooks.objects.trackingclass import Class
from quickbooks.objects.transfer import Transfer
from quickbooks.objects.vendor import Vendor
from quickbooks.objects.vendorcredit import VendorCredit

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = [
    pytest.mark.sdk,
    # The SDK leaves the closing of its sessions to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
REALM = "9341453172468000"


@pytest.fixture
def qb(gateway: "Gateway", monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    rest = gateway.episode(["quickbooks"]).rest("quickbooks")
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # the gateway speaks plain HTTP
    monkeypatch.setattr(QuickBooks, "api_url_v3", f"{rest}/v3")
    auth = AuthClient("id", "secret", "https://app.example", f"{rest}/.well-known/openid_configuration/")
    client = QuickBooks(auth_client=auth, refresh_token="RT1", company_id=REALM, minorversion=75)
    yield client
    client.session.close()
    auth.close()


def ref(row: Any, name: str = "") -> Ref:
    made = Ref()
    made.value, made.name = row.Id, name
    return made


def sold(item: Any, quantity: float, price: float) -> SalesItemLine:
    line, detail = SalesItemLine(), SalesItemLineDetail()
    detail.ItemRef, detail.Qty, detail.UnitPrice = ref(item), quantity, price
    line.Amount, line.SalesItemLineDetail = round(quantity * price, 2), detail
    return line


def spent(account: Any, amount: float) -> AccountBasedExpenseLine:
    line, detail = AccountBasedExpenseLine(), AccountBasedExpenseLineDetail()
    detail.AccountRef, detail.BillableStatus = ref(account), "NotBillable"
    line.Amount, line.AccountBasedExpenseLineDetail = amount, detail
    return line


def one(cls: Any, qb: Any, **fields: Any) -> Any:
    return cls.filter(qb=qb, **fields)[0]


def an_invoice(qb: Any, customer: Any, quantity: float = 2, price: float = 50) -> Any:
    made = Invoice()
    made.CustomerRef = ref(customer)
    made.Line.append(sold(one(Item, qb, Name="Services"), quantity, price))
    return made.save(qb=qb)


def a_customer(qb: Any, name: str = "Sorrel & Sons") -> Any:
    made = Customer()
    made.DisplayName = name
    return made.save(qb=qb)


def test_the_company_and_its_lists(qb: Any) -> None:
    assert CompanyInfo.get(REALM, qb=qb).CompanyName == "Quaymark"
    assert Preferences.get(qb=qb).CurrencyPrefs.HomeCurrency.value == "USD"
    assert Employee.count(qb=qb) > 50
    assert {t.Name for t in Term.all(qb=qb)} >= {"Net 30", "Due on receipt"}
    assert {c.Id for c in TaxCode.all(qb=qb)} >= {"TAX", "NON"}
    assert TaxRate.all(qb=qb)[0].RateValue == 7.25
    assert "Check" in {m.Name for m in PaymentMethod.all(qb=qb)}
    assert one(Account, qb, Name="Checking").CurrentBalance > 0


def test_a_walk_leads_through_every_invoice_once(qb: Any) -> None:
    count, walked, start = Invoice.count(qb=qb), list[str](), 1
    while page := Invoice.where(order_by="Id", start_position=start, max_results=25, qb=qb):
        walked += [i.Id for i in page]
        start += len(page)
    assert len(walked) == len(set(walked)) == count > 75
    assert walked == sorted(walked, key=int)
    assert len(Invoice.all(max_results=10, qb=qb)) == 10
    assert [i.Id for i in Invoice.choose([walked[3], walked[0]], qb=qb)] == [walked[0], walked[3]]


def test_a_customer_is_made_changed_and_taken_off_the_lists(qb: Any) -> None:
    customer = Customer()
    customer.GivenName, customer.FamilyName, customer.CompanyName = "Ida", "O'Neil", "O'Neil Boats"
    customer.PrimaryEmailAddr, customer.PrimaryPhone = EmailAddress(), PhoneNumber()
    customer.PrimaryEmailAddr.Address, customer.PrimaryPhone.FreeFormNumber = "ida@oneil.example", "+1 555 0100"
    made = customer.save(qb=qb)
    assert (made.DisplayName, made.SyncToken, made.Balance) == ("Ida O'Neil", "0", 0)
    made.Notes = "Prefers mornings"
    changed = made.save(qb=qb)
    assert (changed.SyncToken, changed.Notes) == ("1", "Prefers mornings")
    assert one(Customer, qb, DisplayName="Ida O'Neil").Id == made.Id
    with pytest.raises(QuickbooksException) as stale:
        made.save(qb=qb)
    assert stale.value.error_code == 5010
    with pytest.raises(QuickbooksException) as taken:
        a_customer(qb, "ida o'neil")
    assert taken.value.error_code == 6240
    changed.Active = False
    assert changed.save(qb=qb).DisplayName == "Ida O'Neil (deleted)"
    assert Customer.filter(DisplayName="Ida O'Neil (deleted)", qb=qb) == []
    assert Customer.filter(Active=False, qb=qb)[0].Id == made.Id


def test_an_invoice_from_draft_to_void(qb: Any) -> None:
    customer = a_customer(qb)
    invoice = an_invoice(qb, customer)
    assert (invoice.TotalAmt, invoice.Balance, invoice.DocNumber[:3]) == (100, 100, "QM-")
    invoice.Line[0].Description = "Two days"
    invoice.DueDate = "2026-04-30"
    invoice = invoice.save(qb=qb)
    assert (invoice.Line[0].Description, invoice.DueDate, len(invoice.Line)) == ("Two days", "2026-04-30", 2)
    sent = invoice.send(qb=qb, send_to="till@sorrel.example")["Invoice"]
    assert (sent["EmailStatus"], sent["BillEmail"]) == ("EmailSent", {"Address": "till@sorrel.example"})
    assert invoice.download_pdf(qb=qb).startswith(b"%PDF-")
    invoice = Invoice.get(invoice.Id, qb=qb)
    voided = invoice.void(qb=qb)["Invoice"]
    assert (voided["TotalAmt"], voided["Balance"], voided["PrivateNote"]) == (0, 0, "Voided")
    other = an_invoice(qb, customer)
    assert other.delete(qb=qb)["Invoice"]["status"] == "Deleted"
    with pytest.raises(ObjectNotFoundException):
        Invoice.get(other.Id, qb=qb)


def test_payments_move_what_is_open(qb: Any) -> None:
    customer = a_customer(qb)
    invoice = an_invoice(qb, customer)
    payment, line = Payment(), PaymentLine()
    line.Amount = 60
    line.LinkedTxn.append(invoice.to_linked_txn())
    payment.CustomerRef, payment.TotalAmt = ref(customer), 80
    payment.Line.append(line)
    payment = payment.save(qb=qb)
    assert payment.UnappliedAmt == 20
    assert Invoice.get(invoice.Id, qb=qb).Balance == 40
    assert Customer.get(customer.Id, qb=qb).Balance == 20
    deposit, taken = Deposit(), DepositLine()
    taken.Amount, taken.DetailType = 80, None
    taken.LinkedTxn.append(payment.to_linked_txn())
    deposit.DepositToAccountRef = ref(one(Account, qb, Name="Checking"))
    deposit.Line.append(taken)
    deposit = deposit.save(qb=qb)
    assert deposit.TotalAmt == 80
    with pytest.raises(QuickbooksException) as kept:
        payment.void(qb=qb)
    assert kept.value.error_code == 6540
    deposit.delete(qb=qb)
    voided = payment.void(qb=qb)["Payment"]
    assert (voided["TotalAmt"], voided["Line"]) == (0, [])
    assert Invoice.get(invoice.Id, qb=qb).Balance == 100


def test_the_other_sales_forms(qb: Any) -> None:
    customer, item = a_customer(qb), one(Item, qb, Name="Services")
    for cls in (Estimate, SalesReceipt, CreditMemo):
        form = cls()
        form.CustomerRef = ref(customer)
        form.Line.append(sold(item, 1, 30))
        made = form.save(qb=qb)
        assert made.TotalAmt == 30
        made.PrivateNote = "Seen"
        assert made.save(qb=qb).PrivateNote == "Seen"
        assert cls.get(made.Id, qb=qb).DocNumber == made.DocNumber
    refund = RefundReceipt()
    refund.CustomerRef, refund.DepositToAccountRef = ref(customer), ref(one(Account, qb, Name="Checking"))
    refund.Line.append(sold(item, 1, 5))
    assert refund.save(qb=qb).TotalAmt == 5
    with pytest.raises(ValidationException) as missing:
        RefundReceipt().save(qb=qb)
    assert missing.value.error_code == 2020


def test_bills_are_entered_and_paid(qb: Any) -> None:
    rent, checking = one(Account, qb, Name="Rent"), one(Account, qb, Name="Checking")
    vendor = Vendor()
    vendor.DisplayName = "Quill Stationers"
    vendor = vendor.save(qb=qb)
    bill = Bill()
    bill.VendorRef, bill.DocNumber = ref(vendor), "77"
    bill.Line.append(spent(rent, 250))
    bill = bill.save(qb=qb)
    assert bill.Balance == 250
    paid, line = BillPayment(), BillPaymentLine()
    line.Amount = 250
    line.LinkedTxn.append(bill.to_linked_txn())
    paid.VendorRef, paid.TotalAmt, paid.PayType, paid.CheckPayment = ref(vendor), 250, "Check", CheckPayment()
    paid.CheckPayment.BankAccountRef = ref(checking)
    paid.Line.append(line)
    paid = paid.save(qb=qb)
    assert Bill.get(bill.Id, qb=qb).Balance == 0
    assert paid.void(qb=qb)["BillPayment"]["TotalAmt"] == 0
    assert Vendor.get(vendor.Id, qb=qb).Balance == 250
    for cls in (VendorCredit, PurchaseOrder):
        form = cls()
        form.VendorRef = ref(vendor)
        form.Line.append(spent(rent, 20))
        assert form.save(qb=qb).TotalAmt == 20
    purchase = Purchase()
    purchase.PaymentType, purchase.AccountRef = "Cash", ref(checking)
    purchase.Line.append(spent(rent, 12.5))
    assert purchase.save(qb=qb).TotalAmt == 12.5


def test_entries_and_transfers(qb: Any) -> None:
    accounts = {"Debit": one(Account, qb, Name="Rent"), "Credit": one(Account, qb, Name="Savings")}
    entry = JournalEntry()
    for side, account in accounts.items():
        line, detail = JournalEntryLine(), JournalEntryLineDetail()
        detail.PostingType, detail.AccountRef = side, ref(account)
        line.Amount, line.JournalEntryLineDetail = 40, detail
        entry.Line.append(line)
    assert entry.save(qb=qb).TotalAmt == 0  # "The value of this field will always be set to zero"
    entry.Line[0].Amount = 41
    with pytest.raises(QuickbooksException) as unequal:
        entry.save(qb=qb)
    assert unequal.value.error_code == 6000
    transfer = Transfer()
    transfer.Amount, transfer.FromAccountRef, transfer.ToAccountRef = (
        15,
        ref(one(Account, qb, Name="Checking")),
        ref(accounts["Credit"]),
    )
    assert transfer.save(qb=qb).Amount == 15
    assert Account.get(accounts["Credit"].Id, qb=qb).CurrentBalance == -25


def test_lists_that_forms_choose_from(qb: Any) -> None:
    for cls, name in ((Class, "North"), (Department, "Harbour"), (Item, "Pallet"), (Account, "Petty Cash")):
        row = cls()
        row.Name = name
        if cls is Item:
            row.Type, row.IncomeAccountRef = "Service", ref(one(Account, qb, Name="Services"))
        if cls is Account:
            row.AccountType = "Bank"
        made = row.save(qb=qb)
        assert (made.Name, made.SyncToken) == (name, "0")
        made.Name = f"{name} 2"
        assert made.save(qb=qb).FullyQualifiedName == f"{name} 2"


def test_batches_and_changes(qb: Any) -> None:
    customers = list[Any]()
    for name in ("Batch One", "Batch Two", "Meridian Freight"):
        customer = Customer()
        customer.DisplayName = name
        customers.append(customer)
    done = batch_create(customers, qb=qb)
    assert [c.DisplayName for c in done.successes] == ["Batch One", "Batch Two"]
    assert [f.Error[0].code for f in done.faults] == ["6240"]
    done.successes[0].Notes = "By batch"
    assert batch_update(done.successes[:1], qb=qb).successes[0].Notes == "By batch"
    invoice = an_invoice(qb, done.successes[0])
    assert batch_delete([invoice], qb=qb).faults == []
    changed = change_data_capture([Customer, Invoice], "2026-03-02T08:59:00+00:00", qb=qb)
    assert {c.DisplayName for c in changed.Customer} == {"Batch One", "Batch Two"}
    assert [(i.Id, i.status) for i in changed.Invoice] == [(invoice.Id, "Deleted")]


def test_attachments_are_notes_or_files(qb: Any) -> None:
    note = Attachable()
    note.Note = "Signed copy in the safe"
    made = note.save(qb=qb)
    assert Attachable.get(made.Id, qb=qb).Note == "Signed copy in the safe"
    made.delete(qb=qb)
    rest = QuickBooks.api_url_v3
    files = {
        "file_metadata_01": (
            None,
            '{"Note": "scan", "FileName": "a.txt", "ContentType": "text/plain"}',
            "application/json",
        ),
        "file_content_01": ("a.txt", b"hello", "text/plain"),
    }
    answer = httpx.post(f"{rest}/company/{REALM}/upload", files=files).json()
    assert answer["AttachableResponse"][0]["Attachable"]["Size"] == 5


def test_reports_and_a_repeated_request(qb: Any) -> None:
    report = qb.get_report("BalanceSheet", {"date_macro": "Last Fiscal Year"})
    assert report["Header"]["EndPeriod"] == "2025-12-31"
    assets, debts = (row["Summary"]["ColData"][1]["value"] for row in report["Rows"]["Row"])
    assert assets == debts
    customer = Customer()
    customer.DisplayName = "Once Only"
    first = customer.save(qb=qb, request_id="r-1")
    again = Customer()
    again.DisplayName = "Once Only"
    assert again.save(qb=qb, request_id="r-1").Id == first.Id
    assert Customer.count("DisplayName = 'Once Only'", qb=qb) == 1


def test_what_is_refused(qb: Any) -> None:
    with pytest.raises(ValidationException) as wrong:
        Invoice.query("SELECT * FROM Invoice WHERE Balance > 0 OR Balance < 0", qb=qb)
    assert wrong.value.error_code == 4000
    place = 'QueryParserError: Encountered " <IDENTIFIER> "OR "" at line 1, column 41.'
    assert wrong.value.detail.startswith(f"{place}\nWas expecting one of:\n    <EOF> ...\n")
    assert '\n    "orderby" ...' in wrong.value.detail
    with pytest.raises(ValidationException) as unknown:
        Invoice.where("Colour = 'red'", qb=qb)
    assert "Property Colour not found for Entity Invoice" in unknown.value.detail
    with pytest.raises(ObjectNotFoundException):
        Customer.get(999999, qb=qb)
    elsewhere = httpx.get(f"{QuickBooks.api_url_v3}/company/123/customer/1")
    assert (elsewhere.status_code, elsewhere.json()["fault"]["error"][0]["code"]) == (403, "3100")
