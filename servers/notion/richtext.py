"""Rich text: runs of text, mentions and equations. https://developers.notion.com/reference/rich-text"""

from typing import Any

from legoenv_mcp.app import Ctx

from .check import Check, array, boolean, enum, nullable, obj, one_of, refuse, text, uuid, validation
from .dates import date
from .models import Database, Page, User

_HUES = ("gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red")
COLORS = ("default", *_HUES, "default_background", *(f"{hue}_background" for hue in _HUES))
SELECT_COLORS = ("default", "gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red")
_STYLES = ("bold", "italic", "strikethrough", "underline", "code")
PLAIN: dict[str, Any] = {**dict.fromkeys(_STYLES, False), "color": "default"}

color = enum(*COLORS)


def _url(ctx: Ctx, value: Any, path: str) -> str:
    url = text(2000)(ctx, value, path)
    if not url.strip():
        raise validation("Invalid URL for link.")
    return url


_with_id = obj({"id": uuid, "object": enum("user")}, ("id",))
_mention = one_of(
    {
        "user": _with_id,
        "date": date,
        "page": obj({"id": uuid}, ("id",)),
        "database": obj({"id": uuid}, ("id",)),
    }
)
_annotations = obj({**dict.fromkeys(_STYLES, boolean), "color": color})


def _ignored(_ctx: Ctx, value: Any, _path: str) -> Any:
    return value


_item = one_of(
    {
        "text": obj(
            {"content": text(2000), "link": nullable(obj({"url": _url, "type": enum("url")}, ("url",)))}, ("content",)
        ),
        "mention": _mention,
        "equation": obj({"expression": text(1000)}, ("expression",)),
    },
    # What an answer carries beside may be sent back as it came.
    {"annotations": _annotations, "plain_text": _ignored, "href": _ignored},
)


def _run(ctx: Ctx, value: Any, path: str) -> dict[str, Any]:
    made = _item(ctx, value, path)
    kind = made["type"]
    if kind == "text":
        link = made["text"].get("link")
        return run(made["text"]["content"], link["url"] if link else None, made.get("annotations"))
    styles = {**PLAIN, **made.get("annotations", {})}
    if kind == "equation":
        plain, href = made["equation"]["expression"], None
    else:
        plain, href = _named(ctx, made["mention"], path)
    return {"type": kind, kind: made[kind], "annotations": styles, "plain_text": plain, "href": href}


def _named(ctx: Ctx, mention: dict[str, Any], path: str) -> tuple[str, str | None]:
    """What a mention reads as, and where it leads."""
    kind = mention["type"]
    if kind == "date":
        when = mention["date"]
        return when["start"] + (f" → {when['end']}" if when["end"] else ""), None
    key = mention[kind]["id"]
    if kind == "user":
        user = ctx.db.get(User, key)
        if user is None:
            refuse(f"{path}.mention.user.id", "a user of this workspace", key)
        mention["user"] = {"object": "user", "id": key}
        return f"@{user.name}", None
    row = ctx.db.get(Page, key) if kind == "page" else ctx.db.get(Database, key)
    return (row.title if row else "") or "Untitled", f"https://www.notion.so/{key.replace('-', '')}"


rich_text: Check = array(_run, 100)


def fresh(ctx: Ctx, rich: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rich text with its mentions as what they name is called now."""
    if all(one["type"] != "mention" for one in rich):
        return rich
    return [_renamed(ctx, one) if one["type"] == "mention" else one for one in rich]


def _renamed(ctx: Ctx, one: dict[str, Any]) -> dict[str, Any]:
    mention = one["mention"]
    if mention["type"] == "user" and ctx.db.get(User, mention["user"]["id"]) is None:
        return one
    text, href = _named(ctx, mention, "")
    return {**one, "plain_text": text, "href": href}


def fresh_content(ctx: Ctx, content: dict[str, Any]) -> dict[str, Any]:
    """A block's content likewise."""
    made: dict[str, Any] = {name: fresh(ctx, content[name]) for name in ("rich_text", "caption") if name in content}
    if "cells" in content:
        made["cells"] = [fresh(ctx, cell) for cell in content["cells"]]
    return {**content, **made}


def run(content: str, url: str | None = None, styles: dict[str, Any] | None = None) -> dict[str, Any]:
    """A run of text as answers show it."""
    return {
        "type": "text",
        "text": {"content": content, "link": {"url": url} if url else None},
        "annotations": {**PLAIN, **(styles or {})},
        "plain_text": content,
        "href": url or None,
    }


def plain(rich: list[dict[str, Any]]) -> str:
    return "".join(one["plain_text"] for one in rich)


def runs(content: str) -> list[dict[str, Any]]:
    """Plain text as rich text, in runs that are not too long."""
    return [run(content[i : i + 2000]) for i in range(0, len(content), 2000)]
