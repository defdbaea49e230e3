"""App(trailing_slash=True): `/things/` is `/things`; and batch endpoints work where no REST request came before."""

from typing import Any

from legoenv_mcp.app import App, Ctx, Request, Row, registry
from legoenv_mcp.capabilities.people import Organisation, Person
from legoenv_mcp.kernel.episode import Episode, Template
from legoenv_mcp.templates import build_from


class Table(Row, registry=registry()): ...


def make(**options: Any) -> App:
    app = App("slashes", Table, **options)

    @app.get("/things/{id}", tool="get_thing")
    def get_thing(ctx: Ctx, id: str) -> dict[str, str]:
        """Gets the thing with this id.

        id: The thing's id.
        """
        return {"id": id}

    @app.get("/batch", tool="batch", effect="read")
    def batch(ctx: Ctx) -> dict[str, int]:
        """Gets one thing through the REST face."""
        return {"status": ctx.send(Request("GET", "/things/7/", "/things/7/")).status}

    return app


def status_of_nested(app: App) -> int:
    person = Person(key="a", first_name="A", last_name="B", email="a@b.example", handle="a", title="T", department="D")
    organisation = Organisation(key="o", name="O", domain="o.example", agent="a")
    template = Template(app, build_from(app, organisation, person, "2026-01-01T00:00:00Z", []))
    return Episode(lambda _: template, (app.slug,)).call(app.slug, "batch").body["status"]


def test_a_slash_more_is_the_same_path_where_the_product_has_it_so() -> None:
    assert status_of_nested(make(trailing_slash=True)) == 200


def test_otherwise_it_is_another_path() -> None:
    assert status_of_nested(make()) == 404
