"""Issues. https://docs.github.com/en/rest/issues/issues"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Field, Page, cursor_page

from .. import issue_lists as lists
from .. import issues as rules
from ..accounts import account, may, me, readable, repository
from ..app import PageNumber, PerPage, app, failed, page_of
from ..issues import issue_json, issue_of
from ..models import Comment, Issue, Label, Pull, Repository
from ..pulls import change_state
from ..resources import repo_json

Reason = Literal["completed", "not_planned", "duplicate", "reopened"]
Number = Annotated[int, Field(ge=1, lt=2**31)]


def _names(value: Any) -> Any:
    """Labels may also be objects with a name, as they come in answers."""
    return (
        [each["name"] if isinstance(each, dict) and "name" in each else each for each in value]
        if isinstance(value, list)
        else value
    )


Labels = Annotated[list[str], BeforeValidator(_names)]


# Creating


def create(
    ctx: Ctx,
    repo: Repository,
    title: str,
    body: str | None,
    assignees: list[str],
    milestone: int | None,
    labels: list[str],
) -> Issue:
    """A new issue. Labels, assignees and milestone of people without push access are dropped, as GitHub drops them."""
    if not repo.has_issues:
        raise ApiError(410, "Issues are disabled for this repo")
    rules.check_title("Issue", title)
    rules.check_body(body)
    if not may(ctx, repo, me(ctx), "triage"):
        assignees, milestone, labels = [], None, []
    people = rules.people(ctx, repo, assignees)
    goal = rules.milestone_of(ctx, repo, milestone)
    made = rules.new_issue(ctx, repo, me(ctx), title, body)
    rules.relabel(ctx, made, rules.labels_of(ctx, repo, labels))
    rules.reassign(ctx, made, people)
    rules.set_milestone(ctx, made, goal)
    return made


@app.post("/repos/{owner}/{repo}/issues", tool="create_issue", status=201)
def create_issue(
    ctx: Ctx, owner: str, repo: str, title: str, body: str | None = None, assignees: list[str] = [],  # noqa: B006
    milestone: int | None = None, labels: Labels = [], assignee: Annotated[str | None, Body(mcp=False)] = None,  # noqa: B006
) -> dict[str, Any]:  # fmt: skip
    """Creates an issue in a repository.

    owner: The repository's owner.
    repo: The repository's name.
    title: The issue's title.
    body: The issue's text, in Markdown.
    assignees: User names to assign.
    milestone: Number of the milestone to put it in.
    labels: Names of labels to apply; one that does not exist is created.
    """
    found = repository(ctx, owner, repo)
    made = create(ctx, found, title, body, [*assignees, *([assignee] if assignee else [])], milestone, labels)
    return issue_json(ctx, found, made)


# Reading


@app.get("/repos/{owner}/{repo}/issues/{issue_number}", tool="get_issue")
def get_issue(ctx: Ctx, owner: str, repo: str, issue_number: Number) -> dict[str, Any]:
    """Gets an issue with its text, labels, assignees and milestone.

    owner: The repository's owner.
    repo: The repository's name.
    issue_number: The issue's number.
    """
    found = repository(ctx, owner, repo)
    return issue_json(ctx, found, issue_of(ctx, found, issue_number))


def _labelled(ctx: Ctx, repo: Repository, listed: list[Issue], names: list[str]) -> list[Issue]:
    for name in names:
        label = rules.find_label(ctx, repo, name)
        listed = [i for i in listed if label is not None and label.id in i.labels]
    return listed


@app.get("/repos/{owner}/{repo}/issues", tool="list_issues_for_repo", mcp=False)
def list_for_repo(
    ctx: Ctx, owner: str, repo: str, milestone: str | None = None, state: Literal["open", "closed", "all"] = "open",
    assignee: str | None = None, creator: str | None = None, mentioned: str | None = None, labels: str | None = None,
    sort: Literal["created", "updated", "comments"] = "created", direction: Literal["asc", "desc"] = "desc", since: str | None = None,
    page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists a repository's issues; pull requests are issues too."""
    found = repository(ctx, owner, repo)
    terms = [lists.of_repository(found), *lists.in_state(state)]
    if milestone:
        terms.append(lists.in_milestone(ctx, found, milestone))
    if assignee in ("*", "none"):
        terms.append((f"json_array_length(assignees) {'>' if assignee == '*' else '='} 0", ()))
    elif assignee:
        terms.append(lists.holding("assignees", _person(ctx, assignee, "assignee")))
    if creator:
        terms.append(("user_id = ?", (_person(ctx, creator, "creator"),)))
    if mentioned:
        terms.append(("instr(lower(body), ?) > 0", (f"@{account(ctx, mentioned).login}".lower(),)))
    if labels:
        terms += [lists.labelled(ctx, found, name) for name in labels.split(",") if name]
    if since:
        terms.append(lists.updated_since(since))
    return page_of(lists.listed(ctx, terms, sort, direction), perPage, page, lambda i: issue_json(ctx, found, i))


