"""Environments as a taskset of the `verifiers` package (its v1 interface, 0.4), played on a gateway.

    vf-eval legoenv_verifiers --env.taskset.data grpo.jsonl --env.taskset.task.gateway http://127.0.0.1:8765 ...

`verifiers` pins another `mcp` than this project needs, so this module stands alone: it uses nothing of ours, and in an environment
with `verifiers` this package is installed without its dependencies (`pip install --no-deps legoenv`). Each rollout opens an episode at
the gateway; the tool server, a process that verifiers starts, hands tools/list and tools/call on to it; the reward is its grade.
LEGOENV_TOKEN and LEGOENV_CONTROL_TOKEN are the gateway's tokens, where it has any.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import verifiers.v1 as vf  # pyright: ignore[reportMissingImports]

__all__ = ["LegoenvTaskset"]

TIMEOUT = httpx.Timeout(120.0)
MCP_HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


class LegoenvToolsetConfig(vf.ToolsetConfig):
    token: str = ""


class LegoenvTaskConfig(vf.TaskConfig):
    gateway: str = "http://127.0.0.1:8765"


class LegoenvConfig(vf.TasksetConfig):
    data: Path = Path("grpo.jsonl")
    """What `legoenv export grpo` wrote; with a plans.jsonl beside it (`--plans`), tasks can be validated."""
    task: LegoenvTaskConfig = LegoenvTaskConfig()


class LegoenvData(vf.TaskData):
    environment: str
    environment_hash: str
    toolset: str = "mcp"
    plan: list[dict[str, Any]] | None = None
    plan_answer: str | None = None


class LegoenvState(vf.State):
    episode: str = ""
    mcp: str = ""
    reward: float | None = None
    """None while the episode has not been graded."""
    share: float = 0.0
    """The share of assertions that held."""


class LegoenvToolset(vf.Toolset[LegoenvToolsetConfig, LegoenvState]):
    """The episode's tools as they are: names, schemas and results are the gateway's."""

    TOOL_PREFIX = None

    async def setup_task(self, task: Any) -> None:
        self._url = (await self._pull_state()).mcp
        self._tools = (await self._asked("tools/list", {}))["tools"]

    def register(self, mcp: Any) -> None:
        from mcp.types import CallToolResult, Tool  # noqa: PLC0415 - of the version that verifiers brings

        async def list_tools() -> list[Tool]:
            return [Tool.model_validate(tool) for tool in self._tools]

        async def call_tool(name: str, arguments: dict[str, Any], _context: Any = None) -> CallToolResult:
            return CallToolResult.model_validate(
                await self._asked("tools/call", {"name": name, "arguments": arguments})
            )

        # The server's handlers go through these two methods.
        mcp.list_tools, mcp.call_tool = list_tools, call_tool

    async def _asked(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        async with httpx.AsyncClient(timeout=TIMEOUT, headers=MCP_HEADERS | _bearer(self.config.token)) as client:
            return await _rpc(client, self._url, method, params)


class LegoenvTask(vf.Task[LegoenvData, LegoenvState, LegoenvTaskConfig]):
    @classmethod
    def toolsets(cls, config: LegoenvTaskConfig) -> list[vf.Toolset]:
        return [LegoenvToolset(LegoenvToolsetConfig(token=os.environ.get("LEGOENV_TOKEN", "")))]

    @property
    def key(self) -> str:
        return f"{self.data.environment}@{self.data.environment_hash}"

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        made = await self._control("POST", "/episodes", {"environment": self.data.environment})
        trace.state.episode = made["id"]
        trace.state.mcp = made["mcp"] + ("?toolset=api" if self.data.toolset == "api" else "")

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Grades the episode and ends it. Where an app failed, or the verifier, the rollout fails: that is no reward of 0."""
        if (status := _app_failure(trace)) is not None:
            raise RuntimeError(
                f"an app of {self.data.environment} answered {status}: the rollout says nothing about the model"
            )
        grade = await self._control(
            "POST", f"/episodes/{trace.state.episode}/grade", {"answer": trace.last_reply or None}
        )
        trace.state.reward, trace.state.share = grade["reward"], _share(grade)
        await self._control("DELETE", f"/episodes/{trace.state.episode}")

    @vf.reward(weight=1.0)
    async def solved(self, trace: vf.Trace) -> float:
        if trace.state.reward is None:
            raise RuntimeError("the episode was not graded")
        return trace.state.reward

    @vf.metric
    async def assertions_held(self, trace: vf.Trace) -> float:
        return trace.state.share

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Whether the reference plan passes and doing nothing does not; None where the plan was not exported."""
        if self.data.plan is None:
            return None
        made = await self._control("POST", "/episodes", {"environment": self.data.environment})
        try:
            before = await self._control("POST", f"/episodes/{made['id']}/grade", {})
            async with httpx.AsyncClient(
                timeout=TIMEOUT, headers=MCP_HEADERS | _bearer(os.environ.get("LEGOENV_TOKEN", ""))
            ) as client:
                for step in self.data.plan:
                    place = made["apps"][step["app"]]["mcp"]
                    await _rpc(client, place, "tools/call", {"name": step["tool"], "arguments": step["arguments"]})
            after = await self._control("POST", f"/episodes/{made['id']}/grade", {"answer": self.data.plan_answer})
        finally:
            await self._control("DELETE", f"/episodes/{made['id']}")
        return bool(after["passed"]) and not before["passed"]

    async def _control(self, method: str, path: str, body: Any = None) -> Any:
        token = os.environ.get("LEGOENV_CONTROL_TOKEN") or os.environ.get("LEGOENV_TOKEN", "")
        async with httpx.AsyncClient(base_url=self.config.gateway, timeout=TIMEOUT, headers=_bearer(token)) as client:
            response = await client.request(method, path, json=body)
        if response.is_error:
            raise RuntimeError(f"the gateway answered {response.status_code}: {response.text[:500]}")
        return response.json() if response.content else None


class LegoenvTaskset(vf.Taskset[LegoenvTask, LegoenvConfig]):
    """The environments of a file that `legoenv export grpo` wrote."""

    def load(self) -> Iterator[LegoenvTask]:
        plans = {plan["environment_id"]: plan for plan in _lines(self.config.data.with_name("plans.jsonl"))}
        for row in _lines(self.config.data, needed=True):
            messages = {message["role"]: message["content"] for message in row["prompt"]}
            plan = plans.get(row["environment_id"], {})
            data = LegoenvData(
                id=row["environment_id"], name=row["environment_id"], prompt=messages["user"], system_prompt=messages["system"],
                environment=row["environment_id"], environment_hash=row["environment_hash"], toolset=row["toolset"],
                plan=plan.get("calls"), plan_answer=plan.get("answer"),
            )  # fmt: skip
            yield LegoenvTask(data, self.config.task)


def _lines(path: Path, *, needed: bool = False) -> Iterator[dict[str, Any]]:
    if not needed and not path.is_file():
        return
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


async def _rpc(client: httpx.AsyncClient, url: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    response = await client.post(url, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    response.raise_for_status()
    answer = response.json()
    if "error" in answer:
        raise RuntimeError(f"{method}: {answer['error']['message']}")
    return answer["result"]


def _share(grade: dict[str, Any]) -> float:
    held = [a["passed"] for a in grade["assertions"]]
    return sum(held) / len(held) if held else grade["reward"]


def _text(content: Any) -> str:
    parts = [content] if isinstance(content, str) else [getattr(part, "text", "") for part in content or []]
    return "\n".join(parts)


def _app_failure(trace: vf.Trace) -> int | None:
    """The status of the first tool result that is an app's own failure: error results begin with their status."""
    for message in trace.tool_messages:
        try:
            said = json.loads(_text(message.content))
        except ValueError:
            continue
        if (
            isinstance(said, dict)
            and next(iter(said), "") == "status"
            and isinstance(said["status"], int)
            and said["status"] >= 500
        ):
            return said["status"]
    return None


if __name__ == "__main__":
    LegoenvToolset.run()
