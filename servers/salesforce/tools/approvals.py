"""Approval processes. https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_process_approvals.htm"""

from typing import Any, Literal

from legoenv_mcp.app import MISSING, Ctx

from .. import errors, ids, metadata, records, times
from ..app import app
from ..models import Group, ProcessInstance, ProcessInstanceWorkitem, User
from ..models.process import APPROVABLE

_DECISIONS = {"Approve": "Approved", "Reject": "Rejected", "Removed": "Removed"}


@app.get("/services/data/v{version}/process/approvals", tool="list_approval_processes", mcp=False)
def list_approval_processes(ctx: Ctx) -> dict[str, Any]:
    """Lists the approval processes by the type of record they are for."""
    return {
        "approvals": {
            name: [{"description": None, "id": None, "name": f"{name} Approval", "object": name, "sortOrder": 1}] for name in APPROVABLE
        }
    }  # fmt: skip


@app.post("/services/data/v{version}/process/approvals", tool="process_approvals", effect="transition", mcp=False)
def process_approvals(ctx: Ctx, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Submits records for approval, approves or rejects them.

    requests: Each with actionType (Submit, Approve, Reject), contextId, comments and, to submit, nextApproverIds.
    """
    return [_perform(ctx, request) for request in requests]


def _perform(ctx: Ctx, request: dict[str, Any]) -> dict[str, Any]:
    action, context, comments = request.get("actionType"), request.get("contextId"), request.get("comments")
    if not isinstance(context, str) or not isinstance(comments, str | None):
        raise errors.refusal("REQUIRED_FIELD_MISSING", "Required fields are missing: [contextId]", "contextId")
    if action == "Submit":
        approvers = request.get("nextApproverIds") or []
        if not isinstance(approvers, list):
            raise errors.json_error("nextApproverIds must be a list")
        return submit(ctx, context, comments, [str(a) for a in approvers])
    if action in _DECISIONS:
        return decide(ctx, context, str(action), comments)
    raise errors.refusal("INVALID_ARGUMENT", f"Invalid actionType: {action}", "actionType")


def submit(ctx: Ctx, record_id: str, comments: str | None, approvers: list[str]) -> dict[str, Any]:
    """A record's submission: it waits for one approver and is locked meanwhile."""
    full = ids.full(record_id)
    kind = metadata.of_id(full) if full else None
    if full is None or kind is None:
        raise errors.refusal("MALFORMED_ID", f"malformed id {record_id}", "contextId")
    row = ctx.db.get(kind.cls, full)
    if row is None:
        raise errors.cross_reference("contextId")
    if row.IsDeleted:
        raise errors.deleted()
    if kind.name not in APPROVABLE:
        raise errors.refusal("NO_APPLICABLE_PROCESS", "No applicable approval process was found.")
    if ctx.db.first(ProcessInstance, TargetObjectId=full, Status="Pending") is not None:
        raise errors.refusal("ALREADY_IN_PROCESS", "Cannot submit object already in process.")
    submitter = records.current_user(ctx)
    me = ctx.db.get(User, submitter)
    actor = approvers[0] if approvers else me.ManagerId if me else None
    if actor is None:
        raise errors.refusal(
            "REQUIRED_FIELD_MISSING", "You must specify the next approver: [nextApproverIds]", "nextApproverIds"
        )
    info = metadata.TYPES["processinstanceworkitem"].columns["ActorId"]
    actor = records.values.reference(ctx, info, actor)
    instance = records.insert(
        ctx, ProcessInstance, TargetObjectId=full, Status="Pending", SubmittedById=submitter, Comments=comments
    )
    item = records.insert(
        ctx, ProcessInstanceWorkitem, ProcessInstanceId=instance.Id, ActorId=actor, OriginalActorId=actor
    )
    return _outcome(full, instance.Id, "Pending", [actor], [item.Id])


def _outcome(entity: str, instance: str, status: str, actors: list[str], items: list[str]) -> dict[str, Any]:
    return {
        "actorIds": actors, "entityId": entity, "errors": None, "instanceId": instance, "instanceStatus": status, "newWorkitemIds": items,
        "success": True,
    }  # fmt: skip


def decide(ctx: Ctx, workitem_id: str, action: str, comments: str | None) -> dict[str, Any]:
    """An approver's decision. The work item is gone then; the instance tells how it ended."""
    full = ids.full(workitem_id)
    item = ctx.db.get(ProcessInstanceWorkitem, full or "")
    if item is None:
        raise errors.cross_reference("contextId")
    instance = ctx.require(ProcessInstance, item.ProcessInstanceId)
    user = records.current_user(ctx)
    assigned = item.ActorId == user or ctx.db.get(Group, item.ActorId or "") is not None
    if not assigned and not records.is_administrator(ctx):
        raise errors.refusal(
            "INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY",
            "insufficient access rights on cross-reference id: " + item.Id,
        )
    ctx.db.delete(item)
    status = _DECISIONS[action]
    records.touch(
        ctx,
        instance,
        Status=status,
        CompletedDate=times.now(ctx),
        LastActorId=user,
        Comments=comments or instance.Comments,
    )
    return _outcome(str(instance.TargetObjectId), instance.Id, status, [], [])


@app.operation("POST", "", tool="submit_for_approval", effect="transition")
def submit_for_approval(
    ctx: Ctx, contextId: str, comments: str | MISSING = MISSING, nextApproverId: str | MISSING = MISSING
) -> dict[str, Any]:  # fmt: skip
    """Submits a record (opportunity, account, case, lead or campaign) for approval. It is locked until somebody decides.

    contextId: The record's id.
    comments: Why.
    nextApproverId: The user who decides; the current user's manager where left out.
    """
    approvers = [] if nextApproverId is MISSING else [nextApproverId]
    return submit(ctx, contextId, None if comments is MISSING else comments, approvers)


@app.operation("POST", "", tool="decide_approval", effect="transition")
def decide_approval(
    ctx: Ctx, workitemId: str, action: Literal["Approve", "Reject"], comments: str | MISSING = MISSING
) -> dict[str, Any]:
    """Approves or rejects a pending approval request, found by querying ProcessInstanceWorkitem.

    workitemId: The approval request's id.
    action: The decision.
    comments: Why.
    """
    return decide(ctx, workitemId, action, None if comments is MISSING else comments)
