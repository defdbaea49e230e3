"""Accounting on QuickBooks: what fills it, what is seen of it, and how each verb is done with its tools."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, accounting, call
from legoenv_mcp.capabilities.people import Person

from . import fills, views


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _found(reply: dict[str, Any], entity: str) -> list[dict[str, Any]]:
    return reply["QueryResponse"].get(entity, [])


class QuickBooksAccounting(accounting.Accounting):
    """Fills, views and verbs. The staff are the company's employees."""

    entities: ClassVar[tuple[type[Entity], ...]] = (Person, *accounting.Accounting.entities)

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        write: dict[type[Entity], Callable[[Ctx, Any], str]] = {
            Person: fills.fill_person, accounting.Customer: fills.fill_customer, accounting.Vendor: fills.fill_vendor,
            accounting.Item: fills.fill_item, accounting.Invoice: fills.fill_invoice, accounting.Bill: fills.fill_bill,
            accounting.Payment: fills.fill_payment,
        }  # fmt: skip
        return write[type(entity)](ctx, entity)

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        seen: dict[str, Callable[[Ctx, dict[str, Any]], Entity | None]] = {
            "employee": views.view_employee, "customer": views.view_customer, "vendor": views.view_vendor, "item": views.view_item,
            "invoice": views.view_invoice, "bill": views.view_bill, "payment": views.view_payment,
        }  # fmt: skip
        return seen[table](ctx, row) if table in seen else None

    def find_customer(self, name: str) -> Plan:
        yield call("query", query=f"SELECT * FROM Customer WHERE DisplayName = {_quoted(name)}")

    def create_customer(self, name: str, email: str) -> Plan:
        yield call("create_customer", DisplayName=name, PrimaryEmailAddr={"Address": email})

    def create_item(self, name: str, price: float) -> Plan:
        income = yield call("query", query="SELECT Id FROM Account WHERE AccountType = 'Income' AND Name = 'Services'")
        yield call(
            "create_item", Name=name, UnitPrice=price, IncomeAccountRef={"value": _found(income, "Account")[0]["Id"]}
        )

    def create_invoice(self, customer_id: str, item_id: str, quantity: float, price: float) -> Plan:
        line = {
            "DetailType": "SalesItemLineDetail", "Amount": round(quantity * price, 2),
            "SalesItemLineDetail": {"ItemRef": {"value": item_id}, "Qty": quantity, "UnitPrice": price},
        }  # fmt: skip
        yield call("create_invoice", CustomerRef={"value": customer_id}, Line=[line])

    def list_invoices(self, customer_id: str = "") -> Plan:
        where = f" WHERE CustomerRef = {_quoted(customer_id)}" if customer_id else ""
        fields = "Id, DocNumber, CustomerRef, TxnDate, DueDate, CurrencyRef, TotalAmt, Balance"
        yield call("query", query=f"SELECT {fields} FROM Invoice{where} ORDERBY TxnDate MAXRESULTS 200")

    def record_payment(self, invoice_id: str, customer_id: str, amount: float) -> Plan:
        line = {"Amount": amount, "LinkedTxn": [{"TxnId": invoice_id, "TxnType": "Invoice"}]}
        yield call("create_payment", CustomerRef={"value": customer_id}, TotalAmt=amount, Line=[line])

    def send_invoice(self, invoice_id: str) -> Plan:
        found = yield call("get_invoice", id=invoice_id)
        to = dict[str, str]()
        if "BillEmail" not in found["Invoice"]:
            customer = yield call("get_customer", id=found["Invoice"]["CustomerRef"]["value"])
            to = {"sendTo": customer["Customer"].get("PrimaryEmailAddr", {}).get("Address", "")}
        yield call("send_invoice", id=invoice_id, **to)

    def void_invoice(self, invoice_id: str) -> Plan:
        found = yield call("get_invoice", id=invoice_id)
        yield call("void_invoice", Id=invoice_id, SyncToken=found["Invoice"]["SyncToken"])

    def create_bill(self, vendor_id: str, description: str, amount: float) -> Plan:
        expense = yield call("query", query="SELECT Id FROM Account WHERE Name = 'Office Expenses'")
        line = {
            "DetailType": "AccountBasedExpenseLineDetail", "Amount": amount, "Description": description,
            "AccountBasedExpenseLineDetail": {"AccountRef": {"value": _found(expense, "Account")[0]["Id"]}},
        }  # fmt: skip
        yield call("create_bill", VendorRef={"value": vendor_id}, Line=[line])

    def invoice(
        self, customer_id: str, item_id: str, amount: float, *, description: str = "", due: str = "", memo: str = ""
    ) -> Plan:
        line = {
            "DetailType": "SalesItemLineDetail", "Amount": amount, "SalesItemLineDetail": {"ItemRef": {"value": item_id}, "Qty": 1,
            "UnitPrice": amount}, **({"Description": description} if description else {}),
        }  # fmt: skip
        more = {**({"DueDate": due} if due else {}), **({"CustomerMemo": {"value": memo}} if memo else {})}
        yield call("create_invoice", CustomerRef={"value": customer_id}, Line=[line], **more)

    def book_bill(
        self, vendor_id: str, description: str, amount: float, *, account: str, number: str, issued: str, due: str
    ) -> Plan:
        expense = yield call("query", query=f"SELECT Id FROM Account WHERE Name = {_quoted(account)}")
        line = {
            "DetailType": "AccountBasedExpenseLineDetail", "Amount": amount, "Description": description,
            "AccountBasedExpenseLineDetail": {"AccountRef": {"value": _found(expense, "Account")[0]["Id"]}},
        }  # fmt: skip
        yield call(
            "create_bill", VendorRef={"value": vendor_id}, Line=[line], DocNumber=number, TxnDate=issued, DueDate=due
        )

    def pay_bill(self, bill_id: str, vendor_id: str, amount: float) -> Plan:
        bank = yield call("query", query="SELECT Id, Name, CurrencyRef FROM Account WHERE AccountType = 'Bank'")
        line = {"Amount": amount, "LinkedTxn": [{"TxnId": bill_id, "TxnType": "Bill"}]}
        account = {"BankAccountRef": {"value": _found(bank, "Account")[0]["Id"]}}
        yield call(
            "create_bill_payment", VendorRef={"value": vendor_id}, TotalAmt=amount, PayType="Check", Line=[line], CheckPayment=account
        )  # fmt: skip

    def list_bills(self, vendor_id: str = "") -> Plan:
        where = f" WHERE VendorRef = {_quoted(vendor_id)}" if vendor_id else ""
        fields = "Id, DocNumber, VendorRef, TxnDate, DueDate, CurrencyRef, TotalAmt, Balance"
        yield call("query", query=f"SELECT {fields} FROM Bill{where} ORDERBY DueDate MAXRESULTS 200")

    def get_bill(self, bill_id: str) -> Plan:
        yield call("get_bill", id=bill_id)

    def find_vendor(self, name: str) -> Plan:
        yield call("query", query=f"SELECT * FROM Vendor WHERE DisplayName = {_quoted(name)}")

    def list_customers(self) -> Plan:
        fields = "Id, DisplayName, PrimaryEmailAddr, CurrencyRef, Balance"
        yield call("query", query=f"SELECT {fields} FROM Customer MAXRESULTS 200")

    def list_items(self) -> Plan:
        yield call("query", query="SELECT Id, Name, UnitPrice FROM Item MAXRESULTS 200")

    def create_journal_entry(self, debit_account: str, credit_account: str, amount: float) -> Plan:
        lines = list[dict[str, Any]]()
        for side, name in (("Debit", debit_account), ("Credit", credit_account)):
            found = yield call("query", query=f"SELECT Id FROM Account WHERE FullyQualifiedName = {_quoted(name)}")
            detail = {"PostingType": side, "AccountRef": {"value": _found(found, "Account")[0]["Id"]}}
            lines.append({"DetailType": "JournalEntryLineDetail", "Amount": amount, "JournalEntryLineDetail": detail})
        yield call("create_journal_entry", Line=lines)

    def run_report(self, report: Literal["profit_and_loss", "balance_sheet", "aged_receivables"]) -> Plan:
        yield call(f"get_{report}")


provides = {"accounting": QuickBooksAccounting()}
