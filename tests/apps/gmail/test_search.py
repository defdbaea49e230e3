"""Gmail: canonical entities; search."""

import importlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities.email import Message
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.gmail.support import ALEX, DANA, MAIL, call, keys, ref, refused, shared, view


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
