"""SOSL: finding records by words, then returning them as queries do."""

import re
from functools import cache, lru_cache
from pathlib import Path as FilePath
from typing import Any

from lark import Lark, Token, Tree, UnexpectedInput

from legoenv_mcp.app import Ctx, wildcard

from .. import errors, metadata
from ..metadata import SObjectType
from .run import Run
from .syntax import At, Compare, Literal, Logic, Path, Query, Search, Selected, Target, parse

MAX_RESULTS = 2000
_SEARCHED = frozenset({"string", "textarea", "phone", "email", "url", "combobox"})
_GROUPS = frozenset({"ALL", "NAME", "EMAIL", "PHONE", "SIDEBAR"})


@cache
def _parser() -> Lark:
    return Lark(
        FilePath(__file__).with_name("terms.lark").read_text(encoding="utf-8"), parser="lalr", maybe_placeholders=False
    )


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


@lru_cache(maxsize=64)
def _patterns(text: str) -> list[re.Pattern[str]]:
    """The words of a term, each as a pattern: * stands for any characters, ? for one."""
    plain = re.sub(r"\\(.)", r"\1", text)
    found = re.findall(r"[\w*?]+", plain.casefold())
    return [wildcard(word, one="?", of=r"\w") for word in found]


def _has(words: list[str], patterns: list[re.Pattern[str]]) -> bool:
    """Whether the patterns' words stand in a row."""
    n = len(patterns)
    return n > 0 and any(
        all(p.fullmatch(w) for p, w in zip(patterns, words[i : i + n], strict=True)) for i in range(len(words) - n + 1)
    )


def _matches(node: Any, fields: list[list[str]]) -> bool:
    if isinstance(node, Token):
        return any(_has(words, _patterns(str(node).strip('"'))) for words in fields)
    assert isinstance(node, Tree)
    parts = node.children
    if node.data == "either":
        return any(_matches(p, fields) for p in parts)
    if node.data == "both":
        return all(_matches(p, fields) for p in parts)
    if node.data == "without":
        return not _matches(parts[0], fields)
    return _matches(parts[0], fields)


def terms(text: str) -> Any:
    """The search expression; MALFORMED_SEARCH where it is none."""
    if len(re.sub(r"[\W_]", "", text)) < 2:
        raise errors.refusal("MALFORMED_SEARCH", f"search term must be longer than one character: {text}", listed=False)
    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        column = getattr(error, "column", 1)
        message = f"No search term found or malformed search expression at column {column}: {text}"
        raise errors.refusal("MALFORMED_SEARCH", message, listed=False) from None


def _texts(kind: SObjectType, row: Any, group: str) -> list[list[str]]:
    """The words of each searched field."""
    found = list[list[str]]()
    for info in kind.columns.values():
        wanted = {
            "NAME": info.spec.name_field or info.name in ("FirstName", "LastName"), "EMAIL": info.type == "email",
            "PHONE": info.type == "phone",
        }.get(group, info.type in _SEARCHED)  # fmt: skip
        value = getattr(row, info.name) if wanted else None
        if isinstance(value, str):
            words = _words(value)
            found.append(words)
            if info.type == "phone":
                found.append(["".join(words)])
    return found


def _run(ctx: Ctx, text: str, search: Search, base: str) -> dict[str, Any]:
    if search.group not in _GROUPS:
        raise errors.refusal("MALFORMED_SEARCH", f"unexpected token: '{search.group}'", listed=False)
    expression = terms(search.terms)
    limit = MAX_RESULTS if search.limit is None else min(search.limit, MAX_RESULTS)
    targets = search.targets or [Target(k.name, At()) for k in metadata.TYPES.values() if k.cls.searchable]
    runner, found = Run(ctx, text, base=base), list[dict[str, Any]]()
    for target in targets:
        kind = runner.compiler.kind(target.name, target.at)
        if not kind.cls.searchable:
            raise errors.refusal("INVALID_TYPE", f"entity type {kind.name} does not support search", listed=False)
        rows = ctx.db.find(kind.cls, IsDeleted=False)
        ids = [row.Id for row in rows if _matches(expression, _texts(kind, row, search.group))]
        query = target.query or Query(kind.name, target.at, (Selected(Path(("Id",), At())),))
        matched = Compare(Path(("Id",), At()), "in", tuple(Literal("string", f"'{i}'", At()) for i in ids))
        if ids:
            query.where = Logic("and", (matched, query.where)) if query.where is not None else matched
            found += runner.records(query)[1]
    return {"searchRecords": found[:limit]}


def run(ctx: Ctx, text: str, base: str) -> dict[str, Any]:
    """A SOSL statement's result."""
    try:
        return _run(ctx, text, parse(text, "search"), base)
    except RecursionError:
        raise errors.refusal("MALFORMED_SEARCH", "The search is too complicated", listed=False) from None


def by_parameters(ctx: Ctx, q: str, targets: list[dict[str, Any]], group: str, limit: int, base: str) -> dict[str, Any]:
    """The same by parameters: composed as SOSL, so that names and filters are checked alike."""
    escaped = re.sub(r"([{}\\])", r"\\\1", q)
    returning = list[str]()
    for target in targets:
        name, fields, where = str(target.get("name", "")), target.get("fields") or ["Id"], target.get("where")
        if not isinstance(fields, list) or not all(re.fullmatch(r"[\w.]+", str(f).strip()) for f in [name, *fields]):
            raise errors.refusal("MALFORMED_SEARCH", f"Invalid sobjects entry: {target}", listed=False)
        clause = ", ".join(str(f).strip() for f in fields) + (f" WHERE {where}" if where else "")
        wanted = target.get("limit")
        returning.append(f"{name}({clause}{f' LIMIT {int(wanted)}' if isinstance(wanted, int) else ''})")
    tail = f" RETURNING {', '.join(returning)}" if returning else ""
    return run(ctx, f"FIND {{{escaped}}} IN {group.upper()} FIELDS{tail} LIMIT {limit}", base)
