"""Tickets: what making and changing one does. https://support.zendesk.com/hc/en-us/articles/4408832757146

Status: a new ticket opens when it is assigned, and is never new again. It is solved with an assignee. The requester's reply reopens
it until it is closed; a closed ticket takes no change. Every update leaves an audit.
"""

from typing import Any

from legoenv_mcp.app import Ctx

from . import fields, ids, people, tagging
from .errors import Problems, coded, refuse
from .models import Audit, Brand, Comment, Group, GroupMembership, Organization, OrganizationMembership, Ticket, User
from .talk import Draft, add_comment, draft

# In the order in which audits name them.
TOLD = (
    "subject", "requester_id", "assignee_id", "group_id", "priority", "type", "status", "organization_id", "brand_id", "problem_id",
    "external_id", "due_at", "tags",
)  # fmt: skip
_WAITING = ("pending", "hold", "solved")


def find(ctx: Ctx, ticket_id: int) -> Ticket:
    """A ticket that is there: deleted ones are not."""
    row = ctx.require(Ticket, ticket_id)
    if row.deleted:
        raise ctx.app.not_found("Ticket", ticket_id)
    return row


def must_be_open(ticket: Ticket) -> None:
    if ticket.status == "closed":
        raise refuse("status", "Status: closed prevents ticket update", "InvalidValue")


def create(ctx: Ctx, given: dict[str, Any], *, via: str = "api") -> tuple[Ticket, Audit]:
    """A new ticket from what was sent, and its first audit."""
    problems = Problems()
    requester = people.requester(ctx, problems, given, default=ids.me(ctx))
    source = _followed_up(ctx, given.get("via_followup_source_id"))
    # Who asks has submitted it too, unless somebody else is named; a follow-up is always of who makes it.
    default = requester.id if requester and source is None else ids.me(ctx)
    submitter = given.get("submitter_id") or default if source is None else default
    if ctx.db.get(User, submitter) is None:
        problems.add("submitter", "Submitter: is invalid")
    first = draft(ctx, problems, given.get("comment"), given.get("description"), author=submitter, public=True)
    if first is None:
        problems.add(
            "base", "Description: cannot be blank", "BlankValue", **fields.about(fields.system(ctx, "description"))
        )
    problems.check()
    assert first is not None
    assert requester is not None
    blank = Ticket(
        id=0, created_at=ctx.timestamp(), updated_at=ctx.timestamp(), requester_id=requester.id, submitter_id=submitter,
        organization_id=requester.organization_id, is_public=first.public, via=via, brand_id=_brand(ctx),
        followup_source_id=source.id if source else None,
    )  # fmt: skip
    carried = {"tags": source.tags, "custom_fields": source.custom_fields} if source else {}
    new = {**carried, **values(ctx, problems, blank, given)}
    new.pop("requester_id", None)
    _group_of_organization(ctx, blank, new)
    if new.get("assignee_id") is not None and new.get("status", "new") == "new":
        new["status"] = "open"
    if new.get("status") in ("solved", "closed"):
        fields.required_to_solve(ctx, problems, blank, new)
    problems.check()
    subject = new.pop("subject", None) or first.body.splitlines()[0][:150]
    now = ctx.timestamp()
    ticket = ctx.db.add(
        Ticket(**{
            **blank.model_dump(), **new, "id": ids.new_ticket(ctx), "subject": subject, "description": first.body,
            "recipient": given.get("recipient"), "status_updated_at": now, "requester_updated_at": now,
            "group_stations": int(new.get("group_id") is not None), "assignee_stations": int(new.get("assignee_id") is not None),
            "initially_assigned_at": now if new.get("assignee_id") else None, "assigned_at": now if new.get("assignee_id") else None,
            "solved_at": now if new.get("status") in ("solved", "closed") else None,
        })
    )  # fmt: skip
    audit_id = ids.new(ctx, "event")
    events = [add_comment(ctx, ticket, first, audit_id, via)]
    said = {name: getattr(ticket, name) for name in TOLD} | ticket.custom_fields
    events += [
        {"id": ids.new(ctx, "event"), "type": "Create", "value": told(value), "field_name": name}
        for name, value in said.items()
        if value not in (None, []) or name in ("priority", "type")
    ]
    audit = Audit(id=audit_id, ticket_id=ticket.id, author_id=first.author, created_at=now, via=via, events=events)
    return ticket, ctx.db.add(audit)


