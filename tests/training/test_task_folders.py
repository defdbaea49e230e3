"""MCPMark's and Harbor's task folders, with their own scripts run as those programs run them, against a real gateway."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp.controller import environments
from legoenv_mcp.training.grpo import plan
from tests.conftest import Gateway, Process
from tests.training.conftest import Export

ENVIRONMENT = "win_a_deal"


def run(script: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """A script, in Python alone: none of our packages is in reach."""
    kept = {"PATH": os.environ["PATH"]}
    return subprocess.run(
        [sys.executable, "-I", "-S", str(script)], capture_output=True, text=True, timeout=120, env={**kept, **env}
    )


def play(episode: Any) -> str | None:
    """Plays the reference plan over the episode's REST-free face: MCP, as an agent would. Answers the reference answer."""
    import httpx

    wanted = plan(environments.load(ENVIRONMENT))
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    for step in wanted["calls"]:
        params = {"name": step["tool"], "arguments": step["arguments"]}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        httpx.post(episode.mcp(step["app"]), json=body, headers=headers).raise_for_status()
    return wanted["answer"]


@pytest.fixture
def mcpmark(tmp_path: Path, export: Export) -> Path:
    status, printed, said = export("mcpmark", "--envs", ENVIRONMENT, "--out", tmp_path / "checkout", "--json")
    assert (status, said) == (0, "")
    assert json.loads(printed)["tasks"] == 1
    return tmp_path / "checkout"


def test_an_mcpmark_task_has_description_meta_and_verifier(mcpmark: Path) -> None:
    environment = environments.load(ENVIRONMENT)
    (task,) = (mcpmark / "tasks/legoenv/standard").glob("*/*")
    assert sorted(p.name for p in task.iterdir()) == ["description.md", "meta.json", "verify.py"]
    assert (task / "description.md").read_text().strip() == environment.instruction.strip()
    meta = json.loads((task / "meta.json").read_text())
    assert (meta["category_id"], meta["task_id"]) == (task.parent.name, task.name)
    assert (meta["mcp"], meta["difficulty"]) == (["legoenv"], f"L{environment.difficulty}")
    assert meta["meta_data"]["stateType"] == "text"
    assert meta["meta_data"]["environment_hash"] == environment.hash
    texts = {p.relative_to(mcpmark).as_posix(): p.read_text() for p in mcpmark.rglob("*.py")}
    assert {
        "legoenv_pipeline.py",
        "src/mcp_services/legoenv/__init__.py",
        "src/mcp_services/legoenv/service.py",
    } < texts.keys()
    for name, text in texts.items():
        compile(text, name, "exec")


def test_an_mcpmark_verifier_fails_before_and_passes_after(mcpmark: Path, gateway: Gateway, tmp_path: Path) -> None:
    (verify,) = mcpmark.glob("tasks/legoenv/standard/*/*/verify.py")
    messages = tmp_path / "messages.json"
    episode = gateway.environment(ENVIRONMENT)
    given = {"LEGOENV_GATEWAY": gateway.url, "LEGOENV_EPISODE": episode.id, "MCP_MESSAGES": str(messages)}
    before = run(verify, **given)
    assert before.returncode == 1
    assert "FAILED  won" in before.stdout
    assert "failed: " in before.stderr
    answer = play(episode)
    silent = run(verify, **given)
    assert silent.returncode == 1, "the task asks a question, and nobody has answered"
    said: list[Any] = [
        {"role": "user", "content": "Deal 3 has signed ..."},
        {"type": "function_call", "name": "x", "arguments": "{}", "call_id": "c"},
        {"role": "assistant", "type": "message", "content": [{"type": "output_text", "text": answer}]},
        {"type": "function_call_output", "call_id": "c", "output": "{}"},
    ]
    messages.write_text(json.dumps(said))
    after = run(verify, **given)
    assert after.returncode == 0, after.stdout + after.stderr
    assert re.search(r"^passed  won: ", after.stdout, re.MULTILINE)
    assert after.stdout.endswith("reward 1.0\n")


def test_an_mcpmark_verifier_without_a_verdict_says_why(mcpmark: Path, start_gateway: Callable[..., Gateway]) -> None:
    (verify,) = mcpmark.glob("tasks/legoenv/standard/*/*/verify.py")
    gateway = start_gateway("--token", "agent", "--control-token", "boss", token="boss")
    episode = gateway.environment(ENVIRONMENT)
    given = {"LEGOENV_GATEWAY": gateway.url, "LEGOENV_EPISODE": episode.id}
    for env, code, says in [
        ({**given, "LEGOENV_TOKEN": "agent"}, 2, "401"),
        ({**given, "LEGOENV_CONTROL_TOKEN": "boss", "LEGOENV_EPISODE": "ep_gone"}, 2, "404"),
        ({"LEGOENV_GATEWAY": "http://127.0.0.1:9", "LEGOENV_EPISODE": "ep"}, 2, "no verdict"),
        ({"LEGOENV_GATEWAY": gateway.url}, 1, "LEGOENV_EPISODE is not set"),
        ({**given, "LEGOENV_CONTROL_TOKEN": "boss", "LEGOENV_TOKEN": "agent"}, 1, "failed: "),
    ]:
        done = run(verify, **env)
        assert (done.returncode, says in done.stderr, "Traceback" in done.stderr) == (code, True, False), done.stderr


