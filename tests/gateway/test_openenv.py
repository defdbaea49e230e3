"""OpenEnv's wire contract on the gateway, by a plain web socket client; its own client: tests/foreign."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

ENVIRONMENT = "win_a_deal"
WIN = {"tool_name": "crmlite__update_deal", "arguments": {"id": 3, "status": "won"}}
NOTE = {"tool_name": "notes__create_note", "arguments": {"text": "Deal 3 is won"}}


def place(gateway: Any, below: str = "/openenv/ws") -> str:
    return gateway.url.replace("http", "ws", 1) + below


class Talk:
    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def ask(self, kind: str, data: Any = None) -> dict[str, Any]:
        await self.socket.send(json.dumps({"type": kind} | ({} if data is None else {"data": data})))
        return json.loads(await self.socket.recv())

    async def observe(self, kind: str, data: Any = None) -> dict[str, Any]:
        answer = await self.ask(kind, data)
        assert answer["type"] == "observation", answer
        assert set(answer["data"]) == {"observation", "reward", "done"}
        return answer["data"]

    async def call(self, **action: Any) -> dict[str, Any]:
        return await self.observe("step", {"type": "call_tool", **action})


async def test_a_session_is_reset_played_and_graded(gateway: Any) -> None:
    async with connect(place(gateway)) as socket:
        talk = Talk(socket)
        begun = await talk.observe("reset", {"environment": ENVIRONMENT, "seed": 7, "episode_id": None})
        assert begun["observation"]["instruction"].startswith("Deal 3 has signed")
        assert (begun["reward"], begun["done"]) == (None, False)
        tools = (await talk.observe("step", {"type": "list_tools"}))["observation"]["tools"]
        assert all(set(tool) == {"name", "description", "input_schema"} for tool in tools)
        assert {t["name"] for t in tools} >= {"submit", "crmlite__update_deal", "notes__create_note"}
        won = await talk.call(**WIN)
        assert won["observation"]["result"]["status"] == 200
        assert won["observation"]["result"]["data"]["data"]["status"] == "won"
        assert (won["observation"]["error"], won["reward"], won["done"]) == (None, None, False)
        refused = await talk.call(tool_name="crmlite__get_deal", arguments={"id": 4711})
        assert (refused["observation"]["result"]["is_error"], refused["observation"]["result"]["status"]) == (True, 404)
        await talk.call(**NOTE)
        state = (await talk.ask("state"))["data"]
        assert (state["step_count"], state["done"]) == (3, False)
        ended = await talk.call(tool_name="submit", arguments={"answer": "It is worth 3000."})
        assert (ended["reward"], ended["done"]) == (1.0, True)
        assert "won" not in json.dumps(ended["observation"]), "what was asserted is not the agent's to read"
        after = await talk.call(**NOTE)
        assert after["observation"]["error"]["error_type"] == "execution_error"
        again = await talk.observe("reset", {})
        assert (again["observation"]["environment"], again["done"]) == (ENVIRONMENT, False)
        ended = await talk.call(tool_name="submit", arguments={})
        assert (ended["reward"], ended["done"]) == (0.0, True), "a reset leaves nothing of the episode before"


async def test_sessions_do_not_see_each_other_and_end_with_their_socket(start_gateway: Callable[..., Any]) -> None:
    gateway = start_gateway("--max-episodes", "2")
    async with connect(place(gateway, f"/openenv/{ENVIRONMENT}/ws")) as one, connect(place(gateway)) as two:
        first, second = Talk(one), Talk(two)
        await first.call(**WIN)  # the environment is in the address: its first use begins it
        await second.observe("reset", {"split": "catalogue", "index": names(gateway).index(ENVIRONMENT)})
        seen = await second.call(tool_name="crmlite__get_deal", arguments={"id": 3})
        assert seen["observation"]["result"]["data"]["data"]["status"] == "open"
        async with connect(place(gateway)) as three:
            full = json.loads(await three.recv())
            assert full["data"]["code"] == "CAPACITY_REACHED"
            with pytest.raises(ConnectionClosed):
                await three.recv()
    for _ in range(100):  # the sockets' ends are noticed a moment later
        if gateway.request("POST", "/episodes", {"environment": ENVIRONMENT}).status_code == 201:
            break
        await asyncio.sleep(0.05)
    async with connect(place(gateway, f"/openenv/{ENVIRONMENT}/ws")) as again:
        fresh = await Talk(again).call(tool_name="crmlite__get_deal", arguments={"id": 3})
        assert fresh["observation"]["result"]["data"]["data"]["status"] == "open"
        await again.send(json.dumps({"type": "close"}))
        with pytest.raises(ConnectionClosed):
            await again.recv()


def names(gateway: Any) -> list[str]:
    tasks = gateway.request("POST", "/openenv/legoenv/tasks", {"split": "catalogue"}).json()["tasks"]
    return [task["id"] for task in tasks]


async def test_messages_that_cannot_be_followed_are_answered(gateway: Any) -> None:
    async with connect(place(gateway)) as socket:
        talk = Talk(socket)
        for kind, data, code in [
            ("bogus", None, "UNKNOWN_TYPE"),
            ("reset", {}, "VALIDATION_ERROR"),
            ("reset", {"environment": "nosuch"}, "EXECUTION_ERROR"),
            ("reset", {"environment": 3}, "VALIDATION_ERROR"),
            ("reset", {"index": 10**9}, "EXECUTION_ERROR"),
            ("reset", {"split": "test", "index": 0}, "VALIDATION_ERROR"),
            ("reset", [1], "VALIDATION_ERROR"),
            ("step", {"type": "list_tools"}, "VALIDATION_ERROR"),
            ("step", {"type": "dance"}, "VALIDATION_ERROR"),
            ("step", {"type": "call_tool", "tool_name": 3}, "VALIDATION_ERROR"),
        ]:
            answer = await talk.ask(kind, data)
            assert (answer["type"], answer["data"]["code"]) == ("error", code), (kind, data, answer)
        for text, code in [("{", "INVALID_JSON"), ("[]", "VALIDATION_ERROR"), ("[" * 100_000, "INVALID_JSON")]:
            await socket.send(text)
            assert json.loads(await socket.recv())["data"]["code"] == code
        await talk.observe("reset", {"environment": ENVIRONMENT})
        lost = await talk.call(tool_name="nosuch", arguments={})
        assert lost["observation"]["error"]["error_type"] == "tool_not_found"
        wrong = await talk.call(tool_name="submit", arguments={"answer": 3000})
        assert (wrong["observation"]["error"]["error_type"], wrong["done"]) == ("invalid_args", False)


def rpc(gateway: Any, method: str, **params: Any) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = gateway.request("POST", "/openenv/mcp", body).json()
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 1)
    return answer.get("result", answer.get("error"))


async def test_a_session_is_shared_by_json_rpc_and_a_socket(gateway: Any) -> None:
    session = rpc(gateway, "openenv/session/create")["session_id"]
    async with connect(place(gateway, f"/openenv/ws?session_id={session}")) as socket:
        talk = Talk(socket)
        await talk.observe("reset", {"environment": ENVIRONMENT})
        assert "submit" in {t["name"] for t in rpc(gateway, "tools/list", session_id=session)["tools"]}
        won = rpc(gateway, "tools/call", session_id=session, name="crmlite__update_deal", arguments=WIN["arguments"])
        assert won["data"]["data"]["status"] == "won"
        assert (await talk.ask("state"))["data"]["step_count"] == 1
        mcp = await talk.ask("mcp", {"jsonrpc": "2.0", "id": "x", "method": "tools/list"})
        assert (mcp["type"], mcp["data"]["id"]) == ("mcp", "x")
        assert mcp["data"]["result"]["tools"]
        async with connect(place(gateway, f"/openenv/ws?session_id={session}")) as second:
            assert json.loads(await second.recv())["data"]["code"] == "SESSION_ERROR"
        assert rpc(gateway, "openenv/session/close", session_id=session)["code"] == -32600
    closed: Any = {}
    for _ in range(100):
        closed = rpc(gateway, "openenv/session/close", session_id=session)
        if "closed" in closed:
            break
        await asyncio.sleep(0.05)
    assert closed == {"session_id": session, "closed": True}
    assert rpc(gateway, "tools/list", session_id=session)["code"] == -32602
    assert rpc(gateway, "tools/bogus", session_id="oe_none")["code"] == -32602


def test_what_clients_ask_before_they_begin(gateway: Any) -> None:
    def get(path: str) -> Any:
        return gateway.request("GET", f"/openenv/{path}").raise_for_status().json()

    assert get("health") == {"status": "healthy"}
    assert get("list_environments") == ["legoenv"]
    assert get("legoenv/splits") == [{"name": "catalogue", "type": "train"}]
    assert {"action", "observation", "state"} <= set(get("schema"))
    assert {"name", "description"} <= set(get("metadata"))

    def post(leaf: str, **body: Any) -> httpx.Response:
        return gateway.request("POST", f"/openenv/legoenv/{leaf}", {"split": "catalogue", **body})

    count = post("num_tasks").json()["num_tasks"]
    assert count == len(names(gateway)) > 200
    assert post("task", index=3).json()["task"] == {"id": names(gateway)[3], "index": 3}
    assert [t["index"] for t in post("task_range", start=2, stop=5).json()["tasks"]] == [2, 3, 4]
    assert [t["index"] for t in post("task_range", start=-2).json()["tasks"]] == [count - 2, count - 1]
    for response, status in [
        (post("task", index=count), 400), (post("task"), 400), (post("task", split="test", index=0), 404),
        (post("task_range", start="a"), 400), (gateway.request("GET", "/openenv/nosuch"), 404),
        (gateway.request("DELETE", "/openenv/ws"), 405), (gateway.request("GET", "/openenv/ws"), 404),
    ]:  # fmt: skip
        assert response.status_code == status, response.text


async def test_only_who_may_control_gets_in(start_gateway: Callable[..., Any]) -> None:
    gateway = start_gateway("--token", "agent", "--control-token", "boss", token="boss")
    for headers, status in [
        ({}, 401),
        ({"Authorization": "Bearer agent"}, 401),
        ({"Authorization": "Bearer boss", "Origin": "https://evil.example"}, 403),
        ({"Authorization": "Bearer boss", "Host": "evil.example"}, 400),  # beside the one that the client sends anyway
    ]:
        with pytest.raises(InvalidStatus) as refused:
            await connect(place(gateway), additional_headers=headers).__aenter__()
        assert refused.value.response.status_code == status
    host, port = gateway.url.removeprefix("http://").split(":")
    boss = {"Authorization": "Bearer boss"}
    with pytest.raises(InvalidStatus) as foreign:
        await connect("ws://evil.example/openenv/ws", host=host, port=int(port), additional_headers=boss).__aenter__()
    assert foreign.value.response.status_code == 421
    with pytest.raises(InvalidStatus) as lost:
        await connect(
            place(gateway, "/apps/crmlite/mcp"), additional_headers={"Authorization": "Bearer boss"}
        ).__aenter__()
    assert lost.value.response.status_code == 404
    async with connect(place(gateway), additional_headers={"Authorization": "Bearer boss"}) as socket:
        assert (await Talk(socket).ask("state"))["type"] == "state"
    assert gateway.request("GET", "/openenv/health", headers={"Authorization": "Bearer agent"}).status_code == 401
