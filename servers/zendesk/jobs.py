"""Bulk requests: they are answered with a job, whose results tell what became of each record.

https://developer.zendesk.com/api-reference/ticketing/ticket-management/job_statuses/ Here the work is done when the request is
answered; a record that is refused keeps only itself from being changed.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from legoenv_mcp.app import Ctx, Reply, draw

from . import errors, ids, resources
from .models import Job


def too_many(items: Sequence[Any], name: str = "") -> None:
    if len(items) > 100:
        raise errors.too_many(name)


def finish(ctx: Ctx, job_type: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    """Keeps the job and answers as Zendesk does at once: it is queued."""
    number = ids.new(ctx, "job")
    row = ctx.db.add(
        Job(
            id="V3-" + draw("job", ids.account(ctx).id, number, job_type).hex()[:32], number=number, job_type=job_type,
            total=len(results), message=f"Completed at {ctx.now.strftime('%Y-%m-%d %H:%M:%S +0000')}", results=results,
        )
    )  # fmt: skip
    return {"job_status": resources.job(ctx, row, queued=True)}


def each(
    ctx: Ctx, job_type: str, action: str, items: Iterable[tuple[int | None, str, dict[str, Any]]],
    made: Callable[[Reply], dict[str, Any]] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Runs one operation an item, (id, tool, arguments), each refused or done by itself."""
    results = list[dict[str, Any]]()
    for index, (key, tool, arguments) in enumerate(items):
        reply = ctx.call(tool, arguments)
        known = {"id": key} if key is not None else {"index": index}
        if reply.error:
            body = reply.body if isinstance(reply.body, dict) else {}
            code = body.get("error")
            results.append({
                **known, "action": action, "status": "Failed", "success": False,
                "error": code if isinstance(code, str) else "InvalidAttribute", "details": _why(body),
            })  # fmt: skip
        elif made is not None:
            results.append({"index": index, **made(reply)})
        else:
            results.append({**known, "action": action, "status": action.capitalize() + "d", "success": True})
    return finish(ctx, job_type, results)


def _why(body: dict[str, Any]) -> str:
    details = body.get("details")
    if isinstance(details, dict):
        return "; ".join(p["description"] for problems in details.values() for p in problems)
    error = body.get("error")
    return error["message"] if isinstance(error, dict) else body.get("description", "")
