"""Who calls, and what the caller may see: members their own, administrators and owners the organization's."""

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Person

from . import errors, uris
from .models import EventType, Membership, Organization, ScheduledEvent, User


def me(ctx: Ctx) -> User:
    return ctx.require(User, uris.tail(ctx.ref(Person, ctx.agent)))


def membership(ctx: Ctx) -> Membership:
    """The caller's own."""
    found = ctx.db.first(Membership, user=me(ctx).uuid)
    if found is None:
        raise errors.denied(errors.NO_PERMISSION)
    return found


def rules_all(ctx: Ctx) -> bool:
    return membership(ctx).role in ("admin", "owner")


def organization(ctx: Ctx, text: str, *, manage: bool = False) -> Organization:
    """The organization that a URI names, which must be the caller's; `manage` needs an administrator."""
    key = uris.key_of(Organization, text, "organization")
    mine = membership(ctx)
    if key != mine.organization:
        raise errors.denied()
    if manage and mine.role == "user":
        raise errors.denied(errors.NO_PERMISSION)
    return ctx.require(Organization, key)


def own_organization(ctx: Ctx, uuid: str, *, manage: bool = False) -> Organization:
    """The same from a path."""
    found = uris.row_at(ctx, Organization, uuid)
    return organization(ctx, uris.uri(Organization, found.uuid), manage=manage)


def member(ctx: Ctx, text: str, parameter: str = "user") -> User:
    """The user that a URI names, who must be in the organization."""
    found = uris.row_of(ctx, User, text, parameter)
    if ctx.db.first(Membership, user=found.uuid) is None:
        raise errors.denied(errors.NOT_OURS)
    return found


def subject(ctx: Ctx, text: str, parameter: str = "user") -> User:
    """A member whose things the caller may see or change: the caller, or anybody for an administrator."""
    found = member(ctx, text, parameter)
    if found.uuid != me(ctx).uuid and not rules_all(ctx):
        raise errors.denied(errors.NO_PERMISSION)
    return found


def check_event_type(ctx: Ctx, event_type: EventType) -> EventType:
    """Whether the caller may use the event type."""
    caller = me(ctx).uuid
    if caller not in (event_type.owner, *event_type.co_hosts) and not rules_all(ctx):
        raise errors.denied()
    return event_type


def check_event(ctx: Ctx, event: ScheduledEvent, message: str = errors.NO_ACCESS) -> ScheduledEvent:
    """Whether the caller hosts the event or may see all."""
    if me(ctx).uuid not in event.hosts and not rules_all(ctx):
        raise errors.denied(message)
    return event
