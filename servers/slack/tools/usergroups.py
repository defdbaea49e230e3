"""usergroups.*: groups of users that are mentioned together. https://docs.slack.dev/reference/methods?family=usergroups"""

import re
from typing import Any

from legoenv_mcp.app import MISSING, UPPER36, Ctx

from ..access import conversation, ids, is_admin, me
from ..app import app, err
from ..models import Conversation, User, UserGroup
from ..resources import team

FORBIDDEN = {"channel", "here", "everyone", "all", "group", "admins", "owners"}


def _shown(ctx: Ctx, row: UserGroup, users: bool = True, count: bool = True) -> dict[str, Any]:
    return {
        "id": row.id,
        "team_id": team(ctx).id,
        "is_usergroup": True,
        "name": row.name,
        "description": row.description,
        "handle": row.handle,
        "is_external": False,
        "date_create": row.date_create,
        "date_update": row.date_update,
        "date_delete": row.date_delete,
        "auto_type": None,
        "created_by": row.created_by,
        "updated_by": row.updated_by,
        "deleted_by": row.deleted_by,
        "prefs": {"channels": row.channels, "groups": []},
        **({"users": row.users} if users else {}),
        **({"user_count": len(row.users)} if count else {}),
    }


def _group(ctx: Ctx, group_id: str) -> UserGroup:
    found = ctx.db.get(UserGroup, group_id)
    if found is None:
        raise err("no_such_subteam")
    return found


def _managed(ctx: Ctx, group_id: str) -> UserGroup:
    """A group to change, which is for admins to do."""
    _admins_only(ctx)
    return _group(ctx, group_id)


def _admins_only(ctx: Ctx) -> None:
    if not is_admin(ctx):
        raise err("permission_denied")


def _handle(ctx: Ctx, given: str, but: str = "") -> str:
    """A handle: lower case, unique among groups, people and channels."""
    handle = given.removeprefix("@")
    if handle in FORBIDDEN:
        raise err("forbidden_handle")
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,20}", handle):
        raise err("bad_handle")
    taken = any(g.id != but for g in ctx.db.find(UserGroup, handle=handle))
    if taken or ctx.db.count(User, name=handle) or ctx.db.count(Conversation, name=handle):
        raise err("handle_already_exists")
    return handle


def _name(ctx: Ctx, given: str, but: str = "") -> str:
    if not given.strip():
        raise err("missing_subteam_name")
    if len(given) > 80:
        raise err("name_too_long")
    if any(g.id != but and g.name.lower() == given.lower() for g in ctx.db.find(UserGroup)):
        raise err("name_already_exists")
    return given


def _description(given: str) -> str:
    if len(given) > 140:
        raise err("description_too_long")
    return given


def _channels(ctx: Ctx, given: str) -> list[str]:
    return [conversation(ctx, one, "invalid_channel_provided").id for one in ids(given)]


@app.get("/api/usergroups.list", tool="list_usergroups", also=("POST",))
def list_usergroups(
    ctx: Ctx, include_users: bool = False, include_count: bool = False, include_disabled: bool = False
) -> dict[str, Any]:
    """Lists the user groups of the workspace.

    include_users: Whether to list the members of each.
    include_count: Whether to count the members of each.
    include_disabled: Whether to list disabled groups too.
    """
    found = [g for g in ctx.db.find(UserGroup, order="date_create") if include_disabled or not g.date_delete]
    return {"usergroups": [_shown(ctx, g, include_users, include_count) for g in found]}


