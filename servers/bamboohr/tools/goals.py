"""Goals. https://documentation.bamboohr.com/reference/goals-1"""

from typing import Annotated, Any

from pydantic import BaseModel

from legoenv_mcp.app import MISSING, Ctx, Field, Reply

from ..app import app, done
from ..dates import need_day
from ..employees import agent_user, name_of, the_employee
from ..errors import refuse
from ..models import Employee, User
from ..models_more import Goal, GoalComment

EmployeeId = Annotated[str, Field(max_length=20)]
GoalId = Annotated[str, Field(max_length=20)]
Title = Annotated[str, Field(min_length=1, max_length=500)]
Text = Annotated[str, Field(max_length=10_000)]
Percent = Annotated[int, Field(ge=0, le=100)]
Shared = Annotated[list[int], Field(max_length=1000)]
MOST = 50


class MilestoneInput(BaseModel):
    """A step of a goal."""

    title: Title = Field(description="What is to be reached.")


Milestones = Annotated[list[MilestoneInput], Field(max_length=100)]


def _status(goal: Goal) -> str:
    return "closed" if goal.closed else "completed" if goal.percentComplete == 100 else "in_progress"


def _shown(goal: Goal) -> dict[str, Any]:
    open_ = not goal.closed
    body: dict[str, Any] = {
        "id": str(goal.id), "title": goal.title, "description": goal.description or "", "percentComplete": goal.percentComplete,
        "alignsWithOptionId": None if goal.alignsWithOptionId is None else str(goal.alignsWithOptionId),
        "sharedWithEmployeeIds": goal.sharedWithEmployeeIds, "dueDate": goal.dueDate, "completionDate": goal.completionDate,
        "lastChangedDateTime": goal.lastChangedDateTime, "status": _status(goal),
    }  # fmt: skip
    if goal.milestones is not None:
        body["milestones"] = goal.milestones
    body["actions"] = {
        "canEditGoalProgressBar": open_ and goal.milestones is None,
        "canEditGoalMilestoneProgressBar": open_ and goal.milestones is not None,
    }
    return body


def _goal(ctx: Ctx, employee: Employee, key: str, stranger: int = 400) -> Goal:
    """A goal of an employee. One that is another's is refused with `stranger`."""
    found = ctx.db.get(Goal, int(key)) if key.isascii() and key.isdigit() and len(key) < 19 else None
    if found is None:
        raise refuse(404, "The goal was not found")
    if found.employeeId != employee.id:
        raise refuse(stranger, "The employee is not associated with this goal")
    return found


def _editable(goal: Goal) -> None:
    if goal.closed:
        raise refuse(403, "The goal is closed and cannot be edited")


def _completion(ctx: Ctx, percent: int, date: Any) -> str | None:
    """When a goal was completed, which only one that is at 100% was."""
    if isinstance(date, str) and date:
        when = need_day(date, "completionDate")
        if percent != 100:
            raise refuse(400, "completionDate is only valid when percentComplete is 100")
        return f"{when.isoformat()}T00:00:00Z"
    return ctx.timestamp() if percent == 100 else None


def _shares(ctx: Ctx, employee: Employee, ids: list[int]) -> list[int]:
    if employee.id not in ids:
        raise refuse(400, "sharedWithEmployeeIds must have the goal's owner")
    for one in ids:
        if ctx.db.get(Employee, one) is None:
            raise refuse(400, f"sharedWithEmployeeIds: the employee {one} does not exist")
    return sorted(set(ids))


def _aligned(ctx: Ctx, value: Any, own: int = 0) -> int | None:
    if not isinstance(value, int):
        return None
    if value == own or ctx.db.get(Goal, value) is None:
        raise refuse(400, "alignsWithOptionId is not a goal to align with")
    return value


def _milestone(ctx: Ctx, goal: int, title: str) -> dict[str, Any]:
    return {
        "id": ctx.sequence("milestone"), "employeeGoalId": goal, "title": title, "currentValue": None, "startValue": None, "endValue": None,
        "completedDateTime": None, "lastUpdateDateTime": ctx.timestamp(), "lastUpdateUserId": agent_user(ctx),
    }  # fmt: skip


def _reached(milestones: list[dict[str, Any]]) -> int:
    return (
        round(100 * sum(m["completedDateTime"] is not None for m in milestones) / len(milestones)) if milestones else 0
    )


