"""Rows of the books as canonical entities."""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, accounting
from legoenv_mcp.capabilities.people import Person

from . import models as m
from .rules.names import DELETED

PAYERS = {"Invoice": m.Payment, "Bill": m.BillPayment}


def _text(value: Any) -> str:
    return str(value or "")


def _name(row: dict[str, Any]) -> str:
    return str(row["DisplayName"]).removesuffix(DELETED)


def view_employee(ctx: Ctx, row: dict[str, Any]) -> Entity:
    return Person(
        id=str(row["Id"]), first_name=_text(row["GivenName"]), last_name=_text(row["FamilyName"]), email=_text(row["PrimaryEmailAddr"]),
        handle="", title="", department="", phone=_text(row["PrimaryPhone"]), start_date=_text(row["HiredDate"]), active=row["Active"],
    )  # fmt: skip


def view_customer(ctx: Ctx, row: dict[str, Any]) -> Entity:
    return accounting.Customer(
        id=str(row["Id"]), name=_name(row), email=_text(row["PrimaryEmailAddr"]), phone=_text(row["PrimaryPhone"]),
        currency=row["CurrencyRef"],
        created=row["CreateTime"],
    )  # fmt: skip


def view_vendor(ctx: Ctx, row: dict[str, Any]) -> Entity:
    return accounting.Vendor(
        id=str(row["Id"]), name=_name(row), email=_text(row["PrimaryEmailAddr"]), phone=_text(row["PrimaryPhone"]),
        currency=row["CurrencyRef"],
        created=row["CreateTime"],
    )  # fmt: skip


def view_item(ctx: Ctx, row: dict[str, Any]) -> Entity:
    return accounting.Item(
        id=str(row["Id"]), name=str(row["Name"]).removesuffix(DELETED), price=row["UnitPrice"] or 0, description=_text(row["Description"]),
        active=row["Active"],
    )  # fmt: skip


def _paid_on(ctx: Ctx, kind: str, key: int) -> str:
    """The day of the last payment of a document."""
    links = [link for link in ctx.db.find(m.Link, ToType=kind, ToId=key) if link.TxnType == PAYERS[kind].__name__]
    payers = [ctx.db.get(PAYERS[kind], link.TxnId) for link in links]
    return max((str(payer.TxnDate) for payer in payers if isinstance(payer, m.Transaction)), default="")


def view_invoice(ctx: Ctx, row: dict[str, Any]) -> Entity:
    lines = tuple(
        accounting.DocumentLine(
            description=_text(line.get("Description")), quantity=detail.get("Qty", 1), amount=line["Amount"],
            item=_text(detail.get("ItemRef", {}).get("value")),
        )
        for line in row["Line"]
        if (detail := line.get("SalesItemLineDetail")) is not None and not row["Voided"]
    )  # fmt: skip
    return accounting.Invoice(
        id=str(row["Id"]), customer=row["CustomerRef"], number=_text(row["DocNumber"]), lines=lines, currency=row["CurrencyRef"],
        issued=row["TxnDate"], due=_text(row["DueDate"]), paid=round(row["TotalAmt"] - row["Balance"], 2),
        paid_on=_paid_on(ctx, "Invoice", row["Id"]), void=row["Voided"], memo=_text(row["CustomerMemo"]),
    )  # fmt: skip


def view_payment(ctx: Ctx, row: dict[str, Any]) -> Entity | None:
    if row["Voided"]:
        return None
    links = [link for line in row["Line"] for link in line.get("LinkedTxn", ()) if link["TxnType"] == "Invoice"]
    return accounting.Payment(
        id=str(row["Id"]), customer=row["CustomerRef"], amount=row["TotalAmt"], currency=row["CurrencyRef"],
        invoices=tuple(str(link["TxnId"]) for link in links), unapplied=row["UnappliedAmt"], day=row["TxnDate"],
    )  # fmt: skip


def view_bill(ctx: Ctx, row: dict[str, Any]) -> Entity:
    lines, named = list[accounting.DocumentLine](), ""
    for line in row["Line"]:
        detail = line.get("AccountBasedExpenseLineDetail") or line.get("ItemBasedExpenseLineDetail")
        if not detail:
            continue
        if (
            not named
            and "AccountRef" in detail
            and (found := ctx.db.get(m.Account, int(detail["AccountRef"]["value"])))
        ):
            named = found.Name.removesuffix(DELETED)
        item = _text(detail.get("ItemRef", {}).get("value"))
        lines.append(
            accounting.DocumentLine(
                description=_text(line.get("Description")),
                quantity=detail.get("Qty", 1),
                amount=line["Amount"],
                item=item,
            )
        )
    return accounting.Bill(
        id=str(row["Id"]), vendor=row["VendorRef"], number=_text(row["DocNumber"]), lines=tuple(lines), account=named,
        currency=row["CurrencyRef"],
        issued=row["TxnDate"], due=_text(row["DueDate"]), paid=round(row["TotalAmt"] - row["Balance"], 2), paid_on=_paid_on(ctx, "Bill",
        row["Id"]),
    )  # fmt: skip
