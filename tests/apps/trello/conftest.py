"""Fixtures of the tests of Trello."""

import pytest

from tests.apps.trello.support import Trello


@pytest.fixture
def trello() -> Trello:
    return Trello()
