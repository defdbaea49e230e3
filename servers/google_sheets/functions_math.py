"""Functions that count and add up."""

import math
from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Decimal
from typing import TYPE_CHECKING, Any

from .functions import FUNCTIONS, function
from .operators import power
from .values import Criterion, Matrix, Problem, Scalar, fail, flat, matrix, number, numbers, scalar, sound, whole

if TYPE_CHECKING:
    from .engine import Engine


@function("SUM", 1, -1)
def _sum(engine: "Engine", *arguments: Any) -> float:
    return math.fsum(numbers(arguments, engine.locale))


@function("PRODUCT", 1, -1)
def _product(engine: "Engine", *arguments: Any) -> float:
    return math.prod(numbers(arguments, engine.locale))


@function("COUNT", 1, -1)
def _count(engine: "Engine", *arguments: Any) -> int:
    return sum(isinstance(v, int | float) and not isinstance(v, bool) for a in arguments for v in flat(a))


@function("COUNTA", 1, -1)
def _counta(engine: "Engine", *arguments: Any) -> int:
    return sum(v is not None for a in arguments for v in flat(a))


@function("COUNTBLANK", 1, -1)
def _countblank(engine: "Engine", *arguments: Any) -> int:
    return sum(v is None or v == "" for a in arguments for v in flat(a))


@function("COUNTUNIQUE", 1, -1)
def _countunique(engine: "Engine", *arguments: Any) -> int:
    return len({(type(v).__name__, str(v)) for a in arguments for v in map(sound, flat(a)) if v is not None})


@function("AVERAGE", 1, -1)
def _average(engine: "Engine", *arguments: Any) -> float:
    found = numbers(arguments, engine.locale)
    if not found:
        raise fail("DIVIDE_BY_ZERO", "Evaluation of function AVERAGE caused a divide by zero error.")
    return math.fsum(found) / len(found)


@function("MIN", 1, -1)
def _min(engine: "Engine", *arguments: Any) -> float:
    return min(numbers(arguments, engine.locale), default=0)


@function("MAX", 1, -1)
def _max(engine: "Engine", *arguments: Any) -> float:
    return max(numbers(arguments, engine.locale), default=0)


@function("MEDIAN", 1, -1)
def _median(engine: "Engine", *arguments: Any) -> float:
    found = sorted(numbers(arguments, engine.locale))
    if not found:
        raise fail("NUM", "MEDIAN has no valid input data.")
    middle = len(found) // 2
    return found[middle] if len(found) % 2 else (found[middle - 1] + found[middle]) / 2


@function("MODE", 1, -1)
def _mode(engine: "Engine", *arguments: Any) -> float:
    found = numbers(arguments, engine.locale)
    best = max(found, key=found.count, default=None)
    if best is None or found.count(best) < 2:
        raise fail("N_A", "MODE cannot produce a result: no value occurs more than once.")
    return best


def _spread(engine: "Engine", arguments: tuple[Any, ...], less: int) -> float:
    found = numbers(arguments, engine.locale)
    if len(found) <= less:
        raise fail("DIVIDE_BY_ZERO", "The function caused a divide by zero error.")
    mean = math.fsum(found) / len(found)
    return math.fsum((v - mean) ** 2 for v in found) / (len(found) - less)


for _name, _less, _root in (
    ("STDEV", 1, True),
    ("STDEVP", 0, True),
    ("VAR", 1, False),
    ("VARP", 0, False),
    ("STDEV.S", 1, True),
    ("STDEV.P", 0, True),
    ("VAR.S", 1, False),
    ("VAR.P", 0, False),
):

    @function(_name, 1, -1)
    def _deviation(engine: "Engine", *arguments: Any, less: int = _less, root: bool = _root) -> float:
        made = _spread(engine, arguments, less)
        return math.sqrt(made) if root else made


def _nth(engine: "Engine", data: Any, n: Any, name: str, *, largest: bool) -> float:
    found, at = sorted(numbers((matrix(data),), engine.locale), reverse=largest), whole(n, engine.locale)
    if not 1 <= at <= len(found):
        raise fail("NUM", f"Function {name} parameter 2 value {at} is out of range.")
    return found[at - 1]


@function("LARGE", 2)
def _large(engine: "Engine", data: Any, n: Any) -> float:
    return _nth(engine, data, n, "LARGE", largest=True)


@function("SMALL", 2)
def _small(engine: "Engine", data: Any, n: Any) -> float:
    return _nth(engine, data, n, "SMALL", largest=False)


