"""Transactions before they are saved: parties, dates, currencies, numbers, lines."""

import re
from datetime import date, timedelta
from typing import Any

from legoenv_mcp.app import Ctx

from .. import faults, lines, wire
from ..books import rate_of, system, value
from ..models import (
    Account,
    Bill,
    BillPayment,
    Customer,
    Deposit,
    Estimate,
    Invoice,
    JournalEntry,
    Payment,
    Preferences,
    Purchase,
    PurchaseOrder,
    Record,
    SalesReceipt,
    Term,
    Transaction,
    Transfer,
    Vendor,
    VendorCredit,
)
from ..models.purchases import PurchaseForm
from ..models.sales import SalesForm
from ..resources import home_currency
from . import moves

SPENDING = {"Cash": ("Bank", "Other Current Asset"), "Check": ("Bank",), "CreditCard": ("Credit Card",)}
HOLDING = ("Bank", "Other Current Asset", "Credit Card")
_NUMBERED = (SalesForm, PurchaseOrder)


def prepare(ctx: Ctx, cls: type[Record], state: dict[str, Any], old: Record | None, body: dict[str, Any]) -> None:
    """Completes and checks a transaction."""
    before = old if isinstance(old, Transaction) else None
    if before is not None and before.Voided:
        raise faults.business("This transaction has been voided: it can no longer be changed.")
    state.setdefault("TxnDate", ctx.now.date().isoformat())
    party = _party(ctx, cls, state)
    _currency(ctx, state, party, before, body)
    previous = before.Line if before is not None else []
    if issubclass(cls, SalesForm):
        if before is None:
            _addresses(state, party)
        _require(cls, state)
        if state["EmailStatus"] == "NeedToSend" and not state["BillEmail"]:
            raise faults.missing("BillEmail.Address")
        lines.sales(ctx, state, previous)
    elif issubclass(cls, PurchaseForm):
        _require(cls, state)
        if cls is Purchase:
            _spending(ctx, state, body)
        lines.expenses(ctx, state, previous)
    else:
        _require(cls, state)
        moves.prepare(ctx, cls, state, previous)
    _accounts(ctx, cls, state)
    _due(ctx, cls, state, party, before, body)
    _number(ctx, cls, state, before)


def _require(cls: type[Record], state: dict[str, Any]) -> None:
    wire.require(cls, state)


def _party(ctx: Ctx, cls: type[Record], state: dict[str, Any]) -> Customer | Vendor | None:
    if "CustomerRef" in wire.fields(cls):
        return ctx.db.get(Customer, int(state["CustomerRef"])) if state.get("CustomerRef") else None
    if "VendorRef" in wire.fields(cls):
        return ctx.db.get(Vendor, int(state["VendorRef"])) if state.get("VendorRef") else None
    return None


def _currency(
    ctx: Ctx, state: dict[str, Any], party: Customer | Vendor | None, old: Transaction | None, body: dict[str, Any]
) -> None:
    home = home_currency(ctx)
    own = party.CurrencyRef if party else home
    state["CurrencyRef"] = state.get("CurrencyRef") or own
    current = rate_of(ctx, state["CurrencyRef"])
    if party and state["CurrencyRef"] != own:
        raise faults.business(f"The transaction's currency must be that of {party.DisplayName}: {own}.", "CurrencyRef")
    if state["CurrencyRef"] == home:
        state["ExchangeRate"] = 1
    elif not body.get("ExchangeRate"):
        state["ExchangeRate"] = old.ExchangeRate if old is not None else current
    if not 0 < state["ExchangeRate"] <= 1_000_000:
        raise faults.number("ExchangeRate", state["ExchangeRate"])


def _addresses(state: dict[str, Any], party: Customer | Vendor | None) -> None:
    if isinstance(party, Customer):
        state["BillAddr"] = state["BillAddr"] or party.BillAddr
        state["ShipAddr"] = state["ShipAddr"] or party.ShipAddr


def _due(
    ctx: Ctx, cls: type[Record], state: dict[str, Any], party: Customer | Vendor | None, old: Transaction | None, body: dict[str, Any]
) -> None:  # fmt: skip
    """The due day follows from the form's terms, else its party's, where it is not given. A form moved to another day takes along a due
    day that followed from the terms, and keeps one that was set."""
    if cls not in (Invoice, Bill):
        return
    own = party.SalesTermRef if isinstance(party, Customer) else party.TermRef if party else None
    key = state["SalesTermRef"] or own
    term = ctx.db.get(Term, int(key)) if key else None
    followed = old is not None and state["DueDate"] == due_day(old.TxnDate, term)
    if not body.get("DueDate") and (not state["DueDate"] or body.get("SalesTermRef") or followed):
        state["DueDate"] = due_day(state["TxnDate"], term)
    if state["DueDate"] < state["TxnDate"]:
        raise faults.business("The due date must be on or after the transaction's date.", "DueDate")


def due_day(day: str, term: Term | None) -> str:
    """When a form of a day is due by its terms."""
    start = date.fromisoformat(day)
    if start.year > 9000 or term is None:
        return day
    if term.DayOfMonthDue is None:
        return (start + timedelta(days=term.DueDays or 0)).isoformat()
    month = start.replace(day=1)
    if start.day > term.DayOfMonthDue - (term.DueNextMonthDays or 0):
        month = (month + timedelta(days=32)).replace(day=1)
    last = ((month + timedelta(days=32)).replace(day=1) - timedelta(days=1)).day
    return month.replace(day=min(term.DayOfMonthDue, last)).isoformat()


