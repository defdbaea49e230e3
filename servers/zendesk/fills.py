"""A world's entities as rows, with their own dates."""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import crm, helpdesk
from legoenv_mcp.capabilities.people import Person

from . import ids, talk
from .models import (
    Audit,
    Brand,
    Comment,
    Group,
    GroupMembership,
    Identity,
    Organization,
    OrganizationMembership,
    Ticket,
    User,
)
from .seed import SINCE
from .tagging import clean


def person(ctx: Ctx, entity: Person) -> str:
    """Everybody of the company has a seat. Who has left is suspended."""
    when = f"{entity.start_date}T09:00:00Z" if entity.start_date else SINCE
    manager = ctx.ref(Person, entity.manager) if entity.manager and ctx.has_ref(Person, entity.manager) else ""
    fields = {
        "job_title": entity.title, "department": entity.department, "manager": manager, "city": entity.city,
        "country": entity.country, "start_date": entity.start_date,
    }  # fmt: skip
    row = ctx.db.add(User(
        id=ids.new(ctx, "user"), name=entity.name, given_name=entity.first_name, email=entity.email.lower(),
        role="admin" if entity.admin else "agent", phone=entity.phone or None, alias=entity.handle, time_zone=entity.time_zone,
        user_fields={name: value for name, value in fields.items() if value}, verified=True, suspended=not entity.active,
        created_at=when, updated_at=when,
    ))  # fmt: skip
    _identity(ctx, row, when)
    if entity.key == ctx.agent:
        group = ctx.db.first(Group, default=True)
        if group is not None and not ctx.db.count(GroupMembership, group_id=group.id):
            _join(ctx, row, group, when)
    return str(row.id)


def _identity(ctx: Ctx, row: User, when: str) -> None:
    ctx.db.add(Identity(
        id=ids.new(ctx, "identity"), user_id=row.id, type="email", value=row.email or "", verified=True, primary=True,
        created_at=when, updated_at=when,
    ))  # fmt: skip


def _join(ctx: Ctx, row: User, group: Group, when: str) -> None:
    first = row.default_group_id is None
    ctx.db.add(GroupMembership(
        id=ids.new(ctx, "group_membership"), user_id=row.id, group_id=group.id, default=first, created_at=when, updated_at=when,
    ))  # fmt: skip
    if first:
        ctx.db.update(row, default_group_id=group.id)


def company(ctx: Ctx, entity: crm.Company) -> str:
    when = entity.created or SINCE
    owner = ctx.ref(Person, entity.owner) if entity.owner and ctx.has_ref(Person, entity.owner) else ""
    kept = entity.model_dump(exclude={"key", "id", "name", "domain", "description", "created", "owner"}) | {
        "owner": owner
    }
    row = ctx.db.add(Organization(
        id=ids.new(ctx, "organization"), name=entity.name, domain_names=[entity.domain] if entity.domain else [],
        notes=entity.description or None, organization_fields={n: v for n, v in kept.items() if v not in (None, "")},
        created_at=when, updated_at=when,
    ))  # fmt: skip
    return str(row.id)


def _organization(ctx: Ctx, entity: helpdesk.Requester) -> int | None:
    """The requester's organization; one is made where the world tells no more of the company than its key."""
    if not entity.company:
        return None
    if ctx.has_ref(crm.Company, entity.company):
        return int(ctx.ref(crm.Company, entity.company))
    name = entity.company.replace("-", " ").title()
    found = ctx.db.first(Organization, name=name)
    if found is None:
        when = entity.created or SINCE
        found = ctx.db.add(Organization(id=ids.new(ctx, "organization"), name=name, created_at=when, updated_at=when))
    return found.id


def requester(ctx: Ctx, entity: helpdesk.Requester) -> str:
    when, organization = entity.created or SINCE, _organization(ctx, entity)
    row = ctx.db.add(User(
        id=ids.new(ctx, "user"), name=entity.name, email=entity.email.lower(), phone=entity.phone or None,
        time_zone=entity.time_zone or "UTC", organization_id=organization, verified=True, created_at=when, updated_at=when,
    ))  # fmt: skip
    _identity(ctx, row, when)
    if organization is not None:
        ctx.db.add(OrganizationMembership(
            id=ids.new(ctx, "organization_membership"), user_id=row.id, organization_id=organization, default=True,
            created_at=when, updated_at=when,
        ))  # fmt: skip
    return str(row.id)


