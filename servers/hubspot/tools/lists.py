"""Lists (segments) of records. https://developers.hubspot.com/docs/api-reference/crm-lists-v3/guide"""

from typing import Annotated, Any, Literal

from pydantic import Field

from legoenv_mcp.app import Ctx, Payload, Query

from .. import errors, records, segments, times
from ..app import app, done
from ..kinds import resolve
from ..models import Membership, ObjectList
from .objects import Id

Processing = Literal["MANUAL", "SNAPSHOT", "DYNAMIC"]
Ids = Annotated[list[str | int], Payload()]


def shown(ctx: Ctx, row: ObjectList, filters: bool = False) -> dict[str, Any]:
    made: dict[str, Any] = {
        "listId": row.id, "listVersion": row.version, "name": row.name, "objectTypeId": resolve(ctx, row.object_type).type_id,
        "processingType": row.processing_type, "processingStatus": "COMPLETE", "createdById": row.created_by, "updatedById": row.created_by,
        "createdAt": times.shown(row.created_at), "updatedAt": times.shown(row.updated_at),
        "filtersUpdatedAt": times.shown(row.filters_updated_at or row.created_at),
        "size": len(segments.members(ctx, row)),
    }  # fmt: skip
    if row.deleted_at:
        made["deletedAt"] = times.shown(row.deleted_at)
    if filters and row.filter_branch is not None:
        made["filterBranch"] = row.filter_branch
    return made


def require(ctx: Ctx, list_id: str, deleted: bool = False) -> ObjectList:
    row = ctx.db.get(ObjectList, list_id)
    if row is None or bool(row.deleted_at) != deleted:
        raise errors.not_found(
            f"List does not exist with ID {list_id}.", context={"listId": [list_id]}, subCategory="ILS.LIST_NOT_FOUND"
        )
    return row


def check_name(ctx: Ctx, name: str, but: str = "") -> None:
    if not name.strip():
        raise errors.bad_request(
            "The list name must not be blank", errors=[{"message": "must not be blank", "in": "name"}]
        )
    if any(x.id != but and x.name.lower() == name.lower() for x in ctx.db.find(ObjectList, deleted_at__null=True)):
        raise errors.bad_request(
            f"A list with the name '{name}' already exists.", subCategory="ILS.DUPLICATE_LIST_NAMES"
        )