@function("RANK.EQ", 2, 3)
@function("RANK", 2, 3)
def _rank(engine: "Engine", value: Any, data: Any, ascending: Any = False) -> int:
    wanted, found = number(value, engine.locale), numbers((matrix(data),), engine.locale)
    if wanted not in found:
        raise fail("N_A", "Did not find the value in RANK evaluation.")
    return 1 + sum(v < wanted if number(ascending) else v > wanted for v in found)


@function("PERCENTILE.INC", 2)
@function("PERCENTILE", 2)
def _percentile(engine: "Engine", data: Any, share: Any) -> float:
    found, at = sorted(numbers((matrix(data),), engine.locale)), number(share, engine.locale)
    if not found or not 0 <= at <= 1:
        raise fail("NUM", "Function PERCENTILE has no valid input data.")
    spot = at * (len(found) - 1)
    low = math.floor(spot)
    high = min(low + 1, len(found) - 1)
    return found[low] + (found[high] - found[low]) * (spot - low)


@function("QUARTILE.INC", 2)
@function("QUARTILE", 2)
def _quartile(engine: "Engine", data: Any, quarter: Any) -> float:
    return _percentile(engine, data, whole(quarter, engine.locale) / 4)


@function("SUMSQ", 1, -1)
def _sumsq(engine: "Engine", *arguments: Any) -> float:
    return math.fsum(v * v for v in numbers(arguments, engine.locale))


# Conditions


def _conditions(engine: "Engine", pairs: tuple[Any, ...], like: Matrix | None = None) -> list[bool]:
    """For each place of the ranges whether all conditions hold."""
    if len(pairs) % 2:
        raise fail("N_A", "Conditions come in pairs of a range and a criterion.")
    held: list[bool] | None = None
    for at in range(0, len(pairs), 2):
        area, criterion = matrix(pairs[at]), Criterion(pairs[at + 1], engine.locale)
        first = like or matrix(pairs[0])
        if (area.height, area.width) != (first.height, first.width):
            raise fail("VALUE", "Array arguments are of different size.")
        now = [criterion.holds(v) for v in area.flat()]
        held = now if held is None else [a and b for a, b in zip(held, now, strict=True)]
    return held or []


def _chosen(engine: "Engine", target: Any, pairs: tuple[Any, ...]) -> list[float]:
    area = matrix(target)
    held = _conditions(engine, pairs, area)
    values = [v for v, ok in zip(area.flat(), held, strict=True) if ok]
    return numbers((Matrix([values]),), engine.locale) if values else []


def _one_range(engine: "Engine", area: Any, criterion: Any, target: Any) -> list[float]:
    """SUMIF's range may be of another size than its conditions' range; it then begins where it begins."""
    tested = matrix(area)
    values = matrix(tested if target is None else target)
    held = Criterion(criterion, engine.locale)
    found = [
        values.rows[r][c]
        for r, row in enumerate(tested.rows)
        for c, v in enumerate(row)
        if held.holds(v) and r < values.height and c < values.width
    ]
    return numbers((Matrix([found]),), engine.locale) if found else []


@function("SUMIF", 2, 3)
def _sumif(engine: "Engine", area: Any, criterion: Any, target: Any = None) -> float:
    return math.fsum(_one_range(engine, area, criterion, target))


@function("SUMIFS", 3, -1)
def _sumifs(engine: "Engine", target: Any, *pairs: Any) -> float:
    return math.fsum(_chosen(engine, target, pairs))


@function("COUNTIF", 2)
def _countif(engine: "Engine", area: Any, criterion: Any) -> int:
    held = Criterion(criterion, engine.locale)
    return sum(held.holds(v) for v in flat(area))


@function("COUNTIFS", 2, -1)
def _countifs(engine: "Engine", *pairs: Any) -> int:
    return sum(_conditions(engine, pairs))


def _mean(found: list[float], name: str) -> float:
    if not found:
        raise fail("DIVIDE_BY_ZERO", f"Evaluation of function {name} caused a divide by zero error.")
    return math.fsum(found) / len(found)


@function("AVERAGEIF", 2, 3)
def _averageif(engine: "Engine", area: Any, criterion: Any, target: Any = None) -> float:
    return _mean(_one_range(engine, area, criterion, target), "AVERAGEIF")


@function("AVERAGEIFS", 3, -1)
def _averageifs(engine: "Engine", target: Any, *pairs: Any) -> float:
    return _mean(_chosen(engine, target, pairs), "AVERAGEIFS")


@function("MAXIFS", 3, -1)
def _maxifs(engine: "Engine", target: Any, *pairs: Any) -> float:
    return max(_chosen(engine, target, pairs), default=0)


@function("MINIFS", 3, -1)
def _minifs(engine: "Engine", target: Any, *pairs: Any) -> float:
    return min(_chosen(engine, target, pairs), default=0)


