"""`legoenv serve | gateway`: apps for MCP clients and vendors' SDKs."""

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legoenv_mcp.cli import words
from legoenv_mcp.cli.errors import Failure, Usage

if TYPE_CHECKING:
    import socket

    from legoenv_mcp.gateway.access import Names
    from legoenv_mcp.gateway.running import Tls
    from legoenv_mcp.kernel.episode import Episode

LINGER = 2.0
"""Seconds that a replica goes on answering after its end is announced: routers ask every half a second."""


def add_parsers(commands: Any) -> None:
    one = commands.add_parser("serve", help="serve apps over stdio or HTTP")
    one.add_argument("slugs", nargs="*", metavar="SLUG")
    one.add_argument(
        "--environment", default="", metavar="ENV",
        help="an environment instead: its apps in its start state, graded at /episode/grade",
    )  # fmt: skip
    one.add_argument("--http", action="store_true", help="streamable HTTP at /mcp instead of stdio")
    _listening(one, 8000)
    one.add_argument("--db", type=Path, metavar="DIR", help="keep the state here; it survives a restart")
    one.add_argument("--world", metavar="W", help="the world the apps are filled from")
    one.add_argument("--seed", default="", metavar="S", help="what ids are drawn from")
    one.add_argument(
        "--toolset", choices=("mcp", "api"), default="mcp", help="`api`: the two tools api_search and api_request"
    )
    one.add_argument(
        "--token",
        default=os.environ.get("LEGOENV_TOKEN", ""),
        metavar="T",
        help="bearer token that callers must send (LEGOENV_TOKEN)",
    )
    one.add_argument(
        "--control-token", default=os.environ.get("LEGOENV_CONTROL_TOKEN", ""), metavar="C",
        help="with --environment: bearer token for /episode; agents then only have --token (LEGOENV_CONTROL_TOKEN)",
    )  # fmt: skip
    one.set_defaults(run=serve)

    whole = commands.add_parser("gateway", help="the whole fleet over HTTP in one process")
    _listening(whole, 8765)
    whole.add_argument(
        "--token",
        default=os.environ.get("LEGOENV_TOKEN", ""),
        metavar="T",
        help="bearer token for every path but /healthz (LEGOENV_TOKEN)",
    )
    whole.add_argument(
        "--control-token", default=os.environ.get("LEGOENV_CONTROL_TOKEN", ""), metavar="C",
        help="bearer token for making, grading and ending episodes; agents then only have --token (LEGOENV_CONTROL_TOKEN)",
    )  # fmt: skip
    whole.add_argument("--max-episodes", type=words.count, default=2000, metavar="N")
    whole.add_argument(
        "--idle-timeout",
        type=_seconds,
        default=1800.0,
        metavar="SECONDS",
        help="an episode untouched for so long is collected",
    )
    whole.add_argument(
        "--max-body", type=words.count, default=4 * 1024 * 1024, metavar="BYTES", help="the largest request body taken"
    )
    whole.add_argument("--db", type=Path, metavar="DIR", help="keep episodes here; they survive a restart")
    whole.add_argument(
        "--memory", type=words.count, metavar="MB",
        help="what episodes may take; beyond it the longest unused are kept as what they changed (half of the memory, at most 1024)",
    )  # fmt: skip
    whole.add_argument("--world", metavar="W", help="the world of episodes that name none")
    whole.add_argument(
        "--replica", type=_replica, default=os.environ.get("LEGOENV_REPLICA", ""), metavar="NAME",
        help="this gateway's name among replicas; episodes' ids carry it, for a router (LEGOENV_REPLICA)",
    )  # fmt: skip
    whole.add_argument(
        "--drain", type=_seconds, default=0.0, metavar="SECONDS",
        help="after a SIGTERM, open episodes may go on for so long while no new ones are taken",
    )  # fmt: skip
    whole.set_defaults(run=gateway)


def _listening(parser: argparse.ArgumentParser, port: int) -> None:
    parser.add_argument("--host", default="127.0.0.1", metavar="H")
    parser.add_argument("--port", type=words.port, default=port, metavar="P", help="0 takes a free one")
    parser.add_argument(
        "--allowed-host", action="append", default=[n for n in os.environ.get("LEGOENV_ALLOWED_HOSTS", "").split(",") if n], metavar="NAME",
        help="a host name this server may be reached by, beside loopback and --host; `*` for any (LEGOENV_ALLOWED_HOSTS)",
    )  # fmt: skip
    parser.add_argument(
        "--request-timeout", type=_seconds, default=30.0, metavar="SECONDS",
        help="how long a client may take over a request's head, each further piece of its body, and taking an answer",
    )  # fmt: skip
    parser.add_argument(
        "--call-limit", type=_seconds, default=5.0, metavar="SECONDS",
        help="processor time that one call may take before it is broken off",
    )  # fmt: skip
    parser.add_argument("--tls-cert", type=Path, metavar="FILE")
    parser.add_argument("--tls-key", type=Path, metavar="FILE")


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value


