"""The short way for `tools/call` answers what the SDK's way answers, byte for byte of meaning, and takes nothing unusual."""

import json
from typing import Any

import httpx
import pytest

VERSION = "2026-07-28"
ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
}
SLOW = {"more": 1}
"""A parameter that the SDK passes over and the short way does not take: the same call by the long way."""


def post(url: str, name: str, arguments: Any, more: dict[str, Any] | None = None, **changes: Any) -> httpx.Response:
    params = {"name": name, "arguments": arguments, "_meta": ENVELOPE, **(more or {})}
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    headers = {
        "accept": "application/json, text/event-stream", "content-type": "application/json", "mcp-protocol-version": VERSION,
        "mcp-method": "tools/call", "mcp-name": name, **changes.pop("headers", {}),
    }  # fmt: skip
    return httpx.post(url, content=json.dumps({**body, **changes}), headers=headers)


CALLS: list[tuple[str, Any]] = [
    ("get_deal", {"id": 3}),
    ("get_deal", {"id": "3"}),
    ("get_deals", {"limit": 2, "status": "open"}),
    ("get_deals", {}),
    ("get_deals", None),
    ("get_deal", {"id": 999}),
    ("get_deal", {"id": 3, "colour": "red"}),
    ("update_deal", {"id": 3, "title": 'Ünïcode 🙂 "quoted"', "value": 1e3}),
    ("update_deal", {"id": 3, "status": "lost", "lost_reason": None}),
    ("get_deal", {"id": "\ud800"}),
    ("get_stages", {}),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_both_ways_answer_alike(gateway: Any, name: str, arguments: Any) -> None:
    made = [
        post(gateway.episode(["crmlite"], world="empty", seed=5).mcp("crmlite"), name, arguments, meta)
        for meta in (ENVELOPE, SLOW)
    ]
    assert made[0].json() == made[1].json()
    assert made[0].status_code == made[1].status_code == 200
    assert [r.headers["content-type"] for r in made] == ["application/json"] * 2


def test_a_server_calls_itself_by_its_own_apps(gateway: Any) -> None:
    """Two servers that have an app in common, whose answers are kept."""
    told = [
        post(gateway.episode(apps, world="empty", seed=5).mcp(), "crmlite__get_deals", {}).json()["result"]["_meta"]
        for apps in (["crmlite", "notes"], ["crmlite", "slack"])
        for _ in range(3)
    ]
    titles = [t["io.modelcontextprotocol/serverInfo"]["title"] for t in told]
    assert titles[:3] == [titles[0]] * 3
    assert titles[3:] == [titles[3]] * 3
    assert titles[0] != titles[3]


OLDER = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "")


def post_older(
    url: str, version: str, name: str, arguments: Any, more: dict[str, Any], **headers: str
) -> httpx.Response:
    body = {
        "jsonrpc": "2.0",
        "id": "seven",
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments, **more},
    }
    sent = {"accept": "application/json, text/event-stream", "content-type": "application/json", **headers}
    if version:
        sent["mcp-protocol-version"] = version
    return httpx.post(url, content=json.dumps(body), headers=sent)


@pytest.mark.parametrize("version", OLDER)
def test_older_revisions_are_answered_alike_both_ways(gateway: Any, version: str) -> None:
    for name, arguments in CALLS:
        made = [
            post_older(
                gateway.episode(["crmlite"], world="empty", seed=5).mcp("crmlite"), version, name, arguments, more
            )
            for more in ({}, {"_meta": {"progressToken": 3}}, SLOW)
        ]
        assert made[0].json() == made[1].json() == made[2].json(), (name, arguments)
        assert "resultType" not in made[0].text
        assert {r.headers["content-type"] for r in made} == {"application/json"}
        assert [r.status_code for r in made] == [400 if arguments == {"id": "\ud800"} else 200] * 3, (name, arguments)


