"""The workspace's tables. Ids are text, as Intercom writes them; times are whole seconds since 1970."""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry

Role = Literal["user", "lead"]
State = Literal["open", "closed", "snoozed"]
Category = Literal["Customer", "Back-office", "Tracker"]
StateCategory = Literal["submitted", "in_progress", "waiting_on_customer", "resolved"]
AttributeType = Literal["string", "list", "integer", "decimal", "boolean", "datetime", "files"]
Kind = Literal["contact", "company", "conversation"]
Model = Literal["contact", "company"]


class Table(Row, registry=registry()):
    """The base of the app's tables."""


class Workspace(Table, table=True):
    id: str = Field(primary_key=True)
    name: str
    timezone: str = "UTC"
    region: str = "US"
    created_at: int


class Admin(Table, table=True):
    """A teammate. Who has left keeps a row, without a seat in the inbox."""

    id: str = Field(primary_key=True)
    name: str
    given_name: str = ""
    email: str
    job_title: str = ""
    away_mode_enabled: bool = False
    away_mode_reassign: bool = False
    away_status_reason_id: str | None = None
    has_inbox_seat: bool = True


class AwayStatusReason(Table, table=True):
    id: str = Field(primary_key=True)
    label: str
    emoji: str
    order: int
    deleted: bool = False
    created_at: int
    updated_at: int = Field(derived=True)


class Team(Table, table=True):
    id: str = Field(primary_key=True)
    name: str
    distribution_method: str = "round_robin"
    assignment_limit: int | None = None


class TeamMember(Table, table=True):
    team_id: str = Field(primary_key=True, foreign_key="team.id")
    admin_id: str = Field(primary_key=True, foreign_key="admin.id")


class Contact(Table, table=True):
    id: str = Field(primary_key=True)
    role: Role
    external_id: str | None = Field(default=None, index=True)
    email: str | None = Field(default=None, index=True)
    phone: str | None = None
    name: str | None = None
    avatar: str | None = None
    owner_id: str | None = Field(default=None, foreign_key="admin.id")
    created_at: int
    updated_at: int = Field(derived=True)
    signed_up_at: int | None = None
    last_seen_at: int | None = None
    last_replied_at: int | None = Field(default=None, derived=True)
    last_contacted_at: int | None = Field(default=None, derived=True)
    unsubscribed_from_emails: bool = False
    language_override: str | None = None
    custom_attributes: dict[str, Any] = Field(default_factory=dict)
    archived: bool = False
    blocked: bool = False


class Company(Table, table=True):
    id: str = Field(primary_key=True)
    company_id: str = Field(index=True)
    name: str | None = None
    plan: str | None = None
    size: int | None = None
    website: str | None = None
    industry: str | None = None
    monthly_spend: int = 0
    remote_created_at: int | None = None
    created_at: int
    updated_at: int = Field(derived=True)
    custom_attributes: dict[str, Any] = Field(default_factory=dict)


class ContactCompany(Table, table=True):
    contact_id: str = Field(primary_key=True, foreign_key="contact.id")
    company_id: str = Field(primary_key=True, foreign_key="company.id")
    created_at: int


class Tag(Table, table=True):
    id: str = Field(primary_key=True)
    name: str = Field(index=True)


class Tagging(Table, table=True):
    """A tag on a contact, a company or a conversation; a ticket's tags are those of its conversation."""

    tag_id: str = Field(primary_key=True, foreign_key="tag.id")
    kind: Kind = Field(primary_key=True)
    object_id: str = Field(primary_key=True, index=True)
    applied_at: int
    admin_id: str | None = None


class Note(Table, table=True):
    id: str = Field(primary_key=True)
    contact_id: str = Field(foreign_key="contact.id", index=True)
    author_id: str | None = Field(default=None, foreign_key="admin.id")
    body: str
    created_at: int


