"""What an agent that holds an episode's addresses can not read or do: the verifier, the plan, the traps, the environment's definition,
other episodes, the host's files, the tokens, the controlling paths. Each is tried, over every face."""

import ast
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import legoenv_mcp
from legoenv_mcp import registry
from legoenv_mcp.controller import environments
from legoenv_mcp.faces import tools as mcp_face
from tests.hostile.test_values import Attack

MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
AGENT, CONTROL = "agent-token-5f1e", "control-token-9a7c"


def rpc(url: str, method: str, params: dict[str, Any] | None = None, **headers: str) -> str:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    return httpx.post(url, json=message, headers={**MCP, **headers}).text


@pytest.fixture(scope="session")
def guarded() -> Iterator[Any]:
    """A gateway with both tokens, given as they should be: by its environment."""
    from tests.conftest import server_environment
    from tests.hostile.conftest import PlainGateway

    running = PlainGateway(env=server_environment(LEGOENV_TOKEN=AGENT, LEGOENV_CONTROL_TOKEN=CONTROL), token=CONTROL)
    yield running
    running.kill()


# What makes the task


def chosen() -> str:
    """An environment with traps and rules over several apps: the first of the catalogue that is one."""
    words = [sys.executable, "-m", "legoenv_mcp.cli", "envs", "--json"]
    listed = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return next(e["id"] for e in listed if len(e["apps"]) > 2 and e.get("traps") and e.get("rules"))


@pytest.fixture(scope="module")
def task() -> dict[str, Any]:
    words = [sys.executable, "-m", "legoenv_mcp.cli", "show", chosen(), "--json"]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def secrets_of(task: dict[str, Any]) -> set[str]:
    """What only who made the task knows: names of the environment, its intent, rules, traps, assertions and steps, keys of its data."""
    found = {task["id"], task["intent"], task["hash"], *task["rules"], *task["traps"]}
    found |= {one["name"] for kind in ("trap", "stray") for one in task[kind] if "name" in one}
    found |= {step["step"] for step in task["plan"]}
    found |= {entity["with"]["key"] for entity in task["added"] if "key" in entity["with"]}
    tools = {op.tool for slug in task["apps"] for op in registry.load(slug).operations.values()}
    return {text for text in found if len(text) > 6 and re.search(r"[_\d:]", text)} - tools


def leaked(text: str, secrets: set[str]) -> set[str]:
    return {secret for secret in secrets if secret in text}


def test_no_row_that_an_app_holds_tells_what_the_task_is_about(task: dict[str, Any]) -> None:
    """Whatever any read of any app could ever show: every column of every table, as the episode begins."""
    secrets, rows = secrets_of(task), 0
    assert len(secrets) > 5
    episode = environments.load(task["id"]).episode()
    for slug in episode.slugs:
        live = episode.app(slug)
        for shape in live.app.shapes.values():
            for row in live.store.connection.execute(shape.select):
                rows += 1
                assert not leaked(json.dumps(row, default=repr), secrets), (slug, shape.table, row)
    assert rows > 50


METHODS = [
    "initialize", "server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list", "logging/setLevel",
    "completion/complete", "sampling/createMessage", "roots/list", "tasks/list", "grade", "episode/grade",
]  # fmt: skip


def test_no_face_tells_what_the_task_is_about(guarded: Any, task: dict[str, Any]) -> None:
    episode, secrets = guarded.environment(task["id"]), secrets_of(task)
    bearer = {"Authorization": f"Bearer {AGENT}"}
    hidden = {*secrets, episode.id, CONTROL}
    places = [episode.mcp(), f"{episode.mcp()}?toolset=api", *(episode.mcp(slug) for slug in episode.shown["apps"])]
    uris = ["file:///etc/passwd", "legoenv://verifier", "environment.toml", "../plan"]
    seen = 0
    for place in places:
        answers = [rpc(place, method, None, **bearer) for method in METHODS]
        answers += [rpc(place, "resources/read", {"uri": uri}, **bearer) for uri in uris]
        answers += [rpc(place, "prompts/get", {"name": name}, **bearer) for name in ("plan", "environment")]
        for name in ("grade", "verify", "submit", "reset", "get_environment", "execute_sql", "environment"):
            answers.append(rpc(place, "tools/call", {"name": name, "arguments": {}}, **bearer))
        for answer in answers:
            seen += 1
            assert not leaked(answer, hidden), (place, answer[:300])
    for slug in episode.shown["apps"]:
        for path in ("", "/", "/nosuch", "/../../../grade", "/environment", "/.env", "/openapi.json"):
            answered = httpx.get(episode.rest(slug) + path, headers=bearer)
            assert not leaked(answered.text + str(answered.headers), hidden)
        document = httpx.get(f"{guarded.url}/apps/{slug}/openapi.json", headers=bearer)
        assert document.status_code == 200
        assert not leaked(document.text, hidden)
    for url in (
        f"{guarded.url}/",
        "file:///etc/passwd",
        f"{guarded.url}/episodes/{episode.id}/grade",
        "http://169.254.169.254/latest/meta-data/",
    ):
        request = {"name": "api_request", "arguments": {"method": "GET", "url": url}}
        answer = json.loads(rpc(f"{episode.mcp()}?toolset=api", "tools/call", request, **bearer))
        assert answer["result"]["isError"], answer
        assert "there is no API at" in answer["result"]["content"][0]["text"]
    assert seen > 60


