"""What has come to be as the clock went on. Nothing is written for it: a row says what will happen, the clock says whether it has.

A text settles as soon as it is on its way, so the answer to its creation is the only one to say queued or accepted.
"""

from dataclasses import dataclass

from legoenv_mcp.app import Ctx

from . import prices
from .models import Call, Message, Recording
from .times import iso, seconds_between

ERRORS = {
    30003: "Unreachable destination handset", 30005: "Unknown destination handset", 30006: "Landline or unreachable carrier",
    30008: "Unknown error",
}  # fmt: skip
OVER = ("completed", "busy", "failed", "no-answer", "canceled")


def message_status(ctx: Ctx, row: Message) -> str:
    """A scheduled message is delivered from the second it was due."""
    if row.status == "scheduled" and row.date_sent and row.date_sent <= iso(ctx.now):
        return "delivered"
    return row.status


@dataclass(frozen=True, slots=True)
class CallState:
    status: str
    end_time: str | None
    duration: int | None
    price: float | None


def call_state(ctx: Ctx, row: Call) -> CallState:
    if row.status == "in-progress" and row.ends_at and row.ends_at <= iso(ctx.now):
        lasted = seconds_between(row.start_time or row.date_created, row.ends_at)
        return CallState("completed", row.ends_at, lasted, prices.call(row.direction, other_end(row), lasted))
    return CallState(row.status, row.end_time, row.duration if row.status in OVER else None, row.price)


def is_on(ctx: Ctx, row: Call) -> bool:
    return call_state(ctx, row).status not in OVER


def other_end(row: Call) -> str:
    return row.sender if row.direction == "inbound" else row.to


def recording_state(ctx: Ctx, row: Recording) -> tuple[str, int | None]:
    """Status and length: a recording ends with its call."""
    if row.status in ("in-progress", "paused") and row.call_sid:
        call = ctx.db.get(Call, row.call_sid)
        if call is not None and not is_on(ctx, call):
            end = call_state(ctx, call).end_time or row.start_time
            return "completed", seconds_between(row.start_time, end)
    return row.status, row.duration
