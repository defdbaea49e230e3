"""`legoenv bench --load`, short: every kind of call was made, none failed, memory was looked at, no row was seen elsewhere; past the
limit the gateway says when to come back."""

import json
import subprocess
import sys
from typing import Any


def load(*words: str) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, "-m", "legoenv_mcp.cli", "bench", "--load", "--json", "--seconds", "3", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_episodes_side_by_side() -> None:
    status, report = load("--episodes", "40", "--clients", "8", "--memory", "8")
    assert (status, report["passed"]) == (0, True), report
    assert (report["ours"], report["refused"], report["violations"]) == ({}, {}, [])
    calls = {one["kind"]: one["calls"] for one in report["latencies"]}
    assert {f"{face} {kind}" for face in ("rest", "mcp", "mcp 2025-11-25") for kind in ("read", "write")} <= set(calls)
    assert calls["open"] >= 40
    assert report["open"] + report["unopened"] == 40
    assert report["memory"]["peak"] >= report["memory"]["start"] > 0
    assert report["samples"]
    assert report["calls_per_second"] > 0


def test_twice_what_there_is_room_for() -> None:
    status, report = load("--episodes", "24", "--limit", "12", "--clients", "8", "--db")
    assert (status, report["ours"], report["violations"]) == (0, {}, [])
    assert set(report["back_pressure"]) == {"open"}
    assert 0 < report["open"] <= 12
    assert report["open"] + report["unopened"] == 24


def test_a_load_that_is_no_number_is_one_line() -> None:
    command = [sys.executable, "-m", "legoenv_mcp.cli", "bench", "--load", "--episodes", "none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
