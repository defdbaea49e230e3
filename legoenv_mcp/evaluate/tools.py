"""The tools of an episode, over MCP: in this process, or on a gateway; and the grade of what was done with them."""

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio
import httpx2
import mcp.types as t
from mcp import MCPError
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic_core import to_jsonable_python

from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.evaluate.rollout import Asserted
from legoenv_mcp.faces import mcp as face
from legoenv_mcp.faces.tools import two_tools

Toolset = Literal["mcp", "api"]
ROOM = 300.0
"""Seconds to wait for a gateway with no room for another episode."""
READ = 300.0
"""Seconds for one call of a tool on a gateway."""


class ToolServerFault(RuntimeError):
    """The tools failed, not the model: the rollout is invalid."""


@dataclass(frozen=True, slots=True)
class Graded:
    """A verdict as results keep it."""

    outcome: Literal["passed", "failed", "invalid"]
    reward: float | None
    share: float = 0.0
    assertions: list[Asserted] = field(default_factory=list[Asserted])
    diff: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    fault: str = ""


class Tools:
    """An episode's tools under the names that a model sees, and its grade.

    toolset: what is shown; "api" also where the apps have more tools than one endpoint may show. A foreign benchmark's task may set
    `steps`, a limit of its own, begin with messages of its own, and go on after an answer: its user has `more` to say.
    """

    steps: int | None = None
    notes: tuple[str, ...] = ()
    """What the rollout's notes are to say of the start."""
    over: Literal["answered", "step_limit"] | None = None
    """Set by a call after which the task takes no more turns."""
    turn: int = 0
    """The assistant turn that calls belong to; the loop keeps it."""

    def __init__(self, toolset: Toolset, grade: Callable[[str | None], Awaitable[Graded]]) -> None:
        self.toolset = toolset
        self.grade = grade
        self.listed: list[dict[str, Any]] = []
        self._places: dict[str, tuple[Client, str]] = {}

    async def add(self, client: Client, prefix: str = "") -> None:
        """Lists a server's tools. ToolServerFault where it cannot."""
        cursor: str | None = None
        while True:
            try:
                page = await client.list_tools(cursor=cursor)
            except MCPError as error:
                raise ToolServerFault(f"tools/list: {error}") from None
            for tool in page.tools:
                name = portable_name(prefix + tool.name)
                self._places[name] = client, tool.name
                shown = {"name": name, "description": tool.description or "", "parameters": tool.input_schema}
                self.listed.append({"type": "function", "function": shown})
            cursor = page.next_cursor
            if not cursor:
                return

    def opening(self, system: str, instruction: str, *, needed: bool) -> list[dict[str, Any]]:
        """The conversation's first messages. needed: a model cannot do without `system`, which describes the tools."""
        return [{"role": "system", "content": system}, {"role": "user", "content": instruction}]

    async def more(self) -> list[dict[str, Any]] | None:
        """What the user says next, `listed` being brought up to date; None where the task ends with the model's answer."""
        return None

    def __contains__(self, name: str) -> bool:
        return name in self._places

    async def call(self, name: str, arguments: dict[str, Any]) -> tuple[int, str]:
        """The status and the text of one call. ToolServerFault where the server fails, a 5xx of an app included."""
        client, tool = self._places[name]
        try:
            result = await client.call_tool(tool, arguments)
        except (
            MCPError,
            RuntimeError,
            OSError,
            httpx2.HTTPError,
        ) as error:  # RuntimeError: not as its output schema says
            raise ToolServerFault(f"{name}: {type(error).__name__}: {error}") from None
        status = int((result.meta or {}).get("legoenv/status", 500 if result.is_error else 200))
        text = "\n".join(_text(block) for block in result.content)
        if status >= 500:
            raise ToolServerFault(f"{name} answered {status}: {text[:300]}")
        return status, text


