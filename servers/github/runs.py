"""Workflows, their runs and jobs as JSON."""

from typing import Any

from legoenv_mcp.app import Ctx

from .accounts import full_name
from .app import WEB
from .models import Commit, Issue, Job, Pull, Repository, Run, Workflow
from .resources import node_id, repo_json, repo_url, user_json


def pulls_of(ctx: Ctx, repo: Repository, run: Run) -> list[dict[str, Any]]:
    """The open pull requests whose head a run was on."""

    def end(ref: str, sha: str, key: int) -> dict[str, Any]:
        home = ctx.require(Repository, key)
        return {"ref": ref, "sha": sha, "repo": {"id": home.id, "url": repo_url(ctx, home), "name": home.name}}

    return [
        {
            "url": f"{repo_url(ctx, repo)}/pulls/{pull.number}", "id": pull.id, "number": pull.number,
            "head": end(pull.head_ref, pull.head_sha, pull.head_repository_id),
            "base": end(pull.base_ref, pull.base_sha, pull.repository_id),
        }
        for pull in ctx.db.find(Pull, head_repository_id=repo.id, head_ref=run.head_branch, head_sha=run.head_sha)
        if ctx.require(Issue, pull.issue_id).state == "open"
    ]  # fmt: skip


def workflow_json(ctx: Ctx, repo: Repository, row: Workflow) -> dict[str, Any]:
    api, name = f"{repo_url(ctx, repo)}/actions/workflows/{row.id}", full_name(ctx, repo)
    return {
        "id": row.id, "node_id": node_id("Workflow", row.id), "name": row.name, "path": row.path, "state": row.state,
        "created_at": row.created_at,
        "updated_at": row.updated_at, "url": api, "html_url": f"{WEB}/{name}/blob/{repo.default_branch}/{row.path}",
        "badge_url": f"{WEB}/{name}/workflows/{row.name}/badge.svg",
    }  # fmt: skip


def run_json(ctx: Ctx, repo: Repository, run: Run) -> dict[str, Any]:
    root = repo_url(ctx, repo)
    api, workflow = f"{root}/actions/runs/{run.id}", ctx.require(Workflow, run.workflow_id)
    commit, short = ctx.db.get(Commit, (repo.id, run.head_sha)), repo_json(ctx, repo)
    return {
        "id": run.id, "name": workflow.name, "node_id": node_id("Run", run.id), "head_branch": run.head_branch, "head_sha": run.head_sha,
        "path": workflow.path, "display_title": run.display_title, "run_number": run.run_number, "event": run.event, "status": run.status,
        "conclusion": run.conclusion, "workflow_id": run.workflow_id, "check_suite_id": run.id, "url": api,
        "html_url": f"{WEB}/{full_name(ctx, repo)}/actions/runs/{run.id}", "pull_requests": pulls_of(ctx, repo, run),
        "created_at": run.created_at,
        "updated_at": run.updated_at, "actor": user_json(ctx, run.actor_id), "run_attempt": run.run_attempt, "referenced_workflows": [],
        "run_started_at": run.run_started_at, "triggering_actor": user_json(ctx, run.actor_id), "jobs_url": f"{api}/jobs",
        "logs_url": f"{api}/logs",
        "artifacts_url": f"{api}/artifacts", "cancel_url": f"{api}/cancel", "rerun_url": f"{api}/rerun", "previous_attempt_url": None,
        "workflow_url": f"{root}/actions/workflows/{run.workflow_id}",
        "head_commit": {
            "id": commit.sha, "tree_id": commit.tree, "message": commit.message, "timestamp": commit.committer_date,
            "author": {"name": commit.author_name, "email": commit.author_email},
            "committer": {"name": commit.committer_name, "email": commit.committer_email},
        } if commit else None,
        "repository": short, "head_repository": short,
    }  # fmt: skip


def job_json(ctx: Ctx, repo: Repository, run: Run, job: Job) -> dict[str, Any]:
    root = repo_url(ctx, repo)
    steps = [{**s, "started_at": job.started_at, "completed_at": job.completed_at} for s in job.steps]
    return {
        "id": job.id, "run_id": run.id, "workflow_name": ctx.require(Workflow, run.workflow_id).name, "head_branch": run.head_branch,
        "run_url": f"{root}/actions/runs/{run.id}", "run_attempt": job.run_attempt, "node_id": node_id("Job", job.id),
        "head_sha": run.head_sha,
        "url": f"{root}/actions/jobs/{job.id}", "html_url": f"{WEB}/{full_name(ctx, repo)}/actions/runs/{run.id}/job/{job.id}",
        "status": job.status,
        "conclusion": job.conclusion, "created_at": run.created_at, "started_at": job.started_at, "completed_at": job.completed_at,
        "name": job.name,
        "steps": steps, "check_run_url": f"{root}/check-runs/{job.id}", "labels": ["ubuntu-latest"], "runner_id": None, "runner_name": None,
        "runner_group_id": None, "runner_group_name": None,
    }  # fmt: skip
