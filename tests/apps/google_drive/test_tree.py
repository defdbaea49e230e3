"""Google Drive: the tree."""

from legoenv_mcp.kernel.episode import Episode
from tests.apps.google_drive.support import (
    DOC,
    SHEET,
    SLUG,
    WORLD,
    call,
    give_away,
    http,
    key,
    mine,
    names,
    paths,
    refused,
)


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
