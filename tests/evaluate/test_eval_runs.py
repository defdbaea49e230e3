"""Run folders: what is in them, how a rerun goes on, what a kill leaves, and that stored rollouts can be lived again."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp.controller import environments
from legoenv_mcp.evaluate.regrade import regraded
from legoenv_mcp.evaluate.rollout import Rollout
from tests.evaluate import policies
from tests.evaluate.conftest import COPIES, Evaluate
from tests.evaluate.policies import WIN
from tests.support.model_server import Answer, Reply, calls, model_server

ALL = ",".join(f"deal_{n}" for n in range(COPIES))
Row = tuple[Any, ...]


def outcome(rollout: Rollout) -> Row:
    """What must be the same wherever and whenever a rollout of a script is run."""
    made = [(c.tool, str(c.arguments), c.status, c.result, c.turn) for c in rollout.calls]
    return (
        rollout.environment, rollout.environment_hash, rollout.verifier_hash, rollout.attempt, rollout.verdict, rollout.reward,
        rollout.share, rollout.ended, rollout.answer, rollout.assertions, json.dumps(rollout.diff), made, rollout.messages,
        rollout.steps, rollout.usage,
    )  # fmt: skip


def table(path: Path) -> list[Row]:
    """The run's results as one would read them out of its SQLite file."""
    with sqlite3.connect(path / "results.sqlite") as db:
        found = db.execute(
            "SELECT environment, attempt, verdict, reward, share, ended, steps, input_tokens, output_tokens, answer, count(c.id),"
            " group_concat(c.tool || c.status) FROM rollouts r LEFT JOIN calls c ON c.rollout = r.id GROUP BY r.id ORDER BY 1, 2"
        ).fetchall()
    db.close()
    return found


# What is there


def test_a_run_folder_has_mcp_marks_layout_and_the_same_in_tables(evaluate: Evaluate) -> None:
    with model_server(policies.mixed) as model:
        run = evaluate(model.url, "--k", "2", "--max-steps", "4", envs="deal_0,deal_1,deal_2")
    assert (run.status, run.shown["passed"], run.shown["failed"]) == (0, 2, 4)
    folder = run.out / "scripted__legoenv" / "run-2" / "general__deal_1"
    assert {p.name for p in folder.iterdir()} == {"rollout.json", "messages.json", "execution.log", "meta.json"}
    meta = json.loads((folder / "meta.json").read_text())
    assert set(meta) >= {
        "task_name", "model_name", "litellm_run_model_name", "reasoning_effort", "mcp", "timeout", "time", "agent_execution_time",
        "task_execution_time", "execution_result", "token_usage", "turn_count",
    }  # fmt: skip
    assert meta["task_name"] == "general__deal_1"
    assert (meta["execution_result"]["success"], meta["execution_result"]["error_message"]) == (False, None)
    assert "noted" in meta["execution_result"]["verification_error"]
    assert meta["token_usage"] == {"input_tokens": 20, "output_tokens": 10, "reasoning_tokens": 0, "total_tokens": 30}
    items = json.loads((folder / "messages.json").read_text())
    assert [i["type"] for i in items] == ["message", "message", "function_call", "function_call_output", "message"]
    assert items[2]["call_id"] == items[3]["call_id"]
    assert WIN[0] in (folder / "execution.log").read_text()
    summary = json.loads((run.out / "scripted__legoenv" / "run-1" / "summary.json").read_text())
    assert (summary["total_tasks"], summary["successful_tasks"], summary["success_rate"]) == (3, 1, 33.33)
    assert summary["token_usage"]["total_input_tokens"] == sum(r.usage.input_tokens for r in run.rollouts) / 2
    assert summary["token_usage"]["avg_total_tokens"] > 0
    assert summary["category_breakdown"]["general"]["token_usage"].keys() >= {"total_input", "total", "avg_total"}
    assert len(table(run.out)) == 6
    with sqlite3.connect(run.out / "results.sqlite") as db:
        failed = db.execute(
            "SELECT DISTINCT a.name FROM assertions a JOIN rollouts r ON r.id = a.rollout WHERE NOT passed"
        ).fetchall()
        folders = [row[0] for row in db.execute("SELECT folder FROM rollouts")]
    db.close()
    assert ("noted",) in failed
    assert all((run.out / name / "rollout.json").is_file() for name in folders)


