"""`legoenv fleet`: apps as containers of one Docker engine, and manifests for many machines."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legoenv_mcp.cli import words
from legoenv_mcp.cli.errors import Failure, Usage
from legoenv_mcp.cli.output import print_json, progress, table

if TYPE_CHECKING:
    from legoenv_mcp.fleet.containers import Fleet, Running, Settings


def add_parsers(commands: Any) -> None:
    fleet = commands.add_parser("fleet", help="apps as containers")
    verbs = fleet.add_subparsers(dest="verb", metavar="COMMAND", required=True)

    made = verbs.add_parser("build", help="build the images of apps, the gateway and the router")
    _apps(made)
    made.add_argument(
        "--base", metavar="IMAGE", help="the base image: Debian with Python 3.11 or newer (python:3.x-slim)"
    )
    made.add_argument("--router-base", metavar="IMAGE", help="the router's base image (HAProxy's own)")
    made.add_argument(
        "--context", type=Path, metavar="DIR", help="only write out what images are built from, for another builder"
    )
    made.add_argument("--json", action="store_true")
    made.set_defaults(run=build)

    up = verbs.add_parser("up", help="start apps, or an environment's apps as one episode")
    _apps(up)
    _named(up)
    up.add_argument(
        "--environment",
        metavar="ENV",
        help="an episode across containers: this environment's apps with its start state",
    )
    up.add_argument("--world", metavar="W", help="the world the apps are filled from")
    up.add_argument(
        "--persist", action="store_true", help="keep the state in a volume: it survives down and up, and a kill"
    )
    up.add_argument(
        "--port", type=words.port, metavar="P", help="of 127.0.0.1, for all apps (8800; 0 takes a free one)"
    )
    up.add_argument("--memory", type=_size, default="256m", metavar="M", help="of each container (256m)")
    up.add_argument("--cpus", type=_cpus, default=1.0, metavar="N", help="of each container (1)")
    up.add_argument(
        "--pids", type=words.count, default=64, metavar="N", help="processes and threads of each container (64)"
    )
    up.add_argument("--json", action="store_true")
    up.set_defaults(run=start)

    shown = verbs.add_parser("ps", help="the containers and their addresses")
    _named(shown)
    shown.add_argument("--json", action="store_true")
    shown.set_defaults(run=ps)

    said = verbs.add_parser("logs", help="what an app's container has said")
    said.add_argument("slug", metavar="SLUG")
    _named(said)
    said.add_argument("--follow", "-f", action="store_true")
    said.add_argument("--tail", type=words.count, metavar="N", help="the last lines only")
    said.set_defaults(run=logs)

    inside = verbs.add_parser("exec", help="run a command in an app's container")
    _named(inside)
    inside.add_argument("slug", metavar="SLUG")
    inside.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND")
    inside.set_defaults(run=execute)

    used = verbs.add_parser("stats", help="what the containers use")
    _named(used)
    used.add_argument("--json", action="store_true")
    used.set_defaults(run=stats)

    back = verbs.add_parser("reset", help="back to the start, also of what --persist kept")
    back.add_argument("slugs", nargs="*", metavar="SLUG", help="all that are up unless named")
    _named(back)
    back.set_defaults(run=reset)

    off = verbs.add_parser("down", help="remove containers")
    off.add_argument("slugs", nargs="*", metavar="SLUG", help="all that are up unless named")
    _named(off)
    off.add_argument("--volumes", action="store_true", help="what --persist kept goes too")
    off.set_defaults(run=down)

    judged = verbs.add_parser("grade", help="grade an episode across containers")
    judged.add_argument("episode", metavar="ID", help="as `fleet up --environment` printed it")
    judged.add_argument("--answer", metavar="TEXT")
    judged.add_argument("--json", action="store_true")
    judged.set_defaults(run=grade)

    listed = verbs.add_parser("catalog", help="a catalogue file for Docker's MCP gateway")
    _apps(listed)
    listed.add_argument("--out", type=Path, metavar="FILE", help="standard output unless given")
    listed.set_defaults(run=catalog)

    for_many = verbs.add_parser("manifest", help="a manifest for Compose, Swarm or Kubernetes")
    _apps(for_many, "apps; the gateway where none is named")
    for_many.add_argument("--kind", choices=("compose", "swarm", "k8s"), required=True)
    for_many.add_argument("--replicas", type=words.count, default=2, metavar="N", help="of the gateway (2; at most 16)")
    for_many.add_argument("--persist", action="store_true", help="keep state in volumes")
    for_many.add_argument("--port", type=words.port, metavar="P", help="the published port (apps 8800, gateway 8765)")
    for_many.add_argument("--world", metavar="W")
    for_many.add_argument("--tag", default="latest", metavar="T", help="of the images")
    for_many.add_argument(
        "--drain",
        type=words.count,
        default=600,
        metavar="SECONDS",
        help="a replaced replica's episodes may end for so long",
    )
    for_many.add_argument("--out", type=Path, metavar="FILE", help="standard output unless given")
    for_many.set_defaults(run=manifest)


def _apps(parser: argparse.ArgumentParser, what: str = "apps") -> None:
    parser.add_argument("slugs", nargs="*", metavar="SLUG", help=what)
    parser.add_argument("--all", action="store_true", help="every app")


def _named(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fleet", default="legoenv", metavar="NAME", help="fleets of different names do not see each other (legoenv)"
    )


def _cpus(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0.01 <= value <= 1024:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of cores, such as 0.5")
    return value


def _size(text: str) -> str:
    if not text[:-1].isdecimal() or text[-1].lower() not in "kmg":
        raise argparse.ArgumentTypeError(f"{text!r} is not a size, such as 256m or 1g")
    return text.lower()


@contextmanager
def _refusals() -> Iterator[None]:
    from legoenv_mcp.fleet.engine import EngineError

    try:
        yield
    except EngineError as error:
        raise Failure(str(error)) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failure(f"{error.filename or ''}: {error.strerror or error}".removeprefix(": ")) from None


def _chosen(args: argparse.Namespace, *, needed: bool = True) -> list[str]:
    from legoenv_mcp import registry

    if args.all:
        if args.slugs:
            raise Usage("name apps, or give --all")
        return registry.slugs()
    if needed and not args.slugs:
        raise Usage("name apps, or give --all; `legoenv apps` lists them")
    for slug in args.slugs:
        try:
            registry.folder(slug)
        except registry.UnknownApp as error:
            raise Usage(str(error)) from None
    return list(dict.fromkeys(args.slugs))


def _fleet(args: argparse.Namespace) -> "Fleet":
    from legoenv_mcp.fleet.containers import Fleet

    return Fleet(args.fleet)


def _world(args: argparse.Namespace) -> str:
    from legoenv_mcp import worlds

    if args.world and args.world not in (known := [w.id for w in worlds.worlds()]):
        raise Usage(f"no world {args.world!r}; there are: {', '.join(known)}")
    return args.world or ""


# Images


def build(args: argparse.Namespace) -> int:
    slugs = _chosen(args)
    with _refusals():
        from legoenv_mcp.fleet import images

        base, router_base = args.base or images.BASE, args.router_base or images.ROUTER_BASE
        if args.context is not None:
            images.export_context(args.context, base)
            print(f"docker build --build-arg BASE={base} --target gateway -t {images.name('gateway')} {args.context}")
            return 0
        with progress("building", images.steps(slugs), quiet=args.json) as advance:
            done = images.build(slugs, base=base, router_base=router_base, report=advance)
    if args.json:
        print_json([image.as_json() for image in done])
        return 0
    rows = [
        (i.name, i.version, i.atoms[:12], f"{i.size / 1e6:.0f} MB", "built" if i.built else "up to date") for i in done
    ]
    table(("image", "version", "atoms", "size", ""), rows, right=(3,))
    return 0


# Containers


def start(args: argparse.Namespace) -> int:
    from legoenv_mcp.fleet.containers import PORT, Settings

    settings = Settings(_world(args), args.persist, args.memory, args.cpus, args.pids)
    if args.environment is not None:
        return _begin(args, settings)
    slugs = _chosen(args)
    with _refusals(), progress("starting", len(slugs), quiet=args.json) as advance:
        up = _fleet(args).up(slugs, settings, port=PORT if args.port is None else args.port, report=advance)
    _show(up, args.json)
    return 0


def _begin(args: argparse.Namespace, settings: "Settings") -> int:
    if args.slugs or args.all or args.world or args.persist:
        raise Usage("an environment brings its own apps, world and state: give --environment alone")
    with _refusals():
        from legoenv_mcp.fleet import episodes

        try:
            with progress("starting", 1, quiet=True) as advance:
                episode = episodes.begin(args.environment, settings, port=args.port or 0, report=advance)
        except LookupError as error:
            raise Usage(str(error.args[0])) from None
    if args.json:
        print_json(episode.as_json())
        return 0
    print(f"{episode.instruction}\n")
    table(("app", "mcp"), [(one.app, one.mcp) for one in episode.apps])
    print(f"\nGrade it: legoenv fleet grade {episode.id}\nEnd it:   legoenv fleet down --fleet {episode.id}")
    return 0


def grade(args: argparse.Namespace) -> int:
    with _refusals():
        from legoenv_mcp.fleet import episodes

        verdict, diff = episodes.grade(args.episode, args.answer)
    if verdict.reward is None:
        raise Failure(f"the verifier failed, so there is no reward: {verdict.fault}")
    if args.json:
        assertions = [{"name": a.name, "passed": a.passed, "detail": a.detail} for a in verdict.assertions]
        print(
            json.dumps(
                {"reward": verdict.reward, "passed": verdict.passed, "assertions": assertions, "diff": diff},
                default=repr,
            )
        )
    else:
        rows = [(a.name, "passed" if a.passed else "failed", a.detail) for a in verdict.assertions]
        table(("assertion", "", "detail"), rows)
        print(f"reward {verdict.reward:g}, {len(diff)} rows changed")
    return 0 if verdict.passed else 1


def ps(args: argparse.Namespace) -> int:
    with _refusals():
        _show(_fleet(args).ps(), args.json)
    return 0


def _show(up: "list[Running]", as_json: bool) -> None:
    if as_json:
        print_json([one.as_json() for one in up])
        return
    rows = [(o.app, o.state, o.health, o.world or "", "kept" if o.persist else "", o.mcp) for o in up]
    table(("app", "state", "health", "world", "data", "mcp"), rows)


def logs(args: argparse.Namespace) -> int:
    with _refusals():
        for chunk in _fleet(args).logs(args.slug, follow=args.follow, tail=args.tail):
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
    return 0


def execute(args: argparse.Namespace) -> int:
    words = args.words[1:] if args.words[:1] == ["--"] else args.words
    if not words:
        raise Usage("say what to run: legoenv fleet exec SLUG -- COMMAND")
    with _refusals():
        code, out, err = _fleet(args).exec(args.slug, words)
    sys.stdout.buffer.write(out)
    sys.stdout.buffer.flush()
    sys.stderr.buffer.write(err)
    return code


def stats(args: argparse.Namespace) -> int:
    with _refusals():
        used = _fleet(args).stats()
    if args.json:
        print_json([one.as_json() for one in used])
        return 0
    rows = [
        (u.app, f"{u.cpu:.1f} %", f"{u.memory / 2**20:.1f} MiB", f"{u.limit / 2**20:.0f} MiB", str(u.pids))
        for u in used
    ]
    table(("app", "cpu", "memory", "limit", "pids"), rows, right=(1, 2, 3, 4))
    return 0


def reset(args: argparse.Namespace) -> int:
    with _refusals():
        print(f"reset: {', '.join(_fleet(args).reset(args.slugs)) or 'nothing is up'}")
    return 0


def down(args: argparse.Namespace) -> int:
    with _refusals():
        gone = _fleet(args).down(args.slugs, volumes=args.volumes)
    print(f"removed: {', '.join(gone) or 'nothing was up'}")
    return 0


# For other programs


def catalog(args: argparse.Namespace) -> int:
    from legoenv_mcp.fleet.catalog import catalog as made

    _write(made(_chosen(args)), args.out)
    return 0


def manifest(args: argparse.Namespace) -> int:
    from legoenv_mcp.fleet import manifests

    slugs = _chosen(args, needed=False)
    if args.replicas > manifests.MAX_REPLICAS:
        raise Usage(f"the router knows {manifests.MAX_REPLICAS} replicas; run several gateways for more")
    options = manifests.Options(
        replicas=args.replicas, persist=args.persist, port=args.port or (8800 if slugs else 8765), world=_world(args), tag=args.tag,
        drain=args.drain,
    )  # fmt: skip
    _write(manifests.manifest(args.kind, slugs, options), args.out)
    return 0


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
        return
    with _refusals():
        out.write_text(text, encoding="utf-8")
    print(f"wrote {out}", file=sys.stderr)
