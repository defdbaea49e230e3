"""Many episodes at once, scratch episodes, limits, idleness, restarts."""

import asyncio
import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

MCP = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


async def test_episodes_never_see_each_others_rows(gateway: Any) -> None:
    """64 episodes at once, each writing its canary through every face and looking for all others'."""
    async with httpx.AsyncClient(timeout=120) as http:

        async def live(n: int) -> set[str]:
            made = (
                await http.post(
                    f"{gateway.url}/episodes", json={"apps": ["notes", "crmlite"], "world": "empty", "seed": n}
                )
            ).json()
            rest = made["apps"]["notes"]["rest"]
            canaries = {f"canary {n} {face}" for face in ("rest", "mcp", "all", "id")}
            await http.post(f"{rest}/notes", json={"text": f"canary {n} rest"})
            async with Client(made["apps"]["notes"]["mcp"], mode="auto" if n % 2 else "legacy") as agent:
                await agent.call_tool("create_note", {"text": f"canary {n} mcp"})
            async with Client(made["mcp"]) as agent:
                await agent.call_tool("notes__create_note", {"text": f"canary {n} all"})
                await agent.call_tool("crmlite__add_deal", {"title": f"deal {n}", "stage_id": 1})
            await http.post(
                f"{gateway.url}/episodes/{made['id']}/apps/notes/rest/notes", json={"text": f"canary {n} id"}
            )
            await asyncio.sleep(0)
            notes = (await http.get(f"{rest}/notes")).json()["notes"]
            deals = (await http.get(f"{made['apps']['crmlite']['rest']}/v2/deals")).json()["data"]
            assert [deal["title"] for deal in deals[7:]] == [f"deal {n}"]
            assert {note["text"] for note in notes if note["text"].startswith("canary")} == canaries
            return {note["id"] for note in notes if note["text"].startswith("canary")}

        ids = await asyncio.gather(*(live(n) for n in range(64)))
    assert len(set.union(*ids)) == 64 * 4, "each seed draws its own ids"


async def test_a_client_key_names_a_scratch_episode_across_apps(gateway: Any) -> None:
    mine, other = {"X-Episode-Id": "mine_1"}, {"X-Episode-Id": "other_1"}
    notes, deals = f"{gateway.url}/apps/notes/rest/notes", f"{gateway.url}/apps/crmlite/rest/v2/deals"
    httpx.post(notes, json={"text": "mine"}, headers=mine).raise_for_status()
    httpx.post(deals, json={"title": "mine", "stage_id": 1}, headers=mine).raise_for_status()
    assert "mine" in httpx.get(notes, headers=mine).text
    assert "mine" not in httpx.get(notes, headers=other).text
    assert "mine" in httpx.get(deals, headers=mine).text
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_notes", "arguments": {}}}
    session = httpx.post(f"{gateway.url}/apps/notes/mcp", json=initialize(), headers={**MCP, **mine}).headers[
        "mcp-session-id"
    ]
    answer = httpx.post(f"{gateway.url}/apps/notes/mcp", json=call, headers={**MCP, **mine, "Mcp-Session-Id": session})
    assert "mine" in answer.text


def initialize() -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip


async def test_a_client_key_may_be_an_episodes(gateway: Any) -> None:
    episode = gateway.episode(["notes"], world="empty")
    httpx.post(f"{episode.rest('notes')}/notes", json={"text": "in the episode"}).raise_for_status()
    assert (
        "in the episode" in httpx.get(f"{gateway.url}/apps/notes/rest/notes", headers={"X-Episode-Id": episode.id}).text
    )


async def test_sessions_have_scratch_episodes_of_their_own(gateway: Any) -> None:
    url = f"{gateway.url}/apps/notes/mcp"
    async with Client(url, mode="legacy") as one, Client(url, mode="legacy") as two, Client(url) as shared:
        await one.call_tool("create_note", {"text": "of one"})
        assert "of one" in str(await one.call_tool("list_notes", {}))
        assert "of one" not in str(await two.call_tool("list_notes", {}))
        assert "of one" not in str(await shared.call_tool("list_notes", {}))
        await shared.call_tool("create_note", {"text": "shared by all without a session"})
    assert "shared by all" in httpx.get(f"{gateway.url}/apps/notes/rest/notes").text


def test_ending_a_session_drops_its_scratch_episode(start_gateway: Any) -> None:
    gateway = start_gateway("--max-episodes", "1", "--world", "empty")
    url = f"{gateway.url}/apps/notes/mcp"
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_notes", "arguments": {}}}

    def session() -> dict[str, str]:
        return {**MCP, "Mcp-Session-Id": httpx.post(url, json=initialize(), headers=MCP).headers["mcp-session-id"]}

    one, two = session(), session()
    assert "Welcome" in httpx.post(url, json=call, headers=one).text
    full = httpx.post(url, json=call, headers=two).json()
    assert full["error"]["message"] == "All 1 episodes are in use."
    assert httpx.delete(url, headers=one).status_code == 200
    assert httpx.post(url, json=call, headers=one).status_code == 404
    assert "Welcome" in httpx.post(url, json=call, headers=two).text


