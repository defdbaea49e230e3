"""Spreadsheets: workbooks of tables with named columns."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import BaseModel

from legoenv_mcp.capabilities.base import Capability, Entity, Plan

Cell = str | int | float | bool | None


class Column(BaseModel, frozen=True, extra="forbid"):
    """A column. `money` cells are in the world's currency unless the column's name says otherwise; `date` cells are ISO days."""

    name: str
    kind: Literal["text", "number", "money", "date", "yes_no", "email", "choice"] = "text"
    choices: tuple[str, ...] = ()


class Workbook(Entity):
    """A spreadsheet file or base."""

    name: str
    owner: str = ""
    created: str = ""


class Table(Entity):
    """A sheet or table of a workbook: columns, and rows of cells in column order."""

    workbook: str
    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()


class Spreadsheet(Capability):
    name = "spreadsheet"
    entities: ClassVar[tuple[type[Entity], ...]] = (Workbook, Table)

    @abstractmethod
    def list_tables(self, workbook_id: str) -> Plan: ...
    @abstractmethod
    def read_rows(self, workbook_id: str, table: str) -> Plan: ...
    @abstractmethod
    def add_row(self, workbook_id: str, table: str, cells: Mapping[str, Cell]) -> Plan: ...
    @abstractmethod
    def update_row(
        self, workbook_id: str, table: str, where: Mapping[str, Cell], cells: Mapping[str, Cell]
    ) -> Plan: ...
    @abstractmethod
    def delete_row(self, workbook_id: str, table: str, where: Mapping[str, Cell]) -> Plan: ...
    @abstractmethod
    def create_table(self, workbook_id: str, table: str, columns: tuple[str, ...]) -> Plan: ...
    @abstractmethod
    def add_column(self, workbook_id: str, table: str, column: str) -> Plan: ...
