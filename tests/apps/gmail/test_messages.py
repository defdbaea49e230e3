"""Gmail: messages; labels; drafts."""

import base64
from typing import Any

import pytest

from legoenv_mcp.kernel.episode import Episode
from tests.apps.gmail.support import ALEX, DANA, MAIL, call, http, raw, ref, refused, view


def test_a_message_is_readable_over_mcp_and_the_products_over_rest(episode: Episode) -> None:
    message = call(episode, "get_message", id=ref(episode, "inv.1"))
    assert message["text"] == MAIL[0].body
    (file,) = message["attachments"]
    assert file["filename"] == "lines.csv"
    got = call(episode, "get_attachment", messageId=message["id"], id=file["attachmentId"])
    assert got["text"] == "item,amount\nseat,12\n"
    full = http(episode, "GET", f"/gmail/v1/users/me/messages/{message['id']}").body
    assert "text" not in full
    assert [p["partId"] for p in full["payload"]["parts"]] == ["0", "1"]
    assert full == call(episode, "get_message", id=message["id"], decode=False)
    assert refused(episode, "get_attachment", messageId=message["id"], id="ANGnope") == "Invalid attachment token"
    page = view(episode, ref(episode, "news.1"))
    assert page.html == "<p>Plain <b>words</b></p>"


def test_reading_leaves_a_message_unread(episode: Episode) -> None:
    call(episode, "get_message", id=ref(episode, "inv.1"))
    assert episode.changes() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"to": "nobody", "subject": "x", "body": "y"}, "Invalid To header"),
        ({"to": "a@b", "subject": "x", "body": "y"}, "Invalid To header"),
        ({"to": "a@b.example", "cc": ["not an address"], "body": "y"}, "Invalid Cc header"),
        ({"to": "a@b.example", "bcc": "@", "body": "y"}, "Invalid Bcc header"),
        ({"subject": "x", "body": "y"}, "Recipient address required"),
        ({}, "'raw' RFC822 payload message string or uploading message via /upload/* URL required"),
        ({"raw": raw(Subject="x")}, "Recipient address required"),
        ({"raw": raw(To="nobody")}, "Invalid To header"),
        ({"raw": raw(To="a@b.example"), "to": "c@d.example"}, "Give either raw or the message's own fields, not both"),
        ({"to": "a@b.example", "body": "y", "from": "ceo@brightwater.example"}, "Invalid From header"),
        ({"to": "a@b.example", "body": "y", "threadId": "zz"}, "Invalid id value"),
        (
            {"to": "a@b.example", "body": "y", "attachments": [{"filename": "x"}]},
            "An attachment needs content, data, or messageId and attachmentId",
        ),
    ],
)
def test_what_is_not_sent(episode: Episode, arguments: dict[str, Any], message: str) -> None:
    assert refused(episode, "send_message", **arguments) == message


def test_raw_that_is_no_base64(episode: Episode) -> None:
    assert "Base64 decoding failed" in refused(episode, "send_message", raw="!!!")


def test_sending_makes_one_message(episode: Episode) -> None:
    sent = call(
        episode,
        "send_message",
        to=[DANA, "x@y.example"],
        cc="Zoë <zoe@y.example>",
        bcc="z@y.example",
        subject="Grüße\r\nBcc: evil@x.example",
        body="Hallo ✓",
        htmlBody="<b>Hallo</b>",
        attachments=[{"filename": "ü.txt", "content": "x"}, {"filename": "b.bin", "data": "AAEC"}],
    )
    (change,) = episode.changes()
    assert (change.table, change.kind) == ("message", "insert")
    seen = view(episode, sent["id"])
    assert seen.to == (DANA, "x@y.example")
    assert seen.cc == ("Zoë <zoe@y.example>",)
    assert seen.subject == "Grüße Bcc: evil@x.example"
    assert (seen.body, seen.html) == ("Hallo ✓", "<b>Hallo</b>")
    assert [a.name for a in seen.attachments] == ["ü.txt", "b.bin"]
    assert change.after is not None
    assert change.after["bcc"] == ["z@y.example"]
    assert sent["threadId"] == sent["id"]


