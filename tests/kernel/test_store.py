"""The store: filters and orders against the same in Python, writes noted for the state diff, rows back as they were put in."""

from collections.abc import Callable
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.diff import all_keys, changes_between
from legoenv_mcp.kernel.errors import KernelFault
from legoenv_mcp.kernel.rows import Field, Row, registry
from legoenv_mcp.kernel.store import Store, read_keys
from legoenv_mcp.templates import empty


class Table(Row, registry=registry()): ...


class Part(BaseModel):
    size: int
    label: str = "x"


class Item(Table, table=True):
    id: int | None = Field(default=None, primary_key=True)
    name: str
    amount: int | None = None
    price: float = 0.0
    done: bool = False
    state: Literal["open", "closed"] = "open"
    tags: list[str] = []
    extra: dict[str, Any] = {}
    parts: list[Part] = []
    stamp: str = Field(default="", derived=True)


class Pair(Table, table=True):
    left: str = Field(primary_key=True)
    right: int = Field(primary_key=True)
    note: str = ""


class Child(Table, table=True):
    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id")


APP = App("store", Table)


def store() -> Store:
    made = empty(APP, "agent", "2026-01-01T00:00:00Z").store
    made.connection.execute("PRAGMA foreign_keys = ON")
    return made


# Characters with which LIKE, SQL and JSON have their troubles.
TEXTS = st.text(st.sampled_from("abAB%_\\'\"é\0ÉZ *?["), max_size=5)
AMOUNTS = st.none() | st.integers(-3, 3) | st.sampled_from([2**63 - 1, -(2**63)])
ITEMS = st.lists(st.fixed_dictionaries({"name": TEXTS, "amount": AMOUNTS, "done": st.booleans()}), max_size=8)


def no_nul(text: str) -> str:
    """SQLite's text functions stop at a NUL, sooner or later."""
    return text.replace("\0", "")


def lower(text: str) -> str:
    """As SQLite folds case: ASCII alone."""
    return "".join(c.lower() if c.isascii() else c for c in text)


CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "amount": lambda a, v: a == v,
    "amount__gt": lambda a, v: a is not None and a > v,
    "amount__ge": lambda a, v: a is not None and a >= v,
    "amount__lt": lambda a, v: a is not None and a < v,
    "amount__le": lambda a, v: a is not None and a <= v,
    "amount__ne": lambda a, v: a != v,
}


@settings(deadline=None)
@given(ITEMS, st.sampled_from(list(CHECKS)), st.integers(-3, 3))
def test_comparing_filters(items: list[dict[str, Any]], word: str, value: int) -> None:
    db = store()
    rows = [db.add(Item(**item)) for item in items]
    expected = [row.id for row in rows if CHECKS[word](row.amount, value)]
    assert [row.id for row in db.find(Item, order="", **{word: value})] == expected
    assert db.count(Item, **{word: value}) == len(expected)


@settings(deadline=None)
@given(st.lists(TEXTS.map(no_nul), max_size=8), TEXTS.map(no_nul), st.lists(TEXTS, max_size=3))
def test_text_filters(names: list[str], text: str, several: list[str]) -> None:
    db = store()
    for name in names:
        db.add(Item(name=name))
    assert [r.name for r in db.find(Item, name=text)] == [n for n in names if n == text]
    assert [r.name for r in db.find(Item, name__contains=text)] == [n for n in names if lower(text) in lower(n)]
    assert [r.name for r in db.find(Item, name__startswith=text)] == [
        n for n in names if lower(n).startswith(lower(text))
    ]
    assert [r.name for r in db.find(Item, name__in=several)] == [n for n in names if n in several]


KEYS: dict[str, Callable[[Item], Any]] = {
    "id": lambda row: row.id,
    "name": lambda row: row.name.encode(),
    "amount": lambda row: (row.amount is not None, row.amount or 0),  # NULL comes first
    "done": lambda row: row.done,
}


