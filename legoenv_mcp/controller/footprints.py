"""Footprints: which rows a task's verbs change, learnt from the same steps played on other entities.

The frame of an environment must not be read off its own reference run, or every mistake of the plan would be a mistake of the
verifier. So the steps are played with other picks (in the same world, else in another), the changed rows are described by what they
have in common (`charge` is the payment that was refunded), and the description is filled in with this environment's picks.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, get_args

from pydantic import BaseModel

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.controller.atoms import Intent, load
from legoenv_mcp.controller.environment import Step
from legoenv_mcp.controller.expressions import holds, value_of
from legoenv_mcp.controller.plans import PlanError, play
from legoenv_mcp.controller.recipes import Recipe, draw
from legoenv_mcp.controller.scene import (
    BadScene,
    Reading,
    Scene,
    base_names,
    candidates,
    picked,
    world_ids,
    world_names,
)
from legoenv_mcp.kernel.context import entity_name
from legoenv_mcp.kernel.diff import Change
from legoenv_mcp.kernel.episode import Template
from legoenv_mcp.kernel.store import read_keys
from legoenv_mcp.verify.heads import heads
from legoenv_mcp.verify.model import Allow

_ID_ENDINGS = ("id", "key", "gid", "sid", "number", "thread", "payment_intent", "charge", "customer", "parent")
# Of what is part of a new thing, whose word it is the goals say: a new ticket's first note may be ours or its requester's.
_WHOSE = ("author_id",)
_ASKING = ("list_", "get_", "find_", "search_", "read_", "query_", "describe_", "download_", "check_")
SAMPLES = 3
TRIES = 24
MOST_BLOCKS = 60

Steps = Callable[[Scene, Reading], list[Step]]
Labels = dict[str, set[str]]


@dataclass
class Group:
    """Changes of one kind to one table: how many there were in each sample, which columns, what each row's columns were equal to."""

    app: str
    table: str
    kind: str
    counts: dict[int, int] = field(default_factory=dict[int, int])
    columns: set[str] = field(default_factory=set[str])
    matches: dict[str, list[set[str]]] = field(default_factory=dict[str, list[set[str]]])
    numeric: set[str] = field(default_factory=set[str])
    inside: set[str] | None = None
    rows: int = 0


@dataclass(frozen=True)
class Sample:
    """The steps played on other entities: which, what changed, what may be said of it, how long the task's lists were."""

    picks: tuple[tuple[str, str], ...]
    world: str
    changes: list[Change]
    labels: Labels
    size: int


def footprint(scene: Scene, here: Reading, steps_of: Steps) -> list[Allow]:
    """What the steps may change, for the picks of this scene. BadScene where they succeed on no other entities."""
    recipe = scene.recipe
    rules = tuple(use.model_copy(update={"place": ""}) for use in recipe.rules)
    # What a verb changes is the app's, not the world's: the samples of all worlds are taken in one, and shared.
    home = (scene.intent.worlds or world_ids())[0]
    bare = recipe.model_copy(update={"traps": (), "phrasing": 0, "rules": rules, "picks": {}, "world": home})
    samples, reasons = _samples(
        bare.model_dump_json(), tuple((a.atom.id, a.bites) for a in here.rules), _taken(here), steps_of
    )
    own = (tuple(sorted(recipe.picks.items())), recipe.world)
    others = [s for s in samples if (s.picks, s.world) != own][:SAMPLES]
    if not others:
        raise BadScene(f"footprint: the steps succeed on no other entities: {reasons}")
    groups = dict[tuple[str, ...], Group]()
    for number, sample in enumerate(others):
        made = {(c.app, c.key) for c in sample.changes if c.kind == "insert"}
        for change in sample.changes:
            _note(groups, number, change, sample.labels, made)
    for group in groups.values():
        for number in range(len(others)):
            group.counts.setdefault(number, 0)
    labels, size = _labels(scene, here), _size(here)
    return [a for g in groups.values() for a in _allow(g, labels, [s.size for s in others], size)]


@lru_cache(maxsize=512)
def _samples(
    recipe_json: str, bites: tuple[tuple[str, bool], ...], taken: tuple[bool, ...], steps_of: Steps
) -> tuple[list[Sample], str]:
    """One sample more than is needed, since one may turn out to be of the very entities that are asked for; and why others failed."""
    found, reasons = list[Sample](), list[str]()
    for other in _siblings(Recipe.model_validate_json(recipe_json)):
        picks = tuple(sorted(other.picks.items()))
        if any((s.picks, s.world) == (picks, other.world) for s in found):
            continue
        try:
            scene = Scene(other, force=dict(bites))
            reading = scene.read()
            if _taken(reading) != taken:
                continue
            slugs = tuple(dict.fromkeys(other.binding.values()))
            own = tuple(scene.added)
            episode = templates.episode(slugs, other.world, f"footprint {len(found)}", added=own)
            run = play(steps_of(scene, reading), episode)
        except (BadScene, PlanError) as error:
            reasons.append(str(error))
            continue
        if run.failed:
            bad = run.failed[0]
            reasons.append(f"{bad.step.what}: {bad.status} {str(bad.body)[:160]}")
            continue
        found.append(Sample(picks, other.world, episode.changes(), _labels(scene, reading), _size(reading)))
        if len(found) > SAMPLES:
            break
    return found, "; ".join(dict.fromkeys(reasons))[:400]


