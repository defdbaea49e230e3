"""What the tests of Mailchimp share."""

import hashlib
import json
from typing import Any
from urllib.parse import parse_qsl

from legoenv_mcp.capabilities import Entity
from legoenv_mcp.capabilities.marketing_email import Audience, Campaign, Subscriber
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode

APP = "mailchimp"


ANN, BOB, CYD, DAN, EVE = (f"{name}@northgrove.example" for name in ("ann", "bob", "cyd", "dan", "eve"))


NEWS = Audience(
    key="news",
    name="News",
    from_name="Alex",
    from_email="alex.doyle@brightwater.example",
    created="2025-01-01T08:00:00Z",
)


def subscriber(email: str, status: Any = "subscribed", *tags: str, at: str = "2025-06-01T08:00:00Z") -> Subscriber:
    name = email.partition("@")[0].title()
    return Subscriber(
        key=email,
        audience="news",
        email=email,
        first_name=name,
        last_name="Stone",
        status=status,
        tags=tags,
        created=at,
    )


ENTITIES: list[Entity] = [
    NEWS, Audience(key="other", name="Other", created="2025-02-01T08:00:00Z"),
    subscriber(ANN, "subscribed", "reader", "vip"), subscriber(BOB, "unsubscribed"), subscriber(CYD, "cleaned"),
    subscriber(DAN, "pending"), subscriber(EVE, "subscribed", "reader", at="2026-01-01T08:00:00Z"),
    Campaign(
        key="old", audience="news", name="Old issue", subject="What was", body="Hello {{first_name}},\n\nit was.", status="sent",
        at="2025-12-01T09:00:00Z", sent=3, opened=1, clicked=1, bounced=1, unsubscribed=1, created="2025-11-30T09:00:00Z",
    ),
    Campaign(key="next", audience="news", name="Next issue", subject="What is", body="It is.", created="2026-02-01T09:00:00Z"),
]  # fmt: skip


def md5(email: str) -> str:
    return hashlib.md5(email.lower().encode()).hexdigest()


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = episode.call(APP, tool, arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> Any:
    """The problem document; nothing is written."""
    before = episode.changes()
    reply = episode.call(APP, tool, arguments)
    assert reply.error, reply.body
    assert episode.changes() == before
    body: Any = reply.body
    assert body["status"] == reply.status
    assert body["type"].startswith("https://mailchimp.com/")
    return body


def rest(episode: Episode, method: str, path: str, body: Any = None) -> Reply:
    bare, _, query = path.partition("?")
    headers = {"content-type": "application/json"}
    request = Request(method, bare, path, dict(parse_qsl(query)), headers, "https://here")
    return handle(episode.app(APP), request, b"" if body is None else json.dumps(body).encode())


def got(episode: Episode, method: str, path: str, body: Any = None, status: int = 200) -> Any:
    reply = rest(episode, method, path, body)
    assert reply.status == status, reply.body
    return reply.body


def draft(episode: Episode, news: str, **changed: Any) -> str:
    """A campaign that is ready to be sent."""
    set_up = {"subject_line": "Hi", "title": "Draft", "from_name": "Alex", "reply_to": "alex@brightwater.example"}
    recipients = changed.pop("recipients", {"list_id": news})
    made = call(episode, "create_campaign", type="regular", recipients=recipients, settings={**set_up, **changed})
    html = '<p>Hi *|FNAME|*, <a href="https://brightwater.example/a">read on</a></p>'
    call(episode, "set_campaign_content", campaign_id=made["id"], html=html)
    return made["id"]
