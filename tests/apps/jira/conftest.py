"""Fixtures of the tests of Jira."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.jira.support import fresh


@pytest.fixture
def episode() -> Episode:
    return fresh()
