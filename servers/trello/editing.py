"""What is done to cards: made, changed, moved, copied, removed, with the actions that Trello notes of it."""

from typing import Any

from pydantic_core import from_json

from legoenv_mcp.app import Ctx

from . import access
from .activity import note
from .app import invalid
from .models import (
    Attachment,
    Board,
    BoardStar,
    Card,
    CheckItem,
    Checklist,
    Comment,
    CustomField,
    CustomFieldItem,
    Label,
    Membership,
    TrelloList,
)
from .shapes import plain_row

_NOTED = {"name", "desc", "closed", "due", "dueComplete", "start", "pos", "idList", "cover", "isTemplate"}
COVERS = {"pink", "yellow", "lime", "blue", "black", "orange", "red", "purple", "sky", "green", None}


def add_card(ctx: Ctx, column: TrelloList, board: Board, pos: str | float | None, **values: Any) -> Card:
    """A new card at the end of its board's numbers."""
    ctx.db.update(board, last_number=board.last_number + 1)
    now = access.stamp(ctx)
    card = ctx.db.add(
        Card(
            id=access.new_id(ctx), shortLink=access.short_link(ctx), idShort=board.last_number, idBoard=board.id, idList=column.id,
            pos=access.place(pos, access.card_places(ctx, column.id)), idMemberCreator=access.me(ctx).id, dateLastActivity=now,
            dateCompleted=now if values.get("dueComplete") else None, **values,
        )
    )  # fmt: skip
    note(ctx, "createCard", board=board, card=card, column=column)
    return card


def change_card(ctx: Ctx, card: Card, changes: dict[str, Any]) -> Card:
    """Changes fields, whose values are checked already, and notes each kind of change."""
    changes = {name: value for name, value in changes.items() if getattr(card, name) != value}
    if not changes:
        return card
    old = {name: getattr(card, name) for name in changes}
    extra: dict[str, Any] = {}
    if "dueComplete" in changes:
        extra["dateCompleted"] = access.stamp(ctx) if changes["dueComplete"] else None
    ctx.db.update(card, **changes, **extra)
    for key in changes.get("idMembers", []):
        if key not in old["idMembers"]:
            note(ctx, "addMemberToCard", card=card, idMember=key)
    for key in old.get("idMembers", []):
        if key not in card.idMembers:
            note(ctx, "removeMemberFromCard", card=card, idMember=key)
    if "idLabels" in changes:
        _note_labels(ctx, card, old["idLabels"])
    told = {name: value for name, value in old.items() if name in _NOTED}
    if "idList" in old and "idBoard" not in old:
        before, after = ctx.db.get(TrelloList, old["idList"]), ctx.db.get(TrelloList, card.idList)
        ends: dict[str, Any] = {
            name: {"id": row.id, "name": row.name}
            for name, row in (("listBefore", before), ("listAfter", after))
            if row
        }
        note(ctx, "updateCard", card=card, old={"idList": told.pop("idList")}, **ends)
        told.pop("pos", None)
    if "idBoard" in old:  # noted as a move between boards
        told = {name: value for name, value in told.items() if name not in ("idList", "pos")}
    for name, value in told.items():
        note(ctx, "updateCard", card=card, old={name: value})
    if not told and "idBoard" not in old:
        ctx.db.update(card, dateLastActivity=access.stamp(ctx))
    return card


def _note_labels(ctx: Ctx, card: Card, before: list[str]) -> None:
    for kind, keys in (
        ("addLabelToCard", [key for key in card.idLabels if key not in before]),
        ("removeLabelFromCard", [key for key in before if key not in card.idLabels]),
    ):
        for label in ctx.db.find(Label, id__in=keys, order="id"):
            note(ctx, kind, card=card, label={"id": label.id, "name": label.name, "color": label.color})


def cover_of(ctx: Ctx, card: Card, value: Any) -> dict[str, Any]:
    """A cover as it was given, joined to the one that is there; null or empty text removes it."""
    if value is None or value == "":
        return {}
    if isinstance(value, str):  # in a query string it is JSON
        try:
            value = from_json(value)
        except ValueError:
            raise invalid("cover") from None
    if not isinstance(value, dict) or not set(value) <= {"color", "brightness", "size", "idAttachment"}:
        raise invalid("cover")
    if value.get("brightness", "dark") not in ("dark", "light") or value.get("size", "normal") not in (
        "normal",
        "full",
    ):
        raise invalid("cover")
    if not isinstance(value.get("color"), str | None) or value.get("color") not in COVERS:
        raise invalid("color")
    if key := value.get("idAttachment"):
        found = ctx.db.get(Attachment, str(key))
        if found is None or found.idCard != card.id:
            raise invalid("idAttachment")
    one = {"color": None} if value.get("idAttachment") else {"idAttachment": None} if value.get("color") else {}
    return {**card.cover, **one, **value}


