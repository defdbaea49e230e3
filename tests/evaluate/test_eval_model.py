"""A real model, behind whatever endpoint LEGOENV_TEST_MODEL names (LEGOENV_TEST_MODEL_NAME: its name there). Without one, this is left
out at collection: see docs/evaluation.md for a small one that runs offline."""

import os

import pytest

from tests.evaluate.conftest import Evaluate

URL = os.environ.get("LEGOENV_TEST_MODEL", "")
NAME = os.environ.get("LEGOENV_TEST_MODEL_NAME", "model")


@pytest.mark.model
def test_a_real_model_plays_to_a_verdict(evaluate: Evaluate) -> None:
    """Whether it passes is the model's affair; that it is heard, called for and judged is ours."""
    words = ("--tool-mode", "schema", "--max-steps", "8", "--temperature", "0", "--max-tokens", "300")
    run = evaluate(URL, *words, "--timeout", "1800", "--time-limit", "7200", "--retries", "20", model=NAME)
    rollout = run.only
    assert (run.status, rollout.verdict in ("passed", "failed"), rollout.fault) == (0, True, None)
    assert rollout.ended in ("answered", "step_limit", "malformed")
    assert any(call.status == 200 for call in rollout.calls)
    assert rollout.usage.input_tokens > 0
    assert rollout.usage.output_tokens > 0
