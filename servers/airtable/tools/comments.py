"""Comments on records."""

import re
from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field

from ..app import absent, app, forbidden
from ..grid import Grid, open_table
from ..models import Comment, Record
from ..paging import page
from ..people import me, need
from ..records import one_record
from ..values import iso

Text = Annotated[str, Field(min_length=1, max_length=10_000)]
_MENTION = re.compile(r"@\[(usr[0-9A-Za-z]{14})\]")


def _json(grid: Grid, comment: Comment) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": comment.id, "author": grid.user_json(comment.author), "text": comment.text, "createdTime": comment.created_time,
        "lastUpdatedTime": comment.last_updated_time,
    }  # fmt: skip
    mentioned = dict[str, Any]()
    for key in _MENTION.findall(comment.text):
        if (user := grid.user(key)) is not None:
            mentioned[key] = {"id": key, "type": "user", "displayName": user.name, "email": user.email}
    if mentioned:
        made["mentioned"] = mentioned
    if comment.parent_comment_id:
        made["parentCommentId"] = comment.parent_comment_id
    return {**made, "reactions": []}


def _comment(ctx: Ctx, record: Record, key: str) -> Comment:
    found = ctx.db.get(Comment, key)
    if found is None or found.record_id != record.id:
        raise absent("Comment")
    return found


@app.get("/v0/{baseId}/{tableId}/{recordId}/comments", tool="list_comments")
def list_comments(
    ctx: Ctx,
    baseId: str,
    tableId: str,
    recordId: str,
    pageSize: Annotated[int, Field(ge=1, le=100)] = 100,
    offset: str | None = None,
) -> dict[str, Any]:
    """Lists the comments on a record, newest first.

    baseId: The base's id.
    tableId: The table's id or name.
    recordId: The record's id.
    pageSize: How many to list, 100 at most.
    offset: The offset of the page before.
    """
    grid, table = open_table(ctx, baseId, tableId)
    record = one_record(grid, table, recordId)
    found = ctx.db.find(Comment, record_id=record.id, order="-number")
    shown, after = page(found, pageSize, offset, ("comments", record.id))
    return {"comments": [_json(grid, c) for c in shown], "offset": after}


@app.post("/v0/{baseId}/{tableId}/{recordId}/comments", tool="create_comment")
def create_comment(
    ctx: Ctx, baseId: str, tableId: str, recordId: str, text: Text, parentCommentId: str | None = None
) -> dict[str, Any]:
    """Comments on a record, or answers a comment on it. @[user id] in the text mentions a user.

    baseId: The base's id.
    tableId: The table's id or name.
    recordId: The record's id.
    text: What to say.
    parentCommentId: The comment that it answers.
    """
    grid, table = open_table(ctx, baseId, tableId)
    need(ctx, grid.base, "comment")
    record = one_record(grid, table, recordId)
    parent = _comment(ctx, record, parentCommentId) if parentCommentId else None
    comment = ctx.db.add(
        Comment(
            id=ctx.id("com", 14),
            record_id=record.id,
            number=ctx.sequence("comment"),
            author=me(ctx),
            text=text,
            created_time=iso(ctx.now),
            parent_comment_id=(parent.parent_comment_id or parent.id) if parent else None,
        )
    )
    return _json(grid, comment)


@app.patch("/v0/{baseId}/{tableId}/{recordId}/comments/{rowCommentId}", tool="update_comment")
def update_comment(ctx: Ctx, baseId: str, tableId: str, recordId: str, rowCommentId: str, text: Text) -> dict[str, Any]:
    """Changes the text of one of the caller's own comments.

    baseId: The base's id.
    tableId: The table's id or name.
    recordId: The record's id.
    rowCommentId: The comment's id.
    text: What it shall say.
    """
    grid, table = open_table(ctx, baseId, tableId)
    comment = _comment(ctx, one_record(grid, table, recordId), rowCommentId)
    if comment.author != me(ctx):
        raise forbidden()
    ctx.db.update(comment, text=text, last_updated_time=iso(ctx.now))
    return _json(grid, comment)


@app.delete("/v0/{baseId}/{tableId}/{recordId}/comments/{rowCommentId}", tool="delete_comment")
def delete_comment(ctx: Ctx, baseId: str, tableId: str, recordId: str, rowCommentId: str) -> dict[str, Any]:
    """Deletes a comment: one's own, or anybody's with creator permission.

    baseId: The base's id.
    tableId: The table's id or name.
    recordId: The record's id.
    rowCommentId: The comment's id.
    """
    grid, table = open_table(ctx, baseId, tableId)
    comment = _comment(ctx, one_record(grid, table, recordId), rowCommentId)
    if comment.author != me(ctx):
        need(ctx, grid.base, "create")
    for answer in ctx.db.find(Comment, parent_comment_id=comment.id):
        ctx.db.update(answer, parent_comment_id=None)
    ctx.db.delete(comment)
    return {"id": comment.id, "deleted": True}
