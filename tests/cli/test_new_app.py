"""`legoenv new-app`: the scaffold passes lint and its own tests as it is."""

import os
import subprocess
import sys
from pathlib import Path


def run(*words: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, cwd=cwd, env={**os.environ, **env}, timeout=120
    )


def test_the_scaffold_passes_lint_and_its_own_tests(tmp_path: Path) -> None:
    made = run("-m", "legoenv_mcp.cli", "new-app", "acme_desk", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "legoenv lint acme_desk" in made.stdout
    servers = str(tmp_path / "servers")
    checked = run("-m", "legoenv_mcp.cli", "lint", "acme_desk", cwd=tmp_path, LEGOENV_SERVERS=servers)
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (0, "6 passed, 0 failed"), checked.stderr
    tested = run("-m", "pytest", "-q", "-o", "asyncio_mode=auto", "tests", cwd=tmp_path, LEGOENV_SERVERS=servers)
    assert tested.returncode == 0, tested.stdout
    assert "2 passed" in tested.stdout


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    assert run("-m", "legoenv_mcp.cli", "new-app", "acme_desk", cwd=tmp_path).returncode == 0
    again = run("-m", "legoenv_mcp.cli", "new-app", "acme_desk", cwd=tmp_path)
    assert (again.returncode, again.stderr.count("\n")) == (1, 1)
    assert "already" in again.stderr
    assert run("-m", "legoenv_mcp.cli", "new-app", "Acme Desk", cwd=tmp_path).returncode == 2
