"""What follows from what happens: an entry in the activity log, and deliveries to the webhooks that asked for it."""

import hashlib
import hmac
import json
from typing import Any

from legoenv_mcp.app import Ctx

from . import access, resources, times, uris
from .models import (
    ActivityLogEntry,
    GroupRelationship,
    Invitee,
    Membership,
    ScheduledEvent,
    User,
    WebhookDelivery,
    WebhookSubscription,
)

Json = dict[str, Any]


def now(ctx: Ctx) -> str:
    return times.stamp(ctx.now)


def log(ctx: Ctx, namespace: str, action: str, **details: Any) -> None:
    ctx.db.add(ActivityLogEntry(
        uuid=ctx.uuid("activity"), occurred_at=now(ctx), actor=access.me(ctx).uuid, namespace=namespace, action=action, details=details,
    ))  # fmt: skip


def signature(key: str, seconds: int, body: str) -> str:
    """The `Calendly-Webhook-Signature` header of a delivery."""
    digest = hmac.new(key.encode(), f"{seconds}.{body}".encode(), hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"


def tell(ctx: Ctx, event: str, payload: Json, users: list[str]) -> None:
    """Hands an event over to the subscriptions that it is for: the organization's, the users', their groups'."""
    for hook in ctx.db.find(WebhookSubscription, state="active"):
        if event not in hook.events or not _concerns(ctx, hook, users):
            continue
        envelope = {
            "event": event, "created_at": now(ctx), "created_by": uris.uri(User, hook.creator), "payload": payload,
        }  # fmt: skip
        body = json.dumps(envelope, separators=(",", ":"))
        signed = signature(hook.signing_key, ctx.epoch(), body) if hook.signing_key else None
        ctx.db.add(
            WebhookDelivery(
                uuid=ctx.uuid("delivery"), subscription=hook.uuid, body=body, signature=signed, created_at=now(ctx)
            )
        )


def _concerns(ctx: Ctx, hook: WebhookSubscription, users: list[str]) -> bool:
    if hook.scope == "organization":
        return True
    if hook.scope == "user":
        return hook.user in users
    members = [ctx.db.get(Membership, r.membership) for r in ctx.db.find(GroupRelationship, group=hook.group)]
    return any(found is not None and found.user in users for found in members)


def invitee_payload(ctx: Ctx, invitee: Invitee) -> Json:
    event = ctx.require(ScheduledEvent, invitee.event)
    return {**resources.invitee(ctx, invitee), "scheduled_event": resources.event(ctx, event)}


def tell_of_invitee(ctx: Ctx, event: str, invitee: Invitee) -> None:
    tell(ctx, event, invitee_payload(ctx, invitee), ctx.require(ScheduledEvent, invitee.event).hosts)
