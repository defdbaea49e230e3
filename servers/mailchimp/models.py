"""The account's tables. Times are ISO 8601 in UTC with an offset, as Mailchimp writes them.

A contact keeps its `contact_id` for good; its `id` is the MD5 of its address and changes with it. Tags are static segments.
"""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry

Status = Literal["subscribed", "unsubscribed", "cleaned", "pending", "transactional", "archived"]
MergeType = Literal[
    "text", "number", "address", "phone", "date", "url", "imageurl", "radio", "dropdown", "birthday", "zip"
]
CategoryType = Literal["checkboxes", "dropdown", "radio", "hidden"]
CampaignType = Literal["regular", "plaintext", "absplit", "rss", "variate"]
CampaignStatus = Literal["save", "paused", "schedule", "sending", "sent", "canceled", "canceling", "archived"]
AutomationStatus = Literal["save", "paused", "sending", "archived"]


class Table(Row, registry=registry()):
    """The base of the app's tables."""


class Account(Table, table=True):
    account_id: str = Field(primary_key=True)
    login_id: str
    account_name: str
    email: str
    first_name: str
    last_name: str
    username: str
    member_since: str
    account_timezone: str
    account_industry: str
    contact: dict[str, Any]


class Audience(Table, table=True):
    __tablename__ = "list"  # pyright: ignore[reportAssignmentType]
    id: str = Field(primary_key=True)
    web_id: int
    name: str
    contact: dict[str, Any]
    permission_reminder: str = ""
    use_archive_bar: bool = True
    campaign_defaults: dict[str, Any]
    notify_on_subscribe: str = ""
    notify_on_unsubscribe: str = ""
    date_created: str
    email_type_option: bool = False
    double_optin: bool = False
    marketing_permissions: bool = False
    has_welcome: bool = False
    visibility: Literal["pub", "prv"] = "prv"


class Member(Table, table=True):
    contact_id: str = Field(primary_key=True)
    list_id: str = Field(foreign_key="list.id", index=True)
    id: str = Field(index=True)
    unique_email_id: str
    web_id: int
    email_address: str
    email_type: str = "html"
    status: Status
    unsubscribe_reason: str = Field(default="", derived=True)
    compliance: bool = Field(default=False, derived=True)
    """They left by themselves, or their address bounced: only they can put themselves back on the list."""
    merge_fields: dict[str, Any] = {}
    interests: dict[str, bool] = {}
    language: str = ""
    vip: bool = False
    location: dict[str, Any] = {}
    marketing_permissions: list[dict[str, Any]] = []
    ip_signup: str = ""
    timestamp_signup: str = ""
    ip_opt: str = ""
    timestamp_opt: str = Field(default="", derived=True)
    unsubscribed_at: str = Field(default="", derived=True)
    last_changed: str = Field(derived=True)
    source: str = "API - Generic"


class Forgotten(Table, table=True):
    """An address that was deleted for good, known by its hash alone."""

    hidden_table: ClassVar[bool] = True  # to be told only by adding the address, which is refused

    list_id: str = Field(primary_key=True, foreign_key="list.id")
    email_hash: str = Field(primary_key=True)


class Note(Table, table=True):
    id: int = Field(primary_key=True)
    contact_id: str = Field(foreign_key="member.contact_id", index=True)
    note: str
    created_by: str
    created_at: str
    updated_at: str = Field(derived=True)


class Event(Table, table=True):
    id: int = Field(primary_key=True)
    contact_id: str = Field(foreign_key="member.contact_id", index=True)
    name: str
    properties: dict[str, Any] = {}
    is_syncing: bool = False
    occurred_at: str


class Segment(Table, table=True):
    id: int = Field(primary_key=True)
    list_id: str = Field(foreign_key="list.id", index=True)
    name: str
    type: Literal["saved", "static"]
    options: dict[str, Any] = {}
    created_at: str
    updated_at: str = Field(derived=True)


class SegmentMember(Table, table=True):
    segment_id: int = Field(primary_key=True, foreign_key="segment.id")
    contact_id: str = Field(primary_key=True, foreign_key="member.contact_id", index=True)
    date_added: str = Field(derived=True)


class MergeField(Table, table=True):
    list_id: str = Field(primary_key=True, foreign_key="list.id")
    merge_id: int = Field(primary_key=True)
    tag: str
    name: str
    type: MergeType
    required: bool = False
    default_value: str = ""
    public: bool = False
    display_order: int
    options: dict[str, Any] = {}
    help_text: str = ""


class InterestCategory(Table, table=True):
    id: str = Field(primary_key=True)
    list_id: str = Field(foreign_key="list.id", index=True)
    title: str
    type: CategoryType
    display_order: int = 0


class Interest(Table, table=True):
    id: str = Field(primary_key=True)
    category_id: str = Field(foreign_key="interestcategory.id", index=True)
    list_id: str = Field(foreign_key="list.id", index=True)
    name: str
    display_order: int = 0


