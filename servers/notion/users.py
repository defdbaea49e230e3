"""Users as the API shows them. https://developers.notion.com/reference/user"""

from typing import Any

from legoenv_mcp.app import Ctx

from .models import User


def partial_user(key: str) -> dict[str, Any]:
    return {"object": "user", "id": key}


def user_json(ctx: Ctx, user: User) -> dict[str, Any]:
    base = {"object": "user", "id": user.id, "name": user.name, "avatar_url": user.avatar_url, "type": user.type}
    if user.type == "person":
        return {**base, "person": {"email": user.email}}
    owner = ctx.db.get(User, user.owner) if user.owner else None
    holder = {"type": "user", "user": user_json(ctx, owner)} if owner else {"type": "workspace", "workspace": True}
    workspace = {"workspace_name": user.profile.get("workspace"), "workspace_id": user.profile.get("workspace_id")}
    return {**base, "bot": {"owner": holder, **workspace}}
