"""slack_sdk's WebClient, unmodified but for its base URL, against the Slack app over real HTTP."""

import json
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.models.blocks import DividerBlock, SectionBlock

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = [
    pytest.mark.sdk,
    # The SDK leaves the closing of its HTTP responses to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:stars.* is deprecated:UserWarning"),
]


@pytest.fixture
def client(gateway: "Gateway") -> Any:
    rest = gateway.episode(["slack"]).rest("slack")
    return WebClient(token="xoxb-test", base_url=f"{rest}/api/")


def channel_id(client: Any, name: str) -> str:
    pages = client.conversations_list(types="public_channel,private_channel", limit=10)
    return next(c["id"] for page in pages for c in page["channels"] if c["name"] == name)


def refused(call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call(*args, **kwargs)
    assert caught.value.response.status_code == 200
    assert caught.value.response["ok"] is False
    return caught.value.response["error"]


def test_who_we_are_and_where(client: Any) -> None:
    who = client.auth_test()
    assert who["team"] == "Quaymark"
    assert client.users_info(user=who["user_id"])["user"]["profile"]["email"] == "maya.chen@quaymark.example"
    assert client.team_info()["team"]["email_domain"] == "quaymark.example"
    assert client.users_lookupByEmail(email="victor.hale@quaymark.example")["user"]["real_name"] == "Victor Hale"
    assert client.users_profile_get(include_labels=True)["profile"]["fields"]
    assert client.api_test(foo="bar")["args"] == {"foo": "bar"}


def test_cursors_lead_through_every_user_and_channel_once(client: Any) -> None:
    everyone = [u["id"] for u in client.users_list()["members"]]
    pages = [[u["id"] for u in page["members"]] for page in client.users_list(limit=20)]
    walked = [user for page in pages for user in page]
    assert len(pages) > 3
    assert sorted(walked) == sorted(everyone)
    assert len(set(walked)) == len(walked)
    general = channel_id(client, "general")
    members = [m for page in client.conversations_members(channel=general, limit=25) for m in page["members"]]
    assert len(members) == len(set(members)) > 50


def test_history_is_walked_newest_first(client: Any) -> None:
    channel = channel_id(client, "incidents")
    pages = [[m["ts"] for m in page["messages"]] for page in client.conversations_history(channel=channel, limit=2)]
    walked = [ts for page in pages for ts in page]
    assert len(pages) > 1
    assert walked == sorted(set(walked), reverse=True)
    assert walked == [m["ts"] for m in client.conversations_history(channel=channel, limit=999)["messages"]]


def test_a_message_lives_and_dies(client: Any) -> None:
    channel = channel_id(client, "ops")
    blocks = [SectionBlock(text="*Close* starts <https://quaymark.example|today>"), DividerBlock()]
    posted = client.chat_postMessage(channel="#ops", text="Close & reopen", blocks=blocks)
    assert posted["channel"] == channel
    assert posted["message"]["text"] == "Close &amp; reopen"
    assert posted["message"]["blocks"][0]["text"]["type"] == "mrkdwn"
    ts = posted["ts"]
    reply = client.chat_postMessage(channel=channel, thread_ts=ts, text="On it", reply_broadcast=True)
    thread = client.conversations_replies(channel=channel, ts=ts)["messages"]
    assert [m["ts"] for m in thread] == [ts, reply["ts"]]
    assert (thread[0]["reply_count"], thread[0]["latest_reply"]) == (1, reply["ts"])
    client.reactions_add(channel=channel, timestamp=ts, name="tada")
    client.pins_add(channel=channel, timestamp=ts)
    assert client.reactions_get(channel=channel, timestamp=ts)["message"]["reactions"][0]["count"] == 1
    assert client.pins_list(channel=channel)["items"][0]["message"]["ts"] == ts
    updated = client.chat_update(channel=channel, ts=ts, text="Close is done")
    assert updated["message"]["edited"]["user"] == client.auth_test()["user_id"]
    assert "blocks" not in updated["message"]
    assert client.chat_getPermalink(channel=channel, message_ts=ts)["permalink"].endswith(ts.replace(".", ""))
    client.chat_delete(channel=channel, ts=reply["ts"])
    client.chat_delete(channel=channel, ts=ts)
    assert refused(client.chat_delete, channel=channel, ts=ts) == "message_not_found"


def test_errors_are_slacks(client: Any) -> None:
    assert refused(client.chat_postMessage, channel="C0000000000", text="x") == "channel_not_found"
    assert refused(client.chat_postMessage, channel="#ops", text="x", blocks=[{"type": "section"}]) == "invalid_blocks"
    assert refused(client.api_call, "no.such.method") == "unknown_method"
    assert refused(client.api_call, "chat.postMessage") == "invalid_arguments"
    assert refused(client.conversations_create, name="Not A Name") == "invalid_name_specials"
    assert refused(client.conversations_archive, channel=channel_id(client, "general")) == "cant_archive_general"
    assert refused(client.conversations_list, cursor="nonsense") == "invalid_cursor"
    assert refused(client.users_lookupByEmail, email="nobody@quaymark.example") == "users_not_found"


def test_a_channel_lives_and_dies(client: Any) -> None:
    made = client.conversations_create(name="proj-dock", is_private=True)["channel"]
    victor = client.users_lookupByEmail(email="victor.hale@quaymark.example")["user"]["id"]
    daniel = client.users_lookupByEmail(email="daniel.kim@quaymark.example")["user"]["id"]
    client.conversations_invite(channel=made["id"], users=[victor, daniel])
    client.conversations_setTopic(channel=made["id"], topic="Docks")
    client.conversations_kick(channel=made["id"], user=daniel)
    info = client.conversations_info(channel=made["id"], include_num_members=True)["channel"]
    assert (info["topic"]["value"], info["num_members"], info["is_private"]) == ("Docks", 2, True)
    assert client.conversations_rename(channel=made["id"], name="proj-docks")["channel"]["previous_names"] == [
        "proj-dock"
    ]
    client.bookmarks_add(channel_id=made["id"], title="Plan", type="link", link="https://quaymark.example/plan")
    assert client.bookmarks_list(channel_id=made["id"])["bookmarks"][0]["title"] == "Plan"
    client.conversations_archive(channel=made["id"])
    assert refused(client.chat_postMessage, channel=made["id"], text="x") == "is_archived"
    dm = client.conversations_open(users=[victor, daniel], return_im=True)["channel"]
    assert dm["is_mpim"]
    assert client.chat_postMessage(channel=victor, text="hi")["channel"].startswith("D")


@pytest.mark.parametrize("content", ["a=1&b=2\nline", b"\x89PNG\r\n\x1a\n\xff\x00"])
def test_a_file_is_uploaded_in_three_steps(client: Any, content: str | bytes) -> None:
    channel = channel_id(client, "ops")
    name = "figures.csv" if isinstance(content, str) else "chart.png"
    done = client.files_upload_v2(
        channel=channel, content=content, filename=name, title="Figures", initial_comment="Here"
    )
    info = client.files_info(file=done["file"]["id"])["file"]
    assert (info["title"], info["mimetype"]) == ("Figures", "text/csv" if isinstance(content, str) else "image/png")
    newest = client.conversations_history(channel=channel, limit=1)["messages"][0]
    assert (newest["text"], newest["files"][0]["id"]) == ("Here", info["id"])
    with urlopen(Request(info["url_private"], headers={"Authorization": "Bearer xoxb-test"})) as answer:
        assert answer.read() == (content.encode() if isinstance(content, str) else content)
    assert info["id"] in [f["id"] for f in client.files_list(channel=channel)["files"]]
    assert client.search_files(query=name)["files"]["total"] == 1
    client.files_delete(file=info["id"])
    assert refused(client.files_info, file=info["id"]) == "file_not_found"


def test_a_file_is_shared_in_a_thread_by_the_id_of_its_channel(client: Any) -> None:
    parent = client.chat_postMessage(channel="#ops", text="Figures, please")
    done = client.files_upload_v2(
        channel=parent["channel"], thread_ts=parent["ts"], content="a,b", filename="figures.csv", initial_comment="Here"
    )
    thread = client.conversations_replies(channel=parent["channel"], ts=parent["ts"])["messages"]
    assert [m["text"] for m in thread] == ["Figures, please", "Here"]
    assert thread[1]["files"][0]["id"] == done["file"]["id"]
    newest = client.conversations_history(channel=parent["channel"], limit=1)["messages"][0]
    assert (newest["ts"], newest["reply_count"]) == (parent["ts"], 1)
    assert refused(client.files_upload_v2, channel="#ops", content="x", filename="x.txt") == "channel_not_found"
    block = {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}],
    }
    promised = client.files_getUploadURLExternal(filename="x.txt", length=1)
    urlopen(Request(promised["upload_url"], data=b"x", method="POST")).close()
    client.files_completeUploadExternal(
        files=[{"id": promised["file_id"]}], channel_id=parent["channel"], blocks=json.dumps([block])
    )
    newest = client.conversations_history(channel=parent["channel"], limit=1)["messages"][0]
    assert newest["blocks"][0]["type"] == "rich_text"


