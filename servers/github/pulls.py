"""Pull requests: opening, following their branches, whether and how they merge, and their JSON."""

import re
from collections.abc import Sequence
from typing import Any, Literal

from legoenv_mcp.app import ApiError, Ctx

from . import git, merge, patches, refs
from .accounts import find_repository, full_name, may, me
from .app import WEB, failed, not_found
from .checks import blocked, overall
from .issues import association, check_body, check_title, event, issue_json, new_issue, set_state
from .models import Account, Comment, Commit, Issue, Protection, Pull, Ref, Repository, ReviewComment
from .resources import node_id, repo_json, repo_url, user_json

Method = Literal["merge", "squash", "rebase"]
_CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+"
    r"(?:https://github\.com/([\w.-]+)/([\w.-]+)/issues/|(?:([\w.-]+)/([\w.-]+))?#)(\d{1,9})\b",
    re.IGNORECASE,
)


def pull_of(ctx: Ctx, repo: Repository, number: int) -> tuple[Pull, Issue]:
    found = ctx.db.first(Pull, repository_id=repo.id, number=number)
    if found is None:
        raise not_found()
    return found, ctx.require(Issue, found.issue_id)


def base_of(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue) -> str:
    """The base's commit: of an open pull request the branch as it is now, else as it was at the end."""
    found = git.branch(ctx, repo, pull.base_ref) if issue.state == "open" else None
    return found.sha if found else pull.base_sha


def commits(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue) -> list[Commit]:
    """What the pull request brings, oldest first."""
    return git.history(ctx, repo, pull.head_sha, git.ancestors(ctx, repo, base_of(ctx, repo, pull, issue)))[::-1]


def diffs(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue) -> list[patches.FileDiff]:
    """What changes against the point where the branches parted."""
    common = git.merge_base(ctx, repo, base_of(ctx, repo, pull, issue), pull.head_sha)
    return patches.between(ctx, repo, git.tree_of(ctx, repo, common), git.tree_of(ctx, repo, pull.head_sha))


# Opening


def _head(ctx: Ctx, repo: Repository, text: str) -> tuple[Repository, str]:
    """The repository and branch that `branch` or `owner:branch` means: this repository, or that owner's fork of it."""
    owner, colon, branch = text.rpartition(":")
    if not colon or owner.lower() == full_name(ctx, repo).split("/")[0].lower():
        return repo, branch
    found = [
        r
        for r in ctx.db.find(Repository, fork_of=repo.fork_of or repo.id)
        if full_name(ctx, r).lower().startswith(f"{owner.lower()}/")
    ]
    parent = find_repository(ctx, owner, repo.name)
    if not found and parent is not None and parent.id == repo.fork_of:
        found = [parent]
    if not found or not may(ctx, found[0], me(ctx), "read"):
        raise failed("PullRequest", "head")
    return found[0], branch


def open_pull(
    ctx: Ctx,
    repo: Repository,
    title: str,
    head: str,
    base: str,
    body: str | None,
    *,
    draft: bool = False,
    maintainer_can_modify: bool = False,
) -> tuple[Pull, Issue]:
    check_title("PullRequest", title)
    check_body(body)
    source, branch = _head(ctx, repo, head)
    tip, target = git.branch(ctx, source, branch), git.branch(ctx, repo, base)
    if tip is None:
        raise failed("PullRequest", "head")
    if target is None:
        raise failed("PullRequest", "base")
    label = refs.head_label(ctx, source, branch)
    if not may(ctx, source, me(ctx), "write"):
        raise failed("PullRequest", "head", "custom", "must be a collaborator")
    if _other(ctx, repo, source, branch, base):
        raise failed("PullRequest", code="custom", message=f"A pull request already exists for {label}.")
    refs.fetch(ctx, source, repo, tip.sha)
    if git.merge_base(ctx, repo, target.sha, tip.sha) is None:
        raise failed("PullRequest", code="custom", message=f"The {branch} branch has no history in common with {base}")
    if not git.history(ctx, repo, tip.sha, git.ancestors(ctx, repo, target.sha)):
        raise failed(
            "PullRequest",
            code="custom",
            message=f"No commits between {base} and {branch if source.id == repo.id else label}",
        )
    issue = new_issue(ctx, repo, me(ctx), title, body, is_pull=True)
    pull = ctx.db.add(Pull(
        id=ctx.sequence("pull", 2_281_446_903, 3_181), issue_id=issue.id, repository_id=repo.id, number=issue.number,
            head_repository_id=source.id,
        head_ref=branch, head_sha=tip.sha, base_ref=base, base_sha=target.sha, draft=draft, maintainer_can_modify=maintainer_can_modify,
    ))  # fmt: skip
    return pull, issue


