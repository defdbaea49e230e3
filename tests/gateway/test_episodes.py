"""Episodes over HTTP: made, seen, reset, ended; their faces; what one sees of another."""

import re
from typing import Any

import httpx
from mcp import Client

APPS = ["crmlite", "notes"]


def problem(response: httpx.Response) -> dict[str, Any]:
    """The problem document of a refusal, checked for what RFC 9457 and the contract ask."""
    assert response.headers["content-type"] == "application/problem+json"
    document = response.json()
    assert {"type", "title", "status", "detail"} <= set(document)
    assert document["status"] == response.status_code
    return document


def test_an_episode_is_made_with_addresses_and_an_end(gateway: Any) -> None:
    response = gateway.request("POST", "/episodes", {"apps": APPS, "world": "empty", "seed": 7})
    assert response.status_code == 201
    made = response.json()
    assert response.headers["location"] == f"/episodes/{made['id']}"
    assert set(made["apps"]) == set(APPS)
    assert made["mcp"].startswith(gateway.url)
    assert made["apps"]["notes"]["rest"].endswith("/apps/notes/rest")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made["expires_at"])
    assert made["id"] not in made["mcp"], "an agent's address must not give away the id that controls"


async def test_all_faces_are_one_state(gateway: Any) -> None:
    episode = gateway.episode(APPS, world="empty")
    for mode in ("auto", "legacy"):
        async with Client(episode.mcp("crmlite"), mode=mode) as agent:
            made = await agent.call_tool("add_deal", {"title": f"From {mode}", "stage_id": 1})
            assert made.structured_content is not None
            deal = made.structured_content["data"]["id"]
        assert httpx.get(f"{episode.rest('crmlite')}/v2/deals/{deal}").json()["data"]["title"] == f"From {mode}"
        async with Client(episode.mcp(), mode=mode) as agent:
            names = [tool.name for tool in (await agent.list_tools()).tools]
            assert "crmlite__get_deals" in names
            assert "notes__list_notes" in names
            seen = await agent.call_tool("crmlite__get_deal", {"id": deal})
            assert seen.structured_content is not None
            assert seen.structured_content["data"]["title"] == f"From {mode}"


async def test_the_id_opens_the_faces_too(gateway: Any) -> None:
    episode = gateway.episode(APPS, world="empty")
    async with Client(f"{gateway.url}/episodes/{episode.id}/apps/notes/mcp/") as agent:
        assert not (await agent.call_tool("list_notes", {})).is_error
    assert httpx.get(f"{gateway.url}/episodes/{episode.id}/apps/notes/rest/notes").status_code == 200


def test_reset_takes_everything_back_and_keeps_the_addresses(gateway: Any) -> None:
    episode = gateway.episode(["notes"], world="empty")
    url = f"{episode.rest('notes')}/notes"
    before = httpx.get(url).json()
    first = httpx.post(url, json={"text": "one"}).json()
    assert httpx.get(url).json() != before
    assert episode.control("POST", "/reset").json()["mcp"] == episode.mcp()
    assert httpx.get(url).json() == before
    assert httpx.post(url, json={"text": "one"}).json() == first, "the same calls give the same bytes"


def test_an_ended_episode_is_gone_on_every_path(gateway: Any) -> None:
    episode = gateway.episode(["notes"], world="empty")
    assert episode.control("DELETE").status_code == 204
    for method, url in (
        ("GET", f"{gateway.url}/episodes/{episode.id}"), ("DELETE", f"{gateway.url}/episodes/{episode.id}"),
        ("POST", f"{gateway.url}/episodes/{episode.id}/grade"), ("POST", f"{gateway.url}/episodes/{episode.id}/reset"),
        ("GET", f"{episode.rest('notes')}/notes"), ("POST", episode.mcp("notes")), ("POST", episode.mcp()),
    ):  # fmt: skip
        assert problem(httpx.request(method, url, json={}))["type"] == "urn:legoenv:problem:unknown-episode"


def test_an_episode_without_an_environment_cannot_be_graded(gateway: Any) -> None:
    episode = gateway.episode(["notes"], world="empty")
    assert problem(episode.control("POST", "/grade", {}))["status"] == 409


def test_paths_below_a_rest_face_keep_their_escapes(gateway: Any) -> None:
    base = gateway.episode(["crmlite"], world="empty").rest("crmlite")
    assert httpx.get(f"{base}/v2/files/docs%2Fa%20b.md").json()["data"]["content"] == "nested"
    link = httpx.get(f"{base}/v2/tree/docs/a%20b.md").headers["link"]
    assert link == f'<{base}/v2/tree/docs/a%20b.md>; rel="self"'
    assert httpx.post(f"{base}/v2/files%3Abatch", json={"paths": ["readme.md"]}).status_code == 200


def test_a_seed_settles_the_ids(gateway: Any) -> None:
    made = [
        httpx.post(
            f"{gateway.episode(['notes'], world='empty', seed=seed).rest('notes')}/notes", json={"text": "x"}
        ).json()["id"]
        for seed in (1, 1, 2)
    ]
    assert made[0] == made[1] != made[2]
