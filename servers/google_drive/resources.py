"""Rows as the API's resources."""

import html

from legoenv_mcp.app import Ctx

from .access import RANKS, Grant, Tree, permission_id
from .contents import checksums, data_of, size_of
from .models import Change, Comment, Drive, File, Json, Permission, Reply, Revision
from .words import DOCUMENT, EXPORTS, FOLDER, GOOGLE, PRESENTATION, SHORTCUT, SPREADSHEET, THEME_IMAGE, is_editor

_EDIT = {DOCUMENT: "document", SPREADSHEET: "spreadsheets", PRESENTATION: "presentation"}
_ICONS = "https://drive-thirdparty.googleusercontent.com/16/type/"


def user_json(tree: Tree, email: str, *, private: bool = False) -> Json:
    """A user. `private` leaves out the address, as authors of comments have it."""
    person = tree.person(email)
    own = email.lower() == tree.me.email.lower()
    name = f"{person.first_name} {person.last_name}" if person else tree.me.name if own else email
    made: Json = {"kind": "drive#user", "displayName": name, "me": own}
    return made if private else {**made, "permissionId": permission_id("user", email), "emailAddress": email}


def link_of(row: File) -> str:
    """Where a browser opens a file."""
    if row.mimeType == FOLDER:
        return f"https://drive.google.com/drive/folders/{row.id}"
    if row.mimeType in _EDIT:
        return f"https://docs.google.com/{_EDIT[row.mimeType]}/d/{row.id}/edit?usp=drivesdk"
    return f"https://drive.google.com/file/d/{row.id}/view?usp=drivesdk"


def has_bytes(row: File) -> bool:
    """Whether a file's content is bytes that can be downloaded."""
    return not row.mimeType.startswith(GOOGLE)


def quota_of(row: File) -> int:
    """The bytes of storage that a file takes: its content, of Docs editors files at least 1024, of folders and shortcuts none."""
    return size_of(row) if has_bytes(row) else max(size_of(row), 1024) if is_editor(row.mimeType) else 0


def export_links(ctx: Ctx, row: File) -> dict[str, str]:
    base = ctx.request.base or "https://www.googleapis.com"
    return {mime: f"{base}/drive/v3/files/{row.id}/export?mimeType={mime}" for mime in EXPORTS.get(row.mimeType, [])}


def file_json(tree: Tree, row: File) -> Json:
    """A file as the caller sees it."""
    role, grants = tree.role(row), tree.grants(row)
    own = row.owner == tree.me.email
    out: Json = {
        "kind": "drive#file", "id": row.id, "name": row.name, "mimeType": row.mimeType, "starred": row.starred,
        "trashed": tree.trashed(row), "explicitlyTrashed": row.trashed, "spaces": [row.space], "version": str(row.version),
        "properties": row.properties, "appProperties": row.appProperties, "iconLink": f"{_ICONS}{row.mimeType}",
        "webViewLink": link_of(row), "hasThumbnail": False, "thumbnailVersion": "0", "viewedByMe": row.viewedByMeTime is not None,
        "createdTime": row.createdTime, "modifiedTime": row.modifiedTime, "modifiedByMe": row.modifiedByMeTime is not None,
        "capabilities": capabilities(tree, row, role), "viewersCanCopyContent": not row.copyRequiresWriterPermission,
        "copyRequiresWriterPermission": row.copyRequiresWriterPermission, "permissionIds": [g.id for g in grants],
        "isAppAuthorized": True, "quotaBytesUsed": "0", "inheritedPermissionsDisabled": False,
        "linkShareMetadata": {"securityUpdateEligible": False, "securityUpdateEnabled": True},
    }  # fmt: skip
    told: Json = {
        "description": row.description, "folderColorRgb": row.folderColorRgb, "viewedByMeTime": row.viewedByMeTime,
        "modifiedByMeTime": row.modifiedByMeTime, "driveId": row.driveId, "teamDriveId": row.driveId,
    }  # fmt: skip
    out |= {name: value for name, value in told.items() if value is not None}
    if row.lastModifyingUser:
        out["lastModifyingUser"] = user_json(tree, row.lastModifyingUser)
    parent = tree.row(row.parent)
    if parent is not None and tree.rank(parent) > 0:
        out["parents"] = [parent.id]
    if row.driveId:
        out["hasAugmentedPermissions"] = row.id != row.driveId and bool(tree.given(row))
        if row.trashed and row.trashingUser:
            out |= {"trashingUser": user_json(tree, row.trashingUser), "trashedTime": row.trashedTime}
    else:
        out |= {
            "ownedByMe": own, "owners": [user_json(tree, row.owner)], "shared": len(grants) > 1, "writersCanShare": row.writersCanShare,
        }  # fmt: skip
        if tree.may_share(row):
            out["permissions"] = [permission_json(tree, row, g) for g in grants]
        if not own and row.sharedWithMeTime:
            out["sharedWithMeTime"] = row.sharedWithMeTime
            out |= {"sharingUser": user_json(tree, row.sharingUser)} if row.sharingUser else {}
    if row.mimeType == SHORTCUT:
        out["shortcutDetails"] = {"targetId": row.shortcutTargetId, "targetMimeType": row.shortcutTargetMimeType}
    if row.contentRestriction:
        out["contentRestrictions"] = [_restriction(tree, row.contentRestriction)]
    if has_bytes(row):
        data = data_of(row)
        out |= {
            **checksums(data), "size": str(len(data)), "quotaBytesUsed": str(len(data)), "headRevisionId": row.headRevisionId,
            "originalFilename": row.originalFilename or row.name, **_extensions(row.name),
            "webContentLink": f"https://drive.google.com/uc?id={row.id}&export=download",
        }  # fmt: skip
    elif is_editor(row.mimeType):
        size = str(quota_of(row))
        out |= {"size": size, "quotaBytesUsed": size}
        if row.mimeType in EXPORTS:
            out["exportLinks"] = export_links(tree.ctx, row)
    return out


