"""Searching and completing names. https://developers.asana.com/reference/typeaheadforworkspace"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field, Page, Query, ToolOnly

from .. import access, search
from ..app import API, Fields, Gid, app, bad, over_mcp, plain, premium
from ..fields import chosen, shown
from ..models import CustomField, Goal, Portfolio, Project, Tag, Task, Team, User, Workspace

Text = Annotated[str, Field(max_length=1000)]
Size = Annotated[int, Field(ge=1, le=100)]


def rare(name: str) -> Any:
    """A parameter of programs."""
    return Query(name, mcp=False)


def some(ctx: Ctx, rows: list[Any], opt_fields: str | None, limit: int) -> Page[Any]:
    """The first ones of a list that has no pages."""
    opt = chosen(opt_fields)
    made = [shown(ctx, row, opt) for row in rows[:limit]]
    return Page(made if opt or not over_mcp(ctx) else [plain(record) for record in made])


@app.get(f"{API}/workspaces/{{workspace_gid}}/tasks/search", tool="search_tasks_in_workspace")
def search_tasks_in_workspace(
    ctx: Ctx, workspace_gid: Gid, text: Text | None = None, completed: bool | None = None,
    assignee_any: Annotated[Text | None, Query("assignee.any")] = None, assignee_not: Annotated[Text | None, Query("assignee.not")] = None,
    projects_any: Annotated[Text | None, Query("projects.any")] = None, projects_not: Annotated[Text | None, Query("projects.not")] = None,
    projects_all: Annotated[Text | None, rare("projects.all")] = None, sections_any: Annotated[Text | None, Query("sections.any")] = None,
    sections_not: Annotated[Text | None, rare("sections.not")] = None, sections_all: Annotated[Text | None, rare("sections.all")] = None,
    tags_any: Annotated[Text | None, Query("tags.any")] = None, tags_not: Annotated[Text | None, Query("tags.not")] = None,
    tags_all: Annotated[Text | None, Query("tags.all")] = None, teams_any: Annotated[Text | None, rare("teams.any")] = None,
    portfolios_any: Annotated[Text | None, rare("portfolios.any")] = None,
    followers_any: Annotated[Text | None, Query("followers.any")] = None,
    followers_not: Annotated[Text | None, rare("followers.not")] = None,
    created_by_any: Annotated[Text | None, Query("created_by.any")] = None,
    created_by_not: Annotated[Text | None, rare("created_by.not")] = None,
    assigned_by_any: Annotated[Text | None, rare("assigned_by.any")] = None,
    assigned_by_not: Annotated[Text | None, rare("assigned_by.not")] = None,
    liked_by_any: Annotated[Text | None, rare("liked_by.any")] = None, liked_by_not: Annotated[Text | None, rare("liked_by.not")] = None,
    commented_on_by_any: Annotated[Text | None, rare("commented_on_by.any")] = None,
    commented_on_by_not: Annotated[Text | None, rare("commented_on_by.not")] = None,
    due_on: Text | None = None, due_on_before: Annotated[Text | None, Query("due_on.before")] = None,
    due_on_after: Annotated[Text | None, Query("due_on.after")] = None, due_at_before: Annotated[Text | None, rare("due_at.before")] = None,
    due_at_after: Annotated[Text | None, rare("due_at.after")] = None, start_on: Annotated[Text | None, rare("start_on")] = None,
    start_on_before: Annotated[Text | None, rare("start_on.before")] = None,
    start_on_after: Annotated[Text | None, rare("start_on.after")] = None, created_on: Annotated[Text | None, rare("created_on")] = None,
    created_on_before: Annotated[Text | None, Query("created_on.before")] = None,
    created_on_after: Annotated[Text | None, Query("created_on.after")] = None,
    created_at_before: Annotated[Text | None, rare("created_at.before")] = None,
    created_at_after: Annotated[Text | None, rare("created_at.after")] = None,
    completed_on: Annotated[Text | None, rare("completed_on")] = None,
    completed_on_before: Annotated[Text | None, Query("completed_on.before")] = None,
    completed_on_after: Annotated[Text | None, Query("completed_on.after")] = None,
    completed_at_before: Annotated[Text | None, rare("completed_at.before")] = None,
    completed_at_after: Annotated[Text | None, rare("completed_at.after")] = None,
    modified_on: Annotated[Text | None, rare("modified_on")] = None,
    modified_on_before: Annotated[Text | None, rare("modified_on.before")] = None,
    modified_on_after: Annotated[Text | None, Query("modified_on.after")] = None,
    modified_at_before: Annotated[Text | None, rare("modified_at.before")] = None,
    modified_at_after: Annotated[Text | None, rare("modified_at.after")] = None,
    is_blocking: bool | None = None, is_blocked: bool | None = None, has_attachment: bool | None = None, is_subtask: bool | None = None,
    resource_subtype: Literal["default_task", "milestone", "approval"] | None = None,
    custom_fields: Annotated[dict[str, str] | None, ToolOnly()] = None,
    sort_by: Literal["due_date", "created_at", "completed_at", "likes", "modified_at", "relevance"] = "modified_at",
    sort_ascending: bool = False, limit: Size = 20, opt_fields: Fields = None,
) -> Page[Any]:  # fmt: skip
    """Finds tasks that meet all conditions given. At most 100, without pages: narrow by created_on to see more.

    workspace_gid: The workspace's gid.
    text: Words in the name or the description.
    completed: Only done tasks, or only open ones.
    assignee_any: Assigned to any of these, comma-separated gids, mail addresses or "me"; "null" for nobody.
    assignee_not: Assigned to none of these.
    projects_any: In any of these projects, comma-separated gids.
    projects_not: In none of these projects.
    sections_any: In any of these sections, comma-separated gids; with projects_any as well, what is in either is found.
    tags_any: With any of these tags, comma-separated gids.
    tags_not: With none of these tags.
    tags_all: With all of these tags.
    followers_any: Followed by any of these users.
    created_by_any: Created by any of these users.
    due_on: Due on this day, YYYY-MM-DD, or "null" for tasks without a due date.
    due_on_before: Due before this day.
    due_on_after: Due after this day.
    created_on_before: Created before this day.
    created_on_after: Created after this day.
    completed_on_before: Completed before this day.
    completed_on_after: Completed after this day.
    modified_on_after: Changed after this day.
    is_blocking: Whether open tasks wait for it.
    is_blocked: Whether it waits for open tasks.
    has_attachment: Whether it has attachments.
    is_subtask: Whether it is a subtask.
    resource_subtype: What kind of task it is.
    custom_fields: Conditions on custom fields: the field's gid, a dot and one of value, is_set, contains, starts_with, ends_with,
      less_than, greater_than, to the value; for an enum the option's gid.
    sort_by: What to sort by.
    sort_ascending: Whether the lowest come first.
    limit: How many tasks, at most.
    """
    if not access.get(ctx, Workspace, workspace_gid).premium:
        raise premium("Search is only available to premium users.")
    given = _given(ctx)
    more = {f"custom_fields.{name}": value for name, value in (custom_fields or {}).items()}
    more |= {name: value for name, value in ctx.request.query.items() if name.startswith("custom_fields.")}
    return some(ctx, search.search(ctx, given, more, sort_by, sort_ascending), opt_fields, limit)


@app.get(f"{API}/workspaces/{{workspace_gid}}/projects/search", tool="search_projects_for_workspace", mcp=False)
def search_projects_for_workspace(
    ctx: Ctx, workspace_gid: Gid, text: Text | None = None, completed: bool | None = None,
    teams_any: Annotated[Text | None, Query("teams.any")] = None, owner_any: Annotated[Text | None, Query("owner.any")] = None,
    members_any: Annotated[Text | None, Query("members.any")] = None, members_not: Annotated[Text | None, rare("members.not")] = None,
    portfolios_any: Annotated[Text | None, rare("portfolios.any")] = None, due_on: Annotated[Text | None, rare("due_on")] = None,
    due_on_before: Annotated[Text | None, rare("due_on.before")] = None, due_on_after: Annotated[Text | None, rare("due_on.after")] = None,
    due_at_before: Annotated[Text | None, rare("due_at.before")] = None, due_at_after: Annotated[Text | None, rare("due_at.after")] = None,
    start_on: Annotated[Text | None, rare("start_on")] = None, start_on_before: Annotated[Text | None, rare("start_on.before")] = None,
    start_on_after: Annotated[Text | None, rare("start_on.after")] = None, created_on: Annotated[Text | None, rare("created_on")] = None,
    created_on_before: Annotated[Text | None, rare("created_on.before")] = None,
    created_on_after: Annotated[Text | None, rare("created_on.after")] = None,
    created_at_before: Annotated[Text | None, rare("created_at.before")] = None,
    created_at_after: Annotated[Text | None, rare("created_at.after")] = None,
    completed_on: Annotated[Text | None, rare("completed_on")] = None,
    completed_on_before: Annotated[Text | None, rare("completed_on.before")] = None,
    completed_on_after: Annotated[Text | None, rare("completed_on.after")] = None,
    completed_at_before: Annotated[Text | None, rare("completed_at.before")] = None,
    completed_at_after: Annotated[Text | None, rare("completed_at.after")] = None,
    sort_by: Literal["due_date", "created_at", "completed_at", "modified_at"] = "modified_at", sort_ascending: bool = False,
    limit: Size = 20, opt_fields: Fields = None,
) -> Page[Any]:  # fmt: skip
    """Finds projects that meet all conditions given.

    workspace_gid: The workspace's gid.
    text: Words in the name.
    completed: Only completed projects, or only open ones.
    teams_any: Of any of these teams.
    owner_any: Owned by any of these users.
    members_any: With any of these members.
    sort_by: What to sort by.
    sort_ascending: Whether the lowest come first.
    limit: How many projects, at most.
    """
    if not access.get(ctx, Workspace, workspace_gid).premium:
        raise premium("Search is only available to premium users.")
    return some(ctx, search.projects(ctx, _given(ctx), sort_by, sort_ascending), opt_fields, limit)


def _given(ctx: Ctx) -> dict[str, Any]:
    """The conditions of a search, by the product's names."""
    wires = {p.name: p.wire for p in ctx.operation.params.values()} if ctx.operation else {}
    apart = ("sort_by", "sort_ascending", "limit", "opt_fields", "custom_fields")
    return {wires[name]: value for name, value in ctx.sent().items() if name not in apart and value is not None}


