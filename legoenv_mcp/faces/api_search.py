"""Finding an operation among hundreds: a full-text index over names, paths and docstrings."""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.kernel.operations import Operation, Param


class BadCall(Exception):
    """The arguments are wrong; the message tells the model how."""


@cache
def base_url(slug: str) -> str:
    """The product's own address; for products that have no HTTP API, one that cannot be anyone's."""
    return (registry.info(slug).base_url or f"https://{slug}.internal").rstrip("/")


@dataclass(frozen=True, slots=True)
class _Entry:
    slug: str
    operation: Operation


_SCHEMA = "CREATE VIRTUAL TABLE op USING fts5(tool, path, app, description, parameters, tokenize = 'porter unicode61')"
_EMPTY_WORDS = frozenset(
    "a all an and any are as at be by can do for from how i in is it me my of on or that the this to which with".split()
)
_RANK = "bm25(op, 10.0, 5.0, 4.0, 3.0, 1.0)"


@cache
def _entries(slug: str) -> tuple[_Entry, ...]:
    return tuple(_Entry(slug, op) for op in registry.load(slug).operations.values() if op.path)


def _words(text: str) -> str:
    """Names as words: `listPaymentIntents` and `payment_intents` are both found by "payment intent"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)


@lru_cache(maxsize=64)
def _index(slugs: tuple[str, ...]) -> tuple[sqlite3.Connection, tuple[_Entry, ...]]:
    """The search index over these apps. It reads names and docstrings only: schemas are made for what is found."""
    entries = tuple(entry for slug in slugs for entry in _entries(slug))
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.execute(_SCHEMA)
    rows = [
        (
            n,
            _words(f"{e.operation.tool} {e.operation.title}"),
            _words(f"{e.operation.method} {e.operation.path}"),
            f"{e.slug} {registry.info(e.slug).name}",
            e.operation.description,
            " ".join(_words(p.wire) for p in e.operation.params.values()),
        )
        for n, e in enumerate(entries)
    ]
    db.executemany("INSERT INTO op (rowid, tool, path, app, description, parameters) VALUES (?, ?, ?, ?, ?, ?)", rows)
    return db, entries


def search(slugs: Sequence[str], query: str, app: str | None = None, limit: int = 5) -> list[dict[str, Any]]:
    """The operations that fit a query best, best first; without words in it, the first ones of the app."""
    if app is not None and app not in slugs:
        raise BadCall(f"app: {app!r} is not one of {', '.join(slugs)}")
    db, entries = _index((app,) if app is not None else tuple(slugs))
    words = [word for word in dict.fromkeys(re.findall(r"\w+", _words(query))) if word.lower() not in _EMPTY_WORDS]
    if not words:
        return [_shown(entry) for entry in entries[:limit]]
    sql = f"SELECT rowid FROM op WHERE op MATCH ? ORDER BY {_RANK}, rowid LIMIT ?"
    found = db.execute(sql, (" OR ".join(f'"{word}"' for word in words), limit))
    return [_shown(entries[row[0]]) for row in found]


def _shown(entry: _Entry) -> dict[str, Any]:
    operation = entry.operation
    path = re.sub(r"\{(\w+):\w+\}", r"{\1}", operation.path)
    return {
        "app": entry.slug,
        "tool": operation.tool,
        "method": operation.method,
        "url": base_url(entry.slug) + path,
        "description": operation.description,
        "parameters": [_parameter(operation, p) for p in operation.params.values() if p.rest],
    }


def _parameter(operation: Operation, param: Param) -> dict[str, Any]:
    schema = {k: v for k, v in operation.input_properties[param.name].items() if k not in ("derived", "title")}
    about = operation.about.get(param.name) or schema.get("description", "")
    kind = schema.get("type", "string")
    shown: dict[str, Any] = {
        "name": param.wire,
        "where": "body" if param.where == "payload" else param.where,
        "type": " or ".join(kind) if isinstance(kind, list) else kind,
        "required": param.required,
        "description": about if param.where != "payload" else f"The whole body. {about}".strip(),
    }
    if "enum" in schema:
        shown["enum"] = [value for value in schema["enum"] if value is not None]
    if schema.get("default") is not None:
        shown["default"] = schema["default"]
    if schema.get("properties") or schema.get("anyOf") or schema.get("items", {}).get("properties"):
        shown["schema"] = {k: v for k, v in schema.items() if k != "description"}
    return shown
