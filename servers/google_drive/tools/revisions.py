"""Versions of files' content. https://developers.google.com/workspace/drive/api/reference/rest/v3/revisions"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field, Payload, Reply, ToolOnly

from .. import listing, schemas
from ..access import RANKS, Tree
from ..app import Flag, app, forbidden, insufficient, not_found, over_rest
from ..fields import answers
from ..models import File, Revision
from ..resources import has_bytes, revision_json
from ..words import FOLDER, SHORTCUT
from ..writing import save
from .media import served

Body = Annotated[schemas.Revision | None, Payload(mcp=False)]
_MOST_KEPT = 200


def _open(ctx: Ctx, key: str, need: str = "reader") -> tuple[Tree, File]:
    tree = Tree(ctx)
    row = tree.require(key, need)
    if row.mimeType in (FOLDER, SHORTCUT):
        raise forbidden("The file does not support revisions.", "revisionsNotSupported")
    if row.copyRequiresWriterPermission and tree.rank(row) < RANKS["writer"]:
        raise insufficient(key)
    return tree, row


def _revision(ctx: Ctx, row: File, key: str) -> Revision:
    found = ctx.db.get(Revision, (row.id, row.headRevisionId if key == "head" else key))
    if found is None:
        raise not_found("Revision", f"{key}.")
    return found


@app.get("/drive/v3/files/{fileId}/revisions", tool="list_revisions")
@answers("RevisionList")
def list_revisions(
    ctx: Ctx, fileId: str, pageSize: Annotated[int, Field(ge=1, le=1000)] | None = None, pageToken: str | None = None
) -> dict[str, Any]:
    """Lists a file's revisions, oldest first; the last one is what it holds now.

    fileId: The file's id.
    pageSize: How many to list; 50 by default, at most 1000.
    pageToken: The nextPageToken of the page before.
    """
    tree, row = _open(ctx, fileId)
    found = ctx.db.find(Revision, order="number", file_id=row.id)
    size = pageSize or (200 if over_rest(ctx) else 50)
    shown, rest = listing.page(found, size, pageToken, "revisions", row.id)
    return {"kind": "drive#revisionList", **rest, "revisions": [revision_json(tree, row, r) for r in shown]}


@app.get("/drive/v3/files/{fileId}/revisions/{revisionId}", tool="get_revision")
@answers("Revision")
def get_revision(ctx: Ctx, fileId: str, revisionId: str, acknowledgeAbuse: Flag = None) -> Any:
    """Gets a revision: who made it and when. download_revision has its content.

    fileId: The file's id.
    revisionId: The revision's id, or `head`.
    """
    tree, row = _open(ctx, fileId)
    found = _revision(ctx, row, revisionId)
    return served(ctx, tree, row, found) if ctx.request.query.get("alt") == "media" else revision_json(tree, row, found)


@app.post("", tool="download_revision", effect="read")
def download_revision(ctx: Ctx, fileId: str, revisionId: str) -> Reply:
    """Downloads what a file held in a revision. Docs editors files have no such content.

    fileId: The file's id.
    revisionId: The revision's id, or `head`.
    """
    tree, row = _open(ctx, fileId)
    return served(ctx, tree, row, _revision(ctx, row, revisionId))


@app.patch("/drive/v3/files/{fileId}/revisions/{revisionId}", tool="update_revision")
@answers("Revision")
def update_revision(
    ctx: Ctx, fileId: str, revisionId: str, resource: Body = None,
    keepForever: Annotated[bool | MISSING, ToolOnly()] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Says whether a revision is kept forever. Otherwise it goes 30 days after newer content came.

    fileId: The file's id.
    revisionId: The revision's id, or `head`.
    keepForever: Whether to keep it.
    """
    tree, row = _open(ctx, fileId, "writer")
    found = _revision(ctx, row, revisionId)
    said = resource.sent() if resource else {}
    keep = said.get("keepForever") if over_rest(ctx) else keepForever
    if any(said.get(n) is not None for n in ("published", "publishAuto", "publishedOutsideDomain")):
        raise forbidden(
            "The resource body includes fields which are not directly writable.",
            "fieldNotWritable",
            location="published",
        )
    if keep is None or keep is MISSING:
        return revision_json(tree, row, found)
    if not has_bytes(row):
        text = "The keepForever field is only applicable to files with binary content."
        raise forbidden(text, "fieldNotWritable", location="keepForever")
    kept = [k for k in row.keptRevisions if k != found.id] + ([found.id] if keep else [])
    if len(kept) > _MOST_KEPT:
        raise forbidden("The file has too many revisions that are kept forever.", "limitExceeded")
    if set(kept) != set(row.keptRevisions):
        save(ctx, tree, row, {"keptRevisions": kept})
    return revision_json(tree, row, found)


@app.delete("/drive/v3/files/{fileId}/revisions/{revisionId}", tool="delete_revision", status=204)
def delete_revision(ctx: Ctx, fileId: str, revisionId: str) -> Reply:
    """Deletes a revision for good, not the only one. Without its last one a file holds what the one before has.

    fileId: The file's id.
    revisionId: The revision's id, or `head`.
    """
    tree, row = _open(ctx, fileId, "writer")
    found = _revision(ctx, row, revisionId)
    if not has_bytes(row):
        raise forbidden("Revision deletion is not supported on this file.", "revisionDeletionNotSupported")
    others = [r for r in ctx.db.find(Revision, order="number", file_id=row.id) if r.id != found.id]
    if not others:
        raise forbidden("The only revision of a file cannot be deleted.", "cannotDeleteOnlyRevision")
    changes: dict[str, Any] = {"deletedRevisions": [*row.deletedRevisions, found.id]}
    if found.id in row.keptRevisions:
        changes["keptRevisions"] = [k for k in row.keptRevisions if k != found.id]
    if found.id == row.headRevisionId:
        last = others[-1]
        changes |= {
            "headRevisionId": last.id, "content": last.content, "encoding": last.encoding, "source": last.source, "mimeType": last.mimeType,
            "originalFilename": last.originalFilename,
        }  # fmt: skip
    ctx.db.delete(found)
    save(ctx, tree, row, changes)
    return Reply(None, 204)
