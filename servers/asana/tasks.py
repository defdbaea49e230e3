"""What writing to a task means: checks first, then the row, then the stories and events that Asana makes of it."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import access, custom, places, richtext, stories
from .app import bad
from .models import (
    Attachment,
    Comment,
    CustomField,
    Dependency,
    Project,
    Section,
    Story,
    Tag,
    Task,
    TaskProject,
    TimeEntry,
    User,
    UserTaskList,
)  # fmt: skip

DONE_APPROVALS = ("approved", "rejected", "changes_requested")


def dates(ctx: Ctx, sent: dict[str, Any], row: Task | None = None) -> dict[str, Any]:
    """The columns that due_on, due_at, start_on and start_at set. A day and a moment exclude each other."""
    access.once(("due_on", sent.get("due_on")), ("due_at", sent.get("due_at")))
    access.once(("start_on", sent.get("start_on")), ("start_at", sent.get("start_at")))
    made = dict[str, Any]()
    for end in ("due", "start"):
        day, moment = f"{end}_on", f"{end}_at"
        if sent.get(moment) is not None:
            made[moment] = access.moment(ctx, sent[moment], moment)
            made[day] = made[moment][:10]
        elif sent.get(day) is not None:
            made[day], made[moment] = access.day(sent[day], day), None
        elif day in sent:
            made[day] = made[moment] = None
        elif moment in sent:
            made[moment] = None
    if (sent.get("resource_subtype") or (row.resource_subtype if row else "")) == "milestone":
        if sent.get("start_on") or sent.get("start_at"):
            raise bad("start_on: A milestone cannot have a start date")
        if row is not None and row.start_on:
            made |= {"start_on": None, "start_at": None}
    after = {
        name: made.get(name, getattr(row, name) if row else None)
        for name in ("due_on", "due_at", "start_on", "start_at")
    }
    if ("start_on" in sent or "start_at" in sent) and not ({"due_on", "due_at"} & sent.keys()) and after["start_on"]:
        raise bad("due_on or due_at must be present in the request when setting or unsetting the start date")
    if after["start_on"] and not after["due_on"]:
        raise bad("start_on: A task with a start date needs a due date")
    if after["start_on"] and after["start_on"] > after["due_on"]:
        raise bad("start_on: The start date must not be after the due date")
    return made


def done(ctx: Ctx, sent: dict[str, Any], row: Task | None = None) -> dict[str, Any]:
    """The columns that completed and approval_status set, which an approval keeps in step."""
    subtype = sent.get("resource_subtype") or (row.resource_subtype if row else "default_task")
    status, completed = sent.get("approval_status"), sent.get("completed")
    was = row.completed if row else False
    made = dict[str, Any]()
    if subtype == "approval":
        if status is not None and completed is not None and completed != (status in DONE_APPROVALS):
            raise bad("approval_status: Does not agree with completed")
        if status is not None:
            completed = status in DONE_APPROVALS
        elif completed is not None and (row is None or completed != was):
            status = "approved" if completed else "pending"
        made["approval_status"] = status or (row.approval_status if row and row.approval_status else "pending")
    elif status is not None:
        raise bad("approval_status: Can only be set on approval tasks")
    elif row is not None and row.approval_status is not None:
        made["approval_status"] = None
    if completed is not None and completed != was:
        made["completed"] = completed
        made["completed_at"] = access.now(ctx) if completed else None
        made["completed_by"] = access.me(ctx).gid if completed else None
    return made


def assigned(ctx: Ctx, sent: dict[str, Any], row: Task | None = None) -> dict[str, Any]:
    """The columns that the assignee and the section in their My Tasks set."""
    made = dict[str, Any]()
    owner = row.assignee if row else None
    if "assignee" in sent:
        text = sent["assignee"]
        owner = access.person(ctx, text, "assignee").gid if text else None
        if row is None or owner != row.assignee:
            made |= {"assignee": owner, "assigned_by": access.me(ctx).gid if owner else None}
            made["assignee_section"] = _first_section(ctx, owner) if owner else None
    if sent.get("assignee_section"):
        section = access.named(ctx, Section, sent["assignee_section"], "assignee_section")
        mine = ctx.db.first(UserTaskList, user=owner) if owner else None
        if mine is None or section.project != mine.gid:
            raise bad("assignee_section: Section is not in the assignee's My Tasks")
        made["assignee_section"] = section.gid
    return made


def _first_section(ctx: Ctx, user: str) -> str | None:
    mine = ctx.db.first(UserTaskList, user=user)
    rows = places.sections(ctx, mine.gid) if mine else []
    return rows[0].gid if rows else None


def liking(ctx: Ctx, sent: dict[str, Any], likes: list[str]) -> dict[str, Any]:
    if sent.get("liked") is None:
        return {}
    caller = access.me(ctx).gid
    others = [gid for gid in likes if gid != caller]
    return {"likes": [*others, caller] if sent["liked"] else others}


def where(ctx: Ctx, sent: dict[str, Any]) -> list[tuple[Project, Section | None]]:
    """The projects and sections that a new task is to be in."""
    found = dict[str, tuple[Project, Section | None]]()
    for n, gid in enumerate(sent.get("projects") or []):
        project = access.project(ctx, gid, f"projects: [{n}]")
        found[project.gid] = (project, None)
    for n, place in enumerate(sent.get("memberships") or []):
        field = f"memberships: [{n}]"
        if not place.get("project"):
            raise bad(f"{field}: project: Missing required field")
        project = access.project(ctx, place["project"], f"{field}: project")
        section = None
        if place.get("section"):
            section = access.named(ctx, Section, place["section"], f"{field}: section")
            if section.project != project.gid:
                raise bad(f"{field}: section: Section is not in the given project")
        found[project.gid] = (project, section)
    return list(found.values())


def create(ctx: Ctx, sent: dict[str, Any], parent: Task | None = None) -> Task:
    """A new task."""
    if parent is None and not any(sent.get(name) for name in ("workspace", "parent", "projects", "memberships")):
        raise bad("You should specify one of workspace, parent, projects")
    workspace = access.workspace(ctx)
    if sent.get("workspace"):
        workspace = access.in_workspace(ctx, sent["workspace"])
    if parent is None and sent.get("parent"):
        parent = access.task(ctx, sent["parent"], "parent")
    spots = where(ctx, sent)
    tags = access.sequence_of(ctx, Tag, sent.get("tags") or [], "tags")
    caller = access.me(ctx).gid
    followers = access.people(ctx, sent["followers"], "followers") if sent.get("followers") else []
    columns = {
        **richtext.either(sent, "notes", "html_notes"), **dates(ctx, sent), **done(ctx, sent), **assigned(ctx, sent),
        **liking(ctx, sent, []),
    }  # fmt: skip
    everyone = [caller, *([columns["assignee"]] if columns.get("assignee") else []), *followers]
    task = Task(
        gid=access.new_gid(ctx), name=sent.get("name") or "", resource_subtype=sent.get("resource_subtype") or "default_task",
        workspace=workspace.gid, parent=parent.gid if parent else None, followers=list(dict.fromkeys(everyone)),
        tags=[t.gid for t in tags], external=sent.get("external"), created_by=caller, created_at=access.now(ctx),
        modified_at=access.now(ctx), place=places.under(ctx, parent.gid, "") if parent else 0.0, **columns,
    )  # fmt: skip
    here = [field for project, _ in spots for field in custom.on_project(ctx, project.gid)]
    task.custom = custom.written(ctx, task, sent.get("custom_fields") or {}, here)
    ctx.db.add(task)
    stories.happened(ctx, task, "added", parent=parent)
    for project, section in spots:
        places.put(ctx, task, project, section)
    if parent is not None:
        stories.tell(ctx, parent, "added_to_task", f"added subtask {task.name}", task=task.gid)
        stories.touched(ctx, parent)
    for tag in tags:
        stories.tell(ctx, task, "added_to_tag", f"added to {tag.name}", tag=tag.gid)
    if task.assignee:
        _tell_assigned(ctx, task)
    return task


def _tell_assigned(ctx: Ctx, task: Task) -> None:
    if task.assignee:
        person = ctx.require(User, task.assignee)
        stories.tell(ctx, task, "assigned", f"assigned to {person.name}", assignee=person.gid)
    else:
        stories.tell(ctx, task, "unassigned", "unassigned this task")


FIXED = (
    "projects", "tags", "memberships", "workspace", "followers", "dependencies", "dependents", "completed_at", "created_at", "created_by",
    "modified_at",
)  # fmt: skip


def update(ctx: Ctx, task: Task, sent: dict[str, Any]) -> None:
    """Writes the fields that were sent, and tells what changed."""
    for name in FIXED:
        if name in sent:
            raise bad(f"{name}: Cannot write this property")
    if "parent" in sent:
        raise bad("please use the setParent endpoint to change parents")
    columns = {
        **{name: sent[name] for name in ("external",) if name in sent}, **({"name": sent["name"] or ""} if "name" in sent else {}),
        **({"resource_subtype": sent["resource_subtype"]} if sent.get("resource_subtype") else {}),
        **richtext.either(sent, "notes", "html_notes"), **dates(ctx, sent, task), **done(ctx, sent, task), **assigned(ctx, sent, task),
        **liking(ctx, sent, task.likes),
    }  # fmt: skip
    values = custom.written(ctx, task, sent.get("custom_fields") or {})
    if values != task.custom:
        columns["custom"] = values
    new = {name: value for name, value in columns.items() if getattr(task, name) != value}
    if new.get("assignee") and new["assignee"] not in task.followers:
        new["followers"] = [*task.followers, new["assignee"]]
    old = {name: getattr(task, name) for name in new}
    if not new:
        return
    stories.touched(ctx, task, **new)
    _tell(ctx, task, old)


_SAID = {"notes": "notes", "due_on": "due_on", "due_at": "due_at", "start_on": "start_on", "name": "name", "completed": "completed",
         "assignee": "assignee", "custom": "custom_fields", "likes": "liked", "resource_subtype": "resource_subtype",
         "approval_status": "approval_status", "followers": "followers"}  # fmt: skip


def _tell(ctx: Ctx, task: Task, old: dict[str, Any]) -> None:
    """Stories and events of an update."""
    if "name" in old:
        text = f'changed the name to "{task.name}"'
        stories.tell(ctx, task, "name_changed", text, old_name=old["name"], new_name=task.name)
    if "notes" in old:
        stories.tell(
            ctx,
            task,
            "notes_changed",
            "changed the description",
            old_text_value=old["notes"],
            new_text_value=task.notes,
        )
    if {"due_on", "due_at", "start_on", "start_at"} & old.keys():
        text = f"changed the due date to {stories.spoken(task.due_on)}" if task.due_on else "removed the due date"
        before = {name: old.get(name, getattr(task, name)) for name in ("due_on", "due_at", "start_on")}
        after = {name: getattr(task, name) for name in ("due_on", "due_at", "start_on")}
        stories.tell(ctx, task, "due_date_changed", text, old_dates=before, new_dates=after)
    if "completed" in old:
        word = "complete" if task.completed else "incomplete"
        stories.tell(ctx, task, f"marked_{word}", f"marked this task {word}")
    if "assignee" in old:
        _tell_assigned(ctx, task)
    if old.get("approval_status") and task.approval_status:
        text = f"changed the approval status to {task.approval_status.replace('_', ' ')}"
        before = old["approval_status"]
        stories.tell(
            ctx,
            task,
            "approval_status_changed",
            text,
            old_approval_status=before,
            new_approval_status=task.approval_status,
        )
    if "custom" in old:
        _tell_fields(ctx, task, old["custom"])
    for name in old:
        if name in _SAID:
            stories.changed(ctx, task, _SAID[name])


def _dates(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """A date field's value in the words of stories."""
    return value and {"due_on": value["date"], "due_at": value["date_time"], "start_on": None}


