"""Sections: the columns of a board, the headings of a list. https://developers.asana.com/reference/sections"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Body, Ctx, Page

from .. import access, places, stories
from ..app import API, Fields, Gid, Limit, Name, Offset, app, bad
from ..listing import one, page
from ..models import Project, Section, Task, TaskProject, UserTaskList


@app.get(f"{API}/projects/{{project_gid}}/sections", tool="get_sections_for_project")
def get_sections_for_project(
    ctx: Ctx, project_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the sections of a project, in their order.

    project_gid: The project's gid.
    """
    if ctx.db.get(UserTaskList, project_gid) is None:
        access.project(ctx, project_gid)
    return page(ctx, places.sections(ctx, project_gid), opt_fields, limit, offset)


@app.post(f"{API}/projects/{{project_gid}}/sections", tool="create_section", status=201)
def create_section(
    ctx: Ctx, project_gid: Gid, name: Name, insert_before: Gid | None = None, insert_after: Gid | None = None, opt_fields: Fields = None
) -> dict[str, Any]:  # fmt: skip
    """Creates a section in a project, at the end where no place is given.

    project_gid: The project's gid.
    name: The section's name.
    insert_before: A section of the project to come before.
    insert_after: A section of the project to come after.
    """
    project = access.project(ctx, project_gid)
    if not name.strip():
        raise bad("name: Missing input")
    access.once(("insert_before", insert_before), ("insert_after", insert_after))
    row = places.new_section(ctx, project.gid, name, insert_after, insert_before)
    stories.happened(ctx, row, "added", parent=project)
    return one(ctx, row, opt_fields)


@app.get(f"{API}/sections/{{section_gid}}", tool="get_section", mcp=False)
def get_section(ctx: Ctx, section_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a section.

    section_gid: The section's gid.
    """
    return one(ctx, access.section(ctx, section_gid), opt_fields)


@app.put(f"{API}/sections/{{section_gid}}", tool="update_section")
def update_section(
    ctx: Ctx, section_gid: Gid, name: Name | MISSING = MISSING, insert_before: Annotated[Gid | None, Body(mcp=False)] = None,
    insert_after: Annotated[Gid | None, Body(mcp=False)] = None, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Renames a section.

    section_gid: The section's gid.
    name: The section's name.
    """
    row = access.section(ctx, section_gid)
    sent = ctx.sent()
    if "name" in sent and not sent["name"].strip():
        raise bad("name: Missing input")
    access.once(("insert_before", insert_before), ("insert_after", insert_after))
    changes = {"name": sent["name"]} if "name" in sent else {}
    if insert_before or insert_after:
        others = [(s.gid, s.place) for s in places.sections(ctx, row.project) if s.gid != row.gid]
        place = access.between(others, insert_after, insert_before)
        if place is None:
            raise bad(f"{'insert_before' if insert_before else 'insert_after'}: Section is not in this project")
        changes["place"] = place
    ctx.db.update(row, **changes)
    if "name" in changes:
        stories.changed(ctx, row, "name")
    return one(ctx, row, opt_fields)


@app.delete(f"{API}/sections/{{section_gid}}", tool="delete_section")
def delete_section(ctx: Ctx, section_gid: Gid) -> dict[str, Any]:
    """Deletes a section. It must be empty, and not the last one of its project.

    section_gid: The section's gid.
    """
    row = access.section(ctx, section_gid)
    if ctx.db.first(TaskProject, section=row.gid) or ctx.db.first(Task, assignee_section=row.gid):
        raise bad("section: Cannot delete a section that has tasks in it")
    if ctx.db.count(Section, project=row.project) == 1:
        raise bad("section: Cannot delete the last section of a project")
    stories.happened(ctx, row, "deleted")
    ctx.db.delete(row)
    return {}


@app.post(f"{API}/sections/{{section_gid}}/addTask", tool="add_task_to_section", effect="update")
def add_task_to_section(
    ctx: Ctx, section_gid: Gid, task: Gid, insert_before: Gid | None = None, insert_after: Gid | None = None
) -> dict[str, Any]:  # fmt: skip
    """Moves a task to a section, to its top where no place is given. It leaves its other section of the project.

    section_gid: The section's gid.
    task: The task's gid.
    insert_before: A task of the section to come before.
    insert_after: A task of the section to come after.
    """
    section = access.section(ctx, section_gid)
    row = access.task(ctx, task, "task")
    access.once(("insert_before", insert_before), ("insert_after", insert_after))
    project = ctx.db.get(Project, section.project)
    if project is None:
        mine = ctx.require(UserTaskList, section.project)
        if row.assignee != mine.user:
            raise bad("task: Task is not assigned to the owner of this My Tasks")
        stories.touched(ctx, row, assignee_section=section.gid)
        return {}
    places.put(
        ctx,
        row,
        project,
        section,
        insert_after or MISSING,
        insert_before or MISSING,
        top=not (insert_after or insert_before),
    )
    return {}


@app.post(
    f"{API}/projects/{{project_gid}}/sections/insert", tool="insert_section_for_project", effect="update", mcp=False
)
def insert_section_for_project(
    ctx: Ctx, project_gid: Gid, section: Gid, before_section: Gid | None = None, after_section: Gid | None = None
) -> dict[str, Any]:  # fmt: skip
    """Moves a section before or after another one of the same project.

    project_gid: The project's gid.
    section: The section to move.
    before_section: The section to come before.
    after_section: The section to come after.
    """
    project = access.project(ctx, project_gid)
    row = access.named(ctx, Section, section, "section")
    access.once(("before_section", before_section), ("after_section", after_section))
    if not before_section and not after_section:
        raise bad("before_section: Missing input")
    others = [(s.gid, s.place) for s in places.sections(ctx, project.gid) if s.gid != row.gid]
    place = access.between(others, after_section, before_section)
    if row.project != project.gid or place is None:
        raise bad("section: Sections cannot be moved between projects")
    ctx.db.update(row, place=place)
    return {}
