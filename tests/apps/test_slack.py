"""The Slack app through its public faces: rules, states, search, pages, and the chat capability."""

from typing import Any

import mcp.types as t
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as given_by
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities import Entity, Plan, chat
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Ctx, Request
from legoenv_mcp.kernel.episode import Episode, Template
from legoenv_mcp.testing import ALEX, BRIGHTWATER, CLOCK, episode_of


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


@pytest.fixture
def episode() -> Episode:
    return episode_of("slack", ENTITIES)


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


async def test_over_mcp_results_and_errors(episode: Episode) -> None:
    async with Client(serve(episode, ["slack"])) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert 25 < len(names) <= 60
        done = await client.call_tool("post_message", {"channel": place(episode, "ops"), "text": "hi"})
        assert done.structured_content
        assert done.structured_content["ok"] is True
        failed = await client.call_tool("post_message", {"channel": "C0000000000", "text": "hi"})
        assert failed.is_error
        content = failed.content[0]
        assert isinstance(content, t.TextContent)
        assert '"error":"channel_not_found"' in content.text


def test_the_web_api_takes_arguments_from_anywhere(episode: Episode) -> None:
    ops = place(episode, "ops")
    ways = [
        ("POST", f"channel={ops}&text=a".encode(), "application/x-www-form-urlencoded", ""),
        ("POST", f'{{"channel": "{ops}", "text": "a", "token": "x"}}'.encode(), "application/json; charset=utf-8", ""),
        ("GET", b"", "", f"channel={ops}&text=a&token=x&no_such=1"),
        ("POST", b"", "", f"channel={ops}&text=a"),
    ]
    for method, body, kind, query in ways:
        status, answer = rest(episode, method, "chat.postMessage", body, kind, query)
        assert (status, answer["ok"], answer["message"]["text"]) == (200, True, "a")
    form = 'blocks=[{"type":"section","text":{"type":"mrkdwn","text":"b"}}]&attachments=[{"text":"c"}]&text='
    _, answer = rest(episode, "POST", "chat.postMessage", f"{form}&channel={ops}".encode(), ways[0][2])
    assert answer["message"]["attachments"] == [{"id": 1, "text": "c"}]


def test_names_become_mentions_where_asked_for(episode: Episode) -> None:
    query = f"channel={place(episode, 'ops')}&text=%40bea+%23ops+%60%40bea%60+%40nobody"
    _, plain = rest(episode, "POST", "chat.postMessage", query=query)
    assert plain["message"]["text"] == "@bea #ops `@bea` @nobody"
    _, linked = rest(episode, "POST", "chat.postMessage", query=f"{query}&link_names=1")
    ops, bea = place(episode, "ops"), who(episode, "bea")
    assert linked["message"]["text"] == f"<@{bea}> <#{ops}|ops> `@bea` @nobody"


@pytest.mark.parametrize(
    ("name", "body", "kind", "error"),
    [
        ("no.such", b"", "", "unknown_method"),
        ("chat.postMessage", b"{", "application/json", "invalid_json"),
        ("chat.postMessage", b'{"channel": 5}', "application/json", "invalid_arguments"),
        ("chat.postMessage", b"", "", "invalid_arguments"),
        ("chat.postMessage", b"channel=&text=a", "application/x-www-form-urlencoded", "channel_not_found"),
        ("api.test", b"error=my_error", "application/x-www-form-urlencoded", "my_error"),
        ("users.setPresence", b"presence=gone", "application/x-www-form-urlencoded", "invalid_presence"),
        ("conversations.history", b"", "", "invalid_arguments"),
    ],
)
def test_what_the_web_api_cannot_read(episode: Episode, name: str, body: bytes, kind: str, error: str) -> None:
    status, answer = rest(episode, "POST", name, body, kind)
    assert (status, answer["ok"], answer["error"]) == (200, False, error)
    if error == "invalid_arguments":
        assert answer["response_metadata"]["messages"][0].startswith("[ERROR] ")


def test_where_one_may_post(episode: Episode) -> None:
    assert refused(episode, "post_message", channel=place(episode, "sales"), text="x") == "not_in_channel"
    assert refused(episode, "post_message", channel=place(episode, "board"), text="x") == "channel_not_found"
    assert refused(episode, "post_message", channel=place(episode, "old"), text="x") == "is_archived"
    assert refused(episode, "post_message", channel="#nowhere", text="x") == "channel_not_found"
    assert refused(episode, "post_message", channel=who(episode, "dan"), text="x") == "user_disabled"
    assert ok(episode, "post_message", channel="#pay", text="x")["channel"] == place(episode, "pay")
    assert ok(episode, "post_message", channel=who(episode, "bea"), text="x")["channel"] == place(episode, "dm")
    assert ok(episode, "post_message", channel=who(episode, "carl"), text="x")["channel"].startswith("D")