class Webhook(Table, table=True):
    id: str = Field(primary_key=True)
    list_id: str = Field(foreign_key="list.id", index=True)
    url: str
    events: dict[str, bool]
    sources: dict[str, bool]


class Folder(Table, table=True):
    id: str = Field(primary_key=True)
    kind: Literal["campaign", "template"]
    name: str


class Template(Table, table=True):
    id: int = Field(primary_key=True)
    name: str
    type: Literal["user", "base", "gallery"] = "user"
    html: str
    folder_id: str = ""
    category: str = ""
    drag_and_drop: bool = False
    responsive: bool = True
    created_by: str = ""
    date_created: str
    date_edited: str = Field(derived=True)
    edited_by: str = Field(default="", derived=True)


class Campaign(Table, table=True):
    id: str = Field(primary_key=True)
    web_id: int
    type: CampaignType
    status: CampaignStatus = "save"
    list_id: str | None = Field(default=None, foreign_key="list.id", index=True)
    segment_opts: dict[str, Any] = {}
    settings: dict[str, Any]
    tracking: dict[str, Any]
    variate_settings: dict[str, Any] = {}
    rss_opts: dict[str, Any] = {}
    social_card: dict[str, Any] = {}
    content_type: str = "template"
    html: str = ""
    plain_text: str = ""
    variate_contents: list[dict[str, Any]] = []
    parent_campaign_id: str = ""
    create_time: str
    send_time: str = ""
    emails_sent: int = 0
    counts: dict[str, int] = Field(default={}, derived=True)
    """What is known of a mailing sent before the account's records of single contacts: opened, clicked, bounced, unsubscribed."""


class Delivery(Table, table=True):
    """A mailing as one contact got it, and what they did or will do with it; later than now has not happened yet."""

    derived_table: ClassVar[bool] = True
    campaign_id: str = Field(primary_key=True, foreign_key="campaign.id")
    contact_id: str = Field(primary_key=True, foreign_key="member.contact_id", index=True)
    status: Literal["sent", "hard", "soft"] = "sent"
    opened_at: str | None = None
    opens: int = 0
    clicked_at: str | None = None
    url: str = ""
    unsubscribed_at: str | None = None


class TestEmail(Table, table=True):
    __test__: ClassVar[bool] = False
    hidden_table: ClassVar[bool] = True  # an outbox
    id: int = Field(primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id", index=True)
    test_emails: list[str]
    send_type: Literal["html", "plaintext"]
    sent_at: str


class Feedback(Table, table=True):
    feedback_id: int = Field(primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id", index=True)
    parent_id: int = 0
    block_id: int = 0
    message: str
    is_complete: bool = False
    created_by: str
    created_at: str
    updated_at: str = Field(derived=True)
    source: Literal["api", "web", "email", "sms", "ios", "android"] = "api"


class Automation(Table, table=True):
    id: str = Field(primary_key=True)
    status: AutomationStatus = "save"
    list_id: str = Field(foreign_key="list.id", index=True)
    store_id: str = ""
    settings: dict[str, Any]
    workflow_type: str
    create_time: str
    start_time: str = ""


class AutomationEmail(Table, table=True):
    id: str = Field(primary_key=True)
    automation_id: str = Field(foreign_key="automation.id", index=True)
    web_id: int
    position: int
    status: Literal["save", "paused", "sending"] = "save"
    delay: dict[str, Any]
    settings: dict[str, Any]
    html: str = ""
    create_time: str
    start_time: str = ""


class QueueEntry(Table, table=True):
    email_id: str = Field(primary_key=True, foreign_key="automationemail.id")
    contact_id: str = Field(primary_key=True, foreign_key="member.contact_id", index=True)
    next_send: str


class RemovedSubscriber(Table, table=True):
    automation_id: str = Field(primary_key=True, foreign_key="automation.id")
    contact_id: str = Field(primary_key=True, foreign_key="member.contact_id", index=True)


class LandingPage(Table, table=True):
    id: str = Field(primary_key=True)
    web_id: int
    name: str = ""
    title: str = ""
    description: str = ""
    list_id: str = ""
    store_id: str = ""
    status: Literal["draft", "published", "unpublished"] = "draft"
    template_id: int | None = None
    tracking: dict[str, Any] = {}
    created_at: str
    updated_at: str = Field(derived=True)
    published_at: str = Field(default="", derived=True)
    unpublished_at: str = Field(default="", derived=True)


class Batch(Table, table=True):
    """Calls that were made together; what they did is in the other tables."""

    derived_table: ClassVar[bool] = True
    id: str = Field(primary_key=True)
    status: Literal["pending", "preprocessing", "started", "finalizing", "finished"] = "finished"
    total_operations: int
    errored_operations: int
    submitted_at: str
    completed_at: str
    results: list[dict[str, Any]]
