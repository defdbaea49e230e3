"""What each kind of transaction posts."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from legoenv_mcp.app import Ctx

from .. import faults
from ..books import Leg, converted, system, value
from ..models import (
    Account,
    Bill,
    BillPayment,
    CreditMemo,
    Deposit,
    Invoice,
    Item,
    JournalEntry,
    Link,
    Payment,
    Purchase,
    RefundReceipt,
    SalesReceipt,
    Transaction,
    Transfer,
    VendorCredit,
)
from ..models.purchases import PurchaseForm
from ..models.sales import SalesForm
from ..resources import home_currency
from ..wire import cents, lookup


def of(ctx: Ctx, row: Transaction) -> list[Leg]:
    """The sides of a transaction's entry; none for what only says what may come (estimates, orders)."""
    make: dict[type[Transaction], Callable[[], list[Leg]]] = {
        Invoice: lambda: _sale(ctx, row, 1), SalesReceipt: lambda: _sale(ctx, row, 1), CreditMemo: lambda: _sale(ctx, row, -1),
        RefundReceipt: lambda: _sale(ctx, row, -1), Bill: lambda: _purchase(ctx, row, 1), VendorCredit: lambda: _purchase(ctx, row, -1),
        Purchase: lambda: _purchase(ctx, row, -1 if isinstance(row, Purchase) and row.Credit else 1), Payment: lambda: _receipt(ctx, row),
        BillPayment: lambda: _receipt(ctx, row), JournalEntry: lambda: _journal(row), Transfer: lambda: _transfer(row),
        Deposit: lambda: _deposit(ctx, row),
    }  # fmt: skip
    legs = make[type(row)]() if type(row) in make and not row.Voided else []
    home = home_currency(ctx)
    for leg in legs:
        account = ctx.require(Account, leg.account)
        if account.CurrencyRef not in (home, row.CurrencyRef):
            raise faults.business(
                f"{account.Name} is an account in {account.CurrencyRef}; the transaction is in {row.CurrencyRef}.",
                "AccountRef",
            )
        if account.AccountType in PARTIES and leg.entity[0] != PARTIES[account.AccountType]:
            raise faults.business(party_needed(account.AccountType), "AccountRef")
    return legs


PARTIES = {"Accounts Receivable": "Customer", "Accounts Payable": "Vendor"}
"""Whose the entries on such an account are."""


def party_needed(kind: str) -> str:
    return f"When you use {kind}, you must choose a {PARTIES[kind].lower()} in the Name field."


def quantities(ctx: Ctx, row: Transaction | None) -> dict[int, float]:
    """What a transaction does to the quantities of inventory items: sales take out, purchases bring in."""
    found = dict[int, float]()
    if (
        row is None
        or row.Voided
        or not isinstance(row, (Invoice, SalesReceipt, CreditMemo, RefundReceipt, Bill, VendorCredit, Purchase))
    ):
        return found
    back = isinstance(row, (CreditMemo, RefundReceipt, VendorCredit)) or (isinstance(row, Purchase) and row.Credit)
    sign = (-1 if isinstance(row, SalesForm) else 1) * (-1 if back else 1)
    for line in row.Line:
        detail = line.get("SalesItemLineDetail") or line.get("ItemBasedExpenseLineDetail")
        if detail and (item := ctx.db.get(Item, int(value(detail.get("ItemRef")) or 0))) and item.Type == "Inventory":
            found[item.Id] = found.get(item.Id, 0) + sign * (detail.get("Qty") or 0)
    return found


def _common(row: Transaction, detail: dict[str, Any]) -> dict[str, Any]:
    return {
        "class_": value(detail.get("ClassRef")) or str(getattr(row, "ClassRef", None) or ""),
        "department": value(detail.get("DepartmentRef")) or str(getattr(row, "DepartmentRef", None) or ""),
    }


