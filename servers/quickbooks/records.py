"""Saving objects: create, update, delete, void."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import books, faults, linking, wire
from .models import (
    KINDS,
    Attachable,
    Bill,
    BillPayment,
    CompanyInfo,
    CreditMemo,
    Deleted,
    Invoice,
    Item,
    NameRecord,
    Payment,
    Preferences,
    Record,
    SalesReceipt,
    Transaction,
    VendorCredit,
)
from .models.sales import SalesForm
from .rules import company, forms, legs, names
from .store import change, insert

BY_PATH = {name.lower(): cls for name, cls in KINDS.items()}
VOIDABLE = (Invoice, Payment, SalesReceipt, BillPayment)
WORLD_ONLY = ("TaxCode", "TaxRate", "ExchangeRate")
"""Kinds that are made by services of their own."""


def kind_of(name: str) -> type[Record]:
    """An object's type by its name in any case. 500 where there is none."""
    found = BY_PATH.get(name.replace(" ", "").lower())
    if found is None:
        raise faults.fault(
            "2000",
            "Invalid or unsupported object name",
            f"Object Name: {name[:50]} is unsupported or invalid",
            "entity",
        )
    return found


def find(ctx: Ctx, cls: type[Record], key: Any) -> Record:
    """The object with this id; 610 where there is none."""
    row = wire.lookup(ctx, cls.__name__, str(key))
    if row is None:
        raise faults.not_found()
    return row


def save(ctx: Ctx, cls: type[Record], body: Any) -> Record:
    """Creates the object, or updates it where the body has an id."""
    if not isinstance(body, dict):
        raise faults.missing(cls.__name__)
    return update(ctx, cls, body) if body.get("Id") not in (None, "", 0, "0") else create(ctx, cls, body)


def create(ctx: Ctx, cls: type[Record], body: dict[str, Any]) -> Record:
    if cls.__name__ in WORLD_ONLY or cls in (CompanyInfo, Preferences):
        raise faults.unsupported(f"create {cls.__name__}")
    state = wire.read(ctx, cls, body, None, False)
    if issubclass(cls, NameRecord) and state.get("Active") is False:
        raise faults.business("A new object is active.", "Active")
    _prepare(ctx, cls, state, None, body)
    if cls.transaction:
        books.check_open(ctx, state["TxnDate"])
    row = insert(ctx, cls, **state)
    _settle(ctx, row, None, body)
    return row


def versioned(ctx: Ctx, cls: type[Record], body: dict[str, Any]) -> Record:
    """The object that a body means, at the version that the body says. 5010 where that is an older one."""
    row = find(ctx, cls, body["Id"])
    token = body.get("SyncToken")
    if token is None or token == "":
        raise faults.missing("SyncToken")
    if str(token) != str(row.SyncToken):
        raise faults.stale("another user")
    return row


def update(ctx: Ctx, cls: type[Record], body: dict[str, Any]) -> Record:
    """A full update resets what is left out, a sparse one keeps it."""
    if cls.__name__ in WORLD_ONLY:
        raise faults.unsupported(f"update {cls.__name__}")
    row = versioned(ctx, cls, body)
    sparse = wire.flag(body.get("sparse") or False, "sparse")
    state = wire.read(ctx, cls, body, row, sparse)
    before = type(row).of(dict(row.__dict__))
    _prepare(ctx, cls, state, row, body)
    if isinstance(row, Transaction):
        books.check_open(ctx, row.TxnDate, state["TxnDate"])
        linking.check_not_deposited(ctx, row)
        linking.check_same_party(ctx, row, state)
    changed = {name: value for name, value in state.items() if getattr(row, name) != value}
    change(ctx, row, **changed)
    _settle(ctx, row, before, body)
    return row


def _prepare(ctx: Ctx, cls: type[Record], state: dict[str, Any], old: Record | None, body: dict[str, Any]) -> None:
    if cls.transaction:
        forms.prepare(ctx, cls, state, old, body)
    elif issubclass(cls, NameRecord):
        names.prepare(ctx, cls, state, old, body)
        if cls is Item:
            names.check_item_accounts(ctx, state)
            if isinstance(old, Item) and "QtyOnHand" in body and state["QtyOnHand"] != old.QtyOnHand:
                raise faults.business("The quantity on hand changes by transactions only.", "QtyOnHand")
    else:
        company.prepare(ctx, cls, state, old, body)


def _settle(ctx: Ctx, row: Record, before: Record | None, body: dict[str, Any]) -> None:
    """What saving an object does to the books."""
    if isinstance(row, Transaction):
        linking.relink(ctx, row, body)
        if linking.open_cents(ctx, row) < 0 and hasattr(row, "Balance"):
            raise faults.business("The transaction's total can't be less than what has been applied to it.", "TotalAmt")
        _balance(ctx, row)
        if not _booked_alike(ctx, row, before):
            books.post(ctx, row, legs.of(ctx, row))
        _stock(ctx, row, before if isinstance(before, Transaction) else None)
        # Payments of this document at another rate keep the rate at which they cleared it: they are posted anew.
        for link in linking.incoming(ctx, row):
            payer = wire.lookup(ctx, link.TxnType, str(link.TxnId))
            if before is not None and isinstance(payer, Transaction) and link.amount:
                books.post(ctx, payer, legs.of(ctx, payer))
    elif isinstance(row, Item) and row.Type == "Inventory" and before is None and row.QtyOnHand:
        _open_stock(ctx, row)


