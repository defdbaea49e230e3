"""Signals: what stands between an environment and its proof, seen by deriving, playing and proving it. Runs in a nursery's child."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.controller import catalogue, environments
from legoenv_mcp.controller.atoms import BadFile, Intent, Pick, load
from legoenv_mcp.controller.catalogue import Entry
from legoenv_mcp.controller.derive import Outline, outline
from legoenv_mcp.controller.environment import Environment, Step
from legoenv_mcp.controller.expressions import BadExpression
from legoenv_mcp.controller.kinds import kind
from legoenv_mcp.controller.plans import Done, MissingTool, PlanError, making, play, steps
from legoenv_mcp.controller.prove import Proof, prove
from legoenv_mcp.controller.scene import BadScene
from legoenv_mcp.evolve.diagnosis import UNKNOWN
from legoenv_mcp.kernel.context import entity_name
from legoenv_mcp.kernel.operations import InvalidArguments
from legoenv_mcp.verify import State, Verifier, grade

Signal = dict[str, Any]
"""`kind` and `detail`, and what that kind has beside them: see the functions below."""
MOST_TEXT = 400


def examine(ids: Sequence[str], calls: bool = False) -> list[dict[str, Any]]:
    """Each environment's standing: whether it is proven, and if not, the signals why. With `calls`, what its plan calls."""
    entries = catalogue.entries()
    return [_examined(name, entries.get(name), calls) for name in ids]


def look(ids: Sequence[str]) -> list[dict[str, Any]]:
    """As `examine`, but only by outlining and playing, which costs a tenth of a proof: `proven` stays false, and `signals` may be empty."""
    entries = catalogue.entries()
    return [
        {"id": n, "proven": False, "signals": _signals(entries.get(n), None), **rests_on(entries.get(n))} for n in ids
    ]


def _examined(name: str, entry: Entry | None, calls: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"id": name, "proven": False, "signals": [], **rests_on(entry)}
    try:
        environment = environments.load(name)
        proof = prove(environment)
        found["proven"] = proof.proven
        if proof.proven:
            found["proof"] = proof.as_json()
        else:
            found["signals"] = [*_signals(entry, environment), *_checks(proof, environment)]
        if calls:
            found["calls"] = _calls(environment)
    except MissingTool as error:  # out of a footprint's play, too
        found["signals"] = _signals(entry, None) or [_missing(error)]
    except (environments.UnknownEnvironment, BadScene, BadExpression, BadFile, PlanError, worlds.WorldError) as error:
        found["signals"] = [*_signals(entry, None), _told("underivable", str(error))]
    except Exception as error:  # noqa: BLE001 - an app may be broken in any way, and that is a signal
        found["signals"] = [*_signals(entry, None), _told("fault", f"{type(error).__name__}: {error}")]
    return found


def rests_on(entry: Entry | None) -> dict[str, Any]:
    if entry is None:
        return dict(UNKNOWN)
    recipe = entry.recipe
    return {
        "intent": recipe.intent,
        "apps": list(entry.apps),
        "rules": list(entry.rules),
        "traps": list(entry.traps),
        "places": [u.place for u in recipe.rules if u.place],
        "world": recipe.world,
        "binding": recipe.binding,
        "phrasing": recipe.phrasing,
    }


def _told(kind: str, detail: str, **more: Any) -> Signal:
    return {"kind": kind, "detail": detail[:MOST_TEXT], **more}


def _calls(environment: Environment) -> list[dict[str, Any]]:
    run = play(environment.plan, environment.episode())
    return [
        {
            "app": d.step.app,
            "tool": d.tool,
            "arguments": d.arguments,
            "verb": d.step.verb,
            "step": d.step.step,
            "status": d.status,
        }
        for d in run.done
    ]


# From playing


def _signals(entry: Entry | None, environment: Environment | None) -> list[Signal]:
    try:
        return _seen(entry, environment)
    except Exception as error:  # noqa: BLE001 - an app may be broken in any way, and that is a signal
        return [_told("fault", f"{type(error).__name__}: {error}")]


def _seen(entry: Entry | None, environment: Environment | None) -> list[Signal]:
    try:
        if entry is None:
            return [] if environment is None else list(_played(environment.plan, environment, None))
        found = outline(entry.recipe)
    except (BadScene, BadExpression, BadFile, LookupError, worlds.WorldError, PlanError) as error:
        told = _scene_told(entry, error)
        return [told, *(_behind(entry, told) if entry and told["kind"] == "unlike" else ())]
    return [*(_tie(found, t) for t in found.ties), *_played(found.plan, environment, found)]


