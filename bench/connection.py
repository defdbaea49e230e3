"""A client for the wires that are measured: HTTP/1.1 on a kept connection, MCP and REST above it, OpenEnv's web socket.

Its own cost is in every figure, of ours and of peers alike; so it is a protocol over httptools (some 30 µs a request) and not an HTTP
library, which would cost as much as the fastest server here and hide the difference.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, cast
from urllib.parse import urlsplit

import httptools
from websockets.asyncio.client import ClientConnection, connect

Json = dict[str, Any]
PATIENCE = 60.0
"""Seconds that an answer may take before the run is given up: a machine under load is slow, a lost answer never comes."""

PROTOCOL = "2025-11-25"
"""The newest revision of MCP that every server compared here speaks."""


class Unexpected(Exception):
    """A contender did not answer as it must; the message says what it answered."""


@dataclass(slots=True)
class Answer:
    """A response. `headers` have lower-case names."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""

    def json(self) -> Any:
        """The body's JSON; that of the one message where it is a stream of server-sent events."""
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            for line in self.body.splitlines():
                if line.startswith(b"data:") and line[5:].strip():
                    return json.loads(line[5:])
            raise Unexpected(f"an event stream without a message: {self.body[:200]!r}")
        return json.loads(self.body)


class Connection(asyncio.Protocol):
    """One kept HTTP/1.1 connection, one request at a time. One that the server has closed, as servers do when nothing comes for a few
    seconds, is opened anew by the next request."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._place = parts.hostname or "", parts.port or 80
        self._answer = Answer()
        self._waiting: asyncio.Future[Answer] | None = None
        self._parser: httptools.HttpResponseParser
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def to(cls, url: str) -> "Connection":
        """Connects. OSError where nobody listens."""
        made = cls(url)
        await made._connect()
        return made

    async def _connect(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        await asyncio.get_running_loop().create_connection(lambda: self, *self._place)

    async def send(self, request: bytes) -> Answer:
        """Sends a whole request. OSError where the connection breaks, TimeoutError where nothing comes."""
        if self._transport is None or self._transport.is_closing():
            await self._connect()
        assert self._transport is not None
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        async with asyncio.timeout(PATIENCE):
            return await self._waiting

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    # asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(exc or ConnectionResetError("the connection was closed"))

    # httptools' side

    def on_message_begin(self) -> None:
        self._answer = Answer()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._answer.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        self._answer.body += body

    def on_message_complete(self) -> None:
        self._answer.status = self._parser.get_status_code()
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(self._answer)


def request(method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes = b"") -> bytes:
    """A whole HTTP/1.1 request."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [f"{method} {target} HTTP/1.1", f"host: {parts.netloc}", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Calls:
    """The calls of a connected client: `await calls(kind)` makes one and raises Unexpected where it is refused."""

    async def __call__(self, kind: str) -> None:
        raise NotImplementedError

    async def look(self, kind: str) -> Any:
        """The same call, and what it answered."""
        raise NotImplementedError

    async def close(self) -> None:
        """Ends the connection."""


class RestCalls(Calls):
    """Requests made up beforehand, by kind: several of each, taken in turns."""

    def __init__(self, connection: Connection, requests: Mapping[str, Sequence[bytes]]) -> None:
        self._connection = connection
        self._requests = {kind: cycle(made) for kind, made in requests.items()}

    async def __call__(self, kind: str) -> None:
        answer = await self._connection.send(next(self._requests[kind]))
        # Slack answers refusals with 200 and says so in the body.
        if answer.status >= 300 or answer.body.startswith(b'{"ok":false'):
            raise Unexpected(f"{kind}: {answer.status} {answer.body[:300]!r}")

    async def look(self, kind: str) -> Any:
        return (await self._connection.send(next(self._requests[kind]))).json()

    async def close(self) -> None:
        self._connection.close()


