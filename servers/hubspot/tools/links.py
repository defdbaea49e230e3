"""Associations, version 4. https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide"""

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Payload, Reply, ToolOnly

from .. import associations, errors, records
from ..app import app, done
from ..associations import Type
from ..kinds import Kind, resolve
from ..models import CrmObject
from .batches import batch, check_size
from .objects import AssociationSpec, Id, ObjectId, check_spec

Pair = TypedDict("Pair", {"from": ObjectId, "to": ObjectId, "types": NotRequired[list[AssociationSpec] | None]})
Many = TypedDict("Many", {"from": ObjectId, "to": list[ObjectId]})


class From(TypedDict):
    """A record whose associations are read."""

    id: Id
    after: NotRequired[Id | None]


def wire(t: Type) -> dict[str, Any]:
    return {"category": t.category, "typeId": t.id, "label": t.label}


def ends(ctx: Ctx, start: Kind, start_id: str, end: Kind, end_id: str) -> tuple[CrmObject, CrmObject]:
    """Both records of an association, each of which has to be there."""
    return associations.require_object(ctx, start, start_id), associations.require_object(ctx, end, end_id)


def chosen(ctx: Ctx, start: Kind, end: Kind, specs: list[AssociationSpec]) -> list[int]:
    """The types of a request, checked against the two kinds."""
    if not specs:
        raise errors.bad_request(
            "At least one association type is required", errors=[{"message": "types must not be empty", "in": "types"}]
        )
    for spec in specs:
        check_spec(spec)
    return [
        associations.require_type(ctx, s["associationTypeId"], start, end, s["associationCategory"]).id  # pyright: ignore[reportTypedDictNotRequiredAccess]
        for s in specs
    ]  # fmt: skip


def pair(ctx: Ctx, start: Kind, start_id: str, end: Kind, end_id: str) -> dict[str, Any]:
    """Two associated records with the labels between them."""
    known = {t.id: t for t in associations.types_between(ctx, start, end)}
    labels = [
        t.label for i in associations.types_of(ctx, start, start_id, end, end_id) if (t := known.get(i)) and t.label
    ]
    return {
        "fromObjectTypeId": start.type_id, "fromObjectId": number(start_id), "toObjectTypeId": end.type_id, "toObjectId": number(end_id),
        "labels": labels,
    }  # fmt: skip


def unassociated(start: Kind, start_id: str, end: Kind) -> dict[str, Any]:
    """What a batch says of a record without associations."""
    return {
        "status": "error", "category": "OBJECT_NOT_FOUND", "subCategory": "crm.associations.NO_ASSOCIATIONS_FOUND",
        "message": f"No {end.singular} is associated with {start.singular} {start_id}.",
        "context": {"fromObjectId": [start_id], "fromObjectType": [start.singular], "toObjectType": [end.singular]},
    }  # fmt: skip


def number(object_id: str) -> int | str:
    return int(object_id) if object_id.isascii() and object_id.isdecimal() and len(object_id) < 19 else object_id


def default(ctx: Ctx, start: Kind, start_id: str, end: Kind, end_id: str) -> list[dict[str, Any]]:
    """Associates by the plain type; answers it both ways."""
    ends(ctx, start, start_id, end, end_id)
    plain = associations.plain_type(ctx, start, end)
    associations.link(ctx, start, start_id, end, end_id, [plain.id])
    there = {
        "from": {"id": start_id},
        "to": {"id": end_id},
        "associationSpec": {"associationCategory": plain.category, "associationTypeId": plain.id},
    }
    back = {
        "from": {"id": end_id}, "to": {"id": start_id},
        "associationSpec": {"associationCategory": plain.category, "associationTypeId": plain.inverse},
    }  # fmt: skip
    return [there, back]


def listed(ctx: Ctx, start: Kind, start_id: str, end: Kind, after: str | None, limit: int) -> dict[str, Any]:
    """A page of a record's associations."""
    if after and not (after.isascii() and after.isdecimal() and len(after) < 19):
        raise errors.bad_request(f"Invalid paging cursor: {after}", context={"after": [after]})
    found = associations.linked(ctx, start, start_id, end)
    rest = [f for f in found if not after or (len(f[0]), f[0]) > (len(after), after)]
    made: dict[str, Any] = {
        "results": [
            {"toObjectId": number(i), "associationTypes": [wire(t) for t in types]} for i, types in rest[:limit]
        ]
    }
    if len(rest) > limit:
        made["paging"] = {"next": {"after": rest[limit - 1][0]}}
    return made


