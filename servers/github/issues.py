"""Issues: their rules, and their JSON. Pull requests share them."""

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from legoenv_mcp.app import ApiError, Ctx

from . import accounts
from .accounts import full_name, me
from .app import WEB, failed, not_found
from .models import Account, Comment, Event, Issue, Label, Milestone, Pull, Reaction, Repository
from .resources import node_id, repo_url, user_json

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def issue_of(ctx: Ctx, repo: Repository, number: int) -> Issue:
    found = ctx.db.first(Issue, repository_id=repo.id, number=number)
    if found is None:
        raise not_found()
    return found


def event(
    ctx: Ctx,
    issue: Issue,
    kind: str,
    actor: Account | None = None,
    commit: str | None = None,
    at: str = "",
    **detail: Any,
) -> None:
    ctx.db.add(Event(
        id=ctx.sequence("event", 16_402_118_223, 1_009), issue_id=issue.id, actor_id=(actor or me(ctx)).id, event=kind, detail=detail,
        commit_id=commit, created_at=at or ctx.timestamp(),
    ))  # fmt: skip


def touch(ctx: Ctx, issue: Issue) -> None:
    ctx.db.update(issue, updated_at=ctx.timestamp())


def next_number(ctx: Ctx, repo: Repository) -> int:
    last = ctx.db.first(Issue, order="-number", repository_id=repo.id)
    return last.number + 1 if last else 1


def new_issue(ctx: Ctx, repo: Repository, author: Account, title: str, body: str | None, *, is_pull: bool = False, number: int = 0,
    created: str = "", **columns: Any) -> Issue:  # fmt: skip
    at = created or ctx.timestamp()
    return ctx.db.add(Issue(
        id=ctx.sequence("issue", 2_914_508_113, 7_919), repository_id=repo.id, number=number or next_number(ctx, repo), is_pull=is_pull,
        title=title, body=body, user_id=author.id, created_at=at, updated_at=at, **columns,
    ))  # fmt: skip


def check_title(resource: str, title: str | None) -> None:
    if title is not None and not title.strip():
        raise failed(resource, "title", "missing_field")
    if title is not None and len(title) > 256:
        raise failed(resource, "title", "custom", "title is too long (maximum is 256 characters)")


def people(ctx: Ctx, repo: Repository, logins: Iterable[str], resource: str = "Issue") -> list[int]:
    """Ids of people who can be assigned: those who may read the repository."""
    found = list[int]()
    for login in logins:
        person = accounts.user(ctx, login)
        if person is None or not accounts.may(ctx, repo, person, "read"):
            raise failed(resource, "assignees", "invalid", value=login)
        if person.id not in found:
            found.append(person.id)
    if len(found) > 10:
        raise failed(resource, "assignees", "custom", "cannot have more than 10 assignees")
    return found


LABEL_COLOR = "ededed"


def find_label(ctx: Ctx, repo: Repository, name: str) -> Label | None:
    found = ctx.db.where(Label, "repository_id = ? AND lower(name) = ?", [repo.id, name.lower()], limit=1)
    return found[0] if found else None


def labels_of(ctx: Ctx, repo: Repository, names: Iterable[str]) -> list[int]:
    """Ids of labels by name; those that the repository lacks are made, as GitHub does for people who may push."""
    out = list[int]()
    for name in names:
        check_label(name)
        label = find_label(ctx, repo, name) or new_label(ctx, repo, name, LABEL_COLOR)
        if label.id not in out:
            out.append(label.id)
    return out


def check_label(name: str | None = None, description: str | None = None) -> None:
    if name is not None and not name.strip():
        raise failed("Label", "name", "missing_field")
    if name is not None and len(name) > 50:
        raise failed("Label", "name", "custom", "name is too long (maximum is 50 characters)")
    if description is not None and len(description) > 100:
        raise failed("Label", "description", "custom", "description is too long (maximum is 100 characters)")


