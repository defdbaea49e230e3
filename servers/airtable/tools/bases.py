"""Bases, and who the caller is."""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Query

from ..app import app, forbidden, hidden
from ..grid import Grid, open_base
from ..hooks import Log
from ..models import (
    Attachment,
    Base,
    Collaborator,
    Column,
    Comment,
    Payload,
    Record,
    Table,
    User,
    View,
    Webhook,
    Workspace,
)
from ..paging import page
from ..people import LEVELS, level, me, need, shown_level
from ..schema import NewTable, make_table, table_json
from ..values import iso

SCOPES = [
    "data.records:read", "data.records:write", "data.recordComments:read", "data.recordComments:write", "schema.bases:read",
    "schema.bases:write", "user.email:read", "webhook:manage", "workspacesAndBases:read", "workspacesAndBases:write",
]  # fmt: skip
_PAGE = 1000


@app.get("/v0/meta/whoami", tool="whoami")
def whoami(ctx: Ctx) -> dict[str, Any]:
    """Tells whose token it is: the user's id and e-mail address, and the scopes of the token."""
    user = ctx.require(User, me(ctx))
    return {"id": user.id, "email": user.email, "scopes": SCOPES}


@app.get("/v0/meta/bases", tool="list_bases")
def list_bases(ctx: Ctx, offset: str | None = None) -> dict[str, Any]:
    """Lists the bases that the caller can open, with their ids and what the caller may do in them.

    offset: The offset of the page before, where there was one.
    """
    seen = [b for b in ctx.db.find(Base, order="created_time") if level(ctx, b) != "none"]
    shown, after = page(seen, _PAGE, offset, "bases")
    made = [{"id": b.id, "name": b.name, "permissionLevel": shown_level(ctx, b)} for b in shown]
    return {"bases": made, **({"offset": after} if after else {})}


@app.post("/v0/meta/bases", tool="create_base")
def create_base(
    ctx: Ctx,
    workspaceId: str,
    name: Annotated[str, Field(min_length=1, max_length=255)],
    tables: Annotated[list[NewTable], Field(min_length=1, max_length=1000)],
) -> dict[str, Any]:
    """Creates a base with its tables. At least one table with one field is needed; the first field of a table is its primary field.

    workspaceId: The workspace that it shall lie in; get_base_collaborators of another base tells its workspace.
    name: The base's name; it need not be unlike others.
    tables: The tables with their fields. Links between tables are added afterwards, with create_field.
    """
    if ctx.db.get(Workspace, workspaceId) is None:
        raise hidden("There is no such workspace.")
    access = ctx.db.get(Collaborator, (workspaceId, me(ctx)))
    if access is None or LEVELS.index(access.permission_level) < LEVELS.index("create"):
        raise forbidden()
    now = iso(ctx.now)
    base = ctx.db.add(Base(id=ctx.id("app", 14), workspace_id=workspaceId, name=name, owner=me(ctx), created_time=now))
    ctx.db.add(
        Collaborator(scope=base.id, user_id=me(ctx), permission_level="owner", granted_by=me(ctx), created_time=now)
    )
    grid = Grid(ctx, base)
    log = Log(grid)
    made = [make_table(ctx, grid, table, log) for table in tables]
    return {"id": base.id, "tables": [table_json(grid, table) for table in made]}


def _granted(rows: list[Collaborator], ctx: Ctx) -> list[dict[str, Any]]:
    emails = {u.id: u.email for u in ctx.db.find(User)}
    return [
        {
            "userId": r.user_id, "email": emails[r.user_id], "permissionLevel": r.permission_level, "grantedByUserId": r.granted_by,
            "createdTime": r.created_time,
        }
        for r in rows
    ]  # fmt: skip


@app.get("/v0/meta/bases/{baseId}", tool="get_base_collaborators")
def get_base_collaborators(
    ctx: Ctx, baseId: str, include: Annotated[list[str] | None, Query("include", mcp=False)] = None
) -> dict[str, Any]:
    """Shows a base: its name, its workspace, and who may do what in it.

    baseId: The base's id.
    include: Over REST, what to show besides: collaborators, inviteLinks, interfaces.
    """
    grid = open_base(ctx, baseId)
    base, asked = grid.base, include or ([] if ctx.request.method else ["collaborators"])
    made: dict[str, Any] = {
        "id": base.id, "name": base.name, "createdTime": base.created_time, "permissionLevel": shown_level(ctx, base),
        "workspaceId": base.workspace_id,
    }  # fmt: skip
    if "collaborators" in asked:
        of_base = _granted(ctx.db.find(Collaborator, scope=base.id), ctx)
        of_workspace = _granted(ctx.db.find(Collaborator, scope=base.workspace_id), ctx)
        made["individualCollaborators"] = {"baseCollaborators": of_base, "workspaceCollaborators": of_workspace}
        made["groupCollaborators"] = {"baseCollaborators": [], "workspaceCollaborators": []}
    if "inviteLinks" in asked:
        made["inviteLinks"] = {"baseInviteLinks": [], "workspaceInviteLinks": []}
    return {**made, "interfaces": {}} if "interfaces" in asked else made


@app.get("/v0/meta/workspaces/{workspaceId}", tool="get_workspace_collaborators")
def get_workspace_collaborators(
    ctx: Ctx, workspaceId: str, include: Annotated[list[str] | None, Query("include", mcp=False)] = None
) -> dict[str, Any]:
    """Shows a workspace: its name, its bases, and who may do what in it.

    workspaceId: The workspace's id.
    include: Over REST, what to show besides: collaborators, inviteLinks.
    """
    workspace = ctx.db.get(Workspace, workspaceId)
    if workspace is None:
        raise hidden("There is no such workspace; get_base_collaborators of a base tells its workspace.")
    made: dict[str, Any] = {
        "id": workspace.id, "name": workspace.name, "createdTime": workspace.created_time,
        "baseIds": [b.id for b in ctx.db.find(Base, workspace_id=workspace.id, order="created_time")],
        "workspaceRestrictions": {"inviteCreationRestriction": "unrestricted", "shareCreationRestriction": "unrestricted"},
    }  # fmt: skip
    if "collaborators" in (include or ([] if ctx.request.method else ["collaborators"])):
        found = _granted(ctx.db.find(Collaborator, scope=workspace.id), ctx)
        made["individualCollaborators"] = {"baseCollaborators": [], "workspaceCollaborators": found}
        made["groupCollaborators"] = {"baseCollaborators": [], "workspaceCollaborators": []}
    return made


@app.delete("/v0/meta/bases/{baseId}", tool="delete_base")
def delete_base(ctx: Ctx, baseId: str) -> dict[str, Any]:
    """Deletes a base with all its tables and records. Only its owner, or the workspace's, may.

    baseId: The base's id.
    """
    base = open_base(ctx, baseId).base
    need(ctx, base, "owner")
    tables = [t.id for t in ctx.db.find(Table, base_id=base.id)]
    for hook in ctx.db.find(Webhook, base_id=base.id):
        ctx.db.delete_where(Payload, webhook_id=hook.id)
        ctx.db.delete(hook)
    for table in tables:
        for record in ctx.db.find(Record, table_id=table):
            ctx.db.delete_where(Comment, record_id=record.id)
        for kind in (Record, View, Column):
            ctx.db.delete_where(kind, table_id=table)
    ctx.db.delete_where(Table, base_id=base.id)
    ctx.db.delete_where(Attachment, base_id=base.id)
    ctx.db.delete_where(Collaborator, scope=base.id)
    ctx.db.delete(base)
    return {"id": base.id, "deleted": True}
