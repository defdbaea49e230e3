"""What scripted models do in the sample environment: told from the conversation alone, so that many rollouts can run at once."""

import re
from typing import Any

from tests.support.model_server import Answer, calls

WIN = ("crmlite__update_deal", {"id": 3, "status": "won"})
NOTE = ("notes__create_note", {"text": "Deal 3 is won"})
ANSWER = "It is worth 3000."


def turn(body: dict[str, Any]) -> int:
    """How often the model has spoken."""
    return sum(m["role"] == "assistant" for m in body["messages"])


def number(body: dict[str, Any]) -> int:
    """The environment's number."""
    found = re.match(r"\[(\d+)\]", body["messages"][1]["content"])
    assert found
    return int(found[1])


def results(body: dict[str, Any]) -> list[str]:
    return [m["content"] for m in body["messages"] if m["role"] == "tool"]


def solves(body: dict[str, Any], _number: int = 0) -> Answer:
    return [calls(WIN), calls(NOTE), ANSWER][turn(body)]


def half_solves(body: dict[str, Any], _number: int = 0) -> Answer:
    return [calls(WIN), ANSWER][turn(body)]


def loops(body: dict[str, Any], _number: int = 0) -> Answer:
    return calls(("notes__list_notes", {}))


def mixed(body: dict[str, Any], _number: int = 0) -> Answer:
    """Solves a third of the environments, half-solves a third, loops in the rest."""
    return (solves, half_solves, loops)[number(body) % 3](body)
