"""What the platform does around a write, per sObject type: checks, computed fields, consequences in other records."""

from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import Ctx

from .. import errors
from ..metadata import SObjectType
from ..models import Lead, SObject
from . import activities, marketing, people, sales, service
from .change import Change

_MODULES = (people, sales, service, activities, marketing)


def _merged(name: str) -> dict[str, Callable[..., None]]:
    found = dict[str, Callable[..., Any]]()
    for module in _MODULES:
        found.update(getattr(module, name, {}))
    return found


_BEFORE, _AFTER = _merged("BEFORE"), _merged("AFTER")
_REFUSE_DELETE, _AFTER_DELETE = _merged("REFUSE_DELETE"), _merged("AFTER_DELETE")


def before(change: Change) -> None:
    """Checks a change and completes it with the fields that follow from it."""
    _no_circle(change)
    if hook := _BEFORE.get(change.kind.name):
        hook(change)


def after(change: Change) -> None:
    """What a written change brings about in other records."""
    if hook := _AFTER.get(change.kind.name):
        hook(change)


def guard(ctx: Ctx, kind: SObjectType, row: SObject) -> None:
    """Records that may not be changed at all."""
    if isinstance(row, Lead) and row.IsConverted:
        raise errors.refusal("CANNOT_UPDATE_CONVERTED_LEAD", "cannot reference converted lead")


def refuse_delete(ctx: Ctx, kind: SObjectType, row: SObject) -> None:
    if hook := _REFUSE_DELETE.get(kind.name):
        hook(ctx, row)


def after_delete(ctx: Ctx, kind: SObjectType, row: SObject) -> None:
    """What follows in other records from a record's deletion or restoration."""
    if hook := _AFTER_DELETE.get(kind.name):
        hook(ctx, row)


def _no_circle(change: Change) -> None:
    """No record is its own ancestor in a hierarchy of its type."""
    if change.old is None:
        return
    for name in change.sent:
        if change.kind.columns[name].spec.to != (change.kind.name,):
            continue
        seen, above = {change.old.Id}, change.draft.get(name)
        while above:
            if above in seen:
                raise errors.refusal("CIRCULAR_DEPENDENCY", "attempt to violate hierarchy constraints", name)
            seen.add(above)
            row = change.ctx.db.get(change.kind.cls, above)
            above = getattr(row, name) if row else None


__all__ = ["Change", "after", "after_delete", "before", "guard", "refuse_delete"]
