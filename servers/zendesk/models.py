"""The tables. https://developer.zendesk.com/api-reference/ticketing/introduction/"""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry

Status = Literal["new", "open", "pending", "hold", "solved", "closed"]
Priority = Literal["urgent", "high", "normal", "low"]
TicketType = Literal["problem", "incident", "question", "task"]
Role = Literal["end-user", "agent", "admin"]

STATUSES: tuple[Status, ...] = ("new", "open", "pending", "hold", "solved", "closed")
PRIORITIES: tuple[Priority, ...] = ("low", "normal", "high", "urgent")
TYPES: tuple[TicketType, ...] = ("question", "incident", "problem", "task")


class Table(Row, registry=registry()): ...


class Dated(Table):
    """When a record was made, and last changed."""

    created_at: str
    updated_at: str = Field(derived=True)


class Account(Table, table=True):
    """The one account. `last_ticket_id` counts on when tickets are destroyed."""

    id: int = Field(primary_key=True)
    subdomain: str
    name: str
    last_ticket_id: int = Field(default=0, derived=True)


class Brand(Dated, table=True):
    id: int = Field(primary_key=True)
    name: str
    subdomain: str
    active: bool = True
    default: bool = True
    has_help_center: bool = False


class Group(Dated, table=True):
    id: int = Field(primary_key=True)
    name: str
    description: str = ""
    is_public: bool = True
    default: bool = False
    deleted: bool = False


class Organization(Dated, table=True):
    id: int = Field(primary_key=True)
    name: str
    external_id: str | None = None
    domain_names: list[str] = Field(default=[])
    details: str | None = None
    notes: str | None = None
    group_id: int | None = Field(default=None, foreign_key="group.id")
    shared_tickets: bool = False
    shared_comments: bool = False
    tags: list[str] = Field(default=[])
    organization_fields: dict[str, Any] = Field(default={})


class User(Dated, table=True):
    """A person: who asks (`end-user`) or who works (`agent`, `admin`). `given_name` is where the name is parted."""

    id: int = Field(primary_key=True)
    name: str
    given_name: str = ""
    email: str | None = Field(default=None, index=True)
    role: Role = "end-user"
    phone: str | None = None
    organization_id: int | None = Field(default=None, foreign_key="organization.id", index=True)
    default_group_id: int | None = Field(default=None, foreign_key="group.id")
    alias: str | None = None
    external_id: str | None = None
    time_zone: str = "UTC"
    locale: str = "en-US"
    details: str | None = None
    notes: str | None = None
    signature: str | None = None
    tags: list[str] = Field(default=[])
    user_fields: dict[str, Any] = Field(default={})
    verified: bool = False
    suspended: bool = False
    active: bool = True
    last_login_at: str | None = Field(default=None, derived=True)


class Identity(Dated, table=True):
    id: int = Field(primary_key=True)
    user_id: int = Field(foreign_key="user.id", index=True)
    type: Literal["email", "phone_number", "twitter", "facebook", "google"]
    value: str = Field(index=True)
    verified: bool = False
    primary: bool = False


class GroupMembership(Dated, table=True):
    __tablename__ = "group_membership"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    user_id: int = Field(foreign_key="user.id", index=True)
    group_id: int = Field(foreign_key="group.id", index=True)
    default: bool = False


class OrganizationMembership(Dated, table=True):
    __tablename__ = "organization_membership"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    user_id: int = Field(foreign_key="user.id", index=True)
    organization_id: int = Field(foreign_key="organization.id", index=True)
    default: bool = False


