"""Projects. https://developers.asana.com/reference/projects"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict
from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Body, Ctx, Field, Page

from .. import access, places, projects, stories
from ..app import API, Fields, Gid, Limit, Name, Offset, Text, app, bad
from ..listing import one, page
from ..models import Color, Job, Membership, Project, Team, Workspace
from .tasks import Fixed, started

View = Literal["list", "board", "calendar", "timeline"]
Privacy = Literal["public_to_workspace", "private_to_team", "private"]
Level = Literal["admin", "editor", "commenter", "viewer"]
Icon = Literal[
    "list", "board", "timeline", "calendar", "rocket", "people", "graph", "star", "bug", "light_bulb", "globe", "gear", "notebook",
    "computer", "check", "target", "html", "megaphone", "chat_bubbles", "briefcase", "page_layout", "mountain_flag", "puzzle",
    "presentation", "line_and_symbols", "speed_dial", "ribbon", "shoe", "shopping_basket", "map", "ticket", "coins",
]  # fmt: skip
Users = Annotated[list[str] | str, Field(max_length=1000)]
Rare = Body(mcp=False)


def visible(ctx: Ctx, archived: bool | None, **filters: Any) -> list[Project]:
    hidden = access.hidden_projects(ctx)
    rows = ctx.db.find(Project, order="created_at,gid", archived=archived, **filters)
    return [row for row in rows if row.gid not in hidden]


@app.get(f"{API}/projects", tool="get_projects")
def get_projects(
    ctx: Ctx, workspace: Gid | None = None, team: Gid | None = None, archived: bool | None = None, limit: Limit = None,
    offset: Offset = None, opt_fields: Fields = None,
) -> Page[Any]:  # fmt: skip
    """Lists projects. Compact: ask for more by opt_fields, as owner.name,due_on.

    workspace: The workspace's gid; all workspaces where left out.
    team: Only those of this team.
    archived: Only archived projects, or only those that are not.
    """
    if workspace is not None:
        access.in_workspace(ctx, workspace)
    if team is not None:
        access.named(ctx, Team, team, "team")
    return page(ctx, visible(ctx, archived, workspace=workspace, team=team), opt_fields, limit, offset)


@app.get(f"{API}/workspaces/{{workspace_gid}}/projects", tool="get_projects_for_workspace", mcp=False)
def get_projects_for_workspace(
    ctx: Ctx, workspace_gid: Gid, archived: bool | None = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the projects of a workspace.

    workspace_gid: The workspace's gid.
    archived: Only archived projects, or only those that are not.
    """
    place = access.get(ctx, Workspace, workspace_gid)
    return page(ctx, visible(ctx, archived, workspace=place.gid), opt_fields, limit, offset)


