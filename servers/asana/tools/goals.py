"""Goals. https://developers.asana.com/reference/goals"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Page

from .. import access, projects, richtext, tasks
from ..app import API, Fields, Gid, Ids, Limit, Name, Offset, Text, app, bad
from ..listing import one, page
from ..models import Comment, Goal, Membership, StatusUpdate, Team

Number = Annotated[float, Field(ge=-1e15, le=1e15)]
Users = Annotated[list[str] | str, Field(max_length=1000)]


def shown_metric(metric: dict[str, Any]) -> dict[str, Any]:
    """A metric with its number as people read it."""
    text = f"{metric['current_number_value']:.{metric['precision']}f}"
    unit = {"none": "{}", "percentage": "{}%", "currency": f"{metric['currency_code']} {{}}"}[metric["unit"]]
    return {**metric, "current_display_value": unit.format(text)}


@app.get(f"{API}/goals", tool="get_goals", mcp=False)
def get_goals(
    ctx: Ctx, workspace: Gid | None = None, team: Gid | None = None, is_workspace_level: bool | None = None, limit: Limit = None,
    offset: Offset = None, opt_fields: Fields = None,
) -> Page[Any]:  # fmt: skip
    """Lists the goals of a workspace or team.

    workspace: The workspace's gid.
    team: The team's gid.
    is_workspace_level: Only those of the workspace as a whole, or only the others.
    """
    if workspace:
        access.in_workspace(ctx, workspace)
    chosen = access.named(ctx, Team, team, "team").gid if team else None
    rows = ctx.db.find(Goal, team=chosen, is_workspace_level=is_workspace_level, order="created_at,gid")
    return page(ctx, rows, opt_fields, limit, offset)


def _columns(ctx: Ctx, sent: dict[str, Any]) -> dict[str, Any]:
    made = {**richtext.either(sent, "notes", "html_notes")}
    for name in ("due_on", "start_on"):
        if name in sent:
            made[name] = access.day(sent[name], name)
    if "owner" in sent:
        made["owner"] = access.person(ctx, sent["owner"], "owner").gid if sent["owner"] else None
    if sent.get("team"):
        made["team"] = access.named(ctx, Team, sent["team"], "team").gid
    for name in ("name", "is_workspace_level", "status"):
        if name in sent and sent[name] is not None:
            made[name] = sent[name]
    if "name" in made and not made["name"].strip():
        raise bad("name: Missing input")
    return made


@app.post(f"{API}/goals", tool="create_goal", status=201, mcp=False)
def create_goal(
    ctx: Ctx, name: Name, workspace: Gid, team: Gid | None = None, owner: Gid | None | MISSING = MISSING,
    notes: Text | MISSING = MISSING, html_notes: Text | MISSING = MISSING, due_on: str | None = None, start_on: str | None = None,
    is_workspace_level: bool = False, followers: Ids = [], opt_fields: Fields = None,  # noqa: B006
) -> dict[str, Any]:  # fmt: skip
    """Creates a goal in a workspace or team.

    name: The goal's name.
    workspace: The workspace's gid.
    team: The team's gid, for a goal of a team.
    owner: Who owns it.
    notes: The description, as plain text.
    html_notes: The description as HTML within a body element.
    due_on: The day it is due.
    start_on: The day it begins.
    is_workspace_level: Whether it is one of the workspace as a whole.
    followers: Who follows it.
    """
    place, caller = access.in_workspace(ctx, workspace), access.me(ctx).gid
    more = access.people(ctx, followers, "followers") if followers else []
    row = ctx.db.add(
        Goal(
            **{
                "gid": access.new_gid(ctx), "workspace": place.gid, "owner": caller, "followers": list(dict.fromkeys([caller, *more])),
                "created_at": access.now(ctx), **_columns(ctx, ctx.sent()),
            }
        )
    )  # fmt: skip
    projects.join(ctx, row, caller, "admin", "goal")
    return one(ctx, row, opt_fields)


@app.get(f"{API}/goals/{{goal_gid}}", tool="get_goal", mcp=False)
def get_goal(ctx: Ctx, goal_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a goal, with its metric.

    goal_gid: The goal's gid.
    """
    return one(ctx, access.get(ctx, Goal, goal_gid), opt_fields)


