"""What `legoenv fleet manifest` writes, started for real: by Compose, and by Swarm with an update under load."""

import shutil
import subprocess
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.docker.conftest import legoenv

pytestmark = pytest.mark.docker


def run(*words: str, check: bool = True) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert not check or done.returncode == 0, done.stderr
    return done.stdout


def free_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def until(holds: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.3)


def answers(url: str, path: str = "/healthz", status: int = 200, **options: Any) -> bool:
    try:
        return httpx.request(options.pop("method", "GET"), url + path, timeout=20, **options).status_code == status
    except httpx.HTTPError:
        return False


def both_begin(url: str, slug: str) -> bool:
    """Whether new episodes go to both replicas: each has loaded, and the router knows."""
    if not answers(url, "/episodes", 201, method="POST", json={"apps": [slug]}):
        return False
    made = [httpx.post(f"{url}/episodes", json={"apps": [slug]}, timeout=60) for _ in range(4)]
    return len({one.json()["id"].split("_")[1] for one in made if one.status_code == 201}) == 2


def manifest(path: Path, *words: str) -> Path:
    done = legoenv("fleet", "manifest", *words, "--out", str(path))
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def compose(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Starts a Compose file; answers its address."""
    command = ["docker-compose"] if shutil.which("docker-compose") else ["docker", "compose"]
    project, started = f"t{uuid.uuid4().hex[:8]}", list[Path]()

    def start(*words: str) -> str:
        port = free_port()
        file = manifest(tmp_path / "compose.yml", "--kind", "compose", "--port", str(port), *words)
        started.append(file)
        run(*command, "-p", project, "-f", str(file), "up", "-d")
        return f"http://127.0.0.1:{port}"

    yield start
    for file in started:
        run(*command, "-p", project, "-f", str(file), "down", "-v", "-t", "1")


def test_compose_starts_apps(compose: Callable[..., str]) -> None:
    url = compose("slack", "google_sheets")
    until(lambda: answers(url, "/apps/slack/rest/api/auth.test", headers={"Authorization": "Bearer xoxb-1"}))
    until(lambda: answers(url, "/apps/google_sheets/openapi.json"))


def test_compose_starts_replicas_that_keep_their_episodes(compose: Callable[..., str]) -> None:
    url = compose("--replicas", "2", "--drain", "1")
    until(lambda: both_begin(url, "slack"))
    made = [httpx.post(f"{url}/episodes", json={"apps": ["slack"]}, timeout=60).json() for _ in range(8)]
    assert set(Counter(one["id"].split("_")[1] for one in made)) == {"gateway-1", "gateway-2"}
    for one in made * 3:  # each time at the replica that has it: the other knows no such episode
        assert httpx.get(f"{url}/episodes/{one['id']}", timeout=60).status_code == 200
    assert httpx.get(f"{url}/episodes/ep_gateway-9_none", timeout=60).status_code == 503


@pytest.fixture
def swarm() -> Iterator[Callable[[Path], str]]:
    """Deploys stacks on this engine's one-node swarm; answers the stack's name."""
    ours = run("docker", "info", "--format", "{{.Swarm.LocalNodeState}}").strip() != "active"
    if ours:
        run("docker", "swarm", "init", "--advertise-addr", "127.0.0.1")
    stacks = list[str]()

    def deploy(file: Path) -> str:
        stacks.append(f"t{uuid.uuid4().hex[:8]}")
        run("docker", "stack", "deploy", "--resolve-image", "never", "--detach=true", "-c", str(file), stacks[-1])
        return stacks[-1]

    yield deploy
    for stack in stacks:  # a network cannot go before the last task on it has
        until(lambda stack=stack: not run("docker", "stack", "rm", "--detach=true", stack, check=False))
    if ours:
        run("docker", "swarm", "leave", "--force")
    for volume in run("docker", "volume", "ls", "--quiet", "--filter", "name=legoenv-test-").split():
        run("docker", "volume", "rm", volume, check=False)


class Load:
    """Calls of many episodes at once, each failure noted with when it was."""

    def __init__(self, url: str, episodes: list[dict[str, Any]]) -> None:
        self.url = url
        self.failures = list[str]()
        self.calls: Counter[str] = Counter()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._live, args=(one,)) for one in episodes]
        self._threads.append(threading.Thread(target=self._begin))

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _live(self, episode: dict[str, Any]) -> None:
        """Writes a customer, reads it back: a lost write shows as well as a failed call."""
        rest, replica = episode["apps"]["stripe"]["rest"], episode["id"].split("_")[1]
        with httpx.Client(timeout=120, headers={"Authorization": "Bearer sk_test_1"}) as http:
            n = 0
            while not self._stop.wait(0.05):
                n += 1
                try:
                    made = http.post(f"{rest}/v1/customers", data={"name": f"c{n}"}).raise_for_status().json()
                    http.get(f"{rest}/v1/customers/{made['id']}").raise_for_status()
                except httpx.HTTPError as error:
                    self.failures.append(f"{replica}: {error}")
                self.calls[replica] += 2

    def _begin(self) -> None:
        while not self._stop.wait(0.2):
            try:
                made = (
                    httpx.post(f"{self.url}/episodes", json={"apps": ["stripe"]}, timeout=120).raise_for_status().json()
                )
                httpx.delete(f"{self.url}/episodes/{made['id']}", timeout=120).raise_for_status()
            except httpx.HTTPError as error:
                self.failures.append(f"new episode: {error}")
            self.calls["new"] += 2


def update_under_load(stack: str, url: str) -> tuple[Load, list[dict[str, Any]]]:
    """Replaces every replica, one after the other, while episodes of both are lived in."""
    until(lambda: both_begin(url, "stripe"))
    episodes = [_begun(url) for _ in range(6)]
    before = _tasks(stack)
    with Load(url, episodes) as load:
        time.sleep(1)
        run("docker", "service", "update", "--force", "--quiet", f"{stack}_gateway")
        time.sleep(2)
    assert not before & _tasks(stack), "every replica was replaced"
    return load, episodes


def _begun(url: str) -> dict[str, Any]:
    return httpx.post(f"{url}/episodes", json={"apps": ["stripe"]}, timeout=60).raise_for_status().json()


def _tasks(stack: str) -> set[str]:
    wanted = ("--filter", f"name={stack}_gateway", "--format", "{{.ID}}")
    return set(run("docker", "ps", *wanted).split())


def test_a_rolling_update_fails_no_call_of_durable_episodes(tmp_path: Path, swarm: Any) -> None:
    """Episodes in volumes: even those of the replica that is being replaced only wait."""
    port = free_port()
    file = manifest(tmp_path / "stack.yml", "--kind", "swarm", "--persist", "--port", str(port))
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("legoenv-episodes-", f"legoenv-test-{port}-"), encoding="utf-8")
    url = f"http://127.0.0.1:{port}"
    stack = swarm(file)
    load, episodes = update_under_load(stack, url)
    assert load.failures == []
    assert {"gateway-1", "gateway-2", "new"} <= set(load.calls)
    assert min(load.calls.values()) > 10
    for one in episodes:
        assert httpx.get(f"{url}/episodes/{one['id']}", timeout=60).status_code == 200


def test_a_rolling_update_lets_episodes_in_memory_end(tmp_path: Path, swarm: Any) -> None:
    """Episodes in memory go on while their replica drains; what has not ended by then is gone, and said to be. No others notice."""
    port = free_port()
    file = manifest(tmp_path / "stack.yml", "--kind", "swarm", "--drain", "8", "--port", str(port))
    url = f"http://127.0.0.1:{port}"
    stack = swarm(file)
    load, episodes = update_under_load(stack, url)
    assert not [failure for failure in load.failures if failure.startswith("new episode")]
    assert not [failure for failure in load.failures if "'404 " not in failure], "gone, not broken"
    assert all(httpx.get(f"{url}/episodes/{one['id']}", timeout=60).status_code == 404 for one in episodes)
