"""Zendesk as a helpdesk: the world's people, customers, queues and tickets as rows and back, and what one does with them.

A helpdesk's customers belong to organizations, which are the world's companies.
"""

import re
from typing import Any, ClassVar

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, crm, helpdesk
from legoenv_mcp.capabilities.people import Person

from . import fills, views

_FILLS = {
    Person: fills.person, crm.Company: fills.company, helpdesk.Requester: fills.requester, helpdesk.Queue: fills.queue,
    helpdesk.Ticket: fills.ticket,
}  # fmt: skip


def _words(text: str) -> str:
    """Text as plain words of a search, none of them taken for a property or an operator."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


class ZendeskHelpdesk(helpdesk.Helpdesk):
    """Ids are Zendesk's numbers, as text."""

    entities: ClassVar[tuple[type[Entity], ...]] = (
        Person, crm.Company, helpdesk.Requester, helpdesk.Queue, helpdesk.Ticket,
    )  # fmt: skip

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        return _FILLS[type(entity)](ctx, entity)  # pyright: ignore[reportArgumentType]

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        return views.view(ctx, table, row)

    def find_ticket(self, text: str) -> Plan:
        yield call("search", query=f"type:ticket {_words(text)}")

    def get_ticket(self, ticket_id: str) -> Plan:
        yield call("show_ticket", ticket_id=int(ticket_id))
        yield call("list_ticket_comments", ticket_id=int(ticket_id))

    def update_status(self, ticket_id: str, status: helpdesk.Status) -> Plan:
        yield call("update_ticket", ticket_id=int(ticket_id), ticket={"status": status})

    def add_internal_note(self, ticket_id: str, body: str) -> Plan:
        yield call("update_ticket", ticket_id=int(ticket_id), ticket={"comment": {"body": body, "public": False}})

    def list_queues(self) -> Plan:
        yield call("list_groups")

    def assign_ticket(self, ticket_id: str, person_id: str) -> Plan:
        yield call("update_ticket", ticket_id=int(ticket_id), ticket={"assignee_id": int(person_id)})

    def tag_ticket(self, ticket_id: str, tag: str) -> Plan:
        yield call("add_tags", ticket_id=int(ticket_id), tags=[tag])

    def create_ticket(self, subject: str, body: str, requester_email: str) -> Plan:
        requester = {"email": requester_email, "name": requester_email.partition("@")[0]}
        yield call("create_ticket", ticket={"subject": subject, "comment": {"body": body}, "requester": requester})

    def reply_to_customer(self, ticket_id: str, body: str) -> Plan:
        yield call("update_ticket", ticket_id=int(ticket_id), ticket={"comment": {"body": body, "public": True}})

    def find_customer(self, email: str) -> Plan:
        yield call("search_users", query=f"email:{email}")

    def create_customer(self, name: str, email: str) -> Plan:
        yield call("create_user", user={"name": name, "email": email})

    def update_customer(self, customer_id: str, **changes: Any) -> Plan:
        yield call("update_user", user_id=int(customer_id), user=changes)

    def list_tickets(self) -> Plan:
        page = 1
        while (yield call("list_tickets", page=page, per_page=100)).get("next_page"):
            page += 1

    def list_customer_tickets(self, customer_id: str) -> Plan:
        yield call("list_user_tickets", user_id=int(customer_id), relation="requested")

    def set_priority(self, ticket_id: str, priority: helpdesk.Priority) -> Plan:
        yield call("update_ticket", ticket_id=int(ticket_id), ticket={"priority": priority})

    def move_to_queue(self, ticket_id: str, queue_id: str) -> Plan:
        yield call("update_ticket", ticket_id=int(ticket_id), ticket={"group_id": int(queue_id)})

    def list_queue_members(self, queue_id: str) -> Plan:
        yield call("list_group_users", group_id=int(queue_id))

    def get_company(self, company_id: str) -> Plan:
        yield call("show_organization", organization_id=int(company_id))


provides = {"helpdesk": ZendeskHelpdesk()}
