"""Values that callers give to fields, checked in Jira's words. Each reader answers columns of the issue, or raises Bad."""

from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import Ctx

from . import access, adf, fields, site, times
from .app import documents, over_mcp
from .models import Component, Issue, Project, Sprint, User, Version

SUMMARY_LIMIT, TEXT_LIMIT, LABEL_LIMIT = 255, 32_767, 255
Columns = dict[str, Any]


class Bad(ValueError):
    """What is wrong with a field's value."""


class Draft:
    """What a value is read for: the issue as it is, or None for one to be made, and what it will be."""

    def __init__(self, ctx: Ctx, issue: Issue | None, project: Project, kind: int) -> None:
        self.ctx = ctx
        self.issue = issue
        self.project = project
        self.kind = kind


def text_of(ctx: Ctx, value: Any, wrong: str) -> tuple[str, dict[str, Any] | None]:
    """A text in the caller's version of the API: a document in 3, plain in 2; agents may give either."""
    if isinstance(value, dict) and (documents(ctx) or over_mcp(ctx)):
        if adf.problem(value):
            raise Bad(wrong)
        text, doc = adf.read(value)
    elif isinstance(value, str) and not documents(ctx):
        text, doc = value, None
    else:
        raise Bad(wrong)
    if len(text) > TEXT_LIMIT:
        raise Bad("The entered text is too long. It exceeds the allowed limit of 32,767 characters.")
    return text, doc


def _long_text(name: str) -> Callable[[Draft, Any], Columns]:
    def read(draft: Draft, value: Any) -> Columns:
        if value is None:
            return {name: "", f"{name}_adf": None}
        wrong = (
            "Operation value must be an Atlassian Document (see the Atlassian Document Format)"
            if documents(draft.ctx)
            else "Operation value must be a string"
        )
        text, doc = text_of(draft.ctx, value, wrong)
        return {name: text, f"{name}_adf": doc}

    return read


def _summary(draft: Draft, value: Any) -> Columns:
    if not isinstance(value, str) and value is not None:
        raise Bad("Operation value must be a string")
    text = (value or "").strip()
    if not text:
        raise Bad("You must specify a summary of the issue.")
    if "\n" in text or "\r" in text:
        raise Bad("The summary is invalid because it contains newline characters.")
    if len(text) > SUMMARY_LIMIT:
        raise Bad(f"Summary must be less than or equal to {SUMMARY_LIMIT} characters.")
    return {"summary": text}


def _named(value: Any) -> Any:
    """The id or name inside an object like {"id": ...} or {"name": ...}; None where there is neither."""
    if isinstance(value, dict):
        return value.get("id", value.get("name"))
    return None


def issue_type(value: Any) -> int:
    given = _named(value)
    found = site.named(site.KINDS, given) if isinstance(given, (str, int)) else None
    if found is None:
        raise Bad("Specify a valid issue type")
    return found.id


def _type(draft: Draft, value: Any) -> Columns:
    wanted = issue_type(value)
    if draft.issue is not None and (wanted == site.SUBTASK) != (draft.issue.issuetype == site.SUBTASK):
        raise Bad("The issue type selected is invalid.")
    return {"issuetype": wanted}


def _priority(draft: Draft, value: Any) -> Columns:
    if value is None:
        return {"priority": None}
    given = _named(value)
    found = site.named(site.PRIORITIES, given) if isinstance(given, (str, int)) else None
    if found is None:
        how = "id" if isinstance(value, dict) and "id" in value else "name"
        raise Bad(f"Priority {how} '{given}' is not valid" if given is not None else "data was not an object")
    return {"priority": found.id}


def resolution(value: Any) -> int:
    given = _named(value)
    found = site.named(site.RESOLUTIONS, given) if isinstance(given, (str, int)) else None
    if found is None:
        raise Bad(f"Resolution name '{given}' is not valid")
    return found.id


def account(ctx: Ctx, value: Any) -> User | None:
    """The user of {"accountId": ...}. User names are gone from Jira Cloud."""
    given = value.get("accountId", value.get("id")) if isinstance(value, dict) else None
    if not isinstance(given, str):
        raise Bad("expected Object containing an 'accountId' property")
    return ctx.db.get(User, given)


def automatic(draft: Draft) -> str | None:
    """Whom the project assigns by itself."""
    lead = draft.ctx.db.get(User, draft.project.lead) if draft.project.lead else None
    return lead.accountId if lead and lead.active and draft.project.assigneeType == "PROJECT_LEAD" else None


def assignee(draft: Draft, value: Any) -> Columns:
    if value is None or (isinstance(value, dict) and value and all(v is None for v in value.values())):
        return {"assignee": None}
    given = value.get("accountId", value.get("id")) if isinstance(value, dict) else None
    if given == "-1":
        return {"assignee": automatic(draft)}
    found = account(draft.ctx, value)
    if found is None:
        raise Bad(f"User '{given}' does not exist.")
    if not access.assignable(found):
        raise Bad(f"User '{found.displayName}' cannot be assigned issues.")
    return {"assignee": found.accountId}


def _reporter(draft: Draft, value: Any) -> Columns:
    if value is None:
        raise Bad("Reporter is required.")
    found = account(draft.ctx, value)
    if found is None or not found.active:
        raise Bad("The reporter specified is not a user.")
    return {"reporter": found.accountId}


