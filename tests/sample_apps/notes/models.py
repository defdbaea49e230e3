"""Notes' one table."""

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()): ...


class Note(Table, table=True):
    id: str = Field(primary_key=True)
    text: str
    tags: list[str] = []
    created: str
