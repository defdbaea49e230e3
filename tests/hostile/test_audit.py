"""`make audit` fails where a dependency has a known vulnerability, and tells when nobody could be asked from when nothing is known."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / ".ci"
GOOD = {"name": "good", "version": "1", "vulns": []}
BAD = {"name": "bad", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}
UNKNOWN = {"name": "unknown", "skip_reason": "Dependency not found on PyPI and could not be audited: unknown (1)"}


@pytest.mark.parametrize(
    ("report", "status", "said"),
    [
        ({"dependencies": [GOOD]}, 0, "osv knows of nothing wrong with 1 dependencies"),
        ({"dependencies": [GOOD, UNKNOWN]}, 0, "1 COULD NOT BE ASKED FOR"),
        ({"dependencies": [GOOD, BAD, UNKNOWN]}, 1, "bad 1: PYSEC-1 (mended in 2)"),
        ({"dependencies": [UNKNOWN]}, 3, ""),
        ("", 3, ""),
    ],
)
def test_a_report_is_read(tmp_path: Path, report: object, status: int, said: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report) if report else "", encoding="utf-8")
    done = subprocess.run([sys.executable, SCRIPTS / "audited.py", path, "osv"], capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert said in done.stdout + done.stderr


def test_where_nobody_can_be_asked_that_is_said(tmp_path: Path) -> None:
    """With an interpreter that has no pip-audit, as good as no network."""
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\n[ "$2" = pip_audit ] && exit 1\nexec {sys.executable} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    done = subprocess.run([SCRIPTS / "audit", program], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0
    assert "COULD NOT BE ASKED FOR" in done.stderr
