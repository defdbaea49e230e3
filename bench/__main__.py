"""`python -m bench [--only PEER,...] [--quick] [--json] [--out FOLDER]`: measures us beside our peers."""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import uvloop
from rich.console import Console

from bench.connection import Unexpected
from bench.measure import QUICK, Comparison, Effort, compare
from bench.pairs import KEYS, NotToBeHad, Pair, own_versions, pairs
from bench.plot import plot
from bench.process import now
from bench.report import Run, machine, page, print_tables
from legoenv_mcp import registry

CACHE = registry.cache_folder() / "peers"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures this project beside its peers.")
    parser.add_argument("--only", metavar="PEERS", default="", help=f"some of them, comma-separated: {', '.join(KEYS)}")
    parser.add_argument(
        "--quick", action="store_true", help="a fraction of the rounds: a smoke test, not a measurement"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="write benchmarks.md and benchmarks.svg there")
    parser.add_argument(
        "--cache", metavar="FOLDER", type=Path, default=CACHE, help=f"where peers are installed ({CACHE})"
    )
    args = parser.parse_args()
    chosen = set(filter(None, args.only.split(","))) or set(KEYS)
    if unknown := sorted(chosen - set(KEYS)):
        parser.error(f"there is no peer {', '.join(unknown)}; there are {', '.join(KEYS)}")
    if args.out and not args.out.is_dir():
        parser.error(f"{args.out} is no folder")
    console = Console(stderr=True)
    with console.status("measuring") as status:

        def report(what: str) -> None:
            if console.is_terminal:
                status.update(what)
            else:
                print(what, file=sys.stderr)

        try:
            run = uvloop.run(measure(chosen, args.cache, QUICK if args.quick else Effort(), report))
        except Unexpected as error:
            print(f"bench: {error}", file=sys.stderr)
            return 1
        if args.out and not args.only:
            report("legoenv bench")
            run.figures = _figures(args.quick)
    if args.out:
        (args.out / "benchmarks.svg").write_text(plot(run.comparisons), encoding="utf-8")
        (args.out / "benchmarks.md").write_text(page(run), encoding="utf-8")
    if args.json:
        print(json.dumps(run.as_json(), indent=2))
    else:
        print_tables(run)
    return 0


async def measure(chosen: set[str], cache: Path, effort: Effort, report: Any) -> Run:
    """Every chosen comparison, one after another."""
    cache.mkdir(parents=True, exist_ok=True)
    wanted = [pair for pair in pairs() if pair.key in chosen]
    installed = {pair.key: _installed(pair, cache, report) for pair in wanted}
    run = Run(machine(), own_versions(), effort)
    for pair in wanted:
        made = installed[pair.key]
        found = Comparison(pair.wire, "legoenv", pair.peer, {}, pair.about)
        run.comparisons.append(found)
        if isinstance(made, NotToBeHad):
            found.missing = f"not to be had here: {made}"
            continue
        found.versions = made.versions if made else {"mcp": run.versions["mcp"]}
        report(f"{pair.peer} over {pair.wire}")
        start = now()
        await compare(found, pair.ours(), pair.theirs(made), effort)
        found.took = now() - start
    run.ended()
    return run


def _installed(pair: Pair, cache: Path, report: Any) -> Any:
    """The installed peer, or why it can't be had."""
    try:
        return pair.install(cache, report)
    except NotToBeHad as error:
        return error


def _figures(quick: bool) -> list[dict[str, Any]]:
    """The table of `legoenv bench`, from a process of its own."""
    command = [sys.executable, "-m", "legoenv_mcp.cli", "bench", "--json", *(["--quick"] if quick else [])]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


if __name__ == "__main__":
    sys.exit(main())
