"""Google Drive: its tree, who may do what in it, its search language, and the canonical file storage behind it."""

import asyncio
import base64
import importlib
import json
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import registry, templates
from legoenv_mcp.capabilities.file_storage import File, Folder
from legoenv_mcp.capabilities.people import Person
from legoenv_mcp.faces import rest
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of

SLUG = "google_drive"
APP = registry.load(SLUG)
FOLDER, DOC, SHEET = (f"application/vnd.google-apps.{kind}" for kind in ("folder", "document", "spreadsheet"))
ALEX, DANA = "alex.doyle@brightwater.example", "dana.ruiz@brightwater.example"
WORLD: list[Any] = [
    Person(key="dana.ruiz", first_name="Dana", last_name="Ruiz", email=DANA, handle="dana", title="Analyst", department="Ops"),
    Folder(key="Reports", path="Reports", modified="2026-02-01T10:00:00Z"),
    Folder(key="Reports/Old", path="Reports/Old", modified="2026-01-01T10:00:00Z"),
    File(key="jan", path="Reports/jan-summary.md", content="# January\n\nTotal: 40\n", modified="2026-02-02T10:00:00Z"),
    File(key="feb", path="Reports/feb_summary.md", content="February was quiet.\n", modified="2026-03-01T10:00:00Z"),
    File(key="old", path="Reports/Old/rates 2024.csv", content="day,rate\n1,2.5\n", modified="2025-01-02T10:00:00Z"),
    File(key="note", path="it's a note.txt", content="Call Dana about the yearly total.\n", modified="2026-02-20T08:30:00Z"),
]  # fmt: skip


@pytest.fixture
def episode() -> Episode:
    return episode_of(SLUG, WORLD)


def call(episode: Episode, tool: str, **arguments: Any) -> Any:
    reply = episode.call(SLUG, tool, arguments)
    assert not reply.error, reply.body
    return reply.body


def refused(episode: Episode, tool: str, **arguments: Any) -> tuple[int, str]:
    before = episode.changes()
    reply = episode.call(SLUG, tool, arguments)
    assert reply.error, reply.body
    assert episode.changes() == before
    assert reply.body["error"]["code"] == reply.status
    return reply.status, reply.body["error"]["errors"][0]["reason"]


def http(episode: Episode, method: str, path: str, body: Any = None, base: str = "/drive/v3", **headers: str) -> Reply:
    target, _, text = path.partition("?")
    request = Request(
        method, f"{base}{target}", f"http://x{base}{path}", dict(parse_qsl(text, keep_blank_values=True)),
        {"content-type": "application/json", **{k.replace("_", "-").lower(): v for k, v in headers.items()}}, "http://x",
    )  # fmt: skip
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return rest.handle(episode.app(SLUG), request, data)


def key(episode: Episode, name: str) -> str:
    """The id of a file or folder of the world."""
    refs = episode.app(SLUG).template.refs
    return refs["file_storage.File"].get(name) or refs["file_storage.Folder"][name]


def names(episode: Episode, q: str, **more: Any) -> list[str]:
    return [f["name"] for f in call(episode, "list_files", q=q, fields="files(name)", **more)["files"]]


def paths(episode: Episode) -> dict[str, Any]:
    live = episode.app(SLUG)
    ctx, shape = Ctx(live, None, None, Request()), APP.shapes["file"]
    rows = [shape.decode(raw) for raw in live.store.connection.execute(shape.select)]
    found = [e for row in rows if (e := APP.provides["file_storage"].view(ctx, "file", row)) is not None]
    return {e.path: e for e in found}


def give_away(episode: Episode, file_id: str) -> None:
    arguments = {"type": "user", "role": "owner", "emailAddress": DANA, "transferOwnership": True}
    assert call(episode, "create_permission", fileId=file_id, **arguments)["role"] == "owner"


def mine(episode: Episode, file_id: str) -> str:
    listed = call(episode, "list_permissions", fileId=file_id)["permissions"]
    return next(p["id"] for p in listed if p.get("emailAddress") == ALEX)


# The tree


def test_what_is_filled_is_viewed(episode: Episode) -> None:
    found = paths(episode)
    for entity in WORLD[1:]:
        wanted = {**entity.model_dump(), "key": "", "id": key(episode, entity.key)}
        assert found[entity.path].model_dump() == wanted


def test_names_need_not_be_unique(episode: Episode) -> None:
    folder = key(episode, "Reports")
    first = call(episode, "create_file", name="jan-summary.md", content="Another", parentId=folder)
    assert first["id"] != key(episode, "jan")
    assert names(episode, "name = 'jan-summary.md'") == ["jan-summary.md"] * 2
    twins = [call(episode, "create_folder", name="Reports")["id"] for _ in range(2)]
    assert len({*twins, folder}) == 3


def test_a_file_has_one_parent(episode: Episode) -> None:
    file, old, folder = key(episode, "jan"), key(episode, "Reports/Old"), key(episode, "Reports")
    assert refused(episode, "update_file", fileId=file, addParents=old) == (403, "cannotAddParent")
    assert refused(episode, "update_file", fileId=file, addParents=f"{old},root", removeParents=folder) == (
        403,
        "cannotAddParent",
    )
    reply = http(episode, "PATCH", f"/files/{file}", {"parents": [old]})
    assert reply.body["error"]["errors"][0]["reason"] == "fieldNotWritable"
    moved = call(episode, "update_file", fileId=file, addParents=old, removeParents=folder)
    assert moved["parents"] == [old]
    assert paths(episode)["Reports/Old/jan-summary.md"].id == file
    before = episode.changes()
    assert call(episode, "move_file", fileId=file, folderId=old)["parents"] == [old]
    assert episode.changes() == before
    top = call(episode, "update_file", fileId=file, removeParents=old)["parents"]
    assert top == [call(episode, "get_file", fileId="root")["id"]]


def test_where_files_cannot_go(episode: Episode) -> None:
    file, old, folder = key(episode, "jan"), key(episode, "Reports/Old"), key(episode, "Reports")
    assert refused(episode, "move_file", fileId=folder, folderId=old) == (400, "badRequest")
    assert refused(episode, "move_file", fileId=folder, folderId=folder) == (400, "badRequest")
    assert refused(episode, "move_file", fileId=old, folderId=file) == (403, "parentNotAFolder")
    assert refused(episode, "move_file", fileId=old, folderId="nowhere") == (404, "notFound")
    assert refused(episode, "move_file", fileId="root", folderId=old) == (403, "fileNeverWritable")
    assert refused(episode, "create_file", name="x", parentId=file) == (403, "parentNotAFolder")
    assert refused(episode, "create_folder", name="x", parentId="nowhere") == (404, "notFound")


