"""What JQL can ask of which field: its names, how it lies in the issue table, what it sorts by."""

from dataclasses import dataclass
from typing import Any, Literal

from .. import site

How = Literal["project", "option", "category", "user", "watcher", "parts", "labels", "sprint", "issue", "key", "date", "number", "text",
              "filter", "work_author", "work_date", "duration", "link", "attachment"]  # fmt: skip

EQUAL = ("=", "!=", "in", "not in")
EMPTY = ("is", "is not")
ORDERED = (">", ">=", "<", "<=")
CONTAINS = ("~", "!~")
PAST = ("was", "was not", "was in", "was not in", "changed", "not changed")


@dataclass(frozen=True, slots=True)
class Searchable:
    """A field of JQL. `column` is an SQL expression over the issue; `sort` another to order by, with none it cannot be sorted by;
    `history` the name that the changelog has for it."""

    name: str
    how: How
    column: str
    operators: tuple[str, ...]
    sort: str = ""
    options: Any = None
    history: str = ""

    @property
    def held(self) -> str:
        """The list of a field of several values, as SQL. Sub-tasks are in the sprints of their parents."""
        return SPRINTS if self.how == "sprint" else f'issue."{self.column}"'


SPRINTS = (
    f"(CASE issue.issuetype WHEN {site.SUBTASK} THEN (SELECT p.sprints FROM issue p WHERE p.id = issue.parent)"
    " ELSE issue.sprints END)"
)


def _case(column: str, ranks: dict[int, int]) -> str:
    arms = " ".join(f"WHEN {id} THEN {rank}" for id, rank in ranks.items())
    return f"CASE {column} {arms} END"


def _name_of(column: str) -> str:
    return f'(SELECT lower("displayName") FROM "user" WHERE "accountId" = {column})'


_STATUS_RANK = {id: n for n, id in enumerate(site.STATUSES)}
_PRIORITY_RANK = {id: p.rank for id, p in site.PRIORITIES.items()}
_CATEGORY = _case("status", {id: s.category.id for id, s in site.STATUSES.items()})
_COMMENTS = "(SELECT group_concat(body, '\n') FROM \"comment\" WHERE issue_id = issue.id)"
_WORK = "(SELECT group_concat(comment, '\n') FROM worklog WHERE issue_id = issue.id)"
_RATIO = "(CASE WHEN timeoriginalestimate > 0 THEN coalesce(timespent, 0) * 100 / timeoriginalestimate ELSE -1 END)"
_LEVEL = f"({_case('issuetype', {id: k.level for id, k in site.KINDS.items()})})"
_FULL = (*EQUAL, *EMPTY)
_DATED = (*EQUAL, *ORDERED, *EMPTY)


def _version_rank(column: str) -> str:
    return f'(SELECT min(v.position) FROM json_each(issue."{column}") j JOIN version v ON v.id = j.value)'


def _count(table: str) -> str:
    return f'(SELECT count(*) FROM "{table}" x WHERE x.issue_id = issue.id)'


