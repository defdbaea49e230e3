"""Invoices and the other sales forms. https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Query, Reply

from .. import endpoints, models, records, send, tooling
from ..app import app
from ..shapes import Email, Linked, Memo, Ref, SalesLine, TaxDetail


@app.post("/invoice", tool="create_invoice")
def create_invoice(
    ctx: Ctx, CustomerRef: Ref, Line: list[SalesLine], TxnDate: str | MISSING = MISSING, DueDate: str | MISSING = MISSING,
    SalesTermRef: Ref | MISSING = MISSING, DocNumber: str | MISSING = MISSING, BillEmail: Email | MISSING = MISSING,
    CustomerMemo: Memo | MISSING = MISSING, PrivateNote: str | MISSING = MISSING, ClassRef: Ref | MISSING = MISSING,
    DepartmentRef: Ref | MISSING = MISSING, TxnTaxDetail: TaxDetail | MISSING = MISSING, LinkedTxn: list[Linked] | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates an invoice in the customer's currency. It adds to receivables; its number counts on from the last one where none is given,
    the due date follows from the terms. It is not emailed: use send_invoice. Link an Estimate to make the invoice from it: the lines are
    given all the same.

    CustomerRef: Who is invoiced.
    Line: What is sold: SalesItemLineDetail lines with Amount, ItemRef, Qty and UnitPrice; one discount at most.
    TxnDate: The invoice's date, YYYY-MM-DD; today by default.
    DueDate: When it is due.
    SalesTermRef: The payment terms.
    DocNumber: The invoice's number.
    BillEmail: Where send_invoice sends it; not taken from the customer.
    CustomerMemo: A message on the form.
    PrivateNote: A note that the customer does not see.
    ClassRef: The class.
    DepartmentRef: The location.
    TxnTaxDetail: Sales tax.
    LinkedTxn: The estimate it is made from.
    """
    return tooling.create(ctx, models.Invoice)


@app.get("/invoice/{id}", tool="get_invoice")
def get_invoice(ctx: Ctx, id: str) -> dict[str, Any]:
    """Reads an invoice: lines, total, open balance, payments linked to it, SyncToken.

    id: The invoice's Id, not its number.
    """
    return tooling.read(ctx, models.Invoice, id)


