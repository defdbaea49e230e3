"""Fixtures of the tests of Discord."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.discord.support import ENTITIES


@pytest.fixture
def episode() -> Episode:
    return episode_of("discord", ENTITIES)
