"""Classic automations. https://mailchimp.com/developer/marketing/api/automation/"""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from legoenv_mcp.app import HEX, MISSING, Ctx, Field

from .. import people, times
from ..app import app, done
from ..errors import invalid_action, invalid_resource, not_found, refuse
from ..inputs import Count, Email, Exclude, Fields, Hash, HiddenMoment, Offset
from ..models import Audience, Automation, AutomationEmail, AutomationStatus, Member, QueueEntry, RemovedSubscriber
from ..paging import between, collection, links

WorkflowId = Annotated[str, Field(description="The automation's id.")]
EmailId = Annotated[str, Field(description="The id of one of its e-mails.")]
Workflow = Literal[
    "abandonedBrowse", "abandonedCart", "api", "bestCustomers", "categoryFollowup", "dateAdded", "emailFollowup", "emailSeries",
    "groupAdd", "groupRemove", "mandrill", "productFollowup", "purchaseFollowup", "recurringEvent", "specialEvent", "visitUrl",
    "welcomeSeries",
]  # fmt: skip
_EMAIL = "/automations/{workflow_id}/emails/{workflow_email_id}"
DAY = {"amount": 1, "type": "day", "direction": "after", "action": "signup"}


class _AtList(TypedDict):
    list_id: str


class FlowRecipients(_AtList, total=False):
    """Whom it is for."""

    store_id: str


class FlowSettings(TypedDict, total=False):
    """Whom it is from."""

    from_name: str
    reply_to: Email
    title: str


class Trigger(TypedDict):
    """What starts it."""

    workflow_type: Workflow


class EmailSettings(TypedDict, total=False):
    """An e-mail's subject and sender."""

    subject_line: Annotated[str, Field(max_length=150)]
    preview_text: str
    title: str
    from_name: str
    reply_to: Email


class Delay(TypedDict, total=False):
    """How long after the trigger it goes out."""

    amount: Annotated[int, Field(ge=0, le=365)]
    type: Literal["now", "day", "hour", "week"]
    direction: Literal["before", "after"]
    action: str


def _shown(ctx: Ctx, row: Automation) -> dict[str, Any]:
    audience = ctx.db.get(Audience, row.list_id)
    emails = ctx.db.find(AutomationEmail, automation_id=row.id)
    recipients = {
        "list_id": row.list_id, "list_is_active": audience is not None, "list_name": audience.name if audience else "",
        "store_id": row.store_id,
    }  # fmt: skip
    return {
        "id": row.id, "create_time": row.create_time, "start_time": row.start_time, "status": row.status, "emails_sent": 0,
        "recipients": recipients, "settings": row.settings, "tracking": {"opens": True, "html_clicks": True, "text_clicks": False},
        "trigger_settings": {"workflow_type": row.workflow_type, "workflow_emails_count": len(emails)},
        "report_summary": {"opens": 0, "unique_opens": 0, "open_rate": 0, "clicks": 0, "subscriber_clicks": 0, "click_rate": 0},
        "_links": links(ctx, f"/automations/{row.id}", "Automations", (), ("emails", "removed-subscribers")),
    }  # fmt: skip


def _email(ctx: Ctx, row: AutomationEmail) -> dict[str, Any]:
    path = f"/automations/{row.automation_id}/emails/{row.id}"
    return {
        "id": row.id, "web_id": row.web_id, "workflow_id": row.automation_id, "position": row.position, "delay": row.delay,
        "create_time": row.create_time, "start_time": row.start_time, "status": row.status, "emails_sent": 0,
        "settings": row.settings, "has_logo_merge_tag": False,
        "_links": links(ctx, path, "Automations/Emails", ("PATCH", "DELETE"), ("queue", "actions/start", "actions/pause")),
    }  # fmt: skip


def _one(ctx: Ctx, workflow_id: str, email_id: str) -> AutomationEmail:
    row = ctx.db.get(AutomationEmail, email_id)
    if row is None or row.automation_id != ctx.require(Automation, workflow_id).id:
        raise not_found()
    return row


@app.get("/automations", tool="list_automations", mcp=False)
def list_automations(
    ctx: Ctx, fields: Fields = None, exclude_fields: Exclude = None, count: Count = 10, offset: Offset = 0,
    status: AutomationStatus | None = None, before_create_time: HiddenMoment = None, since_create_time: HiddenMoment = None,
    before_start_time: HiddenMoment = None, since_start_time: HiddenMoment = None,
) -> dict[str, Any]:  # fmt: skip
    """Lists classic automations.

    status: Only those in this state.
    """
    rows = [
        a
        for a in ctx.db.find(Automation, status=status, order="create_time,id")
        if between(a.create_time, since_create_time, before_create_time)
        and between(a.start_time, since_start_time, before_start_time)
    ]
    return collection(ctx, "automations", rows, lambda a: _shown(ctx, a), count, offset, "/automations", "Automations")


