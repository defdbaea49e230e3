"""Reports: sums over what is known of single contacts, and of those who are known no more."""

import hashlib
from typing import Any

from legoenv_mcp.app import Ctx

from . import markup, times
from .models import Audience, Campaign, Delivery
from .paging import links
from .resources import account, rate

_BELOW = (
    "abuse-reports", "advice", "click-details", "domain-performance", "email-activity", "open-details", "sent-to", "sub-reports",
    "unsubscribed", "locations", "eepurl",
)  # fmt: skip

# https://mailchimp.com/resources/email-marketing-benchmarks/: accounts of no labelled industry, October 2019 (complaints: March 2018)
INDUSTRY = {
    "open_rate": 0.2271, "bounce_rate": 0.0101, "unopen_rate": 0.7729, "unsub_rate": 0.0025, "abuse_rate": 0.00012, "click_rate": 0.0291,
}  # fmt: skip


def numbers(ctx: Ctx, row: Campaign) -> dict[str, Any]:
    """Opens, clicks, bounces and departures up to now."""
    now = times.now(ctx)
    found: dict[str, Any] = {
        "opened": 0, "opens": 0, "clicked": 0, "unsubscribed": 0, "hard": 0, "soft": 0, "last_open": "", "last_click": "",
    }  # fmt: skip
    for one in ctx.db.find(Delivery, campaign_id=row.id):
        if one.opened_at and one.opened_at <= now:
            found["opened"] += 1
            times_opened = [at for n in range(one.opens) if (at := times.later(one.opened_at, hours=7 * n)) <= now]
            found["opens"] += len(times_opened)
            found["last_open"] = max(found["last_open"], times_opened[-1])
        if one.clicked_at and one.clicked_at <= now:
            found["clicked"] += 1
            found["last_click"] = max(found["last_click"], one.clicked_at)
        found["unsubscribed"] += bool(one.unsubscribed_at and one.unsubscribed_at <= now)
        if one.status != "sent":
            found[one.status] += 1
    for name, other in (
        ("opened", "opened"),
        ("opens", "opened"),
        ("clicked", "clicked"),
        ("unsubscribed", "unsubscribed"),
        ("hard", "bounced"),
    ):
        found[name] += row.counts.get(other, 0)
    return found


def summary(ctx: Ctx, row: Campaign) -> dict[str, Any]:
    n = numbers(ctx, row)
    delivered = row.emails_sent - n["hard"] - n["soft"]
    return {
        "opens": n["opens"], "unique_opens": n["opened"], "open_rate": rate(n["opened"], delivered), "clicks": n["clicked"],
        "subscriber_clicks": n["clicked"], "click_rate": rate(n["clicked"], delivered),
        "ecommerce": {"total_orders": 0, "total_spent": 0, "total_revenue": 0},
    }  # fmt: skip


def report(ctx: Ctx, row: Campaign) -> dict[str, Any]:
    n, audience = (numbers(ctx, row), ctx.db.get(Audience, row.list_id) if row.list_id else None)
    delivered = row.emails_sent - n["hard"] - n["soft"]
    return {
        "id": row.id, "campaign_title": row.settings.get("title", ""), "type": row.type, "list_id": row.list_id or "",
        "list_is_active": audience is not None, "list_name": audience.name if audience else "",
        "subject_line": row.settings.get("subject_line", ""), "preview_text": row.settings.get("preview_text", ""),
        "emails_sent": row.emails_sent, "abuse_reports": 0, "unsubscribed": n["unsubscribed"], "send_time": row.send_time,
        "bounces": {"hard_bounces": n["hard"], "soft_bounces": n["soft"], "syntax_errors": 0},
        "forwards": {"forwards_count": 0, "forwards_opens": 0},
        "opens": {
            "opens_total": n["opens"], "unique_opens": n["opened"], "open_rate": rate(n["opened"], delivered),
            "last_open": n["last_open"],
        },
        "clicks": {
            "clicks_total": n["clicked"], "unique_clicks": n["clicked"], "unique_subscriber_clicks": n["clicked"],
            "click_rate": rate(n["clicked"], delivered), "last_click": n["last_click"],
        },
        "facebook_likes": {"recipient_likes": 0, "unique_likes": 0, "facebook_likes": 0},
        "industry_stats": {"type": account(ctx).account_industry, **INDUSTRY},
        "list_stats": list_stats(ctx, row), "timeseries": timeseries(ctx, row),
        "ecommerce": {"total_orders": 0, "total_spent": 0, "total_revenue": 0, "currency_code": "USD"},
        "delivery_status": {"enabled": False}, "_links": links(ctx, f"/reports/{row.id}", "Reports", (), _BELOW),
    }  # fmt: skip


def list_stats(ctx: Ctx, row: Campaign) -> dict[str, float]:
    """The audience's averages over its sent campaigns."""
    opened = clicked = delivered = 0
    for other in ctx.db.find(Campaign, list_id=row.list_id, status="sent") if row.list_id else []:
        n = numbers(ctx, other)
        delivered += other.emails_sent - n["hard"] - n["soft"]
        opened, clicked = opened + n["opened"], clicked + n["clicked"]
    return {
        "sub_rate": 0,
        "unsub_rate": 0,
        "open_rate": 100 * rate(opened, delivered),
        "click_rate": 100 * rate(clicked, delivered),
    }


def timeseries(ctx: Ctx, row: Campaign) -> list[dict[str, Any]]:
    """The first 24 hours, hour by hour."""
    if not row.send_time:
        return []
    now, start = times.now(ctx), row.send_time[:14] + "00:00+00:00"
    hours = {times.later(start, hours=h): {"unique_opens": 0, "recipients_clicks": 0} for h in range(24)}
    for one in ctx.db.find(Delivery, campaign_id=row.id):
        for at, name in ((one.opened_at, "unique_opens"), (one.clicked_at, "recipients_clicks")):
            if at and at <= now and (hour := hours.get(at[:14] + "00:00+00:00")):
                hour[name] += 1
    return [
        {"timestamp": at, "emails_sent": row.emails_sent if at == start else 0, **count} for at, count in hours.items()
    ]


def link_id(url: str) -> str:
    return hashlib.md5(url.encode()).hexdigest()[:10]


def clicks(ctx: Ctx, row: Campaign) -> list[dict[str, Any]]:
    """The mailing's links, each with who clicked it."""
    now, by_url = times.now(ctx), dict[str, list[Delivery]]()
    for url in markup.links(row.html, row.plain_text):
        by_url[url] = []
    for one in ctx.db.find(Delivery, campaign_id=row.id):
        if one.clicked_at and one.clicked_at <= now:
            by_url.setdefault(one.url, []).append(one)
    total = sum(map(len, by_url.values()))
    return [
        {
            "id": link_id(url), "url": url, "total_clicks": len(rows), "click_percentage": rate(len(rows), total),
            "unique_clicks": len(rows), "unique_click_percentage": rate(len(rows), total),
            "last_click": max((d.clicked_at or "" for d in rows), default=""), "campaign_id": row.id, "by": rows,
        }
        for url, rows in by_url.items()
    ]  # fmt: skip
