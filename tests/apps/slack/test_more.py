"""Slack's rarer writes: canvases of channels and who may open them, user groups, bookmarks, stars, presence, do not disturb."""

import json
from typing import Any, cast
from urllib.parse import urlencode

import pytest

from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.slack.support import ENTITIES, context, ok, place, refused, rest, ts, who

FORM = "application/x-www-form-urlencoded"
NOBODY, NOWHERE = "U0000000000", "C0000000000"


@pytest.fixture
def episode() -> Episode:
    return episode_of("slack", ENTITIES)


def done(episode: Episode, method: str, **arguments: Any) -> dict[str, Any]:
    status, body = rest(episode, "POST", method, urlencode(arguments).encode(), FORM)
    assert (status, body["ok"]) == (200, True), body
    return body


def denied(episode: Episode, method: str, **arguments: Any) -> str:
    """The error; a refusal leaves everything as it was."""
    before = episode.changes()
    status, body = rest(episode, "POST", method, urlencode(arguments).encode(), FORM)
    assert (status, body["ok"]) == (200, False), body
    assert episode.changes() == before
    return body["error"]


def changed(episode: Episode, table: str) -> list[tuple[str, tuple[str, ...]]]:
    """How the rows of a table differ from the beginning: kind, and columns of an update."""
    assert table in episode.app("slack").app.shapes
    found = [change for change in episode.changes() if change.table == table]
    return [(change.kind, change.columns if change.kind == "update" else ()) for change in found]


def levels(episode: Episode, canvas: str) -> dict[str, str]:
    """Who may open a canvas, as the diff holds it: no method tells."""
    rows = [change.after for change in episode.changes() if change.table == "canvasaccess" and change.after]
    return {row["entity"]: row["access_level"] for row in rows if row["canvas"] == canvas}


# Canvases


def test_a_channel_has_one_canvas(episode: Episode) -> None:
    ops = place(episode, "ops")
    content = '{"type": "markdown", "markdown": "# Runbook\\n\\nCall first"}'
    made = done(episode, "conversations.canvases.create", channel_id=ops, title="Runbook", document_content=content)[
        "canvas_id"
    ]
    read = ok(episode, "get_canvas_content", canvas_id=made)
    assert (read["title"], read["content"]["markdown"]) == ("Runbook", "# Runbook\n\nCall first")
    assert made in [file["id"] for file in ok(episode, "list_files", channel=ops)["files"]]
    assert levels(episode, made) == {who(episode, "alex.doyle"): "owner", ops: "write"}
    for info in (ok(episode, "get_conversation_info", channel=ops), done(episode, "conversations.info", channel=ops)):
        assert info["channel"]["properties"] == {"canvas": {"file_id": made, "is_empty": False}}
    create = "conversations.canvases.create"
    assert denied(episode, create, channel_id=ops) == "channel_canvas_already_exists"
    assert denied(episode, create, channel_id=NOWHERE) == "channel_not_found"
    assert denied(episode, create, channel_id=place(episode, "sales")) == "restricted_action"
    ok(episode, "delete_canvas", canvas_id=made)
    assert "properties" not in ok(episode, "get_conversation_info", channel=ops)["channel"]
    assert episode.changes() == []


def test_who_may_open_a_canvas_is_set_and_taken_back(episode: Episode) -> None:
    me, bea, carl, ops = (*(who(episode, key) for key in ("alex.doyle", "bea", "carl")), place(episode, "ops"))
    canvas = ok(episode, "create_canvas", title="Plan")["canvas_id"]
    give, take = "canvases.access.set", "canvases.access.delete"
    done(episode, give, canvas_id=canvas, access_level="write", user_ids=f"{bea},{carl}")
    body = json.dumps({"canvas_id": canvas, "access_level": "read", "channel_ids": [ops]}).encode()
    assert rest(episode, "POST", give, body, "application/json")[1] == {"ok": True}
    assert levels(episode, canvas) == {me: "owner", bea: "write", carl: "write", ops: "read"}
    done(episode, give, canvas_id=canvas, access_level="read", user_ids=bea)
    done(episode, take, canvas_id=canvas, user_ids=carl)
    assert levels(episode, canvas) == {me: "owner", bea: "read", ops: "read"}
    done(episode, take, canvas_id=canvas, channel_ids=ops)
    assert levels(episode, canvas) == {me: "owner", bea: "read"}

    assert denied(episode, give, canvas_id="F0", access_level="read", user_ids=bea) == "canvas_not_found"
    assert denied(episode, give, canvas_id=canvas, access_level="read") == "invalid_parameters"
    both = {"user_ids": bea, "channel_ids": ops}
    assert denied(episode, give, canvas_id=canvas, access_level="read", **both) == "invalid_parameters"
    assert denied(episode, give, canvas_id=canvas, access_level="owner", channel_ids=ops) == "invalid_parameters"
    assert denied(episode, give, canvas_id=canvas, access_level="all", user_ids=bea) == "invalid_arguments"
    assert denied(episode, give, canvas_id=canvas, access_level="read", user_ids=NOBODY) == "user_not_found"
    assert denied(episode, take, canvas_id="F0", user_ids=bea) == "canvas_not_found"
    assert denied(episode, take, canvas_id=canvas) == "invalid_parameters"
    assert denied(episode, take, canvas_id=canvas, channel_ids=NOWHERE) == "channel_not_found"


