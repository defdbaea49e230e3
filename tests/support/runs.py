"""Run folders for tests: rollouts made up as a test needs them, or played for real, written as an evaluation writes them."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from legoenv_mcp.controller.environment import Environment, Step
from legoenv_mcp.controller.plans import calls_of
from legoenv_mcp.evaluate.mistakes import branch_of
from legoenv_mcp.evaluate.rollout import Asserted, Call, Rollout, Usage, write_whole
from legoenv_mcp.faces.toolbox import Toolbox, as_functions

MODEL = "acme/test-model-1.5"
STARTED = "2026-11-30T12:00:00+00:00"


def rollout(environment: str = "e1", attempt: int = 1, verdict: str = "passed", **fields: Any) -> Rollout:
    """A rollout that nobody lived: figures without a trajectory, unless fields bring one."""
    known: dict[str, Any] = {
        "environment": environment, "environment_hash": f"hash-{environment}", "verifier_hash": "v1", "attempt": attempt, "model": MODEL,
        "verdict": verdict, "reward": None if verdict == "invalid" else float(verdict == "passed"), "ended": "answered",
        "share": float(verdict == "passed"), "apps": ("slack",), "world": "larkfell", "difficulty": 1, "domain": "sales",
        "intent": "say_hello", "instruction": f"Do {environment}.", "steps": 3, "started": STARTED, "seconds": 2.0,
    }  # fmt: skip
    if verdict == "invalid":
        known |= {"ended": "fault", "fault": {"boundary": "provider", "message": "503 from the endpoint"}}
    if verdict == "failed":
        known["assertions"] = [Asserted(name="frame", passed=True, detail="nothing else changed")]
    return Rollout.model_validate({**known, **fields})


def played(
    environment: Environment,
    attempt: int = 1,
    plan: Sequence[Step] | None = None,
    answer: str | None = "",
    model: str = MODEL,
    **fields: Any,
) -> Rollout:
    """A rollout that plays a plan (the reference plan) with the reference answer, as a baseline does: by the apps' own tools."""
    plan = environment.plan if plan is None else plan
    answer = environment.answer if answer == "" else answer
    episode, several = environment.episode(), len(environment.apps) > 1
    messages: list[dict[str, Any]] = [{"role": "user", "content": environment.instruction}]
    calls = list[Call]()
    for turn, step in enumerate(calls_of(plan, environment.episode())):
        tool = f"{step.app}__{step.tool}" if several else step.tool
        reply = episode.call(step.app, step.tool, step.arguments)
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        calls.append(
            Call(
                id=f"call_{turn}",
                tool=tool,
                arguments=step.arguments,
                status=reply.status,
                result=text,
                seconds=0.004,
                turn=turn,
            )
        )
        function = {"name": tool, "arguments": json.dumps(step.arguments)}
        said = {"role": "assistant", "content": None, "reasoning_content": f"Next comes {step.step}."}
        messages += [
            {**said, "tool_calls": [{"id": f"call_{turn}", "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": text},
        ]
    messages.append({"role": "assistant", "content": answer or "Done."})
    verdict = environment.grade(episode, answer)
    return Rollout.model_validate(
        {
            "environment": environment.id, "environment_hash": environment.hash, "verifier_hash": environment.verifier_hash,
            "attempt": attempt, "model": model, "verdict": verdict.outcome, "reward": verdict.reward, "share": verdict.share,
            "ended": "answered", "apps": environment.apps, "world": environment.world, "difficulty": environment.difficulty,
            "domain": environment.domain, "intent": environment.intent, "rules": environment.rules, "branch": branch_of(environment),
            "traps": environment.traps,
            "capabilities": tuple(sorted({s.verb.partition(".")[0] for s in environment.plan if s.verb})),
            "instruction": environment.instruction, "tools": as_functions(Toolbox(environment.apps).tools), "messages": messages,
            "calls": [c.model_dump() for c in calls], "answer": answer, "assertions": [a.as_json() for a in verdict.assertions],
            "diff": json.loads(json.dumps([c.as_json() for c in episode.changes()])),
            "usage": Usage(input_tokens=900 * (len(calls) + 1), output_tokens=80 * (len(calls) + 1), cost=0.002 * (len(calls) + 1)),
            "steps": len(calls) + 1, "started": STARTED, "seconds": 1.5 + len(calls), "model_seconds": 1.0 + len(calls),
            **fields,
        }
    )  # fmt: skip


def write_run(folder: Path, rollouts: Iterable[Rollout], **config: Any) -> Path:
    """Writes rollouts as finished ones; answers the folder."""
    for one in rollouts:
        home = one.folder(folder)
        write_whole(home / "rollout.json", one.model_dump_json())
        write_whole(home / "meta.json", "{}\n")
    if config:
        write_whole(folder / "config.json", json.dumps(config))
    return folder
