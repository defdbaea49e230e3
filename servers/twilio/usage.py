"""What the account has used, added up from its rows. https://www.twilio.com/docs/usage/api/usage-record"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta

from legoenv_mcp.app import Ctx

from . import prices
from .models import Call, IncomingPhoneNumber, Message, PastUse, Recording, Verification
from .states import call_state, message_status, recording_state
from .times import when


@dataclass(frozen=True, slots=True)
class Use:
    """One use: its categories, the day, how many, how much of the usage unit, what it cost."""

    categories: tuple[str, ...]
    day: date
    count: int
    usage: float
    price: float


UNITS = {
    "sms": ("messages", "segments"), "mms": ("messages", "messages"), "calls": ("calls", "minutes"),
    "phonenumbers": ("numbers", "numbers"), "recordings": ("recordings", "minutes"), "verify": ("verifications", "verifications"),
    "totalprice": ("", "usd"),
}  # fmt: skip
CATEGORIES = {
    "sms": "SMS", "sms-inbound": "Inbound SMS", "sms-outbound": "Outbound SMS", "mms": "MMS", "mms-inbound": "Inbound MMS",
    "mms-outbound": "Outbound MMS", "calls": "Voice Minutes", "calls-inbound": "Inbound Voice Minutes",
    "calls-outbound": "Outbound Voice Minutes", "phonenumbers": "Phone Numbers", "phonenumbers-local": "Local PhoneNumbers",
    "phonenumbers-tollfree": "Tollfree PhoneNumbers", "phonenumbers-mobile": "Mobile PhoneNumbers", "recordings": "Recordings",
    "verify-totals": "Verify Totals", "totalprice": "Total Price",
}  # fmt: skip


def units(category: str) -> tuple[str, str]:
    return UNITS[category.partition("-")[0]]


def uses(ctx: Ctx) -> Iterator[Use]:
    """Every use up to now."""
    for past in ctx.db.find(PastUse):
        yield Use(tuple(past.categories), date.fromisoformat(past.day), past.count, past.usage, past.price)
    for row in ctx.db.find(Message):
        if message_status(ctx, row) in ("scheduled", "canceled", "failed") or row.price is None:
            continue
        kind = "mms" if row.num_media else "sms"
        way = "inbound" if row.direction == "inbound" else "outbound"
        amount = 1 if row.num_media else row.num_segments
        yield Use((kind, f"{kind}-{way}"), when(row.date_sent or row.date_created).date(), 1, amount, -row.price)
    for call in ctx.db.find(Call):
        state = call_state(ctx, call)
        if state.status == "completed" and state.duration is not None:
            way = "inbound" if call.direction == "inbound" else "outbound"
            minutes, day = -(-state.duration // 60), when(call.start_time or call.date_created).date()
            yield Use(("calls", f"calls-{way}"), day, 1, minutes, -(state.price or 0.0))
    for recording in ctx.db.find(Recording):
        status, duration = recording_state(ctx, recording)
        if status in ("completed", "stopped"):
            minutes = -(-(duration or 0) // 60)
            yield Use(
                ("recordings",), when(recording.date_created).date(), 1, minutes, minutes * prices.RECORDING_MINUTE
            )
    for verification in ctx.db.find(Verification, status="approved"):
        yield Use(("verify-totals",), when(verification.date_created).date(), 1, 1, prices.VERIFICATION)
    for number in ctx.db.find(IncomingPhoneNumber):
        kind = number.type.replace("-", "")
        for day in _monthly(when(number.date_created).date(), ctx.now.date()):
            yield Use(("phonenumbers", f"phonenumbers-{kind}"), day, 1, 1, prices.NUMBERS[number.type])


@contextmanager
def still_charged(ctx: Ctx) -> Iterator[None]:
    """Around a deletion: what was used stays used, and paid for."""
    before = Counter(uses(ctx))
    yield
    for use in (before - Counter(uses(ctx))).elements():
        ctx.db.add(
            PastUse(
                id=ctx.sequence("past use"), categories=list(use.categories), day=use.day.isoformat(), count=use.count,
                usage=use.usage, price=use.price,
            )
        )  # fmt: skip


def _monthly(first: date, last: date) -> Iterator[date]:
    """The days a number is charged on: that of its purchase, and the same day of each month after."""
    year, month = first.year, first.month
    while (year, month) <= (last.year, last.month):
        end = (date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)).day
        day = date(year, month, min(first.day, end))
        if day <= last:
            yield day
        year, month = year + month // 12, month % 12 + 1


def total(ctx: Ctx) -> float:
    """What was spent this month: what came before was paid for."""
    today = ctx.now.date()
    return sum(use.price for use in uses(ctx) if (use.day.year, use.day.month) == (today.year, today.month))