def test_a_canvas_of_another_opens_to_whom_it_was_given(episode: Episode) -> None:
    canvas = ok(episode, "create_canvas", title="Plan", document_content={"type": "markdown", "markdown": "Soon"})[
        "canvas_id"
    ]
    me, sales, board = who(episode, "alex.doyle"), place(episode, "sales"), place(episode, "board")
    db, shapes = context(episode).db, episode.app("slack").app.shapes
    file, access = (cast(Any, shapes[name].cls) for name in ("file", "canvasaccess"))
    db.update(cast(Any, db.get(file, canvas)), user=who(episode, "bea"))

    def given(entity: str, level: str) -> None:
        db.delete_where(access, canvas=canvas)
        db.add(access(canvas=canvas, entity=entity, access_level=level))

    change = [{"operation": "insert_at_end", "document_content": {"type": "markdown", "markdown": "Later"}}]
    for entity, level in ((me, "read"), (sales, "write")):
        given(entity, level)
        assert ok(episode, "get_canvas_content", canvas_id=canvas)["content"]["markdown"] == "Soon"
        assert ok(episode, "get_file_info", file=canvas)["file"]["user"] == who(episode, "bea")
        assert refused(episode, "edit_canvas", canvas_id=canvas, changes=change) == "restricted_action"
    given(board, "write")
    assert refused(episode, "get_canvas_content", canvas_id=canvas) == "canvas_not_found"
    given(me, "write")
    ok(episode, "edit_canvas", canvas_id=canvas, changes=change)
    assert ok(episode, "get_canvas_content", canvas_id=canvas)["content"]["markdown"] == "Soon\n\nLater"


# Messages, stars, bookmarks


def test_an_action_is_a_message_of_its_kind(episode: Episode) -> None:
    ops = place(episode, "ops")
    made = done(episode, "chat.meMessage", channel=ops, text="waves")
    assert made["channel"] == ops
    newest = ok(episode, "get_conversation_history", channel=ops, limit=1)["messages"][0]
    assert (newest["ts"], newest["subtype"], newest["text"]) == (made["ts"], "me_message", "waves")
    assert newest["user"] == who(episode, "alex.doyle")
    assert changed(episode, "message") == [("insert", ())]
    edited = ok(episode, "update_message", channel=ops, ts=made["ts"], text="nods")
    assert edited["message"]["subtype"] == "me_message"
    assert denied(episode, "chat.meMessage", channel=NOWHERE, text="x") == "channel_not_found"
    assert denied(episode, "chat.meMessage", channel=place(episode, "sales"), text="x") == "not_in_channel"
    assert denied(episode, "chat.meMessage", channel=place(episode, "old"), text="x") == "is_archived"
    assert denied(episode, "chat.meMessage", channel=ops, text="") == "no_text"


def test_what_was_starred_is_taken_off(episode: Episode) -> None:
    ops, first = place(episode, "ops"), ts(episode, "ops.1")
    done(episode, "stars.add", channel=ops, timestamp=first)
    done(episode, "stars.add", channel=ops)
    done(episode, "stars.remove", channel=ops, timestamp=first)
    left = done(episode, "stars.list")["items"]
    assert [(item["type"], item["channel"]) for item in left] == [("channel", ops)]
    assert changed(episode, "star") == [("insert", ())]
    assert denied(episode, "stars.remove", channel=ops, timestamp=first) == "not_starred"
    assert denied(episode, "stars.remove", channel=ops, timestamp="1.000000") == "message_not_found"
    assert denied(episode, "stars.remove", channel=NOWHERE) == "channel_not_found"
    assert denied(episode, "stars.remove", file="F0") == "file_not_found"
    assert denied(episode, "stars.remove") == "no_item_specified"
    done(episode, "stars.remove", channel=ops)
    assert done(episode, "stars.list")["items"] == []
    assert episode.changes() == []


