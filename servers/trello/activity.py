"""Actions: comments, and what Trello itself notes of each change. https://developer.atlassian.com/cloud/trello/guides/rest-api/action-types/"""

from typing import Any

from legoenv_mcp.app import Ctx

from . import access
from .app import invalid, is_id, over_mcp
from .models import Activity, Board, Card, Comment, Member, TrelloList
from .shapes import member_brief, select


def note(
    ctx: Ctx, kind: str, *, board: Board | None = None, card: Card | None = None, column: TrelloList | None = None,
    old: dict[str, Any] | None = None, **data: Any,
) -> None:  # fmt: skip
    """Notes a change, and that there was activity on its card and board."""
    now = access.stamp(ctx)
    if board is None and card is not None:
        board = ctx.db.get(Board, card.idBoard)
    if column is None and card is not None:
        column = ctx.db.get(TrelloList, card.idList)
    told: dict[str, Any] = dict(data)
    if card is not None:
        changed = {name: getattr(card, name) for name in old or {}}
        told["card"] = {
            **changed,
            "id": card.id,
            "name": card.name,
            "idShort": card.idShort,
            "shortLink": card.shortLink,
        }
    if column is not None:
        told.setdefault("list", {"id": column.id, "name": column.name})
    if board is not None:
        told["board"] = {"id": board.id, "name": board.name, "shortLink": board.shortLink}
    if old:
        told["old"] = old
    ctx.db.add(
        Activity(
            id=access.new_id(ctx), type=kind, date=now, idMemberCreator=access.me(ctx).id, idBoard=board.id if board else None,
            idCard=card.id if card else None, idList=column.id if column else None, data=told,
        )
    )  # fmt: skip
    if card is not None and ctx.db.get(Card, card.id) is not None:
        ctx.db.update(card, dateLastActivity=now)
    if board is not None and ctx.db.get(Board, board.id) is not None:
        ctx.db.update(board, dateLastActivity=now)


def comment_json(ctx: Ctx, comment: Comment) -> dict[str, Any]:
    card, board = ctx.db.get(Card, comment.idCard), ctx.db.get(Board, comment.idBoard)
    column = ctx.db.get(TrelloList, card.idList) if card else None
    data: dict[str, Any] = {"idCard": comment.idCard, "text": comment.text, "textData": {"emoji": {}}}
    if comment.dateLastEdited:
        data["dateLastEdited"] = comment.dateLastEdited
    if card:
        data["card"] = {"id": card.id, "name": card.name, "idShort": card.idShort, "shortLink": card.shortLink}
    if board:
        data["board"] = {"id": board.id, "name": board.name, "shortLink": board.shortLink}
    if column:
        data["list"] = {"id": column.id, "name": column.name}
    return _action(ctx, comment.id, "commentCard", comment.date, comment.idMemberCreator, data)


def activity_json(ctx: Ctx, row: Activity) -> dict[str, Any]:
    return _action(ctx, row.id, row.type, row.date, row.idMemberCreator, row.data)


def _action(ctx: Ctx, key: str, kind: str, date: str, creator: str, data: dict[str, Any]) -> dict[str, Any]:
    author = ctx.db.get(Member, creator)
    return {
        "id": key, "idMemberCreator": creator, "data": data, "appCreator": None, "type": kind, "date": access.millis(date), "limits": None,
        "memberCreator": member_brief(author) if author else None,
    }  # fmt: skip


