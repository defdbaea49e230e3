"""Fixtures of the tests of Airtable."""

import pytest

from tests.apps.airtable.support import Shop


@pytest.fixture
def shop() -> Shop:
    return Shop()
