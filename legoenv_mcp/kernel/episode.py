"""LiveApp, Episode: an app being lived in, and all apps of one run."""

import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_core import from_json, to_json, to_jsonable_python

from legoenv_mcp.kernel.bounds import TookTooLong, bounded
from legoenv_mcp.kernel.context import Ctx, Reply, Request
from legoenv_mcp.kernel.diff import Change, changes_between
from legoenv_mcp.kernel.errors import ApiError, KernelFault, Problem, reason, unusable
from legoenv_mcp.kernel.operations import InvalidArguments, Operation
from legoenv_mcp.kernel.pages import BadCursor
from legoenv_mcp.kernel.store import Key, Store
from legoenv_mcp.kernel.template import Delta, Template

log = logging.getLogger("legoenv")

_CONNECTION = 300_000
"""About what an open connection takes beside its pages: the parsed schema, prepared statements, pages read."""
_NONE = sqlite3.connect(":memory:")
"""In place of a connection that was given up: closed, so that whoever uses it without waking is told."""
_NONE.close()


class UnknownTool(LookupError):
    """The app has no tool of that name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A journal entry: one call. `changed` counts the rows it wrote."""

    app: str
    tool: str
    arguments: dict[str, Any]
    status: int
    changed: int


class LiveApp:
    """An app in an episode: the one dispatcher behind every face."""

    def __init__(
        self, template: Template, seed: str = "", directory: Path | None = None, remember: int | None = None
    ) -> None:
        self.app = template.app
        self.template = template
        self.journal: list[Entry] = []
        self._remember = remember
        self.touched: dict[Key, None] = {}
        meta = template.meta
        self.agent = str(meta.get("agent", ""))
        self.epoch = datetime.fromisoformat(str(meta["clock"])).astimezone(UTC)
        self.step = float(meta.get("step", 1))
        self.seed = seed or str(meta.get("seed", ""))
        self.write_count = int(meta.get("writes", 0))
        self._durable = directory is not None
        self._own = False
        self._asleep: Delta | None = None
        self._found_of: tuple[sqlite3.Connection | None, int] = (None, 0)
        self._found: list[Any] = [object(), 0]
        self.broken_off = False
        """Whether the latest call was ended by its time, and its answer thus says nothing of the rows."""
        self._depth = 0
        if directory is None:
            self.store = Store(template.connection)
        else:
            self.store = Store(template.open(directory / f"{self.app.slug}.sqlite"))
            self._own = True
            try:
                self._resume(seed)
            except sqlite3.OperationalError as error:
                self.store.connection.close()
                raise unusable(error) from None

    def _resume(self, seed: str) -> None:
        db = self.store.connection
        if seed and not db.execute("SELECT 1 FROM _journal LIMIT 1").fetchone():
            db.execute("INSERT OR REPLACE INTO _meta VALUES ('seed', ?)", (seed,))
        meta = dict(db.execute("SELECT key, value FROM _meta"))
        self.seed, self.write_count = str(meta.get("seed", "")), int(meta.get("writes", 0))
        for tool, arguments, status, touched in db.execute(
            "SELECT tool, arguments, status, touched FROM _journal ORDER BY n"
        ):
            keys = from_json(touched)
            self.touched.update({(table, tuple(key)): None for table, key in keys})
            self.note(Entry(self.app.slug, tool, from_json(arguments), status, len(keys)))

    def close(self) -> None:
        if self._own:
            self.store.connection.close()

    # Memory

    @property
    def size(self) -> int:
        """About how many bytes of memory its database takes; nothing where it is in a file, or everybody's."""
        if self._asleep is not None:
            return self._asleep.size
        if self._durable or (not self._own and self.template.base is None):
            return 0
        pages = self._since_written()[1]
        if not pages:
            pages = self._found[1] = self.store.connection.execute("PRAGMA page_count").fetchone()[0]
        return pages * 4096 + _CONNECTION

    @property
    def state(self) -> object:
        """What stands for the rows as they are: another object after anything was written, the same for all that have not written yet."""
        return self.template.start if self.store.connection is self.template.connection else self._since_written()[0]

    def _since_written(self) -> list[Any]:
        """What has been found out about the database since rows of it last changed: its state, and how many pages it has."""
        connection, changes = self.store.connection, self.store.connection.total_changes
        if self._found_of != (connection, changes):
            self._found_of, self._found = (connection, changes), [object(), 0]
        return self._found

    def sleep(self) -> None:
        """Keeps of a database in memory only what the template does not have. `wake` before the next call."""
        if self._durable or self._asleep is not None:
            return
        if self._own:
            self._asleep = Delta.between(self.template.ground, self.store.connection.serialize())
            self.store.connection.close()
        elif self.template.base is not None:
            self._asleep = Delta(0, {})
            self.store.connection = _NONE
        self.template.rest()

    def wake(self) -> None:
        """Undoes `sleep`; nothing where it is awake."""
        if self._asleep is None:
            return
        if self._own:
            self.store.connection = self.template.fork(self._asleep.over(self.template.ground))
            self.store.writes = 0
        else:
            self.store.connection = self.template.connection
        self._asleep = None

    # Calls

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Reply:
        """One call by tool name, as the MCP face makes it. UnknownTool where the app has none of that name."""
        operation = self.app.operations.get(tool)
        if operation is None or not operation.mcp:
            raise UnknownTool(tool)
        return self.perform(operation, operation.tool_arguments(arguments or {}), Request())

    def perform(self, operation: Operation, arguments: Mapping[str, Any], request: Request) -> Reply:
        """Validates, runs in one transaction, renders, journals. Arguments are by the function's names."""
        try:
            args = operation.validate(arguments, "wire" if request.method else "tool_name")
        except InvalidArguments as error:
            return self._journalled(operation, dict(arguments), self.app.refusal(self.app.invalid(error.problems)), 0)
        ctx = Ctx(self, operation, args, request)
        store, touched, self.broken_off = self.store, {}, False
        if not operation.reads:
            self.fork()
        store.touched = touched
        store.seen = {} if operation.reads else None
        before = store.connection.total_changes - store.writes
        try:
            store.connection.execute("BEGIN" if operation.reads else "BEGIN IMMEDIATE")
            with bounded():
                reply = self._run(ctx, operation)
            self._check(operation, before)
            if reply.error and not reply.keep:
                touched.clear()
                store.connection.execute("ROLLBACK")
            else:
                self._note_write(operation, args, reply)
                store.connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - the boundary: whatever a tool does wrong is a logged 500
            if store.connection.in_transaction:
                store.connection.execute("ROLLBACK")
            touched.clear()
            reply = self._failed(operation, error)
        except TookTooLong:
            if store.connection.in_transaction:
                store.connection.execute("ROLLBACK")
            touched.clear()
            self.broken_off = True
            log.warning("%s.%s took too long and was broken off", self.app.slug, operation.tool)
            reply = self.app.refusal(self.app.too_slow())
        except BaseException:
            store.connection.execute("ROLLBACK")
            raise
        finally:
            store.seen = None
        if touched:
            self.write_count += 1
            self.touched.update(touched)
        return self._journalled(operation, args.model_dump(mode="python", exclude_unset=True), reply, len(touched))

    def _run(self, ctx: Ctx, operation: Operation) -> Reply:
        values = ctx.args.__dict__ if ctx.args else {}

        def call() -> Any:
            return operation.fn(ctx, **values)

        result = call() if self.app.around is None else self.app.around(ctx, call)
        if isinstance(result, Reply):
            if not isinstance(result.body, (bytes, str)):
                result.body = to_jsonable_python(result.body, by_alias=True)
            result.wire_status = result.wire_status or result.status
            return result
        body = to_jsonable_python(self.app.wrap(result), by_alias=True)
        return Reply(body, operation.status, wire_status=operation.status)

    def _check(self, operation: Operation, before: int) -> None:
        """A write around the store, or by a read, is our fault and undone."""
        store = self.store
        if store.connection.total_changes - store.writes != before:
            raise KernelFault(f"{self.app.slug}.{operation.tool}: wrote rows around the store")
        if operation.reads and store.touched:
            raise KernelFault(f"{self.app.slug}.{operation.tool}: a read wrote {list(store.touched)[:3]}")

    def _note_write(self, operation: Operation, args: Any, reply: Reply) -> None:
        """Where the episode must survive us, its time and its journal entry are written with the call."""
        if not self._durable or not self.store.touched:
            return
        db = self.store.connection
        db.execute("INSERT OR REPLACE INTO _meta VALUES ('writes', ?)", (self.write_count + 1,))
        keys = to_json([[table, list(key)] for table, key in self.store.touched]).decode()
        arguments = to_json(args.model_dump(mode="python", exclude_unset=True), bytes_mode="base64").decode()
        db.execute(
            "INSERT INTO _journal (tool, arguments, status, touched) VALUES (?, ?, ?, ?)",
            (operation.tool, arguments, reply.status, keys),
        )

    def _failed(self, operation: Operation, error: Exception) -> Reply:
        if isinstance(error, ApiError):
            return self.app.refusal(error)
        if isinstance(error, BadCursor):
            name = next(
                (p.wire for p in operation.params.values() if "cursor" in p.name.lower() or "token" in p.name.lower()),
                "cursor",
            )
            return self.app.refusal(
                self.app.invalid([Problem((name,), "invalid", "is not a cursor of this list", str(error))])
            )
        if isinstance(error, (OverflowError, RecursionError)) or (
            isinstance(error, ValueError) and "digits" in str(error)
        ):
            # A number or date that nothing can count with, or a text of brackets in brackets without end: the caller's.
            name = next((p.wire for p in operation.params.values()), "request")
            return self.app.refusal(
                self.app.invalid(
                    [Problem((name,), "range", "is out of range or nested too deeply", tool=operation.tool)]
                )
            )
        if isinstance(error, sqlite3.OperationalError) and (why := reason(error)):
            log.warning("%s.%s: %s (%s)", self.app.slug, operation.tool, why, error)
            return self.app.refusal(ApiError(507, f"The episode's storage cannot be used: {why}."))
        log.error("%s.%s failed", self.app.slug, operation.tool, exc_info=error)
        return self.app.refusal(ApiError(500, "Internal error"))

    def _journalled(self, operation: Operation, arguments: dict[str, Any], reply: Reply, changed: int) -> Reply:
        self.note(Entry(self.app.slug, operation.tool, arguments, reply.status, changed))
        return reply

    def note(self, entry: Entry) -> None:
        """Appends to the journal, which keeps its latest calls."""
        self.journal.append(entry)
        if self._remember is not None and len(self.journal) > 2 * self._remember:
            del self.journal[: -self._remember]

    def fork(self) -> None:
        """The first write gives the episode its own copy."""
        if not self._own:
            self.store.connection = self.template.fork()
            self.store.writes = 0
            self._own = True

    # Calls within a call

    def nested(self, outer: Ctx, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """See Ctx.call."""
        operation = self.app.operations[tool]
        return self._nested(outer, operation, operation.tool_arguments(arguments), Request())

    def nested_request(self, outer: Ctx, request: Request, body: bytes | None) -> Reply:
        """See Ctx.send. The REST face's reading of a request is injected, since faces lie above the kernel."""
        if self.app.read_request is None:
            raise KernelFault("no REST face is loaded to read a nested request")
        found = self.app.read_request(self.app, request, body)
        return found if isinstance(found, Reply) else self._nested(outer, found[0], found[1], request)

    def _nested(self, outer: Ctx, operation: Operation, arguments: Mapping[str, Any], request: Request) -> Reply:
        if outer.operation is not None and outer.operation.reads and not operation.reads:
            raise KernelFault(f"{self.app.slug}.{outer.operation.tool}: a read called {operation.tool}")
        try:
            args = operation.validate(arguments, "wire" if request.method else "tool_name")
        except InvalidArguments as error:
            return self.app.refusal(self.app.invalid(error.problems))
        with self._savepoint() as undo:
            try:
                reply = self._run(Ctx(self, operation, args, request), operation)
            except Exception as error:  # noqa: BLE001 - as in perform
                reply = self._failed(operation, error)
            if reply.error and not reply.keep:
                undo()
        return reply

    @contextmanager
    def _savepoint(self) -> Iterator[Callable[[], None]]:
        store = self.store
        self._depth += 1
        name, touched = f"s{self._depth}", dict(store.touched)
        store.connection.execute(f"SAVEPOINT {name}")

        def undo() -> None:
            store.connection.execute(f"ROLLBACK TO {name}")
            store.touched.clear()
            store.touched.update(touched)

        try:
            yield undo
        finally:
            store.connection.execute(f"RELEASE {name}")
            self._depth -= 1

    # State

    def next(self, kind: str) -> int:
        """Counter of a kind, kept with the rows, so that a failed call gives its numbers back."""
        self.fork()
        store = self.store
        sql = "INSERT INTO _counter VALUES (?, 1) ON CONFLICT (kind) DO UPDATE SET n = n + 1 RETURNING n"
        n = store.connection.execute(sql, (kind,)).fetchall()[0][0]
        store.writes += 1
        return n

    def copy(self) -> "LiveApp":
        """The same app at the same point, to go on from in another way. In memory."""
        twin = LiveApp(self.template, self.seed)
        twin.touched, twin.journal, twin.write_count = dict(self.touched), list(self.journal), self.write_count
        if self._own:
            connection = self.template.fork(self.store.connection.serialize())
            twin.store.connection, twin.store.writes, twin._own = connection, 0, True
        return twin

    def refs(self, entity: str) -> dict[str, str]:
        return self.template.refs.get(entity, {})

    def changes(self) -> list[Change]:
        """What the episode changed in this app: rows inserted, updated, deleted, derived columns left out."""
        if not self.touched:
            return []
        return changes_between(self.app, self.template.connection, self.store.connection, self.touched)


@dataclass
class Episode:
    """One run of an environment: its apps, each forked when first written, none aware of the others."""

    templates: Callable[[str], Template]
    slugs: tuple[str, ...]
    seed: str = ""
    directory: Path | None = None
    live: dict[str, LiveApp] = field(default_factory=dict[str, LiveApp])
    remember: int | None = None
    """How many of its latest calls each app's journal keeps at least; None keeps all."""

    def app(self, slug: str) -> LiveApp:
        """The app, forked from its template when first asked for. KeyError where the episode has no such app."""
        live = self.live.get(slug)
        if live is None:
            if slug not in self.slugs:
                raise KeyError(slug)
            live = self.live[slug] = LiveApp(self.templates(slug), self.seed, self.directory, self.remember)
        live.wake()
        return live

    def call(self, slug: str, tool: str, arguments: Mapping[str, Any] | None = None) -> Reply:
        return self.app(slug).call(tool, arguments)

    def copy(self) -> "Episode":
        """The same episode at the same point, to go on from in another way. In memory."""
        live = {slug: self.app(slug).copy() for slug in self.live}
        return Episode(self.templates, self.slugs, self.seed, None, live)

    def changes(self) -> list[Change]:
        """The state diff over every app that was touched (after a restart: that left a file)."""
        if self.directory is not None:
            for slug in self.slugs:
                if (self.directory / f"{slug}.sqlite").exists():
                    self.app(slug)
        return [change for slug in sorted(self.live) for change in self.app(slug).changes()]

    @property
    def size(self) -> int:
        """About how many bytes of memory its databases take."""
        return sum(live.size for live in self.live.values())

    def sleep(self) -> None:
        """Makes itself small in memory until an app is next asked for. No call may be going on."""
        for live in self.live.values():
            live.sleep()

    def close(self) -> None:
        for live in self.live.values():
            live.close()
        self.live.clear()
