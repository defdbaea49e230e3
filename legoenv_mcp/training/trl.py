"""Environments for TRL's GRPOTrainer (written against TRL 1.16, which is not needed to import this).

    rows = load_dataset("json", data_files="grpo.jsonl", split="train")          # legoenv export grpo
    trainer = GRPOTrainer(
        model, args=GRPOConfig(max_completion_length=32768, max_tool_calling_iterations=50),
        train_dataset=rows, environment_factory=environment_factory(rows), reward_funcs=verifier_reward,
    )

TRL takes the public methods of an environment's class as tools, so there is a class for each set of apps. The episodes live in the
trainer's own process. The reward is the verifier's, over the episode and what the model said last; it is None, which TRL leaves out
of the group, where there is no verdict: an app failed, or the verifier did.
"""

import inspect
import json
import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Union

from legoenv_mcp.controller import environments
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.faces.toolbox import Toolbox, Toolset
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.training.grpo import class_name

Json = Mapping[str, Any]
_SCALARS: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": type(None)}
_SECTIONS = re.compile(r"\b(Args|Returns|Raises):")
_CHOICES = re.compile(r"\(choices:", re.IGNORECASE)


class EpisodeEnvironment:
    """What every class of environments shares: an episode, begun by `reset`. Its tools are the methods of the classes made from it."""

    _tools: Toolbox
    _names: Mapping[str, Mapping[str, str]]
    """Of each tool the parameters that go by another name, since theirs is none in Python."""

    def __init__(self) -> None:
        self._environment: Environment | None = None
        self._episode: Episode | None = None
        self._broken = False

    def reset(self, **row: Any) -> None:
        """Begins a fresh episode of the environment that a row of the data set names. ValueError where the environment has changed
        since the row was exported, or has other tools than this class."""
        found = environments.load(row["environment_id"])
        if (hashed := row.get("environment_hash")) and hashed != found.hash:
            raise ValueError(f"{found.id} is no longer what it was when the prompts were exported: export them anew")
        if tuple(found.apps) != self._tools.slugs:
            raise ValueError(
                f"{found.id} is over {', '.join(found.apps)}, this class over {', '.join(self._tools.slugs)}"
            )
        if self._episode is not None:
            self._episode.close()
        self._environment, self._episode, self._broken = found, found.episode(), False

    def _call(self, tool: str, given: Mapping[str, Any]) -> str:
        """Makes a call; an app's refusal is a result like any other, since TRL would reduce an exception to its text."""
        assert self._episode is not None, "reset comes first"
        renamed = self._names.get(tool, {})
        called = self._tools.call(
            self._episode, tool, {renamed.get(name, name): value for name, value in given.items()}
        )
        self._broken = self._broken or called.status >= 500
        return called.text

    def _reward(self, answer: str | None) -> float | None:
        assert self._environment is not None, "reset comes first"
        assert self._episode is not None
        return None if self._broken else self._environment.grade(self._episode, answer).reward


def make_env_class(apps: Sequence[str], toolset: Toolset = "mcp") -> type[EpisodeEnvironment]:
    """A class whose tools are those of the apps, with signatures and docstrings made from their schemas.

    ValueError where a tool's name is one that TRL keeps for itself.
    """
    tools = Toolbox(apps, toolset)
    if taken := {"reset", "get_reward"} & tools.names:
        raise ValueError(f"TRL keeps {', '.join(sorted(taken))} for itself: use toolset='api' for {', '.join(apps)}")
    names = dict[str, dict[str, str]]()
    members: dict[str, Any] = {"_tools": tools, "_names": names, "__doc__": f"Episodes over {', '.join(tools.slugs)}."}
    for tool in tools.tools:
        members[tool["name"]], names[tool["name"]] = _method(tool)
    made = type(
        "Episode_" + re.sub(r"\W+", "_", class_name(tools.slugs, tools.toolset)), (EpisodeEnvironment,), members
    )
    made.__module__ = __name__
    return made


