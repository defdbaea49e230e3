"""The files that evolution changes: apps and atoms, where they lie, and a patch laid over them without touching them."""

import difflib
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from legoenv_mcp import registry, servers
from legoenv_mcp.controller import atoms
from legoenv_mcp.worlds import atoms_folders

Kind = Literal["server", "data", "intent", "rule", "trap", "place", "strays", "verifier"]
FOLDERS = {
    "intent": "intents",
    "verifier": "intents",
    "rule": "rules",
    "trap": "traps",
    "place": "places",
    "strays": "strays",
}


class Unwritable(OSError):
    """A repair cannot be written where the atom lies; the message is one line for the user."""


@contextmanager
def laid_over(home: Path, variables: Mapping[str, str]) -> Iterator[Path]:
    """Apps and atoms of `home` hide the fleet's, for this process (and, by these variables, for those it starts) while it lasts."""
    before = {name: os.environ.get(name) for name in variables}
    path = list(servers.__path__)
    os.environ.update(variables)
    servers.__path__[:0] = [str(home / "servers")]
    atoms.forget()
    try:
        yield home
    finally:
        servers.__path__[:] = path
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        atoms.forget()


@dataclass(frozen=True, slots=True)
class Atom:
    """What a finding blames: `server stripe`, `intent deal_lost`, `data quaymark`. A verifier's home is its intent or rule."""

    kind: Kind
    id: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @classmethod
    def named(cls, text: str) -> "Atom":
        kind, _, name = text.partition(" ")
        return cls(kind, name)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, slots=True)
class Edit:
    """A file's new text; None removes it. `path` is `servers/<slug>/...` or `atoms_db/...`."""

    path: str
    text: str | None

    def as_json(self) -> dict[str, Any]:
        return {"path": self.path, "text": self.text}


@dataclass(frozen=True, slots=True)
class Patch:
    """A repair of one atom: ordinary files. `tool` is the operation it brings or changes, `shape` what other atoms could be offered."""

    atom: Atom
    title: str
    edits: tuple[Edit, ...]
    why: str = ""
    tool: str = ""
    backend: str = "schema"
    shape: str = ""
    evidence: tuple[str, ...] = field(default=())

    @property
    def size(self) -> int:
        """Lines added and removed."""
        return sum(line[:1] in "+-" for edit in self.edits for line in diff(edit))

    def as_json(self) -> dict[str, Any]:
        return {
            "atom": str(self.atom),
            "title": self.title,
            "edits": [e.as_json() for e in self.edits],
            "why": self.why,
            "tool": self.tool,
            "backend": self.backend,
            "shape": self.shape,
        }

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Patch":
        edits = tuple(Edit(e["path"], e["text"]) for e in data["edits"])
        rest = {k: data.get(k, "") for k in ("title", "why", "tool", "backend", "shape")}
        return cls(Atom.named(data["atom"]), edits=edits, **rest)


@dataclass(frozen=True, slots=True)
class Refused:
    """A candidate that is refused before it is tried."""

    atom: Atom
    title: str
    reason: str


def where(path: str) -> Path:
    """Where a file of the fleet lies, or would lie: in the folder that its app or atom is read from."""
    area, _, rest = path.partition("/")
    parts = Path(rest).parts
    if ".." in parts or not parts or Path(rest).is_absolute():
        raise ValueError(f"{path}: not a file of the fleet")
    if area == "servers":
        return registry.folder(parts[0]).joinpath(*parts[1:])
    if area != "atoms_db":
        raise ValueError(f"{path}: not a file of the fleet")
    roots = atoms_folders()
    for root in roots:
        if (root / rest).exists():
            return root / rest
    whole = Path(*parts[:2])  # a new file goes where its world is, or into the first folder
    return next((root for root in roots if parts[0] == "worlds" and (root / whole).is_dir()), roots[0]) / rest


def read(path: str) -> str | None:
    """A file's text, None where there is none."""
    try:
        return where(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def diff(edit: Edit, before: str | None = None) -> list[str]:
    """A unified diff of an edit against the file as it is, or as `before` says."""
    old = read(edit.path) if before is None else before
    lines = (old or "").splitlines(keepends=True), (edit.text or "").splitlines(keepends=True)
    names = (
        f"a/{edit.path}" if old is not None else "/dev/null",
        f"b/{edit.path}" if edit.text is not None else "/dev/null",
    )
    return [line.rstrip("\n") for line in difflib.unified_diff(*lines, *names)][2:] if old != edit.text else []


def write(edits: Iterable[Edit]) -> None:
    """Makes the edits where the files lie."""
    for edit in edits:
        _put(where(edit.path), edit.text)


def _put(path: Path, text: str | None) -> None:
    try:
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(f".{path.name}.{os.getpid()}")
            fresh.write_text(text, encoding="utf-8")
            # Python takes compiled code by its source's whole second and size: two edits within one must differ.
            moment = max(time.time(), (path.stat().st_mtime if path.exists() else 0) + 1)
            os.utime(fresh, (moment, moment))
            fresh.replace(path)
    except OSError as error:
        raise Unwritable(
            f"{path} cannot be written: {error.strerror}; evolve a copy: LEGOENV_SERVERS and LEGOENV_ATOMS"
        ) from None


def lay_over(edits: Iterable[Edit], folder: Path) -> dict[str, str]:
    """Lays a patch over the fleet in a folder of its own; answers the environment variables with which a process sees it."""
    servers, atoms = folder / "servers", folder / "atoms_db"
    for edit in edits:
        area, _, rest = edit.path.partition("/")
        head = Path(rest).parts[0]
        if area == "servers":
            if not (servers / head).exists():
                shutil.copytree(registry.folder(head), servers / head)  # with compiled code: most is as it was
            _put(servers / rest, edit.text)
        else:
            if head == "worlds":
                world = Path(*Path(rest).parts[:2])
                if not (atoms / world).exists():
                    shutil.copytree(where(f"atoms_db/{world}"), atoms / world)
            _put(atoms / rest, edit.text)
    made = dict[str, str]()
    for name, path in (("LEGOENV_SERVERS", servers), ("LEGOENV_ATOMS", atoms)):
        if path.is_dir():
            made[name] = os.pathsep.join(filter(None, [str(path), os.environ.get(name, "")]))
    return made


def link_cache(target: Path) -> None:
    """Gives a process of its own the derived files that there are, so that what it derives does not push them out."""
    for path in registry.cache_folder().glob("templates/*.sqlite"):
        linked = target / "templates" / path.name
        linked.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, linked)
        except OSError:
            shutil.copyfile(path, linked)
