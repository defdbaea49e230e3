"""Tasks, events and notes."""

import base64
from datetime import timedelta

from legoenv_mcp.app import Ctx

from .. import errors, times
from ..models import Account, Case, Contact, ContentDocumentLink, Event, Lead, Opportunity, SObject, Task
from .change import Change

_LONGEST = timedelta(days=14)


def _account_of(ctx: Ctx, what: str | None, who: str | None) -> str | None:
    """The account that an activity belongs to, by what or whom it is about."""
    if what and what.startswith("001"):
        return what
    if what:
        for cls in (Opportunity, Case):
            row = ctx.db.get(cls, what)
            if row is not None:
                return row.AccountId
    contact = ctx.db.get(Contact, who or "")
    return contact.AccountId if contact else None


def _related(change: Change) -> None:
    change.before = tuple(_about(change.old))
    who, what = change["WhoId"], change["WhatId"]
    lead = change.ctx.db.get(Lead, who or "")
    if lead is not None and what:
        message = "Related To ID: a lead's activity cannot be related to another record"
        raise errors.refusal("FIELD_INTEGRITY_EXCEPTION", message, "WhatId")
    if lead is not None and lead.IsConverted and change.differs("WhoId"):
        raise errors.refusal("CANNOT_UPDATE_CONVERTED_LEAD", "cannot reference converted lead", "WhoId")
    change["AccountId"] = _account_of(change.ctx, what, who)


def _task(change: Change) -> None:
    _related(change)
    closed = change["Status"] == "Completed"
    if closed != change["IsClosed"]:
        change["CompletedDateTime"] = (change["CompletedDateTime"] or times.now(change.ctx)) if closed else None
    change["IsClosed"] = closed
    change["IsHighPriority"] = change["Priority"] == "High"


def _lasting(minutes: int) -> timedelta:
    """A duration; one that no event may have is cut to the next that none may have, so that no calendar ends."""
    return max(-timedelta(minutes=1), min(timedelta(minutes=minutes), _LONGEST + timedelta(minutes=1)))


def _event(change: Change) -> None:
    """Start, end and duration agree, whichever two were sent."""
    _related(change)
    sent = change.sent
    if change["IsAllDayEvent"] and change["ActivityDate"] and not sent & {"StartDateTime", "ActivityDateTime"}:
        change["StartDateTime"] = f"{change['ActivityDate']}T00:00:00.000+0000"
        change["DurationInMinutes"] = change["DurationInMinutes"] or 1440
    elif "ActivityDateTime" in sent and "StartDateTime" not in sent:
        change["StartDateTime"] = change["ActivityDateTime"]
    start = change["StartDateTime"]
    if start is None:
        raise errors.refusal("REQUIRED_FIELD_MISSING", "Required fields are missing: [StartDateTime]", "StartDateTime")
    begin = times.moment_of(start)
    if "DurationInMinutes" in sent and "EndDateTime" not in sent and change["DurationInMinutes"] is not None:
        end = begin + _lasting(change["DurationInMinutes"])
    elif change["EndDateTime"] and ("EndDateTime" in sent or change.creating):
        end = times.moment_of(change["EndDateTime"])
    elif change["DurationInMinutes"] is not None:
        end = begin + _lasting(change["DurationInMinutes"])
    else:
        raise errors.refusal("REQUIRED_FIELD_MISSING", "Required fields are missing: [EndDateTime]", "EndDateTime")
    minutes = int((end - begin).total_seconds() // 60)
    if "DurationInMinutes" in sent and "EndDateTime" in sent and change["DurationInMinutes"] not in (None, minutes):
        message = "The duration must match the start and end date time"
        raise errors.refusal("FIELD_INTEGRITY_EXCEPTION", message, "DurationInMinutes")
    if end < begin:
        raise errors.refusal("FIELD_INTEGRITY_EXCEPTION", "Event duration can't be negative", "EndDateTime")
    if end - begin > _LONGEST:
        raise errors.refusal("FIELD_INTEGRITY_EXCEPTION", "Event duration can't be longer than 14 days", "EndDateTime")
    change["ActivityDateTime"], change["ActivityDate"] = start, start[:10]
    change["EndDateTime"], change["DurationInMinutes"] = times.stamp(end), minutes


_SHOWN_ON = (Account, Contact, Lead, Opportunity)
_LATEST = """
SELECT max(day) AS day FROM (
  SELECT "ActivityDate" AS day FROM task WHERE "IsDeleted" = 0 AND "IsClosed" = 1 AND (:id IN ("WhoId", "WhatId", "AccountId"))
  UNION ALL SELECT "ActivityDate" FROM event WHERE "IsDeleted" = 0 AND (:id IN ("WhoId", "WhatId", "AccountId")))
"""


def _last_activity(ctx: Ctx, *ids: str | None) -> None:
    """A record's last activity is its latest event or closed task."""
    for record_id in dict.fromkeys(filter(None, ids)):
        row = next((r for cls in _SHOWN_ON if (r := ctx.db.get(cls, record_id))), None)
        if row is not None:
            latest = ctx.db.query(_LATEST, {"id": record_id})[0]["day"]
            if row.LastActivityDate != latest:
                ctx.db.update(row, LastActivityDate=latest)


def _about(row: SObject | None) -> list[str | None]:
    return [row.WhoId, row.WhatId, row.AccountId] if isinstance(row, (Task, Event)) else []


def _activity_after(change: Change) -> None:
    _last_activity(change.ctx, *_about(change.row), *change.before)


def _activity_deleted(ctx: Ctx, row: Task | Event) -> None:
    _last_activity(ctx, *_about(row))


def _content_note(change: Change) -> None:
    raw = base64.b64decode(change["Content"] or "")
    change["TextPreview"] = raw.decode("utf-8", "replace")[:255] or None
    change["ContentSize"], change["FileType"] = len(raw), "SNOTE"


def _document_link(change: Change) -> None:
    if change.creating and change.ctx.db.first(
        ContentDocumentLink,
        ContentDocumentId=change["ContentDocumentId"],
        LinkedEntityId=change["LinkedEntityId"],
        IsDeleted=False,
    ):
        message = f"{change['LinkedEntityId']} is already linked with the document"
        raise errors.refusal("DUPLICATE_VALUE", message, "LinkedEntityId")


AFTER = {"Task": _activity_after, "Event": _activity_after}
AFTER_DELETE = {"Task": _activity_deleted, "Event": _activity_deleted}
BEFORE = {"Task": _task, "Event": _event, "ContentNote": _content_note, "ContentDocumentLink": _document_link}
