"""The account's settings: who works in it, its pipelines, properties, associations and lists."""

from typing import Any, ClassVar

from legoenv_mcp.app import Field

from .base import CrmObject, Table


class Account(Table, table=True):
    """The account itself, one row."""

    portal_id: int = Field(primary_key=True)
    name: str
    domain: str
    currency: str = "USD"
    currencies: list[str] = Field(default_factory=list)
    time_zone: str = "UTC"
    ui_domain: str = "app.hubspot.com"


class Team(Table, table=True):
    id: str = Field(primary_key=True)
    name: str


class Owner(Table, table=True):
    """A user whom records may belong to."""

    id: str = Field(primary_key=True)
    user_id: int = Field(index=True)
    email: str
    first_name: str = ""
    last_name: str = ""
    team: str | None = Field(default=None, foreign_key="team.id")
    super_admin: bool = False
    archived: bool = False
    created_at: str = ""
    updated_at: str = Field(default="", derived=True)


class Pipeline(Table, table=True):
    """A sequence of stages that deals, tickets or leads go through."""

    object_type: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    label: str
    display_order: int = 0
    archived: bool = False
    created_at: str = Field(default="", derived=True)
    updated_at: str = Field(default="", derived=True)


class Stage(Table, table=True):
    """A stage. `metadata` is as sent: `probability` of deals, `ticketState` of tickets, `isClosed`."""

    object_type: str = Field(primary_key=True)
    pipeline: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    label: str
    display_order: int = 0
    meta: dict[str, Any] = Field(default_factory=dict)
    archived: bool = False
    created_at: str = Field(default="", derived=True)
    updated_at: str = Field(default="", derived=True)


class Property(Table, table=True):
    """A property that the account has made, or one of HubSpot's that it has changed."""

    object_type: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    label: str
    type: str = "string"
    field_type: str = "text"
    group_name: str = ""
    description: str = ""
    options: list[dict[str, Any]] = Field(default_factory=list)
    has_unique_value: bool = False
    hidden: bool = False
    form_field: bool = False
    display_order: int = -1
    calculation_formula: str = ""
    extra: dict[str, Any] = Field(default_factory=dict)
    standard: bool = False
    archived: bool = False
    created_at: str = Field(default="", derived=True)
    updated_at: str = Field(default="", derived=True)


class PropertyGroup(Table, table=True):
    object_type: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    label: str
    display_order: int = -1
    archived: bool = False


class Association(Table, table=True):
    """A link between two records, kept once. `types` are the ids of its association types, seen from the first record."""

    from_type: str = Field(primary_key=True)
    from_id: str = Field(primary_key=True, index=True)
    to_type: str = Field(primary_key=True)
    to_id: str = Field(primary_key=True, index=True)
    types: list[int] = Field(default_factory=list)


class AssociationLabel(Table, table=True):
    """An association type that the account has made; one with an inverse of its own is two rows."""

    type_id: int = Field(primary_key=True)
    from_type: str
    to_type: str
    name: str
    label: str | None = None
    inverse_id: int


class ObjectList(Table, table=True):
    """A list (segment) of records: MANUAL, SNAPSHOT or, with filters that decide by themselves, DYNAMIC."""

    id: str = Field(primary_key=True)
    name: str
    object_type: str
    processing_type: str
    filter_branch: dict[str, Any] | None = None
    created_by: str = ""
    version: int = Field(default=1, derived=True)
    created_at: str = Field(default="", derived=True)
    updated_at: str = Field(default="", derived=True)
    filters_updated_at: str = Field(default="", derived=True)
    deleted_at: str | None = None


class Membership(Table, table=True):
    """A record in a list that is not dynamic."""

    list_id: str = Field(primary_key=True, foreign_key="objectlist.id")
    record_id: str = Field(primary_key=True)
    joined_at: str = Field(default="", derived=True)


class Schema(Table, table=True):
    """A custom object type."""

    id: str = Field(primary_key=True)
    name: str
    label_singular: str
    label_plural: str
    description: str = ""
    primary_display: str = ""
    secondary_display: list[str] = Field(default_factory=list)
    required: list[str] = Field(default_factory=list)
    searchable: list[str] = Field(default_factory=list)
    associated: list[str] = Field(default_factory=list)
    archived: bool = False
    created_at: str = Field(default="", derived=True)
    updated_at: str = Field(default="", derived=True)


class History(Table, table=True):
    """What a property's value was, from its first change on."""

    derived_table: ClassVar[bool] = True
    id: int | None = Field(default=None, primary_key=True)
    object_type: str
    object_id: str = Field(index=True)
    name: str
    value: str = ""
    timestamp: str = ""
    user_id: int | None = None


class CustomObject(CrmObject, table=True):
    """A record of a custom object type; its properties are all in `custom`."""

    __tablename__ = "custom_object"  # pyright: ignore[reportAssignmentType]
    object_type: str = Field(default="", index=True)