@app.put(f"{API}/goals/{{goal_gid}}", tool="update_goal", mcp=False)
def update_goal(
    ctx: Ctx, goal_gid: Gid, name: Name | MISSING = MISSING, notes: Text | MISSING = MISSING, html_notes: Text | MISSING = MISSING,
    owner: Gid | None | MISSING = MISSING, due_on: str | None | MISSING = MISSING, start_on: str | None | MISSING = MISSING,
    status: Literal["green", "yellow", "red", "achieved", "partial", "missed", "dropped"] | MISSING = MISSING,
    liked: bool | MISSING = MISSING, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a goal.

    goal_gid: The goal's gid.
    name: The goal's name.
    notes: The description, as plain text.
    html_notes: The description as HTML within a body element.
    owner: Who owns it.
    due_on: The day it is due.
    start_on: The day it begins.
    status: How it stands.
    liked: Whether the caller likes it.
    """
    row, sent = access.get(ctx, Goal, goal_gid), ctx.sent()
    ctx.db.update(row, **_columns(ctx, sent), **tasks.liking(ctx, sent, row.likes))
    return one(ctx, row, opt_fields)


@app.delete(f"{API}/goals/{{goal_gid}}", tool="delete_goal", mcp=False)
def delete_goal(ctx: Ctx, goal_gid: Gid) -> dict[str, Any]:
    """Deletes a goal.

    goal_gid: The goal's gid.
    """
    row = access.get(ctx, Goal, goal_gid)
    ctx.db.delete_where(Comment, target=row.gid)
    for cls in (Membership, StatusUpdate):
        ctx.db.delete_where(cls, parent=row.gid)
    ctx.db.delete(row)
    return {}


@app.post(f"{API}/goals/{{goal_gid}}/setMetric", tool="create_goal_metric", effect="update", mcp=False)
def create_goal_metric(
    ctx: Ctx, goal_gid: Gid, target_number_value: Number, initial_number_value: Number = 0, current_number_value: Number | None = None,
    unit: Literal["none", "currency", "percentage"] = "none", currency_code: str | None = None,
    precision: Annotated[int, Field(ge=0, le=6)] = 0, resource_subtype: Literal["number"] = "number",
    progress_source: Literal["manual", "external"] = "manual", opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Sets what a goal is measured by.

    goal_gid: The goal's gid.
    target_number_value: What is to be reached.
    initial_number_value: Where it begins.
    current_number_value: Where it is.
    unit: What the numbers are.
    currency_code: The currency, where they are money.
    precision: Their decimals.
    resource_subtype: What kind of metric it is.
    progress_source: Where progress comes from.
    """
    row = access.get(ctx, Goal, goal_gid)
    if unit == "currency" and not currency_code:
        raise bad("currency_code: Missing input")
    if target_number_value == initial_number_value:
        raise bad("target_number_value: Must differ from initial_number_value")
    metric = {
        "gid": access.new_gid(ctx), "resource_type": "goal_metric", "resource_subtype": resource_subtype, "precision": precision,
        "unit": unit, "currency_code": currency_code, "initial_number_value": initial_number_value,
        "target_number_value": target_number_value,
        "current_number_value": initial_number_value if current_number_value is None else current_number_value,
        "progress_source": progress_source,
    }  # fmt: skip
    ctx.db.update(row, metric=shown_metric(metric))
    return one(ctx, row, opt_fields)


@app.post(f"{API}/goals/{{goal_gid}}/setMetricCurrentValue", tool="update_goal_metric", effect="update", mcp=False)
def update_goal_metric(
    ctx: Ctx, goal_gid: Gid, current_number_value: Number, opt_fields: Fields = None
) -> dict[str, Any]:
    """Says where a goal is.

    goal_gid: The goal's gid.
    current_number_value: Where it is.
    """
    row = access.get(ctx, Goal, goal_gid)
    if row.metric is None:
        raise bad("goal: The goal has no metric")
    ctx.db.update(row, metric=shown_metric({**row.metric, "current_number_value": current_number_value}))
    return one(ctx, row, opt_fields)


@app.post(f"{API}/goals/{{goal_gid}}/addFollowers", tool="add_followers_for_goal", effect="update", mcp=False)
def add_followers_for_goal(ctx: Ctx, goal_gid: Gid, followers: Users, opt_fields: Fields = None) -> dict[str, Any]:
    """Adds followers to a goal.

    goal_gid: The goal's gid.
    followers: Users: gids, mail addresses or "me".
    """
    row = access.get(ctx, Goal, goal_gid)
    ctx.db.update(row, followers=list(dict.fromkeys([*row.followers, *access.people(ctx, followers, "followers")])))
    return one(ctx, row, opt_fields)


@app.post(f"{API}/goals/{{goal_gid}}/removeFollowers", tool="remove_followers_for_goal", effect="update", mcp=False)
def remove_followers_for_goal(ctx: Ctx, goal_gid: Gid, followers: Users, opt_fields: Fields = None) -> dict[str, Any]:
    """Removes followers from a goal.

    goal_gid: The goal's gid.
    followers: Users: gids, mail addresses or "me".
    """
    row = access.get(ctx, Goal, goal_gid)
    gone = access.people(ctx, followers, "followers")
    ctx.db.update(row, followers=[gid for gid in row.followers if gid not in gone])
    return one(ctx, row, opt_fields)