@function("SUMPRODUCT", 1, -1, arrays=True)
def _sumproduct(engine: "Engine", *arrays: Any) -> float:
    areas = [matrix(a) for a in arrays]
    if len({(a.height, a.width) for a in areas}) > 1:
        raise fail("VALUE", "SUMPRODUCT has mismatched range sizes.")
    columns = [[sound(v) for v in a.flat()] for a in areas]
    usable = [[v if isinstance(v, int | float) else 0 for v in column] for column in columns]
    return math.fsum(math.prod(line) for line in zip(*usable, strict=True))


# Single numbers


def _rounded(value: Scalar, places: Scalar, how: str, locale: str) -> float:
    amount, digits = number(value, locale), whole(places, locale)
    if abs(digits) > 30:
        return amount if digits > 0 else 0
    # What is rounded is the shortest text of the number, as people read it: ROUND(2.675, 2) is 2.68.
    return float((Decimal(repr(amount)).scaleb(digits)).quantize(Decimal(1), how).scaleb(-digits))


for _name, _how in (("ROUND", ROUND_HALF_UP), ("ROUNDUP", ROUND_UP), ("ROUNDDOWN", ROUND_DOWN), ("TRUNC", ROUND_DOWN)):

    @function(_name, 1, 2, single=True)
    def _round(engine: "Engine", value: Scalar, places: Scalar = 0, how: str = _how) -> float:
        return _rounded(value, places, how, engine.locale)


def _single(name: str, step: Callable[[float], float]) -> None:
    @function(name, 1, single=True)
    def run(engine: "Engine", value: Scalar) -> float:
        return step(number(value, engine.locale))


def _square_root(value: float) -> float:
    if value < 0:
        raise fail(
            "NUM", f"Function SQRT parameter 1 value is negative. It should be greater than or equal to zero: {value}."
        )
    return math.sqrt(value)


_single("ABS", abs)
_single("SIGN", lambda v: (v > 0) - (v < 0))
_single("INT", math.floor)
_single("SQRT", _square_root)
_single("EXP", math.exp)
_single("LN", math.log)
_single("LOG10", math.log10)
_single("ISEVEN", lambda v: int(v) % 2 == 0)
_single("ISODD", lambda v: int(v) % 2 == 1)


@function("PI", 0)
def _pi(engine: "Engine") -> float:
    return math.pi


@function("LOG", 1, 2, single=True)
def _log(engine: "Engine", value: Scalar, base: Scalar = 10) -> float:
    return math.log(number(value, engine.locale), number(base, engine.locale))


@function("POWER", 2, single=True)
def _power(engine: "Engine", base: Scalar, exponent: Scalar) -> float:
    return power(number(base, engine.locale), number(exponent, engine.locale))


def _divisor(value: Scalar, name: str, locale: str) -> float:
    made = number(value, locale)
    if made == 0:
        raise fail("DIVIDE_BY_ZERO", f"Function {name} parameter 2 cannot be zero.")
    return made


@function("MOD", 2, single=True)
def _mod(engine: "Engine", value: Scalar, by: Scalar) -> float:
    return number(value, engine.locale) % _divisor(by, "MOD", engine.locale)


@function("QUOTIENT", 2, single=True)
def _quotient(engine: "Engine", value: Scalar, by: Scalar) -> int:
    return math.trunc(number(value, engine.locale) / _divisor(by, "QUOTIENT", engine.locale))


for _name, _step in (("CEILING", math.ceil), ("FLOOR", math.floor), ("MROUND", round)):

    @function(_name, 1, 2, single=True)
    def _to_multiple(
        engine: "Engine", value: Scalar, factor: Scalar = 1, step: Callable[[float], int] = _step
    ) -> float:
        unit = number(factor, engine.locale)
        return 0 if unit == 0 else step(round(number(value, engine.locale) / unit, 10)) * unit


@function("SUBTOTAL", 2, -1)
def _subtotal(engine: "Engine", code: Any, *areas: Any) -> Any:
    names = ("AVERAGE", "COUNT", "COUNTA", "MAX", "MIN", "PRODUCT", "STDEV", "STDEVP", "SUM", "VAR", "VARP")
    wanted = whole(code, engine.locale) % 100
    if not 1 <= wanted <= 11:
        return Problem("VALUE", "Function SUBTOTAL parameter 1 is not a known function code.")
    return FUNCTIONS[names[wanted - 1]].run(engine, *areas)


@function("N", 1)
def _n(engine: "Engine", value: Any) -> float:
    made = sound(scalar(value))
    return made if isinstance(made, int | float) else 0
