"""The rows: people and bots, pages, blocks, databases and their data sources, comments, uploads."""

from typing import Any, Literal

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()):
    """The app's own registry of tables."""


ParentType = Literal["workspace", "page_id", "block_id", "data_source_id", "database_id"]
Rich = list[dict[str, Any]]


class User(Table, table=True):
    """A member or a bot. `profile` is what the identity provider sends along for a member and the API does not show."""

    id: str = Field(primary_key=True)
    type: Literal["person", "bot"] = "person"
    name: str
    email: str = ""
    avatar_url: str | None = None
    owner: str = ""
    active: bool = True
    profile: dict[str, Any] = Field(default_factory=dict)


class Edited(Table):
    """What pages, blocks, databases and data sources have in common: when and by whom, and whether they lie in the trash."""

    created_time: str
    created_by: str
    last_edited_time: str = Field(derived=True)
    last_edited_by: str = Field(derived=True)
    in_trash: bool = False


class Page(Edited, table=True):
    """A page. `title` is `rich_title` as plain text; `properties` are the other values by property id; `position` is its place
    among the blocks of the page it stands in. `shared` is false for a page the integration has no access to. `spelling` is {"was",
    "reads"} where the Markdown that a page was filled from is spelt unlike the Markdown that its blocks read as."""

    id: str = Field(primary_key=True)
    parent_type: ParentType = "workspace"
    parent: str = Field("", index=True)
    position: int = Field(0, derived=True)
    title: str = ""
    rich_title: Rich = Field(default_factory=list)
    properties: dict[str, Any] = Field(default_factory=dict)
    icon: dict[str, Any] | None = None
    cover: dict[str, Any] | None = None
    is_locked: bool = False
    shared: bool = True
    spelling: dict[str, str] | None = Field(None, derived=True)


class Block(Edited, table=True):
    """A block of a page or of another block. `content` is what stands under the type's name, without children; `text` its plain text.
    `info` is a code block's language as the Markdown that it came from spelled it."""

    id: str = Field(primary_key=True)
    parent_type: ParentType = "page_id"
    parent: str = Field(index=True)
    position: int = Field(0, derived=True)
    type: str
    content: dict[str, Any] = Field(default_factory=dict)
    text: str = ""
    info: str = ""


class Database(Edited, table=True):
    """A database: the container of data sources that stands in a page."""

    id: str = Field(primary_key=True)
    parent_type: ParentType = "page_id"
    parent: str = Field("", index=True)
    position: int = Field(0, derived=True)
    title: str = ""
    rich_title: Rich = Field(default_factory=list)
    description: Rich = Field(default_factory=list)
    is_inline: bool = False
    is_locked: bool = False
    icon: dict[str, Any] | None = None
    cover: dict[str, Any] | None = None


class DataSource(Edited, table=True):
    """A table of pages. `properties` is the schema: property id -> {name, type, config, description}."""

    __tablename__ = "data_source"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    database: str = Field(index=True, foreign_key="database.id")
    title: str = ""
    rich_title: Rich = Field(default_factory=list)
    properties: dict[str, dict[str, Any]] = Field(default_factory=dict)
    icon: dict[str, Any] | None = None


class Comment(Table, table=True):
    """A comment in a discussion about a page or a block."""

    id: str = Field(primary_key=True)
    parent_type: ParentType = "page_id"
    parent: str = Field(index=True)
    discussion: str = Field(index=True)
    rich_text: Rich = Field(default_factory=list)
    text: str = ""
    created_time: str
    last_edited_time: str = Field(derived=True)
    created_by: str
    display_name: dict[str, Any] = Field(default_factory=dict)
    attachments: list[str] = Field(default_factory=list)


class FileUpload(Table, table=True):
    """A file on its way in: `pending` until all its parts are sent (and, of several, completed)."""

    __tablename__ = "file_upload"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    status: Literal["pending", "uploaded", "expired", "failed"] = "pending"
    mode: Literal["single_part", "multi_part", "external_url"] = "single_part"
    filename: str | None = None
    content_type: str | None = None
    content_length: int | None = None
    external_url: str | None = None
    number_of_parts: int | None = None
    parts: dict[str, int] = Field(default_factory=dict)
    sha256: str = ""
    created_time: str
    created_by: str
    last_edited_time: str = Field(derived=True)
    expiry_time: str | None = None
