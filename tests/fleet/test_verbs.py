"""The studs' second half: every core verb of a capability runs on every app that has it, and the view shows its effect."""

from importlib import import_module
from importlib.util import find_spec

import pytest

from legoenv_mcp import registry
from tests.support.scenarios.stage import Stage

CLAIMS = [(a.slug, c) for a in registry.apps() for c in a.capabilities]


@pytest.mark.parametrize(("slug", "capability"), CLAIMS)
def test_the_verbs_of_a_capability_work(slug: str, capability: str) -> None:
    module = f"tests.support.scenarios.{capability}"
    assert find_spec(module), f"no scenario plays {capability}: write tests/support/scenarios/{capability}.py"
    import_module(module).plays(Stage(slug, capability))
