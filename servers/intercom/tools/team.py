"""Teammates and teams. https://developers.intercom.com/docs/references/rest-api/api.intercom.io/admins"""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import errors, ids, resources
from ..app import app
from ..inputs import Text
from ..models import Admin, AwayStatusReason, Team


@app.get("/me", tool="identify_admin")
def identify_admin(ctx: Ctx) -> dict[str, Any]:
    """Shows who you are, and the workspace. Your id is the `admin_id` of what you do."""
    row, workspace = ids.me(ctx), ids.workspace(ctx)
    shown = resources.admin(ctx, row)
    return {
        "type": "admin", "id": row.id, "email": row.email, "name": row.name, "job_title": row.job_title, "email_verified": True,
        "app": {
            "type": "app", "id_code": workspace.id, "name": workspace.name, "created_at": workspace.created_at, "secure": False,
            "identity_verification": False, "timezone": workspace.timezone, "region": workspace.region,
        },
        "avatar": shown["avatar"], "has_inbox_seat": row.has_inbox_seat,
    }  # fmt: skip


@app.get("/admins", tool="list_admins")
def list_admins(ctx: Ctx, display_avatar: bool | None = None) -> dict[str, Any]:
    """Lists the teammates, with their ids and teams.

    display_avatar: Has no effect: there are no pictures.
    """
    return {"type": "admin.list", "admins": [resources.admin(ctx, a) for a in ctx.db.find(Admin)]}


@app.get("/admins/{admin_id}", tool="retrieve_admin", mcp=False)
def retrieve_admin(ctx: Ctx, admin_id: str) -> dict[str, Any]:
    """Shows a teammate.

    admin_id: The teammate's id.
    """
    return resources.admin(ctx, ctx.require(Admin, admin_id))


@app.put("/admins/{admin_id}/away", tool="set_away_admin")
def set_away_admin(
    ctx: Ctx,
    admin_id: str,
    away_mode_enabled: bool,
    away_mode_reassign: bool,
    away_status_reason_id: Text | None = None,
) -> dict[str, Any]:
    """Sets a teammate away, or back.

    admin_id: The teammate's id.
    away_mode_enabled: Whether they are away.
    away_mode_reassign: Whether replies to their conversations go back to the team.
    away_status_reason_id: The id of a reason (`GET /away_status_reasons`).
    """
    row = ctx.db.get(Admin, admin_id)
    if row is None:
        raise errors.refuse(404, "admin_not_found", "Admin for admin_id not found")
    if away_status_reason_id is not None:
        reason = ctx.db.get(AwayStatusReason, away_status_reason_id)
        if reason is None:
            raise errors.invalid_parameter("Away status reason not found")
        if reason.deleted:
            raise errors.invalid_parameter("Away status reason is deleted")
    ctx.db.update(
        row, away_mode_enabled=away_mode_enabled, away_mode_reassign=away_mode_reassign,
        away_status_reason_id=away_status_reason_id if away_mode_enabled else None,
    )  # fmt: skip
    return resources.admin(ctx, row)


@app.get("/away_status_reasons", tool="list_away_status_reasons", mcp=False)
def list_away_status_reasons(ctx: Ctx) -> dict[str, Any]:
    """Lists the reasons for being away."""
    return {"type": "list", "data": [resources.away_reason(r) for r in ctx.db.find(AwayStatusReason, order="order")]}


@app.get("/teams", tool="list_teams")
def list_teams(ctx: Ctx) -> dict[str, Any]:
    """Lists the teams that conversations and tickets are assigned to, with their members' ids."""
    return {"type": "team.list", "teams": [resources.team(ctx, t) for t in ctx.db.find(Team)]}


@app.get("/teams/{team_id}", tool="retrieve_team", mcp=False)
def retrieve_team(ctx: Ctx, team_id: str) -> dict[str, Any]:
    """Shows a team.

    team_id: The team's id.
    """
    return resources.team(ctx, ctx.require(Team, team_id))
