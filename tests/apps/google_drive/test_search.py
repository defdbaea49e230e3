"""Google Drive: the search language."""

import base64
import importlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legoenv_mcp.kernel.episode import Episode
from tests.apps.google_drive.support import ALEX, DANA, DOC, FOLDER, SLUG, call, http, key, names, refused


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
