"""Fixtures of the tests of Google Sheets."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.google_sheets.support import BOOK, TABLE, ok


@pytest.fixture
def episode() -> Episode:
    return episode_of("google_sheets", [BOOK, TABLE])


@pytest.fixture
def sheet(episode: Episode) -> str:
    """An empty spreadsheet's id."""
    return ok(episode, "create_spreadsheet", title="Calc")["spreadsheetId"]
