"""Campaigns: how they are shown, whom they go to, when they are ready, what sending does."""

from collections.abc import Mapping
from typing import Any

from legoenv_mcp.app import Ctx

from . import conditions, engagement, markup, reporting, times
from .errors import invalid_action, invalid_resource, refuse
from .models import Audience, Campaign, Folder, Member, Segment, Template
from .paging import links

EDITABLE = ("save", "paused")
SETTINGS: dict[str, Any] = {
    "subject_line": "", "preview_text": "", "title": "", "from_name": "", "reply_to": "", "use_conversation": False, "to_name": "",
    "folder_id": "", "authenticate": True, "auto_footer": False, "inline_css": False, "auto_tweet": False, "fb_comments": False,
    "timewarp": False, "template_id": 0, "drag_and_drop": False,
}  # fmt: skip
TRACKING: dict[str, Any] = {
    "opens": True, "html_clicks": True, "text_clicks": False, "goal_tracking": False, "ecomm360": False, "google_analytics": "",
    "clicktale": "",
}  # fmt: skip
_BELOW = (
    "content", "send-checklist", "feedback", "actions/send", "actions/schedule", "actions/unschedule", "actions/test", "actions/pause",
    "actions/resume", "actions/cancel-send", "actions/replicate", "actions/create-resend",
)  # fmt: skip


def title(row: Campaign) -> str:
    return row.settings.get("title") or row.settings.get("subject_line") or ""


def shown(ctx: Ctx, row: Campaign) -> dict[str, Any]:
    code = row.id[:6]
    body: dict[str, Any] = {
        "id": row.id, "web_id": row.web_id, "type": row.type, "create_time": row.create_time,
        "archive_url": f"http://eepurl.com/{code}", "long_archive_url": f"https://us6.campaign-archive.com/?id={row.id}",
        "status": row.status, "emails_sent": row.emails_sent, "send_time": row.send_time, "content_type": row.content_type,
        "needs_block_refresh": False, "resendable": row.status == "sent" and row.type == "regular",
        "recipients": _recipients(ctx, row), "settings": {**SETTINGS, **row.settings},
    }  # fmt: skip
    if row.parent_campaign_id:
        body["parent_campaign_id"] = row.parent_campaign_id
    if row.variate_settings:
        body["variate_settings"] = row.variate_settings
    body["tracking"] = {**TRACKING, **row.tracking}
    if row.rss_opts:
        body["rss_opts"] = row.rss_opts
    if row.social_card:
        body["social_card"] = row.social_card
    if row.status == "sent":
        body["report_summary"] = reporting.summary(ctx, row)
    body["delivery_status"] = {"enabled": False}
    body["_links"] = links(ctx, f"/campaigns/{row.id}", "Campaigns", ("PATCH", "DELETE"), _BELOW)
    return body


def _recipients(ctx: Ctx, row: Campaign) -> dict[str, Any]:
    audience = ctx.db.get(Audience, row.list_id) if row.list_id else None
    count = row.emails_sent if row.status == "sent" else len(recipients(ctx, row))
    body: dict[str, Any] = {
        "list_id": row.list_id or "", "list_is_active": audience is not None, "list_name": audience.name if audience else "",
        "segment_text": segment_text(ctx, row), "recipient_count": count,
    }  # fmt: skip
    return {**body, "segment_opts": row.segment_opts} if row.segment_opts else body


def segment_text(ctx: Ctx, row: Campaign) -> str:
    """Whom it goes to, in a sentence."""
    if not row.segment_opts:
        return ""
    saved = ctx.db.get(Segment, row.segment_opts.get("saved_segment_id", 0))
    if saved is not None:
        kind = "tag" if saved.type == "static" else "segment"
        return f"Contacts in the {kind} {saved.name}"
    tests = [f"{c['field']} {c['op']} {c.get('value', '')}".strip() for c in row.segment_opts.get("conditions", [])]
    return f"Contacts that match {row.segment_opts.get('match', 'all')} of the following conditions: " + "; ".join(
        tests
    )


def recipients(ctx: Ctx, row: Campaign) -> list[Member]:
    """The subscribed members whom a campaign goes to."""
    if not row.list_id:
        return []
    everyone = ctx.db.find(Member, list_id=row.list_id, status="subscribed", order="timestamp_opt,contact_id")
    if not row.segment_opts:
        return everyone
    kept = everyone
    if key := row.segment_opts.get("saved_segment_id"):
        segment = ctx.db.get(Segment, key)
        if segment is None:
            return []
        inside = {m.contact_id for m in conditions.chosen(ctx, segment, {})}
        kept = [m for m in everyone if m.contact_id in inside]
    if row.segment_opts.get("conditions"):
        test = conditions.standing(ctx, row.list_id, row.segment_opts)
        kept = [m for m in kept if test(m)]
    return kept


