"""Acceptance: what a patch has to stand before it becomes part of the fleet. The functions at the top run in a nursery's child."""

import ast
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from legoenv_mcp import lint as rules
from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.controller import catalogue, environments
from legoenv_mcp.controller.atoms import FOLDERS, BadFile, load_all
from legoenv_mcp.controller.derive import outline
from legoenv_mcp.controller.expressions import BadExpression
from legoenv_mcp.controller.plans import PlanError
from legoenv_mcp.controller.scene import BadScene
from legoenv_mcp.evolve import fleet
from legoenv_mcp.evolve.fleet import Edit
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.kernel.operations import kinds_of
from legoenv_mcp.lint.atom_rules import check_atom

TESTS = Path(__file__).resolve().parents[2] / "tests" / "apps"
"""A checkout's tests of its apps; an installed package has none."""
STUDS = tuple(TESTS.parent / "fleet" / name for name in ("test_verbs.py", "test_capabilities.py"))
"""Its tests of what apps of a capability have in common: that each verb works, and that views show what was filled."""
FUZZ = 120


def lint(atom: str) -> list[str]:
    """What the lint rules have against an atom as it is now: errors, one line each."""
    kind, _, name = atom.partition(" ")
    if kind == "server":
        findings, _, _ = rules.run([name])
        return sorted({f"{f.app} {f.tool} {f.rule}: {f.message}" for f in findings if f.level == "error"})
    if kind == "data":
        try:
            worlds.load(name)
        except worlds.WorldError as error:
            return [str(error)]
        return []
    models = [m for m, folder in FOLDERS.items() if folder == fleet.FOLDERS[kind] or kind == "verifier"]
    try:
        return sorted(line for model in models if name in load_all(model) for line in check_atom(model, name))
    except BadFile as error:
        return [str(error)]


def fuzz(slug: str, tool: str, calls: Sequence[Mapping[str, Any]], param: str = "", environment: str = "") -> list[str]:
    """What goes wrong when an operation is called in many ways: an internal error, a read that writes, a second run that differs, or
    a `param` that makes no difference whatever it is, where the calls' own environment begins."""
    bad = list[str]()
    operation = registry.load(slug).operations.get(tool)
    if operation is None:
        return [f"{slug} has no operation {tool}"]
    for arguments in [*calls, *_strange(operation.input_schema, calls)][:FUZZ]:
        replies = list[tuple[int, Any]]()
        for _ in range(2):
            episode = templates.episode([slug], templates.DEFAULT_WORLD, "fuzz")
            reply = episode.call(slug, tool, arguments)
            replies.append((reply.status, reply.body))
            if operation.reads and episode.changes():
                bad.append(f"{tool} is a read and writes")
        if replies[0][0] >= 500:
            bad.append(f"{tool} answers {replies[0][0]} to {str(arguments)[:120]}")
        if replies[0] != replies[1]:
            bad.append(f"{tool} answers differently the second time to {str(arguments)[:120]}")
        if len(bad) > 3:
            break
    if param and not bad and calls:
        bad += _idle(slug, tool, dict(calls[0]), param, environment)
    return list(dict.fromkeys(bad))


def _idle(slug: str, tool: str, arguments: dict[str, Any], param: str, environment: str) -> list[str]:
    """A parameter is idle where what callers give, and a nonsensical value, give what no value gives."""
    without = {k: v for k, v in arguments.items() if k != param}
    if _outcome(slug, tool, arguments, environment)[0] >= 400:
        return []  # the call is about what earlier calls make: it tells nothing here
    plain = _outcome(slug, tool, without, environment)
    tried = [arguments, *_nonsense(arguments, param)]
    same = all(_outcome(slug, tool, one, environment) == plain for one in tried)
    return [f"{tool}: {param} makes no difference"] if same else []