def _group_of_organization(ctx: Ctx, blank: Ticket, new: dict[str, Any]) -> None:
    """A new ticket that is nobody's goes to the group of its organization."""
    own = ctx.db.get(Organization, new.get("organization_id", blank.organization_id))
    if own is None or own.group_id is None or new.get("group_id") is not None or new.get("assignee_id") is not None:
        return
    group = ctx.db.get(Group, own.group_id)
    if group is not None and not group.deleted:
        new["group_id"] = group.id


def change(ctx: Ctx, ticket: Ticket, given: dict[str, Any], *, via: str = "api") -> Audit | None:
    """Changes a ticket as was asked; the audit, or None where nothing changed."""
    must_be_open(ticket)
    _safe(ctx, ticket, given)
    problems = Problems()
    message = draft(ctx, problems, given.get("comment"), None, author=ids.me(ctx), public=ticket.is_public)
    if given.get("comment") is not None and message is None:
        problems.add("comment", "Comment: cannot be blank", "BlankValue")
    new = values(ctx, problems, ticket, given)
    _status(ctx, problems, ticket, new, message)
    solves = new.get("status") in ("solved", "closed") and ticket.status not in ("solved", "closed")
    unassigned = "assignee_id" in new and new["assignee_id"] is None and new.get("status", ticket.status) == "solved"
    if solves or unassigned:
        fields.required_to_solve(ctx, problems, ticket, new)
    problems.check()
    audit = apply(ctx, ticket, new, message, via)
    if solves and ticket.type == "problem":
        _solve_incidents(ctx, ticket, message)
    return audit


def apply(ctx: Ctx, ticket: Ticket, new: dict[str, Any], message: Draft | None, via: str = "api") -> Audit | None:
    """Writes columns and a message, with the audit that tells of them."""
    new = {name: value for name, value in new.items() if value != getattr(ticket, name)}
    if not new and message is None:
        return None
    audit_id, now, events = ids.new(ctx, "event"), ctx.timestamp(), list[dict[str, Any]]()
    if message is not None:
        events.append(add_comment(ctx, ticket, message, audit_id, via))
    for name in TOLD:
        if name in new:
            events.append(_changed(ctx, name, new[name], getattr(ticket, name)))
    before, after = ticket.custom_fields, new.get("custom_fields", ticket.custom_fields)
    for key in after:
        if before.get(key) != after[key]:
            events.append(_changed(ctx, key, after[key], before.get(key)))
    ctx.db.update(
        ticket, **new, **metrics(ctx, ticket, new, message.author if message else ids.me(ctx)), updated_at=now
    )
    return ctx.db.add(
        Audit(id=audit_id, ticket_id=ticket.id, author_id=message.author if message else ids.me(ctx), created_at=now, via=via,
        events=events)
    )  # fmt: skip


def _changed(ctx: Ctx, name: str, value: Any, previous: Any) -> dict[str, Any]:
    return {
        "id": ids.new(ctx, "event"), "type": "Change", "value": told(value), "field_name": name, "previous_value": told(previous),
    }  # fmt: skip


def told(value: Any) -> Any:
    """A value as audits have it: ids and numbers are text there."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def metrics(ctx: Ctx, ticket: Ticket, new: dict[str, Any], author: int) -> dict[str, Any]:
    """The moments and counts that a change moves, made by an author."""
    now, out = ctx.timestamp(), dict[str, Any]()
    if "status" in new:
        out["status_updated_at"] = now
        done = new["status"] in ("solved", "closed")
        if done and ticket.status not in ("solved", "closed"):
            out |= {"solved_at": now, "first_solved_at": ticket.first_solved_at or now}
        elif not done and ticket.status == "solved":
            out |= {"solved_at": None, "reopens": ticket.reopens + 1}
    if new.get("assignee_id") is not None:
        out |= {"assigned_at": now, "initially_assigned_at": ticket.initially_assigned_at or now}
        out["assignee_stations"] = ticket.assignee_stations + 1
    if new.get("group_id") is not None:
        out["group_stations"] = ticket.group_stations + 1
    if author == ticket.requester_id:
        out["requester_updated_at"] = now
    if author == ticket.assignee_id:
        out["assignee_updated_at"] = now
    return out


def _safe(ctx: Ctx, ticket: Ticket, given: dict[str, Any]) -> None:
    """Safe updates: https://developer.zendesk.com/documentation/ticketing/managing-tickets/creating-and-updating-tickets/"""
    if not given.get("safe_update"):
        return
    stamp = given.get("updated_stamp")
    if not stamp:
        raise refuse("base", "updated_stamp: is required with safe_update", "BlankValue")
    try:
        late = ctx.parse_time(stamp) < ctx.parse_time(ticket.updated_at)
    except ValueError:
        raise refuse("base", "updated_stamp: is not a date") from None
    if late:
        raise coded(
            409,
            "UpdateConflict",
            "Safe Update prevented this update. The ticket has been updated since the updated_stamp.",
        )


