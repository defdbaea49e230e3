"""Derivation: a recipe becomes an environment. The verifier comes from goals and rules, the plan from steps, the frame from what the
steps' verbs do elsewhere (footprints.py): none from another, so that the proof may hold them against each other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.controller.atoms import Act, Aim, Place, Strays, digest, load, load_all
from legoenv_mcp.controller.environment import Added, Environment, Step, Variant
from legoenv_mcp.controller.expressions import BadExpression, filled, holds, render, value_of
from legoenv_mcp.controller.footprints import footprint
from legoenv_mcp.controller.recipes import Recipe, draw
from legoenv_mcp.controller.scene import BadScene, Reading, Scene, candidates, picked
from legoenv_mcp.kernel.context import entity_name
from legoenv_mcp.verify.model import Allow, Answer, Goal, Select, Verifier

WORDINGS = "wordings"
_HIMSELF = [{"email": "= agent.email"}]
# Of what is created, unless the goal says it: nobody gets it who was not meant.
_NOBODY_ELSE: dict[str, dict[str, Any]] = {
    "email.Message": {"cc": {"only": _HIMSELF}, "bcc": {"only": _HIMSELF}},
    "calendar.Event": {"attendees": {"only": [{"fields": e} for e in _HIMSELF]}, "recurrence": []},
}


def derive(recipe: Recipe) -> Environment:
    """The environment of a recipe. BadScene where it does not make one, naming the rule of composition that it breaks."""
    try:
        return _Derivation(recipe).environment()
    except BadExpression as error:
        raise BadScene(f"intent {recipe.intent}: {error}") from None


@dataclass(frozen=True, slots=True)
class Outline:
    """What an environment says before its frame and its mistakes are worked out: enough to see why it cannot be derived."""

    scene: Scene
    reading: Reading
    plan: list[Step]
    goals: list[Goal]
    selected: dict[str, Select]
    apps: tuple[str, ...]
    instruction: str
    ties: list[str]


def outline(recipe: Recipe) -> Outline:
    """The beginnings of an environment. BadScene as `derive`, but not for what only the frame, a tie or a rule's predicate shows."""
    try:
        found = _Derivation(recipe)
        apps = tuple(dict.fromkeys(found.binding.values()))
        plan, goals = found.plan(found.here), found.goals(found.here)
        ties = found.scene.ties(found.here)
        return Outline(found.scene, found.here, plan, goals, found.selected, apps, found.instruction(), ties)
    except BadExpression as error:
        raise BadScene(f"intent {recipe.intent}: {error}") from None