def _tell_fields(ctx: Ctx, task: Task, old: dict[str, Any]) -> None:
    for gid in dict.fromkeys([*old, *task.custom]):
        before, after = old.get(gid), task.custom.get(gid)
        if before == after:
            continue
        field = ctx.require(CustomField, gid)
        told = custom.display(ctx, field, after)
        kind = field.resource_subtype
        values = dict[str, Any]()
        if kind in ("text", "number"):
            values = {f"old_{kind}_value": before, f"new_{kind}_value": after}
        elif kind == "enum":
            chosen = [custom.option(field, value) for value in (before, after)]
            values = dict(
                zip(("old_enum_value", "new_enum_value"), [c and custom.shown_option(c) for c in chosen], strict=True)
            )
        elif kind == "multi_enum":
            chosen = [
                [custom.shown_option(o) for v in value or [] if (o := custom.option(field, v))]
                for value in (before, after)
            ]
            values = {"old_multi_enum_values": chosen[0], "new_multi_enum_values": chosen[1]}
        elif kind == "people":
            values = {"old_people_value": before or [], "new_people_value": after or []}
        elif kind == "date":
            values = {"old_date_value": _dates(before), "new_date_value": _dates(after)}
        text = f'changed {field.name} to "{told}"' if told else f"cleared {field.name}"
        stories.tell(ctx, task, f"{kind}_custom_field_changed", text, custom_field=gid, **values)


