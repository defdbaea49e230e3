"""Helpdesks: customers' tickets, worked on by agents in queues."""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

from pydantic import BaseModel

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks
from legoenv_mcp.capabilities.people import Person

Status = Literal["new", "open", "pending", "solved", "closed"]
Priority = Literal["low", "normal", "high", "urgent"]


class Requester(Entity):
    """A customer who writes to support. `company` is a crm.Company's key or empty."""

    name: str
    email: str
    company: str = ""
    phone: str = ""
    time_zone: str = ""
    created: str = ""


class Queue(Entity):
    """A team that tickets are sent to. `members` are Person keys."""

    name: str
    members: tuple[str, ...] = ()


class TicketMessage(BaseModel, frozen=True, extra="forbid"):
    """A message of a ticket. `author` is a Person's or a Requester's key; a note is seen by the team only."""

    author: str
    at: str
    body: str
    note: bool = False


class Ticket(Entity):
    """A ticket; its first message is the request. `requester`, `assignee`, `queue` are keys."""

    subject: str
    requester: str
    status: Status = "new"
    priority: Literal["low", "normal", "high", "urgent", ""] = ""
    kind: Literal["question", "incident", "problem", "task", ""] = ""
    assignee: str = ""
    queue: str = ""
    tags: tuple[str, ...] = ()
    messages: tuple[TicketMessage, ...] = ()
    channel: Literal["email", "web", "chat", "api"] = "email"
    created: str = ""
    updated: str = ""


class Helpdesk(Capability):
    name = "helpdesk"
    entities: ClassVar[tuple[type[Entity], ...]] = (Person, Requester, Queue, Ticket)

    @abstractmethod
    def find_ticket(self, text: str) -> Plan: ...
    @abstractmethod
    def get_ticket(self, ticket_id: str) -> Plan: ...
    @abstractmethod
    def update_status(self, ticket_id: str, status: Status) -> Plan: ...
    @abstractmethod
    def add_internal_note(self, ticket_id: str, body: str) -> Plan: ...
    @abstractmethod
    def list_queues(self) -> Plan: ...
    def assign_ticket(self, ticket_id: str, person_id: str) -> Plan:
        return lacks(self, "assign_ticket")

    def tag_ticket(self, ticket_id: str, tag: str) -> Plan:
        return lacks(self, "tag_ticket")

    def create_ticket(self, subject: str, body: str, requester_email: str) -> Plan:
        return lacks(self, "create_ticket")

    def reply_to_customer(self, ticket_id: str, body: str) -> Plan:
        return lacks(self, "reply_to_customer")

    def find_customer(self, email: str) -> Plan:
        return lacks(self, "find_customer")

    def create_customer(self, name: str, email: str) -> Plan:
        return lacks(self, "create_customer")

    def update_customer(self, customer_id: str, **changes: Any) -> Plan:
        """Changes any of name, phone."""
        return lacks(self, "update_customer")

    def list_tickets(self) -> Plan:
        """All tickets, to the last page."""
        return lacks(self, "list_tickets")

    def list_customer_tickets(self, customer_id: str) -> Plan:
        return lacks(self, "list_customer_tickets")

    def set_priority(self, ticket_id: str, priority: Priority) -> Plan:
        return lacks(self, "set_priority")

    def move_to_queue(self, ticket_id: str, queue_id: str) -> Plan:
        return lacks(self, "move_to_queue")

    def list_queue_members(self, queue_id: str) -> Plan:
        return lacks(self, "list_queue_members")

    def get_company(self, company_id: str) -> Plan:
        """A requester's company, where the product keeps companies."""
        return lacks(self, "get_company")
