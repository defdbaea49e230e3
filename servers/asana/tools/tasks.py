"""Tasks. https://developers.asana.com/reference/tasks"""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict
from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Page, Query

from .. import access, places, tasks
from ..app import Fields, Gid, Ids, Limit, Name, Offset, Text, app, bad
from ..listing import one, page
from ..models import Job, Project, Section, Tag, Task, TaskProject, UserTaskList

Subtype = Literal["default_task", "milestone", "approval"]
Approval = Literal["pending", "approved", "rejected", "changes_requested"]
Json = Annotated[dict[str, Any] | None | MISSING, Body(mcp=False)]
Fixed = Annotated[Any, Body(mcp=False)]
"""What has endpoints of its own, or is Asana's to say: refused, not ignored."""
Since = Annotated[str | None, Field(max_length=64)]


class Place(TypedDict):
    """A project, and a section of it, that a task is in."""

    __pydantic_config__ = ConfigDict(extra="ignore")  # pyright: ignore[reportGeneralTypeIssues]
    project: NotRequired[Annotated[str, Field(description="The project's gid.")]]
    section: NotRequired[Annotated[str | None, Field(description="The gid of a section of the project.")]]


@app.post("/api/1.0/tasks", tool="create_task", status=201)
def create_task(
    ctx: Ctx, name: Name = "", workspace: Gid | None = None, projects: Ids = [], parent: Gid | None = None,  # noqa: B006
    memberships: list[Place] = [], assignee: Gid | None = None, notes: Text | MISSING = MISSING, html_notes: Text | MISSING = MISSING,  # noqa: B006
    due_on: str | None = None, due_at: str | None = None, start_on: str | None = None,
    start_at: Annotated[str | None, Body(mcp=False)] = None, completed: bool = False, followers: Ids = [], tags: Ids = [],  # noqa: B006
    custom_fields: dict[str, Any] = {}, resource_subtype: Subtype = "default_task",  # noqa: B006
    approval_status: Annotated[Approval | None, Body(mcp=False)] = None, assignee_section: Annotated[Gid | None, Body(mcp=False)] = None,
    liked: Annotated[bool | None, Body(mcp=False)] = None, external: Json = MISSING, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a task, in a workspace, in projects or under a parent: at least one of the three must be given.

    name: What is to be done.
    workspace: The workspace's gid, for a task that is in no project.
    projects: Gids of the projects that it is to be in.
    parent: Gid of the task that it is a subtask of.
    memberships: The projects with the sections that it is to be in.
    assignee: Who does it: a user's gid or mail address, or "me".
    notes: The description, as plain text.
    html_notes: The description as HTML within a body element, instead of notes.
    due_on: The day it is due, YYYY-MM-DD.
    due_at: The moment it is due, ISO 8601, instead of due_on.
    start_on: The day it begins, YYYY-MM-DD; needs a due date.
    completed: Whether it is done already.
    followers: Who else follows it: gids, mail addresses or "me".
    tags: Gids of tags.
    custom_fields: Values by the gid of a custom field of the projects; for an enum the option's gid.
    resource_subtype: What kind of task it is.
    """
    return one(ctx, tasks.create(ctx, ctx.sent()), opt_fields)


@app.get("/api/1.0/tasks/{task_gid}", tool="get_task")
def get_task(ctx: Ctx, task_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a task: name, description, assignee, dates, projects and sections, tags, followers, custom fields.

    task_gid: The task's gid.
    """
    return one(ctx, access.task(ctx, task_gid), opt_fields)


@app.put("/api/1.0/tasks/{task_gid}", tool="update_task")
def update_task(
    ctx: Ctx, task_gid: Gid, name: Name | MISSING = MISSING, completed: bool | MISSING = MISSING, assignee: Gid | None | MISSING = MISSING,
    notes: Text | MISSING = MISSING, html_notes: Text | MISSING = MISSING, due_on: str | None | MISSING = MISSING,
    due_at: str | None | MISSING = MISSING, start_on: str | None | MISSING = MISSING,
    start_at: Annotated[str | None | MISSING, Body(mcp=False)] = MISSING, custom_fields: dict[str, Any] | MISSING = MISSING,
    approval_status: Approval | MISSING = MISSING, resource_subtype: Subtype | MISSING = MISSING, liked: bool | MISSING = MISSING,
    assignee_section: Annotated[Gid | None | MISSING, Body(mcp=False)] = MISSING, external: Json = MISSING,
    projects: Fixed = None, tags: Fixed = None, memberships: Fixed = None, workspace: Fixed = None, parent: Fixed = None,
    followers: Fixed = None, dependencies: Fixed = None, dependents: Fixed = None, completed_at: Fixed = None, created_at: Fixed = None,
    created_by: Fixed = None, modified_at: Fixed = None, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields that are sent. Projects, sections, tags, followers and the parent have tools of their own.

    task_gid: The task's gid.
    name: What is to be done.
    completed: Whether it is done.
    assignee: Who does it: a user's gid or mail address, "me", or null for nobody.
    notes: The description, as plain text.
    html_notes: The description as HTML within a body element, instead of notes.
    due_on: The day it is due, YYYY-MM-DD, or null for none.
    due_at: The moment it is due, ISO 8601, instead of due_on.
    start_on: The day it begins; send the due date along.
    custom_fields: Values by the gid of a custom field of its projects; for an enum the option's gid; null clears.
    approval_status: Where an approval stands.
    resource_subtype: What kind of task it is.
    liked: Whether the caller likes it.
    """
    row = access.task(ctx, task_gid)
    tasks.update(ctx, row, ctx.sent())
    return one(ctx, row, opt_fields)


@app.delete("/api/1.0/tasks/{task_gid}", tool="delete_task")
def delete_task(ctx: Ctx, task_gid: Gid) -> dict[str, Any]:
    """Deletes a task, with its subtasks.

    task_gid: The task's gid.
    """
    tasks.remove(ctx, access.task(ctx, task_gid))
    return {}


def since(
    ctx: Ctx,
    rows: list[Task],
    completed_since: str | None,
    modified_since: str | None = None,
) -> list[Task]:
    """Tasks that are open or were completed since, and changed since; and that the caller may see."""
    done = "9" if completed_since == "now" else access.moment(ctx, completed_since, "completed_since")
    changed = access.moment(ctx, modified_since, "modified_since")
    hidden = access.hidden_projects(ctx)
    return [
        t for t in rows
        if (done is None or not t.completed or (t.completed_at or "") >= done) and (changed is None or t.modified_at >= changed)
        and access.sees_task(ctx, t, hidden)
    ]  # fmt: skip


@app.get("/api/1.0/tasks", tool="get_tasks")
def get_tasks(
    ctx: Ctx, project: Gid | None = None, section: Gid | None = None, assignee: Gid | None = None, workspace: Gid | None = None,
    completed_since: Since = None, modified_since: Since = None, tag: Annotated[Gid | None, Query(mcp=False)] = None,
    user_task_list: Annotated[Gid | None, Query(mcp=False)] = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None,
) -> Page[Any]:  # fmt: skip
    """Lists the tasks of a project, of a section, or of an assignee in a workspace: exactly one of the three.

    project: The project's gid.
    section: The section's gid.
    assignee: A user's gid or mail address, or "me"; needs the workspace.
    workspace: The workspace's gid.
    completed_since: Only tasks that are open or were completed since this time, ISO 8601, or "now" for open ones.
    modified_since: Only tasks changed since this time, ISO 8601.
    """
    if (assignee is None) != (workspace is None) or sum(
        map(bool, (project, section, tag, user_task_list, assignee))
    ) != 1:
        raise bad("Must specify exactly one of project, tag, section, user task list, or assignee + workspace")
    if assignee and workspace:
        access.in_workspace(ctx, workspace)
        rows = _of_user(ctx, access.person(ctx, assignee, "assignee").gid)
    elif project:
        rows = _of_project(ctx, project, "project")
    elif section:
        rows = _of_section(ctx, access.section(ctx, section, "section"))
    elif tag:
        rows = _of_tag(ctx, access.named(ctx, Tag, tag, "tag"))
    else:
        rows = _of_user(
            ctx,
            access.named(ctx, UserTaskList, user_task_list or "", "user_task_list").user,
        )
    return page(
        ctx,
        since(ctx, rows, completed_since, modified_since),
        opt_fields,
        limit,
        offset,
    )


def _of_user(ctx: Ctx, user: str) -> list[Task]:
    return ctx.db.find(Task, assignee=user, order="created_at,gid")


def _of_project(ctx: Ctx, gid: str, field: str = "") -> list[Task]:
    if access.is_gid(gid) and (mine := ctx.db.get(UserTaskList, gid)) is not None:
        return _of_user(ctx, mine.user)
    return places.tasks_in_project(ctx, access.project(ctx, gid, field).gid)


def _of_section(ctx: Ctx, section: Section) -> list[Task]:
    found = [ctx.require(Task, p.task) for p in places.tasks_in_section(ctx, section.gid)]
    return found or ctx.db.find(Task, assignee_section=section.gid, order="created_at,gid")


def _of_tag(ctx: Ctx, tag: Tag) -> list[Task]:
    inside = "EXISTS (SELECT 1 FROM json_each(task.tags) WHERE value = ?)"
    return ctx.db.where(Task, inside, (tag.gid,), order="created_at,gid")


@app.get("/api/1.0/projects/{project_gid}/tasks", tool="get_tasks_for_project")
def get_tasks_for_project(
    ctx: Ctx, project_gid: Gid, completed_since: Since = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the tasks of a project, in its order. Compact: ask for more by opt_fields, as completed,assignee.name,due_on.

    project_gid: The project's gid.
    completed_since: Only tasks that are open or were completed since this time, ISO 8601, or "now" for open ones.
    """
    return page(
        ctx,
        since(ctx, _of_project(ctx, project_gid), completed_since),
        opt_fields,
        limit,
        offset,
    )


@app.get("/api/1.0/sections/{section_gid}/tasks", tool="get_tasks_for_section", mcp=False)
def get_tasks_for_section(
    ctx: Ctx, section_gid: Gid, completed_since: Since = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the tasks of a section of a project, in its order.

    section_gid: The section's gid.
    completed_since: Only tasks that are open or were completed since this time, ISO 8601, or "now" for open ones.
    """
    return page(
        ctx,
        since(ctx, _of_section(ctx, access.section(ctx, section_gid)), completed_since),
        opt_fields,
        limit,
        offset,
    )


@app.get("/api/1.0/tags/{tag_gid}/tasks", tool="get_tasks_for_tag", mcp=False)
def get_tasks_for_tag(
    ctx: Ctx,
    tag_gid: Gid,
    limit: Limit = None,
    offset: Offset = None,
    opt_fields: Fields = None,
) -> Page[Any]:
    """Lists the tasks that have a tag.

    tag_gid: The tag's gid.
    """
    return page(
        ctx,
        since(ctx, _of_tag(ctx, access.get(ctx, Tag, tag_gid)), None),
        opt_fields,
        limit,
        offset,
    )


@app.get(
    "/api/1.0/user_task_lists/{user_task_list_gid}/tasks",
    tool="get_tasks_for_user_task_list",
    mcp=False,
)
def get_tasks_for_user_task_list(
    ctx: Ctx, user_task_list_gid: Gid, completed_since: Since = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the tasks in somebody's My Tasks.

    user_task_list_gid: The list's gid.
    completed_since: Only tasks that are open or were completed since this time, ISO 8601, or "now" for open ones.
    """
    mine = access.get(ctx, UserTaskList, user_task_list_gid)
    return page(
        ctx,
        since(ctx, _of_user(ctx, mine.user), completed_since),
        opt_fields,
        limit,
        offset,
    )


@app.get(
    "/api/1.0/workspaces/{workspace_gid}/tasks/custom_id/{custom_id}",
    tool="get_task_for_custom_id",
)
def get_task_for_custom_id(
    ctx: Ctx, workspace_gid: Gid, custom_id: Annotated[str, Field(max_length=100)]
) -> dict[str, Any]:
    """Gets the task that an ID custom field has given this number, as written in the project (prefix, dash, number).

    workspace_gid: The workspace's gid.
    custom_id: The number with its prefix.
    """
    access.get(ctx, access.Workspace, workspace_gid)
    having = (
        "EXISTS (SELECT 1 FROM json_each(task.custom) j JOIN custom_field f ON f.gid = j.key"
        " WHERE f.id_prefix IS NOT NULL AND j.value = ?)"
    )
    found = ctx.db.where(Task, having, (custom_id.upper(),), limit=1)
    if not found:
        raise app.not_found("task", custom_id)
    return one(ctx, access.task(ctx, found[0].gid), None)


@app.get("/api/1.0/tasks/{task_gid}/projects", tool="get_projects_for_task", mcp=False)
def get_projects_for_task(
    ctx: Ctx,
    task_gid: Gid,
    limit: Limit = None,
    offset: Offset = None,
    opt_fields: Fields = None,
) -> Page[Any]:
    """Lists the projects that a task is in.

    task_gid: The task's gid.
    """
    task, hidden = access.task(ctx, task_gid), access.hidden_projects(ctx)
    rows = [ctx.require(Project, p.project) for p in ctx.db.find(TaskProject, task=task.gid) if p.project not in hidden]
    return page(ctx, rows, opt_fields, limit, offset)


@app.post("/api/1.0/tasks/{task_gid}/duplicate", tool="duplicate_task", status=201)
def duplicate_task(
    ctx: Ctx, task_gid: Gid, name: Name | MISSING = MISSING, include: Annotated[str, Field(max_length=400)] = "", opt_fields: Fields = None
) -> dict[str, Any]:  # fmt: skip
    """Duplicates a task. Answers the job that does it, with the new task.

    task_gid: The task's gid.
    name: The new task's name.
    include: What to copy, separated by commas: assignee, attachments, dates, dependencies, followers, notes, parent, projects, subtasks,
      tags.
    """
    task = access.task(ctx, task_gid)
    parts = {part.strip() for part in include.split(",") if part.strip()}
    if unknown := sorted(parts - set(tasks.INCLUDES)):
        raise bad(f"include: Not a field that can be duplicated: {unknown[0][:100]}")
    copy = tasks.duplicate(ctx, task, ctx.sent().get("name", task.name), parts)
    return started(
        ctx,
        Job(
            gid=access.new_gid(ctx),
            resource_subtype="duplicate_task",
            new_task=copy.gid,
        ),
        opt_fields,
    )


def started(ctx: Ctx, job: Job, opt_fields: str | None) -> dict[str, Any]:
    """A job as it is answered at its start; asked for later, it is done."""
    row = ctx.db.add(job)
    row.status = "in_progress"
    return one(ctx, row, opt_fields)
