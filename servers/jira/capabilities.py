"""What Jira offers for tracking projects: canonical people, projects and tasks as users, projects and issues, and back.

Ids: a person's account id, a project's key, an issue's key.
"""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.capabilities.project_tracking import Project, ProjectTracking, Status, Task, TaskComment

from . import access, boards, models, site
from .seed import ADMINS, USERS

STATUSES: dict[Status, int] = {
    "todo": site.TO_DO,
    "in_progress": site.IN_PROGRESS,
    "in_review": site.IN_REVIEW,
    "done": site.FINISHED,
}
KINDS: dict[Any, int] = {"task": site.TASK, "bug": site.BUG, "story": site.STORY, "epic": site.EPIC}
PRIORITIES = {"highest": 1, "high": 2, "medium": 3, "low": 4}


def _back(mapping: dict[Any, int], value: int | None, default: Any) -> Any:
    return next((k for k, v in mapping.items() if v == value), default)


class JiraTracking(ProjectTracking):
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
        row = ctx.db.add(
            models.User(
                accountId=access.account_id(p.key or p.email), emailAddress=p.email, displayName=p.name, active=p.active,
                timeZone=p.time_zone, first_name=p.first_name, last_name=p.last_name, nickname=p.handle, job_title=p.title,
                department=p.department, manager=access.account_id(p.manager) if p.manager else "", phone=p.phone, city=p.city,
                country=p.country, start_date=p.start_date, admin=p.admin,
            )
        )  # fmt: skip
        for name in (USERS, *([ADMINS] if p.admin else [])):
            group = ctx.db.first(models.Group, name=name)
            assert group is not None
            ctx.db.add(models.GroupMember(groupId=group.groupId, accountId=row.accountId))
        return row.accountId

    def _project(self, ctx: Ctx, p: Project) -> str:
        row = boards.add_project(
            ctx, key=p.code, name=p.name, description=p.description, lead=ctx.ref(Person, p.lead) if p.lead else None,
            archived=p.archived, created=p.created,
        )  # fmt: skip
        for place, member in enumerate(p.members):
            ctx.db.add(models.ProjectMember(project_id=row.id, accountId=ctx.ref(Person, member), position=place))
        return row.key

    def _task(self, ctx: Ctx, t: Task) -> str:
        project = ctx.db.first(models.Project, key=ctx.ref(Project, t.project))
        parent = ctx.db.first(models.Issue, key=ctx.ref(Task, t.parent)) if t.parent else None
        assert project is not None
        kind = KINDS[t.kind]
        if parent is not None and parent.issuetype != site.EPIC and t.kind == "task":
            kind = site.SUBTASK
        reporter = ctx.ref(Person, t.reporter) if t.reporter else None
        created = t.created or project.created
        changed = max([created, t.done, *(c.at for c in t.comments)])
        last = ctx.db.first(models.Issue, order="-rank")
        row = ctx.db.add(
            models.Issue(
                id=ctx.sequence("issue", 10001), key=f"{project.key}-{t.number}", number=t.number, project_id=project.id, issuetype=kind,
                summary=t.title, description=t.body, status=STATUSES[t.status], priority=PRIORITIES[t.priority] if t.priority else None,
                resolution=site.RESOLVED if t.status == "done" else None,
                resolutiondate=(t.done or changed) if t.status == "done" else None,
                assignee=ctx.ref(Person, t.assignee) if t.assignee else None, reporter=reporter, creator=reporter, created=t.created,
                updated=changed, duedate=t.due or None, parent=parent.id if parent else None, labels=list(t.labels),
                statuscategorychangedate=t.done or created, rank=last.rank + 1 if last else 1.0,
            )
        )  # fmt: skip
        ctx.db.update(project, last_number=max(project.last_number, t.number))
        for said in t.comments:
            author = ctx.ref(Person, said.author)
            ctx.db.add(
                models.Comment(
                    id=ctx.sequence("comment", 10000), issue_id=row.id, author=author, updateAuthor=author, body=said.body, created=said.at,
                    updated=said.at,
                )
            )  # fmt: skip
        return row.key

    # View

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        """The entity that a row is the head of."""
        make = {"user": self._view_person, "project": self._view_project, "issue": self._view_task}.get(table)
        return make(ctx, row) if make else None

    def _view_person(self, ctx: Ctx, r: dict[str, Any]) -> Person:
        return Person(
            id=r["accountId"], first_name=r["first_name"], last_name=r["last_name"], email=r["emailAddress"], handle=r["nickname"],
            title=r["job_title"], department=r["department"], manager=r["manager"], phone=r["phone"], city=r["city"],
            country=r["country"], time_zone=r["timeZone"], start_date=r["start_date"], admin=bool(r["admin"]), active=bool(r["active"]),
        )  # fmt: skip

    def _view_project(self, ctx: Ctx, r: dict[str, Any]) -> Project:
        members = ctx.db.find(models.ProjectMember, project_id=r["id"], order="position")
        return Project(
            id=r["key"], name=r["name"], code=r["key"], description=r["description"], lead=r["lead"] or "",
            members=tuple(m.accountId for m in members), archived=bool(r["archived"]), created=r["created"],
        )  # fmt: skip

    def _view_task(self, ctx: Ctx, r: dict[str, Any]) -> Task:
        project, parent = ctx.db.get(models.Project, r["project_id"]), ctx.db.get(models.Issue, r["parent"])
        said = ctx.db.find(models.Comment, issue_id=r["id"], order="created,id")
        return Task(
            id=r["key"], project=project.key if project else "", number=r["number"], title=r["summary"], body=r["description"],
            kind=_back(KINDS, r["issuetype"], "task"), status=_back(STATUSES, r["status"], "todo"),
            priority="" if r["priority"] is None else _back(PRIORITIES, r["priority"], "low"), assignee=r["assignee"] or "",
            reporter=r["reporter"] or "", due=r["duedate"] or "", labels=tuple(r["labels"]), parent=parent.key if parent else "",
            comments=tuple(TaskComment(author=c.author or "", at=c.created, body=c.body) for c in said), created=r["created"],
            done=r["resolutiondate"] or "",
        )  # fmt: skip

    # Verbs

    def list_projects(self) -> Plan:
        yield call("search_projects")

    def list_tasks(self, project_id: str) -> Plan:
        jql = f'project = "{project_id}" ORDER BY key ASC'
        reply = yield call("search", jql=jql, limit=50)
        while not reply["isLast"]:
            reply = yield call("search", jql=jql, limit=50, page_token=reply["nextPageToken"])

    def get_task(self, task_id: str) -> Plan:
        yield call("get_issue", issue_key=task_id)

    def create_task(self, project_id: str, title: str, body: str = "") -> Plan:
        said = {"description": body} if body else {}
        yield call("create_issue", project_key=project_id, summary=title, issue_type="Task", **said)

    def update_task(self, task_id: str, **changes: Any) -> Plan:
        names = {"title": "summary", "body": "description", "due": "duedate"}
        fields = {names[name]: value or None if name == "due" else value for name, value in changes.items()}
        yield call("update_issue", issue_key=task_id, fields=fields)

    def complete_task(self, task_id: str) -> Plan:
        reply = yield call("get_transitions", issue_key=task_id, expand="transitions.fields")
        closing = [t for t in reply["transitions"] if t["to"]["statusCategory"]["key"] == "done"]
        for step in closing[:1]:
            asked = {"resolution": "Done"} if step.get("hasScreen") else {}
            yield call("transition_issue", issue_key=task_id, transition_id=step["id"], **asked)

    def list_people(self, project_id: str) -> Plan:
        at, full = 0, 50
        found = yield call("search_assignable_users", project_key=project_id, limit=full)
        while len(_rows(found)) == full:
            at += full
            found = yield call("search_assignable_users", project_key=project_id, start_at=at, limit=full)

    def create_project(self, name: str, code: str) -> Plan:
        yield call("create_project", key=code, name=name)

    def comment(self, task_id: str, body: str) -> Plan:
        yield call("add_comment", issue_key=task_id, body=body)

    def assign_task(self, task_id: str, person_id: str) -> Plan:
        yield call("assign_issue", issue_key=task_id, assignee=person_id)

    def delete_task(self, task_id: str) -> Plan:
        yield call("delete_issue", issue_key=task_id)


def _rows(reply: Any) -> list[Any]:
    """The members of a list, which MCP carries as `result`."""
    return reply["result"] if isinstance(reply, dict) else reply


provides = {"project_tracking": JiraTracking()}
