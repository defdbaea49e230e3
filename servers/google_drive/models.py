"""Rows. Columns of resources have the API's names."""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry

Json = dict[str, Any]
Role = Literal["reader", "commenter", "writer", "fileOrganizer", "organizer", "owner"]
Grantee = Literal["user", "group", "domain", "anyone"]


class Table(Row, registry=registry()):
    pass


class Account(Table, table=True):
    """Who calls, and the folders that the account begins with."""

    email: str = Field(primary_key=True)
    name: str = ""
    domain: str = ""
    admin: bool = False
    root: str = ""
    app_data: str = ""


class Person(Table, table=True):
    """A user of the organisation's domain; `profile` is the rest of what the directory says."""

    email: str = Field(primary_key=True)
    first_name: str
    last_name: str
    time_zone: str = "UTC"
    active: bool = True
    profile: Json = Field(default_factory=dict)


class File(Table, table=True):
    """A file, folder or shortcut. Whoever owns it has no row in `permission`: the owner is told here.

    `content` is text as it is and other bytes in base64, as `encoding` says; a Docs editors file's is what it was written in
    (`source`). `parent` is empty for what lies in somebody else's My Drive. `trashed` is only said of what was trashed itself, not
    of what lies in a trashed folder. Which revisions are kept forever or were deleted is told here, since the revisions themselves
    are a history.
    """

    id: str = Field(primary_key=True)
    name: str
    mimeType: str
    owner: str = ""
    parent: str | None = Field(default=None, index=True)
    driveId: str | None = Field(default=None, index=True)
    space: Literal["drive", "appDataFolder"] = "drive"
    description: str | None = None
    starred: bool = False
    trashed: bool = False
    trashingUser: str | None = None
    trashedTime: str | None = Field(default=None, derived=True)
    properties: dict[str, str] = Field(default_factory=dict)
    appProperties: dict[str, str] = Field(default_factory=dict)
    folderColorRgb: str | None = None
    originalFilename: str | None = None
    content: str = ""
    encoding: Literal["utf-8", "base64"] = "utf-8"
    source: str = ""
    indexableText: str | None = None
    shortcutTargetId: str | None = None
    shortcutTargetMimeType: str | None = None
    copyRequiresWriterPermission: bool = False
    writersCanShare: bool = True
    contentRestriction: Json | None = None
    keptRevisions: list[str] = Field(default_factory=list)
    deletedRevisions: list[str] = Field(default_factory=list)
    createdTime: str
    viewedByMeTime: str | None = None
    sharedWithMeTime: str | None = Field(default=None, derived=True)
    sharingUser: str | None = Field(default=None, derived=True)
    modifiedTime: str = Field(derived=True)
    modifiedByMeTime: str | None = Field(default=None, derived=True)
    lastModifyingUser: str = Field(default="", derived=True)
    headRevisionId: str | None = Field(default=None, derived=True)
    version: int = Field(default=1, derived=True)


class Permission(Table, table=True):
    """What somebody was given on a file or shared drive itself. What is inherited is worked out from the folders above."""

    file_id: str = Field(primary_key=True, foreign_key="file.id")
    id: str = Field(primary_key=True)
    type: Grantee
    role: Role
    emailAddress: str | None = None
    domain: str | None = None
    allowFileDiscovery: bool = False
    expirationTime: str | None = None


class Revision(Table, table=True):
    """A version of a file's content."""

    derived_table: ClassVar[bool] = True

    file_id: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    number: int
    mimeType: str
    modifiedTime: str
    lastModifyingUser: str
    originalFilename: str | None = None
    content: str = ""
    encoding: Literal["utf-8", "base64"] = "utf-8"
    source: str = ""


class Comment(Table, table=True):
    """A comment on a file. A deleted one stays, without its content."""

    id: str = Field(primary_key=True)
    file_id: str = Field(foreign_key="file.id", index=True)
    author: str
    content: str = ""
    anchor: str | None = None
    quotedFileContent: Json | None = None
    resolved: bool = False
    deleted: bool = False
    number: int = Field(default=0, derived=True)
    createdTime: str
    modifiedTime: str = Field(derived=True)


class Reply(Table, table=True):
    """A reply to a comment."""

    id: str = Field(primary_key=True)
    comment_id: str = Field(foreign_key="comment.id", index=True)
    author: str
    content: str = ""
    action: Literal["resolve", "reopen"] | None = None
    deleted: bool = False
    number: int = Field(default=0, derived=True)
    createdTime: str
    modifiedTime: str = Field(derived=True)


class Drive(Table, table=True):
    """A shared drive. Its top folder is the file of the same id, and its members have their permissions there."""

    id: str = Field(primary_key=True)
    name: str
    colorRgb: str = "#8e2de2"
    backgroundImageLink: str = ""
    hidden: bool = False
    restrictions: dict[str, bool] = Field(default_factory=dict)
    requestId: str = ""
    createdTime: str


class Change(Table, table=True):
    """The log of what changed, in order."""

    derived_table: ClassVar[bool] = True

    id: int | None = Field(default=None, primary_key=True)
    type: Literal["file", "drive"] = "file"
    target: str
    driveId: str | None = None
    removed: bool = False
    time: str


class Upload(Table, table=True):
    """A resumable upload that is not over yet."""

    derived_table: ClassVar[bool] = True
    hidden_table: ClassVar[bool] = True  # only a PUT to the upload's own address tells how far it is

    id: str = Field(primary_key=True)
    method: str
    target: str
    query: dict[str, str] = Field(default_factory=dict)
    about: Json = Field(default_factory=dict)
    mimeType: str = ""
    received: str = ""


class Channel(Table, table=True):
    """A subscription to changes. Nothing leaves the episode, so nothing is ever delivered."""

    hidden_table: ClassVar[bool] = True  # Google lists no channels: its name is told when it is opened

    id: str = Field(primary_key=True)
    resourceId: str
    resourceUri: str
    address: str
    token: str | None = None
    expiration: str
