"""Incremental exports. https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/"""

import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field

from .. import errors, includes, resources
from ..app import app
from ..includes import Include
from ..models import Audit, Organization, Ticket, User
from ..paging import here

StartTime = Annotated[int, Field(description="Unix seconds: records changed since. At least a minute ago.")]
Size = Annotated[int | None, Field(description="How many records a page has, at most 1000.")]


def _since(ctx: Ctx, rows: Sequence[Any], start: int, name: str = "updated_at") -> list[tuple[int, Any]]:
    if start > ctx.epoch() - 60:
        raise errors.coded(422, "InvalidValue", "Too recent start_time. Use a start_time older than 60 seconds")
    dated = [(int(ctx.parse_time(getattr(row, name)).timestamp()), row) for row in rows]
    return sorted(((at, row) for at, row in dated if at >= start), key=lambda pair: (pair[0], pair[1].id))


def _ticket(ctx: Ctx, at: int, row: Ticket) -> dict[str, Any]:
    told = {**resources.ticket(ctx, row), "generated_timestamp": at}
    return {**told, "status": "deleted"} if row.deleted else told


def _user(ctx: Ctx, at: int, row: User) -> dict[str, Any]:
    return resources.user(ctx, row)


def _size(per_page: int | None) -> int:
    return min(max(per_page or 1000, 1), 1000)


def _by_time(ctx: Ctx, name: str, found: list[tuple[int, Any]], show: Any, per_page: int | None) -> dict[str, Any]:
    """A page that begins where the last ended: records of its last second come whole, so that none is lost between pages."""
    size = _size(per_page)
    shown = found[:size]
    while len(shown) < len(found) and found[len(shown)][0] == shown[-1][0]:
        shown.append(found[len(shown)])
    more = len(shown) < len(found)
    end = shown[-1][0] if shown else None
    following = end + 1 if more and end is not None else end
    return {
        name: [show(ctx, at, row) for at, row in shown], "count": len(shown), "end_of_stream": not more, "end_time": end,
        "next_page": here(ctx, ("start_time",), start_time=following) if end is not None else None,
    }  # fmt: skip


def _by_cursor(
    ctx: Ctx, name: str, rows: Sequence[Any], show: Any, start: int | None, cursor: str | None, per_page: int | None
) -> dict[str, Any]:
    if cursor is None and start is None:
        raise errors.titled(400, "Missing parameter", "Required parameter missing: start_time or cursor")
    if start is not None and cursor is None:
        _since(ctx, [], start)
    ordered = sorted(((int(ctx.parse_time(r.updated_at).timestamp()), r) for r in rows), key=lambda p: (p[0], p[1].id))
    place = _decode(cursor) if cursor is not None else (max(start or 0, 0), 0)
    left = [p for p in ordered if (p[0], p[1].id) > place]
    shown = left[: _size(per_page)]
    after = _encode(*((shown[-1][0], shown[-1][1].id) if shown else place))
    return {
        name: [show(ctx, at, row) for at, row in shown], "after_url": here(ctx, ("start_time", "cursor"), cursor=after),
        "after_cursor": after, "before_url": None, "before_cursor": None, "end_of_stream": len(shown) == len(left),
    }  # fmt: skip


def _encode(at: int, key: int) -> str:
    """A cursor is a place in time, so that none is lost where records change between pages."""
    return b64encode(f"{at}.0||{key}".encode()).decode()


def _decode(cursor: str) -> tuple[int, int]:
    try:
        found = re.fullmatch(r"(\d{1,12})\.0\|\|(\d{1,18})", b64decode(cursor, validate=True).decode())
    except ValueError:
        found = None
    if found is None:
        raise errors.attribute("cursor", "is not one of this export")
    return int(found[1]), int(found[2])


@app.get("/api/v2/incremental/tickets", tool="incremental_ticket_export", mcp=False)
def incremental_ticket_export(
    ctx: Ctx, start_time: StartTime, per_page: Size = None, include: Include = None
) -> dict[str, Any]:
    """Lists tickets changed since a moment, deleted ones too, by time."""
    out = _by_time(ctx, "tickets", _since(ctx, ctx.db.find(Ticket), start_time), _ticket, per_page)
    rows = ctx.db.find(Ticket, id__in=[t["id"] for t in out["tickets"]])
    return {**out, **includes.of_tickets(ctx, rows, include)}


@app.get("/api/v2/incremental/tickets/cursor", tool="incremental_ticket_export_cursor", mcp=False)
def incremental_ticket_export_cursor(
    ctx: Ctx,
    start_time: StartTime | None = None,
    cursor: str | None = None,
    per_page: Size = None,
    include: Include = None,
) -> dict[str, Any]:
    """Lists tickets changed since a moment, deleted ones too, by cursor.

    start_time: Unix seconds: tickets changed since, on the first call.
    cursor: The `after_cursor` of the page before.
    """
    out = _by_cursor(ctx, "tickets", ctx.db.find(Ticket), _ticket, start_time, cursor, per_page)
    rows = ctx.db.find(Ticket, id__in=[t["id"] for t in out["tickets"]])
    return {**out, **includes.of_tickets(ctx, rows, include)}


@app.get("/api/v2/incremental/users", tool="incremental_user_export", mcp=False)
def incremental_user_export(ctx: Ctx, start_time: StartTime, per_page: Size = None) -> dict[str, Any]:
    """Lists users changed since a moment, by time."""
    return _by_time(ctx, "users", _since(ctx, ctx.db.find(User), start_time), _user, per_page)


@app.get("/api/v2/incremental/users/cursor", tool="incremental_user_export_cursor", mcp=False)
def incremental_user_export_cursor(
    ctx: Ctx, start_time: StartTime | None = None, cursor: str | None = None, per_page: Size = None
) -> dict[str, Any]:
    """Lists users changed since a moment, by cursor.

    start_time: Unix seconds: users changed since, on the first call.
    cursor: The `after_cursor` of the page before.
    """
    return _by_cursor(ctx, "users", ctx.db.find(User), _user, start_time, cursor, per_page)


@app.get("/api/v2/incremental/organizations", tool="incremental_organization_export", mcp=False)
def incremental_organization_export(ctx: Ctx, start_time: StartTime, per_page: Size = None) -> dict[str, Any]:
    """Lists organizations changed since a moment, by time."""
    found = _since(ctx, ctx.db.find(Organization), start_time)
    return _by_time(ctx, "organizations", found, lambda c, at, o: resources.organization(c, o), per_page)


@app.get("/api/v2/incremental/ticket_events", tool="incremental_ticket_event_export", mcp=False)
def incremental_ticket_event_export(ctx: Ctx, start_time: StartTime, include: str | None = None) -> dict[str, Any]:
    """Lists updates of tickets since a moment; with `include` comment_events the messages too.

    include: `comment_events` or nothing.
    """
    wanted = "comment_events" in (include or "")

    def show(c: Ctx, at: int, row: Audit) -> dict[str, Any]:
        told = resources.audit(c, row)
        children = [
            {**e, "event_type": e["type"], e.get("field_name", "comment"): e.get("value", True)}
            for e in told["events"]
            if wanted or e["type"] != "Comment"
        ]
        return {
            "id": row.id, "ticket_id": row.ticket_id, "timestamp": at, "created_at": row.created_at, "updater_id": row.author_id,
            "via": row.via.capitalize(), "system": {}, "event_type": "Audit", "child_events": children,
        }  # fmt: skip

    return _by_time(ctx, "ticket_events", _since(ctx, ctx.db.find(Audit), start_time, "created_at"), show, None)
