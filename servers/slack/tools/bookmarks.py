"""bookmarks.*: links at the top of a channel. https://docs.slack.dev/reference/methods?family=bookmarks"""

import re
from typing import Any

from legoenv_mcp.app import MISSING, UPPER36, Ctx

from ..access import conversation, is_member, me
from ..app import app, err
from ..models import Bookmark, Conversation
from ..resources import team

MAX_BOOKMARKS = 100


def _shown(ctx: Ctx, row: Bookmark) -> dict[str, Any]:
    return {
        "id": row.id,
        "channel_id": row.channel_id,
        "title": row.title,
        "link": row.link,
        "emoji": row.emoji,
        "icon_url": None,
        "type": row.type,
        "entity_id": None,
        "date_created": row.date_created,
        "date_updated": row.date_updated,
        "rank": f"{row.rank:04d}",
        "last_updated_by_user_id": row.last_updated_by_user_id,
        "last_updated_by_team_id": team(ctx).id,
        "shortcut_id": None,
        "app_id": None,
    }


def _place(ctx: Ctx, channel_id: str) -> Conversation:
    row = conversation(ctx, channel_id)
    if not is_member(ctx, row.id, me(ctx)) or row.is_archived:
        raise err("permission_denied")
    return row


def _link(given: str | None) -> str:
    if not given or not re.fullmatch(r"https?://\S+", given) or len(given) > 3000:
        raise err("invalid_link")
    return given


def _emoji(given: str | None) -> str:
    if given and not re.fullmatch(r":[a-z0-9_+'-]+:", given):
        raise err("invalid_emoji")
    return given or ""


def _title(given: str) -> str:
    if not given.strip():
        raise err("invalid_arguments", "missing required field: title")
    return given


def _bookmark(ctx: Ctx, place: Conversation, bookmark_id: str) -> Bookmark:
    found = ctx.db.get(Bookmark, bookmark_id)
    if found is None or found.channel_id != place.id:
        raise err("not_found")
    return found


@app.post("/api/bookmarks.add", tool="add_bookmark", also=("GET",))
def add_bookmark(
    ctx: Ctx, channel_id: str, title: str, link: str | None = None, type: str = "link", emoji: str | None = None
) -> dict[str, Any]:
    """Adds a link to the bookmarks at the top of a channel.

    channel_id: The channel's id.
    title: What the bookmark is called.
    link: The address, beginning with http:// or https://.
    type: The kind of bookmark, which is link.
    emoji: An emoji to show with it, in colons.
    """
    place = _place(ctx, channel_id)
    if type != "link":
        raise err("invalid_bookmark_type")
    count = ctx.db.count(Bookmark, channel_id=place.id)
    if count >= MAX_BOOKMARKS:
        raise err("too_many_bookmarks")
    now = ctx.epoch()
    row = ctx.db.add(
        Bookmark(
            id=ctx.id("Bk", 9, UPPER36),
            channel_id=place.id,
            title=_title(title),
            link=_link(link),
            emoji=_emoji(emoji),
            rank=count + 1,
            date_created=now,
            last_updated_by_user_id=me(ctx),
        )
    )
    return {"bookmark": _shown(ctx, row)}


@app.post("/api/bookmarks.edit", tool="edit_bookmark", effect="update", also=("GET",), mcp=False)
def edit_bookmark(
    ctx: Ctx,
    channel_id: str,
    bookmark_id: str,
    title: str | MISSING = MISSING,
    link: str | MISSING = MISSING,
    emoji: str | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes a bookmark's title, link or emoji.

    channel_id: The channel's id.
    bookmark_id: The bookmark's id.
    title: The new title.
    link: The new address.
    emoji: The new emoji, in colons.
    """
    row, sent = _bookmark(ctx, _place(ctx, channel_id), bookmark_id), ctx.sent()
    checks = {"title": _title, "link": _link, "emoji": _emoji}
    changes = {name: check(sent[name]) for name, check in checks.items() if name in sent}
    if changes:
        ctx.db.update(row, **changes, date_updated=ctx.epoch(), last_updated_by_user_id=me(ctx))
    return {"bookmark": _shown(ctx, row)}


@app.post("/api/bookmarks.list", tool="list_bookmarks", effect="read", also=("GET",))
def list_bookmarks(ctx: Ctx, channel_id: str) -> dict[str, Any]:
    """Lists a channel's bookmarks in their order.

    channel_id: The channel's id.
    """
    place = conversation(ctx, channel_id)
    return {"bookmarks": [_shown(ctx, b) for b in ctx.db.find(Bookmark, channel_id=place.id, order="rank")]}


@app.post("/api/bookmarks.remove", tool="remove_bookmark", effect="delete", also=("GET",))
def remove_bookmark(ctx: Ctx, channel_id: str, bookmark_id: str) -> None:
    """Removes a bookmark from a channel.

    channel_id: The channel's id.
    bookmark_id: The bookmark's id.
    """
    ctx.db.delete(_bookmark(ctx, _place(ctx, channel_id), bookmark_id))
