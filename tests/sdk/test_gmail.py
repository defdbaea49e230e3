"""Gmail with Google's own Python client, its base URL changed and nothing else."""

import base64
import copy
import importlib
import io
import json
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import googleapiclient
import pytest
from google.auth.credentials import AnonymousCredentials
from googleapiclient.discovery import build, build_from_document
from googleapiclient.errors import HttpError
from googleapiclient.http import BatchHttpRequest, MediaIoBaseUpload

from legoenv_mcp import registry

pytestmark = pytest.mark.sdk

DOCUMENT: dict[str, Any] = json.loads(
    (Path(googleapiclient.__file__).parent / "discovery_cache/documents/gmail.v1.json").read_text("utf-8")
)


@pytest.fixture
def base(gateway: Any) -> str:
    return gateway.episode(["gmail"]).rest("gmail")


@pytest.fixture
def users(base: str) -> Iterator[Any]:
    options = {"api_endpoint": base}
    with build(
        "gmail", "v1", static_discovery=True, client_options=options, credentials=AnonymousCredentials()
    ) as service:
        yield service.users()


@pytest.fixture
def rooted(base: str) -> Iterator[Any]:
    """The client takes media and batch addresses from the document's root URL, not from api_endpoint."""
    document = {**copy.deepcopy(DOCUMENT), "rootUrl": f"{base}/"}
    with build_from_document(document, credentials=AnonymousCredentials()) as service:
        yield service


def raw(
    to: str = "dana@meridian.example", subject: str = "Quarterly numbers", body: str = "See below.", **headers: str
) -> str:
    message = EmailMessage()
    message["To"], message["Subject"] = to, subject
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(body, cte="quoted-printable")
    return base64.urlsafe_b64encode(message.as_bytes()).decode()


def header(message: dict[str, Any], name: str) -> str:
    return next(h["value"] for h in message["payload"]["headers"] if h["name"].lower() == name.lower())


def test_profile_labels_and_a_walk_over_all_messages(users: Any) -> None:
    profile = users.getProfile(userId="me").execute()
    assert profile["emailAddress"] == "maya.chen@quaymark.example"
    assert users.getProfile(userId=profile["emailAddress"]).execute() == profile
    names = {label["name"] for label in users.labels().list(userId="me").execute()["labels"]}
    assert {"INBOX", "SENT", "DRAFT", "Customers"} <= names

    seen, pages = list[str](), 0
    call = users.messages().list(userId="me", maxResults=100, includeSpamTrash=True)
    while call is not None:
        page = call.execute()
        seen += [m["id"] for m in page["messages"]]
        pages += 1
        call = users.messages().list_next(call, page)
    assert pages > 2
    assert len(seen) == len(set(seen)) == profile["messagesTotal"]


def test_search_then_read_in_every_format(users: Any) -> None:
    found = users.messages().list(userId="me", q='from:sofia.marchetti subject:"Arden Rail" has:attachment').execute()
    (hit,) = found["messages"]
    assert set(hit) == {"id", "threadId"}
    full = users.messages().get(userId="me", id=hit["id"]).execute()
    text, file = full["payload"]["parts"]
    assert "best and final" not in base64.urlsafe_b64decode(text["body"]["data"]).decode()
    assert file["filename"] == "discount-request-arden-rail.txt"
    got = (
        users.messages().attachments().get(userId="me", messageId=hit["id"], id=file["body"]["attachmentId"]).execute()
    )
    assert b"Discount asked: 20 %" in base64.urlsafe_b64decode(got["data"])
    assert got["size"] == file["body"]["size"]

    minimal = users.messages().get(userId="me", id=hit["id"], format="minimal").execute()
    assert "payload" not in minimal
    assert minimal["labelIds"] == full["labelIds"]
    headed = (
        users.messages()
        .get(userId="me", id=hit["id"], format="metadata", metadataHeaders=["Subject", "From"])
        .execute()
    )
    assert {h["name"] for h in headed["payload"]["headers"]} == {"Subject", "From"}
    whole = users.messages().get(userId="me", id=hit["id"], format="raw").execute()
    assert len(base64.urlsafe_b64decode(whole["raw"])) == whole["sizeEstimate"]


def test_a_query_too_long_for_an_address(users: Any) -> None:
    """The client sends it as a form by POST, and says that it means GET."""
    query = "{" + " ".join(f"subject:nothing{'x' * 20}{n}" for n in range(100)) + ' subject:"Arden Rail"}'
    assert len(query) > 2048
    page = users.messages().list(userId="me", q=query, maxResults=3, fields="messages/id,resultSizeEstimate").execute()
    assert page.keys() == {"messages", "resultSizeEstimate"}
    short = users.messages().list(userId="me", q='subject:"Arden Rail"').execute()
    assert page["resultSizeEstimate"] == short["resultSizeEstimate"] > 0


