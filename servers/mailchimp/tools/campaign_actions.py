"""What is done with a campaign, and what people say of it. https://mailchimp.com/developer/marketing/api/campaigns/send-campaign/"""

import re
from datetime import timedelta
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import HEX, MISSING, Ctx, Field

from .. import campaigns, people, resources, times
from ..app import app, done
from ..errors import invalid_action, invalid_resource, not_found, refuse
from ..inputs import CampaignId, Email, Exclude, Fields, Time
from ..models import Campaign, Feedback, TestEmail
from ..paging import links

FeedbackId = Annotated[int, Field(description="The comment's id.")]
Message = Annotated[str, Field(min_length=1, max_length=5000)]


class BatchDelivery(TypedDict, total=False):
    """Sending in batches."""

    batch_delay: Annotated[int, Field(ge=1, le=60, description="Minutes between batches.")]
    batch_count: Annotated[int, Field(ge=2, le=26, description="How many batches.")]


@app.get("/campaigns/{campaign_id}/send-checklist", tool="get_send_checklist")
def get_send_checklist(
    ctx: Ctx, campaign_id: CampaignId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Tells whether a campaign is ready to be sent, and what is still missing."""
    row = ctx.require(Campaign, campaign_id)
    items = campaigns.checklist(ctx, row)
    path = f"/campaigns/{row.id}/send-checklist"
    return {
        "is_ready": all(i["type"] != "error" for i in items), "items": items, "_links": links(ctx, path, "Campaigns/Checklist"),
    }  # fmt: skip


@app.post("/campaigns/{campaign_id}/actions/send", tool="send_campaign", effect="send", status=204)
def send_campaign(ctx: Ctx, campaign_id: CampaignId) -> Any:
    """Sends a campaign to its recipients now. It must pass its checklist, and cannot be changed or sent again after."""
    row = campaigns.send(ctx, ctx.require(Campaign, campaign_id))
    return done(ctx, campaign_id=row.id, status=row.status, emails_sent=row.emails_sent)


@app.post("/campaigns/{campaign_id}/actions/schedule", tool="schedule_campaign", effect="transition", status=204)
def schedule_campaign(
    ctx: Ctx,
    campaign_id: CampaignId,
    schedule_time: Time,
    timewarp: bool = False,
    batch_delivery: BatchDelivery | Literal[False] = False,
) -> Any:
    """Schedules a campaign. It must pass its checklist.

    schedule_time: When it goes out (ISO 8601, UTC), in the future and on a quarter-hour.
    timewarp: Whether it goes out at that hour of each recipient's own time zone; at least 24 hours ahead.
    batch_delivery: Whether it goes out in batches: {"batch_delay": 5, "batch_count": 4}.
    """
    row = ctx.require(Campaign, campaign_id)
    if row.status not in campaigns.EDITABLE:
        raise refuse(400, f"This campaign cannot be scheduled: its status is {row.status}.")
    if row.type == "rss":
        raise refuse(400, "This campaign cannot be scheduled: RSS campaigns are started with the send action.")
    if not campaigns.ready(ctx, row):
        raise refuse(400, "This campaign cannot be scheduled: Your Campaign is not ready to send.")
    when = times.moment(schedule_time)
    if when.minute % 15 or when.second:
        raise invalid_resource(
            ("schedule_time", "Campaigns may only be scheduled to send on the quarter-hour (:00, :15, :30, :45).")
        )
    if when <= ctx.now:
        raise invalid_resource(("schedule_time", "The schedule time must be in the future."))
    if timewarp and when < ctx.now + timedelta(hours=24):
        raise invalid_resource(("timewarp", "Timewarp campaigns must be scheduled at least 24 hours ahead."))
    if timewarp and batch_delivery:
        raise invalid_resource(("batch_delivery", "Batch delivery cannot be used with Timewarp."))
    ctx.db.update(row, status="schedule", send_time=times.iso(when), settings=_warped(row, timewarp))
    return done(ctx, campaign_id=row.id, status=row.status, send_time=row.send_time)


def _warped(row: Campaign, timewarp: bool) -> dict[str, Any]:
    """The settings with timewarp on or off; as they are where that is so already."""
    return row.settings if row.settings.get("timewarp", False) == timewarp else {**row.settings, "timewarp": timewarp}


@app.post("/campaigns/{campaign_id}/actions/unschedule", tool="unschedule_campaign", effect="transition", status=204)
def unschedule_campaign(ctx: Ctx, campaign_id: CampaignId) -> Any:
    """Takes a scheduled campaign back; it is a draft again."""
    row = ctx.require(Campaign, campaign_id)
    if row.status != "schedule":
        raise invalid_action("The campaign is not scheduled.")
    ctx.db.update(row, status="save", send_time="", settings=_warped(row, False))
    return done(ctx, campaign_id=row.id, status=row.status)


@app.post("/campaigns/{campaign_id}/actions/test", tool="send_test_email", effect="send", status=204)
def send_test_email(
    ctx: Ctx,
    campaign_id: CampaignId,
    test_emails: Annotated[list[Email], Field(min_length=1, max_length=20)],
    send_type: Literal["html", "plaintext"],
) -> Any:
    """Sends a campaign's content to a few addresses to look at. Nobody of the audience gets it.

    test_emails: The addresses.
    send_type: html or plaintext.
    """
    row = ctx.require(Campaign, campaign_id)
    text = row.html if send_type == "html" else campaigns.body_of(row)
    if not (text or row.variate_contents):
        raise refuse(400, "The campaign has no content to send a test of.")
    ctx.db.add(TestEmail(
        id=people.number(ctx), campaign_id=row.id, test_emails=test_emails, send_type=send_type, sent_at=times.now(ctx),
    ))  # fmt: skip
    return done(ctx, campaign_id=row.id, test_emails=test_emails)


@app.post("/campaigns/{campaign_id}/actions/replicate", tool="replicate_campaign", effect="create")
def replicate_campaign(ctx: Ctx, campaign_id: CampaignId) -> dict[str, Any]:
    """Makes a draft that is a copy of a campaign, with its content and recipients."""
    return campaigns.shown(ctx, _copy(ctx, ctx.require(Campaign, campaign_id)))


def _copy(ctx: Ctx, row: Campaign, **changes: Any) -> Campaign:
    base = re.sub(r" \(copy \d+\)$", "", campaigns.title(row))
    taken = {c.settings.get("title") for c in ctx.db.find(Campaign)}
    title = next(t for n in range(1, len(taken) + 2) if (t := f"{base} (copy {n:02})") not in taken)
    values: dict[str, Any] = {
        name: getattr(row, name) for name in (
            "type", "list_id", "segment_opts", "tracking", "variate_settings", "rss_opts", "social_card", "content_type", "html",
            "plain_text", "variate_contents",
        )
    }  # fmt: skip
    return ctx.db.add(Campaign(**{
        **values, "id": ctx.id("", 10, HEX, kind="campaign"), "web_id": people.number(ctx), "create_time": times.now(ctx),
        "settings": {**row.settings, "title": title}, **changes,
    }))  # fmt: skip


@app.post("/campaigns/{campaign_id}/actions/create-resend", tool="create_resend", effect="create", mcp=False)
def create_resend(
    ctx: Ctx, campaign_id: CampaignId,
    shortcut_type: Literal["to_non_openers", "to_new_subscribers", "to_non_clickers", "to_non_purchasers"] = "to_non_openers",
) -> dict[str, Any]:  # fmt: skip
    """Makes a draft of a sent campaign to those who did not open it.

    shortcut_type: To whom.
    """
    row = ctx.require(Campaign, campaign_id)
    if row.status != "sent" or row.type not in ("regular", "variate") or not row.list_id:
        raise invalid_action("The campaign cannot be resent.")
    aim = {"to_non_openers": "noopen", "to_new_subscribers": "nosent", "to_non_clickers": "noclick"}.get(shortcut_type)
    if aim is None:
        raise invalid_resource(("shortcut_type", "The list has no store to know purchases from."))
    tests = [{"condition_type": "Aim", "field": "aim", "op": aim, "value": str(row.web_id)}]
    if aim != "nosent":
        tests.append({"condition_type": "Aim", "field": "aim", "op": "sent", "value": str(row.web_id)})
    changed = {"segment_opts": {"match": "all", "conditions": tests}, "parent_campaign_id": row.id}
    return campaigns.shown(ctx, _copy(ctx, row, **changed))


def _rss(ctx: Ctx, campaign_id: str, status: str) -> Campaign:
    row = ctx.require(Campaign, campaign_id)
    if row.type != "rss" or row.status != status:
        raise invalid_action("Only RSS campaigns that have been started can be paused, and paused ones resumed.")
    return row


@app.post(
    "/campaigns/{campaign_id}/actions/pause", tool="pause_rss_campaign", effect="transition", mcp=False, status=204
)
def pause_rss_campaign(ctx: Ctx, campaign_id: CampaignId) -> Any:
    """Pauses an RSS campaign."""
    row = ctx.db.update(_rss(ctx, campaign_id, "sending"), status="paused")
    return done(ctx, campaign_id=row.id, status=row.status)


@app.post(
    "/campaigns/{campaign_id}/actions/resume", tool="resume_rss_campaign", effect="transition", mcp=False, status=204
)
def resume_rss_campaign(ctx: Ctx, campaign_id: CampaignId) -> Any:
    """Resumes an RSS campaign."""
    row = ctx.db.update(_rss(ctx, campaign_id, "paused"), status="sending")
    return done(ctx, campaign_id=row.id, status=row.status)


@app.post(
    "/campaigns/{campaign_id}/actions/cancel-send", tool="cancel_campaign", effect="transition", mcp=False, status=204
)
def cancel_campaign(ctx: Ctx, campaign_id: CampaignId) -> Any:
    """Stops a campaign while it is being sent."""
    row = ctx.require(Campaign, campaign_id)
    if row.status != "sending":
        raise invalid_action("Only a campaign that is being sent can be cancelled.")
    ctx.db.update(row, status="canceled")
    return done(ctx, campaign_id=row.id, status=row.status)


# Feedback


def _feedback(ctx: Ctx, row: Feedback) -> dict[str, Any]:
    path = f"/campaigns/{row.campaign_id}/feedback/{row.feedback_id}"
    return {
        **{n: getattr(row, n) for n in (
            "feedback_id", "parent_id", "block_id", "message", "is_complete", "created_by", "created_at", "updated_at", "source",
            "campaign_id",
        )}, "_links": links(ctx, path, "Campaigns/Feedback", ("PATCH", "DELETE")),
    }  # fmt: skip


def _one(ctx: Ctx, campaign_id: str, feedback_id: int) -> Feedback:
    row = ctx.db.get(Feedback, feedback_id)
    if row is None or row.campaign_id != ctx.require(Campaign, campaign_id).id:
        raise not_found()
    return row


@app.get("/campaigns/{campaign_id}/feedback", tool="list_campaign_feedback", mcp=False)
def list_campaign_feedback(
    ctx: Ctx, campaign_id: CampaignId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Lists what people of the account said of a campaign."""
    row = ctx.require(Campaign, campaign_id)
    rows = [_feedback(ctx, f) for f in ctx.db.find(Feedback, campaign_id=row.id)]
    path = f"/campaigns/{row.id}/feedback"
    return {
        "feedback": rows,
        "campaign_id": row.id,
        "total_items": len(rows),
        "_links": links(ctx, path, "Campaigns/Feedback"),
    }


@app.post("/campaigns/{campaign_id}/feedback", tool="add_campaign_feedback", mcp=False)
def add_campaign_feedback(
    ctx: Ctx,
    campaign_id: CampaignId,
    message: Message,
    block_id: Annotated[int, Field(ge=0)] = 0,
    is_complete: bool = False,
) -> dict[str, Any]:
    """Says something of a campaign, for the people who work on it.

    message: The comment.
    block_id: The part of the content that it is about.
    is_complete: Whether it is settled.
    """
    row, when = ctx.require(Campaign, campaign_id), times.now(ctx)
    made = ctx.db.add(Feedback(
        feedback_id=people.number(ctx), campaign_id=row.id, message=message, block_id=block_id, is_complete=is_complete,
        created_by=resources.me(ctx), created_at=when, updated_at=when,
    ))  # fmt: skip
    return _feedback(ctx, made)


@app.get("/campaigns/{campaign_id}/feedback/{feedback_id}", tool="get_campaign_feedback", mcp=False)
def get_campaign_feedback(
    ctx: Ctx, campaign_id: CampaignId, feedback_id: FeedbackId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows a comment on a campaign."""
    return _feedback(ctx, _one(ctx, campaign_id, feedback_id))


@app.patch("/campaigns/{campaign_id}/feedback/{feedback_id}", tool="update_campaign_feedback", mcp=False)
def update_campaign_feedback(
    ctx: Ctx, campaign_id: CampaignId, feedback_id: FeedbackId, message: Message | MISSING = MISSING,
    block_id: Annotated[int, Field(ge=0)] | MISSING = MISSING, is_complete: bool | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes a comment on a campaign.

    message: The comment.
    block_id: The part of the content that it is about.
    is_complete: Whether it is settled.
    """
    row = _one(ctx, campaign_id, feedback_id)
    return _feedback(ctx, ctx.db.update(row, **ctx.sent(), updated_at=times.now(ctx)))


@app.delete("/campaigns/{campaign_id}/feedback/{feedback_id}", tool="delete_campaign_feedback", mcp=False, status=204)
def delete_campaign_feedback(ctx: Ctx, campaign_id: CampaignId, feedback_id: FeedbackId) -> Any:
    """Deletes a comment on a campaign."""
    ctx.db.delete(_one(ctx, campaign_id, feedback_id))
    return done(ctx, feedback_id=feedback_id, deleted=True)