def test_trash_and_back(episode: Episode) -> None:
    folder, old, inner = key(episode, "Reports"), key(episode, "Reports/Old"), key(episode, "old")
    assert call(episode, "trash_file", fileId=folder)["explicitlyTrashed"] is True
    below = call(episode, "get_file", fileId=inner)
    assert (below["trashed"], below["explicitlyTrashed"]) == (True, False)
    assert list(paths(episode)) == ["it's a note.txt"]
    assert names(episode, "trashed = false") == ["it's a note.txt"]
    assert call(episode, "untrash_file", fileId=old)["trashed"] is True
    assert call(episode, "untrash_file", fileId=folder)["trashed"] is False
    assert len(paths(episode)) == 6
    assert episode.changes() == []
    assert refused(episode, "trash_file", fileId="root") == (403, "fileNeverWritable")


def test_deleting_skips_the_trash(episode: Episode) -> None:
    folder = key(episode, "Reports")
    give_away(episode, key(episode, "feb"))
    assert episode.call(SLUG, "delete_file", {"fileId": folder}).status == 204
    assert refused(episode, "get_file", fileId=key(episode, "old")) == (404, "notFound")
    assert "parents" not in call(episode, "get_file", fileId=key(episode, "feb"))
    assert list(paths(episode)) == ["it's a note.txt"]
    assert refused(episode, "delete_file", fileId="root") == (403, "fileNeverWritable")


def test_emptying_the_trash(episode: Episode) -> None:
    kept = key(episode, "note")
    call(episode, "trash_file", fileId=key(episode, "Reports/Old"))
    call(episode, "trash_file", fileId=key(episode, "old"))
    assert episode.call(SLUG, "empty_trash", {}).status == 204
    assert sorted(paths(episode)) == ["Reports", "Reports/feb_summary.md", "Reports/jan-summary.md", "it's a note.txt"]
    assert call(episode, "get_file", fileId=kept)["name"] == "it's a note.txt"
    assert refused(episode, "empty_trash", driveId="none") == (404, "notFound")


def test_only_the_owner_deletes_and_trashes(episode: Episode) -> None:
    file = key(episode, "note")
    give_away(episode, file)
    assert refused(episode, "delete_file", fileId=file) == (403, "insufficientFilePermissions")
    assert refused(episode, "trash_file", fileId=file) == (403, "insufficientFilePermissions")
    assert call(episode, "update_file", fileId=file, content="Still a writer")["id"] == file
    own = mine(episode, file)
    call(episode, "update_permission", fileId=file, permissionId=own, role="reader")
    assert refused(episode, "update_file", fileId=file, name="x") == (403, "insufficientFilePermissions")
    assert refused(episode, "create_comment", fileId=file, content="x") == (403, "insufficientFilePermissions")
    assert refused(episode, "list_permissions", fileId=file) == (403, "insufficientFilePermissions")
    assert call(episode, "update_file", fileId=file, starred=True)["starred"] is True
    assert call(episode, "read_file_content", fileId=file)["content"] == "Still a writer"
    assert names(episode, "sharedWithMe") == ["it's a note.txt"]
    assert episode.call(SLUG, "delete_permission", {"fileId": file, "permissionId": own}).status == 204
    assert refused(episode, "get_file", fileId=file) == (404, "notFound")
    assert names(episode, "sharedWithMe") == []


def test_the_copy_of_a_file(episode: Episode) -> None:
    made = call(episode, "copy_file", fileId=key(episode, "jan"))
    assert made["name"] == "Copy of jan-summary.md"
    assert made["parents"] == [key(episode, "Reports")]
    assert paths(episode)["Reports/Copy of jan-summary.md"].content == "# January\n\nTotal: 40\n"
    assert refused(episode, "copy_file", fileId=key(episode, "Reports")) == (403, "cannotCopyFile")
    page = call(episode, "copy_file", fileId=key(episode, "jan"), mimeType=DOC, name="January", parentId="root")
    assert len(page["id"]) == 44
    assert (
        episode.call(SLUG, "export_file", {"fileId": page["id"], "mimeType": "text/plain"}).body
        == "January\nTotal: 40\n"
    )
    assert refused(episode, "copy_file", fileId=key(episode, "jan"), mimeType=SHEET) == (400, "badContent")


def test_shortcuts(episode: Episode) -> None:
    kind = "application/vnd.google-apps.shortcut"
    made = call(episode, "create_file", mimeType=kind, targetId=key(episode, "old"))
    assert made["name"] == "rates 2024.csv"
    assert made["shortcutDetails"] == {"targetId": key(episode, "old"), "targetMimeType": "text/csv"}
    assert call(episode, "read_file_content", fileId=made["id"])["content"] == "day,rate\n1,2.5\n"
    assert refused(episode, "download_file", fileId=made["id"]) == (403, "fileNotDownloadable")
    assert refused(episode, "create_file", mimeType=kind, targetId=made["id"]) == (403, "shortcutTargetInvalid")
    assert refused(episode, "create_file", mimeType=kind) == (400, "required")
    assert refused(episode, "create_file", mimeType=kind, targetId="none") == (404, "notFound")
    assert names(episode, f"shortcutDetails.targetId = '{key(episode, 'old')}'") == ["rates 2024.csv"]


# Content


def test_docs_editors_files_are_exported_and_not_downloaded(episode: Episode) -> None:
    made = call(episode, "create_file", name="Rates", content="a,b\n1,2\n", mimeType=SHEET)["id"]
    assert refused(episode, "download_file", fileId=made) == (403, "fileNotDownloadable")
    assert http(episode, "GET", f"/files/{made}?alt=media").body["error"]["errors"][0] == {
        "domain": "global", "reason": "fileNotDownloadable", "location": "alt", "locationType": "parameter",
        "message": "Only files with binary content can be downloaded. Use Export with Docs Editors files.",
    }  # fmt: skip
    assert episode.call(SLUG, "export_file", {"fileId": made, "mimeType": "text/csv"}).body == "a,b\n1,2"
    assert (
        episode.call(SLUG, "export_file", {"fileId": made, "mimeType": "text/tab-separated-values"}).body
        == "a\tb\n1\t2"
    )
    xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert episode.call(SLUG, "export_file", {"fileId": made, "mimeType": xlsx}).body.startswith(b"PK")
    assert refused(episode, "export_file", fileId=made, mimeType="text/html") == (400, "badRequest")
    assert refused(episode, "export_file", fileId=key(episode, "jan"), mimeType="text/plain") == (
        403,
        "fileNotExportable",
    )
    assert call(episode, "read_file_content", fileId=made)["content"] == "a,b\n1,2\n"
    assert refused(episode, "create_file", name="x", content="x", contentMimeType="image/png", mimeType=DOC) == (
        400,
        "badContent",
    )
    assert refused(episode, "create_file", name="x", mimeType="application/vnd.google-apps.nothing") == (400, "invalid")


