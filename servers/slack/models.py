"""Slack's objects. https://docs.slack.dev/reference/objects"""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()): ...


class Team(Table, table=True):
    """The workspace."""

    id: str = Field(primary_key=True)
    name: str
    domain: str
    email_domain: str


class ProfileField(Table, table=True):
    """A custom field of the workspace's profiles."""

    id: str = Field(primary_key=True)
    label: str
    type: Literal["text", "user", "date"] = "text"
    ordering: int


class User(Table, table=True):
    """A member of the workspace. `name` is the handle; `fields` holds values by profile field."""

    id: str = Field(primary_key=True)
    name: str = Field(index=True)
    first_name: str = ""
    last_name: str = ""
    real_name: str
    display_name: str = ""
    title: str = ""
    phone: str = ""
    email: str = Field(default="", index=True)
    pronouns: str = ""
    start_date: str = ""
    tz: str = "UTC"
    is_admin: bool = False
    is_bot: bool = False
    deleted: bool = False
    status_text: str = ""
    status_emoji: str = ""
    status_expiration: int = 0
    presence: Literal["auto", "away"] = "auto"
    fields: dict[str, str] = {}
    snooze_until: int = 0
    updated: int = Field(default=0, derived=True)


class Conversation(Table, table=True):
    """A channel, a direct message or a group of them. Only channels have a name that people choose."""

    id: str = Field(primary_key=True)
    kind: Literal["public", "private", "im", "mpim"] = Field(index=True)
    name: str = Field(default="", index=True)
    creator: str = ""
    created: int
    is_general: bool = False
    is_archived: bool = False
    topic: str = ""
    topic_creator: str = ""
    topic_set: int = Field(default=0, derived=True)
    purpose: str = ""
    purpose_creator: str = ""
    purpose_set: int = Field(default=0, derived=True)
    previous_names: list[str] = []
    updated: int = Field(default=0, derived=True)


class Member(Table, table=True):
    """A user in a conversation. `is_open` is whether a direct message shows in the user's sidebar."""

    channel: str = Field(primary_key=True, foreign_key="conversation.id")
    user: str = Field(primary_key=True, foreign_key="user.id", index=True)
    joined: int = Field(derived=True)
    is_open: bool = True
    last_read: str = Field(default="0000000000.000000", derived=True)


class Message(Table, table=True):
    """A message; `thread_ts` is set on replies only. `text` is mrkdwn with `& < >` escaped, as the API gives it."""

    channel: str = Field(primary_key=True, foreign_key="conversation.id")
    ts: str = Field(primary_key=True, index=True)
    user: str = Field(foreign_key="user.id", index=True)
    text: str = ""
    thread_ts: str | None = Field(default=None, index=True)
    subtype: str | None = None
    username: str = ""
    icon_emoji: str = ""
    icon_url: str = ""
    edited_by: str = ""
    edited_ts: str = Field(default="", derived=True)
    blocks: list[dict[str, Any]] = []
    attachments: list[dict[str, Any]] = []
    files: list[str] = []
    event: dict[str, Any] | None = None


class Notice(Table, table=True):
    """A line that Slack itself writes into a channel: who joined, what the topic is now. It follows from other changes."""

    derived_table = True
    channel: str = Field(primary_key=True, foreign_key="conversation.id")
    ts: str = Field(primary_key=True, index=True)
    user: str
    subtype: str
    text: str
    extra: dict[str, str] = {}


class Ephemeral(Table, table=True):
    """A message that only `recipient` saw. No method reads it back."""

    hidden_table: ClassVar[bool] = True  # conversations.history leaves it out

    channel: str = Field(primary_key=True, foreign_key="conversation.id")
    ts: str = Field(primary_key=True)
    user: str
    recipient: str
    text: str = ""
    thread_ts: str | None = None
    blocks: list[dict[str, Any]] = []
    attachments: list[dict[str, Any]] = []


class ScheduledMessage(Table, table=True):
    id: str = Field(primary_key=True)
    channel: str = Field(foreign_key="conversation.id")
    user: str
    post_at: int = Field(index=True)
    date_created: int
    text: str = ""
    thread_ts: str | None = None
    reply_broadcast: bool = False
    blocks: list[dict[str, Any]] = []
    attachments: list[dict[str, Any]] = []


class Reaction(Table, table=True):
    channel: str = Field(primary_key=True)
    ts: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    user: str = Field(primary_key=True, foreign_key="user.id")
    added: int = Field(derived=True)


class Pin(Table, table=True):
    channel: str = Field(primary_key=True)
    ts: str = Field(primary_key=True)
    user: str
    created: int


class Star(Table, table=True):
    """Something saved for later: a message (`item` is its ts), a file (its id) or a whole channel (empty)."""

    user: str = Field(primary_key=True)
    channel: str = Field(primary_key=True)
    item: str = Field(primary_key=True)
    created: int


class Bookmark(Table, table=True):
    id: str = Field(primary_key=True)
    channel_id: str = Field(foreign_key="conversation.id", index=True)
    title: str
    link: str = ""
    emoji: str = ""
    type: str = "link"
    rank: int
    date_created: int
    date_updated: int = Field(default=0, derived=True)
    last_updated_by_user_id: str = ""


class File(Table, table=True):
    """A file: first a promised upload, then received, then shared. `content` is text, or base64 where it is not UTF-8."""

    id: str = Field(primary_key=True)
    state: Literal["promised", "received", "complete"] = "complete"
    ticket: str = Field(default="", index=True)
    name: str
    title: str
    filetype: str
    mimetype: str
    user: str = Field(foreign_key="user.id", index=True)
    created: int
    size: int
    alt_txt: str = ""
    content: str = ""
    is_base64: bool = False


class FileShare(Table, table=True):
    file: str = Field(primary_key=True, foreign_key="file.id")
    channel: str = Field(primary_key=True, foreign_key="conversation.id")
    ts: str = Field(primary_key=True)


class CanvasSection(Table, table=True):
    """A block of a canvas (which is a file of type `quip`), in order of `position`."""

    id: str = Field(primary_key=True)
    canvas: str = Field(foreign_key="file.id", index=True)
    position: int
    type: Literal["h1", "h2", "h3", "text"]
    markdown: str


class CanvasAccess(Table, table=True):
    """Who may open a canvas: a user or a channel."""

    canvas: str = Field(primary_key=True, foreign_key="file.id")
    entity: str = Field(primary_key=True)
    access_level: Literal["read", "write", "owner"]


class ChannelCanvas(Table, table=True):
    channel: str = Field(primary_key=True, foreign_key="conversation.id")
    canvas: str = Field(foreign_key="file.id")


class UserGroup(Table, table=True):
    id: str = Field(primary_key=True)
    name: str
    handle: str = Field(index=True)
    description: str = ""
    channels: list[str] = []
    users: list[str] = []
    created_by: str
    updated_by: str = ""
    deleted_by: str | None = None
    date_create: int
    date_update: int = Field(default=0, derived=True)
    date_delete: int = 0


class Reminder(Table, table=True):
    id: str = Field(primary_key=True)
    creator: str
    user: str
    text: str
    time: int
    recurrence: dict[str, Any] | None = None
    complete_ts: int = 0


class Emoji(Table, table=True):
    """A custom emoji: an image, or `alias:name`."""

    name: str = Field(primary_key=True)
    url: str
