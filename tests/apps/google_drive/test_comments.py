"""Google Drive: comments, changes, shared drives, the account."""

import asyncio
import json

from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from legoenv_mcp import templates
from legoenv_mcp.faces.mcp import serve
from legoenv_mcp.kernel.episode import Episode
from legoenv_mcp.testing import episode_of
from tests.apps.google_drive.support import ALEX, DANA, DOC, SLUG, WORLD, call, http, key, mine, names, paths, refused


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
