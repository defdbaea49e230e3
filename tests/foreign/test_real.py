"""The benchmarks themselves, where LEGOENV_FOREIGN names a folder that has them: what is right passes, doing nothing does not."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.foreign.conftest import SOLUTIONS, Evaluate

HERE = Path(os.environ.get("LEGOENV_FOREIGN") or os.devnull)


@pytest.mark.foreign("bfcl")
@pytest.mark.parametrize(("tasks", "count", "free"), [("multi_turn", 24, 0), ("non_live", 28, 4), ("live", 24, 8)])
def test_bfcl(tasks: str, count: int, free: int, evaluate: Evaluate) -> None:
    """free: how many of so many want no call at all, so that doing nothing is right."""
    words = ["--benchmark", "bfcl", "--source", HERE / "bfcl/bin/python", "--tasks", tasks, "--count", str(count)]
    right, nothing = evaluate("baseline:reference", *words), evaluate("baseline:noop", *words)
    java = [r for r in right.rollouts if r.domain == "simple_java"]  # whose literals are not told by the ground truth
    assert all(r.verdict == "passed" for r in right.rollouts if r not in java), right.shown
    calm = [r for r in nothing.rollouts if "irrelevance" in r.domain]
    assert {r.verdict for r in calm} <= {"passed"}
    assert nothing.shown["passed"] == len(calm)
    assert (nothing.shown["invalid"], right.shown["invalid"], len(calm) >= free) == (0, 0, True)


@pytest.mark.foreign("mcpmark", "filesystem-server")
def test_mcpmark_filesystem(evaluate: Evaluate) -> None:
    node = shutil.which("node", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    server = HERE / "filesystem-server/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
    words = [
        "--benchmark", "mcpmark", "--service", "filesystem", "--source", HERE / "mcpmark", "--tasks", "folder_structure/structure_mirror",
        "--listing-state", "--solutions", SOLUTIONS / "mcpmark/filesystem", "--tool-server", f"{node} {server}",
    ]  # fmt: skip
    name = "mcpmark:filesystem/folder_structure/structure_mirror"
    assert evaluate("baseline:reference", *words).verdicts == {name: "passed"}
    assert evaluate("baseline:noop", *words).verdicts == {name: "failed"}


@pytest.mark.foreign("mcpmark", "postgres-mcp", "verify", "postgres.running")
def test_mcpmark_postgres(evaluate: Evaluate) -> None:
    """The server is the one that POSTGRES_HOST and the like name."""
    words = [
        "--benchmark", "mcpmark", "--service", "postgres", "--source", HERE / "mcpmark", "--python", HERE / "verify/bin/python",
        "--tool-server", f"{HERE / 'postgres-mcp/bin/postgres-mcp'} --access-mode=unrestricted",
        "--tasks", "security/rls_business_access,security/user_permission_audit",
    ]  # fmt: skip
    assert set(evaluate("baseline:reference", *words).verdicts.values()) == {"passed"}
    assert set(evaluate("baseline:noop", *words).verdicts.values()) == {"failed"}


@pytest.mark.foreign("automationbench")
def test_automationbench(evaluate: Evaluate) -> None:
    words = ["--benchmark", "automationbench", "--source", HERE / "automationbench/bin/python", "--tasks", "sales"]
    nothing = evaluate("baseline:noop", *words, "--count", "10")
    assert (nothing.shown["passed"], nothing.shown["failed"], nothing.shown["invalid"]) == (0, 10, 0)
