"""Row: what it adds to SQLModel's tables, and the internals of SQLModel and SQLAlchemy that it leans on."""

import sqlite3
import subprocess
import sys
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError
from sqlmodel import Session, col, create_engine, select

from legoenv_mcp.kernel.rows import Field, Row, registry
from legoenv_mcp.kernel.store import Store


class Table(Row, registry=registry()): ...


class Address(BaseModel):
    city: str = ""


class Deal(Table, table=True):
    id: int | None = Field(default=None, primary_key=True)
    title: str = Field(max_length=10)
    status: Literal["open", "won"] = "open"
    tags: list[str] = []
    address: Address | None = None
    extra: dict[str, Any] = {}
    active: bool = True
    amount: float = 0
    raw: bytes = b""
    updated: str = Field(default="", derived=True)


class Pair(Table, table=True):
    left: str = Field(primary_key=True)
    right: int = Field(primary_key=True)


def store() -> Store:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for cls in (Deal, Pair):
        for statement in cls.shape().ddl():
            connection.execute(statement)
    return Store(connection)


@pytest.mark.parametrize(
    "bad",
    [
        {"title": "x" * 11},
        {"title": "x", "status": "lost"},
        {"title": "x", "titel": "y"},
        {},
        {"title": "x", "tags": "a"},
    ],
)
def test_construction_validates_and_refuses_unknown_fields(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Deal(**bad)


def test_every_kind_of_value_comes_back_as_it_was() -> None:
    db = store()
    deal = Deal(
        title="a",
        status="won",
        tags=["x", "ü"],
        address=Address(city="Oslo"),
        extra={"n": [1, None]},
        active=False,
        amount=1.5,
        raw=b"\0\1",
    )
    assert db.add(deal).id == 1
    found = db.get(Deal, 1)
    assert found is not None
    assert found.model_dump() == deal.model_dump()
    assert isinstance(found.address, Address)
    assert found.active is False
    found.title = "b"
    assert found.title == "b"


def test_defaults_are_not_shared() -> None:
    first, second = Deal(title="a"), Deal(title="b")
    first.tags.append("x")
    assert second.tags == []


def test_derived_columns_are_known() -> None:
    assert Deal.shape().derived == {"updated"}
    assert Deal.shape().key == ("id",)
    assert Pair.shape().key == ("left", "right")


def test_two_apps_may_have_a_table_of_one_name() -> None:
    class Other(Row, registry=registry()): ...

    class Deal(Other, table=True):  # pyright: ignore[reportRedeclaration]
        id: str = Field(primary_key=True)

    assert Deal.shape().table == "deal"
    assert Deal.metadata is not Table.metadata


def test_a_session_of_sqlmodel_works_on_the_same_tables() -> None:
    engine = create_engine("sqlite://")
    Table.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Deal(title="a", address=Address(city="Oslo"), tags=["t"]))
        session.commit()
        assert session.exec(select(Deal)).one().tags == ["t"]


@pytest.mark.parametrize("read_first", [False, True])
def test_a_session_filters_changes_and_expires_rows_also_once_the_store_has_read_them(read_first: bool) -> None:
    """The store puts its own attributes onto the class; what a session does through them has to go on working."""

    class Own(Row, registry=registry()): ...

    class Task(Own, table=True):
        id: int | None = Field(default=None, primary_key=True)
        title: str
        tags: list[str] = []

    if read_first:
        Task.shape()
    engine = create_engine("sqlite://")
    Own.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all([Task(title="a"), Task(title="b", tags=["t"])])
        session.commit()
        Task.shape()
        found = session.exec(select(Task).where(Task.title == "b").order_by(col(Task.id).desc())).one()
        assert (found.id, found.tags) == (2, ["t"])
        found.title = "c"
        assert session.is_modified(found)
        session.commit()  # which expires the row: what is read next comes from the database
        assert "title" not in found.__dict__
        assert (found.title, found.tags) == ("c", ["t"])
        assert [task.title for task in session.exec(select(Task).order_by(Task.title))] == ["a", "c"]
    row = Task.of({"id": 3, "title": "read", "tags": []})
    row.title = "set"
    assert (row.title, row.model_dump()) == ("set", {"id": 3, "title": "set", "tags": []})


def test_rows_can_be_read_before_any_was_constructed() -> None:
    """A process that only reads a cached template never constructs a row, which is what arms SQLAlchemy's attributes."""
    code = """
from legoenv_mcp.kernel.rows import Field, Row, registry
class Table(Row, registry=registry()): ...
class Thing(Table, table=True):
    id: int = Field(primary_key=True)
    name: str
Thing.shape()
print(Thing.of({"id": 1, "name": "read"}).name)
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "read\n"


class Loose(Table, table=True):
    id: int = Field(primary_key=True)
    value: str | int | float | bool | None = None


@pytest.mark.parametrize("value", ["12", "true", 12, -1.5, True, False, None, "", "null"])
def test_a_column_of_scalars_keeps_what_each_is(value: Any) -> None:
    connection = sqlite3.connect(":memory:")
    for statement in Loose.shape().ddl():
        connection.execute(statement)
    store = Store(connection)
    store.add(Loose(id=1, value=value))
    found = store.get(Loose, 1)
    assert found is not None
    assert (type(found.value), found.value) == (type(value), value)


def test_a_pattern_holds_in_a_row_and_in_a_parameter() -> None:
    class Code(Table, table=True):
        id: str = Field(primary_key=True, pattern="^[A-Z]{2}$")

    assert Code(id="AB").id == "AB"
    with pytest.raises(ValidationError):
        Code(id="ab")
    parameter = TypeAdapter(Annotated[str, Field(pattern="^[0-9a-f]{6}$")])
    assert parameter.validate_python("00ff00") == "00ff00"
    with pytest.raises(ValidationError):
        parameter.validate_python("red")
    assert parameter.json_schema()["pattern"] == "^[0-9a-f]{6}$"
