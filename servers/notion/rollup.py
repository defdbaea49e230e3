"""Rollups: one property of all related pages, taken together. https://developers.notion.com/reference/property-object#rollup"""

from collections.abc import Callable
from statistics import mean, median
from typing import Any

from legoenv_mcp.app import Ctx

from .dates import moment
from .models import DataSource, Page
from .schema import Property

_COUNTS = ("count", "count_values", "empty", "not_empty", "unique", "percent_empty", "percent_not_empty", "checked", "unchecked",
           "percent_checked", "percent_unchecked", "count_per_group", "percent_per_group")  # fmt: skip
_NUMBERS: dict[str, Callable[[list[float]], float]] = {
    "sum": sum, "average": mean, "median": median, "min": min, "max": max, "range": lambda all_: max(all_) - min(all_),
}  # fmt: skip


def computed(ctx: Ctx, page: Page, source: DataSource, one: Property, value: Callable[..., Any]) -> dict[str, Any]:
    """The rollup as it is shown; `value` shows a property of a related page."""
    config = one["config"]
    function = config["function"]
    relation = source.properties.get(config["relation"])
    target = ctx.db.get(DataSource, relation["config"].get("data_source_id", "")) if relation else None
    rolled = target.properties.get(config["property"]) if target else None
    if target is None or rolled is None:
        return {"type": "unsupported", "unsupported": {}, "function": function}
    kind = rolled["type"]
    found = list[Any]()
    for key in page.properties.get(config["relation"]) or ():
        other = ctx.db.get(Page, key)
        if other is not None and not other.in_trash:
            found.append(value(ctx, other, target, config["property"], deep=False))
    if function in ("show_original", "show_unique"):
        shown = [{"type": kind, kind: each} for each in found]
        if function == "show_unique":
            shown = list({repr(each): each for each in shown}.values())
        return {"type": "array", "array": shown, "function": function}
    if function in ("earliest_date", "latest_date", "date_range"):
        return _dates(found, kind, function)
    return {"type": "number", "number": _number(found, kind, function), "function": function}


def _plain(kind: str, each: Any) -> Any:
    if kind == "formula":
        return each[each["type"]]
    if kind == "unique_id":
        return each["number"]
    return each


def _number(found: list[Any], kind: str, function: str) -> float | None:
    values = [_plain(kind, each) for each in found]
    full = [each for each in values if each not in (None, "", [], False)]
    if function in _COUNTS:
        checked = sum(each is True for each in values)
        counts: dict[str, float] = {
            "count": len(values), "empty": len(values) - len(full), "not_empty": len(full), "unique": len({repr(each) for each in full}),
            "count_values": sum(len(each) if isinstance(each, list) else 1 for each in full), "checked": checked,
            "unchecked": len(values) - checked, "count_per_group": len(values), "percent_per_group": len(values),
        }  # fmt: skip
        name = (
            function.removeprefix("percent_")
            if function.startswith("percent_") and function != "percent_per_group"
            else function
        )
        return (counts[name] / len(values) if values else 0) if name != function else counts[name]
    numbers: list[float] = [each for each in values if isinstance(each, (int, float)) and not isinstance(each, bool)]
    if not numbers:
        return 0 if function == "sum" else None
    made = _NUMBERS[function](numbers)
    return made if abs(made) < 2**53 or isinstance(made, float) else float(made)


def _dates(found: list[Any], kind: str, function: str) -> dict[str, Any]:
    starts = list[str]()
    for each in found:
        made = _plain(kind, each)
        if isinstance(made, dict) and isinstance(made.get("start"), str):
            starts.append(made["start"])
        elif kind in ("created_time", "last_edited_time") and isinstance(made, str):
            starts.append(made)
    if not starts:
        return {"type": "date", "date": None, "function": function}
    first, last = min(starts, key=moment), max(starts, key=moment)
    start, end = {"earliest_date": (first, None), "latest_date": (last, None), "date_range": (first, last)}[function]
    return {"type": "date", "date": {"start": start, "end": end, "time_zone": None}, "function": function}