@app.post("/automations", tool="create_automation", mcp=False)
def create_automation(
    ctx: Ctx, recipients: FlowRecipients, trigger_settings: Trigger, settings: FlowSettings | None = None
) -> dict[str, Any]:
    """Creates a classic automation with one e-mail, not started yet.

    recipients: Whom it is for.
    trigger_settings: What starts it.
    settings: Whom it is from.
    """
    audience = ctx.db.get(Audience, recipients["list_id"])
    if audience is None:
        raise invalid_resource(("recipients.list_id", "The list does not exist"))
    if trigger_settings["workflow_type"].startswith("abandoned") or recipients.get("store_id"):
        raise invalid_resource(("recipients.store_id", "The store does not exist"))
    when, sender = times.now(ctx), audience.campaign_defaults
    given = {
        "title": trigger_settings["workflow_type"],
        "from_name": sender.get("from_name", ""),
        "reply_to": sender.get("from_email", ""),
    }
    row = ctx.db.add(Automation(
        id=ctx.id("", 10, HEX, kind="automation"), list_id=audience.id, settings={**given, **(settings or {})},
        workflow_type=trigger_settings["workflow_type"], create_time=when,
    ))  # fmt: skip
    ctx.db.add(AutomationEmail(
        id=ctx.id("", 10, HEX, kind="automation_email"), automation_id=row.id, web_id=people.number(ctx), position=1, delay=DAY,
        settings={"subject_line": "", "title": "", "from_name": row.settings["from_name"], "reply_to": row.settings["reply_to"]},
        create_time=when,
    ))  # fmt: skip
    return _shown(ctx, row)


@app.get("/automations/{workflow_id}", tool="get_automation", mcp=False)
def get_automation(
    ctx: Ctx, workflow_id: WorkflowId, fields: Fields = None, exclude_fields: Exclude = None
) -> dict[str, Any]:
    """Shows a classic automation."""
    return _shown(ctx, ctx.require(Automation, workflow_id))


def _running(ctx: Ctx, workflow_id: str) -> Automation:
    row = ctx.require(Automation, workflow_id)
    if row.status == "archived":
        raise invalid_action("The automation is archived.")
    return row


@app.post(
    "/automations/{workflow_id}/actions/start-all-emails",
    tool="start_automation",
    effect="transition",
    mcp=False,
    status=204,
)
def start_automation(ctx: Ctx, workflow_id: WorkflowId) -> Any:
    """Starts all e-mails of an automation. Each needs a subject."""
    row = _running(ctx, workflow_id)
    emails = ctx.db.find(AutomationEmail, automation_id=row.id)
    if not emails or not all(e.settings.get("subject_line") for e in emails):
        raise refuse(400, "Your automation is not ready to be started: each email needs a subject line.")
    when = times.now(ctx)
    ctx.db.update(row, status="sending", start_time=row.start_time or when)
    for email in emails:
        ctx.db.update(email, status="sending", start_time=email.start_time or when)
    return done(ctx, workflow_id=row.id, status=row.status)


@app.post(
    "/automations/{workflow_id}/actions/pause-all-emails",
    tool="pause_automation",
    effect="transition",
    mcp=False,
    status=204,
)
def pause_automation(ctx: Ctx, workflow_id: WorkflowId) -> Any:
    """Pauses all e-mails of an automation."""
    row = ctx.db.update(_running(ctx, workflow_id), status="paused")
    for email in ctx.db.find(AutomationEmail, automation_id=row.id):
        ctx.db.update(email, status="paused")
    return done(ctx, workflow_id=row.id, status=row.status)


@app.post(
    "/automations/{workflow_id}/actions/archive", tool="archive_automation", effect="transition", mcp=False, status=204
)
def archive_automation(ctx: Ctx, workflow_id: WorkflowId) -> Any:
    """Ends an automation for good."""
    row = ctx.db.update(_running(ctx, workflow_id), status="archived")
    for email in ctx.db.find(AutomationEmail, automation_id=row.id):
        ctx.db.delete_where(QueueEntry, email_id=email.id)
        ctx.db.update(email, status="paused")
    return done(ctx, workflow_id=row.id, status=row.status)


# E-mails


