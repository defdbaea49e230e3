"""Where tasks are: in projects, in their sections, under parents."""

from typing import Any

from legoenv_mcp.app import MISSING, Ctx

from . import access, custom, stories
from .app import bad
from .models import Project, Section, Task, TaskProject

UNTITLED = "Untitled section"


def sections(ctx: Ctx, project: str) -> list[Section]:
    return ctx.db.find(Section, project=project, order="place,gid")


def new_section(ctx: Ctx, project: str, name: str, after: str | None = None, before: str | None = None) -> Section:
    rows = sections(ctx, project)
    place = access.between([(s.gid, s.place) for s in rows], after, before)
    if place is None:
        raise bad(f"{'insert_after' if after else 'insert_before'}: Section is not in this project: {after or before}")
    return ctx.db.add(
        Section(gid=access.new_gid(ctx), name=name, project=project, place=place, created_at=access.now(ctx))
    )


def tasks_in_section(ctx: Ctx, section: str) -> list[TaskProject]:
    return ctx.db.find(TaskProject, section=section, order="place,task")


def tasks_in_project(ctx: Ctx, project: str) -> list[Task]:
    """In the order of the project: section by section."""
    found = ctx.db.where(
        Task,
        "gid IN (SELECT task FROM task_project WHERE project = ?)",
        (project,),
    )
    place = {p.task: (p.section, p.place) for p in ctx.db.find(TaskProject, project=project)}
    at = {s.gid: n for n, s in enumerate(sections(ctx, project))}
    return sorted(found, key=lambda t: (at[place[t.gid][0]], place[t.gid][1], t.gid))


def put(
    ctx: Ctx, task: Task, project: Project, section: Section | None = None, after: Any = MISSING, before: Any = MISSING, *,
    top: bool = False,
) -> None:  # fmt: skip
    """Puts a task into a project, or to another place in it.

    `after` and `before` are tasks there, or None for the beginning and the end. Without any a task that is new there goes
    to the end of the first section, where new tasks go; one that is there already stays.
    """
    now = ctx.db.get(TaskProject, (task.gid, project.gid))
    if now is not None and section is None and after is MISSING and before is MISSING:
        return
    anchor = after if isinstance(after, str) else before if isinstance(before, str) else None
    if anchor is not None:
        field = "insert_after" if isinstance(after, str) else "insert_before"
        beside = ctx.db.get(TaskProject, (anchor, project.gid))
        if beside is None or (section is not None and beside.section != section.gid) or anchor == task.gid:
            raise bad(f"{field}: Task is not in the given {'section' if section else 'project'}: {anchor[:100]}")
        place_id = beside.section
    elif section is not None:
        place_id = section.gid
    else:
        rows = sections(ctx, project.gid)
        place_id = rows[-1].gid if before is None else rows[0].gid
    others = [(p.task, p.place) for p in tasks_in_section(ctx, place_id) if p.task != task.gid]
    start = after is None or top
    place = access.between(others, "" if start and anchor is None else (anchor if isinstance(after, str) else None),
                           anchor if isinstance(before, str) else None)  # fmt: skip
    assert place is not None
    if now is None:
        values = custom.numbered(ctx, task.custom, [project.gid])
        ctx.db.add(TaskProject(task=task.gid, project=project.gid, section=place_id, place=place))
        stories.tell(ctx, task, "added_to_project", f"added to {project.name}", project=project.gid)
        stories.happened(ctx, task, "added", parent=project)
        stories.touched(ctx, task, **({"custom": values} if values != task.custom else {}))
        return
    old = now.section
    ctx.db.update(now, section=place_id, place=place)
    if old != place_id:
        was, new = ctx.require(Section, old), ctx.require(Section, place_id)
        stories.tell(
            ctx, task, "section_changed", f'moved this Task from "{was.name}" to "{new.name}" in {project.name}', project=project.gid,
            old_section=old, new_section=place_id,
        )  # fmt: skip
        stories.changed(ctx, task, "section", new)
    stories.touched(ctx, task)


def leave(ctx: Ctx, task: Task, project: Project) -> None:
    """Takes a task out of a project."""
    place = ctx.db.get(TaskProject, (task.gid, project.gid))
    if place is None:
        return
    stories.happened(ctx, task, "removed", parent=project)
    ctx.db.delete(place)
    stories.tell(ctx, task, "removed_from_project", f"removed from {project.name}", project=project.gid)
    stories.touched(ctx, task)


# Subtasks


def subtasks(ctx: Ctx, parent: str) -> list[Task]:
    return ctx.db.find(Task, parent=parent, order="place,gid")


def under(ctx: Ctx, parent: str, task: str, after: Any = MISSING, before: Any = MISSING) -> float:
    """A place among a parent's subtasks."""
    others = [(t.gid, t.place) for t in subtasks(ctx, parent) if t.gid != task]
    if after is None:
        place = access.between(others, "", None)
    else:
        place = access.between(
            others, after if isinstance(after, str) else None, before if isinstance(before, str) else None
        )
    if place is None:
        field = "insert_after" if isinstance(after, str) else "insert_before"
        raise bad(f"{field}: Task is not a subtask of the parent")
    return place


def check_parent(ctx: Ctx, task: Task, parent: Task) -> None:
    """No task is its own ancestor."""
    at: Task | None = parent
    while at is not None:
        if at.gid == task.gid:
            raise bad("parent: A task cannot be a subtask of itself or of one of its own subtasks")
        at = ctx.db.get(Task, at.parent) if at.parent else None
