"""Webhooks. https://discord.com/developers/docs/resources/webhook"""

from typing import Annotated, Any

from legoenv_mcp.app import MISSING, Ctx, Field, Payload, Query, ToolOnly

from .. import access as a
from .. import audit, message_object, posting, resources
from ..app import app, err, form
from ..models import Attachment, Channel, Message, Webhook
from ..posting import AllowedMentions, Embed, File

_MOST = 15
Name = Annotated[str, Field(min_length=1, max_length=80)]


def _name(name: str, path: str = "name") -> str:
    """No webhook may pass itself off as Discord."""
    for word in ("clyde", "discord"):
        if word in name.lower():
            raise form(path, "USERNAME_INVALID_CONTAINS", f'Username cannot contain "{word}"')
    if not name.strip():
        raise form(path, "BASE_TYPE_REQUIRED", "This field is required")
    return name.strip()


def _mine(ctx: Ctx, webhook_id: str) -> Webhook:
    row = ctx.require(Webhook, webhook_id)
    a.channel(ctx, row.channel_id, a.MANAGE_WEBHOOKS)
    return row


def _by_token(ctx: Ctx, webhook_id: str, token: str) -> Webhook:
    row = ctx.require(Webhook, webhook_id)
    if row.token != token:
        raise err(50027)
    return row


@app.post("/channels/{channel_id}/webhooks", tool="create_webhook")
def create_webhook(ctx: Ctx, channel_id: a.Snowflake, name: Name) -> dict[str, Any]:
    """Makes a webhook, by whose id and token anyone can write in the channel (needs Manage Webhooks; 15 a channel).

    channel_id: The channel's id.
    name: Whose name its messages bear, 1 to 80 characters.
    """
    channel = a.guild_channel(ctx, channel_id, a.MANAGE_WEBHOOKS)
    if channel.type in (*a.THREADS, a.CATEGORY):
        raise err(50024)
    if ctx.db.count(Webhook, channel_id=channel_id) >= _MOST:
        raise err(30007)
    row = ctx.db.add(
        Webhook(
            id=a.snowflake(ctx),
            channel_id=channel_id,
            name=_name(name),
            token=ctx.id("", 68, kind="webhook"),
            user_id=a.me(ctx),
        )
    )
    audit.log(ctx, audit.WEBHOOK_CREATE, row.id, [{"key": "name", "new_value": row.name}])
    return resources.webhook(ctx, row)


@app.get("/channels/{channel_id}/webhooks", tool="list_channel_webhooks")
def list_channel_webhooks(ctx: Ctx, channel_id: a.Snowflake) -> list[dict[str, Any]]:
    """Lists a channel's webhooks with their tokens (needs Manage Webhooks).

    channel_id: The channel's id.
    """
    a.guild_channel(ctx, channel_id, a.MANAGE_WEBHOOKS)
    return [resources.webhook(ctx, row) for row in ctx.db.find(Webhook, channel_id=channel_id)]


@app.get("/guilds/{guild_id}/webhooks", tool="list_guild_webhooks", mcp=False)
def list_guild_webhooks(ctx: Ctx, guild_id: a.Snowflake) -> list[dict[str, Any]]:
    """Lists the server's webhooks (needs Manage Webhooks).

    guild_id: The server's id.
    """
    a.guild(ctx, guild_id, a.MANAGE_WEBHOOKS)
    return [resources.webhook(ctx, row) for row in ctx.db.find(Webhook)]


@app.get("/webhooks/{webhook_id}", tool="get_webhook", mcp=False)
def get_webhook(ctx: Ctx, webhook_id: a.Snowflake) -> dict[str, Any]:
    """Gets a webhook (needs Manage Webhooks).

    webhook_id: The webhook's id.
    """
    return resources.webhook(ctx, _mine(ctx, webhook_id))


