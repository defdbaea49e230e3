"""Documents and notes: pages of text in a tree."""

from abc import abstractmethod
from typing import ClassVar

from legoenv_mcp.capabilities.base import Capability, Entity, Plan, lacks
from legoenv_mcp.capabilities.people import Person


class Document(Entity):
    """A page. `body` is Markdown; `parent` another Document's key or empty for the top level; `author` a Person's key."""

    title: str
    body: str = ""
    parent: str = ""
    author: str = ""
    created: str = ""
    updated: str = ""


class DocsNotes(Capability):
    name = "docs_notes"
    entities: ClassVar[tuple[type[Entity], ...]] = (Person, Document)

    @abstractmethod
    def search_documents(self, text: str) -> Plan: ...
    @abstractmethod
    def get_document(self, document_id: str) -> Plan: ...
    @abstractmethod
    def create_document(self, title: str, body: str, parent_id: str = "") -> Plan: ...
    @abstractmethod
    def update_document(self, document_id: str, body: str) -> Plan:
        """Appends a paragraph of text."""

    @abstractmethod
    def delete_document(self, document_id: str) -> Plan: ...
    def list_documents(self) -> Plan:
        return lacks(self, "list_documents")

    def comment(self, document_id: str, body: str) -> Plan:
        return lacks(self, "comment")