@settings(deadline=None)
@given(
    ITEMS,
    st.sampled_from(["name", "-name", "amount", "-amount,name", "done,-id", "-done, name", ""]),
    st.integers(0, 4),
    st.integers(0, 4),
)
def test_orders_have_no_ties_and_slices_fit(items: list[dict[str, Any]], order: str, limit: int, offset: int) -> None:
    db = store()
    expected = [db.add(Item(**item)) for item in items]
    for part in reversed([p.strip() for p in order.split(",") if p]):
        expected.sort(key=KEYS[part.lstrip("-")], reverse=part[0] == "-")
    ids = [row.id for row in expected]
    assert [row.id for row in db.find(Item, order=order)] == ids
    assert [row.id for row in db.find(Item, order=order, limit=limit, offset=offset)] == ids[offset : offset + limit]
    first = db.first(Item, order=order)
    assert (first.id if first else None) == (ids[0] if ids else None)


def test_a_filter_of_none_is_none_and_null_is_asked_for() -> None:
    db = store()
    db.add(Item(name="a", amount=1))
    db.add(Item(name="b"))
    assert len(db.find(Item, amount=None)) == 2
    assert [r.name for r in db.find(Item, amount__null=True)] == ["b"]
    assert [r.name for r in db.find(Item, amount__null=False)] == ["a"]
    assert db.find(Item, done=False, name="b")[0].name == "b"
    assert db.find(Item, id__in=[]) == []
    assert db.find(Item, id__in=(n for n in (2, 9)))[0].name == "b"


@pytest.mark.parametrize("size", [60_000, 300_000])
def test_long_texts_and_lists_are_filters_too(size: int) -> None:
    db = store()
    db.add(Item(name="x" * size + "END"))
    assert len(db.find(Item, name__contains="X" * size)) == 1
    assert len(db.find(Item, name__contains="y" * size)) == 0
    assert len(db.find(Item, name__startswith="x" * size)) == 1
    assert len(db.find(Item, id__in=range(size))) == 1
    assert len(db.find(Item, name__in=[str(n) for n in range(size)])) == 0


SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS | st.floats(allow_nan=False, allow_infinity=False)
)
ROWS = st.fixed_dictionaries(
    {
        "name": TEXTS,
        "price": st.floats(allow_nan=False, allow_infinity=False),
        "done": st.booleans(),
        "state": st.sampled_from(["open", "closed"]),
        "tags": st.lists(TEXTS, max_size=3),
        "extra": st.dictionaries(
            TEXTS, st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=4), max_size=3
        ),
        "parts": st.lists(st.builds(Part, size=st.integers(-9, 9), label=TEXTS), max_size=2),
    }
)


@settings(deadline=None)
@given(ROWS, ROWS)
def test_rows_come_back_as_they_were_put_in(first: dict[str, Any], second: dict[str, Any]) -> None:
    db = store()
    key = db.add(Item(**first)).id
    found = db.get(Item, key)
    assert found is not None
    assert {name: getattr(found, name) for name in first} == first
    changed = db.update(found, **second)
    assert changed is found
    again = db.get(Item, key)
    assert again is not None
    assert {name: getattr(again, name) for name in second} == second
    assert all(isinstance(part, Part) for part in again.parts)


def test_keys_of_several_columns() -> None:
    db = store()
    pair = db.add(Pair(left="a", right=1))
    db.add(Pair(left="a", right=2))
    found = db.get(Pair, ("a", 2))
    assert found is not None
    assert db.get(Pair, ("b", 2)) is None
    db.update(pair, note="n")
    assert [(p.right, p.note) for p in db.find(Pair)] == [(1, "n"), (2, "")]
    db.delete(found)
    assert db.count(Pair) == 1
    assert list(db.touched) == [("pair", ("a", 1)), ("pair", ("a", 2))]


