"""Issues. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/"""

import json
from typing import Annotated, Any, Required

from pydantic import ConfigDict
from typing_extensions import TypedDict

from legoenv_mcp.app import Body, Ctx, Field, Query, Reply, Request, ToolOnly

from .. import access, agents, discussion, editing, issues, resources, site
from ..app import IssueKey, Limit, StartAt, app, done, flat, over_mcp, plain, refuse
from ..models import Issue

Json = Annotated[dict[str, Any] | None, Body(mcp=False)]
Text = Annotated[str | None, ToolOnly()]
Names = Annotated[list[str] | None, ToolOnly()]
MOST_BULK = 50


class NewIssue(TypedDict, total=False):
    """An issue of a batch, as create_issue takes it."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # pyright: ignore[reportGeneralTypeIssues]
    project_key: Required[Annotated[str, Field(description="The project's key.")]]
    summary: Required[Annotated[str, Field(description="The issue's title.")]]
    issue_type: Annotated[str, Field(description="Epic, Story, Task, Bug or Sub-task; Task where left out.")]
    description: Annotated[str, Field(description="The text, in Markdown.")]
    assignee: Annotated[str, Field(description="Account id, mail address or full name.")]
    priority: Annotated[str, Field(description="Highest, High, Medium, Low or Lowest.")]
    labels: Annotated[list[str], Field(description="Labels, without spaces.")]
    components: Annotated[list[str], Field(description="Names of components.")]
    due_date: Annotated[str, Field(description="YYYY-MM-DD.")]
    parent: Annotated[str, Field(description="Key of the parent.")]


def made(ctx: Ctx, row: Issue) -> dict[str, Any]:
    """What creating answers: only where the issue is."""
    return {"id": str(row.id), "key": row.key, "self": resources.link(ctx, f"issue/{row.id}")}


def brief(ctx: Ctx, row: Issue, names: tuple[str, ...] = issues.LISTED) -> dict[str, Any]:
    """An issue as agents see it after changing it."""
    return plain(issues.shown(ctx, row, issues.chosen([], names)))


@app.get("/rest/api/{api}/issue/{issue_key}", tool="get_issue")
def get_issue(
    ctx: Ctx, issue_key: IssueKey, fields: list[str] | str | None = None, expand: list[str] | str | None = None,
    comment_limit: Annotated[int, ToolOnly(), Field(ge=0, le=100)] = 10, properties: Annotated[list[str] | str | None, Query(mcp=False)] =
    None, updateHistory: Annotated[bool, Query(mcp=False)] = False, fieldsByKeys: Annotated[bool, Query(mcp=False)] = False,
) -> dict[str, Any]:  # fmt: skip
    """Gets an issue: its fields, and its newest comments. Texts are Markdown.

    issue_key: The issue's key or id.
    fields: Which fields to return, by id or name, *all for every one; by default the usual ones with description and comments.
    expand: More to return: changelog, transitions, names, editmeta, renderedFields.
    comment_limit: How many of the newest comments to return.
    """
    row = access.issue(ctx, issue_key)
    names = issues.chosen(flat(fields), issues.BRIEF if over_mcp(ctx) else ("*all",))
    shown = issues.shown(ctx, row, names, flat(expand))
    if over_mcp(ctx) and "comment" in shown.get("fields", {}):
        said = shown["fields"]["comment"]
        newest = said["comments"][len(said["comments"]) - min(comment_limit, len(said["comments"])) :]
        shown["fields"]["comment"] = {"total": said["total"], "comments": newest}
    return shown


@app.post("/rest/api/{api}/issue", tool="create_issue", status=201)
def create_issue(
    ctx: Ctx, fields: Json = None, update: Json = None, project_key: Text = None, summary: Text = None, issue_type: Text = None,
    assignee: Text = None, description: Text = None, priority: Text = None, labels: Names = None, components: Names = None,
    due_date: Text = None, parent: Text = None, additional_fields: Annotated[dict[str, Any] | None, ToolOnly()] = None,
    transition: Json = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates an issue in a project. get_project_issue_types and get_create_fields tell what a project takes.

    project_key: The project's key.
    summary: The issue's title, on one line.
    issue_type: Epic, Story, Task, Bug or Sub-task.
    assignee: Whom to assign: account id, mail address or full name.
    description: The text, in Markdown.
    priority: Highest, High, Medium, Low or Lowest.
    labels: Labels, without spaces.
    components: Names of components of the project.
    due_date: The due date, YYYY-MM-DD.
    parent: Key of the parent: an epic, or for a sub-task the issue it belongs to.
    additional_fields: Further fields by id, as the REST API takes them, e.g. fixVersions, timetracking.
    """
    if over_mcp(ctx):
        given = {
            "summary": summary, "issuetype": issue_type or "Task", "assignee": assignee or None, "description": description,
            "priority": priority, "labels": labels, "components": components, "duedate": due_date, "parent": parent or None,
        }  # fmt: skip
        told = {name: value for name, value in given.items() if value is not None}
        fields = agents.field_values(ctx, told) | agents.field_values(ctx, additional_fields)
        fields["project"] = {"key": project_key or ""}
    row = editing.create(ctx, fields, update)
    if transition:
        editing.transition(ctx, row, transition.get("id"))
    return made(ctx, row)


