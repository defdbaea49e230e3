"""Triggers and automations, to be read. They send notifications, which nobody here receives, and close tickets by the clock, which
stands still. https://developer.zendesk.com/api-reference/ticketing/business-rules/triggers/"""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import resources
from ..app import app
from ..models import Automation, Trigger
from ..paging import Page, PerPage, by, listing


def _triggers(ctx: Ctx, rows: list[Trigger], page: int, per_page: int | None) -> dict[str, Any]:
    rows = sorted(rows, key=by("position"))
    return listing(ctx, "triggers", rows, lambda t: resources.trigger(ctx, t), page=page, per_page=per_page)


@app.get("/api/v2/triggers", tool="list_triggers")
def list_triggers(ctx: Ctx, active: bool | None = None, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the triggers: what is sent when tickets are made or changed.

    active: Only triggers that are (true) or are not (false) in use.
    """
    return _triggers(ctx, ctx.db.find(Trigger, active=active), page, per_page)


@app.get("/api/v2/triggers/active", tool="list_active_triggers", mcp=False)
def list_active_triggers(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the triggers that are in use."""
    return _triggers(ctx, ctx.db.find(Trigger, active=True), page, per_page)


@app.get("/api/v2/triggers/search", tool="search_triggers", mcp=False)
def search_triggers(ctx: Ctx, query: str, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Finds triggers by words of their title.

    query: The words.
    """
    return _triggers(ctx, ctx.db.find(Trigger, title__contains=query), page, per_page)


@app.get("/api/v2/triggers/{trigger_id}", tool="show_trigger", mcp=False)
def show_trigger(ctx: Ctx, trigger_id: int) -> dict[str, Any]:
    """Shows a trigger.

    trigger_id: The trigger's id.
    """
    return {"trigger": resources.trigger(ctx, ctx.require(Trigger, trigger_id))}


@app.get("/api/v2/automations", tool="list_automations")
def list_automations(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the automations: what happens to tickets some time after an event."""
    rows = sorted(ctx.db.find(Automation), key=by("position"))
    return listing(ctx, "automations", rows, lambda a: resources.automation(ctx, a), page=page, per_page=per_page)


@app.get("/api/v2/automations/active", tool="list_active_automations", mcp=False)
def list_active_automations(ctx: Ctx, page: Page = 1, per_page: PerPage = None) -> dict[str, Any]:
    """Lists the automations that are in use."""
    rows = ctx.db.find(Automation, active=True)
    return listing(ctx, "automations", rows, lambda a: resources.automation(ctx, a), page=page, per_page=per_page)


@app.get("/api/v2/automations/{automation_id}", tool="show_automation", mcp=False)
def show_automation(ctx: Ctx, automation_id: int) -> dict[str, Any]:
    """Shows an automation.

    automation_id: The automation's id.
    """
    return {"automation": resources.automation(ctx, ctx.require(Automation, automation_id))}
