"""Campaigns and their content. https://mailchimp.com/developer/marketing/api/campaigns/"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator
from typing_extensions import TypedDict

from legoenv_mcp.app import HEX, MISSING, Ctx, Field, Query

from .. import campaigns, content, people, times
from ..app import app, done
from ..errors import invalid_action, invalid_resource
from ..inputs import (
    CampaignId,
    Condition,
    Count,
    Direction,
    Email,
    Exclude,
    Fields,
    HiddenMoment,
    Moment,
    Offset,
    whole,
)
from ..models import Campaign, CampaignStatus, CampaignType, Delivery, Feedback, TestEmail
from ..paging import between, collection


class SegmentOpts(TypedDict, total=False):
    """A part of the audience."""

    saved_segment_id: Annotated[int, Field(description="The id of a segment or tag.")]
    match: Annotated[Literal["any", "all"], Field(description="any or all of the conditions.")]
    conditions: Annotated[list[Condition], Field(description="Conditions, as of a segment.")]


class Recipients(TypedDict, total=False):
    """Who gets it."""

    list_id: Annotated[str, Field(description="The audience's id.")]
    segment_opts: Annotated[SegmentOpts, Field(description="Only a part of the audience.")]


class Settings(TypedDict, total=False):
    """What it is called and how it looks in an inbox."""

    subject_line: Annotated[str, Field(max_length=150, description="The subject.")]
    preview_text: Annotated[str, Field(max_length=150, description="What inboxes show beside the subject.")]
    title: Annotated[str, Field(max_length=100, description="The campaign's name in the account.")]
    from_name: Annotated[str, Field(max_length=100, description="Who it is from.")]
    reply_to: Annotated[Email | Literal[""], Field(description="The address replies go to.")]
    use_conversation: Annotated[bool, Field(description="Whether replies are tracked.")]
    to_name: Annotated[str, Field(description="How recipients are addressed, such as *|FNAME|*.")]
    folder_id: Annotated[str, Field(description="The folder's id.")]
    authenticate: Annotated[bool, Field(description="Whether it is authenticated.")]
    auto_footer: Annotated[bool, Field(description="Whether the footer is added.")]
    inline_css: Annotated[bool, Field(description="Whether CSS is put into the tags.")]
    auto_tweet: Annotated[bool, Field(description="Whether it is posted to Twitter.")]
    fb_comments: Annotated[bool, Field(description="Whether Facebook comments are allowed.")]
    template_id: Annotated[int, BeforeValidator(whole), Field(description="The template its content begins with.")]


class Tracking(TypedDict, total=False):
    """What is tracked."""

    opens: Annotated[bool, Field(description="Opens.")]
    html_clicks: Annotated[bool, Field(description="Clicks in the HTML.")]
    text_clicks: Annotated[bool, Field(description="Clicks in the plain text.")]
    goal_tracking: Annotated[bool, Field(description="Visits to a website.")]
    ecomm360: Annotated[bool, Field(description="Orders.")]
    google_analytics: Annotated[str, Field(description="The name for Google Analytics.")]


class Variate(TypedDict, total=False):
    """What a variate (A/B) campaign tries out."""

    winner_criteria: Annotated[
        Literal["opens", "clicks", "manual", "total_revenue"], Field(description="What decides.")
    ]
    wait_time: Annotated[int, Field(ge=0, le=20160, description="Minutes to wait.")]
    test_size: Annotated[int, Field(ge=10, le=100, description="Percentage to try on.")]
    subject_lines: Annotated[list[str], Field(max_length=3, description="Subjects.")]
    from_names: Annotated[list[str], Field(max_length=3, description="Senders' names.")]
    reply_to_addresses: Annotated[list[str], Field(max_length=3, description="Addresses for replies.")]
    send_times: Annotated[list[str], Field(max_length=3, description="Times.")]


class Rss(TypedDict, total=False):
    """The feed of an rss campaign."""

    feed_url: Annotated[str, Field(pattern=r"^https?://", description="The feed's address.")]
    frequency: Annotated[Literal["daily", "weekly", "monthly"], Field(description="How often.")]
    constrain_rss_img: Annotated[bool, Field(description="Whether images are made to fit.")]


class SocialCard(TypedDict, total=False):
    """How it looks when shared."""

    image_url: Annotated[str, Field(description="A picture.")]
    description: Annotated[str, Field(description="A text.")]
    title: Annotated[str, Field(description="A title.")]


@app.get("/campaigns", tool="list_campaigns")
def list_campaigns(
    ctx: Ctx,
    fields: Fields = None,
    exclude_fields: Exclude = None,
    count: Count = 10,
    offset: Offset = 0,
    type: CampaignType | None = None,
    status: CampaignStatus | None = None,
    before_send_time: Moment = None,
    since_send_time: Moment = None,
    before_create_time: HiddenMoment = None,
    since_create_time: HiddenMoment = None,
    list_id: str | None = None,
    folder_id: Annotated[str | None, Query(mcp=False)] = None,
    member_id: Annotated[str | None, Query(mcp=False)] = None,
    sort_field: Literal["create_time", "send_time"] | None = None,
    sort_dir: Direction = "DESC",
) -> dict[str, Any]:
    """Lists campaigns, the latest first: settings, recipients, status, and of sent ones a summary of the report.

    type: Only this kind.
    status: save (draft), schedule, sent and so on.
    list_id: Only those to this audience.
    folder_id: Only those in this folder.
    member_id: Only those sent to the member with this hash.
    sort_field: What to sort by.
    """
    rows = [
        c
        for c in ctx.db.find(Campaign, type=type, status=status, list_id=list_id)
        if between(c.send_time, since_send_time, before_send_time)
        and between(c.create_time, since_create_time, before_create_time)
        and (not folder_id or c.settings.get("folder_id") == folder_id)
    ]
    if member_id:
        got = {d["campaign_id"] for d in ctx.db.query(
            "SELECT d.campaign_id FROM delivery d JOIN member m ON m.contact_id = d.contact_id WHERE m.id = ?", [member_id.lower()]
        )}  # fmt: skip
        rows = [c for c in rows if c.id in got]
    key = sort_field or "create_time"
    rows.sort(key=lambda c: (getattr(c, key), c.web_id), reverse=sort_dir == "DESC")
    return collection(
        ctx, "campaigns", rows, lambda c: campaigns.shown(ctx, c), count, offset, "/campaigns", "Campaigns"
    )


@app.get("/campaigns/{campaign_id}", tool="get_campaign")
def get_campaign(
    ctx: Ctx, campaign_id: CampaignId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows a campaign: its status, recipients, settings and tracking. Its text is told by get_campaign_content."""
    return campaigns.shown(ctx, ctx.require(Campaign, campaign_id))