@pytest.mark.parametrize(
    ("kind", "text", "shown"),
    [
        ("text/html", "<h1>Plan</h1><p>Do <b>it</b> &amp; go</p><ul><li>one</li></ul>", "Plan\nDo it & go\n* one\n"),
        ("text/markdown", "## Plan\n\n1. one\n2. two\n\n```\ncode\n```\n", "Plan\n1. one\n2. two\ncode\n"),
        ("text/plain", "* not a list\n# not a heading\n", "* not a list\n# not a heading\n"),
    ],
)
def test_documents_are_made_of_text(episode: Episode, kind: str, text: str, shown: str) -> None:
    made = call(episode, "create_file", name="Plan", content=text, contentMimeType=kind, mimeType=DOC)["id"]
    assert episode.call(SLUG, "export_file", {"fileId": made, "mimeType": "text/plain"}).body == shown
    for other in ("application/pdf", "application/zip", "text/html", "text/markdown"):
        assert not episode.call(SLUG, "export_file", {"fileId": made, "mimeType": other}).error
    assert paths(episode)["Plan"].content == shown


@pytest.mark.parametrize(
    ("kind", "target", "text"),
    [
        ("text/html", DOC, "<![nothing[ <p>unended"), ("text/csv", SHEET, '"' + "x" * 200_000), ("text/csv", SHEET, 'a\0b,"c'),
        ("text/tab-separated-values", SHEET, "x" * 200_000 + "\ty\nz"), ("text/markdown", DOC, ">" * 3000 + "x"),
        ("text/plain", DOC, "\x01(\\)\r\n\tä漢" * 40),
    ],
)  # fmt: skip
def test_odd_content_is_kept_and_exported(episode: Episode, kind: str, target: str, text: str) -> None:
    made = call(episode, "create_file", name="Odd", content=text, contentMimeType=kind, mimeType=target)["id"]
    formats = call(episode, "get_file", fileId=made, fields="exportLinks")["exportLinks"]
    for mime in formats:
        assert not episode.call(SLUG, "export_file", {"fileId": made, "mimeType": mime}).error, mime


def test_bytes_survive(episode: Episode) -> None:
    data = bytes(range(256))
    made = call(episode, "create_file", name="x.png", contentBase64=base64.b64encode(data).decode())
    assert (made["mimeType"], made["size"]) == ("image/png", "256")
    assert episode.call(SLUG, "download_file", {"fileId": made["id"]}).body == data
    assert refused(episode, "read_file_content", fileId=made["id"]) == (400, "invalid")
    assert refused(episode, "create_file", name="x", contentBase64="not base64") == (400, "invalid")
    assert refused(episode, "create_file", name="x", contentBase64="eA==", content="x") == (400, "invalid")
    part = http(episode, "GET", f"/files/{made['id']}?alt=media", range="bytes=250-")
    assert (part.status, part.body, part.headers["Content-Range"]) == (206, data[250:], "bytes 250-255/256")
    assert http(episode, "GET", f"/files/{made['id']}?alt=media", range="bytes=-2").body == data[-2:]
    assert http(episode, "GET", f"/files/{made['id']}?alt=media", range="bytes=256-").status == 416
    assert http(episode, "GET", f"/files/{made['id']}?alt=media", base="/download/drive/v3").body == data


def test_long_text_is_read_piece_by_piece(episode: Episode) -> None:
    text = "".join(f"line {n}\n" for n in range(12_000))
    made = call(episode, "create_file", name="log.txt", content=text)["id"]
    assert refused(episode, "download_file", fileId=made) == (400, "invalid")
    read, offset = "", 0
    while offset is not None:
        piece = call(episode, "read_file_content", fileId=made, offset=offset)
        read, offset = read + piece["content"], piece.get("nextOffset")
    assert read == text


def test_revisions(episode: Episode) -> None:
    file = key(episode, "note")
    first = call(episode, "list_revisions", fileId=file)["revisions"][0]["id"]
    assert refused(episode, "delete_revision", fileId=file, revisionId=first) == (403, "cannotDeleteOnlyRevision")
    call(episode, "update_file", fileId=file, content="Second", keepRevisionForever=True)
    call(episode, "update_file", fileId=file, content="Third")
    second = call(episode, "list_revisions", fileId=file)["revisions"][1]
    assert second["keepForever"] is True
    assert call(episode, "get_revision", fileId=file, revisionId="head")["size"] == "5"
    assert episode.call(SLUG, "download_revision", {"fileId": file, "revisionId": first}).body == WORLD[-1].content
    assert call(episode, "update_revision", fileId=file, revisionId=first, keepForever=True)["keepForever"] is True
    assert episode.call(SLUG, "delete_revision", {"fileId": file, "revisionId": "head"}).status == 204
    assert paths(episode)["it's a note.txt"].content == "Second"
    page = call(episode, "create_file", name="Page", mimeType=DOC)["id"]
    assert refused(episode, "update_revision", fileId=page, revisionId="1", keepForever=True) == (
        403,
        "fieldNotWritable",
    )
    assert refused(episode, "delete_revision", fileId=page, revisionId="1") == (403, "revisionDeletionNotSupported")
    assert refused(episode, "list_revisions", fileId=key(episode, "Reports")) == (403, "revisionsNotSupported")
    assert refused(episode, "get_revision", fileId=file, revisionId="none") == (404, "notFound")


