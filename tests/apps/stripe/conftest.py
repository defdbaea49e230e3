"""Fixtures of the tests of Stripe."""

import pytest

from tests.apps.stripe.support import Stripe


@pytest.fixture
def api() -> Stripe:
    return Stripe()


@pytest.fixture
def harbor(api: Stripe) -> str:
    return api.ref("Customer", "harbor")
