"""Gmail: its rules, its search, its MIME, and the canonical mail behind it."""

import base64
import importlib
import json
from email.message import EmailMessage
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities.email import Attachment, Folder, Message
from legoenv_mcp.faces import rest
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

registry.load("gmail")
mime: Any = importlib.import_module("legoenv_mcp.servers.gmail.mime")
models: Any = importlib.import_module("legoenv_mcp.servers.gmail.models")

ALEX = "Alex Doyle <alex.doyle@brightwater.example>"
DANA = "Dana Ruiz <dana@meridian.example>"
FOLDERS = [Folder(key="Customers", name="Customers"), Folder(key="Big deals", name="Sales/Big deals")]
MAIL = [
    Message(
        key="inv.1",
        thread="inv",
        subject="Invoice BW-2026-0117",
        sender=DANA,
        to=(ALEX,),
        cc=("Omar Said <omar@meridian.example>",),
        date="2026-02-26T14:03:00Z",
        body="Hello Alex,\n\nthe two invoices are wrong: we have 12 seats.",
        folders=("Customers",),
        unread=True,
        attachments=(Attachment(name="lines.csv", media_type="text/csv", content="item,amount\nseat,12\n"),),
    ),
    Message(
        key="inv.2",
        thread="inv",
        subject="Re: Invoice BW-2026-0117",
        sender=ALEX,
        to=(DANA,),
        date="2026-02-26T15:00:00Z",
        body="Looking into it.",
        box="sent",
        starred=True,
        in_reply_to="inv.1",
    ),
    Message(
        key="news.1",
        thread="news",
        subject="Café news: 50 % off!",
        sender="Bruno’s Café <hello@cafe.example>",
        to=(ALEX,),
        date="2026-01-05T08:00:00Z",
        body="Plain words",
        html="<p>Plain <b>words</b></p>",
        box="archive",
    ),
    Message(
        key="old.1",
        thread="old",
        subject="Old offer",
        sender=DANA,
        to=(ALEX,),
        date="2024-06-01T08:00:00Z",
        body="Expired offer.",
        box="trash",
    ),
    Message(
        key="spam.1",
        thread="spam",
        subject="You won",
        sender="x@y.example",
        to=(ALEX,),
        date="2026-02-20T08:00:00Z",
        body="Prize!",
        box="spam",
    ),
    Message(
        key="plan.1",
        thread="plan",
        subject="Plan for Q2",
        sender=ALEX,
        to=(DANA,),
        date="2026-02-28T08:00:00Z",
        body="To be written.",
        box="drafts",
    ),
    Message(
        key="deal.1",
        thread="deal",
        subject="Freight tender",
        sender="Judith Crane <judith.crane@ardenrail.example>",
        to=("sales@brightwater.example",),
        date="2026-03-01T10:00:00Z",
        body="Please send your best and final offer by Thursday. https://docs.google.com/document/d/1",
        folders=("Big deals",),
        important=True,
    ),
]


@pytest.fixture
def episode() -> Episode:
    return episode_of("gmail", [*FOLDERS, *MAIL])


def call(episode: Episode, tool: str, /, status: int = 200, **arguments: Any) -> Any:
    reply = episode.call("gmail", tool, arguments)
    assert reply.status == status, reply.body
    return reply.body


def refused(episode: Episode, tool: str, /, status: int = 400, **arguments: Any) -> str:
    """The message of a refusal that left nothing behind."""
    before = episode.changes()
    body = call(episode, tool, status, **arguments)
    assert episode.changes() == before
    assert body["error"]["code"] == status
    return body["error"]["message"]


def http(
    episode: Episode, method: str, path: str, body: Any = None, kind: str = "application/json", **headers: str
) -> Reply:
    url = "https://host/base" + path
    query = dict(parse_qsl(path.partition("?")[2], keep_blank_values=True))
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    request = Request(
        method, path.partition("?")[0], url, query, {"content-type": kind, **headers}, "https://host/base"
    )
    return rest.handle(episode.app("gmail"), request, data)


def ref(episode: Episode, key: str) -> str:
    return episode.app("gmail").refs("email.Message")[key]


def view(episode: Episode, message_id: str) -> Message:
    live = episode.app("gmail")
    row = live.store.get(models.Message, message_id)
    assert row is not None
    values = {name: row.__dict__[name] for name in models.Message.shape().columns}
    seen = live.app.provides["email"].view(Ctx(live, None, None, Request()), "message", values)
    assert isinstance(seen, Message)
    return seen


