"""Invoice items: charges that wait for an invoice. https://docs.stripe.com/api/invoiceitems"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Body, Ctx, Field

from .. import invoicing
from ..app import app
from ..errors import no_such, refuse
from ..events import emit
from ..ids import new
from ..lists import listing
from ..lookups import home_currency, living
from ..models import Invoice, InvoiceItem, LineItem, Price, Product, Subscription, TaxRate
from ..money import known_currency
from ..params import (
    After,
    Before,
    Created,
    Expand,
    ExpandBody,
    Limit,
    MetadataParam,
    Params,
    TaxRates,
    asked,
    given,
    merged,
    times,
)
from ..resources import deleted, show
from .price_data import PriceData, inline_price

Quantity = Annotated[int, Field(ge=0)]


class Period(Params):
    """The time that an item is for."""

    start: int = Field(description="Its start (Unix seconds).")
    end: int = Field(description="Its end (Unix seconds).")


class PriceDetails(Params):
    """Which price."""

    price: str = Field(description="ID of a one-off price.")


def one_off_price(ctx: Ctx, key: str, param: str) -> Price:
    price = ctx.db.get(Price, key)
    if price is None:
        raise no_such("Price", key, param=param, status=400)
    if price.interval:
        raise refuse(
            f"The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`. Price: {key}",
            param=param,
        )
    if not price.active:
        raise refuse(
            f"The price specified is inactive. This field only accepts active prices. Price: {key}", param=param
        )
    return price


def draft_named(ctx: Ctx, key: str) -> Invoice:
    """The draft that a body names."""
    invoice = ctx.db.get(Invoice, key)
    if invoice is None:
        raise no_such("Invoice", key, param="invoice", status=400)
    invoicing.check_draft(invoice)
    return invoice


def known_rates(ctx: Ctx, given_rates: Any, param: str) -> list[str]:
    """The ids of tax rates that exist and can be applied."""
    if given_rates is MISSING or given_rates == "" or given_rates is None:
        return []
    for i, key in enumerate(given_rates):
        rate = ctx.db.get(TaxRate, key)
        if rate is None:
            raise no_such("TaxRate", key, param=f"{param}[{i}]", status=400)
        if not rate.active:
            raise refuse(f"The tax rate {key} is archived and cannot be applied.", param=f"{param}[{i}]")
    return list(given_rates)


@app.post("/v1/invoiceitems", tool="create_invoice_item")
def create_invoice_item(
    ctx: Ctx, customer: str, amount: int | MISSING = MISSING, currency: str | MISSING = MISSING, price: str | MISSING = MISSING,
    pricing: Annotated[PriceDetails | MISSING, Body(mcp=False)] = MISSING,
    price_data: Annotated[PriceData | MISSING, Body(mcp=False)] = MISSING, quantity: Quantity | MISSING = MISSING,
    description: str | MISSING = MISSING, invoice: str | MISSING = MISSING, subscription: str | MISSING = MISSING,
    discountable: bool | MISSING = MISSING, period: Annotated[Period | MISSING, Body(mcp=False)] = MISSING,
    tax_rates: TaxRates = MISSING, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Adds an item to a draft invoice, or keeps it for the customer's next one. Give an amount, or a one-off price and quantity.

    customer: Who is billed.
    amount: The item's whole amount in the smallest unit; negative lowers the invoice.
    currency: The amount's three-letter currency code.
    price: ID of a one-off price, instead of an amount.
    pricing: The price, as newer API versions name it.
    price_data: A price for this item alone.
    quantity: How many of the price.
    description: What the customer reads on the invoice.
    invoice: The draft to add it to; without one it waits for the next invoice that takes pending items.
    subscription: The subscription whose next invoice takes it.
    discountable: Whether discounts apply; negative amounts are not discounted by default.
    period: The time that the item is for.
    tax_rates: IDs of the tax rates that apply to it.
    """
    payer = living(ctx, customer)
    of = price if price is not MISSING else pricing.price if pricing is not MISSING else None
    given_ones = [
        n for n, v in (("amount", asked(amount)), ("price", of), ("price_data", asked(price_data))) if v is not None
    ]
    if len(given_ones) > 1:
        raise refuse(f"You may only specify one of these parameters: {', '.join(given_ones)}.", param=given_ones[0])
    if not given_ones:
        raise refuse("Must specify one of `amount` or `pricing`.", code="parameter_missing", param="amount")
    target = draft_named(ctx, invoice) if invoice is not MISSING else None
    found = one_off_price(ctx, of, "price") if of is not None else None
    if price_data is not MISSING:
        found = inline_price(ctx, price_data, "price_data")
    if found:
        unit, count = found.unit_amount, 1 if quantity is MISSING else quantity
        code, total = found.currency, unit * count
    else:
        if quantity is not MISSING:
            raise refuse("You may only specify one of these parameters: amount, quantity.", param="quantity")
        assert amount is not MISSING
        default = target.currency if target else payer.currency or home_currency(ctx)
        unit, count, code, total = amount, 1, default if currency is MISSING else known_currency(currency), amount
    if target and target.customer != payer.id:
        raise refuse(f"The invoice {target.id} does not belong to the customer {payer.id}.", param="invoice")
    if target and target.currency != code:
        raise refuse(
            f"The currency of the invoice item ({code}) does not match that of the invoice ({target.currency}).",
            param="currency",
        )
    if subscription is not MISSING:
        owner = ctx.db.get(Subscription, subscription)
        if owner is None or owner.customer != payer.id:
            raise no_such("Subscription", subscription, param="subscription", status=400)
    now = ctx.epoch()
    words = asked(description) or (ctx.require(Product, found.product).name if found else None)
    row = ctx.db.add(
        InvoiceItem(
            id=new(ctx, "ii"), amount=total, currency=code, customer=payer.id, date=now, description=words or None,
            discountable=total >= 0 if discountable is MISSING else discountable, metadata_=merged({}, metadata),
            period_start=now if period is MISSING else period.start, period_end=now if period is MISSING else period.end,
            price=found and found.id, quantity=count, subscription=asked(subscription),
            tax_rates=known_rates(ctx, tax_rates, "tax_rates"), unit_amount=unit,
        )
    )  # fmt: skip
    if payer.currency is None:
        ctx.db.update(payer, currency=code)
    if target:
        was = show(ctx, target)
        invoicing.add_item(ctx, target, row)
        invoicing.recompute(ctx, target)
        emit(ctx, "invoice.updated", target, was=was)
    emit(ctx, "invoiceitem.created", row)
    return show(ctx, row)


