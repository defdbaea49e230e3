"""`legoenv evolve --benchmark`: damages a copy of the fleet, lets evolution repair it in a process of its own, and measures both.

The copy is used through LEGOENV_SERVERS, LEGOENV_ATOMS and LEGOENV_CACHE; the checkout is never written to. What was damaged stays in
this process: the one that evolves gets the names of the environments and nothing else.
"""

import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.controller import atoms, catalogue
from legoenv_mcp.evolve import fleet
from legoenv_mcp.evolve.damage import KINDS
from legoenv_mcp.evolve.damage_ground import Damage, Ground, Standing
from legoenv_mcp.evolve.draw import Lot, chosen
from legoenv_mcp.evolve.nursery import Job, Nursery
from legoenv_mcp.worlds import atoms_folders

BEFORE = 0.72
"""Damage is done until no more than this share of the environments is solvable."""
MOST_AT_ONCE = 0.06
TRIES, FEW = 12, 24
STAGES = 4
"""How often a run tells what it has done."""
Told = Callable[[str], None]


@dataclass
class Outcome:
    """What a benchmark measured. Shares are of the chosen environments."""

    environments: int = 0
    apps: int = 0
    before: float = 1.0
    after: list[float] = field(default_factory=list[float])
    by_kind: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    lost: int = 0
    operations: dict[str, int] = field(default_factory=dict[str, int])
    evolution: dict[str, Any] = field(default_factory=dict[str, Any])

    def as_json(self) -> dict[str, Any]:
        return {
            "environments": self.environments,
            "apps": self.apps,
            "solvable_before": round(self.before, 4),
            "solvable_after": [round(x, 4) for x in self.after],
            "by_kind": self.by_kind,
            "lost": self.lost,
            "operations_restored": self.operations,
            "evolution": self.evolution,
        }


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the fleet that this process, and those it starts, use from here on."""
    with tempfile.TemporaryDirectory(prefix="legoenv-benchmark-") as name:
        home = Path(name)
        for slug in registry.slugs():
            shutil.copytree(registry.folder(slug), home / "servers" / slug)
        for root in reversed(atoms_folders()):
            shutil.copytree(root, home / "atoms_db", dirs_exist_ok=True)
        _merge_catalogues(home / "atoms_db" / "catalogue")
        (home / "cache").mkdir()
        fleet.link_cache(home / "cache")
        places = {"LEGOENV_SERVERS": "servers", "LEGOENV_ATOMS": "atoms_db", "LEGOENV_CACHE": "cache"}
        with fleet.laid_over(home, {name: str(home / folder) for name, folder in places.items()}):
            yield home


def _merge_catalogues(folder: Path) -> None:
    """Files of one name in several folders of atoms become one with all their lines, as the catalogue sees them."""
    held = dict[str, dict[str, None]]()
    for root in atoms_folders():
        for path in sorted((root / "catalogue").glob("*.jsonl")):
            held.setdefault(path.name, {}).update(dict.fromkeys(path.read_text(encoding="utf-8").splitlines()))
    for name, lines in held.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def examined(
    nursery: Nursery, ids: Sequence[str], *, calls: bool = False, edits: tuple[fleet.Edit, ...] = ()
) -> dict[str, Standing]:
    """The standing of each environment."""
    size = max(1, min(40, -(-len(ids) // nursery.jobs)))
    jobs = [
        Job("examine.examine", {"ids": list(ids[at : at + size]), "calls": calls}, edits)
        for at in range(0, len(ids), size)
    ]
    return {one["id"]: one for answer in nursery.run(jobs) for one in answer.get()}


def damaged(nursery: Nursery, standings: dict[str, Standing], lot: Lot, before: float) -> list[Damage]:
    """Damages the copy, kind after kind, until the solvable share is `before`. Each instance breaks at least one environment that was
    whole, and not too many at once."""
    whole = {name: e for name, e in standings.items() if e["proven"]}
    total, done, vain = len(whole), list[Damage](), Counter[str]()
    most = max(3, int(MOST_AT_ONCE * total))
    kinds = lot.shuffled(sorted(KINDS))
    while kinds and len(whole) > before * total:
        kind = kinds.pop(0)
        made = _one(nursery, kind, whole, lot, most)
        if made is None:
            vain[kind] += 1
            if vain[kind] < 2:
                kinds.append(kind)
            continue
        kinds.append(kind)
        done.append(made)
        fleet.write(made.edits)
        atoms.forget()
        nursery.look_again([e.path for e in made.edits])
        for name in made.broken:
            whole.pop(name, None)
    return done


def _one(nursery: Nursery, kind: str, whole: dict[str, Standing], lot: Lot, most: int) -> Damage | None:
    for _ in range(TRIES):
        made = KINDS[kind](Ground(list(whole.values()), lot))
        if made is None:
            continue
        using = [name for name, e in whole.items() if _uses(e, made)]
        if not using or (len(using) > 3 * most and made.atom.kind != "server" and made.atom.kind != "data"):
            continue
        likely = sorted(lot.shuffled(using), key=lambda name, made=made: not _is_about(name, made))[: 3 * most + 8]
        # A few tell most of what is not worth proving them all. A world's change costs every app in it a new start state.
        first = FEW // 4 if made.atom.kind == "data" else FEW
        few = examined(nursery, likely[:first], edits=made.edits)
        ill = [name for name, e in few.items() if not e["proven"]]
        much = made.atom.kind != "data" and len(ill) * len(likely) > 2 * most * len(few)
        if not ill or much or _fall_over(few, ill):
            continue
        rest = likely[first:] if made.atom.kind != "data" else _ill(nursery, likely[first:], made.edits)
        found = {n: whole[n] for n in likely} | few | examined(nursery, rest, edits=made.edits)
        broken = tuple(sorted(name for name in likely if not found[name]["proven"]))
        if len(broken) <= most and not _fall_over(found, broken):
            return replace(made, broken=broken)
    return None


def _ill(nursery: Nursery, ids: Sequence[str], edits: tuple[fleet.Edit, ...]) -> list[str]:
    """Those whose reference plan does not go through. A row is in most environments' world and in few of their tasks: this tells the few at
    a tenth of what proofs cost."""
    size = max(1, -(-len(ids) // nursery.jobs))
    jobs = [Job("examine.look", {"ids": list(ids[at : at + size])}, edits) for at in range(0, len(ids), size)]
    return [one["id"] for answer in nursery.run(jobs) for one in answer.get() if one["signals"]]


def _is_about(name: str, made: Damage) -> bool:
    """Whether an environment's task is about the very row that is damaged."""
    entry = catalogue.entries().get(name)
    return (
        made.atom.kind == "data"
        and entry is not None
        and bool(set(entry.recipe.picks.values()) & set(made.what.split(" ")))
    )


