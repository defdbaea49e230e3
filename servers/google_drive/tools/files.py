"""Files and folders. https://developers.google.com/workspace/drive/api/reference/rest/v3/files"""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, URLSAFE, Ctx, Field, Payload, Query, Reply, ToolOnly

from .. import listing, schemas, writing
from ..access import RANKS, Tree
from ..app import Flag, Text, app, forbidden, insufficient, not_found, over_rest, refuse
from ..contents import exported
from ..fields import answers
from ..models import File
from ..resources import file_json
from ..words import EXPORTS, is_editor
from .media import given_media, served

Body = Annotated[schemas.File | None, Payload(mcp=False)]
Said = Annotated[str | MISSING, ToolOnly()]
Yes = Annotated[bool | MISSING, ToolOnly()]


class Property(TypedDict):
    key: Annotated[str, Field(description="Its name.")]
    value: Annotated[str | None, Field(description="Its value; empty takes it away.")]


Pairs = Annotated[list[Property] | MISSING, ToolOnly()]
FieldsOf = Annotated[str | None, Query()]
Parents = Annotated[str | None, Query()]


def told(ctx: Ctx, resource: schemas.File | None, *names: str) -> dict[str, Any]:
    """A file's metadata: the body of a REST call, or the parameters of a tool."""
    if resource is not None or over_rest(ctx):
        return resource.sent() if resource else {}
    sent = {k: v for k, v in ctx.sent().items() if k in names and v is not MISSING}
    if "properties" in sent:
        sent["properties"] = {p["key"]: p["value"] or None for p in sent["properties"]}
    if "parentId" in sent:
        sent["parents"] = [sent.pop("parentId")]
    if "targetId" in sent:
        sent["shortcutDetails"] = {"targetId": sent.pop("targetId")}
    return sent


