"""What hangs on cards: members, labels, attachments. https://developer.atlassian.com/cloud/trello/rest/api-group-cards/"""

import base64
import re
from typing import Annotated, Any
from urllib.parse import quote

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx, Query, Reply

from .. import access, editing
from ..activity import note
from ..app import Name, Pos, Text, app, invalid, missing_object
from ..models import Attachment, Card, Label, Member
from ..shapes import ALL_COLORS, SITE, attachment_json, label_json, member_brief, select


@app.get("/1/cards/{id}/members", tool="get_card_members", mcp=False)
def get_card_members(ctx: Ctx, id: str, fields: list[str] | None = None) -> list[dict[str, Any]]:
    """Lists a card's members.

    id: The card's id or short link.
    fields: Which of their fields to show.
    """
    people = [ctx.db.get(Member, key) for key in access.card(ctx, id).idMembers]
    return [select(member_brief(p), fields) for p in people if p]


@app.post("/1/cards/{id}/idMembers", tool="add_member_to_card", effect="update", idempotent=False)
def add_member_to_card(ctx: Ctx, id: str, idMember: Annotated[str, Body("value")]) -> list[dict[str, Any]]:
    """Puts a member of the board on a card and lists the card's members. Somebody who is on it already is refused.

    id: The card's id or short link.
    idMember: The member's id.
    """
    card = access.open_card(ctx, id)
    person = access.named(ctx, Member, "value", idMember, "idMember is a member's id (get_board_members)")
    if person.id in card.idMembers:
        raise ApiError(400, "member is already on the card")
    access.members_in(ctx, card.idBoard, [person.id], "value")
    editing.change_card(ctx, card, {"idMembers": [*card.idMembers, person.id]})
    return get_card_members(ctx, card.id)


@app.post("/1/cards/{id}/members", tool="add_member_to_card_2", effect="update", idempotent=False, mcp=False)
def add_member_to_card_2(ctx: Ctx, id: str, value: str) -> list[dict[str, Any]]:
    """The same under an older name.

    id: The card's id or short link.
    value: The member's id.
    """
    return add_member_to_card(ctx, id, value)


@app.delete("/1/cards/{id}/idMembers/{idMember}", tool="remove_member_from_card")
def remove_member_from_card(ctx: Ctx, id: str, idMember: str) -> list[dict[str, Any]]:
    """Takes a member off a card and lists who is left on it.

    id: The card's id or short link.
    idMember: The member's id.
    """
    card = access.open_card(ctx, id)
    person = ctx.require(Member, idMember)
    if person.id not in card.idMembers:
        raise ApiError(400, "member is not on the card")
    editing.change_card(ctx, card, {"idMembers": [key for key in card.idMembers if key != person.id]})
    return get_card_members(ctx, card.id)


@app.post("/1/cards/{id}/idLabels", tool="add_label_to_card", effect="update", idempotent=False)
def add_label_to_card(ctx: Ctx, id: str, idLabel: Annotated[str, Body("value")]) -> list[str]:
    """Puts a label of the board on a card and lists the ids of its labels. One that is on it already is refused.

    id: The card's id or short link.
    idLabel: The label's id.
    """
    card = access.open_card(ctx, id)
    label = access.named(ctx, Label, "value", idLabel, "idLabel is a label's id (get_board_labels)")
    if label.id in card.idLabels:
        raise ApiError(400, "that label is already on the card")
    access.labels_in(ctx, card.idBoard, [label.id], "value")
    editing.change_card(ctx, card, {"idLabels": [*card.idLabels, label.id]})
    return card.idLabels


@app.post("/1/cards/{id}/labels", tool="create_label_on_card", mcp=False)
def create_label_on_card(ctx: Ctx, id: str, color: str | None, name: Text = "") -> dict[str, Any]:
    """Makes a label on the card's board, or takes the one that is like it, and puts it on the card.

    id: The card's id or short link.
    color: The label's colour; null for none.
    name: The label's name.
    """
    card = access.open_card(ctx, id)
    color = None if color in ("", "null") else color
    if color is not None and color not in ALL_COLORS:
        raise invalid("color")
    like = [x for x in ctx.db.find(Label, idBoard=card.idBoard, name=name) if x.color == color]
    label = like[0] if like else ctx.db.add(Label(id=access.new_id(ctx), idBoard=card.idBoard, name=name, color=color))
    if label.id in card.idLabels:
        raise ApiError(400, "that label is already on the card")
    editing.change_card(ctx, card, {"idLabels": [*card.idLabels, label.id]})
    return label_json(ctx, label)


@app.delete("/1/cards/{id}/idLabels/{idLabel}", tool="remove_label_from_card")
def remove_label_from_card(ctx: Ctx, id: str, idLabel: str) -> dict[str, Any]:
    """Takes a label off a card; the board keeps it.

    id: The card's id or short link.
    idLabel: The label's id.
    """
    card = access.open_card(ctx, id)
    label = ctx.require(Label, idLabel)
    if label.id not in card.idLabels:
        raise ApiError(400, "that label is not on the card")
    editing.change_card(ctx, card, {"idLabels": [key for key in card.idLabels if key != label.id]})
    return {"_value": None}


# Attachments