def test_sending_and_answering_in_the_thread(users: Any) -> None:
    sent = users.messages().send(userId="me", body={"raw": raw()}).execute()
    assert sent["labelIds"] == ["SENT"]
    first = users.messages().get(userId="me", id=sent["id"]).execute()
    number = header(first, "Message-ID")
    answer = raw(subject="Re: Quarterly numbers", In_Reply_To=number, References=number)
    joined = users.messages().send(userId="me", body={"raw": answer, "threadId": sent["threadId"]}).execute()
    assert joined["threadId"] == sent["threadId"]
    other = raw(subject="Something else", In_Reply_To=number, References=number)
    apart = users.messages().send(userId="me", body={"raw": other, "threadId": sent["threadId"]}).execute()
    assert apart["threadId"] == apart["id"]
    thread = users.threads().get(userId="me", id=sent["threadId"], format="metadata").execute()
    assert [m["id"] for m in thread["messages"]] == [sent["id"], joined["id"]]


def test_drafts_live_and_are_sent(users: Any) -> None:
    drafts = users.drafts()
    draft = drafts.create(userId="me", body={"message": {"raw": raw(subject="Draft one")}}).execute()
    changed = drafts.update(
        userId="me", id=draft["id"], body={"id": draft["id"], "message": {"raw": raw(subject="Draft two")}}
    ).execute()
    assert changed["id"] == draft["id"]
    assert changed["message"]["id"] != draft["message"]["id"]
    got = drafts.get(userId="me", id=draft["id"]).execute()
    assert header(got["message"], "Subject") == "Draft two"
    assert draft["id"] in [d["id"] for d in drafts.list(userId="me", q="subject:two").execute()["drafts"]]
    sent = drafts.send(userId="me", body={"id": draft["id"]}).execute()
    assert sent["labelIds"] == ["SENT"]
    assert sent["id"] != changed["message"]["id"]
    with pytest.raises(HttpError) as gone:
        drafts.get(userId="me", id=draft["id"]).execute()
    assert gone.value.status_code == 404
    other = drafts.create(userId="me", body={"message": {"raw": raw()}}).execute()
    assert drafts.delete(userId="me", id=other["id"]).execute() == ""


def test_labels_are_made_changed_put_on_and_removed(users: Any) -> None:
    labels = users.labels()
    made = labels.create(
        userId="me", body={"name": "Audit/2026", "color": {"backgroundColor": "#16a766", "textColor": "#ffffff"}}
    ).execute()
    assert labels.patch(userId="me", id=made["id"], body={"name": "Audit/2027"}).execute()["color"] == made["color"]
    assert "color" not in labels.update(userId="me", id=made["id"], body={"id": made["id"], "name": "Audit"}).execute()
    message = users.messages().list(userId="me", labelIds=["INBOX", "UNREAD"], maxResults=1).execute()["messages"][0]
    body = {"addLabelIds": [made["id"]], "removeLabelIds": ["UNREAD"]}
    assert made["id"] in users.messages().modify(userId="me", id=message["id"], body=body).execute()["labelIds"]
    counted = labels.get(userId="me", id=made["id"]).execute()
    assert (counted["messagesTotal"], counted["messagesUnread"], counted["threadsTotal"]) == (1, 0, 1)
    assert labels.delete(userId="me", id=made["id"]).execute() == ""
    assert made["id"] not in users.messages().get(userId="me", id=message["id"], format="minimal").execute()["labelIds"]


def test_batches_of_messages_trash_and_history(users: Any) -> None:
    start = users.getProfile(userId="me").execute()["historyId"]
    ids = [
        m["id"] for m in users.messages().list(userId="me", q="in:inbox is:unread", maxResults=3).execute()["messages"]
    ]
    assert users.messages().batchModify(userId="me", body={"ids": ids, "removeLabelIds": ["UNREAD"]}).execute() == ""
    assert "INBOX" not in users.messages().trash(userId="me", id=ids[0]).execute()["labelIds"]
    assert ids[0] not in [m["id"] for m in users.messages().list(userId="me").execute()["messages"]]
    assert "TRASH" not in users.messages().untrash(userId="me", id=ids[0]).execute()["labelIds"]
    assert users.messages().delete(userId="me", id=ids[1]).execute() == ""
    assert users.messages().batchDelete(userId="me", body={"ids": [ids[2]]}).execute() == ""

    kinds, call = list[str](), users.history().list(userId="me", startHistoryId=start, maxResults=2)
    while call is not None:
        page = call.execute()
        kinds += [k for entry in page["history"] for k in entry if k not in ("id", "messages")]
        call = users.history().list_next(call, page)
    assert kinds == ["labelsRemoved"] * 3 + ["labelsAdded", "labelsRemoved", "labelsRemoved"] + ["messagesDeleted"] * 2


