"""Components and versions of projects. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-versions/"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Body, Ctx, Query, ToolOnly

from .. import access, history, resources, site, times
from ..app import Limit, StartAt, app, done, flat, over_mcp, refuse, refuse_fields
from ..models import Component, Issue, Project, User, Version
from .issues import paged

Tool = Annotated[str | None, ToolOnly()]
Hidden = Annotated[Any, Body(mcp=False)]
LONGEST_NAME = 255
_VERSION_LISTS = ("fixVersions", "versions")


def _project(ctx: Ctx, key: str | None, project: Any, projectId: Any) -> Project:
    name = key if over_mcp(ctx) else project if project is not None else projectId
    found = access.project_or_none(ctx, name) if isinstance(name, (str, int)) else None
    if found is None:
        raise refuse(404, f"No project could be found with key '{name}'.")
    access.require_administrator(ctx, found)
    return found


# Components


@app.get("/rest/api/{api}/project/{project_key}/components", tool="get_project_components")
def get_project_components(ctx: Ctx, project_key: str) -> Any:
    """Lists a project's components.

    project_key: The project's key or id.
    """
    row = access.project(ctx, project_key)
    return [resources.component(ctx, c) for c in ctx.db.find(Component, project_id=row.id, order="name")]


@app.get("/rest/api/{api}/project/{project_key}/component", tool="page_project_components", mcp=False)
def page_project_components(
    ctx: Ctx, project_key: str, start_at: StartAt = 0, limit: Limit = 50, query: str = "", orderBy: str | None = None
) -> dict[str, Any]:
    """Lists a project's components page by page.

    project_key: The project's key or id.
    start_at: How many components to skip.
    limit: The most components to return.
    query: A part of the name or description.
    orderBy: name or description, with a minus before it for descending order.
    """
    row = access.project(ctx, project_key)
    found = ctx.db.find(Component, project_id=row.id, order=_order(orderBy, ("name", "description"), "name"))
    return paged(ctx, [resources.component(ctx, c) for c in found if _has(c, query)], start_at, limit)


def _order(asked: str | None, known: tuple[str, ...], default: str) -> str:
    name = (asked or "").lstrip("+-")
    if asked and name not in known:
        raise refuse(
            400, f"The orderBy value '{asked}' is not valid. Valid: {', '.join(known)}, with + or - before it."
        )
    return ("-" if (asked or "").startswith("-") else "") + (name or default)


def _has(row: Component | Version, query: str) -> bool:
    return query.casefold() in f"{row.name} {row.description}".casefold()


@app.get("/rest/api/{api}/component/{component_id}", tool="get_component", mcp=False)
def get_component(ctx: Ctx, component_id: str) -> dict[str, Any]:
    """Gets a component.

    component_id: The component's id.
    """
    return resources.component(ctx, access.component(ctx, component_id))


def _component_name(ctx: Ctx, project: Project, name: str, held: Component | None = None) -> str:
    if not name.strip():
        raise refuse_fields({"name": "The component name specified is invalid - cannot be an empty string."})
    if len(name) > LONGEST_NAME:
        raise refuse_fields({"name": f"The component name must not exceed {LONGEST_NAME} characters."})
    same = next(
        (c for c in ctx.db.find(Component, project_id=project.id) if c.name.casefold() == name.strip().casefold()), None
    )
    if same is not None and (held is None or same.id != held.id):
        raise refuse_fields({"name": f"A component with the name {name.strip()} already exists in this project."})
    return name.strip()


def _component_lead(ctx: Ctx, lead: str | None, account: str | None) -> str | None:
    if over_mcp(ctx):
        return access.person(ctx, lead, "leadAccountId").accountId if lead else None
    if account and ctx.db.get(User, account) is None:
        raise refuse_fields({"leadAccountId": f"The user {account} does not exist."})
    return account or None


@app.post("/rest/api/{api}/component", tool="create_component", status=201)
def create_component(
    ctx: Ctx, name: str, project_key: Tool = None, description: str = "", lead: Tool = None, project: Hidden = None, leadAccountId:
    Annotated[str | None, Body(mcp=False)] = None, assigneeType: Annotated[str, Body(mcp=False)] = "PROJECT_DEFAULT",
    leadUserName: Hidden = None, isAssigneeTypeValid: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a component in a project. For the project's administrators.

    name: Its name.
    project_key: The project's key.
    description: What belongs to it.
    lead: Who leads it: account id, mail address or full name.
    """
    owner = _project(ctx, project_key, project, None)
    told = _component_name(ctx, owner, name)
    chief = _component_lead(ctx, lead, leadAccountId)
    row = ctx.db.add(
        Component(
            id=ctx.sequence("component", 10000), project_id=owner.id, name=told, description=description, lead=chief,
            assigneeType=assigneeType,
        )
    )  # fmt: skip
    return resources.component(ctx, row)


