"""Making, changing, moving, trashing and deleting files: what every way to do so comes down to."""

import re
from typing import Any

from legoenv_mcp.app import URLSAFE, Ctx

from . import metadata
from .access import RANKS, Tree, permission_id
from .app import forbidden, insufficient, not_found, over_rest, refuse
from .contents import Media
from .models import Change, Comment, Drive, File, Json, Permission, Reply, Revision
from .words import DOCUMENT, FOLDER, PRESENTATION, SHORTCUT, SPREADSHEET, is_editor

_MOST_KEPT = 200
_CONTENT = ("content", "encoding", "source", "mimeType")
_NOT_TOUCHING = frozenset(
    {"starred", "trashed", "viewedByMeTime", "parent", "trashingUser", "trashedTime", "keptRevisions"}
)


def note(ctx: Ctx, target: str, *, drive: str | None = None, removed: bool = False, kind: Any = "file") -> None:
    """Enters a change in the log."""
    ctx.db.add(Change(target=target, driveId=drive, removed=removed, type=kind, time=ctx.timestamp("milliseconds")))


def parent_for(tree: Tree, key: str, drives: bool | None = True) -> File:
    """A folder that the caller may put files into."""
    row = tree.row(key)
    if row is None or (rank := tree.rank(row)) == 0 or (row.driveId and over_rest(tree.ctx) and not drives):
        raise not_found("File", key)
    if row.mimeType != FOLDER:
        raise forbidden("The specified parent is not a folder.", "parentNotAFolder")
    if rank < RANKS["writer"]:
        raise forbidden("Insufficient permissions for the specified parent.", "insufficientParentPermissions")
    return row


def _new_id(ctx: Ctx, meta: Json, mime: str) -> str:
    """The id of a new file: one made for it beforehand, or a new one."""
    said = meta.get("id")
    if not said:
        return ctx.id("1", 43 if is_editor(mime) else 32, URLSAFE, kind="file")
    if is_editor(mime):
        raise refuse("Generated IDs are not supported for Docs Editors formats.", "fileIdNotSupported", location="id")
    if not re.fullmatch(r"1[A-Za-z0-9_-]{32}", said):
        raise refuse("The provided file ID is not usable.", "invalid", location="id")
    if ctx.db.get(File, said) is not None:
        raise refuse("A file already exists with the provided ID.", "fileIdInUse", 409)
    return said


def _shortcut(tree: Tree, meta: Json, drives: bool | None) -> Json:
    """The columns of a shortcut."""
    target = (meta.get("shortcutDetails") or {}).get("targetId")
    if not target:
        raise refuse("Required parameter: shortcutDetails.targetId", "required", location="shortcutDetails.targetId")
    row = tree.require(target, drives=drives)
    if row.mimeType == SHORTCUT or row.space != "drive":
        raise forbidden("The specified file is not an allowed shortcut target type.", "shortcutTargetInvalid")
    return {"shortcutTargetId": row.id, "shortcutTargetMimeType": row.mimeType, "name": meta.get("name") or row.name}


def create(
    ctx: Ctx,
    tree: Tree,
    meta: Json,
    media: Media | None = None,
    *,
    drives: bool | None = True,
    keep: bool | None = False,
) -> File:
    """Makes a file, folder or shortcut."""
    metadata.check_writable(meta, new=True)
    parent = parent_for(tree, metadata.first_parent(meta) or "root", drives)
    given = metadata.columns(tree, meta, None)
    name = given.pop("name", None) or "Untitled"
    made = metadata.type_and_content(meta, media, name, None)
    mime, now, mine = made["mimeType"], ctx.timestamp("milliseconds"), tree.me.email
    if mime == SHORTCUT:
        made |= _shortcut(tree, meta, drives)
        name = made.pop("name")
    times = {"createdTime": now, "modifiedTime": now, "modifiedByMeTime": now, "viewedByMeTime": now}
    row = ctx.db.add(File(**{
        "id": _new_id(ctx, meta, mime), "name": name, "owner": "" if parent.driveId else mine, "parent": parent.id,
        "driveId": parent.driveId, "space": parent.space, "lastModifyingUser": mine, "originalFilename": name if media else None,
        **times, **given, **made,
    }))  # fmt: skip
    if meta.get("trashed"):
        ctx.db.update(row, trashed=True, trashingUser=mine, trashedTime=now)
    _revise(ctx, row, keep)
    note(ctx, row.id, drive=row.driveId)
    return row


