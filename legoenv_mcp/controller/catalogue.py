"""The catalogue of composed environments.

What ships are recipes, `catalogue/<intent>.jsonl` in an atoms folder, one a line, with what listings show; and `catalogue/proofs.csv`,
the digest of the atoms that each proof rests on. What somebody composes for himself goes into an SQLite file of the same content
(`legoenv compose --out`), by default the one in the cache folder.
"""

import csv
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from sqlmodel import Field, Session, SQLModel, create_engine, select

from legoenv_mcp import registry, worlds
from legoenv_mcp.controller import checks
from legoenv_mcp.controller.atoms import FOLDERS, Intent, Place, Rule, Strays, Trap, digests, load, load_all
from legoenv_mcp.controller.binding import claims
from legoenv_mcp.controller.prove import Proof
from legoenv_mcp.controller.recipes import Recipe
from legoenv_mcp.verify.model import Strict
from legoenv_mcp.worlds import atoms_folders


class Entry(Strict):
    """An environment of the catalogue: its recipe, and what is known of it without deriving it anew."""

    id: str
    title: str
    apps: tuple[str, ...]
    difficulty: int
    structure: str
    recipe: Recipe

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(use.rule for use in self.recipe.rules)

    @property
    def traps(self) -> tuple[str, ...]:
        return tuple(use.trap for use in self.recipe.traps)


class ProofLine(Strict):
    """A proof as it is kept: the digest of the atoms it rests on, and its figures."""

    id: str
    digest: str
    episodes: int
    played: int
    killed: int
    equivalent: int


class EnvironmentRow(SQLModel, table=True):
    """An environment in an SQLite catalogue."""

    __tablename__ = "environment"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    intent: str = Field(index=True)
    world: str
    apps: str
    difficulty: int
    entry: str
    proof: str


class RejectionRow(SQLModel, table=True):
    """A composition that was refused: which rule of composition or proof, which atom, and the counterexample."""

    __tablename__ = "rejection"  # pyright: ignore[reportAssignmentType]
    n: int | None = Field(default=None, primary_key=True)
    rule: str = Field(index=True)
    atom: str = Field(index=True)
    detail: str
    recipe: str


class AtomRow(SQLModel, table=True):
    """An atom as it was when the catalogue was written."""

    __tablename__ = "atom"  # pyright: ignore[reportAssignmentType]
    kind: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    version: int
    hash: str


TABLES = ("environment", "rejection", "atom")


def entries() -> dict[str, Entry]:
    """Every composed environment, by id: those that ship, and those of the cache's own catalogue."""
    found = dict[str, Entry]()
    for root in atoms_folders():
        for path in sorted((root / "catalogue").glob("*.jsonl")):
            for entry in _lines(path, path.stat().st_mtime_ns):
                found.setdefault(entry.id, entry)
    own = own_catalogue()
    if own.is_file():
        for entry, _ in read_database(own):
            found.setdefault(entry.id, entry)
    return found


