"""Creating, editing, moving and deleting issues: `fields` and `update` as every endpoint takes them."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import access, agents, discussion, fields, history, linking, site, times, values, worktime
from .app import refuse, refuse_fields
from .models import (
    Attachment,
    Changelog,
    Comment,
    Issue,
    IssueLink,
    IssueProperty,
    Project,
    RemoteLink,
    Vote,
    Watcher,
    Worklog,
)
from .values import Bad, Columns, Draft

NOT_ON_SCREEN = "Field '{}' cannot be set. It is not on the appropriate screen, or unknown."
_LISTS = {"labels", "components", "fixVersions", "versions"}
_DETAILS = (Comment, Worklog, RemoteLink, Attachment, Watcher, Vote, IssueProperty, Changelog)
_WITH_ANY_STEP = ("comment", "worklog", "issuelinks")
RANK_STEP = 1.0


class Update:
    """What `fields` and `update` ask for: columns to set, and comments, work and links to add once the issue is written."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.columns = Columns()
        self.errors = dict[str, str]()
        self.later = list[tuple[str, dict[str, Any]]]()

    def read(self, given: Any, update: Any) -> "Update":
        for name, what in (("fields", given), ("update", update)):
            if what is not None and not isinstance(what, dict):
                raise refuse(400, f"'{name}' must be an object")
        both = set(given or {}) & set(update or {})
        for name in sorted(both):
            self.errors[name] = f"Field '{name}' cannot appear in both 'fields' and 'update'"
        for name, value in (given or {}).items():
            if name not in both:
                self._set(name, value)
        for name, verbs in (update or {}).items():
            if name not in both:
                self._verbs(name, verbs)
        return self

    def _set(self, name: str, value: Any) -> None:
        reader = values.READERS.get(name)
        if reader is None:
            self.errors[name] = NOT_ON_SCREEN.format(name) + self._hint(name, False)
            return
        try:
            self.columns |= reader(self.draft, value)
        except Bad as bad:
            self.errors["parentId" if name == "parent" else name] = str(bad) + self._hint(name)

    def _hint(self, name: str, known: bool = True) -> str:
        return agents.hint(self.draft.ctx, self.draft.project, name, known)

    def _verbs(self, name: str, verbs: Any) -> None:
        spec = fields.BY_ID.get(name)
        if spec is None or not spec.verbs:
            self.errors[name] = NOT_ON_SCREEN.format(name) + self._hint(name, False)
            return
        if not isinstance(verbs, list) or not all(isinstance(v, dict) and len(v) == 1 for v in verbs):
            self.errors[name] = "expected an array of operations"
            return
        for entry in verbs:
            verb, value = next(iter(entry.items()))
            if verb not in spec.verbs:
                known = ", ".join(spec.verbs)
                self.errors[name] = (
                    f"Field with id '{name}' and name '{spec.name}' does not support operation '{verb}' "
                    f"Supported operation(s) are: '{known}'"
                )
            elif name in _LISTS and verb != "set":
                self._change_list(name, verb, value)
            elif name in ("comment", "worklog", "issuelinks"):
                self._later(name, verb, value)
            else:
                self._set(name, value)

    def _change_list(self, name: str, verb: str, value: Any) -> None:
        try:
            one = values.label(value) if name == "labels" else values.part(self.draft, name, value)
        except Bad as bad:
            self.errors[name] = str(bad) + self._hint(name)
            return
        held = self.columns.get(name, getattr(self.draft.issue, name) if self.draft.issue else [])
        kept = [v for v in held if v != one]
        made = kept if verb == "remove" else [*kept, one] if one not in held else list(held)
        self.columns[name] = sorted(made) if name == "labels" else made

    def _later(self, name: str, verb: str, value: Any) -> None:
        if isinstance(value, dict):
            self.later.append((f"{name}.{verb}", value))
        else:
            self.errors[name] = "data was not an object"

    def check(self) -> None:
        if self.errors:
            raise refuse_fields(self.errors)

    def finish(self, issue: Issue) -> None:
        """What is written beside the issue."""
        ctx = self.draft.ctx
        for what, value in self.later:
            if what == "comment.add":
                discussion.add(ctx, issue, value.get("body"), value.get("visibility"))
            elif what == "comment.edit":
                comment = discussion.find(ctx, issue, value.get("id"))
                discussion.edit(ctx, issue, comment, value.get("body"), value.get("visibility"))
            elif what == "comment.remove":
                discussion.remove(ctx, issue, discussion.find(ctx, issue, value.get("id")))
            elif what == "worklog.add":
                worktime.add(ctx, issue, value)
            else:
                linking.from_update(ctx, issue, value)


# Creating