def _other(ctx: Ctx, repo: Repository, source: Repository, branch: str, base: str, but: int = 0) -> bool:
    """Whether another open pull request has the same branches."""
    same = ctx.db.find(Pull, repository_id=repo.id, head_repository_id=source.id, head_ref=branch, base_ref=base)
    return any(p.id != but and ctx.require(Issue, p.issue_id).state == "open" for p in same)


# Changing


def change_state(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue, state: str) -> None:
    if state == issue.state:
        return
    if state == "closed":
        ctx.db.update(pull, base_sha=base_of(ctx, repo, pull, issue))
        set_state(ctx, issue, state)
        return
    source = ctx.db.get(Repository, pull.head_repository_id)
    why = ""
    if pull.merged:
        why = "The pull request cannot be reopened."
    elif source is None or git.branch(ctx, source, pull.head_ref) is None:
        why = f"The {pull.head_ref} branch has been deleted."
    elif git.branch(ctx, repo, pull.base_ref) is None:
        why = f"The {pull.base_ref} branch has been deleted."
    elif _other(ctx, repo, source, pull.head_ref, pull.base_ref, pull.id):
        why = "There is already an open pull request for this branch."
    if why or source is None:
        raise failed("PullRequest", "state", "invalid", f"state cannot be changed. {why}")
    set_state(ctx, issue, state)
    tip = refs.require_branch(ctx, source, pull.head_ref)
    refs.fetch(ctx, source, repo, tip.sha)
    ctx.db.update(pull, head_sha=tip.sha)


def change_base(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue, base: str) -> None:
    if base == pull.base_ref:
        return
    if issue.state == "closed":
        raise failed("PullRequest", "base", "custom", "Cannot change the base branch of a closed pull request.")
    target = git.branch(ctx, repo, base)
    if target is None:
        raise failed("PullRequest", "base")
    source = ctx.require(Repository, pull.head_repository_id)
    if _other(ctx, repo, source, pull.head_ref, base, pull.id):
        message = f"A pull request already exists for base branch '{base}' and head branch '{pull.head_ref}'"
        raise failed("PullRequest", "base", "invalid", message)
    if not git.history(ctx, repo, pull.head_sha, git.ancestors(ctx, repo, target.sha)):
        raise failed(
            "PullRequest",
            "base",
            "invalid",
            f"There are no new commits between base branch '{base}' and head branch '{pull.head_ref}'",
        )
    event(ctx, issue, "base_ref_changed")
    ctx.db.update(pull, base_ref=base, base_sha=target.sha)


def close_pulls_of(ctx: Ctx, repo: Repository, branch: str) -> None:
    """A branch that goes closes the open pull requests from it and onto it."""
    gone = [
        *ctx.db.find(Pull, head_repository_id=repo.id, head_ref=branch),
        *ctx.db.find(Pull, repository_id=repo.id, base_ref=branch),
    ]
    for pull in gone:
        issue = ctx.require(Issue, pull.issue_id)
        if issue.state == "open":
            change_state(ctx, ctx.require(Repository, pull.repository_id), pull, issue, "closed")


def landed(ctx: Ctx, repo: Repository, branch: str, sha: str, before: str | None) -> None:
    """What follows a push: it merges the pull requests whose commits it brings, and on the default branch closes issues."""
    brought = git.history(ctx, repo, sha, git.ancestors(ctx, repo, before) if before else set[str]())
    reached, texts = {c.sha for c in brought}, [c.message for c in brought]
    for pull in ctx.db.find(Pull, repository_id=repo.id, base_ref=branch, merged=False):
        issue = ctx.require(Issue, pull.issue_id)
        if issue.state == "open" and pull.head_sha in reached:
            finish(ctx, pull, issue, sha, before or sha)
            texts.append(issue.body or "")
    if branch == repo.default_branch:
        close_mentioned(ctx, repo, texts)


# Merging


def mergeability(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue) -> tuple[bool | None, str]:
    """`mergeable`, found by really trying the merge, and `mergeable_state`."""
    if issue.state != "open":
        return None, "unknown"
    if refs.merge_commits(ctx, repo, base_of(ctx, repo, pull, issue), pull.head_sha).conflicts:
        return False, "dirty"
    if pull.draft:
        return True, "draft"
    if blocked(ctx, repo, pull):
        return True, "blocked"
    return True, "clean" if overall(ctx, repo, pull.head_sha) in ("", "success") else "unstable"