def test_what_is_written_is_noted_once_each_and_counted() -> None:
    db = store()
    item = db.add(Item(name="a"))
    db.update(item, name="b")
    db.update(item)
    db.add(Item(name="c"))
    assert db.delete_where(Item, name="c") == 1
    assert list(db.touched) == [("item", (1,)), ("item", (2,))]
    assert db.writes == 4


def test_a_refused_change_changes_nothing() -> None:
    db = store()
    item = db.add(Item(name="a"))
    for bad in ({"state": "gone"}, {"amount": "x"}, {"name": "n", "price": None}):
        with pytest.raises(ValidationError):
            db.update(item, **bad)
    for bad in ({"id": 5}, {"nope": 1}):
        with pytest.raises(KernelFault):
            db.update(item, **bad)
    assert (item.name, item.state) == ("a", "open")
    assert db.get(Item, 1) == item
    with pytest.raises(ValidationError):
        Item(name="a", nope=1)  # pyright: ignore[reportCallIssue]


def test_faults_of_the_app_are_named() -> None:
    db = store()
    gone = db.add(Item(name="a"))
    db.delete(gone)
    for wrong in (
        lambda: db.delete(gone),
        lambda: db.update(gone, name="b"),
        lambda: db.find(Item, nope=1),
        lambda: db.find(Item, name__like="a"),
        lambda: db.find(Item, order="nope"),
        lambda: db.find(Item, order='id"; DROP TABLE item; --'),
    ):
        with pytest.raises(KernelFault):
            wrong()


def test_foreign_keys_hold() -> None:
    import sqlite3

    db = store()
    item = db.add(Item(name="a"))
    child = db.add(Child(item_id=1))
    with pytest.raises(sqlite3.IntegrityError):
        db.add(Child(item_id=9))
    with pytest.raises(sqlite3.IntegrityError):
        db.delete(item)
    db.delete(child)
    db.delete(item)


def test_conditions_and_queries_of_an_apps_own() -> None:
    db = store()
    for n in range(4):
        db.add(Item(name=f"n{n}", amount=n))
    odd = db.where(Item, "amount % 2 = :odd AND name <> :name", {"odd": 1, "name": "n3"})
    assert [r.name for r in odd] == ["n1"]
    assert [r.name for r in db.where(Item, "amount % 2 = ?", (1,), order="-id", limit=1)] == ["n3"]
    assert db.query("SELECT sum(amount) AS total, count(*) AS n FROM item WHERE amount > ?", (0,)) == [
        {"total": 6, "n": 3}
    ]


# The state diff finds, by the keys noted, what a comparison of everything finds.

STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "update", "derived", "delete", "pair"]), st.integers(0, 5), TEXTS), max_size=15
)


@settings(deadline=None)
@given(STEPS)
def test_the_diff_of_noted_keys_is_the_whole_diff(steps: list[tuple[str, int, str]]) -> None:
    before = store()
    for n in range(3):
        before.add(Item(name=f"n{n}"))
    after = store()
    after.connection.deserialize(before.connection.serialize())
    for what, number, text in steps:
        rows = after.find(Item)
        if what == "add":
            after.add(Item(name=text))
        elif what == "pair":
            if after.get(Pair, (text, number)) is None:
                after.add(Pair(left=text, right=number))
        elif rows:
            row = rows[number % len(rows)]
            if what == "update":
                after.update(row, name=text, tags=[text])
            elif what == "derived":
                after.update(row, stamp=text)
            else:
                after.delete(row)
    noted = changes_between(APP, before.connection, after.connection, after.touched)
    whole = changes_between(
        APP, before.connection, after.connection, all_keys(APP, before.connection, after.connection)
    )
    assert noted == whole
    assert all("stamp" not in change.columns for change in noted if change.kind == "update")
    for change in noted:
        row = read_keys(after.connection, APP.shapes, [(change.table, change.key)])[change.table, change.key]
        assert (row is None) == (change.kind == "delete")
