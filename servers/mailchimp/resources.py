"""Rows -> the API's JSON: account, audiences, members and what hangs on them. Campaigns are in `campaigns.py`."""

import hashlib
from collections.abc import Sequence
from typing import Any

from legoenv_mcp.app import Ctx

from . import times
from .models import Account, Audience, Campaign, Interest, InterestCategory, Member, MergeField, Note, Segment, Webhook
from .paging import links


def account(ctx: Ctx) -> Account:
    found = ctx.db.first(Account)
    assert found is not None
    return found


def me(ctx: Ctx) -> str:
    """The name that the account's API key writes under."""
    owner = account(ctx)
    return f"{owner.first_name} {owner.last_name}".strip()


def rate(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0


def audience(ctx: Ctx, row: Audience, total_contacts: bool = False) -> dict[str, Any]:
    short = hashlib.md5(row.id.encode()).hexdigest()[:6]
    path = f"/lists/{row.id}"
    user = account(ctx).login_id[:20]
    return {
        "id": row.id, "web_id": row.web_id, "name": row.name, "contact": row.contact,
        "permission_reminder": row.permission_reminder, "use_archive_bar": row.use_archive_bar,
        "campaign_defaults": row.campaign_defaults, "notify_on_subscribe": row.notify_on_subscribe,
        "notify_on_unsubscribe": row.notify_on_unsubscribe, "date_created": row.date_created, "list_rating": 0,
        "email_type_option": row.email_type_option, "subscribe_url_short": f"http://eepurl.com/{short}",
        "subscribe_url_long": f"https://us6.list-manage.com/subscribe?u={user}&id={row.id}",
        "beamer_address": f"us6-{short}@inbound.mailchimp.com", "visibility": row.visibility, "double_optin": row.double_optin,
        "has_welcome": row.has_welcome, "marketing_permissions": row.marketing_permissions, "modules": [],
        "stats": audience_stats(ctx, row, total_contacts),
        "_links": links(ctx, path, "Lists", ("PATCH", "DELETE"), (
            "abuse-reports", "activity", "clients", "growth-history", "interest-categories", "members", "merge-fields", "segments",
            "webhooks", "signup-forms", "locations",
        )),
    }  # fmt: skip


def audience_stats(ctx: Ctx, row: Audience, total_contacts: bool) -> dict[str, Any]:
    sent = [c for c in ctx.db.find(Campaign, list_id=row.id) if c.status == "sent" and c.send_time]
    last = max((c.send_time for c in sent), default="")
    counts, since, newest, left = dict[str, int](), dict[str, int](), "", ""
    known = ctx.db.query(
        "SELECT status, count(*) AS n, sum(CASE WHEN status = 'subscribed' THEN timestamp_opt > :last ELSE last_changed > :last END) "
        "AS since, max(timestamp_opt) AS newest, max(unsubscribed_at) AS gone FROM member WHERE list_id = :list GROUP BY status",
        {"list": row.id, "last": last},
    )
    for group in known:
        counts[group["status"]], since[group["status"]] = (group["n"], group["since"] or 0)
        newest = max(newest, group["newest"] or "") if group["status"] == "subscribed" else newest
        left = max(left, group["gone"] or "")
    engaged = ctx.db.query(
        "SELECT sum(delivery.status != 'sent') AS bounced, sum(opened_at <= :now) AS opened, sum(clicked_at <= :now) AS clicked "
        "FROM delivery JOIN campaign ON campaign.id = delivery.campaign_id WHERE campaign.list_id = :list",
        {"now": times.now(ctx), "list": row.id},
    )[0]
    # With those of whom only the sums are known.
    done = {name: (engaged[name] or 0) + sum(c.counts.get(name, 0) for c in sent) for name in engaged}
    delivered = sum(c.emails_sent for c in sent) - done["bounced"]
    stats = {
        "member_count": counts.get("subscribed", 0), "unsubscribe_count": counts.get("unsubscribed", 0),
        "cleaned_count": counts.get("cleaned", 0), "member_count_since_send": since.get("subscribed", 0),
        "unsubscribe_count_since_send": since.get("unsubscribed", 0), "cleaned_count_since_send": since.get("cleaned", 0),
        "campaign_count": len(ctx.db.find(Campaign, list_id=row.id)), "campaign_last_sent": last,
        "merge_field_count": ctx.db.count(MergeField, list_id=row.id), "avg_sub_rate": 0, "avg_unsub_rate": 0, "target_sub_rate": 0,
        "open_rate": round(100 * rate(done["opened"], delivered), 4),
        "click_rate": round(100 * rate(done["clicked"], delivered), 4),
        "last_sub_date": newest, "last_unsub_date": left,
    }  # fmt: skip
    return {**stats, "total_contacts": sum(counts.values())} if total_contacts else stats


_NOWHERE = {
    "latitude": 0, "longitude": 0, "gmtoff": 0, "dstoff": 0, "country_code": "", "timezone": "", "region": "",
}  # fmt: skip


def members(ctx: Ctx, rows: Sequence[Member]) -> list[dict[str, Any]]:
    """Members as the API tells them, what they have in common looked up once."""
    keys = [row.contact_id for row in rows]
    marks = ", ".join("?" * len(keys))
    engaged = ctx.db.query(
        f"SELECT contact_id, count(*) AS sent, sum(opened_at <= ?) AS opened, sum(clicked_at <= ?) AS clicked FROM delivery "
        f"WHERE contact_id IN ({marks}) GROUP BY contact_id",
        [times.now(ctx), times.now(ctx), *keys],
    )
    stats = {
        e["contact_id"]: {
            "avg_open_rate": rate(e["opened"] or 0, e["sent"]), "avg_click_rate": rate(e["clicked"] or 0, e["sent"]),
        } for e in engaged
    }  # fmt: skip
    tags = dict[str, list[dict[str, Any]]]()
    for tag in ctx.db.query(
        f"SELECT m.contact_id, s.id, s.name FROM segmentmember m JOIN segment s ON s.id = m.segment_id "
        f"WHERE s.type = 'static' AND m.contact_id IN ({marks}) ORDER BY s.name, s.id",
        keys,
    ):
        tags.setdefault(tag["contact_id"], []).append({"id": tag["id"], "name": tag["name"]})
    notes = dict[str, Note]()
    for note in ctx.db.find(Note, contact_id__in=keys, order="created_at,id"):
        notes[note.contact_id] = note
    groups, fields = dict[str, list[Interest]](), dict[str, list[MergeField]]()
    for key in {row.list_id: None for row in rows}:
        groups[key] = ctx.db.find(Interest, list_id=key, order="display_order,id")
        fields[key] = ctx.db.find(MergeField, list_id=key, order="display_order,merge_id")
    return [
        member(
            ctx, row, stats.get(row.contact_id), tags.get(row.contact_id, []), notes.get(row.contact_id), groups[row.list_id],
            fields[row.list_id],
        )
        for row in rows
    ]  # fmt: skip


def member(
    ctx: Ctx, row: Member, stats: dict[str, Any] | None, tags: list[dict[str, Any]], note: Note | None,
    groups: Sequence[Interest], fields: Sequence[MergeField],
) -> dict[str, Any]:  # fmt: skip
    values = {f.tag: row.merge_fields.get(f.tag, "") for f in fields}
    shown: dict[str, Any] = {
        "id": row.id, "email_address": row.email_address, "unique_email_id": row.unique_email_id, "contact_id": row.contact_id,
        "full_name": f"{values.get('FNAME', '')} {values.get('LNAME', '')}".strip(), "web_id": row.web_id,
        "email_type": row.email_type, "status": row.status,
    }  # fmt: skip
    if row.status == "unsubscribed":
        shown["unsubscribe_reason"] = row.unsubscribe_reason
    shown |= {
        "consents_to_one_to_one_messaging": True, "merge_fields": values,
        "interests": {i.id: row.interests.get(i.id, False) for i in groups},
        "stats": stats or {"avg_open_rate": 0, "avg_click_rate": 0}, "ip_signup": row.ip_signup,
        "timestamp_signup": row.timestamp_signup, "ip_opt": row.ip_opt, "timestamp_opt": row.timestamp_opt,
        "member_rating": rating(stats), "last_changed": row.last_changed, "language": row.language, "vip": row.vip,
        "email_client": "", "location": {**_NOWHERE, **row.location}, "source": row.source, "tags_count": len(tags), "tags": tags,
        "list_id": row.list_id,
    }  # fmt: skip
    if row.marketing_permissions:
        shown["marketing_permissions"] = row.marketing_permissions
    if note is not None:
        last = {"note_id": note.id, "created_at": note.created_at, "created_by": note.created_by, "note": note.note}
        shown["last_note"] = last
    path = f"/lists/{row.list_id}/members/{row.id}"
    below = ("activity", "activity-feed", "goals", "notes", "events", "tags", "actions/delete-permanent")
    shown["_links"] = links(ctx, path, "Lists/Members", ("PATCH", "PUT", "DELETE"), below)
    return shown


def rating(stats: dict[str, Any] | None) -> int:
    """Two stars for a new contact, up to five for who opens everything."""
    return 2 if stats is None else 2 + round(3 * stats["avg_open_rate"])


def one_member(ctx: Ctx, row: Member) -> dict[str, Any]:
    return members(ctx, [row])[0]


def segment(ctx: Ctx, row: Segment, member_count: int) -> dict[str, Any]:
    options = row.options if row.type == "saved" else {
        "match": "any",
        "conditions": [{"condition_type": "StaticSegment", "field": "static_segment", "op": "static_is", "value": row.id}],
    }  # fmt: skip
    return {
        "id": row.id, "name": row.name, "member_count": member_count, "type": row.type, "created_at": row.created_at,
        "updated_at": row.updated_at, "options": options, "list_id": row.list_id,
        "_links": links(ctx, f"/lists/{row.list_id}/segments/{row.id}", "Lists/Segments", ("PATCH", "DELETE"), ("members",)),
    }  # fmt: skip


def merge_field(ctx: Ctx, row: MergeField) -> dict[str, Any]:
    return {
        "merge_id": row.merge_id, "tag": row.tag, "name": row.name, "type": row.type, "required": row.required,
        "default_value": row.default_value, "public": row.public, "display_order": row.display_order, "options": row.options,
        "help_text": row.help_text, "list_id": row.list_id,
        "_links": links(
            ctx, f"/lists/{row.list_id}/merge-fields/{row.merge_id}", "Lists/MergeFields", ("PATCH", "DELETE")
        ),
    }  # fmt: skip


def category(ctx: Ctx, row: InterestCategory) -> dict[str, Any]:
    path = f"/lists/{row.list_id}/interest-categories/{row.id}"
    return {
        "list_id": row.list_id, "id": row.id, "title": row.title, "display_order": row.display_order, "type": row.type,
        "_links": links(ctx, path, "Lists/InterestCategories", ("PATCH", "DELETE"), ("interests",)),
    }  # fmt: skip


def interest(ctx: Ctx, row: Interest) -> dict[str, Any]:
    found = ctx.db.query(
        "SELECT count(*) AS n FROM member, json_each(member.interests) AS j "
        "WHERE member.list_id = ? AND member.status = 'subscribed' AND j.key = ? AND j.value",
        [row.list_id, row.id],
    )
    path = f"/lists/{row.list_id}/interest-categories/{row.category_id}/interests/{row.id}"
    return {
        "category_id": row.category_id, "list_id": row.list_id, "id": row.id, "name": row.name,
        "subscriber_count": str(found[0]["n"]), "display_order": row.display_order,
        "_links": links(ctx, path, "Lists/InterestCategories/Interests", ("PATCH", "DELETE")),
    }  # fmt: skip


def note(ctx: Ctx, row: Note, of: Member) -> dict[str, Any]:
    path = f"/lists/{of.list_id}/members/{of.id}/notes/{row.id}"
    return {
        "id": row.id, "created_at": row.created_at, "created_by": row.created_by, "updated_at": row.updated_at, "note": row.note,
        "list_id": of.list_id, "email_id": of.id, "contact_id": of.contact_id,
        "_links": links(ctx, path, "Lists/Members/Notes", ("PATCH", "DELETE")),
    }  # fmt: skip


def webhook(ctx: Ctx, row: Webhook) -> dict[str, Any]:
    path = f"/lists/{row.list_id}/webhooks/{row.id}"
    return {
        "id": row.id, "url": row.url, "events": row.events, "sources": row.sources, "list_id": row.list_id,
        "_links": links(ctx, path, "Lists/Webhooks", ("PATCH", "DELETE")),
    }  # fmt: skip
