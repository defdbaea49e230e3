"""Slack: files, canvases and the rest."""

from hypothesis import HealthCheck, settings
from hypothesis import given as given_by
from hypothesis import strategies as st

from legoenv_mcp.faces.rest import handle
from legoenv_mcp.kernel.context import Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.slack.support import ENTITIES, ok, place, refused, rest, ts, who


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
