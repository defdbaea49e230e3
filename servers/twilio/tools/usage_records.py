"""Usage records. https://www.twilio.com/docs/usage/api/usage-record"""

from collections import defaultdict
from collections.abc import Callable
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Query

from ..app import ACCOUNT, AccountSid, app
from ..lists import PageNumber, PageSize, PageToken, listing
from ..params import only
from ..resources import VERSION, account_sid, root
from ..times import asked
from ..usage import CATEGORIES, Use, units, uses

Category = Literal[
    "sms", "sms-inbound", "sms-outbound", "mms", "mms-inbound", "mms-outbound", "calls", "calls-inbound", "calls-outbound", "phonenumbers",
    "phonenumbers-local", "phonenumbers-tollfree", "phonenumbers-mobile", "recordings", "verify-totals", "totalprice",
]  # fmt: skip
Interval = Literal["Daily", "Monthly", "Yearly", "AllTime", "Today", "Yesterday", "ThisMonth", "LastMonth"]
_SPLIT: dict[str, Callable[[date], tuple[int, ...]]] = {
    "Daily": lambda day: (day.year, day.month, day.day),
    "Monthly": lambda day: (day.year, day.month),
    "Yearly": lambda day: (day.year,),
}


@app.get(f"{ACCOUNT}/Usage/Records", tool="list_usage_records")
def list_usage_records(
    ctx: Ctx, AccountSid: AccountSid = "", Category: Category | MISSING = MISSING, StartDate: str | MISSING = MISSING,
    EndDate: str | MISSING = MISSING, IncludeSubaccounts: Annotated[bool | MISSING, Query(mcp=False)] = MISSING,
    PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists what was used and what it cost, one record a category.

    Category: Only this category.
    StartDate: Only usage from this day on (YYYY-MM-DD).
    EndDate: Only usage up to this day (YYYY-MM-DD).
    """
    return _records(ctx, "", only(Category), only(StartDate), only(EndDate), PageSize, Page, PageToken)


@app.get(f"{ACCOUNT}/Usage/Records/{{Interval}}", tool="list_usage_records_by_interval")
def list_usage_records_by_interval(
    ctx: Ctx, Interval: Interval, AccountSid: AccountSid = "", Category: Category | MISSING = MISSING,
    StartDate: str | MISSING = MISSING, EndDate: str | MISSING = MISSING,
    IncludeSubaccounts: Annotated[bool | MISSING, Query(mcp=False)] = MISSING,
    PageSize: PageSize = MISSING, Page: PageNumber = MISSING, PageToken: PageToken = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists usage split by day, month or year (newest first), or that of one period such as last month.

    Interval: How to split the usage, or which period to show.
    Category: Only this category.
    StartDate: Only usage from this day on (YYYY-MM-DD).
    EndDate: Only usage up to this day (YYYY-MM-DD).
    """
    return _records(ctx, Interval, only(Category), only(StartDate), only(EndDate), PageSize, Page, PageToken)


def _period(interval: str, today: date) -> tuple[date, date]:
    month = today.replace(day=1)
    return {
        "Today": (today, today), "Yesterday": (today - timedelta(days=1), today - timedelta(days=1)), "ThisMonth": (month, today),
        "LastMonth": ((month - timedelta(days=1)).replace(day=1), month - timedelta(days=1)),
    }.get(interval, (date.min, date.max))  # fmt: skip


def _records(
    ctx: Ctx, interval: str, category: str | None, start: str | None, end: str | None, size: Any, page: Any, token: Any
) -> dict[str, Any]:  # fmt: skip
    low, high = _period(interval, ctx.now.date())
    if start:
        low = max(low, date.fromisoformat(asked("StartDate", start)[:10]))
    if end:
        high = min(high, date.fromisoformat(asked("EndDate", end)[:10]))
    split = _SPLIT.get(interval, lambda _: ())
    sums = defaultdict[tuple[tuple[int, ...], str], list[Use]](list)
    found = [use for use in uses(ctx) if low <= use.day <= high]
    for use in found:
        for name in (*use.categories, "totalprice"):
            sums[split(use.day), name].append(use)
    if interval not in _SPLIT:  # a period has a record of every category, also of those not used
        for name in CATEGORIES:
            sums.setdefault(((), name), [])
    order = {name: n for n, name in enumerate(CATEGORIES)}
    keys = sorted(sums, key=lambda key: (tuple(-part for part in key[0]), order[key[1]]))
    first = min((use.day for use in found), default=ctx.now.date())
    rows = [
        {"key": f"{'-'.join(map(str, when))}.{name}", "name": name, "uses": sums[when, name], "when": when}
        for when, name in keys
        if category in (None, name)
    ]
    path = f"{root(ctx)}/Usage/Records{f'/{interval}' if interval else ''}.json"

    def show(ctx: Ctx, row: dict[str, Any]) -> dict[str, Any]:
        begins, ends = _bounds(row["when"], low, high, first, ctx.now.date())
        return _record(ctx, row["name"], row["uses"], begins, ends)

    return listing(ctx, path, "usage_records", rows, show, size, page, token, key=lambda row: row["key"])


def _bounds(when: tuple[int, ...], low: date, high: date, first: date, today: date) -> tuple[date, date]:
    """The days that a record is about: its part of the whole period."""
    begin = first if low == date.min else low
    end = today if high == date.max else high
    if len(when) == 3:
        return date(*when), date(*when)
    if len(when) == 2:
        year, month = when
        last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        return max(begin, date(year, month, 1)), min(end, last)
    if len(when) == 1:
        return max(begin, date(when[0], 1, 1)), min(end, date(when[0], 12, 31))
    return begin, end


def _record(ctx: Ctx, name: str, found: list[Use], begin: date, end: date) -> dict[str, Any]:
    price = sum(use.price for use in found)
    count_unit, usage_unit = units(name)
    amount = price if name == "totalprice" else sum(use.usage for use in found)
    uri = f"{root(ctx)}/Usage/Records"
    return {
        "account_sid": account_sid(ctx), "api_version": VERSION, "as_of": ctx.timestamp().replace("Z", "+00:00"), "category": name,
        "description": CATEGORIES[name], "count": "" if name == "totalprice" else str(sum(use.count for use in found)),
        "count_unit": count_unit, "usage": f"{amount:.5f}" if name == "totalprice" else str(amount), "usage_unit": usage_unit,
        "price": f"{price:.5f}", "price_unit": "usd", "start_date": begin.isoformat(), "end_date": end.isoformat(),
        "uri": f"{uri}.json?Category={name}&StartDate={begin}&EndDate={end}",
        "subresource_uris": {part.lower(): f"{uri}/{part}.json?Category={name}" for part in ("Daily", "Monthly", "Yearly", "AllTime")},
    }  # fmt: skip
