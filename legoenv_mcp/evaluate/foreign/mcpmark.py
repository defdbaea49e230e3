"""MCP-Mark's own tasks from a checkout of its repository: start state, its tool server, our loop, its `verify.py`.

Prompt, system sentence and what is appended to a task are read from the checkout, so they are those of its version.
"""

import ast
import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from typing import Any, Self

import anyio
import mcp.types as t
from mcp import MCPError
from mcp.client import Client
from mcp.client.stdio import stdio_client

from legoenv_mcp.evaluate.foreign.states import LIMIT, State, States, meta_of, run_script
from legoenv_mcp.evaluate.foreign.task import BenchmarkError, Catalogue, Script, Task, solution
from legoenv_mcp.evaluate.rollout import Asserted
from legoenv_mcp.evaluate.tools import Graded, Tools, ToolServerFault, Toolset

SERVICES = ("filesystem", "postgres")
MAX_STEPS = 100
CALL = 60.0
"""Seconds that a tool call may take; after them the model is told so."""
START = 120.0


class McpMark:
    """One service of a checkout. python: of the virtual environment that has what `verify.py` imports.

    solutions: a folder of reference solutions, `<category>/<task>.json`.
    """

    name, max_steps = "mcpmark", MAX_STEPS

    def __init__(
        self,
        checkout: Path,
        service: str,
        states: States,
        python: str,
        *,
        suite: str = "standard",
        solutions: Path | None = None,
    ) -> None:
        self._checkout, self._service, self._suite = checkout.resolve(), service, suite
        self._states, self._python, self._solutions = states, python, solutions

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Holds nothing beyond its episodes."""

    # Tasks

    async def catalogue(self, wanted: Sequence[str]) -> Catalogue:
        tasks = list(self._tasks())
        sizes = {group: sum(task.group == group for task in tasks) for group in sorted({task.group for task in tasks})}
        for word in wanted:
            if not any(word in (task.group, f"{task.group}/{task.key}") for task in tasks):
                raise BenchmarkError(f"no task or category {word!r}; there are {', '.join(sizes)}")
        chosen = [k for k in tasks if not wanted or k.group in wanted or f"{k.group}/{k.key}" in wanted]
        self._states.check()
        there = [task for task in chosen if self._states.has(self.folder(task), task.group)]
        if not there or (wanted and len(there) < len(chosen)):
            lost = sorted({task.group for task in chosen} - {task.group for task in there})
            raise BenchmarkError(f"the start state of {', '.join(lost)} is not there; {self._states.missing()}")
        return Catalogue(self._version(), tuple(there), sizes)

    def _tasks(self) -> list[Task]:
        root = self._checkout / "tasks" / self._service / self._suite
        if not root.is_dir():
            raise BenchmarkError(f"{root} is not there; name a checkout of MCP-Mark with --source")
        self._folders = dict[str, Path]()
        prefix = f"mcpmark:{self._service}" + ("" if self._suite == "standard" else f"-{self._suite}")
        tasks = list[Task]()
        for description in sorted(root.glob("*/*/description.md")):
            folder = description.parent
            if not (folder / "verify.py").is_file() or folder.name.startswith("."):
                continue
            about = meta_of(folder)
            group, key = str(about.get("category_id") or folder.parent.name), str(about.get("task_id") or folder.name)
            level = re.fullmatch(r"L?(\d)", str(about.get("difficulty", "")))
            task = Task(
                id=f"{prefix}/{group}/{key}", group=group, key=key, instruction=self._prompt(description), hash=_hash(folder),
                verifier_hash=_hash(folder, "verify.py"), apps=(self._service,), difficulty=int(level[1]) if level else 0,
                capabilities=tuple(map(str, about.get("tags") or ())),
            )  # fmt: skip
            self._folders[task.id] = folder
            tasks.append(task)
        return tasks

    def folder(self, task: Task) -> Path:
        return self._folders[task.id]

    def _prompt(self, description: Path) -> str:
        own = self._checkout / "src/mcp_services" / self._service / f"{self._service}_task_manager.py"
        added = appended(own) or appended(self._checkout / "src/base/task_manager.py")
        return description.read_text(encoding="utf-8") + added

    def _version(self) -> str:
        """The checkout's commit; "unknown" where it is none (an unpacked archive)."""
        environ = {**os.environ, "GIT_CEILING_DIRECTORIES": str(self._checkout.parent)}
        command = ["git", "-C", str(self._checkout), "rev-parse", "HEAD"]
        try:
            done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
        except OSError:
            return "unknown"
        return done.stdout.strip() or "unknown"

    # Episodes

    @asynccontextmanager
    async def open(self, task: Task, toolset: Toolset, every: bool = False) -> AsyncIterator[Tools]:
        async with self._states.open(self.folder(task), task.group) as state:
            session, started = McpMarkSession(self, task, state, system_sentence(self._checkout)), False
            with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
                server = Client(stdio_client(state.server, errlog=errors), read_timeout_seconds=CALL)
                try:
                    with anyio.fail_after(START) as starting:
                        async with server as client:
                            await session.add(client)
                            starting.deadline, started = inf, True
                            yield session
                except Exception as error:
                    if started:
                        raise
                    errors.seek(0)
                    said = (errors.read().strip().splitlines() or [f"{type(error).__name__} {error}"])[-1]
                    raise ToolServerFault(f"{state.server.command} did not start: {said[:300]}") from None

    async def verify(self, task: Task, state: State) -> Graded:
        """Runs `verify.py` once, on the state as it stands: it may change it. Its exit code is the verdict."""
        script = self.folder(task) / "verify.py"
        diff = await anyio.to_thread.run_sync(state.diff)
        code, said, errors = await run_script(self._python, script, state.words, state.environ, cwd=self._checkout)
        lacks = re.search(r"^(?:ModuleNotFoundError|ImportError): (.*)", errors, re.M)
        if code not in (0, None) and lacks:
            return Graded(
                "invalid",
                None,
                fault=f"verify.py: {lacks[1]}; install it for {self._python}, or name another with --python",
            )
        detail = f"no verdict after {LIMIT:g} seconds" if code is None else _telling(said + errors, failed=code != 0)
        checked = [Asserted(name="verify.py", passed=code == 0, detail=detail)]
        return Graded("passed" if code == 0 else "failed", float(code == 0), float(code == 0), checked, diff)

    async def reference(self, task: Task, tools: Any) -> Script:
        """The solution of the solutions' folder, or the ground truth that some postgres tasks have beside them."""
        assert isinstance(tools, McpMarkSession)
        truth = self.folder(task) / "ground_truth.sql"
        if (kept := solution(self._solutions, task, tools.state.root)) is not None:
            return kept
        if truth.is_file():
            return [[("execute_sql", {"sql": truth.read_text(encoding="utf-8")})], "Done."]
        raise BenchmarkError(f"{task.id} has no reference solution; name a folder that has one with --solutions")


