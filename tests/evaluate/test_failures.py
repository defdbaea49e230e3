"""Root causes: each is told from a rollout that was really played, and graded by the real verifier."""

from functools import cache
from typing import Any

import pytest

from legoenv_mcp.controller import catalogue, environments
from legoenv_mcp.controller.environment import Environment, Step
from legoenv_mcp.evaluate.failures import CAUSES, Failure, clusters, root_cause
from legoenv_mcp.evaluate.mistakes import Background, branch_of
from legoenv_mcp.evaluate.rollout import Call, Rollout
from tests.support.runs import played, rollout


def composed(mistakes: set[str], *, rule: str, trap: str) -> Environment:
    """An environment of the catalogue that knows these mistakes."""
    for entry in catalogue.entries().values():
        if rule in entry.rules and trap in entry.traps:
            found = environments.load(entry.id)
            if mistakes <= {known.name for known in found.trap}:
                return found
    raise LookupError(f"no environment knows {mistakes}")


@cache
def background(name: str = "refund_within_policy") -> Background:
    return Background(environments.load(name))


@pytest.fixture
def environment() -> Environment:
    return background().environment


def changed(environment: Environment, *steps: Step, drop: tuple[str, ...] = ()) -> tuple[Step, ...]:
    """The reference plan with steps replaced or left out."""
    instead = {s.step: s for s in steps}
    return tuple(instead.get(s.step, s) for s in environment.plan if s.step not in drop)


def step(environment: Environment, name: str, **arguments: Any) -> Step:
    """A step of the reference plan with other arguments."""
    found = next(s for s in environment.plan if s.step == name)
    return found.model_copy(update={"arguments": {**found.arguments, **arguments}})


def cause(one: Rollout, *, known: bool = True) -> Failure:
    assert one.verdict == "failed"
    found = root_cause(one, background(one.environment) if known else None)
    assert found.cause in CAUSES
    assert found.evidence
    return found


def test_each_shipped_mistake_is_recognised(environment: Environment) -> None:
    for trap in environment.trap:
        found = cause(played(environment, plan=trap.of(environment.plan), answer=trap.answer or environment.answer))
        assert (found.cause, found.about) == ("fell for trap", trap.name), found


def test_the_right_way_carries_no_mark_of_a_mistake(environment: Environment) -> None:
    right = played(environment)
    assert right.verdict == "passed"
    marked = [m.name for m in background().mistakes if any(mark.on(right.diff) for mark in m.marks)]
    assert marked == []


def test_a_rule_ignored_or_wrongly_applied_is_a_missed_rule() -> None:
    ignores, decoys = "ignores: Word in the channel", "uses the channel of nearly the same name"
    ruled = composed({ignores, decoys}, rule="handled_post", trap="near_channel")
    by_name = {trap.name: trap for trap in ruled.trap}
    assert "Word in the channel: applies" in branch_of(ruled)
    ignoring = cause(played(ruled, plan=by_name[ignores].of(ruled.plan)))
    assert (ignoring.cause, ignoring.about) == ("missed rule", "Word in the channel")
    decoy = cause(played(ruled, plan=by_name[decoys].of(ruled.plan)))
    assert decoy.cause == "fell for trap"
    assert cause(played(ruled, plan=()), known=True).cause == "gave up"


def test_without_the_environment_the_assertions_tell(environment: Environment) -> None:
    traps = {trap.name: trap for trap in environment.trap}

    def of(name: str) -> str:
        return cause(played(environment, plan=traps[name].of(environment.plan)), known=False).cause

    assert of("refunds the half that Maya had suggested") == "wrong value"
    assert of("refunds the like payment of January") == "wrong record"
    assert of("posts where billing questions are asked") == "wrong record"
    assert of("names another invoice") == "wrong value"
    assert of("refunds twice") == "collateral change"


def test_a_step_left_out(environment: Environment) -> None:
    found = cause(played(environment, plan=changed(environment, drop=("note",))))
    assert (found.cause, found.about) == ("missing step", "note (slack.message)")
    assert "found 0 of 0 new slack.message" in found.evidence


def test_a_stray_write(environment: Environment) -> None:
    stray = next(s for s in environment.stray if s.app == "stripe")
    found = cause(played(environment, plan=(*environment.plan, stray)))
    assert found.cause == "collateral change"
    assert found.about.startswith("stripe.")


