"""Composition: recipes are drawn over what the catalogue lacks, derived, deduplicated and proven. What is refused is counted by the
rule it breaks and the atom at fault: that is what evolution starts from."""

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from legoenv_mcp.controller.atoms import Intent, Pick, Place, Rule, Trap, load, load_all
from legoenv_mcp.controller.binding import Unbindable, bind, claims, verbs_needed
from legoenv_mcp.controller.catalogue import Entry, ProofLine, proof_line
from legoenv_mcp.controller.derive import derive
from legoenv_mcp.controller.environment import Environment
from legoenv_mcp.controller.expressions import BadExpression, filled, holds, value_of
from legoenv_mcp.controller.footprints import drawn_picks
from legoenv_mcp.controller.prove import prove
from legoenv_mcp.controller.recipes import Recipe, RuleUse, TrapUse
from legoenv_mcp.controller.scene import BadScene, Reading, Scene, picked, world_ids

T = TypeVar("T")
log = logging.getLogger("legoenv")
MOST_PER_STRUCTURE = 3
STRIKES = 3
MOST_OF_AN_APP = 0.15
ENOUGH = 100
RULED, TRAPPED, TWO_RULES, OLDER, PUBLISHED = 0.62, 0.62, 0.15, 0.5, 0.8


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a recipe: an environment with its proof, or a rejection: rule, atom, counterexample."""

    recipe: Recipe
    entry: Entry | None = None
    proof: ProofLine | None = None
    rule: str = ""
    atom: str = ""
    detail: str = ""


@dataclass
class Wanted:
    """What to compose: only over some apps, with a capability, of a difficulty."""

    apps: frozenset[str] = frozenset()
    capability: str = ""
    difficulty: int = 0
    intents: frozenset[str] = frozenset()


class Draw:
    """Choices fixed by a seed and a label each: no state, so that one more choice moves no other."""

    def __init__(self, seed: str) -> None:
        self.seed = seed

    def number(self, label: str) -> float:
        """In [0, 1)."""
        digest = hashlib.blake2b(f"{self.seed}/{label}".encode(), digest_size=7).digest()
        return int.from_bytes(digest, "big") / (1 << 56)

    def one(self, label: str, among: Sequence[T]) -> T:
        return among[int(self.number(label) * len(among))]

    def rarest(self, label: str, among: Iterable[T], used: Callable[[T], float]) -> list[T]:
        """The least used first; ties, and near ties, by lot."""
        named = [(str(getattr(one, "id", one)), one) for one in among]
        named.sort(key=lambda pair: (used(pair[1]) + self.number(f"{label}/{pair[0]}"), pair[0]))
        return [one for _, one in named]


@dataclass
class Composer:
    """Draws recipes one after another, each towards what is rare in what was accepted so far."""

    seed: str
    wanted: Wanted = field(default_factory=Wanted)
    intents: Counter[str] = field(default_factory=Counter[str])
    apps: Counter[str] = field(default_factory=Counter[str])
    rules: Counter[str] = field(default_factory=Counter[str])
    traps: Counter[str] = field(default_factory=Counter[str])
    places: Counter[str] = field(default_factory=Counter[str])
    structures: Counter[str] = field(default_factory=Counter[str])
    tries: Counter[str] = field(default_factory=Counter[str])
    held: set[str] = field(default_factory=set[str])
    misfits: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    drawn: int = 0

    def count(self, entry: Entry) -> None:
        """Takes an accepted environment into account."""
        self.intents[entry.recipe.intent] += 1
        self.apps.update(entry.apps)
        self.rules.update(entry.rules)
        self.traps.update(entry.traps)
        self.places.update(u.place for u in entry.recipe.rules)
        self.structures[entry.structure] += 1
        self.held.add(entry.id)

    def refused(self, outcome: Outcome) -> None:
        """Takes a rejection into account: rules and traps that do not suit an intent are left alone after a while."""
        parts = [f"trap {u.trap}" for u in outcome.recipe.traps] + [f"rule {u.rule}" for u in outcome.recipe.rules]
        for part in parts:
            self.misfits[outcome.recipe.intent, part] += STRIKES if outcome.atom == part else 1

    def _suits(self, intent: str, part: str) -> bool:
        return self.misfits[intent, part] < STRIKES

    def admits(self, entry: Entry) -> bool:
        """Whether an environment is none too many: of its structure, and not held already."""
        return self.structures[entry.structure] < MOST_PER_STRUCTURE and entry.id not in self.held

    def draw(self) -> Recipe | Outcome:
        """The next recipe, or why none could be drawn."""
        self.drawn += 1
        lot = Draw(f"{self.seed}/{self.drawn}")
        intents = [i for i in load_all(Intent).values() if not self.wanted.intents or i.id in self.wanted.intents]
        for intent in lot.rarest("intent", intents, lambda i: self.intents[i.id] + self.tries[i.id] / 3)[:1]:
            self.tries[intent.id] += 1
            return self._recipe(intent, lot)
        raise LookupError("there is no intent to compose from")

    def _recipe(self, intent: Intent, lot: Draw) -> Recipe | Outcome:
        choices = {name: lot.one(f"choose {name}", values) for name, values in intent.choose.items()}
        names = [w for w in world_ids() if not intent.worlds or w in intent.worlds]
        recipe = Recipe(intent=intent.id, world=lot.one("world", names), binding={}, choices=choices)
        recipe = recipe.model_copy(update={"phrasing": int(lot.number("phrasing") * len(intent.phrasing))})
        try:
            binding = bind(intent.roles, verbs_needed(intent), self._allowed(), self._rank(lot))
            recipe = recipe.model_copy(update={"binding": binding})
            recipe = recipe.model_copy(update={"picks": drawn_picks(recipe, lot.seed)})
            recipe = self._with_rules(intent, recipe, lot)
            return self._with_traps(intent, recipe, lot)
        except Unbindable as error:
            return Outcome(recipe, rule="unbindable", atom=f"intent {intent.id}", detail=str(error))
        except (BadScene, BadExpression) as error:
            return Outcome(recipe, rule=_rule(str(error)), atom=f"intent {intent.id}", detail=str(error))

    def _allowed(self) -> frozenset[str]:
        """The apps to bind: all that are none too frequent, once there are enough environments to say so."""
        if self.wanted.apps:
            return self.wanted.apps
        total = sum(self.intents.values())
        if total < ENOUGH or self.wanted.intents:
            return frozenset(claims())
        return frozenset(slug for slug in claims() if self.apps[slug] < MOST_OF_AN_APP * total)

    def _rank(self, lot: Draw) -> Callable[[str], float]:
        total = max(1, sum(self.intents.values()))
        return lambda slug: self.apps[slug] / total + lot.number(f"app {slug}") / 8

    def _with_rules(self, intent: Intent, recipe: Recipe, lot: Draw) -> Recipe:
        if lot.number("ruled") >= RULED:
            return recipe
        known = {*intent.pick, *intent.let, *intent.compute, *intent.choose}
        fitting = [r for r in load_all(Rule).values() if set(r.tags) <= set(intent.tags) and set(r.needs) <= known]
        fitting = [r for r in fitting if self._suits(intent.id, f"rule {r.id}")]
        most = 2 if lot.number("two rules") < TWO_RULES else 1
        for rule in lot.rarest("rule", fitting, lambda r: self.rules[r.id]):
            if len(recipe.rules) == most:
                break
            if any(set(load(Rule, u.rule).set) & set(rule.set) for u in recipe.rules):
                continue  # two rules that set the same value would contradict each other
            try:
                recipe = self._with_rule(rule, recipe, lot)
            except (Unbindable, BadScene, BadExpression):
                continue
        return recipe

    def _with_rule(self, rule: Rule, recipe: Recipe, lot: Draw) -> Recipe:
        params = {name: lot.one(f"{rule.id} {name}", values) for name, values in rule.params.items()}
        choices = {name: lot.one(f"{rule.id} choose {name}", values) for name, values in rule.choose.items()}
        binding = {**recipe.binding, **self._more(rule.roles, recipe.binding, verbs_needed(rule), lot)}
        place, old, picks = "", dict[str, Any](), _drawn(rule.pick, recipe, lot, rule.id)
        if lot.number(f"{rule.id} published") < PUBLISHED:
            place, own = self._place(rule, recipe, binding, lot)
            picks = {**picks, **own}
        if place and lot.number(f"{rule.id} older") < OLDER:
            varied = [n for n, values in rule.params.items() if len(values) > 1]
            old = {
                n: lot.one(f"{rule.id} old {n}", [v for v in values if v != params[n]])
                if n in varied[:1]
                else params[n]
                for n, values in rule.params.items()
            }
            old = old if varied else {}
        use = RuleUse(rule=rule.id, params=params, place=place, old=old, choices=choices, picks=picks)
        made = recipe.model_copy(update={"binding": binding, "rules": (*recipe.rules, use)})
        reading = Scene(made).read()
        biting = next(a for a in reading.rules if a.atom.id == rule.id).bites
        if old and biting and _same(Scene(made), rule.id):
            made = made.model_copy(update={"rules": (*recipe.rules, use.model_copy(update={"old": {}}))})
        return made

    def _place(self, rule: Rule, recipe: Recipe, binding: dict[str, str], lot: Draw) -> tuple[str, dict[str, str]]:
        """A place for the rule's text, bound to an app in `binding`, and what the place itself picks."""
        places = [p for p in load_all(Place).values() if not rule.places or p.id in rule.places]
        for place in lot.rarest(f"{rule.id} place", places, lambda p: self.places[p.id] / 4):
            role = f"{rule.id}_place"
            try:
                binding[role] = bind(
                    {role: place.capability}, {role: set()}, self._allowed(), self._near(binding, lot)
                )[role]
                return place.id, _drawn(place.pick, recipe, lot, place.id)
            except (Unbindable, BadScene, BadExpression):
                binding.pop(role, None)
        return "", {}

    def _near(self, binding: Mapping[str, str], lot: Draw) -> Callable[[str], float]:
        """Ranks apps that the environment has already first, by lot; else the rare ones."""
        rank = self._rank(lot)
        return lambda slug: rank(slug) - (0.3 if slug in binding.values() else 0)

    def _more(
        self, roles: Mapping[str, str], binding: Mapping[str, str], verbs: Mapping[str, set[str]], lot: Draw
    ) -> dict[str, str]:
        """Apps for the roles that are not bound yet."""
        new = {name: what for name, what in roles.items() if name not in binding}
        return bind(new, verbs, self._allowed(), self._near(binding, lot)) if new else {}

    def _with_traps(self, intent: Intent, recipe: Recipe, lot: Draw) -> Recipe:
        if lot.number("trapped") >= TRAPPED:
            return recipe
        most = 2 if lot.number("two traps") < TWO_RULES else 1
        known = {*intent.pick, *intent.let, *intent.compute, *intent.choose}
        fitting = [t for t in load_all(Trap).values() if set(t.tags) <= set(intent.tags) and set(t.needs) <= known]
        fitting = [t for t in fitting if self._suits(intent.id, f"trap {t.id}")]
        for trap in lot.rarest("trap", fitting, lambda t: self.traps[t.id]):
            if len(recipe.traps) == most:
                break
            near = [n for n, p in intent.pick.items() if p.kind == trap.near and not p.many] if trap.near else [""]
            for name in near:
                made = self._with_trap(trap, name, recipe, lot)
                if made is not None:
                    recipe = made
                    break
        return recipe

    def _with_trap(self, trap: Trap, near: str, recipe: Recipe, lot: Draw) -> Recipe | None:
        choices = {name: lot.one(f"{trap.id} choose {name}", values) for name, values in trap.choose.items()}
        try:
            binding = {**recipe.binding, **self._more(trap.roles, recipe.binding, verbs_needed(trap), lot)}
            made = recipe.model_copy(
                update={"binding": binding, "traps": (*recipe.traps, TrapUse(trap=trap.id, near=near, choices=choices))}
            )
            names = Scene(recipe).read().names
            if not holds(trap.where, {**names, **choices, **({"it": names[near]} if near else {})}):
                return None
            scene = Scene(made)
            right, names_of = _told(scene.read()), {w.name for w in trap.wrong}
            wrong = [r for name, w, r in scene.wrong_readings() if name in names_of and w in trap.wrong]
            if not any(_told(reading) != right for reading in wrong):
                return None
        except (Unbindable, BadScene, BadExpression):
            return None
        return made


