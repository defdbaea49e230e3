"""Members of an audience. https://mailchimp.com/developer/marketing/api/list-members/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import MISSING, Ctx, Field, Query

from .. import people, resources, times
from ..app import app, done
from ..errors import invalid_resource, not_allowed
from ..inputs import (
    Count,
    Direction,
    Email,
    Exclude,
    Fields,
    Hash,
    HiddenMoment,
    Interests,
    ListId,
    Location,
    MergeFields,
    Moment,
    Offset,
    Permission,
    SkipMerge,
    Time,
    WrittenStatus,
)
from ..models import Interest, InterestCategory, Member, Status
from ..paging import between, collection

EmailType = Literal["html", "text"]
Language = Annotated[str, Field(max_length=10)]
Ip = Annotated[str, Field(max_length=45)]


@app.get("/lists/{list_id}/members", tool="list_members")
def list_members(
    ctx: Ctx,
    list_id: ListId,
    fields: Fields = None,
    exclude_fields: Exclude = None,
    count: Count = 10,
    offset: Offset = 0,
    status: Status | None = None,
    email_type: Annotated[EmailType | None, Query(mcp=False)] = None,
    since_timestamp_opt: Moment = None,
    before_timestamp_opt: Moment = None,
    since_last_changed: Moment = None,
    before_last_changed: Moment = None,
    unique_email_id: Annotated[str | None, Query(mcp=False)] = None,
    vip_only: bool = False,
    interest_category_id: Annotated[str | None, Query(mcp=False)] = None,
    interest_ids: Annotated[list[str] | None, Query(mcp=False)] = None,
    interest_match: Annotated[Literal["any", "all", "none"] | None, Query(mcp=False)] = None,
    sort_field: Literal["timestamp_opt", "timestamp_signup", "last_changed"] | None = None,
    sort_dir: Direction = "ASC",
    since_last_campaign: Annotated[bool, Query(mcp=False)] = False,
    unsubscribed_since: HiddenMoment = None,
) -> dict[str, Any]:
    """Lists members of an audience, those who left or bounced too; archived ones only with that status. To find somebody by name or
    address use search_members; for a tag or segment list_segment_members.

    status: Only members in this state.
    email_type: Only those who get HTML, or plain text.
    unique_email_id: Only the member whom a mailing's links know by this.
    vip_only: Only VIPs.
    interest_category_id: The category of interest_ids.
    interest_ids: Only those in these interest groups.
    interest_match: Whether any, all or none of the groups are to hold.
    sort_field: What to sort by.
    since_last_campaign: Only those who joined, or with status unsubscribed left, since the last campaign.
    """
    people.audience(ctx, list_id)
    rows = [
        m
        for m in ctx.db.find(
            Member, list_id=list_id, status=status, email_type=email_type, unique_email_id=unique_email_id
        )
        if (status or m.status != "archived")
        and (m.vip or not vip_only)
        and between(m.timestamp_opt, since_timestamp_opt, before_timestamp_opt)
        and between(m.last_changed, since_last_changed, before_last_changed)
        and between(m.unsubscribed_at, unsubscribed_since, None)
    ]
    if interest_category_id or interest_ids or interest_match:
        rows = _interested(ctx, list_id, rows, interest_category_id, interest_ids, interest_match)
    if since_last_campaign:
        last = resources.audience_stats(ctx, people.audience(ctx, list_id), False)["campaign_last_sent"]
        rows = [m for m in rows if (m.unsubscribed_at if status == "unsubscribed" else m.timestamp_opt) > last]
    if sort_field:
        rows.sort(key=lambda m: (getattr(m, sort_field), m.web_id), reverse=sort_dir == "DESC")
    else:  # in the order in which they came
        rows.sort(key=lambda m: (m.timestamp_opt or m.timestamp_signup, m.web_id), reverse=sort_dir == "DESC")
    page = rows[offset : offset + count]
    shown = dict(zip((m.contact_id for m in page), resources.members(ctx, page), strict=True))
    path = f"/lists/{list_id}/members"
    return collection(
        ctx, "members", rows, lambda m: shown[m.contact_id], count, offset, path, "Lists/Members", list_id=list_id
    )


def _interested(
    ctx: Ctx, list_id: str, rows: list[Member], category: str | None, wanted: list[str] | None, match: str | None
) -> list[Member]:
    """The documentation asks for all three of them together."""
    if not (category and wanted and match):
        raise invalid_resource(("interest_match", "interest_category_id, interest_ids and interest_match go together"))
    found = ctx.db.get(InterestCategory, category)
    known = (
        {i.id for i in ctx.db.find(Interest, category_id=category)}
        if found and found.list_id == list_id
        else set[str]()
    )
    if strange := [i for i in wanted if i not in known]:
        raise invalid_resource(("interest_ids", f"Invalid interest ID: {strange[0][:40]}"))
    test = {"any": any, "all": all, "none": lambda held: not any(held)}[match]
    return [m for m in rows if test(m.interests.get(i, False) for i in wanted)]


@app.get("/lists/{list_id}/members/{subscriber_hash}", tool="get_list_member")
def get_list_member(
    ctx: Ctx, list_id: ListId, subscriber_hash: Hash, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows a member of an audience: status, merge fields, interests, tags, open and click rates, the last note."""
    return resources.one_member(ctx, people.find(ctx, list_id, subscriber_hash))