@pytest.mark.parametrize(
    ("to", "seen"),
    [
        (
            ["A B <a@b.example>", "c@d.example, E <e@f.example>"],
            ("A B <a@b.example>", "c@d.example", "E <e@f.example>"),
        ),
        ("a@b.example; c@d.example", ("a@b.example", "c@d.example")),
        ('"Doe, Jane" <j@d.example>, c@d.example', ("Doe, Jane <j@d.example>", "c@d.example")),
        (["Doe, Jane <j@d.example>"], ("Doe, Jane <j@d.example>",)),
        ("Müller, Jörg <j@m.example>", ("Müller, Jörg <j@m.example>",)),
    ],
)
def test_recipients_as_people_write_them(episode: Episode, to: Any, seen: tuple[str, ...]) -> None:
    sent = call(episode, "send_message", to=to, subject="x", body="y")
    assert view(episode, sent["id"]).to == seen


def test_an_encoded_name_may_hold_a_comma(episode: Episode) -> None:
    letter = b"To: =?utf-8?q?M=C3=BCller=2C_J=C3=B6rg?= <j@m.example>\r\nSubject: x\r\n\r\ny"
    sent = call(episode, "send_message", raw=base64.urlsafe_b64encode(letter).decode())
    assert view(episode, sent["id"]).to == ("Müller, Jörg <j@m.example>",)


def test_an_attachments_type_comes_from_its_name(episode: Episode) -> None:
    files: list[dict[str, str]] = [
        {"filename": "a.csv", "content": "x"}, {"filename": "b", "content": "x"}, {"filename": "c.pdf", "data": "AAAA"},
        {"filename": "d", "data": "AAAA"}, {"filename": "e.csv", "content": "x", "mimeType": "text/plain"},
    ]  # fmt: skip
    sent = call(episode, "send_message", to=DANA, body="y", attachments=files)
    kinds = [f["mimeType"] for f in call(episode, "get_message", id=sent["id"])["attachments"]]
    assert kinds == ["text/csv", "text/plain", "application/pdf", "application/octet-stream", "text/plain"]


def test_senders_are_ones_own(episode: Episode) -> None:
    sent = call(
        episode, "send_message", raw=raw(To="a@b.example", From="CEO <ceo@other.example>", Message_ID="<own@x.example>")
    )
    seen = call(episode, "get_message", id=sent["id"])
    headers = {h["name"]: h["value"] for h in seen["payload"]["headers"]}
    assert headers["From"] == "CEO <alex.doyle@brightwater.example>"
    assert headers["Message-ID"].endswith("@mail.gmail.com>")
    assert headers["Date"] == "Mon, 02 Mar 2026 09:00:01 +0000"


def test_mail_to_oneself_comes_in(episode: Episode) -> None:
    sent = call(episode, "send_message", to="alex.doyle@brightwater.example", subject="Note", body="x")
    assert sent["labelIds"] == ["INBOX", "SENT", "UNREAD"]


def test_an_answer_joins_its_thread_only_if_all_agrees(episode: Episode) -> None:
    parent = ref(episode, "inv.1")
    thread = call(episode, "get_message", id=parent)["threadId"]
    number = next(
        h["value"] for h in call(episode, "get_message", id=parent)["payload"]["headers"] if h["name"] == "Message-ID"
    )
    good = {
        "To": "dana@meridian.example",
        "Subject": "RE: Invoice BW-2026-0117",
        "In_Reply_To": number,
        "References": number,
    }
    assert call(episode, "send_message", raw=raw(**good), threadId=thread)["threadId"] == thread
    for less in (
        {**good, "Subject": "Other"},
        {k: v for k, v in good.items() if k not in ("In_Reply_To", "References")},
    ):
        assert call(episode, "send_message", raw=raw(**less), threadId=thread)["threadId"] != thread
    assert call(episode, "send_message", raw=raw(**good))["threadId"] != thread
    assert (
        refused(episode, "send_message", 404, raw=raw(**good), threadId="19aaaaaaaaaaaaaa")
        == "Requested entity was not found."
    )
    assert refused(episode, "send_message", raw=raw(**good), threadId="no thread") == "Invalid thread_id value"
    assert call(episode, "send_message", to=DANA, body="x", threadId=thread)["threadId"] == thread
    assert call(episode, "send_message", to=DANA, body="x", inReplyTo=number)["threadId"] == thread
    assert (
        call(episode, "send_message", to=DANA, body="x", inReplyTo=parent, subject="New matter")["threadId"] != thread
    )


