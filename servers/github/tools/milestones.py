"""Milestones. https://docs.github.com/en/rest/issues/milestones"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Page, Reply

from ..accounts import me, repository
from ..app import PageNumber, PerPage, app, failed, not_found, page_of, when
from ..issues import milestone_json
from ..models import Issue, Milestone, Repository


def _milestone(ctx: Ctx, repo: Repository, number: int) -> Milestone:
    found = ctx.db.first(Milestone, repository_id=repo.id, number=number)
    if found is None:
        raise not_found()
    return found


def _due(text: str) -> str:
    """GitHub keeps a due date as midnight Pacific time of that day: 08:00 UTC."""
    return when(text, "due_on").strftime("%Y-%m-%dT08:00:00Z")


def _free_title(ctx: Ctx, repo: Repository, title: str, but: int = 0) -> None:
    if not title.strip():
        raise failed("Milestone", "title", "missing_field")
    if any(m.title == title and m.id != but for m in ctx.db.find(Milestone, repository_id=repo.id)):
        raise failed("Milestone", "title", "already_exists")


@app.get("/repos/{owner}/{repo}/milestones", tool="list_milestones")
def list_milestones(
    ctx: Ctx, owner: str, repo: str, state: Literal["open", "closed", "all"] = "open", sort: Literal["due_on", "completeness"] = "due_on",
    direction: Literal["asc", "desc"] = "asc", page: PageNumber = 1, perPage: PerPage = 30,
) -> Page[Any]:  # fmt: skip
    """Lists a repository's milestones with their numbers, due dates and counts of issues.

    owner: The repository's owner.
    repo: The repository's name.
    state: Only milestones in this state.
    sort: What to sort by.
    direction: Which way to sort.
    page: Page number, from 1.
    perPage: Results per page, at most 100.
    """
    found = repository(ctx, owner, repo)
    shown = [
        milestone_json(ctx, found, m)
        for m in ctx.db.find(Milestone, repository_id=found.id, state=None if state == "all" else state)
    ]

    def key(m: dict[str, Any]) -> Any:
        total = m["open_issues"] + m["closed_issues"]
        return (
            (m["due_on"] or "9999") if sort == "due_on" else m["closed_issues"] / total if total else 0.0,
            m["number"],
        )

    return page_of(sorted(shown, key=key, reverse=direction == "desc"), perPage, page)


@app.get("/repos/{owner}/{repo}/milestones/{milestone_number}", tool="get_milestone", mcp=False)
def get_milestone(ctx: Ctx, owner: str, repo: str, milestone_number: int) -> dict[str, Any]:
    """Gets a milestone."""
    found = repository(ctx, owner, repo)
    return milestone_json(ctx, found, _milestone(ctx, found, milestone_number))


@app.post("/repos/{owner}/{repo}/milestones", tool="create_milestone", status=201)
def create_milestone(
    ctx: Ctx, owner: str, repo: str, title: str, description: str | None = None, due_on: str | None = None,
    state: Literal["open", "closed"] = "open",
) -> dict[str, Any]:  # fmt: skip
    """Creates a milestone in a repository.

    owner: The repository's owner.
    repo: The repository's name.
    title: The milestone's title.
    description: What it stands for.
    due_on: When it is due, as ISO 8601.
    state: Whether it is open or closed.
    """
    found = repository(ctx, owner, repo, "write")
    _free_title(ctx, found, title)
    now, last = ctx.timestamp(), ctx.db.first(Milestone, order="-number", repository_id=found.id)
    return milestone_json(ctx, found, ctx.db.add(Milestone(
        id=ctx.sequence("milestone", 12_705_331, 53), repository_id=found.id, number=last.number + 1 if last else 1, title=title,
        description=description, state=state, due_on=_due(due_on) if due_on else None, creator_id=me(ctx).id, created_at=now,
            updated_at=now,
        closed_at=now if state == "closed" else None,
    )))  # fmt: skip


@app.patch("/repos/{owner}/{repo}/milestones/{milestone_number}", tool="update_milestone", mcp=False)
def update_milestone(
    ctx: Ctx, owner: str, repo: str, milestone_number: int, title: str | MISSING = MISSING, state: Literal["open",
        "closed"] | MISSING = MISSING,
    description: str | None | MISSING = MISSING, due_on: str | None | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a milestone; closing it leaves its issues as they are."""
    found = repository(ctx, owner, repo, "write")
    row, changes = _milestone(ctx, found, milestone_number), ctx.sent()
    if isinstance(title, str):
        _free_title(ctx, found, title, row.id)
    if changes.get("due_on"):
        changes["due_on"] = _due(changes["due_on"])
    if "state" in changes and changes["state"] != row.state:
        changes["closed_at"] = ctx.timestamp() if changes["state"] == "closed" else None
    ctx.db.update(row, **changes, updated_at=ctx.timestamp())
    return milestone_json(ctx, found, row)


@app.delete("/repos/{owner}/{repo}/milestones/{milestone_number}", tool="delete_milestone", mcp=False)
def delete_milestone(ctx: Ctx, owner: str, repo: str, milestone_number: int) -> Reply:
    """Deletes a milestone; its issues stay without one."""
    found = repository(ctx, owner, repo, "write")
    row = _milestone(ctx, found, milestone_number)
    for issue in ctx.db.find(Issue, milestone_id=row.id):
        ctx.db.update(issue, milestone_id=None)
    ctx.db.delete(row)
    return Reply(None, 204)