_FIELDS: dict[str, Searchable] = {
    "project": Searchable("project", "project", "project_id", _FULL, "(SELECT lower(name) FROM project p WHERE p.id = project_id)"),
    "issuetype type": Searchable("issuetype", "option", "issuetype", _FULL, _case("issuetype", {i: n for n, i in enumerate(site.KINDS)}),
                                 site.KINDS),
    "status": Searchable("status", "option", "status", (*_FULL, *PAST), _case("status", _STATUS_RANK), site.STATUSES, "status"),
    "statuscategory": Searchable("statusCategory", "category", f"({_CATEGORY})", _FULL, f"({_CATEGORY})"),
    "priority": Searchable("priority", "option", "priority", (*_FULL, *ORDERED, *PAST), _case("priority", _PRIORITY_RANK),
                           site.PRIORITIES, "priority"),
    "resolution": Searchable("resolution", "option", "resolution", (*_FULL, *PAST), "resolution", site.RESOLUTIONS, "resolution"),
    "assignee": Searchable("assignee", "user", "assignee", (*_FULL, *PAST), _name_of("assignee"), None, "assignee"),
    "reporter": Searchable("reporter", "user", "reporter", (*_FULL, *PAST), _name_of("reporter"), None, "reporter"),
    "creator": Searchable("creator", "user", "creator", _FULL, _name_of("creator")),
    "watcher": Searchable("watcher", "watcher", "watcher", EQUAL),
    "voter": Searchable("voter", "watcher", "vote", EQUAL),
    "labels label": Searchable("labels", "labels", "labels", _FULL, "CASE labels WHEN '[]' THEN NULL ELSE labels END"),
    "component": Searchable("component", "parts", "components", _FULL, "CASE components WHEN '[]' THEN NULL ELSE components END",
                            "component"),
    "fixversion": Searchable("fixVersion", "parts", "fixVersions", (*_FULL, *ORDERED, *PAST), _version_rank("fixVersions"), "version",
                             "Fix Version"),
    "affectedversion": Searchable("affectedVersion", "parts", "versions", (*_FULL, *ORDERED), _version_rank("versions"), "version"),
    "sprint cf[10020]": Searchable("Sprint", "sprint", "sprints", _FULL, "CASE sprints WHEN '[]' THEN NULL ELSE sprints END"),
    "parent epic parentepic cf[10014] epiclink": Searchable("parent", "issue", "parent", _FULL,
                                                            "(SELECT p.id FROM issue p WHERE p.id = issue.parent)"),
    "key id issue issuekey": Searchable("key", "key", "id", (*EQUAL, *ORDERED),
                                        "(SELECT p.key FROM project p WHERE p.id = project_id), number"),
    "created createddate": Searchable("created", "date", "created", _DATED, "created"),
    "updated updateddate": Searchable("updated", "date", "updated", _DATED, "updated"),
    "resolved resolutiondate": Searchable("resolved", "date", "resolutiondate", _DATED, "resolutiondate"),
    "due duedate": Searchable("due", "date", "duedate", _DATED, "duedate"),
    "statuscategorychangeddate": Searchable("statusCategoryChangedDate", "date", "statuscategorychangedate", _DATED,
                                            "statuscategorychangedate"),
    "summary": Searchable("summary", "text", "summary", (*CONTAINS, *EMPTY), "lower(summary)"),
    "description": Searchable("description", "text", "description", (*CONTAINS, *EMPTY)),
    "environment": Searchable("environment", "text", "environment", (*CONTAINS, *EMPTY)),
    "comment": Searchable("comment", "text", _COMMENTS, CONTAINS),
    "text": Searchable("text", "text", "", CONTAINS),
    "votes": Searchable("votes", "number", _count("vote"), (*EQUAL, *ORDERED), _count("vote")),
    "watchers": Searchable("watchers", "number", _count("watcher"), (*EQUAL, *ORDERED), _count("watcher")),
    "storypoints storypointestimate cf[10016]": Searchable("Story point estimate", "number", "story_points", _DATED, "story_points"),
    "originalestimate timeoriginalestimate": Searchable("originalEstimate", "duration", "timeoriginalestimate", _DATED,
                                                        "timeoriginalestimate"),
    "remainingestimate timeestimate": Searchable("remainingEstimate", "duration", "timeestimate", _DATED, "timeestimate"),
    "timespent": Searchable("timespent", "duration", "timespent", _DATED, "timespent"),
    "worklogauthor": Searchable("worklogAuthor", "work_author", "author", EQUAL),
    "worklogdate": Searchable("worklogDate", "work_date", "started", (*EQUAL, *ORDERED)),
    "worklogcomment": Searchable("worklogComment", "text", _WORK, CONTAINS),
    "workratio": Searchable("workRatio", "number", _RATIO, (*EQUAL, *ORDERED), _RATIO),
    "hierarchylevel": Searchable("hierarchyLevel", "number", _LEVEL, (*EQUAL, *ORDERED), _LEVEL),
    "issuelinktype": Searchable("issueLinkType", "link", "", _FULL),
    "attachments": Searchable("attachments", "attachment", "", EMPTY),
    "filter request savedfilter searchrequest": Searchable("filter", "filter", "", EQUAL),
    "rank cf[10019]": Searchable("Rank", "number", "rank", (), "rank"),
}  # fmt: skip
BY_NAME = {name: spec for names, spec in _FIELDS.items() for name in names.split()}


def find(name: str) -> Searchable | None:
    """A field by any of its names, whatever their case and spaces."""
    return BY_NAME.get("".join(name.lower().split()))
