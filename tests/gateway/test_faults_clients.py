"""Clients that stall, leave in the middle, say nothing, never listen, or are too many: they are told or dropped, all others served,
and half a request is never acted on."""

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support import faults

PATIENCE = "4"
"""Seconds; whoever waits longer than this below waits for a busy machine."""


@pytest.fixture(scope="module")
def impatient() -> Iterator[Any]:
    """A gateway that soon loses patience."""
    from tests.conftest import Gateway

    running = Gateway("--request-timeout", PATIENCE, "--world", "empty")
    yield running
    running.kill()


@contextlib.contextmanager
def raw(gateway: Any) -> Iterator[socket.socket]:
    host, port = gateway.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        yield connection


def everything(connection: socket.socket) -> bytes:
    """What the server says until it closes the connection."""
    said = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := connection.recv(65536):
            said += chunk
    return said


def head(path: str, length: int, kind: str = "application/json") -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n".encode()
    )


def texts(url: str) -> list[str]:
    return [note["text"] for note in httpx.get(f"{url}/notes", timeout=60).raise_for_status().json()["notes"]]


def path_of(url: str) -> str:
    return "/" + url.split("/", 3)[3]


FORM = b"text=whole&tags=a"


@pytest.mark.parametrize("cut", range(0, len(FORM), 3))
def test_half_a_body_is_not_acted_on(gateway: Any, cut: int) -> None:
    """A form that is cut off is a form as well: only that the client has left says that it was not all."""
    episode = gateway.episode(["notes"], world="empty")
    rest, before = episode.rest("notes"), texts(episode.rest("notes"))
    with raw(gateway) as connection:
        connection.sendall(head(f"{path_of(rest)}/notes", len(FORM), "application/x-www-form-urlencoded") + FORM[:cut])
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "create_note", "arguments": {"text": "half"}}}).encode()  # fmt: skip
    with raw(gateway) as connection:
        connection.sendall(head(path_of(episode.mcp("notes")), len(body)) + body[: cut * 5])
    assert texts(rest) == before
    assert "failed" not in gateway.read_log()


def test_who_leaves_before_the_answer_has_written_all_or_nothing(gateway: Any) -> None:
    episode = gateway.episode(["notes"], world="empty")
    rest, before = episode.rest("notes"), len(texts(episode.rest("notes")))
    for n in range(40):
        body = json.dumps({"text": f"left {n}"}).encode()
        with raw(gateway) as connection:
            connection.sendall(head(f"{path_of(rest)}/notes", len(body)) + body)
            if n % 2:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset, not an end
    found = texts(rest)
    assert all(text.startswith(("left ", "Welcome")) for text in found)
    assert len(found) == len(set(found)) <= before + 40
    httpx.post(f"{rest}/notes", json={"text": "after"}).raise_for_status()
    assert "after" in texts(rest)


@pytest.mark.parametrize("part", ["head", "body", "trickle"])
def test_who_stalls_is_told_and_others_are_served(impatient: Any, part: str) -> None:
    episode = impatient.episode(["notes"], world="empty")
    rest = episode.rest("notes")
    whole = head(f"{path_of(rest)}/notes", 5000) + b'{"text": "' + b"x" * 4000
    with raw(impatient) as stalled:
        stalled.sendall(whole[:60] if part == "head" else whole)
        if part == "trickle":
            deadline = time.monotonic() + 60
            with contextlib.suppress(OSError):
                while time.monotonic() < deadline:
                    stalled.sendall(b"x")
                    assert httpx.get(f"{rest}/notes", timeout=60).status_code == 200
                    stalled.settimeout(0.1)
                    with contextlib.suppress(TimeoutError):
                        if stalled.recv(1, socket.MSG_PEEK):
                            break
            stalled.settimeout(60)
        assert httpx.get(f"{rest}/notes", timeout=60).status_code == 200
        said = everything(stalled)
    status, _, rest_of_it = said.partition(b"\r\n")
    assert status == b"HTTP/1.1 408 Request Timeout"
    assert b"content-type: application/problem+json" in rest_of_it
    assert json.loads(rest_of_it.partition(b"\r\n\r\n")[2])["type"] == "urn:legoenv:problem:request-timeout"
    assert len(texts(rest)) == 1
    assert "failed" not in impatient.read_log()


def test_a_slow_body_that_goes_on_is_taken(impatient: Any) -> None:
    """A megabyte in pieces, over more time than the gateway's patience: what moves is not stalled."""
    rest = impatient.episode(["notes"], world="empty").rest("notes")
    body = json.dumps({"text": "s" * 1_000_000}).encode()
    with raw(impatient) as slow:
        slow.sendall(head(f"{path_of(rest)}/notes", len(body)))
        for at in range(0, len(body), 80_000):
            slow.sendall(body[at : at + 80_000])
            time.sleep(0.4)
        assert slow.recv(100).startswith(b"HTTP/1.1 201")


def test_connections_that_say_nothing_are_dropped(impatient: Any) -> None:
    silent = [socket.create_connection(tuple(impatient.url.removeprefix("http://").split(":")), 60) for _ in range(300)]
    rest = impatient.episode(["notes"], world="empty").rest("notes")
    assert texts(rest)
    assert [everything(one) for one in silent] == [b""] * 300
    for one in silent:
        one.close()
    assert texts(rest)


def test_who_does_not_take_its_answers_is_dropped(impatient: Any) -> None:
    """Megabytes of answers that nobody reads are not kept for ever."""
    episode = impatient.episode(["notes"], world="empty")
    rest = episode.rest("notes")
    httpx.post(f"{rest}/notes", json={"text": "x" * 3_000_000}, timeout=60).raise_for_status()
    with raw(impatient) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        get = f"GET {path_of(rest)}/notes HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()
        deaf.sendall(get * 4)
        assert faults.until(lambda: not faults.connected(impatient.process.pid, deaf.getsockname()[1]))
    assert len(texts(rest)) == 2


def test_a_head_without_an_end_is_refused(gateway: Any) -> None:
    with raw(gateway) as endless:
        endless.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n")
        with contextlib.suppress(OSError):
            for n in range(200):
                endless.sendall(f"x-{n}: {'y' * 1000}\r\n".encode())
        said = everything(endless)
    assert said.startswith(b"HTTP/1.1 431") or not said, "a reset may outrun the answer"
    assert gateway.request("GET", "/healthz").status_code == 200


def test_what_is_no_http_is_told_so(gateway: Any) -> None:
    with raw(gateway) as wrong:
        wrong.sendall(b"\x16\x03\x01 hello?\r\n\r\n")
        said = everything(wrong)
    assert said.startswith(b"HTTP/1.1 400")
    assert json.loads(said.partition(b"\r\n\r\n")[2])["type"] == "urn:legoenv:problem:malformed-request"
