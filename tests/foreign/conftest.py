"""Other benchmarks with our runner: small copies of their layouts made here, and the real ones where LEGOENV_FOREIGN has them."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp.cli import main
from legoenv_mcp.evaluate.rollout import Rollout, finished

SOLUTIONS = Path(__file__).with_name("solutions")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests marked `foreign(part)` are there only where LEGOENV_FOREIGN names a folder that has the part (docs/benchmarks-run.md)."""
    named = os.environ.get("LEGOENV_FOREIGN")
    there = Path(named or os.devnull)
    marked = {item: mark.args for item in items if (mark := item.get_closest_marker("foreign"))}
    out = [item for item, parts in marked.items() if not named or not all((there / part).exists() for part in parts)]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in out]


class Evaluated:
    """An evaluation run through the command line: its status, what it said, its rollouts by environment."""

    def __init__(self, status: int, out: Path, printed: str, said: str) -> None:
        self.status, self.out, self.said = status, out, said
        self.shown: dict[str, Any] = json.loads(printed) if printed else {}
        self.rollouts: list[Rollout] = list(finished(out)) if printed else []

    @property
    def verdicts(self) -> dict[str, str]:
        return {r.environment: r.verdict for r in self.rollouts}

    @property
    def only(self) -> Rollout:
        (rollout,) = self.rollouts
        return rollout


Evaluate = Callable[..., Evaluated]


@pytest.fixture
def evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    """Runs `legoenv eval --json` with one rollout a task: `evaluate("baseline:noop", "--benchmark", "bfcl", ...)`."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    def run(model: str, *words: str | Path, out: str = "") -> Evaluated:
        capsys.readouterr()
        folder = tmp_path / (out or f"run-{model.replace(':', '-')}")
        try:
            status = main(["eval", "--model", model, "--k", "1", "--out", str(folder), "--json", *map(str, words)])
        except SystemExit as stop:
            status = int(stop.code or 0)
        printed = capsys.readouterr()
        return Evaluated(status, folder, printed.out, printed.err)

    return run


def python_with(folder: Path, files: dict[str, str]) -> Path:
    """The Python of a new virtual environment whose packages are these files."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    write(packages, files)
    return folder / "bin" / "python"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")
