"""Google Drive with Google's own Python client, its base URL changed and nothing else."""

import copy
import hashlib
import importlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import googleapiclient
import pytest
from google.auth.credentials import AnonymousCredentials
from googleapiclient.discovery import build, build_from_document
from googleapiclient.errors import HttpError
from googleapiclient.http import BatchHttpRequest, MediaIoBaseDownload, MediaIoBaseUpload
from pydantic import TypeAdapter

from legoenv_mcp import registry

pytestmark = pytest.mark.sdk

SLUG = "google_drive"
DOCUMENT: dict[str, Any] = json.loads(
    (Path(googleapiclient.__file__).parent / "discovery_cache/documents/drive.v3.json").read_text("utf-8")
)
FOLDER, GOOGLE_DOC = "application/vnd.google-apps.folder", "application/vnd.google-apps.document"
BYTES = bytes(range(256)) * 3000


@pytest.fixture
def base(gateway: Any) -> str:
    return gateway.episode([SLUG]).rest(SLUG)


@pytest.fixture
def drive(base: str) -> Iterator[Any]:
    options = {"api_endpoint": f"{base}/drive/v3/"}
    credentials = AnonymousCredentials()
    with build("drive", "v3", static_discovery=True, client_options=options, credentials=credentials) as service:
        yield service


@pytest.fixture
def rooted(base: str) -> Iterator[Any]:
    """The client takes upload and batch addresses from the document's root URL, not from api_endpoint."""
    document = {**copy.deepcopy(DOCUMENT), "rootUrl": f"{base}/", "baseUrl": f"{base}/drive/v3/"}
    with build_from_document(document, credentials=AnonymousCredentials()) as service:
        yield service


def named(drive: Any, name: str) -> str:
    return drive.files().list(q=f"name = '{name}'").execute()["files"][0]["id"]


def refusal(call: Any) -> tuple[int, str, str]:
    with pytest.raises(HttpError) as found:
        call.execute()
    return found.value.status_code, found.value.error_details[0]["reason"], found.value.reason  # pyright: ignore[reportCallIssue, reportArgumentType]


def test_a_walk_over_all_files(drive: Any) -> None:
    seen, pages = list[str](), 0
    call = drive.files().list(pageSize=30, orderBy="name_natural", fields="nextPageToken,files(id,name)")
    while call is not None:
        page = call.execute()
        seen += [f["id"] for f in page["files"]]
        pages += 1
        call = drive.files().list_next(call, page)
    assert pages == 4
    assert len(seen) == len(set(seen)) == 100
    first = drive.files().list(pageSize=1).execute()
    assert set(first) == {"kind", "nextPageToken", "incompleteSearch", "files"}
    assert set(first["files"][0]) == {"kind", "id", "name", "mimeType"}
    assert refusal(drive.files().list(pageToken=first["nextPageToken"], q="trashed = true"))[:2] == (400, "invalid")


def test_searching_and_reading(drive: Any) -> None:
    folder = named(drive, "Finance")
    page = (
        drive.files().list(q=f"'{folder}' in parents and mimeType = 'text/csv'", orderBy="modifiedTime desc").execute()
    )
    assert page["files"][0]["name"] == "overdue-2026-02-27.csv"
    found = page["files"][0]["id"]
    text = drive.files().get_media(fileId=found).execute()
    whole = drive.files().get(fileId=found, fields="*").execute()
    assert whole["md5Checksum"] == hashlib.md5(text, usedforsecurity=False).hexdigest()
    assert (whole["size"], whole["parents"], whole["ownedByMe"]) == (str(len(text)), [folder], True)
    assert drive.files().get(fileId="root").execute()["name"] == "My Drive"
    hits = drive.files().list(q="fullText contains 'outage'", fields="files(name)").execute()["files"]
    assert "2026-02-24-rates-outage.md" in [f["name"] for f in hits]


