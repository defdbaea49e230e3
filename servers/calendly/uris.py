"""Calendly names everything by URI. Rows keep the UUID; this is where one becomes the other."""

import re
from typing import TypeVar

from legoenv_mcp.app import Ctx

from . import errors
from .models import (
    AvailabilitySchedule,
    EventType,
    Group,
    Invitee,
    Membership,
    NoShow,
    Organization,
    RoutingForm,
    RoutingFormSubmission,
    ScheduledEvent,
    Table,
    User,
    WebhookSubscription,
)

R = TypeVar("R", bound=Table)
API = "https://api.calendly.com"
SITE = "https://calendly.com"
_PATHS: dict[type[Table], str] = {
    User: "users", Organization: "organizations", Membership: "organization_memberships", EventType: "event_types",
    ScheduledEvent: "scheduled_events", AvailabilitySchedule: "user_availability_schedules", NoShow: "invitee_no_shows",
    RoutingForm: "routing_forms", RoutingFormSubmission: "routing_form_submissions", WebhookSubscription: "webhook_subscriptions",
    Group: "groups",
}  # fmt: skip
_INVITEE = re.compile(rf"{re.escape(API)}/scheduled_events/([\w-]+)/invitees/([\w-]+)")
_INVITATION = re.compile(rf"{re.escape(API)}/organizations/([\w-]+)/invitations/([\w-]+)")


def uri(kind: type[Table], uuid: str) -> str:
    return f"{API}/{_PATHS[kind]}/{uuid}"


def maybe(kind: type[Table], uuid: str | None) -> str | None:
    return uri(kind, uuid) if uuid else None


def invitee_uri(event: str, uuid: str) -> str:
    return f"{API}/scheduled_events/{event}/invitees/{uuid}"


def invitation_uri(organization: str, uuid: str) -> str:
    return f"{API}/organizations/{organization}/invitations/{uuid}"


def tail(text: str) -> str:
    """The UUID of a path parameter, which agents may give as the whole URI."""
    return text.rstrip("/").rpartition("/")[2]


def row_at(ctx: Ctx, kind: type[R], uuid: str) -> R:
    """The row that a path parameter names. A URI must be of its kind."""
    if "/" in uuid and not uuid.startswith(f"{API}/{_PATHS[kind]}/"):
        raise errors.not_found()
    return ctx.require(kind, tail(uuid))


def key_of(kind: type[Table], text: str, parameter: str) -> str:
    """The UUID in a parameter that must be a URI of this kind."""
    found = re.fullmatch(rf"{re.escape(API)}/{_PATHS[kind]}/([\w-]+)", text)
    if found is None:
        raise errors.invalid((parameter, f"must be a URI as {API}/{_PATHS[kind]}/AAAAAAAAAAAAAAAA"))
    return found[1]


def row_of(ctx: Ctx, kind: type[R], text: str, parameter: str) -> R:
    """The row that a parameter's URI names."""
    return ctx.require(kind, key_of(kind, text, parameter))


def invitee_of(ctx: Ctx, text: str, parameter: str) -> Invitee:
    found = _INVITEE.fullmatch(text)
    if found is None:
        raise errors.invalid((parameter, f"must be a URI as {API}/scheduled_events/AAAA/invitees/BBBB"))
    invitee = ctx.require(Invitee, found[2])
    if invitee.event != found[1]:
        raise errors.not_found()
    return invitee


def invitation_key(text: str) -> str | None:
    found = _INVITATION.fullmatch(text)
    return found[2] if found else None
