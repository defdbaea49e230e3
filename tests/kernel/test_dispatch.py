"""The dispatcher: one transaction a call, refusals without a trace, faults of ours as logged 500s, time and ids by the episode."""

import logging
from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx
from legoenv_mcp.kernel.episode import Episode, LiveApp, Template, UnknownTool
from legoenv_mcp.kernel.errors import ApiError
from legoenv_mcp.kernel.operations import MISSING
from legoenv_mcp.kernel.rows import Field, Row, registry
from legoenv_mcp.templates import empty


class Table(Row, registry=registry()): ...


class Item(Table, table=True):
    id: str = Field(primary_key=True)
    name: str
    note: str | None = None
    seen: int = Field(default=0, derived=True)
    updated: str = Field(default="", derived=True)


def make_app() -> App:
    app = App("shelf", Table)

    @app.get("/items/{id}", tool="get_item")
    def get_item(ctx: Ctx, id: str) -> Item:
        """Gets one item."""
        return ctx.require(Item, id)

    @app.post("/items", tool="add_item", status=201)
    def add_item(ctx: Ctx, name: str, count: int = 1) -> list[Item]:
        """Adds items of one name, numbered; refuses the third."""
        made = [
            ctx.db.add(Item(id=ctx.id("it_", 8), name=f"{name} {n}", updated=ctx.timestamp())) for n in range(count)
        ]
        if count > 2:
            raise ApiError(400, "at most two at a time")
        return made

    @app.patch("/items/{id}", tool="update_item")
    def update_item(ctx: Ctx, id: str, name: str | MISSING = MISSING, note: str | None | MISSING = MISSING) -> Item:
        """Changes what is sent."""
        return ctx.db.update(ctx.require(Item, id), **ctx.sent(), updated=ctx.timestamp())

    @app.post("/touch/{id}", tool="touch_item", effect="update")
    def touch_item(ctx: Ctx, id: str) -> Item:
        """Moves only what moves by itself."""
        item = ctx.require(Item, id)
        return ctx.db.update(item, seen=item.seen + 1)

    @app.get("/bad/write", tool="reading_write")
    def reading_write(ctx: Ctx) -> None:
        """A read that writes: a fault of the app."""
        ctx.db.add(Item(id="x", name="x"))

    @app.get("/bad/id", tool="reading_id")
    def reading_id(ctx: Ctx) -> str:
        """A read that draws an id: a fault of the app."""
        return ctx.id("it_", 8)

    @app.post("/bad/stray", tool="stray_write")
    def stray_write(ctx: Ctx) -> None:
        """A write around the store: a fault of the app."""
        ctx.db.connection.execute("INSERT INTO item VALUES ('y', 'y', NULL, 0, '')")

    @app.post("/bad/crash", tool="crash")
    def crash(ctx: Ctx) -> None:
        """Writes, then crashes."""
        ctx.db.add(Item(id="z", name="z"))
        raise ZeroDivisionError

    @app.post("/declined", tool="declined")
    def declined(ctx: Ctx) -> Any:
        """A refusal that leaves its record."""
        ctx.db.add(Item(id=ctx.id("it_", 8), name="declined"))
        return ctx.refusal(ApiError(402, "declined"))

    @app.post("/batch", tool="batch", effect="update")
    def batch(ctx: Ctx, names: list[str]) -> list[int]:
        """Calls within a call: a refused one undoes its own writes only."""
        return [ctx.call("add_item", {"name": name, "count": 3 if name == "bad" else 1}).status for name in names]

    return app


@pytest.fixture
def live() -> LiveApp:
    return episode().app("shelf")


def episode(seed: str = "s", directory: Path | None = None) -> Episode:
    filled = empty(make_app(), "agent", "2026-03-02T09:00:00Z", seed="w")
    template = Template(filled.app, filled.store.connection.serialize())
    return Episode(lambda _: template, ("shelf",), seed, directory)


def count(live: LiveApp) -> int:
    return live.store.count(Item)


def test_a_write_gives_ids_of_the_episode_and_takes_one_step_of_time(live: LiveApp) -> None:
    first, second = live.call("add_item", {"name": "a"}), live.call("add_item", {"name": "b"})
    assert (first.status, first.body[0]["updated"], second.body[0]["updated"]) == (
        201,
        "2026-03-02T09:00:01Z",
        "2026-03-02T09:00:02Z",
    )
    assert first.body[0]["id"] != second.body[0]["id"]
    assert episode("s").call("shelf", "add_item", {"name": "a"}).body == first.body
    assert episode("t").call("shelf", "add_item", {"name": "a"}).body[0]["id"] != first.body[0]["id"]


def test_a_refused_call_leaves_no_row_no_time_and_gives_its_ids_back(live: LiveApp) -> None:
    refused = live.call("add_item", {"name": "a", "count": 3})
    assert (refused.status, count(live), live.changes(), live.write_count) == (400, 0, [], 0)
    assert live.call("add_item", {"name": "a"}).body == episode().call("shelf", "add_item", {"name": "a"}).body


