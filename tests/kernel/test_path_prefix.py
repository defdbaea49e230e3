"""App(prefix="/api/v3"): `/api/v3/things/7` is `/things/7`."""

from typing import Any

import pytest

from legoenv_mcp.app import App, Ctx, Row, registry


class Table(Row, registry=registry()): ...


def make(**options: Any) -> App:
    app = App("prefixes", Table, **options)

    @app.get("/things/{id}", tool="get_thing")
    def get_thing(ctx: Ctx, id: str) -> dict[str, str]:
        """Gets the thing with this id.

        id: The thing's id.
        """
        return {"id": id}

    return app


@pytest.mark.parametrize("start", ["", "/api/v3"])
def test_paths_may_start_with_the_prefix(start: str) -> None:
    operation, found, _ = make(prefix="/api/v3").router.match("GET", f"{start}/things/7")
    assert operation is not None
    assert found == {"id": "7"}


def test_without_one_there_is_no_such_path() -> None:
    assert make().router.match("GET", "/api/v3/things/7")[0] is None


@pytest.mark.parametrize("start", ["", "/api/v10", "/api/v9", "/api"])
def test_a_product_may_have_several(start: str) -> None:
    router = make(prefix=("/api/v10", "/api/v9", "/api")).router
    operation, found, _ = router.match("GET", f"{start}/things/7")
    assert operation is not None
    assert found == {"id": "7"}
    assert router.match("GET", f"/api/v8{start}/things/7")[0] is None


@pytest.mark.parametrize("start", ["", "/api", "/api/gateway.php/acme"])
def test_a_prefix_may_hold_a_segment_of_any_name(start: str) -> None:
    router = make(prefix=("/api/gateway.php/{company}", "/api")).router
    operation, found, _ = router.match("GET", f"{start}/things/7")
    assert operation is not None
    assert found == {"id": "7"}


@pytest.mark.parametrize(
    "start", ["/api/gateway.php", "/api/gateway.php/", "/api/gateway.php/acme/more", "/api/gatewayXphp/acme"]
)
def test_and_one_only(start: str) -> None:
    assert make(prefix=("/api/gateway.php/{company}", "/api")).router.match("GET", f"{start}/things/7")[0] is None
