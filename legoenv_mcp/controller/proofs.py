"""Proofs that are kept: whether an environment's still stands, and proving many at once."""

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from legoenv_mcp import registry
from legoenv_mcp.controller import catalogue, environments
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.environments import Listed
from legoenv_mcp.controller.prove import Check, Proof, prove

T = TypeVar("T")
R = TypeVar("R")


def store(proof: Proof) -> None:
    """Keeps a proof beside the other derived files, for listings to show whether it still holds."""
    path = _path(proof.environment)
    path.parent.mkdir(parents=True, exist_ok=True)
    shown = proof.as_json() | {"digest": _digest(proof.environment, proof.atoms)}
    path.write_text(json.dumps(shown, indent=1), encoding="utf-8")


def keep_in(folder: Path, proofs: Sequence[Proof]) -> None:
    """Renews the proofs of a folder's catalogue: what is proven has its line, what is not loses it."""
    entries = catalogue.read_folder(folder)
    lines = [catalogue.proof_line(entries[p.environment], p) for p in proofs if p.proven and p.environment in entries]
    failed = {p.environment for p in proofs if not p.proven}
    catalogue.write_proofs(folder / "proofs.csv", lines, set(entries) - failed)


def standings(found: Sequence[Listed]) -> dict[str, str]:
    """Of each environment: `proven`, `failed`, `stale` (an atom has changed since) or `unproven`."""
    lines, entries = catalogue.proof_lines(), catalogue.entries()
    return {e.id: _standing(e.id, lines.get(e.id), entries.get(e.id)) for e in found}


def standing(environment: Environment) -> str:
    """The same of one."""
    return _standing(
        environment.id, catalogue.proof_lines().get(environment.id), catalogue.entries().get(environment.id)
    )


def _standing(name: str, line: "catalogue.ProofLine | None", entry: "catalogue.Entry | None") -> str:
    mine = kept(name)
    if mine is not None:
        now = catalogue.rests_on(entry) if entry else _digest(name, environments.load(name).atoms())
        if mine.get("digest") == now:
            return "proven" if mine.get("proven") else "failed"
        if line is None:
            return "stale"
    if line is None or entry is None:
        return "unproven"
    return "proven" if line.digest == catalogue.rests_on(entry) else "stale"


def _digest(name: str, atoms: dict[str, str]) -> str:
    entry = catalogue.entries().get(name)
    return catalogue.rests_on(entry) if entry else json.dumps(atoms, sort_keys=True)


def kept(environment_id: str) -> dict[str, Any] | None:
    """The stored proof, or None."""
    try:
        return json.loads(_path(environment_id).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _path(environment_id: str) -> Path:
    return registry.cache_folder() / "proofs" / f"{environment_id}.json"


def prove_one(environment_id: str) -> Proof:
    """Loads and proves one environment; that it cannot be derived any more is a failed check."""
    try:
        environment = environments.load(environment_id)
    except environments.UnknownEnvironment as error:
        return Proof(environment_id, {}, (Check("derive", "the environment can be derived", False, str(error)),))
    return prove(environment)


class Crew:
    """Processes that do the same work on many items; what they have loaded stays loaded from one batch to the next."""

    def __init__(self, jobs: int = 0) -> None:
        self.jobs = jobs or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """The results in the order of the items. The work begins at once where there is more than one process."""
        if self.jobs == 1:
            return map(work, items)
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.jobs, mp_context=multiprocessing.get_context("spawn"))
        return self._pool.map(work, items, chunksize=max(1, min(8, len(items) // (self.jobs * 4))))
