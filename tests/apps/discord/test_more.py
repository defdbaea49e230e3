"""Discord's rarer writes: the server's settings and emoji, orders of channels and roles, invites, webhooks by token, the older pins."""

from typing import Any

import pytest

from legoenv_mcp.capabilities import chat
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.discord.support import ENTITIES, VIEW, ok, ref, refused, rest, send, server, view

PICTURE = "data:image/png;base64,iVBORw0KGgo="


@pytest.fixture
def episode() -> Episode:
    return episode_of("discord", ENTITIES)


def done(episode: Episode, method: str, path: str, body: Any = None, status: int = 200) -> Any:
    reply = rest(episode, method, path, body)
    assert reply.status == status, reply.body
    return reply.body


def denied(episode: Episode, method: str, path: str, body: Any = None) -> tuple[int, int]:
    """Status and code; a refusal leaves everything as it was."""
    before = episode.changes()
    reply = rest(episode, method, path, body)
    assert 400 <= reply.status < 500, reply.body
    assert episode.changes() == before
    return reply.status, reply.body["code"]


def changed(episode: Episode, table: str) -> list[tuple[str, tuple[str, ...]]]:
    """How the rows of a table differ from the beginning: kind, and columns of an update."""
    assert table in episode.app("discord").app.shapes
    found = [change for change in episode.changes() if change.table == table]
    return [(change.kind, change.columns if change.kind == "update" else ()) for change in found]


def logged(episode: Episode) -> dict[str, Any]:
    """The latest entry of the audit log."""
    return ok(episode, "get_guild_audit_log", guild_id=server(episode))["audit_log_entries"][0]


# The server


def test_the_servers_settings_change_by_what_is_sent(episode: Episode) -> None:
    guild, ops = server(episode), ref(episode, "ops")
    body = {"name": "Brightwater HQ", "description": "Ours", "rules_channel_id": ops, "verification_level": 2}
    made = done(episode, "PATCH", f"/guilds/{guild}", body)
    assert body.items() <= made.items()
    assert body.items() <= done(episode, "GET", f"/guilds/{guild}").items()
    ((kind, columns),) = changed(episode, "guild")
    assert (kind, set(columns)) == ("update", body.keys())
    entry = logged(episode)
    assert (entry["action_type"], entry["target_id"]) == (1, guild)
    assert {"key": "name", "old_value": "Brightwater", "new_value": "Brightwater HQ"} in entry["changes"]
    assert done(episode, "PATCH", f"/guilds/{guild}", {"description": None})["description"] is None
    assert denied(episode, "PATCH", f"/guilds/{guild}", {"name": "B"}) == (400, 50035)
    assert denied(episode, "PATCH", f"/guilds/{guild}", {"afk_channel_id": ops}) == (400, 50035)
    assert denied(episode, "PATCH", "/guilds/5", {"name": "Other"}) == (404, 10004)


def test_emoji_of_the_servers_own(episode: Episode) -> None:
    guild, ops, root = server(episode), ref(episode, "ops"), ref(episode, "ops.1")
    emojis = f"/guilds/{guild}/emojis"
    made = done(episode, "POST", emojis, {"name": "ship_it", "image": PICTURE}, 201)
    assert (made["name"], made["animated"], made["user"]["username"]) == ("ship_it", False, "alex")
    assert [one["id"] for one in done(episode, "GET", emojis)] == [made["id"]]
    ok(episode, "create_reaction", channel_id=ops, message_id=root, emoji_name=f"ship_it:{made['id']}")
    shown = ok(episode, "get_channel_message", channel_id=ops, message_id=root)["reactions"]
    assert [(one["emoji"]["name"], one["emoji"]["id"]) for one in shown] == [("ship_it", made["id"])]
    one = f"{emojis}/{made['id']}"
    role = ok(episode, "create_guild_role", guild_id=guild, name="Crew")["id"]
    renamed = done(episode, "PATCH", one, {"name": "shipped", "roles": [role]})
    assert (renamed["name"], renamed["roles"]) == ("shipped", [role])
    assert done(episode, "GET", one) == renamed
    assert logged(episode)["changes"][0] == {"key": "name", "old_value": "ship_it", "new_value": "shipped"}
    assert denied(episode, "PATCH", one, {"name": "not this"}) == (400, 50035)
    assert denied(episode, "PATCH", one, {"roles": ["5"]}) == (404, 10011)
    assert denied(episode, "POST", emojis, {"name": "bad", "image": "https://x.example/a.png"}) == (400, 50035)
    done(episode, "DELETE", one, status=204)
    assert done(episode, "GET", emojis) == []
    assert changed(episode, "emoji") == []
    assert (logged(episode)["action_type"], logged(episode)["target_id"]) == (62, made["id"])
    for method, body in (("GET", None), ("PATCH", {"name": "again"}), ("DELETE", None)):
        assert denied(episode, method, one, body) == (404, 10014)


