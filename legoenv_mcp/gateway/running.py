"""A server process: the socket, uvicorn, a clean end."""

import asyncio
import errno
import gc
import logging
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn

from legoenv_mcp.gateway.connection import PATIENCE, protocol
from legoenv_mcp.gateway.front import Front
from legoenv_mcp.kernel.bounds import CALL_SECONDS, bound_calls


class CannotListen(Exception):
    """The address cannot be had; the message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Tls:
    certificate: Path
    key: Path


def bind(host: str, port: int) -> socket.socket:
    """A listening socket's socket; port 0 takes a free one. CannotListen where there is none to be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        # uvicorn would do this later, and report a port that another process listens on as a crash.
        made.listen(2048)
    except (OSError, OverflowError) as error:
        made.close()
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise CannotListen(
                f"port {port} on {host} is in use; choose another with --port (0 takes a free one)"
            ) from None
        raise CannotListen(
            f"cannot listen on {host} port {port}: {getattr(error, 'strerror', None) or error}"
        ) from None
    made.setblocking(False)
    return made


def address(listening: socket.socket, host: str, tls: Tls | None) -> str:
    """The URL of a bound socket, as someone on this machine reaches it."""
    port = listening.getsockname()[1]
    name = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"{'https' if tls else 'http'}://{name}:{port}"


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, started: Callable[[], None], front: Front, drain: float, linger: float
    ) -> None:
        super().__init__(config)
        self._on_start = started
        self._front = front
        self._drain = drain
        self._linger = linger
        self._asked: float | None = None
        self._end: float | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first SIGTERM lets open episodes end, and a router notice; a second one, or SIGINT, does not."""
        if sig == signal.SIGTERM and (self._drain or self._linger) and self._asked is None:
            self._asked = time.monotonic()
            self._front.drain()
            if not self._linger:
                self._front.refuse()
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        now = time.monotonic()
        if self._asked is not None and self._end is None:
            self._leave(now, now - self._asked)
        if self._end is not None and now >= self._end:
            self.should_exit = True
        return await super().on_tick(counter)

    def _leave(self, now: float, since: float) -> None:
        """Sets the end once open episodes have ended or have had their time. Until a router can have noticed, new ones still come."""
        noticed = since >= self._linger
        if noticed:
            self._front.refuse()
        if since >= self._drain or (noticed and not self._front.open_episodes):
            self._front.ending = True
            self._end = now + self._linger

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Who has reached us is served: connections that wait are taken, then no more; what comes over them in a moment is answered."""
        await asyncio.sleep(0.01)
        for server in self.servers:
            server.close()
        for one in sockets or []:
            one.close()
        await asyncio.sleep(0.2)
        await super().shutdown(sockets)


def run(
    front: Front,
    listening: socket.socket,
    *,
    tls: Tls | None = None,
    started: Callable[[], None] = lambda: None,
    drain: float = 0,
    linger: float = 0,
    call_limit: float = CALL_SECONDS,
    patience: float = PATIENCE,
) -> None:
    """Serves until SIGINT or SIGTERM; requests in flight get a few seconds to end.

    drain: seconds for which, after a SIGTERM, open episodes may go on while no new ones are taken. linger: seconds that a router has
    to turn to others: new episodes are taken that long after `/readyz` has said that none are wanted, and all is answered that long
    after it has said that the process ends. call_limit: processor seconds that one call may take before it is broken off.
    patience: seconds that a client may take over a request, see `connection`.
    """
    _raise_file_limit()
    # A thousand episodes are a million objects, nearly all of which stay: to look at each of them takes half a second, in which nobody is
    # served. Young ones are looked at as ever; the old, every twenty-five million.
    gc.set_threshold(5_000, 5, 1_000)
    bound_calls(call_limit)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    # Known clients' mistakes (an unknown session, a foreign header) are answered; as warnings they would fill the log.
    for name in ("mcp", "python_multipart"):
        logging.getLogger(name).setLevel(logging.ERROR)
    config = uvicorn.Config(
        front,
        loop="auto",
        http=protocol(patience),
        # Agents think between their calls; the usual five seconds would have them connect for each.
        timeout_keep_alive=60,
        ws="websockets-sansio",
        ws_max_size=front.limit,
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_graceful_shutdown=3,
        ssl_certfile=None if tls is None else str(tls.certificate),
        ssl_keyfile=None if tls is None else str(tls.key),
    )
    server = _Server(config, started, front, drain, linger)

    def end(*_: object) -> None:
        """uvicorn raises its signal once more when it is done: that the server was asked to end is no failure."""
        if not server.should_exit:
            sys.exit(0)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    server.run(sockets=[listening])


def _raise_file_limit() -> None:
    """Many clients and many databases need many files; the soft limit is often 1024."""
    try:
        import resource  # noqa: PLC0415 - not there on every system

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = hard if hard != resource.RLIM_INFINITY else 65536
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, 65536), hard))
    except (ImportError, OSError, ValueError):
        pass
