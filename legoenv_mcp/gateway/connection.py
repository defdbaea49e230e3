"""A client's connection: how long it may take over a request, and how many there may be.

uvicorn waits for ever for the rest of a request, and so for a client that has stalled or never says a word.
"""

import asyncio
from typing import cast

from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from legoenv_mcp.gateway import problems
from legoenv_mcp.gateway.files import MOST_CONNECTIONS, most_connections
from legoenv_mcp.gateway.problems import MEDIA_TYPE, Problem

PATIENCE = 30.0
"""Seconds in which a request's head must be there, then each further piece of its body, and in which an answer must be taken."""
PIECE = HIGH_WATER_LIMIT
"""Bytes of a body that count as progress."""
HEAD_LIMIT = 64 * 1024
"""The largest head of a request, in bytes."""


class Connection(HttpToolsProtocol):
    """uvicorn's, with an end to its patience."""

    patience = PATIENCE
    most = MOST_CONNECTIONS
    _timer: asyncio.TimerHandle | None = None
    _received = 0
    _in_head = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(problems.too_many_connections())
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    @property
    def _answering(self) -> bool:
        """Whether a request is being answered: its head has come, and the answer is not all gone."""
        cycle: RequestResponseCycle | None = self.cycle  # none until the first request, whatever its type says
        return cycle is not None and not cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison]

    # A request comes

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():  # what comes after a refusal is not looked at
            return
        if self._timer is None and not self._answering:
            self._wait()
        self._received += len(data)
        super().data_received(data)
        if self._in_head and self._received > HEAD_LIMIT and not self.transport.is_closing():
            self._refuse(Problem(431, "head-too-large", f"The request's head is larger than {HEAD_LIMIT} bytes."))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True

    def on_headers_complete(self) -> None:
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:
            self.cycle.transport = cast(asyncio.Transport, Together(self.cycle))
        self._in_head = False
        self._wait()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._rest()
        self._in_head, self._received = True, 0

    def handle_websocket_upgrade(self) -> None:
        self._rest()
        super().handle_websocket_upgrade()

    def _wait(self) -> None:
        self._rest()
        self._received = 0
        self._timer = self.loop.call_later(self.patience, self._late)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        self._timer = None
        if self.transport.is_closing():
            return
        if not self._in_head and self._received >= PIECE:
            self._wait()
        elif self._in_head and not self._received:
            self.transport.close()  # it has said nothing, and waits for nothing
        else:
            if self._answering and not self._in_head:
                self.cycle.disconnected = True  # whoever waits for the body hears that it will not come
                self.cycle.message_event.set()
                if self.cycle.response_started:
                    self.transport.close()
                    return
            self._refuse(problems.late(self.patience))

    def _refuse(self, problem: Problem) -> None:
        body = problem.body()
        head = [STATUS_LINE[problem.status], f"content-type: {MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\n".encode()]
        head += [f"{name.lower()}: {value}\r\n".encode("latin-1") for name, value in problem.headers.items()]
        self.transport.write(b"".join([*head, b"connection: close\r\n\r\n", body]))
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        self._refuse(Problem(400, "malformed-request", msg))

    # An answer goes

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        self._unread.cancel()
        super().resume_writing()

    def _watch(self) -> None:
        self._unread = self.loop.call_later(self.patience, self._unread_still, self.transport.get_write_buffer_size())

    def _unread_still(self, before: int) -> None:
        if self.transport.get_write_buffer_size() < before:
            self._watch()
        else:
            self.transport.abort()


class Together:
    """What an answer is written to: a head waits for the body that is about to follow, and both leave at once. uvicorn writes them one
    after the other, and each write costs the server, and wakes the client, as much as most calls' own work."""

    __slots__ = ("_begun", "_cycle", "_head", "_transport")

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle
        self._transport = cycle.transport
        self._begun = False
        self._head = b""

    def write(self, data: bytes) -> None:
        cycle = self._cycle
        if self._head:
            self._transport.writelines((self._head, data))
            self._head = b""
        elif not self._begun and cycle.response_started and self._body_follows():
            self._head = data
        else:
            self._transport.write(data)
        self._begun = cycle.response_started

    def _body_follows(self) -> bool:
        """Whether something is certain to be written yet. Of a stream without a length, when is not."""
        return self._cycle.expected_content_length > 0 and self._cycle.scope["method"] != "HEAD"

    def close(self) -> None:
        if self._head:
            self._transport.write(self._head)
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()


def protocol(patience: float) -> type[Connection]:
    """The protocol for a server of this process, whose limits are those of its files."""
    return type("Connection", (Connection,), {"patience": patience, "most": most_connections()})