def _drawn(picks: Mapping[str, Pick], recipe: Recipe, lot: Draw, label: str) -> dict[str, str]:
    """What a rule or a place picks for itself, drawn from the world of the recipe."""
    if not picks:
        return {}
    scene = Scene(recipe)
    names, drawn = {**scene.read().names, "author": scene.author}, dict[str, str]()
    for name, pick in picks.items():
        if pick.key or pick.many:
            names.update(picked({name: pick}, {}, names, scene.seen))
            continue
        found = [e for e in scene.seen.all(pick.kind) if holds(pick.where, {**names, "it": e})]
        if not found:
            raise BadScene(f"data: {label}: no {pick.kind}")
        names[name] = lot.one(f"{label} {name}", found)
        drawn[name] = names[name].key
    return drawn


def _same(scene: Scene, rule: str) -> bool:
    """Whether a rule's older version would ask for the very same: then it misleads nobody."""
    return _told(scene.read()) == _told(scene.read(older=rule))


def _told(reading: Reading) -> list[Any]:
    """The steps of a reading with their values: what an agent that reads it so would do."""
    names = reading.names
    found = list[Any]()
    for act in reading.acts:
        if act.each:
            found.append(
                (act.do, [filled(act.args, {**names, "it": it, "number": 0}) for it in value_of(act.each, names)])
            )
        elif holds(act.when, names):
            found.append((act.do or act.tool, filled(act.args, names)))
    return found


