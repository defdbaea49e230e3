"""Fixtures of the tests of HubSpot."""

import pytest

from legoenv_mcp.testing import episode_of
from tests.apps.hubspot.support import ENTITIES, HubSpot


@pytest.fixture
def hs() -> HubSpot:
    return HubSpot(episode_of("hubspot", ENTITIES))


@pytest.fixture
def world() -> HubSpot:
    return HubSpot(episode_of("hubspot", world="quaymark"))
