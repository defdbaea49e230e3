"""Filters of datasets: OData-style expressions, read by a grammar and tried on each record."""

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import LarkError, VisitError

Test = Callable[[Callable[[str], Any]], bool]
MAX_LENGTH, MAX_DEPTH = 4000, 60
_NUMBER = re.compile(r"(-?[0-9]{1,15}(?:\.[0-9]{1,10})?)(?: [A-Z]{3})?")


class BadFilter(ValueError):
    """The expression is not one; the text says why."""


def plain(value: Any) -> Any:
    """A value as it is compared: numbers and amounts as numbers, all else as text in any case."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, (int, float)):
        return value
    number = _NUMBER.fullmatch(str(value))
    return float(number[1]) if number else str(value).casefold()


def _order(left: Any, right: Any) -> int | None:
    """How two values compare; None where they do not."""
    left, right = plain(left), plain(right)
    if left is None or right is None:
        return 0 if left is right else None
    if isinstance(left, str) != isinstance(right, str):
        left, right = str(left), str(right)
    return (left > right) - (left < right)


_OPERATORS: dict[str, Callable[[int | None], bool]] = {
    "eq": lambda n: n == 0, "ne": lambda n: n != 0, "lt": lambda n: n is not None and n < 0, "le": lambda n: n is not None and n <= 0,
    "gt": lambda n: n is not None and n > 0, "ge": lambda n: n is not None and n >= 0,
}  # fmt: skip


@v_args(inline=True)
class _Made(Transformer[Token, Any]):
    """An expression as a test of a record, and the fields that it names."""

    def __init__(self) -> None:
        super().__init__()
        self.names = list[str]()

    def text(self, token: Token) -> str:
        return str(token)[1:-1].replace("''", "'")

    def number(self, token: Token) -> float:
        return float(token)

    def null(self, token: Token) -> None:
        return None

    def boolean(self, token: Token) -> bool:
        return token.lower() == "true"

    def compare(self, name: Token, operator: Token, value: Any) -> Test:
        self.names.append(str(name))
        holds = _OPERATORS[operator.lower()]
        return lambda get: holds(_order(get(str(name)), value))

    def among(self, name: Token, *values: Any) -> Test:
        self.names.append(str(name))
        return lambda get: any(_order(get(str(name)), value) == 0 for value in values)

    def negation(self, test: Test) -> Test:
        return lambda get: not test(get)

    def all(self, *tests: Test) -> Test:
        return lambda get: all(test(get) for test in tests)

    def any(self, *tests: Test) -> Test:
        return lambda get: any(test(get) for test in tests)


_GRAMMAR = Lark(Path(__file__).with_name("odata.lark").read_text("utf-8"), parser="lalr", maybe_placeholders=False)


@lru_cache(maxsize=64)
def parse(expression: str) -> tuple[Test, tuple[str, ...]]:
    """The test of an expression and the fields that it names. BadFilter where it is none."""
    if len(expression) > MAX_LENGTH or expression.count("(") > MAX_DEPTH or expression.lower().count("not") > MAX_DEPTH:
        raise BadFilter("the expression is too long or nested too deep")
    made = _Made()
    try:
        return made.transform(_GRAMMAR.parse(expression)), tuple(made.names)
    except (LarkError, VisitError, RecursionError) as error:
        line = str(error).strip().splitlines()[0] if str(error).strip() else "it cannot be read"
        raise BadFilter(f"Invalid filter expression: {line[:160]}") from None
