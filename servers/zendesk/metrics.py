"""Ticket metrics. https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_metrics/ Business hours are calendar hours:
the account has no schedule."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import ids
from .models import Ticket

_OFFSET = 18_300_000_000_000


def ticket_of(metric_id: int) -> int:
    return metric_id - _OFFSET


def _minutes(ctx: Ctx, start: str | None, end: str | None) -> dict[str, int | None]:
    if not start or not end:
        return {"calendar": None, "business": None}
    spent = max(0, int((ctx.parse_time(end) - ctx.parse_time(start)).total_seconds() // 60))
    return {"calendar": spent, "business": spent}


def metric_of(ctx: Ctx, row: Ticket) -> dict[str, Any]:
    metric_id = _OFFSET + row.id
    return {
        "url": ids.url(ctx, f"ticket_metrics/{metric_id}"), "id": metric_id, "ticket_id": row.id, "created_at": row.created_at,
        "updated_at": row.updated_at, "group_stations": row.group_stations, "assignee_stations": row.assignee_stations,
        "reopens": row.reopens, "replies": row.replies, "assignee_updated_at": row.assignee_updated_at,
        "requester_updated_at": row.requester_updated_at, "status_updated_at": row.status_updated_at,
        "initially_assigned_at": row.initially_assigned_at, "assigned_at": row.assigned_at, "solved_at": row.solved_at,
        "latest_comment_added_at": row.latest_comment_added_at,
        "reply_time_in_minutes": _minutes(ctx, row.created_at, row.first_reply_at),
        "first_resolution_time_in_minutes": _minutes(ctx, row.created_at, row.first_solved_at),
        "full_resolution_time_in_minutes": _minutes(ctx, row.created_at, row.solved_at),
        "agent_wait_time_in_minutes": _minutes(ctx, None, None), "requester_wait_time_in_minutes": _minutes(ctx, None, None),
        "on_hold_time_in_minutes": {"calendar": 0, "business": 0},
    }  # fmt: skip
