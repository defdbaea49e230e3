"""Profit and loss, balance sheet, trial balance."""

from datetime import date, timedelta

from legoenv_mcp.app import Ctx

from .. import faults
from ..books import SYSTEM
from ..models import Account
from .entries import Entry, basis_of, by_account, entries, sign, totals
from .layout import Row, cells, data, money_columns, report, section
from .periods import FIRST, SUMMARIES, Period, columns, period

PROFIT = ("Income", "Cost of Goods Sold", "Expense", "Other Income", "Other Expense")


def _summary(by: str | None) -> str:
    name = (by or "Total").rstrip("s") if by not in (None, "Days") else by or "Total"
    if name not in SUMMARIES:
        raise faults.enumeration((by or "")[:40], "summarize_column_by")
    return name


def _tree(accounts: list[Account], amounts: dict[int, list[int]], width: int, parent: str | None = None) -> list[Row]:
    """Accounts with their subaccounts below them, those without an amount left out."""
    rows = list[Row]()
    for account in sorted((a for a in accounts if a.ParentRef == parent), key=lambda a: a.Name.casefold()):
        below = _tree(accounts, amounts, width, str(account.Id))
        own = amounts.get(account.Id)
        if below:
            first = [data(account.Name, list(own), str(account.Id))] if own else []
            sums = totals([_sum_of(accounts, amounts, width, account)], width)
            rows.append(section(account.Name, [*first, *below], f"Total {account.Name}", sums, key=str(account.Id)))
        elif own:
            rows.append(data(account.Name, list(own), str(account.Id)))
    return rows


def _sum_of(accounts: list[Account], amounts: dict[int, list[int]], width: int, top: Account) -> list[int]:
    below = [_sum_of(accounts, amounts, width, a) for a in accounts if a.ParentRef == str(top.Id)]
    return totals([amounts.get(top.Id, [0] * width), *below], width)


def _of_types(accounts: list[Account], *types: str) -> list[Account]:
    return [account for account in accounts if account.AccountType in types]


def _amounts(accounts: list[Account], found: dict[int, list[Entry]], cut: list[Period]) -> dict[int, list[int]]:
    """Each account's movement in each column, in its own sense."""
    made = dict[int, list[int]]()
    for account in accounts:
        row = [sign(account) * sum(e.amount for e in found.get(account.Id, []) if part.holds(e.day)) for part in cut]
        if any(row) or any(part.holds(e.day) for e in found.get(account.Id, []) for part in cut):
            made[account.Id] = row
    return made


def _with_total(cut: list[Period], by: str) -> list[Period]:
    whole = Period(cut[0].start, cut[-1].end)
    return [*cut, whole] if by != "Total" else cut


def profit_and_loss(
    ctx: Ctx,
    start: str | None,
    end: str | None,
    macro: str | None,
    method: str | None,
    by: str | None,
    **filters: str | None,
) -> Row:
    """Income less costs, over a period."""
    basis, by = basis_of(ctx, method), _summary(by)
    when = period(ctx, start, end, macro)
    cut = _with_total(columns(when, by), by)
    accounts, width = ctx.db.find(Account), len(cut)
    found = by_account(entries(ctx, basis, **filters))
    amounts = _amounts(_of_types(accounts, *PROFIT), found, cut)
    sums = {
        kind: totals([amounts[a.Id] for a in _of_types(accounts, kind) if a.Id in amounts], width) for kind in PROFIT
    }

    def part(kind: str, title: str, group: str) -> list[Row]:
        rows = _tree(_of_types(accounts, kind), amounts, width)
        return [section(title, rows, f"Total {title}", sums[kind], group)] if rows else []

    gross = [a - b for a, b in zip(sums["Income"], sums["Cost of Goods Sold"], strict=True)]
    operating = [a - b for a, b in zip(gross, sums["Expense"], strict=True)]
    other = [a - b for a, b in zip(sums["Other Income"], sums["Other Expense"], strict=True)]
    net = [a + b for a, b in zip(operating, other, strict=True)]
    rows = [
        *part("Income", "Income", "Income"), *part("Cost of Goods Sold", "Cost of Goods Sold", "COGS"),
        section("", [], "Gross Profit", gross, "GrossProfit"), *part("Expense", "Expenses", "Expenses"),
        section("", [], "Net Operating Income", operating, "NetOperatingIncome"), *part("Other Income", "Other Income", "OtherIncome"),
        *part("Other Expense", "Other Expenses", "OtherExpenses"),
    ]  # fmt: skip
    if any(other):
        rows.append(section("", [], "Net Other Income", other, "NetOtherIncome"))
    rows.append(section("", [], "Net Income", net, "NetIncome"))
    heads = money_columns("Account", [c.title for c in cut])
    return report(
        ctx, "ProfitAndLoss", when, heads, rows if amounts else [], basis=basis, by=by, options={"AccountingStandard": "GAAP"},
        filters=_named(filters),
    )  # fmt: skip


def _named(filters: dict[str, str | None]) -> dict[str, str]:
    words = {"class_": "Class"}
    return {words.get(name, name.capitalize()): value for name, value in filters.items() if value}


def _year_start(day: date) -> date:
    return day.replace(month=1, day=1)


