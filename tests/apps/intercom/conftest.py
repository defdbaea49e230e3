"""Fixtures of the tests of Intercom."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.intercom.support import APP, ENTITIES


@pytest.fixture
def episode() -> Episode:
    return episode_of(APP, ENTITIES)