def _revise(ctx: Ctx, row: File, keep: bool | None = False) -> None:
    """Enters a file's content among its revisions."""
    if row.mimeType in (FOLDER, SHORTCUT):
        return
    number = ctx.db.count(Revision, file_id=row.id) + 1 + len(row.deletedRevisions)
    editor = is_editor(row.mimeType)
    revision = ctx.db.add(Revision(
        file_id=row.id, id=str(number) if editor else ctx.id("0B", 49, URLSAFE, kind="revision"), number=number, mimeType=row.mimeType,
        modifiedTime=row.modifiedTime, lastModifyingUser=row.lastModifyingUser, originalFilename=row.originalFilename,
        content=row.content, encoding=row.encoding, source=row.source,
    ))  # fmt: skip
    kept = list(row.keptRevisions)
    if keep and not editor:
        if len(kept) >= _MOST_KEPT:
            raise forbidden("The file has too many revisions that are kept forever.", "limitExceeded")
        kept.append(revision.id)
    ctx.db.update(row, headRevisionId=revision.id, keptRevisions=kept)


def save(ctx: Ctx, tree: Tree, row: File, changes: Json) -> None:
    """Writes changes that differ from what there is, with the marks that they leave."""
    real = {n: v for n, v in changes.items() if getattr(row, n) != v}
    if not real:
        return
    marks: Json = {"version": row.version + 1}
    if set(real) - _NOT_TOUCHING:
        now = ctx.timestamp("milliseconds")
        marks |= {"modifiedTime": now, "modifiedByMeTime": now, "lastModifyingUser": tree.me.email}
        if "modifiedTime" in real:
            marks |= {"modifiedTime": real["modifiedTime"], "modifiedByMeTime": real["modifiedTime"]}
    ctx.db.update(row, **{**real, **marks})
    note(ctx, row.id, drive=row.driveId)


def update(
    ctx: Ctx, tree: Tree, row: File, meta: Json, media: Media | None = None, *, add: str | None = None, remove: str | None = None,
    drives: bool | None = True, keep: bool | None = False,
) -> File:  # fmt: skip
    """Changes a file: its metadata, its content, where it lies."""
    metadata.check_writable(meta, new=False)
    metadata.check_role(tree, row, meta, media)
    changes = metadata.columns(tree, meta, row)
    changes |= metadata.type_and_content(meta, media, changes.get("name", row.name), row)
    if media is not None and row.mimeType in (FOLDER, SHORTCUT):
        raise metadata.bad_content()
    if meta.get("trashed") is not None:
        changes |= _trashing(ctx, tree, row, meta["trashed"])
    moved = _moving(ctx, tree, row, add, remove, drives)
    if media is not None and any(n in changes and changes[n] != getattr(row, n) for n in _CONTENT):
        save(ctx, tree, row, changes)
        _revise(ctx, row, keep)
    else:
        save(ctx, tree, row, changes)
    if moved:
        _place(ctx, tree, row, moved)
    return row


def _trashing(ctx: Ctx, tree: Tree, row: File, trashed: bool) -> Json:
    if row.space != "drive":
        raise forbidden(
            "Method not supported for files within the Application Data folder.", "notSupportedForAppDataFolderFiles"
        )
    if not tree.may_manage(row):
        raise insufficient(row.id)
    if trashed == row.trashed:
        return {}
    now = ctx.timestamp("milliseconds")
    return {
        "trashed": trashed,
        "trashingUser": tree.me.email if trashed else None,
        "trashedTime": now if trashed else None,
    }