def test_settings(users: Any) -> None:
    settings = users.settings()
    label = users.labels().create(userId="me", body={"name": "From me"}).execute()
    rule = {
        "criteria": {"from": "maya.chen@quaymark.example"},
        "action": {"addLabelIds": [label["id"]], "removeLabelIds": ["INBOX"]},
    }
    made = settings.filters().create(userId="me", body=rule).execute()
    assert settings.filters().get(userId="me", id=made["id"]).execute()["criteria"] == rule["criteria"]
    note = users.messages().send(userId="me", body={"raw": raw(to="maya.chen@quaymark.example")}).execute()
    assert note["labelIds"] == sorted([label["id"], "SENT", "UNREAD"])
    settings.filters().delete(userId="me", id=made["id"]).execute()
    assert settings.filters().list(userId="me").execute() == {}
    vacation = {
        "enableAutoReply": True,
        "responseSubject": "Away",
        "responseBodyPlainText": "Back on Monday",
        "restrictToDomain": True,
    }
    assert settings.updateVacation(userId="me", body=vacation).execute() == vacation
    assert settings.getVacation(userId="me").execute() == vacation
    email = settings.sendAs().list(userId="me").execute()["sendAs"][0]["sendAsEmail"]
    assert (
        settings.sendAs()
        .patch(userId="me", sendAsEmail=email, body={"signature": "<b>Maya</b>"})
        .execute()["signature"]
        == "<b>Maya</b>"
    )
    assert settings.getImap(userId="me").execute()["enabled"] is True
    assert (
        settings.forwardingAddresses()
        .create(userId="me", body={"forwardingEmail": "x@other.example"})
        .execute()["verificationStatus"]
        == "pending"
    )
    assert settings.updateAutoForwarding(userId="me", body={"enabled": False}).execute() == {"enabled": False}


def test_refusals_are_googles(users: Any) -> None:
    with pytest.raises(HttpError) as refused:
        users.messages().send(userId="me", body={"raw": raw(to="nobody")}).execute()
    assert refused.value.status_code == 400
    assert refused.value.reason == "Invalid To header"
    assert refused.value.error_details == [
        {"message": "Invalid To header", "domain": "global", "reason": "invalidArgument"}
    ]
    with pytest.raises(HttpError) as other:
        users.labels().list(userId="someone@else.example").execute()
    assert other.value.status_code == 403
    with pytest.raises(HttpError) as missing:
        users.messages().get(userId="me", id="19aaaaaaaaaaaaaa").execute()
    assert (missing.value.status_code, missing.value.reason) == (404, "Requested entity was not found.")
    with pytest.raises(HttpError) as malformed:
        users.messages().list(userId="me", fields="messages/nothing").execute()
    assert "messages/nothing" in malformed.value.reason


def test_fields_are_selected(users: Any) -> None:
    page = users.messages().list(userId="me", maxResults=2, fields="messages/id,nextPageToken").execute()
    assert set(page) == {"messages", "nextPageToken"}
    assert all(set(m) == {"id"} for m in page["messages"])
    one = (
        users.messages()
        .get(userId="me", id=page["messages"][0]["id"], fields="id,payload(mimeType,headers/name)")
        .execute()
    )
    assert set(one["payload"]) == {"mimeType", "headers"}
    assert all(set(h) == {"name"} for h in one["payload"]["headers"])


def test_http_batches(users: Any, base: str) -> None:
    ids = [m["id"] for m in users.messages().list(userId="me", maxResults=5).execute()["messages"]]
    answers: dict[str, Any] = {}

    def keep(request_id: str, response: Any, error: HttpError | None) -> None:
        answers[request_id] = error or response

    batch = BatchHttpRequest(callback=keep, batch_uri=f"{base}/batch/gmail/v1")
    for message_id in ids:
        batch.add(users.messages().get(userId="me", id=message_id, format="minimal"), request_id=message_id)
    batch.add(users.messages().get(userId="me", id="19aaaaaaaaaaaaaa"), request_id="missing")
    batch.add(users.messages().modify(userId="me", id=ids[0], body={"addLabelIds": ["STARRED"]}), request_id="star")
    batch.add(users.labels().delete(userId="me", id="INBOX"), request_id="fixed")
    batch.execute(http=users._http)
    assert [answers[i]["id"] for i in ids] == ids
    assert answers["missing"].status_code == 404
    assert answers["fixed"].status_code == 400
    assert "STARRED" in answers["star"]["labelIds"]
    assert "STARRED" in users.messages().get(userId="me", id=ids[0], format="minimal").execute()["labelIds"]


