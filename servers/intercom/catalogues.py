"""What contacts, conversations and tickets can be searched by."""

from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import Ctx

from . import ids, wire
from .models import (
    Contact,
    Conversation,
    ConversationContact,
    DataAttribute,
    Part,
    Segment,
    Tagging,
    Ticket,
    TicketAttribute,
    TicketState,
    TicketType,
)
from .resources import author
from .search import Catalogue, Kind, Searched
from .text import plain
from .ticketing import DESCRIPTION, TITLE

_CUSTOM = "custom_attributes."
_TICKET = "ticket_attribute."
_KINDS: dict[str, Kind] = {
    "string": "string", "list": "string", "files": "string", "integer": "integer", "decimal": "integer", "float": "integer",
    "boolean": "boolean", "date": "date", "datetime": "date",
}  # fmt: skip
# Fields that are documented, and of which this workspace's contacts have nothing.
_NEVER: dict[str, Kind] = {
    **dict.fromkeys(
        (
            "browser", "browser_language", "os", "location.country", "location.region", "location.city", "ios_app_version", "ios_device",
            "ios_app_device", "ios_os_version", "ios_app_name", "ios_sdk_version", "android_app_version", "android_device",
            "android_app_name", "android_sdk_version",
        ),
        "string",
    ),
    **dict.fromkeys(("last_email_opened_at", "last_email_clicked_at", "ios_last_seen_at", "android_last_seen_at"), "date"),
}  # fmt: skip
_STATISTICS: dict[str, Kind] = {
    **dict.fromkeys(
        (
            "time_to_assignment", "time_to_admin_reply", "time_to_first_close", "time_to_last_close", "median_time_to_reply",
            "count_reopens", "count_assignments", "count_conversation_parts",
        ),
        "integer",
    ),
    **dict.fromkeys(
        (
            "first_contact_reply_at", "first_assignment_at", "first_admin_reply_at", "first_close_at", "last_assignment_at",
            "last_contact_reply_at", "last_admin_reply_at", "last_close_at",
        ),
        "date",
    ),
    "last_closed_by_id": "string",
}  # fmt: skip


def _has(kind: Kind, name: str) -> Searched:
    return Searched(kind, lambda row: getattr(row, name))


