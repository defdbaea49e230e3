"""Events: what webhooks would tell, written with each change. https://docs.stripe.com/api/events"""

from typing import Any

from legoenv_mcp.app import Ctx, Row

from .ids import new
from .models import Event
from .resources import show


def emit(ctx: Ctx, kind: str, subject: Row | dict[str, Any], previous: dict[str, Any] | None = None) -> None:
    """Records that something happened to an object, as it now is. What a world was filled with happened before anyone listened."""
    if ctx.operation is None:
        return
    data = subject if isinstance(subject, dict) else show(ctx, subject)
    key = ctx.request.headers.get("idempotency-key")
    ctx.db.add(
        Event(
            id=new(ctx, "evt"),
            created=ctx.epoch(),
            type=kind,
            data=data,
            previous_attributes=previous,
            idempotency_key=key,
        )
    )
