"""What hangs on a task: subtasks, projects, dependencies, tags, followers. https://developers.asana.com/reference/tasks"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Page

from .. import access, places, resources, stories, tasks
from ..app import API, Fields, Gid, Ids, Limit, Name, Offset, Text, app, bad
from ..listing import one, page
from ..models import Dependency, Section, Tag, Task, User
from .tasks import Approval, Json, Place, Subtype, since

MOST_LINKS = 30


@app.get(f"{API}/tasks/{{task_gid}}/subtasks", tool="get_subtasks_for_task")
def get_subtasks_for_task(
    ctx: Ctx, task_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:
    """Lists the subtasks of a task, in their order.

    task_gid: The task's gid.
    """
    return page(ctx, since(ctx, places.subtasks(ctx, access.task(ctx, task_gid).gid), None), opt_fields, limit, offset)


@app.post(f"{API}/tasks/{{task_gid}}/subtasks", tool="create_subtask", status=201)
def create_subtask(
    ctx: Ctx, task_gid: Gid, name: Name = "", assignee: Gid | None = None, notes: Text | MISSING = MISSING,
    html_notes: Annotated[Text | MISSING, Body(mcp=False)] = MISSING, due_on: str | None = None, due_at: str | None = None,
    start_on: Annotated[str | None, Body(mcp=False)] = None, completed: bool = False, followers: Ids = [], tags: Ids = [],  # noqa: B006
    projects: Annotated[Ids, Body(mcp=False)] = [], resource_subtype: Annotated[Subtype, Body(mcp=False)] = "default_task",  # noqa: B006
    memberships: Annotated[list[Place], Body(mcp=False)] = [], start_at: Annotated[str | None, Body(mcp=False)] = None,  # noqa: B006
    approval_status: Annotated[Approval | None, Body(mcp=False)] = None, liked: Annotated[bool | None, Body(mcp=False)] = None,
    assignee_section: Annotated[Gid | None, Body(mcp=False)] = None,
    custom_fields: Annotated[dict[str, Any], Body(mcp=False)] = {}, external: Json = MISSING, opt_fields: Fields = None,  # noqa: B006
) -> dict[str, Any]:  # fmt: skip
    """Creates a subtask of a task. It is in none of the parent's projects itself.

    task_gid: The parent's gid.
    name: What is to be done.
    assignee: Who does it: a user's gid or mail address, or "me".
    notes: The description, as plain text.
    due_on: The day it is due, YYYY-MM-DD.
    due_at: The moment it is due, ISO 8601, instead of due_on.
    completed: Whether it is done already.
    followers: Who else follows it: gids, mail addresses or "me".
    tags: Gids of tags.
    """
    return one(ctx, tasks.create(ctx, ctx.sent(), access.task(ctx, task_gid)), opt_fields)


@app.post(f"{API}/tasks/{{task_gid}}/setParent", tool="set_parent_for_task", effect="update")
def set_parent_for_task(
    ctx: Ctx, task_gid: Gid, parent: Gid | None, insert_after: Gid | None | MISSING = MISSING,
    insert_before: Gid | None | MISSING = MISSING, opt_fields: Fields = None
) -> dict[str, Any]:  # fmt: skip
    """Makes a task a subtask of another, or takes it from under its parent.

    task_gid: The task's gid.
    parent: The new parent's gid, or null for none.
    insert_after: A subtask of the parent to come after, or null for the beginning.
    insert_before: A subtask of the parent to come before, or null for the end.
    """
    task, sent = access.task(ctx, task_gid), ctx.sent()
    access.once(("insert_after", "insert_after" in sent), ("insert_before", "insert_before" in sent))
    if parent is None:
        stories.touched(ctx, task, parent=None, place=0.0)
        stories.changed(ctx, task, "parent")
        return one(ctx, task, opt_fields)
    above = access.task(ctx, parent, "parent")
    places.check_parent(ctx, task, above)
    place = places.under(ctx, above.gid, task.gid, insert_after, insert_before)
    stories.touched(ctx, task, parent=above.gid, place=place)
    stories.tell(ctx, above, "added_to_task", f"added subtask {task.name}", task=task.gid)
    stories.changed(ctx, task, "parent", above)
    return one(ctx, task, opt_fields)


# Projects


@app.post(f"{API}/tasks/{{task_gid}}/addProject", tool="add_task_to_project", effect="update")
def add_task_to_project(
    ctx: Ctx, task_gid: Gid, project: Gid, section: Gid | None = None, insert_after: Gid | None | MISSING = MISSING,
    insert_before: Gid | None | MISSING = MISSING
) -> dict[str, Any]:  # fmt: skip
    """Adds a task to a project, or moves it within one: to a section, or beside another task. Where no place is
    given, a task that is new there comes last in the first section.

    task_gid: The task's gid.
    project: The project's gid.
    section: A section of the project.
    insert_after: A task there to come after, or null for the beginning.
    insert_before: A task there to come before, or null for the end.
    """
    task, target, sent = access.task(ctx, task_gid), access.project(ctx, project, "project"), ctx.sent()
    access.once(("insert_after", "insert_after" in sent), ("insert_before", "insert_before" in sent))
    spot = access.named(ctx, Section, section, "section") if section else None
    if spot is not None and spot.project != target.gid:
        raise bad("section: Section is not in the given project")
    places.put(ctx, task, target, spot, insert_after, insert_before)
    return {}


@app.post(f"{API}/tasks/{{task_gid}}/removeProject", tool="remove_task_from_project", effect="update")
def remove_task_from_project(ctx: Ctx, task_gid: Gid, project: Gid) -> dict[str, Any]:
    """Takes a task out of a project; the task stays.

    task_gid: The task's gid.
    project: The project's gid.
    """
    places.leave(ctx, access.task(ctx, task_gid), access.project(ctx, project, "project"))
    return {}


# Dependencies


@app.get(f"{API}/tasks/{{task_gid}}/dependencies", tool="get_dependencies_for_task")
def get_dependencies_for_task(
    ctx: Ctx, task_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the tasks that a task waits for.

    task_gid: The task's gid.
    """
    rows = resources.tasks(ctx, resources.waits_for(ctx, access.task(ctx, task_gid).gid))
    return page(ctx, rows, opt_fields, limit, offset)