def _extensions(name: str) -> Json:
    parts = name.split(".")
    whole = ".".join(parts[-2:]) if len(parts) > 2 and parts[-2] == "tar" else parts[-1]
    return {"fileExtension": parts[-1] if len(parts) > 1 else "", "fullFileExtension": whole if len(parts) > 1 else ""}


def _restriction(tree: Tree, held: Json) -> Json:
    who = {"restrictingUser": user_json(tree, held["restrictingUser"])} if held.get("restrictingUser") else {}
    return {**held, **who, "type": "globalContentRestriction", "systemRestricted": False}


def capabilities(tree: Tree, row: File, role: str) -> dict[str, bool]:
    """What the caller may do with a file."""
    rank, folder, root = RANKS[role], row.mimeType == FOLDER, tree.is_root(row)
    edit, locked, manage = rank >= RANKS["writer"], tree.locked(row), tree.may_manage(row)
    download = not folder and (edit or not row.copyRequiresWriterPermission)
    out = {
        "canAddChildren": folder and edit, "canChangeCopyRequiresWriterPermission": edit and not folder and not root,
        "canChangeViewersCanCopyContent": edit and not folder and not root, "canComment": rank >= RANKS["commenter"] and not folder,
        "canCopy": download and row.mimeType != SHORTCUT, "canDownload": download, "canEdit": edit, "canListChildren": folder,
        "canModifyContent": edit and not locked, "canModifyContentRestriction": edit and not folder,
        "canModifyEditorContentRestriction": edit and not folder, "canModifyLabels": False, "canReadLabels": False,
        "canModifyOwnerContentRestriction": role in ("owner", "organizer") and not folder,
        "canRemoveContentRestriction": edit and locked, "canReadRevisions": edit or not row.copyRequiresWriterPermission,
        "canRename": edit and not locked and not root, "canShare": tree.may_share(row), "canTrash": manage and not root,
        "canUntrash": manage and not root, "canDelete": role in ("owner", "organizer") and not root,
        "canRemoveChildren": folder and edit, "canMoveItemWithinDrive": (edit if not row.driveId else manage) and not root,
        "canMoveItemOutOfDrive": role in ("owner", "organizer") and not root, "canAccessViaGenAi": True,
    }  # fmt: skip
    if row.driveId:
        above = rank >= RANKS["fileOrganizer"]
        return out | {
            "canReadDrive": True, "canDeleteChildren": folder and role == "organizer", "canTrashChildren": folder and above,
            "canMoveChildrenWithinDrive": folder and above, "canMoveChildrenOutOfDrive": folder and role == "organizer",
            "canAddFolderFromAnotherDrive": False,
        }  # fmt: skip
    return out | {
        "canAcceptOwnership": False, "canAddMyDriveParent": False, "canRemoveMyDriveParent": edit and not root,
        "canMoveChildrenWithinDrive": folder and edit,
    }  # fmt: skip


def permission_json(tree: Tree, row: File, grant: Grant) -> Json:
    """What somebody has on a file."""
    direct = grant.direct(row)
    out: Json = {"kind": "drive#permission", "id": grant.id, "type": grant.type, "role": grant.role}
    if grant.type in ("user", "group"):
        email = grant.email or ""
        out |= {"emailAddress": email, "displayName": user_json(tree, email)["displayName"], "deleted": False}
    if grant.type == "user" and not row.driveId:
        out["pendingOwner"] = False
    if grant.type == "domain":
        out |= {"domain": grant.domain, "displayName": grant.domain}
    if grant.type in ("domain", "anyone"):
        out["allowFileDiscovery"] = grant.discoverable
    if direct is not None and direct.expirationTime:
        out["expirationTime"] = direct.expirationTime
    details = list[Json]()
    for source in grant.sources:
        kind = "member" if row.driveId and source.place.id == row.driveId else "file"
        here = source.place.id == row.id
        above = {} if here or not row.driveId else {"inheritedFrom": source.place.id}
        details.append({"permissionType": kind, "role": source.role, **above, "inherited": not here})
    return {**out, "permissionDetails": details}


