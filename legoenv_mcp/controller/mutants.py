"""Near misses: plans that differ from the right one by what a hasty agent gets wrong. A verifier must refuse each, or the end must be
the same (rule V5)."""

import datetime
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from legoenv_mcp import registry
from legoenv_mcp.controller.environment import Environment, Step
from legoenv_mcp.verify.matchers import KEYS, has_fact

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)")
MOST = 48


@dataclass(frozen=True, slots=True)
class Mutant:
    """A plan that is wrong in one thing."""

    what: str
    plan: tuple[Step, ...]


Asked = dict[str, list["Demand"]]


@dataclass(frozen=True, slots=True)
class Demand:
    """What a goal asks of one field: facts, each as the alternatives that state it, and the rivals it forbids."""

    facts: tuple[tuple[Any, ...], ...]
    rivals: tuple[Any, ...] = ()

    def in_(self, text: str) -> bool:
        """Whether the text is one that this is asked of: it states every fact."""
        return bool(self.facts) and all(any(has_fact(f, text) for f in fact if str(f).strip()) for fact in self.facts)


def mutants(environment: Environment, plan: Sequence[Step], writing: Sequence[Step]) -> list[Mutant]:
    """At most MOST of them, spread over the writing steps."""
    refs = {slug: _ids(environment, slug) for slug in environment.apps}
    asked: Asked = {}
    for goal in environment.verifier.goal:
        for name, matcher in (goal.fields | goal.to).items():
            asked.setdefault(name, []).append(_demand(matcher))
    free = {name for goal in environment.verifier.goal for name in goal.free}
    per_step = [list(_of(step, plan, refs[step.app], asked, free)) for step in writing]
    found = list[Mutant]()
    for at in range(max(map(len, per_step), default=0)):
        found += [ones[at] for ones in per_step if at < len(ones)]
    return found[:MOST]


def _ids(environment: Environment, slug: str) -> dict[str, list[str]]:
    """Kind -> the ids that the app has of it, in the world's order."""
    episode = environment.episode()
    return {kind: list(dict.fromkeys(ids.values())) for kind, ids in episode.app(slug).template.refs.items()}


def _of(
    step: Step, plan: Sequence[Step], refs: Mapping[str, list[str]], asked: Asked, free: Collection[str]
) -> Iterator[Mutant]:
    def changed(what: str, arguments: dict[str, Any]) -> Mutant:
        other = step.model_copy(update={"arguments": arguments})
        return Mutant(f"{step.step}: {what}", tuple(other if s.step == step.step else s for s in plan))

    literals = _literals(step)
    for path, value in _leaves(step.arguments):
        if path[0] in free:
            continue  # a check decides which are right: the intent's own mistakes try it
        name = ".".join(map(str, path))
        # A parameter that is called like a field is about that field; another may be about any.
        field = str(path[-1])
        demands = asked[field] if field in asked else [d for ones in asked.values() for d in ones]
        for what, wrong in _near(value, refs, literals.get(name, ()), demands):
            yield changed(f"{name} {what}", _with(step.arguments, path, wrong))
    twice = step.model_copy(update={"step": f"{step.step} again"})
    yield Mutant(f"{step.step}: done twice", (*plan, twice))


def _near(
    value: Any, refs: Mapping[str, list[str]], choices: Sequence[str], demands: Sequence[Demand]
) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield "the other way", not value
    elif isinstance(value, (int, float)):
        yield "one more", value + 1
        yield "one less", value - 1
        yield "times 100", value * 100
    elif isinstance(value, str):
        yield from _near_text(value, refs, choices, demands)


def _near_text(
    value: str, refs: Mapping[str, list[str]], choices: Sequence[str], demands: Sequence[Demand]
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
    else:
        yield from _near_prose(value, [d for d in demands if d.in_(value)])


def _near_prose(value: str, demands: Sequence[Demand]) -> Iterator[tuple[str, Any]]:
    """A text that nobody asked about may be any."""
    for demand in demands:
        for fact in demand.facts:
            cut = value
            for alternative in fact:
                cut = _without(cut, alternative) if isinstance(alternative, str) else cut
            if cut != value:
                yield f"without {fact[0]!r}", cut
        if demand.rivals:
            yield "names every rival too", f"{value} ({', '.join(map(_said, demand.rivals))})"
    if demands:
        yield "is something else", "Done." if " " in value else f"{value}x"


def _without(text: str, fact: str) -> str:
    return re.sub(re.escape(fact), "it", text, flags=re.IGNORECASE)


def _demand(matcher: Any) -> Demand:
    """What a field's matcher asks for, as facts: those of a text, or the value itself."""
    if isinstance(matcher, Mapping):
        if "facts" in matcher:
            facts = tuple(_alternatives(f) for f in matcher["facts"])
            return Demand(facts, tuple(matcher.get("forbid", ())))
        if "one_of" in matcher:
            return Demand((_alternatives(matcher),))
        if matcher.keys() & KEYS:
            return Demand(())
    return Demand((_alternatives(matcher),)) if isinstance(matcher, (str, int, float)) else Demand(())


def _alternatives(fact: Any) -> tuple[Any, ...]:
    return tuple(fact["one_of"]) if isinstance(fact, Mapping) and "one_of" in fact else (fact,)


def _said(fact: Any) -> str:
    return (
        f"{fact['money']} {fact.get('currency', '')}".strip()
        if isinstance(fact, Mapping) and "money" in fact
        else str(fact)
    )


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
