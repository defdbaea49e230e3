"""Rows. Columns of resources have the API's names."""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry

Role = Literal["none", "freeBusyReader", "reader", "writerWithoutPrivateAccess", "writer", "owner"]
Json = dict[str, Any]


class Table(Row, registry=registry()):
    pass


class Account(Table, table=True):
    """Who calls."""

    email: str = Field(primary_key=True)
    name: str = ""
    domain: str = ""
    admin: bool = False


class Person(Table, table=True):
    """A user of the organisation's domain; `profile` is the rest of what the directory says."""

    email: str = Field(primary_key=True)
    first_name: str
    last_name: str
    time_zone: str = "UTC"
    active: bool = True
    profile: Json = Field(default_factory=dict)


class Calendar(Table, table=True):
    """A calendar. A user's primary one has the user's address as its id."""

    id: str = Field(primary_key=True)
    owner: str
    primary: bool = False
    summary: str
    description: str = ""
    location: str = ""
    timeZone: str = "UTC"
    autoAcceptInvitations: bool = False
    workingHours: Json | None = None
    eventLabels: list[Json] = Field(default_factory=list)
    updated: str = Field(default="", derived=True)
    changed: int = Field(default=0, derived=True)


class CalendarListEntry(Table, table=True):
    """A calendar on the caller's list, and how it is shown there."""

    __tablename__ = "calendar_list_entry"  # pyright: ignore[reportAssignmentType]

    id: str = Field(primary_key=True)
    colorId: str = "14"
    backgroundColor: str = "#9fe1e7"
    foregroundColor: str = "#000000"
    hidden: bool = False
    selected: bool = False
    summaryOverride: str | None = None
    defaultReminders: list[Json] = Field(default_factory=list)
    notifications: list[Json] = Field(default_factory=list)
    deleted: bool = False
    number: int = Field(default=0, derived=True)
    updated: str = Field(default="", derived=True)
    changed: int = Field(default=0, derived=True)


class AclRule(Table, table=True):
    """Who may do what with a calendar. A removed rule stays, with the role none."""

    __tablename__ = "acl_rule"  # pyright: ignore[reportAssignmentType]

    calendar_id: str = Field(primary_key=True, foreign_key="calendar.id")
    id: str = Field(primary_key=True)
    role: Role
    scope_type: Literal["default", "user", "group", "domain"]
    scope_value: str = ""
    updated: str = Field(default="", derived=True)
    changed: int = Field(default=0, derived=True)


class Event(Table, table=True):
    """An event as one calendar has it.

    The organizer's calendar has the event itself. A guest's calendar may have an entry of the same id: what guests share (title, time,
    guests ...) is then read from the organizer's row, and the guest's row says what is the guest's own: the answer, the colour, the
    reminders. A guest's calendar without such a row shows the invitation all the same. `recurringEventId` marks a changed or
    cancelled occurrence of a series; `deleted` an entry that was deleted by a call.
    """

    calendar_id: str = Field(primary_key=True, foreign_key="calendar.id")
    id: str = Field(primary_key=True, index=True)
    status: Literal["confirmed", "tentative", "cancelled"] = "confirmed"
    deleted: bool = False
    summary: str | None = None
    description: str | None = None
    location: str | None = None
    start: Json
    end: Json
    endTimeUnspecified: bool = False
    recurrence: list[str] = Field(default_factory=list)
    recurringEventId: str | None = Field(default=None, index=True)
    originalStartTime: Json | None = None
    creator: Json = Field(default_factory=dict)
    organizer: Json = Field(default_factory=dict)
    attendees: list[Json] = Field(default_factory=list)
    transparency: Literal["opaque", "transparent"] = "opaque"
    visibility: Literal["default", "public", "private", "confidential"] = "default"
    colorId: str | None = None
    eventLabelId: str | None = None
    reminders: Json = Field(default_factory=lambda: {"useDefault": True})
    privateProperties: dict[str, str] = Field(default_factory=dict)
    sharedProperties: dict[str, str] = Field(default_factory=dict)
    conferenceData: Json | None = None
    attachments: list[Json] = Field(default_factory=list)
    source: Json | None = None
    anyoneCanAddSelf: bool = False
    guestsCanInviteOthers: bool = True
    guestsCanModify: bool = False
    guestsCanSeeOtherGuests: bool = True
    privateCopy: bool = False
    eventType: str = "default"
    typeProperties: Json | None = None
    iCalUID: str = Field(index=True)
    created: str
    sequence: int = Field(default=0, derived=True)
    updated: str = Field(default="", derived=True)
    changed: int = Field(default=0, derived=True)


class Notification(Table, table=True):
    """A mail to the guests of an event, which goes out only where the caller asks for it."""

    derived_table: ClassVar[bool] = True
    hidden_table: ClassVar[bool] = True  # an outbox: the guests get the mail, the API does not show it

    id: int | None = Field(default=None, primary_key=True)
    calendar_id: str
    event_id: str
    kind: Literal["invitation", "update", "cancellation", "response", "organizerChange"]
    recipients: list[str]
    at: str


class Setting(Table, table=True):
    """A setting of the caller's."""

    id: str = Field(primary_key=True)
    value: str


class Channel(Table, table=True):
    """A subscription to changes. Nothing leaves the episode, so nothing is ever delivered."""

    hidden_table: ClassVar[bool] = True  # Google lists no channels: its name is told when it is opened

    id: str = Field(primary_key=True)
    resourceId: str
    resourceUri: str
    address: str
    token: str | None = None
    expiration: str | None = None
