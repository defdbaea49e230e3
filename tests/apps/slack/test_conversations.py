"""Slack: conversations."""

from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.slack.support import episode_as, ok, place, refused, rest, ts, who


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