def merge_pull(
    ctx: Ctx,
    repo: Repository,
    pull: Pull,
    issue: Issue,
    method: Method,
    title: str | None,
    message: str | None,
    sha: str | None,
) -> str:
    """Merges; answers the sha of the commit that the base branch then has."""
    if issue.state != "open":
        raise ApiError(405, "Pull Request is not mergeable")
    if pull.draft:
        raise ApiError(405, "Pull Request is still a draft")
    if sha is not None and sha != pull.head_sha:
        raise ApiError(409, "Head branch was modified. Review and try the merge again.")
    allowed = {"merge": repo.allow_merge_commit, "squash": repo.allow_squash_merge, "rebase": repo.allow_rebase_merge}
    if not allowed[method]:
        words = {"merge": "Merge commits", "squash": "Squash merges", "rebase": "Rebase merges"}
        raise ApiError(405, f"{words[method]} are not allowed on this repository.")
    if reason := blocked(ctx, repo, pull):
        raise ApiError(405, reason)
    base = base_of(ctx, repo, pull, issue)
    tried = refs.merge_commits(ctx, repo, base, pull.head_sha)
    if tried.conflicts:
        raise ApiError(405, "Pull Request is not mergeable")
    brought = commits(ctx, repo, pull, issue)
    if method == "rebase":
        made = _rebase(ctx, repo, base, brought, pull.base_ref)
    else:
        tree = tried.write(ctx, repo, git.tree_of(ctx, repo, base))
        who = refs.signature(ctx)
        head, text = _message(ctx, pull, issue, brought, method)
        text = text if message is None else message
        words = (title or head) + (f"\n\n{text}" if text else "")
        author = who
        if method == "squash":
            writer = ctx.require(Account, issue.user_id)
            author = git.Signature(writer.name or writer.login, writer.email or "", who.date)
        parents = [base, pull.head_sha] if method == "merge" else [base]
        made = git.put_commit(
            ctx, repo, tree, parents, words, author, git.Signature(*refs.WEB_FLOW, who.date), pull.base_ref
        ).sha
    finish(ctx, pull, issue, made, base)
    refs.set_ref(ctx, repo, f"refs/heads/{pull.base_ref}", made)
    landed(ctx, repo, pull.base_ref, made, base)
    if pull.base_ref == repo.default_branch:
        close_mentioned(ctx, repo, [issue.body or ""])
    if repo.delete_branch_on_merge and pull.head_repository_id == repo.id and pull.head_ref != repo.default_branch:
        delete_branch(ctx, repo, pull.head_ref)
    return made


def _message(ctx: Ctx, pull: Pull, issue: Issue, brought: Sequence[Commit], method: Method) -> tuple[str, str]:
    """GitHub's own title and text for the merge's commit."""
    if method == "merge":
        source = ctx.require(Repository, pull.head_repository_id)
        return (
            f"Merge pull request #{pull.number} from {refs.head_label(ctx, source, pull.head_ref).replace(':', '/')}",
            issue.title,
        )
    credits = _credits(ctx, issue, brought)
    if len(brought) == 1:
        head, _, rest = brought[0].message.partition("\n")
        return f"{head} (#{pull.number})", "\n\n".join(filter(None, (rest.strip(), credits)))
    listed = "\n\n".join(f"* {c.message.strip()}" for c in brought)
    return f"{issue.title} (#{pull.number})", f"{listed}\n\n---------\n\n{credits}" if credits else listed


def _credits(ctx: Ctx, issue: Issue, brought: Sequence[Commit]) -> str:
    """The trailers by which a squashed commit names those who wrote it beside the pull request's author."""
    writer = ctx.require(Account, issue.user_id)
    others = {c.author_email: c.author_name for c in brought if c.author_email != writer.email}
    return "\n".join(f"Co-authored-by: {name} <{email}>" for email, name in others.items())


def _rebase(ctx: Ctx, repo: Repository, base: str, brought: Sequence[Commit], branch: str) -> str:
    """Replays the commits, one by one, on the base."""
    tip, by = base, refs.signature(ctx)
    for commit in brought:
        if len(commit.parents) > 1:
            continue
        before = git.tree_of(ctx, repo, commit.parents[0] if commit.parents else None)
        ours = git.tree_of(ctx, repo, tip)
        replayed = merge.merge_trees(ctx, repo, before, ours, commit.tree)
        if replayed.conflicts:
            raise ApiError(405, "This branch can't be rebased")
        author = git.Signature(commit.author_name, commit.author_email, commit.author_date)
        tip = git.put_commit(ctx, repo, replayed.write(ctx, repo, ours), [tip], commit.message, author, by, branch).sha
    return tip


def finish(ctx: Ctx, pull: Pull, issue: Issue, made: str, base: str) -> None:
    now, caller = ctx.timestamp(), me(ctx)
    ctx.db.update(pull, merged=True, merged_at=now, merged_by=caller.id, merge_commit_sha=made, base_sha=base)
    event(ctx, issue, "merged", commit=made)
    set_state(ctx, issue, "closed")


