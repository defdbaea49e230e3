"""The public MCP conformance suite, in both revisions: our transport with the suite's own server behind it, and a real app."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Process
from tests.gateway.conformance.suite import APP_SCENARIOS, REVISIONS, required, scenario

pytestmark = pytest.mark.node

REQUIRED_CHECKS = {"2025-11-25": 70, "2026-07-28": 120}

# An episode's address is all the session there is, so the checks of sessions do not apply to it.
APP_CHECKS = {
    ("scratch", "2025-11-25"): 14,
    ("scratch", "2026-07-28"): 21,
    ("episode", "2025-11-25"): 9,
    ("episode", "2026-07-28"): 21,
}


@pytest.fixture(scope="module")
def fixture_server() -> Iterator[str]:
    running = Process(script=str(Path(__file__).parent / "conformance" / "server.py"))
    yield f"{running.url}/apps/conformance/mcp"
    running.kill()


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_required_scenario_passes(fixture_server: str, node: Any, revision: str) -> None:
    passed, failed = required(node, fixture_server, revision)
    assert failed == []
    assert passed == REQUIRED_CHECKS[revision], "the suite has run fewer checks, or more, than when this was written"


@pytest.mark.parametrize("kind", ["scratch", "episode"])
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_real_app_conforms(gateway: Any, node: Any, revision: str, kind: str) -> None:
    episode = gateway.episode(["slack"], world="empty")
    url = episode.mcp("slack") if kind == "episode" else f"{gateway.url}/apps/slack/mcp"
    passed = 0
    for name in APP_SCENARIOS[revision]:
        done, failed = scenario(node, url, revision, name)
        assert failed == 0, name
        passed += done
    assert passed == APP_CHECKS[kind, revision]