@app.get("/drive/v3/files", tool="list_files")
@answers("FileList")
def list_files(
    ctx: Ctx, q: str | None = None, orderBy: str | None = None, pageSize: Annotated[int, Field(ge=1, le=1000)] | None = None,
    pageToken: str | None = None, fields: FieldsOf = None, corpora: str | None = None, driveId: str | None = None,
    spaces: str | None = None, includeItemsFromAllDrives: Flag = None, supportsAllDrives: Flag = None, includeLabels: Text = None,
    includePermissionsForView: Text = None, corpus: Text = None, includeTeamDriveItems: Flag = None, supportsTeamDrives: Flag = None,
    teamDriveId: Text = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the files and folders that a query finds, trashed ones included unless the query says trashed = false.

    q: Terms joined by and, or, not: name contains 'x', fullText contains 'x', mimeType = 'application/pdf', 'FOLDER_ID' in parents,
      modifiedTime > '2026-01-31T12:00:00', trashed = false, starred = true, sharedWithMe, 'a@b.c' in owners (writers, readers),
      properties has { key='k' and value='v' }.
    orderBy: Keys with commas between: createdTime, folder, modifiedByMeTime, modifiedTime, name, name_natural, quotaBytesUsed, recency,
      sharedWithMeTime, starred, viewedByMeTime; each may be followed by desc. Not with fullText.
    pageSize: How many to list; 30 by default, at most 1000.
    pageToken: The nextPageToken of the page before.
    fields: What to answer, as nextPageToken,files(id,name,owners,permissions).
    corpora: Where to search: user (the default), domain, drive (with driveId) or allDrives.
    driveId: The shared drive to search.
    spaces: drive (the default) or appDataFolder.
    """
    tree = Tree(ctx)
    supports = supportsAllDrives if supportsAllDrives is not None else supportsTeamDrives
    items = includeItemsFromAllDrives if includeItemsFromAllDrives is not None else includeTeamDriveItems
    drive = driveId or teamDriveId
    rows = listing.search(
        tree, q, corpora=corpora, drive=drive, items=items, supports=supports, order=orderBy, spaces=spaces
    )  # fmt: skip
    size = pageSize or (100 if over_rest(ctx) else 30)
    shown, rest = listing.page(rows, size, pageToken, q, orderBy, corpora, drive, spaces)
    return {
        "kind": "drive#fileList", **rest, "incompleteSearch": False, "files": [file_json(tree, row) for row in shown],
    }  # fmt: skip


@app.get("/drive/v3/files/{fileId}", tool="get_file")
@answers("File")
def get_file(
    ctx: Ctx, fileId: str, fields: FieldsOf = None, acknowledgeAbuse: Flag = None, supportsAllDrives: Flag = None,
    includeLabels: Text = None, includePermissionsForView: Text = None, supportsTeamDrives: Flag = None,
) -> Any:  # fmt: skip
    """Gets a file's metadata: name, type, parents, owners, size, times, link. read_file_content and download_file have the content.

    fileId: The file's id, or `root` for the top folder of My Drive.
    fields: What to answer, as id,name,capabilities,permissions; `*` for everything.
    """
    tree = Tree(ctx)
    row = tree.require(fileId, drives=supportsAllDrives or supportsTeamDrives)
    return served(ctx, tree, row, row) if ctx.request.query.get("alt") == "media" else file_json(tree, row)


@app.post("/drive/v3/files", tool="create_file")
@answers("File")
def create_file(
    ctx: Ctx, resource: Body = None, name: Said = MISSING, content: Said = MISSING, contentBase64: Said = MISSING,
    contentMimeType: Said = MISSING, mimeType: Said = MISSING, parentId: Said = MISSING, description: Said = MISSING,
    targetId: Said = MISSING, starred: Yes = MISSING, properties: Pairs = MISSING, id: Said = MISSING,
    supportsAllDrives: Annotated[bool | None, Query(mcp=False)] = None,
    keepRevisionForever: Annotated[bool | None, Query(mcp=False)] = None, ignoreDefaultVisibility: Flag = None,
    enforceSingleParent: Flag = None, includeLabels: Text = None,
    includePermissionsForView: Text = None, ocrLanguage: Text = None, supportsTeamDrives: Flag = None,
    useContentAsIndexableText: Flag = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a file with its content, an empty Docs editors file, or a shortcut. Names need not be unique: a second file of the same
    name is made beside the first. create_folder makes folders.

    name: The file's name, with its extension where it has one.
    content: The text that the file holds.
    contentBase64: For other than text: the bytes in base64.
    contentMimeType: The type of the content, where mimeType asks to convert it: text/markdown to a Google document, say.
    mimeType: The file's type, from the name by default. application/vnd.google-apps.document (spreadsheet, presentation) makes a Docs
      editors file, of the content if there is one; application/vnd.google-apps.shortcut a shortcut to targetId.
    parentId: The folder to put it in; My Drive by default.
    description: A short description.
    targetId: For a shortcut: the file that it points to.
    starred: Whether to star it.
    properties: Custom properties.
    id: An id from generate_ids, so that a repeated call makes no second file.
    """
    tree = Tree(ctx)
    meta = told(ctx, resource, "name", "mimeType", "parentId", "description", "targetId", "starred", "properties", "id")
    media = given_media(content, contentBase64, contentMimeType)
    row = writing.create(
        ctx, tree, meta, media, drives=supportsAllDrives or supportsTeamDrives, keep=keepRevisionForever
    )  # fmt: skip
    return file_json(Tree(ctx), row)


@app.patch("/drive/v3/files/{fileId}", tool="update_file")
@answers("File")
def update_file(
    ctx: Ctx, fileId: str, resource: Body = None, name: Said = MISSING, content: Said = MISSING, contentBase64: Said = MISSING,
    description: Said = MISSING, mimeType: Said = MISSING, starred: Yes = MISSING, trashed: Yes = MISSING, properties: Pairs = MISSING,
    folderColorRgb: Said = MISSING, writersCanShare: Yes = MISSING, copyRequiresWriterPermission: Yes = MISSING,
    addParents: Parents = None, removeParents: Parents = None, supportsAllDrives: Annotated[bool | None, Query(mcp=False)] = None,
    keepRevisionForever: Annotated[bool | None, Query()] = None, enforceSingleParent: Flag = None, includeLabels: Text = None,
    includePermissionsForView: Text = None, ocrLanguage: Text = None, supportsTeamDrives: Flag = None,
    useContentAsIndexableText: Flag = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes what is sent of a file: its name, content (which makes a new revision), description, star, properties, place.

    fileId: The file's id.
    name: The new name.
    content: The text that replaces the file's content.
    contentBase64: For other than text: the bytes in base64 that replace its content.
    description: The new description; empty for none.
    mimeType: The new type of a file that is no Docs editors file.
    starred: Whether it is starred.
    trashed: true puts it into the trash, false takes it out. Only the owner may.
    properties: Custom properties to set; one with an empty value is taken away.
    folderColorRgb: A folder's colour, as #4986e7.
    writersCanShare: Whether those who may write may share it too.
    copyRequiresWriterPermission: Whether readers may not copy, print or download it.
    addParents: The folder to move it to; removeParents must name the one that it is in.
    removeParents: The folder to take it out of.
    keepRevisionForever: Whether the new content's revision is kept forever.
    """
    tree = Tree(ctx)
    drives = supportsAllDrives or supportsTeamDrives
    row = tree.require(fileId, drives=drives)
    meta = told(
        ctx, resource, "name", "description", "mimeType", "starred", "trashed", "properties", "folderColorRgb", "writersCanShare",
        "copyRequiresWriterPermission",
    )  # fmt: skip
    media = given_media(content, contentBase64, MISSING)
    writing.update(
        ctx, tree, row, meta, media, add=addParents, remove=removeParents, drives=drives, keep=keepRevisionForever
    )  # fmt: skip
    return file_json(Tree(ctx), row)


@app.post("/drive/v3/files/{fileId}/copy", tool="copy_file")
@answers("File")
def copy_file(
    ctx: Ctx, fileId: str, resource: Body = None, name: Said = MISSING, parentId: Said = MISSING, mimeType: Said = MISSING,
    description: Said = MISSING, supportsAllDrives: Annotated[bool | None, Query(mcp=False)] = None,
    keepRevisionForever: Annotated[bool | None, Query(mcp=False)] = None, copyComments: Flag = None, enforceSingleParent: Flag = None,
    ignoreDefaultVisibility: Flag = None, includeLabels: Text = None, includePermissionsForView: Text = None, ocrLanguage: Text = None,
    supportsTeamDrives: Flag = None,
) -> dict[str, Any]:  # fmt: skip
    """Copies a file (not a folder). The copy is the caller's own and is shared with nobody by itself.

    fileId: The file to copy.
    name: The copy's name; "Copy of" its name by default.
    parentId: The folder to put the copy in; that of the file by default.
    mimeType: A Docs editors type to convert the copy to, as application/vnd.google-apps.document.
    description: The copy's description; that of the file by default.
    """
    tree = Tree(ctx)
    drives = supportsAllDrives or supportsTeamDrives
    row = tree.require(fileId, drives=drives)
    meta = told(ctx, resource, "name", "parentId", "mimeType", "description")
    made = writing.copy(ctx, tree, row, meta, drives=drives, keep=keepRevisionForever)
    if copyComments:
        writing.copy_comments(ctx, row, made)
    return file_json(Tree(ctx), made)


@app.delete("/drive/v3/files/trash", tool="empty_trash", status=204)
def empty_trash(ctx: Ctx, driveId: str | None = None, enforceSingleParent: Flag = None) -> Reply:
    """Deletes all that the caller owns in the trash, for good.

    driveId: The shared drive whose trash to empty instead.
    """
    tree = Tree(ctx)
    if driveId:
        root = tree.row(driveId)
        if root is None or tree.drive(driveId) is None or tree.rank(root) == 0:
            raise not_found("Drive", driveId)
        if tree.rank(root) < RANKS["organizer"]:
            raise insufficient(driveId)
        going = ctx.db.find(File, trashed=True, driveId=driveId)
    else:
        going = ctx.db.find(File, trashed=True, owner=tree.me.email)
    for row in going:
        if (still := ctx.db.get(File, row.id)) is not None:
            writing.delete(ctx, Tree(ctx), still)
    return Reply(None, 204)


@app.delete("/drive/v3/files/{fileId}", tool="delete_file", status=204)
def delete_file(
    ctx: Ctx,
    fileId: str,
    supportsAllDrives: Flag = None,
    enforceSingleParent: Flag = None,
    supportsTeamDrives: Flag = None,
) -> Reply:
    """Deletes a file for good, past the trash; a folder with all of the owner's files in it. Only the owner may. trash_file can be undone.

    fileId: The file's id.
    """
    tree = Tree(ctx)
    writing.delete(ctx, tree, tree.require(fileId, drives=supportsAllDrives or supportsTeamDrives))
    return Reply(None, 204)


@app.get("/drive/v3/files/generateIds", tool="generate_ids", effect="create", idempotent=False)
@answers("GeneratedIds")
def generate_ids(
    ctx: Ctx, count: Annotated[int, Field(ge=1, le=1000)] = 10, space: Literal["drive", "appDataFolder"] = "drive",
    type: Annotated[Literal["files", "shortcuts"] | None, Query(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Makes ids for files that are created later (create_file's id), so that a repeated call makes no second file.

    count: How many.
    space: Where the files are to be.
    """
    made = [ctx.id("1", 32, URLSAFE, kind="file") for _ in range(count)]
    return {"kind": "drive#generatedIds", "space": space, "ids": made}


@app.get("/drive/v3/files/{fileId}/export", tool="export_file")
def export_file(ctx: Ctx, fileId: str, mimeType: str) -> Reply:
    """Exports a Docs editors file (Google document, spreadsheet, presentation) in another format.

    fileId: The file's id.
    mimeType: text/plain, text/markdown, text/html, application/pdf for a document; text/csv, text/tab-separated-values,
      application/pdf for a spreadsheet; text/plain, application/pdf for a presentation.
    """
    tree = Tree(ctx)
    row = tree.require(fileId)
    if not is_editor(row.mimeType):
        raise forbidden("Export only supports Docs Editors files.", "fileNotExportable")
    if row.copyRequiresWriterPermission and tree.rank(row) < RANKS["writer"]:
        raise forbidden("This file cannot be exported by the user.", "cannotExportFile")
    if mimeType not in EXPORTS.get(row.mimeType, []):
        formats = ", ".join(EXPORTS.get(row.mimeType, [])) or "none"
        raise refuse(
            "The requested conversion is not supported.", location="convertTo", hint=f"its formats are: {formats}."
        )
    data = exported(row.mimeType, row, row.name, mimeType)
    if mimeType.startswith("text/"):
        text = data.decode()  # as bytes it begins with a mark and has the line ends of Windows; agents see neither
        text = text if over_rest(ctx) else text.removeprefix("\ufeff").replace("\r\n", "\n")
        return Reply(text, 200, media_type=mimeType)
    return Reply(data, 200, media_type=mimeType)


@app.post("/drive/v3/files/{fileId}/download", tool="start_download", effect="read", mcp=False)
@answers("Operation")
def start_download(
    ctx: Ctx,
    fileId: str,
    mimeType: Annotated[str | None, Query()] = None,
    revisionId: Annotated[str | None, Query()] = None,
) -> dict[str, Any]:
    """Tells where a file's content can be downloaded, as an operation that is done already."""
    tree = Tree(ctx)
    row = tree.require(fileId)
    base = ctx.request.base or "https://www.googleapis.com"
    editor = is_editor(row.mimeType)
    if editor and (mimeType or "application/pdf") not in EXPORTS.get(row.mimeType, []):
        raise refuse("The requested conversion is not supported.", location="mimeType")
    if not editor and mimeType:
        raise refuse(
            "The mimeType parameter is only applicable for Docs Editors files.", "invalid", location="mimeType"
        )
    uri = f"{base}/drive/v3/files/{row.id}" + (f"/revisions/{revisionId}" if revisionId else "")
    uri = (
        f"{base}/drive/v3/files/{row.id}/export?mimeType={mimeType or 'application/pdf'}"
        if editor
        else f"{uri}?alt=media"
    )
    kind = "type.googleapis.com/google.apps.drive.v3"
    return {
        "name": f"operations/download-{row.id}", "done": True, "metadata": {"@type": f"{kind}.DownloadFileMetadata"},
        "response": {"@type": f"{kind}.DownloadFileResponse", "downloadUri": uri, "partialDownloadAllowed": not editor},
    }  # fmt: skip
