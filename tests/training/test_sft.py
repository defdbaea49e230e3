"""Supervised fine-tuning data: which turns are learnt from, which rollouts are kept, what the files look like."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legoenv_mcp.controller import environments
from legoenv_mcp.evaluate.rollout import Call, Rollout
from legoenv_mcp.training import sft
from tests.support.runs import played, rollout, write_run
from tests.training.conftest import Export

STATUSES = st.sampled_from([200, 201, 400, 404, 409, 422, 429])
TURNS = st.lists(st.lists(STATUSES, max_size=3), min_size=1, max_size=6)


def lived(turns: list[list[int]], ids: str = "c", **fields: Any) -> Rollout:
    """A rollout whose assistant turns make calls that are answered so; a turn without calls is the answer."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    calls = list[Call]()
    for turn, statuses in enumerate(turns):
        made = [
            {"id": f"{ids}{turn}-{n}", "type": "function", "function": {"name": "t", "arguments": f'{{"n": {n}}}'}}
            for n in range(len(statuses))
        ]
        messages.append(
            {"role": "assistant", "content": None if made else "done", **({"tool_calls": made} if made else {})}
        )
        for n, status in enumerate(statuses):
            calls.append(
                Call(id=f"{ids}{turn}-{n}", tool="t", arguments={"n": n}, status=status, result="r", turn=turn)
            )
            messages.append({"role": "tool", "tool_call_id": f"{ids}{turn}-{n}", "content": "r"})
    return rollout(messages=messages, calls=calls, tools=[{"type": "function", "function": {"name": "t"}}], **fields)


@given(TURNS)
def test_a_turn_is_learnt_from_unless_one_of_its_calls_was_refused(turns: list[list[int]]) -> None:
    made = sft.example(lived(turns))
    assert made["loss_turns"] == [all(status < 400 for status in statuses) for statuses in turns]
    assert len(made["loss_turns"]) == sum(m["role"] == "assistant" for m in made["messages"])


@given(TURNS, st.integers(0, 5), st.sampled_from([500, 502, 503]))
def test_a_rollout_that_met_our_fault_teaches_nothing(turns: list[list[int]], where: int, status: int) -> None:
    turns[where % len(turns)].append(status)
    chosen = sft.Selection(failing=True)
    assert list(chosen.examples([lived(turns)])) == []
    assert dict(chosen.dropped) == {"invalid": 1}


RUNS = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5), st.booleans()), min_size=1, max_size=8)


@given(RUNS)
def test_labels_are_the_tokens_of_turns_that_are_learnt_from(runs: list[tuple[int, int, bool]]) -> None:
    """Each run: how many tokens are context, how many the assistant's, whether they are learnt from."""
    ids, mask, expected, turns, token = list[int](), list[int](), list[int](), list[bool](), 1
    for context, own, learnt in runs:
        for mine in [0] * context + [1] * own:
            ids.append(token)
            mask.append(mine)
            expected.append(token if mine and learnt else sft.IGNORED)
            token += 1
        if own:
            turns.append(learnt)
    assert sft.labels(ids, mask, turns) == expected
    with pytest.raises(ValueError, match="assistant turns"):
        sft.labels(ids, mask, [*turns, True])
    with pytest.raises(ValueError, match="entries"):
        sft.labels(ids, mask[1:], turns)


@given(TURNS, st.text("xyz", min_size=1, max_size=4))
def test_repetitions_are_told_by_what_they_say_not_by_their_ids(turns: list[list[int]], prefix: str) -> None:
    turns.append([])  # an answer: there is something to learn
    first, again = lived(turns), lived(turns, ids=prefix, attempt=2)
    other = first.model_copy(update={"environment_hash": "another"})
    chosen = sft.Selection()
    kept = list(chosen.examples([first, again, other]))
    assert [e["environment_hash"] for e in kept] == [first.environment_hash, "another"]
    assert dict(chosen.dropped) == {"repeated": 1}


def test_an_argument_named_id_makes_a_difference() -> None:
    def one(value: str) -> Rollout:
        made = {"id": "c", "type": "function", "function": {"name": "t", "arguments": json.dumps({"id": value})}}
        messages = [{"role": "user", "content": "u"}, {"role": "assistant", "content": "", "tool_calls": [made]}]
        return rollout(messages=messages)

    assert len(list(sft.Selection().examples([one("cus_1"), one("cus_2"), one("cus_1")]))) == 2


