"""Chat on Discord: the world's people, channels and messages as rows and back, and what one does with them.

A channel's members are those whom an overwrite lets in by name; where none does, everybody whom none shuts out. A reply is a
message that refers to another, or one in the thread that began from it: both are the thread of that first message.
"""

import re
from datetime import UTC, datetime
from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, chat
from legoenv_mcp.capabilities.people import Person

from . import access as a
from . import emoji
from .message_object import REPLY
from .models import Attachment, Channel, Guild, Member, Message, Overwrite, Reaction, Recipient, Role, User
from .seed import ADMIN_ROLE, ARCHIVE, CLOSED, FOUNDED, LOBBY

_COLORS = (0x1ABC9C, 0x2ECC71, 0x3498DB, 0x9B59B6, 0xE91E63, 0xF1C40F, 0xE67E22, 0x95A5A6)
_FEW = 3


def _at(ctx: Ctx, text: str) -> datetime:
    """A world's time, no earlier than the server and no later than now."""
    return min(max(ctx.parse_time(text), FOUNDED), ctx.now) if text else ctx.now


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class DiscordChat(chat.Chat):
    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, Person):
            return self._fill_person(ctx, entity)
        if isinstance(entity, chat.Channel):
            return self._fill_channel(ctx, entity)
        assert isinstance(entity, chat.Message)
        return self._fill_message(ctx, entity)

    def _fill_person(self, ctx: Ctx, person: Person) -> str:
        joined = _at(ctx, person.start_date)
        row = ctx.db.add(
            User(
                id=a.snowflake(ctx, joined),
                username=person.handle,
                global_name=person.name,
                email=person.email,
                first_name=person.first_name,
                last_name=person.last_name,
            )
        )
        if person.active:
            roles = [_role(ctx, person.department)] if person.department else []
            admin = ctx.db.first(Role, name=ADMIN_ROLE)
            assert admin is not None
            roles += [admin.id] if person.admin else []
            ctx.db.add(Member(user_id=row.id, roles=roles, joined_at=a.stamp(joined)))
            _own(ctx, person, row)
        return row.id

    def _fill_channel(self, ctx: Ctx, entity: chat.Channel) -> str:
        people = [ctx.ref(Person, one) for one in dict.fromkeys(entity.members)]
        creator = ctx.ref(Person, entity.creator) if entity.creator else None
        if entity.direct:
            kind = a.DM if len(people) <= 2 else a.GROUP_DM
            made = ctx.db.add(
                Channel(id=a.snowflake(ctx, _at(ctx, entity.created)), type=kind, name=entity.name, owner_id=creator)
            )
            for one in people:
                ctx.db.add(Recipient(channel_id=made.id, user_id=one))
            return made.id
        category = ctx.db.first(Channel, name=ARCHIVE if entity.archived else LOBBY, type=a.CATEGORY)
        fresh = ctx.db.first(Channel, name=entity.name, type=a.TEXT, owner_id__null=True)
        columns: dict[str, Any] = {
            "topic": entity.topic or entity.purpose or None,
            "parent_id": category.id if category else None,
            "owner_id": creator,
            "type": a.NEWS if entity.name == "announcements" else a.TEXT,
        }
        if fresh is not None:  # the world's own general channel takes the place of the fresh server's
            ctx.db.update(a.the_guild(ctx), system_channel_id=None)
            ctx.db.delete(fresh)
        position = ctx.db.count(Channel, parent_id=columns["parent_id"])
        id = a.snowflake(ctx, _at(ctx, entity.created))
        row = ctx.db.add(Channel(id=id, name=entity.name, position=position, **columns))
        if fresh is not None:
            ctx.db.update(a.the_guild(ctx), system_channel_id=row.id)
        _let_in(ctx, row, people, private=entity.private, archived=entity.archived)
        return row.id

    def _fill_message(self, ctx: Ctx, entity: chat.Message) -> str:
        channel, at = ctx.ref(chat.Channel, entity.channel), _at(ctx, entity.at)
        author = ctx.ref(Person, entity.author) if entity.author else _bot(ctx)
        to = ctx.ref(chat.Message, entity.thread) if entity.thread else None
        original = ctx.db.get(Message, to) if to else None
        id = a.snowflake(ctx, at)
        row = ctx.db.add(
            Message(
                id=id,
                seq=int(id),
                channel_id=channel,
                author_id=author,
                content=entity.text,
                type=REPLY if to else 0,
                reference_id=to,
                mentions=[original.author_id] if original and original.author_id != author else [],
                pinned_at=a.stamp(at) if entity.pinned else None,
            )
        )
        for one in entity.reactions:
            name, _, who = one.rpartition(":")
            ctx.db.add(
                Reaction(
                    message_id=row.id,
                    emoji=emoji.from_name(name),
                    user_id=ctx.ref(Person, who),
                    number=ctx.sequence("reaction"),
                )
            )
        return row.id

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "user" and not row["bot"]:
            return self._view_person(ctx, row)
        if table == "channel" and row["type"] in (a.TEXT, a.NEWS, a.FORUM, *a.DIRECT):
            return self._view_channel(ctx, row)
        return self._view_message(ctx, row) if table == "message" else None

    def _view_person(self, ctx: Ctx, row: dict[str, Any]) -> Person:
        member = ctx.db.get(Member, row["id"])
        roles = ctx.db.find(Role, id__in=member.roles, order="-position") if member else []
        return Person(
            id=row["id"],
            first_name=row["first_name"],
            last_name=row["last_name"],
            email=row["email"],
            handle=row["username"],
            title="",
            department=next((r.name for r in roles if r.hoist and r.name != ADMIN_ROLE), ""),
            admin=any(r.permissions & (a.ADMINISTRATOR | a.MANAGE_GUILD) for r in roles),
            active=member is not None,
        )

    def _view_channel(self, ctx: Ctx, row: dict[str, Any]) -> chat.Channel:
        id, direct = row["id"], row["type"] in a.DIRECT
        rules = {o.id: o for o in ctx.db.find(Overwrite, channel_id=id)}
        everyone = rules.get(a.the_guild(ctx).id)
        private = everyone is not None and bool(everyone.deny & a.VIEW_CHANNEL)
        parent = ctx.db.get(Channel, row["parent_id"]) if row["parent_id"] else None
        return chat.Channel(
            id=id,
            name=row["name"],
            topic=row["topic"] or "",
            private=private,
            archived=parent is not None and parent.name == ARCHIVE,
            direct=direct,
            members=tuple(
                [r.user_id for r in ctx.db.find(Recipient, channel_id=id)]
                if direct
                else _members(ctx, list(rules.values()), private)
            ),
            creator=row["owner_id"] or "",
            created=_iso(a.moment(id)),
        )

    def _view_message(self, ctx: Ctx, row: dict[str, Any]) -> chat.Message:
        place = ctx.db.get(Channel, row["channel_id"])
        in_thread = place is not None and place.type in a.THREADS
        author = ctx.db.get(User, row["author_id"])
        embeds = [str(e.get(part)) for e in row["embeds"] for part in ("title", "description") if e.get(part)]
        return chat.Message(
            id=row["id"],
            channel=place.parent_id or place.id if place is not None and in_thread else row["channel_id"],
            author=author.id if author and not author.bot else "",
            text=_readable(ctx, row["content"] or "\n".join(embeds) or _files(ctx, row["id"])),
            at=_iso(a.moment(row["id"])),
            thread=place.id if place is not None and in_thread and place.id != row["id"] else _first(ctx, row),
            reactions=tuple(
                f"{emoji.to_name(r.emoji)}:{r.user_id}"
                for r in ctx.db.find(Reaction, message_id=row["id"], order="number")
            ),
            pinned=row["pinned_at"] is not None,
        )

    def list_channels(self) -> Plan:
        guilds = yield call("list_my_guilds")
        for guild in _rows(guilds):
            yield call("list_guild_channels", guild_id=guild["id"])

    def list_messages(self, channel_id: str) -> Plan:
        yield call("get_channel_messages", channel_id=channel_id)

    def send_message(self, channel_id: str, text: str) -> Plan:
        yield call("create_message", channel_id=channel_id, content=text)

    def reply_in_thread(self, channel_id: str, message_id: str, text: str) -> Plan:
        reference = {"message_id": message_id}
        yield call("create_message", channel_id=channel_id, content=text, message_reference=reference)

    def add_reaction(self, channel_id: str, message_id: str, emoji: str) -> Plan:
        sign = _sign(emoji)
        yield call("create_reaction", channel_id=channel_id, message_id=message_id, emoji_name=sign)

    def share_file(self, channel_id: str, name: str, content: str) -> Plan:
        yield call("create_message", channel_id=channel_id, files=[{"filename": name, "content": content}])

    def remove_participant(self, channel_id: str, person_id: str) -> Plan:
        shut = str(a.VIEW_CHANNEL)
        yield call("edit_channel_permissions", channel_id=channel_id, overwrite_id=person_id, type=1, deny=shut)

    def create_channel(self, name: str) -> Plan:
        mine = yield call("list_my_guilds")
        servers: Any = mine  # a list
        yield call("create_guild_channel", guild_id=servers[0]["id"], name=name)

    def list_people(self) -> Plan:
        mine = yield call("list_my_guilds")
        for guild in _rows(mine):
            found = _rows((yield call("list_guild_members", guild_id=guild["id"], limit=1000)))
            while len(found) == 1000:
                last = found[-1]["user"]["id"]
                found = _rows((yield call("list_guild_members", guild_id=guild["id"], limit=1000, after=last)))

    def add_participant(self, channel_id: str, person_id: str) -> Plan:
        """As members of a channel that is not everybody's are: by a permission of their own."""
        yield call(
            "edit_channel_permissions", channel_id=channel_id, overwrite_id=person_id, type=1, allow=str(a.VIEW_CHANNEL)
        )


