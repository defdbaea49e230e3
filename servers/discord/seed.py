"""A fresh server: @everyone and the administrators' role, the channels Discord makes, and the company's bot."""

from datetime import UTC, datetime

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities.people import Organisation, Person

from .access import ADMIN, CATEGORY, EVERYONE, SEND_MESSAGES, TEXT, VOICE, snowflake, stamp
from .models import Channel, Guild, Member, Overwrite, Role, User

ADMIN_ROLE, ARCHIVE, LOBBY = "Admin", "Archive", "Text Channels"
FOUNDED = datetime(2016, 5, 2, 9, tzinfo=UTC)
# Sending, reacting and starting threads: what nobody does in an archived channel.
CLOSED = SEND_MESSAGES | 1 << 6 | 1 << 35 | 1 << 36 | 1 << 38


def seed(ctx: Ctx, organisation: Organisation, agent: Person) -> None:
    server = snowflake(ctx, FOUNDED)
    ctx.db.add(Guild(id=server, name=organisation.name, description=organisation.industry or None))
    ctx.db.add(Role(id=server, name="@everyone", position=0, permissions=EVERYONE))
    ctx.db.add(
        Role(id=snowflake(ctx, FOUNDED), name=ADMIN_ROLE, color=0xE74C3C, hoist=True, position=1, permissions=ADMIN)
    )
    bot = ctx.db.add(User(id=snowflake(ctx, FOUNDED), username="bot", global_name=f"{organisation.name} Bot", bot=True))
    ctx.db.add(Member(user_id=bot.id, joined_at=stamp(FOUNDED)))
    made = dict[str, str]()
    for position, (kind, name, parent) in enumerate(
        (
            (CATEGORY, LOBBY, ""),
            (CATEGORY, "Voice Channels", ""),
            (CATEGORY, ARCHIVE, ""),
            (TEXT, "general", LOBBY),
            (VOICE, "General", "Voice Channels"),
        )
    ):
        row = Channel(
            id=snowflake(ctx, FOUNDED),
            type=kind,
            name=name,
            parent_id=made.get(parent),
            position=position if kind == CATEGORY else 0,
        )
        made[name] = ctx.db.add(row).id
    ctx.db.add(Overwrite(channel_id=made[ARCHIVE], id=server, type=0, deny=CLOSED))
    found = ctx.require(Guild, server)
    ctx.db.update(found, system_channel_id=made["general"])
