"""The shipped catalogue: enough environments, well spread, each as its atoms say, and proven."""

import os
from collections import Counter
from functools import cache

import pytest

from legoenv_mcp import registry, worlds
from legoenv_mcp.controller import catalogue
from legoenv_mcp.controller.atoms import Intent, load_all
from legoenv_mcp.controller.compose import MOST_PER_STRUCTURE, structure
from legoenv_mcp.controller.derive import derive
from legoenv_mcp.controller.prove import Proof, prove
from legoenv_mcp.worlds import atoms_folders

SHIPPED = next(root / "catalogue" for root in atoms_folders() if (root / "catalogue").is_dir())
ENTRIES = {
    entry.id: entry
    for path in sorted(SHIPPED.glob("*.jsonl"))
    for entry in map(catalogue.Entry.model_validate_json, path.read_text(encoding="utf-8").splitlines())
}
# The nightly mode proves every environment; here, one in so many, and each whose atoms have changed since it was proven.
EVERY = int(os.environ.get("LEGOENV_PROVE_EVERY", "6"))
PARTS = 8


def stale() -> list[str]:
    lines = {line.id: line for line in catalogue.proof_lines().values()}
    return [name for name, e in ENTRIES.items() if name not in lines or lines[name].digest != catalogue.rests_on(e)]


SAMPLE = sorted({*sorted(ENTRIES)[::EVERY], *stale()})


@cache
def proof(name: str) -> Proof:
    return prove(derive(ENTRIES[name].recipe))


@pytest.mark.parametrize("part", range(PARTS))
def test_environments_are_proven_and_their_verifiers_refuse_near_misses(part: int) -> None:
    names = SAMPLE[part::PARTS]
    assert names
    failed = {n: [f"{c.rule} {c.name}: {c.detail}" for c in proof(n).failed] for n in names if not proof(n).proven}
    assert not failed
    played = sum(proof(n).mutants.played - proof(n).mutants.equivalent for n in names)
    killed = sum(proof(n).mutants.killed for n in names)
    assert played > 100
    assert killed >= 0.99 * played, f"{killed} of {played}"
    ways = [c for n in names for c in proof(n).checks if c.rule == "V10"]
    assert len(ways) >= 2 * len(names)
    assert all(c.passed for c in ways)


@pytest.mark.parametrize("part", range(PARTS))
def test_what_listings_show_is_what_the_atoms_make(part: int) -> None:
    for name in SAMPLE[part::PARTS]:
        entry = ENTRIES[name]
        made = derive(entry.recipe)
        assert (made.id, made.title, made.apps, made.difficulty) == (name, entry.title, entry.apps, entry.difficulty)
        assert structure(entry.recipe, made) == entry.structure


def share(test: object) -> float:
    assert callable(test)
    return sum(bool(test(e)) for e in ENTRIES.values()) / len(ENTRIES)


def test_there_are_enough_and_they_are_spread() -> None:
    assert len(ENTRIES) >= 1200
    assert share(lambda e: len(e.apps) >= 2) >= 0.4
    assert share(lambda e: len(e.apps) >= 4) >= 0.15
    assert share(lambda e: e.rules) >= 0.35
    assert share(lambda e: e.traps) >= 0.35
    apps = Counter(slug for e in ENTRIES.values() for slug in e.apps)
    shipped = [a.slug for a in registry.apps() if "sample_apps" not in registry.folder(a.slug).parts]
    assert {slug: apps[slug] for slug in shipped if apps[slug] < 30} == {}
    assert {slug: n for slug, n in apps.items() if n > 0.15 * len(ENTRIES)} == {}
    assert max(Counter(e.structure for e in ENTRIES.values()).values()) <= MOST_PER_STRUCTURE
    assert {e.difficulty for e in ENTRIES.values()} == {1, 2, 3, 4, 5}
    assert {e.recipe.world for e in ENTRIES.values()} == {w.id for w in worlds.worlds()} - {"empty"}


def test_every_intent_takes_part() -> None:
    used = Counter(e.recipe.intent for e in ENTRIES.values())
    assert [name for name in load_all(Intent) if not used[name]] == []
    assert max(used.values()) <= 0.05 * len(ENTRIES)


def test_the_environments_of_one_intent_differ_in_their_instructions() -> None:
    by_intent: dict[str, list[str]] = {}
    for name in SAMPLE:
        by_intent.setdefault(ENTRIES[name].recipe.intent, []).append(derive(ENTRIES[name].recipe).instruction)
    assert all(len(set(texts)) == len(texts) for texts in by_intent.values())
