"""Mailchimp as marketing e-mail: the world's audiences, subscribers and mailings as rows and back, and what one does with them.

A subscriber's id is the contact's: the same address may be on several audiences. Tags are static segments.
"""

from typing import Any, ClassVar, Literal, cast

from legoenv_mcp.app import HEX, Ctx
from legoenv_mcp.capabilities import Entity, Plan, call, marketing_email
from legoenv_mcp.capabilities.marketing_email import Audience as Mailing_list
from legoenv_mcp.capabilities.marketing_email import Campaign as Mailing
from legoenv_mcp.capabilities.marketing_email import Subscriber

from . import audiences, campaigns, engagement, markup, people, reporting, resources, times
from .models import Audience, Campaign, Member, Segment, SegmentMember

_NAMES = {"{{first_name}}": "*|FNAME|*", "{{last_name}}": "*|LNAME|*", "{{email}}": "*|EMAIL|*"}
_STATUSES: dict[str, Literal["draft", "scheduled", "sent"]] = {
    "schedule": "scheduled",
    "sent": "sent",
    "sending": "sent",
    "archived": "sent",
}


def _tagged(text: str) -> str:
    """The world's placeholders as merge tags."""
    for name, tag in _NAMES.items():
        text = text.replace(name, tag)
    return text


def _untagged(text: str) -> str:
    for name, tag in _NAMES.items():
        text = text.replace(tag, name)
    return text


def _audience(ctx: Ctx, entity: Mailing_list) -> str:
    owner = resources.account(ctx)
    key = ctx.id("", 10, HEX, kind="list")
    ctx.db.add(Audience(
        id=key, web_id=people.number(ctx), name=entity.name, contact={**owner.contact, "company": owner.account_name},
        permission_reminder=f"You are receiving this email because you signed up for {entity.name}.",
        campaign_defaults={"from_name": entity.from_name, "from_email": entity.from_email, "subject": "", "language": "en"},
        date_created=times.from_world(entity.created) or owner.member_since,
    ))  # fmt: skip
    audiences.with_merge_fields(ctx, key)
    return key


def _subscriber(ctx: Ctx, entity: Subscriber) -> str:
    when = times.from_world(entity.created) or times.now(ctx)
    names = {"FNAME": entity.first_name, "LNAME": entity.last_name}
    left = entity.status in ("unsubscribed", "cleaned")
    row = ctx.db.add(Member(
        contact_id=ctx.id("", 32, HEX, kind="contact"), list_id=ctx.ref(Mailing_list, entity.audience),
        id=people.email_hash(entity.email), unique_email_id=ctx.id("", 10, HEX, kind="unique_email"), web_id=people.number(ctx),
        email_address=entity.email, status=entity.status, compliance=left,
        unsubscribe_reason="N/A" if entity.status == "unsubscribed" else "",
        merge_fields={tag: name for tag, name in names.items() if name}, timestamp_signup=when,
        timestamp_opt="" if entity.status == "pending" else when, last_changed=when, source="Hosted Signup Form",
    ))  # fmt: skip
    for tag in entity.tags:
        people.put_tag(ctx, row, tag, True, when)
    return row.contact_id


def _campaign(ctx: Ctx, entity: Mailing) -> str:
    audience = ctx.require(Audience, ctx.ref(Mailing_list, entity.audience))
    sender = audience.campaign_defaults
    text = _tagged(entity.body)
    home = sender["from_email"].rpartition("@")[2]
    link = f'\n<p><a href="https://{home}/">{home}</a></p>' if home and text else ""
    status = {"draft": "save", "scheduled": "schedule", "sent": "sent"}[entity.status]
    row = ctx.db.add(Campaign(
        id=ctx.id("", 10, HEX, kind="campaign"), web_id=people.number(ctx), type="regular",
        status=cast(Any, status), list_id=audience.id, tracking={}, emails_sent=entity.sent,
        settings={
            "subject_line": entity.subject, "title": entity.name, "from_name": sender["from_name"], "reply_to": sender["from_email"],
            "to_name": "*|FNAME|* *|LNAME|*",
        },
        html=markup.paragraphs(text) + link if text else "", plain_text=text,
        create_time=times.from_world(entity.created or entity.at) or times.now(ctx), send_time=times.from_world(entity.at),
    ))  # fmt: skip
    if status == "sent":
        there = [
            m for m in ctx.db.find(Member, list_id=audience.id, order="timestamp_opt,contact_id")
            if m.status != "pending" and (not row.send_time or m.timestamp_opt <= row.send_time)
        ][: entity.sent]  # fmt: skip
        counts = {n: getattr(entity, n) for n in ("opened", "clicked", "bounced", "unsubscribed")}
        ctx.db.update(row, counts=engagement.recorded(ctx, row, there, counts))
    return row.id


