"""Players that need no model, so that the ends of the scale are known: the reference plan, nothing at all, random calls."""

import json
import random  # noqa: TID251 - seeded by environment and attempt; no episode draws from it
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.plans import calls_of
from legoenv_mcp.evaluate.endpoint import Answer

RANDOM_CALLS = 12
_WORDS = ("alpha", "review", "north", "invoice", "ready", "a@example.com", "2026-03-02", "1", "42")
_SHAPED = ("42", "ab", "USD", "#a1b2c3", "https://example.com", "AB12CD")
"""For texts that must match a pattern."""
_SEEN = 400
"""How many values of earlier results random calls choose from."""


class Baseline:
    """A Model that says what a script says: each item is a tool and its arguments, or a final answer."""

    def __init__(self, script: Iterator[tuple[str, dict[str, Any]] | str]) -> None:
        self._script = script

    async def ask(self, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> Answer:
        said = next(self._script, "Done.")
        if isinstance(said, str):
            return Answer({"role": "assistant", "content": said})
        tool, arguments = said
        call = {"type": "function", "function": {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}}
        return Answer({"role": "assistant", "content": None, "tool_calls": [call]})


class Random:
    """A Model that calls tools at random, with arguments that their schemas take and, half of the time, values it has seen."""

    def __init__(self, seed: str, tools: Sequence[dict[str, Any]], count: int) -> None:
        self._draw = random.Random(seed)
        self._functions = [tool["function"] for tool in tools]
        self._left = count if tools else 0
        self._texts, self._numbers, self._read = list[str](), list[int](), 0

    async def ask(self, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> Answer:
        for message in messages[self._read :]:
            if message["role"] == "tool":
                self._see(message["content"])
        self._read = len(messages)
        if not self._left:
            return await Baseline(iter(())).ask(messages, options)
        self._left -= 1
        function = self._draw.choice(self._functions)
        return await Baseline(iter([(function["name"], self._value(function["parameters"], 0))])).ask(messages, options)

    def _see(self, text: str) -> None:
        try:
            leaves = list(_leaves(json.loads(text)))
        except ValueError:
            return
        self._texts = [*self._texts, *(v for v in leaves if isinstance(v, str) and 0 < len(v) <= 80)][-_SEEN:]
        self._numbers = [*self._numbers, *(v for v in leaves if type(v) is int)][-_SEEN:]

    def _value(self, schema: Mapping[str, Any], depth: int) -> Any:
        """A value that the schema takes (docs/tool-schemas.md says what schemas hold)."""
        draw = self._draw
        if "enum" in schema:
            return draw.choice(schema["enum"])
        match schema.get("type"):
            case "object":
                wanted, fields = schema.get("required", ()), schema.get("properties", {})
                chosen = [n for n in fields if n in wanted or (depth < 3 and draw.random() < 0.3)]
                return {name: self._value(fields[name], depth + 1) for name in chosen}
            case "array":
                least = schema.get("minItems", 0)
                most = min(schema.get("maxItems", least + 2), least + 2)
                return [self._value(schema.get("items", {}), depth + 1) for _ in range(draw.randint(least, most))]
            case "integer" | "number" as kind:
                least = schema.get("minimum", 0)
                most = schema.get("maximum", max(least, 0) + 100)
                seen = [n for n in self._numbers if least <= n <= most]
                if seen and draw.random() < 0.5:
                    return draw.choice(seen)
                return draw.randint(int(least), int(most)) if kind == "integer" else round(draw.uniform(least, most), 2)
            case "boolean":
                return draw.random() < 0.5
            case _:
                return self._text(schema)

    def _text(self, schema: Mapping[str, Any]) -> str:
        draw = self._draw
        if schema.get("format") == "date-time":
            return f"2026-03-{draw.randint(1, 28):02}T{draw.randint(0, 23):02}:00:00Z"
        least, most = schema.get("minLength", 0), schema.get("maxLength", 1000)
        if pattern := schema.get("pattern"):
            fitting = [text for text in (*self._texts, *_SHAPED) if re.search(pattern, text)]
            return draw.choice(fitting or _SHAPED)
        seen = [text for text in self._texts if least <= len(text) <= most]
        text = draw.choice(seen) if seen and draw.random() < 0.5 else draw.choice(_WORDS)
        return (text * (1 + least // len(text)))[: max(least, min(most, len(text)))]


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from chain.from_iterable(map(_leaves, value.values()))
    elif isinstance(value, list):
        yield from chain.from_iterable(map(_leaves, value))
    else:
        yield value


def baseline(
    name: str, environment: Environment, attempt: int, tools: Sequence[dict[str, Any]], steps: int
) -> Baseline | Random:
    """The player by that name for one rollout. `tools`: as the model is offered them; `steps`: how many turns there are."""
    if name == "reference":
        return Baseline(_reference(environment))
    if name == "random":
        return Random(f"{environment.id}/{attempt}", tools, min(RANDOM_CALLS, steps - 1))
    return Baseline(iter(()))


def _reference(environment: Environment) -> Iterator[tuple[str, dict[str, Any]] | str]:
    """The plan as plain calls, as it was just played on an episode of its own, and the reference answer."""
    episode = environment.episode()
    calls = calls_of(environment.plan, episode)
    episode.close()
    for step in calls:
        yield (f"{step.app}__{step.tool}" if len(environment.apps) > 1 else step.tool), step.arguments
    yield environment.answer or "Done."
