"""Discord: the capability; what moves by itself, and what a person would say changed."""

from typing import Any

import pytest

from legoenv_mcp.capabilities import Entity, chat
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.discord.support import (
    CHANNELS,
    ENTITIES,
    MESSAGES,
    SEND,
    channel,
    message,
    ok,
    ref,
    refused,
    rest,
    send,
    server,
    view,
    wrong,
)


def test_what_is_filled_is_viewed(episode: Episode) -> None:
    bea = view(episode, Person, ref(episode, "bea"))
    assert (bea.name, bea.handle, bea.email, bea.department, bea.admin, bea.active) == (
        "Bea Reed", "bea", "bea@brightwater.example", "Finance", False, True,
    )  # fmt: skip
    assert view(episode, Person, ref(episode, "carl")).admin
    assert not view(episode, Person, ref(episode, "dan")).active
    for one in CHANNELS:
        seen = view(episode, chat.Channel, ref(episode, one.key))
        assert (seen.name, seen.topic, seen.private, seen.archived, seen.direct, seen.created) == (
            one.name, one.topic, one.private, one.archived, one.direct, one.created,
        )  # fmt: skip
        assert set(seen.members) == {ref(episode, key) for key in one.members}
    for one in MESSAGES:
        seen = view(episode, chat.Message, ref(episode, one.key))
        assert (seen.text, seen.at, seen.pinned) == (one.text, one.at, one.pinned)
        assert seen.thread == (ref(episode, one.thread) if one.thread else "")
        assert (seen.author, seen.channel) == (ref(episode, one.author), ref(episode, one.channel))


def test_a_reply_to_a_reply_belongs_to_the_first_message(episode: Episode) -> None:
    ops = ref(episode, "ops")
    made = send(
        episode, ops, "And <@" + ref(episode, "bea") + ">?", message_reference={"message_id": ref(episode, "ops.2")}
    )
    seen = view(episode, chat.Message, made["id"])
    assert (seen.thread, seen.text) == (ref(episode, "ops.1"), "And @bea?")


def test_a_participant_is_shut_out(episode: Episode) -> None:
    for key, gone in (("ops", "bea"), ("general", "eve"), ("pay", "eve")):
        place, who = ref(episode, key), ref(episode, gone)
        step = next(episode.app("discord").app.provides["chat"].remove_participant(place, who))
        ok(episode, step.tool, **step.arguments)
        assert who not in view(episode, chat.Channel, place).members
    assert ref(episode, "bea") in view(episode, chat.Channel, ref(episode, "general")).members


def test_slow_mode_and_locks_hold_for_those_who_do_not_moderate(episode: Episode) -> None:
    ops, me = ref(episode, "ops"), ref(episode, "alex.doyle")
    ok(episode, "modify_channel", channel_id=ops, rate_limit_per_user=3600)
    thread = ok(episode, "start_thread_from_message", channel_id=ops, message_id=ref(episode, "ops.1"), name="Plan")[
        "id"
    ]
    ok(episode, "modify_channel", channel_id=thread, locked=True)
    send(episode, thread, "A moderator still may")
    moderating = str(1 << 4 | 1 << 13 | 1 << 34)
    ok(episode, "edit_channel_permissions", channel_id=ops, overwrite_id=me, type=1, deny=moderating)
    assert refused(episode, "create_message", channel_id=thread, content="x") == (403, 160005)
    assert refused(episode, "modify_channel", channel_id=thread, locked=False) == (403, 50013)
    assert refused(episode, "modify_channel", channel_id=ops, topic="x") == (403, 50013)
    assert refused(episode, "delete_message", channel_id=ops, message_id=ref(episode, "ops.3")) == (403, 50013)
    send(episode, ops, "Once")
    late = rest(episode, "POST", f"/channels/{ops}/messages", {"content": "Twice"})
    assert (late.status, late.body["code"]) == (429, 20016)
    assert 3590 < late.body["retry_after"] <= 3600


def changed(episode: Episode) -> dict[str, tuple[str, ...]]:
    return {f"{c.table} {c.kind}": c.columns for c in episode.changes()}


def test_an_edited_reply_goes_on_mentioning_whom_it_answers() -> None:
    mine = message("ops.5", "alex.doyle", "Tuesday then", "2026-02-22T10:00:00Z", thread="ops.1")
    episode = episode_of("discord", [*ENTITIES, mine])
    ops, id = ref(episode, "ops"), ref(episode, "ops.5")
    edited = ok(episode, "edit_message", channel_id=ops, message_id=id, content="Wednesday then")
    assert edited["mentions"][0]["username"] == "bea"
    assert changed(episode)["message update"] == ("content",)
    mute = ok(
        episode, "edit_message", channel_id=ops, message_id=id, content="Thursday", allowed_mentions={"parse": []}
    )
    assert "mentions" not in mute
    reply = send(episode, ops, message_reference={"message_id": ref(episode, "ops.1")})
    kept = ok(episode, "edit_message", channel_id=ops, message_id=reply["id"], content="Hi")
    assert kept["mentions"] == reply["mentions"]


