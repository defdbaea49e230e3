"""Which operations the tests have called with success: a write that no test calls is a write that nobody has seen work.

In a test process the recorder is a plugin (conftest.py); in the gateways that tests start it is this module run as a program. Each
process leaves a file in the folder named by LEGOENV_TEST_CALLS.
"""

import atexit
import json
import os
import signal
import sys
import uuid
from pathlib import Path
from typing import Any

from legoenv_mcp.kernel.episode import LiveApp
from legoenv_mcp.kernel.operations import Operation

FOLDER = "LEGOENV_TEST_CALLS"
calls: set[tuple[str, str]] = set()


def install() -> None:
    """From now on, successful calls are noted. Calls by the fuzz of tests/fleet do not count: it asserts nothing of their effect."""
    journalled = LiveApp._journalled  # pyright: ignore[reportPrivateUsage]

    def noted(self: LiveApp, operation: Operation, arguments: dict[str, Any], reply: Any, changed: int) -> Any:
        if reply.status < 400 and "tests/fleet/test_every_app" not in os.environ.get("PYTEST_CURRENT_TEST", ""):
            calls.add((self.app.slug, operation.tool))
        return journalled(self, operation, arguments, reply, changed)

    LiveApp._journalled = noted  # pyright: ignore[reportPrivateUsage]


def leave() -> None:
    """Writes down what was called."""
    folder = os.environ.get(FOLDER)
    if folder and calls and Path(folder).is_dir():
        (Path(folder) / f"{uuid.uuid4().hex}.json").write_text(json.dumps(sorted(calls)), encoding="utf-8")


def called(folder: Path) -> set[tuple[str, str]]:
    """All that any process has called."""
    return {tuple(one) for path in folder.glob("*.json") for one in json.loads(path.read_text(encoding="utf-8"))}


def main() -> int:
    """`legoenv`, recorded."""
    from legoenv_mcp.cli import main as legoenv

    install()
    atexit.register(leave)
    signal.signal(signal.SIGUSR1, lambda *_: leave())
    return legoenv(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
