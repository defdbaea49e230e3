"""What the tests of Intercom share."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from legoenv_mcp.capabilities import Entity, helpdesk
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode

APP = "intercom"


SOON = 4_000_000_000


def message(author: str, at: str, body: str, note: bool = False) -> helpdesk.TicketMessage:
    return helpdesk.TicketMessage(author=author, at=at, body=body, note=note)


ENTITIES: list[Entity] = [
    Person(
        key="bea", first_name="Bea", last_name="Reed", email="bea@brightwater.example", handle="bea", title="Agent", department="Support"
    ),
    Person(
        key="gone", first_name="Gus", last_name="Gone", email="gus@brightwater.example", handle="gus", title="Agent",
        department="Support", active=False,
    ),
    helpdesk.Requester(
        key="dana", name="Dana Whitfield", email="dana@meridian.example", company="meridian", created="2025-05-01T08:00:00Z"
    ),
    helpdesk.Requester(key="finn", name="Finn Aldous", email="finn@elsewhere.example", created="2025-06-15T23:30:00Z"),
    helpdesk.Queue(key="first", name="First line", members=("alex.doyle", "bea")),
    helpdesk.Ticket(
        key="101", subject="Export fails at midnight", requester="dana", status="open", priority="high", kind="problem",
        assignee="bea", queue="first", tags=("export", "api"), created="2026-02-27T09:00:00Z", updated="2026-02-27T11:00:00Z",
        messages=(
            message("dana", "2026-02-27T09:00:00Z", "The nightly export stops with an error.\nIt is <urgent>.\n\nThanks"),
            message("bea", "2026-02-27T10:00:00Z", "Which workspace is it?"),
            message("bea", "2026-02-27T11:00:00Z", "Looks like the scheduler.", note=True),
        ),
    ),
    helpdesk.Ticket(
        key="102", subject="Invoice for two seats too many", requester="finn", status="new", channel="web",
        created="2026-03-01T10:00:00Z", messages=(message("finn", "2026-03-01T10:00:00Z", "We have five seats, not seven."),),
    ),
    helpdesk.Ticket(
        key="103", subject="Thanks", requester="dana", status="closed", assignee="bea", queue="first",
        created="2026-01-05T10:00:00Z", messages=(message("dana", "2026-01-05T10:00:00Z", "All fine now."),),
    ),
]  # fmt: skip


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = episode.call(APP, tool, arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> tuple[int, str, str]:
    """Status, code and message of a refused call, which leaves nothing."""
    before = episode.changes()
    reply = episode.call(APP, tool, arguments)
    assert reply.error, reply.body
    assert episode.changes() == before
    return _said(reply)


def _said(reply: Reply) -> tuple[int, str, str]:
    assert reply.body["type"] == "error.list"
    assert len(reply.body["request_id"]) == 36
    [one] = reply.body["errors"]
    return reply.status, one["code"], one["message"]


def rest(episode: Episode, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    parts = urlsplit(path)
    sent = {"content-type": "application/json", **{n.replace("_", "-"): v for n, v in headers.items()}}
    base = "http://intercom.example"
    request = Request(method, parts.path, f"{base}{path}", dict(parse_qsl(parts.query)), sent, base)
    return handle(episode.app(APP), request, b"" if body is None else json.dumps(body).encode())


def http(episode: Episode, method: str, path: str, body: Any = None) -> Any:
    reply = rest(episode, method, path, body)
    assert not reply.error, reply.body
    return reply.body


def declined(episode: Episode, method: str, path: str, body: Any = None) -> tuple[int, str, str]:
    before = episode.changes()
    reply = rest(episode, method, path, body)
    assert reply.error, reply.body
    assert episode.changes() == before
    return _said(reply)


def ref(episode: Episode, entity: str, key: str) -> str:
    return episode.app(APP).template.refs[entity][key]


def me(episode: Episode) -> str:
    return call(episode, "identify_admin")["id"]


def contact(episode: Episode, key: str = "dana") -> str:
    return ref(episode, "helpdesk.Requester", key)


def thread(episode: Episode, key: str = "101") -> str:
    return ref(episode, "helpdesk.Ticket", key)


def shown(episode: Episode, key: str = "101") -> Any:
    return http(episode, "GET", f"/conversations/{thread(episode, key)}")


def started(episode: Episode, key: str = "dana") -> str:
    """A plain conversation."""
    who = {"type": "user", "id": contact(episode, key)}
    made = call(episode, "create_conversation", **{"from": who, "body": "Hello there"})
    return made["conversation_id"]


def types(episode: Episode) -> dict[str, Any]:
    return {t["name"]: t for t in http(episode, "GET", "/ticket_types")["data"]}


def new_ticket(episode: Episode, kind: str = "Support request", **attributes: Any) -> Any:
    return call(
        episode, "create_ticket", ticket_type_id=types(episode)[kind]["id"], contacts=[{"id": contact(episode)}],
        ticket_attributes={"_default_title_": "Broken", "_default_description_": "It broke.", **attributes},
    )  # fmt: skip


def ids_of(episode: Episode, tool: str, query: Any, **more: Any) -> set[str]:
    body = call(episode, tool, query=query, **more)
    return {row["id"] for row in body.get("data", body.get("conversations", body.get("tickets")))}


def leaf(field: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}
