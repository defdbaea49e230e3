"""Ctx: what an operation may touch: its rows, the episode's clock, the vendor-format ids, who the caller is."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json

from legoenv_mcp.kernel import ids, pages
from legoenv_mcp.kernel.errors import ApiError, KernelFault
from legoenv_mcp.kernel.pages import Page
from legoenv_mcp.kernel.rows import Row
from legoenv_mcp.kernel.store import Store

if TYPE_CHECKING:
    from legoenv_mcp.kernel.app import App
    from legoenv_mcp.kernel.episode import LiveApp
    from legoenv_mcp.kernel.operations import Operation

R = TypeVar("R", bound=Row)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """The HTTP request behind a call on the REST face; on the MCP face its mappings are empty. Header names are lower case.

    `base` is the address under which the app's REST face is mounted, without a trailing slash: links in answers start with it.
    """

    method: str = ""
    path: str = ""
    url: str = ""
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    base: str = ""


@dataclass(slots=True)
class Reply:
    """A call's outcome. `body` is JSON data, text or bytes; `error` marks the vendor's error envelope.

    `status` is what the outcome means, `wire_status` what HTTP carries (they differ for products that answer errors with 200).
    `media_type` is set where the body is text or bytes of that type; `shown` is what the MCP face shows as text instead of the JSON;
    `blocks` are MCP content blocks to show instead of any text (images, embedded files).
    `keep` commits what an error's call wrote, for the few refusals that leave a record (a declined card, say).
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    error: bool = False
    wire_status: int = 0
    media_type: str = ""
    keep: bool = False
    shown: str | None = None
    blocks: list[dict[str, Any]] | None = None

    def text(self) -> str:
        """The body as text: JSON unless it is text already."""
        if self.shown is not None:
            return self.shown
        if isinstance(self.body, bytes):
            return self.body.decode("utf-8", "replace")
        return self.body if isinstance(self.body, str) and self.media_type else as_json(self.body).decode()


def as_json(data: Any) -> bytes:
    """Data as JSON. An answer may quote what it was asked, also text that is no Unicode: what is wrong with that is replaced."""
    try:
        return to_json(data)
    except ValueError:
        return to_json(readable(data))


def readable(data: Any) -> Any:
    """The data with every text that is no Unicode (lone surrogates) made one that can be sent."""
    if isinstance(data, str):
        return data if data.isascii() else data.encode("utf-8", "replace").decode()
    if isinstance(data, Mapping):
        return {readable(k): readable(v) for k, v in data.items()}
    return [readable(v) for v in data] if isinstance(data, (list, tuple)) else data


