"""Repairs of goals: one that refuses a right end demands less, one that accepts a wrong end demands more."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import tomlkit

from legoenv_mcp.controller.derive import Outline
from legoenv_mcp.evolve.fleet import Atom, Patch
from legoenv_mcp.evolve.schema.documents import EXPRESSION, Document, failing, texts
from legoenv_mcp.evolve.schema.ends import ends_of, names_of, number_of, said_of
from legoenv_mcp.verify.matchers import has_fact, words

Finding = Mapping[str, Any]
Path = tuple[str | int, ...]
_End = tuple[Outline, dict[str, tuple[dict[str, Any], dict[str, Any]]]]


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
    ends = [(found, ends_of(found)) for found in failing(finding)]
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


def _fields(document: Document, number: int, goal: Any, ends: list[_End], about: str) -> Iterator[tuple[int, Patch]]:
    """Fields of the goal's entity that end as a value of the task does."""
    if not ends:
        return
    found, end = ends[0]
    name = str(goal.get("name", ""))
    at = next((k for k in end if k == name or re.fullmatch(rf"{re.escape(name)} \d+", k)), None)
    if at is None:
        return
    row, was = end[at]
    part = "to" if any(w in goal for w in ("changed",)) else "with"
    held = {**goal.get("with", {}), **goal.get("to", {})}
    values, said = names_of(found, goal, number_of(at, name)), _said_by_all(document)

    def patch(field: str, text: str, value: Any) -> Patch:
        return document.patch(f"{name}: {field} {text}", _set_field(number, part, field, value), shape="loose")

    for field, value in row.items():
        if field in held or field in ("id", "key") or value in (None, "", [], (), {}, 0, False):
            continue
        if isinstance(value, (list, tuple, dict)):
            for matcher in said_of(value, was.get(field), values, said):
                yield 2 + (field not in about) + (value == was.get(field)), patch(field, "holds what is new", matcher)
            continue
        for expression, known in values.items():
            if known == value or str(known) == str(value):
                order = 2 + (field not in about) + (expression.count(".") > 0) + (known != value)
                yield order, patch(field, f"is {expression}", f"= {expression}")
        if isinstance(value, str) and " " in value:
            stated = [e for e in said if values.get(e) not in (None, "") and has_fact(values[e], words(value))]
            if stated:
                yield 2, patch(field, f"states {', '.join(stated)}", {"facts": [f"= {e}" for e in stated]})
        if isinstance(value, str) and re.fullmatch(r"[a-z_]{2,20}", value):
            yield 5, patch(field, f"is {value}", value)


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


def _value(expression: str, found: Outline) -> Any:
    return names_of(found, {}).get(expression)


def _values(expression: str, ends: list[_End]) -> Iterator[Any]:
    for found, _ in ends:
        value = _value(expression, found)
        if value not in (None, ""):
            yield value


def _true(expression: str, field: str, goal: str, ends: list[_End]) -> bool:
    """Whether the right end states it, as far as that can be told."""
    for found, end in ends:
        row, value = end.get(goal, ({}, {}))[0], _value(expression, found)
        if row and isinstance(row.get(field), str) and value not in (None, ""):
            return has_fact(value, words(row[field]))
    return True
