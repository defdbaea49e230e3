"""The method-style Actions tools of GitHub's MCP server, and a workflow's switch. https://docs.github.com/en/rest/actions/workflows"""

from typing import Any, Literal

from pydantic import BaseModel, Field

from legoenv_mcp.app import MISSING, ApiError, Ctx, Reply

from ..accounts import repository
from ..app import PageNumber, PerPage, app
from ..runs import run_json, workflow_json
from .actions import (
    cancel,
    dispatch,
    find_run,
    find_workflow,
    get_job,
    jobs,
    list_workflows,
    rerun,
    runs,
)


class RunsFilter(BaseModel):
    actor: str | None = Field(None, description="Only runs started by this user.")
    branch: str | None = Field(None, description="Only runs on this branch.")
    event: str | None = Field(None, description="Only runs triggered by this event.")
    status: Literal["queued", "in_progress", "completed", "requested", "waiting"] | None = Field(
        None, description="Only runs with this status."
    )


_ANY_RUN = RunsFilter.model_validate({})


class JobsFilter(BaseModel):
    filter: Literal["latest", "all"] = Field("latest", description="Jobs of the latest attempt, or of all.")


def _number(text: Any) -> int:
    if not isinstance(text, str) or not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ApiError(422, 'Invalid request.\n\n"resource_id" must be the numeric id of the resource.')
    return int(text)


@app.get("", tool="actions_list")
def actions_list(
    ctx: Ctx, method: Literal["list_workflows", "list_workflow_runs", "list_workflow_jobs"], owner: str, repo: str,
    resource_id: str | MISSING = MISSING, workflow_runs_filter: RunsFilter | MISSING = MISSING,
    workflow_jobs_filter: JobsFilter | MISSING = MISSING, page: PageNumber = 1, per_page: PerPage = 30,
) -> Any:  # fmt: skip
    """Lists Actions resources: list_workflows, list_workflow_runs (of a workflow, or of the repository where resource_id is
    left out) or list_workflow_jobs of a run.

    method: What to list.
    owner: The repository's owner.
    repo: The repository's name.
    resource_id: The workflow's id or file name for list_workflow_runs, the run's id for list_workflow_jobs.
    workflow_runs_filter: Which runs; only for list_workflow_runs.
    workflow_jobs_filter: Which attempts' jobs; only for list_workflow_jobs.
    page: Page number, from 1.
    per_page: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    if method == "list_workflows":
        return list_workflows(ctx, owner, repo, page, per_page)
    if method == "list_workflow_runs":
        workflow = find_workflow(ctx, found, resource_id) if isinstance(resource_id, str) and resource_id else None
        f = workflow_runs_filter if isinstance(workflow_runs_filter, RunsFilter) else _ANY_RUN
        return runs(ctx, found, workflow, f.actor, f.branch, f.event, f.status, per_page, page)
    which = workflow_jobs_filter.filter if isinstance(workflow_jobs_filter, JobsFilter) else "latest"
    return jobs(ctx, found, find_run(ctx, found, _number(resource_id)), which, per_page, page)


@app.get("", tool="actions_get")
def actions_get(
    ctx: Ctx,
    method: Literal["get_workflow", "get_workflow_run", "get_workflow_job"],
    owner: str,
    repo: str,
    resource_id: str,
) -> Any:
    """Gets one Actions resource: a workflow, a workflow run or a job.

    method: What to get.
    owner: The repository's owner.
    repo: The repository's name.
    resource_id: The workflow's id or file name, the run's id or the job's id.
    """
    found = repository(ctx, owner, repo)
    if method == "get_workflow":
        return workflow_json(ctx, found, find_workflow(ctx, found, resource_id))
    if method == "get_workflow_run":
        return run_json(ctx, found, find_run(ctx, found, _number(resource_id)))
    return get_job(ctx, owner, repo, _number(resource_id))


@app.post("", tool="actions_run_trigger", effect="transition")
def actions_run_trigger(
    ctx: Ctx, method: Literal["run_workflow", "rerun_workflow_run", "rerun_failed_jobs", "cancel_workflow_run"], owner: str, repo: str,
    workflow_id: str | MISSING = MISSING, ref: str | MISSING = MISSING, inputs: dict[str, Any] | None = None,
    run_id: int | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Runs a workflow, runs a completed run or its failed jobs again, or cancels a run.

    method: What to do.
    owner: The repository's owner.
    repo: The repository's name.
    workflow_id: The workflow's id or file name; for run_workflow.
    ref: The branch or tag to run on; for run_workflow.
    inputs: Inputs that the workflow takes; for run_workflow.
    run_id: The run's id; for all but run_workflow.
    """
    found = repository(ctx, owner, repo, "write")
    if method == "run_workflow":
        if not isinstance(workflow_id, str) or not isinstance(ref, str):
            raise ApiError(422, 'Invalid request.\n\n"workflow_id" and "ref" are required for run_workflow.')
        run = dispatch(ctx, found, find_workflow(ctx, found, workflow_id), ref, inputs or {})
        return {"message": "Workflow run has been queued", "run_id": run.id}
    if not isinstance(run_id, int):
        raise ApiError(422, 'Invalid request.\n\n"run_id" wasn\'t supplied.')
    run = find_run(ctx, found, run_id)
    if method == "cancel_workflow_run":
        cancel(ctx, run)
        return {"message": "Workflow run has been cancelled", "run_id": run.id}
    rerun(ctx, found, run, method == "rerun_failed_jobs")
    return {"message": "Workflow run has been queued for re-run", "run_id": run.id}


@app.put("/repos/{owner}/{repo}/actions/workflows/{workflow_id}/disable", tool="disable_workflow", mcp=False)
def disable(ctx: Ctx, owner: str, repo: str, workflow_id: str) -> Reply:
    """Disables a workflow."""
    ctx.db.update(
        find_workflow(ctx, repository(ctx, owner, repo, "write"), workflow_id),
        state="disabled_manually",
        updated_at=ctx.timestamp(),
    )
    return Reply(None, 204)


@app.put("/repos/{owner}/{repo}/actions/workflows/{workflow_id}/enable", tool="enable_workflow", mcp=False)
def enable(ctx: Ctx, owner: str, repo: str, workflow_id: str) -> Reply:
    """Enables a workflow."""
    ctx.db.update(
        find_workflow(ctx, repository(ctx, owner, repo, "write"), workflow_id),
        state="active",
        updated_at=ctx.timestamp(),
    )
    return Reply(None, 204)
