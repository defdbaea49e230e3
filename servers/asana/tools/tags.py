"""Tags. https://developers.asana.com/reference/tags"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Body, Ctx, Page

from .. import access, stories
from ..app import API, Fields, Gid, Ids, Limit, Name, Offset, Text, app, bad
from ..listing import one, page
from ..models import Color, Tag, Task, Workspace


@app.get(f"{API}/tags", tool="get_tags")
def get_tags(
    ctx: Ctx, workspace: Gid | None = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the tags of a workspace.

    workspace: The workspace's gid; all workspaces where left out.
    """
    if workspace is not None:
        access.in_workspace(ctx, workspace)
    return page(ctx, ctx.db.find(Tag, order="created_at,gid", workspace=workspace), opt_fields, limit, offset)


@app.get(f"{API}/workspaces/{{workspace_gid}}/tags", tool="get_tags_for_workspace", mcp=False)
def get_tags_for_workspace(
    ctx: Ctx, workspace_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the tags of a workspace.

    workspace_gid: The workspace's gid.
    """
    place = access.get(ctx, Workspace, workspace_gid)
    return page(ctx, ctx.db.find(Tag, order="created_at,gid", workspace=place.gid), opt_fields, limit, offset)


def made(ctx: Ctx, workspace: str, sent: dict[str, Any]) -> Tag:
    """A new tag; tags of one name may be several."""
    if not (sent.get("name") or "").strip():
        raise bad("name: Missing input")
    followers = access.people(ctx, sent["followers"], "followers") if sent.get("followers") else []
    color = sent.get("color")
    row = ctx.db.add(
        Tag(
            gid=access.new_gid(ctx), name=sent["name"], color=None if color == "none" else color, notes=sent.get("notes") or "",
            followers=followers, workspace=workspace, created_at=access.now(ctx),
        )
    )  # fmt: skip
    stories.happened(ctx, row, "added")
    return row


@app.post(f"{API}/tags", tool="create_tag", status=201)
def create_tag(
    ctx: Ctx, name: Name, workspace: Gid, color: Color | None = None, notes: Text = "",
    followers: Annotated[Ids | None, Body(mcp=False)] = None, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a tag in a workspace. Tags of the same name may exist: look for one with get_tags first.

    name: The tag's name.
    workspace: The workspace's gid.
    color: The tag's colour.
    notes: What it is for.
    """
    return one(ctx, made(ctx, access.in_workspace(ctx, workspace).gid, ctx.sent()), opt_fields)


@app.post(f"{API}/workspaces/{{workspace_gid}}/tags", tool="create_tag_for_workspace", status=201, mcp=False)
def create_tag_for_workspace(
    ctx: Ctx, workspace_gid: Gid, name: Name, color: Color | None = None, notes: Text = "", opt_fields: Fields = None
) -> dict[str, Any]:  # fmt: skip
    """Creates a tag in a workspace.

    workspace_gid: The workspace's gid.
    name: The tag's name.
    color: The tag's colour.
    notes: What it is for.
    """
    return one(ctx, made(ctx, access.get(ctx, Workspace, workspace_gid).gid, ctx.sent()), opt_fields)


@app.get(f"{API}/tags/{{tag_gid}}", tool="get_tag", mcp=False)
def get_tag(ctx: Ctx, tag_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a tag.

    tag_gid: The tag's gid.
    """
    return one(ctx, access.get(ctx, Tag, tag_gid), opt_fields)


@app.put(f"{API}/tags/{{tag_gid}}", tool="update_tag", mcp=False)
def update_tag(
    ctx: Ctx, tag_gid: Gid, name: Name | MISSING = MISSING, color: Color | None | MISSING = MISSING, notes: Text | MISSING = MISSING,
    opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a tag.

    tag_gid: The tag's gid.
    name: The tag's name.
    color: The tag's colour.
    notes: What it is for.
    """
    row, sent = access.get(ctx, Tag, tag_gid), ctx.sent()
    if "name" in sent and not sent["name"].strip():
        raise bad("name: Missing input")
    changes = {name: sent[name] for name in ("name", "color", "notes") if name in sent}
    if changes.get("color") == "none":
        changes["color"] = None
    ctx.db.update(row, **changes)
    return one(ctx, row, opt_fields)


@app.delete(f"{API}/tags/{{tag_gid}}", tool="delete_tag", mcp=False)
def delete_tag(ctx: Ctx, tag_gid: Gid) -> dict[str, Any]:
    """Deletes a tag; tasks lose it.

    tag_gid: The tag's gid.
    """
    row = access.get(ctx, Tag, tag_gid)
    having = "EXISTS (SELECT 1 FROM json_each(task.tags) WHERE value = ?)"
    for task in ctx.db.where(Task, having, (row.gid,)):
        stories.touched(ctx, task, tags=[gid for gid in task.tags if gid != row.gid])
    stories.happened(ctx, row, "deleted")
    ctx.db.delete(row)
    return {}
