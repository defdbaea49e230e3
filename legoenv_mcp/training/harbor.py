"""Environments as Harbor task folders (task.toml schema 1.4): the agent's container beside one that serves the environment.

    task.toml  instruction.md
    environment/Dockerfile            the agent's container: Python, nothing of ours
    environment/docker-compose.yaml   `legoenv`: `legoenv serve --environment`, from the gateway's image
    solution/{solve.sh,solve.py,plan.json}     the reference plan, played over MCP
    tests/{test.sh,grade.py}          asks for the grade, writes /logs/verifier/reward.txt

The agent is told the MCP address and no more: the control token is in the served container and in the verifier's environment.
"""

import hashlib
import json
from pathlib import Path

from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.evaluate.rollout import safe_name
from legoenv_mcp.training.files import fresh_folder, text_of, write
from legoenv_mcp.training.grpo import plan

URL = "http://legoenv:8000"
ANSWER = "/app/answer.txt"


def write_task(root: Path, environment: Environment, image: str) -> Path:
    """Writes one task folder; answers it."""
    folder = fresh_folder(root / safe_name(environment.id))
    token = control_token(environment)
    write(folder / "task.toml", task_toml(environment, token))
    write(folder / "instruction.md", instruction(environment))
    write(folder / "environment" / "Dockerfile", "FROM python:3.13-slim\nWORKDIR /app\n")
    write(folder / "environment" / "docker-compose.yaml", compose(environment, image, token))
    write(folder / "solution" / "plan.json", json.dumps(plan(environment), indent=1, ensure_ascii=False) + "\n")
    write(folder / "solution" / "solve.py", text_of("harbor/solve.py"))
    write(folder / "solution" / "solve.sh", "#!/bin/sh\nexec python3 /solution/solve.py\n", executable=True)
    write(folder / "tests" / "grade.py", text_of("harbor/grade.py"))
    write(folder / "tests" / "test.sh", "#!/bin/sh\nexec python3 /tests/grade.py\n", executable=True)
    return folder


def control_token(environment: Environment) -> str:
    """Follows from the task: it keeps the agent of a trial from grading, and needs to keep out nobody else."""
    return "ct_" + hashlib.blake2b(f"harbor/{environment.hash}".encode(), digest_size=16).hexdigest()


def instruction(environment: Environment) -> str:
    text = environment.instruction.strip() + "\n\nUse the tools of the MCP server `legoenv`.\n"
    return text + (f"Write your answer to `{ANSWER}`.\n" if environment.verifier.answer is not None else "")


def task_toml(environment: Environment, token: str) -> str:
    # A JSON string is a TOML basic string too, as long as it is ASCII without an escaped solidus or DEL.
    q = json.dumps
    keywords = sorted({*environment.apps, *environment.tags, *filter(None, [environment.domain])})
    return f"""schema_version = "1.4"

[task]
name = {q(f"legoenv/{safe_name(environment.id).lower()}")}
version = {q(str(environment.version))}
description = {q(environment.title)}
keywords = {q(keywords)}

[metadata]
environment = {q(environment.id)}
environment_hash = {q(environment.hash)}
verifier_hash = {q(environment.verifier_hash)}
difficulty = {environment.difficulty}
world = {q(environment.world)}

[agent]
timeout_sec = 3600.0

[verifier]
timeout_sec = 300.0

[verifier.env]
LEGOENV_URL = {q(URL)}
LEGOENV_CONTROL_TOKEN = {q(token)}

[solution.env]
LEGOENV_URL = {q(URL)}

[environment]
build_timeout_sec = 600.0

[[environment.mcp_servers]]
name = "legoenv"
transport = "streamable-http"
url = {q(f"{URL}/mcp")}
"""


def compose(environment: Environment, image: str, token: str) -> str:
    """YAML written as JSON, which it is a superset of: nothing in a name can break it."""
    command = [
        "serve",
        "--environment",
        environment.id,
        "--http",
        "--host",
        "0.0.0.0",
        "--port",
        "8000",
        "--allowed-host",
        "legoenv",
    ]
    probe = "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=5)"
    served = {
        "image": image,
        "entrypoint": ["legoenv"],
        "command": command,
        "environment": {"LEGOENV_CONTROL_TOKEN": token},
        "healthcheck": {"test": ["CMD", "python3", "-c", probe], "interval": "2s", "timeout": "6s", "retries": 60},
    }
    services = {"main": {"depends_on": {"legoenv": {"condition": "service_healthy"}}}, "legoenv": served}
    return json.dumps({"services": services}, indent=2) + "\n"
