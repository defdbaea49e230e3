"""The door: answers `/healthz` at once, checks names and tokens, and passes on to what is still loading behind it."""

import logging
from collections.abc import Callable
from typing import Any, Protocol

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from legoenv_mcp import __version__
from legoenv_mcp.gateway import problems, routes
from legoenv_mcp.gateway.access import Names, Tokens
from legoenv_mcp.gateway.problems import Problem
from legoenv_mcp.gateway.wire import Exchange, Gone, Receive, Scope, Send
from legoenv_mcp.kernel.errors import StorageError

log = logging.getLogger("legoenv")

BODY_LIMIT = 4 * 1024 * 1024


class House(Protocol):
    """What lies behind the door."""

    def start(self, tasks: TaskGroup) -> None: ...
    async def serve(self, exchange: Exchange, route: routes.Route) -> None: ...
    async def refuse(self, exchange: Exchange, route: routes.Route) -> None:
        """Answers a REST request that carries no token, as the product would."""
        ...

    async def socket(self, exchange: Exchange, receive: Receive, send: Send, route: routes.Route) -> None:
        """Serves a web socket that is allowed and not yet accepted."""
        ...

    def drain(self) -> None:
        """No new episodes from now on; those that are open go on."""
        ...

    @property
    def open_episodes(self) -> int:
        """How many episodes would be lost if the process ended now."""
        ...

    def relieve(self) -> None:
        """Closes files that it can do without: the process has no more."""
        ...

    def close(self) -> None: ...


class Front:
    """The ASGI application. `load` imports and makes the house, in a thread, once the server is up.

    parse: what a path means; where the house has paths of its own, theirs.
    """

    def __init__(
        self, load: Callable[[], House], *, names: Names, tokens: Tokens, limit: int = BODY_LIMIT,
        parse: Callable[[str], routes.Route | None] = routes.parse,
    ) -> None:  # fmt: skip
        self._load = load
        self._names = names
        self._tokens = tokens
        self._limit = limit
        self._parse = parse
        self._house: House | None = None
        self._loaded = anyio.Event()
        self._draining = False
        self.ending = False
        """Whether the process is about to end: `/readyz` says so, for a router to keep away."""

    def drain(self) -> None:
        """Says at `/readyz` that no new episodes are wanted; those that are open go on."""
        self._draining = True

    def refuse(self) -> None:
        """Takes no new episodes."""
        if self._house is not None:
            self._house.drain()

    @property
    def open_episodes(self) -> int:
        return 0 if self._house is None else self._house.open_episodes

    @property
    def limit(self) -> int:
        """The largest body, or message, that is taken: bytes."""
        return self._limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._http(Exchange(scope, receive, send, self._limit))
        else:
            await self._websocket(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._open, tasks)
            await send({"type": "lifespan.startup.complete"})
            await receive()
            tasks.cancel_scope.cancel()
        if self._house is not None:
            self._house.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _open(self, tasks: TaskGroup) -> None:
        try:
            house = await anyio.to_thread.run_sync(self._load)
            house.start(tasks)
            self._house = house
        except Exception:
            log.exception("the gateway could not be loaded")
        finally:
            self._loaded.set()

    async def _http(self, exchange: Exchange) -> None:
        try:
            await self._serve(exchange)
        except Problem as problem:
            await exchange.answer_problem(problem)
        except Gone:
            pass
        except StorageError as error:
            log.warning("%s", error)
            if error.retry and self._house is not None:
                self._house.relieve()
            await exchange.answer_problem(problems.storage(error))
        except Exception:
            route = self._parse(exchange.path)  # not the path itself: an episode's id is a key
            log.exception("%s %s %s failed", exchange.method, route and route.kind, route and route.slug)
            if exchange.started:
                raise
            await exchange.answer_problem(problems.internal())

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A web socket, which only OpenEnv's clients open. It controls an episode: it grades, and begins others."""
        exchange = Exchange(scope, receive, send, self._limit)
        try:
            self._names.check(exchange.only("host") or "", exchange.only("origin"))
            if not self._tokens.admit(exchange.only("authorization") or "", control=True):
                raise problems.unauthorized()
            route = self._parse(exchange.path)
            if route is None or route.kind != "openenv":
                raise problems.unknown_path()
            await self._loaded.wait()
            if self._house is None:
                raise problems.internal()
        except Problem as problem:
            await _deny(scope, send, problem)
            return
        try:
            await self._house.socket(exchange, receive, send, route)
        except Exception:
            log.exception("a web socket failed")
            raise

    async def _serve(self, exchange: Exchange) -> None:
        route = self._parse(exchange.path)
        if route is not None and route.kind == "healthz":
            _check_method(exchange, route)
            failed = self._loaded.is_set() and self._house is None
            await exchange.answer_json(
                {"status": "failed" if failed else "ok", "version": __version__}, 503 if failed else 200
            )
            return
        if route is not None and route.kind == "readyz":
            _check_method(exchange, route)
            # 404 is how HAProxy is told that a server keeps what it has and wants nothing new (`http-check disable-on-404`).
            said = (
                "loading"
                if self._house is None
                else "ending"
                if self.ending
                else "draining"
                if self._draining
                else "ready"
            )
            await exchange.answer_json({"status": said}, {"ready": 200, "draining": 404}.get(said, 503))
            return
        self._names.check(exchange.only("host") or "", exchange.only("origin"))
        kind: Any = route and route.kind
        admitted = self._tokens.admit(
            exchange.only("authorization") or "",
            control=kind is None or kind in routes.CONTROL,
            vendors=kind == "rest",
        )
        if not admitted and kind != "rest":
            raise problems.unauthorized()
        if route is None:
            raise problems.unknown_path()
        _check_method(exchange, route)
        if not self._loaded.is_set():
            await self._loaded.wait()
        if self._house is None:
            raise problems.internal()
        await (self._house.serve if admitted else self._house.refuse)(exchange, route)


async def _deny(scope: Scope, send: Send, problem: Problem) -> None:
    """Refuses a web socket with the problem's own status where the server can, else with 403."""
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", problems.MEDIA_TYPE.encode())]
    headers += [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in problem.headers.items()]
    await send({"type": "websocket.http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": problem.body()})


def _check_method(exchange: Exchange, route: routes.Route) -> None:
    allowed = routes.METHODS[route.kind]
    if allowed and exchange.method not in allowed:
        raise Problem(
            405, "method-not-allowed", f"{exchange.method} is not served here.", headers={"Allow": ", ".join(allowed)}
        )
