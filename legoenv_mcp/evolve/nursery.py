"""Processes in which patches are tried: the controller's own never imports an app that a patch has touched.

A nursery is one process that has imported the library and the fleet as it is. For every job it forks a child, which sees the fleet with
the job's patch laid over it, imports what the patch touches anew, works, and leaves its answer in a file.
"""

import contextlib
import gc
import importlib
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from legoenv_mcp import registry, templates
from legoenv_mcp.controller import catalogue
from legoenv_mcp.controller.atoms import Intent, load
from legoenv_mcp.controller.scene import world_ids, world_names
from legoenv_mcp.evolve import confine
from legoenv_mcp.evolve.fleet import Edit, lay_over, link_cache

PACKAGE = "legoenv_mcp.evolve."
SECONDS = 900
Trials = Literal["auto", "container", "process"]
_WORDS = ("-m", "legoenv_mcp.evolve.nursery")
log = logging.getLogger("legoenv.evolve")


class NoBox(RuntimeError):
    """There is no container to be had (boxes.py); the message is one line that says why."""


class Lost(RuntimeError):
    """A job gave no answer: it was killed, ran out of time or of memory; the message says which."""


@dataclass(frozen=True)
class Job:
    """`work` is a function of this package, `module.function`, that takes `args` and returns JSON data. `edits` are laid over the fleet.

    `confined`: the patch is nobody's word yet: no network, no files beyond what it needs, limits (confine.py).
    """

    work: str
    args: dict[str, Any] = field(default_factory=dict[str, Any])
    edits: tuple[Edit, ...] = ()
    confined: bool = False
    seconds: int = SECONDS


@dataclass(frozen=True)
class Answer:
    """What became of a job: its value, or why there is none."""

    value: Any = None
    lost: str = ""

    def get(self) -> Any:
        """The value. Lost where there is none."""
        if self.lost:
            raise Lost(self.lost)
        return self.value


