"""Fixtures of the tests of BambooHR."""

import pytest

from tests.apps.bamboohr.support import Bamboo


@pytest.fixture
def bamboo() -> Bamboo:
    return Bamboo()