def _rows(reply: Any) -> list[Any]:
    """The members of a list, which MCP carries as `result`."""
    return reply["result"] if isinstance(reply, dict) else reply


def _sign(name: str) -> str:
    return emoji.from_name(name)


def _own(ctx: Ctx, person: Person, row: User) -> None:
    """The server is the first administrator's who is not the caller: nobody's agent owns it, unless alone."""
    server = a.the_guild(ctx)
    held = ctx.db.get(Guild, server.id)
    assert held is not None
    by_agent = ctx.has_ref(Person, ctx.agent) and held.owner_id == ctx.ref(Person, ctx.agent)
    if not held.owner_id or (by_agent and person.admin):
        ctx.db.update(held, owner_id=row.id)


def _role(ctx: Ctx, department: str) -> str:
    """The department's role: below the administrators', above those of departments before."""
    found, admin = ctx.db.first(Role, name=department), ctx.db.first(Role, name=ADMIN_ROLE)
    if found is not None:
        return found.id
    assert admin is not None
    position = admin.position
    ctx.db.update(admin, position=position + 1)
    made = Role(
        id=a.snowflake(ctx, FOUNDED),
        name=department,
        color=_COLORS[position % len(_COLORS)],
        hoist=True,
        position=position,
        permissions=0,
        mentionable=True,
    )
    return ctx.db.add(made).id


