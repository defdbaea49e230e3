"""Environment files: every mistake is one line that names file, line and key."""

import json
from pathlib import Path

import pytest

from legoenv_mcp.controller import environments
from legoenv_mcp.controller.environment import Step
from legoenv_mcp.controller.environments import UnknownEnvironment, load
from legoenv_mcp.controller.plans import PlanError, orders, resolve

GOOD = """id = "tiny"
version = 1
title = "Tiny"
world = "quaymark"
apps = ["notes"]
difficulty = 1
instruction = "Write a note."

[[plan]]
step = "write"
app = "notes"
tool = "create_note"
arguments = { text = "hello" }

[[verifier.goal]]
name = "note"
created = "notes.note"
with = { text = "hello" }

[[verifier.allow]]
insert = "notes.note"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LEGOENV_ATOMS", str(tmp_path))
    (tmp_path / "environments").mkdir()
    return tmp_path / "environments"


def write(folder: Path, text: str, name: str = "tiny") -> None:
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def test_a_good_file_loads_and_plays(folder: Path) -> None:
    write(folder, GOOD)
    environment = load("tiny")
    episode = environment.episode()
    assert environment.grade(episode).outcome == "failed"
    episode.call("notes", "create_note", {"text": "hello"})
    assert environment.grade(episode).reward == 1.0
    assert environment.hash == load("tiny").hash
    assert "tiny" in [e.id for e in environments.environments()]


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ('title = "Tiny"', 'titel = "Tiny"', 3, "titel"),
        ("difficulty = 1", "difficulty = 9", 6, "difficulty"),
        ('app = "notes"\ntool', 'app = "gmail"\ntool', 1, "gmail"),
        ('created = "notes.note"', 'created = "notes"', 15, "notes"),
        ('insert = "notes.note"', 'insrt = "notes.note"', 21, "insrt"),
        ('created = "notes.note"\n', 'created = "notes.note"\nabsent = "notes.note"\n', 15, "exactly one"),
        ('id = "tiny"', 'id = "other"', 1, "other"),
    ],
)
def test_a_mistake_is_told_by_file_and_line(folder: Path, old: str, new: str, line: int, says: str) -> None:
    assert old in GOOD
    write(folder, GOOD.replace(old, new))
    with pytest.raises(UnknownEnvironment) as caught:
        load("tiny")
    assert str(caught.value).startswith(f"tiny.toml:{line}: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_broken_toml_is_told(folder: Path) -> None:
    write(folder, GOOD + "\n[[")
    with pytest.raises(UnknownEnvironment, match=r"tiny\.toml"):
        load("tiny")


def test_an_unknown_environment_names_those_there_are() -> None:
    with pytest.raises(UnknownEnvironment, match="refund_within_policy"):
        load("no_such")


def test_a_verifier_that_passes_whatever_happens_is_no_verifier(folder: Path) -> None:
    write(folder, GOOD[: GOOD.index("[[verifier.goal]]")] + "[[verifier.allow]]\ninsert = 'notes.note'\n")
    with pytest.raises(UnknownEnvironment, match="passes whatever happens"):
        load("tiny")


def test_references_reach_into_replies() -> None:
    replies = {"find": {"data": [{"id": 7, "name": "x"}]}}
    assert resolve({"a": "$find.data.0.id", "b": "n ${find.data.0.name}!", "c": ["$find.data.0"]}, replies) == {
        "a": 7, "b": "n x!", "c": [{"id": 7, "name": "x"}]
    }  # fmt: skip
    assert resolve("costs $5 and $x", {}) == "costs $5 and $x"
    for bad in ("$find.data.1.id", "$find.nope", "$gone.x"):
        with pytest.raises(PlanError):
            resolve(bad, replies)


def test_orders_keep_what_steps_need() -> None:
    plan = [
        Step(step="a", app="x", tool="t"),
        Step(step="b", app="x", tool="t", after=()),
        Step(step="c", app="x", tool="t", arguments={"id": "$a.id"}, after=("b",)),
    ]
    assert json.dumps([[s.step for s in order] for order in orders(plan)]) == '[["b", "a", "c"]]'
