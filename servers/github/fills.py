"""A world's entities as rows, with their own dates."""

import re

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import dev_repo
from legoenv_mcp.capabilities.people import Person

from . import git, issues, refs, reviews, workflows
from .accounts import find_repository
from .models import Account, Commit, Issue, Label, Milestone, Pull, Ref, Release, Repository, Workflow
from .setup import add_repository


def _time(text: str, other: str) -> str:
    """An instant or day as GitHub spells it."""
    if not text:
        return other
    return Ctx.parse_time(text).isoformat(timespec="seconds").replace("+00:00", "Z")


def _account(ctx: Ctx, key: str) -> Account:
    login = ctx.ref(Person, key)
    return ctx.db.find(Account, login=login)[0]


def _repository(ctx: Ctx, key: str) -> Repository:
    found = find_repository(ctx, *ctx.ref(dev_repo.Repository, key).split("/", 1))
    if found is None:
        raise KeyError(key)
    return found


def person(ctx: Ctx, entity: Person) -> str:
    joined = _time(entity.start_date, "2020-01-06T09:00:00Z")
    org = ctx.db.first(Account, type="Organization")
    ctx.db.add(Account(
        id=ctx.sequence("account", 52_310_417, 137), login=entity.handle, name=entity.name, given_name=entity.first_name,
            email=entity.email,
        company=f"@{org.login}" if org else None, location=", ".join(filter(None, (entity.city, entity.country))) or None,
            bio=entity.title or None,
        org_role=("admin" if entity.admin else "member") if entity.active else "", suspended=not entity.active, created_at=joined,
        updated_at=joined,
    ))  # fmt: skip
    return entity.handle


def repository(ctx: Ctx, entity: dev_repo.Repository) -> str:
    owner = ctx.db.find(Account, type="Organization")[0]
    created = _time(entity.created, ctx.timestamp())
    made = add_repository(
        ctx, owner, entity.name, created, labels=False, description=entity.description or None, private=entity.private,
            archived=entity.archived,
        default_branch=entity.default_branch, language=entity.language or None, topics=list(entity.topics),
    )  # fmt: skip
    for label in entity.labels:
        issues.new_label(ctx, made, label.name, label.color, label.description or None)
    for n, goal in enumerate(entity.milestones, 1):
        due = f"{goal.due[:10]}T08:00:00Z" if goal.due else None
        closed = (min(due, ctx.timestamp()) if due else created) if goal.closed else None
        ctx.db.add(Milestone(
            id=ctx.sequence("milestone", 12_705_331, 53), repository_id=made.id, number=n, title=goal.title,
                description=goal.description or None,
            state="closed" if goal.closed else "open", due_on=due, creator_id=owner.id, created_at=created, updated_at=closed or created,
            closed_at=closed,
        ))  # fmt: skip
    return f"{owner.login}/{made.name}"


def commit(ctx: Ctx, entity: dev_repo.Commit) -> str:
    repo, author, at = _repository(ctx, entity.repo), _account(ctx, entity.author), _time(entity.at, ctx.timestamp())
    head = git.branch(ctx, repo, entity.branch) or git.branch(ctx, repo, repo.default_branch)
    changes = dict[str, tuple[str, str] | None]()
    for change in entity.changes:
        changes[change.path] = (
            None if change.content is None else (git.FILE, git.put_blob(ctx, repo, change.content.encode()))
        )
    tree = git.write_tree(ctx, repo, git.tree_of(ctx, repo, head.sha if head else None), changes)
    who = git.Signature(author.name or author.login, author.email or "", at)
    made = git.put_commit(ctx, repo, tree, [head.sha] if head else [], entity.message, who, branch=entity.branch)
    ctx.db.update(made, paths=[change.path for change in entity.changes])
    own = git.branch(ctx, repo, entity.branch)
    if own is None:
        ctx.db.add(Ref(repository_id=repo.id, name=f"refs/heads/{entity.branch}", sha=made.sha))
    else:
        ctx.db.update(own, sha=made.sha)
    ctx.db.update(repo, pushed_at=max(at, repo.pushed_at), updated_at=max(at, repo.updated_at))
    if entity.branch == repo.default_branch:
        workflows.sync_workflows(ctx, repo, tree, at)
    return made.sha