def queue(ctx: Ctx, entity: helpdesk.Queue) -> str:
    """A group. The first takes the place of the one that every account begins with."""
    fresh = ctx.db.first(Group, default=True)
    if fresh is not None and fresh.name == "Support" and ctx.db.count(Group) == 1 and not fresh.description:
        for membership in ctx.db.find(GroupMembership, group_id=fresh.id):
            ctx.db.delete(membership)
            ctx.db.update(ctx.require(User, membership.user_id), default_group_id=None)
        group = ctx.db.update(fresh, name=entity.name, description=entity.name)
    else:
        group = ctx.db.add(Group(
            id=ids.new(ctx, "group"), name=entity.name, description=entity.name, created_at=SINCE, updated_at=SINCE,
        ))  # fmt: skip
    for member in entity.members:
        _join(ctx, ctx.require(User, int(ctx.ref(Person, member))), group, SINCE)
    return str(group.id)


def _user(ctx: Ctx, key: str) -> int:
    kind = Person if ctx.has_ref(Person, key) else helpdesk.Requester
    return int(ctx.ref(kind, key))


def ticket(ctx: Ctx, entity: helpdesk.Ticket) -> str:
    """A ticket with its messages, and a history that leads to how it is."""
    asker = ctx.require(User, _user(ctx, entity.requester))
    created = entity.created or (entity.messages[0].at if entity.messages else SINCE)
    changed = entity.updated or (entity.messages[-1].at if entity.messages else created)
    account = ids.account(ctx)
    number = int(entity.key) if entity.key.isdecimal() and len(entity.key) < 10 else account.last_ticket_id + 1
    while ctx.db.get(Ticket, number) is not None:
        number += 1
    ctx.db.update(account, last_ticket_id=max(account.last_ticket_id, number))
    assignee = int(ctx.ref(Person, entity.assignee)) if entity.assignee else None
    group = int(ctx.ref(helpdesk.Queue, entity.queue)) if entity.queue else None
    brand = ctx.db.first(Brand)
    done = entity.status in ("solved", "closed")
    replies = [m for m in entity.messages if not m.note and m.author != entity.requester]
    row = ctx.db.add(Ticket(
        id=number, subject=entity.subject, description=entity.messages[0].body if entity.messages else "", status=entity.status,
        priority=entity.priority or None, type=entity.kind or None, requester_id=asker.id, submitter_id=asker.id, assignee_id=assignee,
        group_id=group, organization_id=asker.organization_id, brand_id=brand.id if brand else None, via=entity.channel,
        tags=clean(entity.tags), created_at=created, updated_at=changed, status_updated_at=changed, requester_updated_at=created,
        initially_assigned_at=created if assignee else None, assigned_at=created if assignee else None, replies=len(replies),
        first_reply_at=replies[0].at if replies else None, solved_at=changed if done else None, first_solved_at=changed if done else None,
        latest_comment_added_at=entity.messages[-1].at if entity.messages else None, group_stations=int(group is not None),
        assignee_stations=int(assignee is not None),
    ))  # fmt: skip
    _history(ctx, row, entity)
    return str(row.id)


def _history(ctx: Ctx, row: Ticket, entity: helpdesk.Ticket) -> None:
    """An audit a message: the first makes the ticket, the second assigns it, the last brings it to its status."""
    state: dict[str, Any] = {"status": "new", "assignee_id": None, "group_id": None}
    last = len(entity.messages) - 1
    for index, message in enumerate(entity.messages):
        audit_id = ids.new(ctx, "event")
        comment = ctx.db.add(Comment(
            id=ids.new(ctx, "event"), ticket_id=row.id, author_id=_user(ctx, message.author), body=message.body, public=not message.note,
            via=row.via if index == 0 else "web", created_at=message.at, audit_id=audit_id,
        ))  # fmt: skip
        events = [talk.event_of(comment)]
        if index == 0:
            told = {
                "subject": row.subject, "requester_id": str(row.requester_id), "priority": row.priority, "type": row.type, "tags": row.tags
            }  # fmt: skip
            events += [
                {"id": ids.new(ctx, "event"), "type": "Create", "value": v, "field_name": n}
                for n, v in told.items()
                if v
            ]
            events.append({"id": ids.new(ctx, "event"), "type": "Create", "value": "new", "field_name": "status"})
        goal = dict(state)
        if index == 1 or index == last:
            goal |= {"assignee_id": row.assignee_id, "group_id": row.group_id}
            goal["status"] = "open" if row.assignee_id and state["status"] == "new" else state["status"]
        if index == last:
            goal["status"] = row.status
        for name, value in goal.items():
            if value != state[name]:
                before, now = (str(v) if isinstance(v, int) else v for v in (state[name], value))
                events.append({
                    "id": ids.new(ctx, "event"), "type": "Change", "value": now, "field_name": name, "previous_value": before,
                })  # fmt: skip
        state = goal
        ctx.db.add(Audit(
            id=audit_id, ticket_id=row.id, author_id=comment.author_id, created_at=message.at, via=comment.via, events=events,
        ))  # fmt: skip