def _scene_told(entry: Entry | None, error: Exception) -> Signal:
    text = str(error)
    if isinstance(error, worlds.WorldError):
        return _told("world", text)
    absent = re.match(r"data: (\w+): no ([\w.]+) '([^']+)'", text)
    if absent:
        return _told(
            "absent", text, pick=absent[1], entity=absent[2], key=absent[3], world=entry.recipe.world if entry else ""
        )
    if unlike := re.match(r"data: (\w+): (\S+) is not as ", text):
        return _told("unlike", text, pick=unlike[1], key=unlike[2], world=entry.recipe.world if entry else "")
    if few := re.match(r"data: (\w+): (\d+) ([\w.]+) match, at least (\d+) must", text):
        return _told("few", text, pick=few[1], entity=few[3], world=entry.recipe.world if entry else "")
    return _told("scene", text)


def _behind(entry: Entry, unlike: Signal) -> Iterator[Signal]:
    """Why an entity may no longer be as its pick says: another is called the same, or one that the task is about as well is gone."""
    recipe, picks = entry.recipe, load(Intent, entry.recipe.intent).pick
    every = {name: worlds.load(recipe.world).entities(kind(pick.kind)) for name, pick in picks.items()}
    name, pick = unlike["pick"], picks.get(unlike["pick"])
    ours = next((e for e in every.get(name, ()) if e.key == unlike["key"]), None)
    if pick is not None and pick.by and ours is not None and (same := _called_alike(pick, ours, every[name])):
        text = f"{name}: {len(same) + 1} {pick.kind} have the same {', '.join(pick.by)}"
        yield _told_tie(text, name, pick, ours, same, recipe.world)
    for other, key in recipe.picks.items():
        if other in picks and key not in {e.key for e in every[other]}:
            text = f"data: {other}: no {picks[other].kind} {key!r} in {recipe.world}"
            yield _told("absent", text, pick=other, entity=picks[other].kind, key=key, world=recipe.world)


def _tie(found: Outline, text: str) -> Signal:
    name = text.partition(":")[0]
    pick, ours = found.scene.intent.pick[name], found.reading.names[name]
    same = _called_alike(pick, ours, found.scene.seen.all(pick.kind))
    return _told_tie(text, name, pick, ours, same, found.scene.recipe.world)


def _called_alike(pick: Pick, ours: Entity, among: Iterable[Entity]) -> list[str]:
    """The others that the same words point at."""

    def said(e: Entity) -> list[str]:
        return [str(getattr(e, f)).casefold() for f in pick.by]

    return [e.key for e in among if e.key != ours.key and said(e) == said(ours)]


def _told_tie(text: str, name: str, pick: Pick, ours: Entity, same: list[str], world: str) -> Signal:
    told = {"pick": name, "entity": pick.kind, "by": list(pick.by), "key": ours.key, "others": same, "world": world}
    return _told("tie", text, **told)


def _played(plan: Sequence[Step], environment: Environment | None, found: Outline | None) -> Iterator[Signal]:
    """Plays the plan and tells of the first call that goes wrong, or of the goals that are not met in the end."""
    if environment is not None:
        episode = environment.episode()
    elif found is not None:
        recipe = found.scene.recipe
        episode = templates.episode(found.apps, recipe.world, recipe.id, None, tuple(found.scene.added))
    else:
        return
    going, last = steps(plan, making(episode)), None
    try:
        step, tool, arguments = next(going)
        while True:
            live = episode.app(step.app)
            if tool not in live.app.operations or not live.app.operations[tool].mcp:
                yield _missing(MissingTool(step, tool, arguments))
                return
            reply = live.call(tool, arguments)
            last = Done(step, tool, arguments, reply.status, reply.body)
            if reply.status >= 400:
                yield from _refused(last)
                return
            step, tool, arguments = going.send((reply.status, reply.body))
    except StopIteration:
        pass
    except PlanError as error:
        yield _plan_told(error, last)
        return
    if found is not None and found.goals:
        verdict = grade(Verifier(select=found.selected, goal=tuple(found.goals)), State(episode, found.apps), None)
        changed = [c.as_json() for c in episode.changes()]
        for one in verdict.assertions:
            if not one.passed and one.name != "frame":
                goal = next(g for g in found.goals if g.name == one.name)
                yield _told(
                    "unmet",
                    f"{one.name}: {one.detail}",
                    goal=one.name,
                    target=goal.target,
                    how=goal.kind,
                    row=goal.row,
                    selects={n: s.model_dump(by_alias=True) for n, s in found.selected.items()},
                    wanted=_plain({**goal.fields, **goal.to}),
                    changed=_plain(changed)[:12],
                    calls=[{"app": s.app, "verb": s.verb or s.tool} for s in plan],
                )