def test_what_one_may_post(episode: Episode) -> None:
    ops = place(episode, "ops")
    assert refused(episode, "post_message", channel=ops) == "no_text"
    assert refused(episode, "post_message", channel=ops, text=" ") == "no_text"
    assert refused(episode, "post_message", channel=ops, text="x" * 40_001) == "msg_too_long"
    assert refused(episode, "post_message", channel=ops, attachments=[{"text": "a"}] * 101) == "too_many_attachments"
    assert refused(episode, "post_message", channel=ops, attachments="nonsense") == "invalid_attachments"
    assert refused(episode, "post_message", channel=ops, blocks="nonsense") == "invalid_blocks_format"
    assert refused(episode, "post_message", channel=ops, text="x", thread_ts="1.000000") == "thread_not_found"
    assert refused(episode, "post_message", channel=ops, text="x", thread_ts="soon") == "invalid_thread_ts"
    reply = ts(episode, "ops.2")
    assert refused(episode, "post_message", channel=ops, text="x", thread_ts=reply) == "cannot_reply_to_message"


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([{}], "missing required field: type [json-pointer:/blocks/0]"),
        ([{"type": "sektion"}], "unsupported type: sektion [json-pointer:/blocks/0/type]"),
        ([{"type": "section"}], "missing required field: text [json-pointer:/blocks/0]"),
        ([{"type": "divider"}] * 51, "no more than 50 items allowed [json-pointer:/blocks]"),
        (
            [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}],
            "must be a valid enum value: plain_text [json-pointer:/blocks/0/text/type]",
        ),
        (
            [{"type": "section", "text": {"type": "mrkdwn", "text": ""}}],
            "must be more than 0 characters [json-pointer:/blocks/0/text/text]",
        ),
        (
            [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}}],
            "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
        ),
        ([{"type": "context", "elements": []}], "must provide at least one element [json-pointer:/blocks/0/elements]"),
        (
            [{"type": "divider", "block_id": "a"}, {"type": "divider", "block_id": "a"}],
            "`block_id` a already exists [json-pointer:/blocks/1/block_id]",
        ),
    ],
)
def test_blocks_are_checked(episode: Episode, blocks: list[Any], message: str) -> None:
    reply = episode.call("slack", "post_message", {"channel": place(episode, "ops"), "text": "x", "blocks": blocks})
    assert reply.body["error"] == "invalid_blocks"
    assert reply.body["errors"] == [message]
    assert episode.changes() == []


def test_only_the_author_changes_or_removes_a_message(episode: Episode) -> None:
    ops = place(episode, "ops")
    theirs, mine = ts(episode, "ops.4"), ts(episode, "ops.3")
    assert refused(episode, "update_message", channel=ops, ts=theirs, text="x") == "cant_update_message"
    direct = {"channel": place(episode, "dm"), "ts": ts(episode, "dm.1")}
    assert refused(episode, "delete_message", **direct) == "cant_delete_message"
    assert refused(episode, "update_message", channel=ops, ts="1.000000", text="x") == "message_not_found"
    assert refused(episode, "update_message", channel=ops, ts=mine) == "no_text"
    assert refused(episode, "update_message", channel=ops, ts=mine, text="x" * 4001) == "msg_too_long"
    old = {"channel": place(episode, "old"), "ts": ts(episode, "old.1")}
    assert refused(episode, "update_message", **old, text="x") == "is_inactive"
    assert ok(episode, "update_message", channel=ops, ts=mine, text="Tuesday")["message"]["edited"]
    assert ok(episode, "delete_message", channel=ops, ts=mine)["ts"] == mine
    assert refused(episode, "get_permalink", channel=ops, message_ts=mine) == "message_not_found"
    assert {c.table for c in episode.changes()} == {"message", "reaction"}


def test_a_deleted_parent_leaves_a_placeholder_over_its_replies(episode: Episode) -> None:
    ops = place(episode, "ops")
    parent = ok(episode, "post_message", channel=ops, text="Parent")["ts"]
    ok(episode, "post_message", channel=ops, text="Reply", thread_ts=parent)
    ok(episode, "delete_message", channel=ops, ts=parent)
    thread = ok(episode, "get_conversation_replies", channel=ops, ts=parent)["messages"]
    assert [m.get("subtype") for m in thread] == ["tombstone", None]
    assert refused(episode, "delete_message", channel=ops, ts=parent) == "message_not_found"
    ok(episode, "delete_message", channel=ops, ts=thread[1]["ts"])
    assert refused(episode, "get_conversation_replies", channel=ops, ts=parent) == "thread_not_found"
    assert episode.changes() == []


def test_threads(episode: Episode) -> None:
    ops, parent = place(episode, "ops"), ts(episode, "ops.1")
    reply = ok(episode, "post_message", channel=ops, text="Paid", thread_ts=parent, reply_broadcast=True)["ts"]
    assert [m["ts"] for m in ok(episode, "get_conversation_replies", channel=ops, ts=reply)["messages"]] == [reply]
    thread = ok(episode, "get_conversation_replies", channel=ops, ts=parent)["messages"]
    assert [m["ts"] for m in thread] == [parent, ts(episode, "ops.2"), reply]
    assert (thread[0]["reply_count"], thread[0]["latest_reply"], thread[0]["subscribed"]) == (2, reply, True)
    assert thread[1]["parent_user_id"] == who(episode, "bea")
    history = [m["ts"] for m in ok(episode, "get_conversation_history", channel=ops)["messages"]]
    assert reply in history
    assert ts(episode, "ops.2") not in history
    assert refused(episode, "get_conversation_replies", channel=ops, ts="1.0") == "thread_not_found"
    first = ok(episode, "get_conversation_replies", channel=ops, ts=parent, limit=2)
    assert first["has_more"] is True
    cursor = first["response_metadata"]["next_cursor"]
    rest_of_it = ok(episode, "get_conversation_replies", channel=ops, ts=parent, limit=2, cursor=cursor)
    assert [m["ts"] for m in rest_of_it["messages"]] == [reply]
    assert rest_of_it["has_more"] is False


def test_history_by_time_and_page(episode: Episode) -> None:
    ops = place(episode, "ops")
    for number in range(7):
        ok(episode, "post_message", channel=ops, text=str(number))
    seen, cursor = list[str](), None
    while cursor != "":
        page = ok(episode, "get_conversation_history", channel=ops, limit=3, cursor=cursor)
        seen += [m["ts"] for m in page["messages"]]
        cursor = page.get("response_metadata", {}).get("next_cursor", "")
    assert seen == sorted(set(seen), reverse=True)
    assert len(seen) == 10
    assert len(ok(episode, "get_conversation_history", channel=ops, oldest=seen[5])["messages"]) == 5
    assert len(ok(episode, "get_conversation_history", channel=ops, oldest=seen[5], inclusive=True)["messages"]) == 6
    assert len(ok(episode, "get_conversation_history", channel=ops, latest=seen[5], oldest="0")["messages"]) == 4
    assert refused(episode, "get_conversation_history", channel=ops, oldest="yesterday") == "invalid_ts_oldest"
    assert refused(episode, "get_conversation_history", channel=ops, cursor="x") == "invalid_cursor"
    assert refused(episode, "get_conversation_history", channel=place(episode, "board")) == "channel_not_found"
    assert ok(episode, "get_conversation_history", channel=place(episode, "sales"))["messages"]


