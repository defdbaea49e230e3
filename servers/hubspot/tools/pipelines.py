"""Pipelines and their stages. https://developers.hubspot.com/docs/api-reference/crm-pipelines-v3/guide"""

from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from legoenv_mcp.app import MISSING, Ctx, Query

from .. import errors, records, rules, times
from ..app import app, done
from ..kinds import Kind, resolve
from ..models import Pipeline, Stage
from ..properties import STAGED
from .objects import Id

Metadata = dict[str, Any]


class NewStage(TypedDict):
    """A stage of a new pipeline."""

    label: str
    displayOrder: int
    metadata: NotRequired[Metadata]
    stageId: NotRequired[str | None]


def staged(ctx: Ctx, object_type: str) -> Kind:
    kind = resolve(ctx, object_type)
    if kind.name not in STAGED:
        raise errors.bad_request(
            f"Object type {kind.singular} does not support pipelines", context={"objectType": [kind.name]}
        )
    return kind


def stage_shown(s: Stage) -> dict[str, Any]:
    meta = {
        k: v if isinstance(v, str) else str(v).lower() if isinstance(v, bool) else str(v) for k, v in s.meta.items()
    }
    return {
        "id": s.id, "label": s.label, "displayOrder": s.display_order, "metadata": meta, "archived": s.archived,
        "createdAt": times.shown(s.created_at), "updatedAt": times.shown(s.updated_at), "writePermissions": "CRM_PERMISSIONS_ENFORCEMENT",
    }  # fmt: skip


def stages(ctx: Ctx, p: Pipeline) -> list[Stage]:
    return ctx.db.find(Stage, order="display_order,id", object_type=p.object_type, pipeline=p.id, archived=False)


def pipeline_shown(ctx: Ctx, p: Pipeline) -> dict[str, Any]:
    return {
        "id": p.id, "label": p.label, "displayOrder": p.display_order, "archived": p.archived,
        "createdAt": times.shown(p.created_at), "updatedAt": times.shown(p.updated_at), "stages": [stage_shown(s) for s in stages(ctx, p)],
    }  # fmt: skip


def require(ctx: Ctx, kind: Kind, pipeline_id: str) -> Pipeline:
    row = ctx.db.get(Pipeline, (kind.name, pipeline_id))
    if row is None or row.archived:
        raise errors.not_found(f"Pipeline {pipeline_id} does not exist", context={"pipelineId": [pipeline_id]})
    return row


def require_stage(ctx: Ctx, p: Pipeline, stage_id: str) -> Stage:
    row = ctx.db.get(Stage, (p.object_type, p.id, stage_id))
    if row is None or row.archived:
        raise errors.not_found(
            f"Pipeline stage {stage_id} does not exist", context={"stageId": [stage_id], "pipelineId": [p.id]}
        )
    return row


def check_metadata(kind: Kind, meta: Metadata) -> Metadata:
    """Deal stages have a probability between 0 and 1, ticket stages a state."""
    if kind.name == "deals":
        try:
            chance = float(meta.get("probability", "nan"))
        except (TypeError, ValueError):
            chance = -1.0
        if not 0 <= chance <= 1:
            raise errors.bad_request(
                "Deal stage metadata must have a probability between 0.0 and 1.0",
                errors=[{"message": "invalid", "in": "metadata.probability"}]
            )  # fmt: skip
        closed = meta.get("isClosed", "true" if chance in (0.0, 1.0) else "false")
        return {**meta, "probability": str(chance), "isClosed": str(closed).lower()}
    if kind.name == "tickets":
        state = meta.get("ticketState", "OPEN")
        if state not in ("OPEN", "CLOSED"):
            raise errors.bad_request(
                "Ticket stage metadata must have a ticketState of OPEN or CLOSED",
                errors=[{"message": "invalid", "in": "metadata.ticketState"}],
            )
        return {**meta, "ticketState": state, "isClosed": "true" if state == "CLOSED" else "false"}
    return dict(meta)