def _replica(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]{0,16}", text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no replica's name: up to 16 lower-case letters, digits and hyphens"
        )
    return text


# Shared


def known(slugs: list[str]) -> tuple[str, ...]:
    from legoenv_mcp import registry

    for slug in slugs:
        try:
            registry.folder(slug)
        except registry.UnknownApp as error:
            raise Usage(str(error)) from None
    return tuple(dict.fromkeys(slugs))


def _token(text: str) -> str:
    if not text.isascii() or any(c.isspace() for c in text):
        raise Usage("a token is ASCII text without spaces")
    return text


def _tls(args: argparse.Namespace) -> "Tls | None":
    if (args.tls_cert is None) != (args.tls_key is None):
        raise Usage("--tls-cert and --tls-key go together")
    if args.tls_cert is None:
        return None
    import ssl

    from legoenv_mcp.gateway.running import Tls

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(args.tls_cert, args.tls_key)
    except (OSError, ssl.SSLError) as error:
        raise Failure(f"cannot use the certificate {args.tls_cert} with the key {args.tls_key}: {error}") from None
    return Tls(args.tls_cert, args.tls_key)


def _bound(args: argparse.Namespace) -> "tuple[socket.socket, Names]":
    from legoenv_mcp.gateway.access import Names
    from legoenv_mcp.gateway.running import CannotListen, bind

    try:
        return bind(args.host, args.port), Names(args.host, args.allowed_host)
    except CannotListen as error:
        raise Failure(str(error)) from None


def _warn_if_open(host: str, token: str) -> None:
    if host not in ("127.0.0.1", "localhost", "::1") and not token:
        say(f"legoenv: warning: anyone who reaches {host} can use this server; --token asks for a password")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# serve


def serve(args: argparse.Namespace) -> int:
    if bool(args.slugs) == bool(args.environment):
        raise Usage("name the apps to serve: SLUG... (see: legoenv apps), or --environment ENV")
    _token(args.token)
    if args.environment:
        return _serve_environment(args)
    slugs = known(args.slugs)
    return _serve_http(args, slugs) if args.http else _serve_stdio(args, slugs)


def _episode(args: argparse.Namespace, slugs: tuple[str, ...]) -> "Episode":
    """The one episode that is served: in memory, or taken up again from --db."""
    from legoenv_mcp import templates, worlds
    from legoenv_mcp.gateway.single import open_episode

    world = args.world or templates.DEFAULT_WORLD
    check_world(world)
    try:
        if args.db is not None:
            world = _claim(args.db, args.world, world)
        return open_episode(slugs, world, args.seed, args.db)
    except LookupError as error:
        raise Usage(str(error.args[0])) from None
    except worlds.WorldError as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(f"{args.db}: {error.strerror or error}") from None


def _claim(folder: Path, wanted: str | None, world: str) -> str:
    """Takes the folder for this process; answers the world that its state was made from."""
    from legoenv_mcp.gateway.store import MANIFEST, StoreError, finish_clearing, lock

    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock(folder)
    except StoreError as error:
        raise Failure(str(error)) from None
    finish_clearing(folder)
    manifest = folder / MANIFEST
    try:
        found = str(json.loads(manifest.read_text(encoding="utf-8"))["world"])
    except FileNotFoundError:
        fresh = manifest.with_suffix(".new")
        fresh.write_text(json.dumps({"world": world}), encoding="utf-8")
        fresh.replace(manifest)
        return world
    except (ValueError, KeyError, TypeError):
        raise Failure(f"{manifest} is not an episode's manifest") from None
    if wanted and wanted != found:
        raise Failure(
            f"{folder} holds a state of the world {found!r}, not of {wanted!r}: take another --db, or leave out --world"
        )
    return found


