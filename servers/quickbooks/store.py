"""Writing rows: their ids, their times and their versions."""

from typing import Any, TypeVar

from legoenv_mcp.app import Ctx

from .models import Attachable, Customer, Employee, Record, Vendor

R = TypeVar("R", bound=Record)


def next_id(ctx: Ctx, cls: type[Record]) -> int:
    """Customers, vendors and employees share one sequence, transactions another; every other list has its own."""
    if cls.transaction:
        return ctx.sequence("transaction")
    if issubclass(cls, (Customer, Vendor, Employee)):
        return ctx.sequence("name")
    if cls is Attachable:
        return ctx.sequence("attachable", start=5000000000000000001)
    return ctx.sequence(cls.__name__)


def insert(ctx: Ctx, cls: type[R], created: str = "", **state: Any) -> R:
    """A new object. `created` keeps the time that a world says."""
    at = created or ctx.timestamp()
    return ctx.db.add(cls(Id=next_id(ctx, cls), CreateTime=at, LastUpdatedTime=at, **state))


def change(ctx: Ctx, row: R, **state: Any) -> R:
    """A new version of an object."""
    return ctx.db.update(row, SyncToken=row.SyncToken + 1, LastUpdatedTime=ctx.timestamp(), **state)


def touch(ctx: Ctx, row: R, **state: Any) -> R:
    """What another transaction's saving does to an object: no new version, but a change that change data capture tells."""
    return ctx.db.update(row, LastUpdatedTime=ctx.timestamp(), **state)
