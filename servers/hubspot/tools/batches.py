"""Batches of any object type: read, create, update, upsert, archive."""

from typing import Annotated, Any, NotRequired

from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from legoenv_mcp.app import ApiError, Ctx, Query, Reply

from .. import errors, records, times
from ..app import app, done
from ..kinds import Kind, resolve
from .objects import Id, Link, ObjectId, Properties, links

# Spelt out, the tool's schema would be nested deeper than model APIs take.
Links = Annotated[
    list[Link], WithJsonSchema({"type": "array", "items": {"type": "object"}, "description": "Associations to make."})
]


class NewObject(TypedDict):
    """A record to create."""

    properties: Properties
    associations: NotRequired[Links | None]
    objectWriteTraceId: NotRequired[str | None]


class ChangedObject(TypedDict):
    """A record to change."""

    id: Id
    properties: Properties
    idProperty: NotRequired[str | None]
    objectWriteTraceId: NotRequired[str | None]


def batch(
    ctx: Ctx, results: list[dict[str, Any]], failed: list[dict[str, Any]] | None = None, status: int = 200
) -> Reply:
    """A batch's answer: 207 where a part of it failed."""
    at = times.shown(times.now(ctx))
    made: dict[str, Any] = {"status": "COMPLETE", "results": results}
    if failed:
        made |= {"numErrors": len(failed), "errors": failed}
    return Reply({**made, "startedAt": at, "completedAt": at}, 207 if failed else status)


def check_size(inputs: list[Any], limit: int = 100) -> None:
    if not inputs:
        raise errors.bad_request("The batch is empty: at least one input is needed")
    if len(inputs) > limit:
        raise errors.bad_request(
            f"The maximum number of inputs supported in a batch request is {limit}",
            subCategory="crm.objects.BATCH_LIMIT",
        )


def check_distinct(ids: list[str]) -> None:
    twice = sorted({i for i in ids if ids.count(i) > 1}) if len(set(ids)) < len(ids) else []
    if twice:
        raise errors.bad_request(
            f"Duplicate IDs found in batch input: [{', '.join(twice)}]. IDs must be unique", context={"ids": twice}
        )


def absent(kind: Kind, ids: list[str], verb: str = "get") -> dict[str, Any]:
    """What a batch says of records that are not there."""
    return {
        "status": "error", "category": "OBJECT_NOT_FOUND", "context": {"ids": ids},
        "message": f"Could not {verb} some {kind.singular.upper()} objects, they may be deleted or not exist. Check that ids are valid.",
    }  # fmt: skip


@app.post("/crm/v3/objects/{objectType}/batch/read", tool="batch_read_objects", effect="read")
def batch_read_objects(
    ctx: Ctx, objectType: str, inputs: list[ObjectId], properties: list[str] | None = None,
    propertiesWithHistory: list[str] | None = None, idProperty: str | None = None,
    archived: Annotated[bool, Query()] = False,
) -> Reply:  # fmt: skip
    """Reads up to 100 records of a type by their ids. Those that are not there are listed under errors.

    objectType: The records' type, e.g. contacts, companies, deals, tickets, tasks.
    inputs: The records, each {id}.
    properties: Names of the properties to return; a few basic ones where left out.
    propertiesWithHistory: Properties to return with their earlier values.
    idProperty: The unique property that the ids are values of, e.g. email for contacts.
    archived: Reads archived records.
    """
    kind = resolve(ctx, objectType)
    check_size(inputs)
    found, missing = list[dict[str, Any]](), list[str]()
    for one in dict.fromkeys(i["id"] for i in inputs):
        row = records.find(ctx, kind, one, idProperty, archived)
        if row is None:
            missing.append(one)
        else:
            found.append(records.shown(ctx, kind, row, properties, history=propertiesWithHistory))
    return batch(ctx, found, [absent(kind, missing)] if missing else None)