# Channels and roles


def test_channels_move_several_at_once(episode: Episode) -> None:
    guild, ops, pay = server(episode), ref(episode, "ops"), ref(episode, "pay")
    channels = f"/guilds/{guild}/channels"
    archive = next(one["id"] for one in done(episode, "GET", channels) if one["name"] == "Archive")
    moves = [{"id": ops, "position": 7}, {"id": pay, "position": 6, "parent_id": archive}]
    done(episode, "PATCH", channels, moves, 204)
    told = {one["id"]: (one["position"], one["parent_id"]) for one in done(episode, "GET", channels)}
    assert (told[ops][0], told[pay]) == (7, (6, archive))
    assert view(episode, chat.Channel, pay).archived
    assert not view(episode, chat.Channel, ops).archived
    assert sorted(sorted(columns) for _, columns in changed(episode, "channel")) == [
        ["parent_id", "position"],
        ["position"],
    ]
    assert denied(episode, "PATCH", channels, [{"id": ops, "position": 1}, {"id": "5", "position": 2}]) == (404, 10003)
    assert denied(episode, "PATCH", channels, [{"id": ops, "position": "low"}]) == (400, 50035)
    assert denied(episode, "PATCH", channels, [{"id": ops, "parent_id": pay}]) == (400, 50035)


def test_an_overwrite_is_taken_away(episode: Episode) -> None:
    guild, ops, eve = server(episode), ref(episode, "ops"), ref(episode, "eve")
    ok(episode, "edit_channel_permissions", channel_id=ops, overwrite_id=eve, type=1, deny=VIEW)
    assert eve in [one["id"] for one in ok(episode, "get_channel", channel_id=ops)["permission_overwrites"]]
    ok(episode, "delete_channel_permission", channel_id=ops, overwrite_id=eve)
    left = done(episode, "GET", f"/channels/{ops}")["permission_overwrites"]
    assert eve not in [one["id"] for one in left]
    assert changed(episode, "overwrite") == []
    entry = logged(episode)
    assert (entry["action_type"], entry["target_id"], entry["options"]["id"]) == (15, ops, eve)
    assert refused(episode, "delete_channel_permission", channel_id=ops, overwrite_id=eve) == (404, 10009)
    assert refused(episode, "delete_channel_permission", channel_id="5", overwrite_id=guild) == (404, 10003)


def test_roles_change_and_move_below_ones_own(episode: Episode) -> None:
    guild, bea = server(episode), ref(episode, "bea")
    roles = f"/guilds/{guild}/roles"
    known = {one["name"]: one for one in done(episode, "GET", roles)}
    finance, admin = known["Finance"]["id"], known["Admin"]["id"]
    made = ok(episode, "create_guild_role", guild_id=guild, name="On call")["id"]
    fields: dict[str, Any] = {"name": "Money", "color": 0x00FF00, "hoist": True, "mentionable": True}
    ok(episode, "modify_guild_role", guild_id=guild, role_id=finance, **fields, permissions=VIEW)
    told = {one["id"]: one for one in done(episode, "GET", roles)}
    assert {**fields, "permissions": VIEW}.items() <= told[finance].items()
    assert ok(episode, "get_guild_member", guild_id=guild, user_id=bea)["roles"] == [finance]
    assert logged(episode)["action_type"] == 31
    assert refused(episode, "modify_guild_role", guild_id=guild, role_id="5", name="x") == (404, 10011)
    assert refused(episode, "modify_guild_role", guild_id=guild, role_id=finance, permissions="8") == (403, 50013)

    top = told[admin]["position"]
    moved = done(episode, "PATCH", roles, [{"id": made, "position": top - 1}])
    assert {one["id"]: one["position"] for one in moved}[made] == top - 1
    assert done(episode, "GET", roles) == moved
    assert denied(episode, "PATCH", roles, [{"id": made, "position": top}]) == (403, 50013)
    assert denied(episode, "PATCH", roles, [{"id": admin, "position": 1}]) == (403, 50013)
    assert denied(episode, "PATCH", roles, [{"id": guild, "position": 2}]) == (400, 50028)
    assert denied(episode, "PATCH", roles, [{"id": "5", "position": 1}]) == (404, 10011)