def test_a_bookmark_is_edited(episode: Episode) -> None:
    ops = place(episode, "ops")
    made = ok(episode, "add_bookmark", channel_id=ops, title="Wiki", link="https://x.example")["bookmark"]
    at = {"channel_id": ops, "bookmark_id": made["id"]}
    edited = done(episode, "bookmarks.edit", **at, title="Handbook", emoji=":book:")["bookmark"]
    assert (edited["title"], edited["emoji"], edited["link"]) == ("Handbook", ":book:", "https://x.example")
    assert made["date_updated"] == 0 < edited["date_updated"]
    assert ok(episode, "list_bookmarks", channel_id=ops)["bookmarks"] == [edited]
    moved = done(episode, "bookmarks.edit", **at, link="https://y.example/a")["bookmark"]
    assert (moved["title"], moved["link"]) == ("Handbook", "https://y.example/a")
    assert denied(episode, "bookmarks.edit", **at, link="y.example") == "invalid_link"
    assert denied(episode, "bookmarks.edit", **at, emoji="book") == "invalid_emoji"
    assert denied(episode, "bookmarks.edit", **at | {"bookmark_id": "Bk0"}, title="x") == "not_found"
    elsewhere = at | {"channel_id": place(episode, "pay")}
    assert denied(episode, "bookmarks.edit", **elsewhere, title="x") == "not_found"
    assert denied(episode, "bookmarks.edit", **at | {"channel_id": NOWHERE}, title="x") == "channel_not_found"


# User groups


def test_a_user_group_changes_and_rests(episode: Episode) -> None:
    ops, bea = place(episode, "ops"), who(episode, "bea")
    group = ok(episode, "create_usergroup", name="Month End", handle="month-end")["usergroup"]["id"]
    ok(episode, "update_usergroup_users", usergroup=group, users=bea)
    fields = {"name": "Closers", "handle": "closers", "description": "They close"}
    updated = ok(episode, "update_usergroup", usergroup=group, **fields, channels=ops)["usergroup"]
    assert fields.items() <= updated.items()
    assert (updated["prefs"]["channels"], updated["user_count"]) == ([ops], 1)
    assert [one["name"] for one in ok(episode, "list_usergroups")["usergroups"]] == ["Closers"]
    ok(episode, "update_usergroup", usergroup=group, handle="closers", description="")
    ok(episode, "create_usergroup", name="Other")
    assert refused(episode, "update_usergroup", usergroup=group, name="other") == "name_already_exists"
    assert refused(episode, "update_usergroup", usergroup=group, handle="bea") == "handle_already_exists"
    assert refused(episode, "update_usergroup", usergroup=group, channels=NOWHERE) == "invalid_channel_provided"
    assert refused(episode, "update_usergroup", usergroup="S0", name="x") == "no_such_subteam"

    def listed(**more: Any) -> list[str]:
        return [one["id"] for one in ok(episode, "list_usergroups", **more)["usergroups"]]

    disabled = done(episode, "usergroups.disable", usergroup=group)["usergroup"]
    assert disabled["date_delete"] > 0
    assert disabled["deleted_by"] == who(episode, "alex.doyle")
    assert group not in listed()
    assert group in listed(include_disabled=True)
    assert refused(episode, "list_usergroup_users", usergroup=group) == "no_such_subteam"
    enabled = done(episode, "usergroups.enable", usergroup=group)["usergroup"]
    assert (enabled["date_delete"], enabled["deleted_by"], enabled["user_count"]) == (0, None, 1)
    assert group in listed()
    assert ok(episode, "list_usergroup_users", usergroup=group)["users"] == [bea]
    for method in ("usergroups.disable", "usergroups.enable"):
        assert denied(episode, method, usergroup="S0") == "no_such_subteam"


# One's own state


def test_presence(episode: Episode) -> None:
    assert done(episode, "users.getPresence")["presence"] == "active"
    done(episode, "users.setPresence", presence="away")
    told = done(episode, "users.getPresence", user=who(episode, "alex.doyle"))
    assert (told["presence"], told["manual_away"]) == ("away", True)
    assert changed(episode, "user") == [("update", ("presence",))]
    assert denied(episode, "users.setPresence", presence="busy") == "invalid_presence"
    assert denied(episode, "users.getPresence", user=NOBODY) == "user_not_found"
    done(episode, "users.setPresence", presence="auto")
    assert done(episode, "users.getPresence")["presence"] == "active"
    assert episode.changes() == []


def test_notifications_rest_for_a_while(episode: Episode) -> None:
    me = who(episode, "alex.doyle")
    assert denied(episode, "dnd.endSnooze") == "snooze_not_active"
    made = done(episode, "dnd.setSnooze", num_minutes=90)
    assert made["snooze_enabled"] is True
    assert 0 < made["snooze_remaining"] <= 90 * 60
    told = done(episode, "dnd.info")
    assert (told["snooze_enabled"], told["snooze_endtime"]) == (True, made["snooze_endtime"])
    assert done(episode, "dnd.teamInfo", users=me)["users"][me]["dnd_enabled"] is True
    assert changed(episode, "user") == [("update", ("snooze_until",))]
    assert denied(episode, "dnd.setSnooze", num_minutes=0) == "missing_duration"
    assert denied(episode, "dnd.setSnooze", num_minutes=10**6) == "too_long"
    ended = done(episode, "dnd.endSnooze")
    assert (ended["snooze_enabled"], ended["dnd_enabled"]) == (False, False)
    assert done(episode, "dnd.info", user=me)["snooze_enabled"] is False
    assert denied(episode, "dnd.endSnooze") == "snooze_not_active"
    assert episode.changes() == []