def _day(draft: Draft, value: Any) -> Columns:
    if value is None or value == "":
        return {"duedate": None}
    if not isinstance(value, str):
        raise Bad("Operation value must be a string")
    found = times.day(value)
    if found is None:
        raise Bad(f"Error parsing date string: {value}")
    return {"duedate": found}


def label(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise Bad("string expected at index 0")
    if any(c.isspace() for c in value):
        raise Bad(f"The label '{value}' contains spaces which is invalid.")
    if len(value) > LABEL_LIMIT:
        raise Bad(f"The label '{value[:20]}…' exceeds the limit of {LABEL_LIMIT} characters.")
    return value


def _labels(draft: Draft, value: Any) -> Columns:
    if value is not None and not isinstance(value, list):
        raise Bad("data was not an array")
    return {"labels": sorted({label(v) for v in value or []})}


def part(draft: Draft, name: str, value: Any) -> int:
    """A component or version of the project, by id or name."""
    cls: Any = Component if name == "components" else Version
    noun = "Component" if name == "components" else "Version"
    if not isinstance(value, dict) or not ("id" in value or "name" in value):
        raise Bad("expected an object")
    found, how = None, "id" if "id" in value else "name"
    if how == "id":
        number = access.number(value["id"])
        found = None if number is None else ctx_get(draft, cls, number)
    else:
        found = draft.ctx.db.first(cls, project_id=draft.project.id, name=str(value["name"]))
    if found is None:
        raise Bad(f"{noun} {how} '{value[how]}' is not valid")
    return found.id


def ctx_get(draft: Draft, cls: Any, number: int) -> Any:
    found = draft.ctx.db.get(cls, number)
    return found if found is not None and found.project_id == draft.project.id else None


def _parts(name: str) -> Callable[[Draft, Any], Columns]:
    def read(draft: Draft, value: Any) -> Columns:
        if value is not None and not isinstance(value, list):
            raise Bad("data was not an array")
        return {name: list(dict.fromkeys(part(draft, name, v) for v in value or []))}

    return read


def parent(draft: Draft, value: Any) -> Columns:
    if value is None or (isinstance(value, dict) and value.get("none") is True):
        if draft.kind == site.SUBTASK:
            raise Bad("Issue type is a sub-task but parent issue key or id not specified.")
        return {"parent": None}
    given = value.get("key", value.get("id")) if isinstance(value, dict) else None
    if not isinstance(given, (str, int)):
        raise Bad("data was not an object")
    found = access.issue_or_none(draft.ctx, given)
    if found is None:
        raise Bad("Could not find issue by id or key.")
    if site.KINDS[found.issuetype].level != site.KINDS[draft.kind].level + 1:
        raise Bad("Given parent work item does not belong to appropriate hierarchy.")
    if draft.kind == site.SUBTASK and found.project_id != draft.project.id:
        raise Bad("The parent of a sub-task must be in the same project.")
    return {"parent": found.id}


def _epic_link(draft: Draft, value: Any) -> Columns:
    if value is not None and not isinstance(value, str):
        raise Bad("Operation value must be a string")
    return parent(draft, {"key": value} if value else None)


def _points(draft: Draft, value: Any) -> Columns:
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise Bad("Operation value must be a number")
    return {"story_points": value}


def _sprint(draft: Draft, value: Any) -> Columns:
    """Closed sprints stay with an issue; it is in at most one other."""
    held = draft.issue.sprints if draft.issue else []
    closed = [s.id for s in draft.ctx.db.find(Sprint, id__in=held, state="closed")]
    if value is None:
        return {"sprints": closed}
    number = None if isinstance(value, (bool, dict, list, float)) else access.number(value)
    if number is None:
        raise Bad("Number value expected as the Sprint id.")
    found = draft.ctx.db.get(Sprint, number)
    if found is None:
        raise Bad("Sprint does not exist or you do not have permission to view it.")
    if found.state == "closed":
        raise Bad("Issue can be assigned only active or future sprints.")
    if draft.kind == site.SUBTASK:
        raise Bad("Sub-tasks cannot be associated to a sprint. It's associated to the same sprint as its parent.")
    return {"sprints": [*closed, found.id]}


def _tracking(draft: Draft, value: Any) -> Columns:
    if not isinstance(value, dict):
        raise Bad("data was not an object")
    out = Columns()
    named = (
        ("originalEstimate", "timeoriginalestimate", "original"),
        ("remainingEstimate", "timeestimate", "remaining"),
    )
    for name, column, word in named:
        if name in value:
            amount = times.seconds(value[name])
            if amount is None and value[name] not in (None, ""):
                raise Bad(f"The {word} estimate specified is not valid.")
            out[column] = amount
    if "timeoriginalestimate" in out and "timeestimate" not in out:
        held = draft.issue.timeestimate if draft.issue else None
        out["timeestimate"] = out["timeoriginalestimate"] if held is None else held
    return out


READERS: dict[str, Callable[[Draft, Any], Columns]] = {
    "summary": _summary,
    "description": _long_text("description"),
    "environment": _long_text("environment"),
    "issuetype": _type,
    "priority": _priority,
    "assignee": assignee,
    "reporter": _reporter,
    "duedate": _day,
    "labels": _labels,
    "components": _parts("components"),
    "fixVersions": _parts("fixVersions"),
    "versions": _parts("versions"),
    "parent": parent,
    "timetracking": _tracking,
    fields.EPIC_LINK: _epic_link,
    fields.STORY_POINTS: _points,
    fields.SPRINT: _sprint,
}
"""What may be on a create or edit screen."""
