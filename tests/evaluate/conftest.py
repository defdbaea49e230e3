"""Runs of `legoenv eval` over light environments: numbered copies of the sample apps' one."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp import servers
from legoenv_mcp.cli import main
from legoenv_mcp.evaluate.rollout import Rollout, finished
from tests.conftest import SAMPLE_APPS, SAMPLE_ATOMS

COPIES = 6
"""`deal_0` to `deal_5`; each instruction begins with its number in brackets."""


@pytest.fixture(autouse=True)
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample apps and environments beside the fleet, for this process and those that it starts."""
    source = (SAMPLE_ATOMS / "environments" / "win_a_deal.toml").read_text(encoding="utf-8")
    folder = tmp_path / "atoms" / "environments"
    folder.mkdir(parents=True)
    for number in range(COPIES):
        text = source.replace('id = "win_a_deal"', f'id = "deal_{number}"', 1)
        text = text.replace('instruction = "', f'instruction = "[{number}] ', 1)
        (folder / f"deal_{number}.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(servers, "__path__", [*servers.__path__, str(SAMPLE_APPS)])
    monkeypatch.setenv("LEGOENV_ATOMS", f"{folder.parent}:{SAMPLE_ATOMS}")
    monkeypatch.setenv("LEGOENV_SERVERS", str(SAMPLE_APPS))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LEGOENV_CONTROL_TOKEN"):
        monkeypatch.delenv(name, raising=False)


class Evaluated:
    """An evaluation that was run through the command line: its status, what it printed, its rollouts."""

    def __init__(self, status: int, out: Path, printed: str, said: str) -> None:
        self.status, self.out, self.printed, self.said = status, out, printed, said
        readable = (out / "results.sqlite").exists() and status != 2
        self.rollouts: list[Rollout] = list(finished(out)) if readable else []

    @property
    def shown(self) -> dict[str, Any]:
        return json.loads(self.printed)

    @property
    def only(self) -> Rollout:
        (rollout,) = self.rollouts
        return rollout


Evaluate = Callable[..., Evaluated]


@pytest.fixture
def evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Evaluate:
    """Runs `legoenv eval --json`: `evaluate(url, "--k", "1", envs="deal_0")`."""

    def run(url: str, *words: str, envs: str = "win_a_deal", model: str = "scripted", out: str = "run") -> Evaluated:
        capsys.readouterr()
        given = ["--model", model, *(["--base-url", url] if url else []), "--envs", envs, "--out", str(tmp_path / out)]
        k = [] if "--k" in words else ["--k", "1"]
        try:
            status = main(["eval", *given, *k, "--json", *words])
        except SystemExit as stop:
            status = int(stop.code or 0)
        printed = capsys.readouterr()
        return Evaluated(status, tmp_path / out, printed.out, printed.err)

    return run


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need a real model are left out where none is named: a skip would say that something was to be had."""
    if os.environ.get("LEGOENV_TEST_MODEL"):
        return
    left_out = [item for item in items if item.get_closest_marker("model")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
