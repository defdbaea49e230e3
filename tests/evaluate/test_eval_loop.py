"""The agent loop against a real endpoint: what models do right and wrong, and what endpoints do."""

import json
from typing import Any

import pytest

from tests.evaluate import policies
from tests.evaluate.conftest import Evaluate
from tests.evaluate.policies import ANSWER, NOTE, WIN, results, turn
from tests.support.model_server import Answer, Reply, calls, model_server


def test_a_model_that_solves_passes_and_the_result_says_all_of_it(evaluate: Evaluate) -> None:
    with model_server(policies.solves) as model:
        run = evaluate(model.url, "--price-in", "100", "--price-out", "1000")
    assert run.status == 0
    assert {k: run.shown[k] for k in ("rollouts", "passed", "failed", "invalid", "pass_rate")} == {
        "rollouts": 1, "passed": 1, "failed": 0, "invalid": 0, "pass_rate": 1.0,
    }  # fmt: skip
    rollout = run.only
    assert (rollout.verdict, rollout.reward, rollout.share, rollout.ended) == ("passed", 1.0, 1.0, "answered")
    assert (rollout.answer, rollout.steps) == (ANSWER, 3)
    assert [(c.tool, c.arguments, c.status, c.turn) for c in rollout.calls] == [(*WIN, 200, 0), (*NOTE, 200, 1)]
    assert {(c["app"], c["table"], c["change"]) for c in rollout.diff} == {
        ("crmlite", "deal", "update"),
        ("notes", "note", "insert"),
    }
    assert (rollout.usage.input_tokens, rollout.usage.output_tokens) == (30, 15)
    assert rollout.usage.cost == pytest.approx(30 * 100 / 1e6 + 15 * 1000 / 1e6)
    assert rollout.apps == ("crmlite", "notes")
    assert [m["role"] for m in rollout.messages] == [
        "system", "user", "assistant", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    first = model.requests[0]
    assert [m["role"] for m in first["messages"]] == ["system", "user"]
    names = {t["function"]["name"] for t in first["tools"]}
    assert {WIN[0], NOTE[0]} <= names
    assert first["tools"] == rollout.tools


def test_half_a_solution_fails(evaluate: Evaluate) -> None:
    with model_server(policies.half_solves) as model:
        run = evaluate(model.url)
    assert (run.status, run.only.verdict, run.only.reward) == (0, "failed", 0.0)
    assert 0 < run.only.share < 1
    assert {a.name for a in run.only.assertions if not a.passed} == {"noted"}


def test_a_model_that_loops_is_stopped_at_its_limit(evaluate: Evaluate) -> None:
    with model_server(policies.loops) as model:
        run = evaluate(model.url, "--max-steps", "5")
    assert (run.only.ended, run.only.verdict, run.only.steps, len(run.only.calls)) == ("step_limit", "failed", 5, 5)
    assert len(model.requests) == 5


def test_calls_that_make_no_sense_are_answered_as_errors(evaluate: Evaluate) -> None:
    bad = calls(
        ("notes__create_note", '{"text": "Deal 3'),
        ("no_such_tool", {}),
        ("notes__create_note", "[1]"),
        ("notes__get_note", {}),
    )

    def policy(body: dict[str, Any], _: int) -> Answer:
        return [bad, calls(WIN, NOTE), ANSWER][turn(body)]

    with model_server(policy) as model:
        run = evaluate(model.url)
    assert run.only.verdict == "passed"
    assert [c.status for c in run.only.calls] == [400, 404, 400, 400, 200, 200]
    assert run.only.calls[0].arguments == '{"text": "Deal 3'
    told = results(model.requests[1])
    assert "no JSON object" in told[0]
    assert "no_such_tool" in told[1]
    assert all("400" in text or "404" in text for text in told)


def test_parallel_calls_are_made_in_their_order_and_each_is_answered(evaluate: Evaluate) -> None:
    with model_server([calls(WIN, NOTE, ("notes__list_notes", {})), ANSWER]) as model:
        run = evaluate(model.url)
    assert run.only.verdict == "passed"
    sent = model.requests[1]["messages"]
    assert [m["tool_call_id"] for m in sent if m["role"] == "tool"] == ["call_0", "call_1", "call_2"]
    assert "Deal 3 is won" in sent[-1]["content"]


def test_reasoning_of_earlier_turns_is_sent_back_as_it_came(evaluate: Evaluate) -> None:
    details = [{"type": "reasoning.encrypted", "data": "c2VjcmV0"}]
    first = calls(WIN, reasoning_content="First the deal.\n  Then <the> note…", audio=None)
    second = calls(NOTE, reasoning="Now the note.", reasoning_details=details)
    with model_server([first, second, ANSWER]) as model:
        run = evaluate(model.url)
    assert run.only.verdict == "passed"
    replayed = [m for m in model.requests[2]["messages"] if m["role"] == "assistant"]
    assert replayed[0]["reasoning_content"] == first["reasoning_content"]
    assert (replayed[1]["reasoning"], replayed[1]["reasoning_details"]) == ("Now the note.", details)
    assert [m["tool_calls"] for m in replayed] == [first["tool_calls"], second["tool_calls"]]
    assert "audio" not in replayed[0]
    assert model.requests[1]["messages"][2]["reasoning_content"] == first["reasoning_content"]
    assert run.only.messages[2]["reasoning_content"] == first["reasoning_content"]


def test_what_some_servers_leave_out_is_put_in(evaluate: Evaluate) -> None:
    """No ids, arguments as an object, content in parts."""
    bare = {
        "content": None,
        "tool_calls": [{"function": {"name": name, "arguments": given}} for name, given in (WIN, NOTE)],
    }
    with model_server([bare, {"content": [{"type": "text", "text": ANSWER}]}]) as model:
        run = evaluate(model.url)
    assert (run.only.verdict, run.only.answer) == ("passed", ANSWER)
    sent = model.requests[1]["messages"]
    assert len({m["tool_call_id"] for m in sent if m["role"] == "tool"}) == 2
    assert all(isinstance(c["function"]["arguments"], str) for c in sent[2]["tool_calls"])


def test_halves_of_characters_do_not_break_the_results(evaluate: Evaluate) -> None:
    raw = json.dumps({"choices": [{"message": {"role": "assistant", "content": "It is worth 3000 \ud83d."}}]})
    with model_server([calls(WIN, NOTE), Reply(raw=raw)]) as model:
        run = evaluate(model.url)
    assert (run.only.verdict, run.only.answer) == ("passed", "It is worth 3000 ?.")


def test_a_model_that_only_sends_empty_messages_is_given_up(evaluate: Evaluate) -> None:
    with model_server([""]) as model:
        run = evaluate(model.url)
    assert (run.only.ended, run.only.verdict, run.only.steps) == ("malformed", "failed", 3)
    assert "empty" in model.requests[1]["messages"][-1]["content"]


# Endpoints


def test_a_busy_endpoint_is_asked_again_after_the_time_it_names(evaluate: Evaluate) -> None:
    busy = Reply(status=429, headers={"Retry-After": "0.01"})
    with model_server(
        [busy, busy, Reply(status=503, headers={"retry-after-ms": "5"}), calls(WIN, NOTE), ANSWER]
    ) as model:
        run = evaluate(model.url)
    assert (run.only.verdict, len(model.requests)) == ("passed", 5)
    assert any("asked 4 times" in note for note in run.only.notes)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(status=500), "answered 500"),
        (Reply(drop=True), "cannot be reached"),
        (Reply(raw="<html>Bad gateway</html>"), "no chat completion"),
        (Reply(raw='{"error": {"message": "upstream"}}'), "no chat completion"),
        (Reply(seconds=60), "did not answer in time"),
        (Reply("tools are not supported", status=400), "tools are not supported"),
    ],
    ids=["500", "dropped", "html", "error in 200", "slow", "400"],
)
def test_an_endpoint_that_fails_for_good_makes_the_rollout_invalid(
    evaluate: Evaluate, reply: Reply, words: str
) -> None:
    with model_server([calls(WIN, NOTE), reply]) as model:
        run = evaluate(model.url, "--retries", "1", "--timeout", "0.7")
        rollout = run.only
        assert (run.status, rollout.verdict, rollout.reward, rollout.ended) == (1, "invalid", None, "fault")
        assert rollout.fault is not None
        assert rollout.fault.boundary == "provider"
        assert words in rollout.fault.message
        assert run.shown["pass_rate"] is None
        assert run.shown["faults"] == {"provider": 1}
        assert len(rollout.calls) == 2