def check_label(ctx: Ctx, kind: Kind, label: str, but: str = "") -> None:
    if not label.strip():
        raise errors.bad_request(
            "The label must not be blank", errors=[{"message": "must not be blank", "in": "label"}]
        )
    if any(p.label == label and p.id != but for p in ctx.db.find(Pipeline, object_type=kind.name, archived=False)):
        raise errors.conflict(f"A pipeline with the label '{label}' already exists")


def add_stage(ctx: Ctx, kind: Kind, p: Pipeline, given: dict[str, Any]) -> Stage:
    """A new stage; its id is free in the whole account."""
    if not given["label"].strip():
        raise errors.bad_request(
            "The label must not be blank", errors=[{"message": "must not be blank", "in": "label"}]
        )
    if any(s.label == given["label"] for s in stages(ctx, p)):
        raise errors.conflict(f"A stage with the label '{given['label']}' already exists in pipeline {p.id}")
    at, stage_id = times.now(ctx), given.get("stageId") or str(ctx.sequence("stage", start=1_184_500_301, step=7))
    if ctx.db.first(Stage, object_type=kind.name, id=stage_id) is not None:
        raise errors.conflict(f"A stage with the id '{stage_id}' already exists")
    return ctx.db.add(
        Stage(
            object_type=kind.name, pipeline=p.id, id=stage_id, label=given["label"], display_order=given["displayOrder"],
            meta=check_metadata(kind, given.get("metadata") or {}), created_at=at, updated_at=at,
        )
    )  # fmt: skip


def used(ctx: Ctx, kind: Kind, pipeline_id: str, stage_id: str | None = None) -> list[str]:
    """The ids of the records that are in a pipeline or stage."""
    pipeline, stage = STAGED[kind.name]
    filters = {pipeline: pipeline_id, "archived": False, **({stage: stage_id} if stage_id else {})}
    return [row.id for row in ctx.db.find(kind.cls, **filters)]


def refresh(ctx: Ctx, kind: Kind, ids: list[str]) -> None:
    """Brings what records take from their stage up to date."""
    for one in ids:
        row: Any = records.require(ctx, kind, one)
        before = {"hs_is_closed": True, "closed_date": None} if kind.name != "leads" else {}
        follow = rules.computed(ctx, kind, row, {"closedate": None}, before)
        ctx.db.update(row, **{n: v for n, v in follow.items() if n not in ("closedate", "closed_date")})


@app.get("/crm/v3/pipelines/{objectType}", tool="list_pipelines")
def list_pipelines(ctx: Ctx, objectType: str) -> dict[str, Any]:
    """Lists the pipelines of deals, tickets or leads, with the ids and labels of their stages.

    objectType: deals, tickets or leads.
    """
    kind = staged(ctx, objectType)
    found = ctx.db.find(Pipeline, order="display_order,id", object_type=kind.name, archived=False)
    return {"results": [pipeline_shown(ctx, p) for p in found]}


@app.get("/crm/v3/pipelines/{objectType}/{pipelineId}", tool="get_pipeline", mcp=False)
def get_pipeline(ctx: Ctx, objectType: str, pipelineId: Id) -> dict[str, Any]:
    """Gets a pipeline with its stages.

    objectType: deals, tickets or leads.
    pipelineId: The pipeline's id.
    """
    return pipeline_shown(ctx, require(ctx, staged(ctx, objectType), pipelineId))


@app.post("/crm/v3/pipelines/{objectType}", tool="create_pipeline", mcp=False, status=201)
def create_pipeline(
    ctx: Ctx, objectType: str, label: str, displayOrder: int, stages: list[NewStage], pipelineId: Id | None = None
) -> dict[str, Any]:  # fmt: skip
    """Creates a pipeline.

    objectType: deals, tickets or leads.
    label: What people see.
    displayOrder: Its place.
    stages: Its stages, each {label, displayOrder, metadata}.
    pipelineId: Its id; drawn where left out.
    """
    kind = staged(ctx, objectType)
    check_label(ctx, kind, label)
    if not stages:
        raise errors.bad_request(
            "A pipeline needs at least one stage", errors=[{"message": "must not be empty", "in": "stages"}]
        )
    made, at = pipelineId or str(ctx.sequence("pipeline", start=731_204_118, step=13)), times.now(ctx)
    if ctx.db.get(Pipeline, (kind.name, made)) is not None:
        raise errors.conflict(f"A pipeline with the id '{made}' already exists")
    row = ctx.db.add(
        Pipeline(object_type=kind.name, id=made, label=label, display_order=displayOrder, created_at=at, updated_at=at)
    )
    for stage in stages:
        add_stage(ctx, kind, row, dict(stage))
    return pipeline_shown(ctx, row)


