"""Trello's objects as tables. Field names are the API's. https://developer.atlassian.com/cloud/trello/guides/rest-api/object-definitions/"""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()):
    """The base of Trello's tables."""


class Organization(Table, table=True):
    """A workspace. `name` is its short name in addresses."""

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    displayName: str
    desc: str = ""
    website: str | None = None


class Member(Table, table=True):
    """A user. `familyName` says where the full name divides; the API does not show it."""

    id: str = Field(primary_key=True)
    username: str = Field(unique=True)
    fullName: str
    familyName: str = ""
    initials: str
    email: str = Field(index=True)
    bio: str = ""
    active: bool = True
    admin: bool = False


class Board(Table, table=True):
    """A board. `prefs` are what members may set; the fixed rest of them is added where a board is shown."""

    id: str = Field(primary_key=True)
    shortLink: str = Field(unique=True)
    name: str
    desc: str = ""
    closed: bool = False
    dateClosed: str | None = Field(default=None, derived=True)
    idOrganization: str | None = None
    idMemberCreator: str
    prefs: dict[str, Any]
    labelNames: dict[str, str] = Field(default_factory=dict)
    subscribed: bool = False
    dateLastActivity: str | None = Field(default=None, derived=True)
    last_number: int = Field(default=0, derived=True)


MemberType = Literal["admin", "normal", "observer"]


class Membership(Table, table=True):
    """A member of a board. `place` keeps the order in which they came."""

    id: str = Field(primary_key=True)
    idBoard: str = Field(index=True)
    idMember: str = Field(index=True)
    memberType: MemberType = "normal"
    place: int = 0


class BoardStar(Table, table=True):
    """A board that the token's member has starred."""

    id: str = Field(primary_key=True)
    idBoard: str = Field(unique=True)
    pos: float


class TrelloList(Table, table=True):
    """A column of a board."""

    __tablename__ = "list"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    idBoard: str = Field(index=True)
    name: str
    closed: bool = False
    pos: float
    subscribed: bool = False
    softLimit: int | None = None


class Label(Table, table=True):
    """A label of a board; one without a colour is not shown on card fronts."""

    id: str = Field(primary_key=True)
    idBoard: str = Field(index=True)
    name: str = ""
    color: str | None = None


class Card(Table, table=True):
    """A card. `idShort` counts in its board; badges and the ids of checklists and attachments are worked out when it is shown."""

    id: str = Field(primary_key=True)
    shortLink: str = Field(unique=True)
    idShort: int
    idBoard: str = Field(index=True)
    idList: str = Field(index=True)
    name: str
    desc: str = ""
    closed: bool = False
    pos: float
    start: str | None = None
    due: str | None = None
    dueReminder: int | None = None
    dueComplete: bool = False
    dateCompleted: str | None = Field(default=None, derived=True)
    idMembers: list[str] = Field(default_factory=list)
    idLabels: list[str] = Field(default_factory=list)
    idMembersVoted: list[str] = Field(default_factory=list)
    idMemberCreator: str | None = None
    cover: dict[str, Any] = Field(default_factory=dict)
    subscribed: bool = False
    isTemplate: bool = False
    address: str | None = None
    locationName: str | None = None
    coordinates: str | None = None
    dateLastActivity: str = Field(derived=True)


class Checklist(Table, table=True):
    """A checklist of a card."""

    id: str = Field(primary_key=True)
    idBoard: str
    idCard: str = Field(index=True)
    name: str
    pos: float


class CheckItem(Table, table=True):
    """An item of a checklist."""

    id: str = Field(primary_key=True)
    idChecklist: str = Field(index=True)
    name: str
    state: Literal["complete", "incomplete"] = "incomplete"
    pos: float
    due: str | None = None
    dueReminder: int | None = None
    idMember: str | None = None


class Attachment(Table, table=True):
    """A link or an uploaded file on a card. `content` is the file in base64."""

    id: str = Field(primary_key=True)
    idCard: str = Field(index=True)
    idMember: str
    name: str
    url: str
    fileName: str | None = None
    mimeType: str = ""
    isUpload: bool = False
    bytes: int | None = None
    date: str
    pos: float
    content: str = ""


class Comment(Table, table=True):
    """A comment: to the API an action of type commentCard, and the only one that people write and edit."""

    id: str = Field(primary_key=True)
    idCard: str = Field(index=True)
    idBoard: str = Field(index=True)
    idMemberCreator: str
    date: str
    text: str
    dateLastEdited: str | None = Field(default=None, derived=True)


class Activity(Table, table=True):
    """The actions that Trello itself notes of what is done."""

    derived_table: ClassVar[bool] = True
    id: str = Field(primary_key=True)
    type: str
    date: str
    idMemberCreator: str
    idBoard: str | None = Field(default=None, index=True)
    idCard: str | None = Field(default=None, index=True)
    idList: str | None = Field(default=None, index=True)
    data: dict[str, Any]


class CustomField(Table, table=True):
    """A field that a board adds to its cards. `options` are the choices of a list."""

    id: str = Field(primary_key=True)
    idBoard: str = Field(index=True)
    name: str
    type: Literal["checkbox", "date", "list", "number", "text"]
    pos: float
    cardFront: bool = True
    options: list[dict[str, Any]] = Field(default_factory=list)


class CustomFieldItem(Table, table=True):
    """A custom field's value on a card: `idValue` for a choice, else `value`."""

    id: str = Field(primary_key=True)
    idCard: str = Field(index=True)
    idCustomField: str = Field(index=True)
    idValue: str | None = None
    value: dict[str, str] | None = None


class Webhook(Table, table=True):
    """An address that is told of changes. Nothing is sent from here."""

    id: str = Field(primary_key=True)
    description: str = ""
    idModel: str
    callbackURL: str
    active: bool = True
