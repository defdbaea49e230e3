"""What the tests of Trello share."""

import json
from typing import Any
from urllib.parse import urlencode

from legoenv_mcp.capabilities import Entity, Plan
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.support.tracker import ENTITIES, OPS


class Trello:
    """An account as an agent and as a program sees it."""

    def __init__(self, *more: Entity) -> None:
        self.episode: Episode = episode_of("trello", [*ENTITIES, *more])
        self.live = self.episode.app("trello")

    def __call__(self, tool: str, **arguments: Any) -> Any:
        reply = self.live.call(tool, arguments)
        assert not reply.error, (tool, reply.body)
        return reply.body

    def refused(self, status: int, said: Any, tool: str, /, **arguments: Any) -> None:
        before = self.episode.changes()
        reply = self.live.call(tool, arguments)
        assert (reply.status, reply.body) == (status, said)
        assert self.episode.changes() == before

    def rest(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        url = path + (f"?{urlencode(query)}" if query else "")
        headers = {} if body is None else {"content-type": "application/json"}
        sent = b"" if body is None else json.dumps(body).encode()
        return handle(self.live, Request(method, path, url, {}, headers, ""), sent)

    def ref(self, entity: Entity) -> str:
        kind = "people" if isinstance(entity, Person) else "project_tracking"
        return self.live.template.refs[f"{kind}.{type(entity).__name__}"][entity.key]

    def view(self, kind: type[Any]) -> list[Any]:
        ctx, found = Ctx(self.live, None, None, Request()), list[Any]()
        for table, shape in self.live.app.shapes.items():
            for raw in self.live.store.connection.execute(shape.select):
                entity = self.live.app.provides["project_tracking"].view(ctx, table, shape.decode(raw))
                if type(entity) is kind:
                    found.append(entity)
        return found

    def one(self, kind: type[Any], key: str) -> Any:
        return next(e for e in self.view(kind) if e.id == key)

    def play(self, plan: Plan) -> list[Any]:
        replies = list[Any]()
        try:
            step = next(plan)
            while True:
                replies.append(self(step.tool, **step.arguments))
                step = plan.send(replies[-1])
        except StopIteration:
            return replies

    def lists(self) -> dict[str, str]:
        return {row["name"]: row["id"] for row in self("get_board_lists", id=self.ref(OPS))}


def names(cards: Any) -> list[str]:
    return [card["name"] for card in cards]
