"""An issue's history: what changed, as Jira words it."""

from collections.abc import Iterable
from typing import Any

from legoenv_mcp.app import Ctx

from . import access, site, times
from .models import Changelog, Component, Issue, Project, Sprint, User, Version

_NAMED = {"status": site.STATUSES, "priority": site.PRIORITIES, "resolution": site.RESOLUTIONS, "issuetype": site.KINDS}
_FIELDS = {
    "summary": "summary", "description": "description", "environment": "environment", "duedate": "duedate", "labels": "labels",
    "story_points": "Story point estimate", "timeoriginalestimate": "timeoriginalestimate", "timeestimate": "timeestimate",
    "timespent": "timespent", "project_id": "project", "key": "Key",
}  # fmt: skip
_LISTS: dict[str, tuple[str, Any]] = {
    "components": ("Component", Component),
    "fixVersions": ("Fix Version", Version),
    "versions": ("Version", Version),
}
_FIELD_IDS = {"story_points": "customfield_10016", "sprints": "customfield_10020", "parent": "parent"}


def item(
    field: str, was: object, was_shown: str | None, now: object, now_shown: str | None, field_id: str = ""
) -> dict[str, Any]:
    """One change. `from` and `to` are ids where the field has them."""
    kind = "custom" if field_id.startswith("customfield_") else "jira"
    return {
        "field": field, "fieldtype": kind, "fieldId": field_id or field, "from": None if was is None else str(was),
        "fromString": was_shown, "to": None if now is None else str(now), "toString": now_shown,
    }  # fmt: skip


def _name(ctx: Ctx, cls: Any, id: Any) -> str | None:
    row = None if id is None else ctx.db.get(cls, id)
    return None if row is None else row.displayName if cls is User else row.key if cls is Issue else row.name


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _sides(name: str, value: Any) -> tuple[Any, str | None]:
    """A value without an id as history tells it: itself twice where it is a time or a day, else as text alone."""
    if name == "duedate":
        return value, f"{value} 00:00:00.0" if value else None
    if name == "labels":
        return "", " ".join(value)
    told = _text(value)
    return (told if name.startswith("time") else None), told


def items_of(ctx: Ctx, issue: Issue, changes: dict[str, Any]) -> list[dict[str, Any]]:
    """What these changes, not yet made, amount to."""
    made = list[dict[str, Any]]()
    for name, now in changes.items():
        was = getattr(issue, name)
        if was == now:
            continue
        if name in _NAMED:
            known = _NAMED[name]
            shown = [known[v].name if v in known else None for v in (was, now)]
            made.append(item(name, was, shown[0], now, shown[1]))
        elif name in ("assignee", "reporter"):
            made.append(item(name, was, _name(ctx, User, was), now, _name(ctx, User, now)))
        elif name == "parent":
            made.append(
                item("IssueParentAssociation", was, _name(ctx, Issue, was), now, _name(ctx, Issue, now), "parent")
            )
        elif name == "project_id":
            made.append(item("project", was, _name(ctx, Project, was), now, _name(ctx, Project, now)))
        elif name in _LISTS:
            field, cls = _LISTS[name]
            made += [item(field, v, _name(ctx, cls, v), None, None, name) for v in was if v not in now]
            made += [item(field, None, None, v, _name(ctx, cls, v), name) for v in now if v not in was]
        elif name == "sprints":
            shown = [", ".join(filter(None, (_name(ctx, Sprint, v) for v in values))) for values in (was, now)]
            ids = [", ".join(map(str, values)) for values in (was, now)]
            made.append(item("Sprint", ids[0], shown[0], ids[1], shown[1], _FIELD_IDS["sprints"]))
        elif name in _FIELDS:
            field_id = _FIELD_IDS.get(name, name)
            made.append(item(_FIELDS[name], *_sides(name, was), *_sides(name, now), field_id))
    return made


def write(ctx: Ctx, issue: Issue, items: Iterable[dict[str, Any]]) -> None:
    """A new entry of the history, where anything did change."""
    told = list(items)
    if told:
        ctx.db.add(
            Changelog(
                id=ctx.sequence("changelog", 10000), issue_id=issue.id, author=access.me(ctx).accountId, created=times.moment(ctx.now),
                items=told,
            )
        )  # fmt: skip


def change(ctx: Ctx, issue: Issue, changes: dict[str, Any], extra: Iterable[dict[str, Any]] = ()) -> Issue:
    """Writes changes to an issue, its history and its time of update."""
    real = {name: value for name, value in changes.items() if getattr(issue, name) != value}
    items = [*items_of(ctx, issue, real), *extra]
    if not real and not items:
        return issue
    write(ctx, issue, items)
    return ctx.db.update(issue, **real, updated=times.moment(ctx.now))


def touch(ctx: Ctx, issue: Issue) -> None:
    """A comment or attachment counts as an update of its issue."""
    ctx.db.update(issue, updated=times.moment(ctx.now))