class McpCalls(Calls):
    """An MCP client over streamable HTTP: initialized once, then tool calls on the same connection."""

    def __init__(self, connection: Connection, url: str, tools: Mapping[str, tuple[str, Json]]) -> None:
        self._connection, self._url = connection, url
        self._tools = tools
        self._headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        self._next = 0
        self._made = dict[str, tuple[bytes, bytes]]()

    @classmethod
    async def to(cls, url: str, tools: Mapping[str, tuple[str, Json]]) -> "McpCalls":
        """Connects and initializes. `tools`: kind of call -> tool and arguments."""
        calls = cls(await Connection.to(url), url, tools)
        client = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        answer = await calls._rpc("initialize", client)
        if answer.status != 200:
            raise Unexpected(f"initialize: {answer.status} {answer.body[:300]!r}")
        agreed = answer.json()["result"]["protocolVersion"]
        if agreed != PROTOCOL:
            raise Unexpected(f"the server speaks MCP {agreed}, not {PROTOCOL}")
        calls._headers["mcp-protocol-version"] = PROTOCOL
        if session := answer.headers.get("mcp-session-id"):
            calls._headers["mcp-session-id"] = session
        note = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
        answer = await calls._connection.send(request("POST", url, calls._headers, note))
        if answer.status not in (200, 202):
            raise Unexpected(f"notifications/initialized: {answer.status} {answer.body[:300]!r}")
        return calls

    async def _rpc(self, method: str, params: Json) -> Answer:
        self._next += 1
        body = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        return await self._connection.send(request("POST", self._url, self._headers, json.dumps(body).encode()))

    async def tools(self) -> list[Json]:
        """What tools/list answers."""
        return (await self._rpc("tools/list", {})).json()["result"]["tools"]

    async def __call__(self, kind: str) -> None:
        answer = await self._call(kind)
        if answer.status != 200 or b'"isError":true' in answer.body or b'"error":{' in answer.body:
            raise Unexpected(f"{kind}: {answer.status} {answer.body[:300]!r}")

    async def result(self, kind: str) -> Json:
        """The call's whole result."""
        result = (await self._call(kind)).json()["result"]
        if result.get("isError"):
            raise Unexpected(f"{kind}: {result}")
        return result

    async def look(self, kind: str) -> Any:
        return json.loads((await self.result(kind))["content"][0]["text"])

    async def _call(self, kind: str) -> Answer:
        self._next += 1
        if kind not in self._made:
            tool, arguments = self._tools[kind]
            body = {
                "jsonrpc": "2.0",
                "id": 10**9,
                "method": "tools/call",
                "params": {"name": tool, "arguments": arguments},
            }
            before, after = request("POST", self._url, self._headers, json.dumps(body).encode()).split(b"1000000000")
            self._made[kind] = before, after
        before, after = self._made[kind]
        return await self._connection.send(b"%b%d%b" % (before, 10**9 + self._next, after))

    async def close(self) -> None:
        self._connection.close()


class OpenEnvCalls(Calls):
    """A session over OpenEnv's web socket. `steps`: kind of call -> the action's data; `begin`: the data of a reset."""

    def __init__(self, socket: ClientConnection, steps: Mapping[str, Json], begin: Json) -> None:
        self._socket = socket
        self._steps = {kind: json.dumps({"type": "step", "data": action}) for kind, action in steps.items()}
        self._begin = json.dumps({"type": "reset", "data": begin})

    @classmethod
    async def to(cls, url: str, steps: Mapping[str, Json], begin: Json) -> "OpenEnvCalls":
        """Connects and resets."""
        socket = await connect(url, compression=None, max_size=None, ping_interval=None, open_timeout=PATIENCE)
        calls = cls(socket, steps, begin)
        await calls.reset()
        return calls

    async def _said(self, message: str) -> str:
        async with asyncio.timeout(PATIENCE):
            await self._socket.send(message)
            answer = await self._socket.recv()
        assert isinstance(answer, str)
        if not answer.startswith('{"type":"observation"'):
            raise Unexpected(answer[:300])
        return answer

    async def reset(self) -> None:
        """Back to the start, in the same session."""
        await self._said(self._begin)

    async def __call__(self, kind: str) -> None:
        answer = await self._said(self._steps[kind])
        if '"is_error":true' in answer or '"error_type"' in answer:
            raise Unexpected(f"{kind}: {answer[:300]}")

    async def look(self, kind: str) -> Any:
        observation = json.loads(await self._said(self._steps[kind]))["data"]["observation"]
        result = observation.get("result", observation)
        return result["data"] if isinstance(result, dict) and "data" in result else result

    async def close(self) -> None:
        await self._socket.close()
