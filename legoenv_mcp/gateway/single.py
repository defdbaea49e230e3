"""`legoenv serve --http`: a few apps or an environment, one episode, everyone who comes shares it."""

from collections.abc import Callable
from pathlib import Path

from anyio.abc import TaskGroup

from legoenv_mcp import registry, templates
from legoenv_mcp.faces.toolbox import Toolset
from legoenv_mcp.gateway import problems, rest, routes
from legoenv_mcp.gateway.endpoints import Endpoints
from legoenv_mcp.gateway.environments import Environment
from legoenv_mcp.gateway.grading import answer_grade, graded
from legoenv_mcp.gateway.problems import Problem
from legoenv_mcp.gateway.requests import read_answer
from legoenv_mcp.gateway.routes import Route
from legoenv_mcp.gateway.wire import Exchange, Receive, Send
from legoenv_mcp.kernel.episode import Episode


def parse(path: str) -> Route:
    """As the gateway's paths, without episodes; what is none of these is the only app's REST face at the root."""
    found = routes.parse(path)
    if (
        found is not None
        and not found.episode
        and found.kind not in ("episodes", "openenv")
        and not (found.kind == "openapi" and not found.slug)
    ):
        return found
    return Route("rest", below=path)


def parse_environment(path: str) -> Route:
    """The same where an environment is served: `/episode`, `/episode/grade` and `/episode/reset` control its one episode."""
    return _CONTROL.get(path.removesuffix("/")) or parse(path)


_CONTROL = {
    "/episode": Route("episode"),
    "/episode/grade": Route("grade"),
    "/episode/reset": Route("reset"),
}


class Single:
    """Serves one episode over its apps: `/mcp`, `/apps/{slug}/mcp`, `/apps/{slug}/rest/...`.

    With an environment it can be graded and reset; `again` makes its episode anew, once the one before is closed.
    """

    def __init__(
        self, episode: Episode, *, toolset: Toolset, body_limit: int, environment: Environment | None = None,
        again: Callable[[], Episode] | None = None,
    ) -> None:  # fmt: skip
        self._episode = episode
        self._environment = environment
        self._again = again
        self._toolset: Toolset = toolset
        self._limit = body_limit
        self._endpoints: Endpoints | None = None

    def start(self, tasks: TaskGroup) -> None:
        self._endpoints = Endpoints(tasks, limit=self._limit, idle=3600)

    def drain(self) -> None:
        pass

    @property
    def open_episodes(self) -> int:
        return 0  # the server is its episode: who ends one means to end the other

    def relieve(self) -> None:
        pass  # its databases are all in use

    def close(self) -> None:
        self._episode.close()

    async def serve(self, exchange: Exchange, route: Route) -> None:
        if route.kind in ("episode", "grade", "reset"):
            await self._control(exchange, route)
            return
        slugs = self._episode.slugs
        if route.slug and route.slug not in slugs:
            raise Problem(404, "unknown-app", f"{route.slug!r} is not served here; there are: {', '.join(slugs)}.")
        if route.kind == "apps":
            base = exchange.address
            listing = [(slug, f"{base}/apps/{slug}") for slug in slugs]
            await exchange.answer_json(
                [{**registry.info(slug).as_json(), "mcp": f"{at}/mcp", "rest": f"{at}/rest"} for slug, at in listing]
            )
        elif route.kind == "mcp":
            await self._mcp(exchange, (route.slug,) if route.slug else slugs)
        elif route.kind == "openapi":
            from legoenv_mcp.faces import openapi  # noqa: PLC0415 - few ask for it

            url = f"{exchange.address}/apps/{route.slug}/rest"
            await exchange.answer_json(openapi.document(registry.info(route.slug), registry.load(route.slug), url))
        elif route.slug or len(slugs) == 1:
            await rest.serve(exchange, route, lambda: self._episode.app(route.slug or slugs[0]))
        else:
            raise problems.unknown_path()

    async def _mcp(self, exchange: Exchange, slugs: tuple[str, ...]) -> None:
        assert self._endpoints is not None
        # Without sessions a client goes on after a restart as if nothing had been.
        await self._endpoints.serve(
            exchange, slugs, self._toolset, prefixed=len(slugs) > 1, stateless=True, find=lambda: self._episode
        )

    async def _control(self, exchange: Exchange, route: Route) -> None:
        environment = self._environment
        assert environment is not None
        if exchange.method == "DELETE":
            raise Problem(
                405, "method-not-allowed", "The episode ends with the server.", headers={"Allow": "GET, HEAD"}
            )
        if route.kind == "grade":
            answer = read_answer(await exchange.json_object())
            await answer_grade(exchange, graded(environment, self._episode, answer))
            return
        if route.kind == "reset" and self._again is not None:
            self._episode.close()
            self._episode = self._again()
        at = exchange.address
        apps = {
            slug: {"mcp": f"{at}/apps/{slug}/mcp", "rest": f"{at}/apps/{slug}/rest"} for slug in self._episode.slugs
        }
        shown = {
            "environment": environment.id,
            "instruction": environment.instruction,
            "mcp": f"{at}/mcp",
            "apps": apps,
        }
        await exchange.answer_json(shown)

    async def socket(self, exchange: Exchange, receive: Receive, send: Send, route: Route) -> None:
        raise AssertionError("no path of ours is a web socket's")

    async def refuse(self, exchange: Exchange, route: Route) -> None:
        slug = route.slug or (self._episode.slugs[0] if len(self._episode.slugs) == 1 else "")
        if slug not in self._episode.slugs:
            raise problems.unauthorized()
        await rest.refuse(exchange, registry.load(slug))


def open_episode(slugs: tuple[str, ...], world: str, seed: str, folder: Path | None) -> Episode:
    """The served episode with all its apps loaded."""
    episode = templates.episode(slugs, world, seed, folder)
    for slug in slugs:
        episode.app(slug)
    return episode
