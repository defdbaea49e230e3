"""Containers: how fast one answers, what an idle one holds in memory, how large images are, all apps at once."""

import json
import subprocess
import time
from collections.abc import Callable

from legoenv_mcp import registry
from legoenv_mcp.bench import figures
from legoenv_mcp.bench.clock import in_turn, median
from legoenv_mcp.fleet import images
from legoenv_mcp.fleet.containers import Fleet, Settings
from legoenv_mcp.fleet.engine import EngineError, connect

APP = "slack"
_RUN = ["docker", "run", "-i", "--rm", "--network", "none", "--read-only", "--tmpfs", "/tmp"]


def run(report: Callable[[str], None] = lambda _: None, *, quick: bool = False) -> list["figures.Figure"]:
    """Measures over the images that `legoenv fleet build --all` made. EngineError where they or the engine are missing."""
    report("starts")
    for slug in (APP, "runtime"):
        images.find(slug)
    floor = [*_RUN, "--entrypoint", "true", images.name(APP)]
    mine, bare = in_turn((_list_tools, lambda: subprocess.run(floor, check=True)), 3 if quick else 7)
    found = [
        figures.Figure(
            f"docker run {APP} until tools/list is answered",
            median(mine),
            "s",
            median(bare),
            "docker run, `true`",
            "< 1.5 s",
        )
    ]
    report("all apps at once")
    built = [slug for slug in registry.slugs() if _is_built(slug)]
    fleet = Fleet("legoenv-bench")
    try:
        start = time.perf_counter()
        fleet.up(built, Settings(), port=0)
        took = time.perf_counter() - start
        memory = [usage.memory / 2**20 for usage in fleet.stats()]
    finally:
        fleet.down(volumes=True)
    sizes = _over_base(built)
    return [
        *found,
        figures.Figure(f"{len(built)} apps up in parallel", took, "s"),
        figures.Figure("memory of an idle app container, median", median(memory), "MiB", None, "", "< 60 MB"),
        figures.Figure("memory of an idle app container, largest", max(memory), "MiB", None, "", "< 60 MB"),
        figures.Figure("an app's image over its base, largest", max(sizes.values()) / 1e6, "MB", None, "", "< 120 MB"),
        figures.Figure("of which its own layer, largest", max(_own_layer(slug) for slug in built) / 1e6, "MB"),
    ]


def _list_tools() -> None:
    """A container from nothing to its answer, over stdio as desktop clients do it."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    with subprocess.Popen([*_RUN, images.name(APP)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(asked).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        if not answer["result"]["tools"]:
            raise EngineError(f"{images.name(APP)} lists no tools")
        process.stdin.close()


def _is_built(slug: str) -> bool:
    try:
        images.find(slug)
    except EngineError:
        return False
    return True


def _over_base(slugs: list[str]) -> dict[str, int]:
    """Bytes of each app's image that are not its base's."""
    base = connect().images.get(connect().images.get(images.name("runtime")).labels[images.BASED_ON]).attrs["Size"]
    return {slug: images.find(slug).size - base for slug in slugs}


def _own_layer(slug: str) -> int:
    return images.find(slug).size - images.find("runtime").size
