"""Audiences, which the API calls lists. https://mailchimp.com/developer/marketing/api/lists/"""

from typing import Annotated, Any, Literal

from legoenv_mcp.app import HEX, MISSING, Ctx, Field, Query

from .. import audiences, people, resources, times
from ..app import app, done
from ..errors import invalid_resource
from ..inputs import Contact, Count, Defaults, Direction, Exclude, Fields, HiddenMoment, ListId, Offset
from ..models import Audience, Campaign, Member
from ..paging import between, collection, links

Name = Annotated[str, Field(min_length=1, max_length=100)]


@app.get("/lists", tool="list_audiences")
def list_audiences(
    ctx: Ctx,
    fields: Fields = None,
    exclude_fields: Exclude = None,
    count: Count = 10,
    offset: Offset = 0,
    email: str | None = None,
    before_date_created: HiddenMoment = None,
    since_date_created: HiddenMoment = None,
    before_campaign_last_sent: HiddenMoment = None,
    since_campaign_last_sent: HiddenMoment = None,
    sort_field: Annotated[Literal["date_created"] | None, Query(mcp=False)] = None,
    sort_dir: Annotated[Direction, Query(mcp=False)] = "ASC",
    has_ecommerce_store: Annotated[bool | None, Query(mcp=False)] = None,
    include_total_contacts: Annotated[bool, Query(mcp=False)] = False,
) -> dict[str, Any]:
    """Lists the audiences (lists) with their settings and statistics.

    email: Only those that have this subscriber.
    sort_field: What to sort by.
    has_ecommerce_store: Only those with, or without, an active store.
    include_total_contacts: Whether stats tell total_contacts.
    """
    rows = [a for a in ctx.db.find(Audience) if between(a.date_created, since_date_created, before_date_created)]
    if since_campaign_last_sent or before_campaign_last_sent:
        sent = {
            a.id: max((c.send_time for c in ctx.db.find(Campaign, list_id=a.id, status="sent")), default="")
            for a in rows
        }
        rows = [a for a in rows if between(sent[a.id], since_campaign_last_sent, before_campaign_last_sent)]
    if email:
        rows = [a for a in rows if (m := people.lookup(ctx, a.id, email)) and m.status != "archived"]
    if has_ecommerce_store:
        rows = []
    rows.sort(key=lambda a: (a.date_created, a.id), reverse=sort_dir == "DESC")
    return collection(
        ctx, "lists", rows, lambda a: resources.audience(ctx, a, include_total_contacts), count, offset, "/lists", "Lists",
        constraints={"may_create": True, "max_instances": 500, "current_total_instances": ctx.db.count(Audience)},
    )  # fmt: skip


@app.get("/lists/{list_id}", tool="get_list")
def get_list(
    ctx: Ctx,
    list_id: ListId,
    fields: Fields = None,
    exclude_fields: Exclude = None,
    include_total_contacts: Annotated[bool, Query(mcp=False)] = False,
) -> dict[str, Any]:
    """Shows an audience: settings, campaign defaults, and statistics on members, campaigns, opens and clicks.

    include_total_contacts: Whether stats tell total_contacts.
    """
    return resources.audience(ctx, people.audience(ctx, list_id), include_total_contacts)


def _whole(contact: Contact, defaults: Defaults) -> None:
    needed = [
        ("contact", contact, ("company", "address1", "city", "country")),
        ("campaign_defaults", defaults, ("from_name", "from_email", "subject", "language")),
    ]
    wrong = [
        (path, f"Required fields were not provided: {n}")
        for path, given, names in needed
        for n in names
        if n not in given
    ]
    if wrong:
        raise invalid_resource(*wrong)


@app.post("/lists", tool="create_list")
def create_list(
    ctx: Ctx,
    name: Name,
    contact: Contact,
    permission_reminder: str,
    campaign_defaults: Defaults,
    email_type_option: bool,
    use_archive_bar: bool = False,
    notify_on_subscribe: str = "",
    notify_on_unsubscribe: str = "",
    double_optin: bool = False,
    marketing_permissions: bool = False,
) -> dict[str, Any]:
    """Creates an audience. Contact needs company, address1, city and country; campaign_defaults need all four of theirs.

    name: The audience's name.
    contact: Whose address stands below its mailings.
    permission_reminder: Why people get them, for the footer.
    campaign_defaults: What its campaigns begin with.
    email_type_option: Whether people choose between HTML and plain text.
    use_archive_bar: Whether archived campaigns show the archive bar.
    notify_on_subscribe: Who is told of new subscribers.
    notify_on_unsubscribe: Who is told of those who leave.
    double_optin: Whether sign-ups are to be confirmed.
    marketing_permissions: Whether it has GDPR marketing permissions.
    """
    _whole(contact, campaign_defaults)
    key = ctx.id("", 10, HEX, kind="list")
    row = ctx.db.add(Audience(
        id=key, web_id=people.number(ctx), contact={**audiences.EMPTY_CONTACT, **contact}, date_created=times.now(ctx),
        campaign_defaults=dict(campaign_defaults), name=name, permission_reminder=permission_reminder,
        email_type_option=email_type_option, use_archive_bar=use_archive_bar, notify_on_subscribe=notify_on_subscribe,
        notify_on_unsubscribe=notify_on_unsubscribe, double_optin=double_optin, marketing_permissions=marketing_permissions,
    ))  # fmt: skip
    audiences.with_merge_fields(ctx, key)
    return resources.audience(ctx, row)


