"""What the tests of Gmail share."""

import base64
import importlib
import json
from email.message import EmailMessage
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from legoenv_mcp import registry
from legoenv_mcp.capabilities.email import Attachment, Folder, Message
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

registry.load("gmail")


mime: Any = importlib.import_module("legoenv_mcp.servers.gmail.mime")


models: Any = importlib.import_module("legoenv_mcp.servers.gmail.models")


ALEX = "Alex Doyle <alex.doyle@brightwater.example>"


DANA = "Dana Ruiz <dana@meridian.example>"


FOLDERS = [Folder(key="Customers", name="Customers"), Folder(key="Big deals", name="Sales/Big deals")]


MAIL = [
    Message(
        key="inv.1",
        thread="inv",
        subject="Invoice BW-2026-0117",
        sender=DANA,
        to=(ALEX,),
        cc=("Omar Said <omar@meridian.example>",),
        date="2026-02-26T14:03:00Z",
        body="Hello Alex,\n\nthe two invoices are wrong: we have 12 seats.",
        folders=("Customers",),
        unread=True,
        attachments=(Attachment(name="lines.csv", media_type="text/csv", content="item,amount\nseat,12\n"),),
    ),
    Message(
        key="inv.2",
        thread="inv",
        subject="Re: Invoice BW-2026-0117",
        sender=ALEX,
        to=(DANA,),
        date="2026-02-26T15:00:00Z",
        body="Looking into it.",
        box="sent",
        starred=True,
        in_reply_to="inv.1",
    ),
    Message(
        key="news.1",
        thread="news",
        subject="Café news: 50 % off!",
        sender="Bruno’s Café <hello@cafe.example>",
        to=(ALEX,),
        date="2026-01-05T08:00:00Z",
        body="Plain words",
        html="<p>Plain <b>words</b></p>",
        box="archive",
    ),
    Message(
        key="old.1",
        thread="old",
        subject="Old offer",
        sender=DANA,
        to=(ALEX,),
        date="2024-06-01T08:00:00Z",
        body="Expired offer.",
        box="trash",
    ),
    Message(
        key="spam.1",
        thread="spam",
        subject="You won",
        sender="x@y.example",
        to=(ALEX,),
        date="2026-02-20T08:00:00Z",
        body="Prize!",
        box="spam",
    ),
    Message(
        key="plan.1",
        thread="plan",
        subject="Plan for Q2",
        sender=ALEX,
        to=(DANA,),
        date="2026-02-28T08:00:00Z",
        body="To be written.",
        box="drafts",
    ),
    Message(
        key="deal.1",
        thread="deal",
        subject="Freight tender",
        sender="Judith Crane <judith.crane@ardenrail.example>",
        to=("sales@brightwater.example",),
        date="2026-03-01T10:00:00Z",
        body="Please send your best and final offer by Thursday. https://docs.google.com/document/d/1",
        folders=("Big deals",),
        important=True,
    ),
]


def call(episode: Episode, tool: str, /, status: int = 200, **arguments: Any) -> Any:
    reply = episode.call("gmail", tool, arguments)
    assert reply.status == status, reply.body
    return reply.body


def refused(episode: Episode, tool: str, /, status: int = 400, **arguments: Any) -> str:
    """The message of a refusal that left nothing behind."""
    before = episode.changes()
    body = call(episode, tool, status, **arguments)
    assert episode.changes() == before
    assert body["error"]["code"] == status
    return body["error"]["message"]


def http(
    episode: Episode, method: str, path: str, body: Any = None, kind: str = "application/json", **headers: str
) -> Reply:
    url = "https://host/base" + path
    query = dict(parse_qsl(path.partition("?")[2], keep_blank_values=True))
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    request = Request(
        method, path.partition("?")[0], url, query, {"content-type": kind, **headers}, "https://host/base"
    )
    return rest.handle(episode.app("gmail"), request, data)


def ref(episode: Episode, key: str) -> str:
    return episode.app("gmail").refs("email.Message")[key]


def view(episode: Episode, message_id: str) -> Message:
    live = episode.app("gmail")
    row = live.store.get(models.Message, message_id)
    assert row is not None
    values = {name: row.__dict__[name] for name in models.Message.shape().columns}
    seen = live.app.provides["email"].view(Ctx(live, None, None, Request()), "message", values)
    assert isinstance(seen, Message)
    return seen


def keys(episode: Episode, **arguments: Any) -> list[str]:
    """The world keys of what a search lists."""
    names = {v: k for k, v in episode.app("gmail").refs("email.Message").items()}
    return [names[m["id"]] for m in call(episode, "list_messages", **arguments).get("messages", [])]


def raw(**headers: str) -> str:
    message = EmailMessage()
    body = headers.pop("body", "Text")
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(body)
    return base64.urlsafe_b64encode(message.as_bytes()).decode()


@cache
def shared() -> Episode:
    """One episode for the many cases of a property."""
    return episode_of("gmail", [*FOLDERS, *MAIL])
