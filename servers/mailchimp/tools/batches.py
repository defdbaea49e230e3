"""Batches: many calls in one. https://mailchimp.com/developer/marketing/api/batch-operations/

Mailchimp runs them in the background; here they have run when the answer comes.
"""

import gzip
import io
import json
import tarfile
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from typing_extensions import TypedDict

from legoenv_mcp.app import LOWER36, Ctx, Field, Reply, Request

from .. import times
from ..app import app, done
from ..inputs import Count, Exclude, Fields, Offset
from ..models import Batch
from ..paging import collection, links

BatchId = Annotated[str, Field(description="The batch's id.")]
MOST = 500


class _Where(TypedDict):
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: Annotated[str, Field(min_length=1, max_length=500)]


class BatchCall(_Where, total=False):
    """A call: its method, its path below the API's root, its query, its body as JSON text."""

    params: dict[str, Any]
    body: str
    operation_id: str


def _shown(ctx: Ctx, row: Batch) -> dict[str, Any]:
    return {
        "id": row.id, "status": row.status, "total_operations": row.total_operations, "finished_operations": row.total_operations,
        "errored_operations": row.errored_operations, "submitted_at": row.submitted_at, "completed_at": row.completed_at,
        "response_body_url": f"{ctx.request.base}/batches/{row.id}/responses.tar.gz",
        "_links": links(ctx, f"/batches/{row.id}", "Batches", ("DELETE",)),
    }  # fmt: skip


def _run(ctx: Ctx, one: BatchCall) -> dict[str, Any]:
    path = "/" + one["path"].strip("/")
    asked = f"{path}?{urlencode(one.get('params', {}))}" if one.get("params") else path
    if path.removeprefix("/3.0").startswith("/batches"):
        return {"status_code": 405, "operation_id": one.get("operation_id", ""), "response": "Batches cannot be nested"}
    path, _, more = asked.partition("?")
    url = f"{ctx.request.base}{quote(path, safe='/@%')}" + (f"?{more}" if more else "")
    request = Request(one["method"], path, url, {}, {"content-type": "application/json"}, ctx.request.base)
    reply = ctx.send(request, one.get("body", "").encode() or None)
    return {
        "status_code": reply.status,
        "operation_id": one.get("operation_id", ""),
        "response": "" if reply.body is None else reply.text(),
    }


@app.post("/batches", tool="start_batch", mcp=False)
def start_batch(
    ctx: Ctx, operations: Annotated[list[BatchCall], Field(min_length=1, max_length=MOST)]
) -> dict[str, Any]:
    """Makes many calls in one. Each stands for itself.

    operations: The calls.
    """
    when = times.now(ctx)
    results = [_run(ctx, one) for one in operations]
    row = ctx.db.add(Batch(
        id=ctx.id("", 10, LOWER36, kind="batch"), total_operations=len(results), submitted_at=when, completed_at=when, results=results,
        errored_operations=sum(r["status_code"] >= 400 for r in results),
    ))  # fmt: skip
    return _shown(ctx, row)


@app.get("/batches", tool="list_batches", mcp=False)
def list_batches(
    ctx: Ctx, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0
) -> dict[str, Any]:
    """Lists batches, the latest first."""
    rows = ctx.db.find(Batch, order="-submitted_at,id")
    return collection(ctx, "batches", rows, lambda b: _shown(ctx, b), count, offset, "/batches", "Batches")


@app.get("/batches/{batch_id}", tool="get_batch", mcp=False)
def get_batch(ctx: Ctx, batch_id: BatchId, fields: Fields = None, exclude_fields: Exclude = None) -> dict[str, Any]:
    """Tells how far a batch is."""
    return _shown(ctx, ctx.require(Batch, batch_id))


@app.get("/batches/{batch_id}/responses.tar.gz", tool="get_batch_responses", mcp=False)
def get_batch_responses(ctx: Ctx, batch_id: BatchId) -> Reply:
    """The answers to a batch's calls, as the archive that `response_body_url` names."""
    row, out = ctx.require(Batch, batch_id), io.BytesIO()
    data = json.dumps(row.results).encode()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo(f"{row.id}.json")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return Reply(out.getvalue(), media_type="application/gzip")


@app.delete("/batches/{batch_id}", tool="delete_batch", mcp=False, status=204)
def delete_batch(ctx: Ctx, batch_id: BatchId) -> Any:
    """Forgets a batch. What its calls did stays."""
    ctx.db.delete(ctx.require(Batch, batch_id))
    return done(ctx, batch_id=batch_id, deleted=True)
