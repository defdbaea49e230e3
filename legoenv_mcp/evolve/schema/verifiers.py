"""Repairs of goals: one that refuses a right end demands less, one that accepts a wrong end demands more."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import tomlkit

from legoenv_mcp import templates
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.controller.derive import Outline
from legoenv_mcp.controller.plans import PlanError, play
from legoenv_mcp.evolve.fleet import Atom, Patch
from legoenv_mcp.evolve.schema.documents import EXPRESSION, Document, failing, texts
from legoenv_mcp.kernel.context import entity_name
from legoenv_mcp.verify import State, Verifier
from legoenv_mcp.verify.grading import select
from legoenv_mcp.verify.matchers import has_fact, words

Finding = Mapping[str, Any]
Path = tuple[str | int, ...]


def _goals(document: Document, about: str) -> Iterator[tuple[int, Any]]:
    """The goals, those that the finding names first."""
    goals = list(enumerate(document.held.get("goal", [])))
    yield from sorted(goals, key=lambda g: not (about and about.startswith(str(g[1].get("name", "")))))


def strict(finding: Finding) -> Iterator[Patch]:
    """Less is demanded: one fact fewer, facts in place of a wording, a field fewer."""
    document = Document(Atom.named(finding["atom"]))
    about = finding["about"] if finding["about"] != "?" else finding["evidence"][0].get("said", "")
    for number, goal in _goals(document, about):
        for part in ("with", "to"):
            fields = goal.get(part, {})
            for name, matcher in fields.items():
                for path, facts in _lists(matcher, "facts"):
                    if len(facts) > 1:
                        for at in reversed(range(len(facts))):
                            title = f"{goal['name']}: {name} need not state {facts[at]}"
                            yield document.patch(title, _drop(("goal", number, part, name, *path, at)), shape="strict")
                for path, said in _lists(matcher, "forbid"):
                    for at in range(len(said)):
                        title = f"{goal['name']}: {name} may state {said[at]}"
                        yield document.patch(title, _drop(("goal", number, part, name, *path, at)), shape="strict")
                if isinstance(matcher, str) and (said := EXPRESSION.findall(matcher)):
                    facts = [f"= {e}" for e in said]
                    yield document.patch(
                        f"{goal['name']}: {name} states facts, in any words",
                        _put(("goal", number, part, name), {"facts": facts}),
                        shape="strict",
                    )
            if len(fields) > 1:
                for name in reversed(list(fields)):
                    yield document.patch(
                        f"{goal['name']}: {name} may be any", _drop(("goal", number, part, name)), shape="strict"
                    )


def _lists(value: Any, word: str, path: Path = ()) -> Iterator[tuple[Path, list[Any]]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == word and isinstance(inner, list):
                yield (*path, key), inner
            else:
                yield from _lists(inner, word, (*path, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _lists(inner, word, (*path, at))


def _at(held: Any, path: Path) -> Any:
    for part in path:
        held = held[part]
    return held


def _drop(path: Path) -> Any:
    def change(held: Any) -> None:
        del _at(held, path[:-1])[path[-1]]

    return change


def _put(path: Path, value: Any) -> Any:
    def change(held: Any) -> None:
        home = _at(held, path[:-1])
        home[path[-1]] = value
        if isinstance(value, dict):
            table = tomlkit.inline_table()
            table.update(value)
            home[path[-1]] = table

    return change


def _add(path: Path, value: Any) -> Any:
    def change(held: Any) -> None:
        _at(held, path).append(value)

    return change


def loose(finding: Finding) -> Iterator[Patch]:
    """More is demanded: facts that every wording of the step states, fields that the right end has for a value of the task."""
    document = Document(Atom.named(finding["atom"]))
    ends = [(found, _ends(found)) for found in failing(finding)]
    ends = [(found, end) for found, end in ends if end]
    about = " ".join(str(s.get("said", "")) for s in finding["evidence"])
    candidates = list[tuple[int, Patch]]()
    for number, goal in _goals(document, ""):
        name = str(goal.get("name", ""))
        said = _said_by_all(document)
        for part in ("with", "to"):
            for field, matcher in goal.get(part, {}).items():
                for path, facts in _lists(matcher, "facts"):
                    for expression in said:
                        if f"= {expression}" not in [str(f) for f in facts] and _true(expression, field, name, ends):
                            near = expression in about or any(str(v) in about for v in _values(expression, ends))
                            title = f"{name}: {field} states {expression}"
                            candidates.append(
                                (
                                    0 if near else 1,
                                    document.patch(
                                        title,
                                        _add(("goal", number, part, field, *path), f"= {expression}"),
                                        shape="loose",
                                    ),
                                )
                            )
        candidates += _fields(document, number, goal, ends, about)
    yield from (patch for _, patch in sorted(candidates, key=lambda c: c[0]))


def _fields(
    document: Document, number: int, goal: Any, ends: list[tuple[Outline, dict[str, Any]]], about: str
) -> Iterator[tuple[int, Patch]]:
    """Fields of the goal's entity that end as a value of the task does."""
    if not ends:
        return
    found, end = ends[0]
    name = str(goal.get("name", ""))
    row = next((end[k] for k in end if k == name or re.fullmatch(rf"{re.escape(name)} \d+", k)), None)
    if row is None:
        return
    part = "to" if any(w in goal for w in ("changed",)) else "with"
    held = {**goal.get("with", {}), **goal.get("to", {})}
    values = _names(found)
    for field, value in row.items():
        if (
            field in held
            or field in ("id", "key")
            or value in (None, "", [], (), {}, 0, False)
            or isinstance(value, (list, tuple, dict))
        ):
            continue
        for expression, known in values.items():
            if known == value or str(known) == str(value):
                order = 2 + (field not in about) + (expression.count(".") > 0) + (known != value)
                patch = document.patch(
                    f"{name}: {field} is {expression}",
                    _set_field(number, part, field, f"= {expression}"),
                    shape="loose",
                )
                yield order, patch
        if isinstance(value, str) and " " in value:
            stated = [
                e
                for e in _said_by_all(document)
                if any(has_fact(v, words(value)) for v in [_value(e, found)] if v not in (None, ""))
            ]
            if stated:
                facts = {"facts": [f"= {e}" for e in stated]}
                yield (
                    2,
                    document.patch(
                        f"{name}: {field} states {', '.join(stated)}",
                        _set_field(number, part, field, facts),
                        shape="loose",
                    ),
                )
        if isinstance(value, str) and re.fullmatch(r"[a-z_]{2,20}", value):
            yield (
                5,
                document.patch(f"{name}: {field} is {value}", _set_field(number, part, field, value), shape="loose"),
            )