def aimed(ctx: Ctx, given: Mapping[str, Any], before: Campaign | None = None) -> dict[str, Any]:
    """The columns of `recipients` as a request tells them."""
    list_id = given.get("list_id", before.list_id if before else None) or None
    if list_id is not None and ctx.db.get(Audience, list_id) is None:
        raise invalid_resource(("recipients.list_id", "The list does not exist"))
    changed = before is not None and list_id != before.list_id
    options = dict(given.get("segment_opts", {} if before is None or changed else before.segment_opts))
    if options and list_id is None:
        raise invalid_resource(("recipients.list_id", "A segment needs a list"))
    if options.get("prebuilt_segment_id"):
        raise invalid_resource(
            ("recipients.segment_opts.prebuilt_segment_id", "There are no prebuilt segments on this list")
        )
    if (key := options.get("saved_segment_id")) and list_id:
        segment = ctx.db.get(Segment, key)
        if segment is None or segment.list_id != list_id:
            raise invalid_resource(("recipients.segment_opts.saved_segment_id", "The segment does not exist"))
    elif "saved_segment_id" in options:
        options.pop("saved_segment_id")
    if options.get("conditions") and list_id:
        options |= conditions.read(ctx, list_id, options, "recipients.segment_opts")[0]
    elif not options.get("saved_segment_id"):
        options = {}
    return {"list_id": list_id, "segment_opts": options}


def set_up(ctx: Ctx, given: Mapping[str, Any]) -> None:
    """Settings name folders and templates that exist."""
    folder = ctx.db.get(Folder, given["folder_id"]) if given.get("folder_id") else None
    if given.get("folder_id") and (folder is None or folder.kind != "campaign"):
        raise invalid_resource(("settings.folder_id", "The folder does not exist"))
    if given.get("template_id") and ctx.db.get(Template, given["template_id"]) is None:
        raise invalid_resource(("settings.template_id", "The template does not exist"))


def editable(row: Campaign) -> None:
    if row.status not in EDITABLE:
        raise invalid_action(f"The campaign cannot be edited in its current state: {row.status}.")


def checklist(ctx: Ctx, row: Campaign) -> list[dict[str, Any]]:
    """What is in order and what is not, as Mailchimp lists it."""
    items = list[dict[str, Any]]()

    def item(id_: int, good: bool, heading: str, success: str, error: str, bad: str = "error") -> None:
        items.append(
            {"type": "success" if good else bad, "id": id_, "heading": heading, "details": success if good else error}
        )

    audience = ctx.db.get(Audience, row.list_id) if row.list_id else None
    count = len(recipients(ctx, row))
    name = audience.name if audience else ""
    if audience is None:
        item(500, False, "List", "", "You have not selected a list.")
    else:
        empty = (
            f'Your segment of list "{name}" is empty.'
            if row.segment_opts
            else f'Your list "{name}" has no subscribers.'
        )
        item(501, count > 0, "List", f"Mailchimp will deliver this to the {name} list. ({count} recipients)", empty)
    settings, variants = row.settings, row.variate_settings
    subject = settings.get("subject_line") or ", ".join(variants.get("subject_lines", []))
    item(502, bool(subject), "Subject line", f'"{subject}"', "You didn't provide a subject for this campaign.")
    sender = settings.get("from_name") or ", ".join(variants.get("from_names", []))
    reply = settings.get("reply_to") or ", ".join(variants.get("reply_to_addresses", []))
    item(503, bool(sender), "From name", f'"{sender}"', "You didn't provide a from name for this campaign.")
    item(
        504,
        bool(reply),
        "Replies",
        f"All replies will go to {sender} <{reply}>.",
        "You didn't provide a reply-to address.",
    )
    if row.type == "rss":
        item(
            505,
            bool(row.rss_opts.get("feed_url")),
            "RSS feed",
            str(row.rss_opts.get("feed_url")),
            "You have not set a feed.",
        )
    item(
        506,
        True,
        "Tracking",
        "You chose to track clicks and opens in the HTML email and clicks in the plain-text email.",
        "",
    )
    if row.type != "plaintext":
        html = row.html or any(v.get("html") for v in row.variate_contents)
        item(
            507, bool(html), "HTML email", "You're sending an HTML email.", "You have not designed your HTML email yet."
        )
    plain = row.plain_text or row.html or any(v.get("plain_text") or v.get("html") for v in row.variate_contents)
    text_error = "Your plain-text email is empty."
    item(
        508, bool(plain), "Plain-text email", "Review the plain-text version of your email before sending.", text_error
    )
    item(509, True, "Authentication", "Your campaign will be authenticated and sent from campaign-archive.com.", "")
    return items


def ready(ctx: Ctx, row: Campaign) -> bool:
    return all(item["type"] != "error" for item in checklist(ctx, row))


def send(ctx: Ctx, row: Campaign) -> Campaign:
    if row.status not in (*EDITABLE, "schedule"):
        raise refuse(400, f"Cannot send this campaign: its status is {row.status}.")
    if not ready(ctx, row):
        raise refuse(400, "Your Campaign is not ready to send.")
    if row.type == "rss":  # an RSS campaign is started, and goes out whenever the feed has news
        return ctx.db.update(row, status="sending")
    members = recipients(ctx, row)
    ctx.db.update(row, status="sent", send_time=times.now(ctx), emails_sent=len(members))
    engagement.deliver(ctx, row, members)
    return row


def body_of(row: Campaign) -> str:
    """The mailing's text."""
    return row.plain_text or markup.plain(row.html)
