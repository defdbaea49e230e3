"""Which days a report covers, and the columns that they fall into."""

from dataclasses import dataclass
from datetime import date, timedelta

from legoenv_mcp.app import Ctx

from .. import faults, wire

FIRST, LAST = date(1900, 1, 1), date(9999, 1, 31)
SUMMARIES = ("Total", "Days", "Week", "Month", "Quarter", "Year")
MOST_COLUMNS = 60


@dataclass(frozen=True, slots=True)
class Period:
    start: date
    end: date
    title: str = "Total"
    macro: str = ""

    def holds(self, day: str) -> bool:
        return self.start.isoformat() <= day <= self.end.isoformat()


def _month(day: date, months: int = 0) -> date:
    """The first day of the month that is so many months away."""
    number = day.year * 12 + day.month - 1 + months
    return date(min(max(number // 12, 1), 9999), number % 12 + 1, 1)


def _spans(today: date) -> dict[str, tuple[date, date]]:
    week = today - timedelta(days=(today.weekday() + 1) % 7)
    month, quarter, year = _month(today), _month(today, -((today.month - 1) % 3)), today.replace(month=1, day=1)
    day = timedelta(days=1)
    units = {
        "week": (week - 7 * day, week, week + 7 * day, week + 14 * day),
        "month": (_month(month, -1), month, _month(month, 1), _month(month, 2)),
        "fiscal quarter": (_month(quarter, -3), quarter, _month(quarter, 3), _month(quarter, 6)),
        "fiscal year": (_month(year, -12), year, _month(year, 12), _month(year, 24)),
    }
    units |= {"calendar quarter": units["fiscal quarter"], "calendar year": units["fiscal year"]}
    found = {
        "all": (FIRST, LAST),
        "today": (today, today),
        "yesterday": (today - day, today - day),
        "next 4 weeks": (week + 7 * day, week + 34 * day),
    }
    for name, (last, this, following, after) in units.items():
        found |= {
            f"last {name}": (last, this - day), f"this {name}": (this, following - day), f"next {name}": (following, after - day),
            f"this {name}-to-date": (this, today), f"last {name}-to-date": (last, min(last + (today - this), this - day)),
        }  # fmt: skip
    return found


def period(
    ctx: Ctx, start: str | None, end: str | None, macro: str | None, default: str = "This Fiscal Year-to-date"
) -> Period:
    """The days that the parameters mean. Explicit days win over a macro."""
    spans = _spans(ctx.now.date())
    if start or end:
        first = date.fromisoformat(wire.day(start, "start_date")) if start else FIRST
        last = date.fromisoformat(wire.day(end, "end_date")) if end else max(first, ctx.now.date())
        if first > last:
            raise faults.fault(
                "2190", "Invalid Date", "Invalid Date : start_date must not be after end_date", "start_date"
            )
        return Period(first, last)
    name = (macro or default).replace("_", " ").lower()
    if name not in spans:
        raise faults.enumeration((macro or "")[:60], "date_macro")
    return Period(*spans[name], macro=name)


def columns(whole: Period, by: str) -> list[Period]:
    """The period cut into its columns."""
    if by == "Total":
        return [whole]
    made, at = list[Period](), whole.start
    while at <= whole.end:
        if by == "Days":
            after, title = at + timedelta(days=1), f"{at:%b} {at.day}, {at.year}"
        elif by == "Week":
            after = at + timedelta(days=7 - (at.weekday() + 1) % 7)
            last = min(after - timedelta(days=1), whole.end)
            title = f"{at:%b} {at.day} - {last:%b} {last.day}, {at.year}"
        elif by == "Month":
            after, title = _month(at, 1), f"{at:%b} {at.year}"
        elif by == "Quarter":
            after, title = _month(at, 3 - (at.month - 1) % 3), f"Q{(at.month - 1) // 3 + 1} {at.year}"
        else:
            after, title = _month(at, 13 - at.month), str(at.year)
        made.append(Period(at, min(after - timedelta(days=1), whole.end), title))
        if len(made) > MOST_COLUMNS:
            raise faults.fault(
                "4003",
                "Report is too large",
                f"The report would have more than {MOST_COLUMNS} columns.",
                "summarize_column_by",
            )
        at = after
    return made
