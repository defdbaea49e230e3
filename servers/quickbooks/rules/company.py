"""The company, its preferences, its attachments, and hours worked."""

from typing import Any

from legoenv_mcp.app import Ctx

from .. import faults, wire
from ..models import KINDS, Attachable, Preferences, Record, TimeActivity
from ..models.taxes import TaxAgency

_SETTABLE = {
    "AccountingInfoPrefs": {"BookCloseDate": str, "ClassTrackingPerTxn": bool, "ClassTrackingPerTxnLine": bool, "TrackDepartments": bool,
                            "DepartmentTerminology": str, "CustomerTerminology": str, "UseAccountNumbers": bool},
    "SalesFormsPrefs": {"AllowDeposit": bool, "AllowDiscount": bool, "AllowEstimates": bool, "AllowServiceDate": bool,
    "AllowShipping": bool,
                        "AutoApplyCredit": bool, "CustomTxnNumbers": bool, "DefaultCustomerMessage": str, "ETransactionAttachPDF": bool},
    "VendorAndPurchasesPrefs": {"BillableExpenseTracking": bool, "TrackingByCustomer": bool},
    "TimeTrackingPrefs": {"BillCustomers": bool, "ShowBillRateToAll": bool, "UseServices": bool, "WorkWeekStartDate": str},
    "ReportPrefs": {"ReportBasis": str, "CalcAgingReportFromTxnDate": bool},
    "EmailMessagesPrefs": {},
}  # fmt: skip


CATEGORIES = ("Contact Photo", "Document", "Image", "Receipt", "Signature", "Sound", "Other")
"""What an attachment may be."""


def prepare(ctx: Ctx, cls: type[Record], state: dict[str, Any], old: Record | None, body: dict[str, Any]) -> None:
    """Completes and checks these objects."""
    if cls is Preferences and old is not None:
        _preferences(state, old, body)
    elif cls is Attachable:
        _attachable(ctx, state)
    elif cls is TimeActivity:
        _time(ctx, state)
    elif cls is TaxAgency:
        name = str(body.get("DisplayName") or "")
        if not name:
            raise faults.missing("DisplayName")
        if old is None and ctx.db.first(TaxAgency, DisplayName=name):
            raise faults.duplicate_name("tax agency")
    wire.require(cls, state)


def _preferences(state: dict[str, Any], old: Record, body: dict[str, Any]) -> None:
    """Groups merge member by member; members that the service decides stay as they are."""
    for group in wire.fields(Preferences):
        before: dict[str, Any] = getattr(old, group)
        made = dict(before)
        for name, value in (body.get(group) or {}).items():
            kind = _SETTABLE.get(group, {}).get(name)
            if kind is None or value == before.get(name):
                continue
            if value is not None and not isinstance(value, kind):
                raise faults.unsupported_property(name)
            if name == "BookCloseDate" and value:
                value = wire.day(value, name)
            if name == "ReportBasis" and value not in ("Accrual", "Cash"):
                raise faults.enumeration(value, name)
            made[name] = value
            if value is None or value == "":
                made.pop(name)
        state[group] = made


def _attachable(ctx: Ctx, state: dict[str, Any]) -> None:
    made = list[dict[str, Any]]()
    for one in state["AttachableRef"]:
        entity = one.get("EntityRef") if isinstance(one, dict) else None
        if not isinstance(entity, dict):
            raise faults.missing("EntityRef")
        given = str(entity.get("type") or "")
        kind = next((name for name in KINDS if name.lower() == given.lower()), "")
        if kind in ("", "Attachable", "Preferences"):
            detail = f"The entity reference type {given[:40]} is unsupported for Attachable"
            raise faults.fault("6050", "The entity reference type is unsupported for Attachable", detail, "EntityRef")
        key = wire.reference(ctx, entity, "EntityRef.value", kind)
        include = one.get("IncludeOnSend")
        made.append(
            {"EntityRef": {"value": key, "type": kind}, "IncludeOnSend": wire.flag(include or False, "IncludeOnSend")}
        )
    state["AttachableRef"] = made
    if state.get("Category") not in (None, *CATEGORIES):
        raise faults.enumeration(state["Category"], "Category")
    if not state.get("Note") and not state.get("FileName"):
        raise faults.missing("Note")


def _time(ctx: Ctx, state: dict[str, Any]) -> None:
    """Whose time it is, and how long: hours and minutes, or a start and an end."""
    state.setdefault("TxnDate", ctx.now.date().isoformat())
    if state.get("NameOf") and not state.get(f"{state['NameOf']}Ref"):
        raise faults.missing(f"{state['NameOf']}Ref")
    if state.get("StartTime") or state.get("EndTime"):
        try:
            start, end = (ctx.parse_time(str(state.get(name) or "")) for name in ("StartTime", "EndTime"))
        except ValueError:
            raise faults.fault(
                "2190", "Invalid Date", "Invalid Date : StartTime and EndTime are ISO 8601 times.", "StartTime"
            ) from None
        if end <= start:
            raise faults.business("The end time must be after the start time.", "EndTime")
    elif not state.get("Hours") and not state.get("Minutes"):
        raise faults.missing("Hours")
    if state["BillableStatus"] == "Billable" and not state.get("CustomerRef"):
        raise faults.missing("CustomerRef")