@cache
def _lines(path: Path, _stamp: int) -> list[Entry]:
    return [Entry.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def proof_lines() -> dict[str, ProofLine]:
    """Every kept proof, by environment."""
    found = dict[str, ProofLine]()
    for root in atoms_folders():
        path = root / "catalogue" / "proofs.csv"
        if path.is_file():
            for line in _proofs(path, path.stat().st_mtime_ns):
                found.setdefault(line.id, line)
    own = own_catalogue()
    if own.is_file():
        for entry, proof in read_database(own):
            if proof is not None:
                found.setdefault(entry.id, proof)
    return found


@cache
def _proofs(path: Path, _stamp: int) -> list[ProofLine]:
    with path.open(encoding="utf-8", newline="") as file:
        return [ProofLine.model_validate(row) for row in csv.DictReader(file)]


def own_catalogue() -> Path:
    """Where `legoenv compose` writes unless told otherwise."""
    return registry.cache_folder() / "catalogue.sqlite"


def read_folder(folder: Path) -> dict[str, Entry]:
    """The entries of one folder's files."""
    return {e.id: e for path in sorted(folder.glob("*.jsonl")) for e in _lines(path, path.stat().st_mtime_ns)}


def write_folder(folder: Path, new: Iterable[Entry], proofs: Iterable[ProofLine]) -> None:
    """Adds entries to the files of an atoms folder's catalogue, and renews proofs."""
    folder.mkdir(parents=True, exist_ok=True)
    by_intent = dict[str, dict[str, Entry]]()
    for path in folder.glob("*.jsonl"):
        by_intent[path.stem] = {e.id: e for e in _lines(path, path.stat().st_mtime_ns)}
    for entry in new:
        by_intent.setdefault(entry.recipe.intent, {})[entry.id] = entry
    for intent, held in by_intent.items():
        lines = [held[name].model_dump_json(exclude_defaults=True) for name in sorted(held)]
        (folder / f"{intent}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    kept = {e.id for held in by_intent.values() for e in held.values()}
    write_proofs(folder / "proofs.csv", proofs, kept)


def write_proofs(path: Path, proofs: Iterable[ProofLine], kept: set[str]) -> None:
    """Renews the lines of these proofs and drops those of environments that are gone."""
    held = {line.id: line for line in (_proofs(path, path.stat().st_mtime_ns) if path.is_file() else [])}
    held.update({line.id: line for line in proofs})
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(ProofLine.model_fields), lineterminator="\n")
        writer.writeheader()
        writer.writerows(held[name].model_dump() for name in sorted(held) if name in kept)


def write_database(
    path: Path, new: Iterable[tuple[Entry, ProofLine | None]], rejections: Iterable[tuple[str, str, str, str]] = ()
) -> None:
    """Adds environments, rejections (rule, atom, detail, recipe) and the present atoms to an SQLite catalogue."""
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{path}")
    SQLModel.metadata.create_all(engine, [SQLModel.metadata.tables[name] for name in TABLES])
    with Session(engine) as session:
        for entry, proof in new:
            row = EnvironmentRow(
                id=entry.id, intent=entry.recipe.intent, world=entry.recipe.world, apps=json.dumps(entry.apps),
                difficulty=entry.difficulty, entry=entry.model_dump_json(), proof=proof.model_dump_json() if proof else "",
            )  # fmt: skip
            session.merge(row)
        for rule, atom, detail, recipe in rejections:
            session.add(RejectionRow(rule=rule, atom=atom, detail=detail, recipe=recipe))
        for model in FOLDERS:
            for name, atom in load_all(model).items():
                version: Any = getattr(atom, "version", 1)
                session.merge(AtomRow(kind=model.__name__.lower(), id=name, version=version, hash=digests(model)[name]))
        session.commit()
    engine.dispose()


def read_database(path: Path) -> list[tuple[Entry, ProofLine | None]]:
    """The environments of an SQLite catalogue, with their proofs."""
    engine = create_engine(f"sqlite:///{path}")
    try:
        with Session(engine) as session:
            rows = session.exec(select(EnvironmentRow).order_by(EnvironmentRow.id)).all()
            return [
                (Entry.model_validate_json(r.entry), ProofLine.model_validate_json(r.proof) if r.proof else None)
                for r in rows
            ]
    finally:
        engine.dispose()


def proof_line(entry: Entry, proof: Proof) -> ProofLine:
    m = proof.mutants
    return ProofLine(
        id=entry.id,
        digest=rests_on(entry),
        episodes=proof.episodes,
        played=m.played,
        killed=m.killed,
        equivalent=m.equivalent,
    )


def rests_on(entry: Entry) -> str:
    """The digest of all atoms that an environment's proof rests on, as they are now: it changes when one of them does."""
    intent = load(Intent, entry.recipe.intent) if entry.recipe.intent in load_all(Intent) else None
    checked = checks.digest(aim.checked for aim in intent.goal if aim.checked) if intent else ""
    parts = [entry.id, _atom(Intent, entry.recipe.intent) + checked, worlds_digest(entry.recipe.world)]
    for use in entry.recipe.rules:
        parts += [_atom(Rule, use.rule), _atom(Place, use.place) if use.place else ""]
    parts += [_atom(Trap, use.trap) for use in entry.recipe.traps]
    for slug in sorted(entry.apps):
        parts += [registry.source_hash(slug), *(_atom(Strays, c) for c in claims().get(slug, ()))]
    return hashlib.blake2b("/".join(parts).encode(), digest_size=8).hexdigest()


@cache
def worlds_digest(world: str) -> str:
    return worlds.fingerprint(world)


def _atom(model: type[Strict], name: str) -> str:
    return digests(model).get(name, "")