def portable_name(name: str) -> str:
    """A name that OpenAI takes for a function."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64]


def _text(block: t.ContentBlock) -> str:
    if isinstance(block, t.TextContent):
        return block.text
    shown = block.model_dump(mode="json", by_alias=True, exclude_none=True)
    for holder in (shown, shown.get("resource", {})):
        for key in ("data", "blob"):
            if isinstance(holder.get(key), str):
                holder[key] = f"[{len(holder[key]) * 3 // 4} bytes, not shown]"
    return json.dumps(shown, ensure_ascii=False)


Open = Callable[[Environment, Toolset, bool], Any]
"""Opens an episode of an environment: a context manager over its Tools. The last argument: all tools, however many they are."""


@asynccontextmanager
async def in_process(environment: Environment, toolset: Toolset, every: bool = False) -> AsyncIterator[Tools]:
    """A fresh episode in this process, its tools over an MCP connection in memory."""
    episode = environment.episode()

    async def grade(answer: str | None) -> Graded:
        return graded(environment, episode, answer)

    apps, shown = environment.apps, _shown(environment.apps, toolset)
    apart = every and shown != toolset
    tools = Tools(toolset if apart else shown, grade)
    try:
        async with AsyncExitStack() as stack:
            for slugs in [(slug,) for slug in apps] if apart else [apps]:
                client = await stack.enter_async_context(Client(face.serve(episode, slugs, toolset=toolset)))
                await tools.add(client, f"{slugs[0]}__" if apart else "")
            yield tools
    finally:
        episode.close()


def _shown(apps: Sequence[str], toolset: Toolset) -> Toolset:
    return "api" if two_tools(apps, toolset, len(apps) > 1) else "mcp"


def graded(environment: Environment, episode: Any, answer: str | None) -> Graded:
    """The verdict over an episode as it stands, with what it changed."""
    verdict = environment.grade(episode, answer)
    assertions = [Asserted(name=a.name, passed=a.passed, detail=a.detail) for a in verdict.assertions]
    diff = to_jsonable_python([change.as_json() for change in episode.changes()], bytes_mode="base64")
    return Graded(verdict.outcome, verdict.reward, verdict.share, assertions, diff, verdict.fault)


class Gateway:
    """A running `legoenv gateway`, whose episodes are used and graded over HTTP."""

    def __init__(self, url: str, token: str = "") -> None:
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    @asynccontextmanager
    async def __call__(self, environment: Environment, toolset: Toolset, every: bool = False) -> AsyncIterator[Tools]:
        """A fresh episode there. ToolServerFault where the gateway fails, or knows another environment by that name."""
        async with httpx2.AsyncClient(base_url=self._url, headers=self._headers, timeout=READ) as http:
            made = await self._made(http, environment)
            place = f"/episodes/{made['id']}"

            async def grade(answer: str | None) -> Graded:
                return _read_grade(await _asked(http, f"{place}/grade", {} if answer is None else {"answer": answer}))

            shown = _shown(environment.apps, toolset)
            apart = every and shown != toolset
            tools = Tools(toolset if apart else shown, grade)
            try:
                async with AsyncExitStack() as stack:
                    addresses = {f"{slug}__": made["apps"][slug]["mcp"] for slug in environment.apps}
                    if not apart:
                        whole = made["mcp"] if len(environment.apps) > 1 else next(iter(addresses.values()))
                        addresses = {"": f"{whole}?toolset={toolset}"}
                    for prefix, address in addresses.items():
                        transport = streamable_http_client(address, http_client=http)
                        client = await stack.enter_async_context(Client(transport, read_timeout_seconds=READ))
                        await tools.add(client, prefix)
                    yield tools
            finally:
                with anyio.CancelScope(shield=True), anyio.move_on_after(5):
                    await http.delete(place)

    async def _made(self, http: httpx2.AsyncClient, environment: Environment) -> dict[str, Any]:
        with anyio.move_on_after(ROOM):
            while True:
                response = await _post(http, "/episodes", {"environment": environment.id})
                if response.status_code != 503:
                    made = _json(response)
                    if made.get("instruction") != environment.instruction:
                        raise ToolServerFault(f"{self._url} has another environment by the name of {environment.id}")
                    return made
                await anyio.sleep(min(float(response.headers.get("retry-after", 1)), 60))
        raise ToolServerFault(f"{self._url} had no room for another episode in {ROOM:.0f} seconds")


async def _post(http: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> httpx2.Response:
    try:
        return await http.post(path, json=body)
    except httpx2.HTTPError as error:
        raise ToolServerFault(f"{http.base_url}: {type(error).__name__} {error}".strip()) from None


def _json(response: httpx2.Response) -> dict[str, Any]:
    if response.is_error:
        raise ToolServerFault(f"{response.url} answered {response.status_code}: {response.text[:300]}")
    return response.json()


async def _asked(http: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    return _json(await _post(http, path, body))


def _read_grade(shown: dict[str, Any]) -> Graded:
    assertions = [Asserted(**a) for a in shown["assertions"]]
    share = sum(a.passed for a in assertions) / len(assertions) if assertions else 0.0
    return Graded("passed" if shown["passed"] else "failed", shown["reward"], share, assertions, shown["diff"])
