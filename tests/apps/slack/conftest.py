"""Fixtures of the tests of Slack."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.slack.support import ENTITIES


@pytest.fixture
def episode() -> Episode:
    return episode_of("slack", ENTITIES)
