"""The `legoenv` command. Exit status: 0 done, 1 the thing asked for failed, 2 usage; bad input is one line, never a traceback.

A command's module is imported when the command is used: `legoenv apps` must not pay for the MCP SDK.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from legoenv_mcp.cli.errors import Failure, Usage

MODULES = {
    "environments": ("demo", "envs", "show", "prove", "play"),
    "composing": ("compose",),
    "evolving": ("evolve",),
    "apps": ("apps", "tools", "call", "lint"),
    "serve": ("serve", "gateway"),
    "client_config": ("config",),
    "bench": ("bench",),
    "fleet": ("fleet",),
    "evaluating": ("eval",),
    "exporting": ("export",),
    "reporting": ("report",),
    "new_app": ("new-app",),
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        """argparse prints the usage as well; the contract is one line that says what to do next."""
        self.exit(2, f"legoenv: {message} (see {self.prog} --help)\n")


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """The command line's parser: of all commands, or with the modules of one command only."""
    from legoenv_mcp import __version__

    top = _Parser(
        prog="legoenv", description="Real applications as MCP servers, and verifiable environments over them."
    )
    top.add_argument("--version", action="version", version=f"legoenv {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for module, names in MODULES.items():
        if command is None or command in names:
            importlib.import_module(f"legoenv_mcp.cli.{module}").add_parsers(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    known = {name for names in MODULES.values() for name in names}
    first = next((w for w in words if not w.startswith("-")), None)
    args = parser(first if first in known and words[0] == first else None).parse_args(words)
    try:
        return int(args.run(args) or 0)
    except (Usage, Failure) as error:
        print(f"legoenv: {error}", file=sys.stderr)
        return 2 if isinstance(error, Usage) else 1
    except KeyboardInterrupt:
        print("legoenv: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has gone (`legoenv apps | head`): not our failure, and Python must not report it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
