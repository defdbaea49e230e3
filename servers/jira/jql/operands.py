"""What a clause's operands stand for: ids of projects, people, statuses ... by name, id or function."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from legoenv_mcp.app import Ctx

from .. import access, site, times
from ..app import over_mcp
from ..models import Component, Filter, Group, GroupMember, IssueLink, Project, Sprint, Version
from . import dates, syntax
from .schema import Searchable
from .syntax import JqlError, Many, Query, Value

_DEEPEST_FILTER = 5


@dataclass
class Found:
    """The ids that operands stand for, and whether EMPTY was among them."""

    ids: dict[Any, None] = field(default_factory=dict[Any, None])
    empty: bool = False


def unknown_field(name: str) -> str:
    return f"Field '{name}' does not exist or you do not have permission to view it."


def absent(name: str, text: str) -> JqlError:
    if access.number(text) is not None:
        return JqlError(f"A value with ID '{text}' does not exist for the field '{name}'.")
    return JqlError(f"The value '{text}' does not exist for the field '{name}'.")


def flattened(operand: Any) -> list[Value]:
    if isinstance(operand, Many):
        return [value for inner in operand.values for value in flattened(inner)]
    return [operand]


def bad_function(value: Value, name: str) -> JqlError:
    if value.function.lower() not in _FUNCTIONS and value.function.lower() not in dates.NAMES:
        return JqlError(f"Unable to find JQL function '{value.shown}'.")
    return JqlError(f"A value provided by the function '{value.function}' is invalid for the field '{name}'.")


def number(spec: Searchable, name: str, value: Value) -> float:
    if value.function:
        raise bad_function(value, name)
    told = (value.text or "").strip()
    if spec.how == "duration":
        found = times.seconds(told)
        if found is None:
            raise JqlError(f"The value '{told}' for field '{name}' is not a valid duration, e.g. '2h' or '1d 4h'.")
        return found
    try:
        made = float(told)
    except ValueError:
        made = float("nan")
    if made != made or made in (float("inf"), float("-inf")):
        raise JqlError(
            f"Value '{told}' is invalid for the '{name}' field. Votes and numbers must be numbers.".replace(
                "Votes and numbers", "Values"
            )
        )
    return made


def saved(ctx: Ctx, name: str, value: Value, depth: int) -> Query:
    """The query of a saved filter, by id or name."""
    if value.function:
        raise bad_function(value, name)
    told = value.text or ""
    id = access.number(told)
    row = (ctx.db.get(Filter, id) if id is not None else None) or ctx.db.first(Filter, name=told)
    if row is None:
        raise absent(name, told)
    if depth >= _DEEPEST_FILTER:
        raise JqlError(f"Field '{name}' with value '{told}' matches filter '{row.name}' and causes a cyclical reference, this query can not"
                       " be executed and should be edited.")  # fmt: skip
    return syntax.parse(row.jql)


# Functions that stand for values: name -> (kinds of field they are for, fewest and most arguments, what they mean)


def _current(ctx: Ctx, value: Value) -> Iterable[Any]:
    return [access.me(ctx).accountId]


def _members(ctx: Ctx, value: Value) -> Iterable[Any]:
    wanted = value.arguments[0]
    group = ctx.db.first(Group, name=wanted) or ctx.db.get(Group, wanted)
    if group is None:
        raise JqlError(
            f"Function 'membersOf' can not generate a list of usernames for group '{wanted}'; the group does not exist."
        )
    return [m.accountId for m in ctx.db.find(GroupMember, groupId=group.groupId)]


def _sprints(state: str) -> Callable[[Ctx, Value], Iterable[Any]]:
    return lambda ctx, value: [s.id for s in ctx.db.find(Sprint, state=state)]


def _versions(released: bool) -> Callable[[Ctx, Value], Iterable[Any]]:
    def find(ctx: Ctx, value: Value) -> Iterable[Any]:
        wanted = {_project(ctx, a) for a in value.arguments}
        found = ctx.db.find(Version, released=released, archived=False)
        return [v.id for v in found if not wanted or v.project_id in wanted]

    return find


def _at_the_edge(released: bool) -> Callable[[Ctx, Value], Iterable[Any]]:
    """The latest released or the earliest unreleased version of a project."""

    def find(ctx: Ctx, value: Value) -> Iterable[Any]:
        project = _project(ctx, value.arguments[0])
        found = ctx.db.find(Version, project_id=project, released=released, archived=False, order="position")
        return [v.id for v in (found[-1:] if released else found[:1])]

    return find


def _led_components(ctx: Ctx, value: Value) -> Iterable[Any]:
    leads = _users(ctx, "component", value.arguments[0]) if value.arguments else [access.me(ctx).accountId]
    return [c.id for c in ctx.db.find(Component) if c.lead in leads]


def _updated_by(ctx: Ctx, value: Value) -> Iterable[Any]:
    """Issues that somebody created, changed or commented on, since and until a time."""
    who = _users(ctx, "issue", value.arguments[0])[0]
    edges = [times.moment(dates.moment(Value(a), "updatedBy", ctx.now)) for a in value.arguments[1:]]
    start, end = (*edges, "", "9999")[:2] if len(edges) == 2 else (edges[0] if edges else "", "9999")
    sql = (
        'SELECT issue_id AS id, author AS who, created AS at FROM changelog UNION ALL SELECT issue_id, author, created FROM "comment"'
        " UNION ALL SELECT id, creator, created FROM issue"
    )
    return [
        r["id"] for r in ctx.db.query(f"SELECT id FROM ({sql}) WHERE who = ? AND at BETWEEN ? AND ?", [who, start, end])
    ]


def _project(ctx: Ctx, text: str) -> int:
    return next(iter(_projects(ctx, "project", text)))


def _kinds(test: Callable[[site.Kind], bool]) -> Callable[[Ctx, Value], Iterable[Any]]:
    return lambda ctx, value: [k.id for k in site.KINDS.values() if test(k)]


def _linked(ctx: Ctx, value: Value) -> Iterable[Any]:
    row = _issue(ctx, "issue", value.arguments[0])
    wanted = value.arguments[1].casefold() if len(value.arguments) > 1 else None
    links = ctx.db.find(IssueLink, inward=row) + ctx.db.find(IssueLink, outward=row)
    found = list[int]()
    for link in links:
        type = site.LINK_TYPES[link.type]
        words, other = (type.outward, link.outward) if link.inward == row else (type.inward, link.inward)
        if wanted in (None, words.casefold(), type.name.casefold()):
            found.append(other)
    return found


def _watched(table: str) -> Callable[[Ctx, Value], Iterable[Any]]:
    sql = f'SELECT issue_id FROM "{table}" WHERE accountId = ?'
    return lambda ctx, value: [r["issue_id"] for r in ctx.db.query(sql, [access.me(ctx).accountId])]


def _led(ctx: Ctx, value: Value) -> Iterable[Any]:
    leads = _users(ctx, "project", value.arguments[0]) if value.arguments else [access.me(ctx).accountId]
    return [p.id for p in ctx.db.find(Project) if p.lead in leads]


_USERS = ("user", "watcher", "work_author")
_FUNCTIONS: dict[str, tuple[tuple[str, ...], int, int, Callable[[Ctx, Value], Iterable[Any]]]] = {
    "currentuser": (_USERS, 0, 0, _current),
    "membersof": (_USERS, 1, 1, _members),
    "opensprints": (("sprint",), 0, 0, _sprints("active")),
    "closedsprints": (("sprint",), 0, 0, _sprints("closed")),
    "futuresprints": (("sprint",), 0, 0, _sprints("future")),
    "releasedversions": (("parts",), 0, 50, _versions(True)),
    "unreleasedversions": (("parts",), 0, 50, _versions(False)),
    "latestreleasedversion": (("parts",), 1, 1, _at_the_edge(True)),
    "earliestunreleasedversion": (("parts",), 1, 1, _at_the_edge(False)),
    "componentsleadbyuser": (("parts",), 0, 1, _led_components),
    "updatedby": (("key", "issue"), 1, 3, _updated_by),
    "standardissuetypes": (("option",), 0, 0, _kinds(lambda k: k.level >= 0)),
    "subtaskissuetypes": (("option",), 0, 0, _kinds(lambda k: k.level < 0)),
    "linkedissues": (("key", "issue"), 1, 2, _linked),
    "watchedissues": (("key", "issue"), 0, 0, _watched("watcher")),
    "votedissues": (("key", "issue"), 0, 0, _watched("vote")),
    "projectsleadbyuser": (("project",), 0, 1, _led),
}


def _call(ctx: Ctx, spec: Searchable, name: str, value: Value) -> Iterable[Any]:
    known = _FUNCTIONS.get(value.function.lower())
    kind_only = {"standardissuetypes": "issuetype", "subtaskissuetypes": "issuetype"}.get(value.function.lower())
    if known is None or spec.how not in known[0] or (kind_only and spec.name != kind_only):
        raise bad_function(value, name)
    if spec.how == "parts" and (spec.options == "component") != (value.function.lower() == "componentsleadbyuser"):
        raise bad_function(value, name)
    _, fewest, most, find = known
    if not fewest <= len(value.arguments) <= most:
        wanted = f"'{fewest}'" if fewest == most else f"between '{fewest}' and '{most}'"
        raise JqlError(
            f"Function '{value.function}' expected {wanted} arguments but received '{len(value.arguments)}'."
        )
    return find(ctx, value)


# Names and ids


def _projects(ctx: Ctx, name: str, text: str) -> list[int]:
    wanted = text.strip().casefold()
    found = [p.id for p in ctx.db.find(Project) if wanted in (p.key.casefold(), p.name.casefold(), str(p.id))]
    if not found:
        raise absent(name, text)
    return found


def _users(ctx: Ctx, name: str, text: str) -> list[str]:
    found = [u.accountId for u in access.people(ctx, text)]
    if not found:
        raise JqlError(f"The value '{text}' does not exist for the field '{name}'.")
    return found


def _issue(ctx: Ctx, name: str, text: str) -> int:
    row = access.issue_or_none(ctx, text)
    if row is None:
        how = f"A value with ID '{text}'" if access.number(text) is not None else f"An issue with key '{text}'"
        raise JqlError(f"{how} does not exist for field '{name}'.")
    return row.id


def _rows(ctx: Ctx, cls: Any, name: str, text: str) -> list[int]:
    wanted, id = text.strip().casefold(), access.number(text)
    found = [r.id for r in ctx.db.find(cls) if r.name.casefold() == wanted] or [
        r.id for r in ctx.db.find(cls, id=id) if id is not None
    ]
    if not found:
        raise absent(name, text)
    return found


def _links(name: str, text: str) -> list[tuple[int, str]]:
    """Types of links by their words, which are those of one side, or by name."""
    wanted, types = text.strip().casefold(), site.LINK_TYPES.values()
    found = [(t.id, "inward") for t in types if wanted == t.outward] + [
        (t.id, "outward") for t in types if wanted == t.inward
    ]
    if not found:
        found = [
            (t.id, side) for t in types for side in ("inward", "outward") if wanted in (t.name.casefold(), str(t.id))
        ]
    if not found:
        raise absent(name, text)
    return found


def _category(ctx: Ctx, spec: Searchable, name: str, text: str) -> list[int]:
    wanted = text.strip().casefold()
    found = [c.id for c in site.CATEGORIES if wanted in (c.key, c.name.casefold(), str(c.id))]
    if not found:
        raise absent(name, text)
    return found


def _named(ctx: Ctx, spec: Searchable, name: str, text: str) -> list[Any]:
    if spec.how == "project":
        return _projects(ctx, name, text)
    if spec.how in _USERS:
        return _users(ctx, name, text)
    if spec.how in ("key", "issue"):
        return [_issue(ctx, name, text)]
    if spec.how == "labels":
        return [text.strip().casefold()]
    if spec.how == "sprint":
        return _rows(ctx, Sprint, name, text)
    if spec.how == "parts":
        return _rows(ctx, Version if spec.options == "version" else Component, name, text)
    if spec.how == "category":
        return _category(ctx, spec, name, text)
    if spec.how == "link":
        return _links(name, text)
    option = site.named(spec.options, text)
    if option is None:
        known = ", ".join(o.name for o in spec.options.values())
        raise JqlError(f"{absent(name, text)}{f' Valid: {known}.' if over_mcp(ctx) else ''}")
    return [option.id]


def resolve(ctx: Ctx, spec: Searchable, name: str, values: Iterable[Value]) -> Found:
    """The ids that these operands stand for."""
    found = Found()
    for value in values:
        if value.function:
            found.ids.update(dict.fromkeys(_call(ctx, spec, name, value)))
        elif value.text is None or (spec.name == "resolution" and value.text.strip().casefold() == "unresolved"):
            found.empty = True
        else:
            found.ids.update(dict.fromkeys(_named(ctx, spec, name, value.text)))
    return found
