"""Events: what happened, as webhooks would tell it. https://docs.stripe.com/api/events"""

from typing import Any

from legoenv_mcp.app import MISSING, Ctx

from ..app import app
from ..errors import no_such, refuse
from ..models import Event
from ..params import After, Before, Created, Expand, Limit, times
from ..resources import listed, show


@app.get("/v1/events", tool="list_events", mcp=False)
def list_events(
    ctx: Ctx, type: str | MISSING = MISSING, types: list[str] | MISSING = MISSING, created: Created = MISSING, limit: Limit = 10,
    starting_after: After = MISSING, ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists events, newest first.

    type: Only of this type, such as `charge.failed`; `*` stands for anything at its end, as in `invoice.*`.
    types: Only of these types.
    """
    if type is not MISSING and types is not MISSING:
        raise refuse("You may only specify one of these parameters: type, types.", param="type")
    filters = times("created", created)
    if type is not MISSING:
        filters["type__startswith" if type.endswith("*") else "type"] = type.removesuffix("*")
    if types is not MISSING:
        filters["type__in"] = types
    return _page(ctx, limit, starting_after, ending_before, filters)


def _page(ctx: Ctx, limit: int, after: Any, before: Any, filters: dict[str, Any]) -> dict[str, Any]:
    """Events of one request share their second: their own number, not the clock, orders them."""
    order = "-n"
    for name, key, bound in (("starting_after", after, "n__lt"), ("ending_before", before, "n__gt")):
        if key is not MISSING:
            edge = ctx.db.first(Event, id=key)
            if edge is None:
                raise no_such("Event", key, param=name, status=400)
            filters[bound] = edge.n
            order = "-n" if name == "starting_after" else "n"
    rows = ctx.db.find(Event, order=order, limit=limit + 1, **filters)
    page = rows[:limit] if order == "-n" else rows[:limit][::-1]
    return listed([show(ctx, row) for row in page], "/v1/events", has_more=len(rows) > limit)


@app.get("/v1/events/{id}", tool="retrieve_event", mcp=False)
def retrieve_event(ctx: Ctx, id: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves an event.

    id: The event's ID.
    """
    row = ctx.db.first(Event, id=id)
    if row is None:
        raise no_such("Event", id)
    return show(ctx, row)
