"""Fixtures of the tests of Gmail."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.gmail.support import FOLDERS, MAIL


@pytest.fixture
def episode() -> Episode:
    return episode_of("gmail", [*FOLDERS, *MAIL])
