"""Users and groups. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-users/"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Query, ToolOnly

from .. import access, resources
from ..app import Limit, StartAt, app, flat, over_mcp, refuse
from ..models import Group, GroupMember, User
from .issues import paged

Hidden = Annotated[str | None, Query(mcp=False)]


def _whole(ctx: Ctx, row: User) -> dict[str, Any]:
    groups = [{"name": g.name, "groupId": g.groupId} for g in access.groups_of(ctx, row)]
    return {
        **resources.user(ctx, row), "locale": "en_US", "groups": {"size": len(groups), "items": groups},
        "applicationRoles": {"size": 1, "items": []}, "expand": "groups,applicationRoles",
    }  # fmt: skip


@app.get("/rest/api/{api}/myself", tool="get_myself")
def get_myself(ctx: Ctx, expand: Hidden = None) -> dict[str, Any]:
    """Gets the user on whose behalf calls are made: account id, name, groups."""
    return _whole(ctx, access.me(ctx))


@app.get("/rest/api/{api}/user", tool="get_user_profile")
def get_user_profile(
    ctx: Ctx, user: Annotated[str | None, ToolOnly()] = None, accountId: Hidden = None, username: Hidden = None, key: Hidden = None,
    expand: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Gets a user's profile and groups.

    user: Account id, mail address or full name.
    """
    if over_mcp(ctx):
        return _whole(ctx, access.person(ctx, user or "", "user"))
    if username or key:
        raise refuse(400, "'accountId' must be the only user identifying query parameter in GDPR strict mode.")
    if not accountId:
        raise refuse(400, "The query parameter 'accountId' is required.")
    return _whole(ctx, access.user(ctx, accountId))


@app.get("/rest/api/{api}/user/search", tool="search_users")
def search_users(
    ctx: Ctx, query: str | None = None, start_at: StartAt = 0, limit: Limit = 50, accountId: Hidden = None, username: Hidden = None,
    property: Hidden = None,
) -> Any:  # fmt: skip
    """Searches active users by the beginning of a name or mail address.

    query: The beginning of a name, surname or mail address.
    start_at: How many users to skip.
    limit: The most users to return.
    """
    if username is not None:
        raise refuse(400, "'accountId' must be the only user identifying query parameter in GDPR strict mode.")
    if query is None and accountId is None and not over_mcp(ctx):
        raise refuse(400, "One of the following query parameters must be specified: accountId, query, property.")
    found = access.matching(ctx, query or "") if accountId is None else ctx.db.find(User, accountId=accountId)
    found = [u for u in found if u.active]
    return [resources.user(ctx, u) for u in found[start_at : start_at + min(limit, 1000)]]


@app.get("/rest/api/{api}/users/search", tool="list_users", mcp=False)
def list_users(ctx: Ctx, start_at: StartAt = 0, limit: Limit = 50) -> Any:
    """Lists every user, active or not.

    start_at: How many users to skip.
    limit: The most users to return.
    """
    found = ctx.db.find(User, order="displayName", limit=min(limit, 1000), offset=start_at)
    return [resources.user(ctx, u) for u in found]


@app.get("/rest/api/{api}/users", tool="list_users_too", mcp=False)
def list_users_too(ctx: Ctx, start_at: StartAt = 0, limit: Limit = 50) -> Any:
    """Lists every user: another address of the same list.

    start_at: How many users to skip.
    limit: The most users to return.
    """
    return list_users(ctx, start_at, limit)


@app.get("/rest/api/{api}/user/assignable/search", tool="search_assignable_users")
def search_assignable_users(
    ctx: Ctx, query: str | None = None, project_key: Annotated[str | None, Query("project")] = None,
    issue_key: Annotated[str | None, Query("issueKey")] = None, start_at: StartAt = 0, limit: Limit = 50, accountId: Hidden = None,
    username: Hidden = None, sessionId: Hidden = None,
) -> Any:  # fmt: skip
    """Searches the users to whom issues of a project can be assigned. Give a project or an issue.

    query: The beginning of a name or mail address; everyone where left out.
    project_key: The project's key.
    issue_key: The issue's key.
    start_at: How many users to skip.
    limit: The most users to return.
    """
    if not project_key and not issue_key:
        raise refuse(400, "Either 'issueKey' or 'project' must be specified.")
    if issue_key:
        access.issue(ctx, issue_key)
    else:
        access.project(ctx, project_key)
    found = [
        u
        for u in access.matching(ctx, query or username or "")
        if access.assignable(u) and accountId in (None, u.accountId)
    ]
    return [resources.user(ctx, u) for u in found[start_at : start_at + min(limit, 1000)]]


