"""Rows as Intercom's JSON: people, companies and what is attached to them."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import ids
from .models import (
    Admin,
    AwayStatusReason,
    Company,
    Contact,
    ContactCompany,
    ContactSubscription,
    Note,
    Segment,
    SubscriptionType,
    Tag,
    Tagging,
    Team,
    TeamMember,
)

_SHOWN = 10
_PLACE = {
    "type": "location",
    "country": None,
    "region": None,
    "city": None,
    "country_code": None,
    "continent_code": None,
}
_DEVICES = {
    **{f"android_{n}": None for n in ("app_name", "app_version", "device", "os_version", "sdk_version", "last_seen_at")},
    **{f"ios_{n}": None for n in ("app_name", "app_version", "device", "os_version", "sdk_version", "last_seen_at")},
}  # fmt: skip
_CAMPAIGN = {f"utm_{n}": None for n in ("campaign", "content", "medium", "source", "term")}


def admin(ctx: Ctx, row: Admin) -> dict[str, Any]:
    teams = ctx.db.find(TeamMember, admin_id=row.id)
    return {
        "type": "admin", "id": row.id, "name": row.name, "email": row.email, "job_title": row.job_title,
        "away_mode_enabled": row.away_mode_enabled, "away_mode_reassign": row.away_mode_reassign,
        "away_status_reason_id": row.away_status_reason_id, "has_inbox_seat": row.has_inbox_seat,
        "team_ids": (own := [int(t.team_id) for t in teams]),
        "team_priority_level": {"primary_team_ids": own, "secondary_team_ids": []}, "avatar": {"type": "avatar", "image_url": None},
    }  # fmt: skip


def author(ctx: Ctx, kind: str, key: str) -> dict[str, Any]:
    """Who wrote: a teammate, a contact, or the workspace's bot."""
    if kind == "bot":
        address = f"operator+{ids.workspace(ctx).id}@intercom.io"
        return {"type": "bot", "id": key, "name": "Operator", "email": address}
    found = ctx.db.get(Admin, key) if kind == "admin" else ctx.db.get(Contact, key)
    name, email = (found.name, found.email) if found else (None, None)
    return {"type": kind, "id": key, "name": name, "email": email}


def away_reason(row: AwayStatusReason) -> dict[str, Any]:
    return {
        "type": "away_status_reason", "id": row.id, "label": row.label, "emoji": row.emoji, "order": row.order,
        "deleted": row.deleted, "created_at": row.created_at, "updated_at": row.updated_at,
    }  # fmt: skip


def team(ctx: Ctx, row: Team) -> dict[str, Any]:
    members = [int(m.admin_id) for m in ctx.db.find(TeamMember, team_id=row.id)]
    return {
        "type": "team", "id": row.id, "name": row.name, "admin_ids": members,
        "admin_priority_level": {"primary_admin_ids": members, "secondary_admin_ids": []},
        "assignment_limit": row.assignment_limit, "distribution_method": row.distribution_method,
    }  # fmt: skip


def tag(row: Tag) -> dict[str, Any]:
    return {"type": "tag", "id": row.id, "name": row.name}


def applied(ctx: Ctx, row: Tag, tagging: Tagging | None) -> dict[str, Any]:
    """A tag as it is on something: when and by whom it was put there."""
    if tagging is None:
        return tag(row)
    by = {"type": "admin", "id": tagging.admin_id} if tagging.admin_id else None
    return {**tag(row), "applied_at": tagging.applied_at, "applied_by": by}


def tags_of(ctx: Ctx, kind: str, key: str) -> list[dict[str, Any]]:
    taggings = ctx.db.find(Tagging, kind=kind, object_id=key, order="applied_at,tag_id")
    return [applied(ctx, ctx.require(Tag, t.tag_id), t) for t in taggings]


def company(ctx: Ctx, row: Company) -> dict[str, Any]:
    workspace = ids.workspace(ctx)
    people = ctx.db.query(
        'SELECT count(*) AS n FROM contactcompany c JOIN contact p ON p.id = c.contact_id WHERE c.company_id = ? AND p.archived = 0',
        (row.id,),
    )  # fmt: skip
    return {
        "type": "company", "company_id": row.company_id, "id": row.id, "app_id": workspace.id, "name": row.name,
        "remote_created_at": row.remote_created_at, "created_at": row.created_at, "updated_at": row.updated_at,
        "last_request_at": None, "monthly_spend": row.monthly_spend, "session_count": 0, "user_count": people[0]["n"],
        "size": row.size, "website": row.website, "industry": row.industry,
        "tags": {"type": "tag.list", "tags": tags_of(ctx, "company", row.id)},
        "segments": {"type": "segment.list", "segments": []},
        "plan": {"type": "plan", "id": row.plan, "name": row.plan} if row.plan else {},
        "custom_attributes": row.custom_attributes,
    }  # fmt: skip


