"""Projects. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-projects/"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Query, Reply, ToolOnly

from .. import access, boards, editing, fields, resources, site, times
from ..app import Limit, StartAt, app, done, over_mcp, refuse, refuse_fields
from ..models import Board, Component, Issue, Project, ProjectMember, User, Version
from .issues import paged

Hidden = Annotated[Any, Query(mcp=False)]
Unused = Annotated[Any, Body(mcp=False)]
_KEY = re.compile(r"[A-Z][A-Z0-9]{1,9}")
LONGEST_NAME = 80


@app.get("/rest/api/{api}/project", tool="get_all_projects", mcp=False)
def get_all_projects(ctx: Ctx, expand: Hidden = None, recent: Hidden = None, properties: Hidden = None) -> Any:
    """Lists every project that is not archived."""
    return [resources.project_head(ctx, p) for p in ctx.db.find(Project, archived=False, order="key")]


@app.get("/rest/api/{api}/project/search", tool="search_projects")
def search_projects(
    ctx: Ctx, query: str | None = None, start_at: StartAt = 0, limit: Limit = 50, order_by: Annotated[str | None, Query("orderBy")] = None,
    status: list[Literal["live", "archived"]] | None = None, keys: Hidden = None, id: Hidden = None, typeKey: Hidden = None,
    action: Hidden = None, expand: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists projects with their keys.

    query: A part of the name or key.
    start_at: How many projects to skip.
    limit: The most projects to return, up to 100.
    order_by: key or name, with a minus before it for descending order.
    status: Which to return: live, archived; by default live.
    """
    orders = {"key": "key", "name": "name"}
    column = (order_by or "key").lstrip("+-")
    if column not in orders:
        raise refuse(400, f"The orderBy value '{order_by}' is not valid. Valid: key, name, with + or - before it.")
    wanted, states = (query or "").casefold(), status or ["live"]
    found = ctx.db.find(Project, order=("-" if (order_by or "").startswith("-") else "") + orders[column])
    for chosen, names in ((keys, "key"), (id, "id")):
        if chosen is not None:
            given = {str(c) for c in (chosen if isinstance(chosen, list) else [chosen])}
            found = [p for p in found if str(getattr(p, names)) in given]
    found = [
        p for p in found
        if wanted in f"{p.key} {p.name}".casefold() and ("archived" if p.archived else "live") in states
    ]  # fmt: skip
    leads = {p.id: resources.person(ctx, p.lead) for p in found[start_at : start_at + min(limit, 100)]}
    shown = [{**resources.project_head(ctx, p), "description": p.description, "lead": leads.get(p.id)} for p in found]
    return paged(ctx, shown, start_at, limit)


@app.get("/rest/api/{api}/project/{project_key}", tool="get_project")
def get_project(ctx: Ctx, project_key: str, expand: Hidden = None, properties: Hidden = None) -> dict[str, Any]:
    """Gets a project: description, lead, components, versions, issue types.

    project_key: The project's key or id.
    """
    return resources.project(ctx, access.project(ctx, project_key))


def _check(ctx: Ctx, key: str | None, name: str | None, held: Project | None = None) -> dict[str, str]:
    errors = dict[str, str]()
    if key is not None:
        taken = ctx.db.first(Project, key=key)
        if not _KEY.fullmatch(key):
            errors["projectKey"] = (
                "Project keys must start with an uppercase letter, followed by one or more uppercase alphanumeric characters; at most 10."
            )
        elif taken is not None and taken is not held and (held is None or taken.id != held.id):
            errors["projectKey"] = f"Project '{taken.name}' uses this project key."
    if name is not None:
        same = next((p for p in ctx.db.find(Project) if p.name.casefold() == name.strip().casefold()), None)
        if not name.strip():
            errors["projectName"] = "You must specify a valid project name."
        elif len(name) > LONGEST_NAME:
            errors["projectName"] = f"The project name must not exceed {LONGEST_NAME} characters in length."
        elif same is not None and (held is None or same.id != held.id):
            errors["projectName"] = "A project with that name already exists."
    return errors


def _lead(ctx: Ctx, text: str | None, account: str | None, errors: dict[str, str]) -> User | None:
    if over_mcp(ctx):
        return access.person(ctx, text, "projectLead") if text else None
    found = ctx.db.get(User, account) if account else None
    if account and (found is None or not found.active):
        errors["projectLead"] = "You must specify a valid project lead."
    return found