@app.get(f"{API}/tasks/{{task_gid}}/dependents", tool="get_dependents_for_task", mcp=False)
def get_dependents_for_task(
    ctx: Ctx, task_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:
    """Lists the tasks that wait for a task.

    task_gid: The task's gid.
    """
    rows = resources.tasks(ctx, resources.blocks(ctx, access.task(ctx, task_gid).gid))
    return page(ctx, rows, opt_fields, limit, offset)


def _link(ctx: Ctx, task: Task, other: Task) -> None:
    """`task` waits for `other` from now on; never in a circle, and for no more than Asana allows."""
    if ctx.db.get(Dependency, (task.gid, other.gid)) is not None:
        return
    seen, ahead = set[str](), [other.gid]
    while ahead:
        gid = ahead.pop()
        if gid == task.gid:
            raise bad("dependencies: Tasks cannot depend on each other in a circle")
        if gid not in seen:
            seen.add(gid)
            ahead += resources.waits_for(ctx, gid)
    for end in (task, other):
        if len(resources.waits_for(ctx, end.gid)) + len(resources.blocks(ctx, end.gid)) >= MOST_LINKS:
            raise bad(f"A task can have at most {MOST_LINKS} dependents and dependencies combined")
    ctx.db.add(Dependency(task=task.gid, depends_on=other.gid))
    stories.tell(ctx, task, "dependency_added", f"marked this task as dependent on {other.name}", dependency=other.gid)
    stories.changed(ctx, task, "dependencies", other, "added")
    stories.touched(ctx, task)


def _unlink(ctx: Ctx, task: Task, other: Task) -> None:
    found = ctx.db.get(Dependency, (task.gid, other.gid))
    if found is not None:
        ctx.db.delete(found)
        stories.tell(ctx, task, "dependency_removed", f"removed the dependency on {other.name}", dependency=other.gid)
        stories.changed(ctx, task, "dependencies", other, "removed")
        stories.touched(ctx, task)


@app.post(f"{API}/tasks/{{task_gid}}/addDependencies", tool="add_dependencies_for_task", effect="update")
def add_dependencies_for_task(ctx: Ctx, task_gid: Gid, dependencies: Ids) -> list[Any]:
    """Makes a task wait for others. A task has at most 30 dependencies and dependents.

    task_gid: The task's gid.
    dependencies: Gids of the tasks that it waits for.
    """
    task = access.task(ctx, task_gid)
    for other in access.sequence_of(ctx, Task, dependencies, "dependencies"):
        _link(ctx, task, other)
    return []


@app.post(f"{API}/tasks/{{task_gid}}/removeDependencies", tool="remove_dependencies_for_task", effect="update")
def remove_dependencies_for_task(ctx: Ctx, task_gid: Gid, dependencies: Ids) -> list[Any]:
    """Makes a task wait for others no longer.

    task_gid: The task's gid.
    dependencies: Gids of the tasks that it waited for.
    """
    task = access.task(ctx, task_gid)
    for other in access.sequence_of(ctx, Task, dependencies, "dependencies"):
        _unlink(ctx, task, other)
    return []


@app.post(f"{API}/tasks/{{task_gid}}/addDependents", tool="add_dependents_for_task", effect="update", mcp=False)
def add_dependents_for_task(ctx: Ctx, task_gid: Gid, dependents: Ids) -> list[Any]:
    """Makes other tasks wait for a task.

    task_gid: The task's gid.
    dependents: Gids of the tasks that wait for it.
    """
    task = access.task(ctx, task_gid)
    for other in access.sequence_of(ctx, Task, dependents, "dependents"):
        _link(ctx, other, task)
    return []


@app.post(f"{API}/tasks/{{task_gid}}/removeDependents", tool="remove_dependents_for_task", effect="update", mcp=False)
def remove_dependents_for_task(ctx: Ctx, task_gid: Gid, dependents: Ids) -> list[Any]:
    """Makes other tasks wait for a task no longer.

    task_gid: The task's gid.
    dependents: Gids of the tasks that waited for it.
    """
    task = access.task(ctx, task_gid)
    for other in access.sequence_of(ctx, Task, dependents, "dependents"):
        _unlink(ctx, other, task)
    return []


# Tags


@app.get(f"{API}/tasks/{{task_gid}}/tags", tool="get_tags_for_task", mcp=False)
def get_tags_for_task(
    ctx: Ctx, task_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:
    """Lists the tags of a task.

    task_gid: The task's gid.
    """
    return page(ctx, resources.tags_of(ctx, access.task(ctx, task_gid)), opt_fields, limit, offset)


@app.post(f"{API}/tasks/{{task_gid}}/addTag", tool="add_tag_to_task", effect="update")
def add_tag_to_task(ctx: Ctx, task_gid: Gid, tag: Gid) -> dict[str, Any]:
    """Adds a tag to a task.

    task_gid: The task's gid.
    tag: The tag's gid.
    """
    task, row = access.task(ctx, task_gid), access.named(ctx, Tag, tag, "tag")
    if row.gid not in task.tags:
        stories.touched(ctx, task, tags=[*task.tags, row.gid])
        stories.tell(ctx, task, "added_to_tag", f"added to {row.name}", tag=row.gid)
        stories.changed(ctx, task, "tags", row, "added")
    return {}


@app.post(f"{API}/tasks/{{task_gid}}/removeTag", tool="remove_tag_from_task", effect="update")
def remove_tag_from_task(ctx: Ctx, task_gid: Gid, tag: Gid) -> dict[str, Any]:
    """Removes a tag from a task.

    task_gid: The task's gid.
    tag: The tag's gid.
    """
    task, row = access.task(ctx, task_gid), access.named(ctx, Tag, tag, "tag")
    if row.gid in task.tags:
        stories.touched(ctx, task, tags=[gid for gid in task.tags if gid != row.gid])
        stories.tell(ctx, task, "removed_from_tag", f"removed from {row.name}", tag=row.gid)
        stories.changed(ctx, task, "tags", row, "removed")
    return {}


# Followers

Users = Annotated[list[str] | str, Field(max_length=1000)]


@app.post(f"{API}/tasks/{{task_gid}}/addFollowers", tool="add_followers", effect="update")
def add_followers(ctx: Ctx, task_gid: Gid, followers: Users, opt_fields: Fields = None) -> dict[str, Any]:
    """Adds followers to a task, who are then told of what happens to it.

    task_gid: The task's gid.
    followers: Users: gids, mail addresses or "me".
    """
    task = access.task(ctx, task_gid)
    new = [gid for gid in access.people(ctx, followers, "followers") if gid not in task.followers]
    if new:
        stories.touched(ctx, task, followers=[*task.followers, *new])
    for gid in new:
        person = ctx.require(User, gid)
        stories.tell(ctx, task, "follower_added", f"added {person.name} to the task", follower=gid)
        stories.changed(ctx, task, "followers", person, "added")
    return one(ctx, task, opt_fields)


@app.post(f"{API}/tasks/{{task_gid}}/removeFollowers", tool="remove_followers", effect="update")
def remove_followers(ctx: Ctx, task_gid: Gid, followers: Users, opt_fields: Fields = None) -> dict[str, Any]:
    """Removes followers from a task.

    task_gid: The task's gid.
    followers: Users: gids, mail addresses or "me".
    """
    task = access.task(ctx, task_gid)
    gone = [gid for gid in access.people(ctx, followers, "followers") if gid in task.followers]
    if gone:
        stories.touched(ctx, task, followers=[gid for gid in task.followers if gid not in gone])
    for gid in gone:
        stories.changed(ctx, task, "followers", ctx.require(User, gid), "removed")
    return one(ctx, task, opt_fields)