def test_messages_are_what_chat_templates_want() -> None:
    calls = [
        {
            "id": "a",
            "type": "function",
            "function": {"name": "x__get", "arguments": '{"id": 7, "deep": {"k": [1, null]}}'},
        },
        {"id": "b", "type": "function", "function": {"name": "x__get", "arguments": '{"id": 7'}},
    ]
    messages = [
        {"role": "user", "content": "Do it."},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "First look.",
            "tool_calls": calls,
            "refusal": None,
        },
        {"role": "tool", "tool_call_id": "a", "content": "{}"},
        {"role": "tool", "tool_call_id": "b", "content": "no"},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "reasoning": "That is all."},
    ]
    given_calls = [
        Call(id="a", tool="x__get", arguments={"id": 7}, status=200, result="{}", turn=0),
        Call(id="b", tool="x__get", arguments='{"id": 7', status=400, result="no", turn=0),
    ]
    made = sft.example(
        rollout(messages=messages, calls=given_calls, tools=[{"type": "function", "function": {"name": "x__get"}}])
    )
    _, first, got, refused, last = made["messages"]
    assert first["content"] == ""
    assert first["reasoning_content"] == "First look."
    assert [c["function"]["arguments"] for c in first["tool_calls"]] == [
        {"id": 7, "deep": {"k": [1, None]}},
        '{"id": 7',
    ]
    assert got == {"role": "tool", "tool_call_id": "a", "name": "x__get", "content": "{}"}
    assert refused["content"] == "no"
    assert last == {"role": "assistant", "content": "Done.", "reasoning_content": "That is all."}
    assert made["loss_turns"] == [False, True]
    assert json.loads(made["tools"])[0]["function"]["name"] == "x__get"
    schema = sft.example(rollout(messages=messages, tool_mode="schema", tools=[{"type": "function"}]))
    assert json.loads(schema["tools"]) == [], "the system prompt says what tools there are"


def deal(attempt: int = 1, **fields: Any) -> Rollout:
    return played(environments.load("win_a_deal"), attempt, **fields)


def test_the_command_keeps_what_passed_and_counts_the_rest(tmp_path: Path, export: Export) -> None:
    run = tmp_path / "run"
    failed = deal(3, answer="no idea")
    assert failed.verdict == "failed"
    write_run(run, [deal(1), deal(2), failed, rollout("e2", verdict="invalid"), rollout("e3", 4)])
    status, printed, _ = export("sft", "--run", run, "--out", tmp_path / "out", "--json")
    shown = json.loads(printed)
    assert status == 0
    assert shown["dropped"] == {"invalid": 1, "no turn to learn from": 1, "not passed": 1, "repeated": 1}
    assert (shown["examples"], shown["environments"], shown["turns"]) == (1, 1, 3)
    (line,) = (tmp_path / "out" / "sft.jsonl").read_text(encoding="ascii").splitlines()
    made = json.loads(line)
    assert made["environment_hash"] == environments.load("win_a_deal").hash
    assert made["verifier_hash"] == environments.load("win_a_deal").verifier_hash
    assert made["reward"] == 1.0
    assert made["loss_turns"] == [True, True, True]
    assert {f["function"]["name"] for f in json.loads(made["tools"])} >= {"crmlite__update_deal", "notes__create_note"}
    assert json.loads((tmp_path / "out" / "manifest.json").read_text()) == {
        k: v for k, v in shown.items() if k != "out"
    }
    assert export("sft", "--run", run, "--out", tmp_path / "all", "--all", "--json")[0] == 0
    rewards = [json.loads(line)["reward"] for line in (tmp_path / "all" / "sft.jsonl").read_text().splitlines()]
    assert sorted(rewards) == [0.0, 1.0]


def test_environments_of_an_evaluation_are_kept_out(tmp_path: Path, export: Export) -> None:
    run, evaluation = tmp_path / "run", tmp_path / "evaluation"
    write_run(run, [deal()])
    write_run(evaluation, [deal(2)])
    by_hash = tmp_path / "hashes.txt"
    by_hash.write_text(f"# held out\n{deal().environment_hash}  # a deal\n", encoding="utf-8")
    by_id = tmp_path / "held_out.jsonl"
    by_id.write_text('{"environment_id": "win_a_deal"}\n', encoding="utf-8")
    for held_out in (evaluation, by_hash, by_id):
        status, _, said = export("sft", "--run", run, "--out", tmp_path / "out", "--exclude", held_out)
        assert status == 1
        assert "no rollout was left to export; left out: 1 excluded environment" in said
    elsewhere = tmp_path / "other.txt"
    elsewhere.write_text("0000000000000000\n", encoding="utf-8")
    assert export("sft", "--run", run, "--out", tmp_path / "out", "--exclude", elsewhere)[0] == 0


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--run", "{tmp}/nothing", "--out", "{tmp}/o"], 2, "holds no finished rollout"),
        (["--run", "{tmp}/run", "--out", "{tmp}/o", "--exclude", "{tmp}/none.txt"], 2, "none.txt"),
        (
            ["--run", "{tmp}/run", "--out", "{tmp}/o", "--exclude", "{tmp}/odd.jsonl"],
            2,
            "odd.jsonl:1 names no environment",
        ),
        (["--run", "{tmp}/run", "--out", "{tmp}/o", "--max-length", "10"], 2, "--tokenizer"),
        (["--run", "{tmp}/run", "--out", "{tmp}/file/o"], 1, "file"),
        (["--out", "{tmp}/o"], 2, "--run"),
        (["--run", "{tmp}/broken", "--out", "{tmp}/o"], 1, "rollout.json"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, export: Export, words: list[str], status: int, says: str) -> None:
    write_run(tmp_path / "run", [deal()])
    write_run(tmp_path / "broken", [deal()])
    next((tmp_path / "broken").rglob("rollout.json")).write_text("{}", encoding="utf-8")
    (tmp_path / "odd.jsonl").write_text('{"title": "x"}\n', encoding="utf-8")
    (tmp_path / "file").write_text("", encoding="utf-8")
    got, _, said = export("sft", *[w.replace("{tmp}", str(tmp_path)) for w in words])
    assert (got, said.count("\n"), says in said) == (status, 1, True), said
    assert not list(tmp_path.rglob(".*.new"))
