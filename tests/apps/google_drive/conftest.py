"""Fixtures of the tests of Google Drive."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.google_drive.support import SLUG, WORLD


@pytest.fixture
def episode() -> Episode:
    return episode_of(SLUG, WORLD)