def _project_of(ctx: Ctx, given: Any, errors: dict[str, str]) -> Project | None:
    name = given.get("id", given.get("key")) if isinstance(given, dict) else None
    found = access.project_or_none(ctx, name) if isinstance(name, (str, int)) else None
    if found is None:
        errors["project"] = "Specify a valid project ID or key"
    return found


def create(ctx: Ctx, given: Any, update: Any = None) -> Issue:
    """A new issue in its workflow's first status."""
    if given is not None and not isinstance(given, dict):
        raise refuse(400, "'fields' must be an object")
    rest, errors = dict(given or {}), dict[str, str]()
    project = _project_of(ctx, rest.pop("project", None), errors)
    kind = _kind_of(rest, errors)
    if project is not None and kind is None:
        errors["issuetype"] += agents.hint(ctx, project, "issuetype", True)
    if project is None or kind is None:
        if not isinstance(rest.get("summary"), str) or not rest["summary"].strip():
            errors["summary"] = "You must specify a summary of the issue."
        raise refuse_fields(errors)
    if project.archived:
        raise refuse_fields({"project": "You cannot create issues in an archived project."})
    asked = Update(Draft(ctx, None, project, kind)).read({k: v for k, v in rest.items() if k != "issuetype"}, update)
    if "summary" not in asked.columns and "summary" not in asked.errors:
        asked.errors["summary"] = "You must specify a summary of the issue."
    if kind == site.SUBTASK and asked.columns.get("parent") is None and "parentId" not in asked.errors:
        asked.errors["issuetype"] = "Issue type is a sub-task but parent issue key or id not specified."
    asked.check()
    made = insert(ctx, project, kind, asked.columns)
    asked.finish(made)
    return made


def _kind_of(rest: dict[str, Any], errors: dict[str, str]) -> int | None:
    if rest.get("issuetype") is None:
        errors["issuetype"] = "Specify an issue type"
        return None
    try:
        return values.issue_type(rest["issuetype"])
    except Bad as bad:
        errors["issuetype"] = str(bad)
        return None


def insert(ctx: Ctx, project: Project, kind: int, columns: Columns) -> Issue:
    """Writes a new issue with the project's next number."""
    caller, now = access.me(ctx).accountId, times.moment(ctx.now)
    draft = Draft(ctx, None, project, kind)
    given: Columns = {
        "assignee": values.automatic(draft),
        "reporter": caller,
        "priority": site.DEFAULT_PRIORITY,
        **columns,
    }
    last = ctx.db.first(Issue, order="-rank")
    number = project.last_number + 1
    ctx.db.update(project, last_number=number)
    return ctx.db.add(
        Issue(
            id=ctx.sequence("issue", 10001), key=f"{project.key}-{number}", number=number, project_id=project.id, issuetype=kind,
            status=site.TO_DO, creator=caller, created=now, updated=now, statuscategorychangedate=now,
            rank=last.rank + RANK_STEP if last else RANK_STEP, **given,
        )
    )  # fmt: skip


# Editing


def edit(ctx: Ctx, issue: Issue, given: Any, update: Any) -> Issue:
    """Changes fields of an issue; status and resolution change by transitions alone."""
    project = ctx.require(Project, issue.project_id)
    kind = issue.issuetype
    if isinstance(given, dict) and isinstance(given.get("issuetype"), dict):
        found = site.named(site.KINDS, given["issuetype"].get("id", given["issuetype"].get("name")))
        kind = found.id if found else kind
    rest = {k: v for k, v in given.items() if k != "project"} if isinstance(given, dict) else given
    if isinstance(given, dict) and "project" in given:
        return move(ctx, issue, given["project"], rest, update)
    asked = Update(Draft(ctx, issue, project, kind)).read(rest, update)
    _keep_hierarchy(ctx, issue, kind, asked)
    asked.check()
    history.change(ctx, issue, asked.columns)
    asked.finish(issue)
    return issue


def _keep_hierarchy(ctx: Ctx, issue: Issue, kind: int, asked: Update) -> None:
    """An issue that changes its level leaves no parent or child behind on the wrong one."""
    if site.KINDS[kind].level == site.KINDS[issue.issuetype].level or asked.errors:
        return
    if ctx.db.count(Issue, parent=issue.id):
        asked.errors["issuetype"] = "The issue type selected is invalid. The issue has child issues."
    elif issue.parent and "parent" not in asked.columns:
        asked.columns["parent"] = None


