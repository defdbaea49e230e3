"""What no client library would send: requests that two readers would read differently, heads and bodies that blow up, paths that climb.

Each is refused or read in one way; none brings the gateway down, and none is followed by what was hidden in it.
"""

import gzip
import json
import socket
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

HOST = "Host: localhost\r\n"
MCP = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def raw(gateway: Any, data: bytes) -> bytes:
    """Everything that is answered to these bytes, until the server closes."""
    parts = urlsplit(gateway.url)
    answer = b""
    with socket.create_connection((parts.hostname or "", parts.port or 0), 60) as connection:
        try:
            connection.sendall(data)
            while chunk := connection.recv(65536):
                answer += chunk
        except ConnectionError:  # what was still being sent is not wanted any more
            pass
    return answer


def statuses(answer: bytes) -> list[int]:
    return [int(part[2:5]) for part in answer.split(b"HTTP/1.")[1:] if not part.startswith(b"1 100")]


POST = "POST /episodes HTTP/1.1\r\n" + HOST
SMUGGLED = "0\r\n\r\nGET /apps HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
AMBIGUOUS = {
    "length and chunks": f"{POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n{SMUGGLED}",
    "chunks and length": f"{POST}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n{SMUGGLED}",
    "two lengths": f"{POST}Content-Length: 0\r\nContent-Length: 4\r\n\r\n{SMUGGLED}",
    "chunks, then not": f"{POST}Transfer-Encoding: chunked, identity\r\n\r\n{SMUGGLED}",
    "almost chunks": f"{POST}Transfer-Encoding: xchunked\r\n\r\n{SMUGGLED}",
    "a chunk beyond counting": f"{POST}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
    "a chunk of less than nothing": f"{POST}Transfer-Encoding: chunked\r\n\r\n-1\r\n",
    "a signed length": f"{POST}Content-Length: +2\r\n\r\n{{}}",
    "a length beyond counting": f"{POST}Content-Length: 99999999999999999999\r\n\r\n{{}}",
    "a space before the colon": f"{POST}Content-Length : 2\r\n\r\n{{}}",
    "a folded header": f"GET /apps HTTP/1.1\r\n{HOST}X: a\r\n b\r\n\r\n",
    "a bare carriage return": f"GET /apps HTTP/1.1\r\n{HOST}X: a\rY: b\r\n\r\n",
    "bare line feeds": "GET /apps HTTP/1.1\nHost: localhost\n\n",
    "a NUL in a header": f"GET /apps HTTP/1.1\r\n{HOST}X: a\0b\r\n\r\n",
    "two hosts, ours last": "GET /apps HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "two hosts, ours first": "GET /apps HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "two origins": f"GET /apps HTTP/1.1\r\n{HOST}Origin: http://evil.example\r\nOrigin: http://localhost\r\nConnection: close\r\n\r\n",
    "two tokens": f"GET /apps HTTP/1.1\r\n{HOST}Authorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n",
    "no host": "GET /apps HTTP/1.1\r\nConnection: close\r\n\r\n",
    "a method of its own": f"FOO /apps HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n",
    "a tunnel": f"CONNECT localhost:80 HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n",
    "another protocol": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "bytes in a path": f"GET /apps/slack/rest/\xff\xfe HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n",
    "a web socket where none is": (
        f"GET /apps HTTP/1.1\r\n{HOST}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ),
    "a key that climbs": f"GET /apps/slack/rest/x HTTP/1.1\r\n{HOST}X-Episode-Id: ../../etc\r\nConnection: close\r\n\r\n",
    "a head of 10 MB": f"GET /apps HTTP/1.1\r\n{HOST}X: {'a' * 10_000_000}\r\nConnection: close\r\n\r\n",
    "50,000 headers": f"GET /apps HTTP/1.1\r\n{HOST}" + "X: a\r\n" * 50_000 + "Connection: close\r\n\r\n",
    "an address of 1 MB": f"GET /apps/{'a' * 1_000_000} HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n",
}  # fmt: skip


@pytest.mark.parametrize("what", AMBIGUOUS)
def test_a_request_is_read_in_one_way_or_refused(attacked: Any, what: str) -> None:
    answered = statuses(raw(attacked, AMBIGUOUS[what].encode("latin-1")))
    assert all(400 <= status < 500 for status in answered), answered
    assert len(answered) <= 1, "what was hidden in the request was answered too"
    assert attacked.request("GET", "/healthz").status_code == 200


# Ways out of where one is


CLIMBS = [
    "..",
    "%2e%2e",
    "..%2f..",
    "....//",
    "%00",
    "..\\..",
    "%c0%ae%c0%ae",
    "nosuch",
    "Slack",
    "slack%2frest",
    "slack/../stripe",
    "'",
    "%ff",
]


@pytest.mark.parametrize("climb", CLIMBS)
def test_names_lead_nowhere_but_where_they_say(attacked: Any, climb: str) -> None:
    for line in (
        f"GET /apps/{climb}/openapi.json", f"GET /apps/{climb}/rest/x", f"GET /episodes/{climb}", f"POST /episodes/{climb}/grade",
        f"DELETE /episodes/{climb}", f"POST /episodes/{climb}/mcp", f"GET /{climb}/etc/passwd", f"GET /openenv/{climb}",
    ):  # fmt: skip
        answer = raw(
            attacked, f"{line} HTTP/1.1\r\n{HOST}Content-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode("latin-1")
        )
        assert [400 <= status < 500 for status in statuses(answer)] == [True], (line, answer[:200])
        assert b"root:" not in answer
    for wanted in (
        {"environment": climb}, {"environment": f"../{climb}"}, {"apps": [climb]}, {"apps": ["slack"], "world": climb},
        {"apps": ["slack"], "world": f"../worlds/{climb}"}, {"apps": ["slack"], "world": "/etc/passwd"}, {"environment": "/etc/passwd"},
    ):  # fmt: skip
        answered = attacked.request("POST", "/episodes", wanted)
        assert 400 <= answered.status_code < 500, answered.text


# Bodies


DEEP = b"[" * 10_000 + b"]" * 10_000
CALL = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "%s", "arguments": %s}}'
BODIES = [
    b"", b"{", b"null", b"[]", b"\xff\xfe", DEEP, b'{"a":' * 10_000 + b"1" + b"}" * 10_000, 
    b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}',
    CALL % (b"conversations_history", DEEP), CALL % (b"conversations_history", b'{"channel_id": "\\ud800"}'),
    CALL % (b"\\ud800", b"{}"), CALL % (b"x" * 100_000, b"{}"), CALL % (b"conversations_history", b'{"\\ud800": 1}'),
    CALL % (b"conversations_history", b'{"limit": 1e400}'), CALL % (b"conversations_history", b'{"limit": NaN}'),
    CALL % (b"conversations_history", b'{"limit": ' + b"9" * 5000 + b"}"), CALL % (b"conversations_history", b'{"channel_id": "\xff"}'),
    CALL % (b"conversations_history", b'{"channel_id": "\\u0000"}'), CALL % (b"conversations_history", b'"x"'),
    CALL % (b"conversations_history", b'{"channel_id": "' + b"x" * 1_000_000 + b'"}'), b"[" + b'{"jsonrpc": "2.0"},' * 1000 + b"{}]",
    b'{"jsonrpc": "2.0", "id": ' + b"9" * 400 + b', "method": "tools/list"}', 
    b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}', gzip.compress(b" " * 10_000_000),
]  # fmt: skip


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("place", ["/mcp", "/mcp?toolset=api", "/apps/slack/mcp"])
def test_an_mcp_endpoint_reads_or_refuses_any_body(attacked: Any, place: str, revision: str) -> None:
    episode = attacked.episode(["slack", "notes"])
    url = episode.mcp().removesuffix("/mcp") + place
    for number, body in enumerate(BODIES):
        headers = {
            **MCP,
            "MCP-Protocol-Version": revision,
            "Mcp-Method": "tools/call",
            "Mcp-Name": "conversations_history",
        }
        if number == len(BODIES) - 1:
            headers["Content-Encoding"] = "gzip"
        answered = httpx.post(url, content=body, headers=headers)
        assert answered.status_code < 500, (body[:80], answered.text[:300])
        assert b"root:" not in answered.content
        if answered.status_code == 200:
            result = answered.json().get("result", {})
            assert (
                "error" in answered.json()
                or result.get("isError")
                or not body.startswith(b'{"jsonrpc": "2.0", "id": 1')
            ), body[:120]
    assert httpx.get(f"{episode.rest('slack')}/api/auth.test").json()["ok"], "the episode goes on"