def keys(episode: Episode, **arguments: Any) -> list[str]:
    """The world keys of what a search lists."""
    names = {v: k for k, v in episode.app("gmail").refs("email.Message").items()}
    return [names[m["id"]] for m in call(episode, "list_messages", **arguments).get("messages", [])]


def raw(**headers: str) -> str:
    message = EmailMessage()
    body = headers.pop("body", "Text")
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(body)
    return base64.urlsafe_b64encode(message.as_bytes()).decode()


# Canonical entities


@pytest.mark.parametrize("entity", MAIL, ids=lambda m: m.key)
def test_a_filled_message_is_seen_as_it_was(episode: Episode, entity: Message) -> None:
    seen = view(episode, ref(episode, entity.key))
    labels = {"Customers": "Customers", "Big deals": "Sales/Big deals"}
    expected = entity.model_copy(
        update={
            "key": "",
            "id": ref(episode, entity.key),
            "thread": seen.thread,
            "folders": tuple(labels[f] for f in entity.folders),
            "in_reply_to": ref(episode, entity.in_reply_to) if entity.in_reply_to else "",
        }
    )
    assert seen == expected


def test_the_world_fills_every_message_as_it_is() -> None:
    from legoenv_mcp import worlds

    episode = templates.episode(["gmail"])
    for entity in worlds.load("quaymark").entities(Message):
        seen = view(episode, ref(episode, entity.key))
        same = {"key", "id", "thread", "in_reply_to"}
        assert set(seen.folders) == set(entity.folders), entity.key  # labels have no order
        same = {*same, "folders"}
        assert seen.model_dump(exclude=same) == entity.model_dump(exclude=same), entity.key


def test_another_subject_is_another_conversation() -> None:
    """A world's file may hold mails that Gmail would not show together: it threads by references and subject."""

    def mail(number: int, subject: str, answers: str = "") -> Message:
        key, day = f"t.{number}", f"2026-02-0{number}T08:00:00Z"
        return Message(
            key=key, thread="t", subject=subject, sender=DANA, to=(ALEX,), date=day, body="x", in_reply_to=answers
        )

    episode = episode_of("gmail", [
        mail(1, "Refund"), mail(2, "Re: Refund", "t.1"), mail(3, "Approval needed"), mail(4, "Re:  Approval needed", "t.3"),
        mail(5, "Fwd: Approval needed", "t.3"), mail(6, "RE: Refund", "t.2"), mail(7, "Approval needed"), mail(8, "Refund in March", "t.1"),
    ])  # fmt: skip
    threads = {
        key: call(episode, "get_message", id=ref(episode, key))["threadId"] for key in (f"t.{n}" for n in range(1, 9))
    }
    assert threads["t.1"] == threads["t.2"] == threads["t.6"] == ref(episode, "t.1")
    assert threads["t.3"] == threads["t.4"] == threads["t.5"] == threads["t.7"] == ref(episode, "t.3")
    assert threads["t.8"] == ref(episode, "t.8")
    assert len(set(threads.values())) == call(episode, "get_profile")["threadsTotal"] == 3


def test_no_conversation_of_the_world_has_two_subjects() -> None:
    episode = templates.episode(["gmail"])
    mailbox = importlib.import_module("legoenv_mcp.servers.gmail.mailbox")
    listed = call(episode, "list_threads", maxResults=500, includeSpamTrash=True)
    assert "nextPageToken" not in listed
    for thread in listed["threads"]:
        held = call(episode, "get_thread", id=thread["id"], format="metadata", metadataHeaders=["Subject"])["messages"]
        assert len({mailbox.plain_subject(m["payload"]["headers"][0]["value"]) for m in held}) == 1, thread["subject"]
        assert held[0]["id"] == thread["id"]


def run(episode: Episode, plan: Any) -> Any:
    reply = None
    try:
        step = next(plan)
        while True:
            reply = call(episode, step.tool, **step.arguments)
            step = plan.send(reply)
    except StopIteration:
        return reply


