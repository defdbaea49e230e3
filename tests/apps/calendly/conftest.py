"""Fixtures of the tests of Calendly."""

import pytest

from tests.apps.calendly.support import Calendly


@pytest.fixture
def calendly() -> Calendly:
    return Calendly()