def _booked_alike(ctx: Ctx, row: Transaction, before: Record | None) -> bool:
    """Whether a sale's entry stays as it is: goods that were sold keep the cost that they had then."""
    if not isinstance(row, SalesForm) or not isinstance(before, SalesForm):
        return False
    same = (before.TxnDate, before.ExchangeRate) == (row.TxnDate, row.ExchangeRate)
    return same and legs.of(ctx, before) == legs.of(ctx, row)


def _balance(ctx: Ctx, row: Transaction) -> None:
    left = wire.units(linking.open_cents(ctx, row))
    if isinstance(row, (Invoice, Bill, VendorCredit)) and row.Balance != left:
        ctx.db.update(row, Balance=left)
    elif isinstance(row, CreditMemo):
        ctx.db.update(row, Balance=left, RemainingCredit=left)


def _stock(ctx: Ctx, row: Transaction, before: Transaction | None) -> None:
    old, new = legs.quantities(ctx, before), legs.quantities(ctx, row)
    for key in sorted({*old, *new}):
        if moved := new.get(key, 0) - old.get(key, 0):
            books.stock(ctx, ctx.require(Item, key), moved)


def _open_stock(ctx: Ctx, item: Item) -> None:
    """An inventory item's first quantity is booked against opening balance equity, by a journal entry."""
    day = item.InvStartDate or ctx.now.date().isoformat()
    worth = sum(leg.cents for leg in legs.opening(ctx, item) if leg.cents > 0)
    if not worth:
        return
    sides = [("Debit", item.AssetAccountRef), ("Credit", str(books.system(ctx, "opening").Id))]
    made = [
        {"Description": f"{item.Name} - Opening inventory and value", "Amount": wire.units(worth), "DetailType": "JournalEntryLineDetail",
         "JournalEntryLineDetail": {"PostingType": side, "AccountRef": {"value": account}}}
        for side, account in sides
    ]  # fmt: skip
    create(ctx, KINDS["JournalEntry"], {"TxnDate": day, "Line": made, "PrivateNote": "Opening inventory"})


def delete(ctx: Ctx, cls: type[Record], body: Any) -> dict[str, Any]:
    """Removes a transaction or an attachment. List objects are made inactive instead."""
    if not isinstance(body, dict) or body.get("Id") in (None, ""):
        raise faults.missing("Id")
    if not cls.transaction and cls not in (Attachable, KINDS["TimeActivity"]):
        raise faults.unsupported(f"delete {cls.__name__}")
    row = versioned(ctx, cls, body)
    if isinstance(row, Transaction):
        books.check_open(ctx, row.TxnDate)
        linking.check_not_deposited(ctx, row)
        if any(link.amount for link in linking.incoming(ctx, row)):
            raise faults.business(
                "You must unlink the transactions that are linked to this one before you delete it.", "LinkedTxn"
            )
        for link in linking.incoming(ctx, row):
            ctx.db.delete(link)
        linking.unlink(ctx, row)
        books.unpost(ctx, row)
        for key, moved in legs.quantities(ctx, row).items():
            books.stock(ctx, ctx.require(Item, key), -moved)
    ctx.db.add(Deleted(kind=cls.__name__, Id=row.Id, LastUpdatedTime=ctx.timestamp()))
    ctx.db.delete(row)
    return {"domain": "QBO", "status": "Deleted", "Id": str(row.Id)}


def void(ctx: Ctx, cls: type[Record], body: Any) -> Record:
    """Zeroes a transaction and keeps its record."""
    if not isinstance(body, dict) or body.get("Id") in (None, ""):
        raise faults.missing("Id")
    if cls not in VOIDABLE:
        raise faults.unsupported(f"void {cls.__name__}")
    row = versioned(ctx, cls, body)
    assert isinstance(row, Transaction)
    if row.Voided:
        raise faults.business("This transaction has been voided: it can no longer be changed.")
    books.check_open(ctx, row.TxnDate)
    linking.check_not_deposited(ctx, row)
    zero(ctx, row)
    return row


def zero(ctx: Ctx, row: Transaction) -> None:
    """What a void does, whoever asks for it."""
    before = type(row).of(dict(row.__dict__))
    payers = linking.release(ctx, row)
    linking.unlink(ctx, row)
    state: dict[str, Any] = {
        "TotalAmt": 0,
        "Voided": True,
        "Line": [] if type(row) in (Payment, BillPayment) else _zeroed(row.Line),
    }
    state["PrivateNote"] = f"Voided - {row.PrivateNote}"[:4000] if row.PrivateNote else "Voided"
    for name in ("Balance", "UnappliedAmt"):
        if hasattr(row, name):
            state[name] = 0
    if getattr(row, "TxnTaxDetail", None):
        state["TxnTaxDetail"] = {"TotalTax": 0}
    change(ctx, row, **state)
    books.unpost(ctx, row)
    for payer in payers:  # what they gained or lost by clearing this one at another rate goes
        books.post(ctx, payer, legs.of(ctx, payer))
    _stock(ctx, row, before)


def _zeroed(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made = list[dict[str, Any]]()
    for line in lines:
        one = {**line, **({"Amount": 0} if "Amount" in line else {})}
        if "SalesItemLineDetail" in one:
            detail = one["SalesItemLineDetail"]
            one["SalesItemLineDetail"] = {**detail, **{name: 0 for name in ("Qty", "UnitPrice") if name in detail}}
        made.append(one)
    return made
