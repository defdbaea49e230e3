"""Discord's resources as tables. Ids are snowflakes as decimal text; `seq` is the same number, to sort and compare by."""

from typing import Any, ClassVar

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()):
    """The base of Discord's tables."""


class Guild(Table, table=True):
    """The organisation's server."""

    id: str = Field(primary_key=True)
    name: str
    description: str | None = None
    owner_id: str = ""
    verification_level: int = 1
    default_message_notifications: int = 1
    explicit_content_filter: int = 0
    afk_timeout: int = 300
    afk_channel_id: str | None = None
    system_channel_id: str | None = None
    rules_channel_id: str | None = None
    preferred_locale: str = "en-US"
    features: list[str] = []


class User(Table, table=True):
    """An account. A person who has left the server still has one."""

    id: str = Field(primary_key=True)
    username: str = Field(index=True)
    global_name: str | None = None
    email: str = ""
    bot: bool = False
    locale: str = "en-US"
    first_name: str = ""
    last_name: str = ""


class Member(Table, table=True):
    """A user in the server. `roles` leaves out @everyone."""

    user_id: str = Field(primary_key=True, foreign_key="user.id")
    nick: str | None = None
    roles: list[str] = []
    joined_at: str
    communication_disabled_until: str | None = None
    mute: bool = False
    deaf: bool = False


class Role(Table, table=True):
    """A role. The one whose id is the guild's is @everyone."""

    id: str = Field(primary_key=True)
    name: str
    color: int = 0
    hoist: bool = False
    position: int = 1
    permissions: int = 0
    mentionable: bool = False
    managed: bool = False


class Channel(Table, table=True):
    """A channel of any type, a thread, or a direct message."""

    id: str = Field(primary_key=True)
    type: int = 0
    name: str = ""
    topic: str | None = None
    position: int = 0
    parent_id: str | None = Field(default=None, index=True)
    nsfw: bool = False
    rate_limit_per_user: int = 0
    bitrate: int = 64000
    user_limit: int = 0
    owner_id: str | None = None
    default_auto_archive_duration: int | None = None
    # Of threads alone
    archived: bool = False
    locked: bool = False
    invitable: bool = True
    auto_archive_duration: int = 4320
    archive_timestamp: str | None = Field(default=None, derived=True)


class Overwrite(Table, table=True):
    """What a role (type 0) or member (type 1) may do in a channel, other than in the server."""

    channel_id: str = Field(primary_key=True, foreign_key="channel.id")
    id: str = Field(primary_key=True)
    type: int
    allow: int = 0
    deny: int = 0


class Recipient(Table, table=True):
    """A party of a direct message."""

    channel_id: str = Field(primary_key=True, foreign_key="channel.id")
    user_id: str = Field(primary_key=True, foreign_key="user.id")


class Thread_Member(Table, table=True):
    """A user who has joined a thread."""

    thread_id: str = Field(primary_key=True, foreign_key="channel.id")
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    join_timestamp: str


class Message(Table, table=True):
    """A message that someone wrote. `author_id` is a webhook's id where `webhook_id` is set."""

    id: str = Field(primary_key=True)
    seq: int = Field(index=True, derived=True)
    channel_id: str = Field(foreign_key="channel.id", index=True)
    author_id: str
    type: int = 0
    content: str = ""
    edited_timestamp: str | None = Field(default=None, derived=True)
    tts: bool = False
    flags: int = 0
    embeds: list[dict[str, Any]] = []
    mention_everyone: bool = False
    mentions: list[str] = []
    mention_roles: list[str] = []
    reference_id: str | None = None
    # Of a forward: the message it is of, as it was, with its channel_id and message_id
    forwarded: dict[str, Any] = {}
    nonce: str | None = Field(default=None, derived=True)
    webhook_id: str | None = None
    webhook_name: str | None = None
    pinned_at: str | None = None


class Notice(Table, table=True):
    """Discord's own line in a channel: someone pinned a message, started a thread."""

    derived_table: ClassVar[bool] = True
    id: str = Field(primary_key=True)
    seq: int = Field(index=True)
    channel_id: str = Field(foreign_key="channel.id", index=True)
    author_id: str
    type: int
    content: str = ""
    reference_channel: str | None = None
    reference_id: str | None = None


class Attachment(Table, table=True):
    """A file on a message. `content` is its text, or base64 where it is none."""

    id: str = Field(primary_key=True)
    message_id: str = Field(foreign_key="message.id", index=True)
    filename: str
    description: str | None = None
    content_type: str
    size: int
    content: str
    binary: bool = False


class Reaction(Table, table=True):
    """A user's reaction. `emoji` is a Unicode emoji, or `name:id` of the server's own."""

    message_id: str = Field(primary_key=True, foreign_key="message.id")
    emoji: str = Field(primary_key=True)
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    number: int = Field(derived=True)


class Ban(Table, table=True):
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    reason: str | None = None


class Invite(Table, table=True):
    code: str = Field(primary_key=True)
    channel_id: str = Field(foreign_key="channel.id")
    inviter_id: str = Field(foreign_key="user.id")
    max_age: int
    max_uses: int
    temporary: bool
    created_at: str
    uses: int = 0


class Webhook(Table, table=True):
    id: str = Field(primary_key=True)
    channel_id: str = Field(foreign_key="channel.id")
    name: str
    token: str
    user_id: str = Field(foreign_key="user.id")


class Event(Table, table=True):
    """A scheduled event. Status 1 scheduled, 2 active, 3 completed, 4 canceled."""

    id: str = Field(primary_key=True)
    channel_id: str | None = None
    creator_id: str = Field(foreign_key="user.id")
    name: str
    description: str | None = None
    scheduled_start_time: str
    scheduled_end_time: str | None = None
    status: int = 1
    entity_type: int
    location: str | None = None


class Emoji(Table, table=True):
    """An emoji of the server's own."""

    id: str = Field(primary_key=True)
    name: str
    roles: list[str] = []
    user_id: str = Field(foreign_key="user.id")
    animated: bool = False


class Audit_Entry(Table, table=True):
    """A line of the audit log."""

    derived_table: ClassVar[bool] = True
    id: str = Field(primary_key=True)
    seq: int = Field(index=True)
    user_id: str
    target_id: str | None
    action_type: int
    changes: list[dict[str, Any]] = []
    options: dict[str, str] = {}
    reason: str | None = None
