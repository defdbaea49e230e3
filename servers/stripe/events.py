"""Events: what webhooks would tell, written with each change. https://docs.stripe.com/api/events"""

from typing import Any

from legoenv_mcp.app import Ctx, Row

from .errors import this_request
from .ids import new
from .models import Event
from .resources import Object, show


def emit(
    ctx: Ctx, kind: str, subject: Row | dict[str, Any], previous: dict[str, Any] | None = None, *, was: Object | None = None
) -> None:  # fmt: skip
    """Records that something happened to an object, as it now is. What a world was filled with happened before anyone listened.

    was: The object as it was shown before an update; an update that changed nothing did not happen.
    """
    if ctx.operation is None:
        return
    data = subject if isinstance(subject, dict) else show(ctx, subject)
    if was is not None:
        previous = changed(was, data)
        if not previous:
            return
    key = ctx.request.headers.get("idempotency-key")
    ctx.db.add(
        Event(
            id=new(ctx, "evt"),
            created=ctx.epoch(),
            type=kind,
            data=data,
            previous_attributes=previous,
            request=this_request(ctx),
            idempotency_key=key,
        )
    )


def changed(was: Object, now: Object) -> Object:
    """The earlier values of what differs, objects member by member, as `previous_attributes` has them."""
    out = Object()
    for name, value in was.items():
        inner = now.get(name)
        if isinstance(value, dict) and isinstance(inner, dict):
            # A key that was added, such as one of metadata, had no value before.
            found = {**changed(value, inner), **{key: None for key in inner if key not in value}}
            if found:
                out[name] = found
        elif value != inner:
            out[name] = value
    return out
