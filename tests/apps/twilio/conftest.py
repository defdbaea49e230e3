"""Fixtures of the tests of Twilio."""

import pytest

from tests.apps.twilio.support import Twilio


@pytest.fixture
def api() -> Twilio:
    return Twilio()
