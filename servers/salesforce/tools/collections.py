"""Many records in one call. https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_sobjects_collections.htm"""

from collections.abc import Callable
from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Reply, ToolOnly

from .. import errors, ids, metadata, records
from ..app import app, base_path
from ..soql.run import record
from .records import allows_duplicates, saved

MAX_RECORDS = 200
_ROLLED_BACK = {
    "statusCode": "ALL_OR_NONE_OPERATION_ROLLED_BACK",
    "message": "Record rolled back because not all records were valid and the request was using AllOrNone header",
    "fields": [],
}  # fmt: skip


def _limited(given: list[Any]) -> None:
    if not given:
        raise errors.refusal("REQUIRED_FIELD_MISSING", "Required fields are missing: [records]", "records")
    if len(given) > MAX_RECORDS:
        raise errors.refusal(
            "EXCEEDED_ID_LIMIT", f"record limit reached. cannot submit more than {MAX_RECORDS} records in this request"
        )


def _type_of(given: dict[str, Any]) -> str:
    attributes = given.get("attributes")
    name = attributes.get("type") if isinstance(attributes, dict) else None
    if not isinstance(name, str):
        raise errors.refusal("INVALID_FIELD", "Each record must name its type in attributes", listed=False)
    if name.lower() not in metadata.TYPES:
        raise errors.refusal("INVALID_TYPE", f"sObject type '{name}' is not supported.", listed=False)
    return name


def result(reply: Reply, record_id: str = "") -> dict[str, Any]:
    """One record's outcome in a collection."""
    if reply.error:
        return {**({"id": record_id} if record_id else {}), "success": False, "errors": errors.as_result(reply.body)}
    return reply.body if isinstance(reply.body, dict) else saved(record_id)


def each(all_or_none: bool, given: list[Any], one: Callable[[Any], dict[str, Any]]) -> Any:
    """Every record's outcome. With all-or-none one failure undoes the others, which is said in their results."""
    results = [one(g) for g in given]
    if not all_or_none or all(r["success"] for r in results):
        return results
    undone = [r if not r["success"] else {"success": False, "errors": [_ROLLED_BACK]} for r in results]
    # An error reply undoes what the call wrote; HTTP still says 200, as the API does.
    return Reply(undone, 400, error=True, wire_status=200)


@app.post("/services/data/v{version}/composite/sobjects", tool="create_records_collection")
def create_records_collection(
    ctx: Ctx, records: list[dict[str, Any]], allOrNone: bool = False, allow_save: Annotated[bool, ToolOnly()] = False
) -> Any:  # fmt: skip
    """Creates up to 200 records, of one or several types.

    records: The records' fields, each with attributes, an object whose type is the type's API name.
    allOrNone: Undoes everything if one record fails.
    allow_save: Saves records although a duplicate rule warns.
    """
    _limited(records)
    allow = allows_duplicates(ctx, allow_save)
    return each(
        allOrNone,
        records,
        lambda g: result(ctx.call("create_record", {"sobject": _type_of(g), "fields": g, "allow_save": allow})),
    )


