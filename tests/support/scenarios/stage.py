"""Where a capability's verbs are played: one app in an episode, looked at through its view."""

from collections.abc import Callable
from typing import Any

from legoenv_mcp import templates, worlds
from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.base import Plan
from legoenv_mcp.kernel.context import Ctx, Request, entity_name
from legoenv_mcp.worlds import World

WORLD = templates.DEFAULT_WORLD


class Stage:
    """An app in an episode, played through a capability's verbs and looked at through its view."""

    def __init__(self, slug: str, capability: str) -> None:
        self.live = templates.episode([slug], WORLD, "verbs").app(slug)
        self.provider = self.live.app.provides[capability]
        self.world: World = worlds.load(WORLD)

    def ref(self, entity: Entity) -> str:
        return self.live.template.refs[entity_name(type(entity))][entity.key]

    def first(self, kind: type[Any], test: Callable[[Any], bool] = lambda _: True) -> Any:
        return next(e for e in self.world.entities(kind) if test(e))

    def run(self, plan: Plan) -> list[Any]:
        """Plays a verb; every call must succeed. Returns the replies."""
        replies = list[Any]()
        try:
            call = next(plan)
            while True:
                reply = self.live.call(call.tool, call.arguments)
                assert not reply.error, f"{self.live.app.slug}.{call.tool}({call.arguments}): {reply.body}"
                replies.append(reply.body)
                call = plan.send(reply.body)
        except StopIteration:
            assert replies, "the verb made no call"
            return replies

    def reads(self, plan: Plan, *shown: object) -> None:
        """A reading verb: changes nothing, and what it must find is in its replies."""
        before = self.live.changes()
        text = str(self.run(plan))
        assert self.live.changes() == before
        for value in shown:
            assert str(value) in text, f"{value!r} is not in {text[:500]}"

    def all(self, kind: type[Any]) -> list[Any]:
        ctx, found = Ctx(self.live, None, None, Request()), list[Any]()
        for table, shape in self.live.app.shapes.items():
            for raw in self.live.store.connection.execute(shape.select):
                entity = self.provider.view(ctx, table, shape.decode(raw))
                if type(entity) is kind:
                    found.append(entity)
        return found

    def one(self, kind: type[Any], test: Callable[[Any], bool]) -> Any:
        found = [e for e in self.all(kind) if test(e)]
        assert len(found) == 1, f"{len(found)} {entity_name(kind)} found, one expected"
        return found[0]
