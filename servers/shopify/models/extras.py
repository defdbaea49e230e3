"""What hangs on other resources: metafields, events, webhooks."""

from typing import ClassVar, Literal

from legoenv_mcp.app import Field

from .base import Table


class Metafield(Table, table=True):
    id: int = Field(primary_key=True)
    owner_resource: str
    owner_id: int = Field(index=True)
    namespace: str
    key: str
    value: str
    type: str
    description: str | None = None
    created_at: str
    updated_at: str = Field(derived=True)


class Event(Table, table=True):
    derived_table: ClassVar[bool] = True
    id: int = Field(primary_key=True)
    subject_type: str
    subject_id: int = Field(index=True)
    verb: str
    message: str
    arguments: list[str] = Field(default=[])
    created_at: str


class Webhook(Table, table=True):
    id: int = Field(primary_key=True)
    topic: str
    address: str
    format: Literal["json", "xml"] = "json"
    fields: list[str] = Field(default=[])
    metafield_namespaces: list[str] = Field(default=[])
    api_version: str = "2025-01"
    created_at: str
    updated_at: str = Field(derived=True)
