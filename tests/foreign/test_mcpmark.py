"""MCP-Mark's filesystem tasks, from a small checkout in its layout: a real tool server on stdio, real `verify.py` processes."""

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legoenv_mcp.cli import main
from legoenv_mcp.evaluate.foreign.states import build
from tests.foreign.conftest import Evaluate, write
from tests.support.model_server import calls, model_server

SERVER = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).with_name('files_server.py')))}"
GREET, SUM = "mcpmark:filesystem/letters/greet", "mcpmark:filesystem/figures/add_up"

CHECKOUT = {
    "src/agents/mcpmark_agent.py": """
        class Agent:
            SYSTEM_PROMPT = (
                "Use the tools. "
                "Say when you are done."
            )
    """,
    "src/base/task_manager.py": """
        class Tasks:
            def _format_task_instruction(self, base_instruction):
                return (
                    base_instruction
                    + "\\n\\nDo not ask."
                )
    """,
    "tasks/filesystem/standard/letters/greet/description.md": "Write `hello` and the name in name.txt to greeting.txt.\n",
    "tasks/filesystem/standard/letters/greet/meta.json": '{"difficulty": "L2", "category_id": "letters", "task_id": "greet"}',
    "tasks/filesystem/standard/letters/greet/verify.py": """
        import os, sys
        from pathlib import Path

        with open("verified.log", "a") as log:
            log.write("greet\\n")
        place = Path(os.environ["FILESYSTEM_TEST_DIR"]) / "greeting.txt"
        if not place.exists():
            print("❌ greeting.txt not found")
            sys.exit(1)
        right = place.read_text() == "hello Ada"
        place.write_text("spoilt")
        print("✅ greeted" if right else "❌ greeting.txt says something else")
        sys.exit(0 if right else 1)
    """,
    "tasks/filesystem/standard/figures/add_up/description.md": "Add up.\n",
    "tasks/filesystem/standard/figures/add_up/verify.py": "import a_package_that_nobody_has\n",
    "tasks/filesystem/standard/figures/half/description.md": "A folder without verify.py is no task.\n",
    "test_environments/letters/name.txt": "Ada",
    "test_environments/figures/one.txt": "1",
    "solutions/letters/greet.json": """
        [{"tool": "read_file", "arguments": {"path": "{root}/name.txt"}},
         {"tool": "write_file", "arguments": {"path": "greeting.txt", "content": "hello Ada"}}]
    """,
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    write(tmp_path / "mcpmark", CHECKOUT)
    return tmp_path / "mcpmark"


def words(checkout: Path, *more: str | Path) -> list[str | Path]:
    return ["--benchmark", "mcpmark", "--service", "filesystem", "--source", checkout, "--tool-server", SERVER, *more]


def test_the_reference_passes_and_doing_nothing_fails(checkout: Path, evaluate: Evaluate) -> None:
    asked = words(checkout, "--tasks", "letters/greet", "--solutions", checkout / "solutions")
    right, nothing = evaluate("baseline:reference", *asked), evaluate("baseline:noop", *asked)
    assert (right.status, right.verdicts) == (0, {GREET: "passed"})
    assert (nothing.status, nothing.verdicts) == (0, {GREET: "failed"})
    assert nothing.only.assertions[0].detail == "❌ greeting.txt not found"
    change = {"app": "filesystem", "table": "files", "key": ["greeting.txt"], "change": "insert"}
    assert right.only.diff == [{**change, "after": {"path": "greeting.txt", "text": "hello Ada"}}]
    assert (
        right.only.calls[0].result.count("Ada") == 2
    )  # the whole result, text and structure, as MCP-Mark's agent has it
    # verify.py ran once for each, on a copy of the start state, which is as it was
    assert (checkout / "verified.log").read_text() == "greet\ngreet\n"
    assert [p.name for p in (checkout / "test_environments" / "letters").iterdir()] == ["name.txt"]


def test_the_words_are_those_of_the_checkout(checkout: Path, evaluate: Evaluate) -> None:
    found = evaluate("baseline:noop", *words(checkout, "--tasks", "letters")).only
    assert [m["content"] for m in found.messages[:2]] == [
        "Use the tools. Say when you are done.",
        "Write `hello` and the name in name.txt to greeting.txt.\n\n\nDo not ask.",
    ]
    assert (found.domain, found.difficulty, found.apps) == ("letters", 2, ("filesystem",))
    assert {t["function"]["name"] for t in found.tools} == {"read_file", "write_file"}


def test_a_model_plays_it_and_what_it_does_wrong_is_told_to_it(checkout: Path, evaluate: Evaluate) -> None:
    said = [
        calls(("read_file", {"path": "nobody.txt"})),
        calls(("read_file", {"path": "name.txt"}), ("write_file", {"path": "greeting.txt", "content": "hello Ada"})),
        "Done.",
    ]
    with model_server(said) as model:
        found = evaluate("scripted", *words(checkout, "--tasks", "letters/greet", "--base-url", model.url))
    assert [c.status for c in found.only.calls] == [400, 200, 200]
    assert json.loads(found.only.calls[0].result)["isError"] is True
    assert (found.only.verdict, found.only.steps) == ("passed", 3)
    assert found.shown["benchmark"]["groups"] == [
        {"group": "letters", "tasks": 1, "of": 1, "whole": True, "rollouts": 1, "invalid": 0, "score": 1.0, "share_of_assertions": 1.0}
    ]  # fmt: skip
    assert (found.shown["benchmark"]["not_run"], found.shown["benchmark"]["combined"]) == (["figures"], [])


def test_a_verifier_that_cannot_run_is_no_verdict(checkout: Path, evaluate: Evaluate) -> None:
    found = evaluate("baseline:noop", *words(checkout))
    assert (found.status, found.verdicts) == (1, {SUM: "invalid", GREET: "failed"})
    fault = next(r.fault for r in found.rollouts if r.environment == SUM)
    assert fault is not None
    assert "No module named 'a_package_that_nobody_has'" in fault.message
    assert "--python" in fault.message
    again = evaluate("baseline:noop", *words(checkout))
    assert (again.shown["already"], again.verdicts) == (1, found.verdicts)  # the invalid one was run again


def test_a_whole_service_gets_its_figures(
    checkout: Path, evaluate: Evaluate, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "tasks/filesystem/standard/figures/add_up/verify.py").write_text("raise SystemExit(0)\n")
    found = evaluate("baseline:noop", *words(checkout), "--k", "2")
    shown = found.shown["benchmark"]
    assert [(g["group"], g["score"]) for g in shown["groups"]] == [("figures", 1.0), ("letters", 0.0)]
    (whole,) = shown["combined"]
    assert (whole["name"], whole["score"], whole["pass@1"]) == ("filesystem", 0.5, {"avg": 0.5, "std": 0.0})
    assert (whole["pass@2"], whole["pass^2"]) == (0.5, 0.5)
    assert main(["report", str(found.out), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["benchmark"], report["pass@1"], report["rollouts"]) == (shown, 0.5, 4)
    assert {cause["cause"] for cause in report["failures"]["clusters"]} == {"gave up"}


def test_a_tool_server_that_does_not_start_says_why(checkout: Path, evaluate: Evaluate) -> None:
    broken = checkout / "broken.py"
    broken.write_text("raise SystemExit('no such luck')\n")
    asked = words(checkout, "--tasks", "letters", "--tool-server", f"{shlex.quote(sys.executable)} {broken}")
    found = evaluate("baseline:noop", *asked).only
    assert found.fault is not None
    assert found.fault.boundary == "tool_server"
    assert "no such luck" in found.fault.message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"--tasks": "letters/sing"}, "no task or category 'letters/sing'"),
        ({"--service": ""}, "--service is missing"),
        ({"--source": "nowhere"}, "no checkout of MCP-Mark"),
        ({"--suite": "easy"}, "is not there"),
        ({"--state": "nowhere", "--tasks": "letters"}, "the start state of letters is not there"),
        ({"--tool-server": "no-such-program"}, "no-such-program is not there"),
        ({"--python": "nowhere"}, "--python nowhere is no Python"),
        ({"--solutions": "nowhere"}, "--solutions nowhere: there is no such folder"),
        ({"--toolset": "api"}, "leave out --toolset"),
        ({"--envs": "one"}, "name --tasks"),
        ({"--benchmark": ""}, "goes with --benchmark"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    change: dict[str, str], said: str, checkout: Path, evaluate: Evaluate, tmp_path: Path
) -> None:
    given: dict[str, Any] = {
        "--benchmark": "mcpmark",
        "--service": "filesystem",
        "--source": checkout,
        "--tool-server": SERVER,
    }
    asked = [str(word) for pair in {**given, **change}.items() if pair[1] != "" for word in pair]
    found = evaluate("baseline:noop", *asked)
    assert found.status == 2
    assert said in found.said
    assert found.said.count("\n") == 1
    assert not found.out.exists()


