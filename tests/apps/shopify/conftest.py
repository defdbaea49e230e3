"""Fixtures of the tests of Shopify."""

import pytest

from tests.apps.shopify.support import Shop


@pytest.fixture
def shop() -> Shop:
    return Shop()
