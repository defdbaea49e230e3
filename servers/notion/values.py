"""A page's property values: how requests write them and how they are kept. https://developers.notion.com/reference/page-property-values

Kept by property id: text as rich text, options, people and pages by id, the rest as it is shown. An empty value is absent or None.
"""

from typing import Any

from legoenv_mcp.app import Ctx

from .check import (
    Check,
    an_object,
    array,
    boolean,
    enum,
    failed,
    nullable,
    number,
    obj,
    one_of,
    refuse,
    text,
    told,
    uuid,
    validation,
)
from .dates import date
from .media import named_file
from .models import DataSource, Page, User
from .richtext import SELECT_COLORS, plain, rich_text
from .schema import TYPES, Property, find, option
from .tree import edit, get_page

READ_ONLY = ("formula", "rollup", "created_by", "created_time", "last_edited_by", "last_edited_time", "unique_id")

_named = obj(
    {"id": text(100, 1), "name": text(100, 1), "color": enum(*SELECT_COLORS), "description": nullable(text(280))}
)
_user = obj({"id": uuid, "object": enum("user", "group")}, ("id",))


def _person(ctx: Ctx, value: Any, path: str) -> str:
    # A user as answers show it may be sent back whole.
    given = {
        k: v for k, v in an_object(value, path).items() if k not in ("name", "avatar_url", "type", "person", "bot")
    }
    key = _user(ctx, given, path)["id"]
    if ctx.db.get(User, key) is None:
        raise validation(f"Could not find user with ID: {key}.")
    return key


_CHECKS: dict[str, Check] = {
    "title": rich_text,
    "rich_text": rich_text,
    "number": nullable(number),
    "checkbox": boolean,
    "url": nullable(text(2000)),
    "email": nullable(text(200)),
    "phone_number": nullable(text(200)),
    "date": nullable(date),
    "people": array(_person),
    "files": array(named_file),
    "relation": array(obj({"id": uuid}, ("id",))),
    "select": nullable(_named),
    "status": nullable(_named),
    "multi_select": array(_named),
}


def _given(ctx: Ctx, name: str, kind: str, value: Any, path: str) -> Any:
    """The value under its type's name, checked for its shape."""
    given = an_object(value, path)
    named = [one for one in given if one in TYPES]
    if kind in READ_ONLY:
        raise validation(f"{name} is a {kind} property, which cannot be set via the API.")
    if kind not in given:
        if named:
            raise validation(f"{name} is expected to be {kind}.")
        raise failed(told(f"{path}.{kind}", "defined"))
    if given.get("type", kind) != kind:
        raise validation(f"{name} is expected to be {kind}.")
    for one in given:
        if one not in (kind, "type", "id") and (kind, one) != ("relation", "has_more"):
            refuse(f"{path}.{one}", "not present", given[one])
    return _CHECKS[kind](ctx, given[kind], f"{path}.{kind}")


def title_only(ctx: Ctx, given: Any, path: str) -> list[dict[str, Any]] | None:
    """The title of a page that stands in no data source; None where none is given."""
    asked = an_object(given, path)
    for name in asked:
        if name != "title":
            raise validation(f"{name} is not a property that exists.")
    if "title" not in asked:
        return None
    value = asked["title"]
    if isinstance(value, list):  # documented shorthand: {"title": [...]}
        return rich_text(ctx, value, f"{path}.title")
    return one_of({"title": rich_text}, {"id": text(100)})(ctx, value, f"{path}.title")["title"]


def of_data_source(
    ctx: Ctx, source: DataSource, given: Any, path: str
) -> tuple[list[dict[str, Any]] | None, dict[str, Any]]:
    """The title, if it is given, and the other values by property id. New select options join the schema."""
    rich, values = None, dict[str, Any]()
    schema = {key: dict(one) for key, one in source.properties.items()}
    for name, value in an_object(given, path).items():
        key = find(schema, name)
        if key is None:
            raise validation(f"{name} is not a property that exists.")
        kind = schema[key]["type"]
        if value is None:
            refuse(f"{path}.{name}", "an object", value)
        made = _given(ctx, name, kind, value, f"{path}.{name}")
        if kind == "title":
            rich = made
        else:
            values[key] = _kept(ctx, schema, key, made)
    if schema != source.properties:
        ctx.db.update(source, properties=schema, **edit(ctx))
    return rich, values


def _kept(ctx: Ctx, schema: dict[str, Property], key: str, made: Any) -> Any:
    one = schema[key]
    match one["type"]:
        case "select" | "status":
            return None if made is None else _chosen(ctx, one, made)
        case "multi_select":
            return list(dict.fromkeys(_chosen(ctx, one, each) for each in made))
        case "people":
            return list(dict.fromkeys(made))
        case "relation":
            return _related(ctx, one, made)
        case _:
            return made


def _chosen(ctx: Ctx, one: Property, made: dict[str, Any]) -> str:
    """The id of the option that a value names; a select takes new names, a status does not."""
    known = one["config"]["options"]
    found = next((o for o in known if o["id"] == made.get("id")), None) or next(
        (o for o in known if o["name"] == made.get("name")), None
    )
    if found is not None:
        if made.get("color", found["color"]) != found["color"]:
            raise validation("Select option color doesn't match existing.")
        return found["id"]
    if "name" not in made and "id" not in made:
        raise failed(told(f"body.properties.{one['name']}.{one['type']}.id", "defined"),
                     told(f"body.properties.{one['name']}.{one['type']}.name", "defined"))  # fmt: skip
    if one["type"] == "status":
        raise validation(f'Invalid status option. Status option "{made.get("name", made.get("id"))}" does not exist".')
    if "name" not in made:
        raise validation(f"Could not find {one['type']} option with ID: {made['id']}.")
    if "," in made["name"]:
        raise validation(f"Invalid {one['type']} option, commas not allowed: {made['name']}")
    added = option(ctx, made["name"], made.get("color"), made.get("description"))
    one["config"] = {**one["config"], "options": [*known, added]}
    return added["id"]


def _related(ctx: Ctx, one: Property, made: list[dict[str, Any]]) -> list[str]:
    keys = list(dict.fromkeys(each["id"] for each in made))
    for key in keys:
        page = get_page(ctx, key, "body.properties")
        if page.parent != one["config"]["data_source_id"]:
            raise validation(f"Page with ID: {key} is not in the data source that {one['name']} relates to.")
    return keys


def mirrored(ctx: Ctx, source: DataSource, page: Page, before: dict[str, Any]) -> None:
    """The other side of two-way relations after a page's values changed."""
    for key, one in source.properties.items():
        if one["type"] != "relation" or not one["config"]["dual"] or not one["config"]["synced"]:
            continue
        other = one["config"]["synced"]
        old, new = before.get(key) or [], page.properties.get(key) or []
        for theirs in [*(k for k in old if k not in new), *(k for k in new if k not in old)]:
            far = page if theirs == page.id else ctx.db.get(Page, theirs)
            if far is None:
                continue
            held = [k for k in far.properties.get(other) or [] if k != page.id]
            ctx.db.update(far, properties={**far.properties, other: [*held, page.id] if theirs in new else held})


def numbered(ctx: Ctx, source: DataSource) -> dict[str, Any]:
    """A new page's value of the data source's unique id."""
    key = next((k for k, one in source.properties.items() if one["type"] == "unique_id"), None)
    return {key: ctx.sequence(f"unique-{source.id}")} if key else {}


def title_text(rich: list[dict[str, Any]]) -> str:
    return plain(rich)