def test_reply_all_and_forward(episode: Episode) -> None:
    parent = ref(episode, "inv.1")
    everyone = view(episode, call(episode, "reply_to_message", messageId=parent, body="x", replyAll=True)["id"])
    assert (everyone.to, everyone.cc) == ((DANA,), ("Omar Said <omar@meridian.example>",))
    own = view(episode, call(episode, "reply_to_message", messageId=ref(episode, "inv.2"), body="x")["id"])
    assert own.to == (DANA,)
    on = view(episode, call(episode, "forward_message", messageId=parent, to="bo@x.example", body="FYI")["id"])
    assert on.subject == "Fwd: Invoice BW-2026-0117"
    assert on.body.startswith("FYI\n\n---------- Forwarded message")
    assert "we have 12 seats" in on.body
    assert on.attachments == MAIL[0].attachments


def test_insert_and_import_find_their_thread(episode: Episode) -> None:
    parent = call(episode, "get_message", id=ref(episode, "inv.1"))
    number = next(h["value"] for h in parent["payload"]["headers"] if h["name"] == "Message-ID")
    mail = raw(
        From=DANA,
        To=ALEX,
        Subject="Re: Invoice BW-2026-0117",
        In_Reply_To=number,
        Date="Sun, 01 Mar 2026 10:00:00 +0100",
    )
    imported = call(episode, "import_message", raw=mail, labelIds=["INBOX", "UNREAD"])
    assert imported["threadId"] == parent["threadId"]
    assert view(episode, imported["id"]).date == "2026-03-01T09:00:00Z"
    inserted = call(episode, "insert_message", raw=mail)
    assert view(episode, inserted["id"]).date == "2026-03-02T09:00:02Z"
    assert view(episode, inserted["id"]).box == "archive"
    assert refused(episode, "insert_message", raw=mail, labelIds=["DRAFT"]) == "Invalid label: DRAFT"


@pytest.mark.parametrize(
    ("add", "remove", "message"),
    [
        ([], [], "No label add or removes specified"),
        (["SENT"], [], "Invalid label: SENT"),
        ([], ["DRAFT"], "Invalid label: DRAFT"),
        (["Customers"], [], "Invalid label: Customers"),
        (["Label_99"], [], "labelId not found"),
        (["STARRED"], ["STARRED"], "Cannot both add and remove the same label"),
    ],
)
def test_label_changes_that_are_refused(episode: Episode, add: list[str], remove: list[str], message: str) -> None:
    one = ref(episode, "inv.1")
    thread = call(episode, "get_message", id=one)["threadId"]
    assert refused(episode, "modify_message", id=one, addLabelIds=add, removeLabelIds=remove) == message
    assert refused(episode, "modify_thread", id=thread, addLabelIds=add, removeLabelIds=remove) == message
    assert refused(episode, "batch_modify_messages", ids=[one], addLabelIds=add, removeLabelIds=remove) == message


def test_a_batch_is_all_or_nothing(episode: Episode) -> None:
    ids = [ref(episode, "inv.1"), "19aaaaaaaaaaaaaa"]
    refused(episode, "batch_modify_messages", 404, ids=ids, addLabelIds=["STARRED"])
    assert refused(episode, "batch_modify_messages", ids=["what?"], addLabelIds=["STARRED"]) == "Invalid ids value"
    assert "1000" in refused(episode, "batch_delete_messages", ids=["1"] * 1001)
    call(episode, "batch_delete_messages", 204, ids=ids)
    assert [(c.table, c.kind) for c in episode.changes()] == [("message", "delete")]


def test_inbox_spam_and_trash_are_one_place(episode: Episode) -> None:
    one = ref(episode, "inv.1")
    assert "INBOX" not in call(episode, "trash_message", id=one)["labelIds"]
    back = call(episode, "modify_message", id=one, addLabelIds=["INBOX"])
    assert "TRASH" not in back["labelIds"]
    assert "INBOX" not in call(episode, "modify_message", id=one, addLabelIds=["SPAM"])["labelIds"]
    call(episode, "modify_message", id=one, addLabelIds=["CATEGORY_SOCIAL"])
    labels = call(episode, "modify_message", id=one, addLabelIds=["CATEGORY_UPDATES"])["labelIds"]
    assert [x for x in labels if x.startswith("CATEGORY")] == ["CATEGORY_UPDATES"]


def test_changing_nothing_changes_nothing(episode: Episode) -> None:
    call(episode, "modify_message", id=ref(episode, "inv.1"), addLabelIds=["UNREAD"])
    call(episode, "untrash_message", id=ref(episode, "inv.1"))
    assert episode.changes() == []


def test_system_labels_stay(episode: Episode) -> None:
    for name in ("INBOX", "CATEGORY_SOCIAL"):
        assert refused(episode, "update_label", id=name, name="Mine") == "Invalid update request"
        assert refused(episode, "delete_label", id=name) == "Invalid delete request"
        assert http(episode, "PUT", f"/gmail/v1/users/me/labels/{name}", {"name": "Mine"}).status == 400


