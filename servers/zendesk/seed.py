"""What a fresh account has: a brand, a group, the system's ticket fields, and Zendesk's own views, macros, triggers and automations."""

import re
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from . import ids
from .models import PRIORITIES, STATUSES, TYPES, Account, Automation, Brand, Group, Macro, TicketField, Trigger, View
from .viewing import execution

SINCE = "2019-04-01T09:00:00Z"
_DATED: dict[str, Any] = {"created_at": SINCE, "updated_at": SINCE}
Condition = tuple[str, str, str]

_UNSOLVED: Condition = ("status", "less_than", "solved")
_COLUMNS = ("subject", "requester", "created", "type", "priority")
_RECENT, _SOLVED = ("subject", "requester", "updated", "assignee"), ("subject", "requester", "solved", "assignee")
_VIEWS: list[tuple[str, tuple[Condition, ...], tuple[str, ...], str, str]] = [
    ("Your unsolved tickets", (_UNSOLVED, ("assignee_id", "is", "current_user")), _COLUMNS, "status", "asc"),
    ("Unassigned tickets", (_UNSOLVED, ("assignee_id", "is", "")), _COLUMNS, "group", "asc"),
    ("All unsolved tickets", (_UNSOLVED,), (*_COLUMNS, "assignee"), "assignee", "asc"),
    ("Recently updated tickets", (("status", "is_not", "closed"), ("updated_at", "less_than", "24")), _RECENT, "", ""),
    ("New tickets in your groups", (("status", "is", "new"), ("group_id", "is", "current_groups")), _COLUMNS, "", ""),
    ("Pending tickets", (("status", "is", "pending"),), (*_COLUMNS, "assignee"), "assignee", "asc"),
    ("Recently solved tickets", (("status", "is", "solved"), ("SOLVED", "less_than", "72")), _SOLVED, "", ""),
    ("Unsolved tickets in your groups", (_UNSOLVED, ("group_id", "is", "current_groups")), (*_COLUMNS, "assignee"), "group", "asc"),
]  # fmt: skip
_MACROS: list[tuple[str, str, list[tuple[str, Any]]]] = [
    ("Close and redirect to topics", "Solves a known issue.", [
        ("status", "solved"), ("priority", "normal"), ("type", "incident"), ("assignee_id", "current_user"),
        ("comment_value", "Thanks for your request. What you report is a known issue; please see our help pages for updates on it."),
    ]),
    ("Downgrade and inform", "Lowers the priority and says so.", [
        ("priority", "low"),
        ("comment_value", "We get more requests than usual, so an answer may take longer than we like. Yours is in the queue."),
    ]),
    ("Customer not responding", "Solves a ticket without an answer.", [
        ("status", "solved"), ("set_tags", "customer_not_responding"),
        ("comment_value", "Hello {{ticket.requester.first_name}}, we take it that all is well now. Reply to this message to reopen."),
    ]),
    ("Take it!", "Assigns the ticket to you.", [("assignee_id", "current_user"), ("group_id", "current_groups")]),
]  # fmt: skip
_NOTIFY = [
    ("Notify requester of new ticket", (("update_type", "is", "Create"), ("status", "is_not", "solved")), "requester_id"),
    ("Notify requester of comment update", (("update_type", "is", "Change"), ("comment_is_public", "is", "true")), "requester_id"),
    ("Notify assignee of comment update", (("comment_is_public", "is", "not_relevant"),), "assignee_id"),
    ("Notify assignee of assignment", (("assignee_id", "changed", ""), ("assignee_id", "is_not", "current_user")), "assignee_id"),
    ("Notify assignee of reopened ticket", (("status", "changed_from", "solved"), ("status", "is_not", "closed")), "assignee_id"),
    ("Notify group of assignment", (("group_id", "changed", ""), ("assignee_id", "is", "")), "group_id"),
    ("Notify all agents of received request", (("update_type", "is", "Create"),), "all_agents"),
]  # fmt: skip


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    subdomain = re.sub(r"[^a-z0-9]+", "-", organisation.name.lower()).strip("-") or "account"
    ctx.db.add(Account(id=18_525_119, subdomain=subdomain, name=organisation.name))
    ctx.db.add(Brand(id=ids.new(ctx, "brand"), name=organisation.name, subdomain=subdomain, **_DATED))
    ctx.db.add(Group(id=ids.new(ctx, "group"), name="Support", default=True, **_DATED))
    _fields(ctx)
    for position, (title, conditions, columns, group, way) in enumerate(_VIEWS):
        grouped = {"group_by": group, "group_order": way} if group else {}
        ctx.db.add(View(
            id=ids.new(ctx, "view"), title=title, position=position, conditions={"all": [_condition(c) for c in conditions], "any": []},
            execution=execution(columns, sort_by="nice_id", sort_order="desc", **grouped), **_DATED,
        ))  # fmt: skip
    for position, (title, about, actions) in enumerate(_MACROS):
        made = [{"field": field, "value": value} for field, value in actions]
        ctx.db.add(
            Macro(id=ids.new(ctx, "macro"), title=title, description=about, position=position, actions=made, **_DATED)
        )
    for position, (title, conditions, whom) in enumerate(_NOTIFY):
        told = "notification_group" if whom == "group_id" else "notification_user"
        action = {
            "field": told,
            "value": [whom, "[{{ticket.account}}] {{ticket.title}}", "{{ticket.comments_formatted}}"],
        }
        ctx.db.add(Trigger(
            id=ids.new(ctx, "trigger"), title=title, position=position, actions=[action],
            conditions={"all": [_condition(c) for c in conditions], "any": []}, **_DATED,
        ))  # fmt: skip
    solved = [("status", "is", "solved"), ("SOLVED", "greater_than", "96")]
    ctx.db.add(Automation(
        id=ids.new(ctx, "automation"), title="Close ticket 4 days after status is set to solved", position=0,
        conditions={"all": [_condition(c) for c in solved], "any": []}, actions=[{"field": "status", "value": "closed"}], **_DATED,
    ))  # fmt: skip


def _condition(said: Condition) -> dict[str, str]:
    return {"field": said[0], "operator": said[1], "value": said[2]}


def _fields(ctx: Ctx) -> None:
    """The system's fields of a ticket."""
    choices: dict[str, tuple[str, ...]] = {"status": STATUSES[1:5], "tickettype": TYPES, "priority": PRIORITIES}
    titles = {
        "subject": "Subject", "description": "Description", "status": "Status", "tickettype": "Type", "priority": "Priority",
        "group": "Group", "assignee": "Assignee",
    }  # fmt: skip
    for position, (kind, title) in enumerate(titles.items(), 1):
        portal = kind in ("subject", "description")
        ctx.db.add(TicketField(
            id=ids.new(ctx, "ticket_field"), type=kind, title=title, description=title, position=position, removable=False,
            required=kind == "assignee" or portal, visible_in_portal=portal, editable_in_portal=portal, required_in_portal=portal,
            options=[{"name": word.capitalize(), "value": word} for word in choices.get(kind, ())], **_DATED,
        ))  # fmt: skip