@app.post("/api/usergroups.create", tool="create_usergroup", also=("GET",))
def create_usergroup(
    ctx: Ctx,
    name: str,
    handle: str | None = None,
    description: str = "",
    channels: str = "",
    include_count: bool = True,
) -> dict[str, Any]:
    """Creates a user group without members, as only admins may.

    name: The group's name, unique.
    handle: What it is mentioned by, unique; made from the name if left out.
    description: What the group is for.
    channels: Ids of the channels its members are to be in by default, separated by commas.
    include_count: Whether to count the members in the answer.
    """
    _admins_only(ctx)
    checked = _name(ctx, name)
    handle = _handle(ctx, handle or re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-")[:21])
    row = ctx.db.add(
        UserGroup(
            id=ctx.id("S", 10, UPPER36),
            name=checked,
            handle=handle,
            description=_description(description),
            channels=_channels(ctx, channels),
            created_by=me(ctx),
            updated_by=me(ctx),
            date_create=ctx.epoch(),
            date_update=ctx.epoch(),
        )
    )
    return {"usergroup": _shown(ctx, row, count=include_count)}


@app.post("/api/usergroups.update", tool="update_usergroup", effect="update", also=("GET",))
def update_usergroup(
    ctx: Ctx,
    usergroup: str,
    name: str | MISSING = MISSING,
    handle: str | MISSING = MISSING,
    description: str | MISSING = MISSING,
    channels: str | MISSING = MISSING,
    include_count: bool = True,
) -> dict[str, Any]:
    """Changes a user group's name, handle, description or default channels.

    usergroup: The group's id.
    name: The new name.
    handle: The new handle.
    description: The new description.
    channels: Ids of its members' default channels, separated by commas.
    include_count: Whether to count the members in the answer.
    """
    row, sent = _managed(ctx, usergroup), ctx.sent()
    changes: dict[str, Any] = {}
    if "name" in sent:
        changes["name"] = _name(ctx, sent["name"], row.id)
    if "handle" in sent:
        changes["handle"] = _handle(ctx, sent["handle"], row.id)
    if "description" in sent:
        changes["description"] = _description(sent["description"])
    if "channels" in sent:
        changes["channels"] = _channels(ctx, sent["channels"])
    if changes:
        ctx.db.update(row, **changes, updated_by=me(ctx), date_update=ctx.epoch())
    return {"usergroup": _shown(ctx, row, count=include_count)}


@app.get("/api/usergroups.users.list", tool="list_usergroup_users", also=("POST",))
def list_usergroup_users(ctx: Ctx, usergroup: str, include_disabled: bool = False) -> dict[str, Any]:
    """Lists the ids of a user group's members.

    usergroup: The group's id.
    include_disabled: Whether a disabled group counts as being there.
    """
    row = _group(ctx, usergroup)
    if row.date_delete and not include_disabled:
        raise err("no_such_subteam")
    return {"users": row.users}


@app.post("/api/usergroups.users.update", tool="update_usergroup_users", effect="update", also=("GET",))
def update_usergroup_users(ctx: Ctx, usergroup: str, users: str, include_count: bool = True) -> dict[str, Any]:
    """Replaces the whole list of a user group's members.

    usergroup: The group's id.
    users: Ids of all who are to be members, separated by commas.
    include_count: Whether to count the members in the answer.
    """
    row, wanted = _managed(ctx, usergroup), ids(users)
    if not wanted:
        raise err("no_users_provided")
    found = [ctx.db.get(User, one) for one in wanted]
    if any(u is None or u.deleted for u in found):
        raise err("invalid_users")
    if set(wanted) != set(row.users):
        ctx.db.update(row, users=wanted, updated_by=me(ctx), date_update=ctx.epoch())
    return {"usergroup": _shown(ctx, row, count=include_count)}


@app.post("/api/usergroups.disable", tool="disable_usergroup", effect="transition", also=("GET",), mcp=False)
def disable_usergroup(ctx: Ctx, usergroup: str, include_count: bool = True) -> dict[str, Any]:
    """Disables a user group: it keeps its members but cannot be mentioned.

    usergroup: The group's id.
    include_count: Whether to count the members in the answer.
    """
    row = _managed(ctx, usergroup)
    if not row.date_delete:
        ctx.db.update(row, date_delete=ctx.epoch(), deleted_by=me(ctx), updated_by=me(ctx), date_update=ctx.epoch())
    return {"usergroup": _shown(ctx, row, count=include_count)}


@app.post("/api/usergroups.enable", tool="enable_usergroup", effect="transition", also=("GET",), mcp=False)
def enable_usergroup(ctx: Ctx, usergroup: str, include_count: bool = True) -> dict[str, Any]:
    """Enables a disabled user group again.

    usergroup: The group's id.
    include_count: Whether to count the members in the answer.
    """
    row = _managed(ctx, usergroup)
    if row.date_delete:
        ctx.db.update(row, date_delete=0, deleted_by=None, updated_by=me(ctx), date_update=ctx.epoch())
    return {"usergroup": _shown(ctx, row, count=include_count)}
