"""Comments and other actions. https://developer.atlassian.com/cloud/trello/rest/api-group-actions/"""

from collections.abc import Callable
from typing import Annotated, Any

from legoenv_mcp.app import ApiError, Ctx, Field, Query, Row

from .. import access
from ..activity import actions, activity_json, comment_json
from ..app import Name, app, missing_object
from ..cards import card_json
from ..fieldwise import one_field
from ..models import Activity, Board, Card, Comment, TrelloList
from ..shapes import board_json, list_json, select


@app.post("/1/cards/{id}/actions/comments", tool="add_comment")
def add_comment(ctx: Ctx, id: str, text: Name) -> dict[str, Any]:
    """Comments on a card.

    id: The card's id or short link.
    text: What to say, in Markdown.
    """
    card = access.card(ctx, id)
    access.may_comment(ctx, card)
    now = access.stamp(ctx)
    made = ctx.db.add(
        Comment(
            id=access.new_id(ctx), idCard=card.id, idBoard=card.idBoard, idMemberCreator=access.me(ctx).id, date=now, text=text,
        )
    )  # fmt: skip
    ctx.db.update(card, dateLastActivity=now)
    ctx.db.update(ctx.require(Board, card.idBoard), dateLastActivity=now)
    return comment_json(ctx, made)


def _comment(ctx: Ctx, key: str, *, mine: bool = False) -> Comment:
    """A comment to write on; only its author may change its text."""
    found = ctx.require(Comment, key)
    access.open_card(ctx, found.idCard)
    if mine and found.idMemberCreator != access.me(ctx).id:
        raise ApiError(401, "unauthorized permission requested")
    return found


def _edit(ctx: Ctx, found: Comment, text: str) -> dict[str, Any]:
    if text != found.text:
        ctx.db.update(found, text=text, dateLastEdited=access.stamp(ctx))
    return comment_json(ctx, found)


def _drop(ctx: Ctx, found: Comment) -> dict[str, Any]:
    """Authors delete their own comments, admins of the board anybody's."""
    if found.idMemberCreator != access.me(ctx).id and not access.admin_of(ctx, found.idBoard):
        raise ApiError(401, "unauthorized permission requested")
    ctx.db.delete(found)
    return {"_value": None}


@app.put("/1/cards/{id}/actions/{idAction}/comments", tool="update_comment")
def update_comment(ctx: Ctx, id: str, idAction: str, text: Name) -> dict[str, Any]:
    """Changes the text of a comment of your own.

    id: The card's id or short link.
    idAction: The comment's action id.
    text: What it says from now on.
    """
    found = _comment(ctx, idAction, mine=True)
    if found.idCard != access.card(ctx, id).id:
        raise missing_object()
    return _edit(ctx, found, text)


@app.delete("/1/cards/{id}/actions/{idAction}/comments", tool="delete_comment")
def delete_comment(ctx: Ctx, id: str, idAction: str) -> dict[str, Any]:
    """Deletes a comment: your own, or anybody's on a board whose admin you are.

    id: The card's id or short link.
    idAction: The comment's action id.
    """
    found = _comment(ctx, idAction)
    if found.idCard != access.card(ctx, id).id:
        raise missing_object()
    return _drop(ctx, found)


def _action(ctx: Ctx, key: str) -> dict[str, Any]:
    if comment := ctx.db.get(Comment, key):
        access.card(ctx, comment.idCard)
        return comment_json(ctx, comment)
    row = ctx.require(Activity, key)
    if row.idBoard and ctx.db.get(Board, row.idBoard):
        access.board(ctx, row.idBoard)
    return activity_json(ctx, row)


@app.get("/1/actions/{id}", tool="get_action", mcp=False)
def get_action(ctx: Ctx, id: str, fields: Annotated[list[str] | None, Query(mcp=False)] = None) -> dict[str, Any]:
    """Shows an action: a comment, or a change that was noted.

    id: The action's id.
    fields: Which of its fields to show.
    """
    return select(_action(ctx, id), fields)


