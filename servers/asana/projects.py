"""What writing to a project means."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import access, custom, places, richtext, stories, tasks
from .app import bad
from .models import (
    Attachment,
    CustomFieldSetting,
    Membership,
    PortfolioItem,
    Project,
    Section,
    StatusUpdate,
    Task,
    TaskProject,
    Team,
)  # fmt: skip

PLAIN = ("name", "archived", "color", "icon", "default_view", "privacy_setting", "default_access_level")
INCLUDES = (
    "allocations", "custom_fields", "forms", "goals", "members", "notes", "permissions", "portfolios", "task_assignee", "task_attachments",
    "task_dates", "task_dependencies", "task_followers", "task_notes", "task_projects", "task_subtasks", "task_tags", "task_templates",
    "task_type_default",
)  # fmt: skip


def columns(ctx: Ctx, sent: dict[str, Any], row: Project | None = None) -> dict[str, Any]:
    """The columns that the fields of a request set."""
    made = {name: sent[name] for name in PLAIN if sent.get(name) is not None}
    for name in ("color", "icon"):
        if name in sent:
            made[name] = None if sent[name] == "none" else sent[name]
    if "public" in sent and "privacy_setting" not in sent and sent["public"] is not None:
        made["privacy_setting"] = "public_to_workspace" if sent["public"] else "private_to_team"
    made |= richtext.either(sent, "notes", "html_notes")
    if "due_date" in sent and "due_on" not in sent:
        sent = {**sent, "due_on": sent["due_date"]}
    for name in ("due_on", "start_on"):
        if name in sent:
            made[name] = access.day(sent[name], name)
    due, start = (made.get(name, getattr(row, name) if row else None) for name in ("due_on", "start_on"))
    if start and (not due or start > due):
        raise bad("start_on: A project with a start date needs a due date that is not before it")
    if "owner" in sent:
        made["owner"] = access.person(ctx, sent["owner"], "owner").gid if sent["owner"] else None
    if sent.get("completed") is not None and sent["completed"] != (row.completed if row else False):
        done = sent["completed"]
        made |= {
            "completed": done, "completed_at": access.now(ctx) if done else None, "completed_by": access.me(ctx).gid if done else None,
        }  # fmt: skip
    return made


def team_of(ctx: Ctx, sent: dict[str, Any]) -> Team:
    """The team of a new project; projects of an organization have one."""
    if sent.get("workspace"):
        access.in_workspace(ctx, sent["workspace"])
    if not sent.get("team"):
        if not sent.get("workspace"):
            raise bad("workspace: Missing input")
        raise bad("Missing required team field")
    return access.named(ctx, Team, sent["team"], "team")


def create(ctx: Ctx, sent: dict[str, Any], team: Team) -> Project:
    """A new project, with its caller as a member and one section."""
    if not (sent.get("name") or "").strip():
        raise bad("name: Missing input")
    caller, made = access.me(ctx).gid, columns(ctx, sent)
    followers = access.people(ctx, sent["followers"], "followers") if sent.get("followers") else []
    row = ctx.db.add(
        Project(
            **{
                "gid": access.new_gid(ctx), "team": team.gid, "workspace": team.workspace, "owner": caller, "created_at": access.now(ctx),
                "modified_at": access.now(ctx), "followers": list(dict.fromkeys([caller, *followers])), **made,
            }
        )
    )  # fmt: skip
    for user in list[str](dict.fromkeys([caller, row.owner or caller, *followers])):
        join(ctx, row, user, "admin" if user in (caller, row.owner) else "editor")
    places.new_section(ctx, row.gid, places.UNTITLED)
    if sent.get("custom_fields"):
        ctx.db.update(row, custom=custom.written(ctx, row, sent["custom_fields"]))
    stories.happened(ctx, row, "added")
    return row


def update(ctx: Ctx, row: Project, sent: dict[str, Any]) -> None:
    for name in ("followers", "members", "workspace", "created_at", "modified_at"):
        if name in sent:
            raise bad(f"{name}: Cannot write this property")
    if "name" in sent and not (sent["name"] or "").strip():
        raise bad("name: Missing input")
    if "team" in sent and sent["team"] is not None:
        sent = {**sent, "team": access.named(ctx, Team, sent["team"], "team").gid}
    made = {**columns(ctx, sent, row), **({"team": sent["team"]} if sent.get("team") else {})}
    if sent.get("custom_fields"):
        made["custom"] = custom.written(ctx, row, sent["custom_fields"])
    new = {name: value for name, value in made.items() if getattr(row, name) != value}
    if not new:
        return
    stories.touched(ctx, row, **new)
    if new.get("owner"):
        join(ctx, row, new["owner"], "admin")
    for name in new:
        stories.changed(ctx, row, name)


def join(ctx: Ctx, row: Any, user: str, level: Any, kind: Any = "project") -> Membership:
    """A member; who is one already gets no second membership."""
    found = ctx.db.first(Membership, parent=row.gid, member=user)
    if found is not None:
        return found
    place = float(ctx.db.count(Membership, parent=row.gid))
    return ctx.db.add(
        Membership(gid=access.new_gid(ctx), parent=row.gid, kind=kind, member=user, access_level=level, place=place)
    )


def remove(ctx: Ctx, row: Project) -> None:
    """A project goes with its sections; its tasks stay where else they are."""
    stories.happened(ctx, row, "deleted")
    for cls, name in (
        (TaskProject, "project"), (Section, "project"), (Membership, "parent"), (CustomFieldSetting, "parent"), (StatusUpdate, "parent"),
        (PortfolioItem, "project"), (Attachment, "parent"),
    ):  # fmt: skip
        ctx.db.delete_where(cls, **{name: row.gid})
    ctx.db.delete(row)


def duplicate(ctx: Ctx, row: Project, name: str, include: set[str], team: str | None) -> Project:
    """A copy of a project: its sections and tasks, and what is to be included."""
    caller = access.me(ctx).gid
    kept = {
        c: getattr(row, c)
        for c in ("color", "icon", "default_view", "privacy_setting", "default_access_level", "workspace")
    }
    if "notes" in include:
        kept |= {"notes": row.notes, "html_notes": row.html_notes}
    copy = ctx.db.add(
        Project(
            gid=access.new_gid(ctx), name=name, team=team or row.team, owner=caller, created_at=access.now(ctx),
            modified_at=access.now(ctx), followers=[caller], **kept,
        )
    )  # fmt: skip
    join(ctx, copy, caller, "admin")
    if "members" in include:
        for member in ctx.db.find(Membership, parent=row.gid, order="place,gid"):
            join(ctx, copy, member.member, member.access_level)
    for setting in custom.settings(ctx, row.gid):  # an ID field is one project's own
        if ctx.require(custom.CustomField, setting.custom_field).id_prefix is None:
            ctx.db.add(CustomFieldSetting(**{**setting.model_dump(), "gid": access.new_gid(ctx), "parent": copy.gid}))
    sections = {s.gid: places.new_section(ctx, copy.gid, s.name) for s in places.sections(ctx, row.gid)}
    parts = {part.removeprefix("task_") for part in include if part.startswith("task_")} & set(tasks.INCLUDES)
    made = dict[str, Task]()
    rows = places.tasks_in_project(ctx, row.gid)
    apart = frozenset(task.gid for task in rows)
    for task in rows:
        place = ctx.require(TaskProject, (task.gid, row.gid))
        made[task.gid] = tasks.duplicate(ctx, task, task.name, parts - {"dependencies"}, apart=apart)
        places.put(ctx, made[task.gid], copy, sections[place.section])
        if "projects" in parts:
            for other in ctx.db.find(TaskProject, task=task.gid, project__ne=row.gid):
                places.put(
                    ctx, made[task.gid], ctx.require(Project, other.project), ctx.require(Section, other.section)
                )
    for task in rows if "subtasks" in parts else ():
        if task.parent in made:
            above = made[task.parent].gid
            ctx.db.update(made[task.gid], parent=above, place=places.under(ctx, above, made[task.gid].gid))
    if "dependencies" in parts:
        for old, new in made.items():
            for link in ctx.db.find(tasks.Dependency, task=old):
                target = made[link.depends_on].gid if link.depends_on in made else link.depends_on
                ctx.db.add(tasks.Dependency(task=new.gid, depends_on=target))
    stories.happened(ctx, copy, "added")
    return copy