def _sale(ctx: Ctx, row: Transaction, sign: int) -> list[Leg]:
    """Against receivables, or the account that the money went to or came from."""
    assert isinstance(row, SalesForm)
    who = ("Customer", row.CustomerRef)
    if isinstance(row, (Invoice, CreditMemo)):
        against = system(ctx, "receivable", row.CurrencyRef).Id
    else:
        against = int(getattr(row, "DepositToAccountRef", None) or system(ctx, "undeposited").Id)
    legs = [
        Leg(
            account=against,
            cents=sign * cents(row.TotalAmt),
            entity=who,
            memo=row.PrivateNote or "",
            **_common(row, {}),
        )
    ]
    for line in row.Line:
        memo = str(line.get("Description", ""))
        if (detail := line.get("SalesItemLineDetail")) is not None:
            item = ctx.require(Item, int(value(detail["ItemRef"])))
            account = value(detail.get("ItemAccountRef")) or item.IncomeAccountRef or ""
            common = {**_common(row, detail), "item": str(item.Id), "memo": memo}
            legs.append(Leg(account=int(account), cents=-sign * cents(line["Amount"]), entity=who, **common))
            if item.Type == "Inventory":
                cost = cents(Decimal(str(detail.get("Qty") or 0)) * Decimal(str(item.PurchaseCost or 0)))
                foreign = round(cost / row.ExchangeRate)
                sold, held = int(item.ExpenseAccountRef or 0), int(item.AssetAccountRef or 0)
                legs += [
                    Leg(account=sold, cents=sign * foreign, home=sign * cost, entity=who, **common),
                    Leg(account=held, cents=-sign * foreign, home=-sign * cost, entity=who, **common),
                ]
        elif (detail := line.get("DiscountLineDetail")) is not None:
            account = int(value(detail["DiscountAccountRef"]))
            legs.append(
                Leg(account=account, cents=sign * cents(line["Amount"]), entity=who, memo=memo, **_common(row, detail))
            )
    tax = cents((row.TxnTaxDetail or {}).get("TotalTax", 0))
    return [*legs, Leg(account=system(ctx, "tax").Id, cents=-sign * tax, entity=who)] if tax else legs


def _purchase(ctx: Ctx, row: Transaction, sign: int) -> list[Leg]:
    """Against payables, or the account that was paid from."""
    assert isinstance(row, PurchaseForm)
    if isinstance(row, Purchase):
        who, against = (row.EntityType or "", row.EntityRef or ""), int(row.AccountRef)
    else:
        who = ("Vendor", str(getattr(row, "VendorRef", "")))
        against = int(getattr(row, "APAccountRef", None) or system(ctx, "payable", row.CurrencyRef).Id)
    legs = [
        Leg(
            account=against,
            cents=-sign * cents(row.TotalAmt),
            entity=who,
            memo=row.PrivateNote or "",
            **_common(row, {}),
        )
    ]
    for line in row.Line:
        detail = line.get("AccountBasedExpenseLineDetail") or line.get("ItemBasedExpenseLineDetail")
        if not detail:
            continue
        common = {**_common(row, detail), "memo": str(line.get("Description", ""))}
        if "AccountRef" in detail:
            account = int(value(detail["AccountRef"]))
        else:
            item = ctx.require(Item, int(value(detail["ItemRef"])))
            account = int((item.AssetAccountRef if item.Type == "Inventory" else item.ExpenseAccountRef) or 0)
            common["item"] = str(item.Id)
        legs.append(Leg(account=account, cents=sign * cents(line["Amount"]), entity=who, **common))
    return legs