def _status(ctx: Ctx, problems: Problems, ticket: Ticket, new: dict[str, Any], message: Draft | None) -> None:
    """What the status becomes, asked for or not."""
    asked = new.get("status")
    if asked == "new" and ticket.status != "new":
        problems.add("status", "Status: cannot be set to new again", "InvalidValue")
    assigned = new.get("assignee_id", ticket.assignee_id) is not None
    if assigned and new.get("status", ticket.status) == "new":
        new["status"] = "open"
    customer = message is not None and message.public and (message.by_end_user or message.author == ticket.requester_id)
    if customer and asked is None and ticket.status in _WAITING:
        new["status"] = "open"


def _followed_up(ctx: Ctx, source_id: int | None) -> Ticket | None:
    """The closed ticket that a new one follows up. Naming one that is not closed has no effect, as documented."""
    source = ctx.db.get(Ticket, source_id)
    return source if source and source.status == "closed" and not source.deleted else None


def _brand(ctx: Ctx) -> int | None:
    found = ctx.db.first(Brand, default=True)
    return found.id if found else None


def _solve_incidents(ctx: Ctx, problem: Ticket, message: Draft | None) -> None:
    """With a problem its incidents are solved, by the problem's assignee where they have none, with the same message."""
    for incident in ctx.db.find(Ticket, problem_id=problem.id, deleted=False):
        if incident.status not in ("solved", "closed"):
            new: dict[str, Any] = {"status": "solved"}
            if incident.assignee_id is None:
                new |= {"assignee_id": problem.assignee_id, "group_id": problem.group_id}
            apply(ctx, incident, new, message, "system")


# Values: what was sent as columns.


def values(ctx: Ctx, problems: Problems, ticket: Ticket, given: dict[str, Any]) -> dict[str, Any]:
    """The columns that were sent, checked."""
    new = {n: given[n] for n in ("subject", "priority", "type", "external_id") if n in given}
    if "subject" in new and not (new["subject"] or "").strip():
        new.pop("subject")
    if given.get("status"):
        new["status"] = given["status"]
    if ticket.id and (given.get("requester_id") or given.get("requester")):
        person = people.requester(ctx, problems, given, default=ticket.requester_id)
        if person is not None and person.id != ticket.requester_id:
            new |= {"requester_id": person.id, "organization_id": person.organization_id}
    _assignment(ctx, problems, ticket, given, new)
    _links(ctx, problems, ticket, given, new)
    new |= _tags_and_fields(ctx, problems, ticket, given)
    for sent, column in (("followers", "follower_ids"), ("email_ccs", "email_cc_ids")):
        if given.get(sent) is not None:
            new[column] = people.participants(ctx, problems, sent, getattr(ticket, column), given[sent])
    for sent in ("collaborator_ids", "collaborators", "additional_collaborators"):
        if given.get(sent) is not None:
            followers, ccs = people.collaborators(ctx, problems, sent, given[sent], ticket.email_cc_ids)
            if sent.startswith("additional"):
                followers, ccs = [*ticket.follower_ids, *followers], [*ticket.email_cc_ids, *ccs]
            new |= {"follower_ids": list(dict.fromkeys(followers)), "email_cc_ids": list(dict.fromkeys(ccs))}
    return new