def test_resumable_uploads(episode: Episode) -> None:
    start = http(
        episode, "POST", "/files?uploadType=resumable&fields=id,size", {"name": "big.bin"}, "/upload/drive/v3",
        X_Upload_Content_Type="image/png",
    )  # fmt: skip
    place = start.headers["Location"].removeprefix("http://x/upload/drive/v3")
    assert episode.changes() == []

    def put(data: bytes, said: str) -> Reply:
        return http(episode, "PUT", place, data, "/upload/drive/v3", Content_Range=said)

    assert put(b"abcd", "bytes 0-3/10").status == 308
    assert put(b"", "bytes */10").headers == {"Range": "bytes=0-3"}
    assert put(b"xy", "bytes 7-8/10").status == 400
    assert put(b"xy", "nonsense").status == 400
    done = put(b"efghij", "bytes 4-9/10")
    assert (done.status, done.body["size"]) == (200, "10")
    assert put(b"", "bytes */10").status == 404
    assert episode.call(SLUG, "download_file", {"fileId": done.body["id"]}).body == "abcdefghij"


def test_uploads_that_cannot_be_read(episode: Episode) -> None:
    def post(body: bytes, kind: str, query: str = "?uploadType=multipart") -> tuple[int, str]:
        reply = http(episode, "POST", f"/files{query}", body, "/upload/drive/v3", content_type=kind)
        return reply.status, reply.body["error"]["errors"][0]["reason"]

    related = "multipart/related; boundary=b"
    assert post(b"--b\r\n\r\n{}\r\n--b--", related) == (400, "badContent")
    assert post(b"--b\r\n\r\n{nonsense\r\n--b\r\n\r\nx\r\n--b--", related) == (400, "parseError")
    assert post(b'--b\r\n\r\n{"name": 5}\r\n--b\r\n\r\nx\r\n--b--', related) == (400, "invalid")
    assert post(b'--b\r\n\r\n{"size": ' + b"[" * 500 + b"]" * 500 + b"}\r\n--b\r\n\r\nx\r\n--b--", related) == (
        403,
        "fieldNotWritable",
    )
    assert post(b"x", "text/plain") == (400, "badContent")
    assert post(b"x", "text/plain", "?uploadType=other") == (400, "invalidParameter")
    reply = http(
        episode,
        "PATCH",
        f"/files/{key(episode, 'Reports')}?uploadType=media",
        b"x",
        "/upload/drive/v3",
        content_type="text/plain",
    )
    assert reply.body["error"]["errors"][0]["reason"] == "badContent"
    assert episode.changes() == []
    about = b'--b\r\nContent-Type: application/json\r\n\r\n{"name": "a.txt"}\r\n'
    body = about + b"--b\r\nContent-Type: text/plain\r\n\r\n\r\n--x\r\n\r\n--b--\r\n"
    made = http(episode, "POST", "/files?uploadType=multipart", body, "/upload/drive/v3", content_type=related).body
    assert episode.call(SLUG, "download_file", {"fileId": made["id"]}).body == "\r\n--x\r\n"


# The search language


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("name = 'JAN-summary.md'", ["jan"]),
        ("name contains 'sum'", ["jan"]),  # of words the beginning counts, and _ does not part them
        ("name contains 'jan sum'", ["jan"]),
        ("name contains 'ates'", []),
        ("name contains 'feb'", ["feb"]),
        ("name = 'it\\'s a note.txt'", ["note"]),
        ('name = "it\'s a note.txt"', ["note"]),
        ("name != 'x' and mimeType contains 'csv'", ["old"]),
        ("fullText contains 'total'", ["jan", "note"]),
        ("fullText contains 'tot'", []),
        ("fullText contains '\"yearly total\"'", ["note"]),
        ("fullText contains '\"total yearly\"'", []),
        ("fullText contains 'total yearly'", ["note"]),
        ("modifiedTime > '2026-02-20T08:30:00' and mimeType = 'text/markdown'", ["feb"]),
        ("modifiedTime >= '2026-02-20T09:30:00+01:00' and modifiedTime < '2026-03-01'", ["note"]),
        ("createdTime <= '2025-12-31T00:00:00Z'", ["old"]),
        ("modifiedTime = '2026-02-02T10:00:00Z' or modifiedTime = '2026-03-01T10:00:00Z'", ["jan", "feb"]),
        ("'root' in parents and not mimeType = 'application/vnd.google-apps.folder'", ["note"]),
        ("trashed", []),
        ("not trashed and not (name contains 'jan' or name contains 'feb') and mimeType contains 'text/'", ["old", "note"]),
        # and, or have the same rank: (csv or markdown) and January
        ("mimeType = 'text/csv' or mimeType = 'text/markdown' and fullText contains 'january'", ["jan"]),
        ("'me' in owners and mimeType = 'text/plain'", ["note"]),
        (f"'{ALEX}' in writers and mimeType = 'text/plain'", ["note"]),
        (f"'{DANA}' in readers", []),
        ("sharedWithMe = true", []),
        ("visibility = 'limited' and mimeType = 'text/csv'", ["old"]),
        ("starred = false AND mimeType = 'text/csv'", ["old"]),
        ("properties has { key='a' and value='1' }", ["old"]),
        ("properties has {value='2' and key='a'}", []),
        ("appProperties has { key='a' and value='1' }", []),
    ],
)  # fmt: skip
def test_queries(episode: Episode, q: str, found: list[str]) -> None:
    call(episode, "update_file", fileId=key(episode, "old"), properties=[{"key": "a", "value": "1"}])
    episode.app(SLUG).store.connection.execute(
        "UPDATE file SET modifiedTime = '2025-01-02T10:00:00.000Z' WHERE id = ?", (key(episode, "old"),)
    )
    shown = call(episode, "list_files", q=q, fields="files(id)")["files"]
    assert sorted(f["id"] for f in shown) == sorted(key(episode, name) for name in found)


@pytest.mark.parametrize(
    "q",
    [
        "name", "name =", "name = x", "name 'x'", "name < 'x'", "nothing = 'x'", "trashed = 'true'", "modifiedTime > 'soon'",
        "name = 'x' and",
        "and", "(name = 'x'", "name = 'x' name = 'y'", "'x' in name", "fullText = 'x'", "properties = 'x'", "properties has { key='a' }",
        "properties has { key='a' and key='b' }", "visibility = 'secret'", "not", "'unended", "name contains 5", "parents = 'x'",
    ],
)  # fmt: skip
def test_queries_that_cannot_be_read(episode: Episode, q: str) -> None:
    assert refused(episode, "list_files", q=q) == (400, "invalid")
    error = http(episode, "GET", "/files?q=" + q.replace(" ", "%20").replace("'", "%27")).body["error"]
    assert (error["message"], error["errors"][0]["location"]) == ("Invalid Value", "q")