@app.get("/crm/v4/objects/{objectType}/{objectId}/associations/{toObjectType}", tool="list_associations")
def list_associations(
    ctx: Ctx, objectType: str, objectId: Id, toObjectType: str, after: Id | None = None,
    limit: Annotated[int, Field(ge=1, le=500)] = 100,
) -> dict[str, Any]:  # fmt: skip
    """Lists the records of one type that a record is associated with, e.g. the contacts of a company or the notes on a deal. Read them
    with batch_read_objects.

    objectType: The record's type.
    objectId: The record's id.
    toObjectType: The type of the associated records.
    after: Where to go on: paging.next.after of the page before.
    limit: How many a page has.
    """
    start, end = resolve(ctx, objectType), resolve(ctx, toObjectType)
    records.require(ctx, start, objectId)
    return listed(ctx, start, objectId, end, after, limit)


@app.put(
    "/crm/v4/objects/{fromObjectType}/{fromObjectId}/associations/default/{toObjectType}/{toObjectId}",
    tool="create_default_association",
)
def create_default_association(
    ctx: Ctx, fromObjectType: str, fromObjectId: Id, toObjectType: str, toObjectId: Id
) -> Reply:
    """Associates two records without a label, e.g. a contact with a deal. The first company of a contact, deal or ticket becomes its
    primary one.

    fromObjectType: The type of the one record.
    fromObjectId: Its id.
    toObjectType: The type of the other record.
    toObjectId: Its id.
    """
    return batch(ctx, default(ctx, resolve(ctx, fromObjectType), fromObjectId, resolve(ctx, toObjectType), toObjectId))


@app.put(
    "/crm/v4/objects/{fromObjectType}/{fromObjectId}/associations/{toObjectType}/{toObjectId}",
    tool="create_association",
    status=201,
)
def create_association(
    ctx: Ctx, fromObjectType: str, fromObjectId: Id, toObjectType: str, toObjectId: Id,
    associations: Annotated[list[AssociationSpec], Payload()],
) -> dict[str, Any]:  # fmt: skip
    """Associates two records by labelled types, e.g. a company as a contact's primary one. get_association_definitions lists the types.

    fromObjectType: The type of the one record.
    fromObjectId: Its id.
    toObjectType: The type of the other record.
    toObjectId: Its id.
    associations: The types, each {associationCategory, associationTypeId}.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    types = chosen(ctx, start, end, associations)
    ends(ctx, start, fromObjectId, end, toObjectId)
    records.associations.link(ctx, start, fromObjectId, end, toObjectId, types)
    return pair(ctx, start, fromObjectId, end, toObjectId)


@app.delete(
    "/crm/v4/objects/{fromObjectType}/{fromObjectId}/associations/{toObjectType}/{toObjectId}",
    tool="remove_association",
    status=204,
)
def remove_association(ctx: Ctx, fromObjectType: str, fromObjectId: Id, toObjectType: str, toObjectId: Id) -> Any:
    """Removes every association between two records.

    fromObjectType: The type of the one record.
    fromObjectId: Its id.
    toObjectType: The type of the other record.
    toObjectId: Its id.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    associations.unlink(ctx, start, fromObjectId, end, toObjectId)
    return done(ctx, {"removed": True})


@app.get("/crm/v4/associations/{fromObjectType}/{toObjectType}/labels", tool="get_association_definitions")
def get_association_definitions(ctx: Ctx, fromObjectType: str, toObjectType: str) -> dict[str, Any]:
    """Lists the association types from one object type to another, with ids, labels and categories.

    fromObjectType: The type associations start from.
    toObjectType: The type they lead to.
    """
    found = associations.types_between(ctx, resolve(ctx, fromObjectType), resolve(ctx, toObjectType))
    return {"results": [wire(t) for t in found]}


