"""Google Drive: content."""

import base64

import pytest

from legoenv_mcp.kernel.context import Reply
from legoenv_mcp.kernel.episode import Episode
from tests.apps.google_drive.support import DOC, SHEET, SLUG, WORLD, call, http, key, paths, refused


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
