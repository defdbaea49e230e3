"""An app's REST face under a path of ours."""

from collections.abc import Callable

from legoenv_mcp.faces import rest
from legoenv_mcp.faces.replies import KEPT, Answer
from legoenv_mcp.gateway.routes import Route
from legoenv_mcp.gateway.wire import Exchange
from legoenv_mcp.kernel.app import App
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import LiveApp


async def serve(exchange: Exchange, route: Route, find: Callable[[], LiveApp]) -> None:
    """Answers a request on an app's own paths. `find` is asked for the app when the body is there: much may happen until then."""
    body = await exchange.body()
    live, path = find(), route.below or "/"
    if body is None:
        await exchange.answer(*rest.encode(live.app.refusal(live.app.too_large(exchange.limit))))
        return
    base = exchange.address + route.mount
    url = f"{base}{path}" + (f"?{exchange.raw_query}" if exchange.raw_query else "")

    def ask() -> Answer:
        request = Request(exchange.method, rest.normal_path(path), url, exchange.query, exchange.headers, base)
        made = rest.encode(rest.handle(live, request, body))
        return Answer(made, len(made[2]), made[0])

    asked = (exchange.method, url, body, *exchange.scope["headers"])
    await exchange.answer(*KEPT.answer(live, asked, ask))


async def refuse(exchange: Exchange, app: App) -> None:
    """The product's own answer to a request without credentials."""
    await exchange.answer(*rest.encode(app.refusal(app.unauthorized())))
