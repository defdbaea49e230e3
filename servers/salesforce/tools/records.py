"""sObject records. https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_sobject_basic_info.htm"""

import base64
import re
from datetime import timedelta
from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Payload, Reply, ToolOnly

from .. import errors, ids, metadata, records, times
from ..app import app, base_path, done
from ..soql.run import Run, record
from ..soql.syntax import At, Compare, Literal, Path, Query, Selected

REPLICATION = timedelta(days=30)


def allows_duplicates(ctx: Ctx, asked: bool = False) -> bool:
    """Whether the caller means a duplicate: the header over REST, a parameter over MCP."""
    return asked or bool(
        re.search(r"allowSave\s*=\s*true", ctx.request.headers.get("sforce-duplicate-rule-header", ""), re.I)
    )


def saved(record_id: str, **more: Any) -> dict[str, Any]:
    return {"id": record_id, "success": True, "errors": [], **more}


@app.post("/services/data/v{version}/sobjects/{sobject}", tool="create_record", status=201)
def create_record(
    ctx: Ctx, sobject: str, fields: Annotated[dict[str, Any], Payload()], allow_save: Annotated[bool, ToolOnly()] = False
) -> Reply:  # fmt: skip
    """Creates a record of any type and answers its id. Needed are: Account Name; Contact LastName; Lead LastName and Company;
    Opportunity Name, StageName and CloseDate; Campaign and Product2 Name. The owner is the current user where OwnerId is left out.
    describe_sobject lists a type's fields, its picklist values and which are required. Duplicate rules block records that look
    like existing ones.

    sobject: The type's API name, e.g. Account, Contact, Lead, Opportunity, Case, Task.
    fields: Field API names with their values, e.g. {"LastName": "Okoro", "Email": "ada@firm.example", "AccountId": id}. References
      take ids, dates YYYY-MM-DD, times ISO 8601 with zone, checkboxes true or false, multi-select picklists "One;Two".
    allow_save: Saves the record although a duplicate rule warns.
    """
    kind = records.kind_of(sobject)
    made = records.create(ctx, kind, fields, allow_save=allows_duplicates(ctx, allow_save))
    return Reply(saved(made), 201, {"Location": f"{base_path(ctx)}/sobjects/{kind.name}/{made}"})


@app.get("/services/data/v{version}/sobjects/{sobject}/{id}", tool="get_record")
def get_record(ctx: Ctx, sobject: str, id: str, fields: str | None = None) -> dict[str, Any]:
    """Gets a record by id.

    sobject: The type's API name.
    id: The record's id, of 15 or 18 characters.
    fields: The fields to return, separated by commas; all where left out.
    """
    kind = records.kind_of(sobject)
    row = records.find(ctx, kind, id)
    wanted = [f.strip() for f in fields.split(",") if f.strip()] if fields else None
    return record(ctx, kind, row, base_path(ctx), wanted)


@app.patch("/services/data/v{version}/sobjects/{sobject}/{id}", tool="update_record", status=204)
def update_record(
    ctx: Ctx, sobject: str, id: str, fields: Annotated[dict[str, Any], Payload()], allow_save: Annotated[bool, ToolOnly()] = False
) -> Any:  # fmt: skip
    """Changes the fields that are sent. null clears a field. Set StageName to move an opportunity, OwnerId to hand a record over,
    Status to close a case or complete a task.

    sobject: The type's API name.
    id: The record's id, of 15 or 18 characters.
    fields: Field API names with their new values, e.g. {"StageName": "Closed Won"}; the others stay. No Id among them.
    allow_save: Saves the record although a duplicate rule warns.
    """
    kind = records.kind_of(sobject)
    row = records.find(ctx, kind, id)
    records.update(ctx, kind, row, fields, allow_save=allows_duplicates(ctx, allow_save))
    return done(ctx, saved(row.Id))


@app.delete("/services/data/v{version}/sobjects/{sobject}/{id}", tool="delete_record", status=204)
def delete_record(ctx: Ctx, sobject: str, id: str) -> Any:
    """Moves a record to the recycle bin, with the records that cannot be without it.

    sobject: The type's API name.
    id: The record's id, of 15 or 18 characters.
    """
    kind = records.kind_of(sobject)
    row = records.find(ctx, kind, id)
    records.delete(ctx, kind, row)
    return done(ctx, saved(row.Id))


