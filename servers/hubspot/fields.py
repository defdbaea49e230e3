"""Property types: each function declares a column of an object's table together with its property definition.

The properties API, validation, search and rendering all read the same `Definition`, so they cannot disagree.
"""

from dataclasses import dataclass
from typing import Any

from legoenv_mcp.app import Field

Options = tuple[tuple[str, str], ...]
"""(value, label) pairs."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A property as the account knows it. `fixed` properties are HubSpot's to write, `account` ones were made by the account."""

    name: str
    label: str
    type: str = "string"
    field_type: str = "text"
    group: str = ""
    description: str = ""
    options: Options = ()
    unique: bool = False
    fixed: bool = False
    calculated: bool = False
    hidden: bool = False
    form_field: bool = False
    owner: bool = False
    display_order: int = -1
    account: bool = False
    archived: bool = False
    formula: str = ""
    extra: tuple[tuple[str, Any], ...] = ()
    created_at: str = ""
    updated_at: str = ""

    @property
    def multiple(self) -> bool:
        """Whether the value is several options with semicolons between."""
        return self.field_type == "checkbox"

    @property
    def values(self) -> list[str]:
        return [value for value, _ in self.options]


BOOLEANS: Options = (("true", "Yes"), ("false", "No"))


def _column(derived: bool, **definition: Any) -> Any:
    return Field(None, schema_extra={"json_schema_extra": {"derived": derived, "hubspot": definition}})


def text(label: str, description: str = "", *, kind: str = "text", derived: bool = False, **more: Any) -> Any:
    return _column(derived, label=label, description=description, field_type=kind, **more)


def area(label: str, description: str = "", **more: Any) -> Any:
    return text(label, description, kind="textarea", **more)


def html(label: str, description: str = "", **more: Any) -> Any:
    return text(label, description, kind="html", **more)


def phone(label: str, description: str = "", **more: Any) -> Any:
    return text(label, description, kind="phonenumber", **more)


def number(label: str, description: str = "", *, derived: bool = False, **more: Any) -> Any:
    return _column(derived, label=label, description=description, type="number", field_type="number", **more)


def date(label: str, description: str = "", **more: Any) -> Any:
    return _column(False, label=label, description=description, type="date", field_type="date", **more)


def datetime(label: str, description: str = "", *, derived: bool = False, **more: Any) -> Any:
    return _column(derived, label=label, description=description, type="datetime", field_type="date", **more)


def flag(label: str, description: str = "", *, derived: bool = False, **more: Any) -> Any:
    return _column(
        derived, label=label, description=description, type="bool", field_type="booleancheckbox", options=BOOLEANS, **more
    )  # fmt: skip


def choice(
    label: str, options: Options | str, description: str = "", *, kind: str = "select", derived: bool = False, **more: Any
) -> Any:  # fmt: skip
    """One of several options: (value, label) pairs, or just the values with spaces between."""
    pairs = (
        tuple((v, v.replace("_", " ").capitalize()) for v in options.split()) if isinstance(options, str) else options
    )
    return _column(
        derived, label=label, description=description, type="enumeration", field_type=kind, options=pairs, **more
    )


def choices(label: str, options: Options | str, description: str = "", **more: Any) -> Any:
    """Any of several options."""
    return choice(label, options, description, kind="checkbox", **more)


def owner(label: str, description: str = "The owner of the record.") -> Any:
    """An owner of the account, by id."""
    return _column(False, label=label, description=description, type="enumeration", field_type="select", owner=True)


def counted(label: str, description: str = "") -> Any:
    """A number that HubSpot keeps by itself."""
    return number(label, description, derived=True, fixed=True, calculated=True)
