"""What atoms of tasks must keep, as far as their text shows: every name known, every verb and argument real, every field there.

Whether they make right environments is shown by composing and proving (`legoenv compose`), not here.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.controller import checks
from legoenv_mcp.controller.atoms import (
    FOLDERS,
    Act,
    Aim,
    BadFile,
    Body,
    Intent,
    Made,
    Pick,
    Place,
    Rule,
    Strays,
    Trap,
    Wrong,
    load,
    load_all,
)
from legoenv_mcp.controller.expressions import BadExpression, names_used
from legoenv_mcp.controller.kinds import capability_classes, entity_kind, kind
from legoenv_mcp.lint.findings import Finding
from legoenv_mcp.verify.checks import find
from legoenv_mcp.verify.model import Strict
from legoenv_mcp.verify.state import BadTarget

BASE = {"world", "agent", "today", "now", "domain"}
NOTICE = {"rule", "topic", "author", "old", "text", "old_text", "published"}
Problem = tuple[str, str]


def check_atoms() -> tuple[list[tuple[str, str]], list[Finding]]:
    """Every atom that was looked at, and the findings."""
    things, findings = list[tuple[str, str]](), list[Finding]()
    for model in FOLDERS:
        name = model.__name__.lower()
        try:
            load_all(model)
        except BadFile as error:
            things.append((f"{name}s", ""))
            findings.append(Finding(f"{name}s", "", "E1", "error", "", str(error)))
    if findings:
        return things, findings  # atoms are judged by one another: what cannot be read comes first
    for model in FOLDERS:
        for atom_id, atom in load_all(model).items():
            thing = f"{model.__name__.lower()} {atom_id}"
            things.append((thing, ""))
            findings += [Finding(thing, "", rule, "error", "", message) for rule, message in _problems(atom)]
    return things, findings


def check_atom(model: type[Strict], atom_id: str) -> list[str]:
    """What is wrong with one atom, one line each; LookupError where there is none, BadFile where one of its kind cannot be read."""
    return [f"{rule}: {message}" for rule, message in _problems(load(model, atom_id))]


def _problems(atom: Strict) -> Iterator[Problem]:
    if isinstance(atom, Intent):
        yield from _intent(atom)
    elif isinstance(atom, Rule):
        yield from _rule(atom)
    elif isinstance(atom, Trap):
        yield from _trap(atom)
    elif isinstance(atom, Place):
        known = BASE | NOTICE | set(atom.pick) | {m.as_ for m in atom.entity if m.as_}
        yield from _made(atom.entity, known)
        yield from _picks(atom.pick, known)
        yield from _acts(atom.step, {"place": atom.capability}, known, anonymous="place")
        yield from (p for text in atom.pointer for p in _values(text, known, "pointer"))
    elif isinstance(atom, Strays):
        known = BASE | set(atom.pick) | set(atom.let)
        yield from _picks(atom.pick, known)
        yield from _acts(atom.step, {"stray": atom.id}, known)


def _intent(atom: Intent) -> Iterator[Problem]:
    given = BASE | set(atom.pick) | set(atom.choose)
    brought = {m.as_ for m in atom.entity if m.as_}
    known = given | set(atom.let) | set(atom.compute) | brought
    if "other" in atom.pick:
        yield "E2", "a pick named 'other' hides what traps lay beside a pick"
    yield from _made(atom.entity, given | brought)
    yield from _body(atom, atom.roles, known)
    yield from _checks(atom)
    for phrasing in atom.phrasing:
        yield from _values(phrasing.text, known, "phrasing")
        if tools := [t for t in _tool_names() if t in phrasing.text]:
            yield "E5", f"a phrasing names the tools {', '.join(tools)}: it gives the plan away"
    for wrong in (*atom.wrong, *atom.right):
        yield from _wrong(wrong, atom.roles, known, set(atom.pick), {a.id for a in atom.step})
    if atom.answer is not None:
        yield from _values([atom.answer.text, *atom.answer.facts, *atom.answer.forbid], known, "answer")
    if atom.hard:
        yield from _values(atom.hard, known, "hard")
    if not atom.wrong and len(atom.phrasing) < 2:
        yield "E6", "an intent has at least two phrasings, or a mistake that must be caught"


def _checks(atom: Body) -> Iterator[Problem]:
    checks.load(aim.checked for aim in atom.goal if aim.checked)
    for aim in atom.goal:
        if not aim.checked:
            continue
        try:
            parameters = inspect.signature(find(aim.checked.partition(":")[2])).parameters
        except BadTarget as error:
            yield "E4", f"goal {aim.name}: {error}"
            continue
        if set(aim.fields) != set(list(parameters)[1:]):
            yield "E4", f"goal {aim.name}: {aim.checked} takes {', '.join(list(parameters)[1:])}"
    if isinstance(atom, Intent) and any(aim.checked for aim in atom.goal) and not (atom.right and atom.wrong):
        yield "E6", "a check in Python needs another way that it accepts (right) and a mistake that it refuses (wrong)"


def _rule(atom: Rule) -> Iterator[Problem]:
    own = set(atom.params) | set(atom.choose) | set(atom.pick) | set(atom.let) | set(atom.compute)
    known = BASE | set(atom.needs) | own | _names_of(atom.tags)
    yield from _values(atom.set, known, "set")
    for text, where in ((f"= {atom.when}", "when"), (f"= {atom.agrees}", "agrees")):
        if text != "= ":
            yield from _names(text, known, where)
    yield from _values(
        atom.text, BASE | set(atom.params) | set(atom.choose) | set(atom.needs) | _names_of(atom.tags), "text"
    )
    yield from _body(atom, None, known)
    yield from _checks(atom)


def _trap(atom: Trap) -> Iterator[Problem]:
    known = BASE | set(atom.needs) | set(atom.choose) | set(atom.let) | {"it"} | {m.as_ for m in atom.entity if m.as_}
    known |= _names_of(atom.tags, atom.near)
    if atom.near and (said := _kind_problem(atom.near)):
        yield "E3", said
    yield from _made(atom.entity, known)
    for wrong in atom.wrong:
        yield from _wrong(wrong, None, known, None, None)


def _names_of(tags: Iterable[str], near: str = "") -> set[str]:
    """The names of the intents that a rule or trap may meet: it may use them where they are."""
    return {
        name
        for i in load_all(Intent).values()
        if set(tags) <= set(i.tags) and (not near or near in {p.kind for p in i.pick.values()})
        for name in (*i.pick, *i.let, *i.compute, *i.choose)
    } | {name for rule in load_all(Rule).values() for name in rule.set}


def _body(atom: Body, roles: Mapping[str, str] | None, known: set[str]) -> Iterator[Problem]:
    yield from _picks(atom.pick, known)
    yield from _values(atom.let, known, "let")
    for name, computed in atom.compute.items():
        yield from _names(f"= {computed.value}", known, f"compute {name}")
        yield from _names(f"= {computed.of}", known, f"compute {name}")
    yield from _acts(atom.step, {**(roles or {}), **atom.roles}, known)
    for aim in atom.goal:
        yield from _aim(aim, {**(roles or {}), **atom.roles}, known)


def _picks(picks: Mapping[str, Pick], known: set[str]) -> Iterator[Problem]:
    for name, pick in picks.items():
        for text in (pick.where, pick.key, pick.order):
            if text:
                yield from _names(f"= {text}", known | {"it"}, f"pick {name}")
        for field in pick.by:
            if field not in kind(pick.kind).model_fields:
                yield "E3", f"pick {name}: {pick.kind} has no field {field!r}"


def _acts(acts: Iterable[Act], roles: Mapping[str, str], known: set[str], anonymous: str = "") -> Iterator[Problem]:
    for act in acts:
        here = f"step {act.id or act.name}"
        inner = known | ({"it", "number"} if act.each else set())
        yield from _values(act.args, inner, here)
        for text in (act.when, act.each):
            if text:
                yield from _names(f"= {text}", inner, here)
        what = roles.get(anonymous or act.role, "")
        if act.do and what in capability_classes():
            yield from _verb(act, what, here)
        if act.tool and what.startswith("app:"):
            yield from _tool(act, what.removeprefix("app:"), here)


def _verb(act: Act, capability: str, here: str) -> Iterator[Problem]:
    method = getattr(capability_classes()[capability], act.name, None)
    if method is None:
        yield "E4", f"{here}: {capability} has no verb {act.name!r}"
        return
    parameters = inspect.signature(method).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    if strange := set(act.args) - set(parameters):
        yield "E4", f"{here}: {act.name} takes no {', '.join(sorted(strange))}"
    needed = {n for n, p in parameters.items() if p.default is p.empty and n != "self"}
    if missing := needed - set(act.args):
        yield "E4", f"{here}: {act.name} needs {', '.join(sorted(missing))}"


def _tool(act: Act, slug: str, here: str) -> Iterator[Problem]:
    if slug not in {a.slug for a in registry.apps()}:
        return  # an app that is not here: the atom waits for it
    operation = registry.load(slug).operations.get(act.name)
    if operation is None or not operation.mcp:
        yield "E4", f"{here}: {slug} has no tool {act.name!r}"
    elif strange := set(act.args) - set(operation.input_schema["properties"]):
        yield "E4", f"{here}: {slug}.{act.name} takes no {', '.join(sorted(strange))}"


def _aim(aim: Aim, roles: Mapping[str, str], known: set[str]) -> Iterator[Problem]:
    here = f"goal {aim.name}"
    inner = known | ({"it", "number"} if aim.each else set())
    yield from _values([aim.fields, aim.to, aim.of, aim.count], inner, here)
    for text in (aim.when, aim.each):
        if text:
            yield from _names(f"= {text}", inner, here)
    separator = ":" if ":" in aim.target else "."
    role, _, name = aim.target.partition(separator)
    if roles and role not in roles:
        yield "E4", f"{here}: there is no role {role!r}"
    if separator == ":" and not aim.checked:
        if said := _kind_problem(name):
            yield "E3", f"{here}: {said}"
        else:
            yield from _fields([*aim.fields, *aim.to], name, here)


def _made(entities: Iterable[Made], known: set[str]) -> Iterator[Problem]:
    for made in entities:
        inner = known | ({"it", "number"} if made.each else set())
        yield from _values(made.fields, inner, made.kind)
        for text in (made.when, made.each):
            if text:
                yield from _names(f"= {text}", known, made.kind)
        if said := _kind_problem(made.kind):
            yield "E3", said
        else:
            yield from _fields(made.fields, made.kind, made.as_ or made.kind)


def _wrong(
    wrong: Wrong, roles: Mapping[str, str] | None, known: set[str], picks: set[str] | None, steps: set[str] | None
) -> Iterator[Problem]:
    here = f"wrong {wrong.name!r}"
    yield from _values([wrong.pick, wrong.let, wrong.answer], known, here)
    if wrong.when:
        yield from _names(f"= {wrong.when}", known, here)
    if picks is not None and (strange := set(wrong.pick) - picks):
        yield "E2", f"{here}: there is no pick {', '.join(sorted(strange))}"
    if steps is not None and (strange := set(wrong.drop) - steps):
        yield "E2", f"{here}: there is no step {', '.join(sorted(strange))}"
    yield from _acts(wrong.step, roles or {}, known)
    if not (wrong.pick or wrong.let or wrong.drop or wrong.step or wrong.answer):
        yield "E6", f"{here} says no mistake"


def _fields(names: Iterable[str], kind_name: str, here: str) -> Iterator[Problem]:
    fields = entity_kind(kind_name).model_fields
    for name in names:
        if name not in fields:
            yield "E3", f"{here}: {kind_name} has no field {name!r}; it has {', '.join(fields)}"


def _kind_problem(name: str) -> str:
    try:
        entity_kind(name)
    except LookupError as error:
        return str(error)
    return ""


def _values(value: Any, known: set[str], here: str) -> Iterator[Problem]:
    if isinstance(value, str):
        if value.startswith("=") or "{{" in value or "{%" in value:
            yield from _names(value, known, here)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _values(inner, known, here)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _values(inner, known, here)


def _names(text: str, known: set[str], here: str) -> Iterator[Problem]:
    try:
        unknown = names_used(text) - known
    except BadExpression as error:
        yield "E2", f"{here}: {error}"
        return
    if unknown:
        yield "E2", f"{here}: unknown name {', '.join(sorted(unknown))}"


@cache
def _tool_names() -> set[str]:
    """Tool names that are no ordinary words."""
    return {t for a in registry.apps() for t in registry.load(a.slug).operations if t.count("_") >= 1}