@app.get("/webhooks/{webhook_id}/{webhook_token}", tool="get_webhook_with_token", mcp=False)
def get_webhook_with_token(ctx: Ctx, webhook_id: a.Snowflake, webhook_token: str) -> dict[str, Any]:
    """Gets a webhook by its token.

    webhook_id: The webhook's id.
    webhook_token: The webhook's token.
    """
    return resources.webhook(ctx, _by_token(ctx, webhook_id, webhook_token), whole=False)


@app.patch("/webhooks/{webhook_id}", tool="modify_webhook", mcp=False)
def modify_webhook(
    ctx: Ctx,
    webhook_id: a.Snowflake,
    name: Name | MISSING = MISSING,
    channel_id: a.Snowflake | MISSING = MISSING,
) -> dict[str, Any]:
    """Renames a webhook or moves it to another channel (needs Manage Webhooks).

    webhook_id: The webhook's id.
    name: The new name.
    channel_id: The channel to move it to.
    """
    row, given = _mine(ctx, webhook_id), dict[str, Any]()
    if name is not MISSING:
        given["name"] = _name(name)
    if channel_id is not MISSING:
        channel = a.guild_channel(ctx, channel_id, a.MANAGE_WEBHOOKS)
        if channel.type in (*a.THREADS, a.CATEGORY):
            raise err(50024)
        given["channel_id"] = channel_id
    changes = audit.changed(row, **given)
    if changes:
        ctx.db.update(row, **given)
        audit.log(ctx, audit.WEBHOOK_UPDATE, row.id, changes)
    return resources.webhook(ctx, row)


@app.delete("/webhooks/{webhook_id}", tool="delete_webhook", status=204)
def delete_webhook(ctx: Ctx, webhook_id: a.Snowflake) -> None:
    """Deletes a webhook for good (needs Manage Webhooks). Its messages stay.

    webhook_id: The webhook's id.
    """
    row = _mine(ctx, webhook_id)
    ctx.db.delete(row)
    audit.log(ctx, audit.WEBHOOK_DELETE, webhook_id, [{"key": "name", "old_value": row.name}])


@app.delete("/webhooks/{webhook_id}/{webhook_token}", tool="delete_webhook_with_token", status=204, mcp=False)
def delete_webhook_with_token(ctx: Ctx, webhook_id: a.Snowflake, webhook_token: str) -> None:
    """Deletes a webhook by its token.

    webhook_id: The webhook's id.
    webhook_token: The webhook's token.
    """
    ctx.db.delete(_by_token(ctx, webhook_id, webhook_token))


@app.post("/webhooks/{webhook_id}/{webhook_token}", tool="execute_webhook", effect="send")
def execute_webhook(
    ctx: Ctx,
    webhook_id: a.Snowflake,
    webhook_token: str,
    content: Annotated[str | None, Field(description="The text")] = None,
    username: Annotated[str | None, Field(max_length=80)] = None,
    embeds: list[Embed] | None = None,
    allowed_mentions: AllowedMentions | None = None,
    flags: int | None = 0,
    thread_id: Annotated[a.Snowflake | None, Query()] = None,
    wait: Annotated[bool | None, Query(mcp=False)] = None,
    files: Annotated[list[File] | None, ToolOnly()] = None,
    payload: Annotated[Any, Payload(mcp=False)] = None,
) -> dict[str, Any] | None:
    """Writes in a webhook's channel under the webhook's name. It needs content, embeds or files.

    webhook_id: The webhook's id.
    webhook_token: The webhook's token.
    content: The text, Markdown, at most 2000 characters.
    username: Another name than the webhook's.
    embeds: Up to 10 rich embeds.
    allowed_mentions: Which mentions notify; all, where left out.
    flags: 4 suppresses embeds of links, 4096 notifications.
    thread_id: A thread of the channel to write in.
    wait: Whether to answer with the message.
    files: Files to attach, at most 10.
    payload: The body as a whole, for multipart forms.
    """
    fields = posting.sent_as_form(payload)
    if fields is not None:
        path = {"webhook_id": webhook_id, "webhook_token": webhook_token}
        made = posting.again(ctx, fields | ({"thread_id": thread_id} if thread_id else {}), **path)
        return _answer(ctx, ctx.require(Message, made), bool(wait))
    hook = _by_token(ctx, webhook_id, webhook_token)
    channel = ctx.require(Channel, thread_id or hook.channel_id)
    if thread_id and channel.parent_id != hook.channel_id:
        raise err(10003)
    if channel.type in a.THREADS and channel.locked:
        raise err(160005)
    if channel.type == a.FORUM:
        raise form("thread_id", "BASE_TYPE_REQUIRED", "Webhooks posted to forum channels must have a thread_id")
    text, rich, attached = posting.check_text(content), posting.check_embeds(ctx, embeds), posting.check_files(files)
    shown = posting.check_flags(flags)
    if not text and not rich and not attached:
        raise err(50006)
    row = posting.publish(
        ctx,
        channel,
        attached,
        author_id=hook.id,
        webhook_id=hook.id,
        webhook_name=_name(username, "username") if username else hook.name,
        content=text,
        embeds=rich,
        flags=shown,
        **posting.mentions(ctx, text, allowed_mentions, a.EVERYONE),
    )
    return _answer(ctx, row, a.on_mcp(ctx) if wait is None else wait)


