"""Items."""

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()): ...


class Item(Table, table=True):
    """A row of a common shape."""

    id: str = Field(primary_key=True)
    name: str
    kind: str = Field(index=True)
    amount: float = 0
    count: int = 0
    active: bool = True
    note: str | None = None
    tags: list[str] = []
    created: str
    updated: str = Field(derived=True)
