"""Searching tasks: each parameter a condition, all of which hold. https://developers.asana.com/reference/searchtasksforworkspace"""

import re
from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import Ctx

from . import access, custom
from .app import bad
from .models import (
    Attachment,
    Comment,
    CustomField,
    Dependency,
    Membership,
    Portfolio,
    PortfolioItem,
    Project,
    Section,
    Tag,
    Task,
    TaskProject,
    Team,
)  # fmt: skip

Test = Callable[[Any], bool]
CUSTOM = re.compile(r"custom_fields\.(\d+)\.(is_set|value|starts_with|ends_with|contains|less_than|greater_than)")
_DATES = re.compile(r"(due|start|created|completed|modified)_(on|at)(?:\.(before|after))?")
SORTS = {"due_date": "due_on", "created_at": "created_at", "completed_at": "completed_at", "modified_at": "modified_at"}


EITHER = ("projects.any", "sections.any")
"""Given together they find the tasks of the projects and those of the sections."""


class Search:
    """One search: what its conditions look at, read once."""

    def __init__(self, ctx: Ctx) -> None:
        self.ctx = ctx
        self.places: dict[str, list[TaskProject]] = {}
        for place in ctx.db.find(TaskProject):
            self.places.setdefault(place.task, []).append(place)
        self.parents = {t.gid: t.parent for t in ctx.db.find(Task, parent__null=False)}

    def line(self, task: Task) -> list[str]:
        """A task and those it is part of."""
        found, at = list[str](), task.gid
        while at is not None and at not in found:
            found.append(at)
            at = self.parents.get(at)
        return found

    def projects(self, task: Task) -> set[str]:
        """Those it is in, itself or through an ancestor."""
        return {p.project for gid in self.line(task) for p in self.places.get(gid, ())}

    def sections(self, task: Task) -> set[str]:
        return {p.section for p in self.places.get(task.gid, ())}


def _people(ctx: Ctx, text: str, field: str) -> set[str | None]:
    """Users, and "null" for nobody."""
    found = set[str | None]()
    for part in text.split(","):
        told = part.strip()
        found.add(None if told == "null" else access.person(ctx, told, field).gid)
    return found


def _objects(ctx: Ctx, cls: Any, text: str, field: str) -> set[str]:
    return {access.named(ctx, cls, part.strip(), field).gid for part in text.split(",")}


def _sets(how: str, wanted: set[Any], have: Callable[[Any], set[Any]]) -> Test:
    if how == "any":
        return lambda t: bool(wanted & have(t))
    if how == "not":
        return lambda t: not wanted & have(t)
    return lambda t: wanted <= have(t)


def _date(ctx: Ctx, name: str, text: str) -> Test:
    found = _DATES.fullmatch(name)
    assert found is not None
    what, kind, how = found[1], found[2], found[3]
    if text == "null" and kind == "on" and how is None:
        return lambda t: getattr(t, f"{what}_on" if what in ("due", "start") else f"{what}_at") is None
    wanted = (access.day if kind == "on" else lambda text, field: access.moment(ctx, text, field))(text, name) or ""

    def value(t: Any) -> str:
        if what in ("due", "start") and kind == "on":
            return getattr(t, f"{what}_on") or ""
        at = getattr(t, f"{what}_at", "") or ""  # a project is due on a day alone
        return at[:10] if kind == "on" else at

    if how == "before":
        return lambda t: bool(value(t)) and value(t) < wanted
    if how == "after":
        return lambda t: value(t) > wanted
    return lambda t: value(t) == wanted


def _words(text: str) -> Test:
    """Every word of the text begins a word of the name or the description."""
    wanted = re.findall(r"\w+", text.lower())

    def test(t: Task) -> bool:
        have = re.findall(r"\w+", f"{t.name} {t.notes}".lower())
        return all(any(h.startswith(w) for h in have) for w in wanted)

    return test


