"""The house behind the door: apps, episodes, and their MCP and REST faces."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from legoenv_mcp import registry, templates, worlds
from legoenv_mcp.faces import tools
from legoenv_mcp.gateway import problems, rest
from legoenv_mcp.gateway.access import Tokens
from legoenv_mcp.gateway.endpoints import Endpoints
from legoenv_mcp.gateway.environments import Environment, Environments, catalogue
from legoenv_mcp.gateway.episodes import Episodes, Lease
from legoenv_mcp.gateway.files import open_databases
from legoenv_mcp.gateway.grading import answer_grade, graded
from legoenv_mcp.gateway.memory import share
from legoenv_mcp.gateway.openenv import OpenEnv
from legoenv_mcp.gateway.problems import Problem
from legoenv_mcp.gateway.requests import Creation, read_answer, read_creation
from legoenv_mcp.gateway.routes import Route
from legoenv_mcp.gateway.store import Plan, Store
from legoenv_mcp.gateway.wire import Exchange, Receive, Send
from legoenv_mcp.kernel.episode import Episode

if TYPE_CHECKING:
    from mcp.server import Server

log = logging.getLogger("legoenv")

_FRESH = 5.0
"""Seconds for which an environment's files are not looked at again."""
_DERIVED = 200
"""Environments that are remembered; the catalogue remembers a few more."""