def _listed(items: list[dict[str, Any]], url: str) -> dict[str, Any]:
    return {
        "type": "list", "data": items[:_SHOWN], "url": url, "total_count": len(items), "has_more": len(items) > _SHOWN,
    }  # fmt: skip


def contact(ctx: Ctx, row: Contact) -> dict[str, Any]:
    place = f"/contacts/{row.id}"

    def attached(kind: str, keys: list[str], path: str) -> list[dict[str, Any]]:
        return [{"type": kind, "id": key, "url": f"/{path}/{key}"} for key in keys]

    tags = [t.tag_id for t in ctx.db.find(Tagging, kind="contact", object_id=row.id)]
    notes = [n.id for n in ctx.db.find(Note, contact_id=row.id, order="-created_at,-id")]
    firms = [c.company_id for c in ctx.db.find(ContactCompany, contact_id=row.id, order="created_at,company_id")]
    consents = ctx.db.find(ContactSubscription, contact_id=row.id)
    opted = {
        way: attached(
            "subscription", [c.subscription_id for c in consents if c.consent_type == way], "subscription_types"
        )
        for way in ("opt_out", "opt_in")
    }
    return {
        "type": "contact", "id": row.id, "workspace_id": ids.workspace(ctx).id, "external_id": row.external_id, "role": row.role,
        "email": row.email, "email_domain": (row.email or "").partition("@")[2] or None, "phone": row.phone, "name": row.name,
        "avatar": row.avatar, "owner_id": ids.whole(row.owner_id), "social_profiles": {"type": "list", "data": []},
        "has_hard_bounced": False, "marked_email_as_spam": False, "unsubscribed_from_emails": row.unsubscribed_from_emails,
        "created_at": row.created_at, "updated_at": row.updated_at, "signed_up_at": row.signed_up_at,
        "last_seen_at": row.last_seen_at, "last_replied_at": row.last_replied_at, "last_contacted_at": row.last_contacted_at,
        "last_email_opened_at": None, "last_email_clicked_at": None, "language_override": row.language_override,
        "browser": None, "browser_version": None, "browser_language": None, "os": None, "location": _PLACE, **_DEVICES,
        "custom_attributes": row.custom_attributes,
        "tags": _listed(attached("tag", tags, "tags"), f"{place}/tags"),
        "notes": _listed(attached("note", notes, "notes"), f"{place}/notes"),
        "companies": _listed(attached("company", firms, "companies"), f"{place}/companies"),
        "opted_out_subscription_types": _listed(opted["opt_out"], f"{place}/subscriptions"),
        "opted_in_subscription_types": _listed(opted["opt_in"], f"{place}/subscriptions"),
        **_CAMPAIGN, "referrer": None, "enabled_push_messaging": None,
    }  # fmt: skip


def note(ctx: Ctx, row: Note) -> dict[str, Any]:
    by = ctx.db.get(Admin, row.author_id) if row.author_id else None
    shown = None
    if by is not None:
        shown = {
            "type": "admin", "id": by.id, "name": by.name, "email": by.email, "away_mode_enabled": by.away_mode_enabled,
            "away_mode_reassign": by.away_mode_reassign,
        }  # fmt: skip
    return {
        "type": "note", "id": row.id, "created_at": row.created_at, "contact": {"type": "contact", "id": row.contact_id},
        "author": shown, "body": row.body,
    }  # fmt: skip


def segment(row: Segment) -> dict[str, Any]:
    return {
        "type": "segment", "id": row.id, "name": row.name, "created_at": row.created_at, "updated_at": row.updated_at,
        "person_type": row.person_type,
    }  # fmt: skip


def subscription(row: SubscriptionType) -> dict[str, Any]:
    words = {"name": row.name, "description": row.description, "locale": "en"}
    return {
        "type": "subscription", "id": row.id, "state": "live", "consent_type": row.consent_type, "default_translation": words,
        "translations": [words], "content_types": row.content_types,
    }  # fmt: skip
