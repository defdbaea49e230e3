"""Twilio's resources as rows. Times are ISO 8601 in UTC; what only the answer has (uris, links) is in `resources`."""

from typing import Any, ClassVar, Literal

from legoenv_mcp.app import Field, Row, registry


class Table(Row, registry=registry()):
    """The base of Twilio's tables."""


class Account(Table, table=True):
    """The account that everything belongs to. `opening_balance` is what it held before any recorded usage."""

    sid: str = Field(primary_key=True)
    friendly_name: str
    status: Literal["active", "suspended", "closed"] = "active"
    type: Literal["Full", "Trial"] = "Full"
    opening_balance: float = 500.0
    date_created: str
    date_updated: str = Field(derived=True)


class PastUse(Table, table=True):
    """What was used and is charged for, of a record that was deleted since (see `usage`)."""

    derived_table: ClassVar[bool] = True
    id: int = Field(primary_key=True)
    categories: list[str]
    day: str
    count: int
    usage: float
    price: float


class IncomingPhoneNumber(Table, table=True):
    """A number the account has bought. https://www.twilio.com/docs/phone-numbers/api/incomingphonenumber-resource"""

    sid: str = Field(primary_key=True)
    phone_number: str = Field(index=True)
    friendly_name: str
    iso_country: str
    type: Literal["local", "mobile", "toll-free"] = "local"
    sms: bool = True
    mms: bool = False
    voice: bool = True
    address_sid: str | None = None
    address_requirements: str = "none"
    bundle_sid: str | None = None
    identity_sid: str | None = None
    emergency_status: Literal["Active", "Inactive"] = "Inactive"
    emergency_address_sid: str | None = None
    trunk_sid: str | None = None
    voice_url: str | None = None
    voice_method: str = "POST"
    voice_fallback_url: str | None = None
    voice_fallback_method: str = "POST"
    voice_application_sid: str | None = None
    voice_caller_id_lookup: bool = False
    voice_receive_mode: str = "voice"
    sms_url: str | None = None
    sms_method: str = "POST"
    sms_fallback_url: str | None = None
    sms_fallback_method: str = "POST"
    sms_application_sid: str | None = None
    status_callback: str | None = None
    status_callback_method: str = "POST"
    date_created: str
    date_updated: str = Field(derived=True)


class OutgoingCallerId(Table, table=True):
    """A number of somebody's own that was verified, so that calls may show it."""

    sid: str = Field(primary_key=True)
    phone_number: str
    friendly_name: str
    date_created: str
    date_updated: str = Field(derived=True)


class Address(Table, table=True):
    """A postal address, which some countries ask for with a number."""

    sid: str = Field(primary_key=True)
    customer_name: str
    street: str
    street_secondary: str | None = None
    city: str
    region: str
    postal_code: str
    iso_country: str
    friendly_name: str | None = None
    emergency_enabled: bool = False
    date_created: str
    date_updated: str = Field(derived=True)


class Message(Table, table=True):
    """A text message. `status` is the one it settles in: only a scheduled message has its future before it (see `states`)."""

    sid: str = Field(primary_key=True)
    sender: str | None = Field(default=None, index=True)
    to: str = Field(index=True)
    body: str = ""
    direction: Literal["inbound", "outbound-api", "outbound-call", "outbound-reply"] = "outbound-api"
    status: Literal[
        "queued", "sending", "sent", "failed", "delivered", "undelivered", "received", "accepted", "scheduled", "read", "canceled"
    ]  # fmt: skip
    error_code: int | None = None
    num_segments: int = 1
    num_media: int = 0
    price: float | None = Field(default=None, derived=True)
    messaging_service_sid: str | None = None
    conversation_sid: str | None = None
    feedback: Literal["confirmed", "unconfirmed"] | None = None
    provide_feedback: bool = False
    date_created: str = Field(index=True)
    date_sent: str | None = None
    date_updated: str = Field(derived=True)


class Media(Table, table=True):
    """A file sent with a message."""

    sid: str = Field(primary_key=True)
    message_sid: str = Field(foreign_key="message.sid", index=True)
    content_type: str
    source_url: str
    date_created: str
    date_updated: str = Field(derived=True)


class OptOut(Table, table=True):
    """A recipient who texted STOP to a sender: a number, or the messaging service that it belongs to."""

    hidden_table: ClassVar[bool] = True  # no resource lists them: a message to one fails with 21610

    sender: str = Field(primary_key=True)
    contact: str = Field(primary_key=True)
    since: str


class Call(Table, table=True):
    """A phone call. One that is in progress is over as soon as the clock reaches `ends_at` (see `states`).

    How long it lasted and what it cost follow from when it ended, which is the clock's doing.
    """

    sid: str = Field(primary_key=True)
    sender: str
    to: str
    direction: Literal["inbound", "outbound-api", "outbound-dial"] = "outbound-api"
    status: Literal["queued", "ringing", "in-progress", "completed", "busy", "failed", "no-answer", "canceled"]
    parent_call_sid: str | None = None
    phone_number_sid: str | None = None
    duration: int | None = Field(default=None, derived=True)
    price: float | None = Field(default=None, derived=True)
    url: str | None = None
    twiml: str | None = None
    caller_name: str | None = None
    answered_by: str | None = None
    ends_at: str | None = Field(default=None, derived=True)
    date_created: str = Field(index=True)
    start_time: str | None = Field(default=None, index=True)
    end_time: str | None = Field(default=None, derived=True)
    date_updated: str = Field(derived=True)


