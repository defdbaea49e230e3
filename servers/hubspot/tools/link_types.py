"""Association labels, and associations in version 3's form. https://developers.hubspot.com/docs/api-reference/crm-associations-v4/schema"""

import re
from typing import Any, NotRequired

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Ctx, Reply

from .. import associations, errors
from ..app import app, done
from ..kinds import Kind, resolve
from ..models import Association, AssociationLabel
from .batches import batch, check_size
from .links import ends, unassociated, wire
from .objects import ObjectId

Named = TypedDict("Named", {"from": ObjectId, "to": ObjectId, "type": NotRequired[str]})


class Id(TypedDict):
    """A record whose associations are read."""

    id: str


@app.post(
    "/crm/v4/associations/{fromObjectType}/{toObjectType}/labels",
    tool="create_association_label",
    mcp=False,
    status=200,
)
def create_association_label(
    ctx: Ctx, fromObjectType: str, toObjectType: str, label: str, name: str, inverseLabel: str | None = None
) -> dict[str, Any]:  # fmt: skip
    """Creates an association label between two object types.

    fromObjectType: The type associations start from.
    toObjectType: The type they lead to.
    label: What the label says.
    name: Its internal name.
    inverseLabel: What it says the other way, where that differs.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    associations.plain_type(ctx, start, end)
    if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_]{0,99}", name):
        raise errors.bad_request(
            f"Invalid association label name: {name}",
            errors=[{"message": "letters, digits and underscores", "in": "name"}],
        )
    if not label.strip():
        raise errors.bad_request(
            "The label must not be blank", errors=[{"message": "must not be blank", "in": "label"}]
        )
    if any(t.label == label or t.name == name for t in associations.types_between(ctx, start, end)):
        raise errors.conflict(f"An association label '{label}' between these object types exists already")
    first = ctx.sequence("association_type", start=101, step=2)
    there = AssociationLabel(
        type_id=first, from_type=start.name, to_type=end.name, name=name, label=label, inverse_id=first + 1
    )
    ctx.db.add(there)
    ctx.db.add(
        AssociationLabel(
            type_id=first + 1, from_type=end.name, to_type=start.name, name=f"{name}_inverse", label=inverseLabel or label, inverse_id=first
        )
    )  # fmt: skip
    made = {t.id: t for k in ((start, end), (end, start)) for t in associations.types_between(ctx, *k)}
    return {"results": [wire(made[first]), wire(made[first + 1])]}


def _label(ctx: Ctx, start: Kind, end: Kind, type_id: int) -> AssociationLabel:
    row = ctx.db.get(AssociationLabel, type_id)
    if row is None or (row.from_type, row.to_type) != (start.name, end.name):
        raise errors.not_found(f"Association type {type_id} not found", context={"associationTypeId": [str(type_id)]})
    return row


@app.put(
    "/crm/v4/associations/{fromObjectType}/{toObjectType}/labels",
    tool="update_association_label",
    mcp=False,
    status=204,
)
def update_association_label(
    ctx: Ctx, fromObjectType: str, toObjectType: str, associationTypeId: int, label: str, inverseLabel: str | MISSING = MISSING
) -> Any:  # fmt: skip
    """Renames an association label of the account's.

    fromObjectType: The type associations start from.
    toObjectType: The type they lead to.
    associationTypeId: The label's type id.
    label: What it is to say.
    inverseLabel: What it is to say the other way.
    """
    row = _label(ctx, resolve(ctx, fromObjectType), resolve(ctx, toObjectType), associationTypeId)
    ctx.db.update(row, label=label)
    if isinstance(inverseLabel, str) and (other := ctx.db.get(AssociationLabel, row.inverse_id)) is not None:
        ctx.db.update(other, label=inverseLabel)
    return done(ctx, {"associationTypeId": associationTypeId, "label": label})


@app.delete(
    "/crm/v4/associations/{fromObjectType}/{toObjectType}/labels/{associationTypeId}",
    tool="delete_association_label",
    mcp=False,
    status=204,
)
def delete_association_label(ctx: Ctx, fromObjectType: str, toObjectType: str, associationTypeId: int) -> Any:
    """Deletes an association label of the account's, and takes it off all associations.

    fromObjectType: The type associations start from.
    toObjectType: The type they lead to.
    associationTypeId: The label's type id.
    """
    row = _label(ctx, resolve(ctx, fromObjectType), resolve(ctx, toObjectType), associationTypeId)
    gone = {row.type_id, row.inverse_id}
    for one in ctx.db.find(Association):
        if kept := [t for t in one.types if t not in gone]:
            ctx.db.update(one, types=kept) if kept != one.types else None
        else:
            ctx.db.delete(one)
    for type_id in gone:
        if (label := ctx.db.get(AssociationLabel, type_id)) is not None:
            ctx.db.delete(label)
    return done(ctx, {"associationTypeId": associationTypeId, "deleted": True})


@app.get("/crm/v3/associations/{fromObjectType}/{toObjectType}/types", tool="list_association_types", mcp=False)
def list_association_types(ctx: Ctx, fromObjectType: str, toObjectType: str) -> dict[str, Any]:
    """Lists association types in version 3's form.

    fromObjectType: The type associations start from.
    toObjectType: The type they lead to.
    """
    found = associations.types_between(ctx, resolve(ctx, fromObjectType), resolve(ctx, toObjectType))
    return {"results": [{"id": str(t.id), "name": t.name} for t in found]}


def _named(ctx: Ctx, start: Kind, end: Kind, name: str | None) -> int:
    """The type that version 3 names: by name, or by id as text."""
    if not name:
        return associations.plain_type(ctx, start, end).id
    found = [
        t
        for t in associations.types_between(ctx, start, end)
        if name in (t.name, str(t.id)) or f"{name}_unlabeled" == t.name
    ]
    if not found:
        raise errors.bad_request(f"Invalid association type: {name}", context={"type": [name]})
    return found[0].id


@app.post(
    "/crm/v3/associations/{fromObjectType}/{toObjectType}/batch/create",
    tool="batch_create_associations_v3",
    mcp=False,
    status=201,
)
def batch_create_associations_v3(ctx: Ctx, fromObjectType: str, toObjectType: str, inputs: list[Named]) -> Reply:
    """Associates pairs of records by the names of types.

    fromObjectType: The type associations start from.
    toObjectType: The type they lead to.
    inputs: The pairs, each {from: {id}, to: {id}, type}.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    check_size(inputs)
    made = list[dict[str, Any]]()
    for one in inputs:
        ends(ctx, start, one["from"]["id"], end, one["to"]["id"])
        type_id = _named(ctx, start, end, one.get("type"))
        associations.link(ctx, start, one["from"]["id"], end, one["to"]["id"], [type_id])
        made.append({"from": one["from"], "to": one["to"], "type": one.get("type") or str(type_id)})
    return batch(ctx, made, status=201)


