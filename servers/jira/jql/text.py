"""Text search: whether a text has the words that `~` asks for. Words are compared by their stems, as Jira's index holds them."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError

from legoenv_mcp.app import wildcard

_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ENDINGS = (("ies", "y"), ("ings", ""), ("ing", ""), ("edly", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""))
_SHORTEST = 3
_LONGEST, _MOST_SIGNS = 2_000, 60

# What Jira's index leaves out, in texts and in what is searched for.
_STOP_WORDS = """
a and are as at be but by for if in into is it no not of on or s such t that the their then there these they this to was will with
"""
_STOP = frozenset(_STOP_WORDS.split())

Test = Callable[[list[str]], bool]


def _nothing_asked(words: list[str]) -> bool:
    """The test of words that are left out: where others are asked for too it says nothing, and alone it finds nothing."""
    return False


class BadText(ValueError):
    """The text cannot be searched for."""


@cache
def _parser() -> Lark:
    return Lark(Path(__file__).with_name("text.lark").read_text("utf-8"), start="query", parser="lalr")


@lru_cache(20_000)
def stem(word: str) -> str:
    """A word without its English ending."""
    word = word.casefold().replace("’", "'").removesuffix("'s")
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST and not word.endswith("ss"):
            word = word[: -len(ending)] + instead
            break
    return word[:-1] if len(word) > _SHORTEST and word[-1] == word[-2] else word


def _tokens(text: str) -> list[str]:
    return [w.casefold() for w in _WORDS.findall(text)]


def any_of(tests: list[Test]) -> Test:
    if len(tests) < 2:
        return tests[0] if tests else _nothing_asked
    return lambda words: any(test(words) for test in tests)


class _Build(Transformer[Token, Test]):
    def query(self, items: list[Test]) -> Test:
        return items[0]

    def either(self, items: list[Test]) -> Test:
        return any_of([item for item in items if item is not _nothing_asked])

    def every(self, items: list[Test]) -> Test:
        asked = [item for item in items if item is not _nothing_asked]
        return any_of(asked) if len(asked) < 2 else lambda words: all(item(words) for item in asked)

    def without(self, items: list[Any]) -> Test:
        return items[1] if items[1] is _nothing_asked else lambda words: not items[1](words)

    def plain(self, items: list[Any]) -> Test:
        return items[1]

    def phrase(self, items: list[Token]) -> Test:
        wanted = [stem(w) for w in _tokens(str(items[0])) if w not in _STOP]
        if not wanted:
            return _nothing_asked

        def holds(words: list[str]) -> bool:
            stems = [stem(w) for w in words if w not in _STOP]
            return any(stems[i : i + len(wanted)] == wanted for i in range(len(stems)))

        return holds

    def word(self, items: list[Token]) -> Test:
        text = str(items[0])
        if text[0] in "*?":
            raise BadText("The '*' and '?' are not allowed as first character in wildcard query.")
        if "*" in text or "?" in text:
            pattern = wildcard(text.casefold(), one="?")
            return lambda words: any(pattern.fullmatch(w) for w in words)
        wanted = {stem(w) for w in _tokens(text) if w not in _STOP}
        return (lambda words: wanted <= {stem(w) for w in words}) if wanted else _nothing_asked


@lru_cache(500)
def compiled(query: str) -> Test:
    """The test that a query means. BadText where it cannot be read."""
    if len(query) > _LONGEST or len(re.findall(r"[(!]|(?<!\w)[-+]|\bNOT\b", query)) > _MOST_SIGNS:
        raise BadText
    try:
        return _Build().transform(_parser().parse(query))
    except LarkError as error:
        inner = getattr(error, "orig_exc", None)
        raise inner if isinstance(inner, BadText) else BadText from None


def matches(text: str | None, query: str) -> bool:
    """The SQL function `jql_matches`."""
    return bool(text) and compiled(query)(_tokens(text or ""))
