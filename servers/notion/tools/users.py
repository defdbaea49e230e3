"""Users. https://developers.notion.com/reference/user"""

from typing import Any

from legoenv_mcp.app import MISSING, Ctx

from ..app import app
from ..check import uid
from ..models import User
from ..paging import PageSize, cut, listing
from ..shapes import Cursor
from ..tree import bot
from ..users import user_json


@app.get("/v1/users", tool="API-get-users", title="List all users")
def list_users(ctx: Ctx, start_cursor: Cursor = MISSING, page_size: PageSize | MISSING = MISSING) -> dict[str, Any]:
    """Lists the workspace's members and bots, with names and email addresses.

    start_cursor: The `next_cursor` of an earlier answer.
    page_size: How many users to return, at most 100; 50 by default.
    """
    found = ctx.db.find(User, active=True, order="name,id")
    taken, cursor = cut(ctx, found, lambda one: one.id, start_cursor, page_size, "query", 50)
    return listing("user", [user_json(ctx, one) for one in taken], cursor)


@app.get("/v1/users/me", tool="API-get-self", title="Retrieve your token's bot user")
def get_self(ctx: Ctx) -> dict[str, Any]:
    """Retrieves the bot that calls are made as. Its owner is the person who authorised it."""
    return user_json(ctx, bot(ctx))


@app.get("/v1/users/{user_id}", tool="API-get-user", title="Retrieve a user")
def get_user(ctx: Ctx, user_id: str) -> dict[str, Any]:
    """Retrieves a member or a bot.

    user_id: The user's id.
    """
    return user_json(ctx, ctx.require(User, uid(user_id, "path.user_id")))
