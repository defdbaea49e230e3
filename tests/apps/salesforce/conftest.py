"""Fixtures of the tests of Salesforce."""

import pytest

from legoenv_mcp.testing import episode_of
from tests.apps.salesforce.support import ENTITIES, Salesforce


@pytest.fixture
def sf() -> Salesforce:
    return Salesforce(episode_of("salesforce", ENTITIES))


@pytest.fixture
def world() -> Salesforce:
    return Salesforce(episode_of("salesforce", world="quaymark"))