def _keys(text: str | None) -> list[str]:
    return list(dict.fromkeys(key.strip() for key in (text or "").split(",") if key.strip()))


def _moving(ctx: Ctx, tree: Tree, row: File, add: str | None, remove: str | None, drives: bool | None) -> File | None:
    """Where a file is to lie; None where it stays."""
    adding, removing = _keys(add), _keys(remove)
    if not adding and not removing:
        return None
    if tree.is_root(row):
        raise forbidden("The file is never writable.", "fileNeverWritable")
    if len(adding) > 1:
        raise forbidden("Increasing the number of parents is not allowed", "cannotAddParent")
    leaving = {tree.require(key, drives=drives).id for key in removing}
    if not adding:
        if row.parent not in leaving:
            return None
        if row.driveId:
            raise forbidden("A shared drive item must have exactly one parent.", "teamDrivesParentLimit")
        target = parent_for(tree, "root")
    else:
        target = parent_for(tree, adding[0], drives)
    if target.id == row.parent:
        return None
    current = tree.row(row.parent)
    if current is not None and current.id not in leaving:
        raise forbidden("Increasing the number of parents is not allowed", "cannotAddParent")
    if tree.rank(row) < RANKS["writer"] or (row.driveId and not tree.may_manage(row)):
        raise insufficient(row.id)
    if current is None and tree.role(row) != "owner":
        raise forbidden("Increasing the number of parents is not allowed", "cannotAddParent")
    if current is not None and tree.rank(current) < RANKS["writer"]:
        raise forbidden("Insufficient permissions for the specified parent.", "insufficientParentPermissions")
    if any(r.id == row.id for r in tree.chain(target)):
        raise refuse("The specified parent is the file itself or lies in it.", "badRequest", location="addParents")
    if target.space != row.space:
        raise forbidden(
            "Method not supported for files within the Application Data folder.", "notSupportedForAppDataFolderFiles"
        )
    if target.driveId != row.driveId:
        _check_crossing(tree, row, target)
    return target


def _check_crossing(tree: Tree, row: File, target: File) -> None:
    """Whether a file may go into a shared drive or out of it."""
    role = tree.role(row)
    if row.mimeType == FOLDER:
        raise forbidden("Moving folders into shared drives is not supported.", "teamDrivesFolderMoveInNotSupported")
    if tree.trashed(row):
        way = "Into" if target.driveId else "OutOf"
        raise forbidden("A trashed item cannot be moved.", f"cannotMoveTrashedItem{way}TeamDrive")
    if role not in ("owner", "organizer"):
        raise insufficient(row.id)


def _place(ctx: Ctx, tree: Tree, row: File, target: File) -> None:
    changes: Json = {"parent": target.id}
    if target.driveId != row.driveId:
        changes |= {"driveId": target.driveId, "owner": "" if target.driveId else tree.me.email}
        forgo(ctx, row, changes["owner"])
    save(ctx, tree, row, changes)


def forgo(ctx: Ctx, row: File, owner: str) -> None:
    """Takes the permission away that a file's new owner had on it: the owner is told on the file."""
    if owner and (held := ctx.db.get(Permission, (row.id, permission_id("user", owner)))):
        ctx.db.delete(held)


