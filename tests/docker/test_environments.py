"""An environment across containers: one episode id, an app a container, graded from the state they hand over."""

import json
from collections.abc import Callable
from typing import Any

import docker
import httpx
import pytest
from fastmcp import Client

from legoenv_mcp.controller.environments import load
from legoenv_mcp.controller.plans import resolve
from tests.docker.conftest import legoenv

pytestmark = pytest.mark.docker
ENVIRONMENT = "refund_within_policy"


def grade(shown: dict[str, Any], answer: str | None) -> tuple[int, dict[str, Any]]:
    words = [] if answer is None else ["--answer", answer]
    done = legoenv("fleet", "grade", shown["id"], "--json", *words)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


async def play(shown: dict[str, Any]) -> None:
    """The reference plan, by a foreign client over MCP, each step in the container that has the app."""
    replies = dict[str, Any]()
    for step in load(ENVIRONMENT).plan:
        async with Client(shown["apps"][step.app]["mcp"]) as client:
            answer = await client.call_tool(step.tool, resolve(step.arguments, replies))
        replies[step.step] = answer.structured_content


async def test_three_containers_are_one_episode(episode: Callable[[str], dict[str, Any]]) -> None:
    environment = load(ENVIRONMENT)
    shown = episode(ENVIRONMENT)
    assert shown["instruction"] == environment.instruction
    assert set(shown["apps"]) == set(environment.apps)
    assert len(environment.apps) == 3
    there = docker.from_env().containers.list(filters={"label": f"legoenv.fleet={shown['id']}"})
    assert len(there) == len(environment.apps) + 1
    code, before = grade(shown, environment.answer)
    assert (code, before["reward"], before["diff"]) == (1, 0.0, [])
    await play(shown)
    code, after = grade(shown, environment.answer)
    assert (code, after["reward"]) == (0, 1.0), after["assertions"]
    assert {change["app"] for change in after["diff"]} <= set(environment.apps)
    assert grade(shown, environment.answer)[1] == after, "grading changes nothing"
    in_process = environment.episode()
    replies = dict[str, Any]()
    for step in environment.plan:
        replies[step.step] = in_process.call(step.app, step.tool, resolve(step.arguments, replies)).body
    mine = json.loads(json.dumps([change.as_json() for change in in_process.changes()], default=repr))
    assert mine == after["diff"], "in containers or in process: the same bytes"


async def test_an_agent_finds_no_verifier_in_its_containers(episode: Callable[[str], dict[str, Any]]) -> None:
    shown = episode(ENVIRONMENT)
    (slug, *_) = shown["apps"]
    for path in ("grade", "reset", "episode"):
        root = shown["apps"][slug]["mcp"].removesuffix("/mcp")
        assert httpx.post(f"{root}/{path}").status_code >= 400
    inside = legoenv("fleet", "exec", "--fleet", shown["id"], slug, "--", "ls", "/opt/legoenv/app/legoenv_mcp/atoms_db")
    assert inside.stdout.split() == ["worlds"], "no environment, intent or rule is in an app's image"
    environment = legoenv("fleet", "exec", "--fleet", shown["id"], slug, "--", "env").stdout
    assert ENVIRONMENT not in environment


def test_what_is_no_episode_is_one_line() -> None:
    done = legoenv("fleet", "grade", "ep-nosuch")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    unknown = legoenv("fleet", "up", "--environment", "nosuchenvironment")
    assert (unknown.returncode, len(unknown.stderr.splitlines())) == (2, 1)
