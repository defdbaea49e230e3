"""hikari's REST client, unmodified but for its base URL, against the Discord app over real HTTP."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import hikari
import httpx
import pytest

if TYPE_CHECKING:
    from conftest import Gateway

pytestmark = [
    pytest.mark.sdk,
    # aiohttp's connector leaves the closing of its sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def address(gateway: "Gateway") -> str:
    return gateway.episode(["discord"]).rest("discord")


@pytest.fixture
async def client(address: str) -> AsyncIterator[Any]:
    app = hikari.RESTApp(url=f"{address}/api/v10")
    await app.start()
    async with app.acquire("test", hikari.TokenType.BOT) as rest:
        yield rest
    await app.close()


async def guild_of(client: Any) -> Any:
    return await client.fetch_guild((await client.fetch_my_guilds())[0])


async def channel_of(client: Any, name: str) -> Any:
    channels = await client.fetch_guild_channels(await guild_of(client))
    return next(c for c in channels if c.name == name)


async def test_who_and_where(client: Any) -> None:
    me = await client.fetch_my_user()
    assert (me.username, me.email, me.global_name) == ("maya", "maya.chen@quaymark.example", "Maya Chen")
    guild = await guild_of(client)
    assert guild.name == "Quaymark"
    assert guild.owner_id != me.id
    assert (await client.fetch_user(guild.owner_id)).username == "hmarsh"
    mine = await client.fetch_member(guild, me)
    roles = {r.id: r for r in await client.fetch_roles(guild)}
    assert {roles[i].name for i in mine.role_ids} == {"@everyone", "Operations", "Admin"}
    assert (await client.fetch_guild_preview(guild)).approximate_member_count == 72


async def test_members_are_walked_and_found(client: Any) -> None:
    guild = await guild_of(client)
    everyone = [m.id async for m in client.fetch_members(guild)]
    assert everyone == sorted(set(everyone))
    assert len(everyone) == 72
    found = await client.search_members(guild, "victor")
    assert [m.global_name for m in found] == ["Victor Hale"]


async def test_history_is_walked_newest_first(client: Any, address: str) -> None:
    channel = await channel_of(client, "incidents")
    walked = [m.id async for m in client.fetch_messages(channel)]
    assert walked == sorted(set(walked), reverse=True)
    assert len(walked) > 5
    pages, before = list[list[int]](), ""
    async with httpx.AsyncClient() as plain:
        while True:
            url = f"{address}/api/v9/channels/{channel.id}/messages?limit=2{before}"
            got = await plain.get(url, headers={"Authorization": "Bot test"})
            assert got.headers["x-ratelimit-bucket"]
            if not got.json():
                break
            pages.append([int(m["id"]) for m in got.json()])
            before = f"&before={got.json()[-1]['id']}"
    assert [one for page in pages for one in page] == walked
    assert len(pages) > 2
    after = [m.id async for m in client.fetch_messages(channel, after=walked[3])]
    assert sorted(after) == sorted(walked[:3])


async def test_a_message_lives_and_dies(client: Any) -> None:
    channel, me = await channel_of(client, "ops"), await client.fetch_my_user()
    made = await client.create_message(
        channel, "Close **starts**", embed=hikari.Embed(title="Close", description="Now")
    )
    assert made.author.id == me.id
    assert made.embeds[0].title == "Close"
    assert abs(made.timestamp - made.id.created_at) < timedelta(seconds=1)
    edited = await client.edit_message(channel, made, "Close is over", embeds=[])
    assert (edited.content, list(edited.embeds)) == ("Close is over", [])
    assert edited.edited_timestamp is not None
    answer = await client.create_message(channel, f"Thanks <@{me.id}>", reply=made, user_mentions=True)
    assert answer.referenced_message.id == made.id
    assert answer.type is hikari.MessageType.REPLY
    await client.add_reaction(channel, made, "👍")
    assert [r.count for r in (await client.fetch_message(channel, made)).reactions] == [1]
    assert [u.id async for u in client.fetch_reactions_for_emoji(channel, made, "👍")] == [me.id]
    await client.delete_my_reaction(channel, made, "👍")
    await client.pin_message(channel, made)
    assert made.id in [pin.message.id async for pin in client.fetch_pins(channel)]
    await client.unpin_message(channel, made)
    await client.delete_message(channel, made)
    with pytest.raises(hikari.NotFoundError) as gone:
        await client.fetch_message(channel, made)
    assert gone.value.code == 10008


async def test_files_travel_as_forms(client: Any) -> None:
    channel = await channel_of(client, "ops")
    made = await client.create_message(channel, "See the list", attachment=hikari.Bytes(b"a,b\n1,2\n", "list.csv"))
    file = made.attachments[0]
    assert (file.filename, file.size, made.content) == ("list.csv", 8, "See the list")
    assert file.media_type.startswith("text/csv")


async def test_refusals_are_the_products_own(client: Any) -> None:
    channel = await channel_of(client, "ops")
    with pytest.raises(hikari.BadRequestError) as long:
        await client.create_message(channel, "x" * 2001)
    assert long.value.code == 50035
    assert long.value.errors == {
        "content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."}]}
    }
    history = [m async for m in client.fetch_messages(channel)]
    theirs = next(m for m in history if m.author.username != "maya")
    with pytest.raises(hikari.ForbiddenError) as other:
        await client.edit_message(channel, theirs, "Mine now")
    assert other.value.code == 50005
    with pytest.raises(hikari.NotFoundError) as nowhere:
        await client.fetch_channel(1)
    assert nowhere.value.code == 10003


async def test_threads_webhooks_and_direct_messages(client: Any) -> None:
    guild, channel = await guild_of(client), await channel_of(client, "ops")
    root = await client.create_message(channel, "Plan?")
    thread = await client.create_message_thread(channel, root, "Plan")
    assert thread.id == root.id
    await client.create_message(thread, "First, count.")
    said = [m async for m in client.fetch_messages(thread)]
    assert [(m.type, m.content) for m in said] == [
        (hikari.MessageType.DEFAULT, "First, count."),
        (hikari.MessageType.THREAD_STARTER_MESSAGE, None),
    ]
    assert said[-1].referenced_message.content == "Plan?"
    assert thread.id in [t.id for t in await client.fetch_active_threads(guild)]
    shut = await client.edit_channel(thread, archived=True, locked=True)
    assert (shut.is_archived, shut.is_locked) == (True, True)
    hook = await client.create_webhook(channel, "Alerts")
    said = await client.execute_webhook(hook, hook.token, "All green", username="Watch")
    assert (said.webhook_id, said.author.username) == (hook.id, "Watch")
    await client.delete_webhook(hook)
    victor = next(m for m in await client.search_members(guild, "v") if m.global_name == "Victor Hale")
    direct = await client.create_dm_channel(victor)
    assert direct.recipient.id == victor.id
    assert (await client.create_message(direct, "Hello")).guild_id is None


async def test_the_server_is_run(client: Any) -> None:
    guild, me = await guild_of(client), await client.fetch_my_user()
    role = await client.create_role(guild, name="On call", mentionable=True)
    member = next(m for m in await client.search_members(guild, "jun") if m.username)
    await client.add_role_to_member(guild, member, role)
    assert role.id in (await client.fetch_member(guild, member)).role_ids
    assert (await client.edit_member(guild, member, nickname="Night watch")).nickname == "Night watch"
    made = await client.create_guild_text_channel(guild, "Night Shift", topic="After ten")
    assert made.name == "night-shift"
    assert (await client.edit_channel(made, topic="After nine")).topic == "After nine"
    overwrite = hikari.Permissions.VIEW_CHANNEL
    await client.edit_permission_overwrite(made, guild.id, target_type=0, deny=overwrite)
    with pytest.raises(hikari.ForbiddenError):
        await client.fetch_channel(made)
    start = datetime(2027, 3, 1, 10, tzinfo=UTC)
    event = await client.create_external_event(guild, "Drill", "Yard", start, start + timedelta(hours=2))
    assert (await client.fetch_scheduled_event(guild, event)).location == "Yard"
    invite = await client.create_invite(await channel_of(client, "ops"))
    assert (await client.fetch_invite(invite.code)).channel.name == "ops"
    log = await client.fetch_audit_log(guild)
    kinds = {e.action_type for page in log for e in page.entries.values()}
    assert {hikari.AuditLogEventType.MEMBER_ROLE_UPDATE, hikari.AuditLogEventType.CHANNEL_CREATE} <= kinds
    await client.ban_user(guild, member, reason="Drill")
    assert [b.reason async for b in client.fetch_bans(guild)] == ["Drill"]
    assert me.id != member.id
