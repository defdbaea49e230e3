"""The metrics: against brute force, and what holds for any verdicts."""

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from legoenv_mcp.evaluate import metrics
from legoenv_mcp.evaluate.metrics import Outcomes

VERDICT = st.sampled_from([True, False, None])
VALID = st.booleans()


def runs(
    verdict: st.SearchStrategy[bool | None], least: int = 1, most: int = 5
) -> st.SearchStrategy[list[list[bool | None]]]:
    return st.lists(st.lists(verdict, min_size=least, max_size=most), min_size=1, max_size=8)


def outcomes(verdicts: Sequence[Sequence[bool | None]]) -> list[Outcomes]:
    return [Outcomes(f"e{n}", dict(enumerate(one, 1))) for n, one in enumerate(verdicts)]


@given(st.lists(VALID, min_size=1, max_size=8), st.data())
def test_the_estimators_are_the_share_of_all_draws(verdicts: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(verdicts)))
    draws = list(combinations(verdicts, k))
    assert metrics.pass_at_k(len(verdicts), sum(verdicts), k) == pytest.approx(fmean(any(d) for d in draws))
    assert metrics.pass_hat_k(len(verdicts), sum(verdicts), k) == pytest.approx(fmean(all(d) for d in draws))


@given(runs(VERDICT), st.integers(1, 5))
def test_all_of_k_is_never_likelier_than_one_and_one_never_than_any_of_k(
    verdicts: list[list[bool | None]], k: int
) -> None:
    enough = [o for o in outcomes(verdicts) if o.valid >= k]
    assume(enough)
    hat, one, at = metrics.pass_hat(enough, k), metrics.pass_at(enough, 1), metrics.pass_at(enough, k)
    assert hat is not None
    assert one is not None
    assert at is not None
    assert 0 <= hat <= one + 1e-12
    assert one <= at + 1e-12 <= 1 + 2e-12


@given(runs(VERDICT))
def test_with_one_draw_all_are_the_pass_rate(verdicts: list[list[bool | None]]) -> None:
    every = outcomes(verdicts)
    rates = [o.rate for o in every if o.valid]
    assert metrics.pass_at(every, 1) == metrics.pass_hat(every, 1)
    assert metrics.pass_at(every, 1) == (pytest.approx(fmean(rates)) if rates else None)


@given(runs(VERDICT), st.randoms(use_true_random=False))
def test_neither_the_order_of_environments_nor_that_of_attempts_matters(
    verdicts: list[list[bool | None]], random: object
) -> None:
    shuffle = random.shuffle  # type: ignore[attr-defined]
    named = [(f"e{n}", list(one)) for n, one in enumerate(verdicts)]
    before = [Outcomes(name, dict(enumerate(one, 1))) for name, one in named]
    shuffle(named)
    for _, one in named:
        shuffle(one)
    after = [Outcomes(name, dict(enumerate(one, 1))) for name, one in named]
    for k in (1, 2, 3):
        assert metrics.pass_at(after, k) == pytest.approx(metrics.pass_at(before, k))
        assert metrics.pass_hat(after, k) == pytest.approx(metrics.pass_hat(before, k))
    rates = [[o.rate if o.valid else None for o in each] for each in (before, after)]
    assert metrics.interval(rates[0], 50) == metrics.interval(rates[1], 50)


@given(runs(VALID), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_an_invalid_rollout_is_never_a_zero(verdicts: list[list[bool | None]], broken: list[int]) -> None:
    more = [[*one, *[None] * broken[n]] for n, one in enumerate(verdicts)]
    assert metrics.pass_at(outcomes(more), 1) == metrics.pass_at(outcomes(verdicts), 1)
    assert metrics.avg_at_k(outcomes(more)) == metrics.avg_at_k(outcomes(verdicts))
    assert sum(o.invalid for o in outcomes(more)) == sum(broken[: len(verdicts)])


@given(st.integers(1, 4).flatmap(lambda k: st.tuples(st.just(k), runs(VALID, k, k))))
def test_a_complete_run_has_mcpmarks_figures(complete: tuple[int, list[list[bool | None]]]) -> None:
    k, verdicts = complete
    every, theirs = outcomes(verdicts), metrics.mcpmark(outcomes(verdicts), k)
    assert (theirs.environments, theirs.left_out) == (len(verdicts), 0)
    assert theirs.avg == pytest.approx(metrics.pass_at(every, 1))
    assert theirs.avg == pytest.approx(metrics.avg_at_k(every))
    assert theirs.pass_at_k == pytest.approx(metrics.pass_at(every, k))
    assert theirs.pass_hat_k == pytest.approx(metrics.pass_hat(every, k))


def test_mcpmarks_deviation_is_over_the_runs() -> None:
    found = metrics.mcpmark(outcomes([[True, True], [True, False], [False, False], [None, True]]), 2)
    assert (found.environments, found.left_out) == (3, 1)
    assert found.avg == pytest.approx(1 / 2)
    assert found.std == pytest.approx(1 / 6)  # the runs have 2/3 and 1/3
    assert (found.pass_at_k, found.pass_hat_k) == (pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_too_few_rollouts_are_left_out_and_no_environment_has_no_figure() -> None:
    every = outcomes([[True, None, None], [True, False, True]])
    assert metrics.pass_at(every, 2) == 1.0
    assert metrics.pass_hat(every, 2) == pytest.approx(1 / 3)
    assert metrics.pass_at(every, 4) is None
    with pytest.raises(ValueError, match="no 2 rollouts can be drawn from 1"):
        metrics.pass_at_k(1, 1, 2)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_an_interval_lies_among_the_values_and_is_the_same_each_time(values: list[float]) -> None:
    found = metrics.interval(values, 60)
    assert found == metrics.interval(list(reversed(values)), 60)
    assert found is not None
    assert min(values) - 1e-9 <= found[0] <= found[1] <= max(values) + 1e-9


def test_an_interval_narrows_with_the_root_of_the_environments() -> None:
    few, many = (metrics.interval([0.0, 1.0] * (n // 2)) for n in (100, 1600))
    assert few is not None
    assert many is not None
    # A share of one half over 100: 0.5 -+ 1.96 * 0.05.
    assert few == (pytest.approx(0.402, abs=0.015), pytest.approx(0.598, abs=0.015))
    assert (few[1] - few[0]) / (many[1] - many[0]) == pytest.approx(4, rel=0.15)
    assert metrics.interval([]) is None
    assert metrics.interval([1.0, 1.0]) == (1.0, 1.0)


def test_the_interval_of_avg_at_k_is_that_of_pass_at_1_where_all_is_valid() -> None:
    every = outcomes([[True, True, False], [False, False, False], [True, True, True], [True, False, False]] * 10)
    theirs, ours = metrics.interval_of(every, metrics.avg_at_k), metrics.interval([o.rate for o in every])
    assert theirs == pytest.approx(ours, abs=0.03)


def test_an_intent_needs_each_of_its_branches() -> None:
    passing, failing, half = (outcomes([one])[0] for one in ([True, True], [False, False], [True, False]))
    found = metrics.every_branch(
        {
            "both": {"applies": [passing], "does not apply": [passing]},
            "blind": {"applies": [failing], "does not apply": [passing]},
            "half": {"applies": [half, passing], "does not apply": [half]},
            "one branch only": {"applies": [passing]},
            "nothing valid": {"applies": [passing], "does not apply": outcomes([[None]])},
        }
    )
    assert found == {"both": 1.0, "blind": 0.0, "half": pytest.approx(0.75 * 0.5)}
