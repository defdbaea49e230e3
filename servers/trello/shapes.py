"""Rows as Trello's JSON: what stands alone. Cards, which draw on many tables, are in `cards`."""

from collections import Counter
from typing import Any

from legoenv_mcp.app import Ctx

from . import access
from .models import (
    Attachment,
    Board,
    BoardStar,
    Card,
    CheckItem,
    Checklist,
    CustomField,
    CustomFieldItem,
    Label,
    Member,
    Membership,
    Organization,
    TrelloList,
    Webhook,
)

SITE = "https://trello.com"


def select(body: dict[str, Any], fields: list[str] | None, *kept: str) -> dict[str, Any]:
    """Only the fields asked for; the id always."""
    wanted = {part.strip() for field in fields or () for part in field.split(",")}
    if fields is None or "all" in wanted:
        return body
    return {name: value for name, value in body.items() if name in wanted or name == "id" or name in kept}


def slug(text: str) -> str:
    """A name as it ends an address."""
    words = "".join(c.lower() if c.isascii() and c.isalnum() else " " for c in text.replace("'", "")).split()
    return "-".join(words)[:60]


def plain_row(row: Any, *hidden: str) -> dict[str, Any]:
    return {name: value for name, value in row.__dict__.items() if name not in hidden and not name.startswith("_")}


def member_brief(row: Member) -> dict[str, Any]:
    return {
        "id": row.id, "activityBlocked": False, "avatarHash": None, "avatarUrl": None, "fullName": row.fullName, "idMemberReferrer": None,
        "initials": row.initials, "nonPublic": {}, "nonPublicAvailable": True, "username": row.username,
    }  # fmt: skip


def member_json(ctx: Ctx, row: Member) -> dict[str, Any]:
    """A member whole. Addresses are shown to the workspace, whose all members are."""
    boards = [m.idBoard for m in ctx.db.find(Membership, idMember=row.id, order="id")]
    organizations = [o.id for o in ctx.db.find(Organization)]
    return {
        **member_brief(row), "bio": row.bio, "bioData": {"emoji": {}}, "confirmed": row.active, "email": row.email,
        "memberType": "normal" if row.active else "deactivated", "url": f"{SITE}/{row.username}", "status": "disconnected",
        "idBoards": [b for b in boards if access.may_see(ctx, ctx.require(Board, b))], "idOrganizations": organizations,
        "idEnterprise": None, "products": [], "prefs": {"locale": "en-US", "colorBlind": False}, "loginTypes": [], "limits": {},
    }  # fmt: skip


def organization_json(ctx: Ctx, row: Organization) -> dict[str, Any]:
    boards = [b for b in ctx.db.find(Board, idOrganization=row.id, order="id") if access.may_see(ctx, b)]
    return {
        "id": row.id, "name": row.name, "displayName": row.displayName, "desc": row.desc, "descData": {"emoji": {}},
        "url": f"{SITE}/w/{row.name}", "website": row.website, "teamType": None, "logoHash": None, "logoUrl": None, "premiumFeatures": [],
        "products": [], "powerUps": [], "idBoards": [b.id for b in boards], "offering": "trello.business_class",
        "membersCount": ctx.db.count(Member, active=True), "prefs": {"permissionLevel": "private"}, "limits": {},
    }  # fmt: skip


def membership_json(ctx: Ctx, row: Membership) -> dict[str, Any]:
    person = ctx.db.get(Member, row.idMember)
    return {
        "id": row.id, "idMember": row.idMember, "memberType": row.memberType, "unconfirmed": False,
        "deactivated": person is not None and not person.active,
    }  # fmt: skip


