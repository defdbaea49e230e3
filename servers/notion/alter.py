"""Making and changing the properties of a data source. https://developers.notion.com/reference/update-data-source-properties"""

from typing import Any

from legoenv_mcp.app import Ctx

from .check import an_object, failed, nullable, refuse, text, told, validation
from .models import DataSource, Page
from .schema import TYPES, Property, configured, find, new_id


def _kind_of(value: dict[str, Any], path: str) -> str | None:
    """The type that a property's configuration names; None where it only renames or describes."""
    kinds = [name for name in value if name in TYPES]
    kind = value.get("type")
    if kind is not None and (not isinstance(kind, str) or kind not in TYPES):
        refuse(f"{path}.type", "one of " + ", ".join(f'`"{one}"`' for one in TYPES), kind)
    for name in value:
        if name not in (*TYPES, "type", "name", "description", "id"):
            refuse(f"{path}.{name}", "not present", value[name])
    if kind and kind not in kinds:
        refuse(f"{path}.{kind}", "defined")
    if len(kinds) > 1:
        other = next(one for one in kinds if one != (kind or kinds[0]))
        refuse(f"{path}.{other}", "not present", value[other])
    return kind or (kinds[0] if kinds else None)


def created(ctx: Ctx, given: Any, path: str) -> dict[str, Property]:
    """A new data source's properties. Exactly one is the title."""
    made = dict[str, Property]()
    asked = an_object(given, path)
    # Rollups and formulas look at the others, so they come last; the order that is kept is the caller's.
    late = ("formula", "rollup")
    for name in sorted(asked, key=lambda n: isinstance(asked[n], dict) and any(k in asked[n] for k in late)):
        _put(ctx, made, name, asked[name], f"{path}.{name}")
    if sum(one["type"] == "title" for one in made.values()) != 1:
        raise validation(
            "Title is not provided."
            if not any(o["type"] == "title" for o in made.values())
            else "There may be only one title property."
        )
    order = list(asked)
    in_order = sorted(made.items(), key=lambda item: order.index(item[1].pop("asked")))
    return dict(in_order)


def _put(ctx: Ctx, properties: dict[str, Property], name: str, value: Any, path: str) -> None:
    config = an_object(value, path)
    if not name.strip() or len(name) > 100:
        raise validation(f"Property name {name!r} should have 1 to 100 characters.")
    kind = _kind_of(config, path)
    if kind is None:
        raise failed(
            *(
                told(f"{path}.{one}", "defined")
                for one in ("title", "rich_text", "number", "select", "date", "checkbox")
            )
        )
    wanted = config.get("name", name)
    if not isinstance(wanted, str) or any(one["name"] == wanted for one in properties.values()):
        raise validation(f"A property named {wanted} exists already.")
    if kind == "unique_id" and any(one["type"] == "unique_id" for one in properties.values()):
        raise validation("A data source may have only one unique_id property.")
    kept = configured(ctx, kind, config[kind], f"{path}.{kind}", properties, None)
    key = "title" if kind == "title" else new_id(ctx, properties)
    if key in properties:
        raise validation("There may be only one title property.")
    about = nullable(text(280))(ctx, config.get("description"), f"{path}.description")
    properties[key] = {"name": wanted, "type": kind, "config": kept, "description": about, "asked": name}


def changed(ctx: Ctx, source: DataSource, given: Any, path: str) -> dict[str, Property]:
    """The properties after an update: null removes one, a name renames it, a configuration changes it or adds one."""
    properties = {key: dict(one) for key, one in source.properties.items()}
    for name, value in an_object(given, path).items():
        key, here = find(properties, name), f"{path}.{name}"
        if value is None:
            if key is None:
                raise validation(f"Could not find property with name or id: {name}")
            if properties[key]["type"] == "title":
                raise validation("Cannot delete title property.")
            if any(one["type"] == "rollup" and one["config"]["relation"] == key for one in properties.values()):
                raise validation(f"Cannot delete {properties[key]['name']}: a rollup depends on it.")
            _forget(ctx, source, key)
            _unlink(ctx, source, properties, properties.pop(key))
        elif key is None:
            _put(ctx, properties, name, value, here)
            next(reversed(properties.values())).pop("asked")
        else:
            _change(ctx, source, properties, key, an_object(value, here), here)
    return properties