def _save(ctx: Ctx, goal: Goal, **changes: Any) -> dict[str, Any]:
    ctx.db.update(goal, **changes, lastChangedDateTime=ctx.timestamp())
    return {"goal": _shown(goal)}


@app.get("/v1/performance/employees/{employeeId}/goals", tool="list_goals")
def list_goals(ctx: Ctx, employeeId: EmployeeId, filter: Annotated[str, Field(max_length=40)] = "") -> dict[str, Any]:
    """Lists an employee's goals, at most 50; without a filter those that are not closed.

    employeeId: The employee's id.
    filter: `status-inProgress`, `status-completed`, `status-closed` or `status-all`.
    """
    employee = the_employee(ctx, employeeId)
    wanted = {
        "status-inProgress": ("in_progress",), "status-completed": ("completed",), "status-closed": ("closed",),
        "status-all": ("in_progress", "completed", "closed"),
    }.get(filter, ("in_progress", "completed"))  # fmt: skip
    rows = [g for g in ctx.db.find(Goal) if g.employeeId == employee.id or employee.id in g.sharedWithEmployeeIds]
    return {"goals": [_shown(g) for g in rows if _status(g) in wanted][:MOST]}


@app.post("/v1/performance/employees/{employeeId}/goals", tool="create_goal", status=201)
def create_goal(
    ctx: Ctx, employeeId: EmployeeId, title: Title, dueDate: str, sharedWithEmployeeIds: Shared, description: Text | MISSING = MISSING,
    percentComplete: Percent = 0, completionDate: str | None | MISSING = MISSING, alignsWithOptionId: int | None | MISSING = MISSING,
    milestones: Milestones | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Makes a goal for an employee, with a progress in percent or with milestones.

    employeeId: The employee's id.
    title: What is to be reached.
    dueDate: By when, YYYY-MM-DD.
    sharedWithEmployeeIds: The ids of the employees who see it; the owner's must be among them.
    description: More about it.
    percentComplete: How far it is, from 0 to 100.
    completionDate: When it was completed, YYYY-MM-DD; only at 100 percent.
    alignsWithOptionId: The id of a goal that this one serves.
    milestones: The steps by which progress is counted instead.
    """
    employee = the_employee(ctx, employeeId)
    need_day(dueDate, "dueDate")
    key = ctx.sequence("goal", start=41)
    steps = [_milestone(ctx, key, m.title) for m in milestones] if isinstance(milestones, list) and milestones else None
    percent = 0 if steps else percentComplete
    made = ctx.db.add(
        Goal(
            id=key, employeeId=employee.id, title=title, description=description if isinstance(description, str) else None,
            percentComplete=percent, alignsWithOptionId=_aligned(ctx, alignsWithOptionId), dueDate=dueDate, milestones=steps,
            sharedWithEmployeeIds=_shares(ctx, employee, sharedWithEmployeeIds), completionDate=_completion(ctx, percent, completionDate),
            lastChangedDateTime=ctx.timestamp(),
        )
    )  # fmt: skip
    return {"goal": _shown(made)}


@app.put("/v1_1/performance/employees/{employeeId}/goals/{goalId}", tool="update_goal")
def update_goal(
    ctx: Ctx, employeeId: EmployeeId, goalId: GoalId, title: Title, dueDate: str, sharedWithEmployeeIds: Shared,
    description: Text | MISSING = MISSING, percentComplete: Percent | MISSING = MISSING, completionDate: str | None | MISSING = MISSING,
    alignsWithOptionId: int | None | MISSING = MISSING, milestonesEnabled: bool | MISSING = MISSING,
    deletedMilestoneIds: Annotated[list[int], Field(max_length=100)] | MISSING = MISSING, milestones: Milestones | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a goal. Title, due date and sharing must be given even where they stay.

    employeeId: The employee's id.
    goalId: The goal's id.
    title: What is to be reached.
    dueDate: By when, YYYY-MM-DD.
    sharedWithEmployeeIds: The ids of the employees who see it; the owner's must be among them.
    description: More about it.
    percentComplete: How far it is, from 0 to 100; not for goals with milestones.
    completionDate: When it was completed, YYYY-MM-DD; only at 100 percent.
    alignsWithOptionId: The id of a goal that this one serves; null for none.
    milestonesEnabled: Whether progress is counted by milestones.
    deletedMilestoneIds: Milestones to remove.
    milestones: Milestones to add.
    """
    employee = the_employee(ctx, employeeId)
    goal = _goal(ctx, employee, goalId)
    _editable(goal)
    need_day(dueDate, "dueDate")
    changes: dict[str, Any] = {
        "title": title,
        "dueDate": dueDate,
        "sharedWithEmployeeIds": _shares(ctx, employee, sharedWithEmployeeIds),
    }
    if isinstance(description, str):
        changes["description"] = description
    if alignsWithOptionId is not MISSING:
        changes["alignsWithOptionId"] = _aligned(ctx, alignsWithOptionId, goal.id)
    steps = goal.milestones
    if milestonesEnabled is not MISSING:
        steps = (steps or []) if milestonesEnabled else None
    if steps is None and (isinstance(milestones, list) or isinstance(deletedMilestoneIds, list)):
        raise refuse(400, "The goal has no milestones: milestonesEnabled is not set")
    if steps is not None:
        gone = set(deletedMilestoneIds) if isinstance(deletedMilestoneIds, list) else set[int]()
        added = [_milestone(ctx, goal.id, m.title) for m in milestones] if isinstance(milestones, list) else []
        steps = [m for m in steps if m["id"] not in gone] + added
        percent = _reached(steps)
    else:
        percent = percentComplete if isinstance(percentComplete, int) else goal.percentComplete
    kept = goal.completionDate if percent == 100 and completionDate is MISSING else None
    changes |= {
        "milestones": steps,
        "percentComplete": percent,
        "completionDate": kept or _completion(ctx, percent, completionDate),
    }
    return _save(ctx, goal, **changes)


@app.put("/v1/performance/employees/{employeeId}/goals/{goalId}/progress", tool="update_goal_progress")
def update_goal_progress(
    ctx: Ctx,
    employeeId: EmployeeId,
    goalId: GoalId,
    percentComplete: Percent,
    completionDate: str | None | MISSING = MISSING,
) -> dict[str, Any]:
    """Sets how far a goal without milestones is.

    employeeId: The employee's id.
    goalId: The goal's id.
    percentComplete: From 0 to 100.
    completionDate: When it was completed, YYYY-MM-DD; needed at 100 percent.
    """
    goal = _goal(ctx, the_employee(ctx, employeeId), goalId)
    _editable(goal)
    if goal.milestones is not None:
        raise refuse(400, "The goal has milestones, whose progress is to be updated instead")
    if percentComplete == 100 and not isinstance(completionDate, str):
        raise refuse(400, "completionDate is required when percentComplete is 100")
    return _save(
        ctx, goal, percentComplete=percentComplete, completionDate=_completion(ctx, percentComplete, completionDate)
    )


@app.put(
    "/v1/performance/employees/{employeeId}/goals/{goalId}/milestones/{milestoneId}/progress",
    tool="update_goal_milestone_progress",
    mcp=False,
)
def update_goal_milestone_progress(
    ctx: Ctx, employeeId: EmployeeId, goalId: GoalId, milestoneId: GoalId, complete: bool
) -> dict[str, Any]:
    """Says whether a milestone of a goal is reached; the goal's progress follows.

    employeeId: The employee's id.
    goalId: The goal's id.
    milestoneId: The milestone's id.
    complete: Whether it is reached.
    """
    goal = _goal(ctx, the_employee(ctx, employeeId), goalId)
    _editable(goal)
    steps = [dict(m) for m in goal.milestones or []]
    step = next((m for m in steps if str(m["id"]) == milestoneId), None)
    if step is None:
        raise refuse(404, "The milestone was not found")
    now = ctx.timestamp()
    done_at = now if complete else None
    step |= {"completedDateTime": done_at, "lastUpdateDateTime": now, "lastUpdateUserId": agent_user(ctx)}
    percent = _reached(steps)
    return _save(ctx, goal, milestones=steps, percentComplete=percent, completionDate=now if percent == 100 else None)


@app.delete("/v1/performance/employees/{employeeId}/goals/{goalId}", tool="delete_goal", status=204)
def delete_goal(ctx: Ctx, employeeId: EmployeeId, goalId: GoalId) -> Reply:
    """Deletes a goal with its comments for good.

    employeeId: The employee's id.
    goalId: The goal's id.
    """
    goal = _goal(ctx, the_employee(ctx, employeeId), goalId, stranger=404)
    for other in ctx.db.find(Goal, alignsWithOptionId=goal.id):
        ctx.db.update(other, alignsWithOptionId=None)
    ctx.db.delete_where(GoalComment, goalId=goal.id)
    ctx.db.delete(goal)
    return done(ctx, 204, id=goalId)


@app.post(
    "/v1/performance/employees/{employeeId}/goals/{goalId}/close", tool="close_goal", status=201, effect="transition"
)
def close_goal(
    ctx: Ctx, employeeId: EmployeeId, goalId: GoalId, comment: Text | None | MISSING = MISSING
) -> dict[str, Any]:
    """Closes a goal that is not pursued any further.

    employeeId: The employee's id.
    goalId: The goal's id.
    comment: A remark about it.
    """
    goal = _goal(ctx, the_employee(ctx, employeeId), goalId)
    _editable(goal)
    if isinstance(comment, str) and comment.strip():
        _comment(ctx, goal, comment)
    return _save(ctx, goal, closed=True)


@app.post(
    "/v1/performance/employees/{employeeId}/goals/{goalId}/reopen",
    tool="reopen_goal",
    mcp=False,
    status=201,
    effect="transition",
)
def reopen_goal(ctx: Ctx, employeeId: EmployeeId, goalId: GoalId) -> dict[str, Any]:
    """Opens a closed goal again.

    employeeId: The employee's id.
    goalId: The goal's id.
    """
    goal = _goal(ctx, the_employee(ctx, employeeId), goalId)
    if not goal.closed:
        raise refuse(403, "The goal is not closed")
    return _save(ctx, goal, closed=False)


def _comment(ctx: Ctx, goal: Goal, text: str) -> GoalComment:
    key, user = ctx.sequence("goal_comment"), agent_user(ctx) or 0
    return ctx.db.add(GoalComment(id=key, goalId=goal.id, authorUserId=user, createdAt=ctx.timestamp(), text=text))


def _shown_comment(row: GoalComment) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "authorUserId": row.authorUserId,
        "createdAt": row.createdAt,
        "text": row.text,
        "canEdit": True,
        "canDelete": True,
    }