@app.patch("/lists/{list_id}", tool="update_list")
def update_list(
    ctx: Ctx,
    list_id: ListId,
    name: Name | MISSING = MISSING,
    contact: Contact | MISSING = MISSING,
    permission_reminder: str | MISSING = MISSING,
    campaign_defaults: Defaults | MISSING = MISSING,
    email_type_option: bool | MISSING = MISSING,
    use_archive_bar: bool | MISSING = MISSING,
    notify_on_subscribe: str | MISSING = MISSING,
    notify_on_unsubscribe: str | MISSING = MISSING,
    double_optin: bool | MISSING = MISSING,
    marketing_permissions: bool | MISSING = MISSING,
) -> dict[str, Any]:
    """Changes what is sent of an audience's settings.

    name: The audience's name.
    contact: Whose address stands below its mailings.
    permission_reminder: Why people get them, for the footer.
    campaign_defaults: What its campaigns begin with.
    email_type_option: Whether people choose between HTML and plain text.
    use_archive_bar: Whether archived campaigns show the archive bar.
    notify_on_subscribe: Who is told of new subscribers.
    notify_on_unsubscribe: Who is told of those who leave.
    double_optin: Whether sign-ups are to be confirmed.
    marketing_permissions: Whether it has GDPR marketing permissions.
    """
    row, sent = people.audience(ctx, list_id), ctx.sent()
    for whole in ("contact", "campaign_defaults"):
        if whole in sent:
            sent[whole] = {**getattr(row, whole), **sent[whole]}
    return resources.audience(ctx, ctx.db.update(row, **sent))


@app.delete("/lists/{list_id}", tool="delete_list", status=204)
def delete_list(ctx: Ctx, list_id: ListId) -> Any:
    """Deletes an audience with its members and all that is known of them. Its campaigns stay, without recipients."""
    audiences.erase(ctx, people.audience(ctx, list_id))
    return done(ctx, list_id=list_id, deleted=True)


@app.get("/lists/{list_id}/growth-history", tool="list_growth_history", mcp=False)
def list_growth_history(
    ctx: Ctx, list_id: ListId, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0,
    sort_field: Literal["month"] | None = None, sort_dir: Direction = "DESC",
) -> dict[str, Any]:  # fmt: skip
    """Tells month by month how an audience grew.

    sort_field: What to sort by.
    """
    rows = audiences.growth(ctx, people.audience(ctx, list_id))
    rows.sort(key=lambda month: month["month"], reverse=sort_dir == "DESC")
    path = f"/lists/{list_id}/growth-history"
    return collection(ctx, "history", rows, lambda m: m, count, offset, path, "Lists/GrowthHistory", list_id=list_id)


@app.get("/lists/{list_id}/growth-history/{month}", tool="get_growth_history", mcp=False)
def get_growth_history(
    ctx: Ctx, list_id: ListId, month: str, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Tells how an audience grew in a month.

    month: The month, as YYYY-MM.
    """
    found = next((m for m in audiences.growth(ctx, people.audience(ctx, list_id)) if m["month"] == month), None)
    if found is None:
        raise ctx.app.not_found("Month", month)
    return found


@app.get("/lists/{list_id}/activity", tool="list_activity", mcp=False)
def list_activity(
    ctx: Ctx,
    list_id: ListId,
    fields: Fields = None,
    exclude_fields: Exclude = None,
    count: Count = 10,
    offset: Offset = 0,
) -> dict[str, Any]:
    """Tells day by day what happened on an audience in the last 180 days: mails sent, opens, clicks, sign-ups, departures."""
    rows = audiences.days(ctx, people.audience(ctx, list_id))
    path = f"/lists/{list_id}/activity"
    return collection(ctx, "activity", rows, lambda d: d, count, offset, path, "Lists/Activity", list_id=list_id)


@app.get("/lists/{list_id}/clients", tool="list_clients", mcp=False)
def list_clients(ctx: Ctx, list_id: ListId, fields: Fields = None, exclude_fields: Exclude = None) -> dict[str, Any]:
    """Tells which e-mail clients members use, as far as that is known."""
    people.audience(ctx, list_id)
    return {
        "clients": [],
        "list_id": list_id,
        "total_items": 0,
        "_links": links(ctx, f"/lists/{list_id}/clients", "Lists/Clients"),
    }


@app.get("/lists/{list_id}/locations", tool="list_locations", mcp=False)
def list_locations(ctx: Ctx, list_id: ListId, fields: Fields = None, exclude_fields: Exclude = None) -> dict[str, Any]:
    """Tells which countries members are in, as far as that is known."""
    people.audience(ctx, list_id)
    found = dict[str, int]()
    for member in ctx.db.find(Member, list_id=list_id, status="subscribed"):
        if code := member.location.get("country_code"):
            found[code] = found.get(code, 0) + 1
    total = sum(found.values())
    rows = [{"country": c, "cc": c, "percent": round(100 * n / total, 2), "total": n} for c, n in sorted(found.items())]
    path = f"/lists/{list_id}/locations"
    return {
        "locations": rows,
        "list_id": list_id,
        "total_items": len(rows),
        "_links": links(ctx, path, "Lists/Locations"),
    }


@app.get("/lists/{list_id}/abuse-reports", tool="list_abuse_reports", mcp=False)
def list_abuse_reports(
    ctx: Ctx,
    list_id: ListId,
    fields: Fields = None,
    exclude_fields: Exclude = None,
    count: Count = 10,
    offset: Offset = 0,
) -> dict[str, Any]:
    """Lists complaints of members who marked a mailing as spam."""
    people.audience(ctx, list_id)
    path = f"/lists/{list_id}/abuse-reports"
    return collection(ctx, "abuse_reports", [], lambda r: r, count, offset, path, "Lists/Abuse", list_id=list_id)