class McpMarkSession(Tools):
    """A task being lived in: the tool server's tools, and the verdict of `verify.py`."""

    def __init__(self, benchmark: McpMark, task: Task, state: State, system: str) -> None:
        super().__init__("mcp", self._verified)
        self.notes = tuple(state.notes)
        self._benchmark, self._task, self.state, self._system = benchmark, task, state, system

    def opening(self, system: str, instruction: str, *, needed: bool) -> list[dict[str, Any]]:
        """The benchmark's own system sentence; ours where it describes the tools, or where the checkout has none."""
        said = system if needed or not self._system else self._system
        return [{"role": "system", "content": said}, {"role": "user", "content": instruction}]

    async def call(self, name: str, arguments: dict[str, Any]) -> tuple[int, str]:
        """As the benchmark's agent has it: the whole result as JSON; a call that takes too long, or that is refused, is an answer."""
        client, tool = self._places[name]
        try:
            with anyio.fail_after(CALL):
                result = await client.call_tool(tool, arguments)
        except TimeoutError:
            return 408, json.dumps({"error": f"{tool} did not answer in {CALL:g} seconds"})
        except MCPError as error:
            if error.error.code == t.INVALID_PARAMS:
                return 400, json.dumps({"error": error.error.message}, ensure_ascii=False)
            raise ToolServerFault(f"{tool}: {error}") from None
        except (RuntimeError, OSError) as error:
            raise ToolServerFault(f"{tool}: {type(error).__name__}: {error}") from None
        shown = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        shown.pop("resultType", None)
        return (400 if result.is_error else 200), json.dumps(shown, ensure_ascii=False)

    async def _verified(self, answer: str | None) -> Graded:
        return await self._benchmark.verify(self._task, self.state)


# Reading a checkout


def _hash(folder: Path, *names: str) -> str:
    """Of a task's files: of all, or of those named."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and (not names or path.name in names):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def appended(source: Path) -> str:
    """What a service's task class appends to a description: the text that its `_format_task_instruction` adds."""
    for node in ast.walk(_tree(source)):
        if isinstance(node, ast.FunctionDef) and node.name == "_format_task_instruction":
            for one in ast.walk(node):
                if (
                    isinstance(one, ast.BinOp)
                    and isinstance(one.right, ast.Constant)
                    and isinstance(one.right.value, str)
                ):
                    return one.right.value
    return ""


def system_sentence(checkout: Path) -> str:
    """The agent's SYSTEM_PROMPT; empty where it cannot be found."""
    for node in ast.walk(_tree(checkout / "src/agents/mcpmark_agent.py")):
        if isinstance(node, ast.Assign) and any(
            isinstance(x, ast.Name) and x.id == "SYSTEM_PROMPT" for x in node.targets
        ):
            return ast.literal_eval(node.value)
    return ""


def _tree(source: Path) -> ast.AST:
    try:
        return ast.parse(source.read_text(encoding="utf-8"))
    except (OSError, SyntaxError):
        return ast.Module(body=[], type_ignores=[])


def _telling(said: str, *, failed: bool) -> str:
    """Of what `verify.py` printed, the lines that say what is wrong, else its last ones."""
    lines = [line.strip() for line in said.splitlines() if line.strip(" =-\n")]
    wrong = [x for x in lines if x.startswith(("❌", "FAIL", "✗")) and len(x) > len("FAILED")] if failed else []
    return "\n".join(wrong[:20] or lines[-5:])[:2000]