# Who controls


def test_an_agent_controls_nothing(guarded: Any) -> None:
    episode = guarded.environment("win_a_deal")
    key = episode.mcp().split("/")[4]
    tries = [
        (method, f"/episodes/{name}{leaf}")
        for name in (key, episode.id)
        for method, leaf in (("GET", ""), ("DELETE", ""), ("POST", "/grade"), ("POST", "/reset"))
    ]
    tries += [
        ("POST", "/episodes"),
        ("POST", "/openenv/mcp"),
        ("GET", "/openenv/schema"),
        ("POST", "/openenv/legoenv/task"),
        ("GET", "/episodes"),
    ]
    for token in (AGENT, AGENT + "x", CONTROL[:-1], CONTROL.upper(), "null", "*"):
        for method, path in tries:
            answered = httpx.request(method, guarded.url + path, json={}, headers={"Authorization": f"Bearer {token}"})
            assert answered.status_code == 401, (token, method, path)
            assert not {"reward", "assertions", CONTROL, AGENT} & set(re.findall(r"[\w-]+", answered.text))
    for header in (
        "Basic " + CONTROL,
        "Basic Og==",
        "token " + CONTROL,
        CONTROL,
        f"Bearer  , {CONTROL}",
        f"Digest {CONTROL}",
    ):
        assert (
            httpx.post(
                f"{guarded.url}/episodes/{episode.id}/grade", json={}, headers={"Authorization": header}
            ).status_code
            == 401
        ), header
    for path in ("/openenv/ws", f"/episodes/{key}/ws", "/openenv/legoenv/ws"):
        with (
            pytest.raises(InvalidStatus) as refused,
            connect(
                guarded.url.replace("http", "ws", 1) + path, additional_headers={"Authorization": f"Bearer {AGENT}"}
            ),
        ):
            pass
        assert refused.value.response.status_code == 401
    assert episode.grade()["passed"] is False, "it is there, and as it was"


def test_an_agent_reaches_its_own_episode_only(attacked: Any) -> None:
    mine, theirs = attacked.episode(["notes"], world="empty"), attacked.episode(["notes"], world="empty")
    httpx.post(f"{theirs.rest('notes')}/notes", json={"text": "theirs alone"}).raise_for_status()
    their_key = theirs.mcp().split("/")[4]
    for name, value in (
        ("X-Episode-Id", theirs.id), ("X-Episode-Id", their_key), ("Mcp-Session-Id", theirs.id), ("Mcp-Session-Id", their_key),
        ("X-Original-URL", f"/episodes/{their_key}/mcp"), ("X-Forwarded-Prefix", f"/episodes/{their_key}"),
        ("Cookie", f"episode={theirs.id}"),
    ):  # fmt: skip
        assert "theirs alone" not in httpx.get(f"{mine.rest('notes')}/notes", headers={name: value}).text
        assert "theirs alone" not in rpc(
            mine.mcp("notes"), "tools/call", {"name": "list_notes", "arguments": {}}, **{name: value}
        )
    key = mine.mcp().split("/")[4]
    guesses = [key[:-1], key + "A", key.swapcase(), key[:-1] + ("A" if key[-1] != "A" else "B"), "ag_", "ep_", "ag_" + "A" * 43,
               theirs.id[:-1],
               key.replace("ag_", "ep_"), "0", "1", "admin"]  # fmt: skip
    for guess in guesses:
        assert httpx.get(f"{attacked.url}/episodes/{guess}/apps/notes/rest/notes").status_code == 404, guess
    for session in ("0" * 32, theirs.id, their_key, "session x"):
        answer = rpc(
            f"{attacked.url}/apps/notes/mcp",
            "tools/call",
            {"name": "list_notes", "arguments": {}},
            **{"Mcp-Session-Id": session},
        )
        assert "theirs alone" not in answer
    assert "theirs alone" in httpx.get(f"{theirs.rest('notes')}/notes").text


# The host


@pytest.fixture
def bait(tmp_path: Path) -> Iterator[tuple[Path, int, list[Any]]]:
    """A file with a canary in it, and a port that notes who calls."""
    path = tmp_path / "canary.txt"
    path.write_text("canary-7f3d of the host\n", encoding="utf-8")
    called = list[Any]()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            while True:
                try:
                    connection, address = server.accept()
                except OSError:
                    return
                called.append(address)
                connection.close()

        threading.Thread(target=listen, daemon=True).start()
        yield path, server.getsockname()[1], called
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("slug", registry.slugs())
def test_no_operation_reads_the_host_or_calls_out(bait: Any, slug: str) -> None:
    """Every parameter of every operation is given the place of a file of the host, and an address at which somebody listens."""
    path, port, called = bait
    attack = Attack(slug)
    climbing = "../" * 12 + str(path).lstrip("/")
    places = [str(path), f"http://127.0.0.1:{port}/x", path.as_uri(), climbing]
    for turn, operation in enumerate(attack.app.operations.values()):
        names, every = list(operation.params), dict[str, Any]()
        attack.renew()
        for name in names:
            every |= attack.arguments(operation, name, places[turn % 4])
        # One parameter alone too: many are refused for another's sake.
        alone = attack.arguments(operation, names[turn % len(names)], places[turn % 4]) if names else every
        for arguments in (every, alone):
            told = json.dumps(mcp_face.result(attack.by_tool(operation, arguments)), default=repr)
            assert "canary-7f3d" not in told, (operation.tool, arguments)
    assert called == []


