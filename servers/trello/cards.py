"""Cards as JSON, with their badges and what is nested in them; and the lists of cards that endpoints answer."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from legoenv_mcp.app import Ctx

from . import activity
from .app import invalid, over_mcp
from .models import (
    Attachment,
    Board,
    Card,
    CheckItem,
    Checklist,
    Comment,
    CustomFieldItem,
    Label,
    Member,
    TrelloList,
)
from .shapes import (
    SITE,
    attachment_json,
    board_json,
    checklist_json,
    field_item_json,
    list_json,
    member_brief,
    select,
    slug,
)

MOST = 1000
SOME = 50
"""How many cards an agent gets where it names no limit."""
_GLANCE = ["name", "due", "dueComplete", "closed", "idList", "idMembers", "labels", "idShort", "url"]


@dataclass(frozen=True)
class Nested:
    """What of a card's surroundings to put into it."""

    members: bool = False
    member_fields: list[str] | None = None
    checklists: bool = False
    checklist_fields: list[str] | None = None
    attachments: bool = False
    attachment_fields: list[str] | None = None
    custom_fields: bool = False
    actions: str = ""
    board: bool = False
    list: bool = False


def _by_card(rows: Iterable[Any]) -> dict[str, list[Any]]:
    found = defaultdict[str, list[Any]](list)
    for row in rows:
        found[row.idCard].append(row)
    return found


def cards_json(
    ctx: Ctx, cards: Sequence[Card], fields: list[str] | None = None, nested: Nested | None = None
) -> list[dict[str, Any]]:
    """Cards whole, read with a few queries however many they are."""
    nested = nested or Nested()
    ids = [c.id for c in cards]
    labels = {row.id: row for row in ctx.db.find(Label, idBoard__in={c.idBoard for c in cards})}
    checklists = _by_card(ctx.db.find(Checklist, idCard__in=ids, order="pos,id"))
    attachments = _by_card(ctx.db.find(Attachment, idCard__in=ids, order="pos,id"))
    comments = _by_card(ctx.db.find(Comment, idCard__in=ids))
    items = defaultdict[str, list[CheckItem]](list)
    for item in ctx.db.find(CheckItem, idChecklist__in=[c.id for found in checklists.values() for c in found]):
        items[item.idChecklist].append(item)
    out = list[dict[str, Any]]()
    for card in cards:
        boxes = [item for c in checklists[card.id] for item in items[c.id]]
        body = _card(
            card,
            [labels[key] for key in card.idLabels if key in labels],
            boxes,
            comments[card.id],
            attachments[card.id],
        )
        body["idChecklists"] = [c.id for c in checklists[card.id]]
        kept = list[str]()
        for name, value in _inside(ctx, card, nested, checklists[card.id], attachments[card.id]):
            body[name] = value
            kept.append(name)
        out.append(select(body, fields, *kept))
    return out


def card_json(ctx: Ctx, card: Card, fields: list[str] | None = None, nested: Nested | None = None) -> dict[str, Any]:
    return cards_json(ctx, [card], fields, nested)[0]


