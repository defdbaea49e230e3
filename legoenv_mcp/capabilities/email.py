"""E-mail: one mailbox, the agent's."""

from abc import abstractmethod
from typing import ClassVar

from pydantic import BaseModel

from legoenv_mcp.capabilities.base import Capability, Entity, Plan


class Attachment(BaseModel, frozen=True, extra="forbid"):
    """A file on a message; text content only."""

    name: str
    media_type: str = "text/plain"
    content: str = ""


class Folder(Entity):
    """A label or folder that the mailbox's owner made."""

    name: str


class Message(Entity):
    """A message of the mailbox. Addresses are `Name <a@b.c>` or bare; `date` is RFC 3339 UTC; `thread` is the thread's key.

    `box` is where it lies: inbox, sent, archive, drafts, trash or spam. `folders` are Folder names.
    """

    thread: str
    subject: str
    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    date: str
    body: str
    html: str = ""
    box: str = "inbox"
    folders: tuple[str, ...] = ()
    unread: bool = False
    starred: bool = False
    important: bool = False
    in_reply_to: str = ""
    attachments: tuple[Attachment, ...] = ()


class Email(Capability):
    name = "email"
    entities: ClassVar[tuple[type[Entity], ...]] = (Folder, Message)

    @abstractmethod
    def search_messages(self, text: str) -> Plan: ...
    @abstractmethod
    def get_message(self, message_id: str) -> Plan: ...
    @abstractmethod
    def send_message(self, to: str, subject: str, body: str) -> Plan: ...
    @abstractmethod
    def reply(self, message_id: str, body: str) -> Plan: ...
    @abstractmethod
    def save_draft(self, to: str, subject: str, body: str) -> Plan: ...
    @abstractmethod
    def file_message(self, message_id: str, folder: str) -> Plan: ...
    @abstractmethod
    def list_folders(self) -> Plan: ...
    @abstractmethod
    def mark_read(self, message_id: str) -> Plan: ...
    @abstractmethod
    def delete_message(self, message_id: str) -> Plan: ...