@app.post("/crm/v3/objects/{objectType}/batch/create", tool="batch_create_objects", status=201)
def batch_create_objects(ctx: Ctx, objectType: str, inputs: list[NewObject]) -> Reply:
    """Creates up to 100 records of a type. One input that is refused refuses them all, unless every input has an objectWriteTraceId
    of its own: then the others are created, and the refused ones listed under errors by that id.

    objectType: The records' type, e.g. contacts, companies, deals, tickets, tasks, notes.
    inputs: The records, each {properties, associations: [{to: {id}, types: [{associationCategory, associationTypeId}]}]}, with an
      objectWriteTraceId (any text) where they are to stand or fall one by one.
    """
    kind = resolve(ctx, objectType)
    check_size(inputs)
    traces = [one.get("objectWriteTraceId") or "" for one in inputs]
    apart, made, failed = (
        all(traces) and len(set(traces)) == len(traces),
        list[tuple[Any, str]](),
        list[dict[str, Any]](),
    )
    for one, trace in zip(inputs, traces, strict=True):
        try:
            made.append((records.create(ctx, kind, one["properties"], links(one.get("associations"))), trace))
        except ApiError as error:  # records.create checks everything before it writes anything
            if not apart:
                raise
            told = records.refused(error)
            failed.append({**told, "context": {**told["context"], "objectWriteTraceId": [trace]}})
    results = [
        {**records.whole(ctx, kind, row), **({"objectWriteTraceId": trace} if trace else {})} for row, trace in made
    ]
    return batch(ctx, results, failed, status=201)


@app.post("/crm/v3/objects/{objectType}/batch/update", tool="batch_update_objects", effect="update", status=200)
def batch_update_objects(ctx: Ctx, objectType: str, inputs: list[ChangedObject]) -> Reply:
    """Changes up to 100 records of a type. Records that are not there are listed under errors; a value that does not fit refuses all.

    objectType: The records' type, e.g. contacts, companies, deals, tickets, tasks.
    inputs: The changes, each {id, properties}, with idProperty where the id is a value of a unique property.
    """
    kind = resolve(ctx, objectType)
    check_size(inputs)
    check_distinct([i["id"] for i in inputs])
    results, missing = list[dict[str, Any]](), list[str]()
    for one in inputs:
        row = records.find(ctx, kind, one["id"], one.get("idProperty"))
        if row is None:
            missing.append(one["id"])
            continue
        row = records.update(ctx, kind, row, one["properties"])
        results.append(records.shown(ctx, kind, row, also=list(one["properties"])))
    return batch(ctx, results, [absent(kind, missing)] if missing else None)


def upsert(ctx: Ctx, kind: Kind, inputs: list[ChangedObject]) -> Reply:
    """Changes the records that there are by a unique property, creates the others."""
    check_size(inputs)
    check_distinct([i["id"] for i in inputs])
    results = list[dict[str, Any]]()
    for one in inputs:
        by = one.get("idProperty")
        row = records.find(ctx, kind, one["id"], by)
        new = row is None
        if row is None:
            if not by or by == "hs_object_id":
                raise errors.no_object(one["id"])
            row = records.create(ctx, kind, {by: one["id"], **one["properties"]})
        else:
            row = records.update(ctx, kind, row, one["properties"])
        results.append({**records.shown(ctx, kind, row, also=[*one["properties"], *([by] if by else [])]), "new": new})
    return batch(ctx, results)


@app.post(
    "/crm/v3/objects/{objectType}/batch/upsert", tool="batch_upsert_objects", effect="update", mcp=False, status=200
)
def batch_upsert_objects(ctx: Ctx, objectType: str, inputs: list[ChangedObject]) -> Reply:
    """Creates or changes up to 100 records of a type by a unique property.

    objectType: The records' type.
    inputs: The records, each {id, idProperty, properties}.
    """
    return upsert(ctx, resolve(ctx, objectType), inputs)


@app.post(
    "/crm/v3/objects/{objectType}/batch/archive", tool="batch_archive_objects", effect="delete", mcp=False, status=204
)
def batch_archive_objects(ctx: Ctx, objectType: str, inputs: list[ObjectId]) -> Any:
    """Archives up to 100 records of a type; ids that are not there are passed over.

    objectType: The records' type.
    inputs: The records, each {id}.
    """
    kind = resolve(ctx, objectType)
    check_size(inputs)
    rows = [records.find(ctx, kind, one) for one in dict.fromkeys(i["id"] for i in inputs)]
    for row in rows:
        if row is not None:
            records.archive(ctx, kind, row)
    return done(ctx, {"archived": [row.id for row in rows if row is not None]})
