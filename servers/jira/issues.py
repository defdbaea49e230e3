"""Issues as Jira's JSON: which fields are shown, and what is expanded beside them."""

from collections.abc import Callable, Sequence
from typing import Any

from legoenv_mcp.app import Ctx

from . import access, adf, fields, rendering, resources, site, times
from .models import (
    Attachment,
    Changelog,
    Comment,
    Component,
    Issue,
    IssueLink,
    Project,
    Sprint,
    User,
    Version,
    Vote,
    Watcher,
    Worklog,
)

NOT_NAVIGABLE = {"comment", "worklog", "attachment", "timetracking"}
BRIEF = (
    "summary", "status", "issuetype", "priority", "assignee", "reporter", "labels", "created", "updated", "duedate", "parent",
    "resolution", "description", "comment",
)  # fmt: skip
"""What agents see of an issue unless they ask for other fields."""
LISTED = ("summary", "status", "issuetype", "priority", "assignee", "duedate")
"""What agents see of each issue of a list."""

Show = Callable[[Ctx, Issue], Any]


def head(ctx: Ctx, row: Issue) -> dict[str, Any]:
    """An issue inside another: what a link or a parent shows of it."""
    shown = {
        "summary": row.summary, "status": resources.status(ctx, row.status), "priority": resources.priority(ctx, row.priority),
        "issuetype": resources.issue_type(ctx, row.issuetype),
    }  # fmt: skip
    return {"id": str(row.id), "key": row.key, "self": resources.link(ctx, f"issue/{row.id}"), "fields": shown}


def _parent(ctx: Ctx, row: Issue) -> Any:
    found = ctx.db.get(Issue, row.parent) if row.parent else None
    return head(ctx, found) if found else None


def subtasks(ctx: Ctx, row: Issue) -> list[Issue]:
    """The sub-tasks below an issue. Issues below an epic are its children, not its sub-tasks."""
    return [child for child in ctx.db.find(Issue, parent=row.id) if child.issuetype == site.SUBTASK]


def _links(ctx: Ctx, row: Issue) -> list[dict[str, Any]]:
    found = ctx.db.find(IssueLink, inward=row.id) + ctx.db.find(IssueLink, outward=row.id)
    return [_link(ctx, link, row) for link in sorted(found, key=lambda link: link.id)]


def _link(ctx: Ctx, link: IssueLink, row: Issue) -> dict[str, Any]:
    side, other = ("outwardIssue", link.outward) if link.inward == row.id else ("inwardIssue", link.inward)
    return {
        "id": str(link.id), "self": resources.link(ctx, f"issueLink/{link.id}"), "type": resources.link_type(ctx, link.type),
        side: head(ctx, ctx.require(Issue, other)),
    }  # fmt: skip


def comments(ctx: Ctx, row: Issue, order: str = "created,id") -> list[Comment]:
    return ctx.db.find(Comment, issue_id=row.id, order=order)


def _comments(ctx: Ctx, row: Issue) -> dict[str, Any]:
    found = [resources.comment(ctx, c) for c in comments(ctx, row)]
    where = resources.link(ctx, f"issue/{row.id}/comment")
    return {"comments": found, "self": where, "maxResults": len(found), "total": len(found), "startAt": 0}


def _worklogs(ctx: Ctx, row: Issue) -> dict[str, Any]:
    found = ctx.db.find(Worklog, issue_id=row.id, order="started,id")
    shown = [resources.worklog(ctx, w) for w in found[:20]]
    return {"startAt": 0, "maxResults": 20, "total": len(found), "worklogs": shown}


def watches(ctx: Ctx, row: Issue) -> dict[str, Any]:
    mine = ctx.db.get(Watcher, (row.id, access.me(ctx).accountId)) is not None
    where = resources.link(ctx, f"issue/{row.key}/watchers")
    return {"self": where, "watchCount": ctx.db.count(Watcher, issue_id=row.id), "isWatching": mine}


def votes(ctx: Ctx, row: Issue) -> dict[str, Any]:
    mine = ctx.db.get(Vote, (row.id, access.me(ctx).accountId)) is not None
    where = resources.link(ctx, f"issue/{row.key}/votes")
    return {"self": where, "votes": ctx.db.count(Vote, issue_id=row.id), "hasVoted": mine}


def _tracking(ctx: Ctx, row: Issue) -> dict[str, Any]:
    made = dict[str, Any]()
    named = (
        ("originalEstimate", row.timeoriginalestimate),
        ("remainingEstimate", row.timeestimate),
        ("timeSpent", row.timespent),
    )
    for name, amount in named:
        if amount is not None:
            made[name] = times.shown(amount)
    for name, amount in named:
        if amount is not None:
            made[f"{name}Seconds"] = amount
    return made