def _change(
    ctx: Ctx, source: DataSource, properties: dict[str, Property], key: str, value: dict[str, Any], path: str
) -> None:
    old, kind = properties[key], _kind_of(value, path)
    if "name" in value:
        wanted = text(100, 1)(ctx, value["name"], f"{path}.name")
        if any(one["name"] == wanted for other, one in properties.items() if other != key):
            raise validation(f"Cannot rename {old['name']} to {wanted}: a property of that name exists already.")
        for one in properties.values():
            if one["type"] == "formula":
                one["config"] = {
                    "expression": one["config"]["expression"].replace(f'prop("{old["name"]}")', f'prop("{wanted}")')
                }
        old["name"] = wanted
    if "description" in value:
        old["description"] = nullable(text(280))(ctx, value["description"], f"{path}.description")
    if kind is None:
        return
    if kind != old["type"]:
        if "title" in (kind, old["type"]):
            raise validation(f"Cannot change the type of {old['name']}: a data source has exactly one title property.")
        if "status" in (kind, old["type"]):
            raise validation(f"Cannot change {old['name']} to or from status via the API.")
        others = {k: one for k, one in properties.items() if k != key}
        made = configured(ctx, kind, value[kind], f"{path}.{kind}", others, None)
        _unlink(ctx, source, properties, old)
        _convert(ctx, source, key, old, kind, made)
        old.update(type=kind, config=made)
        return
    others = {k: one for k, one in properties.items() if k != key}
    made = configured(ctx, kind, value[kind], f"{path}.{kind}", others, old["config"])
    if kind in ("select", "multi_select", "status"):
        gone = {o["id"] for o in old["config"]["options"]} - {o["id"] for o in made["options"]}
        for page in pages(ctx, source) if gone else ():
            held = page.properties.get(key)
            left = (
                [one for one in held if one not in gone] if isinstance(held, list) else None if held in gone else held
            )
            if left != held:
                ctx.db.update(page, properties={**page.properties, key: left})
    if kind == "relation":
        far, both = ("data_source_id", "dual")
        if (made[far], made[both]) != (old["config"][far], old["config"][both]):
            _unlink(ctx, source, properties, old)
            made["synced"] = None
        if made[far] != old["config"][far]:
            _forget(ctx, source, key)
    old["config"] = made


def _unlink(ctx: Ctx, source: DataSource, properties: dict[str, Property], gone: Property) -> None:
    """The other side of a two-way relation that ends leads one way."""
    config = gone["config"]
    if gone["type"] != "relation" or not config["dual"] or not config["synced"]:
        return
    target = source if config["data_source_id"] == source.id else ctx.db.get(DataSource, config["data_source_id"])
    theirs = properties if target is source else dict(target.properties) if target else {}
    other = theirs.get(config["synced"])
    if target is None or other is None:
        return
    theirs[config["synced"]] = {**other, "config": {**other["config"], "dual": False, "synced": None}}
    if target is not source:
        ctx.db.update(target, properties=theirs)


def _convert(ctx: Ctx, source: DataSource, key: str, old: Property, kind: str, made: dict[str, Any]) -> None:
    """A change of type keeps what both types can hold: one option or several."""
    if {old["type"], kind} == {"select", "multi_select"}:
        made["options"] = [
            *old["config"]["options"],
            *(o for o in made["options"] if o["name"] not in {p["name"] for p in old["config"]["options"]}),
        ]
        for page in pages(ctx, source):
            held = page.properties.get(key)
            if held:
                ctx.db.update(page, properties={**page.properties, key: [held] if kind == "multi_select" else held[0]})
        return
    _forget(ctx, source, key)


def _forget(ctx: Ctx, source: DataSource, key: str) -> None:
    for page in pages(ctx, source):
        if key in page.properties:
            ctx.db.update(page, properties={k: v for k, v in page.properties.items() if k != key})


def pages(ctx: Ctx, source: DataSource) -> list[Page]:
    return ctx.db.find(Page, parent_type="data_source_id", parent=source.id)


def linked(ctx: Ctx, source: DataSource) -> None:
    """Gives each new two-way relation its other side, in the data source that it leads to, and that side its values."""
    fresh = list[tuple[str, str]]()
    properties = {key: dict(one) for key, one in source.properties.items()}
    for key, one in properties.items():
        config = one["config"]
        if one["type"] != "relation" or not config["dual"] or config["synced"]:
            continue
        same = config["data_source_id"] == source.id
        target = ctx.require(DataSource, config["data_source_id"])
        theirs = properties if same else {k: dict(v) for k, v in target.properties.items()}
        other, name = (
            new_id(ctx, theirs),
            config.pop("synced_name", None) or f"Related to {source.title or 'Untitled'} ({one['name']})",
        )
        names = {p["name"] for p in theirs.values()}
        while name in names:
            name += " 1"
        back = {"data_source_id": source.id, "dual": True, "synced": key}
        theirs = {**theirs, other: {"name": name, "type": "relation", "config": back, "description": None}}
        one["config"] = {**config, "synced": other}
        fresh.append((key, other))
        if same:
            properties = {**theirs, key: one}
        else:
            ctx.db.update(target, properties=theirs)
    if properties != source.properties:
        ctx.db.update(source, properties=properties)
    for key, other in fresh:
        _answered(ctx, source, key, other)


def _answered(ctx: Ctx, source: DataSource, key: str, other: str) -> None:
    """What pages related to already shows on the other side."""
    held = dict[str, list[str]]()
    for page in pages(ctx, source):
        for far in page.properties.get(key) or ():
            held.setdefault(far, []).append(page.id)
    for far, near in held.items():
        page = ctx.db.get(Page, far)
        if page is not None:
            ctx.db.update(page, properties={**page.properties, other: near})


def counted(ctx: Ctx, source: DataSource, before: dict[str, Property]) -> None:
    """A new unique id numbers the pages that there are, the oldest first."""
    for key, one in source.properties.items():
        if one["type"] == "unique_id" and before.get(key, {}).get("type") != "unique_id":
            for page in sorted(pages(ctx, source), key=lambda page: (page.created_time, page.id)):
                ctx.db.update(page, properties={**page.properties, key: ctx.sequence(f"unique-{source.id}")})
