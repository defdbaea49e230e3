"""Calendly's objects as tables. What the API shows as a URI is kept as the UUID that the URI ends in.

Times are text in UTC with microseconds, as the API writes them, so that they sort and compare as text.
"""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry

Json = dict[str, Any]
Role = Literal["user", "admin", "owner"]
Status = Literal["active", "canceled"]


class Table(Row, registry=registry()):
    """The base of Calendly's tables."""


class Organization(Table, table=True):
    """The account that all members belong to."""

    uuid: str = Field(primary_key=True)
    name: str
    plan: Literal["basic", "essentials", "professional", "teams", "enterprise"] = "enterprise"
    stage: Literal["trial", "free", "paid"] = "paid"
    created_at: str
    updated_at: str = Field(derived=True)


class User(Table, table=True):
    """A person. `first_name` and `phone` are the account's own; the API does not show them."""

    uuid: str = Field(primary_key=True)
    name: str
    first_name: str
    slug: str = Field(unique=True)
    email: str = Field(unique=True)
    timezone: str
    time_notation: Literal["12h", "24h"] = "24h"
    locale: str = "en"
    phone: str = ""
    created_at: str
    updated_at: str = Field(derived=True)


class Membership(Table, table=True):
    """A user's place in the organization. Those who have left have none."""

    uuid: str = Field(primary_key=True)
    user: str = Field(foreign_key="user.uuid", unique=True)
    organization: str = Field(foreign_key="organization.uuid")
    role: Role
    created_at: str
    updated_at: str = Field(derived=True)


class Invitation(Table, table=True):
    """An invitation to join the organization."""

    uuid: str = Field(primary_key=True)
    organization: str = Field(foreign_key="organization.uuid")
    email: str
    status: Literal["pending", "accepted", "declined"] = "pending"
    user: str | None = None
    last_sent_at: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class Group(Table, table=True):
    """A department of the organization."""

    uuid: str = Field(primary_key=True)
    organization: str = Field(foreign_key="organization.uuid")
    name: str
    created_at: str
    updated_at: str = Field(derived=True)


class GroupRelationship(Table, table=True):
    """A member's place in a group."""

    uuid: str = Field(primary_key=True)
    group: str = Field(foreign_key="group.uuid", index=True)
    membership: str = Field(index=True)
    role: Literal["member", "admin"] = "member"
    created_at: str
    updated_at: str = Field(derived=True)


class AvailabilitySchedule(Table, table=True):
    """Hours at which a user can be booked, local to `timezone`."""

    uuid: str = Field(primary_key=True)
    user: str = Field(foreign_key="user.uuid", index=True)
    name: str = "Working hours"
    default: bool = True
    timezone: str
    rules: list[Json]