def test_each_verb_shows_its_effect(episode: Episode) -> None:
    verbs = registry.load("gmail").provides["email"]
    assert len(run(episode, verbs.search_messages("invoice"))["messages"]) == 2
    assert run(episode, verbs.get_message(ref(episode, "inv.1")))["text"].startswith("Hello Alex")
    assert {"Customers", "Sales/Big deals"} <= {x["name"] for x in run(episode, verbs.list_folders())["labels"]}
    sent = view(episode, run(episode, verbs.send_message("dana@meridian.example", "Hi", "Body\nTwo"))["id"])
    assert (sent.to, sent.subject, sent.body, sent.box, sent.sender) == (
        ("dana@meridian.example",),
        "Hi",
        "Body\nTwo",
        "sent",
        ALEX,
    )
    answer = view(episode, run(episode, verbs.reply(ref(episode, "inv.1"), "Fixed."))["id"])
    assert (answer.to, answer.subject, answer.box) == ((DANA,), "Re: Invoice BW-2026-0117", "sent")
    assert (answer.in_reply_to, answer.thread) == (ref(episode, "inv.1"), view(episode, ref(episode, "inv.1")).thread)
    draft = view(episode, run(episode, verbs.save_draft("a@b.example", "S", "B"))["message"]["id"])
    assert (draft.box, draft.to) == ("drafts", ("a@b.example",))
    run(episode, verbs.file_message(ref(episode, "deal.1"), "Customers"))
    assert view(episode, ref(episode, "deal.1")).folders == ("Customers", "Sales/Big deals")
    assert view(episode, ref(episode, "deal.1")).box == "archive"
    run(episode, verbs.file_message(ref(episode, "news.1"), "Brand new"))
    assert view(episode, ref(episode, "news.1")).folders == ("Brand new",)
    run(episode, verbs.mark_read(ref(episode, "inv.1")))
    assert not view(episode, ref(episode, "inv.1")).unread
    run(episode, verbs.delete_message(ref(episode, "inv.1")))
    assert view(episode, ref(episode, "inv.1")).box == "trash"


# Search


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("", ["deal.1", "plan.1", "inv.2", "inv.1", "news.1"]),
        ("invoice", ["inv.2", "inv.1"]),
        ("INVOICES", ["inv.2", "inv.1"]),
        ("+invoices", ["inv.1"]),
        ("invo", []),
        ('"two invoices"', ["inv.1"]),
        ('"invoices two"', []),
        ("cafe", ["news.1"]),
        ("from:dana", ["inv.1"]),
        ("from:meridian.example", ["inv.1"]),
        ("from:meridian", ["inv.1"]),
        ("from:me", ["plan.1", "inv.2"]),
        ("to:me -from:dana", ["news.1"]),
        ("to:omar", ["inv.1"]),
        ("cc:omar@meridian.example", ["inv.1"]),
        ("from:dana OR from:judith", ["deal.1", "inv.1"]),
        ("{from:dana from:judith}", ["deal.1", "inv.1"]),
        ("from:(dana OR judith) offer", ["deal.1"]),
        ("offer from:dana OR from:judith", ["deal.1"]),
        ("subject:(invoice BW-2026-0117)", ["inv.2", "inv.1"]),
        ("subject:{tender plan}", ["deal.1", "plan.1"]),
        ("-invoice -plan", ["deal.1", "news.1"]),
        ("-(invoice OR plan)", ["deal.1", "news.1"]),
        ("is:unread", ["inv.1"]),
        ("is:read in:inbox", ["deal.1"]),
        ("is:starred", ["inv.2"]),
        ("is:important", ["deal.1"]),
        ("in:sent", ["inv.2"]),
        ("in:drafts", ["plan.1"]),
        ("in:draft subject:q2", ["plan.1"]),
        ("in:trash", ["old.1"]),
        ("in:spam", ["spam.1"]),
        ("offer in:anywhere", ["deal.1", "old.1"]),
        ("offer -in:trash", ["deal.1"]),
        ("in:archive", ["news.1"]),
        ("label:customers", ["inv.1"]),
        ("label:sales-big-deals", ["deal.1"]),
        ('label:"Sales/Big deals"', ["deal.1"]),
        ("label:nothing", []),
        ("has:userlabels", ["deal.1", "inv.1"]),
        ("has:nouserlabels in:inbox", []),
        ("has:attachment", ["inv.1"]),
        ("filename:csv", ["inv.1"]),
        ("filename:lines.csv", ["inv.1"]),
        ("has:document", ["deal.1"]),
        ("has:yellow-star", ["inv.2"]),
        ("after:2026/02/27", ["deal.1", "plan.1"]),
        ("after:02/27/2026 before:2026-03-01", ["plan.1"]),
        ("before:1767600000", []),
        ("newer:2026/3/1", ["deal.1"]),
        ("older:2026/01/06", ["news.1"]),
        ("newer_than:2d", ["deal.1"]),
        ("newer_than:1m older_than:1d", ["plan.1", "inv.2", "inv.1"]),
        ("older_than:1y in:anywhere", ["old.1"]),
        ("larger:1M", []),
        ("smaller:1M from:dana", ["inv.1"]),
        ("size:100 from:dana", ["inv.1"]),
        ("best AROUND 3 offer", ["deal.1"]),
        ("best AROUND 1 offer", []),
        ("offer AROUND 5 best", ["deal.1"]),
        ('"offer AROUND 5 best"', []),
        ('"best AROUND 5 offer"', ["deal.1"]),
        ("category:primary", ["deal.1", "inv.1"]),
        ("category:promotions", []),
        ("deliveredto:alex.doyle@brightwater.example is:unread", ["inv.1"]),
        ("list:news.example", []),
        ("unknown:thing", []),
        ("re: invoice - looking", ["inv.2"]),
        ("invoice AND looking", ["inv.2"]),
        ("(invoice looking", ["inv.2"]),
        ("invoice looking)", ["inv.2"]),
        ("{tender plan", ["deal.1", "plan.1"]),
        ("subject:(tender OR plan", ["deal.1", "plan.1"]),
        ("from:(dana OR judith OR ) offer}", ["deal.1"]),
        ("tender OR", ["deal.1"]),
        ("OR tender OR OR plan", ["deal.1", "plan.1"]),
    ],
)
def test_search(episode: Episode, q: str, expected: list[str]) -> None:
    assert keys(episode, q=q) == expected


