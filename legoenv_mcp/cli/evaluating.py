"""`legoenv eval`: a model, or a baseline, in many environments."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legoenv_mcp.cli import foreign
from legoenv_mcp.cli.errors import Failure, Usage
from legoenv_mcp.cli.output import print_json, progress

if TYPE_CHECKING:
    from legoenv_mcp.evaluate.config import Config, Way
    from legoenv_mcp.evaluate.runner import Evaluation, Tally


def add_parsers(commands: Any) -> None:
    parser = commands.add_parser("eval", help="evaluate a model, or a baseline, in many environments")
    parser.add_argument(
        "--model",
        required=True,
        metavar="M",
        help="the endpoint's name for it; baseline:reference, baseline:noop, baseline:random",
    )
    parser.add_argument(
        "--base-url", default="", metavar="U", help="an OpenAI-compatible endpoint (or OPENAI_BASE_URL)"
    )
    parser.add_argument(
        "--api-key-env", default="OPENAI_API_KEY", metavar="NAME", help="the variable that holds its key"
    )
    which = parser.add_argument_group("which environments (default: all)").add_mutually_exclusive_group()
    which.add_argument("--envs", default="", metavar="FILE|ID,ID", help="ids, or a file with one a line or a JSON list")
    which.add_argument("--count", type=int, default=0, metavar="N", help="so many, spread evenly over the catalogue")
    parser.add_argument("--k", type=int, default=4, metavar="K", help="rollouts in each environment (default 4)")
    parser.add_argument(
        "--max-steps", type=int, metavar="N", help="assistant turns in a rollout (default 50; a benchmark's own)"
    )
    parser.add_argument("--concurrency", type=int, default=8, metavar="C", help="rollouts at once (default 8)")
    parser.add_argument("--toolset", choices=("mcp", "api"), default="mcp")
    parser.add_argument(
        "--tool-mode",
        choices=("native", "schema"),
        default="native",
        help="schema: one JSON object a turn, for weak tool calling",
    )
    parser.add_argument("--target", default="", metavar="URL", help="play on this gateway (default: in this process)")
    parser.add_argument(
        "--token-env", default="LEGOENV_CONTROL_TOKEN", metavar="NAME", help="the variable that holds its control token"
    )
    sending = parser.add_argument_group("requests to the endpoint")
    sending.add_argument("--timeout", type=float, default=600.0, metavar="S", help="for one request (default 600)")
    sending.add_argument("--time-limit", type=float, default=3600.0, metavar="S", help="for one rollout (default 3600)")
    sending.add_argument("--retries", type=int, default=8, metavar="N", help="of one request (default 8)")
    sending.add_argument("--temperature", type=float, metavar="T")
    sending.add_argument("--max-tokens", type=int, metavar="N", help="of one answer")
    sending.add_argument("--reasoning-effort", metavar="L")
    sending.add_argument("--extra-body", default="", metavar="JSON", help="more fields: '{\"top_k\": 20}'")
    sending.add_argument("--price-in", type=float, metavar="USD", help="of a million input tokens")
    sending.add_argument("--price-out", type=float, metavar="USD", help="of a million output tokens")
    parser.add_argument(
        "--out", default="", metavar="DIR", help="the run folder (default results/<model>); a rerun goes on with it"
    )
    foreign.add_options(parser)
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=evaluate)


def evaluate(args: argparse.Namespace) -> int:
    way = _way(args)
    chosen = foreign.chosen(args)
    config = _config(args, chosen)
    from legoenv_mcp.evaluate import config as configs

    run = Path(args.out) if args.out else configs.default_folder(config.model)
    key = os.environ.get(args.api_key_env, "")
    if config.baseline is None and not key and not way.base_url:
        raise Usage(f"{args.api_key_env} holds no key; set it, or name an endpoint that needs none with --base-url")
    try:
        configs.begin(run, config)
        with configs.held(run):
            return _run(args, run, config, way, chosen, key)
    except configs.OtherConfig as error:
        raise Usage(str(error)) from None
    except OSError as error:
        raise Failure(f"{error.filename or run}: {error.strerror or error}") from None


def _run(args: argparse.Namespace, run: Path, config: "Config", way: "Way", chosen: Any, key: str) -> int:
    import anyio

    from legoenv_mcp.evaluate import results, tables
    from legoenv_mcp.evaluate.runner import Stopped

    results.sweep(run)
    try:
        evaluation = _evaluation(args, run, config, way, chosen, key)
    except ValueError as error:
        raise Failure(str(error)) from None
    tally = evaluation.tally
    stopped = ""
    try:
        with progress("evaluating", config.rollouts, quiet=args.json) as advance:
            evaluation.report = lambda tally: advance(_note(tally))
            anyio.run(evaluation.go, backend_options={"use_uvloop": sys.platform != "win32"})
    except Stopped as error:
        stopped = str(error)
    except KeyboardInterrupt:
        stopped = "interrupted"
    results.summarise(run, config)
    tables.build(run)
    if stopped:
        kept = f"{tally.done} of {tally.total} rollouts are in {run}, the same command goes on with it"
        print(f"legoenv: {stopped}; {kept}", file=sys.stderr)
    _print(args, run, config, tally, stopped)
    if stopped == "interrupted":
        return 130
    return 0 if tally.done == tally.total and not tally.invalid else 1


def _evaluation(
    args: argparse.Namespace, run: Path, config: "Config", way: "Way", chosen: foreign.Chosen | None, key: str
) -> "Evaluation":
    if chosen is None:
        from legoenv_mcp.evaluate.runner import Evaluation

        return Evaluation(run, config, way, key=key, token=os.environ.get(args.token_env, ""))
    from legoenv_mcp.evaluate.foreign.evaluation import ForeignEvaluation, keep_about

    keep_about(run, args.benchmark, chosen.catalogue)
    return ForeignEvaluation(run, config, way, chosen.benchmark, chosen.catalogue.tasks, key=key)


def _note(tally: "Tally") -> str:
    rate = "no verdict yet" if tally.pass_rate is None else f"{tally.pass_rate:.1%} passed"
    cost = f", ${tally.cost:,.2f}" if tally.cost is not None else ""
    return f"{rate}, {tally.invalid} invalid, {_many(tally.input_tokens + tally.output_tokens)} tokens{cost}"


def _many(number: int) -> str:
    for size, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.1f}{name}"
    return str(number)


def _print(args: argparse.Namespace, run: Path, config: "Config", tally: "Tally", stopped: str) -> None:
    about = foreign.about(run)
    if args.json:
        print_json(
            {
                "out": str(run), "model": config.model, "environments": len(config.environments), "k": config.k,
                "rollouts": tally.done, "passed": tally.passed, "failed": tally.failed, "invalid": tally.invalid,
                "already": tally.already, "pass_rate": tally.pass_rate, "input_tokens": tally.input_tokens,
                "output_tokens": tally.output_tokens, "cost": tally.cost, "faults": tally.faults, "lost": tally.lost,
                "stopped": stopped or None,
                **({"benchmark": about} if about else {}),
            }
        )  # fmt: skip
        return
    for name, why in tally.lost.items():
        print(f"{name}: {why}", file=sys.stderr)
    if stopped:
        return
    rate = "" if tally.pass_rate is None else f" ({tally.pass_rate:.1%} of those with a verdict passed)"
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.invalid} invalid{rate}")
    if tally.invalid:
        whose = ", ".join(f"{n} {boundary}" for boundary, n in sorted(tally.faults.items()))
        print(f"invalid by fault of: {whose}; the same command runs them again")
    if about:
        foreign.print_about(about)
    print(f"results in {run}; legoenv report {run}")


# What the words say


def _config(args: argparse.Namespace, chosen: foreign.Chosen | None) -> "Config":
    from pydantic import ValidationError

    from legoenv_mcp.evaluate.config import Config

    try:
        extra = json.loads(args.extra_body or "{}")
    except ValueError as error:
        raise Usage(f"--extra-body is no JSON: {error}") from None
    if args.max_steps is None:
        args.max_steps = 50
    names = [task.id for task in chosen.catalogue.tasks] if chosen else _environments(args)
    named = {n: getattr(args, n) for n in Config.model_fields if n not in ("environments", "extra_body")}
    try:
        return Config(**named, environments=tuple(names), extra_body=extra)
    except ValidationError as error:
        raise Usage(_said(error)) from None


def _way(args: argparse.Namespace) -> "Way":
    from pydantic import ValidationError

    from legoenv_mcp.evaluate.config import Way

    base_url = args.base_url or os.environ.get("OPENAI_BASE_URL", "")
    for option, url in (("--base-url", base_url), ("--target", args.target)):
        if url and not url.startswith(("http://", "https://")):
            raise Usage(f"{option} {url} is no URL: it begins with http:// or https://")
    try:
        return Way(
            base_url=base_url, target=args.target, concurrency=args.concurrency, timeout=args.timeout, retries=args.retries
        )  # fmt: skip
    except ValidationError as error:
        raise Usage(_said(error)) from None


def _said(error: Any) -> str:
    first = error.errors()[0]
    option = "--" + str(first["loc"][0]).replace("_", "-") + ": " if first["loc"] else ""
    return f"{option}{first['msg'].removeprefix('Value error, ')}"


def _environments(args: argparse.Namespace) -> Iterator[str]:
    from legoenv_mcp.controller import environments

    try:
        known = environments.names()
    except environments.UnknownEnvironment as error:
        raise Failure(str(error)) from None
    if args.envs:
        wanted = _named(args.envs)
        if strangers := sorted(set(wanted) - set(known)):
            raise Usage(f"unknown environment {', '.join(strangers[:3])}; see: legoenv envs")
        yield from wanted
        return
    if args.count < 0 or args.count > len(known):
        raise Usage(f"--count: there are {len(known)} environments")
    if not known:
        raise Failure("there are no environments; compose some: legoenv compose")
    count = args.count or len(known)
    yield from (known[n * len(known) // count] for n in range(count))


def _named(words: str) -> list[str]:
    """The ids in a file (one a line, or a JSON list), or in the words themselves."""
    path = Path(words)
    if not os.path.isfile(words):  # Path.is_file would raise for a list that is too long for a name
        if path.suffix or "/" in words:
            raise Usage(f"--envs {words}: there is no such file")
        return [name.strip() for name in words.split(",") if name.strip()]
    text = path.read_text(encoding="utf-8")
    try:
        found = json.loads(text) if text.lstrip().startswith("[") else text.split()
    except ValueError as error:
        raise Usage(f"--envs {words}: {error}") from None
    if not found or not all(isinstance(name, str) for name in found):
        raise Usage(f"--envs {words} holds no list of environment ids")
    return found
