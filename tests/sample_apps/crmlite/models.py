"""CRM Lite's tables."""

from typing import Literal

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()): ...


class Stage(Table, table=True):
    id: int | None = Field(default=None, primary_key=True)
    name: str
    order_nr: int


class Deal(Table, table=True):
    id: int | None = Field(default=None, primary_key=True)
    title: str
    value: float = 0
    currency: str = "USD"
    stage_id: int = Field(foreign_key="stage.id", index=True)
    status: Literal["open", "won", "lost", "deleted"] = "open"
    lost_reason: str | None = None
    close_time: str | None = None
    add_time: str
    update_time: str = Field(derived=True)


class File(Table, table=True):
    path: str = Field(primary_key=True)
    content: str
