"""Field types: each function declares a column of an sObject's table together with what `describe` says of it.

Describe, validation and SOQL all read the same `Spec`, so they cannot disagree.
"""

from dataclasses import dataclass
from typing import Any

from legoenv_mcp.app import Field


@dataclass(frozen=True, slots=True)
class Spec:
    """A field as the platform knows it. `to`, `relation` and `children` are a reference's targets and the relationship's two names."""

    type: str
    label: str
    length: int = 0
    precision: int = 0
    scale: int = 0
    values: tuple[str, ...] = ()
    restricted: bool = False
    default: Any = None
    to: tuple[str, ...] = ()
    relation: str = ""
    children: str = ""
    cascade: bool = False
    required: bool = False
    createable: bool = True
    updateable: bool = True
    calculated: bool = False
    external: bool = False
    unique: bool = False
    name_field: bool = False
    auto_number: bool = False

    @property
    def long(self) -> bool:
        """A long text area, which SOQL neither filters, sorts nor groups by."""
        return self.type == "textarea" and self.length > 255


def _column(default: Any, spec: Spec, derived: bool = False, **options: Any) -> Any:
    return Field(default, schema_extra={"json_schema_extra": {"derived": derived, "sf": spec}}, **options)


def key() -> Any:
    """The record's id."""
    return _column("", Spec("id", "Record ID", 18, createable=False, updateable=False), primary_key=True)


def text(label: str, length: int = 255, *, kind: str = "string", derived: bool = False, **more: Any) -> Any:
    return _column(None, Spec(kind, label, length, **more), derived)


def area(label: str, length: int = 32000, **more: Any) -> Any:
    return text(label, length, kind="textarea", **more)


def phone(label: str) -> Any:
    return text(label, 40, kind="phone")


def email(label: str = "Email", **more: Any) -> Any:
    return text(label, 80, kind="email", **more)


def url(label: str) -> Any:
    return text(label, 255, kind="url")


def picklist(
    label: str,
    values: tuple[str, ...],
    *,
    default: str | None = None,
    restricted: bool = False,
    derived: bool = False,
    **more: Any,
) -> Any:
    """A choice. The platform refuses values outside the list only where the picklist is restricted."""
    return _column(
        None,
        Spec(more.pop("kind", "picklist"), label, 255, values=values, default=default, restricted=restricted, **more),
        derived,
    )


def multipicklist(label: str, values: tuple[str, ...]) -> Any:
    """Choices, stored with semicolons between."""
    return _column(None, Spec("multipicklist", label, 4099, values=values))


def checkbox(label: str, *, default: bool = False, derived: bool = False, **more: Any) -> Any:
    return _column(default, Spec("boolean", label, default=default, **more), derived)


def number(
    label: str, precision: int = 8, scale: int = 0, *, kind: str = "int", derived: bool = False, **more: Any
) -> Any:
    return _column(None, Spec(kind, label, precision=precision, scale=scale, **more), derived)


def currency(label: str, scale: int = 2, **more: Any) -> Any:
    return number(label, 18, scale, kind="currency", **more)


def percent(label: str, **more: Any) -> Any:
    return number(label, 3, 0, kind="percent", **more)


def double(label: str, precision: int = 18, scale: int = 2, **more: Any) -> Any:
    return number(label, precision, scale, kind="double", **more)


def date(label: str, **more: Any) -> Any:
    return text(label, 0, kind="date", **more)


def datetime(label: str, **more: Any) -> Any:
    return text(label, 0, kind="datetime", **more)


def lookup(label: str, *to: str, relation: str, children: str = "", derived: bool = False, **more: Any) -> Any:
    """A reference. `children` is the name of the way back; `cascade` deletes the child with its parent."""
    return _column(None, Spec("reference", label, 18, to=to, relation=relation, children=children, **more), derived)


def system(make: Any, *args: Any, **more: Any) -> Any:
    """A field the platform keeps by itself: nobody writes it, state diffs leave it out."""
    return make(*args, createable=False, updateable=False, derived=True, **more)


def custom(label: str = "External ID") -> Any:
    """A custom external id: unique, and a key for upserts."""
    return text(label, 64, external=True, unique=True)