@pytest.mark.parametrize("resumable", [False, True])
def test_uploads(rooted: Any, resumable: bool) -> None:
    users = rooted.users()
    text = base64.urlsafe_b64decode(raw(subject="Uploaded", body="Kept byte for byte: äöü"))

    def media() -> MediaIoBaseUpload:
        return MediaIoBaseUpload(
            io.BytesIO(text), "message/rfc822", chunksize=262144 if resumable else -1, resumable=resumable
        )

    label = users.labels().create(userId="me", body={"name": "Uploads"}).execute()
    inserted = (
        users.messages()
        .insert(userId="me", body={"labelIds": [label["id"]]}, media_body=media(), internalDateSource="dateHeader")
        .execute()
    )
    assert inserted["labelIds"] == [label["id"]]
    kept = users.messages().get(userId="me", id=inserted["id"], format="raw").execute()
    assert (
        base64.urlsafe_b64decode(kept["raw"])
        .replace(b"\r\n", b"\n")
        .rstrip()
        .endswith(text.partition(b"\n\n")[2].rstrip())
    )
    sent = users.messages().send(userId="me", media_body=media()).execute()
    assert sent["labelIds"] == ["SENT"]
    draft = users.drafts().create(userId="me", body={"message": {}}, media_body=media()).execute()
    again = users.drafts().update(userId="me", id=draft["id"], media_body=media()).execute()
    assert again["id"] == draft["id"]
    gone = users.drafts().send(userId="me", body={"id": draft["id"]}, media_body=media()).execute()
    assert gone["labelIds"] == ["SENT"]


def _methods(resource: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [m for r in resource.get("resources", {}).values() for m in _methods(r)]
    return [*resource.get("methods", {}).values(), *inner]


def test_every_operation_is_a_method_of_the_discovery_document() -> None:
    app = registry.load("gmail")
    methods = {(m["httpMethod"], "/" + m["path"]): m for m in _methods(DOCUMENT)}
    uploads = {
        (m["httpMethod"], m["mediaUpload"]["protocols"]["simple"]["path"]): m
        for m in methods.values()
        if m.get("supportsMediaUpload")
    }
    checked = 0
    for op in app.operations.values():
        if not op.path or op.path.startswith("/batch"):
            continue
        upload = op.path.startswith("/upload")
        method = (uploads if upload else methods)[op.method, op.path]
        in_path = {n for n, p in method["parameters"].items() if p["location"] == "path"}
        in_query = {n: p for n, p in method["parameters"].items() if p["location"] == "query"}
        assert in_path == {p.wire for p in op.params.values() if p.where == "path"}, op.tool
        ours = {p.wire: p for p in op.params.values() if p.where == "query" and p.rest}
        assert set(ours) == set(in_query), op.tool
        for name, param in ours.items():
            told = in_query[name]
            assert op.is_list(param.name) == bool(told.get("repeated")), f"{op.tool}.{name}"
            if "default" in told and param.default is not None:
                assert str(param.default).lower() == told["default"].lower(), f"{op.tool}.{name}"
        if "request" in method and not upload:
            schema = DOCUMENT["schemas"][method["request"]["$ref"]]["properties"]
            assert {p.wire for p in op.params.values() if p.where == "body" and p.rest} == set(schema), op.tool
        checked += 1
    assert checked > 55
    assert set(uploads) == {(o.method, o.path) for o in app.operations.values() if o.path.startswith("/upload")}


def test_the_fields_that_can_be_selected_are_those_of_the_document() -> None:
    app = registry.load("gmail")
    fields: Any = importlib.import_module("legoenv_mcp.servers.gmail.fields")
    methods = {(m["httpMethod"], "/" + m["path"]): m for m in _methods(DOCUMENT)}
    for tool, response in fields.RESPONSES.items():
        op = app.operations[tool]
        if op.path and (method := methods.get((op.method, op.path))):
            assert method["response"]["$ref"] == response, tool

    def check(ours: dict[str, Any], name: str, depth: int = 0) -> None:
        told = DOCUMENT["schemas"][name]["properties"]
        assert set(ours) == set(told), name
        for field, below in ours.items():
            reference = told[field].get("$ref") or told[field].get("items", {}).get("$ref")
            assert bool(below) == bool(reference), f"{name}.{field}"
            if reference and depth < 4:
                check(below, reference, depth + 1)

    for name, tree in fields.SCHEMAS.items():
        check(tree, name)
