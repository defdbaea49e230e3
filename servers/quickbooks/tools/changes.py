"""Change data capture and batches. https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/changedatacapture"""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from pydantic_core import to_json

from legoenv_mcp.app import ApiError, Ctx, Request

from .. import endpoints, faults, models, records
from ..app import PREFIX, answer, app
from ..query import run
from ..resources import show_all

NOT_CAPTURED = ("TimeActivity", "TaxAgency", "TaxCode", "TaxRate", "Preferences", "ExchangeRate")
LOOK_BACK = timedelta(days=30)
MOST = 1000
MOST_ITEMS = 30


@app.get("/cdc", tool="change_data_capture")
def change_data_capture(ctx: Ctx, entities: str, changedSince: str) -> dict[str, Any]:
    """The objects that were created, changed or deleted since a time of at most 30 days ago, whole; deleted ones with status Deleted.

    entities: The types, separated by commas, e.g. Customer,Invoice.
    changedSince: The time, ISO 8601.
    """
    try:
        since = ctx.parse_time(changedSince.replace(" ", "+"))
    except ValueError:
        raise faults.fault("2190", "Invalid Date", f"Invalid Date : {changedSince[:40]}", "changedSince") from None
    if since < ctx.now - LOOK_BACK:
        raise faults.fault(
            "4000", "Invalid changedSince", "The changedSince date is more than 30 days ago.", "changedSince"
        )
    responses = list[dict[str, Any]]()
    for name in [part.strip() for part in entities.split(",") if part.strip()]:
        cls = records.kind_of(name)
        if cls.__name__ in NOT_CAPTURED:
            raise faults.unsupported(f"cdc {cls.__name__}")
        changed = [
            row for row in ctx.db.find(cls, order="LastUpdatedTime,Id") if ctx.parse_time(row.LastUpdatedTime) >= since
        ]
        shown = show_all(ctx, changed[:MOST])
        for gone in ctx.db.find(models.Deleted, order="LastUpdatedTime", kind=cls.__name__):
            if ctx.parse_time(gone.LastUpdatedTime) >= since:
                shown.append(
                    {
                        "domain": "QBO",
                        "status": "Deleted",
                        "Id": str(gone.Id),
                        "MetaData": {"LastUpdatedTime": gone.LastUpdatedTime},
                    }
                )
        responses.append({cls.__name__: shown, "startPosition": 1, "maxResults": len(shown)} if shown else {})
    if not responses:
        raise faults.missing("entities")
    return answer(ctx, CDCResponse=[{"QueryResponse": responses}])


@app.post("/batch", tool="batch", effect="update", mcp=False)
def batch(ctx: Ctx, body: endpoints.Whole = None) -> dict[str, Any]:
    """Up to 30 operations, each for itself: create, update, delete, void (update with optionsData) or a query.

    body: BatchItemRequest: a list of objects with bId, operation and the object, or bId and Query.
    """
    items = (body or {}).get("BatchItemRequest")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise faults.missing("BatchItemRequest")
    if len(items) > MOST_ITEMS:
        detail = f"The number of items in the batch request is more than the limit of {MOST_ITEMS}."
        raise faults.fault("1040", "Batch size exceeds allowed limit", detail)
    return answer(ctx, BatchItemResponse=[{**_item(ctx, item), "bId": str(item.get("bId", ""))} for item in items])


def _item(ctx: Ctx, item: dict[str, Any]) -> dict[str, Any]:
    """One operation's answer: the object, the query's objects, or a Fault."""
    if isinstance(item.get("Query"), str):
        try:
            return {"QueryResponse": run(ctx, item["Query"])}
        except ApiError as error:
            return {"Fault": faults.body(error)["Fault"]}
    name = next((key for key in item if key in models.KINDS), None)
    if name is None:
        return {"Fault": faults.body(faults.missing("BatchItemRequest"))["Fault"]}
    operation, options = str(item.get("operation", "")), str(item.get("optionsData") or "")
    if operation not in ("create", "update", "delete"):
        return {"Fault": faults.body(faults.enumeration(operation[:40], "operation"))["Fault"]}
    if operation != "update" and name == "Preferences":
        return {"Fault": faults.body(faults.unsupported(f"{operation} {name}"))["Fault"]}
    path, query = f"{PREFIX}/{name.lower()}", {"operation": operation, "include": options}
    url, headers = f"{ctx.request.base}{path}?{urlencode(query)}", {"content-type": "application/json"}
    reply = ctx.send(Request("POST", path, url, query, headers, ctx.request.base), to_json(item[name]))
    return {key: value for key, value in reply.body.items() if key != "time"}