def _fall_over(found: Mapping[str, Standing], broken: Sequence[str]) -> bool:
    """Whether an app falls over: that is a bug, which its own tests find."""
    return any(_falls_over(s) for name in broken for s in found[name]["signals"])


def _falls_over(signal: dict[str, Any]) -> bool:
    """Whether an app answers 5xx, or a world is no longer one: lint finds both, and neither is what evolution is for."""
    unread = signal["kind"] == "world" or re.match(r"[\w/]+\.csv:\d+: ", signal["detail"])
    return bool(unread) or signal["kind"] == "fault" or signal.get("status", 0) >= 500


def _uses(e: Standing, made: Damage) -> bool:
    atom = made.atom
    if atom.kind == "server":
        calls = {f"{c['app']}.{c['tool']}" for c in e.get("calls", ())}
        return made.what.split(" ")[0] in calls if "." in made.what.split(" ")[0] else atom.id in e["apps"]
    where = {
        "data": [e["world"]],
        "intent": [e["intent"]],
        "rule": e["rules"],
        "place": e["places"],
        "verifier": [e["intent"], *e["rules"]],
    }
    return atom.id in where[atom.kind]


def run(
    count: int,
    seed: str,
    rounds: int,
    *,
    before: float = BEFORE,
    backend: Sequence[str] = (),
    jobs: int = 0,
    tests: bool = True,
    tell: Told = print,
) -> Outcome:
    """The whole benchmark."""
    lot, outcome = Lot(seed), Outcome()
    with copied() as home, Nursery(jobs) as nursery:
        standings = examined(nursery, chosen(sorted(catalogue.entries()), count, seed), calls=True)
        standings = {name: e for name, e in standings.items() if e["proven"]}
        outcome.environments, outcome.apps = len(standings), len({a for e in standings.values() for a in e["apps"]})
        tell(f"{len(standings)} environments over {outcome.apps} apps are proven before any damage")
        done = damaged(nursery, standings, lot, before)
        found = examined(nursery, sorted(standings))
        solvable = {name for name, e in found.items() if e["proven"]}
        outcome.before = len(solvable) / max(1, len(standings))
        tell(f"{outcome.before:.1%} solvable after {len(done)} damages")
        history = [solvable]
        outcome.evolution = _evolved(home, sorted(standings), rounds, jobs, backend, tests)
        tell("evolved")
        history += [set(solved) for solved in outcome.evolution["solved"]]
        nursery.look_again([*(f"servers/{slug}/" for slug in registry.slugs()), "atoms_db/worlds/"])
        found = examined(nursery, sorted(standings))  # its word is not taken: the end is proven here
        history[-1] = {name for name, e in found.items() if e["proven"]}
        outcome.after = [len(solved) / max(1, len(standings)) for solved in history[1:]]
        outcome.lost = len(set[str]().union(*(a - b for a, b in itertools.pairwise(history))))
        tell(f"{outcome.after[-1]:.1%} solvable in the end")
        outcome.by_kind = _by_kind(done, history)
        outcome.operations = _operations(outcome.evolution)
        (home / "damage.json").write_text(json.dumps([d.what for d in done]), encoding="utf-8")
    return outcome