def _variate(kind: str, given: Variate | Any, settings: dict[str, Any]) -> dict[str, Any]:
    if kind != "variate":
        return {}
    if given is MISSING or "winner_criteria" not in given:
        raise invalid_resource(("variate_settings", "Required fields were not provided: winner_criteria"))
    lines = given.get("subject_lines") or ([settings["subject_line"]] if settings.get("subject_line") else [])
    return {"wait_time": 0, "test_size": 100, **given, "subject_lines": lines}


@app.post("/campaigns", tool="create_campaign")
def create_campaign(
    ctx: Ctx,
    type: CampaignType,
    recipients: Recipients | MISSING = MISSING,
    settings: Settings | MISSING = MISSING,
    tracking: Tracking | MISSING = MISSING,
    variate_settings: Variate | MISSING = MISSING,
    rss_opts: Rss | MISSING = MISSING,
    social_card: SocialCard | MISSING = MISSING,
    content_type: Literal["template", "multichannel"] = "template",
) -> dict[str, Any]:
    """Creates a campaign as a draft. To send it it needs recipients, a subject_line, from_name and reply_to in its settings, and content
    (set_campaign_content); get_send_checklist tells what is missing.

    type: regular, plaintext, variate (A/B test) or rss.
    recipients: The audience, and which part of it.
    settings: Subject, title, sender.
    tracking: What is tracked.
    variate_settings: What a variate campaign tries out.
    rss_opts: The feed of an rss campaign.
    social_card: How it looks when shared.
    content_type: How its content is made.
    """
    if type == "absplit":
        raise invalid_resource(
            ("type", "A/B Split campaigns have been deprecated and variate campaigns should be used instead.")
        )
    if type == "rss" and (rss_opts is MISSING or not {"feed_url", "frequency"} <= rss_opts.keys()):  # pyright: ignore[reportAttributeAccessIssue]
        raise invalid_resource(("rss_opts", "Required fields were not provided: feed_url, frequency"))
    sent = ctx.sent()
    chosen = dict(sent.get("settings", {}))
    aim = campaigns.aimed(ctx, sent.get("recipients", {}))
    campaigns.set_up(ctx, chosen)
    variants = _variate(type, variate_settings, chosen)
    row = ctx.db.add(Campaign(
        id=ctx.id("", 10, HEX, kind="campaign"), web_id=people.number(ctx), type=type, settings=chosen, tracking=sent.get("tracking", {}),
        variate_settings=variants, rss_opts=sent.get("rss_opts", {}), social_card=sent.get("social_card", {}),
        content_type=content_type, create_time=times.now(ctx), **aim,
    ))  # fmt: skip
    if template := chosen.get("template_id"):
        content.from_template(ctx, row, template, {})
    return campaigns.shown(ctx, row)


