"""Customers' payments. https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/payment"""

from typing import Any

from legoenv_mcp.app import MISSING, Ctx

from .. import models, tooling
from ..app import app
from ..shapes import PaymentLine, Ref


@app.post("/payment", tool="create_payment")
def create_payment(
    ctx: Ctx, CustomerRef: Ref, TotalAmt: float, Line: list[PaymentLine] | MISSING = MISSING, TxnDate: str | MISSING = MISSING,
    DepositToAccountRef: Ref | MISSING = MISSING, PaymentMethodRef: Ref | MISSING = MISSING, PaymentRefNum: str | MISSING = MISSING,
    PrivateNote: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Records a customer's payment, in the customer's currency. Each line applies an amount to one invoice, or uses up a credit memo; what
    no line applies stays with the customer as a credit (UnappliedAmt).

    CustomerRef: Who paid.
    TotalAmt: How much money came in; 0 to apply credits only.
    Line: What it pays: lines with Amount and LinkedTxn of type Invoice or CreditMemo.
    TxnDate: When, YYYY-MM-DD.
    DepositToAccountRef: Where the money went; Undeposited Funds by default.
    PaymentMethodRef: How it was paid.
    PaymentRefNum: A cheque's or transfer's number.
    PrivateNote: A note.
    """
    return tooling.create(ctx, models.Payment)


@app.post("/payment", tool="update_payment", effect="update")
def update_payment(
    ctx: Ctx, Id: str, SyncToken: str, TotalAmt: float | MISSING = MISSING, Line: list[PaymentLine] | MISSING = MISSING,
    TxnDate: str | MISSING = MISSING, DepositToAccountRef: Ref | MISSING = MISSING, PaymentMethodRef: Ref | None | MISSING = MISSING,
    PaymentRefNum: str | None | MISSING = MISSING, PrivateNote: str | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of a payment that are given; the others stay. Lines are replaced as a whole; none unapplies the payment.

    Id: The payment's Id.
    SyncToken: Its current version, from reading it.
    TotalAmt: How much money came in.
    Line: All lines that shall be there.
    TxnDate: When.
    DepositToAccountRef: Where the money went.
    PaymentMethodRef: How it was paid.
    PaymentRefNum: A cheque's or transfer's number.
    PrivateNote: A note.
    """
    return tooling.update(ctx, models.Payment)


@app.post("/payment", tool="void_payment", effect="transition")
def void_payment(ctx: Ctx, Id: str, SyncToken: str) -> dict[str, Any]:
    """Voids a payment: it stays with amount 0, and what it paid is open again. Over HTTP: operation=update and include=void in the query.

    Id: The payment's Id.
    SyncToken: Its current version, from reading it.
    """
    return tooling.void(ctx, models.Payment)


@app.post("/payment", tool="delete_payment", effect="delete")
def delete_payment(ctx: Ctx, Id: str, SyncToken: str) -> dict[str, Any]:
    """Deletes a payment for good: what it paid is open again. Over HTTP: operation=delete in the query.

    Id: The payment's Id.
    SyncToken: Its current version, from reading it.
    """
    return tooling.delete(ctx, models.Payment)
