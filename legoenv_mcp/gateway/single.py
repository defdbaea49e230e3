"""`legoenv serve --http`: a few apps, one episode, everyone who comes shares it."""

from pathlib import Path
from typing import Any, Literal

from anyio.abc import TaskGroup
from mcp.server import Server

from legoenv_mcp import registry, templates
from legoenv_mcp.faces import mcp as mcp_face
from legoenv_mcp.gateway import problems, rest, routes
from legoenv_mcp.gateway.mounts import Mounts, only_post, place, resolve
from legoenv_mcp.gateway.problems import Problem
from legoenv_mcp.gateway.routes import Route
from legoenv_mcp.gateway.wire import Exchange
from legoenv_mcp.kernel.episode import Episode

Toolset = Literal["mcp", "api"]


def parse(path: str) -> Route:
    """As the gateway's paths, without episodes; what is none of these is the only app's REST face at the root."""
    found = routes.parse(path)
    if (
        found is not None
        and not found.episode
        and found.kind != "episodes"
        and not (found.kind == "openapi" and not found.slug)
    ):
        return found
    return Route("rest", below=path)


class Single:
    """Serves one episode over its apps: `/mcp`, `/apps/{slug}/mcp`, `/apps/{slug}/rest/...`."""

    def __init__(self, episode: Episode, *, toolset: Toolset, body_limit: int) -> None:
        self._episode = episode
        self._toolset: Toolset = toolset
        self._limit = body_limit
        self._mounts: Mounts | None = None

    def start(self, tasks: TaskGroup) -> None:
        self._mounts = Mounts(tasks, limit=self._limit, idle=3600)

    def close(self) -> None:
        self._episode.close()

    async def serve(self, exchange: Exchange, route: Route) -> None:
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
        assert self._mounts is not None
        toolset = exchange.query.get("toolset", self._toolset)
        if toolset not in ("mcp", "api"):
            raise Problem(400, "unknown-toolset", "toolset is `mcp` or `api`.")
        only_post(exchange)
        place(exchange.scope, lambda: self._episode)

        def make() -> Server[Any]:
            return mcp_face.serve(resolve, slugs, toolset=toolset)

        # Without sessions a client goes on after a restart as if nothing had been.
        prefixed = len(slugs) > 1
        places = None if mcp_face.two_tools(slugs, toolset, prefixed) else mcp_face.places(slugs, prefixed)
        await self._mounts.serve((slugs, toolset), make, exchange, stateless=True, places=places)

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