def _grouped(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    out = dict[str, list[str]]()
    for key, value in pairs:
        out.setdefault(key, []).append(value)
    return out


def _tags(ctx: Ctx, kind: str) -> Callable[[Any], list[str]]:
    by = _grouped([(t.object_id, t.tag_id) for t in ctx.db.find(Tagging, kind=kind)])
    return lambda row: by.get(row.id, [])


def contacts(ctx: Ctx) -> Catalogue:
    customs = {a.name: a for a in ctx.db.find(DataAttribute, model="contact", custom=True)}

    def attribute(name: str) -> Searched | None:
        found = customs.get(name.removeprefix(_CUSTOM)) if name.startswith(_CUSTOM) else None
        return Searched(_KINDS[found.data_type], lambda row: row.custom_attributes.get(found.name)) if found else None

    def segments(row: Contact) -> list[str]:
        return [s.id for s in segments_of(ctx, row)]

    text = ("id", "role", "name", "avatar", "email", "phone", "external_id", "language_override")
    dates = ("created_at", "signed_up_at", "updated_at", "last_seen_at", "last_contacted_at", "last_replied_at")
    fields: dict[str, Searched] = {
        **{name: _has("string", name) for name in text},
        **{name: _has("date", name) for name in dates},
        **{name: Searched(kind, lambda row: None) for name, kind in _NEVER.items()},
        "owner_id": Searched("integer", lambda row: ids.whole(row.owner_id)),
        "email_domain": Searched("string", lambda row: (row.email or "").partition("@")[2] or None),
        "unsubscribed_from_emails": _has("boolean", "unsubscribed_from_emails"),
        "marked_email_as_spam": Searched("boolean", lambda row: False),
        "has_hard_bounced": Searched("boolean", lambda row: False),
        "tag_id": Searched("string", _tags(ctx, "contact"), ("=", "!=")),
        "segment_id": Searched("string", segments),
    }
    return Catalogue(fields, attribute, by_day=True, zone=ids.workspace(ctx).timezone, default_sort="created_at")


def segments_of(ctx: Ctx, row: Contact) -> list[Segment]:
    catalogue = contacts(ctx)
    return [s for s in ctx.db.find(Segment, order="created_at,id") if catalogue.compile(s.query)(row)]


def _shared(ctx: Ctx) -> dict[str, Searched]:
    """What conversations and tickets have alike; rows are threads."""
    people = _grouped([(j.conversation_id, j.contact_id) for j in ctx.db.find(ConversationContact)])
    teammates = _grouped([(p.conversation_id, p.author_id) for p in ctx.db.find(Part, author_type="admin")])
    return {
        "id": _has("string", "id"), "created_at": _has("date", "created_at"), "updated_at": _has("date", "updated_at"),
        "contact_ids": Searched("string", lambda row: people.get(row.id, [])),
        "teammate_ids": Searched("string", lambda row: teammates.get(row.id, [])),
        "admin_assignee_id": Searched("string", lambda row: row.admin_assignee_id, nobody=True),
        "team_assignee_id": Searched("string", lambda row: row.team_assignee_id, nobody=True),
        "open": Searched("boolean", lambda row: wire.state_of(ctx, row) != "closed"),
        "state": Searched("string", lambda row: wire.state_of(ctx, row)),
        "snoozed_until": Searched("date", lambda row: row.snoozed_until if wire.state_of(ctx, row) == "snoozed" else None),
        "tag_ids": Searched("string", _tags(ctx, "conversation")),
    }  # fmt: skip


def conversations(ctx: Ctx) -> Catalogue:
    def statistic(name: str) -> Callable[[Conversation], Any]:
        return lambda row: wire.statistics(ctx, row, wire.parts_of(ctx, row.id))[name]

    def by(name: str) -> Callable[[Conversation], Any]:
        return lambda row: author(ctx, row.author_type, row.author_id)[name]

    def attribute(name: str) -> Searched | None:
        if not name.startswith(_CUSTOM):
            return None
        own = name.removeprefix(_CUSTOM)
        return Searched("string", lambda row: row.custom_attributes.get(own))

    fields = {
        **_shared(ctx),
        "admin_assignee_id": Searched("integer", lambda row: ids.whole(row.admin_assignee_id), nobody=True),
        "team_assignee_id": Searched("integer", lambda row: ids.whole(row.team_assignee_id), nobody=True),
        "title": _has("string", "title"), "read": _has("boolean", "read"), "priority": _has("string", "priority"),
        "waiting_since": _has("date", "waiting_since"), "source.type": _has("string", "source_type"),
        "source.id": _has("string", "source_id"), "source.delivered_as": _has("string", "delivered_as"),
        "source.subject": _has("string", "subject"), "source.body": Searched("words", lambda row: plain(row.body)),
        "source.url": Searched("string", lambda row: None), "channel_initiated": _has("string", "source_type"),
        "ai_agent_participated": Searched("boolean", lambda row: False),
        **{f"source.author.{name}": Searched("string", by(name)) for name in ("id", "type", "name", "email")},
        **{f"statistics.{name}": Searched(kind, statistic(name)) for name, kind in _STATISTICS.items()},
        **{f"conversation_rating.{name}": Searched("date", lambda row: None) for name in ("requested_at", "replied_at")},
        "conversation_rating.score": Searched("integer", lambda row: None),
        "conversation_rating.remark": Searched("string", lambda row: None),
    }  # fmt: skip
    return Catalogue(fields, attribute, inclusive=True)


_TERMS = {"Customer": "request", "Back-office": "task", "Tracker": "tracker"}


def tickets(ctx: Ctx) -> Catalogue:
    rows = {t.id: t for t in ctx.db.find(Ticket)}
    kinds = {t.id: t for t in ctx.db.find(TicketType)}
    states = {s.id: s for s in ctx.db.find(TicketState)}
    customs = {a.id: a for a in ctx.db.find(TicketAttribute)}

    def attribute(name: str) -> Searched | None:
        found = customs.get(name.removeprefix(_TICKET)) if name.startswith(_TICKET) else None
        if found is None:
            return None

        def value(row: Conversation) -> Any:
            mine = rows[row.id]
            return mine.attributes.get(found.name) if mine.ticket_type_id == found.ticket_type_id else None

        return Searched(_KINDS[found.data_type], value)

    fields = {
        **_shared(ctx),
        "created_at": Searched("date", lambda row: rows[row.id].created_at),
        "title": Searched("string", lambda row: rows[row.id].attributes.get(TITLE)),
        "description": Searched("string", lambda row: rows[row.id].attributes.get(DESCRIPTION)),
        "category": Searched("string", lambda row: _TERMS[kinds[rows[row.id].ticket_type_id].category]),
        "ticket_type_id": Searched("string", lambda row: rows[row.id].ticket_type_id),
        "ticket_id": Searched("string", lambda row: str(rows[row.id].number)),
        "state": Searched("string", lambda row: states[rows[row.id].state_id].category),
    }
    return Catalogue(fields, attribute, inclusive=True)