def _talk(
    ctx: Ctx, repo: Repository, entity: dev_repo.Issue | dev_repo.PullRequest, *, is_pull: bool, reason: str = ""
) -> Issue:
    """The issue row of an issue or pull request, with its comments."""
    created, open_ = _time(entity.created, ctx.timestamp()), entity.state == "open"
    author = _account(ctx, entity.author)
    labels = [
        (issues.find_label(ctx, repo, name) or issues.new_label(ctx, repo, name, issues.LABEL_COLOR)).id
        for name in entity.labels
    ]
    goal = ctx.db.first(Milestone, repository_id=repo.id, title=entity.milestone) if entity.milestone else None
    assignees = [_account(ctx, key) for key in entity.assignees]
    closed = None if open_ else _time(entity.closed, created)
    made = issues.new_issue(
        ctx, repo, author, entity.title, entity.body or None, is_pull=is_pull, number=entity.number, created=created, labels=labels,
        assignees=[a.id for a in assignees], milestone_id=goal.id if goal else None, state="open" if open_ else "closed",
        state_reason=reason or None, closed_at=closed, closed_by=None if open_ else (assignees[0] if assignees else author).id,
    )  # fmt: skip
    last = max(created, closed or created)
    for comment in entity.comments:
        at = _time(comment.at, created)
        issues.new_comment(ctx, made, _account(ctx, comment.author).id, comment.body, at)
        last = max(last, at)
    for key in labels:
        row = ctx.require(Label, key)
        issues.event(ctx, made, "labeled", author, at=created, label={"name": row.name, "color": row.color})
    for assignee in assignees:
        issues.event(ctx, made, "assigned", author, at=created, assignee=assignee.id)
    ctx.db.update(made, updated_at=last)
    return made


def issue(ctx: Ctx, entity: dev_repo.Issue) -> str:
    repo = _repository(ctx, entity.repo)
    made = _talk(ctx, repo, entity, is_pull=False, reason=entity.reason)
    if made.closed_at:
        issues.event(
            ctx, made, "closed", ctx.require(Account, made.closed_by), at=made.closed_at, state_reason=made.state_reason
        )
    return f"{ctx.ref(dev_repo.Repository, entity.repo)}#{entity.number}"


def pull_request(ctx: Ctx, entity: dev_repo.PullRequest) -> str:
    repo = _repository(ctx, entity.repo)
    row = _talk(ctx, repo, entity, is_pull=True)
    author = ctx.require(Account, row.user_id)
    merged = entity.state == "merged"
    head, base, made = _shas(ctx, repo, entity, author, row)
    asked = [_account(ctx, key) for key in entity.reviewers]
    done = {review.author for review in entity.reviews}
    merger = ctx.db.get(Commit, (repo.id, made)) if made else None
    by = (merger.author_id if merger else None) or row.user_id
    pull = ctx.db.add(Pull(
        id=ctx.sequence("pull", 2_281_446_903, 3_181), issue_id=row.id, repository_id=repo.id, number=entity.number,
            head_repository_id=repo.id,
        head_ref=entity.head, head_sha=head, base_ref=entity.base, base_sha=base, draft=entity.draft, merged=merged,
        merged_at=row.closed_at if merged else None, merged_by=by if merged else None, merge_commit_sha=made,
        requested_reviewers=[person.id for person, key in zip(asked, entity.reviewers, strict=True) if key not in done],
    ))  # fmt: skip
    for person_ in asked:
        issues.event(ctx, row, "review_requested", author, at=row.created_at, requested_reviewer=person_.id)
    states = {"approved": "APPROVED", "changes_requested": "CHANGES_REQUESTED", "commented": "COMMENTED"}
    last = row.updated_at
    for review in entity.reviews:
        at = _time(review.at, row.created_at)
        reviews.new_review(ctx, pull, _account(ctx, review.author).id, states[review.state], review.body, head, at)
        last = max(last, at)
    if row.closed_at:
        closer = ctx.require(Account, by if merged else row.closed_by)
        if merged:
            issues.event(ctx, row, "merged", closer, made, at=row.closed_at)
        issues.event(ctx, row, "closed", closer, at=row.closed_at)
    ctx.db.update(row, updated_at=last, closed_by=(by if merged else row.closed_by) if row.closed_at else None)
    return f"{ctx.ref(dev_repo.Repository, entity.repo)}#{entity.number}"


