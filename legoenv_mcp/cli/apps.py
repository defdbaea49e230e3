"""`legoenv apps | tools | call | lint`: look at the fleet, call one tool, check the rules."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from legoenv_mcp.cli.errors import Failure, Usage
from legoenv_mcp.cli.output import print_json, table


def add_parsers(commands: Any) -> None:
    listing = commands.add_parser("apps", help="the fleet")
    listing.add_argument("--capability", metavar="C", help="only apps that have this capability")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=apps)

    listing = commands.add_parser("tools", help="an app's tools")
    listing.add_argument("slug")
    listing.add_argument("--json", action="store_true", help="as MCP's tools/list")
    listing.set_defaults(run=tools)

    one = commands.add_parser("call", help="call one tool and print its result as JSON")
    one.add_argument("slug")
    one.add_argument("tool")
    one.add_argument("arguments", nargs="?", default="{}", help="a JSON object")
    one.add_argument("--db", type=Path, metavar="DIR", help="keep the app's state here between calls")
    one.add_argument("--world", metavar="W", help="the world the app is filled from")
    one.set_defaults(run=call)

    check = commands.add_parser("lint", help="check apps, atoms and worlds against the rules")
    check.add_argument("slugs", nargs="*", metavar="SLUG")
    check.add_argument("--json", action="store_true")
    check.add_argument("--strict", action="store_true", help="warnings fail too")
    check.set_defaults(run=lint)


def known(slug: str) -> str:
    """The slug, if there is such an app; else Usage naming what there is."""
    from legoenv_mcp import registry

    try:
        registry.folder(slug)
    except registry.UnknownApp as error:
        raise Usage(str(error)) from None
    return slug


def apps(args: argparse.Namespace) -> int:
    from legoenv_mcp import registry

    found = [a for a in registry.apps() if args.capability is None or args.capability in a.capabilities]
    if args.json:
        print_json([a.as_json() for a in found])
        return 0
    if not found:
        there = sorted({c for a in registry.apps() for c in a.capabilities})
        raise Failure(f"no app has the capability {args.capability!r}; there are: {', '.join(there)}")
    rows = [(a.slug, a.name, ", ".join(a.capabilities), a.version, str(a.tools), str(a.tables)) for a in found]
    table(("slug", "name", "capabilities", "version", "tools", "tables"), rows, right=(4, 5))
    return 0


def tools(args: argparse.Namespace) -> int:
    from legoenv_mcp.faces.tools import listing

    found = listing(known(args.slug))
    if args.json:
        print_json(found)
        return 0
    rows = list[tuple[str, ...]]()
    for tool in found:
        hints, schema = tool["annotations"], tool["inputSchema"]
        kind = "read" if hints["readOnlyHint"] else "destructive" if hints["destructiveHint"] else "write"
        names = [n if n in schema.get("required", ()) else f"[{n}]" for n in schema["properties"]]
        rows.append((tool["name"], kind, tool["description"].split("\n")[0], ", ".join(names)))
    table(("tool", "kind", "what it does", "parameters"), rows)
    return 0


def call(args: argparse.Namespace) -> int:
    from legoenv_mcp import templates, worlds
    from legoenv_mcp.kernel.context import Reply
    from legoenv_mcp.kernel.episode import UnknownTool

    slug = known(args.slug)
    try:
        arguments = json.loads(args.arguments)
    except ValueError as error:
        raise Usage(f"the arguments are not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise Usage("the arguments must be a JSON object, as in '{\"limit\": 3}'")
    try:
        episode = templates.episode([slug], args.world or templates.DEFAULT_WORLD, directory=args.db)
        reply: Reply = episode.call(slug, args.tool, arguments)
    except UnknownTool:
        raise Usage(f"{slug} has no tool {args.tool!r}; `legoenv tools {slug}` lists them") from None
    except (worlds.WorldError, LookupError) as error:
        raise Usage(str(error)) from None
    except OSError as error:
        raise Failure(f"{args.db}: {error.strerror or error}") from None
    episode.close()
    if isinstance(reply.body, bytes):
        import base64

        print_json({"media_type": reply.media_type, "base64": base64.b64encode(reply.body).decode()})
    else:
        print_json(reply.body)
    return 1 if reply.error else 0


def lint(args: argparse.Namespace) -> int:
    from legoenv_mcp import lint as rules

    slugs = [known(slug) for slug in args.slugs] or None
    findings, passed, failed = rules.run(slugs, strict=args.strict)
    if args.json:
        print_json({"passed": passed, "failed": failed, "findings": [f.as_json() for f in findings]})
    else:
        warnings = sum(f.level == "warn" for f in findings)
        for finding in findings:
            if finding.level == "error" or args.strict:
                print(finding, file=sys.stderr)
        if warnings and not args.strict:
            print(f"{warnings} warnings (--strict shows them and fails by them)")
        print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
