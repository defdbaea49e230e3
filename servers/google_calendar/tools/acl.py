"""Sharing. https://developers.google.com/workspace/calendar/api/v3/reference/acl"""

import re
from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Payload, Query, Reply, ToolOnly

from .. import listing, schemas
from ..access import RANKS, me, require
from ..app import CalendarId, app, check_match, forbidden, not_found, refuse
from ..bodies import EMAIL
from ..models import AclRule, Calendar
from ..resources import acl_json, list_etag
from ..schemas import answers
from ..writing import stamps

Body = Annotated[schemas.AclRule | None, Payload(mcp=False)]
Quiet = Annotated[bool | None, Query(mcp=False)]
Most = Annotated[int, Field(ge=1, le=2**31 - 1)] | None
Role = Annotated[
    Literal["none", "freeBusyReader", "reader", "writerWithoutPrivateAccess", "writer", "owner"] | MISSING, ToolOnly()
]
_DOMAIN = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")


@app.get("/calendar/v3/calendars/{calendarId}/acl", tool="list_acl_rules")
@answers("Acl")
def list_acl_rules(
    ctx: Ctx, calendarId: CalendarId = "primary", maxResults: Most = None, pageToken: str | None = None,
    showDeleted: bool | None = None, syncToken: Annotated[str | None, Query(mcp=False)] = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists with whom a calendar is shared, and how. Needs writer access.

    calendarId: The calendar's id, or `primary` for one's own.
    maxResults: How many to list (100 by default, at most 250).
    pageToken: The nextPageToken of the page before.
    showDeleted: Whether removed rules are listed too, with the role none.
    """
    calendar, _ = require(ctx, calendarId, "writer")
    scope = listing.scope_of("acl", calendar.id)
    known = listing.since(ctx, syncToken, scope)
    rows = [
        r
        for r in ctx.db.find(AclRule, order="changed", calendar_id=calendar.id)
        if (showDeleted or known is not None or r.role != "none") and (known is None or r.changed > known)
    ]
    made = listing.page(ctx, rows, min(maxResults or 100, 250), pageToken, scope, acl_json)
    if not ctx.request.method:
        made = {name: value for name, value in made.items() if name != "nextSyncToken"}
        return {**made, "items": [{name: i[name] for name in ("id", "role", "scope")} for i in made["items"]]}
    return {"kind": "calendar#acl", "etag": list_etag([(r.id, r.changed) for r in rows]), **made}


def _rule(ctx: Ctx, calendar: Calendar, rule_id: str) -> AclRule:
    row = ctx.db.get(AclRule, (calendar.id, rule_id))
    if row is None or row.role == "none":
        raise not_found()
    return row


@app.get("/calendar/v3/calendars/{calendarId}/acl/{ruleId}", tool="get_acl_rule")
@answers("AclRule")
def get_acl_rule(ctx: Ctx, ruleId: str, calendarId: CalendarId = "primary") -> dict[str, Any]:
    """Gets one rule of a calendar's sharing. Needs writer access.

    ruleId: The rule's id: user:ADDRESS, group:ADDRESS, domain:NAME or default.
    calendarId: The calendar's id, or `primary` for one's own.
    """
    calendar, _ = require(ctx, calendarId, "writer")
    return acl_json(_rule(ctx, calendar, ruleId))


def _role(said: Any, kind: str) -> Any:
    if not said or said is MISSING:
        raise refuse("Missing role.", "required")
    if said not in RANKS:
        raise refuse("Invalid role value.")
    if kind == "default" and RANKS[said] > RANKS["reader"]:
        raise refuse("The public cannot be given this access role.", "illegalAccessRoleForDefault", domain="calendar")
    return said


def _guard(ctx: Ctx, calendar: Calendar, rule_id: str) -> None:
    """Nobody takes the calendar from its owner, nor changes the own access."""
    if rule_id == f"user:{calendar.owner}":
        raise forbidden("Cannot change the access level of the owner.", "cannotChangeOwnerAcl")
    if rule_id == f"user:{me(ctx).email}":
        raise forbidden("Cannot change your own access level.", "cannotChangeOwnAcl")


@app.post("/calendar/v3/calendars/{calendarId}/acl", tool="create_acl_rule")
@answers("AclRule")
def create_acl_rule(
    ctx: Ctx, calendarId: CalendarId = "primary", resource: Body = None, role: Role = MISSING,
    scopeType: Annotated[Literal["user", "group", "domain", "default"] | MISSING, ToolOnly()] = MISSING,
    scopeValue: Annotated[str | MISSING, ToolOnly()] = MISSING, sendNotifications: Annotated[bool | None, Query()] = None,
) -> dict[str, Any]:  # fmt: skip
    """Shares a calendar, or changes the role that its scope has already. Needs owner access.

    calendarId: The calendar's id, or `primary` for one's own.
    role: freeBusyReader sees when it is busy, reader all but private events, writer may write, owner may share it too.
    scopeType: With whom: a user, a group, everybody of a domain, or (default) the public.
    scopeValue: The address of the user or group, or the domain.
    sendNotifications: Whether they get a mail about it; true by default.
    """
    calendar, _ = require(ctx, calendarId, "owner")
    body = resource.sent() if resource else {"role": role, "scope": {"type": scopeType, "value": scopeValue}}
    scope = body.get("scope") or {}
    kind, value = scope.get("type"), scope.get("value")
    if not kind or kind is MISSING:
        raise refuse("Missing scope type.", "required")
    if kind not in ("default", "user", "group", "domain"):
        raise refuse("Invalid scope type.")
    value = "" if kind == "default" or value is None or value is MISSING else str(value).strip().lower()
    if kind != "default" and not (_DOMAIN if kind == "domain" else EMAIL).fullmatch(value):
        raise refuse("Invalid scope value.", "invalidScopeValue", domain="calendar")
    level, rule_id = _role(body.get("role"), kind), f"{kind}:{value}" if value else "default"
    _guard(ctx, calendar, rule_id)
    row = ctx.db.get(AclRule, (calendar.id, rule_id))
    if row is None:
        row = ctx.db.add(
            AclRule(calendar_id=calendar.id, id=rule_id, role=level, scope_type=kind, scope_value=value, **stamps(ctx))
        )
    elif row.role != level:
        ctx.db.update(row, role=level, **stamps(ctx))
    return acl_json(row)


def _change(ctx: Ctx, calendar_id: str, rule_id: str, said: Any, *, whole: bool) -> dict[str, Any]:
    calendar, _ = require(ctx, calendar_id, "owner")
    row = _rule(ctx, calendar, rule_id)
    check_match(ctx, acl_json(row)["etag"])
    if (said is not None and said is not MISSING) or whole:
        level = _role(said, row.scope_type)
        if level != row.role:
            _guard(ctx, calendar, rule_id)
            ctx.db.update(row, role=level, **stamps(ctx))
    return acl_json(row)


@app.patch("/calendar/v3/calendars/{calendarId}/acl/{ruleId}", tool="update_acl_rule")
@answers("AclRule")
def update_acl_rule(
    ctx: Ctx, ruleId: str, calendarId: CalendarId = "primary", resource: Body = None, role: Role = MISSING,
    sendNotifications: Annotated[bool | None, Query()] = None,
) -> dict[str, Any]:  # fmt: skip
    """Changes what somebody may do with a calendar. Needs owner access.

    ruleId: The rule's id: user:ADDRESS, group:ADDRESS, domain:NAME or default.
    calendarId: The calendar's id, or `primary` for one's own.
    role: The new role; none takes the access away.
    sendNotifications: Whether they get a mail about it; true by default.
    """
    return _change(ctx, calendarId, ruleId, resource.role if resource else role, whole=False)


@app.put("/calendar/v3/calendars/{calendarId}/acl/{ruleId}", tool="replace_acl_rule", mcp=False)
@answers("AclRule")
def replace_acl_rule(
    ctx: Ctx, ruleId: str, calendarId: CalendarId, resource: Body = None, sendNotifications: Quiet = None
) -> dict[str, Any]:
    """Writes a rule anew."""
    return _change(ctx, calendarId, ruleId, resource.role if resource else None, whole=True)


@app.delete("/calendar/v3/calendars/{calendarId}/acl/{ruleId}", tool="delete_acl_rule", status=204)
def delete_acl_rule(ctx: Ctx, ruleId: str, calendarId: CalendarId = "primary") -> Reply:
    """Takes somebody's access to a calendar away. Needs owner access.

    ruleId: The rule's id: user:ADDRESS, group:ADDRESS, domain:NAME or default.
    calendarId: The calendar's id, or `primary` for one's own.
    """
    calendar, _ = require(ctx, calendarId, "owner")
    row = _rule(ctx, calendar, ruleId)
    _guard(ctx, calendar, ruleId)
    ctx.db.update(row, role="none", **stamps(ctx))
    return Reply(None, 204)
