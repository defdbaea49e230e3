"""Search in the server's messages. https://discord.com/developers/docs/resources/message#search-guild-messages"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from legoenv_mcp.app import Ctx, Field

from .. import access as a
from .. import message_object, resources
from ..app import app
from ..models import Attachment, Channel, Message, User

Ids = Annotated[list[a.Snowflake] | None, Field(max_length=100)]
Names = Annotated[list[str] | None, Field(max_length=100)]
Has = Literal[
    "image", "sound", "video", "file", "sticker", "embed", "link", "poll", "snapshot", "-image", "-sound", "-video", "-file",
    "-sticker", "-embed", "-link", "-poll", "-snapshot",
]  # fmt: skip
AuthorType = Literal["user", "bot", "webhook", "-user", "-bot", "-webhook"]
_LINK = re.compile(r"https?://([^\s/<>]+)")


@app.get("/guilds/{guild_id}/messages/search", tool="search_guild_messages")
def search_guild_messages(
    ctx: Ctx,
    guild_id: a.Snowflake,
    content: Annotated[str | None, Field(max_length=1024)] = None,
    channel_id: Annotated[list[a.Snowflake] | None, Field(max_length=500)] = None,
    author_id: Ids = None,
    author_type: list[AuthorType] | None = None,
    mentions: Ids = None,
    mention_everyone: bool | None = None,
    replied_to_message_id: Ids = None,
    has: list[Has] | None = None,
    pinned: bool | None = None,
    link_hostname: Names = None,
    attachment_filename: Names = None,
    attachment_extension: Names = None,
    min_id: a.Snowflake | None = None,
    max_id: a.Snowflake | None = None,
    sort_by: Literal["timestamp", "relevance"] = "timestamp",
    sort_order: Literal["asc", "desc"] = "desc",
    limit: Annotated[int, Field(ge=1, le=25)] = 25,
    offset: Annotated[int, Field(ge=0, le=9975)] = 0,
) -> dict[str, Any]:
    """Finds messages in all channels and threads that the caller may read.

    Every given filter must hold; several values of one are alternatives.

    guild_id: The server's id.
    content: Words that must all be in the text, in any order; a word may be the beginning of one.
    channel_id: Only in these channels.
    author_id: Only by these authors.
    author_type: Only by user, bot or webhook; a minus excludes.
    mentions: Only with a mention of one of these users.
    mention_everyone: Only with, or without, a mention of everyone.
    replied_to_message_id: Only replies to these messages.
    has: What a message has: link, embed, file, image, video, sound; a minus excludes.
    pinned: Only pinned, or not pinned, messages.
    link_hostname: Only with a link to these hosts.
    attachment_filename: Only with a file whose name has this.
    attachment_extension: Only with a file of this extension.
    min_id: Only after this message's id.
    max_id: Only before this message's id.
    sort_by: Order by time or by relevance.
    sort_order: Newest or best first (desc), or last.
    limit: How many, 1 to 25.
    offset: How many to pass over, at most 9975.
    """
    a.guild(ctx, guild_id)
    readable = {
        row.id
        for row in ctx.db.find(Channel)
        if row.type not in a.DIRECT
        and (channel_id is None or row.id in channel_id)
        and a.permissions(ctx, row, a.me(ctx)) & a.READ_MESSAGE_HISTORY
    }
    words = [word.casefold() for word in re.findall(r"\w+", content or "")]
    rows = ctx.db.find(
        Message,
        order="-seq" if sort_order == "desc" else "seq",
        channel_id__in=readable,
        author_id__in=author_id,
        reference_id__in=replied_to_message_id,
        pinned_at__null=None if pinned is None else not pinned,
        mention_everyone=mention_everyone,
        seq__gt=min(int(min_id), 2**63 - 1) if min_id else None,
        seq__lt=min(int(max_id), 2**63 - 1) if max_id else None,
    )
    tests = [
        *([partial(_says, words)] if words else []),
        *([lambda row: not {*row.mentions}.isdisjoint(mentions)] if mentions else []),
        *([partial(_written_by, ctx, author_type)] if author_type else []),
        *([partial(_has, ctx, has)] if has else []),
        *([partial(_links, [h.lower() for h in link_hostname])] if link_hostname else []),
        *([partial(_files, ctx, attachment_filename, "")] if attachment_filename else []),
        *([partial(_files, ctx, attachment_extension, ".")] if attachment_extension else []),
    ]
    found = [row for row in rows if all(test(row) for test in tests)]
    if sort_by == "relevance" and words:
        found.sort(key=lambda row: _relevance(words, row), reverse=sort_order == "desc")
    hits = found[offset : offset + limit]
    threads = [
        c for one in dict.fromkeys(r.channel_id for r in hits) if (c := ctx.require(Channel, one)).type in a.THREADS
    ]
    return {
        "doing_deep_historical_index": False,
        "total_results": len(found),
        "messages": [[_hit(ctx, row)] for row in hits],
        "threads": [resources.channel(ctx, one) for one in threads],
        "members": [],
    }


def _hit(ctx: Ctx, row: Message) -> dict[str, Any]:
    shown = message_object.message(ctx, row, quoting=False)
    shown.pop("reactions", None)
    return shown | ({} if a.on_mcp(ctx) else {"hit": True})


def _text(row: Message) -> str:
    inner = (str(part) for embed in row.embeds for part in (embed.get("title"), embed.get("description")) if part)
    return " ".join([row.content, *inner]).casefold()


def _says(words: list[str], row: Message) -> bool:
    said = re.findall(r"\w+", _text(row))
    return all(any(one.startswith(word) for one in said) for word in words)


def _relevance(words: list[str], row: Message) -> float:
    said = re.findall(r"\w+", _text(row))
    return sum(one in words for one in said) / (1 + len(said))


def _written_by(ctx: Ctx, kinds: Sequence[str], row: Message) -> bool:
    author = ctx.db.get(User, row.author_id)
    kind = "webhook" if row.webhook_id else "bot" if author and author.bot else "user"
    wanted = [one for one in kinds if not one.startswith("-")]
    return f"-{kind}" not in kinds and (not wanted or kind in wanted)


def _has(ctx: Ctx, wanted: Sequence[str], row: Message) -> bool:
    kinds = [one.content_type for one in ctx.db.find(Attachment, message_id=row.id)]
    held = {name for name, start in (("image", "image/"), ("video", "video/"), ("sound", "audio/"))
            if any(kind.startswith(start) for kind in kinds)}  # fmt: skip
    held |= ({"file"} if kinds else set()) | ({"embed"} if row.embeds else set())
    held |= {"link"} if _LINK.search(row.content) else set()
    included = [one for one in wanted if not one.startswith("-")]
    return not any(f"-{one}" in wanted for one in held) and (not included or bool(held & {*included}))


def _links(hosts: list[str], row: Message) -> bool:
    return any(host.lower() in hosts for host in _LINK.findall(row.content))


def _files(ctx: Ctx, wanted: list[str], start: str, row: Message) -> bool:
    names = [one.filename.lower() for one in ctx.db.find(Attachment, message_id=row.id)]
    ends = [f".{one.lower().lstrip('.')}" for one in wanted]
    if start:
        return any(name.endswith(end) for name in names for end in ends)
    return any(one.lower() in name for name in names for one in wanted)