def test_labels_that_search_spells_alike_are_all_found(episode: Episode) -> None:
    made = call(episode, "create_label", name="Sales/Big-deals")
    call(episode, "modify_message", id=ref(episode, "news.1"), addLabelIds=[made["id"]])
    for q in ("label:sales-big-deals", 'label:"Sales/Big deals"', "in:sales/big-deals"):
        assert keys(episode, q=q) == ["deal.1", "news.1"]


def test_search_by_message_id(episode: Episode) -> None:
    (header,) = [
        h
        for h in call(episode, "get_message", id=ref(episode, "inv.1"))["payload"]["headers"]
        if h["name"] == "Message-ID"
    ]
    assert keys(episode, q=f"rfc822msgid:{header['value']}") == ["inv.1"]
    assert keys(episode, q=f"rfc822msgid:{header['value'].strip('<>')}") == ["inv.1"]


@pytest.mark.parametrize(
    ("q", "named"),
    [
        ("after:yesterday", "after:yesterday"),
        ("newer_than:3w", "newer_than:3w"),
        ("larger:huge", "larger:huge"),
        ("has:wings", "has:wings"),
        ("is:nice", "is:nice"),
        ("category:fun", "category:fun"),
        ("subject:", "its end"),
        ("()", "'()'"),
        ("subject:(from:dana)", "from: inside subject:"),
        ("(" * 60 + "a" + ")" * 60, "nested deeper"),
        ("a " * 400, "more than 300 terms"),
    ],
)
def test_what_search_cannot_read_is_named(episode: Episode, q: str, named: str) -> None:
    assert named in refused(episode, "list_messages", q=q)


@settings(max_examples=100, deadline=None, database=None)
@given(st.text(alphabet="abz01 \"(){}:-+ORAND_/.<>@'%\\", max_size=40))
def test_no_search_is_our_fault(q: str) -> None:
    episode = shared()
    reply = episode.call("gmail", "list_messages", {"q": q})
    assert reply.status in (200, 400), reply.body
    if reply.status == 200 and not {")", "}"} & set(q):  # which would close the parenthesis around it
        total = episode.call("gmail", "list_messages", {"includeSpamTrash": True}).body["resultSizeEstimate"]
        negated = episode.call("gmail", "list_messages", {"q": f"-({q})", "includeSpamTrash": True})
        same = episode.call("gmail", "list_messages", {"q": f"({q})", "includeSpamTrash": True})
        if negated.status == same.status == 200:
            assert negated.body["resultSizeEstimate"] + same.body["resultSizeEstimate"] == total


@cache
def shared() -> Episode:
    """One episode for the many cases of a property."""
    return episode_of("gmail", [*FOLDERS, *MAIL])


def test_labels_and_spam_trash_of_lists(episode: Episode) -> None:
    assert keys(episode, labelIds=["INBOX", "UNREAD"]) == ["inv.1"]
    assert keys(episode, labelIds=["TRASH"]) == ["old.1"]
    assert len(keys(episode, includeSpamTrash=True)) == 7
    assert refused(episode, "list_messages", labelIds=["Nope"]) == "Invalid label: Nope"
    assert "messages" not in call(episode, "list_messages", q="zzz")


