"""Data attributes and data events. https://developers.intercom.com/docs/references/rest-api/api.intercom.io/data-attributes"""

import re
from typing import Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import HEX, MISSING, Ctx

from .. import errors, ids, threads
from ..app import app, done
from ..inputs import Seconds, Text
from ..models import Contact, DataAttribute, DataEvent, EventSummary, Model

_NAME = re.compile(r"[\w \-$€£¥]+")
_KEYS = 10
# What contacts and companies have of themselves: name, label, kind, and whether the API may write it.
_OWN: dict[str, list[tuple[str, str, str, bool]]] = {
    "contact": [
        ("name", "Name", "string", True), ("email", "Email", "string", True), ("phone", "Phone", "string", True),
        ("external_id", "User ID", "string", True), ("owner_id", "Owner", "integer", True), ("signed_up_at", "Signed up", "date", True),
        ("last_seen_at", "Last seen", "date", True), ("created_at", "First seen", "date", False),
        ("last_contacted_at", "Last contacted", "date", False), ("last_replied_at", "Last heard from", "date", False),
        ("unsubscribed_from_emails", "Unsubscribed from Emails", "boolean", True),
    ],
    "company": [
        ("name", "Company name", "string", True), ("company_id", "Company ID", "string", False), ("plan.name", "Plan", "string", True),
        ("size", "Company size", "integer", True), ("website", "Company website", "string", True),
        ("industry", "Company industry", "string", True), ("monthly_spend", "Monthly Spend", "float", True),
        ("remote_created_at", "Company created at", "date", True), ("user_count", "People", "integer", False),
    ],
}  # fmt: skip


class Option(TypedDict):
    """A value to choose."""

    value: str


def _built_in(model: str) -> list[dict[str, Any]]:
    return [
        {
            "type": "data_attribute", "name": name.rpartition(".")[2], "full_name": name, "label": label, "description": "",
            "data_type": kind, "api_writable": writable, "ui_writable": False, "messenger_writable": True, "custom": False,
            "archived": False, "model": model,
        }
        for name, label, kind, writable in _OWN[model]
    ]  # fmt: skip


def shown(row: DataAttribute) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": row.id, "type": "data_attribute", "name": row.name, "full_name": f"custom_attributes.{row.name}", "label": row.label,
        "description": row.description, "data_type": row.data_type, "api_writable": row.api_writable, "ui_writable": row.ui_writable,
        "messenger_writable": row.messenger_writable, "custom": True, "archived": row.archived, "admin_id": row.admin_id,
        "created_at": row.created_at, "updated_at": row.updated_at, "model": row.model,
    }  # fmt: skip
    return made | ({"options": row.options} if row.options else {})


@app.get("/data_attributes", tool="list_data_attributes")
def list_data_attributes(ctx: Ctx, model: Model | None = None, include_archived: bool | None = None) -> dict[str, Any]:
    """Lists the attributes that contacts and companies have: their own, and the workspace's custom ones.

    model: Only those of contacts, or of companies.
    include_archived: Whether archived ones are listed too.
    """
    rows = ctx.db.find(DataAttribute, model=model, archived=None if include_archived else False)
    built = [one for name in _OWN if model in (None, name) for one in _built_in(name)]
    return {"type": "list", "data": [*built, *(shown(r) for r in rows)]}


def _options(options: list[Option] | None) -> list[str]:
    values = list(dict.fromkeys(o["value"] for o in options or []))
    if len(values) < 2:
        raise errors.invalid_parameter("Options isn't an array")
    return values


