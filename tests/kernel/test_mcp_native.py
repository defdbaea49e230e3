"""What products that have only an MCP server need: errors and results as plain text, content blocks, the tool's name in refusals."""

from pydantic import BaseModel

from legoenv_mcp.faces.tools import result
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Ctx, Reply
from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.kernel.errors import ApiError, Problem
from legoenv_mcp.kernel.rows import Row, registry
from legoenv_mcp.templates import empty


class Table(Row, registry=registry()): ...


class Place(BaseModel):
    x: int


def make() -> LiveApp:
    def invalid(problems: list[Problem]) -> ApiError:
        text = f"{problems[0].tool}: " + "; ".join(f"{p.name} {p.kind}" for p in problems)
        return ApiError(400, text, shown=text)

    app = App("native", Table, invalid=invalid)

    @app.post("/say", tool="say", effect="read")
    def say(ctx: Ctx, word: str, places: list[Place] | None = None) -> Reply:
        """Says a word.

        word: The word.
        places: Where.
        """
        if word == "no":
            raise ApiError(403, "I will not", shown="I will not")
        if word == "image":
            block = {"type": "image", "data": "eA==", "mimeType": "image/png"}
            return Reply({"content": [block]}, blocks=[block, {"type": "text", "text": "an image"}])
        return Reply({"said": word}, shown=word)

    return LiveApp(empty(app, "agent", "2026-01-01T00:00:00Z").template)


def test_text_is_shown_in_place_of_json() -> None:
    shown = result(make().call("say", {"word": "hello"}))
    assert shown["content"] == [{"type": "text", "text": "hello"}]
    assert shown["structuredContent"] == {"said": "hello"}


def test_an_error_is_its_text_alone_with_its_status_beside() -> None:
    reply = make().call("say", {"word": "no"})
    shown = result(reply)
    assert (shown["isError"], shown["_meta"]) == (True, {"legoenv/status": 403})
    assert "structuredContent" not in shown
    assert shown["content"] == [{"type": "text", "text": "I will not"}]
    assert reply.body == {"error": "I will not"}, "the REST face has the envelope"


def test_content_blocks_are_shown_as_they_are() -> None:
    shown = result(make().call("say", {"word": "image"}))
    assert [c["type"] for c in shown["content"]] == ["image", "text"]
    assert shown["structuredContent"] == {"content": [{"type": "image", "data": "eA==", "mimeType": "image/png"}]}


def test_a_refusal_of_arguments_may_name_the_tool() -> None:
    live = make()
    assert live.call("say", {"word": 5, "places": [{"x": 1}, {"x": "a"}]}).shown == "say: word type; places.1.x type"
    assert live.call("say", {"word": "\ud800"}).shown == "say: word invalid"
