"""A scene: a recipe's atoms with their names evaluated. From it goals, steps and the added data are read, also as they would be if
somebody made a mistake."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from legoenv_mcp import worlds
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.controller.atoms import Act, Aim, Body, Intent, Made, May, Pick, Place, Rule, Trap, Wrong, load
from legoenv_mcp.controller.expressions import BadExpression, Names, filled, holds, names_used, render, value_of
from legoenv_mcp.controller.kinds import kind
from legoenv_mcp.controller.recipes import Recipe, RuleUse, TrapUse
from legoenv_mcp.kernel.context import entity_name
from legoenv_mcp.templates import DEFAULT_WORLD
from legoenv_mcp.worlds import World


class BadScene(ValueError):
    """A recipe does not make an environment: the message says which rule of composition it breaks."""


class WorldNames:
    """The world as expressions see it: `world.all("crm.Deal")`, `world.get("crm.Company", key)`, `world.name`."""

    def __init__(self, world: World, added: Mapping[str, tuple[Entity, ...]] | None = None) -> None:
        self.name, self.domain, self.currency, self.time_zone = (
            world.name,
            world.domain,
            world.currency,
            world.time_zone,
        )
        self.world, self._added = world, added or {}
        self.found: dict[tuple[Any, ...], list[Entity]] = {}

    def all(self, name: str) -> tuple[Entity, ...]:
        return (*self.world.entities(kind(name)), *self._added.get(name, ()))

    def get(self, name: str, key: str) -> Entity:
        found = next((e for e in self.all(name) if e.key == key), None)
        if found is None:
            raise LookupError(f"no {name} {key!r} in {self.world.id}")
        return found


@dataclass(frozen=True, slots=True)
class Active:
    """A rule in this scene: the atom, how it is used, and whether it bites."""

    atom: Rule
    use: RuleUse
    bites: bool


@dataclass(frozen=True)
class Reading:
    """One evaluation of a scene: names, and the steps, goals and allowances that follow. `of` are what computed values came from."""

    names: dict[str, Any]
    rules: tuple[Active, ...]
    acts: tuple[Act, ...]
    aims: tuple[Aim, ...]
    may: tuple[May, ...]
    of: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])


@cache
def world_ids() -> tuple[str, ...]:
    """The worlds that tasks play in, the richest first."""
    found = [w.id for w in worlds.worlds() if w.id != "empty"]
    return tuple(sorted(found, key=lambda w: (w != DEFAULT_WORLD, w)))


@cache
def world_names(world_id: str) -> WorldNames:
    return WorldNames(worlds.load(world_id))


def base_names(world: World, seen: WorldNames) -> dict[str, Any]:
    return {"world": seen, "agent": world.agent, "today": world.clock[:10], "now": world.clock, "domain": world.domain}


def candidates(pick: Pick, names: Names, seen: WorldNames) -> list[Entity]:
    """The entities that a pick may be, in the world's order. Asked for again and again with the same names, so it is remembered."""
    key = _asked_with(pick, names)
    if key is None:
        return _candidates(pick, names, seen)
    if key not in seen.found:
        seen.found[key] = _candidates(pick, names, seen)
    return list(seen.found[key])


def _candidates(pick: Pick, names: Names, seen: WorldNames) -> list[Entity]:
    return [e for e in seen.all(pick.kind) if holds(pick.where, {**names, "it": e})]


def _asked_with(pick: Pick, names: Names) -> tuple[Any, ...] | None:
    """What the answer depends on, where that can be said: the names that the condition uses."""
    values = list[Any]()
    for name in sorted(_used(pick.where) - _ALWAYS):
        value = names.get(name)
        if isinstance(value, Entity):
            value = (type(value), value.key)
        elif not isinstance(value, (str, int, float, bool)):
            return None
        values.append((name, value))
    return (pick.kind, pick.where, *values)


@cache
def _used(where: str) -> frozenset[str]:
    return frozenset(names_used(f"= {where}")) if where else frozenset()


_ALWAYS = frozenset({"it", "world", "agent", "today", "now", "domain"})


def picked(body_picks: Mapping[str, Pick], drawn: Mapping[str, str], names: Names, seen: WorldNames) -> dict[str, Any]:
    """Every pick's entity or list, in order. BadScene where one is missing or fewer than `least`."""
    found = dict[str, Any]()
    for name, pick in body_picks.items():
        known = {**names, **found}
        if pick.many:
            chosen = candidates(pick, known, seen)
            if pick.order:
                chosen.sort(key=lambda e: value_of(pick.order, {**known, "it": e}))
            chosen = chosen[: pick.limit] if pick.limit else chosen
            if len(chosen) < pick.least:
                raise BadScene(f"data: {name}: {len(chosen)} {pick.kind} match, at least {pick.least} must")
            found[name] = tuple(chosen)
            continue
        key = value_of(pick.key, known) if pick.key else drawn.get(name, "")
        try:
            found[name] = key if isinstance(key, Entity) else seen.get(pick.kind, str(key))
        except LookupError as error:
            raise BadScene(f"data: {name}: {error}") from None
        if not holds(pick.where, {**known, "it": found[name]}):
            raise BadScene(f"data: {name}: {found[name].key} is not as {pick.where!r} says")
    return found