@app.get(f"{API}/teams/{{team_gid}}/projects", tool="get_projects_for_team", mcp=False)
def get_projects_for_team(
    ctx: Ctx, team_gid: Gid, archived: bool | None = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the projects of a team.

    team_gid: The team's gid.
    archived: Only archived projects, or only those that are not.
    """
    team = access.get(ctx, Team, team_gid)
    return page(ctx, visible(ctx, archived, team=team.gid), opt_fields, limit, offset)


@app.get(f"{API}/projects/{{project_gid}}", tool="get_project")
def get_project(ctx: Ctx, project_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a project: description, owner, team, members, dates, latest status, custom fields.

    project_gid: The project's gid.
    """
    return one(ctx, access.project(ctx, project_gid), opt_fields)


@app.post(f"{API}/projects", tool="create_project", status=201)
def create_project(
    ctx: Ctx, name: Name, workspace: Gid | None = None, team: Gid | None = None, notes: Text | MISSING = MISSING,
    html_notes: Annotated[Text | MISSING, Rare] = MISSING, color: Color | None = None, default_view: View = "list",
    owner: Gid | None | MISSING = MISSING, due_on: str | None = None, start_on: str | None = None,
    privacy_setting: Privacy | None = None, public: Annotated[bool | None, Rare] = None, archived: Annotated[bool, Rare] = False,
    icon: Annotated[Icon | None, Rare] = None, followers: Annotated[Users | None, Rare] = None,
    default_access_level: Annotated[Level | None, Rare] = None, custom_fields: Annotated[dict[str, Any] | None, Rare] = None,
    due_date: Annotated[str | None, Rare] = None, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a project in a team. It begins with one section, "Untitled section".

    name: The project's name.
    workspace: The workspace's gid.
    team: The gid of the team that shares it; organizations need it.
    notes: The description, as plain text.
    color: The project's colour.
    default_view: How it is shown first.
    owner: Who owns it: a user's gid or mail address, or "me".
    due_on: The day it is due, YYYY-MM-DD.
    start_on: The day it begins, YYYY-MM-DD; needs due_on.
    privacy_setting: Who may see it.
    """
    sent = ctx.sent()
    return one(ctx, projects.create(ctx, sent, projects.team_of(ctx, sent)), opt_fields)


@app.post(f"{API}/teams/{{team_gid}}/projects", tool="create_project_for_team", status=201, mcp=False)
def create_project_for_team(
    ctx: Ctx, team_gid: Gid, name: Name, notes: Text | MISSING = MISSING, color: Color | None = None, default_view: View = "list",
    owner: Gid | None | MISSING = MISSING, due_on: str | None = None, start_on: str | None = None, privacy_setting: Privacy | None = None,
    public: bool | None = None,
    html_notes: Annotated[Text | MISSING, Rare] = MISSING, archived: Annotated[bool, Rare] = False,
    icon: Annotated[Icon | None, Rare] = None, followers: Annotated[Users | None, Rare] = None,
    default_access_level: Annotated[Level | None, Rare] = None, custom_fields: Annotated[dict[str, Any] | None, Rare] = None,
    due_date: Annotated[str | None, Rare] = None, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a project that a team shares.

    team_gid: The team's gid.
    name: The project's name.
    notes: The description, as plain text.
    color: The project's colour.
    default_view: How it is shown first.
    owner: Who owns it.
    due_on: The day it is due, YYYY-MM-DD.
    start_on: The day it begins.
    privacy_setting: Who may see it.
    public: Whether the whole organization sees it.
    """
    return one(ctx, projects.create(ctx, ctx.sent(), access.get(ctx, Team, team_gid)), opt_fields)


@app.post(f"{API}/workspaces/{{workspace_gid}}/projects", tool="create_project_for_workspace", status=201, mcp=False)
def create_project_for_workspace(
    ctx: Ctx, workspace_gid: Gid, name: Name, team: Gid | None = None, notes: Text | MISSING = MISSING, color: Color | None = None,
    default_view: View = "list", owner: Gid | None | MISSING = MISSING, due_on: str | None = None, start_on: str | None = None,
    privacy_setting: Privacy | None = None, public: bool | None = None,
    html_notes: Annotated[Text | MISSING, Rare] = MISSING, archived: Annotated[bool, Rare] = False,
    icon: Annotated[Icon | None, Rare] = None, followers: Annotated[Users | None, Rare] = None,
    default_access_level: Annotated[Level | None, Rare] = None, custom_fields: Annotated[dict[str, Any] | None, Rare] = None,
    due_date: Annotated[str | None, Rare] = None, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a project in a workspace.

    workspace_gid: The workspace's gid.
    name: The project's name.
    team: The gid of the team that shares it; organizations need it.
    notes: The description, as plain text.
    color: The project's colour.
    default_view: How it is shown first.
    owner: Who owns it.
    due_on: The day it is due, YYYY-MM-DD.
    start_on: The day it begins.
    privacy_setting: Who may see it.
    public: Whether the whole organization sees it.
    """
    sent = {**ctx.sent(), "workspace": access.get(ctx, Workspace, workspace_gid).gid}
    return one(ctx, projects.create(ctx, sent, projects.team_of(ctx, sent)), opt_fields)


@app.put(f"{API}/projects/{{project_gid}}", tool="update_project")
def update_project(
    ctx: Ctx, project_gid: Gid, name: Name | MISSING = MISSING, notes: Text | MISSING = MISSING,
    html_notes: Annotated[Text | MISSING, Rare] = MISSING, archived: bool | MISSING = MISSING, completed: bool | MISSING = MISSING,
    owner: Gid | None | MISSING = MISSING, color: Color | None | MISSING = MISSING, due_on: str | None | MISSING = MISSING,
    start_on: str | None | MISSING = MISSING, default_view: View | MISSING = MISSING, privacy_setting: Privacy | MISSING = MISSING,
    public: Annotated[bool | MISSING, Rare] = MISSING, icon: Annotated[Icon | None | MISSING, Rare] = MISSING,
    team: Annotated[Gid | MISSING, Rare] = MISSING, custom_fields: Annotated[dict[str, Any] | MISSING, Rare] = MISSING,
    default_access_level: Annotated[Level | MISSING, Rare] = MISSING, due_date: Annotated[str | None | MISSING, Rare] = MISSING,
    followers: Fixed = None, members: Fixed = None, workspace: Fixed = None, created_at: Fixed = None, modified_at: Fixed = None,
    opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of a project that are sent.

    project_gid: The project's gid.
    name: The project's name.
    notes: The description, as plain text.
    archived: Whether it is archived.
    completed: Whether it is done.
    owner: Who owns it: a user's gid or mail address, "me", or null.
    color: The project's colour.
    due_on: The day it is due, YYYY-MM-DD, or null.
    start_on: The day it begins, YYYY-MM-DD, or null.
    default_view: How it is shown first.
    privacy_setting: Who may see it.
    """
    row = access.project(ctx, project_gid)
    projects.update(ctx, row, ctx.sent())
    return one(ctx, row, opt_fields)


@app.delete(f"{API}/projects/{{project_gid}}", tool="delete_project")
def delete_project(ctx: Ctx, project_gid: Gid) -> dict[str, Any]:
    """Deletes a project with its sections. Its tasks stay, outside of it.

    project_gid: The project's gid.
    """
    projects.remove(ctx, access.project(ctx, project_gid))
    return {}


class Schedule(TypedDict, total=False):
    """How the dates of a duplicated project are moved."""

    __pydantic_config__ = ConfigDict(extra="ignore")  # pyright: ignore[reportGeneralTypeIssues]
    due_on: Annotated[str, Field(description="The day on which the last task is due.")]
    start_on: Annotated[str, Field(description="The day on which the first task begins.")]
    should_skip_weekends: Annotated[bool, Field(description="Whether weekends are skipped.")]


@app.post(f"{API}/projects/{{project_gid}}/duplicate", tool="duplicate_project", status=201)
def duplicate_project(
    ctx: Ctx, project_gid: Gid, name: Name, include: Annotated[str | list[str], Field(max_length=400)] = "", team: Gid | None = None,
    schedule_dates: Annotated[Schedule | None, Rare] = None, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Duplicates a project with its sections and tasks. Answers the job that does it, with the new project.

    project_gid: The project's gid.
    name: The new project's name.
    include: What else to copy, separated by commas: members, notes, task_assignee, task_attachments, task_dates, task_dependencies,
      task_followers, task_notes, task_projects, task_subtasks, task_tags.
    team: The team of the new project; that of the old where left out.
    """
    row = access.project(ctx, project_gid)
    given = include.split(",") if isinstance(include, str) else include
    parts = {part.strip() for part in given if part.strip()}
    if unknown := sorted(parts - set(projects.INCLUDES)):
        raise bad(f"include: Not an element that can be duplicated: {unknown[0][:100]}")
    if schedule_dates:
        raise bad("schedule_dates: Moving the dates of a duplicate is not available")
    if team is not None:
        access.named(ctx, Team, team, "team")
    copy = projects.duplicate(ctx, row, name, parts, team)
    return started(
        ctx, Job(gid=access.new_gid(ctx), resource_subtype="duplicate_project", new_project=copy.gid), opt_fields
    )


COUNTS = ("num_tasks", "num_incomplete_tasks", "num_completed_tasks", "num_milestones", "num_incomplete_milestones",
          "num_completed_milestones")  # fmt: skip


@app.get(f"{API}/projects/{{project_gid}}/task_counts", tool="get_task_counts_for_project")
def get_task_counts_for_project(ctx: Ctx, project_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Counts the tasks of a project. Programs name the counts they want in opt_fields; here all are given where it is left out.

    project_gid: The project's gid.
    """
    rows = places.tasks_in_project(ctx, access.project(ctx, project_gid).gid)
    stones = [t for t in rows if t.resource_subtype == "milestone"]
    numbers = [
        n
        for group in (rows, stones)
        for n in (len(group), sum(not t.completed for t in group), sum(t.completed for t in group))
    ]
    made = dict(zip(COUNTS, numbers, strict=True))
    asked = (
        {name.strip() for name in opt_fields.split(",")}
        if opt_fields
        else set(COUNTS if not ctx.request.method else ())
    )
    return {name: count for name, count in made.items() if name in asked}


@app.post(f"{API}/projects/{{project_gid}}/addMembers", tool="add_members_for_project", effect="update")
def add_members_for_project(ctx: Ctx, project_gid: Gid, members: Users, opt_fields: Fields = None) -> dict[str, Any]:
    """Adds members to a project.

    project_gid: The project's gid.
    members: Users: gids, mail addresses or "me".
    """
    row = access.project(ctx, project_gid)
    for user in access.people(ctx, members, "members"):
        projects.join(ctx, row, user, row.default_access_level)
    stories.touched(ctx, row)
    return one(ctx, row, opt_fields)


@app.post(f"{API}/projects/{{project_gid}}/removeMembers", tool="remove_members_for_project", effect="update")
def remove_members_for_project(ctx: Ctx, project_gid: Gid, members: Users, opt_fields: Fields = None) -> dict[str, Any]:
    """Removes members from a project.

    project_gid: The project's gid.
    members: Users: gids, mail addresses or "me".
    """
    row = access.project(ctx, project_gid)
    gone = access.people(ctx, members, "members")
    for user in gone:
        ctx.db.delete_where(Membership, parent=row.gid, member=user)
    stories.touched(ctx, row, followers=[gid for gid in row.followers if gid not in gone])
    return one(ctx, row, opt_fields)


@app.post(f"{API}/projects/{{project_gid}}/addFollowers", tool="add_followers_for_project", effect="update", mcp=False)
def add_followers_for_project(
    ctx: Ctx, project_gid: Gid, followers: Users, opt_fields: Fields = None
) -> dict[str, Any]:
    """Adds followers to a project; they become members.

    project_gid: The project's gid.
    followers: Users: gids, mail addresses or "me".
    """
    row = access.project(ctx, project_gid)
    new = access.people(ctx, followers, "followers")
    for user in new:
        projects.join(ctx, row, user, row.default_access_level)
    stories.touched(ctx, row, followers=list(dict.fromkeys([*row.followers, *new])))
    return one(ctx, row, opt_fields)


@app.post(
    f"{API}/projects/{{project_gid}}/removeFollowers", tool="remove_followers_for_project", effect="update", mcp=False
)
def remove_followers_for_project(
    ctx: Ctx, project_gid: Gid, followers: Users, opt_fields: Fields = None
) -> dict[str, Any]:
    """Removes followers from a project; they stay members.

    project_gid: The project's gid.
    followers: Users: gids, mail addresses or "me".
    """
    row = access.project(ctx, project_gid)
    gone = access.people(ctx, followers, "followers")
    stories.touched(ctx, row, followers=[gid for gid in row.followers if gid not in gone])
    return one(ctx, row, opt_fields)
