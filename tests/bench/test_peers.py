"""`python -m bench`: both sides are measured, what a peer can't do is said as none, and one that can't be had is named as such.

How large the figures are is for people to read; peers themselves are installed by `make peers` alone.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]


def bench(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *words]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **environment}, timeout=600
    )


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """A short run against the bare server, and the folder with the page that it wrote."""
    folder = tmp_path_factory.mktemp("bench")
    done = bench("--quick", "--only", "bare", "--json", "--out", str(folder), "--cache", str(folder / "cache"))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), folder


def test_both_sides_are_measured_and_what_a_peer_cannot_do_is_none(measured: tuple[dict[str, Any], Path]) -> None:
    (found,) = measured[0]["comparisons"]
    assert found["missing"] == ""
    ours, theirs = ({key: pair[side]["value"] for key, pair in found["readings"].items()} for side in (0, 1))
    assert all(value is not None for value in ours.values())
    assert {key for key, value in theirs.items() if value is None} == {"reset", "episode", "whole", "held"}
    assert all(value > 0 for key, value in (*ours.items(), *theirs.items()) if value is not None and key != "held")
    for key, (mine, its) in found["readings"].items():
        for reading in (mine, its):
            if reading["low"] is not None:
                assert reading["low"] <= reading["value"] <= reading["high"] or key.endswith("p99")
        ratio = found["ratios"][key]
        if its["value"] is None or key == "list size":
            assert ratio is None
        else:
            more = mine["value"] / its["value"]
            assert ratio == pytest.approx(more if key.startswith("rate") else 1 / more)
    assert ours["list size"] == pytest.approx(theirs["list size"], rel=0.05)  # like for like


def test_the_page_and_the_plot_show_the_run(measured: tuple[dict[str, Any], Path]) -> None:
    run, folder = measured
    page = (folder / "benchmarks.md").read_text(encoding="utf-8")
    assert "## bare mcp server, MCP" in page
    assert f"mcp {run['versions']['mcp']}" in page
    assert "| a further episode (ms) | " in page
    assert "| none |" in page
    rows = [line for line in page.splitlines() if line.startswith("| read, p50")]
    assert len(rows) == 1
    assert rows[0].count("|") == 5
    drawing = ET.parse(folder / "benchmarks.svg").getroot()
    texts = [element.text for element in drawing.iter() if element.tag.endswith("}text")]
    assert {"cold start", "read, p50", "bare mcp server"} <= set(texts)
    assert "a further episode" not in texts  # nothing to compare with


def test_a_peer_that_cannot_be_had_is_named_with_the_reason(tmp_path: Path) -> None:
    done = bench("--quick", "--only", "emulate", "--json", "--cache", str(tmp_path), PATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["comparisons"]
    assert {c["peer"] for c in found} == {"emulate: stripe", "emulate: github", "emulate: slack"}
    assert {c["missing"] for c in found} == {"not to be had here: there is no Node.js"}
    assert all(c["readings"] == {} for c in found)


@pytest.mark.parametrize("words", [("--only", "nosuch"), ("--out", "/no/such/folder")], ids=" ".join)
def test_bad_words_are_a_line_and_status_2(words: tuple[str, ...]) -> None:
    done = bench(*words)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("python -m bench: error: ")
    assert "Traceback" not in done.stderr
