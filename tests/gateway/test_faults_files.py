"""A process that has too few files: connections beyond what it can hold are told to come back, episodes go on, and all recovers."""

import contextlib
import json
import resource
import socket
from pathlib import Path
from typing import Any

import httpx

from tests.conftest import RECORDED, Process
from tests.support import faults

LIMIT = 160


def poor(tmp_path: Path, *words: str) -> Process:
    """A gateway that may never have more than LIMIT files."""
    script = tmp_path / "poor.py"
    script.write_text(
        "import resource, runpy, sys\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({LIMIT}, {LIMIT}))\n"
        f"sys.path.insert(0, {str(RECORDED.parents[2])!r})\n"
        f"runpy.run_path({str(RECORDED)!r}, run_name='__main__')\n",
        encoding="utf-8",
    )
    return Process("gateway", "--port", "0", *words, script=str(script))


def connect(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), 60)


def healthy(url: str) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"{url}/healthz", timeout=60).status_code == 200
    return False


def test_more_connections_and_episodes_than_files(tmp_path: Path) -> None:
    gateway = poor(tmp_path, "--db", str(tmp_path / "state"))
    try:
        with httpx.Client(base_url=gateway.url, timeout=60) as http:
            episodes = list[dict[str, Any]]()
            for n in range(40):  # 80 databases of three files each
                made = http.post("/episodes", json={"apps": ["notes", "crmlite"], "world": "empty"})
                episodes.append(made.raise_for_status().json())
                http.post(f"{episodes[-1]['apps']['notes']['rest']}/notes", json={"text": f"n {n}"}).raise_for_status()
                http.post(
                    f"{episodes[-1]['apps']['crmlite']['rest']}/v2/deals", json={"title": f"d {n}", "stage_id": 1}
                ).raise_for_status()
            crowd = [connect(gateway.url) for _ in range(LIMIT)]
            for one in crowd:
                with contextlib.suppress(OSError):
                    one.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
            said = list[bytes]()
            for one in crowd:
                with contextlib.suppress(ConnectionError):
                    said.append(one.recv(65536))
            refused = [text for text in said if text.startswith(b"HTTP/1.1 503")]
            assert refused, "who is too many is told"
            assert any(text.startswith(b"HTTP/1.1 200") for text in said)
            for text in refused:
                assert b"retry-after: 1" in text
                assert json.loads(text.partition(b"\r\n\r\n")[2])["type"] == "urn:legoenv:problem:too-many-connections"
            for n, episode in enumerate(episodes):  # over the connection that was there before the crowd
                assert f"n {n}" in http.get(f"{episode['apps']['notes']['rest']}/notes").text
            for one in crowd:
                one.close()
        assert faults.until(lambda: healthy(gateway.url)), "who comes afterwards is served"
        assert faults.files_of(gateway.process.pid) <= LIMIT
        assert "Traceback" not in gateway.read_log()
    finally:
        gateway.kill()


def test_a_process_that_runs_out_of_files_says_so_and_recovers(start_gateway: Any, tmp_path: Path) -> None:
    gateway = start_gateway("--db", str(tmp_path / "state"))
    pid = gateway.process.pid
    with httpx.Client(timeout=60) as http:
        open_ones = [gateway.episode(["notes"], world="empty") for _ in range(6)]
        for episode in open_ones:
            http.post(f"{episode.rest('notes')}/notes", json={"text": "before"}).raise_for_status()
        untouched = gateway.episode(["notes"], world="empty")
        assert http.get(f"{gateway.url}/healthz").status_code == 200
        faults.limit(pid, resource.RLIMIT_NOFILE, faults.files_of(pid))
        refused = http.get(f"{untouched.rest('notes')}/notes")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert refused.json()["type"] == "urn:legoenv:problem:out-of-files"
        assert http.get(f"{open_ones[-1].rest('notes')}/notes").status_code == 200, "what is open goes on"
        # Told to come back, the client does: meanwhile databases that could be spared have been closed.
        for episode in (untouched, *open_ones):
            assert faults.until(lambda one=episode: http.get(f"{one.rest('notes')}/notes").status_code == 200)
            assert ("before" in http.get(f"{episode.rest('notes')}/notes").text) == (episode is not untouched)
        with contextlib.ExitStack() as crowd:  # no file for a connection: it waits, is closed or refused; nothing ends
            for _ in range(40):
                with contextlib.suppress(OSError):
                    crowd.enter_context(connect(gateway.url))
            assert "before" in http.get(f"{open_ones[-1].rest('notes')}/notes").text
        faults.limit(pid, resource.RLIMIT_NOFILE, None)
        assert faults.until(lambda: healthy(gateway.url))
        assert "before" in http.get(f"{open_ones[0].rest('notes')}/notes").text
    assert gateway.process.poll() is None