def _set_field(number: int, part: str, field: str, value: Any) -> Any:
    def change(held: Any) -> None:
        goal = held["goal"][number]
        if part not in goal:
            goal[part] = tomlkit.inline_table()
        _put(("goal", number, part, field), value)(held)

    return change


def _said_by_all(document: Document) -> list[str]:
    """Expressions that the steps' texts state, in each of their wordings, and those of plain arguments."""
    found = dict[str, None]()
    for step in document.held.get("step", []):
        for value in step.get("with", {}).values():
            if isinstance(value, Mapping) and "wordings" in value:
                per = [set(EXPRESSION.findall(str(w))) for w in value["wordings"]]
                bare = [{re.match(r"[\w.]+", e)[0] for e in one if re.match(r"[\w.]+", e)} for one in per]  # pyright: ignore[reportOptionalSubscript]
                found.update(dict.fromkeys(sorted(set.intersection(*per))))
                found.update(dict.fromkeys(sorted(set.intersection(*bare))))
            else:
                for text in texts(value):
                    found.update(dict.fromkeys(EXPRESSION.findall(text)))
                    if text.startswith("="):
                        found[text[1:].strip()] = None
    return list(found)


def _ends(found: Outline) -> dict[str, dict[str, Any]]:
    """Goal -> the entity or row that it speaks of, as the reference plan leaves it."""
    recipe = found.scene.recipe
    try:
        episode = templates.episode(found.apps, recipe.world, recipe.id, None, tuple(found.scene.added))
        play(found.plan, episode)
        state = State(episode, found.apps)
        chosen = select(Verifier(select=found.selected, goal=tuple(found.goals)), state) if found.goals else {}
        ends = dict[str, dict[str, Any]]()
        for goal in found.goals:
            if goal.kind == "created":
                rows = state.created(goal.target)
            elif goal.kind == "changed" and goal.row[1:] in chosen:
                key = chosen[goal.row[1:]]
                rows = state.find(goal.target, {"id": key["id"]}) if "id" in key else []
            else:
                rows = []
            if rows:
                ends[goal.name] = rows[-1]
        return ends
    except (PlanError, LookupError, ValueError):
        return {}


def _names(found: Outline) -> dict[str, Any]:
    """What the task's names stand for, entities as what each app calls them."""
    values = dict[str, Any]()
    for name, value in found.reading.names.items():
        if isinstance(value, Entity):
            for slug in found.apps:
                ref = templates.extended(slug, found.scene.recipe.world, tuple(found.scene.added)).refs.get(
                    entity_name(type(value)), {}
                )
                if value.key in ref:
                    values.setdefault(name, ref[value.key])
            values |= {
                f"{name}.{f}": v
                for f, v in value.model_dump().items()
                if isinstance(v, (str, int, float)) and v not in ("", 0)
            }
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool) and value not in ("", 0):
            values[name] = value
    return values


def _value(expression: str, found: Outline) -> Any:
    return _names(found).get(expression)


def _values(expression: str, ends: list[tuple[Outline, dict[str, Any]]]) -> Iterator[Any]:
    for found, _ in ends:
        value = _value(expression, found)
        if value not in (None, ""):
            yield value


def _true(expression: str, field: str, goal: str, ends: list[tuple[Outline, dict[str, Any]]]) -> bool:
    """Whether the right end states it, as far as that can be told."""
    for found, end in ends:
        row, value = end.get(goal), _value(expression, found)
        if row is not None and isinstance(row.get(field), str) and value not in (None, ""):
            return has_fact(value, words(row[field]))
    return True
