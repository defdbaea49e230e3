"""What the tests of Slack share."""

from typing import Any

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities import Entity, chat
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode, Template
from legoenv_mcp.testing import ALEX, BRIGHTWATER, CLOCK


def person(handle: str, **more: Any) -> Person:
    given = {
        "first_name": handle.title(),
        "last_name": "Reed",
        "email": f"{handle}@brightwater.example",
        "handle": handle,
    }
    return Person(**{"key": handle, "title": "Analyst", "department": "Finance", **given, **more})


PEOPLE = [
    person("bea", manager="carl", city="Leeds", country="GB", phone="+44 113 496 0000", start_date="2024-01-08"),
    person("carl", time_zone="Europe/London", admin=True),
    person("dan", active=False),
]


CHANNELS = [
    chat.Channel(
        key="general",
        name="general",
        purpose="Everyone",
        members=("alex.doyle", "bea", "carl"),
        creator="carl",
        created="2020-01-06T09:00:00Z",
    ),
    chat.Channel(
        key="ops",
        name="ops",
        topic="Now",
        members=("bea", "alex.doyle"),
        creator="alex.doyle",
        created="2024-01-08T09:00:00Z",
    ),
    chat.Channel(key="sales", name="sales", members=("bea", "carl"), creator="bea", created="2024-02-08T09:00:00Z"),
    chat.Channel(
        key="board", name="board", private=True, members=("carl",), creator="carl", created="2024-02-09T09:00:00Z"
    ),
    chat.Channel(
        key="pay",
        name="pay",
        private=True,
        members=("carl", "alex.doyle"),
        creator="carl",
        created="2024-02-10T09:00:00Z",
    ),
    chat.Channel(
        key="old",
        name="old",
        archived=True,
        members=("alex.doyle",),
        creator="alex.doyle",
        created="2021-02-08T09:00:00Z",
    ),
    chat.Channel(
        key="dm", name="", direct=True, members=("alex.doyle", "bea"), creator="bea", created="2024-03-01T10:00:00Z"
    ),
    chat.Channel(
        key="group",
        name="",
        direct=True,
        members=("alex.doyle", "bea", "carl"),
        creator="bea",
        created="2024-03-02T10:00:00Z",
    ),
]


MESSAGES = [
    chat.Message(
        key="ops.1",
        channel="ops",
        author="bea",
        text="Invoices for R&D <paid>? See https://x.example/a_b, #sales, @carl",
        at="2026-02-01T10:00:00Z",
        pinned=True,
    ),
    chat.Message(
        key="ops.2",
        channel="ops",
        author="alex.doyle",
        text="Yes, one invoice",
        at="2026-02-01T10:05:00Z",
        thread="ops.1",
    ),
    chat.Message(
        key="ops.3",
        channel="ops",
        author="alex.doyle",
        text="Shipping on Monday",
        at="2026-02-20T10:05:00Z",
        reactions=("tada:bea", "eyes:carl", "tada:carl"),
    ),
    chat.Message(key="ops.4", channel="ops", author="bea", text="Shipping on Monday", at="2026-02-20T10:05:00Z"),
    chat.Message(key="sales.1", channel="sales", author="carl", text="Won the dock deal", at="2026-02-20T10:05:00Z"),
    chat.Message(key="board.1", channel="board", author="carl", text="Secret deal", at="2026-02-21T10:05:00Z"),
    chat.Message(key="old.1", channel="old", author="alex.doyle", text="Bye", at="2022-02-21T10:05:00Z"),
    chat.Message(key="dm.1", channel="dm", author="bea", text="Lunch, a@b.example?", at="2026-02-21T12:05:00Z"),
]


ENTITIES: list[Entity] = [*PEOPLE, *CHANNELS, *MESSAGES]


def ref(episode: Episode, kind: type[Entity], key: str) -> str:
    name = f"{kind.__module__.rsplit('.', 1)[-1]}.{kind.__name__}"
    return episode.app("slack").refs(name)[key]


