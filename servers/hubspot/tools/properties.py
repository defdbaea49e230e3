"""Property definitions. https://developers.hubspot.com/docs/api-reference/crm-properties-v3/guide"""

import re
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Body, Ctx, Query, Reply

from .. import errors, properties, times
from ..app import app, done
from ..kinds import Kind, resolve
from ..models import CrmObject, Property, PropertyGroup
from .batches import batch, check_size

Type = Literal["string", "number", "date", "datetime", "enumeration", "bool", "phone_number"]
FieldType = Literal[
    "text", "textarea", "html", "date", "file", "number", "phonenumber", "select", "radio", "checkbox", "booleancheckbox",
    "calculation_equation",
]  # fmt: skip
_FITS: dict[str, set[str]] = {
    "string": {"text", "textarea", "html", "phonenumber", "file"}, "number": {"number"}, "date": {"date"}, "datetime": {"date"},
    "enumeration": {"select", "radio", "checkbox", "booleancheckbox"}, "bool": {"booleancheckbox"}, "phone_number": {"phonenumber"},
}  # fmt: skip
_NAME = re.compile(r"[a-z][a-z0-9_]{0,99}")


class PropertyOption(TypedDict):
    """An option of a choice."""

    label: str
    value: str
    description: NotRequired[str | None]
    displayOrder: NotRequired[int | None]
    hidden: NotRequired[bool | None]


def check_options(options: list[PropertyOption], type_: str, field_type: str) -> list[dict[str, Any]]:
    """Options, each with a value of its own, for choices only."""
    if type_ not in ("enumeration", "bool") and options:
        raise errors.bad_request(
            f"Options are only allowed for enumeration properties, not {type_}",
            errors=[{"message": "no options", "in": "options"}],
        )
    values = [o["value"] for o in options]
    if len(set(values)) < len(values) or any(not v.strip() or ";" in v for v in values):
        raise errors.bad_request(
            "Option values must be unique, not blank and without semicolons",
            errors=[{"message": "invalid value", "in": "options"}],
        )
    if len({o["label"] for o in options}) < len(options):
        raise errors.bad_request(
            "Option labels must be unique", errors=[{"message": "duplicate label", "in": "options"}]
        )
    if type_ == "bool" and sorted(values) != ["false", "true"]:
        raise errors.bad_request(
            "A bool property has exactly the options true and false",
            errors=[{"message": "true and false", "in": "options"}],
        )
    if field_type not in _FITS[type_]:
        raise errors.bad_request(
            f"Field type {field_type} is not valid for properties of type {type_}",
            errors=[{"message": "invalid", "in": "fieldType"}],
        )
    return [{k: v for k, v in o.items() if v is not None} for o in options]


def check_group(ctx: Ctx, kind: Kind, name: str) -> None:
    if name not in properties.groups(ctx, kind):
        raise errors.bad_request(
            f"Property group {name} does not exist", errors=[{"message": "no such group", "in": "groupName"}]
        )


