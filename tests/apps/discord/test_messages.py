"""Discord: faces; permissions; messages; threads; channels, webhooks, events; search and pages."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp.capabilities import chat
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.discord.support import (
    ADMINISTRATOR,
    ENTITIES,
    SEND,
    VIEW,
    ok,
    ref,
    refused,
    rest,
    send,
    server,
    view,
    views,
    wrong,
)


async def test_over_mcp_results_and_errors(episode: Episode) -> None:
    async with Client(serve(episode, ["discord"])) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert 45 < len(names) <= 60
        done = await client.call_tool("create_message", {"channel_id": ref(episode, "ops"), "content": "hi"})
        assert done.structured_content
        assert done.structured_content["content"] == "hi"
        assert "mention_everyone" not in done.structured_content
        failed = await client.call_tool("get_channel", {"channel_id": "1"})
        assert failed.is_error


def test_over_http_objects_are_whole_and_versions_are_prefixes(episode: Episode) -> None:
    for start in ("/api/v10", "/api/v9", "/api"):
        reply = rest(episode, "GET", f"{start}/users/@me")
        assert (reply.status, reply.body["username"], reply.body["discriminator"]) == (200, "alex", "0")
        assert reply.headers["X-RateLimit-Remaining"] == "49"
    assert rest(episode, "GET", "/api/v10/nowhere").body == {"message": "404: Not Found", "code": 0}
    made = rest(
        episode, "POST", f"/api/v10/channels/{ref(episode, 'ops')}/messages", {"content": "hi", "extra": 1}
    ).body
    assert made["mention_everyone"] is False
    assert made["attachments"] == []
    assert (
        rest(episode, "PUT", f"/channels/{made['channel_id']}/messages/{made['id']}/reactions/%F0%9F%91%8D/@me").status
        == 204
    )
    bad = handle(episode.app("discord"), Request("POST", f"/channels/{made['channel_id']}/messages", "", {},
                 {"content-type": "application/json"}, ""), b"{")  # fmt: skip
    assert (bad.status, bad.body["code"]) == (400, 50109)


def test_snowflakes_tell_the_time_and_sort_by_it(episode: Episode) -> None:
    made = send(episode, ref(episode, "ops"))
    assert (int(made["id"]) >> 22) + 1_420_070_400_000 == 1_772_442_001_000
    assert made["timestamp"] == "2026-03-02T09:00:01.000000+00:00"
    history = ok(episode, "get_channel_messages", channel_id=ref(episode, "ops"))
    assert [int(m["id"]) for m in history] == sorted((int(m["id"]) for m in history), reverse=True)
    assert [m["content"] for m in history][-1] == "Who ships on Monday?"


def test_what_may_not_be_seen_is_missing_access(episode: Episode) -> None:
    board = ref(episode, "board")
    assert refused(episode, "get_channel_messages", channel_id=board) == (403, 50001)
    assert refused(episode, "create_message", channel_id=board, content="x") == (403, 50001)
    assert ok(episode, "get_channel_messages", channel_id=ref(episode, "pay"))[0]["content"] == "Salaries"
    assert refused(episode, "get_channel", channel_id="1") == (404, 10003)
    assert "board" not in [c["name"] for c in ok(episode, "list_guild_channels", guild_id=server(episode))]
    assert wrong(episode, "get_channel", channel_id="ops")["channel_id"]["_errors"][0]["code"] == "NUMBER_TYPE_COERCE"


def test_an_archived_channel_takes_no_messages(episode: Episode) -> None:
    assert refused(episode, "create_message", channel_id=ref(episode, "old"), content="x") == (403, 50013)


def test_overwrites_decide_in_their_order(episode: Episode) -> None:
    ops, guild, me = ref(episode, "ops"), server(episode), ref(episode, "alex.doyle")
    ok(episode, "edit_channel_permissions", channel_id=ops, overwrite_id=guild, type=0, deny=SEND)
    assert refused(episode, "create_message", channel_id=ops, content="x") == (403, 50013)
    ok(episode, "edit_channel_permissions", channel_id=ops, overwrite_id=me, type=1, allow=str(1024 + 2048))
    send(episode, ops)
    assert refused(episode, "edit_channel_permissions", channel_id=ops, overwrite_id="7", type=0) == (404, 10009)
    beyond = refused(episode, "edit_channel_permissions", channel_id=ops, overwrite_id=me, type=1, allow=ADMINISTRATOR)
    assert beyond == (403, 50013)


def test_the_hierarchy_of_roles_is_obeyed(episode: Episode) -> None:
    guild, bea, carl = server(episode), ref(episode, "bea"), ref(episode, "carl")
    roles = {r["name"]: r for r in ok(episode, "list_guild_roles", guild_id=guild)}
    admin, finance = roles["Admin"]["id"], roles["Finance"]["id"]
    who = {"guild_id": guild, "user_id": bea}
    assert refused(episode, "add_guild_member_role", **who, role_id=admin) == (403, 50013)
    assert refused(episode, "remove_guild_member", guild_id=guild, user_id=carl) == (403, 50013)
    assert refused(episode, "modify_guild_member", guild_id=guild, user_id=carl, nick="Boss") == (403, 50013)
    assert refused(episode, "modify_guild_role", guild_id=guild, role_id=admin, name="Kings") == (403, 50013)
    assert refused(episode, "create_guild_role", guild_id=guild, permissions=ADMINISTRATOR) == (403, 50013)
    assert refused(episode, "delete_guild_role", guild_id=guild, role_id=guild) == (400, 50028)
    ok(episode, "remove_guild_member_role", **who, role_id=finance)
    assert view(episode, Person, bea).department == ""
    made = ok(episode, "create_guild_role", guild_id=guild, name="On call")
    ok(episode, "add_guild_member_role", **who, role_id=made["id"])
    assert ok(episode, "get_guild_member", **who)["roles"] == [made["id"]]
    ok(episode, "delete_guild_role", guild_id=guild, role_id=made["id"])
    assert "roles" not in ok(episode, "get_guild_member", **who)


def test_members_leave_by_kick_and_ban(episode: Episode) -> None:
    guild, bea, eve, dan = server(episode), *(ref(episode, key) for key in ("bea", "eve", "dan"))
    ok(episode, "remove_guild_member", guild_id=guild, user_id=eve, reason="Left")
    assert not view(episode, Person, eve).active
    assert eve not in view(episode, chat.Channel, ref(episode, "pay")).members
    assert refused(episode, "remove_guild_member", guild_id=guild, user_id=eve) == (404, 10007)
    assert refused(episode, "get_guild_member", guild_id=guild, user_id="5") == (404, 10013)
    assert refused(episode, "create_dm", recipient_id=dan) == (403, 50007)
    ok(episode, "create_guild_ban", guild_id=guild, user_id=bea, delete_message_seconds=604800, reason="Spam")
    assert [b["reason"] for b in ok(episode, "list_guild_bans", guild_id=guild)] == ["Spam"]
    assert ref(episode, "ops.1") in views(episode, chat.Message)
    assert refused(episode, "create_message", channel_id=ref(episode, "dm"), content="x") == (403, 50007)
    ok(episode, "remove_guild_ban", guild_id=guild, user_id=bea)
    assert refused(episode, "remove_guild_ban", guild_id=guild, user_id=bea) == (404, 10026)
    log = ok(episode, "get_guild_audit_log", guild_id=guild)["audit_log_entries"]
    assert [e["action_type"] for e in log] == [23, 22, 20]
    assert log[2]["reason"] == "Left"


def test_content_has_its_rules(episode: Episode) -> None:
    ops = ref(episode, "ops")
    long = wrong(episode, "create_message", channel_id=ops, content="x" * 2001)
    assert long["content"]["_errors"][0] == {
        "code": "BASE_TYPE_MAX_LENGTH",
        "message": "Must be 2000 or fewer in length.",
    }
    assert refused(episode, "create_message", channel_id=ops, content="  ") == (400, 50006)
    deep = wrong(episode, "create_message", channel_id=ops, embeds=[{"title": "x" * 257}])
    assert deep["embeds"]["0"]["title"]["_errors"][0]["code"] == "BASE_TYPE_MAX_LENGTH"
    assert "embeds" in wrong(episode, "create_message", channel_id=ops, embeds=[{"title": "x"}] * 11)
    gone = wrong(episode, "create_message", channel_id=ops, content="x", message_reference={"message_id": "1"})
    assert gone["message_reference"]["_errors"][0]["code"] == "REPLIES_UNKNOWN_MESSAGE"
    category = next(c for c in ok(episode, "list_guild_channels", guild_id=server(episode)) if c["type"] == 4)
    assert refused(episode, "create_message", channel_id=category["id"], content="x") == (400, 50008)
    once = send(episode, ops, nonce="n1", enforce_nonce=True)
    assert send(episode, ops, nonce="n1", enforce_nonce=True)["id"] == once["id"]


def test_only_authors_edit_and_moderators_delete(episode: Episode) -> None:
    ops, theirs = ref(episode, "ops"), ref(episode, "ops.1")
    assert refused(episode, "edit_message", channel_id=ops, message_id=theirs, content="x") == (403, 50005)
    mine = send(episode, ops, "Helo")
    assert ok(episode, "edit_message", channel_id=ops, message_id=mine["id"], content="Hello")["edited_timestamp"]
    assert refused(episode, "edit_message", channel_id=ops, message_id=mine["id"], content="") == (400, 50006)
    ok(episode, "delete_message", channel_id=ops, message_id=theirs)
    assert refused(episode, "get_channel_message", channel_id=ops, message_id=theirs) == (404, 10008)
    reply = ok(episode, "get_channel_message", channel_id=ops, message_id=ref(episode, "ops.2"))
    assert reply["message_reference"]["message_id"] == theirs
    assert refused(episode, "delete_message", channel_id=ref(episode, "dm"), message_id=ref(episode, "dm.1")) == (
        403,
        50003,
    )


def test_bulk_deletion_has_bounds(episode: Episode) -> None:
    ops, new = ref(episode, "ops"), [ref(episode, f"ops.{n}") for n in (2, 3)]
    assert refused(episode, "bulk_delete_messages", channel_id=ops, messages=new[:1]) == (400, 50016)
    assert refused(episode, "bulk_delete_messages", channel_id=ops, messages=[str(n) for n in range(101)]) == (
        400,
        50016,
    )
    assert refused(episode, "bulk_delete_messages", channel_id=ops, messages=[*new, ref(episode, "ops.1")]) == (
        400,
        50034,
    )
    ok(episode, "bulk_delete_messages", channel_id=ops, messages=[*new, "99"])
    assert not {*new} & views(episode, chat.Message).keys()


def test_pins_stop_at_fifty_and_leave_a_notice(episode: Episode) -> None:
    ops = ref(episode, "ops")
    for n in range(49):
        ok(episode, "pin_message", channel_id=ops, message_id=send(episode, ops, f"{n}")["id"])
    last = send(episode, ops)["id"]
    assert refused(episode, "pin_message", channel_id=ops, message_id=last) == (400, 30003)
    pins = ok(episode, "get_pinned_messages", channel_id=ops, limit=20)
    assert pins["has_more"]
    older = ok(episode, "get_pinned_messages", channel_id=ops, before=pins["items"][-1]["pinned_at"])
    assert len(older["items"]) == 30
    ok(episode, "unpin_message", channel_id=ops, message_id=ref(episode, "ops.3"))
    ok(episode, "pin_message", channel_id=ops, message_id=last)
    notice = ok(episode, "get_channel_messages", channel_id=ops, limit=1)[0]
    assert (notice["type"], notice["message_reference"]["message_id"]) == (6, last)
    assert notice["id"] not in views(episode, chat.Message)
    assert refused(episode, "edit_message", channel_id=ops, message_id=notice["id"], content="x") == (403, 50021)


def test_reactions(episode: Episode) -> None:
    at = {"channel_id": ref(episode, "ops"), "message_id": ref(episode, "ops.2")}
    assert refused(episode, "create_reaction", **at, emoji_name="tada") == (400, 10014)
    assert refused(episode, "create_reaction", **at, emoji_name="party:1") == (400, 10014)
    ok(episode, "create_reaction", **at, emoji_name="🎉")
    changes = episode.changes()
    ok(episode, "create_reaction", **at, emoji_name="🎉")
    assert episode.changes() == changes
    told = ok(episode, "get_channel_message", **at)["reactions"]
    assert [(r["emoji"]["name"], r["count"]) for r in told] == [("🎉", 3), ("👀", 1)]
    users = ok(episode, "get_reactions", **at, emoji_name="🎉", limit=2)
    assert len(users) == 2
    assert len(ok(episode, "get_reactions", **at, emoji_name="🎉", after=users[-1]["id"])) == 1
    ok(episode, "delete_user_reaction", **at, emoji_name="👀", user_id=ref(episode, "carl"))
    ok(episode, "delete_own_reaction", **at, emoji_name="🎉")
    assert set(view(episode, chat.Message, at["message_id"]).reactions) == {
        f"tada:{ref(episode, key)}" for key in ("bea", "carl")
    }


def test_crossposts_happen_once_and_in_announcement_channels(episode: Episode) -> None:
    at = {"channel_id": ref(episode, "announcements"), "message_id": ref(episode, "announcements.1")}
    ok(episode, "crosspost_message", **at)
    assert refused(episode, "crosspost_message", **at) == (400, 40033)
    other = {"channel_id": ref(episode, "ops"), "message_id": ref(episode, "ops.2")}
    assert refused(episode, "crosspost_message", **other) == (400, 50024)


def test_files_come_back(episode: Episode) -> None:
    ops = ref(episode, "ops")
    file = send(episode, ops, files=[{"filename": "a b.txt", "content": "Zoë"}])["attachments"][0]
    assert (file["filename"], file["size"]) == ("a_b.txt", 4)
    at = {"channel_id": ops, "attachment_id": file["id"], "filename": "a_b.txt"}
    assert episode.call("discord", "download_attachment", at).body == "Zoë".encode()
    bad = wrong(
        episode, "create_message", channel_id=ops, files=[{"filename": "x", "content": "!", "encoding": "base64"}]
    )
    assert "attachments" in bad


def test_a_threads_life(episode: Episode) -> None:
    ops, root = ref(episode, "ops"), ref(episode, "ops.1")
    at = {"channel_id": ops, "message_id": root}
    assert "auto_archive_duration" in wrong(
        episode, "start_thread_from_message", **at, name="Plan", auto_archive_duration=5
    )
    thread = ok(episode, "start_thread_from_message", **at, name="Plan")
    assert (thread["id"], thread["type"]) == (root, 11)
    assert refused(episode, "start_thread_from_message", **at, name="Again") == (400, 160004)
    said = send(episode, root, "Inside")
    assert view(episode, chat.Message, said["id"]).thread == root
    assert view(episode, chat.Message, said["id"]).channel == ops
    ok(episode, "modify_channel", channel_id=root, archived=True)
    assert refused(episode, "edit_message", channel_id=root, message_id=said["id"], content="x") == (400, 50083)
    assert refused(episode, "create_reaction", channel_id=root, message_id=said["id"], emoji_name="👍") == (400, 50083)
    assert refused(episode, "add_thread_member", channel_id=root, user_id=ref(episode, "bea")) == (400, 50083)
    assert refused(episode, "modify_channel", channel_id=root, name="New") == (400, 50083)
    listed = ok(episode, "list_public_archived_threads", channel_id=ops)
    assert [t["id"] for t in listed["threads"]] == [root]
    send(episode, root, "Reopened")
    assert "archived" not in ok(episode, "get_channel", channel_id=root)["thread_metadata"]
    ok(episode, "add_thread_member", channel_id=root, user_id=ref(episode, "bea"))
    ok(episode, "remove_thread_member", channel_id=root, user_id=ref(episode, "bea"))
    guild = server(episode)
    assert [t["id"] for t in ok(episode, "list_active_threads", guild_id=guild)["threads"]] == [root]
    private = ok(episode, "start_thread_without_message", channel_id=ops, name="Quiet")
    assert private["type"] == 12
    assert refused(episode, "start_thread_without_message", channel_id=root, name="Nested") == (400, 50024)
    ok(episode, "delete_channel", channel_id=ops)
    assert refused(episode, "get_channel", channel_id=root) == (404, 10003)


def test_channels_are_made_moved_and_removed(episode: Episode) -> None:
    guild = server(episode)
    made = ok(episode, "create_guild_channel", guild_id=guild, name="Big News!", topic="Soon")
    assert made["name"] == "big-news"
    assert "name" in wrong(episode, "create_guild_channel", guild_id=guild, name="")
    bad = wrong(episode, "create_guild_channel", guild_id=guild, name="x", parent_id=made["id"])
    assert bad["parent_id"]["_errors"][0]["code"] == "CHANNEL_PARENT_INVALID_TYPE"
    assert "type" in wrong(episode, "create_guild_channel", guild_id=guild, name="x", type=99)
    assert "topic" in wrong(episode, "modify_channel", channel_id=made["id"], topic="x" * 1025)
    archive = next(c for c in ok(episode, "list_guild_channels", guild_id=guild) if c["name"] == "Archive")
    assert ok(episode, "modify_channel", channel_id=made["id"], parent_id=archive["id"])["parent_id"] == archive["id"]
    assert view(episode, chat.Channel, made["id"]).archived
    hidden = [{"id": guild, "type": 0, "deny": VIEW}]
    private = ok(episode, "create_guild_channel", guild_id=guild, name="hidden", permission_overwrites=hidden)
    assert view(episode, chat.Channel, private["id"]).private
    ok(episode, "delete_channel", channel_id=made["id"])
    assert made["id"] not in views(episode, chat.Channel)


def test_webhooks_write_by_token(episode: Episode) -> None:
    ops = ref(episode, "ops")
    assert "name" in wrong(episode, "create_webhook", channel_id=ops, name="Discord alerts")
    hook = ok(episode, "create_webhook", channel_id=ops, name="Alerts")
    at = {"webhook_id": hook["id"], "webhook_token": hook["token"]}
    said = ok(episode, "execute_webhook", **at, content="Green")
    assert said["author"]["username"] == "Alerts"
    assert view(episode, chat.Message, said["id"]).author == ""
    assert refused(episode, "execute_webhook", **{**at, "webhook_token": "no"}, content="x") == (401, 50027)
    assert refused(episode, "execute_webhook", **at) == (400, 50006)
    assert rest(episode, "POST", f"/webhooks/{hook['id']}/{hook['token']}", {"content": "x"}).status == 204
    ok(episode, "delete_webhook", webhook_id=hook["id"])
    assert refused(episode, "execute_webhook", **at, content="x") == (404, 10015)


def test_events_go_one_way(episode: Episode) -> None:
    guild = server(episode)
    base = {"guild_id": guild, "name": "Drill", "entity_type": 3, "entity_metadata": {"location": "Yard"}}
    times = {"scheduled_start_time": "2026-03-09T10:00:00Z", "scheduled_end_time": "2026-03-09T11:00:00Z"}
    past = wrong(
        episode, "create_guild_scheduled_event", **base, **times | {"scheduled_start_time": "2026-01-09T10:00:00Z"}
    )
    assert past["scheduled_start_time"]["_errors"][0]["code"] == "GUILD_SCHEDULED_EVENT_SCHEDULE_PAST"
    assert "scheduled_end_time" in wrong(
        episode, "create_guild_scheduled_event", **base, scheduled_start_time=times["scheduled_start_time"]
    )
    event = ok(episode, "create_guild_scheduled_event", **base, **times)
    at = {"guild_id": guild, "event_id": event["id"]}
    assert "status" in wrong(episode, "modify_guild_scheduled_event", **at, status=3)
    ok(episode, "modify_guild_scheduled_event", **at, status=2)
    ok(episode, "modify_guild_scheduled_event", **at, status=3)
    assert refused(episode, "modify_guild_scheduled_event", **at, name="Again") == (400, 180000)
    assert ok(episode, "list_guild_scheduled_events", guild_id=guild) == []


@pytest.mark.parametrize(
    ("filters", "keys"),
    [
        ({"content": "shipping"}, ["ops.4", "ops.3"]),
        ({"content": "TUESDAY moved"}, ["ops.4", "ops.3"]),
        ({"content": "ships"}, ["ops.1"]),
        ({"has": ["link"]}, ["ops.2"]),
        ({"has": ["-link"], "pinned": True}, ["ops.3"]),
        ({"link_hostname": ["docs.example"]}, ["ops.2"]),
        ({"content": "secret"}, []),
        ({"author_type": ["bot"]}, []),
        ({"content": "moved", "limit": 1, "offset": 1}, ["ops.3"]),
        ({"content": "moved", "sort_order": "asc"}, ["ops.3", "ops.4"]),
    ],
)
def test_search(episode: Episode, filters: dict[str, Any], keys: list[str]) -> None:
    found = ok(episode, "search_guild_messages", guild_id=server(episode), **filters)
    assert [m["id"] for [m] in found.get("messages", [])] == [ref(episode, key) for key in keys]


def test_search_refuses_what_it_does_not_know(episode: Episode) -> None:
    guild = server(episode)
    assert "has" in wrong(episode, "search_guild_messages", guild_id=guild, has=["wings"])
    assert "limit" in wrong(episode, "search_guild_messages", guild_id=guild, limit=26)
    by = ok(
        episode,
        "search_guild_messages",
        guild_id=guild,
        author_id=[ref(episode, "bea")],
        channel_id=[ref(episode, "ops")],
    )
    assert by["total_results"] == 3


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 5), st.sampled_from(["before", "after"]))
def test_walks_meet_every_message_once(size: int, way: str) -> None:
    episode = episode_of("discord", ENTITIES)
    ops = ref(episode, "ops")
    whole = [m["id"] for m in ok(episode, "get_channel_messages", channel_id=ops, limit=100)]
    walked, bound = list[str](), "0" if way == "after" else str(1 << 62)
    while page := ok(episode, "get_channel_messages", channel_id=ops, limit=size, **{way: bound}):
        ids = [m["id"] for m in page]
        walked = [*ids, *walked] if way == "after" else [*walked, *ids]
        bound = ids[0] if way == "after" else ids[-1]
    assert walked == whole
    middle = [m["id"] for m in ok(episode, "get_channel_messages", channel_id=ops, around=whole[1], limit=3)]
    assert whole[1] in middle
