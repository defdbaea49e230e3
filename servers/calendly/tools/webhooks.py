"""Webhook subscriptions. https://developer.calendly.com/api-docs/calendly-api/webhooks

Deliveries are kept, signed with the subscription's key, and sent to nobody.
"""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from legoenv_mcp.app import Ctx, Field

from .. import access, errors, feeds, resources, uris
from ..app import app, gone
from ..inputs import Uri, Uuid
from ..models import Group, Invitee, User, WebhookSubscription
from ..paging import MANY, Count, order_by, paged

Json = dict[str, Any]
Event = Literal[
    "invitee.created", "invitee.canceled", "invitee_no_show.created", "invitee_no_show.deleted", "routing_form_submission.created",
    "event_type.created", "event_type.updated", "event_type.deleted",
]  # fmt: skip
Scope = Literal["organization", "user", "group"]


def _check_scope(ctx: Ctx, scope: Scope, user: str | None, group: str | None) -> tuple[str | None, str | None]:
    """The user or the group of a scope. The organization's and groups' are for administrators, users' for the user too."""
    if scope == "user":
        if not user:
            raise errors.invalid(("user", "is missing"))
        return access.subject(ctx, user).uuid, None
    if not access.rules_all(ctx):
        raise errors.denied()
    if scope == "organization":
        return None, None
    if not group:
        raise errors.invalid(("group", "is missing"))
    return None, uris.row_of(ctx, Group, group, "group").uuid


@app.get("/webhook_subscriptions", tool="list_webhook_subscriptions")
def list_webhook_subscriptions(
    ctx: Ctx, organization: Uri, scope: Scope, user: Uri | None = None, group: Uri | None = None, sort: str | None = None,
    count: Count = MANY, page_token: str | None = None,
) -> Json:  # fmt: skip
    """Webhook subscriptions of the organization, a user or a group.

    organization: The organization's URI.
    scope: Whose subscriptions.
    user: The user's URI, for the scope user.
    group: The group's URI, for the scope group.
    sort: created_at:asc or created_at:desc.
    count: How many a page, at most 100.
    page_token: `next_page_token` of the page before.
    """
    found = access.organization(ctx, organization)
    person, members = _check_scope(ctx, scope, user, group)
    order = order_by(sort, ("created_at",), "created_at:asc")
    return paged(
        ctx, WebhookSubscription, resources.webhook, count, page_token, order, organization=found.uuid, scope=scope, user=person,
        group=members,
    )  # fmt: skip


@app.post("/webhook_subscriptions", tool="create_webhook_subscription", status=201)
def create_webhook_subscription(
    ctx: Ctx, url: Annotated[str, Field(max_length=2000)], events: Annotated[list[Event], Field(min_length=1, max_length=20)],
    organization: Uri, scope: Scope, user: Uri | None = None, group: Uri | None = None,
    signing_key: Annotated[str, Field(min_length=1, max_length=255)] | None = None,
) -> Json:  # fmt: skip
    """Subscribes an address to what happens: meetings booked and canceled, no-shows, event types, routing forms.

    url: The https address to call.
    events: Of what to tell. routing_form_submission.created is for the scope organization only.
    organization: The organization's URI.
    scope: Whether of the whole organization, one user or one group.
    user: The user's URI, for the scope user.
    group: The group's URI, for the scope group.
    signing_key: A secret with which deliveries are signed.
    """
    found = access.organization(ctx, organization)
    person, members = _check_scope(ctx, scope, user, group)
    if scope != "organization" and "routing_form_submission.created" in events:
        raise errors.invalid(("events", "routing_form_submission.created is only allowed for the scope organization"))
    if not _is_https(url):
        raise errors.invalid(("url", "must be an https URL"))
    if ctx.db.first(
        WebhookSubscription, callback_url=url, organization=found.uuid, scope=scope, user=person, group=members
    ):
        raise errors.exists("Hook with this url already exists")
    now = feeds.now(ctx)
    row = ctx.db.add(WebhookSubscription(
        uuid=ctx.uuid("webhook"), callback_url=url, events=list(dict.fromkeys(events)), scope=scope, organization=found.uuid,
        user=person, group=members, creator=access.me(ctx).uuid, signing_key=signing_key, created_at=now, updated_at=now,
    ))  # fmt: skip
    return {"resource": resources.webhook(row)}


def _is_https(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme == "https" and bool(parts.hostname) and " " not in url
    except ValueError:
        return False


def _visible(ctx: Ctx, uuid: str) -> WebhookSubscription:
    found = uris.row_at(ctx, WebhookSubscription, uuid)
    if found.user != access.me(ctx).uuid and not access.rules_all(ctx):
        raise errors.denied()
    return found


@app.get("/webhook_subscriptions/{uuid}", tool="get_webhook_subscription")
def get_webhook_subscription(ctx: Ctx, uuid: Uuid) -> Json:
    """One webhook subscription and whether it is active.

    uuid: The subscription's UUID or URI.
    """
    return {"resource": resources.webhook(_visible(ctx, uuid))}


@app.delete("/webhook_subscriptions/{uuid}", tool="delete_webhook_subscription", status=204)
def delete_webhook_subscription(ctx: Ctx, uuid: Uuid) -> Any:
    """Ends a webhook subscription. There is no changing one: end it and make another.

    uuid: The subscription's UUID or URI.
    """
    found = _visible(ctx, uuid)
    ctx.db.delete(found)
    return gone(ctx, uris.uri(WebhookSubscription, found.uuid))


@app.get("/sample_webhook_data", tool="get_sample_webhook_data", mcp=False)
def get_sample_webhook_data(
    ctx: Ctx, event: Event, organization: Uri, scope: Scope, user: Uri | None = None, group: Uri | None = None
) -> Json:
    """What a delivery of an event looks like, from the newest invitee that there is.

    event: The event.
    organization: The organization's URI.
    scope: Whose subscriptions.
    user: The user's URI, for the scope user.
    group: The group's URI, for the scope group.
    """
    access.organization(ctx, organization)
    person, _ = _check_scope(ctx, scope, user, group)
    mine = ctx.db.where(
        Invitee, 'event IN (SELECT uuid FROM scheduledevent WHERE ? IS NULL OR EXISTS (SELECT 1 FROM json_each(hosts) WHERE value = ?))',
        [person, person], order="-created_at", limit=1,
    )  # fmt: skip
    payload = feeds.invitee_payload(ctx, mine[0]) if mine and event.startswith("invitee") else {}
    creator = uris.uri(User, access.me(ctx).uuid)
    return {"event": event, "created_at": feeds.now(ctx), "created_by": creator, "payload": payload}
