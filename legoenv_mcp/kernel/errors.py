"""Errors an app raises, and what validation found wrong with a call's arguments."""

import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

ProblemKind = Literal["missing", "unknown", "type", "enum", "range", "length", "format", "null", "invalid"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with the arguments. `path` is the parameter's wire name and what lies below it, e.g. ("items", 0, "price").

    `tool` is the operation that was called.
    """

    path: tuple[str | int, ...]
    kind: ProblemKind
    message: str
    value: Any = None
    context: Mapping[str, Any] | None = None
    tool: str = ""

    @property
    def name(self) -> str:
        """The parameter in dotted form: `items.0.price`."""
        return ".".join(map(str, self.path))


class ApiError(Exception):
    """A refusal in the product's own terms; the app's `envelope` turns it into the vendor's body.

    `status` is what the error means (4xx the caller's, 5xx ours). `wire_status` is the HTTP status sent where the product
    answers another one, as Slack's 200. Any further keyword is for the envelope:
    `ApiError(404, "No such customer", code="resource_missing")`;
    `shown` is what the MCP face shows as text instead of the envelope, for products that have only that face.
    """

    def __init__(
        self,
        status: int,
        message: str = "",
        *,
        wire_status: int | None = None,
        headers: Mapping[str, str] | None = None,
        **info: Any,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.wire_status = wire_status or status
        self.headers = dict(headers or {})
        self.info = info

    def __getattr__(self, name: str) -> Any:
        """`error.code` is the keyword `code`, or None where it was not given."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__.get("info", {}).get(name)


class StorageError(OSError):
    """An episode's database cannot be opened or written: the disk is full or read-only, or the process is out of files.

    `retry`: whether it may well work in a moment.
    """

    def __init__(self, message: str, *, retry: bool = False) -> None:
        super().__init__(message)
        self.retry = retry


class KernelFault(Exception):
    """Our own fault, never the caller's: an app broke a rule of the kernel (a read that wrote, a stray write). Becomes a 500."""


_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full, or the database as large as one may be",
    sqlite3.SQLITE_READONLY: "the folder is read-only",
    sqlite3.SQLITE_IOERR: "the disk did not take a write",
    sqlite3.SQLITE_CANTOPEN: "a file cannot be opened",
}


def reason(error: Exception) -> str:
    """Why storage failed, in words; empty where this is no failure of storage."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    code = getattr(error, "sqlite_errorcode", None)
    return _REASONS.get(code & 0xFF, "") if isinstance(code, int) else ""


def unusable(error: Exception) -> StorageError:
    """A failure of the file system as what it means for the episode. The message names no path: callers may see it."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return StorageError("The process has no more files to open.", retry=True)
    return StorageError(f"The episode's storage cannot be used: {reason(error) or error}.")