def test_what_searches_lack_is_named(episode: Episode) -> None:
    reply = http(episode, "GET", "/files?q='labels/x'%20in%20labels")
    assert "labels" in reply.body["error"]["message"]
    deep = "(" * 60 + "name = 'x'" + ")" * 60
    assert "levels" in http(episode, "GET", f"/files?q={deep}").body["error"]["message"]
    many = " or ".join(["starred"] * 201)
    assert "terms" in http(episode, "GET", f"/files?q={many.replace(' ', '%20')}").body["error"]["message"]


def test_orders_and_pages(episode: Episode) -> None:
    for n in (10, 9, 100):
        call(episode, "create_file", name=f"Part {n}.txt", content="x" * n)
    q = "name contains 'part'"
    assert names(episode, q, orderBy="name_natural") == ["Part 9.txt", "Part 10.txt", "Part 100.txt"]
    assert names(episode, q, orderBy="name") == ["Part 10.txt", "Part 100.txt", "Part 9.txt"]
    assert names(episode, q, orderBy="quotaBytesUsed desc,name") == ["Part 100.txt", "Part 10.txt", "Part 9.txt"]
    assert names(episode, "'root' in parents", orderBy="folder, name desc")[0] == "Reports"
    assert refused(episode, "list_files", orderBy="size") == (400, "invalid")
    assert refused(episode, "list_files", q="fullText contains 'x'", orderBy="name") == (400, "badRequest")
    seen, token = list[str](), None
    while True:
        more = {"pageToken": token} if token else {}
        page = call(episode, "list_files", pageSize=4, orderBy="name", **more)
        seen += [f["id"] for f in page["files"]]
        if (token := page.get("nextPageToken")) is None:
            break
    assert len(seen) == len(set(seen)) == 9
    first = call(episode, "list_files", pageSize=4)["nextPageToken"]
    assert refused(episode, "list_files", pageToken=first, q="starred") == (400, "invalid")
    assert refused(episode, "list_files", pageToken="nonsense") == (400, "invalid")
    assert refused(episode, "list_files", pageSize=0) == (400, "invalidParameter")


def test_the_order_by_size_is_that_of_the_sizes_told(episode: Episode) -> None:
    call(episode, "create_file", name="doc", mimeType=DOC, content="short")
    call(episode, "create_file", name="raw.bin", contentBase64=base64.b64encode(bytes([255] * 950)).decode())
    call(episode, "create_file", name="long.txt", content="x" * 1000)
    files = call(episode, "list_files", orderBy="quotaBytesUsed", fields="files(name,quotaBytesUsed)")["files"]
    sizes = [int(f["quotaBytesUsed"]) for f in files]
    assert sizes == sorted(sizes)
    assert [f["name"] for f in files][-3:] == ["raw.bin", "long.txt", "doc"]


def test_search_files_by_plain_words(episode: Episode) -> None:
    def found(**arguments: Any) -> list[str]:
        return sorted(f["name"] for f in call(episode, "search_files", **arguments)["files"])

    assert found(name="it's a") == ["it's a note.txt"]
    assert found(text="quiet february") == ["feb_summary.md"]
    assert found(folderId=key(episode, "Reports"), mimeType=FOLDER) == ["Old"]
    assert found(modifiedAfter="2026-02-25", owner=ALEX) == ["feb_summary.md"]
    assert found(starred=True) == found(sharedWithMe=True) == found(trashed=True) == []


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=20))
def test_any_name_is_found_by_itself(name: str) -> None:
    query: Any = importlib.import_module("legoenv_mcp.servers.google_drive.query")
    terms = {"name": query.Term(("=", "contains"), "name", lambda item: item)}
    quoted = "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"
    assert query.parse(f"name = {quoted}", terms).test(name)
    assert query.parse(f"name contains {quoted}", terms).test(name)
    assert not query.parse(f"not name = {quoted}", terms).test(name)


# Sharing


def test_ownership_is_only_given_away_knowingly(episode: Episode) -> None:
    file = key(episode, "note")
    owner = {"fileId": file, "type": "user", "role": "owner"}
    assert refused(episode, "create_permission", **owner, emailAddress=DANA) == (403, "forbidden")
    shared = call(episode, "create_permission", fileId=file, type="user", role="reader", emailAddress=DANA)["id"]
    assert refused(episode, "update_permission", fileId=file, permissionId=shared, role="owner") == (403, "forbidden")
    outside = {"emailAddress": "x@other.example", "transferOwnership": True}
    assert refused(episode, "create_permission", **owner, **outside) == (403, "ownershipChangeAcrossDomainNotPermitted")
    quiet = {"emailAddress": DANA, "transferOwnership": True, "sendNotificationEmail": False}
    assert refused(episode, "create_permission", **owner, **quiet) == (403, "forbidden")
    call(episode, "update_permission", fileId=file, permissionId=shared, role="owner", transferOwnership=True)
    roles = {p["emailAddress"]: p["role"] for p in call(episode, "list_permissions", fileId=file)["permissions"]}
    assert roles == {DANA: "owner", ALEX: "writer"}
    assert call(episode, "get_file", fileId=file)["ownedByMe"] is False
    again = {**owner, "emailAddress": ALEX, "transferOwnership": True}
    assert refused(episode, "create_permission", **again) == (403, "insufficientFilePermissions")


def test_moving_to_the_new_owners_root(episode: Episode) -> None:
    path = f"/files/{key(episode, 'note')}/permissions?transferOwnership=true&moveToNewOwnersRoot=true"
    assert http(episode, "POST", path, {"type": "user", "role": "owner", "emailAddress": DANA}).status == 200
    assert "it's a note.txt" not in paths(episode)
    assert "parents" not in call(episode, "get_file", fileId=key(episode, "note"))


