"""What the tests of Zendesk share."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from legoenv_mcp.capabilities import Entity, crm, helpdesk
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode

APP = "zendesk"


def person(handle: str, **more: Any) -> Person:
    return Person(
        key=handle, first_name=handle.title(), last_name="Reed", email=f"{handle}@brightwater.example", handle=handle,
        title="Agent", department="Support", **more,
    )  # fmt: skip


def message(author: str, at: str, body: str, note: bool = False) -> helpdesk.TicketMessage:
    return helpdesk.TicketMessage(author=author, at=at, body=body, note=note)


ENTITIES: list[Entity] = [
    person("bea"),
    person("carl", admin=True, manager="bea"),
    crm.Company(
        key="meridian", name="Meridian Freight", domain="meridian.example", kind="customer", employees=40, owner="bea"
    ),
    helpdesk.Requester(
        key="dana", name="Dana Whitfield", email="dana@meridian.example", company="meridian", created="2025-05-01T08:00:00Z"
    ),
    helpdesk.Requester(key="finn", name="Finn Aldous", email="finn@elsewhere.example"),
    helpdesk.Queue(key="first", name="First line", members=("alex.doyle", "bea")),
    helpdesk.Queue(key="billing", name="Billing", members=("carl",)),
    helpdesk.Ticket(
        key="101", subject="Export fails at midnight", requester="dana", status="open", priority="high", kind="problem",
        assignee="bea", queue="first", tags=("export", "api"), created="2026-02-27T09:00:00Z", updated="2026-02-27T11:00:00Z",
        messages=(
            message("dana", "2026-02-27T09:00:00Z", "The nightly export stops with an error."),
            message("bea", "2026-02-27T10:00:00Z", "Which workspace is it?"),
            message("bea", "2026-02-27T11:00:00Z", "Looks like the scheduler.", note=True),
        ),
    ),
    helpdesk.Ticket(
        key="102", subject="Invoice for two seats too many", requester="finn", status="new", channel="web",
        created="2026-03-01T10:00:00Z", messages=(message("finn", "2026-03-01T10:00:00Z", "We have five seats, not seven."),),
    ),
    helpdesk.Ticket(
        key="103", subject="Thanks", requester="dana", status="closed", assignee="carl", queue="billing",
        created="2026-01-05T10:00:00Z", messages=(message("dana", "2026-01-05T10:00:00Z", "All fine now."),),
    ),
    helpdesk.Ticket(
        key="104", subject="Invoice address", requester="dana", status="solved", priority="low", assignee="carl", queue="billing",
        created="2026-02-20T10:00:00Z", messages=(message("dana", "2026-02-20T10:00:00Z", "Please change the address."),),
    ),
]  # fmt: skip


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = episode.call(APP, tool, arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> Any:
    """The body of a refused call, which leaves nothing."""
    before = episode.changes()
    reply = episode.call(APP, tool, arguments)
    assert reply.error, reply.body
    assert episode.changes() == before
    return {"status": reply.status, **reply.body}


def details(body: Any) -> str:
    assert body["error"] == "RecordInvalid"
    assert body["description"] == "Record validation errors"
    return "; ".join(p["description"] for found in body["details"].values() for p in found)


def rest(episode: Episode, method: str, path: str, body: Any = None) -> Reply:
    parts = urlsplit(path)
    query = dict(parse_qsl(parts.query))
    headers = {"content-type": "application/json"}
    request = Request(method, parts.path, f"http://desk.example{path}", query, headers, "http://desk.example")
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return handle(episode.app(APP), request, data)


def update(episode: Episode, ticket_id: int, **ticket: Any) -> Any:
    return call(episode, "update_ticket", ticket_id=ticket_id, ticket=ticket)["ticket"]


def ticket(episode: Episode, ticket_id: int) -> Any:
    return call(episode, "show_ticket", ticket_id=ticket_id)["ticket"]


def user_id(episode: Episode, email: str) -> int:
    return call(episode, "search_users", query=f"email:{email}")["users"][0]["id"]


def me(episode: Episode) -> int:
    return call(episode, "show_current_user")["user"]["id"]


def found(episode: Episode, query: str) -> list[Any]:
    return [r["id"] for r in call(episode, "search", query=query)["results"]]
