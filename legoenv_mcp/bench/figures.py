"""The figures: each measured beside its floor."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from legoenv_mcp import registry, servers, templates
from legoenv_mcp.bench.clock import in_turn, median, now
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.environments import load
from legoenv_mcp.controller.plans import play, resolve
from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.kernel.template import connect

ENVIRONMENT = "refund_within_policy"
"""The environment whose plan is the workload: real reads and writes over several apps."""

OWN_APPS = Path(__file__).parent / "servers"
"""The plainest app, which shows what the kernel and the connections cost."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. `floor` and `ratio` are None where nothing comparable exists; `aim` says what we mean to reach."""

    name: str
    value: float
    unit: str
    floor: float | None = None
    floor_name: str = ""
    aim: str = ""

    @property
    def ratio(self) -> float | None:
        return self.value / self.floor if self.floor else None

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio}


def run(report: Callable[[str], None] = lambda _: None, *, quick: bool = False) -> list[Figure]:
    """Measures everything. `report` hears what is being measured; `quick` takes a tenth of the rounds, for a smoke test."""
    from legoenv_mcp.bench import connections, evaluation, processes, proofs  # noqa: PLC0415 - the MCP SDK takes a second to import

    servers.__path__.append(str(OWN_APPS))
    rounds = 20 if quick else 200
    environment = load(ENVIRONMENT)
    figures = list[Figure]()
    for name, measure in (
        ("forks", lambda: _forks(environment, rounds)),
        ("the kernel", lambda: _kernel(rounds)),
        ("calls in process", lambda: _calls(environment, rounds)),
        ("episodes", lambda: _episodes(environment, max(5, rounds // 4))),
        ("proofs", lambda: proofs.measure(4 if quick else 24)),
        ("MCP connections", lambda: connections.measure(rounds)),
        ("evaluation", lambda: evaluation.measure(8 if quick else 128)),
        ("processes", lambda: processes.measure(3 if quick else 7)),
    ):
        report(name)
        figures += measure()
    return figures


def _forks(environment: Environment, rounds: int) -> list[Figure]:
    found = list[Figure]()
    for slug in environment.apps:
        template = templates.template(slug, environment.world)
        image = template.image
        first = f'SELECT count(*) FROM "{next(iter(template.app.shapes))}"'

        def ours(template: Any = template, first: str = first) -> None:
            connection = template.fork()
            connection.execute(first)
            connection.close()

        def bare(image: bytes = image, first: str = first) -> None:
            connection = sqlite3.connect(":memory:")
            connection.deserialize(image)
            connection.execute(first)
            connection.close()

        mine, floor = in_turn((ours, bare), rounds)
        size = f"{len(image) / 1024:.0f} KiB"
        found.append(
            Figure(f"fork {slug} ({size})", median(mine) * 1e3, "ms", median(floor) * 1e3, "bare deserialize", "< 1 ms")
        )
    return found


CALLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("get", "get_item", {"id": "it_0500"}),
    ("list of 20", "list_items", {"kind": "b"}),
    ("update", "update_item", {"id": "it_0500", "name": "Renamed", "amount": 5}),
    ("add", "add_item", {"name": "New", "kind": "c", "amount": 1.5}),
)


def _kernel(rounds: int) -> list[Figure]:
    """The dispatcher over the plainest app: validation, transaction, rendering and journal above the same SQL."""
    found = list[Figure]()
    for name, tool, arguments in CALLS:
        live, bare = templates.episode(["shelf"], "empty").app("shelf"), _bare_fork("shelf", "empty")
        live.fork()
        statements = _statements(live, tool, arguments)
        if tool == "add_item":  # so that the same row can go in again
            statements = ["ROLLBACK" if s == "COMMIT" else s for s in statements]

        def floor(bare: sqlite3.Connection = bare, statements: list[str] = statements) -> None:
            for statement in statements:
                bare.execute(statement).fetchall()

        mine, floors = in_turn((lambda live=live, tool=tool, given=arguments: live.call(tool, given), floor), rounds, 5)
        base = median(floors) * 1e6
        found.append(Figure(f"call in process: {name}", median(mine) * 1e6, "µs", base, "the same SQL, bare sqlite3"))
        found.append(Figure(f"  kernel overhead: {name}", median(mine) * 1e6 - base, "µs", None, "", "< 150 µs"))
    return found


def _statements(live: LiveApp, tool: str, arguments: dict[str, Any]) -> list[str]:
    """The SQL that a call runs, parameters written out."""
    statements = list[str]()
    live.store.connection.set_trace_callback(statements.append)
    live.call(tool, arguments)
    live.store.connection.set_trace_callback(None)
    return statements


def _calls(environment: Environment, rounds: int) -> list[Figure]:
    """Each step of the reference plan on fresh forks, beside its own SQL: what is above the floor is the product's behaviour."""
    times = {s.step: list[float]() for s in environment.plan}
    floors = {s.step: list[float]() for s in environment.plan}
    traced = _trace(environment)
    for _ in range(rounds):
        episode = environment.episode()
        replies = dict[str, Any]()
        for step in environment.plan:
            arguments = resolve(step.arguments, replies)
            live = episode.app(step.app)
            live.fork()  # on both sides the copy is made before the clock starts
            start = now()
            reply = live.call(step.tool, arguments)
            times[step.step].append(now() - start)
            replies[step.step] = reply.body
        episode.close()
        bare = {slug: _bare_fork(slug, environment.world) for slug in environment.apps}
        for step in environment.plan:
            statements, connection = traced[step.step], bare[step.app]
            start = now()
            for statement in statements:
                connection.execute(statement).fetchall()
            floors[step.step].append(now() - start)
        for connection in bare.values():
            connection.close()
    found = list[Figure]()
    for step in environment.plan:
        kind = "read" if registry.load(step.app).operations[step.tool].reads else "write"
        mine, floor = median(times[step.step]) * 1e6, median(floors[step.step]) * 1e6
        name = f"{kind} {step.app}.{step.tool} ({len(traced[step.step])} statements)"
        found.append(Figure(name, mine, "µs", floor, "the same SQL, bare sqlite3"))
    return found


def _bare_fork(slug: str, world: str) -> sqlite3.Connection:
    template = templates.template(slug, world)
    connection = connect(template.app)
    connection.deserialize(template.image)
    return connection


def _trace(environment: Environment) -> dict[str, list[str]]:
    """The SQL that each step of the plan runs."""
    episode, found, replies = environment.episode(), dict[str, list[str]](), dict[str, Any]()
    for step in environment.plan:
        live, arguments = episode.app(step.app), resolve(step.arguments, replies)
        live.fork()
        statements = found.setdefault(step.step, [])
        live.store.connection.set_trace_callback(statements.append)
        replies[step.step] = live.call(step.tool, arguments).body
        live.store.connection.set_trace_callback(None)
    episode.close()
    return found


def _episodes(environment: Environment, rounds: int) -> list[Figure]:
    """A whole episode: forks, the reference plan, the verdict; and grading alone."""

    def whole() -> None:
        episode = environment.episode()
        play(environment.plan, episode)
        environment.grade(episode, environment.answer)
        episode.close()

    played = environment.episode()
    play(environment.plan, played)
    (times,) = in_turn((whole,), rounds)
    (grading,) = in_turn((lambda: environment.grade(played, environment.answer),), rounds)
    durable = list[float]()
    for _ in range(max(5, rounds // 4)):
        folder = Path(tempfile.mkdtemp())
        episode = environment.episode(folder)
        start = now()
        play(environment.plan, episode)
        durable.append(now() - start)
        episode.close()
        shutil.rmtree(folder)
    return [
        Figure(f"episode: fork, {len(environment.plan)} calls, grade", median(times) * 1e3, "ms"),
        Figure("episodes an hour and core", 3600 / median(times), ""),
        Figure("grade", median(grading) * 1e3, "ms", None, "", "< 5 ms"),
        Figure("the same plan with --db (durable)", median(durable) * 1e3, "ms"),
    ]
