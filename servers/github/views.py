"""Rows as canonical entities."""

import re
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, dev_repo
from legoenv_mcp.capabilities.people import Person

from . import git, patches
from .accounts import full_name
from .models import (
    Account,
    Blob,
    Comment,
    Commit,
    Event,
    Issue,
    Label,
    Milestone,
    Pull,
    Release,
    Repository,
    Review,
    Run,
    Workflow,
)


def view(ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
    match table:
        case "account":
            return _person(Account.of(dict(row))) if row["type"] == "User" else None
        case "repository":
            return _repository(ctx, Repository.of(dict(row)))
        case "commit":
            return _commit(ctx, Commit.of(dict(row)))
        case "issue":
            found = Issue.of(dict(row))
            return _pull(ctx, found) if found.is_pull else _issue(ctx, found)
        case "release":
            return _release(ctx, Release.of(dict(row)))
        case "run":
            return _run(ctx, Run.of(dict(row)))
        case _:
            return None


def _login(ctx: Ctx, key: int | None) -> str:
    found = ctx.db.get(Account, key) if key is not None else None
    return found.login if found else ""


def _repo(ctx: Ctx, key: int) -> str:
    found = ctx.db.get(Repository, key)
    return full_name(ctx, found) if found else ""


def _person(row: Account) -> Person:
    name = row.name or row.login
    first, _, last = name.partition(" ")
    if row.given_name and name.startswith(f"{row.given_name} "):
        first, last = row.given_name, name.removeprefix(f"{row.given_name} ")
    city, _, country = (row.location or "").partition(", ")
    return Person(
        id=row.login, first_name=first, last_name=last, email=row.email or "", handle=row.login, title=row.bio or "", department="",
            city=city,
        country=country, admin=row.org_role == "admin", active=not row.suspended,
    )  # fmt: skip


def _repository(ctx: Ctx, row: Repository) -> dev_repo.Repository:
    labels = ctx.db.find(Label, repository_id=row.id)
    goals = ctx.db.find(Milestone, order="number", repository_id=row.id)
    return dev_repo.Repository(
        id=full_name(ctx, row), name=row.name, description=row.description or "", private=row.private, archived=row.archived,
        default_branch=row.default_branch, language=row.language or "", topics=tuple(row.topics),
        labels=tuple(dev_repo.Label(name=x.name, color=x.color, description=x.description or "") for x in labels),
        milestones=tuple(
            dev_repo.Milestone(title=m.title, description=m.description or "", due=(m.due_on or "")[:10],
            closed=m.state == "closed") for m in goals
        ),
        created=row.created_at,
    )  # fmt: skip


def _commit(ctx: Ctx, row: Commit) -> dev_repo.Commit | None:
    """A commit that a branch has; others are parts of pull requests, or not yet of anything."""
    repo = ctx.db.get(Repository, row.repository_id)
    if not row.branch or repo is None:
        return None
    paths = row.paths
    if not paths:
        diffs = patches.of_commit(ctx, repo, row)
        paths = sorted({d.path for d in diffs} | {d.previous for d in diffs if d.previous})
    changes = list[dev_repo.FileChange]()
    for path in paths:
        entry = git.find(ctx, repo, row.tree, path)
        blob = ctx.db.get(Blob, (repo.id, entry[1])) if entry else None
        changes.append(dev_repo.FileChange(path=path, content=blob.content if blob else None))
    return dev_repo.Commit(
        id=row.sha, repo=full_name(ctx, repo), branch=row.branch, author=_login(ctx, row.author_id), at=row.author_date,
            message=row.message,
        changes=tuple(changes),
    )  # fmt: skip


def _shared(ctx: Ctx, row: Issue) -> dict[str, Any]:
    goal = ctx.db.get(Milestone, row.milestone_id) if row.milestone_id else None
    comments = ctx.db.find(Comment, order="created_at,id", issue_id=row.id)
    labels = [ctx.db.get(Label, key) for key in row.labels]
    return {
        "id": f"{_repo(ctx, row.repository_id)}#{row.number}", "repo": _repo(ctx, row.repository_id), "number": row.number,
        "title": row.title,
        "body": row.body or "", "author": _login(ctx, row.user_id), "assignees": tuple(_login(ctx, key) for key in row.assignees),
        "labels": tuple(label.name for label in labels if label), "milestone": goal.title if goal else "", "created": row.created_at,
        "closed": row.closed_at or "",
        "comments": tuple(dev_repo.Comment(author=_login(ctx, c.user_id), at=c.created_at, body=c.body) for c in comments),
    }  # fmt: skip


def _issue(ctx: Ctx, row: Issue) -> dev_repo.Issue:
    reason = {"completed": "completed", "not_planned": "not_planned", "duplicate": "not_planned"}.get(
        row.state_reason or "", ""
    )
    return dev_repo.Issue.model_validate({**_shared(ctx, row), "state": row.state, "reason": reason})


_STATES = {"APPROVED": "approved", "CHANGES_REQUESTED": "changes_requested", "COMMENTED": "commented"}


def _pull(ctx: Ctx, row: Issue) -> dev_repo.PullRequest | None:
    pull = ctx.db.first(Pull, issue_id=row.id)
    if pull is None:
        return None
    reviews = [r for r in ctx.db.find(Review, order="submitted_at,id", pull_id=pull.id) if r.state in _STATES]
    return dev_repo.PullRequest.model_validate({
        **_shared(ctx, row), "head": pull.head_ref, "base": pull.base_ref, "draft": pull.draft,
        "state": "merged" if pull.merged else row.state,
        "reviewers": _asked(ctx, row, pull),
        "reviews": [{"author": _login(ctx, r.user_id), "at": r.submitted_at or "", "state": _STATES[r.state],
        "body": r.body} for r in reviews],
    })  # fmt: skip


def _asked(ctx: Ctx, row: Issue, pull: Pull) -> list[str]:
    """Who was asked for a review, whether or not they have given it."""
    asked = dict[int, None]()
    for event in ctx.db.find(Event, issue_id=row.id):
        key = int(event.detail.get("requested_reviewer", 0))
        if event.event == "review_requested":
            asked[key] = None
        elif event.event == "review_request_removed":
            asked.pop(key, None)
    asked.update(dict.fromkeys(pull.requested_reviewers))
    return [_login(ctx, key) for key in asked]


def _release(ctx: Ctx, row: Release) -> dev_repo.Release:
    return dev_repo.Release(
        id=str(row.id), repo=_repo(ctx, row.repository_id), tag=row.tag_name, name=row.name or "", body=row.body or "",
        author=_login(ctx, row.author_id), draft=row.draft, prerelease=row.prerelease, created=row.created_at,
    )  # fmt: skip


def _run(ctx: Ctx, row: Run) -> dev_repo.Run:
    workflow = ctx.db.get(Workflow, row.workflow_id)
    name = (workflow.alias or re.sub(r"\.ya?ml$", "", workflow.path.rpartition("/")[2])) if workflow else ""
    return dev_repo.Run(
        id=str(row.id), repo=_repo(ctx, row.repository_id), workflow=name, branch=row.head_branch, event=row.event,
        actor=_login(ctx, row.actor_id), status=row.status, conclusion=row.conclusion or "", created=row.created_at,
    )  # fmt: skip