def test_search_finds_and_pages(client: Any) -> None:
    first = client.search_messages(query="from:@aisha", count=2, sort="timestamp")["messages"]
    assert first["pagination"]["per_page"] == 2
    assert first["total"] > 2
    second = client.search_messages(query="from:@aisha", count=2, page=2, sort="timestamp")["messages"]
    found = [m["ts"] for m in [*first["matches"], *second["matches"]]]
    assert found == sorted(set(found), reverse=True)
    assert client.search_all(query="invoice")["messages"]["matches"]


def test_the_rest_of_the_families(client: Any) -> None:
    me = client.auth_test()["user_id"]
    group = client.usergroups_create(name="Month end", handle="month-end")["usergroup"]
    assert client.usergroups_users_update(usergroup=group["id"], users=[me])["usergroup"]["users"] == [me]
    assert client.usergroups_list(include_users=True)["usergroups"][0]["handle"] == "month-end"
    reminder = client.reminders_add(text="Send the report", time="tomorrow at 9am")["reminder"]
    client.reminders_complete(reminder=reminder["id"])
    assert client.reminders_list()["reminders"][0]["complete_ts"] > 0
    later = client.chat_scheduleMessage(channel="#ops", post_at=1772528400, text="Good morning")
    assert client.chat_scheduledMessages_list()["scheduled_messages"][0]["id"] == later["scheduled_message_id"]
    client.chat_deleteScheduledMessage(channel=later["channel"], scheduled_message_id=later["scheduled_message_id"])
    client.users_profile_set(profile={"status_text": "In close", "status_emoji": ":lock:"})
    assert client.users_profile_get()["profile"]["status_text"] == "In close"
    canvas = client.canvases_create(title="Notes", document_content={"type": "markdown", "markdown": "# Plan\n\nStart"})
    sections = client.canvases_sections_lookup(canvas_id=canvas["canvas_id"], criteria={"section_types": ["h1"]})[
        "sections"
    ]
    change = {
        "operation": "insert_after",
        "section_id": sections[0]["id"],
        "document_content": {"type": "markdown", "markdown": "Soon"},
    }
    client.canvases_edit(canvas_id=canvas["canvas_id"], changes=[change])
    content = client.canvases_getContent(canvas_id=canvas["canvas_id"])["content"]
    assert content["markdown"] == "# Plan\n\nSoon\n\nStart"
    assert client.dnd_info()["dnd_enabled"] is False
    assert client.emoji_list()["emoji"] == {}
    client.stars_add(channel=channel_id(client, "ops"))
    assert client.stars_list()["items"][0]["type"] == "channel"