def test_exporting_again_gives_the_same_files(mcpmark: Path, export: Export) -> None:
    before = {p: p.read_bytes() for p in mcpmark.rglob("*") if p.is_file()}
    stray = next(mcpmark.glob("tasks/legoenv/standard/*/*")) / "left.txt"
    stray.write_text("of an earlier version")
    assert export("mcpmark", "--envs", ENVIRONMENT, "--out", mcpmark)[0] == 0
    assert {p: p.read_bytes() for p in mcpmark.rglob("*") if p.is_file()} == before


def test_a_harbor_task_is_solved_and_graded_by_its_own_scripts(
    tmp_path: Path, export: Export, start_process: Callable[..., Process]
) -> None:
    assert export("harbor", "--envs", ENVIRONMENT, "--image", "registry.example/gateway:1", "--out", tmp_path)[0] == 0
    task = tmp_path / ENVIRONMENT
    config = tomllib.loads((task / "task.toml").read_text())
    assert config["schema_version"] == "1.4"
    assert config["environment"]["mcp_servers"] == [
        {"name": "legoenv", "transport": "streamable-http", "url": "http://legoenv:8000/mcp"}
    ]
    instruction = (task / "instruction.md").read_text()
    assert "/app/answer.txt" in instruction
    compose = json.loads((task / "environment" / "docker-compose.yaml").read_text())["services"]
    served, token = compose["legoenv"], config["verifier"]["env"]["LEGOENV_CONTROL_TOKEN"]
    assert served["image"] == "registry.example/gateway:1"
    assert served["environment"] == {"LEGOENV_CONTROL_TOKEN": token}
    assert token not in instruction + (task / "environment" / "Dockerfile").read_text() + json.dumps(compose["main"])
    for script in ("solution/solve.sh", "tests/test.sh"):
        assert os.access(task / script, os.X_OK)

    # The container's own command, here as a process, on a free port.
    words = [*served["command"]]
    words[words.index("--host") + 1], words[words.index("--port") + 1] = "127.0.0.1", "0"
    from tests.conftest import server_environment

    server = start_process(*words, env=server_environment(LEGOENV_CONTROL_TOKEN=token))
    logs, answer = tmp_path / "logs", tmp_path / "answer.txt"
    given = {"LEGOENV_URL": server.url, "LEGOENV_ANSWER": str(answer), "VERIFIER_LOGS": str(logs)}
    assert run(task / "tests" / "grade.py", **given, LEGOENV_CONTROL_TOKEN="a guess").returncode != 0
    assert not (logs / "reward.txt").exists()
    assert run(task / "tests" / "grade.py", **given, LEGOENV_CONTROL_TOKEN=token).returncode == 0
    assert float((logs / "reward.txt").read_text()) == 0.0
    solved = run(task / "solution" / "solve.py", **given)
    assert solved.returncode == 0, solved.stdout + solved.stderr
    graded = run(task / "tests" / "grade.py", **given, LEGOENV_CONTROL_TOKEN=token)
    assert float((logs / "reward.txt").read_text()) == 1.0, graded.stdout
    assert all(a["passed"] for a in json.loads((logs / "assertions.json").read_text()))


def test_grpo_rows_say_what_is_played_and_how(tmp_path: Path, export: Export) -> None:
    held_out = tmp_path / "held_out.txt"
    status, printed, _ = export("grpo", "--count", "5", "--seed", "3", "--plans", "--out", tmp_path / "a", "--json")
    assert status == 0
    rows = [json.loads(line) for line in (tmp_path / "a" / "grpo.jsonl").read_text(encoding="ascii").splitlines()]
    plans = [json.loads(line) for line in (tmp_path / "a" / "plans.jsonl").read_text(encoding="ascii").splitlines()]
    assert json.loads(printed)["prompts"] == len(rows) == 5
    assert [p["environment_id"] for p in plans] == [r["environment_id"] for r in rows]
    assert len({r["intent"] or r["environment_id"] for r in rows}) == 5, "spread over the intents"
    for row in rows:
        environment = environments.load(row["environment_id"])
        assert [m["role"] for m in row["prompt"]] == ["system", "user"]
        assert row["prompt"][1]["content"] == environment.instruction
        assert (row["environment_hash"], row["apps"]) == (environment.hash, list(environment.apps))
        assert "verifier" not in json.dumps({k: v for k, v in row.items() if k != "verifier_hash"})
    held_out.write_text("\n".join(r["environment_hash"] for r in rows[:2]) + f"\n{rows[2]['environment_id']}\n")
    ids = ",".join(r["environment_id"] for r in rows)
    assert export("grpo", "--envs", ids, "--exclude", held_out, "--out", tmp_path / "b")[0] == 0
    left = [json.loads(line)["environment_id"] for line in (tmp_path / "b" / "grpo.jsonl").read_text().splitlines()]
    assert sorted(left) == sorted(r["environment_id"] for r in rows[3:])
    again = tmp_path / "c"
    assert export("grpo", "--envs", tmp_path / "a" / "grpo.jsonl", "--out", again)[0] == 0
    assert (again / "grpo.jsonl").read_bytes() == (tmp_path / "a" / "grpo.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("grpo", "--envs", "nosuch"), "unknown environment nosuch"),
        (("grpo", "--envs", "no/such/file.txt"), "no/such/file.txt"),
        (("harbor", "--apps", "nosuch"), "nosuch"),
        (("mcpmark", "--envs", ENVIRONMENT, "--difficulty", "5"), "no environment is left"),
        (("grpo", "--count", "-1"), "--count"),
        (("csv",), "invalid choice"),
    ],
)
def test_bad_choices_are_one_line(tmp_path: Path, export: Export, words: tuple[str, ...], says: str) -> None:
    status, _, said = export(*words, "--out", tmp_path)
    assert (status, said.count("\n"), says in said) == (2, 1, True), said
