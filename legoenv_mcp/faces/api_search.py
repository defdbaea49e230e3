"""Finding an operation among hundreds: a full-text index over names, paths and docstrings."""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from legoenv_mcp import registry
from legoenv_mcp.faces.openapi import undeclared
from legoenv_mcp.kernel.operations import Effect, Operation, Param


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
    ("a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i", "in", "is", "it", "me", "my",
     "of", "on", "or", "s", "that", "the", "this", "to", "which", "with")
)  # fmt: skip
# What people say for what APIs call otherwise.
_SYNONYMS = {
    "repository": "repo", "repo": "repository", "email": "message", "mail": "message", "remove": "delete", "change": "update",
    "edit": "update", "find": "search", "look": "search", "show": "list", "add": "create", "make": "create", "new": "create",
    "directory": "folder", "folder": "directory",
}  # fmt: skip
_READING = (
    "check",
    "find",
    "get",
    "list",
    "look",
    "query",
    "read",
    "retrieve",
    "search",
    "show",
    "view",
    "what",
    "who",
)
_CHANGING = ("change", "edit", "mark", "move", "rename", "set", "update")
_ENDING = ("cancel", "close", "delete", "remove", "void")
_MAKING = (
    "add",
    "charge",
    "create",
    "invite",
    "make",
    "merge",
    "new",
    "open",
    "pay",
    "post",
    "refund",
    "reply",
    "send",
    "write",
)
# A query's verb -> the effects it asks for.
_VERBS: dict[str, tuple[Effect, ...]] = {
    **dict.fromkeys(_READING, ("read",)),
    **dict.fromkeys(_CHANGING, ("update", "transition")),
    **dict.fromkeys(_ENDING, ("delete", "transition")),
    **dict.fromkeys(_MAKING, ("create", "send", "transition")),
}
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
    infos = {slug: registry.info(slug) for slug in slugs}
    about = {slug: f"{slug} {info.name} {' '.join(info.capabilities)}" for slug, info in infos.items()}
    rows = [
        (
            n,
            _words(e.operation.tool),
            _words(f"{e.operation.method} {e.operation.path}"),
            _words(about[e.slug]),
            f"{e.operation.title}. {e.operation.description}",
            " ".join(_words(p.wire) for p in e.operation.params.values()),
        )
        for n, e in enumerate(entries, start=1)
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
    scores, covered = dict[int, float](), dict[int, int]()
    for word in words:
        either = " OR ".join(f'"{term}"' for term in (word, _SYNONYMS.get(word.lower())) if term)
        for number, score in db.execute(f"SELECT rowid, {_RANK} FROM op WHERE op MATCH ?", (either,)):
            scores[number] = scores.get(number, 0.0) - score
            covered[number] = covered.get(number, 0) + 1
    wanted = {effect for word in words for effect in _VERBS.get(word.lower(), ())}

    def weight(number: int) -> float:
        """More of the query's words count more than one of them often; so does the effect asked for; variants that the MCP face
        leaves out count less."""
        operation = entries[number - 1].operation
        return (
            scores[number]
            * covered[number]
            * (1.5 if operation.effect in wanted else 1.0)
            * (1.0 if operation.mcp else 0.8)
        )

    best = sorted(scores, key=lambda n: (-weight(n), n))
    return [_shown(entries[n - 1]) for n in best[:limit]]


def _shown(entry: _Entry) -> dict[str, Any]:
    operation = entry.operation
    path = re.sub(r"\{(\w+):\w+\}", r"{\1}", operation.path)
    for name in undeclared(operation):
        path = path.replace(f"{{{name}}}", registry.info(entry.slug).version)
    fields = [p for p in operation.params.values() if p.rest and p.where == "body"]
    key = registry.load(entry.slug).body_key if fields else ""
    return {
        "app": entry.slug,
        "tool": operation.tool,
        "method": operation.method,
        "url": base_url(entry.slug) + path,
        "description": operation.description,
        "parameters": [_parameter(operation, p) for p in operation.params.values() if p.rest],
        **({"body": f'The fields of the body go under "{key}": {{"{key}": {{...}}}}'} if key else {}),
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
