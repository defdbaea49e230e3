"""The general ledger: every account's entries, with its running balance."""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import faults, wire
from ..models import Account, Transaction
from ..resources import Showing
from .entries import Entry, basis_of, by_account, entries, sign
from .layout import Row, report, shown
from .periods import period
from .statements import PROFIT

COLUMNS = {
    "tx_date": ("Date", "Date"), "txn_type": ("Transaction Type", "String"), "doc_num": ("Num", "String"), "name": ("Name", "String"),
    "memo": ("Memo/Description", "String"), "split_acc": ("Split", "String"), "subt_nat_amount": ("Amount", "Money"),
    "rbal_nat_amount": ("Balance", "Money"), "account_name": ("Account", "String"), "debt_amt": ("Debit", "Money"),
    "credit_amt": ("Credit", "Money"),
    "klass_name": ("Class", "String"), "dept_name": ("Location", "String"), "cust_name": ("Customer", "String"), "vend_name": ("Vendor",
    "String"),
}  # fmt: skip
USUAL = ("tx_date", "txn_type", "doc_num", "name", "memo", "split_acc", "subt_nat_amount", "rbal_nat_amount")
WORDS = {
    "SalesReceipt": "Sales Receipt", "CreditMemo": "Credit Memo", "RefundReceipt": "Refund", "BillPayment": "Bill Payment (Check)",
    "VendorCredit": "Vendor Credit", "JournalEntry": "Journal Entry", "Purchase": "Expense",
}  # fmt: skip


class _Ledger:
    def __init__(self, ctx: Ctx, found: list[Entry]) -> None:
        self.ctx, self.showing = ctx, Showing(ctx)
        self.accounts = {account.Id: account for account in ctx.db.find(Account)}
        self.others = dict[tuple[str, int], set[int]]()
        for entry in found:
            self.others.setdefault((entry.kind, entry.key), set()).add(entry.account)
        self._rows = dict[tuple[str, int], Any]()

    def row(self, entry: Entry) -> Any:
        key = (entry.kind, entry.key)
        if key not in self._rows:
            self._rows[key] = wire.lookup(self.ctx, entry.kind, str(entry.key))
        return self._rows[key]

    def cell(self, column: str, entry: Entry, balance: int, number: str) -> dict[str, str]:
        account = self.accounts[entry.account]
        if column == "tx_date":
            return {"value": entry.day}
        if column == "txn_type":
            return {"value": WORDS.get(entry.kind, entry.kind), "id": str(entry.key)}
        if column == "doc_num":
            return {"value": number}
        if column in ("name", "cust_name", "vend_name"):
            fits = column == "name" or entry.entity_type == {"cust_name": "Customer", "vend_name": "Vendor"}[column]
            return (
                {"value": self.showing.name(entry.entity_type, entry.entity), "id": entry.entity}
                if entry.entity and fits
                else {"value": ""}
            )
        if column == "memo":
            return {"value": entry.memo}
        if column == "split_acc":
            others = self.others[entry.kind, entry.key] - {entry.account}
            if len(others) == 1:
                other = self.accounts[next(iter(others))]
                return {"value": other.Name, "id": str(other.Id)}
            return {"value": "-Split-" if others else account.Name}
        if column == "account_name":
            return {"value": account.Name, "id": str(account.Id)}
        if column in ("klass_name", "dept_name"):
            kind, key = ("Class", entry.class_) if column == "klass_name" else ("Department", entry.department)
            return {"value": self.showing.name(kind, key), "id": key} if key else {"value": ""}
        if column == "debt_amt":
            return {"value": shown(entry.amount if entry.amount > 0 else None)}
        if column == "credit_amt":
            return {"value": shown(-entry.amount if entry.amount < 0 else None)}
        return {"value": shown(sign(account) * entry.amount if column == "subt_nat_amount" else balance)}


def general_ledger(
    ctx: Ctx,
    start: str | None,
    end: str | None,
    macro: str | None,
    method: str | None,
    wanted: str | None,
    **filters: str | None,
) -> Row:
    basis = basis_of(ctx, method)
    when = period(ctx, start, end, macro)
    chosen = [part.strip() for part in (wanted or ",".join(USUAL)).split(",") if part.strip()]
    for column in chosen:
        if column not in COLUMNS:
            raise faults.enumeration(column[:40], "columns")
    everything = entries(ctx, basis)
    ledger, found = _Ledger(ctx, everything), by_account(entries(ctx, basis, **filters))
    rows = list[Row]()
    for account in sorted(ledger.accounts.values(), key=lambda a: (a.AccountType in PROFIT, a.Id)):
        mine = found.get(account.Id, [])
        inside = [e for e in mine if when.holds(e.day)]
        opening = (
            0
            if account.AccountType in PROFIT
            else sign(account) * sum(e.amount for e in mine if e.day < when.start.isoformat())
        )
        if inside or opening:
            rows.append(_account(ledger, account, inside, opening, chosen))
    columns = [
        {"ColTitle": COLUMNS[c][0], "ColType": COLUMNS[c][1], "MetaData": [{"Name": "ColKey", "Value": c}]} for c in chosen
    ]  # fmt: skip
    words = {name.rstrip("_").capitalize(): value or "" for name, value in filters.items()}
    return report(ctx, "GeneralLedger", when, columns, rows, basis=basis, filters=words)


def _account(ledger: _Ledger, account: Account, inside: list[Entry], opening: int, chosen: list[str]) -> Row:
    blank, balance, made = [{"value": ""} for _ in chosen], opening, list[Row]()
    if opening:
        first = [{"value": "Beginning Balance"}, *blank[1:]]
        if "rbal_nat_amount" in chosen:
            first[chosen.index("rbal_nat_amount")] = {"value": shown(opening)}
        made.append({"ColData": first, "type": "Data"})
    for entry in inside:
        balance += sign(account) * entry.amount
        row = ledger.row(entry)
        number = (
            str(getattr(row, "DocNumber", None) or getattr(row, "PaymentRefNum", None) or "")
            if isinstance(row, Transaction)
            else ""
        )
        made.append({"ColData": [ledger.cell(c, entry, balance, number) for c in chosen], "type": "Data"})
    total = [{"value": f"Total for {account.Name}"}, *blank[1:]]
    if "subt_nat_amount" in chosen:
        total[chosen.index("subt_nat_amount")] = {"value": shown(balance - opening)}
    head = [{"value": account.Name, "id": str(account.Id)}, *blank[1:]]
    return {"Header": {"ColData": head}, "Rows": {"Row": made}, "Summary": {"ColData": total}, "type": "Section"}