# A tree as MCP-Mark's `stateContent` draws it: names of files are leaves, folders end in a slash.
Tree = dict[str, Any]
NAMES = st.text("abcDEF_.0 ", min_size=1, max_size=8).filter(lambda n: n.strip(". ") == n)
TREES = st.recursive(st.just({}), lambda sub: st.dictionaries(NAMES, st.none() | sub, max_size=4), max_leaves=12)


def drawn(tree: Tree, before: str = "    ") -> list[str]:
    lines = list[str]()
    for number, (name, sub) in enumerate(tree.items(), 1):
        last = number == len(tree)
        lines.append(f"{before}{'└' if last else '├'}── {name}{'' if sub is None else '/'}")
        lines += drawn(sub or {}, before + ("        " if last else "│       "))
    return lines


def read(folder: Path) -> Tree:
    return {p.name: read(p) if p.is_dir() else None for p in folder.iterdir()}


@given(TREES)
def test_a_start_state_is_built_as_it_is_drawn(tmp_path_factory: pytest.TempPathFactory, tree: Tree) -> None:
    root = tmp_path_factory.mktemp("drawn") / "root"
    build("\n".join(["root/", *drawn(tree)]), root)
    assert read(root) == tree


def test_a_task_whose_state_is_only_listed(checkout: Path, evaluate: Evaluate) -> None:
    about = {"meta_data": {"stateType": "text", "stateContent": "letters/\n    └── name.txt"}}
    (checkout / "tasks/filesystem/standard/letters/greet/meta.json").write_text(json.dumps(about))
    os.rename(checkout / "test_environments/letters", checkout / "elsewhere")
    solved = words(checkout, "--tasks", "letters", "--listing-state", "--solutions", checkout / "solutions")
    found = evaluate("baseline:reference", *solved).only
    assert found.verdict == "passed"
    assert "built from the task's own listing" in found.notes[0]