class Nursery:
    """Runs jobs in children, `jobs` at a time. Use as a context manager.

    trials: where confined jobs run: in a `container` (boxes.py; NoBox where there is none to be had), in a `process` of this system, or
    `auto`: in a container where one can be had.
    """

    def __init__(self, jobs: int = 0, trials: Trials = "auto") -> None:
        self.jobs = jobs or os.cpu_count() or 1
        self.trials: Trials = trials
        self._open: subprocess.Popen[str] | None = None
        self._boxed: subprocess.Popen[str] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="legoenv-evolve-")

    def __enter__(self) -> "Nursery":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running():
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
            process.wait()
            process.stdout.close()  # pyright: ignore[reportOptionalMemberAccess]
        self._folder.cleanup()

    def _running(self) -> list[subprocess.Popen[str]]:
        return list({id(p): p for p in (self._open, self._boxed) if p is not None}.values())

    def _started(self, confined: bool) -> subprocess.Popen[str]:
        if confined and self.trials != "process":
            if self._boxed is None:
                self._boxed = self._in_a_box() or self._started(False)
            return self._boxed
        if self._open is None:
            self._open = _begun([sys.executable, *_WORDS, str(self.jobs)])
        return self._open

    def _in_a_box(self) -> subprocess.Popen[str] | None:
        """A nursery in a container, once it has answered. None where there is none to be had, and none is demanded."""
        from legoenv_mcp.evolve import boxes  # noqa: PLC0415 - the engine's client: a nursery itself has no use for it

        try:
            process = _begun(boxes.command(Path(self._folder.name), [*_WORDS, str(self.jobs)]))
            if self._ask(process, "here") != "here":
                process.wait()
                raise NoBox("the container in which patches are tried did not start")
        except NoBox as error:
            if self.trials == "container":
                raise
            self.trials = "process"
            log.warning("patches are tried in a process of this system: %s", error)
            return None
        self.trials = "container"
        return process

    @staticmethod
    def _ask(process: subprocess.Popen[str], word: str) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(word) + "\n")
            process.stdin.flush()
        return process.stdout.readline().strip()

    def look_again(self, paths: Sequence[str]) -> None:
        """These files of the fleet have changed (`servers/...`, `atoms_db/...`): what they bear on is read anew."""
        for process in self._running():
            assert process.stdin is not None
            process.stdin.write(json.dumps({"again": list(paths)}) + "\n")
            process.stdin.flush()

    def run(self, jobs: Sequence[Job]) -> Iterator[Answer]:
        """The answers in the order of the jobs, when all are there: who takes only some, or asks for other work between, mixes none up."""
        if not jobs:
            return
        process = self._started(any(job.confined for job in jobs))
        assert process.stdin is not None
        assert process.stdout is not None
        with tempfile.TemporaryDirectory(dir=self._folder.name) as folder:
            lines = list[str]()
            laid = dict[tuple[Edit, ...], dict[str, str]]()
            for number, job in enumerate(jobs):
                if job.edits and job.edits not in laid:
                    home = Path(folder) / f"patch{len(laid)}"
                    home.mkdir()
                    seen = lay_over(job.edits, home)
                    cache = home / "cache"
                    cache.mkdir()
                    link_cache(cache)
                    laid[job.edits] = {**seen, "LEGOENV_CACHE": str(cache)}
                lines.append(
                    json.dumps(
                        {
                            "number": number,
                            "work": job.work,
                            "args": job.args,
                            "environ": laid.get(job.edits, {}),
                            "seconds": job.seconds,
                            "confined": job.confined,
                            "touched": sorted({e.path for e in job.edits}),
                            "answer": str(Path(folder) / f"answer{number}.json"),
                        }
                    )
                )
            process.stdin.write(json.dumps(len(lines)) + "\n" + "\n".join(lines) + "\n")
            process.stdin.flush()
            known = dict[int, Answer]()
            while len(known) < len(jobs):
                line = process.stdout.readline()
                if not line:
                    raise Lost("the process that tries patches has ended")
                said = json.loads(line)
                known[said["number"]] = _answer(Path(folder) / f"answer{said['number']}.json", said["lost"])
        yield from (known[number] for number in range(len(jobs)))

    def one(self, job: Job) -> Answer:
        return next(self.run([job]))


