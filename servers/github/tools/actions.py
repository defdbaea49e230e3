"""Actions: workflows, their runs and jobs. https://docs.github.com/en/rest/actions"""

import json
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Page, Query, Reply

from .. import git, query
from ..accounts import me, repository
from ..app import PageNumber, PerPage, app, not_found, page_of
from ..models import Job, Repository, Run, Workflow
from ..resources import repo_url, user_json
from ..runs import job_json, run_json, workflow_json
from ..workflows import definition, log_of, start_jobs, start_run

_STATUSES = {"queued", "in_progress", "completed", "success", "failure", "cancelled", "requested", "waiting", "pending", "action_required",
             "neutral", "skipped", "stale", "timed_out"}  # fmt: skip


def find_workflow(ctx: Ctx, repo: Repository, key: str) -> Workflow:
    """By id, file name, or whole path."""
    rows = ctx.db.find(Workflow, repository_id=repo.id)
    found = next((w for w in rows if str(w.id) == key or w.path == key or w.path.rsplit("/", 1)[-1] == key), None)
    if found is None:
        raise not_found()
    return found


def find_run(ctx: Ctx, repo: Repository, key: int) -> Run:
    found = ctx.db.get(Run, key)
    if found is None or found.repository_id != repo.id:
        raise not_found()
    return found


def runs(
    ctx: Ctx, repo: Repository, workflow: Workflow | None, actor: str | None, branch: str | None, event: str | None, status: str | None,
    per_page: int, page: int, created: str | None = None, head_sha: str | None = None,
) -> Page[Any]:  # fmt: skip
    if status and status not in _STATUSES:
        raise ApiError(
            422, f"Invalid request.\n\nFor 'properties/status', \"{status}\" is not a member of {sorted(_STATUSES)}."
        )
    rows = ctx.db.find(Run, repository_id=repo.id, workflow_id=workflow.id if workflow else None, head_branch=branch or None,
                       event=event or None, head_sha=head_sha or None)  # fmt: skip
    if actor:
        rows = [r for r in rows if (user_json(ctx, r.actor_id) or {}).get("login", "").lower() == actor.lower()]
    if status:
        rows = [r for r in rows if status in (r.status, r.conclusion)]
    if created:
        wanted = next(iter(query.qualifiers(query.parse(f"created:{created}"))), None)
        rows = [r for r in rows if wanted and any(query.date(v, r.created_at) for v in wanted.values)]
    rows.sort(key=lambda r: (r.created_at, r.id), reverse=True)
    return page_of(rows, per_page, page, lambda r: run_json(ctx, repo, r), key="workflow_runs")


def jobs(ctx: Ctx, repo: Repository, run: Run, which: str, per_page: int, page: int) -> Page[Any]:
    rows = ctx.db.find(Job, run_id=run.id, run_attempt=run.run_attempt if which == "latest" else None)
    return page_of(rows, per_page, page, lambda j: job_json(ctx, repo, run, j), key="jobs")


# What can be done to them


def dispatch(ctx: Ctx, repo: Repository, workflow: Workflow, ref: str, inputs: dict[str, Any]) -> Run:
    if workflow.state != "active":
        raise ApiError(403, "Cannot trigger a 'workflow_dispatch' on a disabled workflow")
    sha = git.resolve(ctx, repo, ref)
    if sha is None:
        raise ApiError(422, f"No ref found for: {ref}")
    found = definition(ctx, repo, workflow, sha)
    if found is not None and "workflow_dispatch" not in found.triggers:
        raise ApiError(422, "Workflow does not have 'workflow_dispatch' trigger")
    if len(inputs) > 25:
        raise ApiError(422, "you may only define up to 25 `inputs` for a `workflow_dispatch` event")
    known = found.inputs if found is not None else {}
    if found is not None and (strange := [name for name in inputs if name not in known]):
        raise ApiError(422, f"Unexpected inputs provided: {json.dumps(strange)}")
    for name, said in known.items():
        if said.get("required") == "true" and "default" not in said and inputs.get(name) in (None, ""):
            raise ApiError(422, f"Required input '{name}' not provided")
    branch = ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
    return start_run(ctx, repo, workflow, "workflow_dispatch", branch, sha, me(ctx), title=workflow.name, inputs=inputs)


def cancel(ctx: Ctx, run: Run) -> None:
    if run.status == "completed":
        raise ApiError(409, "Cannot cancel a workflow run that is completed.")
    now = ctx.timestamp()
    ctx.db.update(run, status="completed", conclusion="cancelled", updated_at=now)
    for job in ctx.db.find(Job, run_id=run.id, run_attempt=run.run_attempt):
        if job.status != "completed":
            steps = [{**s, "status": "completed", "conclusion": "cancelled"} for s in job.steps]
            ctx.db.update(job, status="completed", conclusion="cancelled", steps=steps, completed_at=now)


