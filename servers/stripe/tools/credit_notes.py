"""Credit notes: taking back part of a finalized invoice. https://docs.stripe.com/api/credit_notes"""

from fractions import Fraction
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import charging, invoicing
from ..app import app
from ..errors import no_such, refuse
from ..events import emit
from ..ids import new
from ..lists import listing, whole
from ..models import Charge, CreditNote, Customer, Invoice, InvoicePayment, LineItem, PaymentIntent
from ..money import display, rounded
from ..params import (
    After,
    Before,
    Created,
    Expand,
    ExpandBody,
    Limit,
    MetadataParam,
    Params,
    Text,
    asked,
    given,
    merged,
    times,
)
from ..resources import show

Amount = Annotated[int, Field(ge=0)]


class CreditLine(Params):
    """A part of what is credited."""

    type: Literal["custom_line_item", "invoice_line_item"] = Field(
        description="Whether it is an invoice's line or of your own."
    )
    invoice_line_item: str | None = Field(default=None, description="ID of the invoice's line.")
    quantity: int | None = Field(default=None, ge=1, description="How many.")
    amount: int | None = Field(default=None, ge=0, description="How much, in the smallest unit.")
    unit_amount: int | None = Field(default=None, ge=0, description="How much apiece, for a line of your own.")
    description: str | None = Field(default=None, description="What it is, for a line of your own.")


def _credited(ctx: Ctx, line: LineItem) -> int:
    """How much of a line earlier notes took back."""
    notes = ctx.db.find(CreditNote, invoice=line.invoice, status="issued")
    return sum(item["amount"] for note in notes for item in note.items if item["invoice_line_item"] == line.id)


def _total(part: dict[str, Any]) -> int:
    """What a part comes to after its discounts and with the tax on top."""
    return (
        part["amount"]
        - part["discount_amount"]
        + sum(t["amount"] for t in part["taxes"] if t["tax_behavior"] == "exclusive")
    )


def _lines(ctx: Ctx, invoice: Invoice, lines: list[CreditLine]) -> list[dict[str, Any]]:
    out = list[dict[str, Any]]()
    for i, line in enumerate(lines):
        quantity = line.quantity or 1
        if line.type == "invoice_line_item":
            of = ctx.db.get(LineItem, line.invoice_line_item or "")
            if of is None or of.invoice != invoice.id:
                raise no_such("LineItem", line.invoice_line_item, param=f"lines[{i}][invoice_line_item]", status=400)
            amount = (
                line.amount
                if line.amount is not None
                else of.amount
                if line.quantity is None
                else (of.unit_amount or 0) * quantity
            )
            if amount + _credited(ctx, of) > of.amount:
                raise refuse("The amount credited is more than the line's amount.", param=f"lines[{i}]")
            words, share = of.description, Fraction(amount, of.amount) if of.amount else Fraction(0)
            off = [{**d, "amount": rounded(d["amount"] * share)} for d in of.discount_amounts]
            taxes = [
                {**t, "amount": rounded(t["amount"] * share), "taxable_amount": rounded(t["taxable_amount"] * share)} for t in of.taxes
            ]  # fmt: skip
        else:
            amount, words = (line.unit_amount or 0) * quantity if line.amount is None else line.amount, line.description
            off, taxes = [], []
        out.append({
            "id": new(ctx, "cnli"), "object": "credit_note_line_item", "amount": amount, "description": words,
            "discount_amount": sum(d["amount"] for d in off), "discount_amounts": off, "invoice_line_item": line.invoice_line_item,
            "livemode": False, "quantity": quantity, "tax_rates": [], "taxes": taxes, "type": line.type, "unit_amount": line.unit_amount,
            "unit_amount_decimal": None if line.unit_amount is None else str(line.unit_amount),
        })  # fmt: skip
    return out


