"""Who a file is shared with. https://developers.google.com/workspace/drive/api/guides/manage-sharing"""

import re
from datetime import timedelta
from typing import Any

from legoenv_mcp.app import Ctx

from . import metadata
from .access import RANKS, Grant, Tree, permission_id
from .app import ApiError, forbidden, insufficient, refuse
from .models import File, Json, Permission
from .query import moment
from .words import FOLDER
from .writing import forgo, note

EMAIL = re.compile(r"[^@\s]{1,200}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_DOMAIN = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_TYPES = ("user", "group", "domain", "anyone")
_ROLES = ("reader", "commenter", "writer", "fileOrganizer", "organizer", "owner")


def _needed(name: str) -> ApiError:
    return refuse(f"The permission {name} field is required.", "required", location=f"permission.{name}")


def _inapplicable(name: str) -> ApiError:
    text = f"The specified {name} is invalid or not applicable for the given permission type."
    return refuse(text, "invalid", location=f"permission.{name}")


def _check_role(row: File, kind: str, role: str) -> None:
    """Whether a role fits the kind of grantee and the place of the file."""
    if role not in _ROLES:
        raise refuse(
            "The specified role is invalid.",
            "invalid",
            location="permission.role",
            hint=f"it is one of {', '.join(_ROLES)}.",
        )
    if row.driveId:
        if role == "owner":
            raise forbidden(
                "Ownership of items in shared drives cannot be granted.", "ownerOnTeamDriveItemNotSupported"
            )
        if role == "organizer" and row.id != row.driveId:
            raise forbidden(
                "The organizer role is only supported on shared drives.", "organizerOnNonTeamDriveItemNotSupported"
            )
        if role == "fileOrganizer" and row.mimeType != FOLDER:
            text = "The fileOrganizer role is only supported on shared drives and folders in them."
            raise forbidden(text, "fileOrganizerOnFoldersInSharedDriveOnly")
        if row.id == row.driveId and kind in ("domain", "anyone"):
            text = "A shared drive's members are users and groups."
            raise forbidden(text, "cannotShareTeamDriveTopFolderWithAnyoneOrDomains")
    elif role in ("organizer", "fileOrganizer"):
        name = "organizer" if role == "organizer" else "fileOrganizer"
        raise forbidden(
            f"The {name} role is only supported for items in shared drives.", f"{name}OnNonTeamDriveNotSupported"
        )
    if role in ("owner", "organizer", "fileOrganizer") and kind in ("domain", "anyone"):
        raise refuse(
            "The specified role is not applicable for the given permission type.", "invalid", location="permission.role"
        )


def _expiration(ctx: Ctx, row: File, kind: str, text: str) -> str:
    told, found = metadata.time_of("expirationTime", text), moment(text)
    if kind not in ("user", "group"):
        raise forbidden(
            "Expiration dates can only be set on user and group permissions.", "cannotSetExpirationOnAnyoneOrDomain"
        )
    if row.driveId and row.id == row.driveId:
        text = "Expiration dates cannot be set for members of shared drives."
        raise forbidden(text, "expirationDateNotAllowedForSharedDriveMembers")
    if found is None or found <= ctx.now:
        raise forbidden("Expiration dates must be in the future.", "expirationDatesMustBeInTheFuture")
    if found > ctx.now + timedelta(days=366):
        raise forbidden("Expiration dates cannot be more than a year in the future.", "cannotSetExpiration")
    return told


def _check_may_share(tree: Tree, row: File) -> None:
    if row.space != "drive":
        raise forbidden(
            "Method not supported for files within the Application Data folder.", "notSupportedForAppDataFolderFiles"
        )
    if tree.is_root(row) and not row.driveId:
        raise forbidden("The root folder cannot be shared.", "cannotShareRootFolder")
    if not tree.may_share(row):
        raise insufficient(row.id)


def _check_mail(tree: Tree, kind: str, role: str, value: str, mail: bool | None) -> None:
    """Whom a notification goes to, and who cannot do without one."""
    if kind not in ("user", "group"):
        if mail is not None:
            text = "The sendNotificationEmail parameter is only applicable for permissions of type 'user' or 'group'."
            raise forbidden(text, location="sendNotificationEmail")
        return
    if role == "owner" and mail is False:
        raise forbidden(
            "The sendNotificationEmail parameter cannot be disabled for ownership transfers.",
            location="sendNotificationEmail",
        )
    domain = value.rpartition("@")[2].lower()
    if kind == "user" and domain == tree.me.domain.lower() and tree.person(value) is None and mail is False:
        text = (
            f"You are trying to invite {value}. Since there is no Google account associated with this email address, you must "
            'check the "Notify people" box to invite this recipient.'
        )
        raise refuse(f'Bad Request. User message: "{text}"', "invalidSharingRequest")


def _check_transfer(tree: Tree, row: File, role: str, kind: str, value: str, transfer: bool | None) -> None:
    if role != "owner":
        return
    if not transfer:
        text = "The transferOwnership parameter must be enabled when the permission role is 'owner'."
        raise forbidden(text, location="transferOwnership", hint="send transferOwnership true to give the file away.")
    if kind != "user":
        raise _inapplicable("role")
    if tree.role(row) != "owner":
        raise insufficient(row.id)
    if value.rpartition("@")[2].lower() != tree.me.domain.lower():
        text = "Ownership can only be transferred to another user in the same organization as the current owner."
        raise forbidden(text, "ownershipChangeAcrossDomainNotPermitted")
    if tree.person(value) is None:
        raise refuse('Bad Request. User message: "The new owner has no Google account."', "invalidSharingRequest")


def grant_of(tree: Tree, row: File, key: str) -> Grant:
    """What a grantee has on a file."""
    found = next((g for g in tree.grants(row) if g.id == key), None)
    if found is None:
        raise ApiError(404, f"Permission not found: {key}.", location="permissionId")
    return found


def share(
    ctx: Ctx,
    tree: Tree,
    row: File,
    said: Json,
    *,
    transfer: bool | None,
    mail: bool | None,
    to_root: bool | None = False,
) -> Grant:
    """Gives somebody a role on a file; one who has a better role already keeps it."""
    _check_may_share(tree, row)
    kind, role = said.get("type"), said.get("role")
    if not kind:
        raise _needed("type")
    if not role:
        raise _needed("role")
    if kind not in _TYPES:
        raise refuse("The specified type is invalid.", "invalid", location="permission.type")
    _check_role(row, kind, role)
    value = ""
    if kind in ("user", "group"):
        value = (said.get("emailAddress") or "").strip()
        if not EMAIL.fullmatch(value):
            raise _inapplicable("emailAddress")
        value = person.email if (person := tree.person(value)) else value
    if kind == "domain":
        value = (said.get("domain") or "").strip().lower()
        if not _DOMAIN.fullmatch(value):
            raise _inapplicable("domain")
    if said.get("allowFileDiscovery") is not None and kind in ("user", "group"):
        raise _inapplicable("allowFileDiscovery")
    _check_transfer(tree, row, role, kind, value, transfer)
    _check_mail(tree, kind, role, value, mail)
    _check_drive_rules(tree, row, kind, value)
    until = _expiration(ctx, row, kind, said["expirationTime"]) if said.get("expirationTime") else None
    if role == "owner":
        _hand_over(ctx, tree, row, value, bool(to_root))
        return grant_of(Tree(ctx), row, permission_id("user", value))
    discoverable = bool(said.get("allowFileDiscovery"))
    key = permission_id(kind, value, discoverable)
    if row.owner and key == permission_id("user", row.owner):
        return grant_of(tree, row, key)
    if kind == "anyone":
        other = ctx.db.get(Permission, (row.id, permission_id(kind, "", not discoverable)))
        if other is not None:  # whether the file can be found is part of the one grant to everybody
            ctx.db.delete(other)
    held = ctx.db.get(Permission, (row.id, key))
    if held is None:
        ctx.db.add(Permission(
            file_id=row.id, id=key, type=kind, role=role, emailAddress=value if kind in ("user", "group") else None,
            domain=value if kind == "domain" else None, allowFileDiscovery=discoverable, expirationTime=until,
        ))  # fmt: skip
    else:
        over = key not in {p.id for p in tree.given(row)}  # access that has run out counts for nothing
        best = role if over else max(held.role, role, key=RANKS.__getitem__)
        ctx.db.update(held, role=best, allowFileDiscovery=discoverable, expirationTime=until)
    _noted(ctx, row)
    return grant_of(Tree(ctx), row, key)


def _check_drive_rules(tree: Tree, row: File, kind: str, value: str) -> None:
    """A shared drive may keep others out."""
    drive = tree.drive(row.driveId)
    if drive is None:
        return
    outside = kind == "anyone" or value.rpartition("@")[2].lower() != tree.me.domain.lower()
    if drive.restrictions.get("domainUsersOnly") and outside:
        text = "The shared drive is restricted to users of its domain."
        raise forbidden(text, "teamDriveDomainUsersOnlyRestriction")
    root = tree.row(drive.id)
    members = {p.id for p in tree.given(root)} if root else set[str]()
    if drive.restrictions.get("driveMembersOnly") and row.id != drive.id and permission_id(kind, value) not in members:
        raise forbidden("The shared drive is restricted to its members.", "teamDriveTeamMembersOnlyRestriction")


def _noted(ctx: Ctx, row: File) -> None:
    ctx.db.update(row, version=row.version + 1)
    note(ctx, row.id, drive=row.driveId)


def _hand_over(ctx: Ctx, tree: Tree, row: File, email: str, to_root: bool) -> None:
    """Makes somebody else the owner; who was it stays on as a writer."""
    person = tree.person(email)
    new, old = person.email if person else email, row.owner
    if new.lower() == old.lower():
        return
    forgo(ctx, row, new)
    key, now = permission_id("user", old), ctx.timestamp("milliseconds")
    ctx.db.add(Permission(file_id=row.id, id=key, type="user", role="writer", emailAddress=old))
    moved: Json = {"parent": None} if to_root else {}
    ctx.db.update(row, owner=new, sharedWithMeTime=now, sharingUser=new, **moved)
    _noted(ctx, row)


def _whence(grant: Grant, row: File) -> str:
    """Where agents can change what is inherited here."""
    above = [s.place for s in grant.sources if s.place.id != row.id and s.row is not None]
    return "it was given on " + " and ".join(f"{p.name} ({p.id})" for p in above) + "." if above else ""


def change(
    ctx: Ctx, tree: Tree, row: File, key: str, said: Json, *, transfer: bool | None, endless: bool | None
) -> Grant:
    """Changes the role of somebody who has one, or when it ends."""
    for name in said:
        if name in ("type", "emailAddress", "domain", "allowFileDiscovery", "id", "displayName", "view"):
            raise forbidden(
                "The resource body includes fields which are not directly writable.", "fieldNotWritable", location=name
            )
    grant = grant_of(tree, row, key)
    _check_may_share(tree, row)
    role = said.get("role")
    if role:
        _check_role(row, grant.type, role)
        _check_transfer(tree, row, role, grant.type, grant.email or "", transfer)
    if row.owner and key == permission_id("user", row.owner):
        if role in (None, "owner"):
            return grant
        raise forbidden("The owner of a file cannot be removed.", "cannotRemoveOwner")
    if role == "owner":
        _hand_over(ctx, tree, row, grant.email or "", False)
        return grant_of(Tree(ctx), row, key)
    held, above = grant.direct(row), grant.inherited(row)
    if above and role and RANKS[role] < RANKS[above]:
        text = "Cannot modify a permission on an item to be less than its inherited access."
        raise forbidden(text, "cannotModifyInheritedPermission", hint=_whence(grant, row))
    if held is None and (role is None or RANKS[role] == RANKS[above]):
        return grant
    changes: Json = {"role": role} if role else {}
    if endless:
        changes["expirationTime"] = None
    elif said.get("expirationTime"):
        changes["expirationTime"] = _expiration(ctx, row, grant.type, said["expirationTime"])
    if held is None:
        ctx.db.add(Permission(
            file_id=row.id, id=key, type=grant.type, emailAddress=grant.email, domain=grant.domain,
            allowFileDiscovery=grant.discoverable, **changes,
        ))  # fmt: skip
    elif all(getattr(held, n) == v for n, v in changes.items()):
        return grant
    else:
        _keep_an_organizer(ctx, row, held, role)
        ctx.db.update(held, **changes)
    _noted(ctx, row)
    return grant_of(Tree(ctx), row, key)


def _keep_an_organizer(ctx: Ctx, row: File, held: Permission, role: Any) -> None:
    """A shared drive always has somebody who manages it."""
    if row.id == row.driveId and held.role == "organizer" and role != "organizer":
        others = [p for p in ctx.db.find(Permission, file_id=row.id, role="organizer") if p.id != held.id]
        if not others:
            raise forbidden("The last organizer of a shared drive cannot be removed.", "cannotChangeOrganizer")


def unshare(ctx: Ctx, tree: Tree, row: File, key: str) -> None:
    """Takes somebody's role away. What comes from a folder above stays; people may always leave by themselves."""
    grant = grant_of(tree, row, key)
    own = grant.type == "user" and tree.applies(grant)
    if not own:
        _check_may_share(tree, row)
    if row.owner and key == permission_id("user", row.owner):
        raise forbidden("The owner of a file cannot be removed.", "cannotRemoveOwner")
    held = grant.direct(row)
    if held is None:
        where = "TeamDrive" if row.driveId else ""
        text = "Cannot update or delete an inherited permission" + (" on a shared drive item." if where else ".")
        raise forbidden(text, f"cannotModifyInherited{where}Permission", hint=_whence(grant, row))
    _keep_an_organizer(ctx, row, held, None)
    ctx.db.delete(held)
    _noted(ctx, row)