@app.get("/1/cards/{id}/attachments", tool="get_card_attachments")
def get_card_attachments(
    ctx: Ctx, id: str, fields: Annotated[list[str] | None, Query(mcp=False)] = None, filter: Annotated[str, Query(mcp=False)] = "false"
) -> list[dict[str, Any]]:  # fmt: skip
    """Lists the links and files attached to a card.

    id: The card's id or short link.
    fields: Which of their fields to show.
    filter: `cover` for the cover alone.
    """
    card = access.card(ctx, id)
    rows = ctx.db.find(Attachment, idCard=card.id, order="pos,id")
    if filter == "cover":
        rows = [a for a in rows if a.id == card.cover.get("idAttachment")]
    return [select(attachment_json(a), fields) for a in rows]


@app.post("/1/cards/{id}/attachments", tool="add_attachment_to_card")
def add_attachment_to_card(
    ctx: Ctx, id: str, url: str | None = None, name: str | None = None, mimeType: Text | None = None, setCover: bool | None = None,
    file: Annotated[Any, Body(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Attaches a link to a card.

    id: The card's id or short link.
    url: The address, beginning with http:// or https://.
    name: What to call it; the address by default. At most 256 characters.
    mimeType: The type of what is behind it.
    setCover: Whether it becomes the card's cover.
    file: An uploaded file instead of an address.
    """
    card = access.open_card(ctx, id)
    if name is not None and len(name) > 256:
        raise invalid("name")
    if isinstance(file, dict) and isinstance(file.get("content"), bytes):
        title = name or str(file["filename"]) or "file"
        made = editing.attach_url(ctx, card, "", title, mimeType or str(file["content_type"]))
        ctx.db.update(
            made, isUpload=True, bytes=len(file["content"]), fileName=file["filename"] or title,
            content=base64.b64encode(file["content"]).decode(),
            url=f"{SITE}/1/cards/{card.id}/attachments/{made.id}/download/{quote(file['filename'] or title, safe='')}",
        )  # fmt: skip
    elif url is not None and url.startswith(("http://", "https://")):
        made = editing.attach_url(ctx, card, url, name, mimeType or "")
    else:
        raise invalid("url" if file is None else "file")
    if setCover:
        editing.change_card(ctx, card, {"cover": {"idAttachment": made.id}})
    return attachment_json(made)


def _attachment(ctx: Ctx, card: Card, key: str) -> Attachment:
    found = ctx.require(Attachment, key)
    if found.idCard != card.id:
        raise missing_object()
    return found


@app.get("/1/cards/{id}/attachments/{idAttachment}", tool="get_card_attachment", mcp=False)
def get_card_attachment(ctx: Ctx, id: str, idAttachment: str, fields: list[str] | None = None) -> dict[str, Any]:
    """Shows an attachment.

    id: The card's id or short link.
    idAttachment: The attachment's id.
    fields: Which of its fields to show.
    """
    return select(attachment_json(_attachment(ctx, access.card(ctx, id), idAttachment)), fields)


@app.put("/1/cards/{id}/attachments/{idAttachment}", tool="update_card_attachment", mcp=False)
def update_card_attachment(
    ctx: Ctx, id: str, idAttachment: str, name: Name | MISSING = MISSING, pos: Pos | MISSING = MISSING
) -> dict[str, Any]:  # fmt: skip
    """Renames or moves an attachment.

    id: The card's id or short link.
    idAttachment: The attachment's id.
    name: Its name.
    pos: Its place.
    """
    card = access.open_card(ctx, id)
    found = _attachment(ctx, card, idAttachment)
    sent = ctx.sent()
    if "pos" in sent:
        others = [a.pos for a in ctx.db.find(Attachment, idCard=card.id) if a.id != found.id]
        sent["pos"] = access.place(sent["pos"], others)
    return attachment_json(ctx.db.update(found, **sent))


@app.get("/1/cards/{id}/attachments/{idAttachment}/download/{name}", tool="download_card_attachment", mcp=False)
def download_card_attachment(ctx: Ctx, id: str, idAttachment: str, name: str) -> Reply:
    """The bytes of an uploaded file.

    id: The card's id or short link.
    idAttachment: The attachment's id.
    name: The file's name.
    """
    found = _attachment(ctx, access.card(ctx, id), idAttachment)
    if not found.isUpload:
        raise missing_object()
    kind = found.mimeType if re.fullmatch(r"[a-z]+/[A-Za-z0-9.+-]+", found.mimeType) else "application/octet-stream"
    return Reply(base64.b64decode(found.content), media_type=kind)


@app.delete("/1/cards/{id}/attachments/{idAttachment}", tool="delete_card_attachment")
def delete_card_attachment(ctx: Ctx, id: str, idAttachment: str) -> dict[str, Any]:
    """Takes an attachment off a card.

    id: The card's id or short link.
    idAttachment: The attachment's id.
    """
    card = access.open_card(ctx, id)
    found = _attachment(ctx, card, idAttachment)
    ctx.db.delete(found)
    if card.cover.get("idAttachment") == found.id:
        ctx.db.update(card, cover={})
    note(ctx, "deleteAttachmentFromCard", card=card, attachment={"id": found.id, "name": found.name})
    return {"limits": {}}