def test_no_key_is_ever_written(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with model_server(policies.solves) as model:
        run = evaluate(model.url, "--api-key-env", "MY_KEY")
    assert model.headers[0]["authorization"] == "Bearer sk-very-secret"
    assert not [p for p in run.out.rglob("*") if p.is_file() and b"very-secret" in p.read_bytes()]


# Going on


def test_a_rerun_does_only_what_is_missing(evaluate: Evaluate) -> None:
    with model_server(policies.mixed) as model:
        first = evaluate(model.url, "--max-steps", "4", envs="deal_0,deal_1")
        asked = len(model.requests)
        again = evaluate(model.url, "--max-steps", "4", envs="deal_0,deal_1")
        assert len(model.requests) == asked
        assert again.shown["already"] == 2
        assert {k: v for k, v in again.shown.items() if k in ("passed", "failed", "rollouts")} == {
            "passed": 1, "failed": 1, "rollouts": 2,
        }  # fmt: skip
        grown = evaluate(model.url, "--max-steps", "4", "--k", "2", "--concurrency", "2", envs="deal_0,deal_1")
    assert grown.shown["already"] == 2
    assert [r.attempt for r in grown.rollouts] == [1, 1, 2, 2]
    assert first.rollouts == grown.rollouts[:2]


@pytest.mark.parametrize(
    ("words", "envs", "said"),
    [
        (["--max-steps", "7"], "deal_0", "max_steps is 50 there, 7 here"),
        (["--temperature", "0.5"], "deal_0", "temperature is None there, 0.5 here"),
        (["--toolset", "api"], "deal_0", "toolset is mcp there, api here"),
        ([], "deal_0,deal_1", "environments is 1 (deal_0) there, 2 (deal_0, deal_1) here"),
        (["--k", "1"], "deal_0", "k is 2 there, 1 here"),
    ],
)
def test_another_evaluation_in_the_same_folder_is_refused(
    evaluate: Evaluate, words: list[str], envs: str, said: str
) -> None:
    with model_server(policies.solves) as model:
        evaluate(model.url, "--k", "2", envs="deal_0")
        k = [] if "--k" in words else ["--k", "2"]
        refused = evaluate(model.url, *k, *words, envs=envs)
    assert refused.status == 2
    assert said in refused.said
    assert refused.said.count("\n") == 1


def test_a_folder_of_something_else_is_left_alone(evaluate: Evaluate, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("irreplaceable")
    refused = evaluate("", model="baseline:noop")
    assert (refused.status, "no run folder" in refused.said) == (2, True)
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["thesis.txt"]


def test_an_invalid_rollout_is_run_again_and_a_failed_one_is_not(evaluate: Evaluate) -> None:
    down = True

    def policy(body: dict[str, Any], _: int) -> Answer:
        return Reply(status=500) if down and policies.number(body) == 1 else policies.half_solves(body)

    with model_server(policy) as model:
        first = evaluate(model.url, "--retries", "0", envs="deal_0,deal_1")
        assert (first.status, first.shown["failed"], first.shown["invalid"]) == (1, 1, 1)
        down, before = False, len(model.requests)
        second = evaluate(model.url, "--retries", "0", envs="deal_0,deal_1")
    assert (second.status, second.shown["failed"], second.shown["invalid"]) == (0, 2, 0)
    assert {policies.number(r) for r in model.requests[before:]} == {1}


def test_one_run_folder_takes_one_evaluation_at_a_time(evaluate: Evaluate, tmp_path: Path) -> None:
    def waits(body: dict[str, Any], number: int) -> Answer:
        return Reply(policies.ANSWER, seconds=60)

    with model_server(waits) as model:
        process = _start(tmp_path / "run", model.url, "deal_0", 1)
        while not model.requests:
            assert process.poll() is None
            time.sleep(0.01)
        second = evaluate(model.url, "--max-steps", "4", envs="deal_0")
        process.kill()
        process.communicate()
    assert (second.status, second.said.count("\n")) == (2, 1)
    assert "another process" in second.said


def test_an_environment_that_changed_is_run_again(evaluate: Evaluate, tmp_path: Path) -> None:
    path = tmp_path / "atoms" / "environments" / "deal_0.toml"
    with model_server(policies.solves) as model:
        first = evaluate(model.url, envs="deal_0")
        path.write_text(path.read_text().replace("difficulty = 1", "difficulty = 3"))
        second = evaluate(model.url, envs="deal_0")
    assert first.only.environment_hash != second.only.environment_hash
    assert (second.shown["already"], second.only.difficulty) == (0, 3)


def _start(out: Path, url: str, envs: str, k: int) -> "subprocess.Popen[bytes]":
    words = ["eval", "--model", "scripted", "--base-url", url, "--envs", envs, "--k", str(k), "--max-steps", "4"]
    command = [sys.executable, "-m", "legoenv_mcp.cli", *words, "--concurrency", "3", "--out", str(out)]
    # Tests may run where Ctrl-C is ignored (a shell's background jobs), which a process inherits.
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def _wait_for(out: Path, count: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while len(list(out.glob("*/run-*/*/meta.json"))) < count:
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_cut_off_goes_on_to_the_same_table(
    evaluate: Evaluate, tmp_path: Path, how: signal.Signals
) -> None:
    """SIGKILL and Ctrl-C lose at most what was in flight; after a rerun nothing tells that there was one."""

    def slow(body: dict[str, Any], number: int) -> Answer:
        """Enough rollouts end at once; those after them last until the run is cut off."""
        said = policies.mixed(body)
        assert not isinstance(said, Reply | int)
        return Reply(said, seconds=0.02 if number < 40 else 20)

    with model_server(slow) as model:
        process = _start(tmp_path / "cut", model.url, ALL, 4)
        _wait_for(tmp_path / "cut", 5, process)
        process.send_signal(how)
        _, said = process.communicate(timeout=60)
        survived = {p: p.stat().st_mtime_ns for p in (tmp_path / "cut").glob("*/run-*/*/rollout.json")}
        whole = [p for p in survived if p.with_name("meta.json").exists()]
        assert 5 <= len(whole) < 24
        assert process.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 130)
        if how == signal.SIGINT:
            assert b"goes on with it" in said
            assert b"Traceback" not in said
    with model_server(policies.mixed) as model:
        words = ("--k", "4", "--max-steps", "4")
        gone_on = evaluate(model.url, *words, envs=ALL, out="cut")
        undisturbed = evaluate(model.url, *words, envs=ALL, out="undisturbed")
    assert gone_on.shown["already"] == len(whole)
    assert all(p.stat().st_mtime_ns == survived[p] for p in whole)
    assert table(gone_on.out) == table(undisturbed.out)
    assert list(map(outcome, gone_on.rollouts)) == list(map(outcome, undisturbed.rollouts))
    layout = [sorted(str(p.relative_to(r.out)) for p in r.out.rglob("*")) for r in (gone_on, undisturbed)]
    assert layout[0] == layout[1]


# The same everywhere


def test_a_gateway_and_this_process_agree(evaluate: Evaluate, gateway: Any) -> None:
    results = list[list[Row]]()
    for policy in (policies.solves, policies.half_solves):
        for toolset in ("mcp", "api"):
            with model_server(policy) as model:
                words = ("--toolset", toolset)
                here = evaluate(model.url, *words, out=f"here-{policy.__name__}-{toolset}")
                there = evaluate(model.url, *words, "--target", gateway.url, out=f"there-{policy.__name__}-{toolset}")
            assert (here.status, there.status) == (0, 0)
            assert outcome(here.only) == outcome(there.only)
            assert here.only.tools == there.only.tools
            results.append([outcome(here.only)])
    assert [rows[0][4] for rows in results] == ["passed", "failed", "failed", "failed"]


def test_a_gateway_and_this_process_agree_where_there_are_too_many_tools(evaluate: Evaluate, gateway: Any) -> None:
    """168 tools: the reference plan calls them all the same, a model gets the two-tool face."""
    words = ("--target", gateway.url)
    here = evaluate("", envs="refund_within_policy", model="baseline:reference", out="here")
    there = evaluate("", *words, envs="refund_within_policy", model="baseline:reference", out="there")
    assert (here.only.verdict, here.only.toolset, len(here.only.tools)) == ("passed", "mcp", 168)
    assert outcome(here.only) == outcome(there.only)
    assert again(here.only) == here.only
    script = [calls(("api_search", {"query": "refund a charge", "app": "stripe"})), "Done."]
    with model_server(lambda body, _: script[policies.turn(body)]) as model:
        two = evaluate(model.url, envs="refund_within_policy", out="two")
        far = evaluate(model.url, *words, envs="refund_within_policy", out="far")
    assert [t["function"]["name"] for t in two.only.tools] == ["api_search", "api_request"]
    assert (two.only.toolset, two.only.calls[0].status) == ("api", 200)
    assert any("two-tool face" in note for note in two.only.notes)
    assert outcome(two.only) == outcome(far.only)


def test_a_gateway_with_a_token_and_little_room(
    evaluate: Evaluate, start_gateway: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway = start_gateway("--token", "s3cret", "--max-episodes", "2", token="s3cret")
    monkeypatch.setenv("THE_TOKEN", "s3cret")
    words = ("--target", gateway.url, "--k", "5", "--concurrency", "2")
    run = evaluate("", *words, "--token-env", "THE_TOKEN", model="baseline:reference")
    assert (run.status, run.shown["passed"]) == (0, 5)
    refused = evaluate("", *words, model="baseline:reference", out="refused")
    assert (refused.status, refused.shown["faults"]) == (1, {"tool_server": 5})
    assert refused.rollouts[0].fault is not None
    assert "401" in refused.rollouts[0].fault.message


def test_no_gateway_is_the_tools_fault(evaluate: Evaluate) -> None:
    run = evaluate("", "--target", "http://127.0.0.1:9", model="baseline:noop")
    assert run.only.fault is not None
    assert (run.status, run.only.verdict, run.only.fault.boundary) == (1, "invalid", "tool_server")


def test_stored_rollouts_earn_the_same_verdict_again(evaluate: Evaluate, tmp_path: Path) -> None:
    with model_server(policies.mixed) as model:
        run = evaluate(model.url, "--max-steps", "4", envs="deal_0,deal_1,deal_2")
    assert [again(rollout) for rollout in run.rollouts] == run.rollouts
    solved = run.rollouts[0]
    assert again(solved.model_copy(update={"calls": solved.calls[:1], "diff": []})).verdict == "failed"
    assert again(solved.model_copy(update={"calls": []})).verdict == "passed", "from the diff alone"


def again(rollout: Rollout) -> Rollout:
    """The stored rollout, judged anew."""
    return regraded(rollout, environments.load(rollout.environment))
