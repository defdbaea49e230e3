"""Fixtures of the tests of QuickBooks Online."""

from collections.abc import Iterator

import pytest

from legoenv_mcp import templates
from tests.apps.quickbooks.support import SLUG, Books


@pytest.fixture
def books() -> Iterator[Books]:
    episode = templates.episode([SLUG], world="quaymark")
    yield Books(episode)
    episode.close()