def attach_url(ctx: Ctx, card: Card, url: str, name: str | None = None, mime: str = "") -> Attachment:
    """A link on a card."""
    taken = [a.pos for a in ctx.db.find(Attachment, idCard=card.id)]
    made = ctx.db.add(
        Attachment(
            id=access.new_id(ctx), idCard=card.id, idMember=access.me(ctx).id, name=name or url, url=url, mimeType=mime,
            date=access.stamp(ctx), pos=access.place(None, taken),
        )
    )  # fmt: skip
    note(ctx, "addAttachmentToCard", card=card, attachment={"id": made.id, "name": made.name, "url": made.url})
    return made


def to_board(ctx: Ctx, card: Card, board: Board) -> dict[str, Any]:
    """What becomes of a card that goes to another board: members and labels that are not there are left behind, its number is new."""
    known = {m.idMember for m in ctx.db.find(Membership, idBoard=board.id)}
    theirs = {(row.name, row.color): row.id for row in ctx.db.find(Label, idBoard=board.id)}
    labels = [ctx.db.get(Label, key) for key in card.idLabels]
    ctx.db.update(board, last_number=board.last_number + 1)
    note(ctx, "moveCardFromBoard", card=card, boardTarget={"id": board.id})
    for checklist in ctx.db.find(Checklist, idCard=card.id):
        ctx.db.update(checklist, idBoard=board.id)
    for comment in ctx.db.find(Comment, idCard=card.id):
        ctx.db.update(comment, idBoard=board.id)
    ctx.db.delete_where(CustomFieldItem, idCard=card.id)
    return {
        "idBoard": board.id, "idShort": board.last_number, "idMembers": [key for key in card.idMembers if key in known],
        "idLabels": [theirs[row.name, row.color] for row in labels if row and (row.name, row.color) in theirs],
    }  # fmt: skip


def first_list(ctx: Ctx, board: Board) -> TrelloList:
    found = ctx.db.first(TrelloList, idBoard=board.id, closed=False, order="pos,id")
    if found is None:
        raise invalid("idList")
    return found


def remove_checklist(ctx: Ctx, checklist: Checklist) -> None:
    ctx.db.delete_where(CheckItem, idChecklist=checklist.id)
    ctx.db.delete(checklist)


def remove_card(ctx: Ctx, card: Card) -> None:
    """With all that is on it."""
    for checklist in ctx.db.find(Checklist, idCard=card.id):
        remove_checklist(ctx, checklist)
    for kind in (Comment, Attachment, CustomFieldItem):
        ctx.db.delete_where(kind, idCard=card.id)
    ctx.db.delete(card)


def remove_label(ctx: Ctx, label: Label) -> None:
    for card in ctx.db.find(Card, idBoard=label.idBoard):
        if label.id in card.idLabels:
            ctx.db.update(card, idLabels=[key for key in card.idLabels if key != label.id])
    ctx.db.delete(label)


def remove_board(ctx: Ctx, board: Board) -> None:
    for card in ctx.db.find(Card, idBoard=board.id):
        remove_card(ctx, card)
    for kind in (TrelloList, Label, Membership, CustomField, BoardStar):
        ctx.db.delete_where(kind, idBoard=board.id)
    ctx.db.delete(board)


def copy_checklist(ctx: Ctx, source: Checklist, card: Card, name: str, pos: float) -> Checklist:
    made = ctx.db.add(
        Checklist(id=access.new_id(ctx), idBoard=card.idBoard, idCard=card.id, name=name, pos=pos)
    )  # fmt: skip
    for item in ctx.db.find(CheckItem, idChecklist=source.id, order="pos,id"):
        ctx.db.add(CheckItem(**{**plain_row(item), "id": access.new_id(ctx), "idChecklist": made.id}))
    return made


def copy_onto(ctx: Ctx, source: Card, card: Card, kept: set[str]) -> None:
    """What hangs on a card, put on its copy."""
    if "checklists" in kept:
        for checklist in ctx.db.find(Checklist, idCard=source.id, order="pos,id"):
            copy_checklist(ctx, checklist, card, checklist.name, checklist.pos)
    if "attachments" in kept:
        for attachment in ctx.db.find(Attachment, idCard=source.id, order="pos,id"):
            ctx.db.add(Attachment(**{**plain_row(attachment), "id": access.new_id(ctx), "idCard": card.id}))
    if "customFields" in kept and source.idBoard == card.idBoard:
        for item in ctx.db.find(CustomFieldItem, idCard=source.id, order="id"):
            ctx.db.add(CustomFieldItem(**{**plain_row(item), "id": access.new_id(ctx), "idCard": card.id}))
    if "comments" in kept:
        for comment in ctx.db.find(Comment, idCard=source.id, order="id"):
            new = {"id": access.new_id(ctx), "idCard": card.id, "idBoard": card.idBoard}
            ctx.db.add(Comment(**{**plain_row(comment), **new}))
