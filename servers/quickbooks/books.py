"""Double entry: each transaction's postings, which are the books. Whatever is saved, the debits are the credits."""

from dataclasses import dataclass
from typing import Any

from legoenv_mcp.app import Ctx

from . import faults, wire
from .models import Account, ExchangeRate, Item, Posting, Preferences, Transaction
from .resources import home_currency
from .store import insert

SYSTEM = {
    "receivable": ("Accounts Receivable (A/R)", "Accounts Receivable", "AccountsReceivable"),
    "payable": ("Accounts Payable (A/P)", "Accounts Payable", "AccountsPayable"),
    "undeposited": ("Undeposited Funds", "Other Current Asset", "UndepositedFunds"),
    "inventory": ("Inventory Asset", "Other Current Asset", "Inventory"),
    "opening": ("Opening Balance Equity", "Equity", "OpeningBalanceEquity"),
    "retained": ("Retained Earnings", "Equity", "RetainedEarnings"),
    "discounts": ("Discounts given", "Income", "DiscountsRefundsGiven"),
    "exchange": ("Exchange Gain or Loss", "Other Expense", "ExchangeGainOrLoss"),
    "tax": ("Sales Tax Payable", "Other Current Liability", "SalesTaxPayable"),
    "cogs": ("Cost of Goods Sold", "Cost of Goods Sold", "SuppliesMaterialsCogs"),
}
"""Accounts that QuickBooks posts to by itself: name, type, subtype. They are made when first needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One side of an entry, in cents of the form's currency; debits are positive. `home` overrides what the rate makes of it."""

    account: int
    cents: int
    entity: tuple[str, str] = ("", "")
    class_: str = ""
    department: str = ""
    item: str = ""
    memo: str = ""
    home: int | None = None


def system(ctx: Ctx, role: str, currency: str = "") -> Account:
    """The account of a role. Receivables and payables have one for each currency."""
    name, kind, subtype = SYSTEM[role]
    home = home_currency(ctx)
    currency = currency if role in ("receivable", "payable") and currency else home
    found = ctx.db.first(Account, order="Id", AccountType=kind, AccountSubType=subtype, CurrencyRef=currency)
    if found is not None:
        return found
    shown = name if currency == home else f"{name} - {currency}"
    return insert(ctx, Account, Name=shown, AccountType=kind, AccountSubType=subtype, CurrencyRef=currency)


def rate_of(ctx: Ctx, currency: str) -> float:
    """What a unit of a currency is worth in home currency. 2500 where the company does not use the currency."""
    if currency == home_currency(ctx):
        return 1.0
    found = ctx.db.first(ExchangeRate, order="-AsOfDate", SourceCurrencyCode=currency)
    if found is None:
        raise faults.fault(
            "2500",
            "Invalid Reference Id",
            f"Invalid Reference Id : Currency {currency[:10]} is not active",
            "CurrencyRef",
        )
    return found.Rate


def closed_until(ctx: Ctx) -> str:
    preferences = ctx.db.first(Preferences)
    return str(preferences.AccountingInfoPrefs.get("BookCloseDate") or "") if preferences else ""


def check_open(ctx: Ctx, *days: str) -> None:
    """6210 for a change in a period whose books are closed."""
    until = closed_until(ctx)
    if until and any(day <= until for day in days):
        message = "Account Period Closed, Cannot Update Through Services API"
        detail = (
            "The account period has closed and the account books cannot be updated through through the QBO Services API. "
            "Please use the QBO website to make these changes."
        )
        raise faults.fault("6210", message, detail)


def converted(amount: int, rate: float) -> int:
    """Cents of one currency in another, rounded as all amounts are."""
    return wire.cents(amount * rate / 100)


def unpost(ctx: Ctx, row: Transaction) -> None:
    ctx.db.delete_where(Posting, TxnType=type(row).__name__, TxnId=row.Id)


def post(ctx: Ctx, row: Transaction, legs: list[Leg]) -> None:
    """Replaces a transaction's postings by these, to the cent in both currencies."""
    unpost(ctx, row)
    legs = [leg for leg in legs if leg.cents or leg.home]
    if not legs:
        return
    homes = [leg.home if leg.home is not None else converted(leg.cents, row.ExchangeRate) for leg in legs]
    residue = sum(homes)
    if residue:
        # Cents lost in conversion stay on the largest side behind the first, which others clear; more than that is a gain or a loss.
        free = [n for n, leg in enumerate(legs) if n and leg.home is None] or [0]
        if abs(residue) <= len(legs):
            homes[max(free, key=lambda n: abs(homes[n]))] -= residue
        else:
            legs.append(Leg(account=system(ctx, "exchange").Id, cents=0))
            homes.append(-residue)
    for leg, home in zip(legs, homes, strict=True):
        ctx.db.add(
            Posting(
                id=None, TxnType=type(row).__name__, TxnId=row.Id, TxnDate=row.TxnDate, account=leg.account, amount=home, foreign=leg.cents,
                entity_type=leg.entity[0], entity=leg.entity[1], class_=leg.class_, department=leg.department, item=leg.item, memo=leg.memo,
            )
        )  # fmt: skip


def stock(ctx: Ctx, item: Item, quantity: float) -> None:
    """What comes in (positive) or goes out moves the quantity on hand."""
    ctx.db.update(item, QtyOnHand=round((item.QtyOnHand or 0) + quantity, 5))


def value(reference: Any) -> str:
    """The id that a stored reference holds, or an empty text."""
    return str(reference["value"]) if isinstance(reference, dict) and reference.get("value") else ""