_CLIENT_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Fleet:
    """The gateway's own paths. `servers` are MCP servers that are no apps, by name, served at `/apps/{name}/mcp`."""

    def __init__(
        self, *, limit: int, idle: float, body_limit: int, tokens: Tokens, world: str = "", store: Store | None = None,
        replica: str = "", memory: int | None = None,
        environments: Environments | None = None, json_response: bool = True,
        servers: "Mapping[str, Callable[[], Server[Any]]] | None" = None,
    ) -> None:  # fmt: skip
        self._world = world or templates.DEFAULT_WORLD
        worlds.load(self._world)
        self._infos = _infos()
        self._environments = environments
        self._servers = dict(servers or {})
        self._tokens = tokens
        self._body_limit = body_limit
        self._json = json_response
        self.episodes = Episodes(
            self._begin, limit, idle, store, replica, memory=memory or share(), open_databases=open_databases()
        )
        self._ready = set[tuple[str, str]]()
        self._worlds = {self._world}
        self._loading = anyio.Lock()
        self._filling = dict[str, anyio.Lock]()
        self._derived = dict[str, tuple[Environment, float]]()
        self._endpoints: Endpoints | None = None
        self._openenv = OpenEnv(self, limit=limit, idle=idle)

    def start(self, tasks: TaskGroup) -> None:
        self._endpoints = Endpoints(tasks, limit=self._body_limit, idle=self.episodes.idle, json_response=self._json)
        tasks.start_soon(self._sweep)

    async def _sweep(self) -> None:
        while True:
            await anyio.sleep(max(0.05, min(30.0, self.episodes.idle / 4)))
            self.episodes.sweep()

    def drain(self) -> None:
        self.episodes.draining = True

    @property
    def open_episodes(self) -> int:
        """Episodes in files are none of these: the next process finds them again."""
        return len(self.episodes) if self.episodes.store is None else 0

    def relieve(self) -> None:
        self.episodes.relieve()

    def close(self) -> None:
        self.episodes.close()

    # Making episodes

    @property
    def catalogue(self) -> Environments:
        if self._environments is None:
            self._environments = catalogue()
        return self._environments

    def _begin(self, plan: Plan, folder: Path | None, environment: Environment | None) -> Episode:
        if plan.environment:
            return (environment or self.catalogue.load(plan.environment)).episode(folder)
        return templates.episode(plan.slugs, plan.world, plan.seed, folder)

    async def _load(self, slugs: Iterable[str], world: str) -> None:
        """Imports apps and builds their templates where that is still to be done: in a thread, so that nobody else waits, and
        one at a time, since making tables is not thread-safe."""
        wanted = [slug for slug in slugs if (slug, world) not in self._ready]
        if not wanted:
            return
        async with self._loading:
            for slug in wanted:
                if (slug, world) not in self._ready:
                    await anyio.to_thread.run_sync(_build, slug, world)
                    self._ready.add((slug, world))

    async def _prepare(self, lease: Lease, *slugs: str) -> None:
        """What the episode's calls need (of these apps; by default, of all) is there. What an environment adds to its world is made
        here, in a thread: made at the first call, everybody would wait for it."""
        plan = lease.plan
        await self._load(slugs or plan.slugs, plan.world)
        if plan.environment and lease.episode is None:
            if lease.environment is None:
                lease.environment = await self._environment(plan.environment)
            # One at a time for an environment: the others find made what the first has made.
            async with self._filling.setdefault(plan.environment, anyio.Lock()):
                if lease.episode is None:
                    await anyio.to_thread.run_sync(self._fill, lease)

    def _fill(self, lease: Lease) -> None:
        """In a thread: nobody else has the lease's episode yet."""
        episode = self.episodes.begin(lease.plan, lease.folder, lease.environment)
        for slug in episode.slugs:
            if lease.folder is None:
                episode.app(slug)
            else:  # its files are made when the app is used
                episode.templates(slug).connection  # noqa: B018
        lease.episode = episode

    async def _environment(self, name: str) -> Environment:
        """The environment as its files are now, or were a moment ago. Deriving it the first time takes a while: in a thread.

        Looking whether its files have changed does not; in a thread it would, on a busy gateway: each look at a file gives the
        interpreter away and has to wait for it. LookupError where there is no such environment.
        """
        now = self.episodes.clock()
        known, looked = self._derived.get(name, (None, 0.0))
        if known is not None and now - looked < _FRESH:
            return known
        if known is not None:
            found = self.catalogue.load(name)
        else:
            async with self._loading:
                found = await anyio.to_thread.run_sync(self.catalogue.load, name)
        self._derived.pop(name, None)
        self._derived[name] = found, now
        if len(self._derived) > _DERIVED:
            del self._derived[next(iter(self._derived))]
        return found

    async def _plan(self, wanted: Creation) -> tuple[Plan, Environment | None]:
        if wanted.environment:
            try:
                found = await self._environment(wanted.environment)
            except LookupError:
                raise Problem(404, "unknown-environment", f"There is no environment {wanted.environment!r}.") from None
            return Plan(tuple(found.apps), found.world, str(found.seed), found.id), found
        for slug in wanted.apps:
            self._known(slug)
        world = wanted.world or self._world
        if world not in self._worlds:
            try:
                await anyio.to_thread.run_sync(worlds.load, world)
            except LookupError as error:
                raise Problem(404, "unknown-world", str(error.args[0])) from None
            self._worlds.add(world)
        return Plan(wanted.apps, world, wanted.seed), None

    def _known(self, slug: str) -> None:
        if slug not in self._infos:
            raise Problem(404, "unknown-app", f"There is no app {slug!r}; GET /apps lists them.")

    # Paths

    async def serve(self, exchange: Exchange, route: Route) -> None:
        match route.kind:
            case "apps":
                await exchange.answer_json(self._listing(exchange.address))
            case "openapi":
                await self._openapi(exchange, route)
            case "episodes":
                await self._create(exchange)
            case "episode" | "grade" | "reset":
                await self._control(exchange, route)
            case "mcp":
                await self._mcp(exchange, route)
            case "openenv":
                await self._openenv.serve(exchange, route.below)
            case _:
                await self._rest(exchange, route)

    async def refuse(self, exchange: Exchange, route: Route) -> None:
        """A REST request without a token gets the product's own refusal."""
        if route.slug not in self._infos:
            raise problems.unauthorized()
        await self._load([route.slug], self._world)
        await rest.refuse(exchange, registry.load(route.slug))

    def _listing(self, address: str) -> list[dict[str, Any]]:
        return [{**info.as_json(), **_places(f"{address}/apps/{info.slug}")} for info in self._infos.values()]

    async def _openapi(self, exchange: Exchange, route: Route) -> None:
        from legoenv_mcp.faces import openapi  # noqa: PLC0415 - few ask for it

        if not route.slug:
            from legoenv_mcp.gateway.own_openapi import document  # noqa: PLC0415

            await exchange.answer_json(document(exchange.address))
            return
        self._known(route.slug)
        await self._load([route.slug], self._world)
        info = self._infos[route.slug]
        await exchange.answer_json(
            openapi.document(info, registry.load(route.slug), f"{exchange.address}/apps/{info.slug}/rest")
        )

    # Control

    async def _create(self, exchange: Exchange) -> None:
        wanted = read_creation(await exchange.json_object())
        lease = await self._opened(wanted)
        await exchange.answer_json(self._shown(lease, exchange.address), 201, {"Location": f"/episodes/{lease.id}"})

    async def _control(self, exchange: Exchange, route: Route) -> None:
        lease = self.episodes.controlled(route.episode)
        if lease is None:
            raise problems.unknown_episode()
        if exchange.method != "DELETE":
            await self._prepare(lease)
        if route.kind == "grade":
            await self._grade(exchange, lease)
        elif exchange.method == "DELETE":
            self.episodes.drop(lease)
            await exchange.answer_nothing()
        else:
            if route.kind == "reset":
                self.episodes.reset(lease)
            await exchange.answer_json(self._shown(lease, exchange.address))

    async def _grade(self, exchange: Exchange, lease: Lease) -> None:
        answer = read_answer(await exchange.json_object())
        if not lease.plan.environment:
            raise Problem(
                409, "nothing-to-grade", "This episode was made from apps, not from an environment: it has no verifier."
            )
        await answer_grade(exchange, self.grade(lease, answer))

    # For OpenEnv's sessions

    async def open(self, environment_id: str) -> Lease:
        return await self._opened(Creation(environment=environment_id))

    async def _opened(self, wanted: Creation) -> Lease:
        self.episodes.check_room()  # before the work, which a gateway that is full has no time for
        plan, environment = await self._plan(wanted)
        await self._load(plan.slugs, plan.world)
        lease = self.episodes.create(plan, environment)
        await self._prepare(lease)
        return lease

    def grade(self, lease: Lease, answer: str | None) -> dict[str, Any]:
        environment = lease.environment or self.catalogue.load(lease.plan.environment)
        return graded(environment, self.episodes.episode(lease), answer)

    def end(self, lease: Lease) -> None:
        self.episodes.drop(lease)

    async def socket(self, exchange: Exchange, receive: Receive, send: Send, route: Route) -> None:
        await self._openenv.socket(receive, send, route.below, exchange.query.get("session_id", ""))

    def _shown(self, lease: Lease, address: str) -> dict[str, Any]:
        """The episode as its controller sees it; every address in it is the agent's."""
        place, plan = f"{address}/episodes/{lease.key}", lease.plan
        shown: dict[str, Any] = {"id": lease.id}
        if plan.environment:
            shown |= {
                "environment": plan.environment,
                "instruction": (lease.environment or self.catalogue.load(plan.environment)).instruction,
            }
        else:
            shown |= {"world": plan.world, "seed": plan.seed}
        return {
            **shown,
            "mcp": f"{place}/mcp",
            "apps": {slug: _places(f"{place}/apps/{slug}") for slug in plan.slugs},
            "created_at": _instant(lease.created),
            "expires_at": _instant(self.episodes.expires(lease)),
        }

    # Faces

    async def _mcp(self, exchange: Exchange, route: Route) -> None:
        assert self._endpoints is not None
        if route.episode:
            lease = self._lease(route)
            slugs = (route.slug,) if route.slug else lease.plan.slugs
            await self._prepare(lease)
            await self._endpoints.serve(
                exchange, slugs, "mcp", prefixed=not route.slug, stateless=True, find=lambda: self.living(lease)
            )
        elif route.slug in self._servers:
            await self._endpoints.serve_foreign(exchange, route.slug, self._servers[route.slug])
        elif route.slug:
            self._known(route.slug)
            await self._load([route.slug], self._world)
            session = exchange.headers.get("mcp-session-id", "")
            find = self._casual(exchange, session)
            status = await self._endpoints.serve(
                exchange, [route.slug], "mcp", prefixed=False, stateless=False, find=find
            )
            if exchange.method == "DELETE" and session and status < 400:
                self.episodes.drop_scratch(f"session {session}")
        else:
            raise problems.unknown_path()

    async def _rest(self, exchange: Exchange, route: Route) -> None:
        if route.episode:
            lease = self._lease(route)
            await self._prepare(lease, route.slug)
            await rest.serve(exchange, route, lambda: self.living(lease).app(route.slug))
        else:
            self._known(route.slug)
            await self._load([route.slug], self._world)
            find = self._casual(exchange, "")
            await rest.serve(exchange, route, lambda: find().app(route.slug))

    def _lease(self, route: Route) -> Lease:
        lease = self.episodes.find(route.episode)
        if lease is None:
            raise problems.unknown_episode()
        if route.slug and route.slug not in lease.plan.slugs:
            raise Problem(404, "unknown-app", f"This episode has no app {route.slug!r}.")
        return lease

    def living(self, lease: Lease) -> Episode:
        """The episode of a lease that was open when the request came; it may be gone by the time its body has been read."""
        if self.episodes.find(lease.id) is None:
            raise problems.unknown_episode()
        return self.episodes.episode(lease)

    def _casual(self, exchange: Exchange, session: str) -> Callable[[], Episode]:
        """The episode of a request that names none in its path: that of its X-Episode-Id, of its MCP session, of its token."""
        named = exchange.headers.get("x-episode-id")
        if named is not None:
            if _CLIENT_KEY.fullmatch(named) is None:
                raise Problem(400, "bad-episode-key", "X-Episode-Id is up to 64 letters, digits, `_` and `-`.")
            if (lease := self.episodes.find(named)) is not None:
                return lambda: self.living(lease)
        role = self._tokens.role(exchange.headers.get("authorization", ""), vendors=True)
        name = f"key {role} {named}" if named is not None else f"session {session}" if session else f"token {role}"
        return lambda: self.episodes.scratch(name, Plan(tuple(self._infos), self._world))


def _infos() -> dict[str, registry.AppInfo]:
    """The fleet's listing. An app whose files cannot be read is left out: the others must not suffer for it."""
    try:
        return {info.slug: info for info in registry.apps()}
    except (OSError, SyntaxError, ValueError, KeyError):
        found = dict[str, registry.AppInfo]()
        for slug in registry.slugs():
            try:
                found[slug] = registry.info(slug)
            except (OSError, SyntaxError, ValueError, KeyError) as error:
                log.warning("the app %s cannot be read and is left out: %s", slug, error)
        return found


def _build(slug: str, world: str) -> None:
    registry.load(slug)
    tools.listing(slug)
    templates.template(slug, world).meta  # noqa: B018 - made once, here


def _places(base: str) -> dict[str, str]:
    return {"mcp": f"{base}/mcp", "rest": f"{base}/rest"}


def _instant(moment: Any) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