def new_label(
    ctx: Ctx, repo: Repository, name: str, color: str, description: str | None = None, *, default: bool = False
) -> Label:
    key = ctx.sequence("label", 7_302_551_904, 271)
    return ctx.db.add(
        Label(id=key, repository_id=repo.id, name=name, color=color, description=description, default=default)
    )


def milestone_of(ctx: Ctx, repo: Repository, number: int | None) -> int | None:
    if number is None:
        return None
    found = ctx.db.first(Milestone, repository_id=repo.id, number=number)
    if found is None:
        raise failed("Issue", "milestone", "invalid", value=number)
    return found.id


def relabel(ctx: Ctx, issue: Issue, after: Sequence[int]) -> None:
    """Sets the labels, with an event for each that comes or goes."""
    before = issue.labels
    for kind, ids in (
        ("labeled", [i for i in after if i not in before]),
        ("unlabeled", [i for i in before if i not in after]),
    ):
        for key in ids:
            label = ctx.require(Label, key)
            event(ctx, issue, kind, label={"name": label.name, "color": label.color})
    if list(after) != before:
        ctx.db.update(issue, labels=list(after), updated_at=ctx.timestamp())


def reassign(ctx: Ctx, issue: Issue, after: Sequence[int]) -> None:
    before = issue.assignees
    for kind, ids in (
        ("assigned", [i for i in after if i not in before]),
        ("unassigned", [i for i in before if i not in after]),
    ):
        for key in ids:
            event(ctx, issue, kind, assignee=key)
    if list(after) != before:
        ctx.db.update(issue, assignees=list(after), updated_at=ctx.timestamp())


def set_milestone(ctx: Ctx, issue: Issue, after: int | None) -> None:
    if after == issue.milestone_id:
        return
    for kind, key in (("demilestoned", issue.milestone_id), ("milestoned", after)):
        if key is not None:
            event(ctx, issue, kind, milestone={"title": ctx.require(Milestone, key).title})
    ctx.db.update(issue, milestone_id=after, updated_at=ctx.timestamp())


def rename(ctx: Ctx, issue: Issue, title: str) -> None:
    if title != issue.title:
        event(ctx, issue, "renamed", rename={"from": issue.title, "to": title})
        ctx.db.update(issue, title=title, updated_at=ctx.timestamp())


def set_state(ctx: Ctx, issue: Issue, state: str, reason: str | None = None) -> None:
    """Closes or reopens. The reason counts only where the state changes, or where it says why a closed issue is closed."""
    now = ctx.timestamp()
    if state == issue.state and not (state == "closed" and reason and reason != issue.state_reason):
        return
    if state == "closed":
        reason = None if issue.is_pull else reason or "completed"
        ctx.db.update(
            issue,
            state=state,
            state_reason=reason,
            closed_at=issue.closed_at or now,
            closed_by=me(ctx).id,
            updated_at=now,
        )
        event(ctx, issue, "closed", state_reason=reason)
    else:
        ctx.db.update(
            issue,
            state=state,
            state_reason=None if issue.is_pull else "reopened",
            closed_at=None,
            closed_by=None,
            updated_at=now,
        )
        event(ctx, issue, "reopened")


def guard_locked(ctx: Ctx, repo: Repository, issue: Issue) -> None:
    """A locked conversation takes comments of people with write access only."""
    if issue.locked and not accounts.may(ctx, repo, me(ctx), "write"):
        raise ApiError(403, "Unable to create comment because issue is locked.")


def guard_edit(ctx: Ctx, repo: Repository, author: int, needed: accounts.Role = "write") -> None:
    """The author changes what they wrote; others need write access (or what is said)."""
    if author != me(ctx).id and not accounts.may(ctx, repo, me(ctx), needed):
        raise ApiError(403, "Resource not accessible by personal access token")


BODY_LIMIT = 65_536


def check_body(body: str | None) -> None:
    """An issue's or a pull request's text; both are issues to this check."""
    if body is not None and len(body) > BODY_LIMIT:
        raise failed("Issue", "body", "custom", f"body is too long (maximum is {BODY_LIMIT} characters)")