def test_a_dropped_connection_is_survived(evaluate: Evaluate) -> None:
    with model_server([Reply(drop=True), calls(WIN, NOTE), ANSWER]) as model:
        run = evaluate(model.url)
    assert run.only.verdict == "passed"


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_that_concerns_every_rollout_ends_the_run(evaluate: Evaluate, status: int) -> None:
    with model_server([status]) as model:
        run = evaluate(model.url, "--k", "3", "--concurrency", "1")
    assert (run.status, run.rollouts, len(model.requests)) == (1, [], 1)
    assert f"answered {status}" in run.said
    assert "goes on with it" in run.said


def test_an_endpoint_that_always_fails_ends_the_run_in_time(evaluate: Evaluate) -> None:
    with model_server([500]) as model:
        run = evaluate(model.url, "--k", "40", "--retries", "0", "--concurrency", "2")
    assert run.status == 1
    assert 10 <= len(run.rollouts) < 40
    assert "in a row failed at the endpoint" in run.said


def test_the_time_limit_of_a_rollout_is_the_models(evaluate: Evaluate) -> None:
    def policy(body: dict[str, Any], _: int) -> Answer:
        return Reply(calls(WIN)) if turn(body) == 0 else Reply(ANSWER, seconds=60)

    with model_server(policy) as model:
        run = evaluate(model.url, "--time-limit", "1.5", "--timeout", "30")
    assert (run.only.ended, run.only.verdict, [c.tool for c in run.only.calls]) == ("time_limit", "failed", [WIN[0]])


