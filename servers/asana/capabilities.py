"""What Asana offers for tracking projects: people, projects and tasks as users, projects and tasks, and back.

A project has the sections To Do, In Progress, In Review and Done, and three custom fields: "Priority", "Task type" (for bugs, stories
and epics) and an ID, whose prefix is the project's code. Labels are tags. Done is what is completed; what is not, stands where its
section says.
"""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, ProjectTracking, Status, Task, TaskComment

from . import access, custom, models, places
from .seed import KIND, KINDS, PRIORITIES, PRIORITY
from .tools.users import join_workspace

SECTIONS: dict[Status, str] = {"todo": "To Do", "in_progress": "In Progress", "in_review": "In Review", "done": "Done"}
COLORS = (
    "light-green",
    "dark-blue",
    "dark-orange",
    "dark-purple",
    "light-red",
    "dark-teal",
    "light-pink",
    "dark-brown",
)


class AsanaTracking(ProjectTracking):
    """Fill, view and verbs."""

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        """Writes the entity with its own dates."""
        if isinstance(entity, Person):
            return self._person(ctx, entity)
        if isinstance(entity, Project):
            return self._project(ctx, entity)
        assert isinstance(entity, Task)
        return self._task(ctx, entity)

    def _person(self, ctx: Ctx, p: Person) -> str:
        place = access.workspace(ctx)
        row = ctx.db.add(
            models.User(
                gid=access.new_gid(ctx), name=p.name, last_name=p.last_name, email=p.email.lower(), title=p.title, department=p.department
            )
        )  # fmt: skip
        since = access.millis(f"{p.start_date}T09:00:00Z") if p.start_date else ""
        join_workspace(ctx, row, place, created=since, is_active=p.active, is_admin=p.admin)
        if p.active:
            names = [place.name, *([p.department] if p.department and p.department != place.name else [])]
            for name in names:
                team = ctx.db.first(models.Team, name=name)
                if team is None:
                    team = ctx.db.add(models.Team(gid=access.new_gid(ctx), name=name, workspace=place.gid))
                ctx.db.add(
                    models.TeamMembership(gid=access.new_gid(ctx), team=team.gid, user=row.gid, is_admin=p.admin)
                )
        return row.gid

    def _project(self, ctx: Ctx, p: Project) -> str:
        place = access.workspace(ctx)
        team = ctx.db.first(models.Team, name=place.name)
        owner = ctx.ref(Person, p.lead) if p.lead else None
        at = access.millis(p.created) or access.now(ctx)
        members = [ctx.ref(Person, key) for key in p.members]
        row = ctx.db.add(
            models.Project(
                gid=access.new_gid(ctx), name=p.name, notes=p.description, archived=p.archived, team=team.gid if team else None,
                workspace=place.gid, owner=owner, followers=members, created_at=at, modified_at=at, default_view="board", icon="board",
                color=COLORS[ctx.db.count(models.Project) % len(COLORS)],
            )
        )  # fmt: skip
        for n, user in enumerate(members):
            level = "admin" if user == owner else "editor"
            ctx.db.add(
                models.Membership(
                    gid=access.new_gid(ctx),
                    parent=row.gid,
                    kind="project",
                    member=user,
                    access_level=level,
                    place=float(n),
                )
            )
        for n, name in enumerate(SECTIONS.values(), start=1):
            ctx.db.add(
                models.Section(
                    gid=access.new_gid(ctx), name=name, project=row.gid, place=n * access.STEP, created_at=at
                )
            )
        number = ctx.db.add(
            models.CustomField(
                gid=access.new_gid(ctx), name="ID", resource_subtype="text", id_prefix=p.code, is_global_to_workspace=False,
                workspace=place.gid, created_by=owner,
            )
        )  # fmt: skip
        fields = [number, *ctx.db.find(models.CustomField, name__in=[PRIORITY, KIND], order="-name")]
        for n, field in enumerate(fields):
            ctx.db.add(
                models.CustomFieldSetting(
                    gid=access.new_gid(ctx),
                    parent=row.gid,
                    kind="project",
                    custom_field=field.gid,
                    is_important=n == 0,
                    place=float(n),
                )
            )
        return row.gid

    def _task(self, ctx: Ctx, t: Task) -> str:
        project = ctx.require(models.Project, ctx.ref(Project, t.project))
        section = ctx.db.first(models.Section, project=project.gid, name=SECTIONS[t.status])
        assert section is not None
        made = access.millis(t.created) or access.now(ctx)
        author = ctx.ref(Person, t.reporter) if t.reporter else None
        assignee = ctx.ref(Person, t.assignee) if t.assignee else None
        finished = t.status == "done"
        done = (access.millis(t.done) or made) if finished else None
        said = [(ctx.ref(Person, c.author), access.millis(c.at), c.body) for c in t.comments]
        involved = [author, assignee, *(user for user, _, _ in said)]
        parent = ctx.ref(Task, t.parent) if t.parent else None
        row = ctx.db.add(
            models.Task(
                gid=access.new_gid(ctx), name=t.title, notes=t.body, completed=finished, completed_at=done,
                completed_by=assignee or author if finished else None, assignee=assignee, assigned_by=author if assignee else None,
                assignee_section=_inbox(ctx, assignee), due_on=t.due or None, parent=parent, workspace=project.workspace,
                place=places.under(ctx, parent, "") if parent else 0.0, followers=list(dict.fromkeys(u for u in involved if u)),
                tags=[_tag(ctx, label, project.workspace, made) for label in t.labels], custom=_values(ctx, project.gid, t),
                created_by=author, created_at=made, modified_at=max([made, done or "", *(at for _, at, _ in said)]),
            )
        )  # fmt: skip
        spots = [(p.task, p.place) for p in places.tasks_in_section(ctx, section.gid)]
        ctx.db.add(
            models.TaskProject(
                task=row.gid, project=project.gid, section=section.gid, place=access.between(spots, None, None) or 0.0
            )
        )
        _story(ctx, row.gid, "added_to_project", f"added to {project.name}", author, made, project=project.gid)
        if assignee:
            name = ctx.require(models.User, assignee).name
            _story(ctx, row.gid, "assigned", f"assigned to {name}", author, made, assignee=assignee)
        for user, at, body in said:
            ctx.db.add(
                models.Comment(
                    gid=access.new_gid(ctx),
                    target=row.gid,
                    text=body,
                    created_by=user,
                    created_at=at,
                    n=access.story_number(ctx),
                )
            )
        if done:
            _story(ctx, row.gid, "marked_complete", "marked this task complete", row.completed_by, done)
        return row.gid

    # View

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        """The entity that a row is the head of."""
        make = {"user": self._view_person, "project": self._view_project, "task": self._view_task}.get(table)
        return make(ctx, row) if make else None

    def _view_person(self, ctx: Ctx, r: dict[str, Any]) -> Person:
        family = r["last_name"] if r["name"].endswith(f" {r['last_name']}") else r["name"].rpartition(" ")[2]
        member = ctx.db.first(models.WorkspaceMembership, user=r["gid"])
        return Person(
            id=r["gid"], first_name=r["name"].removesuffix(family).strip(), last_name=family, email=r["email"], handle="", title=r["title"],
            department=r["department"], admin=bool(member and member.is_admin), active=bool(member and member.is_active),
        )  # fmt: skip

    def _view_project(self, ctx: Ctx, r: dict[str, Any]) -> Project:
        members = ctx.db.find(models.Membership, parent=r["gid"], order="place,gid")
        number = _id_field(ctx, r["gid"])
        return Project(
            id=r["gid"], name=r["name"], code=(number.id_prefix or "") if number else "", description=r["notes"], lead=r["owner"] or "",
            members=tuple(m.member for m in members), archived=bool(r["archived"]), created=_seconds(r["created_at"]),
        )  # fmt: skip

    def _view_task(self, ctx: Ctx, r: dict[str, Any]) -> Task:
        place = ctx.db.first(models.TaskProject, task=r["gid"])
        section = ctx.db.get(models.Section, place.section) if place else None
        status: Any = (
            "done"
            if r["completed"]
            else next((s for s, name in SECTIONS.items() if section and section.name == name), "todo")
        )
        if status == "done" and not r["completed"]:
            status = "in_review"
        number = _id_field(ctx, place.project) if place else None
        told = str(r["custom"].get(number.gid, "")).rpartition("-")[2] if number else ""
        said = ctx.db.find(models.Comment, target=r["gid"], order="created_at,n")
        tags = [ctx.require(models.Tag, gid).name for gid in r["tags"]]
        kind: Any = _choice(ctx, r["custom"], KIND, KINDS) or "task"
        priority: Any = _choice(ctx, r["custom"], PRIORITY, PRIORITIES)
        return Task(
            id=r["gid"], project=place.project if place else "", number=int(told) if told.isdigit() else 0, title=r["name"],
            body=r["notes"], kind=kind, status=status, priority=priority, assignee=r["assignee"] or "", reporter=r["created_by"] or "",
            due=r["due_on"] or "", labels=tuple(tags), parent=r["parent"] or "",
            comments=tuple(TaskComment(author=c.created_by, at=_seconds(c.created_at), body=c.text) for c in said),
            created=_seconds(r["created_at"]), done=_seconds(r["completed_at"]),
        )  # fmt: skip

    # Verbs

    def list_projects(self) -> Plan:
        found = yield call("get_workspaces")
        for workspace in found["data"]:
            reply = yield call("get_projects", workspace=workspace["gid"], limit=100)
            while reply["next_page"]:
                offset = reply["next_page"]["offset"]
                reply = yield call("get_projects", workspace=workspace["gid"], limit=100, offset=offset)

    def list_tasks(self, project_id: str) -> Plan:
        fields = "name,completed,assignee.name,due_on,memberships.section.name"
        reply = yield call("get_tasks_for_project", project_gid=project_id, opt_fields=fields)
        while reply["next_page"]:
            offset = reply["next_page"]["offset"]
            reply = yield call("get_tasks_for_project", project_gid=project_id, opt_fields=fields, offset=offset)

    def get_task(self, task_id: str) -> Plan:
        yield call("get_task", task_gid=task_id)
        yield call("get_stories_for_task", task_gid=task_id)

    def create_task(self, project_id: str, title: str, body: str = "") -> Plan:
        yield call("create_task", name=title, projects=[project_id], **({"notes": body} if body else {}))

    def update_task(self, task_id: str, **changes: Any) -> Plan:
        names = {"title": "name", "body": "notes", "due": "due_on"}
        yield call(
            "update_task", task_gid=task_id, **{names[k]: v or None if k == "due" else v for k, v in changes.items()}
        )

    def complete_task(self, task_id: str) -> Plan:
        reply = yield call(
            "update_task", task_gid=task_id, completed=True, opt_fields="memberships.project,memberships.section.name"
        )
        for place in reply["data"]["memberships"]:
            found = yield call("get_sections_for_project", project_gid=place["project"]["gid"])
            done = next((s for s in found["data"] if s["name"] == SECTIONS["done"]), None)
            if done and place["section"]["name"] != done["name"]:
                yield call("add_task_to_section", section_gid=done["gid"], task=task_id)

    def list_people(self, project_id: str) -> Plan:
        place = (yield call("get_project", project_gid=project_id, opt_fields="workspace"))["data"]["workspace"]["gid"]
        reply = yield call("get_users_for_workspace", workspace_gid=place, limit=100, opt_fields="name,email")
        while reply["next_page"]:
            offset = reply["next_page"]["offset"]
            reply = yield call(
                "get_users_for_workspace", workspace_gid=place, limit=100, offset=offset, opt_fields="name,email"
            )

    def create_project(self, name: str, code: str) -> Plan:
        workspace = (yield call("get_workspaces"))["data"][0]
        teams = (yield call("get_teams_for_workspace", workspace_gid=workspace["gid"]))["data"]
        team = next((t for t in teams if t["name"] == workspace["name"]), teams[0])
        made = (
            yield call("create_project", name=name, workspace=workspace["gid"], team=team["gid"], default_view="board")
        )["data"]
        found = (yield call("get_sections_for_project", project_gid=made["gid"]))["data"]
        first, *rest = SECTIONS.values()
        yield call("update_section", section_gid=found[0]["gid"], name=first)
        for title in rest:
            yield call("create_section", project_gid=made["gid"], name=title)

    def comment(self, task_id: str, body: str) -> Plan:
        yield call("create_story_for_task", task_gid=task_id, text=body)

    def assign_task(self, task_id: str, person_id: str) -> Plan:
        yield call("update_task", task_gid=task_id, assignee=person_id)

    def delete_task(self, task_id: str) -> Plan:
        yield call("delete_task", task_gid=task_id)