def _shas(
    ctx: Ctx, repo: Repository, entity: dev_repo.PullRequest, author: Account, row: Issue
) -> tuple[str, str, str | None]:
    """Head, base and, where merged, the merge's commit.

    Worlds spell a merge as one squashed commit of the base ending in `(#15)` whose head branch is gone; the head's commit is made
    from it. A merged branch that is still there is merged here.
    """
    onto = git.branch(ctx, repo, entity.base) or git.branch(ctx, repo, repo.default_branch)
    tip = git.branch(ctx, repo, entity.head)
    if onto is None:
        empty = git.put_commit(
            ctx, repo, git.put_tree(ctx, repo, []), [], entity.title, _signature(author, row.created_at)
        )
        return empty.sha, empty.sha, empty.sha if entity.state == "merged" else None
    history = git.history(ctx, repo, onto.sha)
    if entity.state == "merged":
        squashed = next((c for c in history if re.search(rf"\(#{entity.number}\)$", git.subject(c.message))), None)
        if squashed is not None:
            base = squashed.parents[0] if squashed.parents else squashed.sha
            head = tip.sha if tip else _head(ctx, repo, squashed.tree, base, entity.title, author, row.created_at)
            return head, base, squashed.sha
        if tip is not None:
            return tip.sha, onto.sha, _merge(ctx, repo, entity, onto, tip.sha, author, row)
    if tip is not None:
        common = git.merge_base(ctx, repo, onto.sha, tip.sha)
        return tip.sha, onto.sha if entity.state == "open" else common or onto.sha, None
    then = next((c for c in history if c.committer_date <= row.created_at), history[-1])
    head = _head(ctx, repo, then.tree, then.sha, entity.title, author, row.created_at)
    return head, then.sha, then.sha if entity.state == "merged" else None


def _signature(author: Account, at: str) -> git.Signature:
    return git.Signature(author.name or author.login, author.email or "", at)


def _head(ctx: Ctx, repo: Repository, tree: str, base: str, title: str, author: Account, at: str) -> str:
    return git.put_commit(ctx, repo, tree, [base], title, _signature(author, at)).sha


def _merge(
    ctx: Ctx, repo: Repository, entity: dev_repo.PullRequest, onto: Ref, tip: str, author: Account, row: Issue
) -> str:
    if tip in git.ancestors(ctx, repo, onto.sha):
        return tip
    tried = refs.merge_commits(ctx, repo, onto.sha, tip)
    if tried.conflicts:
        return tip
    tree = tried.write(ctx, repo, git.tree_of(ctx, repo, onto.sha))
    owner = ctx.require(Account, repo.owner_id)
    message = f"Merge pull request #{entity.number} from {owner.login}/{entity.head}\n\n{entity.title}"
    who = _signature(author, row.closed_at or row.created_at)
    made = git.put_commit(
        ctx, repo, tree, [onto.sha, tip], message, who, git.Signature(*refs.WEB_FLOW, who.date), entity.base
    )
    ctx.db.update(onto, sha=made.sha)
    return made.sha


def _as_of(ctx: Ctx, repo: Repository, branch: str, at: str) -> str | None:
    """The commit that a branch was at, at a time."""
    found = git.branch(ctx, repo, branch) or git.branch(ctx, repo, repo.default_branch)
    history = git.history(ctx, repo, found.sha) if found else []
    return next((c.sha for c in history if c.committer_date <= at), history[-1].sha if history else None)


def release(ctx: Ctx, entity: dev_repo.Release) -> str:
    repo, at = _repository(ctx, entity.repo), _time(entity.created, ctx.timestamp())
    name, sha = f"refs/tags/{entity.tag}", _as_of(ctx, repo, repo.default_branch, at)
    if not entity.draft and sha and ctx.db.get(Ref, (repo.id, name)) is None:
        ctx.db.add(Ref(repository_id=repo.id, name=name, sha=sha))
    made = ctx.db.add(Release(
        id=ctx.sequence("release", 187_330_214, 641), repository_id=repo.id, tag_name=entity.tag, target_commitish=repo.default_branch,
        name=entity.name or None, body=entity.body or None, draft=entity.draft, prerelease=entity.prerelease,
        author_id=_account(ctx, entity.author).id, created_at=at, published_at=None if entity.draft else at,
    ))  # fmt: skip
    return str(made.id)


def run(ctx: Ctx, entity: dev_repo.Run) -> str:
    repo, at = _repository(ctx, entity.repo), _time(entity.created, ctx.timestamp())
    workflow = _workflow(ctx, repo, entity.workflow, at)
    sha = _as_of(ctx, repo, entity.branch, at) or git.EMPTY_TREE
    made = workflows.start_run(
        ctx, repo, workflow, entity.event, entity.branch, sha, _account(ctx, entity.actor), status=entity.status,
        conclusion=entity.conclusion or None, created=at,
    )  # fmt: skip
    return str(made.id)


def _workflow(ctx: Ctx, repo: Repository, name: str, at: str) -> Workflow:
    """The workflow that a run's entity calls by its name or file; registered where no file tells of it."""
    for row in ctx.db.find(Workflow, repository_id=repo.id):
        file = row.path.rpartition("/")[2]
        if name.lower() in (row.alias.lower(), row.name.lower(), file, re.sub(r"\.ya?ml$", "", file)):
            return row if row.alias else ctx.db.update(row, alias=name)
    file = name if re.search(r"\.ya?ml$", name) else re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") + ".yml"
    return ctx.db.update(workflows.register(ctx, repo, f".github/workflows/{file}", name, at), alias=name)
