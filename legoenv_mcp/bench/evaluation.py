"""What an evaluation costs beside the model: many rollouts at once against an endpoint that answers at once."""

import gc
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio
import httpx2

from legoenv_mcp.bench import figures
from legoenv_mcp.bench.connections import listening
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.environments import load
from legoenv_mcp.evaluate import config as configs
from legoenv_mcp.evaluate import results
from legoenv_mcp.evaluate.config import Config, Way
from legoenv_mcp.evaluate.rollout import Rollout
from legoenv_mcp.evaluate.runner import Evaluation
from legoenv_mcp.verify.model import Answer, Verifier

APPS = ("gmail", "slack")
"""108 tools: about as many as an endpoint shows."""
TURNS = 10
CONCURRENCY = 32


def measure(rollouts: int) -> list["figures.Figure"]:
    """CPU milliseconds of this process for a step, all included; the floor is sending the same requests with a bare client."""
    environment, script = _workload()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.json"
        path.write_text(json.dumps(script), encoding="utf-8")
        with listening([sys.executable, "-m", "legoenv_mcp.bench.instant", str(path)]) as url:
            return anyio.run(_measure, environment, url, Path(folder), rollouts, backend_options={"use_uvloop": True})


def _workload() -> tuple[Environment, list[dict[str, Any]]]:
    """The benchmark's environment without what does not fit one endpoint, and a model that reads and writes in it."""
    whole = load(figures.ENVIRONMENT)
    verifier = Verifier(answer=Answer(facts=("done",)))
    environment = whole.model_copy(update={"id": "bench", "apps": APPS, "verifier": verifier, "answer": "done"})
    steps = [s for s in whole.plan if s.app in APPS and "$" not in str(s.arguments)]
    script = [
        {"role": "assistant", "content": None, "reasoning_content": "Next.", "tool_calls": [_call(f"call_{n}", steps[n % len(steps)])]}
        for n in range(TURNS)
    ]  # fmt: skip
    return environment, [*script, {"role": "assistant", "content": "done"}]


def _call(name: str, step: Any) -> dict[str, Any]:
    function = {"name": f"{step.app}__{step.tool}", "arguments": json.dumps(step.arguments)}
    return {"id": name, "type": "function", "function": function}


async def _measure(environment: Environment, url: str, folder: Path, count: int) -> list["figures.Figure"]:
    run, config = folder / "run", Config(model="instant", environments=(environment.id,), k=count)
    configs.begin(run, config)
    evaluation = Evaluation(run, config, Way(base_url=f"{url}/v1", concurrency=CONCURRENCY))
    assert evaluation.endpoint is not None
    warm = await evaluation.rollout(environment, 1)
    if warm.verdict != "passed":
        raise RuntimeError(f"the benchmark's rollout is {warm.verdict}: {warm.fault}")
    await _rollouts(evaluation, environment, min(count, 2 * CONCURRENCY))
    gc.collect()
    start, wall, held = time.process_time(), time.perf_counter(), _resident()
    await _rollouts(evaluation, environment, count)
    spent, took = time.process_time() - start, time.perf_counter() - wall
    gc.collect()
    grown = _resident() - held
    await evaluation.endpoint.close()
    steps = count * warm.steps
    floor = await _floor(url, warm, max(1, count // 4))
    per_step = spent / steps * 1e3
    return [
        figures.Figure(
            f"eval: a step, {CONCURRENCY} rollouts at once (CPU)",
            per_step,
            "ms",
            floor * 1e3,
            "the same request, bare client",
        ),
        figures.Figure("  runner overhead a step", per_step - floor * 1e3, "ms", None, "", "< 10 ms"),
        figures.Figure("eval: steps a second", steps / took, ""),
        figures.Figure(f"eval: memory grown over {count} rollouts", max(grown, 0.0), "MB", None, "", "< 10 MB"),
    ]


async def _rollouts(evaluation: Evaluation, environment: Environment, count: int) -> None:
    """What an evaluation does with each: lives it, writes it, forgets it."""
    slots = anyio.Semaphore(CONCURRENCY)

    async def one(attempt: int) -> None:
        async with slots:
            results.write(evaluation.run, evaluation.config, await evaluation.rollout(environment, attempt))

    async with anyio.create_task_group() as tasks:
        for attempt in range(1, count + 1):
            tasks.start_soon(one, attempt)


async def _floor(url: str, rollout: Rollout, count: int) -> float:
    """CPU seconds for one request as the rollout sent them, and its answer, read."""
    bodies = list[bytes]()
    for place, message in enumerate(rollout.messages):
        if message["role"] == "assistant":
            request = {"model": "instant", "messages": rollout.messages[:place], "tools": rollout.tools}
            bodies.append(json.dumps(request, separators=(",", ":")).encode())
    async with httpx2.AsyncClient(timeout=60) as http:

        async def one() -> None:
            for body in bodies:
                answer = await http.post(f"{url}/v1/chat/completions", content=body)
                json.loads(answer.content)

        start = time.process_time()
        async with anyio.create_task_group() as tasks:
            for _ in range(count):
                tasks.start_soon(one)
        return (time.process_time() - start) / (count * len(bodies))


def _resident() -> float:
    """Megabytes that this process holds."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024
