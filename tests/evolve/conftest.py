"""A corner of the fleet to evolve: copies of a few apps and atoms that hide the fleet's, with a cache of their own."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp.controller import catalogue

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Corner:
    """Copies of apps and atoms under `home`, and the environments that evolution looks at."""

    home: Path

    def app(self, slug: str) -> Path:
        """A copy of an app, to damage."""
        path = self.home / "servers" / slug
        if not path.exists():
            shutil.copytree(ROOT / "servers" / slug, path, ignore=shutil.ignore_patterns("__pycache__"))
        return path

    def atom(self, path: str) -> Path:
        """A copy of an atom's file, to damage."""
        copy = self.home / "atoms_db" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "atoms_db" / path, copy)
        return copy

    def world(self, name: str) -> Path:
        """A copy of a world, to damage."""
        path = self.home / "atoms_db" / "worlds" / name
        shutil.copytree(ROOT / "atoms_db" / "worlds" / name, path)
        return path

    def environment(self, intent: str, apps: list[str], **picks: str) -> str:
        """Chooses one more: the catalogue's first environment of this intent over just these apps, about these entities."""
        found = [
            e.id
            for e in catalogue.entries().values()
            if e.recipe.intent == intent and sorted(e.apps) == sorted(apps) and picks.items() <= e.recipe.picks.items()
        ]
        assert found, f"the catalogue has no {intent} over {apps}"
        with (self.home / "ids.txt").open("a", encoding="utf-8") as ids:
            ids.write(f"{found[0]}\n")
        return found[0]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        env = {
            **os.environ, "LEGOENV_SERVERS": str(self.home / "servers"), "LEGOENV_ATOMS": str(self.home / "atoms_db"),
            "LEGOENV_CACHE": str(self.home / "cache"),
        }  # fmt: skip
        command = [sys.executable, "-m", "legoenv_mcp.cli", "evolve", *words]
        return subprocess.run(command, capture_output=True, text=True, env=env, cwd=self.home, timeout=900, check=False)

    def evolve(self, *words: str) -> dict[str, Any]:
        """One round over the chosen environments, without the apps' own tests."""
        done = self.run("--envs", str(self.home / "ids.txt"), "--no-tests", "--jobs", "1", "--json", *words)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def corner(tmp_path: Path) -> Corner:
    for name in ("servers", "atoms_db", "cache"):
        (tmp_path / name).mkdir()
    return Corner(tmp_path)


def without(path: Path, tool: str) -> str:
    """Takes an operation out of a source file; answers the text that is gone."""
    text = path.read_text(encoding="utf-8")
    parts = re.split(r"(?m)^(?=@app\.)", text)
    gone = next(p for p in parts if re.search(rf"tool=\"{re.escape(tool)}\"", p.partition("def ")[0]))
    path.write_text(text.replace(gone, ""), encoding="utf-8")
    return gone
