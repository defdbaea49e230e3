"""`legoenv bench`: the performance figures, each beside its floor from the same run."""

import argparse
import sys
from typing import Any

from legoenv_mcp.cli.output import print_json, table


def add_parsers(commands: Any) -> None:
    parser = commands.add_parser("bench", help="the performance figures, each as a ratio to its floor")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds: a smoke test, not a measurement")
    parser.set_defaults(run=bench)


def bench(args: argparse.Namespace) -> int:
    from rich.console import Console

    from legoenv_mcp.bench import run

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
