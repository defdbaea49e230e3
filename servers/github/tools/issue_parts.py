"""What hangs on issues: comments and labels. https://docs.github.com/en/rest/issues"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Ctx, Field, Page, Payload, Reply, ToolOnly

from .. import issues as rules
from ..accounts import repository
from ..app import PageNumber, PerPage, app, failed, not_found, page_of, when
from ..issues import comment_json, issue_of, label_json
from ..models import Comment, Issue, Label, Reaction, Repository
from .issues import Number
from .timeline import Content, react

Color = Annotated[str, Field(pattern=r"^#?[0-9a-fA-F]{6}$")]


# Comments


@app.post("/repos/{owner}/{repo}/issues/{issue_number}/comments", tool="add_issue_comment", status=201)
def add_issue_comment(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, body: str | MISSING = MISSING,
    reaction: Annotated[Content | MISSING, ToolOnly()] = MISSING, comment_id: Annotated[int | MISSING, ToolOnly()] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Adds a comment to an issue, or with a pull request's number to its conversation; or reacts to it or to one of its comments.

    owner: The repository's owner.
    repo: The repository's name.
    issue_number: Number of the issue or pull request.
    body: The comment's text, in Markdown. Needed unless a reaction is given.
    reaction: An emoji to react with.
    comment_id: Id of the comment to react to; without it the reaction is to the issue itself. Not with body.
    """
    found = repository(ctx, owner, repo)
    issue = issue_of(ctx, found, issue_number)
    if isinstance(reaction, str):
        subject = f"issue:{issue.id}"
        if isinstance(comment_id, int):
            if isinstance(body, str):
                raise ApiError(422, "comment_id can not be combined with body")
            if _comment(ctx, found, comment_id)[1].id != issue.id:
                raise not_found()
            subject = f"comment:{comment_id}"
        made = react(ctx, subject, reaction).body
        if not isinstance(body, str):
            return made
    if not isinstance(body, str):
        raise ApiError(422, 'Invalid request.\n\n"body" wasn\'t supplied.')
    return comment_json(ctx, found, issue, rules.add_comment(ctx, found, issue, body))


