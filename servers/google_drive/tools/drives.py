"""Shared drives. https://developers.google.com/workspace/drive/api/reference/rest/v3/drives"""

import re
from typing import Annotated, Any

from legoenv_mcp.app import MISSING, URLSAFE, Ctx, Field, Payload, Query, Reply, ToolOnly

from .. import listing, schemas
from ..access import RANKS, Tree, permission_id
from ..app import Flag, app, forbidden, insufficient, invalid_value, not_found, over_rest, refuse
from ..fields import answers
from ..models import Drive, File, Permission
from ..query import Term, moment, parse
from ..resources import drive_json
from ..words import FOLDER, THEME_IMAGE, THEMES
from ..writing import delete_drive as remove_drive
from ..writing import note

Body = Annotated[schemas.Drive | None, Payload(mcp=False)]
Said = Annotated[str | MISSING, ToolOnly()]
_DATES = ("<=", "<", "=", "!=", ">", ">=")
_NUMBERS = ("=", "!=", "<", "<=", ">", ">=")


def _open(ctx: Ctx, key: str, need: str = "reader", admin: bool | None = None) -> tuple[Tree, Drive]:
    """A shared drive that the caller is a member of, or that an administrator of the domain asks for as such."""
    tree = Tree(ctx)
    root, drive = tree.row(key), tree.drive(key)
    if root is None or drive is None:
        raise not_found("Drive", key)
    if admin and tree.me.admin:
        return tree, drive
    rank = tree.rank(root)
    if rank == 0:
        raise not_found("Drive", key)
    if rank < RANKS[need]:
        raise insufficient(key)
    return tree, drive


def _terms(tree: Tree) -> dict[str, Term]:
    def members(drive: Drive, role: str = "") -> int:
        root = tree.row(drive.id)
        return len([p for p in (tree.given(root) if root else []) if not role or p.role == role])

    return {
        "name": Term(("contains", "=", "!="), "name", lambda d: d.name),
        "hidden": Term(("=", "!="), "boolean", lambda d: d.hidden),
        "createdTime": Term(_DATES, "date", lambda d: moment(d.createdTime)),
        "memberCount": Term(_NUMBERS, "number", members),
        "organizerCount": Term(_NUMBERS, "number", lambda d: members(d, "organizer")),
    }


