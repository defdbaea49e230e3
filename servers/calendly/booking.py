"""Making and unmaking meetings, whoever asks for it: the API, a single-use link, an invitee who reschedules or cancels."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from legoenv_mcp.app import Ctx

from . import errors, feeds, times, uris
from .availability import Offer, open_starts
from .inputs import TRACKING
from .models import Invitee, ScheduledEvent

Json = dict[str, Any]
_EMAIL = re.compile(r"[^@\s,;<>()\"]+@[^@\s,;<>()\"]+\.[^@\s.,;<>()\"]+")
_PHONE = re.compile(r"\+[\d\s().-]{6,30}")
_ASKED = ("ask_invitee", "outbound_call")
"""Location kinds of which the invitee says where."""
CONFERENCES = {
    "google_conference": ("google_conference", "google_meet"), "zoom_conference": ("zoom", "zoom"),
    "gotomeeting_conference": ("gotomeeting", "gotomeeting"), "webex_conference": ("webex_conference", "webex"),
    "microsoft_teams_conference": ("microsoft_teams_conference", "microsoft_teams"),
}  # fmt: skip
"""Conferences: as an event's location calls them, and how their address ends."""


QUESTION: Json = {
    "name": "Please share anything that will help prepare for our meeting.", "type": "text", "position": 0, "enabled": True,
    "required": False, "answer_choices": [], "include_other": False,
}  # fmt: skip
"""What every new event type asks."""


def check_email(text: str, parameter: str) -> str:
    if not _EMAIL.fullmatch(text):
        raise errors.invalid((parameter, "is in invalid format"))
    return text.lower()


def check_locations(locations: Sequence[Mapping[str, Any]], parameter: str) -> list[Json]:
    """Location configurations that a host gives."""
    kept = list[Json]()
    for number, one in enumerate(locations):
        place, kind = f"{parameter}[{number}]", one["kind"]
        if kind in ("physical", "custom") and not one.get("location"):
            raise errors.invalid((f"{place}.location", "is missing"))
        if kind == "inbound_call" and not one.get("phone_number"):
            raise errors.invalid((f"{place}.phone_number", "is missing"))
        kept.append({name: value for name, value in one.items() if value})
    return kept


def choose_location(offered: Sequence[Json], chosen: Mapping[str, Any] | None) -> Json | None:
    """The location of a booking: the only one, or the invitee's choice among several."""
    if chosen is None:
        if not offered:
            return None
        if len(offered) > 1 or offered[0]["kind"] in _ASKED:
            kinds = ", ".join(dict.fromkeys(str(one["kind"]) for one in offered))
            raise errors.invalid(("location", f"is missing; the event type offers: {kinds}"))
        return offered[0]
    kind, where = chosen["kind"], chosen.get("location")
    fitting = [one for one in offered if one["kind"] == kind]
    if kind in ("physical", "custom") and where:
        fitting = [one for one in fitting if one.get("location") == where]
    if not fitting:
        raise errors.invalid(("location", "must match a location of the event type"))
    if kind not in _ASKED:
        return fitting[0]
    if not where:
        raise errors.invalid(("location.location", "is missing"))
    if kind == "outbound_call" and not _PHONE.fullmatch(where):
        raise errors.invalid(("location.location", "must be a phone number with country code"))
    return {**fitting[0], "location": where}


def shown_location(place: Json | None, event: str) -> Json:
    """A chosen location as the event has it."""
    if place is None:
        return {"type": "custom", "location": None}
    kind = str(place["kind"])
    if kind in CONFERENCES:
        name, ending = CONFERENCES[kind]
        made: Json = {"type": name, "status": "pushed", "join_url": f"{uris.SITE}/events/{event}/{ending}"}
        number = int(hashlib.sha256(event.encode()).hexdigest(), 16) % 10**10
        return made if kind == "google_conference" else {**made, "data": {"id": f"{number:010d}"}}
    made = {"type": kind, "location": place.get("phone_number") if kind == "inbound_call" else place.get("location")}
    return {**made, "additional_info": place["additional_info"]} if place.get("additional_info") else made