def test_pages(episode: Episode) -> None:
    seen, token = list[str](), None
    while True:
        page = call(episode, "list_messages", maxResults=2, **({"pageToken": token} if token else {}))
        seen += [m["id"] for m in page["messages"]]
        token = page.get("nextPageToken")
        if not token:
            break
    assert len(seen) == len(set(seen)) == page["resultSizeEstimate"] == 5
    assert refused(episode, "list_messages", pageToken="nonsense")
    threads = call(episode, "list_threads", maxResults=1)
    assert threads["threads"][0]["subject"] == "Freight tender"
    assert threads["resultSizeEstimate"] == 4


# Messages


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


# Labels


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


# Drafts


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


# Threads, history, settings


def test_threads(episode: Episode) -> None:
    thread = call(episode, "get_message", id=ref(episode, "inv.1"))["threadId"]
    assert [m["id"] for m in call(episode, "get_thread", id=thread)["messages"]] == [
        ref(episode, "inv.1"),
        ref(episode, "inv.2"),
    ]
    assert all("TRASH" in m["labelIds"] for m in call(episode, "trash_thread", id=thread)["messages"])
    assert all("TRASH" not in m["labelIds"] for m in call(episode, "untrash_thread", id=thread)["messages"])
    call(episode, "delete_thread", 204, id=thread)
    refused(episode, "get_thread", 404, id=thread)
    assert refused(episode, "get_thread", id="x y") == "Invalid id value"


def test_history_tells_what_happened(episode: Episode) -> None:
    start = call(episode, "get_profile")["historyId"]
    assert call(episode, "list_history", startHistoryId=start) == {"historyId": start}
    one = ref(episode, "inv.1")
    call(episode, "modify_message", id=one, addLabelIds=["STARRED"], removeLabelIds=["UNREAD"])
    sent = call(episode, "send_message", to=DANA, body="x")
    told = call(episode, "list_history", startHistoryId=start)
    assert [next(k for k in h if k not in ("id", "messages")) for h in told["history"]] == [
        "labelsAdded",
        "labelsRemoved",
        "messagesAdded",
    ]
    assert told["history"][0]["labelsAdded"][0]["labelIds"] == ["STARRED"]
    assert told["historyId"] == call(episode, "get_message", id=sent["id"])["historyId"]
    only = call(episode, "list_history", startHistoryId=start, historyTypes=["messageAdded"])["history"]
    assert [h["messages"][0]["id"] for h in only] == [sent["id"]]
    assert len(call(episode, "list_history", startHistoryId=start, labelId="STARRED")["history"]) == 2
    assert refused(episode, "list_history") == "Missing/invalid parameter: startHistoryId"
    refused(episode, "list_history", 404, startHistoryId="17")


def test_filters_do_their_work_on_what_comes_in(episode: Episode) -> None:
    label = next(x["id"] for x in call(episode, "list_labels")["labels"] if x["name"] == "Customers")
    rule = {
        "criteria": {"subject": "urgent", "hasAttachment": True},
        "action": {"addLabelIds": [label, "STARRED"], "removeLabelIds": ["INBOX"]},
    }
    made = call(episode, "create_filter", 200, **rule)
    assert call(episode, "list_filters")["filter"] == [{"id": made["id"], **rule}]
    me = "alex.doyle@brightwater.example"
    hit = call(
        episode, "send_message", to=me, subject="Urgent: x", body="y", attachments=[{"filename": "a", "content": "b"}]
    )
    assert hit["labelIds"] == sorted([label, "SENT", "STARRED", "UNREAD"])
    assert call(episode, "send_message", to=me, subject="Urgent: x", body="y")["labelIds"] == [
        "INBOX",
        "SENT",
        "UNREAD",
    ]
    assert refused(episode, "create_filter", 400, **rule) == "Filter already exists"
    assert refused(episode, "create_filter", action=rule["action"]) == "Filter doesn't contain any criteria"
    assert refused(episode, "create_filter", criteria=rule["criteria"]) == "Filter doesn't contain any actions"
    assert refused(episode, "create_filter", criteria={"query": "has:wings"}, action=rule["action"])
    assert (
        refused(episode, "create_filter", criteria={"from": "x"}, action={"addLabelIds": ["Nope"]})
        == "Invalid label: Nope"
    )
    assert (
        refused(episode, "create_filter", criteria={"from": "x"}, action={"forward": "a@b.example"})
        == "Unrecognized forwarding address"
    )
    call(episode, "create_forwarding_address", forwardingEmail="b@brightwater.example")
    call(episode, "create_filter", criteria={"from": "x"}, action={"forward": "b@brightwater.example"})
    call(episode, "delete_filter", 204, id=made["id"])