def rerun(ctx: Ctx, repo: Repository, run: Run, only_failed: bool) -> None:
    if run.status != "completed":
        raise ApiError(403, "This workflow is already running")
    last = ctx.db.find(Job, run_id=run.id, run_attempt=run.run_attempt)
    names = [j.name for j in last if j.conclusion != "success"] if only_failed else None
    if only_failed and not names:
        raise ApiError(403, "This workflow run cannot be retried")
    now = ctx.timestamp()
    ctx.db.update(
        run, status="queued", conclusion=None, run_attempt=run.run_attempt + 1, run_started_at=now, updated_at=now
    )
    start_jobs(ctx, repo, ctx.require(Workflow, run.workflow_id), run, names)


# REST


@app.get("/repos/{owner}/{repo}/actions/workflows", tool="list_workflows")
def list_workflows(ctx: Ctx, owner: str, repo: str, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists a repository's workflows with their ids and file names.

    owner: The repository's owner.
    repo: The repository's name.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    rows = [w for w in ctx.db.find(Workflow, repository_id=found.id) if w.state != "deleted"]
    return page_of(rows, perPage, page, lambda w: workflow_json(ctx, found, w), key="workflows")


@app.get("/repos/{owner}/{repo}/actions/workflows/{workflow_id}", tool="get_workflow", mcp=False)
def get_workflow(ctx: Ctx, owner: str, repo: str, workflow_id: str) -> dict[str, Any]:
    """Gets a workflow by id or file name."""
    found = repository(ctx, owner, repo)
    return workflow_json(ctx, found, find_workflow(ctx, found, workflow_id))


@app.get("/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs", tool="list_workflow_runs")
def list_workflow_runs(
    ctx: Ctx, owner: str, repo: str, workflow_id: str, actor: str | None = None, branch: str | None = None, event: str | None = None,
    status: str | None = None, created: Annotated[str | None, Query(mcp=False)] = None,
    head_sha: Annotated[str | None, Query(mcp=False)] = None, page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists the runs of a workflow, newest first.

    owner: The repository's owner.
    repo: The repository's name.
    workflow_id: The workflow's id or file name.
    actor: Only runs started by this user.
    branch: Only runs on this branch.
    event: Only runs triggered by this event, e.g. push or workflow_dispatch.
    status: Only runs with this status or conclusion, e.g. queued, completed, success, failure.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    return runs(
        ctx,
        found,
        find_workflow(ctx, found, workflow_id),
        actor,
        branch,
        event,
        status,
        perPage,
        page,
        created,
        head_sha,
    )


@app.get("/repos/{owner}/{repo}/actions/runs", tool="list_workflow_runs_for_repo", mcp=False)
def list_runs_for_repo(
    ctx: Ctx, owner: str, repo: str, actor: str | None = None, branch: str | None = None, event: str | None = None,
        status: str | None = None,
    created: str | None = None, head_sha: str | None = None, page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists all runs of a repository, newest first."""
    return runs(ctx, repository(ctx, owner, repo), None, actor, branch, event, status, perPage, page, created, head_sha)


@app.get("/repos/{owner}/{repo}/actions/runs/{run_id}", tool="get_workflow_run")
def get_workflow_run(ctx: Ctx, owner: str, repo: str, run_id: int) -> dict[str, Any]:
    """Gets a workflow run: its status, conclusion, branch and commit.

    owner: The repository's owner.
    repo: The repository's name.
    run_id: The run's id.
    """
    found = repository(ctx, owner, repo)
    return run_json(ctx, found, find_run(ctx, found, run_id))


@app.get("/repos/{owner}/{repo}/actions/runs/{run_id}/jobs", tool="list_workflow_jobs")
def list_workflow_jobs(
    ctx: Ctx, owner: str, repo: str, run_id: int, filter: Literal["latest", "all"] = "latest", page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists the jobs of a workflow run with their steps.

    owner: The repository's owner.
    repo: The repository's name.
    run_id: The run's id.
    filter: Jobs of the latest attempt, or of all.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    return jobs(ctx, found, find_run(ctx, found, run_id), filter, perPage, page)


def _job(ctx: Ctx, owner: str, repo: str, key: int) -> tuple[Repository, Run, Job]:
    found, job = repository(ctx, owner, repo), ctx.require(Job, key)
    return found, find_run(ctx, found, job.run_id), job


@app.get("/repos/{owner}/{repo}/actions/jobs/{job_id}", tool="get_job_for_workflow_run", mcp=False)
def get_job(ctx: Ctx, owner: str, repo: str, job_id: int) -> dict[str, Any]:
    """Gets a job."""
    return job_json(ctx, *_job(ctx, owner, repo, job_id))


@app.get("/repos/{owner}/{repo}/actions/jobs/{job_id}/logs", tool="download_job_logs", mcp=False)
def download_job_logs(ctx: Ctx, owner: str, repo: str, job_id: int) -> Reply:
    """Gets a job's log as text."""
    _, run, job = _job(ctx, owner, repo, job_id)
    return Reply(log_of(ctx, run, job), media_type="text/plain; charset=utf-8")


@app.get("", tool="get_job_logs")
def get_job_logs(
    ctx: Ctx, owner: str, repo: str, job_id: int | MISSING = MISSING, run_id: int | MISSING = MISSING, failed_only: bool = False,
    return_content: bool = True, tail_lines: int = 500,
) -> dict[str, Any]:  # fmt: skip
    """Gets the log of a job, or with run_id and failed_only those of all failed jobs of a run.

    owner: The repository's owner.
    repo: The repository's name.
    job_id: The job's id; not with failed_only.
    run_id: The run's id; with failed_only.
    failed_only: Whether to get the logs of all failed jobs of the run.
    return_content: Whether to answer the text, rather than only where it is.
    tail_lines: How many lines to answer, from the end.
    """
    found = repository(ctx, owner, repo)

    def show(run: Run, job: Job) -> dict[str, Any]:
        text = "\n".join(log_of(ctx, run, job).splitlines()[-max(tail_lines, 1) :])
        log = (
            {"logs_content": text}
            if return_content
            else {"logs_url": f"{repo_url(ctx, found)}/actions/jobs/{job.id}/logs"}
        )
        return {"job_id": job.id, "job_name": job.name, **log}

    if failed_only:
        if not isinstance(run_id, int):
            raise ApiError(422, "run_id is required when failed_only is true")
        run = find_run(ctx, found, run_id)
        bad = [j for j in ctx.db.find(Job, run_id=run.id, run_attempt=run.run_attempt) if j.conclusion == "failure"]
        return {"run_id": run.id, "failed_jobs": len(bad), "logs": [show(run, j) for j in bad]}
    if not isinstance(job_id, int):
        raise ApiError(422, "job_id is required when failed_only is false")
    _, run, job = _job(ctx, owner, repo, job_id)
    return show(run, job)


@app.post(
    "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches",
    tool="create_workflow_dispatch",
    status=204,
    mcp=False,
)
def create_dispatch(
    ctx: Ctx,
    owner: str,
    repo: str,
    workflow_id: str,
    ref: str,
    inputs: dict[str, Any] | None = None,
    return_run_details: bool = False,
) -> Reply:
    """Starts a workflow on a ref."""
    found = repository(ctx, owner, repo, "write")
    run = dispatch(ctx, found, find_workflow(ctx, found, workflow_id), ref, inputs or {})
    if return_run_details:
        shown = run_json(ctx, found, run)
        return Reply({"workflow_run_id": run.id, "run_url": shown["url"], "html_url": shown["html_url"]}, 200)
    return Reply(None, 204)


@app.post("", tool="run_workflow")
def run_workflow(
    ctx: Ctx, owner: str, repo: str, workflow_id: str, ref: str, inputs: dict[str, Any] = {}  # noqa: B006
) -> dict[str, Any]:  # fmt: skip
    """Runs a workflow that has the workflow_dispatch trigger, on a branch or tag.

    owner: The repository's owner.
    repo: The repository's name.
    workflow_id: The workflow's id or file name, e.g. ci.yaml.
    ref: The branch or tag to run on.
    inputs: Inputs that the workflow takes.
    """
    found = repository(ctx, owner, repo, "write")
    run = dispatch(ctx, found, find_workflow(ctx, found, workflow_id), ref, inputs)
    return {
        "message": "Workflow run has been queued",
        "workflow_id": workflow_id,
        "ref": ref,
        "inputs": inputs,
        "run_id": run.id,
        "status_code": 204,
    }


@app.post(
    "/repos/{owner}/{repo}/actions/runs/{run_id}/cancel", tool="cancel_workflow_run", effect="transition", status=202
)
def cancel_workflow_run(ctx: Ctx, owner: str, repo: str, run_id: int) -> dict[str, Any]:
    """Cancels a workflow run that is not completed.

    owner: The repository's owner.
    repo: The repository's name.
    run_id: The run's id.
    """
    found = repository(ctx, owner, repo, "write")
    cancel(ctx, find_run(ctx, found, run_id))
    return {"message": "Workflow run has been cancelled", "run_id": run_id} if not ctx.request.method else {}


@app.post(
    "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun", tool="rerun_workflow_run", effect="transition", status=201
)
def rerun_workflow_run(ctx: Ctx, owner: str, repo: str, run_id: int) -> dict[str, Any]:
    """Runs all jobs of a completed workflow run again.

    owner: The repository's owner.
    repo: The repository's name.
    run_id: The run's id.
    """
    found = repository(ctx, owner, repo, "write")
    rerun(ctx, found, find_run(ctx, found, run_id), False)
    return {"message": "Workflow run has been queued for re-run", "run_id": run_id} if not ctx.request.method else {}


@app.post(
    "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs",
    tool="rerun_failed_jobs",
    effect="transition",
    status=201,
)
def rerun_failed_jobs(ctx: Ctx, owner: str, repo: str, run_id: int) -> dict[str, Any]:
    """Runs only the failed jobs of a completed workflow run again.

    owner: The repository's owner.
    repo: The repository's name.
    run_id: The run's id.
    """
    found = repository(ctx, owner, repo, "write")
    rerun(ctx, found, find_run(ctx, found, run_id), True)
    return {"message": "Failed jobs have been queued for re-run", "run_id": run_id} if not ctx.request.method else {}