def _evolved(
    home: Path, ids: Sequence[str], rounds: int, jobs: int, backend: Sequence[str], tests: bool
) -> dict[str, Any]:
    """Rounds, as a user would run it, in a process that knows nothing of the damage."""
    names = home / "environments.txt"
    names.write_text("\n".join(ids) + "\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "legoenv_mcp.cli",
        "evolve",
        "--envs",
        str(names),
        "--rounds",
        str(rounds),
        "--json",
        *backend,
    ]
    command += ["--jobs", str(jobs)] if jobs else []
    command += [] if tests else ["--no-tests"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise RuntimeError(f"evolution ended with status {done.returncode}")
    return json.loads(done.stdout)


def _by_kind(done: Sequence[Damage], history: Sequence[set[str]]) -> dict[str, dict[str, Any]]:
    """Of each kind: how many instances, how many environments they broke, and how many of those were solvable after each round."""
    table = dict[str, dict[str, Any]]()
    for kind in KINDS:
        mine = [d for d in done if d.kind == kind]
        broken = {name for d in mine for name in d.broken}
        table[kind] = {
            "damages": len(mine),
            "environments": len(broken),
            "restored": [len(broken & solvable) for solvable in history[1:]],
            "unrestored": sorted(d.what for d in mine if not set(d.broken) <= history[-1]),
        }
    return table


def _operations(evolution: dict[str, Any]) -> dict[str, int]:
    """Operations that were accepted, and how many of the app's own tests that call them passed then."""
    mine = [p for p in evolution.get("accepted", ()) if p.get("tool")]
    return {
        "accepted": len(mine),
        "tests": sum(p.get("tests", 0) for p in mine),
        "tests_passed": sum(p.get("tests_passed", 0) for p in mine),
        "all_tests_passed": sum(bool(p.get("tests")) and p["tests"] == p["tests_passed"] for p in mine),
    }


def plot(outcome: Outcome) -> str:
    """The solvable share before and after each round, as an SVG picture."""
    shares = [("damaged", outcome.before), *((f"round {n}", x) for n, x in enumerate(outcome.after, 1))]
    width, height, left, top = 120 * len(shares) + 80, 300, 60, 30
    points = [(left + 60 + 120 * n, top + (1 - x) * 220) for n, (_, x) in enumerate(shares)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">'
    ]
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = top + (1 - share) * 220
        parts.append(
            f'<line x1="{left}" x2="{width - 20}" y1="{y}" y2="{y}" stroke="#ddd"/><text x="15" y="{y + 4}">{share:.0%}</text>'
        )
    parts.append(
        f'<polyline fill="none" stroke="#2a6" stroke-width="2" points="{" ".join(f"{x:.0f},{y:.0f}" for x, y in points)}"/>'
    )
    for (x, y), (name, share) in zip(points, shares, strict=True):
        parts.append(
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" fill="#2a6"/><text x="{x - 18:.0f}" y="{y - 9:.0f}">{share:.1%}</text>'
        )
        parts.append(f'<text x="{x - 24:.0f}" y="{top + 245}">{name}</text>')
    title = f"{outcome.environments} environments over {outcome.apps} apps: solvable share"
    return "\n".join([*parts, f'<text x="{left}" y="18">{title}</text>', "</svg>"]) + "\n"