def _receipt(ctx: Ctx, row: Transaction) -> list[Leg]:
    """A payment clears what it pays at the rate at which that was booked: the rest is a gain or a loss."""
    total = cents(row.TotalAmt)
    links = ctx.db.find(Link, TxnType=type(row).__name__, TxnId=row.Id)
    booked, applied = 0, 0
    for link in links:
        target = lookup(ctx, link.ToType, str(link.ToId))
        amount = link.amount if link.ToType in ("Invoice", "Bill") else -link.amount
        applied += amount
        booked += converted(amount, target.ExchangeRate if isinstance(target, Transaction) else 1)
    booked += converted(total - applied, row.ExchangeRate)
    if isinstance(row, Payment):
        who, money = ("Customer", row.CustomerRef), int(row.DepositToAccountRef or system(ctx, "undeposited").Id)
        ledger, sign = int(row.ARAccountRef or system(ctx, "receivable", row.CurrencyRef).Id), 1
    else:
        assert isinstance(row, BillPayment)
        detail = (row.CheckPayment or {}).get("BankAccountRef") or (row.CreditCardPayment or {}).get("CCAccountRef")
        who, money = ("Vendor", row.VendorRef), int(value(detail))
        ledger, sign = int(row.APAccountRef or system(ctx, "payable", row.CurrencyRef).Id), -1
    memo = row.PrivateNote or ""
    return [
        Leg(account=money, cents=sign * total, entity=who, memo=memo, **_common(row, {})),
        Leg(account=ledger, cents=-sign * total, home=-sign * booked, entity=who, memo=memo, **_common(row, {})),
    ]


def _journal(row: Transaction) -> list[Leg]:
    legs = list[Leg]()
    for line in row.Line:
        if detail := line.get("JournalEntryLineDetail"):
            entity = detail.get("Entity") or {}
            amount = cents(line["Amount"]) * (1 if detail["PostingType"] == "Debit" else -1)
            who = (str(entity.get("Type", "")), value(entity.get("EntityRef")))
            account = int(value(detail["AccountRef"]))
            legs.append(
                Leg(
                    account=account,
                    cents=amount,
                    entity=who,
                    memo=str(line.get("Description", "")),
                    **_common(row, detail),
                )
            )
    return legs


def _transfer(row: Transaction) -> list[Leg]:
    assert isinstance(row, Transfer)
    amount, memo = cents(row.Amount), row.PrivateNote or ""
    return [
        Leg(account=int(row.ToAccountRef), cents=amount, memo=memo),
        Leg(account=int(row.FromAccountRef), cents=-amount, memo=memo),
    ]


def _deposit(ctx: Ctx, row: Transaction) -> list[Leg]:
    assert isinstance(row, Deposit)
    legs = [Leg(account=int(row.DepositToAccountRef), cents=cents(row.TotalAmt), memo=row.PrivateNote or "")]
    if cash := row.CashBack:
        legs.append(
            Leg(account=int(value(cash["AccountRef"])), cents=cents(cash["Amount"]), memo=str(cash.get("Memo", "")))
        )
    for line in row.Line:
        amount = -cents(line["Amount"])
        if linked := line.get("LinkedTxn"):
            source = lookup(ctx, linked[0]["TxnType"], linked[0]["TxnId"])
            who = str(getattr(source, "CustomerRef", ""))
            legs.append(
                Leg(account=system(ctx, "undeposited").Id, cents=amount, entity=("Customer", who) if who else ("", ""))
            )
        else:
            detail = line["DepositLineDetail"]
            entity = detail.get("Entity") or {}
            who_ = (str(entity.get("type", "")).capitalize(), value(entity))
            legs.append(
                Leg(
                    account=int(value(detail["AccountRef"])),
                    cents=amount,
                    entity=who_,
                    memo=str(line.get("Description", "")),
                    **_common(row, detail),
                )
            )
    return legs


def opening(ctx: Ctx, item: Item) -> list[Leg]:
    """What an inventory item's first quantity is worth."""
    worth = cents(Decimal(str(item.QtyOnHand or 0)) * Decimal(str(item.PurchaseCost or 0)))
    return [
        Leg(account=int(item.AssetAccountRef or 0), cents=worth),
        Leg(account=system(ctx, "opening").Id, cents=-worth),
    ]
