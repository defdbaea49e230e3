"""A worker of `legoenv_mcp.compat`, started with another virtual environment's Python and asked over JSON lines."""

import json
import os
import tempfile
from pathlib import Path
from subprocess import PIPE
from typing import Any, Self

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

import legoenv_mcp.compat

MAX_LINE = 1 << 28
LIMIT = 120.0
"""Seconds that one request may take."""


def stranger_environ() -> dict[str, str]:
    """What programs of a benchmark get to see: all but keys and tokens of ours and of the endpoint."""
    return {
        n: v for n, v in os.environ.items() if not n.startswith("LEGOENV_") and not n.endswith(("_API_KEY", "_TOKEN"))
    }


class WorkerFault(RuntimeError):
    """A worker died, was too slow, or could not do what was asked; one line."""


class Worker:
    """A running worker. One request at a time; its answers come in order."""

    def __init__(self, process: Process, errors: Any, home: tempfile.TemporaryDirectory[str]) -> None:
        assert process.stdout is not None
        self._process = process
        self._lines = BufferedByteReceiveStream(process.stdout)
        self._errors = errors
        self._home = home
        self._sent = 0
        self._turn = anyio.Lock()
        self.dead = False

    @classmethod
    async def start(cls, python: str, name: str) -> Self:
        """A worker, by the name of its file, run by `python`. WorkerFault where that Python cannot be started."""
        script = Path(legoenv_mcp.compat.__file__).with_name(f"{name}.py")
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        home = tempfile.TemporaryDirectory(prefix="legoenv-worker-", ignore_cleanup_errors=True)
        try:
            process = await anyio.open_process(
                [python, "-I", str(script)],
                stdin=PIPE,
                stdout=PIPE,
                stderr=errors,
                env=stranger_environ(),
                cwd=home.name,
            )
        except OSError as error:
            errors.close()
            home.cleanup()
            raise WorkerFault(f"{python}: {error.strerror}; name the Python that has the benchmark's package") from None
        return cls(process, errors, home)

    async def ask(self, op: str, **arguments: Any) -> Any:
        """What the worker answers. WorkerFault where it refuses, dies, or is too slow: then it is ended."""
        async with self._turn:
            self._sent += 1
            line = json.dumps({"id": self._sent, "op": op, **arguments}) + "\n"
            assert self._process.stdin is not None
            try:
                with anyio.fail_after(LIMIT):
                    await self._process.stdin.send(line.encode())
                    answer = json.loads(await self._lines.receive_until(b"\n", MAX_LINE))
            except TimeoutError:
                self._kill()
                raise WorkerFault(f"{op} took longer than {LIMIT:g} seconds") from None
            except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError):
                self._kill()
                raise WorkerFault(f"the worker ended: {self._last_words()}") from None
            except BaseException:
                self._kill()  # cancelled between question and answer: the next answer would be this question's
                raise
        if "error" in answer:
            raise WorkerFault(answer["error"])
        return answer["result"]

    async def close(self) -> None:
        with anyio.CancelScope(shield=True):
            self._kill()
            await self._process.aclose()
        self._errors.close()
        self._home.cleanup()

    def _kill(self) -> None:
        self.dead = True
        if self._process.returncode is None:
            self._process.kill()

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"