def _number(ctx: Ctx, cls: type[Record], state: dict[str, Any], old: Transaction | None) -> None:
    """Sales forms and orders get the next number where none is given. 6140 for a number that another form of the type has."""
    if (
        cls not in (Payment, Transfer, Deposit, BillPayment, Purchase, JournalEntry)
        and state["DocNumber"]
        and (old is None or old.DocNumber != state["DocNumber"])
    ):
        same = ctx.db.find(cls, DocNumber=state["DocNumber"])
        if cls in (Bill,) or not issubclass(cls, _NUMBERED):
            same = [row for row in same if getattr(row, "VendorRef", None) == state["VendorRef"]]
        allowed = "allowduplicatedocnum" in ctx.request.query.get("include", "")
        if same and not allowed and (old is None or same[0].Id != old.Id):
            raise faults.duplicate_number(state["DocNumber"], cls.__name__, same[0].Id)
    if state["DocNumber"] or not issubclass(cls, _NUMBERED) or (issubclass(cls, SalesForm) and _custom_numbers(ctx)):
        return
    family = (
        [Invoice, Estimate, *(c for c in SalesForm.__subclasses__() if c not in (Invoice, Estimate))]
        if issubclass(cls, SalesForm)
        else [cls]
    )
    last = max(
        (row for kind in family for row in ctx.db.find(kind, order="-Id", limit=1, DocNumber__null=False)),
        key=lambda row: row.Id,
        default=None,
    )
    number = following(last.DocNumber if isinstance(last, Transaction) and last.DocNumber else "1000")
    while ctx.db.first(cls, DocNumber=number):
        number = following(number)
    state["DocNumber"] = number


def _custom_numbers(ctx: Ctx) -> bool:
    """Whether people number sales forms themselves: then one without a number stays so."""
    preferences = ctx.db.first(Preferences)
    return preferences is not None and preferences.SalesFormsPrefs.get("CustomTxnNumbers") is True


def following(number: str) -> str:
    """The next number of a series: its last digits count on."""
    found = re.search(r"([0-9]+)(\D*)$", number)
    if not found:
        return f"{number[:17]}-1"
    return (number[: found.start()] + str(int(found[1]) + 1).zfill(len(found[1])) + found[2])[:21]


def _spending(ctx: Ctx, state: dict[str, Any], body: dict[str, Any]) -> None:
    """A purchase's account fits how it was paid, and its payee is somebody."""
    account = ctx.require(Account, int(state["AccountRef"]))
    if account.AccountType not in SPENDING[state["PaymentType"]]:
        raise faults.business(
            f"A {state['PaymentType']} purchase is paid from an account of type {' or '.join(SPENDING[state['PaymentType']])}.",
            "AccountRef",
        )
    if state["Credit"] and state["PaymentType"] != "CreditCard":
        raise faults.business("Only a credit card purchase can be a credit.", "Credit")
    if isinstance(body.get("EntityRef"), dict):
        kind = body["EntityRef"].get("type") or "Vendor"
        if kind not in ("Vendor", "Customer", "Employee"):
            raise faults.enumeration(kind, "EntityRef")
        wire.reference(ctx, body["EntityRef"], "EntityRef.value", kind)
        state["EntityType"] = kind
    if not state["EntityRef"]:
        state["EntityType"] = None
    if account.CurrencyRef != home_currency(ctx) and state["CurrencyRef"] != account.CurrencyRef:
        state["CurrencyRef"], state["ExchangeRate"] = account.CurrencyRef, rate_of(ctx, account.CurrencyRef)


def _accounts(ctx: Ctx, cls: type[Record], state: dict[str, Any]) -> None:
    """Accounts that a form names must be of the type that it posts to there."""
    if cls in (Payment, SalesReceipt) and not state["DepositToAccountRef"]:
        state["DepositToAccountRef"] = str(system(ctx, "undeposited").Id)
    if cls in (Bill, VendorCredit) and not state["APAccountRef"]:
        state["APAccountRef"] = str(system(ctx, "payable", state["CurrencyRef"]).Id)
    wanted = {
        "DepositToAccountRef": HOLDING,
        "ARAccountRef": ("Accounts Receivable",),
        "APAccountRef": ("Accounts Payable",),
    }
    for name, types in wanted.items():
        if state.get(name):
            account = ctx.require(Account, int(state[name]))
            if account.AccountType not in types:
                raise faults.business(f"The {name} must be an account of type {' or '.join(types)}.", name)
            if name != "DepositToAccountRef" and account.CurrencyRef != state["CurrencyRef"]:
                raise faults.business(f"The {name} must be an account in {state['CurrencyRef']}.", name)
    if cls is BillPayment:
        detail, member, kind = (
            ("CheckPayment", "BankAccountRef", "Bank")
            if state["PayType"] == "Check"
            else ("CreditCardPayment", "CCAccountRef", "Credit Card")
        )
        given = state.get(detail) or {}
        if not given.get(member):
            raise faults.missing(member)
        key = wire.reference(ctx, given[member], member, "Account")
        if ctx.require(Account, int(key)).AccountType != kind:
            raise faults.business(f"The {member} must be an account of type {kind}.", member)
        state[detail] = {
            **{k: v for k, v in given.items() if k == "PrintStatus" and isinstance(v, str)},
            member: {"value": key},
        }
        state["CreditCardPayment" if detail == "CheckPayment" else "CheckPayment"] = None
    if isinstance(state.get("CashBack"), dict) and not value(state["CashBack"].get("AccountRef")):
        raise faults.missing("AccountRef")
