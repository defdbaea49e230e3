"""What becomes of a mailing: who opens it, clicks, bounces, leaves. Drawn from campaign and contact alone, so it is the same each time."""

from collections.abc import Sequence

from legoenv_mcp.app import Ctx, draw

from . import markup, times
from .models import Campaign, Delivery, Member

OPEN_PERCENT, CLICK_PERCENT, BOUNCE_PERCENT = 42, 22, 1


def chance(campaign: Campaign, member: Member, what: str) -> int:
    """A number of sixteen bits."""
    return int.from_bytes(draw("engagement", what, campaign.id, member.id, size=2))


def _percent(campaign: Campaign, member: Member, what: str) -> bool:
    part = {"open": OPEN_PERCENT, "click": CLICK_PERCENT, "bounce": BOUNCE_PERCENT}[what]
    return chance(campaign, member, what) % 100 < part


def _delay(campaign: Campaign, member: Member, what: str, hours: int) -> int:
    """Seconds until it happens: at least five minutes."""
    return 300 + chance(campaign, member, f"{what}-delay") % (hours * 3600)


def deliver(ctx: Ctx, campaign: Campaign, members: Sequence[Member]) -> None:
    """A mailing that goes out now. What people will do with it lies ahead."""
    urls = markup.links(campaign.html, campaign.plain_text)
    for member in members:
        bounced = _percent(campaign, member, "bounce")
        opened = not bounced and _percent(campaign, member, "open")
        clicked = opened and bool(urls) and _percent(campaign, member, "click")
        _add(ctx, campaign, member, opened, clicked, "soft" if bounced else "sent", urls, "")


def recorded(ctx: Ctx, campaign: Campaign, members: Sequence[Member], counts: dict[str, int]) -> dict[str, int]:
    """A mailing of the past, of which it is known how many opened and so on; answers what finds no contact to stand for."""
    urls = markup.links(campaign.html, campaign.plain_text)

    def ranked(what: str) -> list[Member]:
        return sorted(members, key=lambda m: (chance(campaign, m, what), m.id))

    bouncers = sorted(ranked("bounce"), key=lambda m: m.status != "cleaned")[: counts["bounced"]]
    bounced = {m.contact_id for m in bouncers}
    reached = [m for m in ranked("open") if m.contact_id not in bounced]
    openers = reached[: counts["opened"]]
    clicked = {m.contact_id for m in openers[: counts["clicked"]]}
    opened = {m.contact_id for m in openers}
    gone = {d.contact_id for d in ctx.db.find(Delivery, unsubscribed_at__null=False)}
    # Who has left since is who left because of a mailing, the last one that they got.
    leavers = sorted(reached, key=lambda m: (m.status != "unsubscribed", m.contact_id in gone))[
        : counts["unsubscribed"]
    ]
    left = {m.contact_id for m in leavers}
    now = times.now(ctx)
    for member in members:
        key = member.contact_id
        _add(
            ctx,
            campaign,
            member,
            key in opened,
            key in clicked,
            "hard" if key in bounced else "sent",
            urls,
            now,
            key in left,
        )
        _marked(ctx, campaign, member)
    return {
        "opened": max(0, counts["opened"] - len(opened)), "clicked": max(0, counts["clicked"] - len(clicked)),
        "bounced": max(0, counts["bounced"] - len(bounced)), "unsubscribed": max(0, counts["unsubscribed"] - len(left)),
    }  # fmt: skip


def _marked(ctx: Ctx, campaign: Campaign, member: Member) -> None:
    """Who has left or been cleaned since was so because of the mailing that they left or bounced from."""
    one = ctx.db.get(Delivery, (campaign.id, member.contact_id))
    assert one is not None
    if member.status == "unsubscribed" and one.unsubscribed_at and one.unsubscribed_at > member.last_changed:
        ctx.db.update(member, unsubscribed_at=one.unsubscribed_at, last_changed=one.unsubscribed_at)
    elif member.status == "cleaned" and one.status == "hard" and campaign.send_time > member.last_changed:
        ctx.db.update(member, last_changed=campaign.send_time)


def _add(
    ctx: Ctx, campaign: Campaign, member: Member, opened: bool, clicked: bool, status: str, urls: list[str], latest: str,
    left: bool = False,
) -> None:  # fmt: skip
    """`latest`: when all of it has happened."""

    def at(what: str, hours: int, since: str) -> str:
        when = times.later(since, seconds=_delay(campaign, member, what, hours))
        return min(when, latest) if latest else when

    opened_at = at("open", 60, campaign.send_time) if opened else None
    ctx.db.add(Delivery(
        campaign_id=campaign.id, contact_id=member.contact_id, status=status,  # pyright: ignore[reportArgumentType]
        opened_at=opened_at, opens=1 + chance(campaign, member, "opens") % 3 if opened else 0,
        clicked_at=at("click", 1, opened_at) if clicked and opened_at else None,
        url=urls[chance(campaign, member, "url") % len(urls)] if clicked and urls else "",
        unsubscribed_at=at("unsubscribe", 40, campaign.send_time) if left else None,
    ))  # fmt: skip