def check_comment(body: str, resource: str = "IssueComment") -> None:
    if not body.strip():
        raise failed(resource, "data", "unprocessable", "Body cannot be blank")
    if len(body) > BODY_LIMIT:
        raise failed(resource, "data", "unprocessable", f"Body is too long (maximum is {BODY_LIMIT} characters)")


def add_comment(ctx: Ctx, repo: Repository, issue: Issue, body: str) -> Comment:
    guard_locked(ctx, repo, issue)
    check_comment(body)
    now = ctx.timestamp()
    made = new_comment(ctx, issue, me(ctx).id, body, now)
    touch(ctx, issue)
    return made


def new_comment(ctx: Ctx, issue: Issue, author: int, body: str, at: str) -> Comment:
    key = ctx.sequence("comment", 2_688_300_427, 4_409)
    return ctx.db.add(Comment(id=key, issue_id=issue.id, user_id=author, body=body, created_at=at, updated_at=at))


# JSON


def association(ctx: Ctx, repo: Repository, user_id: int) -> str:
    person = ctx.db.get(Account, user_id)
    if repo.owner_id == user_id:
        return "OWNER"
    owner = ctx.require(Account, repo.owner_id)
    if person and person.org_role and owner.type == "Organization":
        return "MEMBER"
    return "COLLABORATOR" if person and accounts.may(ctx, repo, person, "triage") else "NONE"


def label_json(ctx: Ctx, repo: Repository, label: Label) -> dict[str, Any]:
    return {
        "id": label.id, "node_id": node_id("Label", label.id), "url": f"{repo_url(ctx, repo)}/labels/{quote(label.name)}",
        "name": label.name, "color": label.color, "default": label.default, "description": label.description,
    }  # fmt: skip


def milestone_json(ctx: Ctx, repo: Repository, milestone: Milestone) -> dict[str, Any]:
    api, number = f"{repo_url(ctx, repo)}/milestones/{milestone.number}", milestone.number
    return {
        "url": api, "html_url": f"{WEB}/{full_name(ctx, repo)}/milestone/{number}", "labels_url": f"{api}/labels", "id": milestone.id,
        "node_id": node_id("Milestone", milestone.id), "number": number, "state": milestone.state, "title": milestone.title,
        "description": milestone.description, "creator": user_json(ctx, milestone.creator_id),
        "open_issues": ctx.db.count(Issue, milestone_id=milestone.id, state="open"),
        "closed_issues": ctx.db.count(Issue, milestone_id=milestone.id, state="closed"), "created_at": milestone.created_at,
        "updated_at": milestone.updated_at, "closed_at": milestone.closed_at, "due_on": milestone.due_on,
    }  # fmt: skip


def _label(ctx: Ctx, repo: Repository, key: int) -> dict[str, Any]:
    return label_json(ctx, repo, ctx.require(Label, key))


def _milestone(ctx: Ctx, repo: Repository, key: int | None) -> dict[str, Any] | None:
    found = ctx.db.get(Milestone, key)
    return milestone_json(ctx, repo, found) if found else None


def reactions_json(ctx: Ctx, subject: str, url: str) -> dict[str, Any]:
    given = [r.content for r in ctx.db.find(Reaction, subject=subject)]
    return {
        "url": f"{url}/reactions",
        "total_count": len(given),
        **{content: given.count(content) for content in REACTIONS},
    }


