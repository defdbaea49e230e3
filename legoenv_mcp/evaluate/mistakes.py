"""Which of an environment's known mistakes a rollout made.

An environment ships the wrong plans that its verifier must catch: a rule ignored, the decoy taken, an older version followed. Each is
played once on a fresh episode, and what it leaves behind that the reference plan does not are its marks; a rollout that carries one
of them, and failed where the mistake is caught, made that mistake.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.controller.environment import Environment, Variant
from legoenv_mcp.controller.plans import PlanError, play

_RULE = re.compile(r"(ignores|applies where it does not|follows the older version of): (.+)", re.DOTALL)
"""How derived environments name the mistakes about a rule; what follows is the rule's title."""
_LATER = 5000
"""So many writes later, no time of an episode is one of the other's."""

Diff = Sequence[Mapping[str, Any]]
"""Changes as `Change.as_json()` gives them."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something a mistake leaves behind. `where` says it for people.

    A row that the right way leaves alone (`columns` empty), or values in a row; `key` is None for a new row, which may have any.
    `more_than` is how often the right way leaves it.
    """

    app: str
    table: str
    key: str | None
    columns: Mapping[str, Any]
    right: Mapping[str, Any]
    where: str
    more_than: int = 0

    def on(self, diff: Diff) -> bool:
        """Whether a state diff carries it."""
        return self.count(diff) > self.more_than

    def count(self, diff: Diff) -> int:
        return sum(
            (change["app"], change["table"]) == (self.app, self.table)
            and self._keyed(change)
            and all(
                _like(value, _after(change).get(name), self.right.get(name)) for name, value in self.columns.items()
            )
            for change in diff
        )

    def _keyed(self, change: Mapping[str, Any]) -> bool:
        return change["change"] == "insert" if self.key is None else _key(change) == self.key


@dataclass(frozen=True, slots=True)
class Mistake:
    """A known mistake. `rule` is the title of the rule it is about, where it is about one.

    `marks` may be none: then it leaves out what the right way does (`omits`), or differs in the answer alone.
    """

    name: str
    rule: str
    catchers: frozenset[str]
    marks: tuple[Mark, ...]
    omits: bool
    answer: str | None


def branch_of(environment: Environment) -> str:
    """Which way an environment's rules go: `Second look: applies`. Told by the mistakes that are possible; empty without rules."""
    said = dict[str, str]()
    for variant in environment.trap:
        if (found := _RULE.match(variant.name)) and found[1] != "follows the older version of":
            said[found[2]] = "applies" if found[1] == "ignores" else "does not apply"
    return "; ".join(f"{title}: {way}" for title, way in sorted(said.items()))


