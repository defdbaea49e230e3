"""What Asana notes of every change: stories on the task, and events for those who sync."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from legoenv_mcp.app import Ctx, Row

from . import access
from .fields import KINDS
from .models import Comment, Event, Project, Section, Story, Task, TaskProject


def tell(ctx: Ctx, target: Task, subtype: str, text: str, /, **data: Any) -> None:
    """A story that the system tells of a task."""
    ctx.db.add(
        Story(
            gid=access.new_gid(ctx), target=target.gid, resource_subtype=subtype, text=text, created_by=access.me(ctx).gid,
            created_at=access.now(ctx), n=access.story_number(ctx), data=data,
        )
    )  # fmt: skip


def scope_of(ctx: Ctx, row: Any) -> list[str]:
    """Whose events a change to this object is among: its own, its task's, its parents' and their projects'."""
    found, at = [row.gid], row
    if isinstance(row, (Comment, Story)):
        found.append(row.target)
        at = ctx.db.get(Task, row.target)
    elif isinstance(row, Section):
        found.append(row.project)
    while isinstance(at, Task):
        found.append(at.gid)
        found += [place.project for place in ctx.db.find(TaskProject, task=at.gid)]
        at = ctx.db.get(Task, at.parent) if at.parent else None
    return list(dict.fromkeys(found))


def brief(row: Any) -> dict[str, Any]:
    """How events name an object."""
    made = {"gid": row.gid, "resource_type": KINDS[type(row)].name}
    if isinstance(row, Task):
        made["resource_subtype"] = row.resource_subtype
    elif isinstance(row, (Comment, Story)):
        made["resource_subtype"] = "comment_added" if isinstance(row, Comment) else row.resource_subtype
    if (name := getattr(row, "name", None)) is not None:
        made["name"] = name
    return made


def happened(
    ctx: Ctx, row: Row, action: Any, *, parent: Any = None, change: dict[str, Any] | None = None, also: Iterable[str] = ()
) -> None:  # fmt: skip
    """An event about an object; `also` names further resources whose events it is among."""
    told = brief(row)
    ctx.db.add(
        Event(
            scope=list(dict.fromkeys([*scope_of(ctx, row), *also])), resource=told["gid"], kind=told["resource_type"], action=action,
            user=access.me(ctx).gid, parent=brief(parent) if parent is not None else None, change=change, gone=told,
            created_at=access.now(ctx),
        )
    )  # fmt: skip


def changed(ctx: Ctx, row: Row, field: str, value: Any = None, action: str = "changed") -> None:
    """The event that a field of an object changed; relations say which object came or went."""
    said: dict[str, Any] = {"field": field, "action": action}
    if value is not None:
        said[{"added": "added_value", "removed": "removed_value"}.get(action, "new_value")] = brief(value)
    happened(ctx, row, "changed", change=said)


def spoken(day: str | None) -> str:
    """A day as stories speak of it."""
    if not day:
        return ""
    found = date.fromisoformat(day[:10])
    return f"{found:%b} {found.day}"


def touched(ctx: Ctx, row: Task | Project, **changes: Any) -> None:
    """Writes changes to a task or project, with the time at which it changed."""
    ctx.db.update(row, **changes, modified_at=access.now(ctx))
