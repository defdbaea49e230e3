"""Fixtures of the tests of Mailchimp."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.mailchimp.support import APP, ENTITIES


@pytest.fixture
def episode() -> Episode:
    return episode_of(APP, ENTITIES)


@pytest.fixture
def news(episode: Episode) -> str:
    return episode.app(APP).template.refs["marketing_email.Audience"]["news"]