@app.patch("/campaigns/{campaign_id}", tool="update_campaign")
def update_campaign(
    ctx: Ctx,
    campaign_id: CampaignId,
    recipients: Recipients | MISSING = MISSING,
    settings: Settings | MISSING = MISSING,
    tracking: Tracking | MISSING = MISSING,
    variate_settings: Variate | MISSING = MISSING,
    rss_opts: Rss | MISSING = MISSING,
    social_card: SocialCard | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes what is sent of a campaign that is a draft. A scheduled one is unscheduled first; a sent one cannot be changed.

    recipients: The audience, and which part of it.
    settings: Subject, title, sender; what is not sent stays.
    tracking: What is tracked.
    variate_settings: What a variate campaign tries out.
    rss_opts: The feed of an rss campaign.
    social_card: How it looks when shared.
    """
    row, sent = ctx.require(Campaign, campaign_id), ctx.sent()
    campaigns.editable(row)
    changes = campaigns.aimed(ctx, sent["recipients"], row) if "recipients" in sent else {}
    campaigns.set_up(ctx, sent.get("settings", {}))
    for name in ("settings", "tracking", "variate_settings", "rss_opts", "social_card"):
        if name in sent:
            changes[name] = {**getattr(row, name), **sent[name]}
    template = sent.get("settings", {}).get("template_id")
    if template and template != row.settings.get("template_id"):
        content.from_template(ctx, row, template, {})
    return campaigns.shown(ctx, ctx.db.update(row, **changes))


@app.delete("/campaigns/{campaign_id}", tool="delete_campaign", status=204)
def delete_campaign(ctx: Ctx, campaign_id: CampaignId) -> Any:
    """Deletes a campaign; of a sent one, its report too. One that is scheduled or being sent is refused."""
    row = ctx.require(Campaign, campaign_id)
    if row.status in ("schedule", "sending"):
        raise invalid_action("A campaign that is scheduled or being sent cannot be deleted.")
    for kind in (Delivery, Feedback, TestEmail):
        ctx.db.delete_where(kind, campaign_id=row.id)
    ctx.db.delete(row)
    return done(ctx, campaign_id=row.id, deleted=True)


# Content


class FromTemplate(TypedDict, total=False):
    """A template, filled."""

    id: Annotated[int, BeforeValidator(whole), Field(description="The template's id.")]
    sections: Annotated[dict[str, str], Field(description="HTML for its mc:edit parts, by name.")]


class VariantContent(TypedDict, total=False):
    """A variate campaign's content."""

    content_label: Annotated[str, Field(description="Its name.")]
    html: Annotated[str, Field(description="Its HTML.")]
    plain_text: Annotated[str, Field(description="Its plain text.")]


@app.get("/campaigns/{campaign_id}/content", tool="get_campaign_content")
def get_campaign_content(
    ctx: Ctx, campaign_id: CampaignId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows what a campaign says, as plain text and HTML."""
    return content.shown(ctx, ctx.require(Campaign, campaign_id))


@app.put("/campaigns/{campaign_id}/content", tool="set_campaign_content")
def set_campaign_content(
    ctx: Ctx,
    campaign_id: CampaignId,
    html: str | MISSING = MISSING,
    plain_text: str | MISSING = MISSING,
    template: FromTemplate | MISSING = MISSING,
    variate_contents: list[VariantContent] | MISSING = MISSING,
    url: Annotated[str | MISSING, Field(max_length=2000)] = MISSING,
) -> dict[str, Any]:
    """Sets what a campaign says: HTML, plain text, or a template with its parts filled. Without plain_text the HTML's text is taken.

    html: The HTML. Merge tags such as *|FNAME|* become each recipient's own.
    plain_text: The plain text.
    template: A template and what its parts are to hold.
    variate_contents: The contents that a variate campaign tries out.
    url: A page to take the HTML from.
    """
    row, sent = ctx.require(Campaign, campaign_id), ctx.sent()
    campaigns.editable(row)
    if "url" in sent:
        raise invalid_resource(("url", "The page could not be read"))
    if not sent:
        raise invalid_resource(("", "Provide html, plain_text, template or variate_contents"))
    return content.shown(ctx, content.put(ctx, row, sent))
