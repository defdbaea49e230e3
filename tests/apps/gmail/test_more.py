"""Gmail: addresses and settings that change, threads relabelled, push notifications, batches and imports."""

import base64
import json
from typing import Any
from urllib.parse import parse_qsl

import pytest

from legoenv_mcp.capabilities.email import Folder, Message
from legoenv_mcp.faces import rest
from legoenv_mcp.kernel.context import Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

APP = "gmail"
ALEX = "alex.doyle@brightwater.example"
DANA = "Dana Ruiz <dana@meridian.example>"
ME = "/gmail/v1/users/me"
MAIL = [
    Folder(key="Customers", name="Customers"),
    Message(
        key="inv.1", thread="inv", subject="Invoice", sender=DANA, to=(ALEX,), date="2026-02-26T14:03:00Z",
        body="The invoice is wrong.", unread=True,
    ),
    Message(
        key="inv.2", thread="inv", subject="Re: Invoice", sender=ALEX, to=(DANA,), date="2026-02-26T15:00:00Z",
        body="Looking into it.", box="sent", in_reply_to="inv.1",
    ),
]  # fmt: skip


@pytest.fixture
def episode() -> Episode:
    return episode_of(APP, MAIL)


def call(episode: Episode, tool: str, /, status: int = 200, **arguments: Any) -> Any:
    reply = episode.call(APP, tool, arguments)
    assert reply.status == status, reply.body
    return reply.body


def http(episode: Episode, method: str, path: str, body: Any = None, kind: str = "application/json") -> Reply:
    target, _, text = path.partition("?")
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    query = dict(parse_qsl(text, keep_blank_values=True))
    request = Request(method, target, f"https://host{path}", query, {"content-type": kind}, "https://host")
    return rest.handle(episode.app(APP), request, data)


def got(episode: Episode, method: str, path: str, body: Any = None, status: int = 200) -> Any:
    reply = http(episode, method, path, body)
    assert reply.status == status, reply.body
    return reply.body


def refused(episode: Episode, method: str, path: str, body: Any = None, status: int = 400) -> str:
    """The message of a refusal that left nothing behind."""
    before = episode.changes()
    said = got(episode, method, path, body, status)
    assert episode.changes() == before
    return said["error"]["message"]


def test_a_send_as_address_is_replaced_and_deleted(episode: Episode) -> None:
    ops = "ops@brightwater.example"
    path = f"{ME}/settings/sendAs/{ops}"
    call(episode, "create_send_as", sendAsEmail=ops, displayName="Operations", signature="<b>Ops</b>")
    made = got(episode, "PUT", path, {"replyToAddress": ALEX, "isDefault": True})
    assert (made["displayName"], made["signature"], made["replyToAddress"]) == ("", "", ALEX)
    assert made["isDefault"]
    assert got(episode, "GET", path) == made
    sent = call(episode, "send_message", to=DANA, subject="x", body="y")
    shown = got(episode, "GET", f"{ME}/messages/{sent['id']}?format=metadata&metadataHeaders=From")
    assert shown["payload"]["headers"] == [{"name": "From", "value": f"Alex Doyle <{ops}>"}]
    bare = base64.urlsafe_b64encode(f"To: {DANA}\r\nSubject: x\r\n\r\ny".encode()).decode()
    sent = got(episode, "POST", f"{ME}/messages/send", {"raw": bare})
    again = got(episode, "GET", f"{ME}/messages/{sent['id']}?format=metadata&metadataHeaders=From")
    assert again["payload"] == shown["payload"]
    assert refused(episode, "PUT", path, {"isDefault": False})
    assert refused(episode, "PUT", path, {"replyToAddress": "nobody"}) == "Invalid reply-to address"
    refused(episode, "PUT", f"{ME}/settings/sendAs/none@brightwater.example", {}, 404)

    call(episode, "delete_send_as", 204, sendAsEmail=ops)
    (left,) = call(episode, "list_send_as")["sendAs"]
    assert (left["sendAsEmail"], left["isDefault"]) == (ALEX, True)
    assert not [c for c in episode.changes() if c.table == "send_as"]
    call(episode, "delete_send_as", 404, sendAsEmail=ops)


def test_a_pending_address_may_be_verified_again(episode: Episode) -> None:
    away = "me@elsewhere.example"
    call(episode, "create_send_as", sendAsEmail=away)
    before = episode.changes()
    got(episode, "POST", f"{ME}/settings/sendAs/{away}/verify", status=204)
    assert episode.changes() == before
    assert got(episode, "GET", f"{ME}/settings/sendAs/{away}")["verificationStatus"] == "pending"
    assert "verified already" in refused(episode, "POST", f"{ME}/settings/sendAs/{ALEX}/verify")
    refused(episode, "POST", f"{ME}/settings/sendAs/none@elsewhere.example/verify", status=404)


def test_forwarding_ends_with_its_address(episode: Episode) -> None:
    copy = "copy@brightwater.example"
    call(episode, "create_forwarding_address", forwardingEmail=copy)
    call(episode, "update_auto_forwarding", enabled=True, emailAddress=copy, disposition="archive")
    assert call(episode, "get_auto_forwarding")["emailAddress"] == copy
    call(episode, "delete_forwarding_address", 404, forwardingEmail="none@brightwater.example")
    call(episode, "delete_forwarding_address", 204, forwardingEmail=copy)
    assert call(episode, "list_forwarding_addresses") == {}
    assert call(episode, "get_auto_forwarding") == {"enabled": False}
    assert not [c for c in episode.changes() if c.table == "forwarding_address"]
    call(episode, "delete_forwarding_address", 404, forwardingEmail=copy)


