"""Prompts for reinforcement learning: one JSON object an environment, with the handle that its reward is fetched by.

prompt           system and user message, as an evaluation sends them
environment      the environment class it is played in: `environment_factory` (trl.py) makes one for each
environment_id, environment_hash, verifier_hash    which task it is; a hash that no longer fits is refused
apps, toolset    the tools: `slug__tool` of these apps, or the two-tool face (`api`)
difficulty, intent, domain, rules, traps
"""

from collections.abc import Sequence
from typing import Any, Literal

from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.plans import calls_of
from legoenv_mcp.evaluate.modes import NATIVE
from legoenv_mcp.faces.toolbox import Toolbox

Toolset = Literal["mcp", "api"]


def row(environment: Environment, toolset: Toolset = "mcp") -> dict[str, Any]:
    """An environment as a line of the data set. Where its apps have more than 128 tools it gets the two-tool face, as in evaluations."""
    shown = Toolbox(environment.apps, toolset).toolset
    return {
        "prompt": [{"role": "system", "content": NATIVE}, {"role": "user", "content": environment.instruction}],
        "environment": class_name(environment.apps, shown),
        "environment_id": environment.id,
        "environment_hash": environment.hash,
        "verifier_hash": environment.verifier_hash,
        "apps": list(environment.apps),
        "toolset": shown,
        "difficulty": environment.difficulty,
        "intent": environment.intent,
        "domain": environment.domain,
        "rules": list(environment.rules),
        "traps": list(environment.traps),
    }


def plan(environment: Environment) -> dict[str, Any]:
    """The reference plan as plain calls with nothing left to resolve, and the reference answer: what checks and oracles play."""
    episode = environment.episode()
    calls = [{"app": s.app, "tool": s.tool, "arguments": s.arguments} for s in calls_of(environment.plan, episode)]
    episode.close()
    return {"environment_id": environment.id, "calls": calls, "answer": environment.answer}


def class_name(apps: Sequence[str], toolset: str) -> str:
    """What the tools of an environment are called: environments with the same tools share it."""
    return "+".join(apps) + ("?toolset=api" if toolset == "api" else "")