def _total(ctx: Ctx, row: Issue, name: str) -> int | None:
    """A time of the issue and its sub-tasks together; None where none has one."""
    held = [v for one in (row, *subtasks(ctx, row)) if (v := getattr(one, name)) is not None]
    return sum(held) if held else None


def _progress(ctx: Ctx, row: Issue, amount: Callable[[Ctx, Issue, str], int | None]) -> dict[str, Any]:
    spent = amount(ctx, row, "timespent") or 0
    total = spent + (amount(ctx, row, "timeestimate") or 0)
    return {"progress": spent, "total": total, **({"percent": spent * 100 // total} if total else {})}


def _components(ctx: Ctx, row: Issue) -> list[Any]:
    return [_part(resources.component(ctx, c)) for c in ctx.db.find(Component, id__in=row.components)]


def _part(whole: dict[str, Any]) -> dict[str, Any]:
    return {k: whole[k] for k in ("self", "id", "name", "description")}


def _versions(ctx: Ctx, ids: list[int]) -> list[Any]:
    found = [resources.version(ctx, v) for v in ctx.db.find(Version, id__in=ids, order="position")]
    return [{k: v for k, v in made.items() if k not in ("projectId", "overdue", "startDate")} for made in found]


def _sprints(ctx: Ctx, row: Issue) -> list[Any] | None:
    above = ctx.db.get(Issue, row.parent) if row.issuetype == site.SUBTASK and row.parent else None
    found = ctx.db.find(Sprint, id__in=(above or row).sprints)
    shown = [resources.sprint(ctx, s) for s in found]
    return [
        {"boardId": s["originBoardId"], **{k: v for k, v in s.items() if k not in ("self", "originBoardId")}}
        for s in shown
    ] or None


def rank_text(rank: float) -> str:
    """A rank as Jira's LexoRank writes it: texts sort as the numbers do."""
    digits, whole = "0123456789abcdefghijklmnopqrstuvwxyz", max(0, round(rank * 1_000_000))
    out = ""
    while whole:
        whole, digit = divmod(whole, 36)
        out = digits[digit] + out
    return f"0|i{out.rjust(9, '0')}:"


def _epic(ctx: Ctx, row: Issue) -> str | None:
    found = ctx.db.get(Issue, row.parent) if row.parent else None
    return found.key if found and found.issuetype == site.EPIC else None


def _workratio(ctx: Ctx, row: Issue) -> int:
    return (row.timespent or 0) * 100 // row.timeoriginalestimate if row.timeoriginalestimate else -1


SHOW: dict[str, Show] = {
    "statuscategorychangedate": lambda ctx, r: times.wire(r.statuscategorychangedate),
    "issuetype": lambda ctx, r: resources.issue_type(ctx, r.issuetype),
    "parent": _parent,
    "timespent": lambda ctx, r: r.timespent,
    "project": lambda ctx, r: resources.project_head(ctx, ctx.require(Project, r.project_id)),
    "fixVersions": lambda ctx, r: _versions(ctx, r.fixVersions),
    "aggregatetimespent": lambda ctx, r: _total(ctx, r, "timespent"),
    "resolution": lambda ctx, r: resources.resolution(ctx, r.resolution),
    "resolutiondate": lambda ctx, r: times.wire(r.resolutiondate),
    "workratio": _workratio,
    "watches": watches,
    "created": lambda ctx, r: times.wire(r.created),
    "priority": lambda ctx, r: resources.priority(ctx, r.priority),
    "labels": lambda ctx, r: r.labels,
    "timeestimate": lambda ctx, r: r.timeestimate,
    "aggregatetimeoriginalestimate": lambda ctx, r: _total(ctx, r, "timeoriginalestimate"),
    "versions": lambda ctx, r: _versions(ctx, r.versions),
    "issuelinks": _links,
    "assignee": lambda ctx, r: resources.person(ctx, r.assignee),
    "updated": lambda ctx, r: times.wire(r.updated),
    "status": lambda ctx, r: resources.status(ctx, r.status),
    "components": _components,
    "timeoriginalestimate": lambda ctx, r: r.timeoriginalestimate,
    "description": lambda ctx, r: resources.text(ctx, r.description, r.description_adf),
    "timetracking": _tracking,
    "attachment": lambda ctx, r: [resources.attachment(ctx, a) for a in ctx.db.find(Attachment, issue_id=r.id)],
    "aggregatetimeestimate": lambda ctx, r: _total(ctx, r, "timeestimate"),
    "summary": lambda ctx, r: r.summary,
    "creator": lambda ctx, r: resources.person(ctx, r.creator),
    "subtasks": lambda ctx, r: [head(ctx, child) for child in subtasks(ctx, r)],
    "reporter": lambda ctx, r: resources.person(ctx, r.reporter),
    "aggregateprogress": lambda ctx, r: _progress(ctx, r, _total),
    "progress": lambda ctx, r: _progress(ctx, r, lambda _, one, name: getattr(one, name)),
    "environment": lambda ctx, r: resources.text(ctx, r.environment, r.environment_adf),
    "duedate": lambda ctx, r: r.duedate,
    "votes": votes,
    "comment": _comments,
    "worklog": _worklogs,
    fields.EPIC_LINK: _epic,
    fields.STORY_POINTS: lambda ctx, r: r.story_points,
    fields.RANK: lambda ctx, r: rank_text(r.rank),
    fields.SPRINT: _sprints,
}


def chosen(asked: Sequence[str], default: Sequence[str] = ("*all",)) -> list[str]:
    """The fields that a `fields` parameter means, in Jira's order: names, `*all`, `*navigable`, and exclusions like `-comment`."""
    wanted, dropped = set[str](), {fields.id_of(name[1:]) for name in asked if name.startswith("-")}
    given = [name for name in asked if not name.startswith("-")] or list(default)
    for name in given:
        if name in ("*all", "all"):
            wanted |= set(SHOW)
        elif name == "*navigable":
            wanted |= set(SHOW) - NOT_NAVIGABLE
        else:
            wanted.add(fields.id_of(name))
    return [name for name in SHOW if name in wanted - dropped]


def shown(ctx: Ctx, row: Issue, names: Sequence[str], expand: Sequence[str] = ()) -> dict[str, Any]:
    """An issue with these fields."""
    made: dict[str, Any] = {
        "expand": "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations", "id": str(row.id),
        "self": resources.link(ctx, f"issue/{row.id}"), "key": row.key,
    }  # fmt: skip
    if names:
        made["fields"] = {name: SHOW[name](ctx, row) for name in names}
        if "parent" in made["fields"] and made["fields"]["parent"] is None:
            del made["fields"]["parent"]
    if "names" in expand:
        made["names"] = {name: fields.BY_ID[name].name for name in names}
    if "schema" in expand:
        made["schema"] = {name: fields.BY_ID[name].schema() for name in names}
    if "renderedFields" in expand:
        made["renderedFields"] = {name: _rendered(ctx, row, name) for name in names}
    if "changelog" in expand:
        made["changelog"] = changelog(ctx, row)
    if "transitions" in expand:
        made["transitions"] = transitions(ctx, row)
    if "editmeta" in expand:
        made["editmeta"] = {"fields": fields.edit_meta(ctx, row)}
    return made


def _rendered(ctx: Ctx, row: Issue, name: str) -> Any:
    """A field as a page shows it; nothing for one that is shown as it is."""
    if name in ("description", "environment"):
        return rendering.html(getattr(row, name), getattr(row, f"{name}_adf"))
    if name in ("created", "updated", "resolutiondate", "statuscategorychangedate"):
        return rendering.moment(getattr(row, name))
    if name == "duedate":
        return rendering.day(row.duedate)
    if name == "comment":
        found = [resources.rendered_comment(ctx, c) for c in comments(ctx, row)]
        return {"comments": found, "maxResults": len(found), "total": len(found), "startAt": 0}
    return _tracking(ctx, row) if name == "timetracking" else None


def history(ctx: Ctx, row: Issue) -> list[dict[str, Any]]:
    """What was changed, oldest first."""
    found = ctx.db.find(Changelog, issue_id=row.id, order="created,id")
    return [
        {
            "id": str(h.id),
            "author": resources.person(ctx, h.author),
            "created": times.wire(h.created),
            "items": h.items,
        }
        for h in found
    ]


def changelog(ctx: Ctx, row: Issue) -> dict[str, Any]:
    found = history(ctx, row)[::-1]
    return {"startAt": 0, "maxResults": len(found), "total": len(found), "histories": found}


def transitions(ctx: Ctx, row: Issue, with_fields: bool = False) -> list[dict[str, Any]]:
    """The transitions that the issue's workflow offers from where it stands."""
    made = list[dict[str, Any]]()
    for step in site.workflow(row.issuetype):
        if row.status not in step.origins:
            continue
        screen = fields.resolution_meta(ctx, step.resolution == "required") if step.resolution else {}
        made.append({
            "id": str(step.id), "name": step.name, "to": resources.status(ctx, step.to), "hasScreen": bool(step.resolution),
            "isGlobal": False, "isInitial": False, "isAvailable": True, "isConditional": False, "isLooped": False,
            **({"fields": screen} if with_fields else {}),
        })  # fmt: skip
    return made


def names_of(ctx: Ctx, ids: list[str]) -> list[User]:
    return ctx.db.find(User, accountId__in=ids)


__all__ = [
    "BRIEF",
    "LISTED",
    "SHOW",
    "adf",
    "changelog",
    "chosen",
    "head",
    "history",
    "rank_text",
    "shown",
    "subtasks",
    "transitions",
]
