"""Marketing e-mail: audiences of subscribers, and campaigns sent to them."""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks


class Audience(Entity):
    """A list of subscribers."""

    name: str
    from_name: str = ""
    from_email: str = ""
    created: str = ""


class Subscriber(Entity):
    """An address on an audience."""

    audience: str
    email: str
    first_name: str = ""
    last_name: str = ""
    status: Literal["subscribed", "unsubscribed", "pending", "cleaned"] = "subscribed"
    tags: tuple[str, ...] = ()
    created: str = ""


class Campaign(Entity):
    """A mailing. Counts are of a sent one."""

    audience: str
    name: str
    subject: str
    body: str = ""
    status: Literal["draft", "scheduled", "sent"] = "draft"
    at: str = ""
    sent: int = 0
    opened: int = 0
    clicked: int = 0
    bounced: int = 0
    unsubscribed: int = 0
    created: str = ""


class MarketingEmail(Capability):
    name = "marketing_email"
    entities: ClassVar[tuple[type[Entity], ...]] = (Audience, Subscriber, Campaign)

    @abstractmethod
    def add_contact(self, audience_id: str, email: str, first_name: str, last_name: str) -> Plan: ...
    @abstractmethod
    def find_contact(self, email: str) -> Plan: ...
    @abstractmethod
    def update_contact(self, audience_id: str, email: str, **changes: Any) -> Plan:
        """Changes any of first_name, last_name."""

    @abstractmethod
    def unsubscribe_contact(self, audience_id: str, email: str) -> Plan: ...
    @abstractmethod
    def list_audiences(self) -> Plan: ...
    def list_contacts(self, audience_id: str) -> Plan:
        """Everybody on an audience, those who left it too."""
        return lacks(self, "list_contacts")

    def segment_contact(self, audience_id: str, email: str, tag: str) -> Plan:
        return lacks(self, "segment_contact")

    def create_campaign(self, audience_id: str, subject: str, body: str) -> Plan:
        return lacks(self, "create_campaign")

    def send_campaign(self, campaign_id: str) -> Plan:
        return lacks(self, "send_campaign")

    def get_campaign_report(self, campaign_id: str) -> Plan:
        return lacks(self, "get_campaign_report")