@app.patch("/crm/v3/pipelines/{objectType}/{pipelineId}", tool="update_pipeline", mcp=False)
def update_pipeline(
    ctx: Ctx, objectType: str, pipelineId: Id, label: str | MISSING = MISSING, displayOrder: int | MISSING = MISSING,
    archived: bool | MISSING = MISSING, validateReferencesBeforeDelete: Annotated[bool, Query()] = False,
    validateDealStageUsagesBeforeDelete: Annotated[bool, Query()] = False,
) -> dict[str, Any]:  # fmt: skip
    """Changes a pipeline's label or place, or restores an archived one.

    objectType: deals, tickets or leads.
    pipelineId: The pipeline's id.
    label: What people see.
    displayOrder: Its place.
    archived: Whether it is archived.
    validateReferencesBeforeDelete: Refuses to archive a pipeline in use.
    validateDealStageUsagesBeforeDelete: Refuses to archive a pipeline in use.
    """
    kind = staged(ctx, objectType)
    row = ctx.db.get(Pipeline, (kind.name, pipelineId))
    if row is None:
        raise errors.not_found(f"Pipeline {pipelineId} does not exist", context={"pipelineId": [pipelineId]})
    changes: dict[str, Any] = {}
    if isinstance(label, str):
        check_label(ctx, kind, label, pipelineId)
        changes["label"] = label
    if isinstance(displayOrder, int):
        changes["display_order"] = displayOrder
    if isinstance(archived, bool):
        changes["archived"] = archived
        if archived and not row.archived:
            check_others(ctx, kind)
        if archived and (validateReferencesBeforeDelete or validateDealStageUsagesBeforeDelete):
            check_unused(ctx, kind, pipelineId)
    return pipeline_shown(ctx, ctx.db.update(row, **changes, updated_at=times.now(ctx)) if changes else row)


def check_others(ctx: Ctx, kind: Kind) -> None:
    if ctx.db.count(Pipeline, object_type=kind.name, archived=False) == 1:
        raise errors.bad_request("The last pipeline of an object type cannot be deleted")


def check_unused(ctx: Ctx, kind: Kind, pipeline_id: str, stage_id: str | None = None) -> None:
    if ids := used(ctx, kind, pipeline_id, stage_id):
        what = f"Stage {stage_id}" if stage_id else f"Pipeline {pipeline_id}"
        raise errors.bad_request(
            f"{what} is in use by {len(ids)} {kind.name} and cannot be deleted",
            context={"ids": ids[:100]},
            subCategory="PipelineError.STAGE_IN_USE",
        )


@app.delete("/crm/v3/pipelines/{objectType}/{pipelineId}", tool="archive_pipeline", mcp=False, status=204)
def archive_pipeline(
    ctx: Ctx, objectType: str, pipelineId: Id, validateReferencesBeforeDelete: bool = False,
    validateDealStageUsagesBeforeDelete: bool = False,
) -> Any:  # fmt: skip
    """Deletes a pipeline. The last one of a type stays.

    objectType: deals, tickets or leads.
    pipelineId: The pipeline's id.
    validateReferencesBeforeDelete: Refuses where records are in it.
    validateDealStageUsagesBeforeDelete: Refuses where deals are in it.
    """
    kind = staged(ctx, objectType)
    row = require(ctx, kind, pipelineId)
    if validateReferencesBeforeDelete or validateDealStageUsagesBeforeDelete:
        check_unused(ctx, kind, pipelineId)
    check_others(ctx, kind)
    ctx.db.update(row, archived=True, updated_at=times.now(ctx))
    return done(ctx, {"id": pipelineId, "archived": True})