def remove(ctx: Ctx, task: Task) -> None:
    """A task goes with its subtasks and all that hangs on it."""
    for inner in places.subtasks(ctx, task.gid):
        remove(ctx, inner)
    stories.happened(ctx, task, "deleted")
    ctx.db.delete_where(TaskProject, task=task.gid)
    for cls, name in (
        (Dependency, "task"), (Dependency, "depends_on"), (Comment, "target"), (Story, "target"), (Attachment, "parent"),
        (TimeEntry, "task"),
    ):  # fmt: skip
        ctx.db.delete_where(cls, **{name: task.gid})
    ctx.db.delete(task)


INCLUDES = (
    "assignee",
    "attachments",
    "dates",
    "dependencies",
    "followers",
    "notes",
    "parent",
    "projects",
    "subtasks",
    "tags",
)


def duplicate(
    ctx: Ctx, task: Task, name: str, include: set[str], parent: str | None = None, apart: frozenset[str] | None = None
) -> Task:
    """A copy of a task with what is to be included. Those `apart` are copied with their
    project, which also says where copies are."""
    kept: dict[str, Any] = {
        "custom": {g: v for g, v in task.custom.items() if ctx.require(CustomField, g).id_prefix is None}
    }
    for part, columns in (
        ("assignee", ("assignee", "assignee_section", "assigned_by")), ("dates", ("due_on", "due_at", "start_on", "start_at")),
        ("notes", ("notes", "html_notes")), ("tags", ("tags",)), ("followers", ("followers",)), ("parent", ("parent",)),
    ):  # fmt: skip
        if part in include:
            kept |= {column: getattr(task, column) for column in columns}
    if parent is not None:
        kept["parent"] = parent
    caller = access.me(ctx).gid
    copy = ctx.db.add(
        Task(
            **{
                "gid": access.new_gid(ctx), "name": name, "resource_subtype": task.resource_subtype, "workspace": task.workspace,
                "approval_status": "pending" if task.resource_subtype == "approval" else None, "followers": [caller], "created_by": caller,
                "created_at": access.now(ctx), "modified_at": access.now(ctx),
                "place": places.under(ctx, kept["parent"], "") if kept.get("parent") else 0.0, **kept,
            }
        )
    )  # fmt: skip
    stories.happened(ctx, copy, "added")
    stories.tell(ctx, copy, "duplicated", f"duplicated task from {task.name}", duplicated_from=task.gid)
    if "projects" in include and apart is None:
        for place in ctx.db.find(TaskProject, task=task.gid):
            places.put(ctx, copy, ctx.require(Project, place.project), ctx.require(Section, place.section))
    if "dependencies" in include:
        for link in ctx.db.find(Dependency, task=task.gid):
            ctx.db.add(Dependency(task=copy.gid, depends_on=link.depends_on))
    if "attachments" in include:
        for a in ctx.db.find(Attachment, parent=task.gid):
            ctx.db.add(
                Attachment(
                    **{**a.model_dump(), "gid": access.new_gid(ctx), "parent": copy.gid, "created_at": access.now(ctx)}
                )
            )
    if "subtasks" in include:
        for inner in places.subtasks(ctx, task.gid):
            if inner.gid not in (apart or ()):
                duplicate(ctx, inner, inner.name, include - {"parent"}, copy.gid, apart)
    return copy