def _custom(ctx: Ctx, gid: str, how: str, text: str) -> Test:
    field = access.named(ctx, CustomField, gid, "custom_fields")
    name, kind = f"custom_fields.{gid}.{how}", field.resource_subtype
    if how == "is_set":
        if text not in ("true", "false"):
            raise bad(f"{name}: Value is not a boolean: {text[:100]}")
        return lambda t: (t.custom.get(gid) is not None) == (text == "true")
    if how in ("starts_with", "ends_with", "contains"):
        if kind != "text":
            raise bad(f"{name}: Only text custom fields can be searched like this")
        low = text.lower()
        tests = {"starts_with": str.startswith, "ends_with": str.endswith, "contains": str.__contains__}
        return lambda t: tests[how](str(t.custom.get(gid) or "").lower(), low) and t.custom.get(gid) is not None
    if how in ("less_than", "greater_than") or kind == "number":
        if kind != "number":
            raise bad(f"{name}: Only number custom fields can be compared")
        try:
            limit = float(text)
        except ValueError:
            raise bad(f"{name}: Value is not a number: {text[:100]}") from None
        compare: dict[str, Callable[[float], bool]] = {
            "less_than": lambda v: v < limit, "greater_than": lambda v: v > limit, "value": lambda v: v == limit,
        }  # fmt: skip
        return lambda t: t.custom.get(gid) is not None and compare[how](t.custom[gid])
    if kind in ("enum", "multi_enum"):
        for part in text.split(","):
            if custom.option(field, part.strip()) is None:
                raise bad(f"{name}: Not a recognized ID: {part[:100]}")
        wanted = {part.strip() for part in text.split(",")}
        return lambda t: bool(wanted & set(t.custom.get(gid) or [] if kind == "multi_enum" else [t.custom.get(gid)]))
    if kind == "people":
        users = _people(ctx, text, name)
        return lambda t: bool(users & set(t.custom.get(gid) or []))
    if kind == "date":
        on = access.day(text, name)
        return lambda t: (t.custom.get(gid) or {}).get("date") == on
    return lambda t: (t.custom.get(gid) or "") == text


def tests(ctx: Ctx, given: dict[str, Any], more: dict[str, str]) -> list[Test]:
    """The conditions of a search: parameters by name, and those on custom fields, whose names hold the field's gid."""
    s, made = Search(ctx), list[Test]()
    either = [_related(ctx, s, name, name.removesuffix(".any"), "any", given[name]) for name in EITHER if name in given]
    if len(either) == len(EITHER):
        made.append(lambda t: any(test(t) for test in either))
        given = {name: value for name, value in given.items() if name not in EITHER}
    for name, value in given.items():
        what, _, how = name.partition(".")
        if _DATES.fullmatch(name):
            made.append(_date(ctx, name, value))
        elif how:
            made.append(_related(ctx, s, name, what, how, value))
        elif name == "text":
            made.append(_words(value))
        elif name == "resource_subtype":
            made.append(lambda t, v=value: t.resource_subtype == v)
        elif name == "completed":
            made.append(lambda t, v=value: t.completed == v)
        elif name == "is_subtask":
            made.append(lambda t, v=value: (t.parent is not None) == v)
        elif name == "has_attachment":
            having = {a.parent for a in ctx.db.find(Attachment)}
            made.append(lambda t, v=value, h=having: (t.gid in h) == v)
        else:
            made.append(_waiting(ctx, name, value))
    for name, value in more.items():
        found = CUSTOM.fullmatch(name)
        if found is None:
            raise bad(f"{name[:100]}: Unsupported search parameter")
        made.append(_custom(ctx, found[1], found[2], value))
    return made


def _waiting(ctx: Ctx, name: str, value: bool) -> Test:
    open_ = {t.gid for t in ctx.db.find(Task, completed=False)}
    links = ctx.db.find(Dependency)
    if name == "is_blocking":
        found = {d.depends_on for d in links if d.depends_on in open_}
    else:
        found = {d.task for d in links if d.depends_on in open_}
    return lambda t: (t.gid in found) == value


_PEOPLE: dict[str, Callable[[Task], set[Any]]] = {
    "assignee": lambda t: {t.assignee}, "created_by": lambda t: {t.created_by}, "assigned_by": lambda t: {t.assigned_by},
    "followers": lambda t: set(t.followers), "liked_by": lambda t: set(t.likes),
}  # fmt: skip