def test_a_thread_begins_with_the_message_it_is_about(episode: Episode) -> None:
    ops, root = ref(episode, "ops"), ref(episode, "ops.1")
    ok(episode, "start_thread_from_message", channel_id=ops, message_id=root, name="Plan")
    send(episode, root, "Inside")
    *_, first = rest(episode, "GET", f"/api/v10/channels/{root}/messages").body
    assert (first["type"], first["content"], first["author"]["username"]) == (21, "", "bea")
    assert first["message_reference"]["channel_id"] == ops
    assert first["referenced_message"]["content"] == "Who ships on Monday?"
    assert ok(episode, "get_channel", channel_id=root)["message_count"] == 1
    assert refused(episode, "edit_message", channel_id=root, message_id=first["id"], content="x") == (403, 50021)


def test_a_posts_first_message_is_not_counted(episode: Episode) -> None:
    forum = ok(episode, "create_guild_channel", guild_id=server(episode), name="ideas", type=15)["id"]
    post = ok(episode, "start_thread_without_message", channel_id=forum, name="One", message={"content": "First"})
    assert post["message_count"] == 0
    send(episode, post["id"], "Second")
    assert ok(episode, "get_channel", channel_id=post["id"])["message_count"] == 1
    assert ok(episode, "get_channel", channel_id=forum)["last_message_id"] == post["id"]


@pytest.mark.parametrize(
    ("embed", "field", "code"),
    [
        ({"color": -1}, "color", "NUMBER_TYPE_MIN"),
        ({"color": 1 << 24}, "color", "NUMBER_TYPE_MAX"),
        ({"timestamp": "tomorrow"}, "timestamp", "DATE_TIME_TYPE_PARSE"),
        ({"url": "nowhere"}, "url", "URL_TYPE_INVALID_URL"),
        ({"url": "ftp://a.example"}, "url", "URL_TYPE_INVALID_SCHEME"),
        ({"url": "attachment://a.png"}, "url", "URL_TYPE_INVALID_SCHEME"),
    ],
)
def test_embeds_look_as_they_may(episode: Episode, embed: dict[str, Any], field: str, code: str) -> None:
    errors = wrong(episode, "create_message", channel_id=ref(episode, "ops"), embeds=[{"title": "x", **embed}])
    assert errors["embeds"]["0"][field]["_errors"][0]["code"] == code
    good = {"title": "x", "color": 255, "timestamp": "2026-03-02T09:00:00Z", "url": "https://a.example"}
    send(episode, ref(episode, "ops"), embeds=[{**good, "image": {"url": "attachment://a.png"}}])


def test_kinds_and_lists_of_mentions_exclude_each_other(episode: Episode) -> None:
    both = {"parse": ["users"], "users": [ref(episode, "bea")]}
    errors = wrong(episode, "create_message", channel_id=ref(episode, "ops"), content="Hi", allowed_mentions=both)
    assert errors["allowed_mentions"]["_errors"][0]["code"] == "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"