def _taken(reading: Reading) -> tuple[bool, ...]:
    """Which of the steps that depend on a condition are taken: others that go another way leave another footprint."""
    return tuple(holds(a.when, reading.names) for a in reading.acts if a.when and not a.each)


def _siblings(recipe: Recipe) -> Iterator[Recipe]:
    """The same task about other entities, in this world and then in others."""
    for world_id in (recipe.world, *(w for w in world_ids() if w != recipe.world)):
        bare = recipe.model_copy(update={"world": world_id})
        for number in range(TRIES):
            try:
                yield bare.model_copy(update={"picks": drawn_picks(bare, str(number))})
            except BadScene:
                continue


def drawn_picks(recipe: Recipe, seed: str) -> dict[str, str]:
    """Picks drawn for a recipe, by a seed. BadScene where the world has none for one of them."""
    intent, seen = load(Intent, recipe.intent), world_names(recipe.world)
    names: dict[str, Any] = {**base_names(seen.world, seen), **recipe.choices}
    drawn = dict[str, str]()
    for name, pick in intent.pick.items():
        if pick.key or pick.many:
            names.update(picked({name: pick}, {}, names, seen))
            continue
        found = candidates(pick, names, seen)
        if not found:
            raise BadScene(f"data: {name}: no {pick.kind} in {recipe.world} is as {pick.where!r} says")
        chosen = found[draw(f"{name}/{seed}", len(found))]
        drawn[name], names[name] = chosen.key, chosen
    return drawn


def _size(reading: Reading) -> int:
    """How often the task's repeated steps are done: what is done for each of many leaves that many rows. Reading leaves none."""
    repeated = [act for act in reading.acts if act.each]
    doing = [act for act in repeated if not act.name.startswith(_ASKING)]
    return max((len(value_of(act.each, reading.names)) for act in doing or repeated), default=1)


def _labels(scene: Scene, reading: Reading) -> Labels:
    """What may be said of a row's column: it is a pick's id in an app, or a value of the pick's own row."""
    found: Labels = {}
    for slug in dict.fromkeys(scene.recipe.binding.values()):
        template = templates.extended(slug, scene.recipe.world, tuple(scene.added))
        for name, value in reading.names.items():
            many = isinstance(value, tuple)
            for entity in value if many else (value,):
                if isinstance(entity, Entity):
                    for label, text in _facts(template, name, entity, rows=not many):
                        found.setdefault(f"{slug}/{label}", set()).add(text)
    return found


def _facts(template: Template, name: str, entity: Entity, *, rows: bool) -> Iterator[tuple[str, str]]:
    kind = entity_name(type(entity))
    entity_id = template.refs.get(kind, {}).get(entity.key)
    if entity_id is None:
        return
    yield name, entity_id
    place = heads(template).get(kind, {}).get(entity_id)
    if place is None:
        return
    table, key = place
    if len(key) == 1 and str(key[0]) != entity_id:
        yield f"{name}.{template.app.shapes[table].key[0]}", str(key[0])
    if len(key) == 1:
        yield from _parts(template, name, type(entity), table, key[0])
    if not rows:
        return
    values = read_keys(template.connection, template.app.shapes, [place])[place]
    for column, value in (values or {}).items():
        if isinstance(value, (str, int)) and _names_something(column, str(value)):
            yield f"{name}.{column}", str(value)


def _parts(template: Template, name: str, kind: type[Entity], table: str, key: Any) -> Iterator[tuple[str, str]]:
    """What may be said of the rows of an entity's parts, as a product's variants: their keys, and what they name (where a variant lies
    in stock). A row that is the only one of its kind to refer to the entity is as good as a part: the attempt to collect an invoice."""
    own = {place[0] for ids in heads(template).values() for place in ids.values()}
    for child, shape in template.app.shapes.items():
        column = next((c for c, whole in shape.references.items() if whole == table), None)
        if column is None or child in own:
            continue
        rows = template.connection.execute(f'{shape.select} WHERE "{column}" = ?', (key,)).fetchall()
        if len(rows) != 1 and child not in _part_names(kind):
            continue
        for raw in rows:
            for named, value in shape.decode(raw).items():
                keys = shape.key if len(shape.key) == 1 else ()
                if (
                    named != column
                    and isinstance(value, (str, int))
                    and (named in keys or _names_something(named, str(value)))
                ):
                    yield f"{name}>{child}.{named}", str(value)