@app.post("/data_attributes", tool="create_data_attribute", mcp=False)
def create_data_attribute(
    ctx: Ctx, name: str, model: Text, data_type: str | None = None, description: str | None = None,
    options: list[Option] | None = None, messenger_writable: bool | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Adds a custom attribute to contacts or companies.

    name: Its name, which cannot change.
    model: contact or company.
    data_type: string, integer, float, boolean, date or datetime; options, with `options`, for a choice.
    description: What it is.
    options: The values to choose from, at least two, each {"value"}.
    messenger_writable: Whether the Messenger may set it.
    """
    if model not in ("contact", "company"):
        raise errors.invalid_parameter("The Data Attribute model field must be either contact or company")
    if not _NAME.fullmatch(name):
        raise errors.invalid_parameter(
            "Your name for this attribute must only contain alphanumeric characters, currency symbols, and hyphens"
        )
    twin = next((a for a in ctx.db.find(DataAttribute) if a.name.casefold() == name.casefold()), None)
    if twin is not None:
        there, here = ("company" if m == "company" else "people" for m in (twin.model, model))
        raise errors.invalid_parameter(
            f"You already have '{twin.name}' in your {there} data. To save this as new {here} data, use a different name."
        )
    kinds = {"datetime": "date", "options": "string", None: "string"} | {
        k: k for k in ("string", "integer", "float", "boolean", "date")
    }
    if data_type not in kinds or (data_type is None and options is None):
        raise errors.invalid_parameter("Data Type isn't an option")
    when = ctx.epoch()
    row = ctx.db.add(DataAttribute(
        id=int(ids.number(ctx, "attribute")), model="company" if model == "company" else "contact", name=name, label=name,
        description=description or "", data_type=kinds[data_type],  # pyright: ignore[reportArgumentType]
        options=_options(options) if data_type == "options" or options is not None else [], messenger_writable=bool(messenger_writable),
        ui_writable=False, admin_id=ids.me(ctx).id, created_at=when, updated_at=when,
    ))  # fmt: skip
    return shown(row)


@app.put("/data_attributes/{data_attribute_id}", tool="update_data_attribute", mcp=False)
def update_data_attribute(
    ctx: Ctx, data_attribute_id: int, archived: bool | MISSING = MISSING, description: str | MISSING = MISSING,
    options: list[Option] | MISSING = MISSING, messenger_writable: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes or archives a custom attribute. Name and kind stay.

    data_attribute_id: The attribute's id.
    archived: Whether it is no longer used.
    description: What it is.
    options: The values to choose from, at least two, each {"value"}.
    messenger_writable: Whether the Messenger may set it.
    """
    row, sent = ctx.require(DataAttribute, data_attribute_id), ctx.sent()
    if "options" in sent:
        sent["options"] = _options(sent["options"])
    return shown(ctx.db.update(row, **sent, updated_at=ctx.epoch()))


@app.post("/events", tool="submit_data_event", status=202)
def submit_data_event(
    ctx: Ctx, event_name: str, created_at: Seconds | None = None, user_id: Text | None = None, id: Text | None = None,
    email: str | None = None, metadata: dict[str, Any] | None = None,
) -> Any:  # fmt: skip
    """Tracks that a contact did something. The same event of the same second is tracked once.

    event_name: What happened, as a verb in the past and a noun, such as placed-order.
    created_at: When, in seconds since 1970; now where left out.
    user_id: The contact's external_id.
    id: The contact's id, as Intercom gave it.
    email: The contact's e-mail address.
    metadata: Up to 10 values about it; more are left out.
    """
    who = threads.contact_of(ctx, id, user_id, email)
    if not event_name.strip():
        raise errors.invalid_parameter("Event name is required")
    when = ctx.epoch() if created_at is None else created_at
    if not ctx.db.count(DataEvent, contact_id=who.id, event_name=event_name, created_at=when):
        kept = dict(list((metadata or {}).items())[:_KEYS])
        ctx.db.add(
            DataEvent(
                id=ctx.id("", 24, HEX, kind="event"),
                contact_id=who.id,
                event_name=event_name,
                created_at=when,
                metadata_=kept,
            )
        )
    return done(ctx, {"type": "event", "event_name": event_name, "intercom_user_id": who.id, "created_at": when}, 202)


@app.get("/events", tool="list_data_events")
def list_data_events(
    ctx: Ctx, type: Literal["user"] = "user", user_id: str | None = None, intercom_user_id: str | None = None, email: str | None = None,
    summary: bool | None = None, per_page: int = 50,
) -> dict[str, Any]:  # fmt: skip
    """Lists what a contact did in the last 90 days, latest first, or sums up all of it.

    type: Always user.
    user_id: The contact's external_id.
    intercom_user_id: The contact's id, as Intercom gave it.
    email: The contact's e-mail address.
    summary: Whether to count events by name instead.
    per_page: How many to return, at most 150.
    """
    who = threads.contact_of(ctx, intercom_user_id, user_id, email)
    named = {"pages": {"next": None}, "email": who.email, "intercom_user_id": who.id, "user_id": who.external_id}
    rows = ctx.db.find(DataEvent, contact_id=who.id, order="-created_at,id")
    if summary:
        return {"type": "event.summary", "events": _sums(ctx, who, rows), **named}
    recent = [e for e in rows if e.created_at > ctx.epoch() - 90 * 86400][: max(1, min(per_page, 150))]
    events = [
        {
            "type": "event", "id": e.id, "event_name": e.event_name, "created_at": e.created_at, "user_id": who.external_id,
            "email": who.email, "intercom_user_id": who.id, "metadata": e.metadata_,
        }
        for e in recent
    ]  # fmt: skip
    return {"type": "event.list", "events": events, **named}


def _sums(ctx: Ctx, who: Contact, rows: list[DataEvent]) -> list[dict[str, Any]]:
    sums = {
        s.event_name: {"name": s.event_name, "count": s.count, "first": s.first, "last": s.last}
        for s in ctx.db.find(EventSummary, contact_id=who.id)
    }
    for event in rows:
        at = event.created_at
        one = sums.setdefault(event.event_name, {"name": event.event_name, "count": 0, "first": at, "last": at})
        one.update(count=one["count"] + 1, first=min(one["first"], at), last=max(one["last"], at))
    return [{**one, "description": ""} for one in sums.values()]


class Summary(TypedDict, total=False):
    """How often something happened, first and last when."""

    event_name: str
    count: int
    first: Seconds
    last: Seconds


@app.post("/events/summaries", tool="create_event_summary", effect="update", mcp=False)
def create_event_summary(ctx: Ctx, user_id: Text, event_summaries: Summary) -> Any:
    """Tells how often a contact did something before events were tracked.

    user_id: The contact's external_id.
    event_summaries: The event's name, count, and first and last time.
    """
    who = threads.contact_of(ctx, None, user_id, None)
    said = event_summaries
    name, count = said.get("event_name"), said.get("count", 1)
    if not name or count < 1:
        raise errors.invalid_parameter("Event name and a positive count are required")
    times = {"first": said.get("first", ctx.epoch()), "last": said.get("last", ctx.epoch())}
    row = ctx.db.get(EventSummary, (who.id, name))
    if row is None:
        ctx.db.add(EventSummary(contact_id=who.id, event_name=name, count=count, **times))
    else:
        ctx.db.update(row, count=count, **times)
    return done(ctx, {"type": "event.summary", "intercom_user_id": who.id}, 200)