@app.get("/v1/performance/employees/{employeeId}/goals/{goalId}/comments", tool="list_goal_comments")
def list_goal_comments(ctx: Ctx, employeeId: EmployeeId, goalId: GoalId) -> dict[str, Any]:
    """Lists the comments on a goal in order of their time, at most 50.

    employeeId: The employee's id.
    goalId: The goal's id.
    """
    goal = _goal(ctx, the_employee(ctx, employeeId), goalId, stranger=403)
    return {"comments": [_shown_comment(c) for c in ctx.db.find(GoalComment, goalId=goal.id, limit=MOST)]}


@app.post("/v1/performance/employees/{employeeId}/goals/{goalId}/comments", tool="create_goal_comment", status=201)
def create_goal_comment(ctx: Ctx, employeeId: EmployeeId, goalId: GoalId, text: Text) -> dict[str, Any]:
    """Comments on a goal.

    employeeId: The employee's id.
    goalId: The goal's id.
    text: The comment.
    """
    goal = _goal(ctx, the_employee(ctx, employeeId), goalId)
    if not text.strip():
        raise refuse(400, "The comment is blank")
    return _shown_comment(_comment(ctx, goal, text))


@app.get("/v1/performance/employees/{employeeId}/goals/{goalId}/aggregate", tool="get_goal_aggregate", mcp=False)
def get_goal_aggregate(ctx: Ctx, employeeId: EmployeeId, goalId: GoalId) -> dict[str, Any]:
    """Gets a goal with its comments and the people in it.

    employeeId: The employee's id.
    goalId: The goal's id.
    """
    goal = _goal(ctx, the_employee(ctx, employeeId), goalId, stranger=403)
    comments = ctx.db.find(GoalComment, goalId=goal.id, limit=MOST)
    users = {u.id: u.employeeId for u in ctx.db.find(User)}
    people = {*goal.sharedWithEmployeeIds, *(users[c.authorUserId] or 0 for c in comments if c.authorUserId in users)}
    persons = [
        {"employeeId": p, "userId": next((u for u, e in users.items() if e == p), None), "displayFirstName": e.preferredName or e.firstName,
         "lastName": e.lastName, "name": name_of(e)}
        for p in sorted(people) if (e := ctx.db.get(Employee, p)) is not None
    ]  # fmt: skip
    options = [{"id": g.id, "title": g.title} for g in ctx.db.find(Goal, closed=False) if g.id != goal.id]
    return {
        "goal": _shown(goal), "canAlign": True, "canCreateGoals": True, "alignsWithOptions": options,
        "comments": [_shown_comment(c) for c in comments], "persons": persons,
    }  # fmt: skip
