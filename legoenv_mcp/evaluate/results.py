"""Writing results: each rollout's folder as MCP-Mark has it, each run's summary, and all of it as tables of one SQLite file."""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from legoenv_mcp.evaluate.config import Config
from legoenv_mcp.evaluate.modes import text_of
from legoenv_mcp.evaluate.rollout import Rollout, safe_name, write_whole

_ERRORS = {
    "step_limit": "Max turns exceeded", "time_limit": "Execution timed out", "context_limit": "Context window exceeded",
    "malformed": "The model's turns could not be read",
}  # fmt: skip


def write(run: Path, config: Config, rollout: Rollout) -> None:
    """Writes a finished rollout. A kill in between leaves a folder without `meta.json`, which counts as not there."""
    folder = rollout.folder(run)
    (folder / "meta.json").unlink(missing_ok=True)
    write_whole(folder / "rollout.json", rollout.model_dump_json())
    write_whole(folder / "messages.json", _json(list(_items(rollout.messages))))
    write_whole(folder / "execution.log", "".join(f"{line}\n" for line in _log(rollout)))
    write_whole(folder / "meta.json", _json(_meta(config, rollout)))


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


# One rollout, as MCP-Mark has it


def _meta(config: Config, rollout: Rollout) -> dict[str, Any]:
    failed = [f"{a.name}: {a.detail}" for a in rollout.assertions if not a.passed]
    output = "\n".join(f"{'passed' if a.passed else 'FAILED'} {a.name}: {a.detail}" for a in rollout.assertions)
    begun = datetime.fromisoformat(rollout.started)
    usage = rollout.usage.model_dump(exclude={"cost"})
    return {
        "task_name": f"{rollout.domain or 'general'}__{rollout.environment}",
        "model_name": rollout.model,
        "litellm_run_model_name": rollout.model,
        "reasoning_effort": config.reasoning_effort or "default",
        "mcp": "legoenv",
        "timeout": config.time_limit,
        "time": {"start": begun.isoformat(), "end": (begun + timedelta(seconds=rollout.seconds)).isoformat()},
        "agent_execution_time": rollout.seconds,
        "task_execution_time": rollout.seconds,
        "execution_result": {
            "success": rollout.verdict == "passed",
            "error_message": _error(rollout),
            "verification_error": "; ".join(failed) or None,
            "verification_output": output or None,
        },
        "token_usage": {**usage, "total_tokens": rollout.usage.input_tokens + rollout.usage.output_tokens},
        "turn_count": rollout.steps,
        # Ours: what a rerun needs to know without reading the whole rollout.
        "legoenv": {
            "environment": rollout.environment,
            "environment_hash": rollout.environment_hash,
            "verifier_hash": rollout.verifier_hash,
            "attempt": rollout.attempt,
            "verdict": rollout.verdict,
        },
    }


def _error(rollout: Rollout) -> str | None:
    """MCP-Mark runs a task again whose message says "agent execution failed"; so do we an invalid one."""
    if rollout.fault is not None:
        return f"Agent execution failed: {rollout.fault.boundary}: {rollout.fault.message}"
    return _ERRORS.get(rollout.ended) if rollout.verdict == "failed" else None