class Recording(Table, table=True):
    """What was said in a call or a conference."""

    sid: str = Field(primary_key=True)
    call_sid: str | None = Field(default=None, index=True)
    conference_sid: str | None = None
    status: Literal["in-progress", "paused", "stopped", "completed"] = "in-progress"
    channels: int = 1
    source: str = "StartCallRecordingAPI"
    track: str = "both"
    duration: int | None = Field(default=None, derived=True)
    date_created: str = Field(index=True)
    start_time: str
    date_updated: str = Field(derived=True)


class Conference(Table, table=True):
    """A room that calls meet in."""

    sid: str = Field(primary_key=True)
    friendly_name: str
    status: Literal["init", "in-progress", "completed"] = "init"
    region: str = "us1"
    reason_conference_ended: str | None = None
    call_sid_ending_conference: str | None = None
    date_created: str = Field(index=True)
    date_updated: str = Field(derived=True)


class ConferenceParticipant(Table, table=True):
    """A call in a conference. Those that have left are kept as complete."""

    conference_sid: str = Field(primary_key=True, foreign_key="conference.sid")
    call_sid: str = Field(primary_key=True)
    label: str | None = None
    muted: bool = False
    hold: bool = False
    coaching: bool = False
    call_sid_to_coach: str | None = None
    start_conference_on_enter: bool = True
    end_conference_on_exit: bool = False
    status: Literal["connected", "complete"] = "connected"
    date_created: str
    date_updated: str = Field(derived=True)


class MessagingService(Table, table=True):
    """A pool of senders with common settings. https://www.twilio.com/docs/messaging/api/service-resource"""

    sid: str = Field(primary_key=True)
    friendly_name: str
    inbound_request_url: str | None = None
    inbound_method: str = "POST"
    fallback_url: str | None = None
    fallback_method: str = "POST"
    status_callback: str | None = None
    sticky_sender: bool = True
    mms_converter: bool = True
    smart_encoding: bool = True
    scan_message_content: str = "inherit"
    fallback_to_long_code: bool = True
    area_code_geomatch: bool = True
    validity_period: int = 36000
    synchronous_validation: bool = False
    usecase: str = "undeclared"
    use_inbound_webhook_on_number: bool = False
    date_created: str = Field(index=True)
    date_updated: str = Field(derived=True)


class ServiceNumber(Table, table=True):
    """A number in a messaging service's pool; a number is in one pool at most."""

    phone_number_sid: str = Field(primary_key=True)
    service_sid: str = Field(foreign_key="messagingservice.sid", index=True)
    date_created: str


class VerifyService(Table, table=True):
    """How codes are sent and checked. https://www.twilio.com/docs/verify/api/service"""

    sid: str = Field(primary_key=True)
    friendly_name: str
    code_length: int = 6
    lookup_enabled: bool = False
    skip_sms_to_landlines: bool = False
    dtmf_input_required: bool = True
    tts_name: str | None = None
    do_not_share_warning_enabled: bool = False
    custom_code_enabled: bool = False
    default_template_sid: str | None = None
    date_created: str = Field(index=True)
    date_updated: str = Field(derived=True)


class Verification(Table, table=True):
    """A code sent to somebody. `checks` counts the wrong answers, `sends` says when and how the code went out."""

    sid: str = Field(primary_key=True)
    service_sid: str = Field(foreign_key="verifyservice.sid", index=True)
    to: str = Field(index=True)
    channel: str
    status: Literal["pending", "approved", "canceled", "deleted"] = "pending"
    code: str
    checks: int = 0
    sends: list[dict[str, Any]] = Field(default_factory=list)
    amount: str | None = None
    payee: str | None = None
    date_created: str = Field(index=True)
    date_updated: str = Field(derived=True)


class Conversation(Table, table=True):
    """A thread over several channels. https://www.twilio.com/docs/conversations/api/conversation-resource"""

    sid: str = Field(primary_key=True)
    friendly_name: str | None = None
    unique_name: str | None = Field(default=None, index=True)
    attributes: str = "{}"
    state: Literal["active", "inactive", "closed"] = "active"
    messaging_service_sid: str | None = None
    next_index: int = Field(default=0, derived=True)
    date_created: str = Field(index=True)
    date_updated: str = Field(derived=True)


class ConversationParticipant(Table, table=True):
    """Somebody in a conversation: a chat identity, or a phone that is texted through one of the account's numbers."""

    sid: str = Field(primary_key=True)
    conversation_sid: str = Field(foreign_key="conversation.sid", index=True)
    identity: str | None = None
    address: str | None = None
    proxy_address: str | None = None
    attributes: str = "{}"
    role_sid: str
    last_read_message_index: int | None = None
    last_read_timestamp: str | None = None
    date_created: str
    date_updated: str = Field(derived=True)


class ConversationMessage(Table, table=True):
    """A message of a conversation; `texts` are the SIDs of the texts that carried it to phones."""

    sid: str = Field(primary_key=True)
    conversation_sid: str = Field(foreign_key="conversation.sid", index=True)
    index: int
    author: str = "system"
    participant_sid: str | None = None
    body: str | None = None
    subject: str | None = None
    attributes: str = "{}"
    texts: list[str] = Field(default_factory=list)
    date_created: str
    date_updated: str = Field(derived=True)