def board_json(ctx: Ctx, row: Board) -> dict[str, Any]:
    starred = ctx.db.first(BoardStar, idBoard=row.id) is not None
    return {
        "id": row.id, "name": row.name, "desc": row.desc, "descData": None, "closed": row.closed, "dateClosed": row.dateClosed,
        "idOrganization": row.idOrganization, "idEnterprise": None, "idMemberCreator": row.idMemberCreator, "pinned": False,
        "starred": starred, "url": f"{SITE}/b/{row.shortLink}/{slug(row.name)}", "shortUrl": f"{SITE}/b/{row.shortLink}",
        "shortLink": row.shortLink, "subscribed": row.subscribed,
        "prefs": {
            **row.prefs, "hideVotes": False, "isTemplate": False, "calendarFeedEnabled": False, "backgroundColor": "#0079BF",
            "backgroundImage": None, "backgroundBrightness": "dark", "canBePublic": True, "canBeOrg": True, "canBePrivate": True,
        },
        "labelNames": {**dict.fromkeys(COLORS, ""), **row.labelNames}, "limits": {}, "powerUps": [], "idTags": [],
        "dateLastActivity": row.dateLastActivity, "dateLastView": row.dateLastActivity, "enterpriseOwned": False, "ixUpdate": "1",
        "memberships": [membership_json(ctx, m) for m in ctx.db.find(Membership, idBoard=row.id, order="place,id")],
    }  # fmt: skip


COLORS = ("green", "yellow", "orange", "red", "purple", "blue", "sky", "lime", "pink", "black")
"""Colours of labels; each also comes light and dark."""
ALL_COLORS = {f"{c}{shade}" for c in COLORS for shade in ("", "_light", "_dark")}


def list_json(row: TrelloList) -> dict[str, Any]:
    return {
        "id": row.id, "name": row.name, "closed": row.closed, "color": None, "idBoard": row.idBoard, "pos": row.pos,
        "subscribed": row.subscribed, "softLimit": row.softLimit, "type": None, "datasource": {"filter": False},
    }  # fmt: skip


def label_json(ctx: Ctx, row: Label, uses: Counter[str] | None = None) -> dict[str, Any]:
    counts = label_uses(ctx, row.idBoard) if uses is None else uses
    return {"id": row.id, "idBoard": row.idBoard, "name": row.name, "color": row.color, "uses": counts[row.id]}


def label_uses(ctx: Ctx, id_board: str) -> Counter[str]:
    return Counter(label for card in ctx.db.find(Card, idBoard=id_board) for label in card.idLabels)


def item_json(row: CheckItem) -> dict[str, Any]:
    return {
        "id": row.id, "name": row.name, "nameData": {"emoji": {}}, "pos": row.pos, "state": row.state, "due": row.due,
        "dueReminder": row.dueReminder, "idMember": row.idMember, "idChecklist": row.idChecklist,
    }  # fmt: skip


def checklist_json(
    ctx: Ctx, row: Checklist, items: str = "all", item_fields: list[str] | None = None
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": row.id,
        "name": row.name,
        "idBoard": row.idBoard,
        "idCard": row.idCard,
        "pos": row.pos,
    }
    if items != "none":
        found = ctx.db.find(CheckItem, idChecklist=row.id, order="pos,id")
        body["checkItems"] = [select(item_json(i), item_fields) for i in found]
    return body


def attachment_json(row: Attachment) -> dict[str, Any]:
    return {**plain_row(row, "content", "idCard"), "edgeColor": None, "previews": []}


def field_json(row: CustomField) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": row.id, "idModel": row.idBoard, "modelType": "board", "fieldGroup": "", "name": row.name, "pos": row.pos, "type": row.type,
        "display": {"cardFront": row.cardFront}, "isSuggestedField": False,
    }  # fmt: skip
    if row.type == "list":
        body["options"] = row.options
    return body


def field_item_json(row: CustomFieldItem) -> dict[str, Any]:
    return {
        "id": row.id, "idValue": row.idValue, "value": row.value, "idCustomField": row.idCustomField, "idModel": row.idCard,
        "modelType": "card",
    }  # fmt: skip


def webhook_json(row: Webhook) -> dict[str, Any]:
    return {**plain_row(row), "consecutiveFailures": 0, "firstConsecutiveFailDate": None}