def move(ctx: Ctx, issue: Issue, target: Any, given: Any, update: Any) -> Issue:
    """To another project: a new key there; what belongs to the old project alone is dropped."""
    errors = dict[str, str]()
    project = _project_of(ctx, target, errors)
    if project is None:
        raise refuse_fields(errors)
    if project.id == issue.project_id:
        return edit(ctx, issue, given or {}, update)
    if issue.issuetype == site.SUBTASK or any(
        child.issuetype == site.SUBTASK for child in ctx.db.find(Issue, parent=issue.id)
    ):
        raise refuse_fields(
            {"project": "Sub-tasks move with their parents; move the parent issue without its sub-tasks."}
        )
    if project.archived:
        raise refuse_fields({"project": "You cannot move issues to an archived project."})
    asked = Update(Draft(ctx, issue, project, issue.issuetype)).read(given or {}, update)
    asked.check()
    number = project.last_number + 1
    ctx.db.update(project, last_number=number)
    dropped: Columns = {"components": [], "fixVersions": [], "versions": [], "sprints": []}
    moved: Columns = {"project_id": project.id, "number": number, "key": f"{project.key}-{number}"}
    history.change(ctx, issue, dropped | asked.columns | moved)
    asked.finish(issue)
    return issue


def assign(ctx: Ctx, issue: Issue, value: Any) -> Issue:
    draft = Draft(ctx, issue, ctx.require(Project, issue.project_id), issue.issuetype)
    try:
        return history.change(ctx, issue, values.assignee(draft, value))
    except Bad as bad:
        raise refuse_fields({"assignee": str(bad)}) from None


def transition(ctx: Ctx, issue: Issue, wanted: Any, given: Any = None, update: Any = None) -> site.Transition:
    """Takes the issue along a transition that its workflow offers from where it stands."""
    step = next((t for t in site.workflow(issue.issuetype) if str(t.id) == str(wanted)), None)
    if step is None or issue.status not in step.origins:
        raise refuse(
            400,
            "It seems that you have tried to perform a workflow operation (transition) that is not valid for the current state of this"
            f" issue. Transition id '{wanted}' is not valid for this issue.{agents.steps(ctx, issue)}",
        )
    rest = dict(given) if isinstance(given, dict) else given
    resolution, errors = _resolution(step, rest), dict[str, str]()
    project = ctx.require(Project, issue.project_id)
    if isinstance(resolution, str):
        errors["resolution"] = resolution + agents.hint(ctx, project, "resolution", bool(step.resolution))
    draft = Draft(ctx, issue, project, issue.issuetype)
    asked = Update(draft).read(rest, update)
    elsewhere = [name for name in (*(rest or {}), *(update or {})) if name not in _WITH_ANY_STEP]
    asked.errors |= {name: NOT_ON_SCREEN.format(name) + agents.elsewhere(ctx) for name in elsewhere} | errors
    asked.check()
    now = times.moment(ctx.now)
    to, was = site.STATUSES[step.to], site.STATUSES[issue.status]
    closed = to.category is site.DONE
    changes: Columns = {"status": step.to, "resolution": resolution if closed else None, **asked.columns}
    changes["resolutiondate"] = now if closed else None
    if to.category is not was.category:
        changes["statuscategorychangedate"] = now
    history.change(ctx, issue, changes)
    asked.finish(issue)
    return step


def _resolution(step: site.Transition, rest: Any) -> int | str | None:
    """The resolution that a transition sets; text says what is wrong with what was given."""
    given = rest.pop("resolution", None) if isinstance(rest, dict) else None
    if not step.resolution:
        return NOT_ON_SCREEN.format("resolution") if given is not None else None
    if given is None:
        return "Resolution is required." if step.resolution == "required" else site.RESOLVED
    try:
        return values.resolution(given)
    except Bad as bad:
        return str(bad)


# Deleting


def delete(ctx: Ctx, issue: Issue, with_subtasks: bool) -> None:
    """Removes an issue with all that hangs on it. Children of an epic stay, without a parent."""
    children = ctx.db.find(Issue, parent=issue.id)
    below = [child for child in children if child.issuetype == site.SUBTASK]
    if below and not with_subtasks:
        raise refuse(
            400,
            f"The issue '{issue.key}' has subtasks.  You must specify the 'deleteSubtasks' parameter to delete this issue and all its"
            " subtasks.",
        )
    for child in children:
        if child in below:
            _remove(ctx, child)
        else:
            history.change(ctx, child, {"parent": None})
    _remove(ctx, issue)


def _remove(ctx: Ctx, issue: Issue) -> None:
    for cls in _DETAILS:
        ctx.db.delete_where(cls, issue_id=issue.id)
    ctx.db.delete_where(IssueLink, inward=issue.id)
    ctx.db.delete_where(IssueLink, outward=issue.id)
    ctx.db.delete(issue)


def remove_all(ctx: Ctx, doomed: list[Issue]) -> None:
    """Removes these issues, whatever refers to them."""
    gone = {row.id for row in doomed}
    for row in doomed:
        for child in ctx.db.find(Issue, parent=row.id):
            if child.id not in gone:
                history.change(ctx, child, {"parent": None})
            else:
                ctx.db.update(child, parent=None)
    for row in doomed:
        _remove(ctx, row)
