"""Side-loading: records beside a list that its records name. https://developer.zendesk.com/documentation/ticketing/using-the-zendesk-api/side_loading/"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field

from . import resources
from .metrics import metric_of
from .models import Audit, Comment, Group, GroupMembership, Identity, Organization, Ticket, User

Include = Annotated[
    str | None,
    Field(description="Records to answer beside these, with commas between: users, groups, organizations, ..."),
]


def words(include: str | None) -> set[str]:
    return {word.strip() for word in (include or "").split(",")}


def _users(ctx: Ctx, keys: Iterable[int | None]) -> list[dict[str, Any]]:
    return [resources.user(ctx, u) for u in ctx.db.find(User, id__in=sorted({k for k in keys if k}))]


def of_tickets(ctx: Ctx, rows: Sequence[Ticket], include: str | None) -> dict[str, Any]:
    """What tickets name: users, groups, organizations."""
    wanted, out = words(include), dict[str, Any]()
    if "users" in wanted:
        keys = [
            k for t in rows for k in (t.requester_id, t.submitter_id, t.assignee_id, *t.follower_ids, *t.email_cc_ids)
        ]
        out["users"] = _users(ctx, keys)
    if "groups" in wanted:
        keys = sorted({t.group_id for t in rows if t.group_id})
        out["groups"] = [resources.group(ctx, g) for g in ctx.db.find(Group, id__in=keys)]
    if "organizations" in wanted:
        keys = sorted({t.organization_id for t in rows if t.organization_id})
        out["organizations"] = [resources.organization(ctx, o) for o in ctx.db.find(Organization, id__in=keys)]
    if "last_audits" in wanted:
        last = [ctx.db.first(Audit, ticket_id=t.id, order="-created_at,-id") for t in rows]
        out["last_audits"] = [resources.audit(ctx, a) for a in last if a]
    return out


def in_tickets(ctx: Ctx, shown: Iterable[dict[str, Any]], include: str | None) -> None:
    """What goes into each ticket itself: metric sets, counts of comments."""
    wanted = words(include)
    for one in shown:
        if "metric_sets" in wanted and (row := ctx.db.get(Ticket, one["id"])):
            one["metric_set"] = metric_of(ctx, row)
        if "comment_count" in wanted:
            one["comment_count"] = ctx.db.count(Comment, ticket_id=one["id"])


def of_users(ctx: Ctx, rows: Sequence[User], include: str | None) -> dict[str, Any]:
    wanted, out = words(include), dict[str, Any]()
    if "organizations" in wanted:
        keys = sorted({u.organization_id for u in rows if u.organization_id})
        out["organizations"] = [resources.organization(ctx, o) for o in ctx.db.find(Organization, id__in=keys)]
    if "groups" in wanted:
        members = ctx.db.find(GroupMembership, user_id__in=[u.id for u in rows])
        out["groups"] = [
            resources.group(ctx, g) for g in ctx.db.find(Group, id__in=sorted({m.group_id for m in members}))
        ]
    if "identities" in wanted:
        out["identities"] = [
            resources.identity(ctx, i) for i in ctx.db.find(Identity, user_id__in=[u.id for u in rows])
        ]
    if "open_ticket_count" in wanted:
        out["open_ticket_count"] = {
            str(u.id): ctx.db.count(
                Ticket, requester_id=u.id, status__in=("new", "open", "pending", "hold"), deleted=False
            )
            for u in rows
        }
    return out


def of_memberships(
    ctx: Ctx, user_ids: Iterable[int], include: str | None, **others: list[dict[str, Any]]
) -> dict[str, Any]:
    wanted = words(include)
    out: dict[str, Any] = {name: rows for name, rows in others.items() if name in wanted}
    if "users" in wanted:
        out["users"] = _users(ctx, user_ids)
    return out
