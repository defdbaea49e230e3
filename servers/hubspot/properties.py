"""Property definitions: HubSpot's own of each type, and what the account has made or changed of them."""

from dataclasses import replace
from typing import Any

from legoenv_mcp.app import Ctx

from . import errors
from .fields import Definition
from .kinds import Kind, portal
from .models import Owner, Pipeline, Property, PropertyGroup, Stage
from .times import shown

HUBSPOT_BORN = "2017-01-01T00:00:00Z"
_SUPPORT = ("hs_pipeline", "hs_pipeline_stage")
STAGED = {"deals": ("pipeline", "dealstage"), "tickets": _SUPPORT, "leads": _SUPPORT}
"""The properties that say which pipeline and stage a record is in."""

LOCKED_OPTIONS = {"lifecyclestage", "hs_lead_type", "hs_task_status", "hs_task_type", "hs_meeting_outcome"}
"""Choices whose options the account cannot change by the properties API."""


def definitions(ctx: Ctx, kind: Kind, archived: bool = False) -> dict[str, Definition]:
    """The type's properties by name."""
    found = {} if archived else dict(kind.cls.standard())
    for row in ctx.db.find(Property, object_type=kind.name, archived=archived):
        found[row.name] = _merged(found.get(row.name), row)
    return found


def _merged(standard: Definition | None, row: Property) -> Definition:
    options = tuple((str(o["value"]), str(o["label"])) for o in row.options)
    common: dict[str, Any] = {
        "label": row.label, "description": row.description, "group": row.group_name, "options": options, "hidden": row.hidden,
        "form_field": row.form_field, "display_order": row.display_order, "created_at": row.created_at, "updated_at": row.updated_at,
        "extra": tuple(sorted(row.extra.items())),
    }  # fmt: skip
    if standard is not None and row.standard:
        return replace(standard, **common)
    return Definition(
        row.name, type=row.type, field_type=row.field_type, unique=row.has_unique_value, account=True, archived=row.archived,
        calculated=bool(row.calculation_formula), fixed=bool(row.calculation_formula), formula=row.calculation_formula, **common,
    )  # fmt: skip


def require(ctx: Ctx, kind: Kind, name: str, archived: bool = False) -> Definition:
    found = definitions(ctx, kind, archived).get(name)
    if found is None:
        raise errors.not_found(
            f"Property with name '{name}' does not exist.", context={"propertyName": [name]}, subCategory="properties.NOT_FOUND"
        )  # fmt: skip
    return found


def options(ctx: Ctx, kind: Kind, d: Definition) -> list[dict[str, Any]]:
    """The options as the properties API lists them; those of stages and pipelines come from the pipelines."""
    pairs: list[tuple[str, str]] = list(d.options)
    staged = STAGED.get(kind.name, ())
    if d.name in staged:
        pipelines = ctx.db.find(Pipeline, order="display_order", object_type=kind.name, archived=False)
        if d.name == staged[0]:
            pairs = [(p.id, p.label) for p in pipelines]
        else:
            pairs = [
                (s.id, s.label if len(pipelines) == 1 else f"{s.label} ({p.label})")
                for p in pipelines
                for s in ctx.db.find(Stage, order="display_order", object_type=kind.name, pipeline=p.id, archived=False)
            ]
    if d.name == "deal_currency_code":
        pairs = [(code, code) for code in portal(ctx).currencies]
    if d.owner:
        pairs = [(o.id, f"{o.first_name} {o.last_name}".strip()) for o in ctx.db.find(Owner, archived=False)]
    return [
        {"label": label, "value": value, "displayOrder": place, "hidden": False}
        for place, (value, label) in enumerate(pairs)
    ]


def rendered(ctx: Ctx, kind: Kind, d: Definition) -> dict[str, Any]:
    """A definition as the properties API shows it."""
    made: dict[str, Any] = {
        "name": d.name, "label": d.label, "type": d.type, "fieldType": d.field_type, "description": d.description, "groupName": d.group,
        "options": [] if d.owner else options(ctx, kind, d), "displayOrder": d.display_order, "hasUniqueValue": d.unique,
        "hidden": d.hidden, "formField": d.form_field, "calculated": d.calculated, "externalOptions": d.owner, "archived": d.archived,
        "hubspotDefined": not d.account, "createdAt": shown(d.created_at or HUBSPOT_BORN), "updatedAt": shown(d.updated_at or HUBSPOT_BORN),
        "dataSensitivity": "non_sensitive",
        "modificationMetadata": {
            "archivable": d.account, "readOnlyDefinition": not d.account, "readOnlyValue": d.fixed,
            "readOnlyOptions": not d.account and (d.name in LOCKED_OPTIONS or not d.options or d.type != "enumeration"),
        },
        **dict(d.extra),
    }  # fmt: skip
    if d.owner:
        made["referencedObjectType"] = "OWNER"
    if d.formula:
        made["calculationFormula"] = d.formula
    return made


def groups(ctx: Ctx, kind: Kind) -> dict[str, PropertyGroup]:
    """The type's property groups by name: HubSpot's one, and the account's."""
    base = kind.cls.group or f"{kind.singular}_information"
    own = PropertyGroup(object_type=kind.name, name=base, label=f"{kind.label} information", display_order=0)
    made = {g.name: g for g in ctx.db.find(PropertyGroup, object_type=kind.name, archived=False)}
    return {base: own, **made}
