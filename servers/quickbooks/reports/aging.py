"""What customers owe and what vendors are owed, by age."""

from datetime import date
from typing import Any

from legoenv_mcp.app import Ctx

from .. import faults, wire
from ..books import converted
from ..models import Link, Transaction
from ..models.company import Posting
from ..models.names import Account
from ..resources import Showing
from .entries import ids
from .layout import Row, cells, money_columns, report, section
from .periods import FIRST, Period, period

SIDES = {"AgedReceivables": ("Customer", "Accounts Receivable", 1), "AgedPayables": ("Vendor", "Accounts Payable", -1)}


def aging(
    ctx: Ctx,
    name: str,
    report_date: str | None,
    macro: str | None,
    who: str | None,
    method: str | None,
    days: int | None,
    periods: int | None,
) -> Row:
    """A row for each customer or vendor, a column for each age. Ages count from the due day; what is not due yet is current."""
    kind, type_, sign = SIDES[name]
    if method not in (None, "", "Report_Date", "Current"):
        raise faults.enumeration(method[:40] if method else "", "aging_method")
    step, count = days if days is not None else 30, periods if periods is not None else 4
    if not 1 <= step <= 365 or not 1 <= count <= 12:
        raise faults.number(
            "aging_period" if not 1 <= step <= 365 else "num_periods", step if not 1 <= step <= 365 else count
        )
    day = (
        date.fromisoformat(wire.day(report_date, "report_date"))
        if report_date
        else period(ctx, None, None, macro, "Today").end
    )
    today = ctx.now.date() if method == "Current" else day
    titles = [
        "Current",
        *(f"{n * step + 1} - {(n + 1) * step}" for n in range(count - 1)),
        f"{(count - 1) * step + 1} and over",
    ]
    wanted, showing = ids(who), Showing(ctx)
    ages = dict[str, list[int]]()
    for party, due, amount in _open(ctx, kind, type_, day):
        if wanted and party not in wanted:
            continue
        late = (today - date.fromisoformat(due)).days
        column = 0 if late <= 0 else min((late - 1) // step + 1, count)
        ages.setdefault(party, [0] * (count + 1))[column] += sign * amount
    rows = list[Row]()
    kept = {party: row for party, row in ages.items() if any(row)}
    for party in sorted(kept, key=lambda key: showing.name(kind, key).casefold()):
        row = kept[party]
        rows.append(
            {"ColData": cells(showing.name(kind, party), [*(amount or None for amount in row), sum(row)], party)}
        )
    if rows:
        sums = [sum(row[n] for row in kept.values()) for n in range(count + 1)]
        rows.append(section("", [], "TOTAL", [*sums, sum(sums)], "GrandTotal"))
    when = Period(day, day, macro=(macro or "").lower() or ("" if report_date else "today"))
    columns = money_columns(kind, [*titles, "Total"], ["current", *(str(n) for n in range(count)), "total"])
    return report(ctx, name, when, columns, rows, options={"report_date": day.isoformat()}, filters={kind: who or ""})


def _open(ctx: Ctx, kind: str, type_: str, day: date) -> list[tuple[str, str, int]]:
    """Who owes what since when: each document as of a day, less what had been applied to it by then; in cents of home currency."""
    ledger = {account.Id for account in ctx.db.find(Account, AccountType=type_)}
    booked = dict[tuple[str, int], list[Posting]]()
    for posting in ctx.db.find(Posting, TxnDate__le=day.isoformat()):
        if posting.account in ledger and posting.entity_type == kind:
            booked.setdefault((posting.TxnType, posting.TxnId), []).append(posting)
    rows = {key: wire.lookup(ctx, key[0], str(key[1])) for key in booked}
    moved = dict[tuple[str, int], int]()
    for link in ctx.db.find(Link):
        source, target = (link.TxnType, link.TxnId), (link.ToType, link.ToId)
        payer, document = rows.get(source) or wire.lookup(ctx, *_text(source)), rows.get(target)
        # A payment of 0 books nothing, yet it applies a credit to an invoice.
        if (
            not link.amount
            or not isinstance(document, Transaction)
            or not isinstance(payer, Transaction)
            or payer.TxnDate > day.isoformat()
        ):
            continue
        amount = converted(link.amount, document.ExchangeRate) * (
            1 if sum(p.amount for p in booked[target]) > 0 else -1
        )
        moved[target] = moved.get(target, 0) - amount
        moved[source] = moved.get(source, 0) + amount
    found = list[tuple[str, str, int]]()
    for key in {**booked, **moved}:
        row: Any = rows.get(key) or wire.lookup(ctx, *_text(key))
        postings = booked.get(key, [])
        party = postings[0].entity if postings else str(getattr(row, f"{kind}Ref", ""))
        due = str(getattr(row, "DueDate", None) or getattr(row, "TxnDate", FIRST.isoformat()))
        if key[0] == "JournalEntry":
            found += [(p.entity, p.TxnDate, p.amount) for p in postings]
        else:
            found.append((party, due, sum(p.amount for p in postings) + moved.get(key, 0)))
    return found


def _text(key: tuple[str, int]) -> tuple[str, str]:
    return key[0], str(key[1])