def test_history_from_a_moment_on_goes_forward(episode: Episode) -> None:
    ops = place(episode, "ops")
    first = ok(episode, "get_conversation_history", channel=ops, oldest=ts(episode, "ops.1"), inclusive=True, limit=1)
    assert [m["ts"] for m in first["messages"]] == [ts(episode, "ops.1")]
    made = [ok(episode, "post_message", channel=ops, text=str(n))["ts"] for n in range(5)]
    seen, cursor = list[str](), None
    while cursor != "":
        page = ok(episode, "get_conversation_history", channel=ops, oldest=made[0], limit=2, cursor=cursor)
        stamps = [m["ts"] for m in page["messages"]]
        assert stamps == sorted(stamps, reverse=True)
        seen = [*stamps, *seen]
        cursor = page.get("response_metadata", {}).get("next_cursor", "")
    assert seen == made[:0:-1]
    between = ok(episode, "get_conversation_history", channel=ops, oldest=made[0], latest=made[4], limit=2)["messages"]
    assert [m["ts"] for m in between] == [made[3], made[2]]
    assert ok(episode, "get_conversation_history", channel=ops, limit=5000)["has_more"] is False


def test_a_line_of_slacks_own_is_its_own_thread(episode: Episode) -> None:
    sales = place(episode, "sales")
    ok(episode, "join_conversation", channel=sales)
    line = ok(episode, "get_conversation_history", channel=sales, limit=1)["messages"][0]
    assert ok(episode, "get_conversation_replies", channel=sales, ts=line["ts"])["messages"] == [line]


def test_a_broadcast_reply_shows_its_parent(episode: Episode) -> None:
    ops, parent = place(episode, "ops"), ts(episode, "ops.1")
    reply = ok(episode, "post_message", channel=ops, text="Paid", thread_ts=parent)["ts"]
    query = f"channel={ops}&ts={reply}&reply_broadcast=1"
    both = rest(episode, "POST", "chat.update", query=f"{query}&text=x")[1]
    assert both["error"] == "no_dual_broadcast_content_update"
    assert rest(episode, "POST", "chat.update", query=query)[1]["message"]["text"] == "Paid"
    newest = rest(episode, "GET", "conversations.history", query=f"channel={ops}&limit=1")[1]["messages"][0]
    assert (newest["ts"], newest["subtype"], newest["root"]["ts"]) == (reply, "thread_broadcast", parent)
    top = f"channel={ops}&ts={ts(episode, 'ops.3')}&reply_broadcast=1"
    assert rest(episode, "POST", "chat.update", query=top)[1]["error"] == "cant_broadcast_message"


def test_an_update_keeps_what_it_does_not_name(episode: Episode) -> None:
    ops, blocks = place(episode, "ops"), [{"type": "divider", "block_id": "a"}]
    made = ok(episode, "post_message", channel=ops, text="Text", blocks=blocks)
    at = {"channel": ops, "ts": made["ts"]}
    changed = ok(episode, "update_message", **at, attachments=[{"text": "More"}])["message"]
    assert (changed["text"], changed["blocks"], changed["attachments"][0]["text"]) == ("Text", blocks, "More")
    assert "edited" in changed
    changed = ok(episode, "update_message", **at, text="New")["message"]
    assert "blocks" not in changed
    assert changed["attachments"]
    event = '{"event_type":"e","event_payload":{}}'
    for metadata, kept in ((event, True), ("{}", False)):
        query = f"channel={ops}&ts={made['ts']}&text=x&metadata={metadata}"
        assert ("metadata" in rest(episode, "POST", "chat.update", query=query)[1]["message"]) is kept


def test_what_has_blocks_does_not_show_that_it_was_edited(episode: Episode) -> None:
    at = {"channel": place(episode, "ops"), "ts": ts(episode, "ops.3")}
    assert "edited" not in ok(episode, "update_message", **at, text="x", blocks=[{"type": "divider"}])["message"]


def test_mentions_say_to_agents_whom_they_name(episode: Episode) -> None:
    ops, bea = place(episode, "ops"), who(episode, "bea")
    text = f"<@{bea}|old> <#{ops}> <#{place(episode, 'board')}> <@U000>"
    shown = f"<@{bea}|bea> <#{ops}|ops> <#{place(episode, 'board')}> <@U000>"
    made = ok(episode, "post_message", channel=ops, text=text)
    assert made["message"]["text"] == shown
    assert ok(episode, "search_messages", query="bea in:#ops from:me")["messages"]["matches"][0]["text"] == shown
    found = rest(episode, "GET", "conversations.history", query=f"channel={ops}&limit=1")[1]["messages"][0]
    assert found["text"] == text.replace("|old", "")
    before = episode.changes()
    ok(episode, "update_message", channel=ops, ts=made["ts"], text=shown)
    assert [c.table for c in episode.changes()] == [c.table for c in before]


def test_a_message_of_blocks_alone_says_in_search_what_they_say(episode: Episode) -> None:
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "Dock plan"}}]
    ok(episode, "post_message", channel=place(episode, "ops"), blocks=blocks)
    assert ok(episode, "search_messages", query="dock plan")["messages"]["matches"][0]["text"] == "Dock plan"


def test_markdown_becomes_mrkdwn(episode: Episode) -> None:
    text = "## Plan\n**Close** the *books* ~~now~~\n- see [docs](https://x.example/a_b) `**raw**`\n* 2 * 3"
    made = ok(episode, "post_message", channel=place(episode, "ops"), markdown_text=text)["message"]["text"]
    assert made == "*Plan*\n*Close* the _books_ ~now~\n• see <https://x.example/a_b|docs> `**raw**`\n• 2 * 3"


