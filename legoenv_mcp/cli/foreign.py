"""`legoenv eval --benchmark`: what its words mean, and what is said of a benchmark's groups at the end."""

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from legoenv_mcp.cli.errors import Failure, Usage
from legoenv_mcp.cli.output import table

if TYPE_CHECKING:
    from legoenv_mcp.evaluate.foreign.task import Benchmark, Catalogue

BENCHMARKS = ("mcpmark", "bfcl", "automationbench")
SERVICES = ("filesystem", "postgres")
WORDS = ("source", "service", "suite", "tasks", "python", "state", "listing_state", "tool_server", "solutions")


class Chosen(NamedTuple):
    """A benchmark and the tasks of it that are to be run."""

    benchmark: "Benchmark"
    catalogue: "Catalogue"


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("another benchmark's tasks, with this runner (docs/benchmarks-run.md)")
    group.add_argument("--benchmark", choices=BENCHMARKS, default="")
    group.add_argument(
        "--source",
        default="",
        metavar="PATH",
        help="mcpmark: a checkout; the others: the Python of the virtual environment that has the package",
    )
    group.add_argument("--tasks", default="", metavar="A,B", help="groups or tasks (default: all; bfcl: multi_turn)")
    group.add_argument("--service", choices=SERVICES, default="", help="mcpmark")
    group.add_argument("--suite", default="", metavar="S", help="mcpmark: standard (default) or easy")
    group.add_argument("--python", default="", metavar="PYTHON", help="mcpmark: has what its verify.py imports")
    group.add_argument("--state", default="", metavar="DIR", help="mcpmark filesystem: a folder for each category")
    group.add_argument(
        "--listing-state",
        action="store_true",
        help="mcpmark filesystem: build what is not there from the task's listing, with empty files",
    )
    group.add_argument("--tool-server", default="", metavar="COMMAND", help="mcpmark: in place of its own tool server")
    group.add_argument(
        "--solutions", default="", metavar="DIR", help="solutions for baseline:reference, GROUP/TASK.json"
    )


def chosen(args: argparse.Namespace) -> Chosen | None:
    """The benchmark that is asked for, with its tasks; None where the fleet's own environments are."""
    if not args.benchmark:
        if given := [word for word in WORDS if getattr(args, word)]:
            raise Usage(f"--{given[0].replace('_', '-')} goes with --benchmark")
        return None
    if args.target or args.envs:
        raise Usage("a benchmark brings its own tasks and tools: leave out --target and --envs (name --tasks)")
    if args.toolset != "mcp":
        raise Usage("a benchmark brings its own tools: leave out --toolset")
    if not args.source:
        raise Usage(
            "--source is missing: a checkout for mcpmark, the Python that has the package for bfcl and automationbench"
        )
    import anyio

    from legoenv_mcp.evaluate.foreign.task import BenchmarkError, Catalogue

    benchmark = _mcpmark(args) if args.benchmark == "mcpmark" else _packaged(args)
    if args.max_steps is None:
        args.max_steps = benchmark.max_steps
    elif args.benchmark == "bfcl":
        raise Usage("--max-steps: BFCL has a limit of its own, 20 steps a turn")

    async def listed() -> Catalogue:
        async with benchmark:
            return await benchmark.catalogue([word for word in args.tasks.split(",") if word])

    try:
        found = anyio.run(listed)
    except BenchmarkError as error:
        raise Usage(str(error)) from None
    if args.count < 0 or args.count > len(found.tasks):
        raise Usage(f"--count: there are {len(found.tasks)} tasks")
    count = args.count or len(found.tasks)
    tasks = tuple(found.tasks[n * len(found.tasks) // count] for n in range(count))
    return Chosen(benchmark, Catalogue(found.version, tasks, found.sizes))


def _packaged(args: argparse.Namespace) -> "Benchmark":
    from legoenv_mcp.evaluate.foreign.packaged import Packaged

    for word in ("service", "suite", "python", "state", "listing_state", "tool_server"):
        if getattr(args, word):
            raise Usage(f"--{word.replace('_', '-')} goes with --benchmark mcpmark")
    limit = 50 if args.benchmark == "automationbench" else 500
    return Packaged(
        args.benchmark, _python(args.source, "source"), max_steps=limit, solutions=_folder(args, "solutions")
    )


def _mcpmark(args: argparse.Namespace) -> "Benchmark":
    from legoenv_mcp.evaluate.foreign.mcpmark import McpMark
    from legoenv_mcp.evaluate.foreign.states import Databases, Folders

    if not args.service:
        raise Usage(f"--service is missing: {' or '.join(SERVICES)}")
    checkout = Path(args.source)
    if not (checkout / "tasks").is_dir():
        raise Usage(f"--source {checkout} is no checkout of MCP-Mark: it has no folder tasks")
    python = _python(args.python or sys.executable, "python")
    server = shlex.split(args.tool_server)
    if args.service == "postgres":
        if args.state or args.listing_state:
            raise Usage("--state and --listing-state go with --service filesystem")
        states: Any = Databases(python, server)
    else:
        root = args.state or os.environ.get("FILESYSTEM_TEST_ROOT") or checkout / "test_environments"
        states = Folders(Path(root), server, listings=args.listing_state)
    return McpMark(
        checkout, args.service, states, python, suite=args.suite or "standard", solutions=_folder(args, "solutions")
    )


def _python(path: str, word: str) -> str:
    """Where it lies, as it is named: what a virtual environment's Python links to is not that environment's."""
    found = os.path.abspath(path)
    if not os.access(found, os.X_OK) or os.path.isdir(found):
        raise Usage(f"--{word} {path} is no Python; name bin/python of a virtual environment")
    return found


def _folder(args: argparse.Namespace, word: str) -> Path | None:
    given = getattr(args, word)
    if given and not Path(given).is_dir():
        raise Usage(f"--{word} {given}: there is no such folder")
    return Path(given) if given else None


def about(run: Path) -> dict[str, Any] | None:
    """What a benchmark's groups came to."""
    from legoenv_mcp.evaluate.foreign.groups import groups

    try:
        return groups(run)
    except ValueError as error:
        raise Failure(str(error)) from None


def print_about(found: dict[str, Any]) -> None:
    print(f"{found['benchmark']} {found['version']}")
    rows = [
        (g["group"], f"{g['tasks']} of {g['of']}", str(g["rollouts"]), str(g["invalid"]), _share(g["score"]))
        for g in found["groups"]
    ]
    table(("group", "tasks", "rollouts", "invalid", "score"), rows, right=(1, 2, 3, 4))
    for one in found["combined"]:
        print(f"{one['name']}: {_share(one['score'])} (all of {', '.join(one['groups'])})")
    if found["not_run"]:
        print(f"not run: {', '.join(found['not_run'])}")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