@pytest.mark.parametrize("name", ["", " ", "inbox", "Trash", "DRAFTS", "CATEGORY_SOCIAL", "a//b", "/a", "x" * 226])
def test_label_names_that_cannot_be(episode: Episode, name: str) -> None:
    assert refused(episode, "create_label", name=name) == "Invalid label name"


def test_a_label_name_is_taken_once(episode: Episode) -> None:
    assert refused(episode, "create_label", 409, name="customers") == "Label name exists or conflicts"
    made = call(episode, "create_label", name="Other")
    assert refused(episode, "update_label", 409, id=made["id"], name="CUSTOMERS") == "Label name exists or conflicts"
    assert call(episode, "update_label", id=made["id"], name="OTHER")["name"] == "OTHER"
    assert "not on the allowed color palette" in refused(
        episode, "create_label", name="Red", color={"textColor": "#123456", "backgroundColor": "#000000"}
    )


def test_a_deleted_label_leaves_its_messages(episode: Episode) -> None:
    label = next(x["id"] for x in call(episode, "list_labels")["labels"] if x["name"] == "Customers")
    call(episode, "delete_label", 204, id=label)
    assert view(episode, ref(episode, "inv.1")).folders == ()
    refused(episode, "get_label", 404, id=label)
    assert {(c.table, c.kind) for c in episode.changes()} == {("label", "delete"), ("message", "update")}


def test_a_draft_goes_through_its_states(episode: Episode) -> None:
    thread = call(episode, "get_message", id=ref(episode, "inv.1"))["threadId"]
    draft = call(
        episode,
        "create_draft",
        to=DANA,
        body="One",
        threadId=thread,
        attachments=[{"filename": "a.txt", "content": "A"}],
    )
    assert draft["message"]["threadId"] == thread
    changed = call(episode, "update_draft", id=draft["id"], body="Two")
    assert changed["message"]["threadId"] == thread
    assert changed["message"]["id"] != draft["message"]["id"]
    got = call(episode, "get_draft", id=draft["id"])["message"]
    assert got["text"] == "Two"
    assert [f["filename"] for f in got["attachments"]] == ["a.txt"]
    refused(episode, "get_message", 404, id=draft["message"]["id"])
    sent = call(episode, "send_draft", id=draft["id"])
    assert (sent["labelIds"], sent["threadId"]) == (["SENT"], thread)
    assert view(episode, sent["id"]).in_reply_to == ref(episode, "inv.2")  # the last message of the thread
    for tool in ("get_draft", "send_draft", "delete_draft"):
        refused(episode, tool, 404, id=draft["id"])
    assert [(c.table, c.kind) for c in episode.changes()] == [("message", "insert")]


def test_a_changed_draft_keeps_its_labels(episode: Episode) -> None:
    label = next(x["id"] for x in call(episode, "list_labels")["labels"] if x["name"] == "Customers")
    draft = call(episode, "list_drafts")["drafts"][0]
    call(episode, "modify_message", id=draft["message"]["id"], addLabelIds=[label, "STARRED"])
    changed = call(episode, "update_draft", id=draft["id"], body="Other words")
    assert changed["message"]["labelIds"] == ["DRAFT", label, "STARRED"]
    assert call(episode, "send_draft", id=draft["id"])["labelIds"] == ["SENT"]


def test_a_draft_is_dated_when_it_is_sent(episode: Episode) -> None:
    sent = call(episode, "send_draft", id=call(episode, "list_drafts")["drafts"][0]["id"])
    got = call(episode, "get_message", id=sent["id"])
    dates = [h["value"] for h in got["payload"]["headers"] if h["name"] == "Date"]
    assert (dates, got["internalDate"]) == (["Mon, 02 Mar 2026 09:00:01 +0000"], "1772442001000")


def test_a_draft_without_recipient_is_kept_but_not_sent(episode: Episode) -> None:
    draft = call(episode, "create_draft", subject="Later", body="x")
    assert refused(episode, "send_draft", id=draft["id"]) == "Recipient address required"
    assert refused(episode, "create_draft", to="no address", body="x") == "Invalid To header"
    assert refused(episode, "send_draft") == "Missing required field: id"
    call(episode, "delete_message", 204, id=draft["message"]["id"])
    refused(episode, "get_draft", 404, id=draft["id"])
    assert episode.changes() == []
