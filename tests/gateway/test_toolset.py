"""The two-tool face: operations are found by what they do, and performed at the product's own addresses."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client

from legoenv_mcp import servers, templates
from legoenv_mcp.faces import api_toolset, mcp, tools
from legoenv_mcp.kernel.episode import Episode
from tests.conftest import SAMPLE_APPS

CRM, NOTES = "https://api.crmlite.example", "https://notes.example/api"


@pytest.fixture
def episode(monkeypatch: pytest.MonkeyPatch) -> Iterator[Episode]:
    monkeypatch.setattr(servers, "__path__", [*servers.__path__, str(SAMPLE_APPS)])
    made = templates.episode(["crmlite", "notes"], "empty")
    yield made
    made.close()


def found(episode: Episode, query: str, **more: Any) -> list[dict[str, Any]]:
    result = api_toolset.call(episode, episode.slugs, "api_search", {"query": query, **more})
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content["operations"]


def request(episode: Episode, method: str, url: str, **more: Any) -> tuple[bool, dict[str, Any]]:
    result = api_toolset.call(episode, episode.slugs, "api_request", {"method": method, "url": url, **more})
    text = result.content[0]
    assert text.type == "text"
    assert (result.structured_content is None) == bool(result.is_error)
    return bool(result.is_error), json.loads(text.text)


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("list deals", "get_deals"), ("listing of the deal", "get_deals"), ("change a deal's title", "update_deal"),
        ("winning deals", "update_deal"), ("writing notes", "create_note"), ("remove note", "delete_note"), ("lost_reason", "update_deal"),
        ("pipeline stages", "get_stages"), ("GET /v2/files/{path}", "get_file"), ("several files batch", "batch_get_files"),
    ],
)  # fmt: skip
def test_search_finds_by_meaning(episode: Episode, query: str, tool: str) -> None:
    assert found(episode, query)[0]["tool"] == tool


def test_a_found_operation_says_how_it_is_called(episode: Episode) -> None:
    assert found(episode, "update deal")[0] == {
        "app": "crmlite",
        "tool": "update_deal",
        "method": "PATCH",
        "url": f"{CRM}/v2/deals/{{id}}",
        "description": "Changes the fields that are sent. Winning or losing a deal closes it; `open` reopens it.",
        "parameters": [
            {"name": "id", "where": "path", "type": "integer", "required": True, "description": "The deal's id."},
            {"name": "title", "where": "body", "type": "string", "required": False, "description": "The deal's name."},
            {"name": "value", "where": "body", "type": "number", "required": False, "description": "What it is worth."},
            {
                "name": "stage_id",
                "where": "body",
                "type": "integer",
                "required": False,
                "description": "The stage it stands in.",
            },
            {
                "name": "status",
                "where": "body",
                "type": "string",
                "required": False,
                "description": "How it ended, or `open`.",
                "enum": ["open", "won", "lost"],
            },
            {
                "name": "lost_reason",
                "where": "body",
                "type": "string or null",
                "required": False,
                "description": "Why it was lost.",
            },
        ],
    }


def test_search_takes_an_app_and_a_limit(episode: Episode) -> None:
    assert {o["app"] for o in found(episode, "list", app="notes")} == {"notes"}
    assert len(found(episode, "deal note", limit=2)) == 2
    assert len(found(episode, "", app="crmlite", limit="20")) == 9
    assert found(episode, "zebra quantum") == []
    assert found(episode, 'deals" OR * NEAR( ^') != [], "a query is words, never a query language"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("api_search", {}, "query: is required"),
        ("api_search", {"query": 5}, "query: must be a string"),
        ("api_search", {"query": "x", "app": "gmail"}, "app: 'gmail' is not one of crmlite, notes"),
        ("api_search", {"query": "x", "limit": 0}, "limit: must be a whole number from 1 to 20"),
        ("api_search", {"query": "x", "limit": "many"}, "limit: must be"),
        ("api_search", {"query": "x", "sort": "y"}, "sort: is not a parameter"),
        ("api_request", {"method": "GET"}, "url: is required"),
        ("api_request", {"method": "BREW", "url": CRM}, "method: must be one of GET"),
        ("api_request", {"method": "GET", "url": "https://evil.example/v2/deals"}, f"There are: {CRM}, {NOTES}"),
        ("api_request", {"method": "GET", "url": "https://notes.example/apix"}, "there is no API at"),
        ("api_request", {"method": "GET", "url": "ftp://api.crmlite.example/v2/deals"}, "there is no API at"),
        ("api_request", {"method": "GET", "url": "/v2/deals"}, "say which API"),
        ("api_request", {"method": "GET", "url": "http://[x/"}, "url: "),
        ("api_request", {"method": "GET", "url": f"{CRM}/v2/deals", "query": [1]}, "query: must be an object"),
        ("api_request", {"method": "GET", "url": f"{CRM}/v2/deals", "headers": {"a": {}}}, "headers: every value"),
    ],
)
def test_wrong_arguments_name_the_argument(episode: Episode, tool: str, arguments: dict[str, Any], said: str) -> None:
    result = api_toolset.call(episode, episode.slugs, tool, arguments)
    assert result.is_error
    text = result.content[0]
    assert text.type == "text"
    assert said in text.text
    assert result.meta == {"legoenv/status": 400}


def test_requests_are_the_products_own(episode: Episode) -> None:
    failed, shown = request(episode, "GET", f"{CRM}/v2/deals", query={"limit": 2, "status": "open"})
    assert (failed, shown["status"], len(shown["body"]["data"])) == (False, 200, 2)
    cursor = shown["body"]["additional_data"]["next_cursor"]
    assert request(episode, "GET", f"{CRM}/v2/deals?limit=2&cursor={cursor}")[1]["body"]["data"][0]["id"] == 3
    assert request(episode, "patch", f"{CRM}/v2/deals/1", body={"status": "won"})[1]["body"]["data"]["status"] == "won"
    assert (
        request(episode, "PATCH", f"{CRM}/v2/deals/2", body='{"status": "won"}')[1]["body"]["data"]["status"] == "won"
    )
    assert request(episode, "POST", f"{NOTES}/notes", body={"text": "hi", "tags": ["a", "b"]})[1]["status"] == 201
    assert request(episode, "DELETE", f"{NOTES}/notes/n_welcome")[1] == {"status": 204, "headers": {}, "body": None}
    assert {change.table for change in episode.changes()} == {"deal", "note"}


def test_refusals_are_errors_with_the_vendors_body(episode: Episode) -> None:
    failed, shown = request(episode, "GET", f"{CRM}/v2/deals/99")
    assert (failed, shown["status"], shown["body"]) == (True, 404, {"success": False, "error": "Deal not found"})
    assert request(episode, "GET", f"{CRM}/nosuch")[1]["status"] == 404
    assert request(episode, "POST", f"{CRM}/v2/deals", body={"title": "x"})[1]["status"] == 400
    assert request(episode, "POST", f"{CRM}/v2/deals", body="not JSON")[1]["status"] == 400
    assert episode.changes() == []


def test_paths_may_be_written_as_people_write_them(episode: Episode) -> None:
    failed, shown = request(episode, "GET", f"{CRM}/v2/tree/docs/a b.md")
    assert (failed, shown["body"], shown["headers"]["link"]) == (
        False,
        "nested",
        f'<{CRM}/v2/tree/docs/a%20b.md>; rel="self"',
    )
    assert request(episode, "GET", f"{CRM}/v2/files/docs%2Fa%20b.md")[1]["body"]["data"]["content"] == "nested"
    alone = api_toolset.call(episode, ["notes"], "api_request", {"method": "GET", "url": "/notes"})
    assert not alone.is_error, "of one API the path is enough"


async def test_many_tools_become_two(episode: Episode, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Client(mcp.serve(episode, episode.slugs)) as agent:
        assert len((await agent.list_tools()).tools) == 10
    monkeypatch.setattr(tools, "MAX_TOOLS", 9)
    async with Client(mcp.serve(episode, episode.slugs)) as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == ["api_search", "api_request"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_over_http(gateway: Any, mode: Any) -> None:
    episode = gateway.episode(["crmlite", "notes"], world="empty")
    for url in (episode.mcp(), episode.mcp("notes")):
        async with Client(f"{url}?toolset=api", mode=mode) as agent:
            assert [tool.name for tool in (await agent.list_tools()).tools] == ["api_search", "api_request"]
            seen = await agent.call_tool("api_search", {"query": "create note"})
            assert seen.structured_content is not None
            url_of_create = seen.structured_content["operations"][0]["url"]
            made = await agent.call_tool(
                "api_request", {"method": "POST", "url": url_of_create, "body": {"text": "by API"}}
            )
            assert made.structured_content is not None
            assert made.structured_content["status"] == 201
            refused = await agent.call_tool("api_request", {"method": "GET", "url": f"{NOTES}/notes/n_none"})
            assert refused.is_error
            assert refused.meta is not None
            assert refused.meta["legoenv/status"] == 404
    async with Client(episode.mcp("notes")) as agent:
        assert "by API" in str(await agent.call_tool("list_notes", {}))


async def test_over_stdio() -> None:
    import sys

    from mcp import StdioServerParameters

    from tests.conftest import server_environment

    words = ["-m", "legoenv_mcp.cli", "serve", "notes", "crmlite", "--toolset", "api", "--world", "empty"]
    async with Client(StdioServerParameters(command=sys.executable, args=words, env=server_environment())) as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == ["api_search", "api_request"]
        assert not (await agent.call_tool("api_request", {"method": "GET", "url": f"{CRM}/v2/stages"})).is_error
