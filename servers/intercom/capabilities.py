"""Intercom as a helpdesk: the world's people, customers, queues and tickets as rows and back, and what one does with them.

A world's ticket is a Customer ticket, and with that a conversation under the same id. Queues are teams.
"""

from typing import Any, ClassVar

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, crm, helpdesk
from legoenv_mcp.capabilities.people import Person

from . import fills, views
from .seed import CLOSED, SUPPORT
from .ticketing import DESCRIPTION, TITLE

_FILLS: dict[type[Entity], Any] = {
    Person: fills.person, crm.Company: fills.company, helpdesk.Requester: fills.requester, helpdesk.Queue: fills.queue,
    helpdesk.Ticket: fills.ticket,
}  # fmt: skip


class IntercomHelpdesk(helpdesk.Helpdesk):
    """Ids are Intercom's: hexadecimal of contacts and companies, numbers of all else."""

    entities: ClassVar[tuple[type[Entity], ...]] = (
        Person, crm.Company, helpdesk.Requester, helpdesk.Queue, helpdesk.Ticket,
    )  # fmt: skip

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        return _FILLS[type(entity)](ctx, entity)

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        return views.view(ctx, table, row)

    def find_ticket(self, text: str) -> Plan:
        yield call("search_tickets", query={"field": "title", "operator": "~", "value": text})

    def get_ticket(self, ticket_id: str) -> Plan:
        yield call("get_ticket", ticket_id=ticket_id)

    def update_status(self, ticket_id: str, status: helpdesk.Status) -> Plan:
        me = yield call("identify_admin")
        states = yield call("list_ticket_states")
        wanted = next(
            s["id"]
            for s in states["data"]
            if s["category"] == fills.STATES[status] and (s["internal_label"] == CLOSED) == (status == "closed")
        )
        yield call("update_ticket", ticket_id=ticket_id, ticket_state_id=wanted, admin_id=me["id"])

    def add_internal_note(self, ticket_id: str, body: str) -> Plan:
        me = yield call("identify_admin")
        yield call(
            "reply_to_ticket", ticket_id=ticket_id, message_type="note", type="admin", admin_id=me["id"], body=body
        )

    def list_queues(self) -> Plan:
        yield call("list_teams")

    def assign_ticket(self, ticket_id: str, person_id: str) -> Plan:
        me = yield call("identify_admin")
        yield call("update_ticket", ticket_id=ticket_id, admin_id=me["id"], assignee_id=person_id)

    def tag_ticket(self, ticket_id: str, tag: str) -> Plan:
        me = yield call("identify_admin")
        made = yield call("create_or_update_tag", name=tag)
        yield call("tag_ticket", ticket_id=ticket_id, id=made["id"], admin_id=me["id"])

    def create_ticket(self, subject: str, body: str, requester_email: str) -> Plan:
        kinds = yield call("list_ticket_types")
        kind = next(k["id"] for k in kinds["data"] if k["name"] == SUPPORT)
        yield call(
            "create_ticket", ticket_type_id=kind, contacts=[{"email": requester_email}],
            ticket_attributes={TITLE: subject, DESCRIPTION: body},
        )  # fmt: skip

    def reply_to_customer(self, ticket_id: str, body: str) -> Plan:
        me = yield call("identify_admin")
        yield call(
            "reply_to_ticket", ticket_id=ticket_id, message_type="comment", type="admin", admin_id=me["id"], body=body
        )

    def find_customer(self, email: str) -> Plan:
        yield call("search_contacts", query={"field": "email", "operator": "=", "value": email})

    def create_customer(self, name: str, email: str) -> Plan:
        yield call("create_contact", role="user", name=name, email=email)

    def update_customer(self, customer_id: str, **changes: Any) -> Plan:
        yield call("update_contact", contact_id=customer_id, **changes)

    def list_tickets(self) -> Plan:
        wanted: dict[str, Any] = {"per_page": 150}
        everything = {"field": "created_at", "operator": ">", "value": 0}
        while True:
            found = yield call("search_tickets", query=everything, pagination=wanted)
            following = found["pages"].get("next")
            if not following:
                break
            wanted = {**wanted, "starting_after": following["starting_after"]}

    def list_customer_tickets(self, customer_id: str) -> Plan:
        mine = {"field": "contact_ids", "operator": "=", "value": customer_id}
        yield call("search_tickets", query=mine, pagination={"per_page": 150})

    def set_priority(self, ticket_id: str, priority: helpdesk.Priority) -> Plan:
        me = yield call("identify_admin")
        chosen = {"Priority": priority.capitalize()}
        yield call("update_ticket", ticket_id=ticket_id, admin_id=me["id"], ticket_attributes=chosen)

    def move_to_queue(self, ticket_id: str, queue_id: str) -> Plan:
        me = yield call("identify_admin")
        yield call("update_ticket", ticket_id=ticket_id, admin_id=me["id"], assignee_id=queue_id)

    def list_queue_members(self, queue_id: str) -> Plan:
        """A team names its members by their ids."""
        yield call("list_teams")
        yield call("list_admins")

    def get_company(self, company_id: str) -> Plan:
        yield call("retrieve_company", company_id=company_id)


provides = {"helpdesk": IntercomHelpdesk()}