def episode_as(**alex_is: Any) -> Episode:
    """The same workspace, in which the caller is somebody else."""
    app = registry.load("slack")
    alex = ALEX.model_copy(update=alex_is)
    given = [(type(entity), entity) for entity in [alex, *ENTITIES]]
    template = Template(app, templates.build_from(app, BRIGHTWATER, alex, CLOCK, given))
    return Episode(lambda _: template, ("slack",), "test")


def test_admins_remove_what_others_wrote_and_people_from_public_channels(episode: Episode) -> None:
    for one, admin in ((episode_as(admin=False), False), (episode, True)):
        ops, bea = place(one, "ops"), who(one, "bea")
        calls: list[tuple[str, dict[str, Any], str]] = [
            ("delete_message", {"channel": ops, "ts": ts(one, "ops.4")}, "cant_delete_message"),
            ("kick_from_conversation", {"channel": ops, "user": bea}, "restricted_action"),
            ("create_usergroup", {"name": "Close"}, "permission_denied"),
            ("set_user_profile", {"user": bea, "profile": {"title": "Lead"}}, "not_admin"),
        ]
        for tool, arguments, error in calls:
            if admin:
                ok(one, tool, **arguments)
            else:
                assert refused(one, tool, **arguments) == error
        pay = {"channel": place(one, "pay"), "user": who(one, "carl")}
        ok(one, "kick_from_conversation", **pay)  # anyone may, from a private channel
    assert refused(episode, "delete_message", channel=place(episode, "dm"), ts=ts(episode, "dm.1")) == (
        "cant_delete_message"
    )
    carl = who(episode, "carl")
    assert refused(episode, "set_user_profile", user=carl, profile={"title": "x"}) == "cannot_update_admin_user"


def test_who_sees_which_conversations(episode: Episode) -> None:
    def names(tool: str, **arguments: Any) -> set[str]:
        every = "public_channel,private_channel,im,mpim"
        return {c["id"] for c in ok(episode, tool, **{"types": every, **arguments})["channels"]}

    hidden = place(episode, "board")
    assert hidden not in names("list_conversations")
    assert names("list_conversations", types="private_channel") == {place(episode, "pay")}
    assert names("list_conversations", types="im,mpim") == {place(episode, "dm"), place(episode, "group")}
    assert place(episode, "old") not in names("list_conversations", exclude_archived=True)
    assert place(episode, "sales") not in names("list_user_conversations")
    assert names("list_user_conversations", user=who(episode, "carl"), types="private_channel") == {
        place(episode, "pay")
    }
    assert refused(episode, "list_conversations", types="public") == "invalid_types"
    for tool in ("get_conversation_info", "list_conversation_members", "join_conversation", "archive_conversation"):
        assert refused(episode, tool, channel=hidden) == "channel_not_found"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", "invalid_name_required"),
        ("Ops", "invalid_name_specials"),
        ("a b", "invalid_name_specials"),
        ("a.b", "invalid_name_specials"),
        ("---", "invalid_name_punctuation"),
        ("x" * 81, "invalid_name_maxlength"),
        ("ops", "name_taken"),
        ("old", "name_taken"),
        ("board", "name_taken"),
    ],
)
def test_names_of_channels(episode: Episode, name: str, error: str) -> None:
    assert refused(episode, "create_conversation", name=name) == error
    if error != "name_taken" or name != "ops":
        assert refused(episode, "rename_conversation", channel=place(episode, "ops"), name=name) == error


def test_a_channel_from_creation_to_archive(episode: Episode) -> None:
    made = ok(episode, "create_conversation", name="proj-x", is_private=True)["channel"]
    bea, carl = who(episode, "bea"), who(episode, "carl")
    ok(episode, "invite_to_conversation", channel=made["id"], users=f"{bea},{carl}")
    assert refused(episode, "invite_to_conversation", channel=made["id"], users=bea) == "already_in_channel"
    assert (
        refused(episode, "kick_from_conversation", channel=made["id"], user=who(episode, "alex.doyle"))
        == "cant_kick_self"
    )
    ok(episode, "kick_from_conversation", channel=made["id"], user=carl)
    assert refused(episode, "kick_from_conversation", channel=made["id"], user=carl) == "not_in_channel"
    renamed = ok(episode, "rename_conversation", channel=made["id"], name="proj-y")["channel"]
    assert (renamed["name"], renamed["previous_names"]) == ("proj-y", ["proj-x"])
    ok(episode, "set_purpose", channel=made["id"], purpose="Dock")
    assert refused(episode, "set_topic", channel=made["id"], topic="x" * 251) == "too_long"
    ok(episode, "archive_conversation", channel=made["id"])
    assert refused(episode, "archive_conversation", channel=made["id"]) == "already_archived"
    for tool, more in (
        ("set_topic", {"topic": "x"}),
        ("invite_to_conversation", {"users": carl}),
        ("leave_conversation", {}),
    ):
        assert refused(episode, tool, channel=made["id"], **more) == "is_archived"
    ok(episode, "unarchive_conversation", channel=made["id"])
    assert refused(episode, "unarchive_conversation", channel=made["id"]) == "not_archived"
    lines = [m["subtype"] for m in ok(episode, "get_conversation_history", channel=made["id"])["messages"]]
    assert lines[0] == "channel_unarchive"
    assert lines[-1] == "channel_join"
    assert {c.table for c in episode.changes()} == {"conversation", "member"}


def test_the_general_channel_stays(episode: Episode) -> None:
    general = place(episode, "general")
    assert refused(episode, "archive_conversation", channel=general) == "cant_archive_general"
    assert refused(episode, "leave_conversation", channel=general) == "cant_leave_general"
    assert (
        refused(episode, "kick_from_conversation", channel=general, user=who(episode, "bea"))
        == "cant_kick_from_general"
    )


