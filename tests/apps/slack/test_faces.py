"""Slack: the faces."""

import mcp.types as t
import pytest
from mcp import Client

from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.episode import Episode
from tests.apps.slack.support import place, rest, who


async def test_over_mcp_results_and_errors(episode: Episode) -> None:
    async with Client(serve(episode, ["slack"])) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert 25 < len(names) <= 60
        done = await client.call_tool("post_message", {"channel": place(episode, "ops"), "text": "hi"})
        assert done.structured_content
        assert done.structured_content["ok"] is True
        failed = await client.call_tool("post_message", {"channel": "C0000000000", "text": "hi"})
        assert failed.is_error
        content = failed.content[0]
        assert isinstance(content, t.TextContent)
        assert '"error":"channel_not_found"' in content.text


def test_the_web_api_takes_arguments_from_anywhere(episode: Episode) -> None:
    ops = place(episode, "ops")
    ways = [
        ("POST", f"channel={ops}&text=a".encode(), "application/x-www-form-urlencoded", ""),
        ("POST", f'{{"channel": "{ops}", "text": "a", "token": "x"}}'.encode(), "application/json; charset=utf-8", ""),
        ("GET", b"", "", f"channel={ops}&text=a&token=x&no_such=1"),
        ("POST", b"", "", f"channel={ops}&text=a"),
    ]
    for method, body, kind, query in ways:
        status, answer = rest(episode, method, "chat.postMessage", body, kind, query)
        assert (status, answer["ok"], answer["message"]["text"]) == (200, True, "a")
    form = 'blocks=[{"type":"section","text":{"type":"mrkdwn","text":"b"}}]&attachments=[{"text":"c"}]&text='
    _, answer = rest(episode, "POST", "chat.postMessage", f"{form}&channel={ops}".encode(), ways[0][2])
    assert answer["message"]["attachments"] == [{"id": 1, "text": "c"}]


def test_names_become_mentions_where_asked_for(episode: Episode) -> None:
    query = f"channel={place(episode, 'ops')}&text=%40bea+%23ops+%60%40bea%60+%40nobody"
    _, plain = rest(episode, "POST", "chat.postMessage", query=query)
    assert plain["message"]["text"] == "@bea #ops `@bea` @nobody"
    _, linked = rest(episode, "POST", "chat.postMessage", query=f"{query}&link_names=1")
    ops, bea = place(episode, "ops"), who(episode, "bea")
    assert linked["message"]["text"] == f"<@{bea}> <#{ops}|ops> `@bea` @nobody"


@pytest.mark.parametrize(
    ("name", "body", "kind", "error"),
    [
        ("no.such", b"", "", "unknown_method"),
        ("chat.postMessage", b"{", "application/json", "invalid_json"),
        ("chat.postMessage", b'{"channel": 5}', "application/json", "invalid_arguments"),
        ("chat.postMessage", b"", "", "invalid_arguments"),
        ("chat.postMessage", b"channel=&text=a", "application/x-www-form-urlencoded", "channel_not_found"),
        ("api.test", b"error=my_error", "application/x-www-form-urlencoded", "my_error"),
        ("users.setPresence", b"presence=gone", "application/x-www-form-urlencoded", "invalid_presence"),
        ("conversations.history", b"", "", "invalid_arguments"),
    ],
)
def test_what_the_web_api_cannot_read(episode: Episode, name: str, body: bytes, kind: str, error: str) -> None:
    status, answer = rest(episode, "POST", name, body, kind)
    assert (status, answer["ok"], answer["error"]) == (200, False, error)
    if error == "invalid_arguments":
        assert answer["response_metadata"]["messages"][0].startswith("[ERROR] ")