class _Derivation:
    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.scene = Scene(recipe)
        self.binding = self.scene.recipe.binding
        self.here = self.scene.read()
        self.selected = dict[str, Select]()

    # Values

    def as_id(self, role: str) -> Callable[[Any], Any]:
        """What a role's app calls an entity."""
        slug = self._app(role)

        def convert(found: Any) -> Any:
            if not isinstance(found, Entity):
                return found
            name = entity_name(type(found))
            refs = templates.extended(slug, self.recipe.world, tuple(self.scene.added)).refs
            if found.key not in refs.get(name, {}):
                raise BadScene(f"binding: {slug} does not know {name} {found.key!r}")
            return refs[name][found.key]

        return convert

    def _app(self, role: str) -> str:
        if role not in self.binding:
            raise BadScene(f"binding: nothing is bound to role {role!r}")
        return self.binding[role]

    # Steps

    def steps(self, acts: Sequence[Act], names: Mapping[str, Any], wording: int = 0) -> list[Step]:
        """Acts as steps of a plan."""
        found, taken = list[Step](), set[str]()
        for act in acts:
            values = value_of(act.each, names) if act.each else (None,)
            for number, it in enumerate(values, 1):
                held = {**names, "it": it, "number": number} if act.each else names
                if not holds(act.when, held):
                    continue
                label = f"{act.id or act.name}{number if act.each else ''}"
                while label in taken:
                    label += "_"
                taken.add(label)
                args = filled(_worded(act.args, wording), held, self.as_id(act.role))
                app = self._app(act.role)
                after = None if act.after is None else tuple(s for s in act.after if s in taken)
                if act.tool:
                    found.append(Step(step=label, app=app, tool=act.name, arguments=args, after=after))
                else:
                    capability = self._capability(act)
                    found.append(
                        Step(step=label, app=app, verb=f"{capability}.{act.name}", arguments=args, after=after)
                    )
        return found

    def _capability(self, act: Act) -> str:
        roles = {**self.scene.intent.roles, **{r: c for a in self.here.rules for r, c in a.atom.roles.items()}}
        what = roles.get(act.role, "")
        if what and not what.startswith("app:"):
            return what
        provides = registry.load(self._app(act.role)).provides
        found = [name for name, provider in provides.items() if hasattr(provider, act.name)]
        if not found:
            raise BadScene(f"binding: {self._app(act.role)} has no verb {act.name}")
        return found[0]

    def policy_steps(self) -> list[Step]:
        """The reading of every notice."""
        found = list[Step]()
        for rule, use in self.scene.rules:
            if use.place:
                place = load(Place, use.place)
                names = {**self.here.names, **self.scene.notices[rule.id]}
                role = f"{rule.id}_place"
                acts = [
                    a.model_copy(update={"do": f"{role}.{a.name}", "id": f"policy_{rule.id}_{a.name}_{n}", "after": ()})
                    for n, a in enumerate(place.step)
                ]
                for act in acts:
                    args = filled(act.args, names, self.as_id(role))
                    verb = f"{place.capability}.{act.name}"
                    found.append(Step(step=act.id, app=self._app(role), verb=verb, arguments=args, after=()))
        return found

    def plan(self, reading: Reading, wording: int = 0) -> list[Step]:
        return [*self.policy_steps(), *self.steps(reading.acts, reading.names, wording)]

    # The verifier

    def goals(self, reading: Reading) -> list[Goal]:
        return [goal for aim in reading.aims for goal in self._goals_of(aim, reading.names)]

    def _goals_of(self, aim: Aim, names: Mapping[str, Any]) -> Iterator[Goal]:
        values = value_of(aim.each, names) if aim.each else (None,)
        for number, it in enumerate(values, 1):
            held = {**names, "it": it, "number": number} if aim.each else names
            if not holds(aim.when, held):
                continue
            role, target = self._target(aim.target)
            as_id = self.as_id(role)
            name = f"{aim.name} {number}" if aim.each else aim.name
            count = aim.count if isinstance(aim.count, int) else int(filled(aim.count, held))
            row = self._select(aim, held, role, target) if aim.of else ""
            fields = aim.fields
            if aim.kind == "created":
                unsaid = _NOBODY_ELSE.get(target.partition(":")[2], {})
                fields = fields | {k: v for k, v in unsaid.items() if k not in fields}
            yield Goal.model_validate(
                {
                    "name": name, aim.kind: target, "row": row, "with": filled(fields, held, as_id),
                    "to": filled(aim.to, held, as_id), "count": count, "free": aim.free,
                }
            )  # fmt: skip

    def _target(self, target: str) -> tuple[str, str]:
        """`pay:payments.Payment` -> ("pay", "stripe:payments.Payment")."""
        separator = ":" if ":" in target else "."
        role, _, name = target.partition(separator)
        return role, f"{self._app(role)}{separator}{name}"

    def _select(self, aim: Aim, names: Mapping[str, Any], role: str, target: str) -> str:
        found = filled(aim.of, names, self.as_id(role))
        where = {"id": found} if not isinstance(found, dict) else found
        for name, select in self.selected.items():
            if select.source == target and select.where == where:
                return f"@{name}"
        name = f"s{len(self.selected) + 1}"
        self.selected[name] = Select.model_validate({"in": target, "where": where})
        return f"@{name}"

    def allows(self) -> list[Allow]:
        """The frame: what the verbs of the steps change, and what the atoms allow beyond."""
        found = footprint(self.scene, self.here, self.steps_of)
        for may in self.here.may:
            fields = may.model_dump(by_alias=True, exclude_defaults=True)
            kind = next(k for k in ("insert", "update", "delete") if fields.get(k))
            role, target = self._target(fields[kind])
            shown = {
                k: filled(v, self.here.names, self.as_id(role)) if k in ("with", "to") else v for k, v in fields.items()
            }
            found.append(Allow.model_validate({**shown, kind: target, "optional": True}))
        return found

    @staticmethod
    def steps_of(scene: Scene, reading: Reading) -> list[Step]:
        """The steps of another scene of the same intent: what footprints are taken from."""
        other = _Derivation.__new__(_Derivation)
        other.recipe, other.scene, other.binding, other.here = scene.recipe, scene, scene.recipe.binding, reading
        return other.steps(reading.acts, reading.names)

    # Mistakes, other ways, strays

    def traps(self, plan: Sequence[Step], goals: Sequence[Goal]) -> Iterator[Variant]:
        right = {g.name: g.model_dump() for g in goals}
        for name, wrong, reading in self.scene.wrong_readings():
            held = dict(self.selected)
            theirs = {g.name: g.model_dump() for g in self.goals(reading)}
            differing = [n for n in right if right[n] != theirs.get(n)]
            self.selected = held
            steps = self.steps(reading.acts, reading.names)
            change = _difference([*self.policy_steps(), *steps], plan)
            answer = self._answer(reading) if wrong is None or not wrong.answer else render(wrong.answer, reading.names)
            if not (change["drop"] or change["replace"] or change["add"]) and answer == self._answer(self.here):
                if wrong is None or (wrong in self.scene.intent.wrong and any(a.bites for a in self.here.rules)):
                    continue  # a rule sets what the mistake would have changed
                raise BadScene(f"trap: {name!r} changes nothing here")
            # Where the mistaken aim at the same ends, any of them may be what their steps miss.
            catchers = tuple(differing or right) + (("frame",) if change["add"] or not differing else ())
            if self.scene.intent.answer is not None and answer != self._answer(self.here):
                catchers = (*catchers, "answer")
            yield Variant(
                name=name, drop=tuple(change["drop"]), replace=tuple(change["replace"]), add=tuple(change["add"]), answer=answer,
                caught_by=catchers,
            )  # fmt: skip

    def equivalents(self, plan: Sequence[Step]) -> Iterator[Variant]:
        most = max((count for act in self.here.acts for count in _wordings(act.args)), default=1)
        for wording in range(1, most):
            change = _difference(self.plan(self.here, wording), plan)
            if change["replace"]:
                yield Variant(name=f"wording {wording + 1}", replace=tuple(change["replace"]))
        for other, reading in self.scene.right_readings():
            change = _difference([*self.policy_steps(), *self.steps(reading.acts, reading.names)], plan)
            answer = render(other.answer, reading.names) if other.answer else self._answer(reading)
            if not (change["drop"] or change["replace"] or change["add"]) and answer == self._answer(self.here):
                raise BadScene(f"intent: {other.name!r} is the same as the reference plan here")
            yield Variant(
                name=other.name, drop=tuple(change["drop"]), replace=tuple(change["replace"]), add=tuple(change["add"]), answer=answer
            )  # fmt: skip

    def strays(self, apps: Sequence[str]) -> Iterator[Step]:
        """Writes that nobody asked for, in every app."""
        atoms = load_all(Strays)
        for slug in apps:
            provides = registry.load(slug).provides
            for capability in provides:
                atom = atoms.get(capability)
                if atom is None:
                    continue
                yield from self._strays_of(slug, capability, atom)

    def _strays_of(self, slug: str, capability: str, atom: Strays) -> Iterator[Step]:
        used = {(type(e), e.key) for e in self.here.names.values() if isinstance(e, Entity)}
        lists = [v for v in self.here.names.values() if isinstance(v, (list, tuple))]
        listed = {(type(e), e.key) for e in _flat(lists) if isinstance(e, Entity)}
        self.binding = {**self.binding, "stray": slug}
        names = dict(self.here.names)
        for name, pick in atom.pick.items():
            try:
                if pick.key:
                    names.update(picked({name: pick}, {}, names, self.scene.seen))
                    continue
                found = [e for e in candidates(pick, names, self.scene.seen) if (type(e), e.key) not in used]
                found = [e for e in found if (type(e), e.key) not in listed] or found
            except (BadExpression, BadScene):
                continue  # it needs a pick that the world has none for
            if found:
                names[name] = found[draw(f"{self.recipe.id}/{slug}/{name}", len(found))]
        with suppress(BadExpression):  # the steps that need it are left out below
            names.update({name: filled(value, names) for name, value in atom.let.items()})
        for act in atom.step:
            if not registry.load(slug).provides[capability].offers(act.name):
                continue
            try:
                if not holds(act.when, names):
                    continue
                args = filled(act.args, names, self.as_id("stray"))
            except (BadExpression, BadScene):
                continue
            yield Step(
                step=f"stray {slug} {act.id or act.name}", app=slug, verb=f"{capability}.{act.name}", arguments=args
            )

    # The whole

    def _answer(self, reading: Reading) -> str | None:
        reply = self.scene.intent.answer
        return None if reply is None else render(reply.text, reading.names).strip()

    def instruction(self) -> str:
        intent, world, agent = self.scene.intent, self.scene.world, self.scene.world.agent
        phrasing = intent.phrasing[self.recipe.phrasing % len(intent.phrasing)]
        text = render(phrasing.text, self.here.names).strip()
        today = render("{{ today | weekday }}, {{ today | long_date }}", self.here.names)
        who = f"You are {agent.name}, {agent.title} at {world.name}. Today is {today}."
        pointers = list[str]()
        for rule, use in self.scene.rules:
            if use.place:
                place = load(Place, use.place)
                names = {**self.here.names, **self.scene.notices[rule.id]}
                pointers.append(render(place.pointer[draw(self.recipe.id + rule.id, len(place.pointer))], names))
            else:
                pointers.append(render(rule.text, {**self.here.names, **use.choices, **use.params}).strip())
        return "\n\n".join([who, text, *pointers])

    def environment(self) -> Environment:
        recipe, intent = self.recipe, self.scene.intent
        if ties := self.scene.ties(self.here):
            raise BadScene(f"V14: {'; '.join(ties)}")
        for active in self.here.rules:
            if active.atom.agrees and not holds(active.atom.agrees, {**self.here.names, **active.use.params}):
                raise BadScene(f"V15: {active.atom.id}: {active.atom.agrees!r} does not hold in the end")
        apps = tuple(dict.fromkeys(self.binding.values()))
        plan, goals = self.plan(self.here), self.goals(self.here)
        if not goals and intent.answer is None:
            raise BadScene("V7: no goal is left")
        answer = None
        if intent.answer is not None:
            facts, forbid = (filled(v, self.here.names) for v in (intent.answer.facts, intent.answer.forbid))
            answer = Answer(facts=tuple(_flat(facts)), forbid=tuple(v for v in _flat(forbid) if v not in _flat(facts)))
        traps = tuple(self.traps(plan, goals))
        verifier = Verifier(select=self.selected, goal=tuple(goals), allow=tuple(self.allows()), answer=answer)
        computed: dict[str, str | list[Any]] = {
            _text(one): [_text(v) for v in values]
            for name, values in self.here.of.items() if name in self.here.names for one in _flat([self.here.names[name]])
        }  # fmt: skip
        return Environment(
            id=recipe.id, version=intent.version, title=intent.title, world=recipe.world, apps=apps,
            difficulty=difficulty(self.scene, plan, apps), tags=(intent.domain, *intent.tags), instruction=self.instruction(),
            hard=self._hard(), verifier=verifier, plan=tuple(plan), answer=self._answer(self.here), trap=traps,
            equivalent=tuple(self.equivalents(plan)), stray=tuple(self.strays(apps)), computed=computed, intent=intent.id,
            rules=tuple(rule.id for rule, _ in self.scene.rules), traps=tuple(trap.id for trap, _ in self.scene.traps),
            domain=intent.domain, added=tuple(_added(e) for e in self.scene.added), rests_on=self._rests_on(),
        )  # fmt: skip

    def _hard(self) -> str:
        lines = [render(self.scene.intent.hard, self.here.names).strip()] if self.scene.intent.hard else []
        for active in self.here.rules:
            where = f"published by {active.use.place}" if active.use.place else "in the instruction"
            older = ", with an older version beside it" if active.use.old else ""
            lines.append(
                f"{active.atom.title}: {where}{older}; it {'changes the outcome' if active.bites else 'does not apply here'}."
            )
        lines += [f"{trap.title}." for trap, _ in self.scene.traps]
        return "\n".join(lines)

    def _rests_on(self) -> dict[str, str]:
        scene = self.scene
        atoms = [
            ("intent", scene.intent),
            *(("rule", r) for r, _ in scene.rules),
            *(("trap", t) for t, _ in scene.traps),
        ]
        atoms += [("place", load(Place, u.place)) for _, u in scene.rules if u.place]
        return {f"{what} {atom.id}": digest(atom) for what, atom in atoms}