@app.put("/rest/api/{api}/component/{component_id}", tool="update_component", mcp=False)
def update_component(
    ctx: Ctx, component_id: str, name: str | None = None, description: str | None = None, leadAccountId: str | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a component.

    component_id: The component's id.
    name: Its name.
    description: What belongs to it.
    leadAccountId: Account id of who leads it.
    """
    row = access.component(ctx, component_id)
    owner = ctx.require(Project, row.project_id)
    access.require_administrator(ctx, owner)
    changes: dict[str, Any] = {} if name is None else {"name": _component_name(ctx, owner, name, row)}
    if description is not None:
        changes["description"] = description
    if leadAccountId is not MISSING:
        changes["lead"] = _component_lead(ctx, None, leadAccountId)
    return resources.component(ctx, ctx.db.update(row, **changes))


@app.delete("/rest/api/{api}/component/{component_id}", tool="delete_component", status=204)
def delete_component(
    ctx: Ctx, component_id: str, move_issues_to: Annotated[str | None, Query("moveIssuesTo")] = None
) -> Any:
    """Deletes a component; issues lose it, or get another one instead. For the project's administrators.

    component_id: The component's id.
    move_issues_to: Id of the component that its issues get instead.
    """
    row = access.component(ctx, component_id)
    access.require_administrator(ctx, ctx.require(Project, row.project_id))
    instead = access.component(ctx, move_issues_to) if move_issues_to else None
    if instead is not None and (instead.id == row.id or instead.project_id != row.project_id):
        raise refuse_fields({"moveIssuesTo": f"The component with id {move_issues_to} is not one of this project."})
    _swap(ctx, row.project_id, ("components",), row.id, instead.id if instead else None)
    ctx.db.delete(row)
    return done(ctx, {"deleted": component_id})


def _swap(ctx: Ctx, project_id: int, columns: tuple[str, ...], old: int, new: int | None) -> None:
    """Issues that have one component or version get another, or none."""
    for issue in ctx.db.find(Issue, project_id=project_id):
        changes = {
            name: list(
                dict.fromkeys(v for v in (new if v == old else v for v in getattr(issue, name)) if v is not None)
            )
            for name in columns
            if old in getattr(issue, name)
        }
        if changes:
            history.change(ctx, issue, changes)


# Versions


@app.get("/rest/api/{api}/project/{project_key}/versions", tool="get_project_versions")
def get_project_versions(ctx: Ctx, project_key: str, expand: Annotated[str | None, Query(mcp=False)] = None) -> Any:
    """Lists a project's versions with their dates and whether they are released.

    project_key: The project's key or id.
    """
    row = access.project(ctx, project_key)
    return [resources.version(ctx, v) for v in ctx.db.find(Version, project_id=row.id, order="position")]


@app.get("/rest/api/{api}/project/{project_key}/version", tool="page_project_versions", mcp=False)
def page_project_versions(
    ctx: Ctx, project_key: str, start_at: StartAt = 0, limit: Limit = 50, query: str = "", orderBy: str | None = None,
    status: str | None = None, expand: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists a project's versions page by page.

    project_key: The project's key or id.
    start_at: How many versions to skip.
    limit: The most versions to return.
    query: A part of the name or description.
    orderBy: sequence, name, description, startDate or releaseDate, with a minus before it for descending order.
    status: Which to return: released, unreleased, archived, several separated by commas.
    expand: Ignored.
    """
    row, wanted = access.project(ctx, project_key), flat(status)
    names = ("sequence", "name", "description", "startDate", "releaseDate")
    order = _order(orderBy, names, "sequence").replace("sequence", "position")
    found = [v for v in ctx.db.find(Version, project_id=row.id, order=order) if _has(v, query)]
    shown = [v for v in found if not wanted or _state(v) in wanted]
    return paged(ctx, [resources.version(ctx, v) for v in shown], start_at, limit)


def _state(row: Version) -> str:
    return "archived" if row.archived else "released" if row.released else "unreleased"


@app.get("/rest/api/{api}/version/{version_id}", tool="get_version", mcp=False)
def get_version(ctx: Ctx, version_id: str, expand: str | None = None) -> dict[str, Any]:
    """Gets a version.

    version_id: The version's id.
    expand: Ignored.
    """
    return resources.version(ctx, access.version(ctx, version_id))


def _version_name(ctx: Ctx, project: Project, name: str, held: Version | None = None) -> str:
    if not name.strip():
        raise refuse_fields({"name": "You must specify a valid version name."})
    if len(name) > LONGEST_NAME:
        raise refuse_fields({"name": f"Version name is too long; it must not exceed {LONGEST_NAME} characters."})
    same = next(
        (v for v in ctx.db.find(Version, project_id=project.id) if v.name.casefold() == name.strip().casefold()), None
    )
    if same is not None and (held is None or same.id != held.id):
        raise refuse_fields({"name": "A version with this name already exists in this project."})
    return name.strip()


def _dates(**given: str | None) -> dict[str, Any]:
    made = dict[str, Any]()
    for name, text in given.items():
        if text is None:
            continue
        made[name] = times.day(text) if text else None
        if text and made[name] is None:
            raise refuse_fields({name: f"Error parsing date string: {text}. The format is yyyy-MM-dd."})
    return made


def _in_order(start: str | None, release: str | None) -> None:
    if start and release and start > release:
        raise refuse_fields({"releaseDate": "The release date must be after the start date."})


@app.post("/rest/api/{api}/version", tool="create_version", status=201)
def create_version(
    ctx: Ctx, name: str, project_key: Tool = None, description: str = "", start_date: Annotated[str | None, Body("startDate")] = None,
    release_date: Annotated[str | None, Body("releaseDate")] = None, archived: Annotated[bool, Body(mcp=False)] = False, released:
    Annotated[bool, Body(mcp=False)] = False, project: Hidden = None, projectId: Hidden = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a version of a project, to be named as issues' fix version. For the project's administrators.

    name: Its name.
    project_key: The project's key.
    description: What it brings.
    start_date: When work on it begins, YYYY-MM-DD.
    release_date: When it is to be released, YYYY-MM-DD.
    """
    owner = _project(ctx, project_key, project, projectId)
    dates = _dates(startDate=start_date, releaseDate=release_date)
    _in_order(dates.get("startDate"), dates.get("releaseDate"))
    last = ctx.db.first(Version, project_id=owner.id, order="-position")
    row = ctx.db.add(
        Version(
            id=ctx.sequence("version", 10000), project_id=owner.id, name=_version_name(ctx, owner, name), description=description,
            archived=archived, released=released, position=last.position + 1 if last else 0, **dates,
        )
    )  # fmt: skip
    return resources.version(ctx, row)


@app.put("/rest/api/{api}/version/{version_id}", tool="update_version")
def update_version(
    ctx: Ctx, version_id: str, name: str | None = None, description: str | None = None, start_date: Annotated[str | None,
    Body("startDate")] = None, release_date: Annotated[str | None, Body("releaseDate")] = None, released: bool | None = None,
    archived: bool | None = None, moveUnfixedIssuesTo: Annotated[str | None, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a version, or releases or archives it. For the project's administrators.

    version_id: The version's id.
    name: Its name.
    description: What it brings.
    start_date: When work on it begins, YYYY-MM-DD.
    release_date: When it is released, YYYY-MM-DD.
    released: Whether it is released.
    archived: Whether it is archived, so that it can be chosen no more.
    """
    row = access.version(ctx, version_id)
    owner = ctx.require(Project, row.project_id)
    access.require_administrator(ctx, owner)
    changes = _dates(startDate=start_date, releaseDate=release_date)
    if name is not None:
        changes["name"] = _version_name(ctx, owner, name, row)
    changes |= {
        k: v for k, v in (("description", description), ("released", released), ("archived", archived)) if v is not None
    }
    _in_order(changes.get("startDate", row.startDate), changes.get("releaseDate", row.releaseDate))
    if moveUnfixedIssuesTo:
        target = access.version(ctx, str(moveUnfixedIssuesTo).rpartition("/")[2])
        for issue in ctx.db.find(Issue, project_id=owner.id, resolution__null=True):
            if row.id in issue.fixVersions:
                kept = [target.id if v == row.id else v for v in issue.fixVersions]
                history.change(ctx, issue, {"fixVersions": list(dict.fromkeys(kept))})
    return resources.version(ctx, ctx.db.update(row, **changes))


@app.delete("/rest/api/{api}/version/{version_id}", tool="delete_version", mcp=False, status=204)
def delete_version(
    ctx: Ctx, version_id: str, move_fix_issues_to: Annotated[str | None, Query("moveFixIssuesTo")] = None, moveAffectedIssuesTo:
    Annotated[str | None, Query(mcp=False)] = None,
) -> Any:  # fmt: skip
    """Deletes a version; issues lose it, or get another one instead. For the project's administrators.

    version_id: The version's id.
    move_fix_issues_to: Id of the version that issues get as fix version instead.
    """
    row = access.version(ctx, version_id)
    access.require_administrator(ctx, ctx.require(Project, row.project_id))
    for column, target in (("fixVersions", move_fix_issues_to), ("versions", moveAffectedIssuesTo)):
        instead = access.version(ctx, target) if target else None
        if instead is not None and (instead.project_id != row.project_id or instead.id == row.id):
            raise refuse(400, f"The version with id {target} is not another one of this project.")
        _swap(ctx, row.project_id, (column,), row.id, instead.id if instead else None)
    ctx.db.delete(row)
    return done(ctx, {"deleted": version_id})


@app.get("/rest/api/{api}/version/{version_id}/relatedIssueCounts", tool="get_version_issue_counts", mcp=False)
def get_version_issue_counts(ctx: Ctx, version_id: str) -> dict[str, Any]:
    """Counts the issues of a version.

    version_id: The version's id.
    """
    row = access.version(ctx, version_id)
    every = ctx.db.find(Issue, project_id=row.project_id)
    counts = [sum(row.id in getattr(i, name) for i in every) for name in _VERSION_LISTS]
    where = resources.link(ctx, f"version/{row.id}")
    return {
        "self": where,
        "issuesFixedCount": counts[0],
        "issuesAffectedCount": counts[1],
        "issueCountWithCustomFieldsShowingVersion": 0,
    }


@app.get("/rest/api/{api}/version/{version_id}/unresolvedIssueCount", tool="get_version_unresolved", mcp=False)
def get_version_unresolved(ctx: Ctx, version_id: str) -> dict[str, Any]:
    """Counts the issues that a version is still to fix.

    version_id: The version's id.
    """
    row = access.version(ctx, version_id)
    mine = [i for i in ctx.db.find(Issue, project_id=row.project_id) if row.id in i.fixVersions]
    still = [i for i in mine if site.STATUSES[i.status].category is not site.DONE]
    where = resources.link(ctx, f"version/{row.id}/unresolvedIssueCount")
    return {"self": where, "issuesUnresolvedCount": len(still), "issuesCount": len(mine)}