def _begun(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")


def _answer(path: Path, lost: str) -> Answer:
    if not lost:
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            return Answer(said.get("value"), said.get("lost", ""))
        except (OSError, ValueError, AttributeError):
            lost = "it left no answer"
    return Answer(lost=lost)


# The nursery's own side


def _serve(most: int) -> None:
    for name in ("accept", "examine", "schema"):
        importlib.import_module(PACKAGE + name)
    logging.getLogger("legoenv").setLevel(
        logging.CRITICAL
    )  # a patch that fails is a signal, not an event of this process
    while line := sys.stdin.readline():
        asked = json.loads(line)
        if isinstance(asked, str):
            sys.stdout.write(asked + "\n")
            sys.stdout.flush()
            continue
        if isinstance(asked, dict):
            _forget(asked["again"])
            continue
        waiting = [json.loads(sys.stdin.readline()) for _ in range(asked)]
        for job in waiting:
            _ready(job["args"].get("ids", []))
        gc.freeze()  # what is there now is shared, not copied by each child's collections
        running = dict[int, tuple[int, float]]()
        while waiting or running:
            while waiting and len(running) < most:
                job = waiting.pop(0)
                running[_spawn(job)] = (job["number"], time.monotonic() + job["seconds"])
            _reap(running)


def _ready(ids: Sequence[str]) -> None:
    """Reads atoms and worlds and imports apps of these environments, so that no child need: but what a patch touches, each its own."""
    entries = catalogue.entries()
    for name in ids:
        if name in entries:
            # What is broken in the fleet is a signal, which a child reports.
            with contextlib.suppress(Exception):
                world_names(entries[name].recipe.world)
                for slug in entries[name].apps:
                    registry.load(slug)
                    _ = templates.template(slug, entries[name].recipe.world).refs
                load(Intent, entries[name].recipe.intent)


def _forget_and_keep_templates(paths: Sequence[str]) -> None:
    """Forgets; but where a patch touches operations only, which fill nothing, the app's templates are what they were."""
    by_app = dict[str, list[str]]()
    for path in paths:
        if path.startswith("servers/"):
            by_app.setdefault(path.split("/")[1], []).append(path.split("/")[2])
    same = [slug for slug, parts in by_app.items() if set(parts) <= {"evolved"}]
    hashes = {(slug, world): templates.template_hash(slug, world) for slug in same for world in _worlds(slug)}
    _forget(paths)
    for (slug, world), old in hashes.items():
        new = templates.template_hash(slug, world)
        folder = registry.cache_folder() / "templates"
        with contextlib.suppress(OSError):
            os.link(folder / f"{slug}-{world}-{old}.sqlite", folder / f"{slug}-{world}-{new}.sqlite")


def _worlds(slug: str) -> set[str]:
    """The worlds that there are templates of the app for."""
    return {p.name.split("-")[1] for p in (registry.cache_folder() / "templates").glob(f"{slug}-*.sqlite")}


def _forget(paths: Sequence[str]) -> None:
    """Makes this process read anew what lies at these paths, and all that is derived from it."""
    touched = {p.split("/")[1] for p in paths if p.startswith("servers/")}
    worlds = any(p.startswith("atoms_db/worlds") for p in paths)
    for name, module in list(sys.modules.items()):
        if name.startswith("legoenv_mcp.servers."):
            if name.split(".")[2] in touched:
                del sys.modules[name]
            continue
        if not name.startswith("legoenv_mcp.controller." if not touched and not worlds else "legoenv_mcp."):
            continue
        for one in list(vars(module).values()):
            mine = hasattr(one, "cache_clear") and getattr(one, "__module__", "") == name
            if mine and (worlds or one not in (world_names, world_ids)):
                one.cache_clear()
    importlib.invalidate_caches()


def _spawn(job: dict[str, Any]) -> int:
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    os.setpgid(0, 0)
    _child(job)
    os._exit(0)


def _reap(running: dict[int, tuple[int, float]]) -> None:
    """Reports the children that have ended, and ends those whose time is up, with all that they began."""
    pid, status = os.waitpid(-1, os.WNOHANG)
    if pid == 0:
        now = time.monotonic()
        for late in [p for p, (_, end) in running.items() if now > end]:
            _end(late)
            os.waitpid(late, 0)
            _report(running.pop(late)[0], "it took too long")
        time.sleep(0.01)
        return
    if pid in running:
        number, _ = running.pop(pid)
        _end(pid)  # what it may have left behind
        killed = f"it was ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else ""
        _report(number, killed or (f"it ended with status {os.WEXITSTATUS(status)}" if os.WEXITSTATUS(status) else ""))


def _end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _report(number: int, lost: str) -> None:
    sys.stdout.write(json.dumps({"number": number, "lost": lost}) + "\n")
    sys.stdout.flush()


def _child(job: dict[str, Any]) -> None:
    """Does the job. Whatever goes wrong in it is its answer."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2 if not job["confined"] else null, 1)
    answer = Path(job["answer"])
    try:
        os.environ.update(job["environ"])
        if path := job["environ"].get("LEGOENV_SERVERS"):
            servers = importlib.import_module("legoenv_mcp.servers")
            servers.__path__[:0] = [p for p in path.split(os.pathsep) if p not in servers.__path__]
        if job["touched"]:
            _forget_and_keep_templates(job["touched"])
        module, _, function = job["work"].rpartition(".")
        work = getattr(importlib.import_module(PACKAGE + module), function)
        with open(answer, "w", encoding="utf-8") as file:
            if job["confined"]:
                confine.enter(answer.parent, seconds=job["seconds"])
            value = work(**job["args"])
            json.dump({"value": value}, file)
    except BaseException as error:  # noqa: BLE001 - a patch may raise anything, SystemExit too
        last = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
        answer.write_text(json.dumps({"lost": said}), encoding="utf-8")


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
