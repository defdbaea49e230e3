"""The wall clock jumps: episodes' answers, ids and times are the same bytes, and nobody's episode is collected for it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Gateway, server_environment

SKEWED = Path(__file__).parents[1] / "support" / "skewed"
YEAR = 365 * 86400


class Clock:
    """What a gateway's wall clock is off by."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.jump(0)

    def jump(self, seconds: float) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_text(str(seconds), encoding="ascii")
        fresh.replace(self._file)

    def environment(self) -> dict[str, str]:
        return server_environment(PYTHONPATH=str(SKEWED), LEGOENV_TEST_CLOCK=str(self._file))


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    return Clock(tmp_path / "clock")


@pytest.fixture
def skewed(clock: Clock) -> Iterator[Gateway]:
    running = Gateway("--world", "empty", "--idle-timeout", "300", env=clock.environment())
    yield running
    running.kill()


JUMPS = (0, 3 * YEAR, -30 * YEAR, 20, -86400, 0.5)


def lived(gateway: Gateway, clock: Clock | None) -> list[Any]:
    """The same life, whatever the clock does meanwhile: what was answered, without what is the gateway's own."""
    answers = list[Any]()
    episode = gateway.episode(["notes", "crmlite"], world="empty", seed=11)
    graded = gateway.environment("win_a_deal")
    for n, jump in enumerate(JUMPS):
        if clock is not None:
            clock.jump(jump)
        made = httpx.post(f"{episode.rest('notes')}/notes", json={"text": f"note {n}"}, timeout=60)
        deal = httpx.post(f"{episode.rest('crmlite')}/v2/deals", json={"title": f"{n}", "stage_id": 1}, timeout=60)
        call = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "list_notes", "arguments": {}}}
        tool = httpx.post(
            episode.mcp("notes"), json=call, timeout=60, headers={"accept": "application/json, text/event-stream"}
        )
        answers += [one.raise_for_status().content for one in (made, deal, tool)]
    httpx.patch(f"{graded.rest('crmlite')}/v2/deals/3", json={"status": "won"}, timeout=60).raise_for_status()
    httpx.post(f"{graded.rest('notes')}/notes", json={"text": "Deal 3 is won"}, timeout=60).raise_for_status()
    answers.append(graded.grade("3000"))
    return answers


def test_a_jump_changes_no_byte(gateway: Gateway, skewed: Gateway, clock: Clock) -> None:
    straight, jumping = lived(gateway, None), lived(skewed, clock)
    assert straight == jumping
    assert jumping[-1]["reward"] == 1.0


def test_a_jump_collects_nobody(skewed: Gateway, clock: Clock) -> None:
    """Idleness goes by the monotonic clock; what an episode says of its end is by the wall clock as it is now."""
    episode = skewed.episode(["notes"], world="empty")
    httpx.post(f"{episode.rest('notes')}/notes", json={"text": "kept"}).raise_for_status()
    for jump in JUMPS:
        clock.jump(jump)
        assert "kept" in httpx.get(f"{episode.rest('notes')}/notes", timeout=60).text
        expires = datetime.fromisoformat(episode.control().raise_for_status().json()["expires_at"])
        off = (expires - datetime.now(UTC)).total_seconds() - jump
        assert -60 < off <= 301, "three hundred seconds from the gateway's now"
        assert skewed.request("GET", "/healthz").status_code == 200
    fresh = skewed.episode(["notes"], world="empty")
    assert fresh.control().status_code == 200


def test_a_restart_in_another_year_finds_everything(clock: Clock, tmp_path: Path) -> None:
    state = ("--world", "empty", "--db", str(tmp_path / "state"))
    first = Gateway(*state, env=clock.environment())
    try:
        episode = first.episode(["notes"], world="empty", seed=3)
        path = episode.rest("notes").removeprefix(first.url) + "/notes"
        first.request("POST", path, {"text": "kept"}).raise_for_status()
    finally:
        first.kill()
    clock.jump(-40 * YEAR)
    second = Gateway(*state, env=clock.environment())
    try:
        assert "kept" in second.request("GET", path).text
        assert second.request("POST", path, {"text": "goes on"}).status_code == 201
    finally:
        second.kill()
