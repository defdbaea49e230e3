"""Chat on Slack: the world's people, channels and messages as rows and back, and what one does with them."""

from datetime import UTC, datetime
from typing import Any

from legoenv_mcp.app import UPPER36, Ctx, draw
from legoenv_mcp.capabilities import Entity, Plan, call, chat
from legoenv_mcp.capabilities.people import Person

from . import mrkdwn
from .access import SLACKBOT, names, next_ts
from .models import Conversation, Member, Message, Pin, ProfileField, Reaction, User
from .posting import read


def _seconds(ctx: Ctx, text: str) -> int:
    return int(ctx.parse_time(text).timestamp()) if text else ctx.epoch()


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _user_id(ctx: Ctx, key: str) -> str:
    """A person's id follows from the key, so that a manager can be named before being filled."""
    if not key:
        return ctx.id("U", 10, UPPER36)
    number, out = int.from_bytes(draw("slack", "user", key)), "U0"
    for _ in range(9):
        number, digit = divmod(number, 36)
        out += UPPER36[digit]
    return out


def _field(ctx: Ctx, label: str) -> str:
    found = ctx.db.first(ProfileField, label=label)
    assert found is not None
    return found.id


class SlackChat(chat.Chat):
    def fill(self, ctx: Ctx, entity: Entity) -> str:
        if isinstance(entity, Person):
            return self._fill_person(ctx, entity)
        if isinstance(entity, chat.Channel):
            return self._fill_channel(ctx, entity)
        assert isinstance(entity, chat.Message)
        return self._fill_message(ctx, entity)

    def _fill_person(self, ctx: Ctx, person: Person) -> str:
        manager = _user_id(ctx, person.manager) if person.manager else ""
        known = {"Department": person.department, "Manager": manager, "City": person.city, "Country": person.country}
        row = ctx.db.add(
            User(
                id=_user_id(ctx, person.key),
                name=person.handle,
                first_name=person.first_name,
                last_name=person.last_name,
                real_name=person.name,
                display_name=person.handle,
                title=person.title,
                phone=person.phone,
                email=person.email,
                start_date=person.start_date,
                tz=person.time_zone,
                is_admin=person.admin,
                deleted=not person.active,
                updated=ctx.epoch(),
                fields={_field(ctx, label): value for label, value in known.items() if value},
            )
        )
        for general in ctx.db.find(Conversation, is_general=True) if person.active else ():
            ctx.db.add(Member(channel=general.id, user=row.id, joined=ctx.epoch()))
        return row.id

    def _fill_channel(self, ctx: Ctx, entity: chat.Channel) -> str:
        created = _seconds(ctx, entity.created)
        creator = ctx.ref(Person, entity.creator) if entity.creator else ""
        people = [ctx.ref(Person, one) for one in dict.fromkeys(entity.members)]
        kind = ("im" if len(people) <= 2 else "mpim") if entity.direct else "private" if entity.private else "public"
        fresh = ctx.db.first(Conversation, name=entity.name, creator=SLACKBOT) if entity.name else None
        columns: dict[str, Any] = {
            "kind": kind,
            "name": entity.name,
            "creator": creator,
            "created": created,
            "is_archived": entity.archived,
            "updated": created,
            "topic": entity.topic,
            "topic_creator": creator if entity.topic else "",
            "topic_set": created if entity.topic else 0,
            "purpose": entity.purpose,
            "purpose_creator": creator if entity.purpose else "",
            "purpose_set": created if entity.purpose else 0,
        }
        if kind == "mpim" and not entity.name:
            handles = sorted(u.name for u in (ctx.db.get(User, one) for one in people) if u)
            columns["name"] = f"mpdm-{'--'.join(handles)}-1"
        if fresh is not None:  # the world's own general or random channel takes the place of the fresh workspace's
            ctx.db.delete_where(Member, channel=fresh.id)
            row = ctx.db.update(fresh, **columns)
        else:
            prefix = {"im": "D", "mpim": "G"}.get(kind, "C")
            row = ctx.db.add(Conversation(id=ctx.id(prefix, 10, UPPER36), is_general=False, **columns))
        for number, one in enumerate(people):
            ctx.db.add(Member(channel=row.id, user=one, joined=created + number))
        return row.id

    def _fill_message(self, ctx: Ctx, entity: chat.Message) -> str:
        channel, at = ctx.ref(chat.Channel, entity.channel), _seconds(ctx, entity.at)
        author = ctx.ref(Person, entity.author) if entity.author else SLACKBOT
        people, channels = names(ctx, ("public", "private")) if "@" in entity.text or "#" in entity.text else ({}, {})
        row = ctx.db.add(
            Message(
                channel=channel,
                ts=_ts_at(ctx, at),
                user=author,
                text=mrkdwn.written(entity.text, people, channels),
                thread_ts=ctx.ref(chat.Message, entity.thread) if entity.thread else None,
            )
        )
        mine = ctx.db.get(Member, (channel, author))
        if mine is not None and mine.last_read < row.ts:
            ctx.db.update(mine, **read(row))
        for number, one in enumerate(entity.reactions):
            name, _, who = one.partition(":")
            ctx.db.add(Reaction(channel=channel, ts=row.ts, name=name, user=ctx.ref(Person, who), added=at + number))
        if entity.pinned:
            ctx.db.add(Pin(channel=channel, ts=row.ts, user=author, created=at))
        return row.ts

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "user" and row["id"] != SLACKBOT:
            return self._view_person(ctx, row)
        if table == "conversation":
            return self._view_channel(ctx, row)
        if table == "message" and row["subtype"] != "tombstone":
            return self._view_message(ctx, row)
        return None

    def _view_person(self, ctx: Ctx, row: dict[str, Any]) -> Person:
        fields = {f.label: row["fields"].get(f.id, "") for f in ctx.db.find(ProfileField)}
        return Person(
            id=row["id"],
            first_name=row["first_name"],
            last_name=row["last_name"],
            email=row["email"],
            handle=row["name"],
            title=row["title"],
            department=fields["Department"],
            manager=fields["Manager"],
            phone=row["phone"],
            city=fields["City"],
            country=fields["Country"],
            time_zone=row["tz"],
            start_date=row["start_date"],
            admin=row["is_admin"],
            active=not row["deleted"],
        )

    def _view_channel(self, ctx: Ctx, row: dict[str, Any]) -> chat.Channel:
        direct = row["kind"] in ("im", "mpim")
        return chat.Channel(
            id=row["id"],
            name="" if direct else row["name"],
            purpose=row["purpose"],
            topic=row["topic"],
            private=row["kind"] == "private",
            archived=row["is_archived"],
            direct=direct,
            creator=row["creator"],
            created=_iso(row["created"]),
            members=tuple(m.user for m in ctx.db.find(Member, channel=row["id"], order="joined,user")),
        )

    def _view_message(self, ctx: Ctx, row: dict[str, Any]) -> chat.Message:
        def handle(user_id: str) -> str:
            found = ctx.db.get(User, user_id)
            return found.name if found else ""

        def name(channel_id: str) -> str:
            found = ctx.db.get(Conversation, channel_id)
            return found.name if found else ""

        channel, ts = row["channel"], row["ts"]
        text = row["text"] or mrkdwn.said("", row["blocks"], row["attachments"])
        return chat.Message(
            id=ts,
            channel=channel,
            author="" if row["user"] == SLACKBOT else row["user"],
            text=mrkdwn.readable(text, handle, name),
            at=_iso(int(ts.partition(".")[0])),
            thread=row["thread_ts"] or "",
            reactions=tuple(f"{r.name}:{r.user}" for r in ctx.db.find(Reaction, channel=channel, ts=ts, order="added")),
            pinned=ctx.db.get(Pin, (channel, ts)) is not None,
        )

    def list_channels(self) -> Plan:
        yield call("list_conversations", limit=200)

    def list_messages(self, channel_id: str) -> Plan:
        yield call("get_conversation_history", channel=channel_id)

    def send_message(self, channel_id: str, text: str) -> Plan:
        yield call("post_message", channel=channel_id, text=text)

    def reply_in_thread(self, channel_id: str, message_id: str, text: str) -> Plan:
        yield call("post_message", channel=channel_id, thread_ts=message_id, text=text)

    def add_reaction(self, channel_id: str, message_id: str, emoji: str) -> Plan:
        yield call("add_reaction", channel=channel_id, timestamp=message_id, name=emoji)

    def share_file(self, channel_id: str, name: str, content: str) -> Plan:
        yield call("upload_file", channels=channel_id, filename=name, content=content)

    def remove_participant(self, channel_id: str, person_id: str) -> Plan:
        yield call("kick_from_conversation", channel=channel_id, user=person_id)

    def create_channel(self, name: str) -> Plan:
        yield call("create_conversation", name=name)

    def list_people(self) -> Plan:
        reply = yield call("list_users", limit=200)
        while cursor := (reply.get("response_metadata") or {}).get("next_cursor"):
            reply = yield call("list_users", limit=200, cursor=cursor)

    def add_participant(self, channel_id: str, person_id: str) -> Plan:
        yield call("invite_to_conversation", channel=channel_id, users=person_id)


def _ts_at(ctx: Ctx, seconds: int) -> str:
    """A timestamp of that second, unique in the workspace, so that a message is known by it alone."""
    return next_ts(ctx, "", seconds)


provides = {"chat": SlackChat()}
