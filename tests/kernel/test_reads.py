"""What a reading call has got by its key it need not ask SQLite for again; what it answers is what is there all the same."""

from functools import cache
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx
from legoenv_mcp.kernel.episode import Episode, Template
from legoenv_mcp.kernel.errors import ApiError
from legoenv_mcp.kernel.rows import Field, Row, registry
from legoenv_mcp.templates import empty


class Table(Row, registry=registry()): ...


class Person(Table, table=True):
    id: int = Field(primary_key=True)
    name: str
    tags: list[str] = []


def shown(person: Person | None) -> Any:
    return person and [person.name, [*person.tags]]


def make_app() -> App:
    app = App("people", Table)

    @app.get("/people/{id}", tool="look")
    def look(ctx: Ctx, id: int) -> list[Any]:
        """Gets a row three times, and spoils what it has got in between."""
        first, second = ctx.db.get(Person, id), ctx.db.get(Person, id)
        assert first is None or first is not second
        before = shown(first)
        if first is not None:
            first.name = "spoilt"
            first.tags.append("spoilt")
        return [before, shown(second), shown(ctx.db.get(Person, id))]

    @app.put("/people/{id}", tool="put", effect="update")
    def put(ctx: Ctx, id: int, name: str, refuse: bool = False) -> list[Any]:
        """Gets, writes, gets again; may be refused after that."""
        before = shown(ctx.db.get(Person, id))
        if (found := ctx.db.get(Person, id)) is None:
            ctx.db.add(Person(id=id, name=name, tags=[name]))
        else:
            ctx.db.update(found, name=name, tags=[name])
        after = shown(ctx.db.get(Person, id))
        if refuse:
            raise ApiError(400, "refused")
        return [before, after]

    @app.delete("/people/{id}", tool="drop")
    def drop(ctx: Ctx, id: int) -> list[Any]:
        """Deletes what is there."""
        if (found := ctx.db.get(Person, id)) is not None:
            ctx.db.delete(found)
        return [shown(ctx.db.get(Person, id))]

    @app.post("/people", tool="both", effect="update")
    def both(ctx: Ctx, id: int, name: str) -> list[Any]:
        """A call that reads within itself, before and after one that is refused and undone."""
        answers = [ctx.call("look", {"id": id}).body]
        ctx.call("put", {"id": id, "name": name, "refuse": True})
        return [*answers, ctx.call("look", {"id": id}).body]

    return app


STEP = st.tuples(st.sampled_from(["look", "put", "refused", "drop", "both"]), st.integers(1, 2), st.sampled_from("abc"))


@cache
def template() -> Template:
    filled = empty(make_app(), "agent", "2026-03-02T09:00:00Z")
    return Template(filled.app, filled.store.connection.serialize())


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, max_size=12))
def test_every_read_shows_what_was_written_last(steps: list[tuple[str, int, str]]) -> None:
    live = Episode(lambda _: template(), ("people",)).app("people")
    there = dict[int, list[Any]]()
    for tool, id, name in steps:
        before = there.get(id)
        match tool:
            case "look":
                assert live.call("look", {"id": id}).body == [before] * 3
            case "put":
                assert live.call("put", {"id": id, "name": name}).body == [before, [name, [name]]]
                there[id] = [name, [name]]
            case "refused":
                assert live.call("put", {"id": id, "name": name, "refuse": True}).status == 400
            case "drop":
                assert live.call("drop", {"id": id}).body == [None]
                there.pop(id, None)
            case _:
                assert live.call("both", {"id": id, "name": name}).body == [[before] * 3] * 2
        assert shown(live.store.get(Person, id)) == there.get(id)
