"""Derivability (rule V13): every value that verifier and plan demand is said in the instruction, shown by a read of the reference run,
listed by an app to whoever asks, or computed from such values."""

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache, cached_property
from typing import Any

from legoenv_mcp import registry, templates
from legoenv_mcp.controller.compute import evaluate, operands
from legoenv_mcp.controller.environment import Environment, Step
from legoenv_mcp.controller.plans import Run, reads
from legoenv_mcp.verify.matchers import has_fact, numbers, plain, words

_FORMS = {
    "date": re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"),
    "time": re.compile(r"([01]\d|2[0-3]):[0-5]\d"),
}
"""A day or time of day is said however it is written."""


def underivable(environment: Environment, run: Run, writing: Sequence[Step]) -> tuple[list[Any], list[str]]:
    """The values that an agent cannot learn, and the computed ones that are not what they are said to be."""
    writes = {s.step for s in writing}
    seen = [
        Text(environment.instruction),
        *(Text(_text(d.body)) for d in run.done if reads(d)),
        *(listings(slug, environment.world) for slug in environment.apps),
    ]
    listed = frozenset[str]().union(*(_enum_values(slug) for slug in environment.apps))
    demanded = _literals([g.fields | g.to for g in environment.verifier.goal])
    if environment.verifier.answer is not None:
        demanded += _literals(list(environment.verifier.answer.facts))
    ids = {slug: _known_ids(environment, slug) for slug in environment.apps}
    for step in environment.plan:
        if step.step in writes:
            known = ids[step.app]
            demanded += [v for v in _literals(step.arguments) if isinstance(v, str) and v in known]
    computed = environment.computed

    def learnt(value: Any, depth: int = 0, units: bool = True) -> bool:
        if str(value) in listed or any(text.says(value) for text in seen):
            return True
        if units and isinstance(value, (int, float)) and learnt(_spelt_number(value * 100), depth, False):
            return True  # an amount in cents says it in whole units
        parts = computed.get(_spelt(value))
        if parts is None or depth > 3:
            return False
        return all(learnt(v, depth + 1) for v in (operands(parts) if isinstance(parts, str) else map(_number, parts)))

    lost = [v for v in dict.fromkeys(map(_hashable, demanded)) if not learnt(v)]
    wrong = [
        f"{text} is not {value}"
        for value, text in computed.items()
        if isinstance(text, str) and Decimal(value) != evaluate(text)
    ]
    return lost, wrong


def _text(body: Any) -> str:
    """What an answer says, its long texts readable as such and not as JSON escapes."""
    return json.dumps(body, ensure_ascii=False) + "\n" + "\n".join(_strings(body))


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [s for inner in value.values() for s in _strings(inner)]
    if isinstance(value, list):
        return [s for inner in value for s in _strings(inner)]
    return [value] if isinstance(value, str) and ("\n" in value or '"' in value) else []


def _hashable(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, Decimal)) else str(value)


def _number(part: Any) -> Any:
    """What a value is computed from is kept as text; a figure may be shown with separators."""
    if isinstance(part, str) and re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", part):
        return _plain_number(Decimal(part))
    return part


def _spelt_number(value: float) -> int | float:
    return round(value) if abs(value - round(value)) < 1e-6 else value


def _spelt(value: Any) -> str:
    return str(int(value)) if isinstance(value, (float, Decimal)) and value == int(value) else str(value)


def _known_ids(environment: Environment, slug: str) -> set[str]:
    refs = templates.extended(slug, environment.world, environment.entities).refs
    return {v for ids in refs.values() for v in ids.values()}


def _literals(value: Any) -> list[Any]:
    """The scalars in a structure, without references and matcher words."""
    if isinstance(value, dict):
        return [
            v
            for k, inner in value.items()
            if k not in ("any", "empty", "tolerance", "forbid", "not")
            for v in _literals(inner)
        ]
    if isinstance(value, (list, tuple)):
        return [v for inner in value for v in _literals(inner)]
    return (
        []
        if isinstance(value, bool) or value is None or (isinstance(value, str) and value.startswith("@"))
        else [value]
    )


class Text:
    """A text that is asked many times whether it says something: what is looked for in it is made ready once."""

    def __init__(self, text: str) -> None:
        self.raw = text

    @cached_property
    def words(self) -> str:
        return words(self.raw)

    @cached_property
    def numbers(self) -> set[Decimal]:
        return {number for number, _ in numbers(plain(self.raw))}

    def says(self, value: Any) -> bool:
        """Whether the text states the value, as a fact is stated (verify/matchers.py)."""
        if str(value) in self.raw:
            return True
        if isinstance(value, (int, float, Decimal)):
            return Decimal(str(value)) in self.numbers or has_fact(_plain_number(value), self.words)
        wanted = words(str(value))
        if not wanted or (wanted in self.words and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", self.words)):
            return True
        form = next((f for f, shape in _FORMS.items() if shape.fullmatch(value)), "")
        return bool(form) and has_fact({form: value}, self.words)


def _plain_number(value: Any) -> int | float:
    return int(value) if value == int(value) else float(value)


@cache
def listings(slug: str, world: str) -> Text:
    """What an app tells whoever asks for nothing in particular: the replies of its reads that need no argument."""
    live = templates.episode([slug], world).app(slug)
    asked = [op for op in live.app.operations.values() if op.reads and op.mcp and not op.input_schema.get("required")]
    return Text("\n".join(json.dumps(live.call(op.tool, {}).body, ensure_ascii=False, default=str) for op in asked))


@cache
def _enum_values(slug: str) -> frozenset[str]:
    found = set[str]()

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            found.update(map(str, node.get("enum", ())))
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    for operation in registry.load(slug).operations.values():
        if operation.mcp:
            walk(operation.input_schema)
    return frozenset(found)
