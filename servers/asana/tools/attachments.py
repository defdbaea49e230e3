"""Attachments: files and links. https://developers.asana.com/reference/attachments"""

import base64
from typing import Annotated, Any, Literal

from legoenv_mcp.app import Body, Ctx, Page, Reply

from .. import access, resources, stories
from ..app import API, Fields, Gid, Limit, Name, Offset, app, bad
from ..listing import one, page
from ..models import Attachment, Project, Task

MOST_BYTES = 100 * 1024 * 1024


def holder(ctx: Ctx, gid: str) -> Task | Project:
    """The task or project that attachments are on."""
    if access.is_gid(gid) and ctx.db.get(Project, gid) is not None:
        return access.project(ctx, gid, "parent")
    return access.task(ctx, gid, "parent")


@app.get(f"{API}/attachments", tool="get_attachments_for_object")
def get_attachments_for_object(
    ctx: Ctx, parent: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the attachments of a task or project.

    parent: The gid of the task or project.
    """
    rows = ctx.db.find(Attachment, parent=holder(ctx, parent).gid, order="created_at,gid")
    return page(ctx, rows, opt_fields, limit, offset)


@app.get(f"{API}/attachments/{{attachment_gid}}", tool="get_attachment", mcp=False)
def get_attachment(ctx: Ctx, attachment_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets an attachment, with the addresses to see and download it.

    attachment_gid: The attachment's gid.
    """
    row = access.get(ctx, Attachment, attachment_gid)
    holder(ctx, row.parent)
    return one(ctx, row, opt_fields)


@app.get("/-/asset/{attachment_gid}", tool="download_attachment", mcp=False)
def download_attachment(ctx: Ctx, attachment_gid: Gid) -> Reply:
    """The content of an attached file, which its download_url leads to.

    attachment_gid: The attachment's gid.
    """
    row = access.get(ctx, Attachment, attachment_gid)
    holder(ctx, row.parent)
    return Reply(base64.b64decode(row.content), 200, media_type=row.content_type or "application/octet-stream")


@app.post(f"{API}/attachments", tool="create_attachment", status=200, effect="create")
def create_attachment(
    ctx: Ctx, parent: Gid, name: Name | None = None, url: Annotated[str | None, Body()] = None,
    resource_subtype: Annotated[Literal["asana", "external"], Body(mcp=False)] = "asana", file: Annotated[Any, Body(mcp=False)] = None,
    connect_to_app: Annotated[bool, Body(mcp=False)] = False, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Attaches a link to a task or project. Programs may upload files as well.

    parent: The gid of the task or project.
    name: What the link is called.
    url: The address.
    """
    target = holder(ctx, parent)
    columns = (
        _link(name, url) if resource_subtype == "external" or (file is None and url is not None) else _file(name, file)
    )
    row = ctx.db.add(
        Attachment(
            gid=access.new_gid(ctx), parent=target.gid, created_by=access.me(ctx).gid, created_at=access.now(ctx), **columns,
        )
    )  # fmt: skip
    if isinstance(target, Task):
        stories.tell(ctx, target, "attachment_added", f"attached {row.name}")
        stories.touched(ctx, target)
    stories.happened(ctx, row, "added", parent=target, also=stories.scope_of(ctx, target))
    return one(ctx, row, opt_fields)


def _link(name: str | None, url: str | None) -> dict[str, Any]:
    if not url:
        raise bad("url: Missing input")
    if not name:
        raise bad("name: Missing input")
    if not url.startswith(("https://", "http://")) or " " in url:
        raise bad(f"url: Not a valid URL: {url[:100]}")
    return {"name": name, "url": url, "resource_subtype": "external"}


def _file(name: str | None, file: Any) -> dict[str, Any]:
    if not isinstance(file, dict) or not isinstance(file.get("content"), bytes):
        raise bad("file: Missing input")
    content = file["content"]
    if len(content) > MOST_BYTES:
        raise bad("file: The file is larger than 100 MB")
    return {
        "name": file["filename"] or name or "file", "size": len(content), "content_type": file["content_type"],
        "content": base64.b64encode(content).decode(),
    }  # fmt: skip


@app.delete(f"{API}/attachments/{{attachment_gid}}", tool="delete_attachment", mcp=False)
def delete_attachment(ctx: Ctx, attachment_gid: Gid) -> dict[str, Any]:
    """Deletes an attachment.

    attachment_gid: The attachment's gid.
    """
    row = access.get(ctx, Attachment, attachment_gid)
    target = holder(ctx, row.parent)
    stories.happened(ctx, row, "deleted", parent=target, also=stories.scope_of(ctx, target))
    ctx.db.delete(row)
    return {}


assert resources.KINDS  # the records of every resource are declared where this is imported
