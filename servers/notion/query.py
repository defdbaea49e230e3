"""Queries of a data source: filters of conditions joined by `and` and `or`, and sorts.

https://developers.notion.com/reference/filter-data-source-entries
"""

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from legoenv_mcp.app import Ctx

from .check import array, choice, enum, failed, obj, refuse, text, told, validation
from .conditions import CHECKBOX, DATE, FAMILIES, NUMBER, TEXT, one_condition
from .dates import moment, shown_time
from .models import DataSource, Page
from .richtext import plain
from .schema import find
from .shown import value

Matches = Callable[[Page], bool]
_NESTED = 2
"""Compound filters may stand in a compound filter, and no deeper."""
_FORMULA = {"string": TEXT, "checkbox": CHECKBOX, "number": NUMBER, "date": DATE}
_SUBFILTERS = (
    "rich_text",
    "number",
    "checkbox",
    "select",
    "multi_select",
    "relation",
    "date",
    "people",
    "files",
    "status",
)


def fact(kind: str, made: Any) -> Any:
    """A shown value as conditions test it."""
    if made is None:
        return [] if kind in ("people", "files", "relation", "multi_select") else None
    match kind:
        case "title" | "rich_text":
            return plain(made)
        case "select" | "status":
            return made["name"]
        case "multi_select":
            return [one["name"] for one in made]
        case "people" | "relation":
            return [one["id"] for one in made]
        case "created_by" | "last_edited_by":
            return [made["id"]]
        case "created_time" | "last_edited_time":
            return {"start": made, "end": None}
        case "unique_id":
            return made["number"]
        case "formula":
            return made[made["type"]]
        case _:
            return made


def matcher(ctx: Ctx, source: DataSource, given: Any, path: str, level: int = 0) -> Matches:
    """A filter as a test of pages."""
    if not isinstance(given, dict):
        refuse(path, "an object", given)
    joined = [word for word in ("and", "or") if word in given]
    if joined:
        word = joined[0]
        if level >= _NESTED:
            refuse(f"{path}.{word}", "not present", given[word])
        for name in given:
            if name != word:
                refuse(f"{path}.{name}", "not present", given[name])
        if not isinstance(given[word], list):
            refuse(f"{path}.{word}", "an array", given[word])
        if len(given[word]) > 100:
            refuse(f"{path}.{word}.length", "≤ `100`", len(given[word]))
        parts = [matcher(ctx, source, one, f"{path}.{word}[{i}]", level + 1) for i, one in enumerate(given[word])]
        together = all if word == "and" else any
        return lambda page: together(part(page) for part in parts) if parts else True
    if "timestamp" in given:
        return _by_timestamp(ctx, given, path)
    if "property" not in given:
        raise failed(*(told(f"{path}.{name}", "defined") for name in ("or", "and", "property", "timestamp")))
    return _by_property(ctx, source, given, path)


def _by_timestamp(ctx: Ctx, given: dict[str, Any], path: str) -> Matches:
    kind = enum("created_time", "last_edited_time")(ctx, given["timestamp"], f"{path}.timestamp")
    for name in given:
        if name not in ("timestamp", "type", kind):
            refuse(f"{path}.{name}", "not present", given[name])
    if kind not in given:
        refuse(f"{path}.{kind}", "defined")
    test, operand = one_condition(ctx, DATE, given[kind], f"{path}.{kind}")
    return lambda page: test(ctx, {"start": shown_time(getattr(page, kind)), "end": None}, operand)


def _by_property(ctx: Ctx, source: DataSource, given: dict[str, Any], path: str) -> Matches:
    name = text(200)(ctx, given["property"], f"{path}.property")
    key = find(source.properties, name)
    if key is None:
        raise validation(f"Could not find property with name or id: {name}")
    one = source.properties[key]
    kind = one["type"]
    asked = [word for word in given if word not in ("property", "type")]
    if not asked:
        raise failed(
            *(
                told(f"{path}.{word}", "defined")
                for word in (kind, "title", "rich_text")
                if word == kind or kind == "title"
            )
        )
    if len(asked) > 1:
        refuse(f"{path}.{asked[1]}", "not present", given[asked[1]])
    word = asked[0]
    if word not in FAMILIES and word not in ("formula", "rollup"):
        refuse(f"{path}.{word}", "not present", given[word])
    # A filter of text may stand for one of any property that is text.
    alike = word == kind or (FAMILIES.get(word) is TEXT and FAMILIES.get(kind) is TEXT)
    if not alike:
        raise validation(
            "The property type in the database does not match the property type of the filter provided: "
            f"database property {kind} does not match filter {word}"
        )
    here = f"{path}.{word}"

    def shown(page: Page) -> Any:
        return value(ctx, page, source, key)

    if kind == "formula":
        return _by_formula(ctx, given[word], here, shown)
    if kind == "rollup":
        return _by_rollup(ctx, given[word], here, shown)
    test, operand = one_condition(ctx, FAMILIES[kind], given[word], here)
    _known_options(one, kind, given[word], operand)
    return lambda page: test(ctx, fact(kind, shown(page)), operand)


