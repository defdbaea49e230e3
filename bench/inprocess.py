"""Contenders that are libraries: each lives in a worker process of its own, where it is called without a connection."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from bench.connection import PATIENCE, Unexpected
from bench.contender import KINDS, MIX, Contender, check, kilobytes
from bench.install import Installed
from bench.process import now


class InProcess(Contender):
    """A worker process (`servers/worker.py`) and what it is told."""

    parallel = False

    def __init__(self, name: str, python: Path, word: str) -> None:
        self.name, self._command = name, (str(python), str(Path(__file__).parent / "servers" / "worker.py"), word)
        self._worker: asyncio.subprocess.Process
        self._memory = 0.0

    async def _launch(self) -> asyncio.subprocess.Process:
        pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        worker = await asyncio.create_subprocess_exec(*self._command, stdin=pipe, stdout=pipe, stderr=null, limit=2**24)
        try:
            await self._answer(worker)
        except BaseException:
            await _end(worker)
            raise
        return worker

    async def _answer(self, worker: asyncio.subprocess.Process) -> Any:
        assert worker.stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = await worker.stdout.readline()
        if not line:
            raise Unexpected(f"{' '.join(self._command)} ended")
        return json.loads(line)

    async def _tell(self, do: str, **given: Any) -> Any:
        assert self._worker.stdin is not None
        self._worker.stdin.write(json.dumps({"do": do, **given}).encode() + b"\n")
        return await self._answer(self._worker)

    async def cold_start(self) -> float:
        start = now()
        worker = await self._launch()
        took = now() - start
        await _end(worker)
        return took

    async def start(self) -> None:
        self._worker = await self._launch()
        for kind in KINDS:
            answer = json.loads(await self._tell("look", kind=kind))
            if kind != "list":  # tau2 lists 50 product types as one object
                check(kind, answer, self.name)
        self._memory = await self._tell("memory")

    async def stop(self) -> None:
        await _end(self._worker)

    async def latencies(self, kind: str, calls: int, after: str = "") -> list[float]:
        return await self._tell("latencies", kind=kind, calls=calls, after=after)

    async def size(self, kind: str) -> float:
        return kilobytes(json.loads(await self._tell("look", kind=kind)))

    async def throughput(self, clients: int, calls: int) -> float:
        return await self._tell("throughput", kinds=MIX, calls=calls)

    async def reset(self) -> float | None:
        return None  # a fresh episode is a further one

    async def episode(self) -> float | None:
        return await self._tell("episode", kinds=["list"])

    async def whole(self) -> float | None:
        return await self._tell("episode", kinds=MIX)

    def memory(self) -> float:
        return self._memory

    async def hold(self, episodes: int) -> float | None:
        return await self._tell("hold", episodes=min(episodes, 20))


def ours() -> InProcess:
    return InProcess("legoenv", Path(sys.executable), "legoenv")


def tau2(installed: Installed) -> InProcess:
    return InProcess("tau2", installed.python, "tau2")


async def _end(worker: asyncio.subprocess.Process) -> None:
    if worker.returncode is None:
        worker.kill()
    await worker.wait()