@app.get("/drive/v3/drives", tool="list_drives")
@answers("DriveList")
def list_drives(
    ctx: Ctx, q: str | None = None, pageSize: Annotated[int, Field(ge=1, le=100)] | None = None, pageToken: str | None = None,
    useDomainAdminAccess: bool | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the shared drives that the caller is a member of.

    q: A query as name contains 'x' or hidden = false (createdTime, memberCount, organizerCount).
    pageSize: How many to list; 10 by default, at most 100.
    pageToken: The nextPageToken of the page before.
    useDomainAdminAccess: For administrators: true for every shared drive of the domain.
    """
    tree = Tree(ctx)
    if useDomainAdminAccess and not tree.me.admin:
        text = "The user is not an administrator of the domain."
        raise forbidden(text, "noListTeamDrivesAdministratorPrivilege")
    query = parse(q or "", _terms(tree))

    def seen(drive: Drive) -> bool:
        root = tree.row(drive.id)
        return bool(useDomainAdminAccess) or (root is not None and tree.rank(root) > 0)

    found = [
        d for d in sorted(ctx.db.find(Drive), key=lambda d: (d.name.casefold(), d.id)) if seen(d) and query.test(d)
    ]
    shown, rest = listing.page(found, pageSize or 10, pageToken, "drives", q, bool(useDomainAdminAccess))
    return {"kind": "drive#driveList", **rest, "drives": [drive_json(tree, d) for d in shown]}


@app.get("/drive/v3/drives/{driveId}", tool="get_drive")
@answers("Drive")
def get_drive(ctx: Ctx, driveId: str, useDomainAdminAccess: Flag = None) -> dict[str, Any]:
    """Gets a shared drive.

    driveId: The shared drive's id.
    """
    tree, drive = _open(ctx, driveId, admin=useDomainAdminAccess)
    return drive_json(tree, drive)


@app.post("/drive/v3/drives", tool="create_drive")
@answers("Drive")
def create_drive(
    ctx: Ctx, requestId: Annotated[str, Query()], resource: Body = None, name: Said = MISSING, themeId: Said = MISSING,
    hidden: Annotated[bool | MISSING, ToolOnly()] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Creates a shared drive, whose organizer the caller is. create_permission on its id adds members.

    requestId: Any text that is the request's own: a second request with it makes no second drive.
    name: The shared drive's name.
    themeId: The theme of its background, as lake or rail.
    hidden: Whether to leave it out of the default view.
    """
    tree = Tree(ctx)
    said = _told(ctx, resource, name=name, themeId=themeId, hidden=hidden)
    title = (said.get("name") or "").strip()
    if not requestId:
        raise refuse("Required parameter: requestId", "required", location="requestId")
    if not title:
        raise refuse("A shared drive name is required.", "required", location="name")
    if said.get("restrictions"):
        raise forbidden(
            "The resource body includes fields which are not directly writable.",
            "fieldNotWritable",
            location="restrictions",
        )
    if ctx.db.count(Drive, requestId=requestId):
        raise refuse("A shared drive with the same request ID was created already.", "teamDriveAlreadyExists", 409)
    look = _look(said)
    now, key = ctx.timestamp("milliseconds"), ctx.id("0A", 14, URLSAFE, kind="drive") + "PVA"
    drive = ctx.db.add(Drive(
        id=key, name=title, hidden=bool(said.get("hidden")), requestId=requestId, createdTime=now,
        **(look or _look({"themeId": list(THEMES)[ctx.db.count(Drive) % len(THEMES)]})),
    ))  # fmt: skip
    ctx.db.add(File(
        id=key, name="Drive", mimeType=FOLDER, driveId=key, createdTime=now, modifiedTime=now, lastModifyingUser=tree.me.email
    ))  # fmt: skip
    ctx.db.add(Permission(
        file_id=key, id=permission_id("user", tree.me.email), type="user", role="organizer", emailAddress=tree.me.email,
    ))  # fmt: skip
    note(ctx, key, drive=key, kind="drive")
    return drive_json(Tree(ctx), drive)


def _told(ctx: Ctx, resource: schemas.Drive | None, **given: Any) -> dict[str, Any]:
    if over_rest(ctx):
        return {n: v for n, v in resource.sent().items() if v is not None} if resource else {}
    return {n: v for n, v in given.items() if v is not MISSING}


def _look(said: dict[str, Any]) -> dict[str, Any]:
    """The columns of a theme or a colour."""
    theme, color = said.get("themeId"), said.get("colorRgb")
    if theme:
        if color:
            raise refuse("The themeId and colorRgb fields cannot be set in one request.", "invalid", location="themeId")
        if theme not in THEMES:
            raise invalid_value("themeId", f"themes are {', '.join(THEMES)}.")
        return {"colorRgb": THEMES[theme], "backgroundImageLink": THEME_IMAGE.format(theme)}
    if color:
        if not re.fullmatch(r"#[0-9A-Fa-f]{6}", color):
            raise invalid_value("colorRgb", "a colour is written as #4986e7.")
        return {"colorRgb": color.lower()}
    return {}


@app.patch("/drive/v3/drives/{driveId}", tool="update_drive")
@answers("Drive")
def update_drive(
    ctx: Ctx, driveId: str, resource: Body = None, name: Said = MISSING, themeId: Said = MISSING, colorRgb: Said = MISSING,
    hidden: Annotated[bool | MISSING, ToolOnly()] = MISSING,
    domainUsersOnly: Annotated[bool | MISSING, ToolOnly()] = MISSING, driveMembersOnly: Annotated[bool | MISSING, ToolOnly()] = MISSING,
    useDomainAdminAccess: Flag = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a shared drive: its name, its look, who items in it may be shared with. Needs the role of an organizer.

    driveId: The shared drive's id.
    name: The new name.
    themeId: The theme of its background.
    colorRgb: Its colour, as #4986e7.
    hidden: Whether it is left out of the default view.
    domainUsersOnly: Whether only users of the domain may have access to what is in it.
    driveMembersOnly: Whether only its members may.
    """
    said = _told(ctx, resource, name=name, themeId=themeId, colorRgb=colorRgb, hidden=hidden)
    limits = {"domainUsersOnly": domainUsersOnly, "driveMembersOnly": driveMembersOnly}
    if over_rest(ctx):
        limits = said.get("restrictions") or {}
    limits = {n: v for n, v in limits.items() if v is not MISSING and v is not None}
    personal = set(said) <= {"hidden"} and not limits
    tree, drive = _open(ctx, driveId, "reader" if personal else "organizer", useDomainAdminAccess)
    changes: dict[str, Any] = _look(said)
    if said.get("name") and said["name"].strip():
        changes["name"] = said["name"].strip()
    if "hidden" in said:
        changes["hidden"] = said["hidden"]
    if limits:
        changes["restrictions"] = {**drive.restrictions, **limits}
    return _write(ctx, tree, drive, changes)


def _write(ctx: Ctx, tree: Tree, drive: Drive, changes: dict[str, Any]) -> dict[str, Any]:
    real = {n: v for n, v in changes.items() if getattr(drive, n) != v}
    if real:
        ctx.db.update(drive, **real)
        note(ctx, drive.id, drive=drive.id, kind="drive")
    return drive_json(tree, drive)


@app.delete("/drive/v3/drives/{driveId}", tool="delete_drive", status=204)
def delete_drive(
    ctx: Ctx, driveId: str, allowItemDeletion: bool | None = None, useDomainAdminAccess: bool | None = None
) -> Reply:
    """Deletes a shared drive for good. It must hold nothing outside the trash. Needs the role of an organizer.

    driveId: The shared drive's id.
    allowItemDeletion: For administrators, with useDomainAdminAccess: whether what it holds goes with it.
    useDomainAdminAccess: For administrators: true to act as one.
    """
    tree, drive = _open(ctx, driveId, "organizer", useDomainAdminAccess)
    if allowItemDeletion and not (useDomainAdminAccess and tree.me.admin):
        raise refuse(
            "The allowItemDeletion parameter needs useDomainAdminAccess.", "invalid", location="allowItemDeletion"
        )
    root = tree.row(drive.id)
    if root is not None and not allowItemDeletion and any(not tree.trashed(r) for r in tree.below(root)):
        text = "A shared drive cannot be deleted while it has items that are not in the trash."
        raise forbidden(text, "cannotDeleteResourceWithChildren")
    remove_drive(ctx, tree, drive)
    return Reply(None, 204)


@app.post("/drive/v3/drives/{driveId}/hide", tool="hide_drive", effect="update", mcp=False)
@answers("Drive")
def hide_drive(ctx: Ctx, driveId: str) -> dict[str, Any]:
    """Leaves a shared drive out of the default view."""
    tree, drive = _open(ctx, driveId)
    return _write(ctx, tree, drive, {"hidden": True})


@app.post("/drive/v3/drives/{driveId}/unhide", tool="unhide_drive", effect="update", mcp=False)
@answers("Drive")
def unhide_drive(ctx: Ctx, driveId: str) -> dict[str, Any]:
    """Shows a shared drive in the default view again."""
    tree, drive = _open(ctx, driveId)
    return _write(ctx, tree, drive, {"hidden": False})
