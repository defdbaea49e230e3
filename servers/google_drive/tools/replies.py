"""Replies to comments. https://developers.google.com/workspace/drive/api/reference/rest/v3/replies"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, URLSAFE, Ctx, Field, Payload, ToolOnly
from legoenv_mcp.app import Reply as Answer

from .. import listing, schemas
from ..app import app, not_found, over_rest, refuse
from ..fields import answers
from ..models import Comment, Reply
from ..resources import reply_json
from .comments import Said, check_author, check_content, open_comment, open_file, touch

Body = Annotated[schemas.Reply | None, Payload(mcp=False)]


def _open(ctx: Ctx, comment: Comment, key: str, *, deleted: bool = False) -> Reply:
    found = ctx.db.get(Reply, key)
    if found is None or found.comment_id != comment.id or (found.deleted and not deleted):
        raise not_found("Reply", f"{key}.")
    return found


@app.get("/drive/v3/files/{fileId}/comments/{commentId}/replies", tool="list_replies", mcp=False)
@answers("ReplyList")
def list_replies(
    ctx: Ctx, fileId: str, commentId: str, includeDeleted: bool | None = None, pageSize: Annotated[int, Field(ge=1, le=100)] = 20,
    pageToken: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists a comment's replies in the order in which they were written."""
    tree, row = open_file(ctx, fileId)
    comment = open_comment(ctx, row, commentId, deleted=bool(includeDeleted))
    found = [r for r in ctx.db.find(Reply, order="number", comment_id=comment.id) if includeDeleted or not r.deleted]
    shown, rest = listing.page(found, pageSize, pageToken, "replies", comment.id, bool(includeDeleted))
    return {"kind": "drive#replyList", **rest, "replies": [reply_json(tree, r) for r in shown]}


@app.get("/drive/v3/files/{fileId}/comments/{commentId}/replies/{replyId}", tool="get_reply", mcp=False)
@answers("Reply")
def get_reply(
    ctx: Ctx, fileId: str, commentId: str, replyId: str, includeDeleted: bool | None = None
) -> dict[str, Any]:
    """Gets a reply."""
    tree, row = open_file(ctx, fileId)
    comment = open_comment(ctx, row, commentId, deleted=bool(includeDeleted))
    return reply_json(tree, _open(ctx, comment, replyId, deleted=bool(includeDeleted)))


@app.post("/drive/v3/files/{fileId}/comments/{commentId}/replies", tool="create_reply")
@answers("Reply")
def create_reply(
    ctx: Ctx, fileId: str, commentId: str, resource: Body = None, content: Said = MISSING,
    action: Annotated[Literal["resolve", "reopen"] | MISSING, ToolOnly()] = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Replies to a comment, and may resolve or reopen it thereby.

    fileId: The file's id.
    commentId: The comment's id.
    content: What the reply says; not needed with an action.
    action: resolve closes the comment, reopen opens it again.
    """
    tree, row = open_file(ctx, fileId, write=True)
    comment = open_comment(ctx, row, commentId)
    said = resource.sent() if resource else {}
    if not over_rest(ctx):
        said = {n: v for n, v in (("content", content), ("action", action)) if v is not MISSING}
    act: Any = said.get("action") or None
    if act not in (None, "resolve", "reopen"):
        raise refuse("The specified action is invalid.", "invalid", location="action")
    text = check_content(said.get("content")) if said.get("content") or act is None else ""
    now = ctx.timestamp("milliseconds")
    made = ctx.db.add(Reply(
        id=ctx.id("AAAA", 7, URLSAFE, kind="reply"), comment_id=comment.id, author=tree.me.email, content=text, action=act,
        number=ctx.sequence("reply"), createdTime=now, modifiedTime=now,
    ))  # fmt: skip
    ctx.db.update(comment, modifiedTime=now, **({"resolved": act == "resolve"} if act else {}))
    touch(ctx, row)
    return reply_json(tree, made)


@app.patch("/drive/v3/files/{fileId}/comments/{commentId}/replies/{replyId}", tool="update_reply")
@answers("Reply")
def update_reply(
    ctx: Ctx, fileId: str, commentId: str, replyId: str, resource: Body = None, content: Said = MISSING
) -> dict[str, Any]:
    """Changes what one's own reply says.

    fileId: The file's id.
    commentId: The comment's id.
    replyId: The reply's id.
    content: What the reply says now.
    """
    tree, row = open_file(ctx, fileId, write=True)
    found = _open(ctx, open_comment(ctx, row, commentId), replyId)
    check_author(tree, row, found.author)
    said = resource.sent() if resource else {}
    text = check_content(said.get("content") if over_rest(ctx) else content)
    if text != found.content:
        ctx.db.update(found, content=text, modifiedTime=ctx.timestamp("milliseconds"))
        touch(ctx, row)
    return reply_json(tree, found)


@app.delete("/drive/v3/files/{fileId}/comments/{commentId}/replies/{replyId}", tool="delete_reply", status=204)
def delete_reply(ctx: Ctx, fileId: str, commentId: str, replyId: str) -> Answer:
    """Deletes a reply: one's own, or any on a file that one owns.

    fileId: The file's id.
    commentId: The comment's id.
    replyId: The reply's id.
    """
    tree, row = open_file(ctx, fileId, write=True)
    found = _open(ctx, open_comment(ctx, row, commentId), replyId)
    check_author(tree, row, found.author, deleting=True)
    ctx.db.update(found, deleted=True, content="", modifiedTime=ctx.timestamp("milliseconds"))
    touch(ctx, row)
    return Answer(None, 204)
