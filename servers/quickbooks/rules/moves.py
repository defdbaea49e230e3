"""Transactions without items on their lines: payments, journal entries, transfers, deposits."""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import faults, lines, wire
from ..models import Account, BillPayment, Deposit, JournalEntry, Payment, Record, Transfer
from ..models.names import ACCOUNT_TYPES
from ..wire import cents, units

_ENTITIES = ("Customer", "Vendor", "Employee")
PAYS = {Payment: ("Invoice", "CreditMemo"), BillPayment: ("Bill", "VendorCredit")}
"""What each payment pays, and which credits it uses."""
DEPOSITED = ("Payment", "SalesReceipt")


def prepare(ctx: Ctx, cls: type[Record], state: dict[str, Any], old: list[dict[str, Any]]) -> None:
    if cls is JournalEntry:
        _journal(ctx, state, old)
    elif cls is Transfer:
        _transfer(ctx, state)
    elif cls is Deposit:
        _deposit(ctx, state, old)
    else:
        _payment(cls, state)


def links_of(line: dict[str, Any]) -> list[dict[str, str]]:
    """A line's LinkedTxn, as ids and types."""
    given = line.get("LinkedTxn") or []
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise faults.unsupported_property("LinkedTxn")
    made = list[dict[str, str]]()
    for one in given:
        for name in ("TxnId", "TxnType"):
            if one.get(name) in (None, ""):
                raise faults.missing(name)
        line_id = {"TxnLineId": str(one["TxnLineId"])} if one.get("TxnLineId") not in (None, "") else {}
        made.append({"TxnId": str(one["TxnId"]), "TxnType": str(one["TxnType"]), **line_id})
    return made


def _payment(cls: type[Record], state: dict[str, Any]) -> None:
    if cents(state["TotalAmt"]) < 0:
        raise faults.business("You must specify a transaction amount that is 0 or greater.", "TotalAmt")
    made, applied = list[dict[str, Any]](), 0
    pays, uses = PAYS[cls]
    for line in lines.listed(state["Line"]):
        amount, linked = lines.amount_of(line), links_of(line)
        if amount < 0:
            raise faults.business("You must specify a transaction amount that is 0 or greater.", "Amount")
        if len(linked) != 1:
            raise (
                faults.missing("LinkedTxn")
                if not linked
                else faults.not_linkable("a line is linked to one transaction")
            )
        kind = linked[0]["TxnType"]
        if kind not in (pays, uses):
            raise faults.not_linkable(f"a {cls.__name__} cannot be linked to a transaction of type {kind[:30]}")
        applied += cents(amount) if kind == pays else -cents(amount)
        made.append({"Amount": float(amount), "LinkedTxn": linked})
    if applied > cents(state["TotalAmt"]):
        raise faults.business(
            "The amount applied to transactions is more than the payment's total and the credits used.", "Line"
        )
    state["Line"] = made
    if cls is Payment:
        state["UnappliedAmt"] = units(cents(state["TotalAmt"]) - applied)


def _transfer(ctx: Ctx, state: dict[str, Any]) -> None:
    if state["FromAccountRef"] == state["ToAccountRef"]:
        raise faults.business("You can't transfer from an account to itself.", "ToAccountRef")
    for name in ("FromAccountRef", "ToAccountRef"):
        kind = ctx.require(Account, int(state[name])).AccountType
        if ACCOUNT_TYPES[kind][0] in ("Revenue", "Expense") or kind in ("Accounts Receivable", "Accounts Payable"):
            raise faults.business(
                f"Money is moved between balance sheet accounts, not {kind}: use a journal entry.", name
            )
    if state["Amount"] <= 0:
        raise faults.business("You must specify a transaction amount that is greater than 0.", "Amount")
    state["TotalAmt"] = state["Amount"]


def _entity(ctx: Ctx, given: Any, name: str) -> tuple[str, str]:
    """Whom a journal or deposit line is about: `{Type, EntityRef}` or `{value, type}`."""
    if not given:
        return "", ""
    if not isinstance(given, dict):
        raise faults.unsupported_property(name)
    inner = given.get("EntityRef", given)
    kind = given.get("Type") or (inner.get("type") if isinstance(inner, dict) else None)
    kind = kind.capitalize() if isinstance(kind, str) else ""
    if kind not in _ENTITIES:
        raise faults.missing("Type") if not kind else faults.enumeration(kind, "Type")
    return kind, wire.reference(ctx, inner, "EntityRef.value", kind)