def place(episode: Episode, key: str) -> str:
    return ref(episode, chat.Channel, key)


def ts(episode: Episode, key: str) -> str:
    return ref(episode, chat.Message, key)


def who(episode: Episode, key: str) -> str:
    return ref(episode, Person, key)


def ok(episode: Episode, tool: str, **arguments: Any) -> dict[str, Any]:
    reply = episode.call("slack", tool, arguments)
    assert not reply.error, reply.body
    assert reply.body["ok"] is True
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> str:
    """The error; a refusal leaves everything as it was and goes over the wire as 200."""
    before = episode.changes()
    reply = episode.call("slack", tool, arguments)
    assert reply.error, reply.body
    assert 400 <= reply.status < 500
    assert reply.wire_status == 200
    assert episode.changes() == before
    return reply.body["error"]


def rest(
    episode: Episode, method: str, name: str, body: bytes = b"", kind: str = "", query: str = ""
) -> tuple[int, Any]:
    headers = {"content-type": kind} if kind else {}
    url = f"/api/{name}" + (f"?{query}" if query else "")
    reply = handle(episode.app("slack"), Request(method, f"/api/{name}", url, {}, headers, "http://h"), body)
    return reply.wire_status or reply.status, reply.body


def episode_as(**alex_is: Any) -> Episode:
    """The same workspace, in which the caller is somebody else."""
    app = registry.load("slack")
    alex = ALEX.model_copy(update=alex_is)
    given = [(type(entity), entity) for entity in [alex, *ENTITIES]]
    template = Template(app, templates.build_from(app, BRIGHTWATER, alex, CLOCK, given))
    return Episode(lambda _: template, ("slack",), "test")


SEARCHES = [
    ("invoice", {"ops.1", "ops.2"}),
    ("invoices paid", {"ops.1"}),
    ('"one invoice"', {"ops.2"}),
    ("invoice -paid", {"ops.2"}),
    ('shipping -"on monday"', set()),
    ("ship*", {"ops.3", "ops.4"}),
    ("shipping from:me", {"ops.3"}),
    ("shipping from:@bea", {"ops.4"}),
    ("shipping -from:@bea", {"ops.3"}),
    ("shipping from:@bea from:me", {"ops.3", "ops.4"}),
    ("in:#sales in:@bea", {"sales.1", "dm.1"}),
    ("in:#ops in:@bea from:me -shipping", {"ops.2"}),
    ("in:#sales", {"sales.1"}),
    ("in:@bea lunch", {"dm.1"}),
    ("in:<#{ops}> from:<@{bea}>", {"ops.1", "ops.4"}),
    ("deal", {"sales.1"}),
    ("has:pin", {"ops.1"}),
    ("has:link", {"ops.1", "dm.1"}),
    ("has:reaction", {"ops.3"}),
    ("has::eyes:", {"ops.3"}),
    ("hasmy::eyes:", set()),
    ("is:thread", {"ops.1", "ops.2"}),
    ("before:2022-12-31", {"old.1"}),
    ("on:2026-02-01", {"ops.1", "ops.2"}),
    ("after:2026-02-20 in:@bea", {"dm.1"}),
    ("during:2022", {"old.1"}),
    ("during:february -in:#ops -in:#sales", {"dm.1"}),
    ("after:02/20/2026", {"dm.1"}),
    ("on:yesterday", set()),
    ("with:@bea from:me", {"ops.2"}),
    ("to:me", {"dm.1"}),
    ("from:nobody", set()),
    ("no:such", set()),
    ('- "open', set()),
    ('"', set()),
    ('""', set()),
    ("R&D", {"ops.1"}),
    ("is:dm", {"dm.1"}),
]


def context(episode: Episode) -> Ctx:
    return Ctx(episode.app("slack"), None, None, Request())