def test_joining_leaving_inviting(episode: Episode) -> None:
    sales, ops = place(episode, "sales"), place(episode, "ops")
    carl, dan, bea = who(episode, "carl"), who(episode, "dan"), who(episode, "bea")
    assert refused(episode, "invite_to_conversation", channel=sales, users=carl) == "not_in_channel"
    assert refused(episode, "archive_conversation", channel=sales) == "not_in_channel"
    ok(episode, "join_conversation", channel=sales)
    assert ok(episode, "join_conversation", channel=sales)["warning"] == "already_in_channel"
    ok(episode, "leave_conversation", channel=sales)
    assert ok(episode, "leave_conversation", channel=sales)["not_in_channel"] is True
    assert refused(episode, "join_conversation", channel=place(episode, "old")) == "is_archived"
    assert (
        refused(episode, "join_conversation", channel=place(episode, "pay")) == "method_not_supported_for_channel_type"
    )
    assert (
        refused(episode, "invite_to_conversation", channel=ops, users=who(episode, "alex.doyle")) == "cant_invite_self"
    )
    assert refused(episode, "invite_to_conversation", channel=ops, users="U000") == "user_not_found"
    assert refused(episode, "invite_to_conversation", channel=ops, users=dan) == "cant_invite"
    assert refused(episode, "invite_to_conversation", channel=ops, users="") == "no_user"
    assert refused(episode, "invite_to_conversation", channel=ops, users=f"{carl},{bea}") == "already_in_channel"
    forced = ok(episode, "invite_to_conversation", channel=ops, users=f"{carl},{bea}", force=True)
    assert forced["errors"] == [{"user": bea, "ok": False, "error": "already_in_channel"}]
    assert carl in ok(episode, "list_conversation_members", channel=ops)["members"]
    alone = ok(episode, "create_conversation", name="alone", is_private=True)["channel"]["id"]
    assert refused(episode, "leave_conversation", channel=alone) == "last_member"


def test_direct_messages(episode: Episode) -> None:
    bea, carl = who(episode, "bea"), who(episode, "carl")
    again = ok(episode, "open_conversation", users=bea)
    assert (again["channel"]["id"], again["already_open"]) == (place(episode, "dm"), True)
    assert ok(episode, "open_conversation", users=f"{carl},{bea}")["channel"]["id"] == place(episode, "group")
    solo = {"users": carl, "prevent_creation": "1"}
    status, answer = rest(episode, "POST", "conversations.open", query="&".join(f"{k}={v}" for k, v in solo.items()))
    assert (status, answer["error"]) == (200, "channel_not_found")
    assert refused(episode, "open_conversation") == "users_list_not_supplied"
    assert refused(episode, "open_conversation", users="U000") == "user_not_found"
    assert refused(episode, "open_conversation", users=who(episode, "dan")) == "user_disabled"
    assert refused(episode, "open_conversation", users=",".join(f"U{n}" for n in range(9))) == "too_many_users"
    assert (
        refused(episode, "archive_conversation", channel=place(episode, "dm"))
        == "method_not_supported_for_channel_type"
    )
    fresh = ok(episode, "open_conversation", users=carl, return_im=True)["channel"]
    assert (fresh["type"], fresh["user"], fresh["username"]) == ("im", carl, "carl")
    rest(episode, "POST", "conversations.close", query=f"channel={fresh['id']}")
    ok(episode, "post_message", channel=carl, text="Hello")
    assert ok(episode, "open_conversation", users=carl)["already_open"] is True


def test_reactions(episode: Episode) -> None:
    at = {"channel": place(episode, "ops"), "timestamp": ts(episode, "ops.3")}
    ok(episode, "add_reaction", **at, name=":tada:")
    assert refused(episode, "add_reaction", **at, name="tada") == "already_reacted"
    shown = ok(episode, "get_conversation_history", channel=at["channel"])["messages"]
    found = next(m for m in shown if m["ts"] == at["timestamp"])["reactions"]
    assert [(r["name"], r["count"]) for r in found] == [("tada", 3), ("eyes", 1)]
    assert refused(episode, "remove_reaction", **at, name="eyes") == "no_reaction"
    ok(episode, "remove_reaction", **at, name="tada")
    assert refused(episode, "add_reaction", **at, name="no such") == "invalid_name"
    assert refused(episode, "add_reaction", **{**at, "timestamp": "x"}, name="tada") == "bad_timestamp"
    assert refused(episode, "add_reaction", **{**at, "timestamp": "1.2"}, name="tada") == "message_not_found"
    assert episode.changes() == []
    for number in range(23):
        ok(episode, "add_reaction", **at, name=f"e{number}")
    assert refused(episode, "add_reaction", **at, name="e23") == "too_many_reactions"


def test_an_emoji_has_one_name(episode: Episode) -> None:
    at = {"channel": place(episode, "ops"), "timestamp": ts(episode, "ops.4")}
    ok(episode, "add_reaction", **at, name="thumbsup")
    assert refused(episode, "add_reaction", **at, name="+1") == "already_reacted"
    message = ok(episode, "get_conversation_history", channel=at["channel"], limit=1)["messages"][0]
    assert [r["name"] for r in message["reactions"]] == ["+1"]
    assert ok(episode, "search_messages", query="has::thumbsup:")["messages"]["total"] == 1
    ok(episode, "remove_reaction", **at, name="thumbsup")
    assert episode.changes() == []


def test_pins(episode: Episode) -> None:
    ops = place(episode, "ops")
    pinned, other = ts(episode, "ops.1"), ts(episode, "ops.3")
    assert refused(episode, "add_pin", channel=ops, timestamp=pinned) == "already_pinned"
    assert refused(episode, "remove_pin", channel=ops, timestamp=other) == "no_pin"
    assert refused(episode, "add_pin", channel=ops) == "no_item_specified"
    assert (
        refused(episode, "add_pin", channel=place(episode, "sales"), timestamp=ts(episode, "sales.1"))
        == "not_in_channel"
    )
    ok(episode, "add_pin", channel=ops, timestamp=other)
    ok(episode, "remove_pin", channel=ops, timestamp=pinned)
    assert [i["message"]["ts"] for i in ok(episode, "list_pins", channel=ops)["items"]] == [other]


