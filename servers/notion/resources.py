"""Rows as the API shows them: users, pages, blocks, databases, data sources, comments."""

from datetime import timedelta
from typing import Any

from legoenv_mcp.app import Ctx

from .app import classic, version
from .dates import shown_time
from .models import Comment, Database, DataSource, Edited, FileUpload, Page, User
from .richtext import fresh, fresh_content
from .schema import shown_schema
from .shown import shown_properties
from .tree import Node, bot, has_children, trashed
from .users import partial_user


def address(title: str, key: str) -> str:
    """A page's URL: its title in dashes before its id."""
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in title).split()
    return f"https://www.notion.so/{'-'.join([*words, key.replace('-', '')])}"


def parent_json(ctx: Ctx, kind: str, key: str) -> dict[str, Any]:
    if kind == "workspace":
        return {"type": "workspace", "workspace": True}
    if kind == "data_source_id":
        source = ctx.db.get(DataSource, key)
        database = source.database if source else ""
        if classic(ctx):
            return {"type": "database_id", "database_id": database}
        return {"type": "data_source_id", "data_source_id": key, "database_id": database}
    return {"type": kind, kind: key}


def _file_shown(ctx: Ctx, value: dict[str, Any] | None) -> dict[str, Any] | None:
    """An uploaded file's address holds for an hour from now."""
    if not value or value.get("type") != "file":
        return value
    inner = {"url": value["file"]["url"], "expiry_time": shown_time((ctx.now + timedelta(hours=1)).isoformat())}
    return {**value, "file": inner}


def _marks(ctx: Ctx, row: Edited, *, trash: bool | None = None) -> dict[str, Any]:
    gone = row.in_trash if trash is None else trash
    out: dict[str, Any] = {
        "created_time": shown_time(row.created_time),
        "last_edited_time": shown_time(row.last_edited_time),
        "created_by": partial_user(row.created_by),
        "last_edited_by": partial_user(row.last_edited_by),
        "in_trash": gone,
    }
    return out if version(ctx) == "2026-03-11" else {**out, "archived": gone}


def page_json(ctx: Ctx, page: Page, only: list[str] | None = None) -> dict[str, Any]:
    """A page; `only` names the properties to show, by id or name."""
    return {
        "object": "page",
        "id": page.id,
        **_marks(ctx, page, trash=trashed(ctx, page)),
        "cover": _file_shown(ctx, page.cover),
        "icon": _file_shown(ctx, page.icon),
        "is_locked": page.is_locked,
        "parent": parent_json(ctx, page.parent_type, page.parent),
        "properties": shown_properties(ctx, page, only),
        "url": address(page.title, page.id),
        "public_url": None,
    }


def node_json(ctx: Ctx, node: Node) -> dict[str, Any]:
    """A block; a page or a database seen as one."""
    if isinstance(node, Page):
        kind, content = "child_page", {"title": node.title}
    elif isinstance(node, Database):
        kind, content = "child_database", {"title": node.title}
    else:
        kind = node.type
        content = fresh_content(ctx, _file_shown(ctx, node.content) or {})
    return {
        "object": "block",
        "id": node.id,
        "parent": parent_json(ctx, node.parent_type, node.parent),
        **_marks(ctx, node),
        "has_children": has_children(ctx, node),
        "type": kind,
        kind: content,
    }


def database_json(ctx: Ctx, database: Database) -> dict[str, Any]:
    sources = ctx.db.find(DataSource, database=database.id, in_trash=False, order="created_time")
    base = {
        "object": "database",
        "id": database.id,
        **_marks(ctx, database),
        "title": database.rich_title,
        "description": database.description,
        "icon": _file_shown(ctx, database.icon),
        "cover": _file_shown(ctx, database.cover),
        "is_inline": database.is_inline,
        "is_locked": database.is_locked,
        "parent": parent_json(ctx, database.parent_type, database.parent),
        "url": f"https://www.notion.so/{database.id.replace('-', '')}",
        "public_url": None,
    }
    if classic(ctx):
        return {**base, "properties": shown_schema(ctx, sources[0]) if sources else {}}
    return {**base, "data_sources": [{"id": one.id, "name": one.title} for one in sources]}


def data_source_json(ctx: Ctx, source: DataSource) -> dict[str, Any]:
    database = ctx.require(Database, source.database)
    return {
        "object": "data_source",
        "id": source.id,
        **_marks(ctx, source),
        "title": source.rich_title,
        "description": database.description,
        "icon": _file_shown(ctx, source.icon),
        "cover": _file_shown(ctx, database.cover),
        "is_inline": database.is_inline,
        "parent": {"type": "database_id", "database_id": source.database},
        "database_parent": parent_json(ctx, database.parent_type, database.parent),
        "properties": shown_schema(ctx, source),
        "url": f"https://www.notion.so/{database.id.replace('-', '')}",
        "public_url": None,
    }


def comment_json(ctx: Ctx, comment: Comment) -> dict[str, Any]:
    author = ctx.db.get(User, comment.created_by)
    kind = comment.display_name.get("type") or ("integration" if author and author.type == "bot" else "user")
    name = author.name if author else None
    if kind == "custom":
        name = comment.display_name["custom"]["name"]
    elif kind == "user" and author and author.type == "bot":
        owner = ctx.db.get(User, bot(ctx).owner)
        name = owner.name if owner else name
    return {
        "object": "comment",
        "id": comment.id,
        "parent": {"type": comment.parent_type, comment.parent_type: comment.parent},
        "discussion_id": comment.discussion,
        "created_time": shown_time(comment.created_time),
        "last_edited_time": shown_time(comment.last_edited_time),
        "created_by": partial_user(comment.created_by),
        "rich_text": fresh(ctx, comment.rich_text),
        "display_name": {"type": kind, "resolved_name": name},
    }


def upload_json(ctx: Ctx, upload: FileUpload) -> dict[str, Any]:
    base = f"{ctx.request.base or 'https://api.notion.com'}/v1/file_uploads/{upload.id}"
    parts = (
        {"number_of_parts": {"total": upload.number_of_parts, "sent": len(upload.parts)}}
        if upload.mode == "multi_part"
        else {}
    )
    where = {"upload_url": f"{base}/send"} if upload.status == "pending" and upload.mode != "external_url" else {}
    author = ctx.db.get(User, upload.created_by)
    return {
        "object": "file_upload",
        "id": upload.id,
        "created_time": shown_time(upload.created_time),
        "created_by": {"id": upload.created_by, "type": author.type if author else "bot"},
        "last_edited_time": shown_time(upload.last_edited_time),
        "expiry_time": shown_time(upload.expiry_time) if upload.expiry_time else None,
        "archived": False,
        "in_trash": False,
        "status": upload.status,
        "filename": upload.filename,
        "content_type": upload.content_type,
        "content_length": upload.content_length,
        **where,
        **parts,
    }
