"""grade: a verifier, a state and an answer -> a verdict whose every failure reads as a sentence."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from legoenv_mcp.kernel.diff import Change
from legoenv_mcp.verify.checks import find
from legoenv_mcp.verify.matchers import KEYS, has_fact, matches
from legoenv_mcp.verify.model import Allow, Answer, Goal, Verifier
from legoenv_mcp.verify.state import BadTarget, Row, State, fits, split_target

log = logging.getLogger("legoenv")


@dataclass(frozen=True, slots=True)
class Assertion:
    """One graded thing. `detail` says what was expected and what was found."""

    name: str
    passed: bool
    detail: str

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "passed": self.passed, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Verdict:
    """passed, failed, or invalid (our fault: never a reward of 0). `share` of the assertions is a diagnostic."""

    outcome: Literal["passed", "failed", "invalid"]
    assertions: tuple[Assertion, ...] = ()
    unused: tuple[str, ...] = field(default=(), compare=False)
    fault: str = ""

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def reward(self) -> float | None:
        return None if self.outcome == "invalid" else float(self.passed)

    @property
    def share(self) -> float:
        return sum(a.passed for a in self.assertions) / len(self.assertions) if self.assertions else 0.0


def grade(verifier: Verifier, state: State, answer: str | None = None) -> Verdict:
    """The verdict over an end state. Pure: reads the state, writes nothing, knows nothing of how it came about."""
    try:
        chosen = select(verifier, state)
        assertions = [_goal(goal, state, chosen) for goal in verifier.goal]
        if verifier.answer is not None:
            assertions.append(_answer(verifier.answer, answer, chosen))
        frame, unused = _frame(verifier, state, chosen)
        assertions.append(frame)
    except Exception as error:
        log.error("grading failed", exc_info=error)
        return Verdict("invalid", fault=f"{type(error).__name__}: {error}")
    return Verdict("passed" if all(a.passed for a in assertions) else "failed", tuple(assertions), tuple(unused))


def select(verifier: Verifier, state: State) -> dict[str, Row]:
    """The selected rows of the start state. BadTarget where a selection does not match exactly one."""
    chosen = dict[str, Row]()
    for name, selection in verifier.select.items():
        found = state.find(selection.source, _resolved(selection.where, chosen), before=True)
        if len(found) != 1:
            raise BadTarget(f"selection {name!r} matches {len(found)} rows of {selection.source}, not one")
        chosen[name] = found[0]
    return chosen


def _resolved(value: Any, chosen: Mapping[str, Row]) -> Any:
    """A value with every `"@name.field"` replaced by the selected row's field."""
    if isinstance(value, str) and value.startswith("@"):
        if value.startswith("@@"):
            return value[1:]
        name, _, field_name = value[1:].partition(".")
        if name not in chosen or field_name not in chosen[name]:
            raise BadTarget(f"{value}: no such selection or field")
        return chosen[name][field_name]
    if isinstance(value, Mapping):
        return {k: _resolved(v, chosen) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_resolved(v, chosen) for v in value]
    return value


def _goal(goal: Goal, state: State, chosen: Mapping[str, Row]) -> Assertion:
    wanted, target = _resolved(goal.fields, chosen), goal.target
    if goal.kind in ("changed", "deleted"):
        return _row_goal(goal, state, chosen)
    if goal.kind == "checked":
        slug, _, name = split_target(target)
        wrong = find(name)(state.app(slug), **wanted)
        return Assertion(goal.name, not wrong, wrong or f"{name} of {slug} holds")
    if goal.kind == "created":
        new = state.created(target)
        good = [row for row in new if fits(wanted, row)]
        passed, found = (
            len(good) == goal.count,
            f"{len(good)} of {len(new)} new {target} match{_nearest(wanted, new) if len(good) < goal.count else ''}",
        )
        return Assertion(goal.name, passed, f"expected {goal.count} new {target} with {_show(wanted)}; found {found}")
    rows = state.find(target, wanted)
    passed = {"exists": len(rows) > 0, "absent": not rows, "counted": len(rows) == goal.count}[goal.kind]
    number = {"exists": "a", "absent": "no", "counted": str(goal.count)}[goal.kind]
    return Assertion(goal.name, passed, f"expected {number} {target} with {_show(wanted)}; found {len(rows)}")


def _row_goal(goal: Goal, state: State, chosen: Mapping[str, Row]) -> Assertion:
    slug, entity, name = split_target(goal.target)
    row = chosen.get(goal.row[1:])
    if row is None:
        raise BadTarget(f"{goal.row}: no such selection")
    key = ("id",) if entity else state.app(slug).app.shapes[name].key
    rows = state.find(goal.target, {k: row[k] for k in key})
    label = f"{goal.target} {'/'.join(str(row[k]) for k in key)}"
    if goal.kind == "deleted":
        return Assertion(goal.name, not rows, f"expected {label} to be gone; it is {'there' if rows else 'gone'}")
    if not rows:
        return Assertion(goal.name, False, f"expected {label} to be changed; it is gone")
    wanted = _resolved(goal.to, chosen)
    wrong = [f"{n} {v!r}, found {rows[0].get(n)!r}" for n, v in wanted.items() if not fits({n: v}, rows[0])]
    return Assertion(
        goal.name, not wrong, f"expected {label} {'; '.join(wrong) if wrong else f'with {_show(wanted)}: it is so'}"
    )


