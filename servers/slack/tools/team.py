"""auth.*, api.*, team.*, emoji.*: the workspace and the token. https://docs.slack.dev/reference/methods/auth.test"""

from typing import Any

from legoenv_mcp.app import Ctx

from ..access import me, user
from ..app import app, err
from ..models import Emoji, ProfileField
from ..resources import team, workspace_url


@app.post("/api/auth.test", tool="auth_test", effect="read", also=("GET",))
def auth_test(ctx: Ctx) -> dict[str, Any]:
    """Tells who you are: your user id and the workspace."""
    row, own = team(ctx), user(ctx, me(ctx))
    return {
        "url": workspace_url(ctx),
        "team": row.name,
        "user": own.name,
        "team_id": row.id,
        "user_id": own.id,
        "is_enterprise_install": False,
    }


@app.post("/api/api.test", tool="api_test", effect="read", also=("GET",), mcp=False)
def api_test(ctx: Ctx, error: str | None = None, foo: str | None = None) -> dict[str, Any]:
    """Answers what it is sent, to try a client.

    error: An error to answer with.
    foo: Something to give back.
    """
    args = {k: v for k, v in {"error": error, "foo": foo}.items() if v is not None}
    if error:
        raise err(error, args=args)
    return {"args": args} if args else {}


@app.get("/api/team.info", tool="get_team_info", also=("POST",))
def get_team_info(ctx: Ctx, team_id: str | None = None) -> dict[str, Any]:
    """Gives the workspace: name, domain, email domain.

    team_id: The workspace's id; yours if left out.
    """
    row = team(ctx)
    if team_id not in (None, "", row.id):
        raise err("team_not_found")
    icon = {"image_default": True, "image_34": "https://a.slack-edge.com/80588/img/avatars-teams/ava_0010-34.png"}
    body = {
        "id": row.id,
        "name": row.name,
        "url": workspace_url(ctx),
        "domain": row.domain,
        "email_domain": row.email_domain,
    }
    return {"team": body | {"icon": icon, "avatar_base_url": "https://ca.slack-edge.com/", "is_verified": False}}


@app.get("/api/team.profile.get", tool="get_team_profile", also=("POST",), mcp=False)
def get_team_profile(ctx: Ctx, visibility: str | None = None) -> dict[str, Any]:
    """Gives the custom fields of the workspace's profiles.

    visibility: Only fields of this visibility.
    """
    fields = [
        {
            "id": f.id,
            "ordering": f.ordering,
            "label": f.label,
            "hint": "",
            "type": f.type,
            "possible_values": None,
            "options": None,
            "is_hidden": False,
        }
        for f in ctx.db.find(ProfileField, order="ordering")
    ]
    return {"profile": {"fields": fields if visibility in (None, "", "all", "visible") else [], "sections": []}}


@app.get("/api/emoji.list", tool="list_emoji", also=("POST",), mcp=False)
def list_emoji(ctx: Ctx) -> dict[str, Any]:
    """Lists the workspace's custom emoji: each an image's address or an alias."""
    return {"emoji": {e.name: e.url for e in ctx.db.find(Emoji)}, "cache_ts": f"{ctx.epoch()}.000000"}
