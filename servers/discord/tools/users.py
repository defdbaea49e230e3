"""Users and the caller. https://discord.com/developers/docs/resources/user"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field

from .. import access as a
from .. import resources
from ..app import app, form
from ..models import Guild, Member, User


@app.get("/users/@me", tool="get_current_user")
def get_current_user(ctx: Ctx) -> dict[str, Any]:
    """Gets the account that calls, with its e-mail address."""
    return resources.own_user(ctx.require(User, a.me(ctx)))


@app.patch("/users/@me", tool="modify_current_user", mcp=False)
def modify_current_user(
    ctx: Ctx, username: Annotated[str, Field(min_length=2, max_length=32)] | MISSING = MISSING
) -> dict[str, Any]:
    """Changes the caller's user name.

    username: The new user name, 2 to 32 characters.
    """
    row = ctx.require(User, a.me(ctx))
    if username is not MISSING and username != row.username:
        if ctx.db.first(User, username=username) is not None:
            raise form("username", "USERNAME_ALREADY_TAKEN", "Username is unavailable.")
        ctx.db.update(row, username=username)
    return resources.own_user(row)


@app.get("/users/{user_id}", tool="get_user")
def get_user(ctx: Ctx, user_id: a.Snowflake) -> dict[str, Any]:
    """Gets a user's account. Nickname and roles are the member's: see the tool for members.

    user_id: The user's id.
    """
    return resources.user(a.user(ctx, user_id))


@app.get("/users/@me/guilds", tool="list_my_guilds")
def list_my_guilds(
    ctx: Ctx,
    before: a.Snowflake | None = None,
    after: a.Snowflake | None = None,
    limit: Annotated[int, Field(ge=1, le=200)] = 200,
    with_counts: bool = False,
) -> list[dict[str, Any]]:
    """Lists the servers that the caller is in, with what they may do there.

    before: Servers before this id.
    after: Servers after this id.
    limit: How many, 1 to 200.
    with_counts: Whether to tell how many members they have.
    """
    people = ctx.db.count(Member)
    counts = {"approximate_member_count": people, "approximate_presence_count": people} if with_counts else {}
    if ctx.db.get(Member, a.me(ctx)) is None:
        return []
    return [
        {
            "id": row.id,
            "name": row.name,
            "icon": None,
            "banner": None,
            "owner": row.owner_id == a.me(ctx),
            "permissions": str(a.base(ctx, a.me(ctx))),
            "features": row.features,
            **counts,
        }
        for row in ctx.db.find(Guild)
        if (before is None or int(row.id) < int(before)) and (after is None or int(row.id) > int(after))
    ][:limit]


@app.get("/users/@me/guilds/{guild_id}/member", tool="get_current_user_guild_member", mcp=False)
def get_current_user_guild_member(ctx: Ctx, guild_id: a.Snowflake) -> dict[str, Any]:
    """Gets the caller's membership of a server.

    guild_id: The server's id.
    """
    a.guild(ctx, guild_id)
    return resources.member(ctx, ctx.require(Member, a.me(ctx)))


@app.get("/gateway", tool="get_gateway", mcp=False)
def get_gateway(ctx: Ctx) -> dict[str, Any]:
    """Tells the address of the gateway, which clients ask for."""
    return {"url": "wss://gateway.discord.gg"}


@app.get("/gateway/bot", tool="get_gateway_bot", mcp=False)
def get_gateway_bot(ctx: Ctx) -> dict[str, Any]:
    """Tells the address of the gateway and how many sessions may be started."""
    limit = {"total": 1000, "remaining": 1000, "reset_after": 86400000, "max_concurrency": 1}
    return {"url": "wss://gateway.discord.gg", "shards": 1, "session_start_limit": limit}