def attempt(recipe: Recipe) -> Outcome:
    """Derives and proves a recipe. A fault of ours refuses it too, so that one does not end a long run; it is logged."""
    try:
        return _attempt(recipe)
    except Exception as error:
        log.error("composing %s failed", recipe.id, exc_info=error)
        return Outcome(recipe, rule="fault", atom=f"intent {recipe.intent}", detail=f"{type(error).__name__}: {error}")


def _attempt(recipe: Recipe) -> Outcome:
    try:
        environment = derive(recipe)
    except (BadScene, BadExpression) as error:
        return Outcome(recipe, rule=_rule(str(error)), atom=f"intent {recipe.intent}", detail=str(error))
    proof = prove(environment)
    if proof.proven:
        entry = entry_of(recipe, environment)
        return Outcome(recipe, entry, proof_line(entry, proof))
    bad = proof.failed[0]
    return Outcome(recipe, rule=bad.rule, atom=_at_fault(recipe, bad.name), detail=f"{bad.name}: {bad.detail}")


def entry_of(recipe: Recipe, environment: Environment) -> Entry:
    return Entry(
        id=recipe.id, title=environment.title, apps=environment.apps, difficulty=environment.difficulty,
        structure=structure(recipe, environment), recipe=recipe,
    )  # fmt: skip


