"""Lists of issues as conditions of SQL: a page of a long list costs no more than a page."""

from collections.abc import Sequence
from datetime import UTC, timedelta
from typing import Any

from legoenv_mcp.app import Ctx

from . import issues as rules
from .app import failed, when
from .models import Comment, Issue, Milestone, Repository

Term = tuple[str, tuple[Any, ...]]
"""A condition of SQL, and its values."""


def of_repository(repo: Repository) -> Term:
    return "repository_id = ?", (repo.id,)


def in_state(state: str) -> list[Term]:
    return [] if state == "all" else [("state = ?", (state,))]


def holding(column: str, key: int) -> Term:
    return f"EXISTS (SELECT 1 FROM json_each({column}) WHERE value = ?)", (key,)


def labelled(ctx: Ctx, repo: Repository, name: str) -> Term:
    label = rules.find_label(ctx, repo, name)
    return holding("labels", label.id) if label else ("0", ())


def updated_since(text: str) -> Term:
    earliest = when(text, "since").astimezone(UTC)
    if earliest.microsecond:  # issues know whole seconds
        earliest = earliest.replace(microsecond=0) + timedelta(seconds=1)
    return "updated_at >= ?", (earliest.isoformat(timespec="seconds").replace("+00:00", "Z"),)


def listed(ctx: Ctx, terms: list[Term], sort: str, direction: str) -> Sequence[Issue]:
    """The issues for which all terms hold, in order."""
    condition = " AND ".join(f"({term})" for term, _ in terms)
    values = [value for _, held in terms for value in held]
    if sort == "comments":
        return in_order(ctx.db.where(Issue, condition, values), sort, direction, ctx)
    mark = "-" if direction == "desc" else ""
    return ctx.db.select(Issue, condition, values, order=f"{mark}{sort}_at,{mark}id")


def in_milestone(ctx: Ctx, repo: Repository, text: str) -> Term:
    if text in ("*", "none"):
        return f"milestone_id IS {'NOT ' if text == '*' else ''}NULL", ()
    row = (
        ctx.db.first(Milestone, repository_id=repo.id, number=int(text))
        if text.isascii() and text.isdigit() and len(text) < 10
        else None
    )
    if row is None:
        raise failed("Issue", "milestone", "invalid", value=text)
    return "milestone_id = ?", (row.id,)


def in_order(listed: list[Issue], sort: str, direction: str, ctx: Ctx) -> list[Issue]:
    if sort == "comments":
        return sorted(listed, key=lambda i: (ctx.db.count(Comment, issue_id=i.id), i.id), reverse=direction == "desc")
    return sorted(
        listed, key=lambda i: (i.updated_at if sort == "updated" else i.created_at, i.id), reverse=direction == "desc"
    )
