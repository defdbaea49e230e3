"""Members: who is meant, which states they may go to, what their merge fields take, their tags."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from legoenv_mcp.app import HEX, ApiError, Ctx

from . import times
from .errors import invalid_resource, not_found, refuse
from .models import (
    Audience,
    Campaign,
    Delivery,
    Event,
    Forgotten,
    Interest,
    Member,
    MergeField,
    Note,
    QueueEntry,
    RemovedSubscriber,
    Segment,
    SegmentMember,
)

FIRST_ID = 14_200_000
"""Where the account's numbers begin: Mailchimp counts them over all its accounts."""


def number(ctx: Ctx) -> int:
    return ctx.sequence("web_id", FIRST_ID, 4)


def email_hash(address: str) -> str:
    return hashlib.md5(address.strip().lower().encode()).hexdigest()


def audience(ctx: Ctx, list_id: str) -> Audience:
    return ctx.require(Audience, list_id)


def lookup(ctx: Ctx, list_id: str, key: str) -> Member | None:
    """The member whom an address, its hash or a contact id means."""
    hashed = email_hash(key) if "@" in key else key.lower()
    found = ctx.db.first(Member, list_id=list_id, id=hashed)
    return found or ctx.db.first(Member, list_id=list_id, contact_id=hashed)


def find(ctx: Ctx, list_id: str, key: str) -> Member:
    audience(ctx, list_id)
    found = lookup(ctx, list_id, key)
    if found is None:
        raise not_found()
    return found


def exists(address: str) -> ApiError:
    return refuse(
        400, f"{address} is already a list member. Use PUT to insert or update list members.", "Member Exists"
    )


def not_forgotten(ctx: Ctx, list_id: str, address: str) -> None:
    if ctx.db.get(Forgotten, (list_id, email_hash(address))) is not None:
        raise refuse(
            400,
            f"{address} was permanently deleted and cannot be re-imported. The contact must re-subscribe to get back on the list.",
            "Forgotten Email Not Subscribed",
        )


def may_become(row: Member, status: str) -> None:
    """Who left by themselves or bounced is not put back by others; they can be asked to confirm."""
    if row.compliance and status in ("subscribed", "transactional"):
        raise refuse(
            400,
            f"{row.email_address} is in a compliance state due to unsubscribe, bounce, or compliance review and cannot be subscribed.",
            "Member In Compliance State",
        )


def turned(ctx: Ctx, row: Member | None, status: str) -> dict[str, Any]:
    """What else changes with a status."""
    when = times.now(ctx)
    if row is not None and row.status == status:
        return {}
    changes: dict[str, Any] = {"status": status}
    if status == "subscribed":
        changes |= {"timestamp_opt": when, "unsubscribed_at": "", "unsubscribe_reason": ""}
    elif status == "unsubscribed":
        # Who was taken off by the account may be put back by it; who left by themselves stays as they are.
        changes |= {"unsubscribed_at": when, "unsubscribe_reason": "N/A (Unsubscribed by an admin)"}
    elif status == "cleaned":
        changes |= {"compliance": True}
    return changes


def new(ctx: Ctx, list_id: str, address: str, status: str, **values: Any) -> Member:
    """A new member, or one who was archived and is back."""
    when = times.now(ctx)
    row = lookup(ctx, list_id, address)
    if row is not None:
        return ctx.db.update(row, **{**values, **turned(ctx, row, status)}, last_changed=when, email_address=address)
    return ctx.db.add(Member(**{
        "contact_id": ctx.id("", 32, HEX, kind="contact"), "list_id": list_id, "id": email_hash(address),
        "unique_email_id": ctx.id("", 10, HEX, kind="unique_email"), "web_id": number(ctx), "email_address": address,
        "timestamp_signup": when if status == "pending" else "", "last_changed": when, **turned(ctx, None, status), **values,
    }))  # fmt: skip


def readdress(ctx: Ctx, row: Member, address: str) -> dict[str, Any]:
    """What changes with an address: the hash too. It must be nobody else's."""
    other = lookup(ctx, row.list_id, address)
    if other is not None and other.contact_id != row.contact_id:
        raise exists(address)
    if other is None:
        not_forgotten(ctx, row.list_id, address)
    return {"email_address": address, "id": email_hash(address)}


def forget(ctx: Ctx, row: Member) -> None:
    """Removes all that is known of somebody. What they did stays in the sums of reports."""
    when = times.now(ctx)
    for one in ctx.db.find(Delivery, contact_id=row.contact_id):
        campaign = ctx.require(Campaign, one.campaign_id)
        done = {
            "opened": bool(one.opened_at and one.opened_at <= when), "clicked": bool(one.clicked_at and one.clicked_at <= when),
            "bounced": one.status != "sent", "unsubscribed": bool(one.unsubscribed_at and one.unsubscribed_at <= when),
        }  # fmt: skip
        counts = {name: campaign.counts.get(name, 0) + happened for name, happened in done.items()}
        ctx.db.update(campaign, counts=counts)
        ctx.db.delete(one)
    for kind in (Note, Event, SegmentMember, QueueEntry, RemovedSubscriber):
        ctx.db.delete_where(kind, contact_id=row.contact_id)
    if ctx.db.get(Forgotten, (row.list_id, row.id)) is None:
        ctx.db.add(Forgotten(list_id=row.list_id, email_hash=row.id))
    ctx.db.delete(row)