@app.post(
    "/crm/v3/associations/{fromObjectType}/{toObjectType}/batch/read",
    tool="batch_read_associations_v3",
    mcp=False,
    effect="read",
)
def batch_read_associations_v3(ctx: Ctx, fromObjectType: str, toObjectType: str, inputs: list[Id]) -> Reply:
    """Reads the associations of records in version 3's form.

    fromObjectType: The records' type.
    toObjectType: The type of what they are associated with.
    inputs: The records, each {id}.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    check_size(inputs, 1000)
    results, missing = list[dict[str, Any]](), list[dict[str, Any]]()
    for one in inputs:
        found = associations.linked(ctx, start, one["id"], end)
        if found:
            results.append(
                {"from": {"id": one["id"]}, "to": [{"id": i, "type": t.name} for i, types in found for t in types]}
            )
        else:
            missing.append(unassociated(start, one["id"], end))
    return batch(ctx, results, missing or None)


@app.post(
    "/crm/v3/associations/{fromObjectType}/{toObjectType}/batch/archive", tool="batch_remove_associations_v3", mcp=False, effect="delete",
    status=204,
)  # fmt: skip
def batch_remove_associations_v3(ctx: Ctx, fromObjectType: str, toObjectType: str, inputs: list[Named]) -> Any:
    """Removes associations of the types named between pairs of records.

    fromObjectType: The type associations start from.
    toObjectType: The type they lead to.
    inputs: The pairs, each {from: {id}, to: {id}, type}.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    check_size(inputs)
    for one in inputs:
        type_id = _named(ctx, start, end, one.get("type"))
        plain = type_id == associations.plain_type(ctx, start, end).id
        associations.unlink(ctx, start, one["from"]["id"], end, one["to"]["id"], None if plain else [type_id])
    return done(ctx, {"removed": True})