class Ctx:
    """One call's view of its app. Made by the dispatcher; apps only use it."""

    def __init__(
        self, live: "LiveApp", operation: "Operation | None", args: BaseModel | None, request: Request
    ) -> None:
        self._live = live
        self.operation = operation
        self.args = args
        self.request = request
        self._once = dict[Hashable, Any]()

    # Rows

    @property
    def db(self) -> Store:
        """The app's rows in this episode."""
        return self._live.store

    @property
    def app(self) -> "App":
        return self._live.app

    def require(self, cls: type[R], key: Any) -> R:
        """The row with this key; the app's `not_found` error where there is none."""
        row = self.db.get(cls, key)
        if row is None:
            raise self.app.not_found(cls.__name__, key)
        return row

    def page(self, cls: type[R], *, limit: int, cursor: str | None = None, order: str = "", **filters: Any) -> Page[R]:
        """A slice of the rows that pass the filters, from an opaque cursor on (see Store for filters and order)."""
        offset = pages.decode_cursor(cursor, cls.__name__) if cursor else 0
        rows = self.db.find(cls, order=order, limit=limit + 1, offset=offset, **filters)
        more = len(rows) > limit
        made = Page(rows[:limit], offset=offset, limit=limit, more=more)
        made.cursor = pages.encode_cursor(offset + limit, cls.__name__) if more else None
        return made

    def sent(self) -> dict[str, Any]:
        """The parameters that the caller gave, validated, without those of the path and the headers."""
        if self.args is None or self.operation is None:
            return {}
        params, values = self.operation.params, self.args.__dict__
        return {
            n: values[n]
            for n in params
            if n in self.args.model_fields_set and params[n].where not in ("path", "header")
        }

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What a reading call has made before under this key, for what stands in an answer many times. A call that writes makes it each
        time, as what it rests on may have changed."""
        if self.operation is None or not self.operation.reads:
            return make()
        if key not in self._once:
            self._once[key] = make()
        return self._once[key]

    # Clock: now = epoch + step * (this app's writes). Reading it moves nothing.

    @property
    def now(self) -> datetime:
        """The app's time (UTC): a writing call sees the moment it will have written at."""
        writes = self._live.write_count + (0 if self.operation is not None and self.operation.reads else 1)
        return self._live.epoch + timedelta(seconds=self._live.step * writes)

    def timestamp(self, spec: str = "seconds") -> str:
        """Now as RFC 3339 in UTC with a Z; `spec` is datetime.isoformat's timespec."""
        return self.now.isoformat(timespec=spec).replace("+00:00", "Z")

    def epoch(self) -> int:
        """Now in whole seconds since 1970."""
        return int(self.now.timestamp())

    # Ids and randomness, all drawn from the episode's seed; a read may draw none.

    def _next(self, kind: str) -> int:
        if self.operation is not None and self.operation.reads:
            raise KernelFault(f"{self.app.slug}.{self.operation.tool}: a read drew an id ({kind})")
        return self._live.next(kind)

    def id(self, prefix: str, length: int, alphabet: str = ids.BASE62, kind: str = "") -> str:
        """The next id of a kind (by default named by the prefix): the prefix and `length` characters of the alphabet."""
        kind = kind or prefix
        return prefix + ids.text(length, alphabet, self._live.seed, self.app.slug, kind, self._next(kind))

    def sequence(self, kind: str, start: int = 1, step: int = 1) -> int:
        """The next whole number of a kind: start, start + step ..."""
        return start + step * (self._next(kind) - 1)

    def integer(self, kind: str, low: int, high: int) -> int:
        """The next scattered number of a kind between low and high, both included."""
        return ids.integer(low, high, self._live.seed, self.app.slug, kind, self._next(kind))

    def uuid(self, kind: str = "uuid") -> str:
        """The next UUID (version 4) of a kind."""
        return ids.uuid4(self._live.seed, self.app.slug, kind, self._next(kind))

    # Who and what

    @property
    def agent(self) -> str:
        """The world key of the person on whose behalf calls are made."""
        return self._live.agent

    def ref(self, entity: type[BaseModel] | str, key: str) -> str:
        """The app's id of a world's entity, by its key; KeyError where the world filled none."""
        found = self._live.refs(entity if isinstance(entity, str) else entity_name(entity)).get(key)
        if found is None:
            raise KeyError(
                f"{entity_name(entity) if not isinstance(entity, str) else entity} {key!r} is not in this world"
            )
        return found

    def has_ref(self, entity: type[BaseModel] | str, key: str) -> bool:
        return key in self._live.refs(entity if isinstance(entity, str) else entity_name(entity))

    def refusal(self, error: ApiError) -> Reply:
        """An error to return rather than raise, so that what the call wrote is kept: a declined charge leaves its record."""
        reply = self.app.refusal(error)
        reply.keep = True
        return reply

    # Calls within a call (batch and composite endpoints)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """Another operation of the app inside this call's transaction: if it is refused, only its own writes are undone."""
        return self._live.nested(self, tool, arguments)

    def send(self, request: Request, body: bytes | None = None) -> Reply:
        """The same by HTTP method, path, query and headers, as a batch endpoint gets its parts."""
        return self._live.nested_request(self, request, body)

    @staticmethod
    def parse_time(text: str) -> datetime:
        """An RFC 3339 or ISO 8601 time as an aware datetime (UTC where no offset is given). ValueError where it is neither."""
        made = datetime.fromisoformat(text)
        return made if made.tzinfo else made.replace(tzinfo=UTC)


def entity_name(entity: type[BaseModel]) -> str:
    """`crm.Deal` for legoenv_mcp.capabilities.crm.Deal."""
    return f"{entity.__module__.rsplit('.', 1)[-1]}.{entity.__name__}"