def test_a_filter_has_one_label_and_its_subject_is_a_phrase(episode: Episode) -> None:
    labels = [x["id"] for x in call(episode, "list_labels")["labels"] if x["type"] == "user"]
    rule: dict[str, Any] = {
        "criteria": {"subject": "status report"},
        "action": {"addLabelIds": [*labels[:2], "STARRED"]},
    }
    assert refused(episode, "create_filter", **rule) == "A filter can add only one user-defined label"
    rule["action"] = {"addLabelIds": [labels[0]]}
    call(episode, "create_filter", 200, **rule)
    me = "alex.doyle@brightwater.example"
    assert labels[0] in call(episode, "send_message", to=me, subject="Status reports, week 9", body="y")["labelIds"]
    assert labels[0] not in call(episode, "send_message", to=me, subject="Report on status", body="y")["labelIds"]
    call(episode, "create_filter", 200, criteria={"subject": "tender OR bid"}, action={"addLabelIds": ["STARRED"]})
    assert "STARRED" in call(episode, "send_message", to=me, subject="Our bid", body="y")["labelIds"]


def test_settings_rules(episode: Episode) -> None:
    assert call(episode, "get_vacation") == {"enableAutoReply": False}
    assert "required" in refused(episode, "update_vacation", enableAutoReply=True)
    assert (
        refused(episode, "update_vacation", startTime="200", endTime="100") == "Vacation startTime must precede endTime"
    )
    call(episode, "update_vacation", enableAutoReply=True, responseSubject="Away", startTime=1)
    assert call(episode, "get_vacation") == {"enableAutoReply": True, "responseSubject": "Away", "startTime": "1"}
    assert (
        refused(episode, "update_auto_forwarding", enabled=True, emailAddress="a@b.example")
        == "Unrecognized forwarding address"
    )
    assert "deleted" in refused(episode, "delete_send_as", sendAsEmail="alex.doyle@brightwater.example")
    call(episode, "create_send_as", sendAsEmail="ops@brightwater.example", displayName="Operations")
    sent = call(
        episode, "send_message", 200, **{"from": "Operations <ops@brightwater.example>", "to": DANA, "body": "x"}
    )
    assert view(episode, sent["id"]).sender == "Operations <ops@brightwater.example>"
    pending = call(episode, "create_send_as", sendAsEmail="me@elsewhere.example")
    assert pending["verificationStatus"] == "pending"
    assert (
        refused(episode, "send_message", 400, **{"from": "me@elsewhere.example", "to": DANA, "body": "x"})
        == "Invalid From header"
    )
    refused(episode, "create_send_as", 409, sendAsEmail="ops@brightwater.example")


# REST


def test_googles_common_parameters(episode: Episode) -> None:
    path = "/gmail/v1/users/me/labels/INBOX"
    assert http(episode, "GET", f"{path}?alt=json&prettyPrint=false&key=k&quotaUser=q&fields=id").body == {
        "id": "INBOX"
    }
    assert http(episode, "GET", f"{path}?fields=*").body["messagesTotal"] == 2
    wrong = http(episode, "GET", f"{path}?colour=red")
    assert wrong.status == 400
    assert "colour" in wrong.body["error"]["message"]
    assert "errors" not in http(episode, "GET", f"{path[:-5]}NOPE?$.xgafv=2").body["error"]
    assert (
        http(episode, "GET", "/gmail/v1/users/other@x.example/labels").body["error"]["message"]
        == "Delegation denied for alex.doyle@brightwater.example"
    )
    assert http(episode, "GET", "/gmail/v1/users/me/nothing").status == 404