@app.get("/automations/{workflow_id}/emails", tool="list_automation_emails", mcp=False)
def list_automation_emails(ctx: Ctx, workflow_id: WorkflowId) -> dict[str, Any]:
    """Lists the e-mails of an automation, in order."""
    row = ctx.require(Automation, workflow_id)
    emails = ctx.db.find(AutomationEmail, automation_id=row.id, order="position,id")
    path = f"/automations/{row.id}/emails"
    return collection(ctx, "emails", emails, lambda e: _email(ctx, e), len(emails), 0, path, "Automations/Emails")


@app.get(_EMAIL, tool="get_automation_email", mcp=False)
def get_automation_email(ctx: Ctx, workflow_id: WorkflowId, workflow_email_id: EmailId) -> dict[str, Any]:
    """Shows an e-mail of an automation."""
    return _email(ctx, _one(ctx, workflow_id, workflow_email_id))


@app.patch(_EMAIL, tool="update_automation_email", mcp=False)
def update_automation_email(
    ctx: Ctx, workflow_id: WorkflowId, workflow_email_id: EmailId, settings: EmailSettings | MISSING = MISSING,
    delay: Delay | MISSING = MISSING,
) -> dict[str, Any]:  # fmt: skip
    """Changes an e-mail of an automation; one that is being sent is paused first.

    settings: Its subject and sender.
    delay: How long after the trigger it goes out.
    """
    row, sent = _one(ctx, workflow_id, workflow_email_id), ctx.sent()
    if row.status == "sending":
        raise invalid_action("The email must be paused before it can be changed.")
    for name in ("settings", "delay"):
        if name in sent:
            sent[name] = {**getattr(row, name), **sent[name]}
    return _email(ctx, ctx.db.update(row, **sent))


@app.delete(_EMAIL, tool="delete_automation_email", mcp=False, status=204)
def delete_automation_email(ctx: Ctx, workflow_id: WorkflowId, workflow_email_id: EmailId) -> Any:
    """Deletes an e-mail of an automation; one that is being sent is paused first. Those about abandoned carts and pages stay."""
    row, flow = _one(ctx, workflow_id, workflow_email_id), ctx.require(Automation, workflow_id)
    if flow.workflow_type in ("abandonedCart", "abandonedBrowse"):
        raise invalid_action("Emails of this type of automation cannot be deleted.")
    if row.status == "sending":
        raise invalid_action("The email must be paused before it can be deleted.")
    ctx.db.delete_where(QueueEntry, email_id=row.id)
    ctx.db.delete(row)
    return done(ctx, workflow_email_id=row.id, deleted=True)


@app.post(_EMAIL + "/actions/start", tool="start_automation_email", effect="transition", mcp=False, status=204)
def start_automation_email(ctx: Ctx, workflow_id: WorkflowId, workflow_email_id: EmailId) -> Any:
    """Starts an e-mail of an automation."""
    _running(ctx, workflow_id)
    row = _one(ctx, workflow_id, workflow_email_id)
    if not row.settings.get("subject_line"):
        raise refuse(400, "Your automation is not ready to be started: each email needs a subject line.")
    ctx.db.update(row, status="sending", start_time=row.start_time or times.now(ctx))
    return done(ctx, workflow_email_id=row.id, status=row.status)


@app.post(_EMAIL + "/actions/pause", tool="pause_automation_email", effect="transition", mcp=False, status=204)
def pause_automation_email(ctx: Ctx, workflow_id: WorkflowId, workflow_email_id: EmailId) -> Any:
    """Pauses an e-mail of an automation."""
    row = ctx.db.update(_one(ctx, workflow_id, workflow_email_id), status="paused")
    return done(ctx, workflow_email_id=row.id, status=row.status)


# Who is in the queue, and who was taken out


def _queued(ctx: Ctx, row: AutomationEmail, entry: QueueEntry) -> dict[str, Any]:
    member = ctx.require(Member, entry.contact_id)
    path = f"/automations/{row.automation_id}/emails/{row.id}/queue/{member.id}"
    return {
        "id": member.id, "workflow_id": row.automation_id, "email_id": row.id, "list_id": member.list_id,
        "email_address": member.email_address, "next_send": entry.next_send,
        "_links": links(ctx, path, "Automations/Emails/Queue"),
    }  # fmt: skip


@app.get(_EMAIL + "/queue", tool="list_automation_queue", mcp=False)
def list_automation_queue(ctx: Ctx, workflow_id: WorkflowId, workflow_email_id: EmailId) -> dict[str, Any]:
    """Lists who is going to get an e-mail of an automation."""
    row = _one(ctx, workflow_id, workflow_email_id)
    rows = ctx.db.find(QueueEntry, email_id=row.id)
    path = f"/automations/{workflow_id}/emails/{row.id}/queue"
    return collection(
        ctx, "queue", rows, lambda e: _queued(ctx, row, e), len(rows), 0, path, "Automations/Emails/Queue", workflow_id=workflow_id,
        email_id=row.id,
    )  # fmt: skip