@app.post("/rest/api/{api}/issue/bulk", tool="batch_create_issues", status=201)
def batch_create_issues(
    ctx: Ctx,
    issueUpdates: Annotated[Any, Body(mcp=False)] = None,
    issues: Annotated[list[NewIssue] | None, ToolOnly()] = None,
) -> Any:
    """Creates up to 50 issues. Each succeeds or fails by itself.

    issues: The issues.
    """
    asked: list[dict[str, Any]] = [{"given": i} for i in issues or []] if over_mcp(ctx) else issueUpdates or []
    if not isinstance(asked, list) or not asked or not all(isinstance(a, dict) for a in asked):
        raise refuse(400, "No issues to create were given.")
    if len(asked) > MOST_BULK:
        raise refuse(400, f"At most {MOST_BULK} issues can be created at once.")
    created, errors, where = list[Any](), list[Any](), ctx.request.path.rstrip("/").removesuffix("/bulk")
    for number, one in enumerate(asked):
        # Each is a call of its own, so that one that fails leaves nothing.
        if over_mcp(ctx):
            reply = ctx.call("create_issue", one["given"])
        else:
            sent = Request(
                "POST", where, ctx.request.base + where, {}, {"content-type": "application/json"}, ctx.request.base
            )
            reply = ctx.send(sent, json.dumps(one).encode())
        if reply.error:
            errors.append(
                {
                    "status": reply.status,
                    "elementErrors": {**reply.body, "status": reply.status},
                    "failedElementNumber": number,
                }
            )
        else:
            key = reply.body["key"]
            created.append(made(ctx, access.issue(ctx, key)))
    body = {"issues": created, "errors": errors}
    return Reply(body, 201 if created else 400, error=not created)


@app.put("/rest/api/{api}/issue/{issue_key}", tool="update_issue")
def update_issue(
    ctx: Ctx, issue_key: IssueKey, fields: dict[str, Any] | None = None, update: dict[str, Any] | None = None,
    components: Names = None, comment: Text = None, transition: Annotated[Any, Body(mcp=False)] = None,
    notifyUsers: Annotated[bool, Query(mcp=False)] = True, returnIssue: Annotated[bool, Query(mcp=False)] = False,
    expand: Annotated[str | None, Query(mcp=False)] = None,
) -> Any:  # fmt: skip
    """Edits fields of an issue. Status and resolution change by transition_issue alone.

    issue_key: The issue's key or id.
    fields: New values by field: summary, description (Markdown), assignee (account id, mail address or full name, null for nobody),
        priority, labels (replaces all), duedate, parent, fixVersions (names), timetracking {"originalEstimate": "2d"} ...
    update: Operations by field, e.g. {"labels": [{"add": "urgent"}]}; verbs are add, remove and set.
    components: Names of the components to set.
    comment: A comment to add, in Markdown.
    """
    row = access.writable(ctx, issue_key)
    if over_mcp(ctx):
        extra = {} if components is None else {"components": components}
        fields, update = agents.field_values(ctx, {**(fields or {}), **extra}), agents.operations(ctx, update)
    editing.edit(ctx, row, fields, update)
    if comment is not None:
        discussion.add(ctx, row, comment)
    if returnIssue and not over_mcp(ctx):
        return Reply(issues.shown(ctx, row, issues.chosen([]), flat(expand)), 200)
    told = [*(fields or {}), *(update or {})]
    return done(ctx, brief(ctx, row, (*issues.LISTED, *(name for name in told if name in issues.SHOW))))


@app.delete("/rest/api/{api}/issue/{issue_key}", tool="delete_issue")
def delete_issue(
    ctx: Ctx, issue_key: IssueKey, delete_subtasks: Annotated[str | bool, Query("deleteSubtasks")] = False
) -> Any:
    """Deletes an issue with its comments, work and attachments. One with sub-tasks is deleted only together with them.

    issue_key: The issue's key or id.
    delete_subtasks: Whether to delete its sub-tasks too.
    """
    row = access.writable(ctx, issue_key)
    key = row.key
    editing.delete(ctx, row, str(delete_subtasks).lower() == "true")
    return done(ctx, {"deleted": key})


