"""Right ends: what the reference plan leaves of what a goal speaks of, the task's names for it, and what a goal could say of it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from legoenv_mcp import templates
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.controller.derive import Outline
from legoenv_mcp.controller.expressions import value_of
from legoenv_mcp.controller.plans import PlanError, play
from legoenv_mcp.kernel.context import entity_name
from legoenv_mcp.verify import State, Verifier
from legoenv_mcp.verify.grading import select
from legoenv_mcp.verify.matchers import has_fact, words
from legoenv_mcp.verify.model import Goal

Values = Mapping[str, Any]
"""Expression -> what it stands for."""
_MOST = 4


def ends_of(found: Outline) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Goal -> the entity or row that it speaks of, as the reference plan leaves it, and as it was (empty where it is new)."""
    recipe = found.scene.recipe
    try:
        episode = templates.episode(found.apps, recipe.world, recipe.id, None, tuple(found.scene.added))
        play(found.plan, episode)
        state = State(episode, found.apps)
        chosen = select(Verifier(select=found.selected, goal=tuple(found.goals)), state) if found.goals else {}
        return {goal.name: end for goal in found.goals if (end := _end(goal, state, chosen)) is not None}
    except (PlanError, LookupError, ValueError):
        return {}


def _end(goal: Goal, state: State, chosen: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    before = list[dict[str, Any]]()
    if goal.kind == "created":
        rows = state.created(goal.target)
    elif goal.kind == "changed" and "id" in chosen.get(goal.row[1:], {}):
        same = {"id": chosen[goal.row[1:]]["id"]}
        rows, before = state.find(goal.target, same), state.find(goal.target, same, before=True)
    elif goal.kind == "exists":
        rows = state.find(goal.target, goal.fields)
        before = state.find(goal.target, {"id": rows[-1]["id"]}, before=True) if rows and "id" in rows[-1] else []
    else:
        return None
    return (rows[-1], before[0] if before else {}) if rows else None


def names_of(found: Outline, goal: Mapping[str, Any], number: int = 1) -> dict[str, Any]:
    """What the task's names stand for, entities as what each app calls them; `it` as the goal has it that is said for each of several."""
    held = dict(found.reading.names)
    if each := goal.get("each"):
        several = value_of(str(each), held)
        if isinstance(several, Sequence) and len(several) >= number:
            held["it"] = several[number - 1]
    values = dict[str, Any]()
    for name, value in held.items():
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


def said_of(value: Any, was: Any, values: Values, stated: Sequence[str]) -> Iterator[Any]:
    """What a goal could say of a list or an object: that it holds a thing of which the task's names tell something, what is new in it
    first. `stated`: the expressions that texts state."""
    if isinstance(value, Mapping):
        if told := _told(value, values, stated):
            yield {"fields": told}
    elif isinstance(value, (list, tuple)):
        old = list(was) if isinstance(was, (list, tuple)) else []
        fresh = [item for item in reversed(value) if item not in old]
        for item in [*fresh, *(item for item in value if item in old)][:_MOST]:
            if isinstance(item, Mapping):
                if told := _told(item, values, stated):
                    yield {"holds": {"fields": told}}
            elif isinstance(item, (list, tuple)):
                cells = [_expression(cell, values) or cell for cell in item]
                if any(str(c).startswith("= ") for c in cells) and all(_plain(c) for c in cells):
                    yield {"holds": cells}
            elif said := _expression(item, values):
                yield {"holds": said}


def _told(item: Mapping[str, Any], values: Values, stated: Sequence[str]) -> dict[str, Any]:
    told = dict[str, Any]()
    for field, value in item.items():
        if field in ("id", "key"):
            continue
        if said := _expression(value, values):
            told[field] = said
        elif isinstance(value, str) and " " in value and (facts := [e for e in stated if _is_fact(e, value, values)]):
            told[field] = {"facts": [f"= {e}" for e in facts]}
    return told


def _expression(value: Any, values: Values) -> str:
    if isinstance(value, bool) or value in (None, "", 0) or not isinstance(value, (str, int, float)):
        return ""
    found = [e for e, known in values.items() if type(known) is type(value) and known == value]
    return f"= {min(found, key=lambda e: (e.count('.'), len(e)))}" if found else ""


def _is_fact(expression: str, text: str, values: Values) -> bool:
    return values.get(expression) not in (None, "") and has_fact(values[expression], words(text))


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float))


def number_of(name: str, goal: str) -> int:
    """Which of several a goal is: 2 of `record 2`."""
    counted = re.fullmatch(rf"{re.escape(goal)} (\d+)", name)
    return int(counted[1]) if counted else 1
