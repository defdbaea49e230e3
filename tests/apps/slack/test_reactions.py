"""Slack: reactions, pins, scheduled messages, search."""

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.slack.support import SEARCHES, episode_as, ok, place, refused, ts, who


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
