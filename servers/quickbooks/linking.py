"""Which transaction pays, uses up, deposits or replaces which; and what is left open of each."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import faults, wire
from .books import system
from .models import (
    Bill,
    CreditMemo,
    Customer,
    Deposit,
    Estimate,
    Invoice,
    Link,
    Payment,
    PurchaseOrder,
    SalesReceipt,
    Transaction,
    VendorCredit,
)
from .rules.moves import PAYS, links_of
from .store import touch
from .wire import cents, units

ORIGINS: dict[type[Transaction], tuple[type[Transaction], ...]] = {Invoice: (Estimate,), Bill: (PurchaseOrder,)}
"""What a form can be made from, which is closed by that."""


def incoming(ctx: Ctx, row: Transaction) -> list[Link]:
    """The payments, credits and deposits that a transaction is part of."""
    return ctx.db.find(Link, ToType=type(row).__name__, ToId=row.Id)


def open_cents(ctx: Ctx, row: Transaction) -> int:
    """What is left to pay of a document, or to use of a credit."""
    return cents(row.TotalAmt) - sum(link.amount for link in incoming(ctx, row))


def refresh(ctx: Ctx, row: Transaction | None) -> None:
    """Brings a document's balance in line with its links."""
    if not isinstance(row, (Invoice, Bill, CreditMemo, VendorCredit)):
        return
    left = units(open_cents(ctx, row))
    if isinstance(row, CreditMemo):
        touch(ctx, row, Balance=left, RemainingCredit=left)
    elif row.Balance != left:
        touch(ctx, row, Balance=left)


def unlink(ctx: Ctx, row: Transaction) -> None:
    """Takes back what a transaction paid, used, deposited or replaced."""
    links = ctx.db.find(Link, TxnType=type(row).__name__, TxnId=row.Id)
    for link in links:
        ctx.db.delete(link)
    for link in links:
        target = wire.lookup(ctx, link.ToType, str(link.ToId))
        if isinstance(target, Estimate) and target.TxnStatus == "Closed":
            touch(ctx, target, TxnStatus=link.was)
        elif isinstance(target, PurchaseOrder) and target.POStatus == "Closed":
            touch(ctx, target, POStatus="Open")
        refresh(ctx, target if isinstance(target, Transaction) else None)


def relink(ctx: Ctx, row: Transaction, body: dict[str, Any]) -> None:
    """Links a saved transaction as its lines say."""
    if type(row) in PAYS:
        unlink(ctx, row)
        for line in row.Line:
            _apply(ctx, row, line)
    elif isinstance(row, Deposit):
        unlink(ctx, row)
        for line in row.Line:
            if line.get("LinkedTxn"):
                _take_in(ctx, row, line)
    elif type(row) in ORIGINS and body.get("LinkedTxn"):
        _close_origins(ctx, row, body)


def _target(ctx: Ctx, linked: dict[str, str]) -> Transaction:
    found = wire.lookup(ctx, linked["TxnType"], linked["TxnId"])
    if not isinstance(found, Transaction) or found.Voided:
        raise faults.not_linkable()
    return found


def _apply(ctx: Ctx, row: Transaction, line: dict[str, Any]) -> None:
    linked = line["LinkedTxn"][0]
    target, amount = _target(ctx, linked), cents(line["Amount"])
    if isinstance(row, Payment) and not _same_customer(ctx, row.CustomerRef, str(getattr(target, "CustomerRef", ""))):
        raise faults.not_linkable("the transaction is another customer's")
    if not isinstance(row, Payment) and getattr(row, "VendorRef", "") != getattr(target, "VendorRef", ""):
        raise faults.not_linkable("the transaction is another vendor's")
    if target.CurrencyRef != row.CurrencyRef:
        raise faults.not_linkable("the transaction is in another currency")
    left = open_cents(ctx, target)
    if amount > left:
        raise faults.business(
            f"The amount applied to {linked['TxnType']} {target.DocNumber or target.Id} is more than its open balance, {units(left):.2f}.",
            "Line",
        )
    ctx.db.add(
        Link(id=None, TxnType=type(row).__name__, TxnId=row.Id, ToType=linked["TxnType"], ToId=target.Id, amount=amount)
    )
    refresh(ctx, target)


def _same_customer(ctx: Ctx, one: str, other: str) -> bool:
    """A payment is a customer's or its jobs', at any level."""
    while other and other != one:
        row = ctx.db.get(Customer, int(other))
        other = (row.ParentRef if row is not None else None) or ""
    return one == other


