"""Google Drive: sharing."""

from legoenv_mcp.kernel.episode import Episode
from tests.apps.google_drive.support import ALEX, DANA, SLUG, call, give_away, http, key, mine, names, paths, refused


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