@app.get("/rest/api/{api}/user/assignable/multiProjectSearch", tool="search_assignable_everywhere", mcp=False)
def search_assignable_everywhere(
    ctx: Ctx, projectKeys: Annotated[list[str] | str, Field()], query: str = "", start_at: StartAt = 0, limit: Limit = 50,
    accountId: Hidden = None,
) -> Any:  # fmt: skip
    """Searches the users to whom issues of several projects can be assigned.

    projectKeys: Keys of the projects.
    query: The beginning of a name or mail address; everyone where left out.
    start_at: How many users to skip.
    limit: The most users to return.
    """
    for key in flat(projectKeys):
        access.project(ctx, key)
    found = [u for u in access.matching(ctx, query) if access.assignable(u) and accountId in (None, u.accountId)]
    return [resources.user(ctx, u) for u in found[start_at : start_at + min(limit, 1000)]]


@app.get("/rest/api/{api}/user/picker", tool="pick_users", mcp=False)
def pick_users(
    ctx: Ctx,
    query: str,
    limit: Limit = 50,
    showAvatar: Hidden = None,
    exclude: Hidden = None,
    excludeAccountIds: Hidden = None,
) -> dict[str, Any]:
    """Suggests active users by the beginning of a name or mail address.

    query: The text.
    limit: The most users to return.
    """
    found = [u for u in access.matching(ctx, query) if u.active and u.accountId not in flat(excludeAccountIds)]
    shown = [
        {"accountId": u.accountId, "accountType": u.accountType, "displayName": u.displayName, "html": u.displayName}
        for u in found[: min(limit, 1000)]
    ]
    return {"users": shown, "total": len(found), "header": f"Showing {len(shown)} of {len(found)} matching users"}


@app.get("/rest/api/{api}/user/bulk", tool="get_users", mcp=False)
def get_users(
    ctx: Ctx, accountId: Annotated[list[str], Field(min_length=1)], start_at: StartAt = 0, limit: Limit = 10
) -> dict[str, Any]:
    """Gets several users.

    accountId: Their account ids.
    start_at: How many users to skip.
    limit: The most users to return.
    """
    found = [u for id in dict.fromkeys(accountId) if (u := ctx.db.get(User, id))]
    return paged(ctx, [resources.user(ctx, u) for u in found], start_at, limit, 200)


# Groups


def _group(row: Group) -> dict[str, Any]:
    return {"name": row.name, "groupId": row.groupId}


@app.get("/rest/api/{api}/groups/picker", tool="search_groups", mcp=False)
def search_groups(ctx: Ctx, query: str = "", limit: Limit = 20, exclude: Hidden = None) -> dict[str, Any]:
    """Searches groups by a part of their name.

    query: A part of the name.
    limit: The most groups to return.
    """
    found = ctx.db.find(Group, name__contains=query, order="name")
    shown = [{**_group(g), "html": g.name, "labels": []} for g in found[:limit]]
    return {"header": f"Showing {len(shown)} of {len(found)} matching groups", "total": len(found), "groups": shown}


@app.get("/rest/api/{api}/group/bulk", tool="list_groups", mcp=False)
def list_groups(ctx: Ctx, start_at: StartAt = 0, limit: Limit = 50) -> dict[str, Any]:
    """Lists the site's groups.

    start_at: How many groups to skip.
    limit: The most groups to return.
    """
    return paged(ctx, [_group(g) for g in ctx.db.find(Group, order="name")], start_at, limit)


@app.get("/rest/api/{api}/group/member", tool="get_group_members", mcp=False)
def get_group_members(
    ctx: Ctx, group: Annotated[str | None, Query("groupname")] = None, groupId: Hidden = None, includeInactiveUsers: Annotated[bool,
    Query(mcp=False)] = False, start_at: StartAt = 0, limit: Limit = 50,
) -> dict[str, Any]:  # fmt: skip
    """Lists the members of a group.

    group: The group's name.
    start_at: How many members to skip.
    limit: The most members to return, up to 50.
    """
    found = ctx.db.get(Group, groupId) if groupId else ctx.db.first(Group, name=group or "")
    if found is None:
        raise refuse(404, f"The group named '{groupId or group}' does not exist.")
    ids = [m.accountId for m in ctx.db.find(GroupMember, groupId=found.groupId)]
    users = [u for u in ctx.db.find(User, accountId__in=ids, order="displayName") if u.active or includeInactiveUsers]
    return paged(ctx, [resources.user(ctx, u) for u in users], start_at, limit, 50)