# Members, events, invites


def test_ones_own_names(episode: Episode) -> None:
    guild, me = server(episode), ref(episode, "alex.doyle")
    mine = f"/guilds/{guild}/members/@me"
    assert done(episode, "PATCH", mine, {"nick": "Lex"})["nick"] == "Lex"
    assert ok(episode, "get_guild_member", guild_id=guild, user_id=me)["nick"] == "Lex"
    assert changed(episode, "member") == [("update", ("nick",))]
    assert denied(episode, "PATCH", mine, {"nick": "x" * 33}) == (400, 50035)
    assert denied(episode, "PATCH", "/guilds/5/members/@me", {"nick": "x"}) == (404, 10004)
    assert done(episode, "PATCH", mine, {"nick": None})["nick"] is None
    assert changed(episode, "member") == []

    assert done(episode, "PATCH", "/users/@me", {"username": "alex.d"})["username"] == "alex.d"
    assert ok(episode, "get_user", user_id=me)["username"] == "alex.d"
    assert changed(episode, "user") == [("update", ("username",))]
    assert denied(episode, "PATCH", "/users/@me", {"username": "bea"}) == (400, 50035)
    assert denied(episode, "PATCH", "/users/@me", {"username": "a"}) == (400, 50035)


def test_an_event_is_deleted(episode: Episode) -> None:
    guild = server(episode)
    made = ok(
        episode, "create_guild_scheduled_event", guild_id=guild, name="Picnic", entity_type=3,
        scheduled_start_time="2026-03-10T12:00:00Z", scheduled_end_time="2026-03-10T14:00:00Z",
        entity_metadata={"location": "The park"},
    )  # fmt: skip
    at = {"guild_id": guild, "event_id": made["id"]}
    ok(episode, "delete_guild_scheduled_event", **at)
    assert ok(episode, "list_guild_scheduled_events", guild_id=guild) == []
    assert (logged(episode)["action_type"], logged(episode)["target_id"]) == (102, made["id"])
    assert refused(episode, "delete_guild_scheduled_event", **at) == (404, 10070)


def test_an_invite_is_revoked(episode: Episode) -> None:
    ops = ref(episode, "ops")
    code = ok(episode, "create_channel_invite", channel_id=ops)["code"]
    assert done(episode, "GET", f"/invites/{code}")["channel"]["id"] == ops
    gone = done(episode, "DELETE", f"/invites/{code}")
    assert (gone["code"], gone["guild"]["id"]) == (code, server(episode))
    assert done(episode, "GET", f"/channels/{ops}/invites") == []
    assert changed(episode, "invite") == []
    assert logged(episode)["action_type"] == 42
    assert denied(episode, "DELETE", f"/invites/{code}") == (404, 10006)


# Messages


def test_moderators_clear_reactions(episode: Episode) -> None:
    ops, told = ref(episode, "ops"), ref(episode, "ops.2")
    at = f"/channels/{ops}/messages/{told}"
    done(episode, "DELETE", f"{at}/reactions/%F0%9F%8E%89", status=204)
    left = done(episode, "GET", at)["reactions"]
    assert [(one["emoji"]["name"], one["count"]) for one in left] == [("👀", 1)]
    assert changed(episode, "reaction") == [("delete", ())] * 2
    done(episode, "DELETE", f"{at}/reactions", status=204)
    assert "reactions" not in ok(episode, "get_channel_message", channel_id=ops, message_id=told)
    assert changed(episode, "reaction") == [("delete", ())] * 3
    dm, lunch = ref(episode, "dm"), ref(episode, "dm.1")
    for rest_of_path in ("reactions", "reactions/%F0%9F%8E%89"):
        assert denied(episode, "DELETE", f"/channels/{ops}/messages/5/{rest_of_path}") == (404, 10008)
        assert denied(episode, "DELETE", f"/channels/{dm}/messages/{lunch}/{rest_of_path}") == (403, 50013)
    assert denied(episode, "DELETE", f"{at}/reactions/tada") == (400, 10014)


