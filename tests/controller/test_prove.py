"""Proofs: a right environment is proven, and each check can fail: for each, an environment that is wrong in that one way."""

import copy
from typing import Any

import pytest

from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.prove import Proof, prove
from legoenv_mcp.templates import DEFAULT_WORLD


def step(name: str, app: str, tool: str, after: list[str] | None = None, **arguments: Any) -> dict[str, Any]:
    made = {"step": name, "app": app, "tool": tool, "arguments": arguments}
    return made if after is None else {**made, "after": after}


def lose(**changes: Any) -> dict[str, Any]:
    arguments = {"id": "$find.data.3.id", "status": "lost", "lost_reason": "price", **changes}
    return step("lose", "crmlite", "update_deal", ["find"], **arguments)


NOTE = step("note", "notes", "create_note", ["find"], text="${find.data.3.title} was lost: price")

RIGHT: dict[str, Any] = {
    "id": "lose_a_deal",
    "version": 1,
    "title": "A deal is lost",
    "world": DEFAULT_WORLD,
    "apps": ["crmlite", "notes"],
    "difficulty": 1,
    "instruction": "Deal 4 is lost because of the price. Mark it as lost with the reason `price`, and write a note that says so.",
    "plan": [step("find", "crmlite", "get_deals"), lose(), NOTE],
    "verifier": {
        "select": {"deal": {"in": "crmlite.deal", "where": {"title": "Deal 4"}}},
        "goal": [
            {"name": "lost", "changed": "crmlite.deal", "row": "@deal", "to": {"status": "lost", "lost_reason": "price"}},
            {"name": "note", "created": "notes.note", "with": {"text": {"facts": ["@deal.title", "lost"]}}},
        ],
        "allow": [
            {"update": "crmlite.deal", "row": "@deal", "columns": ["status", "lost_reason", "close_time"]},
            {"insert": "notes.note"},
        ],
    },
    "trap": [
        {"name": "the deal beside it", "caught_by": "lost", "replace": [lose(id="$find.data.4.id")]},
        {"name": "won instead", "caught_by": "lost", "replace": [lose(status="won", lost_reason=None)]},
    ],
    "equivalent": [
        {
            "name": "in two steps",
            "replace": [lose(lost_reason=None)],
            "add": [step("why", "crmlite", "update_deal", id="$find.data.3.id", lost_reason="price")],
        }
    ],
    "stray": [
        *(step(f"stray{n}", "crmlite", "update_deal", id=f"$find.data.{n}.id", title="x") for n in (0, 1, 2, 4)),
        step("stray5", "crmlite", "add_deal", title="New", stage_id=1),
        step("stray6", "crmlite", "delete_deal", id="$find.data.5.id"),
        step("stray7", "notes", "create_note", text="Deal 4 was lost: price"),
        step("stray8", "notes", "delete_note", id="n_welcome"),
    ],
}  # fmt: skip


def proof(**changes: Any) -> Proof:
    return prove(Environment.model_validate({**copy.deepcopy(RIGHT), **changes}))


def verifier(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(RIGHT["verifier"]), **changes}


def test_a_right_environment_is_proven() -> None:
    made = proof()
    assert made.proven, [(c.rule, c.name, c.detail) for c in made.failed]
    assert {"V1", "V2", "V3", "V4", "V7", "V9", "V10", "V13", "V14", "V16", "V20"} <= {c.rule for c in made.checks}
    assert len(made.checks) > 25
    assert {"server crmlite", f"template notes {DEFAULT_WORLD}", "environment lose_a_deal"} <= made.atoms.keys()


GOALS = RIGHT["verifier"]["goal"]
ALLOW = RIGHT["verifier"]["allow"]
WRONG: list[tuple[str, dict[str, Any]]] = [
    ("V1", {"verifier": verifier(goal=[{"name": "n", "counted": "crmlite.deal", "with": {"id": {"any": True}}, "count": 7}], allow=ALLOW),
            "trap": []}),
    ("V2", {"verifier": verifier(goal=GOALS[:1])}),
    ("V2", {"verifier": verifier(goal=[GOALS[0], {"name": "old", "exists": "notes.note", "with": {"text": {"facts": ["Notes"]}}}])}),
    ("V3", {"trap": [{"name": "no trap at all", "caught_by": "lost", "add": [step("look", "crmlite", "get_stages")]}]}),
    ("V3", {"trap": [{"name": "refused, not caught", "caught_by": "lost", "replace": [lose(id=999)]}]}),
    ("V4", {"verifier": verifier(allow=[*ALLOW, {"update": "crmlite.deal", "with": {"id": {"any": True}}, "columns": ["title"]}])}),
    ("V4", {"stray": RIGHT["stray"][:3]}),
    ("V4", {"stray": [step(f"s{n}", "crmlite", "update_deal", id=1, title=f"t{n}") for n in range(9)]}),
    ("V7", {"verifier": verifier(goal=[*GOALS, {"name": "vacuous", "exists": "crmlite.stage", "with": {"name": "Lead"}}])}),
    ("V9", {"plan": [RIGHT["plan"][0], lose(id=999), NOTE]}),
    ("V9", {"plan": [*RIGHT["plan"], step("idle", "crmlite", "update_deal", id="$find.data.3.id", nothing=1)]}),
    ("V9", {"verifier": verifier(allow=[*ALLOW, {"insert": "crmlite.file"}])}),
    ("V10", {"equivalent": [{"name": "not equivalent", "drop": ["note"]}]}),
    ("V13", {"instruction": "One deal is lost. Mark it as such, and write a note that says so."}),
    ("V13", {"computed": {"12": "5 + 6"}}),
    ("V14", {"verifier": verifier(select={"deal": {"in": "crmlite.deal", "where": {"currency": "USD"}}})}),
    ("V14", {"verifier": verifier(select={"deal": {"in": "crmlite.deal", "where": {"no_such_column": 1}}})}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "changes"), WRONG, ids=[f"{n}-{rule}" for n, (rule, _) in enumerate(WRONG)])
def test_each_check_can_fail(rule: str, changes: dict[str, Any]) -> None:
    made = proof(**changes)
    assert not made.proven
    assert rule in {c.rule for c in made.failed}, [(c.rule, c.name, c.detail) for c in made.failed]
    assert all(c.detail for c in made.failed if c.rule in ("V3", "V4", "V9", "V13")), [
        (c.rule, c.name) for c in made.failed
    ]


def test_a_plan_that_refers_to_nothing_is_a_failed_proof() -> None:
    made = proof(plan=[step("lose", "crmlite", "update_deal", id="$nowhere.id")], trap=[], equivalent=[])
    assert (made.proven, [c.rule for c in made.failed]) == (False, ["V9"])
    assert "nowhere" in made.failed[0].detail