def _one(ctx: Ctx, sobject: str, field: str, value: str) -> tuple[metadata.SObjectType, Any]:
    """The record with an external id; NOT_FOUND where there is none."""
    kind = records.kind_of(sobject)
    found = records.by_external_id(ctx, kind, field, value)
    if not found:
        raise errors.not_found()
    return kind, found[0]


@app.patch(
    "/services/data/v{version}/sobjects/{sobject}/{field}/{value}", tool="upsert_by_external_id", idempotent=True
)
def upsert_by_external_id(
    ctx: Ctx, sobject: str, field: str, value: str, fields: Annotated[dict[str, Any], Payload()],
    allow_save: Annotated[bool, ToolOnly()] = False,
) -> Reply:  # fmt: skip
    """Updates the record with this external id, or creates it where there is none.

    sobject: The type's API name.
    field: The external id field, e.g. External_Id__c.
    value: The external id.
    fields: The other fields and their values.
    allow_save: Saves the record although a duplicate rule warns.
    """
    kind = records.kind_of(sobject)
    return upsert(ctx, kind, field, value, fields, allows_duplicates(ctx, allow_save))


def upsert(
    ctx: Ctx, kind: metadata.SObjectType, field: str, value: str, fields: dict[str, Any], allow_save: bool
) -> Reply:
    found = records.by_external_id(ctx, kind, field, value)
    info = kind.field(field)
    assert info is not None
    if not value.strip():
        raise errors.refusal("MISSING_ARGUMENT", f"{info.name} not specified")
    given = {k: v for k, v in fields.items() if k.lower() != field.lower()}
    if found:
        records.update(ctx, kind, found[0], given, allow_save=allow_save)
        return Reply(saved(found[0].Id, created=False), 200)
    if info.type == "id":
        raise errors.not_found()
    made = records.create(ctx, kind, {**given, info.name: value}, allow_save=allow_save)
    return Reply(saved(made, created=True), 201)


@app.operation("GET", "", tool="get_record_by_external_id")
def get_record_by_external_id(ctx: Ctx, sobject: str, field: str, value: str) -> dict[str, Any]:
    """Gets a record by its external id.

    sobject: The type's API name.
    field: The external id field, e.g. External_Id__c.
    value: The external id.
    """
    kind, row = _one(ctx, sobject, field, value)
    return record(ctx, kind, row, base_path(ctx))


@app.operation("GET", "", tool="get_related_records")
def get_related_records(
    ctx: Ctx, sobject: str, id: str, relationship: str, fields: str | None = None
) -> dict[str, Any]:
    """Gets the records that a relationship leads to: children (Contacts of an Account) or the parent (Account of a Contact).

    sobject: The type's API name.
    id: The record's id.
    relationship: The relationship's name, e.g. Contacts, Opportunities, Account, Owner.
    fields: The fields to return, separated by commas; all where left out.
    """
    kind = records.kind_of(sobject)
    row = records.find(ctx, kind, id)
    wanted = [f.strip() for f in fields.split(",") if f.strip()] if fields else None
    if (link := kind.relations.get(relationship.lower())) is not None:
        parent_id = getattr(row, link.name)
        parent = metadata.of_id(parent_id) if parent_id else None
        if parent is None:
            raise errors.not_found(f"The requested resource does not exist: {relationship} is empty")
        return record(ctx, parent, ctx.require(parent.cls, parent_id), base_path(ctx), wanted)
    children = kind.children.get(relationship.lower())
    if children is None:
        names = [f.spec.relation for f in kind.relations.values()] + [c.name for c in kind.children.values()]
        raise errors.not_found(hint=metadata.similar(relationship, names, "relationships"))
    child = metadata.TYPES[children.child.lower()]
    names = wanted or [f.name for f in child.fields.values()]
    items = tuple(Selected(Path(tuple(n.split(".")), At())) for n in names)
    query = Query(
        child.name,
        At(),
        items,
        where=Compare(Path((children.field,), At()), "=", Literal("string", f"'{row.Id}'", At())),
    )
    total, found = Run(ctx, "", base=base_path(ctx)).records(query)
    return {"totalSize": total, "done": True, "records": found}