def difficulty(scene: Scene, plan: Sequence[Step], apps: Sequence[str]) -> int:
    """1 to 5: a weighted sum of apps, steps, rules (with where they are published) and traps, cut at fixed points."""
    rules = sum(1 + bool(use.place) + bool(use.old) for _, use in scene.rules)
    score = 2 * (len(apps) - 1) + len(plan) + 2 * rules + 2 * len(scene.traps)
    return 1 + sum(score >= cut for cut in (5, 9, 13, 18))


def _added(entity: Entity) -> Added:
    fields = entity.model_dump(mode="json", exclude_defaults=True)
    return Added.model_validate({"kind": entity_name(type(entity)), "with": {**fields, "key": entity.key}})


def _text(value: Any) -> str:
    """A value as it is compared with what was read: 33120.0 is 33120."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _flat(values: Any) -> list[Any]:
    return [v for one in values for v in (_flat(one) if isinstance(one, (list, tuple)) else [one])]


def _wordings(value: Any) -> Iterator[int]:
    """How many wordings each text in a value has."""
    if isinstance(value, Mapping):
        if WORDINGS in value:
            yield len(value[WORDINGS])
        else:
            for inner in value.values():
                yield from _wordings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _wordings(inner)


def _worded(value: Any, wording: int) -> Any:
    """A value with every text in one of its wordings, at any depth."""
    if isinstance(value, Mapping):
        if WORDINGS in value:
            return value[WORDINGS][min(wording, len(value[WORDINGS]) - 1)]
        return {k: _worded(v, wording) for k, v in value.items()}
    return [_worded(v, wording) for v in value] if isinstance(value, (list, tuple)) else value


def _difference(plan: Sequence[Step], from_plan: Sequence[Step]) -> dict[str, list[Any]]:
    """How a plan differs from another, as a Variant says it."""
    theirs, ours = {s.step: s for s in plan}, {s.step: s for s in from_plan}
    return {
        "drop": [name for name in ours if name not in theirs],
        "replace": [s for name, s in theirs.items() if name in ours and s != ours[name]],
        "add": [s for name, s in theirs.items() if name not in ours],
    }