SQL_OF_THE_HOST = [
    "SELECT pg_read_file('{0}')", "SELECT pg_read_binary_file('{0}')", "SELECT * FROM pg_ls_dir('/')", "COPY t FROM '{0}'",
    "COPY (SELECT 1) TO '{0}'", "COPY (SELECT 1) TO PROGRAM 'cat {0}'", "SELECT lo_import('{0}')", "CREATE EXTENSION file_fdw",
    "SELECT pg_stat_file('{0}')", "SELECT dblink('host=127.0.0.1', 'SELECT 1')", "LOAD '{0}'", "ATTACH DATABASE '{0}' AS x",
    "SELECT load_extension('{0}')", "SELECT readfile('{0}')", "SELECT * FROM _meta", "SELECT * FROM _journal",
    "SELECT * FROM sqlite_master",
    "PRAGMA database_list", "VACUUM INTO '{0}'", "CREATE FUNCTION f() RETURNS text AS '{0}' LANGUAGE plpython3u", "DO $$ BEGIN END $$",
]  # fmt: skip


@pytest.mark.parametrize("sql", SQL_OF_THE_HOST)
def test_no_sql_leaves_the_database(bait: Any, sql: str) -> None:
    path, _, called = bait
    attack = Attack("postgres")
    reply = attack.live.call("execute_sql", {"sql": sql.format(path)})
    assert 400 <= reply.status < 500, reply.body
    assert "canary-7f3d" not in reply.text()
    assert path.read_text(encoding="utf-8") == "canary-7f3d of the host\n"
    assert called == []


# Tokens


def test_tokens_ids_and_keys_are_in_no_log_and_no_process_list(guarded: Any) -> None:
    episode = guarded.environment("win_a_deal")
    key = episode.mcp().split("/")[4]
    for token in (AGENT, CONTROL, "wrong"):
        headers = {"Authorization": f"Bearer {token}"}
        for method, path in (
            ("GET", f"/nosuch?token={token}"), ("POST", f"/episodes/{episode.id}/grade?access_token={token}"),
            ("GET", f"/episodes/{token}"),
            ("POST", f"/episodes/{key}/mcp"), ("PUT", f"/episodes/{key}/apps/notes/rest/{token}"), ("GET", "/openenv/ws"),
        ):  # fmt: skip
            answered = httpx.request(method, guarded.url + path, content=b"\xff{", headers=headers)
            assert CONTROL not in str(answered.headers)
            assert token == "wrong" or path.endswith(token) or token not in answered.text
    with socket.create_connection(tuple(guarded.url.removeprefix("http://").split(":"))) as connection:
        connection.sendall(f"GET / HTTP/1.1\r\nAuthorization: Bearer {CONTROL}\r\nContent-Length: x\r\n\r\n".encode())
        assert CONTROL.encode() not in connection.recv(65536)
    log = guarded.read_log(0.5)
    commands = Path(f"/proc/{guarded.process.pid}/cmdline")
    shown = commands.read_text(encoding="utf-8") if commands.exists() else ""
    for secret in (AGENT, CONTROL, episode.id, key):
        assert secret not in log
        assert secret not in shown


def test_secrets_are_compared_in_constant_time_only() -> None:
    """No `==` in the gateway or the command line stands between two values of which one is a secret."""
    package = Path(legoenv_mcp.__file__).parent
    secret = re.compile(r"token|secret|password|authorization|presented|given_key", re.IGNORECASE)
    looked_at = 0
    for path in (*package.glob("gateway/*.py"), package / "cli" / "serve.py", package / "fleet" / "router.py"):
        if not path.exists():
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Compare):
                continue
            looked_at += 1
            sides = [node.left, *node.comparators]
            compared = any(isinstance(op, (ast.Eq, ast.NotEq, ast.In, ast.NotIn)) for op in node.ops)
            if compared and not any(isinstance(side, ast.Constant) for side in sides):
                assert not any(secret.search(ast.unparse(side)) for side in sides), (
                    f"{path}:{node.lineno}: {ast.unparse(node)}"
                )
    assert looked_at > 50


def test_kept_secrets_are_for_their_owner_alone(start_gateway: Any, tmp_path: Path) -> None:
    gateway = start_gateway("--db", str(tmp_path / "kept"))
    gateway.episode(["notes"], world="empty")
    for path in (tmp_path / "kept" / "secret", tmp_path / "kept" / "episodes"):
        assert path.stat().st_mode & 0o077 == 0, oct(os.stat(path).st_mode)
