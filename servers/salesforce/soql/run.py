"""Running queries: compiled SQL -> records as the API shows them, pages, cursors."""

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json

from legoenv_mcp.app import ApiError, Ctx

from .. import errors, records
from ..metadata import FieldInfo, SObjectType
from ..models import CurrencyType
from .compile import Compiler, Nested, Output, Plan
from .syntax import Query, parse

DEFAULT_BATCH = 2000
MCP_BYTES = 30_000


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a query's next page starts. It carries the query itself, since a read keeps nothing."""

    text: str
    offset: int
    batch: int
    include_deleted: bool = False

    def encode(self) -> str:
        packed = zlib.compress(json.dumps([self.text, self.batch, self.include_deleted]).encode(), 9)
        return f"01g{base64.urlsafe_b64encode(packed).decode().rstrip('=')}-{self.offset}"

    @classmethod
    def decode(cls, locator: str) -> "Cursor":
        try:
            packed, _, offset = locator.removeprefix("01g").rpartition("-")
            raw = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
            text = zlib.decompressobj().decompress(raw, 400_000)
            query, batch, deleted = from_json(text)
            made = cls(str(query), int(offset), int(batch), bool(deleted))
            if locator.startswith("01g") and 0 <= made.offset < 10**9 and 1 <= made.batch <= DEFAULT_BATCH:
                return made
        except (ValueError, TypeError, zlib.error, binascii.Error):
            pass
        raise errors.refusal("INVALID_QUERY_LOCATOR", "invalid query locator", listed=False)


