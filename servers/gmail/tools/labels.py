"""Labels. https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.labels"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, ApiError, Body, Ctx

from .. import mailbox
from ..app import UserId, app, refuse
from ..compose import Ignored
from ..fields import answers
from ..models import Color, Label, Message
from ..resources import label_counts, label_json

MessageVisibility = Literal["show", "hide"]
ListVisibility = Literal["labelShow", "labelShowIfUnread", "labelHide"]
BodyId = Annotated[Any, Body("id", mcp=False)]

RESERVED = frozenset(
    {
        "inbox",
        "spam",
        "trash",
        "bin",
        "unread",
        "starred",
        "important",
        "sent",
        "draft",
        "drafts",
        "chat",
        "chats",
        "read",
        "anywhere",
    }
    | {"all", "muted", "snoozed", "scheduled", "outbox", "archive"}
)
"""Names that searching uses for places of its own."""

_COLORS = """
    #000000 #434343 #666666 #999999 #cccccc #efefef #f3f3f3 #ffffff #fb4c2f #ffad47 #fad165 #16a766 #43d692 #4a86e8 #a479e2
    #f691b3 #f6c5be #ffe6c7 #fef1d1 #b9e4d0 #c6f3de #c9daf8 #e4d7f5 #fcdee8 #efa093 #ffd6a2 #fce8b3 #89d3b2 #a0eac9 #a4c2f4
    #d0bcf1 #fbc8d9 #e66550 #ffbc6b #fcda83 #44b984 #68dfa9 #6d9eeb #b694e8 #f7a7c0 #cc3a21 #eaa041 #f2c960 #149e60 #3dc789
    #3c78d8 #8e63ce #e07798 #ac2b16 #cf8933 #d5ae49 #0b804b #2a9c68 #285bac #653e9b #b65775 #822111 #a46a21 #aa8831 #076239
    #1a764d #1c4587 #41236d #83334c #464646 #e7e7e7 #0d3472 #b6cff5 #0d3b44 #98d7e4 #3d188e #e3d7ff #711a36 #fbd3e0 #8a1c0a
    #f2b2a8 #7a2e0b #ffc8af #7a4706 #ffdeb5 #594c05 #fbe983 #684e07 #fdedc1 #0b4f30 #b3efd3 #04502e #a2dcc1 #c2c2c2 #4986e7
    #2da2bb #b99aff #994a64 #f691b2 #ff7537 #ffad46 #662e37 #ebdbde #cca6ac #094228 #42d692 #16a765 #757575 #1e53b8 #007286
    #7858c3 #c2185b #d93025 #54240e #633e04 #521d28 #202124 #083018
"""
PALETTE = frozenset(_COLORS.split())


def check_name(ctx: Ctx, name: str, own: str = "") -> str:
    """A label name that may be given; no other label may have it, in whatever case."""
    plain = name.strip()
    if not plain or len(plain) > 225 or plain.casefold() in RESERVED or plain.casefold().startswith("category_"):
        raise refuse("Invalid label name")
    if any(not part.strip() for part in plain.split("/")):
        raise refuse("Invalid label name")
    for label in ctx.db.find(Label):
        if label.id != own and label.name.casefold() == plain.casefold():
            raise ApiError(409, "Label name exists or conflicts")
    return plain


def check_color(color: Color | None) -> Color | None:
    if color is None or (color.textColor is None and color.backgroundColor is None):
        return None
    for shown in (color.backgroundColor, color.textColor):
        if shown is None:
            raise refuse("Label color must have both a background and a text color")
        if shown not in PALETTE:
            raise refuse(f"Label color {shown} is not on the allowed color palette")
    return color


@app.get("/gmail/v1/users/{userId}/labels", tool="list_labels")
@answers("ListLabelsResponse")
def list_labels(ctx: Ctx, userId: UserId = "me") -> dict[str, Any]:
    """Lists all labels, the system's (INBOX, SENT, UNREAD ...) and the mailbox's own, with the ids that other tools take."""
    return {"labels": [label_json(label) for label in ctx.db.find(Label, order="number")]}


@app.get("/gmail/v1/users/{userId}/labels/{id}", tool="get_label")
@answers("Label")
def get_label(ctx: Ctx, id: str, userId: UserId = "me") -> dict[str, Any]:
    """Gets a label, with how many messages and threads have it and how many of them are unread.

    id: The label's id.
    """
    label = ctx.require(Label, id)
    return {**label_json(label), **label_counts(ctx, label.id)}


@app.post("/gmail/v1/users/{userId}/labels", tool="create_label")
@answers("Label")
def create_label(
    ctx: Ctx, name: str, userId: UserId = "me", labelListVisibility: ListVisibility = "labelShow",
    messageListVisibility: MessageVisibility = "show", color: Color | None = None, id: Ignored = None, type: Ignored = None,
    messagesTotal: Ignored = None, messagesUnread: Ignored = None, threadsTotal: Ignored = None, threadsUnread: Ignored = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a label. A slash in the name nests it under another one.

    name: The label's name; no other label may have it, in whatever case.
    labelListVisibility: Whether the label is shown in the list of labels.
    messageListVisibility: Whether the label is shown on messages.
    color: The label's textColor and backgroundColor, both as #rrggbb from Gmail's palette.
    """
    plain, shown = check_name(ctx, name), check_color(color)
    number = ctx.sequence("label")
    label = ctx.db.add(Label(
        id=f"Label_{number}", name=plain, labelListVisibility=labelListVisibility, messageListVisibility=messageListVisibility,
        color=shown, number=100 + number,
    ))  # fmt: skip
    return label_json(label)


