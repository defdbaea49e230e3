"""Players that need no model, so that the ends of the scale are known: the reference plan, nothing at all, random calls."""

import json
import random  # noqa: TID251 - seeded; an episode draws nothing from it
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.plans import calls_of
from legoenv_mcp.evaluate.endpoint import Answer

RANDOM_CALLS = 12


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

    async def close(self) -> None:
        """Holds nothing."""


def baseline(
    name: str, environment: Environment, attempt: int, tools: Sequence[dict[str, Any]], steps: int
) -> Baseline:
    """The player by that name for one rollout. `tools`: as the model is offered them; `steps`: how many turns there are."""
    if name == "reference":
        return Baseline(_reference(environment))
    if name == "random":
        return Baseline(_random(f"{environment.id}/{attempt}", tools, min(RANDOM_CALLS, steps - 1)))
    return Baseline(iter(()))


def _reference(environment: Environment) -> Iterator[tuple[str, dict[str, Any]] | str]:
    """The plan as plain calls, as it was just played on an episode of its own, and the reference answer."""
    episode = environment.episode()
    calls = calls_of(environment.plan, episode)
    episode.close()
    for step in calls:
        yield (f"{step.app}__{step.tool}" if len(environment.apps) > 1 else step.tool), step.arguments
    yield environment.answer or "Done."


def _random(seed: str, tools: Sequence[dict[str, Any]], count: int) -> Iterator[tuple[str, dict[str, Any]] | str]:
    draw = random.Random(seed)  # noqa: S311
    for _ in range(count if tools else 0):
        function = draw.choice(tools)["function"]
        yield function["name"], _value(function["parameters"], draw, 0)


_WORDS = ("alpha", "review", "north", "invoice", "ready", "a@example.com", "2026-03-02", "1", "42")


def _value(schema: Mapping[str, Any], draw: random.Random, depth: int) -> Any:
    """A value that the schema takes (docs/tool-schemas.md says what schemas hold)."""
    if "enum" in schema:
        return draw.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            wanted = schema.get("required", ())
            fields = schema.get("properties", {})
            chosen = [n for n in fields if n in wanted or (depth < 3 and draw.random() < 0.3)]
            return {name: _value(fields[name], draw, depth + 1) for name in chosen}
        case "array":
            least = schema.get("minItems", 0)
            most = min(schema.get("maxItems", least + 2), least + 2)
            return [_value(schema.get("items", {}), draw, depth + 1) for _ in range(draw.randint(least, most))]
        case "integer":
            least = int(schema.get("minimum", 0))
            return draw.randint(least, int(schema.get("maximum", least + 100)))
        case "number":
            least = schema.get("minimum", 0)
            return round(draw.uniform(least, schema.get("maximum", least + 100)), 2)
        case "boolean":
            return draw.random() < 0.5
        case _:
            return _text(schema, draw)


def _text(schema: Mapping[str, Any], draw: random.Random) -> str:
    if schema.get("format") == "date-time":
        return f"2026-03-{draw.randint(1, 28):02}T{draw.randint(0, 23):02}:00:00Z"
    text = draw.choice(_WORDS)
    least, most = schema.get("minLength", 0), schema.get("maxLength", 1000)
    return (text * (1 + least // len(text)))[:most] if least else text[:most]