def _inbox(ctx: Ctx, user: str | None) -> str | None:
    mine = ctx.db.first(models.UserTaskList, user=user) if user else None
    rows = places.sections(ctx, mine.gid) if mine else []
    return rows[0].gid if rows else None


def _tag(ctx: Ctx, name: str, workspace: str, at: str) -> str:
    found = ctx.db.first(models.Tag, name=name)
    return (found or ctx.db.add(models.Tag(gid=access.new_gid(ctx), name=name, workspace=workspace, created_at=at))).gid


def _id_field(ctx: Ctx, project: str) -> models.CustomField | None:
    return next((f for f in custom.on_project(ctx, project) if f.id_prefix is not None), None)


def _values(ctx: Ctx, project: str, t: Task) -> dict[str, Any]:
    """A task's values of its project's custom fields."""
    made, number = dict[str, Any](), _id_field(ctx, project)
    if number is not None:
        made[number.gid] = f"{number.id_prefix}-{t.number}"
        ctx.db.update(number, last_number=max(number.last_number, t.number))
    for field, options, value in ((PRIORITY, PRIORITIES, t.priority), (KIND, KINDS, t.kind)):
        row = ctx.db.first(models.CustomField, name=field)
        if row is not None and value in options:
            made[row.gid] = next(o["gid"] for o in row.enum_options if o["name"] == options[value][0])
    return made


def _choice(ctx: Ctx, values: dict[str, Any], field: str, options: dict[str, tuple[str, str]]) -> str:
    row = ctx.db.first(models.CustomField, name=field)
    chosen = custom.option(row, values.get(row.gid)) if row else None
    return next((key for key, (name, _) in options.items() if chosen and chosen["name"] == name), "")


def _story(ctx: Ctx, task: str, subtype: str, text: str, author: str | None, at: str, **data: Any) -> None:
    ctx.db.add(
        models.Story(
            gid=access.new_gid(ctx),
            target=task,
            resource_subtype=subtype,
            text=text,
            created_by=author,
            created_at=at,
            n=access.story_number(ctx),
            data=data,
        )
    )


def _seconds(moment: str | None) -> str:
    return (moment or "").replace(".000Z", "Z")


provides = {"project_tracking": AsanaTracking()}