def _serve_environment(args: argparse.Namespace) -> int:
    """An environment's one episode. Over HTTP it can be graded, by whoever has the control token."""
    from legoenv_mcp.controller import environments
    from legoenv_mcp.gateway.store import clear

    if args.world or args.seed:
        raise Usage("an environment brings its own world and seed: leave out --world and --seed")
    try:
        environment = environments.load(args.environment)
    except environments.UnknownEnvironment as error:
        raise Usage(str(error)) from None
    try:
        if args.db is not None:
            _claim(args.db, None, environment.world)
    except OSError as error:
        raise Failure(f"{args.db}: {error.strerror or error}") from None

    def begin() -> "Episode":
        episode = environment.episode(args.db)
        for slug in environment.apps:
            episode.app(slug)
        return episode

    def again() -> "Episode":
        if args.db is not None:
            clear(args.db)
        return begin()

    try:
        episode = begin()
    except OSError as error:
        raise Failure(f"{args.db}: {error.strerror or error}") from None
    if not args.http:
        return _serve_stdio(args, environment.apps, episode)
    from legoenv_mcp.gateway import single
    from legoenv_mcp.gateway.access import Tokens
    from legoenv_mcp.gateway.front import BODY_LIMIT, Front
    from legoenv_mcp.gateway.running import address, run

    tls = _tls(args)
    listening, names = _bound(args)
    _warn_if_open(args.host, args.token or args.control_token)
    house = single.Single(episode, toolset=args.toolset, body_limit=BODY_LIMIT, environment=environment, again=again)
    tokens = Tokens(args.token, _token(args.control_token))
    front = Front(lambda: house, names=names, tokens=tokens, parse=single.parse_environment)
    url = address(listening, args.host, tls)
    run(
        front,
        listening,
        tls=tls,
        started=lambda: say(f"legoenv: serving {environment.id} at {url}/mcp"),
        call_limit=args.call_limit,
        patience=args.request_timeout,
    )
    return 0


def _serve_stdio(args: argparse.Namespace, slugs: tuple[str, ...], episode: "Episode | None" = None) -> int:
    import logging

    import anyio
    from mcp.server.stdio import stdio_server

    from legoenv_mcp.faces import mcp as mcp_face
    from legoenv_mcp.kernel.bounds import bound_calls

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    bound_calls(args.call_limit)
    episode = episode or _episode(args, slugs)
    server = mcp_face.serve(episode, slugs, toolset=args.toolset)

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    try:
        anyio.run(run)
    finally:
        episode.close()
    return 0


def _serve_http(args: argparse.Namespace, slugs: tuple[str, ...]) -> int:
    from legoenv_mcp.gateway import single
    from legoenv_mcp.gateway.access import Tokens
    from legoenv_mcp.gateway.front import BODY_LIMIT, Front
    from legoenv_mcp.gateway.running import address, run

    tls = _tls(args)
    listening, names = _bound(args)
    _warn_if_open(args.host, args.token)
    house = single.Single(_episode(args, slugs), toolset=args.toolset, body_limit=BODY_LIMIT)
    front = Front(lambda: house, names=names, tokens=Tokens(agent=args.token), parse=single.parse)
    url = address(listening, args.host, tls)
    run(
        front,
        listening,
        tls=tls,
        started=lambda: say(f"legoenv: serving {', '.join(slugs)} at {url}/mcp"),
        call_limit=args.call_limit,
        patience=args.request_timeout,
    )
    return 0


# gateway


def gateway(args: argparse.Namespace) -> int:
    from legoenv_mcp.gateway.access import Tokens
    from legoenv_mcp.gateway.front import Front
    from legoenv_mcp.gateway.running import address, run

    tokens = Tokens(_token(args.token), _token(args.control_token))
    tls = _tls(args)
    store = None
    if args.db is not None:
        from legoenv_mcp.gateway.store import Store, StoreError

        try:
            store = Store(args.db)
        except StoreError as error:
            raise Failure(str(error)) from None
    if args.world:
        check_world(args.world)
    listening, names = _bound(args)
    _warn_if_open(args.host, args.token)

    def load() -> Any:
        from legoenv_mcp.gateway.fleet import Fleet

        return Fleet(
            limit=args.max_episodes,
            idle=args.idle_timeout,
            body_limit=args.max_body,
            tokens=tokens,
            world=args.world or "",
            store=store,
            replica=args.replica,
            memory=args.memory and args.memory * 1024 * 1024,
        )

    front = Front(load, names=names, tokens=tokens, limit=args.max_body)
    url = address(listening, args.host, tls)
    run(
        front,
        listening,
        tls=tls,
        started=lambda: say(f"legoenv: gateway at {url}"),
        drain=args.drain,
        linger=LINGER if args.replica else 0,
        call_limit=args.call_limit,
        patience=args.request_timeout,
    )
    return 0


def check_world(world: str) -> None:
    from legoenv_mcp import worlds

    try:
        known = [info.id for info in worlds.worlds()]
    except worlds.WorldError as error:
        raise Failure(str(error)) from None
    if world not in known:
        raise Usage(f"no world {world!r}; there are: {', '.join(known)}")