@pytest.mark.parametrize(
    ("name", "body", "wrong"),
    [
        ("imap", {"enabled": False, "autoExpunge": True, "expungeBehavior": "trash", "maxFolderSize": 1000}, {"maxFolderSize": 7}),
        ("pop", {"accessWindow": "fromNowOn", "disposition": "markRead"}, {"accessWindow": "sometimes"}),
        ("language", {"displayLanguage": "en-GB"}, {"displayLanguage": "?"}),
    ],
)  # fmt: skip
def test_settings_are_replaced(episode: Episode, name: str, body: dict[str, Any], wrong: dict[str, Any]) -> None:
    path = f"{ME}/settings/{name}"
    assert got(episode, "GET", path) != body
    assert got(episode, "PUT", path, body) == body
    assert got(episode, "GET", path) == body
    (change,) = episode.changes()
    assert (change.table, change.kind, change.columns) == ("account", "update", (name,))
    assert refused(episode, "PUT", path, wrong)
    assert refused(episode, "PUT", path.replace("/me/", "/other@x.example/"), body, 403)


def test_a_thread_is_labelled_as_a_whole(episode: Episode) -> None:
    label = next(x["id"] for x in call(episode, "list_labels")["labels"] if x["name"] == "Customers")
    first = episode.app(APP).refs("email.Message")["inv.1"]
    thread = got(episode, "GET", f"{ME}/messages/{first}?format=minimal")["threadId"]
    said = call(episode, "modify_thread", id=thread, addLabelIds=[label], removeLabelIds=["UNREAD", "INBOX"])
    assert said["id"] == thread
    held = got(episode, "GET", f"{ME}/threads/{thread}?format=minimal")["messages"]
    assert [set(m["labelIds"]) & {label, "UNREAD", "INBOX", "SENT"} for m in held] == [{label}, {label, "SENT"}]
    before = episode.changes()
    call(episode, "modify_thread", 404, id="00000000000000ff", addLabelIds=[label])
    call(episode, "modify_thread", 400, id=thread, addLabelIds=["Label_none"])
    assert episode.changes() == before


def test_push_notifications_begin_and_end(episode: Episode) -> None:
    asked = {"topicName": "projects/brightwater/topics/mail", "labelIds": ["INBOX"]}
    said = got(episode, "POST", f"{ME}/watch", asked)
    assert said["historyId"] == call(episode, "get_profile")["historyId"]
    assert int(said["expiration"]) > 0
    (change,) = episode.changes()
    assert (change.table, change.columns) == ("account", ("watch",))
    assert "topicName" in refused(episode, "POST", f"{ME}/watch", {"topicName": "mail"})
    assert refused(episode, "POST", f"{ME}/watch", {**asked, "labelIds": ["Label_none"]})
    refused(episode, "POST", "/gmail/v1/users/other@x.example/stop", status=403)
    got(episode, "POST", f"{ME}/stop", status=204)
    assert episode.changes() == []


def test_a_batch_at_the_address_of_the_discovery_document(episode: Episode) -> None:
    part = "--b\r\nContent-Type: application/http\r\nContent-ID: <{n}>\r\n\r\n{line}\r\n{rest}\r\n"
    body = json.dumps({"name": "Suppliers"})
    made = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    parts = [(f"POST {ME}/labels", made), (f"GET {ME}/labels/Label_none", ""), (f"GET {ME}/profile", "")]
    text = "".join(part.format(n=n, line=line, rest=rest) for n, (line, rest) in enumerate(parts)) + "--b--\r\n"
    reply = http(episode, "POST", "/batch", text.encode(), "multipart/mixed; boundary=b")
    assert reply.status == 200, reply.body
    told = [line.split()[1] for line in str(reply.body).splitlines() if line.startswith("HTTP/1.1")]
    assert told == ["200", "404", "200"]
    assert "Suppliers" in {x["name"] for x in call(episode, "list_labels")["labels"]}
    assert [c.table for c in episode.changes()] == ["label"]
    assert http(episode, "POST", "/batch", b"x", "text/plain").status == 400


def test_an_uploaded_message_is_imported(episode: Episode) -> None:
    mail = b"From: Dana <dana@meridian.example>\r\nTo: alex.doyle@brightwater.example\r\nSubject: Moved here\r\n"
    mail += b"Date: Mon, 05 Jan 2026 08:00:00 +0000\r\nMessage-ID: <m1@meridian.example>\r\n\r\nHello\r\n"
    about = json.dumps({"labelIds": ["INBOX", "UNREAD"]}).encode()
    data = b"--z\r\nContent-Type: application/json\r\n\r\n" + about
    data += b"\r\n--z\r\nContent-Type: message/rfc822\r\n\r\n" + mail + b"\r\n--z--"
    path = f"/upload{ME}/messages/import?uploadType="
    made = http(episode, "POST", path + "multipart", data, "multipart/related; boundary=z")
    assert made.status == 200, made.body
    assert set(made.body["labelIds"]) == {"INBOX", "UNREAD"}
    shown = got(episode, "GET", f"{ME}/messages/{made.body['id']}")
    assert (shown["snippet"], shown["internalDate"]) == ("Hello", "1767600000000")
    found = got(episode, "GET", f"{ME}/messages?q=subject:moved")
    assert [m["id"] for m in found["messages"]] == [made.body["id"]]
    before = episode.changes()
    assert http(episode, "POST", path + "media", b"", "message/rfc822").status == 400
    wrong = data.replace(b"UNREAD", b"Label_none")
    assert http(episode, "POST", path + "multipart", wrong, "multipart/related; boundary=z").status == 400
    assert episode.changes() == before
