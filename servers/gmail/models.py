"""Gmail's resources as rows. https://developers.google.com/workspace/gmail/api/reference/rest"""

from typing import Any, ClassVar, Literal

from pydantic import BaseModel

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()):
    """The app's own tables."""


class Account(Table, table=True):
    """The mailbox's owner and the settings that are one object each."""

    email: str = Field(primary_key=True)
    name: str = ""
    vacation: dict[str, Any] = Field(default_factory=dict)
    auto_forwarding: dict[str, Any] = Field(default_factory=dict)
    imap: dict[str, Any] = Field(default_factory=dict)
    pop: dict[str, Any] = Field(default_factory=dict)
    language: str = "en"
    watch: dict[str, Any] | None = None


class Color(BaseModel, extra="forbid"):
    """A label's colours, both from Gmail's palette."""

    textColor: str | None = Field(None, description="The colour of the text, as #rrggbb from Gmail's palette.")
    backgroundColor: str | None = Field(
        None, description="The colour behind the text, as #rrggbb from Gmail's palette."
    )


class Label(Table, table=True):
    """A label: `type` system (fixed) or user."""

    id: str = Field(primary_key=True)
    name: str
    type: Literal["system", "user"] = "user"
    messageListVisibility: Literal["show", "hide"] | None = "show"
    labelListVisibility: Literal["labelShow", "labelShowIfUnread", "labelHide"] | None = "labelShow"
    color: Color | None = None
    number: int = Field(default=0, derived=True, index=True)


class File(BaseModel):
    """A part of a message that is kept as an attachment."""

    part_id: str
    name: str
    media_type: str
    size: int


class Message(Table, table=True):
    """A message. `raw` is its RFC 2822 text, one character a byte; the columns before it are read from it."""

    id: str = Field(primary_key=True)
    thread_id: str = Field(index=True)
    label_ids: list[str] = Field(default_factory=list)
    subject: str = ""
    sender: str = ""
    to: list[str] = Field(default_factory=list)
    cc: list[str] = Field(default_factory=list)
    bcc: list[str] = Field(default_factory=list)
    body: str = ""
    html: str = ""
    files: list[File] = Field(default_factory=list)
    date: int = Field(index=True)
    snippet: str = Field(default="", derived=True)
    size: int = Field(default=0, derived=True)
    rfc822_id: str = Field(default="", index=True, derived=True)
    in_reply_to: str = ""
    history_id: int = Field(default=0, derived=True)
    arrival: int = Field(default=0, derived=True)
    raw: str = Field(default="", derived=True)


class MessageText(Table, table=True):
    """What the search looks at: the words of a field of a message, as they are and without plural endings."""

    derived_table: ClassVar[bool] = True
    __tablename__ = "message_text"  # pyright: ignore[reportAssignmentType]

    field: str = Field(primary_key=True)
    message_id: str = Field(primary_key=True, foreign_key="message.id", index=True)
    words: str
    stems: str


class Draft(Table, table=True):
    """A draft: an id that stays while its message is replaced."""

    id: str = Field(primary_key=True)
    message_id: str = Field(foreign_key="message.id", index=True)


class History(Table, table=True):
    """One change of the mailbox, as history.list tells it."""

    derived_table: ClassVar[bool] = True

    id: int = Field(primary_key=True)
    type: Literal["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"]
    message_id: str
    thread_id: str
    label_ids: list[str] = Field(default_factory=list)
    changed: list[str] = Field(default_factory=list)


class Filter(Table, table=True):
    """A rule for incoming mail."""

    id: str = Field(primary_key=True)
    criteria: dict[str, Any]
    action: dict[str, Any]
    number: int = Field(default=0, derived=True)


class SendAs(Table, table=True):
    """An address that mail may be sent from."""

    __tablename__ = "send_as"  # pyright: ignore[reportAssignmentType]

    sendAsEmail: str = Field(primary_key=True)
    displayName: str = ""
    replyToAddress: str = ""
    signature: str = ""
    isPrimary: bool = False
    isDefault: bool = False
    treatAsAlias: bool = True
    smtpMsa: dict[str, Any] | None = None
    verificationStatus: Literal["accepted", "pending"] | None = None


class ForwardingAddress(Table, table=True):
    """An address that mail may be forwarded to."""

    __tablename__ = "forwarding_address"  # pyright: ignore[reportAssignmentType]

    forwardingEmail: str = Field(primary_key=True)
    verificationStatus: Literal["accepted", "pending"] = "pending"


class Upload(Table, table=True):
    """A resumable upload under way."""

    derived_table: ClassVar[bool] = True
    hidden_table: ClassVar[bool] = True  # only a PUT to the upload's own address tells how far it is

    id: str = Field(primary_key=True)
    target: str
    about: dict[str, Any] = Field(default_factory=dict)
    received: str = ""