def given_json(tree: Tree, row: File, permission: Permission) -> Json:
    """The grant that a permission's row is a part of."""
    return permission_json(tree, row, next(g for g in tree.grants(row) if g.id == permission.id))


def drive_json(tree: Tree, drive: Drive, *, role: str = "") -> Json:
    """A shared drive as the caller sees it."""
    root = tree.row(drive.id)
    rank = RANKS[role or (tree.role(root) if root else "none")]
    edit, files, organizer = (rank >= RANKS[r] for r in ("writer", "fileOrganizer", "organizer"))
    able = {
        "canAddChildren": edit, "canChangeCopyRequiresWriterPermissionRestriction": organizer,
        "canChangeDomainUsersOnlyRestriction": organizer, "canChangeDriveBackground": organizer,
        "canChangeDriveMembersOnlyRestriction": organizer,
        "canChangeSharingFoldersRequiresOrganizerPermissionRestriction": organizer, "canComment": rank >= RANKS["commenter"],
        "canCopy": True, "canDeleteChildren": organizer, "canDeleteDrive": organizer, "canDownload": True, "canEdit": edit,
        "canListChildren": True, "canManageMembers": organizer, "canReadRevisions": True, "canRename": edit, "canRenameDrive": organizer,
        "canResetDriveRestrictions": organizer, "canShare": edit, "canTrashChildren": files,
    }  # fmt: skip
    names = ("adminManagedRestrictions", "copyRequiresWriterPermission", "domainUsersOnly", "driveMembersOnly",
             "sharingFoldersRequiresOrganizerPermission")  # fmt: skip
    return {
        "kind": "drive#drive", "id": drive.id, "name": drive.name, "colorRgb": drive.colorRgb, "hidden": drive.hidden,
        "backgroundImageLink": drive.backgroundImageLink or THEME_IMAGE.format("abacus"), "createdTime": drive.createdTime,
        "restrictions": {name: drive.restrictions.get(name, False) for name in names}, "capabilities": able,
    }  # fmt: skip


def revision_json(tree: Tree, row: File, revision: Revision) -> Json:
    out: Json = {
        "kind": "drive#revision", "id": revision.id, "mimeType": revision.mimeType, "modifiedTime": revision.modifiedTime,
        "lastModifyingUser": user_json(tree, revision.lastModifyingUser),
    }  # fmt: skip
    if not has_bytes(row):
        return {**out, "published": False, "exportLinks": export_links(tree.ctx, row)}
    data = data_of(revision)
    return {
        **out, "keepForever": revision.id in row.keptRevisions, "md5Checksum": checksums(data)["md5Checksum"], "size": str(len(data)),
        "originalFilename": revision.originalFilename or row.name,
    }  # fmt: skip


def _said(tree: Tree, row: Comment | Reply, kind: str) -> Json:
    out: Json = {
        "kind": f"drive#{kind}", "id": row.id, "createdTime": row.createdTime, "modifiedTime": row.modifiedTime,
        "author": user_json(tree, row.author, private=True), "deleted": row.deleted,
    }  # fmt: skip
    if not row.deleted and row.content:
        out |= {"content": row.content, "htmlContent": html.escape(row.content, quote=False)}
    return out


def reply_json(tree: Tree, row: Reply) -> Json:
    return {**_said(tree, row, "reply"), **({"action": row.action} if row.action and not row.deleted else {})}


def comment_json(tree: Tree, row: Comment, *, deleted: bool = False) -> Json:
    """A comment with its replies. deleted: whether the deleted ones among them are told."""
    replies = tree.ctx.db.find(Reply, order="number", comment_id=row.id)
    out = {**_said(tree, row, "comment"), "resolved": row.resolved}
    if row.anchor is not None:
        out["anchor"] = row.anchor
    if row.quotedFileContent and not row.deleted:
        out["quotedFileContent"] = row.quotedFileContent
    return {**out, "replies": [reply_json(tree, r) for r in replies if deleted or not r.deleted]}


def change_json(tree: Tree, row: Change, *, corpus: bool = False) -> Json | None:
    """A change; None where its item was never the caller's to see."""
    out: Json = {
        "kind": "drive#change",
        "type": row.type,
        "changeType": row.type,
        "time": row.time,
        "removed": row.removed,
    }
    if row.driveId:
        out["driveId"] = row.driveId
    if row.type == "drive":
        drive = tree.drive(row.target)
        return {**out, **({"drive": drive_json(tree, drive)} if drive and not row.removed else {"removed": True})}
    out["fileId"] = row.target
    found = tree.row(row.target)
    if found is None or (tree.rank(found) == 0 and not corpus):
        return {**out, "removed": True}
    return {**out, "file": file_json(tree, found), "removed": False}