def check_answers(questions: Sequence[Json], given: Sequence[Mapping[str, Any]]) -> list[Json]:
    """The invitee's answers: questions by their exact text, the required ones all there, choices among those offered."""
    asked = {str(q["name"]): q for q in questions if q["enabled"]}
    kept = list[Json]()
    for number, one in enumerate(given):
        place, question = f"questions_and_answers[{number}]", asked.get(one["question"])
        if question is None:
            raise errors.invalid((f"{place}.question", "must match a question of the event type"))
        answer, choices = one["answer"], question["answer_choices"]
        chosen = [answer] if question["type"] == "single_select" else answer.split("\n")
        if choices and not question["include_other"] and any(c not in choices for c in chosen):
            raise errors.invalid((f"{place}.answer", "must be one of: " + ", ".join(choices)))
        kept.append({"question": one["question"], "answer": answer, "position": question["position"]})
    answered = {one["question"] for one in kept if one["answer"].strip()}
    for name, question in asked.items():
        if question["required"] and name not in answered:
            raise errors.invalid(("questions_and_answers", f"must answer: {name}"))
    return kept


def check_person(person: Mapping[str, Any]) -> Json:
    """Who is booked, as an invitee's columns."""
    full, first, last = (str(person.get(name) or "").strip() for name in ("name", "first_name", "last_name"))
    if not full and not first:
        raise errors.invalid(("invitee.name", "is missing"))
    number = person.get("text_reminder_number")
    if number and not _PHONE.fullmatch(number):
        raise errors.invalid(("invitee.text_reminder_number", "is in invalid format"))
    return {
        "email": check_email(person["email"], "invitee.email"), "timezone": times.check_zone(person["timezone"], "invitee.timezone"),
        "name": full or f"{first} {last}".strip(), "first_name": first or None, "last_name": last or None,
        "text_reminder_number": number or None,
    }  # fmt: skip


def check_start(ctx: Ctx, offer: Offer, text: str) -> datetime:
    """A start time that can be booked now."""
    start = times.instant(text, "start_time")
    if start <= ctx.now:
        raise errors.invalid(("start_time", "must be in the future"))
    if not open_starts(ctx, offer, start, start + timedelta(seconds=1)):
        raise errors.invalid(("start_time", "is not available for this event type"))
    return start


def add(
    ctx: Ctx, offer: Offer, start: datetime, person: Json, place: Json | None, answers: list[Json], *, tracking: Mapping[str, Any],
    guests: list[str], method: str | None = None, scheduled_by: str | None = None, old_invitee: str | None = None,
) -> Invitee:  # fmt: skip
    """Writes a checked booking: the meeting and its invitee."""
    kind, made = offer.event_type, feeds.now(ctx)
    end, uuid = start + timedelta(minutes=offer.duration), ctx.uuid("event")
    ctx.db.add(ScheduledEvent(
        uuid=uuid, event_type=kind.uuid, hosts=list(offer.hosts), name=offer.name, start_time=times.stamp(start),
        end_time=times.stamp(end), buffered_start_time=times.stamp(start - timedelta(minutes=kind.before_buffer)),
        buffered_end_time=times.stamp(end + timedelta(minutes=kind.after_buffer)), location=shown_location(place, uuid),
        guests=guests, created_at=made, updated_at=made,
    ))  # fmt: skip
    invitee = ctx.db.add(Invitee(
        uuid=ctx.uuid("invitee"), event=uuid, **person, questions_and_answers=answers,
        tracking={name: tracking.get(name) for name in TRACKING}, old_invitee=old_invitee, scheduling_method=method,
        invitee_scheduled_by=scheduled_by, created_at=made, updated_at=made,
    ))  # fmt: skip
    feeds.tell_of_invitee(ctx, "invitee.created", invitee)
    return invitee


def cancel(
    ctx: Ctx, event: ScheduledEvent, reason: str | None, by: str, kind: Literal["host", "invitee"], *, moved: bool = False,
) -> Json:  # fmt: skip
    """Cancels a meeting with its invitees. Of one that is moved, webhooks are told when it has its new invitee."""
    if event.status == "canceled":
        raise errors.denied("Event is already canceled")
    if times.moment(event.start_time) <= ctx.now:
        raise errors.denied("Event in the past")
    made = feeds.now(ctx)
    told: Json = {"canceled_by": by, "reason": reason, "canceler_type": kind, "created_at": made}
    ctx.db.update(event, status="canceled", cancellation=told, updated_at=made)
    for invitee in ctx.db.find(Invitee, event=event.uuid, status="active"):
        ctx.db.update(invitee, status="canceled", cancellation=told, updated_at=made, rescheduled=moved)
        if not moved:
            feeds.tell_of_invitee(ctx, "invitee.canceled", invitee)
    return told
