"""Bulk API 2.0. https://developer.salesforce.com/docs/atlas.en-us.api_asynch.meta/api_asynch/bulk_api_2_0.htm

Jobs are worked off when their data is complete: by the next look at a job it is done.
"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Payload, Reply

from .. import bulk, errors, ids, records, times
from ..app import app, done
from ..models import BulkJob

_DELIMITERS = Literal["BACKQUOTE", "CARET", "COMMA", "PIPE", "SEMICOLON", "TAB"]
_CSV = "text/csv; charset=UTF-8"


def _new(ctx: Ctx, **given: Any) -> BulkJob:
    moment = times.now(ctx)
    return ctx.db.add(
        BulkJob(id=ids.new(ctx, "750"), created_by=records.current_user(ctx), created=moment, modified=moment, **given)
    )


def _job(ctx: Ctx, job_id: str, kind: str) -> BulkJob:
    row = ctx.db.get(BulkJob, ids.full(job_id) or "")
    if row is None or row.kind != kind:
        raise errors.not_found()
    return row


@app.post("/services/data/v{version}/jobs/ingest", tool="create_bulk_job")
def create_bulk_job(
    ctx: Ctx, object: str, operation: Literal["insert", "update", "upsert", "delete", "hardDelete"], externalIdFieldName: str | None = None,
    columnDelimiter: _DELIMITERS = "COMMA", lineEnding: Literal["LF", "CRLF"] = "LF", contentType: Literal["CSV"] = "CSV",
) -> dict[str, Any]:  # fmt: skip
    """Opens a job that loads many records from CSV. Then upload the data and close the job.

    object: The type's API name.
    operation: What to do with each row.
    externalIdFieldName: For upserts, the field that tells records apart.
    columnDelimiter: What separates columns.
    lineEnding: What ends lines.
    contentType: The data's format.
    """
    kind = records.kind_of(object)
    if operation == "upsert":
        info = kind.field(externalIdFieldName or "")
        if info is None or not (info.spec.external or info.type == "id"):
            raise errors.refusal("INVALIDJOB", "InvalidJob : External ID field is required for upsert", listed=False)
    row = _new(
        ctx, kind="ingest", operation=operation, object=kind.name, state="Open", external_id_field=externalIdFieldName,
        column_delimiter=columnDelimiter, line_ending=lineEnding,
    )  # fmt: skip
    return bulk.shown(row)


@app.put(
    "/services/data/v{version}/jobs/ingest/{id}/batches", tool="upload_bulk_job_data", status=201, idempotent=False
)
def upload_bulk_job_data(ctx: Ctx, id: str, data: Annotated[str, Payload()]) -> Any:
    """Uploads a job's rows: CSV whose first line names the fields. #N/A clears a field. Once per job.

    id: The job's id.
    data: The CSV text.
    """
    row = _job(ctx, id, "ingest")
    if row.state != "Open" or row.data is not None:
        raise errors.refusal(
            "INVALIDJOBSTATE",
            f"Uploading data not allowed as the job has data or is in the state {row.state}",
            listed=False,
        )
    ctx.db.update(row, data=data)
    return done(ctx, {"id": row.id, "state": row.state}, 201)


@app.patch("/services/data/v{version}/jobs/ingest/{id}", tool="close_bulk_job", effect="transition")
def close_bulk_job(ctx: Ctx, id: str, state: Literal["UploadComplete", "Aborted"] = "UploadComplete") -> dict[str, Any]:
    """Closes a job, upon which its rows are processed, or aborts it.

    id: The job's id.
    state: UploadComplete to process the data, Aborted to give up.
    """
    row = _job(ctx, id, "ingest")
    if row.state != "Open":
        raise errors.refusal("INVALIDJOBSTATE", f"Job state can't be changed from {row.state} to {state}", listed=False)
    if state == "UploadComplete":
        bulk.process(ctx, row)
        return {**bulk.shown(row), "state": state}
    return bulk.shown(ctx.db.update(row, state=state, modified=times.now(ctx)))


@app.get("/services/data/v{version}/jobs/ingest/{id}", tool="get_bulk_job")
def get_bulk_job(ctx: Ctx, id: str) -> dict[str, Any]:
    """Gets a job's state and how many rows succeeded and failed.

    id: The job's id.
    """
    return bulk.shown(_job(ctx, id, "ingest"))


@app.get("/services/data/v{version}/jobs/ingest", tool="list_bulk_jobs", mcp=False)
def list_bulk_jobs(ctx: Ctx) -> dict[str, Any]:
    """Lists the jobs that load records."""
    return _listed(ctx, "ingest")


def _listed(ctx: Ctx, kind: str) -> dict[str, Any]:
    found = ctx.db.find(BulkJob, order="created,id", kind=kind)
    return {"done": True, "records": [bulk.shown(r) for r in found], "nextRecordsUrl": None}


@app.delete("/services/data/v{version}/jobs/ingest/{id}", tool="delete_bulk_job", status=204, mcp=False)
def delete_bulk_job(ctx: Ctx, id: str) -> Any:
    """Deletes a job that is done.

    id: The job's id.
    """
    row = _job(ctx, id, "ingest")
    if row.state == "Open":
        raise errors.refusal("INVALIDJOBSTATE", "Job must be closed or aborted before it can be deleted", listed=False)
    ctx.db.delete(row)
    return done(ctx, {"id": row.id})


@app.get("/services/data/v{version}/jobs/ingest/{id}/{results}", tool="get_bulk_job_results")
def get_bulk_job_results(
    ctx: Ctx, id: str, results: Literal["successfulResults", "failedResults", "unprocessedrecords",
    "unprocessedRecords"] = "successfulResults"
) -> Reply:  # fmt: skip
    """Gets a job's rows as CSV with what became of them.

    id: The job's id.
    results: Which rows.
    """
    return Reply(bulk.results_csv(_job(ctx, id, "ingest"), results), media_type=_CSV)


@app.post("/services/data/v{version}/jobs/query", tool="create_bulk_query_job")
def create_bulk_query_job(
    ctx: Ctx, query: str, operation: Literal["query", "queryAll"] = "query", columnDelimiter: _DELIMITERS = "COMMA",
    lineEnding: Literal["LF", "CRLF"] = "LF", contentType: Literal["CSV"] = "CSV",
) -> dict[str, Any]:  # fmt: skip
    """Starts a query whose whole result is fetched as CSV. No child subqueries and no aggregates.

    query: The SOQL statement.
    operation: queryAll finds deleted records too.
    columnDelimiter: What separates columns.
    lineEnding: What ends lines.
    contentType: The result's format.
    """
    name, found = bulk.query(ctx, query, operation == "queryAll")
    row = _new(
        ctx, kind="query", operation=operation, object=name, state="JobComplete", query=query, results=found,
        column_delimiter=columnDelimiter,
        line_ending=lineEnding,
    )  # fmt: skip
    return {**bulk.shown(row), "state": "UploadComplete"}


@app.get("/services/data/v{version}/jobs/query", tool="list_bulk_query_jobs", mcp=False)
def list_bulk_query_jobs(ctx: Ctx) -> dict[str, Any]:
    """Lists the jobs that query records."""
    return _listed(ctx, "query")


@app.get("/services/data/v{version}/jobs/query/{id}", tool="get_bulk_query_job", mcp=False)
def get_bulk_query_job(ctx: Ctx, id: str) -> dict[str, Any]:
    """Gets a query job's state.

    id: The job's id.
    """
    return bulk.shown(_job(ctx, id, "query"))


@app.patch("/services/data/v{version}/jobs/query/{id}", tool="abort_bulk_query_job", effect="read", mcp=False)
def abort_bulk_query_job(ctx: Ctx, id: str, state: Literal["Aborted"]) -> dict[str, Any]:
    """Would abort a query job; jobs are done at once, so it is always refused, and changes nothing.

    id: The job's id.
    state: Aborted.
    """
    row = _job(ctx, id, "query")
    raise errors.refusal("INVALIDJOBSTATE", f"Job state can't be changed from {row.state} to {state}", listed=False)


@app.delete("/services/data/v{version}/jobs/query/{id}", tool="delete_bulk_query_job", status=204, mcp=False)
def delete_bulk_query_job(ctx: Ctx, id: str) -> Any:
    """Deletes a query job.

    id: The job's id.
    """
    row = _job(ctx, id, "query")
    ctx.db.delete(row)
    return done(ctx, {"id": row.id})


@app.get("/services/data/v{version}/jobs/query/{id}/results", tool="get_bulk_query_results")
def get_bulk_query_results(
    ctx: Ctx, id: str, maxRecords: Annotated[int, Field(ge=1)] = 50000, locator: str | None = None
) -> Reply:  # fmt: skip
    """Gets a query job's result as CSV.

    id: The job's id.
    maxRecords: The most rows to give.
    locator: Where to go on, from the Sforce-Locator header.
    """
    row = _job(ctx, id, "query")
    start = int(locator) if locator and locator.isascii() and locator.isdigit() and len(locator) < 10 else 0
    text, count = bulk.query_csv(row, start, maxRecords)
    following = str(start + maxRecords) if start + maxRecords < len(row.results) else "null"
    return Reply(text, headers={"Sforce-Locator": following, "Sforce-NumberOfRecords": str(count)}, media_type=_CSV)