def _assignment(ctx: Ctx, problems: Problems, ticket: Ticket, given: dict[str, Any], new: dict[str, Any]) -> None:
    """An assignee is an agent of the ticket's group. One without the other: the agent's default group; a group's agent still to come."""
    group, agent = given.get("group_id", ticket.group_id), ticket.assignee_id
    if group is not None and "group_id" in given:
        row = ctx.db.get(Group, group)
        if row is None or row.deleted:
            problems.add("group", "Group: is invalid")
            return
    if given.get("assignee_email"):
        row = ctx.db.first(User, email=given["assignee_email"].lower(), active=True)
        agent = row.id if row else -1
    elif "assignee_id" in given:
        agent = given["assignee_id"]
    named = "assignee_id" in given or bool(given.get("assignee_email"))
    if named and agent is not None:
        person = ctx.db.get(User, agent)
        if person is None or person.role == "end-user" or not person.active or person.suspended:
            problems.add("base", "Assignee: is invalid", "InvalidValue", **fields.about(fields.system(ctx, "assignee")))
            return
        groups = [m.group_id for m in ctx.db.find(GroupMembership, user_id=agent, order="-default,id")]
        if "group_id" in given and group is not None and group not in groups:
            problems.add(
                "base",
                "Assignee: is not a member of the group",
                "InvalidValue",
                **fields.about(fields.system(ctx, "assignee")),
            )
            return
        if not groups:
            problems.add(
                "base",
                "Assignee: is not a member of any group",
                "InvalidValue",
                **fields.about(fields.system(ctx, "assignee")),
            )
            return
        group = group if group in groups else groups[0]
    elif (
        not named and agent is not None and not (group and ctx.db.first(GroupMembership, user_id=agent, group_id=group))
    ):
        agent = None if "group_id" in given else agent
    if agent != ticket.assignee_id:
        new["assignee_id"] = agent
    if group != ticket.group_id:
        new["group_id"] = group


def _links(ctx: Ctx, problems: Problems, ticket: Ticket, given: dict[str, Any], new: dict[str, Any]) -> None:
    kind = new.get("type", ticket.type)
    if given.get("problem_id") is not None:
        problem = ctx.db.get(Ticket, given["problem_id"])
        if kind != "incident":
            problems.add("problem_id", "Problem: only incidents belong to a problem")
        elif problem is None or problem.deleted or problem.type != "problem" or problem.id == ticket.id:
            problems.add("problem_id", "Problem: is not a problem ticket")
        new["problem_id"] = given["problem_id"]
    elif "problem_id" in given or (kind != "incident" and ticket.problem_id is not None):
        new["problem_id"] = None
    if given.get("due_at") is not None:
        if kind != "task":
            problems.add("due_at", "Due date: only tasks have one")
        try:
            new["due_at"] = ctx.parse_time(given["due_at"]).astimezone(ctx.now.tzinfo).strftime("%Y-%m-%dT%H:%M:%SZ")
        except (ValueError, OverflowError):
            problems.add("due_at", "Due date: is not a date")
    elif "due_at" in given or (kind != "task" and ticket.due_at is not None):
        new["due_at"] = None
    if given.get("organization_id") is not None:
        requester = new.get("requester_id", ticket.requester_id)
        member = ctx.db.first(OrganizationMembership, user_id=requester, organization_id=given["organization_id"])
        if ctx.db.get(Organization, given["organization_id"]) is None or member is None:
            problems.add("organization_id", "Organization: the requester is not a member")
        new["organization_id"] = given["organization_id"]
    elif "organization_id" in given:
        new["organization_id"] = None
    if given.get("brand_id") is not None:
        if ctx.db.get(Brand, given["brand_id"]) is None:
            problems.add("brand_id", "Brand: is invalid")
        new["brand_id"] = given["brand_id"]


def _tags_and_fields(ctx: Ctx, problems: Problems, ticket: Ticket, given: dict[str, Any]) -> dict[str, Any]:
    tags = given["tags"] or [] if "tags" in given else ticket.tags
    tags = tagging.changed(tags, given.get("additional_tags") or [], given.get("remove_tags") or [])
    out = dict[str, Any]()
    if given.get("custom_fields"):
        changed = fields.checked(ctx, problems, given["custom_fields"])
        old = {key: ticket.custom_fields.get(key) for key in changed}
        tags = tagging.changed(tags, remove=fields.tags_of(ctx, old) - fields.tags_of(ctx, changed))
        tags = tagging.changed(tags, sorted(fields.tags_of(ctx, changed)))
        out["custom_fields"] = {**ticket.custom_fields, **changed}
    if tags != ticket.tags:
        out["tags"] = tags
    return out


def comments(ctx: Ctx, ticket: Ticket) -> list[Comment]:
    return ctx.db.find(Comment, ticket_id=ticket.id, order="created_at,id")
