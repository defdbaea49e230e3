"""A data source's schema: its properties, how they are configured and changed. https://developers.notion.com/reference/property-object

Kept as property id -> {"name", "type", "config", "description"}.
"""

from typing import Any

from legoenv_mcp.app import BASE62, Ctx

from . import formula
from .app import classic
from .check import Check, array, enum, failed, nullable, obj, refuse, text, told, uuid, validation
from .models import DataSource
from .richtext import SELECT_COLORS
from .tree import get_data_source, get_database

Property = dict[str, Any]

NUMBER_FORMATS = tuple(
    name.strip()
    for name in """
number, number_with_commas, percent, dollar, australian_dollar, canadian_dollar, singapore_dollar, euro, pound, yen, ruble, rupee, won,
yuan, real, lira, rupiah, franc, hong_kong_dollar, new_zealand_dollar, krona, norwegian_krone, mexican_peso, rand, new_taiwan_dollar,
danish_krone, zloty, baht, forint, koruna, shekel, chilean_peso, philippine_peso, dirham, colombian_peso, riyal, ringgit, leu,
argentine_peso,
uruguayan_peso, peruvian_sol
""".replace("\n", " ").split(",")
)
ROLLUP_FUNCTIONS = tuple(
    name.strip()
    for name in """
count, count_values, empty, not_empty, unique, show_unique, percent_empty, percent_not_empty, sum, average, median, min, max, range,
earliest_date, latest_date, date_range, checked, unchecked, percent_checked, percent_unchecked, count_per_group, percent_per_group,
show_original
""".replace("\n", " ").split(",")
)
PLAIN_TYPES = (
    "title", "rich_text", "url", "people", "files", "email", "phone_number", "date", "checkbox", "created_by", "created_time",
    "last_edited_by", "last_edited_time",
)  # fmt: skip
TYPES = (*PLAIN_TYPES, "number", "formula", "select", "multi_select", "status", "relation", "rollup", "unique_id")
_GROUPS = (("To-do", "gray"), ("In progress", "blue"), ("Complete", "green"))

_option = obj(
    {"id": text(100, 1), "name": text(100, 1), "color": enum(*SELECT_COLORS), "description": nullable(text(280))}
)
_options = obj({"options": array(_option)})
_CONFIGS: dict[str, Check] = {
    **dict.fromkeys(PLAIN_TYPES, obj({})),
    "number": obj({"format": enum(*NUMBER_FORMATS)}),
    "formula": obj({"expression": text(4000)}, ("expression",)),
    "select": _options,
    "multi_select": _options,
    "status": obj({"options": array(_option), "groups": lambda ctx, value, path: value}),
    "relation": obj(
        {
            "data_source_id": uuid,
            "database_id": uuid,
            "type": enum("single_property", "dual_property"),
            "single_property": obj({}),
            "dual_property": obj({"synced_property_name": text(100), "synced_property_id": text(100)}),
        }
    ),
    "rollup": obj(
        {
            "function": enum(*ROLLUP_FUNCTIONS),
            "relation_property_name": text(100),
            "relation_property_id": text(100),
            "rollup_property_name": text(100),
            "rollup_property_id": text(100),
        },
        ("function",),
    ),
    "unique_id": obj({"prefix": nullable(text(20))}),
}


def find(properties: dict[str, Property], name: str) -> str | None:
    """The id of the property with this name or id."""
    by_name = next((key for key, one in properties.items() if one["name"] == name), None)
    return by_name if by_name is not None else name if name in properties else None


def new_id(ctx: Ctx, taken: dict[str, Property]) -> str:
    made = ctx.id("", 4, BASE62, kind="property")
    return made if made not in taken else new_id(ctx, taken)


def options(
    ctx: Ctx, given: list[dict[str, Any]], kind: str, known: list[dict[str, Any]], path: str
) -> list[dict[str, Any]]:
    """The options after a request: those it names, existing ones as they are."""
    made = list[dict[str, Any]]()
    for i, one in enumerate(given):
        by = "id" if "id" in one else "name"
        old = next((o for o in known if o[by] == one.get(by)), None)
        if old is None and "name" not in one:
            refuse(f"{path}.options[{i}].name", "defined")
        if old is not None:
            if one.get("color", old["color"]) != old["color"]:
                raise validation(f"Cannot update color of select with name: {old['name']}.")
            made.append({**old, **{name: one[name] for name in ("name", "description") if name in one}})
        else:
            made.append(option(ctx, one["name"], one.get("color"), one.get("description")))
    names = [o["name"] for o in made]
    for name in names:
        if "," in name:
            raise validation(f"Invalid {kind} option, commas not allowed: {name}")
    if len(set(names)) < len(names):
        raise validation(f"Cannot create {kind} options with the same name.")
    return made


def option(ctx: Ctx, name: str, color: str | None = None, description: str | None = None) -> dict[str, Any]:
    return {"id": ctx.uuid("option"), "name": name, "color": color or "default", "description": description}