def make(ctx: Ctx, kind: Kind, given: dict[str, Any]) -> dict[str, Any]:
    """A new property of the account's."""
    name, type_, field_type = given["name"], given.get("type") or "string", given.get("fieldType") or "text"
    if not _NAME.fullmatch(name):
        raise errors.bad_request(
            f"Property name '{name}' is invalid: it begins with a letter and has lower-case letters, digits and underscores only",
            errors=[{"message": "invalid name", "in": "name"}],
        )  # fmt: skip
    if (
        name in properties.definitions(ctx, kind)
        or name in CrmObject.model_fields
        or name in properties.definitions(ctx, kind, True)
    ):
        raise errors.conflict(
            f"A property named '{name}' already exists.", subCategory="Properties.PROPERTY_ALREADY_EXISTS"
        )
    check_group(ctx, kind, given["groupName"])
    if field_type == "calculation_equation" or given.get("calculationFormula"):
        raise errors.bad_request(
            "Calculated properties are not supported here: calculationFormula, calculation_equation"
        )
    options = check_options(given.get("options") or [], type_, field_type)
    if type_ == "bool" and not options:
        options = [{"label": "Yes", "value": "true"}, {"label": "No", "value": "false"}]
    if given.get("hasUniqueValue") and type_ not in ("string", "number"):
        raise errors.bad_request(
            f"hasUniqueValue is not valid for properties of type {type_}",
            errors=[{"message": "invalid", "in": "hasUniqueValue"}],
        )
    at = times.now(ctx)
    ctx.db.add(
        Property(
            object_type=kind.name, name=name, label=given["label"], type=type_, field_type=field_type, group_name=given["groupName"],
            description=given.get("description") or "", options=options, has_unique_value=bool(given.get("hasUniqueValue")),
            hidden=bool(given.get("hidden")), form_field=bool(given.get("formField")),
            display_order=-1 if given.get("displayOrder") is None else given["displayOrder"], created_at=at, updated_at=at,
        )
    )  # fmt: skip
    return properties.rendered(ctx, kind, properties.require(ctx, kind, name))


