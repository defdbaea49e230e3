"""Every environment: those written by hand, `environments/<id>.toml` in the atoms folders, and those of the catalogue, derived from
their recipes when asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from legoenv_mcp.controller import catalogue
from legoenv_mcp.controller.derive import derive
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.expressions import BadExpression
from legoenv_mcp.controller.scene import BadScene
from legoenv_mcp.controller.toml_files import BadFile, read
from legoenv_mcp.worlds import atoms_folders


class UnknownEnvironment(LookupError):
    """There is no such environment, or its file is wrong; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What listings show of an environment, known without deriving it."""

    id: str
    title: str
    apps: tuple[str, ...]
    world: str
    difficulty: int
    intent: str = ""
    rules: tuple[str, ...] = ()
    traps: tuple[str, ...] = ()


def _files() -> dict[str, Path]:
    found = dict[str, Path]()
    for root in atoms_folders():
        for path in sorted((root / "environments").glob("*.toml")):
            found.setdefault(path.stem, path)
    return found


def names() -> list[str]:
    """The ids of all environments, sorted."""
    return sorted({*_files(), *_entries()})


def listed() -> Iterator[Listed]:
    """Every environment as listings show it, by id. UnknownEnvironment where a file is wrong."""
    entries = _entries()
    for name in names():
        if (entry := entries.get(name)) is not None:
            yield Listed(
                entry.id, entry.title, entry.apps, entry.recipe.world, entry.difficulty, entry.recipe.intent, entry.rules,
                entry.traps,
            )  # fmt: skip
        else:
            e = load(name)
            yield Listed(e.id, e.title, e.apps, e.world, e.difficulty)


def environments() -> list[Environment]:
    """Every environment written by hand, by id. UnknownEnvironment where a file is wrong."""
    return [load(name) for name in sorted(_files())]


def load(environment_id: str) -> Environment:
    """One environment. UnknownEnvironment where there is none, or where its file is wrong."""
    path = _files().get(environment_id)
    if path is not None:
        return _read(path, path.stat().st_mtime_ns)
    entry = _entries().get(environment_id)
    if entry is None:
        raise UnknownEnvironment(f"unknown environment {environment_id!r}; {_there_are()}")
    try:
        return _derived(entry.recipe.model_dump_json())
    except (BadScene, BadExpression, BadFile) as error:
        raise UnknownEnvironment(f"{environment_id} can no longer be derived from its atoms: {error}") from None


def _there_are() -> str:
    known = [*sorted(_files()), *sorted(_entries())]
    shown = ", ".join(known[:8])
    return f"there are {len(known)}, among them {shown}" if len(known) > 8 else f"there are: {shown or 'none'}"


def _entries() -> dict[str, catalogue.Entry]:
    try:
        return catalogue.entries()
    except ValueError as error:
        raise UnknownEnvironment(f"the catalogue cannot be read: {str(error).splitlines()[0]}") from None


@lru_cache(maxsize=256)
def _derived(recipe: str) -> Environment:
    return derive(catalogue.Recipe.model_validate_json(recipe))


@cache
def _read(path: Path, _stamp: int) -> Environment:
    try:
        return read(path, Environment)
    except BadFile as error:
        raise UnknownEnvironment(str(error)) from None
