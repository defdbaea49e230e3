"""`legoenv bench --load`: a real gateway under many clients for minutes, and what it did: calls, errors, memory, stray rows.

Clients are other processes. Every row they write carries its episode's mark, and whatever an episode shows is searched for others'.
"""

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from legoenv_mcp.bench.load_calls import WORK
from legoenv_mcp.bench.load_client import Orders

CLI = [sys.executable, "-m", "legoenv_mcp.cli"]
_APPS = (("stripe", "slack"), ("hubspot", "gmail"), ("zendesk", "slack"), ("trello", "github"), ("github", "slack"))
_ENVIRONMENTS = 8
"""Different environments among the episodes, one for forty at most: training opens each many times."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is asked of the gateway. `limit`: its --max-episodes; `words`: further options of its; `processes`: the clients'."""

    episodes: int = 1000
    clients: int = 64
    seconds: float = 600
    limit: int = 0
    words: tuple[str, ...] = ()
    processes: int = 2


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds until the answer was there."""

    kind: str
    calls: int
    p50: float
    p95: float
    p99: float
    longest: float


@dataclass
class Report:
    """What was seen. Memory in MB of the gateway's resident set: before the first episode, with all open and nothing
    written yet, at most, at the end; and what each open episode has added."""

    load: Load
    seconds: float = 0
    calls: int = 0
    latencies: list[Latency] = field(default_factory=list[Latency])
    ours: Counter[str] = field(default_factory=Counter[str])
    back_pressure: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    violations: list[str] = field(default_factory=list[str])
    open: int = 0
    unopened: int = 0
    memory: dict[str, float] = field(default_factory=dict[str, float])
    samples: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    log: str = ""

    @property
    def rate(self) -> float:
        return self.calls / self.seconds if self.seconds else 0.0

    @property
    def passed(self) -> bool:
        """No error of ours, nothing refused that should have worked, no row in another episode."""
        return not self.ours and not self.refused and not self.violations and self.calls > 0

    def as_json(self) -> dict[str, Any]:
        shown = {**vars(self), "load": asdict(self.load), "latencies": [asdict(one) for one in self.latencies]}
        return {**shown, "calls_per_second": self.rate, "passed": self.passed}


def run(load: Load, report: Callable[[str], None] = lambda _: None) -> Report:
    """Puts the load on a gateway of its own. `report` hears what is going on, once a second."""
    made = Report(load)
    limit = load.limit or load.episodes
    with _gateway("--max-episodes", str(limit), *load.words) as (url, process, log):
        memory = _Memory(process.pid)
        with _clients(load, url) as clients:
            made.memory["start"] = memory.now()
            began = time.monotonic()
            for client in clients:
                _awaited(client, "open", lambda: report(f"opening episodes: {memory.now():,.0f} MB"))
            made.memory["open"], made.memory["opening_seconds"] = memory.now(), time.monotonic() - began
            began = time.monotonic()
            for client in clients:
                _say(client, "go")
            outputs: list[threading.Thread] = []
            results = dict[int, dict[str, Any]]()
            for number, client in enumerate(clients):
                outputs.append(threading.Thread(target=_collect, args=(number, client, results)))
                outputs[-1].start()
            while any(thread.is_alive() for thread in outputs):
                time.sleep(min(1.0, load.seconds / 20))
                now, passed = memory.now(), time.monotonic() - began
                made.samples.append((round(passed, 1), round(now, 1)))
                report(f"{passed:.0f} of {load.seconds:.0f} s, {now:,.0f} MB")
            made.seconds = time.monotonic() - began
        made.memory["end"], made.memory["peak"] = memory.now(), memory.peak()
        if process.poll() is not None:
            made.ours["the gateway ended"] += 1
        made.log = log.read_text(encoding="utf-8", errors="replace")[:4000]
    _sum_up(made, [results[number] for number in sorted(results)])
    if len(results) < load.processes:
        made.ours["a client process ended early"] += load.processes - len(results)
    made.memory["mb_per_episode"] = (made.memory["end"] - made.memory["open"]) / max(1, made.open)
    return made


def _sum_up(made: Report, results: Sequence[dict[str, Any]]) -> None:
    times = dict[str, list[int]]()
    for seen in results:
        for kind, found in seen["latencies"].items():
            times.setdefault(kind, []).extend(found)
        for name in ("ours", "back_pressure", "refused"):
            getattr(made, name).update(seen[name])
        made.violations += seen["violations"]
        made.open += seen["open"]
        made.unopened += seen["unopened"]
    for kind in sorted(times):
        found = sorted(times[kind])
        at = [found[min(len(found) - 1, int(len(found) * q))] / 1e3 for q in (0.5, 0.95, 0.99)]
        made.latencies.append(Latency(kind, len(found), at[0], at[1], at[2], found[-1] / 1e3))
    made.calls = sum(latency.calls for latency in made.latencies)


# Processes


@contextmanager
def _gateway(*words: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]", Path]]:
    """Its address, the process, and where its log goes: a file, since a pipe that nobody empties would stop it."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as file:
            process = subprocess.Popen([*CLI, "gateway", "--port", "0", *words], stderr=file)
        try:
            while not (found := re.search(r"gateway at (http://\S+)", log.read_text(encoding="utf-8"))):
                if process.poll() is not None:
                    raise RuntimeError(f"the gateway did not start: {log.read_text(encoding='utf-8').strip()}")
                time.sleep(0.05)
            yield found[1], process, log
        finally:
            process.kill()
            process.wait()


