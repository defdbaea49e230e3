"""A worker of `legoenv_mcp.compat`, started with another virtual environment's Python and asked over JSON lines."""

import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

import legoenv_mcp.compat

MAX_LINE = 1 << 28


class WorkerFault(RuntimeError):
    """A worker died, was too slow, or could not do what was asked; one line."""


class Worker:
    """A running worker. One request at a time; its answers come in order."""

    def __init__(self, process: Process, errors: Any, limit: float) -> None:
        assert process.stdout is not None
        self._process = process
        self._lines = BufferedByteReceiveStream(process.stdout)
        self._errors = errors
        self._limit = limit
        self._sent = 0
        self._turn = anyio.Lock()
        self.dead = False

    async def ask(self, op: str, **arguments: Any) -> Any:
        """What the worker answers. WorkerFault where it refuses, dies, or takes longer than its limit: then it is ended."""
        async with self._turn:
            self._sent += 1
            line = json.dumps({"id": self._sent, "op": op, **arguments}) + "\n"
            assert self._process.stdin is not None
            try:
                with anyio.fail_after(self._limit):
                    await self._process.stdin.send(line.encode())
                    answer = json.loads(await self._lines.receive_until(b"\n", MAX_LINE))
            except TimeoutError:
                self.end()
                raise WorkerFault(f"{op} took longer than {self._limit:g} seconds") from None
            except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError):
                self.end()
                raise WorkerFault(f"the worker ended: {self._last_words()}") from None
            except BaseException:
                self.end()  # cancelled between question and answer: the next answer would be this question's
                raise
        if "error" in answer:
            raise WorkerFault(answer["error"])
        return answer["result"]

    def end(self) -> None:
        self.dead = True
        if self._process.returncode is None:
            self._process.kill()

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


@asynccontextmanager
async def worker(python: str, name: str, limit: float = 120.0) -> AsyncIterator[Worker]:
    """A worker, by the name of its file, run by `python`; ended afterwards.

    limit: seconds that one request may take. WorkerFault where that Python cannot be started.
    """
    script = Path(legoenv_mcp.compat.__file__).with_name(f"{name}.py")
    with tempfile.TemporaryFile() as errors:
        try:
            process = await anyio.open_process([python, "-I", str(script)], stdin=PIPE, stdout=PIPE, stderr=errors)
        except OSError as error:
            raise WorkerFault(
                f"{python}: {error.strerror}; name the Python of the benchmark's virtual environment"
            ) from None
        made = Worker(process, errors, limit)
        try:
            yield made
        finally:
            with anyio.CancelScope(shield=True):
                made.end()
                await process.aclose()
