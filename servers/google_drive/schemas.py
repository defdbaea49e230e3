"""The resources of the API as callers write them. Fields that the product does not know are read over.

https://developers.google.com/workspace/drive/api/reference/rest/v3
"""

from typing import Annotated, Any

from pydantic import BaseModel, Field

Text = str | None
Flag = bool | None
Number = Annotated[int, Field(ge=-(2**31), lt=2**31)] | None


class Resource(BaseModel, extra="allow"):
    """A JSON object of the API."""

    def sent(self) -> dict[str, Any]:
        """What the caller wrote, null included."""
        return self.model_dump(exclude_unset=True)


class ContentRestriction(BaseModel, extra="ignore"):
    readOnly: Flag = None
    reason: Text = None
    ownerRestricted: Flag = None


class Thumbnail(BaseModel, extra="ignore"):
    image: Text = None
    mimeType: Text = None


class ContentHints(BaseModel, extra="ignore"):
    indexableText: Text = None
    thumbnail: Thumbnail | None = None


class ShortcutDetails(BaseModel, extra="ignore"):
    targetId: Text = None


class File(Resource):
    appProperties: dict[str, Text] | None = None
    contentHints: ContentHints | None = None
    contentRestrictions: list[ContentRestriction] | None = None
    copyRequiresWriterPermission: Flag = None
    createdTime: Text = None
    description: Text = None
    folderColorRgb: Text = None
    id: Text = None
    mimeType: Text = None
    modifiedTime: Text = None
    name: Text = None
    originalFilename: Text = None
    parents: list[str] | None = None
    properties: dict[str, Text] | None = None
    shortcutDetails: ShortcutDetails | None = None
    starred: Flag = None
    trashed: Flag = None
    viewedByMeTime: Text = None
    viewersCanCopyContent: Flag = None
    writersCanShare: Flag = None


class Permission(Resource):
    allowFileDiscovery: Flag = None
    domain: Text = None
    emailAddress: Text = None
    expirationTime: Text = None
    pendingOwner: Flag = None
    role: Text = None
    type: Text = None
    view: Text = None


class QuotedFileContent(BaseModel, extra="ignore"):
    mimeType: Text = None
    value: Text = None


class Comment(Resource):
    anchor: Text = None
    content: Text = None
    quotedFileContent: QuotedFileContent | None = None


class Reply(Resource):
    action: Text = None
    content: Text = None


class Revision(Resource):
    keepForever: Flag = None
    publishAuto: Flag = None
    published: Flag = None
    publishedOutsideDomain: Flag = None


class Restrictions(BaseModel, extra="ignore"):
    adminManagedRestrictions: Flag = None
    copyRequiresWriterPermission: Flag = None
    domainUsersOnly: Flag = None
    driveMembersOnly: Flag = None
    sharingFoldersRequiresOrganizerPermission: Flag = None


class Drive(Resource):
    colorRgb: Text = None
    hidden: Flag = None
    name: Text = None
    restrictions: Restrictions | None = None
    themeId: Text = None


class Channel(Resource):
    address: Text = None
    expiration: str | int | None = None
    id: Text = None
    params: dict[str, Text] | None = None
    payload: Flag = None
    resourceId: Text = None
    token: Text = None
    type: Text = None
