"""Sharing. https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Payload, Query, Reply, ToolOnly

from .. import listing, schemas, sharing
from ..access import RANKS, Tree
from ..app import Flag, Text, app, insufficient, over_rest
from ..fields import answers
from ..models import File
from ..resources import permission_json

Body = Annotated[schemas.Permission | None, Payload(mcp=False)]
Role = Annotated[Literal["reader", "commenter", "writer", "fileOrganizer", "organizer", "owner"] | MISSING, ToolOnly()]
Said = Annotated[str | MISSING, ToolOnly()]
Transfer = Annotated[bool | None, Query()]


def _told(ctx: Ctx, resource: schemas.Permission | None) -> dict[str, Any]:
    if over_rest(ctx):
        return {n: v for n, v in resource.sent().items() if v is not None} if resource else {}
    names = ("type", "role", "emailAddress", "domain", "allowFileDiscovery", "expirationTime")
    return {n: v for n, v in ctx.sent().items() if n in names and v is not MISSING}


def _file(ctx: Ctx, key: str, drives: bool | None, admin: bool | None) -> tuple[Tree, File]:
    """The file or shared drive whose sharing it is; administrators of the domain may act on every shared drive."""
    tree = Tree(ctx)
    if admin and tree.me.admin and tree.drive(key) is not None:
        tree.administered = key
    return tree, tree.require(key, drives=drives)


@app.get("/drive/v3/files/{fileId}/permissions", tool="list_permissions")
@answers("PermissionList")
def list_permissions(
    ctx: Ctx, fileId: str, pageSize: Annotated[int, Field(ge=1, le=100)] | None = None, pageToken: str | None = None,
    includePermissionsForView: Text = None, supportsAllDrives: Flag = None, supportsTeamDrives: Flag = None,
    useDomainAdminAccess: Flag = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists who has a file, folder or shared drive and with which role, what is inherited from folders above included.

    fileId: The id of the file, folder or shared drive.
    pageSize: How many to list, at most 100.
    pageToken: The nextPageToken of the page before.
    """
    tree, row = _file(ctx, fileId, supportsAllDrives or supportsTeamDrives, useDomainAdminAccess)
    if tree.rank(row) < RANKS["writer"]:
        raise insufficient(fileId)
    shown, rest = listing.page(tree.grants(row), pageSize or 100, pageToken, "permissions", row.id)
    return {"kind": "drive#permissionList", **rest, "permissions": [permission_json(tree, row, g) for g in shown]}


@app.get("/drive/v3/files/{fileId}/permissions/{permissionId}", tool="get_permission")
@answers("Permission")
def get_permission(
    ctx: Ctx, fileId: str, permissionId: str, supportsAllDrives: Flag = None, supportsTeamDrives: Flag = None,
    useDomainAdminAccess: Flag = None,
) -> dict[str, Any]:  # fmt: skip
    """Gets what one grantee has on a file.

    fileId: The id of the file, folder or shared drive.
    permissionId: The id of the permission, from list_permissions.
    """
    tree, row = _file(ctx, fileId, supportsAllDrives or supportsTeamDrives, useDomainAdminAccess)
    grant = sharing.grant_of(tree, row, permissionId)
    if tree.rank(row) < RANKS["writer"] and not tree.applies(grant):
        raise insufficient(fileId)
    return permission_json(tree, row, grant)


@app.post("/drive/v3/files/{fileId}/permissions", tool="create_permission")
@answers("Permission")
def create_permission(
    ctx: Ctx, fileId: str, resource: Body = None,
    type: Annotated[Literal["user", "group", "domain", "anyone"] | MISSING, ToolOnly()] = MISSING, role: Role = MISSING,
    emailAddress: Said = MISSING, domain: Said = MISSING, allowFileDiscovery: Annotated[bool | MISSING, ToolOnly()] = MISSING,
    expirationTime: Said = MISSING, sendNotificationEmail: Transfer = None, emailMessage: Annotated[str | None, Query()] = None,
    transferOwnership: Transfer = None, moveToNewOwnersRoot: Annotated[bool | None, Query(mcp=False)] = None,
    supportsAllDrives: Annotated[bool | None, Query(mcp=False)] = None, enforceExpansiveAccess: Flag = None,
    enforceSingleParent: Flag = None, supportsTeamDrives: Flag = None, useDomainAdminAccess: Flag = None,
) -> dict[str, Any]:  # fmt: skip
    """Shares a file, folder (with all in it) or shared drive. Who has a better role already keeps it. The role owner gives the file away
    and needs transferOwnership.

    fileId: The id of the file, folder or shared drive.
    type: With whom: a user, a group, everybody of a domain, or anyone who has the link.
    role: reader, commenter, writer or owner; in shared drives also fileOrganizer and organizer.
    emailAddress: The address of the user or group.
    domain: The domain, as example.com.
    allowFileDiscovery: For a domain or anyone: whether searches find it too; by default the link is needed.
    expirationTime: When the access of a user or group ends, as 2026-12-31T00:00:00Z.
    sendNotificationEmail: For a user or group: whether they get a mail about it; by default they do.
    emailMessage: What that mail says.
    transferOwnership: true to make the user the owner; the owner now stays on as a writer.
    """
    tree, row = _file(ctx, fileId, supportsAllDrives or supportsTeamDrives, useDomainAdminAccess)
    grant = sharing.share(
        ctx,
        tree,
        row,
        _told(ctx, resource),
        transfer=transferOwnership,
        mail=sendNotificationEmail,
        to_root=moveToNewOwnersRoot,
    )
    return permission_json(Tree(ctx), row, grant)


@app.patch("/drive/v3/files/{fileId}/permissions/{permissionId}", tool="update_permission")
@answers("Permission")
def update_permission(
    ctx: Ctx, fileId: str, permissionId: str, resource: Body = None, role: Role = MISSING, expirationTime: Said = MISSING,
    removeExpiration: Transfer = None, transferOwnership: Transfer = None,
    supportsAllDrives: Annotated[bool | None, Query(mcp=False)] = None, enforceExpansiveAccess: Flag = None,
    supportsTeamDrives: Flag = None, useDomainAdminAccess: Flag = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a grantee's role on a file, or when it ends. A role that is inherited can be raised here, not lowered.

    fileId: The id of the file, folder or shared drive.
    permissionId: The id of the permission, from list_permissions.
    role: The new role.
    expirationTime: When the access ends, as 2026-12-31T00:00:00Z.
    removeExpiration: true to let it not end.
    transferOwnership: true, with the role owner, to give the file away.
    """
    tree, row = _file(ctx, fileId, supportsAllDrives or supportsTeamDrives, useDomainAdminAccess)
    said = _told(ctx, resource)
    grant = sharing.change(ctx, tree, row, permissionId, said, transfer=transferOwnership, endless=removeExpiration)
    return permission_json(Tree(ctx), row, grant)


@app.delete("/drive/v3/files/{fileId}/permissions/{permissionId}", tool="delete_permission", status=204)
def delete_permission(
    ctx: Ctx, fileId: str, permissionId: str, supportsAllDrives: Flag = None, enforceExpansiveAccess: Flag = None,
    supportsTeamDrives: Flag = None, useDomainAdminAccess: Flag = None,
) -> Reply:  # fmt: skip
    """Takes a grantee's access to a file away. What is inherited is taken away where it was given.

    fileId: The id of the file, folder or shared drive.
    permissionId: The id of the permission, from list_permissions.
    """
    tree, row = _file(ctx, fileId, supportsAllDrives or supportsTeamDrives, useDomainAdminAccess)
    sharing.unshare(ctx, tree, row, permissionId)
    return Reply(None, 204)
