"""The benchmark as a user runs it: a small, seeded one."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("servers", "atoms_db/intents", "atoms_db/rules")


def _stamps() -> dict[str, int]:
    files = [
        p
        for name in SOURCES
        for p in (ROOT / name).rglob("*")
        if p.suffix in (".py", ".toml") and "__pycache__" not in p.parts
    ]
    return {str(p): p.stat().st_size for p in files}


def test_a_small_benchmark_measures_and_leaves_the_fleet_alone(tmp_path: Path) -> None:
    before = _stamps()
    plot = tmp_path / "shares.svg"
    command = [
        sys.executable,
        "-m",
        "legoenv_mcp.cli",
        "evolve",
        "--benchmark",
        "--count",
        "3",
        "--seed",
        "5",
        "--rounds",
        "2",
        "--jobs",
        "1",
    ]
    done = subprocess.run(
        [*command, "--no-tests", "--plot", str(plot), "--json"],
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    said = json.loads(done.stdout)
    assert 0 <= said["solvable_before"] < 1
    assert all(said["solvable_before"] <= share <= 1 for share in said["solvable_after"])
    assert said["lost"] == 0
    assert done.returncode == 0
    broken = [of for of in said["by_kind"].values() if of["damages"]]
    assert broken
    assert all(len(of["restored"]) == len(said["solvable_after"]) for of in broken)
    assert plot.read_text(encoding="utf-8").startswith("<svg")
    after = _stamps()
    assert {name for name in before if before[name] != after.get(name)} == set()
