"""A page's property values as answers show them, formulas and rollups computed. https://developers.notion.com/reference/page-property-values"""

from datetime import datetime
from typing import Any

from legoenv_mcp.app import Ctx

from . import formula, rollup
from .dates import moment, shown_time
from .models import DataSource, Page, User
from .richtext import fresh, plain
from .schema import Property
from .users import partial_user, user_json

EMPTY: dict[str, Any] = {
    "rich_text": [], "people": [], "files": [], "relation": [], "multi_select": [], "checkbox": False,
}  # fmt: skip


def source_of(ctx: Ctx, page: Page) -> DataSource | None:
    return ctx.db.get(DataSource, page.parent) if page.parent_type == "data_source_id" else None


def _option(one: Property, key: str) -> dict[str, Any] | None:
    found = next((o for o in one["config"]["options"] if o["id"] == key), None)
    return {"id": found["id"], "name": found["name"], "color": found["color"]} if found else None


def value(ctx: Ctx, page: Page, source: DataSource, key: str, *, deep: bool = True) -> Any:
    """What stands under the type's name. Not `deep`: without other pages, so that rollups do not go in circles."""
    one = source.properties[key]
    kind, held = one["type"], page.properties.get(key)
    match kind:
        case "title":
            return fresh(ctx, page.rich_title)
        case "rich_text":
            return fresh(ctx, held or [])
        case "select" | "status":
            return _option(one, held) if held else None
        case "multi_select":
            return [o for each in held or () if (o := _option(one, each))]
        case "people":
            return [user_json(ctx, user) for each in held or () if (user := ctx.db.get(User, each))]
        case "relation":
            related = (ctx.db.get(Page, each) for each in held or ())
            return [{"id": one.id} for one in related if one is not None and not one.in_trash]
        case "unique_id":
            return {"prefix": one["config"]["prefix"], "number": held}
        case "created_time" | "last_edited_time":
            return shown_time(getattr(page, kind))
        case "created_by" | "last_edited_by":
            user = ctx.db.get(User, getattr(page, kind))
            return user_json(ctx, user) if user else partial_user(getattr(page, kind))
        case "formula":
            return _formula(ctx, page, source, one)
        case "rollup":
            return (
                rollup.computed(ctx, page, source, one, value)
                if deep
                else {"type": "unsupported", "unsupported": {}, "function": one["config"]["function"]}
            )
        case _:
            return EMPTY.get(kind) if held is None else held


FIRST = 25
"""How many pages of a relation, or people, a page shows; the rest is read as a property item."""


def _cut(shown: dict[str, Any]) -> dict[str, Any]:
    kind = shown["type"]
    if kind not in ("relation", "people") or len(shown[kind]) <= FIRST:
        return shown
    return {**shown, kind: shown[kind][:FIRST], **({"has_more": True} if kind == "relation" else {})}


def shown_property(ctx: Ctx, page: Page, source: DataSource, key: str) -> dict[str, Any]:
    kind = source.properties[key]["type"]
    out = {"id": key, "type": kind, kind: value(ctx, page, source, key)}
    return {**out, "has_more": False} if kind == "relation" else out


def shown_properties(ctx: Ctx, page: Page, only: list[str] | None = None) -> dict[str, Any]:
    """All properties by name, or those whose id or name is among `only`."""
    source = source_of(ctx, page)
    if source is None:
        wanted = only is None or "title" in only
        return {"title": {"id": "title", "type": "title", "title": page.rich_title}} if wanted else {}
    return {
        one["name"]: _cut(shown_property(ctx, page, source, key))
        for key, one in source.properties.items()
        if only is None or key in only or one["name"] in only
    }


def _formula(
    ctx: Ctx, page: Page, source: DataSource, one: Property, seen: dict[str, formula.Value] | None = None
) -> dict[str, Any]:
    """`seen` holds what the properties met on the way are; one that follows from itself is nothing."""
    seen = {one["name"]: None} if seen is None else seen

    def prop(name: str) -> formula.Value:
        if name in seen:
            return seen[name]
        seen[name] = None
        key = next((k for k, p in source.properties.items() if p["name"] == name), None)
        if key is not None:
            other = source.properties[key]
            if other["type"] == "formula":
                seen[name] = _typed(_formula(ctx, page, source, other, seen))
            else:
                seen[name] = simple(other["type"], value(ctx, page, source, key, deep=False))
        return seen[name]

    made = formula.evaluate(one["config"]["expression"], prop, ctx.now)
    if isinstance(made, bool):
        return {"type": "boolean", "boolean": made}
    if isinstance(made, datetime):
        return {
            "type": "date",
            "date": {"start": made.isoformat(timespec="milliseconds"), "end": None, "time_zone": None},
        }
    if isinstance(made, (int, float)):
        finite = made == made and abs(made) < 1e300
        return {"type": "number", "number": (int(made) if float(made).is_integer() else made) if finite else None}
    if made is None:
        kind = _kind_of(source, one["name"], {})
        return {"type": kind, kind: None}
    return {"type": "string", "string": made}


def _kind_of(source: DataSource, name: str, seen: dict[str, str]) -> str:
    """The type that a formula sees a property as."""
    if name not in seen:
        seen[name] = "string"
        one = next((p for p in source.properties.values() if p["name"] == name), None)
        if one is not None and one["type"] == "formula":
            seen[name] = formula.kind(one["config"]["expression"], lambda other: _kind_of(source, other, seen))
        elif one is not None:
            seen[name] = _KINDS.get(one["type"], "string")
    return seen[name]


_KINDS = {
    **dict.fromkeys(("number", "relation", "files"), "number"), "checkbox": "boolean",
    **dict.fromkeys(("date", "created_time", "last_edited_time"), "date"),
}  # fmt: skip


def _typed(shown: dict[str, Any]) -> formula.Value:
    made = shown[shown["type"]]
    return moment(made["start"]) if shown["type"] == "date" and made else made


def simple(kind: str, made: Any) -> formula.Value:
    """A shown value as a formula sees it."""
    if made is None:
        return None
    match kind:
        case "title" | "rich_text":
            return plain(made)
        case "number":
            return float(made)
        case "select" | "status":
            return made["name"]
        case "multi_select":
            return ", ".join(one["name"] for one in made)
        case "people":
            return ", ".join(one["name"] or "" for one in made)
        case "created_by" | "last_edited_by":
            return made.get("name") or ""
        case "date":
            return moment(made["start"])
        case "created_time" | "last_edited_time":
            return moment(made)
        case "unique_id":
            return f"{made['prefix']}-{made['number']}" if made["prefix"] else str(made["number"])
        case "relation" | "files":
            return float(len(made))
        case "rollup":
            return None
        case _:
            return made