def structure(recipe: Recipe, environment: Environment) -> str:
    """A hash of what two environments have in common that differ in entities only."""
    parts = [
        recipe.intent, *sorted(recipe.binding.items()), *((u.rule, u.place, bool(u.old)) for u in recipe.rules),
        *((u.trap, u.near) for u in recipe.traps), *((s.app, s.tool or s.verb) for s in environment.plan),
        *((g.kind, g.target) for g in environment.verifier.goal),
    ]  # fmt: skip
    return hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()


def _rule(detail: str) -> str:
    head = detail.partition(":")[0]
    return head if head in ("data", "binding", "trap", "footprint") or head.startswith("V") else "intent"


def _at_fault(recipe: Recipe, check: str) -> str:
    """The atom that a failed check points at: the trap or rule that it names, else the intent."""
    for use in recipe.traps:
        if any(wrong.name in check for wrong in load(Trap, use.trap).wrong):
            return f"trap {use.trap}"
    for use in recipe.rules:
        if load(Rule, use.rule).title in check:
            return f"rule {use.rule}"
    return f"intent {recipe.intent}"


def compose(
    composer: Composer, count: int, run: Callable[[Sequence[Recipe]], Iterable[Outcome]], batch: int = 32, most: int = 0
) -> Iterator[Outcome]:
    """Outcomes until `count` environments are accepted, or `most` recipes were drawn. `run` begins to derive and prove a batch; the
    next one is drawn meanwhile."""
    accepted, limit = 0, most or max(64, count * 8)
    running: Iterable[Outcome] = ()
    under_way = 0
    while accepted < count and (composer.drawn < limit or under_way):
        recipes = list[Recipe]()
        wanted = min(batch, count - accepted - under_way + 8)
        while len(recipes) < wanted and composer.drawn < limit:
            drawn = composer.draw()
            if isinstance(drawn, Outcome):
                yield drawn
            else:
                recipes.append(drawn)
        before, running, under_way = running, run(recipes) if recipes else (), len(recipes)
        for outcome in before:
            if outcome.entry is None:
                composer.refused(outcome)
                yield outcome
            elif accepted < count and _asked_for(outcome.entry, composer):
                composer.count(outcome.entry)
                accepted += 1
                yield outcome


def _asked_for(entry: Entry, composer: Composer) -> bool:
    return composer.wanted.difficulty in (0, entry.difficulty) and composer.admits(entry)


__all__ = ["Composer", "Outcome", "Wanted", "attempt", "compose", "structure"]