@app.post("/rest/api/{api}/project", tool="create_project", status=201)
def create_project(
    ctx: Ctx, key: str, name: str, lead: Annotated[str | None, ToolOnly()] = None, description: str = "", leadAccountId: Annotated[str |
    None, Body(mcp=False)] = None, assignee_type: Annotated[Literal["PROJECT_LEAD", "UNASSIGNED"], Body("assigneeType")] = "UNASSIGNED",
    projectTypeKey: Annotated[Literal["software", "business", "service_desk"], Body(mcp=False)] = "software", url: Annotated[str,
    Body(mcp=False)] = "", projectTemplateKey: Unused = None, avatarId: Unused = None, categoryId: Unused = None,
) -> Any:  # fmt: skip
    """Creates a project with a scrum board. For administrators.

    key: Its key: 2 to 10 capitals and digits, a letter first.
    name: Its name.
    lead: Its lead: account id, mail address or full name; yourself where left out.
    description: What it is about.
    assignee_type: Whom new issues are assigned to: PROJECT_LEAD or UNASSIGNED.
    """
    access.require_site_administrator(ctx)
    errors = _check(ctx, key, name)
    found = _lead(ctx, lead, leadAccountId, errors)
    if found is None and not over_mcp(ctx) and "projectLead" not in errors:
        errors["projectLead"] = "You must specify a valid project lead."
    if errors:
        raise refuse_fields(errors)
    leader = found or access.me(ctx)
    row = boards.add_project(
        ctx, key=key, name=name.strip(), lead=leader.accountId, description=description, assigneeType=assignee_type, url=url,
        projectTypeKey=projectTypeKey, created=times.moment(ctx.now),
    )  # fmt: skip
    ctx.db.add(ProjectMember(project_id=row.id, accountId=leader.accountId))
    made: dict[str, Any] = {"self": resources.link(ctx, f"project/{row.id}"), "id": row.id, "key": row.key}
    return Reply(made, 201)