def _journal(ctx: Ctx, state: dict[str, Any], old: list[dict[str, Any]]) -> None:
    given, made, was = lines.listed(state["Line"]), list[dict[str, Any]](), lines.references(old)
    sides = {"Debit": 0, "Credit": 0}
    for line in given:
        kind = lines.start(line, frozenset({"JournalEntryLineDetail", "DescriptionOnly"}))
        one = lines.common(line, kind)
        made.append(one)
        if kind == "DescriptionOnly":
            continue
        amount, detail = lines.amount_of(line), lines.detail_of(ctx, line, kind, was)
        side = detail.get("PostingType")
        if side not in sides:
            raise faults.missing("PostingType") if not side else faults.enumeration(side, "PostingType")
        if "AccountRef" not in detail:
            raise faults.missing("AccountRef")
        if amount < 0:
            raise faults.business("You must specify a transaction amount that is 0 or greater.", "Amount")
        entity = _entity(ctx, detail.get("Entity"), "Entity")
        detail.pop("Entity", None)
        if entity[0]:
            detail["Entity"] = {"Type": entity[0], "EntityRef": {"value": entity[1]}}
        _check_party(ctx, lines.account_of(ctx, detail["AccountRef"]), entity, state["CurrencyRef"])
        sides[side] += cents(amount)
        one |= {"Amount": float(amount), kind: detail}
    if sides["Debit"] != sides["Credit"]:
        raise faults.business(
            f"Your debits and credits must be equal. The debits are {units(sides['Debit']):.2f}, the credits {units(sides['Credit']):.2f}.",
            "Line",
        )
    if not sides["Debit"]:
        raise faults.business("You must fill out at least two detail lines.", "Line")
    if sides["Debit"] > cents(wire.MOST_MONEY):
        raise faults.number("Amount", units(sides["Debit"]))
    state["Line"] = lines.numbered(made, given, old)
    state["TotalAmt"] = 0  # an entry has no total, as documented


def _check_party(ctx: Ctx, account: Account, entity: tuple[str, str], currency: str) -> None:
    """Receivables are somebody's, and so are payables; in that one's currency."""
    for kind, who, words in (
        (
            "Accounts Receivable",
            "Customer",
            "When you use Accounts Receivable, you must choose a customer in the Name field.",
        ),
        ("Accounts Payable", "Vendor", "When you use Accounts Payable, you must choose a vendor in the Name field."),
    ):
        if account.AccountType == kind:
            if entity[0] != who:
                raise faults.business(words, "Entity")
            if (
                account.CurrencyRef != currency
                or getattr(wire.lookup(ctx, who, entity[1]), "CurrencyRef", "") != currency
            ):
                raise faults.business(
                    f"The account and the {who.lower()} must have the transaction's currency: {currency}.", "AccountRef"
                )


def _deposit(ctx: Ctx, state: dict[str, Any], old: list[dict[str, Any]]) -> None:
    given, made, was, total = lines.listed(state["Line"]), list[dict[str, Any]](), lines.references(old), 0
    for line in given:
        linked = links_of(line)
        amount = lines.amount_of(line)
        if linked:
            if len(linked) != 1 or linked[0]["TxnType"] not in DEPOSITED:
                raise faults.not_linkable(f"a deposit takes in transactions of type {' and '.join(DEPOSITED)}")
            one: dict[str, Any] = {"Amount": float(amount), "LinkedTxn": linked}
        else:
            kind = lines.start({"DetailType": "DepositLineDetail", **line}, frozenset({"DepositLineDetail"}))
            detail = lines.detail_of(ctx, line, kind, was)
            if "AccountRef" not in detail:
                raise faults.missing("AccountRef")
            entity = _entity(ctx, detail.get("Entity"), "Entity")
            detail.pop("Entity", None)
            if entity[0]:
                detail["Entity"] = {"value": entity[1], "type": entity[0].upper()}
            _check_party(ctx, lines.account_of(ctx, detail["AccountRef"]), entity, state["CurrencyRef"])
            one = {**lines.common(line, kind), "Amount": float(amount), kind: detail}
        total += cents(amount)
        made.append(one)
    state["Line"] = lines.numbered(made, given, old)
    back = 0
    if cash := state.get("CashBack"):
        back = cents(wire.money(cash.get("Amount") or 0, "CashBack.Amount"))
        key = wire.reference(ctx, cash.get("AccountRef"), "AccountRef", "Account")
        memo = wire.text(cash.get("Memo") or "", "Memo", 4000)
        state["CashBack"] = {"AccountRef": {"value": key}, "Amount": units(back), **({"Memo": memo} if memo else {})}
    if total - back < 0 or back < 0:
        raise faults.business("You must specify a transaction amount that is 0 or greater.")
    if total > cents(wire.MOST_MONEY):
        raise faults.number("TotalAmt", units(total))
    state["TotalAmt"] = units(total - back)