def actions(
    ctx: Ctx, *, board: str | None = None, card: str | None = None, column: str | None = None, creator: str | None = None,
    kinds: str = "all", limit: int | None = None, since: str | None = None, before: str | None = None, page: int = 0,
    fields: list[str] | None = None, of_boards: list[str] | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """The actions on an object, the newest first. Ids begin with the time, so their order is that of time."""
    wanted = {k.strip() for k in kinds.split(",") if k.strip()}
    if not all(_known(kind) for kind in wanted):
        raise invalid("filter", "kinds of actions such as commentCard, createCard, updateCard:idList, or all")
    everything = not wanted or "all" in wanted
    limit = limit if limit is not None else 20 if over_mcp(ctx) else 50
    low, high = bound("since", since), bound("before", before)
    rows = list[Comment | Activity]()
    if everything or wanted & {"commentCard", "copyCommentCard"}:
        cards = [card] if card else None
        if column:
            cards = [c.id for c in ctx.db.find(Card, idList=column)]
        rows += ctx.db.find(
            Comment, idBoard=board, idBoard__in=of_boards, idCard__in=cards, idMemberCreator=creator, id__gt=low, id__lt=high
        )  # fmt: skip
    if wanted != {"commentCard"}:
        found = ctx.db.find(
            Activity, idBoard=board, idBoard__in=of_boards, idCard=card, idList=column, idMemberCreator=creator, id__gt=low, id__lt=high
        )  # fmt: skip
        rows += [
            a
            for a in found
            if everything or a.type in wanted or any(f"{a.type}:{f}" in wanted for f in a.data.get("old", {}))
        ]
    rows.sort(key=lambda row: row.id, reverse=True)
    chosen = rows[page * limit : (page + 1) * limit]
    made = [comment_json(ctx, r) if isinstance(r, Comment) else activity_json(ctx, r) for r in chosen]
    return [select(action, fields) for action in made]


_OF = (
    "Board",
    "Card",
    "CheckItem",
    "Checklist",
    "CustomField",
    "CustomFieldItem",
    "Label",
    "List",
    "Member",
    "Organization",
    "Webhook",
)
_KINDS = {
    *(f"{verb}{thing}" for verb in ("create", "update", "delete", "copy") for thing in _OF),
    *(f"{verb}{what}" for verb in ("add", "remove") for what in (
        "AdminToBoard", "AdminToOrganization", "AttachmentToCard", "AttachmentFromCard", "ChecklistToCard", "ChecklistFromCard",
        "LabelToCard", "LabelFromCard", "MemberToBoard", "MemberFromBoard", "MemberToCard", "MemberFromCard", "MemberToOrganization",
        "MemberFromOrganization", "ToOrganizationBoard", "FromOrganizationBoard", "BoardsPinnedToMember",
    )),
    *(f"{verb}PowerUp" for verb in ("enable", "disable")), *(f"{verb}Plugin" for verb in ("enable", "disable")),
    "all", "none", "commentCard", "copyCommentCard", "convertToCardFromCheckItem", "deleteAttachmentFromCard", "deleteBoardInvitation",
    "deleteOrganizationInvitation", "emailCard", "makeAdminOfBoard", "makeAdminOfOrganization", "makeNormalMemberOfBoard",
    "makeNormalMemberOfOrganization", "makeObserverOfBoard", "memberJoinedTrello", "moveCardFromBoard", "moveCardToBoard",
    "moveListFromBoard", "moveListToBoard", "reactToCard", "unconfirmedBoardInvitation", "unconfirmedOrganizationInvitation",
    "updateCheckItemStateOnCard", "voteOnCard", "addBoardsPinnedToMember", "acceptEnterpriseJoinRequest",
}  # fmt: skip


def _known(kind: str) -> bool:
    """Whether there is such a kind of action; a field may follow what updates are called."""
    name, colon, _ = kind.partition(":")
    return name in _KINDS and (not colon or name.startswith("update"))


def bound(name: str, text: str | None) -> str | None:
    """An id or a date as the place in the order of ids."""
    if text is None or text in ("", "null"):
        return None
    if is_id(text):
        return text
    try:
        seconds = int(Ctx.parse_time(text).timestamp())
    except (ValueError, OverflowError):
        raise invalid(name, "a date as ISO 8601 has it, or an id") from None
    return f"{min(max(seconds, 0), 0xFFFFFFFF):08x}"
