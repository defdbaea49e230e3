"""Making, copying and removing whole repositories."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import git
from .issues import new_label
from .models import (
    Account,
    Blob,
    Collaborator,
    Comment,
    Commit,
    Event,
    Issue,
    Job,
    Label,
    Milestone,
    Protection,
    Pull,
    Reaction,
    Ref,
    Release,
    Repository,
    Review,
    ReviewComment,
    Run,
    Star,
    Status,
    TagObject,
    Tree,
    Workflow,
)  # fmt: skip
from .workflows import sync_workflows

DEFAULT_LABELS = (
    ("bug", "d73a4a", "Something isn't working"), ("documentation", "0075ca", "Improvements or additions to documentation"),
    ("duplicate", "cfd3d7", "This issue or pull request already exists"), ("enhancement", "a2eeef", "New feature or request"),
    ("good first issue", "7057ff", "Good for newcomers"), ("help wanted", "008672", "Extra attention is needed"),
    ("invalid", "e4e669", "This doesn't seem right"), ("question", "d876e3", "Further information is requested"),
    ("wontfix", "ffffff", "This will not be worked on"),
)  # fmt: skip
"""The labels that GitHub gives every new repository."""


def add_repository(
    ctx: Ctx, owner: Account, name: str, created: str = "", *, labels: bool = True, **columns: Any
) -> Repository:
    at = created or ctx.timestamp()
    made = ctx.db.add(Repository(
        id=ctx.sequence("repository", 712_406_115, 6_007), owner_id=owner.id, name=name, created_at=at, updated_at=at, pushed_at=at,
            **columns,
    ))  # fmt: skip
    if labels:
        for title, color, description in DEFAULT_LABELS:
            new_label(ctx, made, title, color, description, default=True)
    return made


def fork(ctx: Ctx, parent: Repository, owner: Account, name: str, default_only: bool) -> Repository:
    """A copy of the parent's objects, branches and tags; issues stay behind."""
    made = add_repository(
        ctx, owner, name, labels=False, description=parent.description, private=parent.private, fork_of=parent.id,
        default_branch=parent.default_branch, language=parent.language, topics=[], has_issues=False,
    )  # fmt: skip
    kept = [r for r in ctx.db.find(Ref, repository_id=parent.id) if not r.name.startswith("refs/pull/")]
    if default_only:
        kept = [r for r in kept if r.name == f"refs/heads/{parent.default_branch}"]
    for model in (Blob, Tree, Commit, TagObject):
        for row in ctx.db.find(model, repository_id=parent.id):
            ctx.db.add(model(**{**row.model_dump(), "repository_id": made.id}))
    for ref in kept:
        ctx.db.add(Ref(repository_id=made.id, name=ref.name, sha=ref.sha))
    for label in ctx.db.find(Label, repository_id=parent.id):
        new_label(ctx, made, label.name, label.color, label.description, default=label.default)
    if head := git.branch(ctx, made, made.default_branch):
        sync_workflows(ctx, made, git.commit(ctx, made, head.sha).tree)
    return made


def delete_repository_rows(ctx: Ctx, repo: Repository) -> None:
    """Removes a repository and all that hangs on it, what points before what is pointed at. Forks live on by themselves."""
    for pull in ctx.db.find(Pull, head_repository_id=repo.id):
        issue = ctx.require(Issue, pull.issue_id)
        if pull.repository_id != repo.id and issue.state == "open":
            ctx.db.update(issue, state="closed", closed_at=ctx.timestamp())
    for pull in ctx.db.find(Pull, repository_id=repo.id):
        for comment in ctx.db.find(ReviewComment, pull_id=pull.id):
            ctx.db.delete_where(Reaction, subject=f"review_comment:{comment.id}")
            ctx.db.delete(comment)
        ctx.db.delete_where(Review, pull_id=pull.id)
        ctx.db.delete(pull)
    for issue in ctx.db.find(Issue, repository_id=repo.id):
        for comment in ctx.db.find(Comment, issue_id=issue.id):
            ctx.db.delete_where(Reaction, subject=f"comment:{comment.id}")
            ctx.db.delete(comment)
        ctx.db.delete_where(Event, issue_id=issue.id)
        ctx.db.delete_where(Reaction, subject=f"issue:{issue.id}")
        ctx.db.delete(issue)
    for run in ctx.db.find(Run, repository_id=repo.id):
        ctx.db.delete_where(Job, run_id=run.id)
        ctx.db.delete(run)
    for model in (
        Workflow,
        Release,
        Milestone,
        Label,
        Status,
        Protection,
        Ref,
        TagObject,
        Commit,
        Tree,
        Blob,
        Star,
        Collaborator,
    ):
        ctx.db.delete_where(model, repository_id=repo.id)
    for child in ctx.db.find(Repository, fork_of=repo.id):
        ctx.db.update(child, fork_of=None)
    ctx.db.delete(repo)