def _values(
    ctx: Ctx, list_id: str, sent: dict[str, Any], row: Member | None, *, skip: bool, whole: bool
) -> dict[str, Any]:
    """The columns that are sent, merge fields and interests joined with what is there."""
    names = (
        "email_type", "language", "vip", "ip_signup", "ip_opt", "timestamp_signup", "timestamp_opt", "marketing_permissions",
    )  # fmt: skip
    values = {name: sent[name] for name in names if name in sent}
    if "location" in sent:
        values["location"] = dict(sent["location"])
    before = row.merge_fields if row else {}
    values["merge_fields"] = people.merge_values(
        ctx, list_id, sent.get("merge_fields", {}), before, skip=skip, whole=whole
    )
    if "interests" in sent:
        values["interests"] = people.interest_values(ctx, list_id, sent["interests"], row.interests if row else {})
    return values


def add(ctx: Ctx, list_id: str, sent: dict[str, Any], *, skip: bool) -> Member:
    """A new member as a request tells it."""
    address, status = sent["email_address"], sent["status"]
    people.not_forgotten(ctx, list_id, address)
    row = people.lookup(ctx, list_id, address)
    if row is not None:
        if row.status != "archived":
            raise people.exists(address)
        people.may_become(row, status)
    tags = people.named(sent.get("tags", []))
    values = _values(ctx, list_id, sent, row, skip=skip, whole=True)
    made = people.new(ctx, list_id, address, status, **values)
    for name in tags:
        people.put_tag(ctx, made, name, True)
    return made


def change(ctx: Ctx, row: Member, sent: dict[str, Any], *, skip: bool) -> Member:
    """A member with what a request tells of them."""
    changes = dict[str, Any]()
    if "email_address" in sent:
        if people.email_hash(sent["email_address"]) != row.id:
            changes |= people.readdress(ctx, row, sent["email_address"])
        else:
            changes["email_address"] = sent["email_address"]
    if "status" in sent:
        people.may_become(row, sent["status"])
        changes |= people.turned(ctx, row, sent["status"])
    changes |= _values(ctx, row.list_id, sent, row, skip=skip, whole=False)
    return ctx.db.update(row, **changes, last_changed=times.now(ctx))


@app.post("/lists/{list_id}/members", tool="add_list_member")
def add_list_member(
    ctx: Ctx,
    list_id: ListId,
    email_address: Email,
    status: WrittenStatus,
    merge_fields: MergeFields | MISSING = MISSING,
    tags: list[str] | MISSING = MISSING,
    interests: Interests | MISSING = MISSING,
    email_type: EmailType | MISSING = MISSING,
    language: Language | MISSING = MISSING,
    vip: bool | MISSING = MISSING,
    location: Location | MISSING = MISSING,
    marketing_permissions: list[Permission] | MISSING = MISSING,
    ip_signup: Ip | MISSING = MISSING,
    timestamp_signup: Time | MISSING = MISSING,
    ip_opt: Ip | MISSING = MISSING,
    timestamp_opt: Time | MISSING = MISSING,
    skip_merge_validation: SkipMerge = None,
) -> dict[str, Any]:
    """Adds a member to an audience. An address that is on it already is refused (Member Exists): use set_list_member to add or update.
    One that was deleted permanently cannot be added again.

    email_address: Their address.
    status: subscribed; pending sends them a confirmation first; unsubscribed, cleaned or transactional.
    tags: Names of tags to give them.
    email_type: What they get, html or text.
    language: Their language, such as en.
    vip: Whether they are a VIP.
    location: Where they are.
    marketing_permissions: What they allowed.
    ip_signup: The address they signed up from.
    timestamp_signup: When they signed up.
    ip_opt: The address they confirmed from.
    timestamp_opt: When they confirmed.
    """
    people.audience(ctx, list_id)
    return resources.one_member(ctx, add(ctx, list_id, ctx.sent(), skip=bool(skip_merge_validation)))


