"""The invoice that would come next. https://docs.stripe.com/api/invoices/create_preview"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import billing, invoicing
from ..app import app
from ..discounts import running
from ..errors import no_such, refuse
from ..lookups import home_currency, living
from ..models import Customer, Invoice, Subscription
from ..params import Expand, Params
from ..render_billing import invoice_with
from ..resources import Object
from .subscription_params import ItemChange, changed_parts


class PreviewDetails(Params):
    """What would change of the subscription."""

    items: list[ItemChange] | None = Field(default=None, max_length=20, description="The items after the change.")
    proration_behavior: Literal["always_invoice", "create_prorations", "none"] = Field(
        default="create_prorations", description="What becomes of the running period."
    )
    proration_date: int | None = Field(default=None, description="When the change would be made (Unix seconds).")
    billing_cycle_anchor: Literal["now", "unchanged"] = Field(
        default="unchanged", description="Whether a new period would start now."
    )
    cancel_at_period_end: bool | None = Field(default=None, description="Whether it would end with its period.")
    cancel_now: bool | None = Field(default=None, description="Whether it would end at once.")


@app.post("/v1/invoices/create_preview", tool="preview_invoice", effect="read")
def preview_invoice(
    ctx: Ctx, customer: str | MISSING = MISSING, subscription: str | MISSING = MISSING,
    subscription_details: PreviewDetails | MISSING = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Shows the next invoice of a customer or subscription without making it: waiting items, the renewal, and what a change of items
    would add or give back.

    customer: The customer's ID.
    subscription: The subscription's ID; by default the customer's only one.
    subscription_details: A change to look at before making it.
    """
    of = _subscription(ctx, customer, subscription)
    payer = ctx.require(Customer, of.customer) if of else living(ctx, customer if customer is not MISSING else "")
    details = subscription_details if subscription_details is not MISSING else PreviewDetails()
    key, now = f"upcoming_in_{payer.id[4:]}", int(ctx.now.timestamp())
    unit = of.currency if of else payer.currency or home_currency(ctx)
    lines = list[dict[str, Any]]()
    if of:
        lines += _lines(ctx, of, details, now)
    lines += [invoicing.line_of(ctx, i) for i in invoicing.pending_items(ctx, payer.id, unit, of and of.id)]
    if not lines:
        raise refuse(f"No upcoming invoices for customer: {payer.id}", code="invoice_upcoming_none", status=404)
    start, end = billing.period_of(ctx, of) if of else (now, now)
    row = Invoice(
        id=key, created=end if of else now, customer=payer.id, currency=unit, subscription=of and of.id, billing_reason="upcoming",
        period_start=start, period_end=end, collection_method=of.collection_method if of else "charge_automatically",
        discounts=running(ctx, of.discounts) if of else [], default_tax_rates=of.default_tax_rates if of else [],
        starting_balance=payer.balance,
    )  # fmt: skip
    drawn = [billing.preview_line(n, key, **line) for n, line in enumerate(lines)]
    found = invoicing.totals(ctx, row, drawn)
    due = max(found["total"] + payer.balance, 0)
    for name, value in {**found, "amount_due": due, "amount_remaining": due}.items():
        setattr(row, name, value)
    return _shown(ctx, row, drawn)


def _shown(ctx: Ctx, row: Invoice, lines: list[Any]) -> Object:
    return {**invoice_with(ctx, row, lines), "ending_balance": min(row.total + row.starting_balance, 0)}


def _subscription(ctx: Ctx, customer: Any, subscription: Any) -> Subscription | None:
    if subscription is not MISSING:
        of = ctx.db.get(Subscription, subscription)
        if of is None or of.status in ("canceled", "incomplete_expired"):
            raise no_such("Subscription", subscription, param="subscription", status=404)
        if customer is not MISSING and of.customer != customer:
            raise refuse(
                f"Customer {customer} does not have a subscription with ID {subscription}", param="subscription"
            )
        return of
    if customer is MISSING:
        raise refuse(
            "You must specify either `customer` or `subscription`.", code="parameter_missing", param="customer"
        )
    found = ctx.db.find(
        Subscription, customer=living(ctx, customer).id, status__in=["active", "trialing", "past_due"], order="created"
    )
    return found[0] if found else None


def _lines(ctx: Ctx, of: Subscription, details: PreviewDetails, now: int) -> list[dict[str, Any]]:
    before = billing.parts_of(ctx, of)
    after = changed_parts(ctx, of, details.items or [], "subscription_details[items]")
    start, end = billing.period_of(ctx, of)
    moment = details.proration_date or now
    if not start <= moment <= end:
        raise refuse(
            "`proration_date` must lie within the current period.", param="subscription_details[proration_date]"
        )
    billing.check_parts(after, of.currency)
    anew = details.billing_cycle_anchor == "now" or billing.starts_anew(of, before, after)
    changed = details.proration_behavior != "none" and of.status != "trialing"
    prorated = billing.changes_of(ctx, of.id, before, after, start, end, moment, anew=anew) if changed else []
    if anew:
        return [billing.cycle_line(ctx, of.id, part, *billing.new_period(after, now)) for part in after] + prorated
    ends = details.cancel_now or (
        details.cancel_at_period_end if details.cancel_at_period_end is not None else of.cancel_at_period_end
    )
    if details.proration_behavior == "always_invoice" and prorated:
        return prorated
    return prorated + ([] if ends else billing.upcoming_lines(ctx, of, after))
