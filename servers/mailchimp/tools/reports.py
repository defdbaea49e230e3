"""Reports of sent campaigns. https://mailchimp.com/developer/marketing/api/reports/"""

from collections.abc import Callable
from typing import Any

from legoenv_mcp.app import Ctx

from .. import activity, people, reporting, resources, times
from ..app import app
from ..errors import not_found
from ..inputs import CampaignId, Count, Exclude, Fields, Hash, HiddenMoment, Moment, Offset
from ..models import Campaign, CampaignType, Delivery, Member
from ..paging import between, collection, links


def _sent(ctx: Ctx, campaign_id: str) -> Campaign:
    row = ctx.require(Campaign, campaign_id)
    if row.status != "sent":
        raise not_found()
    return row


@app.get("/reports", tool="list_reports")
def list_reports(
    ctx: Ctx, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0,
    type: CampaignType | None = None, before_send_time: Moment = None, since_send_time: Moment = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists the reports of sent campaigns, the latest first: mails sent, opens, clicks, bounces, departures.

    type: Only of this kind of campaigns.
    """
    rows = [
        c
        for c in ctx.db.find(Campaign, status="sent", type=type)
        if between(c.send_time, since_send_time, before_send_time)
    ]
    rows.sort(key=lambda c: (c.send_time, c.web_id), reverse=True)
    return collection(ctx, "reports", rows, lambda c: reporting.report(ctx, c), count, offset, "/reports", "Reports")


@app.get("/reports/{campaign_id}", tool="get_campaign_report")
def get_campaign_report(
    ctx: Ctx, campaign_id: CampaignId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows a sent campaign's report: mails sent, opens and clicks with their rates, bounces, departures, and the audience's averages."""
    return reporting.report(ctx, _sent(ctx, campaign_id))


Rows = list[tuple[Delivery, Member]]


def _got(ctx: Ctx, row: Campaign, test: Callable[[Delivery], bool] = lambda _: True) -> Rows:
    """The contacts who got a mailing, by address."""
    members = {m.contact_id: m for m in ctx.db.find(Member, list_id=row.list_id)}
    found = [
        (d, members[d.contact_id])
        for d in ctx.db.find(Delivery, campaign_id=row.id)
        if test(d) and d.contact_id in members
    ]
    return sorted(found, key=lambda pair: pair[1].email_address)


def _one(
    ctx: Ctx, row: Campaign, key: str, test: Callable[[Delivery], bool] = lambda _: True
) -> tuple[Delivery, Member]:
    member = people.lookup(ctx, row.list_id or "", key)
    held = ctx.db.get(Delivery, (row.id, member.contact_id)) if member else None
    if member is None or held is None or not test(held):
        raise not_found()
    return held, member


def _head(row: Campaign, member: Member) -> dict[str, Any]:
    return {
        "campaign_id": row.id, "list_id": row.list_id, "list_is_active": True, "email_id": member.id,
        "email_address": member.email_address, "contact_status": member.status,
    }  # fmt: skip


def _about(ctx: Ctx, member: Member) -> dict[str, Any]:
    shown = resources.one_member(ctx, member)
    return {"merge_fields": shown["merge_fields"], "vip": member.vip}


def _opened(ctx: Ctx) -> Callable[[Delivery], bool]:
    now = times.now(ctx)
    return lambda d: bool(d.opened_at and d.opened_at <= now)


def _opens(ctx: Ctx, row: Campaign, pair: tuple[Delivery, Member]) -> dict[str, Any]:
    one, member = pair
    opens = [
        {"timestamp": a["timestamp"]} for a in activity.of_delivery(ctx, one, row.send_time) if a["action"] == "open"
    ]
    path = f"/reports/{row.id}/open-details/{member.id}"
    return {
        **_head(row, member), **_about(ctx, member), "opens_count": len(opens), "opens": opens,
        "_links": links(ctx, path, "Reports/OpenDetails"),
    }  # fmt: skip


@app.get("/reports/{campaign_id}/open-details", tool="list_open_details")
def list_open_details(
    ctx: Ctx, campaign_id: CampaignId, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0,
    since: Moment = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists who opened a campaign, and when."""
    row, opened = _sent(ctx, campaign_id), _opened(ctx)
    pairs = _got(ctx, row, lambda d: opened(d) and (not since or (d.opened_at or "") >= since))
    total = sum(len(_opens(ctx, row, pair)["opens"]) for pair in pairs)
    return collection(
        ctx, "members", pairs, lambda p: _opens(ctx, row, p), count, offset, f"/reports/{row.id}/open-details", "Reports/OpenDetails",
        campaign_id=row.id, total_opens=total,
    )  # fmt: skip


@app.get("/reports/{campaign_id}/open-details/{subscriber_hash}", tool="get_open_details", mcp=False)
def get_open_details(
    ctx: Ctx, campaign_id: CampaignId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Tells when a member opened a campaign."""
    row = _sent(ctx, campaign_id)
    return _opens(ctx, row, _one(ctx, row, subscriber_hash, _opened(ctx)))


def _click(ctx: Ctx, found: dict[str, Any]) -> dict[str, Any]:
    path = f"/reports/{found['campaign_id']}/click-details/{found['id']}"
    return {
        **{k: v for k, v in found.items() if k != "by"},
        "_links": links(ctx, path, "Reports/ClickDetails", (), ("members",)),
    }


def _link(ctx: Ctx, row: Campaign, link_id: str) -> dict[str, Any]:
    found = next((c for c in reporting.clicks(ctx, row) if c["id"] == link_id), None)
    if found is None:
        raise not_found()
    return found


@app.get("/reports/{campaign_id}/click-details", tool="list_click_details")
def list_click_details(
    ctx: Ctx,
    campaign_id: CampaignId,
    fields: Fields = None,
    exclude_fields: Exclude = None,
    count: Count = 10,
    offset: Offset = 0,
) -> dict[str, Any]:
    """Lists the links of a campaign with how often each was clicked."""
    row = _sent(ctx, campaign_id)
    path = f"/reports/{row.id}/click-details"
    return collection(
        ctx, "urls_clicked", reporting.clicks(ctx, row), lambda c: _click(ctx, c), count, offset, path, "Reports/ClickDetails",
        campaign_id=row.id,
    )  # fmt: skip


@app.get("/reports/{campaign_id}/click-details/{link_id}", tool="get_click_details", mcp=False)
def get_click_details(
    ctx: Ctx, campaign_id: CampaignId, link_id: str, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Tells how often a link of a campaign was clicked.

    link_id: The link's id.
    """
    return _click(ctx, _link(ctx, _sent(ctx, campaign_id), link_id))


def _clicker(ctx: Ctx, row: Campaign, link_id: str, member: Member) -> dict[str, Any]:
    path = f"/reports/{row.id}/click-details/{link_id}/members/{member.id}"
    return {
        **_head(row, member), **_about(ctx, member), "clicks": 1, "url_id": link_id,
        "_links": links(ctx, path, "Reports/ClickDetails/Members"),
    }  # fmt: skip


@app.get("/reports/{campaign_id}/click-details/{link_id}/members", tool="list_link_clickers", mcp=False)
def list_link_clickers(
    ctx: Ctx, campaign_id: CampaignId, link_id: str, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10,
    offset: Offset = 0,
) -> dict[str, Any]:  # fmt: skip
    """Lists who clicked a link of a campaign.

    link_id: The link's id.
    """
    row = _sent(ctx, campaign_id)
    who = {d.contact_id for d in _link(ctx, row, link_id)["by"]}
    rows = [m for d, m in _got(ctx, row) if d.contact_id in who]
    path = f"/reports/{row.id}/click-details/{link_id}/members"
    return collection(
        ctx, "members", rows, lambda m: _clicker(ctx, row, link_id, m), count, offset, path, "Reports/ClickDetails/Members",
        campaign_id=row.id,
    )  # fmt: skip


@app.get("/reports/{campaign_id}/click-details/{link_id}/members/{subscriber_hash}", tool="get_link_clicker", mcp=False)
def get_link_clicker(
    ctx: Ctx,
    campaign_id: CampaignId,
    link_id: str,
    subscriber_hash: Hash,
    fields: Fields = None,
    exclude_fields: Exclude = None,
) -> dict[str, Any]:
    """Tells whether a member clicked a link of a campaign.

    link_id: The link's id.
    """
    row = _sent(ctx, campaign_id)
    who = {d.contact_id for d in _link(ctx, row, link_id)["by"]}
    return _clicker(ctx, row, link_id, _one(ctx, row, subscriber_hash, lambda d: d.contact_id in who)[1])


def _acts(ctx: Ctx, row: Campaign, pair: tuple[Delivery, Member], since: str | None) -> dict[str, Any]:
    one, member = pair
    acts = [a for a in activity.of_delivery(ctx, one, row.send_time) if not since or a["timestamp"] >= since]
    head = {k: v for k, v in _head(row, member).items() if k != "contact_status"}
    return {
        **head,
        "activity": acts,
        "_links": links(ctx, f"/reports/{row.id}/email-activity/{member.id}", "Reports/EmailActivity"),
    }


@app.get("/reports/{campaign_id}/email-activity", tool="list_email_activity")
def list_email_activity(
    ctx: Ctx, campaign_id: CampaignId, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0,
    since: Moment = None,
) -> dict[str, Any]:  # fmt: skip
    """Tells of each recipient of a campaign what they did with it: opens, clicks, bounces."""
    row = _sent(ctx, campaign_id)
    path = f"/reports/{row.id}/email-activity"
    return collection(
        ctx,
        "emails",
        _got(ctx, row),
        lambda p: _acts(ctx, row, p, since),
        count,
        offset,
        path,
        "Reports/EmailActivity",
        campaign_id=row.id,
    )


@app.get("/reports/{campaign_id}/email-activity/{subscriber_hash}", tool="get_email_activity", mcp=False)
def get_email_activity(
    ctx: Ctx, campaign_id: CampaignId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None,
    since: HiddenMoment = None,
) -> dict[str, Any]:  # fmt: skip
    """Tells what a member did with a campaign."""
    row = _sent(ctx, campaign_id)
    return _acts(ctx, row, _one(ctx, row, subscriber_hash), since)


def _recipient(ctx: Ctx, row: Campaign, pair: tuple[Delivery, Member]) -> dict[str, Any]:
    one, member = pair
    opens = [a for a in activity.of_delivery(ctx, one, row.send_time) if a["action"] == "open"]
    head = {k: v for k, v in _head(row, member).items() if k != "contact_status"}
    return {
        **head, **_about(ctx, member), "status": one.status, "open_count": len(opens),
        "last_open": opens[-1]["timestamp"] if opens else "", "absplit_group": "", "gmt_offset": 0,
        "_links": links(ctx, f"/reports/{row.id}/sent-to/{member.id}", "Reports/SentTo"),
    }  # fmt: skip


@app.get("/reports/{campaign_id}/sent-to", tool="list_campaign_recipients")
def list_campaign_recipients(
    ctx: Ctx,
    campaign_id: CampaignId,
    fields: Fields = None,
    exclude_fields: Exclude = None,
    count: Count = 10,
    offset: Offset = 0,
) -> dict[str, Any]:
    """Lists whom a campaign was sent to, with whether it bounced and how often each opened it."""
    row = _sent(ctx, campaign_id)
    path = f"/reports/{row.id}/sent-to"
    return collection(
        ctx,
        "sent_to",
        _got(ctx, row),
        lambda p: _recipient(ctx, row, p),
        count,
        offset,
        path,
        "Reports/SentTo",
        campaign_id=row.id,
    )


@app.get("/reports/{campaign_id}/sent-to/{subscriber_hash}", tool="get_campaign_recipient", mcp=False)
def get_campaign_recipient(
    ctx: Ctx, campaign_id: CampaignId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Tells how a campaign went to a member."""
    row = _sent(ctx, campaign_id)
    return _recipient(ctx, row, _one(ctx, row, subscriber_hash))


def _left(ctx: Ctx) -> Callable[[Delivery], bool]:
    now = times.now(ctx)
    return lambda d: bool(d.unsubscribed_at and d.unsubscribed_at <= now)


def _leaver(ctx: Ctx, row: Campaign, pair: tuple[Delivery, Member]) -> dict[str, Any]:
    one, member = pair
    head = {k: v for k, v in _head(row, member).items() if k != "contact_status"}
    return {
        **head, **_about(ctx, member), "timestamp": one.unsubscribed_at, "reason": "None given",
        "_links": links(ctx, f"/reports/{row.id}/unsubscribed/{member.id}", "Reports/Unsubscribed"),
    }  # fmt: skip


@app.get("/reports/{campaign_id}/unsubscribed", tool="list_campaign_unsubscribes")
def list_campaign_unsubscribes(
    ctx: Ctx,
    campaign_id: CampaignId,
    fields: Fields = None,
    exclude_fields: Exclude = None,
    count: Count = 10,
    offset: Offset = 0,
) -> dict[str, Any]:
    """Lists who left the audience through a campaign."""
    row = _sent(ctx, campaign_id)
    path = f"/reports/{row.id}/unsubscribed"
    return collection(
        ctx, "unsubscribes", _got(ctx, row, _left(ctx)), lambda p: _leaver(ctx, row, p), count, offset, path, "Reports/Unsubscribed",
        campaign_id=row.id,
    )  # fmt: skip


@app.get("/reports/{campaign_id}/unsubscribed/{subscriber_hash}", tool="get_campaign_unsubscribe", mcp=False)
def get_campaign_unsubscribe(
    ctx: Ctx, campaign_id: CampaignId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Tells when a member left through a campaign."""
    row = _sent(ctx, campaign_id)
    return _leaver(ctx, row, _one(ctx, row, subscriber_hash, _left(ctx)))


@app.get("/reports/{campaign_id}/domain-performance", tool="get_domain_performance", mcp=False)
def get_domain_performance(
    ctx: Ctx, campaign_id: CampaignId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Tells how a campaign did at the five mail domains with the most recipients."""
    row, opened, left, now = (_sent(ctx, campaign_id), _opened(ctx), _left(ctx), times.now(ctx))
    domains = dict[str, list[Delivery]]()
    for one, member in _got(ctx, row):
        domains.setdefault(member.email_address.rpartition("@")[2].lower(), []).append(one)
    made = list[dict[str, Any]]()
    for domain, held in sorted(domains.items(), key=lambda d: (-len(d[1]), d[0]))[:5]:
        bounces, opens = sum(d.status != "sent" for d in held), sum(map(opened, held))
        clicks = sum(bool(d.clicked_at and d.clicked_at <= now) for d in held)
        made.append({
            "domain": domain, "emails_sent": len(held), "bounces": bounces, "opens": opens, "clicks": clicks,
            "unsubs": sum(map(left, held)), "delivered": len(held) - bounces,
            "emails_pct": resources.rate(len(held), row.emails_sent), "bounces_pct": resources.rate(bounces, len(held)),
            "opens_pct": resources.rate(opens, len(held)), "clicks_pct": resources.rate(clicks, len(held)),
            "unsubs_pct": resources.rate(sum(map(left, held)), len(held)),
        })  # fmt: skip
    path = f"/reports/{row.id}/domain-performance"
    return {
        "domains": made, "total_sent": row.emails_sent, "campaign_id": row.id, "total_items": len(made),
        "_links": links(ctx, path, "Reports/DomainPerformance"),
    }  # fmt: skip


@app.get("/reports/{campaign_id}/abuse-reports", tool="list_campaign_abuse_reports", mcp=False)
def list_campaign_abuse_reports(
    ctx: Ctx, campaign_id: CampaignId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Lists recipients who marked a campaign as spam."""
    row = _sent(ctx, campaign_id)
    path = f"/reports/{row.id}/abuse-reports"
    return {"abuse_reports": [], "campaign_id": row.id, "total_items": 0, "_links": links(ctx, path, "Reports/Abuse")}


@app.get("/reports/{campaign_id}/advice", tool="get_campaign_advice", mcp=False)
def get_campaign_advice(
    ctx: Ctx, campaign_id: CampaignId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Tells how a campaign did against the audience's average."""
    row = _sent(ctx, campaign_id)
    report = reporting.report(ctx, row)
    mine, usual = report["opens"]["open_rate"] * 100, report["list_stats"]["open_rate"]
    better = mine >= usual
    text = f"Your open rate of {mine:.1f}% is {'above' if better else 'below'} your list average of {usual:.1f}%."
    advice = [{"type": "positive" if better else "negative", "message": text}]
    path = f"/reports/{row.id}/advice"
    return {"advice": advice, "campaign_id": row.id, "total_items": 1, "_links": links(ctx, path, "Reports/Advice")}