def test_nothing_that_is_packed_is_unpacked(attacked: Any) -> None:
    """A body's encoding is not undone, so a bomb stays as small as it came."""
    episode = attacked.episode(["slack", "notes", "google_drive"])
    bomb = gzip.compress(b" " * 50_000_000)
    for url in (
        f"{attacked.url}/episodes",
        f"{episode.rest('notes')}/notes",
        f"{episode.rest('slack')}/api/chat.postMessage",
    ):
        for encoding in ("gzip", "deflate", "br", "gzip, gzip"):
            answered = httpx.post(
                url, content=bomb, headers={"Content-Type": "application/json", "Content-Encoding": encoding}
            )
            assert answered.status_code == 200 or 400 <= answered.status_code < 500
            assert "slack" not in url or not answered.json()["ok"]
    kept = httpx.post(
        f"{episode.rest('google_drive')}/upload/drive/v3/files?uploadType=media",
        content=bomb,
        headers={"Content-Type": "application/zip"},
    )
    assert kept.status_code == 200, "a file is kept as it is"
    found = httpx.get(f"{episode.rest('google_drive')}/drive/v3/files/{kept.json()['id']}?alt=media")
    assert found.content == bomb


def test_a_value_is_stored_as_it_came(attacked: Any) -> None:
    """Nothing is quoted, evaluated, escaped or cut on the way in or out."""
    rest = attacked.episode(["notes"], world="empty").rest("notes")
    for text in (
        '=HYPERLINK("http://evil.example","x")',
        "'; DROP TABLE note; --",
        "<script>alert(1)</script>",
        "{{7*7}}",
        "аdmin",
        "\u202egnp.exe",
    ):
        made = httpx.post(f"{rest}/notes", json={"text": text}).json()
        assert json.dumps(text) in json.dumps(made)
        assert text in [note["text"] for note in httpx.get(f"{rest}/notes").json()["notes"]]