@app.put("/rest/api/{api}/project/{project_key}", tool="update_project")
def update_project(
    ctx: Ctx, project_key: str, name: str | None = None, key: str | None = None, lead: Annotated[str | None, ToolOnly()] = None,
    description: str | MISSING = MISSING, assignee_type: Annotated[Literal["PROJECT_LEAD", "UNASSIGNED"] | None, Body("assigneeType")] =
    None, leadAccountId: Annotated[str | None, Body(mcp=False)] = None, url: Annotated[str | None, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a project. A new key is that of all its issues too. For the project's administrators.

    project_key: The project's key or id.
    name: Its new name.
    key: Its new key.
    lead: Its new lead: account id, mail address or full name.
    description: What it is about.
    assignee_type: Whom new issues are assigned to.
    """
    row = access.project(ctx, project_key)
    access.require_administrator(ctx, row)
    errors = _check(ctx, key, name, row)
    found = _lead(ctx, lead, leadAccountId, errors)
    if errors:
        raise refuse_fields(errors)
    given = {
        "name": name.strip() if name else None, "key": key, "lead": found.accountId if found else None,
        "assigneeType": assignee_type, "url": url, "description": None if description is MISSING else description,
    }  # fmt: skip
    changes = {column: value for column, value in given.items() if value is not None and getattr(row, column) != value}
    ctx.db.update(row, **changes)
    if "key" in changes:
        for issue in ctx.db.find(Issue, project_id=row.id):
            ctx.db.update(issue, key=f"{key}-{issue.number}")
    return resources.project(ctx, row)


@app.delete("/rest/api/{api}/project/{project_key}", tool="delete_project", status=204)
def delete_project(ctx: Ctx, project_key: str, enableUndo: Hidden = None) -> Any:
    """Deletes a project with all its issues, versions, components and boards. For administrators; it cannot be undone.

    project_key: The project's key or id.
    """
    access.require_site_administrator(ctx)
    row = access.project(ctx, project_key)
    key = row.key
    editing.remove_all(ctx, ctx.db.find(Issue, project_id=row.id))
    for board in ctx.db.find(Board, project_id=row.id):
        boards.drop_board(ctx, board)
    for cls in (Component, Version, ProjectMember):
        ctx.db.delete_where(cls, project_id=row.id)
    ctx.db.delete(row)
    return done(ctx, {"deleted": key})


@app.post(
    "/rest/api/{api}/project/{project_key}/archive", tool="archive_project", mcp=False, effect="update", status=204
)
def archive_project(ctx: Ctx, project_key: str) -> Any:
    """Archives a project: its issues are read-only from then on. For administrators.

    project_key: The project's key or id.
    """
    access.require_site_administrator(ctx)
    row = access.project(ctx, project_key)
    if row.archived:
        raise refuse(400, f"Project '{row.key}' is already archived.")
    ctx.db.update(row, archived=True)
    return done(ctx, {"archived": row.key})


@app.post("/rest/api/{api}/project/{project_key}/restore", tool="restore_project", effect="update", mcp=False)
def restore_project(ctx: Ctx, project_key: str) -> dict[str, Any]:
    """Takes a project out of the archive.

    project_key: The project's key or id.
    """
    access.require_site_administrator(ctx)
    row = access.project(ctx, project_key)
    if not row.archived:
        raise refuse(400, f"Project '{row.key}' is not archived.")
    return resources.project(ctx, ctx.db.update(row, archived=False))


@app.get("/rest/api/{api}/project/{project_key}/statuses", tool="get_project_statuses", mcp=False)
def get_project_statuses(ctx: Ctx, project_key: str) -> Any:
    """Lists the statuses that issues of a project can have, by issue type.

    project_key: The project's key or id.
    """
    access.project(ctx, project_key)
    every = [resources.status(ctx, id) for id in site.STATUSES]
    return [
        {k: v for k, v in resources.issue_type(ctx, id).items() if k in ("self", "id", "name", "subtask")}
        | {"statuses": every}
        for id in site.KINDS
    ]


@app.get("/rest/api/{api}/project/{project_key}/role", tool="get_project_roles", mcp=False)
def get_project_roles(ctx: Ctx, project_key: str) -> dict[str, Any]:
    """Lists the roles that people have in a project.

    project_key: The project's key or id.
    """
    row = access.project(ctx, project_key)
    return {"Member": resources.link(ctx, f"project/{row.id}/role/10002")}


@app.get("/rest/api/{api}/project/{project_key}/role/{role_id}", tool="get_project_members", mcp=False)
def get_project_members(ctx: Ctx, project_key: str, role_id: str) -> dict[str, Any]:
    """Lists who has a role in a project.

    project_key: The project's key or id.
    role_id: The role's id.
    """
    row = access.project(ctx, project_key)
    if role_id != "10002":
        raise refuse(404, f"Can not retrieve a role actor for the project role id {role_id}.")
    members = ctx.db.find(ProjectMember, project_id=row.id, order="position")
    people = [u for m in members if (u := ctx.db.get(User, m.accountId))]
    actors = [
        {"id": n, "displayName": u.displayName, "type": "atlassian-user-role-actor", "actorUser": {"accountId": u.accountId}}
        for n, u in enumerate(people, 10100)
    ]  # fmt: skip
    where = resources.link(ctx, f"project/{row.id}/role/10002")
    return {"self": where, "name": "Member", "id": 10002, "description": "", "actors": actors}


# What creating an issue takes


@app.get("/rest/api/{api}/issue/createmeta/{project_key}/issuetypes", tool="get_project_issue_types")
def get_project_issue_types(ctx: Ctx, project_key: str, start_at: StartAt = 0, limit: Limit = 50) -> dict[str, Any]:
    """Lists the issue types that a project has.

    project_key: The project's key or id.
    start_at: How many types to skip.
    limit: The most types to return.
    """
    access.project(ctx, project_key)
    every = [resources.issue_type(ctx, id) for id in site.KINDS]
    size = min(limit, 200)
    return {
        "maxResults": size,
        "startAt": start_at,
        "total": len(every),
        "issueTypes": every[start_at : start_at + size],
    }


@app.get("/rest/api/{api}/issue/createmeta/{project_key}/issuetypes/{issue_type_id}", tool="get_create_fields")
def get_create_fields(
    ctx: Ctx, project_key: str, issue_type_id: str, start_at: StartAt = 0, limit: Limit = 50
) -> dict[str, Any]:
    """Lists the fields that an issue of a type takes when it is created: which are required, and their allowed values.

    project_key: The project's key or id.
    issue_type_id: The issue type's id or name.
    start_at: How many fields to skip.
    limit: The most fields to return.
    """
    row = access.project(ctx, project_key)
    named = site.named(site.KINDS, issue_type_id) if over_mcp(ctx) else None
    kind = named.id if named else access.number(issue_type_id)
    if kind not in site.KINDS:
        raise refuse(404, f"The issue type with id '{issue_type_id}' does not exist in this project.")
    every = list(fields.create_meta(ctx, row, kind).values())
    size = min(limit, 200)
    return {"maxResults": size, "startAt": start_at, "total": len(every), "fields": every[start_at : start_at + size]}


@app.get("/rest/api/{api}/issue/createmeta", tool="get_create_metadata", mcp=False)
def get_create_metadata(
    ctx: Ctx, projectKeys: Annotated[list[str] | str | None, Field()] = None, projectIds: Any = None, issuetypeNames: Any = None,
    issuetypeIds: Any = None, expand: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the issue types of projects with the fields that creating takes (the older form).

    projectKeys: Keys of projects.
    projectIds: Ids of projects.
    issuetypeNames: Names of issue types.
    issuetypeIds: Ids of issue types.
    expand: projects.issuetypes.fields for the fields.
    """

    def among(given: Any) -> set[str]:
        texts = given if isinstance(given, list) else [] if given is None else str(given).split(",")
        return {str(t).strip() for t in texts}

    keys, ids, names, kinds = among(projectKeys), among(projectIds), among(issuetypeNames), among(issuetypeIds)
    found = list[Any]()
    for row in ctx.db.find(Project, archived=False, order="key"):
        if (keys and row.key not in keys) or (ids and str(row.id) not in ids):
            continue
        types = list[Any]()
        for id, kind in site.KINDS.items():
            if (names and kind.name not in names) or (kinds and str(id) not in kinds):
                continue
            more = {"fields": fields.create_meta(ctx, row, id)} if "fields" in (expand or "") else {}
            types.append({**resources.issue_type(ctx, id), "expand": "fields", **more})
        found.append({**resources.project_head(ctx, row), "issuetypes": types})
    return {"expand": "projects", "projects": found}
