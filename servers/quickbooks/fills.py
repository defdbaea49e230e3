"""Canonical entities as rows of the books."""

from decimal import Decimal
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import accounting
from legoenv_mcp.capabilities.people import Person

from . import models as m
from . import records
from .seed import account
from .store import insert

INCOME, BANK = "Services", "Checking"


def fill_person(ctx: Ctx, person: Person) -> str:
    row = insert(
        ctx, m.Employee, DisplayName=person.name, GivenName=person.first_name, FamilyName=person.last_name, PrintOnCheckName=person.name,
        PrimaryEmailAddr=person.email or None, PrimaryPhone=person.phone or None, HiredDate=person.start_date or None, Active=person.active,
    )  # fmt: skip
    return str(row.Id)


def fill_customer(ctx: Ctx, customer: accounting.Customer) -> str:
    row = insert(
        ctx, m.Customer, customer.created, DisplayName=customer.name, CompanyName=customer.name[:100], PrintOnCheckName=customer.name[:110],
        PrimaryEmailAddr=customer.email or None, PrimaryPhone=customer.phone or None, CurrencyRef=customer.currency,
    )  # fmt: skip
    return str(row.Id)


def fill_vendor(ctx: Ctx, vendor: accounting.Vendor) -> str:
    row = insert(
        ctx, m.Vendor, vendor.created, DisplayName=vendor.name, CompanyName=vendor.name[:100], PrintOnCheckName=vendor.name[:110],
        PrimaryEmailAddr=vendor.email or None, PrimaryPhone=vendor.phone or None, CurrencyRef=vendor.currency,
    )  # fmt: skip
    return str(row.Id)


def fill_item(ctx: Ctx, item: accounting.Item) -> str:
    row = insert(
        ctx, m.Item, Name=item.name, Type="Service", UnitPrice=item.price, Description=item.description or None,
        IncomeAccountRef=str(account(ctx, INCOME).Id), Active=item.active,
    )  # fmt: skip
    return str(row.Id)


def _saved(ctx: Ctx, cls: type[m.Record], body: dict[str, Any], day: str) -> m.Record:
    """A transaction as its endpoint would save it, at the time that the world says."""
    row = records.create(ctx, cls, body)
    at = f"{day}T09:00:00Z"
    return ctx.db.update(row, CreateTime=at, LastUpdatedTime=at)


def fill_invoice(ctx: Ctx, invoice: accounting.Invoice) -> str:
    customer = {"value": ctx.ref(accounting.Customer, invoice.customer)}
    body: dict[str, Any] = {
        "CustomerRef": customer, "DocNumber": invoice.number, "TxnDate": invoice.issued or None, "DueDate": invoice.due or None,
        "CurrencyRef": {"value": invoice.currency}, "Line": [_sold(ctx, line) for line in invoice.lines], "EmailStatus": "EmailSent",
    }  # fmt: skip
    address = ctx.require(m.Customer, int(customer["value"])).PrimaryEmailAddr
    if address:
        body["BillEmail"] = {"Address": address}
    if invoice.memo:
        body["CustomerMemo"] = {"value": invoice.memo}
    row = _saved(ctx, m.Invoice, {k: v for k, v in body.items() if v is not None}, invoice.issued)
    assert isinstance(row, m.Invoice)
    if invoice.paid:
        line = {"Amount": invoice.paid, "LinkedTxn": [{"TxnId": str(row.Id), "TxnType": "Invoice"}]}
        day = invoice.paid_on or invoice.due or invoice.issued
        paid = {
            "CustomerRef": customer,
            "TotalAmt": invoice.paid,
            "TxnDate": day,
            "Line": [line],
            "DepositToAccountRef": {"value": str(account(ctx, BANK).Id)},
        }
        _saved(ctx, m.Payment, paid, day)
    if invoice.void:
        records.zero(ctx, row)
    ctx.db.update(row, LastUpdatedTime=f"{invoice.paid_on or invoice.issued}T09:00:00Z")
    return str(row.Id)


def fill_payment(ctx: Ctx, payment: accounting.Payment) -> str:
    """Money on account, or for one invoice."""
    line = [
        {
            "Amount": round(payment.amount - payment.unapplied, 2),
            "LinkedTxn": [{"TxnId": ctx.ref(accounting.Invoice, key), "TxnType": "Invoice"}],
        }
        for key in payment.invoices
    ]
    body = {
        "CustomerRef": {"value": ctx.ref(accounting.Customer, payment.customer)}, "TotalAmt": payment.amount, "TxnDate": payment.day,
        "Line": line, "DepositToAccountRef": {"value": str(account(ctx, BANK).Id)},
    }  # fmt: skip
    return str(_saved(ctx, m.Payment, body, payment.day).Id)


def _sold(ctx: Ctx, line: accounting.DocumentLine) -> dict[str, Any]:
    price = float(round(Decimal(str(line.amount)) / Decimal(str(line.quantity)), 7)) if line.quantity else line.amount
    detail: dict[str, Any] = {"Qty": line.quantity, "UnitPrice": price}
    if line.item:
        detail["ItemRef"] = {"value": ctx.ref(accounting.Item, line.item)}
    return {
        "DetailType": "SalesItemLineDetail",
        "Amount": line.amount,
        "Description": line.description,
        "SalesItemLineDetail": detail,
    }


def fill_bill(ctx: Ctx, bill: accounting.Bill) -> str:
    vendor = {"value": ctx.ref(accounting.Vendor, bill.vendor)}
    expense = {"value": str(_expense(ctx, bill.account or "Office Expenses").Id)}
    body: dict[str, Any] = {
        "VendorRef": vendor, "DocNumber": bill.number or None, "TxnDate": bill.issued or None, "DueDate": bill.due or None,
        "CurrencyRef": {"value": bill.currency},
        "Line": [
            {"DetailType": "AccountBasedExpenseLineDetail", "Amount": line.amount, "Description": line.description,
             "AccountBasedExpenseLineDetail": {"AccountRef": expense}}
            for line in bill.lines
        ],
    }  # fmt: skip
    row = _saved(ctx, m.Bill, {k: v for k, v in body.items() if v is not None}, bill.issued)
    if bill.paid:
        line = {"Amount": bill.paid, "LinkedTxn": [{"TxnId": str(row.Id), "TxnType": "Bill"}]}
        day = bill.paid_on or bill.due or bill.issued
        paid = {"VendorRef": vendor, "TotalAmt": bill.paid, "TxnDate": day, "PayType": "Check", "Line": [line],
                "CheckPayment": {"BankAccountRef": {"value": str(account(ctx, BANK).Id)}}}  # fmt: skip
        _saved(ctx, m.BillPayment, paid, day)
        ctx.db.update(row, LastUpdatedTime=f"{day}T09:00:00Z")
    return str(row.Id)


def _expense(ctx: Ctx, name: str) -> m.Account:
    """The expense account of a bill, made where the chart has none of the name."""
    found = ctx.db.first(m.Account, Name=name)
    if found is not None:
        return found
    kind = (
        ("Cost of Goods Sold", "SuppliesMaterialsCogs")
        if name in ("Cost of goods", "Stock")
        else ("Expense", "OtherMiscellaneousServiceCost")
    )
    home = account(ctx, BANK).CurrencyRef
    return insert(ctx, m.Account, Name=name, AccountType=kind[0], AccountSubType=kind[1], CurrencyRef=home)