def _person(ctx: Ctx, login: str, field: str) -> int:
    try:
        return account(ctx, login).id
    except ApiError:
        raise failed("Issue", field, "invalid", value=login) from None


@app.get("", tool="list_issues")
def list_issues(
    ctx: Ctx, owner: str, repo: str, state: Literal["OPEN", "CLOSED", "open", "closed", "all"] | MISSING = MISSING,
        labels: list[str] = [],  # noqa: B006
    orderBy: Literal["CREATED_AT", "UPDATED_AT", "COMMENTS"] = "CREATED_AT", direction: Literal["ASC", "DESC"] = "DESC",
    since: str | MISSING = MISSING, perPage: PerPage = 30, after: str | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists issues of a repository, without pull requests. For the next page pass endCursor of pageInfo as after.

    owner: The repository's owner.
    repo: The repository's name.
    state: Only issues in this state; open and closed ones by default.
    labels: Only issues with all of these labels.
    orderBy: What to order by.
    direction: Which way to order.
    since: Only issues updated after this ISO 8601 time.
    perPage: Results per page, at most 100.
    after: Cursor from the previous page's pageInfo.
    """
    found = repository(ctx, owner, repo)
    terms = [
        lists.of_repository(found),
        ("NOT is_pull", ()),
        *lists.in_state(state.lower() if isinstance(state, str) else "all"),
    ]
    terms += [lists.labelled(ctx, found, name) for name in labels]
    if isinstance(since, str):
        terms.append(lists.updated_since(since))
    keys = {"CREATED_AT": "created", "UPDATED_AT": "updated", "COMMENTS": "comments"}
    ordered = lists.listed(ctx, terms, keys[orderBy], direction.lower())
    page = cursor_page(ordered, perPage, after if isinstance(after, str) else None, "issues")
    return {
        "issues": [_row(issue_json(ctx, found, i)) for i in page.items], "totalCount": page.total,
        "pageInfo": {"hasNextPage": page.more, "hasPreviousPage": page.offset > 0, "endCursor": page.cursor or ""},
    }  # fmt: skip


def _row(issue: dict[str, Any]) -> dict[str, Any]:
    keys = (
        "number",
        "title",
        "body",
        "state",
        "state_reason",
        "user",
        "labels",
        "assignees",
        "milestone",
        "comments",
        "created_at",
        "updated_at",
        "closed_at",
    )
    made = {key: issue[key] for key in keys}
    if made["milestone"]:
        made["milestone"] = {key: made["milestone"][key] for key in ("number", "title", "due_on")}
    return made


@app.get("/issues", tool="list_issues_assigned_to_me", mcp=False)
def list_mine(
    ctx: Ctx, filter: Literal["assigned", "created", "mentioned", "subscribed", "repos", "all"] = "assigned",
    state: Literal["open", "closed", "all"] = "open", labels: str | None = None, sort: Literal["created", "updated",
    "comments"] = "created",
    direction: Literal["asc", "desc"] = "desc", page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists issues over all repositories that concern the authenticated user."""
    caller = me(ctx)
    tests = {
        "assigned": lambda i: caller.id in i.assignees, "created": lambda i: i.user_id == caller.id,
        "mentioned": lambda i: f"@{caller.login}" in (i.body or ""),
    }  # fmt: skip
    chosen = list[tuple[Repository, Issue]]()
    for repo in readable(ctx):
        listed = ctx.db.find(Issue, repository_id=repo.id, state=None if state == "all" else state)
        listed = _labelled(ctx, repo, listed, [name for name in (labels or "").split(",") if name])
        chosen += [(repo, i) for i in listed if tests.get(filter, lambda i: True)(i)]
    homes = {i.id: repo for repo, i in chosen}
    ordered = lists.in_order([i for _, i in chosen], sort, direction, ctx)
    return page_of(
        ordered, perPage, page, lambda i: {**issue_json(ctx, homes[i.id], i), "repository": repo_json(ctx, homes[i.id])}
    )


# Changing


def update(ctx: Ctx, repo: Repository, issue: Issue, changes: dict[str, Any]) -> dict[str, Any]:
    """Applies what is given of title, body, state, state_reason, labels, assignees, milestone."""
    rules.guard_edit(ctx, repo, issue.user_id, "write" if {"title", "body"} & changes.keys() else "triage")
    title = changes.get("title")
    if title is not None:
        rules.check_title("Issue", str(title))
    rules.check_body(changes.get("body"))
    if not may(ctx, repo, me(ctx), "triage"):
        changes = {k: v for k, v in changes.items() if k not in ("labels", "assignees", "assignee", "milestone")}
    if changes.get("assignee") and "assignees" not in changes:
        changes["assignees"] = [changes["assignee"]]
    people = rules.people(ctx, repo, changes["assignees"]) if changes.get("assignees") is not None else None
    goal = rules.milestone_of(ctx, repo, changes["milestone"]) if "milestone" in changes else issue.milestone_id
    if title is not None:
        rules.rename(ctx, issue, str(title))
    if "body" in changes and changes["body"] != issue.body:
        ctx.db.update(issue, body=changes["body"], updated_at=ctx.timestamp())
    if changes.get("labels") is not None:
        rules.relabel(ctx, issue, rules.labels_of(ctx, repo, changes["labels"]))
    if people is not None:
        rules.reassign(ctx, issue, people)
    rules.set_milestone(ctx, issue, goal)
    state, reason = changes.get("state") or issue.state, changes.get("state_reason")
    if issue.is_pull and state != issue.state:
        pull = ctx.db.first(Pull, issue_id=issue.id)
        if pull is not None:
            change_state(ctx, repo, pull, issue, state)
    else:
        rules.set_state(ctx, issue, state, None if reason == "reopened" else reason)
    return issue_json(ctx, repo, issue)


@app.patch("/repos/{owner}/{repo}/issues/{issue_number}", tool="update_issue")
def update_issue(
    ctx: Ctx, owner: str, repo: str, issue_number: Number, title: str | MISSING = MISSING, body: str | None | MISSING = MISSING,
    state: Literal["open", "closed"] | MISSING = MISSING, state_reason: Reason | None | MISSING = MISSING,
    labels: Labels | MISSING = MISSING, assignees: list[str] | MISSING = MISSING, milestone: int | None | MISSING = MISSING,
    assignee: Annotated[str | None | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Updates the fields that are given of an issue; labels and assignees are replaced as a whole.

    owner: The repository's owner.
    repo: The repository's name.
    issue_number: The issue's number.
    title: New title.
    body: New text.
    state: New state.
    state_reason: Why the state changes.
    labels: The names of all labels it is to have.
    assignees: The user names of all people it is to be assigned to.
    milestone: Number of the milestone to put it in; null takes it out.
    """
    found = repository(ctx, owner, repo)
    return update(ctx, found, issue_of(ctx, found, issue_number), ctx.sent())


@app.post("", tool="issue_write", effect="update", idempotent=False)
def issue_write(
    ctx: Ctx, method: Literal["create", "update"], owner: str, repo: str, issue_number: Number | MISSING = MISSING,
    title: str | MISSING = MISSING, body: str | MISSING = MISSING, assignees: list[str] | MISSING = MISSING,
    labels: list[str] | MISSING = MISSING, milestone: int | MISSING = MISSING, state: Literal["open", "closed"] | MISSING = MISSING,
    state_reason: Literal["completed", "not_planned", "duplicate"] | MISSING = MISSING, duplicate_of: Number | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a new issue or updates an existing one.

    method: create or update.
    owner: The repository's owner.
    repo: The repository's name.
    issue_number: The issue to update.
    title: The issue's title; required to create.
    body: The issue's text.
    assignees: User names to assign.
    labels: Names of labels to apply.
    milestone: Number of the milestone.
    state: New state.
    state_reason: Why the state changes; ignored unless it does.
    duplicate_of: The issue that this one duplicates; only with state_reason duplicate.
    """
    found = repository(ctx, owner, repo)
    given = {
        k: v for k, v in ctx.sent().items() if k not in ("method", "owner", "repo", "issue_number", "duplicate_of")
    }
    if method == "create":
        if not isinstance(title, str):
            raise ApiError(422, 'Invalid request.\n\n"title" wasn\'t supplied.')
        made = create(
            ctx,
            found,
            title,
            given.get("body"),
            given.get("assignees", []),
            given.get("milestone"),
            given.get("labels", []),
        )
        return issue_json(ctx, found, made)
    if not isinstance(issue_number, int):
        raise ApiError(422, 'Invalid request.\n\n"issue_number" wasn\'t supplied.')
    if isinstance(duplicate_of, int):
        if given.get("state_reason") != "duplicate":
            raise ApiError(422, "duplicate_of can only be used when state_reason is 'duplicate'")
        rules.event(
            ctx,
            issue_of(ctx, found, issue_number),
            "marked_as_duplicate",
            canonical=issue_of(ctx, found, duplicate_of).number,
        )
    return update(ctx, found, issue_of(ctx, found, issue_number), given)


@app.get("", tool="issue_read")
def issue_read(
    ctx: Ctx, method: Literal["get", "get_comments", "get_sub_issues", "get_parent", "get_labels"], owner: str, repo: str,
    issue_number: Number, page: PageNumber = 1, perPage: PerPage = 30,
) -> Any:  # fmt: skip
    """Reads one issue: get its details, get_comments, get_sub_issues, get_parent (the issue it is a sub-issue of) or get_labels.

    method: What to read of the issue.
    owner: The repository's owner.
    repo: The repository's name.
    issue_number: The issue's number.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    issue = issue_of(ctx, found, issue_number)
    if method == "get":
        return issue_json(ctx, found, issue)
    if method == "get_comments":
        listed = ctx.db.find(Comment, order="created_at", issue_id=issue.id)
        return page_of(listed, perPage, page, lambda c: rules.comment_json(ctx, found, issue, c))
    if method == "get_parent":
        above = ctx.db.get(Issue, issue.parent_id) if issue.parent_id else None
        return {"parent": issue_json(ctx, ctx.require(Repository, above.repository_id), above) if above else None}
    if method == "get_sub_issues":
        below = [ctx.require(Issue, key) for key in issue.sub_issues]
        return page_of(below, perPage, page, lambda i: issue_json(ctx, ctx.require(Repository, i.repository_id), i))
    return page_of(
        [ctx.require(Label, key) for key in issue.labels], perPage, page, lambda row: rules.label_json(ctx, found, row)
    )
