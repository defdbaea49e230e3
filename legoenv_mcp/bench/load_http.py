"""A keep-alive HTTP/1.1 connection and no more, so that on a machine shared with its clients it is the server that is measured."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

PATIENCE = 60.0
"""Seconds after which an answer that has not come is counted as lost."""


class Lost(Exception):
    """The request got no whole answer: the message is the kind of loss."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class Connection:
    """One connection to a server, opened when it is needed; requests follow one another."""

    def __init__(self, url: str) -> None:
        split = urlsplit(url)
        self._host, self._port = split.hostname or "127.0.0.1", split.port or 80
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Answer:
        """Lost where no whole answer came."""
        lines = [f"{method} {path} HTTP/1.1", f"host: {self._host}:{self._port}", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        request = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
        try:
            async with asyncio.timeout(PATIENCE):
                # A connection that the server closed while we thought is no loss: nothing was sent over it.
                if self._reader is None or self._writer is None or self._reader.at_eof() or self._writer.is_closing():
                    self.close()
                    self._reader, self._writer = await asyncio.open_connection(self._host, self._port, limit=1 << 24)
                self._writer.write(request)
                return await self._answer(self._reader)
        except TimeoutError:
            self.close()
            raise Lost("timeout") from None
        except (OSError, asyncio.IncompleteReadError, ValueError, IndexError) as error:
            self.close()
            raise Lost(f"disconnect ({type(error).__name__})") from None

    async def _answer(self, reader: asyncio.StreamReader) -> Answer:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(await reader.readuntil(b"\r\n"), 16):
                body += (await reader.readexactly(size + 2))[:-2]
            await reader.readuntil(b"\r\n")
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.close()
        return Answer(int(head[0].split()[1]), headers, body)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None