@app.put("/lists/{list_id}/members/{subscriber_hash}", tool="set_list_member")
def set_list_member(
    ctx: Ctx,
    list_id: ListId,
    subscriber_hash: Hash,
    email_address: Email | MISSING = MISSING,
    status_if_new: WrittenStatus | MISSING = MISSING,
    status: WrittenStatus | MISSING = MISSING,
    merge_fields: MergeFields | MISSING = MISSING,
    interests: Interests | MISSING = MISSING,
    email_type: EmailType | MISSING = MISSING,
    language: Language | MISSING = MISSING,
    vip: bool | MISSING = MISSING,
    location: Location | MISSING = MISSING,
    marketing_permissions: list[Permission] | MISSING = MISSING,
    ip_signup: Ip | MISSING = MISSING,
    timestamp_signup: Time | MISSING = MISSING,
    ip_opt: Ip | MISSING = MISSING,
    timestamp_opt: Time | MISSING = MISSING,
    skip_merge_validation: SkipMerge = None,
) -> dict[str, Any]:
    """Adds a member, or changes what is sent of the one who is there. Who left by themselves or bounced cannot be set to subscribed,
    only to pending.

    email_address: Their address; needed for a new one.
    status_if_new: The status of a new one; needed for that.
    status: The status, new or not.
    email_type: What they get, html or text.
    language: Their language, such as en.
    vip: Whether they are a VIP.
    location: Where they are.
    marketing_permissions: What they allowed.
    ip_signup: The address they signed up from.
    timestamp_signup: When they signed up.
    ip_opt: The address they confirmed from.
    timestamp_opt: When they confirmed.
    """
    people.audience(ctx, list_id)
    sent, skip = ctx.sent(), bool(skip_merge_validation)
    row = people.lookup(ctx, list_id, subscriber_hash)
    if row is not None:
        return resources.one_member(ctx, change(ctx, row, sent, skip=skip))
    if "email_address" not in sent and "@" in subscriber_hash:
        sent["email_address"] = subscriber_hash
    status_now = sent.get("status") or sent.get("status_if_new")
    missing = [n for n, v in (("email_address", sent.get("email_address")), ("status_if_new", status_now)) if not v]
    if missing:
        raise invalid_resource(("", f"Required fields were not provided: {', '.join(missing)}"))
    if "@" not in subscriber_hash and people.email_hash(sent["email_address"]) != subscriber_hash.lower():
        raise invalid_resource(("email_address", "The email address does not match the subscriber hash"))
    sent["status"] = status_now
    return resources.one_member(ctx, add(ctx, list_id, sent, skip=skip))


@app.patch("/lists/{list_id}/members/{subscriber_hash}", tool="update_list_member")
def update_list_member(
    ctx: Ctx,
    list_id: ListId,
    subscriber_hash: Hash,
    email_address: Email | MISSING = MISSING,
    status: WrittenStatus | MISSING = MISSING,
    merge_fields: MergeFields | MISSING = MISSING,
    interests: Interests | MISSING = MISSING,
    email_type: EmailType | MISSING = MISSING,
    language: Language | MISSING = MISSING,
    vip: bool | MISSING = MISSING,
    location: Location | MISSING = MISSING,
    marketing_permissions: list[Permission] | MISSING = MISSING,
    ip_signup: Ip | MISSING = MISSING,
    timestamp_signup: Time | MISSING = MISSING,
    ip_opt: Ip | MISSING = MISSING,
    timestamp_opt: Time | MISSING = MISSING,
    skip_merge_validation: SkipMerge = None,
) -> dict[str, Any]:
    """Changes what is sent of a member; merge fields and interests that are not sent stay. status unsubscribed takes them off the
    mailings. Who left by themselves or bounced cannot be set to subscribed, only to pending.

    email_address: Their new address.
    status: Their status.
    email_type: What they get, html or text.
    language: Their language, such as en.
    vip: Whether they are a VIP.
    location: Where they are.
    marketing_permissions: What they allowed.
    ip_signup: The address they signed up from.
    timestamp_signup: When they signed up.
    ip_opt: The address they confirmed from.
    timestamp_opt: When they confirmed.
    """
    row = people.find(ctx, list_id, subscriber_hash)
    return resources.one_member(ctx, change(ctx, row, ctx.sent(), skip=bool(skip_merge_validation)))


@app.delete("/lists/{list_id}/members/{subscriber_hash}", tool="archive_list_member", status=204)
def archive_list_member(ctx: Ctx, list_id: ListId, subscriber_hash: Hash) -> Any:
    """Archives a member: they are kept, but get nothing and count no more. Adding them again brings them back."""
    row = people.find(ctx, list_id, subscriber_hash)
    if row.status in ("archived", "cleaned", "pending"):
        raise not_allowed(
            "This list member cannot be removed. Can not archive a contact that is bounced, pending or archived",
            ("GET", "PUT"),
        )
    ctx.db.update(row, status="archived", last_changed=times.now(ctx))
    return done(ctx, email_address=row.email_address, status="archived")


@app.post(
    "/lists/{list_id}/members/{subscriber_hash}/actions/delete-permanent", tool="delete_member_permanently", effect="delete",
    status=204,
)  # fmt: skip
def delete_member_permanently(ctx: Ctx, list_id: ListId, subscriber_hash: Hash) -> Any:
    """Deletes a member and all that is known of them, for good. Their address cannot be added to the audience again through the API."""
    row = people.find(ctx, list_id, subscriber_hash)
    people.forget(ctx, row)
    return done(ctx, email_address=row.email_address, deleted=True)