def issue_json(ctx: Ctx, repo: Repository, issue: Issue) -> dict[str, Any]:
    root, web = repo_url(ctx, repo), f"{WEB}/{full_name(ctx, repo)}"
    api = f"{root}/issues/{issue.number}"
    labels = [ctx.once(("label", key), lambda key=key: _label(ctx, repo, key)) for key in issue.labels]
    milestone = issue.milestone_id and ctx.once(
        ("milestone", issue.milestone_id), lambda: _milestone(ctx, repo, issue.milestone_id)
    )
    assignees = [user_json(ctx, key) for key in issue.assignees]
    role = ctx.once(("association", repo.id, issue.user_id), lambda: association(ctx, repo, issue.user_id))
    kind = "Pull" if issue.is_pull else "Issue"
    made: dict[str, Any] = {
        "url": api, "repository_url": root, "labels_url": f"{api}/labels{{/name}}", "comments_url": f"{api}/comments",
        "events_url": f"{api}/events", "html_url": f"{web}/{'pull' if issue.is_pull else 'issues'}/{issue.number}", "id": issue.id,
        "node_id": node_id(kind, issue.id), "number": issue.number, "title": issue.title, "user": user_json(ctx, issue.user_id),
        "labels": labels, "state": issue.state, "locked": issue.locked,
        "assignee": assignees[0] if assignees else None, "assignees": assignees,
        "milestone": milestone,
        "comments": ctx.db.count(Comment, issue_id=issue.id), "created_at": issue.created_at, "updated_at": issue.updated_at,
        "closed_at": issue.closed_at, "author_association": role, "type": None,
        "active_lock_reason": issue.active_lock_reason, "body": issue.body, "closed_by": user_json(ctx, issue.closed_by),
        "reactions": reactions_json(ctx, f"issue:{issue.id}", api), "timeline_url": f"{api}/timeline", "performed_via_github_app": None,
        "state_reason": issue.state_reason,
        "sub_issues_summary": sub_issues_summary(ctx, issue),
    }  # fmt: skip
    if issue.is_pull and (pull := ctx.db.first(Pull, issue_id=issue.id)):
        link = f"{web}/pull/{issue.number}"
        made["draft"] = pull.draft
        made["pull_request"] = {
            "url": f"{root}/pulls/{issue.number}", "html_url": link, "diff_url": f"{link}.diff", "patch_url": f"{link}.patch",
            "merged_at": pull.merged_at,
        }  # fmt: skip
    return made


def sub_issues_summary(ctx: Ctx, issue: Issue) -> dict[str, int]:
    below = [ctx.require(Issue, key) for key in issue.sub_issues]
    done = sum(i.state == "closed" for i in below)
    return {"total": len(below), "completed": done, "percent_completed": 100 * done // len(below) if below else 0}


def comment_json(ctx: Ctx, repo: Repository, issue: Issue, comment: Comment) -> dict[str, Any]:
    root = repo_url(ctx, repo)
    api = f"{root}/issues/comments/{comment.id}"
    page = f"{WEB}/{full_name(ctx, repo)}/{'pull' if issue.is_pull else 'issues'}/{issue.number}"
    return {
        "url": api, "html_url": f"{page}#issuecomment-{comment.id}", "issue_url": f"{root}/issues/{issue.number}", "id": comment.id,
        "node_id": node_id("Comment", comment.id), "user": user_json(ctx, comment.user_id), "created_at": comment.created_at,
        "updated_at": comment.updated_at, "author_association": association(ctx, repo, comment.user_id), "body": comment.body,
        "reactions": reactions_json(ctx, f"comment:{comment.id}", api), "performed_via_github_app": None,
    }  # fmt: skip


def event_json(ctx: Ctx, repo: Repository, row: Event) -> dict[str, Any]:
    root = repo_url(ctx, repo)
    made: dict[str, Any] = {
        "id": row.id, "node_id": node_id("Event", row.id), "url": f"{root}/issues/events/{row.id}", "actor": user_json(ctx, row.actor_id),
        "event": row.event, "commit_id": row.commit_id, "commit_url": f"{root}/commits/{row.commit_id}" if row.commit_id else None,
        "created_at": row.created_at, "performed_via_github_app": None,
    }  # fmt: skip
    for key, value in row.detail.items():
        made[key] = user_json(ctx, value) if key in ("assignee", "requested_reviewer") else value
    if "assignee" in row.detail:
        made["assigner"] = made["actor"]
    if "requested_reviewer" in row.detail:
        made["review_requester"] = made["actor"]
    return made
