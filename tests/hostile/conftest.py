"""A gateway whose calls count for nothing: what is thrown at it here is no test of what an operation does."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import legoenv_mcp
from tests.conftest import Gateway, Process

PLAIN = Path(legoenv_mcp.__file__).with_name("cli") / "__main__.py"


class PlainGateway(Gateway):
    """A gateway as users start it, without the recorder of tests/support."""

    def __init__(self, *words: str, env: dict[str, str] | None = None, token: str = "") -> None:
        Process.__init__(self, "gateway", "--port", "0", *words, env=env, script=str(PLAIN))
        self.token = token


@pytest.fixture(scope="session")
def attacked() -> Iterator[PlainGateway]:
    """The gateway that hostile tests share. Whatever they send, it is alive at the end and has not failed once."""
    running = PlainGateway()
    yield running
    try:
        assert running.request("GET", "/healthz").json()["status"] == "ok"
        assert "Traceback" not in running.read_log(), running.log.decode()
    finally:
        running.kill()