@app.get("/services/data/v{version}/sobjects/{sobject}/{field}/{value}", tool="get_by_path", mcp=False)
def get_by_path(ctx: Ctx, sobject: str, field: str, value: str, fields: str | None = None) -> Any:
    """Gets a record by external id, or what a relationship of a record leads to.

    sobject: The type's API name.
    field: The external id field, or a record's id.
    value: The external id, or the relationship's name.
    fields: The fields to return, separated by commas.
    """
    kind = records.kind_of(sobject)
    if kind.field(field) is None and ids.full(field):
        info = kind.field(value)
        if info is not None and info.type == "base64":
            content = getattr(records.find(ctx, kind, field), info.name) or ""
            return Reply(base64.b64decode(content), media_type="application/octet-stream")
        return get_related_records(ctx, sobject, field, value, fields)
    kind, row = _one(ctx, sobject, field, value)
    return record(ctx, kind, row, base_path(ctx), [f.strip() for f in fields.split(",")] if fields else None)


@app.delete(
    "/services/data/v{version}/sobjects/{sobject}/{field}/{value}", tool="delete_by_external_id", mcp=False, status=204
)
def delete_by_external_id(ctx: Ctx, sobject: str, field: str, value: str) -> Any:
    """Deletes the record with this external id.

    sobject: The type's API name.
    field: The external id field.
    value: The external id.
    """
    kind, row = _one(ctx, sobject, field, value)
    records.delete(ctx, kind, row)
    return done(ctx, saved(row.Id))


@app.operation("POST", "", tool="undelete_records", effect="update", destructive=False)
def undelete_records(ctx: Ctx, ids_: Annotated[list[str], ToolOnly()]) -> list[dict[str, Any]]:
    """Takes records out of the recycle bin, with those that were deleted along with them (the SOAP API's undelete call).

    ids_: The records' ids.
    """
    return [_restored(ctx, record_id) for record_id in ids_]


def _restored(ctx: Ctx, record_id: str) -> dict[str, Any]:
    full = ids.full(record_id)
    kind = metadata.of_id(full) if full else None
    row = ctx.db.get(kind.cls, full) if kind else None
    if kind is None or row is None:
        raise errors.refusal(
            "MALFORMED_ID" if full is None else "INVALID_CROSS_REFERENCE_KEY", f"malformed or unknown id {record_id}"
        )
    records.undelete(ctx, kind, row)
    return saved(row.Id)


def _moment(name: str, value: str) -> str:
    made = times.read_datetime(value.replace(" ", "+"))
    if made is None:
        raise errors.refusal("INVALID_REPLICATION_DATE", f"{name}: {value} is not a date and time", listed=False)
    return made


def _span(ctx: Ctx, start: str, end: str) -> tuple[str, str]:
    """The replication window asked for: it starts within the last 30 days and before it ends."""
    begin, finish = _moment("start", start), _moment("end", end)
    if begin >= finish:
        raise errors.refusal("INVALID_REPLICATION_DATE", "startDate is on or after endDate", listed=False)
    if begin < times.stamp(ctx.now - REPLICATION):
        raise errors.refusal("INVALID_REPLICATION_DATE", "startDate cannot be more than 30 days ago", listed=False)
    return begin, finish


@app.get("/services/data/v{version}/sobjects/{sobject}/updated", tool="get_updated_records")
def get_updated_records(ctx: Ctx, sobject: str, start: str, end: str) -> dict[str, Any]:
    """Lists the ids of records created or changed in a time span of the last 30 days.

    sobject: The type's API name.
    start: The span's start, as ISO 8601 with time zone.
    end: The span's end.
    """
    kind = records.kind_of(sobject)
    begin, finish = _span(ctx, start, end)
    rows = ctx.db.find(
        kind.cls, order="SystemModstamp", IsDeleted=False, SystemModstamp__ge=begin, SystemModstamp__le=finish
    )
    return {"ids": [row.Id for row in rows], "latestDateCovered": min(finish, times.stamp(ctx.now))}


@app.get("/services/data/v{version}/sobjects/{sobject}/deleted", tool="get_deleted_records")
def get_deleted_records(ctx: Ctx, sobject: str, start: str, end: str) -> dict[str, Any]:
    """Lists the records deleted in a time span of the last 30 days.

    sobject: The type's API name.
    start: The span's start, as ISO 8601 with time zone.
    end: The span's end.
    """
    kind = records.kind_of(sobject)
    begin, finish = _span(ctx, start, end)
    rows = ctx.db.find(
        kind.cls, order="SystemModstamp", IsDeleted=True, SystemModstamp__ge=begin, SystemModstamp__le=finish
    )
    return {
        "deletedRecords": [{"deletedDate": row.SystemModstamp, "id": row.Id} for row in rows],
        "earliestDateAvailable": times.stamp(ctx.now - REPLICATION), "latestDateCovered": min(finish, times.stamp(ctx.now)),
    }  # fmt: skip
