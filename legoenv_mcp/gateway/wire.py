"""One HTTP request and its answer, in ASGI's terms."""

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

from legoenv_mcp.gateway.problems import MEDIA_TYPE, Problem, too_large

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Gone(Exception):
    """The client has gone before its request was all there. Nobody is there to be answered, and nothing is to be done."""


class Exchange:
    """A request, read once, and the means to answer it. Header names are lower case."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        # RFC 9110 5.5: white space around a value is no part of it, but the parser leaves what trails.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        self.scope = scope
        self.limit = limit
        self._receive = receive
        self._send = send
        self.started = False

    # The request

    @property
    def method(self) -> str:
        return self.scope["method"]

    @cached_property
    def path(self) -> str:
        """The path as it came: percent-escapes are left alone, so that `%2F` stays inside its segment."""
        raw: bytes = self.scope.get("raw_path") or self.scope["path"].encode()
        return raw.partition(b"?")[0].decode("latin-1")

    @cached_property
    def headers(self) -> dict[str, str]:
        return {name.decode("latin-1"): value.decode("latin-1") for name, value in self.scope["headers"]}

    def only(self, name: str) -> str | None:
        """A header that decides who may do what; None where it is missing. Sent twice, it is refused (RFC 9112 3.2): who reads the
        first and who reads the last would disagree."""
        if sum(sent == name.encode() for sent, _ in self.scope["headers"]) > 1:
            raise Problem(400, "repeated-header", f"The header {name} is sent more than once.")
        return self.headers.get(name)

    @cached_property
    def raw_query(self) -> str:
        return self.scope.get("query_string", b"").decode("latin-1")

    @cached_property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(self.raw_query, keep_blank_values=True))

    @property
    def address(self) -> str:
        """Where the caller reached us, for absolute URLs in answers."""
        return f"{self.scope.get('scheme', 'http')}://{self.headers.get('host', 'localhost')}"

    async def body(self) -> bytes | None:
        """The whole body; None where it is larger than the limit, as soon as that is certain. Raises Gone where it never came."""
        declared = self.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > self.limit:
            return None
        chunks, size = list[bytes](), 0
        while True:
            message = await self._receive()
            if message["type"] != "http.request":  # half a form may well be a valid one
                raise Gone
            chunk: bytes = message.get("body", b"")
            size += len(chunk)
            if size > self.limit:
                return None
            chunks.append(chunk)
            if not message.get("more_body"):
                return b"".join(chunks)

    async def json_object(self) -> dict[str, Any]:
        """The body as a JSON object; an empty body is an empty object. Raises the Problem that says what is wrong, or Gone."""
        raw = await self.body()
        if raw is None:
            raise too_large(self.limit)
        if not raw.strip():
            return {}
        try:
            data: Any = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise Problem(400, "malformed-json", f"The request body is not JSON: {error}") from None
        if not isinstance(data, dict):
            raise Problem(400, "invalid-request", "The request body must be a JSON object.")
        found: dict[str, Any] = data  # pyright: ignore[reportUnknownVariableType]
        return found

    def with_body(self, body: bytes) -> Receive:
        """A `receive` that gives this body, then whatever else comes (the disconnection)."""
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> MutableMapping[str, Any]:
            return waiting.pop() if waiting else await self._receive()

        return receive

    # The answer

    async def send(self, message: MutableMapping[str, Any]) -> None:
        self.started = True
        await self._send(message)

    async def answer(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": b"" if self.method == "HEAD" else body})

    async def answer_json(self, data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        await self._answer(
            status,
            "application/json",
            json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace"),
            headers or {},
        )

    async def answer_problem(self, problem: Problem) -> None:
        await self._answer(problem.status, MEDIA_TYPE, problem.body(), problem.headers)

    async def answer_nothing(self) -> None:
        await self.answer(204, [], b"")

    async def _answer(self, status: int, kind: str, body: bytes, headers: Mapping[str, str]) -> None:
        pairs = {"content-type": kind, "content-length": str(len(body)), **{k.lower(): v for k, v in headers.items()}}
        await self.answer(status, [(k.encode("latin-1"), v.encode("latin-1")) for k, v in pairs.items()], body)
