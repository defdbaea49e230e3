"""The shape that all reports have: a header, columns, and rows within rows."""

from typing import Any

from legoenv_mcp.app import Ctx

from ..resources import home_currency
from .periods import Period

Row = dict[str, Any]


def shown(amount: int | None) -> str:
    """Cents as reports show them; nothing as nothing."""
    return "" if amount is None else f"{amount / 100:.2f}"


def cells(title: str, amounts: list[int | None], key: str = "") -> list[dict[str, str]]:
    return [{"value": title, **({"id": key} if key else {})}, *({"value": shown(amount)} for amount in amounts)]


def data(title: str, amounts: list[int | None], key: str = "") -> Row:
    return {"ColData": cells(title, amounts, key), "type": "Data"}


def section(title: str, rows: list[Row], total: str, amounts: list[int], group: str = "", key: str = "") -> Row:
    """Rows under a heading and over their sum."""
    made: Row = (
        {"Header": {"ColData": cells(title, [None] * len(amounts), key)}, "Rows": {"Row": rows}} if title else {}
    )
    return {
        **made,
        "Summary": {"ColData": cells(total, list(amounts))},
        "type": "Section",
        **({"group": group} if group else {}),
    }


def money_columns(first: str, titles: list[str], keys: list[str] | None = None) -> list[Row]:
    """A column of names and columns of amounts."""
    keys = keys or [title.lower() for title in titles]
    made = [{"ColTitle": "", "ColType": first, "MetaData": [{"Name": "ColKey", "Value": first.lower()}]}]
    made += [
        {"ColTitle": title, "ColType": "Money", "MetaData": [{"Name": "ColKey", "Value": key}]}
        for title, key in zip(titles, keys, strict=True)
    ]
    return made


def report(
    ctx: Ctx, name: str, when: Period, columns: list[Row], rows: list[Row], *, basis: str = "", by: str = "", options: dict[str,
    str] | None = None,
    filters: dict[str, str] | None = None,
) -> Row:  # fmt: skip
    """The whole report."""
    header: Row = {"Time": ctx.timestamp(), "ReportName": name}
    if when.macro:
        header["DateMacro"] = when.macro
    if basis:
        header["ReportBasis"] = basis
    header |= {"StartPeriod": when.start.isoformat(), "EndPeriod": when.end.isoformat()}
    if by:
        header["SummarizeColumnsBy"] = by
    header |= {"Currency": home_currency(ctx), **{k: v for k, v in (filters or {}).items() if v}}
    header["Option"] = [
        {"Name": k, "Value": v} for k, v in {**(options or {}), "NoReportData": "false" if rows else "true"}.items()
    ]
    return {"Header": header, "Columns": {"Column": columns}, "Rows": {"Row": rows} if rows else {}}
