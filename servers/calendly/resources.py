"""Rows as Calendly's JSON."""

import hashlib
import html
from typing import Any

from legoenv_mcp.app import Ctx

from . import models as m
from .uris import API, SITE, invitation_uri, invitee_uri, maybe, uri

Json = dict[str, Any]


def user(row: m.User) -> Json:
    return {
        "uri": uri(m.User, row.uuid), "name": row.name, "slug": row.slug, "email": row.email, "scheduling_url": f"{SITE}/{row.slug}",
        "timezone": row.timezone, "time_notation": row.time_notation, "avatar_url": None, "locale": row.locale,
        "created_at": row.created_at, "updated_at": row.updated_at,
    }  # fmt: skip


def account(row: m.User, organization: str) -> Json:
    """A user as `/users` shows one."""
    return {**user(row), "current_organization": uri(m.Organization, organization), "resource_type": "User"}


def organization(row: m.Organization) -> Json:
    return {
        "uri": uri(m.Organization, row.uuid), "name": row.name, "plan": row.plan, "stage": row.stage, "created_at": row.created_at,
        "updated_at": row.updated_at,
    }  # fmt: skip


def membership(ctx: Ctx, row: m.Membership) -> Json:
    return {
        "uri": uri(m.Membership, row.uuid), "role": row.role, "user": user(ctx.require(m.User, row.user)),
        "organization": uri(m.Organization, row.organization), "created_at": row.created_at, "updated_at": row.updated_at,
    }  # fmt: skip


def invitation(row: m.Invitation) -> Json:
    return {
        "uri": invitation_uri(row.organization, row.uuid), "organization": uri(m.Organization, row.organization), "email": row.email,
        "status": row.status, "created_at": row.created_at, "updated_at": row.updated_at, "last_sent_at": row.last_sent_at,
        **({"user": uri(m.User, row.user)} if row.user else {}),
    }  # fmt: skip


def group(ctx: Ctx, row: m.Group) -> Json:
    return {
        "uri": uri(m.Group, row.uuid), "organization": uri(m.Organization, row.organization), "name": row.name,
        "member_count": ctx.db.count(m.GroupRelationship, group=row.uuid), "created_at": row.created_at, "updated_at": row.updated_at,
    }  # fmt: skip


def relationship(ctx: Ctx, row: m.GroupRelationship) -> Json:
    owner = ctx.require(m.Membership, row.membership)
    return {
        "uri": f"{API}/group_relationships/{row.uuid}", "created_at": row.created_at, "updated_at": row.updated_at, "role": row.role,
        "owner": {"type": "OrganizationMembership", "uri": uri(m.Membership, owner.uuid), "user": uri(m.User, owner.user)},
        "organization": uri(m.Organization, owner.organization), "group": uri(m.Group, row.group),
    }  # fmt: skip


def scheduling_url(ctx: Ctx, row: m.EventType) -> str:
    if row.link:
        return f"{SITE}/d/{row.link}"
    return f"{SITE}/{ctx.require(m.User, row.owner).slug}/{row.slug}"


def event_type(ctx: Ctx, row: m.EventType) -> Json:
    owner = ctx.require(m.User, row.owner)
    text = row.description
    return {
        "uri": uri(m.EventType, row.uuid), "name": row.name, "active": row.active, "slug": row.slug,
        "scheduling_url": scheduling_url(ctx, row), "duration": row.duration, "duration_options": row.duration_options,
        "kind": row.kind, "pooling_type": row.pooling_type, "type": row.type, "color": row.color, "created_at": row.created_at,
        "updated_at": row.updated_at, "internal_note": row.internal_note, "is_paid": False, "description_plain": text,
        "description_html": f"<p>{html.escape(text, quote=False)}</p>" if text else None,
        "profile": {"type": "User", "name": owner.name, "owner": uri(m.User, owner.uuid)}, "secret": row.secret,
        "booking_method": "instant", "custom_questions": row.custom_questions, "deleted_at": row.deleted_at,
        "admin_managed": row.admin_managed, "locations": row.locations, "position": row.position, "locale": row.locale,
        "start_time_increment": row.start_time_increment, "before_buffer": row.before_buffer, "after_buffer": row.after_buffer,
    }  # fmt: skip


def schedule(row: m.AvailabilitySchedule) -> Json:
    return {
        "uri": uri(m.AvailabilitySchedule, row.uuid), "default": row.default, "name": row.name, "user": uri(m.User, row.user),
        "timezone": row.timezone, "rules": row.rules,
    }  # fmt: skip