@contextmanager
def _clients(load: Load, url: str) -> "Iterator[list[subprocess.Popen[str]]]":
    bundles, processes = (
        _bundles(max(1, min(_ENVIRONMENTS, load.episodes // 40))),
        max(1, min(load.processes, load.clients)),
    )
    started = list[subprocess.Popen[str]]()
    try:
        for number in range(processes):
            first = load.clients * number // processes
            count = load.clients * (number + 1) // processes - first
            orders = Orders(url, first, count, load.clients, load.episodes, load.seconds, bundles)
            words = [sys.executable, "-m", "legoenv_mcp.bench.load_client"]
            started.append(subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            _say(started[-1], json.dumps(asdict(orders)))
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()


def _bundles(environments_used: int) -> list[dict[str, Any]]:
    """Two episodes in three are over apps, one is an environment's, as training has them."""
    from legoenv_mcp.controller import environments  # noqa: PLC0415 - takes a moment

    fit = [one for one in environments.listed() if set(one.apps) & set(WORK)]
    chosen = fit[:: max(1, len(fit) // environments_used)][:environments_used]
    made = list[dict[str, Any]]()
    for number, one in enumerate(chosen):
        for apps in (_APPS[2 * number % len(_APPS)], _APPS[(2 * number + 1) % len(_APPS)]):
            made.append({"ask": {"apps": apps}, "app": next(slug for slug in apps if slug in WORK)})
        made.append({"ask": {"environment": one.id}, "app": next(slug for slug in one.apps if slug in WORK)})
    return made


def _say(client: "subprocess.Popen[str]", text: str) -> None:
    assert client.stdin is not None
    client.stdin.write(text + "\n")
    client.stdin.flush()


def _awaited(client: "subprocess.Popen[str]", word: str, meanwhile: Callable[[], None]) -> None:
    assert client.stdout is not None
    lines = list[str]()
    thread = threading.Thread(target=lambda pipe: lines.append(pipe.readline()), args=(client.stdout,))
    thread.start()
    while thread.is_alive():
        thread.join(0.5)
        meanwhile()
    if lines[0].strip() != word:
        raise RuntimeError("a client process failed; what it said is above")


def _collect(number: int, client: "subprocess.Popen[str]", results: dict[int, dict[str, Any]]) -> None:
    assert client.stdout is not None
    if text := client.stdout.readline():
        results[number] = json.loads(text)


class _Memory:
    """The resident memory of a process, in MB."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self._last = dict[str, float]()

    def _read(self, name: str) -> float:
        try:
            lines = self._status.read_text(encoding="utf-8").splitlines()
            self._last[name] = int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024
        except (OSError, StopIteration):  # it has ended
            pass
        return self._last.get(name, 0.0)

    def now(self) -> float:
        return self._read("VmRSS")

    def peak(self) -> float:
        return self._read("VmHWM")