@app.put("/rest/api/{api}/issue/{issue_key}/assignee", tool="assign_issue")
def assign_issue(
    ctx: Ctx, issue_key: IssueKey, assignee: Text = None, accountId: Annotated[str | None, Body(mcp=False)] = None,
    name: Annotated[str | None, Body(mcp=False)] = None,
) -> Any:  # fmt: skip
    """Assigns an issue to a user who may be assigned issues, or to nobody.

    issue_key: The issue's key or id.
    assignee: Whom: account id, mail address or full name; left out for nobody.
    """
    row = access.writable(ctx, issue_key)
    if over_mcp(ctx):
        accountId = access.person(ctx, assignee).accountId if assignee else None
    elif name is not None and accountId is None:
        raise refuse(400, "'accountId' must be the only user identifying query parameter in GDPR strict mode.")
    editing.assign(ctx, row, None if accountId is None else {"accountId": accountId})
    return done(ctx, brief(ctx, row))


@app.get("/rest/api/{api}/issue/{issue_key}/transitions", tool="get_transitions")
def get_transitions(
    ctx: Ctx,
    issue_key: IssueKey,
    expand: str | None = None,
    transitionId: Annotated[str | None, Query(mcp=False)] = None,
) -> dict[str, Any]:
    """Lists the transitions that an issue's workflow offers from its current status, with the status each leads to.

    issue_key: The issue's key or id.
    expand: transitions.fields adds the fields that a transition asks for.
    """
    row = access.issue(ctx, issue_key)
    found = issues.transitions(ctx, row, "transitions.fields" in flat(expand))
    return {
        "expand": "transitions",
        "transitions": [t for t in found if transitionId is None or t["id"] == transitionId],
    }


def _wanted(ctx: Ctx, row: Issue, text: str) -> str:
    """A transition as an agent names it: by id, by name, or by the status that it leads to."""
    offered = [t for t in site.workflow(row.issuetype) if row.status in t.origins]
    for test in (lambda t: str(t.id), lambda t: t.name, lambda t: site.STATUSES[t.to].name):
        for step in offered:
            if test(step).casefold() == text.strip().casefold():
                return str(step.id)
    return text


@app.post("/rest/api/{api}/issue/{issue_key}/transitions", tool="transition_issue", effect="transition", status=204)
def transition_issue(
    ctx: Ctx, issue_key: IssueKey, transition_id: Text = None, resolution: Text = None, comment: Text = None,
    fields: dict[str, Any] | None = None, transition: Annotated[Any, Body(mcp=False)] = None, update: Json = None,
) -> Any:  # fmt: skip
    """Moves an issue along a transition of its workflow; only those that get_transitions lists now are possible.

    issue_key: The issue's key or id.
    transition_id: The transition's id, its name, or the name of the status it leads to.
    resolution: Where the transition closes the issue: Done, Won't Do, Duplicate or Cannot Reproduce. Some transitions require it.
    comment: A comment to add, in Markdown.
    fields: Further fields of the transition's screen.
    """
    row = access.writable(ctx, issue_key)
    if over_mcp(ctx):
        wanted: Any = _wanted(ctx, row, transition_id or "")
        fields = agents.field_values(ctx, {**(fields or {}), **({"resolution": resolution} if resolution else {})})
        update = {"comment": [{"add": {"body": comment}}]} if comment else None
    else:
        if not isinstance(transition, dict) or not isinstance(transition.get("id"), (str, int)):
            raise refuse(400, "Missing 'transition' identifier")
        wanted = transition["id"]
    editing.transition(ctx, row, wanted, fields, update)
    return done(ctx, brief(ctx, row, (*issues.LISTED, "resolution")))


@app.get("/rest/api/{api}/issue/{issue_key}/changelog", tool="get_issue_changelog")
def get_issue_changelog(ctx: Ctx, issue_key: IssueKey, start_at: StartAt = 0, limit: Limit = 30) -> dict[str, Any]:
    """Lists what was changed on an issue, oldest first: who, when, which field, from what to what.

    issue_key: The issue's key or id.
    start_at: How many entries to skip.
    limit: The most entries to return, up to 100.
    """
    found = issues.history(ctx, access.issue(ctx, issue_key))
    return paged(ctx, found, start_at, limit)


def paged(ctx: Ctx, found: list[Any], start_at: int, limit: int, most: int = 100) -> dict[str, Any]:
    """A slice of a list as the platform API's page bean."""
    size = max(0, min(limit, most))
    values = found[start_at : start_at + size]
    return {
        "self": f"{access.base_url(ctx)}{ctx.request.path}", "maxResults": size, "startAt": start_at, "total": len(found),
        "isLast": start_at + len(values) >= len(found), "values": values,
    }  # fmt: skip


@app.get("/rest/api/{api}/issue/{issue_key}/editmeta", tool="get_edit_fields", mcp=False)
def get_edit_fields(ctx: Ctx, issue_key: IssueKey) -> dict[str, Any]:
    """Lists the fields of an issue that can be edited, the operations on each, and their allowed values.

    issue_key: The issue's key or id.
    """
    from ..fields import edit_meta  # noqa: PLC0415 - its name is one of our parameters

    return {"fields": edit_meta(ctx, access.issue(ctx, issue_key))}