@app.get("/repos/{owner}/{repo}/issues/{issue_number}/comments", tool="get_issue_comments")
def get_issue_comments(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, since: str | None = None, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:  # fmt: skip
    """Lists the comments of an issue or pull request, oldest first.

    owner: The repository's owner.
    repo: The repository's name.
    issue_number: Number of the issue or pull request.
    since: Only comments updated after this ISO 8601 time.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    issue = issue_of(ctx, found, issue_number)
    listed = ctx.db.find(Comment, order="created_at,id", issue_id=issue.id)
    if since:
        earliest = when(since, "since")
        listed = [c for c in listed if when(c.updated_at, "since") >= earliest]
    return page_of(listed, perPage, page, lambda c: comment_json(ctx, found, issue, c))


def _comment(ctx: Ctx, repo: Repository, comment_id: int) -> tuple[Comment, Issue]:
    row = ctx.require(Comment, comment_id)
    issue = ctx.require(Issue, row.issue_id)
    if issue.repository_id != repo.id:
        raise not_found()
    return row, issue


@app.get("/repos/{owner}/{repo}/issues/comments", tool="list_issue_comments_for_repo", mcp=False)
def list_comments_for_repo(
    ctx: Ctx, owner: str, repo: str, sort: Literal["created", "updated"] = "created", direction: Literal["asc", "desc"] = "asc",
    since: str | None = None, page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists the comments of all issues of a repository."""
    found = repository(ctx, owner, repo)
    homes = {i.id: i for i in ctx.db.find(Issue, repository_id=found.id)}
    listed = [
        c
        for c in ctx.db.find(Comment)
        if c.issue_id in homes and (not since or when(c.updated_at, "since") >= when(since, "since"))
    ]
    listed.sort(key=lambda c: (c.created_at if sort == "created" else c.updated_at, c.id), reverse=direction == "desc")
    return page_of(listed, perPage, page, lambda c: comment_json(ctx, found, homes[c.issue_id], c))


@app.get("/repos/{owner}/{repo}/issues/comments/{comment_id}", tool="get_issue_comment", mcp=False)
def get_comment(ctx: Ctx, owner: str, repo: str, comment_id: int) -> dict[str, Any]:
    """Gets a comment."""
    found = repository(ctx, owner, repo)
    row, issue = _comment(ctx, found, comment_id)
    return comment_json(ctx, found, issue, row)


@app.patch("/repos/{owner}/{repo}/issues/comments/{comment_id}", tool="update_issue_comment", mcp=False)
def update_comment(ctx: Ctx, owner: str, repo: str, comment_id: int, body: str) -> dict[str, Any]:
    """Changes a comment's text."""
    found = repository(ctx, owner, repo)
    row, issue = _comment(ctx, found, comment_id)
    rules.guard_edit(ctx, found, row.user_id)
    if not body.strip():
        raise failed("IssueComment", "body", "custom", "body cannot be blank")
    rules.check_comment(body)
    ctx.db.update(row, body=body, updated_at=ctx.timestamp())
    return comment_json(ctx, found, issue, row)


@app.delete("/repos/{owner}/{repo}/issues/comments/{comment_id}", tool="delete_issue_comment", mcp=False)
def delete_comment(ctx: Ctx, owner: str, repo: str, comment_id: int) -> Reply:
    """Deletes a comment."""
    found = repository(ctx, owner, repo)
    row, _ = _comment(ctx, found, comment_id)
    rules.guard_edit(ctx, found, row.user_id)
    ctx.db.delete_where(Reaction, subject=f"comment:{row.id}")
    ctx.db.delete(row)
    return Reply(None, 204)


# Labels


def _label(ctx: Ctx, repo: Repository, name: str) -> Label:
    found = rules.find_label(ctx, repo, name)
    if found is None:
        raise not_found()
    return found


def _create_label(ctx: Ctx, repo: Repository, name: str, color: str, description: str | None) -> Label:
    rules.check_label(name, description)
    if rules.find_label(ctx, repo, name):
        raise failed("Label", "name", "already_exists")
    return rules.new_label(ctx, repo, name, _color(color), description)


def _color(text: str) -> str:
    clean = text.removeprefix("#").lower()
    if not re.fullmatch(r"[0-9a-f]{6}", clean):
        raise failed("Label", "color", "invalid")
    return clean


def _update_label(ctx: Ctx, repo: Repository, label: Label, changes: dict[str, Any]) -> Label:
    name = changes.get("name")
    rules.check_label(name, changes.get("description"))
    if isinstance(name, str) and (other := rules.find_label(ctx, repo, name)) and other.id != label.id:
        raise failed("Label", "name", "already_exists")
    if "color" in changes:
        changes["color"] = _color(changes["color"])
    return ctx.db.update(label, **changes)


def _delete_label(ctx: Ctx, repo: Repository, label: Label) -> None:
    for issue in ctx.db.find(Issue, repository_id=repo.id):
        if label.id in issue.labels:
            ctx.db.update(issue, labels=[key for key in issue.labels if key != label.id])
    ctx.db.delete(label)


@app.get("/repos/{owner}/{repo}/labels", tool="list_label")
def list_labels(ctx: Ctx, owner: str, repo: str, page: PageNumber = 1, perPage: PerPage = 30) -> Page[Any]:
    """Lists the labels that a repository has.

    owner: The repository's owner.
    repo: The repository's name.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    return page_of(
        ctx.db.find(Label, order="name", repository_id=found.id), perPage, page, lambda row: label_json(ctx, found, row)
    )


@app.get("/repos/{owner}/{repo}/labels/{name:path}", tool="get_label")
def get_label(ctx: Ctx, owner: str, repo: str, name: str) -> dict[str, Any]:
    """Gets one label of a repository.

    owner: The repository's owner.
    repo: The repository's name.
    name: The label's name.
    """
    found = repository(ctx, owner, repo)
    return label_json(ctx, found, _label(ctx, found, name))


@app.post("/repos/{owner}/{repo}/labels", tool="create_label", status=201, mcp=False)
def create_label(
    ctx: Ctx, owner: str, repo: str, name: str, color: str = "ededed", description: str | None = None
) -> dict[str, Any]:
    """Creates a label."""
    found = repository(ctx, owner, repo, "write")
    return label_json(ctx, found, _create_label(ctx, found, name, color, description))


@app.patch("/repos/{owner}/{repo}/labels/{name:path}", tool="update_label", mcp=False)
def update_label(
    ctx: Ctx, owner: str, repo: str, name: str, new_name: str | MISSING = MISSING, color: str | MISSING = MISSING,
    description: str | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a label, on every issue that has it."""
    found = repository(ctx, owner, repo, "write")
    changes = ctx.sent()
    if "new_name" in changes:
        changes["name"] = changes.pop("new_name")
    return label_json(ctx, found, _update_label(ctx, found, _label(ctx, found, name), changes))


@app.delete("/repos/{owner}/{repo}/labels/{name:path}", tool="delete_label", mcp=False)
def delete_label(ctx: Ctx, owner: str, repo: str, name: str) -> Reply:
    """Deletes a label, and takes it off every issue."""
    found = repository(ctx, owner, repo, "write")
    _delete_label(ctx, found, _label(ctx, found, name))
    return Reply(None, 204)


@app.post("", tool="label_write", effect="update", idempotent=False)
def label_write(
    ctx: Ctx, method: Literal["create", "update", "delete"], owner: str, repo: str, name: str, new_name: str | MISSING = MISSING,
    color: Color | MISSING = MISSING, description: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates, updates or deletes a label of a repository.

    method: What to do with the label.
    owner: The repository's owner.
    repo: The repository's name.
    name: The label's name.
    new_name: Another name for it; only to update.
    color: Six hexadecimal digits; required to create.
    description: What the label means.
    """
    found = repository(ctx, owner, repo, "write")
    if method == "create":
        if not isinstance(color, str):
            raise ApiError(422, 'Invalid request.\n\n"color" wasn\'t supplied.')
        return label_json(
            ctx, found, _create_label(ctx, found, name, color, description if isinstance(description, str) else None)
        )
    label = _label(ctx, found, name)
    if method == "delete":
        _delete_label(ctx, found, label)
        return {"message": f"Label '{label.name}' deleted"}
    changes = {k: v for k, v in ctx.sent().items() if k in ("color", "description")}
    if isinstance(new_name, str):
        changes["name"] = new_name
    if not changes:
        raise ApiError(422, "at least one of new_name, color, or description must be provided for update")
    return label_json(ctx, found, _update_label(ctx, found, label, changes))


def _issue_labels(ctx: Ctx, owner: str, repo: str, number: int, needed: Any = "triage") -> tuple[Repository, Issue]:
    found = repository(ctx, owner, repo, needed)
    return found, issue_of(ctx, found, number)


def _names(body: Any) -> list[str]:
    """Label names of a request: texts, or objects with a name, bare or under `labels`."""
    listed = body.get("labels", []) if isinstance(body, dict) else body if body is not None else []
    names = (
        [each.get("name") if isinstance(each, dict) else each for each in listed]
        if isinstance(listed, list)
        else [None]
    )
    if any(not isinstance(name, str) for name in names):
        raise ApiError(422, "Invalid request.\n\nFor 'properties/labels', the value is not an array of strings.")
    return [str(name) for name in names]


def _shown(ctx: Ctx, repo: Repository, issue: Issue) -> list[Any]:
    return [label_json(ctx, repo, ctx.require(Label, key)) for key in issue.labels]


@app.get("/repos/{owner}/{repo}/issues/{issue_number}/labels", tool="list_labels_on_issue", mcp=False)
def list_labels_on_issue(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, page: PageNumber = 1, perPage: PerPage = 30
) -> Page[Any]:
    """Lists an issue's labels."""
    found, issue = _issue_labels(ctx, owner, repo, issue_number, "read")
    return page_of(_shown(ctx, found, issue), perPage, page)


@app.post("/repos/{owner}/{repo}/issues/{issue_number}/labels", tool="add_labels_to_issue", mcp=False)
def add_labels(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, body: Annotated[Any, Payload()] = None
) -> list[Any]:
    """Adds labels to an issue. The body is an object with `labels`, or just the list."""
    found, issue = _issue_labels(ctx, owner, repo, issue_number)
    rules.relabel(ctx, issue, list(dict.fromkeys([*issue.labels, *rules.labels_of(ctx, found, _names(body))])))
    return _shown(ctx, found, issue)


@app.put("/repos/{owner}/{repo}/issues/{issue_number}/labels", tool="set_labels_for_issue", mcp=False)
def set_labels(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, body: Annotated[Any, Payload()] = None
) -> list[Any]:
    """Replaces an issue's labels."""
    found, issue = _issue_labels(ctx, owner, repo, issue_number)
    rules.relabel(ctx, issue, rules.labels_of(ctx, found, _names(body)))
    return _shown(ctx, found, issue)


@app.delete("/repos/{owner}/{repo}/issues/{issue_number}/labels", tool="remove_all_labels_from_issue", mcp=False)
def remove_all_labels(ctx: Ctx, owner: str, repo: str, issue_number: Number) -> Reply:
    """Takes all labels off an issue."""
    _, issue = _issue_labels(ctx, owner, repo, issue_number)
    rules.relabel(ctx, issue, [])
    return Reply(None, 204)


@app.delete("/repos/{owner}/{repo}/issues/{issue_number}/labels/{name:path}", tool="remove_label_from_issue", mcp=False)
def remove_label(ctx: Ctx, owner: str, repo: str, issue_number: Number, name: str) -> list[Any]:
    """Takes one label off an issue."""
    found, issue = _issue_labels(ctx, owner, repo, issue_number)
    label = rules.find_label(ctx, found, name)
    if label is None or label.id not in issue.labels:
        raise ApiError(404, "Label does not exist")
    rules.relabel(ctx, issue, [key for key in issue.labels if key != label.id])
    return _shown(ctx, found, issue)