def _take_in(ctx: Ctx, row: Deposit, line: dict[str, Any]) -> None:
    target = _target(ctx, line["LinkedTxn"][0])
    if not isinstance(target, (Payment, SalesReceipt)) or not in_undeposited(ctx, target):
        raise faults.not_linkable("the transaction is not in Undeposited Funds")
    if deposited(ctx, target):
        raise faults.not_linkable("the transaction has been deposited")
    if cents(line["Amount"]) != cents(target.TotalAmt) or target.CurrencyRef != row.CurrencyRef:
        raise faults.business(
            f"The line's amount must be that of the transaction: {target.TotalAmt:.2f} {target.CurrencyRef}.", "Amount"
        )
    ctx.db.add(Link(id=None, TxnType="Deposit", TxnId=row.Id, ToType=type(target).__name__, ToId=target.Id))


def in_undeposited(ctx: Ctx, row: Payment | SalesReceipt) -> bool:
    return row.DepositToAccountRef in (None, str(system(ctx, "undeposited").Id))


def deposited(ctx: Ctx, row: Transaction) -> bool:
    return ctx.db.first(Link, TxnType="Deposit", ToType=type(row).__name__, ToId=row.Id) is not None


def check_not_deposited(ctx: Ctx, row: Transaction) -> None:
    if deposited(ctx, row):
        detail = (
            "This transaction has been deposited. If you want to change or delete it, "
            "you must edit the deposit it appears on and remove it first."
        )
        raise faults.fault("6540", "Deposited Transaction cannot be changed", detail)


def check_same_party(ctx: Ctx, row: Transaction, state: dict[str, Any]) -> None:
    """6000 for another customer or vendor on what is linked to transactions of the present one."""
    for name in ("CustomerRef", "VendorRef"):
        if name not in state or state[name] == getattr(row, name) or type(row) in PAYS:
            continue
        if incoming(ctx, row) or ctx.db.first(Link, TxnType=type(row).__name__, TxnId=row.Id):
            raise faults.business(
                "You must unlink the transactions that are linked to this one before you change whose it is.", name
            )


def _close_origins(ctx: Ctx, row: Transaction, body: dict[str, Any]) -> None:
    """An invoice made from an estimate closes it, a bill its order."""
    held = {(link.ToType, link.ToId) for link in ctx.db.find(Link, TxnType=type(row).__name__, TxnId=row.Id)}
    for linked in links_of(body):
        origins = [kind.__name__ for kind in ORIGINS[type(row)]]
        if linked["TxnType"] not in origins:
            if row.SyncToken:
                continue  # payments that an answer showed come back with an update
            raise faults.not_linkable(f"a {type(row).__name__} is made from a transaction of type {origins[0]}")
        target = _target(ctx, linked)
        if (linked["TxnType"], target.Id) in held:
            continue
        if getattr(target, "CustomerRef", None) != getattr(row, "CustomerRef", None) or getattr(
            target, "VendorRef", None
        ) != getattr(row, "VendorRef", None):
            raise faults.not_linkable("the transaction is another customer's or vendor's")
        was = target.TxnStatus if isinstance(target, Estimate) else ""
        if isinstance(target, Estimate):
            if target.TxnStatus in ("Closed", "Rejected"):
                raise faults.not_linkable(f"the estimate is {target.TxnStatus.lower()}")
            touch(ctx, target, TxnStatus="Closed")
        elif isinstance(target, PurchaseOrder):
            if target.POStatus == "Closed":
                raise faults.not_linkable("the purchase order is closed")
            touch(ctx, target, POStatus="Closed")
        ctx.db.add(
            Link(id=None, TxnType=type(row).__name__, TxnId=row.Id, ToType=linked["TxnType"], ToId=target.Id, was=was)
        )


def release(ctx: Ctx, row: Transaction) -> list[Transaction]:
    """A voided document's payments become unapplied: their lines for it go. These payments."""
    payers = dict[tuple[str, int], Transaction]()
    for link in incoming(ctx, row):
        payer = wire.lookup(ctx, link.TxnType, str(link.TxnId))
        ctx.db.delete(link)
        if not isinstance(payer, Transaction) or type(payer) not in PAYS:
            continue
        payers[link.TxnType, link.TxnId] = payer
        key = (link.ToType, str(link.ToId))
        lines = [line for line in payer.Line if (line["LinkedTxn"][0]["TxnType"], line["LinkedTxn"][0]["TxnId"]) != key]
        if isinstance(payer, Payment):
            sign = 1 if link.ToType == "Invoice" else -1
            touch(ctx, payer, Line=lines, UnappliedAmt=units(cents(payer.UnappliedAmt) + sign * link.amount))
        else:
            touch(ctx, payer, Line=lines)
    return list(payers.values())
