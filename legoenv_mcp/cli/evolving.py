"""`legoenv evolve`: atoms that keep environments from their proof are repaired; what was repaired can be read, and undone."""

import argparse
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legoenv_mcp.cli.errors import Failure, Usage
from legoenv_mcp.cli.output import print_json, progress, table

if TYPE_CHECKING:
    from legoenv_mcp.evolve.benchmark import Outcome
    from legoenv_mcp.evolve.repairs import Backend, Round
    from legoenv_mcp.evolve.rollouts import Heard


def add_parsers(commands: Any) -> None:
    evolving = commands.add_parser("evolve", help="repair the atoms that keep environments from their proof")
    evolving.add_argument(
        "--rounds", type=int, default=1, metavar="R", help="at most so many rounds (default 1; with --benchmark 3)"
    )
    evolving.add_argument(
        "--backend", choices=("schema", "openai"), default="schema", help="who proposes repairs (default schema)"
    )
    evolving.add_argument("--model", default="", metavar="M", help="for --backend openai")
    evolving.add_argument(
        "--base-url", default="", metavar="U", help="an OpenAI-compatible endpoint (or OPENAI_BASE_URL)"
    )
    evolving.add_argument(
        "--candidates", type=int, default=4, metavar="N", help="for --backend openai: tries a finding"
    )
    evolving.add_argument(
        "--trials",
        choices=("auto", "container", "process"),
        default="auto",
        help="where a model's code is tried before it is accepted: in a container (auto: where a Docker engine and `legoenv fleet build` "
        "have made that possible), or in a process without network",
    )
    evolving.add_argument(
        "--envs", default="", metavar="FILE", help="only these environments, one id a line (default: the catalogue)"
    )
    evolving.add_argument(
        "--run",
        dest="runs",
        action="append",
        default=[],
        metavar="DIR",
        help="heed what the rollouts of a run folder were refused for; its environments are looked at (may be given again)",
    )
    evolving.add_argument(
        "--count", type=int, default=0, metavar="N", help="only so many environments, drawn by --seed"
    )
    evolving.add_argument("--seed", default="0", metavar="S")
    evolving.add_argument("--jobs", type=int, default=0, metavar="J", help="processes (default: one a core)")
    evolving.add_argument("--dry-run", action="store_true", help="show the repairs of one round, and write nothing")
    evolving.add_argument("--no-tests", action="store_true", help="leave out the apps' own tests")
    evolving.add_argument(
        "--undo", type=int, nargs="?", const=1, default=0, metavar="N", help="take the last repair (or N) back"
    )
    evolving.add_argument("--log", action="store_true", help="list the repairs so far")
    evolving.add_argument("--benchmark", action="store_true", help="damage a copy of the fleet, repair it, and measure")
    evolving.add_argument(
        "--before",
        type=float,
        default=0.0,
        metavar="X",
        help="with --benchmark: damage down to this share (default 0.72)",
    )
    evolving.add_argument("--plot", default="", metavar="FILE", help="with --benchmark: the shares by round, as SVG")
    evolving.add_argument("--json", action="store_true")
    evolving.set_defaults(run=evolve)


def evolve(args: argparse.Namespace) -> int:
    if args.undo:
        return _undo(args)
    if args.log:
        return _log(args)
    if args.rounds < 1 or args.count < 0 or args.jobs < 0:
        raise Usage("--rounds must be at least 1, --count and --jobs not negative")
    if args.benchmark and args.runs:
        raise Usage("--benchmark does not go with --run")
    if args.backend == "openai" and not args.model:
        raise Usage("--backend openai needs --model")
    return _benchmark(args) if args.benchmark else _evolve(args)


def _undo(args: argparse.Namespace) -> int:
    from legoenv_mcp.evolve import changelog

    known = len(changelog.entries())
    if args.undo > known:
        raise Failure(
            f"there are {known} repairs to undo; see: legoenv evolve --log" if known else "there is no repair to undo"
        )
    try:
        undone = changelog.undo(args.undo)
    except ValueError as error:
        raise Failure(str(error)) from None
    if args.json:
        print_json([{"atom": one["atom"], "title": one["title"]} for one in undone])
    else:
        print("\n".join(f"undone: {one['atom']}: {one['title']}" for one in undone))
    return 0


def _log(args: argparse.Namespace) -> int:
    from legoenv_mcp.evolve import changelog

    entries = changelog.entries()
    if args.json:
        print_json([{**e, "files": [{k: v for k, v in f.items() if k != "was"} for f in e["files"]]} for e in entries])
    else:
        rows = [
            (str(n), e["atom"], e["cause"], e["title"], str(len(e["environments"]))) for n, e in enumerate(entries, 1)
        ]
        table(("n", "atom", "cause", "repair", "environments"), rows, right=(0, 4))
    return 0


def _backends(args: argparse.Namespace) -> "list[Backend]":
    from legoenv_mcp.evolve.repairs import Schema

    if args.backend == "schema":
        return [Schema()]
    from legoenv_mcp.evolve.model import OpenAIBackend

    return [OpenAIBackend(args.model, args.base_url, args.candidates)]


