"""Rows as Zendesk's JSON."""

from collections.abc import Mapping
from typing import Any

from legoenv_mcp.app import Ctx

from . import ids, text
from .models import (
    Attachment,
    Audit,
    Automation,
    Brand,
    Comment,
    Group,
    GroupMembership,
    Identity,
    Job,
    Macro,
    Organization,
    OrganizationMembership,
    SatisfactionRating,
    Ticket,
    TicketField,
    Trigger,
    User,
    View,
)

_SOURCE = {"from": {}, "to": {}, "rel": None}


def via(channel: str) -> dict[str, Any]:
    return {"channel": channel, "source": dict(_SOURCE)}


def dates(row: Any) -> dict[str, str]:
    return {"created_at": row.created_at, "updated_at": row.updated_at}


def fields_of(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"id": int(key), "value": value} for key, value in values.items()]


def ticket(ctx: Ctx, row: Ticket) -> dict[str, Any]:
    shown = _custom_fields(ctx, row)
    followups = ctx.db.find(Ticket, followup_source_id=row.id, deleted=False)
    rating = ctx.db.first(SatisfactionRating, ticket_id=row.id, order="-id")
    channel = via(row.via)
    if row.followup_source_id:
        channel["source"] = {"from": {"ticket_id": row.followup_source_id}, "to": {}, "rel": "follow_up"}
    return {
        "url": ids.url(ctx, f"tickets/{row.id}"), "id": row.id, "external_id": row.external_id, "via": channel, **dates(row),
        "type": row.type, "subject": row.subject, "raw_subject": row.subject, "description": row.description,
        "priority": row.priority, "status": row.status, "recipient": row.recipient, "requester_id": row.requester_id,
        "submitter_id": row.submitter_id, "assignee_id": row.assignee_id, "organization_id": row.organization_id,
        "group_id": row.group_id, "collaborator_ids": sorted({*row.email_cc_ids, *row.follower_ids}),
        "follower_ids": row.follower_ids, "email_cc_ids": row.email_cc_ids, "forum_topic_id": None,
        "problem_id": row.problem_id, "has_incidents": bool(ctx.db.count(Ticket, problem_id=row.id, deleted=False)),
        "is_public": row.is_public, "due_at": row.due_at, "tags": sorted(row.tags), "custom_fields": shown,
        "satisfaction_rating": _satisfaction(ctx, rating), "generated_timestamp": int(ctx.parse_time(row.updated_at).timestamp()),
        "sharing_agreement_ids": [], "fields": shown, "followup_ids": [t.id for t in followups], "brand_id": row.brand_id,
        "allow_channelback": False, "allow_attachments": True, "from_messaging_channel": False,
    }  # fmt: skip


def _custom_fields(ctx: Ctx, row: Ticket) -> list[dict[str, Any]]:
    """Every active custom field over REST, with null where a ticket has no value; agents are told the values there are."""
    rest = bool(ctx.request.method)
    every = [str(f.id) for f in ctx.db.find(TicketField, removable=True, active=True, order="id")] if rest else []
    return fields_of({**dict.fromkeys(every), **row.custom_fields})


def _satisfaction(ctx: Ctx, rating: SatisfactionRating | None) -> dict[str, Any] | None:
    """How a ticket is rated. That it is not is told over REST only."""
    if rating is None:
        return {"score": "unoffered"} if ctx.request.method else None
    return {"id": rating.id, "score": rating.score, "comment": rating.comment}


def deleted_ticket(ctx: Ctx, row: Ticket) -> dict[str, Any]:
    actor = ctx.db.get(User, row.deleted_by_id)
    return {
        "id": row.id, "subject": row.subject, "description": row.description, "previous_state": row.status,
        "deleted_at": row.deleted_at, "actor": {"id": row.deleted_by_id, "name": actor.name if actor else ""},
    }  # fmt: skip


def attachment(ctx: Ctx, row: Attachment) -> dict[str, Any]:
    return {
        "url": ids.url(ctx, f"attachments/{row.id}"), "id": row.id, "file_name": row.file_name, "content_type": row.content_type,
        "content_url": f"{ids.base(ctx)}/attachments/token/{row.token}/?name={row.file_name}", "size": row.size,
        "inline": False, "deleted": False, "thumbnails": [],
    }  # fmt: skip


def comment(ctx: Ctx, row: Comment) -> dict[str, Any]:
    return {
        "id": row.id, "type": "Comment", "author_id": row.author_id, "body": row.body, "html_body": text.html(row.body),
        "plain_body": row.body, "public": row.public,
        "attachments": [attachment(ctx, a) for a in ctx.db.find(Attachment, comment_id=row.id)], "audit_id": row.audit_id,
        "via": via(row.via), "created_at": row.created_at, "metadata": {"system": {}, "custom": {}},
    }  # fmt: skip


def audit(ctx: Ctx, row: Audit) -> dict[str, Any]:
    """An audit. A comment's event is told from the comment as it is now, so that redactions show."""
    events = list[dict[str, Any]]()
    for event in row.events:
        found = ctx.db.get(Comment, event["id"]) if event["type"] == "Comment" else None
        if found is not None:
            told = comment(ctx, found)
            event = {
                k: told[k]
                for k in (
                    "id",
                    "type",
                    "author_id",
                    "body",
                    "html_body",
                    "plain_body",
                    "public",
                    "attachments",
                    "audit_id",
                )
            }
        events.append(event)
    return {
        "id": row.id, "ticket_id": row.ticket_id, "created_at": row.created_at, "author_id": row.author_id,
        "metadata": {"system": {}, "custom": {}}, "events": events, "via": via(row.via),
    }  # fmt: skip