class Segment(Table, table=True):
    """A group of contacts: those that its query finds."""

    id: str = Field(primary_key=True)
    name: str
    person_type: Literal["contact", "user"]
    query: dict[str, Any]
    created_at: int
    updated_at: int = Field(derived=True)


class SubscriptionType(Table, table=True):
    id: str = Field(primary_key=True)
    name: str
    description: str
    consent_type: Literal["opt_in", "opt_out"]
    content_types: list[str]


class ContactSubscription(Table, table=True):
    contact_id: str = Field(primary_key=True, foreign_key="contact.id")
    subscription_id: str = Field(primary_key=True, foreign_key="subscriptiontype.id")
    consent_type: Literal["opt_in", "opt_out"]


class Conversation(Table, table=True):
    """A thread: a conversation, or a ticket's own thread. A Customer ticket's is a conversation too, under the same id."""

    id: str = Field(primary_key=True)
    hidden: bool = False
    title: str | None = None
    state: State = "open"
    snoozed_until: int | None = None
    read: bool = Field(default=False, derived=True)
    priority: Literal["priority", "not_priority"] = "not_priority"
    admin_assignee_id: str | None = Field(default=None, foreign_key="admin.id")
    team_assignee_id: str | None = Field(default=None, foreign_key="team.id")
    company_id: str | None = Field(default=None, foreign_key="company.id")
    created_at: int
    updated_at: int = Field(derived=True)
    waiting_since: int | None = Field(default=None, derived=True)
    first_contact_reply_at: int | None = Field(default=None, derived=True)
    custom_attributes: dict[str, Any] = Field(default_factory=dict)
    source_type: str = "conversation"
    source_id: str
    delivered_as: str = "customer_initiated"
    subject: str = ""
    body: str = ""
    author_type: Literal["user", "lead", "admin", "bot"]
    author_id: str
    source_redacted: bool = False
    source_attachments: list[dict[str, Any]] = Field(default_factory=list)


class ConversationContact(Table, table=True):
    conversation_id: str = Field(primary_key=True, foreign_key="conversation.id")
    contact_id: str = Field(primary_key=True, foreign_key="contact.id", index=True)
    position: int = 0


class Part(Table, table=True):
    """One entry of a thread: what was said, and each assignment, closing, snoozing and change of a ticket."""

    id: str = Field(primary_key=True)
    conversation_id: str = Field(foreign_key="conversation.id", index=True)
    part_type: str
    body: str | None = None
    author_type: Literal["user", "lead", "admin", "bot"]
    author_id: str
    created_at: int
    updated_at: int = Field(derived=True)
    assigned_type: Literal["admin", "team", "nobody_admin", "nobody_team", ""] = ""
    assigned_id: str = ""
    redacted: bool = False
    attachments: list[dict[str, Any]] = Field(default_factory=list)
    reply_options: list[dict[str, Any]] = Field(default_factory=list)
    ticket_state: StateCategory | None = None
    previous_ticket_state: StateCategory | None = None
    updated_attribute: dict[str, Any] | None = None


class TicketType(Table, table=True):
    id: str = Field(primary_key=True)
    name: str
    description: str = ""
    category: Category = "Customer"
    icon: str = "🎟️"
    archived: bool = False
    is_internal: bool = False
    created_at: int
    updated_at: int = Field(derived=True)


class TicketAttribute(Table, table=True):
    """A field of a ticket type. `choices` are a list's: {id, name, archived}."""

    id: str = Field(primary_key=True)
    ticket_type_id: str = Field(foreign_key="tickettype.id", index=True)
    name: str
    description: str = ""
    data_type: AttributeType
    multiline: bool = False
    allow_multiple_values: bool = False
    choices: list[dict[str, Any]] = Field(default_factory=list)
    order: int = 0
    required_to_create: bool = False
    required_to_create_for_contacts: bool = False
    visible_on_create: bool = True
    visible_to_contacts: bool = True
    default: bool = False
    archived: bool = False
    created_at: int
    updated_at: int = Field(derived=True)


