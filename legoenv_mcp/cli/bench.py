"""`legoenv bench`: the performance figures, each beside its floor from the same run."""

import argparse
import sys
from typing import Any

from legoenv_mcp.cli.errors import Failure
from legoenv_mcp.cli.output import print_json, table


def add_parsers(commands: Any) -> None:
    parser = commands.add_parser("bench", help="the performance figures, each as a ratio to its floor")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds: a smoke test, not a measurement")
    parser.add_argument(
        "--docker", action="store_true", help="containers instead, over the images of `legoenv fleet build --all`"
    )
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