def close_mentioned(ctx: Ctx, repo: Repository, texts: Sequence[str]) -> None:
    """`Fixes #12` in what reaches the default branch closes the issue; another repository's where the caller may write to it."""
    for text in texts:
        for owner, name, other, its, number in _CLOSES.findall(text):
            home = find_repository(ctx, owner or other, name or its) if owner or other else repo
            if home is None or not may(ctx, home, me(ctx), "write"):
                continue
            issue = ctx.db.first(Issue, repository_id=home.id, number=int(number), is_pull=False)
            if issue is not None and issue.state == "open":
                set_state(ctx, issue, "closed", "completed")


def delete_branch(ctx: Ctx, repo: Repository, name: str) -> None:
    """Removes a branch and closes the pull requests that need it."""
    found = ctx.db.get(Ref, (repo.id, f"refs/heads/{name}"))
    if found is None:
        raise ApiError(422, "Reference does not exist")
    if name == repo.default_branch:
        raise ApiError(422, "Cannot delete the default branch")
    if (rule := ctx.db.get(Protection, (repo.id, name))) and not rule.allow_deletions:
        raise ApiError(422, "Repository rule violations found\n\nCannot delete this protected ref")
    close_pulls_of(ctx, repo, name)
    ctx.db.delete(found)


# JSON


def _end(ctx: Ctx, repo: Repository | None, ref: str, sha: str, shown: dict[str, Any] | None) -> dict[str, Any]:
    owner = ctx.db.get(Account, repo.owner_id) if repo else None
    return {
        "label": f"{owner.login}:{ref}" if owner else ref, "ref": ref, "sha": sha, "user": user_json(ctx, owner), "repo": shown,
    }  # fmt: skip


def pull_json(ctx: Ctx, repo: Repository, pull: Pull, issue: Issue, *, full: bool = False) -> dict[str, Any]:
    root, web = repo_url(ctx, repo), f"{WEB}/{full_name(ctx, repo)}"
    api, page, issue_api = f"{root}/pulls/{pull.number}", f"{web}/pull/{pull.number}", f"{root}/issues/{pull.number}"
    source = ctx.db.get(Repository, pull.head_repository_id)
    shared, here = issue_json(ctx, repo, issue), repo_json(ctx, repo)
    there = here if source and source.id == repo.id else repo_json(ctx, source) if source else None
    base_sha = base_of(ctx, repo, pull, issue)
    links = {
        "self": api, "html": page, "issue": issue_api, "comments": f"{issue_api}/comments", "review_comments": f"{api}/comments",
        "review_comment": f"{root}/pulls/comments{{/number}}", "commits": f"{api}/commits", "statuses": f"{root}/statuses/{pull.head_sha}",
    }  # fmt: skip
    same = ("number", "state", "locked", "title", "user", "body", "created_at", "updated_at", "closed_at", "labels", "milestone",
            "assignee", "assignees", "author_association", "active_lock_reason")  # fmt: skip
    made: dict[str, Any] = {
        "url": api, "id": pull.id, "node_id": node_id("Pull", pull.id), "html_url": page, "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue_api, **{key: shared[key] for key in same}, "merged_at": pull.merged_at,
        "merge_commit_sha": pull.merge_commit_sha, "draft": pull.draft,
        "requested_reviewers": [user_json(ctx, key) for key in pull.requested_reviewers], "requested_teams": [],
        "commits_url": links["commits"], "review_comments_url": links["review_comments"], "review_comment_url": links["review_comment"],
        "comments_url": links["comments"], "statuses_url": links["statuses"],
        "head": _end(ctx, source, pull.head_ref, pull.head_sha, there), "base": _end(ctx, repo, pull.base_ref, base_sha, here),
        "_links": {key: {"href": link} for key, link in links.items()}, "auto_merge": None,
        "author_association": association(ctx, repo, issue.user_id),
    }  # fmt: skip
    if full:
        mergeable, state = mergeability(ctx, repo, pull, issue)
        changed = diffs(ctx, repo, pull, issue)
        made |= {
            "merged": pull.merged, "mergeable": mergeable, "rebaseable": mergeable, "mergeable_state": state,
            "merged_by": user_json(ctx, pull.merged_by), "comments": ctx.db.count(Comment, issue_id=issue.id),
            "review_comments": ctx.db.count(ReviewComment, pull_id=pull.id), "maintainer_can_modify": pull.maintainer_can_modify,
            "commits": len(commits(ctx, repo, pull, issue)), "additions": sum(d.additions for d in changed),
            "deletions": sum(d.deletions for d in changed), "changed_files": len(changed),
        }  # fmt: skip
    return made