@app.post("/v1/credit_notes", tool="create_credit_note")
def create_credit_note(
    ctx: Ctx, invoice: str, amount: Amount | MISSING = MISSING,
    lines: Annotated[list[CreditLine], Field(min_length=1)] | MISSING = MISSING, credit_amount: Amount | MISSING = MISSING,
    refund_amount: Amount | MISSING = MISSING, out_of_band_amount: Amount | MISSING = MISSING,
    reason: Literal["duplicate", "fraudulent", "order_change", "product_unsatisfactory"] | MISSING = MISSING,
    memo: Text | MISSING = MISSING, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Takes back part of a finalized invoice. Of an open one it lowers what is due; what was paid already is refunded, credited to the
    customer's balance, or settled outside Stripe, and those three must add up to it.

    invoice: The invoice's ID; it must be open or paid.
    amount: How much in all, in the smallest unit.
    lines: The parts of it, instead of an amount. An invoice's line is credited with its share of discounts and tax.
    credit_amount: How much of it goes to the customer's balance.
    refund_amount: How much of it is refunded to the card.
    out_of_band_amount: How much of it was given back outside Stripe.
    reason: Why.
    memo: A note for the customer.
    """
    of = ctx.db.get(Invoice, invoice)
    if of is None:
        raise no_such("Invoice", invoice, param="invoice", status=400)
    if of.status not in ("open", "paid"):
        raise refuse("You can only create a credit note for open or paid invoices.", param="invoice")
    if (amount is MISSING) == (lines is MISSING):
        raise refuse("You must specify one of `amount` or `lines`.", code="parameter_missing", param="amount")
    parts = [] if lines is MISSING else _lines(ctx, of, lines)
    whole_amount = amount if amount is not MISSING else sum(map(_total, parts))
    if whole_amount < 1:
        raise refuse("This value must be greater than or equal to 1.", code="parameter_invalid_integer", param="amount")
    credited = sum(n.amount for n in ctx.db.find(CreditNote, invoice=of.id, status="issued"))
    if whole_amount > of.total - credited:
        rest = display(of.total - credited, of.currency)
        raise refuse(
            f"The sum of credit amount cannot be greater than the invoice's total. You can credit at most {rest}.",
            param="amount",
        )
    before = min(whole_amount, of.amount_remaining) if of.status == "open" else 0
    after = whole_amount - before
    given_back: dict[str, Any] = {"credit_amount": asked(credit_amount) or 0, "refund_amount": asked(refund_amount) or 0,
                  "out_of_band_amount": asked(out_of_band_amount) or 0}  # fmt: skip
    if sum(given_back.values()) != after:
        raise refuse(
            f"The sum of credit_amount, refund_amount and out_of_band_amount ({display(sum(given_back.values()), of.currency)}) must equal "
            f"the post payment amount ({display(after, of.currency)}).", param="credit_amount",
        )  # fmt: skip
    number = f"{of.number}-CN-{ctx.db.count(CreditNote, invoice=of.id) + 1:02d}"
    row = CreditNote(
        id=new(ctx, "cn"), created=ctx.epoch(), amount=whole_amount, currency=of.currency, customer=of.customer, invoice=of.id, items=parts,
        memo=asked(memo) or None, number=number, pre_payment_amount=before, post_payment_amount=after, reason=asked(reason),
        metadata_=merged({}, metadata), **given_back,
    )  # fmt: skip
    _give_back(ctx, of, row)
    ctx.db.add(row)
    _lower(ctx, of, row)
    emit(ctx, "credit_note.created", row)
    return show(ctx, row)


def _give_back(ctx: Ctx, invoice: Invoice, row: CreditNote) -> None:
    if row.refund_amount:
        payment = ctx.db.first(InvoicePayment, invoice=invoice.id, status="paid")
        intent = ctx.require(PaymentIntent, payment.payment_intent) if payment else None
        charge = ctx.db.get(Charge, intent.latest_charge) if intent and intent.latest_charge else None
        if charge is None:
            raise refuse("This invoice was not paid through Stripe, so nothing can be refunded.", param="refund_amount")
        charging.check_refundable(charge, row.refund_amount)
        row.refund = charging.add_refund(ctx, charge, row.refund_amount, None).id
    if row.credit_amount:
        payer = ctx.require(Customer, invoice.customer)
        moved = invoicing.move_balance(
            ctx, payer, -row.credit_amount, invoice.currency, "credit_note", credit_note=row.id, invoice=invoice.id
        )
        row.customer_balance_transaction = moved.id


def _lower(ctx: Ctx, invoice: Invoice, row: CreditNote) -> None:
    """An open invoice asks for less; with nothing left it is paid."""
    ctx.db.update(
        invoice, pre_payment_credit_notes_amount=invoice.pre_payment_credit_notes_amount + row.pre_payment_amount,
        post_payment_credit_notes_amount=invoice.post_payment_credit_notes_amount + row.post_payment_amount,
        amount_due=invoice.amount_due - row.pre_payment_amount, amount_remaining=invoice.amount_remaining - row.pre_payment_amount,
    )  # fmt: skip
    if not row.pre_payment_amount:
        return
    if invoice.amount_remaining == 0:
        invoicing.close_payment(ctx, invoice, "void_invoice")
        invoicing.settle(ctx, invoice, 0)
        return
    intent = invoicing.intent_of(ctx, invoice)
    payment = ctx.db.first(InvoicePayment, invoice=invoice.id, status="open")
    ctx.db.update(intent, amount=invoice.amount_remaining)
    if payment:
        ctx.db.update(payment, amount_requested=invoice.amount_remaining)


@app.get("/v1/credit_notes", tool="list_credit_notes", mcp=False)
def list_credit_notes(
    ctx: Ctx, invoice: str | MISSING = MISSING, customer: str | MISSING = MISSING, created: Created = MISSING, limit: Limit = 10,
    starting_after: After = MISSING, ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists credit notes, newest first.

    invoice: Only those of this invoice.
    customer: Only those of this customer.
    """
    filters = {"invoice": asked(invoice), "customer": asked(customer), **times("created", created)}
    return listing(ctx, CreditNote, "/v1/credit_notes", limit, starting_after, ending_before, **filters)


@app.get("/v1/credit_notes/{id}", tool="retrieve_credit_note", mcp=False)
def retrieve_credit_note(ctx: Ctx, id: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a credit note.

    id: The credit note's ID.
    """
    return show(ctx, ctx.require(CreditNote, id))


@app.get("/v1/credit_notes/{credit_note}/lines", tool="list_credit_note_lines", mcp=False)
def list_credit_note_lines(
    ctx: Ctx,
    credit_note: str,
    limit: Limit = 10,
    starting_after: After = MISSING,
    ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:
    """Lists the lines of a credit note.

    credit_note: The credit note's ID.
    """
    row = ctx.require(CreditNote, credit_note)
    return whole(ctx, row.items, f"/v1/credit_notes/{row.id}/lines", limit, starting_after, ending_before)


@app.post("/v1/credit_notes/{id}", tool="update_credit_note", effect="update", mcp=False)
def update_credit_note(
    ctx: Ctx, id: str, memo: Text | MISSING = MISSING, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING
) -> dict[str, Any]:
    """Changes a credit note's memo or metadata.

    id: The credit note's ID.
    memo: A note for the customer.
    """
    row = ctx.require(CreditNote, id)
    was = show(ctx, row)
    changes = given(ctx.sent(), "metadata")
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    emit(ctx, "credit_note.updated", row, was=was)
    return show(ctx, row)


@app.post("/v1/credit_notes/{id}/void", tool="void_credit_note", effect="transition", mcp=False)
def void_credit_note(ctx: Ctx, id: str, expand: ExpandBody = MISSING) -> dict[str, Any]:
    """Voids a credit note of an open invoice: the invoice asks for the whole again.

    id: The credit note's ID.
    """
    row = ctx.require(CreditNote, id)
    if row.status == "void":
        raise refuse("This credit note has already been voided.")
    invoice = ctx.require(Invoice, row.invoice)
    if invoice.status != "open":
        raise refuse("You can only void a credit note if it is associated with an open invoice.")
    ctx.db.update(row, status="void", voided_at=ctx.epoch())
    back = row.pre_payment_amount
    ctx.db.update(
        invoice, pre_payment_credit_notes_amount=invoice.pre_payment_credit_notes_amount - back, amount_due=invoice.amount_due + back,
        amount_remaining=invoice.amount_remaining + back,
    )  # fmt: skip
    ctx.db.update(invoicing.intent_of(ctx, invoice), amount=invoice.amount_remaining)
    payment = ctx.db.first(InvoicePayment, invoice=invoice.id, status="open")
    if payment:
        ctx.db.update(payment, amount_requested=invoice.amount_remaining)
    emit(ctx, "credit_note.voided", row)
    return show(ctx, row)