# Merge fields and interests


def merge_values(
    ctx: Ctx, list_id: str, given: Mapping[str, Any], before: Mapping[str, Any], *, skip: bool, whole: bool
) -> dict[str, Any]:
    """The member's merge fields with the given ones put in. `whole`: a new member, who needs the required ones."""
    fields = {f.tag: f for f in ctx.db.find(MergeField, list_id=list_id)}
    by_tag = {tag.upper(): value for tag, value in given.items()}
    odd = [
        (f"merge_fields.{tag}", "Data did not match any of the schemas described in anyOf.")
        for tag, value in given.items()
        if isinstance(value, (bool, list)) or value is None
    ]
    if odd:
        raise invalid_resource(*odd)
    values, wrong = dict(before), list[tuple[str, str]]()
    for tag, field in fields.items():
        value = by_tag.get(tag)
        if value in (None, "", {}):
            if field.required and not skip and (whole or tag in by_tag) and not (whole and field.default_value):
                wrong.append((tag, "Please enter a value"))
            elif tag in by_tag:
                values.pop(tag, None)
            elif whole and field.default_value and tag not in values:
                values[tag] = field.default_value
            continue
        try:
            values[tag] = _merge_value(field, value)
        except ValueError as error:
            wrong.append((tag, str(error)))
    if wrong:
        raise invalid_resource(*wrong, detail="Your merge fields were invalid.")
    return values


def _merge_value(field: MergeField, value: Any) -> Any:
    if field.type == "address":
        if isinstance(value, str):
            return value
        parts = {n: str(value.get(n, "")) for n in ("addr1", "addr2", "city", "state", "zip", "country")}
        if not all(parts[n] for n in ("addr1", "city", "state", "zip")):
            raise ValueError("Please enter a complete address")
        return parts
    if isinstance(value, dict):
        raise invalid_resource((f"merge_fields.{field.tag}", "Schema describes string, object found instead"))
    text = str(value).strip()
    if field.type == "number":
        if not re.fullmatch(r"[+-]?\d{1,15}(\.\d{1,10})?", text):
            raise ValueError("Please enter a number")
        amount = float(text)
        return int(amount) if amount.is_integer() else amount
    if field.type in ("dropdown", "radio") and text not in field.options.get("choices", []):
        raise ValueError("Please choose a valid option")
    if field.type in ("url", "imageurl") and not re.match(r"https?://\S+\.\S+", text):
        raise ValueError("Please enter a valid URL")
    if field.type == "zip" and not re.fullmatch(r"\d{5}(-\d{4})?", text):
        raise ValueError("Please enter a valid zip code")
    if field.type == "birthday":
        return _birthday(text)
    if field.type == "date":
        return _date(text)
    return text if field.type != "text" else str(value)


def _birthday(text: str) -> str:
    found = re.fullmatch(r"(\d{1,2})[/-](\d{1,2})", text)
    try:
        day = date(2024, int(found[1]), int(found[2])) if found else None
    except ValueError:
        day = None
    if day is None:
        raise ValueError("Please enter a month (01-12) and a day (01-31)")
    return f"{day.month:02}/{day.day:02}"


def _date(text: str) -> str:
    american = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", text)
    try:
        day = date(int(american[3]), int(american[1]), int(american[2])) if american else date.fromisoformat(text[:10])
    except ValueError:
        raise ValueError("Please enter the date") from None
    return day.isoformat()


def interest_values(ctx: Ctx, list_id: str, given: Mapping[str, bool], before: Mapping[str, bool]) -> dict[str, bool]:
    known = {i.id for i in ctx.db.find(Interest, list_id=list_id)}
    strange = [key for key in given if key not in known]
    if strange:
        raise invalid_resource(*((f"interests.{key[:40]}", "Invalid interest ID") for key in strange[:20]))
    return {**before, **given}


# Tags


def tag(ctx: Ctx, list_id: str, name: str, *, make: bool, when: str = "") -> Segment | None:
    """The tag of this name, however it is capitalised, made where there is none."""
    known = ctx.db.find(Segment, list_id=list_id, type="static", order="id")
    found = next((s for s in known if s.name.casefold() == name.casefold()), None)
    if found is not None or not make:
        return found
    when = when or times.now(ctx)
    return ctx.db.add(
        Segment(id=number(ctx), list_id=list_id, name=name, type="static", created_at=when, updated_at=when)
    )


def put_tag(ctx: Ctx, row: Member, name: str, active: bool, when: str = "") -> None:
    found = tag(ctx, row.list_id, name, make=active, when=when)
    if found is None:
        return
    held = ctx.db.get(SegmentMember, (found.id, row.contact_id))
    if active and held is None:
        ctx.db.add(SegmentMember(segment_id=found.id, contact_id=row.contact_id, date_added=when or times.now(ctx)))
    elif not active and held is not None:
        ctx.db.delete(held)


def named(names: Iterable[str], field: str = "tags") -> list[str]:
    """Tag names as they are kept: trimmed, once each, at most 100 characters."""
    out = list[str]()
    for name in names:
        clean = name.strip()
        if not clean or len(clean) > 100:
            raise invalid_resource((field, "A tag's name has between 1 and 100 characters"))
        if clean.casefold() not in (other.casefold() for other in out):
            out.append(clean)
    return out