@app.get("/crm/v3/properties/{objectType}", tool="list_properties")
def list_properties(
    ctx: Ctx, objectType: str, archived: bool = False, dataSensitivity: Annotated[str | None, Query(mcp=False)] = None,
    locale: Annotated[str | None, Query(mcp=False)] = None, properties_: Annotated[str | None, Query("properties", mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the properties of an object type: names, labels and types. get_property tells the options of one.

    objectType: contacts, companies, deals, tickets, leads, tasks, notes, calls, meetings, emails, line_items, products, users, or a
      custom object's type.
    archived: Lists archived properties only.
    dataSensitivity: Which of the sensitive properties to list; there are none.
    locale: The language of labels.
    properties_: What to return of each.
    """
    kind = resolve(ctx, objectType)
    found = [properties.rendered(ctx, kind, d) for d in properties.definitions(ctx, kind, archived).values()]
    if not ctx.request.method:  # agents get what they need to choose a property, not ten thousand tokens of definitions
        found = [
            {k: p[k] for k in ("name", "label", "type", "fieldType", "groupName", "hasUniqueValue")}
            | ({"options": [o["value"] for o in p["options"]]} if 0 < len(p["options"]) <= 12 else {})
            | ({"readOnlyValue": True} if p["modificationMetadata"]["readOnlyValue"] else {})
            for p in found
        ]
    return {"results": found}


@app.get("/crm/v3/properties/{objectType}/{propertyName}", tool="get_property")
def get_property(
    ctx: Ctx, objectType: str, propertyName: str, archived: bool = False,
    dataSensitivity: Annotated[str | None, Query(mcp=False)] = None, locale: Annotated[str | None, Query(mcp=False)] = None,
    properties_: Annotated[str | None, Query("properties", mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Gets the definition of a property, with the options of a choice.

    objectType: The object type.
    propertyName: The property's name.
    archived: Gets an archived property.
    dataSensitivity: Which of the sensitive properties to get; there are none.
    locale: The language of labels.
    properties_: What to return of it.
    """
    kind = resolve(ctx, objectType)
    return properties.rendered(ctx, kind, properties.require(ctx, kind, propertyName, archived))


@app.post("/crm/v3/properties/{objectType}", tool="create_property", status=201)
def create_property(
    ctx: Ctx, objectType: str, name: str, label: str, groupName: str, type: Type = "string", fieldType: FieldType = "text",
    description: str | None = None, options: list[PropertyOption] | None = None, hasUniqueValue: bool | None = None,
    hidden: bool | None = None, formField: bool | None = None, displayOrder: int | None = None,
    calculationFormula: Annotated[str | None, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a property of an object type.

    objectType: The object type.
    name: Its internal name: lower-case letters, digits and underscores.
    label: What people see.
    groupName: The group it is shown in, e.g. contactinformation, companyinformation, dealinformation, ticketinformation.
    type: What its values are.
    fieldType: How it is shown: text, textarea, number, date, select, radio, checkbox (several options), booleancheckbox and others.
    description: What it is for.
    options: The options of an enumeration.
    hasUniqueValue: Whether no two records may have one value.
    hidden: Whether people do not see it.
    formField: Whether forms may use it.
    displayOrder: Its place; -1 is last.
    calculationFormula: A formula; calculated properties are not supported here.
    """
    return make(ctx, resolve(ctx, objectType), {**ctx.sent(), "type": type, "fieldType": fieldType})


@app.patch("/crm/v3/properties/{objectType}/{propertyName}", tool="update_property")
def update_property(
    ctx: Ctx, objectType: str, propertyName: str, label: str | MISSING = MISSING, groupName: str | MISSING = MISSING,
    type: Type | MISSING = MISSING, fieldType: FieldType | MISSING = MISSING, description: str | MISSING = MISSING,
    options: list[PropertyOption] | MISSING = MISSING, hidden: bool | MISSING = MISSING, formField: bool | MISSING = MISSING,
    displayOrder: int | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a property's definition. Of HubSpot's own ones, only the options of choices and the label can be changed.

    objectType: The object type.
    propertyName: The property's name.
    label: What people see.
    groupName: The group it is shown in.
    type: What its values are.
    fieldType: How it is shown.
    description: What it is for.
    options: All options of an enumeration, those that it has included.
    hidden: Whether people do not see it.
    formField: Whether forms may use it.
    displayOrder: Its place; -1 is last.
    """
    kind, sent = resolve(ctx, objectType), ctx.sent()
    d = properties.require(ctx, kind, propertyName)
    meta = properties.rendered(ctx, kind, d)["modificationMetadata"]
    if not d.account and (
        set(sent) - {"options", "label", "displayOrder"} or ("options" in sent and meta["readOnlyOptions"])
    ):
        raise errors.bad_request(
            f"Property {propertyName} is read-only and cannot be modified",
            subCategory="Properties.READ_ONLY_DEFINITION",
        )
    type_, field_type = sent.get("type", d.type), sent.get("fieldType", d.field_type)
    if not d.account and "options" not in sent:
        options_ = [{"label": label, "value": value} for value, label in d.options]
    else:
        given = sent.get("options", [{"label": label, "value": value} for value, label in d.options])
        options_ = check_options(given, type_, field_type) if d.account or "options" in sent else given
    if "groupName" in sent:
        check_group(ctx, kind, sent["groupName"])
    values = {
        "label": sent.get("label", d.label), "group_name": sent.get("groupName", d.group), "type": type_, "field_type": field_type,
        "description": sent.get("description", d.description), "options": options_, "hidden": sent.get("hidden", d.hidden),
        "form_field": sent.get("formField", d.form_field), "display_order": sent.get("displayOrder", d.display_order),
        "updated_at": times.now(ctx),
    }  # fmt: skip
    row = ctx.db.get(Property, (kind.name, propertyName))
    if row is None:
        ctx.db.add(
            Property(
                object_type=kind.name, name=propertyName, standard=True, created_at=properties.HUBSPOT_BORN, **values
            )
        )
    else:
        ctx.db.update(row, **values)
    return properties.rendered(ctx, kind, properties.require(ctx, kind, propertyName))


@app.delete("/crm/v3/properties/{objectType}/{propertyName}", tool="archive_property", mcp=False, status=204)
def archive_property(ctx: Ctx, objectType: str, propertyName: str) -> Any:
    """Archives a property of the account's.

    objectType: The object type.
    propertyName: The property's name.
    """
    kind = resolve(ctx, objectType)
    d = properties.require(ctx, kind, propertyName)
    row = ctx.db.get(Property, (kind.name, propertyName))
    if not d.account or row is None:
        raise errors.bad_request(f"Property {propertyName} is defined by HubSpot and cannot be archived")
    ctx.db.update(row, archived=True, updated_at=times.now(ctx))
    return done(ctx, {"name": propertyName, "archived": True})


class NewProperty(TypedDict):
    """A property to create."""

    name: str
    label: str
    groupName: str
    type: NotRequired[Type]
    fieldType: NotRequired[FieldType]
    description: NotRequired[str | None]
    options: NotRequired[list[PropertyOption] | None]
    hasUniqueValue: NotRequired[bool | None]


class PropertyName(TypedDict):
    """A property's name."""

    name: str


@app.post("/crm/v3/properties/{objectType}/batch/create", tool="batch_create_properties", mcp=False, status=201)
def batch_create_properties(ctx: Ctx, objectType: str, inputs: list[NewProperty]) -> Reply:
    """Creates several properties of an object type.

    objectType: The object type.
    inputs: The properties.
    """
    kind = resolve(ctx, objectType)
    check_size(inputs)
    return batch(ctx, [make(ctx, kind, dict(one)) for one in inputs], status=201)


@app.post("/crm/v3/properties/{objectType}/batch/read", tool="batch_read_properties", mcp=False, effect="read")
def batch_read_properties(
    ctx: Ctx, objectType: str, inputs: list[PropertyName], archived: bool = False, dataSensitivity: str | None = None
) -> Reply:  # fmt: skip
    """Reads several properties of an object type.

    objectType: The object type.
    inputs: Their names.
    archived: Reads archived properties.
    dataSensitivity: Which of the sensitive properties to read; there are none.
    """
    kind = resolve(ctx, objectType)
    check_size(inputs)
    known = properties.definitions(ctx, kind, archived)
    wanted = list(dict.fromkeys(i["name"] for i in inputs))
    missing = [n for n in wanted if n not in known]
    failed = [
        {"status": "error", "category": "OBJECT_NOT_FOUND", "message": f"Property with name '{n}' does not exist.",
         "context": {"name": [n]}}
        for n in missing
    ]  # fmt: skip
    return batch(ctx, [properties.rendered(ctx, kind, known[n]) for n in wanted if n in known], failed or None)


def group_shown(g: PropertyGroup) -> dict[str, Any]:
    return {"name": g.name, "label": g.label, "displayOrder": g.display_order, "archived": g.archived}


@app.get("/crm/v3/properties/{objectType}/groups", tool="list_property_groups", mcp=False)
def list_property_groups(ctx: Ctx, objectType: str) -> dict[str, Any]:
    """Lists the groups that an object type's properties are shown in.

    objectType: The object type.
    """
    return {"results": [group_shown(g) for g in properties.groups(ctx, resolve(ctx, objectType)).values()]}


@app.get("/crm/v3/properties/{objectType}/groups/{groupName}", tool="get_property_group", mcp=False)
def get_property_group(ctx: Ctx, objectType: str, groupName: str) -> dict[str, Any]:
    """Gets a property group.

    objectType: The object type.
    groupName: The group's name.
    """
    found = properties.groups(ctx, resolve(ctx, objectType)).get(groupName)
    if found is None:
        raise errors.not_found(f"Property group {groupName} does not exist")
    return group_shown(found)


@app.post("/crm/v3/properties/{objectType}/groups", tool="create_property_group", mcp=False, status=201)
def create_property_group(ctx: Ctx, objectType: str, name: str, label: str, displayOrder: int = -1) -> dict[str, Any]:
    """Creates a property group.

    objectType: The object type.
    name: Its internal name.
    label: What people see.
    displayOrder: Its place; -1 is last.
    """
    kind = resolve(ctx, objectType)
    if not _NAME.fullmatch(name):
        raise errors.bad_request(
            f"Property group name '{name}' is invalid", errors=[{"message": "invalid name", "in": "name"}]
        )
    if name in properties.groups(ctx, kind) or ctx.db.get(PropertyGroup, (kind.name, name)):
        raise errors.conflict(f"A property group named '{name}' already exists.")
    return group_shown(
        ctx.db.add(PropertyGroup(object_type=kind.name, name=name, label=label, display_order=displayOrder))
    )
