"""An episode's tools without a connection: what an agent of these apps would see over MCP, for callers in this process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import to_json

from legoenv_mcp.faces import tools as listed_tools
from legoenv_mcp.faces.replies import KEPT, Answer
from legoenv_mcp.kernel.episode import Episode

Toolset = Literal["mcp", "api"]


@dataclass(frozen=True, slots=True)
class Called:
    """What a call came to: the vendor's status, the text an agent reads, and whether it is an error."""

    status: int
    text: str
    error: bool


class Toolbox:
    """The tools of a set of apps, named as on the all-apps endpoint: `slug__tool` where there are several apps, the two-tool face
    where it is asked for or where there are more than 128.

    `tools` are as tools/list has them: name, description, inputSchema, annotations.
    """

    def __init__(self, slugs: Sequence[str], toolset: Toolset = "mcp") -> None:
        self.slugs = tuple(slugs)
        prefixed = len(self.slugs) > 1
        self.toolset: Toolset = "api" if listed_tools.two_tools(self.slugs, toolset, prefixed) else "mcp"
        if self.toolset == "api":
            from legoenv_mcp.faces import api_toolset  # noqa: PLC0415 - only those who use it pay for its index

            shown = api_toolset.tools(self.slugs)
            self._places = dict[str, tuple[str, str]]()
            self.tools: list[dict[str, Any]] = [
                tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in shown
            ]
        else:
            self._places = listed_tools.places(self.slugs, prefixed)
            listed = (tool for slug in self.slugs for tool in listed_tools.listing(slug))
            self.tools = [{**tool, "name": name} for name, tool in zip(self._places, listed, strict=True)]
        self.names: frozenset[str] = frozenset(str(tool["name"]) for tool in self.tools)

    def call(self, episode: Episode, name: str, arguments: Mapping[str, Any] | None) -> Called:
        """Makes one call. KeyError where there is no such tool."""
        if name not in self.names:
            raise KeyError(name)
        if self.toolset == "api":
            from legoenv_mcp.faces import api_toolset  # noqa: PLC0415

            made = api_toolset.call(episode, self.slugs, name, arguments)
            return _called(made.model_dump(mode="json", by_alias=True, exclude_none=True))
        slug, tool = self._places[name]
        live = episode.app(slug)

        def ask() -> Answer:
            made = _called(listed_tools.result(live.call(tool, arguments)))
            return Answer(made, len(made.text), made.status)

        try:
            asked = ("text", tool, to_json(arguments or {}))
        except ValueError:  # what is no JSON is not looked up
            return ask().sent
        return KEPT.answer(live, asked, ask)


def _called(result: Mapping[str, Any]) -> Called:
    """A tool result as an agent sees it."""
    error = bool(result.get("isError"))
    status = int((result.get("_meta") or {}).get("legoenv/status", 500 if error else 200))
    return Called(status, _text(result.get("content", ())), error)


def _text(content: Sequence[Mapping[str, Any]]) -> str:
    """The content's text; what is no text is named by its kind."""
    return "\n".join(block["text"] if block["type"] == "text" else f"[{block['type']}]" for block in content)


def as_functions(tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """MCP tools in function-calling format, as chat templates and chat-completions endpoints take them."""
    return [
        {
            "type": "function",
            "function": {"name": t["name"], "description": t.get("description", ""), "parameters": t["inputSchema"]},
        }
        for t in tools
    ]