def environment_factory(rows: Iterable[Json] | str | Path) -> dict[str, type[EpisodeEnvironment]]:
    """A class for each set of tools that the rows need, by the name in their column `environment`: what GRPOTrainer takes under this
    name. rows: a data set, or the file that `legoenv export grpo` wrote."""
    if isinstance(rows, (str, Path)):
        with Path(rows).open(encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
    needed = {row["environment"]: (tuple(row["apps"]), row["toolset"]) for row in rows}
    return {name: make_env_class(apps, toolset) for name, (apps, toolset) in sorted(needed.items())}


def verifier_reward(
    completions: Sequence[Sequence[Json]], environments: Sequence[EpisodeEnvironment], **_: Any
) -> list[float | None]:
    """The reward function: 1.0 where the verifier passes, 0.0 where not, None where there is no verdict."""
    return [env._reward(_answer(said)) for env, said in zip(environments, completions, strict=True)]


def _answer(messages: Sequence[Json]) -> str | None:
    """What the model said at its end; None where it ended on a call, or was cut off in one."""
    last = messages[-1] if messages else {}
    content = last.get("content")
    if last.get("role") != "assistant" or last.get("tool_calls"):
        return None
    return content if isinstance(content, str) and content.strip() else None


# Methods from schemas


def _method(tool: Json) -> tuple[Callable[..., str], dict[str, str]]:
    """A method for one tool, and its parameters that had to be renamed: name in Python -> name in the tool."""
    name, schema = tool["name"], tool["inputSchema"]
    required, renamed = set(schema.get("required", ())), dict[str, str]()
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
    annotations, lines = dict[str, Any](), list[str]()
    for given, part in schema.get("properties", {}).items():
        own = _identifier(given, annotations)
        if own != given:
            renamed[own] = given
        annotations[own] = _hint(part, schema)
        default = inspect.Parameter.empty if given in required else None
        parameters.append(
            inspect.Parameter(own, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotations[own])
        )
        lines.append(f"    {own}: {_described(given, part, schema)}")

    def method(self: EpisodeEnvironment, /, **arguments: Any) -> str:
        return self._call(name, arguments)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = _plain(tool.get("description") or name) + ("\n\nArgs:\n" + "\n".join(lines) if lines else "")
    method.__annotations__ = {**annotations, "return": str}
    method.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    return method, renamed


def _identifier(name: str, taken: Mapping[str, Any]) -> str:
    own = re.sub(r"\W", "_", name)
    own = f"_{own}" if own[:1].isdigit() else own
    while keyword.iskeyword(own) or own in taken or own == "self":
        own += "_"
    return own


def _described(name: str, part: Json, root: Json) -> str:
    """One line. A signature cannot say what is inside an object: the line does, as JSON Schema."""
    text = " ".join(_plain(part.get("description") or name.replace("_", " ")).split())
    return text + (f" As JSON Schema: {json.dumps(_whole(part, root))}" if _has_members(part, root) else "")


def _plain(text: str) -> str:
    """Prose that a reader of Google-style docstrings does not take for a section or a list of choices."""
    return _CHOICES.sub("(choices -", _SECTIONS.sub(r"\1 -", text)).strip()


def _at(part: Json, root: Json) -> Json:
    """What a schema stands for, where it only refers to another."""
    for _ in range(8):
        if "$ref" in part:
            part = root.get("$defs", {}).get(part["$ref"].rpartition("/")[2], {})
        elif len(part.get("allOf", ())) == 1:
            part = part["allOf"][0]
        else:
            break
    return part


def _choices(part: Json) -> Sequence[Json]:
    return part.get("anyOf") or part.get("oneOf") or ()


def _has_members(part: Json, root: Json, depth: int = 0) -> bool:
    part = _at(part, root)
    if depth > 8 or part.get("properties"):
        return True
    inside = [*_choices(part), *([part["items"]] if isinstance(part.get("items"), dict) else [])]
    return any(_has_members(p, root, depth + 1) for p in inside)


def _whole(part: Any, root: Json, depth: int = 0) -> Any:
    """A schema with what it refers to in its place, down to a depth that recursive ones have no end below."""
    if isinstance(part, list):
        return [_whole(p, root, depth) for p in part]
    if not isinstance(part, Mapping):
        return part
    found = _at(part, root)
    if depth > 6 and found.get("properties"):
        return {"type": "object"}
    kept = {k: v for k, v in found.items() if k not in ("title", "$defs")}
    return {k: _whole(v, root, depth + 1) for k, v in kept.items()}


def _hint(part: Json, root: Json, depth: int = 0) -> Any:
    """The type hint whose JSON schema, as transformers derives it, comes nearest to a schema."""
    part = _at(part, root)
    if depth > 6:
        return Any
    if "const" in part or "enum" in part:
        values = tuple(part["enum"]) if "enum" in part else (part["const"],)
        scalars = all(v is None or isinstance(v, (str, int, float, bool)) for v in values)
        return Literal[values] if scalars and values else Any
    if choices := _choices(part):
        return _union(_hint(choice, root, depth + 1) for choice in choices)
    kinds = part.get("type")
    if isinstance(kinds, list):
        return _union(_hint({**part, "type": kind}, root, depth + 1) for kind in kinds)
    if kinds in _SCALARS:
        return _SCALARS[kinds]
    if kinds == "array":
        items = part.get("items")
        inside = _hint(items, root, depth + 1) if isinstance(items, Mapping) else Any
        return list if inside is Any else list[inside]
    if kinds == "object":
        values = part.get("additionalProperties")
        inside = _hint(values, root, depth + 1) if isinstance(values, Mapping) and not part.get("properties") else Any
        return dict if inside is Any else dict[str, inside]
    return Any


def _union(hints: Iterable[Any]) -> Any:
    found = list(dict.fromkeys(hints))
    return Any if Any in found or not found else Union[tuple(found)]  # noqa: UP007 - made at run time