def test_scheduled_messages(episode: Episode) -> None:
    ops, now = place(episode, "ops"), 1_772_442_000
    assert refused(episode, "schedule_message", channel=ops, post_at=now, text="x") == "time_in_past"
    assert refused(episode, "schedule_message", channel=ops, post_at=now + 121 * 86_400, text="x") == "time_too_far"
    assert refused(episode, "schedule_message", channel=ops, post_at="soon", text="x") == "invalid_time"
    assert (
        refused(episode, "schedule_message", channel=place(episode, "sales"), post_at=now + 90, text="x")
        == "not_in_channel"
    )
    later = ok(episode, "schedule_message", channel=ops, post_at=now + 9000, text="Later & more")[
        "scheduled_message_id"
    ]
    soon = ok(episode, "schedule_message", channel=ops, post_at=now + 4, text="Soon")["scheduled_message_id"]
    listed = ok(episode, "list_scheduled_messages", channel=ops)["scheduled_messages"]
    assert [s["id"] for s in listed] == [soon, later]
    ok(episode, "delete_scheduled_message", channel=ops, scheduled_message_id=later)
    assert (
        refused(episode, "delete_scheduled_message", channel=ops, scheduled_message_id=later)
        == "invalid_scheduled_message_id"
    )
    ok(episode, "add_reaction", channel=ops, timestamp=ts(episode, "ops.3"), name="wave")
    assert ok(episode, "list_scheduled_messages")["scheduled_messages"] == []
    newest = ok(episode, "get_conversation_history", channel=ops, limit=1)["messages"][0]
    assert (newest["text"], newest["ts"]) == ("Soon", f"{now + 4}.000100")
    for number in range(30):
        ok(episode, "schedule_message", channel=ops, post_at=now + 9000 + number, text="x")
    assert refused(episode, "schedule_message", channel=ops, post_at=now + 9200, text="x") == "restricted_too_many"
    ok(episode, "schedule_message", channel=ops, post_at=now + 9400, text="x")


def test_an_ephemeral_message_is_seen_by_one(episode: Episode) -> None:
    ops = place(episode, "ops")
    assert refused(episode, "post_ephemeral", channel=ops, user=who(episode, "carl"), text="x") == "user_not_in_channel"
    ok(episode, "post_ephemeral", channel=ops, user=who(episode, "bea"), text="Psst")
    assert [c.table for c in episode.changes()] == ["ephemeral"]
    assert ok(episode, "search_messages", query="Psst")["messages"]["total"] == 0


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


@pytest.mark.parametrize(("query", "found"), SEARCHES)
def test_search(episode: Episode, query: str, found: set[str]) -> None:
    text = query.replace("{ops}", place(episode, "ops")).replace("{bea}", who(episode, "bea"))
    matches = ok(episode, "search_messages", query=text, count=100)["messages"]["matches"]
    assert {(m["channel"]["id"], m["ts"]) for m in matches} == {
        (place(episode, key.partition(".")[0]), ts(episode, key)) for key in found
    }


@pytest.mark.parametrize(
    "query",
    [
        "creator:bea",
        "before:soon",
        "has:love",
        "is:odd",
        "near:x",
        "type:pdfs",
        "after:2026-13-01",
        "from:",
        "deal ON:",
    ],
)
def test_search_names_what_it_cannot_do(episode: Episode, query: str) -> None:
    assert refused(episode, "search_messages", query=query) == "invalid_arguments"


def test_days_are_those_of_whoever_searches() -> None:
    for zone, found in (("UTC", 0), ("Pacific/Kiritimati", 1)):  # there 12:05 is already the next day
        there = episode_as(time_zone=zone)
        assert ok(there, "search_messages", query="lunch on:2026-02-22")["messages"]["total"] == found


def test_search_pages_and_orders(episode: Episode) -> None:
    assert refused(episode, "search_messages", query=" ") == "no_query"
    first = ok(episode, "search_messages", query="in:#ops", count=3, sort="timestamp", sort_dir="asc", cursor="*")
    assert first["messages"]["paging"] == {"count": 3, "total": 4, "page": 1, "pages": 2}
    cursor = first["response_metadata"]["next_cursor"]
    second = ok(episode, "search_messages", query="in:#ops", count=3, sort="timestamp", sort_dir="asc", cursor=cursor)
    every = [m["ts"] for m in [*first["messages"]["matches"], *second["messages"]["matches"]]]
    assert every == sorted(every)
    assert len(every) == 4
    assert second["response_metadata"]["next_cursor"] == ""
    marked = ok(episode, "search_messages", query="monday from:me", highlight=True)["messages"]["matches"][0]["text"]
    assert marked == "Shipping on \ue000Monday\ue001"


def test_files(episode: Episode) -> None:
    ops = place(episode, "ops")
    file = ok(episode, "upload_file", content="a,b\n1,2\n", filename="q1.csv", channels=ops, initial_comment="Q1")[
        "file"
    ]
    assert (file["filetype"], file["size"], file["channels"]) == ("csv", 8, [ops])
    assert ok(episode, "get_file_info", file=file["id"])["content"] == "a,b\n1,2\n"
    assert ok(episode, "search_files", query="q1.csv type:snippets in:#ops")["files"]["total"] == 1
    assert ok(episode, "search_messages", query="has:file")["messages"]["total"] == 1
    assert refused(episode, "upload_file", content="x", channels=place(episode, "sales")) == "not_in_channel"
    assert refused(episode, "upload_file", filename="a.txt") == "no_file_data"
    assert refused(episode, "list_files", types="tapes") == "unknown_type"
    ok(episode, "delete_file", file=file["id"])
    message = ok(episode, "get_conversation_history", channel=ops, limit=1)["messages"][0]
    assert message["files"] == [{"id": file["id"], "mode": "tombstone"}]
    assert refused(episode, "delete_file", file=file["id"]) == "file_not_found"


