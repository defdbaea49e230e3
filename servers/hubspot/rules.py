"""What HubSpot does by itself when a record is written: pipelines, lifecycle stages, computed values."""

from typing import Any

from legoenv_mcp.app import Ctx

from . import times
from .kinds import Kind, portal
from .models import CrmObject, Pipeline, Product, Stage
from .models.people import LIFECYCLE
from .properties import STAGED
from .values import Refused

DEFAULT_PIPELINES = {"deals": "default", "tickets": "0", "leads": "lead-pipeline-id"}
_ORDER = {stage: place for place, (stage, _) in enumerate(LIFECYCLE)}
_DEFAULTS: dict[str, dict[str, Any]] = {
    "tasks": {"hs_task_status": "NOT_STARTED", "hs_task_priority": "NONE", "hs_task_type": "TODO"},
    "leads": {"hs_lead_type": "NEW_BUSINESS"},
    "line_items": {"quantity": 1.0},
}


def prepared(ctx: Ctx, kind: Kind, given: dict[str, Any]) -> dict[str, Any]:
    """A new record's values with what HubSpot fills in."""
    made = {**_DEFAULTS.get(kind.name, {}), **{k: v for k, v in given.items() if v is not None}}
    if kind.name in STAGED:
        pipeline, stage = STAGED[kind.name]
        made.setdefault(pipeline, DEFAULT_PIPELINES[kind.name])
        if kind.name == "leads" and stage not in made and (first := _stages(ctx, kind, made[pipeline])):
            made[stage] = first[0].id
    if kind.name == "deals":
        made.setdefault("deal_currency_code", portal(ctx).currency)
    if kind.name == "meetings" and "hs_timestamp" in made:
        made.setdefault("hs_meeting_start_time", made["hs_timestamp"])
    if kind.name == "line_items" and (product := ctx.db.get(Product, made.get("hs_product_id") or "")) is not None:
        for name in ("name", "description", "price", "hs_sku", "hs_cost_of_goods_sold", "hs_recurring_billing_period"):
            if (value := getattr(product, name)) is not None:
                made.setdefault(name, value)
    return made


def _stages(ctx: Ctx, kind: Kind, pipeline: str) -> list[Stage]:
    return ctx.db.find(Stage, order="display_order", object_type=kind.name, pipeline=pipeline, archived=False)


def stage_of(ctx: Ctx, kind: Kind, row: Any) -> Stage | None:
    """The stage that a record is in."""
    pipeline, stage = STAGED[kind.name]
    return ctx.db.get(Stage, (kind.name, getattr(row, pipeline) or "", getattr(row, stage) or ""))


def check_stage(ctx: Ctx, kind: Kind, values: dict[str, Any]) -> tuple[str, Refused] | None:
    """Whether there is the pipeline, and the stage in it: the property that is wrong and why."""
    pipeline, stage = STAGED[kind.name]
    chosen, wanted = values.get(pipeline), values.get(stage)
    if chosen is None:
        return (pipeline, Refused(f"{pipeline} cannot be empty", "REQUIRED_VALUE")) if wanted else None
    pipelines = [p.id for p in ctx.db.find(Pipeline, order="display_order", object_type=kind.name, archived=False)]
    if chosen not in pipelines:
        return pipeline, Refused(
            f"{chosen} is not a valid pipeline ID. Valid options are: [{', '.join(pipelines)}]", "INVALID_OPTION"
        )
    if wanted is None:
        return None
    allowed = [s.id for s in _stages(ctx, kind, chosen)]
    if wanted not in allowed:
        shown = f"pipelineId={chosen} : [{', '.join(allowed)}]"
        return stage, Refused(
            f"{wanted} is not a valid pipeline stage ID. Valid options are: {shown}", "INVALID_OPTION"
        )
    return None


def keep_lifecycle(row: CrmObject, changes: dict[str, Any]) -> None:
    """The lifecycle stage moves forward only, unless it is cleared first: HubSpot lets a step back pass and does not make it."""
    new, old = changes.get("lifecyclestage"), getattr(row, "lifecyclestage", None)
    if new is not None and old is not None and _ORDER.get(new, 0) < _ORDER.get(old, 0):
        del changes["lifecyclestage"]


def closes(stage: Stage | None) -> bool:
    """Whether a record in the stage is closed."""
    if stage is None:
        return False
    meta = stage.meta
    state = str(meta.get("ticketState") or meta.get("leadState") or "")
    return str(meta.get("isClosed", "")).lower() == "true" or state in ("CLOSED", "QUALIFIED", "UNQUALIFIED")


def probability(stage: Stage | None) -> float:
    return float(stage.meta.get("probability", 0) or 0) if stage is not None else 0.0


def computed(ctx: Ctx, kind: Kind, row: Any, given: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    """The values that follow from a record's others. `before` are its computed ones until now, None for a new record."""
    made: dict[str, Any] = {}
    if kind.name == "contacts" and row.email in (more := (row.hs_additional_emails or "").split(";")):
        # An additional address that becomes the main one changes places with it.
        more = [(before or {}).get("email") if e == row.email else e for e in more]
        made = {"hs_additional_emails": ";".join(e for e in more if e and e != row.email) or None}
    elif kind.name in STAGED:
        stage = stage_of(ctx, kind, row)
        closed = closes(stage)
        if kind.name == "deals":
            chance = probability(stage)
            made = {
                "hs_is_closed": closed, "hs_is_closed_won": closed and chance >= 1, "hs_is_closed_lost": closed and chance <= 0,
                "hs_deal_stage_probability": chance if stage else None,
                "hs_projected_amount": round(row.amount * chance, 2) if row.amount is not None and stage else None,
            }  # fmt: skip
            if closed and not (before or {}).get("hs_is_closed") and "closedate" not in given:
                made["closedate"] = times.now(ctx)
        elif kind.name == "tickets":
            made = {"hs_is_closed": closed}
            if closed != bool((before or {}).get("hs_is_closed")):
                made["closed_date"] = times.now(ctx) if closed else None
        else:
            made = {"hs_lead_is_open": not closed}
    elif kind.name == "tasks":
        completed = row.hs_task_status == "COMPLETED"
        made = {"hs_task_is_completed": float(completed)}
        if completed != bool((before or {}).get("hs_task_is_completed")):
            made["hs_task_completion_date"] = times.now(ctx) if completed else None
    elif kind.name == "line_items":
        price, quantity = row.price, row.quantity
        if price is not None and quantity is not None:
            each = price - (row.discount or 0) - price * (row.hs_discount_percentage or 0) / 100
            made = {"amount": round(each * quantity, 2)}
        else:
            made = {"amount": None}
    return {name: value for name, value in made.items() if getattr(row, name) != value}
