"""Comments: who may change them, and what they say."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import access, history, times
from .app import refuse, refuse_fields
from .models import Comment, Group, GroupMember, Issue, Project
from .values import Bad, text_of

INVALID = "Comment body is not valid!"


def find(ctx: Ctx, issue: Issue, id: object) -> Comment:
    number = access.number(id)
    found = None if number is None else ctx.db.get(Comment, number)
    if found is None or found.issue_id != issue.id:
        raise refuse(404, f"Can not find a comment for the id: {id}.")
    return found


def body(ctx: Ctx, value: Any) -> tuple[str, dict[str, Any] | None]:
    try:
        text, doc = text_of(ctx, value, INVALID)
    except Bad as bad:
        raise refuse_fields({"comment": str(bad)}) from None
    if not text.strip():
        raise refuse_fields({"comment": "Comment body can not be empty!"})
    return text, doc


def visibility(ctx: Ctx, value: Any) -> dict[str, Any] | None:
    """Who sees a comment or worklog: a group of the site or a role of the project."""
    if value is None:
        return None
    kind = value.get("type") if isinstance(value, dict) else None
    name = (value.get("value") or value.get("identifier")) if isinstance(value, dict) else None
    if kind not in ("group", "role") or not isinstance(name, str):
        raise refuse_fields(
            {"commentLevel": "A visibility has a type, 'group' or 'role', and a value, the name of one."}
        )
    if kind == "group":
        group = ctx.db.first(Group, name=name) or ctx.db.get(Group, name)
        if group is None:
            raise refuse_fields({"commentLevel": f"Group: {name} does not exist."})
        if ctx.db.get(GroupMember, (group.groupId, access.me(ctx).accountId)) is None:
            raise refuse_fields({"commentLevel": f"You are currently not a member of the group: {group.name}."})
        return {"type": "group", "value": group.name, "identifier": group.groupId}
    if name not in ("Administrators", "Member"):
        raise refuse_fields({"commentLevel": f"Role: {name} does not exist."})
    return {"type": "role", "value": name, "identifier": name}


def add(ctx: Ctx, issue: Issue, value: Any, seen_by: Any = None) -> Comment:
    text, doc = body(ctx, value)
    now, author = times.moment(ctx.now), access.me(ctx).accountId
    seen = visibility(ctx, seen_by)
    made = ctx.db.add(
        Comment(
            id=ctx.sequence("comment", 10000), issue_id=issue.id, author=author, updateAuthor=author, body=text, body_adf=doc, created=now,
            updated=now, visibility=seen,
        )
    )  # fmt: skip
    history.touch(ctx, issue)
    return made


def _require_mine(ctx: Ctx, issue: Issue, comment: Comment, what: str) -> None:
    if comment.author != access.me(ctx).accountId and not access.administers(
        ctx, ctx.require(Project, issue.project_id)
    ):
        raise refuse(
            403, f"You do not have the permission to {what} the comment with the id: {comment.id} in this issue."
        )


def edit(ctx: Ctx, issue: Issue, comment: Comment, value: Any, seen_by: Any = None) -> Comment:
    _require_mine(ctx, issue, comment, "edit")
    text, doc = body(ctx, value)
    seen = visibility(ctx, seen_by) if seen_by is not None else comment.visibility
    ctx.db.update(
        comment,
        body=text,
        body_adf=doc,
        visibility=seen,
        updateAuthor=access.me(ctx).accountId,
        updated=times.moment(ctx.now),
    )
    history.touch(ctx, issue)
    return comment


def remove(ctx: Ctx, issue: Issue, comment: Comment) -> None:
    _require_mine(ctx, issue, comment, "delete")
    ctx.db.delete(comment)
    history.touch(ctx, issue)
