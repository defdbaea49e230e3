"""Numeric functions."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, ROUND_UP, Decimal, InvalidOperation
from typing import Any

from .functions import MANY, Function
from .values import Failed, Fault, Moment, flat, number, tidy


def _numbers(values: tuple[Any, ...]) -> list[float | int]:
    """The numbers among the values; texts, blanks and truth values in lists do not count."""
    found = list[float | int]()
    for value in flat(values):
        if isinstance(value, Fault):
            raise Failed(value.shown)
        if isinstance(value, int | float):
            found.append(int(value) if isinstance(value, bool) else value)
    return found


def _sum(*values: Any) -> float | int:
    return tidy(math.fsum(_numbers(values)))


def _average(*values: Any) -> float | int:
    found = _numbers(values)
    return tidy(math.fsum(found) / len(found)) if found else float("nan")


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def run(*values: Any) -> Any:
        times = [v for v in flat(values) if isinstance(v, Moment)]
        if times:
            return choose(times, key=lambda m: m.at)
        found = _numbers(values)
        return tidy(choose(found)) if found else 0

    return run


def _rounded(mode: str) -> Callable[..., Any]:
    def run(value: Any, precision: Any = 0) -> float | int:
        found, places = number(value), number(precision)
        if not math.isfinite(found):
            return found
        if not math.isfinite(places) or abs(places) > 100:
            raise Failed
        try:
            return tidy(float(Decimal(repr(found)).quantize(Decimal(1).scaleb(-int(places)), rounding=mode)))
        except InvalidOperation:  # more places than a number has
            return tidy(found)

    return run


def _stepped(mode: str) -> Callable[..., Any]:
    def run(value: Any, significance: Any = 1) -> float | int:
        found, step = Decimal(repr(number(value))), Decimal(repr(number(significance)))
        if not found.is_finite() or not step.is_finite():
            raise Failed
        if not step:
            return 0
        try:
            return tidy(float((found / step).to_integral_value(rounding=mode) * step))
        except InvalidOperation:
            raise Failed from None

    return run


def _parity(odd: int) -> Callable[..., Any]:
    """The nearest even or odd number away from zero."""

    def run(value: Any) -> int:
        found = number(value)
        size = math.ceil(abs(found))
        size += size % 2 != odd
        return size if found >= 0 else -size

    return run


def _mod(value: Any, divisor: Any) -> float | int:
    left, right = number(value), number(divisor)
    return tidy(left % right) if right else float("nan")


def _power(base: Any, power: Any) -> float | int:
    try:
        made = float(number(base)) ** float(number(power))
    except OverflowError:
        return float("inf")
    except ZeroDivisionError:
        return float("inf")
    return tidy(made) if isinstance(made, float) else float("nan")


def _log(value: Any, base: Any = 10) -> float | int:
    found, base = number(value), number(base)
    if found <= 0 or base <= 0 or base == 1:
        return float("nan")
    return tidy(math.log10(found) if base == 10 else math.log(found, base))


def _root(value: Any) -> float | int:
    found = number(value)
    return tidy(math.sqrt(found)) if found >= 0 else float("nan")


def _floor(value: Any) -> float | int:
    found = number(value)
    return tidy(math.floor(found)) if math.isfinite(found) else found


def _there(value: Any) -> bool:
    return value is not None and value != ""


FUNCTIONS = {
    "ABS": Function(lambda value: tidy(abs(number(value))), 1, 1, "number"),
    "AVERAGE": Function(_average, 1, MANY, "number"),
    "CEILING": Function(_stepped(ROUND_CEILING), 1, 2, "number"),
    "COUNT": Function(lambda *values: len(_numbers(values)), 1, MANY, "number"),
    "COUNTA": Function(lambda *values: sum(_there(v) for v in flat(values)), 1, MANY, "number"),
    "COUNTALL": Function(lambda *values: len(flat(values)), 1, MANY, "number"),
    "EVEN": Function(_parity(0), 1, 1, "number"),
    "EXP": Function(lambda value: _power(math.e, value), 1, 1, "number"),
    "FLOOR": Function(_stepped(ROUND_FLOOR), 1, 2, "number"),
    "INT": Function(_floor, 1, 1, "number"),
    "LOG": Function(_log, 1, 2, "number"),
    "MAX": Function(_extreme(max), 1, MANY, "same"),
    "MIN": Function(_extreme(min), 1, MANY, "same"),
    "MOD": Function(_mod, 2, 2, "number"),
    "ODD": Function(_parity(1), 1, 1, "number"),
    "POWER": Function(_power, 2, 2, "number"),
    "ROUND": Function(_rounded(ROUND_HALF_UP), 1, 2, "number"),
    "ROUNDDOWN": Function(_rounded(ROUND_DOWN), 1, 2, "number"),
    "ROUNDUP": Function(_rounded(ROUND_UP), 1, 2, "number"),
    "SQRT": Function(_root, 1, 1, "number"),
    "SUM": Function(_sum, 1, MANY, "number"),
}
