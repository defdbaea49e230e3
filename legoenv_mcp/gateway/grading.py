"""A grade as it goes over the wire."""

import logging
from typing import Any

from pydantic_core import to_json

from legoenv_mcp.gateway.environments import Environment
from legoenv_mcp.gateway.problems import Problem
from legoenv_mcp.gateway.wire import Exchange
from legoenv_mcp.kernel.episode import Episode

log = logging.getLogger("legoenv")


def graded(environment: Environment, episode: Episode, answer: str | None) -> dict[str, Any]:
    """Reward, assertions and what has changed. Raises the Problem (500) where the verifier fails: that is no reward of 0."""
    verdict = environment.grade(episode, answer)
    if verdict.reward is None:
        log.error("grading %s failed: %s", environment.id, verdict.fault)
        raise Problem(500, "ungraded", "The verifier failed, so there is no reward; the log says how.")
    assertions = [{"name": a.name, "passed": a.passed, "detail": a.detail} for a in verdict.assertions]
    diff = [change.as_json() for change in episode.changes()]
    return {"reward": verdict.reward, "passed": verdict.passed, "assertions": assertions, "diff": diff}


async def answer_grade(exchange: Exchange, grade: dict[str, Any]) -> None:
    """Rows may hold bytes, which plain JSON does not."""
    body = to_json(grade, bytes_mode="base64")
    await exchange.answer(
        200, [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())], body
    )
