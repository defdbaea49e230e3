"""How a model says which tools it wants: by native function calling, or as one JSON object a turn."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from legoenv_mcp.evaluate.rollout import Call

SYSTEM = (
    "You complete tasks in real applications with the tools you are given. Work on your own: nobody can answer questions. "
    "Look up what you do not know, change nothing that the task does not ask for, and check the results of your calls. "
)
NATIVE = SYSTEM + "When the task is done, answer without calling a tool; state what the task asks you to report."
SCHEMA = (
    SYSTEM + "Answer every turn with one JSON object and nothing else: "
    '{"tool": NAME, "arguments": {...}} calls a tool, and its result comes back in the next message; '
    '{"tool": "finish", "arguments": {"answer": TEXT}} ends the task; TEXT states what the task asks you to report.\n\nThe tools:\n'
)
FINISH = "finish"
KEPT = ("content", "tool_calls", "refusal", "reasoning_content", "reasoning", "reasoning_details")
"""What of an assistant message is sent back in later requests, verbatim."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that the model wants: `arguments` as text, as it wrote them."""

    id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Turn:
    """An assistant message, read: calls, or an answer, or what is wrong with it."""

    message: dict[str, Any]
    calls: list[Wanted] = field(default_factory=list[Wanted])
    answer: str | None = None
    problem: str = ""


class Mode(Protocol):
    def system(self, tools: Sequence[dict[str, Any]]) -> str: ...
    def options(self, tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """What a request needs beside its messages."""
        ...

    def read(self, message: dict[str, Any], number: int) -> Turn: ...
    def replies(self, calls: Sequence[Call]) -> list[dict[str, Any]]:
        """The messages that carry results back."""
        ...


class Native:
    """Function calling."""

    def system(self, tools: Sequence[dict[str, Any]]) -> str:
        return NATIVE

    def options(self, tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {"tools": list(tools)} if tools else {}

    def read(self, message: dict[str, Any], number: int) -> Turn:
        kept: dict[str, Any] = {"role": "assistant", "content": message.get("content")}
        kept |= {name: message[name] for name in KEPT if message.get(name)}
        wanted = list[Wanted]()
        if isinstance(kept.get("tool_calls"), list):
            kept["tool_calls"] = [_call(call, f"call_{number}_{n}") for n, call in enumerate(kept["tool_calls"])]
            wanted = [Wanted(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in kept["tool_calls"]]
        if wanted:
            return Turn(kept, wanted)
        kept.pop("tool_calls", None)
        text = text_of(kept["content"]) or text_of(message.get("refusal"))
        if text.strip():
            return Turn(kept, answer=text)
        kept["content"] = text  # a message must have some content to be sent back
        return Turn(kept, problem="Your message was empty. Call a tool, or give your final answer as text.")

    def replies(self, calls: Sequence[Call]) -> list[dict[str, Any]]:
        return [{"role": "tool", "tool_call_id": call.id, "content": call.result} for call in calls]


def _call(call: Any, instead: str) -> dict[str, Any]:
    """A tool call with all its parts: some servers leave out the id, or send arguments as an object."""
    whole: dict[str, Any] = dict(call) if isinstance(call, dict) else {}
    given = whole.get("function")
    function: dict[str, Any] = dict(given) if isinstance(given, dict) else {}
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False) if arguments else "{}"
    named = {**function, "name": str(function.get("name") or ""), "arguments": arguments}
    return {**whole, "id": str(whole.get("id") or instead), "type": "function", "function": named}


def text_of(content: Any) -> str:
    """A message's text, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


class Schema:
    """One JSON object a turn, under a response format: for servers and models whose native calls are weak."""

    def system(self, tools: Sequence[dict[str, Any]]) -> str:
        return SCHEMA + "\n".join(map(_described, tools))

    def options(self, tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
        answer = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
        known = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
        turns = [_object(name, schema) for name, schema in {**known, FINISH: answer}.items()]
        wanted = {"name": "turn", "strict": True, "schema": {"oneOf": turns}}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}

    def read(self, message: dict[str, Any], number: int) -> Turn:
        text = text_of(message.get("content"))
        kept = {"role": "assistant", **{n: message[n] for n in KEPT if message.get(n)}, "content": text}
        kept.pop("tool_calls", None)
        try:
            data = json.loads(_bare(text))
            tool, arguments = data["tool"], data.get("arguments", {})
            if not isinstance(tool, str) or not isinstance(arguments, dict):
                raise TypeError
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Turn(kept, problem='Answer with one JSON object: {"tool": NAME, "arguments": {...}}.')
        if tool == FINISH:
            answer = arguments.get("answer", "")
            return Turn(kept, answer=answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))
        return Turn(kept, [Wanted(f"call_{number}", tool, json.dumps(arguments, ensure_ascii=False))])

    def replies(self, calls: Sequence[Call]) -> list[dict[str, Any]]:
        return [{"role": "user", "content": f"{c.tool} answered {c.status}:\n{c.result}"} for c in calls]


def _bare(text: str) -> str:
    """The text without the fence that many models put around JSON."""
    text = text.strip()
    return text.split("\n", 1)[-1].removesuffix("```").strip() if text.startswith("```") else text


def _described(tool: dict[str, Any]) -> str:
    function = tool["function"]
    fields = json.dumps(function["parameters"].get("properties", {}), ensure_ascii=False)
    required = ", ".join(function["parameters"].get("required", []))
    return f"- {function['name']}: {function['description']}\n  arguments: {fields}; required: {required or 'none'}"


def _object(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"tool": {"type": "string", "const": name}, "arguments": arguments},
        "required": ["tool", "arguments"],
        "additionalProperties": False,
    }
