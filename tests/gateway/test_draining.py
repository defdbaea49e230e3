"""A gateway that is told to end: open episodes go on, new ones are refused; replicas sign their episodes."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

NOTES = "/apps/notes/rest/notes"


def ready(gateway: Any) -> tuple[int, str]:
    answer = gateway.request("GET", "/readyz")
    return answer.status_code, answer.json()["status"]


def wait_until_ready(gateway: Any) -> None:
    deadline = time.monotonic() + 60
    while ready(gateway)[0] == 503 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert ready(gateway) == (200, "ready")


def test_open_episodes_go_on_and_no_new_ones_begin(start_gateway: Any) -> None:
    gateway = start_gateway("--drain", "120", "--world", "empty")
    wait_until_ready(gateway)
    episode = gateway.episode(["notes"], world="empty")
    gateway.process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + 60
    while ready(gateway)[0] != 404 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert ready(gateway) == (404, "draining")
    assert gateway.request("GET", "/healthz").status_code == 200
    refused = gateway.request("POST", "/episodes", {"apps": ["notes"]})
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert refused.json()["type"] == "urn:legoenv:problem:draining"
    httpx.post(f"{episode.rest('notes')}/notes", json={"text": "still here"}).raise_for_status()
    assert "still here" in httpx.get(f"{episode.rest('notes')}/notes").text
    assert episode.control("DELETE").status_code == 204
    gateway.process.wait(30)
    assert gateway.stop() == 0, "the last episode had ended, and so did the process"


def test_a_second_signal_ends_it_at_once(start_gateway: Any) -> None:
    gateway = start_gateway("--drain", "3600", "--world", "empty")
    wait_until_ready(gateway)
    gateway.episode(["notes"], world="empty")
    gateway.process.send_signal(signal.SIGTERM)
    while ready(gateway)[0] != 404:
        time.sleep(0.05)
    assert gateway.stop() == 0


def test_episodes_in_files_need_no_draining(start_gateway: Any, tmp_path: Path) -> None:
    gateway = start_gateway("--drain", "3600", "--world", "empty", "--db", str(tmp_path))
    wait_until_ready(gateway)
    gateway.episode(["notes"], world="empty")
    assert gateway.stop() == 0


def test_replicas_sign_their_episodes_and_know_them_again(start_gateway: Any, tmp_path: Path) -> None:
    words = ("--replica", "gateway-3", "--db", str(tmp_path), "--world", "empty")
    gateway = start_gateway(*words)
    episode = gateway.episode(["notes"], world="empty")
    assert episode.id.startswith("ep_gateway-3_")
    assert episode.mcp().split("/")[-2].startswith("ag_gateway-3_")
    path = episode.rest("notes").removeprefix(gateway.url) + "/notes"
    gateway.request("POST", path, {"text": "kept"}).raise_for_status()
    gateway.stop()
    assert "kept" in start_gateway(*words).request("GET", path).text


def test_a_replicas_name_fits_into_an_id() -> None:
    words = [sys.executable, "-m", "legoenv_mcp.cli", "gateway", "--replica", "Gateway_1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "up to 16 lower-case letters" in done.stderr
