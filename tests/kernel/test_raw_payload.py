"""Payload(raw=True): an upload's bytes come as they were sent, whatever type the client claims."""

from typing import Annotated, Any

import pytest

from legoenv_mcp.app import App, Ctx, Payload, Row, registry
from legoenv_mcp.capabilities.people import Organisation, Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import LiveApp, Template
from legoenv_mcp.templates import build_from


class Table(Row, registry=registry()): ...


def live() -> LiveApp:
    app = App("uploads", Table)

    @app.post("/upload", tool="upload", effect="read")
    def upload(ctx: Ctx, body: Annotated[Any, Payload(raw=True)] = None) -> dict[str, Any]:
        """Tells what it got.

        body: The file.
        """
        if isinstance(body, dict):
            return {"names": sorted(body)}
        return {"bytes": (body or b"").hex()}

    person = Person(key="a", first_name="A", last_name="B", email="a@b.example", handle="a", title="T", department="D")
    organisation = Organisation(key="o", name="O", domain="o.example", agent="a")
    return LiveApp(Template(app, build_from(app, organisation, person, "2026-01-01T00:00:00Z", [])))


@pytest.mark.parametrize(
    "kind", ["", "application/x-www-form-urlencoded", "application/json", "text/plain", "image/png"]
)
@pytest.mark.parametrize("body", [b"a=1&b=%20", b'{"a":', b"\xff\xfe\x00", b"[1]"])
def test_the_bytes_are_kept(kind: str, body: bytes) -> None:
    headers = {"content-type": kind} if kind else {}
    reply = handle(live(), Request("POST", "/upload", "/upload", {}, headers), body)
    assert reply.body == {"bytes": body.hex()}


def test_a_multipart_form_is_still_read() -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="filename"; filename="a.txt"\r\n\r\nhi\r\n--x--\r\n'
    headers = {"content-type": "multipart/form-data; boundary=x"}
    reply = handle(live(), Request("POST", "/upload", "/upload", {}, headers), body)
    assert reply.body == {"names": ["filename"]}