def test_the_life_of_a_file(drive: Any) -> None:
    files = drive.files()
    folder = files.create(body={"name": "Audit", "mimeType": FOLDER}).execute()["id"]
    made = files.create(body={"name": "plan.txt", "parents": [folder], "properties": {"stage": "draft"}}).execute()
    assert set(made) == {"kind", "id", "name", "mimeType"}
    assert made["mimeType"] == "text/plain"
    key = made["id"]
    changed = files.update(
        fileId=key, body={"name": "plan-2.txt", "starred": True}, fields="name,starred,version"
    ).execute()
    assert changed == {"name": "plan-2.txt", "starred": True, "version": "2"}
    moved = files.update(fileId=key, addParents="root", removeParents=folder, fields="parents").execute()
    assert moved["parents"] == [files.get(fileId="root").execute()["id"]]
    twin = files.copy(fileId=key, body={"parents": [folder]}, fields="name,parents,starred,properties").execute()
    assert twin == {
        "name": "Copy of plan-2.txt",
        "parents": [folder],
        "starred": False,
        "properties": {"stage": "draft"},
    }
    assert files.update(fileId=folder, body={"trashed": True}, fields="explicitlyTrashed").execute()[
        "explicitlyTrashed"
    ]
    inside = files.list(q="trashed = true", fields="files(name,explicitlyTrashed)").execute()["files"]
    assert {f["name"]: f["explicitlyTrashed"] for f in inside} == {"Audit": True, "Copy of plan-2.txt": False}
    assert files.emptyTrash().execute() == ""
    assert refusal(files.get(fileId=folder)) == (404, "notFound", f"File not found: {folder}.")
    assert files.delete(fileId=key).execute() == ""
    again = files.generateIds(count=3).execute()["ids"]
    assert len(set(again)) == 3
    assert files.create(body={"id": again[0], "name": "x"}).execute()["id"] == again[0]
    assert refusal(files.create(body={"id": again[0], "name": "x"}))[:2] == (409, "fileIdInUse")


@pytest.mark.parametrize("resumable", [False, True])
def test_uploads_and_downloads_of_bytes(rooted: Any, resumable: bool) -> None:
    files = rooted.files()

    def media(data: bytes) -> MediaIoBaseUpload:
        return MediaIoBaseUpload(
            io.BytesIO(data), "image/png", chunksize=262144 if resumable else -1, resumable=resumable
        )

    made = files.create(
        body={"name": "scan.png"}, media_body=media(BYTES), fields="id,size,mimeType,md5Checksum"
    ).execute()
    assert made["md5Checksum"] == hashlib.md5(BYTES, usedforsecurity=False).hexdigest()
    assert (made["size"], made["mimeType"]) == (str(len(BYTES)), "image/png")
    out = io.BytesIO()
    loader = MediaIoBaseDownload(out, files.get_media(fileId=made["id"]), chunksize=200_000)
    done, pieces = False, 0
    while not done:
        _, done = loader.next_chunk()
        pieces += 1
    assert out.getvalue() == BYTES
    assert pieces == 4

    head = files.update(fileId=made["id"], media_body=media(BYTES[::-1]), fields="headRevisionId").execute()
    assert files.get_media(fileId=made["id"]).execute() == BYTES[::-1]
    listed = rooted.revisions().list(fileId=made["id"]).execute()["revisions"]
    assert listed[-1]["id"] == head["headRevisionId"]
    assert rooted.revisions().get_media(fileId=made["id"], revisionId=listed[0]["id"]).execute() == BYTES


def test_empty_and_simple_uploads(rooted: Any) -> None:
    files = rooted.files()
    made = files.create(media_body=MediaIoBaseUpload(io.BytesIO(b"a,b\n1,2\n"), "text/csv")).execute()
    assert (made["name"], made["mimeType"]) == ("Untitled", "text/csv")
    empty = files.create(body={"name": "empty.bin"}).execute()["id"]
    out = io.BytesIO()
    _, done = MediaIoBaseDownload(out, files.get_media(fileId=empty)).next_chunk()
    assert done
    assert out.getvalue() == b""
    nothing = MediaIoBaseUpload(io.BytesIO(b""), "application/octet-stream")
    assert files.create(body={"name": "none.bin"}, media_body=nothing, fields="size").execute() == {"size": "0"}