def test_a_rollout_whose_time_the_endpoint_took_is_invalid(evaluate: Evaluate) -> None:
    def policy(body: dict[str, Any], _: int) -> Answer:
        return Reply(calls(WIN)) if turn(body) == 0 else Reply(ANSWER, seconds=60)

    with model_server(policy) as model:
        run = evaluate(model.url, "--time-limit", "2", "--timeout", "0.3", "--retries", "100")
    assert run.only.fault is not None
    assert (run.only.verdict, run.only.fault.boundary) == ("invalid", "provider")


# Context


def _characters(body: dict[str, Any]) -> int:
    return sum(len(m["content"] or "") for m in body["messages"])


def _small_context(limit: int, then: Any) -> Any:
    def policy(body: dict[str, Any], number: int) -> Answer:
        if _characters(body) > limit:
            text = f"This model's maximum context length is {limit} tokens. Please reduce the length of the messages."
            return Reply(text, status=400)
        return then(body)

    return policy


def test_a_conversation_that_is_too_long_loses_its_oldest_results_and_says_so(evaluate: Evaluate) -> None:
    long = ("notes__create_note", {"text": "x" * 3000})
    undone = ("notes__delete_note", {"id": "n_missing"})

    def then(body: dict[str, Any]) -> Answer:
        return [calls(long), calls(long), calls(long), calls(undone), ANSWER][turn(body)]

    with model_server(_small_context(8000, then)) as model:
        run = evaluate(model.url)
    rollout = run.only
    assert (rollout.ended, rollout.verdict) == ("answered", "failed")
    assert any("shortened" in note for note in rollout.notes)
    assert _characters(model.requests[-1]) <= 8000
    sent = results(model.requests[-1])
    assert "more characters were here" in sent[0]
    assert sent[2] == rollout.calls[2].result
    assert rollout.messages[3]["content"] == rollout.calls[0].result  # the trajectory stays whole


def test_a_conversation_that_cannot_be_made_to_fit_ends_there(evaluate: Evaluate) -> None:
    with model_server(_small_context(10, lambda _: ANSWER)) as model:
        run = evaluate(model.url)
    assert (run.only.ended, run.only.verdict) == ("context_limit", "failed")


def test_an_endpoint_that_chokes_on_malformed_arguments_gets_them_mended(evaluate: Evaluate) -> None:
    def policy(body: dict[str, Any], _: int) -> Answer:
        for message in body["messages"]:
            for call in message.get("tool_calls") or []:
                try:
                    json.loads(call["function"]["arguments"])
                except ValueError:
                    return Reply("invalid tool call arguments in messages[2]", status=400)
        return [calls(("notes__create_note", "{oops")), calls(WIN, NOTE), ANSWER][turn(body)]

    with model_server(policy) as model:
        run = evaluate(model.url)
    assert run.only.verdict == "passed"
    assert any("malformed" in note for note in run.only.notes)
    assert run.only.calls[0].arguments == "{oops"


# Schema mode


def test_schema_mode_asks_for_one_object_a_turn(evaluate: Evaluate) -> None:
    def said(tool: str, arguments: dict[str, Any]) -> str:
        return json.dumps({"tool": tool, "arguments": arguments})

    script = [
        "I will now",
        f"```json\n{said(*WIN)}\n```",
        said("nothing", {}),
        said(*NOTE),
        said("finish", {"answer": ANSWER}),
    ]
    with model_server(lambda body, _: script[turn(body)]) as model:
        run = evaluate(model.url, "--tool-mode", "schema")
    assert (run.only.verdict, run.only.answer, run.only.tool_mode) == ("passed", ANSWER, "schema")
    assert [(c.tool, c.status) for c in run.only.calls] == [("", 400), (WIN[0], 200), ("nothing", 404), (NOTE[0], 200)]
    first = model.requests[0]
    assert "tools" not in first
    schema = first["response_format"]["json_schema"]
    assert first["response_format"]["type"] == "json_schema"
    assert schema["strict"] is True
    known = {one["properties"]["tool"]["const"]: one["properties"]["arguments"] for one in schema["schema"]["oneOf"]}
    assert {"finish", WIN[0], NOTE[0]} <= set(known)
    assert "text" in known[NOTE[0]]["properties"]
    assert NOTE[0] in first["messages"][0]["content"]
    assert "200" in model.requests[2]["messages"][-1]["content"]
    assert {m["role"] for m in model.requests[-1]["messages"]} == {"system", "user", "assistant"}


def test_the_api_toolset_shows_two_tools(evaluate: Evaluate) -> None:
    request = ("api_request", {"method": "POST", "url": "https://notes.example/nowhere"})

    def policy(body: dict[str, Any], _: int) -> Answer:
        return [calls(("api_search", {"query": "update a deal"})), calls(request), ANSWER][turn(body)]

    with model_server(policy) as model:
        run = evaluate(model.url, "--toolset", "api")
    assert [t["function"]["name"] for t in model.requests[0]["tools"]] == ["api_search", "api_request"]
    assert (run.only.toolset, [c.status for c in run.only.calls]) == ("api", [200, 400])
    assert "update_deal" in run.only.calls[0].result or "/deals/" in run.only.calls[0].result
