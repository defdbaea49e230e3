"""Text messages and calls over the company's own numbers."""

from abc import abstractmethod
from typing import ClassVar, Literal

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks


class PhoneNumber(Entity):
    """A number that the company owns, in E.164."""

    number: str
    label: str = ""
    sms: bool = True
    voice: bool = True
    created: str = ""


class TextMessage(Entity):
    """A text message. Numbers are E.164."""

    sender: str
    to: str
    body: str
    inbound: bool = False
    status: Literal["delivered", "undelivered", "failed", "received", "sent", "queued"] = "delivered"
    at: str = ""


class Call(Entity):
    """A call that is over, or going on."""

    caller: str
    to: str
    inbound: bool = False
    status: Literal["completed", "busy", "no_answer", "failed", "in_progress"] = "completed"
    seconds: int = 0
    at: str = ""


class SmsVoice(Capability):
    name = "sms_voice"
    entities: ClassVar[tuple[type[Entity], ...]] = (PhoneNumber, TextMessage, Call)

    @abstractmethod
    def send_message(self, sender: str, to: str, body: str) -> Plan: ...
    @abstractmethod
    def get_message(self, message_id: str) -> Plan: ...
    @abstractmethod
    def list_numbers(self) -> Plan: ...
    @abstractmethod
    def place_call(self, caller: str, to: str) -> Plan: ...
    @abstractmethod
    def end_call(self, call_id: str) -> Plan: ...
    @abstractmethod
    def list_call_records(self) -> Plan: ...

    def list_messages(self, other: str) -> Plan:
        """The texts to and from somebody's number."""
        return lacks(self, "list_messages")