def _status(ctx: Ctx, given: dict[str, Any], known: dict[str, Any] | None, path: str) -> dict[str, Any]:
    """Status options; the API puts every option it makes into the To-do group, but for the three of a bare status property."""
    if known is None and "options" not in given:
        made = [
            option(ctx, name, color)
            for name, color in (("Not started", "default"), ("In progress", "blue"), ("Done", "green"))
        ]
        held = [[one["id"]] for one in made]
    else:
        old = known or {"options": [], "groups": []}
        made = options(ctx, given.get("options", old["options"]), "status", old["options"], path)
        kept = [[key for key in group["option_ids"] if key in {o["id"] for o in made}] for group in old["groups"]] or [
            [],
            [],
            [],
        ]
        held = [kept[0] + [o["id"] for o in made if not any(o["id"] in ids for ids in kept)], *kept[1:]]
    groups = [
        {
            "id": (known["groups"][i]["id"] if known else ctx.uuid("group")),
            "name": name,
            "color": color,
            "option_ids": held[i],
        }
        for i, (name, color) in enumerate(_GROUPS)
    ]
    return {"options": made, "groups": groups}


def _target(ctx: Ctx, config: dict[str, Any], path: str) -> DataSource:
    """The data source that a relation leads to, named by itself or by its database."""
    if config.get("data_source_id"):
        return get_data_source(ctx, config["data_source_id"], f"{path}.data_source_id")
    if config.get("database_id"):
        database = get_database(ctx, config["database_id"], f"{path}.database_id")
        return only_source(ctx, database.id)
    wanted = "database_id" if classic(ctx) else "data_source_id"
    raise failed(told(f"{path}.{wanted}", "defined"))


def only_source(ctx: Ctx, database: str) -> DataSource:
    """The data source of a database that has just one."""
    sources = ctx.db.find(DataSource, database=database, in_trash=False)
    if len(sources) != 1:
        raise validation("Databases with multiple data sources are not supported in this API version.")
    return sources[0]


def configured(
    ctx: Ctx, kind: str, given: Any, path: str, properties: dict[str, Property], old: dict[str, Any] | None
) -> dict[str, Any]:
    """A property's configuration as it is kept."""
    config = _CONFIGS[kind](ctx, given, path)
    if kind == "number":
        return {"format": config.get("format") or (old or {}).get("format") or "number"}
    if kind in ("select", "multi_select"):
        known = (old or {}).get("options", [])
        return {"options": options(ctx, config["options"], kind, known, path) if "options" in config else known}
    if kind == "status":
        return _status(ctx, config, old, path)
    if kind == "formula":
        formula.compile_formula(config["expression"], {one["name"] for one in properties.values()})
        return {"expression": config["expression"]}
    if kind == "relation":
        target = _target(ctx, config, path)
        both = "dual_property" in config or config.get("type") == "dual_property"
        return {"data_source_id": target.id, "dual": both, "synced": (old or {}).get("synced"),
                "synced_name": config.get("dual_property", {}).get("synced_property_name")}  # fmt: skip
    if kind == "rollup":
        return _rollup(ctx, config, path, properties)
    if kind == "unique_id":
        return {"prefix": config.get("prefix")}
    return {}


def _rollup(ctx: Ctx, config: dict[str, Any], path: str, properties: dict[str, Property]) -> dict[str, Any]:
    by = {}
    for part in ("relation", "rollup"):
        by[part] = config.get(f"{part}_property_id") or config.get(f"{part}_property_name")
        if not by[part]:
            raise failed(told(f"{path}.{part}_property_name", "defined"), told(f"{path}.{part}_property_id", "defined"))
    relation = find(properties, by["relation"])
    if relation is None or properties[relation]["type"] != "relation":
        raise validation(f"Rollup relation property {by['relation']} is not a relation of this data source.")
    target = ctx.db.get(DataSource, properties[relation]["config"]["data_source_id"])
    rolled = find(target.properties, by["rollup"]) if target else None
    if target is None or rolled is None or target.properties[rolled]["type"] == "rollup":
        raise validation(f"Rollup property {by['rollup']} is not a property that can be rolled up.")
    return {"function": config["function"], "relation": relation, "property": rolled}


def shown_schema(ctx: Ctx, source: DataSource) -> dict[str, Any]:
    """The properties as answers show them, by name."""
    out = dict[str, Any]()
    for key, one in source.properties.items():
        kind, config = one["type"], one["config"]
        if kind == "relation":
            config = _relation_shown(ctx, config)
        elif kind == "rollup":
            relation = source.properties.get(config["relation"], {"name": "", "config": {}})
            target = ctx.db.get(DataSource, relation["config"].get("data_source_id", ""))
            rolled = target.properties.get(config["property"], {"name": ""}) if target else {"name": ""}
            config = {
                "function": config["function"], "relation_property_name": relation["name"], "relation_property_id": config["relation"],
                "rollup_property_name": rolled["name"], "rollup_property_id": config["property"],
            }  # fmt: skip
        out[one["name"]] = {
            "id": key,
            "name": one["name"],
            "description": one["description"],
            "type": kind,
            kind: config,
        }
    return out


def _relation_shown(ctx: Ctx, config: dict[str, Any]) -> dict[str, Any]:
    target = ctx.db.get(DataSource, config["data_source_id"])
    base: dict[str, Any] = {"database_id": target.database if target else config["data_source_id"]}
    if not classic(ctx):
        base["data_source_id"] = config["data_source_id"]
    if not config["dual"]:
        return {**base, "type": "single_property", "single_property": {}}
    other = target.properties.get(config["synced"] or "", {}) if target else {}
    synced = {"synced_property_name": other.get("name", ""), "synced_property_id": config["synced"] or ""}
    return {**base, "type": "dual_property", "dual_property": synced}
