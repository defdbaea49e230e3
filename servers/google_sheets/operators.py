"""Operators, and functions of single values applied to whole matrices."""

from collections.abc import Callable
from typing import Any

from .values import LONGEST, Failed, Matrix, Scalar, compare, fail, matrix, number, sound, text


def each(step: Callable[..., Scalar], *values: Any) -> Any:
    """A function of single values, on each place of the matrices among them."""
    if not any(isinstance(v, Matrix) for v in values):
        return step(*values)
    all_ = [matrix(v) for v in values]
    height, width = max(m.height for m in all_), max(m.width for m in all_)

    def at(row: int, column: int) -> Scalar:
        try:
            return step(*(m.at(row, column) for m in all_))
        except Failed as failed:
            return failed.problem

    return Matrix([[at(r, c) for c in range(width)] for r in range(height)])


def operate(sign: str, left: Scalar, right: Scalar, locale: str) -> Scalar:
    left, right = sound(left), sound(right)
    if sign == "&":
        made = text(left) + text(right)
        if len(made) > LONGEST:
            raise fail("VALUE", "Text result is longer than the limit of 50000 characters.")
        return made
    if sign in ("=", "<>", "<", ">", "<=", ">="):
        apart = compare(left, right)
        return {"=": apart == 0, "<>": apart != 0, "<": apart < 0, ">": apart > 0, "<=": apart <= 0, ">=": apart >= 0}[
            sign
        ]
    a, b = number(left, locale), number(right, locale)
    if sign == "+":
        return a + b
    if sign == "-":
        return a - b
    if sign == "*":
        return a * b
    if sign == "/":
        if b == 0:
            raise fail("DIVIDE_BY_ZERO", "Function DIVIDE parameter 2 cannot be zero.")
        return a / b
    return power(a, b)


def power(a: float, b: float) -> float:
    if a == 0 and b < 0:
        raise fail("DIVIDE_BY_ZERO", "Function POWER caused a divide by zero error.")
    if a < 0 and not float(b).is_integer():
        raise fail("NUM", "Function POWER evaluates to an imaginary number.")
    made = float(a) ** float(b)
    return made