def _known_options(one: dict[str, Any], kind: str, given: dict[str, Any], operand: Any) -> None:
    if kind not in ("select", "status", "multi_select") or not isinstance(operand, list):
        return
    names = [o["name"] for o in one["config"]["options"]]
    for wanted in operand:
        if wanted not in names:
            there = ", ".join(f'"{name}"' for name in names)
            raise validation(
                f'{kind} option "{wanted}" not found for property "{one["name"]}". Available options: {there}'
            )


def _by_formula(ctx: Ctx, given: Any, path: str, shown: Callable[[Page], Any]) -> Matches:
    if not isinstance(given, dict) or len(given) != 1 or next(iter(given)) not in _FORMULA:
        raise failed(*(told(f"{path}.{word}", "defined") for word in _FORMULA))
    word = next(iter(given))
    test, operand = one_condition(ctx, _FORMULA[word], given[word], f"{path}.{word}")
    kind = "boolean" if word == "checkbox" else word

    def matches(page: Page) -> bool:
        made = shown(page)
        held = made[made["type"]]
        return (made["type"] == kind or held is None) and test(ctx, held, operand)

    return matches


def _by_rollup(ctx: Ctx, given: Any, path: str, shown: Callable[[Page], Any]) -> Matches:
    words = ("any", "every", "none", "number", "date")
    if not isinstance(given, dict) or len(given) != 1 or next(iter(given)) not in words:
        raise failed(*(told(f"{path}.{word}", "defined") for word in words))
    word = next(iter(given))
    if word in ("number", "date"):
        test, operand = one_condition(ctx, NUMBER if word == "number" else DATE, given[word], f"{path}.{word}")

        def single(page: Page) -> bool:
            made = shown(page)
            return made["type"] == word and test(ctx, made[word], operand)

        return single
    inner = given[word]
    if not isinstance(inner, dict) or len(inner) != 1 or next(iter(inner)) not in _SUBFILTERS:
        raise failed(*(told(f"{path}.{word}.{one}", "defined") for one in _SUBFILTERS))
    kind = next(iter(inner))
    test, operand = one_condition(ctx, FAMILIES[kind], inner[kind], f"{path}.{word}.{kind}")
    together: Callable[..., bool] = {"any": any, "every": all, "none": lambda found: not any(found)}[word]

    def over(page: Page) -> bool:
        made = shown(page)
        found = made.get("array", [])
        return together(
            (one["type"] == kind or FAMILIES.get(one["type"]) is FAMILIES[kind])
            and test(ctx, fact(one["type"], one[one["type"]]), operand)
            for one in found
        )

    return over


# Sorts

_sort = obj(
    {"property": text(200), "timestamp": enum("created_time", "last_edited_time"), "direction": enum("ascending", "descending")}
)  # fmt: skip


def arranged(ctx: Ctx, source: DataSource, pages: list[Page], given: Any, path: str) -> list[Page]:
    """Pages in the order of the sorts; empty values last. Without sorts the newest comes first."""
    ordered = sorted(pages, key=lambda page: (page.created_time, page.position, page.id), reverse=True)
    sorts = array(_sort)(ctx, given, path)
    for i, one in enumerate(sorts):
        if "direction" not in one:
            refuse(f"{path}[{i}].direction", choice(("ascending", "descending")))
        if ("property" in one) == ("timestamp" in one):
            raise failed(told(f"{path}[{i}].property", "defined"), told(f"{path}[{i}].timestamp", "defined"))
        if "property" in one and find(source.properties, one["property"]) is None:
            raise validation(f"Could not find sort property with name or id: {one['property']}")
    for one in reversed(sorts):
        ordered = _by(ctx, source, ordered, one)
    return ordered


def _by(ctx: Ctx, source: DataSource, pages: list[Page], one: dict[str, Any]) -> list[Page]:
    if "timestamp" in one:
        keys = {page.id: getattr(page, one["timestamp"]) for page in pages}
    else:
        key = find(source.properties, one["property"])
        assert key is not None
        keys = {page.id: _rank(source.properties[key], value(ctx, page, source, key)) for page in pages}
    full = [page for page in pages if keys[page.id] is not None]
    blank = [page for page in pages if keys[page.id] is None]

    def compare(a: Page, b: Page) -> int:
        x: Any = keys[a.id]
        y: Any = keys[b.id]
        if type(x) is not type(y) and not (isinstance(x, (int, float)) and isinstance(y, (int, float))):
            x, y = str(x), str(y)
        return (x > y) - (x < y)

    return sorted(full, key=cmp_to_key(compare), reverse=one["direction"] == "descending") + blank


def _rank(one: dict[str, Any], shown: Any) -> Any:
    """What a value sorts by; options by their order in the schema."""
    kind = one["type"]
    if kind in ("select", "status", "multi_select"):
        order = [o["id"] for o in one["config"]["options"]]
        first = (shown[0] if shown else None) if kind == "multi_select" else shown
        return order.index(first["id"]) if first else None
    if kind == "rollup":
        held = shown.get("number") if shown["type"] == "number" else len(shown.get("array", []))
        return held
    made = fact(kind, shown)
    if isinstance(made, dict):
        return moment(made["start"]).timestamp()
    if kind in ("people", "created_by", "last_edited_by"):
        people = shown if isinstance(shown, list) else [shown]
        return (people[0].get("name") or "").casefold() if people else None
    if isinstance(made, list):
        return len(made) or None
    return made.casefold() if isinstance(made, str) and made else None if made == "" else made
