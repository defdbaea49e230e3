"""Status updates of projects, portfolios and goals, and their older form. https://developers.asana.com/reference/status-updates"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Page

from .. import access, resources, richtext, stories
from ..app import API, Fields, Gid, Limit, Name, Offset, Text, app, bad
from ..listing import one, page
from ..models import Goal, Portfolio, Project, StatusUpdate

Status = Literal["on_track", "at_risk", "off_track", "on_hold", "complete", "achieved", "partial", "missed", "dropped"]
OF_PROJECTS = ("on_track", "at_risk", "off_track", "on_hold", "complete")
OF_GOALS = ("on_track", "at_risk", "off_track", "achieved", "partial", "missed", "dropped")
COLORS = {"green": "on_track", "yellow": "at_risk", "red": "off_track", "blue": "on_hold", "complete": "complete"}


def holder(ctx: Ctx, gid: str) -> Project | Portfolio | Goal:
    """What a status is of."""
    if not access.is_gid(gid):
        raise bad(f"parent: Not a recognized ID: {gid[:100]}")
    for cls in (Portfolio, Goal):
        if (found := ctx.db.get(cls, gid)) is not None:
            return found
    return access.project(ctx, gid, "parent")


def update(ctx: Ctx, parent: Project | Portfolio | Goal, status: str, sent: dict[str, Any]) -> StatusUpdate:
    """A new status update."""
    if status not in (OF_GOALS if isinstance(parent, Goal) else OF_PROJECTS):
        raise bad(f"status_type: Not a status of a {type(parent).__name__.lower()}: {status}")
    if not {"text", "html_text"} & sent.keys():
        raise bad("text: Missing input")
    words = richtext.either(sent, "text", "html_text")
    kind: Any = type(parent).__name__.lower()
    row = ctx.db.add(
        StatusUpdate(
            gid=access.new_gid(ctx), parent=parent.gid, kind=kind, title=sent.get("title") or "", status_type=status,
            created_by=access.me(ctx).gid, created_at=access.now(ctx), modified_at=access.now(ctx), **words,
        )
    )  # fmt: skip
    if isinstance(parent, Goal):
        ctx.db.update(parent, status="green" if status == "on_track" else status)
    stories.happened(ctx, row, "added", parent=parent, also=[parent.gid])
    return row


@app.post(f"{API}/status_updates", tool="create_status_update", status=201)
def create_status_update(
    ctx: Ctx, parent: Gid, status_type: Status, text: Text | MISSING = MISSING, title: Name = "",
    html_text: Annotated[Text | MISSING, Body(mcp=False)] = MISSING, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Posts a status update on a project, portfolio or goal. Its followers are told.

    parent: The gid of the project, portfolio or goal.
    status_type: How it stands; goals have achieved, partial, missed and dropped, projects on_hold and complete.
    text: The update, as plain text; must be given.
    title: A headline.
    """
    return one(ctx, update(ctx, holder(ctx, parent), status_type, ctx.sent()), opt_fields)


@app.get(f"{API}/status_updates", tool="get_status_updates")
def get_status_updates(
    ctx: Ctx, parent: Gid, created_since: str | None = None, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the status updates of a project, portfolio or goal, newest first.

    parent: The gid of the project, portfolio or goal.
    created_since: Only those made since this time, ISO 8601.
    """
    after = access.moment(ctx, created_since, "created_since")
    rows = ctx.db.find(StatusUpdate, parent=holder(ctx, parent).gid, order="-created_at,-gid", created_at__ge=after)
    return page(ctx, rows, opt_fields, limit, offset)


@app.get(f"{API}/status_updates/{{status_update_gid}}", tool="get_status_update", mcp=False)
def get_status_update(ctx: Ctx, status_update_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a status update.

    status_update_gid: The update's gid.
    """
    return one(ctx, access.get(ctx, StatusUpdate, status_update_gid), opt_fields)


@app.delete(f"{API}/status_updates/{{status_update_gid}}", tool="delete_status_update", mcp=False)
def delete_status_update(ctx: Ctx, status_update_gid: Gid) -> dict[str, Any]:
    """Deletes a status update.

    status_update_gid: The update's gid.
    """
    row = access.get(ctx, StatusUpdate, status_update_gid)
    stories.happened(ctx, row, "deleted", also=[row.parent])
    ctx.db.delete(row)
    return {}


# The older form, of projects alone


def older(ctx: Ctx, row: StatusUpdate) -> dict[str, Any]:
    """A status update as what projects had before."""
    shown = one(ctx, row, "title,text,color,author.name,created_at,created_by.name,modified_at")
    return {**shown, "resource_type": "project_status"}


@app.get(f"{API}/projects/{{project_gid}}/project_statuses", tool="get_project_statuses_for_project", mcp=False)
def get_project_statuses_for_project(
    ctx: Ctx, project_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:  # fmt: skip
    """Lists the statuses of a project, newest first.

    project_gid: The project's gid.
    """
    rows = ctx.db.find(StatusUpdate, parent=access.project(ctx, project_gid).gid, order="-created_at,-gid")
    return page(ctx, rows, opt_fields, limit, offset).map(lambda s: {**s, "resource_type": "project_status"})


@app.post(
    f"{API}/projects/{{project_gid}}/project_statuses", tool="create_project_status_for_project", status=201, mcp=False
)
def create_project_status_for_project(
    ctx: Ctx, project_gid: Gid, color: Literal["green", "yellow", "red", "blue", "complete"], text: Text | MISSING = MISSING,
    html_text: Text | MISSING = MISSING, title: Name = "", opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Posts a status on a project.

    project_gid: The project's gid.
    color: How it stands.
    text: The status, as plain text.
    html_text: The status as HTML within a body element.
    title: A headline.
    """
    return older(ctx, update(ctx, access.project(ctx, project_gid), COLORS[color], ctx.sent()))


@app.get(f"{API}/project_statuses/{{project_status_gid}}", tool="get_project_status", mcp=False)
def get_project_status(ctx: Ctx, project_status_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a status of a project.

    project_status_gid: The status' gid.
    """
    return older(ctx, access.get(ctx, StatusUpdate, project_status_gid, "project_status"))


@app.delete(f"{API}/project_statuses/{{project_status_gid}}", tool="delete_project_status", mcp=False)
def delete_project_status(ctx: Ctx, project_status_gid: Gid) -> dict[str, Any]:
    """Deletes a status of a project.

    project_status_gid: The status' gid.
    """
    ctx.db.delete(access.get(ctx, StatusUpdate, project_status_gid, "project_status"))
    return {}


assert resources.STATUS_COLORS.keys() == set(Status.__args__)