def test_the_older_pins_do_what_the_newer_do(episode: Episode) -> None:
    ops, first, third = (ref(episode, key) for key in ("ops", "ops.1", "ops.3"))
    pins = f"/channels/{ops}/pins"
    done(episode, "PUT", f"{pins}/{first}", status=204)
    assert [one["id"] for one in done(episode, "GET", pins)] == [first, third]
    items = ok(episode, "get_pinned_messages", channel_id=ops)["items"]
    assert [one["message"]["id"] for one in items] == [first, third]
    done(episode, "PUT", f"{pins}/{first}", status=204)
    assert [one["type"] for one in ok(episode, "get_channel_messages", channel_id=ops)].count(6) == 1
    done(episode, "DELETE", f"{pins}/{third}", status=204)
    assert [one["id"] for one in done(episode, "GET", pins)] == [first]
    assert not view(episode, chat.Message, third).pinned
    for method in ("PUT", "DELETE"):
        assert denied(episode, method, f"{pins}/5") == (404, 10008)
        assert denied(episode, method, f"/channels/{ref(episode, 'board')}/pins/{ref(episode, 'board.1')}") == (
            403,
            50001,
        )


def test_threads_are_joined_and_left(episode: Episode) -> None:
    ops, root, me = ref(episode, "ops"), ref(episode, "ops.1"), ref(episode, "alex.doyle")
    ok(episode, "start_thread_from_message", channel_id=ops, message_id=root, name="Plan")
    members, mine = f"/channels/{root}/thread-members", f"/channels/{root}/thread-members/@me"

    def joined() -> bool:
        return me in [one["user_id"] for one in done(episode, "GET", members)]

    assert joined()
    done(episode, "DELETE", mine, status=204)
    assert not joined()
    done(episode, "PUT", mine, status=204)
    assert joined()
    for method in ("PUT", "DELETE"):
        assert denied(episode, method, f"/channels/{ops}/thread-members/@me") == (400, 50024)
        assert denied(episode, method, "/channels/5/thread-members/@me") == (404, 10003)
    ok(episode, "modify_channel", channel_id=root, archived=True)
    assert denied(episode, "DELETE", mine) == (400, 50083)


# Webhooks


def test_a_webhook_is_renamed_moved_and_deleted_by_its_token(episode: Episode) -> None:
    ops, pay = ref(episode, "ops"), ref(episode, "pay")
    hook = ok(episode, "create_webhook", channel_id=ops, name="Alerts")
    at = f"/webhooks/{hook['id']}"
    moved = done(episode, "PATCH", at, {"name": "Payroll", "channel_id": pay})
    assert (moved["name"], moved["channel_id"], moved["token"]) == ("Payroll", pay, hook["token"])
    assert ok(episode, "list_channel_webhooks", channel_id=ops) == []
    said = done(episode, "POST", f"{at}/{hook['token']}?wait=true", {"content": "Paid"})
    assert (said["channel_id"], said["author"]["username"]) == (pay, "Payroll")
    assert {one["key"] for one in logged(episode)["changes"]} == {"name", "channel_id"}
    assert denied(episode, "PATCH", at, {"name": "Discord"}) == (400, 50035)
    assert denied(episode, "PATCH", at, {"channel_id": ref(episode, "board")}) == (403, 50001)
    assert denied(episode, "PATCH", "/webhooks/5", {"name": "x"}) == (404, 10015)

    assert denied(episode, "DELETE", f"{at}/wrong") == (401, 50027)
    done(episode, "DELETE", f"{at}/{hook['token']}", status=204)
    assert changed(episode, "webhook") == []
    assert denied(episode, "GET", at) == (404, 10015)
    assert denied(episode, "DELETE", f"{at}/{hook['token']}") == (404, 10015)
    assert ok(episode, "get_channel_message", channel_id=pay, message_id=said["id"])["content"] == "Paid"


def test_a_webhook_deletes_only_its_own_messages(episode: Episode) -> None:
    ops = ref(episode, "ops")
    hook = ok(episode, "create_webhook", channel_id=ops, name="Alerts")
    said = ok(episode, "execute_webhook", webhook_id=hook["id"], webhook_token=hook["token"], content="Green")
    mine = send(episode, ops, "Mine")
    at = f"/webhooks/{hook['id']}/{hook['token']}/messages"
    assert denied(episode, "DELETE", f"{at}/{mine['id']}") == (404, 10008)
    assert denied(episode, "DELETE", f"/webhooks/{hook['id']}/wrong/messages/{said['id']}") == (401, 50027)
    done(episode, "DELETE", f"{at}/{said['id']}", status=204)
    assert denied(episode, "DELETE", f"{at}/{said['id']}") == (404, 10008)
    assert [one["id"] for one in ok(episode, "get_channel_messages", channel_id=ops, limit=1)] == [mine["id"]]
    assert changed(episode, "message") == [("insert", ())]
