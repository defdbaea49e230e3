"""A rollout: one run of an agent in one environment, with everything that grading, reports and exports need, and where it is kept.

A run folder follows MCP-Mark's layout, with one file of ours in each task's folder:

    RUN/config.json                                       what was asked for: a rerun with another configuration is refused
    RUN/results.sqlite                                    the same results as tables (made from the files)
    RUN/<model>__legoenv/run-<n>/summary.json
    RUN/<model>__legoenv/run-<n>/<category>__<task>/      category: the environment's domain; task: its id
        rollout.json                                      the Rollout below; written first, whole
        messages.json  execution.log                      as MCP-Mark has them
        meta.json                                         as MCP-Mark has it; written last: a folder with it is a finished rollout
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Call(_Part):
    """One tool call as the agent made it, and what it was answered."""

    id: str
    """The `tool_call_id` of the trajectory's messages."""
    tool: str
    """As the agent named it (`slack__chat_post_message` where an episode has several apps)."""
    arguments: dict[str, Any] | str
    """The text itself where it was not a JSON object."""
    status: int
    """The vendor's HTTP status: 2xx done, 4xx the agent's mistake, 5xx ours. 400 malformed arguments, 404 no such tool."""
    result: str
    """What went back to the model."""
    seconds: float = 0.0
    turn: int = 0
    """The assistant turn it belongs to, from 0."""


class Asserted(_Part):
    name: str
    passed: bool
    detail: str


class Usage(_Part):
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    """US dollars, where prices were given."""


class Fault(_Part):
    """Why a rollout is invalid: whose fault it was (never the model's) and what happened."""

    boundary: Literal["provider", "tool_server", "harness"]
    message: str


class Rollout(_Part):
    """One finished rollout. `verdict` invalid: no reward, counted beside the means."""

    environment: str
    environment_hash: str
    verifier_hash: str
    attempt: int = Field(ge=1)
    """1 to k."""
    model: str
    toolset: Literal["mcp", "api"] = "mcp"
    tool_mode: Literal["native", "schema"] = "native"
    verdict: Literal["passed", "failed", "invalid"]
    reward: float | None
    share: float = 0.0
    """The share of assertions that held: a diagnostic."""
    ended: Literal["answered", "step_limit", "context_limit", "time_limit", "malformed", "fault"]
    """How the model's part ended. `malformed`: it kept sending what cannot be read as a turn."""
    fault: Fault | None = None
    apps: tuple[str, ...]
    world: str
    difficulty: int
    domain: str = ""
    intent: str = ""
    rules: tuple[str, ...] = ()
    branch: str = ""
    """Which way the rules go in this environment: `Second look: applies`."""
    traps: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    instruction: str
    tools: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    """The tools as they were offered, in function-calling format."""
    messages: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    """The trajectory in chat-completions format, `reasoning_content` included."""
    calls: list[Call] = Field(default_factory=list[Call])
    answer: str | None = None
    """What the agent said at its end."""
    assertions: list[Asserted] = Field(default_factory=list[Asserted])
    diff: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    """What the episode changed: `Change.as_json()`."""
    notes: list[str] = Field(default_factory=list[str])
    """What the harness did that the model's messages do not show: retries, shortened results, dropped turns."""
    usage: Usage = Field(default_factory=Usage)
    steps: int = 0
    """Assistant turns."""
    started: str = ""
    """ISO 8601, UTC."""
    seconds: float = 0.0
    model_seconds: float = 0.0
    """Of these, waiting for the endpoint."""

    def folder(self, run: Path) -> Path:
        """Where it is kept."""
        task = f"{safe_name(self.domain or 'general')}__{safe_name(self.environment)}"
        return run / f"{safe_name(self.model)}__legoenv" / f"run-{self.attempt}" / task


def safe_name(text: str) -> str:
    """A name for a folder: dots become dashes, as in MCP-Mark, and so does what file systems do not take."""
    return re.sub(r"[^A-Za-z0-9_@=+-]+", "-", text).strip("-") or "-"


def write_whole(path: Path, text: str) -> None:
    """A file that is there whole or not at all, also after a kill."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def finished(run: Path) -> Iterator[Rollout]:
    """Every finished rollout of a run folder, in a fixed order. ValueError, naming the file, where one cannot be read."""
    for meta in sorted(run.glob("*__legoenv/run-*/*/meta.json")):
        path = meta.with_name("rollout.json")
        try:
            yield Rollout.model_validate_json(path.read_bytes())
        except (OSError, ValueError) as error:
            raise ValueError(f"{path}: {str(error).splitlines()[0]}") from None