@app.put("/1/actions/{id}", tool="update_action", mcp=False)
def update_action(ctx: Ctx, id: str, text: Name) -> dict[str, Any]:
    """Changes the text of a comment.

    id: The comment's action id.
    text: What it says from now on.
    """
    return _edit(ctx, _comment(ctx, id, mine=True), text)


@app.put("/1/actions/{id}/text", tool="update_action_text", mcp=False)
def update_action_text(ctx: Ctx, id: str, value: Name) -> dict[str, Any]:
    """Changes the text of a comment.

    id: The comment's action id.
    value: What it says from now on.
    """
    return _edit(ctx, _comment(ctx, id, mine=True), value)


@app.delete("/1/actions/{id}", tool="delete_action", mcp=False)
def delete_action(ctx: Ctx, id: str) -> dict[str, Any]:
    """Deletes a comment.

    id: The comment's action id.
    """
    return _drop(ctx, _comment(ctx, id))


_SUBJECTS: dict[str, tuple[type[Row], Callable[[Ctx, Any], dict[str, Any]]]] = {
    "card": (Card, card_json), "list": (TrelloList, lambda _, row: list_json(row)), "board": (Board, board_json),
}  # fmt: skip


@app.get("/1/actions/{id}/{field}", tool="get_action_field", mcp=False)
def get_action_field(ctx: Ctx, id: str, field: str) -> Any:
    """One field of an action, or the card, list or board that it is about.

    id: The action's id.
    field: The field's name.
    """
    action = _action(ctx, id)
    if field in _SUBJECTS and (about := action["data"].get(field)):
        kind, show = _SUBJECTS[field]
        return show(ctx, ctx.require(kind, about["id"]))
    return one_field(ctx, action, "memberCreator" if field == "member" else field)


Limit = Annotated[int, Field(ge=0, le=1000)]
PageNumber = Annotated[int, Field(ge=0, le=1000)]


@app.get("/1/boards/{id}/actions", tool="get_board_actions")
def get_board_actions(
    ctx: Ctx, id: str, filter: str = "all", limit: Limit | None = None, since: str | None = None, before: str | None = None,
    page: PageNumber = 0,
    fields: Annotated[list[str] | None, Query(mcp=False)] = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """What happened on a board, the newest first.

    id: The board's id or short link.
    filter: Kinds of actions with commas between, e.g. commentCard, createCard, updateCard:idList.
    limit: How many at most (20 by default).
    since: Only those after this date or action id.
    before: Only those before this date or action id.
    page: The page, from 0.
    """
    board = access.board(ctx, id)
    return actions(ctx, board=board.id, kinds=filter, limit=limit, since=since, before=before, page=page, fields=fields)


@app.get("/1/lists/{id}/actions", tool="get_list_actions", mcp=False)
def get_list_actions(
    ctx: Ctx, id: str, filter: str = "all", limit: Limit | None = None, since: str | None = None, before: str | None = None,
    page: PageNumber = 0, fields: list[str] | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """What happened in a list, the newest first.

    id: The list's id.
    filter: Kinds of actions with commas between.
    limit: How many at most (20 by default).
    since: Only those after this date or action id.
    before: Only those before this date or action id.
    page: The page, from 0.
    fields: Which of their fields to show.
    """
    column = access.column(ctx, id)
    return actions(
        ctx, column=column.id, kinds=filter, limit=limit, since=since, before=before, page=page, fields=fields
    )


@app.get("/1/members/{id}/actions", tool="get_member_actions", mcp=False)
def get_member_actions(
    ctx: Ctx, id: str, filter: str = "all", limit: Limit | None = None, since: str | None = None, before: str | None = None,
    page: PageNumber = 0, fields: list[str] | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """What a member did, the newest first.

    id: The member's id, username or `me`.
    filter: Kinds of actions with commas between.
    limit: How many at most (20 by default).
    since: Only those after this date or action id.
    before: Only those before this date or action id.
    page: The page, from 0.
    fields: Which of their fields to show.
    """
    person = access.member(ctx, id)
    visible = [b.id for b in ctx.db.find(Board) if access.may_see(ctx, b)]
    return actions(
        ctx,
        creator=person.id,
        kinds=filter,
        limit=limit,
        since=since,
        before=before,
        page=page,
        fields=fields,
        of_boards=visible,
    )
