"""Engagements: notes and tasks in the older form. https://developers.hubspot.com/docs/api-reference/legacy/engagements-v1/guide"""

from typing import Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Ctx

from .. import associations, errors, records, times
from ..app import app
from ..kinds import ENGAGEMENTS, KINDS, Kind, portal, resolve
from ..models import CrmObject, Note, Task
from .objects import open_keys

_NAMES = {"NOTE": Note, "TASK": Task}
_ENDS = {"contactIds": "contacts", "companyIds": "companies", "dealIds": "deals", "ticketIds": "tickets"}
_METADATA: dict[str, dict[str, str]] = {
    "notes": {"body": "hs_note_body"},
    "tasks": {
        "subject": "hs_task_subject", "body": "hs_task_body", "status": "hs_task_status", "taskType": "hs_task_type",
        "priority": "hs_task_priority",
    },
    "calls": {"title": "hs_call_title", "body": "hs_call_body", "status": "hs_call_status"},
    "meetings": {"title": "hs_meeting_title", "body": "hs_meeting_body"},
    "emails": {"subject": "hs_email_subject", "text": "hs_email_text", "html": "hs_email_html"},
}  # fmt: skip


class EngagementLinks(TypedDict, total=False):
    """The records an engagement is about, by type."""

    contactIds: list[int]
    companyIds: list[int]
    dealIds: list[int]
    ticketIds: list[int]
    ownerIds: list[int]


@open_keys
class Metadata(TypedDict, total=False):
    """What an engagement says."""

    subject: str
    body: str
    status: Literal["NOT_STARTED", "IN_PROGRESS", "WAITING", "COMPLETED", "DEFERRED"]
    forObjectType: Literal["CONTACT", "COMPANY", "DEAL", "TICKET", "OWNER"]


class Head(TypedDict, total=False):
    """An engagement's own fields."""

    active: bool
    ownerId: int | None
    type: str
    timestamp: int | None


def _values(kind: Kind, owner: int | None, timestamp: int | None, metadata: dict[str, Any]) -> dict[str, Any]:
    known = _METADATA[kind.name]
    strange = sorted(set(metadata) - {*known, "forObjectType", "reminders", "sendDefaultReminder"})
    if strange:
        raise errors.bad_request(
            f"Unknown metadata for {kind.singular.upper()}: {', '.join(strange)}", context={"metadata": strange}
        )
    made = {known[n]: v for n, v in metadata.items() if n in known}
    if owner is not None:
        made["hubspot_owner_id"] = str(owner)
    if timestamp is not None:
        made["hs_timestamp"] = str(timestamp)
    return made


def _links(ctx: Ctx, kind: Kind, row: CrmObject, given: dict[str, Any]) -> None:
    for name, ids in given.items():
        if name not in _ENDS:
            continue
        to = resolve(ctx, _ENDS[name])
        for one in ids:
            associations.require_object(ctx, to, str(one))
            associations.link(ctx, kind, row.id, to, str(one), [associations.plain_type(ctx, kind, to).id])


def _shown(ctx: Ctx, kind: Kind, row: CrmObject) -> dict[str, Any]:
    def millis(stored: str | None) -> int | None:
        return int(ctx.parse_time(stored).timestamp() * 1000) if stored else None

    owner = getattr(row, "hubspot_owner_id", None)
    return {
        "engagement": {
            "id": int(row.id), "portalId": portal(ctx).portal_id, "active": not row.archived, "createdAt": millis(row.created_at),
            "lastUpdated": millis(row.updated_at), "ownerId": int(owner) if owner else None, "type": kind.singular.upper(),
            "timestamp": millis(getattr(row, "hs_timestamp", None)),
        },
        "associations": {
            name: [int(i) for i in associations.related(ctx, kind, row.id, resolve(ctx, plural))] for name, plural in _ENDS.items()
        },
        "metadata": {n: v for n, c in _METADATA[kind.name].items() if (v := getattr(row, c)) is not None},
    }  # fmt: skip


def _require(ctx: Ctx, engagement_id: int) -> tuple[Kind, CrmObject]:
    for cls in ENGAGEMENTS:
        row = ctx.db.get(cls, str(engagement_id))
        if row is not None and not row.archived:
            return KINDS[cls], row
    raise errors.no_object(str(engagement_id))


@app.post("/engagements/v1/engagements", tool="create_engagement", status=200)
def create_engagement(
    ctx: Ctx, type: Literal["NOTE", "TASK"] | MISSING = MISSING, ownerId: int | None = None, timestamp: int | None = None,
    associations: EngagementLinks | None = None, metadata: Metadata | None = None, engagement: Head | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Creates a note or task on contacts, companies, deals or tickets, which are named by their ids. get_user_details tells one's own
    owner id.

    type: NOTE or TASK.
    ownerId: The owner that it is assigned to.
    timestamp: When the note was taken or the task is due, in milliseconds; now where left out.
    associations: The records it is about, e.g. {dealIds: [id]}.
    metadata: body of a note; subject, body and status of a task.
    engagement: The first three in one object, as the REST API takes them.
    """
    head: dict[str, Any] = {**(engagement or {})}
    kind_name = str(head.get("type") or (type if isinstance(type, str) else ""))
    if kind_name not in _NAMES:
        raise errors.bad_request(
            f"Unsupported engagement type: {kind_name}. It must be NOTE or TASK.",
            errors=[{"message": "type", "in": "type"}],
        )
    kind = KINDS[_NAMES[kind_name]]
    owner = ownerId if ownerId is not None else head.get("ownerId")
    moment = timestamp if timestamp is not None else head.get("timestamp")
    values = _values(kind, owner, moment, dict(metadata or {}))
    values.setdefault("hs_timestamp", times.now(ctx))
    row = records.create(ctx, kind, values)
    _links(ctx, kind, row, dict(associations or {}))
    return _shown(ctx, kind, row)


@app.get("/engagements/v1/engagements/{engagementId}", tool="get_engagement")
def get_engagement(ctx: Ctx, engagementId: int) -> dict[str, Any]:
    """Gets a note, task, call, meeting or e-mail by id, with the records that it is about.

    engagementId: The engagement's id.
    """
    kind, row = _require(ctx, engagementId)
    return _shown(ctx, kind, row)


@app.patch("/engagements/v1/engagements/{engagementId}", tool="update_engagement")
def update_engagement(
    ctx: Ctx, engagementId: int, ownerId: int | None = None, timestamp: int | None = None,
    associations: EngagementLinks | None = None, metadata: Metadata | None = None, engagement: Head | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes a note, task, call, meeting or e-mail: what it says, whose it is, when it is due. What is not sent stays.

    engagementId: The engagement's id.
    ownerId: The owner that it is assigned to.
    timestamp: When it takes place or is due, in milliseconds.
    associations: Records that it is about as well.
    metadata: body of a note; subject, body and status of a task.
    engagement: The owner and time in one object, as the REST API takes them.
    """
    kind, row = _require(ctx, engagementId)
    head: dict[str, Any] = {**(engagement or {})}
    owner = ownerId if ownerId is not None else head.get("ownerId")
    moment = timestamp if timestamp is not None else head.get("timestamp")
    row = records.update(ctx, kind, row, _values(kind, owner, moment, dict(metadata or {})))
    _links(ctx, kind, row, dict(associations or {}))
    return _shown(ctx, kind, row)
