"""Tools over files that agents find simpler than the API: finding, reading, moving, trashing."""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Reply

from .. import listing, writing
from ..access import Tree
from ..app import app, forbidden, refuse
from ..contents import data_of, plain
from ..fields import answers
from ..resources import file_json, has_bytes
from ..words import DOCUMENT, EXPORTS, FOLDER, SHORTCUT
from .media import check_downloadable, served

Most = Annotated[int, Field(ge=1, le=100)]
_LONGEST = 24_000


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@app.post("", tool="search_files", effect="read")
@answers("FileList")
def search_files(
    ctx: Ctx, text: str | None = None, name: str | None = None, folderId: str | None = None, mimeType: str | None = None,
    owner: str | None = None, modifiedAfter: str | None = None, sharedWithMe: bool | None = None, starred: bool | None = None,
    trashed: bool = False, pageSize: Most = 20, pageToken: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Finds files and folders by plain criteria, all of which must hold; those in the trash only if asked for. Last changed first.

    text: Words that the file's name, description or content must have, all of them.
    name: Words of its name, side by side; of the last one the beginning is enough.
    folderId: The folder that it must lie in directly; `root` is the top of My Drive.
    mimeType: Its type, as text/csv; application/vnd.google-apps.folder for folders.
    owner: The address of its owner.
    modifiedAfter: The time after which it was changed, as 2026-01-31T12:00:00Z.
    sharedWithMe: true for files of others that the caller was given.
    starred: Whether it is starred.
    trashed: true for what is in the trash.
    pageSize: How many to list.
    pageToken: The nextPageToken of the page before.
    """
    terms = [f"trashed = {str(trashed).lower()}"]
    for said, term in (
        (text, "fullText contains {}"), (name, "name contains {}"), (folderId, "{} in parents"), (mimeType, "mimeType = {}"),
        (owner, "{} in owners"), (modifiedAfter, "modifiedTime > {}"),
    ):  # fmt: skip
        if said:
            terms.append(term.format(_quoted(said)))
    for flag, term in ((sharedWithMe, "sharedWithMe"), (starred, "starred")):
        if flag is not None:
            terms.append(f"{term} = {str(flag).lower()}")
    q = " and ".join(terms)
    tree = Tree(ctx)
    rows = listing.search(tree, q, corpora="allDrives")
    shown, rest = listing.page(rows, pageSize, pageToken, "search", q)
    return {"kind": "drive#fileList", **rest, "files": [file_json(tree, row) for row in shown]}


@app.post("", tool="read_file_content", effect="read")
def read_file_content(ctx: Ctx, fileId: str, offset: Annotated[int, Field(ge=0)] = 0) -> dict[str, Any]:
    """Reads the text of a file, whatever its type: a text file as it is, a Google document as Markdown, a spreadsheet as CSV. A shortcut
    leads to the file it points to.

    fileId: The file's id.
    offset: The character to read from, where the answer before says nextOffset.
    """
    tree = Tree(ctx)
    row = tree.require(fileId)
    if row.mimeType == SHORTCUT:
        row = tree.require(row.shortcutTargetId or "")
    if has_bytes(row):
        check_downloadable(tree, row)
    elif row.mimeType not in EXPORTS:
        raise forbidden(
            "Export only supports Docs Editors files.", "fileNotExportable", hint="this file has no content."
        )
    if row.encoding != "utf-8":
        raise refuse("The content is no text.", "invalid", location="fileId", hint="download_file has its bytes.")
    text = row.content if row.mimeType == DOCUMENT and row.source == "text/markdown" else plain(row)
    piece = text[offset : offset + _LONGEST]
    more = {"nextOffset": offset + _LONGEST} if offset + _LONGEST < len(text) else {}
    return {"id": row.id, "name": row.name, "mimeType": row.mimeType, "characters": len(text), "content": piece, **more}


@app.post("", tool="download_file", effect="read")
def download_file(ctx: Ctx, fileId: str) -> Reply:
    """Downloads a file's content as it is. Docs editors files (Google documents, spreadsheets) have none: export_file is for them.

    fileId: The file's id.
    """
    tree = Tree(ctx)
    row = tree.require(fileId)
    if len(row.content) > 4 * _LONGEST:
        raise refuse(
            f"The content ({len(data_of(row))} bytes) is too long for one answer.", "invalid", location="fileId",
            hint="read_file_content reads text piece by piece.",
        )  # fmt: skip
    return served(ctx, tree, row, row)


@app.post("", tool="create_folder")
@answers("File")
def create_folder(ctx: Ctx, name: str, parentId: str = "root", description: str | None = None) -> dict[str, Any]:
    """Creates a folder. Names need not be unique: a second folder of the same name is made beside the first.

    name: The folder's name.
    parentId: The folder to put it in; My Drive by default.
    description: A short description.
    """
    tree = Tree(ctx)
    meta = {
        "name": name,
        "mimeType": FOLDER,
        "parents": [parentId],
        **({"description": description} if description else {}),
    }
    return file_json(Tree(ctx), writing.create(ctx, tree, meta))


@app.post("", tool="move_file", effect="update")
@answers("File")
def move_file(ctx: Ctx, fileId: str, folderId: str, name: str | None = None) -> dict[str, Any]:
    """Moves a file or folder into another folder, out of the one that it is in, and may rename it. What the new folder is shared with
    sees it then.

    fileId: The id of the file or folder.
    folderId: The folder to move it to; `root` is the top of My Drive.
    name: A new name.
    """
    tree = Tree(ctx)
    row = tree.require(fileId)
    meta = {"name": name} if name else {}
    writing.update(ctx, tree, row, meta, add=folderId, remove=row.parent)
    return file_json(Tree(ctx), row)


def _trash(ctx: Ctx, key: str, trashed: bool) -> dict[str, Any]:
    tree = Tree(ctx)
    row = tree.require(key)
    writing.update(ctx, tree, row, {"trashed": trashed})
    return file_json(Tree(ctx), row)


@app.post("", tool="trash_file", effect="update")
@answers("File")
def trash_file(ctx: Ctx, fileId: str) -> dict[str, Any]:
    """Puts a file, or a folder with all in it, into the trash. Only the owner may. untrash_file takes it out again.

    fileId: The id of the file or folder.
    """
    return _trash(ctx, fileId, True)


@app.post("", tool="untrash_file", effect="update")
@answers("File")
def untrash_file(ctx: Ctx, fileId: str) -> dict[str, Any]:
    """Takes a file or folder out of the trash. What lies in a trashed folder comes back with the folder.

    fileId: The id of the file or folder.
    """
    return _trash(ctx, fileId, False)