class Scene:
    """A recipe, evaluated."""

    def __init__(self, recipe: Recipe, *, force: Mapping[str, bool] | None = None) -> None:
        self.recipe = recipe
        self.intent = load(Intent, recipe.intent)
        self._bare = world_names(recipe.world)
        self.world = self._bare.world
        self.rules = [(load(Rule, use.rule), use) for use in recipe.rules]
        self.traps = [(load(Trap, use.trap), use) for use in recipe.traps]
        self._force = force or {}
        self.added = self._added()

    # What is added to the world

    def _added(self) -> list[Entity]:
        """What the task brings with it (by name in `self.own`), notices of rules, and what traps lay out (`self.laid`), in order."""
        made = list[Entity]()
        self.notices = dict[str, dict[str, Entity]]()
        self.laid = dict[int, dict[str, Any]]()
        self.own = dict[str, Any]()
        if not any(use.place for _, use in self.rules) and not self.traps and not self.intent.entity:
            return made
        names = self._names(self._bare)
        for one in self.intent.entity:
            if not holds(one.when, names):
                continue
            values = value_of(one.each, names) if one.each else (None,)
            several = list[Entity]()
            for number, it in enumerate(values, 1):
                held = {**names, "it": it, "number": number} if one.each else names
                several.append(self._make(one, held, len(made)))
                made.append(several[-1])
            if one.as_:
                self.own[one.as_] = names[one.as_] = tuple(several) if one.each else several[0]
        for rule, use in self.rules:
            if use.place:
                place = load(Place, use.place)
                held = self.notice_names(rule, use, place, names)
                for one in place.entity:
                    if not holds(one.when, held):
                        continue
                    entity = self._make(one, held, len(made))
                    made.append(entity)
                    if one.as_:
                        held[one.as_] = entity
                self.notices[rule.id] = {k: v for k, v in held.items() if k not in names or v is not names[k]}
        for number, (trap, use) in enumerate(self.traps):
            held = {**names, **use.choices}
            if use.near:
                held["it"] = names[use.near]
            for key, expression in trap.let.items():
                held[key] = filled(expression, held)
            before = set(held)
            for one in trap.entity:
                if holds(one.when, held):
                    entity = self._make(one, held, len(made))
                    made.append(entity)
                    if one.as_:
                        held[one.as_] = entity
            self.laid[number] = {
                **use.choices,
                **{k: held[k] for k in trap.let},
                **{k: held[k] for k in set(held) - before},
            }
        return made

    def notice_names(self, rule: Rule, use: RuleUse, place: Place, names: Names) -> dict[str, Any]:
        held = {**names, "rule": rule, "topic": rule.topic, "author": self.author, "old": bool(use.old)}
        held.update(picked(place.pick, use.picks, held, self._bare))
        held["text"] = render(rule.text, {**held, **use.choices, **use.params})
        held["old_text"] = render(rule.text, {**held, **use.choices, **use.old}) if use.old else ""
        return held

    @property
    def author(self) -> Entity:
        """Who publishes policies: the agent's manager, where there is one."""
        manager = getattr(self.world.agent, "manager", "")
        return self._bare.get("people.Person", manager) if manager else self.world.agent

    def _make(self, made: Made, names: Names, number: int) -> Entity:
        values = filled(made.fields, names, lambda v: v.key if isinstance(v, Entity) else v)
        try:
            return kind(made.kind)(**{"key": f"added-{number}", **values})
        except (ValueError, LookupError) as error:
            raise BadScene(f"data: {made.kind}: {str(error).splitlines()[0]}: {error}") from None

    @cached_property
    def seen(self) -> WorldNames:
        """The world with what was added: what selections are checked against."""
        if not self.added:
            return self._bare
        by_kind = dict[str, tuple[Entity, ...]]()
        for entity in self.added:
            name = entity_name(type(entity))
            by_kind[name] = (*by_kind.get(name, ()), entity)
        return WorldNames(self.world, by_kind)

    # Evaluation

    def _names(self, seen: WorldNames, picks: Mapping[str, Any] | None = None) -> dict[str, Any]:
        names = {**base_names(self.world, seen), **self.recipe.choices}
        if picks:
            names.update(self._swapped(seen, names, picks))
        else:
            names.update(picked(self.intent.pick, self.recipe.picks, names, seen))
        return {**names, **self.own}

    def _swapped(self, seen: WorldNames, names: Names, swapped: Mapping[str, Any]) -> dict[str, Any]:
        """Picks with some replaced by other entities; those that depend on them follow, and conditions are not asked."""
        found = dict[str, Any]()
        for name, pick in self.intent.pick.items():
            if name in swapped:
                found[name] = swapped[name]
                continue
            loose = pick.model_copy(update={"where": pick.where if pick.many else "", "least": 0})
            found.update(picked({name: loose}, self.recipe.picks, {**names, **found}, seen))
        return found

    def read(
        self, *, picks: Mapping[str, Any] | None = None, let: Mapping[str, Any] | None = None, without: str = "",
        older: str = "", applied: str = "",
    ) -> Reading:  # fmt: skip
        """The scene as it is, or as it would be with other picks or values, without a rule, by a rule's older version, or with a
        rule applied that does not hold."""
        try:
            return self._read(picks, let or {}, without, older, applied)
        except BadExpression as error:
            raise BadScene(f"intent {self.intent.id}: {error}") from None

    def _read(
        self,
        picks: Mapping[str, Any] | None,
        let: Mapping[str, Any],
        without: str,
        older: str,
        applied: str,
    ) -> Reading:
        names, of = self._names(self.seen, picks), dict[str, list[Any]]()
        pinned = dict[str, Any](let)
        self._let(self.intent, names, pinned, of)
        active, bodies = list[Active](), list[Body]([self.intent])
        for rule, use in self.rules:
            if rule.id == without:
                continue
            held = {**names, **use.choices, **(use.old if rule.id == older and use.old else use.params)}
            held.update(picked(rule.pick, use.picks, held, self.seen))
            bites = rule.id == applied or self._force.get(rule.id, holds(rule.when, held))
            active.append(Active(rule, use, bites))
            if not bites:
                continue
            figures = list((use.old if rule.id == older and use.old else use.params).values())
            for name, expression in rule.set.items():
                was = names.get(name)
                pinned[name] = filled(expression, held)
                of[name] = [*figures, *of.get(name, [was] if isinstance(was, (int, float, str)) else [])]
            names.update({k: v for k, v in held.items() if k not in names})
            self._let(self.intent, names, pinned, of)
            self._let(rule, names, {}, of)
            bodies.append(rule)
        dropped = {name for a in active if a.bites for name in a.atom.drop}
        return Reading(
            names, tuple(active),
            tuple(a for b in bodies for a in b.step if a.id not in dropped or not a.id),
            tuple(g for b in bodies for g in b.goal if g.name not in dropped),
            tuple(m for b in bodies for m in b.may), of,
        )  # fmt: skip

    @staticmethod
    def _let(body: Body, names: dict[str, Any], pinned: Mapping[str, Any], of: dict[str, list[Any]]) -> None:
        for name, expression in body.let.items():
            names[name] = pinned[name] if name in pinned else filled(expression, names)
        for name, computed in body.compute.items():
            names[name] = pinned[name] if name in pinned else filled("=" + computed.value, names)
            if name not in pinned:
                of[name] = _flat(value_of(computed.of, names))

    def wrong_readings(self) -> Iterator[tuple[str, Wrong | None, Reading]]:
        """Every mistake: its name, the atom's word for it where there is one, and the scene as the mistaken see it."""
        here = self.read()
        for rule in here.rules:
            if rule.bites:
                yield f"ignores: {rule.atom.title}", None, self.read(without=rule.atom.id)
            else:
                with suppress(BadScene):  # it may need what is not there where it does not hold
                    yield f"applies where it does not: {rule.atom.title}", None, self.read(applied=rule.atom.id)
            if rule.use.old:
                yield f"follows the older version of: {rule.atom.title}", None, self.read(older=rule.atom.id)
        for wrong in self.intent.wrong:
            if holds(wrong.when, here.names):
                yield wrong.name, wrong, self._mistaken(wrong, here.names)
        for number, (trap, use) in enumerate(self.traps):
            names = {**here.names, **self.laid[number]}
            if use.near:
                names["it"] = here.names[use.near]
            for wrong in trap.wrong:
                if holds(wrong.when, names):
                    yield wrong.name, wrong, self._mistaken(wrong, names, use)

    def right_readings(self) -> Iterator[tuple[Wrong, Reading]]:
        """Every other way that is as good."""
        names = self.read().names
        for other in self.intent.right:
            if holds(other.when, names):
                yield other, self._mistaken(other, names)

    def _mistaken(self, wrong: Wrong, names: Names, use: TrapUse | None = None) -> Reading:
        picks = {use.near if k == "it" and use else k: filled(v, names) for k, v in wrong.pick.items()}
        let = {k: filled(v, names) for k, v in wrong.let.items()}
        found = self.read(picks=picks or None, let=let)
        held = {**names, **found.names}
        acts = (*(a for a in found.acts if a.id not in wrong.drop), *wrong.step)
        return Reading(held, found.rules, acts, found.aims, found.may, found.of)

    # One answer

    def ties(self, reading: Reading) -> list[str]:
        """Picks that the instruction's own description does not single out, in the world as it is with all that was added."""
        found = list[str]()
        for name, pick in self.intent.pick.items():
            if not pick.by:
                continue
            ours = reading.names[name]
            same = [e for e in self.seen.all(pick.kind) if all(_like(getattr(e, f), getattr(ours, f)) for f in pick.by)]
            if len(same) != 1:
                found.append(f"{name}: {len(same)} {pick.kind} have the same {', '.join(pick.by)}")
        return found


def _like(one: Any, other: Any) -> bool:
    return str(one).casefold().strip() == str(other).casefold().strip()


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple, set)):
        return [v for one in value for v in _flat(one)]
    return [value]
