"""What is proven stays proven: a repair that loses an environment is taken back, and another one is tried."""

import json
from typing import Any

from tests.evolve.conftest import Corner
from tests.support.model_server import model_server

TAGGING = "tickets_tag_company"
TOLD, UNTOLD = "Please put the tag {{ tag }} on", "Please put the usual tag on"


def test_a_repair_that_loses_an_environment_is_taken_back_and_another_is_tried(corner: Corner) -> None:
    mill = corner.environment(TAGGING, ["zendesk"], company="mill-cove")
    lyon = corner.environment(TAGGING, ["zendesk"], company="cordee-lyon")
    path = corner.atom(f"intents/{TAGGING}.toml")
    whole = path.read_text(encoding="utf-8")
    head = '[pick.company]\nkind = "crm.Company"\nwhere = "'
    narrow = whole.replace(head, f"{head}world.domain == 'tarrowlisle.example' and ")
    assert TOLD in whole
    assert narrow != whole
    path.write_text(whole.replace(TOLD, UNTOLD), encoding="utf-8")
    asked = list[str]()

    def says(request: dict[str, Any], _: int) -> str:
        """Of the wording, first what takes the other task's company away, then what does not."""
        if "Cause: wording" not in (text := request["messages"][1]["content"]):
            return json.dumps({"title": "nothing"})
        asked.append(text)
        first = len(asked) == 1
        return json.dumps({"title": "only for one" if first else "for all", "toml": narrow if first else whole})

    with model_server(says) as server:
        words = (
            "--backend",
            "openai",
            "--model",
            "scripted",
            "--base-url",
            server.url,
            "--candidates",
            "1",
            "--trials",
            "process",
        )
        done = corner.evolve(*words)
    assert done["solvable_before"] == 0.5, done["unsolved"]
    assert done["solvable_after"] == [1.0], done["rejected"]
    assert [(a["title"], a["environments"]) for a in done["accepted"]] == [("for all", [mill])]
    reasons = {r["title"]: r["reason"] for r in done["rejected"]}
    assert reasons["only for one"].startswith(f"{lyon} was proven before: ")
    assert path.read_text(encoding="utf-8") == whole.replace("version = 1\n", "version = 2\n")
