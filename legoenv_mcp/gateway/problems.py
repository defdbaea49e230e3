"""Refusals of the gateway itself, as problem documents (RFC 9457)."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from legoenv_mcp.kernel.errors import StorageError

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """A refusal. `kind` names it for programs, in the document's `type`; further members go into the document as they are."""

    def __init__(
        self, status: int, kind: str, detail: str, *, headers: Mapping[str, str] | None = None, **members: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.headers = dict(headers or {})
        self.members = members

    def document(self) -> dict[str, Any]:
        title = HTTPStatus(self.status).phrase
        return {
            "type": f"urn:legoenv:problem:{self.kind}",
            "title": title,
            "status": self.status,
            "detail": self.detail,
            **self.members,
        }

    def body(self) -> bytes:
        return json.dumps(self.document(), ensure_ascii=False).encode("utf-8", "backslashreplace")


def unauthorized() -> Problem:
    return Problem(401, "unauthorized", "A valid bearer token is needed here.", headers={"WWW-Authenticate": "Bearer"})


def unknown_path() -> Problem:
    return Problem(404, "unknown-path", "There is nothing at this path.")


def unknown_episode() -> Problem:
    return Problem(
        404, "unknown-episode", "There is no such episode: it never was, was deleted, or was idle for too long."
    )


def too_large(limit: int) -> Problem:
    return Problem(413, "too-large", f"The request body is larger than {limit} bytes.")


def storage(error: StorageError) -> Problem:
    """503 where it may work in a moment, else 507."""
    if error.retry:
        return Problem(503, "out-of-files", str(error), headers={"Retry-After": "1"})
    return Problem(507, "storage", str(error))


def late(seconds: float) -> Problem:
    return Problem(408, "request-timeout", f"The request was not all there after {seconds:.0f} seconds.")


def too_many_connections() -> Problem:
    return Problem(
        503, "too-many-connections", "There are too many connections: close some, or come back.", headers={"Retry-After": "1"}
    )  # fmt: skip


def internal() -> Problem:
    return Problem(500, "internal", "The gateway failed; its log says how.")