def _answer(expected: Answer, answer: str | None, chosen: Mapping[str, Row]) -> Assertion:
    if answer is None or not answer.strip():
        return Assertion("answer", False, "expected an answer; none was given")
    missing = [f for f in _resolved(expected.facts, chosen) if not has_fact(f, answer)]
    extra = [f for f in _resolved(expected.forbid, chosen) if has_fact(f, answer)]
    said = [f"lacks {f!r}" for f in missing] + [f"must not say {f!r}" for f in extra]
    return Assertion("answer", not said, "the answer " + ("; ".join(said) if said else "states every fact"))


def _frame(verifier: Verifier, state: State, chosen: Mapping[str, Row]) -> tuple[Assertion, list[str]]:
    """Default deny: each change is consumed by one entry of the frame; what is left fails."""
    left = [(entry, (_resolved(entry.fields, chosen), _resolved(entry.to, chosen))) for entry in verifier.allow]
    used = [0] * len(left)
    stray = list[str]()
    for change in state.changes:
        at = next(
            (i for i, (e, w) in enumerate(left) if used[i] < e.max and _allows(e, w, change, chosen, state)), None
        )
        if at is None:
            stray.append(_describe(change))
        else:
            used[at] += 1
    unused = [f"{e.kind} {e.target}" for (e, _), n in zip(left, used, strict=True) if not n and not e.optional]
    shown = "; ".join(stray[:5]) + (f"; and {len(stray) - 5} more" if len(stray) > 5 else "")
    return Assertion(
        "frame", not stray, f"nothing else may change; found {shown}" if stray else "nothing else changed"
    ), unused


def _allows(
    entry: Allow, wanted: tuple[Row, Row], change: Change, chosen: Mapping[str, Row], state: State
) -> bool:  # fmt: skip
    if entry.kind != change.kind or entry.target != f"{change.app}.{change.table}":
        return False
    row = change.after if change.kind == "insert" else change.before
    if row is None or (change.kind == "update" and not set(change.columns) <= set(entry.columns)):
        return False
    if entry.inside and not any(
        c.kind == "insert" and c.app == change.app and c.key == (row.get(entry.inside),) for c in state.changes
    ):
        return False
    if entry.row:
        selected = chosen.get(entry.row[1:])
        if selected is None:
            raise BadTarget(f"{entry.row}: no such selection")
        key = state.app(change.app).app.shapes[change.table].key
        if tuple(selected[k] for k in key) != change.key:
            return False
    return fits(wanted[0], row) and fits(wanted[1], change.after or {})


def _describe(change: Change) -> str:
    columns = ""
    if change.kind == "update" and change.before and change.after:
        columns = (
            " ("
            + ", ".join(f"{c}: {_brief(change.before[c])} -> {_brief(change.after[c])}" for c in change.columns)
            + ")"
        )
    return f"{change.kind} of {change.app}.{change.table} {'/'.join(map(str, change.key))}{columns}"


def _nearest(wanted: Mapping[str, Any], rows: list[Row]) -> str:
    """What is wrong with the new row that comes closest."""
    if not rows:
        return ""
    wrong = min(
        ([n for n, v in wanted.items() if not matches(v, row.get(n))] + [str(i)] for i, row in enumerate(rows)), key=len
    )
    row = rows[int(wrong.pop())]
    return "; the nearest has " + ", ".join(f"{n} {_brief(row.get(n))}" for n in wrong)


def _show(wanted: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {in_words(value)}" for name, value in wanted.items())


_LISTS = {
    "facts": "stating", "set": "being just", "one_of": "being one of", "forbid": "not stating",
    "only": "nothing else than",
}  # fmt: skip


def in_words(matcher: Any) -> str:
    """A matcher as a person would say it."""
    if not isinstance(matcher, Mapping) or not (matcher.keys() & KEYS):
        return _fact(matcher) if isinstance(matcher, Mapping) else repr(matcher)
    said = list[str]()
    for key, value in matcher.items():
        if key in _LISTS:
            said.append(f"{_LISTS[key]} {', '.join(map(_fact, value))}")
        elif key == "fields":
            said.append(f"one with {_show(value)}")
        elif key == "tolerance":
            said.append(f"within {value}")
        else:
            word = {
                "holds": "holding",
                "number": "about",
                "prefix": "beginning with",
                "not": "not",
                "empty": "empty:",
            }.get(key, "being")
            said.append(f"{word} {in_words(value)}")
    return " and ".join(said)


def _fact(fact: Any) -> str:
    if isinstance(fact, Mapping) and "money" in fact:
        return f"{fact['money']} {fact.get('currency', '')}".strip()
    return in_words(fact) if isinstance(fact, Mapping) and fact.keys() & KEYS else repr(fact)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
