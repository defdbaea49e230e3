"""What is hard to see from outside: faults of ours, keys, leases by the clock, one path and its meaning."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legoenv_mcp.gateway import routes
from legoenv_mcp.gateway.access import Names, Tokens
from legoenv_mcp.gateway.episodes import Episodes
from legoenv_mcp.gateway.front import Front
from legoenv_mcp.gateway.problems import Problem
from legoenv_mcp.gateway.store import Plan, Store, StoreError


class House:
    """Behind this door everything goes wrong."""

    def start(self, tasks: Any) -> None: ...
    def close(self) -> None: ...
    async def refuse(self, exchange: Any, route: Any) -> None: ...
    async def serve(self, exchange: Any, route: Any) -> None:
        raise RuntimeError("a secret detail")


def no_house() -> House:
    raise RuntimeError("a secret reason")


async def ask(load: Any, path: str) -> tuple[int, bytes]:
    """One GET through the door, with its lifespan about it."""
    front = Front(load, names=Names(), tokens=Tokens())
    life: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    sent: list[Any] = []

    async def say(message: Any) -> None:
        sent.append(message)

    async def body() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    await life.put({"type": "lifespan.startup"})
    living = asyncio.create_task(front({"type": "lifespan"}, life.get, say))
    while not sent or not front._loaded.is_set():
        await asyncio.sleep(0.01)
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "headers": [(b"host", b"localhost")],
        "query_string": b"",
    }
    await front(scope, body, say)
    await life.put({"type": "lifespan.shutdown"})
    await living
    return sent[1]["status"], sent[2]["body"]


async def test_a_fault_of_ours_is_logged_and_tells_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        status, body = await ask(House, "/episodes/ep_secretid")
    assert status == 500
    assert b"urn:legoenv:problem:internal" in body
    assert b"secret" not in body
    assert "a secret detail" in caplog.text
    assert "ep_secretid" not in caplog.text, "an id is a key: it is not logged"


async def test_a_house_that_does_not_load_shows_in_the_health_check() -> None:
    assert (await ask(no_house, "/healthz"))[0] == 503
    assert (await ask(no_house, "/apps"))[0] == 500
    assert (await ask(House, "/healthz"))[0] == 200


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def unused(plan: Plan, folder: Path | None, environment: Any) -> Any:
    raise AssertionError("nothing here is called")


def test_leases_end_by_the_clock() -> None:
    clock = Clock()
    episodes = Episodes(unused, limit=2, idle=10, clock=clock)
    one, two = episodes.create(Plan(("a",), "w")), episodes.create(Plan(("a",), "w"))
    with pytest.raises(Problem, match="All 2 episodes"):
        episodes.create(Plan(("a",), "w"))
    clock.now = 9.9
    assert episodes.find(one.key) is one
    clock.now = 10.0
    assert episodes.controlled(two.id) is None, "late, though nobody has swept yet"
    assert episodes.find(two.key) is None
    assert episodes.controlled(one.key) is None, "a key controls nothing"
    episodes.create(Plan(("a",), "w"))
    clock.now = 19.95
    three = episodes.create(Plan(("a",), "w"))
    assert episodes.controlled(one.id) is None, "room is made by collecting"
    assert len(episodes) == 2
    episodes.drop(three)
    episodes.drop(three)
    assert len(episodes) == 1


def test_a_store_is_one_processes_and_keeps_its_secret(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(StoreError, match="in use by another"):
        Store(tmp_path)
    made = Episodes(unused, store=store).create(Plan(("a", "b"), "w", "7", "e"))
    (tmp_path / "episodes" / ".half").mkdir()
    (tmp_path / "episodes" / "foreign").mkdir()
    (tmp_path / "episodes" / "foreign" / "episode.json").write_text("{}")
    store.close()
    again = Episodes(unused, store=Store(tmp_path))
    found = again.controlled(made.id)
    assert found is not None
    assert (found.key, found.plan) == (made.key, made.plan)
    assert len(again) == 1, "what is no episode's is left alone"
    assert not (tmp_path / "episodes" / ".half").exists(), (
        "what was being made when the process was killed is cleared away"
    )
    assert (tmp_path / "secret").stat().st_mode & 0o077 == 0
    again.close()


@given(st.text("/.abcepismogradhts%2f-_A", max_size=40))
def test_a_path_means_what_it_spells_or_nothing(path: str) -> None:
    route = routes.parse(path)
    if route is None or route.kind == "rest":
        return
    parts = [part for part in path.split("/") if part]
    assert path.count("//") == 0
    assert (route.kind in routes.CONTROL) == (
        parts[0] == "episodes" and parts[-1] not in ("mcp",) and "apps" not in parts
    )


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/healthz", "healthz"), ("/apps/", "apps"), ("/episodes", "episodes"), ("/episodes/x", "episode"), ("/episodes/x/grade/", "grade"),
        ("/episodes/x/mcp", "mcp"), ("/episodes/x/apps/a/mcp/", "mcp"), ("/apps/a/mcp", "mcp"), ("/apps/a/rest", "rest"),
        ("/apps/a/rest/x/../y", "rest"), ("/apps/a/openapi.json", "openapi"), ("/episodes/x/apps/a", None),
        ("/episodes/x/apps/a/grade", None),
        ("/apps/a", None), ("", None), ("/episodes/a b", None), ("/apps/A/mcp", None), ("/episodes/x/mcp/y", None), ("/healthz/x", None),
    ],
)  # fmt: skip
def test_routes(path: str, kind: str | None) -> None:
    found = routes.parse(path)
    assert (found and found.kind) == kind
