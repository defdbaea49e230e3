"""What a member did with mailings, as events in time; what lies ahead of now has not happened."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import times
from .models import Campaign, Delivery, Event, Member, Note


def of_delivery(ctx: Ctx, one: Delivery, sent_at: str) -> list[dict[str, Any]]:
    """Opens, clicks and the bounce of one mailing to one contact, the earliest first."""
    now, found = times.now(ctx), list[dict[str, Any]]()
    if one.status != "sent":
        found.append({"action": "bounce", "type": one.status, "timestamp": sent_at})
    if one.opened_at:
        opens = (times.later(one.opened_at, hours=7 * n) for n in range(one.opens))
        found += [{"action": "open", "timestamp": at} for at in opens]
    if one.clicked_at:
        found.append({"action": "click", "url": one.url, "timestamp": one.clicked_at})
    return sorted((a for a in found if a["timestamp"] <= now), key=lambda a: a["timestamp"])


def of_member(ctx: Ctx, member: Member) -> list[dict[str, Any]]:
    """All mailings to a member and what became of them, the latest first."""
    now, found = times.now(ctx), list[dict[str, Any]]()
    for one in ctx.db.find(Delivery, contact_id=member.contact_id):
        campaign = ctx.require(Campaign, one.campaign_id)
        about = {
            "campaign_id": campaign.id, "title": campaign.settings.get("title", ""), "type": campaign.type,
            "parent_campaign": campaign.parent_campaign_id,
        }  # fmt: skip
        found += [{**about, **a} for a in of_delivery(ctx, one, campaign.send_time)]
        found.append({"action": "sent", "timestamp": campaign.send_time, **about})
        if one.unsubscribed_at and one.unsubscribed_at <= now:
            found.append({"action": "unsub", "timestamp": one.unsubscribed_at, **about})
    return sorted(found, key=lambda a: (a["timestamp"], a["campaign_id"], a["action"]), reverse=True)


def feed(ctx: Ctx, member: Member) -> list[dict[str, Any]]:
    """The same with sign-up, notes and events, in the newer wording."""
    rows = list[dict[str, Any]]()
    for act in of_member(ctx, member):
        row = {
            "activity_type": act["action"], "created_at_timestamp": act["timestamp"], "campaign_id": act["campaign_id"],
            "campaign_title": act["title"],
        }  # fmt: skip
        rows.append({**row, "link_clicked": act["url"]} if "url" in act else row)
    if member.timestamp_opt:
        rows.append(
            {"activity_type": "signup", "created_at_timestamp": member.timestamp_opt, "signup_category": member.source}
        )
    for note in ctx.db.find(Note, contact_id=member.contact_id):
        rows.append(
            {
                "activity_type": "note",
                "created_at_timestamp": note.created_at,
                "note_id": str(note.id),
                "note_text": note.note,
            }
        )
    for event in ctx.db.find(Event, contact_id=member.contact_id):
        rows.append({"activity_type": "event", "created_at_timestamp": event.occurred_at, "event_name": event.name})
    return sorted(rows, key=lambda a: (a["created_at_timestamp"], a["activity_type"]), reverse=True)