def test_an_upload_that_was_not_sent_is_not_completed(episode: Episode) -> None:
    _, promised = rest(episode, "POST", "files.getUploadURLExternal", query="filename=a.txt&length=3")
    path = promised["upload_url"].removeprefix("http://h")
    assert path.startswith("/upload/v1/")
    files = f'files=[{{"id":"{promised["file_id"]}"}}]'.encode()
    form = "application/x-www-form-urlencoded"
    assert rest(episode, "POST", "files.completeUploadExternal", files, form)[1]["error"] == "file_not_found"

    def send(body: bytes) -> int:
        return handle(episode.app("slack"), Request("POST", path, path, {}, {"content-type": form}), body).status

    assert send(b"toolong") == 400
    assert send(b"a=1") == 200
    assert rest(episode, "POST", "files.completeUploadExternal", files, form)[1]["ok"] is True
    assert send(b"a=1") == 404
    assert ok(episode, "get_file_info", file=promised["file_id"])["content"] == "a=1"


def test_canvases(episode: Episode) -> None:
    ops = place(episode, "ops")
    text = {"type": "markdown", "markdown": "# Plan\nFirst\n\n## Later\n- a\n- b"}
    canvas = ok(episode, "create_canvas", title="Plan", document_content=text, channel_id=ops)["canvas_id"]
    again = {"title": "Two", "channel_id": ops}
    assert refused(episode, "create_canvas", **again) == "channel_canvas_already_exists"

    def read() -> str:
        return ok(episode, "get_canvas_content", canvas_id=canvas)["content"]["markdown"]

    assert read() == "# Plan\n\nFirst\n\n## Later\n\n- a\n- b"
    later = ok(episode, "lookup_canvas_sections", canvas_id=canvas, criteria={"section_types": ["h2"]})["sections"][0][
        "id"
    ]
    edit = {"document_content": {"type": "markdown", "markdown": "Soon"}, "section_id": later}
    ok(episode, "edit_canvas", canvas_id=canvas, changes=[{"operation": "replace", **edit}])
    ok(
        episode,
        "edit_canvas",
        canvas_id=canvas,
        changes=[{"operation": "insert_at_start", "document_content": text | {"markdown": "Top"}}],
    )
    assert read() == "Top\n\n# Plan\n\nFirst\n\nSoon\n\n- a\n- b"
    assert refused(episode, "edit_canvas", canvas_id=canvas, changes=[{"operation": "delete"}]) == "invalid_arguments"
    assert refused(episode, "edit_canvas", canvas_id=canvas, changes=[{"operation": "explode"}]) == "invalid_arguments"
    assert (
        refused(episode, "edit_canvas", canvas_id=canvas, changes=[{"operation": "replace", "section_id": "x"}])
        == "canvas_editing_failed"
    )
    assert refused(episode, "get_canvas_content", canvas_id="F0") == "canvas_not_found"
    ok(episode, "delete_canvas", canvas_id=canvas)
    assert episode.changes() == []


def test_user_groups_bookmarks_reminders_profiles(episode: Episode) -> None:
    bea, ops = who(episode, "bea"), place(episode, "ops")
    group = ok(episode, "create_usergroup", name="Month End")["usergroup"]
    assert group["handle"] == "month-end"
    assert refused(episode, "create_usergroup", name="month end") == "name_already_exists"
    assert refused(episode, "create_usergroup", name="Other", handle="bea") == "handle_already_exists"
    assert refused(episode, "create_usergroup", name="Other", handle="channel") == "forbidden_handle"
    assert refused(episode, "update_usergroup_users", usergroup=group["id"], users="") == "no_users_provided"
    assert refused(episode, "update_usergroup_users", usergroup=group["id"], users="U0") == "invalid_users"
    assert refused(episode, "list_usergroup_users", usergroup="S0") == "no_such_subteam"
    ok(episode, "update_usergroup_users", usergroup=group["id"], users=bea)
    assert ok(episode, "list_usergroup_users", usergroup=group["id"])["users"] == [bea]
    assert refused(episode, "add_bookmark", channel_id=ops, title="x", link="ftp://x") == "invalid_link"
    mark = ok(episode, "add_bookmark", channel_id=ops, title="x", link="https://x.example")["bookmark"]["id"]
    ok(episode, "remove_bookmark", channel_id=ops, bookmark_id=mark)
    assert refused(episode, "remove_bookmark", channel_id=ops, bookmark_id=mark) == "not_found"
    assert refused(episode, "add_reminder", text="x", time="whenever") == "cannot_parse"
    assert refused(episode, "add_reminder", text="x", time="60", user=bea) == "cannot_add_others"
    often = ok(episode, "add_reminder", text="x", time="every weekday at 9am")["reminder"]
    assert often["recurring"] is True
    assert refused(episode, "complete_reminder", reminder=often["id"]) == "cannot_complete_recurring"
    ok(episode, "delete_reminder", reminder=often["id"])
    assert refused(episode, "delete_reminder", reminder=often["id"]) == "not_found"
    assert refused(episode, "set_user_profile", profile={"status_text": "x" * 101}) == "too_long"
    ok(episode, "set_user_profile", user=bea, profile={"title": "Lead"})  # Alex is an admin
    assert ok(episode, "get_user_info", user=bea)["user"]["title"] == "Lead"
    assert refused(episode, "get_user_info", user="U0") == "user_not_found"
    assert refused(episode, "lookup_user_by_email", email="dan@brightwater.example") == "users_not_found"
    gone = rest(episode, "GET", "users.info", query=f"user={who(episode, 'dan')}")[1]["user"]
    assert gone["deleted"] is True
    assert not {"tz", "is_admin"} & gone.keys()
    assert refused(episode, "create_usergroup", name="Other", handle="sales") == "handle_already_exists"
    status = ok(episode, "set_user_profile", profile={"status_text": "Away"})["profile"]
    assert status["status_emoji"] == ":speech_balloon:"