def unheeded(slug: str, tool: str, calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """The arguments that an operation does not look at: whatever they are in any of these calls (`environment`, `arguments`), it does and
    answers the same."""
    told = dict[str, bool]()
    for call in calls:
        arguments, environment = call["arguments"], call["environment"]
        plain = _outcome(slug, tool, arguments, environment)
        for name in [n for n, v in arguments.items() if plain[0] < 400 and v not in ([], {}, "", None)]:
            same = all(_outcome(slug, tool, o, environment) == plain for o in _nonsense(arguments, name))
            told[name] = told.get(name, True) and same
    return [name for name, same in told.items() if same]


def _outcome(slug: str, tool: str, arguments: Mapping[str, Any], environment: str) -> tuple[int, Any, Any]:
    episode = _beginning(slug, environment)
    reply = episode.call(slug, tool, arguments)
    return reply.status, reply.body, [c.as_json() for c in episode.changes()]


def _nonsense(arguments: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Calls with what no caller means in place of one argument; of a list or an object, without it."""
    value = arguments[name]
    if isinstance(value, (list, dict)):
        return [{k: v for k, v in arguments.items() if k != name}]
    others = {bool: [not value], int: [-987654], float: [-987654.5], str: ["qzx-none"]}.get(type(value), [value])
    return [{**arguments, name: other} for other in others]


def judged(environment: str, calls: Sequence[Mapping[str, Any]], answer: str | None) -> str:
    """What the verifier makes of a run of these calls: `passed`, `failed`, or another outcome of a verdict."""
    made = environments.load(environment)
    episode = made.episode()
    for call in calls:
        episode.call(call["app"], call["tool"], call["arguments"])
    return made.grade(episode, answer).outcome


def _beginning(slug: str, environment: str) -> Episode:
    """An episode as the environment's begin, as far as it can be derived; else one of the default world."""
    entry = catalogue.entries().get(environment)
    if entry is not None:
        with contextlib.suppress(BadScene, BadExpression, BadFile, LookupError, worlds.WorldError, PlanError):
            found = outline(entry.recipe)
            if slug in found.apps:
                return templates.episode(
                    found.apps, entry.recipe.world, entry.recipe.id, None, tuple(found.scene.added)
                )
    return templates.episode([slug], templates.DEFAULT_WORLD, "fuzz")


def _strange(schema: Mapping[str, Any], calls: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Calls that are wrong or rare: nothing, one argument left out, each argument by each of many values."""
    base = dict(calls[0]) if calls else {}
    yield {}
    for name in base:
        yield {k: v for k, v in base.items() if k != name}
    properties = schema.get("properties", {})
    for name, shape in properties.items():
        kinds = kinds_of(shape)
        for value in (
            "",
            "0",
            "x" * 300,
            "Ω\u202e",
            0,
            -1,
            2**62,
            1.5,
            True,
            None,
            [],
            [""],
            {},
            {"id": None},
            *shape.get("enum", ()),
        ):
            if not kinds or isinstance(value, str) == ("string" in kinds) or value is None:
                yield {**base, name: value}
    yield {**base, "no_such_parameter": 1}


# In the process that decides


@dataclass(frozen=True)
class Tested:
    """Which of an app's tests failed, which ran, and which of them call the operation in question."""

    ran: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()

    def of(self, names: frozenset[str]) -> tuple[int, int]:
        """How many of these tests ran, and how many passed."""
        mine = {t for t in self.ran if t.partition("[")[0] in names}
        return len(mine), len(mine - self.failed)


def tests_of(slug: str) -> list[Path]:
    """The app's own tests, as far as a checkout has them: a module, or a folder of them."""
    return [p for p in (TESTS / f"test_{slug}.py", *sorted((TESTS / slug).glob("test_*.py"))) if p.is_file()]


def naming(slug: str, tool: str) -> frozenset[str]:
    """The tests that name a tool."""
    found = set[str]()
    for path in tests_of(slug):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
                body = ast.get_source_segment(text, node) or ""
                if re.search(rf"\b{re.escape(tool)}\b", body):
                    found.add(f"{path.stem}::{node.name}")
    return frozenset(found)


def run_tests(slug: str, edits: Sequence[Edit], only: frozenset[str] | None = None) -> Tested:
    """Runs the app's own tests, or only some, and those of its capabilities, with a patch laid over the fleet. Nothing runs where there
    are none."""
    files = tests_of(slug)
    names = [p.stem for p in files]
    if only is not None:
        files = [p for p in files if any(t.startswith(f"{p.stem}::") for t in only)]
        names = sorted({t.partition("::")[2] for t in only})
    files += [p for p in STUDS if p.is_file()]
    if not files:
        return Tested()
    with tempfile.TemporaryDirectory(prefix="legoenv-tests-") as name:
        home = Path(name)
        seen = fleet.lay_over(edits, home)
        (home / "cache").mkdir()
        fleet.link_cache(home / "cache")
        report = home / "report.xml"
        env = {**os.environ, **seen, "LEGOENV_CACHE": str(home / "cache")}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--no-header",
            "--tb=no",
            "-k",
            " or ".join([*names, f"[{slug}-"]),
            "-m",
            "not sdk and not node and not docker",
            f"--junitxml={report}",
            *map(str, files),
        ]
        subprocess.run(
            command, cwd=TESTS.parent.parent, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )
        return _read(report)


def _read(report: Path) -> Tested:
    if not report.is_file():
        return Tested()
    ran, failed = set[str](), set[str]()
    for case in xml.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name', '')}"
        if case.find("skipped") is not None:
            continue
        ran.add(name)
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(name)
    return Tested(frozenset(ran), frozenset(failed))