def _evolve(args: argparse.Namespace) -> int:
    from legoenv_mcp.controller import catalogue
    from legoenv_mcp.evolve.draw import chosen
    from legoenv_mcp.evolve.fleet import Unwritable
    from legoenv_mcp.evolve.model import NoModel
    from legoenv_mcp.evolve.nursery import NoBox
    from legoenv_mcp.evolve.rounds import Evolution

    known = catalogue.entries()
    heard = _heard(args)
    ids = heard.environments if heard else sorted(known)
    if args.envs:
        try:
            ids = [line.strip() for line in Path(args.envs).read_text(encoding="utf-8").splitlines() if line.strip()]
        except OSError as error:
            raise Usage(f"{args.envs} cannot be read: {error.strerror}") from None
        if strangers := [name for name in ids if name not in known]:
            raise Usage(f"unknown environment {strangers[0]!r}; see: legoenv envs")
    if args.count:
        ids = chosen(ids, args.count, args.seed)
    if not ids:
        raise Failure("the catalogue is empty; compose first: legoenv compose")
    made = list["Round"]()
    with progress("evolving", args.rounds, quiet=args.json) as advance:
        evolution = Evolution(
            ids,
            _backends(args),
            jobs=args.jobs,
            tests=not args.no_tests,
            dry=args.dry_run,
            tell=logging.getLogger("legoenv").info,
            heard=[finding for finding, _ in heard.findings] if heard else (),
            trials=args.trials,
        )
        try:
            for one in evolution.rounds(args.rounds):
                made.append(one)
                advance(f"{one.after:.1%} solvable")
        except (NoBox, NoModel, Unwritable) as error:
            raise Failure(str(error)) from None
    _show_rounds(args, made, len(ids), heard)
    return 0 if made[-1].after == 1.0 else 1


def _heard(args: argparse.Namespace) -> "Heard | None":
    """What the rollouts of --run say."""
    from legoenv_mcp.evolve.nursery import Job, Nursery
    from legoenv_mcp.evolve.rollouts import gathered

    if not args.runs:
        return None
    for run in args.runs:
        if not (Path(run) / "config.json").is_file():
            raise Usage(f"{run} is no run folder; legoenv eval writes one: legoenv eval --model M --out DIR")
    with Nursery(1) as nursery:
        answer = nursery.one(Job("rollouts.heard", {"runs": [str(Path(run).resolve()) for run in args.runs]}))
    if answer.lost:
        raise Failure(f"the rollouts cannot be read: {answer.lost}")
    if not answer.value["rollouts"]:
        raise Failure(
            "there is no valid rollout of the catalogue's environments by a model in it; see: legoenv report DIR"
        )
    return gathered(answer.value)


def _show_rounds(args: argparse.Namespace, made: "list[Round]", total: int, heard: "Heard | None") -> None:
    if args.json:
        last, accepted = made[-1], [r.as_json() for one in made for r in one.accepted]
        rejected = [r for one in made for r in one.rejected]
        print_json(
            {
                "environments": total,
                "solvable_before": made[0].as_json()["solvable_before"],
                "solvable_after": [one.as_json()["solvable_after"] for one in made],
                "causes": dict(made[0].causes),
                "accepted": accepted,
                "rejected": rejected,
                "solved": [one.solved for one in made],
                "unsolved": last.unsolved,
                "dry_run": args.dry_run,
                **({"heard": heard.as_json()} if heard else {}),
            }
        )
        return
    if heard:
        print(f"{heard.rollouts} rollouts of {len(heard.environments)} environments")
        rows = [(str(n), f.cause, str(f.atom), f.about[:80]) for f, n in heard.findings]
        table(("rollouts", "cause", "atom", "about"), rows, right=(0,))
    for number, one in enumerate(made, 1):
        print(f"round {number}: {one.before:.1%} of {total} environments solvable before, {one.after:.1%} after")
        table(("environments", "cause"), [(str(n), cause) for cause, n in one.causes.items()], right=(0,))
        for repair in one.accepted:
            shown = repair.as_json()
            print(
                f"\n{shown['atom']}: {shown['title']} ({shown['cause']}; {len(repair.restored)} proven, {repair.reproved} proven again)"
            )
            print(shown["diff"])
    for e in made[-1].unsolved[:20]:
        print(f"not solved: {e['id']}: {'; '.join(e['signals'][:1])}")


def _benchmark(args: argparse.Namespace) -> int:
    from legoenv_mcp.evolve import benchmark

    rounds = args.rounds if args.rounds > 1 else 3
    words = [
        "--backend",
        args.backend,
        *(["--model", args.model] if args.model else []),
        *(["--base-url", args.base_url] if args.base_url else []),
    ]
    with progress("benchmark", benchmark.STAGES, quiet=args.json) as advance:
        try:
            outcome = benchmark.run(
                args.count,
                args.seed,
                rounds,
                before=args.before or benchmark.BEFORE,
                backend=words,
                jobs=args.jobs,
                tests=not args.no_tests,
                tell=advance,
            )
        except (RuntimeError, LookupError) as error:
            raise Failure(str(error)) from None
    if args.plot:
        Path(args.plot).write_text(benchmark.plot(outcome), encoding="utf-8")
    if args.json:
        print_json(outcome.as_json())
    else:
        _show_benchmark(outcome)
    return 0 if outcome.lost == 0 else 1


def _show_benchmark(outcome: "Outcome") -> None:
    rows = [
        (kind, str(of["damages"]), str(of["environments"]), *map(str, of["restored"]))
        for kind, of in outcome.by_kind.items()
    ]
    after = tuple(f"after {n}" for n in range(1, len(outcome.after) + 1))
    table(("kind", "damages", "environments", *after), rows, right=tuple(range(1, 3 + len(after))))
    shares = ", ".join(f"{x:.1%}" for x in outcome.after)
    print(
        f"{outcome.environments} environments over {outcome.apps} apps: {outcome.before:.1%} solvable before, {shares} after each round"
    )
    done = outcome.operations
    print(
        f"{outcome.lost} lost; {done['accepted']} operations restored, "
        f"{done['tests_passed']} of {done['tests']} of the apps' own tests of them pass"
    )
