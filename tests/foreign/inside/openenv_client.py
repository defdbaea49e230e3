"""Runs inside an environment that has openenv: its own clients against a gateway. Prints what they saw as JSON."""

# pyright: reportMissingImports=false

import asyncio
import json
import sys
from typing import Any

from openenv.core.env_server.mcp_types import CallToolAction
from openenv.core.generic_client import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient


async def main(url: str, token: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}"} if token else None
    seen: dict[str, Any] = {}
    async with MCPToolClient(base_url=f"{url}/openenv", headers=headers) as env:
        begun = await env.reset(environment="win_a_deal")
        seen["instruction"] = begun.observation.model_dump()["instruction"]
        seen["tools"] = [tool.name for tool in await env.list_tools()]
        seen["won"] = await env.call_tool("crmlite__update_deal", id=3, status="won")
        stepped = await env.step(CallToolAction(tool_name="crmlite__get_deal", arguments={"id": 4711}))
        seen["refused"] = stepped.observation.result
        await env.call_tool("notes__create_note", text="Deal 3 is won")
        ended = await env.step(CallToolAction(tool_name="submit", arguments={"answer": "3000"}))
        state = await env.state()
        seen |= {"reward": ended.reward, "done": ended.done, "steps": state.step_count}
    async with GenericEnvClient(base_url=f"{url}/openenv/win_a_deal", headers=headers) as env:
        await env.reset()
        ended = await env.step({"type": "call_tool", "tool_name": "submit", "arguments": {}})
        seen["nothing"] = [ended.reward, ended.done]
    with GenericEnvClient(base_url=f"{url}/openenv", headers=headers).sync() as env:
        seen["sync"] = env.reset(split="catalogue", index=0).observation["environment"]
    return seen


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""))))