def event(ctx: Ctx, row: m.ScheduledEvent) -> Json:
    invitees = ctx.db.find(m.Invitee, event=row.uuid)
    shown: Json = {
        "uri": uri(m.ScheduledEvent, row.uuid), "name": row.name, "meeting_notes_plain": None, "meeting_notes_html": None,
        "status": row.status, "start_time": row.start_time, "end_time": row.end_time, "event_type": uri(m.EventType, row.event_type),
        "location": row.location,
        "invitees_counter": {"total": len(invitees), "active": sum(i.status == "active" for i in invitees), "limit": 1},
        "created_at": row.created_at, "updated_at": row.updated_at,
        "event_memberships": [
            {
                "user": uri(m.User, host.uuid), "user_email": host.email, "user_name": host.name,
                "buffered_start_time": row.buffered_start_time, "buffered_end_time": row.buffered_end_time,
            }
            for host in (ctx.require(m.User, h) for h in row.hosts)
        ],
        "event_guests": [{"email": g, "created_at": row.created_at, "updated_at": row.created_at} for g in row.guests],
        "calendar_event": {"kind": "google", "external_id": hashlib.sha256(row.uuid.encode()).hexdigest()[:26]},
    }  # fmt: skip
    return {**shown, "cancellation": row.cancellation} if row.cancellation else shown


def invitee(ctx: Ctx, row: m.Invitee) -> Json:
    mark = ctx.db.first(m.NoShow, invitee=row.uuid)
    shown: Json = {
        "uri": invitee_uri(row.event, row.uuid), "email": row.email, "first_name": row.first_name, "last_name": row.last_name,
        "name": row.name, "status": row.status, "questions_and_answers": row.questions_and_answers, "timezone": row.timezone,
        "event": uri(m.ScheduledEvent, row.event), "created_at": row.created_at, "updated_at": row.updated_at,
        "tracking": row.tracking, "text_reminder_number": row.text_reminder_number, "rescheduled": row.rescheduled,
        "old_invitee": row.old_invitee, "new_invitee": row.new_invitee, "cancel_url": f"{SITE}/cancellations/{row.uuid}",
        "reschedule_url": f"{SITE}/reschedulings/{row.uuid}", "routing_form_submission": None, "payment": None,
        "no_show": {"uri": uri(m.NoShow, mark.uuid), "created_at": mark.created_at} if mark else None, "reconfirmation": None,
        "scheduling_method": row.scheduling_method, "invitee_scheduled_by": row.invitee_scheduled_by,
    }  # fmt: skip
    return {**shown, "cancellation": row.cancellation} if row.cancellation else shown


def no_show(ctx: Ctx, row: m.NoShow) -> Json:
    who = ctx.require(m.Invitee, row.invitee)
    return {"uri": uri(m.NoShow, row.uuid), "invitee": invitee_uri(who.event, who.uuid), "created_at": row.created_at}


def booking_url(ctx: Ctx, row: m.SchedulingLink) -> str:
    kind = ctx.require(m.EventType, row.event_type)
    return f"{SITE}/d/{row.code}/{kind.slug or kind.uuid}"


def link(ctx: Ctx, row: m.SchedulingLink) -> Json:
    return {"booking_url": booking_url(ctx, row), "owner": uri(m.EventType, row.event_type), "owner_type": "EventType"}


def routing_form(row: m.RoutingForm) -> Json:
    return {
        "uri": uri(m.RoutingForm, row.uuid), "organization": uri(m.Organization, row.organization), "name": row.name,
        "status": row.status, "questions": row.questions, "created_at": row.created_at, "updated_at": row.updated_at,
    }  # fmt: skip


def submission(row: m.RoutingFormSubmission) -> Json:
    return {
        "uri": uri(m.RoutingFormSubmission, row.uuid), "routing_form": uri(m.RoutingForm, row.routing_form),
        "questions_and_answers": row.questions_and_answers, "tracking": row.tracking, "result": row.result,
        "submitter": row.submitter, "submitter_type": "Invitee" if row.submitter else None, "created_at": row.created_at,
        "updated_at": row.updated_at,
    }  # fmt: skip


def webhook(row: m.WebhookSubscription) -> Json:
    return {
        "uri": uri(m.WebhookSubscription, row.uuid), "callback_url": row.callback_url, "created_at": row.created_at,
        "updated_at": row.updated_at, "retry_started_at": None, "state": row.state, "events": row.events, "scope": row.scope,
        "organization": uri(m.Organization, row.organization), "user": maybe(m.User, row.user), "group": maybe(m.Group, row.group),
        "creator": uri(m.User, row.creator),
    }  # fmt: skip


def log_entry(ctx: Ctx, row: m.ActivityLogEntry, organization: str) -> Json:
    actor = ctx.require(m.User, row.actor)
    return {
        "occurred_at": row.occurred_at, "uri": f"{API}/activity_log_entries/{row.uuid}", "namespace": row.namespace,
        "action": row.action, "fully_qualified_name": f"{row.namespace}.{row.action}",
        "actor": {
            "uri": uri(m.User, actor.uuid), "type": "User", "display_name": actor.name, "alternative_identifier": actor.email,
        },
        "details": row.details, "organization": uri(m.Organization, organization),
    }  # fmt: skip
