"""Episodes of environments: the instruction for the agent, the grade for who controls the episode."""

from typing import Any

import httpx
import pytest

ENVIRONMENT = "win_a_deal"


def play(episode: Any) -> None:
    httpx.patch(f"{episode.rest('crmlite')}/v2/deals/3", json={"status": "won"}).raise_for_status()
    httpx.post(f"{episode.rest('notes')}/notes", json={"text": "Deal 3 is won"}).raise_for_status()


def test_an_environment_brings_its_instruction_and_apps(gateway: Any) -> None:
    episode = gateway.environment(ENVIRONMENT)
    assert set(episode.shown["apps"]) == {"crmlite", "notes"}
    assert episode.shown["instruction"].startswith("Deal 3 has signed")
    assert episode.control().json()["environment"] == ENVIRONMENT
    assert "verifier" not in episode.control().text


def test_a_solved_episode_earns_one(gateway: Any) -> None:
    episode = gateway.environment(ENVIRONMENT)
    play(episode)
    grade = episode.grade("It is worth 3000 dollars.")
    assert (grade["reward"], grade["passed"]) == (1.0, True)
    assert {a["name"]: a["passed"] for a in grade["assertions"]} == {
        "won": True,
        "noted": True,
        "answer": True,
        "frame": True,
    }
    assert all(set(a) == {"name", "passed", "detail"} for a in grade["assertions"])
    assert {(change["app"], change["table"], change["change"]) for change in grade["diff"]} == {
        ("crmlite", "deal", "update"),
        ("notes", "note", "insert"),
    }


def test_an_untouched_and_a_spoilt_episode_earn_nothing(gateway: Any) -> None:
    untouched = gateway.environment(ENVIRONMENT)
    assert (untouched.grade("3000")["reward"], untouched.grade("3000")["diff"]) == (0.0, [])
    spoilt = gateway.environment(ENVIRONMENT)
    play(spoilt)
    httpx.delete(f"{spoilt.rest('crmlite')}/v2/deals/1").raise_for_status()
    grade = spoilt.grade("3000")
    assert grade["reward"] == 0.0
    assert [a["name"] for a in grade["assertions"] if not a["passed"]] == ["frame"]


def test_grading_changes_nothing_and_may_be_repeated(gateway: Any) -> None:
    episode = gateway.environment(ENVIRONMENT)
    play(episode)
    before = [
        httpx.get(f"{episode.rest('notes')}/notes").content,
        httpx.get(f"{episode.rest('crmlite')}/v2/deals").content,
    ]
    first = episode.grade("3000")
    assert episode.grade("no idea")["reward"] == 0.0
    assert episode.grade("3000") == first
    after = [
        httpx.get(f"{episode.rest('notes')}/notes").content,
        httpx.get(f"{episode.rest('crmlite')}/v2/deals").content,
    ]
    assert before == after
    httpx.delete(f"{episode.rest('crmlite')}/v2/deals/1").raise_for_status()
    assert episode.grade("3000")["reward"] == 0.0, "an episode goes on after it was graded"
    episode.control("POST", "/reset")
    assert episode.grade("3000")["diff"] == []


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"environment": "nosuch"}, 404, "unknown-environment"),
        ({"environment": "../../etc/passwd"}, 400, "invalid-request"),
        ({"environment": ENVIRONMENT, "seed": 3}, 400, "invalid-request"),
        ({"environment": 5}, 400, "invalid-request"),
        ({}, 400, "invalid-request"),
        ({"apps": []}, 400, "invalid-request"),
        ({"apps": "notes"}, 400, "invalid-request"),
        ({"apps": ["notes", "notes"]}, 400, "invalid-request"),
        ({"apps": ["nosuch"]}, 404, "unknown-app"),
        ({"apps": ["../notes"]}, 400, "invalid-request"),
        ({"apps": ["notes"], "world": "nosuch"}, 404, "unknown-world"),
        ({"apps": ["notes"], "world": "../empty"}, 400, "invalid-request"),
        ({"apps": ["notes"], "seed": [1]}, 400, "invalid-request"),
        ({"apps": ["notes"], "seed": True}, 400, "invalid-request"),
        ({"apps": ["notes"], "sed": 1}, 400, "invalid-request"),
        ([], 400, "invalid-request"),
    ],
)
def test_wrong_requests_for_an_episode_are_problems(gateway: Any, body: Any, status: int, kind: str) -> None:
    response = gateway.request("POST", "/episodes", body)
    assert (response.status_code, response.json()["type"]) == (status, f"urn:legoenv:problem:{kind}")
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["detail"]


def test_a_wrong_grading_request_is_a_problem(gateway: Any) -> None:
    episode = gateway.environment(ENVIRONMENT)
    for body in ({"answer": 3}, {"anser": "x"}, [], "x"):
        assert episode.control("POST", "/grade", body).status_code == 400
    assert gateway.request("POST", f"/episodes/{episode.id}/grade", None).status_code == 200, "an answer is optional"