@app.post(_EMAIL + "/queue", tool="add_to_automation_queue", mcp=False)
def add_to_automation_queue(
    ctx: Ctx, workflow_id: WorkflowId, workflow_email_id: EmailId, email_address: Email
) -> dict[str, Any]:
    """Puts a subscriber into the queue of an automation's e-mail, as its API trigger.

    email_address: The subscriber's address.
    """
    row, flow = _one(ctx, workflow_id, workflow_email_id), _running(ctx, workflow_id)
    member = people.lookup(ctx, flow.list_id, email_address)
    if member is None or member.status != "subscribed":
        raise refuse(400, f"{email_address} is not subscribed to the list of this automation.")
    if ctx.db.get(RemovedSubscriber, (flow.id, member.contact_id)):
        raise refuse(400, f"{email_address} was removed from this automation and cannot be added again.")
    if ctx.db.get(QueueEntry, (row.id, member.contact_id)):
        raise refuse(400, f"{email_address} is already in the queue of this email.")
    wait = {"hour": "hours", "week": "weeks"}.get(row.delay.get("type", "day"), "days")
    amount = 0 if row.delay.get("type") == "now" else row.delay.get("amount", 0)
    when = times.later(times.now(ctx), **{wait: amount})
    return _queued(ctx, row, ctx.db.add(QueueEntry(email_id=row.id, contact_id=member.contact_id, next_send=when)))


@app.get(_EMAIL + "/queue/{subscriber_hash}", tool="get_automation_queue_entry", mcp=False)
def get_automation_queue_entry(
    ctx: Ctx, workflow_id: WorkflowId, workflow_email_id: EmailId, subscriber_hash: Hash
) -> dict[str, Any]:
    """Tells when a subscriber is going to get an e-mail of an automation."""
    row = _one(ctx, workflow_id, workflow_email_id)
    member = people.find(ctx, ctx.require(Automation, workflow_id).list_id, subscriber_hash)
    return _queued(ctx, row, ctx.require(QueueEntry, (row.id, member.contact_id)))


def _removed(ctx: Ctx, flow: Automation, member: Member) -> dict[str, Any]:
    path = f"/automations/{flow.id}/removed-subscribers/{member.id}"
    return {
        "id": member.id, "workflow_id": flow.id, "list_id": flow.list_id, "email_address": member.email_address,
        "_links": links(ctx, path, "Automations/RemovedSubscribers"),
    }  # fmt: skip


@app.get("/automations/{workflow_id}/removed-subscribers", tool="list_automation_removed", mcp=False)
def list_automation_removed(ctx: Ctx, workflow_id: WorkflowId) -> dict[str, Any]:
    """Lists who was taken out of an automation."""
    flow = ctx.require(Automation, workflow_id)
    rows = [
        _removed(ctx, flow, ctx.require(Member, r.contact_id))
        for r in ctx.db.find(RemovedSubscriber, automation_id=flow.id)
    ]
    path = f"/automations/{flow.id}/removed-subscribers"
    return {
        "subscribers": rows,
        "workflow_id": flow.id,
        "total_items": len(rows),
        "_links": links(ctx, path, "Automations"),
    }


@app.post("/automations/{workflow_id}/removed-subscribers", tool="remove_from_automation", mcp=False)
def remove_from_automation(ctx: Ctx, workflow_id: WorkflowId, email_address: Email) -> dict[str, Any]:
    """Takes a subscriber out of an automation, for good.

    email_address: The subscriber's address.
    """
    flow = ctx.require(Automation, workflow_id)
    member = people.find(ctx, flow.list_id, email_address)
    if ctx.db.get(RemovedSubscriber, (flow.id, member.contact_id)) is None:
        ctx.db.add(RemovedSubscriber(automation_id=flow.id, contact_id=member.contact_id))
    for email in ctx.db.find(AutomationEmail, automation_id=flow.id):
        ctx.db.delete_where(QueueEntry, email_id=email.id, contact_id=member.contact_id)
    return _removed(ctx, flow, member)


@app.get("/automations/{workflow_id}/removed-subscribers/{subscriber_hash}", tool="get_automation_removed", mcp=False)
def get_automation_removed(ctx: Ctx, workflow_id: WorkflowId, subscriber_hash: Hash) -> dict[str, Any]:
    """Tells whether a subscriber was taken out of an automation."""
    flow = ctx.require(Automation, workflow_id)
    member = people.find(ctx, flow.list_id, subscriber_hash)
    ctx.require(RemovedSubscriber, (flow.id, member.contact_id))
    return _removed(ctx, flow, member)
