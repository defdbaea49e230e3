"""What can be selected of each answer, and what an answer has where the caller selects nothing.

https://developers.google.com/workspace/drive/api/guides/fields-parameter
"""

from typing import Any

from legoenv_mcp.styles.google import Names


def _names(text: str, **nested: Names) -> Names:
    return {**{name: {} for name in text.split()}, **nested}


_USER = _names("displayName emailAddress kind me permissionId photoLink")
_CAPABILITIES = _names(
    "canAcceptOwnership canAccessViaGenAi canAddChildren canAddFolderFromAnotherDrive canAddMyDriveParent"
    " canChangeCopyRequiresWriterPermission canChangeItemDownloadRestriction canChangeSecurityUpdateEnabled canChangeViewersCanCopyContent"
    " canComment canCopy canDelete canDeleteChildren canDisableInheritedPermissions canDownload canEdit canEnableInheritedPermissions"
    " canListChildren canModifyContent canModifyContentRestriction canModifyEditorContentRestriction canModifyLabels"
    " canModifyOwnerContentRestriction canMoveChildrenOutOfDrive canMoveChildrenOutOfTeamDrive canMoveChildrenWithinDrive"
    " canMoveChildrenWithinTeamDrive canMoveItemIntoTeamDrive canMoveItemOutOfDrive canMoveItemOutOfTeamDrive canMoveItemWithinDrive"
    " canMoveItemWithinTeamDrive canMoveTeamDriveItem canReadDrive canReadLabels canReadRevisions canReadTeamDrive canRemoveChildren"
    " canRemoveContentRestriction canRemoveMyDriveParent canRename canShare canStartApproval canTrash canTrashChildren canUntrash"
)
_DETAIL = _names("inherited inheritedFrom permissionType role")
PERMISSION: Names = _names(
    "allowFileDiscovery deleted displayName domain emailAddress expirationTime id inheritedPermissionsDisabled kind pendingOwner photoLink"
    " role type view",
    permissionDetails=_DETAIL,
    teamDrivePermissionDetails=_names("inherited inheritedFrom teamDrivePermissionType role"),
)
_LABEL = _names("fields id kind revisionId")
_RESTRICTION = _names("ownerRestricted readOnly reason restrictionTime systemRestricted type", restrictingUser=_USER)
FILE: Names = _names(
    "copyRequiresWriterPermission createdTime description driveId explicitlyTrashed fileExtension folderColorRgb fullFileExtension"
    " hasAugmentedPermissions hasThumbnail headRevisionId iconLink id inheritedPermissionsDisabled isAppAuthorized kind md5Checksum"
    " mimeType modifiedByMe modifiedByMeTime modifiedTime name originalFilename ownedByMe parents permissionIds quotaBytesUsed resourceKey"
    " sha1Checksum sha256Checksum shared sharedWithMeTime size spaces starred teamDriveId thumbnailLink thumbnailVersion trashed"
    " trashedTime version viewedByMe viewedByMeTime viewersCanCopyContent webContentLink webViewLink writersCanShare",
    appProperties={"*": {}}, capabilities=_CAPABILITIES, contentRestrictions=_RESTRICTION, exportLinks={"*": {}},
    contentHints=_names("indexableText", thumbnail=_names("image mimeType")), lastModifyingUser=_USER, owners=_USER,
    permissions=PERMISSION, properties={"*": {}}, sharingUser=_USER, trashingUser=_USER,
    shortcutDetails=_names("targetId targetMimeType targetResourceKey"),
    linkShareMetadata=_names("securityUpdateEligible securityUpdateEnabled"), labelInfo={"labels": _LABEL},
    imageMediaMetadata={"*": {}}, videoMediaMetadata=_names("durationMillis height width"), clientEncryptionDetails={"*": {}},
    downloadRestrictions={"*": {}},
)  # fmt: skip
REPLY: Names = _names(
    "action assigneeEmailAddress content createdTime deleted htmlContent id kind mentionedEmailAddresses modifiedTime",
    author=_USER,
)
COMMENT: Names = _names(
    "anchor assigneeEmailAddress content createdTime deleted htmlContent id kind mentionedEmailAddresses modifiedTime resolved",
    author=_USER, quotedFileContent=_names("mimeType value"), replies=REPLY,
)  # fmt: skip
REVISION: Names = _names(
    "id keepForever kind md5Checksum mimeType modifiedTime originalFilename publishAuto published publishedLink"
    " publishedOutsideDomain size",
    exportLinks={"*": {}}, lastModifyingUser=_USER,
)  # fmt: skip
_DRIVE_CAPABILITIES = _names(
    "canAddChildren canChangeCopyRequiresWriterPermissionRestriction canChangeDomainUsersOnlyRestriction canChangeDownloadRestriction"
    " canChangeDriveBackground canChangeDriveMembersOnlyRestriction canChangeSharingFoldersRequiresOrganizerPermissionRestriction"
    " canComment canCopy canDeleteChildren canDeleteDrive canDownload canEdit canListChildren canManageMembers canReadRevisions canRename"
    " canRenameDrive canResetDriveRestrictions canShare canTrashChildren"
)
DRIVE: Names = _names(
    "backgroundImageLink colorRgb createdTime hidden id kind name orgUnitId themeId", capabilities=_DRIVE_CAPABILITIES,
    backgroundImageFile=_names("id width xCoordinate yCoordinate"),
    restrictions=_names(
        "adminManagedRestrictions copyRequiresWriterPermission domainUsersOnly driveMembersOnly"
        " sharingFoldersRequiresOrganizerPermission",
        downloadRestriction={"*": {}},
    ),
)  # fmt: skip
_CHANGE = _names("changeType driveId fileId kind removed teamDriveId time type", file=FILE, drive=DRIVE)
_THEME = _names("backgroundImageLink colorRgb id")
_APP = _names(
    "authorized hasDriveWideScope id installed kind name objectType primaryMimeTypes supportsCreate useByDefault"
)