@pytest.mark.parametrize("tool", ["reading_write", "reading_id", "stray_write", "crash"])
def test_a_fault_of_ours_is_a_logged_500_and_leaves_no_row(
    live: LiveApp, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    live.call("add_item", {"name": "a"})
    with caplog.at_level(logging.ERROR):
        reply = live.call(tool, {})
    assert (reply.status, reply.error, count(live), len(live.changes())) == (500, True, 1, 1)
    assert reply.body == {"error": "Internal error"}
    assert caplog.records[0].exc_info


def test_a_refusal_that_leaves_a_record_keeps_it(live: LiveApp) -> None:
    assert (live.call("declined", {}).status, count(live), live.changes()[0].kind) == (402, 1, "insert")


def test_calls_within_a_call_undo_their_own_writes_only(live: LiveApp) -> None:
    assert live.call("batch", {"names": ["a", "bad", "b"]}).body == [201, 400, 201]
    assert sorted(i.name for i in live.store.find(Item)) == ["a 0", "b 0"]
    assert len(live.changes()) == 2


def test_absent_null_and_a_value_are_told_apart(live: LiveApp) -> None:
    item = live.call("add_item", {"name": "a"}).body[0]["id"]
    assert live.call("update_item", {"id": item, "note": "n"}).body["note"] == "n"
    assert live.call("update_item", {"id": item, "name": "b"}).body["note"] == "n"
    assert live.call("update_item", {"id": item, "note": None}).body["note"] is None
    assert (
        live.call("update_item", {"id": item, "name": None}).body["name"] == "b"
    )  # not given, as strict hosts spell it


def test_columns_that_move_by_themselves_are_no_change(live: LiveApp) -> None:
    filled = episode()
    item = filled.call("shelf", "add_item", {"name": "a"}).body[0]["id"]
    template = Template(filled.app("shelf").app, filled.app("shelf").store.connection.serialize())
    later = LiveApp(template)
    later.call("touch_item", {"id": item})
    assert later.changes() == []
    later.call("update_item", {"id": item, "name": "b"})
    assert [(c.kind, c.columns) for c in later.changes()] == [("update", ("name",))]


def test_a_change_undone_is_no_change(live: LiveApp) -> None:
    filled = episode()
    item = filled.call("shelf", "add_item", {"name": "a"}).body[0]["id"]
    later = LiveApp(Template(filled.app("shelf").app, filled.app("shelf").store.connection.serialize()))
    later.call("update_item", {"id": item, "name": "b"})
    later.call("update_item", {"id": item, "name": "a 0"})
    assert later.changes() == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "name"),
        ({"name": ["x"]}, "name"),
        ({"name": "a", "count": "many"}, "count"),
        ({"name": "a", "colour": "red"}, "colour"),
        ({"name": "a", "count": 2**70}, "count"),
        ({"name": "\ud800"}, "name"),
        ({"name": "a", "ctx": 1}, "ctx"),
    ],
)
def test_bad_arguments_are_refused_by_name(live: LiveApp, arguments: dict[str, Any], named: str) -> None:
    reply = live.call("add_item", arguments)
    assert (reply.status, count(live)) == (400, 0)
    assert named in reply.body["error"]


def test_numbers_in_text_and_whole_floats_are_numbers(live: LiveApp) -> None:
    assert len(live.call("add_item", {"name": "a", "count": "2"}).body) == 2
    assert len(live.call("add_item", {"name": "b", "count": 2.0}).body) == 2


def test_an_unknown_tool_is_said_to_be_unknown(live: LiveApp) -> None:
    with pytest.raises(UnknownTool):
        live.call("no_such_tool", {})


def test_the_journal_has_every_call(live: LiveApp) -> None:
    live.call("add_item", {"name": "a", "count": "2"})
    live.call("get_item", {"id": "nope"})
    assert [(e.tool, e.arguments, e.status, e.changed) for e in live.journal] == [
        ("add_item", {"name": "a", "count": 2}, 201, 2),
        ("get_item", {"id": "nope"}, 404, 0),
    ]


def test_an_episode_in_a_directory_goes_on_where_it_was(tmp_path: Path) -> None:
    first = episode("s", tmp_path)
    one = first.call("shelf", "add_item", {"name": "a"}).body[0]
    first.close()
    again = episode("other seed", tmp_path)
    two = again.call("shelf", "add_item", {"name": "b"}).body[0]
    in_memory = episode("s")
    assert [in_memory.call("shelf", "add_item", {"name": n}).body[0] for n in "ab"] == [one, two]
    assert [c.kind for c in again.changes()] == ["insert", "insert"]
    assert [e.tool for e in again.app("shelf").journal] == ["add_item", "add_item"]


def test_reading_makes_no_copy_and_writing_does(live: LiveApp) -> None:
    live.call("get_item", {"id": "x"})
    assert live.store.connection is live.template.connection
    live.call("add_item", {"name": "a"})
    assert live.store.connection is not live.template.connection
    assert live.template.connection.execute("SELECT count(*) FROM item").fetchone() == (0,)