def test_another_row_is_a_wrong_record_and_another_value_a_wrong_value() -> None:
    deal = environments.load("win_a_deal")
    write = next(s for s in deal.plan if s.tool == "update_deal")
    others = [n for n in range(1, 4) if n != write.arguments["id"]]
    elsewhere = write.model_copy(update={"arguments": {**write.arguments, "id": others[0]}})
    lost = write.model_copy(update={"arguments": {**write.arguments, "status": "lost"}})
    for wrong, expected in ((elsewhere, "wrong record"), (lost, "wrong value")):
        one = played(deal, plan=changed(deal, wrong))
        assert cause(one, known=False).cause == expected, one.assertions
    assert cause(played(deal, plan=changed(deal, drop=(write.step,))), known=False).cause in ("missing step", "gave up")


def test_nothing_done_is_given_up_with_what_was_refused(environment: Environment) -> None:
    assert cause(played(environment, plan=())).about == "asked nothing"
    refused = Call(
        id="c", tool="stripe__create_refund", arguments={}, status=400, result="Missing required param: charge."
    )
    found = cause(played(environment, plan=(), calls=[refused]))
    assert (found.cause, found.about) == ("gave up", "stripe__create_refund")
    assert "Missing required param" in found.evidence


@pytest.mark.parametrize(
    ("ended", "expected"),
    [("step_limit", "step limit"), ("context_limit", "context limit"), ("time_limit", "time limit")],
)
def test_limits_come_before_what_is_missing(environment: Environment, ended: str, expected: str) -> None:
    half = environment.plan[: len(environment.plan) // 2]
    assert cause(played(environment, plan=half, ended=ended)).cause == expected


def test_malformed_calls(environment: Environment) -> None:
    bad = [
        Call(id=f"c{n}", tool="slack__post_message", arguments="{channel: ", status=400, result="no JSON")
        for n in range(3)
    ]
    found = cause(played(environment, plan=(), calls=bad))
    assert (found.cause, found.about) == ("malformed calls", "slack__post_message")
    assert cause(played(environment, plan=(), ended="malformed")).cause == "malformed calls"


def test_a_missing_tool_is_not_a_missing_record(environment: Environment) -> None:
    unknown = Call(id="c", tool="stripe__undo_everything", arguments={}, status=404, result="unknown tool")
    found = cause(played(environment, plan=(), calls=[unknown, unknown]))
    assert (found.cause, found.about) == ("missing tool", "stripe__undo_everything")
    no_record = unknown.model_copy(update={"tool": "stripe__retrieve_charge"})
    offered = [{"type": "function", "function": {"name": "stripe__retrieve_charge"}}]
    assert cause(played(environment, plan=(), calls=[no_record], tools=offered)).cause == "gave up"


def test_a_wrong_answer_and_none() -> None:
    asked = [
        environments.load(e.id) for e in catalogue.entries().values() if e.recipe.intent == "oldest_ticket_question"
    ]
    question, trap = next((q, t) for q in asked for t in q.trap if t.answer not in (None, q.answer))
    known = Background(question)
    wrong = root_cause(played(question, answer="I could not say."), known)
    assert (wrong.cause, "I could not say." in wrong.evidence) == ("wrong answer", True)
    assert root_cause(played(question, answer=None), known).about == "no answer"
    second = root_cause(played(question, plan=trap.of(question.plan), answer=trap.answer), known)
    assert (second.cause, second.about) == ("fell for trap", trap.name)


def test_clusters_count_alike_failures_biggest_first() -> None:
    alike, other = Failure("gave up", "no answer", "first"), Failure("step limit", "list_deals", "x")
    found = clusters(
        [("e1", 1, alike), ("e2", 1, other), ("e1", 2, Failure("gave up", "no answer", "second")), ("e3", 1, alike)]
    )
    assert [(c.cause, len(c.rollouts), c.evidence) for c in found] == [("gave up", 3, "first"), ("step limit", 1, "x")]
    assert found[0].as_json()["environments"] == 2
    assert found[0].as_json()["where"][0] == {"environment": "e1", "attempt": 1}


def test_a_failure_without_any_evidence_still_has_a_cause() -> None:
    bare = rollout(
        verdict="failed", assertions=[], diff=[{"app": "a", "table": "t", "change": "insert", "key": [1], "after": {}}]
    )
    assert root_cause(bare).cause in CAUSES


def test_of_another_benchmarks_task_it_is_not_said_that_nothing_was_changed() -> None:
    call = {"id": "c", "tool": "execute_sql", "arguments": {"sql": "UPDATE t SET a = 1"}, "status": 200, "result": "ok"}
    unseen = rollout(
        verdict="failed",
        world="",
        calls=[call],
        assertions=[{"name": "verify.py", "passed": False, "detail": "2 rows"}],
    )
    found = root_cause(unseen)
    assert found.cause != "gave up"
    assert "2 rows" in found.evidence
    assert root_cause(unseen.model_copy(update={"calls": []})).cause == "gave up"
