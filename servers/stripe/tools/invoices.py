"""Invoices. https://docs.stripe.com/api/invoices"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Reply

from .. import discounts, invoicing
from ..app import app
from ..cards import method_of
from ..errors import no_such, refuse
from ..events import emit
from ..lists import listing, searching
from ..lookups import home_currency, living
from ..models import Customer, Invoice, InvoiceItem, LineItem, PaymentMethod, Subscription
from ..money import known_currency
from ..params import (
    After,
    AutomaticTaxParam,
    Before,
    Created,
    Discounts,
    Expand,
    ExpandBody,
    Limit,
    MetadataParam,
    Params,
    Query,
    TaxRates,
    Text,
    Token,
    When,
    asked,
    check_automatic_tax,
    given,
    merged,
    times,
)
from ..resources import deleted, show
from .invoice_items import known_rates

Status = Literal["draft", "open", "void", "paid", "uncollectible"]
Collection = Literal["charge_automatically", "send_invoice"]
EDITABLE_ALWAYS = {"metadata", "expand", "auto_advance", "default_payment_method"}


class CustomField(Params):
    """A line printed in the invoice's head."""

    name: Annotated[str, Field(max_length=40)] = Field(description="What it is.")
    value: Annotated[str, Field(max_length=140)] = Field(description="What it says.")


CustomFields = Annotated[list[CustomField], Field(max_length=4)]


def _due(ctx: Ctx, method: str, days: Any, date: Any, current: int | None = None) -> int | None:
    """When an invoice is due: only those that are sent are due at all."""
    if method != "send_invoice":
        if days is not MISSING or date is not MISSING:
            raise refuse(
                "You can only specify 'due_date' or 'days_until_due' if invoice collection method is 'send_invoice'."
            )
        return None
    if days is not MISSING and date is not MISSING:
        raise refuse("You may only specify one of these parameters: days_until_due, due_date.", param="days_until_due")
    if date is not MISSING:
        if date < ctx.epoch():
            raise refuse("due_date must be in the future.", param="due_date")
        return date
    if days is MISSING:
        if current is None:
            raise refuse(
                "If invoice collection method is 'send_invoice', you must specify 'due_date' or 'days_until_due'."
            )
        return current
    return ctx.epoch() + days * invoicing.DAY


def _own_method(ctx: Ctx, key: str, customer: str) -> str:
    row = ctx.db.get(PaymentMethod, key)
    if row is None:
        raise no_such("PaymentMethod", key, param="default_payment_method", status=400)
    if row.customer != customer:
        raise refuse(
            f"The customer does not have a payment method with the ID {key}. The payment method must be attached to the customer.",
            code="resource_missing", param="default_payment_method",
        )  # fmt: skip
    return key


