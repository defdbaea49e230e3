"""The small, total expression language of computed values: numbers, + - * /, parentheses, round(x, n). No names, no Python."""

from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

from lark import Lark, LarkError, Token, Transformer, v_args

_GRAMMAR = r"""
?start: sum
?sum: product | sum "+" product -> add | sum "-" product -> sub
?product: atom | product "*" atom -> mul | product "/" atom -> div
?atom: NUMBER -> number | "-" atom -> neg | "(" sum ")" | "round" "(" sum "," NUMBER ")" -> round
NUMBER: /[0-9]+(\.[0-9]+)?/
%ignore " "
"""


class BadExpression(ValueError):
    """The text is no expression of the language."""


@v_args(inline=True)
class _Evaluate(Transformer[Token, Decimal]):
    def number(self, text: Any) -> Decimal:
        return Decimal(str(text))

    def add(self, a: Decimal, b: Decimal) -> Decimal:
        return a + b

    def sub(self, a: Decimal, b: Decimal) -> Decimal:
        return a - b

    def mul(self, a: Decimal, b: Decimal) -> Decimal:
        return a * b

    def div(self, a: Decimal, b: Decimal) -> Decimal:
        return a / b

    def neg(self, a: Decimal) -> Decimal:
        return -a

    def round(self, a: Decimal, places: Any) -> Decimal:
        return a.quantize(Decimal(1).scaleb(-int(places)), ROUND_HALF_UP)


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr")


def evaluate(text: str) -> Decimal:
    """The value of an expression. BadExpression where it is none, or divides by zero."""
    try:
        return _Evaluate().transform(_parser().parse(text))
    except (LarkError, ArithmeticError) as error:
        raise BadExpression(f"{text!r}: {error}") from None


def operands(text: str) -> list[Decimal]:
    """The numbers an expression is made from."""
    try:
        return [Decimal(str(token)) for token in _parser().parse(text).scan_values(lambda _: True)]
    except LarkError as error:
        raise BadExpression(f"{text!r}: {error}") from None
