"""What every CRM object has."""

from typing import Any, ClassVar

from legoenv_mcp.app import Field, Row, registry

from ..fields import Definition


class Table(Row, registry=registry()):
    """Base of the app's tables."""


class CrmObject(Table):
    """Base of the CRM objects: a column for each standard property, `custom` for those that the account has made.

    type_id: HubSpot's number of the type. singular, plural: its names in paths. created, modified: what its properties call
    the two times. shown: the properties that come back when none is asked for. searched: those that `query` looks into.
    required: what a new record must have. group: the group of its properties.
    """

    type_id: ClassVar[str] = ""
    singular: ClassVar[str] = ""
    plural: ClassVar[str] = ""
    label: ClassVar[str] = ""
    created: ClassVar[str] = "hs_createdate"
    modified: ClassVar[str] = "hs_lastmodifieddate"
    shown: ClassVar[tuple[str, ...]] = ()
    searched: ClassVar[tuple[str, ...]] = ()
    required: ClassVar[tuple[str, ...]] = ()
    primary: ClassVar[str] = ""
    group: ClassVar[str] = ""

    id: str = Field(primary_key=True)
    created_at: str = Field(default="", derived=True)
    updated_at: str = Field(default="", derived=True)
    archived: bool = False
    archived_at: str | None = Field(default=None, derived=True)
    custom: dict[str, Any] = Field(default_factory=dict)
    merged_ids: list[str] = Field(default_factory=list)
    """Ids of the records merged into this one, which still lead to it."""

    @classmethod
    def standard(cls) -> dict[str, Definition]:
        """The definitions of HubSpot's own properties of the type, by name."""
        if cls.__name__ not in _STANDARD:
            _STANDARD[cls.__name__] = _definitions(cls)
        return _STANDARD[cls.__name__]

    @classmethod
    def defaults(cls) -> tuple[str, ...]:
        return (*cls.shown, cls.created, cls.modified, "hs_object_id")


_STANDARD = dict[str, dict[str, Definition]]()


def _definitions(cls: type[CrmObject]) -> dict[str, Definition]:
    fixed = {"fixed": True, "group": cls.group}
    found = {
        cls.created: Definition(cls.created, "Create date", "datetime", "date", description="When the record was created.", **fixed),
        cls.modified: Definition(
            cls.modified, "Last modified date", "datetime", "date", description="When the record was last changed.", **fixed
        ),
        "hs_object_id": Definition(
            "hs_object_id", "Record ID", "number", "number", description="The record's id.", **fixed
        ),
        "hs_merged_object_ids": Definition(
            "hs_merged_object_ids", "Merged record IDs", "enumeration", "checkbox", calculated=True,
            description="The ids of the records merged into this one.", **fixed,
        ),
    }  # fmt: skip
    for name, field in cls.model_fields.items():
        extra = field.json_schema_extra
        if isinstance(extra, dict) and isinstance(about := extra.get("hubspot"), dict):
            found[name] = Definition(name, **{"group": cls.group, **about})  # pyright: ignore[reportArgumentType]
    return found