@cache
def _part_names(kind: type[Entity]) -> frozenset[str]:
    """What an entity consists of besides its own values: `variant` for the list of records `variants`."""
    parts = {name: get_args(field.annotation)[:1] for name, field in kind.model_fields.items()}
    return frozenset(
        name.removesuffix("s")
        for name, of in parts.items()
        if of and isinstance(of[0], type) and issubclass(of[0], BaseModel)
    )


def _names_something(column: str, value: str) -> bool:
    """Whether a column's value is another thing's id, and not an amount or a state that is equal by chance."""
    return column.endswith(_ID_ENDINGS) and 3 <= len(value) <= 80 and any(c.isdigit() for c in value)


def _note(
    groups: dict[tuple[str, ...], Group],
    sample: int,
    change: Change,
    labels: Labels,
    made: set[tuple[str, tuple[Any, ...]]],
) -> None:
    row = (change.after if change.kind == "insert" else change.before) or {}
    said = {
        column: {
            label for label, values in labels.items() if label.startswith(f"{change.app}/") and str(value) in values
        }
        for column, value in row.items()
        if isinstance(value, (str, int)) and not isinstance(value, bool)
    }
    keys = (
        tuple(sorted({label for part in change.key for label in _of(labels, change.app, part)}, key=_of_parts)[:1])
        if change.kind != "insert"
        else ()
    )
    group = groups.setdefault(
        (change.app, change.table, change.kind, *keys), Group(change.app, change.table, change.kind)
    )
    group.counts[sample] = group.counts.get(sample, 0) + 1
    group.rows += 1
    within = {
        c for c, v in row.items() if isinstance(v, (str, int)) and (change.app, (v,)) in made and (v,) != change.key
    }
    group.inside = within if group.inside is None else group.inside & within
    if change.kind == "update":
        group.columns |= set(change.columns)
    group.numeric |= {column for column, value in row.items() if isinstance(value, int)}
    for column, found in said.items():
        group.matches.setdefault(column, []).append(found)


def _of(labels: Labels, app: str, part: Any) -> set[str]:
    return {label for label, values in labels.items() if label.startswith(f"{app}/") and str(part) in values}


def _allow(group: Group, labels: Labels, sizes: Sequence[int], size: int) -> Iterator[Allow]:
    most, sample_size = max(group.counts.values()), max(sizes)
    if len(set(group.counts.values())) == 1 and (len(set(sizes)) > 1 or most < sample_size):
        pass  # as many however long the lists are: not one for each of them
    elif size > sample_size:
        most = -(-most * size // sample_size)
    elif size < sample_size:
        # What is left over when the rows are shared out among them was made once, as a table's heading.
        each, once = divmod(most, sample_size)
        most = max(1, -(-most * size // sample_size), each * size + once)
    fields = dict[str, Any]()
    for column, found in group.matches.items():
        if len(found) != group.rows or not all(found):
            continue
        if group.kind == "insert" and group.inside and column in _WHOSE:
            continue
        common = set[str].intersection(*found)
        chosen = [min(common, key=_rank)] if common else sorted({min(f, key=_rank) for f in found}, key=_rank)
        if any(label not in labels for label in chosen):
            continue
        values = sorted({v for label in chosen for v in labels[label]})
        if column in group.numeric:
            values = [int(v) for v in values]
        fields[column] = values[0] if len(values) == 1 else {"one_of": values}
    if group.kind != "insert":
        # A changed row is told by its key where that can be said; what else it held is no condition.
        identity = {c: v for c, v in fields.items() if c in ("id", "sid", "gid", "key", "number")} or fields
        if not identity:
            raise BadScene(f"footprint: nothing of the task tells which row of {group.app}.{group.table} may change")
        fields = identity
    whose_is_free = any(column in _WHOSE for column in group.matches)
    inside = min(group.inside or {""}) if group.kind == "insert" and (_is_text(group) or whose_is_free) else ""
    if group.kind == "insert" and _is_text(group):
        most = MOST_BLOCKS
    yield Allow.model_validate(
        {
            group.kind: f"{group.app}.{group.table}", "with": fields, "inside": inside,
            "columns": tuple(sorted(group.columns)), "max": most,
            "optional": min(group.counts.values()) == 0,
        }
    )  # fmt: skip


def _rank(label: str) -> tuple[int, str]:
    """The id of a pick says more than a column of its row that happens to be equal, and that more than one of its parts."""
    return label.count(".") + 2 * label.count(">"), label


def _of_parts(label: str) -> tuple[bool, str]:
    return ">" in label, label


def _is_text(group: Group) -> bool:
    """Whether the rows are what a document's text is made of: how many paragraphs it takes is the writer's choice, goals read the text."""
    provider = registry.load(group.app).provides.get("docs_notes")
    if provider is None:
        return False
    tables = {table for ids in heads(templates.template(group.app)).values() for table, _ in ids.values()}
    return group.table not in tables
