"""The fields of issues: what /field lists, and what createmeta and editmeta say of each."""

from dataclasses import dataclass
from typing import Any

from legoenv_mcp.app import Ctx

from . import resources, site
from .models import Component, Issue, Project, Version

EPIC_LINK, STORY_POINTS, RANK, SPRINT = (
    "customfield_10014",
    "customfield_10016",
    "customfield_10019",
    "customfield_10020",
)


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field. `kind` is its JSON type, `items` that of an array's members; `verbs` what `update` may do to it, none where it
    cannot be edited."""

    id: str
    name: str
    kind: str
    clauses: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    items: str = ""
    custom: str = ""
    orderable: bool = True

    def schema(self) -> dict[str, Any]:
        items = {"items": self.items} if self.items else {}
        if self.custom:
            return {"type": self.kind, **items, "custom": self.custom, "customId": int(self.id.rpartition("_")[2])}
        return {"type": self.kind, **items, "system": self.id}

    def listed(self) -> dict[str, Any]:
        """As /field shows it."""
        return {
            "id": self.id, "key": self.id, "name": self.name, "custom": bool(self.custom), "orderable": self.orderable,
            "navigable": self.id not in ("comment", "worklog", "attachment", "timetracking"), "searchable": bool(self.clauses),
            "clauseNames": list(self.clauses), "schema": self.schema(),
        }  # fmt: skip


_SET = ("set",)
_LIST = ("add", "set", "remove")
_GH = "com.pyxis.greenhopper.jira:"

FIELDS = (
    FieldSpec("summary", "Summary", "string", ("summary",), _SET),
    FieldSpec("issuetype", "Issue Type", "issuetype", ("issuetype", "type"), _SET),
    FieldSpec("project", "Project", "project", ("project",), orderable=False),
    FieldSpec("status", "Status", "status", ("status",), orderable=False),
    FieldSpec("priority", "Priority", "priority", ("priority",), _SET),
    FieldSpec("resolution", "Resolution", "resolution", ("resolution",)),
    FieldSpec("resolutiondate", "Resolved", "datetime", ("resolutiondate", "resolved"), orderable=False),
    FieldSpec("assignee", "Assignee", "user", ("assignee",), _SET),
    FieldSpec("reporter", "Reporter", "user", ("reporter",), _SET),
    FieldSpec("creator", "Creator", "user", ("creator",), orderable=False),
    FieldSpec("created", "Created", "datetime", ("created", "createdDate"), orderable=False),
    FieldSpec("updated", "Updated", "datetime", ("updated", "updatedDate"), orderable=False),
    FieldSpec("duedate", "Due date", "date", ("due", "duedate"), _SET),
    FieldSpec("description", "Description", "string", ("description",), _SET),
    FieldSpec("environment", "Environment", "string", ("environment",), _SET),
    FieldSpec("labels", "Labels", "array", ("labels",), _LIST, "string"),
    FieldSpec("components", "Components", "array", ("component",), _LIST, "component"),
    FieldSpec("fixVersions", "Fix versions", "array", ("fixVersion",), _LIST, "version"),
    FieldSpec("versions", "Affects versions", "array", ("affectedVersion",), _LIST, "version"),
    FieldSpec("parent", "Parent", "issuelink", ("parent",), _SET, orderable=False),
    FieldSpec("subtasks", "Sub-tasks", "array", (), (), "issuelinks", orderable=False),
    FieldSpec("issuelinks", "Linked Issues", "array", (), ("add",), "issuelinks"),
    FieldSpec("attachment", "Attachment", "array", ("attachments",), (), "attachment"),
    FieldSpec("comment", "Comment", "comments-page", ("comment",), ("add", "edit", "remove")),
    FieldSpec("worklog", "Log Work", "array", (), ("add",), "worklog"),
    FieldSpec("watches", "Watchers", "watches", ("watchers",), orderable=False),
    FieldSpec("votes", "Votes", "votes", ("votes",), orderable=False),
    FieldSpec("timetracking", "Time tracking", "timetracking", (), ("set", "edit")),
    FieldSpec("timespent", "Time Spent", "number", ("timespent",), orderable=False),
    FieldSpec("timeestimate", "Remaining Estimate", "number", ("remainingEstimate", "timeestimate"), orderable=False),
    FieldSpec("timeoriginalestimate", "Original estimate", "number", ("originalEstimate", "timeoriginalestimate"), orderable=False),
    FieldSpec("aggregatetimespent", "Σ Time Spent", "number", orderable=False),
    FieldSpec("aggregatetimeestimate", "Σ Remaining Estimate", "number", orderable=False),
    FieldSpec("aggregatetimeoriginalestimate", "Σ Original Estimate", "number", orderable=False),
    FieldSpec("progress", "Progress", "progress", ("progress",), orderable=False),
    FieldSpec("aggregateprogress", "Σ Progress", "progress", orderable=False),
    FieldSpec("workratio", "Work Ratio", "number", ("workratio",), orderable=False),
    FieldSpec("statuscategorychangedate", "Status Category Changed", "datetime", ("statusCategoryChangedDate",), orderable=False),
    FieldSpec(EPIC_LINK, "Epic Link", "any", ("cf[10014]", "Epic Link"), _SET, custom=f"{_GH}gh-epic-link"),
    FieldSpec(STORY_POINTS, "Story point estimate", "number", ("cf[10016]", "Story point estimate"), _SET,
              custom=f"{_GH}jsw-story-points"),
    FieldSpec(RANK, "Rank", "any", ("cf[10019]", "Rank"), custom=f"{_GH}gh-lexo-rank"),
    FieldSpec(SPRINT, "Sprint", "array", ("cf[10020]", "Sprint"), _SET, "json", custom=f"{_GH}gh-sprint"),
)  # fmt: skip
BY_ID = {f.id: f for f in FIELDS}
_BY_NAME = {name.casefold(): f.id for f in FIELDS for name in (f.name, f.id, *f.clauses)}

_ON_SCREEN = (
    "summary", "issuetype", "priority", "assignee", "reporter", "duedate", "description", "environment", "labels", "components",
    "fixVersions", "versions", "parent", "issuelinks", "attachment", "timetracking", EPIC_LINK, STORY_POINTS, SPRINT,
)  # fmt: skip


def id_of(name: str) -> str:
    """The id of a field that is given by id, name or JQL name; the text itself where there is none."""
    return _BY_NAME.get(name.strip().casefold(), name)


def _allowed(ctx: Ctx, spec: FieldSpec, project: Project) -> dict[str, Any]:
    if spec.id == "priority":
        return {"allowedValues": [resources.priority(ctx, id) for id in site.PRIORITIES]}
    if spec.id == "issuetype":
        return {"allowedValues": [resources.issue_type(ctx, id) for id in site.KINDS]}
    if spec.id == "components":
        return {"allowedValues": [resources.component(ctx, c) for c in ctx.db.find(Component, project_id=project.id)]}
    if spec.id in ("fixVersions", "versions"):
        found = ctx.db.find(Version, project_id=project.id, archived=False, order="position")
        return {"allowedValues": [resources.version(ctx, v) for v in found]}
    return {}


def _meta(ctx: Ctx, spec: FieldSpec, project: Project, *, required: bool, default: bool = False) -> dict[str, Any]:
    return {
        "required": required, "schema": spec.schema(), "name": spec.name, "key": spec.id, "fieldId": spec.id, "hasDefaultValue": default,
        "operations": list(spec.verbs), **_allowed(ctx, spec, project),
    }  # fmt: skip


def create_meta(ctx: Ctx, project: Project, kind: int) -> dict[str, Any]:
    """What may and must be sent to create an issue of this type."""
    made = dict[str, Any]()
    for name in ("project", *_ON_SCREEN):
        if name == EPIC_LINK and site.KINDS[kind].level:
            continue
        required = name in ("summary", "issuetype", "project") or (name == "parent" and kind == site.SUBTASK)
        made[name] = _meta(
            ctx, BY_ID[name], project, required=required, default=name in ("priority", "reporter", "assignee")
        )
    made["priority"]["defaultValue"] = resources.priority(ctx, site.DEFAULT_PRIORITY)
    made["project"]["allowedValues"] = [resources.project_head(ctx, project)]
    made["issuetype"]["allowedValues"] = [resources.issue_type(ctx, kind)]
    return made


def edit_meta(ctx: Ctx, issue: Issue) -> dict[str, Any]:
    """What may be sent to edit an issue."""
    project = ctx.require(Project, issue.project_id)
    names = [*_ON_SCREEN, "comment"]
    return {
        name: _meta(ctx, BY_ID[name], project, required=name in ("summary", "issuetype", "reporter")) for name in names
    }


def resolution_meta(ctx: Ctx, required: bool) -> dict[str, Any]:
    """The screen of a transition that asks for a resolution."""
    allowed = [resources.resolution(ctx, id) for id in site.RESOLUTIONS]
    return {
        "resolution": {
            "required": required, "schema": BY_ID["resolution"].schema(), "name": "Resolution", "key": "resolution",
            "hasDefaultValue": not required, "operations": ["set"], "allowedValues": allowed,
        }
    }  # fmt: skip