def _bot(ctx: Ctx) -> str:
    found = ctx.db.first(User, bot=True)
    assert found is not None
    return found.id


def _let_in(ctx: Ctx, row: Channel, people: list[str], *, private: bool, archived: bool) -> None:
    """Overwrites that make these people the channel's members."""
    deny = (a.VIEW_CHANNEL if private else 0) | (CLOSED if archived else 0)
    if deny:
        ctx.db.add(Overwrite(channel_id=row.id, id=a.the_guild(ctx).id, type=0, deny=deny))
    staff = [m.user_id for m in ctx.db.find(Member) if m.user_id != _bot(ctx)]
    outside = [one for one in staff if one not in people]
    nearly_all = not private and len(outside) <= _FEW < len(people) and {*people} <= {*staff}
    for one in outside if nearly_all else people:
        bits = {"deny": a.VIEW_CHANNEL} if nearly_all else {"allow": a.VIEW_CHANNEL}
        ctx.db.add(Overwrite(channel_id=row.id, id=one, type=1, **bits))


def _members(ctx: Ctx, rules: list[Overwrite], private: bool) -> list[str]:
    named = [o.id for o in rules if o.type == 1 and o.allow & a.VIEW_CHANNEL]
    roles = {o.id for o in rules if o.type == 0 and o.allow & a.VIEW_CHANNEL}
    shut = {o.id for o in rules if o.type == 1 and o.deny & a.VIEW_CHANNEL}
    if not private and not named and not roles:
        return [m.user_id for m in _people(ctx) if m.user_id not in shut]
    by_role = [m.user_id for m in _people(ctx) if roles & {*m.roles} and m.user_id not in shut]
    return list(dict.fromkeys([*named, *by_role]))


def _people(ctx: Ctx) -> list[Member]:
    bots = {u.id for u in ctx.db.find(User, bot=True)}
    return [m for m in ctx.db.find(Member) if m.user_id not in bots]


def _first(ctx: Ctx, row: dict[str, Any]) -> str:
    """The message at the head of a chain of replies."""
    to, seen = row["reference_id"], {row["id"]}
    while to and to not in seen:
        seen.add(to)
        found = ctx.db.get(Message, to)
        if found is None or not found.reference_id:
            return to
        to = found.reference_id
    return to or ""


def _readable(ctx: Ctx, text: str) -> str:
    """Mentions by name, as one reads them in every chat."""

    def told(found: re.Match[str]) -> str:
        sign, id = found[1].rstrip("!"), found[2]
        if sign == "#":
            channel = ctx.db.get(Channel, id)
            return f"#{channel.name}" if channel else found[0]
        if sign == "@&":
            role = ctx.db.get(Role, id)
            return f"@{role.name}" if role else found[0]
        user = ctx.db.get(User, id)
        return f"@{user.username}" if user else found[0]

    return re.sub(r"<(@&|@!?|#)([0-9]{1,20})>", told, text) if "<" in text else text


def _files(ctx: Ctx, message_id: str) -> str:
    return "\n".join(one.filename for one in ctx.db.find(Attachment, message_id=message_id))


provides = {"chat": DiscordChat()}
