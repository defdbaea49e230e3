"""Rollouts as signals: what agents ask for in vain is added; one agent's slip, and an agent that looks at nothing, say nothing."""

import json
from pathlib import Path

from legoenv_mcp.evaluate.config import Config
from legoenv_mcp.evaluate.results import write
from legoenv_mcp.evaluate.rollout import Asserted, Call, Rollout
from tests.evolve.conftest import Corner, without

TAGGING = "tickets_tag_company"
ASKED = "show_organization"


def _run(folder: Path, environment: str, model: str, attempts: int, tool: str) -> Path:
    """A run folder as `legoenv eval` leaves it, of rollouts that ask for a tool which they are not offered and fail."""
    config = Config(model=model, environments=(environment,), k=attempts)
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(config.model_dump_json(), encoding="utf-8")
    for attempt in range(1, attempts + 1):
        call = Call(id="c1", tool=tool, arguments={"organization_id": 1}, status=404, result=f"no such tool: {tool}")
        rollout = Rollout(
            environment=environment, environment_hash="00", verifier_hash="00", attempt=attempt, model=model, verdict="failed",
            reward=0.0, ended="answered", apps=("zendesk",), world="larkfell", difficulty=1, instruction="Tag them.",
            calls=[call], assertions=[Asserted(name="tagged", passed=False, detail="nothing changed")],
            started="2026-03-02T09:00:00+00:00",
        )  # fmt: skip
        write(folder, config, rollout)
    return folder


def test_a_tool_that_several_rollouts_ask_for_is_added(corner: Corner, tmp_path: Path) -> None:
    name = corner.environment(TAGGING, ["zendesk"])
    module = next(p for p in (corner.app("zendesk") / "tools").glob("*.py") if f'tool="{ASKED}"' in p.read_text())
    without(module, ASKED)
    run = _run(tmp_path / "run", name, "agent", 3, ASKED)
    done = corner.evolve("--run", str(run))
    heard = {(f["cause"], f["about"]): f for f in done["heard"]["findings"]}
    assert heard["missing_operation", ASKED]["rollouts"] == 3
    assert heard["strict", "tagged"]["mendable"] is False  # nobody ever did what it demands: for a person to look at
    assert done["solvable_before"] == 1.0
    assert [(a["atom"], a["cause"], a["reproved"]) for a in done["accepted"]] == [
        ("server zendesk", "missing_operation", 1)
    ], done["rejected"]
    assert list((corner.home / "servers" / "zendesk" / "evolved").glob(f"e*_{ASKED}.py"))


def test_what_few_ask_for_or_chance_asks_for_is_no_signal(corner: Corner, tmp_path: Path) -> None:
    name = corner.environment(TAGGING, ["zendesk"])
    few = _run(tmp_path / "few", name, "agent", 2, "open_the_pod_bay_doors")
    chance = _run(tmp_path / "chance", name, "baseline:random", 4, "open_the_pod_bay_doors")
    done = corner.run("--run", str(few), "--run", str(chance), "--no-tests", "--jobs", "1", "--json")
    said = json.loads(done.stdout)
    assert (said["heard"]["rollouts"], said["heard"]["findings"], said["accepted"]) == (2, [], [])
    refused = corner.run("--run", str(chance))
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert corner.run("--run", str(tmp_path)).returncode == 2