def _equity(accounts: list[Account], found: dict[int, list[Entry]], cut: list[Period]) -> tuple[list[int], list[int]]:
    """Earnings of earlier years and of the current one: no entry moves them, each year's end does."""
    earned = [e for a in _of_types(accounts, *PROFIT) for e in found.get(a.Id, [])]
    past, current = list[int](), list[int]()
    for part in cut:
        first, last = _year_start(part.end).isoformat(), part.end.isoformat()
        past.append(-sum(e.amount for e in earned if e.day < first))
        current.append(-sum(e.amount for e in earned if first <= e.day <= last))
    return past, current


def balance_sheet(
    ctx: Ctx,
    start: str | None,
    end: str | None,
    macro: str | None,
    method: str | None,
    by: str | None,
    **filters: str | None,
) -> Row:
    """What is owned and owed at the end of each column's period."""
    basis, by = basis_of(ctx, method), _summary(by)
    when = period(ctx, start, end, macro)
    cut = [Period(FIRST, part.end, part.title) for part in columns(when, by)]
    accounts, width = ctx.db.find(Account), len(cut)
    found = by_account(entries(ctx, basis, **filters))
    amounts = {
        key: row
        for key, row in _amounts([a for a in accounts if a.AccountType not in PROFIT], found, cut).items()
        if any(row)
    }
    past, current = _equity(accounts, found, cut)
    retained = next((a for a in accounts if a.AccountSubType == SYSTEM["retained"][2]), None)
    if retained is not None:
        amounts[retained.Id] = [a + b for a, b in zip(amounts.get(retained.Id, [0] * width), past, strict=True)]

    def total(*types: str) -> list[int]:
        return totals([amounts[a.Id] for a in _of_types(accounts, *types) if a.Id in amounts], width)

    def part(title: str, group: str, *types: str) -> list[Row]:
        rows = _tree(_of_types(accounts, *types), amounts, width)
        return [section(title, rows, f"Total {title}", total(*types), group)] if rows else []

    def group(title: str, name: str, rows: list[Row], *types: str) -> list[Row]:
        return [section(title, rows, f"Total {title}", total(*types), name)] if rows else []

    liquid = ("Bank", "Accounts Receivable", "Other Current Asset")
    short = ("Accounts Payable", "Credit Card", "Other Current Liability")
    assets = [
        *group("Current Assets", "CurrentAssets", [
            *part("Bank Accounts", "BankAccounts", "Bank"), *part("Accounts Receivable", "AR", "Accounts Receivable"),
            *part("Other Current Assets", "OtherCurrentAssets", "Other Current Asset")], *liquid),
        *part("Fixed Assets", "FixedAssets", "Fixed Asset"), *part("Other Assets", "OtherAssets", "Other Asset"),
    ]  # fmt: skip
    owed = [
        *group("Current Liabilities", "CurrentLiabilities", [
            *part("Accounts Payable", "AP", "Accounts Payable"), *part("Credit Cards", "CreditCards", "Credit Card"),
            *part("Other Current Liabilities", "OtherCurrentLiabilities", "Other Current Liability")], *short),
        *part("Long-Term Liabilities", "LongTermLiabilities", "Long Term Liability"),
    ]  # fmt: skip
    own = [*_tree(_of_types(accounts, "Equity"), amounts, width), data("Net Income", list(current))]
    equity = [a + b for a, b in zip(total("Equity"), current, strict=True)]
    debts = total(*short, "Long Term Liability")
    rows = [
        section("ASSETS", assets, "TOTAL ASSETS", total(*liquid, "Fixed Asset", "Other Asset"), "TotalAssets"),
        section(
            "LIABILITIES AND EQUITY",
            [*([section("Liabilities", owed, "Total Liabilities", debts, "Liabilities")] if owed else []),
             section("Equity", own, "Total Equity", equity, "Equity")],
            "TOTAL LIABILITIES AND EQUITY", [a + b for a, b in zip(debts, equity, strict=True)], "TotalLiabilitiesAndEquity",
        ),
    ]  # fmt: skip
    heads = money_columns("Account", [c.title for c in cut])
    return report(
        ctx,
        "BalanceSheet",
        when,
        heads,
        rows,
        basis=basis,
        by=by,
        options={"AccountingStandard": "GAAP"},
        filters=_named(filters),
    )


def trial_balance(ctx: Ctx, start: str | None, end: str | None, macro: str | None, method: str | None) -> Row:
    """Every account's balance at the end of the period, as a debit or a credit: both columns add up to the same."""
    basis = basis_of(ctx, method)
    when = period(ctx, start, end, macro)
    accounts, found = ctx.db.find(Account, order="Id"), by_account(entries(ctx, basis))
    rows, sums = list[Row](), [0, 0]
    year = Period(_year_start(when.end), when.end)
    before = Period(FIRST, max(year.start - timedelta(days=1), FIRST))
    past = sum(e.amount for a in _of_types(accounts, *PROFIT) for e in found.get(a.Id, []) if before.holds(e.day))
    for account in accounts:
        span = year if account.AccountType in PROFIT else Period(FIRST, when.end)
        balance = sum(e.amount for e in found.get(account.Id, []) if span.holds(e.day))
        if account.AccountSubType == SYSTEM["retained"][2]:
            balance += past
        if balance:
            sides: list[int | None] = [balance, None] if balance > 0 else [None, -balance]
            sums[0 if balance > 0 else 1] += abs(balance)
            rows.append({"ColData": cells(account.Name, sides, str(account.Id))})
    if rows:
        rows.append(section("", [], "TOTAL", sums, "GrandTotal"))
    return report(ctx, "TrialBalance", when, money_columns("Account", ["Debit", "Credit"]), rows, basis=basis)
