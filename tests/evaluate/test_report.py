"""`legoenv report` on run folders: what it counts, what it says, what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp.cli import main
from legoenv_mcp.controller import environments
from legoenv_mcp.evaluate.rollout import Rollout
from tests.support.runs import played, rollout, write_run


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str | Path, status: int = 0) -> Any:
        assert main(["report", *map(str, words)]) == status
        said = capsys.readouterr()
        if status:
            return said.err
        return json.loads(said.out) if "--json" in words else said.out

    return run


def verdicts(**environments: str) -> list[Rollout]:
    """`e1="pf-"`: environment e1, attempt 1 passed, 2 failed, 3 invalid."""
    word = {"p": "passed", "f": "failed", "-": "invalid"}
    return [
        rollout(name, attempt, word[letter])
        for name, letters in environments.items()
        for attempt, letter in enumerate(letters, 1)
    ]


def one_line(said: str) -> bool:
    return said.count("\n") == 1 and said.startswith("legoenv: ")


def test_the_headline_metrics(report: Any, tmp_path: Path) -> None:
    run = write_run(tmp_path, verdicts(e1="pppp", e2="pfpf", e3="ffff", e4="pf"), k=4)
    found = report(run, "--json")
    assert (found["environments"], found["rollouts"], found["k"]) == (4, 14, 4)
    assert found["pass@1"] == pytest.approx((1 + 0.5 + 0 + 0.5) / 4)
    assert found["pass@k"] == pytest.approx((1 + 1 + 0) / 3)
    assert found["pass^k"] == pytest.approx((1 + 0 + 0) / 3)
    assert found["avg@k"] == pytest.approx((3 / 4 + 1 / 4 + 2 / 3 + 1 / 3) / 4)
    for name in ("pass@1", "avg@k", "pass@k", "pass^k"):
        low, high = found["intervals"][name]
        assert low <= found[name] <= high
    assert found["too_few"] == [{"environment": "e4", "valid": 2}]
    assert any("fewer than 4 valid rollouts" in note and "e4 (2)" in note for note in found["notes"])
    assert found["mcpmark"]["environments"] == 3
    assert found["mcpmark"]["pass@4"] == pytest.approx(2 / 3)
    assert found["curve"]["pass@k"][0] == found["curve"]["pass^k"][0] == pytest.approx(0.5)
    assert report(run, "--json") == found


def test_another_k(report: Any, tmp_path: Path) -> None:
    run = write_run(tmp_path, verdicts(e1="ppff", e2="pf"))
    found = report(run, "--json", "--k", "2")
    assert found["pass@k"] == pytest.approx((5 / 6 + 1) / 2)
    assert found["pass^k"] == pytest.approx((1 / 6 + 0) / 2)
    assert found["too_few"] == []


def test_invalid_rollouts_are_beside_never_a_zero(report: Any, tmp_path: Path) -> None:
    broken = [
        *verdicts(e1="p-", e2="--"),
        rollout("e3", 1, "invalid", fault={"boundary": "tool_server", "message": "lost"}),
    ]
    found = report(write_run(tmp_path, broken), "--json")
    assert (found["pass@1"], found["invalid"], found["passed"], found["failed"]) == (1.0, 4, 1, 0)
    assert found["invalid_by"] == {"provider": 3, "tool_server": 1}
    assert found["by_environment"]["e2"]["pass@1"] is None
    assert found["pass@k"] is None
    text = report(tmp_path)
    assert "4 invalid (3 provider, 1 tool_server)" in text


def test_groups(report: Any, tmp_path: Path) -> None:
    run = [
        rollout(
            "e1",
            1,
            "passed",
            apps=("slack", "gmail"),
            difficulty=2,
            rules=("desk",),
            traps=("near",),
            capabilities=("chat", "email"),
        ),
        rollout("e2", 1, "failed", apps=("slack",), difficulty=3, world="quaymark", domain="", intent="other"),
        rollout("e3", 1, "invalid", apps=("gmail",), difficulty=3),
    ]
    found = report(write_run(tmp_path, run), "--json")
    assert found["by_app"]["slack"]["pass@1"] == 0.5
    assert (found["by_app"]["gmail"]["pass@1"], found["by_app"]["gmail"]["invalid"]) == (1.0, 1)
    assert {name: group["environments"] for name, group in found["by_difficulty"].items()} == {"2": 1, "3": 2}
    assert found["by_capability"].keys() == {"chat", "email"}
    assert found["by_rule"]["desk"]["passed"] == 1
    assert found["by_rule"]["(none)"]["environments"] == 2
    assert found["by_trap"]["near"]["interval"] == [1.0, 1.0]
    assert found["by_world"].keys() == {"larkfell", "quaymark"}
    assert found["by_domain"].keys() == {"sales", "(none)"}
    assert found["by_intent"]["other"]["pass@1"] == 0.0


def test_an_intent_passes_with_every_branch_of_its_rules(report: Any, tmp_path: Path) -> None:
    def one(name: str, verdict: str, intent: str, branch: str) -> Rollout:
        return rollout(name, 1, verdict, intent=intent, branch=branch, rules=("desk",))

    run = [
        one("a1", "passed", "a", "Desk: applies"), one("a2", "passed", "a", "Desk: does not apply"),
        one("b1", "failed", "b", "Desk: applies"), one("b2", "passed", "b", "Desk: does not apply"),
        one("c1", "passed", "c", "Desk: applies"),
    ]  # fmt: skip
    found = report(write_run(tmp_path, run), "--json")["every_branch"]
    assert (found["share"], found["intents"], found["one_branch_only"]) == (0.5, 2, 1)
    assert found["by_intent"] == {"a": 1.0, "b": 0.0}


def test_what_was_spent(report: Any, tmp_path: Path) -> None:
    usage = {"input_tokens": 900, "output_tokens": 100, "reasoning_tokens": 60, "cost": 0.25}
    run = [
        rollout("e1", 1, "passed", usage=usage, steps=4),
        rollout("e2", 1, "failed", usage=usage, steps=8),
        rollout("e3", 1, "invalid"),
    ]
    found = report(write_run(tmp_path, run), "--json")
    assert found["tokens"] == {"input": 1800, "output": 200, "reasoning": 120, "per_rollout": pytest.approx(2000 / 3)}
    assert found["cost"] == {"total": 0.5, "per_rollout": 0.25, "per_passed": 0.5}
    assert found["steps"] == {"mean": 6.0, "median": 6.0, "max": 8}
    free = report(write_run(tmp_path / "free", verdicts(e1="p")), "--json")
    assert free["cost"] == {"total": None, "per_rollout": None, "per_passed": None}


def test_an_unfinished_run_says_so(report: Any, tmp_path: Path) -> None:
    run = write_run(tmp_path, verdicts(e1="pp", e2="p"), k=2, environments=["e1", "e2", "e3"])
    assert any("3 of 6 rollouts are still to come" in note for note in report(run, "--json")["notes"])


def test_the_tables_fit_a_hundred_columns(report: Any, tmp_path: Path) -> None:
    run = [rollout(f"a_rather_long_name_of_an_environment-{n:08x}", a, ("pf"[(n + a) % 2] == "p" and "passed") or "failed",
                   apps=("google_calendar", "slack"), difficulty=1 + n % 5) for n in range(6) for a in (1, 2)]  # fmt: skip
    text = report(write_run(tmp_path / "a", run), write_run(tmp_path / "b", verdicts(e1="pf")))
    assert max(map(len, text.splitlines())) <= 100
    for said in ("pass@1", "95 % interval", "By difficulty", "google_calendar", "█", "Why rollouts failed", "Compared"):
        assert said in text
    assert "trap" not in text
    assert "By trap" in report(tmp_path / "a", "--by", "trap")


def test_two_runs_are_compared_environment_by_environment(report: Any, tmp_path: Path) -> None:
    first = write_run(tmp_path / "1", verdicts(same="pf", up="ff", down="pp", gone="pp", void="--"))
    other = [
        *verdicts(same="fp", up="pf", down="ff", new="pp", void="pp"),
        rollout("changed", 1, environment_hash="new"),
    ]
    write_run(first, [rollout("changed", 1, environment_hash="old")])
    found = report(first, write_run(tmp_path / "2", other), "--json")
    compared = found["comparison"]
    assert (compared["environments"], compared["same"], compared["changed_between"]) == (3, 1, 1)
    assert (compared["only_first"], compared["only_second"], compared["without_a_valid_rollout"]) == (1, 1, 1)
    assert [(m["environment"], m["change"]) for m in compared["gained"]] == [("up", 0.5)]
    assert [(m["environment"], m["change"]) for m in compared["lost"]] == [("down", -1.0)]
    difference = compared["pass@1"]
    assert difference["difference"] == pytest.approx((0.5 + 0 - 1) / 3)
    assert difference["interval"][0] <= difference["difference"] <= difference["interval"][1]
    assert compared["sign_test"] == 1.0
    assert found["other"]["rollouts"] == 11
    assert found["rollouts"] == 11


def test_bad_folders_are_one_line(report: Any, tmp_path: Path) -> None:
    assert one_line(report(tmp_path / "none", status=2))
    (tmp_path / "empty").mkdir()
    assert "no finished rollout" in report(tmp_path / "empty", status=2)
    write_run(tmp_path / "two", [rollout("e1"), rollout("e1", model="other")])
    said = report(tmp_path / "two", status=2)
    assert one_line(said)
    assert "--model" in said
    assert report(tmp_path / "two", "--json", "--model", "other")["model"] == "other"
    damaged = write_run(tmp_path / "damaged", verdicts(e1="p"))
    (path,) = damaged.rglob("rollout.json")
    path.write_text('{"environment": ')
    said = report(damaged, status=2)
    assert one_line(said)
    assert str(path) in said
    assert one_line(
        report(write_run(tmp_path / "fine", verdicts(e1="p")), "--html", tmp_path / "no" / "r.html", status=2)
    )


def test_a_rollout_in_the_making_is_not_counted(report: Any, tmp_path: Path) -> None:
    run = write_run(tmp_path, verdicts(e1="pf"))
    next(iter(sorted(run.rglob("meta.json")))).unlink()
    assert report(run, "--json")["rollouts"] == 1


def test_grading_anew_comes_to_the_same_and_tells_what_does_not(report: Any, tmp_path: Path) -> None:
    deal = environments.load("win_a_deal")
    right, wrong = played(deal, 1), played(deal, 2, plan=deal.plan[:1])
    found = report(write_run(tmp_path / "same", [right, wrong]), "--regrade", "--json")
    assert found["regraded"] == {"same": 2, "changed": [], "not_possible": []}
    without_calls = right.model_copy(update={"calls": [], "messages": []})
    assert report(write_run(tmp_path / "laid", [without_calls]), "--regrade", "--json")["regraded"]["same"] == 1
    forged = wrong.model_copy(update={"verdict": "passed", "reward": 1.0})
    said = report(write_run(tmp_path / "forged", [right, forged]), "--regrade", status=1)
    assert "passed is now failed" in said
    elsewhere = [{**right.diff[0], "key": [999]}, *right.diff[1:]]
    lost = right.model_copy(update={"diff": elsewhere, "calls": []})
    unknown = rollout("nobody_knows_it", 1)
    found = report(write_run(tmp_path / "lost", [lost, unknown]), "--regrade", "--json")["regraded"]
    assert found["same"] == 0
    assert [one["environment"] for one in found["not_possible"]] == ["nobody_knows_it", "win_a_deal"]


def test_an_evaluation_is_reported_as_it_went(report: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model in ("reference", "noop"):
        assert (
            main(
                [
                    "eval",
                    "--model",
                    f"baseline:{model}",
                    "--envs",
                    "deal_0,deal_1",
                    "--k",
                    "2",
                    "--out",
                    str(tmp_path / model),
                ]
            )
            == 0
        )
    capsys.readouterr()
    best, none = (report(tmp_path / m, "--json", "--regrade") for m in ("reference", "noop"))
    assert (best["pass@1"], best["pass^k"], best["regraded"]["same"]) == (1.0, 1.0, 4)
    assert (none["pass@1"], none["pass@k"], none["failures"]["causes"]) == (0.0, 0.0, {"gave up": 4})
    assert none["failures"]["clusters"][0]["rollouts"] == 4
