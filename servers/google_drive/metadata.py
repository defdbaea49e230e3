"""A file's metadata as callers write it, read into the columns it sets."""

import re
from datetime import UTC
from typing import Any

from .access import RANKS, Tree
from .app import ApiError, forbidden, insufficient, invalid_value, refuse
from .contents import Media, imported, kept
from .fields import FILE
from .models import File, Json
from .query import moment
from .words import (
    DEFAULT_COLOR,
    EDITORS,
    FOLDER,
    FOLDER_COLORS,
    GOOGLE,
    IMPORTS,
    OTHER_EDITORS,
    SHORTCUT,
    SPREADSHEET,
    is_editor,
    type_of,
)  # fmt: skip

_TIMES = ("createdTime", "modifiedTime", "viewedByMeTime")
_WRITABLE = frozenset({
    "name", "description", "mimeType", "starred", "trashed", "properties", "appProperties", "folderColorRgb", "originalFilename",
    "copyRequiresWriterPermission", "viewersCanCopyContent", "writersCanShare", "contentHints", "contentRestrictions", "kind", *_TIMES,
})  # fmt: skip
_ONCE = frozenset({"id", "parents", "shortcutDetails"})
_PERSONAL = frozenset({"starred", "viewedByMeTime"})
_MOST_PROPERTY = 124
_LONGEST_NAME = 32767
_MIME = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,127}/[A-Za-z0-9!#$&^_.+*-]{1,127}(; ?[ -~]{0,200})?")


def check_writable(meta: Json, *, new: bool) -> None:
    """Fields that only the product writes, or only when a file is made, are refused."""
    if "parents" in meta and not new:
        raise forbidden(
            "The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.",
            "fieldNotWritable",
        )
    allowed = _WRITABLE | (_ONCE if new else {"viewersCanCopyContent"})
    if not new:
        allowed -= {"createdTime"}
    for name in meta:
        if name in FILE and name not in allowed:
            raise forbidden(
                "The resource body includes fields which are not directly writable.", "fieldNotWritable", location=name,
                location_type="field",
            )  # fmt: skip


def time_of(name: str, text: str) -> str:
    """A time as the product writes it: UTC, with milliseconds."""
    found = moment(text)
    if found is None:
        raise refuse(
            f'Invalid value for: Invalid format: "{text[:100]}"', "invalid", location=name, location_type="field"
        )
    return found.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _color(text: str) -> str:
    """The colour of the palette that is nearest."""
    found = re.fullmatch(r"#([0-9A-Fa-f]{6})", text)
    if not found:
        raise invalid_value("folderColorRgb", "a colour is written as #4986e7.")

    def apart(color: str) -> int:
        return sum((int(color[i : i + 2], 16) - int(text[i : i + 2], 16)) ** 2 for i in (1, 3, 5))

    return text.lower() if text.lower() in FOLDER_COLORS else min(FOLDER_COLORS, key=apart)


def _merged(before: dict[str, str], said: dict[str, str | None] | None) -> dict[str, str]:
    """Properties with the changes; a null takes one away."""
    out = dict(before)
    for key, value in (said or {}).items():
        if value is None:
            out.pop(key, None)
        elif not key or len(key.encode()) + len(value.encode()) > _MOST_PROPERTY:
            raise refuse("The custom property's key and value must be 124 bytes long together at most.", "invalid")
        else:
            out[key] = value
    if len(out) > 100:
        raise refuse("The file has too many custom properties.", "limitExceeded", 403)
    return out


def columns(tree: Tree, meta: Json, row: File | None) -> Json:
    """The columns that the metadata sets. row: the file that they change, if there is one."""
    out: Json = {}
    for name in ("name", "originalFilename"):
        if meta.get(name):
            out[name] = meta[name]
    if len(out.get("name", "")) > _LONGEST_NAME:
        raise refuse("The name of the file is too long.", "invalid", location="name")
    for name in ("description", *_TIMES):
        if name in meta:
            value = meta[name]
            if value is not None and name in _TIMES:
                value = time_of(name, value)
            if value is not None or name in ("description", "viewedByMeTime"):
                out[name] = value or None
    for name in ("starred", "copyRequiresWriterPermission", "writersCanShare"):
        if meta.get(name) is not None:
            out[name] = meta[name]
    if meta.get("viewersCanCopyContent") is not None and "copyRequiresWriterPermission" not in out:
        out["copyRequiresWriterPermission"] = not meta["viewersCanCopyContent"]
    for name in ("properties", "appProperties"):
        if name in meta:
            out[name] = _merged(getattr(row, name) if row else {}, meta[name])
    if "folderColorRgb" in meta:
        out["folderColorRgb"] = _color(meta["folderColorRgb"]) if meta["folderColorRgb"] else DEFAULT_COLOR
    hint = (meta.get("contentHints") or {}).get("indexableText")
    if hint is not None:
        out["indexableText"] = hint
    if meta.get("contentRestrictions") is not None:
        out["contentRestriction"] = _restriction(tree, meta["contentRestrictions"], row)
    return out


def _restriction(tree: Tree, said: list[Json], row: File | None) -> Json | None:
    if len(said) > 1:
        raise refuse("A file can have only one content restriction.", "invalid", location="contentRestrictions")
    held = row.contentRestriction if row else None
    owns = row is None or tree.role(row) in ("owner", "organizer")
    if held and held.get("ownerRestricted") and not owns:
        raise insufficient(row.id if row else "")
    if not said or not said[0].get("readOnly"):
        return None
    reason = {"reason": said[0]["reason"]} if said[0].get("reason") else {}
    made: Json = {"readOnly": True, **reason, "ownerRestricted": bool(said[0].get("ownerRestricted"))}
    if held and {n: held.get(n) for n in ("readOnly", "reason", "ownerRestricted")} == {"reason": None, **made}:
        return held
    return {**made, "restrictingUser": tree.me.email, "restrictionTime": tree.ctx.timestamp("milliseconds")}


def check_role(tree: Tree, row: File, meta: Json, media: Media | None) -> None:
    """Whether the caller may make these changes to a file."""
    rank = tree.rank(row)
    changing = {n for n in meta if n in _WRITABLE and n != "kind" and (meta[n] is not None or n == "description")}
    if (changing - _PERSONAL - {"trashed"} or media is not None) and rank < RANKS["writer"]:
        raise insufficient(row.id)
    if "writersCanShare" in changing and (row.driveId or tree.role(row) != "owner"):
        raise insufficient(row.id)
    if tree.locked(row) and (media is not None or {"name", "mimeType", "description"} & changing):
        raise forbidden("The file is read-only: its content is restricted.", "fileNeverWritable")
    if tree.is_root(row) and ({"name", "trashed", "mimeType"} & changing):
        raise forbidden("The file is never writable.", "fileNeverWritable")


def bad_content() -> ApiError:
    return refuse("Invalid MIME type provided for the uploaded content.", "badContent")


def type_and_content(meta: Json, media: Media | None, name: str, row: File | None) -> Json:
    """The columns of a file's type and content: as uploaded, or made into a Docs editors file where that is asked for."""
    said = meta.get("mimeType") or ""
    if said and not _MIME.fullmatch(said):
        raise invalid_value("mimeType", "a MIME type is written as text/csv.")
    if said.startswith(GOOGLE) and said not in (FOLDER, SHORTCUT, *EDITORS.values(), *OTHER_EDITORS):
        raise invalid_value("mimeType", f"this type of the product is not known: {said}.")
    if row is not None:
        fixed = row.mimeType.startswith(GOOGLE)
        if said and said != row.mimeType and (fixed or said.startswith(GOOGLE)):
            raise invalid_value(
                "mimeType", "the type of this file cannot be changed. copy_file makes a file of another type of it."
            )
        said = row.mimeType if fixed else said
    given = (media.mime if media else "").partition(";")[0].strip().lower()
    if said in (FOLDER, SHORTCUT) or said in OTHER_EDITORS:
        if media is not None:
            raise bad_content()
        return {"mimeType": said}
    if is_editor(said):
        if media is None:
            return {
                "mimeType": said,
                **({} if row else {"source": "text/csv" if said == SPREADSHEET else "text/plain"}),
            }
        guessed = given if given in IMPORTS else type_of(name, True)
        if given and given not in IMPORTS and given != "application/octet-stream":
            raise bad_content()
        if said not in IMPORTS.get(guessed, []):
            guessed = "text/csv" if said == SPREADSHEET else "text/plain"
            if given in IMPORTS:
                raise bad_content()
        return {"mimeType": said, **imported(media.data, guessed)}
    if media is None:
        return {"mimeType": said} if said else {} if row else {"mimeType": type_of(name, False)}
    held = kept(media.data)
    own = given if _MIME.fullmatch(given) and given != "application/octet-stream" else ""
    fallback = row.mimeType if row else type_of(name, held["encoding"] == "utf-8" and bool(media.data))
    return {"mimeType": said or own or fallback, **held}


def first_parent(meta: Json) -> Any:
    """The one parent that a new file may be given."""
    parents = list(dict.fromkeys(meta.get("parents") or []))
    if len(parents) > 1:
        raise forbidden("Increasing the number of parents is not allowed", "cannotAddParent")
    return parents[0] if parents else None
