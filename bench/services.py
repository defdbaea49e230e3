"""The products compared over REST: the same three requests of each, as its API documents them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bench.connection import Connection, Unexpected, request


@dataclass(frozen=True, slots=True)
class Service:
    """One product. In paths and bodies, `{place}` is `ours` or `theirs` and `{id}` the first row of the list."""

    name: str
    read: tuple[str, str, str]
    list: tuple[str, str, str]
    write: tuple[str, str, str]
    """Each: method, path, body."""
    rows: str
    """Where the list's rows are in its answer: a member's name, or nothing where they are the answer."""
    id: str
    """Which member of a row identifies it."""
    ours: str = ""
    theirs: str = ""
    """Where each side keeps what is asked for: a repository."""
    encoding: str = "application/json"

    async def requests(self, connection: Connection, base: str, place: str) -> Mapping[str, Sequence[bytes]]:
        """The three requests, made out for what this side's state holds, each as several callers make it."""
        rows = await self._rows(connection, base, place)
        row = str(rows[0][self.id]) if rows else ""
        return {
            kind: [self._made(base, getattr(self, kind), place, row, token) for token in TOKENS]
            for kind in ("read", "list", "write")
        }

    async def first(self, connection: Connection, base: str, place: str) -> None:
        """The first request to a new server: the list."""
        await self._rows(connection, base, place)

    async def _rows(self, connection: Connection, base: str, place: str) -> Any:
        answer = await connection.send(self._made(base, self.list, place, ""))
        if answer.status != 200 or answer.body.startswith(b'{"ok":false'):
            raise Unexpected(f"{self.list[1]}: {answer.status} {answer.body[:300]!r}")
        found = answer.json()
        return found[self.rows] if self.rows else found

    def _made(self, base: str, asked: tuple[str, str, str], place: str, row: str, token: str = "token-0") -> bytes:
        method, path, body = (part.replace("{place}", place).replace("{id}", row) for part in asked)
        return request(method, base + quote(path, safe="/?&=_"), headers(self.encoding, token), body.encode())


TOKENS = [f"token-{n}" for n in range(20)]
"""emulate lets a token make 5,000 requests an hour."""


def headers(encoding: str, token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}", "content-type": encoding, "accept": "application/json"}


FORM = "application/x-www-form-urlencoded"
SERVICES = (
    Service(
        "stripe",
        read=("GET", "/v1/customers/{id}", ""),
        list=("GET", "/v1/customers?limit=20", ""),
        write=("POST", "/v1/customers", "name=New&email=new%40example.com"),
        rows="data",
        id="id",
        encoding=FORM,
    ),
    Service(
        "github",
        read=("GET", "/repos/{place}/issues/{id}", ""),
        list=("GET", "/repos/{place}/issues?state=all&per_page=20", ""),
        write=("POST", "/repos/{place}/issues", '{"title": "New"}'),
        rows="",
        id="number",
        ours="quaymark/tracker-api",
        theirs="octocat/shelf",
    ),
    Service(
        "slack",
        read=("POST", "/api/conversations.info", "channel={id}"),
        list=("POST", "/api/conversations.list", "limit=20"),
        write=("POST", "/api/chat.postMessage", "channel={id}&text=New"),
        rows="channels",
        id="id",
        encoding=FORM,
    ),
)
