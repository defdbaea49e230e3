"""Databases: tables of typed columns, reached by the engine's own language."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import BaseModel

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks

Value = str | int | float | bool | None


class DataColumn(BaseModel, frozen=True, extra="forbid"):
    """A column; `references` is `table.column` or empty."""

    name: str
    kind: Literal["text", "integer", "numeric", "boolean", "date", "timestamp", "json"] = "text"
    key: bool = False
    required: bool = False
    references: str = ""


class DataTable(Entity):
    """A table of a database with its rows, cells in column order."""

    database: str
    name: str
    columns: tuple[DataColumn, ...]
    rows: tuple[tuple[Value, ...], ...] = ()
    comment: str = ""


class Database(Capability):
    name = "database"
    entities: ClassVar[tuple[type[Entity], ...]] = (DataTable,)

    @abstractmethod
    def list_tables(self) -> Plan: ...
    @abstractmethod
    def describe_table(self, table: str) -> Plan: ...
    @abstractmethod
    def query_rows(self, table: str, where: Mapping[str, Value]) -> Plan: ...
    @abstractmethod
    def insert_rows(self, table: str, rows: tuple[Mapping[str, Value], ...]) -> Plan: ...
    @abstractmethod
    def update_rows(self, table: str, where: Mapping[str, Value], changes: Mapping[str, Value]) -> Plan: ...
    @abstractmethod
    def delete_rows(self, table: str, where: Mapping[str, Value]) -> Plan: ...
    def create_table(self, table: str, columns: tuple[DataColumn, ...]) -> Plan:
        return lacks(self, "create_table")
