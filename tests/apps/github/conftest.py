"""Fixtures of the tests of GitHub."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.github.support import fresh


@pytest.fixture
def episode() -> Episode:
    return fresh()