_TYPES: dict[str, Any] = {
    "custom_field": CustomField, "goal": Goal, "portfolio": Portfolio, "project": Project, "tag": Tag, "task": Task, "team": Team,
    "user": User,
}  # fmt: skip
Type = Literal["custom_field", "goal", "portfolio", "project", "project_template", "tag", "task", "team", "user"]


@app.get(f"{API}/workspaces/{{workspace_gid}}/typeahead", tool="typeahead_for_workspace")
def typeahead_for_workspace(
    ctx: Ctx, workspace_gid: Gid, resource_type: Type | None = None, query: Text = "", count: Size = 20,
    type: Annotated[Type | None, Query(mcp=False)] = None, opt_fields: Fields = None,
) -> Page[Any]:  # fmt: skip
    """Finds objects of one type by the beginning of a word of their name (users also by mail address): quick, one page.

    workspace_gid: The workspace's gid.
    resource_type: What to look for.
    query: What has been typed; the most recently changed where nothing has.
    count: How many objects, at most.
    """
    access.get(ctx, Workspace, workspace_gid)
    wanted = resource_type or type
    if wanted is None:
        raise bad("resource_type: Missing input")
    cls = _TYPES.get(wanted)
    if cls is None:
        return Page([])
    typed, hidden = query.lower().strip(), access.hidden_projects(ctx)
    order = "-modified_at,gid" if cls in (Task, Project) else "name,gid"
    rows = [row for row in ctx.db.find(cls, order=order) if _fits(row, typed) and _seen(ctx, row, hidden)]
    rows.sort(key=lambda row: not row.name.lower().startswith(typed))
    return some(ctx, rows, opt_fields, count)


def _fits(row: Any, typed: str) -> bool:
    name = row.name.lower()
    return (
        typed == ""
        or name.startswith(typed)
        or f" {typed}" in name
        or (isinstance(row, User) and row.email.startswith(typed))
    )


def _seen(ctx: Ctx, row: Any, hidden: frozenset[str]) -> bool:
    if isinstance(row, Task):
        return access.sees_task(ctx, row, hidden)
    return access.active(ctx, row) if isinstance(row, User) else row.gid not in hidden