def test_past_the_limit_the_answer_says_when_to_come_back(start_gateway: Any) -> None:
    gateway = start_gateway("--max-episodes", "2", "--world", "empty")
    first, second = gateway.episode(["notes"]), gateway.episode(["notes"])
    refused = gateway.request("POST", "/episodes", {"apps": ["notes"]})
    assert refused.status_code == 503
    assert refused.json()["type"] == "urn:legoenv:problem:too-many-episodes"
    assert int(refused.headers["retry-after"]) > 0
    assert httpx.get(f"{first.rest('notes')}/notes").status_code == 200
    second.control("DELETE")
    gateway.episode(["notes"])
    for key in ("a", "b"):
        assert httpx.get(f"{gateway.url}/apps/notes/rest/notes", headers={"X-Episode-Id": key}).status_code == 200
    assert httpx.get(f"{gateway.url}/apps/notes/rest/notes", headers={"X-Episode-Id": "c"}).status_code == 503


def test_idle_episodes_are_collected(start_gateway: Any, tmp_path: Path) -> None:
    gateway = start_gateway("--idle-timeout", "4", "--max-episodes", "2", "--world", "empty", "--db", str(tmp_path))
    idle, used = gateway.episode(["notes"]), gateway.episode(["notes"])
    httpx.post(f"{idle.rest('notes')}/notes", json={"text": "x"}).raise_for_status()
    for _ in range(9):
        time.sleep(0.6)
        assert httpx.get(f"{used.rest('notes')}/notes").status_code == 200
    assert httpx.get(f"{idle.rest('notes')}/notes").status_code == 404
    assert idle.control().status_code == 404
    assert [folder.name for folder in (tmp_path / "episodes").iterdir()] == [used.id]
    gateway.episode(["notes"])
    expires = used.control().json()["expires_at"]
    assert expires > idle.shown["expires_at"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_durable_episodes_survive_the_end_of_the_process(start_gateway: Any, tmp_path: Path, how: int) -> None:
    port = "--db", str(tmp_path / "state")
    first = start_gateway(*port)
    graded, plain = first.environment("win_a_deal"), first.episode(["notes"], world="empty", seed=3)
    gone = first.episode(["notes"], world="empty")
    gone.control("DELETE")
    httpx.patch(f"{graded.rest('crmlite')}/v2/deals/3", json={"status": "won"}).raise_for_status()
    written = [httpx.post(f"{plain.rest('notes')}/notes", json={"text": f"note {n}"}).json() for n in range(10)]
    assert first.stop(how) == (-signal.SIGKILL if how == signal.SIGKILL else 0)

    second = start_gateway(*port)

    def again(url: str) -> str:
        return url.replace(first.url, second.url)

    notes = httpx.get(f"{again(plain.rest('notes'))}/notes").json()["notes"]
    assert all(note in notes for note in written), "what was acknowledged is there, at the agent's old address"
    grade = second.request("POST", f"/episodes/{graded.id}/grade", {"answer": "3000"}).json()
    assert [a["name"] for a in grade["assertions"] if not a["passed"]] == ["noted"]
    httpx.post(f"{again(graded.rest('notes'))}/notes", json={"text": "Deal 3 is won"}).raise_for_status()
    assert second.request("POST", f"/episodes/{graded.id}/grade", {"answer": "3000"}).json()["reward"] == 1.0
    shown = second.request("GET", f"/episodes/{graded.id}").json()
    assert (shown["instruction"], again(graded.mcp())) == (graded.shown["instruction"], shown["mcp"])
    assert second.request("GET", f"/episodes/{gone.id}").status_code == 404
    assert second.request("POST", f"/episodes/{plain.id}/reset").status_code == 200
    assert len(httpx.get(f"{again(plain.rest('notes'))}/notes").json()["notes"]) == 1
    repeated = httpx.post(f"{again(plain.rest('notes'))}/notes", json={"text": "note 0"}).json()
    assert repeated == written[0], "the seed is kept too"
    assert second.request("DELETE", f"/episodes/{plain.id}").status_code == 204
    assert [folder.name for folder in (tmp_path / "state" / "episodes").iterdir()] == [graded.id]


def files_held_open(pid: int) -> list[Path]:
    """What the process's descriptors point to. One may close between being listed and being read."""
    paths = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            paths.append(link.readlink())
    return paths


def test_more_durable_episodes_than_files_held_open(start_gateway: Any, tmp_path: Path) -> None:
    gateway = start_gateway("--db", str(tmp_path))
    episodes = [gateway.episode(["notes"], world="empty") for _ in range(140)]
    with httpx.Client() as http:
        for n, episode in enumerate(episodes):
            http.post(f"{episode.rest('notes')}/notes", json={"text": f"note {n}"}).raise_for_status()
        for n, episode in enumerate(episodes):
            assert f"note {n}" in http.get(f"{episode.rest('notes')}/notes").text
    held = [path for path in files_held_open(gateway.process.pid) if "sqlite" in path.name]
    assert held, "the files of the episodes last used stay open"
    assert len({path.parent for path in held}) <= 128


def test_the_door_opens_before_the_sdk_is_loaded() -> None:
    code = """
import sys
import legoenv_mcp.cli.serve, legoenv_mcp.gateway.front, legoenv_mcp.gateway.running
heavy = {"mcp", "pydantic", "sqlmodel", "sqlalchemy", "starlette", "openai"} & set(sys.modules)
sys.exit(", ".join(sorted(heavy)) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_tls(start_process: Any, tmp_path: Path) -> None:
    import ssl

    import trustme

    authority = trustme.CA()
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    trusted = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    words = ("--port", "0", "--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"))
    gateway = start_process("gateway", *words)
    assert gateway.url.startswith("https://")
    made = httpx.post(
        f"{gateway.url}/episodes", json={"apps": ["notes"], "world": "empty"}, verify=trusted, timeout=60
    ).json()
    assert made["mcp"].startswith("https://")
    assert httpx.get(f"{made['apps']['notes']['rest']}/notes", verify=trusted).status_code == 200