def _related(ctx: Ctx, s: Search, name: str, what: str, how: str, text: str) -> Test:
    if what in _PEOPLE:
        return _sets(how, _people(ctx, text, name), _PEOPLE[what])
    if what == "commented_on_by":
        said = dict[str, set[Any]]()
        for comment in ctx.db.find(Comment):
            said.setdefault(comment.target, set()).add(comment.created_by)
        return _sets(how, _people(ctx, text, name), lambda t: said.get(t.gid, set()))
    if what == "projects":
        return _sets(how, _objects(ctx, Project, text, name), s.projects)
    if what == "sections":
        return _sets(how, _objects(ctx, Section, text, name), s.sections)
    if what == "tags":
        return _sets(how, _objects(ctx, Tag, text, name), lambda t: set(t.tags))
    if what == "portfolios":
        wanted = _objects(ctx, Portfolio, text, name)
        inside = {i.project for i in ctx.db.find(PortfolioItem) if i.portfolio in wanted}
        return _sets(how, inside, s.projects)
    wanted = _objects(ctx, Team, text, name)
    inside = {p.gid for p in ctx.db.find(Project) if p.team in wanted}
    return _sets(how, inside, s.projects)


def search(ctx: Ctx, given: dict[str, Any], more: dict[str, str], sort_by: str, ascending: bool) -> list[Task]:
    """The tasks that pass, sorted."""
    conditions, hidden = tests(ctx, given, more), access.hidden_projects(ctx)
    found = [t for t in ctx.db.find(Task) if all(test(t) for test in conditions) and access.sees_task(ctx, t, hidden)]
    if sort_by == "likes":
        return sorted(found, key=lambda t: (len(t.likes), t.gid), reverse=not ascending)
    if sort_by == "relevance":
        text = str(given.get("text", "")).lower()
        return sorted(found, key=lambda t: (text in t.name.lower(), t.modified_at, t.gid), reverse=not ascending)
    return ordered(found, sort_by, ascending)


def ordered(found: list[Any], sort_by: str, ascending: bool) -> list[Any]:
    """By a date, those without it last."""
    column = SORTS[sort_by]
    having = sorted(
        (t for t in found if getattr(t, column)), key=lambda t: (getattr(t, column), t.gid), reverse=not ascending
    )
    return having + [t for t in found if not getattr(t, column)]


def projects(ctx: Ctx, given: dict[str, Any], sort_by: str, ascending: bool) -> list[Project]:
    """The projects that the caller may see and that pass, sorted."""
    members, items = dict[str, set[Any]](), dict[str, set[Any]]()
    for m in ctx.db.find(Membership, kind="project"):
        members.setdefault(m.parent, set()).add(m.member)
    for item in ctx.db.find(PortfolioItem):
        items.setdefault(item.project, set()).add(item.portfolio)
    have: dict[str, tuple[Any, Callable[[Project], set[Any]]]] = {
        "owner": (None, lambda p: {p.owner}), "members": (None, lambda p: members.get(p.gid, set())),
        "teams": (Team, lambda p: {p.team}), "portfolios": (Portfolio, lambda p: items.get(p.gid, set())),
    }  # fmt: skip
    hidden, conditions = access.hidden_projects(ctx), list[Test]()
    for name, value in given.items():
        what, _, how = name.partition(".")
        if what in have:
            cls, get = have[what]
            wanted = _people(ctx, value, name) if cls is None else _objects(ctx, cls, value, name)
            conditions.append(_sets(how, wanted, get))
        elif _DATES.fullmatch(name):
            conditions.append(_date(ctx, name, value))
        elif name == "text":
            conditions.append(lambda p, v=value.lower(): v in p.name.lower())
        else:
            conditions.append(lambda p, v=value: p.completed == v)
    found = [p for p in ctx.db.find(Project) if p.gid not in hidden and all(test(p) for test in conditions)]
    return ordered(found, sort_by, ascending)