def _answer(ctx: Ctx, row: Message, wanted: bool) -> Any:
    return message_object.message(ctx, row) if wanted else resources.nothing(ctx)


def _own(ctx: Ctx, webhook_id: str, token: str, message_id: str) -> Message:
    hook, row = _by_token(ctx, webhook_id, token), ctx.db.get(Message, message_id)
    if row is None or row.webhook_id != hook.id:
        raise err(10008)
    return row


@app.get("/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}", tool="get_webhook_message", mcp=False)
def get_webhook_message(
    ctx: Ctx, webhook_id: a.Snowflake, webhook_token: str, message_id: a.Snowflake
) -> dict[str, Any]:
    """Gets a message that the webhook wrote.

    webhook_id: The webhook's id.
    webhook_token: The webhook's token.
    message_id: The message's id.
    """
    return message_object.message(ctx, _own(ctx, webhook_id, webhook_token, message_id))


@app.patch("/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}", tool="edit_webhook_message", mcp=False)
def edit_webhook_message(
    ctx: Ctx,
    webhook_id: a.Snowflake,
    webhook_token: str,
    message_id: a.Snowflake,
    content: Annotated[str | None | MISSING, Field(description="The new text")] = MISSING,
    embeds: list[Embed] | None | MISSING = MISSING,
    allowed_mentions: AllowedMentions | None = None,
) -> dict[str, Any]:
    """Edits a message that the webhook wrote.

    webhook_id: The webhook's id.
    webhook_token: The webhook's token.
    message_id: The message's id.
    content: The new text.
    embeds: The new embeds.
    allowed_mentions: Which mentions notify; all, where left out.
    """
    row, changes = _own(ctx, webhook_id, webhook_token, message_id), dict[str, Any]()
    if content is not MISSING:
        changes["content"] = posting.check_text(content)
        changes |= posting.mentions(ctx, changes["content"], allowed_mentions, a.EVERYONE)
    if embeds is not MISSING:
        changes["embeds"] = posting.check_embeds(ctx, embeds)
    held = ctx.db.count(Attachment, message_id=row.id)
    if not changes.get("content", row.content) and not changes.get("embeds", row.embeds) and not held:
        raise err(50006)
    if changes:
        changes["edited_timestamp"] = a.stamp(ctx.now)
    return message_object.message(ctx, ctx.db.update(row, **changes))


@app.delete(
    "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}", tool="delete_webhook_message", status=204, mcp=False
)
def delete_webhook_message(ctx: Ctx, webhook_id: a.Snowflake, webhook_token: str, message_id: a.Snowflake) -> None:
    """Deletes a message that the webhook wrote.

    webhook_id: The webhook's id.
    webhook_token: The webhook's token.
    message_id: The message's id.
    """
    posting.erase(ctx, _own(ctx, webhook_id, webhook_token, message_id))