def test_roles_are_inherited(episode: Episode) -> None:
    folder, file = key(episode, "Reports"), key(episode, "old")
    made = call(episode, "create_permission", fileId=folder, type="user", role="writer", emailAddress=DANA)["id"]
    inherited = call(episode, "get_permission", fileId=file, permissionId=made)
    assert inherited["role"] == "writer"
    assert refused(episode, "update_permission", fileId=file, permissionId=made, role="reader") == (
        403,
        "cannotModifyInheritedPermission",
    )
    assert refused(episode, "delete_permission", fileId=file, permissionId=made) == (
        403,
        "cannotModifyInheritedPermission",
    )
    told = episode.call(SLUG, "delete_permission", {"fileId": file, "permissionId": made}).body["error"]["message"]
    assert told.endswith(f"it was given on Reports ({folder}).")
    told = http(episode, "DELETE", f"/files/{file}/permissions/{made}").body["error"]["message"]
    assert told == "Cannot update or delete an inherited permission."
    assert call(episode, "list_files", q=f"'{DANA}' in writers", fields="files(id)")["files"]
    call(episode, "move_file", fileId=file, folderId="root")
    assert refused(episode, "get_permission", fileId=file, permissionId=made) == (404, "notFound")
    assert episode.call(SLUG, "delete_permission", {"fileId": folder, "permissionId": made}).status == 204


def test_links_and_domains(episode: Episode) -> None:
    file = key(episode, "note")
    link = call(episode, "create_permission", fileId=file, type="anyone", role="reader")
    assert (link["id"], link["allowFileDiscovery"]) == ("anyoneWithLink", False)
    assert names(episode, "visibility = 'anyoneWithLink'") == ["it's a note.txt"]
    found = call(episode, "create_permission", fileId=file, type="anyone", role="commenter", allowFileDiscovery=True)
    assert found["id"] == "anyone"
    listed = call(episode, "list_permissions", fileId=file)["permissions"]
    assert [p["id"] for p in listed if p["type"] == "anyone"] == ["anyone"]
    domain = call(episode, "create_permission", fileId=file, type="domain", role="reader", domain="brightwater.example")
    assert domain["displayName"] == "brightwater.example"
    for bad, reason in (
        ({"type": "anyone", "role": "owner", "transferOwnership": True}, "invalid"),
        ({"type": "anyone", "role": "reader", "sendNotificationEmail": True}, "forbidden"),
        ({"type": "user", "role": "reader"}, "invalid"), ({"type": "domain", "role": "reader", "domain": "no domain"}, "invalid"),
        ({"type": "user", "role": "reader", "emailAddress": DANA, "allowFileDiscovery": True}, "invalid"),
        ({"type": "user", "role": "organizer", "emailAddress": DANA}, "organizerOnNonTeamDriveNotSupported"),
        ({"role": "reader"}, "required"), ({"type": "anyone"}, "required"),
        ({"type": "user", "role": "reader", "emailAddress": "ghost@brightwater.example", "sendNotificationEmail": False},
         "invalidSharingRequest"),
        ({"type": "anyone", "role": "reader", "expirationTime": "2026-06-01T00:00:00Z"}, "cannotSetExpirationOnAnyoneOrDomain"),
        ({"type": "user", "role": "reader", "emailAddress": DANA, "expirationTime": "2025-06-01T00:00:00Z"},
         "expirationDatesMustBeInTheFuture"),
    ):  # fmt: skip
        assert refused(episode, "create_permission", fileId=file, **bad)[1] == reason, bad
    assert (
        refused(episode, "create_permission", fileId="root", type="anyone", role="reader")[1] == "cannotShareRootFolder"
    )


def test_a_better_role_stays_and_the_owner_too(episode: Episode) -> None:
    file = key(episode, "note")
    made = call(episode, "create_permission", fileId=file, type="user", role="writer", emailAddress=DANA)["id"]
    assert (
        call(episode, "create_permission", fileId=file, type="user", role="reader", emailAddress=DANA)["role"]
        == "writer"
    )
    until = call(
        episode,
        "update_permission",
        fileId=file,
        permissionId=made,
        role="reader",
        expirationTime="2026-06-01T00:00:00Z",
    )
    assert until["expirationTime"] == "2026-06-01T00:00:00.000Z"
    assert "expirationTime" not in call(
        episode, "update_permission", fileId=file, permissionId=made, removeExpiration=True
    )
    own = mine(episode, file)
    assert refused(episode, "delete_permission", fileId=file, permissionId=own) == (403, "cannotRemoveOwner")
    assert refused(episode, "update_permission", fileId=file, permissionId=own, role="reader") == (
        403,
        "cannotRemoveOwner",
    )
    reply = http(episode, "PATCH", f"/files/{file}/permissions/{made}", {"emailAddress": "x@y.example"})
    assert reply.body["error"]["errors"][0]["reason"] == "fieldNotWritable"


def test_access_that_has_run_out_counts_for_nothing(episode: Episode) -> None:
    file = key(episode, "note")
    grant = {"fileId": file, "type": "user", "emailAddress": DANA.upper()}
    made = call(episode, "create_permission", **grant, role="writer", expirationTime="2026-03-02T09:00:03Z")
    assert made["emailAddress"] == DANA  # as the directory spells it
    for n in range(4):
        call(episode, "create_folder", name=f"later {n}")
    assert [p["role"] for p in call(episode, "list_permissions", fileId=file)["permissions"]] == ["owner"]
    assert call(episode, "create_permission", **grant, role="reader")["role"] == "reader"


def test_an_owner_has_no_permission_besides(episode: Episode) -> None:
    drive = call(episode, "create_drive", requestId="r1", name="Team")["id"]
    file = call(episode, "create_file", name="a.txt", content="a", parentId=drive)["id"]
    call(episode, "create_permission", fileId=file, type="user", role="writer", emailAddress=ALEX)
    call(episode, "move_file", fileId=file, folderId="root")
    own = call(episode, "get_file", fileId=file, fields="permissions(role,permissionDetails)")["permissions"]
    assert [len(p["permissionDetails"]) for p in own] == [1]
    give = {"type": "user", "role": "owner", "emailAddress": DANA, "transferOwnership": True}
    call(episode, "create_permission", fileId=file, **give)
    found = call(episode, "list_permissions", fileId=file)["permissions"]
    assert {p["emailAddress"]: p["role"] for p in found} == {DANA: "owner", ALEX: "writer"}


def test_writers_may_be_kept_from_sharing(episode: Episode) -> None:
    file = key(episode, "note")
    call(episode, "update_file", fileId=file, writersCanShare=False, copyRequiresWriterPermission=True)
    give_away(episode, file)
    assert refused(episode, "create_permission", fileId=file, type="anyone", role="reader") == (
        403,
        "insufficientFilePermissions",
    )
    assert refused(episode, "update_file", fileId=file, writersCanShare=True) == (403, "insufficientFilePermissions")
    assert not episode.call(SLUG, "copy_file", {"fileId": file}).error