def _missing(error: MissingTool) -> Signal:
    step = error.step
    return _told(
        "unknown_tool",
        str(error),
        app=step.app,
        tool=error.tool,
        arguments=_plain(error.arguments),
        verb=step.verb or step.tool,
        step=step.step,
    )


def _refused(done: Done) -> Iterator[Signal]:
    """A call answered 4xx or 5xx: what its arguments have that the signature does not know, else the refusal itself."""
    operation = registry.load(done.step.app).operations[done.tool]
    common = {
        "app": done.step.app,
        "tool": done.tool,
        "arguments": _plain(done.arguments),
        "verb": done.step.verb or done.tool,
        "step": done.step.step,
        "status": done.status,
    }
    try:
        operation.validate(operation.tool_arguments(done.arguments))
    except InvalidArguments as error:
        for p in error.problems:
            yield _told(
                "bad_argument",
                f"{done.step.app}.{done.tool}: {'.'.join(map(str, p.path))}: {p.message}",
                path=[str(x) for x in p.path],
                problem=p.kind,
                value=_plain(p.value),
                **common,
            )
        return
    yield _told(
        "refused", f"{done.step.app}.{done.tool}: {done.status} {json.dumps(done.body, default=str)[:200]}", **common
    )


def _plan_told(error: PlanError, last: Done | None) -> Signal:
    text = str(error)
    absent = re.search(r"KeyError: '([^']+)'", text) or re.search(r"there is no '([^']+)' in what", text)
    if absent and last is not None:
        return _told(
            "missing_field",
            text,
            field=absent[1],
            app=last.step.app,
            tool=last.tool,
            arguments=_plain(last.arguments),
            verb=last.step.what,
            reply=_plain(last.body) if len(json.dumps(last.body, default=str)) < 4000 else None,
        )
    more = (
        {}
        if last is None
        else {"app": last.step.app, "tool": last.tool, "verb": last.step.what, "arguments": _plain(last.arguments)}
    )
    return _told("plan", text, **more)


# From the proof


def _checks(proof: Proof, environment: Environment) -> Iterator[Signal]:
    for check in proof.failed:
        more: dict[str, Any] = {}
        if check.rule == "V13":
            more["lost"] = [_literal(v) for v in re.split(r", (?=['\d])", check.detail)]
            more["origins"] = _origins(environment, more["lost"])
        if check.end:
            more["end"] = _plain(check.end)
        if check.rule == "V4" or "step 'stray " in check.detail:
            yield from _strayed(environment)
        yield _told(
            "check", f"{check.name}: {check.detail}", rule=check.rule, name=check.name, said=check.detail[:2000], **more
        )


def _strayed(environment: Environment) -> Iterator[Signal]:
    """What stray writes are refused for, once for each tool: too few of them may be left to prove anything with."""
    seen = set[tuple[str, str]]()
    for stray in environment.stray:
        try:
            run = play((*environment.plan, stray), environment.episode())
        except MissingTool as error:
            if (stray.app, error.tool) not in seen:
                yield _missing(error)
            seen.add((stray.app, error.tool))
            continue
        except PlanError:
            continue
        for done in [d for d in run.of(stray) if d.status >= 400 and (stray.app, d.tool) not in seen]:
            seen.add((stray.app, done.tool))
            yield from _refused(done)


def _literal(text: str) -> str:
    return text[1:-1] if text[:1] in "'\"" else text


def _origins(environment: Environment, lost: Sequence[str]) -> list[str]:
    """`pick.field` of what the lost values are."""
    entry = catalogue.entries().get(environment.id)
    if entry is None:
        return []
    names = outline(entry.recipe).reading.names
    found = list[str]()
    for name, value in names.items():
        if isinstance(value, Entity):
            found += [f"{name}.{f}" for f, v in value.model_dump().items() if str(v) in lost]
        elif isinstance(value, (str, int, float)) and str(value) in lost:
            found.append(name)
    return found


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


# Work for other modules' jobs


def entity_kinds(slug: str) -> list[str]:
    """The canonical kinds that an app fills."""
    return [entity_name(kind) for kind in templates.filled_by(registry.load(slug))]
