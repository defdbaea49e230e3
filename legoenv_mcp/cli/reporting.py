"""`legoenv report`: what an evaluation came to, as tables, as JSON, as a page."""

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legoenv_mcp.cli import foreign
from legoenv_mcp.cli.errors import Failure, Usage
from legoenv_mcp.cli.output import print_json, progress

if TYPE_CHECKING:
    from legoenv_mcp.evaluate.record import Run
    from legoenv_mcp.evaluate.report_page import Trajectories

BY = ("app", "difficulty", "capability", "domain", "world", "rule", "trap", "intent")


def add_parsers(commands: Any) -> None:
    one = commands.add_parser(
        "report", help="what an evaluation came to: pass@k, failures by root cause, every trajectory"
    )
    one.add_argument("folder", metavar="DIR", help="a run folder, as legoenv eval --out made it")
    one.add_argument(
        "other", nargs="?", default="", metavar="DIR2", help="another run, to compare: what it does better and worse"
    )
    one.add_argument("--json", action="store_true")
    one.add_argument("--html", default="", metavar="FILE", help="write a page with plots and every trajectory")
    one.add_argument("--regrade", action="store_true", help="judge the stored rollouts anew by today's verifiers")
    one.add_argument("--model", default="", metavar="M", help="whose rollouts, where the folder holds several models'")
    one.add_argument("--k", type=int, default=0, metavar="K", help="for pass@k and pass^k (default: as the run had it)")
    one.add_argument("--by", action="append", choices=BY, help="also the figures by this (default: app and difficulty)")
    one.set_defaults(run=report)


def report(args: argparse.Namespace) -> int:
    from legoenv_mcp.evaluate.compare import compare
    from legoenv_mcp.evaluate.report import report as figures

    if args.k < 0:
        raise Usage("--k is a number of rollouts from 1 on")
    page = Path(args.html) if args.html else None
    if page and (page.is_dir() or not page.parent.is_dir()):
        raise Usage(
            f"--html {page}: "
            + ("that is a folder; name a file" if page.is_dir() else f"there is no folder {page.parent}")
        )
    with ExitStack() as stack:
        runs: list[Run] = []
        kept: list[Trajectories] = []
        for folder in filter(None, (args.folder, args.other)):
            trajectories = _trajectories(stack) if page else None
            runs.append(_read(Path(folder), args, trajectories))
            kept += [trajectories] if trajectories else []
        found = [figures(run, args.k) for run in runs]
        comparison = compare(*runs, k=args.k) if len(runs) == 2 else None
        size = 0
        if page:
            from legoenv_mcp.evaluate.report_page import write_page

            size = write_page(page, runs, found, comparison, kept)
    about = foreign.about(Path(args.folder))
    if args.json:
        mine = {**found[0], **({"benchmark": about} if about else {})}
        print_json({**mine, **({"other": found[1], "comparison": comparison} if comparison else {})})
    else:
        from legoenv_mcp.cli.report_tables import show

        show(found, comparison, tuple(args.by or ()) or ("difficulty", "app"))
        if about:
            foreign.print_about(about)
        if page:
            print(
                f"\n{page}: {size / 1e6:.1f} MB, {sum(len(run.records) for run in runs)} rollouts; open it in a browser"
            )
    broken = [one for run in runs if run.regraded for one in run.regraded.broken]
    if broken:
        raise Failure(
            f"{len(broken)} verdicts changed though their environments did not, first {broken[0]['environment']} "
            f"attempt {broken[0]['attempt']}: {broken[0]['was']} is now {broken[0]['is']}"
        )
    return 0


def _read(folder: Path, args: argparse.Namespace, trajectories: "Trajectories | None") -> "Run":
    from legoenv_mcp.evaluate.record import BadRun, Run, tasks

    try:
        count = len(tasks(folder, args.model))
        with progress(f"reading {folder}", count, quiet=args.json) as advance:
            return Run.read(
                folder,
                model=args.model,
                regrade=args.regrade,
                each=trajectories.add if trajectories else None,
                advance=advance,
            )
    except BadRun as error:
        raise Usage(str(error)) from None


def _trajectories(stack: ExitStack) -> "Trajectories":
    from legoenv_mcp.evaluate.report_page import Trajectories

    return stack.enter_context(Trajectories())
