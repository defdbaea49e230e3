"""Server processes: started, awaited, looked at, ended."""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from bench.connection import PATIENCE, Connection, Unexpected


class Process:
    """A server that says its address on standard error."""

    def __init__(self, running: asyncio.subprocess.Process) -> None:
        self._running = running
        self.url = ""
        self._listening: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> "Process":
        """Starts it and waits until it takes connections. Unexpected, with what it said, where it ends before that."""
        pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        running = await asyncio.create_subprocess_exec(
            *map(str, command), env={**os.environ, **(environment or {})}, stdin=null, stdout=null, stderr=pipe
        )
        process = cls(running)
        try:
            async with asyncio.timeout(PATIENCE):
                await process._await_address(command)
                await process._await_connections()
        except BaseException:
            await process.stop()
            raise
        process._listening = asyncio.create_task(process._drain())
        return process

    async def _await_address(self, command: Sequence[str | Path]) -> None:
        assert self._running.stderr is not None
        said = list[str]()
        while line := (await self._running.stderr.readline()).decode(errors="replace"):
            said.append(line)
            if found := next((word for word in line.split() if word.startswith("http://")), ""):
                self.url = found.rstrip("/")
                return
        raise Unexpected(f"{' '.join(map(str, command))} ended before it listened:\n{''.join(said[-20:])}")

    async def _await_connections(self) -> None:
        while True:
            try:
                (await Connection.to(self.url)).close()
                return
            except OSError:
                await asyncio.sleep(0.002)

    async def _drain(self) -> None:
        """Reads on, so that a server that talks does not stall."""
        assert self._running.stderr is not None
        while await self._running.stderr.read(65536):
            pass

    @property
    def origin(self) -> str:
        """The address without its path."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    def memory(self) -> float:
        """Resident megabytes."""
        return resident(self._running.pid)

    async def stop(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
        if self._running.returncode is None:
            self._running.kill()
        await self._running.wait()


def resident(pid: int) -> float:
    """Resident megabytes of a process."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise Unexpected(f"process {pid} has ended")


def now() -> float:
    return time.perf_counter()
