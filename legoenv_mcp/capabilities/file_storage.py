"""File storage: a tree of folders and files."""

from abc import abstractmethod
from typing import ClassVar

from legoenv_mcp.capabilities.base import Capability, Entity, Plan


class Folder(Entity):
    """`path` is relative to the storage's root, parts joined by `/`."""

    path: str
    modified: str = ""


class File(Entity):
    """A text file. `path` is relative to the storage's root."""

    path: str
    content: str = ""
    modified: str = ""


class FileStorage(Capability):
    name = "file_storage"
    entities: ClassVar[tuple[type[Entity], ...]] = (Folder, File)

    @abstractmethod
    def list_folder(self, path: str) -> Plan: ...
    @abstractmethod
    def search_files(self, text: str) -> Plan: ...
    @abstractmethod
    def get_file_info(self, path: str) -> Plan: ...
    @abstractmethod
    def download_file(self, path: str) -> Plan: ...
    @abstractmethod
    def upload_file(self, path: str, content: str) -> Plan: ...
    @abstractmethod
    def create_folder(self, path: str) -> Plan: ...
    @abstractmethod
    def move_file(self, path: str, to: str) -> Plan: ...
