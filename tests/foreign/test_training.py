"""Training interfaces with the packages themselves, each in an environment of its own below LEGOENV_FOREIGN (`make foreign-test`)."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from legoenv_mcp.controller import environments
from legoenv_mcp.controller.selection import choose
from legoenv_mcp.training.grpo import plan
from tests.conftest import Gateway, server_environment
from tests.support.model_server import Answer, calls, model_server

HERE = Path(os.environ.get("LEGOENV_FOREIGN") or os.devnull)
INSIDE = Path(__file__).with_name("inside")
ENVIRONMENT = "win_a_deal"


def run(*words: str | Path, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """A command in an environment with the sample apps; that it fails shows what it said."""
    done = subprocess.run(
        list(map(str, words)), capture_output=True, text=True, timeout=900, cwd=cwd, env=server_environment(**env)
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done


def legoenv(*words: str | Path, **env: str) -> str:
    return run(sys.executable, "-m", "legoenv_mcp.cli", *words, cwd=None, **env).stdout


def last_json(text: str) -> Any:
    return json.loads(text.strip().splitlines()[-1])


@pytest.fixture(autouse=True)
def sample(monkeypatch: pytest.MonkeyPatch) -> None:
    from legoenv_mcp import servers
    from tests.conftest import SAMPLE_APPS, SAMPLE_ATOMS

    monkeypatch.setattr(servers, "__path__", [*servers.__path__, str(SAMPLE_APPS)])
    monkeypatch.setenv("LEGOENV_ATOMS", str(SAMPLE_ATOMS))
    monkeypatch.setenv("LEGOENV_SERVERS", str(SAMPLE_APPS))


class Oracle:
    """A model that plays reference plans, told from the instruction; a `lazy` or `mini` one answers at once."""

    def __init__(self, *names: str) -> None:
        found = [environments.load(name) for name in names]
        self._plans = {e.instruction.strip(): plan(e) for e in found}

    def __call__(self, body: dict[str, Any], _number: int = 0) -> Answer:
        texts = [json.dumps(m["content"], ensure_ascii=False) for m in body["messages"] if m["role"] == "user"]
        wanted = next(
            p for i, p in self._plans.items() if any(json.dumps(i, ensure_ascii=False)[1:-1] in t for t in texts)
        )
        turn = sum(m["role"] == "assistant" for m in body["messages"])
        if "lazy" in body["model"] or "mini" in body["model"]:
            return "Done."
        if turn == len(wanted["calls"]):
            return wanted["answer"] or "Done."
        step = wanted["calls"][turn]
        offered = {tool["function"]["name"] for tool in body["tools"]}
        name = next(n for n in (f"{step['app']}__{step['tool']}", step["tool"]) if n in offered)
        return calls((name, step["arguments"]))


@pytest.mark.foreign("trl")
def test_trl_trains_on_rewards_of_the_verifier(tmp_path: Path) -> None:
    """The real tool loop of GRPOTrainer: a completion that plays the plan earns 1, one that does nothing 0, in both steps."""
    legoenv("export", "grpo", "--envs", ENVIRONMENT, "--plans", "--out", tmp_path)
    done = run(
        HERE / "trl/bin/python", INSIDE / "trl_training.py", "grpo", tmp_path / "grpo.jsonl", tmp_path / "plans.jsonl"
    )
    found = last_json(done.stdout)
    assert found["rewards"] == [[1.0, 0.0], [1.0, 0.0]]
    assert [entry["reward"] for entry in found["logged"]] == [0.5, 0.5]
    assert all(entry["tools/failure_frequency"] == 0 and entry["tools/call_frequency"] > 0 for entry in found["logged"])


@pytest.mark.foreign("trl")
def test_transformers_reads_every_tool_of_the_fleet() -> None:
    found = last_json(run(HERE / "trl/bin/python", INSIDE / "trl_training.py", "schemas").stdout)
    assert found["wrong"] == []
    assert found["tools"] > 1000


@pytest.mark.foreign("trl")
def test_trl_learns_from_the_turns_that_are_not_left_out(tmp_path: Path) -> None:
    """A real run of a scripted model that thinks, errs once and goes on: its mistake is in the context and not among the labels."""
    said: list[Answer] = [
        calls(("crmlite__get_deal", {"id": 4711}), reasoning_content="Is it 4711?"),
        calls(("crmlite__update_deal", {"id": 3, "status": "won"}), reasoning_content="It is 3."),
        calls(("notes__create_note", {"text": "Deal 3 is won"})),
        {"content": "It is worth 3000.", "reasoning_content": "All done."},
    ]
    with model_server(said) as server:
        legoenv(
            "eval", "--model", "scripted", "--base-url", server.url, "--envs", ENVIRONMENT, "--k", "1", "--out", tmp_path / "run",
            OPENAI_API_KEY="none",
        )  # fmt: skip
    legoenv("export", "sft", "--run", tmp_path / "run", "--out", tmp_path / "out")
    python = HERE / "trl/bin/python"
    done = run(python, INSIDE / "trl_training.py", "sft", tmp_path / "out" / "sft.jsonl", tmp_path / "tokenizer")
    found = last_json(done.stdout)
    assert found["loaded_as_written"] == [True], "load_dataset merges nothing into a call's arguments"
    (turns,) = found["learnt"]
    assert len(turns) == 3
    assert "4711" not in "".join(turns)
    assert "It is 3." in turns[0], "the reasoning of every turn is learnt, not only the last one's"
    assert '"name": "crmlite__update_deal", "arguments": {"id": 3, "status": "won"}' in turns[0]
    assert "All done." in turns[2]
    assert turns[2].rstrip().endswith("It is worth 3000.<|im_end|>")
    assert found["losses"][0] > found["losses"][-1] > 0
    cli = [
        python,
        "-m",
        "legoenv_mcp.cli",
        "export",
        "sft",
        "--run",
        tmp_path / "run",
        "--tokenizer",
        tmp_path / "tokenizer",
    ]
    shown = json.loads(run(*cli, "--out", tmp_path / "t", "--json").stdout)
    assert (shown["tokenized"], shown["too_long"]) == (1, 0)
    (line,) = (tmp_path / "t" / "tokens.jsonl").read_text().splitlines()
    assert [len(json.loads(line)["labels"]), sum(i != -100 for i in json.loads(line)["labels"])] == found["counts"][0]
    shown = json.loads(run(*cli, "--out", tmp_path / "u", "--max-length", "100", "--json").stdout)
    assert (shown["tokenized"], shown["too_long"]) == (0, 1)


@pytest.mark.foreign("verifiers")
def test_verifiers_validates_and_evaluates(tmp_path: Path, gateway: Gateway) -> None:
    from_catalogue = next(e.id for e in choose(count=40) if len(e.apps) == 1)
    names = [ENVIRONMENT, from_catalogue]
    legoenv("export", "grpo", "--envs", ",".join(names), "--plans", "--out", tmp_path)
    tools = HERE / "verifiers/bin"
    env = {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "OPENAI_API_KEY": "none",
        "PYTHONPATH": str(INSIDE.parents[2]),
    }
    at = {"data": str(tmp_path / "grpo.jsonl"), "task.gateway": gateway.url}
    where = [word for name, value in at.items() for word in (f"--taskset.{name}", value)]
    run(
        tools / "vf-validate", "legoenv_verifiers", *where, "--runtime.type", "subprocess", "--rich", "False", "-o", tmp_path / "v",
        cwd=tmp_path, **env,
    )  # fmt: skip
    (summary,) = (tmp_path / "v").rglob("summary.json")
    checks = json.loads(summary.read_text())["checks"]
    assert (checks["gold"]["valid"], checks["noop"]["valid"]) == (2, 2)
    where = [word for name, value in at.items() for word in (f"--env.taskset.{name}", value)]
    with model_server(Oracle(*names)) as server:
        for model, reward in (("oracle", 1.0), ("lazy", 0.0)):
            out = tmp_path / model
            run(
                tools / "vf-eval", "legoenv_verifiers", *where, "--model", model, "--client.base-url", server.url,
                "--client.api-key-var", "OPENAI_API_KEY", "--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess",
                "-r", "1", "--no-push", "--output-dir", out, cwd=tmp_path, **env,
            )  # fmt: skip
            (traces,) = out.rglob("traces.jsonl")
            found = [trace for line in traces.read_text().splitlines() for trace in json.loads(line)["traces"]]
            assert [trace["rewards"]["solved"]["score"] for trace in found] == [reward, reward], found
            assert all(trace["errors"] == [] for trace in found)


@pytest.mark.foreign("openenv")
@pytest.mark.parametrize("guarded", [False, True])
def test_openenvs_clients_play_and_are_rewarded(guarded: bool, start_gateway: Callable[..., Gateway]) -> None:
    words = ["--token", "agent", "--control-token", "boss"] if guarded else []
    gateway = start_gateway(*words, token="boss" if guarded else "")
    done = run(HERE / "openenv/bin/python", INSIDE / "openenv_client.py", gateway.url, "boss" if guarded else "")
    seen = last_json(done.stdout)
    assert seen["instruction"].startswith("Deal 3 has signed")
    assert {"submit", "crmlite__update_deal"} <= set(seen["tools"])
    assert seen["won"]["data"]["status"] == "won", "the body whole, though it has a member `data` of its own"
    assert (seen["refused"]["status"], seen["refused"]["is_error"]) == (404, True)
    assert (seen["reward"], seen["done"], seen["steps"]) == (1.0, True, 4)
    assert seen["nothing"] == [0.0, True]
    assert seen["sync"] == environments.names()[0]


@pytest.mark.foreign("harbor")
def test_harbors_parser_takes_the_task_folders(tmp_path: Path) -> None:
    legoenv("export", "harbor", "--count", "12", "--out", tmp_path)
    legoenv("export", "harbor", "--envs", ENVIRONMENT, "--out", tmp_path)
    found = last_json(run(HERE / "harbor/bin/python", INSIDE / "harbor_tasks.py", tmp_path).stdout)
    assert len(found) == 13
    assert all(task["valid"] and task["solution"].endswith("solve.sh") for task in found.values())
    mine = found[f"legoenv/{ENVIRONMENT}"]
    assert mine["servers"] == [
        {"name": "legoenv", "transport": "streamable-http", "url": "http://legoenv:8000/mcp", "args": []}
    ]
    assert mine["instruction"].startswith("Deal 3 has signed")
    assert mine["metadata"]["environment_hash"] == environments.load(ENVIRONMENT).hash


@pytest.mark.foreign("mcpmark", "mcpmark-runner")
def test_an_mcpmark_checkout_runs_and_aggregates_our_tasks(tmp_path: Path, gateway: Gateway) -> None:
    """Its own pipeline, agent, verification and aggregator, on an untouched copy of the checkout."""
    checkout = tmp_path / "checkout"
    shutil.copytree(HERE / "mcpmark", checkout, ignore=shutil.ignore_patterns("tasks", ".git", "results"))
    before = {p: p.read_bytes() for p in checkout.rglob("*") if p.is_file()}
    from_catalogue = next(e.id for e in choose(count=40) if len(e.apps) == 1)
    names = [ENVIRONMENT, from_catalogue]
    legoenv("export", "mcpmark", "--envs", ",".join(names), "--out", checkout)
    assert all(path.read_bytes() == content for path, content in before.items()), "no file of the checkout is changed"
    python = HERE / "mcpmark-runner/bin/python"
    with model_server(Oracle(*names)) as server:
        env = {
            "LEGOENV_GATEWAY": gateway.url,
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "none",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        for model in ("gpt-4.1", "gpt-4.1-mini"):  # it knows their provider; the first plays the oracle
            run(
                python,
                "legoenv_pipeline.py",
                "--models",
                model,
                "--k",
                "2",
                "--exp-name",
                "ours",
                "--timeout",
                "120",
                cwd=checkout,
                **env,
            )
    done = run(python, "legoenv_pipeline.py", "aggregate", "--exp-name", "ours", "--k", "2", cwd=checkout)
    summary = json.loads((checkout / "results/ours/summary.json").read_text())
    rates = {model: figures["pass@1"]["avg"] for model, figures in summary["overall"].items()}
    assert rates == {"gpt-4-1": 1.0, "gpt-4-1-mini": 0.0}, done.stdout
    assert {model: figures["pass^2"] for model, figures in summary["legoenv"].items()} == rates
