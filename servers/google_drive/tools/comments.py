"""Comments on files. https://developers.google.com/workspace/drive/api/reference/rest/v3/comments"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, URLSAFE, Ctx, Field, Payload, Reply, ToolOnly

from .. import listing, schemas
from ..access import RANKS, Tree
from ..app import app, forbidden, insufficient, not_found, over_rest, refuse
from ..fields import answers
from ..metadata import time_of
from ..models import Comment, File
from ..resources import comment_json
from ..words import FOLDER
from ..writing import note

Body = Annotated[schemas.Comment | None, Payload(mcp=False)]
Said = Annotated[str | MISSING, ToolOnly()]
MOST = 2048


def open_file(ctx: Ctx, key: str, *, write: bool = False) -> tuple[Tree, File]:
    """The file that a comment is on, for one who may read its comments, or write them."""
    tree = Tree(ctx)
    row = tree.require(key, "commenter" if write else "reader")
    if write and (row.mimeType == FOLDER or tree.locked(row)):
        raise forbidden("The user cannot comment on this file.", "cannotCommentOnFile")
    return tree, row


def open_comment(ctx: Ctx, row: File, key: str, *, deleted: bool = False) -> Comment:
    found = ctx.db.get(Comment, key)
    if found is None or found.file_id != row.id or (found.deleted and not deleted):
        raise not_found("Comment", f"{key}.")
    return found


def check_content(text: Any) -> str:
    if text is None or text is MISSING or not str(text).strip():
        raise refuse("Comment content is required.", "required", location="content")
    if len(str(text).encode()) > MOST:
        raise refuse(f"The content must be {MOST} bytes long at most.", "invalid", location="content")
    return str(text)


def check_author(tree: Tree, row: File, author: str, *, deleting: bool = False) -> None:
    """Comments are changed by who wrote them; the file's owner may delete them too."""
    if author != tree.me.email and not (deleting and tree.rank(row) >= RANKS["fileOrganizer"]):
        raise insufficient(row.id)


def touch(ctx: Ctx, row: File) -> None:
    ctx.db.update(row, version=row.version + 1)
    note(ctx, row.id, drive=row.driveId)


@app.get("/drive/v3/files/{fileId}/comments", tool="list_comments")
@answers("CommentList")
def list_comments(
    ctx: Ctx, fileId: str, includeDeleted: bool | None = None, pageSize: Annotated[int, Field(ge=1, le=100)] = 20,
    pageToken: str | None = None, startModifiedTime: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the comments on a file with their replies, last changed first.

    fileId: The file's id.
    includeDeleted: Whether deleted ones are listed too, without their content.
    pageSize: How many to list.
    pageToken: The nextPageToken of the page before.
    startModifiedTime: Only those changed at this time or later, as 2026-01-31T12:00:00Z.
    """
    tree, row = open_file(ctx, fileId)
    since = time_of("startModifiedTime", startModifiedTime) if startModifiedTime else ""
    found = [
        c
        for c in ctx.db.find(Comment, order="-modifiedTime,-number", file_id=row.id)
        if (includeDeleted or not c.deleted) and c.modifiedTime >= since
    ]
    shown, rest = listing.page(found, pageSize, pageToken, "comments", row.id, bool(includeDeleted), since)
    comments = [comment_json(tree, c, deleted=bool(includeDeleted)) for c in shown]
    return {"kind": "drive#commentList", **rest, "comments": comments}


@app.get("/drive/v3/files/{fileId}/comments/{commentId}", tool="get_comment")
@answers("Comment")
def get_comment(ctx: Ctx, fileId: str, commentId: str, includeDeleted: bool | None = None) -> dict[str, Any]:
    """Gets a comment with its replies.

    fileId: The file's id.
    commentId: The comment's id.
    includeDeleted: Whether a deleted one is answered too, without its content.
    """
    tree, row = open_file(ctx, fileId)
    found = open_comment(ctx, row, commentId, deleted=bool(includeDeleted))
    return comment_json(tree, found, deleted=bool(includeDeleted))


@app.post("/drive/v3/files/{fileId}/comments", tool="create_comment")
@answers("Comment")
def create_comment(
    ctx: Ctx,
    fileId: str,
    resource: Body = None,
    content: Said = MISSING,
    quotedText: Said = MISSING,
    anchor: Said = MISSING,
) -> dict[str, Any]:
    """Comments on a file. Needs the role of a commenter at least.

    fileId: The file's id.
    content: What the comment says, in plain text.
    quotedText: The passage of the file that it is about.
    anchor: The region of the file that it is about, as JSON text.
    """
    tree, row = open_file(ctx, fileId, write=True)
    said = resource.sent() if resource else {}
    if not over_rest(ctx):
        quoted = {"value": quotedText} if quotedText is not MISSING else None
        said = {"content": content, "anchor": None if anchor is MISSING else anchor, "quotedFileContent": quoted}
    text, now = check_content(said.get("content")), ctx.timestamp("milliseconds")
    quote = {n: v for n, v in (said.get("quotedFileContent") or {}).items() if v is not None}
    made = ctx.db.add(Comment(
        id=ctx.id("AAAA", 7, URLSAFE, kind="comment"), file_id=row.id, author=tree.me.email, content=text, anchor=said.get("anchor"),
        quotedFileContent={"mimeType": "text/plain", **quote} if quote else None, number=ctx.sequence("comment"), createdTime=now,
        modifiedTime=now,
    ))  # fmt: skip
    touch(ctx, row)
    return comment_json(tree, made)


@app.patch("/drive/v3/files/{fileId}/comments/{commentId}", tool="update_comment")
@answers("Comment")
def update_comment(
    ctx: Ctx, fileId: str, commentId: str, resource: Body = None, content: Said = MISSING
) -> dict[str, Any]:
    """Changes what one's own comment says. A reply with the action resolve resolves a comment.

    fileId: The file's id.
    commentId: The comment's id.
    content: What the comment says now.
    """
    tree, row = open_file(ctx, fileId, write=True)
    found = open_comment(ctx, row, commentId)
    check_author(tree, row, found.author)
    said = resource.sent() if resource else {}
    text = check_content(said.get("content") if over_rest(ctx) else content)
    if text != found.content:
        ctx.db.update(found, content=text, modifiedTime=ctx.timestamp("milliseconds"))
        touch(ctx, row)
    return comment_json(tree, found)


@app.delete("/drive/v3/files/{fileId}/comments/{commentId}", tool="delete_comment", status=204)
def delete_comment(ctx: Ctx, fileId: str, commentId: str) -> Reply:
    """Deletes a comment with its replies: one's own, or any on a file that one owns.

    fileId: The file's id.
    commentId: The comment's id.
    """
    tree, row = open_file(ctx, fileId, write=True)
    found = open_comment(ctx, row, commentId)
    check_author(tree, row, found.author, deleting=True)
    ctx.db.update(found, deleted=True, content="", quotedFileContent=None, modifiedTime=ctx.timestamp("milliseconds"))
    touch(ctx, row)
    return Reply(None, 204)
