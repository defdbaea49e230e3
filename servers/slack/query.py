"""Slack's search language, parsed and matched. https://slack.com/help/articles/202528808-Search-in-Slack"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

from .app import err

SUPPORTED = ("from", "in", "to", "with", "has", "hasmy", "is", "before", "after", "on", "during", "type")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of a query. `key` is empty for words and phrases."""

    value: str
    key: str = ""
    phrase: bool = False
    negated: bool = False


@dataclass(slots=True)
class Query:
    clauses: list[Clause] = field(default_factory=list[Clause])

    def passes(self, test: Callable[[Clause], bool]) -> bool:
        """Whether every clause holds; of several `from:`, and of several `in:`, one is enough."""
        either = dict[str, bool]()
        for clause in self.clauses:
            if clause.key in ("from", "in") and not clause.negated:
                either[clause.key] = either.get(clause.key, False) or test(clause)
            elif test(clause) == clause.negated:
                return False
        return all(either.values())

    def terms(self, negated: bool = False) -> list[Clause]:
        return [c for c in self.clauses if not c.key and c.negated == negated]


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    return Lark(Path(__file__).with_name("search.lark").read_text(encoding="utf-8"), parser="lalr", lexer="contextual")


@lru_cache(maxsize=256)
def parse(text: str) -> Query:
    """The query's clauses; refuses what Slack's language does not have, by name."""
    try:
        tree = _grammar().parse(text)
    except LarkError as error:
        raise err(
            "invalid_arguments", f"cannot parse the query: {str(error).splitlines()[0]} [json-pointer:/query]"
        ) from None
    return Query([_clause(node) for node in tree.children if isinstance(node, Tree)])


def _clause(node: "Tree[Token]") -> Clause:
    negated = isinstance(node.children[0], Token)
    body = node.children[-1]
    assert isinstance(body, Tree)
    if body.data != "modifier":
        said = str(body.children[0])
        if said.endswith(":") and said[:-1].lower() in SUPPORTED:
            raise err("invalid_arguments", f"missing value of search modifier: {said} [json-pointer:/query]")
        return Clause(said.strip('"'), phrase=body.data == "phrase", negated=negated)
    key, value = body.children
    assert isinstance(value, Tree)
    name = str(key)[:-1].lower()
    if name not in SUPPORTED:
        raise err("invalid_arguments", f"unsupported search modifier: {name}: [json-pointer:/query]")
    return Clause(str(value.children[0]).strip('"'), key=name, negated=negated)


# Words


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower()))


@lru_cache(maxsize=4096)
def stems(text: str) -> tuple[str, ...]:
    """The text's words without their endings. Texts are searched again and again, and few of them change."""
    return tuple(map(stem, words(text)))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its English ending, so that `invoices` finds `invoice`, and `shipping` `shipped`."""
    word = word.removesuffix("'s").removesuffix("’s")
    for ending, rest in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not (ending == "s" and word.endswith("ss")):
            word = word[: -len(ending)] + rest
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def hits(clause: Clause, text: str) -> int:
    """How often a word or phrase occurs in a text: whole words, or beginnings of words before a `*`."""
    wanted, have = words(clause.value), words(text)
    if not wanted and not clause.value:
        return 0
    if not wanted:
        return text.lower().count(clause.value.lower())
    if not clause.phrase and not clause.value.endswith("*"):
        wanted, have = stems(clause.value), stems(text)
        if len(wanted) == 1:
            return have.count(wanted[0])
    last = len(wanted) - 1

    def same(want: str, word: str, at_end: bool) -> bool:
        return word.startswith(want) if at_end and clause.value.endswith("*") and not clause.phrase else word == want

    return sum(all(same(w, have[at + n], n == last) for n, w in enumerate(wanted)) for at in range(len(have) - last))


# Dates


def span(text: str, today: date) -> tuple[date, date]:
    """The first and last day that a date, a month, a year or a word like `yesterday` means."""
    word = text.lower().strip()
    days = {"today": 0, "yesterday": 1}
    if word in days:
        day = today - timedelta(days[word])
        return day, day
    if word in ("week", "thisweek", "this week"):
        monday = today - timedelta(today.weekday())
        return monday, monday + timedelta(6)
    found = re.fullmatch(r"([0-9]{4})(?:[-/]([0-9]{1,2})(?:[-/]([0-9]{1,2}))?)?", word)
    american = re.fullmatch(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})", word)
    named = re.fullmatch(r"([a-z]{3,})(?:[ ,-]*([0-9]{1,2}))?(?:[ ,-]+([0-9]{4}))?", word)
    try:
        if american:
            day = date(int(american[3]), int(american[1]), int(american[2]))
            return day, day
        if found:
            return _whole(int(found[1]), int(found[2] or 0), int(found[3] or 0))
        if named and word in ("month", "year"):
            return _whole(today.year, today.month if word == "month" else 0, 0)
        if named and (month := next((n for n, m in enumerate(_MONTHS, 1) if named[1].startswith(m)), 0)):
            year = int(named[3]) if named[3] else today.year - (month > today.month)
            return _whole(year, month, int(named[2] or 0))
    except (ValueError, OverflowError):
        pass
    raise err("invalid_arguments", f"not a date: {text} [json-pointer:/query]")


def _whole(year: int, month: int, day: int) -> tuple[date, date]:
    if day:
        return date(year, month, day), date(year, month, day)
    if month:
        return date(year, month, 1), (date(year + month // 12, month % 12 + 1, 1) - timedelta(1))
    return date(year, 1, 1), date(year, 12, 31)


def in_time(key: str, value: str, day: date, today: date) -> bool:
    """Whether a day passes `before:`, `after:`, `on:` or `during:`."""
    first, last = span(value, today)
    return {"before": day < first, "after": day > last}.get(key, first <= day <= last)
