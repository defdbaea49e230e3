"""App(body_key="data"): JSON requests carry their fields as `{"data": {...}}`, forms as they are."""

import json
from typing import Any

from legoenv_mcp.app import ApiError, App, Ctx, Row, registry
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.templates import empty


class Table(Row, registry=registry()): ...


def make(**options: Any) -> LiveApp:
    app = App("wrapped", Table, body_key="data", **options)

    @app.post("/things", tool="add_thing", effect="read")
    def add_thing(ctx: Ctx, name: str) -> dict[str, str]:
        """Says what was read."""
        return {"name": name}

    return empty(app, "", "2026-01-01T00:00:00Z")


def post(live: LiveApp, body: bytes, kind: str = "application/json") -> Reply:
    return handle(live, Request("POST", "/things", "/things", {}, {"content-type": kind}), body)


def test_the_fields_are_taken_from_under_the_key() -> None:
    assert post(make(), json.dumps({"data": {"name": "a"}, "options": {}}).encode()).body == {"name": "a"}


def test_a_form_has_them_as_they_are() -> None:
    assert post(make(), b"name=a", "application/x-www-form-urlencoded").body == {"name": "a"}


def test_a_body_without_the_key_is_refused_as_malformed() -> None:
    for body in ({"name": "a"}, {"data": 1}, ["data"], "data"):
        reply = post(make(), json.dumps(body).encode())
        assert reply.status == 400
        assert "'data'" in reply.body["error"]


def test_the_product_may_take_them_out_and_refuse_in_its_own_words() -> None:
    def unwrap(body: Any) -> dict[str, Any]:
        if set(body) - {"data", "options"}:
            raise ApiError(422, "Only data and options, please")
        return {"name": "nobody", **body.get("data", {})}

    live = make(unwrap=unwrap)
    assert post(live, b'{"data": {"name": "a"}}').body == {"name": "a"}
    assert post(live, b'{"options": {}}').body == {"name": "nobody"}
    refused = post(live, b'{"name": "a"}')
    assert (refused.status, refused.body) == (422, {"error": "Only data and options, please"})


def test_the_product_may_read_xml_as_fields() -> None:
    live = make(xml=lambda body: {"name": (body.decode() if isinstance(body, bytes) else body)[1:-2]})
    for kind in ("application/xml", "text/xml; charset=utf-8", "application/atom+xml"):
        assert post(live, b"<a/>", kind).body == {"name": "a"}
    for kind in ("text/plain", "application/octet-stream"):
        assert post(live, b"<a/>", kind).status == 400
    assert post(make(), b"<a/>", "application/xml").status == 400
