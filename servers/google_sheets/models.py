"""Rows. A cell is stored as it was entered; what formulas come to is worked out when it is read."""

from typing import Any

from legoenv_mcp.app import Field, Row, registry

Json = dict[str, Any]
Scalar = str | int | float | bool | None


class Table(Row, registry=registry()):
    pass


class Account(Table, table=True):
    """Who calls."""

    email: str = Field(primary_key=True)
    name: str = ""


class Person(Table, table=True):
    """A user of the organisation's domain; `profile` is the rest of what the directory says."""

    email: str = Field(primary_key=True)
    first_name: str
    last_name: str
    time_zone: str = "UTC"
    active: bool = True
    profile: Json = Field(default_factory=dict)


class Spreadsheet(Table, table=True):
    """A file. Its name, owner and times are what Drive says of it."""

    id: str = Field(primary_key=True)
    title: str
    owner: str = ""
    locale: str = "en_US"
    timeZone: str = "Etc/GMT"
    autoRecalc: str = "ON_CHANGE"
    createdTime: str
    modifiedTime: str = Field(default="", derived=True)


class Sheet(Table, table=True):
    """A tab. `rows` and `columns` hold the properties of single rows and columns, by their index as text.

    `position` moves by itself when sheets before it are added or deleted."""

    spreadsheet_id: str = Field(primary_key=True, foreign_key="spreadsheet.id")
    sheet_id: int = Field(primary_key=True)
    title: str
    position: int = Field(derived=True)
    rowCount: int = 1000
    columnCount: int = 26
    frozenRowCount: int = 0
    frozenColumnCount: int = 0
    hideGridlines: bool = False
    hidden: bool = False
    rightToLeft: bool = False
    tabColor: Json | None = None
    basicFilter: Json | None = None
    merges: list[Json] = Field(default_factory=list)
    rows: Json = Field(default_factory=dict)
    columns: Json = Field(default_factory=dict)


class Cell(Table, table=True):
    """A cell that has anything in it, by zero-based row and column. It holds a value or a formula, as entered."""

    spreadsheet_id: str = Field(primary_key=True)
    sheet_id: int = Field(primary_key=True)
    row: int = Field(primary_key=True)
    column: int = Field(primary_key=True)
    value: Scalar = None
    formula: str | None = None
    format: Json | None = None
    validation: Json | None = None
    note: str | None = None


class NamedRange(Table, table=True):
    """A name for a range; `range` is a GridRange."""

    __tablename__ = "named_range"  # pyright: ignore[reportAssignmentType]

    id: str = Field(primary_key=True)
    spreadsheet_id: str = Field(foreign_key="spreadsheet.id", index=True)
    name: str
    range: Json


class ProtectedRange(Table, table=True):
    """A range that only its editors may change; `range` is a GridRange."""

    __tablename__ = "protected_range"  # pyright: ignore[reportAssignmentType]

    spreadsheet_id: str = Field(primary_key=True, foreign_key="spreadsheet.id")
    id: int = Field(primary_key=True)
    range: Json
    named_range_id: str | None = None
    description: str = ""
    warningOnly: bool = False
    editors: list[str] = Field(default_factory=list)
    unprotected: list[Json] = Field(default_factory=list)