@pytest.mark.parametrize("name", ["", "x" * 101])
def test_a_length_between_two_bounds_is_told_by_both(episode: Episode, name: str) -> None:
    told = wrong(episode, "create_guild_channel", guild_id=server(episode), name=name)["name"]["_errors"]
    assert told == [{"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length."}]
    told = wrong(episode, "modify_channel", channel_id=ref(episode, "ops"), name=name)["name"]["_errors"]
    assert told[0]["code"] == "BASE_TYPE_BAD_LENGTH"
    told = wrong(episode, "modify_channel", channel_id=ref(episode, "ops"), topic="x" * 1025)["topic"]["_errors"]
    assert told == [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 1024 or fewer in length."}]


def test_an_empty_page_says_so(episode: Episode) -> None:
    assert ok(episode, "list_active_threads", guild_id=server(episode)) == {"threads": [], "members": []}
    assert ok(episode, "get_pinned_messages", channel_id=ref(episode, "pay")) == {"items": []}


def test_a_conversation_with_one_who_left_can_still_be_opened() -> None:
    entities: list[Entity] = [*ENTITIES, channel("gone", "alex.doyle", "dan", name="", direct=True, creator="dan")]
    episode = episode_of("discord", entities)
    found = ok(episode, "create_dm", recipient_id=ref(episode, "dan"))
    assert found["id"] == ref(episode, "gone")
    assert refused(episode, "create_message", channel_id=found["id"], content="x") == (403, 50007)


def test_whom_a_message_in_a_thread_mentions_joins_it(episode: Episode) -> None:
    ops, root, bea, eve = (ref(episode, key) for key in ("ops", "ops.1", "bea", "eve"))
    ok(episode, "start_thread_from_message", channel_id=ops, message_id=root, name="Plan")
    send(episode, root, f"See <@{bea}>")
    send(episode, root, f"Not <@{eve}>", allowed_mentions={"parse": []})
    joined = rest(episode, "GET", f"/api/v10/channels/{root}/thread-members").body
    assert bea in {one["user_id"] for one in joined}
    assert eve not in {one["user_id"] for one in joined}
    hidden = ok(episode, "start_thread_without_message", channel_id=ref(episode, "pay"), name="Quiet", type=11)["id"]
    send(episode, hidden, f"No way in, <@{bea}>")
    assert ok(episode, "get_channel", channel_id=hidden)["member_count"] == 1


def test_null_is_as_if_left_out_where_it_may_be(episode: Episode) -> None:
    ops = ref(episode, "ops")
    optional = ("embeds", "flags", "tts", "nonce", "enforce_nonce", "message_reference", "allowed_mentions")
    made = rest(episode, "POST", f"/api/v10/channels/{ops}/messages", {"content": "x", **dict.fromkeys(optional)})
    assert (made.status, made.body["flags"], made.body["tts"]) == (200, 0, False)
    thread = ok(episode, "start_thread_from_message", channel_id=ops, message_id=made.body["id"], name="Plan")["id"]
    nothing = dict.fromkeys(("archived", "locked", "invitable", "auto_archive_duration"))
    assert rest(episode, "PATCH", f"/api/v10/channels/{thread}", {"name": "New", **nothing}).body["name"] == "New"
    bad = rest(episode, "PATCH", f"/api/v10/channels/{ops}", {"name": None})
    told = [{"code": "BASE_TYPE_REQUIRED", "message": "This field is required"}]
    assert (bad.status, bad.body["errors"]) == (400, {"name": {"_errors": told}})


def test_an_edited_webhook_message_mentions_anew(episode: Episode) -> None:
    ops, bea = ref(episode, "ops"), ref(episode, "bea")
    hook = ok(episode, "create_webhook", channel_id=ops, name="Builds")
    way = f"/api/v10/webhooks/{hook['id']}/{hook['token']}"
    made = ok(episode, "execute_webhook", webhook_id=hook["id"], webhook_token=hook["token"], content="Done")
    edited = rest(episode, "PATCH", f"{way}/messages/{made['id']}", {"content": f"Done, <@{bea}>"}).body
    assert [one["id"] for one in edited["mentions"]] == [bea]


def test_a_forward_carries_the_message_as_it_was(episode: Episode) -> None:
    ops, general, root = ref(episode, "ops"), ref(episode, "general"), ref(episode, "ops.3")
    to = {"type": 1, "channel_id": ops, "message_id": root}
    made = ok(episode, "create_message", channel_id=general, message_reference=to)
    assert made["message_reference"] == to
    assert made["message_snapshots"][0]["message"]["content"] == "Shipping moved to Tuesday"
    assert (made["flags"], "referenced_message" in made, "mentions" in made) == (1 << 14, False, False)
    again = {"type": 1, "channel_id": general, "message_id": made["id"]}
    onward = ok(episode, "create_message", channel_id=ref(episode, "dm"), message_reference=again)
    assert onward["message_snapshots"] == made["message_snapshots"]
    ok(episode, "delete_message", channel_id=ops, message_id=root)
    whole = rest(episode, "GET", f"/api/v10/channels/{general}/messages/{made['id']}").body
    assert whole["message_reference"]["guild_id"] == server(episode)
    assert whole["message_snapshots"][0]["message"]["content"] == "Shipping moved to Tuesday"
    assert "message_reference" in wrong(
        episode, "create_message", channel_id=general, content="See", message_reference=again
    )
    assert "message_reference" in wrong(
        episode, "create_message", channel_id=general, message_reference={"type": 1, "message_id": root}
    )
    board = {"type": 1, "channel_id": ref(episode, "board"), "message_id": ref(episode, "board.1")}
    assert refused(episode, "create_message", channel_id=general, message_reference=board) == (403, 50001)


def test_without_the_history_one_writes_but_does_not_reply(episode: Episode) -> None:
    ops, guild = ref(episode, "ops"), server(episode)
    mine, theirs = send(episode, ops)["id"], ref(episode, "ops.1")
    ok(episode, "edit_channel_permissions", channel_id=ops, overwrite_id=guild, type=0, deny=str(1 << 16))
    send(episode, ops, "Blind")
    to: dict[str, Any] = {"channel_id": ops, "message_id": theirs}
    assert refused(episode, "create_message", channel_id=ops, content="x", message_reference=to) == (403, 160002)
    there = {"channel_id": ref(episode, "general"), "message_reference": {**to, "type": 1}}
    assert refused(episode, "create_message", **there) == (403, 160009)
    assert refused(episode, "get_channel_message", **to) == (403, 50013)
    assert ok(episode, "edit_message", channel_id=ops, message_id=mine, content="Mine")["content"] == "Mine"
    ok(episode, "delete_message", channel_id=ops, message_id=mine)


def test_typing_in_a_thread_needs_what_writing_in_it_does(episode: Episode) -> None:
    ops, root = ref(episode, "ops"), ref(episode, "ops.1")
    ok(episode, "start_thread_from_message", channel_id=ops, message_id=root, name="Plan")
    ok(episode, "edit_channel_permissions", channel_id=ops, overwrite_id=server(episode), type=0, deny=SEND)
    assert rest(episode, "POST", f"/api/v10/channels/{root}/typing").status == 204
    assert rest(episode, "POST", f"/api/v10/channels/{ops}/typing").body["code"] == 50013
