"""Near misses: plans that differ from the right one by what a hasty agent gets wrong. A verifier must refuse each, or the end must be
the same (rule V5)."""

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from legoenv_mcp import registry
from legoenv_mcp.controller.environment import Environment, Step
from legoenv_mcp.verify.matchers import has_fact, words

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)")
MOST = 48


@dataclass(frozen=True, slots=True)
class Mutant:
    """A plan that is wrong in one thing."""

    what: str
    plan: tuple[Step, ...]


def mutants(environment: Environment, plan: Sequence[Step], writing: Sequence[Step]) -> list[Mutant]:
    """At most MOST of them, spread over the writing steps."""
    refs = {slug: _ids(environment, slug) for slug in environment.apps}
    facts = [f for g in environment.verifier.goal for f in _demanded(g.fields | g.to)]
    rivals = [r for g in environment.verifier.goal for r in _forbidden(g.fields | g.to)]
    per_step = [list(_of(step, plan, refs[step.app], facts, rivals)) for step in writing]
    found = list[Mutant]()
    for at in range(max(map(len, per_step), default=0)):
        found += [ones[at] for ones in per_step if at < len(ones)]
    return found[:MOST]


def _ids(environment: Environment, slug: str) -> dict[str, list[str]]:
    """Kind -> the ids that the app has of it, in the world's order."""
    episode = environment.episode()
    return {kind: list(dict.fromkeys(ids.values())) for kind, ids in episode.app(slug).template.refs.items()}


def _of(
    step: Step, plan: Sequence[Step], refs: Mapping[str, list[str]], facts: Sequence[Any], rivals: Sequence[Any]
) -> Iterator[Mutant]:
    def changed(what: str, arguments: dict[str, Any]) -> Mutant:
        other = step.model_copy(update={"arguments": arguments})
        return Mutant(f"{step.step}: {what}", tuple(other if s.step == step.step else s for s in plan))

    literals = _literals(step)
    for path, value in _leaves(step.arguments):
        name = ".".join(map(str, path))
        for what, wrong in _near(value, refs, literals.get(name, ()), facts):
            yield changed(f"{name} {what}", _with(step.arguments, path, wrong))
        if rivals and isinstance(value, str) and " " in value and _asked(value, facts):
            everything = f"{value} ({', '.join(map(_said, rivals))})"
            yield changed(f"{name} names every rival too", _with(step.arguments, path, everything))
    twice = step.model_copy(update={"step": f"{step.step} again"})
    yield Mutant(f"{step.step}: done twice", (*plan, twice))


def _near(
    value: Any, refs: Mapping[str, list[str]], choices: Sequence[str], facts: Sequence[Any]
) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield "the other way", not value
    elif isinstance(value, (int, float)):
        yield "one more", value + 1
        yield "one less", value - 1
        yield "times 100", value * 100
    elif isinstance(value, str):
        yield from _near_text(value, refs, choices, facts)


def _near_text(
    value: str, refs: Mapping[str, list[str]], choices: Sequence[str], facts: Sequence[Any]
) -> Iterator[tuple[str, Any]]:
    if value in choices:
        yield from ((f"is {other}", other) for other in choices if other != value)
        return
    home = next((ids for ids in refs.values() if value in ids), None)
    if home is not None:
        at = home.index(value)
        for other in dict.fromkeys((home[at - 1], home[(at + 1) % len(home)])):
            if other != value:
                yield f"is the sibling {other}", other
        return
    if _DAY.fullmatch(value):
        for days in (1, -1):
            yield f"{days:+} day", (datetime.date.fromisoformat(value) + datetime.timedelta(days=days)).isoformat()
    elif _INSTANT.fullmatch(value):
        moment = datetime.datetime.fromisoformat(value)
        yield "an hour later", (moment + datetime.timedelta(hours=1)).isoformat()
        if moment.utcoffset():
            yield "zone dropped", moment.replace(tzinfo=datetime.UTC).isoformat()
    elif value.strip():
        for fact in facts:
            if isinstance(fact, str) and words(fact) in words(value) and (cut := _without(value, fact)) != value:
                yield f"without {fact!r}", cut
        if _asked(value, facts):
            yield "is something else", "Done." if " " in value else f"{value}x"


def _without(text: str, fact: str) -> str:
    return re.sub(re.escape(fact), "it", text, flags=re.IGNORECASE)


def _demanded(value: Any) -> Iterator[Any]:
    """What goals ask of fields and texts, without what they forbid."""
    if isinstance(value, Mapping):
        if "money" in value:
            yield value["money"]
            return
        for key, inner in value.items():
            if key not in ("forbid", "not"):
                yield from _demanded(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _demanded(inner)
    elif not isinstance(value, bool) and value is not None:
        yield value


def _forbidden(value: Any) -> Iterator[Any]:
    """What texts must not say: the rivals of the facts."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "forbid":
                yield from inner
            else:
                yield from _forbidden(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _forbidden(inner)


def _said(fact: Any) -> str:
    return (
        f"{fact['money']} {fact.get('currency', '')}".strip()
        if isinstance(fact, Mapping) and "money" in fact
        else str(fact)
    )


def _asked(text: str, facts: Sequence[Any]) -> bool:
    """Whether a goal asks anything of this text: one that nobody asked about may be any."""
    return any(has_fact(fact, text) for fact in facts if str(fact).strip())


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, (list, tuple)):
        for at, inner in enumerate(value):
            yield from _leaves(inner, (*path, at))
    elif not (isinstance(value, str) and value.startswith("$")):
        yield path, value


def _with(value: Any, path: Sequence[Any], new: Any) -> Any:
    if not path:
        return new
    if isinstance(value, Mapping):
        return {k: _with(v, path[1:], new) if k == path[0] else v for k, v in value.items()}
    return [_with(v, path[1:], new) if at == path[0] else v for at, v in enumerate(value)]


def _literals(step: Step) -> dict[str, tuple[str, ...]]:
    """The choices that a verb's parameters name in their types."""
    if not step.verb:
        operation = registry.load(step.app).operations[step.tool]
        return {
            name: tuple(v for v in schema.get("enum", ()) if isinstance(v, str))
            for name, schema in operation.input_schema.get("properties", {}).items()
        }
    capability, _, verb = step.verb.partition(".")
    method = getattr(type(registry.load(step.app).provides[capability]), verb)
    found = dict[str, tuple[str, ...]]()
    for name, hint in get_type_hints(method).items():
        if get_origin(hint) is Literal:
            found[name] = tuple(v for v in get_args(hint) if isinstance(v, str))
    return found
