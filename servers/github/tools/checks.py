"""Checks: what Actions made of a commit. https://docs.github.com/en/rest/checks/runs"""

from typing import Any, Literal

from legoenv_mcp.app import Ctx, Page

from ..accounts import repository
from ..app import PageNumber, PerPage, app, page_of
from ..checks import check_json, check_runs
from ..models import Job
from .actions import find_run
from .commits import resolved


@app.get("/repos/{owner}/{repo}/commits/{ref:path}/check-runs", tool="list_check_runs_for_ref", mcp=False)
def list_for_ref(
    ctx: Ctx, owner: str, repo: str, ref: str, check_name: str | None = None,
    status: Literal["queued", "in_progress", "completed"] | None = None, filter: Literal["latest", "all"] = "latest",
    page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists the check runs of a commit."""
    found = repository(ctx, owner, repo)
    listed = [
        (run, job)
        for run, job in check_runs(ctx, found, resolved(ctx, found, ref).sha, latest=filter == "latest")
        if check_name in (None, job.name) and status in (None, job.status)
    ]
    return page_of(listed, perPage, page, lambda pair: check_json(ctx, found, *pair), key="check_runs")


@app.get("/repos/{owner}/{repo}/check-runs/{check_run_id}", tool="get_check_run", mcp=False)
def get_check_run(ctx: Ctx, owner: str, repo: str, check_run_id: int) -> dict[str, Any]:
    """Gets a check run."""
    found, job = repository(ctx, owner, repo), ctx.require(Job, check_run_id)
    return check_json(ctx, found, find_run(ctx, found, job.run_id), job)
