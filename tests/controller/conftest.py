"""The sample apps beside the fleet, for this process."""

from pathlib import Path

import pytest

from legoenv_mcp import servers


@pytest.fixture(autouse=True)
def _sample_apps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "__path__", [*servers.__path__, str(Path(__file__).parents[1] / "sample_apps")])
