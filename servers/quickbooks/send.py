"""Forms sent by email, and as PDF."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import faults, wire
from .models import (
    CompanyInfo,
    CreditMemo,
    Estimate,
    Invoice,
    PurchaseOrder,
    Record,
    RefundReceipt,
    SalesReceipt,
    Transaction,
)
from .models.sales import SalesForm
from .resources import Showing
from .store import change

SENDABLE = (Invoice, Estimate, SalesReceipt, CreditMemo, RefundReceipt, PurchaseOrder)


def send(ctx: Ctx, row: Record, to: str | None) -> Record:
    """Emails a form to the address given, which becomes the form's, or to the one it has."""
    if not isinstance(row, SENDABLE):
        raise faults.unsupported(f"send {type(row).__name__}")
    field = "POEmail" if isinstance(row, PurchaseOrder) else "BillEmail"
    address = wire.wrapped(to, field) if to else getattr(row, field)
    if not address:
        raise faults.missing(f"{field}.Address")
    state: dict[str, Any] = {field: address, "EmailStatus": "EmailSent"}
    if not isinstance(row, PurchaseOrder):
        state |= {"DeliveryInfo": {"DeliveryType": "Email"}, "DeliveryTime": ctx.timestamp()}
    return change(ctx, row, **state)


def text_of(ctx: Ctx, row: Transaction) -> list[str]:
    """A form's printed text, line by line."""
    showing, company = Showing(ctx), ctx.db.first(CompanyInfo)
    shown = showing.show(row)
    made = [
        company.CompanyName if company else "",
        f"{type(row).__name__.upper()} {row.DocNumber or row.Id}",
        f"Date: {row.TxnDate}",
    ]
    if shown.get("DueDate"):
        made.append(f"Due: {shown['DueDate']}")
    party = shown.get("CustomerRef") or shown.get("VendorRef") or {}
    made += [f"To: {party.get('name', '')}", ""]
    for line in shown["Line"]:
        if line["DetailType"] == "SubTotalLineDetail":
            made.append(f"Subtotal: {line['Amount']:.2f}")
        elif "Amount" in line:
            made.append(f"{line.get('Description') or line['DetailType']}: {line['Amount']:.2f}")
        else:
            made.append(str(line.get("Description", "")))
    made += [f"Total: {row.TotalAmt:.2f} {row.CurrencyRef}"]
    if "Balance" in shown:
        made.append(f"Balance due: {shown['Balance']:.2f} {row.CurrencyRef}")
    return made


def pdf(ctx: Ctx, row: Record) -> bytes:
    """The form as a page of PDF."""
    if not isinstance(row, SalesForm):
        raise faults.unsupported(f"pdf {type(row).__name__}")
    drawn = "\n".join(f"({_escaped(line)}) Tj T*" for line in text_of(ctx, row)[:48])
    stream = f"BT /F1 11 Tf 56 786 Td 15 TL\n{drawn}\nET".encode("latin-1", "replace")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out, places = b"%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end


def _escaped(line: str) -> str:
    return line[:95].replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").replace("\n", " ").replace("\r", " ")