@pytest.mark.parametrize(
    "headers",
    [{"accept": "text/html"}, {"mcp-protocol-version": "1999-01-01"}, {"content-type": "text/plain"}],
    ids=str,
)
def test_older_revisions_refuse_what_the_sdk_refuses(gateway: Any, headers: dict[str, str]) -> None:
    url = gateway.episode(["crmlite"], world="empty").mcp("crmlite")
    refused = post_older(url, "2025-11-25", "get_deal", {"id": 3}, {}, **headers)
    refused = refused if "mcp-protocol-version" not in headers else post_older(url, "1999-01-01", "get_deal", {}, {})
    assert refused.status_code in (400, 406, 415)


def test_a_session_is_never_passed_by(gateway: Any) -> None:
    """The scratch endpoint keeps sessions for older revisions: a call outside one is refused, as the SDK does."""
    refused = post_older(f"{gateway.url}/apps/notes/mcp", "2025-11-25", "list_notes", {}, {})
    assert refused.status_code == 400
    stranger = post_older(
        f"{gateway.url}/apps/notes/mcp", "2025-11-25", "list_notes", {}, {}, **{"mcp-session-id": "x"}
    )
    assert stranger.status_code == 404


def test_prefixed_names_and_a_served_app_go_the_same_ways(gateway: Any) -> None:
    episode = gateway.episode(["crmlite", "notes"], world="empty")
    answers = [post(episode.mcp(None), "crmlite__get_deal", {"id": 2}, way).json() for way in ({}, SLOW)]
    assert answers[0] == answers[1]
    assert answers[0]["result"]["structuredContent"]["data"]["id"] == 2
    bare = [
        post(f"{gateway.url}/apps/notes/mcp", "get_note", {"id": "n_welcome"}, meta).json() for meta in (ENVELOPE, SLOW)
    ]
    assert bare[0] == bare[1]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"headers": {"mcp-name": "get_stages"}}, 400),
        ({"headers": {"mcp-method": "tools/list"}}, 400),
        ({"headers": {"mcp-protocol-version": "2027-01-01"}}, 400),
        ({"headers": {"accept": "text/html"}}, 406),
        ({"jsonrpc": "1.0"}, 400),
        ({"id": None}, 400),
        ({"id": 1.5}, 400),
        ({"method": "tools/cal"}, 400),
        ({"params": {"name": "get_stages"}}, 400),
        ({"params": {"name": "get_deal", "arguments": [3], "_meta": ENVELOPE}}, 400),
        ({"params": {"name": "get_deal", "arguments": {"id": 3}, "_meta": {}}}, 400),
    ],
)
def test_what_is_unusual_is_left_to_the_sdk_which_refuses_it(
    gateway: Any, changes: dict[str, Any], status: int
) -> None:
    refused = post(gateway.episode(["crmlite"], world="empty").mcp("crmlite"), "get_deal", {"id": 3}, **changes)
    assert refused.status_code == status
    if status == 400:
        assert refused.json()["error"]["code"] in (-32600, -32602, -32020, -32022)


def test_an_unknown_tool_is_a_protocol_error(gateway: Any) -> None:
    refused = post(gateway.episode(["crmlite"], world="empty").mcp("crmlite"), "no_such_tool", {})
    assert refused.json()["error"]["code"] == -32602
    assert "no_such_tool" in refused.json()["error"]["message"]


def test_a_routing_header_given_twice_is_refused(gateway: Any) -> None:
    url = gateway.episode(["crmlite"], world="empty").mcp("crmlite")
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "get_deal", "arguments": {"id": 1}, "_meta": ENVELOPE},
    }
    headers = [
        ("accept", "application/json, text/event-stream"), ("content-type", "application/json"), ("mcp-protocol-version", VERSION),
        ("mcp-method", "tools/call"), ("mcp-name", "get_deal"), ("mcp-name", "get_deal"),
    ]  # fmt: skip
    assert httpx.post(url, content=json.dumps(body), headers=headers).status_code == 400
