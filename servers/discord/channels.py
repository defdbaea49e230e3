"""What creating, changing and removing channels have in common."""

import re
from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import Ctx, Field

from . import access as a
from . import posting
from .app import err, form
from .models import Channel, Invite, Member, Message, Notice, Overwrite, Recipient, Role, Thread_Member, Webhook

KINDS = (a.TEXT, a.VOICE, a.CATEGORY, a.NEWS, a.STAGE, a.FORUM)
ARCHIVE_AFTER = (60, 1440, 4320, 10080)
_MOST = 500


class PermissionOverwrite(TypedDict, total=False):
    """What a role or member may do in a channel, other than in the server."""

    id: Annotated[a.Snowflake, Field(description="Id of the role or user")]
    type: Annotated[int, Field(description="0 for a role, 1 for a member")]
    allow: Annotated[str, Field(description="Permission bits given, as a decimal number")]
    deny: Annotated[str, Field(description="Permission bits taken, as a decimal number")]


Bits = Annotated[str | int | None, Field(description="Permission bits as a decimal number")]


def bits(value: Any, path: str) -> int:
    """A bitfield from its decimal text."""
    text = str(value if value is not None else 0)
    if not re.fullmatch(r"[0-9]{1,16}", text):
        raise form(path, "NUMBER_TYPE_COERCE", f'Value "{text[:40]}" is not int.')
    return int(text) & a.ALL


def check_name(name: str, kind: int) -> str:
    """A channel's name; those of text channels are lower case without spaces."""
    plain = name.strip()
    if kind in (a.TEXT, a.NEWS, a.FORUM):
        plain = re.sub(r"[\s-]+", "-", re.sub(r"[!-,./:-@\[-^`{-~]", "", plain.lower()))
        plain = plain.strip("-") or plain
    if not 1 <= len(plain) <= 100:
        raise form("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
    return plain


def check_parent(ctx: Ctx, parent_id: str | None, kind: int) -> str | None:
    if parent_id is None:
        return None
    found = ctx.db.get(Channel, parent_id)
    if found is None:
        raise form("parent_id", "CHANNEL_PARENT_INVALID", "Category does not exist")
    if found.type != a.CATEGORY or kind == a.CATEGORY:
        raise form("parent_id", "CHANNEL_PARENT_INVALID_TYPE", "Not a category")
    if ctx.db.count(Channel, parent_id=parent_id) >= 50:
        raise form("parent_id", "CHANNEL_PARENT_MAX_CHANNELS", "Maximum number of channels in category reached (50)")
    return parent_id


def check_archive(minutes: int, path: str = "auto_archive_duration") -> int:
    if minutes not in ARCHIVE_AFTER:
        raise form(path, "BASE_TYPE_CHOICES", f'Value "{minutes}" must be one of {ARCHIVE_AFTER}.')
    return minutes


def check_room(ctx: Ctx) -> None:
    if ctx.db.count(Channel, type__in=KINDS) >= _MOST:
        raise form("guild_id", "CHANNELS_MAX", f"Maximum number of server channels reached ({_MOST})")


def check_overwrites(ctx: Ctx, given: list[Any] | None) -> list[dict[str, Any]]:
    """Overwrites as columns, of roles and members that are there, within what the caller may grant."""
    made = dict[str, dict[str, Any]]()
    for n, one in enumerate(given or []):
        if "id" not in one:
            raise form(f"permission_overwrites.{n}.id", "BASE_TYPE_REQUIRED", "This field is required")
        kind = one.get("type", 0)
        allow = bits(one.get("allow"), f"permission_overwrites.{n}.allow")
        deny = bits(one.get("deny"), f"permission_overwrites.{n}.deny")
        made[one["id"]] = checked(ctx, one["id"], kind, allow, deny)
    return list(made.values())


def checked(ctx: Ctx, id: str, kind: int, allow: int, deny: int) -> dict[str, Any]:
    if kind not in (0, 1):
        raise form("type", "BASE_TYPE_CHOICES", f'Value "{kind}" must be one of (0, 1).')
    if ctx.db.get(Role, id) is None if kind == 0 else ctx.db.get(Member, id) is None:
        raise err(10009)
    a.grants(ctx, allow | deny)
    return {"id": id, "type": kind, "allow": allow & ~deny, "deny": deny}


def place_overwrites(ctx: Ctx, channel_id: str, rows: list[dict[str, Any]]) -> None:
    """Puts these overwrites in the place of a channel's; those that stay the same are not touched."""
    wanted = {row["id"]: row for row in rows}
    for old in ctx.db.find(Overwrite, channel_id=channel_id):
        new = wanted.pop(old.id, None)
        if new is None:
            ctx.db.delete(old)
        elif (new["allow"], new["deny"]) != (old.allow, old.deny):
            ctx.db.update(old, allow=new["allow"], deny=new["deny"])
    for row in wanted.values():
        ctx.db.add(Overwrite(channel_id=channel_id, **row))


def next_position(ctx: Ctx, kind: int, parent_id: str | None) -> int:
    kinds = (a.CATEGORY,) if kind == a.CATEGORY else (a.VOICE, a.STAGE) if kind in (a.VOICE, a.STAGE) else (0, 5, 15)
    beside = ctx.db.find(Channel, type__in=kinds)
    return max((c.position + 1 for c in beside if c.parent_id == parent_id), default=0)


def remove(ctx: Ctx, channel: Channel) -> None:
    """Removes a channel with all that is in it. A category's channels stay, without it."""
    for child in ctx.db.find(Channel, parent_id=channel.id):
        if child.type in a.THREADS:
            remove(ctx, child)
        else:
            ctx.db.update(child, parent_id=None)
    for row in ctx.db.find(Message, channel_id=channel.id):
        posting.erase(ctx, row)
    for kind in (Notice, Overwrite, Invite, Webhook, Recipient):
        ctx.db.delete_where(kind, channel_id=channel.id)
    ctx.db.delete_where(Thread_Member, thread_id=channel.id)
    server = a.the_guild(ctx)
    held = [n for n in ("afk_channel_id", "system_channel_id", "rules_channel_id") if getattr(server, n) == channel.id]
    if held:
        ctx.db.update(server, **dict.fromkeys(held))
    ctx.db.delete(channel)


class Place(TypedDict, total=False):
    """A new position of a role."""

    id: Annotated[a.Snowflake, Field(description="The role's id")]
    position: Annotated[int, Field(description="Its new position, 1 or more")]
