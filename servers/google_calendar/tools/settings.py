"""Settings and colours. https://developers.google.com/workspace/calendar/api/v3/reference/settings"""

from typing import Annotated, Any

from legoenv_mcp.app import Ctx, Field, Query

from .. import colors, listing
from ..app import app
from ..models import Setting
from ..resources import list_etag
from ..schemas import answers

Most = Annotated[int, Field(ge=1, le=2**31 - 1)] | None


def _show(row: Setting) -> dict[str, Any]:
    return {"kind": "calendar#setting", "etag": list_etag(row.id, row.value), "id": row.id, "value": row.value}


@app.get("/calendar/v3/users/me/settings", tool="list_settings")
@answers("Settings")
def list_settings(
    ctx: Ctx,
    maxResults: Most = None,
    pageToken: str | None = None,
    syncToken: Annotated[str | None, Query(mcp=False)] = None,
) -> dict[str, Any]:
    """Lists the caller's settings: time zone, default length of events, first day of the week and more.

    maxResults: How many to list (100 by default, at most 250).
    pageToken: The nextPageToken of the page before.
    """
    scope = listing.scope_of("settings")
    # No method changes settings, so there is never anything new since a sync token.
    rows = [] if listing.since(ctx, syncToken, scope) is not None else ctx.db.find(Setting)
    made = listing.page(ctx, rows, min(maxResults or 100, 250), pageToken, scope, _show)
    if not ctx.request.method:
        made = {name: value for name, value in made.items() if name != "nextSyncToken"}
        return {**made, "items": [{"id": i["id"], "value": i["value"]} for i in made["items"]]}
    return {"kind": "calendar#settings", "etag": list_etag([(r.id, r.value) for r in rows]), **made}


@app.get("/calendar/v3/users/me/settings/{setting}", tool="get_setting")
@answers("Setting")
def get_setting(ctx: Ctx, setting: str) -> dict[str, Any]:
    """Gets one of the caller's settings.

    setting: The setting's id, as timezone, weekStart, locale or defaultEventLength.
    """
    return _show(ctx.require(Setting, setting))


@app.get("/calendar/v3/colors", tool="get_colors")
@answers("Colors")
def get_colors(ctx: Ctx) -> dict[str, Any]:
    """Gets the palettes of calendars (1 to 24) and events (1 to 11) that colorId refers to."""
    return {"kind": "calendar#colors", "updated": colors.UPDATED, "calendar": colors.CALENDAR, "event": colors.EVENT}
