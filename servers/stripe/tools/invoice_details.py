"""What belongs to an invoice: its lines and its payments. https://docs.stripe.com/api/invoice-line-item"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx

from ..app import app
from ..lists import listing, whole
from ..models import Invoice, InvoicePayment
from ..params import After, Before, Created, Expand, Limit, asked, times
from ..render_billing import invoice_lines
from ..resources import show


@app.get("/v1/invoices/{invoice}/lines", tool="list_invoice_lines", mcp=False)
def list_invoice_lines(
    ctx: Ctx,
    invoice: str,
    limit: Limit = 10,
    starting_after: After = MISSING,
    ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:
    """Lists all lines of an invoice.

    invoice: The invoice's ID.
    """
    row = ctx.require(Invoice, invoice)
    shown = [show(ctx, line) for line in invoice_lines(ctx, row.id)]
    return whole(ctx, shown, f"/v1/invoices/{row.id}/lines", limit, starting_after, ending_before)


@app.get("/v1/invoice_payments", tool="list_invoice_payments", mcp=False)
def list_invoice_payments(
    ctx: Ctx, invoice: str | MISSING = MISSING, status: Literal["open", "paid", "canceled"] | MISSING = MISSING,
    created: Created = MISSING, limit: Limit = 10, starting_after: After = MISSING, ending_before: Before = MISSING,
    expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists which payment intents collect which invoices.

    invoice: Only those of this invoice.
    status: Only with this status.
    """
    filters = {"invoice": asked(invoice), "status": asked(status), **times("created", created)}
    return listing(ctx, InvoicePayment, "/v1/invoice_payments", limit, starting_after, ending_before, **filters)