def _with_id(given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    key = next((k for k in given if k.lower() == "id"), None)
    if key is None or not isinstance(given[key], str):
        raise errors.refusal("MISSING_ARGUMENT", "Id not specified in an update call", "id")
    return given[key], {k: v for k, v in given.items() if k != key}


def _update(ctx: Ctx, given: dict[str, Any], allow: bool) -> dict[str, Any]:
    record_id, fields = _with_id(given)
    wrong = _wrong_id(ctx, record_id, _type_of(given))
    if wrong is not None:
        return wrong
    arguments = {"sobject": _type_of(given), "id": record_id, "fields": fields, "allow_save": allow}
    return result(ctx.call("update_record", arguments), record_id)


def _wrong_id(ctx: Ctx, record_id: str, sobject: str) -> dict[str, Any] | None:
    """In a record's result an unknown id is a bad reference, not a missing resource."""
    full = ids.full(record_id)
    if full is None:
        error = errors.refusal("MALFORMED_ID", f"Record ID: id value of incorrect type: {record_id}", "Id")
    elif ctx.db.get(records.kind_of(sobject).cls, full) is None:
        error = errors.cross_reference()
    else:
        return None
    return {"success": False, "errors": errors.as_result(errors.body(error))}


@app.patch("/services/data/v{version}/composite/sobjects", tool="update_records_collection")
def update_records_collection(
    ctx: Ctx, records: list[dict[str, Any]], allOrNone: bool = False, allow_save: Annotated[bool, ToolOnly()] = False
) -> Any:  # fmt: skip
    """Changes up to 200 records, of one or several types.

    records: The fields to change, each with id and attributes, an object whose type is the type's API name.
    allOrNone: Undoes everything if one record fails.
    allow_save: Saves records although a duplicate rule warns.
    """
    _limited(records)
    allow = allows_duplicates(ctx, allow_save)
    return each(allOrNone, records, lambda g: _update(ctx, g, allow))


@app.patch("/services/data/v{version}/composite/sobjects/{sobject}/{field}", tool="upsert_records_collection")
def upsert_records_collection(
    ctx: Ctx, sobject: str, field: str, records: list[dict[str, Any]], allOrNone: bool = False
) -> Any:
    """Creates or updates up to 200 records of one type by external id.

    sobject: The type's API name.
    field: The external id field.
    records: The records' fields, with the external id among them.
    allOrNone: Undoes everything if one record fails.
    """
    _limited(records)

    def one(given: dict[str, Any]) -> dict[str, Any]:
        value = next((v for k, v in given.items() if k.lower() == field.lower()), None)
        if value is None:
            error = errors.refusal("MISSING_ARGUMENT", f"{field} not specified", field)
            return {"success": False, "errors": errors.as_result(errors.body(error))}
        return result(
            ctx.call(
                "upsert_by_external_id", {"sobject": sobject, "field": field, "value": str(value), "fields": given}
            )
        )

    return each(allOrNone, records, one)


@app.delete("/services/data/v{version}/composite/sobjects", tool="delete_records_collection")
def delete_records_collection(ctx: Ctx, ids: str, allOrNone: bool = False) -> Any:
    """Moves up to 200 records to the recycle bin.

    ids: The records' ids, separated by commas.
    allOrNone: Undoes everything if one record fails.
    """
    wanted = [i.strip() for i in ids.split(",") if i.strip()]
    _limited(wanted)
    return each(allOrNone, wanted, lambda record_id: _delete(ctx, record_id))


def _delete(ctx: Ctx, record_id: str) -> dict[str, Any]:
    full = ids.full(record_id)
    kind = metadata.of_id(full) if full else None
    if kind is None:
        error = errors.refusal("MALFORMED_ID", f"malformed id {record_id}")
        return {"id": record_id, "success": False, "errors": errors.as_result(errors.body(error))}
    wrong = _wrong_id(ctx, record_id, kind.name)
    if wrong is not None:
        return {"id": record_id, **wrong}
    return result(ctx.call("delete_record", {"sobject": kind.name, "id": record_id}), record_id)


def _several(ctx: Ctx, sobject: str, wanted: list[str], fields: list[str]) -> list[Any]:
    kind, found = records.kind_of(sobject), list[Any]()
    for record_id in wanted[:2000]:
        full = ids.full(record_id.strip())
        row = ctx.db.get(kind.cls, full) if full else None
        found.append(None if row is None or row.IsDeleted else record(ctx, kind, row, base_path(ctx), fields))
    return found


@app.get("/services/data/v{version}/composite/sobjects/{sobject}", tool="get_records_collection")
def get_records_collection(ctx: Ctx, sobject: str, ids: str, fields: str) -> list[Any]:
    """Gets several records of one type by id; null stands where there is none.

    sobject: The type's API name.
    ids: The records' ids, separated by commas.
    fields: The fields to return, separated by commas.
    """
    return _several(ctx, sobject, ids.split(","), [f.strip() for f in fields.split(",") if f.strip()])


@app.post(
    "/services/data/v{version}/composite/sobjects/{sobject}",
    tool="get_records_collection_post",
    effect="read",
    mcp=False,
)
def get_records_collection_post(ctx: Ctx, sobject: str, ids: list[str], fields: list[str]) -> list[Any]:
    """Gets several records of one type by id, for lists too long for a query string.

    sobject: The type's API name.
    ids: The records' ids.
    fields: The fields to return.
    """
    return _several(ctx, sobject, ids, fields)
