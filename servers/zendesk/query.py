"""Search queries, read by a grammar. https://support.zendesk.com/hc/en-us/articles/4408886879258"""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

from legoenv_mcp.app import ApiError, Ctx

from .errors import coded
from .models import TYPES

KINDS = ("ticket", "user", "organization", "group")
SORTS = ("created_at", "updated_at", "priority", "status", "ticket_type", "relevance")
_SORT_WORDS = {"created": "created_at", "updated": "updated_at", "type": "ticket_type"}
_WORD = re.compile(r"[^\W_]+(?:['’.@+-][^\W_]+)*")
_UNITS = {"minute": 1, "hour": 60, "day": 1440, "week": 10080}


def invalid(why: str) -> ApiError:
    return coded(422, "invalid", f"Invalid search: {why}")


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a query: a word or a phrase (`key` empty), or a property with an operator and a value."""

    value: str
    key: str = ""
    operator: str = ":"
    phrase: bool = False
    negated: bool = False


@dataclass(slots=True)
class Query:
    terms: list[Term] = field(default_factory=list[Term])
    kinds: list[str] = field(default_factory=list[str])
    sort_by: str | None = None
    sort_order: str | None = None

    @property
    def words(self) -> list[Term]:
        return [t for t in self.terms if not t.key]

    @property
    def filters(self) -> list[Term]:
        return [t for t in self.terms if t.key]


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    return Lark(Path(__file__).with_name("search.lark").read_text(encoding="utf-8"), parser="lalr", lexer="contextual")


@lru_cache(maxsize=256)
def parse(text: str) -> Query:
    """The query. What the language does not have is refused by name."""
    try:
        tree = _grammar().parse(text)
    except LarkError as error:
        raise invalid(f"cannot parse the query: {str(error).splitlines()[0]}") from None
    query = Query()
    for node in tree.children:
        if isinstance(node, Tree):
            _take(query, _term(node))
    return query


def _term(node: "Tree[Token]") -> Term:
    negated = isinstance(node.children[0], Token)
    body = node.children[-1]
    assert isinstance(body, Tree)
    said = str(body.children[-1] if body.data != "filter" else body.children[2].children[0])  # pyright: ignore[reportAttributeAccessIssue]
    phrase = said.startswith('"') and said.endswith('"') and len(said) > 1
    value = said[1:-1] if phrase else said
    if body.data == "filter":
        key, operator = str(body.children[0]).lower(), str(body.children[1])
        if value[:1] in "<>=(" and not phrase:
            raise invalid(f"{key}{operator}{value} is not supported")
        return Term(value, key, operator, phrase, negated)
    if not phrase and value in ("AND", "OR", "NOT"):
        raise invalid(f"{value} is not a search operator")
    if not phrase and re.fullmatch(r"[A-Za-z]\w*(:|<=?|>=?)", value):
        raise invalid(f"{value} has no value")
    return Term(value, phrase=phrase, negated=negated)


def _take(query: Query, term: Term) -> None:
    """`type`, `order_by` and `sort` say what is searched and how it is answered; all else are terms."""
    if term.key not in ("type", "order_by", "sort") or term.negated:
        query.terms.append(term)
        return
    value = term.value.lower()
    if term.operator != ":":
        raise invalid(f"{term.key} takes no operator but the colon")
    if term.key == "type":
        if value not in KINDS:
            hint = "; for a ticket's own type use ticket_type" if value in TYPES else ""
            raise invalid(f"type must be one of {', '.join(KINDS)}, not {term.value}{hint}")
        query.kinds.append(value)
    elif term.key == "sort":
        query.sort_order = order(value)
    else:
        query.sort_by = sort(value)


def order(word: str) -> str:
    if word.lower() not in ("asc", "desc"):
        raise invalid(f"sort must be asc or desc, not {word}")
    return word.lower()


def sort(word: str) -> str:
    name = _SORT_WORDS.get(word, word)
    if name not in SORTS:
        raise invalid(f"order_by must be one of {', '.join(SORTS)}, not {word}")
    return name


# Words


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def pieces(text: str) -> list[str]:
    """Words with the parts of those that hyphens, points and the like join."""
    found = words(text)
    return found + [part for word in found for part in re.findall(r"[^\W_]+", word) if part != word]


def hits(term: Term, text: str) -> int:
    """How often a word is in a text, whole or as the beginning of another; a phrase word by word. A `*` alone is in any."""
    if term.value == "*" and not term.phrase:
        return 1
    parts = re.findall(r"[^\W_]+", term.value.casefold())
    if not parts:
        return 0
    have = re.findall(r"[^\W_]+", text.casefold())
    last, prefix = len(parts) - 1, not term.phrase or term.value.endswith("*")
    return sum(
        all(
            have[at + n] == part or (n == last and prefix and have[at + n].startswith(part))
            for n, part in enumerate(parts)
        )
        for at in range(len(have) - last)
    )


# Moments


def compare_time(ctx: Ctx, term: Term, moment: str | None) -> bool:
    """Whether a moment is as a date (a whole day), a time, or a span back from now (`4hours`) wants it."""
    first, end = _span(ctx, term)
    if moment is None:
        return False
    at = ctx.parse_time(moment)
    if term.operator in ("<", "<="):
        return at < (first if term.operator == "<" else end)
    if term.operator in (">", ">="):
        return at >= (first if term.operator == ">=" else end)
    return first <= at < end


def _span(ctx: Ctx, term: Term) -> tuple[datetime, datetime]:
    """From when until when a value lasts."""
    value = term.value.strip()
    ago = re.fullmatch(r"(\d{1,5})\s*(minute|hour|day|week|month|year)s?", value, re.IGNORECASE)
    try:
        if ago:
            moment = _back(ctx.now, int(ago[1]), ago[2].lower())
            # `created:3days`: within them, as `created>3days`.
            return (moment, ctx.now + timedelta(seconds=1)) if term.operator == ":" else (moment, moment)
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
            day = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
            return day, day + timedelta(days=1)
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:?\d{2})?", value):
            moment = ctx.parse_time(value)
            return moment, moment + timedelta(seconds=1)
    except (ValueError, OverflowError):
        pass
    raise invalid(f"{term.value} is not a date, a time or a span such as 4hours, for {term.key}")


def _back(now: datetime, count: int, unit: str) -> datetime:
    if unit in _UNITS:
        return now - timedelta(minutes=count * _UNITS[unit])
    months = now.year * 12 + now.month - 1 - count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return now.replace(year=year, month=month + 1, day=min(now.day, monthrange(year, month + 1)[1]))


def compare_rank(term: Term, ranks: Sequence[str], have: Any) -> bool:
    """Whether a status or priority is, or comes before or after, another."""
    wanted = term.value.lower()
    if wanted not in ranks:
        raise invalid(f"{term.key} must be one of {', '.join(ranks)}, not {term.value}")
    place, mine = ranks.index(wanted), ranks.index(have) if have in ranks else -1
    if mine < 0:
        return False
    return {"<": mine < place, "<=": mine <= place, ">": mine > place, ">=": mine >= place, ":": mine == place}[
        term.operator
    ]
