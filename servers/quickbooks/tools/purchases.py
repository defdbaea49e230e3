"""Bills and the other purchase forms. https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/bill"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx

from .. import models, tooling
from ..app import app
from ..shapes import BankAccount, CardAccount, ExpenseLine, Linked, Payee, PaymentLine, Ref


@app.post("/bill", tool="create_bill")
def create_bill(
    ctx: Ctx, VendorRef: Ref, Line: list[ExpenseLine], TxnDate: str | MISSING = MISSING, DueDate: str | MISSING = MISSING,
    SalesTermRef: Ref | MISSING = MISSING, DocNumber: str | MISSING = MISSING, PrivateNote: str | MISSING = MISSING,
    DepartmentRef: Ref | MISSING = MISSING, LinkedTxn: list[Linked] | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Enters a vendor's bill in the vendor's currency. It adds to payables.

    VendorRef: Whose bill it is.
    Line: What was bought: AccountBasedExpenseLineDetail or ItemBasedExpenseLineDetail lines.
    TxnDate: The bill's date, YYYY-MM-DD; today by default.
    DueDate: When it is due.
    SalesTermRef: The payment terms.
    DocNumber: The vendor's number of it.
    PrivateNote: A memo.
    DepartmentRef: The location.
    LinkedTxn: The purchase order that it closes.
    """
    return tooling.create(ctx, models.Bill)


@app.get("/bill/{id}", tool="get_bill")
def get_bill(ctx: Ctx, id: str) -> dict[str, Any]:
    """Reads a bill: lines, total, open balance, payments linked to it, SyncToken.

    id: The bill's Id, not its number.
    """
    return tooling.read(ctx, models.Bill, id)


@app.post("/bill", tool="update_bill", effect="update")
def update_bill(
    ctx: Ctx, Id: str, SyncToken: str, Line: list[ExpenseLine] | MISSING = MISSING, TxnDate: str | MISSING = MISSING,
    DueDate: str | MISSING = MISSING, SalesTermRef: Ref | MISSING = MISSING, DocNumber: str | None | MISSING = MISSING,
    PrivateNote: str | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of a bill that are given; the others stay. Lines are replaced as a whole.

    Id: The bill's Id.
    SyncToken: Its current version, from reading it.
    Line: All lines that shall be there.
    TxnDate: The bill's date.
    DueDate: When it is due.
    SalesTermRef: The payment terms; the due date follows.
    DocNumber: The vendor's number of it.
    PrivateNote: A memo.
    """
    return tooling.update(ctx, models.Bill)


@app.post("/bill", tool="delete_bill", effect="delete")
def delete_bill(ctx: Ctx, Id: str, SyncToken: str) -> dict[str, Any]:
    """Deletes a bill for good; one that has been paid must be unlinked first. Over HTTP: operation=delete in the query.

    Id: The bill's Id.
    SyncToken: Its current version, from reading it.
    """
    return tooling.delete(ctx, models.Bill)


@app.post("/billpayment", tool="create_bill_payment")
def create_bill_payment(
    ctx: Ctx, VendorRef: Ref, TotalAmt: float, PayType: Literal["Check", "CreditCard"], Line: list[PaymentLine],
    CheckPayment: BankAccount | MISSING = MISSING, CreditCardPayment: CardAccount | MISSING = MISSING, TxnDate: str | MISSING = MISSING,
    DocNumber: str | MISSING = MISSING, PrivateNote: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Pays a vendor's bills from a bank or a credit card account. Each line pays an amount of one bill, or uses up a vendor credit.

    VendorRef: Who is paid.
    TotalAmt: How much money goes out.
    PayType: From which kind of account.
    Line: What is paid: lines with Amount and LinkedTxn of type Bill or VendorCredit.
    CheckPayment: The bank account, for Check.
    CreditCardPayment: The credit card account, for CreditCard.
    TxnDate: When, YYYY-MM-DD.
    DocNumber: The cheque's or transfer's number.
    PrivateNote: A note.
    """
    return tooling.create(ctx, models.BillPayment)


@app.post("/billpayment", tool="void_bill_payment", effect="transition")
def void_bill_payment(ctx: Ctx, Id: str, SyncToken: str) -> dict[str, Any]:
    """Voids a payment of bills: it stays with amount 0, and the bills are open again. Over HTTP: operation=update and include=void.

    Id: The payment's Id.
    SyncToken: Its current version, from reading it.
    """
    return tooling.void(ctx, models.BillPayment)


@app.post("/vendorcredit", tool="create_vendor_credit")
def create_vendor_credit(
    ctx: Ctx, VendorRef: Ref, Line: list[ExpenseLine], TxnDate: str | MISSING = MISSING, DocNumber: str | MISSING = MISSING,
    PrivateNote: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Enters a vendor's credit, which a bill payment can use up.

    VendorRef: Whose credit.
    Line: What is credited.
    TxnDate: Its date, YYYY-MM-DD.
    DocNumber: The vendor's number of it.
    PrivateNote: A memo.
    """
    return tooling.create(ctx, models.VendorCredit)


@app.post("/purchase", tool="create_purchase")
def create_purchase(
    ctx: Ctx, PaymentType: Literal["Cash", "Check", "CreditCard"], AccountRef: Ref, Line: list[ExpenseLine],
    EntityRef: Payee | MISSING = MISSING, Credit: bool | MISSING = MISSING, TxnDate: str | MISSING = MISSING,
    DocNumber: str | MISSING = MISSING, PaymentMethodRef: Ref | MISSING = MISSING, PrivateNote: str | MISSING = MISSING,
    DepartmentRef: Ref | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Records an expense that is paid at once: by cash or cheque from a bank account, or by credit card.

    PaymentType: How it was paid.
    AccountRef: The account it was paid from: Bank, or Credit Card for CreditCard.
    Line: What was bought.
    EntityRef: Who was paid.
    Credit: true for money back on a credit card.
    TxnDate: When, YYYY-MM-DD.
    DocNumber: A number.
    PaymentMethodRef: The payment method.
    PrivateNote: A memo.
    DepartmentRef: The location.
    """
    return tooling.create(ctx, models.Purchase)


@app.post("/purchase", tool="update_purchase", effect="update")
def update_purchase(
    ctx: Ctx, Id: str, SyncToken: str, AccountRef: Ref | MISSING = MISSING, Line: list[ExpenseLine] | MISSING = MISSING,
    EntityRef: Payee | MISSING = MISSING, TxnDate: str | MISSING = MISSING, PrivateNote: str | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of an expense that are given; the others stay. Lines are replaced as a whole.

    Id: The purchase's Id.
    SyncToken: Its current version, from reading it.
    AccountRef: The account it was paid from.
    Line: All lines that shall be there.
    EntityRef: Who was paid.
    TxnDate: When.
    PrivateNote: A memo.
    """
    return tooling.update(ctx, models.Purchase)


@app.post("/purchaseorder", tool="create_purchase_order")
def create_purchase_order(
    ctx: Ctx, VendorRef: Ref, Line: list[ExpenseLine], TxnDate: str | MISSING = MISSING, DueDate: str | MISSING = MISSING,
    DocNumber: str | MISSING = MISSING, PrivateNote: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Orders from a vendor. It does not touch the books; a bill that links it closes it.

    VendorRef: From whom.
    Line: What is ordered.
    TxnDate: Its date, YYYY-MM-DD.
    DueDate: When it shall come.
    DocNumber: Its number.
    PrivateNote: A memo.
    """
    return tooling.create(ctx, models.PurchaseOrder)