class TicketState(Table, table=True):
    """A state of tickets. One that names ticket types is theirs alone; others are every type's."""

    id: str = Field(primary_key=True)
    category: StateCategory
    internal_label: str
    external_label: str
    ticket_type_ids: list[str] = Field(default_factory=list)
    archived: bool = False


class Ticket(Table, table=True):
    """What a thread has as a ticket. `number` is what people see; the API's id is the thread's."""

    id: str = Field(primary_key=True, foreign_key="conversation.id")
    number: int
    ticket_type_id: str = Field(foreign_key="tickettype.id")
    state_id: str = Field(foreign_key="ticketstate.id")
    attributes: dict[str, Any] = Field(default_factory=dict)
    is_shared: bool = True
    created_at: int


class Link(Table, table=True):
    """A ticket and the conversation that it is linked to."""

    ticket_id: str = Field(primary_key=True, foreign_key="conversation.id")
    conversation_id: str = Field(primary_key=True, foreign_key="conversation.id", index=True)


class HelpCenter(Table, table=True):
    id: str = Field(primary_key=True)
    identifier: str
    display_name: str
    website_turned_on: bool = True
    custom_domain: str | None = None
    created_at: int
    updated_at: int = Field(derived=True)


class Collection(Table, table=True):
    id: str = Field(primary_key=True)
    name: str
    description: str = ""
    icon: str = "book-bookmark"
    order: int = 1
    parent_id: str | None = None
    help_center_id: str = Field(foreign_key="helpcenter.id")
    translated_content: dict[str, Any] | None = None
    created_at: int
    updated_at: int = Field(derived=True)


class Article(Table, table=True):
    id: str = Field(primary_key=True)
    title: str
    description: str = ""
    body: str = ""
    author_id: str = Field(foreign_key="admin.id")
    state: Literal["published", "draft"] = "draft"
    parent_id: str | None = None
    translated_content: dict[str, Any] | None = None
    created_at: int
    updated_at: int = Field(derived=True)


class DataAttribute(Table, table=True):
    id: int = Field(primary_key=True)
    model: Model
    name: str
    label: str
    description: str = ""
    data_type: Literal["string", "integer", "float", "boolean", "date"]
    options: list[str] = Field(default_factory=list)
    custom: bool = True
    api_writable: bool = True
    ui_writable: bool = True
    messenger_writable: bool = False
    archived: bool = False
    admin_id: str | None = None
    created_at: int | None = None
    updated_at: int | None = Field(default=None, derived=True)


class DataEvent(Table, table=True):
    id: str = Field(primary_key=True)
    contact_id: str = Field(foreign_key="contact.id", index=True)
    event_name: str
    created_at: int
    metadata_: dict[str, Any] = Field(default_factory=dict)


class EventSummary(Table, table=True):
    """How often an event happened before it was tracked."""

    contact_id: str = Field(primary_key=True, foreign_key="contact.id")
    event_name: str = Field(primary_key=True)
    count: int
    first: int
    last: int


class Message(Table, table=True):
    """What a teammate sent of their own accord. It has a conversation once somebody answers, or when one is asked for."""

    hidden_table: ClassVar[bool] = True  # Intercom has no GET of messages: a conversation begun with one shows its text
    id: str = Field(primary_key=True)
    message_type: Literal["inapp", "email"]
    template: str | None = None
    subject: str = ""
    body: str
    admin_id: str = Field(foreign_key="admin.id")
    contact_ids: list[str]
    cc: list[str] = Field(default_factory=list)
    bcc: list[str] = Field(default_factory=list)
    conversation_id: str | None = None
    created_at: int


class Job(Table, table=True):
    """Work that was queued, and by the next look is done."""

    derived_table: ClassVar[bool] = True
    id: str = Field(primary_key=True)
    resource_type: str
    resource_id: str