def _item(ctx: Ctx, key: str) -> InvoiceItem:
    row = ctx.db.get(InvoiceItem, key)
    if row is None:
        raise no_such("InvoiceItem", key)
    return row


@app.get("/v1/invoiceitems", tool="list_invoice_items")
def list_invoice_items(
    ctx: Ctx, customer: str | MISSING = MISSING, invoice: str | MISSING = MISSING, pending: bool | MISSING = MISSING,
    created: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING, ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists invoice items, newest first.

    customer: Only those of this customer.
    invoice: Only those on this invoice.
    pending: Only those that wait for an invoice, or only those that are on one.
    """
    filters = {
        "customer": asked(customer), "invoice": asked(invoice), "invoice__null": asked(pending), **times("date", created),
    }  # fmt: skip
    return listing(ctx, InvoiceItem, "/v1/invoiceitems", limit, starting_after, ending_before, by="date", **filters)


@app.get("/v1/invoiceitems/{invoiceitem}", tool="retrieve_invoice_item", mcp=False)
def retrieve_invoice_item(ctx: Ctx, invoiceitem: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves an invoice item.

    invoiceitem: The invoice item's ID.
    """
    return show(ctx, _item(ctx, invoiceitem))


def _open_invoice(ctx: Ctx, row: InvoiceItem) -> Invoice | None:
    """The draft an item is on; refused where its invoice is no draft any more."""
    if row.invoice is None:
        return None
    invoice = ctx.db.get(Invoice, row.invoice)
    if invoice is None:
        raise refuse("This invoice item has been deleted.")
    if invoice.status != "draft":
        raise refuse(
            "You cannot change this invoice item because it is attached to an invoice that is no longer editable.",
            code="invoice_not_editable", param="invoiceitem",
        )  # fmt: skip
    return invoice


@app.post("/v1/invoiceitems/{invoiceitem}", tool="update_invoice_item", effect="update", mcp=False)
def update_invoice_item(
    ctx: Ctx, invoiceitem: str, amount: int | MISSING = MISSING, price: str | MISSING = MISSING, quantity: Quantity | MISSING = MISSING,
    description: str | MISSING = MISSING, discountable: bool | MISSING = MISSING, period: Period | MISSING = MISSING,
    tax_rates: TaxRates = MISSING, metadata: MetadataParam = MISSING, expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes an invoice item that waits, or whose invoice is a draft.

    invoiceitem: The invoice item's ID.
    amount: The item's whole amount in the smallest unit.
    price: ID of a one-off price.
    quantity: How many of the price.
    description: What the customer reads.
    discountable: Whether discounts apply.
    period: The time that the item is for.
    tax_rates: IDs of the tax rates that apply to it.
    """
    row = _item(ctx, invoiceitem)
    invoice = _open_invoice(ctx, row)
    was = show(ctx, row)
    changes = given(ctx.sent(), "metadata", "amount", "price", "quantity", "period", "tax_rates")
    if amount is not MISSING and (price is not MISSING or quantity is not MISSING):
        raise refuse("You may only specify one of these parameters: amount, quantity.", param="amount")
    if amount is not MISSING:
        changes |= {"amount": amount, "unit_amount": amount, "quantity": 1, "price": None}
    elif price is not MISSING or quantity is not MISSING:
        found = one_off_price(ctx, price, "price") if price is not MISSING else None
        unit = found.unit_amount if found else row.unit_amount or 0
        count = row.quantity if quantity is MISSING else quantity
        changes |= {
            "unit_amount": unit,
            "quantity": count,
            "amount": unit * count,
            "price": found.id if found else row.price,
        }
    if period is not MISSING:
        changes |= {"period_start": period.start, "period_end": period.end}
    if tax_rates is not MISSING:
        changes["tax_rates"] = known_rates(ctx, tax_rates, "tax_rates")
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    ctx.db.update(row, **changes)
    if invoice:
        line = ctx.db.first(LineItem, invoice_item=row.id)
        if line:
            ctx.db.update(line, **{n: v for n, v in invoicing.line_of(ctx, row).items() if n != "invoice_item"})
        invoicing.recompute(ctx, invoice)
    emit(ctx, "invoiceitem.updated", row, was=was)
    return show(ctx, row)


@app.delete("/v1/invoiceitems/{invoiceitem}", tool="delete_invoice_item")
def delete_invoice_item(ctx: Ctx, invoiceitem: str) -> dict[str, Any]:
    """Deletes an invoice item that waits, or takes it off its draft invoice.

    invoiceitem: The invoice item's ID.
    """
    row = _item(ctx, invoiceitem)
    invoice = _open_invoice(ctx, row)
    ctx.db.delete_where(LineItem, invoice_item=row.id)
    emit(ctx, "invoiceitem.deleted", row)
    ctx.db.delete(row)
    if invoice:
        invoicing.recompute(ctx, invoice)
    return deleted("invoiceitem", invoiceitem)
