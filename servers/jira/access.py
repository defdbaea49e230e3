"""Who calls, what they may, and finding things by what callers name them by."""

from typing import Any

from legoenv_mcp.app import ApiError, Ctx, draw
from legoenv_mcp.capabilities.people import Person

from .app import refuse
from .models import Board, Component, Group, GroupMember, Issue, Project, Site, Sprint, User, Version

ISSUE_ABSENT = "Issue does not exist or you do not have permission to see it."
_MOST_DIGITS = 18


def account_id(key: str) -> str:
    """A person's account id follows from the key, so that a manager can be named before being filled."""
    return draw("jira", "user", key, size=12).hex()


def me(ctx: Ctx) -> User:
    return ctx.require(User, ctx.ref(Person, ctx.agent))


def base_url(ctx: Ctx) -> str:
    """What links in answers start with."""
    if ctx.request.base:
        return ctx.request.base
    site = ctx.db.get(Site, 1)
    return site.base_url if site else ""


def number(text: object) -> int | None:
    """An id as a number; None where it is none."""
    told = str(text)
    return int(told) if told.isascii() and told.isdecimal() and len(told) <= _MOST_DIGITS else None


def issue_or_none(ctx: Ctx, name: object) -> Issue | None:
    """An issue by id or key, whatever the key's case."""
    found = number(name)
    if found is not None:
        return ctx.db.get(Issue, found)
    return ctx.db.first(Issue, key=str(name).strip().upper())


def issue(ctx: Ctx, name: object) -> Issue:
    found = issue_or_none(ctx, name)
    if found is None:
        raise refuse(404, ISSUE_ABSENT)
    return found


def writable(ctx: Ctx, name: object) -> Issue:
    """An issue to be changed: those of an archived project are read-only."""
    found = issue(ctx, name)
    if ctx.require(Project, found.project_id).archived:
        raise refuse(400, "You cannot edit this issue because its project is archived.")
    return found


def project_or_none(ctx: Ctx, name: object) -> Project | None:
    found = number(name)
    if found is not None:
        return ctx.db.get(Project, found)
    return ctx.db.first(Project, key=str(name).strip().upper())


def project(ctx: Ctx, name: object) -> Project:
    found = project_or_none(ctx, name)
    if found is None:
        how = "id" if number(name) is not None else "key"
        raise refuse(404, f"No project could be found with {how} '{name}'.")
    return found


def by_id(ctx: Ctx, cls: Any, id: object, message: str) -> Any:
    """A row by its numeric id; 404 with this message where there is none."""
    found = number(id)
    row = None if found is None else ctx.db.get(cls, found)
    if row is None:
        raise refuse(404, message)
    return row


def component(ctx: Ctx, id: str) -> Component:
    return by_id(ctx, Component, id, f"The component with id {id} does not exist.")


def version(ctx: Ctx, id: str) -> Version:
    return by_id(ctx, Version, id, f"Could not find version for id '{id}'")


def board(ctx: Ctx, id: object) -> Board:
    return by_id(ctx, Board, id, "Board does not exist or you do not have permission to view it.")


def sprint(ctx: Ctx, id: object) -> Sprint:
    return by_id(ctx, Sprint, id, "Sprint does not exist or you do not have permission to view it.")


# People


def user(ctx: Ctx, account: object) -> User:
    found = ctx.db.get(User, str(account))
    if found is None:
        raise refuse(404, f"Specified user does not exist or you do not have required permissions: {account}")
    return found


def people(ctx: Ctx, text: str) -> list[User]:
    """Those whom a text names exactly: by account id, mail address or display name."""
    found = ctx.db.get(User, text)
    if found:
        return [found]
    wanted = text.strip().casefold()
    every = ctx.db.find(User)
    return [u for u in every if u.emailAddress.casefold() == wanted] or [
        u for u in every if u.displayName.casefold() == wanted
    ]


def matching(ctx: Ctx, query: str) -> list[User]:
    """Users whose name, a part of it, or mail address begins with the text."""
    wanted, found = query.strip().casefold(), list[User]()
    for row in ctx.db.find(User, accountType="atlassian", order="displayName"):
        name = row.displayName.casefold()
        starts = [name, row.emailAddress.casefold(), *name.replace("-", " ").split()]
        if not wanted or wanted == row.accountId or any(text.startswith(wanted) for text in starts):
            found.append(row)
    return found


def person(ctx: Ctx, text: str, field: str = "assignee") -> User:
    """The one whom an agent names by account id, mail address or display name."""
    found = people(ctx, text)
    if len(found) != 1:
        why = f"User '{text}' does not exist." if not found else f"'{text}' is the name of {len(found)} users."
        near = found or (matching(ctx, text) if text.strip() else [])
        if near:
            why += f" Is it {' or '.join(f'{u.displayName} <{u.emailAddress}>' for u in near[:5])}?"
        raise ApiError(400, why, messages=[], errors={field: why})
    return found[0]


def assignable(found: User) -> bool:
    return found.active and found.accountType == "atlassian"


def groups_of(ctx: Ctx, found: User) -> list[Group]:
    mine = ctx.db.find(GroupMember, accountId=found.accountId)
    return [ctx.require(Group, m.groupId) for m in mine]


def administers(ctx: Ctx, found: Project) -> bool:
    """Whether the caller is the project's administrator: its lead, or the site's."""
    caller = me(ctx)
    return caller.admin or found.lead == caller.accountId


def require_administrator(ctx: Ctx, found: Project) -> None:
    if not administers(ctx, found):
        raise refuse(403, f"You do not have permission to administer the project with key '{found.key}'.")


def require_site_administrator(ctx: Ctx) -> None:
    if not me(ctx).admin:
        raise refuse(403, "You are not authorized to perform this action. Administrator privileges are required.")
