"""Environment classes for TRL, without TRL: signatures from schemas, fresh episodes, rewards. The real trainer: tests/foreign."""

import inspect
import json
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

from legoenv_mcp.faces.toolbox import Called
from legoenv_mcp.training.trl import EpisodeEnvironment, environment_factory, make_env_class, verifier_reward
from tests.training.conftest import Export

WIN = {"id": 3, "status": "won"}
ANSWER = [{"role": "assistant", "content": "It is worth 3000."}]


def begun(**row: Any) -> EpisodeEnvironment:
    env = make_env_class(["crmlite", "notes"])()
    env.reset(**{"environment_id": "win_a_deal", "prompt": [], **row})
    return env


def solve(env: Any) -> None:
    assert json.loads(env.crmlite__update_deal(**WIN))["data"]["status"] == "won"
    env.notes__create_note(text="Deal 3 is won")


def test_every_tool_is_a_documented_typed_method() -> None:
    made = make_env_class(["crmlite", "notes"])
    tools = {name: f for name, f in inspect.getmembers(made, inspect.isfunction) if not name.startswith("_")}
    assert set(tools) == {"reset", *(t["name"] for t in made._tools.tools)}
    update = tools["crmlite__update_deal"]
    parameters = inspect.signature(update).parameters
    assert parameters["id"].annotation is int
    assert parameters["id"].default is inspect.Parameter.empty
    assert get_origin(parameters["status"].annotation) is Literal
    assert "won" in get_args(parameters["status"].annotation)
    assert parameters["status"].default is None
    assert update.__doc__
    assert all(f"    {name}: " in update.__doc__ for name in parameters if name != "self")


def test_an_episode_is_played_and_rewarded_and_begun_anew() -> None:
    env = begun()
    assert verifier_reward([ANSWER], [env]) == [0.0]
    solve(env)
    assert verifier_reward([ANSWER], environments=[env], prompts=[[]], trainer_state=None) == [1.0]
    assert verifier_reward([[{"role": "assistant", "content": "No idea."}]], [env]) == [0.0], "the task asks a question"
    assert verifier_reward([[*ANSWER, {"role": "tool", "name": "x", "content": "3000"}]], [env]) == [0.0], (
        "it ended on a call"
    )
    env.reset(environment_id="win_a_deal")
    assert verifier_reward([ANSWER], [env]) == [0.0], "an instance is used again: nothing is left of the episode before"
    other = begun()
    solve(other)
    assert verifier_reward([ANSWER, ANSWER], [env, other]) == [0.0, 1.0], "episodes do not see each other"


def test_a_refusal_is_a_result_and_our_fault_is_no_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    env: Any = begun()
    assert json.loads(env.crmlite__get_deal(id=4711))["status"] == 404
    assert json.loads(env.crmlite__get_deal(no_such="x"))["status"] == 400
    solve(env)
    assert verifier_reward([ANSWER], [env]) == [1.0]

    tools = type(env)._tools
    with monkeypatch.context() as broken:
        broken.setattr(tools, "call", lambda *_: Called(500, '{"status": 500}', True))
        assert json.loads(env.notes__list_notes()) == {"status": 500}
    assert verifier_reward([ANSWER], [env]) == [None]
    env.reset(environment_id="win_a_deal")
    assert verifier_reward([ANSWER], [env]) == [0.0]


def test_another_version_or_other_apps_are_refused() -> None:
    with pytest.raises(ValueError, match="export them anew"):
        begun(environment_hash="0000000000000000")
    with pytest.raises(ValueError, match="this class over"):
        make_env_class(["crmlite"])().reset(environment_id="win_a_deal")
    with pytest.raises(LookupError, match="unknown environment"):
        make_env_class(["crmlite"])().reset(environment_id="nosuch")


def test_a_factory_has_a_class_for_each_set_of_tools(tmp_path: Path, export: Export) -> None:
    for toolset in ("mcp", "api"):
        assert (
            export(
                "grpo", "--envs", "win_a_deal,refund_within_policy", "--toolset", toolset, "--out", tmp_path / toolset
            )[0]
            == 0
        )
    made = environment_factory(tmp_path / "mcp" / "grpo.jsonl")
    assert set(made) == {"crmlite+notes", "gmail+stripe+slack?toolset=api"}, "three big apps have more than 128 tools"
    rows = [json.loads(line) for line in (tmp_path / "api" / "grpo.jsonl").read_text().splitlines()]
    row = next(r for r in rows if r["environment_id"] == "win_a_deal")
    env: Any = environment_factory(rows)[row["environment"]]()
    env.reset(**row)
    found = json.loads(env.api_search(query="update a deal"))["operations"]
    base = next(o["url"] for o in found if o["tool"] == "update_deal")
    url = base.replace("{id}", "3")
    assert json.loads(env.api_request(method="PATCH", url=url, body={"status": "won"}))["status"] == 200


@pytest.mark.parametrize("slug", ["airtable", "notion", "salesforce", "google_sheets", "github"])
def test_big_schemas_keep_their_names_and_say_what_is_inside(slug: str) -> None:
    made = make_env_class([slug])
    for tool in made._tools.tools:
        method = getattr(made, tool["name"])
        parameters = dict(inspect.signature(method).parameters)
        parameters.pop("self")
        renamed = made._names[tool["name"]]
        assert [renamed.get(name, name) for name in parameters] == list(tool["inputSchema"].get("properties", {}))
        needed = {renamed.get(n, n) for n, p in parameters.items() if p.default is inspect.Parameter.empty}
        assert needed == set(tool["inputSchema"].get("required", []))
        assert set(method.__annotations__) == {*parameters, "return"}