class EventType(Table, table=True):
    """What can be booked. Without `availability` of its own the hosts' default schedules rule.

    `max_booking_time` is minutes into the future; `spots` are the only times of some one-off types. Both, and the notice, are set
    on Calendly's site, the API does not show them.
    """

    uuid: str = Field(primary_key=True)
    owner: str = Field(foreign_key="user.uuid", index=True)
    co_hosts: list[str] = []
    name: str
    slug: str | None = None
    link: str | None = None
    active: bool = True
    duration: int = 30
    duration_options: list[int] | None = None
    kind: Literal["solo", "group"] = "solo"
    pooling_type: Literal["round_robin", "collective", "multi_pool"] | None = None
    type: Literal["StandardEventType", "AdhocEventType"] = "StandardEventType"
    color: str = "#8247f5"
    description: str | None = None
    internal_note: str | None = None
    secret: bool = False
    locale: str = "en"
    locations: list[Json] | None = None
    custom_questions: list[Json] = []
    position: int = 0
    admin_managed: bool = False
    availability: Json | None = None
    timezone: str | None = None
    start_time_increment: int | None = 30
    before_buffer: int = 0
    after_buffer: int = 0
    notice: int = 240
    period_type: Literal["available_moving", "moving", "fixed", "unlimited", "spots"] = "moving"
    start_date: str | None = None
    end_date: str | None = None
    max_booking_time: int = 86400
    spots: list[Json] = []
    deleted_at: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class ScheduledEvent(Table, table=True):
    """A meeting. `hosts` are users, the first is whom it was booked with."""

    uuid: str = Field(primary_key=True)
    event_type: str = Field(foreign_key="eventtype.uuid", index=True)
    hosts: list[str]
    name: str
    status: Status = Field(default="active", index=True)
    start_time: str = Field(index=True)
    end_time: str
    buffered_start_time: str
    buffered_end_time: str
    location: Json
    guests: list[str] = []
    cancellation: Json | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class Invitee(Table, table=True):
    """Who booked a meeting."""

    uuid: str = Field(primary_key=True)
    event: str = Field(foreign_key="scheduledevent.uuid", index=True)
    email: str = Field(index=True)
    name: str
    first_name: str | None = None
    last_name: str | None = None
    status: Status = "active"
    timezone: str | None = None
    text_reminder_number: str | None = None
    questions_and_answers: list[Json] = []
    tracking: Json
    rescheduled: bool = False
    old_invitee: str | None = None
    new_invitee: str | None = None
    cancellation: Json | None = None
    scheduling_method: str | None = None
    invitee_scheduled_by: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class NoShow(Table, table=True):
    """The mark that an invitee did not come."""

    uuid: str = Field(primary_key=True)
    invitee: str = Field(foreign_key="invitee.uuid", unique=True)
    created_at: str


class SchedulingLink(Table, table=True):
    """A link that books once. `override` is what a share changes of the event type."""

    code: str = Field(primary_key=True)
    event_type: str = Field(foreign_key="eventtype.uuid", index=True)
    max_event_count: int = 1
    booked: int = 0
    override: Json | None = None
    creator: str
    created_at: str


class RoutingForm(Table, table=True):
    """A form that sends those who fill it where they belong. `routes` say where: a question's answer -> a result."""

    uuid: str = Field(primary_key=True)
    organization: str = Field(foreign_key="organization.uuid")
    name: str
    status: Literal["draft", "published"] = "published"
    questions: list[Json]
    routes: list[Json]
    fallback: Json
    created_at: str
    updated_at: str = Field(derived=True)


class RoutingFormSubmission(Table, table=True):
    """A filled routing form."""

    uuid: str = Field(primary_key=True)
    routing_form: str = Field(foreign_key="routingform.uuid", index=True)
    questions_and_answers: list[Json]
    tracking: Json
    result: Json
    submitter: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class WebhookSubscription(Table, table=True):
    """Where Calendly tells of what happens."""

    uuid: str = Field(primary_key=True)
    callback_url: str
    state: Literal["active", "disabled"] = "active"
    events: list[str]
    scope: Literal["user", "organization", "group"]
    organization: str = Field(foreign_key="organization.uuid")
    user: str | None = None
    group: str | None = None
    creator: str
    signing_key: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class WebhookDelivery(Table, table=True):
    """What a subscription would have been sent, with its `Calendly-Webhook-Signature`. Nothing leaves the episode."""

    derived_table: ClassVar[bool] = True
    hidden_table: ClassVar[bool] = True  # an outbox: the API shows subscriptions, not what they were sent
    uuid: str = Field(primary_key=True)
    subscription: str = Field(index=True)
    body: str
    signature: str | None = None
    created_at: str


class ActivityLogEntry(Table, table=True):
    """What somebody did in the organization."""

    derived_table: ClassVar[bool] = True
    uuid: str = Field(primary_key=True)
    occurred_at: str = Field(index=True)
    actor: str
    namespace: str
    action: str
    details: Json


class DeletionRequest(Table, table=True):
    """A request to delete data, which Calendly carries out within seven days."""

    hidden_table: ClassVar[bool] = True  # the API takes the request and shows nothing of it afterwards

    uuid: str = Field(primary_key=True)
    emails: list[str] = []
    start_time: str | None = None
    end_time: str | None = None
    created_at: str
