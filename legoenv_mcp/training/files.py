"""How exports are written: whole or not at all, and with a manifest that says what they hold."""

import json
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

from legoenv_mcp import __version__
from legoenv_mcp.evaluate.rollout import write_whole

MANIFEST = "manifest.json"


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> int:
    """JSON Lines, in ASCII so that no reader splits a line at a Unicode line separator; answers how many there are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh, count = path.with_name(f".{path.name}.new"), 0
    try:
        with fresh.open("w", encoding="ascii") as file:
            for line in lines:
                file.write(json.dumps(line) + "\n")
                count += 1
        fresh.replace(path)
    finally:
        with suppress(FileNotFoundError):
            fresh.unlink()
    return count


def write_manifest(folder: Path, kind: str, **members: Any) -> dict[str, Any]:
    """Says what a folder holds and what made it; answers the same."""
    shown = {"kind": kind, "legoenv": __version__, **members}
    write_whole(folder / MANIFEST, json.dumps(shown, indent=2) + "\n")
    return shown


def text_of(name: str) -> str:
    """A file that exports are made with, from `legoenv_mcp/training/shipped`."""
    return files("legoenv_mcp.training").joinpath("shipped", *name.split("/")).read_text(encoding="utf-8")


def fresh_folder(path: Path) -> Path:
    """A task's folder, emptied of what an earlier export left in it."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def write(path: Path, text: str, *, executable: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if executable:
        path.chmod(0o755)
