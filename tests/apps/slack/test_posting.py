"""Slack: messages."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.slack.support import ok, place, refused, rest, ts, who


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
