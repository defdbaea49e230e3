"""Fixtures of the tests of Asana."""

import pytest

from tests.apps.asana.support import Asana


@pytest.fixture
def a() -> Asana:
    return Asana()
