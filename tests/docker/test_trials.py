"""A model's code is tried in a container that reaches nothing, where there is an engine."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import docker
import pytest

from legoenv_mcp import servers
from legoenv_mcp.evolve.nursery import Nursery
from tests.evolve.test_nursery import SAMPLES, tried

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEGOENV_SERVERS", str(SAMPLES))
        patch.setattr(servers, "__path__", [*servers.__path__, str(SAMPLES)])
        with Nursery(1, "container") as made:
            yield made


def test_an_honest_operation_is_tried_and_stands(nursery: Nursery) -> None:
    assert tried(nursery, '    return {"ok": True}\n').get() == []
    assert nursery.trials == "container"


@pytest.mark.parametrize(
    "body",
    [
        "    return {'it': open('/etc/passwd').read()}\n",
        "    import os\n    return {'it': os.fork()}\n",
        "    import socket\n    socket.socket()\n    return {}\n",
    ],
    ids=["reads", "forks", "connects"],
)
def test_what_escapes_inspection_is_stopped(nursery: Nursery, body: str) -> None:
    answer = tried(nursery, body)
    assert answer.lost or any("answers 500" in line for line in answer.value)


def test_a_loop_ends_and_others_go_on(nursery: Nursery) -> None:
    assert "too long" in tried(nursery, "    while True:\n        pass\n", seconds=3).lost
    assert tried(nursery, '    return {"ok": True}\n').get() == []


def test_the_container_has_no_network_no_rights_and_no_room(nursery: Nursery) -> None:
    """What holds even for code that had got round everything inside: seen at the engine while a trial runs."""
    seen = list[dict[str, Any]]()

    def look() -> None:
        client, deadline = docker.from_env(), time.monotonic() + 50
        while not seen and time.monotonic() < deadline:
            seen.extend(c.attrs for c in client.containers.list() if "legoenv_mcp.evolve.nursery" in c.attrs["Args"])

    watching = threading.Thread(target=look)
    watching.start()
    tried(nursery, "    while True:\n        pass\n", seconds=5)
    watching.join()
    host = seen[0]["HostConfig"]
    assert (host["NetworkMode"], host["ReadonlyRootfs"], host["CapDrop"]) == ("none", True, ["ALL"])
    assert host["PidsLimit"] > 0
    assert host["Memory"] > 0
    assert not host["Privileged"]
    writable = [m["Source"] for m in seen[0]["Mounts"] if m["RW"]]
    assert len(writable) == 1, json.dumps(writable)
    assert "legoenv-evolve-" in writable[0]