def test_docs_are_imported_and_exported(rooted: Any) -> None:
    files = rooted.files()
    page = MediaIoBaseUpload(io.BytesIO(b"# Plan\n\n- **first**\n"), "text/markdown")
    made = files.create(
        body={"name": "Plan", "mimeType": GOOGLE_DOC}, media_body=page, fields="id,mimeType,exportLinks"
    ).execute()
    assert len(made["id"]) == 44
    assert "text/html" in made["exportLinks"]
    assert files.export(fileId=made["id"], mimeType="text/plain").execute().decode("utf-8-sig") == "Plan\r\n* first\r\n"
    assert b"<strong>first</strong>" in files.export_media(fileId=made["id"], mimeType="text/html").execute()
    assert files.export(fileId=made["id"], mimeType="application/pdf").execute().startswith(b"%PDF-1.4")
    assert refusal(files.get_media(fileId=made["id"])) == (
        403, "fileNotDownloadable", "Only files with binary content can be downloaded. Use Export with Docs Editors files.",
    )  # fmt: skip
    assert refusal(files.export(fileId=made["id"], mimeType="image/png"))[:2] == (400, "badRequest")
    started = files.download(fileId=made["id"], mimeType="text/plain").execute()
    assert started["done"]
    assert rooted.apps().list().execute()["items"][0]["name"] == "Google Docs"


def test_sharing(drive: Any) -> None:
    key, people = named(drive, "Finance"), drive.permissions()
    body = {"type": "user", "role": "reader", "emailAddress": "someone@partner.example"}
    made = people.create(fileId=key, body=body, sendNotificationEmail=False).execute()
    assert set(made) == {"kind", "id", "type", "role"}
    raised = people.update(fileId=key, permissionId=made["id"], body={"role": "writer"}).execute()
    assert raised["role"] == "writer"
    inner = named(drive, "overdue-2026-02-27.csv")
    fields = "permissions(role,emailAddress,permissionDetails(inherited))"
    listed = people.list(fileId=inner, fields=fields).execute()["permissions"]
    assert listed[1] == {
        "role": "writer",
        "emailAddress": "someone@partner.example",
        "permissionDetails": [{"inherited": True}],
    }
    link = people.create(fileId=inner, body={"type": "anyone", "role": "reader"}).execute()
    assert link["id"] == "anyoneWithLink"
    assert people.get(fileId=inner, permissionId=link["id"], fields="allowFileDiscovery").execute() == {
        "allowFileDiscovery": False
    }
    assert people.delete(fileId=key, permissionId=made["id"]).execute() == ""
    status, reason, _ = refusal(people.delete(fileId=key, permissionId=made["id"]))
    assert (status, reason) == (404, "notFound")
    owner = {"type": "user", "role": "owner", "emailAddress": "jonas.weber@quaymark.example"}
    assert refusal(people.create(fileId=inner, body=owner))[:2] == (403, "forbidden")


def test_comments_and_replies(drive: Any) -> None:
    key, comments, replies = named(drive, "vendors.csv"), drive.comments(), drive.replies()
    assert refusal(comments.list(fileId=key)) == (
        400, "required", "The 'fields' parameter is required for this method.",
    )  # fmt: skip
    made = comments.create(fileId=key, body={"content": "Is <this> right?"}, fields="*").execute()
    assert made["htmlContent"] == "Is &lt;this&gt; right?"
    number = made["id"]
    reply = replies.create(
        fileId=key, commentId=number, body={"content": "Yes", "action": "resolve"}, fields="id,action"
    ).execute()
    assert reply["action"] == "resolve"
    changed = replies.update(
        fileId=key, commentId=number, replyId=reply["id"], body={"content": "Sure"}, fields="content"
    ).execute()
    assert changed == {"content": "Sure"}
    assert replies.get(fileId=key, commentId=number, replyId=reply["id"], fields="content").execute() == changed
    assert len(replies.list(fileId=key, commentId=number, fields="replies/id").execute()["replies"]) == 1
    listed = comments.list(fileId=key, fields="comments(resolved,replies(content))").execute()
    assert listed == {"comments": [{"resolved": True, "replies": [{"content": "Sure"}]}]}
    comments.update(fileId=key, commentId=number, body={"content": "Is it?"}, fields="id").execute()
    assert comments.get(fileId=key, commentId=number, fields="content").execute() == {"content": "Is it?"}
    assert replies.delete(fileId=key, commentId=number, replyId=reply["id"]).execute() == ""
    assert comments.delete(fileId=key, commentId=number).execute() == ""
    assert comments.list(fileId=key, fields="*").execute()["comments"] == []