def test_bad_bodies_are_told_in_googles_words(episode: Episode) -> None:
    send = "/gmail/v1/users/me/messages/send"
    unknown = http(episode, "POST", send, {"raw": raw(To="a@b.example"), "colour": 1}).body["error"]
    assert unknown["message"] == 'Invalid JSON payload received. Unknown name "colour": Cannot find field.'
    assert unknown["details"][0]["@type"] == "type.googleapis.com/google.rpc.BadRequest"
    nested = http(episode, "POST", "/gmail/v1/users/me/drafts", {"message": {"colour": 1}}).body["error"]
    assert (
        nested["message"] == "Invalid JSON payload received. Unknown name \"colour\" at 'message': Cannot find field."
    )
    assert http(episode, "GET", "/gmail/v1/users/me/messages?maxResults=many").status == 400
    assert (
        "'format'"
        in http(episode, "GET", f"/gmail/v1/users/me/messages/{ref(episode, 'inv.1')}?format=x").body["error"][
            "message"
        ]
    )
    assert http(episode, "POST", send, b"{", "application/json").status == 400
    assert (
        http(episode, "POST", send, {"to": "a@b.example", "subject": "x"}).status == 400
    )  # fields are for agents alone
    assert episode.changes() == []


@pytest.mark.parametrize("fields", ["nope", "messages(id", "messages/payload/nope", "id,", "messages(id,nope)", ""])
def test_bad_field_selections(episode: Episode, fields: str) -> None:
    reply = http(episode, "GET", f"/gmail/v1/users/me/messages?fields={fields}")
    assert reply.status == (400 if fields else 200)


def test_field_selections(episode: Episode) -> None:
    base = f"/gmail/v1/users/me/threads/{call(episode, 'get_message', id=ref(episode, 'inv.1'))['threadId']}"
    assert set(
        http(episode, "GET", f"{base}?fields=messages(id,payload/headers(name)),historyId").body["messages"][0]
    ) == {"id", "payload"}
    assert http(episode, "GET", f"{base}?fields=messages/id,messages/snippet").body["messages"][0].keys() == {
        "id",
        "snippet",
    }
    assert http(episode, "GET", f"{base}?fields=messages,messages/id").body["messages"][0].keys() > {"id", "snippet"}
    assert http(episode, "GET", f"{base}?fields=*/id").body == {
        "messages": [{"id": ref(episode, k)} for k in ("inv.1", "inv.2")]
    }


def test_a_batch_of_bad_parts(episode: Episode) -> None:
    assert http(episode, "POST", "/batch/gmail/v1", b"x", "text/plain").status == 400
    part = "--b\r\nContent-Type: application/http\r\nContent-ID: <x + {n}>\r\n\r\n{line}\r\n\r\n"
    lines = [
        "GET /base/gmail/v1/users/me/labels?fields=labels/id",
        "nonsense",
        "POST /batch/gmail/v1",
        "DELETE /gmail/v1/users/me/labels/INBOX",
        "GET /nowhere",
    ]
    body = "".join(part.format(n=n, line=line) for n, line in enumerate(lines)) + "--b--\r\n"
    reply = http(episode, "POST", "/batch/gmail/v1", body.encode(), "multipart/mixed; boundary=b")
    assert reply.status == 200
    text = str(reply.body)
    assert [line.split()[1] for line in text.splitlines() if line.startswith("HTTP/1.1")] == [
        "200",
        "400",
        "400",
        "400",
        "404",
    ]
    assert "<response-x + 0>" in text
    assert episode.changes() == []


@pytest.mark.parametrize(
    ("kind", "query", "body"),
    [
        ("message/rfc822", "", b""),
        ("multipart/related; boundary=z", "?uploadType=multipart", b"nothing"),
        ("multipart/related; boundary=z", "?uploadType=multipart", b"--z\r\n\r\n[]\r\n--z\r\n\r\nx\r\n--z--"),
        ("message/rfc822", "?uploadType=strange", b"To: a@b.example\r\n\r\nx"),
        ("message/rfc822", "?upload_id=none", b"x"),
        ("message/rfc822", "", b"\xff\xfe\x00garbage"),
    ],
)
def test_bad_uploads(episode: Episode, kind: str, query: str, body: bytes) -> None:
    for place in ("messages/send", "drafts/send"):
        reply = http(episode, "POST", f"/upload/gmail/v1/users/me/{place}{query}", body, kind)
        assert 400 <= reply.status < 500, reply.body
    assert episode.changes() == []


