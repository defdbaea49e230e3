"""Which contenders are compared, and how each peer is had."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench import inprocess
from bench.contender import Contender
from bench.install import Installed, NotToBeHad, node_peer, python_peer
from bench.ours import OverMcp, OverOpenEnv, OverRest
from bench.peers import Bare, Emulate, FastApiMcp, FastMcp, OpenEnv
from bench.services import SERVICES

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Pair:
    """One comparison. `key` is what `--only` takes; several pairs may share one."""

    key: str
    wire: str
    peer: str
    about: str
    install: Callable[[Path, Report], Installed | None]
    ours: Callable[[], Contender]
    theirs: Callable[[Installed | None], Contender]


def pairs() -> Iterator[Pair]:
    def python(name: str, dependencies: bool = True) -> Callable[[Path, Report], Installed]:
        return lambda cache, report: python_peer(name, cache, report, dependencies)

    def there(installed: Installed | None) -> Installed:
        assert installed is not None
        return installed

    yield Pair(
        "bare", "MCP", "bare mcp server", "answers fixed payloads: the floor",
        lambda cache, report: None, OverMcp, lambda _: Bare(),
    )  # fmt: skip
    yield Pair(
        "fastmcp", "MCP", "FastMCP", "a shelf over sqlite3 in memory, one for all clients",
        python("fastmcp"), OverMcp, lambda made: FastMcp(there(made)),
    )  # fmt: skip
    yield Pair(
        "fastapi-mcp", "MCP", "FastAPI + fastapi-mcp",
        "the Agent World Model's shape: SQLAlchemy on a file, for which each write waits; a process an episode",
        python("fastapi-mcp"), OverMcp, lambda made: FastApiMcp(there(made)),
    )  # fmt: skip
    yield Pair(
        "openenv", "OpenEnv's web socket", "OpenEnv", "an MCPEnvironment over the same shelf",
        python("openenv"), OverOpenEnv, lambda made: OpenEnv(there(made)),
    )  # fmt: skip
    for service in SERVICES:
        yield Pair(
            "emulate", "REST", f"emulate: {service.name}", "an emulator in Node.js, its state in memory",
            lambda cache, report: node_peer("emulate", cache, report),
            lambda service=service: OverRest(service), lambda made, service=service: Emulate(there(made), service),
        )  # fmt: skip
    yield Pair(
        "tau2", "in process", "tau2 retail", "objects in memory; ours is Shopify",
        python("tau2", False), inprocess.ours, lambda made: inprocess.tau2(there(made)),
    )  # fmt: skip


KEYS = tuple(dict.fromkeys(pair.key for pair in pairs()))


def own_versions() -> dict[str, str]:
    return {name: version(name) for name in ("legoenv", "mcp", "uvicorn")}


__all__ = ["KEYS", "NotToBeHad", "Pair", "own_versions", "pairs"]
