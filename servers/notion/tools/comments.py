"""Comments. https://developers.notion.com/reference/comment-object"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx

from ..app import app, missing
from ..check import enum, obj, one_of, refuse, text, uid, validation
from ..edits import mentions
from ..markdown_in import inline_text
from ..media import uploaded
from ..models import Comment, Database, Page
from ..paging import PageSize, cut, listing
from ..placing import named
from ..resources import comment_json
from ..richtext import plain
from ..richtext import rich_text as rich_check
from ..shapes import CommentParent, Cursor, Title
from ..tree import bot, editable, get_node

_display = one_of(
    {"integration": obj({}), "user": obj({}), "custom": obj({"name": text(100, 1)}, ("name",))},
)


@app.get("/v1/comments", tool="API-retrieve-a-comment", title="List comments")
def list_comments(
    ctx: Ctx, block_id: str, start_cursor: Cursor = MISSING, page_size: PageSize | MISSING = MISSING
) -> dict[str, Any]:
    """Lists the open comments on a page or block, the oldest first. Comments on the blocks of a page are listed by the blocks' ids.

    block_id: The id of the page or block.
    start_cursor: The `next_cursor` of an earlier answer.
    page_size: How many comments to return, at most 100; 25 by default.
    """
    node = get_node(ctx, block_id, "query.block_id")
    found = ctx.db.find(Comment, parent=node.id, order="created_time,id")
    taken, cursor = cut(ctx, found, lambda one: one.id, start_cursor, page_size, "query")
    return listing("comment", [comment_json(ctx, one) for one in taken], cursor)


def _said(ctx: Ctx, rich: Any, markdown: Any, *, needed: bool) -> list[dict[str, Any]] | None:
    if rich is not MISSING and markdown is not MISSING:
        refuse("body.markdown", "not present", markdown)
    if markdown is not MISSING:
        return inline_text(markdown, mentions(ctx))
    if rich is MISSING:
        if needed:
            refuse("body.rich_text", "defined")
        return None
    return rich_check(ctx, rich, "body.rich_text")


@app.post("/v1/comments", tool="API-create-a-comment", title="Create a comment")
def create_comment(
    ctx: Ctx,
    rich_text: Title | MISSING = MISSING,
    parent: CommentParent | MISSING = MISSING,
    discussion_id: str | MISSING = MISSING,
    markdown: str | MISSING = MISSING,
    display_name: Annotated[dict[str, Any] | MISSING, Body(mcp=False)] = MISSING,
    attachments: Annotated[list[dict[str, Any]] | MISSING, Body(mcp=False)] = MISSING,
) -> dict[str, Any]:
    """Comments on a page or block, which begins a discussion, or replies in a discussion. Give either `parent` or `discussion_id`.

    rich_text: What the comment says: [{"text": {"content": "..."}}].
    parent: What a new discussion is about: {"page_id": ...} or {"block_id": ...}.
    discussion_id: The discussion to reply in, as comments tell it.
    markdown: What the comment says as inline Markdown, in place of `rich_text`.
    """
    if (parent is MISSING) == (discussion_id is MISSING):
        if parent is MISSING:
            raise validation(
                "body failed validation. Fix one:\nbody.parent should be defined, instead was `undefined`.\n"
                "body.discussion_id should be defined, instead was `undefined`."
            )
        refuse("body.discussion_id", "not present", discussion_id)
    said = _said(ctx, rich_text, markdown, needed=True) or []
    if not plain(said).strip():
        raise validation("body failed validation: body.rich_text should not be empty.")
    if attachments is not MISSING and len(attachments) > 3:
        refuse("body.attachments.length", "≤ `3`", len(attachments))
    if parent is not MISSING:
        kind = named(parent, ("page_id", "block_id"))
        node = get_node(ctx, parent[kind], f"body.parent.{kind}")
        if kind == "page_id" and not isinstance(node, Page):
            raise missing("page", node.id)
        discussion = ctx.uuid("discussion")
    else:
        first = ctx.db.first(Comment, discussion=uid(discussion_id, "body.discussion_id"), order="created_time")
        if first is None:
            raise missing("discussion", discussion_id)
        node, discussion = get_node(ctx, first.parent, "body.discussion_id"), first.discussion
    if isinstance(node, Database):
        raise validation("Comments on a database are not supported.")
    editable(ctx, node)
    row = Comment(
        id=ctx.uuid(), parent_type="page_id" if isinstance(node, Page) else "block_id", parent=node.id, discussion=discussion,
        rich_text=said, text=plain(said), created_time=ctx.timestamp(), last_edited_time=ctx.timestamp(), created_by=bot(ctx).id,
        display_name=_display(ctx, _with_kind(display_name), "body.display_name") if display_name is not MISSING else {},
        attachments=_attached(ctx, attachments),
    )  # fmt: skip
    return comment_json(ctx, ctx.db.add(row))


def _with_kind(given: dict[str, Any]) -> dict[str, Any]:
    """`{"type": "user"}` names no more than its kind."""
    kind = given.get("type")
    return {**given, kind: given.get(kind, {})} if kind in ("integration", "user") else given


def _attached(ctx: Ctx, given: Any) -> list[str]:
    if given is MISSING:
        return []
    check = obj({"file_upload_id": text(100), "type": enum("file_upload")}, ("file_upload_id",))
    out = list[str]()
    for i, one in enumerate(given):
        key = check(ctx, one, f"body.attachments[{i}]")["file_upload_id"]
        out.append(uploaded(ctx, {"id": key}, f"body.attachments[{i}]")["upload"])
    return out


def _comment(ctx: Ctx, comment_id: str) -> Comment:
    found = ctx.require(Comment, uid(comment_id, "path.comment_id"))
    get_node(ctx, found.parent, "path.comment_id")
    return found


@app.get("/v1/comments/{comment_id}", tool="API-retrieve-comment", title="Retrieve a comment", mcp=False)
def retrieve_comment(ctx: Ctx, comment_id: str) -> dict[str, Any]:
    """Retrieves one comment.

    comment_id: The comment's id.
    """
    return comment_json(ctx, _comment(ctx, comment_id))


@app.patch("/v1/comments/{comment_id}", tool="API-update-a-comment", title="Update a comment")
def update_comment(
    ctx: Ctx, comment_id: str, rich_text: Title | MISSING = MISSING, markdown: str | MISSING = MISSING
) -> dict[str, Any]:
    """Changes what a comment of this integration says.

    comment_id: The comment's id.
    rich_text: What the comment says now: [{"text": {"content": "..."}}].
    markdown: The same as inline Markdown, in place of `rich_text`.
    """
    comment = _own(ctx, comment_id)
    said = _said(ctx, rich_text, markdown, needed=True) or []
    if not plain(said).strip():
        raise validation("body failed validation: body.rich_text should not be empty.")
    return comment_json(ctx, ctx.db.update(comment, rich_text=said, text=plain(said), last_edited_time=ctx.timestamp()))


@app.delete("/v1/comments/{comment_id}", tool="API-delete-a-comment", title="Delete a comment")
def delete_comment(ctx: Ctx, comment_id: str) -> dict[str, Any]:
    """Deletes a comment of this integration for good.

    comment_id: The comment's id.
    """
    comment = _own(ctx, comment_id)
    ctx.db.delete(comment)
    return comment_json(ctx, comment)


def _own(ctx: Ctx, comment_id: str) -> Comment:
    comment = _comment(ctx, comment_id)
    if comment.created_by != bot(ctx).id:
        raise ApiError(403, "Only the author of a comment may change it.", code="restricted_resource")
    return comment