def _items(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Chat messages as items of the Responses API, which is what MCP-Mark keeps."""
    for message in messages:
        text = text_of(message.get("content"))
        match message["role"]:
            case "tool":
                yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": text}
            case "assistant":
                thought = message.get("reasoning_content") or message.get("reasoning")
                if isinstance(thought, str):
                    yield {"type": "reasoning", "summary": [{"type": "summary_text", "text": thought}]}
                if text:
                    part = {"type": "output_text", "text": text, "annotations": list[Any]()}
                    yield {"type": "message", "role": "assistant", "status": "completed", "content": [part]}
                for call in message.get("tool_calls", []):
                    yield {"type": "function_call", "call_id": call["id"], **_named(call["function"])}
            case role:
                yield {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def _named(function: dict[str, Any]) -> dict[str, Any]:
    return {"name": function["name"], "arguments": function["arguments"]}


def _log(rollout: Rollout) -> Iterator[str]:
    yield f"{rollout.started} {rollout.model} in {rollout.environment}, attempt {rollout.attempt}"
    for call in rollout.calls:
        given = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
        yield f"turn {call.turn + 1}: {call.tool or '(unreadable)'} {_brief(given)} -> {call.status} {_brief(call.result)}"
    for note in rollout.notes:
        yield f"note: {note}"
    if rollout.fault is not None:
        yield f"fault: {rollout.fault.boundary}: {rollout.fault.message}"
    yield f"{rollout.ended}, {rollout.verdict} after {rollout.steps} steps, {rollout.seconds:.1f} s"


def _brief(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:197] + "..."


# What is there


@dataclass(frozen=True, slots=True)
class Kept:
    """What a run folder holds of one rollout, as a rerun needs it."""

    environment_hash: str
    verdict: str


def kept(run: Path, model: str) -> dict[tuple[str, int], Kept]:
    """The finished rollouts by environment and attempt. ValueError, naming the file, where one cannot be read."""
    found = dict[tuple[str, int], Kept]()
    for path in sorted((run / f"{safe_name(model)}__legoenv").glob("run-*/*/meta.json")):
        try:
            ours = json.loads(path.read_bytes())["legoenv"]
            found[ours["environment"], ours["attempt"]] = Kept(ours["environment_hash"], ours["verdict"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} cannot be read ({type(error).__name__} {error}); remove its folder") from None
    return found


def sweep(run: Path) -> None:
    """Removes what a kill left of rollouts that never finished."""
    for folder in run.glob("*__legoenv/run-*/*/"):
        if not (folder / "meta.json").exists():
            shutil.rmtree(folder)


# Summaries


@dataclass(slots=True)
class _Sums:
    total: int = 0
    passed: int = 0
    seconds: float = 0.0
    turns: int = 0
    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("input", "output", "reasoning"), 0))

    def add(self, meta: dict[str, Any]) -> None:
        self.total += 1
        self.passed += meta["execution_result"]["success"]
        self.seconds += meta["agent_execution_time"]
        self.turns += meta["turn_count"]
        for name in self.tokens:
            self.tokens[name] += meta["token_usage"][f"{name}_tokens"]

    @property
    def rate(self) -> float:
        return round(100 * self.passed / self.total, 2) if self.total else 0.0

    def each(self, value: float) -> float:
        return round(value / self.total, 2) if self.total else 0.0

    def usage(self, each: str) -> dict[str, float]:
        """MCP-Mark's names: `total_input_tokens` for a model, `total_input` for a category."""
        counts = {**self.tokens, "total": self.tokens["input"] + self.tokens["output"]}
        names = {n: f"total_{n}{each}" for n in self.tokens} | {"total": f"total{each}"}
        return {
            **{names[n]: v for n, v in counts.items()},
            **{f"avg_{n}{each}": self.each(v) for n, v in counts.items()},
        }


def summarise(run: Path, config: Config) -> None:
    """Writes each run's `summary.json`. Invalid rollouts are counted beside it, never among the failed."""
    for folder in sorted((run / f"{safe_name(config.model)}__legoenv").glob("run-*/")):
        whole, groups, invalid = _Sums(), defaultdict[str, _Sums](_Sums), 0
        for path in sorted(folder.glob("*/meta.json")):
            meta = json.loads(path.read_bytes())
            if meta["legoenv"]["verdict"] == "invalid":
                invalid += 1
                continue
            whole.add(meta)
            groups[meta["task_name"].partition("__")[0]].add(meta)
        write_whole(folder / "summary.json", _json(_summary(config, whole, groups, invalid)))


def _summary(config: Config, whole: _Sums, groups: dict[str, _Sums], invalid: int) -> dict[str, Any]:
    asked = config.model_dump(
        include={"toolset", "tool_mode", "max_steps", "temperature", "max_tokens", "reasoning_effort"}
    )
    return {
        "model_name": config.model,
        "model_config": asked,
        "total_tasks": whole.total,
        "successful_tasks": whole.passed,
        "failed_tasks": whole.total - whole.passed,
        "invalid_tasks": invalid,
        "success_rate": whole.rate,
        "total_task_execution_time": whole.seconds,
        "average_task_execution_time": whole.each(whole.seconds),
        "total_agent_execution_time": whole.seconds,
        "average_agent_execution_time": whole.each(whole.seconds),
        "token_usage": whole.usage("_tokens"),
        "turn_usage": {"total_turns": whole.turns, "avg_turns": whole.each(whole.turns)},
        "category_breakdown": {
            name: {
                "total": sums.total,
                "success_rate": sums.rate,
                "avg_time": sums.each(sums.seconds),
                "token_usage": sums.usage(""),
                "turn_usage": {"total_turns": sums.turns, "avg_turns": sums.each(sums.turns)},
            }
            for name, sums in sorted(groups.items())
        },
    }