def test_changes_are_walked(drive: Any) -> None:
    token = drive.changes().getStartPageToken().execute()["startPageToken"]
    made = [drive.files().create(body={"name": f"n{n}.txt"}).execute()["id"] for n in range(5)]
    drive.files().delete(fileId=made[2]).execute()
    seen, call = dict[str, bool](), drive.changes().list(pageToken=token, pageSize=2)
    while call is not None:
        page = call.execute()
        seen |= {c["fileId"]: c["removed"] for c in page["changes"]}
        call = drive.changes().list_next(call, page)
    assert seen == {key: key == made[2] for key in made}
    assert drive.changes().list(pageToken=page["newStartPageToken"]).execute()["changes"] == []  # pyright: ignore[reportPossiblyUnboundVariable]
    assert refusal(drive.changes().list(pageToken="x"))[:2] == (400, "invalid")


def test_shared_drives(drive: Any) -> None:
    drives = drive.drives()
    made = drives.create(requestId="r1", body={"name": "Projects"}).execute()
    key = made["id"]
    assert refusal(drives.create(requestId="r1", body={"name": "Projects"}))[:2] == (409, "teamDriveAlreadyExists")
    assert drives.update(driveId=key, body={"name": "Programme"}).execute()["name"] == "Programme"
    assert drives.list(q="name contains 'prog'").execute()["drives"][0]["id"] == key
    assert (
        drives.hide(
            driveId=key,
        ).execute()["id"]
        == key
    )
    assert drives.get(driveId=key, fields="hidden").execute() == {"hidden": True}
    assert drives.unhide(driveId=key).execute()["id"] == key
    files = drive.files()
    inside = files.create(
        body={"name": "a.txt", "parents": [key]}, supportsAllDrives=True, fields="id,driveId"
    ).execute()
    assert inside["driveId"] == key
    assert refusal(files.get(fileId=inside["id"]))[0] == 404
    search = {"corpora": "drive", "driveId": key}
    assert refusal(files.list(**search))[:2] == (403, "teamDriveIncludeItemsRequired")
    found = files.list(**search, includeItemsFromAllDrives=True, supportsAllDrives=True).execute()["files"]
    assert [f["id"] for f in found] == [inside["id"]]
    assert refusal(drives.delete(driveId=key))[:2] == (403, "cannotDeleteResourceWithChildren")
    files.delete(fileId=inside["id"], supportsAllDrives=True).execute()
    assert drives.delete(driveId=key).execute() == ""
    assert refusal(drives.get(driveId=key))[0] == 404


def test_the_account_and_channels(drive: Any) -> None:
    about = drive.about().get(fields="user(emailAddress,permissionId),storageQuota,exportFormats").execute()
    assert about["user"]["emailAddress"] == "maya.chen@quaymark.example"
    assert "text/csv" in about["exportFormats"]["application/vnd.google-apps.spreadsheet"]
    assert refusal(drive.about().get())[:2] == (400, "required")
    body = {"id": "c1", "type": "web_hook", "address": "https://hooks.example/drive"}
    channel = drive.files().watch(fileId=named(drive, "vendors.csv"), body=body).execute()
    second = drive.changes().watch(pageToken="1", body={**body, "id": "c2"}).execute()
    for one in (channel, second):
        assert drive.channels().stop(body={"id": one["id"], "resourceId": one["resourceId"]}).execute() == ""
    assert refusal(drive.channels().stop(body={"id": "c1", "resourceId": "x"}))[0] == 404