def test_read_only_content(episode: Episode) -> None:
    file = key(episode, "note")
    lock = {"contentRestrictions": [{"readOnly": True, "reason": "Final"}]}
    assert (
        http(episode, "PATCH", f"/files/{file}?fields=contentRestrictions", lock).body["contentRestrictions"][0][
            "reason"
        ]
        == "Final"
    )
    locked = episode.changes()
    http(episode, "PATCH", f"/files/{file}", lock)  # once more: it is as it was, and was made when it was made
    assert episode.changes() == locked
    assert refused(episode, "update_file", fileId=file, content="x") == (403, "fileNeverWritable")
    assert refused(episode, "create_comment", fileId=file, content="x") == (403, "cannotCommentOnFile")
    http(episode, "PATCH", f"/files/{file}", {"contentRestrictions": [{"readOnly": False}]})
    assert call(episode, "update_file", fileId=file, name="free.txt")["name"] == "free.txt"


# Comments, changes, shared drives, the account


def test_comments_are_resolved_and_reopened(episode: Episode) -> None:
    file = key(episode, "note")
    made = call(episode, "create_comment", fileId=file, content="Which total?", quotedText="yearly total")
    number = made["id"]
    assert made["quotedFileContent"] == {"value": "yearly total"}
    done = call(episode, "create_reply", fileId=file, commentId=number, action="resolve")
    assert done["action"] == "resolve"
    assert call(episode, "get_comment", fileId=file, commentId=number)["resolved"] is True
    call(episode, "create_reply", fileId=file, commentId=number, content="Not yet", action="reopen")
    assert call(episode, "get_comment", fileId=file, commentId=number)["resolved"] is False
    call(episode, "update_reply", fileId=file, commentId=number, replyId=done["id"], content="Done")
    assert (
        call(episode, "update_comment", fileId=file, commentId=number, content="Which one?")["content"] == "Which one?"
    )
    assert refused(episode, "create_reply", fileId=file, commentId=number) == (400, "required")
    assert refused(episode, "create_comment", fileId=file, content=" ") == (400, "required")
    assert refused(episode, "create_comment", fileId=file, content="x" * 3000) == (400, "invalid")
    assert refused(episode, "create_comment", fileId=key(episode, "Reports"), content="x") == (
        403,
        "cannotCommentOnFile",
    )
    assert refused(episode, "update_comment", fileId=key(episode, "jan"), commentId=number, content="x") == (
        404,
        "notFound",
    )
    assert (
        episode.call(SLUG, "delete_reply", {"fileId": file, "commentId": number, "replyId": done["id"]}).status == 204
    )
    assert len(call(episode, "list_comments", fileId=file)["comments"][0]["replies"]) == 1
    assert episode.call(SLUG, "delete_comment", {"fileId": file, "commentId": number}).status == 204
    assert refused(episode, "get_comment", fileId=file, commentId=number) == (404, "notFound")
    kept = call(episode, "list_comments", fileId=file, includeDeleted=True)["comments"][0]
    assert kept["deleted"] is True
    assert "content" not in kept


def test_changes_tell_each_file_once(episode: Episode) -> None:
    token = call(episode, "get_start_page_token")["startPageToken"]
    note, jan = key(episode, "note"), key(episode, "jan")
    call(episode, "update_file", fileId=note, starred=True)
    call(episode, "trash_file", fileId=jan)
    call(episode, "update_file", fileId=note, name="b.txt")
    episode.call(SLUG, "delete_file", {"fileId": jan})
    page = call(episode, "list_changes", pageToken=token)
    assert [(c["fileId"], c["removed"]) for c in page["changes"]] == [(note, False), (jan, True)]
    assert [c["fileId"] for c in call(episode, "list_changes", pageToken=token, includeRemoved=False)["changes"]] == [
        note
    ]
    assert refused(episode, "list_changes", pageToken="0") == (400, "invalid")
    assert refused(episode, "list_changes", pageToken="1" * 40) == (400, "invalid")
    assert refused(episode, "list_changes", pageToken="1", driveId="none") == (404, "notFound")


def test_shared_drives(episode: Episode) -> None:
    made = call(episode, "create_drive", requestId="one", name="Projects", themeId="lake")
    drive = made["id"]
    assert refused(episode, "create_drive", requestId="one", name="Projects") == (409, "teamDriveAlreadyExists")
    assert refused(episode, "create_drive", requestId="two", name=" ") == (400, "required")
    assert refused(episode, "create_drive", requestId="two", name="x", themeId="none") == (400, "invalid")
    file = call(episode, "create_file", name="a.txt", content="x", parentId=drive)["id"]
    assert call(episode, "get_file", fileId=file, fields="*")["capabilities"]["canReadDrive"] is True
    assert refused(episode, "create_permission", fileId=file, type="user", role="owner", emailAddress=DANA,
                   transferOwnership=True)[1] == "ownerOnTeamDriveItemNotSupported"  # fmt: skip
    member = call(episode, "create_permission", fileId=drive, type="user", role="fileOrganizer", emailAddress=DANA)[
        "id"
    ]
    assert call(episode, "get_permission", fileId=file, permissionId=member)["role"] == "fileOrganizer"
    assert (
        refused(episode, "delete_permission", fileId=file, permissionId=member)[1]
        == "cannotModifyInheritedTeamDrivePermission"
    )
    assert (
        refused(episode, "delete_permission", fileId=drive, permissionId=mine(episode, drive))[1]
        == "cannotChangeOrganizer"
    )
    assert refused(episode, "create_permission", fileId=drive, type="anyone", role="reader")[0] == 403
    call(episode, "update_drive", driveId=drive, name="Programme", domainUsersOnly=True)
    assert (
        refused(episode, "create_permission", fileId=file, type="anyone", role="reader")[1]
        == "teamDriveDomainUsersOnlyRestriction"
    )
    assert call(episode, "list_drives", q="name contains 'prog' and memberCount >= 2")["drives"][0]["id"] == drive
    assert refused(episode, "list_drives", q="memberCount > 'x'") == (400, "invalid")
    assert (
        refused(episode, "move_file", fileId=key(episode, "Reports"), folderId=drive)[1]
        == "teamDrivesFolderMoveInNotSupported"
    )
    moved = call(episode, "move_file", fileId=key(episode, "note"), folderId=drive)
    assert moved["driveId"] == drive
    assert "it's a note.txt" not in paths(episode)
    assert call(episode, "move_file", fileId=key(episode, "note"), folderId="root")["ownedByMe"] is True
    assert refused(episode, "delete_drive", driveId=drive) == (403, "cannotDeleteResourceWithChildren")
    call(episode, "trash_file", fileId=file)
    assert episode.call(SLUG, "empty_trash", {"driveId": drive}).status == 204
    assert refused(episode, "get_file", fileId=file) == (404, "notFound")
    assert episode.call(SLUG, "delete_drive", {"driveId": drive}).status == 204
    assert refused(episode, "get_drive", driveId=drive) == (404, "notFound")