@app.post(
    "/crm/v4/associations/{fromObjectType}/{toObjectType}/batch/create", tool="batch_create_associations", status=201
)
def batch_create_associations(
    ctx: Ctx, fromObjectType: str, toObjectType: str, inputs: list[Pair], types: Annotated[list[AssociationSpec] | None, ToolOnly()] = None
) -> Reply:  # fmt: skip
    """Associates up to 100 pairs of records of two types. One pair that is refused refuses them all.

    fromObjectType: The type of the records that associations start from.
    toObjectType: The type of the records they lead to.
    inputs: The pairs, each {from: {id}, to: {id}, types: [{associationCategory, associationTypeId}]}.
    types: The types of all pairs that name none.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    check_size(inputs)
    made = list[dict[str, Any]]()
    for one in inputs:
        ids = chosen(ctx, start, end, one.get("types") or types or [])
        ends(ctx, start, one["from"]["id"], end, one["to"]["id"])
        associations.link(ctx, start, one["from"]["id"], end, one["to"]["id"], ids)
        made.append(pair(ctx, start, one["from"]["id"], end, one["to"]["id"]))
    return batch(ctx, made, status=201)


@app.post(
    "/crm/v4/associations/{fromObjectType}/{toObjectType}/batch/associate/default", tool="batch_create_default_associations", mcp=False,
    status=200,
)  # fmt: skip
def batch_create_default_associations(ctx: Ctx, fromObjectType: str, toObjectType: str, inputs: list[Pair]) -> Reply:
    """Associates pairs of records without labels.

    fromObjectType: The type associations start from.
    toObjectType: The type they lead to.
    inputs: The pairs, each {from: {id}, to: {id}}.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    check_size(inputs)
    return batch(ctx, [made for one in inputs for made in default(ctx, start, one["from"]["id"], end, one["to"]["id"])])


@app.post(
    "/crm/v4/associations/{fromObjectType}/{toObjectType}/batch/read",
    tool="batch_read_associations",
    mcp=False,
    effect="read",
)
def batch_read_associations(ctx: Ctx, fromObjectType: str, toObjectType: str, inputs: list[From]) -> Reply:
    """Reads the associations of up to 1,000 records.

    fromObjectType: The records' type.
    toObjectType: The type of what they are associated with.
    inputs: The records, each {id}.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    check_size(inputs, 1000)
    results, missing = list[dict[str, Any]](), list[dict[str, Any]]()
    for one in inputs:
        found = listed(ctx, start, one["id"], end, one.get("after"), 1000)
        if found["results"]:
            results.append(
                {
                    "from": {"id": one["id"]},
                    "to": found["results"],
                    **({"paging": found["paging"]} if "paging" in found else {}),
                }
            )
            continue
        missing.append(unassociated(start, one["id"], end))
    return batch(ctx, results, missing or None)


@app.post(
    "/crm/v4/associations/{fromObjectType}/{toObjectType}/batch/archive", tool="batch_remove_associations", mcp=False, effect="delete",
    status=204,
)  # fmt: skip
def batch_remove_associations(ctx: Ctx, fromObjectType: str, toObjectType: str, inputs: list[Many]) -> Any:
    """Removes every association between pairs of records.

    fromObjectType: The type associations start from.
    toObjectType: The type they lead to.
    inputs: The pairs, each {from: {id}, to: [{id}]}.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    check_size(inputs)
    for one in inputs:
        for other in one["to"]:
            associations.unlink(ctx, start, one["from"]["id"], end, other["id"])
    return done(ctx, {"removed": True})


@app.post(
    "/crm/v4/associations/{fromObjectType}/{toObjectType}/batch/labels/archive", tool="batch_remove_association_labels", mcp=False,
    effect="delete", status=204,
)  # fmt: skip
def batch_remove_association_labels(ctx: Ctx, fromObjectType: str, toObjectType: str, inputs: list[Pair]) -> Any:
    """Removes single types from associations.

    fromObjectType: The type associations start from.
    toObjectType: The type they lead to.
    inputs: The pairs, each {from: {id}, to: {id}, types}.
    """
    start, end = resolve(ctx, fromObjectType), resolve(ctx, toObjectType)
    check_size(inputs)
    for one in inputs:
        ids = chosen(ctx, start, end, one.get("types") or [])
        associations.unlink(ctx, start, one["from"]["id"], end, one["to"]["id"], ids)
    return done(ctx, {"removed": True})