def test_refusals_are_googles(drive: Any) -> None:
    files, key = drive.files(), named(drive, "vendors.csv")
    assert refusal(files.get(fileId=key, fields="nothing")) == (
        400,
        "invalidParameter",
        "Invalid field selection nothing",
    )
    assert refusal(files.list(q="nonsense = 'x'")) == (400, "invalid", "Invalid Value")
    assert refusal(files.update(fileId=key, body={"parents": ["root"]}))[:2] == (403, "fieldNotWritable")
    assert refusal(files.update(fileId=key, body={"size": "3"}))[:2] == (403, "fieldNotWritable")
    assert refusal(files.update(fileId=key, addParents="root"))[:2] == (403, "cannotAddParent")
    sorted_text = files.list(q="fullText contains 'x'", orderBy="name")
    assert refusal(sorted_text)[:2] == (400, "badRequest")
    assert refusal(drive.revisions().get(fileId=key, revisionId="none"))[:2] == (404, "notFound")


def test_http_batches(drive: Any, base: str) -> None:
    ids = [f["id"] for f in drive.files().list(pageSize=3).execute()["files"]]
    answers: dict[str, Any] = {}

    def keep(request_id: str, response: Any, error: HttpError | None) -> None:
        answers[request_id] = error or response

    batch = BatchHttpRequest(callback=keep, batch_uri=f"{base}/batch/drive/v3")
    for key in ids:
        batch.add(drive.files().get(fileId=key), request_id=key)
    batch.add(drive.files().get(fileId="none"), request_id="missing")
    batch.add(drive.files().update(fileId=ids[0], body={"starred": True}, fields="starred"), request_id="star")
    batch.execute(http=drive._http)
    assert [answers[i]["id"] for i in ids] == ids
    assert answers["missing"].status_code == 404
    assert answers["star"] == {"starred": True}


# The discovery document


def _methods(resource: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [m for r in resource.get("resources", {}).values() for m in _methods(r)]
    return [*resource.get("methods", {}).values(), *inner]


METHODS = {(m["httpMethod"], "/drive/v3/" + m["path"].replace("{name}", "{name:path}")): m for m in _methods(DOCUMENT)}


def test_every_operation_is_a_method_of_the_discovery_document() -> None:
    uploads = {
        (m["httpMethod"], m["mediaUpload"]["protocols"]["simple"]["path"]): m
        for m in METHODS.values()
        if m.get("supportsMediaUpload")
    }
    checked = 0
    for op in registry.load(SLUG).operations.values():
        if not op.path or op.path.startswith("/batch"):
            continue
        method = (uploads if op.path.startswith("/upload") else METHODS)[op.method, op.path]
        told = method.get("parameters", {})
        in_path = {n for n, p in told.items() if p["location"] == "path"}
        assert in_path == {p.wire for p in op.params.values() if p.where == "path"}, op.tool
        ours = {p.wire for p in op.params.values() if p.where == "query" and p.rest} - {"fields"}
        assert ours <= {n for n, p in told.items() if p["location"] == "query"}, op.tool
        needed = {n for n, p in told.items() if p.get("required") and p["location"] == "query"}
        assert needed <= ours, op.tool
        for p in op.params.values():
            if p.wire in told:
                schema = TypeAdapter(p.annotation).json_schema()
                schema = next((s for s in schema.get("anyOf", ()) if "minimum" in s), schema)
                for bound in ("minimum", "maximum"):
                    assert str(schema.get(bound)) == str(told[p.wire].get(bound)), (op.tool, p.wire)
        checked += 1
    assert checked == 48


def test_the_fields_that_can_be_selected_are_those_of_the_document() -> None:
    fields: Any = importlib.import_module(f"legoenv_mcp.servers.{SLUG}.fields")

    def check(ours: dict[str, Any], told: dict[str, Any], path: str) -> None:
        assert set(ours) <= set(told) | {"*"}, path
        for name, below in ours.items():
            inner = told.get(name, {}).get("items", told.get(name, {}))
            inner = DOCUMENT["schemas"][inner["$ref"]] if "$ref" in inner else inner
            if below and "properties" in inner and path.count(".") < 4:
                check(below, inner["properties"], f"{path}.{name}")

    for name, ours in fields.SCHEMAS.items():
        check(ours, DOCUMENT["schemas"][name]["properties"], name)
    whole = set(DOCUMENT["schemas"]["File"]["properties"])
    assert set(fields.FILE) == whole
    assert set(fields.COMMENT) == set(DOCUMENT["schemas"]["Comment"]["properties"])
    assert set(fields.PERMISSION) == set(DOCUMENT["schemas"]["Permission"]["properties"])