def _list(key: str, item: Names, extra: str = "") -> Names:
    return _names(f"kind nextPageToken {extra}", **{key: item})


SCHEMAS: dict[str, Names] = {
    "File": FILE, "Permission": PERMISSION, "Comment": COMMENT, "Reply": REPLY, "Revision": REVISION, "Drive": DRIVE,
    "FileList": _list("files", FILE, "incompleteSearch"),
    "PermissionList": _list("permissions", PERMISSION),
    "CommentList": _list("comments", COMMENT),
    "ReplyList": _list("replies", REPLY),
    "RevisionList": _list("revisions", REVISION),
    "DriveList": _list("drives", DRIVE),
    "ChangeList": _list("changes", _CHANGE, "newStartPageToken"),
    "StartPageToken": _names("kind startPageToken"),
    "GeneratedIds": _names("ids kind space"),
    "LabelList": _list("labels", _LABEL),
    "AppList": _names("defaultAppIds kind selfLink", items=_APP),
    "App": _APP,
    "Channel": _names("address expiration id kind params payload resourceId resourceUri token type"),
    "Operation": _names("done name", error={"*": {}}, metadata={"*": {}}, response={"*": {}}),
    "About": _names(
        "appInstalled canCreateDrives canCreateTeamDrives folderColorPalette kind maxUploadSize",
        driveThemes=_THEME, teamDriveThemes=_THEME, exportFormats={"*": {}}, importFormats={"*": {}}, maxImportSizes={"*": {}},
        storageQuota=_names("limit usage usageInDrive usageInDriveTrash"), user=_USER,
    ),
}  # fmt: skip
"""What each response has, by its name in the discovery document."""

_REST: dict[str, str] = {
    "File": "kind,id,name,mimeType",
    "FileList": "kind,nextPageToken,incompleteSearch,files(kind,id,name,mimeType)",
    "Permission": "kind,id,type,role",
    "PermissionList": "kind,nextPageToken,permissions(kind,id,type,role)",
    "Revision": "kind,id,mimeType,modifiedTime",
    "RevisionList": "kind,nextPageToken,revisions(kind,id,mimeType,modifiedTime)",
    "Drive": "kind,id,name",
    "DriveList": "kind,nextPageToken,drives(kind,id,name)",
    "ChangeList": "kind,nextPageToken,newStartPageToken,"
    "changes(kind,type,changeType,time,removed,fileId,driveId,file(kind,id,name,mimeType),drive(kind,id,name))",
}
_FILE = "id,name,mimeType,description,parents,driveId,size,starred,trashed,shared,ownedByMe,modifiedTime,shortcutDetails(targetId)"
_GRANT = "id,type,role,emailAddress,displayName,domain,allowFileDiscovery,expirationTime,pendingOwner"
_TALK = "id,author/displayName,content,createdTime,modifiedTime,deleted"
_TOOL: dict[str, str] = {
    "File": f"{_FILE},createdTime,owners(emailAddress,displayName),lastModifyingUser/displayName,md5Checksum,webViewLink,"
    "properties,appProperties,sharedWithMeTime,explicitlyTrashed,shortcutDetails,folderColorRgb",
    "FileList": f"nextPageToken,files({_FILE},owners/emailAddress)",
    "Permission": _GRANT,
    "PermissionList": f"nextPageToken,permissions({_GRANT},permissionDetails(inherited,inheritedFrom))",
    "Comment": f"{_TALK},resolved,anchor,quotedFileContent/value,replies({_TALK},action)",
    "CommentList": f"nextPageToken,comments({_TALK},resolved,quotedFileContent/value,replies({_TALK},action))",
    "Reply": f"{_TALK},action",
    "ReplyList": f"nextPageToken,replies({_TALK},action)",
    "Revision": "id,mimeType,modifiedTime,keepForever,size,originalFilename,lastModifyingUser(displayName,emailAddress)",
    "RevisionList": "nextPageToken,revisions(id,mimeType,modifiedTime,keepForever,size,lastModifyingUser/displayName)",
    "Drive": "id,name,createdTime,hidden,colorRgb,restrictions",
    "DriveList": "nextPageToken,drives(id,name,createdTime,hidden)",
    "ChangeList": "nextPageToken,newStartPageToken,"
    "changes(changeType,time,removed,fileId,driveId,file(id,name,mimeType,parents,trashed,modifiedTime),drive(id,name))",
    "About": "user,storageQuota,canCreateDrives",
}

RESPONSES: dict[str, Names] = {}
"""Tool -> what its answer has; filled by `answers`."""

DEFAULTS: dict[str, str] = {}
"""Tool -> what the product answers where no fields are selected; everything where it is not here."""

SHOWN: dict[str, str] = {}
"""Tool -> what agents see where they select nothing."""


def answers(response: str) -> Any:
    """Marks an operation's function with its response's name, for `fields`."""

    def mark(fn: Any) -> Any:
        RESPONSES[fn.__name__] = SCHEMAS[response]
        if response in _REST:
            DEFAULTS[fn.__name__] = _REST[response]
        if response in _TOOL:
            SHOWN[fn.__name__] = _TOOL[response]
        return fn

    return mark