class Run:
    """One execution of a query text."""

    def __init__(
        self, ctx: Ctx, text: str, *, include_deleted: bool = False, base: str = "/services/data/v60.0"
    ) -> None:
        self.ctx, self.text, self.base = ctx, text, base
        rates = {str(c.IsoCode): c.ConversionRate or 1 for c in ctx.db.find(CurrencyType)}
        self.compiler = Compiler(text, ctx.now.date(), records.current_user(ctx), include_deleted, rates)

    def records(self, query: Query | None = None) -> tuple[int, list[dict[str, Any]]]:
        """All records of the query, and the total that the API reports."""
        try:
            plan = self.compiler.query(query or parse(self.text))
        except RecursionError:
            raise errors.refusal("MALFORMED_QUERY", "The query is too complicated", listed=False) from None
        rows = self.fetch(plan.sql, plan.values)
        if plan.counts:
            return int(rows[0][0]), []
        if plan.aggregate:
            made = [self._aggregate(plan, row) for row in rows]
            return len(made), made
        made = self._records(plan, rows)
        return len(made), made

    def fetch(self, sql: str, values: list[Any]) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in self.ctx.db.query(sql, values)]

    def _aggregate(self, plan: Plan, row: tuple[Any, ...]) -> dict[str, Any]:
        return {"attributes": {"type": "AggregateResult"}} | {
            o.path[0]: shown(o.info, row[o.index]) for o in plan.outputs
        }

    def _records(self, plan: Plan, rows: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
        made = [self._record(plan, row) for row in rows]
        for nested in plan.nested:
            self._children(nested, made, [row[0] for row in rows])
        return made

    def _record(self, plan: Plan, row: tuple[Any, ...]) -> dict[str, Any]:
        record: dict[str, Any] = {"attributes": self.attributes(plan.kind.name, row[0])}
        for output in plan.outputs:
            place: dict[str, Any] | None = record
            for depth, name in enumerate(output.path[:-1], 1):
                if name not in place:  # pyright: ignore[reportOperatorIssue]
                    at, kind = plan.parents[tuple(p.lower() for p in output.path[:depth])]
                    type_name = kind if isinstance(kind, str) else row[kind]
                    place[name] = None if row[at] is None else {"attributes": self.attributes(type_name, row[at])}  # pyright: ignore[reportOptionalSubscript]
                place = place[name]  # pyright: ignore[reportOptionalSubscript]
                if place is None:
                    break
            if place is not None:
                place[output.path[-1]] = self._value(output, row)
        return record

    def _value(self, output: Output, row: tuple[Any, ...]) -> Any:
        if output.info.parts:
            return address(output.info, row[output.index : output.index + len(output.info.parts)])
        return shown(output.info, row[output.index])

    def _children(self, nested: Nested, made: list[dict[str, Any]], parents: list[str]) -> None:
        """The children of all records in one query, then dealt out; LIMIT and OFFSET count per parent."""
        rows = self.fetch(nested.plan.sql, [*nested.plan.values, json.dumps(parents)])
        by_parent = dict[str, list[dict[str, Any]]]()
        for row, record in zip(rows, self._records(nested.plan, rows), strict=True):
            by_parent.setdefault(row[1], []).append(record)
        for parent, record in zip(parents, made, strict=True):
            children = by_parent.get(parent, [])[nested.offset :]
            children = children if nested.limit is None else children[: nested.limit]
            record[nested.name] = {"totalSize": len(children), "done": True, "records": children} if children else None

    def attributes(self, kind: str, record_id: str) -> dict[str, str]:
        return {"type": kind, "url": f"{self.base}/sobjects/{kind}/{record_id}"}


def shown(info: FieldInfo, value: Any) -> Any:
    """A column's value as JSON shows it."""
    if value is None:
        return None
    if info.type == "boolean":
        return bool(value)
    if info.type in ("double", "currency", "percent") and isinstance(value, (int, float)):
        return float(value)
    return value


def address(info: FieldInfo, parts: tuple[Any, ...]) -> dict[str, Any] | None:
    """A compound address from its columns."""
    if not any(parts):
        return None
    street, city, state, postal_code, country = parts
    return {
        "city": city, "country": country, "geocodeAccuracy": None, "latitude": None, "longitude": None, "postalCode": postal_code,
        "state": state, "street": street,
    }  # fmt: skip


def _fitting(found: list[dict[str, Any]], batch: int) -> int:
    """How many records a page for an agent holds: as with the API itself, wide records make it smaller than asked for."""
    size = 0
    for count, one in enumerate(found[:batch]):
        size += len(to_json(one))
        if size > MCP_BYTES and count:
            return count
    return batch


def page(ctx: Ctx, cursor: Cursor, base: str) -> dict[str, Any]:
    """One page of a query's result."""
    run = Run(ctx, cursor.text, include_deleted=cursor.include_deleted, base=base)
    total, found = run.records()
    end = cursor.offset + (cursor.batch if ctx.request.method else _fitting(found[cursor.offset :], cursor.batch))
    if cursor.offset and cursor.offset >= len(found):
        raise errors.refusal("INVALID_QUERY_LOCATOR", "invalid query locator", listed=False)
    result: dict[str, Any] = {"totalSize": total, "done": end >= len(found)}
    if end < len(found):
        following = Cursor(cursor.text, end, cursor.batch, cursor.include_deleted)
        result["nextRecordsUrl"] = f"{base}/{'queryAll' if cursor.include_deleted else 'query'}/{following.encode()}"
    result["records"] = found[cursor.offset : end]
    return result


def record(ctx: Ctx, kind: SObjectType, row: Any, base: str, fields: list[str] | None = None) -> dict[str, Any]:
    """A record as its own resource shows it: all fields, or those asked for."""
    shown_fields = list[FieldInfo]()
    for name in fields or []:
        info = kind.field(name)
        if info is None:
            raise errors.no_column(name, kind.name, kind.hint(name))
        shown_fields.append(info)
    body: dict[str, Any] = {"attributes": {"type": kind.name, "url": f"{base}/sobjects/{kind.name}/{row.Id}"}}
    for info in shown_fields or kind.fields.values():
        if info.parts:
            body[info.name] = address(info, tuple(getattr(row, part) for part in info.parts))
        elif info.type == "base64":
            body[info.name] = f"{base}/sobjects/{kind.name}/{row.Id}/{info.name}" if getattr(row, info.name) else None
        else:
            body[info.name] = shown(info, getattr(row, info.name))
    body.setdefault("Id", row.Id)
    return body


__all__ = ["DEFAULT_BATCH", "ApiError", "Cursor", "Run", "page", "record", "shown"]
