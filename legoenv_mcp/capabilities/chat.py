"""Chat: channels and messages of the company's people."""

from abc import abstractmethod
from typing import ClassVar

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks
from legoenv_mcp.capabilities.people import Person


class Channel(Entity):
    """A channel. `members` and `creator` are Person keys; a direct conversation has `direct` set and no name."""

    name: str = ""
    purpose: str = ""
    topic: str = ""
    private: bool = False
    archived: bool = False
    direct: bool = False
    members: tuple[str, ...] = ()
    creator: str = ""
    created: str = ""


class Message(Entity):
    """A message. `channel`, `author` are keys; `thread` is the key of the message it replies to; reactions are `emoji:person`."""

    channel: str
    author: str = ""
    text: str
    at: str = ""
    thread: str = ""
    reactions: tuple[str, ...] = ()
    pinned: bool = False


class Chat(Capability):
    name = "chat"
    entities: ClassVar[tuple[type[Entity], ...]] = (Person, Channel, Message)

    @abstractmethod
    def list_channels(self) -> Plan: ...
    @abstractmethod
    def list_messages(self, channel_id: str) -> Plan: ...
    @abstractmethod
    def send_message(self, channel_id: str, text: str) -> Plan: ...
    @abstractmethod
    def reply_in_thread(self, channel_id: str, message_id: str, text: str) -> Plan: ...
    @abstractmethod
    def add_reaction(self, channel_id: str, message_id: str, emoji: str) -> Plan: ...
    @abstractmethod
    def share_file(self, channel_id: str, name: str, content: str) -> Plan: ...
    @abstractmethod
    def remove_participant(self, channel_id: str, person_id: str) -> Plan: ...
    @abstractmethod
    def create_channel(self, name: str) -> Plan: ...
    def list_people(self) -> Plan:
        return lacks(self, "list_people")

    def add_participant(self, channel_id: str, person_id: str) -> Plan:
        return lacks(self, "add_participant")
