"""Stories: comments, and what Asana notes itself. https://developers.asana.com/reference/stories"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Body, Ctx, Page

from .. import access, richtext, stories
from ..app import API, Fields, Gid, Limit, Offset, Text, app, bad, forbidden
from ..listing import one, page
from ..models import Comment, Goal, Story, Task

Sticker = Literal[
    "green_checkmark", "people_dancing", "dancing_unicorn", "heart", "party_popper", "people_waving_flags", "splashing_narwhal", "trophy",
    "yeti_riding_unicorn", "celebrating_people", "determined_climbers", "phoenix_spreading_love",
]  # fmt: skip


def story(ctx: Ctx, gid: str) -> Comment | Story:
    """A story that the caller may see."""
    found = ctx.db.get(Story, gid) or access.get(ctx, Comment, gid)
    if ctx.db.get(Task, found.target) is not None:
        access.task(ctx, found.target)
    return found


def of(ctx: Ctx, target: str) -> list[Comment | Story]:
    """All of an object's stories, oldest first."""
    rows: list[Comment | Story] = [*ctx.db.find(Comment, target=target), *ctx.db.find(Story, target=target)]
    return sorted(rows, key=lambda s: (s.created_at, s.n))


@app.get(f"{API}/tasks/{{task_gid}}/stories", tool="get_stories_for_task")
def get_stories_for_task(
    ctx: Ctx, task_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:
    """Lists what was said about a task and what was done to it, oldest first. Comments have resource_subtype comment_added.

    task_gid: The task's gid.
    """
    return page(ctx, of(ctx, access.task(ctx, task_gid).gid), opt_fields, limit, offset)


def said(ctx: Ctx, target: Task | Goal, sent: dict[str, Any]) -> Comment:
    """A new comment."""
    if not {"text", "html_text"} & sent.keys() and not sent.get("sticker_name"):
        raise bad("text: Missing input")
    words = richtext.either(sent, "text", "html_text")
    if not words.get("text", "").strip() and not sent.get("sticker_name"):
        raise bad("text: Missing input")
    row = ctx.db.add(
        Comment(
            gid=access.new_gid(ctx), target=target.gid, text=words.get("text", ""), html_text=words.get("html_text"),
            created_by=access.me(ctx).gid, created_at=access.now(ctx), n=access.story_number(ctx), is_pinned=sent.get("is_pinned", False),
            sticker_name=sent.get("sticker_name"),
        )
    )  # fmt: skip
    if row.is_pinned:
        _only_pin(ctx, row)
    stories.happened(ctx, row, "added", parent=target)
    if isinstance(target, Task):
        caller = access.me(ctx).gid
        stories.touched(
            ctx, target, **({"followers": [*target.followers, caller]} if caller not in target.followers else {})
        )
    return row


def _only_pin(ctx: Ctx, row: Comment) -> None:
    """A task has one pinned comment."""
    for other in ctx.db.find(Comment, target=row.target, is_pinned=True):
        if other.gid != row.gid:
            ctx.db.update(other, is_pinned=False)


@app.post(f"{API}/tasks/{{task_gid}}/stories", tool="create_story_for_task", status=201)
def create_story_for_task(
    ctx: Ctx, task_gid: Gid, text: Text | MISSING = MISSING, html_text: Text | MISSING = MISSING, is_pinned: bool = False,
    sticker_name: Annotated[Sticker | None, Body(mcp=False)] = None, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Comments on a task. Its followers are told.

    task_gid: The task's gid.
    text: The comment, as plain text.
    html_text: The comment as HTML within a body element, instead of text.
    is_pinned: Whether it is pinned to the task.
    """
    return one(ctx, said(ctx, access.task(ctx, task_gid), ctx.sent()), opt_fields)


@app.get(f"{API}/stories/{{story_gid}}", tool="get_story", mcp=False)
def get_story(ctx: Ctx, story_gid: Gid, opt_fields: Fields = None) -> dict[str, Any]:
    """Gets a story.

    story_gid: The story's gid.
    """
    return one(ctx, story(ctx, story_gid), opt_fields)


@app.put(f"{API}/stories/{{story_gid}}", tool="update_story")
def update_story(
    ctx: Ctx, story_gid: Gid, text: Text | MISSING = MISSING, html_text: Annotated[Text | MISSING, Body(mcp=False)] = MISSING,
    is_pinned: bool | MISSING = MISSING, opt_fields: Fields = None,
) -> dict[str, Any]:  # fmt: skip
    """Edits one's own comment, or pins it. What Asana noted itself cannot be edited.

    story_gid: The story's gid.
    text: The comment, as plain text.
    is_pinned: Whether it is pinned to the task.
    """
    row, sent = story(ctx, story_gid), ctx.sent()
    words = richtext.either(sent, "text", "html_text")
    if isinstance(row, Story):
        if words:
            raise bad("text: Cannot edit a system story")
        if "is_pinned" in sent:
            raise bad("is_pinned: Only comments and attachments can be pinned")
        return one(ctx, row, opt_fields)
    if words and row.created_by != access.me(ctx).gid:
        raise forbidden("story")
    if words and not words["text"].strip():
        raise bad("text: Missing input")
    changes: dict[str, Any] = {**words, "is_edited": True} if words and words["text"] != row.text else {}
    if "is_pinned" in sent:
        changes["is_pinned"] = sent["is_pinned"]
    ctx.db.update(row, **changes)
    if row.is_pinned:
        _only_pin(ctx, row)
    if changes:
        stories.changed(ctx, row, "text")
    return one(ctx, row, opt_fields)


@app.delete(f"{API}/stories/{{story_gid}}", tool="delete_story")
def delete_story(ctx: Ctx, story_gid: Gid) -> dict[str, Any]:
    """Deletes one's own comment. What Asana noted itself stays.

    story_gid: The story's gid.
    """
    row = story(ctx, story_gid)
    if isinstance(row, Story):
        raise bad("story: Cannot delete a system story")
    if row.created_by != access.me(ctx).gid:
        raise forbidden("story")
    stories.happened(ctx, row, "deleted")
    ctx.db.delete(row)
    return {}


@app.get(f"{API}/goals/{{goal_gid}}/stories", tool="get_stories_for_goal", mcp=False)
def get_stories_for_goal(
    ctx: Ctx, goal_gid: Gid, limit: Limit = None, offset: Offset = None, opt_fields: Fields = None
) -> Page[Any]:
    """Lists the comments on a goal.

    goal_gid: The goal's gid.
    """
    return page(ctx, of(ctx, access.get(ctx, Goal, goal_gid).gid), opt_fields, limit, offset)


@app.post(f"{API}/goals/{{goal_gid}}/stories", tool="create_story_for_goal", status=201, mcp=False)
def create_story_for_goal(
    ctx: Ctx, goal_gid: Gid, text: Text | MISSING = MISSING, html_text: Text | MISSING = MISSING, opt_fields: Fields = None
) -> dict[str, Any]:  # fmt: skip
    """Comments on a goal.

    goal_gid: The goal's gid.
    text: The comment, as plain text.
    html_text: The comment as HTML within a body element, instead of text.
    """
    return one(ctx, said(ctx, access.get(ctx, Goal, goal_gid), ctx.sent()), opt_fields)
