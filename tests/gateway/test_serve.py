"""`legoenv serve`: one shared episode over stdio or HTTP, and what the command line says when it cannot."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters

from tests.conftest import server_environment


def stdio(*words: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "legoenv_mcp.cli", "serve", *words], env=server_environment()
    )


def legoenv(*words: str, env_extra: dict[str, str] | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "legoenv_mcp.cli", *words]
    return subprocess.run(
        command, env=server_environment(**(env_extra or {})), capture_output=True, text=True, timeout=60, **options
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_stdio(mode: Any) -> None:
    async with Client(stdio("notes", "--world", "empty"), mode=mode) as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == [
            "list_notes",
            "get_note",
            "create_note",
            "delete_note",
        ]
        made = await agent.call_tool("create_note", {"text": "hello", "tags": ["a"]})
        assert made.structured_content is not None
        found = await agent.call_tool("get_note", {"id": made.structured_content["id"]})
        assert found.structured_content == made.structured_content
        missing = await agent.call_tool("get_note", {"id": "n_none"})
        assert missing.is_error
        assert missing.structured_content is None


async def test_several_apps_over_stdio_have_prefixed_tools() -> None:
    async with Client(stdio("notes", "crmlite", "--world", "empty")) as agent:
        names = {tool.name for tool in (await agent.list_tools()).tools}
        assert {"notes__list_notes", "crmlite__get_deals"} <= names


async def test_http_serves_all_faces_of_one_episode(start_process: Any) -> None:
    url = start_process("serve", "notes", "--http", "--port", "0", "--world", "empty").url
    async with Client(f"{url}/mcp") as one, Client(f"{url}/apps/notes/mcp", mode="legacy") as other:
        made = await one.call_tool("create_note", {"text": "shared"})
        assert made.structured_content is not None
        note = made.structured_content["id"]
        assert not (await other.call_tool("get_note", {"id": note})).is_error
    assert httpx.get(f"{url}/apps/notes/rest/notes/{note}").json()["text"] == "shared"
    assert httpx.get(f"{url}/notes/{note}").json()["text"] == "shared", "an only app's REST face is at the root too"
    assert [app["slug"] for app in httpx.get(f"{url}/apps").json()] == ["notes"]
    assert httpx.get(f"{url}/healthz").json()["status"] == "ok"
    assert httpx.get(f"{url}/apps/crmlite/rest/v2/deals").status_code == 404


async def test_http_with_several_apps(start_process: Any) -> None:
    url = start_process("serve", "notes", "crmlite", "--http", "--port", "0", "--world", "empty").url
    async with Client(f"{url}/mcp") as agent:
        assert "crmlite__get_deals" in {tool.name for tool in (await agent.list_tools()).tools}
    async with Client(f"{url}/apps/crmlite/mcp") as agent:
        assert "get_deals" in {tool.name for tool in (await agent.list_tools()).tools}
    assert httpx.get(f"{url}/v2/deals").status_code == 404


async def test_a_token_is_asked_for_in_the_shapes_that_vendors_send(start_process: Any) -> None:
    url = start_process("serve", "notes", "--http", "--port", "0", "--world", "empty", "--token", "s3cret").url
    assert httpx.post(f"{url}/mcp", json={}).status_code == 401
    assert httpx.post(f"{url}/mcp", json={}).headers["www-authenticate"] == "Bearer"
    refused = httpx.get(f"{url}/notes")
    assert (refused.status_code, refused.json()) == (401, {"error": "Authentication required"})
    for headers in ({"Authorization": "Bearer s3cret"}, {"Authorization": "token s3cret"}):
        assert httpx.get(f"{url}/notes", headers=headers).status_code == 200
    assert httpx.get(f"{url}/notes", auth=("s3cret", "")).status_code == 200
    assert httpx.get(f"{url}/notes", auth=("someone", "s3cret")).status_code == 200
    assert httpx.get(f"{url}/notes", auth=("someone", "wrong")).status_code == 401


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_acknowledged_writes_survive_the_end_of_the_process(start_process: Any, tmp_path: Path, how: int) -> None:
    words = ("serve", "notes", "--http", "--port", "0", "--world", "empty", "--db", str(tmp_path / "state"))
    first = start_process(*words)
    written = [httpx.post(f"{first.url}/notes", json={"text": f"note {n}"}).json() for n in range(20)]
    assert first.stop(how) == (-signal.SIGKILL if how == signal.SIGKILL else 0)
    second = start_process(*words)
    there = httpx.get(f"{second.url}/notes").json()["notes"]
    assert [note for note in there if note in written] == sorted(written, key=lambda note: note["id"])
    fresh = httpx.post(f"{second.url}/notes", json={"text": "after"}).json()
    assert fresh["id"] not in {note["id"] for note in written}
    assert fresh["created"] > max(note["created"] for note in written), "time goes on where it was"


def test_a_state_folder_has_one_user_and_one_world(start_process: Any, tmp_path: Path) -> None:
    words = ("serve", "notes", "--http", "--port", "0", "--db", str(tmp_path))
    running = start_process(*words, "--world", "empty")
    second = legoenv(*words)
    assert (second.returncode, second.stderr) == (1, f"legoenv: {tmp_path} is in use by another legoenv process\n")
    running.stop()
    other = legoenv(*words, "--world", "quaymark")
    assert other.returncode == 1
    assert "of the world 'empty', not of 'quaymark'" in other.stderr


def test_a_port_in_use_is_one_clear_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for words in (("serve", "notes", "--http", "--port", str(port)), ("gateway", "--port", str(port))):
            done = legoenv(*words)
            assert done.returncode == 1
            assert (
                done.stderr
                == f"legoenv: port {port} on 127.0.0.1 is in use; choose another with --port (0 takes a free one)\n"
            )
            assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("serve", "nosuchapp"), "unknown app 'nosuchapp'"),
        (("serve", "notes", "--world", "nosuchworld"), "no world 'nosuchworld'"),
        (("serve", "notes", "--http", "--port", "x"), "'x' is not a port"),
        (("serve", "notes", "--http", "--tls-cert", "x"), "--tls-cert and --tls-key go together"),
        (("serve", "notes", "--http", "--token", "a b"), "a token is ASCII text without spaces"),
        (("gateway", "--world", "nosuchworld"), "no world 'nosuchworld'"),
        (("gateway", "--max-episodes", "0"), "'0' is not a positive whole number"),
        (("gateway", "--idle-timeout", "soon"), "'soon' is not a positive number of seconds"),
        (("config", "notes", "--http", "localhost"), "is not an http:// or https:// address"),
        (("config", "notes", "--http", "http://x", "--docker"), "exclude each other"),
    ],
)
def test_bad_words_are_one_line_and_status_2(words: tuple[str, ...], said: str) -> None:
    done = legoenv(*words)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_nothing_but_protocol_on_standard_output() -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    done = legoenv("serve", "notes", "--world", "empty", input=json.dumps(hello) + "\nthis is not JSON\n")
    assert done.returncode == 0
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert messages[0]["result"]["serverInfo"]["name"] == "notes"
    assert all(message["jsonrpc"] == "2.0" for message in messages)


@pytest.mark.parametrize("client", ["claude", "cursor", "json"])
def test_configuration_runs_as_printed(client: str) -> None:
    done = legoenv("config", "notes", "crmlite", "--client", client, "--world", "empty")
    servers = json.loads(done.stdout)["mcpServers"]
    assert set(servers) == {"notes", "crmlite"}
    assert Path(servers["notes"]["command"]).is_absolute()
    assert servers["notes"]["args"] == ["serve", "notes", "--world", "empty"]
    assert done.stderr.startswith("Goes into: ")


def test_configuration_for_other_clients() -> None:
    entry = json.loads(legoenv("config", "notes", "--client", "vscode").stdout)["servers"]["notes"]
    assert entry["type"] == "stdio"
    over_http = json.loads(legoenv("config", "notes", "--http", "http://127.0.0.1:8765/").stdout)["mcpServers"]["notes"]
    assert over_http == {"type": "http", "url": "http://127.0.0.1:8765/apps/notes/mcp"}
    docker = json.loads(legoenv("config", "notes", "--docker").stdout)["mcpServers"]["notes"]
    assert (docker["command"], docker["args"][:3], docker["args"][-1]) == (
        "docker",
        ["run", "-i", "--rm"],
        "legoenv/notes",
    )


def test_an_open_door_is_pointed_out(start_process: Any) -> None:
    server = start_process(
        "serve", "notes", "--http", "--host", "0.0.0.0", "--port", "0", "--world", "empty", "--allowed-host", "box"
    )
    assert "warning: anyone who reaches 0.0.0.0" in server.log.decode()
    assert httpx.get(f"{server.url}/notes", headers={"Host": "box:1"}).status_code == 200
    assert httpx.get(f"{server.url}/notes", headers={"Host": "0.0.0.0"}).status_code == 421


def test_a_gateway_that_cannot_load_says_so(tmp_path: Path) -> None:
    (tmp_path / "worlds" / "broken").mkdir(parents=True)
    (tmp_path / "worlds" / "broken" / "world.toml").write_text("nonsense")
    done = legoenv("gateway", "--port", "0", "--world", "broken", env_extra={"LEGOENV_ATOMS": str(tmp_path)})
    assert done.returncode in (1, 2)
    assert "world.toml" in done.stderr
    assert "Traceback" not in done.stderr
