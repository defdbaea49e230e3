"""How a message comes into being, whoever sends it. https://discord.com/developers/docs/resources/message#create-message"""

import base64
import binascii
import json
import mimetypes
import re
from typing import Annotated, Any

from typing_extensions import TypedDict

from legoenv_mcp.app import ApiError, Ctx, Field

from . import access as a
from .app import err, form
from .models import Attachment, Channel, Member, Message, Notice, Reaction, Recipient, Role, Thread_Member, User

CONTENT, FILES = 2000, 10
SUPPRESS_EMBEDS, CROSSPOSTED, SILENT = 1 << 2, 1 << 0, 1 << 12
_FLAGS = SUPPRESS_EMBEDS | SILENT
_LIMITS = {"title": 256, "description": 4096}
_INNER = {"footer": ("text", 2048), "author": ("name", 256)}
_WRITABLE = (a.TEXT, a.NEWS, a.VOICE, a.STAGE, *a.THREADS, *a.DIRECT)
_IN_FORM = re.compile(r"files\[([0-9]{1,2})\]")
LARGEST = 10 * 1024 * 1024

_OPEN = {"extra": "allow"}


class EmbedField(TypedDict, total=False):
    """A name and a value in an embed."""

    name: Annotated[str, Field(description="The field's name, at most 256 characters")]
    value: Annotated[str, Field(description="The field's value, at most 1024 characters")]
    inline: Annotated[bool, Field(description="Whether it stands beside others")]


class EmbedPart(TypedDict, total=False):
    """A footer, author or image of an embed."""

    __pydantic_config__ = _OPEN  # pyright: ignore[reportGeneralTypeIssues]
    text: Annotated[str, Field(description="Text of a footer")]
    name: Annotated[str, Field(description="Name of an author")]
    url: Annotated[str, Field(description="Address of an image or author")]


class Embed(TypedDict, total=False):
    """Rich content below a message."""

    __pydantic_config__ = _OPEN  # pyright: ignore[reportGeneralTypeIssues]
    title: Annotated[str, Field(description="Title, at most 256 characters")]
    description: Annotated[str, Field(description="Text, at most 4096 characters")]
    url: Annotated[str, Field(description="Where the title leads")]
    color: Annotated[int, Field(description="Colour as a number")]
    timestamp: Annotated[str, Field(description="A time to show, ISO 8601")]
    fields: Annotated[list[EmbedField], Field(description="Up to 25 fields")]
    footer: Annotated[EmbedPart, Field(description="Footer with a text")]
    author: Annotated[EmbedPart, Field(description="Author with a name")]


class Reference(TypedDict, total=False):
    """The message that a message replies to, or forwards."""

    __pydantic_config__ = _OPEN  # pyright: ignore[reportGeneralTypeIssues]
    message_id: Annotated[a.Snowflake, Field(description="Id of the message to reply to or forward")]
    type: Annotated[int, Field(description="0 replies (default), 1 forwards, without content of one's own")]
    channel_id: Annotated[a.Snowflake, Field(description="The channel of the message to forward")]
    fail_if_not_exists: Annotated[bool, Field(description="Whether to refuse where it is gone (true by default)")]


class AllowedMentions(TypedDict, total=False):
    """Which mentions in the text notify."""

    parse: Annotated[list[str], Field(description="Kinds that notify: roles, users, everyone")]
    users: Annotated[list[a.Snowflake], Field(description="Only these users")]
    roles: Annotated[list[a.Snowflake], Field(description="Only these roles")]
    replied_user: Annotated[bool, Field(description="Whether a reply notifies the author it answers")]


class File(TypedDict, total=False):
    """A file to attach."""

    filename: Annotated[str, Field(description="The file's name")]
    content: Annotated[str, Field(description="Its text, or base64 where encoding says so")]
    encoding: Annotated[str, Field(description="text (default) or base64")]
    content_type: Annotated[str, Field(description="MIME type; by default from the name")]
    description: Annotated[str, Field(description="Alternative text")]