def copy(ctx: Ctx, tree: Tree, row: File, meta: Json, *, drives: bool | None = True, keep: bool | None = False) -> File:
    """Copies a file, with the changes that are asked for."""
    metadata.check_writable(meta, new=True)
    blocked = row.copyRequiresWriterPermission and tree.rank(row) < RANKS["writer"]
    if row.mimeType in (FOLDER, SHORTCUT) or row.space != "drive" or blocked:
        raise forbidden("This file cannot be copied by the user.", "cannotCopyFile")
    asked = metadata.first_parent(meta)
    if asked is None:
        above = tree.row(row.parent)
        asked = above.id if above is not None and tree.rank(above) >= RANKS["writer"] else "root"
    mime = meta.get("mimeType") or row.mimeType
    said = {
        "description": row.description, "folderColorRgb": None, "properties": row.properties, "appProperties": row.appProperties,
        **{n: v for n, v in meta.items() if n not in ("properties", "appProperties", "mimeType")}, "parents": [asked],
    }  # fmt: skip
    said = {n: v for n, v in said.items() if n in meta or v}
    for name in ("properties", "appProperties"):
        if name in meta:
            said[name] = {**getattr(row, name), **(meta[name] or {})}
    said["name"] = meta.get("name") or f"Copy of {row.name}"
    if mime != row.mimeType:
        if is_editor(row.mimeType) or mime not in (DOCUMENT, SPREADSHEET, PRESENTATION):
            raise refuse("The requested conversion is not supported.", "badRequest", location="convertTo")
        return create(ctx, tree, {**said, "mimeType": mime}, Media(_data(row), row.mimeType), drives=drives)
    made = create(ctx, tree, {**said, "mimeType": mime}, drives=drives)
    held = {
        n: getattr(row, n) for n in ("content", "encoding", "source", "copyRequiresWriterPermission", "indexableText")
    }
    held["originalFilename"] = row.originalFilename
    ctx.db.update(made, **{n: v for n, v in held.items() if n not in meta})
    if made.headRevisionId and (first := ctx.db.get(Revision, (made.id, made.headRevisionId))):
        ctx.db.update(first, content=made.content, encoding=made.encoding, source=made.source)
        if keep and not is_editor(mime):
            ctx.db.update(made, keptRevisions=[made.headRevisionId])
    return made


def copy_comments(ctx: Ctx, row: File, made: File) -> None:
    """Copies the comments that are open."""
    for comment in ctx.db.find(Comment, order="number", file_id=row.id, deleted=False, resolved=False):
        values = {
            **comment.model_dump(), "id": ctx.id("AAAA", 7, URLSAFE, kind="comment"), "file_id": made.id,
            "number": ctx.sequence("comment"),
        }  # fmt: skip
        ctx.db.add(Comment(**values))


def _data(row: File) -> bytes:
    from_base64 = row.encoding == "base64"
    if from_base64:
        raise refuse("The requested conversion is not supported.", "badRequest", location="convertTo")
    return row.content.encode()


def erase(ctx: Ctx, row: File) -> None:
    """Removes a file with all that hangs on it."""
    for comment in ctx.db.find(Comment, file_id=row.id):
        ctx.db.delete_where(Reply, comment_id=comment.id)
        ctx.db.delete(comment)
    ctx.db.delete_where(Permission, file_id=row.id)
    ctx.db.delete_where(Revision, file_id=row.id)
    ctx.db.delete(row)
    note(ctx, row.id, drive=row.driveId, removed=True)


def delete(ctx: Ctx, tree: Tree, row: File) -> None:
    """Deletes a file past the trash; with a folder goes what its owner has in it, and what others have there loses its place."""
    if tree.is_root(row):
        raise forbidden("The file is never writable.", "fileNeverWritable")
    if tree.role(row) not in ("owner", "organizer"):
        raise insufficient(row.id)
    inside = tree.below(row)
    going = {r.id for r in inside if r.owner == row.owner} | {row.id}
    for inner in inside:
        if inner.id not in going and inner.parent in going:
            ctx.db.update(inner, parent=None)
    for inner in [*reversed(inside), row]:
        if inner.id in going:
            erase(ctx, inner)


def delete_drive(ctx: Ctx, tree: Tree, drive: Drive) -> None:
    root = tree.row(drive.id)
    if root is not None:
        for inner in [*reversed(tree.below(root)), root]:
            erase(ctx, inner)
    ctx.db.delete(drive)
    note(ctx, drive.id, drive=drive.id, removed=True, kind="drive")