class Background:
    """An environment as it is here today, beside its rollouts."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    @cached_property
    def mistakes(self) -> tuple[Mistake, ...]:
        """Every known mistake with its marks. Plays each wrong plan once."""
        return tuple(self._mistakes())

    def made(self, diff: Diff, failed: frozenset[str], answer: str | None = None) -> tuple[Mistake, str] | None:
        """The mistake a rollout made, with the evidence; None where it made none of those known."""
        candidates = [m for m in self.mistakes if failed & m.catchers]
        for mistake in candidates:
            if mark := next((mark for mark in mistake.marks if mark.on(diff)), None):
                return mistake, mark.where
        for mistake in candidates:
            if mistake.omits and not mistake.marks and failed <= mistake.catchers - {"frame", "answer"}:
                return mistake, f"everything else is right; what is missing is {', '.join(sorted(failed))}"
            if "answer" in failed and mistake.answer and _like(mistake.answer, answer, self.environment.answer):
                return mistake, f"answered {_brief(answer)}"
        return None

    def _mistakes(self) -> Iterator[Mistake]:
        right = self._diff(None)
        for variant in self.environment.trap:
            wrong, noise = self._diff(variant), self._diff(variant, later=True)
            if right is None or wrong is None or noise is None:
                continue  # what can no longer be played tells nothing
            found = _RULE.match(variant.name)
            answer = variant.answer if variant.answer != self.environment.answer else None
            yield Mistake(
                variant.name, found[2] if found else "", frozenset(variant.catchers), tuple(_marks(wrong, right, noise)),
                omits=len(wrong) < len(right), answer=answer,
            )  # fmt: skip

    def _diff(self, variant: Variant | None, later: bool = False) -> Diff | None:
        environment = self.environment
        plan = environment.plan if variant is None else variant.of(environment.plan)
        episode = environment.episode(seed="later" if later else "")
        if later:
            for slug in environment.apps:
                episode.app(slug).write_count = _LATER
        try:
            play(plan, episode)
        except PlanError:
            return None
        return plain(change.as_json() for change in episode.changes())


def plain(changes: Iterator[Mapping[str, Any]] | Diff) -> list[dict[str, Any]]:
    """Changes as a stored rollout has them."""
    return json.loads(json.dumps(list(changes), default=str))


def _marks(wrong: Diff, right: Diff, later: Diff) -> Iterator[Mark]:
    """What the wrong diff has and the right one has not, less what depends on time and chance alone."""
    steady = {_place(c, name): set[str]() for c in later for name in _after(c)}
    for change in later:
        for name, value in _after(change).items():
            steady[_place(change, name)].add(repr(value))
    known = {(c["app"], c["table"], _key(c)): c for c in right if c["change"] != "insert"}
    spare = [c for c in right if c["change"] == "insert"]
    for change in wrong:
        app, table, key, new = change["app"], change["table"], _key(change), change["change"] == "insert"
        kept = {n: v for n, v in _after(change).items() if repr(v) in steady.get(_place(change, n), ())}
        if new:
            kept = {n: v for n, v in kept.items() if n not in _unstable(app, table)}
            twin = _nearest(change, spare)
            if twin is not None:
                spare.remove(twin)
        else:
            twin = known.get((app, table, key))
        place = f"{app}.{table}" + ("" if new else f" {key}")
        if twin is None:
            short = {n: v for n, v in kept.items() if v and not _wordy(v)} if new else {}
            if not new or short:
                word = {"insert": "new", "update": "changed", "delete": "deleted"}[change["change"]]
                mark = Mark(app, table, None if new else key, short, {}, f"{word} {place}{_said(short)}")
                yield replace(mark, more_than=mark.count(right))
            continue
        was = _after(twin)
        for name, value in kept.items():
            if value != was.get(name) and value is not None:
                right_value = {name: was.get(name)}
                mark = Mark(
                    app, table, None if new else key, {name: value}, right_value, f"{place}{_said({name: value})}"
                )
                yield replace(mark, more_than=mark.count(right))


def _unstable(app: str, table: str) -> frozenset[str]:
    """Columns that say nothing: derived ones, and a key that merely numbers the rows."""
    shape = registry.load(app).shapes[table]
    return frozenset(shape.derived) | (frozenset(shape.key) if len(shape.key) == 1 else frozenset())


def _nearest(change: Mapping[str, Any], among: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The insert into the same table that has most values in common."""
    same = [c for c in among if (c["app"], c["table"]) == (change["app"], change["table"])]
    after = _after(change)
    return max(same, key=lambda c: sum(after.get(n) == v for n, v in _after(c).items()), default=None)


def _place(change: Mapping[str, Any], column: str) -> tuple[str, str, str]:
    return change["app"], change["table"], column


def _key(change: Mapping[str, Any]) -> str:
    return "/".join(map(str, change["key"]))


def _after(change: Mapping[str, Any]) -> Mapping[str, Any]:
    if change["change"] == "update":
        return {name: values["after"] for name, values in change["columns"].items()}
    return change.get("after") or {}


def _wordy(value: Any) -> bool:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text) > 60 or " " in text


def _like(mistaken: Any, found: Any, right: Any) -> bool:
    """Whether a value says what the mistaken one says: equal, or text with every figure or name that the right one lacks."""
    if found == mistaken:
        return True
    if found is None or not (_wordy(mistaken) and _wordy(found)):
        return False
    telling = _telling(mistaken) - _telling(right)
    return (
        bool(telling) and telling <= _telling(found) and not (_telling(right) - _telling(mistaken)) <= _telling(found)
    )


def _telling(value: Any) -> frozenset[str]:
    """The figures of a text, or where it has none, its names."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    words = re.findall(r"\w[\w.,:/-]*\w|\w", text)
    return frozenset(w for w in words if any(c.isdigit() for c in w)) or frozenset(w for w in words if w[0].isupper())


def _said(columns: Mapping[str, Any]) -> str:
    shown = ", ".join(f"{name} {_brief(value)}" for name, value in list(columns.items())[:4])
    return f": {shown}" if shown else ""


def _brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"
