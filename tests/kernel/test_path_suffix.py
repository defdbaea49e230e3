"""App(suffix=".json"): `/things.json` is `/things`, and `/things/7.json` is `/things/7`."""

from typing import Any

import pytest

from legoenv_mcp.app import App, Ctx, Row, registry


class Table(Row, registry=registry()): ...


def make(**options: Any) -> App:
    app = App("suffixes", Table, **options)

    @app.get("/things", tool="list_things")
    def list_things(ctx: Ctx) -> dict[str, str]:
        """Lists the things."""
        return {}

    @app.get("/things/{id}", tool="get_thing")
    def get_thing(ctx: Ctx, id: str) -> dict[str, str]:
        """Gets the thing with this id.

        id: The thing's id.
        """
        return {"id": id}

    return app


@pytest.mark.parametrize("ending", ["", ".json"])
def test_paths_may_end_in_the_suffix(ending: str) -> None:
    router = make(suffix=".json").router
    listed, _, _ = router.match("GET", f"/things{ending}")
    got, found, _ = router.match("GET", f"/things/7{ending}")
    assert listed is not None
    assert listed.tool == "list_things"
    assert got is not None
    assert found == {"id": "7"}


def test_without_one_it_is_part_of_the_path() -> None:
    router = make().router
    assert router.match("GET", "/things.json")[0] is None
    assert router.match("GET", "/things/7.json")[1] == {"id": "7.json"}
