"""Fixtures for tests over a real Docker engine: `make docker-test` builds the images they run."""

import json
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import docker
import pytest


def legoenv(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "legoenv_mcp.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)


@dataclass
class TestFleet:
    """A fleet of a test's own, by the command line."""

    __test__ = False
    name: str
    more: list[str] = field(default_factory=list[str])

    def run(self, verb: str, *words: str) -> subprocess.CompletedProcess[str]:
        return legoenv("fleet", verb, "--fleet", self.name, *words)

    def up(self, *words: str) -> dict[str, dict[str, Any]]:
        done = self.run("up", "--json", "--port", "0", *words)
        assert done.returncode == 0, done.stderr
        return {one["app"]: one for one in json.loads(done.stdout)}

    def container(self, slug: str) -> Any:
        return docker.from_env().containers.get(f"{self.name}-{slug}")


@pytest.fixture
def fleet() -> Iterator[TestFleet]:
    made = TestFleet(f"test-{uuid.uuid4().hex[:10]}")
    yield made
    done = made.run("down", "--volumes")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def engine() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture
def episode() -> Iterator[Callable[[str], dict[str, Any]]]:
    """Begins episodes across containers, and ends them."""
    begun = list[str]()

    def begin(environment: str) -> dict[str, Any]:
        done = legoenv("fleet", "up", "--environment", environment, "--json")
        assert done.returncode == 0, done.stderr
        shown = json.loads(done.stdout)
        begun.append(shown["id"])
        return shown

    yield begin
    for name in begun:
        assert legoenv("fleet", "down", "--fleet", name).returncode == 0