def test_a_resumable_upload_in_pieces(episode: Episode) -> None:
    start = http(episode, "POST", "/upload/gmail/v1/users/me/messages?uploadType=resumable", {"labelIds": ["INBOX"]})
    path = start.headers["Location"].removeprefix("https://host/base")
    data = b"From: a@b.example\r\nSubject: Pieces\r\n\r\n" + b"x" * 100
    half = http(episode, "PUT", path, data[:60], "message/rfc822", **{"content-range": f"bytes 0-59/{len(data)}"})
    assert (half.status, half.headers) == (308, {"Range": "bytes=0-59"})
    asked = http(episode, "PUT", path, b"", "", **{"content-range": f"bytes */{len(data)}"})
    assert asked.headers == {"Range": "bytes=0-59"}
    assert (
        http(episode, "PUT", path, data[90:], "", **{"content-range": f"bytes 90-{len(data) - 1}/{len(data)}"}).status
        == 400
    )
    done = http(
        episode, "PUT", path, data[60:], "message/rfc822", **{"content-range": f"bytes 60-{len(data) - 1}/{len(data)}"}
    )
    assert done.body["labelIds"] == ["INBOX"]
    assert view(episode, done.body["id"]).subject == "Pieces"


# MIME

STARTS = [
    b"",
    b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n",
    b"Content-Type: text/plain; charset=x\r\nContent-Transfer-Encoding: base64\r\n\r\n",
]


@settings(max_examples=120, deadline=None, database=None)
@given(
    st.binary(max_size=300),
    st.sampled_from(
        [
            b"",
            b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n",
            b"Content-Type: text/plain; charset=x\r\nContent-Transfer-Encoding: base64\r\n\r\n",
        ]
    ),
)
def test_any_bytes_are_a_message(data: bytes, start: bytes) -> None:
    episode = shared()
    given = base64.urlsafe_b64encode(start + data).decode()
    reply = episode.call("gmail", "insert_message", {"raw": given})
    assert reply.status in (200, 400), reply.body
    if reply.status == 200:
        for form in ("full", "raw", "metadata", "minimal"):
            for decode in (True, False):
                assert (
                    episode.call(
                        "gmail", "get_message", {"id": reply.body["id"], "format": form, "decode": decode}
                    ).status
                    == 200
                )
        view(episode, reply.body["id"])
        assert episode.call("gmail", "delete_message", {"id": reply.body["id"]}).status == 204


LINE = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=120)


@settings(max_examples=60, deadline=None, database=None)
@given(subject=LINE, body=st.lists(LINE, max_size=6).map("\n".join), name=st.text("ab ,.'\"\\<;:@(é漢", max_size=20))
def test_what_is_written_is_read_again(subject: str, body: str, name: str) -> None:
    title = " ".join(name.replace("<", "").split())
    letter = mime.Letter(
        "a@b.example", [f"{title} <c@d.example>" if title else "c@d.example"], subject=subject, body=body
    )
    parsed = mime.parse(mime.write(letter, "mark"))
    assert " ".join(parsed.header("Subject").split()) == " ".join(subject.split())
    assert parsed.inline("plain") == body.rstrip("\n")
    assert [mime.bare(a) for a in mime.addresses(parsed.all("To"))] == ["c@d.example"]


def test_the_same_calls_give_the_same_bytes() -> None:
    def play() -> tuple[Any, ...]:
        episode = episode_of("gmail", [*FOLDERS, *MAIL])
        sent = call(episode, "send_message", to=DANA, body="x", attachments=[{"filename": "a", "content": "b"}])
        whole = call(episode, "get_message", id=sent["id"], format="raw")
        return whole, call(episode, "create_draft", to=DANA, body="y"), [c.as_json() for c in episode.changes()]

    assert play() == play()


# The MCP face


async def test_over_mcp(episode: Episode) -> None:
    async with Client(serve(episode, ["gmail"])) as client:
        listed = await client.list_tools()
        assert 40 <= len(listed.tools) <= 60
        found = await client.call_tool("list_messages", {"q": "is:unread"})
        assert found.structured_content
        assert found.structured_content["messages"][0]["from"] == DANA
        wrong = await client.call_tool("delete_label", {"id": "INBOX"})
        assert wrong.is_error
        assert "Invalid delete request" in wrong.content[0].text  # pyright: ignore[reportAttributeAccessIssue]
        unknown = await client.call_tool("send_message", {"to": "a@b.example", "colour": "red"})
        assert unknown.is_error
        sent = await client.call_tool(
            "send_message", {"to": '["a@b.example", "c@d.example"]', "subject": "s", "body": "b"}
        )
        assert not sent.is_error


def test_world_answers_are_short_enough_for_agents() -> None:
    episode = templates.episode(["gmail"])
    for tool in ("list_messages", "list_threads", "list_drafts", "list_labels"):
        assert len(episode.call("gmail", tool, {}).text()) < 25_000, tool
