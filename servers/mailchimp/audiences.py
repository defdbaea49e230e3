"""Audiences: what a new one has, how one is erased, how one grew."""

from datetime import timedelta
from typing import Any

from legoenv_mcp.app import Ctx

from . import people, times
from .models import (
    Audience,
    Automation,
    AutomationEmail,
    Campaign,
    Delivery,
    Forgotten,
    Interest,
    InterestCategory,
    Member,
    MergeField,
    MergeType,
    QueueEntry,
    RemovedSubscriber,
    Segment,
    Webhook,
)

EMPTY_CONTACT = dict.fromkeys(("company", "address1", "address2", "city", "state", "zip", "country", "phone"), "")
_FIELDS: list[tuple[str, str, MergeType]] = [
    ("FNAME", "First Name", "text"), ("LNAME", "Last Name", "text"), ("ADDRESS", "Address", "address"),
    ("PHONE", "Phone Number", "phone"),
]  # fmt: skip


def with_merge_fields(ctx: Ctx, list_id: str) -> None:
    """The merge fields that every audience begins with."""
    sizes: dict[str, dict[str, Any]] = {
        "text": {"size": 25},
        "address": {"default_country": 164},
        "phone": {"phone_format": "none"},
    }
    for place, (tag, name, kind) in enumerate(_FIELDS, 1):
        public = tag in ("FNAME", "LNAME")
        ctx.db.add(MergeField(
            list_id=list_id, merge_id=place, tag=tag, name=name, type=kind, public=public, display_order=place + 1, options=sizes[kind],
        ))  # fmt: skip


def erase(ctx: Ctx, row: Audience) -> None:
    for campaign in ctx.db.find(Campaign, list_id=row.id):
        if campaign.status in ("schedule", "sending"):
            ctx.db.update(campaign, status="save", send_time="")
        ctx.db.update(campaign, list_id=None, segment_opts={})
    for flow in ctx.db.find(Automation, list_id=row.id):
        for email in ctx.db.find(AutomationEmail, automation_id=flow.id):
            ctx.db.delete_where(QueueEntry, email_id=email.id)
            ctx.db.delete(email)
        ctx.db.delete_where(RemovedSubscriber, automation_id=flow.id)
        ctx.db.delete(flow)
    for member in ctx.db.find(Member, list_id=row.id):
        people.forget(ctx, member)
    for kind in (Segment, Webhook, Interest, InterestCategory, MergeField, Forgotten):
        ctx.db.delete_where(kind, list_id=row.id)
    ctx.db.delete(row)


def growth(ctx: Ctx, row: Audience) -> list[dict[str, Any]]:
    """By month: those who were there, and those who came, by themselves or imported."""
    months, before = dict[str, dict[str, int]](), 0
    gone = {"unsubscribed": "unsubscribed", "cleaned": "cleaned", "pending": "pending"}
    for member in ctx.db.find(Member, list_id=row.id):
        month = (member.timestamp_opt or member.timestamp_signup or member.last_changed)[:7]
        kept = months.setdefault(
            month, {"imports": 0, "optins": 0, "subscribed": 0, "unsubscribed": 0, "cleaned": 0, "pending": 0}
        )
        kept["optins" if member.timestamp_signup else "imports"] += 1
        kept[gone.get(member.status, "subscribed")] += 1
    out = list[dict[str, Any]]()
    for month in sorted(months):
        kept = months[month]
        out.append({"list_id": row.id, "month": month, "existing": before, "imports": kept["imports"], "optins": kept["optins"],
                    **{n: kept[n] for n in ("subscribed", "unsubscribed", "cleaned", "pending")}})  # fmt: skip
        before += kept["imports"] + kept["optins"]
    return out


def days(ctx: Ctx, row: Audience) -> list[dict[str, Any]]:
    """What happened on each of the last 180 days, the latest first; days without anything are left out."""
    now, first = times.now(ctx), times.iso(ctx.now - timedelta(days=180))[:10]
    found = dict[str, dict[str, int]]()

    def note(moment: str | None, what: str, amount: int = 1) -> None:
        if moment and first <= moment[:10] and moment <= now:
            day = found.setdefault(moment[:10], {})
            day[what] = day.get(what, 0) + amount

    for campaign in ctx.db.find(Campaign, list_id=row.id, status="sent"):
        note(campaign.send_time, "emails_sent", campaign.emails_sent)
        for one in ctx.db.find(Delivery, campaign_id=campaign.id):
            note(one.opened_at, "unique_opens")
            note(one.clicked_at, "recipient_clicks")
            note(campaign.send_time, f"{one.status}_bounce", int(one.status != "sent"))
    for member in ctx.db.find(Member, list_id=row.id):
        note(member.timestamp_opt, "subs")
        note(member.unsubscribed_at, "unsubs")
    names = ("emails_sent", "unique_opens", "recipient_clicks", "hard_bounce", "soft_bounce", "subs", "unsubs")
    return [
        {"day": day, **{name: found[day].get(name, 0) for name in names}, "other_adds": 0, "other_removes": 0}
        for day in sorted(found, reverse=True)
    ]