def _user_label(ctx: Ctx, label_id: str, word: str) -> Label:
    label = ctx.require(Label, label_id)
    if label.type == "system":
        raise refuse(f"Invalid {word} request")
    return label


@app.patch("/gmail/v1/users/{userId}/labels/{id}", tool="update_label")
@answers("Label")
def update_label(
    ctx: Ctx, id: str, userId: UserId = "me", name: str | MISSING = MISSING, labelListVisibility: ListVisibility | MISSING = MISSING,
    messageListVisibility: MessageVisibility | MISSING = MISSING, color: Color | None | MISSING = MISSING, body_id: BodyId = None,
    type: Ignored = None, messagesTotal: Ignored = None, messagesUnread: Ignored = None, threadsTotal: Ignored = None,
    threadsUnread: Ignored = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes the fields of a label that are given. System labels cannot be changed.

    id: The label's id.
    name: The label's new name.
    labelListVisibility: Whether the label is shown in the list of labels.
    messageListVisibility: Whether the label is shown on messages.
    color: The label's textColor and backgroundColor; null for none.
    """
    label = _user_label(ctx, id, "update")
    changes = {
        n: v for n, v in ctx.sent().items() if n in ("name", "labelListVisibility", "messageListVisibility", "color")
    }
    if "name" in changes:
        changes["name"] = check_name(ctx, changes["name"], label.id)
    if "color" in changes:
        changes["color"] = check_color(changes["color"])
    return label_json(ctx.db.update(label, **changes))


@app.put("/gmail/v1/users/{userId}/labels/{id}", tool="replace_label", mcp=False)
@answers("Label")
def replace_label(
    ctx: Ctx, id: str, userId: UserId = "me", name: str = "", labelListVisibility: ListVisibility = "labelShow",
    messageListVisibility: MessageVisibility = "show", color: Color | None = None, body_id: BodyId = None, type: Ignored = None,
    messagesTotal: Ignored = None, messagesUnread: Ignored = None, threadsTotal: Ignored = None, threadsUnread: Ignored = None,
) -> dict[str, Any]:  # fmt: skip
    """Replaces a label: what is left out goes back to its default. System labels cannot be changed.

    id: The label's id.
    name: The label's name.
    labelListVisibility: Whether the label is shown in the list of labels.
    messageListVisibility: Whether the label is shown on messages.
    color: The label's textColor and backgroundColor.
    """
    label = _user_label(ctx, id, "update")
    changes = {
        "name": check_name(ctx, name, label.id), "labelListVisibility": labelListVisibility,
        "messageListVisibility": messageListVisibility, "color": check_color(color),
    }  # fmt: skip
    return label_json(ctx.db.update(label, **changes))


@app.delete("/gmail/v1/users/{userId}/labels/{id}", tool="delete_label", status=204)
def delete_label(ctx: Ctx, id: str, userId: UserId = "me") -> None:
    """Deletes a label and takes it off every message that has it. System labels cannot be deleted.

    id: The label's id.
    """
    label = _user_label(ctx, id, "delete")
    held = "EXISTS (SELECT 1 FROM json_each(message.label_ids) WHERE value = ?)"
    for message in ctx.db.where(Message, held, [label.id]):
        mailbox.relabel(ctx, message, remove=[label.id])
    ctx.db.delete(label)
