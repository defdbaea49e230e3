"""The postings that a report is made of, on either accounting basis."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from legoenv_mcp.app import Ctx

from .. import faults, wire
from ..models import Account, Link, Posting, Preferences, Transaction
from ..models.names import ACCOUNT_TYPES

CREDITED = ("Invoice", "CreditMemo", "Bill", "VendorCredit")
PAYING = ("Payment", "BillPayment")


@dataclass(frozen=True, slots=True)
class Entry:
    """A posting as reports count it: debits are positive, in cents of home currency."""

    kind: str
    key: int
    day: str
    account: int
    amount: int
    entity_type: str
    entity: str
    class_: str
    department: str
    memo: str


def basis_of(ctx: Ctx, method: str | None) -> str:
    """Accrual or Cash: as asked, else as the preferences say."""
    if method is None or method == "":
        found = ctx.db.first(Preferences)
        return str(found.ReportPrefs.get("ReportBasis", "Accrual")) if found else "Accrual"
    if method not in ("Accrual", "Cash"):
        raise faults.enumeration(method[:40], "accounting_method")
    return method


def ids(text: str | None) -> set[str]:
    return {part.strip() for part in (text or "").split(",") if part.strip()}


def entries(ctx: Ctx, basis: str, **filters: str | None) -> list[Entry]:
    """All entries that pass the filters (customer, vendor, class, department, account: ids, separated by commas)."""
    found = [
        Entry(
            p.TxnType, p.TxnId, p.TxnDate, p.account, p.amount, p.entity_type, p.entity, p.class_, p.department, p.memo
        )
        for p in ctx.db.find(Posting, order="TxnDate,TxnId,id")
    ]
    if basis == "Cash":
        found = list(_on_cash(ctx, found))
    if customers := ids(filters.get("customer")):
        found = [e for e in found if e.entity_type == "Customer" and e.entity in customers]
    if vendors := ids(filters.get("vendor")):
        found = [e for e in found if e.entity_type == "Vendor" and e.entity in vendors]
    if classes := ids(filters.get("class_")):
        found = [e for e in found if e.class_ in classes]
    if departments := ids(filters.get("department")):
        found = [e for e in found if e.department in departments]
    if accounts := ids(filters.get("account")):
        found = [e for e in found if str(e.account) in accounts]
    return found


def _on_cash(ctx: Ctx, found: list[Entry]) -> Iterable[Entry]:
    """On cash basis a document counts when and as far as it is paid: its sides, but for receivables and payables, move to its
    payments' days in proportion, and what the payments booked against receivables and payables goes."""
    owed = {a.Id for a in ctx.db.find(Account) if a.AccountType in ("Accounts Receivable", "Accounts Payable")}
    sides = dict[tuple[str, int], list[Entry]]()
    for entry in found:
        if entry.kind in CREDITED:
            sides.setdefault((entry.kind, entry.key), []).append(entry)
    applied = dict[tuple[str, int], list[tuple[Link, Transaction]]]()
    for link in ctx.db.find(Link):
        payer = wire.lookup(ctx, link.TxnType, str(link.TxnId)) if link.TxnType in PAYING else None
        if isinstance(payer, Transaction):
            applied.setdefault((link.TxnType, link.TxnId), []).append((link, payer))
    for entry in found:
        if entry.kind in CREDITED:
            continue
        if entry.kind not in PAYING or entry.account not in owed:
            yield entry
            continue
        left = entry.amount
        for link, payer in applied.get((entry.kind, entry.key), []):
            document = wire.lookup(ctx, link.ToType, str(link.ToId))
            whole = wire.cents(document.TotalAmt) if isinstance(document, Transaction) else 0
            for side in _moved(sides.get((link.ToType, link.ToId), []), owed, link.amount, whole, payer.TxnDate):
                left -= side.amount
                yield side
        if left:  # what is not applied stays a credit
            yield replace(entry, amount=left)


def _moved(sides: list[Entry], owed: set[int], paid: int, whole: int, day: str) -> list[Entry]:
    made = (
        [replace(side, day=day, amount=round(side.amount * paid / whole)) for side in sides if side.account not in owed]
        if whole
        else []
    )
    return [side for side in made if side.amount]


def sign(account: Account) -> int:
    """1 where an account grows by debits, -1 where by credits."""
    return 1 if ACCOUNT_TYPES[account.AccountType][0] in ("Asset", "Expense") else -1


def by_account(found: Iterable[Entry]) -> dict[int, list[Entry]]:
    made = dict[int, list[Entry]]()
    for entry in found:
        made.setdefault(entry.account, []).append(entry)
    return made


def totals(values: Iterable[list[int]], width: int) -> list[int]:
    out = [0] * width
    for row in values:
        out = [a + b for a, b in zip(out, row, strict=True)]
    return out
