"""Rows as the world's entities."""

from typing import Any

from legoenv_mcp.app import Ctx
from legoenv_mcp.capabilities import Entity, crm, helpdesk
from legoenv_mcp.capabilities.people import Person

from .models import Comment, GroupMembership

_CHANNELS = ("email", "web", "chat", "api")
_COMPANY = (
    "industry", "kind", "tier", "employees", "annual_revenue", "phone", "street", "city", "state", "postal_code", "country", "owner",
)  # fmt: skip


def view(ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
    if table == "user":
        if row["role"] == "end-user":
            return requester(row) if row["active"] else None
        return person(row) if row["active"] else None
    if table == "organization":
        return company(row)
    if table == "group":
        return None if row["deleted"] else queue(ctx, row)
    if table == "ticket":
        return None if row["deleted"] else ticket(ctx, row)
    return None


def person(row: dict[str, Any]) -> Person:
    given, own = row["given_name"], {name: str(value) for name, value in row["user_fields"].items()}
    if given and row["name"].startswith(f"{given} "):
        first, last = given, row["name"][len(given) + 1 :]
    else:
        first, _, last = row["name"].partition(" ")
    return Person(
        id=str(row["id"]), first_name=first, last_name=last, email=row["email"] or "", handle=row["alias"] or "",
        title=own.get("job_title", ""), department=own.get("department", ""), manager=own.get("manager", ""),
        phone=row["phone"] or "", city=own.get("city", ""), country=own.get("country", ""), time_zone=row["time_zone"],
        start_date=own.get("start_date", ""), admin=row["role"] == "admin", active=not row["suspended"],
    )  # fmt: skip


def requester(row: dict[str, Any]) -> helpdesk.Requester:
    return helpdesk.Requester(
        id=str(row["id"]), name=row["name"], email=row["email"] or "", company=str(row["organization_id"] or ""),
        phone=row["phone"] or "", time_zone="" if row["time_zone"] == "UTC" else row["time_zone"], created=row["created_at"],
    )  # fmt: skip


def company(row: dict[str, Any]) -> crm.Company:
    """What the custom fields say, as far as a company has such values."""
    own = row["organization_fields"]
    known = {n: own[n] for n in _COMPANY if n in own}
    choices = {
        "kind": ("customer", "prospect", "partner", "former_customer"),
        "tier": ("enterprise", "mid_market", "smb"),
    }
    for name in list(known):
        number = name in ("employees", "annual_revenue")
        if known[name] not in choices.get(name, (known[name],)) or not isinstance(known[name], int if number else str):
            del known[name]
    domains = row["domain_names"]
    return crm.Company(
        id=str(row["id"]), name=row["name"], domain=domains[0] if domains else "", description=row["notes"] or "",
        created=row["created_at"], **known,
    )  # fmt: skip


def queue(ctx: Ctx, row: dict[str, Any]) -> helpdesk.Queue:
    members = ctx.db.find(GroupMembership, group_id=row["id"])
    return helpdesk.Queue(id=str(row["id"]), name=row["name"], members=tuple(str(m.user_id) for m in members))


def ticket(ctx: Ctx, row: dict[str, Any]) -> helpdesk.Ticket:
    """On hold is pending: the world knows no third way to wait."""
    said = ctx.db.find(Comment, ticket_id=row["id"], order="created_at,id")
    return helpdesk.Ticket(
        id=str(row["id"]), subject=row["subject"] or "", requester=str(row["requester_id"]),
        status="pending" if row["status"] == "hold" else row["status"], priority=row["priority"] or "", kind=row["type"] or "",
        assignee=str(row["assignee_id"] or ""), queue=str(row["group_id"] or ""), tags=tuple(row["tags"]),
        messages=tuple(
            helpdesk.TicketMessage(author=str(c.author_id), at=c.created_at, body=c.body, note=not c.public) for c in said
        ),
        channel=row["via"] if row["via"] in _CHANNELS else "api", created=row["created_at"], updated=row["updated_at"],
    )  # fmt: skip
