"""What stands between a pull request and its merge: reviews, statuses, check runs, protection.

Check runs are the jobs of the workflow runs on a commit. https://docs.github.com/en/rest/checks/runs
"""

from typing import Any

from legoenv_mcp.app import Ctx

from .accounts import full_name, may, me
from .app import WEB
from .models import Account, Job, Protection, Pull, Repository, Review, ReviewComment, Run, Status
from .resources import node_id, repo_url

_FINE = ("success", "neutral", "skipped")


def approvals(ctx: Ctx, repo: Repository, pull: Pull) -> tuple[int, int]:
    """How many people with write access approve, and how many want changes, by each one's latest verdict."""
    latest = dict[int, str]()
    for review in ctx.db.find(Review, pull_id=pull.id, order="submitted_at,id"):
        if review.state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED"):
            latest[review.user_id] = review.state
    counted = [state for user, state in latest.items() if may(ctx, repo, ctx.require(Account, user), "write")]
    return counted.count("APPROVED"), counted.count("CHANGES_REQUESTED")


def latest_statuses(ctx: Ctx, repo: Repository, sha: str) -> list[Status]:
    """The newest status of each context."""
    return list({s.context: s for s in ctx.db.find(Status, repository_id=repo.id, sha=sha)}.values())


def check_runs(ctx: Ctx, repo: Repository, sha: str, *, latest: bool = True) -> list[tuple[Run, Job]]:
    """The jobs of the runs on a commit, newest first; of each workflow's job the last one alone where only `latest` count."""
    found = list[tuple[Run, Job]]()
    for run in ctx.db.find(Run, order="-created_at,-id", repository_id=repo.id, head_sha=sha):
        attempt = run.run_attempt if latest else None
        found += [(run, job) for job in ctx.db.find(Job, run_id=run.id, run_attempt=attempt)]
    if not latest:
        return found
    seen = dict[tuple[int, str], tuple[Run, Job]]()
    for run, job in found:
        seen.setdefault((run.workflow_id, job.name), (run, job))
    return list(seen.values())


def outcomes(ctx: Ctx, repo: Repository, sha: str) -> dict[str, str]:
    """What each status context and check of a commit comes to: success, failure or pending."""
    checks = {
        job.name: "pending" if job.status != "completed" else "success" if job.conclusion in _FINE else "failure"
        for _, job in reversed(check_runs(ctx, repo, sha))
    }
    states = {s.context: "failure" if s.state == "error" else s.state for s in latest_statuses(ctx, repo, sha)}
    return {**checks, **states}


def overall(ctx: Ctx, repo: Repository, sha: str) -> str:
    """All of a commit's statuses and checks as one state; empty where there are none."""
    states = set(outcomes(ctx, repo, sha).values())
    return next((state for state in ("failure", "pending", "success") if state in states), "")


def roots(ctx: Ctx, pull: Pull) -> list[ReviewComment]:
    """The first comments of the threads on the diff."""
    return [c for c in ctx.db.find(ReviewComment, pull_id=pull.id) if c.in_reply_to_id is None]


def blocked(ctx: Ctx, repo: Repository, pull: Pull) -> str:
    """Why protection keeps the pull request from merging; empty where nothing does."""
    rule = ctx.db.get(Protection, (repo.id, pull.base_ref))
    if rule is None or (may(ctx, repo, me(ctx), "admin") and not rule.enforce_admins):
        return ""
    if rule.reviews is not None:
        needed = rule.reviews.get("required_approving_review_count", 1)
        yes, no = approvals(ctx, repo, pull)
        if no:
            return "Changes have been requested by a reviewer with write access."
        if yes < needed:
            return f"At least {needed} approving review{'s are' if needed > 1 else ' is'} required by reviewers with write access."
    found = outcomes(ctx, repo, pull.head_sha)
    words = {"success": "", "failure": "failing", "pending": "in progress"}
    for context in (rule.checks or {}).get("contexts", []):
        if word := words.get(found.get(context, ""), "expected"):
            return f'Required status check "{context}" is {word}.'
    if rule.required_conversation_resolution and any(c.resolved_by is None for c in roots(ctx, pull)):
        return "A conversation must be resolved before this pull request can be merged."
    return ""


_APP = {
    "id": 15368, "slug": "github-actions", "node_id": "MDM6QXBwMTUzNjg=", "name": "GitHub Actions",
    "description": "Automate your workflow from idea to production", "external_url": "https://help.github.com/en/actions",
    "html_url": "https://github.com/apps/github-actions", "created_at": "2018-07-30T09:30:17Z", "updated_at": "2024-04-10T20:33:16Z",
    "permissions": {"checks": "write", "contents": "read", "metadata": "read"}, "events": ["check_run", "check_suite", "push"],
}  # fmt: skip


def check_json(ctx: Ctx, repo: Repository, run: Run, job: Job) -> dict[str, Any]:
    api = f"{repo_url(ctx, repo)}/check-runs/{job.id}"
    page = f"{WEB}/{full_name(ctx, repo)}/actions/runs/{run.id}/job/{job.id}"
    return {
        "id": job.id, "name": job.name, "node_id": node_id("Job", job.id), "head_sha": run.head_sha, "external_id": "", "url": api,
        "html_url": page, "details_url": page, "status": job.status, "conclusion": job.conclusion, "started_at": job.started_at,
        "completed_at": job.completed_at,
        "output": {"title": None, "summary": None, "text": None, "annotations_count": 0, "annotations_url": f"{api}/annotations"},
        "check_suite": {"id": run.id}, "app": _APP, "pull_requests": [],
    }  # fmt: skip