def user(ctx: Ctx, row: User) -> dict[str, Any]:
    staff = row.role != "end-user"
    return {
        "id": row.id, "url": ids.url(ctx, f"users/{row.id}"), "name": row.name, "email": row.email, **dates(row),
        "time_zone": row.time_zone, "iana_time_zone": row.time_zone, "phone": row.phone, "shared_phone_number": None, "photo": None,
        "locale_id": 1, "locale": row.locale, "organization_id": row.organization_id, "role": row.role, "verified": row.verified,
        "external_id": row.external_id, "tags": sorted(row.tags), "alias": row.alias, "active": row.active, "shared": False,
        "shared_agent": False, "last_login_at": row.last_login_at, "two_factor_auth_enabled": None, "signature": row.signature,
        "details": row.details, "notes": row.notes, "role_type": {"admin": 4, "agent": 0}.get(row.role), "custom_role_id": None,
        "moderator": staff, "ticket_restriction": None if staff else "requested", "only_private_comments": False,
        "restricted_agent": not staff, "suspended": row.suspended, "default_group_id": row.default_group_id,
        "report_csv": row.role == "admin", "user_fields": row.user_fields,
    }  # fmt: skip


def identity(ctx: Ctx, row: Identity) -> dict[str, Any]:
    shown = {
        "url": ids.url(ctx, f"users/{row.user_id}/identities/{row.id}"), "id": row.id, "user_id": row.user_id, "type": row.type,
        "value": row.value, "verified": row.verified, "primary": row.primary, **dates(row),
    }  # fmt: skip
    return {**shown, "undeliverable_count": 0, "deliverable_state": "deliverable"} if row.type == "email" else shown


def organization(ctx: Ctx, row: Organization) -> dict[str, Any]:
    return {"url": ids.url(ctx, f"organizations/{row.id}"), "id": row.id, **row.model_dump(), "tags": sorted(row.tags)}


def group(ctx: Ctx, row: Group) -> dict[str, Any]:
    return {"url": ids.url(ctx, f"groups/{row.id}"), "id": row.id, **row.model_dump()}


def group_membership(ctx: Ctx, row: GroupMembership) -> dict[str, Any]:
    return {"url": ids.url(ctx, f"group_memberships/{row.id}"), "id": row.id, **row.model_dump()}


def organization_membership(ctx: Ctx, row: OrganizationMembership) -> dict[str, Any]:
    return {
        "url": ids.url(ctx, f"organization_memberships/{row.id}"),
        "id": row.id,
        **row.model_dump(),
        "view_tickets": False,
    }


def ticket_field(ctx: Ctx, row: TicketField) -> dict[str, Any]:
    shown = row.model_dump(exclude={"options"})
    shown |= {
        "url": ids.url(ctx, f"ticket_fields/{row.id}"), "raw_title": row.title, "raw_description": row.description,
        "title_in_portal": row.title, "raw_title_in_portal": row.title, "collapsed_for_agents": False, "agent_description": None,
    }  # fmt: skip
    if row.type in ("tagger", "multiselect"):
        shown["custom_field_options"] = row.options
    elif row.options:
        shown["system_field_options"] = row.options
    return shown


def _rule(ctx: Ctx, kind: str, row: View | Macro | Trigger | Automation) -> dict[str, Any]:
    return {
        "url": ids.url(ctx, f"{kind}/{row.id}"),
        "id": row.id,
        **row.model_dump(),
        "default": False,
        "raw_title": row.title,
    }


def view(ctx: Ctx, row: View) -> dict[str, Any]:
    return _rule(ctx, "views", row)


def macro(ctx: Ctx, row: Macro) -> dict[str, Any]:
    return _rule(ctx, "macros", row)


def trigger(ctx: Ctx, row: Trigger) -> dict[str, Any]:
    return _rule(ctx, "triggers", row)


def automation(ctx: Ctx, row: Automation) -> dict[str, Any]:
    return _rule(ctx, "automations", row)


def brand(ctx: Ctx, row: Brand) -> dict[str, Any]:
    return {
        "url": ids.url(ctx, f"brands/{row.id}"),
        "id": row.id, **row.model_dump(), "brand_url": f"https://{row.subdomain}.zendesk.com",
        "help_center_state": "disabled", "host_mapping": None, "is_deleted": False, "logo": None, "ticket_form_ids": [],
        "signature_template": "{{agent.signature}}",
    }  # fmt: skip


def rating(ctx: Ctx, row: SatisfactionRating) -> dict[str, Any]:
    return {"url": ids.url(ctx, f"satisfaction_ratings/{row.id}"), "id": row.id, **row.model_dump()}


def job(ctx: Ctx, row: Job, *, queued: bool = False) -> dict[str, Any]:
    """A job as it is; `queued` as the request that started it is told."""
    return {
        "id": row.id, "job_type": row.job_type, "url": ids.url(ctx, f"job_statuses/{row.id}"), "total": row.total,
        "progress": None if queued else row.total, "status": "queued" if queued else "completed",
        "message": None if queued else row.message, "results": None if queued else row.results,
    }  # fmt: skip