@app.get("/crm/v3/pipelines/{objectType}/{pipelineId}/stages", tool="list_pipeline_stages", mcp=False)
def list_pipeline_stages(ctx: Ctx, objectType: str, pipelineId: Id) -> dict[str, Any]:
    """Lists a pipeline's stages.

    objectType: deals, tickets or leads.
    pipelineId: The pipeline's id.
    """
    return {"results": [stage_shown(s) for s in stages(ctx, require(ctx, staged(ctx, objectType), pipelineId))]}


@app.get("/crm/v3/pipelines/{objectType}/{pipelineId}/stages/{stageId}", tool="get_pipeline_stage", mcp=False)
def get_pipeline_stage(ctx: Ctx, objectType: str, pipelineId: Id, stageId: Id) -> dict[str, Any]:
    """Gets a stage of a pipeline.

    objectType: deals, tickets or leads.
    pipelineId: The pipeline's id.
    stageId: The stage's id.
    """
    return stage_shown(require_stage(ctx, require(ctx, staged(ctx, objectType), pipelineId), stageId))


@app.post("/crm/v3/pipelines/{objectType}/{pipelineId}/stages", tool="create_pipeline_stage", mcp=False, status=201)
def create_pipeline_stage(
    ctx: Ctx, objectType: str, pipelineId: Id, label: str, displayOrder: int, metadata: Metadata | None = None,
    stageId: Id | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Adds a stage to a pipeline.

    objectType: deals, tickets or leads.
    pipelineId: The pipeline's id.
    label: What people see.
    displayOrder: Its place.
    metadata: probability of a deal's stage, ticketState of a ticket's.
    stageId: Its id; drawn where left out.
    """
    kind = staged(ctx, objectType)
    row = require(ctx, kind, pipelineId)
    given = {"label": label, "displayOrder": displayOrder, "metadata": metadata, "stageId": stageId}
    return stage_shown(add_stage(ctx, kind, row, given))


@app.patch("/crm/v3/pipelines/{objectType}/{pipelineId}/stages/{stageId}", tool="update_pipeline_stage", mcp=False)
def update_pipeline_stage(
    ctx: Ctx, objectType: str, pipelineId: Id, stageId: Id, label: str | MISSING = MISSING, displayOrder: int | MISSING = MISSING,
    metadata: Metadata | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a stage. Records in it follow: whether they are closed, and how probable.

    objectType: deals, tickets or leads.
    pipelineId: The pipeline's id.
    stageId: The stage's id.
    label: What people see.
    displayOrder: Its place.
    metadata: What is to change of the metadata.
    """
    kind = staged(ctx, objectType)
    row = require_stage(ctx, require(ctx, kind, pipelineId), stageId)
    changes: dict[str, Any] = {}
    if isinstance(label, str):
        changes["label"] = label
    if isinstance(displayOrder, int):
        changes["display_order"] = displayOrder
    if isinstance(metadata, dict):
        changes["meta"] = check_metadata(kind, {**{k: v for k, v in row.meta.items() if k != "isClosed"}, **metadata})
    row = ctx.db.update(row, **changes, updated_at=times.now(ctx)) if changes else row
    if "meta" in changes:
        refresh(ctx, kind, used(ctx, kind, pipelineId, stageId))
    return stage_shown(row)


@app.delete(
    "/crm/v3/pipelines/{objectType}/{pipelineId}/stages/{stageId}", tool="archive_pipeline_stage", mcp=False, status=204
)
def archive_pipeline_stage(
    ctx: Ctx, objectType: str, pipelineId: Id, stageId: Id, validateReferencesBeforeDelete: bool = False
) -> Any:  # fmt: skip
    """Deletes a stage that no record is in.

    objectType: deals, tickets or leads.
    pipelineId: The pipeline's id.
    stageId: The stage's id.
    validateReferencesBeforeDelete: Accepted; a stage in use is never deleted.
    """
    kind = staged(ctx, objectType)
    row = require_stage(ctx, require(ctx, kind, pipelineId), stageId)
    check_unused(ctx, kind, pipelineId, stageId)
    ctx.db.update(row, archived=True, updated_at=times.now(ctx))
    return done(ctx, {"id": stageId, "archived": True})
