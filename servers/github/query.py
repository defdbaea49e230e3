"""Search queries: parsed by the grammar in search.lark, checked, and evaluated against one item at a time."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

from legoenv_mcp.app import ApiError, Ctx, wildcard

Operator = str


def refused(message: str, field: str = "q") -> ApiError:
    return ApiError(
        422, "Validation Failed", errors=[{"message": message, "resource": "Search", "field": field, "code": "invalid"}]
    )


@dataclass(frozen=True, slots=True)
class Value:
    """`operator` is = > >= < <= or .. (from `text` to `upper`, * for no bound)."""

    operator: Operator
    text: str
    upper: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Qualifier:
    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Not:
    inner: Any


@dataclass(frozen=True, slots=True)
class Both:
    parts: tuple[Any, ...]
    any: bool = False


class _Build(Transformer[Token, Any]):
    def start(self, parts: list[Any]) -> Any:
        return parts[0] if parts else Both(())

    def disjunction(self, parts: list[Any]) -> Any:
        return Both(tuple(parts), any=True)

    def conjunction(self, parts: list[Any]) -> Any:
        return Both(tuple(parts))

    def negation(self, parts: list[Any]) -> Any:
        return Not(parts[0])

    def text(self, parts: list[Any]) -> Any:
        return Text(_bare(parts[0]))

    def qualifier(self, parts: list[Any]) -> Any:
        return Qualifier(str(parts[0])[:-1].lower(), tuple(parts[1:]))

    def equal(self, parts: list[Any]) -> Value:
        return Value("=", _bare(parts[0]))

    def compared(self, parts: list[Any]) -> Value:
        return Value(str(parts[0]), _bare(parts[1]))

    def between(self, parts: list[Any]) -> Value:
        return Value("..", _bare(parts[0]), _bare(parts[1]))


def _bare(token: Any) -> str:
    text = str(token)
    return text[1:-1] if len(text) > 1 and text.startswith('"') and text.endswith('"') else text


@cache
def _parser() -> Lark:
    return Lark(Path(__file__).with_name("search.lark").read_text(encoding="utf-8"), parser="lalr", lexer="contextual")


def parse(text: str) -> Any:
    """The query as a tree. Refused, with the place, where it is none."""
    if len(text) > 4096:
        raise refused("The search is longer than 4096 characters.")
    try:
        return _Build().transform(_parser().parse(text))
    except UnexpectedInput as error:
        at = getattr(error, "pos_in_stream", None)
        place = text[at : at + 20] if isinstance(at, int) and at < len(text) else "its end"
        raise refused(f"The search could not be parsed near {place!r}.") from None
    except RecursionError:
        raise refused("The search is nested too deeply.") from None


def operators(text: str) -> int:
    """How many AND, OR and NOT stand in a query, but for those in quotes."""
    return len(re.findall(r"(?<![^\s(])(?:AND|OR|NOT)(?=[\s(])", re.sub(r'"[^"]*"', "", text)))


def as_words(tree: Any, known: set[str]) -> Any:
    """The tree with what looks like a qualifier but is none of this search (https://..., priority:high) as the words it is."""
    if isinstance(tree, Both):
        return Both(tuple(as_words(part, known) for part in tree.parts), tree.any)
    if isinstance(tree, Not):
        return Not(as_words(tree.inner, known))
    if isinstance(tree, Qualifier) and tree.name not in known:
        return Text(f"{tree.name}:{','.join(map(_spelt, tree.values))}")
    return tree


def _spelt(value: Value) -> str:
    if value.operator == "..":
        return f"{value.text}..{value.upper}"
    return value.text if value.operator == "=" else value.operator + value.text


def nodes(tree: Any) -> Iterator[Any]:
    yield tree
    for part in tree.parts if isinstance(tree, Both) else (tree.inner,) if isinstance(tree, Not) else ():
        yield from nodes(part)


def qualifiers(tree: Any) -> list[Qualifier]:
    return [node for node in nodes(tree) if isinstance(node, Qualifier)]


def words(tree: Any) -> list[str]:
    """The texts looked for (not those that must be absent)."""
    if isinstance(tree, Text):
        return [tree.text]
    return [w for part in tree.parts for w in words(part)] if isinstance(tree, Both) else []


def holds(tree: Any, qualifier: Callable[[Qualifier], bool], text: Callable[[str], bool]) -> bool:
    if isinstance(tree, Both):
        results = (holds(part, qualifier, text) for part in tree.parts)
        return any(results) if tree.any else all(results)
    if isinstance(tree, Not):
        return not holds(tree.inner, qualifier, text)
    return text(tree.text) if isinstance(tree, Text) else qualifier(tree)


def check(tree: Any, choices: dict[str, set[str]], operators: int = 0) -> None:
    """Refuses values that a qualifier has not, and more text or operators than GitHub searches for."""
    if sum(len(node.text) for node in nodes(tree) if isinstance(node, Text)) > 256:
        raise refused("The search is longer than 256 characters.")
    if operators > 5:
        raise refused("More than five AND / OR / NOT operators were used.")
    for node in qualifiers(tree):
        for value in node.values:
            if node.name in choices and (value.operator != "=" or value.text.lower() not in choices[node.name]):
                raise refused(f"The value '{value.text}' is not supported by the qualifier '{node.name}'.")


# Values


def number(value: Value, actual: float) -> bool:
    return _compare(value, actual, _number)


def _number(text: str) -> tuple[float, float]:
    if not re.fullmatch(r"-?\d{1,15}(\.\d+)?", text):
        raise refused(f"'{text}' is not a number.")
    return float(text), float(text)


def date(value: Value, actual: str | None) -> bool:
    """Whole days where only a day is given: created:2026-02-01 is that day, >2026-02-01 the days behind it."""
    low = _compare(value, Ctx.parse_time(actual or "1970-01-01T00:00:00Z"), _date)
    return low and actual is not None


def _date(text: str) -> tuple[datetime, datetime]:
    try:
        start = Ctx.parse_time(text)
        return start, start + timedelta(days=1) - timedelta(seconds=1) if re.fullmatch(
            r"\d{4}-\d{2}-\d{2}", text
        ) else start
    except (ValueError, OverflowError):
        raise refused(
            f"'{text}' is not a recognized date/time format. Please provide an ISO 8601 date/time value, such as YYYY-MM-DD."
        ) from None


def _compare(value: Value, actual: Any, read: Callable[[str], tuple[Any, Any]]) -> bool:
    if value.operator == "..":
        low = None if value.text == "*" else read(value.text)[0]
        high = None if value.upper == "*" else read(value.upper)[1]
        return (low is None or actual >= low) and (high is None or actual <= high)
    start, end = read(value.text)
    match value.operator:
        case ">":
            return actual > end
        case ">=":
            return actual >= start
        case "<":
            return actual < start
        case "<=":
            return actual <= end
        case _:
            return start <= actual <= end


def fits(pattern: str, text: str) -> bool:
    """Case-insensitive equality, * for any run of characters."""
    return wildcard(pattern.lower()).fullmatch(text.lower()) is not None


def mentions(needle: str, text: str | None) -> bool:
    """Whether a word or phrase stands in a text, at the start of a word."""
    needle = " ".join(needle.lower().split())
    where = " ".join((text or "").lower().split())
    start = r"(?<!\w)" if needle[:1].isalnum() else ""
    return bool(needle) and re.search(start + re.escape(needle), where) is not None
