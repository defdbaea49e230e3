"""What the tests of Discord share."""

import json
from typing import Any

from legoenv_mcp.capabilities import Entity, chat
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode

VIEW, SEND, ADMINISTRATOR = "1024", "2048", "8"


def person(handle: str, **more: Any) -> Person:
    known = {
        "first_name": handle.title(),
        "last_name": "Reed",
        "email": f"{handle}@brightwater.example",
        "handle": handle,
    }
    return Person(**{"key": handle, "title": "Analyst", "department": "Finance", **known, **more})


def channel(key: str, *members: str, **more: Any) -> chat.Channel:
    return chat.Channel(**{"key": key, "name": key, "members": members, "created": "2024-01-08T09:00:00Z", **more})


def message(key: str, author: str, text: str, at: str, **more: Any) -> chat.Message:
    return chat.Message(key=key, channel=key.partition(".")[0], author=author, text=text, at=at, **more)


PEOPLE = [
    person("bea", start_date="2024-01-08"),
    person("carl", admin=True, department="Management"),
    person("dan", active=False),
    person("eve"),
]


ALL = ("alex.doyle", "bea", "carl", "eve")


CHANNELS = [
    channel("general", *ALL, creator="carl", topic="Everyone"),
    channel("ops", "bea", "alex.doyle", creator="alex.doyle", topic="Now"),
    channel("announcements", *ALL, creator="carl"),
    channel("board", "carl", private=True, creator="carl"),
    channel("pay", "alex.doyle", "eve", private=True, creator="eve"),
    channel("old", "alex.doyle", "bea", archived=True, creator="bea"),
    channel("dm", "alex.doyle", "bea", name="", direct=True, creator="bea"),
]


MESSAGES = [
    message("ops.1", "bea", "Who ships on Monday?", "2026-01-02T10:00:00Z"),
    message("ops.2", "alex.doyle", "I do, see https://docs.example/plan", "2026-02-20T10:05:00Z", thread="ops.1",
            reactions=("tada:bea", "eyes:carl", "tada:carl")),
    message("ops.3", "bea", "Shipping moved to Tuesday", "2026-02-21T10:05:00Z", pinned=True),
    message("ops.4", "bea", "Shipping moved to Tuesday", "2026-02-21T10:05:00Z"),
    message("announcements.1", "alex.doyle", "Office closed", "2026-02-21T11:00:00Z"),
    message("board.1", "carl", "Secret shipping deal", "2026-02-21T10:05:00Z"),
    message("pay.1", "eve", "Salaries", "2026-02-21T10:05:00Z"),
    message("dm.1", "bea", "Lunch?", "2026-02-21T12:05:00Z"),
]  # fmt: skip


ENTITIES: list[Entity] = [*PEOPLE, *CHANNELS, *MESSAGES]


def ref(episode: Episode, key: str) -> str:
    refs = (episode.app("discord").refs(name) for name in ("chat.Channel", "chat.Message", "people.Person"))
    return next(found[key] for found in refs if key in found)


def ok(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = episode.call("discord", tool, arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> tuple[int, int]:
    """Status and code; a refusal leaves everything as it was."""
    before = episode.changes()
    reply = episode.call("discord", tool, arguments)
    assert reply.error, reply.body
    assert 400 <= reply.status < 500
    assert episode.changes() == before
    return reply.status, reply.body["code"]


def wrong(episode: Episode, tool: str, **arguments: Any) -> dict[str, Any]:
    """The fields that a form error names."""
    before = episode.changes()
    reply = episode.call("discord", tool, arguments)
    assert (reply.status, reply.body["code"], reply.body["message"]) == (400, 50035, "Invalid Form Body")
    assert episode.changes() == before
    return reply.body["errors"]


def server(episode: Episode) -> str:
    return ok(episode, "list_my_guilds")[0]["id"]


def send(episode: Episode, place: str, text: str = "Hello", **more: Any) -> dict[str, Any]:
    return ok(episode, "create_message", channel_id=place, content=text, **more)


def rest(episode: Episode, method: str, path: str, body: Any = None, **headers: str) -> Any:
    url, query = path, dict[str, str]()
    request = Request(method, path.partition("?")[0], url, query, {"content-type": "application/json", **headers}, "")
    return handle(episode.app("discord"), request, json.dumps(body).encode() if body is not None else b"")


def views(episode: Episode, kind: type[Any]) -> dict[str, Any]:
    live = episode.app("discord")
    ctx, found = Ctx(live, None, None, Request()), dict[str, Any]()
    for table, shape in live.app.shapes.items():
        for raw in live.store.connection.execute(shape.select):
            entity = live.app.provides["chat"].view(ctx, table, shape.decode(raw))
            if type(entity) is kind:
                found[entity.id] = entity
    return found


def view(episode: Episode, kind: type[Any], id: str) -> Any:
    return views(episode, kind)[id]