def sent_as_form(payload: Any) -> dict[str, Any] | None:
    """The arguments of a multipart message: those in `payload_json`, and its files. None where it is no such form."""
    if not isinstance(payload, dict):
        return None
    parts = sorted((int(m[1]), v) for k, v in payload.items() if (m := _IN_FORM.fullmatch(k)) and isinstance(v, dict))
    parts += [(0, payload["file"])] if isinstance(payload.get("file"), dict) else []
    if "payload_json" not in payload and not parts:
        return None
    try:
        fields = json.loads(payload.get("payload_json") or "{}")
    except (ValueError, TypeError, RecursionError):
        raise ApiError(400, "The request body contains invalid JSON.", code=50109) from None
    if not isinstance(fields, dict):
        raise form("payload_json", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
    told = {str(one.get("id")): one for one in fields.get("attachments") or [] if isinstance(one, dict)}
    files = [
        {
            "filename": str(told.get(str(n), {}).get("filename") or part["filename"]),
            "content": base64.b64encode(part["content"]).decode(),
            "encoding": "base64",
            "content_type": part["content_type"],
            **({"description": str(d)} if (d := told.get(str(n), {}).get("description")) else {}),
        }
        for n, part in parts
    ]
    others = {k: v for k, v in payload.items() if isinstance(v, str) and k != "payload_json"}
    return {**others, **fields, "files": files}


def again(ctx: Ctx, arguments: dict[str, Any], **path: str) -> str:
    """The same operation with a form's arguments; answers the id of the message it made."""
    assert ctx.operation is not None
    known = {p.tool_name for p in ctx.operation.params.values() if p.mcp} - set(path)
    given = {name: value for name, value in arguments.items() if name in known and value is not None}
    reply = ctx.call(ctx.operation.tool, {**given, **path})
    if reply.error:
        raise ApiError(reply.status, reply.body["message"], code=reply.body["code"], errors=reply.body.get("errors"))
    return reply.body["id"]


# Content


def check_text(text: str | None) -> str:
    said = (text or "").strip()
    if len(said) > CONTENT:
        raise form("content", "BASE_TYPE_MAX_LENGTH", f"Must be {CONTENT} or fewer in length.")
    return said


def check_embeds(ctx: Ctx, embeds: list[Any] | None) -> list[dict[str, Any]]:
    """Up to ten embeds within Discord's limits, each marked as rich."""
    if embeds and len(embeds) > 10:
        raise form("embeds", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
    total = 0
    for n, embed in enumerate(embeds or []):
        if not any(v for k, v in embed.items() if k not in ("type", "color", "timestamp")):
            raise form(f"embeds.{n}.description", "BASE_TYPE_REQUIRED", "This field is required")
        _check_looks(ctx, embed, f"embeds.{n}")
        total += sum(_bounded(embed.get(name), f"embeds.{n}.{name}", most) for name, most in _LIMITS.items())
        for name, (inner, most) in _INNER.items():
            part = embed.get(name) or {}
            total += _bounded(part.get(inner), f"embeds.{n}.{name}.{inner}", most)
        fields = embed.get("fields") or []
        if len(fields) > 25:
            raise form(f"embeds.{n}.fields", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
        for i, field in enumerate(fields):
            for name, most in (("name", 256), ("value", 1024)):
                if not field.get(name):
                    raise form(f"embeds.{n}.fields.{i}.{name}", "BASE_TYPE_REQUIRED", "This field is required")
                total += _bounded(field[name], f"embeds.{n}.fields.{i}.{name}", most)
    if total > 6000:
        raise form("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")
    return [{"type": "rich", **embed} for embed in embeds or []]


def _check_looks(ctx: Ctx, embed: dict[str, Any], path: str) -> None:
    """An embed's colour, time and addresses."""
    color = embed.get("color")
    if color is not None and not 0 <= color <= 0xFFFFFF:
        code, bound = ("MIN", "greater than or equal to 0") if color < 0 else ("MAX", "less than or equal to 16777215")
        raise form(f"{path}.color", f"NUMBER_TYPE_{code}", f"int value should be {bound}.")
    if embed.get("timestamp"):
        try:
            ctx.parse_time(embed["timestamp"])
        except (ValueError, OverflowError):
            message = f"Could not parse {str(embed['timestamp'])[:40]}. Should be ISO8601."
            raise form(f"{path}.timestamp", "DATE_TIME_TYPE_PARSE", message) from None
    parts = [(name, embed.get(name)) for name in ("author", "footer", "image", "thumbnail")]
    known = [("url", embed.get("url"))]
    known += [(f"{n}.{k}", p.get(k)) for n, p in parts if isinstance(p, dict) for k in ("url", "icon_url")]
    for name, address in known:
        if address is None or address == "":
            continue
        kind, _, rest = str(address).partition("://")
        if not isinstance(address, str) or not rest or re.search(r"\s", rest):
            raise form(f"{path}.{name}", "URL_TYPE_INVALID_URL", "Not a well formed URL.")
        schemes = ("http", "https") if name in ("url", "author.url") else ("http", "https", "attachment")
        if kind.lower() not in schemes:
            message = f'Scheme "{kind[:20].lower()}" must be one of {schemes}.'
            raise form(f"{path}.{name}", "URL_TYPE_INVALID_SCHEME", message)


def _bounded(text: Any, path: str, most: int) -> int:
    if text is not None and not isinstance(text, str):
        raise form(path, "STRING_TYPE_CONVERT", "Could not interpret value as string.")
    if text and len(text) > most:
        raise form(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")
    return len(text or "")


def check_files(files: list[Any] | None) -> list[dict[str, Any]]:
    """Files as an attachment's columns."""
    if files and len(files) > FILES:
        raise form("attachments", "BASE_TYPE_MAX_LENGTH", f"Must be {FILES} or fewer in length.")
    return [_file(n, one) for n, one in enumerate(files or [])]


def _file(n: int, one: dict[str, Any]) -> dict[str, Any]:
    name = re.sub(r"[^\w.\-]+", "_", one.get("filename") or "unknown")[:260] or "unknown"
    content = one.get("content", "")
    try:
        raw = base64.b64decode(content, validate=True) if one.get("encoding") == "base64" else content.encode()
    except (binascii.Error, ValueError):
        raise form(f"attachments.{n}", "FIELD_TYPE_INVALID", "The file's content is not valid base64.") from None
    if len(raw) > LARGEST:
        raise ApiError(413, "Request entity too large", code=40005)
    try:
        text, binary = raw.decode(), False
    except UnicodeDecodeError:
        text, binary = base64.b64encode(raw).decode(), True
    kind = one.get("content_type") or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if kind.startswith("text/") and "charset" not in kind:
        kind += "; charset=utf-8"
    return {
        "filename": name,
        "description": one.get("description"),
        "content_type": kind,
        "size": len(raw),
        "content": text,
        "binary": binary,
    }


def mentions(ctx: Ctx, text: str, allowed: Any, bits: int, answered: str | None = None) -> dict[str, Any]:
    """Whom a text mentions, as far as the sender lets it and may."""
    users = [u for u in dict.fromkeys(re.findall(r"<@!?([0-9]{1,20})>", text)) if ctx.db.get(User, u)]
    roles = [r for r in dict.fromkeys(re.findall(r"<@&([0-9]{1,20})>", text)) if ctx.db.get(Role, r)]
    everyone = re.search(r"@(everyone|here)\b", text) is not None and bool(bits & a.MENTION_EVERYONE)
    if not bits & a.MENTION_EVERYONE:
        roles = [r for r in roles if ctx.require(Role, r).mentionable]
    if allowed is not None:
        parse = allowed.get("parse") or []
        for n, kind in enumerate(parse):
            if kind not in ("roles", "users", "everyone"):
                message = f"Value \"{kind}\" must be one of ('users', 'roles', 'everyone')."
                raise form(f"allowed_mentions.parse.{n}", "BASE_TYPE_CHOICES", message)
        for kind in ("users", "roles"):
            if kind in parse and allowed.get(kind):
                message = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
                raise form("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message)
        users = users if "users" in parse else [u for u in users if u in (allowed.get("users") or [])]
        roles = roles if "roles" in parse else [r for r in roles if r in (allowed.get("roles") or [])]
        everyone = everyone and "everyone" in parse
        answered = answered if allowed.get("replied_user") else None
    if answered and answered not in users:
        users.append(answered)
    return {"mentions": users, "mention_roles": roles, "mention_everyone": everyone}


# Sending


def place(ctx: Ctx, channel_id: str) -> tuple[Channel, int]:
    """A channel the caller may write in, and what they may do there."""
    channel = a.channel(ctx, channel_id)
    if channel.type not in _WRITABLE:
        raise err(50008)
    bits = a.permissions(ctx, channel, a.me(ctx))
    if not bits & (a.SEND_MESSAGES_IN_THREADS if channel.type in a.THREADS else a.SEND_MESSAGES):
        raise err(50013)
    if channel.type == a.DM:
        for party in ctx.db.find(Recipient, channel_id=channel.id):
            if ctx.db.get(Member, party.user_id) is None:
                raise err(50007)
    if channel.type in a.THREADS and channel.locked and not bits & a.MANAGE_THREADS:
        raise err(160005 if not channel.archived else 50083)
    _slowly(ctx, channel, bits)
    return channel, bits


def _slowly(ctx: Ctx, channel: Channel, bits: int) -> None:
    """Slow mode: one message in so many seconds, but for those who moderate."""
    if not channel.rate_limit_per_user or bits & (a.MANAGE_MESSAGES | a.MANAGE_CHANNELS):
        return
    last = ctx.db.first(Message, order="-seq", channel_id=channel.id, author_id=a.me(ctx))
    wait = channel.rate_limit_per_user - (ctx.now - a.moment(last.id)).total_seconds() if last else 0
    if wait > 0:
        message = "This action cannot be performed due to slowmode rate limit"
        raise ApiError(429, message, code=20016, retry_after=wait, headers={"Retry-After": f"{wait:.0f}"})


def answered(ctx: Ctx, channel: Channel, reference: Any) -> Message | None:
    """The message replied to."""
    if not reference or not reference.get("message_id"):
        return None
    if not a.permissions(ctx, channel, a.me(ctx)) & a.READ_MESSAGE_HISTORY:
        raise err(160002)
    found = ctx.db.get(Message, reference["message_id"])
    if found is not None and found.channel_id == channel.id:
        return found
    if ctx.db.get(Notice, reference["message_id"]):
        raise form("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message")
    if reference.get("fail_if_not_exists") is False:
        return None
    raise form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")


def notified(ctx: Ctx, original: Message | None) -> str | None:
    """Whom a reply to this message mentions: its author, where that is another user."""
    if original is None or original.webhook_id is not None or original.author_id == a.me(ctx):
        return None
    return original.author_id


def check_flags(flags: int | None) -> int:
    if (flags := flags or 0) & ~_FLAGS:
        raise form("flags", "MESSAGE_FLAGS_INVALID", "Only SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS can be set.")
    return flags


def publish(ctx: Ctx, channel: Channel, files: list[dict[str, Any]], **columns: Any) -> Message:
    """Writes a checked message; whoever writes in an archived thread reopens it, and joins it."""
    id = a.snowflake(ctx)
    row = ctx.db.add(Message(id=id, seq=int(id), channel_id=channel.id, **columns))
    attach(ctx, row, files)
    if channel.type in a.THREADS:
        if channel.archived:
            ctx.db.update(channel, archived=False, archive_timestamp=a.stamp(ctx.now))
        if row.webhook_id is None:
            join(ctx, channel.id, row.author_id)
        _bring_in(ctx, channel, row)
    return row


def _bring_in(ctx: Ctx, thread: Channel, row: Message) -> None:
    """Whom a message in a thread mentions joins it, where they may look into its channel."""
    parent = ctx.db.get(Channel, thread.parent_id) if thread.parent_id else None
    if parent is None or (
        thread.type == a.PRIVATE_THREAD and not thread.invitable and thread.owner_id != row.author_id
    ):
        return
    for one in row.mentions:
        if a.permissions(ctx, parent, one) & a.VIEW_CHANNEL:
            join(ctx, thread.id, one)


def attach(ctx: Ctx, row: Message, files: list[dict[str, Any]]) -> None:
    for one in files:
        ctx.db.add(Attachment(id=a.snowflake(ctx), message_id=row.id, **one))


def join(ctx: Ctx, thread_id: str, user_id: str) -> None:
    if ctx.db.get(Thread_Member, (thread_id, user_id)) is None:
        ctx.db.add(Thread_Member(thread_id=thread_id, user_id=user_id, join_timestamp=a.stamp(ctx.now)))


def erase(ctx: Ctx, row: Message) -> None:
    """Removes a message and what hangs on it; a thread begun from it stays."""
    ctx.db.delete_where(Reaction, message_id=row.id)
    ctx.db.delete_where(Attachment, message_id=row.id)
    ctx.db.delete(row)