def test_a_read_mark_is_no_change_of_the_state(episode: Episode) -> None:
    dm, newest = place(episode, "dm"), ts(episode, "dm.1")
    assert ok(episode, "get_conversation_info", channel=dm)["channel"]["unread_count"] == 1
    reply = ok(episode, "post_message", channel=dm, text="In a thread", thread_ts=newest)["ts"]
    assert ok(episode, "get_conversation_info", channel=dm)["channel"]["unread_count"] == 1
    written = ok(episode, "get_conversation_info", channel=place(episode, "ops"))["channel"]["last_read"]
    assert written == ts(episode, "ops.3")  # what one wrote oneself one has read
    ok(episode, "delete_message", channel=dm, ts=reply)
    assert rest(episode, "POST", "conversations.mark", query=f"channel={dm}&ts={newest}")[1] == {"ok": True}
    assert ok(episode, "get_conversation_info", channel=dm)["channel"]["unread_count"] == 0
    assert episode.changes() == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given_by(st.lists(st.sampled_from(["post", "reply", "delete", "topic", "join"]), min_size=1, max_size=12))
def test_timestamps_are_unique_and_rise(acts: list[str]) -> None:
    episode = episode_of("slack", ENTITIES)
    ops, made, all_ts = place(episode, "ops"), list[str](), list[str]()
    for act in acts:
        if act == "delete" and made:
            ok(episode, "delete_message", channel=ops, ts=made.pop())
        elif act == "topic":
            ok(episode, "set_topic", channel=ops, topic=str(len(all_ts)))
        elif act in ("post", "reply"):
            thread = {"thread_ts": ts(episode, "ops.1")} if act == "reply" else {}
            made.append(ok(episode, "post_message", channel=ops, text="x", **thread)["ts"])
            all_ts.append(made[-1])
    assert all_ts == sorted(set(all_ts))
    assert all(one > ts(episode, "ops.4") for one in all_ts)


# The chat capability


def context(episode: Episode) -> Ctx:
    return Ctx(episode.app("slack"), None, None, Request())


def viewed(episode: Episode, table: str, key: Any) -> Entity | None:
    live = episode.app("slack")
    shape = live.app.shapes[table]
    row = live.store.get(shape.cls, key)
    assert row is not None
    values = {name: row.__dict__[name] for name in shape.columns}
    return live.app.provides["chat"].view(context(episode), table, values)


def run(episode: Episode, plan: Plan) -> dict[str, Any]:
    reply: Any = None
    try:
        step = next(plan)
        while True:
            reply = ok(episode, step.tool, **step.arguments)
            step = plan.send(reply)
    except StopIteration:
        return reply


def test_people_come_back_as_they_were_filled(episode: Episode) -> None:
    for given in [ALEX, *PEOPLE]:
        manager = who(episode, given.manager) if given.manager else ""
        wanted = given.model_copy(update={"key": "", "id": who(episode, given.key), "manager": manager})
        assert viewed(episode, "user", who(episode, given.key)) == wanted


def test_channels_come_back_as_they_were_filled(episode: Episode) -> None:
    for given in CHANNELS:
        wanted = given.model_copy(
            update={
                "key": "",
                "id": place(episode, given.key),
                "creator": who(episode, given.creator),
                "members": tuple(who(episode, one) for one in given.members),
            }
        )
        assert viewed(episode, "conversation", place(episode, given.key)) == wanted


def test_messages_come_back_as_they_were_filled(episode: Episode) -> None:
    for given in MESSAGES:
        channel, at = place(episode, given.channel), ts(episode, given.key)
        reactions = tuple(f"{e}:{who(episode, p)}" for e, _, p in (r.partition(":") for r in given.reactions))
        wanted = given.model_copy(
            update={
                "key": "",
                "id": at,
                "channel": channel,
                "author": who(episode, given.author),
                "reactions": reactions,
                "thread": ts(episode, given.thread) if given.thread else "",
            }
        )
        assert viewed(episode, "message", (channel, at)) == wanted


def test_each_verb_shows_in_the_view(episode: Episode) -> None:
    verbs, ops = registry.load("slack").provides["chat"], place(episode, "ops")
    sent = run(episode, verbs.send_message(ops, "See https://x.example & @bea"))
    message = viewed(episode, "message", (ops, sent["ts"]))
    assert isinstance(message, chat.Message)
    assert (message.text, message.author) == ("See https://x.example & @bea", who(episode, "alex.doyle"))
    reply = run(episode, verbs.reply_in_thread(ops, sent["ts"], "Sure"))
    answer = viewed(episode, "message", (ops, reply["ts"]))
    assert isinstance(answer, chat.Message)
    assert answer.thread == sent["ts"]
    run(episode, verbs.add_reaction(ops, sent["ts"], "eyes"))
    message = viewed(episode, "message", (ops, sent["ts"]))
    assert isinstance(message, chat.Message)
    assert message.reactions == (f"eyes:{who(episode, 'alex.doyle')}",)
    run(episode, verbs.share_file(ops, "a.txt", "Text"))
    assert run(episode, verbs.list_messages(ops))["messages"][0]["files"][0]["name"] == "a.txt"
    run(episode, verbs.remove_participant(ops, who(episode, "bea")))
    channel = viewed(episode, "conversation", ops)
    assert isinstance(channel, chat.Channel)
    assert channel.members == (who(episode, "alex.doyle"),)
    made = run(episode, verbs.create_channel("fresh"))["channel"]["id"]
    fresh = viewed(episode, "conversation", made)
    assert isinstance(fresh, chat.Channel)
    assert fresh.name == "fresh"


@pytest.mark.parametrize("world", ["quaymark", "empty"])
def test_a_world_fills_the_app(world: str) -> None:
    episode = templates.episode(["slack"], world)
    users = ok(episode, "list_users", limit=1000)["members"]
    assert ok(episode, "auth_test")["user_id"] in {u["id"] for u in users}
    for channel in ok(episode, "list_conversations", types="public_channel,private_channel,im", limit=200)["channels"]:
        reply = episode.call("slack", "get_conversation_history", {"channel": channel["id"]})
        assert len(reply.text()) < 40_000, channel["name"]
