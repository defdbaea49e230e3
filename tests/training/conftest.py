"""The sample apps and their environment beside the fleet, in this process and in those that it starts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from legoenv_mcp import servers
from legoenv_mcp.cli import main
from tests.conftest import SAMPLE_APPS, SAMPLE_ATOMS


@pytest.fixture(autouse=True)
def sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "__path__", [*servers.__path__, str(SAMPLE_APPS)])
    monkeypatch.setenv("LEGOENV_ATOMS", str(SAMPLE_ATOMS))
    monkeypatch.setenv("LEGOENV_SERVERS", str(SAMPLE_APPS))
    for name in ("LEGOENV_TOKEN", "LEGOENV_CONTROL_TOKEN", "LEGOENV_GATEWAY", "MCP_MESSAGES"):
        monkeypatch.delenv(name, raising=False)


Export = Callable[..., tuple[int, str, str]]


@pytest.fixture
def export(capsys: pytest.CaptureFixture[str]) -> Export:
    """Runs `legoenv export`: its status, what it printed, what it said about errors."""

    def run(*words: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            status = main(["export", *map(str, words)])
        except SystemExit as stop:
            status = int(stop.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run