@app.post("/crm/v3/lists", tool="create_list", status=200)
def create_list(
    ctx: Ctx, name: str, objectTypeId: str, processingType: Processing, filterBranch: dict[str, Any] | None = None,
    listFolderId: Annotated[int | None, Field(ge=0)] = None, customProperties: dict[str, str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a list of records of one type. MANUAL lists get their members by hand (add_list_members), DYNAMIC ones by filters at any
    time, SNAPSHOT ones by filters once and then by hand.

    name: The list's name, unique in the account.
    objectTypeId: The type of its records: 0-1 contacts, 0-2 companies, 0-3 deals, 0-5 tickets.
    processingType: How members are decided on.
    filterBranch: {filterBranchType: OR, filterBranches: [{filterBranchType: AND, filters: [{filterType: PROPERTY, property, operation:
      {operationType, operator, value or values}}]}]}. Operators are IS_EQUAL_TO, IS_ANY_OF, CONTAINS, IS_GREATER_THAN, IS_KNOWN etc.
    listFolderId: The folder; there is only the top one, 0.
    customProperties: Ignored.
    """
    kind = resolve(ctx, objectTypeId)
    check_name(ctx, name)
    if processingType == "MANUAL" and filterBranch is not None:
        raise errors.bad_request("MANUAL lists cannot have a filterBranch", subCategory="ILS.INVALID_LIST_FILTERS")
    if processingType != "MANUAL" and filterBranch is None:
        raise errors.bad_request(
            f"{processingType} lists must have a filterBranch", subCategory="ILS.INVALID_LIST_FILTERS"
        )
    found = segments.matching(ctx, kind, filterBranch) if filterBranch is not None else []
    at, user = times.now(ctx), records.current_user(ctx)
    row = ctx.db.add(
        ObjectList(
            id=str(ctx.sequence("list", start=1)), name=name, object_type=kind.name, processing_type=processingType,
            filter_branch=filterBranch, created_by=str(user or ""), created_at=at, updated_at=at, filters_updated_at=at,
        )
    )  # fmt: skip
    if processingType == "SNAPSHOT":
        for one in found:
            ctx.db.add(Membership(list_id=row.id, record_id=one.id, joined_at=at))
    return {"list": shown(ctx, row, True)}


@app.get("/crm/v3/lists", tool="list_lists", mcp=False)
def list_lists(ctx: Ctx, listIds: list[Id] | None = None, includeFilters: bool = False) -> dict[str, Any]:
    """Gets lists by their ids.

    listIds: The ids.
    includeFilters: Returns the filters as well.
    """
    rows = [
        r for i in dict.fromkeys(listIds or []) if (r := ctx.db.get(ObjectList, i)) is not None and not r.deleted_at
    ]
    return {"lists": [shown(ctx, r, includeFilters) for r in rows]}


@app.get("/crm/v3/lists/{listId}", tool="get_list")
def get_list(ctx: Ctx, listId: Id, includeFilters: bool = False) -> dict[str, Any]:
    """Gets a list: its name, type, how its members are decided on, and how many there are.

    listId: The list's id.
    includeFilters: Returns the filters as well.
    """
    return {"list": shown(ctx, require(ctx, listId), includeFilters)}


@app.get("/crm/v3/lists/object-type-id/{objectTypeId}/name/{listName}", tool="get_list_by_name", mcp=False)
def get_list_by_name(ctx: Ctx, objectTypeId: str, listName: str, includeFilters: bool = False) -> dict[str, Any]:
    """Gets a list by its name.

    objectTypeId: The type of its records.
    listName: The name.
    includeFilters: Returns the filters as well.
    """
    kind = resolve(ctx, objectTypeId)
    rows = [
        r
        for r in ctx.db.find(ObjectList, object_type=kind.name, deleted_at__null=True)
        if r.name.lower() == listName.lower()
    ]
    if not rows:
        raise errors.not_found(
            f"List does not exist with name {listName} and object type ID {kind.type_id}.",
            subCategory="ILS.LIST_NOT_FOUND",
        )
    return {"list": shown(ctx, rows[0], includeFilters)}


@app.post("/crm/v3/lists/search", tool="search_lists", effect="read")
def search_lists(
    ctx: Ctx, query: str | None = None, listIds: list[Id] | None = None, processingTypes: list[str] | None = None,
    objectTypeId: str | None = None, count: Annotated[int, Field(ge=1, le=500)] = 20, offset: Annotated[int, Field(ge=0)] = 0,
    additionalProperties: list[str] | None = None, sort: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Finds lists by their names.

    query: Text that the name contains; all lists where left out.
    listIds: Finds only these.
    processingTypes: MANUAL, SNAPSHOT, DYNAMIC.
    objectTypeId: The type of their records, e.g. 0-1 for contacts.
    count: How many to return.
    offset: How many to pass over.
    additionalProperties: More to tell of each list: hs_list_size is always told.
    sort: HS_LIST_ID or HS_LIST_NAME, with a minus for the other way round.
    """
    kind = resolve(ctx, objectTypeId) if objectTypeId else None
    rows = ctx.db.find(ObjectList, deleted_at__null=True, object_type=kind.name if kind else None)
    rows = [
        r for r in rows
        if (not query or query.lower() in r.name.lower()) and (not listIds or r.id in listIds)
        and (not processingTypes or r.processing_type in processingTypes)
    ]  # fmt: skip
    rows.sort(
        key=lambda r: r.name.lower() if sort and "NAME" in sort else f"{int(r.id):012}",
        reverse=bool(sort and sort.startswith("-")),
    )
    page = rows[offset : offset + count]
    made = []
    for row in page:
        one = shown(ctx, row)
        made.append({**one, "additionalProperties": {"hs_list_size": str(one.pop("size"))}})
    end = offset + len(page)
    return {"offset": end, "hasMore": end < len(rows), "lists": made, "total": len(rows)}


@app.put("/crm/v3/lists/{listId}/update-list-name", tool="rename_list", mcp=False)
def rename_list(
    ctx: Ctx, listId: Id, listName: Annotated[str, Query()], includeFilters: Annotated[bool, Query()] = False
) -> dict[str, Any]:  # fmt: skip
    """Renames a list.

    listId: The list's id.
    listName: The new name.
    includeFilters: Returns the filters as well.
    """
    row = require(ctx, listId)
    check_name(ctx, listName, listId)
    row = ctx.db.update(row, name=listName, updated_at=times.now(ctx), version=row.version + 1)
    return {"updatedList": shown(ctx, row, includeFilters)}


@app.put("/crm/v3/lists/{listId}/update-list-filters", tool="update_list_filters", mcp=False)
def update_list_filters(
    ctx: Ctx, listId: Id, filterBranch: dict[str, Any], enrollObjectsInWorkflows: Annotated[bool, Query()] = False
) -> dict[str, Any]:  # fmt: skip
    """Replaces the filters of a dynamic list.

    listId: The list's id.
    filterBranch: The new filters.
    enrollObjectsInWorkflows: Accepted; there are no workflows.
    """
    row = require(ctx, listId)
    if row.processing_type != "DYNAMIC":
        raise errors.bad_request(
            "Only the filters of DYNAMIC lists can be updated", subCategory="ILS.INVALID_LIST_PROCESSING_TYPE"
        )
    segments.matching(ctx, segments.kind_of(ctx, row), filterBranch)
    at = times.now(ctx)
    row = ctx.db.update(row, filter_branch=filterBranch, updated_at=at, filters_updated_at=at, version=row.version + 1)
    return {"updatedList": shown(ctx, row, True)}


@app.delete("/crm/v3/lists/{listId}", tool="delete_list", mcp=False, status=204)
def delete_list(ctx: Ctx, listId: Id) -> Any:
    """Deletes a list. It can be restored; its records stay.

    listId: The list's id.
    """
    ctx.db.update(require(ctx, listId), deleted_at=times.now(ctx))
    return done(ctx, {"listId": listId, "deleted": True})


@app.put("/crm/v3/lists/{listId}/restore", tool="restore_list", mcp=False, status=204)
def restore_list(ctx: Ctx, listId: Id) -> Any:
    """Restores a deleted list.

    listId: The list's id.
    """
    row = require(ctx, listId, deleted=True)
    check_name(ctx, row.name, listId)
    ctx.db.update(row, deleted_at=None)
    return done(ctx, {"listId": listId, "restored": True})


# Members


def by_hand(ctx: Ctx, list_id: str) -> ObjectList:
    row = require(ctx, list_id)
    if row.processing_type == "DYNAMIC":
        raise errors.bad_request(
            f"List {list_id} is DYNAMIC: its members follow from its filters and cannot be changed",
            subCategory="ILS.INVALID_LIST_PROCESSING_TYPE",
        )  # fmt: skip
    return row


def change(ctx: Ctx, row: ObjectList, add: list[Any], remove: list[Any]) -> dict[str, Any]:
    """Adds and removes members; ids of no record are told as missing."""
    kind, added, removed, missing = segments.kind_of(ctx, row), list[str](), list[str](), list[str]()
    for one in dict.fromkeys(map(str, add)):
        record = records.find(ctx, kind, one)
        if record is None:
            missing.append(one)
        elif ctx.db.get(Membership, (row.id, record.id)) is None:
            ctx.db.add(Membership(list_id=row.id, record_id=record.id, joined_at=times.now(ctx)))
            added.append(record.id)
    for one in dict.fromkeys(map(str, remove)):
        record = records.find(ctx, kind, one)
        member = ctx.db.get(Membership, (row.id, record.id if record else one))
        if member is not None:
            ctx.db.delete(member)
            removed.append(member.record_id)
        elif record is None:
            missing.append(one)
    return {"recordIdsMissing": missing, "recordIdsRemoved": removed, "recordsIdsAdded": added}


@app.get("/crm/v3/lists/{listId}/memberships", tool="list_memberships")
def list_memberships(
    ctx: Ctx, listId: Id, limit: Annotated[int, Field(ge=1, le=250)] = 100, after: Id | None = None, before: Id | None = None
) -> dict[str, Any]:  # fmt: skip
    """Lists the ids of a list's records, with the times they joined. Read the records with batch_read_objects.

    listId: The list's id.
    limit: How many a page has.
    after: Where to go on: paging.next.after of the page before.
    before: Where to go back from.
    """
    found = segments.members(ctx, require(ctx, listId))
    if before:
        rest = [m for m in found if m[0] < before]
        page, more = rest[-limit:], False
    else:
        rest = [m for m in found if not after or m[0] > after]
        page, more = rest[:limit], len(rest) > limit
    made: dict[str, Any] = {
        "results": [{"recordId": i, "membershipTimestamp": times.shown(at)} for i, at in page], "total": len(found),
    }  # fmt: skip
    if more:
        made["paging"] = {"next": {"after": page[-1][0]}}
    return made


@app.put("/crm/v3/lists/{listId}/memberships/add", tool="add_list_members")
def add_list_members(ctx: Ctx, listId: Id, recordIds: Ids) -> dict[str, Any]:
    """Adds records to a MANUAL or SNAPSHOT list. Ids of no record are answered as missing.

    listId: The list's id.
    recordIds: The ids of the records.
    """
    return change(ctx, by_hand(ctx, listId), recordIds, [])


@app.put("/crm/v3/lists/{listId}/memberships/remove", tool="remove_list_members", effect="delete")
def remove_list_members(ctx: Ctx, listId: Id, recordIds: Ids) -> dict[str, Any]:
    """Removes records from a MANUAL or SNAPSHOT list. The records themselves stay.

    listId: The list's id.
    recordIds: The ids of the records.
    """
    return change(ctx, by_hand(ctx, listId), [], recordIds)


@app.put("/crm/v3/lists/{listId}/memberships/add-and-remove", tool="change_list_members", mcp=False)
def change_list_members(
    ctx: Ctx, listId: Id, recordIdsToAdd: list[str | int], recordIdsToRemove: list[str | int]
) -> dict[str, Any]:  # fmt: skip
    """Adds records to a list and removes others.

    listId: The list's id.
    recordIdsToAdd: The ids of the records to add.
    recordIdsToRemove: The ids of the records to remove.
    """
    return change(ctx, by_hand(ctx, listId), recordIdsToAdd, recordIdsToRemove)


@app.delete("/crm/v3/lists/{listId}/memberships", tool="clear_list", mcp=False, status=204)
def clear_list(ctx: Ctx, listId: Id) -> Any:
    """Removes all records from a list.

    listId: The list's id.
    """
    ctx.db.delete_where(Membership, list_id=by_hand(ctx, listId).id)
    return done(ctx, {"listId": listId, "cleared": True})


@app.get("/crm/v3/lists/records/{objectTypeId}/{recordId}/memberships", tool="list_record_memberships", mcp=False)
def list_record_memberships(ctx: Ctx, objectTypeId: str, recordId: Id) -> dict[str, Any]:
    """Lists the lists that a record is in.

    objectTypeId: The record's type.
    recordId: The record's id.
    """
    kind = resolve(ctx, objectTypeId)
    record = records.require(ctx, kind, recordId)
    found = list[dict[str, Any]]()
    for row in ctx.db.find(ObjectList, object_type=kind.name, deleted_at__null=True):
        at = dict(segments.members(ctx, row)).get(record.id)
        if at is not None:
            found.append(
                {
                    "listId": row.id, "listVersion": row.version, "firstAddedTimestamp": times.shown(at),
                    "lastAddedTimestamp": times.shown(at), "isPublicList": False,
                }
            )  # fmt: skip
    return {"results": found, "total": len(found)}
