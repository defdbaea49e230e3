"""The rows: workspaces, bases, tables with their fields, views and records, and what hangs on them."""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry

Json = dict[str, Any]
Level = Literal["owner", "create", "edit", "comment", "read"]


class Kept(Row, registry=registry()):
    """The app's own registry of tables."""


class Workspace(Kept, table=True):
    """A workspace: where bases lie. `currency` is the company's, which money columns are in."""

    id: str = Field(primary_key=True)
    name: str
    created_time: str
    currency: str = "USD"


class User(Kept, table=True):
    """A member of the company. `profile` is what the world says of the person and the API does not show."""

    id: str = Field(primary_key=True)
    email: str = Field(index=True)
    name: str
    active: bool = True
    profile: Json = Field(default_factory=dict)


class Collaborator(Kept, table=True):
    """A user's access to a workspace or a base; `scope` is the id of either."""

    scope: str = Field(primary_key=True)
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    permission_level: Level
    granted_by: str
    created_time: str


class Base(Kept, table=True):
    """A base. `transactions` counts the changes made to it, as webhooks number them."""

    id: str = Field(primary_key=True)
    workspace_id: str = Field(foreign_key="workspace.id")
    name: str
    owner: str
    created_time: str
    transactions: int = Field(default=0, derived=True)


class Table(Kept, table=True):
    """A table. `last_number` is the number of the record made last."""

    __tablename__ = "base_table"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    base_id: str = Field(index=True, foreign_key="base.id")
    name: str
    description: str | None = None
    position: int
    primary_field_id: str = ""
    last_number: int = Field(default=0, derived=True)


class Column(Kept, table=True):
    """A field of a table. `options` are as the API shows them, without what is worked out when they are read."""

    __tablename__ = "field"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    table_id: str = Field(index=True, foreign_key="base_table.id")
    name: str
    type: str
    description: str | None = None
    position: int
    options: Json = Field(default_factory=dict)


class View(Kept, table=True):
    """A view of a table: a grid over all of its records in the order of their making."""

    __tablename__ = "table_view"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    table_id: str = Field(index=True, foreign_key="base_table.id")
    name: str
    type: Literal["grid", "form", "calendar", "gallery", "kanban", "timeline", "block"] = "grid"
    position: int = 0


class Record(Kept, table=True):
    """A record. `cells` holds its values by field id: select options by name, collaborators by user id, links by record ids.

    `changes` tells for each field written since when and by whom that was last; `number` is what auto number fields show.
    """

    id: str = Field(primary_key=True)
    table_id: str = Field(index=True, foreign_key="base_table.id")
    number: int = Field(derived=True)
    created_time: str
    created_by: str
    cells: Json = Field(default_factory=dict)
    changes: dict[str, list[str]] = Field(default_factory=dict, derived=True)


class Comment(Kept, table=True):
    """A comment on a record. `mentioned` lists the ids of the users whom its text names."""

    id: str = Field(primary_key=True)
    record_id: str = Field(index=True, foreign_key="record.id")
    number: int = Field(derived=True)
    author: str
    text: str
    created_time: str
    last_updated_time: str | None = Field(default=None, derived=True)
    parent_comment_id: str | None = None


class Attachment(Kept, table=True):
    """A file in an attachment cell. `sha256` is that of an uploaded file's bytes; files named by an address are not fetched."""

    id: str = Field(primary_key=True)
    base_id: str = Field(index=True, foreign_key="base.id")
    url: str
    filename: str
    type: str
    size: int
    sha256: str = ""


class Webhook(Kept, table=True):
    """A webhook of a base. `cursor` is the number of the payload to come."""

    id: str = Field(primary_key=True)
    base_id: str = Field(index=True, foreign_key="base.id")
    notification_url: str | None = None
    specification: Json
    notifications: bool = True
    secret: str
    expiration_time: str
    cursor: int = Field(default=1, derived=True)


class Payload(Kept, table=True):
    """What a webhook was told of one transaction."""

    derived_table: ClassVar[bool] = True
    __tablename__ = "webhook_payload"  # pyright: ignore[reportAssignmentType]
    webhook_id: str = Field(primary_key=True, foreign_key="webhook.id")
    number: int = Field(primary_key=True)
    body: Json
