"""Benchmarks that are packages: each in a virtual environment of its own, asked over JSON lines."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.foreign.conftest import Evaluate, python_with, write
from tests.foreign.packages import AUTOMATIONBENCH, BFCL, CATEGORIES
from tests.support.model_server import calls, model_server

TELL = "automationbench:sales/sales.tell"
SEND = ("api_fetch", {"method": "POST", "url": "https://mail/send", "body": {"to": "ada"}})


@pytest.fixture(scope="module")
def automationbench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return python_with(tmp_path_factory.mktemp("automationbench") / "venv", AUTOMATIONBENCH)


def scripted(evaluate: Evaluate, words: list[Any], *said: Any) -> Any:
    with model_server(list(said)) as model:
        return evaluate("scripted", *words, "--base-url", model.url), model.requests


def test_automationbench_is_played_and_judged_by_the_package(automationbench: Path, evaluate: Evaluate) -> None:
    words = ["--benchmark", "automationbench", "--source", automationbench, "--tasks", "sales.tell"]
    (found, requests) = scripted(evaluate, words, calls(("api_search", {"query": "mail"}), SEND), "Done.")
    rollout = found.only
    assert (found.status, rollout.environment, rollout.verdict, rollout.share) == (0, TELL, "passed", 1.0)
    assert (rollout.apps, rollout.domain) == (("chat", "crm", "mail"), "sales")
    assert [m["content"] for m in requests[0]["messages"]] == ["Work.", "Tell Ada that the deal is won."]
    assert {t["function"]["name"]: t["function"]["description"] for t in requests[0]["tools"]} == {
        "api_search": "Finds endpoints.", "api_fetch": "Calls one.", "base64_encode": "Encodes."
    }  # fmt: skip
    # What held from the start and was not broken does not count, nor what the benchmark does not score.
    assert [(a.name, a.passed) for a in rollout.assertions] == [("mail_sent", True)]
    assert rollout.diff == [
        {"app": "mail", "table": "sent", "change": "insert", "key": ["0"], "after": {"id": 0, "to": "ada"}}
    ]


def test_automationbench_has_its_errors_in_the_body(automationbench: Path, evaluate: Evaluate) -> None:
    words = ["--benchmark", "automationbench", "--source", automationbench, "--tasks", "sales.tell"]
    wrong = [
        ("api_fetch", {"method": "GET", "url": "https://tickets/1"}),
        ("api_fetch", {"method": "POST", "url": "https://mail/send", "body": "no JSON"}),
        ("api_fetch", {"method": "POST"}),
        ("no_such_tool", {}),
        ("api_fetch", {**SEND[1], "body": '{"to": "eve"}'}),
    ]
    found, _ = scripted(evaluate, words, calls(*wrong), calls(SEND), "Done.")
    assert [c.status for c in found.only.calls] == [401, 400, 400, 404, 200, 200]
    assert (found.only.verdict, found.only.share) == ("failed", 0.5)
    assert [(a.name, a.passed) for a in found.only.assertions] == [("mail_sent", True), ("mail_not_sent", False)]


def test_automationbench_takes_solutions(automationbench: Path, evaluate: Evaluate, tmp_path: Path) -> None:
    write(tmp_path / "solutions", {"sales/sales.tell.json": json.dumps([{"tool": SEND[0], "arguments": SEND[1]}])})
    words = ["--benchmark", "automationbench", "--source", automationbench, "--tasks", "sales.tell"]
    assert evaluate("baseline:reference", *words, "--solutions", tmp_path / "solutions").verdicts == {TELL: "passed"}
    assert evaluate("baseline:noop", *words).verdicts == {TELL: "failed"}
    lost = evaluate("baseline:reference", *words, out="without").only
    assert lost.fault is not None
    assert "has no reference solution" in lost.fault.message


def test_a_package_that_breaks_or_dies_gives_no_verdict(automationbench: Path, evaluate: Evaluate) -> None:
    words = ["--benchmark", "automationbench", "--source", automationbench, "--tasks"]
    broken = evaluate("baseline:noop", *words, "sales.broken").only
    dying = calls(("api_fetch", {"method": "GET", "url": "https://mail/die"}))
    dead, _ = scripted(evaluate, [*words, "sales.tell"], dying, "Done.")
    for rollout, why in ((broken, "an assertion cannot be judged"), (dead.only, "the worker ended")):
        assert rollout.fault is not None
        assert (rollout.verdict, rollout.reward, rollout.fault.boundary) == ("invalid", None, "tool_server")
        assert why in rollout.fault.message


def test_automationbench_names_its_tasks(automationbench: Path, evaluate: Evaluate) -> None:
    words = ["--benchmark", "automationbench", "--source", automationbench]
    assert "no task or domain 'sales.sing'" in evaluate("baseline:noop", *words, "--tasks", "sales.sing").said
    assert "--service goes with" in evaluate("baseline:noop", *words, "--service", "postgres").said
    assert "is no Python" in evaluate("baseline:noop", "--benchmark", "bfcl", "--source", "nowhere").said
    assert "has no package bfcl-eval" in evaluate("baseline:noop", "--benchmark", "bfcl", *words[2:]).said


# BFCL

COUNT = {
    "name": "add",
    "description": "Adds.",
    "parameters": {"type": "dict", "properties": {"by": {"type": "integer"}}},
}
HALVE = {"name": "halve", "description": "Halves.", "parameters": {"type": "dict", "properties": {}}}
AREA = {
    "name": "circle.area",
    "description": "Area.",
    "parameters": {"type": "dict", "properties": {"r": {"type": "integer"}}},
}


def user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


ENTRIES: dict[str, Any] = {
    "multi_turn_miss_func": {
        "question": [user("Add 3."), user("Halve it."), []], "involved_classes": ["Counter"], "function": [COUNT],
        "initial_config": {"Counter": {"start": 1}}, "missed_function": {"2": [HALVE]},
    },
    "parallel": {"question": [user("Both areas.")], "function": [AREA]},
    "irrelevance": {"question": [user("Sing.")], "function": [AREA]},
}  # fmt: skip
ANSWERS: dict[str, Any] = {
    "multi_turn_miss_func": [["add(3)"], [], ["halve()"]],
    "parallel": [{"circle.area": {"r": [1]}}, {"circle.area": {"r": [2, 2.0]}}],
}
GROUPS = ("multi_turn_miss_func", "parallel", "irrelevance")


@pytest.fixture(scope="module")
def bfcl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = {f"bfcl_eval/data/BFCL_v4_{c}.json": "" for c in CATEGORIES}
    for category, entry in ENTRIES.items():
        line = json.dumps({"id": f"{category}_0", **entry}) + "\n"
        data[f"bfcl_eval/data/BFCL_v4_{category}.json"] = line
    for category, answer in ANSWERS.items():
        data[f"bfcl_eval/data/answers_{category}.json"] = (
            json.dumps({"id": f"{category}_0", "ground_truth": answer}) + "\n"
        )
    return python_with(tmp_path_factory.mktemp("bfcl") / "venv", {**BFCL, **data})


def asked(bfcl: Path, tasks: str) -> list[Any]:
    return ["--benchmark", "bfcl", "--source", bfcl, "--tasks", tasks]


def test_bfcls_ground_truth_passes_its_checkers(bfcl: Path, evaluate: Evaluate) -> None:
    right = evaluate("baseline:reference", *asked(bfcl, ",".join(GROUPS)))
    nothing = evaluate("baseline:noop", *asked(bfcl, ",".join(GROUPS)))
    ids = [f"bfcl:{group}/{group}_0" for group in GROUPS]
    assert right.verdicts == dict.fromkeys(ids, "passed")
    assert nothing.verdicts == dict(
        zip(ids, ("failed", "failed", "passed"), strict=True)
    )  # no call is right for the last
    shown = right.shown["benchmark"]
    assert [(g["group"], g["tasks"], g["of"]) for g in shown["groups"]] == [(g, 1, 1) for g in GROUPS]
    assert shown["combined"] == []  # no part was run whole; and there is never an Overall
    assert len(shown["not_run"]) == len(CATEGORIES) - len(GROUPS)


def test_bfcls_user_goes_on_and_tools_come_later(bfcl: Path, evaluate: Evaluate) -> None:
    said = [calls(("add", {"by": 3})), "Added.", "I cannot.", calls(("halve", {})), "Halved."]
    found, requests = scripted(evaluate, asked(bfcl, "multi_turn_miss_func_0"), *said)
    rollout = found.only
    assert (rollout.verdict, rollout.ended, rollout.steps, rollout.answer) == ("passed", "answered", 5, "Halved.")
    told = [m["content"] for m in rollout.messages if m["role"] == "user"]
    assert told == ["Add 3.", "Halve it.", "There is more now."]
    assert rollout.messages[0]["role"] == "user"  # BFCL has no system message
    names = [[t["function"]["name"] for t in r["tools"]] for r in requests]
    assert names == [["add"]] * 3 + [["add", "halve"]] * 2
    (change,) = rollout.diff
    assert (change["table"], change["columns"]["value"]) == ("count", {"before": 1, "after": 2})


def test_bfcl_tells_the_model_what_fails_and_runs_no_other_code(bfcl: Path, evaluate: Evaluate) -> None:
    wrong = [
        ("halve", {}),
        ("add", {"by": "3"}),
        ("__import__('os').system", {"command": "x"}),
        ("add", {"by=1) or print(": 1}),
        ("add", {"by": 2}),
        ("halve", {}),
    ]
    found, _ = scripted(evaluate, asked(bfcl, "multi_turn_miss_func_0"), calls(*wrong), "A.", "B.", "C.")
    assert [c.status for c in found.only.calls] == [400, 400, 404, 400, 200, 400]
    assert "odd" in found.only.calls[-1].result
    assert (found.only.verdict, found.only.assertions[0].detail) == ("failed", "state turn 0: 3, not 4")


def test_bfcl_ends_a_turn_that_goes_on_too_long(bfcl: Path, evaluate: Evaluate) -> None:
    found, _ = scripted(evaluate, asked(bfcl, "multi_turn_miss_func_0"), calls(("add", {"by": 0})))
    assert (found.only.ended, found.only.steps, found.only.verdict) == ("step_limit", 21, "failed")
    assert "force_terminated" in found.only.assertions[0].detail


def test_bfcls_single_turns_are_the_first_message_alone(bfcl: Path, evaluate: Evaluate) -> None:
    both = [("circle_area", {"r": 1}), ("circle_area", {"r": 2})]
    right, requests = scripted(evaluate, asked(bfcl, "parallel_0"), calls(*both))
    wrong, _ = scripted(evaluate, [*asked(bfcl, "parallel_0"), "--out", right.out / "other"], calls(both[0]))
    assert (right.only.verdict, right.only.ended, len(requests)) == ("passed", "answered", 1)
    assert requests[0]["tools"][0]["function"]["name"] == "circle_area"
    assert wrong.shown["failed"] == 1
    assert "--max-steps" in evaluate("baseline:noop", *asked(bfcl, "parallel"), "--max-steps", "3").said