class Ticket(Dated, table=True):
    """A ticket. Custom fields' values lie under the field's id as text. What metrics count moves by itself."""

    id: int = Field(primary_key=True)
    subject: str | None = None
    description: str = ""
    status: Status = "new"
    priority: Priority | None = None
    type: TicketType | None = None
    requester_id: int = Field(foreign_key="user.id", index=True)
    submitter_id: int = Field(foreign_key="user.id")
    assignee_id: int | None = Field(default=None, foreign_key="user.id", index=True)
    group_id: int | None = Field(default=None, foreign_key="group.id")
    organization_id: int | None = Field(default=None, foreign_key="organization.id", index=True)
    brand_id: int | None = Field(default=None, foreign_key="brand.id")
    problem_id: int | None = Field(default=None, index=True)
    followup_source_id: int | None = None
    external_id: str | None = Field(default=None, index=True)
    recipient: str | None = None
    via: str = "web"
    due_at: str | None = None
    tags: list[str] = Field(default=[])
    custom_fields: dict[str, Any] = Field(default={})
    follower_ids: list[int] = Field(default=[])
    email_cc_ids: list[int] = Field(default=[])
    is_public: bool = True
    deleted: bool = False
    deleted_by_id: int | None = None
    deleted_at: str | None = Field(default=None, derived=True)
    status_updated_at: str | None = Field(default=None, derived=True)
    requester_updated_at: str | None = Field(default=None, derived=True)
    assignee_updated_at: str | None = Field(default=None, derived=True)
    initially_assigned_at: str | None = Field(default=None, derived=True)
    assigned_at: str | None = Field(default=None, derived=True)
    latest_comment_added_at: str | None = Field(default=None, derived=True)
    first_reply_at: str | None = Field(default=None, derived=True)
    first_solved_at: str | None = Field(default=None, derived=True)
    solved_at: str | None = Field(default=None, derived=True)
    replies: int = Field(default=0, derived=True)
    reopens: int = Field(default=0, derived=True)
    group_stations: int = Field(default=0, derived=True)
    assignee_stations: int = Field(default=0, derived=True)


class Comment(Table, table=True):
    """A message of a ticket: public to the requester, or a note among agents."""

    id: int = Field(primary_key=True)
    ticket_id: int = Field(foreign_key="ticket.id", index=True)
    author_id: int = Field(foreign_key="user.id", index=True)
    body: str
    public: bool = True
    via: str = "web"
    created_at: str = Field(derived=True)
    audit_id: int = Field(derived=True)


class Attachment(Table, table=True):
    """An uploaded file: first under its token alone, then of a comment."""

    id: int = Field(primary_key=True)
    token: str = Field(index=True)
    comment_id: int | None = Field(default=None, foreign_key="comment.id", index=True)
    file_name: str
    content_type: str
    size: int
    content: str = ""


class Audit(Table, table=True):
    """One update of a ticket, with what it changed."""

    derived_table: ClassVar[bool] = True
    id: int = Field(primary_key=True)
    ticket_id: int = Field(index=True)
    author_id: int
    created_at: str
    via: str = "web"
    events: list[dict[str, Any]]


class TicketField(Dated, table=True):
    """A field of tickets: the system's own (not removable) or a custom one. `options` are the choices of a drop-down."""

    __tablename__ = "ticket_field"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    type: str
    title: str
    description: str = ""
    position: int = 0
    active: bool = True
    required: bool = False
    removable: bool = True
    visible_in_portal: bool = False
    editable_in_portal: bool = False
    required_in_portal: bool = False
    regexp_for_validation: str | None = None
    tag: str | None = None
    options: list[dict[str, Any]] = Field(default=[])


class Rule(Dated):
    """What views, macros, triggers and automations share."""

    title: str
    description: str | None = None
    active: bool = True
    position: int = 0


class View(Rule, table=True):
    id: int = Field(primary_key=True)
    conditions: dict[str, Any]
    execution: dict[str, Any]
    restriction: dict[str, Any] | None = None


class Macro(Rule, table=True):
    id: int = Field(primary_key=True)
    actions: list[dict[str, Any]]
    restriction: dict[str, Any] | None = None


class Trigger(Rule, table=True):
    id: int = Field(primary_key=True)
    conditions: dict[str, Any]
    actions: list[dict[str, Any]]


class Automation(Rule, table=True):
    id: int = Field(primary_key=True)
    conditions: dict[str, Any]
    actions: list[dict[str, Any]]


class SatisfactionRating(Dated, table=True):
    __tablename__ = "satisfaction_rating"  # pyright: ignore[reportAssignmentType]
    id: int = Field(primary_key=True)
    ticket_id: int = Field(foreign_key="ticket.id", index=True)
    requester_id: int = Field(foreign_key="user.id")
    assignee_id: int | None = None
    group_id: int | None = None
    score: Literal["offered", "unoffered", "good", "bad"]
    comment: str | None = None
    reason: str | None = None


class Job(Table, table=True):
    """What became of a bulk request."""

    derived_table: ClassVar[bool] = True
    id: str = Field(primary_key=True)
    number: int
    job_type: str
    total: int
    message: str
    results: list[dict[str, Any]]
