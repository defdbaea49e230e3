"""Products that answer errors as plain text: an envelope that is text is sent as it is, not as a JSON string."""

from legoenv_mcp.faces import rest, tools
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.errors import ApiError
from legoenv_mcp.kernel.rows import Row, registry


class Table(Row, registry=registry()):
    """No tables."""


def test_a_text_envelope_is_plain_text() -> None:
    app = App("texts", Table, envelope=lambda error: error.message)
    status, headers, body = rest.encode(app.refusal(ApiError(400, "invalid id")))
    assert (status, body) == (400, b"invalid id")
    assert dict(headers)[b"content-type"] == b"text/plain; charset=utf-8"
    shown = tools.result(app.refusal(ApiError(400, "invalid id")))
    assert shown["isError"]
    assert shown["content"][0]["text"] == '{"status":400,"errors":"invalid id"}'


def test_other_envelopes_are_json() -> None:
    app = App("objects", Table)
    _, headers, body = rest.encode(app.refusal(ApiError(404, "no")))
    assert body == b'{"error":"no"}'
    assert dict(headers)[b"content-type"].startswith(b"application/json")
