"""`legoenv bench`: the performance figures, each beside its floor from the same run."""

import argparse
import sys
from typing import Any

from legoenv_mcp.cli import words
from legoenv_mcp.cli.errors import Failure
from legoenv_mcp.cli.output import print_json, table


def add_parsers(commands: Any) -> None:
    parser = commands.add_parser("bench", help="the performance figures, each as a ratio to its floor")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds: a smoke test, not a measurement")
    parser.add_argument(
        "--docker", action="store_true", help="containers instead, over the images of `legoenv fleet build --all`"
    )
    parser.add_argument(
        "--load",
        action="store_true",
        help="a gateway under many clients instead: errors, latencies, memory, stray rows",
    )
    load = parser.add_argument_group("with --load")
    load.add_argument("--episodes", type=words.count, default=1000, metavar="N", help="episodes to have open (1000)")
    load.add_argument("--clients", type=words.count, default=64, metavar="C", help="clients at a time (64)")
    load.add_argument("--seconds", type=words.count, default=600, metavar="S", help="how long they work (600)")
    load.add_argument(
        "--limit",
        type=words.count,
        default=0,
        metavar="M",
        help="the gateway's --max-episodes (as many as are asked for)",
    )
    load.add_argument("--db", action="store_true", help="episodes in files, as with `gateway --db`")
    load.add_argument("--memory", type=words.count, metavar="MB", help="the gateway's --memory")
    parser.set_defaults(run=bench)


def _measured(docker: bool) -> Any:
    if not docker:
        from legoenv_mcp.bench import run

        return run
    from legoenv_mcp.bench import containers
    from legoenv_mcp.fleet.engine import EngineError

    def run_containers(*args: Any, **options: Any) -> Any:
        try:
            return containers.run(*args, **options)
        except EngineError as error:
            raise Failure(str(error)) from None

    return run_containers


def bench(args: argparse.Namespace) -> int:
    from rich.console import Console

    if args.load:
        return _load(args)
    run = _measured(args.docker)
    console = Console(stderr=True)
    with console.status("measuring") as status:
        shown = not args.json and sys.stderr.isatty()
        figures = run(lambda name: status.update(f"measuring {name}") if shown else None, quick=args.quick)
    if args.json:
        print_json([f.as_json() for f in figures])
        return 0
    rows = [
        (f.name, f"{f.value:,.2f} {f.unit}".strip(), f"{f.floor:,.2f} {f.unit}" if f.floor is not None else "",
         f"{f.ratio:.2f}" if f.ratio is not None else "", f.floor_name, f.aim)
        for f in figures
    ]  # fmt: skip
    table(("figure", "measured", "floor", "ratio", "the floor is", "aim"), rows, right=(1, 2, 3))
    return 0


def _load(args: argparse.Namespace) -> int:
    """Exit status 1 where the gateway failed a call or showed an episode another's rows."""
    import tempfile

    from rich.console import Console

    from legoenv_mcp.bench import load

    with tempfile.TemporaryDirectory() as folder:
        options = (*(("--db", folder) if args.db else ()), *(("--memory", str(args.memory)) if args.memory else ()))
        asked = load.Load(args.episodes, args.clients, args.seconds, args.limit, options)
        with Console(stderr=True).status("starting") as status:
            shown = not args.json and sys.stderr.isatty()
            try:
                report = load.run(asked, lambda text: status.update(text) if shown else None)
            except RuntimeError as error:
                raise Failure(str(error)) from None
    if args.json:
        print_json(report.as_json())
    else:
        _show(report)
    return 0 if report.passed else 1


def _show(report: Any) -> None:
    rows = [
        (one.kind, f"{one.calls:,}", *(f"{ms:,.1f}" for ms in (one.p50, one.p95, one.p99, one.longest)))
        for one in report.latencies
    ]
    table(("calls", "number", "p50 ms", "p95 ms", "p99 ms", "longest ms"), rows, right=(1, 2, 3, 4, 5))
    memory = report.memory
    print(
        f"{report.calls:,} calls in {report.seconds:.0f} s, {report.rate:,.0f} a second; "
        f"{report.open:,} episodes open at the end, {report.unopened:,} could not be opened\n"
        f"memory: {memory['start']:,.0f} MB at the start, {memory['open']:,.0f} with all episodes open, "
        f"{memory['peak']:,.0f} at most, {memory['end']:,.0f} at the end ({memory['mb_per_episode']:.2f} an episode)\n"
        f"errors of ours: {report.ours.total()}; told to come back: {report.back_pressure.total():,}; "
        f"refused: {report.refused.total()}; rows of another episode or lost: {len(report.violations)}"
    )
    for what, times in [*report.ours.most_common(5), *report.refused.most_common(5)]:
        print(f"  {times} x {what}")
    for violation in report.violations[:5]:
        print(f"  {violation}")
    if report.log.count("\n") > 1 and not report.passed:
        print(f"the gateway's log begins:\n{report.log}")