def _card(
    card: Card, labels: list[Label], boxes: list[CheckItem], comments: list[Comment], attachments: list[Attachment]
) -> dict[str, Any]:  # fmt: skip
    url = f"{SITE}/c/{card.shortLink}"
    cover: dict[str, Any] = {
        "idAttachment": None, "color": None, "idUploadedBackground": None, "size": "normal", "brightness": "dark", "idPlugin": None,
    }  # fmt: skip
    dues = sorted(box.due for box in boxes if box.due and box.state == "incomplete")
    return {
        "id": card.id, "name": card.name, "desc": card.desc, "descData": {"emoji": {}}, "closed": card.closed, "idBoard": card.idBoard,
        "idList": card.idList, "idShort": card.idShort, "shortLink": card.shortLink, "shortUrl": url,
        "url": f"{url}/{card.idShort}-{slug(card.name)}", "pos": card.pos, "start": card.start, "due": card.due,
        "dueComplete": card.dueComplete, "dateCompleted": card.dateCompleted, "dueReminder": card.dueReminder,
        "dateLastActivity": card.dateLastActivity, "idMembers": card.idMembers, "idMembersVoted": card.idMembersVoted,
        "idLabels": card.idLabels,
        "labels": [{"id": x.id, "idBoard": x.idBoard, "name": x.name, "color": x.color} for x in labels],
        "idChecklists": [], "idMemberCreator": card.idMemberCreator,
        "checkItemStates": [{"idCheckItem": box.id, "state": box.state} for box in boxes if box.state == "complete"],
        "idAttachmentCover": card.cover.get("idAttachment"), "manualCoverAttachment": False, "cover": {**cover, **card.cover},
        "subscribed": card.subscribed, "isTemplate": card.isTemplate, "cardRole": None, "address": card.address,
        "locationName": card.locationName, "coordinates": card.coordinates,
        "badges": {
            "attachments": len(attachments),
            "attachmentsByType": {"trello": {"board": 0, "card": sum("trello.com/c/" in a.url for a in attachments)}},
            "checkItems": len(boxes), "checkItemsChecked": sum(box.state == "complete" for box in boxes),
            "checkItemsEarliestDue": dues[0] if dues else None, "comments": len(comments), "description": bool(card.desc), "due": card.due,
            "dueComplete": card.dueComplete, "start": card.start, "lastUpdatedByAi": False, "location": card.coordinates is not None,
            "subscribed": card.subscribed, "viewingMemberVoted": False, "votes": len(card.idMembersVoted), "fogbugz": "",
        },
    }  # fmt: skip


def _inside(
    ctx: Ctx, card: Card, nested: Nested, checklists: list[Checklist], attachments: list[Attachment]
) -> Iterable[tuple[str, Any]]:  # fmt: skip
    if nested.members:
        people = [ctx.db.get(Member, key) for key in card.idMembers]
        yield "members", [select(member_brief(p), nested.member_fields) for p in people if p]
    if nested.checklists:
        yield "checklists", [select(checklist_json(ctx, c), nested.checklist_fields, "checkItems") for c in checklists]
    if nested.attachments:
        yield "attachments", [select(attachment_json(a), nested.attachment_fields) for a in attachments]
    if nested.custom_fields:
        yield "customFieldItems", [field_item_json(i) for i in ctx.db.find(CustomFieldItem, idCard=card.id)]
    if nested.actions:
        yield "actions", activity.actions(ctx, card=card.id, kinds=nested.actions)
    if nested.board:
        yield "board", board_json(ctx, ctx.require(Board, card.idBoard))
    if nested.list:
        yield "list", list_json(ctx.require(TrelloList, card.idList))


def chosen(ctx: Ctx, cards: Iterable[Card], which: str) -> list[Card]:
    """Cards by their state: `open` are not archived, `visible` not archived and in a list that is not."""
    if which == "none":
        return []
    if which == "all":
        return list(cards)
    if which == "closed":
        return [c for c in cards if c.closed]
    still = [c for c in cards if not c.closed]
    if which == "open":
        return still
    if which == "visible":
        shut = {row.id for row in ctx.db.find(TrelloList, closed=True)}
        return [c for c in still if c.idList not in shut]
    raise invalid("filter")


def listing(
    ctx: Ctx, cards: Iterable[Card], which: str, *, limit: int | None = None, since: str | None = None, before: str | None = None,
    fields: list[str] | None = None, nested: Nested | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Cards in their order. Where there are more than `limit`, the newest: earlier ones are `before` the smallest id."""
    low, high = activity.bound("since", since), activity.bound("before", before)
    found = [c for c in chosen(ctx, cards, which) if (low is None or c.id > low) and (high is None or c.id < high)]
    most = limit if limit is not None else SOME if over_mcp(ctx) else MOST
    if len(found) > most:
        keep = {c.id for c in sorted(found, key=lambda c: c.id, reverse=True)[:most]}
        found = [c for c in found if c.id in keep]
    order = {row.id: row.pos for row in ctx.db.find(TrelloList, id__in={c.idList for c in found})}
    found.sort(key=lambda c: (order.get(c.idList, 0), c.pos, c.id))
    return cards_json(ctx, found, fields if fields is not None else _GLANCE if over_mcp(ctx) else None, nested)
