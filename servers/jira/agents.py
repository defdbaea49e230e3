"""What agents write, as the REST API takes it: people and options by name, fields by any of their names; and what to do next where they
err."""

from collections.abc import Iterable
from typing import Any

from legoenv_mcp.app import Ctx

from . import access, fields, issues, site
from .app import over_mcp
from .models import Component, Issue, Project, Version

_ALIASES = {
    "due_date": "duedate", "issue_type": "issuetype", "fix_versions": "fixVersions", "fixversions": "fixVersions",
    "affects_versions": "versions", "story_points": fields.STORY_POINTS, "storypoints": fields.STORY_POINTS,
    "story points": fields.STORY_POINTS, "epic_link": fields.EPIC_LINK, "time_tracking": "timetracking", "title": "summary",
}  # fmt: skip
_ESTIMATES = {
    "timeoriginalestimate": "originalEstimate",
    "original_estimate": "originalEstimate",
    "timeestimate": "remainingEstimate",
    "remaining_estimate": "remainingEstimate",
}
_PARTS = ("components", "fixVersions", "versions")
_OPTIONS: dict[str, dict[int, Any]] = {
    "priority": site.PRIORITIES,
    "issuetype": site.KINDS,
    "resolution": site.RESOLUTIONS,
}


def field_id(name: str) -> str:
    return _ALIASES.get(name.strip().casefold()) or fields.id_of(name)


def _account(ctx: Ctx, name: str, given: Any) -> Any:
    """A user by account id, mail address or name; what is none of these as it is."""
    if isinstance(given, dict):
        if "accountId" in given or "id" in given:
            return given
        given = next(
            (given[k] for k in ("emailAddress", "displayName", "name") if isinstance(given.get(k), str)), given
        )
    if given == "":
        return None
    return {"accountId": access.person(ctx, given, name).accountId} if isinstance(given, str) else given


def _value(ctx: Ctx, name: str, given: Any) -> Any:
    """One value of a field."""
    if name in ("assignee", "reporter"):
        return _account(ctx, name, given)
    if not isinstance(given, str):
        return given
    if name in ("priority", "issuetype", "resolution"):
        subtask = name == "issuetype" and given.strip().casefold() == "subtask"
        return {"name": site.KINDS[site.SUBTASK].name if subtask else given}
    if name == "parent":
        return {"key": given} if given else None
    if name == "project":
        return {"key": given}
    if name == "timetracking":
        return {"originalEstimate": given}
    return {"name": given} if name in _PARTS else given


def _values(ctx: Ctx, name: str, given: Any) -> Any:
    """All that is set of a field; several values may be one text with commas."""
    if name not in (*_PARTS, "labels"):
        return _value(ctx, name, given)
    if isinstance(given, str):
        given = [part.strip() for part in given.split(",") if part.strip()]
    return [_value(ctx, name, one) for one in given] if isinstance(given, list) else given


def field_values(ctx: Ctx, given: dict[str, Any] | None) -> dict[str, Any]:
    """`fields` as agents write them."""
    made, estimates = dict[str, Any](), dict[str, Any]()
    for name, value in (given or {}).items():
        id = field_id(name)
        if word := _ESTIMATES.get(id):
            estimates[word] = value
        else:
            made[id] = _values(ctx, id, value)
    if estimates:
        made["timetracking"] = {**(made.get("timetracking") or {}), **estimates}
    return made


def operations(ctx: Ctx, given: dict[str, Any] | None) -> dict[str, Any] | None:
    """`update` as agents write it."""
    if not isinstance(given, dict):
        return given
    made = dict[str, Any]()
    for name, verbs in given.items():
        id = field_id(name)
        if isinstance(verbs, dict):
            verbs = [verbs]
        if isinstance(verbs, list):
            verbs = [
                {verb: (_values if verb == "set" else _value)(ctx, id, value) for verb, value in v.items()} if isinstance(v, dict) else v
                for v in verbs
            ]  # fmt: skip
        made[id] = verbs
    return made


# What to do next


def hint(ctx: Ctx, project: Project, name: str, known: bool) -> str:
    """What an agent may do about a refused field. Programs get Jira's own words alone."""
    if not over_mcp(ctx):
        return ""
    if name in ("status", "resolution") and not known:
        return " transition_issue changes it."
    if not known:
        return " search_fields lists the fields."
    if name in _OPTIONS:
        return _valid(o.name for o in _OPTIONS[name].values())
    if name in _PARTS:
        cls: Any = Component if name == "components" else Version
        return _valid(r.name for r in ctx.db.find(cls, project_id=project.id))
    return ""


def elsewhere(ctx: Ctx) -> str:
    """Where an agent changes a field that no screen of a transition has."""
    return " update_issue changes other fields." if over_mcp(ctx) else ""


def _valid(names: Iterable[str]) -> str:
    return f" Valid: {', '.join(names) or 'none, the project has no such thing yet'}."


def steps(ctx: Ctx, row: Issue) -> str:
    """Where an issue can go, for an agent that named another transition."""
    if not over_mcp(ctx):
        return ""
    found = [f"{t['name']} ({t['id']}) to {t['to']['name']}" for t in issues.transitions(ctx, row)]
    return f" Possible now: {', '.join(found)}."