_FILLS: dict[type[Entity], Any] = {Mailing_list: _audience, Subscriber: _subscriber, Mailing: _campaign}


class MailchimpMarketing(marketing_email.MarketingEmail):
    """Audience and campaign ids are Mailchimp's own; contacts are named by address."""

    entities: ClassVar[tuple[type[Entity], ...]] = (Mailing_list, Subscriber, Mailing)

    def fill(self, ctx: Ctx, entity: Entity) -> str:
        return _FILLS[type(entity)](ctx, entity)

    def view(self, ctx: Ctx, table: str, row: dict[str, Any]) -> Entity | None:
        if table == "list":
            sender = row["campaign_defaults"]
            return Mailing_list(
                id=row["id"], name=row["name"], from_name=sender.get("from_name", ""), from_email=sender.get("from_email", ""),
                created=times.to_world(row["date_created"]),
            )  # fmt: skip
        if table == "member" and row["status"] in ("subscribed", "unsubscribed", "pending", "cleaned"):
            held = [m.segment_id for m in ctx.db.find(SegmentMember, contact_id=row["contact_id"])]
            tags = [s.name for s in ctx.db.find(Segment, id__in=held, type="static", order="id")]
            return Subscriber(
                id=row["contact_id"], audience=row["list_id"], email=row["email_address"],
                first_name=str(row["merge_fields"].get("FNAME", "")), last_name=str(row["merge_fields"].get("LNAME", "")),
                status=row["status"], tags=tuple(tags), created=times.to_world(row["timestamp_signup"] or row["timestamp_opt"]),
            )  # fmt: skip
        return self._mailing(ctx, Campaign.of(dict(row))) if table == "campaign" else None

    @staticmethod
    def _mailing(ctx: Ctx, row: Campaign) -> Mailing:
        n = reporting.numbers(ctx, row) if row.status == "sent" else {}
        return Mailing(
            id=row.id, audience=row.list_id or "", name=campaigns.title(row), subject=row.settings.get("subject_line", ""),
            body=_untagged(campaigns.body_of(row)), status=_STATUSES.get(row.status, "draft"), at=times.to_world(row.send_time),
            sent=row.emails_sent, opened=n.get("opened", 0), clicked=n.get("clicked", 0), bounced=n.get("hard", 0) + n.get("soft", 0),
            unsubscribed=n.get("unsubscribed", 0), created=times.to_world(row.create_time),
        )  # fmt: skip

    def add_contact(self, audience_id: str, email: str, first_name: str, last_name: str) -> Plan:
        names = {"FNAME": first_name, "LNAME": last_name}
        yield call("add_list_member", list_id=audience_id, email_address=email, status="subscribed", merge_fields=names)

    def find_contact(self, email: str) -> Plan:
        yield call("search_members", query=email)

    def update_contact(self, audience_id: str, email: str, **changes: Any) -> Plan:
        tags = {"first_name": "FNAME", "last_name": "LNAME"}
        values = {tags[name]: value for name, value in changes.items()}
        yield call("update_list_member", list_id=audience_id, subscriber_hash=email, merge_fields=values)

    def unsubscribe_contact(self, audience_id: str, email: str) -> Plan:
        yield call("update_list_member", list_id=audience_id, subscriber_hash=email, status="unsubscribed")

    def list_audiences(self) -> Plan:
        yield call("list_audiences", count=50)

    def list_contacts(self, audience_id: str) -> Plan:
        yield call(
            "list_members",
            list_id=audience_id,
            count=200,
            fields="members.email_address,members.full_name,members.status",
        )

    def segment_contact(self, audience_id: str, email: str, tag: str) -> Plan:
        tags = [{"name": tag, "status": "active"}]
        yield call("update_member_tags", list_id=audience_id, subscriber_hash=email, tags=tags)

    def create_campaign(self, audience_id: str, subject: str, body: str) -> Plan:
        audience = yield call("get_list", list_id=audience_id)
        sender = audience["campaign_defaults"]
        settings = {
            "subject_line": subject, "title": subject, "from_name": sender.get("from_name", ""), "reply_to": sender.get("from_email", ""),
        }  # fmt: skip
        made = yield call("create_campaign", type="regular", recipients={"list_id": audience_id}, settings=settings)
        text = _tagged(body)
        yield call("set_campaign_content", campaign_id=made["id"], html=markup.paragraphs(text), plain_text=text)

    def send_campaign(self, campaign_id: str) -> Plan:
        yield call("get_send_checklist", campaign_id=campaign_id)
        yield call("send_campaign", campaign_id=campaign_id)

    def get_campaign_report(self, campaign_id: str) -> Plan:
        yield call("get_campaign_report", campaign_id=campaign_id)


provides = {"marketing_email": MailchimpMarketing()}
