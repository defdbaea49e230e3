"""What job openings and applications share."""

from typing import Any

from legoenv_mcp.app import Ctx

from .employees import value
from .errors import refuse
from .fields import FIELDS
from .models import Employee, ListOption
from .tables import Current

STATUSES = ("Draft", "Open", "On Hold", "Filled", "Canceled")
JOB_GROUPS: dict[str, tuple[str, ...]] = {
    "ALL": STATUSES, "DRAFT_AND_OPEN": ("Draft", "Open"), "Deleted": (), **{s: (s,) for s in STATUSES},
}  # fmt: skip


def title_of(ctx: Ctx, label: str) -> dict[str, Any]:
    option = next((o for o in ctx.db.find(ListOption, fieldId=17) if o.name.lower() == label.lower()), None)
    return {"id": option.id if option else None, "label": label}


def option_of(ctx: Ctx, list_id: int, label: str | None) -> dict[str, Any] | None:
    option = next((o for o in ctx.db.find(ListOption, fieldId=list_id) if o.name == label), None)
    return {"id": option.id, "label": option.name} if option else None


def lead_of(now: Current, employee: Employee | None) -> dict[str, Any] | None:
    if employee is None:
        return None
    title = value(now, employee, FIELDS["jobTitle"])
    return {
        "employeeId": employee.id, "firstName": employee.preferredName or employee.firstName, "lastName": employee.lastName, "avatar": None,
        "jobTitle": title_of(now.ctx, title) if title else None,
    }  # fmt: skip


def groups_of(text: str, known: dict[str, tuple[str, ...]], what: str) -> set[str] | None:
    """The statuses of the groups in a comma-separated list; None where there is none."""
    names = [n.strip() for n in text.split(",") if n.strip()]
    for name in names:
        if name not in known:
            raise refuse(400, f"Invalid {what}: {name[:60]}")
    return {s for name in names for s in known[name]} if names else None