@app.post("/invoice", tool="update_invoice", effect="update")
def update_invoice(
    ctx: Ctx, Id: str, SyncToken: str, CustomerRef: Ref | MISSING = MISSING, Line: list[SalesLine] | MISSING = MISSING,
    TxnDate: str | MISSING = MISSING, DueDate: str | MISSING = MISSING, SalesTermRef: Ref | MISSING = MISSING,
    DocNumber: str | MISSING = MISSING, BillEmail: Email | None | MISSING = MISSING, CustomerMemo: Memo | None | MISSING = MISSING,
    PrivateNote: str | None | MISSING = MISSING, EmailStatus: Literal["NotSet", "NeedToSend", "EmailSent"] | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of an invoice that are given; the others stay. Lines are replaced as a whole: send all that shall be there. Over
    HTTP the body needs `sparse: true` for this.

    Id: The invoice's Id.
    SyncToken: Its current version, from reading it.
    CustomerRef: Who is invoiced.
    Line: All lines; those with the Id of an old line keep it.
    TxnDate: The invoice's date.
    DueDate: When it is due.
    SalesTermRef: The payment terms; the due date follows.
    DocNumber: The invoice's number.
    BillEmail: Where to send it.
    CustomerMemo: A message on the form.
    PrivateNote: A note that the customer does not see.
    EmailStatus: Whether it is to be sent.
    """
    return tooling.update(ctx, models.Invoice)


@app.post("/invoice/{id}/send", tool="send_invoice", effect="send")
def send_invoice(ctx: Ctx, id: str, sendTo: Annotated[str | None, Query()] = None) -> dict[str, Any]:
    """Emails an invoice to the customer: to its BillEmail, or to `sendTo`, which becomes its BillEmail.

    id: The invoice's Id.
    sendTo: To whom; needed where the invoice has no BillEmail.
    """
    return endpoints.shown(ctx, send.send(ctx, records.find(ctx, models.Invoice, id), sendTo))


@app.get("/invoice/{id}/pdf", tool="get_invoice_pdf")
def get_invoice_pdf(ctx: Ctx, id: str) -> Reply:
    """The invoice as a PDF document.

    id: The invoice's Id.
    """
    return endpoints.form(id, models.Invoice, ctx)


@app.post("/invoice", tool="void_invoice", effect="transition")
def void_invoice(ctx: Ctx, Id: str, SyncToken: str) -> dict[str, Any]:
    """Voids an invoice: it stays with all amounts 0, and what has been paid of it becomes unapplied. Over HTTP: operation=void.

    Id: The invoice's Id.
    SyncToken: Its current version, from reading it.
    """
    return tooling.void(ctx, models.Invoice)


@app.post("/invoice", tool="delete_invoice", effect="delete")
def delete_invoice(ctx: Ctx, Id: str, SyncToken: str) -> dict[str, Any]:
    """Deletes an invoice for good, as if it had never been; one that has been paid must be unlinked first. Over HTTP: operation=delete.

    Id: The invoice's Id.
    SyncToken: Its current version, from reading it.
    """
    return tooling.delete(ctx, models.Invoice)


@app.post("/estimate", tool="create_estimate")
def create_estimate(
    ctx: Ctx, CustomerRef: Ref, Line: list[SalesLine], TxnDate: str | MISSING = MISSING, ExpirationDate: str | MISSING = MISSING,
    TxnStatus: Literal["Pending", "Accepted", "Closed", "Rejected"] | MISSING = MISSING, DocNumber: str | MISSING = MISSING,
    BillEmail: Email | MISSING = MISSING, CustomerMemo: Memo | MISSING = MISSING, PrivateNote: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates an estimate (a quote). It does not touch the books.

    CustomerRef: For whom.
    Line: What is offered.
    TxnDate: Its date, YYYY-MM-DD.
    ExpirationDate: Until when it is good.
    TxnStatus: Where it stands; Pending by default.
    DocNumber: Its number.
    BillEmail: Where to send it.
    CustomerMemo: A message on the form.
    PrivateNote: A note that the customer does not see.
    """
    return tooling.create(ctx, models.Estimate)


@app.post("/estimate", tool="update_estimate", effect="update")
def update_estimate(
    ctx: Ctx, Id: str, SyncToken: str, Line: list[SalesLine] | MISSING = MISSING,
    TxnStatus: Literal["Pending", "Accepted", "Closed", "Rejected"] | MISSING = MISSING, ExpirationDate: str | None | MISSING = MISSING,
    AcceptedBy: str | None | MISSING = MISSING, AcceptedDate: str | None | MISSING = MISSING, PrivateNote: str | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of an estimate that are given; the others stay.

    Id: The estimate's Id.
    SyncToken: Its current version, from reading it.
    Line: All lines.
    TxnStatus: Where it stands.
    ExpirationDate: Until when it is good.
    AcceptedBy: Who accepted it.
    AcceptedDate: When.
    PrivateNote: A note that the customer does not see.
    """
    return tooling.update(ctx, models.Estimate)


@app.post("/estimate/{id}/send", tool="send_estimate", effect="send")
def send_estimate(ctx: Ctx, id: str, sendTo: Annotated[str | None, Query()] = None) -> dict[str, Any]:
    """Emails an estimate to the customer.

    id: The estimate's Id.
    sendTo: To whom; needed where the estimate has no BillEmail.
    """
    return endpoints.shown(ctx, send.send(ctx, records.find(ctx, models.Estimate, id), sendTo))


@app.post("/salesreceipt", tool="create_sales_receipt")
def create_sales_receipt(
    ctx: Ctx, CustomerRef: Ref, Line: list[SalesLine], TxnDate: str | MISSING = MISSING, DepositToAccountRef: Ref | MISSING = MISSING,
    PaymentMethodRef: Ref | MISSING = MISSING, PaymentRefNum: str | MISSING = MISSING, DocNumber: str | MISSING = MISSING,
    CustomerMemo: Memo | MISSING = MISSING, PrivateNote: str | MISSING = MISSING, TxnTaxDetail: TaxDetail | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a sales receipt: a sale that is paid at once.

    CustomerRef: Who bought.
    Line: What was sold.
    TxnDate: Its date, YYYY-MM-DD.
    DepositToAccountRef: Where the money went; Undeposited Funds by default.
    PaymentMethodRef: How it was paid.
    PaymentRefNum: A cheque's or transfer's number.
    DocNumber: Its number.
    CustomerMemo: A message on the form.
    PrivateNote: A note that the customer does not see.
    TxnTaxDetail: Sales tax.
    """
    return tooling.create(ctx, models.SalesReceipt)


@app.post("/salesreceipt", tool="void_sales_receipt", effect="transition")
def void_sales_receipt(ctx: Ctx, Id: str, SyncToken: str) -> dict[str, Any]:
    """Voids a sales receipt: it stays with all amounts 0. Over HTTP: operation=update and include=void in the query.

    Id: The receipt's Id.
    SyncToken: Its current version, from reading it.
    """
    return tooling.void(ctx, models.SalesReceipt)


@app.post("/creditmemo", tool="create_credit_memo")
def create_credit_memo(
    ctx: Ctx, CustomerRef: Ref, Line: list[SalesLine], TxnDate: str | MISSING = MISSING, DocNumber: str | MISSING = MISSING,
    CustomerMemo: Memo | MISSING = MISSING, PrivateNote: str | MISSING = MISSING, TxnTaxDetail: TaxDetail | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a credit memo: what a customer need not pay any more. Use it up with a payment of 0 that links the invoice and the memo.

    CustomerRef: Whose credit.
    Line: What is credited.
    TxnDate: Its date, YYYY-MM-DD.
    DocNumber: Its number.
    CustomerMemo: A message on the form.
    PrivateNote: A note that the customer does not see.
    TxnTaxDetail: Sales tax.
    """
    return tooling.create(ctx, models.CreditMemo)


@app.post("/refundreceipt", tool="create_refund_receipt")
def create_refund_receipt(
    ctx: Ctx, CustomerRef: Ref, Line: list[SalesLine], DepositToAccountRef: Ref, TxnDate: str | MISSING = MISSING,
    PaymentMethodRef: Ref | MISSING = MISSING, DocNumber: str | MISSING = MISSING, CustomerMemo: Memo | MISSING = MISSING,
    PrivateNote: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a refund receipt: money given back to a customer.

    CustomerRef: Who gets it.
    Line: What is refunded.
    DepositToAccountRef: The account that it is paid from.
    TxnDate: Its date, YYYY-MM-DD.
    PaymentMethodRef: How it is paid.
    DocNumber: Its number.
    CustomerMemo: A message on the form.
    PrivateNote: A note that the customer does not see.
    """
    return tooling.create(ctx, models.RefundReceipt)