@app.post("/v1/invoices", tool="create_invoice")
def create_invoice(
    ctx: Ctx, customer: str | MISSING = MISSING, collection_method: Collection = "charge_automatically",
    days_until_due: Annotated[int, Field(ge=0)] | MISSING = MISSING, due_date: int | MISSING = MISSING, auto_advance: bool = False,
    pending_invoice_items_behavior: Literal["exclude", "include"] = "exclude", currency: str | MISSING = MISSING,
    description: Annotated[str, Field(max_length=1500)] | MISSING = MISSING,
    footer: Annotated[Text | MISSING, Body(mcp=False)] = MISSING,
    custom_fields: Annotated[CustomFields | Literal[""] | MISSING, Body(mcp=False)] = MISSING,
    default_payment_method: str | MISSING = MISSING, default_tax_rates: TaxRates = MISSING, discounts: Discounts = MISSING,
    number: Annotated[str, Field(max_length=26)] | MISSING = MISSING, subscription: str | MISSING = MISSING,
    statement_descriptor: Annotated[Annotated[str, Field(max_length=22)] | MISSING, Body(mcp=False)] = MISSING,
    automatic_tax: AutomaticTaxParam = MISSING, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a draft invoice. Add invoice items to it, finalize it, then send it or have it paid; until then the customer sees nothing.

    customer: Who is billed.
    collection_method: Whether the default payment method is charged, or the invoice is sent to be paid by its due date.
    days_until_due: Days until it is due, where it is sent.
    due_date: When it is due (Unix seconds), where it is sent.
    auto_advance: Whether Stripe goes on by itself: finalizes the draft and collects.
    pending_invoice_items_behavior: Whether the customer's waiting invoice items are put on it.
    currency: Three-letter currency code; by default the customer's.
    description: A memo for the customer.
    footer: The footer.
    custom_fields: Up to four lines in its head.
    default_payment_method: ID of the payment method to charge.
    default_tax_rates: IDs of the tax rates for lines that have none of their own.
    number: A number of your own choice; by default one is assigned when it is finalized.
    subscription: Only this subscription's waiting items are put on it.
    statement_descriptor: Text on the customer's statement.
    automatic_tax: Whether Stripe Tax calculates the tax.
    """
    check_automatic_tax(automatic_tax)
    if customer is MISSING:
        raise refuse("Missing required param: customer.", code="parameter_missing", param="customer")
    payer = living(ctx, customer)
    of = None
    if subscription is not MISSING:
        of = ctx.db.get(Subscription, subscription)
        if of is None or of.customer != payer.id:
            raise no_such("Subscription", subscription, param="subscription", status=400)
    unit = (
        known_currency(currency)
        if currency is not MISSING
        else (of.currency if of else payer.currency or home_currency(ctx))
    )
    due = _due(ctx, collection_method, days_until_due, due_date)
    if number is not MISSING and ctx.db.first(Invoice, number=number):
        raise refuse(f"An invoice with number {number} already exists.", param="number")
    values = given(
        ctx.sent(), "customer", "pending_invoice_items_behavior", "days_until_due", "currency", "discounts", "metadata",
        "default_tax_rates", "subscription", "due_date",
        "automatic_tax",
    )  # fmt: skip
    if values.get("default_payment_method"):
        _own_method(ctx, values["default_payment_method"], payer.id)
    row = invoicing.draft(
        ctx, payer, unit, due_date=due, metadata_=merged({}, metadata), subscription=of and of.id,
        default_tax_rates=known_rates(ctx, default_tax_rates, "default_tax_rates"), **values,
    )  # fmt: skip
    _discount(ctx, row, payer, discounts)
    if pending_invoice_items_behavior == "include" or of:
        for item in invoicing.pending_items(ctx, payer.id, unit, of and of.id):
            invoicing.add_item(ctx, row, item)
    invoicing.recompute(ctx, row)
    emit(ctx, "invoice.created", row)
    return show(ctx, row)


def _discount(ctx: Ctx, row: Invoice, payer: Customer, asked_for: Any) -> None:
    if asked_for is not MISSING:
        made = discounts.apply(ctx, asked_for or [], payer, row.currency, invoice=row.id)
        ctx.db.update(row, discounts=made)


@app.get("/v1/invoices/search", tool="search_invoices")
def search_invoices(
    ctx: Ctx, query: Query, limit: Limit = 10, page: Token = MISSING, expand: Expand = MISSING
) -> dict[str, Any]:
    """Searches invoices by `created`, `currency`, `customer`, `metadata`, `number`, `status`, `subscription` and `total`."""
    return searching(ctx, Invoice, query, limit, page)


@app.get("/v1/invoices/{invoice}", tool="retrieve_invoice")
def retrieve_invoice(ctx: Ctx, invoice: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves an invoice with its first lines.

    invoice: The invoice's ID.
    """
    return show(ctx, ctx.require(Invoice, invoice))


@app.get("/v1/invoices", tool="list_invoices")
def list_invoices(
    ctx: Ctx, customer: str | MISSING = MISSING, status: Status | MISSING = MISSING, subscription: str | MISSING = MISSING,
    collection_method: Collection | MISSING = MISSING, created: Created = MISSING, due_date: When = MISSING, limit: Limit = 10,
    starting_after: After = MISSING, ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists invoices, newest first. Amounts are in the currency's smallest unit, such as cents.

    customer: Only those of this customer.
    status: Only with this status.
    subscription: Only those of this subscription.
    collection_method: Only those collected like this.
    due_date: Only those due in this range.
    """
    filters = {
        "customer": asked(customer), "status": asked(status), "subscription": asked(subscription),
        "collection_method": asked(collection_method), **times("created", created), **times("due_date", due_date),
    }  # fmt: skip
    return listing(ctx, Invoice, "/v1/invoices", limit, starting_after, ending_before, **filters)


def _at(ctx: Ctx, key: str) -> Invoice:
    """The invoice that an action's path names: most actions blame `id`."""
    row = ctx.db.get(Invoice, key)
    if row is None:
        raise no_such("Invoice", key, param="id")
    return row


@app.post("/v1/invoices/{invoice}", tool="update_invoice", effect="update")
def update_invoice(
    ctx: Ctx, invoice: str, description: Annotated[str, Field(max_length=1500)] | MISSING = MISSING,
    footer: Annotated[Text | MISSING, Body(mcp=False)] = MISSING, collection_method: Collection | MISSING = MISSING,
    days_until_due: Annotated[int, Field(ge=0)] | MISSING = MISSING, due_date: int | MISSING = MISSING,
    auto_advance: bool | MISSING = MISSING,
    custom_fields: Annotated[CustomFields | Literal[""] | MISSING, Body(mcp=False)] = MISSING,
    default_payment_method: str | MISSING = MISSING, default_tax_rates: TaxRates = MISSING, discounts: Discounts = MISSING,
    number: Annotated[str, Field(max_length=26)] | MISSING = MISSING,
    statement_descriptor: Annotated[Annotated[str, Field(max_length=22)] | MISSING, Body(mcp=False)] = MISSING,
    metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a draft invoice. Once it is finalized only metadata, `auto_advance` and the payment method can be changed.

    invoice: The invoice's ID.
    description: A memo for the customer.
    footer: The footer.
    collection_method: Whether the default payment method is charged, or the invoice is sent.
    days_until_due: Days until it is due, where it is sent.
    due_date: When it is due (Unix seconds), where it is sent.
    auto_advance: Whether Stripe goes on by itself.
    custom_fields: Up to four lines in its head.
    default_payment_method: ID of the payment method to charge.
    default_tax_rates: IDs of the tax rates for lines that have none of their own.
    number: A number of your own choice.
    statement_descriptor: Text on the customer's statement.
    """
    row = _at(ctx, invoice)
    fixed = [name for name in ctx.sent() if name not in EDITABLE_ALWAYS]
    if row.status != "draft" and fixed:
        raise refuse("Finalized invoices can't be updated in this way", param=fixed[0], code="invoice_not_editable")
    was = show(ctx, row)
    changes = given(ctx.sent(), "days_until_due", "due_date", "discounts", "default_tax_rates", "metadata")
    if changes.get("default_payment_method"):
        _own_method(ctx, changes["default_payment_method"], row.customer)
    if {"collection_method", "days_until_due", "due_date"} & set(ctx.sent()):
        wanted = changes.get("collection_method", row.collection_method)
        changes["due_date"] = _due(ctx, wanted, days_until_due, due_date, row.due_date)
    if changes.get("number") and ctx.db.first(Invoice, number=changes["number"], id__ne=row.id):
        raise refuse(f"An invoice with number {changes['number']} already exists.", param="number")
    if default_tax_rates is not MISSING:
        changes["default_tax_rates"] = known_rates(ctx, default_tax_rates, "default_tax_rates")
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    _discount(ctx, row, ctx.require(Customer, row.customer), discounts)
    if row.status == "draft":
        invoicing.recompute(ctx, row)
    emit(ctx, "invoice.updated", row, was=was)
    return show(ctx, row)


@app.delete("/v1/invoices/{invoice}", tool="delete_invoice")
def delete_invoice(ctx: Ctx, invoice: str) -> dict[str, Any]:
    """Deletes a draft invoice with its items. A finalized one, or a subscription's, can only be voided.

    invoice: The invoice's ID.
    """
    row = ctx.require(Invoice, invoice)
    if row.status != "draft":
        raise refuse("You can only delete draft invoices.")
    if row.subscription:
        raise refuse("You can't delete invoices created by subscriptions.")
    emit(ctx, "invoice.deleted", row)
    ctx.db.delete_where(LineItem, invoice=row.id)
    ctx.db.delete_where(InvoiceItem, invoice=row.id)
    ctx.db.delete(row)
    return deleted("invoice", invoice)


@app.post("/v1/invoices/{invoice}/finalize", tool="finalize_invoice", effect="transition")
def finalize_invoice(
    ctx: Ctx, invoice: str, auto_advance: bool | MISSING = MISSING, expand: ExpandBody = MISSING
) -> dict[str, Any]:
    """Makes a draft final: it gets its number and page and can be paid, and its lines can no longer be changed.

    invoice: The invoice's ID.
    auto_advance: Whether Stripe goes on to collect by itself.
    """
    row = _at(ctx, invoice)
    if row.status != "draft":
        raise refuse("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
    invoicing.finalize(ctx, row, asked(auto_advance))
    return show(ctx, row)


@app.post("/v1/invoices/{invoice}/pay", tool="pay_invoice", effect="transition")
def pay_invoice(
    ctx: Ctx, invoice: str, payment_method: str | MISSING = MISSING, paid_out_of_band: bool = False,
    off_session: Annotated[bool, Body(mcp=False)] = True, expand: ExpandBody = MISSING,
) -> dict[str, Any] | Reply:  # fmt: skip
    """Collects an invoice now by charging its default payment method or the one given, or records that it was paid elsewhere. A draft is
    finalized first. A declined card answers an error and leaves a failed charge.

    invoice: The invoice's ID.
    payment_method: What to charge; one of the customer's.
    paid_out_of_band: Whether it was paid outside Stripe, so that nothing is charged.
    off_session: Whether the customer is away.
    """
    row = _at(ctx, invoice)
    if row.status == "paid":
        raise refuse("Invoice is already paid")
    if row.status == "void":
        raise refuse("This invoice can no longer be paid: it is void.")
    if row.status == "draft":
        invoicing.finalize(ctx, row)
        if row.status == "paid":
            return show(ctx, row)
    if paid_out_of_band:
        invoicing.close_payment(ctx, row, "void_invoice")
        invoicing.settle(ctx, row, row.amount_remaining, out_of_band=True)
        return show(ctx, row)
    method = method_of(ctx, payment_method) if payment_method is not MISSING else None
    error = invoicing.pay(ctx, row, method, off_session=off_session)
    return ctx.refusal(error) if error else show(ctx, row)


@app.post("/v1/invoices/{invoice}/send", tool="send_invoice", effect="send")
def send_invoice(ctx: Ctx, invoice: str, expand: ExpandBody = MISSING) -> dict[str, Any]:
    """Emails an invoice to its customer; a draft is finalized first.

    invoice: The invoice's ID.
    """
    row = ctx.require(Invoice, invoice)
    if row.collection_method != "send_invoice":
        raise refuse(
            "You can only manually send an invoice if its collection method is 'send_invoice'. This invoice's is 'charge_automatically'."
        )
    if row.status not in ("draft", "open", "uncollectible"):
        raise refuse(
            "This invoice cannot be sent right now. Please contact us via https://support.stripe.com/contact with details, so we can help."
        )
    if not ctx.require(Customer, row.customer).email:
        raise refuse(
            "Missing email. In order to create invoices that are sent to the customer, the customer must have a valid email."
        )
    if row.status == "draft":
        invoicing.finalize(ctx, row)
    emit(ctx, "invoice.sent", row)
    return show(ctx, row)


@app.post("/v1/invoices/{invoice}/void", tool="void_invoice", effect="transition")
def void_invoice(ctx: Ctx, invoice: str, expand: ExpandBody = MISSING) -> dict[str, Any]:
    """Voids an open invoice: it stays on record but is not to be paid. It cannot be undone.

    invoice: The invoice's ID.
    """
    row = _at(ctx, invoice)
    if row.status == "paid":
        raise refuse("Invoices with `paid` payments cannot be voided.")
    if row.status not in ("open", "uncollectible"):
        raise refuse(invoicing.NOT_OPEN)
    invoicing.void(ctx, row)
    return show(ctx, row)


@app.post("/v1/invoices/{invoice}/mark_uncollectible", tool="mark_uncollectible_invoice", effect="transition")
def mark_uncollectible_invoice(ctx: Ctx, invoice: str, expand: ExpandBody = MISSING) -> dict[str, Any]:
    """Writes an open invoice off as bad debt. It can still be paid or voided later.

    invoice: The invoice's ID.
    """
    row = _at(ctx, invoice)
    if row.status == "uncollectible":
        raise refuse("This invoice has already been marked uncollectible.")
    if row.status != "open":
        raise refuse(invoicing.NOT_OPEN)
    ctx.db.update(row, status="uncollectible", marked_uncollectible_at=ctx.epoch(), auto_advance=False)
    emit(ctx, "invoice.marked_uncollectible", row)
    invoicing.dropped(ctx, row)
    return show(ctx, row)