def test_administrators_reach_every_shared_drive(episode: Episode) -> None:
    drive = call(episode, "create_drive", requestId="one", name="Projects")["id"]
    call(episode, "create_permission", fileId=drive, type="user", role="organizer", emailAddress=DANA)
    assert (
        episode.call(SLUG, "delete_permission", {"fileId": drive, "permissionId": mine(episode, drive)}).status == 204
    )
    assert refused(episode, "get_drive", driveId=drive) == (404, "notFound")
    assert call(episode, "list_drives")["drives"] == []
    assert call(episode, "list_drives", useDomainAdminAccess=True)["drives"][0]["id"] == drive
    path = f"/files/{drive}/permissions?supportsAllDrives=true"
    assert http(episode, "GET", path).status == 404
    member = {"type": "user", "role": "organizer", "emailAddress": ALEX}
    assert http(episode, "POST", f"{path}&useDomainAdminAccess=true", member).body["role"] == "organizer"
    assert call(episode, "get_drive", driveId=drive)["name"] == "Projects"


def test_open_comments_are_copied_where_asked_for(episode: Episode) -> None:
    file = key(episode, "note")
    number = call(episode, "create_comment", fileId=file, content="Closed")["id"]
    call(episode, "create_reply", fileId=file, commentId=number, action="resolve")
    call(episode, "create_comment", fileId=file, content="Open")
    twin = http(episode, "POST", f"/files/{file}/copy?copyComments=true", {}).body["id"]
    assert [c["content"] for c in call(episode, "list_comments", fileId=twin)["comments"]] == ["Open"]
    assert len(call(episode, "list_comments", fileId=file)["comments"]) == 2


def test_application_data_is_apart(episode: Episode) -> None:
    made = call(episode, "create_file", name="settings.json", content="{}", parentId="appDataFolder")["id"]
    assert "settings.json" not in names(episode, "")
    assert names(episode, "'appDataFolder' in parents", spaces="appDataFolder") == ["settings.json"]
    assert refused(episode, "trash_file", fileId=made) == (403, "notSupportedForAppDataFolderFiles")
    assert refused(episode, "move_file", fileId=made, folderId="root") == (403, "notSupportedForAppDataFolderFiles")
    assert refused(episode, "create_permission", fileId=made, type="anyone", role="reader")[0] == 403
    assert refused(episode, "list_files", spaces="photos") == (400, "invalid")
    assert "settings.json" not in paths(episode)


def test_the_account(episode: Episode) -> None:
    before = call(episode, "get_about")["storageQuota"]["usage"]
    call(episode, "create_file", name="x.bin", content="x" * 1000)
    assert int(call(episode, "get_about")["storageQuota"]["usage"]) == int(before) + 1000
    assert set(call(episode, "get_about", fields="maxUploadSize")) == {"maxUploadSize"}
    made = call(episode, "generate_ids", count=2)["ids"]
    assert call(episode, "create_file", name="y", id=made[0])["id"] == made[0]
    assert refused(episode, "create_file", name="y", id=made[0]) == (409, "fileIdInUse")
    assert refused(episode, "create_file", name="y", id="short") == (400, "invalid")
    assert refused(episode, "create_file", name="y", id=made[1], mimeType=DOC) == (400, "fileIdNotSupported")
    assert http(episode, "GET", "/apps/none").status == 404
    assert http(episode, "GET", "/apps/619683526622").body["name"] == "Google Docs"
    assert http(episode, "GET", f"/files/{key(episode, 'note')}/listLabels").body["labels"] == []
    assert http(episode, "GET", "/operations/none").status == 404


def test_agents_are_shown_little_and_told_what_to_do(episode: Episode) -> None:
    async def run() -> None:
        async with Client(serve(episode, [SLUG])) as client:
            told = await client.call_tool("get_file", {"fileId": key(episode, "jan")})
            assert told.structured_content is not None
            assert "capabilities" not in told.structured_content
            text = await client.call_tool("download_file", {"fileId": key(episode, "jan")})
            assert text.content[0].text == "# January\n\nTotal: 40\n"  # pyright: ignore[reportAttributeAccessIssue]
            wrong = await client.call_tool("update_file", {"fileId": key(episode, "jan"), "addParents": "root"})
            assert wrong.is_error
            assert "move_file" in wrong.content[0].text  # pyright: ignore[reportAttributeAccessIssue]

    asyncio.run(run())
    large = templates.episode([SLUG], "quaymark")
    assert len(json.dumps(call(large, "list_files"))) < 20_000
    assert len(json.dumps(call(large, "list_permissions", fileId="root"))) < 2_000


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from(["move", "trash", "untrash", "delete"])),
        max_size=12,
    )
)
def test_the_tree_stays_a_tree(steps: list[tuple[int, int, str]]) -> None:
    """Whatever is moved, trashed and deleted: every file leads up to the top of My Drive, and no path is lost."""
    episode = episode_of(SLUG, WORLD)
    places = [key(episode, n) for n in ("Reports", "Reports/Old", "jan", "feb", "old", "note")]
    places += [call(episode, "create_folder", name="New")["id"], "root"]
    for what, where, how in steps:
        if how == "move":
            episode.call(SLUG, "move_file", {"fileId": places[what], "folderId": places[where]})
        else:
            episode.call(SLUG, f"{how}_file", {"fileId": places[what]})
    db = episode.app(SLUG).store.connection
    parents = dict(db.execute("SELECT id, parent FROM file"))
    top = [k for k, parent in parents.items() if parent is None]
    assert len(top) == 2
    for at in parents:
        seen = set[str]()
        while parents[at] is not None:
            assert at not in seen
            seen.add(at)
            at = parents[at]
    assert len(names(episode, "")) == len(parents) - 2
