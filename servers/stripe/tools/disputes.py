"""Disputes: payments that the customer's bank questions. https://docs.stripe.com/api/disputes"""

from typing import Any

from legoenv_mcp.app import MISSING, Ctx

from .. import charging
from ..app import app
from ..errors import refuse
from ..events import emit
from ..lists import listing
from ..models import Charge, Dispute
from ..params import After, Before, Created, Expand, ExpandBody, Limit, MetadataParam, asked, merged, times
from ..resources import show
from .dispute_evidence import Evidence

MAX_EVIDENCE = 150_000
# What these say in `uncategorized_text` decides a test dispute at once. https://docs.stripe.com/testing#disputes
MAGIC = {"winning_evidence": "won", "losing_evidence": "lost", "escalate_inquiry_evidence": "needs_response"}


def _open(row: Dispute) -> None:
    if row.status in ("won", "lost", "warning_closed"):
        raise refuse("This dispute is already closed")


@app.get("/v1/disputes", tool="list_disputes")
def list_disputes(
    ctx: Ctx, charge: str | MISSING = MISSING, payment_intent: str | MISSING = MISSING, created: Created = MISSING, limit: Limit = 10,
    starting_after: After = MISSING, ending_before: Before = MISSING, expand: Expand = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Lists disputes, newest first.

    charge: Only those of this charge.
    payment_intent: Only those of this payment intent.
    """
    filters = {"charge": asked(charge), "payment_intent": asked(payment_intent), **times("created", created)}
    return listing(ctx, Dispute, "/v1/disputes", limit, starting_after, ending_before, **filters)


@app.get("/v1/disputes/{dispute}", tool="retrieve_dispute")
def retrieve_dispute(ctx: Ctx, dispute: str, expand: Expand = MISSING) -> dict[str, Any]:
    """Retrieves a dispute: its reason, its status, the evidence so far and until when more is taken.

    dispute: The dispute's ID.
    """
    return show(ctx, ctx.require(Dispute, dispute))


@app.post("/v1/disputes/{dispute}", tool="update_dispute", effect="update")
def update_dispute(
    ctx: Ctx, dispute: str, evidence: Evidence | MISSING = MISSING, submit: bool = True, metadata: MetadataParam = MISSING,
    expand: ExpandBody = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Adds evidence to a dispute, and by default submits it to the bank, which is final for what was sent.

    dispute: The dispute's ID.
    evidence: What speaks for the charge; pieces add to those given before.
    submit: Whether to send the evidence to the bank now; if not, it is kept for later.
    """
    row = ctx.require(Dispute, dispute)
    _open(row)
    was = show(ctx, row)
    changes = dict[str, Any]()
    if metadata is not MISSING:
        changes["metadata_"] = merged(row.metadata_, metadata)
    pieces = dict(row.evidence)
    if evidence is not MISSING:
        for name in evidence.model_fields_set:
            text = getattr(evidence, name)
            pieces.pop(name, None)
            if text:
                pieces[name] = text
        if sum(len(text) for text in pieces.values()) > MAX_EVIDENCE:
            raise refuse(
                f"The combined character count of the evidence must be at most {MAX_EVIDENCE}.", param="evidence"
            )
        changes["evidence"] = pieces
    submits = bool(submit and pieces and (evidence is not MISSING or "submit" in ctx.sent()))
    if submits:
        changes["submission_count"] = row.submission_count + 1
        changes["status"] = (
            "warning_under_review"
            if row.case_type == "inquiry" and row.status.startswith("warning")
            else "under_review"
        )
    ctx.db.update(row, **changes)
    if submits:
        _decide(ctx, row, MAGIC.get(pieces.get("uncategorized_text", "")))
    emit(ctx, "charge.dispute.updated", row, was=was)
    return show(ctx, row)


def _decide(ctx: Ctx, row: Dispute, verdict: str | None) -> None:
    """The bank's verdict on a test dispute; without one it stays under review."""
    inquiry = row.status == "warning_under_review"
    if verdict == "won":
        ctx.db.update(row, status="warning_closed" if inquiry else "won", is_charge_refundable=True)
        if not inquiry:
            charging.reinstate(ctx, row)
        emit(ctx, "charge.dispute.closed", row)
    elif verdict == "lost" and not inquiry:
        ctx.db.update(row, status="lost")
        emit(ctx, "charge.dispute.closed", row)
    elif verdict == "needs_response" and inquiry:
        charge = ctx.require(Charge, row.charge)
        left = charge.amount_captured - charge.amount_refunded
        ctx.db.update(row, status="needs_response", case_type="chargeback", is_charge_refundable=False, amount=left)
        charging.withdraw(ctx, row)


@app.post("/v1/disputes/{dispute}/close", tool="close_dispute", effect="transition")
def close_dispute(ctx: Ctx, dispute: str, expand: ExpandBody = MISSING) -> dict[str, Any]:
    """Gives up a dispute: it counts as lost. It cannot be undone.

    dispute: The dispute's ID.
    """
    row = ctx.require(Dispute, dispute)
    _open(row)
    ctx.db.update(row, status="warning_closed" if row.status.startswith("warning") else "lost")
    emit(ctx, "charge.dispute.closed", row)
    return show(ctx, row)
