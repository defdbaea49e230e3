"""`legoenv export sft | grpo | mcpmark | harbor`: training and evaluation data for other programs."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legoenv_mcp.cli.errors import Failure, Usage
from legoenv_mcp.cli.output import print_json, progress

if TYPE_CHECKING:
    from legoenv_mcp.controller.environment import Environment


def add_parsers(commands: Any) -> None:
    export = commands.add_parser("export", help="training and evaluation data for other programs")
    kinds = export.add_subparsers(dest="kind", metavar="KIND", required=True)

    sft = kinds.add_parser("sft", help="rollouts as chat examples with a loss mask (JSON Lines)")
    sft.add_argument(
        "--run", dest="runs", action="append", required=True, type=Path, metavar="DIR", help="a run folder (repeatable)"
    )
    sft.add_argument("--all", action="store_true", help="also rollouts that did not pass")
    sft.add_argument(
        "--exclude", action="append", default=[], type=Path, metavar="FILE",
        help="environments to leave out, by hash or id: a file, or the run folder of an evaluation (repeatable)",
    )  # fmt: skip
    sft.add_argument(
        "--tokenizer", default="", metavar="DIR", help="a transformers tokenizer: writes input_ids and labels too"
    )
    sft.add_argument(
        "--max-length", type=int, default=0, metavar="N", help="with --tokenizer: leave out what has more tokens"
    )
    _output(sft, export_sft)

    grpo = kinds.add_parser("grpo", help="prompts with an environment handle (JSON Lines)")
    _choosing(grpo)
    grpo.add_argument("--toolset", choices=("mcp", "api"), default="mcp")
    grpo.add_argument("--plans", action="store_true", help="also plans.jsonl: reference plans, for checks and oracles")
    _output(grpo, export_grpo)

    mcpmark = kinds.add_parser("mcpmark", help="task folders and a service for an MCPMark checkout")
    _choosing(mcpmark)
    _output(mcpmark, export_mcpmark)

    harbor = kinds.add_parser("harbor", help="Harbor task folders")
    _choosing(harbor)
    harbor.add_argument(
        "--image", default="legoenv/gateway", metavar="IMAGE", help="the gateway's image (default legoenv/gateway)"
    )
    _output(harbor, export_harbor)


def _choosing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--envs", default="", metavar="FILE|ID,ID", help="ids, or a file with one a line or a JSON list"
    )
    parser.add_argument(
        "--count", type=int, default=0, metavar="N", help="so many, spread over the intents (default: all)"
    )
    parser.add_argument("--apps", default="", metavar="A,B", help="only environments that use no other app")
    parser.add_argument("--difficulty", type=int, default=0, choices=range(1, 6), metavar="1..5")
    parser.add_argument("--seed", default="0", metavar="S", help="which ones --count takes (default 0)")
    parser.add_argument(
        "--exclude", action="append", default=[], type=Path, metavar="FILE", help="environments to leave out"
    )


def _output(parser: argparse.ArgumentParser, run: Any) -> None:
    parser.add_argument("--out", required=True, type=Path, metavar="DIR")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run)


def export_sft(args: argparse.Namespace) -> int:
    from legoenv_mcp.evaluate.rollout import finished
    from legoenv_mcp.training import files, sft

    tokenizer = _tokenizer(args.tokenizer) if args.tokenizer else None
    if args.max_length and tokenizer is None:
        raise Usage("--max-length counts tokens: name a tokenizer with --tokenizer")
    try:
        excluded = sft.read_excluded(args.exclude)
    except ValueError as error:
        raise Usage(str(error)) from None
    counts = {run: sum(1 for _ in run.glob("*__legoenv/run-*/*/meta.json")) for run in args.runs}
    if empty := [run for run, count in counts.items() if not count]:
        raise Usage(f"{empty[0]} holds no finished rollout; make some with: legoenv eval --out {empty[0]} --model M")
    chosen = sft.Selection(failing=args.all, excluded=excluded)
    environments, turns, learnt = set[str](), 0, 0
    target, members = args.out / "sft.jsonl", dict[str, Any]()
    try:
        with progress("exporting", sum(counts.values()), quiet=args.json) as advance:

            def rollouts() -> Iterator[Any]:
                for run in counts:
                    for rollout in finished(run):
                        yield rollout
                        advance(f"{sum(chosen.dropped.values())} left out")

            def examples() -> Iterator[dict[str, Any]]:
                nonlocal turns, learnt
                for made in chosen.examples(rollouts()):
                    environments.add(made["environment_hash"])
                    turns += len(made["loss_turns"])
                    learnt += sum(made["loss_turns"])
                    yield made

            count = files.write_lines(target, examples())
        if tokenizer is not None:
            members = _write_tokens(args, target, count, tokenizer)
    except ValueError as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(f"{args.out}: {error.strerror or error}") from None
    dropped = dict(sorted(chosen.dropped.items()))
    manifest = files.write_manifest(
        args.out, "sft", examples=count, environments=len(environments), turns=turns, learnt_turns=learnt, dropped=dropped,
        runs=[str(run) for run in counts], **members,
    )  # fmt: skip
    left_out = f"; left out: {', '.join(f'{n} {why}' for why, n in dropped.items())}" if dropped else ""
    if not count:
        raise Failure(f"no rollout was left to export{left_out}")
    tokens = f"; {members['tokenized']} of them as tokens in {args.out / 'tokens.jsonl'}" if members else ""
    _say(args, manifest, f"{count} examples of {len(environments)} environments in {target}{tokens}{left_out}")
    return 0


def _write_tokens(args: argparse.Namespace, target: Path, count: int, tokenizer: Any) -> dict[str, Any]:
    """The same examples as `input_ids` and `labels`; the longest are left out where there is a limit."""
    from legoenv_mcp.training import files, sft

    lengths = list[int]()

    def lines(advance: Any) -> Iterator[dict[str, Any]]:
        with target.open(encoding="ascii") as file:
            for line in file:
                made = json.loads(line)
                tokens = sft.tokenize(made, tokenizer)
                lengths.append(len(tokens["input_ids"]))
                advance(f"longest {max(lengths)} tokens")
                if not args.max_length or lengths[-1] <= args.max_length:
                    yield {
                        **tokens,
                        "environment_id": made["environment_id"],
                        "environment_hash": made["environment_hash"],
                    }

    with progress("tokenizing", count, quiet=args.json) as advance:
        written = files.write_lines(args.out / "tokens.jsonl", lines(advance))
    return {"tokenized": written, "too_long": len(lengths) - written, "longest": max(lengths, default=0)}


def _tokenizer(folder: str) -> Any:
    try:
        from transformers import AutoTokenizer  # pyright: ignore[reportMissingImports] - an extra
    except ImportError:
        raise Usage("--tokenizer needs transformers: pip install 'legoenv[trl]'") from None
    if not Path(folder).is_dir():
        raise Usage(f"{folder} is no folder; --tokenizer takes one that save_pretrained wrote")
    try:
        return AutoTokenizer.from_pretrained(folder)
    except (OSError, ValueError) as error:
        raise Usage(f"{folder} holds no tokenizer: {str(error).splitlines()[0]}") from None


def export_grpo(args: argparse.Namespace) -> int:
    from legoenv_mcp.training import files, grpo

    names, plans = set[str](), list[dict[str, Any]]()

    def rows() -> Iterator[dict[str, Any]]:
        for environment in _environments(args):
            made = grpo.row(environment, args.toolset)
            names.add(made["environment"])
            if args.plans:
                plans.append(grpo.plan(environment))
            yield made

    target = args.out / "grpo.jsonl"
    count = _written(args, lambda: files.write_lines(target, rows()))
    if args.plans:
        files.write_lines(args.out / "plans.jsonl", plans)
    manifest = files.write_manifest(
        args.out, "grpo", prompts=count, environment_classes=sorted(names), plans=len(plans)
    )
    _say(args, manifest, f"{count} prompts over {len(names)} sets of tools in {target}")
    return 0


def export_mcpmark(args: argparse.Namespace) -> int:
    from legoenv_mcp.training import files, mcpmark

    count = _written(args, lambda: sum(1 for e in _environments(args) if mcpmark.write_task(args.out, e)))
    shipped = mcpmark.write_service(args.out)
    manifest = files.write_manifest(args.out / mcpmark.SERVICE_FOLDER, "mcpmark", tasks=count, files=shipped)
    _say(
        args,
        manifest,
        f"{count} tasks in {args.out / mcpmark.TASKS}; start them with: python {mcpmark.PIPELINE} --models MODEL --k 1",
    )
    return 0


def export_harbor(args: argparse.Namespace) -> int:
    from legoenv_mcp.training import files, harbor

    count = _written(args, lambda: sum(1 for e in _environments(args) if harbor.write_task(args.out, e, args.image)))
    manifest = files.write_manifest(args.out, "harbor", tasks=count, image=args.image)
    _say(args, manifest, f"{count} tasks in {args.out}; start them with: harbor run -p {args.out} -a oracle")
    return 0


def _environments(args: argparse.Namespace) -> "Iterator[Environment]":
    """The chosen environments, derived one after the other. Usage where the choice is wrong."""
    from legoenv_mcp.controller import environments
    from legoenv_mcp.controller.selection import choose
    from legoenv_mcp.training.sft import read_excluded

    if args.count < 0:
        raise Usage("--count must be a positive whole number")
    apps = tuple(filter(None, args.apps.split(",")))
    _known(apps)
    try:
        excluded = read_excluded(args.exclude).names
        chosen = choose(
            args.envs, count=0 if excluded else args.count, apps=apps, difficulty=args.difficulty, seed=args.seed
        )
        if excluded:
            kept = [e.id for e in chosen if e.id not in excluded and environments.load(e.id).hash not in excluded]
            if not kept:
                raise ValueError("no environment is left: --exclude names all that were chosen")
            chosen = choose(",".join(kept), count=args.count, seed=args.seed)
    except ValueError as error:
        raise Usage(str(error)) from None
    with progress("exporting", len(chosen), quiet=args.json) as advance:
        for one in chosen:
            try:
                yield environments.load(one.id)
            except environments.UnknownEnvironment as error:
                raise Failure(str(error)) from None
            advance(one.id)


def _known(apps: tuple[str, ...]) -> None:
    from legoenv_mcp import registry

    for slug in apps:
        try:
            registry.folder(slug)
        except registry.UnknownApp as error:
            raise Usage(str(error)) from None


def _written(args: argparse.Namespace, work: Any) -> int:
    try:
        return work()
    except OSError as error:
        raise Failure(f"{args.out}: {error.strerror or error}") from None


def _say(args: argparse.Namespace, manifest: dict[str, Any], text: str) -> None:
    if args.json:
        print_json({"out": str(args.out), **manifest})
    else:
        print(text)
