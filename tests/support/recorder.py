"""Which operations the tests have called with success, and which tables a read looked into: a write that no test calls is a write
that nobody has seen work, and a table that no read looks into holds what no agent can learn.

In a test process the recorder is a plugin (conftest.py); in the gateways that tests start it is this module run as a program. Each
process leaves a file in the folder named by LEGOENV_TEST_CALLS.
"""

import atexit
import json
import os
import re
import signal
import sys
import uuid
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.kernel.operations import Operation

FOLDER = "LEGOENV_TEST_CALLS"
calls: set[tuple[str, str]] = set()
tables: set[tuple[str, str]] = set()
_TRACED = 400
_traced: Counter[tuple[str, str]] = Counter()
_WORD = re.compile(r"\w+")


def _running(*tests: str) -> bool:
    return os.environ.get("PYTEST_CURRENT_TEST", "").startswith(tests)


def install() -> None:
    """From now on, successful calls are noted, but not those by the fuzz of tests/fleet and tests/hostile: it asserts nothing of their
    effect."""
    perform, journalled = LiveApp.perform, LiveApp._journalled  # pyright: ignore[reportPrivateUsage]

    def noted(self: LiveApp, operation: Operation, arguments: dict[str, Any], reply: Any, changed: int) -> Any:
        if reply.status < 400 and not _running("tests/fleet/test_every_app", "tests/hostile/"):
            calls.add((self.app.slug, operation.tool))
        return journalled(self, operation, arguments, reply, changed)

    def traced(self: LiveApp, operation: Operation, arguments: Mapping[str, Any], request: Request) -> Any:
        """The statements of reads are looked at for tables, as long as some table of the app has not been seen."""
        one = (self.app.slug, operation.tool)
        missing = operation.reads and any((self.app.slug, table) not in tables for table in self.app.shapes)
        if not missing or _traced[one] >= _TRACED or _running("tests/hostile/"):
            return perform(self, operation, arguments, request)
        _traced[one] += 1
        statements = list[str]()
        connection = self.store.connection
        connection.set_trace_callback(statements.append)
        try:
            return perform(self, operation, arguments, request)
        finally:
            connection.set_trace_callback(None)
            words = {word for statement in statements for word in _WORD.findall(statement)}
            tables.update((self.app.slug, table) for table in words & self.app.shapes.keys())

    LiveApp._journalled = noted  # pyright: ignore[reportPrivateUsage]
    LiveApp.perform = traced


def leave() -> None:
    """Writes down what was called."""
    folder = os.environ.get(FOLDER)
    if folder and (calls or tables) and Path(folder).is_dir():
        text = json.dumps({"calls": sorted(calls), "tables": sorted(tables)})
        (Path(folder) / f"{uuid.uuid4().hex}.json").write_text(text, encoding="utf-8")


def gathered(folder: Path, what: str) -> set[tuple[str, str]]:
    """All `calls` or `tables` of any process."""
    left = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    return {tuple(one) for found in left for one in found[what]}


def gaps(folder: Path) -> list[str]:
    """What a run of every test has left unseen."""
    called, read = gathered(folder, "calls"), gathered(folder, "tables")
    found = list[str]()
    for info in registry.apps():
        app = registry.load(info.slug)
        unseen = [op.tool for op in app.operations.values() if not op.reads and (info.slug, op.tool) not in called]
        if unseen:
            found.append(f"{info.slug}: no test calls with success: {', '.join(unseen)}")
        shown = [table for table, shape in app.shapes.items() if not shape.cls.hidden_table]
        if hidden := [table for table in shown if (info.slug, table) not in read]:
            found.append(f"{info.slug}: no read looks into: {', '.join(hidden)}")
    return found


def main() -> int:
    """`legoenv`, recorded."""
    from legoenv_mcp.cli import main as legoenv

    install()
    atexit.register(leave)
    signal.signal(signal.SIGUSR1, lambda *_: leave())
    return legoenv(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
